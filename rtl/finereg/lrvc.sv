// SPDX-License-Identifier: Apache-2.0
// lrvc: live-register vector cache: the vector of the registers that are live at a PC. The vectors lie in memory, 8
// bytes for each instruction. Direct mapped: two PCs of one loop rarely fall on one entry, as the index is a hash of
// the PC. One miss at a time: the warps of a CTA are looked up one after the other, and mostly share their PC.
// C twin: cmodel/blocks/finereg/lrvc.c
// A hit is answered after 1 cycle, and a look-up is accepted in every cycle. A miss blocks until memory has answered.
module lrvc #(
  parameter int NumEntries = 32                       // vectors that it holds: a power of two, 2 to 8192
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // a kernel begins: forget all; byte addresses of its vectors and of its first instruction
  input  logic        invalidate_i,
  input  logic [31:0] vector_base_i,
  input  logic [31:0] code_base_i,
  // look-up of a PC, and its answer
  input  logic        request_valid_i,
  input  logic [31:0] request_pc_i,
  output logic        request_ready_o,
  output logic        response_valid_o,
  output logic [63:0] response_vector_o,
  output logic        response_hit_o,
  // read of 8 bytes of memory, and its answer
  output logic        memory_request_valid_o,
  output logic [31:0] memory_request_addr_o,
  input  logic        memory_request_ready_i,
  input  logic        memory_response_valid_i,
  input  logic [63:0] memory_response_data_i
);
  localparam int IndexW = $clog2(NumEntries);
`include "lrvc_enum.svh"

  logic [1:0]            state_q, state_d;
  logic [NumEntries-1:0] valid_q, valid_d;
  logic [31:0]           tag_q [NumEntries];      // not reset: valid_q gates it
  logic [31:0]           miss_pc_q;               // PC of the miss
  logic [31:0]           miss_addr_q;             // address of its vector
  logic                  response_valid_q;
  logic                  response_hit_q;
  logic [63:0]           fill_vector_q;           // memory's answer to a miss

  logic [IndexW-1:0] lookup_index;
  logic [IndexW-1:0] fill_index;
  logic              hit;
  logic              miss;
  logic              fill;
  logic              answer;
  logic [63:0]       cached_vector;
  assign lookup_index = request_pc_i[3 +: IndexW] ^ request_pc_i[3+IndexW +: IndexW];
  assign fill_index   = miss_pc_q[3 +: IndexW] ^ miss_pc_q[3+IndexW +: IndexW];
  assign hit          = request_valid_i && request_ready_o && !invalidate_i && valid_q[lookup_index]
                        && tag_q[lookup_index] == request_pc_i;
  assign miss         = request_valid_i && request_ready_o && !hit;
  assign fill         = state_q == MemoryWait && memory_response_valid_i;
  assign answer       = hit || fill;

  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle:          if (miss) state_d = MemoryRequest;
      MemoryRequest: if (memory_request_ready_i) state_d = MemoryWait;
      MemoryWait:    if (memory_response_valid_i) state_d = Idle;
      default:       state_d = Idle;
    endcase
    valid_d = invalidate_i ? '0 : valid_q;
    if (fill) valid_d[fill_index] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= Idle;
      valid_q          <= '0;
      response_valid_q <= 1'b0;
      response_hit_q   <= 1'b0;
    end else begin
      state_q          <= state_d;
      valid_q          <= valid_d;
      response_valid_q <= answer;
      response_hit_q   <= hit;
    end
  end

  // not reset: state_q and response_valid_q gate them
  always_ff @(posedge clk_i) begin
    if (miss) begin
      miss_pc_q   <= request_pc_i;
      miss_addr_q <= vector_base_i + (request_pc_i - code_base_i);
    end
    if (fill) begin
      tag_q[fill_index] <= miss_pc_q;
      fill_vector_q     <= memory_response_data_i;
    end
  end

  // a look-up and a fill never occur in one cycle, so one port suffices
`ifdef FORMAL
  logic [NumEntries*64-1:0] f_mem;
`endif
  ram_1rw #(.Depth(NumEntries), .Width(64)) u_vector (
    .clk_i(clk_i),
    .en_i(answer),
    .we_i(fill),
    .addr_i(fill ? fill_index : lookup_index),
    .wdata_i(memory_response_data_i),
`ifdef FORMAL
    .f_mem_o(f_mem),
`endif
    .rdata_o(cached_vector)
  );

  assign request_ready_o        = state_q == Idle;
  assign response_valid_o       = response_valid_q;
  assign response_hit_o         = response_hit_q;
  assign response_vector_o      = !response_valid_q ? '0 : response_hit_q ? cached_vector : fill_vector_q;
  assign memory_request_valid_o = state_q == MemoryRequest;
  assign memory_request_addr_o  = memory_request_valid_o ? miss_addr_q : '0;

`include "lrvc_properties.svh"
endmodule

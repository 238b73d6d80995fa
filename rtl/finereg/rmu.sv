// SPDX-License-Identifier: Apache-2.0
// rmu: register management engine: spills, restores and swaps the live registers of CTAs. It moves only live registers, and
// takes an exchange's entry from the register that left it, so that a swap needs no free entry. The outgoing CTA is the one
// that is spilled, the incoming CTA the one that is restored.
// C twin: cmodel/blocks/finereg/rmu.c
// One command at a time. Engine 2, pipelined (rmu_pipe.svh): a restore of N registers is done 6 + N cycles after its accept,
// and a register a cycle leaves the ACRF meanwhile. Engine 1, serial (rmu_serial.svh): 5 + 2N, and at least two each.
module rmu #(
  parameter int Engine = 2,           // 2: pipelined; 1: serial
`ifdef FORMAL
  // the proof has assertions for each entry and each pair of entries: only small sizes elaborate
  parameter int NumCtas = 2,
  parameter int NumWarps = 2,
  parameter int NumEntries = 4,
  parameter int NumLanes = 1,
  parameter int LaneW = 1,
`else
  parameter int NumCtas = 128,        // CTAs: a power of two
  parameter int NumWarps = 32,        // warps of a CTA: a power of two
  parameter int NumEntries = 1024,    // entries of the PCRF, at least 2
  parameter int NumLanes = 32,        // lanes of a register
  parameter int LaneW = 32,           // bits of a lane
`endif
  parameter int LrvcEntries = 32,     // entries of the cache of live vectors: a power of two
  parameter int MaxLive = 63          // registers that a vector can have, at most
) (
  input  logic                                                         clk_i,
  input  logic                                                         rst_ni,
  // command
  input  logic                                                         command_valid_i,
  input  logic [1:0]                                                   command_operation_i,
  input  logic [6:0]                                                   command_outgoing_cta_i,
  input  logic [6:0]                                                   command_incoming_cta_i,
  input  logic [5:0]                                                   command_warps_i,
  output logic                                                         command_ready_o,
  // the cache of live-register vectors
  input  logic                                                         invalidate_i,
  input  logic [31:0]                                                  vector_base_i,
  input  logic [31:0]                                                  code_base_i,
  output logic                                                         memory_request_valid_o,
  output logic [31:0]                                                  memory_request_addr_o,
  input  logic                                                         memory_request_ready_i,
  input  logic                                                         memory_response_valid_i,
  input  logic [63:0]                                                  memory_response_data_i,
  // free entries
  output logic [$clog2(NumEntries):0]                                  free_count_o,
  // the PCs of the outgoing CTA's warps
  output logic [4:0]                                                   pc_warp_o,
  input  logic                                                         pc_live_i,
  input  logic [31:0]                                                  pc_i,
  // read the outgoing CTA's slot of the ACRF
  output logic                                                         acrf_read_valid_o,
  output logic [4:0]                                                   acrf_read_warp_o,
  output logic [5:0]                                                   acrf_read_register_o,
  input  logic                                                         acrf_read_ready_i,
  input  logic                                                         acrf_response_valid_i,
  input  logic [NumLanes*LaneW-1:0]                                    acrf_response_data_i,
  // write the incoming CTA's slot
  output logic                                                         acrf_write_valid_o,
  output logic [4:0]                                                   acrf_write_warp_o,
  output logic [5:0]                                                   acrf_write_register_o,
  output logic [NumLanes*LaneW-1:0]                                    acrf_write_data_o,
  input  logic                                                         acrf_write_ready_i,
  // a register has been moved into, or out of, the PCRF
  output logic                                                         stored_valid_o,
  output logic [4:0]                                                   stored_warp_o,
  output logic [5:0]                                                   stored_register_o,
  output logic [$clog2(NumEntries)-1:0]                                stored_index_o,
  output logic                                                         restored_valid_o,
  output logic [4:0]                                                   restored_warp_o,
  output logic [5:0]                                                   restored_register_o,
  // the CTAs being moved
  output logic                                                         busy_o,
  output logic [6:0]                                                   busy_outgoing_cta_o,
  output logic [6:0]                                                   busy_incoming_cta_o,
  output logic                                                         busy_outgoing_valid_o,
  output logic                                                         busy_incoming_valid_o,
  // a load's lanes for a spilled register
  input  logic                                                         fill_valid_i,
  input  logic [$clog2(NumEntries)-1:0]                                fill_index_i,
  input  logic [NumLanes-1:0]                                          fill_lanes_i,
  input  logic [NumLanes*LaneW-1:0]                                    fill_data_i,
  output logic                                                         fill_ready_o,
  // end of a command
  output logic                                                         done_valid_o,
  output logic                                                         done_success_o,
  output logic [(NumEntries > 1024 ? $clog2(NumEntries) : 10):0]       done_count_o
);
  localparam int IndexW = $clog2(NumEntries);
  localparam int DataW = NumLanes * LaneW;
  localparam int CountW = NumEntries > 1024 ? IndexW + 1 : 11;  // a CTA's registers: up to 32 x 63
  localparam int WarpW = $clog2(NumWarps);
  localparam int TagW = IndexW + 12;              // {end, next, warp, register}

// Look asks for vectors until it is sure that all fit; Move moves both ways, and asks for the rest. The serial engine's states:
// VectorRequest requests the vector of a warp's PC, VectorWait waits for it; Admit checks that all fit; Walk moves the incoming
// CTA, in a swap entry by entry; then the rest of the outgoing CTA: DrainLoad loads a warp's vector, DrainRead and DrainWait
// read a register, DrainWrite writes it
`include "rmu_enum.svh"

  logic [3:0]        state_q, state_d;
  logic [1:0]        reads_q, reads_d;
  logic [5:0]        warp_q, warp_d;
  logic [CountW-1:0] needed_count_q;
  logic [CountW-1:0] stored_count_q;
  logic [IndexW-1:0] previous_index_q;

  // the command, and the incoming CTA's row of the pointer table
  logic [1:0]        operation_q;
  logic [6:0]        outgoing_cta_q, incoming_cta_q;
  logic [5:0]        command_warps_q;             // 0 in a restore
  logic [IndexW-1:0] incoming_pointer_q;
  logic [IndexW:0]   incoming_count_q;            // 0 in a spill

`ifdef FORMAL
  // internal state of the parts: pointer table, flags, tags, data
  localparam int RowW = 2 * IndexW + 1;
  logic [NumCtas-1:0]          f_row_valid;
  logic [NumCtas*RowW-1:0]     f_row;
  logic [NumEntries-1:0]       f_flag;
  logic [NumEntries*TagW-1:0]  f_tag;
  logic [NumEntries*DataW-1:0] f_data;
`endif

  // ---- the parts of both engines
  logic              row_valid;
  logic [IndexW-1:0] row_pointer;
  logic [IndexW:0]   row_count;
  logic              finish;
  ppt #(.NumCtas(NumCtas), .NumEntries(NumEntries)) u_ppt (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .read_cta_i(command_incoming_cta_i),
    .read_valid_o(row_valid),
    .read_pointer_o(row_pointer),
    .read_count_o(row_count),
`ifdef FORMAL
    .f_valid_o(f_row_valid),
    .f_row_o(f_row),
`endif
    .clear_valid_i(finish && operation_q != OperationSpill),
    .clear_cta_i(incoming_cta_q),
    .write_valid_i(finish && operation_q != OperationRestore),
    .write_cta_i(outgoing_cta_q),
    .write_pointer_i(previous_index_q),
    .write_count_i(needed_count_q[IndexW:0])
  );

  logic        request_valid;
  logic        request_ready;
  logic        response_valid;
  logic        response_hit;
  logic [63:0] response_vector;
  logic [6:0]  response_count;
`ifndef FORMAL
  lrvc #(.NumEntries(LrvcEntries)) u_lrvc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .invalidate_i(invalidate_i),
    .vector_base_i(vector_base_i),
    .code_base_i(code_base_i),
    .request_valid_i(request_valid),
    .request_pc_i(pc_i),
    .request_ready_o(request_ready),
    .response_valid_o(response_valid),
    .response_vector_o(response_vector),
    .response_hit_o(response_hit),
    .memory_request_valid_o(memory_request_valid_o),
    .memory_request_addr_o(memory_request_addr_o),
    .memory_request_ready_i(memory_request_ready_i),
    .memory_response_valid_i(memory_response_valid_i),
    .memory_response_data_i(memory_response_data_i)
  );
`endif
  popcount #(.N(64)) u_n (.bits_i(response_vector), .count_o(response_count));

  logic              free_valid;
  logic [IndexW-1:0] free_index;
  logic              allocate;                    // the buffer is stored in a free entry
  logic              release_entry;               // an entry of the incoming CTA is free
  logic [IndexW-1:0] release_index;
  fsmon #(.NumEntries(NumEntries)) u_fsmon (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .free_valid_o(free_valid),
    .free_index_o(free_index),
    .free_count_o(free_count_o),
`ifdef FORMAL
    .f_occupied_o(f_flag),
`endif
    .allocate_valid_i(allocate),
    .release_valid_i(release_entry),
    .release_index_i(release_index)
  );

  logic       done_valid_q, done_success_q, stored_valid_q, restored_valid_q;
  logic [4:0] stored_warp_q;
  logic [5:0] stored_register_q;

  // ---- events of this cycle
  logic              accept;
  logic              refuse;
  logic              store;                       // a register of the outgoing CTA is stored in an entry:
  logic [IndexW-1:0] store_index;
  logic [4:0]        store_warp;
  logic [5:0]        store_register;
  logic              pop;                         // a register of the incoming CTA has left
  assign accept = command_valid_i && command_ready_o;
  assign finish = state_q == Finish;
  assign pop    = acrf_write_valid_o && acrf_write_ready_i;

  assign command_ready_o       = state_q == Idle;
  assign busy_o                = state_q != Idle;
  assign busy_outgoing_valid_o = busy_o && operation_q != OperationRestore;
  assign busy_incoming_valid_o = busy_o && operation_q != OperationSpill;
  assign busy_outgoing_cta_o   = busy_outgoing_valid_o ? outgoing_cta_q : '0;
  assign busy_incoming_cta_o   = busy_incoming_valid_o ? incoming_cta_q : '0;

  // outputs of the parts that are not used
  logic unused;
  assign unused = &{row_valid, response_hit, free_valid};

`include "rmu_properties.svh"

  // ---- the engine: next state, ports of the ACRF, the signals above that have no driver yet
  if (Engine == 1) begin : gen_serial
`include "rmu_serial.svh"
  end else begin : gen_pipe
`include "rmu_pipe.svh"
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q            <= Idle;
      reads_q            <= '0;
      warp_q             <= '0;
      needed_count_q     <= '0;
      stored_count_q     <= '0;
      previous_index_q   <= '0;
      operation_q        <= OperationSpill;
      outgoing_cta_q     <= '0;
      incoming_cta_q     <= '0;
      command_warps_q    <= '0;
      incoming_pointer_q <= '0;
      incoming_count_q   <= '0;
      done_valid_q       <= 1'b0;
      done_success_q     <= 1'b0;
      stored_valid_q     <= 1'b0;
      restored_valid_q   <= 1'b0;
    end else begin
      state_q          <= state_d;
      reads_q          <= reads_d;
      warp_q           <= warp_d;
      done_valid_q     <= finish || refuse;
      done_success_q   <= finish;
      stored_valid_q   <= store;
      restored_valid_q <= pop;
      if (accept) begin
        needed_count_q     <= '0;
        stored_count_q     <= '0;
        previous_index_q   <= '0;
        operation_q        <= command_operation_i;
        outgoing_cta_q     <= command_outgoing_cta_i;
        incoming_cta_q     <= command_incoming_cta_i;
        command_warps_q    <= command_operation_i == OperationRestore ? '0 : command_warps_i;
        incoming_pointer_q <= row_pointer;
        incoming_count_q   <= command_operation_i == OperationSpill ? '0 : row_count;
      end else begin
        needed_count_q <= needed_count_q + CountW'(response_count);
        if (store) begin
          stored_count_q   <= stored_count_q + CountW'(1);
          previous_index_q <= store_index;
        end
      end
    end
  end

  // not reset: stored_valid_q and restored_valid_q gate them
  always_ff @(posedge clk_i) begin
    stored_warp_q     <= store_warp;
    stored_register_q <= store_register;
  end

  // ---- events. previous_index_q is the entry stored last.
  assign stored_valid_o    = stored_valid_q;
  assign stored_warp_o     = stored_valid_q ? stored_warp_q : '0;
  assign stored_register_o = stored_valid_q ? stored_register_q : '0;
  assign stored_index_o    = stored_valid_q ? previous_index_q : '0;
  assign restored_valid_o  = restored_valid_q;
  assign done_valid_o      = done_valid_q;
  assign done_success_o    = done_success_q;
  assign done_count_o      = !done_valid_q ? '0 : operation_q == OperationRestore ? CountW'(incoming_count_q) : needed_count_q;
endmodule

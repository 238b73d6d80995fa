// SPDX-License-Identifier: Apache-2.0
// scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion
// flag. The parts of an operand do not overlap, so that they may come in any order.
// C twin: cmodel/blocks/slice/scu.c
// One instruction at a time. Allocation to request 1 cycle, response to fetch 0, last part to
// dispatch 1.
module scu #(
  parameter int NumOperands = 3,      // sources of an instruction
  parameter int DataW = 1024,         // bits of a warp register
  parameter int MetaW = 32            // bits of an instruction's number
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // allocation, only when not busy; address [operand][8]
  input  logic                           allocate_valid_i,
  input  logic [NumOperands-1:0]         allocate_source_i,
  input  logic [8*NumOperands-1:0]       allocate_addr_i,
  input  logic [NumOperands-1:0]         allocate_signed_i,
  input  logic [NumOperands-1:0]         allocate_convert_i,
  input  logic [MetaW-1:0]               allocate_meta_i,
  // look-up in the source indirection table; address [operand][8], entry [operand][32]
  output logic [NumOperands-1:0]         request_valid_o,
  output logic [8*NumOperands-1:0]       request_addr_o,
  input  logic [NumOperands-1:0]         grant_i,
  input  logic [NumOperands-1:0]         response_valid_i,
  input  logic [32*NumOperands-1:0]      response_entry_i,
  // to the register file's queues: [operand][part], register [operand][part][8]
  output logic [2*NumOperands-1:0]       fetch_valid_o,
  output logic [16*NumOperands-1:0]      fetch_register_o,
  output logic [32*NumOperands-1:0]      fetch_entry_o,
  output logic [NumOperands-1:0]         fetch_signed_o,
  // one extracted part
  input  logic                           part_valid_i,
  input  logic [$clog2(NumOperands)-1:0] part_operand_i,
  input  logic [DataW-1:0]               part_data_i,
  // dispatch; data [operand]
  output logic                           busy_o,
  output logic                           dispatch_valid_o,
  output logic                           dispatch_convert_o,
  output logic [MetaW-1:0]               dispatch_meta_o,
  output logic [NumOperands*DataW-1:0]   dispatch_data_o,
  input  logic                           dispatch_take_i
);
  localparam int OperandW = $clog2(NumOperands);

  // the flat ports as arrays; those of parts have index 2 * operand + part
  logic [7:0]       allocate_addr [NumOperands];
  logic [7:0]       request_addr [NumOperands];
  logic [31:0]      response_entry [NumOperands];
  logic [7:0]       fetch_register [2*NumOperands];
  logic [31:0]      fetch_entry [NumOperands];
  logic [DataW-1:0] dispatch_data [NumOperands];
  for (genvar k = 0; k < NumOperands; k++) begin : gen_port
    assign allocate_addr[k]                  = allocate_addr_i[8*k +: 8];
    assign request_addr_o[8*k +: 8]          = request_addr[k];
    assign response_entry[k]                 = response_entry_i[32*k +: 32];
    assign fetch_entry_o[32*k +: 32]         = fetch_entry[k];
    assign dispatch_data_o[DataW*k +: DataW] = dispatch_data[k];
  end
  for (genvar p = 0; p < 2 * NumOperands; p++) begin : gen_part_port
    assign fetch_register_o[8*p +: 8] = fetch_register[p];
  end

  logic                   busy_q, busy_d;
  logic [NumOperands-1:0] source_q, source_d;
  logic [NumOperands-1:0] signed_q, signed_d;
  logic [NumOperands-1:0] convert_q, convert_d;
  logic [NumOperands-1:0] located_q, located_d;    // granted by the table
  logic [NumOperands-1:0] half_q, half_d;          // the first of two parts has come
  logic [NumOperands-1:0] complete_q, complete_d;  // all parts have come
  logic [7:0]             addr_q [NumOperands];
  logic [MetaW-1:0]       meta_q, meta_d;
  logic [31:0]            entry_q [NumOperands];   // from the table's response
  logic [DataW-1:0]       data_q [NumOperands];    // not reset: complete_q gates it

  logic [NumOperands-1:0] two;     // the operand has a second part
  logic [NumOperands-1:0] narrow;  // n < 8
  logic [NumOperands-1:0] part;    // a part of it comes in this cycle
  logic [NumOperands-1:0] ask;
  logic                   all_here;
  assign ask      = {NumOperands{busy_q}} & source_q & ~located_q;
  assign all_here = busy_q && (source_q & ~complete_q) == '0;

  for (genvar k = 0; k < NumOperands; k++) begin : gen_op
    logic [31:0] e;
    logic [4:0]  n;
    assign e = response_entry[k];

    assign request_addr[k]       = ask[k] ? addr_q[k] : '0;
    assign fetch_valid_o[2*k]    = response_valid_i[k];
    assign fetch_valid_o[2*k+1]  = response_valid_i[k] && e[31:24] != 8'd0;
    assign fetch_register[2*k]   = fetch_valid_o[2*k] ? e[7:0] : '0;
    assign fetch_register[2*k+1] = fetch_valid_o[2*k+1] ? e[23:16] : '0;
    assign fetch_entry[k]        = response_valid_i[k] ? e : '0;
    assign fetch_signed_o[k]     = response_valid_i[k] && signed_q[k];

    assign two[k]  = entry_q[k][31:24] != 8'd0;
    assign part[k] = part_valid_i && part_operand_i == OperandW'(k);
    popcount #(.N(16)) u_n (.bits_i({entry_q[k][31:24], entry_q[k][15:8]}), .count_o(n));
    assign narrow[k] = n < 5'd8;

    assign dispatch_data[k] = all_here && source_q[k] ? data_q[k] : '0;
  end

  assign request_valid_o    = ask;
  assign busy_o             = busy_q;
  assign dispatch_valid_o   = all_here;
  assign dispatch_convert_o = all_here && (source_q & convert_q & narrow) != '0;
  assign dispatch_meta_o    = all_here ? meta_q : '0;

  always_comb begin
    busy_d     = busy_q;
    source_d   = source_q;
    signed_d   = signed_q;
    convert_d  = convert_q;
    meta_d     = meta_q;
    located_d  = located_q | (ask & grant_i);
    half_d     = half_q | (part & two);
    complete_d = complete_q | (part & (~two | half_q));
    if (allocate_valid_i) begin
      busy_d     = 1'b1;
      source_d   = allocate_source_i;
      signed_d   = allocate_signed_i;
      convert_d  = allocate_convert_i;
      meta_d     = allocate_meta_i;
      located_d  = '0;
      half_d     = '0;
      complete_d = '0;
    end else if (dispatch_take_i) begin
      busy_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= '0;
      source_q   <= '0;
      signed_q   <= '0;
      convert_q  <= '0;
      located_q  <= '0;
      half_q     <= '0;
      complete_q <= '0;
      meta_q     <= '0;
      for (int k = 0; k < NumOperands; k++) begin
        addr_q[k]  <= '0;
        entry_q[k] <= '0;
      end
    end else begin
      busy_q     <= busy_d;
      source_q   <= source_d;
      signed_q   <= signed_d;
      convert_q  <= convert_d;
      located_q  <= located_d;
      half_q     <= half_d;
      complete_q <= complete_d;
      meta_q     <= meta_d;
      for (int k = 0; k < NumOperands; k++) begin
        if (allocate_valid_i) addr_q[k] <= allocate_addr[k];
        if (response_valid_i[k]) entry_q[k] <= response_entry[k];
      end
    end
  end

  // the first part is written, the second OR-ed
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < NumOperands; k++) begin
      if (part[k]) data_q[k] <= half_q[k] ? data_q[k] | part_data_i : part_data_i;
    end
  end

`include "scu_properties.svh"
endmodule

// SPDX-License-Identifier: Apache-2.0
// ppt: PCRF pointer table: for each CTA the first entry of its chain and the chain's length.
// Registers, not a memory: a row is read in the cycle of a command's accept, and all rows are
// invalid after a reset.
// C twin: cmodel/blocks/finereg/ppt.c
// Read in the same cycle, before this cycle's writes; one clear and one write per cycle.
module ppt #(
  parameter int NumCtas = 128,        // CTAs: a power of two, at least 2
  parameter int NumEntries = 1024     // entries of the PCRF
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // read
  input  logic [6:0]                    read_cta_i,
  output logic                          read_valid_o,
  output logic [$clog2(NumEntries)-1:0] read_pointer_o,
  output logic [$clog2(NumEntries):0]   read_count_o,
`ifdef FORMAL
  output logic [NumCtas-1:0]                        f_valid_o,
  output logic [NumCtas*(2*$clog2(NumEntries)+1)-1:0] f_row_o,
`endif
  // clear
  input  logic                          clear_valid_i,
  input  logic [6:0]                    clear_cta_i,
  // write
  input  logic                          write_valid_i,
  input  logic [6:0]                    write_cta_i,
  input  logic [$clog2(NumEntries)-1:0] write_pointer_i,
  input  logic [$clog2(NumEntries):0]   write_count_i
);
  localparam int CtaW = $clog2(NumCtas);
  localparam int PointerW = $clog2(NumEntries);

  logic [NumCtas-1:0]  valid_q, valid_d;
  logic [2*PointerW:0] row_q [NumCtas];           // {count, pointer}; not reset: valid_q gates it
  logic [2*PointerW:0] row;

  assign read_valid_o   = valid_q[read_cta_i[CtaW-1:0]];
  assign row            = read_valid_o ? row_q[read_cta_i[CtaW-1:0]] : '0;
  assign read_pointer_o = row[PointerW-1:0];
  assign read_count_o   = row[2*PointerW:PointerW];

  always_comb begin
    valid_d = valid_q;
    if (clear_valid_i) valid_d[clear_cta_i[CtaW-1:0]] = 1'b0;
    if (write_valid_i) valid_d[write_cta_i[CtaW-1:0]] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    if (write_valid_i) row_q[write_cta_i[CtaW-1:0]] <= {write_count_i, write_pointer_i};
  end

`include "ppt_properties.svh"
endmodule

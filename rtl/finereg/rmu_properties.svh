// SPDX-License-Identifier: Apache-2.0
// What the properties of both engines of rmu need (docs/blocks/finereg/rmu.md, claims.tsv); included before the engines, whose
// properties are in rmu_pipe_properties.svh and rmu_serial_properties.svh.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  localparam logic [63:0] Regs = 64'h4000_0000_0000_0001;  // registers that may be live
  localparam int CtaW = $clog2(NumCtas);

  function automatic logic [CountW-1:0] f_ones(input logic [63:0] x);
    f_ones = CountW'(x[0]) + CountW'(x[62]);
  endfunction

  // the cache is replaced by its contract, which lrvc's proof shows: each look-up is answered once,
  // at any time from the next cycle on, with any vector
  (* anyseq *) logic        f_respond;
  (* anyseq *) logic [63:0] f_vector;
  logic f_open_q;
  assign request_ready          = !f_open_q || response_valid;
  assign response_valid         = f_open_q && f_respond;
  assign response_hit           = 1'b0;
  assign response_vector        = response_valid ? f_vector : '0;
  assign memory_request_valid_o = 1'b0;
  assign memory_request_addr_o  = '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (request_valid) f_open_q <= 1'b1;
    else if (response_valid) f_open_q <= 1'b0;
  end
`endif
`endif

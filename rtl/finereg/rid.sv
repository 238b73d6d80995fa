// SPDX-License-Identifier: Apache-2.0
// rid: register index decoder: a vector's set bits, one a cycle, ascending.
// C twin: cmodel/blocks/finereg/rid.c
// Latency 1 from load to first index; one index per cycle; loads when nothing is left.
module rid (
  input  logic        clk_i,
  input  logic        rst_ni,
  // a vector
  input  logic        ld_v_i,
  input  logic [63:0] ld_vec_i,
  output logic        ld_rdy_o,
  // its indices
  output logic        ix_v_o,
  output logic [5:0]  ix_o,
  output logic        ix_last_o,
  input  logic        ix_rdy_i
);
  logic [63:0] rem_q, rem_d;
  logic [63:0] low;                               // the lowest bit left

  first_one #(.N(64)) u_low (.x_i(rem_q), .oh_o(low), .idx_o(ix_o));

  assign ld_rdy_o  = rem_q == '0;
  assign ix_v_o    = rem_q != '0;
  assign ix_last_o = rem_q != '0 && rem_q == low;

  always_comb begin
    rem_d = rem_q;
    if (ld_v_i && ld_rdy_o) rem_d = ld_vec_i;
    else if (ix_rdy_i) rem_d = rem_q & ~low;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rem_q <= '0;
    else rem_q <= rem_d;
  end
endmodule

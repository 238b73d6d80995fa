// SPDX-License-Identifier: Apache-2.0
// farb: fill arbiter: which slot reads or writes the main register file in this cycle.
// C twin: cmodel/blocks/ltrf/farb.c
// One grant per cycle, in the cycle of the request. All parameters are powers of two, at least 2.
module farb #(
  parameter int Nact = 8,
  parameter int Nb = 16,
  parameter int Nr = 16
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // requests, [Nact]: fetch or write-back, bank of the main register file, bank of the cache
  input  logic [Nact-1:0]            rq_v_i,
  input  logic [Nact-1:0]            rq_wb_i,
  input  logic [Nact*$clog2(Nb)-1:0] rq_mb_i,
  input  logic [Nact*$clog2(Nr)-1:0] rq_rb_i,
  // banks that are free in this cycle
  input  logic [Nb-1:0]              mrf_rdy_i,
  input  logic [Nr-1:0]              rfc_rdy_i,
  output logic [Nact-1:0]            gn_o
);
  localparam int M = $clog2(Nb);
  localparam int R = $clog2(Nr);
  localparam int S = $clog2(Nact);

  logic [S-1:0]    ptr_q, ptr_d;
  logic [Nact-1:0] can;                           // eligible
  logic [S-1:0]    idx;
  for (genvar s = 0; s < Nact; s++) begin : gen_slot
    assign can[s] = rq_v_i[s] && mrf_rdy_i[rq_mb_i[M*s +: M]] && (!rq_wb_i[s] || rfc_rdy_i[rq_rb_i[R*s +: R]]);
  end

  rr_arb #(.N(Nact)) u_arb (.req_i(can), .ptr_i(ptr_q), .gnt_o(gn_o), .idx_o(idx), .ptr_o(ptr_d));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ptr_q <= '0;
    else ptr_q <= ptr_d;
  end

  // the number of the slot that is granted has no reader
  logic unused;
  assign unused = &idx;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // one symbolic slot, and for how many cycles it has been eligible without a grant
  `ASSERT_ANY(f_s, S)
  logic         f_can;
  logic [S:0]   f_wait_q;
  logic [S-1:0] f_left;                             // slots from ptr up to it
  assign f_can  = rq_v_i[f_s] && mrf_rdy_i[rq_mb_i[M*f_s +: M]] && !(rq_wb_i[f_s] && !rfc_rdy_i[rq_rb_i[R*f_s +: R]]);
  assign f_left = f_s - ptr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= '0;
    else f_wait_q <= f_can && !gn_o[f_s] ? f_wait_q + (S+1)'(1) : '0;
  end

  // the slot that the last grant went to
  logic [Nact-1:0] f_gn_q;
  logic [S-1:0]    f_ptr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_gn_q  <= '0;
      f_ptr_q <= '0;
    end else begin
      f_gn_q  <= gn_o;
      f_ptr_q <= ptr_q;
    end
  end

  `ASSERT_ALWAYS begin
    // 1
    assert ((gn_o & (gn_o - Nact'(1))) == '0);
    if (gn_o[f_s]) assert (f_can);
    if (f_can) assert (gn_o != '0);
    // the first one from ptr upward: one before it that is eligible has the grant
    for (int i = 0; i < Nact; i++) begin
      if (f_can && gn_o[i]) assert (S'(i) - ptr_q <= f_left);
    end
    // the pointer is behind the slot that was granted
    if (f_gn_q[f_s]) assert (ptr_q == f_s + S'(1));
    if (f_gn_q == '0) assert (ptr_q == f_ptr_q);
    // 2: each cycle brings the pointer nearer
    assert (32'(f_wait_q) + 32'(f_left) < Nact);
    if (f_can && 32'(f_wait_q) == Nact - 1) assert (gn_o[f_s]);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && 32'(f_wait_q) == Nact - 1 && gn_o[f_s]);
    cover (rst_ni && ptr_q == S'(Nact - 1) && gn_o[0] && rq_wb_i[0]);
    cover (rst_ni && gn_o == '0 && rq_v_i == '1 && mrf_rdy_i != '0 && rfc_rdy_i == '0);
    cover (rst_ni && rq_v_i == '1 && gn_o[Nact-1] && ptr_q == '0);
  end
`endif
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion
// flag.
// C twin: cmodel/blocks/slice/scu.c
// One instruction at a time. Allocation to request 1 cycle, response to fetch 0, last part to
// dispatch 1.
module scu #(
  parameter int NumOps = 3,
  parameter int DataW = 1024,
  parameter int MetaW = 32
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // allocation; only when not busy
  input  logic                      al_v_i,
  input  logic [NumOps-1:0]         al_sv_i,
  input  logic [8*NumOps-1:0]       al_a_i,
  input  logic [NumOps-1:0]         al_sgn_i,
  input  logic [NumOps-1:0]         al_cvt_i,
  input  logic [MetaW-1:0]          al_meta_i,
  // look-up in the source indirection table
  output logic [NumOps-1:0]         rq_v_o,
  output logic [8*NumOps-1:0]       rq_a_o,
  input  logic [NumOps-1:0]         gn_i,
  input  logic [NumOps-1:0]         rs_v_i,
  input  logic [32*NumOps-1:0]      rs_e_i,
  // to the register file's queues: index 2 * operand + part
  output logic [2*NumOps-1:0]       rf_v_o,
  output logic [16*NumOps-1:0]      rf_r_o,
  output logic [32*NumOps-1:0]      rf_e_o,
  output logic [NumOps-1:0]         rf_sgn_o,
  // one extracted part
  input  logic                      d_v_i,
  input  logic [$clog2(NumOps)-1:0] d_op_i,
  input  logic [DataW-1:0]          d_d_i,
  // dispatch
  output logic                      busy_o,
  output logic                      dp_v_o,
  output logic                      dp_vc_o,
  output logic [MetaW-1:0]          dp_meta_o,
  output logic [NumOps*DataW-1:0]   dp_d_o,
  input  logic                      dp_take_i
);
  localparam int OpW = $clog2(NumOps);

  logic                busy_q, busy_d;
  logic [NumOps-1:0]   sv_q, sv_d;
  logic [NumOps-1:0]   sgn_q, sgn_d;
  logic [NumOps-1:0]   cvt_q, cvt_d;
  logic [NumOps-1:0]   loc_q, loc_d;              // granted by the table
  logic [NumOps-1:0]   half_q, half_d;            // the first of two parts has come
  logic [NumOps-1:0]   rdy_q, rdy_d;              // all parts have come
  logic [8*NumOps-1:0] a_q, a_d;
  logic [MetaW-1:0]    meta_q, meta_d;
  logic [31:0]         info_q [NumOps];           // the entry, from the table's response
  logic [DataW-1:0]    d_q [NumOps];              // not reset: rdy_q gates it

  logic [NumOps-1:0]   two;                       // the operand has a second part
  logic [NumOps-1:0]   narrow;                    // n < 8
  logic [NumOps-1:0]   part;                      // a part of it comes in this cycle
  logic [NumOps-1:0]   ask;
  logic                all_here;
  assign ask      = {NumOps{busy_q}} & sv_q & ~loc_q;
  assign all_here = busy_q && (sv_q & ~rdy_q) == '0;

  for (genvar k = 0; k < NumOps; k++) begin : gen_op
    logic [31:0] e;
    logic [4:0]  n;
    assign e = rs_e_i[32*k +: 32];

    assign rq_a_o[8*k +: 8]     = ask[k] ? a_q[8*k +: 8] : '0;
    assign rf_v_o[2*k]          = rs_v_i[k];
    assign rf_v_o[2*k+1]        = rs_v_i[k] && e[31:24] != 8'd0;
    assign rf_r_o[16*k +: 8]    = rf_v_o[2*k] ? e[7:0] : '0;
    assign rf_r_o[16*k+8 +: 8]  = rf_v_o[2*k+1] ? e[23:16] : '0;
    assign rf_e_o[32*k +: 32]   = rs_v_i[k] ? e : '0;
    assign rf_sgn_o[k]          = rs_v_i[k] && sgn_q[k];

    assign two[k]  = info_q[k][31:24] != 8'd0;
    assign part[k] = d_v_i && d_op_i == OpW'(k);
    popcount #(.N(16)) u_n (.x_i({info_q[k][31:24], info_q[k][15:8]}), .n_o(n));
    assign narrow[k] = n < 5'd8;

    assign dp_d_o[DataW*k +: DataW] = all_here && sv_q[k] ? d_q[k] : '0;
  end

  assign rq_v_o    = ask;
  assign busy_o    = busy_q;
  assign dp_v_o    = all_here;
  assign dp_vc_o   = all_here && (sv_q & cvt_q & narrow) != '0;
  assign dp_meta_o = all_here ? meta_q : '0;

  always_comb begin
    busy_d = busy_q;
    sv_d   = sv_q;
    sgn_d  = sgn_q;
    cvt_d  = cvt_q;
    a_d    = a_q;
    meta_d = meta_q;
    loc_d  = loc_q | (ask & gn_i);
    half_d = half_q | (part & two);
    rdy_d  = rdy_q | (part & (~two | half_q));
    if (al_v_i) begin
      busy_d = 1'b1;
      sv_d   = al_sv_i;
      sgn_d  = al_sgn_i;
      cvt_d  = al_cvt_i;
      a_d    = al_a_i;
      meta_d = al_meta_i;
      loc_d  = '0;
      half_d = '0;
      rdy_d  = '0;
    end else if (dp_take_i) begin
      busy_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      sv_q   <= '0;
      sgn_q  <= '0;
      cvt_q  <= '0;
      loc_q  <= '0;
      half_q <= '0;
      rdy_q  <= '0;
      a_q    <= '0;
      meta_q <= '0;
      for (int k = 0; k < NumOps; k++) info_q[k] <= '0;
    end else begin
      busy_q <= busy_d;
      sv_q   <= sv_d;
      sgn_q  <= sgn_d;
      cvt_q  <= cvt_d;
      loc_q  <= loc_d;
      half_q <= half_d;
      rdy_q  <= rdy_d;
      a_q    <= a_d;
      meta_q <= meta_d;
      for (int k = 0; k < NumOps; k++) begin
        if (rs_v_i[k]) info_q[k] <= rs_e_i[32*k +: 32];
      end
    end
  end

  // the first part is written, the second OR-ed
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < NumOps; k++) begin
      if (part[k]) d_q[k] <= half_q[k] ? d_q[k] | d_d_i : d_d_i;
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs
  always_comb begin
    if (busy_o) assume (!al_v_i);
    if (!dp_v_o) assume (!dp_take_i);
    assume ((gn_i & ~rq_v_o) == '0);
    assume (32'(d_op_i) < NumOps);
  end
`endif

  logic f_al_q;                                     // the cycle after an allocation
  logic f_busy_q;
  logic f_offer_q;                                  // ready a cycle ago, and not taken
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_al_q    <= 1'b0;
      f_busy_q  <= 1'b0;
      f_offer_q <= 1'b0;
    end else begin
      f_al_q    <= al_v_i;
      f_busy_q  <= al_v_i || (f_busy_q && !dp_take_i);
      f_offer_q <= dp_v_o && !dp_take_i;
    end
  end

  // outputs and registers of the cycle before
  logic [MetaW+NumOps*DataW:0]  f_dp_q;
  logic [14*NumOps+MetaW-1:0]   f_regs;
  logic [14*NumOps+MetaW-1:0]   f_regs_q;
  logic                         f_idle_q;           // no input was valid: only busy may have changed
  assign f_regs = {sv_q, sgn_q, cvt_q, loc_q, half_q, rdy_q, a_q, meta_q};
  always_ff @(posedge clk_i) begin
    f_dp_q   <= {dp_vc_o, dp_meta_o, dp_d_o};
    f_regs_q <= f_regs;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_idle_q <= 1'b0;
    else f_idle_q <= !al_v_i && gn_i == '0 && !d_v_i;
  end
  `ASSERT_ALWAYS begin
    assert (busy_o == f_busy_q);
    // offered until it is taken; the take changes busy only
    if (f_offer_q) assert (dp_v_o && {dp_vc_o, dp_meta_o, dp_d_o} == f_dp_q);
    if (f_idle_q) assert (f_regs == f_regs_q);
  end

  logic [NumOps-1:0] f_here;                        // all of the operand's parts have come
  logic [NumOps-1:0] f_vc;
  logic [NumOps-1:0] f_sv_q;
  logic [MetaW-1:0]  f_meta_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_sv_q <= '0;
    else if (al_v_i) f_sv_q <= al_sv_i;
  end
  always_ff @(posedge clk_i) if (al_v_i) f_meta_q <= al_meta_i;

  for (genvar k = 0; k < NumOps; k++) begin : gen_f_op
    // a reference model that counts requests, grants, responses and parts
    logic [1:0]       f_asked_q;                    // reads of part 0 raised for this instruction
    logic [1:0]       f_asked1_q;                   // of part 1
    logic [31:0]      f_info_q;
    logic             f_gn_q;
    logic             f_due_q;                      // granted in the cycle before: the response comes now
    logic             f_rs_q;
    logic [1:0]       f_parts_q;
    logic [1:0]       f_need_q;
    logic [DataW-1:0] f_or_q;
    logic [7:0]       f_a_q;
    logic             f_sgn_q;
    logic             f_cvt_q;
    logic             f_narrow_q;
    logic [31:0]      f_e;
    logic [4:0]       f_n;
    logic             f_d;
    assign f_e = rs_e_i[32*k +: 32];
    assign f_d = d_v_i && 32'(d_op_i) == k;
    always_comb begin
      f_n = '0;
      for (int i = 0; i < 8; i++) f_n = f_n + 5'(f_e[8+i]) + 5'(f_e[24+i]);
`ifdef FORMAL
      assume (rs_v_i[k] == f_due_q);
      if (rs_v_i[k]) assume (f_e[15:8] != 8'd0 && f_n <= 5'd8);
      if (f_d) assume (f_rs_q && f_parts_q < f_need_q);
`endif
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_gn_q    <= 1'b0;
        f_due_q   <= 1'b0;
        f_rs_q    <= 1'b0;
        f_parts_q <= '0;
        f_asked_q  <= '0;
        f_asked1_q <= '0;
        f_info_q   <= '0;
      end else begin
        f_due_q <= gn_i[k];
        if (rs_v_i[k]) f_info_q <= f_e;
        if (al_v_i) begin
          f_asked_q  <= '0;
          f_asked1_q <= '0;
        end else begin
          f_asked_q  <= f_asked_q + 2'(rf_v_o[2*k]);
          f_asked1_q <= f_asked1_q + 2'(rf_v_o[2*k+1]);
        end
        if (al_v_i) begin
          f_gn_q    <= 1'b0;
          f_rs_q    <= 1'b0;
          f_parts_q <= '0;
        end else begin
          if (gn_i[k]) f_gn_q <= 1'b1;
          if (rs_v_i[k]) f_rs_q <= 1'b1;
          f_parts_q <= f_parts_q + 2'(f_d);
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (al_v_i) begin
        f_a_q   <= al_a_i[8*k +: 8];
        f_sgn_q <= al_sgn_i[k];
        f_cvt_q <= al_cvt_i[k];
      end
      if (rs_v_i[k]) begin
        f_need_q   <= f_e[31:24] == 8'd0 ? 2'd1 : 2'd2;
        f_narrow_q <= f_n < 5'd8;
      end
      if (f_d) f_or_q <= f_parts_q == 2'd0 ? d_d_i : f_or_q | d_d_i;
    end
    assign f_here[k] = !f_sv_q[k] || (f_rs_q && f_parts_q == f_need_q);
    assign f_vc[k]   = f_sv_q[k] && f_cvt_q && f_narrow_q;

    `ASSERT_ALWAYS begin
      // the request is up from the allocation to the grant, with its address
      assert (rq_v_o[k] == (busy_o && f_sv_q[k] && !f_gn_q));
      assert (rq_a_o[8*k +: 8] == (rq_v_o[k] ? f_a_q : 8'd0));
      // the fetch is in the cycle of the response, part 1 only where there is one
      assert (rf_v_o[2*k] == rs_v_i[k]);
      assert (rf_v_o[2*k+1] == (rs_v_i[k] && f_e[31:24] != 8'd0));
      assert (rf_r_o[16*k +: 8] == (rf_v_o[2*k] ? f_e[7:0] : 8'd0));
      assert (rf_r_o[16*k+8 +: 8] == (rf_v_o[2*k+1] ? f_e[23:16] : 8'd0));
      assert (rf_e_o[32*k +: 32] == (rs_v_i[k] ? f_e : 32'd0));
      assert (rf_sgn_o[k] == (rs_v_i[k] && f_sgn_q));
      // an operand is dispatched complete, and only if its look-up was granted
      assert (dp_d_o[DataW*k +: DataW] == (dp_v_o && f_sv_q[k] ? f_or_q : '0));
      if (dp_v_o && f_sv_q[k]) assert (loc_q[k] && rdy_q[k] && f_rs_q);
      // invariants 1 to 3 of the page: no look-up twice, each part read once
      if (rdy_q[k] || half_q[k]) assert (loc_q[k]);
      if (!sv_q[k]) assert (!loc_q[k] && !half_q[k] && !rdy_q[k]);
      assert (!(rq_v_o[k] && loc_q[k]));
      assert (f_asked_q == {1'b0, f_rs_q});
      assert (f_asked1_q == {1'b0, f_rs_q && f_need_q == 2'd2});
      assert (info_q[k] == f_info_q);
      // the registers agree with the reference model
      if (busy_q) begin
        assert (sgn_q[k] == f_sgn_q && cvt_q[k] == f_cvt_q);
        assert (a_q[8*k +: 8] == f_a_q);
        if (f_parts_q != 2'd0) assert (d_q[k] == f_or_q);
      end else if (f_sv_q[k]) assert (f_here[k]);
      assert (sv_q[k] == f_sv_q[k]);
      assert (loc_q[k] == f_gn_q);
      assert (rdy_q[k] == (f_rs_q && f_parts_q == f_need_q));
      assert (half_q[k] == (f_rs_q && f_need_q == 2'd2 && f_parts_q != 2'd0));
      if (f_rs_q) begin
        assert (f_gn_q && !f_due_q);
        assert (f_need_q == (two[k] ? 2'd2 : 2'd1) && f_parts_q <= f_need_q);
        assert (narrow[k] == f_narrow_q);
      end else assert (f_parts_q == 2'd0 && f_due_q == f_gn_q);
      if (f_gn_q) assert (f_sv_q[k]);
      if (f_due_q) assert (busy_q && f_sv_q[k] && f_gn_q);
    end
  end

  `ASSERT_ALWAYS begin
    assert (dp_v_o == (busy_o && f_here == '1));
    assert (dp_vc_o == (dp_v_o && f_vc != '0));
    assert (dp_meta_o == (dp_v_o ? f_meta_q : '0));
    if (busy_q) assert (meta_q == f_meta_q);
    if (f_al_q) assert (busy_o);
    if (f_al_q && f_sv_q == '0) assert (dp_v_o);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && dp_v_o && dp_vc_o && half_q != '0);
    cover (rst_ni && dp_v_o && sv_q == '1 && cvt_q == '1 && !dp_vc_o);
    cover (rst_ni && dp_v_o && f_al_q);
  end
`endif
`endif
endmodule

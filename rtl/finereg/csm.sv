// SPDX-License-Identifier: Apache-2.0
// csm: CTA status monitor: location of each CTA's context and registers; next CTA of each class.
// C twin: cmodel/blocks/finereg/csm.c
// A status set shows in the next cycle; two per cycle. NumCta is a power of two, at least 2.
module csm #(
  parameter int NumCta = 128
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // set a status: [2] ports
  input  logic [1:0]        set_v_i,
  input  logic [13:0]       set_cta_i,
  input  logic [3:0]        set_ctx_i,
  input  logic [3:0]        set_reg_i,
  // the next CTA of each class
  input  logic [NumCta-1:0] ready_i,
  output logic              p12_v_o,
  output logic [6:0]        p12_id_o,
  output logic              p11_v_o,
  output logic [6:0]        p11_id_o,
  output logic              new_v_o,
  output logic [6:0]        new_id_o,
  input  logic              take12_i,
  input  logic              take11_i,
`ifdef FORMAL
  output logic [2*NumCta-1:0] f_ctx_o,
  output logic [2*NumCta-1:0] f_reg_o,
`endif
  // number of active and of resident CTAs
  output logic [7:0]        n_act_o,
  output logic [7:0]        n_res_o
);
  localparam int CtaW = $clog2(NumCta);

  // each vector holds one status bit of all CTAs, so that a class is a few gates per CTA
  logic [NumCta-1:0] ctx0_q, ctx1_q;              // context: 0 none, 1 shared memory, 2 pipeline
  logic [NumCta-1:0] reg0_q, reg1_q;              // registers: 0 none, 1 PCRF, 2 ACRF
  logic [7:0]        n_act_q, n_act_d;
  logic [7:0]        n_res_q, n_res_d;
  logic [CtaW-1:0]   rr12_q, rr12_d;
  logic [CtaW-1:0]   rr11_q, rr11_d;

  // classes
  logic [NumCta-1:0] is12;
  logic [NumCta-1:0] is11;
  logic [NumCta-1:0] is00;
  assign is12 = ctx0_q & reg1_q;
  assign is11 = ctx0_q & reg0_q;
  assign is00 = ~(ctx0_q | ctx1_q);

  logic [NumCta-1:0] gnt12;
  logic [NumCta-1:0] gnt11;
  logic [NumCta-1:0] first00;
  logic [CtaW-1:0]   idx12;
  logic [CtaW-1:0]   idx11;
  logic [CtaW-1:0]   idx00;
  rr_arb #(.N(NumCta)) u_p12 (
    .req_i(is12 & ready_i),
    .ptr_i(rr12_q),
    .gnt_o(gnt12),
    .idx_o(idx12),
    .ptr_o(rr12_d)
  );
  rr_arb #(.N(NumCta)) u_p11 (
    .req_i(is11 & ready_i),
    .ptr_i(rr11_q),
    .gnt_o(gnt11),
    .idx_o(idx11),
    .ptr_o(rr11_d)
  );
  first_one #(.N(NumCta)) u_new (.x_i(is00), .oh_o(first00), .idx_o(idx00));

  assign p12_v_o  = gnt12 != '0;
  assign p12_id_o = 7'(idx12);
  assign p11_v_o  = gnt11 != '0;
  assign p11_id_o = 7'(idx11);
  assign new_v_o  = first00 != '0;
  assign new_id_o = 7'(idx00);

  // counts: the old status is subtracted, the new one added
  always_comb begin
    n_act_d = n_act_q;
    n_res_d = n_res_q;
    for (int p = 0; p < 2; p++) begin
      if (set_v_i[p]) begin
        n_act_d = n_act_d + 8'(set_ctx_i[2*p+1]) - 8'(ctx1_q[set_cta_i[7*p +: CtaW]]);
        n_res_d = n_res_d + 8'(set_ctx_i[2*p +: 2] != 2'd0) - 8'(!is00[set_cta_i[7*p +: CtaW]]);
      end
    end
  end
  assign n_act_o = n_act_q;
  assign n_res_o = n_res_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ctx0_q  <= '0;
      ctx1_q  <= '0;
      reg0_q  <= '0;
      reg1_q  <= '0;
      n_act_q <= '0;
      n_res_q <= '0;
      rr12_q  <= '0;
      rr11_q  <= '0;
    end else begin
      for (int p = 0; p < 2; p++) begin
        if (set_v_i[p]) begin
          ctx0_q[set_cta_i[7*p +: CtaW]] <= set_ctx_i[2*p];
          ctx1_q[set_cta_i[7*p +: CtaW]] <= set_ctx_i[2*p+1];
          reg0_q[set_cta_i[7*p +: CtaW]] <= set_reg_i[2*p];
          reg1_q[set_cta_i[7*p +: CtaW]] <= set_reg_i[2*p+1];
        end
      end
      n_act_q <= n_act_d;
      n_res_q <= n_res_d;
      if (take12_i) rr12_q <= rr12_d;
      if (take11_i) rr11_q <= rr11_d;
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif
  logic [2*NumCta-1:0] f_ctx;                       // [NumCta], as the page has them
  logic [2*NumCta-1:0] f_reg;
  always_comb begin
    for (int i = 0; i < NumCta; i++) begin
      f_ctx[2*i +: 2] = {ctx1_q[i], ctx0_q[i]};
      f_reg[2*i +: 2] = {reg1_q[i], reg0_q[i]};
    end
  end
`ifdef FORMAL
  assign f_ctx_o = f_ctx;
  assign f_reg_o = f_reg;

  // assumptions on the inputs
  always_comb begin
    for (int p = 0; p < 2; p++) begin
      if (set_v_i[p]) begin
        assume (32'(set_cta_i[7*p +: 7]) < NumCta);
        assume (set_ctx_i[2*p +: 2] == set_reg_i[2*p +: 2]
                ? set_ctx_i[2*p +: 2] != 2'd3
                : set_ctx_i[2*p +: 2] == 2'd1 && set_reg_i[2*p +: 2] == 2'd2);
      end
    end
    if (set_v_i == 2'd3) assume (set_cta_i[6:0] != set_cta_i[13:7]);
    if (take12_i) assume (p12_v_o);
    if (take11_i) assume (p11_v_o);
  end
`endif

  // 1: the counts. f_act_q[e] counts the active CTAs below e from the settings alone; it exceeds
  // f_act_q[e-1] by the status of CTA e-1, so the last one is the sum. f_res_q likewise.
  logic [1:0] f_was_act;
  logic [1:0] f_was_res;
  always_comb begin
    for (int p = 0; p < 2; p++) begin
      f_was_act[p] = f_ctx[2*set_cta_i[7*p +: CtaW] +: 2] == 2'd2;
      f_was_res[p] = f_ctx[2*set_cta_i[7*p +: CtaW] +: 2] != 2'd0;
    end
  end
  logic [8*NumCta+7:0] f_act_q;
  logic [8*NumCta+7:0] f_res_q;
  for (genvar e = 0; e <= NumCta; e++) begin : gen_f_below
    logic [1:0] f_set;
    assign f_set = set_v_i & {32'(set_cta_i[13:7]) + 1 <= e, 32'(set_cta_i[6:0]) + 1 <= e};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_act_q[8*e +: 8] <= '0;
        f_res_q[8*e +: 8] <= '0;
      end else begin
        f_act_q[8*e +: 8] <= f_act_q[8*e +: 8]
          + 8'(f_set[0] && set_ctx_i[1:0] == 2'd2) - 8'(f_set[0] && f_was_act[0])
          + 8'(f_set[1] && set_ctx_i[3:2] == 2'd2) - 8'(f_set[1] && f_was_act[1]);
        f_res_q[8*e +: 8] <= f_res_q[8*e +: 8]
          + 8'(f_set[0] && set_ctx_i[1:0] != 2'd0) - 8'(f_set[0] && f_was_res[0])
          + 8'(f_set[1] && set_ctx_i[3:2] != 2'd0) - 8'(f_set[1] && f_was_res[1]);
      end
    end
    if (e > 0) begin : gen_f_step
      `ASSERT_ALWAYS begin
        assert (f_act_q[8*e +: 8] == f_act_q[8*(e-1) +: 8] + 8'(f_ctx[2*(e-1) +: 2] == 2'd2));
        assert (f_res_q[8*e +: 8] == f_res_q[8*(e-1) +: 8] + 8'(f_ctx[2*(e-1) +: 2] != 2'd0));
      end
    end else begin : gen_f_none
      `ASSERT_ALWAYS assert (f_act_q[7:0] == '0 && f_res_q[7:0] == '0);
    end
  end
  `ASSERT_ALWAYS begin
    assert (n_act_o == f_act_q[8*NumCta +: 8]);
    assert (n_res_o == f_res_q[8*NumCta +: 8]);
  end

  // no CTA has an illegal status: (0,x), (x,0), (2,1), 3
  `ASSERT_ALWAYS begin
    assert ((ctx0_q & ctx1_q) == '0 && (reg0_q & reg1_q) == '0);
    assert ((ctx0_q | ctx1_q) == (reg0_q | reg1_q) && (ctx1_q & reg0_q) == '0);
  end

  // one symbolic CTA: it has the status set last
  `ASSERT_ANY(f_i, CtaW)
  logic [6:0] f_c;
  assign f_c = 7'(f_i);
  logic [1:0] f_ctx_q;
  logic [1:0] f_reg_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_ctx_q <= 2'd0;
      f_reg_q <= 2'd0;
    end else if (set_v_i[0] && set_cta_i[6:0] == f_c) begin
      f_ctx_q <= set_ctx_i[1:0];
      f_reg_q <= set_reg_i[1:0];
    end else if (set_v_i[1] && set_cta_i[13:7] == f_c) begin
      f_ctx_q <= set_ctx_i[3:2];
      f_reg_q <= set_reg_i[3:2];
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_ctx[2*f_c[CtaW-1:0] +: 2] == f_ctx_q && f_reg[2*f_c[CtaW-1:0] +: 2] == f_reg_q);
    assert (f_ctx_q == f_reg_q ? f_ctx_q != 2'd3 : f_ctx_q == 2'd1 && f_reg_q == 2'd2);
    // new_id_o is the lowest CTA that is not launched
    if (f_ctx_q == 2'd0) assert (new_v_o && new_id_o <= 7'(f_c));
    if (new_v_o) begin
      assert (f_ctx[2*new_id_o[CtaW-1:0] +: 2] == 2'd0);
      assert (32'(new_id_o) < NumCta);
    end else assert (new_id_o == '0);
  end

  // 2, 3 for both searches: k = 0 is p12, k = 1 is p11
`ifdef FORMAL
  logic [1:0] f_met;
`endif
  for (genvar k = 0; k < 2; k++) begin : gen_f_class
    logic            f_v;
    logic [6:0]      f_id;
    logic            f_take;
    logic [CtaW-1:0] f_rr;
    logic            f_in;                          // f_c is in the class and ready
    assign f_v    = k == 0 ? p12_v_o : p11_v_o;
    assign f_id   = k == 0 ? p12_id_o : p11_id_o;
    assign f_take = k == 0 ? take12_i : take11_i;
    assign f_rr   = k == 0 ? rr12_q : rr11_q;
    assign f_in   = ready_i[f_c[CtaW-1:0]] && f_ctx_q == 2'd1 && f_reg_q == (k == 0 ? 2'd2 : 2'd1);

    logic [CtaW-1:0] f_rr_q;
    logic [CtaW-1:0] f_lost_q;                      // other CTAs taken since f_c is in the class
    logic [CtaW-1:0] f_far;
    assign f_far    = f_c[CtaW-1:0] - f_rr;         // cyclic, as NumCta is a power of two
`ifdef FORMAL
    assign f_met[k] = f_in && 32'(f_lost_q) == NumCta - 1;
`endif
    logic f_in_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_rr_q   <= '0;
        f_lost_q <= '0;
        f_in_q   <= 1'b0;
      end else begin
        if (f_take) f_rr_q <= CtaW'(f_id + 7'd1);
        f_in_q   <= f_in && !(f_take && f_id == f_c);
        f_lost_q <= f_in && !(f_take && f_id == f_c) ? f_lost_q + CtaW'(f_take) : '0;
      end
    end
    `ASSERT_ALWAYS begin
      assert (f_rr == f_rr_q);
      if (f_v) begin
        assert (32'(f_id) < NumCta && ready_i[f_id[CtaW-1:0]]);
        assert (f_ctx[2*f_id[CtaW-1:0] +: 2] == 2'd1);
        assert (f_reg[2*f_id[CtaW-1:0] +: 2] == (k == 0 ? 2'd2 : 2'd1));
      end else assert (f_id == '0);
      if (f_in) begin
        assert (f_v);
        assert (CtaW'(f_id[CtaW-1:0] - f_rr) <= f_far);
      end
      if (f_in_q) begin
        assert (32'(f_lost_q) + 32'(f_far) < NumCta);
      end else assert (f_lost_q == '0);
    end
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_met[0] && NumCta <= 4);                  // the bound is reached
    cover (rst_ni && f_met[1] && NumCta <= 4);
    cover (rst_ni && p12_v_o && p11_v_o && take12_i && take11_i && set_v_i == 2'd3);
    cover (rst_ni && !new_v_o && n_act_o == 8'(NumCta - 1) && n_res_o == 8'(NumCta));
  end
`endif
`endif
endmodule

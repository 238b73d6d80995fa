// SPDX-License-Identifier: Apache-2.0
// Properties of csm (docs/blocks/finereg/csm.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif
  logic [2*NumCtas-1:0] f_context;                // [cta], as the page has them
  logic [2*NumCtas-1:0] f_registers;
  always_comb begin
    for (int i = 0; i < NumCtas; i++) begin
      f_context[2*i +: 2]   = {context_pipeline_q[i], context_shared_q[i]};
      f_registers[2*i +: 2] = {registers_here_q[i], registers_away_q[i]};
    end
  end
`ifdef FORMAL
  assign f_context_o   = f_context;
  assign f_registers_o = f_registers;

  // assumptions on the inputs
  always_comb begin
    for (int p = 0; p < 2; p++) begin
      if (set_valid_i[p]) begin
        assume (32'(set_cta[p]) < NumCtas);
        assume (set_context[p] == set_registers[p]
                ? set_context[p] != 2'd3
                : set_context[p] == 2'd1 && set_registers[p] == 2'd2);
      end
    end
    if (set_valid_i == 2'd3) assume (set_cta[0] != set_cta[1]);
    if (take_kept_i) assume (kept_valid_o);
    if (take_spilled_i) assume (spilled_valid_o);
  end
`endif

  // 1: the counts. f_active_q[e] counts the active CTAs below e from the settings alone; it exceeds
  // f_active_q[e-1] by the status of CTA e-1, so the last one is the sum. f_resident_q likewise.
  logic [1:0] f_was_active;
  logic [1:0] f_was_resident;
  always_comb begin
    for (int p = 0; p < 2; p++) begin
      f_was_active[p]   = f_context[2*set_index[p] +: 2] == 2'd2;
      f_was_resident[p] = f_context[2*set_index[p] +: 2] != 2'd0;
    end
  end
  logic [8*NumCtas+7:0] f_active_q;
  logic [8*NumCtas+7:0] f_resident_q;
  for (genvar e = 0; e <= NumCtas; e++) begin : gen_f_below
    logic [1:0] f_set;
    assign f_set = set_valid_i & {32'(set_cta[1]) + 1 <= e, 32'(set_cta[0]) + 1 <= e};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_active_q[8*e +: 8]   <= '0;
        f_resident_q[8*e +: 8] <= '0;
      end else begin
        f_active_q[8*e +: 8] <= f_active_q[8*e +: 8]
          + 8'(f_set[0] && set_context[0] == 2'd2) - 8'(f_set[0] && f_was_active[0])
          + 8'(f_set[1] && set_context[1] == 2'd2) - 8'(f_set[1] && f_was_active[1]);
        f_resident_q[8*e +: 8] <= f_resident_q[8*e +: 8]
          + 8'(f_set[0] && set_context[0] != 2'd0) - 8'(f_set[0] && f_was_resident[0])
          + 8'(f_set[1] && set_context[1] != 2'd0) - 8'(f_set[1] && f_was_resident[1]);
      end
    end
    if (e > 0) begin : gen_f_step
      `ASSERT_ALWAYS begin
        assert (f_active_q[8*e +: 8] == f_active_q[8*(e-1) +: 8] + 8'(f_context[2*(e-1) +: 2] == 2'd2));
        assert (f_resident_q[8*e +: 8] == f_resident_q[8*(e-1) +: 8] + 8'(f_context[2*(e-1) +: 2] != 2'd0));
      end
    end else begin : gen_f_none
      `ASSERT_ALWAYS assert (f_active_q[7:0] == '0 && f_resident_q[7:0] == '0);
    end
  end
  `ASSERT_ALWAYS begin
    assert (active_count_o == f_active_q[8*NumCtas +: 8]);
    assert (resident_count_o == f_resident_q[8*NumCtas +: 8]);
  end

  // no CTA has an illegal status: (0,x), (x,0), (2,1), 3
  `ASSERT_ALWAYS begin
    assert ((context_shared_q & context_pipeline_q) == '0 && (registers_away_q & registers_here_q) == '0);
    assert ((context_shared_q | context_pipeline_q) == (registers_away_q | registers_here_q)
            && (context_pipeline_q & registers_away_q) == '0);
  end

  // one symbolic CTA: it has the status set last
  `ASSERT_ANY(f_i, CtaW)
  logic [6:0] f_c;
  assign f_c = 7'(f_i);
  logic [1:0] f_context_q;
  logic [1:0] f_registers_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_context_q   <= 2'd0;
      f_registers_q <= 2'd0;
    end else if (set_valid_i[0] && set_cta[0] == f_c) begin
      f_context_q   <= set_context[0];
      f_registers_q <= set_registers[0];
    end else if (set_valid_i[1] && set_cta[1] == f_c) begin
      f_context_q   <= set_context[1];
      f_registers_q <= set_registers[1];
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_context[2*f_c[CtaW-1:0] +: 2] == f_context_q && f_registers[2*f_c[CtaW-1:0] +: 2] == f_registers_q);
    assert (f_context_q == f_registers_q ? f_context_q != 2'd3 : f_context_q == 2'd1 && f_registers_q == 2'd2);
    // new_cta_o is the lowest CTA that is not launched
    if (f_context_q == 2'd0) assert (new_valid_o && new_cta_o <= 7'(f_c));
    if (new_valid_o) begin
      assert (f_context[2*new_cta_o[CtaW-1:0] +: 2] == 2'd0);
      assert (32'(new_cta_o) < NumCtas);
    end else assert (new_cta_o == '0);
  end

  // 2, 3 for both searches: k = 0 is kept, k = 1 is spilled
`ifdef FORMAL
  logic [1:0] f_met;
`endif
  for (genvar k = 0; k < 2; k++) begin : gen_f_class
    logic            f_valid;
    logic [6:0]      f_cta;
    logic            f_take;
    logic [CtaW-1:0] f_pointer;
    logic            f_in;                          // f_c is in the class and ready
    assign f_valid   = k == 0 ? kept_valid_o : spilled_valid_o;
    assign f_cta     = k == 0 ? kept_cta_o : spilled_cta_o;
    assign f_take    = k == 0 ? take_kept_i : take_spilled_i;
    assign f_pointer = k == 0 ? kept_pointer_q : spilled_pointer_q;
    assign f_in      = ready_i[f_c[CtaW-1:0]] && f_context_q == 2'd1 && f_registers_q == (k == 0 ? 2'd2 : 2'd1);

    logic [CtaW-1:0] f_pointer_q;
    logic [CtaW-1:0] f_lost_q;                      // other CTAs taken since f_c is in the class
    logic [CtaW-1:0] f_far;
    assign f_far = f_c[CtaW-1:0] - f_pointer;       // cyclic, as NumCtas is a power of two
`ifdef FORMAL
    assign f_met[k] = f_in && 32'(f_lost_q) == NumCtas - 1;
`endif
    logic f_in_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_pointer_q <= '0;
        f_lost_q    <= '0;
        f_in_q      <= 1'b0;
      end else begin
        if (f_take) f_pointer_q <= CtaW'(f_cta + 7'd1);
        f_in_q   <= f_in && !(f_take && f_cta == f_c);
        f_lost_q <= f_in && !(f_take && f_cta == f_c) ? f_lost_q + CtaW'(f_take) : '0;
      end
    end
    `ASSERT_ALWAYS begin
      assert (f_pointer == f_pointer_q);
      if (f_valid) begin
        assert (32'(f_cta) < NumCtas && ready_i[f_cta[CtaW-1:0]]);
        assert (f_context[2*f_cta[CtaW-1:0] +: 2] == 2'd1);
        assert (f_registers[2*f_cta[CtaW-1:0] +: 2] == (k == 0 ? 2'd2 : 2'd1));
      end else assert (f_cta == '0);
      if (f_in) begin
        assert (f_valid);
        assert (CtaW'(f_cta[CtaW-1:0] - f_pointer) <= f_far);
      end
      if (f_in_q) begin
        assert (32'(f_lost_q) + 32'(f_far) < NumCtas);
      end else assert (f_lost_q == '0);
    end
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_met[0] && NumCtas <= 4);                 // the bound is reached
    cover (rst_ni && f_met[1] && NumCtas <= 4);
    cover (rst_ni && kept_valid_o && spilled_valid_o && take_kept_i && take_spilled_i && set_valid_i == 2'd3);
    cover (rst_ni && !new_valid_o && active_count_o == 8'(NumCtas - 1) && resident_count_o == 8'(NumCtas));
  end
`endif
`endif

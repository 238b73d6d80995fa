// SPDX-License-Identifier: Apache-2.0
// rarb: bank arbiter: results first, then the oldest operand request of each bank, one a unit.
// C twin: cmodel/blocks/malekeh/rarb.c
// Grants in the cycle of the request, one a bank and one a unit. Nccu, Nbank and Nwb are powers of two from 2.
module rarb #(
  parameter int Nccu = 2,
  parameter int Nbank = 2,
  parameter int Nwb = 2,
  parameter int Noct = 6
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // results, [Nwb]: bank
  input  logic [Nwb-1:0]                 wb_v_i,
  input  logic [Nwb*$clog2(Nbank)-1:0]   wb_b_i,
  output logic [Nwb-1:0]                 wb_rdy_o,
  // requests of one unit, [Noct]: register, entry, bank
  input  logic [Noct-1:0]                rq_v_i,
  input  logic [$clog2(Nccu)-1:0]        rq_u_i,
  input  logic [Noct*8-1:0]              rq_r_i,
  input  logic [Noct*3-1:0]              rq_ct_i,
  input  logic [Noct*$clog2(Nbank)-1:0]  rq_b_i,
  // reads, [Nbank]: unit, register
  output logic [Nbank-1:0]               rd_v_o,
  output logic [Nbank*$clog2(Nccu)-1:0]  rd_u_o,
  output logic [Nbank*8-1:0]             rd_r_o,
  // values, [Nccu]: entry, bank
  output logic [Nccu-1:0]                s_v_o,
  output logic [Nccu*3-1:0]              s_ct_o,
  output logic [Nccu*$clog2(Nbank)-1:0]  s_b_o
);
  localparam int U = $clog2(Nccu);
  localparam int B = $clog2(Nbank);
  localparam int K = $clog2(Noct);
  localparam int N = Nccu * Noct;

  logic [N-1:0]               pend_q, pend_d;
  logic [B-1:0]               pp_q, pp_d;
  logic [Nccu*(Nccu-1)/2-1:0] older_q, older_d;
  // not reset: pend_q gates them
  logic [7:0]                 r_q [N];
  logic [2:0]                 ct_q [N];
  logic [B-1:0]               b_q [N];

  // ---- results: the lowest lane of each bank
  logic [Nbank-1:0] written;
  for (genvar l = 0; l < Nwb; l++) begin : gen_lane
    logic [Nwb-1:0] same;                         // lanes below it with a result for its bank
    for (genvar k = 0; k < Nwb; k++) begin : gen_below
      assign same[k] = k < l && wb_v_i[k] && wb_b_i[B*k +: B] == wb_b_i[B*l +: B];
    end
    assign wb_rdy_o[l] = same == '0;
  end
  for (genvar b = 0; b < Nbank; b++) begin : gen_written
    logic [Nwb-1:0] here;
    for (genvar l = 0; l < Nwb; l++) begin : gen_lane
      assign here[l] = wb_v_i[l] && wb_b_i[B*l +: B] == B'(b);
    end
    assign written[b] = here != '0;
  end

  // ---- order of the units: older_q has u < v, in order of u, then v
  logic [Nccu-1:0] asks;
  for (genvar u = 0; u < Nccu; u++) begin : gen_order
    logic [Nccu-1:0] ahead;                       // units that asked before it
    assign asks[u] = rq_v_i != '0 && rq_u_i == U'(u);
    for (genvar v = 0; v < Nccu; v++) begin : gen_pair
      localparam int Lo = u < v ? u : v;
      localparam int Hi = u < v ? v : u;
      localparam int Bit = Lo * (2 * Nccu - Lo - 1) / 2 + Hi - Lo - 1;
      if (u == v) begin : gen_self
        assign ahead[v] = 1'b0;
      end else if (v < u) begin : gen_lower
        assign ahead[v] = older_q[Bit];
        // the unit that asks is the youngest
        assign older_d[Bit] = (older_q[Bit] || asks[u]) && !asks[v];
      end else begin : gen_upper
        assign ahead[v] = !older_q[Bit];
      end
    end
  end

  // ---- heads. A unit that asks now has nothing pending, so it has the head where no other unit waits.
  for (genvar u = 0; u < Nccu; u++) begin : gen_wait
    logic [Noct-1:0]       pend;
    logic [Nbank-1:0]      old;                   // banks for which something is pending
    logic [Nbank-1:0]      now;                   // banks for which it asks
    logic [Nbank*Noct-1:0] first;                 // of each bank the lowest slot
    assign pend = pend_q[Noct*u +: Noct];
    for (genvar b = 0; b < Nbank; b++) begin : gen_bank
      logic [Noct-1:0] at_old;
      logic [Noct-1:0] at_now;
      logic [K-1:0]    idx;
      logic            unused;
      for (genvar k = 0; k < Noct; k++) begin : gen_slot
        assign at_old[k] = pend[k] && b_q[Noct*u+k] == B'(b);
        assign at_now[k] = asks[u] && rq_v_i[k] && rq_b_i[B*k +: B] == B'(b);
      end
      assign old[b] = at_old != '0;
      assign now[b] = at_now != '0;
      first_one #(.N(Noct)) u_first (.x_i(at_old | at_now), .oh_o(first[Noct*b +: Noct]), .idx_o(idx));
      assign unused = &idx;
    end
  end

  for (genvar b = 0; b < Nbank; b++) begin : gen_head
    logic [Nccu-1:0] old;
    logic [Nccu-1:0] now;
    logic [Nccu-1:0] cand;                        // the unit of the head, if the bank is a candidate
    for (genvar u = 0; u < Nccu; u++) begin : gen_unit
      assign old[u]  = gen_wait[u].old[b];
      assign now[u]  = gen_wait[u].now[b];
      assign cand[u] = !written[b] && (old == '0 ? now[u] : old[u] && (old & gen_order[u].ahead) == '0);
    end
  end

  // ---- grants: each unit takes the first one of its candidates from pp upward
  logic [Nccu-1:0] conflict;
  for (genvar u = 0; u < Nccu; u++) begin : gen_grant
    logic [Nbank-1:0]      cand;
    logic [Nbank-1:0]      gnt;
    logic [B-1:0]          next;
    logic                  unused;
    logic [Nbank*Noct-1:0] at;
    logic [Noct-1:0]       slot;                  // the slot that is granted
    logic [Noct*8-1:0]     rs;                    // its register and entry, 0 at the others
    logic [Noct*3-1:0]     cts;
    logic [7:0]            r;
    logic [2:0]            ct;
    for (genvar b = 0; b < Nbank; b++) begin : gen_bank
      assign cand[b] = gen_head[b].cand[u];
      assign at[Noct*b +: Noct] = gnt[b] ? gen_wait[u].first[Noct*b +: Noct] : '0;
    end
    rr_arb #(.N(Nbank)) u_arb (.req_i(cand), .ptr_i(pp_q), .gnt_o(gnt), .idx_o(s_b_o[B*u +: B]), .ptr_o(next));
    assign unused      = &next;
    assign s_v_o[u]    = cand != '0;
    assign conflict[u] = (cand & ~gnt) != '0;

    for (genvar k = 0; k < Noct; k++) begin : gen_slot
      logic [Nbank-1:0] by;
      for (genvar b = 0; b < Nbank; b++) begin : gen_by
        assign by[b] = at[Noct*b+k];
      end
      assign slot[k] = by != '0;
      assign rs[8*k +: 8]  = !slot[k] ? '0 : asks[u] ? rq_r_i[8*k +: 8] : r_q[Noct*u+k];
      assign cts[3*k +: 3] = !slot[k] ? '0 : asks[u] ? rq_ct_i[3*k +: 3] : ct_q[Noct*u+k];
    end
    always_comb begin
      r  = '0;
      ct = '0;
      for (int k = 0; k < Noct; k++) begin
        r  = r | rs[8*k +: 8];
        ct = ct | cts[3*k +: 3];
      end
    end
    assign s_ct_o[3*u +: 3] = ct;
    assign pend_d[Noct*u +: Noct] = (gen_wait[u].pend | (asks[u] ? rq_v_i : '0)) & ~slot;
  end

  for (genvar b = 0; b < Nbank; b++) begin : gen_read
    logic [Nccu-1:0]   gnt;
    logic [Nccu*8-1:0] rs;
    logic [U-1:0]      unit;
    logic [7:0]        r;
    for (genvar u = 0; u < Nccu; u++) begin : gen_unit
      assign gnt[u]       = gen_grant[u].gnt[b];
      assign rs[8*u +: 8] = gnt[u] ? gen_grant[u].r : '0;
    end
    always_comb begin
      unit = '0;
      r    = '0;
      for (int u = 0; u < Nccu; u++) begin
        unit = unit | (gnt[u] ? U'(u) : '0);
        r    = r | rs[8*u +: 8];
      end
    end
    assign rd_v_o[b]        = gnt != '0;
    assign rd_u_o[U*b +: U] = unit;
    assign rd_r_o[8*b +: 8] = r;
  end

  assign pp_d = pp_q + B'(conflict != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_q  <= '0;
      pp_q    <= '0;
      older_q <= '0;
    end else begin
      pend_q  <= pend_d;
      pp_q    <= pp_d;
      older_q <= older_d;
    end
  end
  for (genvar u = 0; u < Nccu; u++) begin : gen_store
    for (genvar k = 0; k < Noct; k++) begin : gen_slot
      always_ff @(posedge clk_i) begin
        if (asks[u] && rq_v_i[k]) begin
          r_q[Noct*u+k]  <= rq_r_i[8*k +: 8];
          ct_q[Noct*u+k] <= rq_ct_i[3*k +: 3];
          b_q[Noct*u+k]  <= rq_b_i[B*k +: B];
        end
      end
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    for (int u = 0; u < Nccu; u++) begin
      if (asks[u]) assume (pend_q[Noct*u +: Noct] == '0);
    end
  end
`endif

  // bit Nccu u + v: u asked before v
  logic [Nccu*Nccu-1:0] f_order;
  for (genvar u = 0; u < Nccu; u++) begin : gen_f_order
    for (genvar v = 0; v < Nccu; v++) begin : gen_f_pair
      assign f_order[Nccu*u+v] = gen_order[v].ahead[u];
    end
  end

  // the requests as flat vectors: bit or field Noct u + k is slot k of unit u
  logic [N-1:0]   f_new;
  logic [N-1:0]   f_wait;                           // waiting in this cycle
  logic [N*B-1:0] f_b;
  for (genvar u = 0; u < Nccu; u++) begin : gen_f_unit
    for (genvar k = 0; k < Noct; k++) begin : gen_f_slot
      localparam int I = Noct * u + k;
      assign f_new[I]      = rq_v_i[k] && rq_u_i == U'(u);
      assign f_wait[I]     = pend_q[I] || f_new[I];
      assign f_b[B*I +: B] = pend_q[I] ? b_q[I] : rq_b_i[B*k +: B];
    end
  end

  // Two symbolic slots, (u, k) and (v, l), of which the registers here know what came through the ports.
  `ASSERT_ANY(f_u, U)
  `ASSERT_ANY(f_v, U)
  `ASSERT_ANY(f_any_k, K)
  `ASSERT_ANY(f_any_l, K)
  logic [K-1:0] f_k;
  logic [K-1:0] f_l;
  assign f_k = 32'(f_any_k) < Noct ? f_any_k : '0;
  assign f_l = 32'(f_any_l) < Noct ? f_any_l : '0;

  logic         f_in;                               // (u, k) requests now
  logic         f_here_q;                           // it has requested, and has had no grant
  logic         f_here;
  logic [7:0]   f_r_q;
  logic [2:0]   f_ct_q;
  logic [B-1:0] f_b_q;
  logic [7:0]   f_its_r;
  logic [2:0]   f_its_ct;
  logic [B-1:0] f_its_b;
  logic         f_its_new;                          // (v, l) requests now
  logic         f_other_q;                          // it waits since an earlier cycle
  logic         f_after_q;                          // both do, and it stands behind (u, k)
  logic         f_after;
  logic [B-1:0] f_other_b;
  assign f_in      = rq_v_i[f_k] && rq_u_i == f_u;
  assign f_here    = f_here_q || f_in;
  assign f_its_r   = f_in ? rq_r_i[8*f_k +: 8] : f_r_q;
  assign f_its_ct  = f_in ? rq_ct_i[3*f_k +: 3] : f_ct_q;
  assign f_its_b   = f_in ? rq_b_i[B*f_k +: B] : f_b_q;
  assign f_its_new = rq_v_i[f_l] && rq_u_i == f_v;
  assign f_other_b = f_b[B*(Noct*f_v + 32'(f_l)) +: B];
  assign f_after   = f_after_q || (f_here_q && f_its_new) || (f_in && f_its_new && f_u == f_v && f_k < f_l);

  // A grant, by what the ports show: the bank reads for the unit, and the unit gets the entry from it. Slots of one unit may have
  // the same bank, register and entry for the ports alone, so whose grant it is, is read off pend_d.
  logic         f_got;
  logic         f_other_got;
  assign f_got       = f_here && !pend_d[Noct*f_u + 32'(f_k)];
  assign f_other_got = (f_other_q || f_its_new) && !pend_d[Noct*f_v + 32'(f_l)];

  // waiting before (u, k) or with it; of them and it the number
  logic [N-1:0] f_before_q;
  logic [N-1:0] f_before;
  logic [7:0]   f_num;
  logic [7:0]   f_unit_num;
  logic [7:0]   f_cycles_q;                         // since its request, without a write to its bank
  logic [3:0]   f_head_q;                           // head of its bank for so many cycles without a write
  logic         f_head;
  logic         f_write;
  always_comb begin
    f_before = f_in ? f_wait : f_before_q;
    f_num    = '0;
    for (int i = 0; i < N; i++) f_num = f_num + 8'(f_before[i]);
    f_unit_num = '0;
    for (int k = 0; k < Noct; k++) f_unit_num = f_unit_num + 8'(f_wait[Noct*f_u + k]);
    // the head: no other of its bank that came before it
    f_head = f_here;
    for (int u = 0; u < Nccu; u++) begin
      for (int k = 0; k < Noct; k++) begin
        if (f_wait[Noct*u+k] && f_b[B*(Noct*u+k) +: B] == f_its_b && f_before[Noct*u+k]) begin
          if (U'(u) != f_u || K'(k) < f_k) f_head = 1'b0;
        end
      end
    end
    f_write = 1'b0;
    for (int l = 0; l < Nwb; l++) f_write = f_write || (wb_v_i[l] && wb_b_i[B*l +: B] == f_its_b);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_here_q   <= 1'b0;
      f_other_q  <= 1'b0;
      f_after_q  <= 1'b0;
      f_before_q <= '0;
      f_cycles_q <= '0;
      f_head_q   <= '0;
    end else begin
      f_here_q   <= f_here && !f_got;
      f_other_q  <= (f_other_q || f_its_new) && !f_other_got;
      f_after_q  <= f_after && !f_got && !f_other_got;
      f_before_q <= f_here && !f_got ? f_before & pend_d : '0;
      f_cycles_q <= f_here && !f_got ? f_cycles_q + 8'(!f_write) : '0;
      f_head_q   <= f_head && !f_got && !f_write ? f_head_q + 4'd1 : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_in) begin
      f_r_q  <= rq_r_i[8*f_k +: 8];
      f_ct_q <= rq_ct_i[3*f_k +: 3];
      f_b_q  <= rq_b_i[B*f_k +: B];
    end
  end

  `ASSERT_ANY(f_bank, B)
  `ASSERT_ANY(f_lane, $clog2(Nwb))
  logic f_written;                                  // some lane has this bank
  logic f_accepted;                                 // it is accepted
  logic f_twice;                                    // two lanes are
  always_comb begin
    f_written  = 1'b0;
    f_accepted = 1'b0;
    f_twice    = 1'b0;
    for (int l = 0; l < Nwb; l++) begin
      if (wb_v_i[l] && wb_b_i[B*l +: B] == f_bank) begin
        f_written  = 1'b1;
        f_twice    = f_twice || (f_accepted && wb_rdy_o[l]);
        f_accepted = f_accepted || wb_rdy_o[l];
      end
    end
  end

  logic [U-1:0] f_rd_u;
  logic [B-1:0] f_s_b;
  assign f_rd_u = rd_u_o[U*f_bank +: U];
  assign f_s_b  = s_b_o[B*f_u +: B];
  `ASSERT_ALWAYS begin
    // 1
    assert (f_accepted == f_written && !f_twice && !(f_written && rd_v_o[f_bank]));
    assert (wb_rdy_o[0]);
    if (!wb_rdy_o[f_lane]) assert (|(wb_v_i & ((Nwb'(1) << f_lane) - Nwb'(1))));
    // 2
    assert ((rd_v_o[f_bank] && f_rd_u == f_u) == (s_v_o[f_u] && f_s_b == f_bank));
    if (!rd_v_o[f_bank]) assert (f_rd_u == '0 && rd_r_o[8*f_bank +: 8] == '0);
    if (!s_v_o[f_u]) assert (f_s_b == '0 && s_ct_o[3*f_u +: 3] == '0);
    // 3
    if (f_after && f_other_b == f_its_b) assert (!f_other_got);
    // 4
    if (f_head && !f_write) assert (s_v_o[f_u]);
    // 5: what waits is what has requested; a grant is seen at the ports, and a value that comes is one slot's grant
    assert (pend_q[Noct*f_u + 32'(f_k)] == f_here_q && pend_q[Noct*f_v + 32'(f_l)] == f_other_q);
    if (f_here_q) begin
      assert (r_q[Noct*f_u + 32'(f_k)] == f_r_q);
      assert (ct_q[Noct*f_u + 32'(f_k)] == f_ct_q);
      assert (b_q[Noct*f_u + 32'(f_k)] == f_b_q);
    end
    if (f_got) begin
      assert (s_v_o[f_u] && f_s_b == f_its_b && s_ct_o[3*f_u +: 3] == f_its_ct);
      assert (rd_v_o[f_its_b] && rd_r_o[8*f_its_b +: 8] == f_its_r && f_head);
    end
    if (f_got && f_other_got && f_u == f_v) assert (f_k == f_l);
    if (s_v_o[f_u]) assert ((f_wait[Noct*f_u +: Noct] & ~pend_d[Noct*f_u +: Noct]) != '0);
    // 6
    assert (32'(f_head_q) + 32'(f_unit_num) <= Noct || f_head_q == '0);
    assert (32'(f_cycles_q) + 32'(f_num) <= N);
    if (f_here && 32'(f_cycles_q) == N - 1 && !f_write) assert (f_got);
    // what the registers here know of each other
    if (f_after_q) assert (f_here_q && f_other_q && f_before_q[Noct*f_u + 32'(f_k)]);
    if (f_after_q) assert (f_u == f_v ? f_k < f_l : f_order[f_u*Nccu + 32'(f_v)]);
    if (f_here_q) begin
      assert (f_before_q[Noct*f_u + 32'(f_k)]);
      assert (f_other_q == (f_before_q[Noct*f_v + 32'(f_l)] || f_after_q));
    end else assert (f_before_q == '0 && f_cycles_q == '0 && f_head_q == '0);
    assert ((f_before_q & ~pend_q) == '0);
    if (f_head_q != '0) assert (f_head && !f_in);
  end

`ifdef FORMAL
  // older_q is an order
  for (genvar i = 0; i < Nccu; i++) begin : gen_f_i
    for (genvar j = 0; j < Nccu; j++) begin : gen_f_j
      for (genvar k = 0; k < Nccu; k++) begin : gen_f_k
        always_comb if (f_order[Nccu*i+j] && f_order[Nccu*j+k]) assert (f_order[Nccu*i+k]);
      end
    end
    // of the symbolic request: pending slots of older units are those before it
    for (genvar k = 0; k < Noct; k++) begin : gen_f_slot
      always_comb begin
        if (f_here_q && pend_q[Noct*i+k]) assert (f_before_q[Noct*i+k] == (f_u == U'(i) || f_order[Nccu*i + 32'(f_u)]));
      end
    end
  end
  always_comb begin
    cover (rst_ni && f_got && 32'(f_cycles_q) == Noct);
    cover (rst_ni && f_head_q == 4'(Noct - 1) && f_got);
    cover (rst_ni && f_after && f_got && f_other_q && f_u != f_v);
    cover (rst_ni && rd_v_o == '1 && rq_v_i == '0);
    cover (rst_ni && wb_v_i == '1 && wb_rdy_o != '1 && s_v_o != '0 && rq_v_i == '0);
    cover (rst_ni && pp_q == '1 && pend_q == '1);
  end
`endif
`endif
endmodule

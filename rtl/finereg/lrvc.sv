// SPDX-License-Identifier: Apache-2.0
// lrvc: live-register vector cache, direct mapped, one miss at a time.
// C twin: cmodel/blocks/finereg/lrvc.c
// Latency 1 for a hit, one look-up per cycle; a miss blocks until memory has answered.
// NumEntries is a power of two, 2 to 8192.
module lrvc #(
  parameter int NumEntries = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // a kernel begins
  input  logic        inv_i,
  input  logic [31:0] base_i,
  input  logic [31:0] cbase_i,
  // look-up
  input  logic        rq_v_i,
  input  logic [31:0] rq_pc_i,
  output logic        rq_rdy_o,
  output logic        rs_v_o,
  output logic [63:0] rs_vec_o,
  output logic        rs_hit_o,
  // memory
  output logic        m_rq_v_o,
  output logic [31:0] m_rq_a_o,
  input  logic        m_rq_rdy_i,
  input  logic        m_rs_v_i,
  input  logic [63:0] m_rs_d_i
);
  localparam int IdxW = $clog2(NumEntries);
`include "lrvc_enum.svh"

  logic [1:0]            state_q, state_d;
  logic [NumEntries-1:0] val_q, val_d;
  logic [31:0]           tag_q [NumEntries];      // not reset: val_q gates it
  logic [31:0]           pc_q;                    // PC of the miss
  logic [31:0]           a_q;                     // address of its vector
  logic                  rs_v_q;
  logic                  hit_q;
  logic [63:0]           fill_q;                  // memory's answer to a miss

  logic [IdxW-1:0] idx;
  logic [IdxW-1:0] fill_idx;
  logic            hit;
  logic            miss;
  logic            fill;
  logic            answer;
  logic [63:0]     vec;
  assign idx      = rq_pc_i[3 +: IdxW] ^ rq_pc_i[3+IdxW +: IdxW];
  assign fill_idx = pc_q[3 +: IdxW] ^ pc_q[3+IdxW +: IdxW];
  assign hit      = rq_v_i && rq_rdy_o && !inv_i && val_q[idx] && tag_q[idx] == rq_pc_i;
  assign miss     = rq_v_i && rq_rdy_o && !hit;
  assign fill     = state_q == Mwait && m_rs_v_i;
  assign answer   = hit || fill;

  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle:    if (miss) state_d = Mreq;
      Mreq:    if (m_rq_rdy_i) state_d = Mwait;
      Mwait:   if (m_rs_v_i) state_d = Idle;
      default: state_d = Idle;
    endcase
    val_d = inv_i ? '0 : val_q;
    if (fill) val_d[fill_idx] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      val_q   <= '0;
      rs_v_q  <= 1'b0;
      hit_q   <= 1'b0;
    end else begin
      state_q <= state_d;
      val_q   <= val_d;
      rs_v_q  <= answer;
      hit_q   <= hit;
    end
  end

  // not reset: state_q and rs_v_q gate them
  always_ff @(posedge clk_i) begin
    if (miss) begin
      pc_q <= rq_pc_i;
      a_q  <= base_i + (rq_pc_i - cbase_i);
    end
    if (fill) begin
      tag_q[fill_idx] <= pc_q;
      fill_q          <= m_rs_d_i;
    end
  end

  // a look-up and a fill never occur in one cycle, so one port suffices
`ifdef FORMAL
  logic [NumEntries*64-1:0] f_mem;
`endif
  ram_1rw #(.Depth(NumEntries), .Width(64)) u_vec (
    .clk_i(clk_i),
    .en_i(answer),
    .we_i(fill),
    .addr_i(fill ? fill_idx : idx),
    .wdata_i(m_rs_d_i),
`ifdef FORMAL
    .f_mem_o(f_mem),
`endif
    .rdata_o(vec)
  );

  assign rq_rdy_o = state_q == Idle;
  assign rs_v_o   = rs_v_q;
  assign rs_hit_o = hit_q;
  assign rs_vec_o = !rs_v_q ? '0 : hit_q ? vec : fill_q;
  assign m_rq_v_o = state_q == Mreq;
  assign m_rq_a_o = m_rq_v_o ? a_q : '0;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  logic        f_ran_q;                             // base and cbase are those of the cycle before
  logic [31:0] f_base_q;
  logic [31:0] f_cbase_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_ran_q <= 1'b0;
    else f_ran_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    f_base_q  <= base_i;
    f_cbase_q <= cbase_i;
  end
`ifdef FORMAL
  // assumptions on the inputs: the bases change with inv only
  always_comb begin
    if (f_ran_q && !inv_i) assume (base_i == f_base_q && cbase_i == f_cbase_q);
    if (inv_i) assume (state_q == Idle);
    if (m_rs_v_i) assume (state_q == Mwait);
    if (rq_v_i) assume (rq_pc_i[2:0] == '0);
  end
`endif

  // 1: one symbolic PC, with memory's last answer for it
  `ASSERT_ANY(f_word, 29)
  logic [31:0] f_pc;
  logic [63:0] f_kept_q;
  assign f_pc = {f_word, 3'd0};
  always_ff @(posedge clk_i) begin
    if (m_rs_v_i && f_open_pc_q == f_pc) f_kept_q <= m_rs_d_i;
  end

  logic        f_sent_q;                            // memory has a request,
  logic [31:0] f_sent_a_q;                          // of this address
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_sent_q <= 1'b0;
    else if (m_rq_v_o && m_rq_rdy_i) f_sent_q <= 1'b1;
    else if (m_rs_v_i) f_sent_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (m_rq_v_o && m_rq_rdy_i) f_sent_a_q <= m_rq_a_o;
  end
  // the look-up under way
  logic        f_open_q;
  logic        f_late_q;                            // accepted before the last edge
  logic [31:0] f_open_pc_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (rq_v_i && rq_rdy_o) f_open_q <= 1'b1;
    else if (rs_v_o) f_open_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    f_late_q <= !(rq_v_i && rq_rdy_o);
    if (rq_v_i && rq_rdy_o) f_open_pc_q <= rq_pc_i;
  end

  logic [IdxW-1:0] f_idx;
  logic            f_has;
  assign f_idx = f_pc[3 +: IdxW] ^ f_pc[3+IdxW +: IdxW];
  assign f_has = val_q[f_idx] && tag_q[f_idx] == f_pc;
  `ASSERT_ALWAYS begin
    assert (state_q != 2'd3);
    if (!f_ran_q) assert (state_q == Idle && val_q == '0);
    if (rs_v_o) assert (f_open_q);                  // once, and never without a look-up
    if (f_open_q) assert (rs_v_o || state_q != Idle);
    assert (rq_rdy_o == (!f_open_q || rs_v_o));     // the next is taken unless a miss is open
    if (rs_v_o) assert (state_q == Idle);
    if (rs_v_o && f_open_pc_q == f_pc) assert (rs_vec_o == f_kept_q);
    if (!rs_v_o) assert (rs_vec_o == '0 && !rs_hit_o);
`ifdef FORMAL
    // an entry holds what memory has answered
    if (f_has) assert (f_mem[64*f_idx +: 64] == f_kept_q);
`endif
    if (state_q != Idle) begin
      assert (f_open_q && pc_q == f_open_pc_q && a_q == f_base_q + (pc_q - f_cbase_q));
      assert (pc_q[2:0] == '0);
    end
    // memory was asked for that PC's vector
    if (f_sent_q) assert (f_sent_a_q == base_i + (f_open_pc_q - cbase_i));
    assert (f_sent_q == (state_q == Mwait));
    assert (m_rq_a_o == (m_rq_v_o ? base_i + (f_open_pc_q - cbase_i) : '0));
  end

  // 2: a PC in the cache is answered in the next cycle, as a hit; no other PC is a hit
  logic f_hit_q;
  logic f_miss_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_hit_q  <= 1'b0;
      f_miss_q <= 1'b0;
    end else begin
      f_hit_q  <= rq_v_i && rq_rdy_o && rq_pc_i == f_pc && f_has && !inv_i;
      f_miss_q <= rq_v_i && rq_rdy_o && rq_pc_i == f_pc && !(f_has && !inv_i);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_hit_q) assert (rs_v_o && rs_hit_o && rq_rdy_o && !m_rq_v_o);
    if (f_miss_q) assert (!rs_v_o && m_rq_v_o);
    if (rs_hit_o) assert (rs_v_o && !f_late_q);
  end

  // a filled entry stays until inv or a fill for another PC of its index
  logic f_in_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_in_q <= 1'b0;
    else if (inv_i) f_in_q <= 1'b0;
    else if (m_rs_v_i && f_open_pc_q == f_pc) f_in_q <= 1'b1;
    else if (m_rs_v_i
             && (f_open_pc_q[3 +: IdxW] ^ f_open_pc_q[3+IdxW +: IdxW]) == f_idx) f_in_q <= 1'b0;
  end
  `ASSERT_ALWAYS assert (f_has == f_in_q);

  // 3: a request stays until accepted
  logic        f_ask_q;
  logic [31:0] f_ask_a_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_ask_q <= 1'b0;
    else f_ask_q <= m_rq_v_o && !m_rq_rdy_i;
  end
  always_ff @(posedge clk_i) f_ask_a_q <= m_rq_a_o;
  `ASSERT_ALWAYS begin
    if (f_ask_q) assert (m_rq_v_o && m_rq_a_o == f_ask_a_q);
    if (f_sent_q) assert (!m_rq_v_o);
  end

  // 4: a valid entry's tag maps to its own index
  `ASSERT_ANY(f_e, IdxW)
  `ASSERT_ALWAYS begin
    if (val_q[f_e]) assert ((tag_q[f_e][3 +: IdxW] ^ tag_q[f_e][3+IdxW +: IdxW]) == f_e);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && rs_v_o && rs_hit_o && f_open_pc_q == f_pc && f_pc[31] && rs_vec_o[62]);
    cover (rst_ni && f_hit_q && rq_v_i && inv_i && rq_pc_i == f_pc);
    cover (rst_ni && rs_v_o && !rs_hit_o && val_q == 3);
  end
`endif
`endif
endmodule

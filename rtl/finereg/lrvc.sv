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
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Mreq = 2'd1;
  localparam logic [1:0] Mwait = 2'd2;

  logic [1:0]            state_q, state_d;
  logic [NumEntries-1:0] val_q, val_d;
  logic [31:0]           tag_q [NumEntries];      // not reset: val_q gates it
  logic [31:0]           pc_q;                    // of the miss
  logic [31:0]           a_q;                     // where its vector is
  logic                  rs_v_q;
  logic                  hit_q;
  logic [63:0]           fill_q;                  // what memory said: the answer to a miss

  logic [IdxW-1:0] idx;
  logic [IdxW-1:0] fill_idx;
  logic            hit;
  logic            miss;
  logic            fill;
  logic [63:0]     vec;
  assign idx      = rq_pc_i[3 +: IdxW] ^ rq_pc_i[3+IdxW +: IdxW];
  assign fill_idx = pc_q[3 +: IdxW] ^ pc_q[3+IdxW +: IdxW];
  assign hit      = rq_v_i && rq_rdy_o && !inv_i && val_q[idx] && tag_q[idx] == rq_pc_i;
  assign miss     = rq_v_i && rq_rdy_o && !hit;
  assign fill     = state_q == Mwait && m_rs_v_i;

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
      rs_v_q  <= hit || fill;
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

  // a look-up and a fill never come together, so one port will do
`ifdef FORMAL
  logic [NumEntries*64-1:0] f_mem;
`endif
  ram_1rw #(.Depth(NumEntries), .Width(64)) u_vec (
    .clk_i(clk_i),
    .en_i(hit || fill),
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
endmodule

// SPDX-License-Identifier: Apache-2.0
// rmu: register management engine: spills, restores and swaps the live registers of CTAs.
// C twin: cmodel/blocks/finereg/rmu.c
// One command at a time. Engine 2, pipelined (rmu_pipe.svh): a restore of N registers is done 6 + N cycles after its accept,
// and a register a cycle leaves the ACRF meanwhile. Engine 1, serial (rmu_serial.svh): 5 + 2N, and at least two each.
// NumWarps, NumCta and LrvcEntries are powers of two; NumEntries obeys the rule of fsmon. MaxLive is the most registers that a
// vector can have.
module rmu #(
  parameter int Engine = 2,
`ifdef FORMAL
  // the proof has assertions for each entry and each pair of entries: only small sizes elaborate
  parameter int NumCta = 2,
  parameter int NumWarps = 2,
  parameter int NumEntries = 4,
  parameter int NumLanes = 1,
  parameter int LaneW = 1,
`else
  parameter int NumCta = 128,
  parameter int NumWarps = 32,
  parameter int NumEntries = 1024,
  parameter int NumLanes = 32,
  parameter int LaneW = 32,
`endif
  parameter int LrvcEntries = 32,
  parameter int MaxLive = 63
) (
  input  logic                                                         clk_i,
  input  logic                                                         rst_ni,
  // command
  input  logic                                                         c_v_i,
  input  logic [1:0]                                                   c_op_i,
  input  logic [6:0]                                                   c_a_i,
  input  logic [6:0]                                                   c_b_i,
  input  logic [5:0]                                                   c_nw_i,
  output logic                                                         c_rdy_o,
  // the cache of live-register vectors
  input  logic                                                         inv_i,
  input  logic [31:0]                                                  base_i,
  input  logic [31:0]                                                  cbase_i,
  output logic                                                         m_rq_v_o,
  output logic [31:0]                                                  m_rq_a_o,
  input  logic                                                         m_rq_rdy_i,
  input  logic                                                         m_rs_v_i,
  input  logic [63:0]                                                  m_rs_d_i,
  // free entries
  output logic [$clog2(NumEntries):0]                                  cnt_free_o,
  // the PCs of a's warps
  output logic [4:0]                                                   pc_w_o,
  input  logic                                                         pc_live_i,
  input  logic [31:0]                                                  pc_i,
  // read a's slot of the ACRF
  output logic                                                         ard_v_o,
  output logic [4:0]                                                   ard_w_o,
  output logic [5:0]                                                   ard_r_o,
  input  logic                                                         ard_rdy_i,
  input  logic                                                         ars_v_i,
  input  logic [NumLanes*LaneW-1:0]                                    ars_d_i,
  // write b's slot
  output logic                                                         awr_v_o,
  output logic [4:0]                                                   awr_w_o,
  output logic [5:0]                                                   awr_r_o,
  output logic [NumLanes*LaneW-1:0]                                    awr_d_o,
  input  logic                                                         awr_rdy_i,
  // a register has been moved into, or out of, the PCRF
  output logic                                                         mvi_v_o,
  output logic [4:0]                                                   mvi_w_o,
  output logic [5:0]                                                   mvi_r_o,
  output logic [$clog2(NumEntries)-1:0]                                mvi_idx_o,
  output logic                                                         mvo_v_o,
  output logic [4:0]                                                   mvo_w_o,
  output logic [5:0]                                                   mvo_r_o,
  // the CTAs being moved
  output logic                                                         blk_v_o,
  output logic [6:0]                                                   blk_a_o,
  output logic [6:0]                                                   blk_b_o,
  output logic                                                         blk_av_o,
  output logic                                                         blk_bv_o,
  // a load's lanes for a spilled register
  input  logic                                                         fl_v_i,
  input  logic [$clog2(NumEntries)-1:0]                                fl_idx_i,
  input  logic [NumLanes-1:0]                                          fl_lane_i,
  input  logic [NumLanes*LaneW-1:0]                                    fl_d_i,
  output logic                                                         fl_rdy_o,
  // end of a command
  output logic                                                         done_v_o,
  output logic                                                         done_ok_o,
  output logic [(NumEntries > 1024 ? $clog2(NumEntries) : 10):0]       done_cnt_o
);
  localparam int IdxW = $clog2(NumEntries);
  localparam int DataW = NumLanes * LaneW;
  localparam int CntW = NumEntries > 1024 ? IdxW + 1 : 11;  // a CTA's registers: up to 32 x 63
  localparam int WarpW = $clog2(NumWarps);
  localparam int TagW = IdxW + 12;                // {end, next, warp, register}

// Look asks for vectors until it is sure that all fit; Move moves both ways, and asks for the rest. The serial engine's states: CRq
// requests the vector of warp w's PC, CWt waits for it; Admit checks that all fit; Walk moves b, in a swap entry by entry;
// the rest of a: DLd loads warp w's vector, SRd and SWt read a register, SWr writes it
`include "rmu_enum.svh"

  logic [3:0]      state_q, state_d;
  logic [1:0]      x_q, x_d;
  logic [5:0]      w_q, w_d;
  logic [CntW-1:0] need_q;
  logic [CntW-1:0] moved_q;
  logic [IdxW-1:0] prev_q;

  // the command, and b's row of the pointer table
  logic [1:0]      op_q;
  logic [6:0]      a_q, b_q;
  logic [5:0]      nw_q;                          // 0 in a restore
  logic [IdxW-1:0] bptr_q;
  logic [IdxW:0]   bcnt_q;                        // 0 in a spill

`ifdef FORMAL
  // internal state of the parts: pointer table, flags, tags, data
  localparam int RowW = 2 * IdxW + 1;
  logic [NumCta-1:0]           f_row_v;
  logic [NumCta*RowW-1:0]      f_row;
  logic [NumEntries-1:0]       f_flag;
  logic [NumEntries*TagW-1:0]  f_tag;
  logic [NumEntries*DataW-1:0] f_data;
`endif

  // ---- the parts of both engines
  logic            row_v;
  logic [IdxW-1:0] row_ptr;
  logic [IdxW:0]   row_cnt;
  logic            finish;
  ppt #(.NumCta(NumCta), .NumEntries(NumEntries)) u_ppt (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .rd_cta_i(c_b_i),
    .rd_v_o(row_v),
    .rd_ptr_o(row_ptr),
    .rd_cnt_o(row_cnt),
`ifdef FORMAL
    .f_v_o(f_row_v),
    .f_row_o(f_row),
`endif
    .clr_v_i(finish && op_q != OpSpill),
    .clr_cta_i(b_q),
    .wr_v_i(finish && op_q != OpRestore),
    .wr_cta_i(a_q),
    .wr_ptr_i(prev_q),
    .wr_cnt_i(need_q[IdxW:0])
  );

  logic        rq_v;
  logic        rq_rdy;
  logic        rs_v;
  logic        rs_hit;
  logic [63:0] rs_vec;
  logic [6:0]  rs_n;
`ifdef FORMAL
  // the cache is replaced by its contract, which lrvc's proof shows: each look-up is answered once,
  // at any time from the next cycle on, with any vector
  (* anyseq *) logic        f_rs;
  (* anyseq *) logic [63:0] f_vec;
  logic                     f_open_q;
  assign rq_rdy   = !f_open_q || rs_v;
  assign rs_v     = f_open_q && f_rs;
  assign rs_hit   = 1'b0;
  assign rs_vec   = rs_v ? f_vec : '0;
  assign m_rq_v_o = 1'b0;
  assign m_rq_a_o = '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (rq_v) f_open_q <= 1'b1;
    else if (rs_v) f_open_q <= 1'b0;
  end
`else
  lrvc #(.NumEntries(LrvcEntries)) u_lrvc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .invalidate_i(inv_i),
    .vector_base_i(base_i),
    .code_base_i(cbase_i),
    .request_valid_i(rq_v),
    .request_pc_i(pc_i),
    .request_ready_o(rq_rdy),
    .response_valid_o(rs_v),
    .response_vector_o(rs_vec),
    .response_hit_o(rs_hit),
    .memory_request_valid_o(m_rq_v_o),
    .memory_request_addr_o(m_rq_a_o),
    .memory_request_ready_i(m_rq_rdy_i),
    .memory_response_valid_i(m_rs_v_i),
    .memory_response_data_i(m_rs_d_i)
  );
`endif
  popcount #(.N(64)) u_n (.x_i(rs_vec), .n_o(rs_n));

  logic            ff_v;
  logic [IdxW-1:0] ff_idx;
  logic            take;                          // the buffer is written to a free entry
  logic            freed;                         // an entry of b is free
  logic [IdxW-1:0] freed_idx;
  fsmon #(.NumEntries(NumEntries)) u_fsmon (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .free_valid_o(ff_v),
    .free_index_o(ff_idx),
    .free_count_o(cnt_free_o),
`ifdef FORMAL
    .f_occupied_o(f_flag),
`endif
    .allocate_valid_i(take),
    .release_valid_i(freed),
    .release_index_i(freed_idx)
  );

  logic            done_v_q, done_ok_q, mvi_v_q, mvo_v_q;
  logic [4:0]      mv_w_q;
  logic [5:0]      mv_r_q;

  // ---- events of this cycle
  logic            accept;
  logic            refuse;
  logic            written;                       // a register of a is written to an entry:
  logic [IdxW-1:0] wr_idx;
  logic [4:0]      wr_w;
  logic [5:0]      wr_r;
  logic            pop;                           // a register of b has left
  assign accept = c_v_i && c_rdy_o;
  assign finish = state_q == Finish;
  assign pop    = awr_v_o && awr_rdy_i;

  assign c_rdy_o  = state_q == Idle;
  assign blk_v_o  = state_q != Idle;
  assign blk_av_o = blk_v_o && op_q != OpRestore;
  assign blk_bv_o = blk_v_o && op_q != OpSpill;
  assign blk_a_o  = blk_av_o ? a_q : '0;
  assign blk_b_o  = blk_bv_o ? b_q : '0;

  // outputs of the parts that are not used
  logic unused;
  assign unused = &{row_v, rs_hit, ff_v};

`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  localparam logic [63:0] Regs = 64'h4000_0000_0000_0001;  // registers that may be live
  localparam int CtaW = $clog2(NumCta);

  function automatic logic [CntW-1:0] f_ones(input logic [63:0] x);
    f_ones = CntW'(x[0]) + CntW'(x[62]);
  endfunction
`endif
`endif

  // ---- the engine: next state, ports of the ACRF, the signals above that have no driver yet
  if (Engine == 1) begin : gen_serial
`include "rmu_serial.svh"
  end else begin : gen_pipe
`include "rmu_pipe.svh"
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      x_q       <= '0;
      w_q       <= '0;
      need_q    <= '0;
      moved_q   <= '0;
      prev_q    <= '0;
      op_q      <= OpSpill;
      a_q       <= '0;
      b_q       <= '0;
      nw_q      <= '0;
      bptr_q    <= '0;
      bcnt_q    <= '0;
      done_v_q  <= 1'b0;
      done_ok_q <= 1'b0;
      mvi_v_q   <= 1'b0;
      mvo_v_q   <= 1'b0;
    end else begin
      state_q   <= state_d;
      x_q       <= x_d;
      w_q       <= w_d;
      done_v_q  <= finish || refuse;
      done_ok_q <= finish;
      mvi_v_q   <= written;
      mvo_v_q   <= pop;
      if (accept) begin
        need_q  <= '0;
        moved_q <= '0;
        prev_q  <= '0;
        op_q    <= c_op_i;
        a_q     <= c_a_i;
        b_q     <= c_b_i;
        nw_q    <= c_op_i == OpRestore ? '0 : c_nw_i;
        bptr_q  <= row_ptr;
        bcnt_q  <= c_op_i == OpSpill ? '0 : row_cnt;
      end else begin
        need_q <= need_q + CntW'(rs_n);
        if (written) begin
          moved_q <= moved_q + CntW'(1);
          prev_q  <= wr_idx;
        end
      end
    end
  end

  // not reset: mvi_v_q and mvo_v_q gate them
  always_ff @(posedge clk_i) begin
    mv_w_q <= wr_w;
    mv_r_q <= wr_r;
  end

  // ---- events. prev_q is the entry just written.
  assign mvi_v_o    = mvi_v_q;
  assign mvi_w_o    = mvi_v_q ? mv_w_q : '0;
  assign mvi_r_o    = mvi_v_q ? mv_r_q : '0;
  assign mvi_idx_o  = mvi_v_q ? prev_q : '0;
  assign mvo_v_o    = mvo_v_q;
  assign done_v_o   = done_v_q;
  assign done_ok_o  = done_ok_q;
  assign done_cnt_o = !done_v_q ? '0 : op_q == OpRestore ? CntW'(bcnt_q) : need_q;
endmodule

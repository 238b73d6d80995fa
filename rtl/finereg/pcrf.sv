// SPDX-License-Identifier: Apache-2.0
// pcrf: pending CTAs' registers: tag and data memories, and the walker of a chain.
// C twin: cmodel/blocks/finereg/pcrf.c
// First entry of a chain after four cycles, then one every second cycle; the FIFO holds four.
// NumEntries is at least 2.
module pcrf #(
  parameter int NumEntries = 1024,
  parameter int NumLanes = 32,
  parameter int LaneW = 32
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // walk a chain
  input  logic                          wk_v_i,
  input  logic [$clog2(NumEntries)-1:0] wk_ptr_i,
  // its entries
  output logic                          h_v_o,
  output logic [$clog2(NumEntries)-1:0] h_idx_o,
  output logic                          h_end_o,
  output logic [4:0]                    h_w_o,
  output logic [5:0]                    h_r_o,
  output logic [NumLanes*LaneW-1:0]     h_d_o,
  input  logic                          h_pop_i,
`ifdef FORMAL
  output logic [NumEntries*($clog2(NumEntries)+12)-1:0] f_tag_o,
  output logic [NumEntries*NumLanes*LaneW-1:0]          f_data_o,
  output logic                                          f_on_o,
  output logic [$clog2(NumEntries)-1:0]                 f_exp_o,
`endif
  // write an entry
  input  logic                          wr_v_i,
  input  logic [$clog2(NumEntries)-1:0] wr_idx_i,
  input  logic                          wr_end_i,
  input  logic [$clog2(NumEntries)-1:0] wr_next_i,
  input  logic [4:0]                    wr_w_i,
  input  logic [5:0]                    wr_r_i,
  input  logic [NumLanes*LaneW-1:0]     wr_d_i,
  // write lanes of an entry's data
  input  logic                          fl_v_i,
  input  logic [$clog2(NumEntries)-1:0] fl_idx_i,
  input  logic [NumLanes-1:0]           fl_lane_i,
  input  logic [NumLanes*LaneW-1:0]     fl_d_i
);
  localparam int IdxW = $clog2(NumEntries);
  localparam int DataW = NumLanes * LaneW;
  localparam int TagW = 1 + IdxW + 5 + 6;         // {end, next, warp, register}
  localparam int IdW = IdxW + 1 + 5 + 6;          // {index, end, warp, register}
  localparam int Places = 4;                      // entries of the FIFO

  logic [TagW-1:0]  tag_rd;                       // read data of the memories
  logic [DataW-1:0] data_rd;

  // stages of the walk: p1: the tag is at the memory's output; p2: it is known; p3: its data is at
  // the memory's output
  logic            p1_v_q, p2_v_q, p3_v_q;
  logic [IdxW-1:0] at_q;                          // the entry in p1, in p2 or waiting: one at most
  logic [TagW-1:0] tag_q;                         // the tag in p2
  logic [IdW-1:0]  p3_id_q;
  logic            wait_v_q;                      // a tag waits for a credit
  logic [2:0]      credit_q;

  logic [IdW-1:0]   id_q [Places];                // not reset: n_q gates them
  logic [DataW-1:0] data_q [Places];
  logic [1:0]       head_q, tail_q;
  logic [2:0]       n_q;

  // the tag to be read next: a new walk's first, the successor of p2's entry, or the one waiting
  logic            tag_end;
  logic [IdxW-1:0] tag_next;
  logic            ask;
  logic            rd;
  logic [IdxW-1:0] rd_idx;
  assign tag_end  = tag_q[TagW-1];
  assign tag_next = tag_q[11 +: IdxW];
  assign ask      = wk_v_i || wait_v_q || (p2_v_q && !tag_end);
  assign rd       = ask && credit_q != 3'd0;
  assign rd_idx   = wk_v_i ? wk_ptr_i : wait_v_q ? at_q : tag_next;

`ifdef FORMAL
  logic [NumEntries*TagW-1:0]  f_tag;               // contents
  logic [NumEntries*DataW-1:0] f_data;
`endif

  ram_1r1w #(.Depth(NumEntries), .Width(TagW)) u_tag (
    .clk_i(clk_i),
    .re_i(rd),
    .raddr_i(rd_idx),
    .we_i(wr_v_i),
    .waddr_i(wr_idx_i),
    .wdata_i({wr_end_i, wr_next_i, wr_w_i, wr_r_i}),
`ifdef FORMAL
    .f_mem_o(f_tag),
`endif
    .rdata_o(tag_rd)
  );

  ram_1r1w #(.Depth(NumEntries), .Width(DataW), .Lanes(NumLanes)) u_data (
    .clk_i(clk_i),
    .re_i(p2_v_q),
    .raddr_i(at_q),
    .we_i({NumLanes{wr_v_i}} | ({NumLanes{fl_v_i}} & fl_lane_i)),
    .waddr_i(wr_v_i ? wr_idx_i : fl_idx_i),
    .wdata_i(wr_v_i ? wr_d_i : fl_d_i),
`ifdef FORMAL
    .f_mem_o(f_data),
`endif
    .rdata_o(data_rd)
  );

  // the FIFO's head
  assign h_v_o = n_q != 3'd0;
  assign {h_idx_o, h_end_o, h_w_o, h_r_o} = h_v_o ? id_q[head_q] : '0;
  assign h_d_o = h_v_o ? data_q[head_q] : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      p1_v_q   <= 1'b0;
      p2_v_q   <= 1'b0;
      p3_v_q   <= 1'b0;
      at_q     <= '0;
      tag_q    <= '0;
      p3_id_q  <= '0;
      wait_v_q <= 1'b0;
      credit_q <= 3'(Places);
      head_q   <= '0;
      tail_q   <= '0;
      n_q      <= '0;
    end else begin
      p1_v_q   <= rd;
      p2_v_q   <= p1_v_q;
      p3_v_q   <= p2_v_q;
      wait_v_q <= ask && !rd;
      credit_q <= credit_q + 3'(h_pop_i) - 3'(rd);
      if (ask) at_q <= rd_idx;
      if (p1_v_q) tag_q <= tag_rd;
      if (p2_v_q) p3_id_q <= {at_q, tag_end, tag_q[10:0]};
      if (h_pop_i) head_q <= head_q + 2'd1;
      if (p3_v_q) tail_q <= tail_q + 2'd1;
      n_q      <= n_q + 3'(p3_v_q) - 3'(h_pop_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (p3_v_q) begin
      id_q[tail_q]   <= p3_id_q;
      data_q[tail_q] <= data_rd;
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // entries under way, oldest first: places of the FIFO, p3, p2, p1
  localparam int Items = Places + 3;
  logic [Items-1:0]      f_v;
  always_comb begin
    for (int k = 0; k < Places; k++) f_v[k] = k < 32'(n_q);
    f_v[Places +: 3] = {p1_v_q, p2_v_q, p3_v_q};
  end
`ifdef FORMAL
  logic [Items*IdxW-1:0] f_idx;
  always_comb begin
    f_idx = '0;
    for (int k = 0; k < Places; k++) f_idx[IdxW*k +: IdxW] = id_q[2'(head_q + 2'(k))][IdW-1 -: IdxW];
    f_idx[IdxW*Places +: 3*IdxW] = {at_q, at_q, p3_id_q[IdW-1 -: IdxW]};
  end
`endif

`ifdef FORMAL
  // for the engine's proof
  assign f_tag_o  = f_tag;
  assign f_data_o = f_data;
  assign f_on_o   = f_on_q;
  assign f_exp_o  = f_exp_q;
`endif

  logic            f_on_q;                          // a walk is under way; next: f_exp_q
`ifdef FORMAL
  // assumptions on the inputs
  logic [IdxW-1:0] f_exp_q;
  logic            f_we;
  logic [IdxW-1:0] f_wa;
  assign f_we = wr_v_i || fl_v_i;
  assign f_wa = wr_v_i ? wr_idx_i : fl_idx_i;
  always_comb begin
    if (wk_v_i) assume (!f_on_q);
    if (h_pop_i) assume (h_v_o);
    assume (!(wr_v_i && fl_v_i));
    if (rd && f_we) assume (rd_idx != f_wa);
    for (int k = 0; k < Items; k++) begin
      if (f_v[k] && f_we && !(k == 0 && h_pop_i)) assume (f_idx[IdxW*k +: IdxW] != f_wa);
    end
  end

  // contents: one symbolic entry, each lane of its data
  (* anyconst *) logic [IdxW-1:0] f_a;
  logic             f_known_q;                      // written since the reset
  logic [TagW-1:0]  f_tag_q;
  logic [DataW-1:0] f_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_known_q <= 1'b0;
    else if (wr_v_i && wr_idx_i == f_a) f_known_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (wr_v_i && wr_idx_i == f_a) begin
      f_tag_q  <= {wr_end_i, wr_next_i, wr_w_i, wr_r_i};
      f_data_q <= wr_d_i;
    end else if (fl_v_i && fl_idx_i == f_a) begin
      for (int l = 0; l < NumLanes; l++) begin
        if (fl_lane_i[l]) f_data_q[LaneW*l +: LaneW] <= fl_d_i[LaneW*l +: LaneW];
      end
    end
  end
  always_comb begin
    if (f_known_q) begin
      assert (f_tag[TagW*f_a +: TagW] == f_tag_q);
      assert (f_data[DataW*f_a +: DataW] == f_data_q);
    end
  end

  // invariant 1: the head is the next entry of the chain, as the memories hold it
  logic [TagW-1:0] f_htag;
  assign f_htag = f_tag[TagW*h_idx_o +: TagW];
  always_ff @(posedge clk_i) begin
    if (wk_v_i) f_exp_q <= wk_ptr_i;
    else if (h_pop_i) f_exp_q <= f_htag[11 +: IdxW];
  end
  always_comb begin
    if (h_v_o) begin
      assert (f_on_q && h_idx_o == f_exp_q);
      assert ({h_end_o, h_w_o, h_r_o} == {f_htag[TagW-1], f_htag[10:0]});
      assert (h_d_o == f_data[DataW*h_idx_o +: DataW]);
    end else begin
      assert ({h_idx_o, h_end_o, h_w_o, h_r_o} == '0 && h_d_o == '0);
    end
  end
`endif
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_on_q <= 1'b0;
    else f_on_q <= wk_v_i || (f_on_q && !(h_pop_i && h_end_o));
  end

  // invariant 2; nothing is left when the walk is over
  logic [3:0] f_items;
  always_comb begin
    f_items = '0;
    for (int k = 0; k < Items; k++) f_items = f_items + 4'(f_v[k]);
  end
  `ASSERT_ALWAYS begin
    assert (f_items + 4'(credit_q) == 4'(Places));
    assert (f_on_q == (f_items != '0));
    if (!f_on_q) assert (credit_q == 3'(Places) && !wait_v_q);
  end

  // invariant 3
  logic                                f_hold_q;
  logic [IdW+DataW-1:0]                f_h_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_hold_q <= 1'b0;
    else f_hold_q <= h_v_o && !h_pop_i;
  end
  always_ff @(posedge clk_i) f_h_q <= {h_idx_o, h_end_o, h_w_o, h_r_o, h_d_o};
  `ASSERT_ALWAYS begin
    if (f_hold_q && rst_ni)
      assert (h_v_o && {h_idx_o, h_end_o, h_w_o, h_r_o, h_d_o} == f_h_q);
  end

  // times: a walk's first entry comes after four cycles, a later one after four at most. A tag is
  // read whenever there is a credit; a credit that a pop returns counts from the next cycle on.
  logic [2:0] f_dry_q;                              // cycles of the walk without a head
  logic       f_first_q;                            // no head yet
  logic       f_had_q;                              // there was a credit
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_dry_q   <= '0;
      f_first_q <= 1'b0;
      f_had_q   <= 1'b0;
    end else begin
      f_had_q   <= credit_q != 3'd0;
      f_dry_q   <= f_on_q && !h_v_o ? f_dry_q + 3'd1 : '0;
      f_first_q <= wk_v_i || (f_first_q && !h_v_o);
    end
  end
  `ASSERT_ALWAYS begin
    if (f_on_q && !h_v_o) assert (f_dry_q < 3'd3);
    if (f_first_q && h_v_o) assert (f_dry_q == 3'd3);
    if (f_first_q && !h_v_o) begin
      assert (f_items == 4'd1 || (f_items == 4'd2 && p3_v_q && p1_v_q));
      assert (f_dry_q == (p3_v_q ? 3'd2 : p2_v_q ? 3'd1 : 3'd0));
    end
    if (f_on_q && !h_v_o && !f_first_q)
      assert (f_dry_q <= (p3_v_q ? 3'd2 : p2_v_q ? 3'd1 : 3'd0));
    if (wait_v_q) assert (!f_had_q && credit_q <= 3'd1);
    if (p1_v_q) assert (f_had_q);
  end

`ifdef FORMAL
  // needed for the induction: each entry under way is as the memories hold it, and its successor
  // is the next one under way
  logic [TagW-1:0] f_t;
  logic [TagW-1:0] f_last;                          // tag of the youngest
  logic            f_some;
  always_comb begin
    assert (32'(n_q) <= Places && 2'(head_q + n_q[1:0]) == tail_q);
    assert (!(p1_v_q && p2_v_q) && !(p2_v_q && p3_v_q));
    if (p1_v_q) assert (tag_rd == f_tag[TagW*at_q +: TagW]);
    if (p2_v_q) assert (tag_q == f_tag[TagW*at_q +: TagW]);
    if (p3_v_q) assert (data_rd == f_data[DataW*p3_id_q[IdW-1 -: IdxW] +: DataW]);
    f_some = 1'b0;
    f_last = '0;
    for (int k = 0; k < Items; k++) begin
      f_t = f_tag[TagW*f_idx[IdxW*k +: IdxW] +: TagW];
      if (f_v[k]) begin
        if (k < Places) begin
          assert (id_q[2'(head_q + 2'(k))][11:0] == {f_t[TagW-1], f_t[10:0]});
          assert (data_q[2'(head_q + 2'(k))] == f_data[DataW*f_idx[IdxW*k +: IdxW] +: DataW]);
        end
        if (k == Places) assert (p3_id_q[11:0] == {f_t[TagW-1], f_t[10:0]});
        if (f_some) assert (!f_last[TagW-1] && f_last[11 +: IdxW] == f_idx[IdxW*k +: IdxW]);
        else assert (f_idx[IdxW*k +: IdxW] == f_exp_q);
        f_last = f_t;
        f_some = 1'b1;
      end
    end
    // the youngest is the chain's end, or its successor waits, or is requested from p2
    if (!p1_v_q && !p2_v_q) assert (wait_v_q == (f_some && !f_last[TagW-1]));
    else assert (!wait_v_q);
    if (wait_v_q) assert (at_q == f_last[11 +: IdxW]);
  end

  always_comb begin
    cover (rst_ni && wait_v_q && credit_q == 3'd1 && f_known_q);
    cover (rst_ni && h_pop_i && h_end_o && h_idx_o == f_a && f_known_q && h_d_o == '1);
    cover (rst_ni && f_on_q && !f_first_q && !h_v_o);
    cover (rst_ni && n_q == 3'd3 && p3_v_q && h_pop_i && wr_v_i && wr_idx_i == h_idx_o);
  end
`endif
`endif
endmodule

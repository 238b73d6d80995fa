// SPDX-License-Identifier: Apache-2.0
// pcrf: pending CTAs' registers: tag and data memories, and the walker of a chain.
// C twin: cmodel/blocks/finereg/pcrf.c
// First entry of a chain after four cycles, then one every second cycle; four at most wait.
// NumEntries is a power of two, at least 2.
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
  localparam int Places = 4;                      // of the FIFO

  logic [TagW-1:0]  tag_rd;                       // what the memories answer
  logic [DataW-1:0] data_rd;

  // stages of the walk: p1: the tag is at the memory's output; p2: it is known; p3: its data is at
  // the memory's output
  logic            p1_v_q, p2_v_q, p3_v_q;
  logic [IdxW-1:0] p1_idx_q, p2_idx_q;
  logic [TagW-1:0] tag_q;                         // of p2
  logic [IdW-1:0]  p3_id_q;
  logic            wait_v_q, wait_v_d;            // a tag that waits for a credit
  logic [IdxW-1:0] wait_idx_q, wait_idx_d;
  logic [2:0]      credit_q, credit_d;

  logic [IdW-1:0]   id_q [Places];                // not reset: n_q gates them
  logic [DataW-1:0] data_q [Places];
  logic [1:0]       head_q, tail_q;
  logic [2:0]       n_q;

  // the tag to be read next: a new walk's first, or what p2's entry leads to, or the one that waits
  logic            tag_end;
  logic [IdxW-1:0] tag_next;
  logic            ask;
  logic            rd;
  logic [IdxW-1:0] rd_idx;
  assign tag_end  = tag_q[TagW-1];
  assign tag_next = tag_q[11 +: IdxW];
  assign ask      = wk_v_i || wait_v_q || (p2_v_q && !tag_end);
  assign rd       = ask && credit_q != 3'd0;
  assign rd_idx   = wk_v_i ? wk_ptr_i : wait_v_q ? wait_idx_q : tag_next;

  always_comb begin
    wait_v_d   = ask && !rd;
    wait_idx_d = wait_idx_q;
    if (wait_v_d) wait_idx_d = rd_idx;
    credit_d = credit_q + 3'(h_pop_i) - 3'(rd);
  end

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
    .raddr_i(p2_idx_q),
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
      p1_v_q     <= 1'b0;
      p2_v_q     <= 1'b0;
      p3_v_q     <= 1'b0;
      p1_idx_q   <= '0;
      p2_idx_q   <= '0;
      tag_q      <= '0;
      p3_id_q    <= '0;
      wait_v_q   <= 1'b0;
      wait_idx_q <= '0;
      credit_q   <= 3'(Places);
      head_q     <= '0;
      tail_q     <= '0;
      n_q        <= '0;
    end else begin
      p1_v_q     <= rd;
      p2_v_q     <= p1_v_q;
      p3_v_q     <= p2_v_q;
      wait_v_q   <= wait_v_d;
      wait_idx_q <= wait_idx_d;
      credit_q   <= credit_d;
      if (rd) p1_idx_q <= rd_idx;
      if (p1_v_q) p2_idx_q <= p1_idx_q;
      if (p1_v_q) tag_q <= tag_rd;
      if (p2_v_q) p3_id_q <= {p2_idx_q, tag_end, tag_q[10:0]};
      if (h_pop_i) head_q <= head_q + 2'd1;
      if (p3_v_q) tail_q <= tail_q + 2'd1;
      n_q <= n_q + 3'(p3_v_q) - 3'(h_pop_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (p3_v_q) begin
      id_q[tail_q]   <= p3_id_q;
      data_q[tail_q] <= data_rd;
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// aau: address allocation unit: free numbers, in the order in which they became free.
// C twin: cmodel/blocks/ltrf/aau.c
// One number given out and one taken back per cycle; what is taken back can be given out in the next one. Depth is a power of two,
// 2 to 32.
module aau #(
  parameter int Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // all numbers become free
  input  logic                     init_i,
  // the head is taken
  input  logic                     pop_v_i,
  // a number becomes free
  input  logic                     push_v_i,
  input  logic [$clog2(Depth)-1:0] push_id_i,
`ifdef FORMAL
  output logic [Depth-1:0]         f_occ_o,
  output logic [$clog2(Depth):0]   f_cnt_o,
`endif
  output logic                     ne_o,
  output logic [$clog2(Depth)-1:0] head_o
);
  localparam int W = $clog2(Depth);

  logic [Depth-1:0] occ_q, occ_d;
  logic [W:0]       cnt_q, cnt_d;
  // the queue: a ring of which cnt places are in use, from rd on
  logic [W-1:0]     id_q [Depth];
  logic [W-1:0]     rd_q, rd_d;
  logic [W-1:0]     wr_q, wr_d;
  logic             push;
  assign push = push_v_i && !init_i;

  for (genvar k = 0; k < Depth; k++) begin : gen_place
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) id_q[k] <= W'(k);
      else if (init_i) id_q[k] <= W'(k);
      else if (push && wr_q == W'(k)) id_q[k] <= push_id_i;
    end
  end

  for (genvar j = 0; j < W; j++) begin : gen_bit
    logic [Depth-1:0] ids;                        // bit j of all places
    for (genvar k = 0; k < Depth; k++) begin : gen_place
      assign ids[k] = id_q[k][j];
    end
    assign head_o[j] = ne_o && ids[rd_q];
  end
  assign ne_o = cnt_q != '0;

  always_comb begin
    occ_d = occ_q;
    if (push_v_i) occ_d[push_id_i] = 1'b0;
    if (pop_v_i) occ_d[head_o] = 1'b1;
    cnt_d = cnt_q + (W+1)'(push_v_i) - (W+1)'(pop_v_i);
    rd_d  = rd_q + W'(pop_v_i);
    wr_d  = wr_q + W'(push_v_i);
    if (init_i) begin
      occ_d = '0;
      cnt_d = (W+1)'(Depth);
      rd_d  = '0;
      wr_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      occ_q <= '0;
      cnt_q <= (W+1)'(Depth);
      rd_q  <= '0;
      wr_q  <= '0;
    end else begin
      occ_q <= occ_d;
      cnt_q <= cnt_d;
      rd_q  <= rd_d;
      wr_q  <= wr_d;
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  assign f_occ_o = occ_q;
  assign f_cnt_o = cnt_q;
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    if (!init_i) begin
      if (pop_v_i) assume (ne_o);
      if (push_v_i) assume (occ_q[push_id_i]);
    end
  end
`endif

  // 1
  logic [W:0] f_free;
  always_comb begin
    f_free = '0;
    for (int i = 0; i < Depth; i++) f_free = f_free + (W+1)'(!occ_q[i]);
  end
  `ASSERT_ALWAYS begin
    assert (cnt_q == f_free && ne_o == (cnt_q != '0));
    assert (wr_q == rd_q + cnt_q[W-1:0]);
    if (!ne_o) assert (head_o == '0);
    // 2
    if (ne_o) assert (!occ_q[head_o]);
  end

  // 2: how often a number is in the queue, and how far behind the head: for all numbers in a proof, for one in a simulation
  logic [Depth*W-1:0] f_queue;                      // in the queue's order
  logic [Depth-1:0]   f_used;
  for (genvar k = 0; k < Depth; k++) begin : gen_f_place
    logic [W-1:0] f_at;
    assign f_at   = rd_q + W'(k);
    assign f_used[k] = k < 32'(cnt_q);
    for (genvar j = 0; j < W; j++) begin : gen_f_bit
      assign f_queue[W*k+j] = gen_bit[j].ids[f_at];
    end
  end
`ifdef FORMAL
  for (genvar i = 0; i < Depth; i++) begin : gen_f_id
    logic [W:0] f_times;
    always_comb begin
      f_times = '0;
      for (int k = 0; k < Depth; k++) f_times = f_times + (W+1)'(f_used[k] && f_queue[W*k +: W] == W'(i));
      assert (f_times == (W+1)'(!occ_q[i]));
    end
  end
`endif

  // Of two numbers: 3, and that the first one is ahead of the second one in the queue if it became free before it
  `ASSERT_ANY(f_i, W)
  `ASSERT_ANY(f_j, W)
  logic [W:0]   f_times;
  logic [W-1:0] f_i_at;
  logic [W-1:0] f_j_at;
  logic         f_out_q;                            // the first one is occupied, by what went through the ports
  logic         f_j_out_q;
  logic         f_fresh_q;                          // none of the two has been taken since init
  logic         f_ahead_q;                          // both are free, and the first one for longer
  logic         f_ahead;
  logic         f_i_goes;
  logic         f_j_goes;
  logic         f_i_comes;
  logic         f_j_comes;
  assign f_i_goes  = pop_v_i && head_o == f_i;
  assign f_j_goes  = pop_v_i && head_o == f_j;
  assign f_i_comes = push_v_i && push_id_i == f_i;
  assign f_j_comes = push_v_i && push_id_i == f_j;
  assign f_ahead   = f_fresh_q ? f_i < f_j : f_ahead_q;
  always_comb begin
    f_times = '0;
    f_i_at  = '0;
    f_j_at  = '0;
    for (int k = 0; k < Depth; k++) begin
      f_times = f_times + (W+1)'(f_used[k] && f_queue[W*k +: W] == f_i);
      if (f_used[k] && f_queue[W*k +: W] == f_i) f_i_at = W'(k);
      if (f_used[k] && f_queue[W*k +: W] == f_j) f_j_at = W'(k);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_out_q   <= 1'b0;
      f_j_out_q <= 1'b0;
      f_fresh_q <= 1'b1;
      f_ahead_q <= 1'b0;
    end else if (init_i) begin
      f_out_q   <= 1'b0;
      f_j_out_q <= 1'b0;
      f_fresh_q <= 1'b1;
      f_ahead_q <= 1'b0;
    end else begin
      if (f_i_comes) f_out_q <= 1'b0;
      else if (f_i_goes) f_out_q <= 1'b1;
      if (f_j_comes) f_j_out_q <= 1'b0;
      else if (f_j_goes) f_j_out_q <= 1'b1;
      if (f_i_goes || f_j_goes) f_fresh_q <= 1'b0;
      if (f_i_goes || f_j_goes || f_i_comes) f_ahead_q <= 1'b0;
      else if (f_j_comes) f_ahead_q <= !f_out_q;
    end
  end
  `ASSERT_ALWAYS begin
    assert (f_times == (W+1)'(!occ_q[f_i]));
    assert (occ_q[f_i] == f_out_q && occ_q[f_j] == f_j_out_q);
    if (f_fresh_q) assert (!f_out_q && !f_j_out_q && !f_ahead_q);
    if (f_ahead) assert (!f_out_q && !f_j_out_q && f_i_at < f_j_at);
    if (!init_i && f_i_goes) assert (!f_out_q);
    if (!init_i && f_j_goes) assert (!f_ahead);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && !ne_o && push_v_i && !init_i);
    cover (rst_ni && cnt_q == (W+1)'(Depth) && head_o == W'(1) && id_q[1] == W'(0));
    cover (rst_ni && cnt_q == (W+1)'(1) && pop_v_i && push_v_i && !init_i);
    cover (rst_ni && init_i && push_v_i && pop_v_i && !ne_o);
  end
`endif
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// sthld: threshold controller: how many cycles alloc spares near registers, from the instructions of the last two intervals.
// C twin: cmodel/blocks/malekeh/sthld.c
// The cycle after a tick has the new threshold. One tick per cycle. CurW is 32 but in proofs.
module sthld #(
  parameter int Moved = 1,
  parameter int CurW = 32
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // an interval ends; its instructions
  input  logic            tick_i,
  input  logic [CurW-1:0] cur_i,
  // a table instead of the built-in one, [12][11]
  input  logic            tab_v_i,
  input  logic [131:0]    tab_i,
  output logic [5:0]      sth_o
);
`include "sthld_enum.svh"

  // rows, the last one first: top[3], next[3], mv, delta[4]
  localparam logic [131:0] Table = {
    11'h361, 11'h6c0,                             // hold: large, small
    11'h6c0, 11'h6c0,                             // settle
    11'h48f, 11'h5b1,                             // steep
    11'h48f, 11'h241,                             // guess
    11'h361, 11'h641,                             // flat
    11'h241, 11'h241                              // start
  };

  logic [2:0]      st_q;
  logic [5:0]      sth_q;
  logic [CurW-1:0] prev_q;
  logic            moved_q;

  // 50 |cur - prev| > prev, without the absolute value: 50 cur is above 51 prev or below 49 prev
  localparam int DiffW = CurW + 7;
  logic [DiffW-1:0] above;
  logic [DiffW-1:0] below;
  logic             is_large;
  assign above = DiffW'(51) * DiffW'(prev_q) - DiffW'(50) * DiffW'(cur_i);
  assign below = DiffW'(50) * DiffW'(cur_i) - DiffW'(49) * DiffW'(prev_q);
  assign is_large = above[DiffW-1] || below[DiffW-1];

  // The state's two rows, the small change's first, give their results beside the comparison.
  logic [131:0] tab;
  logic [5:0]   sth [2];
  logic [2:0]   st [2];
  assign tab = tab_v_i ? tab_i : Table;
  for (genvar k = 0; k < 2; k++) begin : gen_row
    logic [10:0] row;
    logic [7:0]  sum;
    always_comb begin
      case (st_q)
        StStart:  row = tab[11*(0+k) +: 11];
        StFlat:   row = tab[11*(2+k) +: 11];
        StGuess:  row = tab[11*(4+k) +: 11];
        StSteep:  row = tab[11*(6+k) +: 11];
        StSettle: row = tab[11*(8+k) +: 11];
        default:  row = tab[11*(10+k) +: 11];
      endcase
    end
    assign sum    = {2'd0, sth_q} + (Moved != 0 && row[4] && !moved_q ? 8'd0 : {{4{row[3]}}, row[3:0]});
    assign sth[k] = sum[7] ? 6'd0 : sum[6] ? 6'd63 : sum[5:0];
    assign st[k]  = sth_q == 6'd63 ? row[10:8] : row[7:5];
  end

  logic [5:0] sth_d;
  assign sth_d = is_large ? sth[1] : sth[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q    <= StStart;
      sth_q   <= '0;
      prev_q  <= '0;
      moved_q <= 1'b0;
    end else if (tick_i) begin
      st_q    <= is_large ? st[1] : st[0];
      sth_q   <= sth_d;
      prev_q  <= cur_i;
      moved_q <= sth_d != sth_q;
    end
  end
  assign sth_o = sth_q;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  // the tables that the page calls illegal
  always_comb begin
    for (int r = 0; r < 12; r++) begin
      if (tick_i && tab_v_i) begin
        assume (tab_i[11*r+5 +: 3] != 3'd0 && tab_i[11*r+5 +: 3] != 3'd7);
        assume (tab_i[11*r+8 +: 3] != 3'd0 && tab_i[11*r+8 +: 3] != 3'd7);
      end
    end
  end
`endif

  // the cycle before
  logic        f_tick_q;
  logic        f_own_q;                             // with the built-in table
  logic        f_large_q;
  logic [2:0]  f_st_q;
  logic [5:0]  f_sth_q;
  logic        f_moved_q;
  // small changes with the built-in table, one after the other, and the most ticks with one that the state is away from hold
  logic [6:0]  f_small_q;
  logic [6:0]  f_away;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_tick_q  <= 1'b0;
      f_own_q   <= 1'b0;
      f_large_q <= 1'b0;
      f_st_q    <= StStart;
      f_sth_q   <= '0;
      f_moved_q <= 1'b0;
      f_small_q <= '0;
    end else begin
      f_tick_q  <= tick_i;
      f_own_q   <= !tab_v_i;
      f_large_q <= is_large;
      f_st_q    <= st_q;
      f_sth_q   <= sth_q;
      f_moved_q <= moved_q;
      if (tick_i) f_small_q <= is_large || tab_v_i ? '0 : f_small_q == 7'd64 ? 7'd64 : f_small_q + 7'd1;
    end
  end
  always_comb begin
    case (st_q)
      StStart:  f_away = sth_q == 6'd63 ? 7'd2 : 7'd64 - {1'b0, sth_q};
      StFlat:   f_away = 7'd64 - {1'b0, sth_q};
      StGuess:  f_away = sth_q == 6'd63 ? 7'd2 : 7'd64 - {1'b0, sth_q};
      StSteep:  f_away = 7'd2;
      StSettle: f_away = 7'd1;
      default:  f_away = 7'd0;
    endcase
  end

  // the change as the page has it
  logic [CurW-1:0] f_abs;
  assign f_abs = cur_i < prev_q ? prev_q - cur_i : cur_i - prev_q;
  `ASSERT_ALWAYS begin
    assert (is_large == (DiffW'(50) * DiffW'(f_abs) > DiffW'(prev_q)));
  end

  logic [5:0] f_up;                                 // by how much the threshold rose, or fell
  logic [5:0] f_down;
  assign f_up   = sth_q > f_sth_q ? sth_q - f_sth_q : '0;
  assign f_down = sth_q < f_sth_q ? f_sth_q - sth_q : '0;
  `ASSERT_ALWAYS begin
    assert (sth_o == sth_q);
    // 1
    assert (st_q >= StStart && st_q <= StHold);
    // 2, 5
    assert (f_up <= 6'd7 && f_down <= 6'd8);
    if (f_tick_q && f_own_q) assert (f_up <= 6'd1 && f_down <= 6'd1);
    if (f_tick_q) assert (moved_q == (sth_q != f_sth_q));
    if (!f_tick_q) assert (sth_q == f_sth_q && st_q == f_st_q && moved_q == f_moved_q);
    // 3: each small change brings hold nearer
    assert (f_away == 7'd0 || 32'(f_small_q) + 32'(f_away) <= 64);
    if (f_small_q == 7'd64) assert (st_q == StHold);
    if (f_tick_q && f_own_q && !f_large_q && f_st_q == StHold) assert (st_q == StHold && sth_q == f_sth_q);
    // 4
    if (f_tick_q && f_own_q) begin
      assert (st_q != StStart);
      if (f_st_q == StSettle) assert (st_q == StHold);
    end
    // rows of the built-in table, in words: a step back while it is steep, forward while it is flat
    if (f_tick_q && f_own_q && f_st_q == StSteep) begin
      assert (st_q == (f_large_q ? StSteep : StSettle));
      if (f_large_q) assert (f_down != '0 || f_sth_q == '0);
      if (!f_large_q) assert (f_down == '0 && f_up == 6'((f_moved_q || Moved == 0) && f_sth_q != 6'd63));
    end
    if (f_tick_q && f_own_q && f_st_q == StFlat) begin
      assert (f_up != '0 || f_sth_q == 6'd63);
      assert (st_q == (f_large_q ? StGuess : f_sth_q == 6'd63 ? StHold : StFlat));
    end
  end

`ifdef FORMAL
  // the walk to a knee at 1, and the limits
  always_comb begin
    cover (rst_ni && st_q == StHold && sth_q == 6'd1 && f_moved_q && !moved_q && f_small_q == 7'd2 && f_own_q);
    cover (rst_ni && sth_q == 6'd63 && f_tick_q && !moved_q);
    cover (rst_ni && sth_q == '0 && f_tick_q && !f_own_q && f_sth_q == 6'd7);
    cover (rst_ni && st_q == StStart && f_st_q != StStart);
  end
`endif
`endif
endmodule

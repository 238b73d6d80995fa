// SPDX-License-Identifier: Apache-2.0
// dit: destination indirection table: write-back lanes look up their entry, round robin per bank.
// C twin: cmodel/blocks/slice/dit.c
// Latency 1; one look-up per bank and cycle. A lane that loses a conflict waits, for two conflicts
// at most.
module dit #(
  parameter int NumBanks = 16,
  parameter int NumRows = 16,
  parameter int NumLanes = 3,
  parameter int EntryW = 32,
  parameter int PlW = 1063
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  // load an entry
  input  logic                                         ld_v_i,
  input  logic [$clog2(NumBanks*NumRows)-1:0]          ld_a_i,
  input  logic [EntryW-1:0]                            ld_e_i,
  // write-back lanes
  input  logic [NumLanes-1:0]                          w_v_i,
  input  logic [NumLanes*$clog2(NumBanks*NumRows)-1:0] w_a_i,
  input  logic [NumLanes*PlW-1:0]                      w_pl_i,
  output logic [NumLanes-1:0]                          w_rdy_o,
  // to the truncator
  output logic [NumLanes-1:0]                          o_v_o,
  output logic [NumLanes*EntryW-1:0]                   o_e_o,
  output logic [NumLanes*PlW-1:0]                      o_pl_o,
  input  logic [NumLanes-1:0]                          o_rdy_i
);
  localparam int AddrW = $clog2(NumBanks * NumRows);
  localparam int BankW = $clog2(NumBanks);
  localparam int RowW = $clog2(NumRows);
  localparam int LaneW = $clog2(NumLanes);

  logic [LaneW-1:0]           ptr_q [NumBanks];
  logic [NumBanks*LaneW-1:0]  ptr_d;
  logic [NumLanes-1:0]        v_q;
  logic [NumLanes-1:0]        v_d;
  logic [NumLanes-1:0]        fresh_q;            // entry still at the bank, not in e_q
  logic [NumLanes*BankW-1:0]  bank_q;
  logic [NumLanes*EntryW-1:0] e_q;
  logic [NumLanes*PlW-1:0]    pl_q;

  // A lane wins if its output is free, its bank is not being loaded, and no lane that requests the
  // same bank is nearer to the bank's pointer.
  logic [NumLanes-1:0] can;
  logic [NumLanes-1:0] win;
  always_comb begin
    for (int l = 0; l < NumLanes; l++) begin
      can[l] = (!v_q[l] || o_rdy_i[l])
            && !(ld_v_i && ld_a_i[BankW-1:0] == w_a_i[AddrW*l +: BankW]);
    end
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    logic [LaneW-1:0]    ptr;
    logic [NumLanes-1:0] ahead;
    assign ptr = ptr_q[w_a_i[AddrW*l +: BankW]];
    for (genvar k = 0; k < NumLanes; k++) begin : gen_other
      if (k == l) begin : gen_self
        assign ahead[k] = 1'b0;
      end else begin : gen_rival
        logic above_k;
        logic above_l;
        assign above_k = LaneW'(k) >= ptr;
        assign above_l = LaneW'(l) >= ptr;
        assign ahead[k] = w_v_i[k] && can[k]
                       && w_a_i[AddrW*k +: BankW] == w_a_i[AddrW*l +: BankW]
                       && (above_k == above_l ? k < l : above_k);
      end
    end
    assign w_rdy_o[l] = can[l] && ahead == '0;
  end
  assign win = w_v_i & w_rdy_o;

  // banks
  logic [NumBanks*EntryW-1:0] entry;
`ifdef FORMAL
  logic [NumBanks*NumRows*EntryW-1:0] f_mem;      // [NumBanks][NumRows]
`endif
  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic             load;
    logic             read;
    logic [RowW-1:0]  row;
    logic [LaneW-1:0] ptr;

    assign load = ld_v_i && ld_a_i[BankW-1:0] == BankW'(b);

    always_comb begin
      read = 1'b0;
      row  = '0;
      ptr  = ptr_q[b];
      for (int l = 0; l < NumLanes; l++) begin
        if (win[l] && w_a_i[AddrW*l +: BankW] == BankW'(b)) begin
          read = 1'b1;
          row  = row | w_a_i[AddrW*l + BankW +: RowW];
          ptr  = l == NumLanes - 1 ? '0 : LaneW'(l + 1);
        end
      end
    end
    assign ptr_d[LaneW*b +: LaneW] = ptr;

    ram_1rw #(.Depth(NumRows), .Width(EntryW)) u_ram (
      .clk_i(clk_i),
      .en_i(load || read),
      .we_i(load),
      .addr_i(load ? ld_a_i[BankW +: RowW] : row),
      .wdata_i(ld_e_i),
`ifdef FORMAL
      .f_mem_o(f_mem[NumRows*EntryW*b +: NumRows*EntryW]),
`endif
      .rdata_o(entry[EntryW*b +: EntryW])
    );
  end

  // outputs: the bank may serve another lane while this one is held, hence e_q
  logic [NumLanes*EntryW-1:0] e_now;
  always_comb begin
    for (int l = 0; l < NumLanes; l++) begin
      e_now[EntryW*l +: EntryW] = fresh_q[l] ? entry[EntryW*bank_q[BankW*l +: BankW] +: EntryW]
                                             : e_q[EntryW*l +: EntryW];
      o_e_o[EntryW*l +: EntryW] = v_q[l] ? e_now[EntryW*l +: EntryW] : '0;
      o_pl_o[PlW*l +: PlW]      = v_q[l] ? pl_q[PlW*l +: PlW] : '0;
    end
  end
  assign o_v_o = v_q;
  assign v_d   = win | (v_q & ~o_rdy_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      v_q     <= '0;
      fresh_q <= '0;
      for (int b = 0; b < NumBanks; b++) ptr_q[b] <= '0;
    end else begin
      v_q     <= v_d;
      fresh_q <= win;
      for (int b = 0; b < NumBanks; b++) ptr_q[b] <= ptr_d[LaneW*b +: LaneW];
    end
  end

  // not reset: v_q gates them
  always_ff @(posedge clk_i) begin
    for (int l = 0; l < NumLanes; l++) begin
      if (win[l]) begin
        pl_q[PlW*l +: PlW]       <= w_pl_i[PlW*l +: PlW];
        bank_q[BankW*l +: BankW] <= w_a_i[AddrW*l +: BankW];
      end
      if (fresh_q[l]) e_q[EntryW*l +: EntryW] <= e_now[EntryW*l +: EntryW];
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // contents: one symbolic entry
  `ASSERT_ANY(f_a, AddrW)
  logic              f_known_q;                     // loaded since the reset
  logic [EntryW-1:0] f_val_q;
`ifdef FORMAL
  logic [EntryW-1:0] f_cell;
  always_comb begin
    f_cell = '0;
    for (int b = 0; b < NumBanks; b++) begin
      for (int r = 0; r < NumRows; r++) begin
        if (f_a == AddrW'(r * NumBanks + b)) f_cell = f_mem[EntryW*(NumRows*b + r) +: EntryW];
      end
    end
  end
  always_comb if (f_known_q) assert (f_cell == f_val_q);
`endif
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_known_q <= 1'b0;
    else if (ld_v_i && ld_a_i == f_a) f_known_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (ld_v_i && ld_a_i == f_a) f_val_q <= ld_e_i;
  end

  // each bank takes the first requesting lane from the pointer upward; the pointer then moves to
  // the lane after it, else it stays
  for (genvar b = 0; b < NumBanks; b++) begin : gen_f_bank
    logic [NumLanes-1:0] f_asks;
    logic [NumLanes-1:0] f_takes;
    logic [LaneW-1:0]    f_who;
    logic [LaneW-1:0]    f_ptr_q;
    always_comb begin
      f_who = '0;
      for (int l = 0; l < NumLanes; l++) begin
        f_asks[l]  = w_v_i[l] && 32'(w_a_i[AddrW*l +: AddrW]) % NumBanks == b
                  && (!o_v_o[l] || o_rdy_i[l]) && !(ld_v_i && 32'(ld_a_i) % NumBanks == b);
        f_takes[l] = w_v_i[l] && 32'(w_a_i[AddrW*l +: AddrW]) % NumBanks == b && w_rdy_o[l];
        if (f_takes[l]) f_who = LaneW'(l);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_ptr_q <= '0;
      else if (f_takes != '0) f_ptr_q <= f_who == LaneW'(NumLanes - 1) ? '0 : f_who + 1'b1;
    end
    `ASSERT_ALWAYS begin
      assert (32'(ptr_q[b]) < NumLanes);
      assert (ptr_q[b] == f_ptr_q);
      assert ((f_takes & (f_takes - NumLanes'(1))) == '0);
      assert ((f_takes != '0) == (f_asks != '0));
      for (int l = 0; l < NumLanes; l++) begin
        if (f_takes != '0 && f_asks[l] && f_who != LaneW'(l))
          assert ((LaneW'(l) >= f_ptr_q) == (f_who >= f_ptr_q) ? f_who < LaneW'(l)
                                                               : f_who >= f_ptr_q);
      end
    end
  end

`ifdef FORMAL
  logic [NumLanes-1:0] f_met;                       // the bound on the wait is reached
`endif
  for (genvar l = 0; l < NumLanes; l++) begin : gen_f_lane
    logic [AddrW-1:0]    f_addr;
    logic                f_load;
    logic                f_free;
    logic [NumLanes-1:0] f_rival;                   // other lanes that request the bank now
    logic [LaneW-1:0]    f_p;
    assign f_addr = w_a_i[AddrW*l +: AddrW];
    assign f_load = ld_v_i && 32'(ld_a_i) % NumBanks == 32'(f_addr) % NumBanks;
    assign f_free = !o_v_o[l] || o_rdy_i[l];
    assign f_p    = ptr_q[32'(f_addr) % NumBanks];
    always_comb begin
      for (int k = 0; k < NumLanes; k++) begin
        f_rival[k] = k != l && w_v_i[k] && (!o_v_o[k] || o_rdy_i[k]) && !f_load
                  && 32'(w_a_i[AddrW*k +: AddrW]) % NumBanks == 32'(f_addr) % NumBanks;
      end
    end

    // ready follows the rule, and does not depend on the lane's own valid
    logic             f_rdy;
    logic [LaneW-1:0] f_at;
    logic             f_open;
    always_comb begin
      f_rdy  = f_free && !f_load;
      f_open = 1'b1;
      f_at   = f_p;
      for (int i = 0; i < NumLanes; i++) begin
        if (32'(f_at) == l) f_open = 1'b0;
        else if (f_open && f_rival[f_at]) f_rdy = 1'b0;
        f_at = f_at == LaneW'(NumLanes - 1) ? '0 : f_at + 1'b1;
      end
    end
    `ASSERT_ALWAYS assert (w_rdy_o[l] == f_rdy);

    // one look-up per bank, none in a bank that is being loaded
    `ASSERT_ALWAYS begin
      for (int k = 0; k < l; k++) begin
        if (w_v_i[k] && w_rdy_o[k] && w_v_i[l] && w_rdy_o[l])
          assert (32'(w_a_i[AddrW*k +: AddrW]) % NumBanks != 32'(f_addr) % NumBanks);
      end
    end

    // no result is lost, duplicated or changed
    logic              f_full_q;
    logic [PlW-1:0]    f_pl_q;
    logic              f_hit_q;
    logic [EntryW-1:0] f_e_q;
    logic [2:0]        f_in_q;
    logic [2:0]        f_out_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_full_q <= 1'b0;
        f_in_q   <= '0;
        f_out_q  <= '0;
      end else begin
        if (w_v_i[l] && w_rdy_o[l]) f_full_q <= 1'b1;
        else if (o_rdy_i[l]) f_full_q <= 1'b0;
        f_in_q  <= f_in_q + 3'(w_v_i[l] && w_rdy_o[l]);
        f_out_q <= f_out_q + 3'(o_v_o[l] && o_rdy_i[l]);
      end
    end
    always_ff @(posedge clk_i) begin
      if (w_v_i[l] && w_rdy_o[l]) begin
        f_pl_q  <= w_pl_i[PlW*l +: PlW];
        f_hit_q <= f_known_q && f_addr == f_a;
        f_e_q   <= f_val_q;
      end
    end
    `ASSERT_ALWAYS begin
      assert (o_v_o[l] == f_full_q);
      assert (3'(f_in_q - f_out_q) == {2'd0, f_full_q});
      assert (o_pl_o[PlW*l +: PlW] == (f_full_q ? f_pl_q : '0));
      if (!f_full_q) assert (o_e_o[EntryW*l +: EntryW] == '0);
      if (f_full_q && f_hit_q) assert (o_e_o[EntryW*l +: EntryW] == f_e_q);
      if (fresh_q[l]) assert (v_q[l]);
    end

    // a result that was not taken stays unchanged, whatever its entry
    logic              f_hold_q;
    logic [EntryW-1:0] f_oe_q;
    logic [PlW-1:0]    f_opl_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_hold_q <= 1'b0;
      else f_hold_q <= o_v_o[l] && !o_rdy_i[l];
    end
    always_ff @(posedge clk_i) begin
      f_oe_q  <= o_e_o[EntryW*l +: EntryW];
      f_opl_q <= o_pl_o[PlW*l +: PlW];
    end
    `ASSERT_ALWAYS begin
      if (f_hold_q && rst_ni) begin
        assert (o_v_o[l]);
        assert (o_e_o[EntryW*l +: EntryW] == f_oe_q);
        assert (o_pl_o[PlW*l +: PlW] == f_opl_q);
      end
    end

`ifdef FORMAL
    // a lane that holds its request loses NumLanes - 1 times at most
    logic             f_wait_q;
    logic [AddrW-1:0] f_wa_q;
    logic [LaneW:0]   f_lost_q;
    logic [LaneW:0]   f_dist;
    always_comb begin
      f_dist = LaneW'(l) >= f_p ? (LaneW+1)'(l) - {1'b0, f_p}
                                : (LaneW+1)'(l + NumLanes) - {1'b0, f_p};
      if (f_wait_q) assume (w_v_i[l] && f_addr == f_wa_q);
      if (f_wait_q) assert (32'(f_lost_q) + 32'(f_dist) < NumLanes);
      else assert (f_lost_q == '0);
      if (f_lost_q != '0) assert (!o_v_o[l]);                   // the request is held
      f_met[l] = f_wait_q && 32'(f_lost_q) == NumLanes - 1;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_wait_q <= 1'b0;
        f_wa_q   <= '0;
        f_lost_q <= '0;
      end else begin
        f_wait_q <= w_v_i[l] && !w_rdy_o[l];
        f_wa_q   <= f_addr;
        if (!w_v_i[l] || w_rdy_o[l]) f_lost_q <= '0;
        else if (f_free && !f_load) f_lost_q <= f_lost_q + 1'b1;
      end
    end
`endif
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && f_met != '0);                              // the bound is reached
    cover (rst_ni && o_v_o == '1);
    cover (rst_ni && gen_f_lane[0].f_hit_q && v_q[0] && !fresh_q[0] && o_e_o[EntryW-1:0] == '1);
  end
`endif
`endif
endmodule

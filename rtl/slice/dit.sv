// SPDX-License-Identifier: Apache-2.0
// dit: destination indirection table: write-back lanes look up their entry, round robin per bank.
// C twin: cmodel/blocks/slice/dit.c
// Latency 1; one look-up per bank and cycle. Who loses waits in its lane, for two conflicts at most.
module dit #(
  parameter int NumBanks = 16,
  parameter int NumRows = 16,
  parameter int NumLanes = 3,
  parameter int EntryW = 32,
  parameter int PlW = 1063
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  // load
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
  logic [NumLanes-1:0]        fresh_q;            // the entry is at the bank's output, not yet in e_q
  logic [NumLanes*BankW-1:0]  bank_q;
  logic [NumLanes*EntryW-1:0] e_q;
  logic [NumLanes*PlW-1:0]    pl_q;

  // Who may go: the output is free, the bank is not loaded, nobody who asks for the same bank comes first.
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
endmodule

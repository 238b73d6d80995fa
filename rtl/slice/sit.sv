// SPDX-License-Identifier: Apache-2.0
// sit: source indirection table: banks of one port, each granting one requester per cycle, round
// robin.
// C twin: cmodel/blocks/slice/sit.c
// Latency 1 from grant to response; one look-up per bank and cycle. A load takes its bank's port.
module sit #(
  parameter int NumBanks = 16,
  parameter int NumRows = 16,
  parameter int NumReq = 48,
  parameter int EntryW = 32
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  // load an entry
  input  logic                                       ld_v_i,
  input  logic [$clog2(NumBanks*NumRows)-1:0]        ld_a_i,
  input  logic [EntryW-1:0]                          ld_e_i,
  // requesters
  input  logic [NumReq-1:0]                          rq_v_i,
  input  logic [NumReq*$clog2(NumBanks*NumRows)-1:0] rq_a_i,
  output logic [NumReq-1:0]                          gn_o,
  // per bank: response to the grant of the cycle before
  output logic [NumBanks-1:0]                        rs_v_o,
  output logic [NumBanks*$clog2(NumReq)-1:0]         rs_q_o,
  output logic [NumBanks*EntryW-1:0]                 rs_e_o
);
  localparam int AddrW = $clog2(NumBanks * NumRows);
  localparam int BankW = $clog2(NumBanks);
  localparam int RowW = $clog2(NumRows);
  localparam int ReqW = $clog2(NumReq);

  logic [ReqW-1:0]            ptr_q [NumBanks];
  logic [NumBanks*ReqW-1:0]   ptr_d;
  logic [NumBanks-1:0]        rs_v_q;
  logic [NumBanks-1:0]        rs_v_d;
  logic [NumBanks*ReqW-1:0]   rs_q_q;
  logic [NumBanks*ReqW-1:0]   rs_q_d;
  logic [NumBanks*NumReq-1:0] gnt;

`ifdef FORMAL
  logic [NumBanks*NumRows*EntryW-1:0] f_mem;      // [NumBanks][NumRows]
`endif

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic              load;
    logic [NumReq-1:0] req;
    logic [RowW-1:0]   row;
    logic [EntryW-1:0] entry;

    assign load = ld_v_i && ld_a_i[BankW-1:0] == BankW'(b);

    always_comb begin
      for (int q = 0; q < NumReq; q++) begin
        req[q] = rq_v_i[q] && rq_a_i[AddrW*q +: BankW] == BankW'(b) && !load;
      end
    end

    rr_arb #(.N(NumReq)) u_arb (
      .req_i(req),
      .ptr_i(ptr_q[b]),
      .gnt_o(gnt[NumReq*b +: NumReq]),
      .idx_o(rs_q_d[ReqW*b +: ReqW]),
      .ptr_o(ptr_d[ReqW*b +: ReqW])
    );
    assign rs_v_d[b] = |req;

    always_comb begin
      row = '0;
      for (int q = 0; q < NumReq; q++) begin
        if (gnt[NumReq*b + q]) row = row | rq_a_i[AddrW*q + BankW +: RowW];
      end
    end

    ram_1rw #(.Depth(NumRows), .Width(EntryW)) u_ram (
      .clk_i(clk_i),
      .en_i(load || rs_v_d[b]),
      .we_i(load),
      .addr_i(load ? ld_a_i[BankW +: RowW] : row),
      .wdata_i(ld_e_i),
`ifdef FORMAL
      .f_mem_o(f_mem[NumRows*EntryW*b +: NumRows*EntryW]),
`endif
      .rdata_o(entry)
    );
    assign rs_e_o[EntryW*b +: EntryW] = rs_v_q[b] ? entry : '0;
  end

  always_comb begin
    gn_o = '0;
    for (int b = 0; b < NumBanks; b++) gn_o = gn_o | gnt[NumReq*b +: NumReq];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rs_v_q <= '0;
      rs_q_q <= '0;
      for (int b = 0; b < NumBanks; b++) ptr_q[b] <= '0;
    end else begin
      rs_v_q <= rs_v_d;
      rs_q_q <= rs_q_d;
      for (int b = 0; b < NumBanks; b++) ptr_q[b] <= ptr_d[ReqW*b +: ReqW];
    end
  end

  assign rs_v_o = rs_v_q;
  assign rs_q_o = rs_q_q;

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

  // one symbolic requester
  `ASSERT_ANY(f_r, ReqW)
`ifdef FORMAL
  always_comb assume (32'(f_r) < NumReq);
`endif

  for (genvar b = 0; b < NumBanks; b++) begin : gen_f_bank
    // grants
    logic              f_load;
    logic [NumReq-1:0] f_req;
    logic [NumReq-1:0] f_gnt;
    logic [ReqW-1:0]   f_who;
    logic [AddrW-1:0]  f_addr;
    assign f_load = ld_v_i && 32'(ld_a_i) % NumBanks == b;
    always_comb begin
      f_who  = '0;
      f_addr = '0;
      for (int q = 0; q < NumReq; q++) begin
        f_req[q] = rq_v_i[q] && 32'(rq_a_i[AddrW*q +: AddrW]) % NumBanks == b;
        f_gnt[q] = f_req[q] && gn_o[q];
        if (f_gnt[q]) begin
          f_who  = ReqW'(q);
          f_addr = rq_a_i[AddrW*q +: AddrW];
        end
      end
    end
    `ASSERT_ALWAYS begin
      assert (32'(ptr_q[b]) < NumReq);
      assert ((f_gnt & (f_gnt - NumReq'(1))) == '0);            // one at most
      assert ((f_gnt != '0) == (f_req != '0 && !f_load));       // and one if there is a request
    end

    // the first request from the pointer upward; the pointer then moves behind it, else it stays
    logic [ReqW-1:0] f_ptr_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_ptr_q <= '0;
      else if (f_gnt != '0) f_ptr_q <= f_who == ReqW'(NumReq - 1) ? '0 : f_who + 1'b1;
    end
    `ASSERT_ALWAYS begin
      assert (ptr_q[b] == f_ptr_q);
      if (32'(f_r) < NumReq && f_gnt != '0 && f_req[f_r] && f_who != f_r)
        assert ((f_r >= f_ptr_q) == (f_who >= f_ptr_q) ? f_who < f_r : f_who >= f_ptr_q);
    end

    // a response follows its grant, with the requester's number and entry
    logic              f_v_q;
    logic [ReqW-1:0]   f_who_q;
    logic              f_hit_q;
    logic [EntryW-1:0] f_exp_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_v_q <= 1'b0;
      else f_v_q <= f_gnt != '0;
    end
    always_ff @(posedge clk_i) begin
      f_who_q <= f_who;
      f_hit_q <= f_addr == f_a && f_known_q;
      f_exp_q <= f_val_q;
    end
    `ASSERT_ALWAYS begin
      assert (rs_v_o[b] == f_v_q);
      assert (rs_q_o[ReqW*b +: ReqW] == (f_v_q ? f_who_q : '0));
      if (!f_v_q) assert (rs_e_o[EntryW*b +: EntryW] == '0);
      if (f_v_q && f_hit_q) assert (rs_e_o[EntryW*b +: EntryW] == f_exp_q);
    end
  end

  `ASSERT_ALWAYS assert ((gn_o & ~rq_v_i) == '0);

`ifdef FORMAL
  // a held request waits for NumReq - 1 other grants at most, not counting loads of the bank
  logic             f_wait_q;
  logic [AddrW-1:0] f_wa_q;
  logic [ReqW:0]    f_lost_q;
  logic [AddrW-1:0] f_ra;
  logic [ReqW-1:0]  f_p;
  logic             f_rgn;
  logic [ReqW:0]    f_dist;
  always_comb begin
    f_ra  = rq_a_i[AddrW*f_r +: AddrW];
    f_rgn = gn_o[f_r];
    f_p   = '0;
    for (int b = 0; b < NumBanks; b++) if (32'(f_wa_q) % NumBanks == b) f_p = ptr_q[b];
    f_dist = f_r >= f_p ? {1'b0, f_r} - {1'b0, f_p} : {1'b0, f_r} + (ReqW+1)'(NumReq) - {1'b0, f_p};
    if (f_wait_q) assume (rq_v_i[f_r] && f_ra == f_wa_q);
    if (f_wait_q) assert (f_lost_q + f_dist < NumReq);
    else assert (f_lost_q == '0);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_wait_q <= 1'b0;
      f_wa_q   <= '0;
      f_lost_q <= '0;
    end else begin
      f_wait_q <= rq_v_i[f_r] && !f_rgn;
      f_wa_q   <= f_ra;
      if (!rq_v_i[f_r] || f_rgn) f_lost_q <= '0;
      else if (!(ld_v_i && 32'(ld_a_i) % NumBanks == 32'(f_ra) % NumBanks)) f_lost_q <= f_lost_q + 1'b1;
    end
  end

  always_comb begin
    cover (rst_ni && f_wait_q && 32'(f_lost_q) == NumReq - 1);  // the bound is reached
    cover (rst_ni && rs_v_q == '1 && f_known_q);
    cover (rst_ni && gen_f_bank[0].f_hit_q && rs_v_q[0] && rs_e_o[EntryW-1:0] == '1);
  end
`endif
`endif
endmodule

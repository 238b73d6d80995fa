// SPDX-License-Identifier: Apache-2.0
// sit: source indirection table: banks of one port, each granting one requester per cycle, round robin.
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
  // load
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
endmodule

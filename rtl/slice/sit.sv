// SPDX-License-Identifier: Apache-2.0
// sit: source indirection table: banks of one port, each granting one requester per cycle, round
// robin, so that no requester starves.
// C twin: cmodel/blocks/slice/sit.c
// Latency 1 from grant to response; one look-up per bank and cycle. A load takes its bank's port.
module sit #(
  parameter int NumBanks = 16,        // banks, one port each
  parameter int NumRows = 16,         // entries of a bank
  parameter int NumRequesters = 48,   // three operands of each collector unit
  parameter int EntryW = 32           // bits of an entry
) (
  input  logic                                              clk_i,
  input  logic                                              rst_ni,
  // load an entry
  input  logic                                              load_valid_i,
  input  logic [$clog2(NumBanks*NumRows)-1:0]               load_addr_i,
  input  logic [EntryW-1:0]                                 load_entry_i,
  // requesters, [requester]: register
  input  logic [NumRequesters-1:0]                          request_valid_i,
  input  logic [NumRequesters*$clog2(NumBanks*NumRows)-1:0] request_addr_i,
  output logic [NumRequesters-1:0]                          grant_o,
  // response to the grant of the cycle before, [bank]: requester, entry
  output logic [NumBanks-1:0]                               response_valid_o,
  output logic [NumBanks*$clog2(NumRequesters)-1:0]         response_requester_o,
  output logic [NumBanks*EntryW-1:0]                        response_entry_o
);
  localparam int AddrW = $clog2(NumBanks * NumRows);
  localparam int BankW = $clog2(NumBanks);
  localparam int RowW = $clog2(NumRows);
  localparam int RequesterW = $clog2(NumRequesters);

  // the flat ports as arrays; an address is a bank, in its low bits, and a row
  logic [AddrW-1:0]      request_addr [NumRequesters];
  logic [BankW-1:0]      request_bank [NumRequesters];
  logic [RowW-1:0]       request_row [NumRequesters];
  logic [RequesterW-1:0] response_requester_q [NumBanks];
  logic [EntryW-1:0]     response_entry [NumBanks];
  logic [BankW-1:0]      load_bank;
  logic [RowW-1:0]       load_row;
  for (genvar q = 0; q < NumRequesters; q++) begin : gen_request_port
    assign request_addr[q] = request_addr_i[AddrW*q +: AddrW];
    assign request_bank[q] = request_addr[q][BankW-1:0];
    assign request_row[q]  = request_addr[q][BankW +: RowW];
  end
  for (genvar b = 0; b < NumBanks; b++) begin : gen_response_port
    assign response_requester_o[RequesterW*b +: RequesterW] = response_requester_q[b];
    assign response_entry_o[EntryW*b +: EntryW]             = response_entry[b];
  end
  assign load_bank = load_addr_i[BankW-1:0];
  assign load_row  = load_addr_i[BankW +: RowW];

  logic [RequesterW-1:0]    pointer_q [NumBanks];
  logic [RequesterW-1:0]    pointer_d [NumBanks];
  logic [NumBanks-1:0]      response_valid_q;
  logic [NumBanks-1:0]      response_valid_d;
  logic [RequesterW-1:0]    response_requester_d [NumBanks];
  logic [NumRequesters-1:0] grant [NumBanks];

`ifdef FORMAL
  logic [NumBanks*NumRows*EntryW-1:0] f_mem;  // [NumBanks][NumRows]
`endif

  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic                     load;
    logic [NumRequesters-1:0] request;
    logic [NumRequesters-1:0] winner;
    logic [RequesterW-1:0]    winner_number;
    logic [RequesterW-1:0]    pointer;
    logic [RowW-1:0]          row;
    logic [EntryW-1:0]        entry;

    assign load = load_valid_i && load_bank == BankW'(b);

    always_comb begin
      for (int q = 0; q < NumRequesters; q++) begin
        request[q] = request_valid_i[q] && request_bank[q] == BankW'(b) && !load;
      end
    end

    rr_arb #(.N(NumRequesters)) u_arb (
      .request_i(request),
      .pointer_i(pointer_q[b]),
      .grant_o(winner),
      .index_o(winner_number),
      .pointer_o(pointer)
    );
    assign grant[b]                = winner;
    assign response_requester_d[b] = winner_number;
    assign pointer_d[b]            = pointer;
    assign response_valid_d[b]     = |request;

    always_comb begin
      row = '0;
      for (int q = 0; q < NumRequesters; q++) begin
        if (winner[q]) row = row | request_row[q];
      end
    end

    ram_1rw #(.Depth(NumRows), .Width(EntryW)) u_ram (
      .clk_i(clk_i),
      .en_i(load || response_valid_d[b]),
      .we_i(load),
      .addr_i(load ? load_row : row),
      .wdata_i(load_entry_i),
`ifdef FORMAL
      .f_mem_o(f_mem[NumRows*EntryW*b +: NumRows*EntryW]),
`endif
      .rdata_o(entry)
    );
    assign response_entry[b] = response_valid_q[b] ? entry : '0;
  end

  always_comb begin
    grant_o = '0;
    for (int b = 0; b < NumBanks; b++) grant_o = grant_o | grant[b];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_valid_q <= '0;
      for (int b = 0; b < NumBanks; b++) begin
        response_requester_q[b] <= '0;
        pointer_q[b]            <= '0;
      end
    end else begin
      response_valid_q <= response_valid_d;
      for (int b = 0; b < NumBanks; b++) begin
        response_requester_q[b] <= response_requester_d[b];
        pointer_q[b]            <= pointer_d[b];
      end
    end
  end

  assign response_valid_o = response_valid_q;

`include "sit_properties.svh"
endmodule

// SPDX-License-Identifier: Apache-2.0
// dit: destination indirection table: write-back lanes look up their entry, round robin per bank.
// A lane that loses keeps its input register, which is the paper's conflict buffer.
// C twin: cmodel/blocks/slice/dit.c
// Latency 1; one look-up per bank and cycle. A lane that loses a conflict waits, for two conflicts
// at most.
module dit #(
  parameter int NumBanks = 16,        // banks, one port each
  parameter int NumRows = 16,         // entries of a bank
  parameter int NumLanes = 3,         // write-back lanes
  parameter int EntryW = 32,          // bits of an entry
  parameter int PayloadW = 1063       // bits of a result: {fp, warp[6], active[32], data[1024]}
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  // load an entry
  input  logic                                         load_valid_i,
  input  logic [$clog2(NumBanks*NumRows)-1:0]          load_addr_i,
  input  logic [EntryW-1:0]                            load_entry_i,
  // write-back lanes, [lane]: register, result
  input  logic [NumLanes-1:0]                          write_valid_i,
  input  logic [NumLanes*$clog2(NumBanks*NumRows)-1:0] write_addr_i,
  input  logic [NumLanes*PayloadW-1:0]                 write_payload_i,
  output logic [NumLanes-1:0]                          write_ready_o,
  // to the truncator, [lane]: entry, result
  output logic [NumLanes-1:0]                          result_valid_o,
  output logic [NumLanes*EntryW-1:0]                   result_entry_o,
  output logic [NumLanes*PayloadW-1:0]                 result_payload_o,
  input  logic [NumLanes-1:0]                          result_ready_i
);
  localparam int AddrW = $clog2(NumBanks * NumRows);
  localparam int BankW = $clog2(NumBanks);
  localparam int RowW = $clog2(NumRows);
  localparam int LaneW = $clog2(NumLanes);

  // the flat ports as arrays; an address is a bank, in its low bits, and a row
  logic [AddrW-1:0]    write_addr [NumLanes];
  logic [BankW-1:0]    write_bank [NumLanes];
  logic [RowW-1:0]     write_row [NumLanes];
  logic [PayloadW-1:0] write_payload [NumLanes];
  logic [EntryW-1:0]   result_entry [NumLanes];
  logic [PayloadW-1:0] result_payload [NumLanes];
  logic [BankW-1:0]    load_bank;
  logic [RowW-1:0]     load_row;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_port
    assign write_addr[l]    = write_addr_i[AddrW*l +: AddrW];
    assign write_bank[l]    = write_addr[l][BankW-1:0];
    assign write_row[l]     = write_addr[l][BankW +: RowW];
    assign write_payload[l] = write_payload_i[PayloadW*l +: PayloadW];
    assign result_entry_o[EntryW*l +: EntryW]       = result_entry[l];
    assign result_payload_o[PayloadW*l +: PayloadW] = result_payload[l];
  end
  assign load_bank = load_addr_i[BankW-1:0];
  assign load_row  = load_addr_i[BankW +: RowW];

  logic [LaneW-1:0]    pointer_q [NumBanks];
  logic [LaneW-1:0]    pointer_d [NumBanks];
  logic [NumLanes-1:0] result_valid_q;
  logic [NumLanes-1:0] result_valid_d;
  logic [NumLanes-1:0] fresh_q;  // entry still at the bank, not in entry_q
  logic [BankW-1:0]    bank_q [NumLanes];
  logic [EntryW-1:0]   entry_q [NumLanes];
  logic [PayloadW-1:0] payload_q [NumLanes];

  // A lane wins if its output is free, its bank is not being loaded, and no lane that requests the
  // same bank is nearer to the bank's pointer.
  logic [NumLanes-1:0] can;
  logic [NumLanes-1:0] win;
  always_comb begin
    for (int l = 0; l < NumLanes; l++) begin
      can[l] = (!result_valid_q[l] || result_ready_i[l])
            && !(load_valid_i && load_bank == write_bank[l]);
    end
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    logic [LaneW-1:0]    pointer;
    logic [NumLanes-1:0] ahead;
    assign pointer = pointer_q[write_bank[l]];
    for (genvar k = 0; k < NumLanes; k++) begin : gen_other
      if (k == l) begin : gen_self
        assign ahead[k] = 1'b0;
      end else begin : gen_rival
        logic above_k;
        logic above_l;
        assign above_k = LaneW'(k) >= pointer;
        assign above_l = LaneW'(l) >= pointer;
        assign ahead[k] = write_valid_i[k] && can[k] && write_bank[k] == write_bank[l]
                       && (above_k == above_l ? k < l : above_k);
      end
    end
    assign write_ready_o[l] = can[l] && ahead == '0;
  end
  assign win = write_valid_i & write_ready_o;

  // banks
  logic [EntryW-1:0] bank_entry [NumBanks];
`ifdef FORMAL
  logic [NumBanks*NumRows*EntryW-1:0] f_mem;  // [NumBanks][NumRows]
`endif
  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic              load;
    logic              read;
    logic [RowW-1:0]   row;
    logic [LaneW-1:0]  pointer;
    logic [EntryW-1:0] entry;

    assign load = load_valid_i && load_bank == BankW'(b);

    always_comb begin
      read    = 1'b0;
      row     = '0;
      pointer = pointer_q[b];
      for (int l = 0; l < NumLanes; l++) begin
        if (win[l] && write_bank[l] == BankW'(b)) begin
          read    = 1'b1;
          row     = row | write_row[l];
          pointer = l == NumLanes - 1 ? '0 : LaneW'(l + 1);
        end
      end
    end
    assign pointer_d[b] = pointer;

    ram_1rw #(.Depth(NumRows), .Width(EntryW)) u_ram (
      .clk_i(clk_i),
      .en_i(load || read),
      .we_i(load),
      .addr_i(load ? load_row : row),
      .wdata_i(load_entry_i),
`ifdef FORMAL
      .f_mem_o(f_mem[NumRows*EntryW*b +: NumRows*EntryW]),
`endif
      .rdata_o(entry)
    );
    assign bank_entry[b] = entry;
  end

  // outputs: the bank may serve another lane while this one is held, hence entry_q
  logic [EntryW-1:0] entry_now [NumLanes];
  for (genvar l = 0; l < NumLanes; l++) begin : gen_output
    assign entry_now[l]      = fresh_q[l] ? bank_entry[bank_q[l]] : entry_q[l];
    assign result_entry[l]   = result_valid_q[l] ? entry_now[l] : '0;
    assign result_payload[l] = result_valid_q[l] ? payload_q[l] : '0;
  end
  assign result_valid_o = result_valid_q;
  assign result_valid_d = win | (result_valid_q & ~result_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= '0;
      fresh_q        <= '0;
      for (int b = 0; b < NumBanks; b++) pointer_q[b] <= '0;
    end else begin
      result_valid_q <= result_valid_d;
      fresh_q        <= win;
      for (int b = 0; b < NumBanks; b++) pointer_q[b] <= pointer_d[b];
    end
  end

  // not reset: result_valid_q gates them
  always_ff @(posedge clk_i) begin
    for (int l = 0; l < NumLanes; l++) begin
      if (win[l]) begin
        payload_q[l] <= write_payload[l];
        bank_q[l]    <= write_bank[l];
      end
      if (fresh_q[l]) entry_q[l] <= entry_now[l];
    end
  end

`include "dit_properties.svh"
endmodule

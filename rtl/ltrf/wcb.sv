// SPDX-License-Identifier: Apache-2.0
// wcb: address table of one active warp: in which bank of the cache each of its registers is.
// The banks lie in planes, one vector for each bit of the number, so that an entry is written by a mask.
// No C twin: part of pfu, which holds the sets of registers.
// Latency 0. Per cycle it reads two sources, NumResults results, a register that moves and one that
// arrives, and writes one.
module wcb #(
  parameter int NumCacheBanks = 16,   // banks of the cache; a power of two
  parameter int NumResults = 4,       // ports of results
  parameter int NumRegisters = 256    // registers of a warp; a power of two
) (
  input  logic                                          clk_i,
  // registers that are in the cache
  input  logic [NumRegisters-1:0]                       present_i,
  // a register gets a bank
  input  logic                                          write_valid_i,
  input  logic [NumRegisters-1:0]                       write_mask_i,
  input  logic [$clog2(NumCacheBanks)-1:0]              write_bank_i,
  // a look-up, [source]: register, whether it is present, its bank
  input  logic [2*8-1:0]                                lookup_source_i,
  output logic [1:0]                                    lookup_hit_o,
  output logic [2*$clog2(NumCacheBanks)-1:0]            lookup_bank_o,
  // results, [result]: likewise
  input  logic [NumResults*8-1:0]                       result_register_i,
  output logic [NumResults-1:0]                         result_hit_o,
  output logic [NumResults*$clog2(NumCacheBanks)-1:0]   result_bank_o,
  // the lowest register that is to leave
  input  logic [7:0]                                    todo_register_i,
  output logic [$clog2(NumCacheBanks)-1:0]              todo_bank_o,
  // a fetched register that arrives
  input  logic [7:0]                                    fill_register_i,
`ifdef FORMAL
  output logic [NumRegisters*$clog2(NumCacheBanks)-1:0] f_bank_o,
`endif
  output logic [$clog2(NumCacheBanks)-1:0]              fill_bank_o
);
  localparam int BankW = $clog2(NumCacheBanks);
  localparam int RegisterW = $clog2(NumRegisters);

  // the flat ports as arrays; a register is an index into a plane
  logic [RegisterW-1:0] source [2];
  logic [RegisterW-1:0] result [NumResults];
  logic [RegisterW-1:0] leaving;
  logic [RegisterW-1:0] arriving;
  for (genvar i = 0; i < 2; i++) begin : gen_source
    assign source[i]       = lookup_source_i[8*i +: RegisterW];
    assign lookup_hit_o[i] = present_i[source[i]];
  end
  for (genvar n = 0; n < NumResults; n++) begin : gen_result
    assign result[n]       = result_register_i[8*n +: RegisterW];
    assign result_hit_o[n] = present_i[result[n]];
  end
  assign leaving  = todo_register_i[RegisterW-1:0];
  assign arriving = fill_register_i[RegisterW-1:0];

  for (genvar j = 0; j < BankW; j++) begin : gen_plane
    // not reset: present_i gates it, or a read that is under way
    logic [NumRegisters-1:0] bank_q;
    always_ff @(posedge clk_i) begin
      if (write_valid_i) bank_q <= (bank_q & ~write_mask_i) | ({NumRegisters{write_bank_i[j]}} & write_mask_i);
    end
    for (genvar i = 0; i < 2; i++) begin : gen_source
      assign lookup_bank_o[BankW*i+j] = bank_q[source[i]];
    end
    for (genvar n = 0; n < NumResults; n++) begin : gen_result
      assign result_bank_o[BankW*n+j] = bank_q[result[n]];
    end
    assign todo_bank_o[j] = bank_q[leaving];
    assign fill_bank_o[j] = bank_q[arriving];
`ifdef FORMAL
    for (genvar r = 0; r < NumRegisters; r++) begin : gen_f_bank
      assign f_bank_o[BankW*r+j] = bank_q[r];
    end
`endif
  end
endmodule

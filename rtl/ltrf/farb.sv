// SPDX-License-Identifier: Apache-2.0
// farb: fill arbiter: which slot reads or writes the main register file in this cycle; round robin,
// so that no slot starves.
// C twin: cmodel/blocks/ltrf/farb.c
// Latency 0, from the request to its grant; one grant per cycle.
module farb #(
  parameter int NumSlots = 8,         // slots; a power of two from 2 on, as the next two
  parameter int NumMainBanks = 16,    // banks of the main register file
  parameter int NumCacheBanks = 16    // banks of the register cache
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  // requests, [slot]: write-back or fetch, bank of the main register file, bank of the cache
  input  logic [NumSlots-1:0]                       request_valid_i,
  input  logic [NumSlots-1:0]                       request_write_back_i,
  input  logic [NumSlots*$clog2(NumMainBanks)-1:0]  request_main_bank_i,
  input  logic [NumSlots*$clog2(NumCacheBanks)-1:0] request_cache_bank_i,
  // banks that are free in this cycle
  input  logic [NumMainBanks-1:0]                   main_ready_i,
  input  logic [NumCacheBanks-1:0]                  cache_ready_i,
  output logic [NumSlots-1:0]                       grant_o
);
  localparam int MainBankW = $clog2(NumMainBanks);
  localparam int CacheBankW = $clog2(NumCacheBanks);
  localparam int SlotW = $clog2(NumSlots);

  // the flat ports as arrays
  logic [MainBankW-1:0]  main_bank [NumSlots];
  logic [CacheBankW-1:0] cache_bank [NumSlots];
  for (genvar s = 0; s < NumSlots; s++) begin : gen_request_port
    assign main_bank[s]  = request_main_bank_i[MainBankW*s +: MainBankW];
    assign cache_bank[s] = request_cache_bank_i[CacheBankW*s +: CacheBankW];
  end

  logic [SlotW-1:0]    pointer_q, pointer_d;
  logic [NumSlots-1:0] eligible;
  logic [SlotW-1:0]    granted;                   // number of the slot that is granted
  for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
    assign eligible[s] = request_valid_i[s] && main_ready_i[main_bank[s]]
                      && (!request_write_back_i[s] || cache_ready_i[cache_bank[s]]);
  end

  rr_arb #(.N(NumSlots)) u_arb (
    .request_i(eligible),
    .pointer_i(pointer_q),
    .grant_o(grant_o),
    .index_o(granted),
    .pointer_o(pointer_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pointer_q <= '0;
    else pointer_q <= pointer_d;
  end

  // the number has no reader
  logic unused;
  assign unused = &granted;

`include "farb_properties.svh"
endmodule

// SPDX-License-Identifier: Apache-2.0
// rarb: bank arbiter: results first, then the oldest operand request of each bank, one a unit. A unit has one request for its
// slots, so that a pending bit for each slot and the order of the units give the order of a queue in each bank.
// C twin: cmodel/blocks/malekeh/rarb.c
// Grants in the cycle of the request, one a bank and one a unit.
module rarb #(
  parameter int NumCollectors = 2,    // collector units of the sub-core, a power of two from 2
  parameter int NumBanks = 2,         // banks, each of one port, a power of two from 2
  parameter int NumResults = 2,       // results that may be written in a cycle, a power of two from 2
  parameter int NumSlots = 6          // operand slots of a unit
) (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  // results, [result]: bank; it is accepted
  input  logic [NumResults-1:0]                       result_valid_i,
  input  logic [NumResults*$clog2(NumBanks)-1:0]      result_bank_i,
  output logic [NumResults-1:0]                       result_ready_o,
  // requests of one unit, [slot]: register, entry, bank
  input  logic [NumSlots-1:0]                         request_valid_i,
  input  logic [$clog2(NumCollectors)-1:0]            request_collector_i,
  input  logic [NumSlots*8-1:0]                       request_register_i,
  input  logic [NumSlots*3-1:0]                       request_entry_i,
  input  logic [NumSlots*$clog2(NumBanks)-1:0]        request_bank_i,
  // reads, [bank]: unit, register
  output logic [NumBanks-1:0]                         read_valid_o,
  output logic [NumBanks*$clog2(NumCollectors)-1:0]   read_collector_o,
  output logic [NumBanks*8-1:0]                       read_register_o,
  // values, [unit]: entry, bank
  output logic [NumCollectors-1:0]                    operand_valid_o,
  output logic [NumCollectors*3-1:0]                  operand_entry_o,
  output logic [NumCollectors*$clog2(NumBanks)-1:0]   operand_bank_o
);
  localparam int CollectorW = $clog2(NumCollectors);
  localparam int BankW = $clog2(NumBanks);
  localparam int SlotW = $clog2(NumSlots);
  localparam int NumRequests = NumCollectors * NumSlots;

  // the flat ports as arrays
  logic [BankW-1:0]      result_bank [NumResults];
  logic [7:0]            request_register [NumSlots];
  logic [2:0]            request_entry [NumSlots];
  logic [BankW-1:0]      request_bank [NumSlots];
  logic [CollectorW-1:0] read_collector [NumBanks];
  logic [7:0]            read_register [NumBanks];
  logic [2:0]            operand_entry [NumCollectors];
  logic [BankW-1:0]      operand_bank [NumCollectors];
  for (genvar r = 0; r < NumResults; r++) begin : gen_result_port
    assign result_bank[r] = result_bank_i[BankW*r +: BankW];
  end
  for (genvar k = 0; k < NumSlots; k++) begin : gen_request_port
    assign request_register[k] = request_register_i[8*k +: 8];
    assign request_entry[k]    = request_entry_i[3*k +: 3];
    assign request_bank[k]     = request_bank_i[BankW*k +: BankW];
  end
  for (genvar b = 0; b < NumBanks; b++) begin : gen_read_port
    assign read_collector_o[CollectorW*b +: CollectorW] = read_collector[b];
    assign read_register_o[8*b +: 8]                    = read_register[b];
  end
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_operand_port
    assign operand_entry_o[3*u +: 3]        = operand_entry[u];
    assign operand_bank_o[BankW*u +: BankW] = operand_bank[u];
  end

  logic [NumSlots-1:0]                        pending_q [NumCollectors];
  logic [NumSlots-1:0]                        pending_d [NumCollectors];
  logic [BankW-1:0]                           preferred_bank_q, preferred_bank_d;
  // of units u < v, in order of u, then v: u requested before v
  logic [NumCollectors*(NumCollectors-1)/2-1:0] older_q, older_d;
  // index NumSlots * unit + slot; not reset: pending_q gates them
  logic [7:0]                                 register_q [NumRequests];
  logic [2:0]                                 entry_q [NumRequests];
  logic [BankW-1:0]                           bank_q [NumRequests];

  // ---- results: the lowest one of each bank
  logic [NumBanks-1:0] written;
  for (genvar r = 0; r < NumResults; r++) begin : gen_result
    logic [NumResults-1:0] same;                  // results below it for its bank
    for (genvar k = 0; k < NumResults; k++) begin : gen_below
      assign same[k] = k < r && result_valid_i[k] && result_bank[k] == result_bank[r];
    end
    assign result_ready_o[r] = same == '0;
  end
  for (genvar b = 0; b < NumBanks; b++) begin : gen_written
    logic [NumResults-1:0] here;
    for (genvar r = 0; r < NumResults; r++) begin : gen_result
      assign here[r] = result_valid_i[r] && result_bank[r] == BankW'(b);
    end
    assign written[b] = here != '0;
  end

  // ---- order of the units
  logic [NumCollectors-1:0] asks;
  logic [NumCollectors-1:0] ahead [NumCollectors]; // [unit] units that asked before it
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_order
    logic [NumCollectors-1:0] older_units;
    assign asks[u]  = request_valid_i != '0 && request_collector_i == CollectorW'(u);
    assign ahead[u] = older_units;
    for (genvar v = 0; v < NumCollectors; v++) begin : gen_pair
      localparam int Low = u < v ? u : v;
      localparam int High = u < v ? v : u;
      localparam int Pair = Low * (2 * NumCollectors - Low - 1) / 2 + High - Low - 1;
      if (u == v) begin : gen_self
        assign older_units[v] = 1'b0;
      end else if (v < u) begin : gen_lower
        assign older_units[v] = older_q[Pair];
        // the unit that asks is the youngest
        assign older_d[Pair] = (older_q[Pair] || asks[u]) && !asks[v];
      end else begin : gen_upper
        assign older_units[v] = !older_q[Pair];
      end
    end
  end

  // ---- heads. A unit that asks now has nothing pending, so it has the head where no other unit waits.
  logic [NumBanks-1:0] old [NumCollectors];       // [unit] banks for which something is pending
  logic [NumBanks-1:0] now [NumCollectors];       // [unit] banks for which it asks
  logic [NumSlots-1:0] first [NumCollectors*NumBanks]; // [unit * NumBanks + bank] the lowest slot that waits
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_wait
    logic [NumBanks-1:0] is_old;
    logic [NumBanks-1:0] is_now;
    for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
      logic [NumSlots-1:0] at_old;
      logic [NumSlots-1:0] at_now;
      logic [SlotW-1:0]    number;
      logic                unused;
      for (genvar k = 0; k < NumSlots; k++) begin : gen_slot
        assign at_old[k] = pending_q[u][k] && bank_q[NumSlots*u+k] == BankW'(b);
        assign at_now[k] = asks[u] && request_valid_i[k] && request_bank[k] == BankW'(b);
      end
      assign is_old[b] = at_old != '0;
      assign is_now[b] = at_now != '0;
      first_one #(.N(NumSlots)) u_first (.bits_i(at_old | at_now), .one_hot_o(first[NumBanks*u+b]), .index_o(number));
      assign unused = &number;
    end
    assign old[u] = is_old;
    assign now[u] = is_now;
  end

  logic [NumCollectors-1:0] candidate [NumBanks]; // [bank] the unit of the head, if the bank is a candidate
  for (genvar b = 0; b < NumBanks; b++) begin : gen_head
    logic [NumCollectors-1:0] waits;
    logic [NumCollectors-1:0] head;
    for (genvar u = 0; u < NumCollectors; u++) begin : gen_unit
      assign waits[u] = old[u][b];
      assign head[u]  = !written[b] && (waits == '0 ? now[u][b] : waits[u] && (waits & ahead[u]) == '0);
    end
    assign candidate[b] = head;
  end

  // ---- grants: each unit takes the first one of its candidates from the preferred bank upward
  logic [NumCollectors-1:0] conflict;
  logic [NumBanks-1:0]      grant [NumCollectors];  // [unit] the bank that it is granted, one-hot
  logic [7:0]               granted [NumCollectors]; // [unit] the register of its grant
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_grant
    logic [NumBanks-1:0] banks;
    logic [NumBanks-1:0] winner;
    logic [BankW-1:0]    next;
    logic                unused;
    logic [NumSlots-1:0] slot;                    // the slot that is granted
    logic [7:0]          registers [NumSlots];    // its register and entry, 0 at the others
    logic [2:0]          entries [NumSlots];
    logic [7:0]          its_register;
    logic [2:0]          its_entry;
    for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
      assign banks[b] = candidate[b][u];
    end
    rr_arb #(.N(NumBanks)) u_arb (
      .request_i(banks), .pointer_i(preferred_bank_q), .grant_o(winner), .index_o(operand_bank[u]), .pointer_o(next)
    );
    assign unused             = &next;
    assign operand_valid_o[u] = banks != '0;
    assign conflict[u]        = (banks & ~winner) != '0;
    assign grant[u]           = winner;

    for (genvar k = 0; k < NumSlots; k++) begin : gen_slot
      logic [NumBanks-1:0] by;
      for (genvar b = 0; b < NumBanks; b++) begin : gen_by
        assign by[b] = winner[b] && first[NumBanks*u+b][k];
      end
      assign slot[k]      = by != '0;
      assign registers[k] = !slot[k] ? '0 : asks[u] ? request_register[k] : register_q[NumSlots*u+k];
      assign entries[k]   = !slot[k] ? '0 : asks[u] ? request_entry[k] : entry_q[NumSlots*u+k];
    end
    always_comb begin
      its_register = '0;
      its_entry    = '0;
      for (int k = 0; k < NumSlots; k++) begin
        its_register = its_register | registers[k];
        its_entry    = its_entry | entries[k];
      end
    end
    assign granted[u]       = its_register;
    assign operand_entry[u] = its_entry;
    assign pending_d[u]     = (pending_q[u] | (asks[u] ? request_valid_i : '0)) & ~slot;
  end

  for (genvar b = 0; b < NumBanks; b++) begin : gen_read
    logic [NumCollectors-1:0] by;
    logic [CollectorW-1:0]    unit;
    logic [7:0]               its_register;
    for (genvar u = 0; u < NumCollectors; u++) begin : gen_unit
      assign by[u] = grant[u][b];
    end
    // bit by bit: Icarus 11 evaluates two always_comb without end when one assigns twice what the other reads (its issue 508),
    // and the loop above does
    for (genvar i = 0; i < CollectorW; i++) begin : gen_number
      logic [NumCollectors-1:0] ones;
      for (genvar u = 0; u < NumCollectors; u++) begin : gen_unit
        assign ones[u] = by[u] && (u >> i) % 2 == 1;
      end
      assign unit[i] = ones != '0;
    end
    for (genvar i = 0; i < 8; i++) begin : gen_register
      logic [NumCollectors-1:0] ones;
      for (genvar u = 0; u < NumCollectors; u++) begin : gen_unit
        assign ones[u] = by[u] && granted[u][i];
      end
      assign its_register[i] = ones != '0;
    end
    assign read_valid_o[b]   = by != '0;
    assign read_collector[b] = unit;
    assign read_register[b]  = its_register;
  end

  assign preferred_bank_d = preferred_bank_q + BankW'(conflict != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int u = 0; u < NumCollectors; u++) pending_q[u] <= '0;
      preferred_bank_q <= '0;
      older_q          <= '0;
    end else begin
      for (int u = 0; u < NumCollectors; u++) pending_q[u] <= pending_d[u];
      preferred_bank_q <= preferred_bank_d;
      older_q          <= older_d;
    end
  end
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_store
    for (genvar k = 0; k < NumSlots; k++) begin : gen_slot
      always_ff @(posedge clk_i) begin
        if (asks[u] && request_valid_i[k]) begin
          register_q[NumSlots*u+k] <= request_register[k];
          entry_q[NumSlots*u+k]    <= request_entry[k];
          bank_q[NumSlots*u+k]     <= request_bank[k];
        end
      end
    end
  end

`include "rarb_properties.svh"
endmodule

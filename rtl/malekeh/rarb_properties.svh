// SPDX-License-Identifier: Apache-2.0
// Properties of rarb (docs/blocks/malekeh/rarb.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
  // the inputs that the page calls illegal
  always_comb begin
    for (int u = 0; u < NumCollectors; u++) begin
      if (asks[u]) assume (pending_q[u] == '0);
    end
  end
`endif

  // bit NumCollectors u + v: u asked before v
  logic [NumCollectors*NumCollectors-1:0] f_order;
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_f_order
    for (genvar v = 0; v < NumCollectors; v++) begin : gen_f_pair
      assign f_order[NumCollectors*u+v] = ahead[v][u];
    end
  end

  // the requests as flat vectors: bit or field NumSlots u + k is slot k of unit u
  logic [NumRequests-1:0]       f_pending;
  logic [NumRequests-1:0]       f_pending_d;
  logic [NumRequests-1:0]       f_new;
  logic [NumRequests-1:0]       f_wait;             // waiting in this cycle
  logic [NumRequests*BankW-1:0] f_banks;
  for (genvar u = 0; u < NumCollectors; u++) begin : gen_f_unit
    for (genvar k = 0; k < NumSlots; k++) begin : gen_f_slot
      localparam int I = NumSlots * u + k;
      assign f_pending[I]   = pending_q[u][k];
      assign f_pending_d[I] = pending_d[u][k];
      assign f_new[I]       = request_valid_i[k] && request_collector_i == CollectorW'(u);
      assign f_wait[I]      = f_pending[I] || f_new[I];
      assign f_banks[BankW*I +: BankW] = f_pending[I] ? bank_q[I] : request_bank[k];
    end
  end

  // Two symbolic slots, (u, k) and (v, l), of which the registers here know what came through the ports.
  `ASSERT_ANY(f_unit, CollectorW)
  `ASSERT_ANY(f_other_unit, CollectorW)
  `ASSERT_ANY(f_any_slot, SlotW)
  `ASSERT_ANY(f_any_other_slot, SlotW)
  logic [SlotW-1:0] f_slot;
  logic [SlotW-1:0] f_other_slot;
  assign f_slot       = 32'(f_any_slot) < NumSlots ? f_any_slot : '0;
  assign f_other_slot = 32'(f_any_other_slot) < NumSlots ? f_any_other_slot : '0;

  logic             f_in;                           // (u, k) requests now
  logic             f_here_q;                       // it has requested, and has had no grant
  logic             f_here;
  logic [7:0]       f_register_q;
  logic [2:0]       f_entry_q;
  logic [BankW-1:0] f_bank_q;
  logic [7:0]       f_its_register;
  logic [2:0]       f_its_entry;
  logic [BankW-1:0] f_its_bank;
  logic             f_other_new;                    // (v, l) requests now
  logic             f_other_q;                      // it waits since an earlier cycle
  logic             f_after_q;                      // both do, and it came after (u, k)
  logic             f_after;
  logic [BankW-1:0] f_other_bank;
  assign f_in           = request_valid_i[f_slot] && request_collector_i == f_unit;
  assign f_here         = f_here_q || f_in;
  assign f_its_register = f_in ? request_register_i[8*f_slot +: 8] : f_register_q;
  assign f_its_entry    = f_in ? request_entry_i[3*f_slot +: 3] : f_entry_q;
  assign f_its_bank     = f_in ? request_bank_i[BankW*f_slot +: BankW] : f_bank_q;
  assign f_other_new    = request_valid_i[f_other_slot] && request_collector_i == f_other_unit;
  assign f_other_bank   = f_banks[BankW*(NumSlots*f_other_unit + 32'(f_other_slot)) +: BankW];
  assign f_after   = f_after_q || (f_here_q && f_other_new)
                  || (f_in && f_other_new && f_unit == f_other_unit && f_slot < f_other_slot);

  // A grant, by what the ports show: the bank reads for the unit, and the unit gets the entry from it. Slots of one unit may
  // have the same bank, register and entry for the ports alone, so pending_d says whose grant it is.
  logic f_got;
  logic f_other_got;
  assign f_got       = f_here && !f_pending_d[NumSlots*f_unit + 32'(f_slot)];
  assign f_other_got = (f_other_q || f_other_new) && !f_pending_d[NumSlots*f_other_unit + 32'(f_other_slot)];

  // waiting before (u, k) or with it; of them and it the number
  logic [NumRequests-1:0] f_before_q;
  logic [NumRequests-1:0] f_before;
  logic [7:0]             f_num;
  logic [7:0]             f_unit_num;
  logic [7:0]             f_cycles_q;               // since its request, without a write to its bank
  logic [3:0]             f_head_q;                 // head of its bank for so many cycles without a write
  logic                   f_head;
  logic                   f_write;
  always_comb begin
    f_before = f_in ? f_wait : f_before_q;
    f_num    = '0;
    for (int i = 0; i < NumRequests; i++) f_num = f_num + 8'(f_before[i]);
    f_unit_num = '0;
    for (int k = 0; k < NumSlots; k++) f_unit_num = f_unit_num + 8'(f_wait[NumSlots*f_unit + k]);
    // the head: no other of its bank that came before it
    f_head = f_here;
    for (int u = 0; u < NumCollectors; u++) begin
      for (int k = 0; k < NumSlots; k++) begin
        if (f_wait[NumSlots*u+k] && f_banks[BankW*(NumSlots*u+k) +: BankW] == f_its_bank
            && f_before[NumSlots*u+k]) begin
          if (CollectorW'(u) != f_unit || SlotW'(k) < f_slot) f_head = 1'b0;
        end
      end
    end
    f_write = 1'b0;
    for (int r = 0; r < NumResults; r++)
      f_write = f_write || (result_valid_i[r] && result_bank[r] == f_its_bank);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_here_q   <= 1'b0;
      f_other_q  <= 1'b0;
      f_after_q  <= 1'b0;
      f_before_q <= '0;
      f_cycles_q <= '0;
      f_head_q   <= '0;
    end else begin
      f_here_q   <= f_here && !f_got;
      f_other_q  <= (f_other_q || f_other_new) && !f_other_got;
      f_after_q  <= f_after && !f_got && !f_other_got;
      f_before_q <= f_here && !f_got ? f_before & f_pending_d : '0;
      f_cycles_q <= f_here && !f_got ? f_cycles_q + 8'(!f_write) : '0;
      f_head_q   <= f_head && !f_got && !f_write ? f_head_q + 4'd1 : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_in) begin
      f_register_q <= request_register_i[8*f_slot +: 8];
      f_entry_q    <= request_entry_i[3*f_slot +: 3];
      f_bank_q     <= request_bank_i[BankW*f_slot +: BankW];
    end
  end

  `ASSERT_ANY(f_bank, BankW)
  `ASSERT_ANY(f_result, $clog2(NumResults))
  logic f_written;                                  // some result has this bank
  logic f_accepted;                                 // it is accepted
  logic f_twice;                                    // two results are
  always_comb begin
    f_written  = 1'b0;
    f_accepted = 1'b0;
    f_twice    = 1'b0;
    for (int r = 0; r < NumResults; r++) begin
      if (result_valid_i[r] && result_bank[r] == f_bank) begin
        f_written  = 1'b1;
        f_twice    = f_twice || (f_accepted && result_ready_o[r]);
        f_accepted = f_accepted || result_ready_o[r];
      end
    end
  end

  logic [CollectorW-1:0] f_read_unit;
  logic [BankW-1:0]      f_from_bank;
  assign f_read_unit = read_collector_o[CollectorW*f_bank +: CollectorW];
  assign f_from_bank = operand_bank_o[BankW*f_unit +: BankW];
  `ASSERT_ALWAYS begin
    // 1
    assert (f_accepted == f_written && !f_twice && !(f_written && read_valid_o[f_bank]));
    assert (result_ready_o[0]);
    if (!result_ready_o[f_result]) assert (|(result_valid_i & ((NumResults'(1) << f_result) - NumResults'(1))));
    // 2
    assert ((read_valid_o[f_bank] && f_read_unit == f_unit) == (operand_valid_o[f_unit] && f_from_bank == f_bank));
    if (!read_valid_o[f_bank]) assert (f_read_unit == '0 && read_register_o[8*f_bank +: 8] == '0);
    if (!operand_valid_o[f_unit]) assert (f_from_bank == '0 && operand_entry_o[3*f_unit +: 3] == '0);
    // 3
    if (f_after && f_other_bank == f_its_bank) assert (!f_other_got);
    // 4
    if (f_head && !f_write) assert (operand_valid_o[f_unit]);
    // 5: what waits is what has requested; a grant is seen at the ports, and a value that comes is one slot's grant
    assert (f_pending[NumSlots*f_unit + 32'(f_slot)] == f_here_q && f_pending[NumSlots*f_other_unit + 32'(f_other_slot)] == f_other_q);
    if (f_here_q) begin
      assert (register_q[NumSlots*f_unit + 32'(f_slot)] == f_register_q);
      assert (entry_q[NumSlots*f_unit + 32'(f_slot)] == f_entry_q);
      assert (bank_q[NumSlots*f_unit + 32'(f_slot)] == f_bank_q);
    end
    if (f_got) begin
      assert (operand_valid_o[f_unit] && f_from_bank == f_its_bank && operand_entry_o[3*f_unit +: 3] == f_its_entry);
      assert (read_valid_o[f_its_bank] && read_register_o[8*f_its_bank +: 8] == f_its_register && f_head);
    end
    if (f_got && f_other_got && f_unit == f_other_unit) assert (f_slot == f_other_slot);
    if (operand_valid_o[f_unit]) assert ((f_wait[NumSlots*f_unit +: NumSlots] & ~f_pending_d[NumSlots*f_unit +: NumSlots]) != '0);
    // 6
    assert (32'(f_head_q) + 32'(f_unit_num) <= NumSlots || f_head_q == '0);
    assert (32'(f_cycles_q) + 32'(f_num) <= NumRequests);
    if (f_here && 32'(f_cycles_q) == NumRequests - 1 && !f_write) assert (f_got);
    // what the registers here know of each other
    if (f_after_q) assert (f_here_q && f_other_q && f_before_q[NumSlots*f_unit + 32'(f_slot)]);
    if (f_after_q) assert (f_unit == f_other_unit ? f_slot < f_other_slot : f_order[f_unit*NumCollectors + 32'(f_other_unit)]);
    if (f_here_q) begin
      assert (f_before_q[NumSlots*f_unit + 32'(f_slot)]);
      assert (f_other_q == (f_before_q[NumSlots*f_other_unit + 32'(f_other_slot)] || f_after_q));
    end else assert (f_before_q == '0 && f_cycles_q == '0 && f_head_q == '0);
    assert ((f_before_q & ~f_pending) == '0);
    if (f_head_q != '0) assert (f_head && !f_in);
  end

`ifdef FORMAL
  // older_q is an order
  for (genvar i = 0; i < NumCollectors; i++) begin : gen_f_i
    for (genvar j = 0; j < NumCollectors; j++) begin : gen_f_j
      for (genvar k = 0; k < NumCollectors; k++) begin : gen_f_k
        always_comb if (f_order[NumCollectors*i+j] && f_order[NumCollectors*j+k]) assert (f_order[NumCollectors*i+k]);
      end
    end
    // of the symbolic request: pending slots of older units are those before it
    for (genvar k = 0; k < NumSlots; k++) begin : gen_f_slot
      always_comb begin
        if (f_here_q && f_pending[NumSlots*i+k]) assert (f_before_q[NumSlots*i+k] == (f_unit == CollectorW'(i) || f_order[NumCollectors*i + 32'(f_unit)]));
      end
    end
  end
  always_comb begin
    cover (rst_ni && f_got && 32'(f_cycles_q) == NumSlots);
    cover (rst_ni && f_head_q == 4'(NumSlots - 1) && f_got);
    cover (rst_ni && f_after && f_got && f_other_q && f_unit != f_other_unit);
    cover (rst_ni && read_valid_o == '1 && request_valid_i == '0);
    cover (rst_ni && result_valid_i == '1 && result_ready_o != '1 && operand_valid_o != '0 && request_valid_i == '0);
    cover (rst_ni && preferred_bank_q == '1 && f_pending == '1);
  end
`endif
`endif

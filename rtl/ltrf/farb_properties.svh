// SPDX-License-Identifier: Apache-2.0
// Properties of farb (docs/blocks/ltrf/farb.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // one symbolic slot, and for how many cycles it has been eligible without a grant
  `ASSERT_ANY(f_slot, SlotW)
  logic             f_eligible;
  logic [SlotW:0]   f_wait_q;
  logic [SlotW-1:0] f_left;                         // slots from the pointer up to it
  assign f_eligible = request_valid_i[f_slot] && main_ready_i[request_main_bank_i[MainBankW*f_slot +: MainBankW]]
                   && !(request_write_back_i[f_slot]
                        && !cache_ready_i[request_cache_bank_i[CacheBankW*f_slot +: CacheBankW]]);
  assign f_left     = f_slot - pointer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= '0;
    else f_wait_q <= f_eligible && !grant_o[f_slot] ? f_wait_q + (SlotW+1)'(1) : '0;
  end

  // the slot that the last grant went to
  logic [NumSlots-1:0] f_grant_q;
  logic [SlotW-1:0]    f_pointer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_grant_q   <= '0;
      f_pointer_q <= '0;
    end else begin
      f_grant_q   <= grant_o;
      f_pointer_q <= pointer_q;
    end
  end

  `ASSERT_ALWAYS begin
    // 1
    assert ((grant_o & (grant_o - NumSlots'(1))) == '0);
    if (grant_o[f_slot]) assert (f_eligible);
    if (f_eligible) assert (grant_o != '0);
    // the first one from the pointer upward: one before it that is eligible has the grant
    for (int i = 0; i < NumSlots; i++) begin
      if (f_eligible && grant_o[i]) assert (SlotW'(i) - pointer_q <= f_left);
    end
    // the pointer is after the slot that was granted
    if (f_grant_q[f_slot]) assert (pointer_q == f_slot + SlotW'(1));
    if (f_grant_q == '0) assert (pointer_q == f_pointer_q);
    // 2: each cycle brings the pointer nearer
    assert (32'(f_wait_q) + 32'(f_left) < NumSlots);
    if (f_eligible && 32'(f_wait_q) == NumSlots - 1) assert (grant_o[f_slot]);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && 32'(f_wait_q) == NumSlots - 1 && grant_o[f_slot]);
    cover (rst_ni && pointer_q == SlotW'(NumSlots - 1) && grant_o[0] && request_write_back_i[0]);
    cover (rst_ni && grant_o == '0 && request_valid_i == '1 && main_ready_i != '0 && cache_ready_i == '0);
    cover (rst_ni && request_valid_i == '1 && grant_o[NumSlots-1] && pointer_q == '0);
  end
`endif
`endif

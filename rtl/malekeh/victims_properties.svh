// SPDX-License-Identifier: Apache-2.0
// Properties of victims (docs/blocks/malekeh/ccu.md, claims.tsv); included at the end of the module.
`ifdef FORMAL
  // of two entries that are not locked, which one comes first
  (* anyconst *) logic [EntryW-1:0] f_any_i;
  (* anyconst *) logic [EntryW-1:0] f_any_j;
  logic [EntryW-1:0] f_i;
  logic [EntryW-1:0] f_j;
  logic [CountW-1:0] f_free;
  logic              f_empty_i, f_empty_j, f_far_i, f_far_j;
  logic [CountW-1:0] f_place_i, f_place_j;
  logic [EntryW-1:0] f_start;                       // the far one at which the list of these begins
  logic [CountW-1:0] f_count;
  assign f_i       = 32'(f_any_i) < NumEntries ? f_any_i : '0;
  assign f_j       = 32'(f_any_j) < NumEntries ? f_any_j : '0;
  assign f_empty_i = !valid_i[f_i];
  assign f_empty_j = !valid_i[f_j];
  assign f_far_i   = Near != 0 && valid_i[f_i] && !near_i[f_i];
  assign f_far_j   = Near != 0 && valid_i[f_j] && !near_i[f_j];
  assign f_place_i = place_o[CountW*f_i +: CountW];
  assign f_place_j = place_o[CountW*f_j +: CountW];
  always_comb begin
    // an order of the entries
    for (int i = 0; i < NumEntries; i++) begin
      assume (!after_i[NumEntries*i+i]);
      for (int j = 0; j < NumEntries; j++) begin
        if (i != j) assume (after_i[NumEntries*i+j] == !after_i[NumEntries*j+i]);
        for (int k = 0; k < NumEntries; k++)
          if (after_i[NumEntries*i+j] && after_i[NumEntries*j+k]) assume (after_i[NumEntries*i+k]);
      end
    end
    f_free  = '0;
    f_start = '0;
    f_count = '0;
    for (int i = 0; i < NumEntries; i++) begin
      f_free = f_free + CountW'(!locked_i[i]);
      if (far[i] && f_count == CountW'(start)) f_start = EntryW'(i);
      f_count = f_count + CountW'(far[i]);
    end
    if (!locked_i[f_i]) assert (f_place_i < f_free);
    assert (head_o[f_i] == (!locked_i[f_i] && f_place_i == '0));
    if (!locked_i[f_i] && !locked_i[f_j] && f_i != f_j) begin
      assert (f_place_i != f_place_j);
      if (f_empty_i) assert (f_empty_j ? (f_place_i < f_place_j) == (f_i < f_j) : f_place_i < f_place_j);
      if (f_far_i && f_far_j)
        assert ((f_place_i < f_place_j) == (f_i - f_start < f_j - f_start) || NumEntries != 1 << EntryW);
      if (f_far_i && !f_empty_j && !f_far_j) assert (f_place_i < f_place_j);
      if (!f_empty_i && !f_far_i && !f_empty_j && !f_far_j)
        assert ((f_place_i < f_place_j) == after_i[NumEntries*f_j + 32'(f_i)]);
    end
  end
`endif

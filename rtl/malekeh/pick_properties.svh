// SPDX-License-Identifier: Apache-2.0
// Properties of pick (docs/blocks/malekeh/overview.md, Random picks; claims.tsv); included at the end of the module.
`ifdef FORMAL
  logic [15:0] f_value;
  assign f_value = random_i != '0 ? random_i : seed_i != '0 ? seed_i : 16'hace1;
  always_comb begin
    assert (next_random_o != 16'd0
            && next_random_o == (f_value[0] ? 16'(f_value >> 1) ^ 16'hb400 : 16'(f_value >> 1)));
    if (count_i != '0 && 32'(count_i) <= NumCandidates) begin
      assert (32'(place_o) == (32'(f_value) * 32'(count_i)) >> 16);
      assert (32'(place_o) < 32'(count_i));
    end
  end
`endif

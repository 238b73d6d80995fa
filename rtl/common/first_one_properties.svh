// SPDX-License-Identifier: Apache-2.0
// Properties of first_one (claims.tsv); included at the end of the module.
`ifdef FORMAL
  (* anyconst *) logic [W-1:0] f_i;                 // any position
  always_comb begin
    if (32'(f_i) < N) assert (one_hot_o[f_i] == (bits_i[f_i] && index_o == f_i));
    assert ((one_hot_o == '0) == (bits_i == '0));
    if (bits_i != '0) begin
      assert (32'(index_o) < N);
      if (f_i < index_o) assert (!bits_i[f_i]);
    end else assert (index_o == '0);
  end
`endif

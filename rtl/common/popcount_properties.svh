// SPDX-License-Identifier: Apache-2.0
// Properties of popcount (claims.tsv); included at the end of the module. They hold level by level: of the whole sum at once the
// proof takes the solver too long.
`ifdef FORMAL
  for (genvar k = 1; k <= L; k++) begin : gen_f_level
    localparam int Counts = 1 << (L - k);
    for (genvar i = 0; i < Counts; i++) begin : gen_f_count
      logic [k-1:0] f_a;
      logic [k-1:0] f_b;
      logic [k:0]   f_sum;
      for (genvar j = 0; j < k; j++) begin : gen_f_bit
        assign f_a[j] = gen_level[k-1].c[2*Counts*j+i];
        assign f_b[j] = gen_level[k-1].c[2*Counts*j+Counts+i];
      end
      for (genvar j = 0; j <= k; j++) begin : gen_f_sum
        assign f_sum[j] = gen_level[k].c[Counts*j+i];
      end
      always_comb assert (f_sum == {1'b0, f_a} + {1'b0, f_b});
    end
  end

  always_comb begin
    assert (gen_level[0].c == (1 << L)'(bits_i));
    assert ((L+1)'(count_o) == gen_level[L].c);
  end
`endif

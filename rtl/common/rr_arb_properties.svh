// SPDX-License-Identifier: Apache-2.0
// Properties of rr_arb (claims.tsv); included at the end of the module.
`ifdef FORMAL
  // the rule itself: the first requester when counting up from the pointer
  logic         f_found;
  logic [W-1:0] f_at;
  logic [W-1:0] f_win;
  always_comb begin
    f_found = 1'b0;
    f_at    = pointer_i;
    f_win   = '0;
    for (int i = 0; i < N; i++) begin
      if (!f_found && request_i[f_at]) begin
        f_found = 1'b1;
        f_win   = f_at;
      end
      f_at = f_at == W'(N - 1) ? '0 : f_at + W'(1);
    end
  end

  always_comb begin
    if (32'(pointer_i) < N) begin
      assert (grant_o == (f_found ? N'(1) << f_win : '0));
      assert (index_o == f_win);
      assert (pointer_o == (!f_found ? pointer_i : f_win == W'(N - 1) ? '0 : f_win + W'(1)));
    end
  end
`endif

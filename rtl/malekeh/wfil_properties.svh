// SPDX-License-Identifier: Apache-2.0
// Properties of wfil (docs/blocks/malekeh/wfil.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
  // one symbolic unit and result
  `ASSERT_ANY(f_unit, $clog2(NumCollectors))
  `ASSERT_ANY(f_result, ResultW)
  logic               f_mine;
  logic               f_cached;                     // the result is the one that the unit caches
  logic               f_snooped;
  logic [ResultW-1:0] f_chosen;
  assign f_mine = result_valid_i[f_result] && owner_valid_i[f_unit]
               && result_warp_i[WarpW*f_result +: WarpW] == owner_warp_i[WarpW*f_unit +: WarpW];
  assign f_chosen  = cache_result_o[ResultW*f_unit +: ResultW];
  assign f_snooped = snoop_valid_o[NumResults*f_unit + 32'(f_result)];
  assign f_cached  = cache_valid_o[f_unit] && f_chosen == f_result;
  `ASSERT_ALWAYS begin
    // 1
    assert (f_mine == (f_cached || f_snooped));
    assert (!(f_cached && f_snooped));
    if (!cache_valid_o[f_unit]) assert (f_chosen == '0);
    // 2, 3
    if (Filter != 0 && f_cached) assert (result_near_i[f_result]);
    if (f_mine && (result_near_i[f_result] || Filter == 0))
      assert (cache_valid_o[f_unit] && f_chosen <= f_result);
  end

`ifdef FORMAL
  always_comb begin
    cover (cache_valid_o == '1 && cache_result_o == '1 && snoop_valid_o == '0);
    cover (snoop_valid[0] == '1);
    cover (cache_valid_o[0] && snoop_valid[0] != '0 && !cache_valid_o[NumCollectors-1]);
  end
`endif
`endif

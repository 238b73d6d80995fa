// SPDX-License-Identifier: Apache-2.0
// A cover as the assertion that it never holds. Its counterexample is a run that reaches the cover.
(* techmap_celltype = "$cover" *)
module never (A, EN);
  input A, EN;
  \$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule

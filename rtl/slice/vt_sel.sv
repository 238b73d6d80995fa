// SPDX-License-Identifier: Apache-2.0
// vt_sel: the scatter's control, one for all lanes: which nibble of the value each slice of one
// part takes.
// C twin: part of cmodel/blocks/slice/vt.c
// Combinational.
module vt_sel (
  input  logic [3:0]  base_i,       // the part's first nibble
  input  logic [7:0]  mask_i,       // the part's slices
  output logic [23:0] select_o      // [8][3] nibble of each slice; of use where mask_i is set
);
  function automatic logic [23:0] select(input logic [3:0] first, input logic [7:0] mask);
    logic [3:0] rank;
    rank   = first;
    select = '0;
    for (int s = 0; s < 8; s++) begin
      select[3*s +: 3] = rank[2:0];
      rank = rank + {3'd0, mask[s]};
    end
  endfunction

  assign select_o = select(base_i, mask_i);
endmodule

// SPDX-License-Identifier: Apache-2.0
// Properties of ppt (docs/blocks/finereg/ppt.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  // the table, for the engine's proof
  assign f_valid_o = valid_q;
  for (genvar c = 0; c < NumCtas; c++) begin : gen_f_row
    assign f_row_o[(2*PointerW+1)*c +: 2*PointerW+1] = row_q[c];
  end

  initial assume (!rst_ni);

  // assumptions on the inputs
  always_comb begin
    assume (32'(read_cta_i) < NumCtas);
    if (clear_valid_i) assume (32'(clear_cta_i) < NumCtas && valid_q[clear_cta_i[CtaW-1:0]]);
    if (write_valid_i) assume (32'(write_cta_i) < NumCtas && (!valid_q[write_cta_i[CtaW-1:0]]
                        || (clear_valid_i && clear_cta_i == write_cta_i)));
  end
`endif

  // 1, 2: one symbolic row
  `ASSERT_ANY(f_i, CtaW)
  logic [6:0] f_cta;
  assign f_cta = 7'(f_i);
  logic                f_valid_q;
  logic [PointerW-1:0] f_pointer_q;
  logic [PointerW:0]   f_count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_valid_q <= 1'b0;
    else if (write_valid_i && write_cta_i == f_cta) f_valid_q <= 1'b1;
    else if (clear_valid_i && clear_cta_i == f_cta) f_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (write_valid_i && write_cta_i == f_cta) begin
      f_pointer_q <= write_pointer_i;
      f_count_q   <= write_count_i;
    end
  end
  `ASSERT_ALWAYS begin
    assert (valid_q[f_cta[CtaW-1:0]] == f_valid_q);
    if (f_valid_q) assert (row_q[f_cta[CtaW-1:0]] == {f_count_q, f_pointer_q});
    if (read_cta_i == f_cta) begin
      assert (read_valid_o == f_valid_q);
      assert (read_pointer_o == (f_valid_q ? f_pointer_q : '0));
      assert (read_count_o == (f_valid_q ? f_count_q : '0));
    end
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && read_valid_o && read_cta_i == f_cta && clear_valid_i && write_valid_i && clear_cta_i == write_cta_i);
    cover (rst_ni && valid_q == '1 && NumCtas <= 4);
  end
`endif
`endif

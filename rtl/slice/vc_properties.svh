// SPDX-License-Identifier: Apache-2.0
// Properties of vc (docs/blocks/slice/vc.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // each lane's conversion, one cycle later; the second set of converters is for the proof only
  logic [NumUnits-1:0] f_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_valid_q <= '0;
    else f_valid_q <= operand_valid_i;
  end
  `ASSERT_ALWAYS assert (converted_valid_o == f_valid_q);
`ifdef FORMAL
  for (genvar u = 0; u < NumUnits; u++) begin : gen_f_unit
    logic [3:0] f_nibbles_q;
    always_ff @(posedge clk_i) f_nibbles_q <= operand_nibbles[u];
    for (genvar l = 0; l < Lanes; l++) begin : gen_f_lane
      localparam int V = Lanes * u + l;
      logic [31:0] f_code_q;
      logic [31:0] f_value;
      always_ff @(posedge clk_i) f_code_q <= operand_data[V];
      vcl u_vcl (.code_i(f_code_q), .nibbles_i(f_nibbles_q), .value_o(f_value));
      `ASSERT_ALWAYS begin
        assert (converted_data[V] == (f_valid_q[u] ? f_value : 32'd0));
        if (f_valid_q[u] && f_nibbles_q == 4'd8) assert (converted_data[V] == f_code_q);
      end
    end
  end
  always_comb cover (rst_ni && converted_valid_o == '1 && converted_data_o != '0);
`endif
`endif

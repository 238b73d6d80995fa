// SPDX-License-Identifier: Apache-2.0
// first_one: the lowest one of a vector, as a mask and as a number.
// No C twin: __builtin_ctzll in the models.
// Combinational.
module first_one #(
  parameter int N = 8
) (
  input  logic [N-1:0]                       x_i,
  output logic [N-1:0]                       oh_o,    // zero without a one
  output logic [(N > 1 ? $clog2(N) : 1)-1:0] idx_o    // likewise
);
  localparam int W = N > 1 ? $clog2(N) : 1;

  assign oh_o = x_i & (~x_i + N'(1));

  // bit k of the number: a one at a place whose number has it
  function automatic logic [N-1:0] places(input int k);
    for (int i = 0; i < N; i++) places[i] = ((i >> k) & 1) != 0;
  endfunction
  for (genvar k = 0; k < W; k++) begin : gen_bit
    localparam logic [N-1:0] Places = places(k);
    assign idx_o[k] = (oh_o & Places) != '0;
  end

`ifdef FORMAL
  // ---- proof
  (* anyconst *) logic [W-1:0] f_i;                 // any position
  always_comb begin
    if (32'(f_i) < N) assert (oh_o[f_i] == (x_i[f_i] && idx_o == f_i));
    assert ((oh_o == '0) == (x_i == '0));
    if (x_i != '0) begin
      assert (32'(idx_o) < N);
      if (f_i < idx_o) assert (!x_i[f_i]);
    end else assert (idx_o == '0);
  end
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// vcl_fv: properties of vcl for one format: exactness in integers, monotonicity, round trip through vtl.
module vcl_fv #(
  parameter int N = 4
) (
  input logic [31:0] code_i,
  input logic [31:0] other_i
);
  localparam int Bits = 4 * N;
  localparam int E = N == 2 ? 3 : N == 3 ? 4 : N <= 5 ? 5 : N == 6 ? 6 : N == 7 ? 7 : 8;
  localparam int M = Bits - 1 - E;
  localparam int Bias = (1 << (E - 1)) - 1;
  localparam logic [31:0] Mask = 32'hffffffff >> (32 - Bits);
  localparam logic [31:0] Abs = Mask >> 1;
  localparam logic [31:0] Inf = Abs - (32'hffffffff >> (32 - M));

  logic [31:0] y;
  logic [31:0] yz;
  vcl u_x (.code_i(code_i), .nibbles_i(4'(N)), .value_o(y));
  vcl u_z (.code_i(other_i), .nibbles_i(4'(N)), .value_o(yz));

  logic [31:0] a;                                   // the code without its sign
  logic [31:0] b;
  logic [31:0] v;
  logic [31:0] vz;
  logic [31:0] m;
  logic [31:0] t;
  logic [8:0]  sh;
  assign a  = code_i & Abs;
  assign b  = other_i & Abs;
  assign v  = y & 32'h7fffffff;
  assign vz = yz & 32'h7fffffff;
  assign m  = a & ~Inf;
  assign sh = 9'(151 - Bias - M) - {1'b0, v[30:23]};  // a subnormal's significand is m << sh
  vtl u_t (.value_i(y), .nibbles_i(4'(N)), .float_i(1'b1), .code_o(t));

  always_comb begin
    assert (y[31] == code_i[Bits-1]);
    if ((code_i & Mask) == (other_i & Mask)) assert (y == yz);         // the rest is ignored
    if (a < b && b <= Inf) assert (v < vz);
    if ((code_i & Mask) != (other_i & Mask)) assert (y != yz);
    if (N < 8) assert ((y & ((32'd1 << (23 - M)) - 32'd1)) == 32'd0);
    if (N == 8) assert (y == code_i);
    else begin
      assert (v[30:23] != 8'd0 || v == 32'd0);                  // never a subnormal of fp32
      if (a == 32'd0) assert (v == 32'd0);
      else if (a < (32'd1 << M)) begin                          // exact: equal integers, equal scale
        assert (sh <= 9'd23);
        assert ({8'd0, 1'b1, v[22:0]} == m << sh);
      end else if (a < Inf) begin
        assert (v == (a << (23 - M)) + (32'(127 - Bias) << 23));
      end else begin
        assert (v[30:23] == 8'd255 && v[22:0] == 23'(m << (23 - M)));
      end
      if (a <= Inf) assert (t == (code_i & Mask));                 // round trip
      else assert (t == ((code_i & Mask) | (32'd1 << (M - 1))));   // a NaN, now quiet
    end
    cover (N == 8 || (a < b && b < Inf && y[31]));
    cover (N == 8 || (a != 32'd0 && a < (32'd1 << M)));
  end
endmodule

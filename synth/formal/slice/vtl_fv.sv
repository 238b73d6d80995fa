// SPDX-License-Identifier: Apache-2.0
// vtl_fv: properties of vtl for one format: nearest with ties to even in exact integers, overflow, monotonicity.
module vtl_fv #(
  parameter int N = 4
) (
  input logic [31:0] value_i,
  input logic [31:0] other_i,
  input logic        float_i
);
  localparam int Bits = 4 * N;
  localparam int E = N == 1 || N == 2 ? 3 : N == 3 ? 4 : N <= 5 ? 5 : N == 6 ? 6 : N == 7 ? 7 : 8;
  localparam int M = N == 1 ? 1 : Bits - 1 - E;
  localparam int Bias = (1 << (E - 1)) - 1;
  localparam logic [31:0] Mask = 32'hffffffff >> (32 - Bits);
  localparam logic [31:0] Abs = Mask >> 1;
  localparam logic [31:0] Inf = Abs - (32'hffffffff >> (32 - M));
  localparam logic [31:0] Rebias = 32'(127 - Bias) << 23;
  localparam logic [31:0] MinNormal = Rebias + (32'd1 << 23);
  localparam logic [31:0] Over = (Inf << (23 - M)) + Rebias - (32'd1 << (22 - M));

  logic [31:0] y;
  logic [31:0] yz;
  vtl u_x (.value_i(value_i), .nibbles_i(4'(N)), .float_i(float_i), .code_o(y));
  vtl u_z (.value_i(other_i), .nibbles_i(4'(N)), .float_i(float_i), .code_o(yz));

  logic [31:0] a;                                   // the value without its sign, as fp32's bits
  logic [31:0] b;
  logic [31:0] c;                                   // the code without its sign
  logic [31:0] cz;
  assign a  = value_i & 32'h7fffffff;
  assign b  = other_i & 32'h7fffffff;
  assign c  = y & Abs;
  assign cz = yz & Abs;

  // a normal result: fp32's bits are linear in the value between neighbouring codes
  logic [31:0] v;
  logic [31:0] err;
  assign v   = (c << (23 - M)) + Rebias;
  assign err = a > v ? a - v : v - a;

  // below that: in units of 2^-25 of the smallest subnormal; smaller bits are dropped on both sides
  logic [8:0]  up;
  logic [59:0] fix;
  logic [59:0] cfix;
  logic [59:0] ferr;
  assign up   = {1'b0, a[30:23]} + 9'(Bias + M + 25) - 9'd151;
  assign fix  = {36'd0, 1'b1, a[22:0]} << up;
  assign cfix = {28'd0, c} << 25;
  assign ferr = fix > cfix ? fix - cfix : cfix - fix;

  always_comb begin
    assert ((y & ~Mask) == 32'd0);
    if (!float_i || N == 8 || N == 1) assert (y == (value_i & Mask));
    else begin
      assert (y[Bits-1] == value_i[31]);
      if (a <= b && b <= 32'h7f800000) assert (c <= cz);        // monotone
      if (a > 32'h7f800000) begin                               // a NaN stays a NaN: quiet, the top of its payload kept
        assert (c == (Inf | (32'd1 << (M - 1)) | (32'(value_i[22:0]) >> (23 - M))));
      end else begin
        assert ((c == Inf) == (a >= Over));                     // from half a step above the largest finite value on
        assert (c <= Inf);
        if (a < Over && a >= MinNormal) begin
          assert (err <= 32'd1 << (22 - M));
          if (err == 32'd1 << (22 - M)) assert (!c[0]);
        end
        if (a < MinNormal) begin
          if ({1'b0, a[30:23]} + 9'(Bias + M + 25) < 9'd151) assert (c == 32'd0);
          else if (a[30:23] != 8'd0) begin
            assert (ferr <= 60'd1 << 24);
            if (ferr == 60'd1 << 24) assert (!c[0]);
          end else assert (c == 32'd0);
        end
      end
    end
    cover (N == 8 || N == 1 || (float_i && a < MinNormal && c != 32'd0 && ferr == 60'd1 << 24));
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// vtl: value truncator of one lane, step 1: fp32 to a narrow float (RNE, gradual underflow), or the
// low 4n bits.
// C twin: cmodel/blocks/slice/vtl.c
// Combinational. Floats of n outside 2..7 are passed as integers are.
module vtl (
  input  logic [31:0] x_i,
  input  logic [3:0]  n_i,        // nibbles: 1 to 8; floats 2 to 8
  input  logic        fp_i,
  output logic [31:0] y_o         // 4n bits, zeros above
);
  logic        narrow;
  logic [4:0]  man;               // M
  logic [27:0] inf;               // the code of +infinity
  logic [7:0]  rebias;            // 127 - bias
  logic [4:0]  drop;              // 23 - M

  always_comb begin
    narrow = fp_i;
    man    = 5'd0;
    inf    = 28'd0;
    rebias = 8'd0;
    case (n_i)
      4'd2: begin man = 5'd4;  inf = 28'h70;      rebias = 8'd124; end
      4'd3: begin man = 5'd7;  inf = 28'h780;     rebias = 8'd120; end
      4'd4: begin man = 5'd10; inf = 28'h7c00;    rebias = 8'd112; end
      4'd5: begin man = 5'd14; inf = 28'h7c000;   rebias = 8'd112; end
      4'd6: begin man = 5'd17; inf = 28'h7e0000;  rebias = 8'd96;  end
      4'd7: begin man = 5'd20; inf = 28'h7f00000; rebias = 8'd64;  end
      default: narrow = 1'b0;
    endcase
  end
  assign drop = 5'd23 - man;

  // One rounding serves normal and subnormal results: the significand with its hidden bit, shifted,
  // is added to the exponent field below it, so that a carry out of the fraction increments the
  // exponent, up to infinity.
  logic [7:0]  e;
  logic        normal;            // E' >= 1
  logic [7:0]  deep;              // 1 - E' of a subnormal result
  logic [8:0]  far;
  logic [4:0]  sh;
  logic [47:0] wide;              // a shift of 25 drops a bit, but gives 0 in any case
  logic        up;
  logic [23:0] q;
  logic [7:0]  e_below;           // E' - 1 of a normal result
  logic [27:0] code;
  assign e       = x_i[30:23];
  assign normal  = e > rebias;
  assign deep    = normal ? 8'd0 : rebias - e + 8'd1;
  assign far     = {1'b0, deep} + {4'd0, drop};
  assign sh      = far > 9'd25 ? 5'd25 : far[4:0];
  assign wide    = {1'b1, x_i[22:0], 24'd0} >> sh;
  assign up      = wide[23] && (wide[24] || |wide[22:0]);
  assign q       = wide[47:24] + 24'(up);
  assign e_below = normal ? e - rebias - 8'd1 : 8'd0;
  assign code    = ({20'd0, e_below} << man) + {4'd0, q};

  logic [27:0] abs;               // the code without its sign
  logic [31:0] sign;
  always_comb begin
    if (e == 8'd255 && x_i[22:0] != 23'd0) begin
      abs = inf | (28'd1 << (man - 5'd1)) | 28'({5'd0, x_i[22:0]} >> drop);
    end else if (e == 8'd0) abs = 28'd0;
    else abs = (e == 8'd255 || code >= inf) ? inf : code;
    sign = {31'd0, x_i[31]} << ({n_i[2:0], 2'd0} - 5'd1);
  end

  logic [31:0] mask;
  always_comb begin
    for (int j = 0; j < 8; j++) mask[4*j +: 4] = {4{4'(j) < n_i}};
  end

  assign y_o = narrow ? sign | {4'd0, abs} : x_i & mask;
endmodule

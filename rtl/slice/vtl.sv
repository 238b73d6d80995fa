// SPDX-License-Identifier: Apache-2.0
// vtl: value truncator of one lane, step 1: fp32 to a narrow float (RNE, gradual underflow), or the
// low 4n bits.
// Floats of n outside 2..7 are passed as integers are.
// C twin: cmodel/blocks/slice/vtl.c
// Combinational: no cycle of latency, one value per cycle.
module vtl (
  input  logic [31:0] value_i,      // fp32 or integer
  input  logic [3:0]  nibbles_i,    // width of the code: 1 to 8; floats 2 to 8
  input  logic        float_i,      // value_i is a float
  output logic [31:0] code_o        // 4n bits, zeros above
);
  localparam int CodeW = 27;      // exponent and fraction of the widest format
  localparam int SigW = 22;       // its hidden bit, fraction of 20 bits and guard bit

  logic        s;
  logic [7:0]  e;
  logic [22:0] f;
  logic        special;  // infinity or NaN
  logic        nan;
  assign {s, e, f} = value_i;
  assign special   = e == 8'd255;
  assign nan       = special && f != '0;

  // What each format would make of x is found for all of them at once, from x alone: n, which comes
  // late in vt, only selects. With an exponent of K + 1 bits, E' = e - 128 + 2^K; where it is
  // neither below 1 nor too large, its bits are those of e without K to 6.
  for (genvar n = 2; n <= 7; n++) begin : gen_format
    localparam int K = n < 5 ? n : n - 1;
    localparam int M = 4 * n - 2 - K;
    localparam int Drop = 23 - M;
    localparam int Rebias = 128 - (1 << K);         // 127 - bias
    localparam int Least = (Rebias - M) / 8;        // the result of e < 8 * Least is zero
    logic                 normal;  // E' >= 1
    logic                 over;    // E' >= all ones
    logic                 zero;    // nothing of f is in the result
    logic [K:0]           field;   // the exponent before rounding
    logic [M+1:0]         hfg;     // hidden bit of a subnormal result, f, guard bit
    logic                 low;     // a one below them
    logic [4:0]           by;      // how far a subnormal result is shifted
    logic [K+1+M+2+6-1:0] made;
    assign normal = e[7] || (&e[6:K] && e[K-1:0] != '0);
    assign over   = e[7] && (e[6:K] != '0 || &e[K-1:0]);
    assign zero   = normal ? over && !special : e[6:3] < 4'(Least);
    assign field  = over ? '1 : normal ? {e[7], e[K-1:0]} : '0;
    assign hfg    = {!normal, f[22] || nan, f[21:Drop], f[Drop-1] && !special};
    assign low    = f[Drop-2:0] != '0;
    // 1 - E', which is less than 32; 31 leaves nothing
    assign by     = (normal ? 5'd0 : 5'(Rebias + 1) - e[4:0]) | {5{zero}};
    assign made   = {field, hfg, low, by};
  end

  logic             narrow;
  logic [CodeW-1:0] rest;   // the exponent at its place
  logic [SigW-1:0]  sig;
  logic             below;  // a one below sig
  logic [4:0]       deep;
  assign narrow = float_i && nibbles_i >= 4'd2 && nibbles_i <= 4'd7;
  always_comb begin
    rest   = '0;
    sig    = '0;
    below  = 1'b0;
    deep   = '0;
    case ({float_i, nibbles_i})
      5'h12:   {rest[6:4],   sig[5:0],  below, deep} = gen_format[2].made;
      5'h13:   {rest[10:7],  sig[8:0],  below, deep} = gen_format[3].made;
      5'h14:   {rest[14:10], sig[11:0], below, deep} = gen_format[4].made;
      5'h15:   {rest[18:14], sig[15:0], below, deep} = gen_format[5].made;
      5'h16:   {rest[22:17], sig[18:0], below, deep} = gen_format[6].made;
      5'h17:   {rest[26:20], sig[21:0], below, deep} = gen_format[7].made;
      default: ;
    endcase
  end

  logic [31:0] fixed;  // what rounding does not change: a float's sign, an integer
  always_comb begin
    fixed = '0;
    for (int j = 0; j < 8; j++) begin
      if (!narrow && 4'(j) < nibbles_i) fixed[4*j +: 4] = value_i[4*j +: 4];
      if (narrow && 4'(j + 1) == nibbles_i) fixed[4*j+3] = s;
    end
  end

  // The widest shift comes first: the bits that it drops are most, and have the longest time to
  // become the sticky bit.
  logic [SigW-1:0] w;
  logic            sticky;
  always_comb begin
    w      = sig;
    sticky = below;
    for (int k = 4; k >= 0; k--) begin
      if (deep[k]) begin
        sticky = sticky || (w & ((SigW'(1) << (1 << k)) - SigW'(1))) != '0;
        w      = w >> (1 << k);
      end
    end
  end

  // One increment serves normal and subnormal results: a carry out of the fraction increments the
  // exponent, up to infinity. What it changes is found beside `up`, by a prefix tree.
  logic             up;
  logic [CodeW-1:0] code;   // rounded down
  logic [CodeW-1:0] carry;  // all bits below are ones
  logic [CodeW-1:0] rounded;
  assign up      = w[0] && (w[1] || sticky);
  assign code    = rest | CodeW'(w[SigW-2:1]);
  always_comb begin
    carry = {code[CodeW-2:0], 1'b1};
    for (int k = 0; k < 5; k++) begin
      carry = carry & ((carry << (1 << k)) | ((CodeW'(1) << (1 << k)) - CodeW'(1)));
    end
  end
  assign rounded = up ? code ^ carry : code;
  assign code_o  = fixed | 32'(rounded);
endmodule

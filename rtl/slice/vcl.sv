// SPDX-License-Identifier: Apache-2.0
// vcl: value converter of one lane: narrow float of n nibbles to fp32, exactly. n outside 2..7: the
// identity. The widths select one of six field layouts; one shifter normalises subnormals of all.
// C twin: cmodel/blocks/slice/vcl.c
// Combinational: no cycle of latency, one value per cycle.
module vcl (
  input  logic [31:0] code_i,       // low 4n bits: the code; the rest is ignored
  input  logic [3:0]  nibbles_i,    // width of the code, 2 to 8
  output logic [31:0] value_o
);
  logic        narrow;
  logic        s;
  logic [6:0]  e;
  logic [6:0]  e_ones;  // all ones of the format's exponent field
  logic [22:0] m;       // mantissa field at fp32's place
  logic [7:0]  rebias;  // 127 - bias

  always_comb begin
    narrow = 1'b1;
    s      = 1'b0;
    e      = 7'd0;
    e_ones = 7'd0;
    m      = 23'd0;
    rebias = 8'd0;
    case (nibbles_i)
      4'd2: begin
        s = code_i[7]; e = {4'd0, code_i[6:4]}; m = {code_i[3:0], 19'd0};
        e_ones = 7'd7; rebias = 8'd124;
      end
      4'd3: begin
        s = code_i[11]; e = {3'd0, code_i[10:7]}; m = {code_i[6:0], 16'd0};
        e_ones = 7'd15; rebias = 8'd120;
      end
      4'd4: begin
        s = code_i[15]; e = {2'd0, code_i[14:10]}; m = {code_i[9:0], 13'd0};
        e_ones = 7'd31; rebias = 8'd112;
      end
      4'd5: begin
        s = code_i[19]; e = {2'd0, code_i[18:14]}; m = {code_i[13:0], 9'd0};
        e_ones = 7'd31; rebias = 8'd112;
      end
      4'd6: begin
        s = code_i[23]; e = {1'd0, code_i[22:17]}; m = {code_i[16:0], 6'd0};
        e_ones = 7'd63; rebias = 8'd96;
      end
      4'd7: begin
        s = code_i[27]; e = code_i[26:20]; m = {code_i[19:0], 3'd0};
        e_ones = 7'd127; rebias = 8'd64;
      end
      default: narrow = 1'b0;
    endcase
  end

  // leading zeros of the mantissa field (m != 0), and the field without its leading one
  logic [22:0] reversed;
  logic [22:0] unused;
  logic [4:0]  lz;
  logic [22:0] norm;
  always_comb begin
    for (int i = 0; i < 23; i++) reversed[i] = m[22-i];
  end
  first_one #(.N(23)) u_lz (.bits_i(reversed), .one_hot_o(unused), .index_o(lz));
  assign norm = (m << lz) << 1;

  always_comb begin
    if (!narrow) value_o = code_i;
    else if (e == e_ones) value_o = {s, 8'd255, m};
    else if (e != 7'd0) value_o = {s, {1'b0, e} + rebias, m};
    else if (m == 23'd0) value_o = {s, 31'd0};
    else value_o = {s, rebias - {3'd0, lz}, norm};
  end
endmodule

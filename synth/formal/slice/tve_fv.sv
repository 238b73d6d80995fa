// SPDX-License-Identifier: Apache-2.0
// tve_fv: properties of tve, over all data, all legal masks, both parts, both signs.
module tve_fv (
  input logic [31:0] data_i,
  input logic [31:0] entry_i,
  input logic        part_i,
  input logic        signed_i,
  input logic [31:0] noise0_i,
  input logic [31:0] noise1_i
);
  logic [4:0] n;
  logic [3:0] p0;
  always_comb begin
    p0 = '0;
    n  = '0;
    for (int s = 0; s < 8; s++) p0 = p0 + 4'(entry_i[8+s]);
    n = 5'(p0);
    for (int s = 0; s < 8; s++) n = n + 5'(entry_i[24+s]);
    assume (entry_i[15:8] != 8'd0 && n <= 5'd8);
  end

  // the rule: walk the part's slices upward; each is the next nibble; the last part fills with the sign
  logic [31:0] y;
  tve u_tve (.data_i(data_i), .entry_i(entry_i), .part_i(part_i), .signed_i(signed_i), .part_data_o(y));
  logic [7:0]  m;
  logic [4:0]  at;
  logic        top;
  logic [31:0] rule;
  always_comb begin
    m    = part_i ? entry_i[31:24] : entry_i[15:8];
    at   = part_i ? 5'(p0) : 5'd0;
    top  = 1'b0;
    rule = '0;
    for (int s = 0; s < 8; s++) begin
      if (m[s]) begin
        rule = rule | (32'(data_i[4*s +: 4]) << {at, 2'd0});
        top  = data_i[4*s+3];
        at   = at + 5'd1;
      end
    end
    for (int j = 0; j < 8; j++) begin
      if (5'(j) >= n && signed_i && top && (part_i ? m != 8'd0 : entry_i[31:24] == 8'd0)) rule[4*j +: 4] = 4'hf;
    end
    assert (y == rule);
  end

  // reassembly: the value that the truncator scattered, extended, whatever the other slices hold
  logic [23:0] sel0;
  logic [23:0] sel1;
  logic [31:0] w0;
  logic [31:0] w1;
  logic [31:0] r0;
  logic [31:0] r1;
  logic [31:0] y0;
  logic [31:0] y1;
  vt_sel u_sel0 (.base_i(4'd0), .mask_i(entry_i[15:8]), .select_o(sel0));
  vt_sel u_sel1 (.base_i(p0), .mask_i(entry_i[31:24]), .select_o(sel1));
  vt_mux u_mux0 (.code_i(data_i), .mask_i(entry_i[15:8]), .select_i(sel0), .slices_o(w0));
  vt_mux u_mux1 (.code_i(data_i), .mask_i(entry_i[31:24]), .select_i(sel1), .slices_o(w1));
  always_comb begin
    for (int s = 0; s < 8; s++) begin
      r0[4*s +: 4] = entry_i[8+s] ? w0[4*s +: 4] : noise0_i[4*s +: 4];
      r1[4*s +: 4] = entry_i[24+s] ? w1[4*s +: 4] : noise1_i[4*s +: 4];
      if (!entry_i[8+s]) assert (w0[4*s +: 4] == 4'd0);
      if (!entry_i[24+s]) assert (w1[4*s +: 4] == 4'd0);
    end
  end
  tve u_tve0 (.data_i(r0), .entry_i(entry_i), .part_i(1'b0), .signed_i(signed_i), .part_data_o(y0));
  tve u_tve1 (.data_i(r1), .entry_i(entry_i), .part_i(1'b1), .signed_i(signed_i), .part_data_o(y1));
  logic sign;
  always_comb begin
    assert ((y0 & y1) == 32'd0);
    sign = signed_i && data_i[4*n - 1];
    for (int j = 0; j < 8; j++) begin
      assert ((y0[4*j +: 4] | y1[4*j +: 4]) == (5'(j) < n ? data_i[4*j +: 4] : {4{sign}}));
    end
  end

  // the identity entry passes the register
  always_comb if (entry_i[15:8] == 8'hff) assert (y0 == data_i && y1 == 32'd0);

  always_comb cover (n == 5'd3 && entry_i[31:24] != 8'd0 && sign && y0 != 32'd0);
endmodule

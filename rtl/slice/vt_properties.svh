// SPDX-License-Identifier: Apache-2.0
// Properties of vt (docs/blocks/slice/vt.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  for (genvar u = 0; u < NumUnits; u++) begin : gen_f_unit
    // a reference model: the result taken, and which of its parts are still to leave
    logic             f_part0_q;
    logic             f_part1_q;
    logic [31:0]      f_entry_q;
    logic [Lanes+5:0] f_payload_q;  // warp and lanes
    logic             f_take;
    logic [31:0]      f_entry;
    logic [3:0]       f_nibbles;
    assign f_entry = result_entry[u];
    assign f_take  = result_valid_i[u] && result_ready_o[u];
    always_comb begin
      f_nibbles = '0;
      for (int i = 0; i < 8; i++) begin
        f_nibbles = f_nibbles + 4'(f_entry[8+i]) + 4'(f_entry[24+i]);
      end
`ifdef FORMAL
      if (result_valid_i[u])
        assume (f_entry[15:8] != 8'd0 && f_nibbles <= 4'd8 && f_nibbles != 4'd0);
`endif
    end
    `ASSERT_ALWAYS assert (nibbles[u] == f_nibbles);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_part0_q <= 1'b0;
        f_part1_q <= 1'b0;
      end else if (f_take) begin
        f_part0_q <= 1'b1;
        f_part1_q <= f_entry[31:24] != 8'd0;
      end else begin
        if (part0_ready_i[u]) f_part0_q <= 1'b0;
        if (part1_ready_i[u]) f_part1_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (f_take) begin
        f_entry_q   <= f_entry;
        f_payload_q <= result_payload[u][DataW +: Lanes+6];
      end
    end

    `ASSERT_ALWAYS begin
      // ready when no part is left or the last one leaves now; result_valid_i plays no part
      assert (result_ready_o[u]
              == ((!f_part0_q || part0_ready_i[u]) && (!f_part1_q || part1_ready_i[u])));
      // each part stays until it is accepted, independently of the other
      assert (part0_valid_o[u] == f_part0_q && part1_valid_o[u] == f_part1_q);
      assert (part0_register[u] == (f_part0_q ? f_entry_q[7:0] : 8'd0));
      assert (part0_mask[u] == (f_part0_q ? f_entry_q[15:8] : 8'd0));
      assert (part1_register[u] == (f_part1_q ? f_entry_q[23:16] : 8'd0));
      assert (part1_mask[u] == (f_part1_q ? f_entry_q[31:24] : 8'd0));
      assert (active_lanes[u] == (f_part0_q || f_part1_q ? f_payload_q[0 +: Lanes] : '0));
      assert (warp[u] == (f_part0_q || f_part1_q ? f_payload_q[Lanes +: 6] : '0));
      if (f_part0_q || f_part1_q) assert (entry_q[u] == f_entry_q);
    end

    // the rules of the page, from the ports alone: what is not accepted stays, part 1 rises with
    // part 0, data is zero outside the mask, as many parts leave as came
    localparam int PartW = 16 + DataW;
    logic             f_hold0_q;
    logic             f_hold1_q;
    logic             f_valid1_q;
    logic [PartW-1:0] f_out0;
    logic [PartW-1:0] f_out1;
    logic [PartW-1:0] f_out0_q;
    logic [PartW-1:0] f_out1_q;
    logic [2:0]       f_came0_q;
    logic [2:0]       f_came1_q;
    logic [2:0]       f_left0_q;
    logic [2:0]       f_left1_q;
    assign f_out0 = {part0_register[u], part0_mask[u], part0_data[u]};
    assign f_out1 = {part1_register[u], part1_mask[u], part1_data[u]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_hold0_q  <= 1'b0;
        f_hold1_q  <= 1'b0;
        f_valid1_q <= 1'b0;
        f_came0_q  <= '0;
        f_came1_q  <= '0;
        f_left0_q  <= '0;
        f_left1_q  <= '0;
      end else begin
        f_hold0_q  <= part0_valid_o[u] && !part0_ready_i[u];
        f_hold1_q  <= part1_valid_o[u] && !part1_ready_i[u];
        f_valid1_q <= part1_valid_o[u];
        f_came0_q  <= f_came0_q + 3'(f_take);
        f_came1_q  <= f_came1_q + 3'(f_take && f_entry[31:24] != 8'd0);
        f_left0_q  <= f_left0_q + 3'(part0_valid_o[u] && part0_ready_i[u]);
        f_left1_q  <= f_left1_q + 3'(part1_valid_o[u] && part1_ready_i[u]);
      end
    end
    always_ff @(posedge clk_i) begin
      f_out0_q <= f_out0;
      f_out1_q <= f_out1;
    end
    `ASSERT_ALWAYS begin
      if (f_hold0_q) assert (part0_valid_o[u] && f_out0 == f_out0_q);
      if (f_hold1_q) assert (part1_valid_o[u] && f_out1 == f_out1_q);
      if (part1_valid_o[u] && !f_valid1_q) assert (part0_valid_o[u]);
      if (part0_valid_o[u]) assert (part0_mask[u] != 8'd0);
      if (part1_valid_o[u]) assert (part1_mask[u] != 8'd0);
      assert (3'(f_came0_q - f_left0_q) == {2'd0, part0_valid_o[u]});
      assert (3'(f_came1_q - f_left1_q) == {2'd0, part1_valid_o[u]});
    end

`ifdef FORMAL
    // data: vtl and the scatter, which vtl_fv and vt_fv prove, applied to the result taken
    logic [3:0]  f_nibbles0;
    logic [23:0] f_select0;
    logic [23:0] f_select1;
    popcount #(.N(8)) u_p0 (.bits_i(f_entry[15:8]), .count_o(f_nibbles0));
    vt_sel u_sel0 (.base_i(4'd0), .mask_i(f_entry[15:8]), .select_o(f_select0));
    vt_sel u_sel1 (.base_i(f_nibbles0), .mask_i(f_entry[31:24]), .select_o(f_select1));
    for (genvar l = 0; l < Lanes; l++) begin : gen_f_lane
      logic [31:0] f_code;
      logic [31:0] f_data0;
      logic [31:0] f_data1;
      logic [31:0] f_data0_q;
      logic [31:0] f_data1_q;
      logic [31:0] lane0;
      logic [31:0] lane1;
      assign lane0 = part0_data[u][32*l +: 32];
      assign lane1 = part1_data[u][32*l +: 32];
      vtl u_vtl (
        .value_i(result_payload[u][32*l +: 32]), .nibbles_i(nibbles[u]),
        .float_i(result_payload[u][PayloadW-1]), .code_o(f_code)
      );
      vt_mux u_mux0 (
        .code_i(f_code), .mask_i(f_entry[15:8]), .select_i(f_select0), .slices_o(f_data0)
      );
      vt_mux u_mux1 (
        .code_i(f_code), .mask_i(f_entry[31:24]), .select_i(f_select1), .slices_o(f_data1)
      );
      always_ff @(posedge clk_i) begin
        if (f_take) begin
          f_data0_q <= f_data0;
          f_data1_q <= f_data1;
        end
      end
      `ASSERT_ALWAYS begin
        assert (lane0 == (f_part0_q ? f_data0_q : 32'd0));
        assert (lane1 == (f_part1_q ? f_data1_q : 32'd0));
        for (int s = 0; s < 8; s++) begin
          if (!part0_mask[u][s]) assert (lane0[4*s +: 4] == 4'd0);
          if (!part1_mask[u][s]) assert (lane1[4*s +: 4] == 4'd0);
        end
        // not visible at the ports once a part has left, but needed for the induction
        if (f_part0_q || f_part1_q)
          assert (part0_data_q[u][32*l +: 32] == f_data0_q
                  && part1_data_q[u][32*l +: 32] == f_data1_q);
      end
    end
`endif
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && part0_valid_o == '1 && part1_valid_o == '0 && part0_data_o != '0);
    cover (rst_ni && part0_valid_o[0] && part1_valid_o[0] && result_valid_i[0]
           && result_ready_o[0]);
    cover (rst_ni && !part0_valid_o[0] && part1_valid_o[0] && part1_data_o[31:0] != '0);
  end
`endif
`endif

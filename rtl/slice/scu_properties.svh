// SPDX-License-Identifier: Apache-2.0
// Properties of scu (docs/blocks/slice/scu.md, claims.tsv); included at the end of the module.
`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  initial assume (!rst_ni);

  // assumptions on the inputs
  always_comb begin
    if (busy_o) assume (!allocate_valid_i);
    if (!dispatch_valid_o) assume (!dispatch_take_i);
    assume ((grant_i & ~request_valid_o) == '0);
    assume (32'(part_operand_i) < NumOperands);
  end
`endif

  logic f_allocated_q;  // the cycle after an allocation
  logic f_busy_q;
  logic f_offer_q;      // ready a cycle ago, and not taken
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_allocated_q <= 1'b0;
      f_busy_q      <= 1'b0;
      f_offer_q     <= 1'b0;
    end else begin
      f_allocated_q <= allocate_valid_i;
      f_busy_q      <= allocate_valid_i || (f_busy_q && !dispatch_take_i);
      f_offer_q     <= dispatch_valid_o && !dispatch_take_i;
    end
  end

  // outputs and registers of the cycle before
  logic [MetaW+NumOperands*DataW:0] f_dispatch;
  logic [MetaW+NumOperands*DataW:0] f_dispatch_q;
  assign f_dispatch = {dispatch_convert_o, dispatch_meta_o, dispatch_data_o};
  logic [6*NumOperands+MetaW-1:0] f_regs;
  logic [6*NumOperands+MetaW-1:0] f_regs_q;
  logic                           f_idle_q;  // no input was valid: only busy may change
  assign f_regs = {source_q, signed_q, convert_q, located_q, half_q, complete_q, meta_q};
  always_ff @(posedge clk_i) begin
    f_dispatch_q <= f_dispatch;
    f_regs_q     <= f_regs;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_idle_q <= 1'b0;
    else f_idle_q <= !allocate_valid_i && grant_i == '0 && !part_valid_i;
  end
  `ASSERT_ALWAYS begin
    assert (busy_o == f_busy_q);
    // offered until it is taken; the take changes busy only
    if (f_offer_q) assert (dispatch_valid_o && f_dispatch == f_dispatch_q);
    if (f_idle_q) assert (f_regs == f_regs_q);
  end

  logic [NumOperands-1:0] f_here;  // all of the operand's parts have come
  logic [NumOperands-1:0] f_convert;
  logic [NumOperands-1:0] f_source_q;
  logic [MetaW-1:0]       f_meta_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_source_q <= '0;
    else if (allocate_valid_i) f_source_q <= allocate_source_i;
  end
  always_ff @(posedge clk_i) if (allocate_valid_i) f_meta_q <= allocate_meta_i;

  for (genvar k = 0; k < NumOperands; k++) begin : gen_f_op
    // a reference model that counts requests, grants, responses and parts
    logic [1:0]       f_asked_q;   // reads of part 0 raised for this instruction
    logic [1:0]       f_asked1_q;  // of part 1
    logic [31:0]      f_entry_q;
    logic [7:0]       f_held_q;
    logic             f_grant_q;
    logic             f_due_q;     // granted in the cycle before
    logic             f_response_q;
    logic [1:0]       f_parts_q;
    logic [1:0]       f_need_q;
    logic [DataW-1:0] f_or_q;
    logic [7:0]       f_addr_q;
    logic             f_signed_q;
    logic             f_convert_q;
    logic             f_narrow_q;
    logic [31:0]      f_entry;
    logic [4:0]       f_nibbles;
    logic             f_part;
    assign f_entry = response_entry[k];
    assign f_part = part_valid_i && 32'(part_operand_i) == k;
    always_comb begin
      f_nibbles = '0;
      for (int i = 0; i < 8; i++) f_nibbles = f_nibbles + 5'(f_entry[8+i]) + 5'(f_entry[24+i]);
`ifdef FORMAL
      assume (response_valid_i[k] == f_due_q);
      if (response_valid_i[k]) assume (f_entry[15:8] != 8'd0 && f_nibbles <= 5'd8);
      if (f_part) assume (f_response_q && f_parts_q < f_need_q);
`endif
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_grant_q    <= 1'b0;
        f_due_q      <= 1'b0;
        f_response_q <= 1'b0;
        f_parts_q    <= '0;
        f_asked_q    <= '0;
        f_asked1_q   <= '0;
        f_entry_q    <= '0;
      end else begin
        f_due_q <= grant_i[k];
        if (response_valid_i[k]) f_entry_q <= f_entry;
        if (allocate_valid_i) begin
          f_asked_q  <= '0;
          f_asked1_q <= '0;
        end else begin
          f_asked_q  <= f_asked_q + 2'(fetch_valid_o[2*k]);
          f_asked1_q <= f_asked1_q + 2'(fetch_valid_o[2*k+1]);
        end
        if (allocate_valid_i) begin
          f_grant_q    <= 1'b0;
          f_response_q <= 1'b0;
          f_parts_q    <= '0;
        end else begin
          if (grant_i[k]) f_grant_q <= 1'b1;
          if (response_valid_i[k]) f_response_q <= 1'b1;
          f_parts_q <= f_parts_q + 2'(f_part);
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (allocate_valid_i) begin
        f_addr_q    <= allocate_addr[k];
        f_signed_q  <= allocate_signed_i[k];
        f_convert_q <= allocate_convert_i[k];
      end
      if (response_valid_i[k]) begin
        f_need_q   <= f_entry[31:24] == 8'd0 ? 2'd1 : 2'd2;
        f_narrow_q <= f_nibbles < 5'd8;
      end
      if (f_part) f_or_q <= f_parts_q == 2'd0 ? part_data_i : f_or_q | part_data_i;
    end
    always_ff @(posedge clk_i) f_held_q <= addr_q[k];
    assign f_here[k] = !f_source_q[k] || (f_response_q && f_parts_q == f_need_q);
    assign f_convert[k]   = f_source_q[k] && f_convert_q && f_narrow_q;

    `ASSERT_ALWAYS begin
      // the request is up from the allocation to the grant, with its address
      assert (request_valid_o[k] == (busy_o && f_source_q[k] && !f_grant_q));
      assert (request_addr[k] == (request_valid_o[k] ? f_addr_q : 8'd0));
      // the fetch is in the cycle of the response, part 1 only where there is one
      assert (fetch_valid_o[2*k] == response_valid_i[k]);
      assert (fetch_valid_o[2*k+1] == (response_valid_i[k] && f_entry[31:24] != 8'd0));
      assert (fetch_register[2*k] == (fetch_valid_o[2*k] ? f_entry[7:0] : 8'd0));
      assert (fetch_register[2*k+1] == (fetch_valid_o[2*k+1] ? f_entry[23:16] : 8'd0));
      assert (fetch_entry[k] == (response_valid_i[k] ? f_entry : 32'd0));
      assert (fetch_signed_o[k] == (response_valid_i[k] && f_signed_q));
      // an operand is dispatched complete, and only if its look-up was granted
      assert (dispatch_data[k] == (dispatch_valid_o && f_source_q[k] ? f_or_q : '0));
      if (dispatch_valid_o && f_source_q[k]) assert (located_q[k] && complete_q[k] && f_response_q);
      // invariants 1 to 3 of the page: no look-up twice, each part read once
      if (complete_q[k] || half_q[k]) assert (located_q[k]);
      if (!source_q[k]) assert (!located_q[k] && !half_q[k] && !complete_q[k]);
      assert (!(request_valid_o[k] && located_q[k]));
      assert (f_asked_q == {1'b0, f_response_q});
      assert (f_asked1_q == {1'b0, f_response_q && f_need_q == 2'd2});
      assert (entry_q[k] == f_entry_q);
      if (f_idle_q) assert (addr_q[k] == f_held_q);   // as the registers above
      // the registers agree with the reference model
      if (busy_q) begin
        assert (signed_q[k] == f_signed_q && convert_q[k] == f_convert_q);
        assert (addr_q[k] == f_addr_q);
        if (f_parts_q != 2'd0) assert (data_q[k] == f_or_q);
      end else if (f_source_q[k]) assert (f_here[k]);
      assert (source_q[k] == f_source_q[k]);
      assert (located_q[k] == f_grant_q);
      assert (complete_q[k] == (f_response_q && f_parts_q == f_need_q));
      assert (half_q[k] == (f_response_q && f_need_q == 2'd2 && f_parts_q != 2'd0));
      if (f_response_q) begin
        assert (f_grant_q && !f_due_q);
        assert (f_need_q == (two[k] ? 2'd2 : 2'd1) && f_parts_q <= f_need_q);
        assert (narrow[k] == f_narrow_q);
      end else assert (f_parts_q == 2'd0 && f_due_q == f_grant_q);
      if (f_grant_q) assert (f_source_q[k]);
      if (f_due_q) assert (busy_q && f_source_q[k] && f_grant_q);
    end
  end

  `ASSERT_ALWAYS begin
    assert (dispatch_valid_o == (busy_o && f_here == '1));
    assert (dispatch_convert_o == (dispatch_valid_o && f_convert != '0));
    assert (dispatch_meta_o == (dispatch_valid_o ? f_meta_q : '0));
    if (busy_q) assert (meta_q == f_meta_q);
    if (f_allocated_q) assert (busy_o);
    if (f_allocated_q && f_source_q == '0) assert (dispatch_valid_o);
  end

`ifdef FORMAL
  always_comb begin
    cover (rst_ni && dispatch_valid_o && dispatch_convert_o && half_q != '0);
    cover (rst_ni && dispatch_valid_o && source_q == '1 && convert_q == '1 && !dispatch_convert_o);
    cover (rst_ni && dispatch_valid_o && f_allocated_q);
  end
`endif
`endif

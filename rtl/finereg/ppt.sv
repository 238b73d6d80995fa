// SPDX-License-Identifier: Apache-2.0
// ppt: PCRF pointer table: for each CTA the head of its chain and the chain's length.
// C twin: cmodel/blocks/finereg/ppt.c
// Read in the same cycle, before this cycle's writes; one clear and one write per cycle.
// NumCta is a power of two, at least 2.
module ppt #(
  parameter int NumCta = 128,
  parameter int NumEntries = 1024
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // read
  input  logic [6:0]                    rd_cta_i,
  output logic                          rd_v_o,
  output logic [$clog2(NumEntries)-1:0] rd_ptr_o,
  output logic [$clog2(NumEntries):0]   rd_cnt_o,
`ifdef FORMAL
  output logic [NumCta-1:0]                         f_v_o,
  output logic [NumCta*(2*$clog2(NumEntries)+1)-1:0] f_row_o,
`endif
  // clear
  input  logic                          clr_v_i,
  input  logic [6:0]                    clr_cta_i,
  // write
  input  logic                          wr_v_i,
  input  logic [6:0]                    wr_cta_i,
  input  logic [$clog2(NumEntries)-1:0] wr_ptr_i,
  input  logic [$clog2(NumEntries):0]   wr_cnt_i
);
  localparam int CtaW = $clog2(NumCta);
  localparam int PtrW = $clog2(NumEntries);

  logic [NumCta-1:0] v_q, v_d;
  logic [2*PtrW:0]   row_q [NumCta];              // count, pointer; not reset: v_q gates it
  logic [2*PtrW:0]   row;

  assign rd_v_o   = v_q[rd_cta_i[CtaW-1:0]];
  assign row      = rd_v_o ? row_q[rd_cta_i[CtaW-1:0]] : '0;
  assign rd_ptr_o = row[PtrW-1:0];
  assign rd_cnt_o = row[2*PtrW:PtrW];

  always_comb begin
    v_d = v_q;
    if (clr_v_i) v_d[clr_cta_i[CtaW-1:0]] = 1'b0;
    if (wr_v_i) v_d[wr_cta_i[CtaW-1:0]] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) v_q <= '0;
    else v_q <= v_d;
  end

  always_ff @(posedge clk_i) begin
    if (wr_v_i) row_q[wr_cta_i[CtaW-1:0]] <= {wr_cnt_i, wr_ptr_i};
  end

`ifdef ASSERT_ON
`include "assert.svh"
`ifdef FORMAL
  // the table, for the engine's proof
  assign f_v_o = v_q;
  for (genvar c = 0; c < NumCta; c++) begin : gen_f_row
    assign f_row_o[(2*PtrW+1)*c +: 2*PtrW+1] = row_q[c];
  end

  // ---- proof
  initial assume (!rst_ni);

  // assumptions on the inputs
  always_comb begin
    assume (32'(rd_cta_i) < NumCta);
    if (clr_v_i) assume (32'(clr_cta_i) < NumCta && v_q[clr_cta_i[CtaW-1:0]]);
    if (wr_v_i) assume (32'(wr_cta_i) < NumCta && (!v_q[wr_cta_i[CtaW-1:0]]
                        || (clr_v_i && clr_cta_i == wr_cta_i)));
  end
`endif

  // 1, 2: one symbolic row
  `ASSERT_ANY(f_i, CtaW)
  logic [6:0] f_c;
  assign f_c = 7'(f_i);
  logic            f_v_q;
  logic [PtrW-1:0] f_ptr_q;
  logic [PtrW:0]   f_cnt_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_v_q <= 1'b0;
    else if (wr_v_i && wr_cta_i == f_c) f_v_q <= 1'b1;
    else if (clr_v_i && clr_cta_i == f_c) f_v_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (wr_v_i && wr_cta_i == f_c) begin
      f_ptr_q <= wr_ptr_i;
      f_cnt_q <= wr_cnt_i;
    end
  end
  `ASSERT_ALWAYS begin
    assert (v_q[f_c[CtaW-1:0]] == f_v_q);
    if (f_v_q) assert (row_q[f_c[CtaW-1:0]] == {f_cnt_q, f_ptr_q});
    if (rd_cta_i == f_c) begin
      assert (rd_v_o == f_v_q);
      assert (rd_ptr_o == (f_v_q ? f_ptr_q : '0));
      assert (rd_cnt_o == (f_v_q ? f_cnt_q : '0));
    end
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && rd_v_o && rd_cta_i == f_c && clr_v_i && wr_v_i && clr_cta_i == wr_cta_i);
    cover (rst_ni && v_q == '1 && NumCta <= 4);
  end
`endif
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// scu: collector unit with indirection: look-up, fetch of one or two parts, OR-merge, conversion flag.
// C twin: cmodel/blocks/slice/scu.c
// One instruction at a time. Allocation to request 1 cycle, response to fetch 0, last part to dispatch 1.
module scu #(
  parameter int NumOps = 3,
  parameter int DataW = 1024,
  parameter int MetaW = 32
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // allocate; only when not busy
  input  logic                      al_v_i,
  input  logic [NumOps-1:0]         al_sv_i,
  input  logic [8*NumOps-1:0]       al_a_i,
  input  logic [NumOps-1:0]         al_sgn_i,
  input  logic [NumOps-1:0]         al_cvt_i,
  input  logic [MetaW-1:0]          al_meta_i,
  // look-up in the source indirection table
  output logic [NumOps-1:0]         rq_v_o,
  output logic [8*NumOps-1:0]       rq_a_o,
  input  logic [NumOps-1:0]         gn_i,
  input  logic [NumOps-1:0]         rs_v_i,
  input  logic [32*NumOps-1:0]      rs_e_i,
  // to the register file's queues: index 2 * operand + part
  output logic [2*NumOps-1:0]       rf_v_o,
  output logic [16*NumOps-1:0]      rf_r_o,
  output logic [32*NumOps-1:0]      rf_e_o,
  output logic [NumOps-1:0]         rf_sgn_o,
  // one extracted part
  input  logic                      d_v_i,
  input  logic [$clog2(NumOps)-1:0] d_op_i,
  input  logic [DataW-1:0]          d_d_i,
  // dispatch
  output logic                      busy_o,
  output logic                      dp_v_o,
  output logic                      dp_vc_o,
  output logic [MetaW-1:0]          dp_meta_o,
  output logic [NumOps*DataW-1:0]   dp_d_o,
  input  logic                      dp_take_i
);
  localparam int OpW = $clog2(NumOps);

  logic                busy_q, busy_d;
  logic [NumOps-1:0]   sv_q, sv_d;
  logic [NumOps-1:0]   sgn_q, sgn_d;
  logic [NumOps-1:0]   cvt_q, cvt_d;
  logic [NumOps-1:0]   loc_q, loc_d;              // granted by the table
  logic [NumOps-1:0]   half_q, half_d;            // first of two parts is here
  logic [NumOps-1:0]   rdy_q, rdy_d;              // all parts are here
  logic [8*NumOps-1:0] a_q, a_d;
  logic [MetaW-1:0]    meta_q, meta_d;
  logic [31:0]         info_q [NumOps];           // the entry, from the table's response
  logic [DataW-1:0]    d_q [NumOps];              // not reset: rdy_q gates it

  logic [NumOps-1:0]   two;                       // the operand has a second part
  logic [NumOps-1:0]   narrow;                    // n < 8
  logic [NumOps-1:0]   part;                      // a part of it is here now
  logic [NumOps-1:0]   ask;
  logic                all_here;
  assign ask      = {NumOps{busy_q}} & sv_q & ~loc_q;
  assign all_here = busy_q && (sv_q & ~rdy_q) == '0;

  for (genvar k = 0; k < NumOps; k++) begin : gen_op
    logic [31:0] e;
    logic [4:0]  n;
    assign e = rs_e_i[32*k +: 32];

    assign rq_a_o[8*k +: 8]     = ask[k] ? a_q[8*k +: 8] : '0;
    assign rf_v_o[2*k]          = rs_v_i[k];
    assign rf_v_o[2*k+1]        = rs_v_i[k] && e[31:24] != 8'd0;
    assign rf_r_o[16*k +: 8]    = rf_v_o[2*k] ? e[7:0] : '0;
    assign rf_r_o[16*k+8 +: 8]  = rf_v_o[2*k+1] ? e[23:16] : '0;
    assign rf_e_o[32*k +: 32]   = rs_v_i[k] ? e : '0;
    assign rf_sgn_o[k]          = rs_v_i[k] && sgn_q[k];

    assign two[k]  = info_q[k][31:24] != 8'd0;
    assign part[k] = d_v_i && d_op_i == OpW'(k);
    popcount #(.N(16)) u_n (.x_i({info_q[k][31:24], info_q[k][15:8]}), .n_o(n));
    assign narrow[k] = n < 5'd8;

    assign dp_d_o[DataW*k +: DataW] = all_here && sv_q[k] ? d_q[k] : '0;
  end

  assign rq_v_o    = ask;
  assign busy_o    = busy_q;
  assign dp_v_o    = all_here;
  assign dp_vc_o   = all_here && (sv_q & cvt_q & narrow) != '0;
  assign dp_meta_o = all_here ? meta_q : '0;

  always_comb begin
    busy_d = busy_q;
    sv_d   = sv_q;
    sgn_d  = sgn_q;
    cvt_d  = cvt_q;
    a_d    = a_q;
    meta_d = meta_q;
    loc_d  = loc_q | (ask & gn_i);
    half_d = half_q | (part & two);
    rdy_d  = rdy_q | (part & (~two | half_q));
    if (al_v_i) begin
      busy_d = 1'b1;
      sv_d   = al_sv_i;
      sgn_d  = al_sgn_i;
      cvt_d  = al_cvt_i;
      a_d    = al_a_i;
      meta_d = al_meta_i;
      loc_d  = '0;
      half_d = '0;
      rdy_d  = '0;
    end else if (dp_take_i) begin
      busy_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      sv_q   <= '0;
      sgn_q  <= '0;
      cvt_q  <= '0;
      loc_q  <= '0;
      half_q <= '0;
      rdy_q  <= '0;
      a_q    <= '0;
      meta_q <= '0;
      for (int k = 0; k < NumOps; k++) info_q[k] <= '0;
    end else begin
      busy_q <= busy_d;
      sv_q   <= sv_d;
      sgn_q  <= sgn_d;
      cvt_q  <= cvt_d;
      loc_q  <= loc_d;
      half_q <= half_d;
      rdy_q  <= rdy_d;
      a_q    <= a_d;
      meta_q <= meta_d;
      for (int k = 0; k < NumOps; k++) begin
        if (rs_v_i[k]) info_q[k] <= rs_e_i[32*k +: 32];
      end
    end
  end

  // the first part is written, the second OR-ed
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < NumOps; k++) begin
      if (part[k]) d_q[k] <= half_q[k] ? d_q[k] | d_d_i : d_d_i;
    end
  end
endmodule

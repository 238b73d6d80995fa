// SPDX-License-Identifier: Apache-2.0
// csw: CTA switch policy: who leaves, who comes, in which steps.
// C twin: cmodel/blocks/finereg/csw.c
// One sequence at a time, one step after the other. NumCta is a power of two, at least 2.
module csw #(
  parameter int NumCta = 128
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // the SM
  input  logic [NumCta-1:0] stl_i,
  input  logic              new_ok_i,
  input  logic              slot_ok_i,
  input  logic              pipe_ok_i,
  input  logic [5:0]        k_nw_i,
  input  logic              fin_v_i,
  input  logic [6:0]        fin_cta_i,
  output logic              fin_rdy_o,
  // status monitor: who is next
  input  logic              p12_v_i,
  input  logic [6:0]        p12_id_i,
  input  logic              p11_v_i,
  input  logic [6:0]        p11_id_i,
  input  logic              new_v_i,
  input  logic [6:0]        new_id_i,
  output logic              tk12_o,
  output logic              tk11_o,
  // status monitor: [2] ports
  output logic [1:0]        set_v_o,
  output logic [13:0]       set_cta_o,
  output logic [3:0]        set_ctx_o,
  output logic [3:0]        set_reg_o,
  // register management engine
  output logic              c_v_o,
  output logic [1:0]        c_op_o,
  output logic [6:0]        c_a_o,
  output logic [6:0]        c_b_o,
  output logic [5:0]        c_nw_o,
  input  logic              c_rdy_i,
  input  logic              done_v_i,
  input  logic              done_ok_i,
  // contexts
  output logic              x_v_o,
  output logic              x_in_o,
  output logic [6:0]        x_cta_o,
  input  logic              x_done_i,
  // issue
  output logic              frz_v_o,
  output logic [6:0]        frz_a_o,
  output logic              la_v_o,
  output logic [6:0]        la_cta_o
);
  localparam int CtaW = $clog2(NumCta);
  localparam logic [2:0] Idle = 3'd0;
  localparam logic [2:0] Eval = 3'd1;
  localparam logic [2:0] Rm = 3'd2;
  localparam logic [2:0] Wait = 3'd3;
  localparam logic [2:0] Out = 3'd4;
  localparam logic [2:0] In = 3'd5;
  localparam logic [2:0] Set = 3'd6;
  localparam logic [2:0] Eval4 = 3'd7;
  localparam logic [1:0] Spill = 2'd0;
  localparam logic [1:0] Restore = 2'd1;
  localparam logic [1:0] Swap = 2'd2;

  logic [2:0]        state_q, state_d;
  logic [6:0]        a_q, a_d;
  logic [6:0]        b_q, b_d;
  logic [3:0]        t4_q;
  logic [5:0]        nw_q, nw_d;
  logic              stall_q, stall_d;            // the sequence began at a stall: A leaves
  logic              fin_q, fin_d;                // it began at an end: no B
  logic              launch_q, launch_d;          // B is new
  logic              away_q, away_d;              // A's registers go to the PCRF
  logic [NumCta-1:0] pend_q, pend_d;
  logic [NumCta-1:0] stl_q;

  // stalled CTAs that have not been looked at for a while
  logic [NumCta-1:0] look;
  logic [NumCta-1:0] first;
  logic [CtaW-1:0]   first_idx;
  assign look = pend_q & stl_i;
  first_one #(.N(NumCta)) u_look (.x_i(look), .oh_o(first), .idx_o(first_idx));

  logic stays;                                    // A still stalls
  assign stays = state_q == Eval4 || stl_i[a_q[CtaW-1:0]];

  always_comb begin
    state_d  = state_q;
    a_d      = a_q;
    b_d      = b_q;
    nw_d     = nw_q;
    stall_d  = stall_q;
    fin_d    = fin_q;
    launch_d = launch_q;
    away_d   = away_q;
    pend_d   = stl_i & (pend_q | ~stl_q | {NumCta{t4_q == 4'd15}});
    tk12_o   = 1'b0;
    tk11_o   = 1'b0;

    case (state_q)
      Idle: begin
        stall_d  = 1'b0;
        fin_d    = 1'b0;
        launch_d = 1'b0;
        nw_d     = k_nw_i;
        if (fin_v_i) begin
          a_d     = fin_cta_i;
          fin_d   = 1'b1;
          state_d = Set;
        end else if (pipe_ok_i && p12_v_i) begin
          b_d     = p12_id_i;
          tk12_o  = 1'b1;
          state_d = In;
        end else if (pipe_ok_i && slot_ok_i && p11_v_i) begin
          b_d     = p11_id_i;
          tk11_o  = 1'b1;
          state_d = Rm;
        end else if (pipe_ok_i && slot_ok_i && new_v_i && new_ok_i) begin
          b_d      = new_id_i;
          launch_d = 1'b1;
          state_d  = Set;
        end else if (look != '0) begin
          a_d     = 7'(first_idx);
          stall_d = 1'b1;
          pend_d  = pend_d & ~first;
          state_d = Eval;
        end
      end

      Eval, Eval4: begin
        launch_d = 1'b0;
        away_d   = 1'b0;
        nw_d     = k_nw_i;
        state_d  = Idle;
        if (stays) begin
          if (state_q == Eval && p12_v_i) begin
            b_d     = p12_id_i;
            tk12_o  = 1'b1;
            state_d = Out;
          end else if (state_q == Eval && new_v_i && new_ok_i) begin
            b_d      = new_id_i;
            launch_d = 1'b1;
            away_d   = !slot_ok_i;
            state_d  = slot_ok_i ? Out : Rm;
          end else if (p11_v_i) begin
            b_d     = p11_id_i;
            tk11_o  = 1'b1;
            away_d  = 1'b1;
            state_d = Rm;
          end
        end
      end

      Rm: if (c_rdy_i) state_d = Wait;

      // only what spills or swaps can be refused
      Wait: begin
        if (done_v_i) begin
          if (!stall_q) state_d = In;
          else if (done_ok_i) state_d = Out;
          else state_d = launch_q ? Eval4 : Idle;
        end
      end

      Out: if (x_done_i) state_d = launch_q ? Set : In;
      In:  if (x_done_i) state_d = Set;
      default: state_d = Idle;                    // set
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      a_q      <= '0;
      b_q      <= '0;
      t4_q     <= '0;
      nw_q     <= '0;
      stall_q  <= 1'b0;
      fin_q    <= 1'b0;
      launch_q <= 1'b0;
      away_q   <= 1'b0;
      pend_q   <= '0;
      stl_q    <= '0;
    end else begin
      state_q  <= state_d;
      a_q      <= a_d;
      b_q      <= b_d;
      t4_q     <= t4_q + 4'd1;
      nw_q     <= nw_d;
      stall_q  <= stall_d;
      fin_q    <= fin_d;
      launch_q <= launch_d;
      away_q   <= away_d;
      pend_q   <= pend_d;
      stl_q    <= stl_i;
    end
  end

  logic setting;
  logic set_a;
  logic set_b;
  assign setting   = state_q == Set;
  assign set_a     = setting && (stall_q || fin_q);
  assign set_b     = setting && !fin_q;
  assign set_v_o   = {set_b, set_a};
  assign set_cta_o = {set_b ? b_q : 7'd0, set_a ? a_q : 7'd0};
  assign set_ctx_o = {set_b ? 2'd2 : 2'd0, set_a && stall_q ? 2'd1 : 2'd0};
  assign set_reg_o = {set_b ? 2'd2 : 2'd0, set_a && stall_q ? (away_q ? 2'd1 : 2'd2) : 2'd0};

  logic [1:0] op;
  assign op     = !stall_q ? Restore : launch_q ? Spill : Swap;
  assign c_v_o  = state_q == Rm;
  assign c_op_o = c_v_o ? op : 2'd0;
  assign c_a_o  = c_v_o && op != Restore ? a_q : 7'd0;
  assign c_b_o  = c_v_o && op != Spill ? b_q : 7'd0;
  assign c_nw_o = c_v_o ? nw_q : 6'd0;

  assign x_v_o   = state_q == Out || state_q == In;
  assign x_in_o  = state_q == In;
  assign x_cta_o = state_q == Out ? a_q : state_q == In ? b_q : 7'd0;

  assign fin_rdy_o = state_q == Idle;
  assign frz_v_o   = state_q != Idle && stall_q;
  assign frz_a_o   = frz_v_o ? a_q : 7'd0;
  assign la_v_o    = setting && launch_q;
  assign la_cta_o  = la_v_o ? b_q : 7'd0;
endmodule

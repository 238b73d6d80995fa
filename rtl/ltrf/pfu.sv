// SPDX-License-Identifier: Apache-2.0
// pfu: warp control blocks and prefetch unit: where the registers of active warps are, and how they get there.
// C twin: cmodel/blocks/ltrf/pfu.c
// Look-up: 1 cycle for up to two sources, 2 for up to four, 3 for six. A slot moves one register a cycle; one of all slots uses the
// main register file. n registers to leave and m to come take n + m + 4 cycles at least, from the command to its `d`.
// All parameters but Nwb and Plus are powers of two, Nr, Nact and Nb at least 2. Numbers of registers and warps have 8 and 6 bits
// whatever NumReg and NumWarp are.
module pfu #(
`ifdef FORMAL
  // the proof has assertions for each pair of registers: only small sizes elaborate
  parameter int Nr = 2,
  parameter int Nact = 2,
  parameter int Np = 1,
  parameter int Nb = 2,
  parameter int Plus = 1,
  parameter int Nwb = 2,
  parameter int NumReg = 4,
  parameter int NumWarp = 4
`else
  parameter int Nr = 16,
  parameter int Nact = 8,
  parameter int Np = 4,
  parameter int Nb = 16,
  parameter int Plus = 1,
  parameter int Nwb = 4,
  parameter int NumReg = 256,
  parameter int NumWarp = 64
`endif
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // look-up, [Np]: warp, number of sources, six registers
  input  logic [Np-1:0]              lk_v_i,
  input  logic [Np*6-1:0]            lk_w_i,
  input  logic [Np*3-1:0]            lk_n_i,
  input  logic [Np*48-1:0]           lk_r_i,
  output logic [Np-1:0]              lk_rdy_o,
  output logic [Np-1:0]              lr_v_o,
  output logic [Np*$clog2(Nact)-1:0] lr_off_o,
  output logic [Np*6-1:0]            lr_ok_o,
  output logic [Np*6*$clog2(Nr)-1:0] lr_bank_o,
  // issue, [Np]: sources that are used, that are dead behind it; destinations
  input  logic [Np-1:0]              is_v_i,
  input  logic [Np*6-1:0]            is_w_i,
  input  logic [Np*6-1:0]            is_sv_i,
  input  logic [Np*6-1:0]            is_dead_i,
  input  logic [Np*48-1:0]           is_s_i,
  input  logic [Np*4-1:0]            is_dv_i,
  input  logic [Np*32-1:0]           is_d_i,
  // results, [Nwb]
  input  logic [Nwb-1:0]             wb_v_i,
  input  logic [Nwb*6-1:0]           wb_w_i,
  input  logic [Nwb*8-1:0]           wb_r_i,
  output logic [Nwb-1:0]             wb_in_o,
  output logic [Nwb*$clog2(Nact)-1:0] wb_off_o,
  output logic [Nwb*$clog2(Nr)-1:0]  wb_bank_o,
  // a warp begins
  input  logic                       st_v_i,
  input  logic [5:0]                 st_w_i,
  input  logic [255:0]               st_live_i,
  // commands
  input  logic                       c_v_i,
  input  logic [1:0]                 c_op_i,
  input  logic [5:0]                 c_w_i,
  input  logic [255:0]               c_vec_i,
  output logic                       c_rdy_o,
  output logic                       d_v_o,
  output logic [5:0]                 d_w_o,
  output logic [1:0]                 d_op_o,
  // read the main register file; read the cache and write the main register file
  output logic                       mr_v_o,
  output logic [5:0]                 mr_w_o,
  output logic [7:0]                 mr_r_o,
  output logic [$clog2(Nact)-1:0]    mr_slot_o,
  output logic                       mw_v_o,
  output logic [5:0]                 mw_w_o,
  output logic [7:0]                 mw_r_o,
  output logic [$clog2(Nr)-1:0]      rc_bank_o,
  output logic [$clog2(Nact)-1:0]    rc_off_o,
  input  logic [Nb-1:0]              mrf_rdy_i,
  input  logic [Nr-1:0]              rfc_rdy_i,
  // a register has come
  input  logic                       fr_v_i,
  input  logic [$clog2(Nact)-1:0]    fr_slot_i,
  input  logic [7:0]                 fr_r_i,
  output logic [$clog2(Nr)-1:0]      fw_bank_o,
  output logic [$clog2(Nact)-1:0]    fw_off_o
);
  localparam int B = $clog2(Nr);
  localparam int S = $clog2(Nact);
  localparam int M = $clog2(Nb);
  localparam int RegW = $clog2(NumReg);
  localparam int WarpW = $clog2(NumWarp);
`include "pfu_enum.svh"

  logic [NumWarp-1:0] act_q, act_d;
  logic [2:0]         state_q [Nact];
  logic [1:0]         op_q [Nact];
  logic [5:0]         w_q [Nact];
  logic [B:0]         out_q [Nact];
  logic [63:0]        v_q [4*Nact];
  logic [63:0]        ws_q [4*Nact];
  logic [63:0]        live_q [4*Nact];
  logic [63:0]        todo_q [4*Nact];
  logic [S-1:0]       dptr_q, dptr_d;
  // not compared: the slots that are taken; the lowest register in todo, and whether there is one
  logic [Nact-1:0]    taken_q;
  logic [Nact-1:0]    some_q;
  logic [7:0]         r_q [Nact];

`ifdef FORMAL
  // internal state of the parts
  logic [Nact-1:0]              f_slot_occ;
  logic [S:0]                   f_slot_cnt;
  logic [Nact*Nr-1:0]           f_occ;
  logic [Nact*(B+1)-1:0]        f_cnt;
  logic [Nact*NumReg*B-1:0]     f_bank;
  logic [NumWarp*2*NumReg-1:0]  f_mem;
`endif

  // ---- of all slots; bit s or field s is slot s's
  logic [Nact-1:0]      idle;
  logic [Nact-1:0]      finished;                 // in done
  logic [Nact-1:0]      deact;                    // the command is a DEACT
  logic [Nact-1:0]      drops;                    // DEACT or END
  logic [Nact*6-1:0]    warp;
  logic [Nact*2-1:0]    op;
  logic [Nact*8-1:0]    reg_r;
  logic [Nact*2*NumReg-1:0] row_of;               // {live, ws}
  for (genvar s = 0; s < Nact; s++) begin : gen_of
    assign idle[s]        = state_q[s] == Idle;
    assign finished[s]    = state_q[s] == Done;
    assign deact[s]       = op_q[s] == OpDeact;
    assign drops[s]       = op_q[s] == OpDeact || op_q[s] == OpEnd;
    assign warp[6*s +: 6] = w_q[s];
    assign op[2*s +: 2]   = op_q[s];
    assign reg_r[8*s +: 8] = r_q[s];
  end

  // bit b of all slots' numbers
  logic [S*Nact-1:0] number;
  for (genvar b = 0; b < S; b++) begin : gen_number
    for (genvar s = 0; s < Nact; s++) begin : gen_slot
      assign number[Nact*b+s] = ((s >> b) & 1) == 1;
    end
  end

  // ---- commands
  logic            slot_ne;
  logic [S-1:0]    slot_head;
  logic [Nact-1:0] c_here;                        // the slot of c_w
  logic            c_act;
  logic            enter;                         // ACT is accepted
  for (genvar s = 0; s < Nact; s++) begin : gen_c
    assign c_here[s] = taken_q[s] && w_q[s] == c_w_i;
  end
  assign c_act   = c_op_i == OpAct;
  assign c_rdy_o = c_act ? slot_ne && !act_q[c_w_i[WarpW-1:0]] : |(c_here & idle);
  assign enter   = c_v_i && c_act && c_rdy_o;

  // ---- the end of a command. A DEACT writes the row, and waits for st.
  logic [Nact-1:0] told;
  logic [S-1:0]    told_idx;
  logic            leave;                         // its slot becomes free
  logic            save;
  rr_arb #(.N(Nact)) u_done (
    .req_i(finished & ~(deact & {Nact{st_v_i}})),
    .ptr_i(dptr_q),
    .gnt_o(told),
    .idx_o(told_idx),
    .ptr_o(dptr_d)
  );
  assign d_v_o = |told;
  assign leave = |(told & drops);
  assign save  = |(told & deact);
  always_comb begin
    d_w_o  = '0;
    d_op_o = '0;
    for (int s = 0; s < Nact; s++) begin
      d_w_o  = d_w_o | (warp[6*s +: 6] & {6{told[s]}});
      d_op_o = d_op_o | (op[2*s +: 2] & {2{told[s]}});
    end
  end

  aau #(.Depth(Nact)) u_slots (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .init_i(1'b0),
    .pop_v_i(enter),
    .push_v_i(leave),
    .push_id_i(told_idx),
`ifdef FORMAL
    .f_occ_o(f_slot_occ),
    .f_cnt_o(f_slot_cnt),
`endif
    .ne_o(slot_ne),
    .head_o(slot_head)
  );

  always_comb begin
    act_d = act_q;
    if (enter) act_d[c_w_i[WarpW-1:0]] = 1'b1;
    if (leave) act_d[d_w_o[WarpW-1:0]] = 1'b0;
  end

  // ---- the rows of the warps: {live, ws}
  logic [2*NumReg-1:0] row;
  logic [2*NumReg-1:0] row_new;
  always_comb begin
    row_new = st_v_i ? {st_live_i[NumReg-1:0], NumReg'(0)} : '0;
    for (int s = 0; s < Nact; s++) begin
      row_new = row_new | (row_of[2*NumReg*s +: 2*NumReg] & {2*NumReg{told[s] && deact[s]}});
    end
  end
  ram_1r1w #(.Depth(NumWarp), .Width(2 * NumReg)) u_row (
    .clk_i(clk_i),
    .re_i(enter),
    .raddr_i(c_w_i[WarpW-1:0]),
    .we_i(st_v_i || save),
    .waddr_i(st_v_i ? st_w_i[WarpW-1:0] : d_w_o[WarpW-1:0]),
    .wdata_i(row_new),
`ifdef FORMAL
    .f_mem_o(f_mem),
`endif
    .rdata_o(row)
  );

  // ---- issue: of each port the registers that die, and those that are written
  logic [Np*NumReg-1:0] dead;
  logic [Np*NumReg-1:0] born;
  always_comb begin
    dead = '0;
    born = '0;
    for (int p = 0; p < Np; p++) begin
      for (int k = 0; k < 6; k++)
        dead[NumReg*p +: NumReg] = dead[NumReg*p +: NumReg]
          | (NumReg'(is_sv_i[6*p+k] && is_dead_i[6*p+k]) << is_s_i[48*p+8*k +: RegW]);
      for (int k = 0; k < 4; k++)
        born[NumReg*p +: NumReg] = born[NumReg*p +: NumReg] | (NumReg'(is_dv_i[4*p+k]) << is_d_i[32*p+8*k +: RegW]);
    end
  end

  // ---- look-up: the pair of sources that is read in this cycle
  logic [Np*6-1:0]    lk_w;
  logic [Np*16-1:0]   lk_r;
  logic [2*Nact-1:0]  lk_v;                       // bit i of slot s is at Nact * i + s, likewise below
  logic [2*B*Nact-1:0] lk_bank;
  for (genvar p = 0; p < Np; p++) begin : gen_port
    logic [5:0]      lk_w_q;
    logic [2:0]      lk_n_q;
    logic [31:0]     lk_r_q;                      // sources 2 to 5
    logic [1:0]      lk_at_q, lk_at_d;            // the pair; 0: no look-up of an earlier cycle
    logic            lr_v_q;
    logic [S-1:0]    lr_off_q;
    logic [5:0]      lr_ok_q;
    logic [6*B-1:0]  lr_bank_q;
    logic            first;
    logic            some;
    logic            last;
    logic [2:0]      n;
    logic [Nact-1:0] here;                        // the warp's slot
    logic [1:0]      ok;
    logic [2*B-1:0]  bank;
    logic [S-1:0]    off;
    assign first           = lk_at_q == 2'd0;
    assign some            = !first || lk_v_i[p];
    assign n               = first ? lk_n_i[3*p +: 3] : lk_n_q;
    assign last            = n <= {lk_at_q, 1'b0} + 3'd2;
    assign lk_w[6*p +: 6]   = first ? lk_w_i[6*p +: 6] : lk_w_q;
    assign lk_r[16*p +: 16] = first ? lk_r_i[48*p +: 16] : lk_at_q[1] ? lk_r_q[31:16] : lk_r_q[15:0];
    assign lk_at_d         = some && !last ? lk_at_q + 2'd1 : 2'd0;
    for (genvar s = 0; s < Nact; s++) begin : gen_here
      assign here[s] = taken_q[s] && w_q[s] == lk_w[6*p +: 6];
    end
    for (genvar i = 0; i < 2; i++) begin : gen_source
      logic [Nact-1:0] found;
      assign found = n > {lk_at_q, 1'(i)} ? here & lk_v[Nact*i +: Nact] : '0;
      assign ok[i] = |found;
      for (genvar j = 0; j < B; j++) begin : gen_bit
        assign bank[B*i+j] = |(found & lk_bank[Nact*(B*i+j) +: Nact]);
      end
    end
    for (genvar b = 0; b < S; b++) begin : gen_off
      assign off[b] = |(here & number[Nact*b +: Nact]);
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        lk_at_q <= '0;
        lr_v_q  <= 1'b0;
      end else begin
        lk_at_q <= lk_at_d;
        lr_v_q  <= some && last;
      end
    end
    // not reset: the registers above gate them
    always_ff @(posedge clk_i) begin
      if (first && lk_v_i[p]) begin
        lk_w_q <= lk_w_i[6*p +: 6];
        lk_n_q <= lk_n_i[3*p +: 3];
        lk_r_q <= lk_r_i[48*p+16 +: 32];
      end
      if (some) begin
        lr_off_q <= off;
        if (first) begin
          lr_ok_q   <= {4'd0, ok};
          lr_bank_q <= {{4*B{1'b0}}, bank};
        end else if (!lk_at_q[1]) begin
          lr_ok_q[3:2]            <= ok;
          lr_bank_q[2*B +: 2*B]   <= bank;
        end else begin
          lr_ok_q[5:4]            <= ok;
          lr_bank_q[4*B +: 2*B]   <= bank;
        end
      end
    end
    assign lk_rdy_o[p]             = first;
    assign lr_v_o[p]               = lr_v_q;
    assign lr_off_o[S*p +: S]      = lr_v_q ? lr_off_q : '0;
    assign lr_ok_o[6*p +: 6]       = lr_v_q ? lr_ok_q : '0;
    assign lr_bank_o[6*B*p +: 6*B] = lr_v_q ? lr_bank_q : '0;
  end

  // ---- results
  logic [Nwb*Nact-1:0]   wb_v;
  logic [Nwb*B*Nact-1:0] wb_bank;
  for (genvar n = 0; n < Nwb; n++) begin : gen_wb
    logic [Nact-1:0] found;
    for (genvar s = 0; s < Nact; s++) begin : gen_found
      assign found[s] = wb_v_i[n] && taken_q[s] && w_q[s] == wb_w_i[6*n +: 6] && wb_v[Nact*n+s];
    end
    assign wb_in_o[n] = |found;
    for (genvar b = 0; b < S; b++) begin : gen_off
      assign wb_off_o[S*n+b] = |(found & number[Nact*b +: Nact]);
    end
    for (genvar j = 0; j < B; j++) begin : gen_bit
      assign wb_bank_o[B*n+j] = |(found & wb_bank[Nact*(B*n+j) +: Nact]);
    end
  end

  // ---- the main register file
  logic [Nact-1:0]   rq_v;
  logic [Nact-1:0]   rq_wb;
  logic [Nact*M-1:0] rq_mb;
  logic [Nact*B-1:0] rq_rb;
  logic [Nact-1:0]   gn;
  farb #(.Nact(Nact), .Nb(Nb), .Nr(Nr)) u_farb (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .rq_v_i(rq_v),
    .rq_wb_i(rq_wb),
    .rq_mb_i(rq_mb),
    .rq_rb_i(rq_rb),
    .mrf_rdy_i(mrf_rdy_i),
    .rfc_rdy_i(rfc_rdy_i),
    .gn_o(gn)
  );
  logic [5:0]   gn_w;
  logic [7:0]   gn_r;
  logic [B-1:0] gn_bank;
  logic [S-1:0] gn_slot;
  always_comb begin
    gn_w    = '0;
    gn_r    = '0;
    gn_bank = '0;
    for (int s = 0; s < Nact; s++) begin
      gn_w    = gn_w | (warp[6*s +: 6] & {6{gn[s]}});
      gn_r    = gn_r | (reg_r[8*s +: 8] & {8{gn[s]}});
      gn_bank = gn_bank | (rq_rb[B*s +: B] & {B{gn[s]}});
    end
  end
  for (genvar b = 0; b < S; b++) begin : gen_gn_slot
    assign gn_slot[b] = |(gn & number[Nact*b +: Nact]);
  end
  assign mr_v_o    = |(gn & ~rq_wb);
  assign mr_w_o    = mr_v_o ? gn_w : '0;
  assign mr_r_o    = mr_v_o ? gn_r : '0;
  assign mr_slot_o = mr_v_o ? gn_slot : '0;
  assign mw_v_o    = |(gn & rq_wb);
  assign mw_w_o    = mw_v_o ? gn_w : '0;
  assign mw_r_o    = mw_v_o ? gn_r : '0;
  assign rc_bank_o = mw_v_o ? gn_bank : '0;
  assign rc_off_o  = mw_v_o ? gn_slot : '0;

  // ---- a register that has come
  logic [Nact-1:0]   fr_here;
  logic [B*Nact-1:0] fr_bank;
  logic [NumReg-1:0] fr_oh;
  for (genvar s = 0; s < Nact; s++) begin : gen_fr
    assign fr_here[s] = fr_v_i && fr_slot_i == S'(s);
  end
  for (genvar j = 0; j < B; j++) begin : gen_fw
    assign fw_bank_o[j] = |(fr_here & fr_bank[Nact*j +: Nact]);
  end
  assign fr_oh    = NumReg'(1) << fr_r_i[RegW-1:0];
  assign fw_off_o = fr_v_i ? fr_slot_i : '0;

  // ---- the slots
  for (genvar s = 0; s < Nact; s++) begin : gen_slot
    logic [NumReg-1:0] v, v_d;
    logic [NumReg-1:0] ws, ws_d;
    logic [NumReg-1:0] live, live_d;
    logic [NumReg-1:0] todo, todo_d;
    logic [255:0]      v_all;                     // the same as words
    logic [255:0]      ws_all;
    logic [255:0]      live_all;
    logic [255:0]      todo_all;
    logic [255:0]      v_all_d;
    logic [255:0]      ws_all_d;
    logic [255:0]      live_all_d;
    logic [255:0]      todo_all_d;
    logic [2:0]        state_d;
    logic [B:0]        out_d;
    logic              v_en;
    logic              ws_en;
    logic              live_en;
    logic              todo_en;
    assign v                        = v_all[NumReg-1:0];
    assign ws                       = ws_all[NumReg-1:0];
    assign live                     = live_all[NumReg-1:0];
    assign todo                     = todo_all[NumReg-1:0];
    assign v_all_d                  = 256'(v_d);
    assign ws_all_d                 = 256'(ws_d);
    assign live_all_d               = 256'(live_d);
    assign todo_all_d               = 256'(todo_d);
    assign row_of[2*NumReg*s +: 2*NumReg] = {live, ws};

    // commands that it takes
    logic go_act;
    logic go;                                     // another one
    logic gone;                                   // it becomes free
    assign go_act = enter && slot_head == S'(s);
    assign go     = c_v_i && !c_act && c_here[s] && idle[s];
    assign gone   = told[s] && drops[s];

    // the lowest register in todo: it leaves, or it comes
    logic [RegW-1:0]   r;
    logic [NumReg-1:0] oh;
    logic              need;                      // the main register file is read or written
    logic              held;                      // a result for it is there
    logic              evict;
    logic              alloc;
    logic              out_go;                    // it leaves
    logic              in_go;                     // it gets a bank
    logic              fetch;
    logic [Nwb-1:0]    same;
    logic              bank_ne;
    logic [B-1:0]      bank_head;
    for (genvar n = 0; n < Nwb; n++) begin : gen_same
      assign same[n] = wb_v_i[n] && wb_w_i[6*n +: 6] == w_q[s] && wb_r_i[8*n +: 8] == r_q[s];
    end
    assign r      = r_q[s][RegW-1:0];
    assign oh     = NumReg'(1) << r;
    assign need   = Plus == 0 || live[r];
    assign held   = |same;
    assign evict  = state_q[s] == Evict && some_q[s];
    assign alloc  = state_q[s] == Alloc && some_q[s];
    assign out_go = evict && (need ? gn[s] : !held);
    assign in_go  = alloc && (!need || gn[s]);
    assign fetch  = alloc && gn[s];
    assign rq_v[s]          = need && ((evict && !held) || alloc);
    assign rq_wb[s]         = evict;
    assign rq_mb[M*s +: M]  = M'(32'(r_q[s]) + 32'(w_q[s]));

    // what comes into todo
    logic [NumReg-1:0] next;
    logic [NumReg-1:0] next_oh;
    logic [RegW-1:0]   next_r;
    always_comb begin
      case (state_q[s])
        Idle:    next = c_op_i == OpPref ? v & ~c_vec_i[NumReg-1:0] : v;
        Ld:      next = row[NumReg-1:0];
        default: next = some_q[s] ? todo & ~oh : ws & ~v;
      endcase
      case (state_q[s])
        Idle:    todo_en = go && c_op_i != OpEnd;
        Ld:      todo_en = 1'b1;
        Evict:   todo_en = some_q[s] ? out_go : op_q[s] == OpPref;
        Alloc:   todo_en = in_go;
        default: todo_en = 1'b0;
      endcase
    end
    assign todo_d = next;
    first_one #(.N(NumReg)) u_next (.x_i(next), .oh_o(next_oh), .idx_o(next_r));

    always_comb begin
      state_d = state_q[s];
      case (state_q[s])
        Idle: begin
          if (go_act) state_d = Ld;
          else if (go) begin
            // in idle, ws is what is present
            if (c_op_i == OpEnd || (c_op_i == OpPref && ws == c_vec_i[NumReg-1:0])) state_d = Done;
            else state_d = Evict;
          end
        end
        Ld:      state_d = Alloc;
        Evict:   if (!some_q[s]) state_d = deact[s] ? Done : Alloc;
        Alloc:   if (!some_q[s]) state_d = Wait;
        Wait:    if (out_q[s] == '0) state_d = Done;
        default: if (told[s]) state_d = Idle;
      endcase
    end

    assign out_d = out_q[s] + (B+1)'(fetch) - (B+1)'(fr_here[s]);

    assign v_d  = gone ? '0 : (v | (fr_here[s] ? fr_oh : '0) | (in_go && !need ? oh : '0)) & (out_go ? ~oh : '1);
    assign v_en = gone || fr_here[s] || in_go || out_go;

    assign ws_d  = gone ? '0 : state_q[s] == Ld ? row[NumReg-1:0] : c_vec_i[NumReg-1:0];
    assign ws_en = gone || state_q[s] == Ld || (go && c_op_i == OpPref);

    // the port of the warp's scheduler
    logic              is_here;
    logic [NumReg-1:0] is_dead;
    logic [NumReg-1:0] is_born;
    logic [15:0]       lk_pair;
    if (Np == 1) begin : gen_one
      assign is_here = is_v_i[0] && is_w_i[5:0] == w_q[s];
      assign is_dead = dead;
      assign is_born = born;
      assign lk_pair = lk_r;
    end else begin : gen_of_port
      logic [$clog2(Np)-1:0] p;
      assign p       = w_q[s][$clog2(Np)-1:0];
      assign is_here = is_v_i[p] && is_w_i[6*p +: 6] == w_q[s];
      assign is_dead = dead[NumReg*p +: NumReg];
      assign is_born = born[NumReg*p +: NumReg];
      assign lk_pair = lk_r[16*p +: 16];
    end
    assign live_d  = gone ? '0 : state_q[s] == Ld ? row[2*NumReg-1:NumReg] : (live & ~is_dead) | is_born;
    assign live_en = gone || state_q[s] == Ld || (is_here && taken_q[s]);

    for (genvar k = 0; k < 4; k++) begin : gen_word
      assign v_all[64*k +: 64]    = v_q[4*s+k];
      assign ws_all[64*k +: 64]   = ws_q[4*s+k];
      assign live_all[64*k +: 64] = live_q[4*s+k];
      assign todo_all[64*k +: 64] = todo_q[4*s+k];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          v_q[4*s+k]    <= '0;
          ws_q[4*s+k]   <= '0;
          live_q[4*s+k] <= '0;
          todo_q[4*s+k] <= '0;
        end else begin
          if (v_en) v_q[4*s+k] <= v_all_d[64*k +: 64];
          if (ws_en) ws_q[4*s+k] <= ws_all_d[64*k +: 64];
          if (live_en) live_q[4*s+k] <= live_all_d[64*k +: 64];
          if (todo_en) todo_q[4*s+k] <= todo_all_d[64*k +: 64];
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q[s] <= Idle;
        op_q[s]    <= '0;
        w_q[s]     <= '0;
        out_q[s]   <= '0;
        taken_q[s] <= 1'b0;
        some_q[s]  <= 1'b0;
        r_q[s]     <= '0;
      end else begin
        state_q[s] <= state_d;
        out_q[s]   <= out_d;
        if (go_act || go) op_q[s] <= c_op_i;
        if (go_act) w_q[s] <= c_w_i;
        taken_q[s] <= go_act || (taken_q[s] && !gone);
        if (todo_en) begin
          some_q[s] <= |next_oh;
          r_q[s]    <= 8'(next_r);
        end
      end
    end

    aau #(.Depth(Nr)) u_banks (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .init_i(go_act),
      .pop_v_i(in_go),
      .push_v_i(out_go),
      .push_id_i(rq_rb[B*s +: B]),
`ifdef FORMAL
      .f_occ_o(f_occ[Nr*s +: Nr]),
      .f_cnt_o(f_cnt[(B+1)*s +: B+1]),
`endif
      .ne_o(bank_ne),
      .head_o(bank_head)
    );
    // not empty in alloc: no vector has more than Nr registers
    logic unused;
    assign unused = bank_ne;

    // the table; its results are gathered by bit
    logic [1:0]       tab_lk_v;
    logic [2*B-1:0]   tab_lk_bank;
    logic [Nwb-1:0]   tab_wb_v;
    logic [Nwb*B-1:0] tab_wb_bank;
    logic [B-1:0]     tab_fr_bank;
    wcb #(.Nr(Nr), .Nwb(Nwb), .NumReg(NumReg)) u_wcb (
      .clk_i(clk_i),
      .v_i(v),
      .we_i(in_go),
      .w_oh_i(oh),
      .w_bank_i(bank_head),
      .lk_r_i(lk_pair),
      .lk_v_o(tab_lk_v),
      .lk_bank_o(tab_lk_bank),
      .wb_r_i(wb_r_i),
      .wb_v_o(tab_wb_v),
      .wb_bank_o(tab_wb_bank),
      .mv_r_i(r_q[s]),
      .mv_bank_o(rq_rb[B*s +: B]),
      .fr_r_i(fr_r_i),
`ifdef FORMAL
      .f_bank_o(f_bank[NumReg*B*s +: NumReg*B]),
`endif
      .fr_bank_o(tab_fr_bank)
    );
    for (genvar i = 0; i < 2; i++) begin : gen_lk
      assign lk_v[Nact*i+s] = tab_lk_v[i];
    end
    for (genvar i = 0; i < 2*B; i++) begin : gen_lk_bank
      assign lk_bank[Nact*i+s] = tab_lk_bank[i];
    end
    for (genvar n = 0; n < Nwb; n++) begin : gen_wb
      assign wb_v[Nact*n+s] = tab_wb_v[n];
    end
    for (genvar i = 0; i < Nwb*B; i++) begin : gen_wb_bank
      assign wb_bank[Nact*i+s] = tab_wb_bank[i];
    end
    for (genvar j = 0; j < B; j++) begin : gen_fr_bank
      assign fr_bank[Nact*j+s] = tab_fr_bank[j];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_q  <= '0;
      dptr_q <= '0;
    end else begin
      act_q  <= act_d;
      dptr_q <= dptr_d;
    end
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  // vectors of all slots; registers whose read is under way; banks that are given out
  logic [Nact*NumReg-1:0] f_v;
  logic [Nact*NumReg-1:0] f_ws;
  logic [Nact*NumReg-1:0] f_live;
  logic [Nact*NumReg-1:0] f_way_q;
  logic [Nact*Nr-1:0]     f_used_q;
  logic [Nact-1:0]        f_ld;
  for (genvar s = 0; s < Nact; s++) begin : gen_f_slot
    logic [NumReg-1:0] f_todo;
    logic [NumReg-1:0] f_come;                      // a read is granted
    logic [NumReg-1:0] f_way;
    logic [NumReg-1:0] f_below;                     // registers below r
    logic              f_fetches;                   // it takes part in a transfer with the main register file
    logic              f_writes;
    assign f_v[NumReg*s +: NumReg]    = gen_slot[s].v;
    assign f_ws[NumReg*s +: NumReg]   = gen_slot[s].ws;
    assign f_live[NumReg*s +: NumReg] = gen_slot[s].live;
    assign f_todo  = gen_slot[s].todo;
    assign f_way   = f_way_q[NumReg*s +: NumReg];
    assign f_come  = mr_v_o && mr_slot_o == S'(s) ? NumReg'(1) << mr_r_o[RegW-1:0] : '0;
    assign f_below = ~({NumReg{1'b1}} << gen_slot[s].r);
    assign f_ld[s] = state_q[s] == Ld;
    assign f_fetches = mr_v_o && mr_slot_o == S'(s);
    assign f_writes  = mw_v_o && rc_off_o == S'(s);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        f_way_q[NumReg*s +: NumReg] <= '0;
        f_used_q[Nr*s +: Nr]        <= '0;
      end else begin
        f_way_q[NumReg*s +: NumReg] <= (f_way & ~(fr_here[s] ? fr_oh : '0)) | f_come;
        if (gen_slot[s].go_act) f_used_q[Nr*s +: Nr] <= '0;
        else f_used_q[Nr*s +: Nr] <=
          (f_used_q[Nr*s +: Nr] | (gen_slot[s].in_go ? Nr'(1) << gen_slot[s].bank_head : '0)) & ~(gen_slot[s].out_go ? Nr'(1) << rq_rb[B*s +: B] : '0);
      end
    end

    `ASSERT_ALWAYS begin
      assert (state_q[s] <= Done);
      // todo and its lowest register
      assert (some_q[s] == (f_todo != '0));
      if (some_q[s]) assert (f_todo[r_q[s][RegW-1:0]] && (f_todo & f_below) == '0);
      if (!some_q[s]) assert (r_q[s] == '0);
      assert (32'(r_q[s]) < NumReg);
      // 6
      if (state_q[s] == Wait || state_q[s] == Done || state_q[s] == Idle || state_q[s] == Ld) assert (f_todo == '0);
      if (state_q[s] != Alloc && state_q[s] != Wait) assert (out_q[s] == '0 && f_way == '0);
      // 2, and what else holds in each state
      if (state_q[s] != Evict) assert ((gen_slot[s].v & ~gen_slot[s].ws) == '0);
      assert ((gen_slot[s].v & f_way) == '0);
      case (state_q[s])
        Idle: begin
          if (taken_q[s]) assert (gen_slot[s].v == gen_slot[s].ws);
          if (!taken_q[s]) assert (gen_slot[s].v == '0 && gen_slot[s].ws == '0 && gen_slot[s].live == '0);
        end
        Ld:    assert (op_q[s] == OpAct && gen_slot[s].v == '0);
        Evict: begin
          assert (op_q[s] == OpDeact || op_q[s] == OpPref);
          if (op_q[s] == OpDeact) assert (f_todo == gen_slot[s].v && (gen_slot[s].v & ~gen_slot[s].ws) == '0);
          if (op_q[s] == OpPref) assert (f_todo == (gen_slot[s].v & ~gen_slot[s].ws));
        end
        Alloc: begin
          assert (op_q[s] == OpAct || op_q[s] == OpPref);
          assert ((gen_slot[s].v | f_way | f_todo) == gen_slot[s].ws && ((gen_slot[s].v | f_way) & f_todo) == '0);
        end
        Wait:  assert ((op_q[s] == OpAct || op_q[s] == OpPref) && (gen_slot[s].v | f_way) == gen_slot[s].ws);
        default: assert (gen_slot[s].v == (op_q[s] == OpDeact ? '0 : gen_slot[s].ws));
      endcase
      if (state_q[s] != Idle) assert (taken_q[s]);
      if (gen_slot[s].go_act) assert (!taken_q[s]);
      // 1: a bank is given out once
      if (gen_slot[s].in_go) assert (bank_free(f_used_q[Nr*s +: Nr], gen_slot[s].bank_head) && gen_slot[s].bank_ne);
      if (gen_slot[s].out_go) assert (!bank_free(f_used_q[Nr*s +: Nr], rq_rb[B*s +: B]));
      assert (gen_slot[s].bank_ne == (f_used_q[Nr*s +: Nr] != '1) || !taken_q[s]);
      // the transfers with the main register file: of an allocation, of an eviction, of no other register than r
      if (f_fetches) assert (state_q[s] == Alloc && mr_w_o == w_q[s] && mr_r_o == r_q[s] && f_todo[r_q[s][RegW-1:0]]);
      if (f_writes) assert (state_q[s] == Evict && mw_w_o == w_q[s] && mw_r_o == r_q[s] && f_todo[r_q[s][RegW-1:0]]);
      if (f_fetches || f_writes) begin
        assert (Plus == 0 || gen_slot[s].live[r_q[s][RegW-1:0]]);
        assert (mrf_rdy_i[M'(32'(r_q[s]) + 32'(w_q[s]))] && !(f_writes && !rfc_rdy_i[rc_bank_o]));
      end
      for (int n = 0; n < Nwb; n++) begin
        if (gen_slot[s].out_go) assert (!(wb_v_i[n] && wb_w_i[6*n +: 6] == w_q[s] && wb_r_i[8*n +: 8] == r_q[s]));
      end
    end
    // 3: no two slots have one warp
    for (genvar t = 0; t < s; t++) begin : gen_f_pair
      `ASSERT_ALWAYS if (taken_q[s] && taken_q[t]) assert (w_q[s] != w_q[t]);
    end
  end
  function automatic logic bank_free(input logic [Nr-1:0] used, input logic [B-1:0] at);
    bank_free = !used[at];
  endfunction

  // 3
  logic [NumWarp-1:0] f_act;
  always_comb begin
    f_act = '0;
    for (int s = 0; s < Nact; s++) f_act = f_act | (taken_q[s] ? NumWarp'(1) << warp[6*s +: WarpW] : '0);
  end
  `ASSERT_ALWAYS begin
    assert (act_q == f_act);
    assert (slot_ne == (taken_q != '1));
    assert ((f_ld & (f_ld - Nact'(1))) == '0);
    assert (!(mr_v_o && mw_v_o));
    if (!mr_v_o) assert (mr_w_o == '0 && mr_r_o == '0 && mr_slot_o == '0);
    if (!mw_v_o) assert (mw_w_o == '0 && mw_r_o == '0 && rc_bank_o == '0 && rc_off_o == '0);
    if (!d_v_o) assert (d_w_o == '0 && d_op_o == '0);
    if (!fr_v_i) assert (fw_bank_o == '0 && fw_off_o == '0);
  end

  // counts: of all slots in a proof, of one in a simulation
`ifdef FORMAL
  localparam int Counted = Nact;
`else
  localparam int Counted = 1;
  `ASSERT_ANY(f_one, S)
`endif
  for (genvar g = 0; g < Counted; g++) begin : gen_f_count
    logic [S-1:0]      f_at;
    logic [NumReg-1:0] f_at_v;
    logic [NumReg-1:0] f_at_way;
    logic [NumReg-1:0] f_at_ws;
    logic [Nr-1:0]     f_at_used;
    logic [RegW:0]     f_nv;
    logic [RegW:0]     f_nway;
    logic [RegW:0]     f_nws;
    logic [B:0]        f_nused;
`ifdef FORMAL
    assign f_at = S'(g);
`else
    assign f_at = f_one;
`endif
    assign f_at_v    = f_v[NumReg*f_at +: NumReg];
    assign f_at_way  = f_way_q[NumReg*f_at +: NumReg];
    assign f_at_ws   = f_ws[NumReg*f_at +: NumReg];
    assign f_at_used = f_used_q[Nr*f_at +: Nr];
    always_comb begin
      f_nv    = '0;
      f_nway  = '0;
      f_nws   = '0;
      f_nused = '0;
      for (int r = 0; r < NumReg; r++) begin
        f_nv   = f_nv + (RegW+1)'(f_at_v[r]);
        f_nway = f_nway + (RegW+1)'(f_at_way[r]);
        f_nws  = f_nws + (RegW+1)'(f_at_ws[r]);
      end
      for (int r = 0; r < Nr; r++) f_nused = f_nused + (B+1)'(f_at_used[r]);
    end
    `ASSERT_ALWAYS begin
      // 1
      if (taken_q[f_at]) assert (32'(f_nv) + 32'(f_nway) == 32'(f_nused));
      assert (32'(f_nws) <= Nr);
`ifdef FORMAL
      assert (32'(f_nway) == 32'(out_q[g]));
      if (taken_q[f_at]) begin
        assert (32'(f_nv) + 32'(out_q[g]) + 32'(f_cnt[(B+1)*g +: B+1]) == Nr);
        assert (f_used_q[Nr*g +: Nr] == f_occ[Nr*g +: Nr]);
      end
`endif
    end
`ifdef FORMAL
    for (genvar r = 0; r < NumReg; r++) begin : gen_f_reg
      logic         f_here;                         // present or under way: it has a bank
      logic [B-1:0] f_place;
      assign f_here  = f_at_v[r] || f_at_way[r];
      assign f_place = f_bank[B*(NumReg*g+r) +: B];
      always_comb if (taken_q[g] && f_here) assert (!bank_free(f_at_used, f_place));
      for (genvar i = 0; i < r; i++) begin : gen_f_pair
        always_comb if (taken_q[g] && f_here && gen_f_reg[i].f_here) assert (f_place != gen_f_reg[i].f_place);
      end
    end
`endif
  end

  // One register of one slot: 4, 5, the place that it is told to be in, and whether it is live.
  `ASSERT_ANY(f_s, S)
  `ASSERT_ANY(f_r, RegW)
  logic         f_present;
  logic         f_lives;
  logic         f_mine;                             // the slot has a warp
  logic [5:0]   f_w;
  logic         f_fr;                               // events of this register: it has come from the main register file
  logic         f_mr;
  logic         f_mw;
  logic         f_gone;                             // the slot becomes free
  logic         f_loads;                            // the slot is in ld
  logic         f_gets;                             // it gets a bank
  logic [B-1:0] f_gets_bank;
  always_comb begin
    f_mine      = 1'b0;
    f_w         = '0;
    f_loads     = 1'b0;
    f_gets_bank = '0;
    f_gets      = 1'b0;
    for (int s = 0; s < Nact; s++) begin
      if (f_s == S'(s)) begin
        f_mine      = taken_q[s];
        f_w         = warp[6*s +: 6];
        f_loads     = f_ld[s];
        f_gets_bank = f_heads[B*s +: B];
        f_gets      = f_in[s] && reg_r[8*s +: 8] == 8'(f_r);
      end
    end
  end
  logic [Nact*B-1:0] f_heads;
  logic [Nact-1:0]   f_in;
  for (genvar s = 0; s < Nact; s++) begin : gen_f_heads
    assign f_heads[B*s +: B] = gen_slot[s].bank_head;
    assign f_in[s]           = gen_slot[s].in_go;
  end
  assign f_present = f_v[NumReg*f_s + 32'(f_r)];
  assign f_lives   = f_live[NumReg*f_s + 32'(f_r)];
  assign f_fr      = fr_v_i && fr_slot_i == f_s && fr_r_i == 8'(f_r);
  assign f_mr      = mr_v_o && mr_slot_o == f_s && mr_r_o == 8'(f_r);
  assign f_mw      = mw_v_o && rc_off_o == f_s && mw_r_o == 8'(f_r);
  assign f_gone    = d_v_o && (d_op_o == OpDeact || d_op_o == OpEnd) && f_mine && d_w_o == f_w;

  // whether it dies, or is written, at an issue
  logic f_dies;
  logic f_born;
  always_comb begin
    f_dies = 1'b0;
    f_born = 1'b0;
    for (int p = 0; p < Np; p++) begin
      if (is_v_i[p] && f_mine && is_w_i[6*p +: 6] == f_w) begin
        for (int k = 0; k < 6; k++)
          if (is_sv_i[6*p+k] && is_dead_i[6*p+k] && is_s_i[48*p+8*k +: 8] == 8'(f_r)) f_dies = 1'b1;
        for (int k = 0; k < 4; k++)
          if (is_dv_i[4*p+k] && is_d_i[32*p+8*k +: 8] == 8'(f_r)) f_born = 1'b1;
      end
    end
  end

  logic         f_was_q;                            // one cycle ago: present, live, events
  logic         f_lived_q;
  logic         f_fr_q;
  logic         f_mw_q;
  logic         f_gone_q;
  logic         f_under_q;                          // its read is under way
  logic [B-1:0] f_place_q;                          // its bank
  logic         f_live_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_was_q   <= 1'b0;
      f_lived_q <= 1'b0;
      f_fr_q    <= 1'b0;
      f_mw_q    <= 1'b0;
      f_gone_q  <= 1'b0;
      f_under_q <= 1'b0;
      f_place_q <= '0;
      f_live_q  <= 1'b0;
    end else begin
      f_was_q   <= f_present;
      f_lived_q <= f_lives;
      f_fr_q    <= f_fr;
      f_mw_q    <= f_mw;
      f_gone_q  <= f_gone;
      f_under_q <= f_mr || (f_under_q && !f_fr);
      if (f_gets) f_place_q <= f_gets_bank;
      if (f_gone) f_live_q <= 1'b0;
      else if (f_loads) f_live_q <= row[NumReg + 32'(f_r)];
      else f_live_q <= f_born || (f_live_q && !f_dies);
    end
  end
  `ASSERT_ALWAYS begin
    // 4
    if (f_was_q && !f_present) assert (f_gone_q || f_mw_q || (Plus == 1 && !f_lived_q));
    if (!f_was_q && f_present) assert (f_fr_q || (Plus == 1 && !f_lived_q));
    if (f_mw_q) assert (f_was_q && !f_present);
    // 5
    if (f_fr_q) assert (f_present);
    if (f_mr) assert (!f_under_q && !f_present && f_mine);
    assert (f_under_q == f_way_q[NumReg*f_s + 32'(f_r)]);
    if (f_under_q) assert (f_mine && !f_present);
    // the same place for each port that asks
    if (f_fr) assert (fw_bank_o == f_place_q && fw_off_o == f_s);
    if (f_mw) assert (rc_bank_o == f_place_q);
    for (int n = 0; n < Nwb; n++) begin
      if (wb_v_i[n] && f_mine && wb_w_i[6*n +: 6] == f_w && wb_r_i[8*n +: 8] == 8'(f_r)) begin
        assert (wb_in_o[n] == f_present);
        if (f_present) assert (wb_off_o[S*n +: S] == f_s && wb_bank_o[B*n +: B] == f_place_q);
      end
      if (wb_v_i[n] && !act_q[wb_w_i[6*n +: WarpW]]) assert (!wb_in_o[n]);
      if (!wb_v_i[n]) assert (!wb_in_o[n]);
      if (!wb_in_o[n]) assert (wb_off_o[S*n +: S] == '0 && wb_bank_o[B*n +: B] == '0);
    end
    assert (f_lives == f_live_q);
`ifdef FORMAL
    if (f_present || f_under_q) assert (f_place_q == f_bank[B*(NumReg*f_s + 32'(f_r)) +: B]);
`endif
  end

  // commands, of the symbolic slot
  logic [2:0] f_state;
  logic [1:0] f_op;
  logic [2:0] f_state_q;
  logic [1:0] f_op_q;
  logic       f_here_q;                             // a command of its warp was accepted; its code
  logic [1:0] f_c_op_q;
  logic       f_told_q;
  logic       f_told;
  always_comb begin
    f_state = Idle;
    f_op    = '0;
    for (int s = 0; s < Nact; s++) begin
      if (f_s == S'(s)) begin
        f_state = f_states[3*s +: 3];
        f_op    = op[2*s +: 2];
      end
    end
  end
  logic [Nact*3-1:0] f_states;
  for (genvar s = 0; s < Nact; s++) begin : gen_f_state
    assign f_states[3*s +: 3] = state_q[s];
  end
  assign f_told = d_v_o && f_mine && d_w_o == f_w;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_state_q <= Idle;
      f_op_q    <= '0;
      f_here_q  <= 1'b0;
      f_c_op_q  <= '0;
      f_told_q  <= 1'b0;
    end else begin
      f_state_q <= f_state;
      f_op_q    <= f_op;
      f_here_q  <= c_v_i && c_rdy_o && f_mine && c_w_i == f_w && c_op_i != OpAct;
      f_c_op_q  <= c_op_i;
      f_told_q  <= f_told;
    end
  end
  `ASSERT_ALWAYS begin
    if (c_op_i == OpAct) assert (c_rdy_o == (taken_q != '1 && !act_q[c_w_i[WarpW-1:0]]));
    if (c_op_i != OpAct && !act_q[c_w_i[WarpW-1:0]]) assert (!c_rdy_o);
    if (c_op_i != OpAct && f_mine && c_w_i == f_w) assert (c_rdy_o == (f_state == Idle));
    if (f_told) assert (f_state == Done && d_op_o == f_op && !(f_op == OpDeact && st_v_i));
    if (f_state == Done && !(f_op == OpDeact && st_v_i)) assert (d_v_o);
    if (f_told_q) assert (f_state == Idle && f_mine == (f_op_q == OpAct || f_op_q == OpPref));
    if (f_state_q == Done && !f_told_q) assert (f_state == Done);
    if (f_here_q) assert (f_op == f_c_op_q && f_state != Idle && (f_state == Done || f_state == Evict) && f_mine);
    if (f_here_q && f_op == OpDeact) assert (f_state == Evict);
    if (f_here_q && f_op == OpEnd) assert (f_state == Done);
  end

  // the row of one warp: what st or the last DEACT wrote
  `ASSERT_ANY(f_warp, WarpW)
  logic [2*NumReg-1:0] f_row_q;
  logic [2*NumReg-1:0] f_saved;                     // of the slot that ends
  always_comb begin
    f_saved = '0;
    for (int s = 0; s < Nact; s++) if (finished[s] && warp[6*s +: 6] == 6'(f_warp)) f_saved = {f_live[NumReg*s +: NumReg], f_ws[NumReg*s +: NumReg]};
  end
  always_ff @(posedge clk_i) begin
    if (st_v_i && st_w_i == 6'(f_warp)) f_row_q <= {st_live_i[NumReg-1:0], NumReg'(0)};
    else if (d_v_o && d_op_o == OpDeact && d_w_o == 6'(f_warp)) f_row_q <= f_saved;
  end
  `ASSERT_ALWAYS begin
    for (int s = 0; s < Nact; s++) if (f_ld[s] && warp[6*s +: 6] == 6'(f_warp)) assert (row == f_row_q);
  end

  // Look-ups: one source of each port, read from the slots at the cycle that the page says
  `ASSERT_ANY(f_k, 3)
  for (genvar p = 0; p < Np; p++) begin : gen_f_port
    logic [1:0]   f_age_q;                          // cycles since it was accepted; 0: none, or its result has been shown
    logic [5:0]   f_lw_q;
    logic [2:0]   f_n_q;
    logic [7:0]   f_lr_q;
    logic         f_ok_q;
    logic [S-1:0] f_off_q;
    logic         f_known_q;                        // it was the symbolic register, of the symbolic slot
    logic [B-1:0] f_bank_q;
    logic         f_go;                             // it is accepted
    logic         f_reads;
    logic         f_open;                           // it is being read
    logic [5:0]   f_lw;
    logic [2:0]   f_n;
    logic [7:0]   f_lr;
    logic         f_now;                            // the source is read in this cycle
    logic         f_ok;
    logic [S-1:0] f_off;
    logic         f_known;
    assign f_go    = lk_v_i[p] && lk_rdy_o[p];
    assign f_open  = f_age_q != 2'd0 && 4'({f_age_q, 1'b0}) < 4'(f_n_q);
    assign f_reads = f_go || f_open;
    assign f_lw    = f_go ? lk_w_i[6*p +: 6] : f_lw_q;
    assign f_n     = f_go ? lk_n_i[3*p +: 3] : f_n_q;
    always_comb begin
      f_lr = f_lr_q;
      for (int k = 0; k < 6; k++) if (f_go && f_k == 3'(k)) f_lr = lk_r_i[48*p+8*k +: 8];
    end
    assign f_now   = f_reads && f_k < f_n && f_k[2:1] == (f_go ? 2'd0 : f_age_q);
    assign f_known = f_now && f_mine && f_lw == f_w && f_lr == 8'(f_r) && f_present;
    always_comb begin
      f_ok  = 1'b0;
      f_off = '0;
      for (int s = 0; s < Nact; s++) begin
        if (taken_q[s] && warp[6*s +: 6] == f_lw) begin
          f_off = S'(s);
          f_ok  = f_now && f_v[NumReg*s + 32'(f_lr[RegW-1:0])];
        end
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_age_q <= '0;
      else f_age_q <= f_go ? 2'd1 : f_open ? f_age_q + 2'd1 : 2'd0;
    end
    always_ff @(posedge clk_i) begin
      f_lw_q <= f_lw;
      f_n_q  <= f_n;
      f_lr_q <= f_lr;
      if (f_reads) f_off_q <= f_off;
      if (f_go || f_now) begin
        f_ok_q    <= f_ok;
        f_known_q <= f_known;
        f_bank_q  <= f_place_q;
      end
    end
    `ASSERT_ALWAYS begin
      assert (lk_rdy_o[p] == !f_open);
      assert (lr_v_o[p] == (f_age_q != 2'd0 && !f_open));
      if (lr_v_o[p]) begin
        assert (lr_off_o[S*p +: S] == f_off_q);
        if (f_k < 3'd6) begin
          assert (lr_ok_o[6*p + 32'(f_k)] == f_ok_q);
          if (!f_ok_q) assert (lr_bank_o[B*(6*p + 32'(f_k)) +: B] == '0);
          if (f_known_q) assert (lr_bank_o[B*(6*p + 32'(f_k)) +: B] == f_bank_q);
        end
      end else begin
        assert (lr_off_o[S*p +: S] == '0 && lr_ok_o[6*p +: 6] == '0 && lr_bank_o[6*B*p +: 6*B] == '0);
      end
`ifdef FORMAL
      // what the registers hold meanwhile
      assert (gen_port[p].lk_at_q == (f_open ? f_age_q : 2'd0));
      if (f_open) begin
        assert (gen_port[p].lk_w_q == f_lw_q && gen_port[p].lk_n_q == f_n_q && 32'(f_lw_q) % Np == p);
        if (f_k[2:1] == 2'd1) assert (gen_port[p].lk_r_q[8*f_k[0] +: 8] == f_lr_q);
        if (f_k[2:1] == 2'd2) assert (gen_port[p].lk_r_q[16+8*f_k[0] +: 8] == f_lr_q);
      end
      if (f_age_q != 2'd0) begin
        assert (f_n_q != 3'd0 && f_n_q != 3'd7 && {f_age_q, 1'b0} <= f_n_q + 3'd1);
        if (f_k >= f_n_q || f_k[2:1] >= f_age_q) assert (!f_ok_q && !f_known_q);
        if (f_k < 3'd6) begin
          assert (gen_port[p].lr_ok_q[f_k] == f_ok_q);
          if (!f_ok_q) assert (gen_port[p].lr_bank_q[B*f_k +: B] == '0 && !f_known_q);
          if (f_known_q) assert (gen_port[p].lr_bank_q[B*f_k +: B] == f_bank_q);
        end
        assert (gen_port[p].lr_off_q == f_off_q);
      end
`endif
    end
  end

`ifdef FORMAL
  // the inputs that the page calls illegal; numbers of warps and registers that there are
  logic [NumWarp-1:0] f_begun_q;                    // it had st since reset or its last END
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_begun_q <= '0;
    else f_begun_q <= (f_begun_q & ~(NumWarp'(d_v_o && d_op_o == OpEnd) << d_w_o[WarpW-1:0]))
                    | (NumWarp'(st_v_i) << st_w_i[WarpW-1:0]);
  end
  logic [8:0] f_ones;
  always_comb begin
    f_ones = '0;
    for (int r = 0; r < NumReg; r++) f_ones = f_ones + 9'(c_vec_i[r]);
  end
  for (genvar p = 0; p < Np; p++) begin : gen_f_legal
    always_comb begin
      assume (32'(lk_w_i[6*p +: 6]) < NumWarp && 32'(is_w_i[6*p +: 6]) < NumWarp);
      if (lk_v_i[p]) begin
        assume (32'(lk_w_i[6*p +: 6]) % Np == p && lk_rdy_o[p]);
        assume (lk_n_i[3*p +: 3] != 3'd0 && lk_n_i[3*p +: 3] != 3'd7);
      end
      if (is_v_i[p]) begin
        assume (32'(is_w_i[6*p +: 6]) % Np == p && act_q[is_w_i[6*p +: WarpW]]);
        assume (!(c_v_i && c_rdy_o && c_w_i == is_w_i[6*p +: 6]));
        for (int s = 0; s < Nact; s++) if (taken_q[s] && warp[6*s +: 6] == is_w_i[6*p +: 6]) assume (idle[s]);
      end
      for (int k = 0; k < 6; k++) assume (32'(lk_r_i[48*p+8*k +: 8]) < NumReg && 32'(is_s_i[48*p+8*k +: 8]) < NumReg);
      for (int k = 0; k < 4; k++) assume (32'(is_d_i[32*p+8*k +: 8]) < NumReg);
    end
  end
  for (genvar n = 0; n < Nwb; n++) begin : gen_f_legal_wb
    always_comb begin
      assume (32'(wb_w_i[6*n +: 6]) < NumWarp && 32'(wb_r_i[8*n +: 8]) < NumReg);
      if (wb_v_i[n] && c_v_i && c_rdy_o && c_op_i == OpEnd) assume (c_w_i != wb_w_i[6*n +: 6]);
    end
    for (genvar i = 0; i < n; i++) begin : gen_f_pair
      always_comb if (wb_v_i[n] && wb_v_i[i]) assume ({wb_w_i[6*n +: 6], wb_r_i[8*n +: 8]} != {wb_w_i[6*i +: 6], wb_r_i[8*i +: 8]});
    end
  end
  always_comb begin
    assume (32'(st_w_i) < NumWarp && 32'(c_w_i) < NumWarp && 32'(fr_r_i) < NumReg);
    assume ((c_vec_i >> NumReg) == '0);
    if (st_v_i) assume (!act_q[st_w_i[WarpW-1:0]] && !(enter && c_w_i == st_w_i));
    if (c_v_i && c_rdy_o && c_op_i == OpAct) assume (f_begun_q[c_w_i[WarpW-1:0]]);
    if (c_v_i && c_rdy_o && c_op_i == OpPref) assume (32'(f_ones) <= Nr);
    if (fr_v_i) assume (f_way_q[NumReg*fr_slot_i + 32'(fr_r_i)]);
  end

  // 3, and the slots' aau
  logic [WarpW:0] f_nact;
  always_comb begin
    f_nact = '0;
    for (int w = 0; w < NumWarp; w++) f_nact = f_nact + (WarpW+1)'(act_q[w]);
    assert (f_slot_occ == taken_q);
    assert (32'(f_nact) + 32'(f_slot_cnt) == Nact);
  end
  // rows: no working set has more than Nr registers; the row that is read is that of the warp
  for (genvar w = 0; w < NumWarp; w++) begin : gen_f_row
    logic [RegW:0] f_size;
    always_comb begin
      f_size = '0;
      for (int r = 0; r < NumReg; r++) f_size = f_size + (RegW+1)'(f_mem[2*NumReg*w+r]);
      if (f_begun_q[w]) assert (32'(f_size) <= Nr);
      if (act_q[w]) assert (f_begun_q[w]);
    end
  end
  for (genvar s = 0; s < Nact; s++) begin : gen_f_warp
    always_comb begin
      assert (32'(w_q[s]) < NumWarp);
      if (f_ld[s]) assert (row == f_mem[2*NumReg*w_q[s][WarpW-1:0] +: 2*NumReg]);
    end
  end
  always_comb if (f_begun_q[f_warp]) assert (f_mem[2*NumReg*f_warp +: 2*NumReg] == f_row_q);

  // ---- covers
  logic [Nact-1:0] f_swap;                          // an eviction of a PREF
  logic [Nact-1:0] f_held;
  logic [Nact-1:0] f_free;                          // a register that comes or leaves without the main register file
  logic [Nact-1:0] f_again;                         // ld of a warp with a working set
  for (genvar s = 0; s < Nact; s++) begin : gen_f_cover
    assign f_swap[s]  = gen_slot[s].evict && op_q[s] == OpPref;
    assign f_held[s]  = gen_slot[s].evict && gen_slot[s].held;
    assign f_free[s]  = (gen_slot[s].in_go || gen_slot[s].out_go) && !gen_slot[s].need;
    assign f_again[s] = f_ld[s] && row[NumReg-1:0] != '0;
  end
  always_comb begin
    cover (rst_ni && mw_v_o && (f_swap & gn) != '0);
    cover (rst_ni && mr_v_o && fr_v_i && mr_slot_o == fr_slot_i);
    cover (rst_ni && (f_held & ~rq_v) != '0);
    cover (rst_ni && st_v_i && (finished & deact) != '0);
    cover (rst_ni && f_again != '0);
    cover (rst_ni && d_v_o && d_op_o == OpEnd && (f_v[NumReg-1:0] != '0));
    cover (rst_ni && lr_v_o[0] && lr_ok_o[5:0] == '1);
    cover (rst_ni && finished == '1);
    cover (rst_ni && rq_v == '1 && mw_v_o);
    cover (rst_ni && wb_in_o[0] && wb_bank_o[B-1:0] == B'(1));
  end
  if (Plus == 1) begin : gen_f_plus
    always_comb cover (rst_ni && f_free != '0);
  end
`endif
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// vtt: victim tag table: which evicted lines lie in registers that no CTA holds.
// C twin: cmodel/blocks/linebacker/vtt.c
// One request per cycle, in mode 1 one in VpIi cycles. A row is read in the cycle of acceptance, compared and written in the
// next one; the response is formed in the third and can be taken in the fourth at the earliest, so VpLat is 3 at least.
// Sets is 2^k or 3 x 2^k, k > 0; Ways is a power of two; Nvp x Ways is 2 at least.
module vtt #(
  parameter int Sets = 48,
  parameter int Ways = 4,
  parameter int Nvp = 8,
  parameter int TagW = 18,
  parameter int VpIi = 3,
  parameter int VpLat = 3,
  parameter int Offset = 512
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           kstart_i,
  input  logic [1:0]     mode_i,
  // invalidate
  input  logic           iv_v_i,
  input  logic [22:0]    iv_l_i,
  output logic           iv_rdy_o,
  // insert
  input  logic           in_v_i,
  input  logic [22:0]    in_l_i,
  output logic           in_rdy_o,
  // look up
  input  logic           lk_v_i,
  input  logic [22:0]    lk_l_i,
  input  logic [7:0]     lk_id_i,
  output logic           lk_rdy_o,
  // activation
  input  logic [10:0]    lrn_i,
  input  logic           hold_i,
  input  logic           vbusy_i,
  output logic           idle_o,
  output logic           hack_o,
  output logic [Nvp-1:0] act_o,
  output logic [1:0]     vm_o,
  // responses
  output logic           rs_v_o,
  output logic [1:0]     rs_kind_o,
  output logic           rs_hit_o,
  output logic [10:0]    rs_rn_o,
  output logic [7:0]     rs_id_o,
  input  logic           rs_rdy_i
);
  localparam int NumWays = Nvp * Ways;            // of a set
  localparam int AgeW = $clog2(NumWays);
  localparam int NumW = $clog2(Nvp + 1);          // width of a number of VPs
  localparam int RowW = $clog2(Sets);
  localparam int RowBits = NumWays * (1 + TagW + AgeW);
  // as many responses as look-ups can be under way when all VPs are searched, and one for an insert; 9 at least
  localparam int UnderWay = Nvp * VpLat / VpIi;
  localparam int QueueLen = UnderWay > 8 ? UnderWay + 1 : 9;
  localparam int CntW = $clog2(QueueLen + 1);
  localparam int TimerW = $clog2(VpLat * Nvp - 1);
  localparam int DataW = 2 + 1 + 11 + 8;          // kind, hit, register, id
  // a line's set and tag
  localparam int Thirds = Sets == 1 << $clog2(Sets) ? 0 : 1;
  localparam int LowW = Thirds != 0 ? $clog2(Sets / 3) : $clog2(Sets);
  localparam int HighW = 23 - LowW;
`include "vtt_enum.svh"

  logic [6:0]        cnt_q;                       // the bits above CntW stay zero
  logic [CntW-1:0]   cnt_d;
  logic [3:0]        sp_q, sp_d;

  // ---- activation and sweep
  logic              run_q, run_d;
  logic [RowW-1:0]   row_q, row_d;                // the row that a sweep reads
  logic [Nvp-1:0]    act_q, act_d;
  logic [1:0]        vm_q, vm_d;
  logic [Nvp-1:0]    tgt_q, tgt_d;                // target of the last sweep
  logic [1:0]        tvm_q, tvm_d;
  logic [Nvp-1:0]    keep_q, keep_d;              // VPs whose lines it keeps
  logic              ack_q, ack_d;                // it ends with hack
  logic              hack_q, hack_d;
  logic [Nvp-1:0]    want;
  for (genvar v = 0; v < Nvp; v++) begin : gen_want
    assign want[v] = mode_i == VmMon || (mode_i == VmSel && Offset + Sets * Ways * v > 32'(lrn_i));
  end

  always_comb begin
    run_d  = run_q;
    row_d  = row_q;
    act_d  = act_q;
    vm_d   = vm_q;
    tgt_d  = tgt_q;
    tvm_d  = tvm_q;
    keep_d = keep_q;
    ack_d  = ack_q;
    hack_d = hack_q && hold_i;
    if (kstart_i) begin
      run_d  = 1'b0;
      row_d  = '0;
      act_d  = '0;
      vm_d   = VmMon;
      tgt_d  = '1;
      tvm_d  = VmMon;
      keep_d = '0;
      ack_d  = 1'b0;
      hack_d = 1'b0;
    end else if (!run_q) begin
      row_d = row_q + RowW'(1);
      if (row_q == RowW'(Sets - 1)) begin
        run_d  = 1'b1;
        row_d  = '0;
        act_d  = tgt_q;
        vm_d   = tvm_q;
        hack_d = ack_q;
      end
    end else if (hold_i && idle_o && !hack_q) begin
      if (want == act_q && mode_i == vm_q) begin
        hack_d = 1'b1;
      end else begin
        run_d  = 1'b0;
        tgt_d  = want;
        tvm_d  = mode_i;
        keep_d = mode_i == vm_q ? act_q & want : '0;
        ack_d  = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q  <= 1'b0;
      row_q  <= '0;
      act_q  <= '0;
      vm_q   <= VmMon;
      tgt_q  <= '1;
      tvm_q  <= VmMon;
      keep_q <= '0;
      ack_q  <= 1'b0;
      hack_q <= 1'b0;
    end else begin
      run_q  <= run_d;
      row_q  <= row_d;
      act_q  <= act_d;
      vm_q   <= vm_d;
      tgt_q  <= tgt_d;
      tvm_q  <= tvm_d;
      keep_q <= keep_d;
      ack_q  <= ack_d;
      hack_q <= hack_d;
    end
  end

  // ---- first cycle: acceptance
  logic open;
  logic take_iv;
  logic take_in;
  logic take_lk;
  logic take;
  logic push;                                     // it will have a response
  assign open     = run_q && !kstart_i && (vm_q != VmSel || sp_q == '0);
  assign iv_rdy_o = open && !hold_i;
  assign in_rdy_o = open && !(iv_v_i && !hold_i) && cnt_q < 7'(QueueLen);
  assign lk_rdy_o = open && !hold_i && !iv_v_i && !in_v_i && cnt_q < 7'(QueueLen - 1);
  assign take_iv  = iv_v_i && iv_rdy_o;
  assign take_in  = in_v_i && in_rdy_o;
  assign take_lk  = lk_v_i && lk_rdy_o;
  assign take     = take_iv || take_in || take_lk;
  assign push     = take_lk || (take_in && vm_q == VmSel && act_q != '0);

  assign cnt_d = kstart_i ? '0 : CntW'(cnt_q) + CntW'(push) - CntW'(rs_v_o && rs_rdy_i);
  assign sp_d  = kstart_i ? '0 : take ? 4'(VpIi - 1) : sp_q != '0 ? sp_q - 4'd1 : '0;

  // its line, whether it is accepted or not
  logic [22:0]      line;
  logic [HighW-1:0] high;
  logic [RowW-1:0]  set;
  logic [TagW-1:0]  tag;
  assign line = iv_v_i && !hold_i ? iv_l_i : in_v_i ? in_l_i : lk_l_i;
  assign high = line[22:LowW];

  // Division by 3. The remainders of all leading parts of `high` are sums of digits: 2^j is 1 modulo 3 for even j and 2 for odd j,
  // so that a prefix tree finds them. Element p is bit HighW - 1 - p; rem1 and rem2 say that the sum down to it is 1 or 2.
  if (Thirds != 0) begin : gen_thirds
    localparam int Levels = $clog2(HighW);
    for (genvar k = 0; k <= Levels; k++) begin : gen_level
      logic [HighW-1:0] rem1;
      logic [HighW-1:0] rem2;
      for (genvar p = 0; p < HighW; p++) begin : gen_sum
        localparam int Bit = HighW - 1 - p;
        if (k == 0) begin : gen_digit
          assign rem1[p] = Bit % 2 == 0 && high[Bit];
          assign rem2[p] = Bit % 2 == 1 && high[Bit];
        end else if (((p >> (k - 1)) & 1) == 0) begin : gen_same
          assign rem1[p] = gen_level[k-1].rem1[p];
          assign rem2[p] = gen_level[k-1].rem2[p];
        end else begin : gen_add
          localparam int From = ((p >> (k - 1)) << (k - 1)) - 1;
          logic a0, a1, a2, b0, b1, b2;
          assign a1 = gen_level[k-1].rem1[From];
          assign a2 = gen_level[k-1].rem2[From];
          assign a0 = !a1 && !a2;
          assign b1 = gen_level[k-1].rem1[p];
          assign b2 = gen_level[k-1].rem2[p];
          assign b0 = !b1 && !b2;
          assign rem1[p] = (a0 && b1) || (a1 && b0) || (a2 && b2);
          assign rem2[p] = (a0 && b2) || (a2 && b0) || (a1 && b1);
        end
      end
    end
    // Bit j of the quotient: what is left of the bits above it, doubled, and the bit itself are 3 or more. Above an even j the sum
    // is the remainder's opposite.
    logic [HighW-2:0] quot;
    for (genvar j = 0; j < HighW - 1; j++) begin : gen_quot
      localparam int P = HighW - 2 - j;
      logic one, two;
      assign one = j % 2 == 1 ? gen_level[Levels].rem1[P] : gen_level[Levels].rem2[P];
      assign two = j % 2 == 1 ? gen_level[Levels].rem2[P] : gen_level[Levels].rem1[P];
      assign quot[j] = two || (one && high[j]);
    end
    assign set = {gen_level[Levels].rem2[HighW-1], gen_level[Levels].rem1[HighW-1], line[LowW-1:0]};
    assign tag = TagW'(quot);
  end else begin : gen_power
    assign set = line[LowW-1:0];
    assign tag = TagW'(high);
  end

  // ---- second cycle: the row is compared and written
  logic               s2_sweep_q;
  logic               s2_iv_q;
  logic               s2_in_q;
  logic               s2_lk_q;
  logic               s2_rs_q;                    // with a response
  logic [RowW-1:0]    s2_row_q;
  logic [TagW-1:0]    s2_tag_q;
  logic [7:0]         s2_id_q;
  logic               s2_byp_q;                   // the row was being written when it was to be read
  logic [RowBits-1:0] byp_q;
  logic               same;
  logic               read;
  logic               write;
  assign same = (s2_sweep_q || s2_iv_q || s2_in_q || s2_lk_q) && s2_row_q == set;
  assign read = !kstart_i && (!run_q || (take && !same));

  logic [RowBits-1:0] stored;
  logic [RowBits-1:0] row;
  logic [RowBits-1:0] row_new;
  assign row = s2_byp_q ? byp_q : stored;

`ifdef FORMAL
  localparam int Depth = 1 << RowW;               // memory_map leaves other rows without a driver
  logic [Depth*RowBits-1:0] f_mem;
`else
  localparam int Depth = Sets;
`endif
  ram_1r1w #(.Depth(Depth), .Width(RowBits)) u_row (
    .clk_i(clk_i),
    .re_i(read),
    .raddr_i(run_q ? set : row_q),
    .we_i(write),
    .waddr_i(s2_row_q),
    .wdata_i(row_new),
`ifdef FORMAL
    .f_mem_o(f_mem),
`endif
    .rdata_o(stored)
  );

  // a row: the valid bits, then each way's age, then each way's tag
  logic [NumWays-1:0] valid;
  assign valid = row[NumWays-1:0];

  logic [NumW-1:0] na;                            // active VPs, now and after the sweep
  logic [NumW-1:0] nt;
  logic [AgeW-1:0] max_age;
  popcount #(.N(Nvp)) u_na (.x_i(act_q), .n_o(na));
  popcount #(.N(Nvp)) u_nt (.x_i(tgt_q), .n_o(nt));
  assign max_age = AgeW'(Ways * 32'(na) - 1);

  logic [NumWays-1:0] match;
  logic [NumWays-1:0] unused;                     // invalid, of an active VP
  logic [NumWays-1:0] oldest;
  for (genvar g = 0; g < NumWays; g++) begin : gen_match
    assign match[g]  = valid[g] && act_q[g/Ways] && row[NumWays*(1+AgeW) + g*TagW +: TagW] == s2_tag_q;
    assign unused[g] = !valid[g] && act_q[g/Ways];
    assign oldest[g] = act_q[g/Ways] && row[NumWays + g*AgeW +: AgeW] == max_age;
  end
  logic [NumWays-1:0] first;
  logic [AgeW-1:0]    first_idx;
  first_one #(.N(NumWays)) u_unused (.x_i(unused), .oh_o(first), .idx_o(first_idx));

  logic               hit;
  logic               clear;                      // a way that matches becomes invalid
  logic               touch;
  logic [NumWays-1:0] other;                      // the way that an insert takes if none matches
  logic [NumWays-1:0] way;                        // the way that is touched
  assign hit   = match != '0;
  assign clear = s2_iv_q || (s2_lk_q && vm_q != VmSel);
  assign touch = s2_in_q || (s2_lk_q && vm_q == VmSel);
  assign other = !s2_in_q ? '0 : unused != '0 ? first : oldest;
  assign way   = hit ? match : other;
  assign write = s2_sweep_q || s2_in_q || ((s2_iv_q || s2_lk_q) && hit);

  // Its age and its number. What they are if no way matches is found while the tags are compared.
  logic [AgeW-1:0] hit_age;
  logic [AgeW-1:0] hit_num;
  logic [AgeW-1:0] first_age;
  logic [AgeW-1:0] oldest_num;
  logic [AgeW-1:0] way_age;
  logic [AgeW-1:0] way_num;
  for (genvar j = 0; j < AgeW; j++) begin : gen_bit
    logic [NumWays-1:0] ages;                     // bit j of each way's age
    logic [NumWays-1:0] nums;                     // bit j of each way's number
    for (genvar g = 0; g < NumWays; g++) begin : gen_way
      assign ages[g] = row[NumWays + g*AgeW + j];
      assign nums[g] = ((g >> j) & 1) == 1;
    end
    assign hit_age[j]    = |(match & ages);
    assign hit_num[j]    = |(match & nums);
    assign first_age[j]  = |(first & ages);
    assign oldest_num[j] = |(oldest & nums);
  end
  assign way_age = hit ? hit_age : !s2_in_q ? '0 : unused != '0 ? first_age : max_age;
  assign way_num = hit ? hit_num : unused != '0 ? first_idx : oldest_num;

  for (genvar g = 0; g < NumWays; g++) begin : gen_new
    localparam int V = g / Ways;
    localparam int AgeAt = NumWays + g * AgeW;
    localparam int TagAt = NumWays * (1 + AgeW) + g * TagW;
    logic [AgeW-1:0] age;
    logic [AgeW-1:0] place;                       // position among the ways of the target's VPs
    assign age   = row[AgeAt +: AgeW];
    assign place = tgt_q[V] ? AgeW'(Ways * 32'(nt) + (g - NumWays)) : '0;
    assign row_new[g] = s2_sweep_q ? valid[g] && keep_q[V]
                                   : (valid[g] && !(clear && match[g])) || (s2_in_q && way[g]);
    assign row_new[AgeAt +: AgeW] = s2_sweep_q ? place
                                  : !touch ? age
                                  : way[g] ? '0
                                  : act_q[V] && age < way_age ? age + AgeW'(1) : age;
    assign row_new[TagAt +: TagW] = s2_in_q && way[g] ? s2_tag_q : row[TagAt +: TagW];
  end

  // ---- third cycle: the response
  logic            s3_rs_q;
  logic            s3_in_q;
  logic            s3_hit_q;
  logic [AgeW-1:0] s3_num_q;
  logic [RowW-1:0] s3_row_q;
  logic [7:0]      s3_id_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cnt_q      <= '0;
      sp_q       <= '0;
      s2_sweep_q <= 1'b0;
      s2_iv_q    <= 1'b0;
      s2_in_q    <= 1'b0;
      s2_lk_q    <= 1'b0;
      s2_rs_q    <= 1'b0;
      s3_rs_q    <= 1'b0;
    end else begin
      cnt_q      <= 7'(cnt_d);
      sp_q       <= sp_d;
      s2_sweep_q <= !run_q && !kstart_i;
      s2_iv_q    <= take_iv;
      s2_in_q    <= take_in;
      s2_lk_q    <= take_lk;
      s2_rs_q    <= push;
      s3_rs_q    <= s2_rs_q && !kstart_i;
    end
  end
  // not reset: the bits above gate them
  always_ff @(posedge clk_i) begin
    s2_row_q <= run_q ? set : row_q;
    s2_byp_q <= run_q && same;
    if (take) begin
      s2_tag_q <= tag;
      s2_id_q  <= lk_id_i;
    end
    if (take && same) byp_q <= row_new;
    if (s2_rs_q) begin
      s3_in_q  <= s2_in_q;
      s3_hit_q <= s2_lk_q && hit;
      s3_num_q <= way_num;
      s3_row_q <= s2_row_q;
      s3_id_q  <= s2_id_q;
    end
  end

  logic [1:0]        kind;
  logic [10:0]       rn;
  logic [DataW-1:0]  data;
  logic [TimerW-1:0] timer;                       // cycles that are left when it is in the queue
  logic [NumW-1:0]   looked;                      // VPs that it has searched
  assign kind = s3_in_q ? KindInsert : vm_q == VmSel ? KindLookup : KindProbe;
  assign rn   = 11'(Offset + 32'(s3_num_q) / Ways * (Sets * Ways) + 32'(s3_row_q) * Ways + 32'(s3_num_q) % Ways);
  assign data = {kind, s3_hit_q, kind == KindInsert || (kind == KindLookup && s3_hit_q) ? rn : 11'd0,
                 s3_in_q ? 8'd0 : s3_id_q};
  always_comb begin
    looked = NumW'(1);
    if (kind == KindLookup && s3_hit_q) looked = NumW'(32'(s3_num_q) / Ways + 1 + 32'(na) - Nvp);
    else if (kind == KindLookup && na != '0) looked = na;
  end
  assign timer = TimerW'(VpLat * 32'(looked) - 3);

  // ---- the queue; its head is entry 0
  logic [QueueLen-1:0] some_q;                    // entries in use
  logic [DataW-1:0]    data_q [QueueLen];
  logic [TimerW-1:0]   timer_q [QueueLen];
  logic                pop;
  assign pop = rs_v_o && rs_rdy_i;
  for (genvar e = 0; e < QueueLen; e++) begin : gen_entry
    logic              here;                      // in use after the pop
    logic              enter;
    logic [DataW-1:0]  data_kept;
    logic [TimerW-1:0] timer_kept;
    if (e == QueueLen - 1) begin : gen_last
      assign here       = some_q[e] && !pop;
      assign data_kept  = data_q[e];
      assign timer_kept = timer_q[e];
    end else begin : gen_other
      assign here       = pop ? some_q[e+1] : some_q[e];
      assign data_kept  = pop ? data_q[e+1] : data_q[e];
      assign timer_kept = pop ? timer_q[e+1] : timer_q[e];
    end
    if (e == 0) begin : gen_head
      assign enter = s3_rs_q && !here;
    end else begin : gen_behind
      assign enter = s3_rs_q && !here && gen_entry[e-1].here;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) some_q[e] <= 1'b0;
      else some_q[e] <= !kstart_i && (here || enter);
    end
    // not reset: some_q gates them
    always_ff @(posedge clk_i) begin
      data_q[e]  <= enter ? data : data_kept;
      timer_q[e] <= enter ? timer : timer_kept == '0 ? '0 : timer_kept - TimerW'(1);
    end
  end

  assign rs_v_o = some_q[0] && timer_q[0] == '0;
  assign {rs_kind_o, rs_hit_o, rs_rn_o, rs_id_o} = rs_v_o ? data_q[0] : '0;

  assign idle_o = run_q && cnt_q == '0 && sp_q == '0 && !vbusy_i && !in_v_i;
  assign hack_o = hack_q;
  assign act_o  = act_q;
  assign vm_o   = vm_q;

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
  // assumption on the inputs
  always_comb assume (mode_i != 2'd3);
`endif

  // the set and the tag are those of the page
  if (Thirds != 0) begin : gen_f_thirds
    `ASSERT_ALWAYS begin
      assert (32'(gen_thirds.quot) == 32'(high) / 3);
      assert (32'(set) == 32'(high) % 3 * (1 << LowW) + 32'(line[LowW-1:0]));
    end
  end

  // what the stages hold; a sweep reads row_q and writes the row before it
  logic f_request;
  assign f_request = s2_iv_q || s2_in_q || s2_lk_q;
  `ASSERT_ALWAYS begin
    assert (32'(s2_sweep_q) + 32'(s2_iv_q) + 32'(s2_in_q) + 32'(s2_lk_q) <= 1);
    if (s2_lk_q) assert (s2_rs_q);
    if (s2_in_q) assert (s2_rs_q == (vm_q == VmSel && act_q != '0));
    if (s2_rs_q) assert (s2_in_q || s2_lk_q);
    if (f_request) assert (run_q && 32'(s2_row_q) < Sets);
    if (run_q) begin
      assert (row_q == '0);
      if (s2_sweep_q) assert (32'(s2_row_q) == Sets - 1 && act_q == tgt_q);
    end else begin
      assert (cnt_q == '0 && !hack_o && 32'(row_q) < Sets);
      assert (s2_sweep_q == (row_q != '0));
      if (s2_sweep_q) assert (32'(s2_row_q) + 1 == 32'(row_q));
    end
  end

  // 4, and what the modes mean
  logic [10:0] f_lrn_q;                             // of the last activation
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_lrn_q <= '0;
    else if (run_q && hold_i && idle_o && !hack_o) f_lrn_q <= lrn_i;
  end
  `ASSERT_ALWAYS begin
    assert ((~act_o & (~act_o + Nvp'(1))) == '0 && (~tgt_q & (~tgt_q + Nvp'(1))) == '0);
    assert (vm_o != 2'd3 && tvm_q != 2'd3);
    if (run_q && vm_o == VmMon) assert (act_o == '1);
    if (vm_o == VmOff) assert (act_o == '0);
    if (!run_q && tvm_q == VmMon) assert (tgt_q == '1);
    if (tvm_q == VmOff) assert (tgt_q == '0);
    if (!run_q || s2_sweep_q) assert ((keep_q & ~tgt_q) == '0);
  end
  for (genvar v = 0; v < Nvp; v++) begin : gen_f_vp
    `ASSERT_ALWAYS begin
      if (run_q && vm_o == VmSel)
        assert (act_o[v] == (Offset + Sets * Ways * v > 32'(f_lrn_q)));
      if (!run_q && tvm_q == VmSel)
        assert (tgt_q[v] == (Offset + Sets * Ways * v > 32'(f_lrn_q)));
    end
  end

  // hack: after hold and with it, one cycle longer
  logic f_hold_q;
  logic f_hack_q;
  logic f_kstart_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_hold_q   <= 1'b0;
      f_hack_q   <= 1'b0;
      f_kstart_q <= 1'b1;
    end else begin
      f_hold_q   <= hold_i;
      f_hack_q   <= hack_o;
      f_kstart_q <= kstart_i;
    end
  end
`ifdef FORMAL
  always_comb if (f_hold_q && !f_hack_q && !f_kstart_q && !hack_o) assume (hold_i);
`endif
  `ASSERT_ALWAYS begin
    if (f_hack_q) assert (hack_o == (f_hold_q && !f_kstart_q));
    if (f_kstart_q)
      assert (!hack_o && !run_q && act_o == '0 && vm_o == VmMon && cnt_q == '0 && sp_q == '0);
  end

  // 5: acceptances: one at most, in mode 1 VpIi cycles apart
  logic [3:0] f_since_q;                            // cycles since the last one, up to VpIi
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_since_q <= 4'(VpIi);
    else if (kstart_i) f_since_q <= 4'(VpIi);
    else if (take) f_since_q <= 4'd1;
    else if (32'(f_since_q) < VpIi) f_since_q <= f_since_q + 4'd1;
  end
  `ASSERT_ALWAYS begin
    assert (32'(take_iv) + 32'(take_in) + 32'(take_lk) <= 1);
    assert (32'(sp_q) + 32'(f_since_q) == VpIi);
    if (take && vm_o == VmSel) assert (32'(f_since_q) == VpIi);
    if (take) assert (run_q && !kstart_i && (take_in || !hold_i));
  end

  // acceptance as the page has it: of Room places the last one is for an insert
  localparam int Room = Nvp * VpLat / VpIi + 1 > 9 ? Nvp * VpLat / VpIi + 1 : 9;
  logic f_open;
  assign f_open = run_q && !kstart_i && (vm_o != VmSel || 32'(f_since_q) == VpIi);
  `ASSERT_ALWAYS begin
    assert (iv_rdy_o == (f_open && !hold_i));
    assert (in_rdy_o == (f_open && !(iv_v_i && !hold_i) && 32'(cnt_q) < Room));
    assert (lk_rdy_o == (f_open && !hold_i && !iv_v_i && !in_v_i && 32'(cnt_q) < Room - 1));
  end

  // a response that is not taken stays
  logic             f_wait_q;
  logic [DataW-1:0] f_data_q;
  logic [6:0]       f_some;
  always_comb begin
    f_some = '0;
    for (int e = 0; e < QueueLen; e++) f_some = f_some + 7'(some_q[e]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= 1'b0;
    else f_wait_q <= rs_v_o && !rs_rdy_i && !kstart_i;
  end
  always_ff @(posedge clk_i) f_data_q <= {rs_kind_o, rs_hit_o, rs_rn_o, rs_id_o};
  `ASSERT_ALWAYS begin
    if (f_wait_q) assert (rs_v_o && {rs_kind_o, rs_hit_o, rs_rn_o, rs_id_o} == f_data_q);
    if (!rs_v_o) assert ({rs_kind_o, rs_hit_o, rs_rn_o, rs_id_o} == '0);
    // the queue has no gap, and room for what is under way
    assert ((some_q & (some_q + QueueLen'(1))) == '0);
    assert (cnt_q == f_some + 7'(s2_rs_q) + 7'(s3_rs_q) && 32'(cnt_q) <= QueueLen && QueueLen < 128);
  end

  // What depends on the contents of a row is proven for one symbolic row; a simulation checks every request.
  logic f_here2;                                    // in the second cycle, in the third
  logic f_here3;
`ifdef FORMAL
  `ASSERT_ANY(f_row, RowW)
  assign f_here2 = s2_row_q == f_row;
  assign f_here3 = s3_row_q == f_row;
`else
  assign f_here2 = 1'b1;
  assign f_here3 = 1'b1;
`endif

  logic [NumW-1:0] f_upto;                          // active VPs up to that of the way
  always_comb begin
    f_upto = '0;
    for (int v = 0; v < Nvp; v++) f_upto = f_upto + NumW'(act_q[v] && v <= 32'(s3_num_q) / Ways);
  end

  // 3, of a response that is formed and of those in the queue; and when it is ready
  `ASSERT_ALWAYS begin
    assert (Offset + Nvp * Sets * Ways - 1 <= 2047);
    if (s3_rs_q) begin
      assert (32'(s3_row_q) < Sets);
      if (f_here3 && (s3_in_q || (s3_hit_q && vm_q == VmSel)))
        assert (32'(s3_num_q) < NumWays && act_q[32'(s3_num_q)/Ways]);
      if (s3_in_q) assert (!s3_hit_q && vm_q == VmSel);
      if (f_here3) assert (32'(timer) + 3 == VpLat * 32'(looked) && looked != '0 && 32'(looked) <= Nvp);
      if (f_here3) assert (looked == (kind != KindLookup ? NumW'(1) : s3_hit_q ? f_upto : na == '0 ? NumW'(1) : na));
    end
  end
  for (genvar e = 0; e < QueueLen; e++) begin : gen_f_entry
    logic [1:0]  f_kind;
    logic        f_hit;
    logic [10:0] f_rn;
    logic        f_of;                              // its row is the one
    assign {f_kind, f_hit, f_rn} = data_q[e][DataW-1:8];
`ifdef FORMAL
    assign f_of = (32'(f_rn) - Offset) / Ways % Sets == 32'(f_row);
`else
    assign f_of = 1'b1;
`endif
    `ASSERT_ALWAYS begin
      if (some_q[e]) begin
        assert (f_kind != KindNone && (f_kind == KindProbe) == (vm_q != VmSel));
        if (f_kind == KindInsert || (f_kind == KindLookup && f_hit)) begin
          if (f_of) assert (f_rn > f_lrn_q);
        end else begin
          assert (f_rn == '0);
        end
        if (f_kind == KindInsert) assert (!f_hit && data_q[e][7:0] == '0);
      end
    end
  end

  // 1: one way matches at most
  `ASSERT_ALWAYS if (f_request && f_here2) assert ((match & (match - NumWays'(1))) == '0);

  // 2: what is written: the ages of the active VPs' ways are all numbers below their number
  logic [Nvp-1:0]     f_act;
  logic [NumWays-1:0] f_ages;
  logic [NumWays-1:0] f_ways;                       // as many ones as there are active ways
  assign f_act  = s2_sweep_q ? tgt_q : act_q;
  always_comb begin
    f_ages = '0;
    f_ways = '0;
    for (int g = 0; g < NumWays; g++) begin
      if (f_act[g/Ways]) begin
        f_ages = f_ages | (NumWays'(1) << row_new[NumWays + g*AgeW +: AgeW]);
        f_ways = {f_ways[NumWays-2:0], 1'b1};
      end
    end
  end
  `ASSERT_ALWAYS if (write && f_here2) assert (f_ages == f_ways);

`ifdef FORMAL
  // 1, 2 of what the memory holds, in that row. Rows that a sweep has still to write have tags that occur once among
  // those that are kept, and no more.
  logic [RowBits-1:0] f_at;
  logic [Nvp-1:0]     f_vps;
  logic               f_swept;
  logic [NumW-1:0]    f_nvps;
  assign f_at    = f_mem[RowBits*f_row +: RowBits];
  assign f_vps   = run_q ? act_q : tgt_q;
  assign f_nvps  = run_q ? na : nt;
  assign f_swept = run_q ? !(s2_sweep_q && f_row == s2_row_q) : s2_sweep_q && f_row < s2_row_q;
  always_comb begin
    assume (32'(f_row) < Sets);
    // the row that is compared is the one that the memory holds
    if ((f_request || s2_sweep_q) && f_here2) assert (row == f_at);
  end
  for (genvar g = 0; g < NumWays; g++) begin : gen_f_way
    logic [AgeW-1:0] f_age;
    logic [TagW-1:0] f_tag;
    assign f_age = f_at[NumWays + g*AgeW +: AgeW];
    assign f_tag = f_at[NumWays*(1+AgeW) + g*TagW +: TagW];
    always_comb begin
      if (f_swept) begin
        if (f_vps[g/Ways]) begin
          assert (32'(f_age) < Ways * 32'(f_nvps));
        end else begin
          assert (f_age == '0 && !f_at[g]);
        end
      end
    end
    for (genvar h = 0; h < g; h++) begin : gen_f_pair
      always_comb begin
        if (f_swept && f_vps[g/Ways] && f_vps[h/Ways]) assert (f_age != gen_f_way[h].f_age);
        if (f_at[g] && f_at[h] && (f_swept || (keep_q[g/Ways] && keep_q[h/Ways]))) assert (f_tag != gen_f_way[h].f_tag);
      end
    end
  end

  always_comb begin
    cover (rst_ni && rs_v_o && rs_kind_o == KindLookup && rs_hit_o && rs_rn_o != 11'(Offset));
    cover (rst_ni && rs_v_o && rs_kind_o == KindProbe && rs_hit_o);
    cover (rst_ni && s2_in_q && s2_byp_q && !hit && unused == '0);
    cover (rst_ni && hack_o && vm_o == VmSel && act_o[Nvp-1] && !act_o[0]);
    cover (rst_ni && rs_v_o && rs_kind_o == KindInsert && f_some == 7'd2);
  end
`endif
`endif
endmodule

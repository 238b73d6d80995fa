// SPDX-License-Identifier: Apache-2.0
// vtt: victim tag table: which evicted lines lie in registers that no CTA holds.
// C twin: cmodel/blocks/linebacker/vtt.c
// A set's ways of all partitions are one row of one memory, so that the three kinds of requests share a port and a row is compared and
// written back at once. A row is read in the cycle of acceptance, compared and written in the next one; the response is formed in the
// third. Ages are ranks within the set, so that a change of the active partitions needs one sweep over the rows and no time stamps.
// Latency: SearchLatency cycles for each partition searched, at least; the response can be taken in the fourth cycle at the earliest.
// Throughput: one request per cycle, in mode selected one in SearchInterval cycles.
module vtt #(
  parameter int Sets = 48,            // sets: 2^k or 3 x 2^k, k > 0
  parameter int Ways = 4,             // ways of a partition: a power of two
  parameter int NumPartitions = 8,    // victim partitions; 2 ways or more in all
  parameter int TagW = 18,            // bits of the largest tag
  parameter int SearchInterval = 3,   // mode selected: cycles from an acceptance to the next
  parameter int SearchLatency = 3,    // cycles that the search of a partition takes: 3 or more
  parameter int Offset = 512          // first register of partition 0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     launch_start_i,
  input  logic [1:0]               mode_i,
  // a store or an atomic
  input  logic                     invalidate_valid_i,
  input  logic [22:0]              invalidate_line_i,
  output logic                     invalidate_ready_o,
  // a line that the L1 evicts
  input  logic                     insert_valid_i,
  input  logic [22:0]              insert_line_i,
  output logic                     insert_ready_o,
  // a read that misses the L1
  input  logic                     lookup_valid_i,
  input  logic [22:0]              lookup_line_i,
  input  logic [7:0]               lookup_id_i,
  output logic                     lookup_ready_o,
  // activation: mode and highest register are taken over under hold
  input  logic [10:0]              highest_register_i,
  input  logic                     hold_i,
  input  logic                     access_pending_i,
  output logic                     idle_o,
  output logic                     hold_done_o,
  output logic [NumPartitions-1:0] active_partitions_o,
  output logic [1:0]               effective_mode_o,
  // responses
  output logic                     response_valid_o,
  output logic [1:0]               response_kind_o,
  output logic                     response_hit_o,
  output logic [10:0]              response_register_o,
  output logic [7:0]               response_id_o,
  input  logic                     response_ready_i
);
  localparam int NumWays = NumPartitions * Ways;  // of a set
  localparam int AgeW = $clog2(NumWays);
  localparam int NumW = $clog2(NumPartitions + 1); // width of a number of partitions
  localparam int RowW = $clog2(Sets);
  localparam int RowBits = NumWays * (1 + TagW + AgeW);
  // as many responses as look-ups can be under way when all partitions are searched, and one for an insert; 9 at least
  localparam int UnderWay = NumPartitions * SearchLatency / SearchInterval;
  localparam int QueueLen = UnderWay > 8 ? UnderWay + 1 : 9;
  localparam int CountW = $clog2(QueueLen + 1);
  localparam int TimerW = $clog2(SearchLatency * NumPartitions - 1);
  localparam int ResponseW = 2 + 1 + 11 + 8;      // kind, hit, register, id
  // a line's set and tag
  localparam int Thirds = Sets == 1 << $clog2(Sets) ? 0 : 1;
  localparam int LowW = Thirds != 0 ? $clog2(Sets / 3) : $clog2(Sets);
  localparam int HighW = 23 - LowW;
`include "vtt_enum.svh"

  logic [6:0]        response_count_q;            // the bits above CountW stay zero
  logic [CountW-1:0] response_count_d;
  logic [3:0]        spacing_q, spacing_d;

  // ---- activation and sweep
  logic                     running_q, running_d;
  logic [RowW-1:0]          sweep_row_q, sweep_row_d; // the row that a sweep reads
  logic [NumPartitions-1:0] active_partitions_q, active_partitions_d;
  logic [1:0]               effective_mode_q, effective_mode_d;
  logic [NumPartitions-1:0] target_partitions_q, target_partitions_d; // of the last sweep
  logic [1:0]               target_mode_q, target_mode_d;
  logic [NumPartitions-1:0] kept_partitions_q, kept_partitions_d; // whose lines it keeps
  logic                     sweep_answers_q, sweep_answers_d; // it ends with hold_done
  logic                     hold_done_q, hold_done_d;
  logic [NumPartitions-1:0] wanted;
  for (genvar p = 0; p < NumPartitions; p++) begin : gen_wanted
    assign wanted[p] = mode_i == ModeMonitor
                    || (mode_i == ModeSelected && Offset + Sets * Ways * p > 32'(highest_register_i));
  end

  always_comb begin
    running_d           = running_q;
    sweep_row_d         = sweep_row_q;
    active_partitions_d = active_partitions_q;
    effective_mode_d    = effective_mode_q;
    target_partitions_d = target_partitions_q;
    target_mode_d       = target_mode_q;
    kept_partitions_d   = kept_partitions_q;
    sweep_answers_d     = sweep_answers_q;
    hold_done_d         = hold_done_q && hold_i;
    if (launch_start_i) begin
      running_d           = 1'b0;
      sweep_row_d         = '0;
      active_partitions_d = '0;
      effective_mode_d    = ModeMonitor;
      target_partitions_d = '1;
      target_mode_d       = ModeMonitor;
      kept_partitions_d   = '0;
      sweep_answers_d     = 1'b0;
      hold_done_d         = 1'b0;
    end else if (!running_q) begin
      sweep_row_d = sweep_row_q + RowW'(1);
      if (sweep_row_q == RowW'(Sets - 1)) begin
        running_d           = 1'b1;
        sweep_row_d         = '0;
        active_partitions_d = target_partitions_q;
        effective_mode_d    = target_mode_q;
        hold_done_d         = sweep_answers_q;
      end
    end else if (hold_i && idle_o && !hold_done_q) begin
      if (wanted == active_partitions_q && mode_i == effective_mode_q) begin
        hold_done_d = 1'b1;
      end else begin
        running_d           = 1'b0;
        target_partitions_d = wanted;
        target_mode_d       = mode_i;
        kept_partitions_d   = mode_i == effective_mode_q ? active_partitions_q & wanted : '0;
        sweep_answers_d     = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q           <= 1'b0;
      sweep_row_q         <= '0;
      active_partitions_q <= '0;
      effective_mode_q    <= ModeMonitor;
      target_partitions_q <= '1;
      target_mode_q       <= ModeMonitor;
      kept_partitions_q   <= '0;
      sweep_answers_q     <= 1'b0;
      hold_done_q         <= 1'b0;
    end else begin
      running_q           <= running_d;
      sweep_row_q         <= sweep_row_d;
      active_partitions_q <= active_partitions_d;
      effective_mode_q    <= effective_mode_d;
      target_partitions_q <= target_partitions_d;
      target_mode_q       <= target_mode_d;
      kept_partitions_q   <= kept_partitions_d;
      sweep_answers_q     <= sweep_answers_d;
      hold_done_q         <= hold_done_d;
    end
  end

  // ---- first cycle: acceptance
  logic open;
  logic take_invalidate;
  logic take_insert;
  logic take_lookup;
  logic take;
  logic answers;                                  // it will have a response
  assign open               = running_q && !launch_start_i && (effective_mode_q != ModeSelected || spacing_q == '0);
  assign invalidate_ready_o = open && !hold_i;
  assign insert_ready_o     = open && !(invalidate_valid_i && !hold_i) && response_count_q < 7'(QueueLen);
  assign lookup_ready_o     = open && !hold_i && !invalidate_valid_i && !insert_valid_i
                           && response_count_q < 7'(QueueLen - 1);
  assign take_invalidate    = invalidate_valid_i && invalidate_ready_o;
  assign take_insert        = insert_valid_i && insert_ready_o;
  assign take_lookup        = lookup_valid_i && lookup_ready_o;
  assign take               = take_invalidate || take_insert || take_lookup;
  assign answers            = take_lookup || (take_insert && effective_mode_q == ModeSelected && active_partitions_q != '0);

  assign response_count_d = launch_start_i ? '0
                          : CountW'(response_count_q) + CountW'(answers) - CountW'(response_valid_o && response_ready_i);
  assign spacing_d        = launch_start_i ? '0
                          : take ? 4'(SearchInterval - 1)
                          : spacing_q != '0 ? spacing_q - 4'd1 : '0;

  // its line, whether it is accepted or not
  logic [22:0]      line;
  logic [HighW-1:0] high;
  logic [RowW-1:0]  set;
  logic [TagW-1:0]  tag;
  assign line = invalidate_valid_i && !hold_i ? invalidate_line_i : insert_valid_i ? insert_line_i : lookup_line_i;
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
          assign a1      = gen_level[k-1].rem1[From];
          assign a2      = gen_level[k-1].rem2[From];
          assign a0      = !a1 && !a2;
          assign b1      = gen_level[k-1].rem1[p];
          assign b2      = gen_level[k-1].rem2[p];
          assign b0      = !b1 && !b2;
          assign rem1[p] = (a0 && b1) || (a1 && b0) || (a2 && b2);
          assign rem2[p] = (a0 && b2) || (a2 && b0) || (a1 && b1);
        end
      end
    end
    // Bit j of the quotient: what is left of the bits above it, doubled, and the bit itself are 3 or more. Above an even j the sum
    // is the remainder's opposite.
    logic [HighW-2:0] quotient;
    for (genvar j = 0; j < HighW - 1; j++) begin : gen_quotient
      localparam int P = HighW - 2 - j;
      logic one, two;
      assign one         = j % 2 == 1 ? gen_level[Levels].rem1[P] : gen_level[Levels].rem2[P];
      assign two         = j % 2 == 1 ? gen_level[Levels].rem2[P] : gen_level[Levels].rem1[P];
      assign quotient[j] = two || (one && high[j]);
    end
    assign set = {gen_level[Levels].rem2[HighW-1], gen_level[Levels].rem1[HighW-1], line[LowW-1:0]};
    assign tag = TagW'(quotient);
  end else begin : gen_power
    assign set = line[LowW-1:0];
    assign tag = TagW'(high);
  end

  // ---- second cycle: the row is compared and written
  logic               compare_sweep_q;
  logic               compare_invalidate_q;
  logic               compare_insert_q;
  logic               compare_lookup_q;
  logic               compare_answers_q;          // with a response
  logic [RowW-1:0]    compare_row_q;
  logic [TagW-1:0]    compare_tag_q;
  logic [7:0]         compare_id_q;
  logic               compare_bypass_q;           // the row was being written when it was to be read
  logic [RowBits-1:0] bypass_row_q;
  logic               same;
  logic               read;
  logic               write;
  assign same = (compare_sweep_q || compare_invalidate_q || compare_insert_q || compare_lookup_q)
             && compare_row_q == set;
  assign read = !launch_start_i && (!running_q || (take && !same));

  logic [RowBits-1:0] stored;
  logic [RowBits-1:0] row;
  logic [RowBits-1:0] row_new;
  assign row = compare_bypass_q ? bypass_row_q : stored;

`ifdef FORMAL
  localparam int Depth = 1 << RowW;               // memory_map leaves other rows without a driver
  logic [Depth*RowBits-1:0] f_mem;
`else
  localparam int Depth = Sets;
`endif
  ram_1r1w #(.Depth(Depth), .Width(RowBits)) u_rows (
    .clk_i(clk_i),
    .re_i(read),
    .raddr_i(running_q ? set : sweep_row_q),
    .we_i(write),
    .waddr_i(compare_row_q),
    .wdata_i(row_new),
`ifdef FORMAL
    .f_mem_o(f_mem),
`endif
    .rdata_o(stored)
  );

  // a row as arrays, [way]: the valid bits, then each way's age, then each way's tag
  logic [NumWays-1:0] valid;
  logic [AgeW-1:0]    age [NumWays];
  logic [TagW-1:0]    stored_tag [NumWays];
  logic [NumWays-1:0] new_valid;
  logic [AgeW-1:0]    new_age [NumWays];
  logic [TagW-1:0]    new_tag [NumWays];
  assign valid                = row[NumWays-1:0];
  assign row_new[NumWays-1:0] = new_valid;
  for (genvar g = 0; g < NumWays; g++) begin : gen_row
    localparam int AgeAt = NumWays + AgeW * g;
    localparam int TagAt = NumWays * (1 + AgeW) + TagW * g;
    assign age[g]                 = row[AgeAt +: AgeW];
    assign stored_tag[g]          = row[TagAt +: TagW];
    assign row_new[AgeAt +: AgeW] = new_age[g];
    assign row_new[TagAt +: TagW] = new_tag[g];
  end

  logic [NumW-1:0] num_active;                    // active partitions, now and after the sweep
  logic [NumW-1:0] num_target;
  logic [AgeW-1:0] oldest_age;
  popcount #(.N(NumPartitions)) u_num_active (.bits_i(active_partitions_q), .count_o(num_active));
  popcount #(.N(NumPartitions)) u_num_target (.bits_i(target_partitions_q), .count_o(num_target));
  assign oldest_age = AgeW'(Ways * 32'(num_active) - 1);

  logic [NumWays-1:0] match;
  logic [NumWays-1:0] unused;                     // invalid, of an active partition
  logic [NumWays-1:0] oldest;
  for (genvar g = 0; g < NumWays; g++) begin : gen_match
    assign match[g]  = valid[g] && active_partitions_q[g/Ways] && stored_tag[g] == compare_tag_q;
    assign unused[g] = !valid[g] && active_partitions_q[g/Ways];
    assign oldest[g] = active_partitions_q[g/Ways] && age[g] == oldest_age;
  end
  logic [NumWays-1:0] first;
  logic [AgeW-1:0]    first_way;
  first_one #(.N(NumWays)) u_unused (.bits_i(unused), .one_hot_o(first), .index_o(first_way));

  logic               hit;
  logic               clear;                      // a way that matches becomes invalid
  logic               touch;
  logic [NumWays-1:0] other;                      // the way that an insert takes if none matches
  logic [NumWays-1:0] way;                        // the way that is touched
  assign hit   = match != '0;
  assign clear = compare_invalidate_q || (compare_lookup_q && effective_mode_q != ModeSelected);
  assign touch = compare_insert_q || (compare_lookup_q && effective_mode_q == ModeSelected);
  assign other = !compare_insert_q ? '0 : unused != '0 ? first : oldest;
  assign way   = hit ? match : other;
  assign write = compare_sweep_q || compare_insert_q || ((compare_invalidate_q || compare_lookup_q) && hit);

  // Its age and its number. What they are if no way matches is found while the tags are compared.
  logic [AgeW-1:0] hit_age;
  logic [AgeW-1:0] hit_way;
  logic [AgeW-1:0] first_age;
  logic [AgeW-1:0] oldest_way;
  logic [AgeW-1:0] way_age;
  logic [AgeW-1:0] way_number;
  for (genvar j = 0; j < AgeW; j++) begin : gen_bit
    logic [NumWays-1:0] ages;                     // bit j of each way's age
    logic [NumWays-1:0] numbers;                  // bit j of each way's number
    for (genvar g = 0; g < NumWays; g++) begin : gen_way
      assign ages[g]    = age[g][j];
      assign numbers[g] = ((g >> j) & 1) == 1;
    end
    assign hit_age[j]    = |(match & ages);
    assign hit_way[j]    = |(match & numbers);
    assign first_age[j]  = |(first & ages);
    assign oldest_way[j] = |(oldest & numbers);
  end
  assign way_age    = hit ? hit_age : !compare_insert_q ? '0 : unused != '0 ? first_age : oldest_age;
  assign way_number = hit ? hit_way : unused != '0 ? first_way : oldest_way;

  for (genvar g = 0; g < NumWays; g++) begin : gen_new
    localparam int Partition = g / Ways;
    logic [AgeW-1:0] place;                       // position among the ways of the target's partitions
    assign place        = target_partitions_q[Partition] ? AgeW'(Ways * 32'(num_target) + (g - NumWays)) : '0;
    assign new_valid[g] = compare_sweep_q ? valid[g] && kept_partitions_q[Partition]
                                          : (valid[g] && !(clear && match[g])) || (compare_insert_q && way[g]);
    assign new_age[g]   = compare_sweep_q ? place
                        : !touch ? age[g]
                        : way[g] ? '0
                        : active_partitions_q[Partition] && age[g] < way_age ? age[g] + AgeW'(1) : age[g];
    assign new_tag[g]   = compare_insert_q && way[g] ? compare_tag_q : stored_tag[g];
  end

  // ---- third cycle: the response
  logic            respond_valid_q;
  logic            respond_insert_q;
  logic            respond_hit_q;
  logic [AgeW-1:0] respond_way_q;
  logic [RowW-1:0] respond_row_q;
  logic [7:0]      respond_id_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_count_q     <= '0;
      spacing_q            <= '0;
      compare_sweep_q      <= 1'b0;
      compare_invalidate_q <= 1'b0;
      compare_insert_q     <= 1'b0;
      compare_lookup_q     <= 1'b0;
      compare_answers_q    <= 1'b0;
      respond_valid_q      <= 1'b0;
    end else begin
      response_count_q     <= 7'(response_count_d);
      spacing_q            <= spacing_d;
      compare_sweep_q      <= !running_q && !launch_start_i;
      compare_invalidate_q <= take_invalidate;
      compare_insert_q     <= take_insert;
      compare_lookup_q     <= take_lookup;
      compare_answers_q    <= answers;
      respond_valid_q      <= compare_answers_q && !launch_start_i;
    end
  end
  // not reset: the bits above gate them
  always_ff @(posedge clk_i) begin
    compare_row_q    <= running_q ? set : sweep_row_q;
    compare_bypass_q <= running_q && same;
    if (take) begin
      compare_tag_q <= tag;
      compare_id_q  <= lookup_id_i;
    end
    if (take && same) bypass_row_q <= row_new;
    if (compare_answers_q) begin
      respond_insert_q <= compare_insert_q;
      respond_hit_q    <= compare_lookup_q && hit;
      respond_way_q    <= way_number;
      respond_row_q    <= compare_row_q;
      respond_id_q     <= compare_id_q;
    end
  end

  logic [1:0]           kind;
  logic [10:0]          line_register;            // the register that has the line
  logic                 has_register;
  logic [ResponseW-1:0] response;
  logic [TimerW-1:0]    timer;                    // cycles that are left when it is in the queue
  logic [NumW-1:0]      searched;                 // partitions that it has searched
  assign kind          = respond_insert_q ? KindInsert : effective_mode_q == ModeSelected ? KindLookup : KindProbe;
  assign line_register = 11'(Offset + 32'(respond_way_q) / Ways * (Sets * Ways)
                             + 32'(respond_row_q) * Ways + 32'(respond_way_q) % Ways);
  assign has_register  = kind == KindInsert || (kind == KindLookup && respond_hit_q);
  assign response      = {kind, respond_hit_q, has_register ? line_register : 11'd0, respond_insert_q ? 8'd0 : respond_id_q};
  always_comb begin
    searched = NumW'(1);
    if (kind == KindLookup && respond_hit_q)
      searched = NumW'(32'(respond_way_q) / Ways + 1 + 32'(num_active) - NumPartitions);
    else if (kind == KindLookup && num_active != '0) searched = num_active;
  end
  assign timer = TimerW'(SearchLatency * 32'(searched) - 3);

  // ---- the queue; its head is entry 0
  logic [QueueLen-1:0]  queue_valid_q;            // entries in use
  logic [ResponseW-1:0] queue_data_q [QueueLen];
  logic [TimerW-1:0]    queue_timer_q [QueueLen];
  logic                 pop;
  assign pop = response_valid_o && response_ready_i;
  for (genvar e = 0; e < QueueLen; e++) begin : gen_entry
    logic                 here;                   // in use after the pop
    logic                 enter;
    logic [ResponseW-1:0] response_kept;
    logic [TimerW-1:0]    timer_kept;
    if (e == QueueLen - 1) begin : gen_last
      assign here          = queue_valid_q[e] && !pop;
      assign response_kept = queue_data_q[e];
      assign timer_kept    = queue_timer_q[e];
    end else begin : gen_other
      assign here          = pop ? queue_valid_q[e+1] : queue_valid_q[e];
      assign response_kept = pop ? queue_data_q[e+1] : queue_data_q[e];
      assign timer_kept    = pop ? queue_timer_q[e+1] : queue_timer_q[e];
    end
    if (e == 0) begin : gen_head
      assign enter = respond_valid_q && !here;
    end else begin : gen_behind
      assign enter = respond_valid_q && !here && gen_entry[e-1].here;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) queue_valid_q[e] <= 1'b0;
      else queue_valid_q[e] <= !launch_start_i && (here || enter);
    end
    // not reset: queue_valid_q gates them
    always_ff @(posedge clk_i) begin
      queue_data_q[e]  <= enter ? response : response_kept;
      queue_timer_q[e] <= enter ? timer : timer_kept == '0 ? '0 : timer_kept - TimerW'(1);
    end
  end

  assign response_valid_o = queue_valid_q[0] && queue_timer_q[0] == '0;

  assign {response_kind_o, response_hit_o, response_register_o, response_id_o} = response_valid_o ? queue_data_q[0] : '0;

  assign idle_o              = running_q && response_count_q == '0 && spacing_q == '0
                            && !access_pending_i && !insert_valid_i;
  assign hold_done_o         = hold_done_q;
  assign active_partitions_o = active_partitions_q;
  assign effective_mode_o    = effective_mode_q;

`include "vtt_properties.svh"
endmodule

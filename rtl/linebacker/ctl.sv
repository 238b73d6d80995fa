// SPDX-License-Identifier: Apache-2.0
// ctl: IPC monitor and CTA manager: throttles CTAs, saves their registers in memory and brings them back.
// C twin: cmodel/blocks/linebacker/ctl.c
// One engine does everything that changes a range, so that hold keeps victim lines off the registers that change hands. The backups are a
// stack: the CTA that was throttled last comes back first, and its address follows from the stack's.
// Latency: one state of the engine a cycle unless it waits. Throughput: a backup and a restore move a register a cycle.
module ctl #(
`ifdef FORMAL
  // the proof has assertions for each pair of CTAs
  parameter int NumCtas = 2,
  parameter int DataW = 1,
  parameter int RegW = 11,            // bits of the registers' numbers that may be other than 0
  parameter int AddrW = 32,           // bits of the stack's first address that may be other than 0
`else
  parameter int NumCtas = 32,         // CTAs of the SM: a power of two from 2 to 32
  parameter int DataW = 1024,         // bits of a register
`endif
  parameter int BufferEntries = 6,    // registers on their way between register file and memory: 7 at most
  parameter int Period = 64           // cycles of a window, in which no count of instructions overflows
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // a launch begins
  input  logic               launch_start_i,
  input  logic               launch_keep_i,
  input  logic [10:0]        launch_cta_registers_i,
  input  logic [31:0]        launch_stack_addr_i,
  input  logic [10:0]        launch_limit_register_i,
  // instructions, windows, load monitor
  input  logic [6:0]         retired_count_i,
  output logic               window_end_o,
  input  logic               monitor_selected_i,
  input  logic               monitor_off_i,
  // victim tag table
  output logic               hold_o,
  output logic [10:0]        highest_register_o,
  input  logic               hold_done_i,
  // CTAs: stop, end, begin, go on
  output logic               halt_valid_o,
  output logic [4:0]         halt_cta_o,
  input  logic [NumCtas-1:0] quiet_i,
  input  logic               end_valid_i,
  input  logic [4:0]         end_cta_i,
  output logic               offer_valid_o,
  output logic [10:0]        offer_register_o,
  input  logic               begin_valid_i,
  input  logic [4:0]         begin_cta_i,
  input  logic [10:0]        begin_register_i,
  output logic               resume_valid_o,
  output logic [4:0]         resume_cta_o,
  output logic [10:0]        resume_register_o,
  // register file; data are [lane], and pass through as they are
  output logic               file_read_valid_o,
  output logic [10:0]        file_read_register_o,
  input  logic               file_read_ready_i,
  input  logic               file_response_valid_i,
  input  logic [DataW-1:0]   file_response_data_i,
  output logic               file_write_valid_o,
  output logic [10:0]        file_write_register_o,
  output logic [DataW-1:0]   file_write_data_o,
  input  logic               file_write_ready_i,
  // memory
  output logic               memory_write_valid_o,
  output logic [31:0]        memory_write_addr_o,
  output logic [DataW-1:0]   memory_write_data_o,
  input  logic               memory_write_ready_i,
  output logic               memory_read_valid_o,
  output logic [31:0]        memory_read_addr_o,
  output logic [2:0]         memory_read_entry_o,
  input  logic               memory_read_ready_i,
  input  logic               memory_response_valid_i,
  input  logic [2:0]         memory_response_entry_i,
  input  logic [DataW-1:0]   memory_response_data_i
);
  localparam int CtaW = $clog2(NumCtas);
`include "ctl_enum.svh"

  logic [3:0]         state_q, state_d;
  logic [3:0]         after_hold_q, after_hold_d; // the state that follows hold
  logic [1:0]         policy_q, policy_d;
  logic               mode_pending_q;             // vtt has to take over lm's mode
  logic               throttle_pending_q, throttle_pending_d; // the selection's throttle is still to come
  logic [31:0]        window_cycle_q;
  logic [31:0]        window_instructions_q;
  logic [31:0]        current_instructions_q;     // of the last whole window
  logic [31:0]        previous_instructions_q;    // of the one before it
  logic [10:0]        cta_registers_q;
  logic [10:0]        highest_register_q, highest_register_d;
  logic [10:0]        limit_register_q;
  logic [10:0]        target_register_q;          // the first register of the range in hand
  logic [31:0]        stack_addr_q;
  logic [NumCtas-1:0] occupied_q;
  logic [NumCtas-1:0] active_q;
  logic [NumCtas-1:0] saved_q;
  logic [NumCtas-1:0] end_pending_q;
  logic [10:0]        first_register_q [NumCtas];
  logic [31:0]        backup_addr_q [NumCtas];
  logic [4:0]         moved_cta_q;                // the CTA that is throttled or restored
  logic [10:0]        victim_register_q;          // the first register of the one that is throttled

  // the buffer of a backup or restore, and registers requested and written
  logic [DataW-1:0]         buffer_q [BufferEntries];
  logic [BufferEntries-1:0] filled_q;             // an entry has its value
  logic [2:0]               head_q;               // the oldest entry
  logic [2:0]               tail_q;               // backup: entry of the next value; restore: of the next request
  logic [10:0]              requested_q;
  logic [10:0]              written_q;

  // ---- IPC monitor
  logic [31:0] instructions;
  assign instructions = window_instructions_q + 32'(retired_count_i);
  assign window_end_o = window_cycle_q == 32'(Period - 1);

  // 11 previous - 10 current and 10 current - 9 previous after the shift, each as one sum: negative if IPC is up, down
  logic [36:0] rise;
  logic [36:0] fall;
  logic        up;
  logic        down;
  assign rise = (37'(current_instructions_q) << 3) + (37'(current_instructions_q) << 1) + 37'(current_instructions_q)
              - (37'(window_instructions_q) << 3) - (37'(window_instructions_q) << 1)
              - (37'(retired_count_i) << 3) - (37'(retired_count_i) << 1);
  assign fall = (37'(window_instructions_q) << 3) + (37'(window_instructions_q) << 1)
              + (37'(retired_count_i) << 3) + (37'(retired_count_i) << 1)
              - (37'(current_instructions_q) << 3) - 37'(current_instructions_q);
  assign up   = rise[36];
  assign down = fall[36];

  // ---- policy
  logic decided;
  assign decided = policy_q == PolicyWait && (monitor_selected_i || monitor_off_i);
  always_comb begin
    policy_d           = policy_q;
    throttle_pending_d = throttle_pending_q;
    if (decided) begin
      policy_d = monitor_selected_i ? PolicyRun : PolicyOff;
      if (monitor_selected_i) throttle_pending_d = 1'b1;
    end
    if (state_q == Throttle) throttle_pending_d = 1'b0; // the engine, after the policy
  end

  // ---- searches over the CTAs
  // the lowest one with an end to deal with, and its range
  logic [NumCtas-1:0] end_onehot;
  logic [CtaW-1:0]    end_index;
  logic [10:0]        end_register;
  first_one #(.N(NumCtas)) u_end (.bits_i(end_pending_q), .one_hot_o(end_onehot), .index_o(end_index));
  assign end_register = first_register_q[end_index];

  // Top
  logic [31:0]        top_addr;                   // where the last backup lies
  logic [NumCtas-1:0] is_top;
  logic [NumCtas-1:0] top_onehot;
  logic [CtaW-1:0]    top_index;
  logic               top_exists;
  assign top_addr = {stack_addr_q[31:7] - 25'(cta_registers_q), stack_addr_q[6:0]};
  for (genvar i = 0; i < NumCtas; i++) begin : gen_top
    assign is_top[i] = occupied_q[i] && saved_q[i] && backup_addr_q[i] == top_addr;
  end
  first_one #(.N(NumCtas)) u_top (.bits_i(is_top), .one_hot_o(top_onehot), .index_o(top_index));
  assign top_exists = is_top != '0;

  // the highest range: in throttle of those that may issue, else of those that hold registers
  logic [NumCtas-1:0] among;
  logic [NumCtas-1:0] held;
  assign held  = occupied_q & ~saved_q;
  assign among = state_q == Throttle ? occupied_q & active_q : held;
  for (genvar k = 0; k <= CtaW; k++) begin : gen_max
    localparam int Nodes = 1 << (CtaW - k);
    logic [Nodes-1:0] some;                       // at least one CTA
    logic [Nodes-1:0] many;                       // at least two
    logic [10:0]      first [Nodes];              // the largest first register, 0 without one
    logic [CtaW-1:0]  cta [Nodes];                // of this CTA
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      if (k == 0) begin : gen_leaf
        assign some[n]  = among[n];
        assign many[n]  = 1'b0;
        assign first[n] = among[n] ? first_register_q[n] : 11'd0;
        assign cta[n]   = CtaW'(n);
      end else begin : gen_two
        logic        high;
        logic [1:0]  s;
        logic [10:0] a, b;
        assign s        = {gen_max[k-1].some[2*n+1], gen_max[k-1].some[2*n]};
        assign a        = gen_max[k-1].first[2*n];
        assign b        = gen_max[k-1].first[2*n+1];
        assign high     = b > a || !s[0];
        assign some[n]  = |s;
        assign many[n]  = &s || gen_max[k-1].many[2*n] || gen_max[k-1].many[2*n+1];
        assign first[n] = high ? b : a;
        assign cta[n]   = high ? gen_max[k-1].cta[2*n+1] : gen_max[k-1].cta[2*n];
      end
    end
  end
  logic            several;                       // at least two
  logic [10:0]     max_register;
  logic [CtaW-1:0] max_cta;
  assign several      = gen_max[CtaW].many[0];
  assign max_register = gen_max[CtaW].first[0];
  assign max_cta      = gen_max[CtaW].cta[0];

  // ---- ranges
  logic [10:0] span;                              // of a range: its last register less its first
  logic [10:0] begin_last;
  logic [10:0] target_last;                       // the end of the range in hand
  logic [11:0] new_target;                        // find_range: the range above all others
  logic [11:0] new_last;
  logic        fits;
  assign span        = cta_registers_q - 11'd1;
  assign begin_last  = begin_register_i + span;
  assign target_last = target_register_q + span;
  assign new_target  = held == '0 ? 12'd0 : 12'(highest_register_q) + 12'd1;
  assign new_last    = (held == '0 ? 12'hFFF : 12'(highest_register_q)) + 12'(cta_registers_q);
  assign fits        = new_last <= 12'(limit_register_q);

  logic [10:0] highest_now;                       // by the engine
  always_comb begin
    highest_now = highest_register_q;
    case (state_q)
      Release, Reactivate: highest_now = held == '0 ? 11'd0 : max_register + span;
      FindRange:           if (!top_exists && fits) highest_now = new_last[10:0];
      Reserve:             if (target_last > highest_register_q) highest_now = target_last;
      default:             ;
    endcase
  end
  assign highest_register_d = begin_valid_i && begin_last > highest_now ? begin_last : highest_now;

  // ---- backup and restore
  logic busy;
  logic more;                                     // another register can be requested
  logic request;
  logic write;
  logic done;
  assign busy    = state_q == Backup || state_q == Restore;
  assign more    = requested_q != cta_registers_q && requested_q[2:0] - written_q[2:0] != 3'(BufferEntries);
  assign request = (file_read_valid_o && file_read_ready_i) || (memory_read_valid_o && memory_read_ready_i);
  assign write   = (memory_write_valid_o && memory_write_ready_i) || (file_write_valid_o && file_write_ready_i);
  assign done    = write && written_q == span;

  logic                     tail_moves;           // tail_q moves on
  logic                     arrives;              // a value comes, into this entry
  logic [2:0]               arrival;
  logic [BufferEntries-1:0] arrival_onehot;
  logic [BufferEntries-1:0] head_onehot;
  assign tail_moves = state_q == Backup ? file_response_valid_i : request;
  assign arrives    = state_q == Backup ? file_response_valid_i : state_q == Restore && memory_response_valid_i;
  assign arrival    = state_q == Backup ? tail_q : memory_response_entry_i;
  for (genvar e = 0; e < BufferEntries; e++) begin : gen_entry
    assign arrival_onehot[e] = arrival == 3'(e);
    assign head_onehot[e]    = head_q == 3'(e);
  end

  logic             head_filled;                  // the oldest entry has its value
  logic [24:0]      stack_line;                   // registers from the stack's first free address on
  logic [31:0]      transfer_addr;
  logic [DataW-1:0] oldest;
  assign head_filled   = |(filled_q & head_onehot);
  assign stack_line    = state_q == Backup ? 25'(written_q) : 25'(requested_q) - 25'(cta_registers_q);
  assign transfer_addr = {stack_addr_q[31:7] + stack_line, stack_addr_q[6:0]};
  always_comb begin
    oldest = '0;
    for (int e = 0; e < BufferEntries; e++) oldest = oldest | (buffer_q[e] & {DataW{head_onehot[e]}});
  end

  // ---- the engine
  logic serve;                                    // the end of a CTA is dealt with
  assign serve = state_q == Idle && !mode_pending_q && end_pending_q != '0;
  always_comb begin
    state_d      = state_q;
    after_hold_d = after_hold_q;
    case (state_q)
      Idle: begin
        if (mode_pending_q) begin
          state_d      = Hold;
          after_hold_d = throttle_pending_q ? Throttle : Idle;
        end else if (end_pending_q != '0) state_d = top_exists ? Reserve : Offer;
        else if (window_end_o && policy_q == PolicyRun) state_d = up ? Throttle : down ? Reactivate : Idle;
      end
      Hold:     if (hold_done_i) state_d = after_hold_q;
      Throttle: state_d = several ? Halt : Idle;
      Halt:     state_d = Quiesce;
      Quiesce: begin
        if (end_pending_q[moved_cta_q[CtaW-1:0]]) state_d = Idle;
        else if (quiet_i[moved_cta_q[CtaW-1:0]]) state_d = Backup;
      end
      Backup:     if (done) state_d = BackupDone;
      BackupDone: state_d = Release;
      Release: begin
        state_d      = Hold;
        after_hold_d = Idle;
      end
      Reactivate: state_d = FindRange;
      FindRange: begin
        state_d      = top_exists ? Reserve : fits ? Hold : Idle;
        after_hold_d = Offer;
      end
      Reserve: begin
        state_d      = Hold;
        after_hold_d = Restore;
      end
      Restore: if (done) state_d = RestoreDone;
      default: state_d = Idle;                    // offer, restore_done
    endcase
  end

  // ---- registers, one CTA after the other
  for (genvar i = 0; i < NumCtas; i++) begin : gen_cta
    logic mine;                                   // the victim or Top
    logic begins;
    logic ended;
    assign mine   = moved_cta_q == 5'(i);
    assign begins = begin_valid_i && begin_cta_i == 5'(i);
    assign ended  = serve && end_onehot[i];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        occupied_q[i]       <= 1'b0;
        active_q[i]         <= 1'b0;
        saved_q[i]          <= 1'b0;
        end_pending_q[i]    <= 1'b0;
        first_register_q[i] <= '0;
        backup_addr_q[i]    <= '0;
      end else if (launch_start_i) begin
        occupied_q[i]       <= 1'b0;
        active_q[i]         <= 1'b0;
        saved_q[i]          <= 1'b0;
        end_pending_q[i]    <= 1'b0;
        first_register_q[i] <= '0;
        backup_addr_q[i]    <= '0;
      end else begin
        end_pending_q[i] <= (end_pending_q[i] && !ended) || (end_valid_i && end_cta_i == 5'(i));
        if (begins) occupied_q[i] <= 1'b1;
        else if (ended) occupied_q[i] <= 1'b0;
        if (begins || (state_q == Reserve && mine)) active_q[i] <= 1'b1;
        else if (ended || (state_q == Throttle && several && max_cta == CtaW'(i))) active_q[i] <= 1'b0;
        if (begins || (state_q == RestoreDone && mine)) saved_q[i] <= 1'b0;
        else if (state_q == BackupDone && mine) saved_q[i] <= 1'b1;
        if (begins) first_register_q[i] <= begin_register_i;
        else if (state_q == BackupDone && mine) first_register_q[i] <= '1;
        else if (state_q == RestoreDone && mine) first_register_q[i] <= target_register_q;
        if (state_q == BackupDone && mine) backup_addr_q[i] <= stack_addr_q;
      end
    end
  end

  // ---- registers of the launch, the windows and the engine
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q                <= PolicyWait;
      mode_pending_q          <= 1'b0;
      throttle_pending_q      <= 1'b0;
      window_cycle_q          <= '0;
      window_instructions_q   <= '0;
      current_instructions_q  <= '0;
      previous_instructions_q <= '0;
      cta_registers_q         <= '0;
      stack_addr_q            <= '0;
      limit_register_q        <= '0;
      highest_register_q      <= '0;
      target_register_q       <= '0;
      state_q                 <= Idle;
      after_hold_q            <= Idle;
      moved_cta_q             <= '0;
      victim_register_q       <= '0;
    end else begin
      if (launch_start_i && !launch_keep_i) begin
        policy_q                <= PolicyWait;
        throttle_pending_q      <= 1'b0;
        window_cycle_q          <= '0;
        window_instructions_q   <= '0;
        current_instructions_q  <= '0;
        previous_instructions_q <= '0;
      end else begin
        policy_q              <= policy_d;
        throttle_pending_q    <= throttle_pending_d;
        window_cycle_q        <= window_end_o ? '0 : window_cycle_q + 32'd1;
        window_instructions_q <= window_end_o ? '0 : instructions;
        if (window_end_o) begin
          current_instructions_q  <= instructions;
          previous_instructions_q <= current_instructions_q;
        end
      end
      if (launch_start_i) begin
        mode_pending_q     <= launch_keep_i && policy_d != PolicyWait;
        cta_registers_q    <= launch_cta_registers_i;
        stack_addr_q       <= launch_stack_addr_i;
        limit_register_q   <= launch_limit_register_i;
        highest_register_q <= '0;
        target_register_q  <= '0;
        state_q            <= Idle;
      end else begin
        mode_pending_q     <= (mode_pending_q && state_q != Idle) || decided;
        state_q            <= state_d;
        highest_register_q <= highest_register_d;
        if (state_q == BackupDone) stack_addr_q[31:7] <= stack_addr_q[31:7] + 25'(cta_registers_q);
        if (state_q == RestoreDone) stack_addr_q <= top_addr;
        if (serve) target_register_q <= end_register;
        if (state_q == FindRange) target_register_q <= new_target[10:0];
      end
      after_hold_q <= after_hold_d;
      if (state_q == Throttle) begin
        moved_cta_q       <= 5'(max_cta);
        victim_register_q <= max_register;
      end
      if (state_q == Idle || state_q == FindRange) moved_cta_q <= 5'(top_index);
    end
  end

  // ---- registers of the buffer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q    <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      requested_q <= '0;
      written_q   <= '0;
    end else if (!busy) begin
      filled_q    <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      requested_q <= '0;
      written_q   <= '0;
    end else begin
      filled_q <= (filled_q & ~(write ? head_onehot : '0)) | (arrives ? arrival_onehot : '0);
      if (write) head_q <= head_q == 3'(BufferEntries - 1) ? '0 : head_q + 3'd1;
      if (tail_moves) tail_q <= tail_q == 3'(BufferEntries - 1) ? '0 : tail_q + 3'd1;
      requested_q <= requested_q + 11'(request);
      written_q   <= written_q + 11'(write);
    end
  end

  // not reset: filled_q gates them
  for (genvar e = 0; e < BufferEntries; e++) begin : gen_buffer
    always_ff @(posedge clk_i) begin
      if (arrives && arrival_onehot[e])
        buffer_q[e] <= state_q == Backup ? file_response_data_i : memory_response_data_i;
    end
  end

  // previous_instructions_q is read by nobody: a decision is made in the cycle of the shift
  logic unused;
  assign unused = &{previous_instructions_q, rise[35:0], fall[35:0], top_onehot, gen_max[CtaW].some, new_target[11]};

  // ---- outputs
  assign hold_o                = state_q == Hold;
  assign highest_register_o    = highest_register_q;
  assign halt_valid_o          = state_q == Halt;
  assign halt_cta_o            = halt_valid_o ? moved_cta_q : '0;
  assign offer_valid_o         = state_q == Offer;
  assign offer_register_o      = offer_valid_o ? target_register_q : '0;
  assign resume_valid_o        = state_q == RestoreDone;
  assign resume_cta_o          = resume_valid_o ? moved_cta_q : '0;
  assign resume_register_o     = resume_valid_o ? target_register_q : '0;
  assign file_read_valid_o     = state_q == Backup && more;
  assign file_read_register_o  = file_read_valid_o ? victim_register_q + requested_q : '0;
  assign file_write_valid_o    = state_q == Restore && head_filled;
  assign file_write_register_o = file_write_valid_o ? target_register_q + written_q : '0;
  assign file_write_data_o     = file_write_valid_o ? oldest : '0;
  assign memory_write_valid_o  = state_q == Backup && head_filled;
  assign memory_write_addr_o   = memory_write_valid_o ? transfer_addr : '0;
  assign memory_write_data_o   = memory_write_valid_o ? oldest : '0;
  assign memory_read_valid_o   = state_q == Restore && more;
  assign memory_read_addr_o    = memory_read_valid_o ? transfer_addr : '0;
  assign memory_read_entry_o   = memory_read_valid_o ? tail_q : '0;

`include "ctl_properties.svh"
endmodule

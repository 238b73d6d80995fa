// SPDX-License-Identifier: Apache-2.0
// The pipelined engine of rmu (Engine 2): the incoming CTA's registers leave the PCRF one a cycle, in the order of its chain, and
// in the same cycles the outgoing CTA's are read from the ACRF. Where both have a register, the outgoing CTA's is read before the
// incoming CTA's is written (exchange). The window holds the entries that have left the PCRF and are not in the ACRF yet.

  localparam int Places = 5;                      // places of the window
  localparam int SumW = CountW + 2;

  // ---- registers
  logic [NumWarps-1:0]    vector_valid_q, vector_valid_d;  // 0: the row reads as 0
  logic [NumWarps*64-1:0] vector_q;               // live registers of the outgoing CTA, not yet read
  logic [63:0]            remaining_q, remaining_d;  // those of drain_warp_q, whose row has left vector_q
  logic [4:0]             drain_warp_q;
  logic [5:0]             unanswered_q;           // warps whose vector is not known
  logic                   lookup_valid_q;         // a look-up is open,
  logic [4:0]             lookup_warp_q;          // of this warp
  logic [IndexW:0]        spare_q;                // entries free and promised to no register
  logic                   walk_start_q;           // the walk is to begin
  logic                   walk_over_q;            // the incoming CTA's chain has been popped
  logic                   drain_hold_q;           // a drain was offered and refused
  logic [10:0]            read_name_q [2];        // reads under way, the oldest first: {warp, register}
  logic                   buffer_valid_q;         // the buffer is to be stored in the PCRF
  logic [10:0]            buffer_name_q;          // {warp, register}
  logic [DataW-1:0]       buffer_data_q;

  // stages of the walk: 1: the tag is at the memory's output; 2: it is known, the data is read, the entry is released; 3: the
  // data is at the memory's output
  logic              stage1_valid_q, stage2_valid_q, stage3_valid_q;
  logic              wait_valid_q;                // a tag waits for a credit
  logic [IndexW-1:0] walk_index_q;                // the entry that waits, or that in stage 1
  logic [TagW-1:0]   tag_q;                       // in stage 2: {index, end, warp, register}
  logic [2:0]        credit_q;

  // the window, in order of the chain: entries with their tag, those that were passed, those with their data
  logic [11:0]      window_name_q [Places];       // {end, warp, register}
  logic [DataW-1:0] window_data_q [Places];
  logic [2:0]       window_head_q;
  logic [2:0]       window_count_q, passed_count_q, data_count_q;

  logic look;
  logic move;
  assign look = state_q == Look;
  assign move = state_q == Move;

  // ---- the window: the head is its first entry, the candidate the first one that was not passed
  function automatic logic [2:0] place(input logic [2:0] head, input logic [2:0] n);
    logic [3:0] sum;
    sum   = 4'(head) + 4'(n);
    place = sum >= 4'(Places) ? 3'(sum - 4'(Places)) : sum[2:0];
  endfunction

  logic [2:0]       candidate_place;              // places: candidate, next entry, next data, next head
  logic [2:0]       enter_place;
  logic [2:0]       data_place;
  logic [2:0]       head_next;
  logic             candidate_valid;
  logic [11:0]      candidate_name;               // {end, warp, register}
  logic             unused_end;
  logic [4:0]       candidate_warp;
  logic [5:0]       candidate_register;
  logic             head_valid;
  logic [11:0]      head_name;                    // {end, warp, register}
  logic             head_end;
  logic [4:0]       head_warp;
  logic [5:0]       head_register;
  logic [DataW-1:0] head_data;
  assign candidate_place = place(window_head_q, passed_count_q);
  assign enter_place     = place(window_head_q, window_count_q);
  assign data_place      = place(window_head_q, data_count_q);
  assign head_next       = place(window_head_q, 3'd1);
  always_comb begin
    candidate_name = '0;
    head_name      = '0;
    head_data      = '0;
    for (int k = 0; k < Places; k++) begin
      if (candidate_valid && candidate_place == 3'(k)) candidate_name = window_name_q[k];
      if (head_valid && window_head_q == 3'(k)) head_name = window_name_q[k];
      if (head_valid && window_head_q == 3'(k)) head_data = window_data_q[k];
    end
  end
  assign {unused_end, candidate_warp, candidate_register} = candidate_name;
  assign {head_end, head_warp, head_register} = head_name;
  assign candidate_valid = passed_count_q < window_count_q;
  assign head_valid      = passed_count_q != 3'd0 && data_count_q != 3'd0;

  // ---- what is decided in this cycle
  logic [SumW-1:0] available;
  logic            too_much;                      // more live registers than entries, already
  logic            sure;                          // all fit, whatever the vectors that are left
  logic            ask;
  logic            unknown;                       // the vector of the candidate's warp has not come
  logic            in_row;                        // the outgoing CTA's register of that name is live and was not read
  logic            in_vector;
  logic            mine;
  logic            room;
  logic            exchange;
  logic            pass;
  logic            drain;
  logic            exchange_go;                   // accepted
  logic            drain_go;
  logic [63:0]     low;                           // the lowest bit of remaining_q
  logic [5:0]      low_register;
  logic            read_go;
  logic            got;                           // a read is answered
  first_one #(.N(64)) u_low (.bits_i(remaining_q), .one_hot_o(low), .index_o(low_register));

  assign available     = SumW'(spare_q) + (operation_q == OperationSwap ? SumW'(incoming_count_q) : '0);
  assign too_much      = SumW'(needed_count_q) > available;
  assign sure          = available >= SumW'(needed_count_q) + SumW'(MaxLive) * SumW'(unanswered_q);
  assign ask           = ((look && !too_much) || move) && warp_q != command_warps_q && request_ready;
  assign request_valid = ask && pc_live_i;
  assign unknown       = (6'(candidate_warp) >= warp_q && 6'(candidate_warp) < command_warps_q)
                      || (lookup_valid_q && lookup_warp_q == candidate_warp);
  assign in_row      = drain_warp_q == candidate_warp && remaining_q[candidate_register];
  assign in_vector   = vector_valid_q[candidate_warp[WarpW-1:0]] && vector_q[{candidate_warp[WarpW-1:0], candidate_register}];
  assign mine        = in_row || in_vector;
  assign room        = !reads_q[1];
  assign exchange    = (candidate_valid && room && !drain_hold_q) && (mine && !unknown);
  assign pass        = candidate_valid && !unknown && !mine;
  assign drain       = (move && remaining_q != '0 && room && spare_q != '0) && !exchange;
  assign exchange_go = exchange && acrf_read_ready_i;
  assign drain_go    = drain && acrf_read_ready_i;
  assign read_go     = exchange_go || drain_go;
  assign got         = acrf_response_valid_i && busy_o;

  // ---- outputs
  assign acrf_read_valid_o     = exchange || drain;
  assign acrf_read_warp_o      = exchange ? candidate_warp : drain ? drain_warp_q : '0;
  assign acrf_read_register_o  = exchange ? candidate_register : drain ? low_register : '0;
  assign acrf_write_valid_o    = head_valid;
  assign acrf_write_warp_o     = head_warp;
  assign acrf_write_register_o = head_register;
  assign acrf_write_data_o     = head_data;
  assign fill_ready_o          = !buffer_valid_q;
  assign pc_warp_o             = ask ? warp_q[4:0] : '0;

  logic [4:0] restored_warp_q;
  logic [5:0] restored_register_q;
  assign restored_warp_o     = restored_valid_q ? restored_warp_q : '0;
  assign restored_register_o = restored_valid_q ? restored_register_q : '0;

  // ---- the outgoing CTA's registers: the buffer goes to the lowest free entry
  assign allocate    = buffer_valid_q;
  assign store       = buffer_valid_q;
  assign store_index = free_index;
  assign {store_warp, store_register} = buffer_name_q;

  // ---- the walker
  logic [TagW-1:0]   read_tag;                    // read data of the memories
  logic              read_tag_end;
  logic [IndexW-1:0] read_tag_next;
  logic [10:0]       read_tag_name;               // {warp, register}
  logic [11:0]       tag_name;                    // {end, warp, register}
  logic [DataW-1:0]  read_data;
  logic              tag_wanted;                  // a tag is to be read: the chain's first, the one waiting or stage 1's successor
  logic              read_tag_valid;
  logic [IndexW-1:0] read_tag_index;
  assign {read_tag_end, read_tag_next, read_tag_name} = read_tag;
  assign {release_index, tag_name} = tag_q;
  assign tag_wanted     = (move && walk_start_q) || wait_valid_q || (stage1_valid_q && !read_tag_end);
  assign read_tag_valid = tag_wanted && credit_q != 3'd0;
  assign read_tag_index = walk_start_q ? incoming_pointer_q : wait_valid_q ? walk_index_q : read_tag_next;

  assign release_entry = stage2_valid_q;

  ram_1r1w #(.Depth(NumEntries), .Width(TagW)) u_tag (
    .clk_i(clk_i),
    .re_i(read_tag_valid),
    .raddr_i(read_tag_index),
    .we_i(buffer_valid_q),
    .waddr_i(free_index),
    .wdata_i({stored_count_q == '0, previous_index_q, buffer_name_q}),
`ifdef FORMAL
    .f_mem_o(f_tag),
`endif
    .rdata_o(read_tag)
  );

  ram_1r1w #(.Depth(NumEntries), .Width(DataW), .Lanes(NumLanes)) u_data (
    .clk_i(clk_i),
    .re_i(stage2_valid_q),
    .raddr_i(release_index),
    .we_i({NumLanes{buffer_valid_q}} | ({NumLanes{fill_valid_i && fill_ready_o}} & fill_lanes_i)),
    .waddr_i(buffer_valid_q ? free_index : fill_index_i),
    .wdata_i(buffer_valid_q ? buffer_data_q : fill_data_i),
`ifdef FORMAL
    .f_mem_o(f_data),
`endif
    .rdata_o(read_data)
  );

  // ---- rows: the lowest one is loaded when remaining_q is empty or becomes so by a drain
  logic [NumWarps-1:0] load_row;                  // one-hot
  logic [WarpW-1:0]    load_warp;
  logic                load;
  logic [63:0]         load_vector;
  logic                vector_clear;              // the exchanged register is in vector_q
  logic                vector_last;               // the last one of its row
  logic [63:0]         candidate_row;
  logic [63:0]         candidate_bit;
  first_one #(.N(NumWarps)) u_row (.bits_i(vector_valid_q), .one_hot_o(load_row), .index_o(load_warp));
  assign load          = move && (remaining_q == '0 || (drain_go && remaining_q == low)) && vector_valid_q != '0;
  assign candidate_bit = 64'd1 << candidate_register;
  assign candidate_row = vector_q[{candidate_warp[WarpW-1:0], 6'd0} +: 64];
  assign vector_clear  = exchange_go && !in_row;
  assign vector_last   = (candidate_row & ~candidate_bit) == '0;
  assign load_vector   = vector_q[{load_warp, 6'd0} +: 64];

  always_comb begin
    remaining_d = remaining_q;
    if (accept) remaining_d = '0;
    else if (load) remaining_d = vector_clear && 5'(load_warp) == candidate_warp ? load_vector & ~candidate_bit : load_vector;
    else if (exchange_go && in_row) remaining_d = remaining_q & ~candidate_bit;
    else if (drain_go) remaining_d = remaining_q & ~low;
    vector_valid_d = vector_valid_q;
    if (vector_clear && vector_last) vector_valid_d[candidate_warp[WarpW-1:0]] = 1'b0;
    if (load) vector_valid_d = vector_valid_d & ~load_row;
    if (response_valid) vector_valid_d[lookup_warp_q[WarpW-1:0]] = response_vector != '0;
    if (accept || refuse) vector_valid_d = '0;
  end

  // ---- next state
  assign refuse = look && !sure && too_much && !lookup_valid_q;
  always_comb begin
    state_d = state_q;
    case (state_q)
      Idle:    if (command_valid_i) state_d = command_operation_i != OperationRestore ? Look : row_count == '0 ? Finish : Move;
      Look:    if (sure) state_d = Move;
               else if (refuse) state_d = Idle;
      Move:    if (unanswered_q == '0 && stored_count_q + CountW'(buffer_valid_q) == needed_count_q
                   && (walk_over_q || (pop && head_end))) state_d = Finish;
      default: state_d = Idle;
    endcase
    warp_d  = accept ? '0 : warp_q + 6'(ask);
    reads_d = accept ? '0 : reads_q + 2'(read_go) - 2'(got);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vector_valid_q <= '0;
      remaining_q    <= '0;
      drain_warp_q   <= '0;
      unanswered_q   <= '0;
      lookup_valid_q <= 1'b0;
      lookup_warp_q  <= '0;
      spare_q        <= '0;
      walk_start_q   <= 1'b0;
      walk_over_q    <= 1'b0;
      drain_hold_q   <= 1'b0;
      buffer_valid_q <= 1'b0;
      stage1_valid_q <= 1'b0;
      stage2_valid_q <= 1'b0;
      stage3_valid_q <= 1'b0;
      wait_valid_q   <= 1'b0;
      walk_index_q   <= '0;
      tag_q          <= '0;
      credit_q       <= 3'(Places);
      window_head_q  <= '0;
      window_count_q <= '0;
      passed_count_q <= '0;
      data_count_q   <= '0;
    end else begin
      vector_valid_q <= vector_valid_d;
      remaining_q    <= remaining_d;
      if (load) drain_warp_q <= 5'(load_warp);
      lookup_valid_q <= request_valid || (lookup_valid_q && !response_valid);
      if (request_valid) lookup_warp_q <= warp_q[4:0];
      drain_hold_q   <= drain && !acrf_read_ready_i;
      buffer_valid_q <= got;
      if (accept) begin
        unanswered_q <= command_operation_i == OperationRestore ? '0 : command_warps_i;
        spare_q      <= free_count_o;
        walk_start_q <= command_operation_i != OperationSpill && row_count != '0;
        walk_over_q  <= command_operation_i == OperationSpill || row_count == '0;
      end else begin
        unanswered_q <= unanswered_q - 6'(response_valid) - 6'(ask && !pc_live_i);
        spare_q      <= spare_q + (IndexW+1)'(pass) - (IndexW+1)'(drain_go);
        if (move) walk_start_q <= 1'b0;
        if (pop && head_end) walk_over_q <= 1'b1;
      end
      stage1_valid_q <= read_tag_valid;
      stage2_valid_q <= stage1_valid_q;
      stage3_valid_q <= stage2_valid_q;
      wait_valid_q   <= tag_wanted && !read_tag_valid;
      if (tag_wanted) walk_index_q <= read_tag_index;
      if (stage1_valid_q) tag_q <= {walk_index_q, read_tag_end, read_tag_name};
      credit_q <= credit_q + 3'(pop) - 3'(read_tag_valid);
      if (pop) window_head_q <= head_next;
      window_count_q <= window_count_q + 3'(stage2_valid_q) - 3'(pop);
      passed_count_q <= passed_count_q + 3'(exchange_go || pass) - 3'(pop);
      data_count_q   <= data_count_q + 3'(stage3_valid_q) - 3'(pop);
    end
  end

  // not reset: valid bits and counts gate them
  always_ff @(posedge clk_i) begin
    if (response_valid) vector_q[{lookup_warp_q[WarpW-1:0], 6'd0} +: 64] <= response_vector;
    if (vector_clear) vector_q[{candidate_warp[WarpW-1:0], candidate_register}] <= 1'b0;
    if (got) read_name_q[0] <= read_name_q[1];
    if (read_go && reads_q == 2'(got)) read_name_q[0] <= {acrf_read_warp_o, acrf_read_register_o};
    if (read_go && reads_q != 2'(got)) read_name_q[1] <= {acrf_read_warp_o, acrf_read_register_o};
    if (got) buffer_name_q <= read_name_q[0];
    if (got) buffer_data_q <= acrf_response_data_i;
    restored_warp_q     <= head_warp;
    restored_register_q <= head_register;
  end
  for (genvar k = 0; k < Places; k++) begin : gen_place
    always_ff @(posedge clk_i) begin
      if (stage2_valid_q && enter_place == 3'(k)) window_name_q[k] <= tag_name;
      if (stage3_valid_q && data_place == 3'(k)) window_data_q[k] <= read_data;
    end
  end

`include "rmu_pipe_properties.svh"

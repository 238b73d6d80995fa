// SPDX-License-Identifier: Apache-2.0
// pfu: warp control blocks and prefetch unit: where the registers of active warps are, and how they
// get there, so that active warps read and write the small cache alone.
// C twin: cmodel/blocks/ltrf/pfu.c
// Look-up: latency 1 for up to two sources, 2 for up to four, 3 for six; one per port at a time.
// A slot moves one register a cycle; one of all slots uses the main register file. n registers to leave
// and m to come take n + m + 4 cycles at least, from the command to its `done`.
// Sizes are powers of two. A register has 8 bits and a warp 6, whatever the parameters are.
module pfu #(
`ifdef FORMAL
  // the proof has assertions for each pair of registers: only small sizes elaborate
  parameter int NumCacheBanks = 2,
  parameter int NumSlots = 2,
  parameter int NumPorts = 1,
  parameter int NumMainBanks = 2,
  parameter int LiveOnly = 1,
  parameter int NumResults = 2,
  parameter int NumRegisters = 4,
  parameter int NumWarps = 4
`else
  parameter int NumCacheBanks = 16,   // cache banks, registers of an interval; at least 2
  parameter int NumSlots = 8,         // slots, one of each active warp; at least 2
  parameter int NumPorts = 4,         // ports of look-ups and issues; warp modulo this
  parameter int NumMainBanks = 16,    // banks of the main register file; at least 2
  parameter int LiveOnly = 1,         // 1: LTRF+, live registers alone are moved
  parameter int NumResults = 4,       // ports of results; any number
  parameter int NumRegisters = 256,   // registers of a warp
  parameter int NumWarps = 64         // warps of the SM
`endif
) (
  input  logic                                          clk_i,
  input  logic                                          rst_ni,
  // look-up, [port]: warp, number of sources, [source] register; its response
  input  logic [NumPorts-1:0]                           lookup_valid_i,
  input  logic [NumPorts*6-1:0]                         lookup_warp_i,
  input  logic [NumPorts*3-1:0]                         lookup_count_i,
  input  logic [NumPorts*6*8-1:0]                       lookup_source_i,
  output logic [NumPorts-1:0]                           lookup_ready_o,
  output logic [NumPorts-1:0]                           response_valid_o,
  output logic [NumPorts*$clog2(NumSlots)-1:0]          response_slot_o,
  output logic [NumPorts*6-1:0]                         response_hit_o,
  output logic [NumPorts*6*$clog2(NumCacheBanks)-1:0]   response_bank_o,
  // issue, [port]: warp; [source] it exists, it is dead afterwards, register; [destination] likewise
  input  logic [NumPorts-1:0]                           issue_valid_i,
  input  logic [NumPorts*6-1:0]                         issue_warp_i,
  input  logic [NumPorts*6-1:0]                         issue_source_valid_i,
  input  logic [NumPorts*6-1:0]                         issue_dead_i,
  input  logic [NumPorts*6*8-1:0]                       issue_source_i,
  input  logic [NumPorts*4-1:0]                         issue_destination_valid_i,
  input  logic [NumPorts*4*8-1:0]                       issue_destination_i,
  // results, [result]: warp, register; place in the cache
  input  logic [NumResults-1:0]                         result_valid_i,
  input  logic [NumResults*6-1:0]                       result_warp_i,
  input  logic [NumResults*8-1:0]                       result_register_i,
  output logic [NumResults-1:0]                         result_hit_o,
  output logic [NumResults*$clog2(NumSlots)-1:0]        result_slot_o,
  output logic [NumResults*$clog2(NumCacheBanks)-1:0]   result_bank_o,
  // a warp starts
  input  logic                                          start_valid_i,
  input  logic [5:0]                                    start_warp_i,
  input  logic [4*64-1:0]                               start_live_i,
  // commands, and the one that is done
  input  logic                                          command_valid_i,
  input  logic [1:0]                                    command_i,
  input  logic [5:0]                                    command_warp_i,
  input  logic [4*64-1:0]                               command_registers_i,
  output logic                                          command_ready_o,
  output logic                                          done_valid_o,
  output logic [5:0]                                    done_warp_o,
  output logic [1:0]                                    done_command_o,
  // fetch: read the main register file
  output logic                                          main_read_valid_o,
  output logic [5:0]                                    main_read_warp_o,
  output logic [7:0]                                    main_read_register_o,
  output logic [$clog2(NumSlots)-1:0]                   main_read_slot_o,
  // write-back: read the cache and write the main register file
  output logic                                          main_write_valid_o,
  output logic [5:0]                                    main_write_warp_o,
  output logic [7:0]                                    main_write_register_o,
  output logic [$clog2(NumCacheBanks)-1:0]              cache_read_bank_o,
  output logic [$clog2(NumSlots)-1:0]                   cache_read_slot_o,
  // banks that are free in this cycle
  input  logic [NumMainBanks-1:0]                       main_ready_i,
  input  logic [NumCacheBanks-1:0]                      cache_ready_i,
  // a fetched register arrives; its place in the cache
  input  logic                                          fill_valid_i,
  input  logic [$clog2(NumSlots)-1:0]                   fill_slot_i,
  input  logic [7:0]                                    fill_register_i,
  output logic [$clog2(NumCacheBanks)-1:0]              cache_write_bank_o,
  output logic [$clog2(NumSlots)-1:0]                   cache_write_slot_o
);
  localparam int BankW = $clog2(NumCacheBanks);
  localparam int SlotW = $clog2(NumSlots);
  localparam int MainBankW = $clog2(NumMainBanks);
  localparam int RegisterW = $clog2(NumRegisters);
  localparam int WarpW = $clog2(NumWarps);
`include "pfu_enum.svh"

  // the flat ports as arrays; sources and destinations by 6 * port + source, 4 * port + destination
  logic [5:0]           lookup_warp [NumPorts];
  logic [2:0]           lookup_count [NumPorts];
  logic [47:0]          lookup_sources [NumPorts];
  logic [SlotW-1:0]     response_slot [NumPorts];
  logic [5:0]           response_hit [NumPorts];
  logic [6*BankW-1:0]   response_bank [NumPorts];
  logic [5:0]           issue_warp [NumPorts];
  logic [RegisterW-1:0] issue_source [NumPorts*6];
  logic [RegisterW-1:0] issue_destination [NumPorts*4];
  logic [5:0]           result_warp [NumResults];
  logic [7:0]           result_register [NumResults];
  logic [SlotW-1:0]     result_slot [NumResults];
  logic [BankW-1:0]     result_bank [NumResults];
  for (genvar p = 0; p < NumPorts; p++) begin : gen_ports
    assign lookup_warp[p]    = lookup_warp_i[6*p +: 6];
    assign lookup_count[p]   = lookup_count_i[3*p +: 3];
    assign lookup_sources[p] = lookup_source_i[48*p +: 48];
    assign issue_warp[p]     = issue_warp_i[6*p +: 6];
    assign response_slot_o[SlotW*p +: SlotW]     = response_slot[p];
    assign response_hit_o[6*p +: 6]              = response_hit[p];
    assign response_bank_o[6*BankW*p +: 6*BankW] = response_bank[p];
  end
  for (genvar k = 0; k < NumPorts * 6; k++) begin : gen_source_port
    assign issue_source[k] = issue_source_i[8*k +: RegisterW];
  end
  for (genvar k = 0; k < NumPorts * 4; k++) begin : gen_destination_port
    assign issue_destination[k] = issue_destination_i[8*k +: RegisterW];
  end
  for (genvar n = 0; n < NumResults; n++) begin : gen_result_port
    assign result_warp[n]     = result_warp_i[6*n +: 6];
    assign result_register[n] = result_register_i[8*n +: 8];
    assign result_slot_o[SlotW*n +: SlotW] = result_slot[n];
    assign result_bank_o[BankW*n +: BankW] = result_bank[n];
  end

  logic [NumWarps-1:0] active_q, active_d;
  logic [2:0]          state_q [NumSlots];
  logic [1:0]          command_q [NumSlots];
  logic [5:0]          warp_q [NumSlots];
  logic [BankW:0]      outstanding_q [NumSlots];
  logic [63:0]         present_q [4*NumSlots];    // 4 * slot + word, as the next three
  logic [63:0]         working_set_q [4*NumSlots];
  logic [63:0]         live_q [4*NumSlots];
  logic [63:0]         todo_q [4*NumSlots];
  logic [SlotW-1:0]    done_pointer_q, done_pointer_d;
  // not compared: slots that have a warp; the lowest register in todo_q, and whether there is one
  logic [NumSlots-1:0] taken_q;
  logic [NumSlots-1:0] todo_valid_q;
  logic [7:0]          todo_register_q [NumSlots];

`ifdef FORMAL
  // internal state of the parts
  logic [NumSlots-1:0]                f_slot_occupied;
  logic [SlotW:0]                     f_slot_count;
  logic [NumWarps*2*NumRegisters-1:0] f_rows;
`endif

  // ---- of all slots
  logic [NumSlots-1:0]       idle;
  logic [NumSlots-1:0]       finished;            // in done
  logic [NumSlots-1:0]       deactivates;         // the command is a DEACTIVATE
  logic [NumSlots-1:0]       releases;            // DEACTIVATE or END
  logic [2*NumRegisters-1:0] row_of [NumSlots];   // {live, working set}
  for (genvar s = 0; s < NumSlots; s++) begin : gen_of
    assign idle[s]        = state_q[s] == Idle;
    assign finished[s]    = state_q[s] == Done;
    assign deactivates[s] = command_q[s] == CommandDeactivate;
    assign releases[s]    = command_q[s] == CommandDeactivate || command_q[s] == CommandEnd;
  end

  // ---- commands
  logic                slot_free;
  logic [SlotW-1:0]    free_slot;
  logic [NumSlots-1:0] command_here;              // the slot of command_warp_i
  logic                activate;
  logic                enter;                     // ACTIVATE is accepted
  logic [NumRegisters-1:0] interval;              // the registers of a PREFETCH
  for (genvar s = 0; s < NumSlots; s++) begin : gen_command
    assign command_here[s] = taken_q[s] && warp_q[s] == command_warp_i;
  end
  assign activate        = command_i == CommandActivate;
  assign command_ready_o = activate ? slot_free && !active_q[command_warp_i[WarpW-1:0]]
                                    : |(command_here & idle);
  assign enter           = command_valid_i && activate && command_ready_o;
  assign interval        = command_registers_i[NumRegisters-1:0];

  // ---- the end of a command. A DEACTIVATE writes the row, and waits for a start.
  logic [NumSlots-1:0] told;
  logic [SlotW-1:0]    told_slot;
  logic                leave;                     // its slot becomes free
  logic                save;
  rr_arb #(.N(NumSlots)) u_done (
    .request_i(finished & ~(deactivates & {NumSlots{start_valid_i}})),
    .pointer_i(done_pointer_q),
    .grant_o(told),
    .index_o(told_slot),
    .pointer_o(done_pointer_d)
  );
  assign done_valid_o = |told;
  assign leave        = |(told & releases);
  assign save         = |(told & deactivates);
  always_comb begin
    done_warp_o    = '0;
    done_command_o = '0;
    for (int s = 0; s < NumSlots; s++) begin
      done_warp_o    = done_warp_o | (warp_q[s] & {6{told[s]}});
      done_command_o = done_command_o | (command_q[s] & {2{told[s]}});
    end
  end

  aau #(.Depth(NumSlots)) u_slots (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .init_i(1'b0),
    .pop_valid_i(enter),
    .push_valid_i(leave),
    .push_number_i(told_slot),
`ifdef FORMAL
    .f_occupied_o(f_slot_occupied),
    .f_free_count_o(f_slot_count),
`endif
    .head_valid_o(slot_free),
    .head_number_o(free_slot)
  );

  always_comb begin
    active_d = active_q;
    if (enter) active_d[command_warp_i[WarpW-1:0]] = 1'b1;
    if (leave) active_d[done_warp_o[WarpW-1:0]] = 1'b0;
  end

  // ---- the rows of the warps: {live, working set}
  logic [2*NumRegisters-1:0] row;
  logic [2*NumRegisters-1:0] row_new;
  always_comb begin
    row_new = start_valid_i ? {start_live_i[NumRegisters-1:0], NumRegisters'(0)} : '0;
    for (int s = 0; s < NumSlots; s++) begin
      row_new = row_new | (row_of[s] & {2*NumRegisters{told[s] && deactivates[s]}});
    end
  end
  ram_1r1w #(.Depth(NumWarps), .Width(2 * NumRegisters)) u_row (
    .clk_i(clk_i),
    .re_i(enter),
    .raddr_i(command_warp_i[WarpW-1:0]),
    .we_i(start_valid_i || save),
    .waddr_i(start_valid_i ? start_warp_i[WarpW-1:0] : done_warp_o[WarpW-1:0]),
    .wdata_i(row_new),
`ifdef FORMAL
    .f_mem_o(f_rows),
`endif
    .rdata_o(row)
  );

  // ---- issue: of each port the registers that die, and those that are written
  logic [NumRegisters-1:0] dead [NumPorts];
  logic [NumRegisters-1:0] born [NumPorts];
  for (genvar p = 0; p < NumPorts; p++) begin : gen_issue
    logic [NumRegisters-1:0] dies;
    logic [NumRegisters-1:0] lives;
    always_comb begin
      dies  = '0;
      lives = '0;
      for (int k = 6 * p; k < 6 * p + 6; k++)
        dies = dies | (NumRegisters'(issue_source_valid_i[k] && issue_dead_i[k]) << issue_source[k]);
      for (int k = 4 * p; k < 4 * p + 4; k++)
        lives = lives | (NumRegisters'(issue_destination_valid_i[k]) << issue_destination[k]);
    end
    assign dead[p] = dies;
    assign born[p] = lives;
  end

  // ---- what the slots' tables say: by 2 * slot + source, NumResults * slot + result, slot
  logic [1:0]            table_lookup_hit [NumSlots];
  logic [BankW-1:0]      table_lookup_bank [2*NumSlots];
  logic [NumResults-1:0] table_result_hit [NumSlots];
  logic [BankW-1:0]      table_result_bank [NumResults*NumSlots];
  logic [BankW-1:0]      table_fill_bank [NumSlots];

  // ---- look-up: the pair of sources that is read in this cycle
  logic [15:0] lookup_pair [NumPorts];
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    logic [5:0]          lookup_warp_q;
    logic [2:0]          lookup_count_q;
    logic [31:0]         lookup_source_q;         // sources 2 to 5
    logic [1:0]          lookup_pair_q;           // the pair; 0: no look-up of an earlier cycle
    logic [1:0]          lookup_pair_d;
    logic                response_valid_q;
    logic [SlotW-1:0]    response_slot_q;
    logic [5:0]          response_hit_q;
    logic [6*BankW-1:0]  response_bank_q;
    logic                first;
    logic                reads;
    logic                last;
    logic [5:0]          warp;
    logic [2:0]          count;
    logic [NumSlots-1:0] here;                    // the warp's slot
    logic [SlotW-1:0]    slot;
    logic [1:0]          hit;
    logic [2*BankW-1:0]  bank;
    assign first          = lookup_pair_q == 2'd0;
    assign reads          = !first || lookup_valid_i[p];
    assign count          = first ? lookup_count[p] : lookup_count_q;
    assign last           = count <= {lookup_pair_q, 1'b0} + 3'd2;
    assign warp           = first ? lookup_warp[p] : lookup_warp_q;
    assign lookup_pair[p] = first ? lookup_sources[p][15:0]
                          : lookup_pair_q[1] ? lookup_source_q[31:16] : lookup_source_q[15:0];
    assign lookup_pair_d  = reads && !last ? lookup_pair_q + 2'd1 : 2'd0;
    for (genvar s = 0; s < NumSlots; s++) begin : gen_here
      assign here[s] = taken_q[s] && warp_q[s] == warp;
    end
    for (genvar i = 0; i < 2; i++) begin : gen_source
      logic [NumSlots-1:0] found;
      logic [BankW-1:0]    place;
      for (genvar s = 0; s < NumSlots; s++) begin : gen_found
        assign found[s] = count > {lookup_pair_q, 1'(i)} && here[s] && table_lookup_hit[s][i];
      end
      always_comb begin
        place = '0;
        for (int s = 0; s < NumSlots; s++)
          place = place | (table_lookup_bank[2*s+i] & {BankW{found[s]}});
      end
      assign hit[i]                  = |found;
      assign bank[BankW*i +: BankW]  = place;
    end
    always_comb begin
      slot = '0;
      for (int s = 0; s < NumSlots; s++) slot = slot | (SlotW'(s) & {SlotW{here[s]}});
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        lookup_pair_q    <= '0;
        response_valid_q <= 1'b0;
      end else begin
        lookup_pair_q    <= lookup_pair_d;
        response_valid_q <= reads && last;
      end
    end
    // not reset: the registers above gate them
    always_ff @(posedge clk_i) begin
      if (first && lookup_valid_i[p]) begin
        lookup_warp_q   <= lookup_warp[p];
        lookup_count_q  <= lookup_count[p];
        lookup_source_q <= lookup_sources[p][47:16];
      end
      if (reads) begin
        response_slot_q <= slot;
        if (first) begin
          response_hit_q  <= {4'd0, hit};
          response_bank_q <= {{4*BankW{1'b0}}, bank};
        end else if (!lookup_pair_q[1]) begin
          response_hit_q[3:2]               <= hit;
          response_bank_q[4*BankW-1:2*BankW] <= bank;
        end else begin
          response_hit_q[5:4]               <= hit;
          response_bank_q[6*BankW-1:4*BankW] <= bank;
        end
      end
    end
    assign lookup_ready_o[p]   = first;
    assign response_valid_o[p] = response_valid_q;
    assign response_slot[p]    = response_valid_q ? response_slot_q : '0;
    assign response_hit[p]     = response_valid_q ? response_hit_q : '0;
    assign response_bank[p]    = response_valid_q ? response_bank_q : '0;
  end

  // ---- results
  for (genvar n = 0; n < NumResults; n++) begin : gen_result
    logic [NumSlots-1:0] found;
    logic [SlotW-1:0]    slot;
    logic [BankW-1:0]    place;
    for (genvar s = 0; s < NumSlots; s++) begin : gen_found
      assign found[s] = result_valid_i[n] && taken_q[s] && warp_q[s] == result_warp[n]
                     && table_result_hit[s][n];
    end
    always_comb begin
      slot  = '0;
      place = '0;
      for (int s = 0; s < NumSlots; s++) begin
        slot  = slot | (SlotW'(s) & {SlotW{found[s]}});
        place = place | (table_result_bank[NumResults*s+n] & {BankW{found[s]}});
      end
    end
    assign result_hit_o[n] = |found;
    assign result_slot[n]  = slot;
    assign result_bank[n]  = place;
  end

  // ---- the main register file
  logic [NumSlots-1:0]           request_valid;
  logic [NumSlots-1:0]           request_write_back;
  logic [MainBankW-1:0]          main_bank [NumSlots];
  logic [BankW-1:0]              cache_bank [NumSlots];
  logic [NumSlots*MainBankW-1:0] request_main_bank;
  logic [NumSlots*BankW-1:0]     request_cache_bank;
  logic [NumSlots-1:0]           grant;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_request
    assign request_main_bank[MainBankW*s +: MainBankW] = main_bank[s];
    assign request_cache_bank[BankW*s +: BankW]        = cache_bank[s];
  end
  farb #(.NumSlots(NumSlots), .NumMainBanks(NumMainBanks), .NumCacheBanks(NumCacheBanks)) u_farb (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .request_valid_i(request_valid),
    .request_write_back_i(request_write_back),
    .request_main_bank_i(request_main_bank),
    .request_cache_bank_i(request_cache_bank),
    .main_ready_i(main_ready_i),
    .cache_ready_i(cache_ready_i),
    .grant_o(grant)
  );
  logic [5:0]       grant_warp;
  logic [7:0]       grant_register;
  logic [BankW-1:0] grant_bank;
  logic [SlotW-1:0] grant_slot;
  always_comb begin
    grant_warp     = '0;
    grant_register = '0;
    grant_bank     = '0;
    grant_slot     = '0;
    for (int s = 0; s < NumSlots; s++) begin
      grant_warp     = grant_warp | (warp_q[s] & {6{grant[s]}});
      grant_register = grant_register | (todo_register_q[s] & {8{grant[s]}});
      grant_bank     = grant_bank | (cache_bank[s] & {BankW{grant[s]}});
      grant_slot     = grant_slot | (SlotW'(s) & {SlotW{grant[s]}});
    end
  end
  assign main_read_valid_o     = |(grant & ~request_write_back);
  assign main_read_warp_o      = main_read_valid_o ? grant_warp : '0;
  assign main_read_register_o  = main_read_valid_o ? grant_register : '0;
  assign main_read_slot_o      = main_read_valid_o ? grant_slot : '0;
  assign main_write_valid_o    = |(grant & request_write_back);
  assign main_write_warp_o     = main_write_valid_o ? grant_warp : '0;
  assign main_write_register_o = main_write_valid_o ? grant_register : '0;
  assign cache_read_bank_o     = main_write_valid_o ? grant_bank : '0;
  assign cache_read_slot_o     = main_write_valid_o ? grant_slot : '0;

  // ---- a register that has come
  logic [NumSlots-1:0]     fill_here;
  logic [NumRegisters-1:0] fill_mask;
  for (genvar s = 0; s < NumSlots; s++) begin : gen_fill
    assign fill_here[s] = fill_valid_i && fill_slot_i == SlotW'(s);
  end
  always_comb begin
    cache_write_bank_o = '0;
    for (int s = 0; s < NumSlots; s++)
      cache_write_bank_o = cache_write_bank_o | (table_fill_bank[s] & {BankW{fill_here[s]}});
  end
  assign fill_mask          = NumRegisters'(1) << fill_register_i[RegisterW-1:0];
  assign cache_write_slot_o = fill_valid_i ? fill_slot_i : '0;

  // ---- the slots
  for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
    logic [NumRegisters-1:0] present, present_d;
    logic [NumRegisters-1:0] working_set, working_set_d;
    logic [NumRegisters-1:0] live, live_d;
    logic [NumRegisters-1:0] todo, todo_d;
    logic [255:0]            present_all, present_all_d; // the same as words
    logic [255:0]            working_set_all, working_set_all_d;
    logic [255:0]            live_all, live_all_d;
    logic [255:0]            todo_all, todo_all_d;
    logic [2:0]              state_d;
    logic [BankW:0]          outstanding_d;
    logic                    present_enable;
    logic                    working_set_enable;
    logic                    live_enable;
    logic                    todo_enable;
    assign present           = present_all[NumRegisters-1:0];
    assign working_set       = working_set_all[NumRegisters-1:0];
    assign live              = live_all[NumRegisters-1:0];
    assign todo              = todo_all[NumRegisters-1:0];
    assign present_all_d     = 256'(present_d);
    assign working_set_all_d = 256'(working_set_d);
    assign live_all_d        = 256'(live_d);
    assign todo_all_d        = 256'(todo_d);
    assign row_of[s]         = {live, working_set};

    // commands that it takes
    logic go_activate;
    logic go;                                     // another one
    logic gone;                                   // it becomes free
    assign go_activate = enter && free_slot == SlotW'(s);
    assign go          = command_valid_i && !activate && command_here[s] && idle[s];
    assign gone        = told[s] && releases[s];

    // the lowest register in todo: it leaves, or it comes
    logic [RegisterW-1:0]    register;
    logic [NumRegisters-1:0] mask;
    logic                    need;                // the main register file is read or written
    logic                    held;                // a result for it is there
    logic                    evict;
    logic                    allocate;
    logic                    leaves;              // it leaves the cache
    logic                    comes;               // it gets a bank
    logic                    fetch;
    logic [NumResults-1:0]   same;
    logic                    bank_free;
    logic [BankW-1:0]        free_bank;
    logic [BankW-1:0]        bank;
    for (genvar n = 0; n < NumResults; n++) begin : gen_same
      assign same[n] = result_valid_i[n] && result_warp[n] == warp_q[s]
                    && result_register[n] == todo_register_q[s];
    end
    assign register = todo_register_q[s][RegisterW-1:0];
    assign mask     = NumRegisters'(1) << register;
    assign need     = LiveOnly == 0 || live[register];
    assign held     = |same;
    assign evict    = state_q[s] == Evict && todo_valid_q[s];
    assign allocate = state_q[s] == Allocate && todo_valid_q[s];
    assign leaves   = evict && (need ? grant[s] : !held);
    assign comes    = allocate && (!need || grant[s]);
    assign fetch    = allocate && grant[s];
    assign request_valid[s]      = need && ((evict && !held) || allocate);
    assign request_write_back[s] = evict;
    assign main_bank[s]          = MainBankW'(32'(todo_register_q[s]) + 32'(warp_q[s]));
    assign cache_bank[s]         = bank;

    // what comes into todo
    logic [NumRegisters-1:0] next;
    logic [NumRegisters-1:0] next_mask;
    logic [RegisterW-1:0]    next_register;
    always_comb begin
      case (state_q[s])
        Idle:    next = command_i == CommandPrefetch ? present & ~interval : present;
        Load:    next = row[NumRegisters-1:0];
        default: next = todo_valid_q[s] ? todo & ~mask : working_set & ~present;
      endcase
      case (state_q[s])
        Idle:     todo_enable = go && command_i != CommandEnd;
        Load:     todo_enable = 1'b1;
        Evict:    todo_enable = todo_valid_q[s] ? leaves : command_q[s] == CommandPrefetch;
        Allocate: todo_enable = comes;
        default:  todo_enable = 1'b0;
      endcase
    end
    assign todo_d = next;
    first_one #(.N(NumRegisters)) u_next (.bits_i(next), .one_hot_o(next_mask), .index_o(next_register));

    always_comb begin
      state_d = state_q[s];
      case (state_q[s])
        Idle: begin
          if (go_activate) state_d = Load;
          else if (go) begin
            // in idle, the working set is what is present
            if (command_i == CommandEnd || (command_i == CommandPrefetch && working_set == interval)) state_d = Done;
            else state_d = Evict;
          end
        end
        Load:     state_d = Allocate;
        Evict:    if (!todo_valid_q[s]) state_d = deactivates[s] ? Done : Allocate;
        Allocate: if (!todo_valid_q[s]) state_d = Wait;
        Wait:     if (outstanding_q[s] == '0) state_d = Done;
        default:  if (told[s]) state_d = Idle;
      endcase
    end

    assign outstanding_d = outstanding_q[s] + (BankW+1)'(fetch) - (BankW+1)'(fill_here[s]);

    assign present_d      = gone ? '0
                          : (present | (fill_here[s] ? fill_mask : '0) | (comes && !need ? mask : '0))
                            & (leaves ? ~mask : '1);
    assign present_enable = gone || fill_here[s] || comes || leaves;

    assign working_set_d      = gone ? '0 : state_q[s] == Load ? row[NumRegisters-1:0] : interval;
    assign working_set_enable = gone || state_q[s] == Load || (go && command_i == CommandPrefetch);

    // the port of the warp's scheduler
    logic                    issue_here;
    logic [NumRegisters-1:0] dies;
    logic [NumRegisters-1:0] lives;
    logic [15:0]             pair;
    if (NumPorts == 1) begin : gen_one
      assign issue_here = issue_valid_i[0] && issue_warp[0] == warp_q[s];
      assign dies       = dead[0];
      assign lives      = born[0];
      assign pair       = lookup_pair[0];
    end else begin : gen_of_port
      logic [$clog2(NumPorts)-1:0] p;
      assign p          = warp_q[s][$clog2(NumPorts)-1:0];
      assign issue_here = issue_valid_i[p] && issue_warp[p] == warp_q[s];
      assign dies       = dead[p];
      assign lives      = born[p];
      assign pair       = lookup_pair[p];
    end
    assign live_d      = gone ? '0
                       : state_q[s] == Load ? row[2*NumRegisters-1:NumRegisters] : (live & ~dies) | lives;
    assign live_enable = gone || state_q[s] == Load || (issue_here && taken_q[s]);

    for (genvar k = 0; k < 4; k++) begin : gen_word
      assign present_all[64*k +: 64]     = present_q[4*s+k];
      assign working_set_all[64*k +: 64] = working_set_q[4*s+k];
      assign live_all[64*k +: 64]        = live_q[4*s+k];
      assign todo_all[64*k +: 64]        = todo_q[4*s+k];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          present_q[4*s+k]     <= '0;
          working_set_q[4*s+k] <= '0;
          live_q[4*s+k]        <= '0;
          todo_q[4*s+k]        <= '0;
        end else begin
          if (present_enable) present_q[4*s+k] <= present_all_d[64*k +: 64];
          if (working_set_enable) working_set_q[4*s+k] <= working_set_all_d[64*k +: 64];
          if (live_enable) live_q[4*s+k] <= live_all_d[64*k +: 64];
          if (todo_enable) todo_q[4*s+k] <= todo_all_d[64*k +: 64];
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q[s]         <= Idle;
        command_q[s]       <= '0;
        warp_q[s]          <= '0;
        outstanding_q[s]   <= '0;
        taken_q[s]         <= 1'b0;
        todo_valid_q[s]    <= 1'b0;
        todo_register_q[s] <= '0;
      end else begin
        state_q[s]       <= state_d;
        outstanding_q[s] <= outstanding_d;
        if (go_activate || go) command_q[s] <= command_i;
        if (go_activate) warp_q[s] <= command_warp_i;
        taken_q[s] <= go_activate || (taken_q[s] && !gone);
        if (todo_enable) begin
          todo_valid_q[s]    <= |next_mask;
          todo_register_q[s] <= 8'(next_register);
        end
      end
    end

`ifdef FORMAL
    logic [NumCacheBanks-1:0]      f_occupied;
    logic [BankW:0]                f_free_count;
    logic [NumRegisters*BankW-1:0] f_banks;
`endif
    aau #(.Depth(NumCacheBanks)) u_banks (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .init_i(go_activate),
      .pop_valid_i(comes),
      .push_valid_i(leaves),
      .push_number_i(bank),
`ifdef FORMAL
      .f_occupied_o(f_occupied),
      .f_free_count_o(f_free_count),
`endif
      .head_valid_o(bank_free),
      .head_number_o(free_bank)
    );
    // one is free in allocate: no set of registers has more than NumCacheBanks
    logic unused;
    assign unused = bank_free;

    // the table
    logic [1:0]                  lookup_hit;
    logic [2*BankW-1:0]          lookup_bank;
    logic [NumResults-1:0]       result_hit;
    logic [NumResults*BankW-1:0] result_banks;
    logic [BankW-1:0]            fill_bank;
    wcb #(
      .NumCacheBanks(NumCacheBanks),
      .NumResults(NumResults),
      .NumRegisters(NumRegisters)
    ) u_wcb (
      .clk_i(clk_i),
      .present_i(present),
      .write_valid_i(comes),
      .write_mask_i(mask),
      .write_bank_i(free_bank),
      .lookup_source_i(pair),
      .lookup_hit_o(lookup_hit),
      .lookup_bank_o(lookup_bank),
      .result_register_i(result_register_i),
      .result_hit_o(result_hit),
      .result_bank_o(result_banks),
      .todo_register_i(todo_register_q[s]),
      .todo_bank_o(bank),
      .fill_register_i(fill_register_i),
`ifdef FORMAL
      .f_bank_o(f_banks),
`endif
      .fill_bank_o(fill_bank)
    );
    assign table_lookup_hit[s] = lookup_hit;
    assign table_result_hit[s] = result_hit;
    assign table_fill_bank[s]  = fill_bank;
    for (genvar i = 0; i < 2; i++) begin : gen_lookup_bank
      assign table_lookup_bank[2*s+i] = lookup_bank[BankW*i +: BankW];
    end
    for (genvar n = 0; n < NumResults; n++) begin : gen_result_bank
      assign table_result_bank[NumResults*s+n] = result_banks[BankW*n +: BankW];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q       <= '0;
      done_pointer_q <= '0;
    end else begin
      active_q       <= active_d;
      done_pointer_q <= done_pointer_d;
    end
  end

`include "pfu_properties.svh"
endmodule

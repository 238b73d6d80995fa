// SPDX-License-Identifier: Apache-2.0
// The serial engine of rmu (Engine 1): one state a cycle unless it waits, one register at a time.

  localparam logic [1:0] ExchangeHead = 2'd0;     // what the head waits for in Walk
  localparam logic [1:0] ExchangeRead = 2'd1;
  localparam logic [1:0] ExchangeWrite = 2'd2;

  logic [NumWarps-1:0] vector_valid_q, vector_valid_d;  // 0: the vector reads as 0
  logic [63:0]         vector_q [NumWarps];
  logic [DataW-1:0]    buffer_data_q;
  logic                walk_start_q, walk_start_d;  // the walk is to begin
  logic [5:0]          register_q;                // the register that is being read, of warp warp_q

`ifdef FORMAL
  // internal state of the parts: register numbers left, walker
  logic [63:0]       f_remaining;
  logic              f_walk_on;
  logic [IndexW-1:0] f_walk_expected;
`endif

  logic [63:0] vector_row;                        // of the head's warp in Walk, else of warp_q
  logic        number_valid;
  logic [5:0]  number;
  logic        number_last;
  logic        number_ready;
  logic        rid_ready;
  rid u_rid (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .load_valid_i(state_q == DrainLoad),
    .load_vector_i(vector_row),
    .load_ready_o(rid_ready),
    .register_valid_o(number_valid),
    .register_o(number),
    .register_last_o(number_last),
`ifdef FORMAL
    .f_remaining_o(f_remaining),
`endif
    .register_ready_i(number_ready)
  );

  logic              exchange;                    // the incoming CTA's register has left, and the outgoing CTA's takes its entry
  logic              head_valid;
  logic              head_end;
  logic [IndexW-1:0] head_index;
  logic [4:0]        head_warp;
  logic [5:0]        head_register;
  logic [DataW-1:0]  head_data;
  pcrf #(.NumEntries(NumEntries), .NumLanes(NumLanes), .LaneW(LaneW)) u_pcrf (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .walk_valid_i(state_q == Walk && walk_start_q),
    .walk_pointer_i(incoming_pointer_q),
    .head_valid_o(head_valid),
    .head_index_o(head_index),
    .head_end_o(head_end),
    .head_warp_o(head_warp),
    .head_register_o(head_register),
    .head_data_o(head_data),
    .head_pop_i(pop),
`ifdef FORMAL
    .f_tag_o(f_tag),
    .f_data_o(f_data),
    .f_on_o(f_walk_on),
    .f_expected_o(f_walk_expected),
`endif
    .write_valid_i(store),
    .write_index_i(store_index),
    .write_end_i(stored_count_q == '0),
    .write_next_i(previous_index_q),
    .write_warp_i(store_warp),
    .write_register_i(store_register),
    .write_data_i(buffer_data_q),
    .fill_valid_i(fill_valid_i && fill_ready_o),
    .fill_index_i(fill_index_i),
    .fill_lanes_i(fill_lanes_i),
    .fill_data_i(fill_data_i)
  );

  // ---- live vectors: one read port and one write port, at one address
  logic [WarpW-1:0] vector_warp;
  assign vector_warp = state_q == Walk ? head_warp[WarpW-1:0] : warp_q[WarpW-1:0];
  assign vector_row  = vector_valid_q[vector_warp] ? vector_q[vector_warp] : '0;

  // ---- events of this cycle
  logic              both;                        // in Walk: the head's register is one of the outgoing CTA's, too
  logic              last_warp;
  logic [5:0]        next_warp;
  logic [CountW-1:0] room;
  logic              read_tail;                   // DrainRead, or DrainWrite that raises the next read
  assign request_valid  = state_q == VectorRequest && pc_live_i;
  assign both           = vector_row[head_register];
  assign next_warp      = warp_q + 6'd1;
  assign last_warp      = next_warp == command_warps_q;
  assign room           = CountW'(free_count_o) + (operation_q == OperationSwap ? CountW'(incoming_count_q) : '0);
  assign refuse         = state_q == Admit && room < needed_count_q;
  assign allocate       = state_q == DrainWrite;
  assign read_tail      = state_q == DrainRead || (state_q == DrainWrite && number_valid);
  assign number_ready   = read_tail && acrf_read_ready_i;
  assign exchange       = pop && reads_q == ExchangeWrite;
  assign release_entry  = pop && !exchange;
  assign release_index  = head_index;
  assign store          = allocate || exchange;
  assign store_index    = exchange ? head_index : free_index;
  assign store_warp     = allocate ? warp_q[4:0] : head_warp;
  assign store_register = allocate ? register_q : head_register;

  // ---- outputs
  assign fill_ready_o = state_q == Idle || state_q == VectorRequest || state_q == VectorWait;
  assign pc_warp_o    = state_q == VectorRequest ? warp_q[4:0] : '0;

  logic read_head;
  assign read_head            = state_q == Walk && reads_q == ExchangeHead && head_valid && both;
  assign acrf_read_valid_o    = read_head || read_tail;
  assign acrf_read_warp_o     = read_head ? head_warp : read_tail ? warp_q[4:0] : '0;
  assign acrf_read_register_o = read_head ? head_register : read_tail ? number : '0;

  assign acrf_write_valid_o    = state_q == Walk && ((reads_q == ExchangeHead && head_valid && !both)
                                                     || reads_q == ExchangeWrite);
  assign acrf_write_warp_o     = acrf_write_valid_o ? head_warp : '0;
  assign acrf_write_register_o = acrf_write_valid_o ? head_register : '0;
  assign acrf_write_data_o     = acrf_write_valid_o ? head_data : '0;

  // where in and out coincide, it is one register
  assign restored_warp_o     = restored_valid_q ? stored_warp_q : '0;
  assign restored_register_o = restored_valid_q ? stored_register_q : '0;

  // outputs of the parts that are not used
  logic unused_serial;
  assign unused_serial = &{request_ready, number_last, rid_ready};

  // ---- next state
  always_comb begin
    state_d      = state_q;
    reads_d      = reads_q;
    warp_d       = warp_q;
    walk_start_d = 1'b0;
    case (state_q)
      Idle: begin
        if (command_valid_i) begin
          state_d      = command_operation_i != OperationRestore ? VectorRequest : row_count == '0 ? Finish : Walk;
          walk_start_d = 1'b1;
        end
      end
      VectorRequest, VectorWait: begin
        if (request_valid) begin
          state_d = VectorWait;
        end else if (state_q == VectorRequest || response_valid) begin
          state_d = last_warp ? Admit : VectorRequest;
          warp_d  = last_warp ? '0 : next_warp;
        end
      end
      Admit: begin
        state_d      = refuse ? Idle : operation_q == OperationSwap && incoming_count_q != '0 ? Walk : DrainLoad;
        walk_start_d = 1'b1;
      end
      Walk: begin
        case (reads_q)
          ExchangeHead: if (read_head && acrf_read_ready_i) reads_d = ExchangeRead;
          ExchangeRead: if (acrf_response_valid_i) reads_d = ExchangeWrite;
          default:      if (pop) reads_d = ExchangeHead;
        endcase
        if (pop && head_end) state_d = operation_q == OperationRestore ? Finish : DrainLoad;
      end
      DrainLoad: begin
        if (vector_row != '0) begin
          state_d = DrainRead;
        end else begin
          state_d = last_warp ? Finish : DrainLoad;
          warp_d  = last_warp ? '0 : next_warp;
        end
      end
      DrainRead: if (acrf_read_ready_i) state_d = DrainWait;
      DrainWait: if (acrf_response_valid_i) state_d = DrainWrite;
      DrainWrite: begin
        if (number_valid) begin
          state_d = acrf_read_ready_i ? DrainWait : DrainRead;
        end else begin
          state_d = last_warp ? Finish : DrainLoad;
          warp_d  = last_warp ? '0 : next_warp;
        end
      end
      default: state_d = Idle;
    endcase
  end

  always_comb begin
    vector_valid_d = vector_valid_q;
    if (accept || refuse) vector_valid_d = '0;
    else if (state_q == VectorWait && response_valid) vector_valid_d[warp_q[WarpW-1:0]] = 1'b1;
    else if (state_q == DrainLoad) vector_valid_d[warp_q[WarpW-1:0]] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walk_start_q   <= 1'b0;
      vector_valid_q <= '0;
      register_q     <= '0;
    end else begin
      walk_start_q   <= walk_start_d;
      vector_valid_q <= vector_valid_d;
      if (number_ready) register_q <= number;
    end
  end

  // not reset: valid bits or the state gate them
  always_ff @(posedge clk_i) begin
    if (exchange || (state_q == VectorWait && response_valid))
      vector_q[vector_warp] <= exchange ? vector_row & ~(64'd1 << head_register) : response_vector;
    if (acrf_response_valid_i) buffer_data_q <= acrf_response_data_i;
  end

`include "rmu_serial_properties.svh"

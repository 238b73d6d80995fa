// SPDX-License-Identifier: Apache-2.0
// pcrf: pending CTAs' registers: tag and data memories, and the walker of a chain. An entry's tag
// names the next entry, so the walker reads a tag, then that entry's data and the next tag; credits
// keep it from reading what the FIFO could not hold.
// C twin: cmodel/blocks/finereg/pcrf.c
// First entry of a chain after four cycles, then one every second cycle; the FIFO holds four.
module pcrf #(
  parameter int NumEntries = 1024,    // entries, at least 2
  parameter int NumLanes = 32,        // lanes of a register
  parameter int LaneW = 32            // bits of a lane
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // walk a chain
  input  logic                          walk_valid_i,
  input  logic [$clog2(NumEntries)-1:0] walk_pointer_i,
  // its entries
  output logic                          head_valid_o,
  output logic [$clog2(NumEntries)-1:0] head_index_o,
  output logic                          head_end_o,
  output logic [4:0]                    head_warp_o,
  output logic [5:0]                    head_register_o,
  output logic [NumLanes*LaneW-1:0]     head_data_o,
  input  logic                          head_pop_i,
`ifdef FORMAL
  output logic [NumEntries*($clog2(NumEntries)+12)-1:0] f_tag_o,
  output logic [NumEntries*NumLanes*LaneW-1:0]          f_data_o,
  output logic                                          f_on_o,
  output logic [$clog2(NumEntries)-1:0]                 f_expected_o,
`endif
  // write an entry
  input  logic                          write_valid_i,
  input  logic [$clog2(NumEntries)-1:0] write_index_i,
  input  logic                          write_end_i,
  input  logic [$clog2(NumEntries)-1:0] write_next_i,
  input  logic [4:0]                    write_warp_i,
  input  logic [5:0]                    write_register_i,
  input  logic [NumLanes*LaneW-1:0]     write_data_i,
  // write lanes of an entry's data
  input  logic                          fill_valid_i,
  input  logic [$clog2(NumEntries)-1:0] fill_index_i,
  input  logic [NumLanes-1:0]           fill_lanes_i,
  input  logic [NumLanes*LaneW-1:0]     fill_data_i
);
  localparam int IndexW = $clog2(NumEntries);
  localparam int DataW = NumLanes * LaneW;
  localparam int TagW = 1 + IndexW + 5 + 6;         // {end, next, warp, register}
  localparam int NameW = IndexW + 1 + 5 + 6;          // {index, end, warp, register}
  localparam int Places = 4;                      // entries of the FIFO

  logic [TagW-1:0]  read_tag;                     // read data of the memories
  logic [DataW-1:0] read_data;

  // stages of the walk: 1: the tag is at the memory's output; 2: it is known; 3: its data is at
  // the memory's output
  logic              stage1_valid_q, stage2_valid_q, stage3_valid_q;
  logic [IndexW-1:0] walk_index_q;                // the entry in stage 1, 2 or waiting: one at most
  logic [TagW-1:0]   tag_q;                       // the tag in stage 2
  logic [NameW-1:0]  stage3_name_q;
  logic              wait_valid_q;                // a tag waits for a credit
  logic [2:0]        credit_q;

  logic [NameW-1:0] fifo_name_q [Places];         // not reset: fifo_count_q gates them
  logic [DataW-1:0] fifo_data_q [Places];
  logic [1:0]       fifo_head_q, fifo_tail_q;
  logic [2:0]       fifo_count_q;

  // the tag to be read next: a new walk's first, the successor of stage 2's entry, or the one waiting
  logic              tag_end;
  logic [IndexW-1:0] tag_next;
  logic [10:0]       tag_name;                    // {warp, register}
  logic              tag_wanted;
  logic              read_tag_valid;
  logic [IndexW-1:0] read_tag_index;
  assign {tag_end, tag_next, tag_name} = tag_q;
  assign tag_wanted     = walk_valid_i || wait_valid_q || (stage2_valid_q && !tag_end);
  assign read_tag_valid = tag_wanted && credit_q != 3'd0;
  assign read_tag_index = walk_valid_i ? walk_pointer_i : wait_valid_q ? walk_index_q : tag_next;

`ifdef FORMAL
  logic [NumEntries*TagW-1:0]  f_tag;             // contents
  logic [NumEntries*DataW-1:0] f_data;
`endif

  ram_1r1w #(.Depth(NumEntries), .Width(TagW)) u_tag (
    .clk_i(clk_i),
    .re_i(read_tag_valid),
    .raddr_i(read_tag_index),
    .we_i(write_valid_i),
    .waddr_i(write_index_i),
    .wdata_i({write_end_i, write_next_i, write_warp_i, write_register_i}),
`ifdef FORMAL
    .f_mem_o(f_tag),
`endif
    .rdata_o(read_tag)
  );

  ram_1r1w #(.Depth(NumEntries), .Width(DataW), .Lanes(NumLanes)) u_data (
    .clk_i(clk_i),
    .re_i(stage2_valid_q),
    .raddr_i(walk_index_q),
    .we_i({NumLanes{write_valid_i}} | ({NumLanes{fill_valid_i}} & fill_lanes_i)),
    .waddr_i(write_valid_i ? write_index_i : fill_index_i),
    .wdata_i(write_valid_i ? write_data_i : fill_data_i),
`ifdef FORMAL
    .f_mem_o(f_data),
`endif
    .rdata_o(read_data)
  );

  // the FIFO's head
  assign head_valid_o = fifo_count_q != 3'd0;
  assign {head_index_o, head_end_o, head_warp_o, head_register_o}
    = head_valid_o ? fifo_name_q[fifo_head_q] : '0;
  assign head_data_o = head_valid_o ? fifo_data_q[fifo_head_q] : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage1_valid_q <= 1'b0;
      stage2_valid_q <= 1'b0;
      stage3_valid_q <= 1'b0;
      walk_index_q   <= '0;
      tag_q          <= '0;
      stage3_name_q  <= '0;
      wait_valid_q   <= 1'b0;
      credit_q       <= 3'(Places);
      fifo_head_q    <= '0;
      fifo_tail_q    <= '0;
      fifo_count_q   <= '0;
    end else begin
      stage1_valid_q <= read_tag_valid;
      stage2_valid_q <= stage1_valid_q;
      stage3_valid_q <= stage2_valid_q;
      wait_valid_q   <= tag_wanted && !read_tag_valid;
      credit_q       <= credit_q + 3'(head_pop_i) - 3'(read_tag_valid);
      if (tag_wanted) walk_index_q <= read_tag_index;
      if (stage1_valid_q) tag_q <= read_tag;
      if (stage2_valid_q) stage3_name_q <= {walk_index_q, tag_end, tag_name};
      if (head_pop_i) fifo_head_q <= fifo_head_q + 2'd1;
      if (stage3_valid_q) fifo_tail_q <= fifo_tail_q + 2'd1;
      fifo_count_q <= fifo_count_q + 3'(stage3_valid_q) - 3'(head_pop_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (stage3_valid_q) begin
      fifo_name_q[fifo_tail_q] <= stage3_name_q;
      fifo_data_q[fifo_tail_q] <= read_data;
    end
  end

`include "pcrf_properties.svh"
endmodule

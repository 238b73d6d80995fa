// SPDX-License-Identifier: Apache-2.0
// fsmon: free-space monitor: which entries of the PCRF are occupied, the lowest free one, and how many are free. The
// lowest one is searched in two levels: first group that is not full, then the first free entry in it, so that the
// path is that of two short searches.
// C twin: cmodel/blocks/finereg/fsmon.c
// One entry taken and one freed per cycle; both show in the next one.
module fsmon #(
  parameter int NumEntries = 1024,                    // at least 2
  parameter int GroupSize = 32                        // entries of a group: a power of two; the last group may be smaller
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // the lowest free entry, and the number of free ones
  output logic                          free_valid_o,
  output logic [$clog2(NumEntries)-1:0] free_index_o,
  output logic [$clog2(NumEntries):0]   free_count_o,
`ifdef FORMAL
  output logic [NumEntries-1:0]         f_occupied_o,
`endif
  // the lowest free entry is taken
  input  logic                          allocate_valid_i,
  // an entry is freed
  input  logic                          release_valid_i,
  input  logic [$clog2(NumEntries)-1:0] release_index_i
);
  localparam int IndexW = $clog2(NumEntries);
  localparam int Size = GroupSize < NumEntries ? GroupSize : NumEntries;
  localparam int NumGroups = (NumEntries + Size - 1) / Size;
  localparam logic [Size-1:0] Absent = ~((Size'(1) << (NumEntries - Size * (NumGroups - 1))) - Size'(1));
  localparam int GroupW = NumGroups > 1 ? $clog2(NumGroups) : 1;
  localparam int SizeW = $clog2(Size);

  logic [Size-1:0] occupied_q [NumGroups];        // entry Size * g + i is bit i of element g
  logic [IndexW:0] free_count_q;

  // first level: the lowest group with a free entry
  logic [NumGroups-1:0] room;
  logic [NumGroups-1:0] group;                    // one-hot
  logic [GroupW-1:0]    group_index;
  always_comb begin
    for (int g = 0; g < NumGroups; g++) room[g] = (occupied_q[g] | (g == NumGroups - 1 ? Absent : '0)) != '1;
  end
  first_one #(.N(NumGroups)) u_group (.bits_i(room), .one_hot_o(group), .index_o(group_index));

  // second level: the lowest free entry of that group
  logic [Size-1:0]  vacant;
  logic [Size-1:0]  entry;                        // one-hot
  logic [SizeW-1:0] entry_index;
  always_comb begin
    vacant = '0;
    for (int g = 0; g < NumGroups; g++) begin
      if (group[g]) vacant = vacant | ~occupied_q[g];
    end
  end
  first_one #(.N(Size)) u_entry (.bits_i(vacant), .one_hot_o(entry), .index_o(entry_index));

  assign free_valid_o = room != '0;
  assign free_index_o = (IndexW'(group_index) << SizeW) | IndexW'(entry_index);
  assign free_count_o = free_count_q;

  for (genvar g = 0; g < NumGroups; g++) begin : gen_group
    logic [Size-1:0] take;
    logic [Size-1:0] free;
    assign take = allocate_valid_i && group[g] ? entry : '0;
    assign free = release_valid_i && release_index_i >> SizeW == IndexW'(g) ? Size'(1) << release_index_i[SizeW-1:0] : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) occupied_q[g] <= '0;
      else occupied_q[g] <= (occupied_q[g] | take) & ~free;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) free_count_q <= (IndexW+1)'(NumEntries);
    else free_count_q <= free_count_q - (IndexW+1)'(allocate_valid_i) + (IndexW+1)'(release_valid_i);
  end

`include "fsmon_properties.svh"
endmodule

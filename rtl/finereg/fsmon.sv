// SPDX-License-Identifier: Apache-2.0
// fsmon: free-space monitor: which entries of the PCRF are free, and the lowest of them.
// C twin: cmodel/blocks/finereg/fsmon.c
// One entry taken and one freed per cycle. The search has two levels: first group that is not full,
// then the first free entry in it. NumEntries is at least 2; GroupSize is a power of two; the last
// group may be smaller.
module fsmon #(
  parameter int NumEntries = 1024,
  parameter int GroupSize = 32
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // lowest free entry
  output logic                          ff_v_o,
  output logic [$clog2(NumEntries)-1:0] ff_idx_o,
  output logic [$clog2(NumEntries):0]   cnt_free_o,
`ifdef FORMAL
  output logic [NumEntries-1:0]         f_flag_o,
`endif
  input  logic                          al_v_i,
  // an entry is freed
  input  logic                          fr_v_i,
  input  logic [$clog2(NumEntries)-1:0] fr_idx_i
);
  localparam int IdxW = $clog2(NumEntries);
  localparam int Size = GroupSize < NumEntries ? GroupSize : NumEntries;
  localparam int NumGroups = (NumEntries + Size - 1) / Size;
  localparam logic [Size-1:0] Absent = ~((Size'(1) << (NumEntries - Size * (NumGroups - 1))) - Size'(1));
  localparam int GroupW = NumGroups > 1 ? $clog2(NumGroups) : 1;
  localparam int SizeW = $clog2(Size);

  logic [Size-1:0] flag_q [NumGroups];            // occupied
  logic [IdxW:0]   cnt_q;

  // first level: the lowest group with a free entry
  logic [NumGroups-1:0] room;
  logic [NumGroups-1:0] group;                    // one-hot
  logic [GroupW-1:0]    group_idx;
  always_comb begin
    for (int g = 0; g < NumGroups; g++) room[g] = (flag_q[g] | (g == NumGroups - 1 ? Absent : '0)) != '1;
  end
  first_one #(.N(NumGroups)) u_group (.x_i(room), .oh_o(group), .idx_o(group_idx));

  // second level: the lowest free entry of that group
  logic [Size-1:0]  vacant;
  logic [Size-1:0]  entry;                        // one-hot
  logic [SizeW-1:0] entry_idx;
  always_comb begin
    vacant = '0;
    for (int g = 0; g < NumGroups; g++) begin
      if (group[g]) vacant = vacant | ~flag_q[g];
    end
  end
  first_one #(.N(Size)) u_entry (.x_i(vacant), .oh_o(entry), .idx_o(entry_idx));

  assign ff_v_o     = room != '0;
  assign ff_idx_o   = (IdxW'(group_idx) << SizeW) | IdxW'(entry_idx);
  assign cnt_free_o = cnt_q;

  for (genvar g = 0; g < NumGroups; g++) begin : gen_group
    logic [Size-1:0] take;
    logic [Size-1:0] free;
    assign take = al_v_i && group[g] ? entry : '0;
    assign free = fr_v_i && fr_idx_i >> SizeW == IdxW'(g) ? Size'(1) << fr_idx_i[SizeW-1:0] : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) flag_q[g] <= '0;
      else flag_q[g] <= (flag_q[g] | take) & ~free;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cnt_q <= (IdxW+1)'(NumEntries);
    else cnt_q <= cnt_q - (IdxW+1)'(al_v_i) + (IdxW+1)'(fr_v_i);
  end

`ifdef ASSERT_ON
`include "assert.svh"
  // ---- proof
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

  logic [NumEntries-1:0] f_flag;
`ifdef FORMAL
  assign f_flag_o = f_flag;                         // for the engine's proof
`endif
  for (genvar e = 0; e < NumEntries; e++) begin : gen_f_flag
    assign f_flag[e] = flag_q[e/Size][e%Size];
  end

`ifdef FORMAL
  // assumptions on the inputs
  always_comb begin
    if (al_v_i) assume (ff_v_o);
    if (fr_v_i) assume (32'(fr_idx_i) < NumEntries && f_flag[fr_idx_i]);
  end

  // 1: free = entries - occupied. f_below_q[e] counts the occupied entries below e from the ports
  // alone; it exceeds f_below_q[e-1] by the flag of entry e-1, so the last one is the sum.
  logic [(NumEntries+1)*(IdxW+1)-1:0] f_below_q;
  for (genvar e = 0; e <= NumEntries; e++) begin : gen_f_below
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) f_below_q[(IdxW+1)*e +: IdxW+1] <= '0;
      else f_below_q[(IdxW+1)*e +: IdxW+1] <= f_below_q[(IdxW+1)*e +: IdxW+1]
        + (IdxW+1)'(al_v_i && 32'(ff_idx_o) < e) - (IdxW+1)'(fr_v_i && 32'(fr_idx_i) < e);
    end
    if (e > 0) begin : gen_f_step
      always_comb
        assert (f_below_q[(IdxW+1)*e +: IdxW+1]
                == f_below_q[(IdxW+1)*(e-1) +: IdxW+1] + (IdxW+1)'(f_flag[e-1]));
    end else begin : gen_f_none
      always_comb assert (f_below_q[IdxW:0] == '0);
    end
  end
  always_comb
    assert (cnt_free_o == (IdxW+1)'(NumEntries) - f_below_q[(IdxW+1)*NumEntries +: IdxW+1]);
`endif

  // 2, 3: one symbolic entry
  `ASSERT_ANY(f_e, IdxW)
  logic f_taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_taken_q <= 1'b0;
    else if (al_v_i && ff_idx_o == f_e) f_taken_q <= 1'b1;
    else if (fr_v_i && fr_idx_i == f_e) f_taken_q <= 1'b0;
  end
  `ASSERT_ALWAYS begin
    if (32'(f_e) < NumEntries) begin
      assert (f_flag[f_e] == f_taken_q);
      if (!ff_v_o) assert (f_taken_q);
    end
    if (ff_v_o) begin
      assert (32'(ff_idx_o) < NumEntries && !f_flag[ff_idx_o]);
      if (f_e < ff_idx_o) assert (f_taken_q);
    end else begin
      assert (ff_idx_o == '0);
    end
  end
`ifdef FORMAL
  always_comb begin
    cover (rst_ni && ff_idx_o == IdxW'(2) && f_flag[3] && al_v_i && fr_v_i && fr_idx_i == '0);
    if (NumEntries <= 8) cover (rst_ni && !ff_v_o && cnt_free_o == '0);
  end
`endif
`endif
endmodule

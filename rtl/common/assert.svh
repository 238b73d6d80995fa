// SPDX-License-Identifier: Apache-2.0
// The assertions of the RTL stand under ASSERT_ON and begin with `ASSERT_ALWAYS. A proof (FORMAL, together with ASSERT_ON)
// requires them at all times; a simulation checks them before each clock edge out of reset, when the inputs are those of the
// cycle. Assumptions, covers, ports and parameters of the proof alone stand under FORMAL, with all that depends on them.
// `ASSERT_ANY(name, width): a symbolic constant; in a simulation a new value after each reset.
`ifdef FORMAL
`define ASSERT_ALWAYS always_comb
`define ASSERT_ANY(name, width) (* anyconst *) logic [(width)-1:0] name;
`else
`define ASSERT_ALWAYS always @(posedge clk_i or negedge rst_ni) if (rst_ni)
`define ASSERT_ANY(name, width) \
  logic [(width)-1:0] name; \
  initial name = '0; \
  always @(negedge rst_ni) name <= (width)'(5) * name + (width)'(1);
`endif

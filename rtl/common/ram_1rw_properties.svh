// SPDX-License-Identifier: Apache-2.0
// Properties of ram_1rw: its contents, for the invariants of the block that instantiates it; included at the end of the module.
`ifdef FORMAL
  always_comb begin
    for (int i = 0; i < Depth; i++) f_mem_o[i*Width +: Width] = mem_q[i];
  end
`endif

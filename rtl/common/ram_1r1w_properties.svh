// SPDX-License-Identifier: Apache-2.0
// Properties of ram_1r1w: no block reads and writes one address in a cycle; included at the end of the module.
`ifdef FORMAL
  // the contents, for the invariants of the block that instantiates the memory
  for (genvar l = 0; l < Lanes; l++) begin : gen_f_lane
    for (genvar i = 0; i < Depth; i++) begin : gen_f_mem
      assign f_mem_o[i*Width + LaneW*l +: LaneW] = gen_lane[l].mem_q[i];
    end
  end

  always_comb if (re_i && we_i != '0) assert (raddr_i != waddr_i);
`endif

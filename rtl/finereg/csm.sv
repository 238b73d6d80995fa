// SPDX-License-Identifier: Apache-2.0
// csm: CTA status monitor: the location of each CTA's context and registers, and the next CTA of each class. A CTA
// whose context is in shared memory is kept if its registers are here, in the ACRF, and spilled if they are away, in
// the PCRF. Each vector holds one status bit of all CTAs, so that a class is a few gates per CTA.
// C twin: cmodel/blocks/finereg/csm.c
// A status set shows in the next cycle; two per cycle. The next CTA of a class follows ready_i in the same cycle.
module csm #(
  parameter int NumCtas = 128                         // CTAs: a power of two, at least 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // set a status, [port]: CTA [7], context [2], registers [2]
  input  logic [1:0]        set_valid_i,
  input  logic [13:0]       set_cta_i,
  input  logic [3:0]        set_context_i,
  input  logic [3:0]        set_registers_i,
  // the next CTA of each class
  input  logic [NumCtas-1:0] ready_i,
  output logic              kept_valid_o,
  output logic [6:0]        kept_cta_o,
  output logic              spilled_valid_o,
  output logic [6:0]        spilled_cta_o,
  output logic              new_valid_o,
  output logic [6:0]        new_cta_o,
  input  logic              take_kept_i,
  input  logic              take_spilled_i,
`ifdef FORMAL
  output logic [2*NumCtas-1:0] f_context_o,
  output logic [2*NumCtas-1:0] f_registers_o,
`endif
  // number of active and of resident CTAs
  output logic [7:0]        active_count_o,
  output logic [7:0]        resident_count_o
);
  localparam int CtaW = $clog2(NumCtas);

  // the flat ports as arrays
  logic [6:0]      set_cta [2];
  logic [CtaW-1:0] set_index [2];                 // the CTA's bit in the vectors
  logic [1:0]      set_context [2];
  logic [1:0]      set_registers [2];
  logic [1:0]      set_active;                    // [port] the context comes into the pipeline
  for (genvar p = 0; p < 2; p++) begin : gen_port
    assign set_cta[p]       = set_cta_i[7*p +: 7];
    assign set_index[p]     = set_cta[p][CtaW-1:0];
    assign set_context[p]   = set_context_i[2*p +: 2];
    assign set_registers[p] = set_registers_i[2*p +: 2];
    assign set_active[p]    = set_context[p][1];
  end

  logic [NumCtas-1:0] context_shared_q;           // context 1: in shared memory
  logic [NumCtas-1:0] context_pipeline_q;         // context 2: in the pipeline
  logic [NumCtas-1:0] registers_away_q;           // registers 1: in the PCRF
  logic [NumCtas-1:0] registers_here_q;           // registers 2: in the ACRF
  logic [7:0]        active_count_q, active_count_d;
  logic [7:0]        resident_count_q, resident_count_d;
  logic [CtaW-1:0]   kept_pointer_q, kept_pointer_d;
  logic [CtaW-1:0]   spilled_pointer_q, spilled_pointer_d;

  // classes
  logic [NumCtas-1:0] kept;
  logic [NumCtas-1:0] spilled;
  logic [NumCtas-1:0] absent;                     // not launched
  assign kept    = context_shared_q & registers_here_q;
  assign spilled = context_shared_q & registers_away_q;
  assign absent  = ~(context_shared_q | context_pipeline_q);

  logic [NumCtas-1:0] kept_grant;
  logic [NumCtas-1:0] spilled_grant;
  logic [NumCtas-1:0] first_absent;
  logic [CtaW-1:0]   kept_index;
  logic [CtaW-1:0]   spilled_index;
  logic [CtaW-1:0]   absent_index;
  rr_arb #(.N(NumCtas)) u_kept (
    .request_i(kept & ready_i),
    .pointer_i(kept_pointer_q),
    .grant_o(kept_grant),
    .index_o(kept_index),
    .pointer_o(kept_pointer_d)
  );
  rr_arb #(.N(NumCtas)) u_spilled (
    .request_i(spilled & ready_i),
    .pointer_i(spilled_pointer_q),
    .grant_o(spilled_grant),
    .index_o(spilled_index),
    .pointer_o(spilled_pointer_d)
  );
  first_one #(.N(NumCtas)) u_new (.bits_i(absent), .one_hot_o(first_absent), .index_o(absent_index));

  assign kept_valid_o    = kept_grant != '0;
  assign kept_cta_o      = 7'(kept_index);
  assign spilled_valid_o = spilled_grant != '0;
  assign spilled_cta_o   = 7'(spilled_index);
  assign new_valid_o     = first_absent != '0;
  assign new_cta_o       = 7'(absent_index);

  // counts: the old status is subtracted, the new one added
  always_comb begin
    active_count_d   = active_count_q;
    resident_count_d = resident_count_q;
    for (int p = 0; p < 2; p++) begin
      if (set_valid_i[p]) begin
        active_count_d   = active_count_d + 8'(set_active[p]) - 8'(context_pipeline_q[set_index[p]]);
        resident_count_d = resident_count_d + 8'(set_context[p] != 2'd0) - 8'(!absent[set_index[p]]);
      end
    end
  end
  assign active_count_o   = active_count_q;
  assign resident_count_o = resident_count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      context_shared_q   <= '0;
      context_pipeline_q <= '0;
      registers_away_q   <= '0;
      registers_here_q   <= '0;
      active_count_q     <= '0;
      resident_count_q   <= '0;
      kept_pointer_q     <= '0;
      spilled_pointer_q  <= '0;
    end else begin
      for (int p = 0; p < 2; p++) begin
        if (set_valid_i[p]) begin
          context_shared_q[set_index[p]]   <= set_context[p][0];
          context_pipeline_q[set_index[p]] <= set_context[p][1];
          registers_away_q[set_index[p]]   <= set_registers[p][0];
          registers_here_q[set_index[p]]   <= set_registers[p][1];
        end
      end
      active_count_q   <= active_count_d;
      resident_count_q <= resident_count_d;
      if (take_kept_i) kept_pointer_q <= kept_pointer_d;
      if (take_spilled_i) spilled_pointer_q <= spilled_pointer_d;
    end
  end

`include "csm_properties.svh"
endmodule

// SPDX-License-Identifier: Apache-2.0
// victims: the list of victims of docs/blocks/malekeh/ccu.md, as the position of each entry that is not locked.
// No C twin: part of ccu.
// Combinational: counts of the entries before each one, all at once.
module victims #(
  parameter int Ct = 8,
  parameter int Near = 1
) (
  input  logic [Ct-1:0]              val_i,
  input  logic [Ct-1:0]              lock_i,
  input  logic [Ct-1:0]              near_i,
  input  logic [Ct*Ct-1:0]           after_i,     // bit Ct i + j: i was used after j
  input  logic [15:0]                lfsr_i,
  input  logic [15:0]                seed_i,
  output logic [Ct*$clog2(Ct+1)-1:0] pos_o,       // means nothing of a locked entry
  output logic [Ct-1:0]              head_o,      // the first one, one-hot; 0 if all are locked
  output logic [$clog2(Ct+1)-1:0]    num_inv_o,   // entries without val
  output logic                       far_o,       // there is a far one: a victim beyond num_inv takes the pick
  output logic [15:0]                next_o       // the LFSR behind it
);
  localparam int E = $clog2(Ct);
  localparam int M = $clog2(Ct + 1);

  logic [Ct-1:0] inv;
  logic [Ct-1:0] far;
  logic [Ct-1:0] rest;
  logic [M-1:0]  num_far;
  logic [M-1:0]  num_both;
  logic [E-1:0]  p;
  assign inv  = ~val_i & ~lock_i;
  assign far  = Near != 0 ? val_i & ~near_i & ~lock_i : '0;
  assign rest = val_i & ~lock_i & ~far;
  popcount #(.N(Ct)) u_inv (.x_i(inv), .n_o(num_inv_o));
  popcount #(.N(Ct)) u_far (.x_i(far), .n_o(num_far));
  popcount #(.N(Ct)) u_both (.x_i(inv | far), .n_o(num_both));
  pick #(.N(Ct)) u_pick (.lfsr_i(lfsr_i), .seed_i(seed_i), .n_i(num_far), .pos_o(p), .next_o(next_o));
  assign far_o = far != '0;

  for (genvar i = 0; i < Ct; i++) begin : gen_entry
    localparam logic [Ct-1:0] Below = ~({Ct{1'b1}} << i);
    logic [M-1:0] inv_below;
    logic [M-1:0] far_below;
    logic [M-1:0] older;                          // of the rest
    logic [M-1:0] turned;                         // position among the far ones, from p on
    popcount #(.N(Ct)) u_inv (.x_i(inv & Below), .n_o(inv_below));
    popcount #(.N(Ct)) u_far (.x_i(far & Below), .n_o(far_below));
    popcount #(.N(Ct)) u_older (.x_i(rest & after_i[Ct*i +: Ct]), .n_o(older));
    assign turned = far_below - M'(p) + (far_below < M'(p) ? num_far : '0);
    assign head_o[i] = inv[i] ? inv_below == '0 :
      inv == '0 && (far[i] ? far_below == M'(p) : far == '0 && rest[i] && older == '0);
    assign pos_o[M*i +: M] = inv[i] ? inv_below : far[i] ? num_inv_o + turned : num_both + older;
  end

`ifdef FORMAL
  // ---- proof: of two entries that are not locked, which one comes first
  (* anyconst *) logic [E-1:0] f_any_i;
  (* anyconst *) logic [E-1:0] f_any_j;
  logic [E-1:0]  f_i;
  logic [E-1:0]  f_j;
  logic [M-1:0]  f_free;
  logic          f_inv_i, f_inv_j, f_far_i, f_far_j;
  logic [M-1:0]  f_pi, f_pj;
  logic [E-1:0]  f_start;                           // the far one at which the list of these begins
  logic [M-1:0]  f_count;
  assign f_i     = 32'(f_any_i) < Ct ? f_any_i : '0;
  assign f_j     = 32'(f_any_j) < Ct ? f_any_j : '0;
  assign f_inv_i = !val_i[f_i];
  assign f_inv_j = !val_i[f_j];
  assign f_far_i = Near != 0 && val_i[f_i] && !near_i[f_i];
  assign f_far_j = Near != 0 && val_i[f_j] && !near_i[f_j];
  assign f_pi    = pos_o[M*f_i +: M];
  assign f_pj    = pos_o[M*f_j +: M];
  always_comb begin
    // an order of the entries
    for (int i = 0; i < Ct; i++) begin
      assume (!after_i[Ct*i+i]);
      for (int j = 0; j < Ct; j++) begin
        if (i != j) assume (after_i[Ct*i+j] == !after_i[Ct*j+i]);
        for (int k = 0; k < Ct; k++) if (after_i[Ct*i+j] && after_i[Ct*j+k]) assume (after_i[Ct*i+k]);
      end
    end
    f_free  = '0;
    f_start = '0;
    f_count = '0;
    for (int i = 0; i < Ct; i++) begin
      f_free = f_free + M'(!lock_i[i]);
      if (far[i] && f_count == M'(p)) f_start = E'(i);
      f_count = f_count + M'(far[i]);
    end
    if (!lock_i[f_i]) assert (f_pi < f_free);
    assert (head_o[f_i] == (!lock_i[f_i] && f_pi == '0));
    if (!lock_i[f_i] && !lock_i[f_j] && f_i != f_j) begin
      assert (f_pi != f_pj);
      if (f_inv_i) assert (f_inv_j ? (f_pi < f_pj) == (f_i < f_j) : f_pi < f_pj);
      if (f_far_i && f_far_j) assert ((f_pi < f_pj) == (f_i - f_start < f_j - f_start) || Ct != 1 << E);
      if (f_far_i && !f_inv_j && !f_far_j) assert (f_pi < f_pj);
      if (!f_inv_i && !f_far_i && !f_inv_j && !f_far_j) assert ((f_pi < f_pj) == after_i[Ct*f_j + 32'(f_i)]);
    end
  end
`endif
endmodule

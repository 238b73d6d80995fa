// SPDX-License-Identifier: Apache-2.0
// rr_arb: round robin from a pointer upward, as two fixed-priority passes: at or above the pointer,
// then all.
// No C twin: a loop in the model that uses it. The instantiating block holds the pointer. N >= 2.
// Combinational.
module rr_arb #(
  parameter int N = 4
) (
  input  logic [N-1:0]         req_i,
  input  logic [$clog2(N)-1:0] ptr_i,
  output logic [N-1:0]         gnt_o,   // one-hot, or zero without a request
  output logic [$clog2(N)-1:0] idx_o,   // number of the winner; zero without a request
  output logic [$clog2(N)-1:0] ptr_o    // the pointer after this cycle
);
  localparam int W = $clog2(N);

  // requests at or above the pointer; the first of them wins or, if there is none, the first of all
  logic [N-1:0] upper;
  logic [N-1:0] first_upper;
  logic [N-1:0] first_all;
  logic [W-1:0] idx_upper;
  logic [W-1:0] idx_all;
  assign upper = req_i & ({N{1'b1}} << ptr_i);
  first_one #(.N(N)) u_upper (.x_i(upper), .oh_o(first_upper), .idx_o(idx_upper));
  first_one #(.N(N)) u_all (.x_i(req_i), .oh_o(first_all), .idx_o(idx_all));
  assign gnt_o = |upper ? first_upper : first_all;
  assign idx_o = |upper ? idx_upper : idx_all;

  always_comb begin
    ptr_o = ptr_i;
    if (|req_i) ptr_o = idx_o == W'(N - 1) ? '0 : idx_o + W'(1);
  end

`ifdef FORMAL
  // ---- proof
  // the rule itself: the first requester when counting up from the pointer
  logic         f_found;
  logic [W-1:0] f_at;
  logic [W-1:0] f_win;
  always_comb begin
    f_found = 1'b0;
    f_at    = ptr_i;
    f_win   = '0;
    for (int i = 0; i < N; i++) begin
      if (!f_found && req_i[f_at]) begin
        f_found = 1'b1;
        f_win   = f_at;
      end
      f_at = f_at == W'(N - 1) ? '0 : f_at + W'(1);
    end
  end

  always_comb begin
    if (32'(ptr_i) < N) begin
      assert (gnt_o == (f_found ? N'(1) << f_win : '0));
      assert (idx_o == f_win);
      assert (ptr_o == (!f_found ? ptr_i : f_win == W'(N - 1) ? '0 : f_win + W'(1)));
    end
  end
`endif
endmodule

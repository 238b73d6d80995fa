// SPDX-License-Identifier: Apache-2.0
// wcb: address table of one active warp: in which bank of the cache each of its registers is.
// No C twin: part of pfu, which holds the valid bits and the two other vectors.
// Reads are combinational. The banks lie in planes, one vector for each bit of the number, so that a table entry is written by a
// mask. NumReg and Nr are powers of two; register numbers have 8 bits whatever NumReg is.
module wcb #(
  parameter int Nr = 16,
  parameter int Nwb = 4,
  parameter int NumReg = 256
) (
  input  logic                         clk_i,
  input  logic [NumReg-1:0]            v_i,
  // a register gets a bank
  input  logic                         we_i,
  input  logic [NumReg-1:0]            w_oh_i,
  input  logic [$clog2(Nr)-1:0]        w_bank_i,
  // two sources of a look-up
  input  logic [15:0]                  lk_r_i,
  output logic [1:0]                   lk_v_o,
  output logic [2*$clog2(Nr)-1:0]      lk_bank_o,
  // results
  input  logic [Nwb*8-1:0]             wb_r_i,
  output logic [Nwb-1:0]               wb_v_o,
  output logic [Nwb*$clog2(Nr)-1:0]    wb_bank_o,
  // the register that leaves
  input  logic [7:0]                   mv_r_i,
  output logic [$clog2(Nr)-1:0]        mv_bank_o,
  // the register that has come
  input  logic [7:0]                   fr_r_i,
`ifdef FORMAL
  output logic [NumReg*$clog2(Nr)-1:0] f_bank_o,
`endif
  output logic [$clog2(Nr)-1:0]        fr_bank_o
);
  localparam int B = $clog2(Nr);
  localparam int RegW = $clog2(NumReg);

  for (genvar i = 0; i < 2; i++) begin : gen_lk
    assign lk_v_o[i] = v_i[lk_r_i[8*i +: RegW]];
  end
  for (genvar n = 0; n < Nwb; n++) begin : gen_wb
    assign wb_v_o[n] = v_i[wb_r_i[8*n +: RegW]];
  end

  for (genvar j = 0; j < B; j++) begin : gen_plane
    // not reset: v_i gates it, or a read under way
    logic [NumReg-1:0] bank_q;
    always_ff @(posedge clk_i) begin
      if (we_i) bank_q <= (bank_q & ~w_oh_i) | ({NumReg{w_bank_i[j]}} & w_oh_i);
    end
    for (genvar i = 0; i < 2; i++) begin : gen_lk
      assign lk_bank_o[B*i+j] = bank_q[lk_r_i[8*i +: RegW]];
    end
    for (genvar n = 0; n < Nwb; n++) begin : gen_wb
      assign wb_bank_o[B*n+j] = bank_q[wb_r_i[8*n +: RegW]];
    end
    assign mv_bank_o[j] = bank_q[mv_r_i[RegW-1:0]];
    assign fr_bank_o[j] = bank_q[fr_r_i[RegW-1:0]];
`ifdef FORMAL
    for (genvar r = 0; r < NumReg; r++) begin : gen_f_bank
      assign f_bank_o[B*r+j] = bank_q[r];
    end
`endif
  end
endmodule

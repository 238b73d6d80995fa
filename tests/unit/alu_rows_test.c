/* SPDX-License-Identifier: Apache-2.0 */
/* Destination rows that are source rows, and combinations that the alu refuses. */
#include "alu_kit.h"

/* ---- rows that are shared ---- */
/* Destination pair and sources on the same four rows in every way that allocation can produce (pairs
 * aligned). */
static void test_shared_rows(void **state) {
  (void)state;
  static const struct {
    enum opcode op;
    enum dtype type, stype;
    uint32_t mods;
    enum rounding rnd;
    uint8_t nsrc, dw, sw[3];
  } c[] = {
      {OP_ADD, T_U64, 0, 0, R_NONE, 2, 2, {2, 2}},         {OP_MUL, T_U32, 0, M_WIDE, R_NONE, 2, 2, {1, 1}},
      {OP_MUL, T_S32, 0, M_WIDE, R_NONE, 2, 2, {1, 1}},    {OP_MAD, T_U32, 0, M_WIDE, R_NONE, 3, 2, {1, 1, 2}},
      {OP_MAD, T_S32, 0, M_WIDE, R_NONE, 3, 2, {1, 1, 2}}, {OP_CVT, T_U64, T_U32, 0, R_NONE, 1, 2, {1}},
      {OP_CVT, T_S64, T_S32, 0, R_NONE, 1, 2, {1}},        {OP_CVT, T_U32, T_U64, 0, R_NONE, 1, 1, {2}},
      {OP_CVT, T_F64, T_F32, 0, R_NONE, 1, 2, {1}},        {OP_CVT, T_F32, T_F64, 0, R_RN, 1, 1, {2}},
      {OP_CVT, T_F64, T_S32, 0, R_RN, 1, 2, {1}},          {OP_CVT, T_S64, T_F32, 0, R_RZI, 1, 2, {1}},
      {OP_PACK, T_B64, 0, 0, R_NONE, 2, 2, {1, 1}},        {OP_SHL, T_B64, 0, 0, R_NONE, 2, 2, {2, 1}},
      {OP_SHR, T_S64, 0, 0, R_NONE, 2, 2, {2, 1}},         {OP_FMA, T_F64, 0, 0, R_RN, 3, 2, {2, 2, 2}},
      {OP_FMA, T_F64, 0, 0, R_RZ, 3, 2, {2, 2, 2}},        {OP_FMA, T_F32, 0, 0, R_RN, 3, 1, {1, 1, 1}},
      {OP_SELP, T_B64, 0, 0, R_NONE, 2, 2, {2, 2}},        {OP_BFE, T_U64, 0, 0, R_NONE, 3, 2, {2, 1, 1}},
      {OP_SHFL, T_B32, 0, 0, R_NONE, 3, 1, {1, 1, 1}},     {OP_SIN, T_F32, 0, M_APPROX, R_NONE, 1, 1, {1}},
      {OP_LOP3, T_B32, 0, 0, R_NONE, 3, 1, {1, 1, 1}},     {OP_SUB, T_S64, 0, M_CC, R_NONE, 2, 2, {2, 2}},
      {OP_DIV, T_S64, 0, 0, R_NONE, 2, 2, {2, 2}},         {OP_MATCH, T_B64, 0, 0, R_NONE, 1, 1, {2}},
  };
  uint64_t seed = 40;
  for (unsigned k = 0; k < sizeof c / sizeof *c; k++)
    for (unsigned place = 0; place < 4 * 4 * 4 * 4; place++) {
      struct lane_run r = lane_insn(c[k].op, c[k].type, c[k].mods, c[k].rnd, c[k].nsrc);
      _Alignas(64) uint32_t file[4][32], before[4][32];
      r.i.stype = (uint8_t)c[k].stype, r.i.dst[0].words = c[k].dw;
      if (c[k].op == OP_SELP) r.i.nsrc = 3, r.i.src[2] = (struct opnd){.kind = O_PRED}, r.io.psrc[2] = 0x5a5a1234;
      if (c[k].op == OP_LOP3) r.i.nsrc = 4, r.i.src[3] = (struct opnd){.kind = O_IMM, .imm = 0x96};
      unsigned at[4];
      for (unsigned o = 0; o < 4; o++) at[o] = place >> 2 * o & 3;
      bool aligned = c[k].dw == 1 || !(at[3] & 1);
      for (unsigned o = 0; o < c[k].nsrc; o++) aligned &= c[k].sw[o] == 1 || !(at[o] & 1);
      if (!aligned) continue;
      for (unsigned w = 0; w < 4; w++)
        for (unsigned l = 0; l < 32; l++) file[w][l] = (uint32_t)lane_value(&seed, 32);
      memcpy(before, file, sizeof file);
      for (unsigned o = 0; o < c[k].nsrc; o++) memcpy(r.src[o], file[at[o]], c[k].sw[o] * 128u);
      assert_true(lane_go(&r)); /* apart */
      alu_fn *f = alu_pick(&r.i);
      struct alu_io io = r.io;
      for (unsigned o = 0; o < c[k].nsrc; o++) io.src[o] = file[at[o]];
      io.dst[0] = file[at[3]];
      f(&r.i, &io); /* together */
      for (unsigned w = 0; w < 4; w++) {
        const bool written = w >= at[3] && w < at[3] + c[k].dw;
        assert_memory_equal(file[w], written ? r.dst[0] + 32 * (w - at[3]) : before[w], 128);
      }
      assert_int_equal(io.pdst[1], r.io.pdst[1]);
    }
}

/* ---- what does not exist ---- */
static void test_refused(void **state) {
  (void)state;
  static const struct {
    enum opcode op;
    enum dtype type, stype;
    uint32_t mods;
    enum rounding rnd;
    uint8_t nsrc;
  } c[] = {
      {OP_ADD, T_B32, 0, 0, R_NONE, 2},        {OP_ADD, T_U8, 0, 0, R_NONE, 2},
      {OP_ADD, T_U32, 0, M_SAT, R_NONE, 2},    {OP_ADD, T_F32, 0, 0, R_RNI, 2},
      {OP_ADD, T_F64, 0, M_FTZ, R_RN, 2},      {OP_ADD, T_F16, 0, 0, R_RZ, 2},
      {OP_MUL, T_U32, 0, 0, R_NONE, 2},        {OP_MUL, T_U64, 0, M_WIDE, R_NONE, 2},
      {OP_MUL, T_F32, 0, M_LO, R_RN, 2},       {OP_FMA, T_F32, 0, 0, R_NONE, 3},
      {OP_FMA, T_U32, 0, 0, R_NONE, 3},        {OP_FMA, T_F32, 0, 0, R_RN, 2},
      {OP_DIV, T_F64, 0, M_APPROX, R_NONE, 2}, {OP_REM, T_F32, 0, 0, R_RN, 2},
      {OP_AND, T_U32, 0, 0, R_NONE, 2},        {OP_SHL, T_U32, 0, 0, R_NONE, 2},
      {OP_SHF, T_B32, 0, M_LEFT, R_NONE, 3},   {OP_POPC, T_B16, 0, 0, R_NONE, 1},
      {OP_BFE, T_B32, 0, 0, R_NONE, 3},        {OP_NEG, T_U32, 0, 0, R_NONE, 1},
      {OP_CVT, T_S32, T_F32, 0, R_NONE, 1},    {OP_CVT, T_S32, T_F32, 0, R_RN, 1},
      {OP_CVT, T_F32, T_F64, 0, R_NONE, 1},    {OP_CVT, T_F32, T_S32, 0, R_NONE, 1},
      {OP_CVT, T_F64, T_F32, 0, R_RN, 1},      {OP_CVT, T_B32, T_U32, 0, R_NONE, 1},
      {OP_CVT, T_U32, T_U32, 0, R_RZI, 1},     {OP_EX2, T_F32, 0, 0, R_NONE, 1},
      {OP_SIN, T_F64, 0, M_APPROX, R_NONE, 1}, {OP_TANH, T_F32, 0, M_APPROX | M_FTZ, R_NONE, 1},
      {OP_ADDC, T_U16, 0, 0, R_NONE, 3},       {OP_MUL24, T_U64, 0, M_LO, R_NONE, 2},
      {OP_LD, T_U32, 0, 0, R_NONE, 1},         {OP_BRA, T_NONE, 0, 0, R_NONE, 0},
      {OP_SHFL, T_B64, 0, 0, R_NONE, 3},       {OP_MIN, T_B32, 0, 0, R_NONE, 2},
      {OP_MIN, T_F64, 0, M_NAN, R_NONE, 2},    {OP_ADD, T_U32, 0, 0, R_NONE, 1},
  };
  for (unsigned k = 0; k < sizeof c / sizeof *c; k++) {
    struct lane_run r = lane_insn(c[k].op, c[k].type, c[k].mods, c[k].rnd, c[k].nsrc);
    r.i.stype = (uint8_t)c[k].stype;
    if (alu_pick(&r.i)) fail_msg("case %u: %s.%s should not exist", k, opcode_name(c[k].op), dtype_name(c[k].type));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_rows), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traceg: traces of Accel-Sim by hand (tests/data/traceg/), imported and read back step by step; forms of a line; opcode maps;
 * errors with their places; global addresses moved together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "trace/trf/trf.h"
#include "trace/accelsim/import.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/pages.h"
#include "trace/accelsim/traceg.h"

/* ---- lines ---- */

static char *head_text(char *buf, size_t size, unsigned version, unsigned threads, const char *body) {
  snprintf(
      buf, size,
      "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (%u,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n"
      "-accelsim tracer version = %u\n\n#traces format\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n"
      "%s\n\n#END_TB\n",
      threads, version, body);
  return buf;
}

/* The one instruction of a text; false and *e. */
static bool one_line(unsigned version, const char *line, struct traceg_inst *i, struct err *e) {
  char text[4096];
  uint32_t at;
  head_text(text, sizeof text, version, 32, line);
  *e = (struct err){0};
  struct traceg *t = traceg_read(lines_text("k.traceg", text, strlen(text)), e);
  assert_non_null(t);
  const bool good = traceg_next(t, &at, i, e) == TRACEG_CTA && traceg_next(t, &at, i, e) == TRACEG_WARP &&
                    traceg_next(t, &at, i, e) == TRACEG_INST;
  if (good) {
    struct traceg_inst rest = *i;
    assert_int_equal(traceg_next(t, &at, &rest, e), TRACEG_CTA_END);
    assert_int_equal(traceg_next(t, &at, &rest, e), TRACEG_END);
  }
  traceg_close(t);
  return good;
}

static void a_line(void **state) {
  (void)state;
  struct traceg_inst i;
  struct err e;
  assert_true(one_line(3, "00a0 0000000f 1 R5 LDG.E.64.SYS 2 R2 R255 8 1 0x7f00 16 ", &i, &e));
  assert_int_equal(i.pc, 0xa0);
  assert_int_equal(i.mask, 15);
  assert_int_equal(i.ndst, 1);
  assert_int_equal(i.dst[0], 5);
  assert_int_equal(i.nsrc, 2);
  assert_int_equal(i.src[1], 255);
  assert_true(i.access && !i.has_imm);
  assert_int_equal(i.bytes, 8);
  for (unsigned l = 0; l < 32; l++) assert_int_equal(i.addr[l], l < 4 ? 0x7f00 + 16 * l : 0);

  assert_true(one_line(3, "00a0 00000f05 0 STG 2 R2 R3 4 2 0x100 -8 4 0 16 4", &i, &e)); /* gaps in the mask */
  const uint64_t steps[] = {[0] = 0x100, [2] = 0xf8, [8] = 0xfc, [9] = 0xfc, [10] = 0x10c, [11] = 0x110};
  for (unsigned l = 0; l < 12; l++) assert_int_equal(i.addr[l], steps[l]);
  assert_true(one_line(3, "00a0 80000001 0 STG 2 R2 R3 4 0 0xffffffffffffffff 20", &i, &e));
  assert_true(i.addr[0] == UINT64_MAX && i.addr[31] == 0x20);
  assert_true(one_line(3, "00a0 00000100 0 STG 2 R2 R3 4 2 0x40", &i, &e)); /* one lane has no step */
  assert_int_equal(i.addr[8], 0x40);
  assert_true(one_line(3, "00a0 00000000 0 STG 2 R2 R3 4 1 0x0 0", &i, &e));

  assert_true(one_line(5, "00a0 ffffffff 0 DEPBAR.LE 0 0 -3", &i, &e));
  assert_true(i.has_imm && i.imm == -3);
  assert_true(one_line(5, "00a0 00000003 0 STG 2 R2 R3 4 2 0x40 4 7", &i, &e)); /* steps, then the immediate */
  assert_true(i.has_imm && i.imm == 7 && i.addr[1] == 0x44);
  for (unsigned v = 0; v < 3; v++) { /* old tracers repeat the CTA and the warp */
    assert_true(one_line(v, "0 0 0 0 00a0 ffffffff 0 NOP 0 0", &i, &e));
    assert_int_equal(i.pc, 0xa0);
  }
  assert_true(one_line(4, "00a0 ffffffff 0 NOP 0 0", &i, &e));
}

/* Tracers from version 6 on, and those before it that name uniform registers and bulk copies. */
static void later_lines(void **state) {
  (void)state;
  struct traceg_inst i;
  struct err e;
  assert_true(one_line(6, "0050 ffffffff 1 R10 IMAD.WIDE 3 R10 UR4 R2 0 0 0 NoVal ", &i, &e));
  assert_true(i.ndst == 1 && i.nsrc == 3 && i.src[0] == 10 && i.src[1] == TRACEG_ZERO && i.src[2] == 2);
  assert_true(one_line(6, "0020 ffffffff 1 UR4 S2UR 0 0 0 0 NoVal ", &i, &e));
  assert_true(i.ndst == 0 && i.nsrc == 0 && !i.access && i.has_imm && i.imm == 0);
  assert_true(one_line(6, "0060 ffffffff 2 P0 P1 ISETP.GE.AND 3 R5 P2 UP0 0 7 -1 NoVal", &i, &e));
  assert_true(i.ndst == 0 && i.nsrc == 1 && i.imm == 7);
  assert_true(one_line(6, "0130 00000003 1 R11 LDG.E 1 R2 4 2 0x7f00 64 5 6 NoVal", &i, &e));
  assert_true(i.access && i.addr[1] == 0x7f40 && i.imm == 5);
  assert_true(one_line(6, "0130 00000003 1 R11 LDG.E 1 R2 4 1 0x7f00 64 5 NoVal", &i, &e)); /* one immediate */
  assert_true(i.access && i.addr[1] == 0x7f40 && i.imm == 5);
  assert_true(one_line(6, "0000 ffffffff 1 R1 MOV 1 UR2 0 -9223372036854775808 0 Val 1 00000007 1 ffffffff", &i, &e));
  assert_true(i.imm == INT64_MIN);
  char line[1024] = "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 32";
  for (unsigned l = 0; l < 32; l++) strcat(line, " 0000000a");
  assert_true(one_line(6, line, &i, &e));
  assert_true(one_line(6, "0000 ffffffff 1 R1 MOV 0 0 0 0", &i, &e)); /* a pass over the trace may drop the last word */

  /* bulk copies: of later tracers, with and without a multicast; of earlier ones, also in version 5 */
  assert_true(
      one_line(6, "0200 00000001 0 UTMALDG.2D 2 UR8 UR4 64 0x408 0 8192 0 4 0x7f0000 3 128 128 0 0 NoVal", &i, &e));
  assert_true(!i.access && i.imm == 0 && i.nsrc == 2);
  assert_true(one_line(6, "0200 00000001 0 UTMALDG.2D 2 UR8 UR4 64 0x408 1 0xf 8192 16 3 2 0x7f0000 0x7f0080 9 0 NoVal",
                       &i, &e));
  assert_int_equal(i.imm, 9);
  assert_true(one_line(6, "0200 00000001 0 UTMASTG.2D 1 UR8 64 0x0 0 0 0 4 0x0 0 0 0 NoVal", &i, &e));
  assert_true(one_line(5, "0200 00000001 0 UBLKCP 1 R8 16 4 0x7f0000 2 16 3", &i, &e));
  assert_int_equal(i.imm, 3);
  assert_true(one_line(5, "0200 00000001 0 UTMACMDFLUSH 0 0 0", &i, &e));

  /* whether a matrix instruction of four warps ends its group */
  assert_true(one_line(6, "0300 ffffffff 1 R24 HGMMA.64x128x16.F32 2 UR4 R24 1 0 2 3 NoVal", &i, &e));
  assert_int_equal(i.imm, 2);
  assert_true(one_line(5, "0300 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 1 0 2", &i, &e));
  assert_int_equal(i.imm, 2);
  assert_true(one_line(5, "0300 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 0 2", &i, &e));
  assert_int_equal(i.imm, 2);

  static const struct {
    unsigned version;
    const char *line;
    int col;
    const char *text;
  } bad[] = {
      {6, "0000 ffffffff 1 Q1 MOV 0 0 0 0 NoVal", 17, "found 'Q1', expected a register, as R7 or UR4"},
      {6, "0000 ffffffff 0 MOV 0 0 0 0 Vals", 32, "found 's', expected the end of the line"},
      {6, "0000 ffffffff 0 MOV 0 0 0 0 Other", 29, "found 'Other', expected 'Val'"},
      {6, "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 2 0 0", 36, "found '2', expected 1 value, or 32"},
      {6, "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 1", 37,
       "found the end of the line, expected a value, hexadecimal, at most ffffffffffffffff"},
      {5, "0000 ffffffff 0 MOV 0 0 0 NoVal", 27, "found 'NoVal', expected the end of the line"},
      {5, "0200 00000001 0 UBLKCP 1 R8 16 5 0x7f0000 2 16 3", 34,
       "found '0x7f0000', expected 0, or 1 of a multicast, 0 to 1"},
      {5, "0200 00000001 0 UBLKCP 1 R8 16 4 0x7f0000 99999 16 3", 43,
       "found '99999', expected how many addresses, 0 to 65536"},
  };
  for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_false(one_line(bad[k].version, bad[k].line, &i, &e));
    assert_string_equal(e.text, bad[k].text);
    assert_int_equal(e.col, bad[k].col);
  }
}

static void widths(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    unsigned bytes;
  } of[] = {{"LDG", 4},      {"LDG.E.SYS", 4},  {"LDG.E.64", 8}, {"LDG.E.128.CONSTANT", 16}, {"LDG.E.U8", 1},
            {"LDS.U.64", 8}, {"LDS.U16", 2},    {"LDG.E.S8", 1}, {"ATOM.E.ADD.F16x2", 4},    {"LDSM.16.M88.4", 2},
            {"STG.E.U", 4},  {"LD.99999.64", 8}};
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) assert_int_equal(traceg_bytes(of[k].opcode), of[k].bytes);
}

static void wrong_lines(void **state) {
  (void)state;
  static const struct {
    const char *line;
    int col;
    const char *text;
  } of[] = {
      {"00zz ffffffff 0 NOP 0 0", 1, "found '00zz', expected a PC, hexadecimal, at most ffffffff"},
      {"00a0 1ffffffff 0 NOP 0 0", 6, "found '1ffffffff', expected a mask, hexadecimal, at most ffffffff"},
      {"00a0 ffffffff 9 NOP 0 0", 15, "found '9', expected how many destination registers, 0 to 8"},
      {"00a0 ffffffff 1 Q0 NOP 0 0", 17, "found 'Q0', expected a register, as R7 or UR4"},
      {"00a0 ffffffff 1 R256 NOP 0 0", 18, "found '256', expected a register, 0 to 255"},
      {"00a0 ffffffff 0 N;P 0 0", 17, "found 'N;P', expected an opcode of at most 64 letters, digits, _ and ."},
      {"00a0 ffffffff 0", 16, "found the end of the line, expected an opcode"},
      {"00a0 ffffffff 0 LDG 1 R2", 25,
       "found the end of the line, expected bytes per lane of an access, or 0, 0 to 1024"},
      {"00a0 ffffffff 0 LDG 1 R2 4 3 0x0", 28, "found '3', expected a mode of addresses, 0 to 2"},
      {"00a0 00000005 0 LDG 1 R2 4 1 0x0 4", 30,
       "found '0x0', expected a list of addresses or steps, since the mask has a gap"},
      {"00a0 00000003 0 LDG 1 R2 4 0 0x0", 33,
       "found the end of the line, expected the address of each active lane, hexadecimal, at most ffffffffffffffff"},
      {"00a0 00000007 0 LDG 1 R2 4 2 0x0 4", 35,
       "found the end of the line, expected a step to the next lane's address, -9223372036854775807 to "
       "9223372036854775807"},
      {"00a0 ffffffff 0 NOP 0 0 1 2", 27, "found '2', expected the end of the line"},
      {"#END_TB", 1, "found '#END_TB', expected another instruction: the warp has fewer than 'insts' says"},
  };
  struct traceg_inst i;
  struct err e;
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    assert_false(one_line(3, of[k].line, &i, &e));
    assert_string_equal(e.text, of[k].text);
    assert_string_equal(e.file, "k.traceg");
    assert_int_equal(e.line, 17);
    assert_int_equal(e.col, of[k].col);
  }
  char text[4096];
  uint32_t at;
  head_text(text, sizeof text, 3, 16, "00a0 00010000 0 NOP 0 0");
  e = (struct err){0};
  struct traceg *t = traceg_read(lines_text("k.traceg", text, strlen(text)), &e);
  assert_non_null(t);
  assert_int_equal(traceg_next(t, &at, &i, &e), TRACEG_CTA);
  assert_int_equal(traceg_next(t, &at, &i, &e), TRACEG_WARP);
  assert_int_equal(traceg_next(t, &at, &i, &e), TRACEG_ERROR);
  assert_string_equal(e.text, "found '00010000', expected a mask of threads that the block has");
  assert_int_equal(e.col, 6);
  traceg_close(t);
}

/* ---- import ---- */

struct want { /* of a step: `rows` 0: no access */
  uint32_t op, active, lanes;
  int rows, space, barrier;
  uint32_t first, last; /* addresses of lanes 0 and 31 */
};

static int fd = -1; /* of the imported trace, which has no name */

static struct trf *import(const char *path, const char *opcodes, struct import_report *r, struct err *e) {
  char name[64];
  *e = (struct err){0};
  if (!traceg_import(path, opcodes, NULL, &fd, r, e)) return NULL;
  assert_true(fd >= 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return trf_open(name, e);
}

static void drop(struct trf *t) {
  trf_free(t);
  close(fd);
}

static void steps_are(struct trf *t, uint32_t launch, uint32_t cta, unsigned warp, const struct want *w, unsigned n) {
  struct err e = {0};
  uint32_t addr[32], to[32];
  struct trf_step s = {.addr = addr, .to = to};
  struct trf_cta *c = trf_cta_open(t, launch, cta, &e);
  assert_non_null(c);
  for (unsigned k = 0; k < n; k++) {
    assert_int_equal(trf_next(c, warp, &s, &e), STREAM_GIVEN);
    assert_int_equal(s.op, w[k].op);
    assert_int_equal(s.active, w[k].active);
    assert_int_equal(s.lanes, w[k].lanes);
    assert_int_equal(s.rows, w[k].rows);
    assert_int_equal(s.barrier, w[k].barrier ? 0 : -1);
    assert_int_equal(s.last, k + 1 == n);
    if (!s.rows) continue;
    assert_int_equal(s.space, w[k].space);
    assert_int_equal(addr[0], w[k].first);
    assert_int_equal(addr[31], w[k].last);
  }
  assert_int_equal(trf_next(c, warp, &s, &e), STREAM_FINISHED);
  trf_cta_close(c);
}

#define ALL UINT32_MAX
static const struct want demo[] = {
    {0, ALL, ALL, 0, 0, 0, 0, 0},
    {1, ALL, ALL, 0, 0, 0, 0, 0},
    {2, ALL, ALL, 0, 0, 0, 0, 0},
    {3, ALL, ALL, 1, SP_GLOBAL, 0, 0x200000, 0x20007c},
    {4, ALL, ALL, 0, 0, 0, 0, 0},
    {5, ALL, 0xffff, 0, 0, 0, 0, 0}, /* half of the lanes take the branch */
    {6, 0xffff0000, 0xffff0000, 0, 0, 0, 0, 0},
    {7, 0xffff0000, 0xffff0000, 0, 0, 0, 0, 0},
    {8, 0xffff, 0xffff, 0, 0, 0, 0, 0},
    {9, ALL, ALL, 1, SP_SHARED, 0, 0, 0x7c},
    {10, ALL, ALL, 0, 0, 1, 0, 0},
    {11, ALL, ALL, 1, SP_SHARED, 0, 0, 0xf8},
    {12, ALL, 0, 0, 0, 0, 0, 0}, /* the guard fails in all */
    {13, ALL, 0xf, 1, SP_GLOBAL, 0, 0x400000, 0x400000},
    {14, ALL, ALL, 0, 0, 0, 0, 0},
    {15, ALL, ALL, 0, 0, 0, 0, 0},
};
static const struct want copy2[] = {
    {0, ALL, ALL, 0, 0, 0, 0, 0},
    {1, ALL, ALL, 2, SP_GLOBAL, 0, 0x200000, 0x2001f0},
    {2, ALL, ALL, 0, 0, 0, 0, 0},
    {3, ALL, ALL, 0, 0, 0, 0, 0},
    {4, ALL, ALL, 0, 0, 1, 0, 0},
    {5, ALL, ALL, 1, SP_SHARED, 0, 0x400, 0x5f0},
    {6, ALL, ALL, 0, 0, 0, 0, 0},
    {7, ALL, ALL, 1, SP_SHARED, 0, 0x400, 0x47c}, /* generic, of the window of shared memory */
    {8, ALL, ALL, 1, SP_LOCAL, 0, 8 * 128, 8 * 128 + 31 * 4},
    {9, ALL, ALL, 1, SP_GLOBAL, 0, 0x200000, 0x200000},
    {10, ALL, 15, 1, SP_GLOBAL, 0, 0x200010, 0x200010},
    {11, ALL, ALL, 0, 0, 0, 0, 0},
    {12, ALL, ALL, 0, 0, 0, 0, 0}, /* a loop that lanes leave one after the other */
    {11, ALL, ALL, 0, 0, 0, 0, 0},
    {12, ALL, 0xff, 0, 0, 0, 0, 0},
    {11, 0xff, 0xff, 0, 0, 0, 0, 0},
    {12, 0xff, 0, 0, 0, 0, 0, 0},
    {13, ALL, ALL, 0, 0, 0, 0, 0},
    {14, ALL, 0xffff, 0, 0, 0, 0, 0}, /* half of the lanes exit */
    {15, 0xffff0000, 0xffff0000, 1, SP_GLOBAL, 0, 0x200100, 0x20011e},
    {16, 0xffff0000, 0xffff0000, 0, 0, 0, 0, 0},
};

static void imported(void **state) {
  (void)state;
  struct import_report r;
  struct err e;
  struct trf *t = import("tests/data/traceg/kernelslist.g", NULL, &r, &e);
  assert_non_null(t);
  assert_int_equal(trf_flags(t), TRF_IMPORTED);
  assert_int_equal(trf_launches(t), 2);
  steps_are(t, 0, 0, 0, demo, sizeof demo / sizeof *demo);
  steps_are(t, 1, 0, 0, copy2, sizeof copy2 / sizeof *copy2);
  const struct trf_launch *l = trf_launch(t, 0);
  assert_int_equal(l->ctas, 2);
  assert_int_equal(l->block[0], 48);
  assert_int_equal(l->warp_insns, 16 + 14 + 15 + 14);
  assert_int_equal(l->local_words, 5);
  assert_int_equal(l->regs, 16);
  drop(t);

  assert_int_equal(r.kernels, 2);
  assert_int_equal(r.copies, 3);
  assert_int_equal(r.ctas, 3);
  assert_int_equal(r.warp_insns, 59 + 21);
  assert_int_equal(r.unknown, 1);
  assert_int_equal(r.unknown_insns, 1);
  assert_string_equal(r.unknown_names, "STRANGE.OP");
  assert_int_equal(r.rounded, 1);
  assert_int_equal(r.part, 2 << 20);
  assert_int_equal(r.parts, 2);
}

static const struct code *code_of(const struct trf *t, uint32_t launch) {
  return trf_code(t, trf_launch(t, launch)->code)->code;
}

/* What the opcode says beyond the registers that a line has: pairs, vectors, widths; control flow and guards. */
static void converted(void **state) {
  (void)state;
  struct import_report r;
  struct err e;
  struct trf *t = import("tests/data/traceg/kernelslist.g", NULL, &r, &e);
  assert_non_null(t);
  const struct insn *i = code_of(t, 0)->insn;
  const uint8_t *cls = trf_code(t, 0)->cls;
  assert_int_equal(code_of(t, 0)->n, 16);
  assert_int_equal(i[0].nsrc, 0); /* R255 is no register */
  assert_true(i[2].dst[0].words == 2 && i[2].src[2].words == 2 && cls[2] == CLS_IMUL);
  assert_true(i[3].op == OP_LD && i[3].src[0].words == 2 && i[3].dst[0].reg == 6 && i[3].space == SP_GLOBAL);
  assert_true(i[5].op == OP_BRA && i[5].target == 8 && i[5].guard.kind == O_PRED);
  assert_true(i[7].op == OP_BRA && i[7].target == 9 && i[7].guard.kind == O_NONE);
  assert_true(cls[8] == CLS_SFU && i[10].op == OP_BAR);
  assert_true(i[11].ndst == 2 && i[11].dst[1].reg == 9 && i[11].vec == 2);
  assert_true(i[12].guard.kind == O_PRED && i[13].guard.kind == O_PRED && i[14].guard.kind == O_NONE);
  assert_true(i[13].nsrc == 2 && i[13].src[0].words == 2 && i[13].src[1].reg == 8);

  i = code_of(t, 1)->insn;
  assert_true(i[1].op == OP_CPASYNC && i[1].vec == 16 && i[1].src[1].words == 2);
  assert_true(i[2].sub == ASYNC_COMMIT && i[3].sub == ASYNC_WAIT && i[3].src[0].imm == 0);
  assert_true(i[5].op == OP_LDMATRIX && i[5].ndst == 4 && i[5].dst[3].reg == 11);
  assert_true(i[6].op == OP_MMA && i[6].nsrc == 6 && i[6].src[5].reg == 13 && i[6].ndst == 4);
  assert_true(i[7].space == SP_GENERIC && i[9].ndst == 1 && i[10].op == OP_ATOM && i[10].ndst == 0);
  assert_true(i[11].src[0].words == 2 && i[12].target == 11);
  assert_true(i[14].op == OP_EXIT && i[14].guard.kind == O_PRED && i[16].guard.kind == O_NONE);
  assert_true(i[5].line == 14);
  drop(t);
}

/* ---- opcode maps ---- */

static void every_version(void **state) {
  (void)state;
  static const unsigned versions[] = {30, 35, 37, 50, 52, 60, 61, 70, 72, 75, 80, 86, 89, 90};
  static const struct {
    const char *opcode;
    enum op_class c;
  } of[] = {{"FFMA.FTZ", OC_SP},
            {"IMAD.HI", OC_IMUL},
            {"DFMA", OC_DP},
            {"MUFU.RCP", OC_SFU},
            {"LDG.E", OC_LOAD_GLOBAL},
            {"STS.64", OC_STORE_SHARED},
            {"BAR.SYNC", OC_BARRIER},
            {"EXIT", OC_EXIT},
            {"BRA", OC_BRANCH},
            {"SHFL.IDX", OC_LSU},
            {"TEX.SCR.LL", OC_TEXTURE},
            {"TXQ", OC_TEXTURE_QUERY},
            {"RED.E.ADD", OC_REDUCTION_GLOBAL}};
  struct err e = {0};
  enum op_class c;
  for (unsigned v = 0; v < sizeof versions / sizeof *versions; v++) {
    struct opmap *m = opmap_open(versions[v], NULL, &e);
    assert_non_null(m);
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
      assert_true(opmap_find(m, of[k].opcode, &c));
      assert_int_equal(c, of[k].c);
    }
    assert_false(opmap_find(m, "NOSUCH.LDG", &c));
    assert_int_equal(c, OC_INT);
    assert_true(opmap_find(m, "LD", &c)); /* Kepler has no generic loads */
    assert_int_equal(c, versions[v] < 50 ? OC_LOAD_GLOBAL : OC_LOAD_GENERIC);
    opmap_free(m);
  }
  assert_null(opmap_open(100, NULL, &e));
  assert_non_null(strstr(e.text, "found binary version 100, expected one of 80 86 87 89 90 30"));
}

static void maps(void **state) {
  (void)state;
  static const char good[] =
      "# mine\nversions 90 91\nimul STRANGE STRANGE.OP\nload-global\tLDX # a load\ndefault sfu\nsp STRANGE.OP\n";
  static const struct {
    const char *text;
    int line, col;
    const char *why;
  } bad[] = {
      {"int A\nfoo B\n", 2, 1,
       "found 'foo', expected versions, default or a class of docs/use/accel-sim.md, as load-global"},
      {"int\n", 1, 4, "found '', expected opcodes of at most 64 characters behind the class"},
      {"int A,B\n", 1, 5, "found 'A,B', expected an opcode of letters, digits, _ and ."},
      {"versions 7x\n", 1, 10, "found '7x', expected a binary version, as 70"},
      {"versions 70\nversions 80", 2, 1, "found 'versions', expected one line of versions in a file"},
      {"default exit\n", 1, 9, "found 'exit', expected int, imul, sp, dp, sfu, div, tensor, lsu or nop"},
      {"default int sp\n", 1, 13, "found 'sp', expected the end of the line"},
  };
  struct err e = {0};
  enum op_class c;
  struct opmap *m = opmap_text("m.map", good, strlen(good), &e);
  assert_non_null(m);
  assert_true(opmap_find(m, "STRANGE.OTHER.MORE", &c) && c == OC_IMUL);
  assert_true(opmap_find(m, "STRANGE.OP.MORE", &c) && c == OC_SP); /* the later line counts */
  assert_true(opmap_find(m, "LDX", &c) && c == OC_LOAD_GLOBAL);
  assert_true(!opmap_find(m, "LDXX", &c) && c == OC_SFU);
  opmap_free(m);
  for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
    e = (struct err){0};
    assert_null(opmap_text("m.map", bad[k].text, strlen(bad[k].text), &e));
    assert_string_equal(e.text, bad[k].why);
    assert_int_equal(e.line, bad[k].line);
    assert_int_equal(e.col, bad[k].col);
  }
}

/* ---- addresses ---- */

static void addresses(void **state) {
  (void)state;
  struct pages *p = pages_new();
  assert_true(pages_touch(p, 0x10000) && pages_touch(p, 0x2fffffff));
  pages_place(p);
  assert_int_equal(pages_part(p), 0);
  assert_int_equal(pages_map(p, 0x12345), 0x12345);
  pages_free(p);

  /* parts of 2 MB while they fit, then of 64 KB, then of 4 KB: in their order, nothing twice, offsets kept */
  static const uint32_t parts[] = {383, 384, 12000, 12300, 190000};
  static const uint32_t bytes[] = {2 << 20, 64 << 10, 64 << 10, 4 << 10, 4 << 10};
  for (unsigned k = 0; k < 5; k++) {
    p = pages_new();
    for (uint32_t i = parts[k]; i-- > 0;)
      assert_true(pages_touch(p, 0x7f0000000000ull + (uint64_t)i * (4 << 20) + 0x123));
    pages_place(p);
    assert_int_equal(pages_part(p), bytes[k]);
    uint32_t last = 0;
    for (uint32_t i = 0; i < parts[k]; i++) {
      const uint32_t a = pages_map(p, 0x7f0000000000ull + (uint64_t)i * (4 << 20) + 0x123);
      assert_true(a >= last + bytes[k] && a < LOCAL_BASE);
      assert_int_equal(a % bytes[k], 0x123);
      last = a;
    }
    pages_free(p);
  }
  p = pages_new();
  uint32_t n = 0;
  while (pages_touch(p, (uint64_t)n << 13)) n++;
  assert_int_equal(n, (LOCAL_BASE - GLOBAL_BASE) >> 12);
  pages_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line),        cmocka_unit_test(later_lines), cmocka_unit_test(widths),
      cmocka_unit_test(wrong_lines),   cmocka_unit_test(imported),    cmocka_unit_test(converted),
      cmocka_unit_test(every_version), cmocka_unit_test(maps),        cmocka_unit_test(addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

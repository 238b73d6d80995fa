/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packed: vabsdiff4 and cvt.pack as written in PTX, executed functionally and through the timing model. The references follow
 * the pseudo-code of the PTX ISA byte by byte and bit by bit, from the text of each form; the reader lowers selectors and masks to
 * prmt and `and`, and the alu has a function for each form. And what else knows these operations: text, unit, name in exported
 * traces, value ranges, and forms that do not exist.
 */
#include "tensor_kit.h"

#include "compiler/narrow/value_range.h"
#include "refused.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/sass.h"

enum { FORMS = 96, LANES = 32 }; /* forms of a kernel: each has LANES words of output */
#define LOADS "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+128]; ld.global.u32 %r3, [%d1+256];\n"

/* Words with bytes at the ends of their ranges as often as with any. */
static uint32_t some_word(void) {
  static const uint8_t ends[] = {0, 1, 0x7f, 0x80, 0x81, 0xff};
  uint32_t x = 0;
  for (unsigned k = 0; k < 4; k++) x = x << 8 | (random32() & 1 ? ends[random32() % sizeof ends] : random32() & 255);
  return x;
}

/* ---- vabsdiff4 ---- */

struct form {
  bool dsign, asign, bsign, sat, add;
  char mask[8], asel[8], bsel[8]; /* as written; "": none */
};

static void some_selector(char to[8]) {
  to[0] = 0;
  if (random32() % 3) return;
  sprintf(to, ".b%u%u%u%u", random32() % 8, random32() % 8, random32() % 8, random32() % 8);
}

static struct form some_form(void) {
  struct form f = {.dsign = random32() & 1, .asign = random32() & 1, .bsign = random32() & 1};
  const unsigned second = random32() % 3, mask = random32() & 15;
  f.sat = second == 1;
  f.add = second == 2;
  if (mask && random32() & 1) {
    char *to = f.mask + sprintf(f.mask, ".b");
    for (int k = 3; k >= 0; k--)
      if (mask >> k & 1) to += sprintf(to, "%d", k);
  }
  some_selector(f.asel);
  some_selector(f.bsel);
  return f;
}

static int byte_named(char digit, uint32_t a, uint32_t b, bool sign) {
  const int n = digit - '0', x = (int)((n < 4 ? a : b) >> 8 * (n % 4)) & 255;
  return sign && x > 127 ? x - 256 : x;
}

static uint32_t vabsdiff4_ref(const struct form *f, uint32_t a, uint32_t b, uint32_t c) {
  const char *asel = f->asel[0] ? f->asel + 2 : "3210", *bsel = f->bsel[0] ? f->bsel + 2 : "7654";
  int64_t t[4], sum = c;
  uint8_t d[4];
  for (int k = 0; k < 4; k++) {
    t[k] = byte_named(asel[3 - k], a, b, f->asign) - byte_named(bsel[3 - k], a, b, f->bsign);
    if (t[k] < 0) t[k] = -t[k];
    if (f->sat && f->dsign && t[k] > 127) t[k] = 127;
    if (f->sat && !f->dsign && t[k] > 255) t[k] = 255;
    const bool in = !f->mask[0] || strchr(f->mask + 2, '0' + k);
    d[k] = (uint8_t)(in ? t[k] : c >> 8 * k);
    sum += in ? t[k] : 0;
  }
  if (f->add) return (uint32_t)sum;
  uint32_t r;
  memcpy(&r, d, sizeof r);
  return r;
}

static void differences(void **state) {
  (void)state;
  static struct bench b;
  static char text[1 << 16];
  static const char type[2][5] = {".u32", ".s32"};
  seed = 1;
  for (unsigned turn = 0; turn < 12; turn++) {
    struct form f[FORMS];
    char *p = text;
    text_put(&p, "%s", KERNEL LOADS);
    for (unsigned k = 0; k < FORMS; k++) {
      f[k] = some_form();
      if (k < 8)
        f[k] = (struct form){.dsign = k & 1, .asign = k & 2, .bsign = k & 2, .add = k & 4}; /* those of hardware */
      text_put(&p, "vabsdiff4%s%s%s%s%s %%r4%s, %%r1%s, %%r2%s, %%r3; st.global.u32 [%%d2+%u], %%r4;\n",
               type[f[k].dsign], type[f[k].asign], type[f[k].bsign], f[k].sat ? ".sat" : "", f[k].add ? ".add" : "",
               f[k].mask, f[k].asel, f[k].bsel, 4 * LANES * k);
    }
    text_put(&p, "ret; }\n");
    for (unsigned k = 0; k < 3 * LANES; k++) b.in[k] = some_word();
    run(text, &b, LANES);
    for (unsigned k = 0; k < FORMS; k++)
      for (unsigned l = 0; l < LANES; l++) {
        const uint32_t x = b.in[l], y = b.in[LANES + l], c = b.in[2 * LANES + l];
        const uint32_t want = vabsdiff4_ref(&f[k], x, y, c), got = b.out[LANES * k + l];
        if (got != want)
          fail_msg("turn %u form %u: %s%s%s%s%s mask '%s' a '%s' b '%s' of %08x %08x %08x: found %08x, expected %08x",
                   turn, k, type[f[k].dsign], type[f[k].asign], type[f[k].bsign], f[k].sat ? ".sat" : "",
                   f[k].add ? ".add" : "", f[k].mask, f[k].asel, f[k].bsel, x, y, c, got, want);
      }
  }
}

/* By hand: bytes f0 and 20, 10 and 10, ff and 00, 00 and 01. */
static void differences_by_hand(void **state) {
  (void)state;
  static struct bench b;
  b.in[0] = 0x00ff10f0, b.in[LANES] = 0x01001020, b.in[2 * LANES] = 0x05000007;
  run(KERNEL LOADS
      "vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3; st.global.u32 [%d2], %r4;\n"
      "vabsdiff4.u32.s32.s32 %r4, %r1, %r2, %r3; st.global.u32 [%d2+4], %r4;\n"
      "vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3; st.global.u32 [%d2+8], %r4;\n"
      "vabsdiff4.s32.u32.u32.sat %r4, %r1, %r2, %r3; st.global.u32 [%d2+12], %r4;\n"
      "vabsdiff4.u32.u32.u32 %r4.b20, %r1, %r2, %r3; st.global.u32 [%d2+16], %r4;\n"
      "vabsdiff4.u32.u32.u32.add %r4.b3, %r1.b0000, %r2.b4444, %r3; st.global.u32 [%d2+20], %r4;\n"
      "mov.u32 %r3, 1; vabsdiff4.u32.u32.u32.add %r3, %r1, %r2, %r3; st.global.u32 [%d2+24], %r3; ret; }\n",
      &b, 1);
  assert_int_equal(b.out[0], 0x01ff00d0);
  assert_int_equal(b.out[1], 0x01010030);
  assert_int_equal(b.out[2], 0x05000007 + 1 + 255 + 208);
  assert_int_equal(b.out[3], 0x017f007f);
  assert_int_equal(b.out[4], 0x05ff00d0);
  assert_int_equal(b.out[5], 0x05000007 + 208);
  assert_int_equal(b.out[6], 1 + 1 + 255 + 208);
}

/* ---- cvt.pack ---- */

static const struct packed {
  const char *type;
  unsigned bits;
  bool sign;
} packed[] = {{"u16", 16, false}, {"s16", 16, true}, {"u8", 8, false}, {"s8", 8, true},
              {"u4", 4, false},   {"s4", 4, true},   {"u2", 2, false}, {"s2", 2, true}};
enum { PACKED = sizeof packed / sizeof *packed };

static uint32_t pack_ref(const struct packed *t, uint32_t a, uint32_t b, uint32_t c) {
  const int64_t low = t->sign ? -(1ll << (t->bits - 1)) : 0, high = (1ll << (t->bits - t->sign)) - 1;
  int64_t of[2] = {(int32_t)b, (int32_t)a};
  uint32_t d = 0;
  for (unsigned k = 0; k < 2; k++) {
    of[k] = of[k] < low ? low : of[k] > high ? high : of[k];
    for (unsigned i = 0; i < t->bits; i++) d |= (uint32_t)(of[k] >> i & 1) << (k * t->bits + i);
  }
  for (unsigned i = 2 * t->bits; i < 32; i++) d |= (c >> (i - 2 * t->bits) & 1) << i;
  return d;
}

/* Near the ends of all types, or any. */
static uint32_t some_number(void) {
  static const int32_t ends[] = {0,   1,   2,   3,   4,     7,     8,     15,    16,
                                 127, 128, 255, 256, 32767, 32768, 65535, 65536, INT32_MAX};
  const int32_t x = ends[random32() % (sizeof ends / sizeof *ends)];
  switch (random32() % 4) {
    case 0: return random32();
    case 1: return (uint32_t)x;
    case 2: return 0 - (uint32_t)x;
    default: return ~(uint32_t)x;
  }
}

static void packs(void **state) {
  (void)state;
  static struct bench b;
  char text[1 << 13], *p = text;
  seed = 2;
  text_put(&p, "%s", KERNEL LOADS);
  for (unsigned k = 0; k < PACKED; k++)
    text_put(&p, "cvt.pack.sat.%s.s32%s; st.global.u32 [%%d2+%u], %%r4;\n", packed[k].type,
             packed[k].bits == 16 ? " %r4, %r1, %r2" : ".b32 %r4, %r1, %r2, %r3", 4 * LANES * k);
  for (unsigned k = 0; k < PACKED; k++) /* into a pair, from pairs */
    text_put(
        &p,
        "cvt.u64.u32 %%d5, %%r1; not.b64 %%d6, %%d5; cvt.pack.sat.%s.s32%s; shr.u64 %%d7, %%d5, 32; cvt.u32.u64 %%r4, "
        "%%d7; "
        "cvt.u32.u64 %%r5, %%d5; or.b32 %%r4, %%r4, %%r5; st.global.u32 [%%d2+%u], %%r4;\n",
        packed[k].type, packed[k].bits == 16 ? " %d5, %d6, %r2" : ".b32 %d5, %d6, %r2, %d6", 4 * LANES * (PACKED + k));
  text_put(&p, "ret; }\n");
  for (unsigned turn = 0; turn < 40; turn++) {
    for (unsigned k = 0; k < 3 * LANES; k++) b.in[k] = some_number();
    run(text, &b, LANES);
    for (unsigned k = 0; k < PACKED; k++)
      for (unsigned l = 0; l < LANES; l++) {
        const uint32_t x = b.in[l], y = b.in[LANES + l], c = b.in[2 * LANES + l];
        if (b.out[LANES * k + l] != pack_ref(&packed[k], x, y, c) ||
            b.out[LANES * (PACKED + k) + l] != pack_ref(&packed[k], ~x, y, ~x))
          fail_msg("turn %u: %s of %08x %08x %08x: found %08x and %08x, expected %08x and %08x", turn, packed[k].type,
                   x, y, c, b.out[LANES * k + l], b.out[LANES * (PACKED + k) + l], pack_ref(&packed[k], x, y, c),
                   pack_ref(&packed[k], ~x, y, ~x));
      }
  }
}

/* PTX ISA's example: four numbers to a word of bytes. */
static void packs_by_hand(void **state) {
  (void)state;
  static struct bench b;
  run(KERNEL
      "mov.u32 %r1, 300; mov.u32 %r2, -7; mov.u32 %r3, 65; mov.u32 %r4, 66;\n"
      "cvt.pack.sat.u8.s32.b32 %r5, %r1, %r2, 0; cvt.pack.sat.u8.s32.b32 %r5, %r3, %r4, %r5;\n"
      "st.global.u32 [%d2], %r5; cvt.pack.sat.s16.s32 %r5, -40000, 40000; st.global.u32 [%d2+4], %r5;\n"
      "cvt.pack.sat.s4.s32.b32 %r5, -9, 9, 0xabcdef12; st.global.u32 [%d2+8], %r5;\n"
      "cvt.pack.sat.u2.s32.b32 %r5, 9, 1, 0xabcdef12; st.global.u32 [%d2+12], %r5; ret; }\n",
      &b, 1);
  assert_int_equal(b.out[0], 0xff004142);
  assert_int_equal(b.out[1], 0x80007fff);
  assert_int_equal(b.out[2], 0xcdef1287);
  assert_int_equal(b.out[3], 0xbcdef12d);
}

/* ---- what else knows them ---- */

static void listed(void **state) {
  (void)state;
  static const struct {
    const char *statement, *text, *name;
    unsigned more; /* instructions before or after it */
  } of[] = {
      {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3", "vabsdiff4.u32.u32.u32", "VABSDIFF4", 0},
      {"vabsdiff4.s32.s32.u32.sat %r4, %r1, %r2, %r3", "vabsdiff4.sat.s32.s32.u32", "VABSDIFF4", 0},
      {"vabsdiff4.u32.u32.s32.add %r4.b3210, %r1.b3210, %r2.b7654, %r3", "vabsdiff4.add.u32.u32.s32", "VABSDIFF4", 0},
      {"vabsdiff4.u32.u32.u32 %r4.b3, %r1.b0123, %r2, %r3", "vabsdiff4.u32.u32.u32", "VABSDIFF4", 2},
      {"vabsdiff4.u32.u32.u32.add %r4.b3, %r1.b0123, %r2.b0123, %r3", "vabsdiff4.add.u32.u32.u32", "VABSDIFF4", 4},
      {"cvt.pack.sat.u16.s32 %r4, %r1, %r2", "cvt.pack.sat.u16.s32", "I2IP", 0},
      {"cvt.pack.sat.s2.s32.b32 %r4, %r1, %r2, %r3", "cvt.pack.sat.s2.s32", "I2IP", 0},
  };
  struct err e = {0};
  struct opmap *map = opmap_open(80, NULL, &e);
  assert_non_null(map);
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    char text[2000];
    sprintf(text, "%s%s; st.global.u32 [%%d2], %%r4; ret; }\n", KERNEL LOADS, of[k].statement);
    struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
    if (!m || !alloc_kernel(m, &m->kernel[0], 0, &e)) fail_msg("%s: %s", of[k].statement, e.text);
    const struct code *c = &m->kernel[0];
    uint32_t at = 0, around = 0;
    for (uint32_t i = 0; i < c->n; i++) {
      if (c->insn[i].op == OP_VABSDIFF4 || c->insn[i].op == OP_CVTPACK) at = i;
      around += c->insn[i].op == OP_PRMT || c->insn[i].op == OP_AND;
    }
    assert_true(at > 0);
    assert_int_equal(around, of[k].more);
    insn_print(c, at, text, sizeof text);
    *strchr(text, ' ') = 0;
    assert_string_equal(text, of[k].text);
    struct sass_listing l = sass_list(c, NULL);
    assert_int_equal(l.first[at + 1] - l.first[at], 1);
    assert_string_equal(l.line[l.first[at]].name, of[k].name);
    enum op_class cls;
    assert_true(opmap_find(map, of[k].name, &cls));
    assert_int_equal(op_class_unit(cls), CLS_INT);
    assert_int_equal(c->op[at].cls, CLS_INT);
    sass_list_free(&l);
    module_free(m);
  }
  opmap_free(map);
}

/* Bounds by hand; that no result lies outside of them is in range_rules_test.c. */
static void bounded(void **state) {
  (void)state;
  static const struct {
    struct insn i;
    wide lo, hi;
  } of[] = {
      {{.op = OP_VABSDIFF4, .type = T_U32, .stype = T_U32, .sub = T_U32, .mods = M_ADD}, 100, 200 + 4 * 255},
      {{.op = OP_VABSDIFF4, .type = T_U32, .stype = T_S32, .sub = T_U32, .mods = M_ADD}, 100, 200 + 4 * 383},
      {{.op = OP_VABSDIFF4, .type = T_S32, .stype = T_S32, .sub = T_S32, .mods = M_SAT}, 0, 0x7f7f7f7f},
      {{.op = OP_CVTPACK, .type = T_U16, .stype = T_S32, .mods = M_SAT}, 5 << 16, (9 << 16) + 3},
      {{.op = OP_CVTPACK, .type = T_S8, .stype = T_S32, .mods = M_SAT},
       (100 << 16) + (5 << 8),
       (200 << 16) + (9 << 8) + 255},
      {{.op = OP_CVTPACK, .type = T_U2, .stype = T_S32, .mods = M_SAT},
       (100 << 4) + (3 << 2),
       (200 << 4) + (3 << 2) + 3},
  };
  static const struct code none = {.name = "k", .file = "k.ptx"};
  const struct value_range src[] = {range_of(32, 5, 9), range_of(32, -2, 3), range_of(32, 100, 200)};
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    struct insn i = of[k].i;
    const char *why;
    i.ndst = 1;
    i.dst[0] = (struct opnd){.kind = O_REG, .words = 1};
    i.nsrc = 3;
    for (unsigned s = 0; s < 3; s++) i.src[s] = (struct opnd){.kind = O_REG, .words = 1, .reg = s};
    const struct value_range r = range_rule(&none, NULL, &i, 0, src, &why);
    assert_true(r.lo == of[k].lo && r.hi == of[k].hi);
    assert_string_equal(why, opcode_name((enum opcode)i.op));
  }
}

static void wrong_forms(void **state) {
  (void)state;
  static const struct {
    const char *statement, *why;
  } of[] = {
      {"vabsdiff4.u32.u32 %r4, %r1, %r2, %r3",
       "found 'vabsdiff4.u32.u32' without its third type, expected one of .u32, .s32"},
      {"vabsdiff4.b32.u32.u32 %r4, %r1, %r2, %r3",
       "found type '.b32', which 'vabsdiff4' does not take here; expected one of .u32, .s32"},
      {"vabsdiff4.u32.u32.u32.u32 %r4, %r1, %r2, %r3", "found type '.u32', expected three types only for 'vabsdiff4'"},
      {"vabsdiff4.u32.u32.u32.min %r4, %r1, %r2, %r3",
       "found a second operation in 'vabsdiff4.u32.u32.u32.min', expected .add"},
      {"vabsdiff4.u32.u32.u32.sat.add %r4, %r1, %r2, %r3",
       "found .sat and .add in 'vabsdiff4.u32.u32.u32.sat.add', expected one of them"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2", "found 3 operands for 'vabsdiff4.u32.u32.u32', expected 4"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1, 5, %r3",
       "found integer 5, expected a register of .u32 for 'vabsdiff4.u32.u32.u32'"},
      {"vabsdiff4.u32.u32.u32 %r4, %f1, %r2, %r3",
       "found .f32 '%f1', expected a register of .u32 for 'vabsdiff4.u32.u32.u32'"},
      {"vabsdiff4.u32.u32.u32 %d4, %r1, %r2, %r3",
       "found .b64 '%d4', expected a register of .u32 for 'vabsdiff4.u32.u32.u32'"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1.b321, %r2, %r3",
       "found wrong bytes of operand '%r1', expected four digits from 0 to 7, as .b3210"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2.b8000, %r3",
       "found wrong bytes of operand '%r2', expected four digits from 0 to 7, as .b3210"},
      {"vabsdiff4.u32.u32.u32 %r4.b012, %r1, %r2, %r3",
       "found wrong bytes of operand '%r4', expected digits from 3 to 0, each once, as .b310"},
      {"vabsdiff4.u32.u32.u32 %r4.b4, %r1, %r2, %r3",
       "found wrong bytes of operand '%r4', expected digits from 3 to 0, each once, as .b310"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3.b3210", "found bytes selected of the last operand, expected none"},
      {"vabsdiff4.u32.u32.u32 %r4.h0, %r1, %r2, %r3", "found '.h0', expected bytes of a register, as .b3210"},
      {"vabsdiff4.u32.u32.u32 %r4, %r1.b43210, %r2, %r3", "found '.b43210', expected bytes of a register, as .b3210"},
      {"vadd4.u32.u32.u32 %r4, %r1, %r2, %r3",
       "found operation 'vadd4.u32.u32.u32': video operations are not supported"},
      {"add.u32 %r4.b0, %r1, %r2", "found '.b0', expected ';' after an instruction"},
      {"cvt.pack.u16.s32 %r4, %r1, %r2", "found 'cvt.pack.u16.s32' without a needed modifier, expected one of .sat"},
      {"cvt.sat.pack.u16.s32 %r4, %r1, %r2", "found unknown modifier '.pack' of 'cvt'"},
      {"cvt.pack.sat.u32.s32 %r4, %r1, %r2",
       "found type '.u32', which 'cvt.pack' does not take here; expected one of .u8, .u16, .s8, .s16, .u4, .s4, .u2, "
       ".s2"},
      {"cvt.pack.sat.u16.u32 %r4, %r1, %r2",
       "found type '.u32', which 'cvt.pack' does not take here; expected one of .s32"},
      {"cvt.pack.sat.u8.s32.u32 %r4, %r1, %r2, %r3",
       "found type '.u32', which 'cvt.pack' does not take here; expected one of .b32"},
      {"cvt.pack.sat.u8.s32 %r4, %r1, %r2", "found 'cvt.pack.sat.u8.s32' without its third type, expected one of .b32"},
      {"cvt.pack.sat.u16.s32.b32 %r4, %r1, %r2, %r3", "found type '.b32', expected two types only for 'cvt.pack'"},
      {"cvt.pack.sat.u8.s32.b32 %r4, %r1, %r2", "found 3 operands for 'cvt.pack.sat.u8.s32.b32', expected 4"},
      {"cvt.pack.sat.rn.u16.s32 %r4, %r1, %r2", "found modifier '.rn', which 'cvt.pack' does not take"},
      {"cvt.pack.sat.u16.s32 %f4, %r1, %r2",
       "found .f32 '%f4', expected a register of .u32 or wider for 'cvt.pack.sat.u16.s32'"},
      {"cvt.pack.sat.u16.s32 %r4, %f1, %r2",
       "found .f32 '%f1', expected an operand of .s32 or wider for 'cvt.pack.sat.u16.s32'"},
  };
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    char text[2000];
    struct err e = {0};
    sprintf(text, "%s%s; ret; }\n", KERNEL, of[k].statement);
    struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
    if (m && m->refused) e = m->refused->why;
    else if (m) fail_msg("accepted: %s", of[k].statement);
    if (strcmp(e.text, of[k].why)) fail_msg("%s\nfound: %s\nexpected: %s", of[k].statement, e.text, of[k].why);
    module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences), cmocka_unit_test(differences_by_hand),
      cmocka_unit_test(packs),       cmocka_unit_test(packs_by_hand),
      cmocka_unit_test(listed),      cmocka_unit_test(bounded),
      cmocka_unit_test(wrong_forms),
  };
  return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch files: their semantics, with a module made here (the same kernels, parameters and symbols as
 * tests/data/ptx/tiny.ptx), with a launch that does in C what `tiny` does; and every message of tests/data/bad/launch.txt.
 * Whole kernels run in kernels_test.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#include "base/bits.h"
#include "launch/launch.h"
#include "refused.h"

/* ---- the module ---- */

static struct param tiny_param[] = {
    {"out", 0, 8, 8, T_U64, false, HANDLE_NONE},
    {"n", 8, 4, 4, T_U32, false, HANDLE_NONE},
};
static struct param mixed_param[] = {
    {"out", 0, 8, 8, T_U64, false, HANDLE_NONE}, {"h", 8, 2, 2, T_U16, false, HANDLE_NONE},
    {"f", 12, 4, 4, T_F32, false, HANDLE_NONE},  {"d", 16, 8, 8, T_F64, false, HANDLE_NONE},
    {"s", 24, 24, 8, T_B8, true, HANDLE_NONE},   {"scratch", 48, 8, 8, T_U64, false, HANDLE_NONE},
};
static const uint8_t taps_init[20] = {0, 0, 128, 63};

static struct module *make_module(void) {
  static struct code kernel[2];
  static struct symbol symbol[2];
  kernel[0] = (struct code){.name = "tiny", .param = tiny_param, .nparam = 2, .param_bytes = 12};
  kernel[1] = (struct code){
      .name = "mixed", .param = mixed_param, .nparam = 6, .param_bytes = 56, .shared_bytes = 40, .maxntid = {64, 2}};
  symbol[0] = (struct symbol){"table", SP_GLOBAL, T_B8, GLOBAL_BASE, 16, NULL};
  symbol[1] = (struct symbol){"taps", SP_CONST, T_B8, 64, 20, taps_init};
  static struct module m;
  m = (struct module){.file = "tiny.ptx", .kernel = kernel, .nkernel = 2, .symbol = symbol, .nsymbol = 2};
  m.global_end = GLOBAL_BASE + 16;
  m.const_bytes = 84;
  return &m;
}

/* What the launches of one run were. */
struct seen {
  unsigned n;
  uint32_t grid[3], block[3], shared;
  uint8_t param[64];
  int stop;            /* fail launch number stop - 1 */
  const char *message; /* with this, NULL: none */
  unsigned buffers;
  uint64_t hash;    /* over names, types and bytes of the buffers at the end */
  double value[16]; /* of the buffer `out` at the end */
  bool steered;
};

static bool on_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct seen *s = ctx;
  assert_int_equal(index, s->n);
  s->n++;
  memcpy(s->grid, l->grid, sizeof s->grid);
  memcpy(s->block, l->block, sizeof s->block);
  memcpy(s->param, l->param, l->code->param_bytes);
  s->shared = l->shared_dyn;
  if (s->stop && s->n == (unsigned)s->stop) return s->message ? err_at(e, NULL, 0, 0, "%s", s->message) : false;
  if (strcmp(l->code->name, "tiny") != 0) return true;
  uint64_t out;
  uint32_t n;
  memcpy(&out, l->param, 8);
  memcpy(&n, l->param + 8, 4);
  for (uint32_t i = 0; i < n && i < l->grid[0] * l->block[0]; i++) {
    uint8_t *p = memory_at(l->mem, (uint32_t)out + 4 * i, 4);
    assert_non_null(p);
    memcpy(p, &i, 4);
  }
  return true;
}

static double element(enum dtype t, const void *data, uint64_t k) {
  switch (t) {
    case T_U8: return ((const uint8_t *)data)[k];
    case T_S8: return ((const int8_t *)data)[k];
    case T_U16: return ((const uint16_t *)data)[k];
    case T_S16: return ((const int16_t *)data)[k];
    case T_U32: return ((const uint32_t *)data)[k];
    case T_S32: return ((const int32_t *)data)[k];
    case T_U64: return (double)((const uint64_t *)data)[k];
    case T_S64: return (double)((const int64_t *)data)[k];
    case T_F32: return (double)((const float *)data)[k];
    case T_F64: return ((const double *)data)[k];
    default: return ((const uint16_t *)data)[k]; /* f16: its bits */
  }
}

static void on_buffer(void *ctx, const char *name, enum dtype t, const void *data, uint64_t n) {
  struct seen *s = ctx;
  s->buffers++;
  s->hash = fnv1a(s->hash ? s->hash : FNV_START, name, strlen(name));
  s->hash = fnv1a(s->hash, data, n * dtype_bytes(t));
  if (strcmp(name, "out") != 0) return;
  for (uint64_t k = 0; k < n && k < 16; k++) s->value[k] = element(t, data, k);
}

/* Reads and runs; what went wrong as it would be printed, "" if nothing did. */
static const char *images; /* directory for image statements */
static const char *run(const char *path, const char *text, size_t n, uint64_t seed, struct seen *seen) {
  static char out[1400];
  struct err e = {0};
  struct seen none = {0};
  struct script *s = text ? script_parse(path, text, n, &e) : script_read(path, &e);
  if (!seen) seen = &none;
  const struct host_ops ops = {
      .launch = on_launch, .ctx = seen, .dumps = "/", .images = images, .steered = &seen->steered};
  bool ok = s && script_run_then(s, make_module(), seed, &ops, on_buffer, seen, &e);
  script_free(s);
  assert_int_equal(ok, !e.set);
  out[0] = 0;
  if (!ok) err_format(&e, out, sizeof out);
  return out;
}

static void works(const char *text, struct seen *seen) {
  char all[4000];
  snprintf(all, sizeof all, "ptx tiny.ptx\n%s\n", text);
  memset(seen, 0, sizeof *seen);
  assert_string_equal(run("t.launch", all, strlen(all), 0, seen), "");
}

static void breaks(const char *text, const char *message) {
  char all[4000];
  struct seen seen = {0};
  snprintf(all, sizeof all, "ptx tiny.ptx\n%s\n", text);
  assert_string_equal(run("t.launch", all, strlen(all), 0, &seen), message);
}

/* The value of an expression by way of a f64 buffer. */
static double value(const char *expr) {
  char text[1000];
  struct seen s;
  snprintf(text, sizeof text,
           "buffer in s32 4 data 10 -20 30 7; buffer fl f32 3 data 0.5 0.25 8\nlet x = 3\n"
           "buffer out f64 1 fill %s",
           expr);
  works(text, &s);
  return s.value[0];
}

/* ---- expressions ---- */

static void test_arithmetic(void **state) {
  (void)state;
  assert_true(value("1 + 2 * 3 - 4 / 3") == 6);
  assert_true(value("-7 / 2") == -3);
  assert_true(value("-7 % 3") == -1);
  assert_true(value("7 / 2.0") == 3.5);
  assert_true(value("1 << 4 | 3 & 6 ^ 1") == 19);
  assert_true(value("0xff & ~0x0f") == 240);
  assert_true(value("-16 >> 2") == -4);
  assert_true(value("-1 >> 63") == -1);
  assert_true(value("1 << 63") == -0x1p63);
  assert_true(value("(1 < 2) + (2 <= 2) + (3 > 4) + (1 >= 1.5) + (2 == 2.0) + (3 != 3)") == 3);
  assert_true(value("1 ? 2 : 0 ? 3 : 4") == 2);
  assert_true(value("0 ? 2 : 0 ? 3 : 4") == 4);
  assert_true(value("0 && 1 / 0") == 0);
  assert_true(value("5 || 1 / 0") == 1);
  assert_true(value("3 && 0.5") == 1);
  assert_true(value("!3 + !0.0") == 1);
  assert_true(value("- - 3") == 3);
  assert_true(value("2.5e1 + .5 + 1.") == 26.5);
  assert_true(value("inf") == (double)INFINITY && value("1e308 * 10") == (double)INFINITY);
  assert_true(value("0e400") == 0 && value("4.95e-324") > 0 && value("0.50") == 0.5 && value("0") == 0);
  assert_true(value("-inf") == -(double)INFINITY);
  assert_true(value("nan != nan") == 1);
  assert_true(value("1 / 0.0") == (double)INFINITY);
}

static void test_integers_wrap(void **state) {
  (void)state;
  assert_true(value("9223372036854775807 + 1") == -0x1p63);
  assert_true(value("(-9223372036854775807 - 1) / -1") == -0x1p63);
  assert_true(value("(-9223372036854775807 - 1) % -1") == 0);
  assert_true(value("18446744073709551615") == -1);
  assert_true(value("abs(-9223372036854775807 - 1)") == -0x1p63);
  assert_true(value("4294967296 * 4294967296") == 0);
}

static void test_functions(void **state) {
  (void)state;
  assert_true(value("min(3, 1, 2) + 10 * max(4, 4.5)") == 46);
  assert_true(value("min(nan, 2) + max(2, nan)") == 4);
  assert_true(value("abs(-3) + abs(-0.5)") == 3.5);
  assert_true(value("sqrt(2)") == 0x1.6a09e667f3bcdp+0);
  assert_true(value("ceil(2.25) * 10 + floor(-2.25)") == 27);
  assert_true(value("ceil(7)") == 7);
  assert_true(value("sum(in)") == 27);
  assert_true(value("sum(in, 1, 2)") == 10);
  assert_true(value("sum(in, 4, 0)") == 0);
  assert_true(value("sum(fl)") == 8.75);
  assert_true(value("len(in)") == 4);
  assert_true(value("addr(in) % 256") == 0);
  assert_true(value("addr(fl) - addr(in) >= 16") == 1);
  assert_true(value("in[in[3] - 4] + x") == 10);
  assert_true(value("u8(300) + u8(300.5)") == 44 + 255);
  assert_true(value("s8(200) + s8(-1000.0) + u32(-3.5)") == -56 - 128);
  assert_true(value("f32(0.1)") == 0x1.99999ap-4);
  assert_true(value("f16(0.1)") == 0x1.998p-4);
  assert_true(value("int(2.9) + long(-2.9)") == 0);
  assert_true(value("u64(1e30)") == -1);
  assert_true(value("s64(1e30)") == 0x1p63);
  assert_true(value("u32(nan)") == 0);
}

/* All f16 values there are survive; ties go to even; the ends are right. */
static void test_half(void **state) {
  (void)state;
  struct seen s;
  works(
      "buffer bits u16 65536 iota 0 1\nbuffer h f16 65536 zero\n"
      "buffer out f16 12 data 65519.9 65520 -1e9 5.9604644775390625e-8 2.98023223876953125e-8 2.980232238769532e-8 "
      "2049 2051 6.1035e-5 6.0976e-5 0.0 -0.0",
      &s);
  static const double want[] = {0x7bff, 0x7c00, 0xfc00, 1, 0, 1, 0x6800, 0x6802, 0x0400, 0x03ff, 0, 0x8000};
  for (unsigned k = 0; k < 12; k++) assert_true(s.value[k] == want[k]);
  char path[] = "/tmp/regtwin_launch_XXXXXX", text[400];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  for (unsigned k = 0; k < 65536; k++) {
    uint16_t h = (uint16_t)((k & 0x7fff) > 0x7c00 ? 0x7fff : k); /* one NaN */
    assert_int_equal(write(fd, &h, 2), 2);
  }
  close(fd);
  snprintf(text, sizeof text,
           "buffer h f16 65536 file %s\nbuffer g f16 65536 expr h[i]\nexpect g file %s\n"
           "buffer d f64 65536 expr h[i]\nbuffer k f16 65536 expr f32(d[i])\nexpect k expr h[i]",
           path, path);
  works(text, &s);
  unlink(path);
}

static void test_list_rule(void **state) {
  (void)state;
  struct seen s;
  works("let n = 5\nbuffer out s32 9 data 1 -2 n - 1 n-1 n -1, 7 (3) -(2)", &s);
  static const double want[] = {1, -2, 4, 4, 5, -1, 7, 3, -2};
  for (unsigned k = 0; k < 9; k++) assert_true(s.value[k] == want[k]);
  works("buffer out s32 4 iota 3 -1", &s);
  assert_true(s.value[3] == 0);
  works("buffer out s32 4 iota 10 - 2 1 + 1", &s);
  assert_true(s.value[3] == 14);
  works("buffer out s32 4 data { 1,\n 2 # two\n 3 }", &s);
  assert_true(s.value[2] == 3 && s.value[3] == 0);
}

/* ---- initial values ---- */

static void test_inits(void **state) {
  (void)state;
  struct seen s;
  works("buffer out u8 6 iota 250 2", &s);
  assert_true(s.value[3] == 0 && s.value[5] == 4);
  works("buffer out f32 4 iota 1 0.25", &s);
  assert_true(s.value[3] == 1.75);
  works("buffer a u32 4 iota 1 1; buffer out u64 4 expr a[3 - i] * i", &s);
  assert_true(s.value[1] == 3 && s.value[2] == 4 && s.value[3] == 3);
  works("buffer out s16 2 fill -3.9", &s);
  assert_true(s.value[1] == -3);
  works("buffer out f32 2 fill 16777217", &s);
  assert_true(s.value[0] == 16777216);
}

static void test_random(void **state) {
  (void)state;
  struct seen a, b;
  works(
      "seed 7\nbuffer out s8 16 rand -2 2\nbuffer big s8 4000 rand -2 2\nexpect big expr max(-2, min(2, "
      "big[i]))\n"
      "buffer seen u32 5 zero\nrepeat len(big) as k { set seen[big[k] + 2] = seen[big[k] + 2] + 1 }\n"
      "let least = min(seen[0], seen[1], seen[2], seen[3], seen[4])\nbuffer ok u8 1 fill least > 700\nexpect "
      "ok[0] 1",
      &a);
  works("seed 8\nbuffer out s8 16 rand -2 2", &b);
  assert_memory_not_equal(a.value, b.value, sizeof a.value);
  works("seed 8\nbuffer other u8 3 rand 0 255\nbuffer out s8 16 rand -2 2", &a);
  assert_memory_equal(a.value, b.value, sizeof a.value); /* other buffers do not matter */
  works(
      "buffer out f32 3000 rand -1 3\nbuffer a f32 1 fill sum(out) / len(out)\nexpect a[0] 1 abs 0.1\n"
      "expect out expr max(-1, min(2.9999999, out[i]))",
      &a);
  works("buffer out f16 3000 rand 0 1\nexpect out expr min(0.9999, out[i])", &a);
  works("buffer out u64 16 rand 0 18446744073709551615", &a);
  works("buffer out f64 4 rand 2 2", &a);
  assert_true(a.value[3] == 2);
  /* The same bits on every host and with every compiler. */
  works(
      "seed 3\nbuffer a u32 100 rand 10 1000\nbuffer b f32 100 rand -1 1\nbuffer c f64 100 rand 0 0.1\n"
      "buffer d f16 100 rand 0 5\nbuffer e s64 100 rand -9223372036854775807 9223372036854775807",
      &a);
  assert_int_equal(a.hash, 0xeb7b41be2724a210ull);
}

static void test_seed_given(void **state) {
  (void)state;
  static const char one[] = "ptx x\nbuffer out u32 8 rand 0 1000000",
                    two[] = "ptx x\nseed 5\nbuffer out u32 8 rand 0 1000000";
  struct seen a = {0}, b = {0}, c = {0}, d = {0};
  assert_string_equal(run("t", one, sizeof one - 1, 5, &a), "");
  assert_string_equal(run("t", two, sizeof two - 1, 0, &b), "");
  assert_string_equal(run("t", two, sizeof two - 1, 1, &c), "");
  assert_string_equal(run("t", one, sizeof one - 1, 0, &d), "");
  assert_memory_equal(a.value, b.value, sizeof a.value);
  assert_memory_equal(c.value, d.value, sizeof a.value);
  assert_memory_not_equal(a.value, c.value, sizeof a.value);

  /* Answers in a file belong to its own seed; what the host computes does not. */
  static const char three[] = "ptx x\nseed 5\nbuffer out u32 1 rand 0 1\nexpect out[0] 2";
  static const char told[] = "t:4:1: error: found out[0] = 0, expected 2";
  assert_string_equal(run("t", three, sizeof three - 1, 6, &a), "");
  assert_string_equal(run("t", three, sizeof three - 1, 0, &a), told);
  assert_string_equal(run("t", three, sizeof three - 1, 5, &a), told);
  static const char four[] = "ptx x\nseed 5\nbuffer out u32 1 rand 1 1\nexpect out expr i + 2";
  assert_string_equal(run("t", four, sizeof four - 1, 6, &a), "t:4:1: error: found out[0] = 1, expected 2");
}

/* ---- launches ---- */

static void test_launch(void **state) {
  (void)state;
  struct seen s;
  works("let n = 10\nbuffer out u32 16 fill 99\nlaunch tiny grid ((n + 3) / 4, 2) block (4, 2, 1) args (out + 8, n)",
        &s);
  assert_int_equal(s.n, 1);
  assert_true(s.grid[0] == 3 && s.grid[1] == 2 && s.grid[2] == 1);
  assert_true(s.block[0] == 4 && s.block[1] == 2 && s.block[2] == 1);
  assert_true(s.value[1] == 99 && s.value[2] == 0 && s.value[11] == 9 && s.value[12] == 99);
  works(
      "buffer out u32 16 zero\nlaunch tiny\n  grid (3) * 2   # six\n  block\n 1\n\n  args (\n out,\n "
      "u32:len(out)\n)",
      &s);
  assert_true(s.grid[0] == 6 && s.value[5] == 5 && s.value[6] == 0);
  works("buffer out u32 16 zero\nlaunch tiny grid ceil(16 / 3.0) block 1 args (out, 16.0)", &s);
  assert_true(s.grid[0] == 6 && s.value[5] == 5);
}

static uint64_t bytes_at(const struct seen *s, unsigned at, unsigned n) {
  uint64_t v = 0;
  memcpy(&v, s->param + at, n);
  return v;
}

static void test_arguments(void **state) {
  (void)state;
  struct seen s;
  float f;
  double d;
  works(
      "buffer out f64 8 zero\n"
      "launch mixed grid 1 block 32 shared 20 args (out, s16:-2, 1, f64:0.1, struct {u8:7, f64:2.5, s32:-3}, "
      "local 100)",
      &s);
  assert_int_equal(bytes_at(&s, 8, 2), 0xfffe);
  memcpy(&f, s.param + 12, 4);
  memcpy(&d, s.param + 16, 8);
  assert_true(f == 1 && d == 0.1);
  assert_int_equal(s.param[24], 7);
  memcpy(&d, s.param + 32, 8);
  assert_true(d == 2.5);
  assert_int_equal(bytes_at(&s, 40, 4), 0xfffffffd);
  /* static 40 to 48, then `shared` 20 to 32 */
  assert_int_equal(bytes_at(&s, 48, 8), 80);
  assert_int_equal(s.shared, 132);
  works(
      "buffer out f64 8 zero\nsymbol table u64 data 5\n"
      "launch mixed grid 1 block 32 args (table, 1, 2, 3, struct {struct {u8:1, u16:2}, table + 8, out}, local 4)",
      &s);
  assert_int_equal(bytes_at(&s, 0, 8), GLOBAL_BASE);
  assert_int_equal(bytes_at(&s, 24, 4), 0x00020001);
  assert_int_equal(bytes_at(&s, 32, 8), GLOBAL_BASE + 8);
  assert_int_equal(bytes_at(&s, 40, 8) % 256, 0);
  breaks(
      "buffer out f64 8 zero\n"
      "launch mixed grid 1 block (64, 4) args (out, 1, 2, 3, struct {u8:7, f64:2.5, s32:-3}, local 100)",
      "t.launch:3:28: error: found 256 threads in the block, expected at most 128, the .maxntid of 'mixed'");
}

static void test_launch_fails(void **state) {
  (void)state;
  static const char text[] = "ptx x\nbuffer out u32 4 zero\nrepeat 3 { launch tiny grid 1 block 1 args (out, 4) }";
  struct seen s = {.stop = 2, .message = "too large"};
  assert_string_equal(run("t", text, sizeof text - 1, 0, &s), "t:3:19: error: too large");
  assert_int_equal(s.n, 2);
  s = (struct seen){.stop = 1};
  assert_string_equal(run("t", text, sizeof text - 1, 0, &s), "t:3:19: error: the launch of 'tiny' failed");
}

static void test_regs(void **state) {
  (void)state;
  static const char text[] =
      "ptx ../k.ptx\nbuffer out u32 4 zero\nlaunch tiny grid 1 block 1 args (out, 4)\n"
      "launch tiny grid 1 block 1 regs 24 args (out, 4)";
  struct err e = {0};
  struct script *s = script_parse("dir/t.launch", text, sizeof text - 1, &e);
  assert_non_null(s);
  assert_int_equal(script_regs(s, "tiny"), 24);
  assert_int_equal(script_regs(s, "mixed"), 0);
  assert_string_equal(script_ptx(s), "dir/../k.ptx");
  script_free(s);
  s = script_parse("t.launch", "ptx \"/a b#c.ptx\"", 16, &e);
  assert_non_null(s);
  assert_string_equal(script_ptx(s), "/a b#c.ptx");
  script_free(s);
}

/* ---- control and names ---- */

static void test_control(void **state) {
  (void)state;
  struct seen s;
  works(
      "let total = 0\nrepeat 4 as a {\n  repeat a as b { let total = total + 10 * a + b }\n}\n"
      "buffer out u32 1 fill total",
      &s);
  assert_true(s.value[0] == 10 + 20 + 21 + 30 + 31 + 32);
  works("buffer out u32 2 zero\nwhile out[0] < 7 max 7 { set out[0] = out[0] + 1; set out[1] = 2 * out[0] }", &s);
  assert_true(s.value[0] == 7 && s.value[1] == 14);
  breaks("buffer out u32 1 zero\nwhile out[0] < 8 max 7 { set out[0] = out[0] + 1 }",
         "t.launch:3:1: error: found the condition still true after 7 rounds, expected it to end within 'max'");
  works("buffer out u32 1 zero\nrepeat 0 { set out[5] = 1 }\nrepeat 1000000000000 { }", &s);
  works("let i = 3\nbuffer out u32 4 expr i\nset out[0] = i", &s);
  assert_true(s.value[0] == 3 && s.value[1] == 1);
}

static bool shape(const char *text, const char *kernel, struct launch_shape *out, struct err *e) {
  char all[1000];
  snprintf(all, sizeof all, "ptx tiny.ptx\n%s\n", text);
  memset(e, 0, sizeof *e);
  struct script *s = script_parse("t.launch", all, strlen(all), e);
  bool ok = s && script_shape(s, make_module(), kernel, out, e);
  script_free(s);
  return ok;
}

/* ---- sizes ---- */

static struct script *sized(const char *text, const char *size, struct err *e) {
  memset(e, 0, sizeof *e);
  struct script *s = script_parse("t.launch", text, strlen(text), e);
  if (!s) fail_msg("%d:%d: %s", e->line, e->col, e->text);
  if (size && !script_choose(s, size, e)) {
    script_free(s);
    return NULL;
  }
  return s;
}

/* The buffer `out` of a size; NULL: of the one that runs when none is asked for. */
static void run_size(const char *text, const char *size, struct seen *seen) {
  struct err e;
  memset(seen, 0, sizeof *seen);
  struct script *s = sized(text, size, &e);
  assert_non_null(s);
  const struct host_ops ops = {.launch = on_launch, .ctx = seen};
  if (!script_run_then(s, make_module(), 0, &ops, on_buffer, seen, &e)) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  script_free(s);
}

/* Each size runs its own statements and those of all, in the file's order; a name that all define is one name. */
static void test_sizes(void **state) {
  (void)state;
  static const char text[] =
      "ptx tiny.ptx\nsizes small big huge\n"
      "size small { let n = 3; buffer out u32 n rand 0 1000 }\n"
      "size big huge { let n = 5; buffer more u32 4 fill 9 }\n"
      "size huge { let n = n + 1 }\n"
      "size big huge { buffer out u32 n rand 0 1000 }\n"
      "let first = out[0]\n"
      "size small { repeat 2 as k { let t = n * 10 + k; set out[k] = t } }\n"
      "size big { let t = 7; set out[1] = more[3] + t }\n"
      "set out[2] = n\n"
      "size huge { set out[1] = 1 }\n"
      "expect out[2] n\nsize small { expect out[1] 31 }\n";
  struct seen s;
  run_size(text, "small", &s);
  assert_true(s.buffers == 1 && s.value[0] == 30 && s.value[1] == 31 && s.value[2] == 3);
  run_size(text, "huge", &s);
  assert_true(s.buffers == 2 && s.value[1] == 1 && s.value[2] == 6);
  const double draws[3] = {s.value[0], s.value[3], s.value[4]};
  run_size(text, "big", &s);
  assert_true(s.buffers == 2 && s.value[1] == 16 && s.value[2] == 5);
  assert_true(s.value[0] == draws[0] && s.value[3] == draws[1] && s.value[4] == draws[2]);
  works("let n = 5\nbuffer out u32 n rand 0 1000", &s); /* as in a file of one size */
  assert_true(s.value[0] == draws[0] && s.value[3] == draws[1] && s.value[4] == draws[2]);
}

/* Which one runs: that of --size; without it `default`, or else the first. */
static void test_size_chosen(void **state) {
  (void)state;
  static const char with[] = "ptx t\nsizes a default b\nsize a { let n = 1 }\nsize default b { let n = 2 }",
                    without[] = "ptx t\nsizes b a\nsize a { let n = 1 }\nsize b { let n = 2 }",
                    none[] = "ptx t\nlet n = 1";
  const struct {
    const char *text, *asked, *chosen;
  } row[] = {{with, NULL, "default"},   {with, "default", "default"}, {with, "b", "b"}, {without, NULL, "b"},
             {without, "default", "b"}, {without, "a", "a"},          {none, NULL, ""}, {none, "small", ""}};
  struct err e;
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    struct script *s = sized(row[k].text, row[k].asked, &e);
    assert_non_null(s);
    assert_string_equal(script_size(s), row[k].chosen);
    script_free(s);
  }
  assert_null(sized(with, "c", &e));
  assert_true(e.line == 2 && e.col == 7);
  assert_string_equal(e.text, "found no size 'c', expected one of this file's: a, default, b");
  struct script *s = sized(with, NULL, &e);
  assert_string_equal(script_size_name(s, 2), "b");
  assert_null(script_size_name(s, 3));
  assert_true(script_has_size(s, "a") && !script_has_size(s, "c"));
  script_free(s);
}

/* A launch's blocks before anything has run. */
static void test_shape(void **state) {
  (void)state;
  struct launch_shape s;
  struct err e;
  /* in loops whose conditions only a run could know, with a grid that is zero before it; the first of two counts */
  assert_true(
      shape("let b = 8\nbuffer k u32 1 zero\nbuffer out u32 k[0] zero\nlet m = k[0]\nwhile k[0] > 3 max 5 {\n"
            "repeat m as i { launch tiny grid k[0] block (b, 2) shared 48 args (out, 1000000) } }\n"
            "launch tiny grid 1 block 7 args (out, 1)",
            "tiny", &s, &e));
  assert_false(e.set);
  assert_true(s.block[0] == 8 && s.block[1] == 2 && s.block[2] == 1);
  assert_int_equal(s.shared_dyn, 48);
  /* `shared` 20 to 32, then local 100 */
  assert_true(shape(
      "buffer out f64 8 zero\nlaunch tiny grid 1 block 3 args (out, 1)\nlaunch mixed grid 1 block 32 shared 20 args "
      "(out, 1, 1, 1, struct {u8:7, f64:2.5, s32:-3}, local 100)",
      "mixed", &s, &e));
  assert_int_equal(s.block[0], 32);
  assert_int_equal(s.shared_dyn, 132);
  /* those of the size that runs: a file's `default` */
  assert_true(
      shape("sizes small default\nbuffer out u32 8 zero\nsize small { let b = 16; launch tiny grid 1 block b args "
            "(out, 1) }\n"
            "size default { let b = 64 }\nlaunch tiny grid 1 block b args (out, 1)",
            "tiny", &s, &e));
  assert_int_equal(s.block[0], 64);
  assert_false(
      shape("buffer out u32 1 zero\nlaunch tiny grid 1 block 7 args (out, 1)", "mixed", &s, &e)); /* not launched */
  assert_false(e.set);
  assert_false(
      shape("buffer out u32 1 zero\nlaunch tiny grid 1 block len(out) args (out, 1)\n"
            "launch tiny grid 1 block 7 args (out, 1)",
            "tiny", &s, &e)); /* only a run knows */
  assert_string_equal(e.text, "found 0 for block dimension x, expected a whole number from 1 to 1024");
  assert_int_equal(e.line, 3);
}

static void test_swap(void **state) {
  (void)state;
  struct seen s;
  works("buffer in u32 2 fill 1\nbuffer out u32 3 fill 2\nrepeat 3 { swap in out }\nset out[0] = 9\nexpect in[2] 2",
        &s);
  assert_true(s.value[0] == 9 && s.value[1] == 1);
  assert_int_equal(s.buffers, 2);
  breaks("buffer a u32 2 fill 1\nbuffer b u32 3 fill 2\nswap a b\nlet x = a[2]\nlet y = b[2]",
         "t.launch:6:9: error: found index 2 of 'b', expected 0 to 1");
}

static void test_symbols(void **state) {
  (void)state;
  struct seen s;
  works(
      "symbol taps f32 data 2 3\nset taps[4] = 9\nexpect taps[1] 3\nexpect taps[2] 0\nexpect taps[4] 9\n"
      "repeat 3 as k { symbol table u16 fill k + 1 }\nbuffer out u32 2 data len(taps) sum(table)",
      &s);
  assert_true(s.value[0] == 5 && s.value[1] == 24);
  works("repeat 0 { symbol taps f32 zero }\nbuffer out f32 2 data taps[0] taps[1]", &s); /* what the PTX says */
  assert_true(s.value[0] == 1 && s.value[1] == 0);
  breaks("repeat 1 { symbol taps f32 zero }\nlet a = addr(taps)",
         "t.launch:3:9: error: found the address of a symbol in constant memory, expected one in global memory");
}

/* ---- expect and dump ---- */

static void test_expect(void **state) {
  (void)state;
  struct seen s;
  works(
      "buffer a f32 4 data 1.001 -2 nan inf\nexpect a[0] 1 rel 0.002\nexpect a[0] 1 abs 0.002\nexpect a[2] nan\n"
      "expect a[3] inf\nexpect a[1] -2\nbuffer u u64 1 fill -1\nexpect u[0] 18446744073709551615\n"
      "expect u[0] -2 abs 1\nbuffer z f32 1 fill 0.1\nexpect z[0] 0.1\nbuffer o u32 1 fill -1\nexpect o[0] -1",
      &s);
  breaks("buffer a f32 2 data 1.001 2\nexpect a[0] 1 rel 1e-4 abs 1e-5",
         "t.launch:3:1: error: found a[0] = 1.00100005, expected 1 within rel 0.0001 or abs 1e-05");
  breaks("buffer a f32 1 data 3\nexpect a[0] inf rel 1",
         "t.launch:3:1: error: found a[0] = 3, expected inf within rel 1");
  breaks("buffer a u32 1 data 3\nexpect a[0] 3.5", "t.launch:3:1: error: found a[0] = 3, expected 3.5");
  breaks("buffer a u64 3 fill -1\nexpect a expr i",
         "t.launch:3:1: error: found a[0] = 18446744073709551615, expected 0; 3 of 3 elements differ");
  breaks("buffer a s8 4 fill -1\nset a[2] = 4\nexpect a expr -1 abs 4",
         "t.launch:4:1: error: found a[2] = 4, expected -1 within abs 4; 1 of 4 elements differ");
  works("buffer a u8 3 data 97 98 99\nexpect a fnv e71fa2190541574b\nexpect a fnv 0xE71FA2190541574B", &s);
}

static void test_dump(void **state) {
  (void)state;
  struct seen s;
  char dir[] = "/tmp/regtwin_launch_XXXXXX", text[600], path[100];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/a.bin", dir);
  snprintf(text, sizeof text,
           "buffer a s16 3 data 1 -2 3\ndump a %s\nset a[0] = 7\ndump a \"%s\"\n"
           "buffer out s16 3 file %s\nexpect out expr a[i]\nexpect a file %s",
           path, path, path, path);
  works(text, &s);
  assert_true(s.value[0] == 7 && s.value[1] == -2);
  snprintf(text, sizeof text, "buffer a s16 4 file %s", path);
  char message[300];
  snprintf(message, sizeof message, "t.launch:2:21: error: found 6 bytes in '%s', expected at least 8", path);
  breaks(text, message);
  unlink(path);
  assert_int_equal(rmdir(dir), 0); /* nothing else is left there */
}

/* What libpng reads back from dir/name, as rgb, n bytes, is `want`. */
static void picture(const char *dir, const char *name, unsigned w, unsigned h, const uint8_t *want) {
  char path[100];
  uint8_t got[64];
  png_image png = {.version = PNG_IMAGE_VERSION};
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_true(png_image_begin_read_from_file(&png, path));
  assert_true(png.width == w && png.height == h && w * h * 3 <= sizeof got);
  png.format = PNG_FORMAT_RGB;
  assert_true(png_image_finish_read(&png, NULL, got, 0, NULL));
  assert_memory_equal(got, want, w * h * 3);
  unlink(path);
}

static void test_image(void **state) {
  (void)state;
  struct seen s;
  char dir[] = "/tmp/regtwin_launch_XXXXXX", message[300];
  static const char text[] =
      "buffer a f32 6 data 0 0.5 nan -1 0.25 7\nimage a 3 2 gray a.png\n"
      "buffer b s32 6 data -1 7 256 255 128 0\nimage b 1 2 rgb b.png\n"
      "buffer c u16 2 data 1000 1500\nimage c 2 1 gray c.png range 1000 c[1] + 500";
  works(text, &s); /* checked, not written */
  assert_non_null(mkdtemp(dir));
  images = dir;
  works(text, &s);
  static const uint8_t a[] = {0, 0, 0, 128, 128, 128, 0, 0, 0, 0, 0, 0, 64, 64, 64, 255, 255, 255};
  static const uint8_t b[] = {0, 7, 255, 255, 128, 0}, c[] = {0, 0, 0, 128, 128, 128};
  picture(dir, "a.png", 3, 2, a);
  picture(dir, "b.png", 1, 2, b);
  picture(dir, "c.png", 2, 1, c);
  assert_int_equal(rmdir(dir), 0); /* nothing else is left there */
  snprintf(message, sizeof message, "t.launch:3:18: error: cannot write '%s/a.png': No such file or directory", dir);
  breaks("buffer a u8 1 zero\nimage a 1 1 gray a.png", message);
  images = NULL;
}

/* ---- messages ---- */

static void launch_refusal(const char *path, char *out, size_t size) {
  snprintf(out, size, "%s", run(path, NULL, 0, 0, NULL));
}

static void test_bad_files(void **state) {
  (void)state;
  all_refused("tests/data/bad/launch", launch_refusal, 30);
}

static void put_file(const char *dir, const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void always_a(const char *path, char *out, size_t size) { snprintf(out, size, "%s:A", path); }

/* What tests/bad_cases.sh says of DIR/planted.txt, without the newline; its files are in DIR/out. */
static void script_says(const char *dir, char *out, size_t size) {
  char command[300];
  snprintf(command, sizeof command, "tests/bad_cases.sh %s/planted.txt %s/out 2>&1 >%s/names", dir, dir, dir);
  FILE *p = popen(command, "r");
  assert_non_null(p);
  out[fread(out, 1, size - 1, p)] = 0;
  out[strcspn(out, "\n")] = 0;
  assert_int_equal(pclose(p) == 0, out[0] == 0);
}

/* Both readers of bad inputs read a text of `n` cases, or refuse it with the same message, which contains `wrong`. */
static void both_read(const char *dir, const char *text, size_t n, const char *wrong) {
  struct err e = {0};
  struct bad_cases cases;
  char folder[200], found[1200] = "", script[1200];
  if (text) put_file(dir, "planted.txt", text);
  snprintf(folder, sizeof folder, "%s/planted", dir);
  if (!bad_cases_read(folder, &cases, &e)) err_format(&e, found, sizeof found);
  script_says(dir, script, sizeof script);
  assert_string_equal(found, script);
  assert_int_equal(cases.n, n);
  if (wrong ? !strstr(found, wrong) : found[0]) fail_msg("found '%s', expected '%s'", found, wrong ? wrong : "");
  for (size_t k = 0; k < n; k++) {
    char path[400], why[IO_WHY], *bytes;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/out/%s", dir, cases.at[k].name);
    bytes = input_read(path, BAD_MOST, &size, why);
    assert_non_null(bytes);
    assert_int_equal(size, cases.at[k].n);
    assert_memory_equal(bytes, cases.at[k].input, size);
    free(bytes);
    unlink(path);
  }
  bad_cases_free(&cases);
}

/* Planted faults: bad inputs that do not fit their form, and a case that has another message. */
static void test_bad_tables(void **state) {
  (void)state;
#define B "=== b.launch (file): A\n"
  static const struct {
    const char *text;  /* NULL: there is no file */
    size_t n;          /* cases */
    const char *wrong; /* part of what is said; NULL: nothing is */
  } row[] = {
      {NULL, 0, "planted.txt: error: found no such file, expected the cases of a kind"},
      {"=== a.launch: A\n?\n\n" B, 2, NULL},
      {"# c\n\n=== a.launch: A: B\n\n\tx\n\n\n\n" B "\n=== c.launch: A\n\n=== d: A\ny\nz\n", 4, NULL},
      {"# c\n", 0, "planted.txt:2: error: found no case, expected '=== NAME: MESSAGE'"},
      {"", 0, "planted.txt:1: error: found no case, expected '=== NAME: MESSAGE'"},
      {"# c\n" B "\n=== c.launch: A", 0, "planted.txt:4: error: found no newline at the end, expected one"},
      {B "\n=== c.launch: A\nx\r\n", 0,
       "planted.txt:4: error: found a byte that is not printable ASCII, expected such"},
      {B "\n=== c.launch: A\n\xc3\xbc\n", 0, "planted.txt:4: error: found a byte that is not printable ASCII"},
      {B "\n=== c.launch: A\nx \n", 0, "planted.txt:4: error: found a blank or a tab at the end of the line"},
      {B "\n=== c.launch: A\nx\t\n", 0, "planted.txt:4: error: found a blank or a tab at the end of the line"},
      {"x\n" B, 0, "planted.txt:1: error: found 'x', expected a comment or '=== NAME: MESSAGE'"},
      {B "\n===\n", 0, ":3: error: found '===', expected '=== NAME: MESSAGE' or '=== NAME (file): MESSAGE'"},
      {B "\n=== c.launch A\n", 0, ":3: error: found '=== c.launch A', expected '=== NAME: MESSAGE' or "},
      {B "\n=== c.launch:\n", 0, ":3: error: found '=== c.launch:', expected '=== NAME: MESSAGE' or "},
      {B "\n=== c.launch:  A\n", 0, ":3: error: found '=== c.launch:  A', expected '=== NAME: MESSAGE' or "},
      {B "\n=== c.launch: A\tB\n", 0, ":3: error: found '=== c.launch: A"},
      {B "\n=== c/d.launch: A\n", 0, ":3: error: found '=== c/d.launch: A', expected '=== NAME: MESSAGE' or "},
      {B "\n=== : A\n", 0, ":3: error: found '=== : A', expected '=== NAME: MESSAGE' or "},
      {"=== a.launch: A\n?\n" B, 0,
       ":3: error: found a case directly after the line before it, expected an empty line"},
      {"=== a.launch: A\n" B, 0, ":2: error: found a case directly after the line before it, expected an empty line"},
      {B "\n=== a.launch: A\n", 0,
       ":3: error: found case 'a.launch' after 'b.launch', expected the names in order, each"},
      {B "\n" B, 0, ":3: error: found case 'b.launch' after 'b.launch', expected the names in order, each once"},
      {"=== a.launch (file): A\n\n" B, 0, ":1: error: found no file '"},
      {"=== a.launch: A\n?\n", 0, "planted.txt: error: found file '"},
      {"=== b.launch: A\n?\n", 0, "/planted/b.launch', expected a case '=== b.launch (file): MESSAGE'"},
      {B "x\n", 0, ":2: error: found 'x', expected no line, since the input is a file"},
      {B "\n\n=== c.launch: A\n", 0, ":3: error: found '', expected no line, since the input is a file"},
      {B "\n", 0, ":2: error: found an empty line at the end, expected none"},
  };
#undef B
  char dir[] = "/tmp/launch_test_XXXXXX", path[200];
  size_t n;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/planted", dir);
  assert_int_equal(mkdir(path, 0777), 0);
  put_file(path, "b.launch", "?");
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) both_read(dir, row[k].text, row[k].n, row[k].wrong);
  put_file(dir, "planted.txt", "=== a.launch: A\n\n=== b.launch (file): B\n");
  char *wrong = wrong_cases(path, always_a, &n);
  assert_int_equal(n, 2);
  if (!strstr(wrong, "b.launch:A\n  expected ") || strstr(wrong, "a.launch:A")) fail_msg("found '%s'", wrong);
  free(wrong);
  static const char *const left[] = {"planted/b.launch", "planted", "out", "names", "planted.txt"};
  for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
    snprintf(path, sizeof path, "%s/%s", dir, left[k]);
    assert_int_equal(remove(path), 0);
  }
  assert_int_equal(rmdir(dir), 0);
}

/* Every prefix of a file that uses all statements, and the file with each byte damaged, is read or refused
 * with a place. */
static void test_damaged(void **state) {
  (void)state;
  static const char text[] =
      "ptx a.ptx\nseed 3\nsizes s t\nsize s { let m = 1 }\nsize t s { let o = 2; buffer q u8 o zero }\nlet n = 4 * "
      "(2 + 1) ? 5 : 6\nbuffer a f32 n rand -1 1\nbuffer b f32 n data {1 -2}\n"
      "symbol taps u32 expr i << 2\nrepeat 2 as k {\n  launch tiny grid (n, 1) block 4 shared 4 regs 9 args (a + 4, "
      "local 4, u32:n, struct {f32:1, a})\n  swap a b\n}\nwhile a[0] max 3 { set a[0] = sum(b, 0, 1) }\n"
      "expect a[1] 4 rel 1e-3\nexpect a fnv 12\nexpect b file \"x y\"\ndump b out.bin\n"
      "image a n 1 gray a.png range -1 1\n";
  size_t n = sizeof text - 1;
  for (size_t k = 0; k <= n; k++)
    for (int how = 0; how < 4; how++) {
      char *copy = malloc(k + 1); /* exact size: an access behind the end is found under ASan */
      memcpy(copy, text, k);
      if (how && k) copy[k * 7919 % (k + 3) % k] = "\0\xff}("[how];
      struct err e = {0};
      struct script *s = script_parse("t.launch", copy, k, &e);
      if (!s) {
        assert_true(e.set && e.line > 0 && e.col > 0);
        assert_non_null(strstr(e.text, "expected"));
      }
      script_free(s);
      free(copy);
    }
}

/* What is launched may depend on results only if a statement after a launch reads them, other than to check them. */
static void test_steered(void **state) {
  (void)state;
#define HEAD "buffer out u32 4 iota 0 1\nlet g = out[1] + sum(out)\nlaunch tiny grid g block 4 args(out, u32:4)\n"
  static const struct {
    const char *text;
    bool steered;
  } t[] = {
      {HEAD, false},
      {HEAD "expect out[1] out[1]\nexpect out expr out[i]\nlet n = len(out)\nset out[0] = 0\n", false},
      {HEAD "expect out[1] out[1]\nlet n = out[1]\n", true},
      {HEAD "let n = sum(out)\n", true},
      {HEAD "let n = sum(out, 1, 2)\n", true},
      {HEAD "launch tiny grid out[2] block 4 args(out, u32:4)\n", true},
      {"buffer out u32 4 fill 1\nwhile out[1] < 1 max 2 { launch tiny grid 1 block 4 args(out, u32:4) }\n"
       "launch tiny grid 1 block 4 args(out, u32:4)\n",
       false},
      {"buffer out u32 4 fill 3\nwhile out[1] != 1 max 2 { launch tiny grid 1 block 4 args(out, u32:4) }\n", true}};
#undef HEAD
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    struct seen s;
    works(t[k].text, &s);
    if (s.steered != t[k].steered) fail_msg("case %u", k);
  }
}

static void test_large(void **state) {
  (void)state;
  size_t n = 3000000;
  char *text = malloc(n);
  struct err e = {0};
  memset(text, '(', n);
  memcpy(text, "ptx a\nlet a = ", 14);
  assert_null(script_parse("t", text, n, &e));
  memset(text + 14, '-', n - 14);
  e.set = false;
  assert_null(script_parse("t", text, n, &e));
  for (size_t k = 14; k + 1 < n; k += 2) memcpy(text + k, "1+", 2); /* long, but not deep */
  text[n - 1] = '1';
  text[n - 2] = '+';
  text[n - 3] = '1';
  e.set = false;
  text[n - 4] = '+';
  struct script *s = script_parse("t", text, n, &e);
  assert_non_null(s);
  const struct host_ops ops = {.launch = on_launch};
  assert_true(script_run(s, make_module(), 0, &ops, &e));
  script_free(s);
  free(text);
  assert_null(script_read("tests/no/such.launch", &e));
  assert_int_equal(e.line, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arithmetic),  cmocka_unit_test(test_integers_wrap), cmocka_unit_test(test_functions),
      cmocka_unit_test(test_half),        cmocka_unit_test(test_list_rule),     cmocka_unit_test(test_inits),
      cmocka_unit_test(test_random),      cmocka_unit_test(test_seed_given),    cmocka_unit_test(test_launch),
      cmocka_unit_test(test_arguments),   cmocka_unit_test(test_launch_fails),  cmocka_unit_test(test_regs),
      cmocka_unit_test(test_control),     cmocka_unit_test(test_swap),          cmocka_unit_test(test_shape),
      cmocka_unit_test(test_symbols),     cmocka_unit_test(test_expect),        cmocka_unit_test(test_dump),
      cmocka_unit_test(test_bad_files),   cmocka_unit_test(test_image),         cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_large),       cmocka_unit_test(test_bad_tables),    cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_size_chosen), cmocka_unit_test(test_steered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

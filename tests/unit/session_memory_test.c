/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_memory: memory whose buffers and modules come and go: places, space that is used again, an image at host address 0,
 * constant banks, accesses out of bounds that only warn.
 */
#include "exec_kern.h"

#include <sys/personality.h>
#include <unistd.h>

#include "exec/warp.h"
#include "compiler/regalloc/regalloc.h"
#include "compiler/ptx/ptx.h"

static struct memory *opened(bool mapped, bool lenient) {
  struct memory *m = memory_open(&(struct memory_options){.mapped = mapped, .lenient = lenient});
  assert_non_null(m);
  return m;
}

static bool all_are(const struct memory *m, uint32_t at, uint32_t bytes, uint8_t v) {
  for (uint32_t k = 0; k < bytes; k++)
    if (*image_at(m, at + k) != v) return false;
  return true;
}

/* ---- places ---- */

static void like_a_launch_file(void **state) {
  (void)state;
  static const uint32_t bytes[] = {1, 0, 255, 256, 257, 4096, 1 << 20, 3, 0, 77777, 5};
  const struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *file = memory_new(&empty), *m = opened(false, false);
  for (unsigned k = 0; k < sizeof bytes / sizeof *bytes; k++) {
    const uint32_t a = memory_alloc(file, "b", bytes[k]);
    assert_true(a != 0);
    assert_int_equal(memory_buffer(m, bytes[k], 1 << (k % 9)), a);
  }
  memory_free(file);
  memory_free(m);
}

static void used_again(void **state) {
  (void)state;
  struct memory *m = opened(false, false);
  const uint64_t total = memory_total(m);
  uint32_t at[4];
  assert_int_equal(total, LOCAL_BASE - GLOBAL_BASE);
  assert_int_equal(memory_unused(m), total);
  for (unsigned k = 0; k < 4; k++) memset(memory_at(m, at[k] = memory_buffer(m, 1000, 1), 1000), 0xee, 1000);
  assert_false(memory_release(m, at[1] + 4));
  assert_false(memory_release(m, 0));
  assert_true(memory_release(m, at[1]));
  assert_false(memory_release(m, at[1]));
  assert_null(memory_at(m, at[1], 1));
  assert_false(memory_span(m, at[1], NULL, NULL, NULL));
  assert_true(memory_buffer(m, 1025, 1) > at[3]); /* one byte too many for the hole */
  assert_int_equal(memory_buffer(m, 1024, 1), at[1]);
  assert_true(all_are(m, at[1], 1024, 0));
  assert_true(memory_release(m, at[1]) && memory_release(m, at[2]));
  assert_int_equal(memory_buffer(m, 1024 + 256 + 1024, 1), at[1]); /* both holes are one */
  uint32_t base, size;
  bool symbol = true;
  assert_true(memory_span(m, at[1] + 2303, &base, &size, &symbol));
  assert_true(base == at[1] && size == 2304 && !symbol);
  assert_true(memory_release(m, at[0]));
  assert_int_equal(memory_buffer(m, 0, 1), at[0]);
  assert_int_equal(memory_buffer(m, 1, 65536) % 65536, 0);
  memory_free(m);
}

static void all_of_it(void **state) {
  (void)state;
  struct memory *m = opened(false, false);
  assert_int_equal(memory_buffer(m, memory_total(m) + 1, 1), 0);
  assert_int_equal(memory_buffer(m, UINT64_MAX, 1), 0);
  assert_int_equal(memory_buffer(m, UINT32_MAX, 1u << 31), 0);
  const uint32_t a = memory_buffer(m, memory_total(m), 1);
  assert_int_equal(a, GLOBAL_BASE);
  *memory_at(m, LOCAL_BASE - 1, 1) = 7;
  assert_int_equal(memory_unused(m), 0);
  assert_int_equal(memory_buffer(m, 1, 1), 0);
  assert_true(memory_release(m, a));
  const uint32_t b = memory_buffer(m, 12345, 1);
  const uint64_t rest = memory_unused(m);
  assert_int_equal(b, a);
  assert_int_equal(memory_buffer(m, rest + 1, 1), 0);
  const uint32_t c = memory_buffer(m, rest, 1);
  assert_true(c > b);
  assert_int_equal(*memory_at(m, LOCAL_BASE - 1, 1), 0);
  memory_free(m);
}

/* Against a list that is searched in full. */
static void random_order(void **state) {
  (void)state;
  enum { MOST = 700, STEPS = 20000 };
  static struct { uint32_t at, bytes; } b[MOST];
  struct memory *m = opened(false, false);
  unsigned n = 0;
  uint64_t seed = 3, used = 0;
  for (unsigned k = 0; k < STEPS; k++) {
    const uint32_t r = (uint32_t)rng_next(&seed);
    if (n == MOST || (n && r % 5 < 2)) {
      const unsigned i = r / 8 % n;
      assert_true(all_are(m, b[i].at, b[i].bytes < 64 ? b[i].bytes : 64, (uint8_t)b[i].at >> 4));
      assert_true(memory_release(m, b[i].at));
      used -= b[i].bytes;
      b[i] = b[--n];
      continue;
    }
    const uint32_t bytes = r / 8 % 5000, at = memory_buffer(m, bytes, 1);
    uint32_t want = GLOBAL_BASE; /* the lowest place with 256 bytes to all others */
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned i = 0; i < n; i++) {
        const uint32_t end = (b[i].at + b[i].bytes + 255) / 256 * 256 + 256;
        if (want >= end || (want + bytes + 255) / 256 * 256 + 256 <= b[i].at) continue;
        want = end;
        moved = true;
      }
    }
    assert_int_equal(at, want);
    b[n].at = at;
    b[n++].bytes = bytes;
    memset(image_at(m, at), (uint8_t)at >> 4, bytes);
    used += bytes;
  }
  assert_true(memory_total(m) - memory_unused(m) >= used);
  while (n) assert_true(memory_release(m, b[--n].at));
  assert_int_equal(memory_unused(m), memory_total(m));
  memory_free(m);
}

/* With time by the square of their number this test would not end. */
static void many_buffers(void **state) {
  (void)state;
  enum { MANY = 200000 };
  static uint32_t at[MANY];
  struct memory *m = opened(false, false);
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned k = 0; k < MANY; k++) assert_true((at[k] = memory_buffer(m, 16, 1)) != 0);
    assert_int_equal(at[MANY - 1], GLOBAL_BASE + 512 * (MANY - 1));
    assert_ptr_equal(memory_at(m, at[777] + 15, 1), image_at(m, at[777] + 15));
    for (unsigned k = 0; k < MANY; k++) assert_true(memory_release(m, at[(uint64_t)k * 7919 % MANY]));
  }
  memory_free(m);
}

/* ---- modules ---- */

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

static bool in_memory(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  *base = memory_block(ctx, bytes, align);
  return *base != 0;
}

static struct module *placed(struct memory *m, const char *text) {
  struct err e = {0};
  const struct ptx_place place = {in_memory, m};
  struct module *module = ptx_parse_at("t.ptx", text, strlen(text), &place, &e);
  if (!module) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  memory_module(m, module);
  return module;
}

static const char adds[] = HEAD
    ".const .u32 k = %K; .global .align 4 .u32 v[3] = {1, 2, %V}; .global .u64 p = v; .global .align 4096 .u8 w;\n"
    ".entry add(.param .u64 o) { .reg .b64 %o; .reg .b32 %r<4>; ld.param.u64 %o, [o]; ld.const.u32 %r0, [k];\n"
    "ld.global.u32 %r1, [v+8]; add.u32 %r2, %r0, %r1; st.global.u32 [%o], %r2; st.global.u32 [v], %r2; ret; }\n";

static struct module *adder(struct memory *m, char k, char v) {
  char text[sizeof adds];
  struct err e = {0};
  strcpy(text, adds);
  memcpy(strstr(text, "%K"), (char[]){' ', k}, 2);
  memcpy(strstr(text, "%V"), (char[]){' ', v}, 2);
  struct module *module = placed(m, text);
  assert_true(alloc_kernel(module, &module->kernel[0], 0, &e));
  return module;
}

static void launched(struct memory *m, struct bank *b, const struct module *module, uint64_t param, uint32_t want) {
  struct err e = {0};
  const struct launch l = {.module = module,
                           .code = &module->kernel[0],
                           .mem = m,
                           .bank = b,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .param = (const uint8_t *)&param};
  if (!exec_run(&l, 0, NULL, &e)) fail_msg("%s", e.text);
  assert_memory_equal(memory_at(m, (uint32_t)param, 4), &want, 4);
}

static void several_modules(void **state) {
  (void)state;
  for (int mapped = 0; mapped < 2; mapped++) {
    struct memory *m = opened(mapped, false);
    const uint32_t out = memory_buffer(m, 4, 1);
    struct module *one = adder(m, '5', '3');
    struct module *two = adder(m, '7', '8');
    struct bank *first = bank_new(one), *second = bank_new(two);
    assert_true(one->global_base % 4096 == 0 && two->global_base > one->global_base);
    launched(m, first, one, out, 8);
    launched(m, second, two, out, 15);
    launched(m, first, one, out, 8);
    for (uint32_t k = 0; k < two->nsymbol; k++) {
      const struct symbol *s = &two->symbol[k];
      uint32_t base, size;
      bool symbol;
      uint64_t p;
      if (s->space == SP_CONST) continue;
      assert_true(memory_span(m, s->addr, &base, &size, &symbol) && base == s->addr && size == s->size && symbol);
      assert_false(memory_release(m, s->addr));
      if (strcmp(s->name, "p") != 0) continue;
      memcpy(&p, memory_at(m, s->addr, 8), 8);
      assert_int_equal(p, two->symbol[k - 1].addr);
    }
    bank_free(first);
    bank_free(second);
    const uint32_t base = one->global_base;
    memory_drop_module(m, one);
    module_free(one);
    one = adder(m, '1', '1');
    assert_int_equal(one->global_base, base); /* its place again, and its variables are new */
    first = bank_new(one);
    launched(m, first, one, out, 2);
    memory_drop_module(m, one);
    memory_drop_module(m, two);
    module_free(one);
    module_free(two);
    bank_free(first);
    assert_true(memory_release(m, out));
    assert_int_equal(memory_unused(m), memory_total(m));
    memory_free(m);
  }
}

/* The first module's variables and the first buffers behind them lie where those of a launch file do. */
static void first_module(void **state) {
  (void)state;
  for (unsigned bytes = 200; bytes < 280; bytes++) {
    char text[400];
    struct err e = {0};
    snprintf(text, sizeof text, HEAD ".global .u32 v; .global .b8 w[%u]; .entry k() { ret; }\n", bytes);
    struct module *alone = ptx_parse("t.ptx", text, strlen(text), &e);
    assert_non_null(alone);
    struct memory *file = memory_new(alone), *m = opened(false, false);
    struct module *shared = placed(m, text);
    for (unsigned k = 0; k < 2; k++) assert_int_equal(shared->symbol[k].addr, alone->symbol[k].addr);
    for (unsigned k = 0; k < 3; k++) assert_int_equal(memory_buffer(m, 100, 1), memory_alloc(file, "b", 100));
    memory_free(file);
    memory_free(m);
    module_free(alone);
    module_free(shared);
  }
}

static bool no_room(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  (void)base;
  *(uint64_t *)ctx = bytes << 32 | align;
  return false;
}

static void places_of_modules(void **state) {
  (void)state;
  struct err e = {0};
  uint64_t asked = 0;
  const struct ptx_place place = {no_room, &asked};
  const char with[] = HEAD ".global .align 1024 .b8 x[2000]; .global .u8 y;\n.entry k() { ret; }";
  assert_null(ptx_parse_at("t.ptx", with, strlen(with), &place, &e));
  assert_int_equal(asked, (uint64_t)(2048 + 17) << 32 | 1024);
  assert_string_equal(e.text, "found 2065 bytes of .global variables, for which there is no room");
  const char without[] = HEAD ".const .u8 y = 3;\n.entry k() { ret; }";
  asked = 0;
  struct module *m = ptx_parse_at("t.ptx", without, strlen(without), &place, &e);
  assert_true(m && !asked && m->nkernel == 1 && m->const_bytes == 1 && !m->global_base);
  module_free(m);
}

static void banks(void **state) {
  (void)state;
  static const uint8_t init[] = {1, 2, 3, 4};
  struct symbol sym[] = {{"c", SP_CONST, T_U8, 8, 4, init}, {"g", SP_GLOBAL, T_U8, GLOBAL_BASE, 4, init}};
  struct module m = {.symbol = sym, .nsymbol = 2, .const_bytes = 12};
  struct bank *b = bank_new(&m);
  uint32_t at;
  char name[] = "table";
  assert_memory_equal(bank_at(b, 8, 4), init, 4);
  assert_null(bank_at(b, 8, 5));
  assert_null(bank_at(b, UINT32_MAX, 4));
  assert_true(bank_add(b, name, 100, 16, &at));
  memset(name, 'x', 5);
  assert_int_equal(at, 16);
  memset(bank_at(b, at, 100), 9, 100);
  assert_true(bank_add(b, "b", 65536 - 128, 16, &at));
  assert_int_equal(at, 128);
  assert_false(bank_add(b, "c", 1, 1, &at));
  bank_reset(b);
  assert_null(bank_at(b, 16, 1));
  assert_false(bank_add(b, "d", UINT32_MAX, 16, &at));
  assert_false(bank_add(b, "d", 65536 - 15, 16, &at));
  assert_true(bank_add(b, "d", 65536 - 16, 16, &at));
  assert_true(at == 16 && bank_at(b, 16, 1)[0] == 0 && bank_at(b, 65535, 1));
  assert_memory_equal(bank_at(b, 8, 4), init, 4);
  bank_free(b);
  bank_free(NULL);
}

/* ---- an image at host address 0 ---- */

static void at_zero(void **state) {
  (void)state;
  struct memory *m = opened(true, false), *other = opened(true, false);
  assert_true(memory_mapped(m));
  assert_false(memory_mapped(other)); /* the place is taken: all else goes on */
  const uint32_t a = memory_buffer(m, 64, 1), b = memory_buffer(m, 1 << 20, 1), c = memory_buffer(other, 64, 1);
  assert_true(a && b && c);
  assert_ptr_equal(memory_at(m, a + 5, 4), host_at(NULL, a + 5));
  memset(memory_at(m, b, 1 << 20), 0xaa, 1 << 20);
  memset(host_at(NULL, b), 0xbb, 4);
  memory_free(other);
  assert_true(memory_release(m, b));
  assert_int_equal(memory_buffer(m, 1 << 20, 1), b);
  assert_true(all_are(m, b, 1 << 20, 0));
  memory_free(m);
  m = opened(true, false); /* it can be mapped again */
  assert_true(memory_mapped(m));
  assert_true(all_are(m, memory_buffer(m, 4096, 1), 4096, 0));
  memory_free(m);
}

/* ---- out of bounds ---- */

/* What the runs wrote to standard error. */
static char *said(char *buf, size_t size, void (*run)(void *), void *ctx) {
  char path[] = "/tmp/regtwin-test-XXXXXX";
  const int file = mkstemp(path), keep = dup(2);
  assert_true(file >= 0 && keep >= 0);
  fflush(stderr);
  dup2(file, 2);
  run(ctx);
  fflush(stderr);
  dup2(keep, 2);
  close(keep);
  const ssize_t n = pread(file, buf, size - 1, 0);
  close(file);
  unlink(path);
  buf[n > 0 ? n : 0] = 0;
  return buf;
}

struct stray {
  struct kern *k;
  unsigned runs;
  bool ok;
};

static void stray_runs(void *ctx) {
  struct stray *s = ctx;
  for (unsigned n = 0; n < s->runs; n++) s->ok = exec_run(&s->k->l, 0, NULL, &s->k->e);
}

/* out[t] = at[t] of 32 threads */
static struct kern *reads(struct memory *m, uint64_t at, uint32_t out) {
  struct kern *k = kern(32, 1);
  memory_free(k->mem);
  k->mem = k->l.mem = m;
  mul(k, D(2), S(SR_TID_X), I(4));
  add(k, D(4), D(2), I64(at));
  ld(k, SP_GLOBAL, T_U32, R(6), D(4), 0);
  add(k, D(4), D(2), I64(out));
  st(k, SP_GLOBAL, T_U32, D(4), 0, R(6));
  leave(k);
  return k;
}

static void lenient(void **state) {
  (void)state;
  char text[4096], want[400];
  for (int mapped = 0; mapped < 2; mapped++) {
    struct memory *m = opened(mapped, true);
    assert_int_equal(memory_mapped(m), mapped);
    const uint32_t in = memory_buffer(m, 64, 1), out = memory_buffer(m, 128, 1);
    for (unsigned k = 0; k < 64; k++) memory_at(m, in, 64)[k] = (uint8_t)(k + 1);
    struct kern *k = reads(m, in, out);
    struct stray s = {k, 3, false};
    snprintf(want, sizeof want,
             "regtwin: warning: t.ptx:102:0: load of 4 bytes at global address 0x%x is out of bounds: 0 bytes past "
             "the end of a buffer of 64 bytes at 0x%x" WHERE("10", "16") "\n",
             in + 64, in);
    assert_string_equal(said(text, sizeof text, stray_runs, &s), want);
    assert_true(s.ok);
    assert_memory_equal(memory_at(m, out, 64), memory_at(m, in, 64), 64);
    for (unsigned n = 64; n < 128; n++) assert_int_equal(memory_at(m, out, 128)[n], 0);
    /* a store leaves its value; a buffer there is zeroed all the same */
    k->insn[2].offset = 0;
    k->insn[1].src[1].imm = in;
    k->insn[3].src[1].imm = 0x14000000;
    k->c.name = "stores";
    s.runs = 1;
    said(text, sizeof text, stray_runs, &s);
    assert_true(s.ok && *image_at(m, 0x14000000) == 1);
    const uint32_t big = memory_buffer(m, 0x18000000, 1);
    assert_true(big && big < 0x14000000 && *image_at(m, 0x14000000) == 0);
    end(k);
  }
}

/* What stays a fault: null, beyond the memory, misaligned. */
static void lenient_faults(void **state) {
  (void)state;
  static const struct {
    uint64_t at;
    const char *text;
  } bad[] = {
      {0, "load of 4 bytes at global address 0x0 is out of bounds: a null pointer"},
      {GLOBAL_BASE - 4,
       "load of 4 bytes at global address 0xfffc is out of bounds: 4 bytes before the start of a "
       "buffer of 128 bytes at 0x10000"},
      {LOCAL_BASE,
       "load of 4 bytes at global address 0x30000000 is out of bounds: 536870652 bytes past the end of a "
       "buffer of 4 bytes at 0x10000100"},
      {0x100000000ull + GLOBAL_BASE, "load of 4 bytes at global address 0x100010000 is out of bounds: "},
      {GLOBAL_BASE + 2, "load of 4 bytes at global address 0x10002 is misaligned: expected a multiple of 4"},
  };
  for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
    struct memory *m = opened(false, true);
    const uint32_t out = memory_buffer(m, 128, 1);
    const uint32_t gap = memory_buffer(m, 0x10000000 - 0x10000 - 512, 1), last = memory_buffer(m, 4, 1);
    assert_true(gap && last);
    assert_true(memory_release(m, gap));
    struct kern *k = reads(m, bad[n].at, out);
    assert_false(exec_run(&k->l, 0, NULL, &k->e));
    assert_int_equal(k->e.line, 102);
    if (strncmp(k->e.text, bad[n].text, strlen(bad[n].text)) != 0) fail_msg("%s, expected %s", k->e.text, bad[n].text);
    end(k);
  }
}

/* Without such accesses nothing differs; with them strict faults. */
static void strict(void **state) {
  (void)state;
  struct memory *m = opened(false, false);
  const uint32_t in = memory_buffer(m, 64, 1), out = memory_buffer(m, 128, 1);
  struct kern *k = reads(m, in, out);
  fails(k, 102,
        "load of 4 bytes at global address 0x10040 is out of bounds: 0 bytes past the end of a buffer of 64 bytes at "
        "0x10000" WHERE("10", "16"));
  end(k);
}

/* The image of `mapped` needs room above this program, which its heap takes when addresses are random. */
int main(int argc, char **argv) {
  const int now = personality(0xffffffff);
  if (argc == 1 && now >= 0 && !(now & ADDR_NO_RANDOMIZE) && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(like_a_launch_file),
      cmocka_unit_test(used_again),
      cmocka_unit_test(all_of_it),
      cmocka_unit_test(random_order),
      cmocka_unit_test(many_buffers),
      cmocka_unit_test(several_modules),
      cmocka_unit_test(places_of_modules),
      cmocka_unit_test(first_module),
      cmocka_unit_test(banks),
      cmocka_unit_test(at_zero),
      cmocka_unit_test(lenient),
      cmocka_unit_test(lenient_faults),
      cmocka_unit_test(strict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

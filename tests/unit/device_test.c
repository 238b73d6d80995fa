/* SPDX-License-Identifier: Apache-2.0 */
/* device_test: memory, modules and launches of a session (host/session/device.h), and each status. */
#include "device_kit.h"

/* ---- memory ---- */

static void buffers(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e = {0};
  const uint64_t total = device_memory_total(d);
  uint32_t a = buffer(d, 1000), b = buffer(d, 5000), c = buffer(d, 1), base, bytes, wide;
  assert_int_equal(a, 0x10000);
  assert_true(b >= a + 1000 && b % 256 == 0 && c >= b + 5000);
  assert_true(device_memory_free(d) <= total - 6001 && total > 700u << 20);
  assert_true(device_span(d, b + 4999, &base, &bytes) && base == b && bytes == 5000);
  assert_false(device_span(d, b + 5000, &base, &bytes));
  assert_false(device_span(d, 0, &base, &bytes));
  assert_false(device_span(d, (1ull << 32) + b, &base, &bytes));
  assert_non_null(device_at(d, b, 5000));
  assert_null(device_at(d, b, 5001));
  assert_null(device_at(d, b + 1, 5000));
  assert_null(device_at(d, 0, 1));
  assert_null(device_at(d, (1ull << 32) + b, 1));
  assert_null(device_at(d, b, (1ull << 32) + 1));
  memset(device_at(d, b, 5000), 1, 5000);
  assert_int_equal(device_free(d, b + 1, &e), DEVICE_BAD_VALUE);
  assert_true(e.set);
  assert_int_equal(device_free(d, b, &e), DEVICE_OK);
  assert_null(device_at(d, b, 1));
  assert_int_equal(device_free(d, b, &e), DEVICE_BAD_VALUE);
  assert_int_equal(buffer(d, 3000), b); /* used again, and zero */
  for (unsigned i = 0; i < 3000; i++) assert_int_equal(device_at(d, b, 3000)[i], 0);
  assert_int_equal(device_alloc(d, 10, 1 << 20, &wide, &e), DEVICE_OK);
  assert_int_equal(wide % (1 << 20), 0);
  device_close(d);
}

static void memory_is_exhausted(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e = {0};
  uint32_t a = 1;
  const uint64_t sizes[] = {device_memory_total(d) + 1, 1ull << 32, (1ull << 32) + 8, UINT64_MAX, UINT64_MAX - 255};
  for (unsigned i = 0; i < 5; i++) {
    e.set = false;
    assert_int_equal(device_alloc(d, sizes[i], 0, &a, &e), DEVICE_NO_MEMORY);
    assert_true(e.set && !a);
  }
  assert_int_equal(device_alloc(d, 8, 3, &a, &e), DEVICE_BAD_VALUE);
  assert_int_equal(device_alloc(d, 8, 1u << 31, &a, &e), DEVICE_NO_MEMORY);
  const uint32_t all = buffer(d, device_memory_free(d) - 512);
  assert_int_equal(device_alloc(d, 4096, 0, &a, &e), DEVICE_NO_MEMORY);
  assert_int_equal(device_free(d, all, &e), DEVICE_OK);
  assert_int_equal(device_alloc(d, 4096, 0, &a, &e), DEVICE_OK);
  device_close(d);
}

/* ---- modules ---- */

#define VARIABLES                                                                                       \
  ".visible .const .align 4 .u32 factor = 3;\n.visible .global .align 4 .u32 sums[4] = {1, 2, 3, 4};\n" \
  ".visible .entry use(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<3>; ld.param.u64 %d1, [out];\n" \
  " ld.const.u32 %r1, [factor]; ld.global.u32 %r2, [sums+4]; mul.lo.u32 %r3, %r1, %r2;\n"               \
  " st.global.u32 [%d1], %r3; st.global.u32 [sums], %r3; ret; }\n"

static uint32_t use(struct device *d, struct device_module *m, uint32_t at) {
  struct err e;
  const uint64_t out = at;
  uint32_t v;
  if (go(d, kernel(m, "use"), 1, 1, &out, 8, NULL, &e) != DEVICE_OK) fail_msg("%s", e.text);
  memcpy(&v, device_at(d, at, 4), 4);
  return v;
}

static void modules_have_their_own_variables(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e = {0};
  struct device_variable f[2], s[2];
  struct device_module *m[2] = {load(d, HEAD VARIABLES), load(d, HEAD VARIABLES)};
  const uint32_t out = buffer(d, 4);
  for (unsigned i = 0; i < 2; i++) {
    assert_true(device_find_variable(m[i], "factor", &f[i]) && f[i].constant && f[i].size == 4);
    assert_true(device_find_variable(m[i], "sums", &s[i]) && !s[i].constant && s[i].size == 16);
  }
  assert_false(device_find_variable(m[0], "none", &f[0]));
  assert_int_not_equal(s[0].addr, s[1].addr);
  const uint32_t seven = 7;
  memcpy(device_constant(m[1], f[1].addr, 4), &seven, 4);
  assert_int_equal(use(d, m[0], out), 6);
  assert_int_equal(use(d, m[1], out), 14);
  assert_int_equal(*(uint32_t *)(void *)device_at(d, s[0].addr, 4), 6);
  assert_int_equal(*(uint32_t *)(void *)device_at(d, s[1].addr, 4), 14);
  assert_int_equal(device_free(d, s[0].addr, &e), DEVICE_BAD_VALUE);
  assert_null(device_constant(m[0], 65536, 1));
  assert_null(device_constant(m[0], UINT32_MAX, 2));
  device_unload(m[0]);
  assert_null(device_at(d, s[0].addr, 4));
  m[0] = load(d, HEAD VARIABLES);
  assert_true(device_find_variable(m[0], "sums", &s[1]) && s[1].addr == s[0].addr);
  assert_int_equal(use(d, m[0], out), 6);
  assert_int_equal(use(d, m[1], out), 14);
  device_unload(NULL);
  device_close(d);
}

static void constant_arguments(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct device_module *m = load(d, HEAD VARIABLES);
  struct err e = {0};
  uint32_t a, b, c;
  assert_int_equal(device_constant_add(m, 100, &a, &e), DEVICE_OK);
  assert_int_equal(device_constant_add(m, 60000, &b, &e), DEVICE_OK);
  assert_true(a >= 4 && a % 16 == 0 && b >= a + 100 && b % 16 == 0);
  memset(device_constant(m, b, 60000), 1, 60000);
  assert_int_equal(device_constant_add(m, 6000, &c, &e), DEVICE_NO_MEMORY);
  assert_true(e.set);
  assert_int_equal(device_constant_add(m, UINT32_MAX, &c, &e), DEVICE_NO_MEMORY);
  device_constant_reset(m);
  assert_int_equal(device_constant_add(m, 65000, &c, &e), DEVICE_OK);
  assert_int_equal(c, a);
  for (unsigned i = 0; i < 65000; i++) assert_int_equal(device_constant(m, c, 65000)[i], 0);
  device_close(d);
}

static enum device_status load_text(struct device *d, const char *text, size_t n, struct err *e) {
  struct device_module *m = (struct device_module *)d;
  memset(e, 0, sizeof *e);
  const enum device_status s = device_load(d, "t.ptx", text, n, &m, e);
  assert_int_equal(s == DEVICE_OK, m != NULL);
  assert_int_equal(s != DEVICE_OK, e->set);
  return s;
}

static void ptx_that_cannot_be_read(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e;
  const char *bad = HEAD ".visible .entry k() { ret; \n";
  const char *big = HEAD ".visible .global .b8 x[536870912];\n.visible .global .b8 y[536870912];\n";
  assert_int_equal(load_text(d, bad, strlen(bad), &e), DEVICE_BAD_PTX);
  assert_string_equal(e.file, "t.ptx");
  assert_int_equal(load_text(d, "", 0, &e), DEVICE_BAD_PTX);
  assert_int_equal(load_text(d, "\0\1\2\3", 4, &e), DEVICE_BAD_PTX);
  assert_int_equal(load_text(d, big, strlen(big), &e), DEVICE_BAD_PTX); /* more than any module may have */
  const char *most = HEAD ".visible .global .b8 x[524288000];\n";
  const uint32_t a = buffer(d, 500u << 20);
  assert_int_equal(load_text(d, most, strlen(most), &e), DEVICE_NO_MEMORY);
  assert_int_equal(device_free(d, a, &e), DEVICE_OK);
  assert_int_equal(load_text(d, most, strlen(most), &e), DEVICE_OK);
  assert_int_equal(load_text(d, HEAD, strlen(HEAD), &e), DEVICE_OK); /* no kernel at all */
  device_close(d);
}

static void refused_kernels(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e;
  struct device_about about;
  struct device_module *m =
      load(d, HEAD ".extern .func other();\n.visible .entry bad(.param .u64 p) { call.uni other; ret; }\n" FILL);
  struct device_kernel *k = kernel(m, "bad");
  memset(&e, 0, sizeof e);
  assert_int_equal(device_kernel_about(k, &about, &e), DEVICE_REFUSED);
  assert_true(about.refused && !strcmp(about.name, "bad") && !about.regs && e.line == 5);
  const uint64_t p = 0;
  assert_int_equal(go(d, k, 1, 32, &p, 8, NULL, &e), DEVICE_REFUSED);
  assert_string_equal(e.file, "t.ptx");
  assert_int_equal(e.line, 5);
  assert_int_equal(device_occupancy(k, 32, 0), 0);
  fill(d, kernel(m, "fill"), buffer(d, 4096), 1024, 1); /* the session goes on */
  assert_string_equal((device_kernel_about(device_find_kernel(m, "bad"), &about, &e), about.name), "bad");
  assert_string_equal((device_kernel_about(device_find_kernel(m, "fill"), &about, &e), about.name), "fill");
  assert_null(device_find_kernel(m, "fil"));
  device_close(d);
}

static void about_a_kernel(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e = {0};
  struct device_about a;
  struct device_module *m =
      load(d, HEAD
           ".visible .const .u32 c[3];\n.visible .entry k(.param .u32 n, .param .align 8 .b8 s[24]) .reqntid 8, 4 {\n"
           " .local .align 4 .b8 l[40]; .shared .align 4 .b8 sh[256]; .reg .b32 %r<3>;\n"
           " mov.u32 %r1, %tid.x; mov.u32 %r2, sh; st.shared.u32 [%r2], %r1; mov.u32 %r2, l; st.local.u32 [%r2], %r1; "
           "ret; }\n"
           ".visible .entry most() .maxntid 96 { ret; }\n" FILL);
  assert_int_equal(device_kernel_about(kernel(m, "k"), &a, &e), DEVICE_OK);
  assert_int_equal(a.nparam, 2);
  assert_int_equal(a.param_bytes, 32);
  assert_int_equal(a.param[1].offset, 8);
  assert_int_equal(a.param[1].size, 24);
  assert_int_equal(a.shared_bytes, 256);
  assert_true(a.local_bytes >= 40 && a.regs >= 2);
  assert_int_equal(a.constant_bytes, 12);
  assert_int_equal(a.max_threads, 32);
  assert_true(a.reqntid[0] == 8 && a.reqntid[1] == 4 && !a.refused);
  assert_int_equal(device_kernel_about(kernel(m, "most"), &a, &e), DEVICE_OK);
  assert_int_equal(a.max_threads, 96);
  assert_int_equal(device_kernel_about(kernel(m, "fill"), &a, &e), DEVICE_OK);
  assert_int_equal(a.max_threads, 1024);
  const struct config *c = device_config(d);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 1024, 0), c->sm_threads / 1024);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 32, 0), c->sm_ctas);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 32, 40000), c->shared_bytes / 40192);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 0, 0), 0);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 2000, 0), 0);
  assert_int_equal(device_occupancy(kernel(m, "fill"), 32, UINT32_MAX), 0);
  device_close(d);
}

/* ---- launches ---- */

static void launches_that_cannot_be(void **state) {
  (void)state;
  struct device *d = open_plain();
  struct err e = {0};
  struct device_module *m =
      load(d, HEAD FILL ".visible .entry exact() .reqntid 64 { ret; }\n.visible .entry most() .maxntid 64 { ret; }\n");
  struct device_kernel *k = kernel(m, "fill");
  const struct fill p = {buffer(d, 4096), 0};
  const struct {
    uint32_t grid[3], block[3], shared, bytes;
    enum device_status s;
  } bad[] = {{{0, 1, 1}, {32, 1, 1}, 0, 12, DEVICE_BAD_VALUE},
             {{1, 1, 0}, {32, 1, 1}, 0, 12, DEVICE_BAD_VALUE},
             {{1, 1, 1}, {32, 0, 1}, 0, 12, DEVICE_BAD_VALUE},
             {{1, 1, 1}, {32, 1, 1}, 0, 11, DEVICE_BAD_VALUE},
             {{1, 1, 1}, {32, 1, 1}, 0, 16, DEVICE_BAD_VALUE},
             {{1, 1, 1}, {1025, 1, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{1, 1, 1}, {1, 1, 65}, 0, 12, DEVICE_TOO_LARGE},
             {{1, 1, 1}, {64, 32, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{1u << 31, 1, 1}, {32, 1, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{1, 65536, 1}, {32, 1, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{1, 1, 65536}, {32, 1, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{65536, 65535, 2}, {32, 1, 1}, 0, 12, DEVICE_TOO_LARGE},
             {{1, 1, 1}, {32, 1, 1}, 1u << 20, 12, DEVICE_TOO_LARGE},
             {{1, 1, 1}, {32, 1, 1}, UINT32_MAX, 12, DEVICE_TOO_LARGE},
             {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}, ~0u, 12, DEVICE_TOO_LARGE}};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct device_launch l = {.shared_dyn = bad[i].shared, .param = &p, .param_bytes = bad[i].bytes};
    memcpy(l.grid, bad[i].grid, sizeof l.grid);
    memcpy(l.block, bad[i].block, sizeof l.block);
    e.set = false;
    assert_int_equal(device_launch(d, k, &l, NULL, &e), bad[i].s);
    assert_true(e.set);
  }
  assert_int_equal(go(d, k, 1, 32, NULL, 12, NULL, &e), DEVICE_BAD_VALUE);
  assert_int_equal(go(d, kernel(m, "exact"), 1, 32, NULL, 0, NULL, &e), DEVICE_BAD_VALUE);
  assert_int_equal(go(d, kernel(m, "most"), 1, 65, NULL, 0, NULL, &e), DEVICE_BAD_VALUE);
  assert_int_equal(go(d, kernel(m, "exact"), 1, 64, NULL, 0, NULL, &e), DEVICE_OK);
  fill(d, k, (uint32_t)p.out, 1024, 5);
  assert_int_equal(d->history.n, 2);
  device_close(d);
}

static void registers_and_local_memory_do_not_fit(void **state) {
  (void)state;
  const char *const set[] = {"rf.bytes=8192"};
  struct device *d = open_with(&(struct device_settings){.set = set, .sets = 1});
  struct err e;
  struct device_about a;
  struct device_module *m = load(d, HEAD FILL
                                 ".visible .entry local() { .local .align 4 .b8 l[500000]; .reg .b32 %r<3>;\n"
                                 " mov.u32 %r1, %tid.x; mov.u32 %r2, l; st.local.u32 [%r2], %r1; ret; }\n");
  const struct fill p = {buffer(d, 4096), 0};
  memset(&e, 0, sizeof e);
  assert_int_equal(device_kernel_about(kernel(m, "fill"), &a, &e), DEVICE_OK);
  assert_true(a.max_threads < 1024 && a.max_threads >= 32);
  assert_int_equal(device_occupancy(kernel(m, "fill"), a.max_threads, 0), 1);
  assert_int_equal(go(d, kernel(m, "fill"), 1, 1024, &p, 12, NULL, &e), DEVICE_TOO_LARGE);
  assert_non_null(strstr(e.text, "registers"));
  assert_int_equal(go(d, kernel(m, "local"), 1, 32, NULL, 0, NULL, &e), DEVICE_TOO_LARGE);
  assert_non_null(strstr(e.text, "local memory"));
  fill(d, kernel(m, "fill"), (uint32_t)p.out, 1024, 5);
  device_close(d);
}

#define WILD                                                                                                        \
  ".visible .entry wild(.param .u64 p) { .reg .b64 %d<2>; .reg .b32 %r<2>; ld.param.u64 %d1, [p];\n ld.global.u32 " \
  "%r1, [%d1]; st.global.u32 [%d1], %r1; ret; }\n"
#define TRAP ".visible .entry traps() { trap; }\n"
#define LOOP ".visible .entry loops() { L: bra L; }\n"
#define ASSERTS                                                                                                      \
  ".visible .global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};\n.visible .global .align 1 .b8 file[5] = "   \
  "{97, 46, 99, 117, 0};\n"                                                                                          \
  ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"         \
  ".visible .entry asserts() { .reg .b64 %d<4>; mov.u64 %d1, message; cvta.global.u64 %d1, %d1; mov.u64 %d2, file; " \
  "cvta.global.u64 %d2, %d2;\n"                                                                                      \
  " mov.u64 %d3, 1; { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], " \
  "%d1; st.param.b64 [b], %d2;\n"                                                                                    \
  " st.param.b32 [c], 12; st.param.b64 [d], %d2; st.param.b64 [e], %d3; call.uni __assertfail, (a, b, c, d, e); } "  \
  "ret; }\n"

/* After a failure memory can be read, nothing launched; another session works. */
static void failures(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t bytes;
    enum device_status s;
    const char *says;
  } bad[] = {{"wild", 8, DEVICE_FAULT, "out of bounds"},
             {"traps", 0, DEVICE_FAULT, "trap"},
             {"loops", 0, DEVICE_FAULT, "loop"},
             {"asserts", 0, DEVICE_ASSERT, "x > 0"}};
  for (unsigned i = 0; i < 8; i++) {
    struct device *d = open_with(&(struct device_settings){.time = i % 2 ? "all" : "none"});
    struct device_module *m = load(d, HEAD FILL WILD TRAP LOOP ASSERTS);
    struct err e;
    struct device_result r;
    const uint32_t a = buffer(d, 4096);
    const uint64_t p = a + 4096;
    fill(d, kernel(m, "fill"), a, 1024, 5);
    assert_int_equal(go(d, kernel(m, bad[i / 2].name), 2, 64, &p, bad[i / 2].bytes, &r, &e), bad[i / 2].s);
    if (!strstr(e.text, bad[i / 2].says)) fail_msg("%s", e.text);
    assert_int_equal(r.index, 1);
    assert_int_equal(((uint32_t *)(void *)device_at(d, a, 4096))[1023], 1028);
    const struct fill q = {a, 1};
    assert_int_equal(go(d, kernel(m, "fill"), 1, 64, &q, FILL_BYTES, &r, &e), DEVICE_SPENT);
    assert_int_equal(d->history.n, 2);
    assert_true(device_ns(d) > 0 || i % 2 == 0);
    device_close(d);
  }
}

static void lenient_bounds(void **state) {
  (void)state;
  struct device *d = open_with(&(struct device_settings){.lenient = true});
  struct device_module *m = load(d, HEAD WILD FILL);
  struct err e;
  const uint32_t a = buffer(d, 4096);
  uint64_t p = a + 4096 + 64;
  assert_int_equal(go(d, kernel(m, "wild"), 1, 32, &p, 8, NULL, &e), DEVICE_OK);
  fill(d, kernel(m, "fill"), a, 1024, 5);
  p = 0;
  assert_int_equal(go(d, kernel(m, "wild"), 1, 32, &p, 8, NULL, &e), DEVICE_FAULT);
  device_close(d);
}

struct printed {
  char text[256];
  size_t n;
};
static void keep(void *ctx, const char *text, size_t n) {
  struct printed *p = ctx;
  assert_true(p->n + n < sizeof p->text);
  memcpy(p->text + p->n, text, n);
  p->n += n;
}

static void prints(void **state) {
  (void)state;
  struct printed p = {.n = 0};
  struct device *d = open_with(&(struct device_settings){.print = keep, .ctx = &p});
  struct device_module *m =
      load(d, HEAD
           ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible .global .align 1 .b8 "
           "form[4] = {104, 105, 10, 0};\n"
           ".visible .entry says() { .reg .b64 %d<3>; mov.u64 %d1, form; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;\n"
           " { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d2; call.uni "
           "(r), vprintf, (f, a); } ret; }\n");
  struct err e;
  assert_int_equal(go(d, kernel(m, "says"), 1, 3, NULL, 0, NULL, &e), DEVICE_OK);
  assert_string_equal(p.text, "hi\nhi\nhi\n");
  device_close(d);
}

static void mapped(void **state) {
  (void)state;
  struct device *d = open_with(&(struct device_settings){.mapped = true});
  struct device_module *m = load(d, HEAD FILL);
  const uint32_t a = buffer(d, 4096);
  if (device_is_mapped(d)) assert_ptr_equal(device_at(d, a, 4096), (void *)(uintptr_t)a);
  fill(d, kernel(m, "fill"), a, 1024, 9);
  struct device *other = open_with(&(struct device_settings){.mapped = true}); /* its place is taken */
  fill(other, kernel(load(other, HEAD FILL), "fill"), buffer(other, 4096), 1024, 9);
  device_close(other);
  device_close(d);
  d = open_plain();
  assert_false(device_is_mapped(d));
  device_close(d);
  device_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers),
      cmocka_unit_test(memory_is_exhausted),
      cmocka_unit_test(modules_have_their_own_variables),
      cmocka_unit_test(constant_arguments),
      cmocka_unit_test(ptx_that_cannot_be_read),
      cmocka_unit_test(refused_kernels),
      cmocka_unit_test(about_a_kernel),
      cmocka_unit_test(launches_that_cannot_be),
      cmocka_unit_test(registers_and_local_memory_do_not_fit),
      cmocka_unit_test(failures),
      cmocka_unit_test(lenient_bounds),
      cmocka_unit_test(prints),
      cmocka_unit_test(mapped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

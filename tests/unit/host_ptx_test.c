/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_ptx: a module as a host program loads it (tests/data/ptx/host.cu, of nvcc and clang): which kernels are refused, what the others do,
 * without time and on one and two SMs; several SMs and accesses out of bounds.
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

#include "base/io.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "compiler/ptx/ptx.h"
#include "compiler/regalloc/regalloc.h"
#include "lab/run/timed.h"

enum { THREADS = 64 };

struct session {
  struct memory *mem;
  struct module *m;
  struct bank *bank;
  struct prints *prints;
  uint32_t p; /* int p[THREADS] = {0, 1, 2, ...} */
  char printed[4096];
};

static bool in_memory(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  *base = memory_block(ctx, bytes, align);
  return *base != 0;
}

static void opened(struct session *s, const char *text, size_t n, bool lenient) {
  struct err e = {0};
  memset(s, 0, sizeof *s);
  s->mem = memory_open(&(struct memory_options){.lenient = lenient});
  const struct ptx_place place = {in_memory, s->mem};
  s->m = ptx_parse_at("x.ptx", text, n, &place, &e);
  if (!s->m) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  memory_module(s->mem, s->m);
  s->bank = bank_new(s->m);
  for (uint32_t k = 0; k < s->m->nkernel; k++) assert_true(alloc_kernel(s->m, &s->m->kernel[k], 0, &e));
  s->p = memory_buffer(s->mem, 4 * THREADS, 1);
}

static void closed(struct session *s) {
  memory_drop_module(s->mem, s->m);
  bank_free(s->bank);
  module_free(s->m);
  memory_free(s->mem);
}

static void keep(void *ctx, const char *text, size_t n) {
  struct session *s = ctx;
  snprintf(s->printed, sizeof s->printed, "%.*s", (int)n, text);
}

static unsigned host_threads = 1;
static struct sm_stats last; /* of the last timed launch's first SM */

/* sms 0: without time. With CTAs of `block` threads. */
static bool launched(struct session *s, const char *kernel, unsigned sms, uint32_t block, uint32_t *out,
                     struct err *e) {
  const uint64_t param = s->p;
  uint32_t *const p = (uint32_t *)(void *)memory_at(s->mem, s->p, 4 * THREADS);
  struct launch l = {.module = s->m,
                     .code = module_kernel(s->m, kernel),
                     .mem = s->mem,
                     .bank = s->bank,
                     .grid = {THREADS / block, 1, 1},
                     .block = {block, 1, 1},
                     .prints = prints_new(),
                     .param = (const uint8_t *)&param};
  *e = (struct err){0};
  s->printed[0] = 0;
  if (!l.code) fail_msg("no kernel %s", kernel);
  for (uint32_t k = 0; k < THREADS; k++) p[k] = k;
  bool ok;
  if (sms) {
    struct config c;
    config_defaults(&c);
    assert_true(config_machine(&c, "gtx980", e));
    struct gpu *g = gpu_new(&c, sms, e);
    assert_non_null(g);
    gpu_threads(g, host_threads);
    ok = timed_launch(g, &l, NULL, e);
    last = *sm_stats(gpu_sm(g, 0));
    gpu_free(g);
  } else {
    ok = exec_run(&l, 0, NULL, e);
  }
  prints_give(l.prints, keep, s);
  prints_free(l.prints);
  memcpy(out, p, 4 * THREADS);
  return ok;
}

/* ---- the files ---- */

static uint32_t expected(const char *kernel, uint32_t t) {
  const uint32_t lane = t % 32, tile = t / 16;
  if (!strcmp(kernel, "plain")) return 7 + (t % 2 ? 3 : 2) * t;
  if (!strcmp(kernel, "groups")) {
    if (t % 3 == 0) return 1000 * 11 + (t - (t / 32 ? 33 : 0)) / 3;
    return 256 * tile + 120 + THREADS;
  }
  if (!strcmp(kernel, "partitions")) {
    unsigned n = 0; /* lanes of the warp whose threads have the same remainder */
    for (uint32_t k = t - lane; k < t - lane + 32; k++) n += k % 3 == t % 3;
    return 100 * n + lane / 2;
  }
  if (!strcmp(kernel, "whole_grid")) return THREADS;
  if (!strcmp(kernel, "large_tiles")) return THREADS * (THREADS - 1) / 2 + 40;
  return t;
}

static void runs(struct session *s, const char *kernel) {
  struct err e;
  uint32_t out[THREADS];
  for (unsigned sms = 0; sms < 3; sms++) {
    if (!launched(s, kernel, sms, THREADS, out, &e)) fail_msg("%s, %u SMs: %s", kernel, sms, e.text);
    for (uint32_t t = 0; t < THREADS; t++)
      if (out[t] != expected(kernel, t))
        fail_msg("%s[%u], %u SMs: %u, not %u", kernel, t, sms, out[t], expected(kernel, t));
  }
}

static void fails(struct session *s, const char *kernel, bool assertion, const char *text) {
  struct err e;
  uint32_t out[THREADS];
  for (unsigned sms = 0; sms < 3; sms++) {
    assert_false(launched(s, kernel, sms, 32, out, &e));
    if (!strstr(e.text, text)) fail_msg("%s: '%s', expected '%s'", kernel, e.text, text);
    assert_int_equal(e.fault == FAULT_ASSERT, assertion);
    assert_true(e.line > 0);
  }
}

static void refused(const struct session *s, const char *kernel, const char *why) {
  for (const struct refusal *r = s->m->refused; r; r = r->next)
    if (!strcmp(r->name, kernel)) {
      if (!strstr(r->why.text, why)) fail_msg("%s: %s", kernel, r->why.text);
      assert_true(r->why.line > 0 && r->nparam && r->param_bytes == 8 * r->nparam);
      return;
    }
  fail_msg("%s is not refused", kernel);
}

static void file(const char *path, bool nvcc) {
  struct session s;
  size_t n;
  char why[IO_WHY], *text = input_read(path, 1 << 20, &n, why);
  if (!text) fail_msg("%s: %s", path, why);
  opened(&s, text, n, false);
  runs(&s, "plain");
  fails(&s, "asserts", true,
        "host.cu:33: void asserts(int *): block: [0,0,0], thread: [5,0,0] Assertion `p[THREAD] < 5 && \"small\"` "
        "failed.");
  fails(&s, "asserts_in_function", true, "Assertion `x <= y` failed.");
  runs(&s, "prints");
  assert_string_equal(s.printed, "0 of three: 0.00\n1 of three: 0.50\n2 of three: 1.00\n");
  refused(&s, "recursion", "recursion");
  refused(&s, "pointers", "indirect");
  refused(&s, "virtuals", "indirect");
  if (nvcc) {
    static const char *const good[] = {"groups", "partitions", "whole_grid", "large_tiles"};
    fails(&s, "traps", false, "executed a trap");
    refused(&s, "heap", "malloc");
    assert_non_null(module_kernel(s.m, "textures"));
    assert_non_null(module_kernel(s.m, "surfaces"));
    for (unsigned k = 0; k < 4; k++) runs(&s, good[k]);
  }
  closed(&s);
  free(text);
}

static void nvcc_75(void **state) {
  (void)state;
  file("tests/data/ptx/host_nvcc.ptx", true);
}
static void nvcc_90(void **state) {
  (void)state;
  file("tests/data/ptx/host_nvcc_90.ptx", true);
}
static void clang(void **state) {
  (void)state;
  file("tests/data/ptx/host_clang.ptx", false);
}

/* ---- bounds that are not kept ---- */

/* q[t] = p[t + 20 * ctaid]: of 32 + 20 words; the others of the last CTAs lie behind the buffer */
static const char past[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".global .u32 q[64];\n"
    ".entry past(.param .u64 p) { .reg .b64 %p, %q; .reg .b32 %t, %c, %v; ld.param.u64 %p, [p];\n"
    "mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mul.lo.u32 %v, %c, 20; add.u32 %t, %t, %v;\n"
    "mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q; ld.global.u32 %v, [%p];\n"
    "st.global.u32 [%p], %v; ret; }\n";

/* What a run on several SMs says on standard error. */
static void said(unsigned sms, unsigned threads, char *buf, size_t size, uint32_t *out) {
  char path[] = "/tmp/regtwin-test-XXXXXX";
  const int to = mkstemp(path), was = dup(2);
  struct session s;
  struct err e;
  assert_true(to >= 0 && was >= 0);
  opened(&s, past, strlen(past), true);
  fflush(stderr);
  dup2(to, 2);
  host_threads = threads;
  const bool ok = launched(&s, "past", sms, 8, out, &e) && launched(&s, "past", sms, 8, out, &e);
  host_threads = 1;
  fflush(stderr);
  dup2(was, 2);
  close(was);
  const ssize_t n = pread(to, buf, size - 1, 0);
  buf[n > 0 ? n : 0] = 0;
  close(to);
  unlink(path);
  if (!ok) fail_msg("%s", e.text);
  closed(&s);
}

static void one_warning(void **state) {
  (void)state;
  for (unsigned sms = 0; sms < 5; sms++) {
    char text[2][2000];
    uint32_t out[2][THREADS];
    for (unsigned threads = 1; threads <= 2; threads++) said(sms, threads, text[threads - 1], 2000, out[threads - 1]);
    assert_string_equal(text[0], text[1]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    const char *line = strchr(text[0], '\n');
    assert_true(line && !line[1] &&
                strstr(text[0], "regtwin: warning: x.ptx:7:45: load of 4 bytes at global address 0x"));
    if (!strstr(text[0], " bytes past the end of a buffer of 256 bytes at 0x")) fail_msg("%s", text[0]);
  }
}

/* With accesses that are all in bounds nothing differs. */
static void same_as_strict(void **state) {
  (void)state;
  size_t n;
  char why[IO_WHY], *text = input_read("tests/data/ptx/host_nvcc_90.ptx", 1 << 20, &n, why);
  static const char *const kernels[] = {"plain", "groups", "large_tiles"};
  for (unsigned k = 0; k < 3; k++) {
    struct sm_stats stats[2];
    uint32_t out[2][THREADS];
    for (int lenient = 0; lenient < 2; lenient++) {
      struct session s;
      struct err e;
      opened(&s, text, n, lenient);
      assert_true(launched(&s, kernels[k], 2, 64, out[lenient], &e));
      stats[lenient] = last;
      closed(&s);
    }
    assert_true(stats[0].cycles > 0);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nvcc_75), cmocka_unit_test(nvcc_90), cmocka_unit_test(clang),
                                     cmocka_unit_test(one_warning), cmocka_unit_test(same_as_strict)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

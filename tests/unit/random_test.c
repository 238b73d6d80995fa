/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random: kernels made of random instructions (random_make.h) give the same bytes in functional runs and in narrow
 * registers and with register caches on the SM, where every operand is checked; floats rounded to random formats, the same on
 * the SM as functional runs. random_test SEED COUNT [DIRECTORY]: these seeds; the last one's files stay in DIRECTORY.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/regalloc/regalloc.h"
#include "lab/run/run.h"
#include "lab/run/widths.h"
#include "unit/random_make.h"

static char dir[200] = "/tmp/random_test_XXXXXX";
static uint64_t first = 1, count = 16, converted, split;
static bool told; /* which seeds */

static FILE *create(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  return f;
}

static char *bytes_of(const char *name, size_t *n) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  char *b = malloc(1 << 20);
  *n = fread(b, 1, 1 << 20, f);
  fclose(f);
  assert_int_equal(unlink(path), 0);
  return b;
}

/* Runs it, functional if so; out: the bytes that it dumped. */
static char *results(uint64_t seed, const char *how, const char *const *set, bool functional, size_t *n) {
  char path[256];
  struct config cfg;
  struct err e = {0};
  struct workload w;
  struct run_result r;
  snprintf(path, sizeof path, "%s/k.launch", dir);
  config_defaults(&cfg);
  bool ok = config_machine(&cfg, "gtx480", &e);
  for (unsigned k = 0; ok && set[k]; k++) ok = config_set(&cfg, set[k], 0, &e);
  ok = ok && config_check(&cfg, &e) && workload_compile(path, "", &cfg, 0, &w, &e);
  if (ok) {
    const struct run_progress dumps = {.dumps = dir};
    ok = run_workload(&w, &cfg, 0, functional, &dumps, &r, &e);
    if (ok && w.compiled && !w.compiled->floats) assert_int_equal(r.quality.level, QUALITY_PERFECT);
    converted += r.sm.slice_conversions;
    split += r.sm.slice_splits;
    workload_close(&w);
  }
  if (!ok) fail_msg("seed %" PRIu64 ", %s: %s:%d: %s", seed, how, e.file, e.line, e.text);
  return bytes_of("out", n);
}

/* The same bytes, timed on the SM? */
static void same(uint64_t seed, const char *how, const char *const *set, const char *want, size_t n) {
  size_t got;
  char *b = results(seed, how, set, false, &got);
  if (got != n) fail_msg("seed %" PRIu64 ", %s: %zu bytes, expected %zu", seed, how, got, n);
  for (size_t k = 0; k < n; k++)
    if (want[k] != b[k])
      fail_msg("seed %" PRIu64 ", %s: byte %zu of thread %zu is 0x%02x, expected 0x%02x", seed, how,
               k % (MAKE_SLOTS * 4), k / (MAKE_SLOTS * 4), b[k] & 255, want[k] & 255);
  free(b);
}

/* A format for every float of the kernel. */
static void make_widths(struct maker *m) {
  char path[256];
  struct workload w;
  struct err e = {0};
  const struct narrowing how = {.ints = true, .split = true};
  snprintf(path, sizeof path, "%s/k.launch", dir);
  assert_true(workload_read(path, "", &w, &e) && pack_kernel(w.module, &w.module->kernel[0], &how, &e));
  const struct packing *p = w.module->kernel[0].packing;
  struct width_table out = {.quality = "perfect", .command = "random_test"};
  struct widths all = {.ptx = "k.ptx", .table = &out, .ntable = 1};
  assert_true(widths_hash(w.module, &all.hash, &e));
  out.width = calloc(p->nweb + 1, sizeof *out.width);
  out.width[out.n++] = (struct width){.entry = "k", .web = ""};
  for (uint32_t k = 0; k < p->nweb; k++)
    if (p->web[k].fp && rnd(m, 8))
      out.width[out.n++] = (struct width){.entry = "k", .web = p->web[k].name, .nibbles = (uint8_t)(2 + rnd(m, 7))};
  const char *input = "none";
  out.reached = &input;
  out.nreached = 1;
  FILE *f = create("k.widths");
  widths_write(&all, f);
  assert_int_equal(fclose(f), 0);
  free(out.width);
  workload_close(&w);
  f = create("about.yaml");
  fprintf(f, "what: w\nsuite: s\nentry: k\npapers: {}\ndiffers: no\nmetric: deviation\n");
  assert_int_equal(fclose(f), 0);
}

#define SLICES "slot.storage=slices", "collector.units=16", "collector.arrivals=1", "compile.regs=need"

/* Register caches in front of a slow file. */
#define ACTIVE "slot.scheduler=two_level", "sm.promote=oldest", "rf.latency=630", "sim.check=true"

static void cached(uint64_t seed, const char *want, size_t n) {
  static const struct {
    const char *how, *set[10];
  } to[] = {
      {"ltrf", {ACTIVE, "slot.storage=ltrf", "sm.schedulers=1", "sm.active_warps=4"}},
      {"ltrf, live", {ACTIVE, "slot.storage=ltrf", "sm.schedulers=4", "ltrf.live=true"}},
      {"ltrf, strands", {ACTIVE, "slot.storage=ltrf", "sm.schedulers=1", "ltrf.live=true", "ltrf.parts=strands_use"}},
      {"rfc", {ACTIVE, "slot.storage=rfc", "sm.schedulers=1", "sm.active_warps=4"}},
      {"rfc, small", {ACTIVE, "slot.storage=rfc", "sm.schedulers=4", "ltrf.interval=8"}},
      {"shrf", {ACTIVE, "slot.storage=shrf", "sm.schedulers=1", "sm.active_warps=4"}},
      {"shrf, small", {ACTIVE, "slot.storage=shrf", "sm.schedulers=4", "ltrf.parts=strands_op", "ltrf.interval=8"}}};
  for (unsigned k = 0; k < sizeof to / sizeof *to; k++) same(seed, to[k].how, to[k].set, want, n);
}

/* Writes the kernel and its launch file. */
static void make(struct maker *m, uint64_t seed) {
  FILE *f = create("k.ptx");
  make_ptx(m, f, seed);
  assert_int_equal(fclose(f), 0);
  f = create("k.launch");
  make_launch(m, f, "k.ptx", "out");
  assert_int_equal(fclose(f), 0);
}

static void one(uint64_t seed) {
  struct maker m;
  make(&m, seed);
  size_t n;
  char *want = results(seed, "executed", (const char *const[]){NULL}, true, &n);
  static const char *const integers[] = {SLICES, "compile.narrow=int", "sim.check=true", NULL};
  same(seed, "integers", integers, want, n);
  static const char *const unknown[] = {SLICES, "compile.narrow=int", "sim.check=true", "compile.facts=false", NULL};
  same(seed, "integers without facts", unknown, want, n);
  cached(seed, want, n);
  free(want);

  make_widths(&m);
  static const char *const full[] = {SLICES, "compile.narrow=full", "sim.check=true", NULL};
  want = results(seed, "floats, executed", full, true, &n);
  same(seed, "floats", full, want, n);
  static const char *const alone[] = {SLICES, "compile.narrow=float", "sim.check=true", "slices.wb_delay=2", NULL};
  same(seed, "floats only", alone, want, n);
  free(want);
}

static void clean(void) {
  static const char *const names[] = {"k.ptx", "k.launch", "k.widths", "about.yaml", "out"};
  char path[256];
  for (unsigned k = 0; k < 5; k++) {
    snprintf(path, sizeof path, "%s/%s", dir, names[k]);
    unlink(path);
  }
}

static void random_kernels(void **state) {
  (void)state;
  for (uint64_t seed = first; seed < first + count; seed++) {
    clean();
    if (told) print_message("# seed %" PRIu64 "\n", seed);
    one(seed);
  }
  print_message("# %" PRIu64 " operands converted, %" PRIu64 " in two parts\n", converted, split);
  if (!told) assert_true(converted > 100 && split > 100);
}

/* Kernels that found faults: results without a reader, copies, and strands whose lanes part, in shrf. */
static void kernels_that_failed(void **state) {
  (void)state;
  static const uint64_t seeds[] = {272, 405, 20061, 31958};
  for (unsigned k = 0; k < sizeof seeds / sizeof *seeds && !told; k++) {
    struct maker m;
    size_t n;
    clean();
    make(&m, seeds[k]);
    char *want = results(seeds[k], "executed", (const char *const[]){NULL}, true, &n);
    cached(seeds[k], want, n);
    free(want);
  }
}

int main(int argc, char **argv) {
  told = argc > 1;
  if (argc > 1) first = strtoull(argv[1], NULL, 0);
  if (argc > 2) count = strtoull(argv[2], NULL, 0);
  if (argc > 3) snprintf(dir, sizeof dir, "%s", argv[3]);
  else if (!mkdtemp(dir)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels), cmocka_unit_test(kernels_that_failed)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (argc <= 3) clean(), rmdir(dir);
  return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* sms_test: runs on several SMs: sums over SMs and launches, host threads, the watched SM, and parts of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "lab/run/region.h"
#include "lab/run/run.h"
#include "sampled.h"

struct seen {
  struct run_result r;
  struct run_detail d;
};

static void configure(struct config *c, const char *machine, const char *system, const char *const *set) {
  struct err e = {0};
  if (!config_load(c, machine, system, &e)) fail_msg("%s", e.text);
  for (; *set; set++)
    if (!config_set(c, *set, 0, &e)) fail_msg("%s", e.text);
  if (!config_check(c, &e)) fail_msg("%s", e.text);
}

static bool run_with(const char *kernel, const struct config *c, struct run_progress p, struct seen *s, struct err *e) {
  struct workload w;
  memset(s, 0, sizeof *s);
  s->d.by_launch = true;
  p.detail = &s->d;
  if (!workload_open(kernel, "small", &w, e)) fail_msg("%s", e->text);
  const bool ok = run_workload(&w, c, 0, false, &p, &s->r, e);
  workload_close(&w);
  return ok;
}

static struct seen *run_it(const char *kernel, const char *machine, const char *system, unsigned threads,
                           const char *const *set) {
  struct config c;
  struct err e = {0};
  struct seen *s = xcalloc(1, sizeof *s);
  configure(&c, machine, system, set);
  if (!run_with(kernel, &c, (struct run_progress){.threads = threads}, s, &e)) fail_msg("%s: %s", kernel, e.text);
  return s;
}
#define RUN(kernel, machine, system, threads, ...) \
  run_it(kernel, machine, system, threads, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void drop(struct seen *s) {
  run_detail_free(&s->d);
  free(s);
}

/* ---- sums ---- */

static void equal_stats(const struct sm_stats *a, const struct sm_stats *b, const char *what) {
#define STAT(name, unit, text) \
  if (a->name != b->name)      \
    fail_msg("%s: " #name " %llu, expected %llu", what, (unsigned long long)a->name, (unsigned long long)b->name);
#include "gen/systems/stats.def"
}

static void check_sums(const struct seen *s, unsigned sms) {
  struct sm_stats sum = {0};
  struct mem_stats mem = {0};
  uint64_t cycles = 0, longest = 0;
  assert_int_equal(s->d.sms, sms);
  assert_int_equal(s->d.launches, s->r.launches);
  for (unsigned i = 0; i < s->d.sms; i++) {
    sm_stats_add(&sum, &s->d.sm[i]);
    if (s->d.sm[i].cycles > longest) longest = s->d.sm[i].cycles;
  }
  equal_stats(&sum, &s->r.sm, "over SMs");
  memset(&sum, 0, sizeof sum);
  for (unsigned i = 0; i < s->d.launches; i++) {
    sm_stats_add(&sum, &s->d.launch[i].sm);
    for (size_t k = 0; k < sizeof mem / sizeof(uint64_t); k++)
      ((uint64_t *)&mem)[k] += ((const uint64_t *)&s->d.launch[i].mem)[k];
    cycles += s->d.launch[i].cycles;
  }
  equal_stats(&sum, &s->r.sm, "over launches");
  assert_memory_equal(&mem, &s->r.mem, sizeof mem);
  assert_int_equal(cycles, s->r.cycles);
  assert_true(longest <= s->r.cycles);
  assert_true(s->r.sm.cycles <= s->r.cycles * sms);
  assert_int_equal(s->r.sm.launches, (uint64_t)sms * s->r.launches);
}

static void sums(void **state) {
  (void)state;
  static const struct {
    const char *kernel, *machine, *system, *sms;
    unsigned n;
  } cases[] = {{"bfs", "gtx980", "baseline", "sim.sms=5", 5},  {"reduction", "maxwell", "VT", "sim.sms=24", 24},
               {"spmv", "gtx980", "LB", "sim.sms=4", 4},       {"sgemm", "gtx980", "FineReg", "sim.sms=3", 3},
               {"sgemm", "gtx980", "FineReg", "sim.sms=4", 4}, /* csw's choice of a new CTA outlasts a quantum */
               {"bfs", "gtx980", "baseline", "sim.sms=1", 1}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen *s = RUN(cases[i].kernel, cases[i].machine, cases[i].system, 1, cases[i].sms);
    check_sums(s, cases[i].n);
    if (cases[i].n == 1) assert_int_equal(s->r.cycles, s->r.sm.cycles);
    drop(s);
  }
}

/* ---- threads ---- */

static void equal_runs(const struct seen *a, const struct seen *b) {
  equal_stats(&a->r.sm, &b->r.sm, "totals");
  assert_memory_equal(&a->r.mem, &b->r.mem, sizeof a->r.mem);
  assert_memory_equal(a->r.latency, b->r.latency, sizeof a->r.latency);
  assert_true(a->r.hash == b->r.hash && a->r.cycles == b->r.cycles && a->r.partial == b->r.partial);
  assert_string_equal(a->r.part, b->r.part);
  assert_int_equal(a->d.sms, b->d.sms);
  assert_int_equal(a->d.launches, b->d.launches);
  assert_memory_equal(a->d.sm, b->d.sm, a->d.sms * sizeof *a->d.sm);
  for (unsigned i = 0; i < a->d.launches; i++) { /* by member: what lies between them may differ */
    const struct run_launch *x = &a->d.launch[i], *y = &b->d.launch[i];
    assert_string_equal(x->kernel, y->kernel);
    assert_true(x->timed == y->timed && x->cut == y->cut && x->cycles == y->cycles);
    equal_stats(&x->sm, &y->sm, "a launch");
    assert_memory_equal(&x->mem, &y->mem, sizeof x->mem);
  }
}

static void threads(void **state) {
  (void)state;
  static const struct {
    const char *kernel, *system;
  } cases[] = {
      {"bfs_frontier", "baseline"}, {"hybridsort", "baseline"}, {"bfs", "FineReg"}, {"spmv", "LB"}, {"sgemm", "LTRF"}};
  static const unsigned others[] = {2, 4, 16};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen *one = RUN(cases[i].kernel, "gtx980", cases[i].system, 1, "sim.sms=16");
    for (unsigned k = 0; k < 3; k++) {
      if (!sampled(i + k)) continue;
      struct seen *s = RUN(cases[i].kernel, "gtx980", cases[i].system, others[k], "sim.sms=16");
      equal_runs(one, s);
      drop(s);
    }
    drop(one);
  }
}

/* ---- the watched SM ---- */

static void on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot, unsigned warps) {
  (void)cycle, (void)cta, (void)slot, (void)warps;
  *(uint64_t *)ctx += what == PROBE_CTA_BEGIN;
}

static void on_launch(void *ctx, const struct code *kernel, uint64_t cycle) { (void)ctx, (void)kernel, (void)cycle; }
static void on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst, const struct op *op) {
  (void)ctx, (void)cycle, (void)cta, (void)inst, (void)op;
}
static void on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors, enum probe_read what) {
  (void)ctx, (void)cycle, (void)op, (void)line, (void)sectors, (void)what;
}

/* The probe sees the CTAs of that SM, and nothing depends on which it is. */
static void watched(void **state) {
  (void)state;
  static const char *const set[][3] = {{"sim.sms=4", NULL}, {"sim.sms=4", "sim.watch_sm=2", NULL}};
  struct seen *s[2];
  for (unsigned i = 0; i < 2; i++) {
    uint64_t ctas = 0;
    struct config c;
    struct err e = {0};
    const struct probe probe = {.launch = on_launch, .cta = on_cta, .issue = on_issue, .read = on_read, .ctx = &ctas};
    configure(&c, "gtx980", "baseline", set[i]);
    s[i] = xcalloc(1, sizeof *s[i]);
    if (!run_with("spmv", &c, (struct run_progress){.probe = &probe, .threads = 2}, s[i], &e)) fail_msg("%s", e.text);
    assert_int_equal(ctas, s[i]->d.sm[c.sim_watch_sm].ctas);
    assert_true(ctas && ctas < s[i]->r.sm.ctas);
    struct run_result *alone = xcalloc(1, sizeof *alone);
    *alone = s[i]->r;
    run_watched(alone, &s[i]->d);
    equal_stats(&alone->sm, &s[i]->d.sm[c.sim_watch_sm], "watched");
    assert_int_equal(alone->cycles, alone->sm.cycles);
    free(alone);
  }
  equal_runs(s[0], s[1]);
  drop(s[0]), drop(s[1]);
}

/* ---- parts ---- */

/* Which of ten launches, of kernels a b a b ..., are timed: a 1 for each. */
static void takes(const char *text, const char *want) {
  struct region r;
  struct err e = {0};
  char found[11] = "";
  if (!region_read(&r, text, &e)) fail_msg("%s: %s", text, e.text);
  for (unsigned i = 0; i < 10; i++) found[i] = region_takes(&r, i, i % 2 ? "b" : "a") ? '1' : '0';
  assert_string_equal(found, want);
}

static void regions(void **state) {
  (void)state;
  takes("", "1111111111");
  takes("3", "0001000000");
  takes("b", "0101010101");
  takes("2..4", "0011100000");
  takes("2..", "0011111111");
  takes("..2", "1110000000");
  takes("b..a", "0110000000");
  takes("b..b", "0100000000");
  takes("3..a", "0001100000");
  takes("4..b", "0000110000");
  takes("..b", "1100000000");
  takes("c..", "0000000000");
  takes("8..99", "0000000011");
  static const char *const bad[] = {"..", "a..b..c", "3..2", "1...", "12345678901234567890"};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct region r;
    struct err e = {0};
    assert_false(region_read(&r, bad[i], &e));
    assert_non_null(strstr(e.text, "sim.roi: found"));
  }
}

static void region_of_a_run(void **state) {
  (void)state;
  struct seen *whole = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2"), *all, *some, *late;
  all = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.roi=0..99");
  assert_int_equal(all->r.partial, 0);
  assert_string_equal(all->r.part, "");
  equal_runs(whole, all);
  some = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.roi=..1");
  assert_int_equal(some->r.partial, PARTIAL_ROI);
  assert_int_equal(some->r.launches_timed, 2);
  assert_int_equal(some->r.launches, whole->r.launches);
  check_sums(
      &(struct seen){
          .r = {.cfg = some->r.cfg, .launches = 2, .cycles = some->r.cycles, .sm = some->r.sm, .mem = some->r.mem},
          .d = {.sm = some->d.sm, .sms = some->d.sms, .launch = some->d.launch, .launches = 2}},
      2);
  for (unsigned i = 0; i < some->d.launches; i++) { /* the first ones as in the whole run; the same work in all */
    assert_int_equal(some->d.launch[i].timed, i < 2);
    assert_int_equal(some->d.launch[i].sm.thread_insns, whole->d.launch[i].sm.thread_insns);
    if (i < 2) equal_stats(&some->d.launch[i].sm, &whole->d.launch[i].sm, "a launch of the region");
    else assert_int_equal(some->d.launch[i].cycles, 0);
  }
  late = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.roi=bfs_advance");
  assert_int_equal(late->r.launches_timed, late->r.launches / 2);
  drop(whole), drop(all), drop(some), drop(late);
}

static void stopped(void **state) {
  (void)state;
  struct seen *whole = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2"), *s, *again;
  s = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.stop_cycles=20001");
  again = RUN("bfs", "gtx980", "baseline", 2, "sim.sms=2", "sim.stop_cycles=20001");
  equal_runs(s, again);
  drop(again);
  assert_int_equal(s->r.partial, PARTIAL_CYCLES);
  assert_true(s->r.cycles >= 20001 && s->r.cycles < 20001 + 64); /* a quantum */
  assert_true(s->d.launch[s->d.launches - 1].cut);
  check_sums(s, 2);
  for (unsigned i = 0; i + 1 < s->d.launches; i++)
    equal_stats(&s->d.launch[i].sm, &whole->d.launch[i].sm, "a launch before the last");
  drop(s);
  s = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.stop_ctas=12"); /* all of the first launch */
  assert_int_equal(s->r.partial, PARTIAL_CTAS);
  assert_int_equal(s->r.launches, 1);
  assert_int_equal(s->r.cycles, whole->d.launch[0].cycles);
  drop(s);
  s = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.stop_ctas=1");
  assert_true(s->r.cycles < whole->d.launch[0].cycles && s->r.cycles % 64 == 0);
  drop(s);
  s = RUN("bfs", "gtx980", "baseline", 1, "sim.sms=2", "sim.stop_cycles=1000000000");
  assert_int_equal(s->r.partial, 0);
  drop(s), drop(whole);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *set, *says;
  } cases[] = {{"sim.roi=nobody", "expected a number of a launch or a kernel of its file: bfs_expand, bfs_advance"},
               {"sim.roi=77", "of which no launch was in this run"}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct config c;
    struct err e = {0};
    struct seen *s = xcalloc(1, sizeof *s);
    configure(&c, "gtx980", "baseline", (const char *const[]){cases[i].set, NULL});
    assert_false(run_with("bfs", &c, (struct run_progress){0}, s, &e));
    if (!strstr(e.text, cases[i].says)) fail_msg("found '%s', expected '%s'", e.text, cases[i].says);
    drop(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums),    cmocka_unit_test(threads),         cmocka_unit_test(watched),
      cmocka_unit_test(regions), cmocka_unit_test(region_of_a_run), cmocka_unit_test(stopped),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

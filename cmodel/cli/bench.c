/* SPDX-License-Identifier: Apache-2.0 */
/* bench: regtwin bench [--json FILE]: the fixed set of lab/campaign/bench.c, functional and timed. */
#include <stdio.h>
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"
#include "lab/campaign/bench.h"
#include "lab/report/json.h"
#include "lab/report/table.h"

struct args {
  struct config_args config;
  const char *json, *size;
};

enum { OPT_JSON = 256, OPT_SIZE };
static const struct argp_option options[] = {JSON_OPTION, SIZE_OPTION, {0}};

static error_t bench_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case ARGP_KEY_ARG: argp_error(state, "found '%s', expected options only: the set is fixed", arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static json_t *bench_item_json(const struct bench_item *b) {
  const struct run_result *r = &b->run;
  double s = (double)r->host_ns / 1e9;
  json_t *o = json_object(), *all = json_array();
  for (unsigned i = 0; i < BENCH_REPEAT; i++) json_array_append_new(all, json_real((double)b->host_ns[i] / 1e9));
  json_put(o, "kernel", json_text(r->kernel));
  json_put(o, "mode", json_text(r->functional ? "functional" : "timing"));
  json_put(o, "config", json_text(r->cfg.machine));
  json_put(o, "system", json_text(r->cfg.system));
  json_put(o, "size", json_text(r->size));
  json_put(o, "warp_instructions", json_whole(r->sm.warp_insns));
  json_put(o, "cycles", r->functional ? json_null() : json_whole(r->cycles));
  json_put(o, "host_seconds", json_real(s));
  json_put(o, "host_seconds_all", all);
  json_put(o, "warp_instructions_per_second", json_real(s > 0 ? (double)r->sm.warp_insns / s : 0));
  json_put(o, "cycles_per_second", r->functional || s <= 0 ? json_null() : json_real((double)r->cycles / s));
  json_put(o, "peak_rss_bytes", json_whole(b->peak_rss_bytes));
  return o;
}

static void bench_item_row(struct table *t, const struct bench_item *b) {
  const struct run_result *r = &b->run;
  uint64_t us = r->host_ns / 1000;
  char buf[CELL];
  table_row(t, r->kernel, r->functional ? "functional" : "timing");
  table_cell(t, 0, text_count(buf, r->sm.warp_insns));
  if (!r->functional) table_cell(t, 1, text_count(buf, r->cycles));
  table_cell(t, 2, text_ratio(buf, us, 1000000, 3));
  table_cell(t, 3, text_ratio(buf, r->sm.warp_insns * 1000000, us, 0));
  if (!r->functional) table_cell(t, 4, text_ratio(buf, r->cycles * 1000000, us, 0));
  table_cell(t, 5, text_ratio(buf, b->peak_rss_bytes, 1000000, 1));
}

/* ---- several SMs ---- */

static json_t *bench_several_json(const char *kernel, const struct bench_sms *b) {
  json_t *o = json_object();
  const double one = (double)b->one_ns / 1e9, two = (double)b->two_ns / 1e9, pair = (double)b->pair_ns / 1e9;
  json_put(o, "kernel", json_text(kernel));
  json_put(o, "sms", json_whole(b->sms));
  json_put(o, "warp_instructions", json_whole(b->insns));
  json_put(o, "one_thread_seconds", json_real(one));
  json_put(o, "two_threads_seconds", json_real(two));
  json_put(o, "two_processes_seconds", json_real(pair));
  json_put(o, "two_threads_speedup", two > 0 ? json_real(one / two) : json_null());
  json_put(o, "two_processes_speedup", pair > 0 ? json_real(2 * one / pair) : json_null());
  json_put(o, "peak_rss_bytes", json_whole(b->peak_rss_bytes));
  return o;
}

static void bench_several_row(struct table *t, const char *kernel, const struct bench_sms *b) {
  char buf[CELL];
  table_row(t, kernel, "");
  table_cell(t, 0, text_count(buf, b->insns));
  table_cell(t, 1, text_ratio(buf, b->insns, b->one_ns / 1000, 2));
  table_cell(t, 2, text_ratio(buf, b->insns, b->two_ns / 1000, 2));
  table_cell(t, 3, text_ratio(buf, b->one_ns, b->two_ns, 2));
  table_cell(t, 4, text_ratio(buf, 2 * b->one_ns, b->pair_ns, 2));
  table_cell(t, 5, text_ratio(buf, b->peak_rss_bytes, 1000000, 1));
}

static bool bench_run_several(const struct args *a, const struct config *c, struct table *t, json_t *items,
                              struct err *e) {
  struct bench_sms b;
  for (unsigned i = 0; bench_sms_names[i]; i++) {
    if (!bench_several(bench_sms_names[i], a->size, c, &b, e)) return false;
    bench_several_row(t, bench_sms_names[i], &b);
    json_array_append_new(items, bench_several_json(bench_sms_names[i], &b));
  }
  return true;
}

/* ---- one SM ---- */

static bool bench_run_set(const struct args *a, const struct config *c, struct table *t, json_t *items, struct err *e) {
  struct bench_item b;
  for (unsigned i = 0; bench_names[i]; i++) {
    for (unsigned functional = 2; functional-- > 0;) {
      if (!bench_one(bench_names[i], a->size, c, functional, &b, e)) return false;
      bench_item_row(t, &b);
      json_array_append_new(items, bench_item_json(&b));
    }
  }
  return true;
}

static struct table *bench_new_table(const char *const *heads) {
  struct table *t = table_new(6);
  for (unsigned i = 0; i < 6; i++) table_head(t, i, heads[i]);
  return t;
}

static void bench_print(const struct config *c, const struct table *one, const struct table *several, uint64_t many) {
  const int sms = c->gpu_sms < BENCH_SMS ? (int)c->gpu_sms : BENCH_SMS;
  char buf[CELL];
  printf("regtwin %s   one SM of %s, system %s, one core; processor time in launches, median of %d\n\n", RT_VERSION,
         SHOWN(c->machine), SHOWN(c->system), BENCH_REPEAT);
  table_print(one, stdout);
  printf(
      "\n%d SMs; best of %d. One thread, and two processes of one thread each at once: processor time; two threads:\n"
      "time on the wall, so the ratios mean something only while two processors have nothing else to do.\n\n",
      sms, BENCH_BEST);
  table_print(several, stdout);
  printf("\n%d SMs: %s MB\n", BENCH_MANY, text_ratio(buf, many, 1000000, 1));
}

int cmd_bench(int argc, char **argv) {
  static const char *const heads[] = {"warp insn", "cycles", "s", "warp insn/s", "cycles/s", "peak MB"};
  static const char *const sms_heads[] = {"warp insn",        "1 thread, M/s",      "2 threads, M/s",
                                          "2 threads, ratio", "2 processes, ratio", "peak MB"};
  static const struct argp argp = {options,
                                   bench_parse,
                                   "",
                                   "Measures the simulator itself: the median of three runs of each kernel of a fixed "
                                   "set, each in its own process, one SM, one core; then several SMs on one and two "
                                   "host threads, with what two processes reach; and the memory of 80 SMs.",
                                   config_children,
                                   NULL,
                                   NULL};
  struct args a = {.size = "default"};
  struct config c;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (!config_from(&a.config, &c, &e)) return err_complain(&e);
  if (a.json && !json_writable(a.json, &e)) return err_complain(&e);
  struct table *t = bench_new_table(heads), *many = bench_new_table(sms_heads);
  uint64_t rss = 0;
  json_t *j = json_object(), *items = json_array(), *several = json_array();
  json_put(j, "regtwin", json_text(RT_VERSION));
  json_put(j, "items", items);
  json_put(j, "several_sms", several);
  bool ok = bench_run_set(&a, &c, t, items, &e) && bench_run_several(&a, &c, many, several, &e) &&
            bench_memory("sgemm", a.size, &c, &rss, &e);
  json_put(j, "peak_rss_bytes_of_80_sms", json_whole(rss));
  if (ok && a.json) ok = json_save(a.json, j, &e);
  if (ok && !json_alone(a.json)) bench_print(&c, t, many, rss);
  json_decref(j);
  table_free(t);
  table_free(many);
  return ok ? 0 : err_complain(&e);
}

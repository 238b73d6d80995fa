/* SPDX-License-Identifier: Apache-2.0 */
/* quality: regtwin quality REFERENCE OTHER: compares the results of two runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"
#include "lab/kernels/suite/about.h"
#include "lab/run/quality.h"

struct args {
  const char *size, *name[2];
  unsigned n;
  uint64_t seed;
  const char *metric_name;
  enum quality_metric metric;
};

enum { OPT_SIZE = 256, OPT_METRIC, OPT_SEED };
static const struct argp_option options[] = {
    {"metric", OPT_METRIC, "METRIC", 0,
     "how the distance is measured: exact (elements that differ), deviation (percent) or ssim; default: that of the "
     "about.yaml beside REFERENCE",
     0},
    {"seed", OPT_SEED, "N", 0, "seed of random buffers, in both runs; default: each launch file's own", 0},
    {"size", OPT_SIZE, "NAME", 0,
     "size of the launch files' inputs, one that 'regtwin list kernels -v' shows; default: default", 0},
    {0}};

static error_t quality_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_METRIC:
      a->metric_name = arg;
      if (!quality_metric(arg, &a->metric))
        argp_error(state, "--metric: found '%s', expected one of %s", arg, quality_metrics);
      return 0;
    case ARGP_KEY_ARG:
      if (a->n == 2) argp_error(state, "found a third argument '%s', expected two", arg);
      a->name[a->n++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->n < 2)
        argp_error(state, "found %s, expected two: names of 'regtwin list kernels' or paths of launch files",
                   a->n ? "one kernel" : "no kernel");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* The reference must meet its launch file's expectations; the other is only measured. */
static bool run_both(struct args *a, struct quality_results r[2], struct err *e) {
  bool ok = true;
  for (unsigned i = 0; ok && i < 2; i++) {
    struct workload w;
    if (!workload_open(a->name[i], a->size, &w, e)) return false;
    ok = (i || quality_metric_of(w.path, a->metric_name, &a->metric, e)) &&
         quality_run(&w, a->seed, i == 1, NULL, &r[i], e);
    workload_close(&w);
  }
  return ok;
}

static void quality_print(const char *name, const struct quality *q) {
  char text[80];
  quality_text(q, text, sizeof text);
  printf("%-20s  %-8s  %s\n", SHOWN(name), quality_level_name(q->level), text);
}

static bool quality_compare_runs(const struct args *a, const struct quality_results r[2], struct err *e) {
  struct quality worst, *each = xcalloc(r[0].n, sizeof *each);
  bool ok = quality_compare(a->metric, &r[0], &r[1], each, &worst, e);
  for (unsigned i = 0; ok && i < r[0].n; i++)
    if (each[i].of) quality_print(r[0].buffer[i].name, &each[i]);
  if (ok) quality_print("all results", &worst);
  free(each);
  return ok;
}

int cmd_quality(int argc, char **argv) {
  static const struct argp argp = {options,
                                   quality_parse,
                                   "REFERENCE OTHER",
                                   "Executes two kernels (names or launch files), or two versions of one, and "
                                   "says how far the results of OTHER are from those of REFERENCE.",
                                   NULL,
                                   NULL,
                                   NULL};
  struct args a = {.size = "default"};
  struct quality_results r[2] = {0};
  struct err e = {0};
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  bool ok = run_both(&a, r, &e) && quality_compare_runs(&a, r, &e);
  for (unsigned i = 0; i < 2; i++) quality_free(&r[i]);
  return ok ? 0 : err_complain(&e);
}

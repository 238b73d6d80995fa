/* SPDX-License-Identifier: Apache-2.0 */
/* tune: regtwin tune KERNEL...: finds the narrowest float formats that keep a quality; writes widths files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"
#include "lab/campaign/pool.h"
#include "lab/campaign/tune.h"
#include "lab/report/table.h"

struct args {
  struct tune how;
  const char *quality, *name[MOST_NAMES];
  unsigned n, jobs;
};

enum { OPT_SIZE = 256, OPT_METRIC, OPT_SEEDS, OPT_JOBS, OPT_QUALITY };
static const struct argp_option options[] = {
    {"quality", OPT_QUALITY, "QUALITY", 0,
     "quality that the results keep on every input: perfect (nothing differs), high (ssim 0.9, deviation 10 %, exact "
     "kernels exact), or a threshold, as 0.95 (ssim) or 5% (deviation); default: perfect",
     0},
    {"metric", OPT_METRIC, "METRIC", 0,
     "how the distance is measured: exact (elements that differ), deviation (percent) or ssim; default: that of the "
     "about.yaml beside the launch file",
     0},
    {"seeds", OPT_SEEDS, "N", 0,
     "number of inputs with other seeds than the launch file's, beside that one; default: 4", 0},
    {"size", OPT_SIZE, "NAME", 0,
     "small: only inputs of that size; default: the widths must hold for size default, too; default: default", 0},
    {"jobs", OPT_JOBS, "N", 0, "kernels at a time, of a single kernel inputs; default: the number of processors", 0},
    {"output", 'o', "FILE", 0,
     "widths file to write; FILE.journal beside it has the trials, from which the same command continues; default: "
     "NAME.widths beside the launch file, which keeps its other qualities",
     0},
    {0}};

static error_t tune_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  enum quality_metric m;
  switch (key) {
    case OPT_QUALITY: a->quality = arg; return 0;
    case OPT_METRIC:
      a->how.metric = arg;
      if (!quality_metric(arg, &m)) argp_error(state, "--metric: found '%s', expected one of %s", arg, quality_metrics);
      return 0;
    case OPT_SEEDS: a->how.seeds = (unsigned)number_arg(state, "--seeds", arg, 0, 64); return 0;
    case OPT_SIZE:
      a->how.small_only = !strcmp(arg, "small");
      if (!a->how.small_only && strcmp(arg, "default"))
        argp_error(state, "--size: found '%s', expected small or default", arg);
      return 0;
    case OPT_JOBS: a->jobs = jobs_arg(state, arg); return 0;
    case 'o': a->how.output = arg; return 0;
    case ARGP_KEY_ARG: kernel_take(state, a->name, &a->n, arg); return 0;
    case ARGP_KEY_END:
      if (!a->n)
        argp_error(state, "found no kernel, expected names of 'regtwin list kernels' or paths of launch files");
      if (a->how.output && a->n > 1) argp_error(state, "found --output with %u kernels, expected it with one", a->n);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool tune_task(const void *task, void *out, struct err *e) { return tune_kernel(task, out, e); }
static const struct work work_tune = {"tune", sizeof(struct tuned), sizeof(struct tune), tune_task, NULL};

struct shown {
  struct progress *line;
  const struct args *a;
  unsigned done;
};

static void trial_made(void *ctx, unsigned settled, unsigned values, unsigned trials) {
  const struct shown *s = ctx;
  char text[40];
  snprintf(text, sizeof text, "%u trials", trials);
  if (settled < values) progress_count(s->line, settled, values, s->a->name[0], text);
}

static bool kernel_done(void *ctx, unsigned task, const struct answer *answer) {
  struct shown *s = ctx;
  (void)answer;
  progress_count(s->line, ++s->done, s->a->n, s->a->name[task], "");
  return true;
}

static void tune_print(const char *name, const struct tuned *t) {
  char quality[80], bits[CELL];
  quality_text(&t->worst, quality, sizeof quality);
  text_ratio(bits, 4 * t->nibbles, t->values ? t->values : 1, 1);
  printf("%-20s %6u %6s %7u %7u  %-24s %s\n", SHOWN(name), t->values, t->values ? bits : "-", t->inputs, t->trials,
         quality, SHOWN(t->file));
}

static bool tune_all(struct args *a, struct tuned *out, struct answer *answer) {
  struct shown shown = {progress_new(a->n), a, 0};
  if (a->n == 1) {
    a->how.name = a->name[0];
    a->how.jobs = a->jobs;
    a->how.progress = trial_made;
    a->how.ctx = &shown;
    answer[0].ok = tune_kernel(&a->how, &out[0], &answer[0].e);
  } else {
    struct tune *task = xcalloc(a->n, sizeof *task);
    struct pool pool = {.work = &work_tune, .jobs = a->jobs, .done = kernel_done, .ctx = &shown};
    for (unsigned i = 0; i < a->n; i++) {
      task[i] = a->how;
      task[i].name = a->name[i];
      task[i].jobs = 1; /* the pool has them all */
    }
    pool_run(&pool, task, a->n, out, answer);
    free(task);
  }
  progress_free(shown.line);
  bool ok = true;
  for (unsigned i = 0; i < a->n; i++) ok &= answer[i].ok;
  return ok;
}

int cmd_tune(int argc, char **argv) {
  static const struct argp argp = {options,
                                   tune_parse,
                                   "NAME|FILE.launch...",
                                   "Finds the narrowest format of each float of a kernel with which the "
                                   "kernel's results keep a quality, by executing the kernel with values rounded as "
                                   "the register slices' truncators do, and writes a widths file.",
                                   NULL,
                                   NULL,
                                   NULL};
  struct args a = {.how = {.seeds = 4}, .quality = "perfect", .jobs = pool_processors()};
  struct err e = {0};
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  if (!tune_goal(a.quality, &a.how.goal, &e)) return err_complain(&e);
  if (a.how.goal.own && !a.how.output) {
    err_at(&e, NULL, 0, 0, "found --quality %s without --output, expected a file for widths of a quality of one's own",
           a.quality);
    return err_complain(&e);
  }
  struct tuned *out = xcalloc(a.n, sizeof *out);
  struct answer *answer = xcalloc(a.n, sizeof *answer);
  bool ok = tune_all(&a, out, answer);
  for (unsigned i = 0, any = 0; i < a.n; i++) {
    if (!answer[i].ok) continue;
    if (!any++)
      printf("%-20s %6s %6s %7s %7s  %-24s %s\n", "kernel", "floats", "bits", "inputs", "trials", "quality", "file");
    tune_print(a.name[i], &out[i]);
  }
  for (unsigned i = 0; i < a.n; i++)
    if (!answer[i].ok) err_complain(&answer[i].e);
  free(out);
  free(answer);
  return ok ? 0 : EXIT_INPUT;
}

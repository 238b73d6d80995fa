/* SPDX-License-Identifier: Apache-2.0 */
/* compare: regtwin compare KERNEL,... --systems A,B,...: kernels x systems, in parallel, side by side. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/matrix_args.h"
#include "lab/campaign/compare.h"
#include "lab/campaign/cost_notes.h"
#include "lab/campaign/experiment.h"
#include "lab/campaign/pareto.h"
#include "lab/campaign/together.h"
#include "lab/database/results/csv.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"
#include "lab/run/record.h"
#include "lab/run/trace.h"

struct args {
  struct matrix_args m;
  const char *systems, *plots, *csv;
  bool markdown, brief, same_work;
  const struct measure *x, *y; /* of the picture; NULL: bars of IPC */
  int systems_arg;
  struct matrix matrix;
  struct compare_what what;
  struct err e;
};

enum { OPT_SYSTEMS = 256, OPT_MEASURES, OPT_ALL, OPT_BRIEF, OPT_X, OPT_Y, OPT_PLOTS, OPT_MARKDOWN, OPT_SAME, OPT_CSV };
static const struct argp_option options[] = {
    {"systems", OPT_SYSTEMS, "A,B,...", 0,
     "systems of 'regtwin list systems' to compare with the first of them; NAME:section.key=value:... changes one; "
     "default: those of all papers and their baselines, on machine " TOGETHER_MACHINE
     ", or with --config those of the papers that have this machine",
     0},
    {"measures", OPT_MEASURES, "A,B,...", 0,
     "measures of 'regtwin list measures' to show for each kernel; default: IPC for each kernel, a few others as one "
     "line each",
     0},
    {"all", OPT_ALL, NULL, 0, "show every measure for each kernel, and what limits the CTAs", 0},
    {"brief", OPT_BRIEF, NULL, 0,
     "a line for each system, a column for each of --measures: of one kernel their values, of several the means "
     "relative "
     "to the first system; default: IPC, resident CTAs, misses of the L1, energy",
     0},
    SIZE_OPTION,
    JSON_OPTION,
    {"csv", OPT_CSV, "FILE", 0,
     "with --systems: also write --measures, or all that some run has, as comma-separated values: a line for each "
     "measure and kernel, a column for each system, and why a number is not there; - for standard output, without the "
     "tables",
     0},
    {"plot", OPT_PLOT, "FILE", 0,
     "with --systems: draw IPC relative to the first one, or what --x and --y say; .png or .svg (needs gnuplot); "
     "systems "
     "have one order and one colour in all pictures",
     0},
    {"x", OPT_X, "MEASURE", 0,
     "with --y: a table of two measures, a point for each system, and with --plot its picture; for example --x area "
     "--y ipc",
     0},
    {"y", OPT_Y, "MEASURE", 0, "the other measure of --x", 0},
    {"db", OPT_DB, "FILE", 0,
     "database of results: runs that it has are not repeated, new ones are added; default: none with --systems; "
     "without, build/experiments/results.db if there is a directory build",
     0},
    {"plots", OPT_PLOTS, "DIR", 0,
     "without --systems: directory for pictures, PNG and SVG, of IPC against area and energy and of kernels by systems "
     "(needs gnuplot); default: none",
     0},
    {"markdown", OPT_MARKDOWN, "brief", OPTION_ARG_OPTIONAL,
     "without --systems: print the tables as a part of a page; brief: without that of all kernels", 0},
    {"same-work", OPT_SAME, NULL, 0,
     "record each kernel under the first system, and time the same instructions on all, also where they would depend "
     "on timing (docs/use/trace-format.md)",
     0},
    JOBS_OPTION,
    {0}};

/* Calls `take` with each word of a list. */
static bool words_take_each(const char *list, bool (*take)(struct args *, const char *), struct args *a) {
  for (const char *rest = list; rest;) {
    char word[1024];
    rest = list_take_word(rest, word, sizeof word);
    if (word[0] && !take(a, word)) return false;
  }
  return true;
}
static bool compare_take_kernel(struct args *a, const char *word) { return matrix_kernels(&a->matrix, word, &a->e); }
static bool compare_take_system(struct args *a, const char *word) {
  struct settings s = config_settings(&a->m.config);
  s.system_arg = a->systems_arg;
  return matrix_system(&a->matrix, word, &s, &a->e);
}

/* False and *e when it is none. */
static bool compare_take_measure(struct args *a, const char *word) {
  const struct measure *x = measure_find(word);
  for (unsigned i = 0; x && i < a->what.n; i++)
    if (a->what.measure[i] == x) return true;
  char near[400];
  if (!x)
    return err_at(&a->e, NULL, 0, 0, "--measures: found '%.60s'%s", word, measure_suggest(word, near, sizeof near));
  if (a->what.n == COMPARE_MOST)
    return err_at(&a->e, NULL, 0, 0, "--measures: found more than %d measures, expected fewer", COMPARE_MOST);
  a->what.measure[a->what.n++] = x;
  return true;
}

static void compare_take_axis(struct argp_state *state, const char *option, const char *arg,
                              const struct measure **at) {
  if (*at) argp_error(state, "found %s a second time, expected it once", option);
  *at = measure_find(arg);
  char near[400];
  if (!*at) argp_error(state, "%s: found '%.60s'%s", option, arg, measure_suggest(arg, near, sizeof near));
  if (*at && (*at)->better == BETTER_MIXED)
    argp_error(state,
               "%s: found %s, of which more is better for some kernels and less for others, expected another one",
               option, arg);
}

static error_t compare_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_SYSTEMS:
      option_take_once(state, "--systems", &a->systems, arg);
      a->systems_arg = number_of_arg(state, arg);
      return 0;
    case OPT_MEASURES:
      if (!words_take_each(arg, compare_take_measure, a)) argp_error(state, "%s", a->e.text);
      if (!a->what.n) argp_error(state, "--measures: found no name, expected some of 'regtwin list measures'");
      return 0;
    case OPT_ALL: a->what.all = true; return 0;
    case OPT_BRIEF: a->what.by_system = true; return 0;
    case OPT_X: compare_take_axis(state, "--x", arg, &a->x); return 0;
    case OPT_Y: compare_take_axis(state, "--y", arg, &a->y); return 0;
    case OPT_PLOTS: a->plots = arg; return 0;
    case OPT_CSV: option_take_once(state, "--csv", &a->csv, arg); return 0;
    case OPT_MARKDOWN:
      if (arg && strcmp(arg, "brief") != 0)
        argp_error(state, "--markdown: found '%.60s', expected brief or nothing", arg);
      a->markdown = true;
      a->brief = arg;
      return 0;
    case OPT_SAME: a->same_work = true; return 0;
    case ARGP_KEY_END:
      if (!a->x != !a->y) argp_error(state, "found %s alone, expected both --x and --y", a->x ? "--x" : "--y");
      if (a->what.all && a->what.n) argp_error(state, "found --all with --measures, expected one of them");
      if (a->what.all && a->what.by_system) argp_error(state, "found --all with --brief, expected one of them");
      if (!a->systems && a->what.by_system)
        argp_error(state, "found --brief without --systems, expected both, or --markdown=brief");
      matrix_args_check(&a->m, state);
      if (!a->systems && (a->x || a->m.plot))
        argp_error(state, "found %s without --systems, expected both, or --plots", a->x ? "--x" : "--plot");
      if (!a->systems && a->csv) argp_error(state, "found --csv without --systems, expected both");
      if (!a->systems && a->same_work) argp_error(state, "found --same-work without --systems, expected both");
      if (a->systems && (a->plots || a->markdown))
        argp_error(state, "found %s beside --systems, expected one of them", a->plots ? "--plots" : "--markdown");
      return 0;
    default: return matrix_args_parse(&a->m, key, arg, state);
  }
}

/* ---- the same work ---- */

/* In a directory of its own, whose path ends in a free byte for file names: each kernel's trace, which takes its place. */
static bool record_kernels(struct args *a, const char *dir) {
  struct matrix *m = &a->matrix;
  bool ok = true;
  for (unsigned k = 0; ok && k < m->nkernel; k++) {
    char path[sizeof m->kernel[k].name];
    struct run_progress hooks = {0};
    const struct record_what what = {
        .name = m->kernel[k].name, .size = m->size, .path = path, .cfg = &m->system[0].cfg};
    if ((size_t)snprintf(path, sizeof path, "%s/%s.trf", dir, m->kernel[k].kernel) >= sizeof path)
      return err_at(&a->e, NULL, 0, 0, "found a temporary directory of too long a name");
    if (trace_named(m->kernel[k].name)) continue; /* it is the same for all */
    ok = record_workload(&what, &hooks, &a->e);
    if (ok) memcpy(m->kernel[k].name, path, sizeof path);
  }
  return ok;
}

static bool same_work(struct args *a, char *dir, size_t size) {
  const char *tmp = getenv("TMPDIR");
  dir[0] = 0;
  if (!a->same_work) return true;
  snprintf(dir, size, "%s/regtwin-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
  if (!mkdtemp(dir)) {
    dir[0] = 0;
    return err_at(&a->e, NULL, 0, 0, "--same-work: found no room for traces in a temporary directory: %s",
                  strerror(errno));
  }
  return record_kernels(a, dir);
}

static void forget_work(const struct args *a, const char *dir) {
  if (!dir[0]) return;
  for (unsigned k = 0; k < a->matrix.nkernel; k++)
    if (!strncmp(a->matrix.kernel[k].name, dir, strlen(dir))) unlink(a->matrix.kernel[k].name);
  rmdir(dir);
}

/* ---- CSV ---- */

/* What figures of the measure of kernel k lack, "SYSTEM: no area: ...; ..."; buf is "" where nothing is lacking. */
static const char *compare_csv_note(const struct matrix *m, const struct measure *x, unsigned k, char *buf,
                                    size_t size) {
  size_t at = 0;
  buf[0] = 0;
  for (unsigned s = 0; s < m->nsystem && at < size; s++) {
    const struct cell *c = matrix_cell(m, k, s);
    char text[1200] = "";
    if (!c->ok) err_format(&c->e, text, sizeof text);
    else measure_lack(x, &c->run, text, sizeof text);
    if (text[0])
      at += (size_t)snprintf(buf + at, size - at, "%s%s: %s%s", at ? "; " : "", m->system[s].label,
                             c->ok ? "" : "failed: ", text);
  }
  return buf;
}

/* A line of the measure for each kernel. */
static void compare_put_csv_measure(const struct matrix *m, const struct measure *x, FILE *f) {
  for (unsigned k = 0; k < m->nkernel; k++) {
    const char *const text[] = {x->unit, m->kernel[k].kernel, m->kernel[k].alias};
    char why[4000];
    fputs(x->key, f);
    for (unsigned t = 0; t < 3; t++) fputc(',', f), csv_text(f, text[t]);
    for (unsigned s = 0; s < m->nsystem; s++) {
      double v;
      fputc(',', f);
      if (matrix_value(m, x, k, s, &v)) fprintf(f, "%.9g", v);
    }
    fputc(',', f), csv_text(f, compare_csv_note(m, x, k, why, sizeof why));
    fputc('\n', f);
  }
}

/* Some run has a value of the measure, or lacks an area or energy for a reason. */
static bool compare_csv_shows(const struct matrix *m, const struct measure *x) {
  double v;
  for (unsigned c = 0; c < m->nkernel * m->nsystem; c++)
    if (matrix_value(m, x, c / m->nsystem, c % m->nsystem, &v)) return true;
  return matrix_has_cost(m, x);
}

/* The measures that were asked for; without any those that some run has. */
static void compare_put_csv(const struct args *a, const struct matrix *m, FILE *f) {
  fputs("measure,description,kernel,alias", f);
  for (unsigned s = 0; s < m->nsystem; s++) fputc(',', f), csv_text(f, m->system[s].label);
  fputs(",note\n", f);
  for (unsigned i = 0; i < a->what.n; i++) compare_put_csv_measure(m, a->what.measure[i], f);
  for (unsigned i = 0; i < nmeasures && !a->what.n; i++)
    if (compare_csv_shows(m, &measures[i])) compare_put_csv_measure(m, &measures[i], f);
}

static bool compare_save_csv(struct args *a, const struct matrix *m) {
  char why[IO_WHY];
  struct output *o = a->csv ? output_open(a->csv, why) : NULL;
  if (!a->csv) return true;
  if (o) compare_put_csv(a, m, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(&a->e, a->csv, 0, 0, "cannot write: %s", why);
}

/* Returns the exit status; all errors that can be found early are reported before the first run. */
static int compare_show_systems(struct args *a) {
  struct matrix *m = &a->matrix;
  struct db *db = NULL;
  m->same_work = a->same_work;
  bool ok = words_take_each(a->systems, compare_take_system, a);
  for (unsigned i = 0; ok && i < a->m.n; i++) ok = words_take_each(a->m.kernel[i], compare_take_kernel, a);
  if (ok && !m->nsystem) ok = err_at(&a->e, NULL, 0, 0, "--systems: found no name, expected one at least");
  if (ok && !m->nkernel) ok = err_at(&a->e, NULL, 0, 0, "found no kernel, expected one at least");
  ok = ok && matrix_args_outputs(&a->m, &a->e) && (!a->csv || json_writable(a->csv, &a->e)) &&
       json_apart(a->m.json, a->csv, "--csv", &a->e) && (!a->m.db || db_of(a->m.db, &db, &a->e));
  char dir[512] = "";
  ok = ok && same_work(a, dir, sizeof dir);
  if (!ok) {
    forget_work(a, dir);
    return err_complain(&a->e);
  }
  const unsigned failed = matrix_args_run(&a->m, m, db);
  forget_work(a, dir);
  ok = !a->m.plot || (a->x ? pareto_plot(m, a->x, a->y, a->m.plot, &a->e) : compare_plot(m, a->m.plot, &a->e));
  if (ok && a->m.json) {
    json_t *j = compare_json(m);
    if (a->x) json_put(j, "pareto", pareto_json(m, a->x, a->y));
    ok = json_save_new(a->m.json, j, &a->e);
  }
  ok = ok && compare_save_csv(a, m);
  if (!json_alone(a->m.json) && !json_alone(a->csv)) {
    compare_print(m, &a->what, stdout);
    if (a->x) pareto_print(m, a->x, a->y, stdout);
    if (ok && a->m.plot && a->what.n && !a->x) printf("\nDrawn: ipc alone; two other measures: --x and --y\n");
  }
  fflush(stdout);
  compare_complaints(m);
  if (!ok) return err_complain(&a->e);
  bool below = false;
  for (unsigned i = 0; i < m->nkernel * m->nsystem; i++) below |= m->cell[i].ok && run_below(&m->cell[i].run);
  return failed ? EXIT_INPUT : below;
}

/* The same without --systems. */
static bool together_draw(const struct args *a, const struct together *t, struct err *e) {
  static const char *const kinds[] = {"png", "svg"};
  char path[4096];
  bool ok = true;
  for (unsigned i = 0; ok && a->plots && i < 4; i++) {
    ok = (size_t)snprintf(path, sizeof path, "%s/%s.%s", a->plots, i < 2 ? "pareto" : "map", kinds[i % 2]) <
             sizeof path ||
         err_at(e, NULL, 0, 0, "--plots: found a path that is too long");
    ok = ok && (i < 2 ? together_pareto(t, path, e) : together_map(t, path, e));
  }
  return ok;
}

/* Some kernel has this size: else every run would fail for it. */
static bool some_size(const struct together *t, struct err *e) {
  static struct plan_kernel k;
  struct err first = {0};
  for (unsigned i = 0; i < t->m.nkernel; i++) {
    struct err why = {0};
    if (plan_kernel(t->m.kernel[i].name, t->m.size, &t->m.system[0].cfg, &k, &why)) return true;
    if (!i) first = why;
  }
  *e = first;
  return false;
}

static int compare_show_together(struct args *a) {
  static struct together t;
  struct db *db = NULL;
  const struct settings s = config_settings(&a->m.config);
  t.m = a->matrix;
  bool ok = together_plan(&t, &s, &a->e);
  for (unsigned i = 0; ok && i < a->m.n; i++) {
    ok = words_take_each(a->m.kernel[i], compare_take_kernel, a);
    const struct matrix *m = &a->matrix;
    t.m.kernel = m->kernel, t.m.nkernel = m->nkernel, t.m.kernels_cap = m->kernels_cap;
  }
  if (ok && !t.m.nkernel) ok = err_at(&a->e, NULL, 0, 0, "found no kernel, expected one at least");
  ok = ok && some_size(&t, &a->e);
  ok = ok && (!a->m.json || json_writable(a->m.json, &a->e)) &&
       (!a->plots || plot_directory(a->plots, "--plots", &a->e)) && db_of(a->m.db, &db, &a->e);
  if (!ok) return err_complain(&a->e);
  struct progress *p = progress_new(0);
  const unsigned failed = together_run(&t, a->m.jobs, db, progress_count, p);
  progress_free(p);
  db_close(db);
  ok = together_draw(a, &t, &a->e);
  if (ok && a->m.json) ok = json_save_new(a->m.json, together_json(&t), &a->e);
  if (a->markdown) together_markdown(&t, a->brief, stdout);
  else if (a->what.n || a->what.all) compare_print(&t.m, &a->what, stdout);
  else if (!json_alone(a->m.json)) together_print(&t, stdout);
  a->matrix = (struct matrix){0};
  together_free(&t);
  if (!ok) return err_complain(&a->e);
  return failed ? EXIT_INPUT : 0;
}

int cmd_compare(int argc, char **argv) {
  static const struct argp argp = {
      options,
      compare_parse,
      "KERNEL,...|PAPER|all [--systems A,B,...]",
      "Runs each kernel on each system and shows them side by side: IPC relative to the "
      "first system with its means, and a line for each of a few other measures; "
      "--measures and --all show more. Without --systems: every paper's systems on one machine, what each gives and "
      "what it costs, by class of kernels and by kernel; runs are kept, so that an interrupted command continues. A "
      "system that fails on a kernel says why, and "
      "the others go on; the exit status is then 2; it is 1 if the results of narrow "
      "registers are below compile.quality. PAPER, one of those that "
      "'regtwin list --help' names, means its kernels.",
      machine_children,
      NULL,
      NULL};
  static struct args a;
  a.m.size = "default";
  a.matrix.parts = true;
  a.m.jobs = pool_processors();
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  a.matrix.size = a.m.size;
  int status = !experiments_check(&a.e) ? err_complain(&a.e)
               : a.systems              ? compare_show_systems(&a)
                                        : compare_show_together(&a);
  matrix_free(&a.matrix);
  return status;
}

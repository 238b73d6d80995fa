/* SPDX-License-Identifier: Apache-2.0 */
/* run: regtwin run NAME|FILE.launch... Results appear when all of them are there, or none does. */
#include <stdlib.h>
#include <string.h>

#include "campaign/panel.h"
#include "cli/cli.h"
#include "run/races_report.h"
#include "run/result.h"
#include "run/timeline.h"
#include "report/json.h"
#include "report/plot.h"

enum { MOST_NAMES = 256 };

struct args {
  struct config_args config;
  const char *size, *json, *dumps, *images, *timeline, *plot;
  uint64_t seed;
  bool functional, races;
  const char *name[MOST_NAMES];
  unsigned n;
};

enum { OPT_SIZE = 256, OPT_JSON, OPT_SEED, OPT_FUNCTIONAL, OPT_DUMPS, OPT_IMAGES, OPT_TIMELINE, OPT_PLOT, OPT_RACES };
static const struct argp_option options[] = {
    {"size", OPT_SIZE, "NAME", 0, "size of the launch files' inputs, e.g. small; default: default", 0},
    {"json", OPT_JSON, "FILE", 0, "write the results as JSON too; - is standard output, without the table", 0},
    {"seed", OPT_SEED, "N", 0, "of random buffers; default: the launch file's own", 0},
    {"functional", OPT_FUNCTIONAL, NULL, 0, "execute only, no timing", 0},
    {"dumps", OPT_DUMPS, "DIR", 0, "dump statements may write below DIR; default: the current directory; / is anywhere",
     0},
    {"races", OPT_RACES, NULL, 0,
     "report data races, with both instructions and threads; status 1 if one can change a result", 0},
    {"images", OPT_IMAGES, "DIR", 0, "write the pictures of the launch file's image statements to DIR, as PNG", 0},
    {"timeline", OPT_TIMELINE, "FILE", 0,
     "draw what each CTA slot did over time, and IPC, CTAs and the system's own measures window by window, .png or "
     ".svg; one "
     "kernel (needs gnuplot)",
     0},
    {"plot", OPT_PLOT, "FILE", 0,
     "draw how long loads took, by the level that served them, .png or .svg; one kernel (needs gnuplot)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_FUNCTIONAL: a->functional = true; return 0;
    case OPT_DUMPS: a->dumps = arg; return 0;
    case OPT_RACES: a->races = true; return 0;
    case OPT_IMAGES: a->images = arg; return 0;
    case OPT_TIMELINE: a->timeline = arg; return 0;
    case OPT_PLOT: a->plot = arg; return 0;
    case ARGP_KEY_ARG:
      if (a->n == MOST_NAMES) argp_error(state, "found more than %d kernels, expected fewer", MOST_NAMES);
      a->name[a->n++] = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "found no kernel, expected a name of 'regtwin list kernels' or the path of a launch file");
      return 0;
    case ARGP_KEY_END:
      if ((a->timeline || a->plot) && (a->n > 1 || a->functional))
        argp_error(state, "found %s with %s, expected it with one kernel, timed", a->timeline ? "--timeline" : "--plot",
                   a->functional ? "--functional" : "several kernels");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool run_all(const struct args *a, const struct config *c, const struct probe *probe, struct latency *latency,
                    struct run_result *out, struct races **races, struct err *e) {
  struct progress *p = progress_new(a->n);
  struct run_progress hooks = progress_hooks(p);
  hooks.dumps = a->dumps ? a->dumps : ".";
  hooks.images = a->images;
  hooks.probe = probe;
  hooks.latency = latency;
  progress_print_to(p, a->json && !strcmp(a->json, "-") ? stderr : stdout, &hooks);
  bool ok = true;
  for (unsigned i = 0; ok && i < a->n; i++) {
    struct workload w;
    ok = workload_compile(a->name[i], a->size, c, a->seed, &w, e);
    if (!ok) break;
    if (a->seed && a->seed != script_seed(w.script) && !w.compiled)
      note("%s: not the launch file's seed: of what it expects only 'expr' is checked", w.name);
    progress_item(p, w.name);
    if (a->races) hooks.races = races[i] = races_new();
    ok = run_workload(&w, c, a->seed, a->functional, &hooks, &out[i], e);
    workload_close(&w);
  }
  progress_free(p);
  return ok;
}

static json_t *one_json(const struct run_result *r, const struct races *races) {
  json_t *o = result_json(r);
  if (races) json_put(o, "races", races_json(races));
  return o;
}

static bool save(const struct args *a, const struct run_result *r, struct races *const *races, struct err *e) {
  json_t *j = a->n == 1 ? one_json(&r[0], races[0]) : json_array();
  for (unsigned i = 0; a->n > 1 && i < a->n; i++) json_array_append_new(j, one_json(&r[i], races[i]));
  bool ok = json_save(a->json, j, e);
  json_decref(j);
  return ok;
}

/* What was found, also when a run has failed: it may be why. Can a pair of them change a result? */
static bool tell_races(const struct args *a, struct races *const *races, bool print) {
  bool matter = false;
  for (unsigned i = 0; i < a->n && races[i]; i++) {
    if (print) races_print(races[i], a->name[i], stdout);
    matter |= races_matter(races[i]);
  }
  return matter;
}

static bool draw_latency(const struct latency *l, const struct run_result *r, const char *path, struct err *e) {
  char title[512];
  snprintf(title, sizeof title, "%s%s%s on one SM of %s, system %s", r->kernel, r->size[0] ? ", size " : "", r->size,
           r->cfg.machine, r->cfg.system);
  return load_latency_draw(l, title, path, e);
}

int cmd_run(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {
      options,
      parse,
      "NAME|FILE.launch...",
      "Executes kernels with real values and times them on one SM. Several are shown side by side.",
      children,
      NULL,
      NULL};
  struct args a = {.size = "default"};
  struct config c;
  struct err e = {0};
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a)) return EXIT_INPUT;
  if (!config_from(&a.config, &c, &e)) return complain(&e);
  if (!json_apart(a.json, a.plot, "--plot", &e) || !json_apart(a.json, a.timeline, "--timeline", &e))
    return complain(&e);
  if (a.json && !json_writable(a.json, &e)) return complain(&e);
  if (a.timeline && !plot_file(a.timeline, "--timeline", &e)) return complain(&e);
  if (a.plot && !plot_file(a.plot, "--plot", &e)) return complain(&e);
  struct run_result *r = xcalloc(a.n, sizeof *r);
  struct timeline *t = a.timeline ? timeline_new(panels_window(&c)) : NULL;
  struct latency *l = a.plot ? xcalloc(1, sizeof *l) : NULL;
  struct races **races = xcalloc(a.n, sizeof *races);
  bool ok = run_all(&a, &c, t ? timeline_probe(t) : NULL, l, r, races, &e);
  struct timeline_panel panel[PANELS];
  if (ok && t) ok = timeline_draw(t, r, panel, panels_all(panel), a.timeline, &e);
  if (ok && l) ok = draw_latency(l, r, a.plot, &e);
  if (t) timeline_free(t);
  free(l);
  if (ok && a.json) ok = save(&a, r, races, &e);
  const bool print = !(a.json && !strcmp(a.json, "-"));
  if (ok && print) result_print(r, a.n, stdout);
  int below = tell_races(&a, races, print);
  fflush(stdout);
  for (unsigned i = 0; ok && i < a.n; i++) {
    run_complaints(&r[i], r[i].kernel);
    below |= run_below(&r[i]);
  }
  for (unsigned i = 0; i < a.n; i++) races_free(races[i]);
  free(races);
  free(r);
  return ok ? below : complain(&e);
}

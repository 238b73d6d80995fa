/* SPDX-License-Identifier: Apache-2.0 */
/* run: regtwin run NAME|FILE.launch... Results appear when all of them are there, or none does. */
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "campaign/panel.h"
#include "campaign/pool.h"
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
  bool functional, races, per_sm, per_launch;
  const char *name[MOST_NAMES];
  unsigned n;
};

enum {
  OPT_SIZE = 256,
  OPT_JSON,
  OPT_SEED,
  OPT_FUNCTIONAL,
  OPT_DUMPS,
  OPT_IMAGES,
  OPT_TIMELINE,
  OPT_PLOT,
  OPT_RACES,
  OPT_PER_SM,
  OPT_PER_LAUNCH
};
static const struct argp_option options[] = {
    {"size", OPT_SIZE, "NAME", 0, "size of the launch files' inputs, e.g. small; default: default", 0},
    {"json", OPT_JSON, "FILE", 0, "write the results as JSON too; - is standard output, without the table", 0},
    {"seed", OPT_SEED, "N", 0, "of random buffers; default: the launch file's own", 0},
    {"per-sm", OPT_PER_SM, NULL, 0, "a table of the SMs too", 0},
    {"per-launch", OPT_PER_LAUNCH, NULL, 0, "a table of the launches too", 0},
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
    case OPT_PER_SM: a->per_sm = true; return 0;
    case OPT_PER_LAUNCH: a->per_launch = true; return 0;
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

/* What the runs give beside their results. */
struct found {
  struct races **races;      /* by run; NULL: not looked for */
  struct run_detail *detail; /* by run */
  struct timeline *timeline; /* NULL */
  struct latency *latency;   /* NULL */
};

static unsigned threads_of(const struct args *a, const struct config *c) {
  const unsigned most = pool_processors(), sms = (unsigned)c->sim_sms;
  return a->config.threads ? a->config.threads : sms < most ? sms : most;
}

static bool run_all(const struct args *a, const struct config *c, struct found *found, struct run_result *out,
                    struct err *e) {
  struct progress *p = progress_new(a->n);
  struct run_progress hooks = progress_hooks(p);
  hooks.dumps = a->dumps ? a->dumps : ".";
  hooks.images = a->images;
  hooks.probe = found->timeline ? timeline_probe(found->timeline) : NULL;
  hooks.latency = found->latency;
  hooks.threads = threads_of(a, c);
  progress_print_to(p, a->json && !strcmp(a->json, "-") ? stderr : stdout, &hooks);
  bool ok = true;
  for (unsigned i = 0; ok && i < a->n; i++) {
    struct workload w;
    ok = workload_compile(a->name[i], a->size, c, a->seed, &w, e);
    if (!ok) break;
    if (a->seed && a->seed != script_seed(w.script) && !w.compiled)
      note("%s: not the launch file's seed: of what it expects only 'expr' is checked", w.name);
    progress_item(p, w.name);
    if (a->races) hooks.races = found->races[i] = races_new();
    hooks.detail = &found->detail[i];
    ok = run_workload(&w, c, a->seed, a->functional, &hooks, &out[i], e);
    workload_close(&w);
  }
  progress_free(p);
  return ok;
}

static json_t *one_json(const struct args *a, const struct run_result *r, const struct found *found, unsigned i) {
  json_t *o = result_json(&r[i]);
  if (a->per_sm) json_put(o, "per_sm", result_sms_json(&found->detail[i]));
  if (a->per_launch) json_put(o, "per_launch", result_launches_json(&found->detail[i]));
  if (found->races[i]) json_put(o, "races", races_json(found->races[i]));
  return o;
}

static bool save(const struct args *a, const struct run_result *r, const struct found *found, struct err *e) {
  json_t *j = a->n == 1 ? one_json(a, r, found, 0) : json_array();
  for (unsigned i = 0; a->n > 1 && i < a->n; i++) json_array_append_new(j, one_json(a, r, found, i));
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

static void print(const struct args *a, const struct run_result *r, const struct found *found) {
  result_print(r, a->n, stdout);
  for (unsigned i = 0; i < a->n && (a->per_sm || a->per_launch); i++) {
    if (a->n > 1) printf("\n%s\n", SHOWN(r[i].kernel));
    if (a->per_sm) result_print_sms(&r[i], &found->detail[i], stdout);
    if (a->per_launch) result_print_launches(&r[i], &found->detail[i], stdout);
  }
}

static bool draw_timeline(const struct args *a, const struct run_result *r, const struct found *found, struct err *e) {
  struct timeline_panel panel[PANELS];
  struct run_result *watched = xcalloc(1, sizeof *watched); /* as the probe, which sees one SM */
  *watched = *r;
  run_watched(watched, &found->detail[0]);
  const bool ok = timeline_draw(found->timeline, watched, panel, panels_all(panel), a->timeline, e);
  free(watched);
  return ok;
}

static bool draw_latency(const struct latency *l, const struct run_result *r, const char *path, struct err *e) {
  char title[512];
  char sms[32] = "one SM";
  if (r->cfg.sim_sms > 1) snprintf(sms, sizeof sms, "%d SMs", (int)r->cfg.sim_sms);
  snprintf(title, sizeof title, "%s%s%s on %s of %s, system %s", r->kernel, r->size[0] ? ", size " : "", r->size, sms,
           r->cfg.machine, r->cfg.system);
  return load_latency_draw(l, title, path, e);
}

static void found_free(struct found *found, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    races_free(found->races[i]);
    run_detail_free(&found->detail[i]);
  }
  free(found->races), free(found->detail), free(found->latency);
  if (found->timeline) timeline_free(found->timeline);
}

int cmd_run(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {
      options,
      parse,
      "NAME|FILE.launch...",
      "Executes kernels with real values and times them on one SM, several or all. Several are shown side by side.",
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
  struct found found = {.races = xcalloc(a.n, sizeof *found.races), .detail = xcalloc(a.n, sizeof *found.detail)};
  found.timeline = a.timeline ? timeline_new(panels_window(&c)) : NULL;
  found.latency = a.plot ? xcalloc(1, sizeof *found.latency) : NULL;
  bool ok = run_all(&a, &c, &found, r, &e);
  if (ok && a.timeline) ok = draw_timeline(&a, r, &found, &e);
  if (ok && a.plot) ok = draw_latency(found.latency, r, a.plot, &e);
  if (ok && a.json) ok = save(&a, r, &found, &e);
  const bool shown = !(a.json && !strcmp(a.json, "-"));
  if (ok && shown) print(&a, r, &found);
  int below = tell_races(&a, found.races, shown);
  fflush(stdout);
  for (unsigned i = 0; ok && i < a.n; i++) {
    run_complaints(&r[i], r[i].kernel);
    below |= run_below(&r[i]);
  }
  found_free(&found, a.n);
  free(r);
  return ok ? below : complain(&e);
}

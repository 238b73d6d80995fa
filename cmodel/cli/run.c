/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: regtwin run NAME|FILE.launch..., and regtwin resume FILE, which continues it. Results appear when all of them are there,
 * or none does.
 *
 * What a run is made of lies in a struct session, since it is what a checkpoint holds: nothing in it, or that it points to,
 * lies on the C stack or in memory of a library while a launch is timed (base/image.h).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "lab/campaign/panel.h"
#include "lab/campaign/pool.h"
#include "cli/cli.h"
#include "lab/run/checkpoint.h"
#include "lab/run/races_report.h"
#include "lab/run/result.h"
#include "lab/run/timeline.h"
#include "lab/run/trace.h"
#include "lab/report/json.h"
#include "lab/report/plot.h"

struct args {
  struct config_args config;
  const char *size, *json, *dumps, *images, *timeline, *plot, *checkpoint; /* checkpoint: the file */
  uint64_t seed;
  double minutes; /* between checkpoints; 0: none */
  bool functional, races, per_sm, per_launch, brief, check;
  const char *name[MOST_NAMES];
  unsigned n;
  char settings[256]; /* of a session: what --set changes, for the title */
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
  OPT_PER_LAUNCH,
  OPT_BRIEF,
  OPT_CHECKPOINT,
  OPT_ANY_OWNER,
  OPT_FILE,
  OPT_CHECK
};
static const struct argp_option options[] = {
    {"size", OPT_SIZE, "NAME", 0,
     "size of the launch files' inputs, one that 'regtwin list kernels -v' shows; default: default, or the first one "
     "of a file that calls none so",
     0},
    JSON_OPTION,
    {"seed", OPT_SEED, "N", 0,
     "seed of random buffers; with another one results are not checked; default: the launch file's own", 0},
    {"per-sm", OPT_PER_SM, NULL, 0, "also print a row for each SM, and add the array per_sm to the JSON", 0},
    {"per-launch", OPT_PER_LAUNCH, NULL, 0,
     "also print a row for each launch, and add the array per_launch to the JSON", 0},
    {"brief", OPT_BRIEF, NULL, 0, "print a few rows only: work, cycles, IPC, what limits the CTAs, hits in the L1", 0},
    {"functional", OPT_FUNCTIONAL, NULL, 0, "execute the kernels and check their results, without timing", 0},
    {"dumps", OPT_DUMPS, "DIR", 0,
     "directory below which dump statements of launch files may write; / allows any path; default: the current "
     "directory",
     0},
    {"races", OPT_RACES, NULL, 0,
     "report data races: both instructions, both threads and the address; exit status 1 if a race can change a result",
     0},
    {"images", OPT_IMAGES, "DIR", 0,
     "directory for the pictures of launch files' image statements, as PNG; default: none are written", 0},
    {"timeline", OPT_TIMELINE, "FILE", 0,
     "draw what each CTA slot of the SM did over time, and IPC, CTAs and the system's measures by window; .png or "
     ".svg, one kernel (needs gnuplot)",
     0},
    {"plot", OPT_PLOT, "FILE", 0,
     "draw how many cycles loads took, by the level that served them; .png or .svg, one kernel (needs gnuplot)", 0},
    {"checkpoint", OPT_CHECKPOINT, "MINUTES", 0,
     "write a checkpoint every MINUTES of the host, from which 'regtwin resume' continues; 0.5 is half a minute; "
     "default: none",
     0},
    {"checkpoint-file", OPT_FILE, "FILE", 0,
     "the checkpoint, which must not exist yet; default: KERNEL.checkpoint in the current directory", 0},
    {"checkpoint-check", OPT_CHECK, NULL, OPTION_HIDDEN, "look for words in it that only this process can use", 0},
    {0}};

/* The value of --checkpoint. */
static double minutes_arg(struct argp_state *state, const char *arg) {
  char *end;
  const double v = strtod(arg, &end);
  if (end == arg || *end || strspn(arg, "0123456789.") != strlen(arg) || !(v > 0 && v <= 1e6))
    argp_error(state, "--checkpoint: found '%s', expected minutes, above 0 and at most 1000000", arg);
  return v;
}

static error_t run_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_FUNCTIONAL: a->functional = true; return 0;
    case OPT_BRIEF: a->brief = true; return 0;
    case OPT_PER_SM: a->per_sm = true; return 0;
    case OPT_PER_LAUNCH: a->per_launch = true; return 0;
    case OPT_DUMPS: a->dumps = arg; return 0;
    case OPT_RACES: a->races = true; return 0;
    case OPT_IMAGES: a->images = arg; return 0;
    case OPT_TIMELINE: a->timeline = arg; return 0;
    case OPT_PLOT: a->plot = arg; return 0;
    case OPT_CHECKPOINT: a->minutes = minutes_arg(state, arg); return 0;
    case OPT_FILE: a->checkpoint = arg; return 0;
    case OPT_CHECK: a->check = true; return 0;
    case ARGP_KEY_ARG: kernel_take(state, a->name, &a->n, arg); return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "found no kernel, expected a name of 'regtwin list kernels' or the path of a launch file");
      return 0;
    case ARGP_KEY_END:
      if ((a->timeline || a->plot) && (a->n > 1 || a->functional))
        argp_error(state, "found %s with %s, expected it with one kernel, timed", a->timeline ? "--timeline" : "--plot",
                   a->functional ? "--functional" : "several kernels");
      if (a->checkpoint && a->minutes <= 0)
        argp_error(state, "found --checkpoint-file without --checkpoint, expected it with --checkpoint MINUTES");
      if (a->minutes > 0 && a->functional)
        argp_error(state, "found --checkpoint with --functional, expected it with a timed run");
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

struct session {
  struct args a;
  struct config c;
  struct found found;
  struct run_result *r; /* by run */
  unsigned i;           /* the run that is under way */
  struct workload w;    /* its workload, while it is */
  struct run_job *job;  /* NULL: it has not begun */
  struct run_progress hooks;
  struct checkpoint *checkpoint; /* NULL */
  char directory[PATH_MAX];      /* that names of files are relative to */
  struct err e;
};

static unsigned threads_of(const struct args *a, const struct config *c) {
  const unsigned most = pool_processors(), sms = (unsigned)c->sim_sms;
  return a->config.threads ? a->config.threads : sms < most ? sms : most;
}

static bool session_begin_one(struct session *s, struct progress *p) {
  const struct args *a = &s->a;
  if (!workload_compile(a->name[s->i], a->size, &s->c, a->seed, &s->w, &s->e)) return false;
  if (s->w.trace && s->checkpoint) {
    err_at(
        &s->e, s->w.path, 0, 0,
        "found a trace with --checkpoint, expected a launch file: a trace is read while it runs, and cannot be saved");
    workload_close(&s->w);
    return false;
  }
  const char *executes = a->races ? "--races" : a->images ? "--images" : a->dumps ? "--dumps" : NULL;
  if (executes && s->w.trace) {
    err_at(&s->e, s->w.path, 0, 0, "found a trace with %s, expected a launch file: nothing is executed", executes);
    workload_close(&s->w);
    return false;
  }
  if (s->w.trace) trace_note(&s->w, &s->c);
  else if (a->seed && a->seed != script_seed(s->w.script) && !s->w.compiled)
    note("%s: not the launch file's seed: of what it expects only 'expr' is checked", s->w.name);
  progress_item(p, s->w.name);
  if (a->races) s->found.races[s->i] = races_new();
  s->job = run_begin(&s->w, &s->c, a->seed, a->functional, &s->r[s->i], &s->e);
  if (!s->job) workload_close(&s->w);
  return s->job;
}

/* One run, or the rest of it. */
static bool session_run_one(struct session *s, struct progress *p) {
  if (!s->job && !session_begin_one(s, p)) return false;
  s->hooks.races = s->found.races[s->i];
  s->hooks.detail = &s->found.detail[s->i];
  const bool ok = run_go(s->job, &s->hooks, &s->e);
  run_end(s->job);
  s->job = NULL;
  workload_close(&s->w);
  return ok;
}

static bool session_run_all(struct session *s) {
  const struct args *a = &s->a;
  struct progress *p = progress_new(a->n);
  s->hooks = progress_hooks(p);
  s->hooks.dumps = a->dumps ? a->dumps : ".";
  s->hooks.images = a->images;
  s->hooks.probe = s->found.timeline ? timeline_probe(s->found.timeline) : NULL;
  s->hooks.latency = s->found.latency;
  s->hooks.threads = threads_of(a, &s->c);
  s->hooks.checkpoint = s->checkpoint;
  progress_print_to(p, json_alone(a->json), &s->hooks);
  for (unsigned k = 0; s->job && k <= s->i; k++) progress_item(p, s->w.name);
  bool ok = true;
  for (; ok && s->i < a->n; s->i++) ok = session_run_one(s, p);
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

static bool run_save_results(const struct args *a, const struct run_result *r, const struct found *found,
                             struct err *e) {
  json_t *j = a->n == 1 ? one_json(a, r, found, 0) : json_array();
  for (unsigned i = 0; a->n > 1 && i < a->n; i++) json_array_append_new(j, one_json(a, r, found, i));
  return json_save_new(a->json, j, e);
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

static void run_print_results(const struct args *a, const struct run_result *r, const struct found *found) {
  result_print(r, a->n, a->brief, a->settings, stdout);
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
  snprintf(title, sizeof title, "%s%s%s on %s of %s, system %s", r->kernel, r->size[0] ? ", size " : "", r->size,
           RUN_SMS(&r->cfg), r->cfg.machine, r->cfg.system);
  return load_latency_draw(l, title, path, e);
}

static bool outputs_possible(const struct args *a, struct err *e) {
  if (!json_apart(a->json, a->plot, "--plot", e) || !json_apart(a->json, a->timeline, "--timeline", e)) return false;
  if (a->json && !json_writable(a->json, e)) return false;
  if (a->timeline && !plot_file(a->timeline, "--timeline", e)) return false;
  return !a->plot || plot_file(a->plot, "--plot", e);
}

static bool races_possible(const struct args *a, const struct config *c, struct err *e) {
  return !a->races || c->sim_sms == 1 ||
         err_at(e, NULL, 0, 0, "--races: found %d SMs, expected one (--sms 1): races are looked for on one SM",
                (int)c->sim_sms);
}

static void found_free(struct found *found, unsigned n) {
  for (unsigned i = 0; found->races && i < n; i++) {
    races_free(found->races[i]);
    run_detail_free(&found->detail[i]);
  }
  free(found->races), free(found->detail), free(found->latency);
  if (found->timeline) timeline_free(found->timeline);
}

static const char *session_copy_text(const char *s) {
  return s ? memcpy(xmalloc(strlen(s) + 1), s, strlen(s) + 1) : NULL;
}

enum { TEXTS = 7 };
static void texts_of(struct args *a, const char **text[TEXTS]) {
  const char **const all[TEXTS] = {&a->size, &a->json, &a->dumps, &a->images, &a->timeline, &a->plot, &a->checkpoint};
  memcpy(text, all, sizeof all);
}

/* What --set changes, for the title: ", slot.storage=flat"; of more than three settings their number. Those that other options stand for
 * are left out: the title has them. */
static void run_settings_text(const struct config_args *c, char *buf, size_t size) {
  unsigned n = 0;
  size_t at = 0;
  buf[0] = 0;
  for (unsigned i = 0; i < c->nset; i++) {
    bool other = false;
    for (unsigned m = 0; m < c->nmade; m++) other |= c->set[i] == c->made[m];
    if (other) continue;
    if (n++ < 3 && at < size) at += (size_t)snprintf(buf + at, size - at, ", %.80s", c->set[i]);
  }
  if (n > 3) snprintf(buf, size, ", %u settings of --set", n);
}

static struct session *session_new(const struct args *a) {
  struct session *s = xcalloc(1, sizeof *s);
  const char **text[TEXTS];
  s->a = *a;
  run_settings_text(&a->config, s->a.settings, sizeof s->a.settings);
  s->a.config = (struct config_args){.threads = a->config.threads};
  texts_of(&s->a, text);
  for (unsigned i = 0; i < TEXTS; i++) *text[i] = session_copy_text(*text[i]); /* arguments lie on the stack */
  for (unsigned i = 0; i < a->n; i++) s->a.name[i] = session_copy_text(a->name[i]);
  s->r = xcalloc(a->n, sizeof *s->r);
  s->found.races = xcalloc(a->n, sizeof *s->found.races);
  s->found.detail = xcalloc(a->n, sizeof *s->found.detail);
  for (unsigned i = 0; i < a->n; i++) s->found.detail[i].by_launch = a->per_launch;
  return s;
}

/* With a status to return. */
static int session_free(struct session *s, int status) {
  const char **text[TEXTS];
  texts_of(&s->a, text);
  for (unsigned i = 0; i < TEXTS; i++) free((char *)*text[i]);
  for (unsigned i = 0; i < s->a.n; i++) free((char *)s->a.name[i]);
  found_free(&s->found, s->a.n);
  free(s->r);
  free(s);
  return status;
}

/* Runs what has not been run yet, and prints and writes everything. The exit status; s is freed. */
static int session_finish(struct session *s) {
  const struct args *a = &s->a;
  struct err *e = &s->e;
  bool ok = session_run_all(s);
  if (ok && a->timeline) ok = draw_timeline(a, s->r, &s->found, e);
  if (ok && a->plot) ok = draw_latency(s->found.latency, s->r, a->plot, e);
  if (ok && a->json) ok = run_save_results(a, s->r, &s->found, e);
  const bool shown = !json_alone(a->json);
  if (ok && shown) run_print_results(a, s->r, &s->found);
  int status = tell_races(a, s->found.races, shown);
  fflush(stdout);
  for (unsigned i = 0; ok && i < a->n; i++) {
    run_complaints(&s->r[i], s->r[i].kernel);
    if (s->r[i].unshared)
      note("%s: %s time all CTAs; the launch file's stride of up to %u is for one SM", s->r[i].kernel,
           RUN_SMS(&s->r[i].cfg), s->r[i].unshared);
    status |= run_below(&s->r[i]);
  }
  if (s->checkpoint) status |= checkpoint_foreign(s->checkpoint) > 0;
  checkpoint_free(s->checkpoint, ok);
  return session_free(s, ok ? status : err_complain(e));
}

/* ---- checkpoints ---- */

static bool begin_checkpoints(struct session *s) {
  char name[PATH_MAX];
  const struct args *a = &s->a;
  const char *slash = strrchr(a->name[0], '/');
  snprintf(name, sizeof name, "%s.checkpoint", slash ? slash + 1 : a->name[0]);
  if (!a->checkpoint) s->a.checkpoint = session_copy_text(name);
  if (!getcwd(s->directory, sizeof s->directory))
    return err_at(&s->e, NULL, 0, 0, "found no name of the current directory, expected one for --checkpoint");
  image_set_root(s);
  s->checkpoint = checkpoint_new(s->a.checkpoint, a->minutes, a->check, &s->e);
  return s->checkpoint;
}

/* In the directory in which the run began. */
static bool change_directory(const struct session *s, char file[PATH_MAX], struct err *e) {
  char real[PATH_MAX];
  if (realpath(file, real)) snprintf(file, PATH_MAX, "%s", real);
  return !chdir(s->directory) ||
         err_at(e, s->directory, 0, 0, "found no such directory, expected the one in which the run began");
}

struct resume_args {
  struct config_args config;
  const char *file;
  double minutes;
  bool check, any_owner;
};

static error_t parse_resume(int key, char *arg, struct argp_state *state) {
  struct resume_args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_CHECKPOINT: a->minutes = minutes_arg(state, arg); return 0;
    case OPT_ANY_OWNER: a->any_owner = true; return 0;
    case OPT_CHECK: a->check = true; return 0;
    case ARGP_KEY_ARG:
      if (a->file) argp_error(state, "found two files, expected one checkpoint");
      if (strlen(arg) > PATH_MAX - 8)
        argp_error(state, "found a path of %zu bytes, expected a checkpoint", strlen(arg));
      a->file = arg;
      return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "found no file, expected the checkpoint of a run"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cmd_resume(int argc, char **argv) {
  static const struct argp_option of_resume[] = {
      {"checkpoint", OPT_CHECKPOINT, "MINUTES", 0,
       "minutes of the host between checkpoints; default: as in the interrupted run", 0},
      {"any-owner", OPT_ANY_OWNER, NULL, 0,
       "accept a checkpoint that another user owns or every user can write; it is trusted like a program", 0},
      {"checkpoint-check", OPT_CHECK, NULL, OPTION_HIDDEN, "look for words in it that only this process can use", 0},
      {0}};
  static const struct argp_child children[] = {
      {&config_argp, 0, "Configuration, which must be that of the run (--threads may differ):", 1}, {0}};
  static const struct argp argp = {of_resume,
                                   parse_resume,
                                   "FILE",
                                   "Continues a run from the checkpoint FILE (run --checkpoint) or, if it is damaged, "
                                   "from the one before it, FILE.1. The results are those of an uninterrupted run and "
                                   "are written to the files that its options named.",
                                   children,
                                   NULL,
                                   NULL};
  struct resume_args a = {.file = NULL};
  struct config c;
  struct err e = {0};
  char file[PATH_MAX];
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.check) image_foreign_begin();
  const bool asked = a.config.machine || a.config.system || a.config.nset || a.config.all_sms;
  if (asked && !config_from(&a.config, &c, &e)) return err_complain(&e);
  if (!checkpoint_map(a.file, a.any_owner, asked ? &c : NULL, &e)) return err_complain(&e);
  struct session *s = image_root();
  snprintf(file, sizeof file, "%s", a.file);
  if (!change_directory(s, file, &e) || !outputs_possible(&s->a, &e)) return err_complain(&e);
  if (a.config.threads) s->a.config.threads = a.config.threads;
  s->checkpoint = checkpoint_again(file, a.minutes > 0 ? a.minutes : s->a.minutes, a.check);
  return session_finish(s);
}

int cmd_run(int argc, char **argv) {
  static const struct argp argp = {
      options,
      run_parse,
      "NAME|FILE.launch|FILE.trf|kernelslist.g|FILE.traceg...",
      "Executes kernels with real values and times them on one SM, on several, or on all of the machine. Traces "
      "(FILE.trf, kernelslist.g, FILE.traceg) are timed without being executed. Several kernels are shown side by "
      "side.",
      config_children,
      NULL,
      NULL};
  struct args a = {.size = "default"};
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.check) image_foreign_begin();
  if (a.minutes > 0 && !image_begin(&e)) return err_complain(&e);
  struct session *s = session_new(&a);
  if (!config_from(&a.config, &s->c, &s->e) || !races_possible(&a, &s->c, &s->e) || !outputs_possible(&a, &s->e))
    return session_free(s, err_complain(&s->e));
  if (a.minutes > 0 && !begin_checkpoints(s)) return session_free(s, err_complain(&s->e));
  s->found.timeline = a.timeline ? timeline_new(panels_window(&s->c)) : NULL;
  s->found.latency = a.plot ? xcalloc(1, sizeof *s->found.latency) : NULL;
  return session_finish(s);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* results: regtwin results list|show|diff|csv|html --db FILE: what a database of runs has. It is only read. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/similar.h"
#include "base/show.h"
#include "cli/cli.h"
#include "lab/database/results/csv.h"
#include "lab/database/results/list.h"
#include "lab/database/results/report.h"

enum what { LIST, SHOW, DIFF, CSV, HTML, WHATS };
static const struct {
  const char *name;
  unsigned words; /* that follow it */
} whats[WHATS] = {{"list", 0}, {"show", 1}, {"diff", 2}, {"csv", 0}, {"html", 0}};

struct args {
  const char *db, *output, *base, *title, *word[2];
  struct wanted wanted;
  const struct measure *measure;
  int what; /* enum what; -1: none yet */
  unsigned words;
  bool ratio, all, launches, systems_down, rows;
  struct err e;
};

enum {
  OPT_DB = 256,
  OPT_KERNEL,
  OPT_SYSTEM,
  OPT_CONFIG,
  OPT_SIZE,
  OPT_STATE,
  OPT_PROGRAM,
  OPT_CAMPAIGN,
  OPT_MEASURE,
  OPT_BASE,
  OPT_RATIO,
  OPT_ROWS,
  OPT_LAUNCHES,
  OPT_ALL,
  OPT_TITLE
};
static const struct argp_option options[] = {
    {"db", OPT_DB, "FILE", 0,
     "database that sweep and other commands have written; default: build/experiments/results.db if there is a "
     "directory build",
     0},
    {"kernel", OPT_KERNEL, "NAME", 0, "only runs of this kernel", 1},
    {"system", OPT_SYSTEM, "NAME", 0, "only runs of this system", 1},
    {"config", OPT_CONFIG, "NAME", 0, "only runs on this machine", 1},
    {"size", OPT_SIZE, "NAME", 0, "only runs of this size", 1},
    {"state", OPT_STATE, "STATE", 0, "only runs in this state: waiting, running, done, failed, lost or refused", 1},
    {"program", OPT_PROGRAM, "HASH", 0,
     "only runs of the version of the simulator whose hash begins so; default: all, for csv and html the newest", 1},
    {"campaign", OPT_CAMPAIGN, "NAME", 0, "only runs of this campaign", 1},
    {"output", 'o', "FILE", 0, "html, csv: file to write; default for csv: standard output", 2},
    {"measure", OPT_MEASURE, "NAME", 0,
     "html: measure in the pictures, default ipc; csv: print a table of this measure, a row for each kernel and a "
     "column for each system",
     2},
    {"base", OPT_BASE, "SYSTEM", 0,
     "system that others are compared with; default: the campaign's, else baseline, else the first one", 2},
    {"ratio", OPT_RATIO, NULL, 0, "csv with --measure: divide each value by that of the base", 2},
    {"rows", OPT_ROWS, "WHAT", 0, "csv with --measure: what the rows are, kernels or systems; default: kernels", 2},
    {"launches", OPT_LAUNCHES, NULL, 0, "csv: print a line for each launch of each run", 2},
    {"all", OPT_ALL, NULL, 0, "show, csv, html: every counter, also one that is 0 in all runs", 2},
    {"title", OPT_TITLE, "TEXT", 0,
     "html: title of the page; default: the name of the only campaign, else Results of RegTwin", 2},
    {0}};

static void results_take_measure(struct args *a, struct argp_state *state, const char *arg) {
  a->measure = measure_find(arg);
  char near[400];
  if (!a->measure) argp_error(state, "--measure: found '%s'%s", arg, measure_suggest(arg, near, sizeof near));
}

static void results_take_rows(struct args *a, struct argp_state *state, const char *arg) {
  a->rows = true;
  a->systems_down = !strcmp(arg, "systems");
  if (!a->systems_down && strcmp(arg, "kernels"))
    argp_error(state, "--rows: found '%s', expected kernels or systems", arg);
}

static void results_take_word(struct args *a, struct argp_state *state, const char *arg) {
  if (a->what < 0) {
    for (int i = 0; i < WHATS; i++)
      if (!strcmp(arg, whats[i].name)) a->what = i;
    char near[400];
    similar_among(arg, &whats[0].name, sizeof *whats, WHATS, ", expected list, show, diff, csv or html", near,
                  sizeof near);
    if (a->what < 0) argp_error(state, "found '%s'%s", arg, near);
    return;
  }
  if (a->words == whats[a->what].words)
    argp_error(state, "found '%s' after '%s', expected %u word%s", arg, whats[a->what].name, whats[a->what].words,
               whats[a->what].words == 1 ? "" : "s");
  a->word[a->words++] = arg;
}

/* Options that the command would not look at. */
static void check_options(struct args *a, struct argp_state *state) {
  if (a->what < 0) argp_error(state, "found no word, expected list, show, diff, csv or html");
  if (a->words < whats[a->what].words)
    argp_error(state, "found %u of them after '%s', expected %s", a->words, whats[a->what].name,
               a->what == SHOW ? "a run: its key, or KERNEL+SYSTEM"
                               : "two runs, two programs (program:HASH) or two databases");
  if (a->what == HTML && !a->output) argp_error(state, "found no -o, expected the file to write");
  if (a->output && a->what != HTML && a->what != CSV)
    argp_error(state, "found -o with '%s', expected html or csv", whats[a->what].name);
  if ((a->ratio || a->rows) && (a->what != CSV || !a->measure))
    argp_error(state, "found --ratio or --rows without csv --measure, expected both");
  if (a->launches && (a->what != CSV || a->measure))
    argp_error(state, "found --launches with '%s'%s, expected csv", whats[a->what].name,
               a->measure ? " --measure" : "");
}

static error_t results_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_DB: a->db = arg; return 0;
    case OPT_KERNEL: a->wanted.kernel = arg; return 0;
    case OPT_SYSTEM: a->wanted.system = arg; return 0;
    case OPT_CONFIG: a->wanted.machine = arg; return 0;
    case OPT_SIZE: a->wanted.size = size_arg(state, arg); return 0;
    case OPT_STATE: a->wanted.state = arg; return 0;
    case OPT_PROGRAM: a->wanted.program = arg; return 0;
    case OPT_CAMPAIGN: a->wanted.campaign = arg; return 0;
    case 'o': a->output = arg; return 0;
    case OPT_MEASURE: results_take_measure(a, state, arg); return 0;
    case OPT_BASE: a->base = arg; return 0;
    case OPT_RATIO: a->ratio = true; return 0;
    case OPT_ROWS: results_take_rows(a, state, arg); return 0;
    case OPT_LAUNCHES: a->launches = true; return 0;
    case OPT_ALL: a->all = true; return 0;
    case OPT_TITLE: a->title = arg; return 0;
    case ARGP_KEY_ARG: results_take_word(a, state, arg); return 0;
    case ARGP_KEY_END: check_options(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool results_read_set(struct args *a, const char *db, const struct wanted *w, struct outcome_set *s) {
  memset(s, 0, sizeof *s);
  if (!db) return err_at(&a->e, NULL, 0, 0, "found no --db, expected the file of a database");
  if (!outcome_read(s, db, w, &a->e)) return false;
  return s->n || err_at(&a->e, db, 0, 0,
                        "found no run of what was asked for, expected one: see 'regtwin results list --db FILE'");
}

/* ---- one run ---- */

static bool text_is_hexadecimal(const char *text) { return text[0] && text[strspn(text, "0123456789abcdef")] == 0; }

/* The options that tell some of these runs apart, as the end of a message: ", or --size, --config"; "": no option does. */
static const char *results_tell_apart(const struct outcome_set *s, char *buf, size_t size) {
  bool sizes = false, machines = false, programs = false;
  for (unsigned i = 1; i < s->n; i++) {
    sizes |= strcmp(s->row[i].size, s->row[0].size) != 0;
    machines |= strcmp(s->row[i].machine, s->row[0].machine) != 0;
    programs |= strcmp(s->row[i].program, s->row[0].program) != 0;
  }
  const char *comma = sizes && (machines || programs) ? ", " : "", *second = machines && programs ? ", " : "";
  snprintf(buf, size, "%s%s%s%s%s%s", sizes || machines || programs ? ", or " : "", sizes ? "--size" : "", comma,
           machines ? "--config" : "", second, programs ? "--program" : "");
  return buf;
}

/* The one run that a word means: the beginning of its key, or KERNEL+SYSTEM with the other filters. */
static bool results_read_one(struct args *a, const char *word, struct outcome_set *s) {
  struct wanted w = a->wanted;
  char kernel[256];
  const char *plus = strchr(word, '+');
  if (plus) {
    if ((size_t)(plus - word) >= sizeof kernel)
      return err_at(&a->e, NULL, 0, 0, "found '%s', expected the name of a kernel before '+'", word);
    snprintf(kernel, sizeof kernel, "%.*s", (int)(plus - word), word);
    w.kernel = kernel;
    w.system = plus + 1;
    w.newest = true;
  } else if (text_is_hexadecimal(word)) {
    w.key = word;
  } else {
    return err_at(&a->e, NULL, 0, 0, "found run '%s', expected the beginning of its key, or KERNEL+SYSTEM", word);
  }
  if (!results_read_set(a, a->db, &w, s)) return false;
  bool one = true; /* it may have several names */
  for (unsigned i = 1; i < s->n; i++) one &= s->row[i].again;
  if (one) return true;
  fflush(stdout);
  results_list(s, stderr);
  char options[64];
  return err_at(&a->e, a->db, 0, 0, "found %u runs of '%s', expected one: give its key (the first column)%s", s->n,
                word, results_tell_apart(s, options, sizeof options));
}

static bool results_print_run(struct args *a) {
  struct outcome_set s = {.n = 0};
  const bool ok = results_read_one(a, a->word[0], &s);
  if (ok) results_show(&s.row[0], a->all, stdout);
  outcome_free(&s);
  return ok;
}

/* ---- two of them ---- */

static bool path_is_regular(const char *word) {
  struct stat st;
  return !stat(word, &st) && S_ISREG(st.st_mode);
}
static bool is_program(const char *word) { return !strncmp(word, "program:", 8); }

static bool results_read_side(struct args *a, const char *word, struct outcome_set *s) {
  struct wanted w = a->wanted;
  if (is_program(word)) w.program = word + 8;
  else w.newest = true;
  return results_read_set(a, is_program(word) ? a->db : word, &w, s);
}

static bool results_print_diff(struct args *a) {
  struct outcome_set s[2] = {{.n = 0}, {.n = 0}};
  bool many[2], ok = true;
  for (unsigned i = 0; i < 2; i++) many[i] = is_program(a->word[i]) || path_is_regular(a->word[i]);
  if (many[0] != many[1])
    return err_at(&a->e, NULL, 0, 0,
                  "found '%s' and '%s', expected two runs, two programs (program:HASH) or two databases", a->word[0],
                  a->word[1]);
  for (unsigned i = 0; ok && i < 2; i++)
    ok = many[i] ? results_read_side(a, a->word[i], &s[i]) : results_read_one(a, a->word[i], &s[i]);
  if (ok && many[0]) results_diff_sets(&s[0], a->word[0], &s[1], a->word[1], stdout);
  else if (ok) results_diff(&s[0].row[0], &s[1].row[0], stdout);
  for (unsigned i = 0; i < 2; i++) outcome_free(&s[i]);
  return ok;
}

/* ---- all of them ---- */

static bool results_print_list(struct args *a) {
  struct outcome_set s = {.n = 0};
  const bool ok = results_read_set(a, a->db, &a->wanted, &s);
  if (ok) results_list(&s, stdout);
  outcome_free(&s);
  return ok;
}

static bool write_csv(struct args *a, const struct outcome_set *s, FILE *f) {
  if (a->launches) return csv_launches(s, a->db, f, &a->e);
  if (a->measure) csv_table(s, a->measure, a->base, a->ratio, a->systems_down, f);
  else csv_runs(s, a->all ? CSV_COUNTERS : CSV_PRESENT, f);
  return true;
}

static bool write_html(struct args *a, const struct outcome_set *s, FILE *f) {
  const struct report r = {.set = s,
                           .measure = a->measure ? a->measure : measure_find("ipc"),
                           .base = a->base,
                           .title = a->title            ? a->title
                                    : s->campaigns == 1 ? s->campaign[0]
                                                        : "Results of RegTwin",
                           .all_counters = a->all};
  report_html(&r, f);
  return true;
}

static bool base_there(struct args *a, const struct outcome_set *s) {
  if (!a->base) {
    if (s->base && s->base[0]) a->base = s->base;
    return true;
  }
  for (unsigned i = 0; i < s->n; i++)
    if (!strcmp(s->row[i].system, a->base)) return true;
  return err_at(&a->e, NULL, 0, 0, "--base: found '%s', expected a system that is among the runs", a->base);
}

/* Written completely or not at all. */
static bool results_save(struct args *a, bool (*write)(struct args *a, const struct outcome_set *s, FILE *f)) {
  struct outcome_set s = {.n = 0};
  char why[IO_WHY] = "";
  a->wanted.newest = true;
  bool ok = results_read_set(a, a->db, &a->wanted, &s) && base_there(a, &s);
  if (ok) {
    struct output *o = output_open(a->output ? a->output : "-", why);
    ok = o && write(a, &s, output_stream(o));
    ok = (o && output_close(o, ok, why) && ok) || err_at(&a->e, a->output, 0, 0, "cannot write: %s", why);
  }
  outcome_free(&s);
  return ok;
}

int cmd_results(int argc, char **argv) {
  static const struct argp argp = {
      options,
      results_parse,
      "list|csv|html\nshow RUN\ndiff A B",
      "Shows what a database of runs has: a line for each run; one run in full; what differs between two runs, "
      "programs or databases; all numbers as comma-separated values; a report with pictures as one page of HTML. "
      "RUN is the beginning of a run's key, or KERNEL+SYSTEM. Results of runs that were cut short are marked and are "
      "in no mean. The database is only read; a sweep may write to it at the same time.",
      NULL,
      NULL,
      NULL};
  static struct args a;
  bool ok = false;
  a.what = -1;
  a.db = db_default();
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  switch (a.what) {
    case LIST: ok = results_print_list(&a); break;
    case SHOW: ok = results_print_run(&a); break;
    case DIFF: ok = results_print_diff(&a); break;
    case CSV: ok = results_save(&a, write_csv); break;
    case HTML: ok = results_save(&a, write_html); break;
  }
  return ok ? 0 : err_complain(&a.e);
}

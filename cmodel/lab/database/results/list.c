/* SPDX-License-Identifier: Apache-2.0 */
/* list: a line for each run, and one run in full; see list.h. */
#include "lab/database/results/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "lab/campaign/measure.h"
#include "lab/report/grid.h"
#include "lab/database/results/command.h"
#include "lab/run/result.h"

static void results_show_text(FILE *f, const char *text) { show_line(f, text); }

/* The settings of a run as one text; freed by the caller. */
static char *settings_of(struct presets *p, const struct outcome *o) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f) no_memory(1, BUFSIZ);
  command_settings(p, o, "", " ", results_show_text, f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  return text;
}

static void results_add_row(struct grid *g, struct presets *p, const struct outcome *o) {
  double ipc;
  char *settings = settings_of(p, o);
  grid_row(g);
  grid_cell(g, "%.12s", o->key);
  grid_cell(g, "%s", o->kernel);
  grid_cell(g, "%s", o->size);
  grid_cell(g, o->seed ? "%llu" : "-", (unsigned long long)o->seed);
  grid_cell(g, "%s", o->machine);
  grid_cell(g, "%s", o->system);
  grid_cell(g, "%s", o->partial[0] ? "partial" : outcome_state_name[o->state]);
  if (o->run && measure_of(measure_find("ipc"), o->run, &ipc)) grid_cell(g, "%.3f", ipc);
  else grid_cell(g, "-");
  if (o->run) grid_cell(g, "%llu", (unsigned long long)o->run->cycles);
  else grid_cell(g, "-");
  grid_cell(g, "%s%s", settings, o->error);
  free(settings);
}

static void results_add_heads(struct grid *g) {
  static const char *const head[] = {"run",    "kernel", "size", "seed",   "machine",
                                     "system", "state",  "IPC",  "cycles", "not as its preset, or why"};
  grid_row(g);
  for (unsigned i = 0; i < sizeof head / sizeof *head; i++) grid_cell(g, "%s", head[i]);
  grid_right(g, 7, 8);
}

void results_list(const struct outcome_set *s, FILE *f) {
  struct presets p = {0};
  struct grid *g = grid_new();
  unsigned of[OUTCOME_STATES] = {0}, partial = 0, runs = 0;
  results_add_heads(g);
  for (unsigned i = 0; i < s->n; i++) {
    results_add_row(g, &p, &s->row[i]);
    if (s->row[i].again) continue;
    runs++;
    of[s->row[i].state]++;
    partial += s->row[i].partial[0] != 0;
  }
  if (s->n) grid_print(g, f);
  grid_free(g);
  presets_free(&p);
  fprintf(f, "%s%u runs", s->n ? "\n" : "", runs);
  if (runs < s->n) fprintf(f, " under %u names", s->n);
  fputc(':', f);
  for (unsigned i = 0, some = 0; i < OUTCOME_STATES; i++)
    if (of[i]) fprintf(f, "%s %u %s", some++ ? "," : "", of[i], outcome_state_name[i]);
  if (partial) fprintf(f, "; %u of them partial: cut short, in no mean", partial);
  fputc('\n', f);
}

static void results_print_line(FILE *f, const char *name, const char *text) {
  if (!text[0]) return;
  fprintf(f, "%-14s ", name);
  show_line(f, text);
  fputc('\n', f);
}

static void results_print_counters(const struct run_result *r, FILE *f) {
  struct grid *g = grid_new();
  char buf[COLUMN_TEXT_MOST];
  for (unsigned i = 0; i < run_ncolumns; i++) {
    grid_row(g);
    grid_cell(g, "%s", run_columns[i].name);
    const char *text = outcome_counter(r, &run_columns[i], buf);
    grid_cell(g, "%s", text[0] ? text : "-");
    grid_cell(g, "%s", run_columns[i].unit);
  }
  grid_right(g, 1, 1);
  fputc('\n', f);
  grid_print(g, f);
  grid_free(g);
}

void results_show(const struct outcome *o, bool all, FILE *f) {
  struct presets p = {0};
  results_print_line(f, "run", o->key);
  results_print_line(f, "kernel", o->kernel);
  results_print_line(f, "size", o->size);
  results_print_line(f, "machine", o->machine);
  results_print_line(f, "system", o->system);
  results_print_line(f, "campaign", o->campaign);
  results_print_line(f, "program", o->program);
  results_print_line(f, "configuration", o->config);
  results_print_line(f, "work", o->work);
  fprintf(f, "%-14s %s, tries: %u\n", "state", outcome_state_name[o->state], o->tries);
  results_print_line(f, "why", o->error);
  results_print_line(f, "partial", o->partial);
  if (o->seconds > 0) fprintf(f, "%-14s %.1f s, %.0f MB\n", "took", o->seconds, (double)o->memory / 1e6);
  fprintf(f, "%-14s ", "repeat by");
  command_run(&p, o, results_show_text, f);
  fputc('\n', f);
  presets_free(&p);
  if (!o->run) return;
  fputc('\n', f);
  result_print(o->run, 1, false, "", f);
  if (all) results_print_counters(o->run, f);
}

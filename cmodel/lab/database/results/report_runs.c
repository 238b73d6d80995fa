/* SPDX-License-Identifier: Apache-2.0 */
/* report_runs: the runs one by one: why some have no result, what repeats them, the numbers as a link; see report.h. */
#include <stdlib.h>
#include <string.h>

#include "lab/report/html.h"
#include "lab/database/results/csv.h"
#include "lab/database/results/report.h"

enum { MOST_FAILURES = 300 };

static void plain_text(FILE *f, const char *text) { html_text(f, text); }

static void report_put_cell(FILE *f, const char *text) {
  fputs("<td>", f);
  html_text(f, text);
  fputs("</td>", f);
}

static void report_put_seed(FILE *f, const struct outcome *o) {
  if (o->seed) fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)o->seed);
  else fputs("<td></td>", f);
}

static bool report_is_failure(const struct outcome *o) { return o->state != OUTCOME_DONE || o->partial[0]; }

static void report_put_failure(struct presets *p, const struct outcome *o, unsigned number, FILE *f) {
  fprintf(f, "<tr><td class=\"n\"><a href=\"#r%u\">%u</a></td>", number, number);
  report_put_cell(f, o->kernel), report_put_cell(f, o->system), report_put_cell(f, o->machine),
      report_put_cell(f, o->size);
  report_put_seed(f, o);
  fputs("<td>", f);
  command_settings(p, o, "", " ", plain_text, f);
  fprintf(f, "</td><td>%s</td><td class=\"n\">%u</td>", o->partial[0] ? "partial" : outcome_state_name[o->state],
          o->tries);
  fputs("<td>", f);
  html_short(f, o->partial[0] ? o->partial : o->error, 400);
  fputs("</td></tr>\n", f);
}

void report_failures(const struct report *r, FILE *f) {
  struct presets p = {0};
  unsigned n = 0;
  for (unsigned i = 0; i < r->set->n; i++) n += report_is_failure(&r->set->row[i]);
  if (!n) {
    fputs("<p>Every run has a whole result.</p>\n", f);
    return;
  }
  fprintf(f,
          "<h3>Without a whole result: %u</h3>\n<table "
          "class=\"runs\"><tr><th>run</th><th>kernel</th><th>system</th><th>machine</th>"
          "<th>size</th><th>seed</th><th>not as its preset</th><th>state</th><th>tries</th><th>why</th></tr>\n",
          n);
  for (unsigned i = 0, shown = 0; i < r->set->n && shown < MOST_FAILURES; i++)
    if (report_is_failure(&r->set->row[i])) report_put_failure(&p, &r->set->row[i], i + 1, f), shown++;
  fputs("</table>\n", f);
  if (n > MOST_FAILURES) fprintf(f, "<p>And %u more, which are among the runs below.</p>\n", n - MOST_FAILURES);
  presets_free(&p);
}

static void report_put_run(struct presets *p, const struct outcome *o, unsigned number, FILE *f) {
  double ipc;
  fprintf(f, "<tr id=\"r%u\"><td class=\"n\">%u</td>", number, number);
  report_put_cell(f, o->kernel), report_put_cell(f, o->system);
  fprintf(f, "<td>%s</td>", o->partial[0] ? "partial" : outcome_state_name[o->state]);
  if (o->run && measure_of(measure_find("ipc"), o->run, &ipc))
    fprintf(f, "<td class=\"n\">%llu</td><td class=\"n\">%.3f</td>", (unsigned long long)o->run->cycles, ipc);
  else fputs("<td></td><td></td>", f);
  fputs("<td>", f);
  command_settings(p, o, "", " ", plain_text, f);
  fputs("</td><td><code>", f);
  command_run(p, o, plain_text, f);
  fputs("</code></td></tr>\n", f);
}

void report_runs(const struct report *r, FILE *f) {
  struct presets p = {0};
  fputs(
      "<h2 id=\"runs\">Runs</h2>\n<table class=\"runs\"><caption>Every run, the keys whose values are not those of its "
      "machine and system, and "
      "the command that repeats it with the same kernels and the same "
      "program.</caption>\n<tr><th>run</th><th>kernel</th><th>system</th>"
      "<th>state</th><th class=\"n\">cycles</th><th class=\"n\">IPC</th><th>not as its "
      "preset</th><th>command</th></tr>\n",
      f);
  for (unsigned i = 0; i < r->set->n; i++) report_put_run(&p, &r->set->row[i], i + 1, f);
  fputs("</table>\n", f);
  presets_free(&p);
}

void report_csv(const struct report *r, FILE *f) {
  char *text = NULL;
  size_t n = 0;
  FILE *csv = open_memstream(&text, &n);
  if (!csv) no_memory(1, BUFSIZ);
  csv_runs(r->set, r->all_counters ? CSV_COUNTERS : CSV_PRESENT, csv);
  if (fclose(csv)) no_memory(1, BUFSIZ);
  fputs(
      "<h2 id=\"csv\">CSV</h2>\n<p>The numbers of all runs are in this page: <a download=\"results.csv\" "
      "href=\"data:text/csv;charset=utf-8,",
      f);
  html_data(f, text, n);
  fprintf(f, "\">results.csv</a>, %u lines: keys that differ, measures, counters that some run has.</p>\n",
          r->set->n + 1);
  free(text);
}

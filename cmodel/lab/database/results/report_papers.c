/* SPDX-License-Identifier: Apache-2.0 */
/* report_papers: what papers say of the systems that ran, beside the runs; see report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/experiment.h"
#include "lab/report/html.h"
#include "lab/database/results/report.h"

enum { SEEDS = 64 };

/* ---- runs by name ---- */

static int name_at(const char *const *name, unsigned n, const char *wanted) {
  for (unsigned i = 0; i < n; i++)
    if (!strcmp(name[i], wanted)) return (int)i;
  return -1;
}

static bool report_has_system(void *ctx, const char *system) {
  const struct view *v = ctx;
  return name_at(v->system, v->nsystem, system) >= 0;
}

/* The whole result at the system's own point; of several seeds the first one's. */
static const struct run_result *report_find_run(void *ctx, const char *kernel, const char *system) {
  const struct view *v = ctx;
  const struct outcome *of[SEEDS];
  const int k = name_at(v->kernel, v->nkernel, kernel), s = name_at(v->system, v->nsystem, system);
  const unsigned n = k < 0 || s < 0 ? 0 : view_runs(v, (unsigned)k, (unsigned)s, own_spot, of, SEEDS);
  for (unsigned i = 0; i < n; i++)
    if (outcome_whole(of[i])) return of[i]->run;
  return NULL;
}

/* ---- a table ---- */

static void report_put_claim(const struct claim *c, FILE *f) {
  fputs("<tr><td>", f);
  html_text(f, c->what);
  fputs("</td><td class=\"n\">", f);
  html_text(f, c->paper);
  fprintf(f, "</td><td class=\"n\">%.*f</td></tr>\n", (int)c->decimals, c->ours);
}

static unsigned report_count_claims(const struct findings *f) {
  unsigned n = 0;
  for (unsigned i = 0; i < f->nclaim; i++) n += !isnan(f->claim[i].ours);
  return n;
}

static void report_put_findings(const struct findings *x, const struct view *v, unsigned kernels, FILE *f) {
  const struct experiment *of = x->experiment;
  const unsigned none = x->nclaim - report_count_claims(x);
  fputs("<h3>", f);
  html_print(f, "%s: %.100s, %s: %s", of->id, papers[of->paper].source, of->where, of->title);
  fputs("</h3>\n<p class=\"c\">", f);
  html_print(f, "%.60s, size %.30s; %u of %u kernels have a run on every system that ran.", v->machine,
             v->size[0] ? v->size : "-", x->runs, kernels);
  if (none) fprintf(f, " There is no run for %u more of the paper's numbers.", none);
  if (of->note[0]) fputs(" Note: ", f), html_text(f, of->note);
  fputs("</p>\n<table><tr><th></th><th class=\"n\">paper</th><th class=\"n\">here</th></tr>\n", f);
  for (unsigned i = 0; i < x->nclaim; i++)
    if (!isnan(x->claim[i].ours)) report_put_claim(&x->claim[i], f);
  fputs("</table>\n", f);
}

static bool papers_of(const struct view *v, unsigned *n, FILE *f, struct err *e) {
  const struct experiment_source from = {report_has_system, report_find_run, (void *)v};
  for (unsigned i = 0; i < nexperiments; i++) {
    struct findings x;
    unsigned kernels;
    if (strcmp(papers[experiments[i].paper].machine, v->machine)) continue;
    const bool ok = experiment_claims(&experiments[i], &from, &x, &kernels, e);
    if (ok && report_count_claims(&x)) report_put_findings(&x, v, kernels, f), *n += 1;
    findings_free(&x);
    if (!ok) return false;
  }
  return true;
}

void report_papers(const struct report *r, FILE *f) {
  struct report_group *g;
  struct err e = {0};
  const unsigned n = report_groups(r->set, &g);
  unsigned tables = 0;
  bool ok = true;
  fputs("<h2 id=\"papers\">Papers</h2>\n", f);
  for (unsigned i = 0; ok && i < n; i++) {
    struct view v;
    view_make(&v, g[i].run, g[i].n, r->base);
    ok = papers_of(&v, &tables, f, &e);
    view_free(&v);
  }
  if (!ok) {
    fputs("<p>The kernels' manifests, which say what papers call them, could not be read: ", f);
    html_text(f, e.text);
    fputs("</p>\n", f);
  } else if (!tables) {
    fputs("<p>No paper has a number for a system that ran here on the paper's machine, beside its baseline.</p>\n", f);
  }
  report_groups_free(g, n);
}

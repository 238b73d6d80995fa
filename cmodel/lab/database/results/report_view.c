/* SPDX-License-Identifier: Apache-2.0 */
/* report_view: the runs of one machine and size as a map, bars, issue slots, IPC against occupancy, and curves; see report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/chart.h"
#include "lab/report/colour.h"
#include "lab/report/html.h"
#include "lab/database/results/report.h"
#include "lab/run/result_slots.h"

enum { SEEDS = 64, NAME = 200 };

struct part { /* what all pictures of a view need */
  const struct report *r;
  const struct view *v;
  bool ratio;               /* to the first system; else the measure itself */
  char (*rgb)[COLOUR_TEXT]; /* of each system */
  char what[NAME];          /* "IPC relative to baseline" */
  struct arena arena;       /* of names in pictures */
  unsigned kernels, seeds;  /* that means are over; the most of one kernel */
  FILE *f;
};

static double report_value(const struct part *p, unsigned k, unsigned s, struct spot at) {
  return p->ratio ? view_ratio(p->v, p->r->measure, k, s, at) : view_value(p->v, p->r->measure, k, s, at);
}
static unsigned report_decimals(const struct part *p) { return p->ratio ? 3 : p->r->measure->decimals; }

static const char *report_keep_text(struct part *p, const char *text) {
  return arena_strndup(&p->arena, text, strlen(text));
}

static void report_put_kernels(const struct part *p, bool common) {
  unsigned n = 0;
  for (unsigned k = 0; k < p->v->nkernel; k++) {
    if (view_common(p->v, p->r->measure, p->ratio, k) != common) continue;
    if (n++) fputs(", ", p->f);
    html_text(p->f, p->v->kernel[k]);
  }
}

static void report_put_caption(const struct part *p) {
  if (!p->kernels) {
    fputs("There is no mean: no kernel has a whole result on every system. ", p->f);
    return;
  }
  fprintf(p->f, "Means are %s ones over ", p->ratio ? "geometric" : "arithmetic");
  if (p->kernels == p->v->nkernel) fprintf(p->f, "all %u kernels. ", p->kernels);
  else {
    fprintf(p->f, "the %u of %u kernels that have a whole result on every system; without ", p->kernels, p->v->nkernel);
    report_put_kernels(p, false);
    fputs(". ", p->f);
  }
  if (p->seeds > 1) fprintf(p->f, "Numbers of a kernel are means over up to %u seeds. ", p->seeds);
}

/* ---- the map ---- */

/* A seat without a whole result: what is there instead. */
static void report_put_other(const struct part *p, unsigned k, unsigned s) {
  const struct outcome *run[SEEDS];
  const unsigned n = view_runs(p->v, k, s, own_spot, run, SEEDS);
  double x;
  for (unsigned i = 0; i < n; i++) {
    if (!run[i]->run || !run[i]->partial[0] || !measure_of(p->r->measure, run[i]->run, &x)) continue;
    fputs("<td class=\"q\" title=\"", p->f);
    html_print(p->f, "partial: %s; %s itself", run[i]->partial, p->r->measure->label);
    fprintf(p->f, "\">%.*f&#8224;</td>", (int)p->r->measure->decimals, x);
    return;
  }
  if (!n) {
    fputs("<td></td>", p->f);
    return;
  }
  x = view_value(p->v, p->r->measure, k, s, own_spot);
  if (!isnan(x)) {
    fprintf(p->f, "<td class=\"f\">%.*f&#8225;</td>", (int)p->r->measure->decimals, x);
    return;
  }
  fputs("<td class=\"f\" title=\"", p->f);
  html_text(p->f, run[0]->error);
  fprintf(p->f, "\">%s</td>", outcome_state_name[run[0]->state]);
}

/* Of numbers that are no ratios the largest is dark. */
static int report_cell_shade(const struct part *p, double x, double most) {
  if (p->ratio) return report_shade(x, p->r->measure->better == BETTER_LESS);
  return isnan(x)            ? -1
         : most > 0 && x > 0 ? REPORT_ONE + (int)(x / most * (REPORT_SHADES - 1 - REPORT_ONE))
                             : REPORT_ONE;
}

static void report_put_number(const struct part *p, double x, double most) {
  fprintf(p->f, "<td class=\"h%d\">%.*f</td>", report_cell_shade(p, x, most),
          p->ratio ? 2 : (int)p->r->measure->decimals, x);
}

static void report_put_scale(const struct part *p) {
  static const struct {
    const char *text;
    double at;
  } mark[] = {{"half or less", 0.5}, {"0.7", 0.7}, {"1", 1}, {"1.4", 1.4}, {"2", 2}, {"3 or more", 3}};
  if (!p->ratio) return;
  fputs("<table class=\"map\"><tr><th>Colours:</th>", p->f);
  for (unsigned i = 0; i < sizeof mark / sizeof *mark; i++)
    fprintf(p->f, "<td class=\"h%d\">%s</td>", report_shade(mark[i].at, p->r->measure->better == BETTER_LESS),
            mark[i].text);
  fputs("</tr></table>\n", p->f);
}

static double report_largest_value(const struct part *p) {
  double most = 0;
  for (unsigned k = 0; k < p->v->nkernel; k++)
    for (unsigned s = 0; s < p->v->nsystem; s++)
      most = fmax(most, report_value(p, k, s, own_spot)); /* of NaN and a number the number */
  return most;
}

static void report_put_map(const struct part *p) {
  const struct view *v = p->v;
  const double most = report_largest_value(p);
  fputs("<h3>Kernels and systems</h3>\n<figure><table class=\"map\"><thead><tr><th>kernel</th>", p->f);
  for (unsigned s = 0; s < v->nsystem; s++) {
    fputs("<th>", p->f);
    html_short(p->f, v->system[s], 34);
    fputs(v->planned[s] ? " *</th>" : "</th>", p->f);
  }
  fputs("</tr></thead><tbody>\n", p->f);
  for (unsigned k = 0; k < v->nkernel; k++) {
    fputs("<tr><th>", p->f);
    html_short(p->f, v->kernel[k], 60);
    fputs("</th>", p->f);
    for (unsigned s = 0; s < v->nsystem; s++) {
      const double x = report_value(p, k, s, own_spot);
      if (isnan(x)) report_put_other(p, k, s);
      else report_put_number(p, x, most);
    }
    fputs("</tr>\n", p->f);
  }
  fputs("<tr class=\"t\"><th>mean</th>", p->f);
  for (unsigned s = 0; s < v->nsystem; s++) {
    unsigned n;
    const double x = view_mean(v, p->r->measure, p->ratio, s, &n);
    if (isnan(x)) fputs("<td></td>", p->f);
    else report_put_number(p, x, most);
  }
  fputs("</tr></tbody></table>\n", p->f);
  report_put_scale(p);
  fputs("<figcaption>", p->f);
  html_text(p->f, p->what);
  fputs(". ", p->f);
  report_put_caption(p);
  fputs(
      "&#8224;: a run that was cut short, the number itself, in no mean. &#8225;: the number itself, since what it is "
      "compared with "
      "has no whole result. An empty cell: not asked for.",
      p->f);
  for (unsigned s = 0; s < v->nsystem; s++)
    if (v->planned[s]) {
      fputs(" *: settings that depend on the kernel; of several the one with the best IPC.", p->f);
      break;
    }
  fputs("</figcaption></figure>\n", p->f);
}

/* ---- bars ---- */

static unsigned dots_of(struct part *p, unsigned s, struct chart_dot *dot) {
  unsigned n = 0;
  for (unsigned k = 0; k < p->v->nkernel; k++) {
    const double x = report_value(p, k, s, own_spot);
    const bool in = view_common(p->v, p->r->measure, p->ratio, k);
    char name[NAME];
    if (isnan(x)) continue;
    snprintf(name, sizeof name, "%.120s%s", p->v->kernel[k], in ? "" : " (not in the mean)");
    dot[n++] = (struct chart_dot){x, report_keep_text(p, name), !in};
  }
  return n;
}

static void report_put_bars(struct part *p) {
  const struct view *v = p->v;
  struct chart_bar *bar = xcalloc(v->nsystem, sizeof *bar);
  for (unsigned s = 0; s < v->nsystem; s++) {
    struct chart_dot *dot = arena_alloc(&p->arena, v->nkernel * sizeof *dot);
    unsigned n;
    bar[s] = (struct chart_bar){v->system[s], p->rgb[s], "", view_mean(v, p->r->measure, p->ratio, s, &n), dot, 0};
    bar[s].dots = dots_of(p, s, dot);
  }
  fputs("<h3>Means</h3>\n<figure>", p->f);
  const struct chart_bars c = {p->what, p->what, report_decimals(p), v->nsystem, p->ratio ? 1 : NAN, bar};
  chart_bars(p->f, &c);
  fputs("<figcaption>A bar for each system's mean, a dot for each kernel. ", p->f);
  report_put_caption(p);
  fputs("A white dot is in no mean; an arrow is beyond the axis.</figcaption></figure>\n", p->f);
  free(bar);
}

/* ---- issue slots ---- */

/* Mean shares of a system over the kernels that all systems have, and its seeds; false: there are none. */
static bool shares_of(const struct part *p, unsigned s, double out[RESULT_SLOTS]) {
  const struct outcome *run[SEEDS];
  struct result_slot slot[RESULT_SLOTS];
  unsigned n = 0;
  memset(out, 0, RESULT_SLOTS * sizeof *out);
  for (unsigned k = 0; k < p->v->nkernel; k++) {
    const unsigned runs =
        view_common(p->v, p->r->measure, p->ratio, k) ? view_runs(p->v, k, s, own_spot, run, SEEDS) : 0;
    for (unsigned i = 0; i < runs; i++) {
      if (!outcome_whole(run[i]) || !run[i]->run->sm.cycles) continue;
      result_slots(run[i]->run, slot);
      for (unsigned x = 0; x < RESULT_SLOTS; x++) out[x] += (double)slot[x].hundredths / 100;
      n++;
    }
  }
  for (unsigned x = 0; n && x < RESULT_SLOTS; x++) out[x] /= n;
  return n != 0;
}

static void report_put_slots(const struct part *p) {
  struct chart_stack_bar *bar = xcalloc(p->v->nsystem, sizeof *bar);
  const struct run_result none = {0};
  struct result_slot slot[RESULT_SLOTS];
  const char *name[RESULT_SLOTS];
  unsigned n = 0;
  result_slots(&none, slot);
  for (unsigned x = 0; x < RESULT_SLOTS; x++) name[x] = slot[x].label;
  for (unsigned s = 0; s < p->v->nsystem; s++) {
    double part[RESULT_SLOTS];
    if (!shares_of(p, s, part)) continue;
    bar[n].name = p->v->system[s];
    memcpy(bar[n++].part, part, sizeof part);
  }
  if (n) {
    const struct chart_stack c = {
        "Issue slots of each system", "% of the schedulers' issue slots", name, RESULT_SLOTS, n, bar};
    fputs("<h3>Issue slots</h3>\n<figure>", p->f);
    chart_stack(p->f, &c);
    fprintf(
        p->f,
        "<figcaption>What the issue slots of the schedulers were used for: an instruction, or the reason why there was "
        "none. Arithmetic means of the kernels' shares (%u kernel%s).</figcaption></figure>\n",
        p->kernels, p->kernels == 1 ? "" : "s");
  }
  free(bar);
}

/* ---- IPC against occupancy ---- */

static double report_resident_percent(const struct outcome *o) {
  const double cycles = (double)o->run->sm.cycles * (double)o->run->cfg.sm_warps;
  return cycles > 0 ? 100 * (double)o->run->sm.warp_cycles / cycles : NAN;
}

static void points_of(struct part *p, unsigned s, struct chart_series *out, double most[2]) {
  const struct measure *ipc = measure_find("ipc");
  const struct outcome *run[SEEDS];
  struct chart_point *point = arena_alloc(&p->arena, (p->v->nseat + 1) * sizeof *point);
  unsigned n = 0;
  for (unsigned k = 0; k < p->v->nkernel; k++) {
    const unsigned runs = view_runs(p->v, k, s, own_spot, run, SEEDS);
    for (unsigned i = 0; i < runs; i++) {
      char name[NAME];
      struct chart_point x = {.hollow = run[i]->partial[0]};
      if (!run[i]->run || !measure_of(ipc, run[i]->run, &x.y)) continue;
      x.x = report_resident_percent(run[i]);
      if (isnan(x.x)) continue;
      snprintf(name, sizeof name, "%.60s on %.60s: IPC %.3f, %.1f %%%s", p->v->kernel[k], p->v->system[s], x.y, x.x,
               x.hollow ? ", cut short" : "");
      x.name = report_keep_text(p, name);
      most[0] = fmax(most[0], x.x);
      most[1] = fmax(most[1], x.y);
      point[n++] = x;
    }
  }
  *out = (struct chart_series){p->v->system[s], p->rgb[s], point, n};
}

static void report_put_occupancy(struct part *p) {
  struct chart_series *series = xcalloc(p->v->nsystem, sizeof *series);
  double most[2] = {0, 0};
  for (unsigned s = 0; s < p->v->nsystem; s++) points_of(p, s, &series[s], most);
  if (most[1] > 0) {
    const struct chart_xy c = {.title = "IPC against occupancy",
                               .x = {"resident warps, mean, % of the SM's", 0, chart_end(fmax(most[0], 100)), NULL, 0},
                               .y = {"IPC, warp instructions per cycle", 0, chart_end(most[1]), NULL, 0},
                               .line = NAN,
                               .series = series,
                               .n = p->v->nsystem};
    fputs("<h3>IPC against occupancy</h3>\n<figure>", p->f);
    chart_xy(p->f, &c);
    fputs(
        "<figcaption>A mark for each run of a kernel on a system at its own point; white: cut "
        "short.</figcaption></figure>\n",
        p->f);
  }
  free(series);
}

/* ---- curves ---- */

static bool swept_is_logarithmic(const struct swept *w) {
  return w->key->type == KEY_INT && !w->together && w->n > 2 && w->value[0].number > 0 &&
         w->value[w->n - 1].number >= 8 * w->value[0].number;
}
static double swept_value_place(const struct swept *w, unsigned i) {
  return w->key->type != KEY_INT || w->together ? i
         : swept_is_logarithmic(w)              ? log2(w->value[i].number)
                                                : w->value[i].number;
}

/* Fewer than two points are no curve. */
static bool curve_of(struct part *p, unsigned w, unsigned s, struct chart_series *out, double ends[2]) {
  const struct swept *k = &p->v->swept[w];
  struct chart_point *point = arena_alloc(&p->arena, k->n * sizeof *point);
  unsigned there = 0;
  for (unsigned i = 0; i < k->n; i++) {
    char name[NAME];
    unsigned n;
    point[i].x = swept_value_place(k, i);
    point[i].y = view_curve(p->v, p->r->measure, p->ratio, s, (struct spot){(int)w, i}, &n);
    point[i].name = "";
    if (isnan(point[i].y)) continue;
    there++;
    ends[0] = fmin(ends[0], point[i].y);
    ends[1] = fmax(ends[1], point[i].y);
    snprintf(name, sizeof name, "%.60s at %.60s: %.3f, %u kernel%s", p->v->system[s], k->value[i].text, point[i].y, n,
             n == 1 ? "" : "s");
    point[i].name = report_keep_text(p, name);
  }
  *out = (struct chart_series){p->v->system[s], p->rgb[s], point, k->n};
  return there > 1;
}

static void report_put_own_points(const struct part *p, const struct swept *w) {
  bool same = true;
  for (unsigned s = 1; s < p->v->nsystem; s++) same &= w->own[s] == w->own[0];
  fputs(same ? "The systems' own point: " : "Own points: ", p->f);
  for (unsigned s = 0; s < (same ? 1 : p->v->nsystem); s++) {
    if (s) fputs("; ", p->f);
    if (!same) html_short(p->f, p->v->system[s], 34), fputs(": ", p->f);
    html_text(p->f, w->value[w->own[s]].text);
  }
  fputs(".", p->f);
}

static void curve_caption(const struct part *p, unsigned w, bool cut) {
  fputs("<figcaption>", p->f);
  html_text(p->f, p->what);
  if (p->ratio) fputs(" at its own point", p->f);
  fprintf(p->f, "; %s means over the kernels that have a whole result at every value%s. ",
          p->ratio ? "geometric" : "arithmetic",
          p->v->nswept > 1 ? ", other swept keys at each system's own point" : "");
  report_put_own_points(p, &p->v->swept[w]);
  if (swept_is_logarithmic(&p->v->swept[w])) fputs(" The axis from left to right is logarithmic.", p->f);
  if (cut) fputs(" The axis from bottom to top does not begin at 0.", p->f);
  fputs("</figcaption></figure>\n", p->f);
}

static void report_put_curve(struct part *p, unsigned w) {
  const struct swept *k = &p->v->swept[w];
  struct chart_series *series = xcalloc(p->v->nsystem, sizeof *series);
  struct chart_tick *tick = xcalloc(k->n, sizeof *tick);
  unsigned n = 0;
  double ends[2] = {p->ratio ? 1 : INFINITY, p->ratio ? 1 : 0};
  for (unsigned s = 0; s < p->v->nsystem; s++) n += curve_of(p, w, s, &series[n], ends);
  for (unsigned i = 0; i < k->n; i++) tick[i] = (struct chart_tick){swept_value_place(k, i), k->value[i].text};
  if (n && k->n > 1) {
    chart_ends(&ends[0], &ends[1]);
    const double least = swept_value_place(k, 0), last = swept_value_place(k, k->n - 1), room = (last - least) * 0.04;
    const struct chart_xy c = {.title = k->name,
                               .x = {k->name, least - room, last + room, tick, k->n},
                               .y = {p->what, ends[0], ends[1], NULL, 0},
                               .lines = true,
                               .line = p->ratio ? 1 : NAN,
                               .series = series,
                               .n = n};
    fputs("<h3>", p->f);
    html_text(p->f, k->name);
    fputs("</h3>\n<figure>", p->f);
    chart_xy(p->f, &c);
    curve_caption(p, w, ends[0] > 0);
  }
  free(series), free(tick);
}

/* ---- all of it ---- */

static unsigned most_seeds(const struct view *v) {
  const struct outcome *run[SEEDS];
  unsigned most = 0;
  for (unsigned k = 0; k < v->nkernel; k++)
    for (unsigned s = 0; s < v->nsystem; s++) {
      const unsigned n = view_runs(v, k, s, own_spot, run, SEEDS);
      if (n > most) most = n;
    }
  return most;
}

void report_view(const struct report *r, const struct view *v, unsigned number, FILE *f) {
  struct part p = {.r = r, .v = v, .ratio = v->nsystem > 1, .f = f};
  p.rgb = xcalloc(v->nsystem, sizeof *p.rgb);
  p.seeds = most_seeds(v);
  for (unsigned k = 0; k < v->nkernel; k++) p.kernels += view_common(v, r->measure, p.ratio, k);
  colours_assign(v->system, v->nsystem, p.rgb);
  if (p.ratio) snprintf(p.what, sizeof p.what, "%s relative to %.80s", r->measure->label, v->system[0]);
  else snprintf(p.what, sizeof p.what, "%s%s%s", r->measure->label, r->measure->unit[0] ? ", " : "", r->measure->unit);
  fprintf(f, "<h2 id=\"v%u\">", number);
  html_print(f, "Machine %.60s%s%.30s", v->machine, v->size[0] ? ", size " : "", v->size);
  fputs("</h2>\n", f);
  report_put_map(&p);
  report_put_bars(&p);
  report_put_slots(&p);
  report_put_occupancy(&p);
  for (unsigned w = 0; w < v->nswept; w++) report_put_curve(&p, w);
  arena_free(&p.arena);
  free(p.rgb);
}

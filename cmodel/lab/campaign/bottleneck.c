/* SPDX-License-Identifier: Apache-2.0 */
/* bottleneck: see bottleneck.h. */
#include "lab/campaign/bottleneck.h"

#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "lab/campaign/compare.h"
#include "lab/report/grid.h"
#include "lab/report/json.h"
#include "lab/report/table.h"

/* ---- the machines ---- */

static bool bottleneck_add_relaxation(struct bottleneck *b, unsigned r, const struct plan *base, struct err *e) {
  struct plan p = *base;
  struct err why = {0};
  char other[RELAX_HOW], without[RELAX_WITHOUT];
  b->at[r] = -1;
  if (b->chosen && !b->wanted[r]) return true;
  if (!relax_machine(r, &p.cfg, b->how[r], b->without[r], &why) ||
      (plan_follows(&p) && !relax_machine(r, &p.other, other, without, &why))) {
    snprintf(b->how[r], sizeof b->how[r], "%.690s", why.text);
    return !b->chosen || b->classes || err_at(e, NULL, 0, 0, "--relax: %.600s", why.text);
  }
  snprintf(p.label, sizeof p.label, "%.60s, %s", base->label, relaxations[r].label);
  b->at[r] = (int)b->m.nsystem;
  VEC_PUSH(b->m.system, b->m.nsystem, b->m.systems_cap) = p;
  return true;
}

bool bottleneck_plan(struct bottleneck *b, const char *system, const struct settings *s, struct err *e) {
  if (!matrix_system(&b->m, system, s, e)) return false;
  const struct plan base = b->m.system[0];
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (!bottleneck_add_relaxation(b, r, &base, e)) return false;
  return true;
}

/* ---- numbers ---- */

static bool bottleneck_gain(const struct bottleneck *b, unsigned k, unsigned r, double *out) {
  return b->at[r] >= 0 && matrix_ratio(&b->m, measure_find("ipc"), k, (unsigned)b->at[r], 0, out);
}

/* Over the kernels that ran on all machines. */
static struct mean bottleneck_mean_gain(const struct bottleneck *b, unsigned r) {
  if (b->at[r] < 0) return (struct mean){0};
  return matrix_mean(&b->m, measure_find("ipc"), (unsigned)b->at[r], 0);
}

static bool bottleneck_usage_text(const struct usage *u, unsigned rank, char *buf, size_t size) {
  if (rank >= u->n) return false;
  snprintf(buf, size, "%s %.0f%%", resources[u->order[rank]].label, 100 * u->part[u->order[rank]]);
  return true;
}

/* ---- classes ---- */

const char *const bottleneck_label[BOTTLENECKS] = {
#define CLASS(name, label) label,
#include "gen/systems/relax.def"
    "issue", "none of these"};
/* The relaxation of each. */
static const unsigned class_of[] = {
#define CLASS(name, label) RELAX_##name,
#include "gen/systems/relax.def"
};

void bottleneck_classes(struct bottleneck *b) {
  b->chosen = b->classes = true;
  for (unsigned i = 0; i < BOTTLENECK_issue; i++) b->wanted[class_of[i]] = true;
}

void bottleneck_file_parts(struct bottleneck *b) {
  b->wanted[RELAX_ctas] = b->wanted[RELAX_collectors] = b->wanted[RELAX_banks] = true;
  b->wanted[RELAX_regs] = b->wanted[RELAX_slots] = b->wanted[RELAX_shared] = true; /* the parts of ctas */
}

int bottleneck_class(const struct bottleneck *b, unsigned k) {
  const struct cell *c = matrix_cell(&b->m, k, 0);
  double most = 1.05, x;
  int found = -1;
  if (!c->ok) return -1;
  for (unsigned i = 0; i < BOTTLENECK_issue; i++)
    if (bottleneck_gain(b, k, class_of[i], &x) && x >= most) most = x, found = (int)i;
  if (found >= 0) return found;
  return 2 * c->run.sm.slot_issued >= c->run.sm.cycles * (uint64_t)c->run.cfg.sm_schedulers ? BOTTLENECK_issue
                                                                                            : BOTTLENECK_none;
}

/* All relaxations that decide it have been asked for. */
static bool bottleneck_is_classed(const struct bottleneck *b) {
  bool all = true;
  for (unsigned i = 0; i < BOTTLENECK_issue; i++) all &= !b->chosen || b->wanted[class_of[i]];
  return all;
}

/* The part of the class's relaxation that gives most of its gain: at least half, and of a part and a part of it that gives nine tenths as
 * much the smaller one. -1: none that was run does, or the class has no parts. */
static int bottleneck_class_part(const struct bottleneck *b, unsigned k) {
  const int c = bottleneck_class(b, k);
  double all, most = 0, x;
  int found = -1;
  if (c < 0 || c >= BOTTLENECK_issue || !bottleneck_gain(b, k, class_of[c], &all)) return -1;
  for (unsigned r = 0; r < RELAXATIONS; r++) {
    if (!relax_has_part(class_of[c], r) || !bottleneck_gain(b, k, r, &x) || 2 * (x - 1) < all - 1) continue;
    /* its parts stand before it */
    const double least = found >= 0 && relax_has_part(r, (unsigned)found) ? 1 + (most - 1) / 0.9 : most;
    if (x > least) most = x, found = (int)r;
  }
  return found;
}

/* Some part of the class's relaxation was run. */
static bool bottleneck_has_parts(const struct bottleneck *b, int c) {
  for (unsigned r = 0; c >= 0 && c < BOTTLENECK_issue && r < RELAXATIONS; r++)
    if (b->at[r] >= 0 && relax_has_part(class_of[c], r)) return true;
  return false;
}

/* "register file: CTA and warp slots"; by_key: "register file: slots", as the columns of a table are called. */
static const char *bottleneck_class_text(const struct bottleneck *b, unsigned k, bool by_key, char buf[CELL]) {
  const int c = bottleneck_class(b, k), part = bottleneck_class_part(b, k);
  const char *name = part >= 0 ? by_key ? relaxations[part].key : relaxations[part].label : "parts together";
  if (c < 0) return "failed";
  if (!bottleneck_has_parts(b, c)) return bottleneck_label[c];
  snprintf(buf, CELL, "%s: %s", bottleneck_label[c], name);
  return buf;
}

/* ---- one kernel ---- */

enum { BAR = 40, SHORT_USAGE = 5 };
static const char *bottleneck_bar_text(char buf[BAR + 1], double part) {
  const int n = (int)(part * BAR + 0.5);
  snprintf(buf, BAR + 1, "%.*s", n < 0 ? 0 : n > BAR ? BAR : n, "########################################");
  return buf;
}

/* The `most` busiest resources. */
static void bottleneck_print_usage(const struct usage *u, unsigned most, FILE *f) {
  struct grid *g = grid_new();
  char row[BAR + 1];
  fprintf(f, "\nutilisation, %%\n");
  for (unsigned i = 0; i < u->n && i < most; i++) {
    grid_row(g);
    grid_cell(g, "  %s", resources[u->order[i]].label);
    grid_cell(g, "%.1f", 100 * u->part[u->order[i]]);
    grid_cell(g, "%s", bottleneck_bar_text(row, u->part[u->order[i]]));
  }
  grid_right(g, 1, 1);
  grid_print(g, f);
  grid_free(g);
}

/* The relaxations that were run, into order[RELAXATIONS]: as they are listed, or (by_gain) the greatest gain first and those that failed
 * last. Returns their number. */
static unsigned bottleneck_order(const struct bottleneck *b, bool by_gain, unsigned *order) {
  unsigned n = 0;
  for (unsigned r = 0; r < RELAXATIONS; r++) {
    double x = 0, before = 0;
    if (b->at[r] < 0) continue;
    if (!bottleneck_gain(b, 0, r, &x)) x = 0;
    unsigned at = n++;
    for (; by_gain && at && !(bottleneck_gain(b, 0, order[at - 1], &before) && before >= x); at--)
      order[at] = order[at - 1];
    order[at] = r;
  }
  return n;
}

static void bottleneck_print_gains(const struct bottleneck *b, bool short_form, FILE *f) {
  struct grid *g = grid_new();
  unsigned order[RELAXATIONS];
  const unsigned n = bottleneck_order(b, short_form, order);
  char row[BAR + 1];
  double x = 0;
  bool slower = false;
  if (b->m.nsystem == 1) return;
  fprintf(f, "\nIPC relative to the machine as it is, with one thing relaxed\n");
  for (unsigned i = 0; i < n; i++) {
    const bool there = bottleneck_gain(b, 0, order[i], &x);
    slower |= there && x < 0.9995;
    grid_row(g);
    grid_cell(g, "  %s", relaxations[order[i]].label);
    grid_cell(g, there ? "%.3f" : "failed", x);
    grid_cell(g, short_form ? "%.20s" : "%-20.20s", there && x > 1 ? bottleneck_bar_text(row, (x - 1) / 2) : "");
    if (!short_form) grid_cell(g, "%s", relaxations[order[i]].text);
  }
  grid_right(g, 1, 1);
  grid_print(g, f);
  grid_free(g);
  fprintf(f, "  (the bar: from 1 to 2 and beyond)\n");
  if (slower) fprintf(f, "  (below 1: slower, for example as more warps thrash the L1)\n");
}

static void bottleneck_print_kernel(const struct bottleneck *b, bool short_form, FILE *f) {
  const struct cell *c = matrix_cell(&b->m, 0, 0);
  struct usage u;
  char first[64], second[64] = "", class[CELL];
  if (!c->ok) return;
  const struct run_result *r = &c->run;
  usage_of(r, &u);
  fprintf(f, "%s: IPC %.3f of %lld; %u CTAs of %u warps fit (%s)\n", SHOWN(b->m.kernel[0].kernel),
          (double)r->sm.warp_insns / (double)r->cycles, (long long)r->cfg.sm_schedulers * r->cfg.sim_sms, r->fit,
          (r->block_threads + 31) / 32, r->limiter);
  bottleneck_print_usage(&u, short_form ? SHORT_USAGE : u.n, f);
  bottleneck_usage_text(&u, 0, first, sizeof first);
  bottleneck_usage_text(&u, 1, second, sizeof second);
  if (!short_form) fprintf(f, "\nThe tightest: %s (%s). Then: %s.\n", first, resources[u.order[0]].text, second);
  bottleneck_print_gains(b, short_form, f);
  if (bottleneck_is_classed(b)) fprintf(f, "\nClass: %s\n", bottleneck_class_text(b, 0, false, class));
}

/* ---- several ---- */

static void bottleneck_add_row(const struct bottleneck *b, unsigned k, struct table *t) {
  const struct cell *c = matrix_cell(&b->m, k, 0);
  char buf[CELL], text[64];
  double x;
  table_row(t, b->m.kernel[k].kernel, b->m.kernel[k].alias);
  if (c->ok) {
    struct usage u;
    usage_of(&c->run, &u);
    table_cell(t, 0, text_decimals(buf, (double)c->run.sm.warp_insns / (double)c->run.cycles, 2));
    for (unsigned i = 0; i < 2; i++)
      if (bottleneck_usage_text(&u, i, text, sizeof text)) table_cell(t, 1 + i, text);
  } else {
    table_cell(t, 0, "failed");
  }
  for (unsigned r = 0, column = 3; r < RELAXATIONS; r++) {
    if (b->at[r] < 0) continue;
    if (bottleneck_gain(b, k, r, &x)) table_cell(t, column, text_decimals(buf, x, 2));
    else if (c->ok) table_cell(t, column, "failed");
    column++;
  }
}

static void bottleneck_add_means(const struct bottleneck *b, struct table *t) {
  char buf[CELL];
  double x;
  for (unsigned geometric = 0; geometric < 2; geometric++) {
    table_row(t, geometric ? "geometric mean" : "arithmetic mean", "");
    for (unsigned r = 0, column = 3; r < RELAXATIONS; r++) {
      if (b->at[r] < 0) continue;
      const struct mean m = bottleneck_mean_gain(b, r);
      if (geometric ? mean_geometric(&m, &x) : mean_arithmetic(&m, &x)) table_cell(t, column, text_decimals(buf, x, 2));
      column++;
    }
  }
}

/* The kernels into order[nkernel]: as they were named, or (b->sort) those that gain most first and those that failed last. Returns how
 * many are shown. */
static unsigned bottleneck_sort_kernels(const struct bottleneck *b, unsigned *order) {
  const unsigned n = b->m.nkernel;
  for (unsigned k = 0; k < n; k++) {
    double x = -1, before;
    unsigned at = k;
    if (b->sort && !bottleneck_gain(b, k, b->sort - 1, &x)) x = -1;
    for (; b->sort && at; at--) {
      if (!bottleneck_gain(b, order[at - 1], b->sort - 1, &before)) before = -1;
      if (before >= x) break;
      order[at] = order[at - 1];
    }
    order[at] = k;
  }
  return b->top && b->top < n ? b->top : n;
}

static void bottleneck_print_suite(const struct bottleneck *b, bool short_form, FILE *f) {
  const unsigned last = b->m.nsystem + 2;
  unsigned *order = xcalloc(b->m.nkernel, sizeof *order);
  const unsigned shown = bottleneck_sort_kernels(b, order);
  struct table *t = table_new(last + bottleneck_is_classed(b));
  table_head(t, 0, "IPC");
  table_head(t, 1, "tightest");
  table_head(t, 2, "next");
  for (unsigned r = 0, column = 3; r < RELAXATIONS; r++)
    if (b->at[r] >= 0) table_head(t, column++, relaxations[r].key);
  if (bottleneck_is_classed(b)) table_head(t, last, "class");
  table_section(t, "utilisation; IPC relative to the machine as it is, with one thing relaxed");
  for (unsigned i = 0; i < shown; i++) {
    char class[CELL];
    bottleneck_add_row(b, order[i], t);
    if (bottleneck_is_classed(b)) table_cell(t, last, bottleneck_class_text(b, order[i], true, class));
  }
  if (b->m.nsystem > 1) bottleneck_add_means(b, t);
  table_print(t, f);
  table_free(t);
  free(order);
  if (shown < b->m.nkernel)
    fprintf(f, "\n%u of %u kernels, by %s; the means are over all\n", shown, b->m.nkernel,
            relaxations[b->sort - 1].key);
  if (short_form) return;
  fputc('\n', f);
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (b->at[r] >= 0) fprintf(f, "  %-11s %s: %s\n", relaxations[r].key, relaxations[r].label, relaxations[r].text);
}

void bottleneck_print(const struct bottleneck *b, bool short_form, FILE *f) {
  const struct plan *p = &b->m.system[0];
  fprintf(f, "regtwin %s   %s of %s, system %s, size %s\n\n", RT_VERSION, RUN_SMS(&p->cfg), SHOWN(p->cfg.machine),
          SHOWN(p->label), b->m.size);
  if (b->m.nkernel == 1) bottleneck_print_kernel(b, short_form, f);
  else bottleneck_print_suite(b, short_form, f);
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (b->at[r] < 0 && b->how[r][0]) fprintf(f, "Left out: %s\n", SHOWN(b->how[r]));
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (b->at[r] >= 0 && b->without[r][0])
      fprintf(f, "Incomplete: %s (%s): without %s, which the machine cannot have\n", relaxations[r].label,
              relaxations[r].key, b->without[r]);
}

/* On how many relaxed machines the kernel executed other instructions than on the machine as it is. */
static unsigned bottleneck_count_other_work(const struct bottleneck *b, unsigned k) {
  unsigned n = 0;
  for (unsigned s = 1; s < b->m.nsystem; s++) n += matrix_differs(&b->m, k, s, 0);
  return n;
}

void bottleneck_complaints(const struct bottleneck *b) {
  unsigned *order = xcalloc(b->m.nkernel, sizeof *order), hidden = 0;
  const unsigned shown = bottleneck_sort_kernels(b, order);
  for (unsigned i = 0; i < b->m.nkernel; i++) {
    const unsigned n = bottleneck_count_other_work(b, order[i]), relaxed = b->m.nsystem - 1;
    if (n && i >= shown) hidden++;
    else if (n)
      warn(
          "%s executed other instructions on %u of %u relaxed machines, since its work depends on timing: those gains "
          "are not of the same work",
          b->m.kernel[order[i]].kernel, n, relaxed);
  }
  if (hidden)
    warn(
        "of the kernels that are not shown, %u executed other instructions on some relaxed machine; the means have "
        "them, too",
        hidden);
  for (unsigned k = 0; k < b->m.nkernel; k++) compare_complain_of_runs(&b->m, k);
  free(order);
}

/* ---- JSON ---- */

static json_t *kernel_json(const struct bottleneck *b, unsigned k) {
  const struct cell *c = matrix_cell(&b->m, k, 0);
  json_t *o = json_object(), *busy = json_object(), *ipc = json_object(), *order = json_array();
  struct usage u = {0};
  char text[1200];
  const int class = bottleneck_class(b, k), part = bottleneck_class_part(b, k);
  const bool classed = c->ok && bottleneck_is_classed(b);
  double x;
  if (c->ok) usage_of(&c->run, &u);
  else err_format(&c->e, text, sizeof text);
  for (unsigned i = 0; i < u.n; i++) {
    json_put(busy, resources[u.order[i]].key, json_real(u.part[u.order[i]]));
    json_array_append_new(order, json_text(resources[u.order[i]].key));
  }
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (b->at[r] >= 0) json_put(ipc, relaxations[r].key, bottleneck_gain(b, k, r, &x) ? json_real(x) : json_null());
  json_put(o, "kernel", json_text(b->m.kernel[k].kernel));
  json_put(o, "alias", b->m.kernel[k].alias[0] ? json_text(b->m.kernel[k].alias) : json_null());
  json_put(o, "error", c->ok ? json_null() : json_text(text));
  json_put(o, "ipc", c->ok ? json_ratio(c->run.sm.warp_insns, c->run.cycles) : json_null());
  json_put(o, "cycles", c->ok ? json_whole(c->run.cycles) : json_null());
  json_put(o, "ctas_fit", c->ok ? json_whole(c->run.fit) : json_null());
  json_put(o, "limiter", c->ok ? json_text(c->run.limiter) : json_null());
  json_put(o, "utilisation", busy);
  json_put(o, "tightest_first", order);
  json_put(o, "relative_ipc", ipc);
  json_put(o, "class", classed ? json_text(bottleneck_label[class]) : json_null());
  json_put(o, "class_part", classed && part >= 0 ? json_text(relaxations[part].key) : json_null());
  return o;
}

static json_t *relaxation_json(const struct bottleneck *b, unsigned r) {
  json_t *o = json_object();
  const struct mean m = bottleneck_mean_gain(b, r);
  double x;
  json_put(o, "key", json_text(relaxations[r].key));
  json_put(o, "label", json_text(relaxations[r].label));
  json_put(o, "text", json_text(relaxations[r].text));
  json_put(o, "changes", b->at[r] >= 0 ? json_text(b->how[r]) : json_null());
  json_put(o, "left_out", b->at[r] < 0 && b->how[r][0] ? json_text(b->how[r]) : json_null());
  json_put(o, "without", b->at[r] >= 0 && b->without[r][0] ? json_text(b->without[r]) : json_null());
  json_put(o, "kernels", json_whole(m.n));
  json_put(o, "arithmetic_mean", mean_arithmetic(&m, &x) ? json_real(x) : json_null());
  json_put(o, "geometric_mean", mean_geometric(&m, &x) ? json_real(x) : json_null());
  return o;
}

json_t *bottleneck_json(const struct bottleneck *b) {
  json_t *all = json_object(), *kernels = json_array(), *relaxed = json_array(), *parts = json_array();
  for (unsigned i = 0; i < RESOURCES; i++) {
    json_t *o = json_object();
    json_put(o, "key", json_text(resources[i].key));
    json_put(o, "label", json_text(resources[i].label));
    json_put(o, "text", json_text(resources[i].text));
    json_array_append_new(parts, o);
  }
  for (unsigned r = 0; r < RELAXATIONS; r++)
    if (!b->chosen || b->wanted[r]) json_array_append_new(relaxed, relaxation_json(b, r));
  for (unsigned k = 0; k < b->m.nkernel; k++) json_array_append_new(kernels, kernel_json(b, k));
  json_put(all, "regtwin", json_text(RT_VERSION));
  json_put(all, "config", json_text(b->m.system[0].cfg.machine));
  json_put(all, "system", json_text(b->m.system[0].label));
  json_put(all, "size", json_text(b->m.size));
  json_put(all, "kernels", kernels);
  json_put(all, "resources", parts);
  json_put(all, "relaxations", relaxed);
  return all;
}

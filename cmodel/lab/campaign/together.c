/* SPDX-License-Identifier: Apache-2.0 */
/* together: see together.h. */
#include "lab/campaign/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cost/cost.h"
#include "lab/report/json.h"
#include "sm/slots.h"

static const struct together_row rows[] = {
#define TOGETHER(paper, label, system, own, base, hits, text) {paper, label, system, own, base, hits, text},
#include "gen/systems/together.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct together_row *together_rows(unsigned *n) {
  *n = ROWS;
  return rows;
}

/* ---- which systems ---- */

static const char *machine_of(const struct settings *s) { return s->machine ? s->machine : TOGETHER_MACHINE; }

static bool is_common(const char *machine) { return !strcmp(machine, TOGETHER_MACHINE); }

/* As --systems takes it on this machine; NULL: it is not in its tables. */
static const char *system_on(const struct together_row *r, const char *machine) {
  if (is_common(machine)) return r->system;
  return r->paper == PAPERS || !strcmp(papers[r->paper].machine, machine) ? r->own : NULL;
}

static void together_refuse_row(struct together *t, const struct together_row *r, const struct err *e) {
  t->refused[t->nrefused] = r;
  snprintf(t->why[t->nrefused++], sizeof t->why[0], "%.599s", e->text);
}

static int together_find_system(const struct together *t, const char *label) {
  for (unsigned s = 0; s < t->m.nsystem; s++)
    if (!strcmp(t->row[s]->label, label)) return (int)s;
  return -1;
}

static void together_add_row(struct together *t, const struct together_row *r, const char *system,
                             const struct settings *s) {
  struct plan p;
  struct slots slots;
  struct err e = {0};
  if (!plan_find(&p, system, s, &e) || !slots_pick(&p.cfg, &slots, &e)) {
    together_refuse_row(t, r, &e);
    return;
  }
  snprintf(p.label, sizeof p.label, "%s", r->label);
  t->row[t->m.nsystem] = r;
  VEC_PUSH(t->m.system, t->m.nsystem, t->m.systems_cap) = p;
}

bool together_plan(struct together *t, const struct settings *settings, struct err *e) {
  struct settings s = *settings;
  unsigned of_papers = 0;
  _Static_assert(sizeof rows / sizeof *rows <= TOGETHER_MOST, "TOGETHER_MOST is too small");
  s.machine = machine_of(settings);
  t->common = is_common(s.machine);
  for (unsigned i = 0; i < ROWS; i++) {
    const char *system = system_on(&rows[i], s.machine);
    if (system) together_add_row(t, &rows[i], system, &s);
    of_papers += system && rows[i].paper != PAPERS;
  }
  if (of_papers && !t->m.nsystem)
    return err_at(e, NULL, 0, 0, "found no system that runs on machine '%.60s' so configured; %s: %s", s.machine,
                  t->refused[0]->label, t->why[0]);
  if (!of_papers)
    return err_at(e, NULL, 0, 0,
                  "found machine '%.60s' without --systems, expected " TOGETHER_MACHINE
                  ", the machine of a paper, or --systems A,B,...",
                  s.machine);
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    const int base = t->row[i]->base[0] ? together_find_system(t, t->row[i]->base) : 0;
    t->base[i] = base < 0 ? 0 : (unsigned)base;
  }
  bottleneck_classes(&t->b);
  return bottleneck_plan(&t->b, t->row[0]->system, &s, e);
}

unsigned together_run(struct together *t, unsigned jobs, struct db *db, matrix_progress progress, void *ctx) {
  struct matrix *b = &t->b.m;
  b->size = t->m.size;
  for (unsigned k = 0; k < t->m.nkernel; k++) VEC_PUSH(b->kernel, b->nkernel, b->kernels_cap) = t->m.kernel[k];
  const unsigned failed = matrix_run(b, jobs, db, progress, ctx);
  return failed + matrix_run(&t->m, jobs, db, progress, ctx);
}

void together_free(struct together *t) {
  matrix_free(&t->m);
  matrix_free(&t->b.m);
}

/* ---- numbers ---- */

static struct mean together_mean_ratio(const struct together *t, const char *measure, unsigned s, unsigned base) {
  const struct measure *x = measure_find(measure);
  struct mean mean = {0};
  double v;
  for (unsigned k = 0; k < t->m.nkernel; k++)
    if (matrix_ratio(&t->m, x, k, s, base, &v)) mean_add(&mean, v);
  return mean;
}

/* Arithmetic mean of the measure over the kernels that have it. */
static double together_plain_mean(const struct together *t, const char *measure, unsigned s) {
  struct mean mean = {0};
  double v;
  for (unsigned k = 0; measure && k < t->m.nkernel; k++)
    if (matrix_value(&t->m, measure_find(measure), k, s, &v)) mean_add(&mean, v);
  return mean_or_nan(&mean);
}

static bool together_read_costs(const struct together *t, unsigned s, struct system_cost *mine,
                                struct system_cost *base, struct err *e) {
  return system_cost(&t->m.system[s].cfg, COST_NODE, mine, e) &&
         system_cost(&t->m.system[t->base[s]].cfg, COST_NODE, base, e);
}

/* The collector units are in the cost of both or of neither: only then are they compared. */
static bool together_compare_costs(const struct together *t, unsigned s, struct system_cost *mine,
                                   struct system_cost *base, struct err *e) {
  if (!together_read_costs(t, s, mine, base, e)) return false;
  if (mine->unpriced) return err_at(e, NULL, 0, 0, "its area is not known: %s " UNPRICED_NOTE, mine->unpriced);
  if (mine->partial) return err_at(e, NULL, 0, 0, "its area is not known: %s", mine->missing ? mine->missing : "");
  return mine->collectors == base->collectors ||
         err_at(e, NULL, 0, 0, "its collector units are in its cost, those of %s are not in that one's",
                t->m.system[t->base[s]].label);
}

double together_ipc(const struct together *t, unsigned s) {
  return mean_geometric_or_nan(together_mean_ratio(t, "ipc", s, 0));
}

double together_ipc_of_base(const struct together *t, unsigned s) {
  return mean_geometric_or_nan(together_mean_ratio(t, "ipc", s, t->base[s]));
}

double together_area(const struct together *t, unsigned s, bool most) {
  struct system_cost mine, base, first;
  struct err e = {0};
  if (!together_compare_costs(t, s, &mine, &base, &e) || !system_cost(&t->m.system[0].cfg, COST_NODE, &first, &e))
    return NAN;
  const double more = most ? mine.total.mm2.high - base.total.mm2.high : mine.total.mm2.low - base.total.mm2.low;
  return (first.total.mm2.low + more) / first.total.mm2.low;
}

/* Ratio to its base; NaN where one has its collector units in it and the other has not. */
static double together_ratio_to_base(const struct together *t, const char *measure, unsigned s) {
  struct system_cost mine, base;
  struct err e = {0};
  const bool known = together_read_costs(t, s, &mine, &base, &e);
  return known && mine.collectors != base.collectors
             ? NAN
             : mean_geometric_or_nan(together_mean_ratio(t, measure, s, t->base[s]));
}

double together_energy(const struct together *t, unsigned s) { return together_ratio_to_base(t, "energy", s); }

void together_order(const struct together *t, unsigned *order) {
  unsigned n = 0;
  for (int c = 0; c <= BOTTLENECKS; c++)
    for (unsigned k = 0; k < t->m.nkernel; k++)
      if (bottleneck_class(&t->b, k) == (c == BOTTLENECKS ? -1 : c)) order[n++] = k;
}

/* ---- tables ---- */

struct column {
  const char *name, *measure;
  enum { OVER_FIRST, OVER_BASE, SHARE, COST, VALUE, HITS } of;
};
static const struct column columns[] = {
    {"IPC", "ipc", OVER_FIRST},
    {"IPC / base", "ipc", OVER_BASE},
    {"resident CTAs", "ctas_resident", OVER_FIRST},
    {"active CTAs", "ctas_active", OVER_FIRST},
    {"file reads", "file_reads", SHARE},
    {"file writes", "file_writes", SHARE},
    {"register hits", NULL, HITS},
    {"L1 hits", "l1_hit", VALUE},
    {"off-chip bytes", "dram_bytes", OVER_FIRST},
    {"file energy", "file_energy", COST},
    {"SM energy", "energy", COST},
    {"energy-delay", "energy_delay", COST},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double together_column_value(const struct together *t, const struct column *c, unsigned s) {
  switch (c->of) {
    case OVER_FIRST: return mean_geometric_or_nan(together_mean_ratio(t, c->measure, s, 0));
    case OVER_BASE: return mean_geometric_or_nan(together_mean_ratio(t, c->measure, s, t->base[s]));
    case SHARE:
      return together_plain_mean(t, c->measure, s) /
             together_plain_mean(t, c->measure, t->base[s]); /* of some kernel there are none */
    case COST: return together_ratio_to_base(t, c->measure, s);
    case VALUE: return together_plain_mean(t, c->measure, s);
    case HITS: break;
  }
  return together_plain_mean(t, t->row[s]->hits, s);
}

/* The number has figures of a block's earlier Verilog in it. */
static bool together_is_earlier(const struct together *t, const struct column *c, unsigned s) {
  const int base = c->of == OVER_FIRST ? 0 : c->of == VALUE || c->of == HITS ? -1 : (int)t->base[s];
  return c->measure && matrix_earlier(&t->m, measure_find(c->measure), s, base);
}

static void name_column(struct sheet *s, unsigned c, const char *name) {
  snprintf(s->column[c], sizeof s->column[c], "%s", name);
}

static void summary_sheet(const struct together *t, struct sheet *s) {
  char title[256];
  snprintf(title, sizeof title,
           "means over %u kernel%s, of ratios geometric; IPC, CTAs, off-chip bytes relative to %.40s, reads, writes, "
           "energies to the base",
           t->m.nkernel, t->m.nkernel == 1 ? "" : "s", t->m.system[0].label);
  sheet_init(s, COLUMNS, 3, title);
  for (unsigned c = 0; c < COLUMNS; c++) name_column(s, c, columns[c].name);
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    double *v = sheet_row(s, t->m.system[i].label, i == t->base[i] ? "" : t->m.system[t->base[i]].label);
    for (unsigned c = 0; c < COLUMNS; c++) {
      v[c] = together_column_value(t, &columns[c], i);
      if (together_is_earlier(t, &columns[c], i)) sheet_mark(s, c);
    }
  }
}

static double together_part_bits(const struct part *p) { return (double)(p->flip_flops + p->memory_bits); }

static void cost_sheet(const struct together *t, struct sheet *s) {
  enum { BITS, LOW, HIGH, PATH, ALL };
  static const char *const head[ALL] = {"storage bits", "um2, least", "um2, most", "longest path, ps"};
  sheet_init(s, ALL, 0, "what each has more than its base, at 45 nm");
  for (unsigned c = 0; c < ALL; c++) name_column(s, c, head[c]);
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    struct system_cost mine, base;
    struct err e = {0};
    if (i == t->base[i]) continue;
    double *v = sheet_row(s, t->m.system[i].label, t->m.system[t->base[i]].label);
    if (!together_compare_costs(t, i, &mine, &base, &e)) continue;
    v[BITS] = together_part_bits(&mine.total) - together_part_bits(&base.total);
    v[LOW] = 1e6 * (mine.total.mm2.low - base.total.mm2.low);
    v[HIGH] = 1e6 * (mine.total.mm2.high - base.total.mm2.high);
    double path = 0;
    for (unsigned p = 0; p < mine.n; p++)
      if (mine.part[p].kind == PART_LOGIC && mine.part[p].ns.low > path) path = mine.part[p].ns.low;
    if (path > 0) v[PATH] = 1e3 * path;
    for (unsigned c = 0; c < ALL && (mine.total.earlier || base.total.earlier); c++) sheet_mark(s, c);
  }
}

static void class_sheet(const struct together *t, struct sheet *s) {
  unsigned n[BOTTLENECKS] = {0}, column[BOTTLENECKS], columns_used = 0;
  char name[128], title[256];
  for (unsigned k = 0; k < t->m.nkernel; k++)
    if (bottleneck_class(&t->b, k) >= 0) n[bottleneck_class(&t->b, k)]++;
  for (unsigned c = 0; c < BOTTLENECKS; c++)
    if (n[c]) column[c] = columns_used++;
  snprintf(title, sizeof title, "IPC relative to %s by what holds the kernels back, geometric means",
           t->m.system[0].label);
  sheet_init(s, columns_used, 3, title);
  for (unsigned c = 0; c < BOTTLENECKS; c++) {
    snprintf(name, sizeof name, "%s (%u)", bottleneck_label[c], n[c]);
    if (n[c]) name_column(s, column[c], name);
  }
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    struct mean mean[BOTTLENECKS] = {0};
    double *v = sheet_row(s, t->m.system[i].label, ""), x;
    for (unsigned k = 0; k < t->m.nkernel; k++) {
      const int c = bottleneck_class(&t->b, k);
      if (c >= 0 && matrix_ratio(&t->m, measure_find("ipc"), k, i, 0, &x)) mean_add(&mean[c], x);
    }
    for (unsigned c = 0; c < BOTTLENECKS; c++)
      if (n[c]) v[column[c]] = mean_geometric_or_nan(mean[c]);
  }
}

void together_kernel_sheet(const struct together *t, struct sheet *s) {
  unsigned *order = xcalloc(t->m.nkernel, sizeof *order);
  char title[256];
  double x;
  snprintf(title, sizeof title, "IPC relative to %s; beside a kernel's name its class", t->m.system[0].label);
  sheet_init(s, t->m.nsystem, 2, title);
  for (unsigned i = 0; i < t->m.nsystem; i++) name_column(s, i, t->m.system[i].label);
  together_order(t, order);
  for (unsigned j = 0; j < t->m.nkernel; j++) {
    const int c = bottleneck_class(&t->b, order[j]);
    double *v = sheet_row(s, t->m.kernel[order[j]].kernel, c < 0 ? "failed" : bottleneck_label[c]);
    for (unsigned i = 0; i < t->m.nsystem; i++)
      if (matrix_ratio(&t->m, measure_find("ipc"), order[j], i, 0, &x)) v[i] = x;
  }
  free(order);
}

/* That of all kernels is the last one. */
static void (*const sheets[])(const struct together *, struct sheet *) = {summary_sheet, cost_sheet, class_sheet,
                                                                          together_kernel_sheet};
enum { SHEETS = sizeof sheets / sizeof *sheets };

/* ---- what a reader must know besides ---- */

/* Calls `say` with a line for each system that does not run on this machine, costs that are not known, and runs that failed. */
/* Some number of the tables has a ~. */
static bool together_any_earlier(const struct together *t) {
  bool any = false;
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    struct system_cost mine, base;
    struct err e = {0};
    for (unsigned c = 0; c < COLUMNS; c++) any |= together_is_earlier(t, &columns[c], i);
    any |=
        i != t->base[i] && together_compare_costs(t, i, &mine, &base, &e) && (mine.total.earlier || base.total.earlier);
  }
  return any;
}

static void together_say_remarks(const struct together *t, void (*say)(void *, const char *), void *ctx) {
  char text[1600], why[1200];
  for (unsigned i = 0; i < t->nrefused; i++) {
    snprintf(text, sizeof text, "%s does not run on this machine: %s", t->refused[i]->label, t->why[i]);
    say(ctx, text);
  }
  for (unsigned i = 0; i < t->m.nsystem; i++) {
    struct system_cost mine, base;
    struct err e = {0};
    if (i == t->base[i]) continue;
    if (!together_compare_costs(t, i, &mine, &base, &e))
      snprintf(text, sizeof text, "%s: no cost: %.1100s", t->m.system[i].label, e.text);
    else if (mine.missing)
      snprintf(text, sizeof text, "%s: not in its cost: %.1100s", t->m.system[i].label, mine.missing);
    else continue;
    say(ctx, text);
  }
  if (together_any_earlier(t)) say(ctx, "~: " EARLIER_NOTE);
  for (unsigned k = 0; k < t->m.nkernel; k++)
    for (unsigned i = 0; i < t->m.nsystem; i++) {
      const struct cell *c = matrix_cell(&t->m, k, i);
      if (c->ok) continue;
      err_format(&c->e, why, sizeof why);
      snprintf(text, sizeof text, "%s on %s failed: %s", t->m.kernel[k].kernel, t->m.system[i].label, why);
      say(ctx, text);
    }
}

static const char *paper_text(const struct together_row *r) {
  return r->paper == PAPERS ? "none" : papers[r->paper].source;
}

static void say_line(void *f, const char *text) { fprintf(f, "%s\n", SHOWN(text)); }

void together_print(const struct together *t, FILE *f) {
  fprintf(f, "regtwin %s   %u systems on %s, %s, %u kernel%s, size %s\n\n", RT_VERSION, t->m.nsystem,
          SHOWN(t->m.system[0].cfg.machine), RUN_SMS(&t->m.system[0].cfg), t->m.nkernel, t->m.nkernel == 1 ? "" : "s",
          t->m.size);
  for (unsigned i = 0; i < t->m.nsystem; i++)
    fprintf(f, "  %-12s %s%s%.*s%s\n", SHOWN(t->m.system[i].label), t->row[i]->text,
            t->row[i]->paper == PAPERS ? "" : " (", (int)strcspn(paper_text(t->row[i]), ","),
            t->row[i]->paper == PAPERS ? "" : paper_text(t->row[i]), t->row[i]->paper == PAPERS ? "" : ")");
  fputc('\n', f);
  for (unsigned i = 0; i < SHEETS; i++) {
    struct sheet s;
    sheets[i](t, &s);
    struct table *table = table_new(s.columns);
    for (unsigned c = 0; c < s.columns; c++) table_head(table, c, s.column[c]);
    sheet_section(&s, table);
    table_print(table, f);
    table_free(table);
    fputc('\n', f);
    sheet_free(&s);
  }
  together_say_remarks(t, say_line, f);
}

static void say_item(void *f, const char *text) { fprintf(f, "- %s\n", MARKDOWN(text)); }

void together_markdown(const struct together *t, bool brief, FILE *f) {
  fprintf(f, "%u systems, %s of %s, %u kernel%s, size %s.\n\n", t->m.nsystem, RUN_SMS(&t->m.system[0].cfg),
          MARKDOWN(t->m.system[0].cfg.machine), t->m.nkernel, t->m.nkernel == 1 ? "" : "s", t->m.size);
  fprintf(f, "| | as `--systems` takes it | what it is | paper |\n|---|---|---|---|\n");
  for (unsigned i = 0; i < t->m.nsystem; i++)
    fprintf(f, "| %s | `%s` | %s | %.*s |\n", MARKDOWN(t->m.system[i].label),
            t->common ? t->row[i]->system : t->row[i]->own, t->row[i]->text, (int)strcspn(paper_text(t->row[i]), ","),
            t->row[i]->paper == PAPERS ? "" : paper_text(t->row[i]));
  fputc('\n', f);
  for (unsigned i = 0; i < (brief ? SHEETS - 1 : SHEETS); i++) {
    struct sheet s;
    sheets[i](t, &s);
    sheet_markdown(&s, f);
    sheet_free(&s);
  }
  together_say_remarks(t, say_item, f);
}

/* ---- JSON ---- */

static void say_json(void *array, const char *text) { json_array_append_new(array, json_text(text)); }

static json_t *system_json(const struct together *t, unsigned s) {
  json_t *o = json_object(), *kernels = json_object();
  double v;
  json_put(o, "label", json_text(t->m.system[s].label));
  json_put(o, "system", json_text(t->common ? t->row[s]->system : t->row[s]->own));
  json_put(o, "paper", t->row[s]->paper == PAPERS ? json_null() : json_text(papers[t->row[s]->paper].key));
  json_put(o, "base", json_text(t->m.system[t->base[s]].label));
  json_put(o, "text", json_text(t->row[s]->text));
  for (unsigned k = 0; k < t->m.nkernel; k++) {
    json_t *one = json_object();
    for (unsigned i = 0; i < nmeasures; i++)
      json_put(one, measures[i].key, matrix_value(&t->m, &measures[i], k, s, &v) ? json_real(v) : json_null());
    json_put(kernels, t->m.kernel[k].kernel, one);
  }
  json_put(o, "kernels", kernels);
  return o;
}

json_t *together_json(const struct together *t) {
  json_t *all = json_object(), *systems = json_array(), *classes = json_object(), *tables = json_array(),
         *notes = json_array();
  for (unsigned i = 0; i < t->m.nsystem; i++) json_array_append_new(systems, system_json(t, i));
  for (unsigned k = 0; k < t->m.nkernel; k++) {
    const int c = bottleneck_class(&t->b, k);
    json_put(classes, t->m.kernel[k].kernel, c < 0 ? json_null() : json_text(bottleneck_label[c]));
  }
  for (unsigned i = 0; i < SHEETS; i++) {
    struct sheet s;
    sheets[i](t, &s);
    json_array_append_new(tables, sheet_json(&s));
    sheet_free(&s);
  }
  together_say_remarks(t, say_json, notes);
  json_put(all, "regtwin", json_text(RT_VERSION));
  json_put(all, "config", json_text(t->m.system[0].cfg.machine));
  json_put(all, "size", json_text(t->m.size));
  json_put(all, "classes", classes);
  json_put(all, "tables", tables);
  json_put(all, "systems", systems);
  json_put(all, "remarks", notes);
  return all;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiments: those of Malekeh that are not a table of systems: reuse distances (Fig 1), thresholds (Fig 7), energy of the register file
 * (Fig 15), the threshold controller on curves made for it (Figs 8, 9), storage (section VI-D).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/malekeh/ccu.h"
#include "blocks/malekeh/sthld.h"
#include "lab/campaign/experiment.h"
#include "cost/sram.h"
#include "cost/energy.h"
#include "lab/run/compile.h"
#include "lab/run/reuse.h"
#include "systems/malekeh/table.h"

static void sheet_set_head(struct sheet *s, unsigned i, const char *name) {
  snprintf(s->column[i], sizeof s->column[i], "%s", name);
}

/* The paper's two suites are the groups of its kernels (paper.def). */
enum { RODINIA, DEEPBENCH, SUITES };
static const char *const suites[SUITES] = {"Rodinia", "DeepBench"};
static unsigned suite_of(const struct matrix *m, unsigned k) {
  return !strcmp(m->kernel[k].group, suites[DEEPBENCH]) ? DEEPBENCH : RODINIA;
}

static double *sheet_row_of_kernel(struct sheet *s, const struct matrix *m, unsigned k) {
  return sheet_row(s, m->kernel[k].kernel, m->kernel[k].alias);
}

/* Rows below the kernels: the mean of each suite, and of all, of every column. */
static void add_means(struct sheet *s, const struct matrix *m) {
  const unsigned kernels = s->rows;
  for (unsigned g = 0; g <= SUITES; g++) {
    char name[64];
    snprintf(name, sizeof name, "mean%s%s", g < SUITES ? ", " : "", g < SUITES ? suites[g] : "");
    double *v = sheet_row(s, name, "");
    for (unsigned c = 0; c < s->columns; c++) {
      struct mean mean = {0};
      for (unsigned k = 0; k < kernels; k++)
        if ((g == SUITES || suite_of(m, k) == g) && !isnan(s->row[k].v[c])) mean_add(&mean, s->row[k].v[c]);
      v[c] = mean_or_nan(&mean);
    }
  }
}

/* ---- Fig 1 ---- */

static const struct {
  const char *name;
  unsigned from, to;
} distances[] = {{"1", 1, 1},        {"2", 2, 2},          {"3", 3, 3},          {"4 to 6", 4, 6},
                 {"7 to 10", 7, 10}, {"11 to 12", 11, 12}, {"13 to 20", 13, 20}, {"above 20", 21, REUSE_BINS}};
enum { DISTANCES = sizeof distances / sizeof *distances };

struct reuses {
  double part[DISTANCES]; /* of the reuses, % */
  double above3, above10;
  double again; /* operands that the same instruction has named already, % of the operands */
};

static uint64_t reuses_in_bins(const struct reuse_profile *p, unsigned from, unsigned to) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    for (unsigned d = from; d <= to && d < REUSE_BINS; d++) n += p->entry[i].bin[d];
    if (to == REUSE_BINS) n += p->entry[i].bin[0];
  }
  return n;
}

/* Operands of the executed instructions, and those of them whose register an operand before names. */
static void reuses_count_operands(const struct reuse_profile *p, struct module *m, uint64_t *all, uint64_t *again) {
  *all = *again = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    const struct code *c = module_kernel(m, p->entry[i].name);
    for (uint32_t k = 0; c && k < c->n; k++) {
      const struct reuse_counts *n = &p->entry[i].insn[k].count;
      for (unsigned s = 0; s < c->op[k].nsrc; s++) {
        const uint64_t executed = n->near[s] + n->far[s];
        *all += executed;
        *again += memchr(c->op[k].src, c->op[k].src[s], s) ? executed : 0;
      }
    }
  }
}

static bool reuses_of(const char *name, const char *size, const struct config *c, struct reuses *out, struct err *e) {
  struct workload w;
  struct reuse_profile p = {0};
  if (!workload_compile(name, size, c, 0, &w, e)) return false;
  const bool ok = reuse_run(&w, 0, REUSE_ALL, (uint32_t)c->malekeh_rthld, &p, e);
  if (ok) {
    uint64_t all, again;
    const double n = (double)reuses_in_bins(&p, 1, REUSE_BINS) / 100;
    for (unsigned d = 0; d < DISTANCES; d++)
      out->part[d] = (double)reuses_in_bins(&p, distances[d].from, distances[d].to) / n;
    out->above3 = (double)reuses_in_bins(&p, 4, REUSE_BINS) / n;
    out->above10 = (double)reuses_in_bins(&p, 11, REUSE_BINS) / n;
    reuses_count_operands(&p, w.module, &all, &again);
    out->again = 100 * (double)again / (double)all;
  }
  reuse_free(&p);
  workload_close(&w);
  return ok;
}

void experiment_reuse_distance(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct sheet *s = findings_sheet(f, DISTANCES, 1, "% of the reuses at these distances, in instructions of the warp");
  struct sheet *far = findings_sheet(
      f, 3, 1, "% of the reuses above 3 and 10; operands whose register the same instruction names before, %");
  struct config c;
  const bool ok = findings_config(f, setup, "Malekeh", &c);
  for (unsigned d = 0; d < DISTANCES; d++) sheet_set_head(s, d, distances[d].name);
  sheet_set_head(far, 0, "above 3"), sheet_set_head(far, 1, "above 10"), sheet_set_head(far, 2, "named before");
  for (unsigned k = 0; ok && k < m->nkernel; k++) {
    struct err e = {0};
    struct reuses r;
    double *v = sheet_row_of_kernel(s, m, k), *w = sheet_row_of_kernel(far, m, k);
    if (!reuses_of(m->kernel[k].name, m->size, &c, &r, &e)) {
      findings_complain(f, m->kernel[k].kernel, "reuse distances", &e);
      continue;
    }
    memcpy(v, r.part, sizeof r.part);
    w[0] = r.above3, w[1] = r.above10, w[2] = r.again;
  }
  if (!ok) return;
  add_means(s, m), add_means(far, m);
  const double *rodinia = far->row[m->nkernel + RODINIA].v, *deepbench = far->row[m->nkernel + DEEPBENCH].v;
  findings_claim(f, "% above 3, Rodinia, mean", "36", rodinia[0], 1);
  findings_claim(f, "% above 3, DeepBench, mean", "50.2", deepbench[0], 1);
  findings_claim(f, "% above 10, DeepBench, mean", "above 40", deepbench[1], 1);
}

/* ---- Fig 7 ---- */

enum { MOST_THRESHOLDS = 17, FEW_INTERVALS = 20 };
/* Programs whose curves are drawn: the text says of the first that it loses at once; the second loses most under the controller here. */
enum { SENSITIVE, SLOPING, NAMED, LINES = SUITES + NAMED };
static const char *const named[NAMED] = {"srad_v1", "lavaMD"};

struct thresholds {
  unsigned n, at[MOST_THRESHOLDS];
};

/* Malekeh at fixed thresholds, and then with its controller. */
static bool run_thresholds(const struct setup *setup, struct matrix *m, struct findings *f,
                           const struct thresholds *t) {
  char fixed[MOST_THRESHOLDS][64];
  const char *name[MOST_THRESHOLDS + 1];
  for (unsigned i = 0; i < t->n; i++) {
    snprintf(fixed[i], sizeof fixed[i], "Malekeh:malekeh.sthld=%u", t->at[i]);
    name[i] = fixed[i];
  }
  name[t->n] = "Malekeh";
  return findings_run(f, setup, m, name, t->n + 1);
}

static double measure_value_of(const struct matrix *m, const char *measure, unsigned k, unsigned s) {
  double v;
  return matrix_value(m, measure_find(measure), k, s, &v) ? v : NAN;
}

/* Of each kernel a measure at every threshold, of IPC the ratio to that at the first one. */
static struct sheet *per_threshold(struct findings *f, const struct matrix *m, const struct thresholds *t, bool ipc) {
  char title[128];
  snprintf(title, sizeof title, ipc ? "IPC, relative to threshold %u" : "operands that the units had, part", t->at[0]);
  struct sheet *s = findings_sheet(f, t->n + 1, 3, title);
  for (unsigned i = 0; i < t->n; i++) snprintf(s->column[i], sizeof s->column[i], "%u", t->at[i]);
  sheet_set_head(s, t->n, "controller");
  for (unsigned k = 0; k < m->nkernel; k++) {
    double *v = sheet_row_of_kernel(s, m, k);
    for (unsigned i = 0; i <= t->n; i++)
      v[i] = ipc ? measure_value_of(m, "ipc", k, i) / measure_value_of(m, "ipc", k, 0)
                 : measure_value_of(m, "ccu_hit", k, i);
  }
  add_means(s, m);
  return s;
}

static unsigned kernel_of_name(const struct matrix *m, const char *name) {
  for (unsigned k = 0; k < m->nkernel; k++)
    if (!strcmp(m->kernel[k].kernel, name)) return k;
  die("no kernel '%s' among the paper's", name);
}

/* The curves of the suites and of the named programs, over the threshold. */
static void fill_curves(struct sheet *curves, const struct matrix *m, const struct thresholds *t,
                        const struct sheet *const of[2]) {
  static const char *const what[2] = {"IPC", "hit ratio"};
  for (unsigned j = 0; j < 2; j++)
    for (unsigned i = 0; i < LINES; i++)
      snprintf(curves->column[j * LINES + i], sizeof *curves->column, "%s, %s", what[j],
               i < SUITES ? suites[i] : named[i - SUITES]);
  for (unsigned x = 0; x < t->n; x++) {
    char name[16];
    snprintf(name, sizeof name, "%u", t->at[x]);
    double *v = sheet_row(curves, name, "");
    for (unsigned j = 0; j < 2; j++)
      for (unsigned i = 0; i < LINES; i++) {
        const unsigned row = i < SUITES ? m->nkernel + i : kernel_of_name(m, named[i - SUITES]);
        v[j * LINES + i] = of[j]->row[row].v[x];
      }
  }
}

/* Kernels whose hit ratio at no threshold is more than `slack` below that at the one before. */
static unsigned kernels_growing(const struct sheet *hits, const struct matrix *m, unsigned n, double slack) {
  unsigned count = 0;
  for (unsigned k = 0; k < m->nkernel; k++) {
    bool grows = true;
    for (unsigned i = 1; i < n; i++) grows &= hits->row[k].v[i] >= hits->row[k].v[i - 1] - slack;
    count += grows;
  }
  return count;
}

static void claim_thresholds(struct findings *f, const struct matrix *m, const struct thresholds *t,
                             const struct sheet *ipc, const struct sheet *hits) {
  char what[128];
  const unsigned last = t->n - 1;
  snprintf(what, sizeof what, "kernels of %u whose hit ratio falls by no more than 0.01 from a threshold to the next",
           m->nkernel);
  findings_claim(f, what, "all (it grows)", kernels_growing(hits, m, t->n, 0.01), 0);
  for (unsigned i = 0; i < t->n; i += last) {
    snprintf(what, sizeof what, "hit ratio at %u, mean", t->at[i]);
    findings_claim(f, what, "-", hits->row[m->nkernel + SUITES].v[i], 3);
  }
  snprintf(what, sizeof what, "IPC at %u, relative to %u, mean", t->at[last], t->at[0]);
  findings_claim(f, what, "-", ipc->row[m->nkernel + SUITES].v[last], 3);
  snprintf(what, sizeof what, "IPC of %s at %u, relative to %u", named[SENSITIVE], t->at[1], t->at[0]);
  findings_claim(f, what, "below 1", ipc->row[kernel_of_name(m, named[SENSITIVE])].v[1], 3);
}

/* The largest threshold up to which IPC is nowhere more than 2 % below that at the first one: its place. */
static unsigned sheet_knee(const struct sheet *ipc, unsigned k, const struct thresholds *t) {
  unsigned i = 0;
  while (i + 1 < t->n && ipc->row[k].v[i + 1] >= 0.98) i++;
  return i;
}

/* What the controller found, beside what it was to find. */
static void fill_controller(struct findings *f, const struct matrix *m, const struct thresholds *t,
                            const struct sheet *ipc) {
  struct sheet *count = findings_sheet(f, 2, 0,
                                       "intervals of the controller, *: fewer than 20; knee: the largest of these "
                                       "thresholds up to which IPC is at most 2 % below that at 0");
  struct sheet *found =
      findings_sheet(f, 2, 3, "threshold that the controller sets, cycles, mean over the intervals; IPC under it");
  unsigned few = 0, near = 0;
  sheet_set_head(count, 0, "intervals"), sheet_set_head(count, 1, "knee");
  sheet_set_head(found, 0, "threshold, mean"), sheet_set_head(found, 1, "IPC, relative to that at the knee");
  for (unsigned k = 0; k < m->nkernel; k++) {
    char name[sizeof m->kernel[k].kernel + 2];
    const struct cell *c = matrix_cell(m, k, t->n);
    const bool marked = c->ok && c->run.sm.sthld_intervals < FEW_INTERVALS;
    snprintf(name, sizeof name, "%s%s", m->kernel[k].kernel, marked ? " *" : "");
    double *n = sheet_row(count, name, m->kernel[k].alias), *v = sheet_row_of_kernel(found, m, k);
    if (!c->ok) continue;
    const unsigned best = sheet_knee(ipc, k, t);
    n[0] = (double)c->run.sm.sthld_intervals;
    n[1] = t->at[best];
    v[0] = measure_value_of(m, "sthld", k, t->n);
    v[1] = ipc->row[k].v[t->n] / ipc->row[k].v[best];
    few += marked;
    near += v[1] >= 0.98;
  }
  add_means(found, m);
  findings_claim(f, "kernels of fewer than 20 intervals", "-", few, 0);
  findings_claim(f, "kernels whose IPC under the controller is at most 2 % below that at the knee", "-", near, 0);
}

static void measure_thresholds(const struct setup *setup, struct matrix *m, struct findings *f,
                               const struct thresholds *t) {
  if (!run_thresholds(setup, m, f, t)) return;
  struct sheet *curves =
      findings_sheet(f, 2 * LINES, 3, "IPC, relative to threshold 0, and hit ratio, over the threshold");
  const struct sheet *ipc = per_threshold(f, m, t, true), *hits = per_threshold(f, m, t, false);
  fill_curves(curves, m, t, (const struct sheet *const[2]){ipc, hits});
  claim_thresholds(f, m, t, ipc, hits);
  fill_controller(f, m, t, ipc);
}

void experiment_thresholds(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct thresholds t = {.n = MOST_THRESHOLDS};
  for (unsigned i = 0; i < t.n; i++) t.at[i] = i;
  measure_thresholds(setup, m, f, &t);
}

void experiment_some_thresholds(const struct setup *setup, struct matrix *m, struct findings *f) {
  const struct thresholds t = {.n = 6, .at = {0, 1, 2, 4, 8, 16}};
  measure_thresholds(setup, m, f, &t);
}

/* ---- Fig 15 ---- */

enum { NODE_NM = 45, ENERGY_SYSTEMS = 5, WEIGHTS = 3, SCU_OPERANDS = 3 };
enum part { BANKS, UNITS, CROSSBAR, PARTS };
static const double weights[WEIGHTS] = {0.1, 0.3, 1}; /* a transfer in a sub-core of two units, part of a bank read */
static const unsigned drawn = 1;                      /* of the weights */

/* pJ; of the crossbar for weight 1. */
static void energy_of_file(const struct run_result *r, double p[PARTS]) {
  const struct config *c = &r->cfg;
  const struct sram a = {.rows = (uint32_t)(c->rf_bytes / 128 / c->rf_banks),
                         .width = 1024,
                         .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W,
                         .node = NODE_NM};
  struct sram_figures bank;
  struct err e = {0};
  if (!sram_figures(&a, &bank, &e)) die("E-MK6: %s", e.text);
  const double reads = (double)r->sm.rf_reads, writes = (double)r->sm.rf_writes, operands = (double)r->sm.ccu_sources,
               kept = (double)r->sm.ccu_writes, of_two = (double)c->collector_units / (double)c->sm_schedulers / 2;
  p[BANKS] = reads * bank.read_pj + writes * bank.write_pj;
  /* scu's instruction writes and reads three operands: half of its energy for the write of each, half for the read */
  p[UNITS] = (reads + kept + operands) / 2 * energy_of_block("slice/scu", false) / SCU_OPERANDS;
  p[CROSSBAR] = (reads + kept) * of_two * bank.read_pj;
}

static double energy_with_weight(const double p[PARTS], double weight) {
  return p[BANKS] + p[UNITS] + weight * p[CROSSBAR];
}

/* Banks and the blocks between them and the units, as synthesized; the clock pins of their flip-flops, which are not gated, or without. NaN: none. */
static double energy_as_built(const struct run_result *r, bool clocks) {
  static const char clock[] = "_clock"; /* the end of such a line's key (cost.def) */
  struct energy e;
  if (!run_energy(r, &e)) return NAN;
  double pj = e.sum[ENERGY_register_file] + e.sum[ENERGY_logic];
  for (unsigned i = 0; !clocks && i < nenergy_lines; i++) {
    const char *key = energy_lines[i].key;
    const size_t n = strlen(key);
    if (energy_lines[i].of == ENERGY_logic && n >= sizeof clock && !strcmp(key + n - (sizeof clock - 1), clock))
      pj -= e.events[i] * e.each[i];
  }
  return pj;
}

enum { BASE, GTO_LRU, MALEKEH, BOW, PRIVATE };

static void fill_weights(struct findings *f, const struct matrix *m, const char *const *name) {
  static const unsigned order[WEIGHTS] = {1, 0, 2}; /* the drawn one is the first sheet */
  struct sheet *s[WEIGHTS];
  for (unsigned i = 0; i < WEIGHTS; i++) {
    char title[160];
    snprintf(title, sizeof title,
             "dynamic energy of the register file, relative to MK-Base; a transfer over a crossbar of two units costs "
             "%g of a bank read",
             weights[order[i]]);
    s[order[i]] = findings_sheet(f, ENERGY_SYSTEMS, 3, title);
    for (unsigned j = 0; j < ENERGY_SYSTEMS; j++) sheet_set_head(s[order[i]], j, name[j]);
  }
  struct sheet *parts =
      findings_sheet(f, PARTS, 3, "the same in parts of MK-Base's energy, mean over the kernels; weight as drawn");
  sheet_set_head(parts, BANKS, "banks"), sheet_set_head(parts, UNITS, "collector units"),
      sheet_set_head(parts, CROSSBAR, "crossbar");
  struct mean mean[ENERGY_SYSTEMS][PARTS] = {{{0}}};
  for (unsigned k = 0; k < m->nkernel; k++) {
    double p[ENERGY_SYSTEMS][PARTS], *v[WEIGHTS];
    bool ok = true;
    for (unsigned w = 0; w < WEIGHTS; w++) v[w] = sheet_row_of_kernel(s[w], m, k);
    for (unsigned j = 0; j < ENERGY_SYSTEMS; j++) {
      ok = ok && matrix_cell(m, k, j)->ok;
      if (ok) energy_of_file(&matrix_cell(m, k, j)->run, p[j]);
    }
    for (unsigned j = 0; ok && j < ENERGY_SYSTEMS; j++) {
      for (unsigned w = 0; w < WEIGHTS; w++)
        v[w][j] = energy_with_weight(p[j], weights[w]) / energy_with_weight(p[BASE], weights[w]);
      for (unsigned i = 0; i < PARTS; i++)
        mean_add(&mean[j][i],
                 p[j][i] * (i == CROSSBAR ? weights[drawn] : 1) / energy_with_weight(p[BASE], weights[drawn]));
    }
  }
  for (unsigned j = 0; j < ENERGY_SYSTEMS; j++) {
    double *v = sheet_row(parts, name[j], "");
    for (unsigned i = 0; i < PARTS; i++) v[i] = mean_or_nan(&mean[j][i]);
  }
  for (unsigned w = 0; w < WEIGHTS; w++) {
    char what[128];
    add_means(s[w], m);
    const double *all = s[w]->row[m->nkernel + SUITES].v;
    snprintf(what, sizeof what, "Malekeh, weight %g, mean", weights[w]);
    findings_claim(f, what, "0.717", all[MALEKEH], 3);
    snprintf(what, sizeof what, "BOW, weight %g, mean, over Malekeh's", weights[w]);
    findings_claim(f, what, "1.921", all[BOW] / all[MALEKEH], 3);
  }
}

static void fill_built(struct findings *f, const struct matrix *m, const char *const *name) {
  static const unsigned shown[] = {GTO_LRU, MALEKEH, PRIVATE};
  enum { SHOWN = sizeof shown / sizeof *shown };
  struct sheet *s = findings_sheet(f, 2 * SHOWN, 3, "banks and blocks as built, relative to MK-Base");
  for (unsigned j = 0; j < 2 * SHOWN; j++) {
    snprintf(s->column[j], sizeof s->column[j], "%s%s", name[shown[j / 2]], j % 2 ? ", with the clock" : "");
    snprintf(s->system[j], sizeof s->system[j], "%s%s", name[shown[j / 2]], j % 2 ? ":with the clock" : "");
  }
  for (unsigned k = 0; k < m->nkernel; k++) {
    double *v = sheet_row_of_kernel(s, m, k);
    for (unsigned j = 0; j < 2 * SHOWN; j++)
      if (matrix_cell(m, k, BASE)->ok && matrix_cell(m, k, shown[j / 2])->ok)
        v[j] = energy_as_built(&matrix_cell(m, k, shown[j / 2])->run, j % 2) /
               energy_as_built(&matrix_cell(m, k, BASE)->run, j % 2);
  }
  add_means(s, m);
  for (unsigned j = 2; j < 4; j++) {
    char what[128];
    snprintf(what, sizeof what, "%s, as built, mean", s->column[j]);
    findings_claim(f, what, "0.717", s->row[m->nkernel + SUITES].v[j], 3);
  }
}

void experiment_file_energy(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const name[ENERGY_SYSTEMS] = {
      [BASE] = "MK-Base", [GTO_LRU] = "GTO+LRU", [MALEKEH] = "Malekeh", [BOW] = "BOW", [PRIVATE] = "Malekeh_PR"};
  if (!findings_run(f, setup, m, name, ENERGY_SYSTEMS)) return;
  fill_weights(f, m, name);
  fill_built(f, m, name);
}

/* ---- Figs 8, 9 ---- */

enum { LEVEL = 100000, LATER = 75000, TENTH = 10, FLAT = 63, SHOWN_INTERVALS = 40, LONG = 200, MOST_K = 20 };

struct
    curve { /* instructions of an interval over the threshold: `level` up to `knee`, then so many % less with each cycle */
  unsigned knee;
  uint64_t level;
  unsigned loss;
};
struct phases { /* the second curve from interval `change` on */
  const char *name;
  struct curve first, second;
  unsigned change;
  bool moved;
};

struct table { /* of the controller; !own: the built-in one */
  bool own;
  uint16_t rows[STHLD_ROWS];
};

/* malekeh.table, or the built-in one. */
static bool controller_table_of(const struct setup *setup, struct table *t, struct findings *f) {
  struct config c;
  struct err e = {0};
  *t = (struct table){0};
  if (!findings_config(f, setup, "Malekeh", &c)) return false;
  t->own = c.malekeh_table[0];
  const bool ok = !t->own || malekeh_table(c.malekeh_table, t->rows, &e);
  if (!ok) findings_complain(f, "", "malekeh.table", &e);
  return ok;
}

static uint64_t curve_instructions(const struct curve *c, uint64_t threshold) {
  uint64_t n = c->level;
  for (uint64_t t = c->knee; t < threshold; t++) n = n * (100 - c->loss) / 100;
  return n;
}

/* An interval: the controller sees its instructions, and sets the threshold of the next one. */
static void controller_step(struct sthld *s, const struct table *t, const struct phases *p, unsigned interval) {
  struct sthld_in in = {.tick_i = 1, .table_valid_i = t->own};
  memcpy(in.table_i, t->rows, sizeof in.table_i);
  in.instructions_i = curve_instructions(interval < p->change ? &p->first : &p->second, s->r.threshold_q);
  sthld_tick(s, &in);
}

static void controller_start(struct sthld *s, bool moved) {
  struct sthld_params size = sthld_defaults();
  size.Moved = moved;
  sthld_reset(s);
  sthld_size(s, &size);
}

struct outcome {
  uint64_t threshold, state;
  unsigned held; /* the interval after which neither changes any more */
};

static struct outcome outcome_of(const struct table *t, const struct phases *p) {
  struct sthld s;
  struct outcome o = {0};
  controller_start(&s, p->moved);
  for (unsigned i = 0; i < LONG; i++) {
    controller_step(&s, t, p, i);
    if (s.r.threshold_q != o.threshold || s.r.state_q != o.state) o.held = i + 1;
    o.threshold = s.r.threshold_q, o.state = s.r.state_q;
  }
  return o;
}

/* The paper's Fig 9: a walk on a flat curve (a), over the knee of the same curve (b), and a change to a curve with a narrower (c) and a
 * wider (d) flat part after four small changes; then changes out of the state that holds; and curves without a flat part. */
static const struct phases shown[] = {
    {"a: flat", {FLAT, LEVEL, TENTH}, {FLAT, LEVEL, TENTH}, LONG, true},
    {"b: flat to 4", {4, LEVEL, TENTH}, {4, LEVEL, TENTH}, LONG, true},
    {"c: to 4, from the 6th on to 2", {4, LEVEL, TENTH}, {2, LATER, TENTH}, 5, true},
    {"d: to 4, from the 6th on to 12", {4, LEVEL, TENTH}, {12, LATER, TENTH}, 5, true},
    {"to 8, from the 21st on to 3", {8, LEVEL, TENTH}, {3, LATER, TENTH}, 20, true},
    {"to 8, from the 21st on to 12", {8, LEVEL, TENTH}, {12, LATER, TENTH}, 20, true},
    {"flat to 0", {0, LEVEL, TENTH}, {0, LEVEL, TENTH}, LONG, true},
    {"flat to 0, without moved", {0, LEVEL, TENTH}, {0, LEVEL, TENTH}, LONG, false},
    {"1 % less with each cycle", {0, LEVEL, 1}, {0, LEVEL, 1}, LONG, true},
};
enum { CURVES = sizeof shown / sizeof *shown };

static void controller_walk(struct findings *f, const struct table *t) {
  struct sheet *s = findings_sheet(f, CURVES, 0, "threshold in each interval, cycles");
  struct sthld c[CURVES];
  for (unsigned i = 0; i < CURVES; i++) sheet_set_head(s, i, shown[i].name), controller_start(&c[i], shown[i].moved);
  for (unsigned n = 0; n < SHOWN_INTERVALS; n++) {
    char name[16];
    snprintf(name, sizeof name, "%u", n + 1);
    double *v = sheet_row(s, name, "");
    for (unsigned i = 0; i < CURVES; i++) {
      v[i] = (double)c[i].r.threshold_q;
      controller_step(&c[i], t, &shown[i], n);
    }
  }
}

/* Where it ends on curves that are flat up to K: from the start, and after a change from a curve that is flat up to another K. */
void experiment_state_machine(const struct setup *setup, struct matrix *m, struct findings *f) {
  (void)m;
  enum { WAYS = 4, NEARER = 5 };
  static const char *const way[WAYS] = {"from the start", "without moved", "after K + 5", "after K - 5"};
  unsigned good[WAYS] = {0}, tried[WAYS] = {0};
  struct table t;
  if (!controller_table_of(setup, &t, f)) return;
  controller_walk(f, &t);
  struct sheet *s =
      findings_sheet(f, 3 * WAYS, 0, "last threshold, last state (6: hold), and intervals until nothing changes, by K");
  for (unsigned i = 0; i < WAYS; i++) {
    snprintf(s->column[3 * i], sizeof *s->column, "threshold, %s", way[i]);
    snprintf(s->column[3 * i + 1], sizeof *s->column, "state, %s", way[i]);
    snprintf(s->column[3 * i + 2], sizeof *s->column, "intervals, %s", way[i]);
  }
  for (unsigned k = 0; k <= MOST_K; k++) {
    char name[16];
    snprintf(name, sizeof name, "%u", k);
    double *v = sheet_row(s, name, "");
    const struct curve here = {k, LEVEL, TENTH}, now = {k, LATER, TENTH};
    for (unsigned i = 0; i < WAYS; i++) {
      struct phases p = {.first = here, .second = here, .change = LONG, .moved = i != 1};
      if (i == 3 && k < NEARER) continue;
      if (i >= 2) p.first.knee = i == 2 ? k + NEARER : k - NEARER, p.second = now, p.change = LONG / 2;
      const struct outcome o = outcome_of(&t, &p);
      v[3 * i] = (double)o.threshold, v[3 * i + 1] = (double)o.state;
      v[3 * i + 2] = i < 2 ? o.held : o.held - LONG / 2.0;
      good[i] += o.threshold == k && o.state == STHLD_HOLD, tried[i]++;
    }
  }
  for (unsigned i = 0; i < WAYS; i++) {
    char what[128];
    snprintf(what, sizeof what, "curves of %u that end at K and hold, %s", tried[i], way[i]);
    findings_claim(f, what, i == 1 ? "-" : "all (it converges near the knee)", good[i], 0);
  }
}

/* ---- section VI-D ---- */

enum {
  BOW_REGISTERS = (6 + 2) * 3
}; /* of a unit: Malekeh section VI-B, six sources and two destinations of three instructions */

void experiment_collector_storage(const struct setup *setup, struct matrix *m, struct findings *f) {
  (void)m;
  static const char *const name[] = {"MK-Base", "Malekeh", "Malekeh_PR", "BOW"};
  enum { PLAIN, CACHING, OWN, WINDOW, SYSTEMS };
  struct sheet *s = findings_sheet(f, 2, 0, "data of the collector units of an SM, bytes");
  struct sheet *part = findings_sheet(f, 1, 2, "the same beyond MK-Base's, % of the register file");
  double bytes[SYSTEMS], more[SYSTEMS], rf = NAN;
  sheet_set_head(s, 0, "all"), sheet_set_head(s, 1, "beyond MK-Base's"), sheet_set_head(part, 0, "%");
  for (unsigned i = 0; i < SYSTEMS; i++) {
    struct config c;
    if (!findings_config(f, setup, name[i], &c)) return;
    const double registers = i == WINDOW ? BOW_REGISTERS : c.malekeh_cache ? (double)c.malekeh_entries : ccu_NumSlots;
    bytes[i] = registers * 128 * (double)c.collector_units;
    more[i] = bytes[i] - bytes[PLAIN];
    rf = (double)c.rf_bytes;
    double *v = sheet_row(s, name[i], "");
    v[0] = bytes[i], v[1] = more[i];
    sheet_row(part, name[i], "")[0] = 100 * more[i] / rf;
  }
  findings_claim(f, "bytes, Malekeh beyond MK-Base", "2 KB", more[CACHING], 0);
  findings_claim(f, "% of the register file, Malekeh", "0.78", 100 * more[CACHING] / rf, 2);
  findings_claim(f, "% of BOW's data, Malekeh", "8.3", 100 * bytes[CACHING] / bytes[WINDOW], 1);
  findings_claim(f, "% of BOW's data, Malekeh_PR", "33", 100 * bytes[OWN] / bytes[WINDOW], 1);
  findings_items(f, "Malekeh");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiments: those of LTRF that are not a table of systems: the register file that all warps need (Table 1), power (Fig 10), tolerable
 * latency (Fig 11), lengths of intervals (Table 4), code size and storage (section 4.3).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/experiment.h"
#include "cost/sram.h"
#include "cost/energy.h"
#include "compiler/ir/interval.h"
#include "lab/run/load.h"

/* ---- Table 1 ---- */

enum { FERMI_WARPS = 48, FERMI_REGS = 63, MAXWELL_WARPS = 64 }; /* of an SM; registers of a thread at most */

void experiment_full_file(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct sheet *s =
      findings_sheet(f, 3, 0, "registers of a thread, and KB of register file for all warps that the SM may have");
  struct config c;
  struct plan_kernel *k = xcalloc(1, sizeof *k);
  struct mean mean[2] = {{0}};
  double most[2] = {0, 0};
  snprintf(s->column[0], sizeof s->column[0], "registers");
  snprintf(s->column[1], sizeof s->column[1], "KB, Maxwell (64 warps)");
  snprintf(s->column[2], sizeof s->column[2], "KB, Fermi (48 warps, at most 63 registers)");
  const bool ok = findings_config(f, setup, "BL", &c);
  for (unsigned i = 0; ok && i < m->nkernel; i++) {
    struct err e = {0};
    if (!plan_kernel(m->kernel[i].name, m->size, &c, k, &e)) {
      findings_complain(f, m->kernel[i].kernel, "BL", &e);
      continue;
    }
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = k->shape[0].regs;
    v[1] = v[0] * MAXWELL_WARPS * 128 / 1024;
    v[2] = fmin(v[0], FERMI_REGS) * FERMI_WARPS * 128 / 1024;
    for (unsigned j = 0; j < 2; j++) mean_add(&mean[j], v[1 + j]), most[j] = fmax(most[j], v[1 + j]);
  }
  free(k);
  findings_claim(f, "KB, Maxwell, mean", "588", mean_or_nan(&mean[0]), 0);
  findings_claim(f, "KB, Maxwell, most", "1504", most[0], 0);
  findings_claim(f, "KB, Fermi, mean", "184", mean_or_nan(&mean[1]), 0);
  findings_claim(f, "KB, Fermi, most", "324", most[1], 0);
}

/* ---- Fig 10 ---- */

static const double technology_7 = 0.65; /* power of the whole file relative to #1: the paper's Table 2, an input */
enum { NODE_NM = 45, CACHE_BANKS = 16, CACHE_ROWS = 8 };

enum power { MAIN_FILE, CACHE, CONTROL, PARTS }; /* control: warp control blocks and prefetch unit */

static struct sram_figures sram_of_rows(uint32_t rows) {
  const struct sram a = {.rows = rows, .width = 1024, .ports = SRAM_1R1W, .node = NODE_NM};
  struct sram_figures out = {0};
  struct err e = {0};
  if (!sram_figures(&a, &out, &e)) die("E-LT5: %s", e.text);
  return out;
}

/* pJ of all accesses over ns are mW. The main file is 16 banks of 16 KB, `times` as much power; an access to one of the cache's 16 banks costs
 * one to the model's smallest array, of 64 rows, and the bank leaks as its 8 rows are a part of those. */
static void power_of(const struct run_result *r, double times, bool cache, double p[PARTS]) {
  const struct sram_figures bank = sram_of_rows(128), small = sram_of_rows(SRAM_ROWS_MIN);
  const double ns = (double)r->sm.cycles * 1e3 / (double)r->cfg.gpu_clock_mhz;
  const double reads = (double)(cache ? r->sm.main_reads : r->sm.rf_reads),
               writes = (double)(cache ? r->sm.main_writes : r->sm.rf_writes);
  p[MAIN_FILE] = times * ((reads * bank.read_pj + writes * bank.write_pj) / ns + 16 * bank.leakage_mw);
  p[CACHE] = p[CONTROL] = 0;
  if (!cache) return;
  p[CACHE] = ((double)(r->sm.rf_reads + r->sm.cache_spills) * small.read_pj +
              (double)(r->sm.rf_writes + r->sm.cache_fills) * small.write_pj) /
                 ns +
             CACHE_BANKS * small.leakage_mw * CACHE_ROWS / SRAM_ROWS_MIN;
  if (r->cfg.slot_storage == slot_storage_ltrf)
    p[CONTROL] = ((double)r->sm.cycles * energy_of_block("ltrf/pfu", true) +
                  (double)r->sm.warp_insns * energy_of_block("ltrf/pfu", false)) /
                 ns;
}

void experiment_file_power(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const name[] = {"BL", "RFC:rf.technology=7", "LTRF:rf.technology=7", "LTRF+:rf.technology=7"};
  static const char *const label[] = {"BL", "RFC at #7", "LTRF at #7", "LTRF+ at #7"};
  static const char *const claim[] = {"", "0.649", "0.646", "0.539"};
  enum { N = sizeof name / sizeof *name };
  if (!findings_run(f, setup, m, name, N)) return;
  struct sheet *s = findings_sheet(f, N, 3, "power of the register file, relative to BL at #1");
  struct sheet *parts = findings_sheet(f, PARTS, 3, "of that, mean over the kernels");
  static const char *const part[PARTS] = {"main register file", "register cache", "warp control blocks, prefetch unit"};
  struct mean mean[N] = {{0}}, of[N][PARTS] = {{{0}}};
  for (unsigned i = 0; i < N; i++) {
    snprintf(s->column[i], sizeof s->column[i], "%s", label[i]);
    snprintf(s->system[i], sizeof s->system[i], "%s", name[i]);
  }
  for (unsigned i = 0; i < PARTS; i++) snprintf(parts->column[i], sizeof parts->column[i], "%s", part[i]);
  for (unsigned j = 0; j < m->nkernel; j++) {
    double base[PARTS], p[PARTS];
    if (!matrix_cell(m, j, 0)->ok) continue;
    power_of(&matrix_cell(m, j, 0)->run, 1, false, base);
    double *v = sheet_row(s, m->kernel[j].kernel, m->kernel[j].alias);
    for (unsigned i = 0; i < N; i++) {
      const struct cell *c = matrix_cell(m, j, i);
      if (!c->ok) continue;
      power_of(&c->run, i ? technology_7 : 1, i > 0, p);
      v[i] = (p[MAIN_FILE] + p[CACHE] + p[CONTROL]) / base[MAIN_FILE];
      mean_add(&mean[i], v[i]);
      for (unsigned k = 0; k < PARTS; k++) mean_add(&of[i][k], p[k] / base[MAIN_FILE]);
    }
  }
  for (unsigned i = 0; i < N; i++) {
    double *v = sheet_row(parts, label[i], "");
    for (unsigned k = 0; k < PARTS; k++) v[k] = mean_or_nan(&of[i][k]);
    if (i) findings_claim(f, label[i], claim[i], mean_or_nan(&mean[i]), 3);
  }
}

/* ---- Fig 11 ---- */

enum { STEP = 25, LEAST = 100, MOST = 1200 }; /* percent: four steps are the four cycles of latency 1 */

static const char *const designs[] = {"BL", "RFC", "SHRF", "LTRF-strand", "LTRF", "LTRF+"};
enum { DESIGNS = sizeof designs / sizeof *designs };
static const unsigned losses[] = {1, 5, 10};
enum { LOSSES = sizeof losses / sizeof *losses };

struct search { /* the largest latency that is good lies in low ... high; LEAST - STEP: none is */
  unsigned design, low, high, loss;
  bool own; /* relative to the same design at latency 1; else to BL */
};

static unsigned search_middle(const struct search *b) { return (b->low + b->high + STEP) / 2 / STEP * STEP; }

/* One round of all searches of a kernel: each one's middle is run, once, and its side of it kept. False: a run failed. */
static bool search_round(const struct setup *setup, const struct matrix *m, unsigned k, struct search *b, unsigned n,
                         const double base[DESIGNS], struct findings *f) {
  struct matrix one = {.size = m->size};
  struct err e = {0};
  bool ok = matrix_kernels(&one, m->kernel[k].name, &e);
  unsigned at[DESIGNS * LOSSES * 2];
  for (unsigned i = 0; ok && i < n; i++) {
    char name[64];
    if (b[i].low == b[i].high) continue;
    snprintf(name, sizeof name, "%s:rf.latency=%u", designs[b[i].design], search_middle(&b[i]));
    at[i] = one.nsystem;
    for (unsigned s = 0; s < one.nsystem; s++)
      if (!strcmp(one.system[s].label, name)) at[i] = s;
    if (at[i] == one.nsystem) ok = matrix_system(&one, name, &setup->settings, &e);
  }
  if (ok) {
    matrix_run(&one, setup->jobs, setup->db, setup->progress, setup->ctx);
    f->runs += one.runs;
  }
  const struct measure *ipc = measure_find("ipc");
  for (unsigned i = 0; ok && i < n; i++) {
    double v;
    if (b[i].low == b[i].high) continue;
    const unsigned mid = search_middle(&b[i]);
    ok = matrix_value(&one, ipc, 0, at[i], &v);
    if (!ok) e = matrix_cell(&one, 0, at[i])->e;
    else if (v >= base[b[i].own ? b[i].design : 0] * (1 - losses[b[i].loss] / 100.0)) b[i].low = mid;
    else b[i].high = mid - STEP;
  }
  if (!ok) findings_complain(f, m->kernel[k].kernel, "bisection", &e);
  matrix_free(&one);
  return ok;
}

/* The searches of a kernel: each design and loss, relative to itself and to BL. */
static bool search_all(const struct setup *setup, const struct matrix *m, unsigned k, const double base[DESIGNS],
                       struct search *b, struct findings *f) {
  unsigned n = 0;
  for (unsigned d = 0; d < DESIGNS; d++)
    for (unsigned l = 0; l < LOSSES; l++)
      for (unsigned own = 0; own < 2; own++, n++) {
        const bool lost = !own && base[d] < base[0] * (1 - losses[l] / 100.0);
        b[n] = (struct search){
            .design = d, .loss = l, .own = own, .low = lost ? LEAST - STEP : LEAST, .high = lost ? LEAST - STEP : MOST};
      }
  for (bool left = true; left;) {
    if (!search_round(setup, m, k, b, n, base, f)) return false;
    left = false;
    for (unsigned i = 0; i < n; i++) left |= b[i].low != b[i].high;
  }
  return true;
}

void experiment_tolerable_latency(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const paper[DESIGNS][LOSSES] = {{"-", "-", "-"}, {"1.4", "2.1", "2.9"}, {"-", "2", "-"},
                                                     {"-", "3", "-"}, {"2.8", "5.3", "6.5"}, {"3.5", "6.2", "7.9"}};
  if (!findings_run(f, setup, m, designs, DESIGNS)) return;
  struct sheet *own = findings_sheet(f, DESIGNS, 2, "factor that costs at most 5 % of the same design's IPC at 1");
  struct sheet *against =
      findings_sheet(f, DESIGNS, 2, "factor at which IPC is at most 5 % below BL's at 1; -: it is at 1 already");
  struct mean mean[DESIGNS][LOSSES][2] = {{{{0}}}};
  unsigned never[DESIGNS] = {0};
  for (unsigned d = 0; d < DESIGNS; d++) {
    snprintf(own->column[d], sizeof own->column[d], "%s", designs[d]);
    snprintf(against->column[d], sizeof against->column[d], "%s", designs[d]);
  }
  for (unsigned k = 0; k < m->nkernel; k++) {
    struct search b[DESIGNS * LOSSES * 2];
    double base[DESIGNS];
    bool ok = true;
    for (unsigned d = 0; d < DESIGNS; d++) ok = ok && matrix_value(m, measure_find("ipc"), k, d, &base[d]);
    if (!ok || !search_all(setup, m, k, base, b, f)) continue;
    double *v = sheet_row(own, m->kernel[k].kernel, m->kernel[k].alias),
           *w = sheet_row(against, m->kernel[k].kernel, m->kernel[k].alias);
    for (unsigned i = 0; i < DESIGNS * LOSSES * 2; i++) {
      const unsigned d = b[i].design;
      const double factor = b[i].low < LEAST ? NAN : b[i].low / 100.0;
      if (!isnan(factor)) mean_add(&mean[d][b[i].loss][b[i].own], factor);
      if (losses[b[i].loss] != 5) continue;
      if (b[i].own) v[d] = factor;
      else w[d] = factor, never[d] += isnan(factor);
    }
  }
  for (unsigned l = 0; l < LOSSES; l++)
    for (unsigned d = 0; d < DESIGNS; d++) {
      char what[128];
      snprintf(what, sizeof what, "%s, %u %% below its own IPC at 1, mean", designs[d], losses[l]);
      findings_claim(f, what, paper[d][l], mean_or_nan(&mean[d][l][1]), 2);
    }
  for (unsigned l = 0; l < LOSSES; l++)
    for (unsigned d = 0; d < DESIGNS; d++) {
      char what[128];
      snprintf(what, sizeof what, "%s, %u %% below BL's at 1, mean of those that reach it", designs[d], losses[l]);
      findings_claim(f, what, paper[d][l], mean_or_nan(&mean[d][l][0]), 2);
    }
  for (unsigned d = 0; d < DESIGNS; d++) {
    char what[128];
    snprintf(what, sizeof what, "%s, kernels more than 5 %% below BL's IPC at 1 already", designs[d]);
    findings_claim(f, what, "-", never[d], 0);
  }
}

/* ---- Table 4 ---- */

void experiment_lengths(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const name[] = {"LTRF"};
  if (!findings_run(f, setup, m, name, 1)) return;
  struct sheet *s[2] = {findings_sheet(f, 4, 1, "instructions of a warp, mean; kernels of more than 16 registers"),
                        findings_sheet(f, 4, 1, "the same of kernels of at most 16 registers")};
  static const char *const column[] = {"registers of a thread", "after a PREFETCH",
                                       "best without regard to control flow", "part of the best, %"};
  struct mean mean[2] = {{0}};
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
  for (unsigned i = 0; i < 8; i++) snprintf(s[i / 4]->column[i % 4], sizeof s[0]->column[0], "%s", column[i % 4]);
  for (unsigned k = 0; k < m->nkernel; k++) {
    const struct cell *c = matrix_cell(m, k, 0);
    if (!c->ok) continue;
    const bool small = c->run.regs <= INTERVAL_REGS;
    double *v = sheet_row(s[small], m->kernel[k].kernel, m->kernel[k].alias);
    v[0] = c->run.regs;
    v[1] = (double)c->run.sm.warp_insns / (double)c->run.sm.prefetches;
    v[2] = (double)c->run.sm.warp_insns / (double)c->run.sm.best_intervals;
    v[3] = 100 * v[1] / v[2];
    for (unsigned i = 0; !small && i < 2; i++) {
      mean_add(&mean[i], v[1 + i]);
      least[i] = fmin(least[i], v[1 + i]), most[i] = fmax(most[i], v[1 + i]);
    }
  }
  static const char *const paper[3][2] = {{"31.2", "34.7"}, {"7", "9"}, {"45", "53"}}, *const of[2] = {"real", "best"};
  for (unsigned i = 0; i < 2; i++) {
    const double ours[3] = {mean_or_nan(&mean[i]), least[i], most[i]};
    static const char *const what[3] = {"mean of the kernels", "least of the kernels", "most of the kernels"};
    for (unsigned j = 0; j < 3; j++) {
      char text[64];
      snprintf(text, sizeof text, "%s, %s", of[i], what[j]);
      findings_claim(f, text, paper[j][i], ours[j], 1);
    }
  }
}

/* ---- section 4.3 ---- */

/* Code of a kernel's entry with its PREFETCHes, relative to without: vectors alone, and with an instruction each. */
static bool growth_of(const char *name, const char *size, const struct config *c, double out[2], uint32_t *n,
                      struct err *e) {
  struct workload w;
  if (!workload_read(name, size, &w, e)) return false;
  w.module->schedule = schedule_of(c);
  bool ok = workload_alloc(&w, false, e);
  const struct code *code = ok ? module_kernel(w.module, script_kernel(w.script, 0)) : NULL;
  struct intervals v;
  if (code && (ok = code_intervals(code, (uint32_t)c->ltrf_interval, &v, e))) {
    for (unsigned i = 0; i < 2; i++) {
      uint32_t total;
      free(intervals_slots(&v, code->n, i ? PREFETCH_INSN : PREFETCH_VECTOR, &total));
      out[i] = 100 * ((double)total / code->n - 1);
    }
    *n = v.n;
    intervals_clear(&v);
  }
  workload_close(&w);
  return ok && code;
}

void experiment_code_and_bits(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct sheet *s =
      findings_sheet(f, 3, 1, "register-intervals of the kernel, and by how many % they make its code larger");
  struct config c;
  struct mean mean[2] = {{0}};
  snprintf(s->column[0], sizeof s->column[0], "intervals");
  snprintf(s->column[1], sizeof s->column[1], "%%, vectors alone");
  snprintf(s->column[2], sizeof s->column[2], "%%, with an instruction each");
  const bool ok = findings_config(f, setup, "LTRF", &c);
  for (unsigned i = 0; ok && i < m->nkernel; i++) {
    struct err e = {0};
    double growth[2];
    uint32_t n;
    if (!growth_of(m->kernel[i].name, m->size, &c, growth, &n, &e)) {
      findings_complain(f, m->kernel[i].kernel, "LTRF", &e);
      continue;
    }
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = n;
    for (unsigned j = 0; j < 2; j++) v[1 + j] = growth[j], mean_add(&mean[j], growth[j]);
  }
  findings_claim(f, "% of code, vectors alone, mean", "7", mean_or_nan(&mean[0]), 1);
  findings_claim(f, "% of code, with an instruction each, mean", "9", mean_or_nan(&mean[1]), 1);
  findings_items(f, "LTRF");
}

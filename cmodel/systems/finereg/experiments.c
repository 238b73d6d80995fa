/* SPDX-License-Identifier: Apache-2.0 */
/* experiments: those of FineReg that are about the kernels alone, on the plain machine (Figs 3 and 5, Table III), energy and storage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/traits.h"
#include "cost/cost.h"
#include "cost/energy.h"

/* ---- Fig 3: by the launch alone ---- */

void experiment_cta_memory(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const column[] = {"registers", "shared memory", "both", "registers, %"};
  struct sheet *s = findings_sheet(f, 4, 1, "KB that one more CTA takes");
  struct mean share = {0};
  double least = NAN, most = NAN;
  struct config c;
  struct err e = {0};
  struct plan_kernel *k = xcalloc(1, sizeof *k);
  for (unsigned i = 0; i < 4; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  bool ok = settings_apply(&setup->settings, "FR-Base", "", &c, &e);
  if (!ok) findings_complain(f, "", "FR-Base", &e);
  for (unsigned i = 0; ok && i < m->nkernel; i++) {
    struct err bad = {0};
    if (!plan_kernel(m->kernel[i].name, m->size, &c, k, &bad)) {
      findings_complain(f, m->kernel[i].kernel, "FR-Base", &bad);
      continue;
    }
    const struct kernel_shape *shape = &k->shape[0];
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = shape->need.warps * warp_registers(&c, shape->regs) * 128 / 1024.0;
    v[1] = shape->need.shared / 1024.0;
    v[2] = v[0] + v[1];
    v[3] = 100 * v[0] / v[2];
    mean_add(&share, v[3]);
    least = fmin(least, v[2]), most = fmax(most, v[2]);
  }
  free(k);
  findings_claim(f, "KB, least", "6", least, 1);
  findings_claim(f, "KB, most", "37.3", most, 1);
  findings_claim(f, "% that are registers, mean", "88.7", mean_or_nan(&share), 1);
}

/* ---- Fig 5, Table III: as characterize measures them ---- */

void experiment_register_use(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const column[] = {"mean", "least", "most"};
  static const char *const low[] = {"MC", "NW", "LI", "SR2", "TA"}; /* the text's worst windows */
  struct sheet *s =
      findings_sheet(f, 3, 1, "% of the allocated registers, in windows of 1000 warp instructions of the SM");
  struct traits *x = traits_of(setup, m, "FR-Base", f);
  struct mean mean = {0};
  for (unsigned i = 0; i < 3; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  for (unsigned i = 0; i < m->nkernel; i++) {
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = 100 * x[i].used_mean, v[1] = 100 * x[i].used_least, v[2] = 100 * x[i].used_most;
    if (!isnan(v[0])) mean_add(&mean, v[0]);
  }
  findings_claim(f, "mean", "55.3", mean_or_nan(&mean), 1);
  for (unsigned k = 0; k < sizeof low / sizeof *low; k++)
    for (unsigned i = 0; i < m->nkernel; i++) {
      char what[64];
      if (strcmp(m->kernel[i].alias, low[k])) continue;
      snprintf(what, sizeof what, "%s, least", low[k]);
      findings_claim(f, what, "below 15", 100 * x[i].used_least, 1);
    }
  free(x);
}

void experiment_stall_times(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct sheet *s = findings_sheet(f, 2, 0, "cycles from a CTA's first instruction to its first complete stall");
  struct traits *x = traits_of(setup, m, "FR-Base", f);
  snprintf(s->column[0], sizeof s->column[0], "ours");
  snprintf(s->column[1], sizeof s->column[1], "paper");
  for (unsigned i = 0; i < m->nkernel; i++) {
    const struct paper_name *n = paper_name(f->experiment->paper, m->kernel[i].alias);
    double *v = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    v[0] = x[i].stall;
    v[1] = n && n->stall ? n->stall : NAN;
  }
  free(x);
}

/* ---- Fig 16: the split, and what it hangs on ---- */

enum { BASE, FINEREG, PAIR };

/* Of both systems on kernel k; false: one has none. */
static bool energy_pair_of(const struct matrix *m, unsigned k, struct energy e[PAIR]) {
  for (unsigned s = 0; s < PAIR; s++) {
    const struct cell *c = matrix_cell(m, k, s);
    if (!c->ok || !run_energy(&c->run, &e[s])) return false;
  }
  return true;
}

/* The total with line i's energy multiplied; at nenergy_lines that of all logic, whose scaling from 180 nm is one factor. */
static double energy_with_any(const struct energy *e, unsigned i, double times) {
  return i == nenergy_lines ? energy_with_all(e, ENERGY_logic, times) : energy_with(e, i, times);
}

/* The mean over the kernels of FineReg's energy over the baseline's, line i's energy multiplied. */
static double ratio_with(const struct matrix *m, unsigned i, double times) {
  struct mean mean = {0};
  struct energy e[PAIR];
  for (unsigned k = 0; k < m->nkernel; k++)
    if (energy_pair_of(m, k, e))
      mean_add(&mean, energy_with_any(&e[FINEREG], i, times) / energy_with_any(&e[BASE], i, times));
  return mean_or_nan(&mean);
}

/* Each component's share of the baseline's energy, mean over the kernels. */
static void energy_split(const struct matrix *m, struct findings *f) {
  struct sheet *s =
      findings_sheet(f, PAIR, 3, "parts of the energy, relative to the baseline's total, mean over the kernels");
  struct energy e[PAIR];
  snprintf(s->column[BASE], sizeof s->column[BASE], "baseline");
  snprintf(s->column[FINEREG], sizeof s->column[FINEREG], "FineReg");
  double total[PAIR] = {0};
  for (unsigned c = 0; c < ENERGY_SUMS; c++) {
    struct mean mean[PAIR] = {{0}};
    double *v = sheet_row(s, energy_component_label[c], "");
    for (unsigned k = 0; k < m->nkernel; k++)
      for (unsigned i = 0; i < PAIR && energy_pair_of(m, k, e); i++) mean_add(&mean[i], e[i].sum[c] / e[BASE].total);
    for (unsigned i = 0; i < PAIR; i++) {
      v[i] = mean_or_nan(&mean[i]);
      total[i] += v[i];
    }
  }
  memcpy(sheet_row(s, "all", ""), total, sizeof total);
}

/* The constants, the one that moves the ratio most first; those that hardly move it are not shown. */
static void energy_tornado(const struct matrix *m, struct findings *f) {
  struct sheet *s =
      findings_sheet(f, 2, 4, "FineReg's energy over the baseline's, mean, with one energy per event changed");
  bool done[MOST_ENERGY_LINES + 1] = {false};
  snprintf(s->column[0], sizeof s->column[0], "half of it");
  snprintf(s->column[1], sizeof s->column[1], "twice");
  for (;;) {
    unsigned best = nenergy_lines + 1;
    double most = 0.0005, at[2] = {0};
    for (unsigned i = 0; i <= nenergy_lines; i++) {
      const double half = ratio_with(m, i, 0.5), twice = ratio_with(m, i, 2);
      if (done[i] || !(fabs(twice - half) > most)) continue;
      best = i, most = fabs(twice - half), at[0] = half, at[1] = twice;
    }
    if (best > nenergy_lines) break;
    done[best] = true;
    memcpy(sheet_row(s, best == nenergy_lines ? "all logic: its scaling from 180 nm" : energy_lines[best].label, ""),
           at, sizeof at);
  }
  if (!s->rows) return;
  double *v = sheet_row(s, "as they are", "");
  v[0] = v[1] = ratio_with(m, 0, 1);
  f->tornado = s;
}

void experiment_sensitivity(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const name[PAIR] = {"FR-Base", "FineReg"};
  struct err e = {0};
  for (unsigned s = 0; s < PAIR; s++)
    if (!matrix_system(m, name[s], &setup->settings, &e)) {
      findings_complain(f, "", name[s], &e);
      return;
    }
  matrix_run(m, setup->jobs, setup->db, setup->progress, setup->ctx);
  f->runs = m->runs;
  for (unsigned k = 0; k < m->nkernel; k++)
    for (unsigned s = 0; s < PAIR; s++) {
      const struct cell *c = matrix_cell(m, k, s);
      struct energy unused;
      struct err none = {0};
      if (c->ok && run_energy(&c->run, &unused)) continue;
      err_at(&none, NULL, 0, 0, "no energy: its register file's banks are not among those of the model of memories");
      findings_complain(f, m->kernel[k].kernel, name[s], c->ok ? &none : &c->e);
    }
  energy_split(m, f);
  energy_tornado(m, f);
}

/* ---- section V-F ---- */

void experiment_storage(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct config c;
  struct system_cost with, without;
  struct err e = {0};
  (void)m;
  findings_items(f, "FineReg");
  bool ok = settings_apply(&setup->settings, "FineReg", "", &c, &e) && system_cost(&c, COST_NODE, &with, &e) &&
            settings_apply(&setup->settings, "baseline", "", &c, &e) && system_cost(&c, COST_NODE, &without, &e);
  if (!ok) {
    findings_complain(f, "", "FineReg", &e);
    return;
  }
  struct range pcrf = {0};
  for (unsigned i = 0; i < with.n; i++)
    if (with.part[i].kind == PART_SRAM) pcrf = range_sum(pcrf, with.part[i].mm2);
  const double low = with.blocks.mm2.low - pcrf.low, high = with.blocks.mm2.high - pcrf.high;
  findings_claim(f, "% of an SM of 22 mm2 at 45 nm: blocks without the PCRF's data, at least", "0.38",
                 100 * low / SM_MM2, 2);
  findings_claim(f, "the same, at most: tags and live vectors in flip-flops, ideal scaling", "0.38",
                 100 * high / SM_MM2, 2);
  findings_claim(f, "% of the SM, the register file's two parts in place of one", "-",
                 100 * (with.file.mm2.low + pcrf.low - without.file.mm2.low) / SM_MM2, 2);
}

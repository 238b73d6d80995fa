/* SPDX-License-Identifier: Apache-2.0 */
/* experiments: those of Linebacker that are about the kernels alone (Figs 1 to 3), and its storage (section 4.2). */
#include <math.h>
#include <stdlib.h>

#include "lab/campaign/traits.h"
#include "cost/cost.h"

enum { MISS, AGAIN, REUSED, OWN, STREAM, COLUMNS };

void experiment_locality(const struct setup *setup, struct matrix *m, struct findings *f) {
  static const char *const column[COLUMNS] = {"L1 misses, % of the line reads", "capacity and conflict misses, %",
                                              "reused by the top four loads, KB", "of that by one load only, %",
                                              "read by streaming loads, KB"};
  struct sheet *s =
      findings_sheet(f, COLUMNS, 1, "misses of the L1; reused and streamed lines in windows of 50,000 cycles");
  struct traits *x = traits_of(setup, m, "LB-Base", f);
  struct mean mean[COLUMNS] = {{0}};
  double large = 0, streams = 0, most_again = 0;
  for (unsigned i = 0; i < COLUMNS; i++) snprintf(s->column[i], sizeof s->column[i], "%s", column[i]);
  for (unsigned i = 0; i < m->nkernel; i++) {
    const struct traits *t = &x[i];
    const double value[COLUMNS] = {100 * t->miss, 100 * t->again, t->reused_kb, 100 * t->own, t->stream_kb};
    double *row = sheet_row(s, m->kernel[i].kernel, m->kernel[i].alias);
    for (unsigned k = 0; k < COLUMNS; k++) {
      row[k] = value[k];
      if (!isnan(value[k])) mean_add(&mean[k], value[k]);
    }
    large += t->reused_kb > 48;
    streams += t->stream_kb > 16;
    most_again += t->again > 0.7 * t->miss;
  }
  findings_claim(f, "% of the line reads that miss, mean", "66.6", mean_or_nan(&mean[MISS]), 1);
  findings_claim(f, "% that are capacity or conflict misses, mean", "44.6", mean_or_nan(&mean[AGAIN]), 1);
  findings_claim(f, "programs of 20 with more than 70 % of such misses", "11", most_again, 0);
  findings_claim(f, "programs of 20 that reuse more than 48 KB", "13", large, 0);
  findings_claim(f, "% of the reused lines that one load alone reads, mean", "85", mean_or_nan(&mean[OWN]), 1);
  findings_claim(f, "programs of 20 that stream more than 16 KB", "9", streams, 0);
  free(x);
}

void experiment_victim_storage(const struct setup *setup, struct matrix *m, struct findings *f) {
  struct config c;
  struct system_cost with;
  struct err e = {0};
  (void)m;
  findings_items(f, "Linebacker");
  if (!settings_apply(&setup->settings, "LB", "", &c, &e) || !system_cost(&c, COST_NODE, &with, &e)) {
    findings_complain(f, "", "LB", &e);
    return;
  }
  findings_claim(f, "mm2 at 45 nm: the blocks, at least", "0.19", with.blocks.mm2.low, 3);
  findings_claim(f, "the same, at most: tags in flip-flops, ideal scaling", "0.19", with.blocks.mm2.high, 3);
  findings_claim(f, "% of an SM of 22 mm2, at least", "0.9", 100 * with.blocks.mm2.low / SM_MM2, 2);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* main_file: see main_file.h. */
#include "systems/ltrf/main_file.h"

#include <stdlib.h>
#include <string.h>

bool main_file_fits(const struct config *c, const struct slots *slots, struct err *e) {
  char mine[64];
  snprintf(mine, sizeof mine, "slot.storage %s", slots->storage->name);
  if (!slot_needs(e, mine, "residency", slots->residency->name, "static pcal",
                  "only it moves registers of its main file, and its tables have rows for sm.warps warps") ||
      !slot_needs(e, mine, "collector", slots->collector->name, "ocu",
                  "ccu and bow read the banks of a flat file, where its operands come from the register cache") ||
      !slot_needs(e, mine, "l1", slots->l1->name, "plain",
                  "victim and cerf keep lines in rows of a flat file, and its main file has ports of its own"))
    return false;
  return !c->sm_subcores ||
         err_at(e, NULL, 0, 0, "%s with sm.subcores true, expected sm.subcores=false: one cache serves all schedulers",
                mine);
}

void main_file_accesses(const struct sm_stats *s, uint64_t *reads, uint64_t *writes) {
  *reads = s->main_reads;
  *writes = s->main_writes;
}

void main_file_init(struct main_file *m, const struct config *c, bool narrow) {
  *m = (struct main_file){.banks = (unsigned)c->rf_banks, .one_port = narrow || c->rf_single_port};
  m->access = slow_access(c->rf_latency);
  m->busy = slow_busy(m->access);
  main_file_reset(m);
  if (!narrow) return;
  m->access += NARROW_CROSSBAR;
  if (m->busy <= NARROW_CROSSBAR) m->busy = NARROW_CROSSBAR + 1;
}

void main_file_reset(struct main_file *m) {
  memset(m->free, 0, sizeof m->free);
  for (unsigned b = 0; b < m->banks; b++) {
    m->free[RF_READ][b / 32] |= 1u << b % 32;
    m->free[RF_WRITE][b / 32] |= 1u << b % 32;
  }
  m->n = 0;
}

bool main_file_result(struct sm *S, struct main_file *m, const struct inflight_view *f, unsigned k) {
  const unsigned w = f->inst.warp, reg = f->op->dst[k], bank = main_file_bank(m, w, reg);
  if (!main_file_free(m, sm_view(S)->now, bank, RF_WRITE)) {
    sm_counters(S)->main_waits++;
    return false;
  }
  main_file_take(m, sm_view(S)->now, bank, RF_WRITE);
  sm_counters(S)->main_writes++;
  if (sm_view(S)->check) check_write_row(S, f, k, warp_view(S, w)->row + reg);
  if (sm_view(S)->laws) law_access(S, f->group, RF_WRITE, warp_view(S, w)->row + reg);
  return true;
}

enum result_answer main_file_only(struct sm *S, struct main_file *m, const struct inflight_view *f, unsigned k) {
  if (!main_file_result(S, m, f, k)) return RESULT_BUSY;
  result_complete_now(S, f, k);
  return RESULT_ACCEPTED;
}

void main_file_operand(struct sm *S, const struct main_file *m, const struct collector_unit *u) {
  unit_operands_at(S, u, sm_view(S)->now + m->access - slow_access(100) + 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger: what a CTA of this launch takes from the SM and how many fit: registers, shared memory, warp, thread and CTA
 * slots. A CTA is one range of physical registers; the range of CTA slot c starts at c x (warps x registers).
 */
#include "sm/state.h"

static uint32_t round_up(uint64_t x, uint64_t to) { return (uint32_t)((x + to - 1) / to * to); }

bool ledger_plan(struct sm *S, const struct launch *l, struct err *e) {
  const struct config *c = S->cfg;
  const struct stream *s = S->stream;
  uint32_t warp_registers = (uint32_t)(c->rf_bytes / 128);
  uint32_t cta_regs = S->warp_regs * s->warps_per_cta;
  uint32_t shared = s->shared_bytes ? round_up(s->shared_bytes, (uint64_t)c->shared_alloc) : 0;
  struct { const char *what; uint64_t have, need; } limit[] = {
      {"warps", (uint64_t)c->sm_warps, s->warps_per_cta},
      {"threads", (uint64_t)c->sm_threads, s->warps_per_cta * 32},
      {"CTAs", (uint64_t)c->sm_ctas, 1},
      {"registers", warp_registers, cta_regs},
      {"shared memory", (uint64_t)c->shared_bytes, shared},
  };
  S->cta_limit = CTA_MAX;
  S->limiter = "grid";
  if (s->ctas < S->cta_limit) S->cta_limit = s->ctas;
  for (unsigned k = 0; k < sizeof limit / sizeof *limit; k++) {
    if (!limit[k].need) continue;
    uint64_t fit = limit[k].have / limit[k].need;
    if (!fit)
      return err_at(e, l->code->file, (int)l->code->line, 0,
                    "kernel '%s': one CTA needs %llu %s%s, the SM of '%s' has %llu", l->code->name,
                    (unsigned long long)limit[k].need, limit[k].what,
                    k == 3 ? " (warp registers)" : k == 4 ? " (bytes)" : "", c->machine, (unsigned long long)limit[k].have);
    if (fit < S->cta_limit) {
      S->cta_limit = (unsigned)fit;
      S->limiter = limit[k].what;
    }
  }
  unsigned per_sched = (S->cta_limit * s->warps_per_cta + S->nsched - 1) / S->nsched;
  if (per_sched > 64)
    return err_at(e, NULL, 0, 0, "%u warps for each of %u schedulers, expected at most 64 (sm.warps, sm.schedulers)",
                  per_sched, S->nsched);
  return true;
}

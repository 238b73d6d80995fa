/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger: the resources of a CTA of this launch and how many CTAs fit: registers, shared memory, warp, thread and CTA
 * slots. A CTA is one range of physical registers; the range of CTA slot c starts at c x (warps x registers).
 */
#include "sm/ledger.h"

#include <string.h>

#include "sm/private.h"

static uint32_t ledger_round_up(uint64_t x, uint64_t to) { return (uint32_t)((x + to - 1) / to * to); }

struct cta_fit cta_fit(const struct config *c, const struct cta_need *n) {
  uint32_t shared = n->shared ? ledger_round_up(n->shared, (uint64_t)c->shared_alloc) : 0;
  struct {
    const char *what;
    uint64_t have, need;
  } limit[] = {
      {"warps", (uint64_t)c->sm_warps, n->warps},
      {"threads", (uint64_t)c->sm_threads, n->warps * 32},
      {"CTAs", (uint64_t)c->sm_ctas, 1},
      {"registers", (uint64_t)(c->rf_bytes / 128) - n->pool_regs, (uint64_t)n->warp_regs * n->warps},
      {"shared memory", (uint64_t)c->shared_bytes, shared},
  };
  struct cta_fit f = {.ctas = UINT32_MAX, .limiter = ""};
  for (unsigned k = 0; k < sizeof limit / sizeof *limit; k++) {
    if (!limit[k].need || limit[k].have / limit[k].need >= f.ctas) continue;
    f = (struct cta_fit){(uint32_t)(limit[k].have / limit[k].need), limit[k].what, limit[k].need, limit[k].have};
    if (!f.ctas) break;
  }
  return f;
}

/* The key that gives the SM more of what limits the CTAs, and how much one CTA needs. */
static const char *ledger_key_of(const struct cta_fit *f, const struct cta_need *n, uint64_t *value) {
  *value = f->need;
  if (!strcmp(f->limiter, "warps")) return "sm.warps";
  if (!strcmp(f->limiter, "threads")) return "sm.threads";
  if (!strcmp(f->limiter, "shared memory")) return "shared.bytes";
  *value = (f->need + n->pool_regs) * 128;
  return "rf.bytes";
}

bool ledger_plan(struct sm *S, const struct kernel *k, struct err *e) {
  const struct config *c = S->cfg;
  const struct stream *s = S->stream;
  struct cta_need need = {s->warps_per_cta, S->warp_regs, s->shared_bytes, S->pool_regs};
  struct cta_fit f = cta_fit(c, &need);
  uint64_t value;
  const char *key = ledger_key_of(&f, &need, &value);
  if (!f.ctas)
    return err_at(e, k->code->file, (int)k->code->line, (int)k->code->col,
                  "kernel '%s': one CTA needs %llu %s%s, the SM of '%s' has %llu, expected %s=%llu or more",
                  k->code->name, (unsigned long long)f.need, f.limiter,
                  !strcmp(f.limiter, "registers")       ? " (warp registers)"
                  : !strcmp(f.limiter, "shared memory") ? " (bytes)"
                                                        : "",
                  c->machine, (unsigned long long)f.have, key, (unsigned long long)value);
  S->cta_limit = CTA_MAX;
  S->limiter = "grid";
  S->nactive = 0;
  S->room = f.ctas;
  if (s->ctas < S->cta_limit) S->cta_limit = s->ctas;
  if (f.ctas < S->cta_limit) {
    S->cta_limit = f.ctas;
    S->limiter = f.limiter;
  }
  S->rf_slots = S->cta_limit;
  unsigned per_sched = (S->cta_limit * s->warps_per_cta + S->nsched - 1) / S->nsched;
  if (per_sched > 64)
    return err_at(e, NULL, 0, 0,
                  "found %u warps for each of sm.schedulers %u, expected sm.warps=%u or less: 64 for each", per_sched,
                  S->nsched, 64 * S->nsched);
  return true;
}

bool saved_fits(const struct sm *S, struct err *e) {
  const uint64_t bytes = (uint64_t)S->cta_limit * S->wpc * S->warp_regs * 128;
  return S->cfg->sim_sms == 1 || bytes <= SAVED_ROOM ||
         err_at(e, NULL, 0, 0,
                "found %llu bytes of registers that CTAs may keep in memory, expected at most %d with several SMs "
                "(sim.sms=1, or a smaller rf.bytes)",
                (unsigned long long)bytes, SAVED_ROOM);
}

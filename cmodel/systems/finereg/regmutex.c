/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regmutex storage (Khorasani et al., ISCA 2018, as the FineReg paper compares with it; docs/reference/timing.md, decision 12):
 * a warp owns its first regmutex.brs registers. The rest of the register file is the shared register pool (SRP), in
 * sections that hold one warp's other registers. A warp acquires a section before the first instruction at which one
 * of those is live or used, and releases it after the last: by pseudo instructions, inserted from the live sets of a
 * warp (code.h). An acquire that finds none waits behind the warp's gate. A section is kept over memory stalls and
 * barriers; it is free when the last access to it is done.
 *
 * Progress: a warp may wait at a barrier for others of its CTA that wait for a section. So where a barrier lies
 * within the section's range, as many sections as a CTA has warps are reserved for the oldest CTA: the others
 * together never hold more than the rest. The oldest CTA gets all that it requests, so it ends, and the next one
 * becomes the oldest; the same bound holds for it. (A CTA that waits in a loop for a younger one has no such
 * guarantee; neither has it on the baseline.)
 */
#include <stdlib.h>
#include <string.h>

#include "sm/slot_api.h"

enum { SETS = WARP_MAX / 64, NO_SECTION = 0xffff };
enum { TAKE = 1, GIVE }; /* pseudo instructions: inst.mem */

struct regmutex {
  uint8_t *inside;                    /* per instruction: the warp is to hold a section */
  uint32_t own, more;                 /* registers: of each warp; of a section, 0: no kernel register lies there */
  uint32_t last;                      /* registers of the kernel */
  uint32_t sections, kept, first_row; /* in the file; kept for the oldest CTA */
  bool placed, look;                  /* sections are laid out; a waiting warp may get a section now */
  uint16_t section[WARP_MAX];
  bool fetched_in[WARP_MAX];             /* the warp's fetch stands within the range */
  uint64_t waiting[SETS], leaving[SETS]; /* warps; leaving: gave it back, accesses are still under way */
  uint64_t free[SETS];                   /* sections */
  uint16_t held, held_by[CTA_MAX];       /* sections, in all and by CTA slot */
};

static struct regmutex *regmutex_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }

static bool fits(const struct config *cfg, const struct slots *slots, struct err *e) {
  (void)cfg;
  return slot_needs(e, "slot.storage regmutex", "scheduler", slots->scheduler->name, "gto lrr",
                    "warps that wait for a section could fill the active set while those that hold one stay out of it");
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_STORAGE, xcalloc(1, sizeof(struct regmutex)));
  return true;
}

static void done(struct sm *S) {
  if (regmutex_of(S)) free(regmutex_of(S)->inside);
  free(regmutex_of(S));
}

/* ---- launch ---- */

/* The instructions at which a section is needed, and the gaps of less than `gap` instructions between. */
static void regmutex_mark(struct regmutex *r, const struct code *c, uint32_t gap) {
  uint32_t end = UINT32_MAX; /* of the last stretch */
  for (uint32_t i = 0; i < c->n; i++) {
    for (uint32_t k = r->own; k < c->nreg; k++)
      r->inside[i] |= set_has(c->warp_live[i], k) || set_has(c->op[i].need, k);
    if (!r->inside[i]) continue;
    if (end != UINT32_MAX && i - end < gap) memset(r->inside + end, 1, i - end);
    end = i + 1;
  }
}

/* A warp can stand at a barrier with a section. */
static bool has_barrier(const struct regmutex *r, const struct code *c) {
  for (uint32_t i = 0; i < c->n; i++)
    if (r->inside[i] && c->op[i].kind & K_BAR) return true;
  return false;
}

/* False: there is nothing to share, or the file has no room for one CTA and the sections that progress needs.
 */
static bool regmutex_divide(struct sm *S, struct regmutex *r, const struct code *c, uint32_t all) {
  const struct config *cfg = sm_view(S)->cfg;
  uint32_t own = warp_registers(cfg, (uint32_t)cfg->regmutex_brs), rows = (uint32_t)(cfg->rf_bytes / 128);
  if (!own || own >= all || own * sm_view(S)->wpc >= rows) return false;
  uint32_t more = all - own, most = (rows - own * sm_view(S)->wpc) / more;
  uint32_t asked = (uint32_t)((uint64_t)rows * (uint64_t)cfg->regmutex_pool / 100 / more);
  r->own = own;
  regmutex_mark(r, c, (uint32_t)cfg->regmutex_gap);
  r->kept = has_barrier(r, c) ? sm_view(S)->wpc : 1;
  if (r->kept > most) return false;
  if (asked > most) asked = most;
  r->more = more;
  plan_pool(S, (asked > r->kept ? asked : r->kept) * more);
  return true;
}

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  (void)e;
  struct regmutex *r = regmutex_of(S);
  uint32_t all = warp_registers(sm_view(S)->cfg, kernel->code->nreg);
  free(r->inside);
  *r = (struct regmutex){.inside = xcalloc(kernel->code->n, 1), .last = kernel->code->nreg};
  plan_pool(S, 0);
  if (!regmutex_divide(S, r, kernel->code, all)) {
    r->own = all;
    memset(r->inside, 0, kernel->code->n);
  }
  plan_registers(S, r->own);
  return true;
}

/* Behind the CTAs that fit, as many sections as the file has room for, at most one for each warp. */
static void rf_slot(struct sm *S, struct regmutex *r) {
  r->placed = true;
  if (!r->more) return;
  r->first_row = sm_view(S)->rf_slots * sm_view(S)->wpc * r->own;
  r->sections = ((uint32_t)(sm_view(S)->cfg->rf_bytes / 128) - r->first_row) / r->more;
  if (r->sections > sm_view(S)->nwarp) r->sections = sm_view(S)->nwarp;
  for (uint32_t k = 0; k < r->sections; k++) set_add(r->free, k);
  law_rows(S, r->first_row, r->sections * r->more, r->more, false, true);
}

/* ---- acquire and release ---- */

static unsigned regmutex_oldest_cta(const struct sm *S) {
  unsigned best = CTA_MAX;
  for (unsigned c = 0; c < sm_view(S)->cta_limit; c++)
    if (cta_view(S, c)->used && (best == CTA_MAX || cta_view(S, c)->order < cta_view(S, best)->order)) best = c;
  return best;
}

static bool regmutex_take(struct sm *S, struct regmutex *r, unsigned w) {
  unsigned c = warp_view(S, w)->cta, old = regmutex_oldest_cta(S);
  if (r->held == r->sections || (c != old && r->held - r->held_by[old] >= (int)(r->sections - r->kept))) return false;
  unsigned k = 0;
  while (!r->free[k]) k++;
  r->section[w] = (uint16_t)(64 * k + (unsigned)bit_low64(r->free[k]));
  set_del(r->free, r->section[w]);
  r->held++;
  r->held_by[c]++;
  sm_counters(S)->srp_taken++;
  if (sm_view(S)->check) check_lost(S, r->first_row + r->section[w] * r->more, r->more);
  return true;
}

static void regmutex_give(struct sm *S, struct regmutex *r, unsigned w) {
  set_add(r->free, r->section[w]);
  set_del(r->leaving, w);
  r->section[w] = NO_SECTION;
  r->held--;
  r->held_by[warp_view(S, w)->cta]--;
  r->look = true;
}

/* No instruction of the warp is yet to read or write its section. */
static bool regmutex_is_drained(const struct sm *S, const struct regmutex *r, unsigned w) {
  for (uint32_t k = r->own; k < r->last; k++)
    if (warp_reads(S, w, k) || set_has(warp_view(S, w)->wr, k)) return false;
  return true;
}

/* The waiting warp that is next: of the oldest CTA. WARP_MAX: none waits. */
static unsigned next_waiting(const struct sm *S, const struct regmutex *r) {
  unsigned best = WARP_MAX;
  for (unsigned k = 0; k < SETS; k++)
    for (uint64_t m = r->waiting[k]; m; m &= m - 1) {
      unsigned w = 64 * k + (unsigned)bit_low64(m);
      if (best == WARP_MAX || cta_view(S, warp_view(S, w)->cta)->order < cta_view(S, warp_view(S, best)->cta)->order)
        best = w;
    }
  return best;
}

static void regmutex_count(struct sm *S, const struct regmutex *r, uint64_t cycles) {
  uint64_t n = 0;
  for (unsigned k = 0; k < SETS; k++) n += (unsigned)bit_count64(r->waiting[k]);
  sm_counters(S)->srp_wait += n * cycles;
  sm_counters(S)->srp_regs += (uint64_t)r->sections * r->more * cycles;
}

static void engine(struct sm *S) {
  struct regmutex *r = regmutex_of(S);
  if (!r->placed) rf_slot(S, r);
  if (!r->more) return;
  for (unsigned k = 0; k < SETS; k++)
    for (uint64_t m = r->leaving[k]; m; m &= m - 1) {
      unsigned w = 64 * k + (unsigned)bit_low64(m);
      if (regmutex_is_drained(S, r, w)) regmutex_give(S, r, w);
    }
  for (unsigned w; r->look && (w = next_waiting(S, r)) != WARP_MAX && regmutex_take(S, r, w);) {
    set_del(r->waiting, w);
    gate_open(S, SLOT_STORAGE, w);
  }
  r->look = false;
  regmutex_count(S, r, 1);
}

static uint64_t idle(struct sm *S) {
  (void)S;
  return NEVER; /* what ends a wait is an access of another warp, and that is an event */
}

static bool regmutex_is_depleted(const struct regmutex *r) {
  uint64_t any = 0;
  for (unsigned k = 0; k < SETS; k++) any |= r->waiting[k];
  return any != 0;
}

static void skip(struct sm *S, uint64_t n) {
  const struct regmutex *r = regmutex_of(S);
  regmutex_count(S, r, n);
  if (regmutex_is_depleted(r)) sm_counters(S)->srp_depleted += n;
}

static void commit(struct sm *S) {
  if (sm_view(S)->last_issue != sm_view(S)->now) sm_counters(S)->srp_depleted += regmutex_is_depleted(regmutex_of(S));
}

/* ---- hooks ---- */

static bool fetch(struct sm *S, unsigned w, const struct warp_inst *inst, struct warp_inst *pseudo) {
  struct regmutex *r = regmutex_of(S);
  if (r->inside[inst->op] == r->fetched_in[w]) return false;
  r->fetched_in[w] = !r->fetched_in[w];
  pseudo->mem = r->fetched_in[w] ? TAKE : GIVE;
  return true;
}

static void issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  struct regmutex *r = regmutex_of(S);
  bool holds = r->section[w] != NO_SECTION;
  if (inst->flags & W_PSEUDO && inst->mem == TAKE) {
    set_del(r->leaving, w);
    if (holds || regmutex_take(S, r, w)) return;
    set_add(r->waiting, w);
    gate_close(S, SLOT_STORAGE, w);
  } else if (holds && inst->flags & (W_PSEUDO | W_EXIT)) {
    set_add(r->leaving, w);
  }
}

/* Where a register lies. Sections start in the banks one after the other, as warps do. */
static uint32_t regmutex_place_of(const struct sm *S, unsigned w, unsigned reg, uint8_t *bank) {
  const struct regmutex *r = regmutex_of(S);
  if (reg < r->own) {
    *bank = (uint8_t)rf_bank(S, reg, warp_view(S, w)->rf_slot);
    return warp_view(S, w)->row + reg;
  }
  *bank = (uint8_t)rf_bank(S, reg - r->own, r->section[w]);
  return r->first_row + r->section[w] * r->more + reg - r->own;
}

static void locate(struct sm *S, const struct collector_unit *u) {
  const struct op *op = u->op;
  for (unsigned k = 0; k < op->nsrc; k++) {
    uint8_t bank;
    const uint32_t row = regmutex_place_of(S, u->warp, op->src[k], &bank);
    unit_set_place(S, u, k, bank, row);
  }
}

static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  uint8_t b;
  *row = regmutex_place_of(S, f->inst.warp, f->op->dst[k], &b);
  *bank = b;
  return RESULT_TO_BANK;
}

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct regmutex *r = regmutex_of(S);
  if (what == WARP_END) {
    if (r->section[w] != NO_SECTION) regmutex_give(S, r, w);
    r->look = true; /* another CTA may be the oldest */
  } else if (what == WARP_BEGIN) {
    r->section[w] = NO_SECTION;
    r->fetched_in[w] = false;
  }
  return MOVE_DONE;
}

const struct storage_ops storage_regmutex = {.name = "regmutex",
                                             .fits = fits,
                                             .init = init,
                                             .done = done,
                                             .idle = idle,
                                             .skip = skip,
                                             .plan = plan,
                                             .fetch = fetch,
                                             .issue = issue,
                                             .locate = locate,
                                             .result = result,
                                             .warp = warp,
                                             .engine = engine,
                                             .commit = commit};

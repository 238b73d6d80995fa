/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcal: the residency PCAL (Li et al., HPCA 2015, as Linebacker, ISCA'19, section 5.3, compares with it): of the resident CTAs only some may
 * issue, and of their warps only some have a token; a warp without one hits in the L1, but its misses do not allocate. Both numbers are
 * searched while the kernel runs. Token, bypass and a dynamic search of two numbers are PCAL's; the search's steps are ours (docs/results/linebacker.md):
 *
 *   1. all CTAs; tokens for all warps, for a half, a quarter, an eighth of them, for one: the best IPC
 *   2. with these tokens a CTA less, as long as IPC does not fall
 *   3. step 1 with this number of CTAs
 *   4. run, until IPC of a window differs by 10 % from that of the best trial
 *
 * A trial is a window of linebacker.period cycles, the first quarter of which is not measured. The oldest CTAs issue, and their oldest warps have the tokens.
 * pcal.point fixes both numbers instead: Best-PCAL is the best of its sixteen points and of the search.
 * The search goes on over the launches of one PTX file, as what Linebacker learns does (linebacker.across).
 */
#include <stdlib.h>
#include <string.h>

#include "sm/slot_api.h"

enum { STEPS = 5 }; /* of step 1: shares of the warps, the last one a single warp */
enum phase { TOKENS, FEWER, TOKENS_AGAIN, RUN };

struct pcal {
  enum phase phase;
  unsigned step;        /* of the phase */
  unsigned ctas, share; /* CTAs that may issue; which share has a token */
  unsigned best_share;  /* of the trials of this phase */
  double best;          /* IPC of the best trial */
  uint64_t end, from;   /* the window's last cycle; the first that is measured */
  bool measures;        /* that has come; instructions before it: */
  uint64_t insns;
  const struct code *last; /* kernel of the last launch, NULL: none yet; its CTAs; the cycle in which it ended */
  unsigned limit;
  uint64_t ended;
  bool dirty; /* a CTA has begun or ended, or the numbers have changed */
};

static struct pcal *pcal_of(const struct sm *S) { return choice_of(S, SLOT_RESIDENCY); }

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_RESIDENCY, xcalloc(1, sizeof(struct pcal)));
  return true;
}

static void done(struct sm *S) { free(pcal_of(S)); }

static void pcal_begin_window(struct sm *S, struct pcal *p) {
  const uint64_t n = (uint64_t)sm_view(S)->cfg->linebacker_period;
  p->from = sm_view(S)->now + 1 + n / 4;
  p->end = sm_view(S)->now + n;
  p->measures = false;
  p->dirty = true;
}

static void pcal_search(struct pcal *p, enum phase phase) {
  p->phase = phase;
  p->step = p->share = p->best_share = 0;
  p->best = -1;
}

/* The two numbers, where pcal.point fixes them. */
static void pcal_fix_point(const struct sm *S, struct pcal *p) {
  const unsigned point = (unsigned)sm_view(S)->cfg->pcal_point - 1, quarters = 4 - point / 4;
  p->ctas = (sm_view(S)->cta_limit * quarters + 3) / 4;
  p->share = point % 4;
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct pcal *p = pcal_of(S);
  if (!ledger_plan(S, k, e)) return false;
  const bool keep =
      p->last && sm_view(S)->cfg->linebacker_across == linebacker_across_loads && !strcmp(p->last->file, k->code->file);
  if (keep) {
    if (p->ctas == p->limit || p->ctas > sm_view(S)->cta_limit) p->ctas = sm_view(S)->cta_limit;
    p->from += sm_view(S)->now - p->ended;
    p->end += sm_view(S)->now - p->ended;
    p->dirty = true;
  } else {
    *p = (struct pcal){.ctas = sm_view(S)->cta_limit};
    pcal_search(p, TOKENS);
    pcal_begin_window(S, p);
  }
  if (sm_view(S)->cfg->pcal_point) pcal_fix_point(S, p);
  p->last = k->code;
  p->limit = sm_view(S)->cta_limit;
  return true;
}

static int launch(struct sm *S, unsigned *rf_slot) {
  const int c = cta_lowest(S, rf_slot);
  if (c >= 0) pcal_of(S)->dirty = true;
  return c;
}

/* ---- who may issue, and who has a token ---- */
static unsigned pcal_tokens(const struct sm *S, const struct pcal *p) {
  const unsigned warps = p->ctas * sm_view(S)->wpc, n = p->share == STEPS - 1 ? 1 : warps >> p->share;
  return n ? n : 1;
}

/* It may have been halted while its last instructions were under way: another CTA will use its slots, and issues at first. */
static void cta(struct sm *S, unsigned c, enum cta_event ev) {
  if (ev != CTA_ENDED) return;
  cta_gate(S, c, false);
  pcal_of(S)->dirty = true;
}

static void pcal_give(struct sm *S, unsigned c, unsigned *left) {
  for (unsigned i = 0; i < sm_view(S)->wpc; i++) {
    warp_set_token(S, cta_view(S, c)->slot[i], *left != 0);
    *left -= *left != 0;
  }
}

static void pcal_apply(struct sm *S, struct pcal *p) {
  unsigned left = pcal_tokens(S, p), active = 0;
  occupancy_note(S);
  for (unsigned c = cta_younger(S, -1); c != CTA_MAX; c = cta_younger(S, cta_view(S, c)->order)) {
    const bool may = active < p->ctas;
    active += may;
    cta_gate(S, c, !may);
    probe_tell(S, c, may ? PROBE_ACTIVE : PROBE_CONTEXT);
    if (!may) left = 0;
    pcal_give(S, c, &left);
  }
  cta_set_active(S, active);
  p->dirty = false;
}

/* ---- the search ---- */
/* Another trial of step 1 or 3; false: there is none. */
static bool pcal_next_trial(const struct sm *S, struct pcal *p) {
  while (++p->step < STEPS) {
    const unsigned before = pcal_tokens(S, p);
    p->share = p->step;
    if (pcal_tokens(S, p) < before) return true;
  }
  return false;
}

static void pcal_judge(struct sm *S, struct pcal *p, double ipc) {
  const bool better = ipc > p->best;
  switch (p->phase) {
    case TOKENS:
    case TOKENS_AGAIN:
      if (better) p->best = ipc, p->best_share = p->share;
      if (pcal_next_trial(S, p)) break;
      p->share = p->best_share;
      if (p->phase == TOKENS_AGAIN || p->ctas == 1) {
        p->phase = RUN;
      } else {
        p->phase = FEWER;
        p->ctas--;
      }
      break;
    case FEWER:
      if (ipc >= p->best && p->ctas > 1) {
        p->best = ipc;
        p->ctas--;
        break;
      }
      if (ipc < p->best) p->ctas++;
      pcal_search(p, TOKENS_AGAIN);
      break;
    case RUN:
      if (ipc * 10 > p->best * 11 || ipc * 10 < p->best * 9) {
        p->ctas = sm_view(S)->cta_limit;
        pcal_search(p, TOKENS);
      }
      break;
  }
}

static void commit(struct sm *S) {
  struct pcal *p = pcal_of(S);
  if (!p->measures && sm_view(S)->now + 1 >= p->from) {
    p->measures = true;
    p->insns = sm_counters(S)->warp_insns;
  }
  if (sm_view(S)->now >= p->end) {
    if (!sm_view(S)->cfg->pcal_point)
      pcal_judge(S, p, (double)(sm_counters(S)->warp_insns - p->insns) / (double)(p->end + 1 - p->from));
    sm_counters(S)->pcal_trials++;
    pcal_begin_window(S, p);
  }
  if (p->dirty) pcal_apply(S, p);
}

static uint64_t idle(struct sm *S) {
  const struct pcal *p = pcal_of(S);
  if (p->dirty) return 0;
  const uint64_t next = p->measures ? p->end : p->from - 1;
  return next > sm_view(S)->now ? next - sm_view(S)->now - 1 : 0;
}

static bool end(struct sm *S, struct err *e) {
  (void)e;
  pcal_of(S)->ended = sm_view(S)->now;
  return true;
}

const struct residency_ops residency_pcal = {.name = "pcal",
                                             .init = init,
                                             .done = done,
                                             .plan = plan,
                                             .launch = launch,
                                             .cta = cta,
                                             .commit = commit,
                                             .idle = idle,
                                             .end = end};

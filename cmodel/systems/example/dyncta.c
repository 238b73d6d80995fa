/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dyncta: the residency DYNCTA (Kayiran et al., PACT 2013): of the resident CTAs only the oldest may issue. How many says the block limit
 * (docs/blocks/example/limit.md), period by period, from the cycles in which the SM had nothing to issue; the others are held at the gate.
 * docs/start/add-a-system.md leads through this folder.
 */
#include <stdlib.h>

#include "blocks/example/limit.h"
#include "sm/slot_api.h"

#define NET dyncta
#define NET_DEF "gen/nets/dyncta.def"
#define NET_TABLE
#include "sm/wires.h"

struct dyncta {
  struct dyncta_net net;
  bool started, begins; /* once; in this launch: start is to be given */
  bool dirty;           /* a CTA has begun or ended, or their number has changed */
  uint64_t may;         /* CTAs that may issue, as of the last cycle */
  uint64_t issued;      /* slots, as of the last cycle */
};

static struct dyncta *dyncta_of(const struct sm *S) { return choice_of(S, SLOT_RESIDENCY); }

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  (void)slots;
  return c->sm_ctas <= LIMIT_MOST ||
         err_at(e, NULL, 0, 0,
                "slot.residency dyncta with sm.ctas %lld, expected at most %d: the controller counts so far",
                (long long)c->sm_ctas, LIMIT_MOST);
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_RESIDENCY, xcalloc_lines(1, sizeof(struct dyncta)));
  return true;
}

static void done(struct sm *S) { free(dyncta_of(S)); }

static struct limit_params dyncta_size_of(const struct config *c) {
  struct limit_params size = limit_defaults();
  size.Period = (uint64_t)c->dyncta_period_log2;
  size.Idle = (uint64_t)c->dyncta_idle;
  size.Low = (uint64_t)c->dyncta_low;
  size.High = (uint64_t)c->dyncta_high;
  return size;
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct dyncta *d = dyncta_of(S);
  if (!ledger_plan(S, k, e)) return false;
  if (d->started) {
    twins_resume(&d->net.t, &dyncta_twins);
  } else {
    const struct limit_params size = dyncta_size_of(sm_view(S)->cfg);
    twins_start(&d->net.t, &dyncta_twins, S, 0);
    limit_size(limit_model(&d->net, 0), &size);
  }
  d->started = d->begins = true;
  d->issued = sm_counters(S)->slot_issued;
  return true;
}

/* ---- who may issue ---- */
static int launch(struct sm *S, unsigned *rf_slot) {
  const int c = cta_lowest(S, rf_slot);
  if (c >= 0) dyncta_of(S)->dirty = true;
  return c;
}

/* It may have been held back while its last instructions were under way: another CTA will use its slot. */
static void cta(struct sm *S, unsigned c, enum cta_event ev) {
  if (ev != CTA_ENDED) return;
  cta_gate(S, c, false);
  dyncta_of(S)->dirty = true;
}

static void dyncta_apply(struct sm *S, struct dyncta *d) {
  unsigned active = 0;
  occupancy_note(S);
  for (unsigned c = cta_younger(S, -1); c != CTA_MAX; c = cta_younger(S, cta_view(S, c)->order)) {
    const bool may = active < d->may;
    active += may;
    cta_gate(S, c, !may);
    probe_tell(S, c, may ? PROBE_ACTIVE : PROBE_CONTEXT);
  }
  cta_set_active(S, active);
  d->dirty = false;
  sm_keep_awake(S); /* other warps are looked at in the next cycle */
}

/* ---- the controller ---- */
/* Of a cycle in which nothing issued: what the warps that may issue wait for. Behind an LSU that is full and whose access is refused, a warp that is
 * ready waits for memory, too; one at a barrier waits for what the others wait for. One that waits for a result, operands or instructions goes on
 * soon: WAIT_SHORT. */
enum wait { WAIT_SHORT, WAIT_MEMORY, WAIT_REFUSED, WAIT_BARRIER };

static enum wait wait_of(const struct sm *S) {
  const bool refused = memory_full(S);
  uint64_t memory = 0, others = 0;
  for (unsigned s = 0; s < sm_view(S)->nsched; s++) {
    const struct scheduler_view *sc = scheduler_view(S, s);
    const uint64_t here = sc->live & ~sc->gate[SLOT_RESIDENCY], ready = refused ? sc->head & ~sc->dep : 0;
    const uint64_t waits = sc->depmem | sc->atomic | ready;
    memory |= here & waits;
    others |= here & ~waits & ~sc->barrier;
  }
  return others ? WAIT_SHORT : !memory ? WAIT_BARRIER : refused ? WAIT_REFUSED : WAIT_MEMORY;
}

static void dyncta_tell(struct sm *S, struct dyncta *d) {
  const bool every = sm_view(S)->cfg->dyncta_memory == dyncta_memory_every;
  const enum wait wait = sm_counters(S)->slot_issued == d->issued ? wait_of(S) : WAIT_SHORT;
  const bool mem = wait == WAIT_REFUSED || (every && wait == WAIT_MEMORY);
  d->issued = sm_counters(S)->slot_issued;
  NET_LEVEL(&d->net, limit, 0, memory_i, mem);
  NET_LEVEL(&d->net, limit, 0, idle_i, wait != WAIT_SHORT && !mem);
  if (d->begins) {
    struct limit_in *in = limit_set(&d->net, 0);
    in->start_i = 1;
    in->max_ctas_i = sm_view(S)->cta_limit;
    d->begins = false;
  }
}

static void dyncta_count(struct sm *S, const struct dyncta *d, uint64_t n) {
  sm_counters(S)->dyncta_idle += n * d->net.limit.in[0].idle_i;
  sm_counters(S)->dyncta_mem += n * d->net.limit.in[0].memory_i;
}

static void commit(struct sm *S) {
  struct dyncta *d = dyncta_of(S);
  const bool begins = d->begins;
  dyncta_tell(S, d);
  dyncta_count(S, d, 1);
  twins_commit(&d->net.t, &dyncta_twins);
  const uint64_t may = limit_get(&d->net, 0)->limit_o;
  if (!begins && may > d->may) sm_counters(S)->dyncta_more++;
  if (!begins && may < d->may) sm_counters(S)->dyncta_fewer++;
  d->dirty |= may != d->may;
  d->may = may;
  if (d->dirty) dyncta_apply(S, d);
}

static uint64_t idle(struct sm *S) { return twins_idle(&dyncta_of(S)->net.t, &dyncta_twins); }

static void skip(struct sm *S, uint64_t n) {
  struct dyncta *d = dyncta_of(S);
  dyncta_count(S, d, n);
  twins_skip(&d->net.t, &dyncta_twins, n);
}

const struct residency_ops residency_dyncta = {.name = "dyncta",
                                               .fits = fits,
                                               .init = init,
                                               .done = done,
                                               .plan = plan,
                                               .launch = launch,
                                               .cta = cta,
                                               .commit = commit,
                                               .idle = idle,
                                               .skip = skip};

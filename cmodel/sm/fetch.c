/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch: instruction cache and instruction buffers. Each scheduler refills some of its warps per cycle, round robin.
 * An instruction is executed here, when it is fetched (stream.h): after a branch, a barrier, an atomic that returns
 * a value, and the warp's end, fetch stops until the timing model has completed it.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/phases.h"

struct icache {
  uint32_t sets, ways, nmiss, max_miss;
  uint32_t *line; /* [sets * ways]: address, or NONE32 */
  uint64_t *used, stamp;
  struct {
    uint32_t line;
    uint64_t waiting[SCHED_MAX];
  } miss[64];
};

struct icache *icache_new(const struct config *cfg) {
  struct icache *c = xcalloc(1, sizeof *c);
  c->ways = (uint32_t)cfg->icache_ways;
  c->sets = (uint32_t)(cfg->icache_bytes / 128 / cfg->icache_ways);
  if (!c->sets) c->sets = 1;
  c->max_miss = (uint32_t)cfg->icache_mshrs;
  c->line = xmalloc(sizeof *c->line * c->sets * c->ways);
  memset(c->line, 0xff, sizeof *c->line * c->sets * c->ways);
  c->used = xcalloc(c->sets * c->ways, sizeof *c->used);
  return c;
}

void icache_free(struct icache *c) {
  if (!c) return;
  free(c->line), free(c->used), free(c);
}

bool icache_pending(const struct icache *c) { return c->nmiss != 0; }

static bool icache_look_up(struct icache *c, uint32_t line, uint32_t *way) {
  if (c->line[*way] == line) {
    c->used[*way] = ++c->stamp;
    return true;
  }
  uint32_t base = (line >> 7) % c->sets * c->ways;
  for (uint32_t k = base; k < base + c->ways; k++)
    if (c->line[k] == line) {
      c->used[k] = ++c->stamp;
      *way = k;
      return true;
    }
  return false;
}

static void fetch_stop(struct sm *S, unsigned w, enum stop why) {
  struct warp *W = &S->warp[w];
  W->stop = (uint8_t)why;
  S->sched[W->scheduler].stop |= 1ull << W->bit;
}

void fetch_resume(struct sm *S, unsigned w, enum stop why) {
  struct warp *W = &S->warp[w];
  if (W->stop != why || why == STOP_NO) return;
  W->stop = STOP_NO;
  struct scheduler *sc = &S->sched[W->scheduler];
  uint64_t bit = 1ull << W->bit;
  sc->stop &= ~bit;
  if ((sc->barrier | sc->atomic) & bit) {
    sc->barrier &= ~bit;
    sc->atomic &= ~bit;
    cta_touch(S, w);
    warp_told(S, w);
  }
  S->busy = true;
}

void fetch_reply(struct sm *S, uint32_t line) {
  struct icache *c = S->icache;
  uint32_t m = 0;
  while (m < c->nmiss && c->miss[m].line != line) m++;
  if (m == c->nmiss) die("instruction line %x was not asked for", line);
  uint32_t base = (line >> 7) % c->sets * c->ways, v = base;
  for (uint32_t k = base; k < base + c->ways; k++)
    if (c->line[k] == NONE32 || c->used[k] < c->used[v]) {
      v = k;
      if (c->line[k] == NONE32) break;
    }
  c->line[v] = line;
  c->used[v] = ++c->stamp;
  for (unsigned s = 0; s < S->nsched; s++)
    for (uint64_t x = c->miss[m].waiting[s]; x; x &= x - 1)
      fetch_resume(S, warp_of(S, s, (unsigned)bit_low64(x)), STOP_ICACHE);
  c->miss[m] = c->miss[--c->nmiss];
}

/* True if the line of the warp's next instruction is present; else it is requested and the warp waits (or tries
 * again). */
static bool icache_hit(struct sm *S, unsigned w) {
  struct icache *c = S->icache;
  struct warp *W = &S->warp[w];
  uint32_t line = inst_address(S, W->next) & ~127u;
  if (icache_look_up(c, line, &W->iway)) {
    S->st.icache_hits++;
    return true;
  }
  uint32_t m = 0;
  while (m < c->nmiss && c->miss[m].line != line) m++;
  if (m == c->nmiss) {
    S->busy = true; /* a refused attempt is tried again in the next cycle */
    if (c->nmiss == c->max_miss || !mem_can_post(S->mem, S->id, S->now)) return false;
    struct mem_req r = {.addr = line, .tag = TAG_ICACHE, .kind = MEM_READ, .sectors = 15};
    sm_post(S, &r);
    S->st.icache_misses++;
    c->miss[c->nmiss].line = line;
    memset(c->miss[c->nmiss].waiting, 0, sizeof c->miss[0].waiting);
    c->nmiss++;
  }
  c->miss[m].waiting[W->scheduler] |= 1ull << W->bit;
  fetch_stop(S, w, STOP_ICACHE);
  return false;
}

/* ---- the address ring, once a warp has a texture instruction under way: those take up to eight of its rows ---- */

static bool in_use(const struct inflight_inst *f, unsigned w) {
  return f->op && f->inst.warp == w && !f->looked && has_address(&f->inst);
}

/* Rows from the oldest whose addresses are still needed to the newest. */
static unsigned rows_in_use(const struct sm *S, unsigned w) {
  const struct warp *W = &S->warp[w];
  const struct warp_inst *oldest = NULL;
  for (uint32_t k = 0; k < S->ninflight; k++)
    if (in_use(&S->inflight[k], w) && (!oldest || S->inflight[k].inst.seq < oldest->seq)) oldest = &S->inflight[k].inst;
  for (unsigned k = 0; k < W->icount && !oldest; k++) {
    const struct warp_inst *inst = &W->ibuf[(W->ihead + k) & S->ring];
    if (has_address(inst)) oldest = inst;
  }
  if (!oldest) return 0;
  const unsigned from =
      (oldest->mem & 0xff) - 1 - (S->op[oldest->op].async == OA_COPY); /* its other row is the one before */
  return (W->row_next + ADDR_RING - 1 - from) % ADDR_RING + 1;
}

static bool rows_left(const struct sm *S, unsigned w) {
  struct warp *W = &S->warp[w];
  const bool tex = S->op[W->next].cls == CLS_TEX;
  const unsigned most = tex ? 8 : 2; /* cp.async: 2 */
  if (!tex && (!W->rows || !(S->op[W->next].kind & (K_LOAD | K_STORE | K_ATOMIC)))) return true;
  if (W->rows + most > ADDR_RING) W->rows = (uint8_t)rows_in_use(S, w);
  return W->rows + most <= ADDR_RING;
}

static void fetch_take_rows(const struct sm *S, struct warp *W, const struct warp_inst *inst) {
  const struct op *op = &S->op[inst->op];
  if (op->cls == CLS_TEX && !W->rows) W->rows = (uint8_t)(2 * W->addressed); /* at most, of those before it */
  if (op->cls != CLS_TEX && !W->rows) return;
  W->rows = (uint8_t)(W->rows + inst_rows(inst) + (op->async == OA_COPY));
  W->row_next = (uint8_t)(((inst->mem & 0xff) - 1 + inst_rows(inst)) % ADDR_RING);
}

/* The storage puts an instruction of its own before this one, which moves on by one place. */
static bool pseudo_before(struct sm *S, unsigned w, struct warp_inst *inst) {
  struct warp *W = &S->warp[w];
  struct warp_inst pseudo = *inst;
  if (!storage_fetch(S, w, inst, &pseudo)) return false;
  pseudo.flags = W_PSEUDO;
  W->ibuf[(W->ihead + W->icount + 1) & S->ring] = *inst;
  *inst = pseudo;
  W->icount++;
  return true;
}

static void fetch_warp(struct sm *S, unsigned w) {
  struct warp *W = &S->warp[w];
  struct scheduler *sc = &S->sched[W->scheduler];
  uint64_t bit = 1ull << W->bit;
  if (!W->addressed) W->rows = 0;
  if (!rows_left(S, w) || !icache_hit(S, w)) return;
  uint32_t line = inst_address(S, W->next) >> 7;
  bool was_empty = !W->icount;
  if (!W->addressed && S->stream->addr_row) S->stream->addr_row[w] = 0;
  for (unsigned k = 0; k < S->fetch_width && W->icount < S->ibuf; k++) {
    if (inst_address(S, W->next) >> 7 != line || (k && !rows_left(S, w))) break;
    struct warp_inst *inst = &W->ibuf[(W->ihead + W->icount) & S->ring];
    int got = S->stream->ops->next(S->stream, w, inst);
    if (got == STREAM_WAIT) {
      fetch_stop(S, w, STOP_STREAM);
      sc->atomic |= bit;
      cta_touch(S, w);
      warp_told(S, w);
      break;
    }
    if (got != STREAM_GIVEN) {
      if (got == STREAM_ERROR) {
        S->err = S->stream->err;
        sm_failing(S);
      } else {
        sm_fail(S, "the stream of warp %u ended without an exit", w);
      }
      return;
    }
    if (S->slots.storage->fetch && pseudo_before(S, w, inst)) inst = &W->ibuf[(W->ihead + W->icount) & S->ring];
    S->busy = true;
    S->st.fetched++;
    if (has_address(inst)) {
      fetch_take_rows(S, W, inst);
      W->addressed++;
    }
    W->next = inst->next;
    W->icount++;
    if (inst->flags & (W_BRANCH | W_BARRIER | W_ATOMIC | W_EXIT)) {
      fetch_stop(S, w,
                 inst->flags & W_EXIT      ? STOP_EXIT
                 : inst->flags & W_ATOMIC  ? STOP_ATOMIC
                 : inst->flags & W_BARRIER ? STOP_BARRIER
                                           : STOP_BRANCH);
      if (inst->flags & W_ATOMIC) {
        sc->atomic |= bit;
        cta_touch(S, w);
      }
      break;
    }
  }
  if (W->icount) sc->head |= bit;
  if (W->icount >= S->ibuf) sc->full |= bit;
  if (was_empty && W->icount) scoreboard_check(S, w);
}

/* Nothing is fetched for a warp of a suspended CTA. */
static uint64_t fetch_wanted(const struct scheduler *sc) {
  return sc->live & ~sc->stop & ~sc->full & ~sc->gate[SLOT_RESIDENCY];
}

void fetch_phase(struct sm *S) {
  for (unsigned s = 0; s < S->nsched; s++) {
    struct scheduler *sc = &S->sched[s];
    uint64_t want = fetch_wanted(sc);
    for (unsigned n = 0; n < S->fetch_warps && want && !S->failed; n++) {
      unsigned bit = (unsigned)bit_from64(want, sc->fetch_rr);
      want &= ~(1ull << bit);
      sc->fetch_rr = (uint8_t)((bit + 1) % 64);
      fetch_warp(S, warp_of(S, s, bit));
    }
  }
}

uint64_t fetch_idle_until(const struct sm *S) {
  for (unsigned s = 0; s < S->nsched; s++)
    if (fetch_wanted(&S->sched[s])) return 0;
  return NEVER;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex: the texture unit. Address units take tex.quads quads of lanes every tex.interval cycles and look up the lines that
 * these touch, tex.lines in a cycle, in the L1 or in a cache of their own; a FIFO holds the instructions until their
 * lines have come; the filter takes them from there in order. As in Igehy et al., "Prefetching in a texture cache
 * architecture" (1998): a miss stops neither the look-ups behind it nor, in the FIFO, loses its turn.
 *
 * Times: as the LSU, first look-up in t+3 for an instruction issued in t. Texels of a hit come tex_data - 3 cycles after the look-up, those
 * of a miss with the reply. The filter's first step is then over tex.interval cycles later, and the result tex_filter -
 * tex.interval after its last: one quad that hits takes tex.latency from issue to issue. An instruction's filter
 * overlaps its look-ups: it ends when its work has been done since its first texels, one step after its last texels at
 * the earliest.
 */
#include <assert.h>

#include "sm/phases.h"

void tex_take(struct sm *S, uint32_t fi) {
  struct tex_unit *T = &S->tex;
  const struct inflight_inst *f = &S->inflight[fi];
  if (f->op->kind) {
    S->inflight[fi].away = true;
    cta_inside(S, f->inst.warp, -1);
  }
  T->queue[(T->head + T->count++) % 64] = fi;
  if (S->probe) probe_full(S);
}

uint64_t *tex_stall(struct sm *S) {
  switch (S->tex.why) {
    case ACC_HIT: return &S->st.tex_stall_fifo;
    case ACC_STALL_MSHR: return &S->st.tex_stall_mshr;
    case ACC_STALL_CREDIT: return &S->st.tex_stall_credit;
    default: return &S->st.tex_stall_l1;
  }
}

static void tex_refused(struct sm *S, enum access why) {
  S->tex.blocked = access_again(S, why);
  S->tex.why = (uint8_t)why;
  ++*tex_stall(S);
  if (S->probe) probe_full(S);
}

/* ---- the filter ---- */

/* Intervals that a step keeps the filter: eight texels a lane are two bilinear ones. */
static unsigned tex_passes(const struct sm *S, uint32_t mem) {
  if (!mem) return 1;
  const unsigned twice = tex_rows(mem) == 8 ? 2 : 1;
  if (!tex_filtered(mem)) return twice;
  if (tex_bytes(mem) == 16) return twice * (unsigned)S->cfg->tex_filter_128;
  return tex_bytes(mem) == 8 ? twice * (unsigned)S->cfg->tex_filter_64 : twice;
}

static void tex_run_filter(struct sm *S) {
  struct tex_unit *T = &S->tex;
  while (T->waiting && T->filtered <= S->now) {
    const uint32_t fi = T->fifo[T->first].inflight, work = T->fifo[T->first].work;
    struct inflight_inst *f = &S->inflight[fi];
    if (f->parts) return;
    const uint64_t from = T->filtered > T->fifo[T->first].first ? T->filtered : T->fifo[T->first].first;
    const uint64_t last = S->now + tex_passes(S, f->inst.mem) * S->tex_interval;
    T->filtered = from + work > last ? from + work : last;
    S->st.tex_filter_busy += work;
    event_at(S, T->filtered + S->tex_filter - S->tex_interval, EV_RESULT, fi);
    T->first = (T->first + 1) % TEX_FIFO;
    T->waiting--;
    if (T->why == ACC_HIT) T->blocked = 0;
    S->busy = true;
  }
}

/* ---- address units and tags ---- */

static void tex_pop(struct sm *S) {
  struct tex_unit *T = &S->tex;
  struct inflight_inst *f = &S->inflight[T->queue[T->head]];
  f->looked = true;
  if (S->reserve) S->group[f->group].tex_held--;
  S->warp[f->inst.warp].addressed -= has_address(&f->inst);
  T->head = (T->head + 1) % 64;
  T->count--;
  T->open = false;
}

/* Row k of the addresses. */
static const uint32_t *tex_row_of(const struct sm *S, const struct inflight_inst *f, unsigned k) {
  const struct warp_inst *w = &f->inst;
  return S->stream->addr_ring + ((uint64_t)w->warp * ADDR_RING + ((w->mem & 0xff) - 1 + k) % ADDR_RING) * 32;
}

static unsigned line_bytes(const struct sm *S) { return S->tex.cache ? (unsigned)S->cfg->tex_line : 128; }

static void tex_touch(struct sm *S, uint32_t fi, uint32_t addr, unsigned bytes) {
  struct tex_unit *T = &S->tex;
  const uint32_t line = addr & ~(line_bytes(S) - 1);
  const unsigned from = (addr & 127) >> 5, to = ((addr & 127) + bytes - 1) >> 5;
  const uint8_t sectors = (uint8_t)(((2u << to) - 1) & ~((1u << from) - 1) & 15);
  unsigned k = T->ntxn;
  while (k && T->txn[k - 1].line != line) k--;
  if (k) {
    T->txn[k - 1].sectors |= sectors;
    return;
  }
  T->txn[T->ntxn++] =
      (struct txn){.line = line, .inflight = fi, .sectors = sectors, .kind = S->inflight[fi].op->kind, .texel = true};
}

/* It waits for the line already: nothing to look up. */
static bool is_asked(const struct tex_unit *T, const struct txn *t) {
  unsigned k = T->nasked;
  while (k && (T->asked[k - 1].line != t->line || t->sectors & ~T->asked[k - 1].sectors)) k--;
  return k != 0;
}

static void tex_ask(const struct sm *S, struct tex_unit *T, const struct txn *t) {
  if (T->nasked == TEX_ASKED) return;
  T->asked[T->nasked].line = t->line;
  T->asked[T->nasked++].sectors = T->cache || !S->cfg->l1_sector ? 15 : t->sectors;
}

/* The next quads of the instruction: the lines that they touch, of every row, each once. */
static void tex_step(struct sm *S) {
  struct tex_unit *T = &S->tex;
  const uint32_t fi = T->queue[T->head];
  const struct inflight_inst *f = &S->inflight[fi];
  uint32_t lanes = 0;
  for (unsigned n = 0; n < S->tex_quads && T->left; n++) {
    lanes |= 15u << 4 * bit_low32(T->left);
    T->left &= T->left - 1;
  }
  lanes &= f->inst.lanes;
  T->ntxn = T->cur = 0;
  T->began = S->now;
  if (!f->inst.mem) return; /* outside of the image: only the border is read */
  const unsigned rows = tex_rows(f->inst.mem), bytes = tex_bytes(f->inst.mem);
  for (unsigned r = 0; r < rows; r++)
    for (uint32_t m = lanes; m; m &= m - 1) tex_touch(S, fi, tex_row_of(S, f, r)[bit_low32(m)], bytes);
  unsigned kept = 0;
  for (unsigned k = 0; k < T->ntxn; k++)
    if (!is_asked(T, &T->txn[k])) T->txn[kept++] = T->txn[k];
  T->ntxn = (uint8_t)kept;
}

/* Takes a new head into the FIFO. False: it needs no texel, and is done with; or there is no room. */
static bool tex_open(struct sm *S) {
  struct tex_unit *T = &S->tex;
  const uint32_t fi = T->queue[T->head];
  struct inflight_inst *f = &S->inflight[fi];
  if (!f->op->kind || !f->inst.lanes) { /* txq; or no lane is on */
    T->busy = S->now + 1;
    S->st.tex_busy++;
    event_at(S, S->now + S->tex_data + S->tex_filter - ISSUE_TO_ACCESS, EV_RESULT, fi);
    tex_pop(S);
    return false;
  }
  if (T->waiting == (uint32_t)S->cfg->tex_fifo) {
    tex_refused(S, ACC_HIT); /* the filter opens it again */
    return false;
  }
  T->left = 0;
  for (unsigned q = 0; q < 8; q++) T->left |= (uint32_t)(f->inst.lanes >> 4 * q & 15 ? 1 : 0) << q;
  const unsigned quads = (unsigned)bit_count32(T->left), steps = (quads + S->tex_quads - 1) / S->tex_quads;
  const uint32_t at = (T->first + T->waiting++) % TEX_FIFO;
  T->fifo[at].inflight = fi;
  T->fifo[at].work = steps * tex_passes(S, f->inst.mem) * S->tex_interval;
  T->fifo[at].first = S->now + S->tex_data - ISSUE_TO_ACCESS;
  f->parts = 1; /* until the texels of its last look-up */
  f->timed = f->op->ndst != 0;
  f->entry = S->now;
  S->st.tex_steps += steps;
  T->nasked = 0;
  T->open = true;
  tex_step(S);
  return true;
}

static enum access tex_access(struct sm *S, const struct txn *t) {
  struct tex_unit *T = &S->tex;
  if (T->cache) return tex_cache_read(S, t, (T->first + T->waiting - 1) % TEX_FIFO);
  const uint64_t sent = S->st.l1_read_misses + S->st.l1_bypass;
  struct txn asked = *t;
  const enum access a = cache_read(S, &asked);
  if (a > ACC_WAIT) return a;
  if (a != ACC_WAIT) S->st.tex_hits++;
  else if (S->st.l1_read_misses + S->st.l1_bypass != sent) S->st.tex_misses++;
  else S->st.tex_merges++;
  if (a != ACC_HIT) S->inflight[t->inflight].parts++;
  return a;
}

/* Looks up the step's lines that are left; true: all have been. */
static bool tex_look_up(struct sm *S) {
  struct tex_unit *T = &S->tex;
  if (!T->cache && T->cur < T->ntxn && S->lsu.tags > S->now) { /* the LSU has the tags */
    T->turn = S->busy = true;
    S->st.tex_stall_port++;
    return false;
  }
  T->turn = false;
  for (unsigned n = 0; n < S->tex_lines && T->cur < T->ntxn; n++) {
    const struct txn *t = &T->txn[T->cur];
    if (!T->cache && cache_set_taken(S, t, n)) break;
    const enum access a = tex_access(S, t);
    switch (a) {
      case ACC_HIT:
      case ACC_HELD: break;
      case ACC_WAIT:
        tex_ask(S, T, t);
        lsu_far(S, &S->inflight[t->inflight]);
        break;
      default: tex_refused(S, a); return false;
    }
    T->cur++;
    S->st.tex_lines++;
    S->busy = true;
  }
  S->st.tex_busy++;
  return T->cur == T->ntxn;
}

void tex_phase(struct sm *S) {
  struct tex_unit *T = &S->tex;
  tex_run_filter(S);
  if (T->busy > S->now || !T->count) return;
  if (T->blocked > S->now) {
    ++*tex_stall(S);
    return;
  }
  const uint32_t fi = T->queue[T->head];
  if (!T->open) {
    S->busy = true;
    if (S->inflight[fi].entry > S->now || !tex_open(S)) return;
  } else if (T->cur == T->ntxn) {
    tex_step(S);
  }
  if (!tex_look_up(S)) return;
  S->busy = true;
  const uint64_t end = T->began + S->tex_interval;
  T->busy = end > S->now ? end : S->now + 1;
  S->st.tex_busy += T->busy - S->now - 1;
  if (T->left) return;
  event_at(S, S->now + S->tex_data - ISSUE_TO_ACCESS, EV_PART, fi);
  tex_pop(S);
}

uint64_t tex_idle_until(const struct sm *S) {
  const struct tex_unit *T = &S->tex;
  uint64_t t = NEVER;
  if (T->waiting && !S->inflight[T->fifo[T->first].inflight].parts) t = T->filtered;
  if (!T->count) return t;
  const uint64_t next = T->busy > S->now + 1 ? T->busy : T->blocked > S->now ? T->blocked : 0;
  return next < t ? next : t;
}

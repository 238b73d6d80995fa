/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races: see races.h. Happens-before by vector clocks of warps, in the manner of FastTrack (Flanagan, Freund,
 * PLDI 2009).
 *
 * - A warp counts its own releases (arrivals at barriers, fences): its clock. `vc` is the clock up to which it has
 *   synchronised with each warp of its CTA; `known` the same for warps of other CTAs.
 * - Each word of memory has a cell with two writes and two reads ("marks"), and further cells where these are not
 *   enough. A mark is ordered before an access when the accessing warp has synchronised with the mark's warp up to
 *   its clock. Marks subsumed by a later one are dropped; of several unordered equivalent marks (the same bytes,
 *   strong or not), two of different CTAs are kept if possible, else of two warps: the next writer is a different
 *   thread than at least one of them. So without partial barriers and flags no race is lost.
 * - A fence keeps what the warp knows (`fence`); a strong write behind it leaves that at its address; a strong read
 *   takes it (`pending`), and a fence or barrier after the read merges it. Barriers pass on what fences kept.
 */
#include "exec/races.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/warp.h"

/* ---- what is known of other CTAs: never changed once made ---- */

struct clock_row {
  uint32_t cta, at[CTA_WARPS];
};
struct clocks {
  uint32_t refs, n;
  struct clock_row row[]; /* sorted by CTA */
};

static struct clocks *clocks_keep(struct clocks *c) {
  if (!c) return NULL;
  assert(c->refs && c->refs < UINT32_MAX);
  c->refs++;
  return c;
}
static void clocks_drop(struct clocks *c) {
  if (c && !--c->refs) free(c);
}
void races_drop(struct clocks *left) { clocks_drop(left); }
static void clocks_set(struct clocks **to, struct clocks *c) { /* takes the reference */
  clocks_drop(*to);
  *to = c;
}

static const struct clock_row *clocks_row(const struct clocks *c, uint32_t cta) {
  uint32_t lo = 0, hi = c ? c->n : 0;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (c->row[mid].cta < cta) lo = mid + 1;
    else hi = mid;
  }
  return c && lo < c->n && c->row[lo].cta == cta ? &c->row[lo] : NULL;
}

static void clocks_row_max(uint32_t *to, const uint32_t *from) {
  for (unsigned k = 0; k < CTA_WARPS; k++)
    if (from[k] > to[k]) to[k] = from[k];
}

/* a includes all of b. */
static bool clocks_cover(const struct clocks *a, const struct clocks *b) {
  for (uint32_t k = 0; b && k < b->n; k++) {
    const struct clock_row *r = clocks_row(a, b->row[k].cta);
    if (!r) return false;
    for (unsigned i = 0; i < CTA_WARPS; i++)
      if (r->at[i] < b->row[k].at[i]) return false;
  }
  return true;
}

/* The union of both; a new reference. */
static struct clocks *clocks_join(struct clocks *a, struct clocks *b) {
  if (a == b || clocks_cover(a, b)) return clocks_keep(a);
  if (clocks_cover(b, a)) return clocks_keep(b);
  struct clocks *c = xmalloc(sizeof *c + (a->n + b->n) * sizeof c->row[0]);
  uint32_t i = 0, j = 0;
  *c = (struct clocks){.refs = 1};
  while (i < a->n || j < b->n) {
    const bool from_a = j == b->n || (i < a->n && a->row[i].cta <= b->row[j].cta);
    const bool both = from_a && j < b->n && i < a->n && a->row[i].cta == b->row[j].cta;
    struct clock_row *r = &c->row[c->n++];
    *r = from_a ? a->row[i++] : b->row[j++];
    if (both) clocks_row_max(r->at, b->row[j++].at);
  }
  return c;
}

/* ---- cells ---- */

enum { M_WRITE = 1, M_STRONG = 2, M_SAME = 4 }; /* M_SAME: wrote what was there */
struct mark {
  uint32_t cta, clock, op; /* clock 0: no mark */
  uint8_t warp, lane, bytes, flags;
};
enum { MARKS = 2 };
struct cell {
  struct mark write[MARKS], read[MARKS];
  struct cell *more; /* of the same word */
};

enum { PAGE_WORDS = 1024, PAGES = LOCAL_BASE / 4 / PAGE_WORDS };
struct page {
  uint32_t launch; /* of its marks; older ones do not count */
  struct cell cell[PAGE_WORDS];
};

/* ---- warps, CTAs, flags ---- */

struct racer {
  uint32_t vc[CTA_WARPS];
  struct clocks *known, *fence, *pending;
};
struct meeting { /* a barrier that is not open yet */
  uint32_t vc[CTA_WARPS];
  struct clocks *known, *fence;
};
struct phases { /* of an mbarrier: of the phase under way; of all that have ended */
  uint32_t addr;
  struct meeting now, done;
};
struct team { /* of a CTA slot */
  uint32_t cta;
  struct racer warp[CTA_WARPS];
  struct meeting bar[BARRIERS];
  struct phases *mbar;
  uint32_t nmbar, cmbar;
  struct cell *shared;
  size_t shared_words;
};

enum { PAIRS = 4096 };
struct pair {
  struct race is;
  const struct code *code;
  uint32_t op[2];
};

struct races {
  struct page **page;
  uint32_t launch;
  struct team **team;
  unsigned nteam;
  struct clocks **flag; /* what a strong write left at an address */
  uint32_t nflag, capflag;
  struct hashtab flag_index; /* of flags, by flag_key */
  struct pair *pair;
  uint32_t npair, cappair;
  struct hashtab pair_index; /* of pairs, by a hash of all that tells them apart */
  uint64_t lost;
};

struct races *races_new(void) {
  struct races *r = xcalloc(1, sizeof *r);
  r->page = xcalloc(PAGES, sizeof *r->page);
  return r;
}

static void forget_cells(struct cell *c, size_t n) {
  for (size_t k = 0; k < n; k++)
    for (struct cell *m = c[k].more, *next; m; m = next) {
      next = m->more;
      free(m);
    }
  memset(c, 0, n * sizeof *c);
}

static void forget_racer(struct racer *w) {
  clocks_set(&w->known, NULL);
  clocks_set(&w->fence, NULL);
  clocks_set(&w->pending, NULL);
  memset(w->vc, 0, sizeof w->vc);
}

static void forget_meeting(struct meeting *b) {
  clocks_set(&b->known, NULL);
  clocks_set(&b->fence, NULL);
  memset(b->vc, 0, sizeof b->vc);
}

static void forget_phases(struct phases *p) {
  forget_meeting(&p->now);
  forget_meeting(&p->done);
}

static void forget_team(struct team *t) {
  for (unsigned k = 0; k < CTA_WARPS; k++) forget_racer(&t->warp[k]);
  for (unsigned k = 0; k < BARRIERS; k++) forget_meeting(&t->bar[k]);
  for (uint32_t k = 0; k < t->nmbar; k++) forget_phases(&t->mbar[k]);
  t->nmbar = 0;
}

static void forget_flags(struct races *r) {
  for (uint32_t k = 0; k < r->nflag; k++) clocks_drop(r->flag[k]);
  hashtab_free(&r->flag_index);
  free(r->flag);
  r->flag = NULL;
  r->nflag = r->capflag = 0;
}

static void forget_teams(struct races *r) {
  for (unsigned k = 0; k < r->nteam; k++) {
    if (!r->team[k]) continue;
    forget_team(r->team[k]);
    forget_cells(r->team[k]->shared, r->team[k]->shared_words);
    free(r->team[k]->shared);
    free(r->team[k]->mbar);
    free(r->team[k]);
  }
  free(r->team);
  r->team = NULL;
  r->nteam = 0;
}

void races_free(struct races *r) {
  if (!r) return;
  forget_flags(r);
  forget_teams(r);
  for (unsigned k = 0; k < PAGES; k++) {
    if (r->page[k]) forget_cells(r->page[k]->cell, PAGE_WORDS);
    free(r->page[k]);
  }
  free(r->page);
  free(r->pair);
  hashtab_free(&r->pair_index);
  free(r);
}

unsigned races_count(const struct races *r) { return r->npair; }
const struct race *races_at(const struct races *r, unsigned i) { return &r->pair[i].is; }
uint64_t races_lost(const struct races *r) { return r->lost; }

/* ---- flags: what a strong write left at an address ---- */

static uint64_t flag_key(const struct exec *x, const struct warp *w, bool shared, uint32_t a) {
  return shared ? (uint64_t)(x->cta[w->cta_slot].id + 1ull) << 32 | a >> 2 : a >> 2;
}

/* The flag at a key; make: also if there is none yet. */
static struct clocks **flag_at(struct races *r, uint64_t key, bool make) {
  const uint64_t k = hashtab_find(&r->flag_index, key);
  if (k != HASHTAB_NONE) return &r->flag[k];
  if (!make) return NULL;
  hashtab_put(&r->flag_index, key, r->nflag);
  VEC_PUSH(r->flag, r->nflag, r->capflag) = NULL;
  return &r->flag[r->nflag - 1];
}

static void leave_at(struct races *r, uint64_t key, struct clocks *c, bool add) {
  struct clocks **f = flag_at(r, key, c != NULL);
  if (f) clocks_set(f, add ? clocks_join(*f, c) : clocks_keep(c));
}

static void take_from(struct races *r, uint64_t key, struct racer *w) {
  struct clocks **f = flag_at(r, key, false);
  if (f && *f && *f != w->pending) clocks_set(&w->pending, clocks_join(w->pending, *f));
}

/* Merges the clocks found by strong reads. */
static void racer_acquire(const struct team *t, struct racer *w) {
  if (!w->pending) return;
  const struct clock_row *own = clocks_row(w->pending, t->cta);
  if (own) clocks_row_max(w->vc, own->at);
  clocks_set(&w->known, clocks_join(w->known, w->pending));
  clocks_set(&w->pending, NULL);
}

static void racer_fence(const struct team *t, struct racer *w, unsigned index) {
  racer_acquire(t, w);
  struct clocks *own = xmalloc(sizeof *own + sizeof own->row[0]);
  *own = (struct clocks){.refs = 1, .n = 1};
  own->row[0].cta = t->cta;
  memcpy(own->row[0].at, w->vc, sizeof w->vc);
  clocks_set(&w->fence, clocks_join(w->known, own));
  clocks_drop(own);
  w->vc[index]++;
}

/* ---- events from exec/ ---- */

static struct racer *racer_of(const struct exec *x, const struct warp *w, struct team **t) {
  *t = x->races->team[w->cta_slot];
  return &(*t)->warp[w->index];
}

void races_launch(struct exec *x) {
  struct races *r = x->races;
  r->launch++;
  forget_flags(r);
  forget_teams(r);
}

void races_cta(struct exec *x, unsigned slot) {
  struct races *r = x->races;
  if (slot >= r->nteam) {
    r->team = xrealloc(r->team, (slot + 1) * sizeof *r->team);
    while (r->nteam <= slot) r->team[r->nteam++] = NULL;
  }
  struct team *t = r->team[slot];
  if (!t) t = r->team[slot] = xcalloc(1, sizeof *t);
  forget_team(t);
  t->cta = x->cta[slot].id;
  for (unsigned k = 0; k < CTA_WARPS; k++) t->warp[k].vc[k] = 1;
  if (!t->shared) {
    t->shared_words = ((size_t)x->s.shared_bytes + 3) / 4;
    t->shared = xcalloc(t->shared_words + 1, sizeof *t->shared);
  } else {
    forget_cells(t->shared, t->shared_words);
  }
}

void races_fence(struct exec *x, const struct warp *w) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  racer_fence(t, me, w->index);
}

static void racer_arrive(const struct team *t, struct racer *me, unsigned index, struct meeting *b) {
  racer_acquire(t, me);
  clocks_row_max(b->vc, me->vc);
  clocks_set(&b->known, clocks_join(b->known, me->known));
  clocks_set(&b->fence, clocks_join(b->fence, me->fence));
  me->vc[index]++;
}

void races_arrive(struct exec *x, const struct warp *w, unsigned barrier) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  racer_arrive(t, me, w->index, &t->bar[barrier]);
}

static void leave_meeting(struct racer *w, const struct meeting *b) {
  clocks_row_max(w->vc, b->vc);
  clocks_set(&w->known, clocks_join(w->known, b->known));
  clocks_set(&w->fence, clocks_join(w->fence, b->fence));
}

void races_open(struct exec *x, const struct cta *c, unsigned barrier, uint32_t waiting) {
  struct team *t = x->races->team[c - x->cta];
  struct meeting *b = &t->bar[barrier];
  for (uint32_t rest = waiting; rest; rest &= rest - 1) leave_meeting(&t->warp[bit_low32(rest)], b);
  forget_meeting(b);
}

/* ---- mbarriers ---- */

static struct phases *phases_at(struct team *t, uint32_t addr) {
  for (uint32_t k = 0; k < t->nmbar; k++)
    if (t->mbar[k].addr == addr) return &t->mbar[k];
  VEC_PUSH(t->mbar, t->nmbar, t->cmbar) = (struct phases){.addr = addr};
  return &t->mbar[t->nmbar - 1];
}

void races_init(struct exec *x, const struct warp *w, uint32_t addr) {
  forget_phases(phases_at(x->races->team[w->cta_slot], addr));
}

void races_signal(struct exec *x, const struct warp *w, uint32_t addr) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  racer_arrive(t, me, w->index, &phases_at(t, addr)->now);
}

void races_waited(struct exec *x, const struct warp *w, uint32_t addr) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  leave_meeting(me, &phases_at(t, addr)->done);
}

void races_phase(struct exec *x, const struct warp *w, uint32_t addr) {
  struct phases *p = phases_at(x->races->team[w->cta_slot], addr);
  clocks_row_max(p->done.vc, p->now.vc);
  clocks_set(&p->done.known, clocks_join(p->done.known, p->now.known));
  clocks_set(&p->done.fence, clocks_join(p->done.fence, p->now.fence));
  forget_meeting(&p->now);
}

/* ---- reports ---- */

static void race_describe_side(const struct exec *x, const struct mark *m, struct race_side *s) {
  const uint32_t *g = x->launch->grid, *b = x->launch->block, t = m->warp * (uint32_t)LANES + m->lane;
  const enum dkind op = (enum dkind)x->dec[m->op].kind;
  *s = (struct race_side){
      .line = x->code->insn[m->op].line,
      .col = x->code->insn[m->op].col,
      .op = op == DK_ATOM                                             ? "atomic"
            : op == DK_MBAR                                           ? "mbarrier"
            : op == DK_CP                                             ? m->flags & M_WRITE ? "copy to" : "copy from"
            : op == DK_ST || (op == DK_SURFACE && m->flags & M_WRITE) ? "store"
                                                                      : "load",
      .write = m->flags & M_WRITE,
      .cta = {m->cta % g[0], m->cta / g[0] % g[1], m->cta / g[0] / g[1]},
      .thread = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]},
      .warp = m->warp,
      .lane = m->lane,
  };
}

static void race_describe(const struct exec *x, bool shared, uint32_t a, const struct mark *m, const struct mark *now,
                          struct race *r) {
  const struct region *at = shared ? NULL : region_find(&x->launch->mem->global, a);
  snprintf(r->kernel, sizeof r->kernel, "%s", x->code->name);
  snprintf(r->file, sizeof r->file, "%s", x->code->file);
  snprintf(r->buffer, sizeof r->buffer, "%s", at ? at->name : "");
  r->address = a;
  r->offset = at ? a - at->base : a;
  r->shared = shared;
  r->launch = x->races->launch - 1;
  race_describe_side(x, m, &r->first);
  race_describe_side(x, now, &r->second);
}

/* The pair of these instructions, whichever comes first; *fresh: it was made. NULL: there are too many. */
static struct pair *race_pair(struct races *r, const struct code *code, uint32_t a, uint32_t b, bool shared,
                              bool *fresh) {
  const uint32_t lo = a < b ? a : b, hi = a < b ? b : a;
  const uint64_t key = hash_mix(hash_mix((uint64_t)(uintptr_t)code, (uint64_t)lo << 32 | hi), shared);
  *fresh = false;
  for (uint64_t step = 0, k; (k = hashtab_next(&r->pair_index, key, &step)) != HASHTAB_NONE;) {
    struct pair *p = &r->pair[k];
    if (p->code == code && p->op[0] == lo && p->op[1] == hi && p->is.shared == shared) return p;
  }
  if (r->npair == PAIRS) return NULL;
  VEC_PUSH(r->pair, r->npair, r->cappair) = (struct pair){.code = code, .op = {lo, hi}};
  hashtab_put(&r->pair_index, key, r->npair - 1);
  *fresh = true;
  return &r->pair[r->npair - 1];
}

static void race_report(struct exec *x, bool shared, uint32_t a, const struct mark *m, const struct mark *now) {
  struct races *r = x->races;
  bool fresh;
  /* the order does not matter, unless one of the stores changes the bytes */
  const bool same = now->flags & M_WRITE ? now->flags & M_SAME : m->flags & M_SAME;
  struct pair *p = race_pair(r, x->code, m->op, now->op, shared, &fresh);
  if (!p) {
    r->lost++;
    return;
  }
  p->is.count++;
  if (!fresh && (same || !p->is.same_value)) return;
  race_describe(x, shared, a, m, now, &p->is); /* the first occurrence, or the first that matters */
  p->is.same_value = same;
}

/* ---- accesses ---- */

static bool mark_is_ordered(const struct mark *m, const struct team *t, const struct racer *w, unsigned index) {
  if (m->cta == t->cta) return m->warp == index || m->clock <= w->vc[m->warp];
  const struct clock_row *r = clocks_row(w->known, m->cta);
  return r && m->clock <= r->at[m->warp];
}

/* Whatever conflicts with m conflicts with now. */
static bool stands_for(const struct mark *now, const struct mark *m) {
  return !(m->bytes & ~now->bytes) && (now->flags & M_WRITE || !(m->flags & M_WRITE)) &&
         (!(now->flags & M_STRONG) || m->flags & M_STRONG) && (!(now->flags & M_SAME) || m->flags & M_SAME);
}

/* The position for a mark among those of its kind. */
struct place {
  struct mark *same, *room;    /* of the same instruction; free, or subsumed by `now` */
  struct mark *first, *second; /* of two warps, not ordered before `now`, equivalent to it */
};

static inline void mark_consider(struct place *p, struct mark *m, const struct mark *now, bool before) {
  if (before && m->cta == now->cta && m->warp == now->warp && m->op == now->op && m->flags == now->flags &&
      m->clock == now->clock)
    p->same = m;
  else if (before && stands_for(now, m)) p->room = m;
  else if (before || !stands_for(m, now)) return;
  else if (!p->first) p->first = m;
  else if ((m->cta != p->first->cta || m->warp != p->first->warp) && (!p->second || p->second->cta == p->first->cta))
    p->second = m;
}

/* Stores a mark, unless two equivalent ones exist; *last: the last cell of the word. */
static void mark_put(const struct place *p, struct cell *last, const struct mark *now) {
  struct mark *to = p->room;
  if (p->same) {
    p->same->bytes |= now->bytes;
    return;
  }
  if (!to && p->second) {
    if (p->first->cta != p->second->cta || p->first->cta == now->cta) return;
    if (stands_for(now, p->second)) to = p->second;
  }
  if (!to) {
    last->more = xcalloc(1, sizeof *last->more);
    to = now->flags & M_WRITE ? last->more->write : last->more->read;
  }
  *to = *now;
}

static struct cell *cell_of(struct exec *x, struct team *t, bool shared, uint32_t a) {
  if (shared) return &t->shared[a >> 2];
  struct races *r = x->races;
  struct page **p = &r->page[a / (4 * PAGE_WORDS)];
  if (!*p) *p = xcalloc(1, sizeof **p);
  else if ((*p)->launch != r->launch) forget_cells((*p)->cell, PAGE_WORDS);
  (*p)->launch = r->launch;
  return &(*p)->cell[a >> 2 & (PAGE_WORDS - 1)];
}

/* One word (address a) of one lane's access. */
static void race_touch_word(struct exec *x, struct team *t, const struct racer *w, bool shared, uint32_t a,
                            const struct mark *now) {
  struct cell *c = cell_of(x, t, shared, a);
  struct place p = {.same = NULL};
  for (;; c = c->more) {
    for (unsigned k = 0; k < 2 * MARKS; k++) {
      struct mark *m = k < MARKS ? &c->write[k] : &c->read[k - MARKS];
      const bool kin = (k < MARKS) == (now->flags & M_WRITE);
      if (!m->clock) {
        if (kin && !p.room) p.room = m;
        continue;
      }
      const bool before = mark_is_ordered(m, t, w, now->warp);
      const bool conflict =
          (m->bytes & now->bytes) && (m->flags | now->flags) & M_WRITE && !(m->flags & now->flags & M_STRONG);
      if (conflict && !before) race_report(x, shared, a + (unsigned)bit_low32(m->bytes & now->bytes), m, now);
      if (kin) mark_consider(&p, m, now, before);
      else if (k >= MARKS && before && stands_for(now, m)) m->clock = 0;
    }
    if (!c->more) break;
  }
  mark_put(&p, c, now);
}

/* Do the bytes that a lane stores differ from those in memory? */
static bool race_changes_bytes(const uint8_t *host, const struct race_access *r, unsigned lane) {
  for (unsigned e = 0; r->value[0] && e < r->vec; e++) {
    uint32_t v[2] = {r->value[e][lane], r->size == 8 ? r->value[e][LANES + lane] : 0};
    if (memcmp(host + (size_t)e * r->size, v, r->size)) return true;
  }
  return !r->value[0];
}

/* Lanes of one store that write the same bytes: their order is undefined. */
static void race_among_lanes(struct exec *x, const struct race_access *r, struct mark now) {
  bool ascending = true;
  uint32_t end = 0;
  for (uint32_t rest = r->lanes; rest && ascending; rest &= rest - 1) {
    const uint32_t a = r->a[bit_low32(rest)];
    ascending = a >= end;
    end = a + r->bytes;
  }
  if (ascending) return;
  for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
    const unsigned i = (unsigned)bit_low32(rest);
    for (uint32_t others = rest & (rest - 1); others; others &= others - 1) {
      const unsigned j = (unsigned)bit_low32(others);
      if (r->a[i] - r->a[j] + (r->bytes - 1) >= 2 * r->bytes - 1) continue;
      struct mark m = now;
      bool same = r->a[i] == r->a[j] && r->value[0];
      for (unsigned e = 0; same && e < r->vec; e++)
        same = !((r->value[e][i] ^ r->value[e][j]) & (r->size < 4 ? (1u << 8 * r->size) - 1 : FULL)) &&
               (r->size < 8 || r->value[e][LANES + i] == r->value[e][LANES + j]);
      m.lane = (uint8_t)i;
      now.lane = (uint8_t)j;
      now.flags = (uint8_t)((now.flags & ~M_SAME) | (same ? M_SAME : 0));
      race_report(x, r->shared, r->a[j] > r->a[i] ? r->a[j] : r->a[i], &m, &now);
      break;
    }
  }
}

void races_access(struct exec *x, struct warp *w, const struct race_access *r) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  const uint8_t *base = access_base(x, w, r->shared ? SP_SHARED : SP_GLOBAL);
  struct mark now = {.cta = t->cta, .clock = me->vc[w->index], .op = r->op, .warp = (uint8_t)w->index};
  const uint8_t flags = (uint8_t)((r->write ? M_WRITE : 0) | (r->strong ? M_STRONG : 0));
  if (r->write && !r->strong) {
    now.flags = flags;
    race_among_lanes(x, r, now);
  }
  uint32_t last = 0;
  for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
    const unsigned i = (unsigned)bit_low32(rest);
    const uint32_t a = r->a[i], end = a + r->bytes;
    if (!r->write && rest != r->lanes && a == last) continue; /* read by the lane before */
    last = a;
    now.lane = (uint8_t)i;
    now.flags = flags;
    if (r->write && !r->strong && !race_changes_bytes(base + a, r, i)) now.flags |= M_SAME;
    for (uint32_t word = a & ~3u; word < end; word += 4) {
      const unsigned from = a > word ? a - word : 0, to = end - word < 4 ? end - word : 4;
      now.bytes = (uint8_t)((1u << to) - (1u << from));
      race_touch_word(x, t, me, r->shared, word, &now);
      if (!r->strong || r->rmw) continue;
      if (r->write) leave_at(x->races, flag_key(x, w, r->shared, word), me->fence, false);
      else take_from(x->races, flag_key(x, w, r->shared, word), me);
    }
  }
}

void races_acquire(struct exec *x, const struct warp *w) {
  struct team *t;
  struct racer *me = racer_of(x, w, &t);
  racer_acquire(t, me);
}

struct clocks *races_leave(struct exec *x, const struct warp *w) {
  struct team *t;
  return clocks_keep(racer_of(x, w, &t)->fence);
}

void races_atomic(struct exec *x, const struct warp *w, bool here, bool shared, const uint32_t *a, uint32_t lanes,
                  struct clocks *left) {
  struct team *t;
  struct racer *me = here ? racer_of(x, w, &t) : NULL;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint64_t key = flag_key(x, w, shared, a[bit_low32(rest)]);
    if (me) take_from(x->races, key, me);
    if (left) leave_at(x->races, key, left, true);
  }
  clocks_drop(left);
}

/* ---- how the rest of exec/ says it ---- */

void races_insn(struct exec *x, struct warp *w, const struct dinsn *d, enum space sp, uint32_t lanes,
                const struct access *c) {
  if (sp != SP_GLOBAL && sp != SP_SHARED) return;
  const bool atomic = d->kind == DK_ATOM;
  struct race_access r = {
      .a = c->a,
      .op = (uint32_t)(d - x->dec),
      .lanes = lanes,
      .bytes = d->total,
      .size = d->size,
      .vec = d->vec,
      .shared = sp == SP_SHARED,
      .write = atomic || d->kind == DK_ST,
      .strong = atomic || d->insn->mods & M_VOLATILE,
      .rmw = atomic,
  };
  for (unsigned e = 0; d->kind == DK_ST && e < d->vec; e++) r.value[e] = exec_row(x, w, d, e + 1);
  if (d->insn->mods & M_RELEASE) races_fence(x, w);
  races_access(x, w, &r);
  if (d->kind == DK_LD && d->insn->mods & M_ACQUIRE) races_acquire(x, w);
}

void races_bytes(struct exec *x, struct warp *w, uint32_t op, enum space sp, bool write, const uint32_t *a,
                 uint32_t lanes, unsigned bytes) {
  const struct race_access r = {.a = a,
                                .op = op,
                                .lanes = lanes,
                                .bytes = bytes,
                                .size = bytes,
                                .vec = 1,
                                .shared = sp == SP_SHARED,
                                .write = write};
  races_access(x, w, &r);
}

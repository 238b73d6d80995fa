/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2: slices with an input queue, a set-associative write-back cache of 128-byte lines in 32-byte sectors, and MSHRs.
 *
 * A slice serves the first request of its queue, one per interval. A request that cannot be served (no MSHR, no way
 * that is not being filled, no room in the DRAM channel) stalls the slice until a fill or the channel may have made
 * room. A way is taken when the miss is found, so the way itself names the MSHR of its line and no search structure
 * is needed; a way with an MSHR is never a victim. Per sector: valid (the whole sector is here), dirty (bytes to be
 * written back), part (dirty, not valid: the rest of it is still in DRAM; dirty = valid dirty sectors and part ones).
 * A write never fetches: a sector written in part is read when the line is written back, in the same DRAM access,
 * unless a read or atomic has fetched it or writes have covered it before. With l2.mask = 4 they may cover it together:
 * each such sector has a mask of the words that one request wrote all four bytes of. (Accel-Sim's L2 has byte masks.)
 */
#include <stdlib.h>

#include "mem/internal.h"

static uint32_t sets_of_slice(const struct config *cfg, uint32_t sms, uint32_t slices) {
  uint64_t bytes = (uint64_t)cfg->l2_bytes * sms / (uint64_t)cfg->gpu_sms;
  uint64_t sets = bytes / (128 * (uint64_t)cfg->l2_ways) / slices;
  return sets ? (uint32_t)sets : 1;
}

void l2_init(struct mem *m, const struct config *cfg) {
  uint64_t part = (uint64_t)cfg->l2_slices * m->sms, all = (uint64_t)cfg->gpu_sms; /* part/all of them */
  uint64_t n = (2 * part + all) / (2 * all);
  if (!n) n = 1;
  m->nslices = (uint32_t)n;
  m->l2_rate = rate_of((uint64_t)cfg->l2_interval * n * all, part);
  m->by_slice = part_of(m->nslices);
  m->by_set = part_of(sets_of_slice(cfg, m->sms, m->nslices));
  m->ways = (uint32_t)cfg->l2_ways;
  m->l2_latency = (uint32_t)cfg->l2_latency;
  m->l2_queue = (uint32_t)cfg->l2_queue;
  m->mshrs = ((uint32_t)cfg->l2_mshrs * m->sms + m->nslices - 1) / m->nslices;
  size_t lines = (size_t)m->nslices * m->by_set.n * m->ways;
  m->tag = xmalloc(lines * sizeof *m->tag);
  for (size_t i = 0; i < lines; i++) m->tag[i] = NONE;
  m->way = xcalloc(lines, sizeof *m->way);
  for (size_t i = 0; i < lines; i++) m->way[i].mshr = NONE;
  m->words = xcalloc(lines, sizeof *m->words);
  m->l2_words = cfg->l2_mask == 4;
  m->stamp = xcalloc(lines, sizeof *m->stamp);
  m->mshr = xcalloc((size_t)m->nslices * m->mshrs, sizeof *m->mshr);
  m->target_free = NONE;
  m->slice = xcalloc(m->nslices, sizeof *m->slice);
  for (uint32_t i = 0; i < m->nslices; i++) {
    struct slice *s = &m->slice[i];
    s->q = xcalloc(m->l2_queue, sizeof *s->q);
    s->wait = xcalloc(m->sms, sizeof *s->wait);
    s->free = xcalloc(m->mshrs, sizeof *s->free);
    s->free_n = m->mshrs;
    s->set = NONE;
    for (uint32_t k = 0; k < m->mshrs; k++) s->free[k] = (i + 1) * m->mshrs - 1 - k;
  }
}

void l2_free(struct mem *m) {
  for (uint32_t i = 0; i < m->nslices; i++) {
    free(m->slice[i].q);
    free(m->slice[i].wait);
    free(m->slice[i].free);
  }
  free(m->slice);
  free(m->tag);
  free(m->way);
  free(m->words);
  free(m->stamp);
  free(m->mshr);
  free(m->target);
}

/* First way of the line's set. */
static uint32_t l2_set_of(const struct mem *m, uint32_t s, uint32_t line) {
  uint32_t set = part_fold(m->by_set, part_div(m->by_slice, line));
  return (s * m->by_set.n + set) * m->ways;
}

static uint32_t l2_find(const struct mem *m, uint32_t set, uint32_t line) {
  const uint32_t *tag = m->tag + set;
  uint64_t hit = 0; /* without a branch per way, which would be unpredictable */
  for (uint32_t i = 0; i < m->ways; i++) hit |= (uint64_t)(tag[i] == line) << i;
  return hit ? set + (uint32_t)bit_low64(hit) : NONE;
}

/* The least recently used way without an MSHR (an empty one has stamp 0); NONE: all are being filled. */
static uint32_t l2_victim(const struct mem *m, uint32_t set) {
  uint32_t best = NONE;
  uint64_t least = PENDING;
  for (uint32_t i = set; i < set + m->ways; i++) {
    uint64_t x = m->stamp[i];
    best = x < least ? i : best;
    least = x < least ? x : least;
  }
  return best;
}

static void l2_use(struct mem *m, uint32_t way) { m->stamp[way] = (m->stamp[way] & PENDING) | ++m->clock; }

/* Takes way `v` for `line`. false: no room in the channel for its dirty sectors; the slice waits. */
static bool l2_take_way(struct mem *m, uint32_t s, uint32_t v, uint32_t line, uint64_t t) {
  struct way *w = &m->way[v];
  if (w->dirty) {
    struct place p = dram_place(m, m->tag[v]);
    if (!dram_room(m, p.channel, true)) {
      dram_wait(m, p.channel, s);
      return false;
    }
    m->st.l2_writebacks++;
    dram_write(m, p, w->dirty, w->part, t);
  }
  m->tag[v] = line;
  *w = (struct way){.mshr = NONE};
  l2_use(m, v);
  return true;
}

static uint32_t new_target(struct mem *m) {
  uint32_t i = m->target_free;
  if (i == NONE) {
    i = m->target_n;
    VEC_PUSH(m->target, m->target_n, m->target_cap) = (struct target){0};
  } else {
    m->target_free = m->target[i].next;
  }
  return i;
}

static void add_target(struct mem *m, uint32_t h, const struct inreq *r) {
  uint32_t i = new_target(m);
  m->target[i] = (struct target){NONE, r->req.tag, r->sm, r->req.kind, r->req.sectors};
  struct mshr *x = &m->mshr[h];
  if (x->head == NONE) x->head = i;
  else m->target[x->tail].next = i;
  x->tail = i;
}

/* The line `w` holds, or will hold, is wanted by an atomic that now has its sectors. */
static void l2_make_dirty(struct mem *m, struct way *w, uint8_t sectors) {
  m->dirtied += sectors_in(sectors & ~(uint32_t)w->dirty);
  w->dirty |= sectors;
}

static void l2_reply(struct mem *m, uint32_t sm, uint32_t line, uint32_t tag, uint8_t sectors, bool dram, uint64_t t) {
  noc_reply(m, sm, line, tag, sectors, dram, t + m->l2_latency);
}

static void l2_count(struct mem *m, const struct inreq *r, uint64_t *read) {
  if (r->req.kind == MEM_READ) ++*read;
  else m->st.l2_atomics++;
}

/* One MSHR more or less (-1) from cycle t on. */
static void mshrs_change(struct mem *m, uint64_t t, int more) {
  m->st.l2_mshr_busy += m->mshrs_used * (t - m->mshrs_since);
  m->mshrs_since = t;
  m->mshrs_used += (uint64_t)(int64_t)more;
}

/* Read or atomic. false: stalled, nothing has changed. */
static bool serve_read(struct mem *m, uint32_t s, const struct inreq *r, uint64_t t) {
  struct slice *sl = &m->slice[s];
  uint32_t line = r->req.addr >> 7, i = sl->found;
  uint8_t want = r->req.sectors, miss = want;
  if (i != NONE) {
    struct way *w = &m->way[i];
    miss = want & ~w->valid & 15;
    if (!miss) {
      l2_count(m, r, &m->st.l2_read_hit);
      if (r->req.kind == MEM_ATOMIC) l2_make_dirty(m, w, want);
      l2_use(m, i);
      l2_reply(m, r->sm, line, r->req.tag, want, false, t);
      return true;
    }
    if (w->mshr != NONE) miss &= (uint8_t)~m->mshr[w->mshr].out;
  }
  struct place p = {0, 0, 0};
  if (miss) {
    p = dram_place(m, line);
    if (!dram_room(m, p.channel, false)) {
      dram_wait(m, p.channel, s);
      return false;
    }
  }
  uint32_t h = i == NONE ? NONE : m->way[i].mshr;
  if (h != NONE) { /* joins; sectors not requested yet are requested now */
    l2_count(m, r, &m->st.l2_read_merge);
  } else {
    if (!sl->free_n) return false;
    if (i == NONE) {
      i = l2_victim(m, sl->set);
      if (i == NONE || !l2_take_way(m, s, i, line, t)) return false;
    }
    h = sl->free[--sl->free_n];
    mshrs_change(m, t, 1);
    m->mshr[h] = (struct mshr){.way = i, .head = NONE, .tail = NONE};
    m->way[i].mshr = h;
    m->stamp[i] |= PENDING;
    l2_count(m, r, &m->st.l2_read_miss);
  }
  l2_use(m, i);
  add_target(m, h, r);
  if (miss) {
    m->mshr[h].out |= miss;
    m->fetched += sectors_in(miss);
    dram_read(m, p, miss, h, t);
  }
  return true;
}

/* Sectors that are whole with these words, and with those written before to the ones in part. */
static uint8_t l2_covered_sectors(struct mem *m, uint32_t i, uint32_t words) {
  uint8_t whole = mem_whole(words), part = m->way[i].part;
  if (m->l2_words && (part || words != mem_words(whole)))
    whole = mem_whole(m->words[i] = (m->words[i] & mem_words(part)) | words);
  return whole;
}

static bool serve_write(struct mem *m, uint32_t s, const struct inreq *r, uint64_t t) {
  uint32_t line = r->req.addr >> 7, i = m->slice[s].found;
  if (i != NONE) {
    m->st.l2_write_hit++;
    l2_use(m, i);
  } else {
    i = l2_victim(m, m->slice[s].set);
    if (i == NONE || !l2_take_way(m, s, i, line, t)) return false;
    m->st.l2_write_miss++;
  }
  struct way *w = &m->way[i];
  l2_make_dirty(m, w, r->req.sectors);
  w->valid |= l2_covered_sectors(m, i, r->req.words);
  w->part = (w->part | r->req.sectors) & (uint8_t)~w->valid;
  return true;
}

void l2_push(struct mem *m, uint32_t s, uint32_t sm, const struct mem_req *req, uint64_t t) {
  struct slice *sl = &m->slice[s];
  uint32_t i = sl->q_head + sl->q_n++;
  sl->q[i >= m->l2_queue ? i - m->l2_queue : i] = (struct inreq){*req, sm};
  if (sl->q_n == 1) mem_event_at(m, id_slice(m, s), t > pace_cycle(&sl->pace) ? t : pace_cycle(&sl->pace));
}

void l2_run(struct mem *m, uint32_t s, uint64_t t) {
  struct slice *sl = &m->slice[s];
  const struct inreq *r = &sl->q[sl->q_head];
  uint32_t sm = r->sm;
  uint8_t kind = r->req.kind;
  if (sl->set == NONE) { /* tags do not change while a request is stalled */
    sl->set = l2_set_of(m, s, r->req.addr >> 7);
    sl->found = l2_find(m, sl->set, r->req.addr >> 7);
  }
  bool done = r->req.kind == MEM_WRITE ? serve_write(m, s, r, t) : serve_read(m, s, r, t);
  if (!done) {
    sl->for_fill = !sl->for_channel;
    mem_event_at(m, id_slice(m, s), NEVER);
    return;
  }
  sl->set = NONE;
  pace_take(&sl->pace, &m->l2_rate, t << 8, 1);
  if (++sl->q_head == m->l2_queue) sl->q_head = 0;
  sl->q_n--;
  noc_credit(m, sm, t);
  if (kind != MEM_READ) m->port[sm].stored = t + 1;
  if (sl->wait_n) {
    uint32_t first = sl->wait[sl->wait_head];
    if (++sl->wait_head == m->sms) sl->wait_head = 0;
    sl->wait_n--;
    noc_unblock(m, first, t);
  }
  mem_event_at(m, id_slice(m, s), sl->q_n ? (pace_cycle(&sl->pace) > t ? pace_cycle(&sl->pace) : t) : NEVER);
}

void l2_retry(struct mem *m, uint32_t s, uint64_t t) {
  m->slice[s].for_channel = false;
  mem_event_at(m, id_slice(m, s), t);
}

/* Sectors have arrived: complete requests get their reply, in the order of the requests. */
void l2_fill(struct mem *m, uint32_t h, uint8_t sectors, uint64_t t) {
  struct mshr *x = &m->mshr[h];
  struct way *w = &m->way[x->way];
  uint32_t line = m->tag[x->way], s = h / m->mshrs, last = NONE;
  m->filled += sectors_in(sectors);
  x->out &= (uint8_t)~sectors;
  w->valid |= sectors;
  w->part &= (uint8_t)~sectors;
  for (uint32_t i = x->head, next; i != NONE; i = next) {
    struct target *g = &m->target[i];
    next = g->next;
    if (g->need & ~w->valid) {
      last = i;
      continue;
    }
    if (g->kind == MEM_ATOMIC) l2_make_dirty(m, w, g->need);
    l2_reply(m, g->sm, line, g->tag, g->need, true, t);
    if (last == NONE) x->head = next;
    else m->target[last].next = next;
    g->next = m->target_free;
    m->target_free = i;
  }
  x->tail = last;
  if (!x->out) {
    w->mshr = NONE;
    m->stamp[x->way] &= ~PENDING;
    m->slice[s].free[m->slice[s].free_n++] = h;
    mshrs_change(m, t, -1);
  }
  if (m->slice[s].for_fill) {
    m->slice[s].for_fill = false;
    mem_event_at(m, id_slice(m, s), t);
  }
}

/* Only an empty way or a clean one is taken: warming up makes no traffic. */
void l2_touch(struct mem *m, uint32_t line) {
  uint32_t s = l2_slice(m, line), set = l2_set_of(m, s, line), i = l2_find(m, set, line);
  if (i == NONE) {
    uint64_t least = PENDING;
    for (uint32_t k = set; k < set + m->ways; k++)
      if (m->stamp[k] < least && !m->way[k].dirty) {
        least = m->stamp[k];
        i = k;
      }
    if (i == NONE) return;
    m->tag[i] = line;
    m->slice[s].set = NONE;
  }
  struct way *w = &m->way[i];
  l2_use(m, i);
  if (w->mshr != NONE) return;
  w->valid = 15;
  w->part = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lsu: memory instructions, one at a time and in order: shared memory by bank conflicts, global and local memory by
 * the 128-byte lines that the lanes touch, constant memory by distinct words, shuffles.
 *
 * Times: dispatch in d = t+2 for an instruction issued in t, here in d+1 = t+3, so a result of latency L comes L-3
 * cycles after the access. A miss returns with the reply: load to use = 3 + mem's latency.
 *
 * A cp.async is a load whose last line, when it has arrived, makes an access to shared memory ahead of the queue; the
 * copy is done when that access is.
 */
#include <string.h>

#include "sm/phases.h"

void lsu_take(struct sm *S, uint32_t f) {
  const struct inflight_inst *F = &S->inflight[f];
  enum space space = W_SPACE_OF(&F->inst);
  if (F->op->kind && (space == SP_GLOBAL || space == SP_LOCAL || space == SP_TEX)) {
    S->inflight[f].away = true;
    cta_inside(S, F->inst.warp, -1);
  }
  S->lsu.queue[(S->lsu.head + S->lsu.count++) % 64] = f;
  S->st.lsu_insns++;
  if (S->probe) probe_full(S);
}

void lsu_done(struct sm *S, uint32_t fi) {
  struct lsu *L = &S->lsu;
  struct inflight_inst *f = &S->inflight[fi];
  if (f->op->cls == CLS_TEX) return; /* for the filter: tex_phase */
  if (f->copy_passes) {
    f->next = NONE32;
    if (L->landed == NONE32) L->landed = fi;
    else S->inflight[L->landed_last].next = fi;
    L->landed_last = fi;
    return;
  }
  if (S->check) check_late(S, f);
  result_push(S, fi);
}

/* Of a sector's 8 words those of which all four bytes are touched. */
static uint32_t whole_words(uint32_t bytes) {
  uint32_t x = bytes & bytes >> 1;
  x = x & x >> 2 & 0x11111111;
  x = (x | x >> 3) & 0x03030303;
  x = (x | x >> 6) & 0x000f000f;
  return (x | x >> 12) & 0xff;
}

/* Lines that the lanes touch, ascending in order of the first lane that does. Words are of stores only. */
static unsigned lsu_coalesce(const uint32_t *addr, uint32_t lanes, unsigned bytes, bool store, struct txn *txn) {
  uint64_t touched[32][2]; /* byte masks of each line */
  unsigned n = 0, last = 0;
  uint64_t ones = bytes >= 64 ? ~0ull : (1ull << bytes) - 1;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t a = addr[bit_low32(lanes)], line = a & ~127u, off = a & 127;
    if (!n || txn[last].line != line) {
      for (last = 0; last < n && txn[last].line != line; last++) {
      }
      if (last == n) {
        txn[n] = (struct txn){.line = line};
        touched[n][0] = touched[n][1] = 0;
        n++;
      }
    }
    touched[last][off >> 6] |= ones << (off & 63);
  }
  for (unsigned k = 0; k < n; k++) {
    unsigned count = 0;
    for (unsigned s = 0; s < 4; s++) {
      uint32_t m = (uint32_t)(touched[k][s >> 1] >> (s & 1) * 32);
      if (m) txn[k].sectors |= (uint8_t)(1u << s);
      if (store && m) txn[k].words |= (m == 0xffffffffu ? 0xffu : whole_words(m)) << 8 * s;
      count += (unsigned)bit_count32(m);
    }
    txn[k].bytes = (uint8_t)count;
  }
  return n;
}

/* One word an active lane, and no bank of which two different words are wanted: all lie within so many words as there
 * are banks; or, when each lane has left its word at its bank, every lane finds its own there. `banks` is a power of two. */
static bool without_conflict(const uint32_t *addr, uint32_t lanes, unsigned banks) {
  const uint32_t some = addr[bit_low32(lanes)] >> 2;
  uint32_t word[32], at[64], other = 0, least = some, most = some;
  for (unsigned l = 0; l < 32; l++) word[l] = lanes >> l & 1 ? addr[l] >> 2 : some;
  for (unsigned l = 0; l < 32; l++) least = word[l] < least ? word[l] : least;
  for (unsigned l = 0; l < 32; l++) most = word[l] > most ? word[l] : most;
  if (most - least < banks) return true;
  for (unsigned l = 0; l < 32; l++) at[word[l] & (banks - 1)] = word[l];
  for (unsigned l = 0; l < 32; l++) other |= at[word[l] & (banks - 1)] ^ word[l];
  return !other;
}

/* Passes of one shared-memory access: lanes that want different words of one bank take turns. Eight-byte accesses go
 * half a warp at a time, sixteen-byte ones a quarter. */
static unsigned lsu_passes(const uint32_t *addr, uint32_t lanes, unsigned bytes, unsigned banks) {
  if (bytes <= 4 && lanes && !(banks & (banks - 1)) && without_conflict(addr, lanes, banks)) return 1;
  unsigned words = bytes > 4 ? bytes / 4 : 1, part = 32 / words, total = 0;
  for (unsigned first = 0; first < 32; first += part) {
    uint32_t m = lanes & (part == 32 ? ~0u : ((1u << part) - 1) << first);
    if (!m) continue;
    uint32_t seen[64][4]; /* per bank: the first distinct words */
    uint8_t n[64];
    memset(n, 0, banks);
    unsigned worst = 1;
    for (; m; m &= m - 1) {
      uint32_t word = addr[bit_low32(m)] >> 2;
      for (unsigned k = 0; k < words; k++, word++) {
        unsigned b = word % banks, i = 0, kept = n[b] < 4 ? n[b] : 4;
        while (i < kept && seen[b][i] != word) i++;
        if (i < kept) continue;
        if (n[b] >= 4) { /* more than four distinct words: look at the earlier lanes themselves */
          bool again = false;
          for (uint32_t p = lanes & ~m & (part == 32 ? ~0u : ((1u << part) - 1) << first); p && !again; p &= p - 1) {
            uint32_t w0 = addr[bit_low32(p)] >> 2;
            again = word >= w0 && word < w0 + words;
          }
          if (again) continue;
        } else {
          seen[b][n[b]] = word;
        }
        if (++n[b] > worst) worst = n[b];
      }
    }
    total += worst;
  }
  return total ? total : 1;
}

static unsigned distinct_words(const uint32_t *addr, uint32_t lanes) {
  unsigned n = 0;
  uint32_t seen[32];
  for (; lanes; lanes &= lanes - 1) {
    uint32_t w = addr[bit_low32(lanes)] >> 2;
    unsigned k = 0;
    while (k < n && seen[k] != w) k++;
    if (k == n) seen[n++] = w;
  }
  return n ? n : 1;
}

static void lsu_pop(struct sm *S) {
  struct lsu *L = &S->lsu;
  struct inflight_inst *f = &S->inflight[L->queue[L->head]];
  f->looked = true;
  if (S->reserve) S->group[f->group].lsu_held--;
  S->warp[f->inst.warp].addressed -= has_address(&f->inst);
  L->head = (L->head + 1) % 64;
  L->count--;
  L->open = false;
}

static void finish_at(struct sm *S, uint32_t fi, uint64_t cycle) {
  S->inflight[fi].parts = 1;
  event_at(S, cycle > S->now ? cycle : S->now + 1, EV_PART, fi);
}

/* Addresses of a cp.async in shared memory: the row before its global ones. */
static const uint32_t *copy_to(const struct sm *S, const struct inflight_inst *f) {
  struct warp_inst to = f->inst;
  to.mem = (to.mem + ADDR_RING - 2) % ADDR_RING + 1;
  return inst_addr(S->stream, &to);
}

/* It works for n cycles, on what began now. */
static void lsu_works(struct sm *S, uint64_t n) {
  S->lsu.busy = S->now + n;
  S->st.lsu_busy += n;
}

static void write_landed(struct sm *S) {
  struct lsu *L = &S->lsu;
  uint32_t fi = L->landed;
  struct inflight_inst *f = &S->inflight[fi];
  unsigned n = f->copy_passes;
  if (L->shared > S->now) {
    L->busy = L->shared;
    return;
  }
  L->landed = f->next;
  f->copy_passes = 0;
  S->st.shared_accesses++;
  S->st.shared_conflicts += n - 1;
  lsu_works(S, n * S->shared_interval);
  L->shared = L->busy;
  finish_at(S, fi, L->busy);
  S->busy = true;
}

/* Expands a new head instruction into line accesses. Those that need no line are completed here. */
static bool lsu_open(struct sm *S) {
  struct lsu *L = &S->lsu;
  uint32_t fi = L->queue[L->head];
  struct inflight_inst *f = &S->inflight[fi];
  const struct op *op = f->op;
  if (!op->kind) { /* shuffle */
    lsu_works(S, 1);
    finish_at(S, fi, S->now + S->lat_shfl - ISSUE_TO_ACCESS);
    lsu_pop(S);
    return false;
  }
  if (!f->inst.lanes || !f->inst.mem) { /* no lane on: nothing to fetch */
    lsu_works(S, 1);
    finish_at(S, fi, S->now + 1);
    lsu_pop(S);
    return false;
  }
  const uint32_t *addr = inst_addr(S->stream, &f->inst);
  enum space space = W_SPACE_OF(&f->inst);
  if (space == SP_SHARED) {
    if (L->shared > S->now) {
      L->busy = L->shared;
      return false;
    }
    uint32_t lanes = op->count && !op->async ? f->inst.lanes >> (32 - op->count) : f->inst.lanes;
    unsigned n = lsu_passes(addr, lanes, op->bytes, (unsigned)S->cfg->shared_banks);
    if (op->kind & K_ATOMIC) n *= 2; /* read, then write */
    S->st.shared_accesses++;
    S->st.shared_conflicts += n - 1;
    lsu_works(S, n * S->shared_interval);
    L->shared = L->busy;
    finish_at(S, fi, S->now + (n - 1) * S->shared_interval + S->lat_shared - ISSUE_TO_ACCESS);
    lsu_pop(S);
    return false;
  }
  if (space == SP_CONST || space == SP_PARAM) {
    unsigned n = distinct_words(addr, f->inst.lanes);
    S->st.const_accesses++;
    lsu_works(S, n);
    finish_at(S, fi, S->now + n - 1 + S->lat_const - ISSUE_TO_ACCESS);
    lsu_pop(S);
    return false;
  }
  if (op->async == OA_COPY)
    f->copy_passes = (uint8_t)lsu_passes(copy_to(S, f), f->inst.lanes, op->bytes, (unsigned)S->cfg->shared_banks);
  const unsigned bytes = space == SP_TEX ? tex_bytes(f->inst.mem) : op->bytes; /* sust: as the surface's format is */
  L->ntxn = (uint8_t)lsu_coalesce(addr, f->inst.lanes, bytes, op->kind & K_STORE, L->txn);
  L->cur = 0;
  L->data = S->now;
  if (S->lsu_bytes) L->data += (bit_count32(f->inst.lanes) * bytes + S->lsu_bytes - 1) / S->lsu_bytes;
  for (unsigned k = 0; k < L->ntxn; k++) {
    L->txn[k].inflight = fi;
    L->txn[k].kind = op->kind;
  }
  f->parts = L->ntxn;
  f->timed = op->kind & K_LOAD && op->ndst; /* no prefetch, no cp.async */
  f->entry = S->now;
  S->st.global_accesses++;
  S->st.global_lines += L->ntxn;
  L->open = true;
  L->blocked = 0;
  return true;
}

static enum access lsu_access(struct sm *S, struct txn *t) {
  if (t->kind & K_ATOMIC) {
    bool answered = (S->inflight[t->inflight].op->ndst | S->inflight[t->inflight].op->pdst) != 0;
    return cache_atomic(S, t, answered);
  }
  return t->kind & K_STORE ? cache_write(S, t) : cache_read(S, t);
}

/* Long enough to switch CTAs. */
void lsu_far(struct sm *S, struct inflight_inst *f) {
  if (f->far) return;
  f->far = true;
  if (S->far_kept) scoreboard_far(S, f);
  if (!S->cta[S->warp[f->inst.warp].cta].far++) cta_touch(S, f->inst.warp);
}

static void lsu_refused(struct sm *S, enum access why) {
  S->lsu.blocked = access_again(S, why);
  S->lsu.why = (uint8_t)why;
  ++*lsu_stall(S);
  if (S->probe) probe_full(S);
}

/* Of a hit; with the last line of an instruction the last of its data pass. */
static uint64_t data_cycle(const struct sm *S) {
  const struct lsu *L = &S->lsu;
  return L->cur + 1 == L->ntxn && L->data > S->now ? L->data - 1 : S->now;
}

uint64_t lsu_hit_end(const struct sm *S, const struct txn_view *view) {
  const struct txn *t = (const struct txn *)view;
  if (t->texel) return S->now + S->tex_data - ISSUE_TO_ACCESS;
  return data_cycle(S) + S->lat_l1 - ISSUE_TO_ACCESS;
}

void lsu_hit_done(struct sm *S, uint32_t inflight, uint64_t read, uint64_t least) {
  uint64_t end = read + S->lat_l1 - ISSUE_TO_ACCESS;
  if (end < least) end = least;
  event_at(S, end > S->now ? end : S->now + 1, EV_PART, inflight);
}

void lsu_phase(struct sm *S) {
  struct lsu *L = &S->lsu;
  if (L->busy > S->now) return;
  if (L->landed != NONE32) {
    write_landed(S);
    return;
  }
  if (!L->count) return;
  if (!L->open) {
    S->busy = true;
    if (S->inflight[L->queue[L->head]].entry > S->now) return;
    if (!lsu_open(S)) return;
  }
  if (L->blocked > S->now) {
    ++*lsu_stall(S);
    return;
  }
  if (S->tex.turn) { /* the texture unit's turn at the tags */
    S->busy = true;
    return;
  }
  for (unsigned lines = 0; lines < S->lsu_lines && L->cur < L->ntxn; lines++) {
    struct txn *t = &L->txn[L->cur];
    if (cache_set_taken(S, t, lines)) break;
    enum access a = lsu_access(S, t);
    switch (a) {
      case ACC_HIT:
        if (t->kind & K_LOAD) event_at(S, lsu_hit_end(S, txn_seen(t)), EV_PART, t->inflight);
        else if (--S->inflight[t->inflight].parts == 0) result_push(S, t->inflight);
        break;
      case ACC_HELD: break;
      case ACC_WAIT: lsu_far(S, &S->inflight[t->inflight]); break;
      default: lsu_refused(S, a); return;
    }
    if (S->laws && t->kind & (K_STORE | K_ATOMIC))
      law_own(S, LAW_STORED, t->line, (uint64_t)t->bytes << 8 | t->sectors);
    L->cur++;
    L->tags = S->now + 1;
    S->st.lsu_busy += !lines;
    S->busy = true;
  }
  if (L->cur < L->ntxn) return;
  L->busy = L->data;
  if (L->data > S->now + 1) S->st.lsu_busy += L->data - S->now - 1; /* data that still pass */
  lsu_pop(S);
}

uint64_t lsu_idle_until(const struct sm *S) {
  const struct lsu *L = &S->lsu;
  if (!L->count && L->landed == NONE32) return NEVER;
  if (L->busy > S->now + 1) return L->busy;
  if (L->landed != NONE32) return 0;
  return L->open ? L->blocked : 0;
}

uint64_t lsu_shared_port(struct sm *S, uint64_t n) {
  uint64_t from = S->lsu.shared > S->now + 1 ? S->lsu.shared : S->now + 1;
  if (S->laws) {
    law_own(S, LAW_CONTEXT, n, S->now);
    S->laws->shared_end = from + n;
  }
  return S->lsu.shared = from + n;
}

void lsu_reply(struct sm *S, const struct mem_reply *r) {
  if (r->tag & TAG_ICACHE) {
    fetch_reply(S, r->addr);
  } else if (r->tag & TAG_RED) {
    S->red_out--;
  } else if (r->tag & TAG_RESIDENCY) {
    if (S->laws) law_own(S, LAW_REPLIES, r->tag & ~(uint32_t)TAG_RESIDENCY, 0);
    residency_reply(S, r);
  } else if (r->tag & TAG_ATOMIC) {
    uint32_t fi = r->tag & ~TAG_ATOMIC;
    if (--S->inflight[fi].parts == 0) {
      if (S->check) check_late(S, &S->inflight[fi]);
      result_push(S, fi);
    }
  } else if (r->tag & TAG_TEX) {
    tex_cache_reply(S, r);
  } else {
    cache_reply(S, r);
  }
  S->lsu.blocked = S->tex.blocked = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* laws: see laws.h: accounts, events, and the laws of ports and operands, which hold for every choice. */
#include "sm/laws.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/private.h"

struct laws *laws_new(void) {
  return xcalloc_lines(1, sizeof(struct laws));
}

void laws_free(struct laws *l) {
  for (unsigned k = 0; l && k < sizeof l->memory / sizeof *l->memory; k++) free(l->memory[k].at);
  free(l);
}

void laws_begin(struct sm *S, const struct kernel *k) {
  struct laws *l = S->laws;
  if (!l) return;
  l->code = k->code;
  l->arbitrated = false;
  memset(l->account, 0, sizeof l->account);
  memset(l->next, 0, sizeof l->next);
  memset(l->told, 0, sizeof l->told);
  memset(l->unit, 0, sizeof l->unit);
  l->events = l->stripes = 0;
  l->shared_end = 0;
  l->retired = S->st.retired;
  l->account[LAW_STORED].open = S->cfg->l1_write == l1_write_evict;
  l->main = (struct law_main){0};
  /* With a converter or a choice's own collector, blocks decide when a unit is full. */
  l->times_units = !strcmp(S->chosen.collector->name, "ocu") && !S->chosen.storage->convert;
  for (unsigned i = 0; i < sizeof l->memory / sizeof *l->memory; i++) l->memory[i].fresh = true;
}

/* ---- what is the same ---- */

bool law_same(struct sm *S, const char *what, uint64_t told, uint64_t own) {
  if (told == own || S->failed) return told == own;
  sm_fail(S, "law broken: %s: found 0x%llx, expected 0x%llx; this is a bug of the simulator", what,
          (unsigned long long)told, (unsigned long long)own);
  return false;
}

bool law_same_words(struct sm *S, const char *what, const uint32_t *told, const uint32_t *own) {
  for (unsigned k = 0; k < 32; k++)
    if (!law_same(S, what, told[k], own[k])) return false;
  return true;
}

uint64_t law_hash(const void *bytes, size_t n) { return fnv1a(FNV_START, bytes, n); }

void *law_memory(struct sm *S, unsigned slot, size_t size, bool *fresh) {
  struct law_memory *m = &S->laws->memory[slot];
  *fresh = m->fresh;
  if (m->size != size) {
    free(m->at);
    m->at = xcalloc_lines(1, size);
    m->size = size;
  } else if (m->fresh) {
    memset(m->at, 0, size);
  }
  m->fresh = false;
  return m->at;
}

/* ---- accounts ---- */

static const char *const texts[] = {
#define LAW_TEXT(id, text) text,
    LAW_ACCOUNTS_LIST(LAW_TEXT)
#undef LAW_TEXT
};

/* The sum does not depend on the order of events. */
static void law_count_side(struct sm *S, enum law_account a, unsigned side, uint64_t x, uint64_t y) {
  uint64_t z = (x + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 31 ^ y) * 0x94d049bb133111ebull;
  S->laws->account[a].n[side]++;
  S->laws->account[a].sum[side] += z ^ z >> 29;
}

void law_open(struct sm *S, enum law_account a) { S->laws->account[a].open = true; }
void law_own(struct sm *S, enum law_account a, uint64_t x, uint64_t y) { law_count_side(S, a, 0, x, y); }
void law_told(struct sm *S, enum law_account a, uint64_t x, uint64_t y) { law_count_side(S, a, 1, x, y); }

bool laws_end(struct sm *S, struct err *e) {
  const struct laws *l = S->laws;
  for (unsigned a = 0; l && a < LAW_ACCOUNTS; a++) {
    const uint64_t *n = l->account[a].n, *sum = l->account[a].sum;
    if (!l->account[a].open || (n[0] == n[1] && sum[0] == sum[1])) continue;
    return err_at(e, NULL, 0, 0, "conservation law broken: %s (%llu, %llu%s); this is a bug of the simulator", texts[a],
                  (unsigned long long)n[0], (unsigned long long)n[1], n[0] == n[1] ? ", others" : "");
  }
  return true;
}

/* ---- events ---- */

void law_event(struct sm *S, const struct law_event *e) {
  struct laws *l = S->laws;
  if (l->events < LAW_EVENTS) l->event[l->events++] = *e;
}

const struct law_event *law_nth(const struct sm *S, enum law_kind kind, unsigned n) {
  const struct laws *l = S->laws;
  for (unsigned k = 0; k < l->events; k++)
    if (l->event[k].kind == kind && !n--) return &l->event[k];
  return NULL;
}

unsigned law_count(const struct sm *S, enum law_kind kind) {
  const struct laws *l = S->laws;
  unsigned n = 0;
  for (unsigned k = 0; k < l->events; k++) n += l->event[k].kind == kind;
  return n;
}

/* ---- ports ---- */

void law_rows(struct sm *S, uint32_t first, uint32_t rows, uint32_t regs, bool main, bool shifted) {
  struct laws *l = S->laws;
  if (!l || l->stripes == LAW_STRIPES) return;
  l->stripe[l->stripes++] =
      (struct law_stripe){.first = first, .rows = rows, .regs = regs ? regs : 1, .main = main, .shifted = shifted};
}

void law_main_file(struct sm *S, unsigned banks, unsigned access, unsigned busy, bool one_port) {
  if (S->laws) S->laws->main = (struct law_main){.banks = banks, .access = access, .busy = busy, .one_port = one_port};
}

static struct law_stripe stripe_of(const struct sm *S, uint32_t row) {
  const struct laws *l = S->laws;
  for (unsigned k = l->stripes; k--;)
    if (row >= l->stripe[k].first && row - l->stripe[k].first < l->stripe[k].rows) return l->stripe[k];
  return (struct law_stripe){.regs = S->warp_regs ? S->warp_regs : 1, .shifted = true};
}

static unsigned bank_in(const struct sm *S, const struct law_stripe *s, uint32_t row) {
  const uint32_t k = row - s->first, banks = s->main ? S->laws->main.banks : S->nbank;
  return (k % s->regs + (s->shifted ? k / s->regs : 0)) % banks;
}

void law_arbitrate(struct sm *S) { S->laws->arbitrated = true; }

unsigned law_bank(const struct sm *S, uint32_t row) {
  const struct law_stripe s = stripe_of(S, row);
  return bank_in(S, &s, row);
}

unsigned law_group(const struct sm *S, unsigned w) { return S->ngroup == 1 ? 0 : w % S->nsched; }

static void main_access(struct sm *S, unsigned bank, int what) {
  struct law_main *m = &S->laws->main;
  law_same(S, "a port of the main register file is free when it is taken: cycles left",
           m->until[what][bank] > S->now ? m->until[what][bank] - S->now : 0, 0);
  m->told[what][bank / 64] |= 1ull << bank % 64;
  m->until[what][bank] = S->now + m->busy;
  if (m->one_port) m->until[!what][bank] = S->now + m->busy;
}

void law_access(struct sm *S, unsigned group, int what, uint32_t row) {
  struct laws *l = S->laws;
  if (l->arbitrated) return;
  const struct law_stripe s = stripe_of(S, row);
  const unsigned bank = bank_in(S, &s, row);
  if (s.main) {
    main_access(S, bank, what);
    return;
  }
  uint64_t *told = &l->told[group][what][bank / 64], bit = 1ull << bank % 64;
  law_same(S, what == RF_READ ? "a bank reads one row a cycle" : "a bank writes one row a cycle", *told & bit, 0);
  *told |= bit;
}

void law_main_taken(struct sm *S, unsigned bank, int what) {
  S->laws->main.taken[what][bank / 64] |= 1ull << bank % 64;
}

void law_main_free(struct sm *S, unsigned bank, int what, bool is) {
  law_same(S, "a bank of the main register file is free as its last access says", is,
           S->laws->main.until[what][bank] <= S->now);
}

/* Ports that were taken in this cycle, without slow ones that are still busy. */
static void check_ports(struct sm *S, unsigned g) {
  const struct group *G = &S->group[g];
  for (unsigned k = 0; k < BANK_WORDS; k++) {
    const uint64_t *busy_r = S->slow ? &S->slow[g].busy[RF_READ][k] : NULL,
                   *busy_w = S->slow ? &S->slow[g].busy[RF_WRITE][k] : NULL;
    const uint64_t reads = G->rd_used[k] & ~(busy_r ? *busy_r : 0), writes = G->wr_used[k] & ~(busy_w ? *busy_w : 0);
    law_same(S, "banks whose read port is taken = banks of the rows read", reads, S->laws->told[g][RF_READ][k]);
    law_same(S, "banks whose write port is taken = banks of the rows written", writes, S->laws->told[g][RF_WRITE][k]);
  }
}

static void check_main(struct sm *S) {
  struct law_main *m = &S->laws->main;
  for (unsigned k = 0; k < LAW_BANKS / 64; k++)
    for (unsigned what = 0; what < 2; what++) {
      law_same(S,
               what == RF_READ ? "banks of the main register file taken = banks of the registers read"
                               : "banks of the main register file taken = banks of the registers written",
               m->taken[what][k], m->told[what][k]);
      m->taken[what][k] = m->told[what][k] = 0;
    }
}

void laws_cycle(struct sm *S) {
  struct laws *l = S->laws;
  if (l->main.banks) check_main(S);
  for (unsigned g = 0; g < S->ngroup && !l->arbitrated; g++) check_ports(S, g);
  memset(l->told, 0, sizeof l->told);
  l->events = 0;
}

/* ---- the SM's side ---- */

const struct code *law_code(const struct sm *S) { return S->laws->code; }
uint32_t law_next(const struct sm *S, unsigned w) { return S->laws->next[w]; }
uint64_t law_ready(const struct sm *S, unsigned s) { return S->laws->ready[s]; }
uint64_t law_direct(const struct sm *S, unsigned s) { return S->laws->control[s]; }
uint64_t law_began(const struct sm *S) { return S->laws->began; }
uint64_t law_shared_end(const struct sm *S) { return S->laws->shared_end; }
uint64_t law_retired(const struct sm *S) { return S->laws->retired; }
uint32_t law_rows_first(const struct sm *S, unsigned n) { return S->laws->stripe[n].first; }
unsigned law_main_banks(const struct sm *S) { return S->laws->main.banks; }
unsigned law_main_access(const struct sm *S) { return S->laws->main.access; }
bool law_main_is_free(const struct sm *S, unsigned bank, int what) { return S->laws->main.until[what][bank] <= S->now; }

unsigned law_rows_written(const struct sm *S, unsigned g) {
  unsigned rows = 0;
  for (unsigned k = 0; k < LAW_BANKS / 64; k++) rows += (unsigned)bit_count64(S->laws->told[g][RF_WRITE][k]);
  return rows;
}

/* ---- operands and units ---- */

void law_issue(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t inflight) {
  struct laws *l = S->laws;
  const struct op *op = &S->op[inst->op];
  const bool pseudo = inst->flags & W_PSEUDO;
  law_event(S, &(struct law_event){.kind = LAW_ISSUE,
                                   .answer = pseudo,
                                   .group = (uint8_t)law_group(S, w),
                                   .line = inflight,
                                   .op = inst->op,
                                   .id = w});
  if (pseudo) return;
  l->next[w] = inst->next;
  if (op->nsrc || op->ndst)
    law_own(S, LAW_ISSUED, law_hash(op->src, op->nsrc) ^ w,
            law_hash(op->dst, op->ndst) ^ (op->dead & ((1u << op->nsrc) - 1)));
  if (op->cls != CLS_CTRL && op->nsrc) law_own(S, LAW_LOOKED_UP, w, law_hash(op->src, op->nsrc));
  if (inflight == NONE32 || !l->times_units) return;
  const struct group *g = group_ptr(S, w % S->nsched);
  for (uint64_t m = g->all & ~g->free; m; m &= m - 1) {
    const struct collector_unit *u = &g->unit[bit_low64(m)];
    if (u->inflight != inflight) continue;
    struct law_unit *x = &l->unit[u->group][u->index];
    const uint8_t left = (uint8_t)(((1u << op->nsrc) - 1) & ~x->given);
    *x = (struct law_unit){.on = true, .left = left, .ready = left ? 0 : S->now + 1};
  }
}

static void law_take_operand(struct sm *S, const struct collector_unit *u, unsigned i, unsigned access) {
  struct law_unit *x = &S->laws->unit[u->group][u->index];
  if (!x->on) return;
  law_same(S, "operands asked = operands given: operands of the unit still to come", x->left >> i & 1, 1);
  x->left &= (uint8_t) ~(1u << i);
  const uint64_t at = S->now + access - slow_access(100) + 1;
  if (at > x->ready) x->ready = at;
}

void law_read(struct sm *S, const struct collector_unit *u, unsigned i, unsigned bank) {
  law_event(S, &(struct law_event){.kind = LAW_READ, .group = u->group, .op = i, .id = u->index, .line = bank});
  law_same(S, "the bank that gives an operand is that of its row", bank, law_bank(S, u->row[i]));
  law_access(S, u->group, RF_READ, u->row[i]);
  /* a cache's banks are fast; a storage without one has rf.latency */
  if (S->group[u->group].all >> u->index & 1) /* no read of the victim port, whose unit is not one of them */
    law_take_operand(S, u, i, S->laws->main.banks ? slow_access(100) : slow_access(S->cfg->rf_latency));
}

void law_given(struct sm *S, const struct collector_unit *u, unsigned i) {
  S->laws->unit[u->group][u->index].given |= (uint8_t)(1u << i);
}

void law_operand(struct sm *S, const struct collector_unit *u, unsigned i) {
  law_access(S, u->group, RF_READ, u->row[i]);
  law_take_operand(S, u, i, S->laws->main.access);
}

/* A unit is full from the cycle on in which its last operand can have come, and not before. */
void law_dispatch(struct sm *S) {
  for (unsigned g = 0; g < S->ngroup && S->laws->times_units; g++)
    for (uint64_t m = S->group[g].all; m; m &= m - 1) {
      const unsigned k = (unsigned)bit_low64(m);
      const struct law_unit *x = &S->laws->unit[g][k];
      if (x->on)
        law_same(S, "a unit is full when its operands have come: full", S->group[g].full >> k & 1,
                 !x->left && x->ready <= S->now);
    }
}

void law_dispatched(struct sm *S, const struct collector_unit *u) {
  law_event(S, &(struct law_event){.kind = LAW_DISPATCHED, .group = u->group, .id = u->index});
  S->laws->unit[u->group][u->index].on = false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule: list scheduling of a kernel's instructions, as a compiler does before it assigns registers.
 *
 * Per basic block (in regions of at most REGION instructions; the block's last branch or exit stays where it is), from
 * the top: of the instructions whose predecessors are placed, the one that waits least, and of these the one with the
 * longest path of latencies to the end of the block; then the first in the text. So loads move up, and their uses down.
 * An instruction that would occupy more registers than `regs` is placed only when every other one would, too: then
 * the one that leaves fewest occupied. An order is taken if it is shorter than the written one by the same latencies, and
 * if it occupies at most max(regs, what the written order occupies) registers: the search is repeated with lower limits
 * until it does, and else the block stays as written. Predicates are limited in the same way, to the seven of the
 * hardware (P0 to P6, the vendor's CUDA binary utilities).
 *
 * What stays in order: reads and writes of a register or predicate; stores among each other, and loads with the stores
 * that they may meet. Accesses are apart if they go to different state spaces (generic ones meet all), or from the same
 * value of an address register, or constant addresses, to bytes that do not overlap; ld.const, ld.param and ld.global.nc
 * meet no store. Volatile and stronger accesses, atomics, fences, barriers, cp.async and vprintf stay in order with
 * every access; barriers, shuffles, votes and the like with each other; reads of a clock with everything, since it counts
 * the warp's instructions. So a thread loads and stores the same values, and a program without data races has the same
 * results. Nothing moves over a branch: what is executed stays the same, errors such as wild addresses included.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/regalloc/work.h"

enum { REGION = 1024, TRIES = 8, PREDICATES = 7, FAR = 1 << 30 };
#define NONE UINT32_MAX

/* Cycles from issue to issue of a dependent instruction, whatever the machine: those of Turing (Jia et al., Dissecting
 * the Turing T4, 2019; as config/machines/rtx2060.conf has them, with its assumptions for SFU, division and shuffles). */
static const uint8_t class_latency[CLS_COUNT] = {
    [CLS_INT] = 4,   [CLS_IMUL] = 4,    [CLS_SP] = 4,   [CLS_DP] = 48,  [CLS_SFU] = 18,
    [CLS_DIV] = 100, [CLS_TENSOR] = 18, [CLS_LSU] = 22, [CLS_CTRL] = 6,
};
enum { CONST_LATENCY = 26 };

/* What a register holds between two certain writes of it in the region. */
struct value {
  uint32_t reads, left;     /* instructions that read it; of these, not yet placed */
  uint8_t pred, words;      /* of its kind: 0 registers, 1 predicates; how many */
  bool comes_in, out, live; /* lives before the region, behind it; now */
};

struct edge {
  uint32_t to, next, latency;
};

struct node {
  uint32_t rd[INSN_SRC + 1], wr[INSN_DST]; /* values; each once */
  uint32_t nrd, nwr;
  uint32_t head, preds;  /* edges to its successors; how many predecessors it has */
  uint32_t waits, ready; /* predecessors not yet placed; cycle from which nothing stalls it */
  uint32_t latency, height;
};

struct access { /* a load or store since the last fence */
  uint32_t node;
  bool store, known; /* known: extent and base */
  uint8_t space;
  uint32_t reg; /* base: NONE for a constant address; of two values of a register the accesses are in order anyway */
  int64_t from, bytes;
};

struct state { /* of registers while a region is built; valid if stamp is the region's number */
  uint32_t stamp, value, writer, readers;
};

struct reader {
  uint32_t node, next;
};

struct scheduler {
  struct work *w;
  uint32_t load, cap[2];
  uint32_t region, first, n; /* number of the region, its instructions */
  uint32_t *pressure[2];     /* per point of the code as written */
  struct state *reg;         /* per register */
  struct node node[REGION];
  struct value *value;
  struct edge *edge;
  struct access *access;
  struct reader *reader;
  uint32_t *mention; /* registers named in the region */
  uint32_t nvalue, nedge, naccess, nreader, nmention, cvalue, cedge, caccess, creader, cmention;
  uint32_t fence, convergent, clock; /* latest ones, or NONE */
  uint32_t base[2];                  /* registers occupied before the region */
  uint32_t order[REGION], ready[REGION], nready;
  uint32_t now[2], peak[2], length;
};

/* ---- dependences ---- */

static void schedule_depend(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency) {
  if (from == NONE || from == to) return;
  VEC_PUSH(s->edge, s->nedge, s->cedge) = (struct edge){to, s->node[from].head, latency};
  s->node[from].head = s->nedge - 1;
  s->node[to].preds++;
}

static uint32_t new_value(struct scheduler *s, uint32_t v) {
  const uint8_t words = s->w->words[v];
  VEC_PUSH(s->value, s->nvalue, s->cvalue) = (struct value){.pred = !words, .words = words ? words : 1};
  return s->nvalue - 1;
}

static struct state *schedule_state(struct scheduler *s, uint32_t v) {
  struct state *r = &s->reg[v];
  if (r->stamp == s->region) return r;
  *r = (struct state){s->region, new_value(s, v), NONE, NONE};
  s->value[r->value].comes_in = true;
  VEC_PUSH(s->mention, s->nmention, s->cmention) = v;
  return r;
}

static void schedule_read(struct scheduler *s, uint32_t at, uint32_t v) {
  struct node *x = &s->node[at];
  struct state *r = schedule_state(s, v);
  for (uint32_t k = 0; k < x->nrd; k++)
    if (x->rd[k] == r->value) return;
  x->rd[x->nrd++] = r->value;
  s->value[r->value].reads++;
  if (r->writer != NONE) schedule_depend(s, r->writer, at, s->node[r->writer].latency);
  VEC_PUSH(s->reader, s->nreader, s->creader) = (struct reader){at, r->readers};
  r->readers = s->nreader - 1;
}

/* A guarded write may keep the old value: it is the same one still. */
static void schedule_write(struct scheduler *s, uint32_t at, uint32_t v, bool guarded) {
  struct node *x = &s->node[at];
  struct state *r = schedule_state(s, v);
  if (r->writer != NONE) schedule_depend(s, r->writer, at, s->node[r->writer].latency);
  for (uint32_t k = r->readers; k != NONE; k = s->reader[k].next) schedule_depend(s, s->reader[k].node, at, 0);
  if (!guarded) r->value = new_value(s, v);
  r->writer = at;
  r->readers = NONE;
  x->wr[x->nwr++] = r->value;
}

static enum order order_of(const struct insn *i) {
  const enum order order = (enum order)insn_traits[i->op].order;
  if (order != ORDER_LOAD && order != ORDER_STORE) return order;
  if (i->mods & M_VOLATILE) return ORDER_FENCE;
  if (order == ORDER_STORE) return ORDER_STORES;
  if (i->space == SP_PARAM || i->space == SP_CONST) return ORDER_FREE;
  return i->mods & M_NC ? ORDER_CONSTANTS : ORDER_LOADS;
}

static bool insn_reads_clock(const struct insn *i) {
  for (unsigned k = 0; k < i->nsrc; k++)
    if (i->src[k].kind == O_SREG && i->src[k].reg >= SR_CLOCK && i->src[k].reg <= SR_GLOBALTIMER) return true;
  return false;
}

static struct access schedule_access(const struct insn *i, uint32_t at) {
  struct access a = {.node = at,
                     .store = order_of(i) == ORDER_STORES,
                     .space = insn_texture(i) ? SP_GLOBAL : i->space,
                     .reg = NONE,
                     .from = i->offset};
  a.bytes = (int64_t)dtype_bytes((enum dtype)i->type) * (i->vec ? i->vec : 1);
  a.known = (i->op == OP_LD || i->op == OP_ST) && i->offset > -FAR && i->offset < FAR;
  if (i->src[0].kind == O_REG) {
    a.reg = i->src[0].reg;
  } else if (i->src[0].kind == O_IMM && i->src[0].imm < FAR) {
    a.from += (int64_t)i->src[0].imm;
  } else {
    a.known = false;
  }
  return a;
}

static bool may_meet(const struct access *a, const struct access *b) {
  if (a->space != b->space && a->space != SP_GENERIC && b->space != SP_GENERIC) return false;
  if (a->space != b->space || !a->known || !b->known || a->reg != b->reg) return true;
  return a->from < b->from + b->bytes && b->from < a->from + a->bytes;
}

static void order_memory(struct scheduler *s, uint32_t at, const struct insn *i) {
  const enum order order = order_of(i);
  if (order == ORDER_FREE) return;
  schedule_depend(s, s->fence, at, 1);
  if (order == ORDER_FENCE) {
    for (uint32_t k = 0; k < s->naccess; k++) schedule_depend(s, s->access[k].node, at, 1);
    s->naccess = 0;
    s->fence = at;
    return;
  }
  const struct access a = schedule_access(i, at);
  for (uint32_t k = 0; k < s->naccess && order != ORDER_CONSTANTS; k++) {
    const struct access *b = &s->access[k];
    const bool constant = order_of(&s->w->c->insn[s->first + b->node]) == ORDER_CONSTANTS;
    if ((a.store && b->store) || (a.store != b->store && !constant && may_meet(&a, b)))
      schedule_depend(s, b->node, at, 1);
  }
  VEC_PUSH(s->access, s->naccess, s->caccess) = a;
}

static void order_rest(struct scheduler *s, uint32_t at, const struct insn *i) {
  schedule_depend(s, s->clock, at, 1);
  if (insn_is(i, TRAIT_CONVERGENT)) {
    schedule_depend(s, s->convergent, at, 1);
    s->convergent = at;
  }
  if (!insn_reads_clock(i)) return;
  for (uint32_t k = s->clock == NONE ? 0 : s->clock + 1; k < at; k++) schedule_depend(s, k, at, 1);
  s->clock = at;
}

static uint32_t latency_of(const struct scheduler *s, const struct insn *i) {
  if (i->op == OP_LD && (i->space == SP_PARAM || i->space == SP_CONST)) return CONST_LATENCY;
  if (insn_is(i, TRAIT_LATE)) return s->load;
  return class_latency[insn_class(i)];
}

/* ---- a region ---- */

static bool schedule_is_occupied(const struct live_ranges *r, uint32_t v, uint32_t point) {
  uint32_t lo = r->start[v], hi = r->start[v + 1];
  while (lo < hi) {
    const uint32_t mid = lo + (hi - lo) / 2;
    if (r->seg[mid].to <= point) lo = mid + 1;
    else hi = mid;
  }
  return lo < r->start[v + 1] && r->seg[lo].from <= point;
}

/* Which values live before and behind the region, and how many registers are occupied before it. */
static void find_ends(struct scheduler *s) {
  const uint32_t last = s->first + s->n - 1;
  for (unsigned kind = 0; kind < 2; kind++) s->base[kind] = s->pressure[kind][last];
  for (uint32_t k = 0; k < s->nmention; k++) {
    const uint32_t v = s->mention[k];
    struct value *x = &s->value[s->reg[v].value];
    x->out = schedule_is_occupied(&s->w->r, v, last);
    if (x->out) s->base[x->pred] -= x->words;
  }
  for (uint32_t k = 0; k < s->nvalue; k++) {
    struct value *x = &s->value[k];
    x->comes_in = x->comes_in && (x->reads || x->out);
    if (x->comes_in) s->base[x->pred] += x->words;
  }
}

static void begin_region(struct scheduler *s, uint32_t first, uint32_t end) {
  s->region++;
  s->first = first;
  s->n = end - first;
  s->nvalue = s->nedge = s->naccess = s->nreader = s->nmention = 0;
  s->fence = s->convergent = s->clock = NONE;
  memset(s->node, 0, s->n * sizeof *s->node);
  for (uint32_t at = 0; at < s->n; at++) {
    const struct insn *i = &s->w->c->insn[first + at];
    const struct opnd *o[INSN_SRC + 1];
    s->node[at].head = NONE;
    s->node[at].latency = latency_of(s, i);
    unsigned n = insn_reads(i, o);
    for (unsigned k = 0; k < n; k++) schedule_read(s, at, o[k]->reg);
    order_memory(s, at, i);
    order_rest(s, at, i);
    n = insn_writes(i, o);
    for (unsigned k = 0; k < n; k++) schedule_write(s, at, o[k]->reg, i->guard.kind == O_PRED);
  }
  find_ends(s);
  for (uint32_t at = s->n; at-- > 0;) {
    struct node *x = &s->node[at];
    x->height = x->latency;
    for (uint32_t k = x->head; k != NONE; k = s->edge[k].next) {
      const uint32_t below = s->edge[k].latency + s->node[s->edge[k].to].height;
      if (below > x->height) x->height = below;
    }
  }
}

/* ---- an order ---- */

/* Occupied at the point of an instruction, were it placed now, and behind it; per kind. */
struct demand {
  uint32_t at[2], behind[2];
};

static bool schedule_among(const uint32_t *list, uint32_t n, uint32_t x) {
  for (uint32_t k = 0; k < n; k++)
    if (list[k] == x) return true;
  return false;
}

static struct demand demand_of(const struct scheduler *s, const struct node *x) {
  struct demand d = {{s->now[0], s->now[1]}, {0, 0}};
  uint32_t unused[2] = {0, 0};
  for (uint32_t k = 0; k < x->nrd; k++) {
    const struct value *v = &s->value[x->rd[k]];
    if (v->live && v->left == 1 && !v->out && !schedule_among(x->wr, x->nwr, x->rd[k])) d.at[v->pred] -= v->words;
  }
  for (uint32_t k = 0; k < x->nwr; k++) {
    const struct value *v = &s->value[x->wr[k]];
    const bool last = v->left == schedule_among(x->rd, x->nrd, x->wr[k]) && !v->out;
    if (!v->live) d.at[v->pred] += v->words;
    if (last) unused[v->pred] += v->words;
  }
  for (unsigned kind = 0; kind < 2; kind++) d.behind[kind] = d.at[kind] - unused[kind];
  return d;
}

static void begin_order(struct scheduler *s) {
  s->nready = s->length = 0;
  for (uint32_t k = 0; k < s->nvalue; k++) {
    s->value[k].left = s->value[k].reads;
    s->value[k].live = s->value[k].comes_in;
  }
  for (uint32_t at = 0; at < s->n; at++) {
    s->node[at].waits = s->node[at].preds;
    s->node[at].ready = 0;
    if (!s->node[at].waits) s->ready[s->nready++] = at;
  }
  for (unsigned kind = 0; kind < 2; kind++) s->now[kind] = s->peak[kind] = s->base[kind];
}

/* Issues a node no earlier than *cycle; *cycle: the next one's first. */
static void schedule_place(struct scheduler *s, uint32_t at, uint32_t *cycle) {
  struct node *x = &s->node[at];
  const struct demand d = demand_of(s, x);
  const uint32_t issue = x->ready > *cycle ? x->ready : *cycle;
  for (unsigned kind = 0; kind < 2; kind++) {
    if (d.at[kind] > s->peak[kind]) s->peak[kind] = d.at[kind];
    s->now[kind] = d.behind[kind];
  }
  for (uint32_t k = 0; k < x->nrd; k++) s->value[x->rd[k]].left--;
  for (uint32_t k = 0; k < x->nwr; k++) s->value[x->wr[k]].live = true;
  for (uint32_t k = 0; k < x->nrd + x->nwr; k++) {
    struct value *v = &s->value[k < x->nrd ? x->rd[k] : x->wr[k - x->nrd]];
    if (!v->left && !v->out) v->live = false;
  }
  for (uint32_t k = x->head; k != NONE; k = s->edge[k].next) {
    struct node *to = &s->node[s->edge[k].to];
    if (issue + s->edge[k].latency > to->ready) to->ready = issue + s->edge[k].latency;
    if (!--to->waits) s->ready[s->nready++] = s->edge[k].to;
  }
  if (issue + x->latency > s->length) s->length = issue + x->latency;
  *cycle = issue + 1;
}

static bool schedule_key_less(const uint64_t *a, const uint64_t *b, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    if (a[k] != b[k]) return a[k] < b[k];
  return false;
}

/* Which of s->ready comes next. */
static uint32_t schedule_choose(const struct scheduler *s, const uint32_t cap[2], uint32_t cycle) {
  uint64_t best[5] = {0};
  uint32_t choice = NONE;
  for (uint32_t k = 0; k < s->nready; k++) {
    const struct node *x = &s->node[s->ready[k]];
    const struct demand d = demand_of(s, x);
    uint64_t over = 0, behind = 0;
    for (unsigned kind = 0; kind < 2; kind++) {
      over += d.at[kind] > cap[kind] ? d.at[kind] - cap[kind] : 0;
      behind += d.behind[kind];
    }
    const uint64_t key[5] = {over, over ? behind : 0, x->ready > cycle ? x->ready - cycle : 0, UINT32_MAX - x->height,
                             s->ready[k]};
    if (choice != NONE && !schedule_key_less(key, best, 5)) continue;
    memcpy(best, key, sizeof best);
    choice = k;
  }
  return choice;
}

static void list_order(struct scheduler *s, const uint32_t cap[2]) {
  uint32_t cycle = 0;
  begin_order(s);
  for (uint32_t n = 0; n < s->n; n++) {
    const uint32_t k = schedule_choose(s, cap, cycle);
    s->order[n] = s->ready[k];
    s->ready[k] = s->ready[--s->nready];
    schedule_place(s, s->order[n], &cycle);
  }
}

static void written_order(struct scheduler *s) {
  uint32_t cycle = 0;
  begin_order(s);
  for (uint32_t at = 0; at < s->n; at++) schedule_place(s, at, &cycle);
}

static void take_order(struct scheduler *s) {
  struct insn *code = s->w->c->insn + s->first, *old = xmalloc(s->n * sizeof *old);
  memcpy(old, code, s->n * sizeof *old);
  for (uint32_t k = 0; k < s->n; k++) code[k] = old[s->order[k]];
  free(old);
}

static void schedule_region(struct scheduler *s, uint32_t first, uint32_t end) {
  if (end - first < 2) return;
  begin_region(s, first, end);
  written_order(s);
  const uint32_t written = s->length, most[2] = {u32_max(s->peak[0], s->cap[0]), u32_max(s->peak[1], s->cap[1])};
  uint32_t cap[2] = {s->cap[0], s->cap[1]};
  for (unsigned t = 0; t < TRIES; t++) {
    list_order(s, cap);
    if (s->peak[0] <= most[0] && s->peak[1] <= most[1]) {
      if (s->length < written) take_order(s);
      return;
    }
    if (s->peak[0] > most[0]) cap[0] -= (cap[0] + 7) / 8;
    if (s->peak[1] > most[1]) cap[1] -= (cap[1] + 7) / 8;
  }
}

/* ---- a kernel ---- */

void schedule_code(struct work *w, const struct schedule *how, uint32_t limit) {
  if (!how->list || !w->c->n) return;
  struct scheduler *s = xcalloc(1, sizeof *s);
  struct graph g;
  s->w = w;
  s->load = how->load;
  s->cap[0] = limit && limit < how->regs ? limit : how->regs;
  s->cap[1] = PREDICATES;
  work_ranges(w);
  for (unsigned kind = 0; kind < 2; kind++) {
    s->pressure[kind] = xcalloc((size_t)w->c->n + 1, sizeof *s->pressure[kind]);
    pressure_build(w, kind, s->pressure[kind]);
  }
  s->reg = xcalloc((size_t)w->nv + 1, sizeof *s->reg);
  graph_build(w->c, &g);
  for (uint32_t b = 0; b < g.n; b++) {
    const uint32_t end = g.block[b].end - insn_ends_block(&w->c->insn[g.block[b].end - 1]);
    for (uint32_t at = g.block[b].first; at < end; at += REGION)
      schedule_region(s, at, end - at < REGION ? end : at + REGION);
  }
  graph_free(&g);
  free(s->pressure[0]);
  free(s->pressure[1]);
  free(s->reg);
  free(s->value);
  free(s->edge);
  free(s->access);
  free(s->reader);
  free(s->mention);
  free(s);
}

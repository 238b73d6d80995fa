/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of pfu's bench: a third program for the page, which predicts every output and register. It goes from warp to
 * warp: each keeps its working set, live and present registers itself, whether it has a slot or not, so there are no
 * rows and nothing is copied. What a PREFETCH has still to do is a list of register numbers; free banks and slots are lists, too.
 * docs/blocks/ltrf/pfu.md
 */
#ifndef RT_TB_PFU_ORACLE_H
#define RT_TB_PFU_ORACLE_H

#include <string.h>

#include "base/bits.h"
#include "blocks/ltrf/pfu.h"
#include "tb.h"

#define EXPECT pfu
#define EXPECT_DEF "blocks/ltrf/pfu.def"
#include "expect.h"

enum {
  PORTS = TB_PARAM(NumPorts),
  SLOTS = TB_PARAM(NumSlots),
  PLACES = TB_PARAM(NumCacheBanks), /* cache banks, registers of an interval */
  BANKS = TB_PARAM(NumMainBanks),
  PLUS = TB_PARAM(LiveOnly),
  WRITES = TB_PARAM(NumResults),
  REGS = TB_PARAM(NumRegisters),
  WARPS = TB_PARAM(NumWarps),
  SOURCES = 6,
  DESTS = 4,
  NOBODY = 1000
};

struct queue { /* free numbers, the next one first */
  unsigned n, id[32];
};

struct list { /* registers in ascending order; `at` of them have been handled */
  unsigned at, n, r[REGS];
};

struct warp {
  bool active;
  bool ws[REGS], live[REGS]; /* kept while it is inactive */
  /* of an active one */
  unsigned slot, step, op;
  bool has[REGS], comes[REGS]; /* present; read from the MRF and not yet here */
  unsigned place[REGS];        /* cache bank of both */
  unsigned reads;              /* how many come */
  struct list todo;
  struct queue free;
};

struct slot {
  unsigned warp;                 /* NOBODY: free */
  unsigned shown_warp, shown_op; /* of the last command */
};

struct look { /* a look-up */
  bool busy, shown;
  unsigned w, n, r[SOURCES], pairs; /* pairs: that have been read */
  bool ok[SOURCES];
  unsigned place[SOURCES], off;
  bool active[3]; /* for bins: the warp was active when pair k was read, its slot */
  unsigned slot[3];
};

struct oracle {
  struct warp warp[WARPS];
  struct slot slot[SLOTS];
  struct queue slots;
  unsigned arbiter, teller; /* slots with which the searches for a grant and for a done one begin */
  struct look look[PORTS];
};

/* What happens in a cycle. */
struct plan {
  struct {
    enum wish { NOTHING, HELD, DROP, BACK, TAKE, FETCH } wish; /* HELD: by a write; DROP and TAKE: at once */
    unsigned r;
    bool mrf, rfc, eligible;
  } slot[SLOTS];
  unsigned granted, told; /* slots; or NOBODY */
  bool ready, taken;      /* the command */
};

/* ---- lists ---- */

static unsigned pfu_queue_first(const struct queue *q) { return q->id[0]; }

static unsigned pfu_queue_pop(struct queue *q) {
  unsigned id = q->id[0];
  for (unsigned i = 1; i < q->n; i++) q->id[i - 1] = q->id[i];
  q->n--;
  return id;
}

static void pfu_queue_push(struct queue *q, unsigned id) { q->id[q->n++] = id; }

static void pfu_queue_fill(struct queue *q, unsigned n) {
  q->n = 0;
  for (unsigned i = 0; i < n; i++) pfu_queue_push(q, i);
}

static bool pfu_list_is_done(const struct list *l) { return l->at == l->n; }
static unsigned pfu_list_next(const struct list *l) { return l->r[l->at]; }

static void pfu_list_fill(struct list *l, const bool *is, const bool *but) {
  l->at = l->n = 0;
  for (unsigned r = 0; r < REGS; r++) {
    if (is[r] && !(but && but[r])) l->r[l->n++] = r;
  }
}

static unsigned pfu_regs_count(const bool *is) {
  unsigned n = 0;
  for (unsigned r = 0; r < REGS; r++) n += is[r];
  return n;
}

static void pfu_regs_from_port(bool *is, const uint64_t *port) {
  for (unsigned r = 0; r < REGS; r++) is[r] = set_has(port, r);
}

static bool pfu_regs_are_same(const bool *a, const bool *b) {
  for (unsigned r = 0; r < REGS; r++) {
    if (a[r] != b[r]) return false;
  }
  return true;
}

/* ---- the inputs ---- */

static bool pfu_result_names(const struct pfu_in *in, unsigned k, unsigned w, unsigned r) {
  return bit_is64(in->result_valid_i, k) && in->result_warp_i[k] == w && in->result_register_i[k] == r;
}

static bool pfu_register_is_written(const struct pfu_in *in, unsigned w, unsigned r) {
  for (unsigned k = 0; k < WRITES; k++) {
    if (pfu_result_names(in, k, w, r)) return true;
  }
  return false;
}

static unsigned pfu_oracle_mrf_bank(unsigned w, unsigned r) { return (r + w) % BANKS; }

/* ---- the state at the cycle's start ---- */

static void pfu_oracle_reset(struct oracle *o) {
  memset(o, 0, sizeof *o);
  for (unsigned i = 0; i < SLOTS; i++) o->slot[i].warp = NOBODY;
  pfu_queue_fill(&o->slots, SLOTS);
}

static struct warp *pfu_oracle_holder(struct oracle *o, unsigned slot) {
  return o->slot[slot].warp == NOBODY ? NULL : &o->warp[o->slot[slot].warp];
}
static const struct warp *pfu_oracle_const_holder(const struct oracle *o, unsigned slot) {
  return o->slot[slot].warp == NOBODY ? NULL : &o->warp[o->slot[slot].warp];
}

static bool pfu_oracle_is_ready(const struct oracle *o, unsigned op, unsigned w) {
  if (op == PFU_ACTIVATE) return o->slots.n && !o->warp[w].active;
  return o->warp[w].active && o->warp[w].step == PFU_IDLE;
}

static void pfu_oracle_wish_of(const struct oracle *o, const struct pfu_in *in, struct plan *p, unsigned i) {
  const struct warp *w = pfu_oracle_const_holder(o, i);
  p->slot[i].wish = NOTHING;
  if (!w || (w->step != PFU_EVICT && w->step != PFU_ALLOCATE) || pfu_list_is_done(&w->todo)) return;
  const unsigned r = pfu_list_next(&w->todo);
  const bool moves = !PLUS || w->live[r], leaves = w->step == PFU_EVICT;
  p->slot[i].r = r;
  p->slot[i].mrf = words_get(in->main_ready_i, pfu_oracle_mrf_bank(o->slot[i].warp, r), 1);
  p->slot[i].rfc = leaves && bit_is64(in->cache_ready_i, w->place[r]);
  if (leaves) {
    p->slot[i].wish = pfu_register_is_written(in, o->slot[i].warp, r) ? HELD : moves ? BACK : DROP;
  } else {
    p->slot[i].wish = moves ? FETCH : TAKE;
  }
  if (p->slot[i].wish == FETCH) p->slot[i].eligible = p->slot[i].mrf;
  if (p->slot[i].wish == BACK) p->slot[i].eligible = p->slot[i].mrf && p->slot[i].rfc;
}

static bool pfu_oracle_is_candidate(const struct oracle *o, const struct pfu_in *in, unsigned i) {
  const struct warp *w = pfu_oracle_const_holder(o, i);
  return w && w->step == PFU_DONE && !(w->op == PFU_DEACTIVATE && in->start_valid_i);
}

static void pfu_oracle_plan(const struct oracle *o, const struct pfu_in *in, struct plan *p) {
  memset(p, 0, sizeof *p);
  p->granted = p->told = NOBODY;
  for (unsigned i = 0; i < SLOTS; i++) pfu_oracle_wish_of(o, in, p, i);
  for (unsigned k = 0; k < SLOTS && p->granted == NOBODY; k++) {
    unsigned i = (o->arbiter + k) % SLOTS;
    if (p->slot[i].eligible) p->granted = i;
  }
  for (unsigned k = 0; k < SLOTS && p->told == NOBODY; k++) {
    unsigned i = (o->teller + k) % SLOTS;
    if (pfu_oracle_is_candidate(o, in, i)) p->told = i;
  }
  p->ready = pfu_oracle_is_ready(o, (unsigned)in->command_i, (unsigned)in->command_warp_i);
  p->taken = p->ready && in->command_valid_i;
}

/* ---- a cycle's outputs ---- */

static bool pfu_oracle_look_ready(const struct oracle *o, unsigned port) { return !o->look[port].busy; }

static void pfu_oracle_show_looks(const struct oracle *o, struct pfu_out *out) {
  for (unsigned p = 0; p < PORTS; p++) {
    const struct look *l = &o->look[p];
    out->lookup_ready_o |= (uint64_t)!l->busy << p;
    if (!l->shown) continue;
    out->response_valid_o |= UINT64_C(1) << p;
    out->response_slot_o[p] = (uint8_t)l->off;
    for (unsigned k = 0; k < SOURCES; k++) {
      out->response_hit_o[p] |= (uint8_t)(l->ok[k] << k);
      out->response_bank_o[p][k] = (uint8_t)l->place[k];
    }
  }
}

static void pfu_oracle_show_writes(const struct oracle *o, const struct pfu_in *in, struct pfu_out *out) {
  for (unsigned k = 0; k < WRITES; k++) {
    const struct warp *w = &o->warp[in->result_warp_i[k]];
    const unsigned r = in->result_register_i[k];
    if (!bit_is64(in->result_valid_i, k) || !w->active || !w->has[r]) continue;
    out->result_hit_o |= UINT64_C(1) << k;
    out->result_slot_o[k] = (uint8_t)w->slot;
    out->result_bank_o[k] = (uint8_t)w->place[r];
  }
}

static void pfu_oracle_out(const struct oracle *o, const struct pfu_in *in, const struct plan *p, struct pfu_out *out) {
  memset(out, 0, sizeof *out);
  pfu_oracle_show_looks(o, out);
  pfu_oracle_show_writes(o, in, out);
  out->command_ready_o = p->ready;
  if (p->told != NOBODY)
    out->done_valid_o = 1, out->done_warp_o = o->slot[p->told].warp,
    out->done_command_o = pfu_oracle_const_holder(o, p->told)->op;
  if (p->granted != NOBODY) {
    const unsigned r = p->slot[p->granted].r;
    if (p->slot[p->granted].wish == FETCH) {
      out->main_read_valid_o = 1, out->main_read_warp_o = o->slot[p->granted].warp, out->main_read_register_o = r,
      out->main_read_slot_o = p->granted;
    } else {
      out->main_write_valid_o = 1, out->main_write_warp_o = o->slot[p->granted].warp, out->main_write_register_o = r;
      out->cache_read_bank_o = pfu_oracle_const_holder(o, p->granted)->place[r], out->cache_read_slot_o = p->granted;
    }
  }
  if (in->fill_valid_i)
    out->cache_write_bank_o = pfu_oracle_const_holder(o, (unsigned)in->fill_slot_i)->place[in->fill_register_i],
    out->cache_write_slot_o = in->fill_slot_i;
}

static void pfu_regs_to_words(uint64_t *words, const bool *is) {
  for (unsigned r = 0; r < REGS; r++) {
    if (is[r]) set_add(words, r);
  }
}

static void pfu_oracle_state(const struct oracle *o, struct pfu_state *st) {
  memset(st, 0, sizeof *st);
  for (unsigned w = 0; w < WARPS; w++) st->active_q |= (uint64_t)o->warp[w].active << w;
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct warp *w = pfu_oracle_const_holder(o, i);
    st->warp_q[i] = (uint8_t)o->slot[i].shown_warp, st->command_q[i] = (uint8_t)o->slot[i].shown_op;
    if (!w) continue;
    st->state_q[i] = (uint8_t)w->step, st->outstanding_q[i] = (uint8_t)w->reads;
    pfu_regs_to_words(st->present_q[i], w->has);
    if (w->step != PFU_LOAD) pfu_regs_to_words(st->working_set_q[i], w->ws), pfu_regs_to_words(st->live_q[i], w->live);
    for (unsigned k = w->todo.at; k < w->todo.n; k++) set_add(st->todo_q[i], w->todo.r[k]);
  }
  st->done_pointer_q = o->teller;
}

/* ---- a cycle's effects ---- */

static void pfu_oracle_read_pair(const struct oracle *o, struct look *l) {
  const struct warp *w = &o->warp[l->w];
  for (unsigned k = 2 * l->pairs; k < 2 * l->pairs + 2; k++) {
    l->ok[k] = k < l->n && w->active && w->has[l->r[k]];
    l->place[k] = l->ok[k] ? w->place[l->r[k]] : 0;
  }
  l->off = w->active ? w->slot : 0;
  l->active[l->pairs] = w->active, l->slot[l->pairs] = l->off;
  l->pairs++;
  l->shown = 2 * l->pairs >= l->n;
  l->busy = !l->shown;
}

static void pfu_oracle_look_up(struct oracle *o, const struct pfu_in *in, unsigned p) {
  struct look *l = &o->look[p];
  l->shown = false;
  if (l->busy) {
    pfu_oracle_read_pair(o, l);
  } else if (bit_is64(in->lookup_valid_i, p)) {
    memset(l, 0, sizeof *l);
    l->w = in->lookup_warp_i[p], l->n = in->lookup_count_i[p];
    for (unsigned k = 0; k < SOURCES; k++) l->r[k] = in->lookup_source_i[p][k];
    pfu_oracle_read_pair(o, l);
  }
}

static void pfu_oracle_issue(struct oracle *o, const struct pfu_in *in, unsigned p) {
  if (!bit_is64(in->issue_valid_i, p)) return;
  struct warp *w = &o->warp[in->issue_warp_i[p]];
  for (unsigned k = 0; k < SOURCES; k++) {
    if (bit_is64(in->issue_source_valid_i[p], k) && bit_is64(in->issue_dead_i[p], k))
      w->live[in->issue_source_i[p][k]] = false;
  }
  for (unsigned k = 0; k < DESTS; k++) {
    if (bit_is64(in->issue_destination_valid_i[p], k)) w->live[in->issue_destination_i[p][k]] = true;
  }
}

static void pfu_oracle_evict_register(struct warp *w, unsigned r) {
  w->has[r] = false;
  pfu_queue_push(&w->free, w->place[r]);
  w->todo.at++;
}

/* A slot in one of the states in which it goes on by itself; done is not one. */
static void pfu_oracle_advance_slot(struct oracle *o, const struct plan *p, unsigned i) {
  struct warp *w = pfu_oracle_holder(o, i);
  const unsigned r = p->slot[i].r;
  const enum wish wish = p->slot[i].wish;
  const bool granted = p->granted == i;
  if (!w) return;
  switch (w->step) {
    case PFU_LOAD:
      pfu_list_fill(&w->todo, w->ws, NULL);
      w->step = PFU_ALLOCATE;
      break;
    case PFU_EVICT:
      if (wish == DROP || granted) {
        pfu_oracle_evict_register(w, r);
      } else if (wish == NOTHING && w->op == PFU_DEACTIVATE) {
        w->step = PFU_DONE;
      } else if (wish == NOTHING) {
        pfu_list_fill(&w->todo, w->ws, w->has);
        w->step = PFU_ALLOCATE;
      }
      break;
    case PFU_ALLOCATE:
      if (wish == TAKE || granted) {
        w->place[r] = pfu_queue_pop(&w->free);
        w->todo.at++;
        w->has[r] = wish == TAKE, w->comes[r] = wish == FETCH;
        w->reads += wish == FETCH;
      } else if (wish == NOTHING) {
        w->step = PFU_WAIT;
      }
      break;
    case PFU_WAIT:
      if (!w->reads) w->step = PFU_DONE;
      break;
    default: break;
  }
}

static void pfu_oracle_tell(struct oracle *o, unsigned i) {
  struct warp *w = pfu_oracle_holder(o, i);
  o->teller = (i + 1) % SLOTS;
  w->step = PFU_IDLE;
  if (w->op != PFU_DEACTIVATE && w->op != PFU_END) return;
  w->active = false;
  memset(w->has, 0, sizeof w->has);
  w->todo.at = w->todo.n = 0;
  o->slot[i].warp = NOBODY;
  pfu_queue_push(&o->slots, i);
}

static void pfu_oracle_accept(struct oracle *o, const struct pfu_in *in, unsigned taken_slot) {
  const unsigned op = (unsigned)in->command_i, number = (unsigned)in->command_warp_i;
  struct warp *w = &o->warp[number];
  bool vector[REGS];
  w->op = op;
  switch (op) {
    case PFU_ACTIVATE:
      w->active = true, w->slot = taken_slot, w->reads = 0, w->step = PFU_LOAD;
      memset(w->has, 0, sizeof w->has), memset(w->comes, 0, sizeof w->comes);
      w->todo.at = w->todo.n = 0;
      pfu_queue_fill(&w->free, PLACES);
      o->slot[taken_slot].warp = number;
      break;
    case PFU_DEACTIVATE:
      pfu_list_fill(&w->todo, w->has, NULL);
      w->step = PFU_EVICT;
      break;
    case PFU_PREFETCH:
      pfu_regs_from_port(vector, in->command_registers_i);
      if (pfu_regs_are_same(vector, w->ws) && pfu_regs_are_same(vector, w->has)) {
        w->step = PFU_DONE;
      } else {
        memcpy(w->ws, vector, sizeof w->ws);
        pfu_list_fill(&w->todo, w->has, vector);
        w->step = PFU_EVICT;
      }
      break;
    default: w->step = PFU_DONE; break;
  }
  o->slot[w->slot].shown_warp = number, o->slot[w->slot].shown_op = op;
}

static void pfu_oracle_edge(struct oracle *o, const struct pfu_in *in, const struct plan *p) {
  /* a slot is taken before one comes back in the same cycle */
  const unsigned taken_slot = p->taken && in->command_i == PFU_ACTIVATE ? pfu_queue_pop(&o->slots) : NOBODY;
  for (unsigned k = 0; k < PORTS; k++) pfu_oracle_look_up(o, in, k);
  for (unsigned k = 0; k < PORTS; k++) pfu_oracle_issue(o, in, k);
  for (unsigned i = 0; i < SLOTS; i++) pfu_oracle_advance_slot(o, p, i);
  if (p->granted != NOBODY) o->arbiter = (p->granted + 1) % SLOTS;
  if (in->fill_valid_i) {
    struct warp *w = pfu_oracle_holder(o, (unsigned)in->fill_slot_i);
    w->has[in->fill_register_i] = true, w->comes[in->fill_register_i] = false;
    w->reads--;
  }
  if (p->told != NOBODY) pfu_oracle_tell(o, p->told);
  if (p->taken) pfu_oracle_accept(o, in, taken_slot);
  if (in->start_valid_i) {
    struct warp *w = &o->warp[in->start_warp_i];
    memset(w->ws, 0, sizeof w->ws);
    pfu_regs_from_port(w->live, in->start_live_i);
  }
}

/* ---- the page's invariants, of the oracle itself ---- */

static void pfu_oracle_check(struct tb_run *t, const struct oracle *o) {
  unsigned active = 0;
  for (unsigned i = 0; i < WARPS; i++) active += o->warp[i].active;
  tb_expect(t, active + o->slots.n == SLOTS, "%u active warps, %u free slots", active, o->slots.n);
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct warp *w = pfu_oracle_const_holder(o, i);
    bool used[PLACES] = {false};
    if (!w) continue;
    tb_expect(t, w->active && w->slot == i, "slot %u is that of no active warp", i);
    tb_expect(t, pfu_regs_count(w->has) + w->reads + w->free.n == PLACES, "slot %u: banks are missing", i);
    for (unsigned r = 0; r < REGS; r++) {
      if (!w->has[r] && !w->comes[r]) continue;
      tb_expect(t, !used[w->place[r]], "slot %u: two registers in bank %u", i, w->place[r]);
      used[w->place[r]] = true;
      tb_expect(t, w->step == PFU_EVICT || w->ws[r], "slot %u: %u is not in the working set", i, r);
    }
    tb_expect(t, w->step != PFU_IDLE || pfu_regs_are_same(w->has, w->ws), "slot %u is idle, but not complete", i);
  }
}

#endif

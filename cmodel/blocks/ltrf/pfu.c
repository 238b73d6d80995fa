/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pfu: warp control blocks and prefetch unit. docs/blocks/ltrf/pfu.md.
 *
 * All decisions use the registers at the cycle's start. The clock edge takes those of the slots from the masks of struct pfu,
 * which pfu_plan() made after the last edge, and the others from the outputs: the grant, the command and the one that is done.
 */
#include "blocks/ltrf/pfu.h"

#include <string.h>

#include "base/bits.h"

/* ---- sets of registers ---- */
static void pfu_set_without(uint64_t v[PFU_WORDS], const uint64_t *a, const uint64_t *b) {
  for (unsigned i = 0; i < PFU_WORDS; i++) v[i] = a[i] & ~b[i];
}

static void pfu_set_copy(uint64_t v[PFU_WORDS], const uint64_t *a) { memcpy(v, a, PFU_WORDS * sizeof *v); }
static bool pfu_set_same(const uint64_t *a, const uint64_t *b) { return !memcmp(a, b, PFU_WORDS * sizeof *a); }

/* The lowest register; -1: none. */
static int pfu_set_lowest(const uint64_t *v) {
  for (int i = 0; i < PFU_WORDS; i++)
    if (v[i]) return 64 * i + bit_low64(v[i]);
  return -1;
}

/* ---- reset ---- */
void pfu_size(struct pfu *s, const struct pfu_params *p) {
  s->size = *p;
  BLOCK_RULE((p->NumPorts == 1 || p->NumPorts == 2 || p->NumPorts == pfu_NumPorts_most) && p->LiveOnly <= 1);
  aau_size(&s->slots, &(struct aau_params){.Depth = p->NumSlots});
  for (unsigned k = 0; k < pfu_NumSlots_most; k++)
    aau_size(&s->banks[k], &(struct aau_params){.Depth = p->NumCacheBanks});
  farb_size(&s->farb, &(struct farb_params){
                          .NumSlots = p->NumSlots, .NumMainBanks = p->NumMainBanks, .NumCacheBanks = p->NumCacheBanks});
}

void pfu_reset(struct pfu *s) {
  memset(s, 0, sizeof *s);
  const struct pfu_params p = pfu_defaults();
  pfu_size(s, &p);
}

/* ---- what a cycle decides ---- */
static bool pfu_is_active(const struct pfu *s, uint64_t w) { return s->r.active_q >> w & 1; }

static bool pfu_is_ready(const struct pfu *s, const struct pfu_in *in) {
  const uint64_t w = in->command_warp_i;
  if (in->command_i == PFU_ACTIVATE) return s->slots.r.free_count_q && !pfu_is_active(s, w);
  return pfu_is_active(s, w) && s->r.state_q[s->slot[w]] == PFU_IDLE;
}

uint32_t pfu_kept(const struct pfu *s, const struct pfu_in *in) {
  uint32_t slots = 0;
  if (!s->evicts) return 0;
  for (uint64_t m = in->result_valid_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m), w = in->result_warp_i[i], k = s->slot[w];
    if (pfu_is_active(s, w) && s->evicts >> k & 1 && s->next[k] == in->result_register_i[i]) slots |= 1u << k;
  }
  return slots;
}

static int pfu_granted(const struct pfu *s, const struct pfu_in *in) {
  struct farb_in f = {.request_valid_i = s->asks & ~pfu_kept(s, in),
                      .request_write_back_i = s->evicts,
                      .cache_ready_i = in->cache_ready_i};
  memcpy(f.request_main_bank_i, s->main_bank, sizeof f.request_main_bank_i);
  memcpy(f.request_cache_bank_i, s->cache_bank, sizeof f.request_cache_bank_i);
  memcpy(f.main_ready_i, in->main_ready_i, sizeof f.main_ready_i);
  return farb_choose(&s->farb, &f);
}

/* ---- outputs ---- */
static void eval_main_file(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  const int k = pfu_granted(s, in);
  if (k < 0) return;
  if (s->evicts >> k & 1) {
    out->main_write_valid_o = 1;
    out->main_write_warp_o = s->r.warp_q[k];
    out->main_write_register_o = s->next[k];
    out->cache_read_bank_o = s->cache_bank[k];
    out->cache_read_slot_o = (uint64_t)k;
  } else {
    out->main_read_valid_o = 1;
    out->main_read_warp_o = s->r.warp_q[k];
    out->main_read_register_o = s->next[k];
    out->main_read_slot_o = (uint64_t)k;
  }
}

static void eval_results(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  for (uint64_t m = in->result_valid_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m), w = in->result_warp_i[i], r = in->result_register_i[i];
    const uint8_t k = s->slot[w];
    if (!pfu_is_active(s, w) || !set_has(s->r.present_q[k], r)) continue;
    out->result_hit_o |= bit_at64(i);
    out->result_slot_o[i] = k;
    out->result_bank_o[i] = s->bank[k][r];
  }
}

static void eval_done(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  uint32_t told = s->done;
  if (in->start_valid_i) /* a start writes its row, so that no DEACTIVATE can write one */
    for (uint32_t m = told; m; m &= m - 1)
      if (s->r.command_q[bit_low32(m)] == PFU_DEACTIVATE) told &= ~(m & -m);
  if (!told) return;
  const int k = bit_from64(told, (int)s->r.done_pointer_q);
  out->done_valid_o = 1;
  out->done_warp_o = s->r.warp_q[k];
  out->done_command_o = s->r.command_q[k];
}

void pfu_eval(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  *out = (struct pfu_out){.lookup_ready_o = (bit_at64(s->size.NumPorts) - 1) & ~(uint64_t)s->reading,
                          .command_ready_o = pfu_is_ready(s, in)};
  if (s->response.valid) {
    out->response_valid_o = s->response.valid;
    memcpy(out->response_slot_o, s->response.slot, sizeof out->response_slot_o);
    memcpy(out->response_hit_o, s->response.hit, sizeof out->response_hit_o);
    memcpy(out->response_bank_o, s->response.bank, sizeof out->response_bank_o);
  }
  if (s->done) eval_done(s, in, out);
  if (s->asks) eval_main_file(s, in, out);
  if (in->result_valid_i) eval_results(s, in, out);
  if (in->fill_valid_i) {
    out->cache_write_bank_o = s->bank[in->fill_slot_i][in->fill_register_i];
    out->cache_write_slot_o = in->fill_slot_i;
  }
}

/* ---- look-ups ---- */
/* The look-up of port p has been read: its response is shown from the next cycle on. */
static void pfu_respond(struct pfu *s, unsigned p, const struct pfu_lookup *l) {
  s->response.valid |= bit_at64(p);
  if (pfu_is_active(s, l->warp)) s->response.slot[p] = s->slot[l->warp];
  s->response.hit[p] = l->hit;
  for (unsigned i = 0; i < PFU_SOURCES; i++)
    if (l->hit >> i & 1) s->response.bank[p][i] = l->bank[i];
}

static void pfu_read_pair(struct pfu *s, unsigned p) {
  struct pfu_lookup *l = &s->lookup[p];
  const uint64_t k = s->slot[l->warp];
  const bool act = pfu_is_active(s, l->warp);
  const unsigned first = 2u * l->pair;
  for (unsigned i = first; act && i < first + 2 && i < l->count; i++) {
    if (!set_has(s->r.present_q[k], l->source[i])) continue;
    l->hit = (uint8_t)(l->hit | 1u << i);
    l->bank[i] = s->bank[k][l->source[i]];
  }
  l->pair++;
  s->reading |= 1u << p;
  if (first + 2 < l->count) return;
  s->reading &= ~(1u << p);
  pfu_respond(s, p, l);
}

static void take_lookup(struct pfu *s, const struct pfu_in *in, unsigned p) {
  struct pfu_lookup *l = &s->lookup[p];
  l->warp = in->lookup_warp_i[p];
  l->count = in->lookup_count_i[p];
  l->pair = l->hit = 0;
  memcpy(l->source, in->lookup_source_i[p], sizeof l->source);
  BLOCK_RULE(l->count >= 1 && l->count <= PFU_SOURCES && l->warp % s->size.NumPorts == p);
}

static void pfu_look_up(struct pfu *s, const struct pfu_in *in) {
  if (s->response.valid) memset(&s->response, 0, sizeof s->response);
  for (uint64_t m = in->lookup_valid_i; m; m &= m - 1) take_lookup(s, in, (unsigned)bit_low64(m));
  for (uint64_t m = in->lookup_valid_i | s->reading; m; m &= m - 1) pfu_read_pair(s, (unsigned)bit_low64(m));
}

/* ---- slots ---- */
static void end_evict(struct pfu *s, unsigned k) {
  if (s->r.command_q[k] == PFU_DEACTIVATE) {
    s->r.state_q[k] = PFU_DONE;
    return;
  }
  pfu_set_without(s->r.todo_q[k], s->r.working_set_q[k], s->r.present_q[k]);
  s->r.state_q[k] = PFU_ALLOCATE;
}

/* The change of state of a slot in `steps`. */
static void pfu_step_slot(struct pfu *s, unsigned k) {
  const struct pfu_row *row = &s->row[s->r.warp_q[k]];
  switch (s->r.state_q[k]) {
    case PFU_LOAD:
      pfu_set_copy(s->r.working_set_q[k], row->working_set);
      pfu_set_copy(s->r.live_q[k], row->live);
      pfu_set_copy(s->r.todo_q[k], row->working_set);
      s->r.state_q[k] = PFU_ALLOCATE;
      break;
    case PFU_EVICT: end_evict(s, k); break;
    case PFU_ALLOCATE: s->r.state_q[k] = PFU_WAIT; break;
    default: s->r.state_q[k] = PFU_DONE;
  }
}

/* The slot's next register leaves the cache, or gets a place in it; fetch: its value comes from the main register file. */
static void pfu_move(struct pfu *s, unsigned k, bool fetch) {
  const uint8_t r = s->next[k];
  set_del(s->r.todo_q[k], r);
  if (s->evicts >> k & 1) {
    set_del(s->r.present_q[k], r);
    aau_push(&s->banks[k], s->bank[k][r]);
    return;
  }
  s->bank[k][r] = (uint8_t)aau_pop(&s->banks[k]);
  if (fetch) s->r.outstanding_q[k]++;
  else set_add(s->r.present_q[k], r);
}

/* What the slot does next. */
static void pfu_plan(struct pfu *s, unsigned k) {
  const uint32_t me = 1u << k;
  s->steps &= ~me, s->drops &= ~me, s->asks &= ~me, s->evicts &= ~me, s->done &= ~me;
  const enum pfu_step state = s->r.state_q[k];
  if (state == PFU_IDLE) return;
  if (state == PFU_DONE) s->done |= me;
  if (state == PFU_LOAD || (state == PFU_WAIT && !s->r.outstanding_q[k])) s->steps |= me;
  if (state != PFU_EVICT && state != PFU_ALLOCATE) return;
  const int r = pfu_set_lowest(s->r.todo_q[k]);
  if (r < 0) {
    s->steps |= me;
    return;
  }
  s->next[k] = (uint8_t)r;
  if (state == PFU_EVICT) s->evicts |= me;
  if (s->size.LiveOnly && !set_has(s->r.live_q[k], (uint32_t)r)) {
    s->drops |= me;
    return;
  }
  s->asks |= me;
  s->main_bank[k] = (uint8_t)(((uint64_t)r + s->r.warp_q[k]) & (s->size.NumMainBanks - 1));
  s->cache_bank[k] = s->bank[k][r];
}

static void check_slot(const struct pfu *s, unsigned k) {
  const uint64_t *v = s->r.present_q[k], *ws = s->r.working_set_q[k];
  const enum pfu_step state = s->r.state_q[k];
  uint64_t n = 0, outside = 0, left = 0;
  if (!pfu_is_active(s, s->r.warp_q[k]) || s->slot[s->r.warp_q[k]] != k) return; /* nobody's */
  for (unsigned i = 0; i < PFU_WORDS; i++) {
    n += (uint64_t)bit_count64(v[i]);
    outside |= v[i] & ~ws[i];
    left |= state == PFU_IDLE ? ws[i] & ~v[i] : s->r.todo_q[k][i];
  }
  (void)n, (void)outside, (void)left;
  BLOCK_INVARIANT(n + s->r.outstanding_q[k] + s->banks[k].r.free_count_q == s->size.NumCacheBanks);
  BLOCK_INVARIANT(!outside || state == PFU_EVICT);
  BLOCK_INVARIANT(!left || state == PFU_EVICT || state == PFU_ALLOCATE);
  BLOCK_INVARIANT(!s->r.outstanding_q[k] || state == PFU_ALLOCATE || state == PFU_WAIT);
}

static uint32_t advance_slots(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  const uint32_t steps = s->steps, drops = s->drops ? s->drops & ~pfu_kept(s, in) : 0;
  uint32_t changed = steps | drops;
  for (uint32_t m = steps; m; m &= m - 1) pfu_step_slot(s, (unsigned)bit_low32(m));
  for (uint32_t m = drops; m; m &= m - 1) pfu_move(s, (unsigned)bit_low32(m), false);
  if (out->main_read_valid_o | out->main_write_valid_o) {
    const unsigned k = (unsigned)(out->main_read_valid_o ? out->main_read_slot_o : out->cache_read_slot_o);
    pfu_move(s, k, out->main_read_valid_o);
    farb_granted(&s->farb, k);
    changed |= 1u << k;
  }
  return changed;
}

/* ---- issue, start, fills ---- */
static void pfu_issue(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out, unsigned p) {
  const uint64_t w = in->issue_warp_i[p], k = s->slot[w];
  uint64_t *live = s->r.live_q[k];
  (void)out;
  BLOCK_RULE(w % s->size.NumPorts == p && pfu_is_active(s, w) && s->r.state_q[k] == PFU_IDLE);
  BLOCK_RULE(!in->command_valid_i || !out->command_ready_o || in->command_warp_i != w);
  for (uint32_t m = in->issue_source_valid_i[p] & in->issue_dead_i[p]; m; m &= m - 1)
    set_del(live, in->issue_source_i[p][bit_low32(m)]);
  for (uint32_t m = in->issue_destination_valid_i[p]; m; m &= m - 1)
    set_add(live, in->issue_destination_i[p][bit_low32(m)]);
}

static void pfu_start(struct pfu *s, const struct pfu_in *in) {
  struct pfu_row *row = &s->row[in->start_warp_i];
  memset(row->working_set, 0, sizeof row->working_set);
  pfu_set_copy(row->live, in->start_live_i);
  s->started |= bit_at64(in->start_warp_i);
}

static uint32_t pfu_fill(struct pfu *s, uint64_t k, uint64_t r) {
  set_add(s->r.present_q[k], (uint32_t)r);
  s->r.outstanding_q[k]--;
  return s->r.state_q[k] == PFU_WAIT ? 1u << k : 0; /* in allocate the next step does not depend on what has come */
}

/* ---- commands ---- */
static void pfu_activate(struct pfu *s, uint64_t w) {
  const uint64_t k = aau_pop(&s->slots);
  aau_start(&s->banks[k]);
  s->slot[w] = (uint8_t)k;
  s->r.active_q |= bit_at64(w);
  s->r.warp_q[k] = (uint8_t)w;
  s->r.state_q[k] = PFU_LOAD;
}

static void pfu_prefetch(struct pfu *s, const struct pfu_in *in, uint64_t k) {
  const uint64_t *to = in->command_registers_i, *v = s->r.present_q[k];
  uint64_t *ws = s->r.working_set_q[k];
  BLOCK_RULE((uint64_t)(bit_count64(to[0]) + bit_count64(to[1]) + bit_count64(to[2]) + bit_count64(to[3])) <=
             s->size.NumCacheBanks);
  if (pfu_set_same(to, ws) && pfu_set_same(to, v)) {
    s->r.state_q[k] = PFU_DONE;
    return;
  }
  pfu_set_copy(ws, to);
  pfu_set_without(s->r.todo_q[k], v, to);
  s->r.state_q[k] = PFU_EVICT;
}

static void check_end(struct pfu *s, const struct pfu_in *in) {
  for (uint64_t m = in->result_valid_i; m; m &= m - 1)
    BLOCK_RULE(in->result_warp_i[bit_low64(m)] != in->command_warp_i);
  s->started &= ~bit_at64(in->command_warp_i);
}

static uint32_t pfu_accept(struct pfu *s, const struct pfu_in *in) {
  const uint64_t w = in->command_warp_i;
  if (in->command_i == PFU_ACTIVATE) pfu_activate(s, w);
  const uint64_t k = s->slot[w];
  s->r.command_q[k] = (uint8_t)in->command_i;
  switch (in->command_i) {
    case PFU_ACTIVATE: break;
    case PFU_DEACTIVATE:
      pfu_set_copy(s->r.todo_q[k], s->r.present_q[k]);
      s->r.state_q[k] = PFU_EVICT;
      break;
    case PFU_PREFETCH: pfu_prefetch(s, in, k); break;
    default: check_end(s, in); s->r.state_q[k] = PFU_DONE;
  }
  return 1u << k;
}

/* The command of this warp has been reported as done. */
static uint32_t pfu_tell_done(struct pfu *s, uint64_t w) {
  const uint64_t k = s->slot[w];
  const enum pfu_command command = s->r.command_q[k];
  s->r.state_q[k] = PFU_IDLE;
  s->r.done_pointer_q = (k + 1) & (s->size.NumSlots - 1);
  if (command == PFU_DEACTIVATE) {
    pfu_set_copy(s->row[w].working_set, s->r.working_set_q[k]);
    pfu_set_copy(s->row[w].live, s->r.live_q[k]);
  }
  if (command == PFU_ACTIVATE || command == PFU_PREFETCH) return 1u << k;
  s->r.active_q &= ~bit_at64(w);
  aau_push(&s->slots, k);
  memset(s->r.present_q[k], 0, sizeof s->r.present_q[k]); /* todo_q is 0 already */
  memset(s->r.working_set_q[k], 0, sizeof s->r.working_set_q[k]);
  memset(s->r.live_q[k], 0, sizeof s->r.live_q[k]);
  return 1u << k;
}

/* ---- the clock edge ---- */
/* Two results for one register. */
static bool pfu_results_twice(const struct pfu_in *in) {
  for (uint64_t m = in->result_valid_i; m; m &= m - 1) {
    const int i = bit_low64(m);
    for (uint64_t n = m & (m - 1); n; n &= n - 1) {
      const int j = bit_low64(n);
      if (in->result_warp_i[i] == in->result_warp_i[j] && in->result_register_i[i] == in->result_register_i[j])
        return true;
    }
  }
  return false;
}

/* A read of this register for this slot has been granted and has not come back. */
static bool pfu_read_under_way(const struct pfu *s, uint64_t k, uint32_t r) {
  return s->r.outstanding_q[k] && set_has(s->r.working_set_q[k], r) && !set_has(s->r.present_q[k], r) &&
         !set_has(s->r.todo_q[k], r);
}

/* Rules that hold at the cycle's start. */
static void pfu_check_inputs(const struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  const bool act = in->command_valid_i && out->command_ready_o && in->command_i == PFU_ACTIVATE;
  (void)act, (void)pfu_results_twice, (void)pfu_read_under_way, (void)s;
  BLOCK_RULE(!(in->lookup_valid_i & s->reading));
  BLOCK_RULE(!(in->result_valid_i & (in->result_valid_i - 1)) || !pfu_results_twice(in));
  BLOCK_RULE(!in->start_valid_i ||
             (!pfu_is_active(s, in->start_warp_i) && !(act && in->command_warp_i == in->start_warp_i)));
  BLOCK_RULE(!in->fill_valid_i || pfu_read_under_way(s, in->fill_slot_i, (uint32_t)in->fill_register_i));
  BLOCK_RULE(!act || s->started >> in->command_warp_i & 1);
}

void pfu_advance(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  pfu_check_inputs(s, in, out);
  if (in->lookup_valid_i | s->reading | s->response.valid) pfu_look_up(s, in);
  for (uint64_t m = in->issue_valid_i; m; m &= m - 1) pfu_issue(s, in, out, (unsigned)bit_low64(m));
  if (in->start_valid_i) pfu_start(s, in);
  uint32_t changed = s->steps | s->drops | s->asks ? advance_slots(s, in, out) : 0;
  if (in->fill_valid_i) changed |= pfu_fill(s, in->fill_slot_i, in->fill_register_i);
  if (in->command_valid_i && out->command_ready_o) changed |= pfu_accept(s, in);
  if (out->done_valid_o) changed |= pfu_tell_done(s, out->done_warp_o);
  if (!changed) return;
  BLOCK_INVARIANT(s->slots.r.free_count_q + (uint64_t)bit_count64(s->r.active_q) == s->size.NumSlots);
  for (uint32_t m = changed; m; m &= m - 1) {
    pfu_plan(s, (unsigned)bit_low32(m));
    check_slot(s, (unsigned)bit_low32(m));
  }
}

void pfu_tick(struct pfu *s, const struct pfu_in *in) {
  struct pfu_out out;
  pfu_eval(s, in, &out);
  pfu_advance(s, in, &out);
}

/* No slot does anything but wait for reads, and no look-up is read or shown. */
uint64_t pfu_idle(const struct pfu *s) {
  return s->steps | s->drops | s->asks | s->done | s->reading || s->response.valid ? 0 : UINT64_MAX;
}

/* As pfu_idle, and slots may ask for the main register file without a grant, results and a refused command may be held. */
uint64_t pfu_hold(const struct pfu *s, const struct pfu_in *in) {
  if (in->lookup_valid_i || in->issue_valid_i || in->start_valid_i || in->fill_valid_i || s->reading ||
      s->response.valid)
    return 0;
  if (s->steps || s->done || (in->command_valid_i && pfu_is_ready(s, in))) return 0;
  if (s->drops & ~pfu_kept(s, in)) return 0;
  return pfu_granted(s, in) < 0 ? UINT64_MAX : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pfu: warp control blocks and prefetch unit. docs/blocks/ltrf/pfu.md.
 *
 * All decisions use the registers at the cycle's start. The clock edge takes those of the slots from the masks of struct pfu,
 * which plan() made behind the last edge, and the others from the outputs: the grant, the command and d.
 */
#include "blocks/ltrf/pfu.h"

#include <string.h>

static uint64_t bit(uint64_t n) { return 1ull << n; }

/* ---- vectors of registers ---- */
static uint64_t *vector(uint64_t *of, uint64_t k) { return of + PFU_WORDS * k; }
static const uint64_t *vector_of(const uint64_t *of, uint64_t k) { return of + PFU_WORDS * k; }

static bool has(const uint64_t *of, uint64_t k, uint64_t r) { return set_has(vector_of(of, k), (uint32_t)r); }

static void from_port(uint64_t v[PFU_WORDS], const uint32_t *port) {
  for (unsigned i = 0; i < PFU_WORDS; i++) v[i] = port[2 * i] | (uint64_t)port[2 * i + 1] << 32;
}

static void without(uint64_t v[PFU_WORDS], const uint64_t *a, const uint64_t *b) {
  for (unsigned i = 0; i < PFU_WORDS; i++) v[i] = a[i] & ~b[i];
}

static void assign(uint64_t v[PFU_WORDS], const uint64_t *a) { memcpy(v, a, PFU_WORDS * sizeof *v); }
static bool same(const uint64_t *a, const uint64_t *b) { return !memcmp(a, b, PFU_WORDS * sizeof *a); }

/* The lowest register; -1: none. */
static int lowest(const uint64_t *v) {
  for (int i = 0; i < PFU_WORDS; i++)
    if (v[i]) return 64 * i + bit_low64(v[i]);
  return -1;
}

/* Byte k of a port. */
static uint8_t byte(const uint32_t *port, unsigned k) { return (uint8_t)(port[k >> 2] >> 8 * (k & 3)); }
static uint8_t byte64(uint64_t port, unsigned k) { return (uint8_t)(port >> 8 * k); }
/* Warp k of a port. */
static uint64_t warp(uint64_t port, unsigned k) { return port >> 6 * k & 63; }

/* ---- reset ---- */
void pfu_size(struct pfu *s, const struct pfu_params *p) {
  s->size = *p;
  s->bank_bits = (unsigned)bit_low64(p->Nr);
  s->slot_bits = (unsigned)bit_low64(p->Nact);
  BLOCK_RULE((p->Np == 1 || p->Np == 2 || p->Np == pfu_Np_most) && p->Plus <= 1);
  aau_size(&s->slots, &(struct aau_params){.Depth = p->Nact});
  for (unsigned k = 0; k < pfu_Nact_most; k++) aau_size(&s->banks[k], &(struct aau_params){.Depth = p->Nr});
  farb_size(&s->farb, &(struct farb_params){.Nact = p->Nact, .Nb = p->Nb, .Nr = p->Nr});
}

void pfu_reset(struct pfu *s) {
  memset(s, 0, sizeof *s);
  const struct pfu_params p = pfu_defaults();
  pfu_size(s, &p);
}

/* ---- what a cycle decides ---- */
static bool active(const struct pfu *s, uint64_t w) { return s->r.act_q >> w & 1; }

static bool ready(const struct pfu *s, const struct pfu_in *in) {
  const uint64_t w = in->c_w_i;
  if (in->c_op_i == PFU_ACT) return s->slots.r.cnt_q && !active(s, w);
  return active(s, w) && s->r.state_q[s->slot[w]] == PFU_IDLE;
}

uint32_t pfu_kept(const struct pfu *s, const struct pfu_in *in) {
  uint32_t slots = 0;
  if (!s->evicts) return 0;
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m);
    const uint64_t w = warp(in->wb_w_i, i), k = s->slot[w];
    if (active(s, w) && s->evicts >> k & 1 && s->next[k] == byte64(in->wb_r_i, i)) slots |= 1u << k;
  }
  return slots;
}

static int granted(const struct pfu *s, const struct pfu_in *in) {
  return farb_choose(&s->farb, s->asks & ~pfu_kept(s, in), s->evicts, s->rq, in->mrf_rdy_i, in->rfc_rdy_i);
}

/* ---- outputs ---- */
static void eval_main_file(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  const int k = granted(s, in);
  if (k < 0) return;
  if (s->evicts >> k & 1) {
    out->mw_v_o = 1;
    out->mw_w_o = s->r.w_q[k];
    out->mw_r_o = s->next[k];
    out->rc_bank_o = s->rq[k].rb;
    out->rc_off_o = (uint64_t)k;
  } else {
    out->mr_v_o = 1;
    out->mr_w_o = s->r.w_q[k];
    out->mr_r_o = s->next[k];
    out->mr_slot_o = (uint64_t)k;
  }
}

static void eval_write_backs(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m);
    const uint64_t w = warp(in->wb_w_i, i), r = byte64(in->wb_r_i, i), k = s->slot[w];
    if (!active(s, w) || !has(s->r.v_q, k, r)) continue;
    out->wb_in_o |= bit(i);
    out->wb_off_o |= k << s->slot_bits * i;
    out->wb_bank_o |= (uint64_t)s->bank[k][r] << s->bank_bits * i;
  }
}

static void eval_done(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  uint32_t told = s->done;
  if (in->st_v_i) /* the row of a DEACT is not written beside that of st */
    for (uint32_t m = told; m; m &= m - 1)
      if (s->r.op_q[bit_low32(m)] == PFU_DEACT) told &= ~(m & -m);
  if (!told) return;
  const int k = bit_from64(told, (int)s->r.dptr_q);
  out->d_v_o = 1;
  out->d_w_o = s->r.w_q[k];
  out->d_op_o = s->r.op_q[k];
}

void pfu_eval(const struct pfu *s, const struct pfu_in *in, struct pfu_out *out) {
  *out = (struct pfu_out){.lk_rdy_o = (bit(s->size.Np) - 1) & ~(uint64_t)s->reading, .c_rdy_o = ready(s, in)};
  if (s->result.v) {
    out->lr_v_o = s->result.v;
    out->lr_off_o = s->result.off;
    out->lr_ok_o = s->result.ok;
    memcpy(out->lr_bank_o, s->result.bank, sizeof out->lr_bank_o);
  }
  if (s->done) eval_done(s, in, out);
  if (s->asks) eval_main_file(s, in, out);
  if (in->wb_v_i) eval_write_backs(s, in, out);
  if (in->fr_v_i) {
    out->fw_bank_o = s->bank[in->fr_slot_i][in->fr_r_i];
    out->fw_off_o = in->fr_slot_i;
  }
}

/* ---- look-ups ---- */
static void publish(struct pfu *s, unsigned p, const struct pfu_look *l) {
  uint64_t banks = 0;
  for (unsigned i = 0; i < PFU_SOURCES; i++)
    if (l->ok >> i & 1) banks |= (uint64_t)l->bank[i] << s->bank_bits * i;
  s->result.v |= bit(p);
  if (active(s, l->w)) s->result.off |= (uint64_t)s->slot[l->w] << s->slot_bits * p;
  s->result.ok |= (uint64_t)l->ok << PFU_SOURCES * p;
  words_set(s->result.bank, PFU_SOURCES * s->bank_bits * p, PFU_SOURCES * s->bank_bits, banks);
}

static void read_pair(struct pfu *s, unsigned p) {
  struct pfu_look *l = &s->look[p];
  const uint64_t k = s->slot[l->w];
  const bool act = active(s, l->w);
  const unsigned first = 2u * l->at;
  for (unsigned i = first; act && i < first + 2 && i < l->n; i++) {
    if (!has(s->r.v_q, k, l->r[i])) continue;
    l->ok = (uint8_t)(l->ok | 1u << i);
    l->bank[i] = s->bank[k][l->r[i]];
  }
  l->at++;
  s->reading |= 1u << p;
  if (first + 2 < l->n) return;
  s->reading &= ~(1u << p);
  publish(s, p, l);
}

static void take_look_up(struct pfu *s, const struct pfu_in *in, unsigned p) {
  struct pfu_look *l = &s->look[p];
  l->w = (uint8_t)warp(in->lk_w_i, p);
  l->n = in->lk_n_i >> 3 * p & 7;
  l->at = l->ok = 0;
  for (unsigned i = 0; i < PFU_SOURCES; i++) l->r[i] = byte(in->lk_r_i, PFU_SOURCES * p + i);
  BLOCK_RULE(l->n >= 1 && l->n <= PFU_SOURCES && l->w % s->size.Np == p);
}

static void look_up(struct pfu *s, const struct pfu_in *in) {
  if (s->result.v) memset(&s->result, 0, sizeof s->result);
  for (uint64_t m = in->lk_v_i; m; m &= m - 1) take_look_up(s, in, (unsigned)bit_low64(m));
  for (uint64_t m = in->lk_v_i | s->reading; m; m &= m - 1) read_pair(s, (unsigned)bit_low64(m));
}

/* ---- slots ---- */
static void end_evict(struct pfu *s, unsigned k) {
  if (s->r.op_q[k] == PFU_DEACT) {
    s->r.state_q[k] = PFU_DONE;
    return;
  }
  without(vector(s->r.todo_q, k), vector_of(s->r.ws_q, k), vector_of(s->r.v_q, k));
  s->r.state_q[k] = PFU_ALLOC;
}

/* The change of state of a slot in `steps`. */
static void step(struct pfu *s, unsigned k) {
  const struct pfu_row *row = &s->row[s->r.w_q[k]];
  switch (s->r.state_q[k]) {
    case PFU_LD:
      assign(vector(s->r.ws_q, k), row->ws);
      assign(vector(s->r.live_q, k), row->live);
      assign(vector(s->r.todo_q, k), row->ws);
      s->r.state_q[k] = PFU_ALLOC;
      break;
    case PFU_EVICT: end_evict(s, k); break;
    case PFU_ALLOC: s->r.state_q[k] = PFU_WAIT; break;
    default: s->r.state_q[k] = PFU_DONE;
  }
}

/* The slot's next register leaves the cache, or gets a place in it; fetch: its value comes from the main register file. */
static void move(struct pfu *s, unsigned k, bool fetch) {
  const uint8_t r = s->next[k];
  set_del(vector(s->r.todo_q, k), r);
  if (s->evicts >> k & 1) {
    set_del(vector(s->r.v_q, k), r);
    aau_push(&s->banks[k], s->bank[k][r]);
    return;
  }
  s->bank[k][r] = (uint8_t)aau_pop(&s->banks[k]);
  if (fetch) s->r.out_q[k]++;
  else set_add(vector(s->r.v_q, k), r);
}

/* What the slot does next. */
static void plan(struct pfu *s, unsigned k) {
  const uint32_t me = 1u << k;
  s->steps &= ~me, s->drops &= ~me, s->asks &= ~me, s->evicts &= ~me, s->done &= ~me;
  const uint64_t state = s->r.state_q[k];
  if (state == PFU_IDLE) return;
  if (state == PFU_DONE) s->done |= me;
  if (state == PFU_LD || (state == PFU_WAIT && !s->r.out_q[k])) s->steps |= me;
  if (state != PFU_EVICT && state != PFU_ALLOC) return;
  const int r = lowest(vector_of(s->r.todo_q, k));
  if (r < 0) {
    s->steps |= me;
    return;
  }
  s->next[k] = (uint8_t)r;
  if (state == PFU_EVICT) s->evicts |= me;
  if (s->size.Plus && !has(s->r.live_q, k, (uint64_t)r)) {
    s->drops |= me;
    return;
  }
  s->asks |= me;
  s->rq[k].mb = (uint8_t)(((uint64_t)r + s->r.w_q[k]) & (s->size.Nb - 1));
  s->rq[k].rb = s->bank[k][r];
}

static void check_slot(const struct pfu *s, unsigned k) {
  const uint64_t *v = vector_of(s->r.v_q, k), *ws = vector_of(s->r.ws_q, k), state = s->r.state_q[k];
  uint64_t n = 0, outside = 0, left = 0;
  if (!active(s, s->r.w_q[k]) || s->slot[s->r.w_q[k]] != k) return; /* nobody's */
  for (unsigned i = 0; i < PFU_WORDS; i++) {
    n += (uint64_t)bit_count64(v[i]);
    outside |= v[i] & ~ws[i];
    left |= state == PFU_IDLE ? ws[i] & ~v[i] : vector_of(s->r.todo_q, k)[i];
  }
  (void)n, (void)outside, (void)left;
  BLOCK_INVARIANT(n + s->r.out_q[k] + s->banks[k].r.cnt_q == s->size.Nr);
  BLOCK_INVARIANT(!outside || state == PFU_EVICT);
  BLOCK_INVARIANT(!left || state == PFU_EVICT || state == PFU_ALLOC);
  BLOCK_INVARIANT(!s->r.out_q[k] || state == PFU_ALLOC || state == PFU_WAIT);
}

static uint32_t advance_slots(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  const uint32_t steps = s->steps, drops = s->drops ? s->drops & ~pfu_kept(s, in) : 0;
  uint32_t changed = steps | drops;
  for (uint32_t m = steps; m; m &= m - 1) step(s, (unsigned)bit_low32(m));
  for (uint32_t m = drops; m; m &= m - 1) move(s, (unsigned)bit_low32(m), false);
  if (out->mr_v_o | out->mw_v_o) {
    const unsigned k = (unsigned)(out->mr_v_o ? out->mr_slot_o : out->rc_off_o);
    move(s, k, out->mr_v_o);
    farb_granted(&s->farb, k);
    changed |= 1u << k;
  }
  return changed;
}

/* ---- issue, start, fills ---- */
static void issue(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out, unsigned p) {
  const uint64_t w = warp(in->is_w_i, p), k = s->slot[w];
  uint64_t *live = vector(s->r.live_q, k);
  (void)out;
  BLOCK_RULE(w % s->size.Np == p && active(s, w) && s->r.state_q[k] == PFU_IDLE);
  BLOCK_RULE(!in->c_v_i || !out->c_rdy_o || in->c_w_i != w);
  for (uint64_t m = (in->is_sv_i & in->is_dead_i) >> PFU_SOURCES * p & (bit(PFU_SOURCES) - 1); m; m &= m - 1)
    set_del(live, byte(in->is_s_i, PFU_SOURCES * p + (unsigned)bit_low64(m)));
  for (uint64_t m = in->is_dv_i >> PFU_DESTS * p & (bit(PFU_DESTS) - 1); m; m &= m - 1)
    set_add(live, byte(in->is_d_i, PFU_DESTS * p + (unsigned)bit_low64(m)));
}

static void start(struct pfu *s, const struct pfu_in *in) {
  struct pfu_row *row = &s->row[in->st_w_i];
  memset(row->ws, 0, sizeof row->ws);
  from_port(row->live, in->st_live_i);
  s->begun |= bit(in->st_w_i);
}

static uint32_t fill(struct pfu *s, uint64_t k, uint64_t r) {
  set_add(vector(s->r.v_q, k), (uint32_t)r);
  s->r.out_q[k]--;
  return s->r.state_q[k] == PFU_WAIT ? 1u << k : 0; /* in alloc the next step does not depend on what has come */
}

/* ---- commands ---- */
static void activate(struct pfu *s, uint64_t w) {
  const uint64_t k = aau_pop(&s->slots);
  aau_start(&s->banks[k]);
  s->slot[w] = (uint8_t)k;
  s->r.act_q |= bit(w);
  s->r.w_q[k] = w;
  s->r.state_q[k] = PFU_LD;
}

static void prefetch(struct pfu *s, const struct pfu_in *in, uint64_t k) {
  uint64_t to[PFU_WORDS], *ws = vector(s->r.ws_q, k);
  const uint64_t *v = vector_of(s->r.v_q, k);
  from_port(to, in->c_vec_i);
  BLOCK_RULE((uint64_t)(bit_count64(to[0]) + bit_count64(to[1]) + bit_count64(to[2]) + bit_count64(to[3])) <=
             s->size.Nr);
  if (same(to, ws) && same(to, v)) {
    s->r.state_q[k] = PFU_DONE;
    return;
  }
  assign(ws, to);
  without(vector(s->r.todo_q, k), v, to);
  s->r.state_q[k] = PFU_EVICT;
}

static void check_end(struct pfu *s, const struct pfu_in *in) {
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) BLOCK_RULE(warp(in->wb_w_i, (unsigned)bit_low64(m)) != in->c_w_i);
  s->begun &= ~bit(in->c_w_i);
}

static uint32_t accept(struct pfu *s, const struct pfu_in *in) {
  const uint64_t w = in->c_w_i;
  if (in->c_op_i == PFU_ACT) activate(s, w);
  const uint64_t k = s->slot[w];
  s->r.op_q[k] = in->c_op_i;
  switch (in->c_op_i) {
    case PFU_ACT: break;
    case PFU_DEACT:
      assign(vector(s->r.todo_q, k), vector_of(s->r.v_q, k));
      s->r.state_q[k] = PFU_EVICT;
      break;
    case PFU_PREF: prefetch(s, in, k); break;
    default: check_end(s, in); s->r.state_q[k] = PFU_DONE;
  }
  return 1u << k;
}

/* d is given. */
static uint32_t tell(struct pfu *s, uint64_t w) {
  const uint64_t k = s->slot[w], op = s->r.op_q[k];
  s->r.state_q[k] = PFU_IDLE;
  s->r.dptr_q = (k + 1) & (s->size.Nact - 1);
  if (op == PFU_DEACT) {
    assign(s->row[w].ws, vector_of(s->r.ws_q, k));
    assign(s->row[w].live, vector_of(s->r.live_q, k));
  }
  if (op == PFU_ACT || op == PFU_PREF) return 1u << k;
  s->r.act_q &= ~bit(w);
  aau_push(&s->slots, k);
  const size_t bytes = PFU_WORDS * sizeof *s->r.v_q; /* todo is 0 already */
  memset(vector(s->r.v_q, k), 0, bytes);
  memset(vector(s->r.ws_q, k), 0, bytes);
  memset(vector(s->r.live_q, k), 0, bytes);
  return 1u << k;
}

/* ---- the clock edge ---- */
/* Two results for one register. */
static bool twice(const struct pfu_in *in) {
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m);
    for (uint64_t n = m & (m - 1); n; n &= n - 1) {
      const unsigned j = (unsigned)bit_low64(n);
      if (warp(in->wb_w_i, i) == warp(in->wb_w_i, j) && byte64(in->wb_r_i, i) == byte64(in->wb_r_i, j)) return true;
    }
  }
  return false;
}

/* A read of this register for this slot has been granted and has not come back. */
static bool under_way(const struct pfu *s, uint64_t k, uint64_t r) {
  return s->r.out_q[k] && has(s->r.ws_q, k, r) && !has(s->r.v_q, k, r) && !has(s->r.todo_q, k, r);
}

/* Rules that hold at the cycle's start. */
static void check_inputs(const struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  const bool act = in->c_v_i && out->c_rdy_o && in->c_op_i == PFU_ACT;
  (void)act, (void)twice, (void)under_way, (void)s;
  BLOCK_RULE(!(in->lk_v_i & s->reading));
  BLOCK_RULE(!(in->wb_v_i & (in->wb_v_i - 1)) || !twice(in));
  BLOCK_RULE(!in->st_v_i || (!active(s, in->st_w_i) && !(act && in->c_w_i == in->st_w_i)));
  BLOCK_RULE(!in->fr_v_i || under_way(s, in->fr_slot_i, in->fr_r_i));
  BLOCK_RULE(!act || s->begun >> in->c_w_i & 1);
}

void pfu_advance(struct pfu *s, const struct pfu_in *in, const struct pfu_out *out) {
  check_inputs(s, in, out);
  if (in->lk_v_i | s->reading | s->result.v) look_up(s, in);
  for (uint64_t m = in->is_v_i; m; m &= m - 1) issue(s, in, out, (unsigned)bit_low64(m));
  if (in->st_v_i) start(s, in);
  uint32_t changed = s->steps | s->drops | s->asks ? advance_slots(s, in, out) : 0;
  if (in->fr_v_i) changed |= fill(s, in->fr_slot_i, in->fr_r_i);
  if (in->c_v_i && out->c_rdy_o) changed |= accept(s, in);
  if (out->d_v_o) changed |= tell(s, out->d_w_o);
  if (!changed) return;
  BLOCK_INVARIANT(s->slots.r.cnt_q + (uint64_t)bit_count64(s->r.act_q) == s->size.Nact);
  for (uint32_t m = changed; m; m &= m - 1) {
    plan(s, (unsigned)bit_low32(m));
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
  return s->steps | s->drops | s->asks | s->done | s->reading || s->result.v ? 0 : UINT64_MAX;
}

/* As pfu_idle, and slots may ask for the main register file without a grant, write-backs and a refused command may be held. */
uint64_t pfu_hold(const struct pfu *s, const struct pfu_in *in) {
  if (in->lk_v_i || in->is_v_i || in->st_v_i || in->fr_v_i || s->reading || s->result.v) return 0;
  if (s->steps || s->done || (in->c_v_i && ready(s, in))) return 0;
  if (s->drops & ~pfu_kept(s, in)) return 0;
  return granted(s, in) < 0 ? UINT64_MAX : 0;
}

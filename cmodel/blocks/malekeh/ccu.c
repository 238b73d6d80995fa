/* SPDX-License-Identifier: Apache-2.0 */
/* ccu: caching collector unit. docs/blocks/malekeh/ccu.md. */
#include "blocks/malekeh/ccu.h"

#include <stddef.h>
#include <string.h>

#include "blocks/malekeh/pick.h"

static uint64_t bit(unsigned n) { return 1ull << n; }
static uint64_t all_entries(const struct ccu *s) { return bit((unsigned)s->size.Ct) - 1; }
static bool owns(const struct ccu *s, uint64_t w) { return s->widv && s->wid == w; }

/* Register k of a port. */
static uint64_t byte(uint64_t port, unsigned k) { return port >> 8 * k & 255; }
static uint64_t warp(const struct ccu *s, uint64_t port, unsigned k) {
  return port >> s->warp_bits * k & (bit(s->warp_bits) - 1);
}

/* ---- reset ---- */
void ccu_size(struct ccu *s, const struct ccu_params *p) {
  BLOCK_RULE(p->Ct >= ccu_Noct && p->Ct <= ccu_Ct_most && p->Nwb >= 1 && p->Nwb <= ccu_Nwb_most);
  BLOCK_RULE(bit_count64(p->Nw) == 1 && p->Nw <= ccu_Nw_most && p->Cache <= 1 && p->Near <= 1 && p->Filter <= 1);
  s->size = *p;
  s->warp_bits = (unsigned)bit_low64(p->Nw);
  memset(s->row, 0, sizeof s->row);
  memset(s->column, 0, sizeof s->column);
  uint32_t pair = 1;
  for (unsigned i = 0; i < p->Ct; i++)
    for (unsigned j = i + 1; j < p->Ct; j++, pair <<= 1) s->row[i] |= pair, s->column[j] |= pair;
  s->r.newer_q = pair - 1;
}

void ccu_reset(struct ccu *s) {
  memset(s, 0, sizeof *s);
  const struct ccu_params p = ccu_defaults();
  ccu_size(s, &p);
}

/* ---- outputs ---- */
static void eval_requests(const struct ccu *s, struct ccu_out *out) {
  out->rq_v_o = s->r.req_q;
  for (uint64_t m = s->r.req_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    out->rq_ct_o |= (uint64_t)ccu_entry(s, k) << 3 * k;
    out->rq_r_o |= (uint64_t)ccu_register(s, k) << 8 * k;
  }
}

void ccu_eval(const struct ccu *s, const struct ccu_in *in, struct ccu_out *out) {
  (void)in;
  memset(out, 0, s->r.control_only ? offsetof(struct ccu_out, dp_d_o) : sizeof *out);
  if (s->r.req_q) eval_requests(s, out);
  if (s->widv) out->r_widv_o = 1, out->r_wid_o = s->wid;
  out->r_busy_o = s->busy;
  out->r_any_o = s->r.val_q != 0;
  out->r_near_o = (s->r.val_q & s->r.near_q) != 0;
  if (!ccu_complete(s)) return;
  out->dp_v_o = 1;
  out->dp_meta_o = s->meta;
  for (uint64_t m = s->r.control_only ? 0 : s->r.sv_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    memcpy(out->dp_d_o + 32 * k, s->data[ccu_entry(s, k)], sizeof s->data[0]);
  }
}

/* ---- cache table ---- */

/* The valid entry with this tag, as a set. */
static uint64_t find(const struct ccu *s, uint64_t r) {
  const uint64_t most = 0x7f7f7f7f7f7f7f7full, x = s->r.tag_q ^ r * 0x0101010101010101ull;
  const uint64_t equal = ~(((x & most) + most) | x | most); /* the top bit of each byte of x that is 0 */
  return (equal >> 7) * 0x0102040810204080ull >> 56 & s->r.val_q;
}

static void use(struct ccu *s, unsigned e) { s->r.newer_q = (s->r.newer_q & ~s->column[e]) | s->row[e]; }

/* The number of entries that were used after e. */
static int rank(const struct ccu *s, unsigned e) {
  return bit_count64((s->row[e] & ~s->r.newer_q) | (s->column[e] & s->r.newer_q));
}

static void set_near(struct ccu *s, unsigned e, uint64_t near) { s->r.near_q = (s->r.near_q & ~bit(e)) | near << e; }

/* ---- victims ---- */
struct victims { /* the rest of the list */
  uint64_t empty, far, other;
  int from; /* the first of far; -1: not picked yet */
};

static struct victims victims(const struct ccu *s) {
  const uint64_t open = s->r.val_q & ~s->r.lock_q, far = s->size.Near ? open & ~s->r.near_q : 0;
  return (struct victims){
      .empty = all_entries(s) & ~s->r.val_q & ~s->r.lock_q, .far = far, .other = open & ~far, .from = -1};
}

/* Of `far`, where the order begins. */
static int pick(struct ccu *s, uint64_t far, uint64_t seed) {
  const uint64_t p = pick_below(s->r.lfsr_q, seed, (uint64_t)bit_count64(far));
  s->r.lfsr_q = pick_next(s->r.lfsr_q, seed);
  for (uint64_t k = 0; k < p; k++) far &= far - 1;
  return bit_low64(far);
}

/* Of entries, at least one. */
static int oldest(const struct ccu *s, uint64_t entries) {
  int e = bit_low64(entries), most = rank(s, (unsigned)e);
  for (uint64_t m = entries & (entries - 1); m; m &= m - 1) {
    const int n = rank(s, (unsigned)bit_low64(m));
    if (n > most) most = n, e = bit_low64(m);
  }
  return e;
}

/* The next one of the list; -1: there is none. The pick is made when the first far entry is needed. */
static int next_victim(struct ccu *s, struct victims *v, uint64_t seed) {
  int e = -1;
  if (v->empty) {
    e = bit_low64(v->empty);
    v->empty &= v->empty - 1;
  } else if (v->far) {
    if (v->from < 0) v->from = pick(s, v->far, seed);
    e = bit_from64(v->far, v->from);
    v->far &= ~bit((unsigned)e);
  } else if (v->other) {
    e = oldest(s, v->other);
    v->other &= ~bit((unsigned)e);
  }
  return e;
}

static void enter(struct ccu *s, unsigned e, uint64_t r) {
  s->r.val_q |= bit(e);
  s->r.tag_q = (s->r.tag_q & ~(255ull << 8 * e)) | r << 8 * e;
}

/* ---- the events of a cycle, in their order ---- */

static void take_operand(struct ccu *s, const struct ccu_in *in) {
  uint64_t slots = 0;
  for (uint64_t m = s->r.sv_q & ~s->r.rdy_q; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    if (ccu_entry(s, k) == in->s_ct_i) slots |= bit(k);
  }
  BLOCK_RULE(slots);
  s->r.rdy_q |= slots;
  if (!s->r.control_only) memcpy(s->data[in->s_ct_i], in->s_d_i, sizeof in->s_d_i);
}

static void merge(struct ccu *s, unsigned e, const struct ccu_in *in) {
  if (s->r.control_only) return;
  for (uint64_t m = in->d_lane_i; m; m &= m - 1) s->data[e][bit_low64(m)] = in->d_d_i[bit_low64(m)];
}

static void take_result(struct ccu *s, const struct ccu_in *in) {
  const uint64_t hit = find(s, in->d_r_i);
  BLOCK_RULE(!(hit & s->r.lock_q));
  int e = -1;
  if (hit) {
    e = bit_low64(hit);
  } else if (in->d_lane_i == UINT32_MAX && (in->d_near_i || !s->size.Filter)) {
    struct victims v = victims(s);
    e = next_victim(s, &v, in->seed_i);
    if (e >= 0) enter(s, (unsigned)e, in->d_r_i);
  }
  if (e < 0) return;
  merge(s, (unsigned)e, in);
  set_near(s, (unsigned)e, in->d_near_i);
  use(s, (unsigned)e);
}

static void snoop(struct ccu *s, const struct ccu_in *in) {
  for (uint64_t m = in->sn_v_i; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    if (!owns(s, warp(s, in->sn_wid_i, l))) continue;
    const uint64_t hit = find(s, byte(in->sn_r_i, l));
    BLOCK_RULE(!(hit & s->r.lock_q));
    s->r.val_q &= ~hit;
  }
}

static void dispatch(struct ccu *s) {
  s->busy = false;
  s->r.sv_q = s->r.rdy_q = s->r.lock_q = 0;
}

static void empty(struct ccu *s) { s->r.val_q = s->r.near_q = 0; }

static void leave(struct ccu *s) {
  BLOCK_RULE(!s->busy);
  empty(s);
  s->widv = false;
}

static void point(struct ccu *s, unsigned k, unsigned e) {
  s->r.idx_q |= (uint64_t)e << 3 * k;
  s->r.lock_q |= bit(e);
}

/* The slots whose registers are in the table; the others are returned. */
static uint64_t hits(struct ccu *s, const struct ccu_in *in) {
  uint64_t miss = 0;
  for (uint64_t m = in->al_sv_i; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    const uint64_t hit = find(s, byte(in->al_r_i, k));
    if (!hit) {
      miss |= bit(k);
      continue;
    }
    point(s, k, (unsigned)bit_low64(hit));
    s->r.rdy_q |= bit(k);
  }
  return miss;
}

/* The others: the first slot of a register takes a victim and requests, the next ones find its entry. */
static void misses(struct ccu *s, const struct ccu_in *in, uint64_t slots) {
  struct victims v = victims(s);
  for (uint64_t m = slots; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    const uint64_t r = byte(in->al_r_i, k), taken = find(s, r);
    if (taken) {
      point(s, k, (unsigned)bit_low64(taken));
      continue;
    }
    const int e = next_victim(s, &v, in->seed_i);
    BLOCK_INVARIANT(e >= 0);
    enter(s, (unsigned)e, r);
    point(s, k, (unsigned)e);
    s->r.req_q |= bit(k);
  }
}

static void allocate(struct ccu *s, const struct ccu_in *in) {
  if (!owns(s, in->al_wid_i)) empty(s);
  s->meta = in->al_meta_i;
  s->wid = in->al_wid_i;
  s->widv = s->busy = true;
  s->r.sv_q = in->al_sv_i;
  s->r.rdy_q = s->r.idx_q = 0;
  if (!s->size.Cache) {
    s->r.req_q = in->al_sv_i;
    for (uint64_t m = in->al_sv_i; m; m &= m - 1) { /* slot k has entry k */
      const unsigned k = (unsigned)bit_low64(m);
      s->r.idx_q |= (uint64_t)k << 3 * k;
      s->r.tag_q = (s->r.tag_q & ~(255ull << 8 * k)) | byte(in->al_r_i, k) << 8 * k;
    }
    return;
  }
  const uint64_t miss = hits(s, in);
  if (miss) misses(s, in, miss);
  for (uint64_t m = in->al_sv_i; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m), e = ccu_entry(s, k);
    set_near(s, e, in->al_near_i >> k & 1);
    use(s, e);
  }
}

/* ---- what must hold ---- */

/* No register is written twice in a cycle, neither by D and a snoop nor by two snoops. */
static void check_results(const struct ccu *s, const struct ccu_in *in) {
  for (uint64_t m = in->sn_v_i; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    const uint64_t w = warp(s, in->sn_wid_i, l), r = byte(in->sn_r_i, l);
    BLOCK_RULE(!in->d_v_i || in->d_wid_i != w || in->d_r_i != r);
    for (uint64_t n = m & (m - 1); n; n &= n - 1) {
      const unsigned k = (unsigned)bit_low64(n);
      BLOCK_RULE(warp(s, in->sn_wid_i, k) != w || byte(in->sn_r_i, k) != r);
      (void)k;
    }
    (void)w, (void)r;
  }
}

static void check_slots(const struct ccu *s) {
  uint64_t used = 0;
  for (uint64_t m = s->r.sv_q; m; m &= m - 1) used |= bit(ccu_entry(s, (unsigned)bit_low64(m)));
  BLOCK_INVARIANT(s->r.lock_q == (s->size.Cache ? used : 0));
  BLOCK_INVARIANT(!(s->r.lock_q & ~s->r.val_q));
  BLOCK_INVARIANT(!(s->r.rdy_q & ~s->r.sv_q) && (s->busy || !s->r.sv_q));
  BLOCK_INVARIANT(!(s->r.req_q & (s->r.rdy_q | ~s->r.sv_q)));
  BLOCK_INVARIANT(s->widv || (!s->r.val_q && !s->busy));
  (void)used;
}

/* Tags of valid entries differ, and the ranks are a permutation: newer_q is an order. */
static void check_table(const struct ccu *s) {
  uint64_t ranks = 0;
  for (unsigned e = 0; e < s->size.Ct; e++) {
    ranks |= bit((unsigned)rank(s, e));
    BLOCK_INVARIANT(!(s->r.val_q >> e & 1) || find(s, byte(s->r.tag_q, e)) == bit(e));
  }
  BLOCK_INVARIANT(ranks == all_entries(s));
  (void)ranks;
}

void ccu_tick(struct ccu *s, const struct ccu_in *in) {
  s->r.req_q = 0;
  if (ccu_quiet(in)) return;
  BLOCK_RULE(!in->al_v_i || !s->busy);
  BLOCK_RULE(!in->dp_take_i || ccu_complete(s));
  if (in->s_v_i) take_operand(s, in);
  if (s->size.Cache) {
    if (in->sn_v_i) check_results(s, in);
    if (in->d_v_i && owns(s, in->d_wid_i)) take_result(s, in);
    if (in->sn_v_i) snoop(s, in);
  }
  if (in->dp_take_i) dispatch(s);
  if (s->widv && in->ex_m_i >> s->wid & 1) leave(s);
  if (in->al_v_i) allocate(s, in);
  check_slots(s);
  if (s->size.Cache && (in->al_v_i || in->d_v_i)) check_table(s);
}

uint64_t ccu_idle(const struct ccu *s) { return s->r.req_q ? 0 : UINT64_MAX; }

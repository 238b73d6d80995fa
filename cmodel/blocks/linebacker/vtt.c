/* SPDX-License-Identifier: Apache-2.0 */
/* vtt: victim tag table. docs/blocks/linebacker/vtt.md. */
#include "blocks/linebacker/vtt.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* ---- sweeps ---- */
static uint64_t all_vps(const struct vtt *s) { return (1ull << s->size.Nvp) - 1; }
static uint32_t ways_of(const struct vtt *s, uint64_t vps) {
  uint32_t set = 0;
  for (; vps; vps &= vps - 1)
    set |= (uint32_t)(((1ull << s->size.Ways) - 1) << (uint64_t)bit_low64(vps) * s->size.Ways);
  return set;
}
static unsigned active_ways(const struct vtt *s) { return (unsigned)(s->size.Ways * (uint64_t)bit_count64(s->act)); }

/* Rows cannot be seen before the last one is done: all of them now. */
static void sweep(struct vtt *s, uint64_t act, uint64_t vm, bool keep, bool answers) {
  const uint32_t stay = keep ? ways_of(s, act & s->act) : 0, ways = ways_of(s, act);
  uint8_t order[vtt_WAYS] = {0};
  unsigned n = 0;
  for (uint32_t w = ways; w; w &= w - 1) order[n++] = (uint8_t)bit_low32(w);
  for (uint64_t x = 0; x < s->size.Sets; x++) {
    s->valid[x] &= stay;
    memcpy(s->order[x], order, sizeof order);
  }
  s->to_act = act;
  s->to_vm = vm;
  s->rows = s->size.Sets;
  s->answers = answers;
  s->r.run_q = 0;
}

static void start(struct vtt *s) {
  s->act = s->vm = 0;
  s->hack = false;
  s->r.cnt_q = s->r.sp_q = 0;
  s->first = 0;
  memset(s->queue, 0, sizeof s->queue);
  sweep(s, all_vps(s), VTT_MON, false, false);
}

void vtt_size(struct vtt *s, const struct vtt_params *p) {
  s->size = *p;
  s->three = p->Sets % 3 == 0;
  s->k = (unsigned)bit_low64(p->Sets);
  s->places = p->Nvp * p->VpLat / p->VpIi + 1;
  if (s->places < 9) s->places = 9;
  BLOCK_RULE(p->Sets == (s->three ? 3ull : 1ull) << s->k && p->Ways * p->Nvp <= vtt_WAYS && s->places <= vtt_QUEUE);
  start(s);
}

void vtt_reset(struct vtt *s) {
  memset(s, 0, sizeof *s);
  const struct vtt_params p = vtt_defaults();
  vtt_size(s, &p);
}

/* ---- ports ---- */
static bool open_(const struct vtt *s, const struct vtt_in *in) {
  return s->r.run_q && !in->kstart_i && (s->vm != VTT_SEL || !s->r.sp_q);
}
static bool still(const struct vtt *s, const struct vtt_in *in) {
  return s->r.run_q && !s->r.cnt_q && !s->r.sp_q && !in->vbusy_i && !in->in_v_i;
}

void vtt_eval(const struct vtt *s, const struct vtt_in *in, struct vtt_out *out) {
  const bool open = open_(s, in);
  *out = (struct vtt_out){.hack_o = s->hack, .act_o = s->act, .vm_o = s->vm, .idle_o = still(s, in)};
  out->iv_rdy_o = open && !in->hold_i;
  out->in_rdy_o = open && !(in->iv_v_i && out->iv_rdy_o) && s->r.cnt_q < s->places;
  out->lk_rdy_o = open && !in->hold_i && !in->iv_v_i && !in->in_v_i && s->r.cnt_q < s->places - 1;
  const struct vtt_answer *a = &s->queue[s->first];
  if (!s->r.cnt_q || a->wait) return;
  out->rs_v_o = 1;
  out->rs_kind_o = a->kind;
  out->rs_hit_o = a->hit;
  out->rs_rn_o = a->rn;
  out->rs_id_o = a->id;
}

/* ---- requests ---- */
static uint64_t set_of(const struct vtt *s, uint64_t line, uint32_t *tag) {
  const uint64_t low = line & ((1ull << s->k) - 1), h = line >> s->k;
  *tag = (uint32_t)(s->three ? h / 3 : h);
  return s->three ? h % 3 << s->k | low : low;
}

static int find(const struct vtt *s, uint64_t x, uint32_t tag) {
  for (uint32_t m = s->valid[x]; m; m &= m - 1)
    if (s->tag[x][bit_low32(m)] == tag) return bit_low32(m);
  return -1;
}

static void touch(struct vtt *s, uint64_t x, unsigned g) {
  uint8_t *o = s->order[x];
  unsigned at = 0;
  while (o[at] != g) at++;
  memmove(o + 1, o, at);
  o[0] = (uint8_t)g;
}

static uint16_t row(const struct vtt *s, uint64_t x, unsigned g) {
  const uint64_t v = g / s->size.Ways, y = g % s->size.Ways;
  return (uint16_t)(s->size.Offset + v * s->size.Sets * s->size.Ways + x * s->size.Ways + y);
}

static void answer(struct vtt *s, unsigned kind, bool hit, uint64_t rn, uint64_t id, uint64_t latency) {
  s->queue[(s->first + s->r.cnt_q++) % vtt_QUEUE] = (struct vtt_answer){
      .kind = (uint8_t)kind, .hit = hit, .rn = (uint16_t)rn, .id = (uint8_t)id, .wait = (uint16_t)(latency - 1)};
}

static void look_up(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = set_of(s, in->lk_l_i, &tag);
  const int g = find(s, x, tag);
  if (s->vm != VTT_SEL) {
    if (g >= 0) s->valid[x] &= ~(1u << g);
    answer(s, VTT_PROBE, g >= 0, 0, in->lk_id_i, s->size.VpLat);
    return;
  }
  const uint64_t na = (uint64_t)bit_count64(s->act);
  if (g < 0) {
    answer(s, VTT_LOOKUP, false, 0, in->lk_id_i, s->size.VpLat * (na ? na : 1));
    return;
  }
  const uint64_t k = (unsigned)g / s->size.Ways - (s->size.Nvp - na);
  touch(s, x, (unsigned)g);
  answer(s, VTT_LOOKUP, true, row(s, x, (unsigned)g), in->lk_id_i, s->size.VpLat * (k + 1));
}

static void insert(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = set_of(s, in->in_l_i, &tag);
  if (!s->act) return;
  int g = find(s, x, tag);
  const uint32_t empty = ways_of(s, s->act) & ~s->valid[x];
  if (g < 0) g = empty ? bit_low32(empty) : s->order[x][active_ways(s) - 1];
  s->tag[x][g] = tag;
  s->valid[x] |= 1u << g;
  touch(s, x, (unsigned)g);
  if (s->vm == VTT_SEL) answer(s, VTT_INSERT, false, row(s, x, (unsigned)g), 0, s->size.VpLat);
}

static void invalidate(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = set_of(s, in->iv_l_i, &tag);
  const int g = find(s, x, tag);
  if (g >= 0) s->valid[x] &= ~(1u << g);
}

static uint64_t suffix(const struct vtt *s, uint64_t lrn) {
  uint64_t act = 0;
  for (uint64_t v = 0; v < s->size.Nvp; v++)
    if (s->size.Offset + s->size.Sets * s->size.Ways * v > lrn) act |= 1ull << v;
  return act;
}

static void take_over(struct vtt *s, const struct vtt_in *in) {
  BLOCK_RULE(in->mode_i <= VTT_OFF);
  const uint64_t act = in->mode_i == VTT_SEL ? suffix(s, in->lrn_i) : in->mode_i == VTT_MON ? all_vps(s) : 0;
  if (act == s->act && in->mode_i == s->vm) s->hack = true;
  else sweep(s, act, in->mode_i, in->mode_i == s->vm, true);
}

static void advance_sweep(struct vtt *s, uint64_t n) {
  s->rows -= n;
  if (s->rows) return;
  s->act = s->to_act;
  s->vm = s->to_vm;
  s->r.run_q = 1;
  s->hack = s->answers;
}

static void wait_less(struct vtt *s, uint64_t n) {
  for (uint64_t i = 0; i < s->r.cnt_q; i++) {
    struct vtt_answer *a = &s->queue[(s->first + i) % vtt_QUEUE];
    a->wait = (uint16_t)(a->wait > n ? a->wait - n : 0);
  }
  s->r.sp_q -= s->r.sp_q < n ? s->r.sp_q : n;
}

void vtt_tick(struct vtt *s, const struct vtt_in *in) {
  struct vtt_out o;
  vtt_eval(s, in, &o);
  if (in->kstart_i) {
    start(s);
    return;
  }
  const bool decides = in->hold_i && o.idle_o && !s->hack;
  if (!in->hold_i) s->hack = false;
  if (!s->r.run_q) {
    advance_sweep(s, 1);
    return;
  }
  wait_less(s, 1);
  if (o.rs_v_o && in->rs_rdy_i) {
    s->queue[s->first] = (struct vtt_answer){0};
    s->first = (s->first + 1) % vtt_QUEUE;
    s->r.cnt_q--;
  }
  const bool iv = in->iv_v_i && o.iv_rdy_o, ins = in->in_v_i && o.in_rdy_o, lk = in->lk_v_i && o.lk_rdy_o;
  if (iv) invalidate(s, in);
  if (ins) insert(s, in);
  if (lk) look_up(s, in);
  if (iv || ins || lk) s->r.sp_q = s->size.VpIi - 1;
  if (decides) take_over(s, in);
}

uint64_t vtt_idle(const struct vtt *s) {
  if (!s->r.run_q) return s->rows - 1;
  if (s->hack) return 0;
  const uint64_t rest = s->r.sp_q ? s->r.sp_q - 1 : UINT64_MAX;
  if (!s->r.cnt_q) return rest;
  const uint64_t wait = s->queue[s->first].wait;
  return wait <= 1 ? 0 : wait - 1 < rest ? wait - 1 : rest;
}

uint64_t vtt_hold(const struct vtt *s, const struct vtt_in *in) {
  if (in->kstart_i || in->iv_v_i || in->in_v_i || in->lk_v_i || !s->r.run_q) return 0;
  if (s->r.sp_q) return 0;
  for (uint64_t i = 0; i < s->r.cnt_q; i++)
    if (s->queue[(s->first + i) % vtt_QUEUE].wait) return 0;
  if (s->r.cnt_q && in->rs_rdy_i) return 0;
  if (in->hold_i != s->hack && (in->hold_i ? !s->r.cnt_q && !in->vbusy_i : true)) return 0;
  return UINT64_MAX;
}

void vtt_skip(struct vtt *s, uint64_t n) {
  if (!s->r.run_q) advance_sweep(s, n);
  else wait_less(s, n);
}

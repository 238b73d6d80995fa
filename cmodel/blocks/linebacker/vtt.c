/* SPDX-License-Identifier: Apache-2.0 */
/* vtt: victim tag table. docs/blocks/linebacker/vtt.md. */
#include "blocks/linebacker/vtt.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* ---- sweeps ---- */
static uint64_t all_partitions(const struct vtt *s) { return (1ull << s->size.NumPartitions) - 1; }
static uint32_t vtt_ways_of(const struct vtt *s, uint64_t partitions) {
  uint32_t set = 0;
  for (; partitions; partitions &= partitions - 1)
    set |= (uint32_t)(((1ull << s->size.Ways) - 1) << (uint64_t)bit_low64(partitions) * s->size.Ways);
  return set;
}
static unsigned vtt_active_ways(const struct vtt *s) {
  return (unsigned)(s->size.Ways * (uint64_t)bit_count64(s->active));
}

/* Rows cannot be seen before the last one is done: all of them now. */
static void vtt_sweep(struct vtt *s, uint64_t active, uint64_t mode, bool keep, bool answers) {
  const uint32_t stay = keep ? vtt_ways_of(s, active & s->active) : 0, ways = vtt_ways_of(s, active);
  uint8_t order[vtt_WAYS] = {0};
  unsigned n = 0;
  for (uint32_t w = ways; w; w &= w - 1) order[n++] = (uint8_t)bit_low32(w);
  for (uint64_t x = 0; x < s->size.Sets; x++) {
    s->valid[x] &= stay;
    memcpy(s->order[x], order, sizeof order);
  }
  s->to_active = active;
  s->to_mode = mode;
  s->rows = s->size.Sets;
  s->sweep_answers = answers;
  s->r.running_q = 0;
}

static void vtt_start(struct vtt *s) {
  s->active = s->mode = 0;
  s->hold_done = false;
  s->r.response_count_q = s->r.spacing_q = 0;
  s->first = 0;
  memset(s->queue, 0, sizeof s->queue);
  vtt_sweep(s, all_partitions(s), VTT_MONITOR, false, false);
}

void vtt_size(struct vtt *s, const struct vtt_params *p) {
  s->size = *p;
  s->three = p->Sets % 3 == 0;
  s->k = (unsigned)bit_low64(p->Sets);
  s->places = p->NumPartitions * p->SearchLatency / p->SearchInterval + 1;
  if (s->places < 9) s->places = 9;
  BLOCK_RULE(p->Sets == (s->three ? 3ull : 1ull) << s->k && p->Ways * p->NumPartitions <= vtt_WAYS &&
             s->places <= vtt_QUEUE);
  vtt_start(s);
}

void vtt_reset(struct vtt *s) {
  memset(s, 0, sizeof *s);
  const struct vtt_params p = vtt_defaults();
  vtt_size(s, &p);
}

/* ---- ports ---- */
static bool vtt_is_open(const struct vtt *s, const struct vtt_in *in) {
  return s->r.running_q && !in->launch_start_i && (s->mode != VTT_SELECTED || !s->r.spacing_q);
}
static bool vtt_is_still(const struct vtt *s, const struct vtt_in *in) {
  return s->r.running_q && !s->r.response_count_q && !s->r.spacing_q && !in->access_pending_i && !in->insert_valid_i;
}

void vtt_eval(const struct vtt *s, const struct vtt_in *in, struct vtt_out *out) {
  const bool open = vtt_is_open(s, in);
  *out = (struct vtt_out){.hold_done_o = s->hold_done,
                          .active_partitions_o = s->active,
                          .effective_mode_o = s->mode,
                          .idle_o = vtt_is_still(s, in)};
  out->invalidate_ready_o = open && !in->hold_i;
  out->insert_ready_o =
      open && !(in->invalidate_valid_i && out->invalidate_ready_o) && s->r.response_count_q < s->places;
  out->lookup_ready_o =
      open && !in->hold_i && !in->invalidate_valid_i && !in->insert_valid_i && s->r.response_count_q < s->places - 1;
  const struct vtt_answer *a = &s->queue[s->first];
  if (!s->r.response_count_q || a->wait) return;
  out->response_valid_o = 1;
  out->response_kind_o = a->kind;
  out->response_hit_o = a->hit;
  out->response_register_o = a->reg;
  out->response_id_o = a->id;
}

/* ---- requests ---- */
static uint64_t vtt_set_of(const struct vtt *s, uint64_t line, uint32_t *tag) {
  const uint64_t low = line & ((1ull << s->k) - 1), h = line >> s->k;
  *tag = (uint32_t)(s->three ? h / 3 : h);
  return s->three ? h % 3 << s->k | low : low;
}

static int vtt_find_way(const struct vtt *s, uint64_t x, uint32_t tag) {
  for (uint32_t m = s->valid[x]; m; m &= m - 1)
    if (s->tag[x][bit_low32(m)] == tag) return bit_low32(m);
  return -1;
}

static void vtt_touch(struct vtt *s, uint64_t x, unsigned g) {
  uint8_t *o = s->order[x];
  unsigned at = 0;
  while (o[at] != g) at++;
  memmove(o + 1, o, at);
  o[0] = (uint8_t)g;
}

static uint16_t vtt_register_of(const struct vtt *s, uint64_t x, unsigned g) {
  const uint64_t v = g / s->size.Ways, y = g % s->size.Ways;
  return (uint16_t)(s->size.Offset + v * s->size.Sets * s->size.Ways + x * s->size.Ways + y);
}

static void vtt_push_answer(struct vtt *s, unsigned kind, bool hit, uint64_t reg, uint64_t id, uint64_t latency) {
  s->queue[(s->first + s->r.response_count_q++) % vtt_QUEUE] = (struct vtt_answer){
      .kind = (uint8_t)kind, .hit = hit, .reg = (uint16_t)reg, .id = (uint8_t)id, .wait = (uint16_t)(latency - 1)};
}

static void vtt_look_up(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = vtt_set_of(s, in->lookup_line_i, &tag);
  const int g = vtt_find_way(s, x, tag);
  if (s->mode != VTT_SELECTED) {
    if (g >= 0) s->valid[x] &= ~(1u << g);
    vtt_push_answer(s, VTT_PROBE, g >= 0, 0, in->lookup_id_i, s->size.SearchLatency);
    return;
  }
  const uint64_t active = (uint64_t)bit_count64(s->active);
  if (g < 0) {
    vtt_push_answer(s, VTT_LOOKUP, false, 0, in->lookup_id_i, s->size.SearchLatency * (active ? active : 1));
    return;
  }
  const uint64_t k = (unsigned)g / s->size.Ways - (s->size.NumPartitions - active);
  vtt_touch(s, x, (unsigned)g);
  vtt_push_answer(s, VTT_LOOKUP, true, vtt_register_of(s, x, (unsigned)g), in->lookup_id_i,
                  s->size.SearchLatency * (k + 1));
}

static void vtt_insert(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = vtt_set_of(s, in->insert_line_i, &tag);
  if (!s->active) return;
  int g = vtt_find_way(s, x, tag);
  const uint32_t empty = vtt_ways_of(s, s->active) & ~s->valid[x];
  if (g < 0) g = empty ? bit_low32(empty) : s->order[x][vtt_active_ways(s) - 1];
  s->tag[x][g] = tag;
  s->valid[x] |= 1u << g;
  vtt_touch(s, x, (unsigned)g);
  if (s->mode == VTT_SELECTED)
    vtt_push_answer(s, VTT_INSERT, false, vtt_register_of(s, x, (unsigned)g), 0, s->size.SearchLatency);
}

static void vtt_invalidate(struct vtt *s, const struct vtt_in *in) {
  uint32_t tag;
  const uint64_t x = vtt_set_of(s, in->invalidate_line_i, &tag);
  const int g = vtt_find_way(s, x, tag);
  if (g >= 0) s->valid[x] &= ~(1u << g);
}

static uint64_t vtt_partitions_above(const struct vtt *s, uint64_t highest) {
  uint64_t active = 0;
  for (uint64_t v = 0; v < s->size.NumPartitions; v++)
    if (s->size.Offset + s->size.Sets * s->size.Ways * v > highest) active |= 1ull << v;
  return active;
}

static void take_over(struct vtt *s, const struct vtt_in *in) {
  BLOCK_RULE(in->mode_i <= VTT_OFF);
  const uint64_t active = in->mode_i == VTT_SELECTED  ? vtt_partitions_above(s, in->highest_register_i)
                          : in->mode_i == VTT_MONITOR ? all_partitions(s)
                                                      : 0;
  if (active == s->active && in->mode_i == s->mode) s->hold_done = true;
  else vtt_sweep(s, active, in->mode_i, in->mode_i == s->mode, true);
}

static void advance_sweep(struct vtt *s, uint64_t n) {
  s->rows -= n;
  if (s->rows) return;
  s->active = s->to_active;
  s->mode = s->to_mode;
  s->r.running_q = 1;
  s->hold_done = s->sweep_answers;
}

static void wait_less(struct vtt *s, uint64_t n) {
  for (uint64_t i = 0; i < s->r.response_count_q; i++) {
    struct vtt_answer *a = &s->queue[(s->first + i) % vtt_QUEUE];
    a->wait = (uint16_t)(a->wait > n ? a->wait - n : 0);
  }
  s->r.spacing_q -= s->r.spacing_q < n ? s->r.spacing_q : n;
}

void vtt_tick(struct vtt *s, const struct vtt_in *in) {
  struct vtt_out o;
  vtt_eval(s, in, &o);
  if (in->launch_start_i) {
    vtt_start(s);
    return;
  }
  const bool decides = in->hold_i && o.idle_o && !s->hold_done;
  if (!in->hold_i) s->hold_done = false;
  if (!s->r.running_q) {
    advance_sweep(s, 1);
    return;
  }
  wait_less(s, 1);
  if (o.response_valid_o && in->response_ready_i) {
    s->queue[s->first] = (struct vtt_answer){0};
    s->first = (s->first + 1) % vtt_QUEUE;
    s->r.response_count_q--;
  }
  const bool invalidates = in->invalidate_valid_i && o.invalidate_ready_o,
             inserts = in->insert_valid_i && o.insert_ready_o, looks_up = in->lookup_valid_i && o.lookup_ready_o;
  if (invalidates) vtt_invalidate(s, in);
  if (inserts) vtt_insert(s, in);
  if (looks_up) vtt_look_up(s, in);
  if (invalidates || inserts || looks_up) s->r.spacing_q = s->size.SearchInterval - 1;
  if (decides) take_over(s, in);
}

uint64_t vtt_idle(const struct vtt *s) {
  if (!s->r.running_q) return s->rows - 1;
  if (s->hold_done) return 0;
  const uint64_t rest = s->r.spacing_q ? s->r.spacing_q - 1 : UINT64_MAX;
  if (!s->r.response_count_q) return rest;
  const uint64_t wait = s->queue[s->first].wait;
  return wait <= 1 ? 0 : wait - 1 < rest ? wait - 1 : rest;
}

uint64_t vtt_hold(const struct vtt *s, const struct vtt_in *in) {
  if (in->launch_start_i || in->invalidate_valid_i || in->insert_valid_i || in->lookup_valid_i || !s->r.running_q)
    return 0;
  if (s->r.spacing_q) return 0;
  for (uint64_t i = 0; i < s->r.response_count_q; i++)
    if (s->queue[(s->first + i) % vtt_QUEUE].wait) return 0;
  if (s->r.response_count_q && in->response_ready_i) return 0;
  if (in->hold_i != s->hold_done && (in->hold_i ? !s->r.response_count_q && !in->access_pending_i : true)) return 0;
  return UINT64_MAX;
}

void vtt_skip(struct vtt *s, uint64_t n) {
  if (!s->r.running_q) advance_sweep(s, n);
  else wait_less(s, n);
}

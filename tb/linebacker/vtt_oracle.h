/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of vtt's bench: a third program for the page, which predicts every output and register. It keeps whole lines and no tags,
 * in each set a list of the ways by their last use and no ages, and of a sweep only its last row. It has no reset line: a reset
 * is what the start of a launch is. docs/blocks/linebacker/vtt.md
 */
#ifndef RT_TB_VTT_ORACLE_H
#define RT_TB_VTT_ORACLE_H

#include <string.h>

#include "blocks/linebacker/vtt.h"
#include "tb.h"

enum {
  SETS = TB_PARAM(Sets),
  WAYS = TB_PARAM(Ways),
  VPS = TB_PARAM(NumPartitions),
  SPACING = TB_PARAM(SearchInterval),
  LATENCY = TB_PARAM(SearchLatency),
  FIRST_REGISTER = TB_PARAM(Offset),
  OF_VP = SETS * WAYS,                   /* registers of a VP */
  OF_SET = VPS * WAYS,                   /* ways of a set */
  FULL_SEARCH = VPS * LATENCY / SPACING, /* look-ups under way */
  PLACES = FULL_SEARCH > 8 ? FULL_SEARCH + 1 : 9,
  LINE_BITS = 23,
  THREE = SETS % 3 == 0,
  LOW_BITS = RT_CLOG2(THREE ? SETS / 3 : SETS), /* of a line, that are bits of the set */
  NO_WAY = OF_SET
};

struct place { /* a way */
  bool valid;
  uint32_t line;
};

struct response {
  unsigned kind, hit, reg, id;
  uint64_t ready;
};

struct oracle {
  uint64_t now;
  struct place way[SETS][OF_SET];
  unsigned used[SETS][OF_SET]; /* the ways of active VPs, the one used last first */
  unsigned first, mode;        /* VPs `first` to VPS - 1 are active */
  unsigned rows;               /* of a sweep that are still to come; 0: none under way */
  bool empties;                /* it is that of the start of a launch */
  bool hold_done;
  unsigned to_first, to_mode; /* what it makes */
  unsigned rest;              /* cycles until a request may follow */
  unsigned count;
  struct response queue[PLACES];
};

/* What a cycle did, for the bins. */
struct deed {
  enum request { NOTHING, INVALIDATE, INSERT, LOOKUP } request;
  uint32_t line;
  unsigned set;
  unsigned way;                                                /* that matched or was chosen; or NO_WAY */
  enum choice { NO_CHOICE, OWN, INVALID, OLDEST, DROPPED } by; /* of an insert */
  unsigned rank;                                               /* the way's in the list before */
  unsigned beyond;                                             /* VPs searched before the one of the hit */
  uint32_t evicted;
  bool taken, enters, decides, same, last_row;
};

/* ---- lines, sets, registers ---- */

static unsigned vtt_oracle_set_of(uint32_t line) {
  uint32_t low = line % (1u << LOW_BITS), high = line >> LOW_BITS;
  return THREE ? (high % 3) * (1u << LOW_BITS) + low : low;
}

static unsigned vtt_oracle_register_of(unsigned set, unsigned way) {
  return FIRST_REGISTER + way / WAYS * OF_VP + set * WAYS + way % WAYS;
}

static unsigned vtt_oracle_active_ways(const struct oracle *o) { return (VPS - o->first) * WAYS; }

/* The first VP whose registers are all above this one. */
static unsigned vtt_oracle_first_above(unsigned highest) {
  unsigned v = 0;
  while (v < VPS && FIRST_REGISTER + v * OF_VP <= highest) v++;
  return v;
}

static unsigned vtt_oracle_find_line(const struct oracle *o, unsigned set, uint32_t line) {
  for (unsigned g = o->first * WAYS; g < OF_SET; g++) {
    if (o->way[set][g].valid && o->way[set][g].line == line) return g;
  }
  return NO_WAY;
}

static unsigned vtt_oracle_find_invalid(const struct oracle *o, unsigned set) {
  unsigned g = o->first * WAYS;
  while (g < OF_SET && o->way[set][g].valid) g++;
  return g;
}

static unsigned vtt_oracle_rank_of(const struct oracle *o, unsigned set, unsigned way) {
  unsigned i = 0;
  while (o->used[set][i] != way) i++;
  return i;
}

static void vtt_oracle_use_way(struct oracle *o, unsigned set, unsigned way) {
  for (unsigned i = vtt_oracle_rank_of(o, set, way); i; i--) o->used[set][i] = o->used[set][i - 1];
  o->used[set][0] = way;
}

/* ---- a cycle's outputs ---- */

static void vtt_oracle_start(struct oracle *o) {
  o->count = o->rest = 0;
  o->hold_done = false;
  o->first = VPS, o->mode = VTT_MONITOR;
  o->rows = SETS, o->empties = true, o->to_first = 0, o->to_mode = VTT_MONITOR;
}

static void vtt_oracle_reset(struct oracle *o) {
  memset(o, 0, sizeof *o);
  vtt_oracle_start(o);
}

static bool vtt_oracle_shows_response(const struct oracle *o) { return o->count && o->queue[0].ready <= o->now; }

static bool vtt_oracle_is_open(const struct oracle *o, const struct vtt_in *in) {
  return !o->rows && !in->launch_start_i && (o->mode != VTT_SELECTED || !o->rest);
}

static struct vtt_out vtt_oracle_out(const struct oracle *o, const struct vtt_in *in) {
  bool open = vtt_oracle_is_open(o, in);
  struct vtt_out out = {.hold_done_o = o->hold_done, .effective_mode_o = o->mode};
  out.invalidate_ready_o = open && !in->hold_i;
  out.insert_ready_o = open && !(in->invalidate_valid_i && out.invalidate_ready_o) && o->count < PLACES;
  out.lookup_ready_o = open && !in->hold_i && !in->invalidate_valid_i && !in->insert_valid_i && o->count < PLACES - 1;
  out.idle_o = !o->rows && !o->count && !o->rest && !in->access_pending_i && !in->insert_valid_i;
  for (unsigned v = o->first; v < VPS; v++) out.active_partitions_o |= UINT64_C(1) << v;
  if (vtt_oracle_shows_response(o)) {
    const struct response *r = &o->queue[0];
    out.response_valid_o = 1, out.response_kind_o = r->kind, out.response_hit_o = r->hit,
    out.response_register_o = r->reg, out.response_id_o = r->id;
  }
  return out;
}

static struct vtt_state vtt_oracle_state(const struct oracle *o) {
  return (struct vtt_state){.running_q = !o->rows, .response_count_q = o->count, .spacing_q = o->rest};
}

/* ---- a cycle's effects ---- */

static void vtt_oracle_answer(struct oracle *o, struct deed *d, unsigned kind, unsigned way, uint64_t id,
                              unsigned after) {
  bool hit = way != NO_WAY, has_register = hit && kind != VTT_PROBE;
  o->queue[o->count++] = (struct response){.kind = kind,
                                           .hit = hit && kind != VTT_INSERT,
                                           .reg = has_register ? vtt_oracle_register_of(d->set, way) : 0,
                                           .id = (unsigned)id,
                                           .ready = o->now + after};
  d->enters = true;
}

static void vtt_oracle_invalidate(struct oracle *o, struct deed *d) {
  if (d->way != NO_WAY) o->way[d->set][d->way].valid = false;
}

static void vtt_oracle_look_up(struct oracle *o, struct deed *d, uint64_t id) {
  if (o->mode != VTT_SELECTED) {
    vtt_oracle_answer(o, d, VTT_PROBE, d->way, id, LATENCY);
    vtt_oracle_invalidate(o, d);
    return;
  }
  unsigned searched = VPS - o->first;
  if (d->way != NO_WAY) {
    d->beyond = d->way / WAYS - o->first;
    searched = d->beyond + 1;
    vtt_oracle_use_way(o, d->set, d->way);
  }
  vtt_oracle_answer(o, d, VTT_LOOKUP, d->way, id, LATENCY * (searched ? searched : 1));
}

static void vtt_oracle_insert(struct oracle *o, struct deed *d) {
  d->by = OWN;
  if (o->first == VPS) {
    d->by = DROPPED;
    return;
  }
  if (d->way == NO_WAY) {
    d->way = vtt_oracle_find_invalid(o, d->set);
    d->by = INVALID;
  }
  if (d->way == NO_WAY) {
    d->way = o->used[d->set][vtt_oracle_active_ways(o) - 1];
    d->by = OLDEST;
    d->evicted = o->way[d->set][d->way].line;
  }
  d->rank = vtt_oracle_rank_of(o, d->set, d->way);
  o->way[d->set][d->way] = (struct place){.valid = true, .line = d->line};
  vtt_oracle_use_way(o, d->set, d->way);
  if (o->mode == VTT_SELECTED) vtt_oracle_answer(o, d, VTT_INSERT, d->way, 0, LATENCY);
}

static void vtt_oracle_accept(struct oracle *o, struct deed *d, enum request request, uint64_t line, uint64_t id) {
  d->request = request;
  d->line = (uint32_t)line;
  d->set = vtt_oracle_set_of(d->line);
  d->way = vtt_oracle_find_line(o, d->set, d->line);
  if (d->way != NO_WAY) d->rank = vtt_oracle_rank_of(o, d->set, d->way);
  if (request == INVALIDATE) vtt_oracle_invalidate(o, d);
  if (request == INSERT) vtt_oracle_insert(o, d);
  if (request == LOOKUP) vtt_oracle_look_up(o, d, id);
  o->rest = SPACING - 1;
}

static void vtt_oracle_decide(struct oracle *o, struct deed *d, const struct vtt_in *in) {
  d->decides = true;
  o->to_mode = (unsigned)in->mode_i;
  o->to_first = in->mode_i == VTT_MONITOR ? 0
                : in->mode_i == VTT_OFF   ? VPS
                                          : vtt_oracle_first_above((unsigned)in->highest_register_i);
  d->same = o->to_mode == o->mode && o->to_first == o->first;
  if (d->same) {
    o->hold_done = true;
  } else {
    o->rows = SETS, o->empties = false;
  }
}

static void vtt_oracle_end_sweep(struct oracle *o) {
  bool keeps = !o->empties && o->to_mode == o->mode;
  unsigned lowest = o->first > o->to_first ? o->first : o->to_first; /* VP that is active before and after */
  for (unsigned set = 0; set < SETS; set++) {
    for (unsigned g = 0; g < OF_SET; g++) {
      if (!keeps || g / WAYS < lowest) o->way[set][g].valid = false;
    }
    for (unsigned g = o->to_first * WAYS, i = 0; g < OF_SET; g++, i++) o->used[set][i] = g;
  }
  o->first = o->to_first, o->mode = o->to_mode;
  o->hold_done = !o->empties;
}

static void vtt_oracle_edge(struct oracle *o, const struct vtt_in *in, struct deed *d) {
  struct vtt_out out = vtt_oracle_out(o, in);
  memset(d, 0, sizeof *d);
  d->way = NO_WAY;
  d->taken = out.response_valid_o && in->response_ready_i;
  if (in->launch_start_i) {
    vtt_oracle_start(o);
    o->now++;
    return;
  }
  if (d->taken) {
    o->count--;
    memmove(&o->queue[0], &o->queue[1], sizeof o->queue - sizeof o->queue[0]);
  }
  if (!in->hold_i) o->hold_done = false;
  if (o->rest) o->rest--;
  if (o->rows) {
    d->last_row = o->rows == 1;
    if (d->last_row) vtt_oracle_end_sweep(o);
    o->rows--;
  } else if (in->hold_i && out.idle_o && !out.hold_done_o) {
    vtt_oracle_decide(o, d, in);
  } else if (in->invalidate_valid_i && out.invalidate_ready_o) {
    vtt_oracle_accept(o, d, INVALIDATE, in->invalidate_line_i, 0);
  } else if (in->insert_valid_i && out.insert_ready_o) {
    vtt_oracle_accept(o, d, INSERT, in->insert_line_i, 0);
  } else if (in->lookup_valid_i && out.lookup_ready_o) {
    vtt_oracle_accept(o, d, LOOKUP, in->lookup_line_i, in->lookup_id_i);
  }
  o->now++;
}

#endif

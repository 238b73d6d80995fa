/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcrf: registers of pending CTAs. docs/blocks/finereg/pcrf.md. A memory is read in the cycle of the request, not of
 * the response: no entry requested by the walk is written before it is popped.
 */
#include "blocks/finereg/pcrf.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* The walk has read this entry's tag, and it is not popped up to and including the cycle of `in`. */
static bool on_its_way(const struct pcrf *s, const struct pcrf_in *in, uint64_t idx) {
  if ((s->walk_q == PCRF_ASKED || s->walk_q == PCRF_KNOWN) && s->at_q == idx) return true;
  for (unsigned i = in->h_pop_i ? 1 : 0; i < s->n_q + s->coming_q; i++) {
    if (s->fifo_q[(s->head_q + i) % PCRF_PLACES].idx == idx) return true;
  }
  return false;
}

void pcrf_reset(struct pcrf *s) {
  memset(s, 0, offsetof(struct pcrf, tag_m));
  s->r.credit_q = PCRF_PLACES;
  s->size = pcrf_defaults();
}

void pcrf_size(struct pcrf *s, const struct pcrf_params *p) { s->size = *p; }

void pcrf_eval(const struct pcrf *s, const struct pcrf_in *in, struct pcrf_out *out) {
  (void)in;
  *out = (struct pcrf_out){0};
  if (!s->n_q) return;
  const struct pcrf_entry *h = &s->fifo_q[s->head_q];
  out->h_v_o = 1;
  out->h_idx_o = h->idx;
  out->h_end_o = h->tag.end;
  out->h_w_o = h->tag.w;
  out->h_r_o = h->tag.r;
  if (!s->r.control_only) memcpy(out->h_d_o, h->d, sizeof h->d);
}

static void read_tag(struct pcrf *s, const struct pcrf_in *in, uint64_t at) {
  BLOCK_RULE(at < s->size.NumEntries && set_has(s->written, (uint32_t)at));
  BLOCK_RULE(!in->wr_v_i || in->wr_idx_i != at);
  BLOCK_RULE(!in->fl_v_i || in->fl_idx_i != at);
  s->at_q = (uint16_t)at;
  s->tag_q = s->tag_m[at];
  s->walk_q = PCRF_ASKED;
  s->r.credit_q--;
}

static void read_data(struct pcrf *s) {
  struct pcrf_entry *e = &s->fifo_q[(s->head_q + s->n_q) % PCRF_PLACES];
  e->idx = s->at_q;
  e->tag = s->tag_q;
  if (!s->r.control_only) memcpy(e->d, s->d_m[s->at_q], sizeof e->d);
  s->coming_q = true;
}

static void walk(struct pcrf *s, const struct pcrf_in *in) {
  const bool room = s->r.credit_q > 0;
  switch (s->walk_q) {
    case PCRF_STILL:
      if (in->wk_v_i) read_tag(s, in, in->wk_ptr_i);
      break;
    case PCRF_ASKED: s->walk_q = PCRF_KNOWN; break;
    case PCRF_KNOWN:
      read_data(s);
      if (s->tag_q.end) {
        s->walk_q = PCRF_STILL;
      } else if (room) {
        read_tag(s, in, s->tag_q.next);
      } else {
        s->at_q = s->tag_q.next;
        s->walk_q = PCRF_WAITS;
      }
      break;
    case PCRF_WAITS:
      if (room) read_tag(s, in, s->at_q);
  }
}

static void write_entry(struct pcrf *s, const struct pcrf_in *in) {
  const uint64_t at = in->wr_idx_i;
  BLOCK_RULE(at < s->size.NumEntries);
  set_add(s->written, (uint32_t)at);
  s->tag_m[at] =
      (struct pcrf_tag){(uint16_t)in->wr_next_i, (uint8_t)in->wr_w_i, (uint8_t)in->wr_r_i, in->wr_end_i != 0};
  if (!s->r.control_only) memcpy(s->d_m[at], in->wr_d_i, sizeof s->d_m[at]);
}

static void write_lanes(struct pcrf *s, const struct pcrf_in *in) {
  BLOCK_RULE(in->fl_idx_i < s->size.NumEntries);
  uint32_t *d = s->d_m[in->fl_idx_i];
  for (uint32_t left = (uint32_t)in->fl_lane_i; left; left &= left - 1) {
    const int l = bit_low32(left);
    d[l] = in->fl_d_i[l];
  }
}

void pcrf_tick(struct pcrf *s, const struct pcrf_in *in) {
  const bool arrives = s->coming_q;
  BLOCK_RULE(!in->wk_v_i || (s->walk_q == PCRF_STILL && !arrives && !s->n_q));
  BLOCK_RULE(!in->h_pop_i || s->n_q);
  BLOCK_RULE(!in->wr_v_i || (!in->fl_v_i && !on_its_way(s, in, in->wr_idx_i)));
  BLOCK_RULE(!in->fl_v_i || !on_its_way(s, in, in->fl_idx_i));
  s->coming_q = false;
  walk(s, in);
  s->n_q += arrives;
  if (in->h_pop_i) {
    s->head_q = (s->head_q + 1) % PCRF_PLACES;
    s->n_q--;
    s->r.credit_q++;
  }
  if (in->wr_v_i) write_entry(s, in);
  if (in->fl_v_i) write_lanes(s, in);
}

uint64_t pcrf_idle(const struct pcrf *s) {
  const bool stopped = s->walk_q == PCRF_STILL || (s->walk_q == PCRF_WAITS && !s->r.credit_q);
  return stopped && !s->coming_q ? UINT64_MAX : 0;
}

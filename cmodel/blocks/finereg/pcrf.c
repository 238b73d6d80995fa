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
  if ((s->walk_q == PCRF_ASKED || s->walk_q == PCRF_KNOWN) && s->walk_index_q == idx) return true;
  for (unsigned i = in->head_pop_i ? 1 : 0; i < s->fifo_count_q + s->coming_q; i++) {
    if (s->fifo_q[(s->fifo_head_q + i) % PCRF_PLACES].index == idx) return true;
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
  if (!s->fifo_count_q) return;
  const struct pcrf_entry *h = &s->fifo_q[s->fifo_head_q];
  out->head_valid_o = 1;
  out->head_index_o = h->index;
  out->head_end_o = h->tag.end;
  out->head_warp_o = h->tag.warp;
  out->head_register_o = h->tag.reg;
  if (!s->r.control_only) memcpy(out->head_data_o, h->data, sizeof h->data);
}

static void pcrf_read_tag(struct pcrf *s, const struct pcrf_in *in, uint64_t at) {
  BLOCK_RULE(at < s->size.NumEntries && set_has(s->written, (uint32_t)at));
  BLOCK_RULE(!in->write_valid_i || in->write_index_i != at);
  BLOCK_RULE(!in->fill_valid_i || in->fill_index_i != at);
  s->walk_index_q = (uint16_t)at;
  s->tag_q = s->tag_m[at];
  s->walk_q = PCRF_ASKED;
  s->r.credit_q--;
}

static void pcrf_read_data(struct pcrf *s) {
  struct pcrf_entry *e = &s->fifo_q[(s->fifo_head_q + s->fifo_count_q) % PCRF_PLACES];
  e->index = s->walk_index_q;
  e->tag = s->tag_q;
  if (!s->r.control_only) memcpy(e->data, s->data_m[s->walk_index_q], sizeof e->data);
  s->coming_q = true;
}

static void pcrf_step_walk(struct pcrf *s, const struct pcrf_in *in) {
  const bool room = s->r.credit_q > 0;
  switch (s->walk_q) {
    case PCRF_STILL:
      if (in->walk_valid_i) pcrf_read_tag(s, in, in->walk_pointer_i);
      break;
    case PCRF_ASKED: s->walk_q = PCRF_KNOWN; break;
    case PCRF_KNOWN:
      pcrf_read_data(s);
      if (s->tag_q.end) {
        s->walk_q = PCRF_STILL;
      } else if (room) {
        pcrf_read_tag(s, in, s->tag_q.next);
      } else {
        s->walk_index_q = s->tag_q.next;
        s->walk_q = PCRF_WAITS;
      }
      break;
    case PCRF_WAITS:
      if (room) pcrf_read_tag(s, in, s->walk_index_q);
  }
}

static void write_entry(struct pcrf *s, const struct pcrf_in *in) {
  const uint64_t at = in->write_index_i;
  BLOCK_RULE(at < s->size.NumEntries);
  set_add(s->written, (uint32_t)at);
  s->tag_m[at] = (struct pcrf_tag){(uint16_t)in->write_next_i, (uint8_t)in->write_warp_i, (uint8_t)in->write_register_i,
                                   in->write_end_i != 0};
  if (!s->r.control_only) memcpy(s->data_m[at], in->write_data_i, sizeof s->data_m[at]);
}

static void write_lanes(struct pcrf *s, const struct pcrf_in *in) {
  BLOCK_RULE(in->fill_index_i < s->size.NumEntries);
  uint32_t *d = s->data_m[in->fill_index_i];
  for (uint32_t left = (uint32_t)in->fill_lanes_i; left; left &= left - 1) {
    const int l = bit_low32(left);
    d[l] = in->fill_data_i[l];
  }
}

void pcrf_tick(struct pcrf *s, const struct pcrf_in *in) {
  const bool arrives = s->coming_q;
  BLOCK_RULE(!in->walk_valid_i || (s->walk_q == PCRF_STILL && !arrives && !s->fifo_count_q));
  BLOCK_RULE(!in->head_pop_i || s->fifo_count_q);
  BLOCK_RULE(!in->write_valid_i || (!in->fill_valid_i && !on_its_way(s, in, in->write_index_i)));
  BLOCK_RULE(!in->fill_valid_i || !on_its_way(s, in, in->fill_index_i));
  s->coming_q = false;
  pcrf_step_walk(s, in);
  s->fifo_count_q += arrives;
  if (in->head_pop_i) {
    s->fifo_head_q = (s->fifo_head_q + 1) % PCRF_PLACES;
    s->fifo_count_q--;
    s->r.credit_q++;
  }
  if (in->write_valid_i) write_entry(s, in);
  if (in->fill_valid_i) write_lanes(s, in);
}

uint64_t pcrf_idle(const struct pcrf *s) {
  const bool stopped = s->walk_q == PCRF_STILL || (s->walk_q == PCRF_WAITS && !s->r.credit_q);
  return stopped && !s->coming_q ? UINT64_MAX : 0;
}

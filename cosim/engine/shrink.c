/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrink: minimises a failing stream: first whole runs of cycles are removed (delta debugging), then ports are
 * zeroed: a whole port in all cycles, then in one, then element by element and bit by bit, or word by word; first those that a DATA line of the .def names, the wider before
 * the narrower. A candidate counts when it still fails in the
 * same way and no rule of the block's inputs is broken, not even in the failing cycle, unless the whole stream does
 * that already (a rule may be judged by a state that is wrong). Every try begins with fresh models.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"

struct job {
  const struct block_desc *d;
  struct engine *e;
  double until; /* of processor time */
  enum outcome how;
  const struct item **port; /* the inputs, those first that are zeroed first */
  unsigned ports;
};

static bool in_time(const struct job *j) { return processor_time() < j->until; }

/* Runs s; if it fails, *keep says after how many cycles. */
static bool stream_fails(struct job *j, const struct stim *s, uint64_t *keep) {
  engine_restart(j->e);
  enum outcome o = engine_replay(j->e, s, "shrink");
  if (o == RUN_AGREE || o == RUN_ILLEGAL || (j->how != RUN_AGREE && o != j->how)) return false;
  j->how = o;
  if (keep) *keep = j->e->bad_cycle + 1;
  return true;
}

static struct stim stream_copy(const struct stim *s) {
  struct stim c = *s;
  c.at = memory_checked(malloc(s->cycles * s->step + 1));
  c.room = s->cycles;
  memcpy(c.at, s->at, s->cycles * s->step);
  return c;
}

static void stream_drop_cycles(struct stim *s, uint64_t from, uint64_t n) {
  uint64_t start = START_ON;
  for (uint64_t k = from; k < from + n; k++)
    if (stim_reset(s, k)) start = *stim_start(s, k);
  memmove(s->at + from * s->step, s->at + (from + n) * s->step, (s->cycles - from - n) * s->step);
  s->cycles -= n;
  if (start && from < s->cycles && !stim_reset(s, from)) *stim_start(s, from) = start;
}

static bool stream_try(struct job *j, struct stim *s, struct stim *candidate) {
  uint64_t keep;
  if (in_time(j) && candidate->cycles && stream_fails(j, candidate, &keep)) {
    free(s->at);
    *s = *candidate;
    s->cycles = keep < s->cycles ? keep : s->cycles;
    return true;
  }
  free(candidate->at);
  return false;
}

static bool stream_cut_cycles(struct job *j, struct stim *s) {
  bool any = false;
  for (uint64_t n = s->cycles / 2; n; n = n > 1 ? (n + 1) / 2 : 0) {
    for (uint64_t from = 0; from + n <= s->cycles;) {
      struct stim c = stream_copy(s);
      stream_drop_cycles(&c, from, n);
      if (stream_try(j, s, &c)) any = true;
      else from += n;
      if (!in_time(j)) return any;
    }
  }
  return any;
}

/* A cycle that starts from a reset goes on; one that starts from a state starts from the reset's. */
static bool stream_cut_resets(struct job *j, struct stim *s) {
  bool any = false;
  for (uint64_t k = 0; k < s->cycles && in_time(j); k++) {
    const uint64_t start = *stim_start(s, k);
    for (uint64_t less = k ? START_ON : START_RESET; k < s->cycles && less < start && less <= START_RESET; less++) {
      struct stim c = stream_copy(s);
      *stim_start(&c, k) = less;
      if (!stream_try(j, s, &c)) continue;
      any = true;
      break;
    }
  }
  return any;
}

static bool bytes_are_zero(const unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i]) return false;
  return true;
}

/* Zeroes bytes [at, at + n) of the inputs in cycles [from, to). */
static bool stream_zero_bytes(struct job *j, struct stim *s, size_t at, size_t n, uint64_t from, uint64_t to) {
  bool all = true;
  if (!in_time(j)) return false;
  for (uint64_t k = from; k < to; k++) all = all && bytes_are_zero(stim_in(s, k) + at, n);
  if (all) return false;
  struct stim c = stream_copy(s);
  for (uint64_t k = from; k < to; k++) memset(stim_in(&c, k) + at, 0, n);
  return stream_try(j, s, &c);
}

/* The inputs in the order in which they are zeroed; returns how many there are. */
static unsigned sort_inputs(const struct block_desc *d, const struct item *port[]) {
  unsigned n = 0;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    unsigned at = n;
    if (i->kind != ITEM_IN) continue;
    const bool data = line_names(d, ITEM_DATA, i->name);
    for (; at; at--) {
      const bool before = line_names(d, ITEM_DATA, port[at - 1]->name);
      if (before == data ? item_bits(port[at - 1]) >= item_bits(i) : before) break;
      port[at] = port[at - 1];
    }
    port[at] = i;
    n++;
  }
  return n;
}

/* Zeroes bits of an element in cycle t, one by one; of one wider than 64 bits runs of words. */
static bool stream_cut_element(struct job *j, struct stim *s, uint64_t t, const struct item *i, unsigned element) {
  const size_t place = i->offset + flat_place(&i->shape, element), bytes = i->shape.element;
  bool any = false;
  for (unsigned b = 0; i->width <= 64 && b < i->width && t < s->cycles; b++) {
    if (!(item_number(i, stim_in(s, t), element) >> b & 1)) continue;
    struct stim c = stream_copy(s);
    item_flip(i, stim_in(&c, t), element, b);
    any |= stream_try(j, s, &c);
  }
  for (size_t n = i->width > 64 ? bytes / 2 & ~(size_t)3 : 0; n; n = n > 4 ? (n / 2 + 3) & ~(size_t)3 : 0) {
    for (size_t at = 0; at < bytes && t < s->cycles; at += n)
      any |= stream_zero_bytes(j, s, place + at, n < bytes - at ? n : bytes - at, t, t + 1);
  }
  return any;
}

static bool stream_cut_values(struct job *j, struct stim *s) {
  bool any = false;
  for (unsigned k = 0; k < j->ports; k++) {
    const struct item *i = j->port[k];
    if (stream_zero_bytes(j, s, i->offset, i->bytes, 0, s->cycles)) {
      any = true;
      continue;
    }
    for (uint64_t t = 0; t < s->cycles && in_time(j); t++) {
      if (stream_zero_bytes(j, s, i->offset, i->bytes, t, t + 1)) {
        any = true;
        continue;
      }
      for (unsigned n = 0; n < item_count(i) && t < s->cycles; n++) {
        if (i->n && stream_zero_bytes(j, s, i->offset + flat_place(&i->shape, n), i->shape.element, t, t + 1))
          any = true;
        else any |= stream_cut_element(j, s, t, i, n);
      }
    }
  }
  return any;
}

bool stim_shrink(const struct engine *like, struct stim *s, double seconds, bool *early) {
  struct job j = {
      .d = like->d, .e = engine_new(like->d, like->rtl, like->tb, like->seed), .until = processor_time() + seconds};
  uint64_t keep;
  j.port = memory_checked(calloc(like->d->items + 1, sizeof *j.port));
  j.ports = sort_inputs(like->d, j.port);
  j.e->strict = true;
  bool ok = stream_fails(&j, s, &keep);
  if (!ok) {
    j.e->strict = false;
    ok = stream_fails(&j, s, &keep);
  }
  if (ok) {
    s->cycles = keep < s->cycles ? keep : s->cycles;
    for (bool more = true; more && in_time(&j);) {
      more = stream_cut_cycles(&j, s);
      more |= stream_cut_resets(&j, s);
      more |= stream_cut_values(&j, s);
    }
  }
  *early = !in_time(&j);
  free(j.port);
  engine_free(j.e);
  return ok;
}

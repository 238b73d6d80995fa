/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_wheel: future events by cycle, and the pool of instructions in flight. Events of one cycle are returned in
 * the order of insertion. A bitmap of occupied cycles finds the next one without a scan.
 */
#include "sm/private.h"

void event_at(struct sm *S, uint64_t cycle, enum event_kind k, uint32_t arg) {
  if (cycle <= S->now || cycle - S->now >= WHEEL)
    die("event at %llu, now %llu", (unsigned long long)cycle, (unsigned long long)S->now);
  uint32_t e = S->event_free;
  if (e == NONE32) {
    uint32_t old = S->nevent;
    S->nevent = old ? old * 2 : 256;
    S->event = xrealloc(S->event, (size_t)S->nevent * sizeof *S->event);
    for (uint32_t i = S->nevent; i-- > old;) {
      S->event[i].next = S->event_free;
      S->event_free = i;
    }
    e = S->event_free;
  }
  S->event_free = S->event[e].next;
  S->event[e] = (struct event){.next = NONE32, .arg = arg, .kind = (uint8_t)k};
  uint32_t slot = cycle % WHEEL;
  if (S->wheel_head[slot] == NONE32) {
    S->wheel_head[slot] = e;
    S->wheel_bits[slot / 64] |= 1ull << slot % 64;
  } else {
    S->event[S->wheel_tail[slot]].next = e;
  }
  S->wheel_tail[slot] = e;
  S->events++;
}

uint64_t event_next(const struct sm *S) {
  if (!S->events) return NEVER;
  uint32_t from = (S->now + 1) % WHEEL;
  for (uint32_t k = 0; k <= WHEEL / 64; k++) {
    uint32_t word = (from / 64 + k) % (WHEEL / 64);
    uint64_t bits = S->wheel_bits[word];
    if (k == 0) bits &= ~0ull << from % 64;
    if (bits) return S->now + 1 + (word * 64 + (uint32_t)bit_low64(bits) - from + WHEEL) % WHEEL;
  }
  return NEVER;
}

void events_due(struct sm *S, void (*f)(struct sm *, enum event_kind, uint32_t arg)) {
  uint32_t slot = S->now % WHEEL;
  if (!(S->wheel_bits[slot / 64] >> slot % 64 & 1)) return;
  uint32_t e = S->wheel_head[slot];
  S->wheel_head[slot] = NONE32;
  S->wheel_bits[slot / 64] &= ~(1ull << slot % 64);
  while (e != NONE32) {
    struct event ev = S->event[e];
    S->event[e].next = S->event_free;
    S->event_free = e;
    S->events--;
    f(S, ev.kind, ev.arg);
    e = ev.next;
  }
}

uint32_t inflight_new(struct sm *S, const struct warp_inst *inst) {
  if (S->inflight_free == NONE32) {
    uint32_t old = S->ninflight;
    S->ninflight = old ? old * 2 : 256;
    S->inflight = xrealloc(S->inflight, (size_t)S->ninflight * sizeof *S->inflight);
    for (uint32_t i = S->ninflight; i-- > old;) {
      S->inflight[i].op = NULL;
      S->inflight[i].next = S->inflight_free;
      S->inflight_free = i;
    }
  }
  uint32_t f = S->inflight_free;
  S->inflight_free = S->inflight[f].next;
  S->inflight[f] = (struct inflight_inst){.inst = *inst,
                                          .op = &S->op[inst->op],
                                          .next = NONE32,
                                          .group = (uint8_t)(S->ngroup == 1 ? 0 : inst->warp % S->nsched)};
  S->inflight_count++;
  return f;
}

void inflight_free(struct sm *S, uint32_t f) {
  S->inflight[f].op = NULL; /* not in flight */
  S->inflight[f].next = S->inflight_free;
  S->inflight_free = f;
  S->inflight_count--;
}

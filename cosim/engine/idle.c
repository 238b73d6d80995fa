/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle: compares BLOCK_idle and BLOCK_skip with the ticks that they replace (the contract is in blocks/declare.h).
 * The SM skips cycles by them, so they affect its results, though no port shows them. In each state for which the
 * model reports itself idle, one copy of it makes n ticks under quiet inputs and another skips n.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "fields.h"

/* Mostly one tick, in every eighth state up to 40, and often the whole interval returned: faults are likely at its
 * end. Derived from the state, so that a replayed or shrunk stream makes the same choice. */
static uint64_t idle_draw(const struct engine *e) {
  uint64_t h = e->cycle - e->first;
  const unsigned char *state = e->c;
  for (size_t at = 0; at + 8 <= e->d->state_bytes; at += 8) {
    uint64_t w;
    memcpy(&w, state + at, 8);
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

static uint64_t idle_ticks(uint64_t h, uint64_t idle) {
  uint64_t n = h % 8 ? 1 : 1 + (h >> 8) % 40;
  if (idle <= 40 && (h >> 4) % 2) n = idle;
  return n < idle ? n : idle;
}

/* The inputs of the last edge with those of one QUIET line zero. */
static void quiet_inputs(struct engine *e, const void *last_in, uint64_t h) {
  const struct block_desc *d = e->d;
  unsigned lines = 0;
  if (last_in) memcpy(e->quiet, last_in, d->in_bytes);
  else memset(e->quiet, 0, d->in_bytes);
  for (unsigned k = 0; k < d->items; k++) lines += d->item[k].kind == ITEM_QUIET;
  unsigned line = lines ? (unsigned)(h >> 16) % lines : 0;
  for (unsigned k = 0; k < d->items; k++) {
    if (d->item[k].kind != ITEM_QUIET || line--) continue;
    for (unsigned i = 0; i < d->items; i++) {
      const struct item *in = &d->item[i];
      if (in->kind == ITEM_IN && names_have(d->item[k].name, in->name)) memset(e->quiet + in->offset, 0, in->bytes);
    }
  }
}

bool line_names(const struct block_desc *d, enum item_kind line, const char *port) {
  for (unsigned k = 0; k < d->items; k++)
    if (d->item[k].kind == line && names_have(d->item[k].name, port)) return true;
  return false;
}

bool first_difference(const struct block_desc *d, enum item_kind kind, enum item_kind but, const void *a, const void *b,
                      char text[static 160]) {
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind != kind || line_names(d, but, i->name)) continue;
    for (unsigned n = 0; n < item_count(i); n++) {
      for (unsigned w = 0; w < RT_WORDS(i->width); w++) {
        const uint32_t x = item_word(i, a, n, w), y = item_word(i, b, n, w);
        char name[ITEM_NAME], place[24] = "";
        if (x == y) continue;
        if (i->width > 64) snprintf(place, sizeof place, ", word %u,", w);
        snprintf(text, 160, "%.90s%s is %" PRIx32 ", %s %" PRIx32, item_name(i, n, name), place, x,
                 kind == ITEM_OUT ? "then" : "not", y);
        return true;
      }
    }
  }
  return false;
}

/* Where two models differ that have the same registers. */
static void private_difference(const struct block_desc *d, const unsigned char *a, const unsigned char *b,
                               char text[static 160]) {
  char name[FIELD_NAME];
  size_t at = 0, offset, bytes;
  uint64_t x = a[0], y = b[0];
  while (a[at] == b[at]) at++;
  if (!field_at(d->name, d->model_bytes, at, name)) {
    snprintf(text, 160, "byte %zu of struct %s, which no STATE shows, is %x, not %x", at, d->name, a[at], b[at]);
    return;
  }
  x = a[at], y = b[at];
  if (field_named(d->name, d->model_bytes, name, &offset, &bytes)) {
    x = y = 0;
    memcpy(&x, a + offset, bytes), memcpy(&y, b + offset, bytes);
  }
  snprintf(text, 160, "%.70s of struct %s, which no STATE shows, is %" PRIx64 ", not %" PRIx64, name, d->name, x, y);
}

/* n ticks under e->quiet; outputs that the lines `but` name may move. */
static bool outputs_hold(struct engine *e, uint64_t n, enum item_kind but, char text[static 200]) {
  const struct block_desc *d = e->d;
  d->eval(e->c, e->quiet, e->scratch_out);
  for (uint64_t k = 1; k <= n; k++) {
    char port[160];
    d->tick(e->ticked, e->quiet);
    d->eval(e->ticked, e->quiet, e->quiet_out);
    if (!memcmp(e->scratch_out, e->quiet_out, d->out_bytes) ||
        !first_difference(d, ITEM_OUT, but, e->scratch_out, e->quiet_out, port))
      continue;
    snprintf(text, 200, "after %" PRIu64 " of these ticks the output %s", k, port);
    return false;
  }
  return true;
}

/* A copy that makes n ticks against one that skips them, under e->quiet. */
static bool promise_holds(struct engine *e, const char *what, uint64_t promised, uint64_t n, enum item_kind but) {
  const struct block_desc *d = e->d;
  char text[200], state[160], promise[24] = "any number of";
  if (promised != UINT64_MAX) snprintf(promise, sizeof promise, "%" PRIu64, promised);
  memcpy(e->ticked, e->c, d->model_bytes);
  memcpy(e->skipped, e->c, d->model_bytes);
  snprintf(e->message, sizeof e->message, "%s_%s promises %s cycles", d->name, what, promise);
  bool ok = outputs_hold(e, n, but, text);
  if (ok) {
    d->skip(e->skipped, n);
    if (!memcmp(e->ticked, e->skipped, d->model_bytes)) return true;
    if (!first_difference(d, ITEM_STATE, ITEM_END, e->skipped, e->ticked, state)) {
      private_difference(d, e->skipped, e->ticked, state);
    }
    snprintf(text, sizeof text, "skip(%" PRIu64 ") is not that many ticks under quiet inputs: %.120s", n, state);
  }
  snprintf(e->message, sizeof e->message, "%s_%s promises %s cycles: %s", d->name, what, promise, text);
  return false;
}

/* hold: under this cycle's inputs, the last ones or those made quiet; up to 250 ticks, for what repeats to do so. */
static bool hold_holds(struct engine *e, const void *last_in, const void *in, uint64_t h) {
  const struct block_desc *d = e->d;
  if (h >> 6 & 1) memcpy(e->quiet, in, d->in_bytes);
  else if (last_in && h >> 5 & 1) memcpy(e->quiet, last_in, d->in_bytes);
  else quiet_inputs(e, last_in, h);
  const uint64_t hold = d->hold(e->c, e->quiet), n = h % 4 ? 1 + (h >> 8) % 4 : 1 + (h >> 8) % 250;
  return !hold || promise_holds(e, "hold", hold, n < hold ? n : hold, ITEM_LOOSE);
}

bool idle_holds(struct engine *e, const void *last_in, const void *in) {
  const struct block_desc *d = e->d;
  const uint64_t idle = d->idle ? d->idle(e->c) : 0, h = idle_draw(e);
  if (d->hold && !hold_holds(e, last_in, in, h)) return false;
  if (!idle || e->idled++ % e->idle_every) return true;
  quiet_inputs(e, last_in, h);
  return promise_holds(e, "idle", idle, idle_ticks(h, idle), ITEM_END);
}

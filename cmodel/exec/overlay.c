/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay: several SMs execute on one memory, a quantum at a time and perhaps at the same time. Each sees global memory
 * as it was when the quantum began, and its own stores. Those lie in a buffer of the SM until the quantum's end, by
 * lines of 128 bytes with a mask of the bytes that are there; a load takes such bytes from the buffer, all others from
 * the memory image, which nobody writes within a quantum.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { LINE = 128, LINES_FIRST = 64 };

static uint32_t overlay_hash(uint32_t line) { return line * 0x9e3779b1u; }

static void filter_add(struct overlay *o, uint32_t line) {
  const uint32_t bit = overlay_hash(line) >> (32 - OVERLAY_FILTER_BITS);
  o->filter[bit >> 6] |= 1ull << (bit & 63);
}

bool overlay_touches(const struct overlay *o, const uint32_t *a) {
  const v4u *v = (const v4u *)a;
  const v4u low = v4_all(o->low), span = v4_all(o->high - o->low);
  v4u in = v4_all(0);
  for (unsigned k = 0; k < ROW_V; k++) in |= (v4u)((v[k] >> 7) - low <= span);
  if (!(in[0] | in[1] | in[2] | in[3])) return false;
  uint64_t hit = 0;
  for (unsigned i = 0; i < LANES; i++) {
    const uint32_t bit = overlay_hash(a[i] >> 7) >> (32 - OVERLAY_FILTER_BITS);
    hit |= o->filter[bit >> 6] >> (bit & 63);
  }
  return hit & 1;
}

/* The place of a line in the table: its own, or the free one that it would get. */
static uint32_t *overlay_place(const struct overlay *o, uint32_t line) {
  uint32_t i = overlay_hash(line) >> 8 & (o->room - 1);
  while (o->index[i] && o->line[o->index[i] - 1].line != line) i = (i + 1) & (o->room - 1);
  return &o->index[i];
}

static void overlay_grow(struct overlay *o) {
  o->room = o->room ? 2 * o->room : 2 * LINES_FIRST;
  free(o->index);
  o->index = xcalloc(o->room, sizeof *o->index);
  for (uint32_t k = 0; k < o->n; k++) *overlay_place(o, o->line[k].line) = k + 1;
}

static struct overlay_line *overlay_line_of(struct overlay *o, uint32_t line) {
  if (o->n && o->line[o->last].line == line) return &o->line[o->last];
  if (2 * o->n >= o->room) overlay_grow(o);
  uint32_t *p = overlay_place(o, line);
  if (!*p) {
    struct overlay_line *l = &VEC_PUSH(o->line, o->n, o->cap);
    *p = o->n;
    l->line = line;
    memset(l->mask, 0, sizeof l->mask);
    filter_add(o, line);
    if (o->n == 1 || line < o->low) o->low = line;
    if (o->n == 1 || line > o->high) o->high = line;
  }
  o->last = *p - 1;
  return &o->line[o->last];
}

/* Of a word of the mask: bytes from..to-1 of the line that lie in it. */
static uint32_t part_of_mask(unsigned word, unsigned from, unsigned to) {
  const unsigned lo = from > 32 * word ? from - 32 * word : 0, hi = to < 32 * word + 32 ? to - 32 * word : 32;
  return (hi == 32 ? FULL : (1u << hi) - 1) & ~((1u << lo) - 1);
}

void overlay_write(struct overlay *o, uint32_t at, const void *from, unsigned bytes) {
  for (unsigned n; bytes; bytes -= n, at += n, from = (const uint8_t *)from + n) {
    const unsigned off = at % LINE;
    struct overlay_line *l = overlay_line_of(o, at / LINE);
    n = bytes < LINE - off ? bytes : LINE - off;
    memcpy(l->data + off, from, n);
    for (unsigned w = off / 32; w <= (off + n - 1) / 32; w++) l->mask[w] |= part_of_mask(w, off, off + n);
  }
}

void overlay_read(const struct overlay *o, const uint8_t *image, uint32_t at, void *to, unsigned bytes) {
  uint8_t *t = to;
  memcpy(t, host_at(image, at), bytes);
  if (!o->n) return;
  for (unsigned n; bytes; bytes -= n, at += n, t += n) {
    const unsigned off = at % LINE;
    const uint32_t found = *overlay_place(o, at / LINE);
    n = bytes < LINE - off ? bytes : LINE - off;
    if (!found) continue;
    const struct overlay_line *l = &o->line[found - 1];
    for (unsigned k = 0; k < n; k++)
      if (l->mask[(off + k) / 32] >> (off + k) % 32 & 1) t[k] = l->data[off + k];
  }
}

void overlay_apply(struct overlay *o, uint8_t *image) {
  if (!o->n) return;
  for (uint32_t k = 0; k < o->n; k++) {
    const struct overlay_line *l = &o->line[k];
    uint8_t *p = host_at(image, (uint64_t)l->line * LINE);
    for (unsigned w = 0; w < 4; w++) {
      if (l->mask[w] == FULL) memcpy(p + 32 * w, l->data + 32 * w, 32);
      else
        for (uint32_t rest = l->mask[w]; rest; rest &= rest - 1)
          p[32 * w + (unsigned)bit_low32(rest)] = l->data[32 * w + (unsigned)bit_low32(rest)];
    }
  }
  memset(o->filter, 0, sizeof o->filter);
  memset(o->index, 0, o->room * sizeof *o->index);
  o->n = o->last = 0;
}

void overlay_free(struct overlay *o) {
  free(o->line);
  free(o->index);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_encode: the blocks of one CTA, from its instructions. A block is made when its columns have BLOCK_BYTES; what is
 * known of each warp (masks, accesses) goes on from block to block.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/trf/trf_codec.h"
#include "trace/trf/trf_write.h"

enum { BLOCK_BYTES = 128 << 10 };

struct first {
  uint32_t slot, base;
};

struct rec_warp {
  struct bytes col[COLUMNS];
  uint32_t n, run, expect, active; /* n, run: of this block; expect, active: the next instruction if nothing changes */
  uint32_t mtf[MTF];
  struct slot *slot;
  lane_list *list;
  uint32_t nlist, clist;
  struct first *first; /* of this block */
  uint32_t nfirst, cfirst;
};

struct trf_rec {
  struct rec_room room;
  struct trf_rec *next;
  uint32_t cta, blocks_cap, blocks, slot_cap;
  uint64_t warp_insns, thread_insns;
  uint32_t bytes;    /* bytes: in the columns */
  struct slot *slot; /* of all warps */
  struct {
    uint32_t a, b;
    bool known;
  } * line; /* per slot: warp w's first access begins at about a + b w */
  struct bytes out;
  struct rec_block *block;
  struct rec_warp warp[TRF_WARPS];
};

struct trf_rec *rec_new(void) {
  return xcalloc(1, sizeof(struct trf_rec));
}
struct trf_rec **rec_link(struct trf_rec *r) {
  return &r->next;
}

void rec_begin(struct trf_rec *r, const struct rec_room *room, uint32_t cta) {
  r->room = *room;
  r->cta = cta;
  r->blocks = r->bytes = 0;
  r->warp_insns = r->thread_insns = 0;
  r->out.n = 0;
  const uint32_t need = room->slots * room->wpc;
  if (need > r->slot_cap) {
    r->slot = xrealloc(r->slot, need * sizeof *r->slot);
    r->line = xrealloc(r->line, need * sizeof *r->line);
    r->slot_cap = need;
  }
  if (need) memset(r->slot, 0, need * sizeof *r->slot);
  if (need) memset(r->line, 0, room->slots * sizeof *r->line);
  for (uint32_t w = 0; w < room->wpc; w++) {
    struct rec_warp *W = &r->warp[w];
    for (unsigned k = 0; k < COLUMNS; k++) W->col[k].n = 0;
    W->n = W->run = W->expect = W->nlist = W->nfirst = 0;
    W->active = trf_warp_lanes(room->threads, w);
    memset(W->mtf, 0, sizeof W->mtf);
    W->slot = need ? r->slot + (size_t)w * room->slots : NULL;
  }
}

void rec_free(struct trf_rec *r) {
  if (!r) return;
  for (unsigned w = 0; w < TRF_WARPS; w++) {
    for (unsigned k = 0; k < COLUMNS; k++) free(r->warp[w].col[k].p);
    free(r->warp[w].list);
    free(r->warp[w].first);
  }
  free(r->slot);
  free(r->line);
  free(r->out.p);
  free(r->block);
  free(r);
}

/* ---- columns ---- */

static void trf_put_mask(struct rec_warp *W, uint32_t mask) {
  const unsigned code = mtf_find(W->mtf, mask);
  put_u8(&W->col[COL_MASK], (uint8_t)code);
  if (code == MTF_NEW) put_u32(&W->col[COL_MASK], mask);
}

static void trf_put_flow(struct rec_warp *W, const struct warp_inst *inst) {
  const bool jump = inst->op != W->expect, mask = inst->active != W->active;
  if (jump | mask) {
    put_varint(&W->col[COL_FLOW], (uint64_t)W->run << 2 | (unsigned)mask << 1 | jump);
    if (jump) put_signed(&W->col[COL_FLOW], (int32_t)(inst->op - W->expect));
    if (mask) trf_put_mask(W, inst->active);
    W->active = inst->active;
    W->run = 0;
  }
  W->run++;
  W->n++;
  W->expect = inst->op + 1;
}

/* ---- addresses ---- */

/* Are the addresses of these lanes base + stride * (lane - first)? */
static bool is_affine(const uint32_t *a, uint32_t mask, unsigned first, uint32_t stride) {
  const uint32_t from = a[first] - stride * first;
  if (mask == UINT32_MAX) {
    uint32_t bad = 0;
    for (unsigned l = 0; l < 32; l++) bad |= a[l] ^ (from + stride * l);
    return !bad;
  }
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    if (a[l] != from + stride * l) return false;
  }
  return true;
}

static bool is_list(const uint32_t *a, uint32_t mask, unsigned first, const uint32_t *list) {
  const uint32_t off = a[first] - list[first];
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)bit_low32(rest);
    if (a[l] != list[l] + off) return false;
  }
  return true;
}

static void trf_put_runs(struct bytes *b, const uint32_t *delta, unsigned n) {
  for (unsigned k = 0, m; k < n; k += m) {
    for (m = 1; k + m < n && delta[k + m] == delta[k];) m++;
    put_varint(b, m);
    put_signed(b, (int32_t)delta[k]);
  }
}

static void trf_put_bits(struct bytes *b, const uint32_t *off, unsigned n) {
  uint32_t any = 0;
  uint64_t bits = 0;
  unsigned have = 0;
  for (unsigned k = 0; k < n; k++) any |= off[k];
  const unsigned shift = any ? (unsigned)bit_low32(any) : 0;
  const unsigned width = any ? 32u - (unsigned)__builtin_clz(any >> shift) : 0;
  put_u8(b, (uint8_t)width);
  put_u8(b, (uint8_t)shift);
  put_varint(b, off[0] >> shift);
  for (unsigned k = 1; k < n; k++) {
    bits |= (uint64_t)(off[k] >> shift) << have;
    for (have += width; have >= 8; have -= 8, bits >>= 8) put_u8(b, (uint8_t)bits);
  }
  if (have) put_u8(b, (uint8_t)bits);
}

/* Offsets of irregular addresses, in the shortest of three forms; bits only where they are a fifth shorter than the
 * others, which zstd can shorten further. */
static unsigned trf_put_irregular(struct bytes *b, const uint32_t *a, uint32_t mask) {
  uint32_t v[32], delta[32], low = UINT32_MAX;
  unsigned n = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) v[n++] = a[bit_low32(rest)];
  uint8_t room[3][32 * 12];
  struct bytes form[3] = {{room[0], 0, sizeof room[0]}, {room[1], 0, sizeof room[1]}, {room[2], 0, sizeof room[2]}};
  for (unsigned k = 0; k + 1 < n; k++) {
    delta[k] = v[k + 1] - v[k];
    put_signed(&form[1], (int32_t)delta[k]);
  }
  trf_put_runs(&form[0], delta, n - 1);
  for (unsigned k = 0; k < n; k++) low = v[k] < low ? v[k] : low;
  for (unsigned k = 0; k < n; k++) v[k] -= low;
  trf_put_bits(&form[2], v, n);
  const unsigned text = form[0].n <= form[1].n ? 0 : 1;
  const unsigned best = form[2].n * 5 < form[text].n * 4 ? 2 : text;
  put_bytes(b, form[best].p, form[best].n);
  return MODE_RUNS + best;
}

static void keep_list(struct rec_warp *W, struct slot *s, const uint32_t *a, uint32_t mask, unsigned first) {
  if (!s->list) {
    VEC_PUSH(W->list, W->nlist, W->clist)[0] = 0;
    s->list = W->nlist;
  }
  uint32_t *list = W->list[s->list - 1];
  for (unsigned l = 0; l < 32; l++) list[l] = mask >> l & 1 ? a[l] - a[first] : 0;
  s->by_list = true;
}

static void trf_put_access(struct trf_rec *r, struct rec_warp *W, uint32_t number, const uint32_t *a, uint32_t mask,
                           uint8_t width) {
  struct slot *s = &W->slot[number];
  const unsigned first = (unsigned)bit_low32(mask);
  const uint32_t base = a[first], after = mask & (mask - 1);
  struct bytes *b = &W->col[COL_ADDR];
  int32_t off = 0;
  if (!s->seen) {
    VEC_PUSH(W->first, W->nfirst, W->cfirst) = (struct first){number, base};
    *s = (struct slot){.base = base, .stride = width, .seen = true};
    r->bytes += 2;
  } else {
    off = (int32_t)(base - (s->base + s->step));
    s->step = base - s->base;
    s->base = base;
  }
  const uint64_t head = (uint64_t)zigzag_encode(off) << 3;
  const uint32_t *list = s->list ? W->list[s->list - 1] : NULL;
  const bool by_list = list && s->by_list;
  if (by_list ? is_list(a, mask, first, list) : is_affine(a, mask, first, s->stride)) {
    put_varint(b, head | MODE_SAME);
    return;
  }
  const unsigned second = (unsigned)bit_low32(after);
  const int32_t step = (int32_t)(a[second] - base), lanes = (int32_t)(second - first);
  if (step % lanes == 0 && is_affine(a, mask, first, (uint32_t)(step / lanes))) {
    s->stride = (uint32_t)(step / lanes);
    s->by_list = false;
    put_varint(b, head | MODE_STRIDE);
    put_signed(b, step / lanes);
  } else if (list && !s->by_list && is_list(a, mask, first, list)) {
    s->by_list = true;
    put_varint(b, head | MODE_LIST);
  } else {
    uint8_t room[32 * 12];
    struct bytes rest = {room, 0, sizeof room};
    put_varint(b, head | trf_put_irregular(&rest, a, mask));
    put_bytes(b, rest.p, rest.n);
    keep_list(W, s, a, mask, first);
  }
}

static void trf_put_value(struct bytes *b, const uint32_t *v) {
  const uint32_t stride = v[1] - v[0];
  if (is_affine(v, UINT32_MAX, 0, stride)) {
    put_u8(b, stride ? VAL_AFFINE : VAL_EQUAL);
    put_u32(b, v[0]);
    if (stride) put_u32(b, stride);
    return;
  }
  put_u8(b, VAL_PLANES);
  bytes_room(b, 128);
  for (unsigned k = 0; k < 4; k++)
    for (unsigned l = 0; l < 32; l++) b->p[b->n++] = (uint8_t)(v[l] >> 8 * k);
}

/* ---- blocks ---- */

/* A line through the first accesses of the slots that this block is the first to use. */
static void find_lines(struct trf_rec *r, struct bytes *out) {
  const uint32_t slots = r->room.slots;
  uint32_t *one = xcalloc(slots + 1, sizeof *one), fresh = 0; /* one: 1 + warp of a first access; with 64: of two */
  for (uint32_t w = 0; w < r->room.wpc; w++)
    for (uint32_t k = 0; k < r->warp[w].nfirst; k++) {
      const struct first *f = &r->warp[w].first[k];
      if (r->line[f->slot].known) continue;
      if (!one[f->slot]) {
        r->line[f->slot].a = f->base;
        one[f->slot] = w + 1;
        fresh++;
      } else if (one[f->slot] < 64) {
        const uint32_t from = one[f->slot] - 1;
        const int32_t step = (int32_t)(f->base - r->line[f->slot].a) / (int32_t)(w - from);
        r->line[f->slot].b = (uint32_t)step;
        r->line[f->slot].a -= (uint32_t)step * from;
        one[f->slot] = 64;
      }
    }
  put_varint(out, fresh);
  for (uint32_t k = 0, last = 0, a = 0, b = 0; k < slots; k++) {
    if (!one[k]) continue;
    r->line[k].known = true;
    put_varint(out, k - last);
    put_signed(out, (int32_t)(r->line[k].a - a));
    put_signed(out, (int32_t)(r->line[k].b - b));
    last = k, a = r->line[k].a, b = r->line[k].b;
  }
  free(one);
}

static void trf_put_firsts(struct trf_rec *r) {
  for (uint32_t w = 0; w < r->room.wpc; w++) {
    struct rec_warp *W = &r->warp[w];
    for (uint32_t k = 0; k < W->nfirst; k++) {
      const uint32_t slot = W->first[k].slot;
      put_signed(&W->col[COL_FIRST], (int32_t)(W->first[k].base - (r->line[slot].a + r->line[slot].b * w)));
    }
    W->nfirst = 0;
  }
}

static void make_block(struct trf_rec *r, bool last, uint64_t hash) {
  struct bytes *out = &r->out;
  if (r->blocks == r->blocks_cap) {
    r->blocks_cap = r->blocks_cap ? 2 * r->blocks_cap : 4;
    r->block = xrealloc(r->block, r->blocks_cap * sizeof *r->block);
  }
  const size_t at = out->n;
  put_varint(out, r->cta);
  put_varint(out, (uint64_t)r->blocks << 1 | last);
  if (last) {
    put_varint(out, r->warp_insns);
    put_varint(out, r->thread_insns);
    put_u64(out, hash);
  }
  find_lines(r, out);
  trf_put_firsts(r);
  for (uint32_t w = 0; w < r->room.wpc; w++) {
    put_varint(out, r->warp[w].n);
    for (unsigned k = 0; k < COLUMNS; k++) put_varint(out, r->warp[w].col[k].n);
    r->warp[w].n = r->warp[w].run = 0;
  }
  for (unsigned k = 0; k < COLUMNS; k++)
    for (uint32_t w = 0; w < r->room.wpc; w++) {
      put_bytes(out, r->warp[w].col[k].p, r->warp[w].col[k].n);
      r->warp[w].col[k].n = 0;
    }
  r->block[r->blocks++] = (struct rec_block){at, out->n - at};
  r->bytes = 0;
}

void rec_end(struct trf_rec *r, uint64_t hash) { make_block(r, true, hash); }

struct rec_done rec_done(const struct trf_rec *r) {
  return (struct rec_done){&r->out, r->block, r->blocks, r->cta, r->warp_insns, r->thread_insns};
}

static size_t trf_column_bytes(const struct rec_warp *W) {
  size_t n = 0;
  for (unsigned k = 0; k < COLUMNS; k++) n += W->col[k].n;
  return n;
}

/* The rows of an access to texels. */
static void trf_put_texels(struct trf_rec *r, struct rec_warp *W, const struct form *f, const struct warp_inst *inst,
                           const uint32_t *addr) {
  put_u8(&W->col[COL_MISC], tex_how(inst->mem));
  for (unsigned k = 0; inst->mem && k < tex_rows(inst->mem); k++)
    trf_put_access(r, W, f->slot + k, addr + 32 * (size_t)k, inst->lanes, (uint8_t)tex_bytes(inst->mem));
}

void trf_add(struct trf_rec *r, unsigned warp, const struct warp_inst *inst, const uint32_t *addr, const uint32_t *to,
             const uint32_t (*val)[32]) {
  struct rec_warp *W = &r->warp[warp];
  const struct form *f = &r->room.form[inst->op];
  if (r->bytes >= BLOCK_BYTES) make_block(r, false, 0);
  const size_t before = trf_column_bytes(W);
  trf_put_flow(W, inst);
  if (f->flags & F_GUARD) {
    const unsigned lane = !inst->lanes ? LANE_NONE : inst->lanes == inst->active ? LANE_ALL : LANE_MASK;
    put_u8(&W->col[COL_LANE], (uint8_t)lane);
    if (lane == LANE_MASK) trf_put_mask(W, inst->lanes);
  }
  if (inst->lanes && f->flags & F_TEX) {
    trf_put_texels(r, W, f, inst, addr);
  } else if (inst->lanes && f->flags & F_ACCESS) {
    const enum space sp = W_SPACE_OF(inst);
    if (f->flags & (F_GENERIC | F_COPY)) put_u8(&W->col[COL_MISC], (uint8_t)sp);
    const uint32_t mask = inst->lanes >> (32 - f->giving);
    if (f->flags & F_COPY) trf_put_access(r, W, f->slot + 1, to ? to : addr, mask, f->width);
    if (!(f->flags & F_COPY) || sp == SP_GLOBAL) trf_put_access(r, W, f->slot, addr, mask, f->width);
  }
  if (inst->lanes && f->flags & F_BARRIER) {
    put_u8(&W->col[COL_MISC], inst->mem & 15);
    if (f->flags & F_COUNT) put_varint(&W->col[COL_MISC], (inst->mem >> 16 & 0x7fff) / 32);
  }
  if (r->room.values)
    for (unsigned k = 0; k < f->nval; k++) trf_put_value(&W->col[COL_VAL], val[k]);
  r->bytes += (uint32_t)(trf_column_bytes(W) - before);
  r->warp_insns++;
  r->thread_insns += (unsigned)bit_count32(inst->lanes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_decode: the instructions of one CTA, from its blocks. A block is read when the first warp comes to it and freed when
 * the last one has left it. Every step is checked: what it yields, a stream may give to an SM.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trf/trf_codec.h"

enum { LIST_NONE = 0, STAY = UINT32_MAX };

struct view { /* a block in memory */
  uint8_t *raw;
  uint32_t users;                            /* warps that have not left it */
  uint32_t n[TRF_WARPS];                     /* instructions */
  const uint8_t *at[COLUMNS][TRF_WARPS + 1]; /* of each column, warp by warp; the last: its end */
};

struct dec_warp {
  struct cursor col[COLUMNS];
  uint32_t block, left;     /* block it is in; instructions left of it */
  uint32_t run;             /* instructions until the next change of flow; STAY: none in this block */
  bool jump, mask;          /* what changes then */
  int32_t by;               /* the jump */
  uint32_t op, active, seq; /* the next instruction */
  bool begun, ended;
  uint32_t mtf[MTF];
  struct slot *slot;
  lane_list *list;
  uint32_t nlist, clist;
};

struct trf_cta {
  struct trf *t;
  const struct launch_index *in;
  const struct cta_at *is;
  uint32_t launch, threads, wpc, n; /* n: instructions of the code */
  bool values;
  uint32_t loaded; /* blocks that were read so far */
  struct view **view;
  struct slot *slot;
  struct {
    uint32_t a, b;
    bool known;
  } * line;
  uint64_t hash;
  uint32_t limit[SP_TEX + 1]; /* where addresses of each space end */
  struct dec_warp warp[TRF_WARPS];
};

/* ---- errors ---- */

static bool trf_cta_error(const struct trf_cta *c, uint32_t block, int warp, const char *found, struct err *e) {
  const struct block_at *b = &c->in->block[c->is->first + block];
  char who[64] = "";
  if (warp >= 0) snprintf(who, sizeof who, ", warp %d, instruction %" PRIu32, warp, c->warp[warp].seq);
  return err_at(e, trf_path(c->t), 0, 0,
                "section FRAME at byte %" PRIu64 ", launch %" PRIu32 ", CTA %" PRIu32
                "%s: found %s, expected what docs/use/trace-format.md says",
                trf_frame_at(c->t, b->frame), c->launch, c->is->cta, who, found);
}

/* ---- blocks ---- */

static bool trf_get_lines(struct trf_cta *c, struct cursor *in) {
  const uint32_t fresh = get_number(in);
  uint32_t k = 0, a = 0, b = 0;
  if (fresh > c->in->slots) return false;
  for (uint32_t i = 0; i < fresh; i++) {
    const uint32_t by = get_number(in);
    if (by >= c->in->slots - k || (i && !by)) return false;
    k += by;
    a += (uint32_t)get_signed(in);
    b += (uint32_t)get_signed(in);
    if (in->bad || c->line[k].known) return false;
    c->line[k].a = a, c->line[k].b = b, c->line[k].known = true;
  }
  return true;
}

static bool trf_get_block_header(struct trf_cta *c, uint32_t number, struct cursor *in) {
  const bool last = number + 1 == c->is->blocks;
  if (get_varint(in) != c->is->cta || get_varint(in) != ((uint64_t)number << 1 | last)) return false;
  if (!last) return !in->bad;
  get_varint(in);
  get_varint(in);
  const uint8_t *h = get_bytes(in, 8);
  if (h) c->hash = get_u64(h);
  return h;
}

static bool trf_get_lengths(struct trf_cta *c, struct view *v, struct cursor *in) {
  uint32_t length[COLUMNS][TRF_WARPS];
  for (uint32_t w = 0; w < c->wpc; w++) {
    v->n[w] = get_number(in);
    for (unsigned k = 0; k < COLUMNS; k++) length[k][w] = get_number(in);
  }
  if (in->bad) return false;
  const uint8_t *p = in->p;
  for (unsigned k = 0; k < COLUMNS; k++) {
    for (uint32_t w = 0; w < c->wpc; w++) {
      v->at[k][w] = p;
      if (length[k][w] > (uint64_t)(in->end - p)) return false;
      p += length[k][w];
    }
    v->at[k][c->wpc] = p;
  }
  return p == in->end;
}

static bool trf_load_block(struct trf_cta *c, struct err *e) {
  const uint32_t number = c->loaded;
  const struct block_at *b = &c->in->block[c->is->first + number];
  uint8_t *raw = trf_block(c->t, b, e);
  if (!raw) return false;
  struct view *v = xcalloc(1, sizeof *v);
  *v = (struct view){.raw = raw, .users = c->wpc};
  c->view[number] = v;
  c->loaded++;
  struct cursor in = {raw, raw + b->n, false};
  return (trf_get_block_header(c, number, &in) && trf_get_lines(c, &in) && trf_get_lengths(c, v, &in)) ||
         trf_cta_error(c, number, -1, "a wrong header of a block", e);
}

static void trf_leave_block(struct trf_cta *c, uint32_t number) {
  struct view *v = c->view[number];
  if (--v->users) return;
  free(v->raw);
  free(v);
  c->view[number] = NULL;
}

/* ---- flow ---- */

/* The next change of the block, which lies behind at least `least` instructions. */
static bool next_change(struct dec_warp *w, uint32_t least) {
  struct cursor *f = &w->col[COL_FLOW];
  w->run = STAY;
  if (f->p == f->end) return true;
  const uint64_t v = get_varint(f);
  w->jump = v & 1;
  w->mask = v >> 1 & 1;
  w->by = w->jump ? get_signed(f) : 0;
  if (f->bad || v >> 2 < least || v >> 2 >= w->left || !(v & 3)) return false;
  w->run = (uint32_t)(v >> 2);
  return true;
}

static uint32_t trf_get_mask(struct dec_warp *w) {
  struct cursor *m = &w->col[COL_MASK];
  const uint8_t code = get_u8(m);
  uint32_t mask;
  if (code == MTF_NEW) {
    const uint8_t *p = get_bytes(m, 4);
    mask = p ? get_u32(p) : 0;
  } else {
    mask = code < MTF ? w->mtf[code] : 0;
  }
  mtf_find(w->mtf, mask);
  return mask;
}

static bool used_up(const struct dec_warp *w) {
  bool all = true;
  for (unsigned k = 0; k < COLUMNS; k++) all &= w->col[k].p == w->col[k].end && !w->col[k].bad;
  return all;
}

/* Into the next block that has instructions of the warp; at the end of the last one it has ended. */
static bool next_block(struct trf_cta *c, unsigned warp, struct err *e) {
  struct dec_warp *w = &c->warp[warp];
  for (;;) {
    if (w->begun) {
      if (!used_up(w))
        return trf_cta_error(c, w->block, (int)warp, "columns that are longer or shorter than their instructions", e);
      trf_leave_block(c, w->block++);
    }
    w->begun = true;
    if (w->block == c->is->blocks) return w->ended = true;
    if (w->block == c->loaded && !trf_load_block(c, e)) return false;
    const struct view *v = c->view[w->block];
    for (unsigned k = 0; k < COLUMNS; k++) w->col[k] = (struct cursor){v->at[k][warp], v->at[k][warp + 1], false};
    w->left = v->n[warp];
    if (!next_change(w, 0)) return trf_cta_error(c, w->block, (int)warp, "a wrong jump", e);
    if (w->left) return true;
  }
}

/* Goes on to the next instruction, whose op and mask are known then. */
static bool trf_cta_advance(struct trf_cta *c, unsigned warp, struct err *e) {
  struct dec_warp *w = &c->warp[warp];
  if (!w->left && !next_block(c, warp, e)) return false;
  if (w->ended) return true;
  if (!w->run) {
    if (w->jump) w->op += (uint32_t)w->by;
    if (w->mask) w->active = trf_get_mask(w);
    if (!next_change(w, 1)) return trf_cta_error(c, w->block, (int)warp, "a wrong jump", e);
  }
  if (w->run != STAY) w->run--;
  w->left--;
  if (w->op >= c->n) return trf_cta_error(c, w->block, (int)warp, "an instruction that the kernel does not have", e);
  if (!(c->in->form[w->op].flags & F_REACHED))
    return trf_cta_error(c, w->block, (int)warp, "an instruction that no path of the kernel comes to", e);
  if (!w->active || w->active & ~trf_warp_lanes(c->threads, warp))
    return trf_cta_error(c, w->block, (int)warp, "a mask of lanes that the warp does not have", e);
  return true;
}

/* ---- accesses ---- */

static void trf_get_runs(struct cursor *in, uint32_t *list, uint32_t mask) {
  uint32_t off = 0;
  uint64_t count = 0;
  int32_t delta = 0;
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    if (!count) {
      count = get_varint(in);
      delta = get_signed(in);
      in->bad |= !count;
    }
    count--;
    list[bit_low32(rest)] = off += (uint32_t)delta;
  }
  in->bad |= count != 0;
}

static void trf_get_deltas(struct cursor *in, uint32_t *list, uint32_t mask) {
  uint32_t off = 0;
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1)
    list[bit_low32(rest)] = off += (uint32_t)get_signed(in);
}

static void trf_get_bits(struct cursor *in, uint32_t *list, uint32_t mask) {
  const unsigned width = get_u8(in), shift = get_u8(in), n = (unsigned)bit_count32(mask) - 1;
  const uint32_t own = get_number(in);
  if (width > 32 || shift > 31) in->bad = true;
  const uint8_t *p = in->bad ? NULL : get_bytes(in, (n * width + 7) / 8);
  if (!p) return;
  uint64_t bits = 0;
  unsigned have = 0;
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    for (; have < width; have += 8) bits |= (uint64_t)*p++ << have;
    list[bit_low32(rest)] = (uint32_t)((bits & ((1ull << width) - 1)) - own) << shift;
    bits >>= width;
    have -= width;
  }
}

static void fill_affine(uint32_t *row, uint32_t mask, unsigned first, uint32_t base, uint32_t stride) {
  const uint32_t from = base - stride * first;
  if (mask == UINT32_MAX)
    for (unsigned l = 0; l < 32; l++) row[l] = from + stride * l;
  else
    for (unsigned l = 0; l < 32; l++) row[l] = mask >> l & 1 ? from + stride * l : base;
}

static uint32_t *own_list(struct dec_warp *w, struct slot *s) {
  if (!s->list) {
    VEC_PUSH(w->list, w->nlist, w->clist)[0] = 0;
    s->list = w->nlist;
  }
  memset(w->list[s->list - 1], 0, sizeof *w->list);
  return w->list[s->list - 1];
}

/* Of local memory, whose words lie 128 bytes apart, the lowest word only. */
static bool in_space(const uint32_t *row, uint32_t limit, uint8_t width, enum space sp) {
  uint32_t any = 0;
  if (sp == SP_LOCAL && width > 4) width = 4;
  bool over = width > limit;
  for (unsigned l = 0; l < 32; l++) {
    any |= row[l];
    over |= row[l] > limit - width;
  }
  return !over && !(any & (width - 1u));
}

/* The row of an access by `mask`; false: no such access. */
static bool trf_get_access(struct trf_cta *c, unsigned warp, uint32_t number, uint32_t mask, uint8_t width,
                           enum space sp, uint32_t *row) {
  struct dec_warp *w = &c->warp[warp];
  struct slot *s = &w->slot[number];
  struct cursor *in = &w->col[COL_ADDR];
  if (!mask) return false;
  const unsigned first = (unsigned)bit_low32(mask);
  const uint64_t head = get_varint(in);
  if (head >> 3 > UINT32_MAX) return false;
  const int32_t off = zigzag_decode((uint32_t)(head >> 3));
  if (!s->seen) {
    if (off || !c->line[number].known) return false;
    const uint32_t base = c->line[number].a + c->line[number].b * warp + (uint32_t)get_signed(&w->col[COL_FIRST]);
    *s = (struct slot){.base = base, .stride = width, .seen = true};
  } else {
    const uint32_t base = s->base + s->step + (uint32_t)off;
    s->step = base - s->base;
    s->base = base;
  }
  switch (head & 7) {
    case MODE_SAME: break;
    case MODE_STRIDE:
      s->stride = (uint32_t)get_signed(in);
      s->by_list = false;
      break;
    case MODE_LIST:
      if (!s->list) return false;
      s->by_list = true;
      break;
    case MODE_RUNS: trf_get_runs(in, own_list(w, s), mask); goto listed;
    case MODE_DELTAS: trf_get_deltas(in, own_list(w, s), mask); goto listed;
    case MODE_BITS:
      trf_get_bits(in, own_list(w, s), mask);
    listed:
      s->by_list = true;
      break;
    default: return false;
  }
  if (in->bad) return false;
  if (!s->by_list) {
    fill_affine(row, mask, first, s->base, s->stride);
  } else {
    const uint32_t *list = w->list[s->list - 1], from = s->base - list[first];
    for (unsigned l = 0; l < 32; l++) row[l] = mask >> l & 1 ? from + list[l] : s->base;
  }
  return in_space(row, c->limit[sp], width, sp);
}

static bool trf_get_space(struct dec_warp *w, const struct form *f, enum space *sp) {
  *sp = (enum space)f->space;
  if (!(f->flags & (F_GENERIC | F_COPY))) return true;
  *sp = (enum space)get_u8(&w->col[COL_MISC]);
  if (f->flags & F_COPY) return *sp == SP_GLOBAL || *sp == SP_SHARED;
  return *sp != SP_GENERIC && *sp <= SP_PARAM;
}

static bool trf_get_texels(struct trf_cta *c, unsigned warp, const struct form *f, struct trf_step *s) {
  const uint8_t how = get_u8(&c->warp[warp].col[COL_MISC]);
  if (how > TEX_HOW_MOST) return false;
  s->space = SP_TEX;
  s->tex = tex_mem_of(how);
  s->rows = how != 0;
  for (unsigned k = 0; how && k < tex_rows(s->tex); k++) {
    uint32_t scratch[32], *row = s->texel ? s->texel[k] : scratch;
    if (!trf_get_access(c, warp, f->slot + k, s->lanes, (uint8_t)tex_bytes(s->tex), SP_TEX, row)) return false;
    if (!k) memcpy(s->addr, row, sizeof scratch);
  }
  return true;
}

static bool trf_get_rows(struct trf_cta *c, unsigned warp, const struct form *f, struct trf_step *s) {
  enum space sp;
  if (f->flags & F_TEX) return trf_get_texels(c, warp, f, s);
  if (!trf_get_space(&c->warp[warp], f, &sp)) return false;
  const uint32_t mask = s->lanes >> (32 - f->giving);
  if (f->flags & F_ATOMIC && sp != SP_GLOBAL && sp != SP_SHARED) return false;
  s->space = (uint8_t)sp;
  s->rows = 1;
  if (!(f->flags & F_COPY)) return trf_get_access(c, warp, f->slot, mask, f->width, sp, s->addr);
  if (sp == SP_SHARED) return trf_get_access(c, warp, f->slot + 1, mask, f->width, SP_SHARED, s->addr);
  s->rows = 2;
  return trf_get_access(c, warp, f->slot + 1, mask, f->width, SP_SHARED, s->to) &&
         trf_get_access(c, warp, f->slot, mask, f->width, SP_GLOBAL, s->addr);
}

static bool trf_get_barrier(struct trf_cta *c, unsigned warp, const struct form *f, struct trf_step *s) {
  struct cursor *in = &c->warp[warp].col[COL_MISC];
  const uint8_t id = get_u8(in);
  s->barrier = (int8_t)(id & 15);
  s->warps = f->flags & F_COUNT ? get_number(in) : 0;
  return id < 16 && !in->bad && s->warps <= c->wpc && (s->warps || !(f->flags & F_COUNT));
}

static bool trf_get_value(struct cursor *in, uint32_t *row) {
  const uint8_t mode = get_u8(in);
  const uint8_t *p = get_bytes(in, mode == VAL_EQUAL ? 4 : mode == VAL_AFFINE ? 8 : 128);
  if (!p || mode > VAL_PLANES) return false;
  if (!row) return true;
  if (mode == VAL_PLANES)
    for (unsigned l = 0; l < 32; l++)
      row[l] = p[l] | (uint32_t)p[32 + l] << 8 | (uint32_t)p[64 + l] << 16 | (uint32_t)p[96 + l] << 24;
  else fill_affine(row, UINT32_MAX, 0, get_u32(p), mode == VAL_AFFINE ? get_u32(p + 4) : 0);
  return true;
}

/* ---- steps ---- */

static bool trf_get_lanes(struct dec_warp *w, const struct form *f, struct trf_step *s) {
  s->lanes = s->active;
  if (!(f->flags & F_GUARD)) return true;
  const uint8_t lane = get_u8(&w->col[COL_LANE]);
  if (lane == LANE_NONE) s->lanes = 0;
  if (lane == LANE_MASK) s->lanes = trf_get_mask(w);
  return lane <= LANE_MASK && !w->col[COL_LANE].bad && !(s->lanes & ~s->active);
}

int trf_next(struct trf_cta *c, unsigned warp, struct trf_step *s, struct err *e) {
  struct dec_warp *w = &c->warp[warp];
  if (!w->begun && !trf_cta_advance(c, warp, e)) return STREAM_ERROR;
  if (w->ended)
    return w->seq ? STREAM_FINISHED
                  : (trf_cta_error(c, w->block - 1, (int)warp, "a warp without instructions", e), STREAM_ERROR);
  const struct form *f = &c->in->form[w->op];
  const uint32_t block = w->block;
  s->op = w->op;
  s->active = w->active;
  s->seq = w->seq;
  s->rows = s->space = 0;
  s->tex = 0;
  s->barrier = -1;
  s->warps = 0;
  s->nval = c->values ? f->nval : 0;
  const char *what = NULL;
  if (!trf_get_lanes(w, f, s)) what = "lanes that are not active";
  else if (s->lanes && f->flags & F_ACCESS && !trf_get_rows(c, warp, f, s))
    what = "a wrong access, or one out of its space";
  else if (s->lanes && f->flags & F_BARRIER && !trf_get_barrier(c, warp, f, s)) what = "a wrong barrier";
  for (unsigned k = 0; !what && k < s->nval; k++)
    if (!trf_get_value(&w->col[COL_VAL], s->val ? s->val[k] : NULL)) what = "a wrong value";
  if (what) return trf_cta_error(c, block, (int)warp, what, e), STREAM_ERROR;
  w->seq++;
  w->op++;
  if (!trf_cta_advance(c, warp, e)) return STREAM_ERROR;
  s->last = w->ended;
  s->next = w->ended ? s->op : w->op;
  if (s->last && (!(f->flags & F_EXIT) || s->lanes != s->active))
    return trf_cta_error(c, block, (int)warp, "an end of the warp without an exit of all its lanes", e), STREAM_ERROR;
  return STREAM_GIVEN;
}

/* ---- opening ---- */

static const struct cta_at *trf_find_cta(const struct launch_index *in, uint32_t cta) {
  uint32_t low = 0, high = in->is.ctas;
  while (low < high) {
    const uint32_t mid = low + (high - low) / 2;
    if (in->cta[mid].cta < cta) low = mid + 1;
    else high = mid;
  }
  return low < in->is.ctas && in->cta[low].cta == cta ? &in->cta[low] : NULL;
}

struct trf_cta *trf_cta_open(struct trf *t, uint32_t launch, uint32_t cta, struct err *e) {
  const struct launch_index *in = trf_index(t, launch);
  const struct cta_at *is = trf_find_cta(in, cta);
  if (!is) {
    err_at(e, trf_path(t), 0, 0, "launch %" PRIu32 ": found no CTA %" PRIu32 ", expected one of the %" PRIu32 " it has",
           launch, cta, in->is.ctas);
    return NULL;
  }
  struct trf_cta *c = xcalloc(1, sizeof *c);
  *c = (struct trf_cta){.t = t, .in = in, .is = is, .launch = launch, .values = trf_flags(t) & TRF_VALUES};
  c->threads = in->is.block[0] * in->is.block[1] * in->is.block[2];
  c->wpc = (c->threads + 31) / 32;
  c->n = trf_code(t, in->is.code)->code->n;
  c->view = xcalloc(is->blocks, sizeof(struct view *));
  c->slot = xcalloc((size_t)in->slots * c->wpc, sizeof *c->slot);
  c->line = xcalloc(in->slots, sizeof *c->line);
  c->limit[SP_GLOBAL] = c->limit[SP_TEX] = LOCAL_BASE;
  c->limit[SP_SHARED] = in->is.shared_bytes;
  c->limit[SP_LOCAL] = in->is.local_words * 128;
  c->limit[SP_CONST] = c->limit[SP_PARAM] = 1 << 16;
  for (unsigned w = 0; w < c->wpc; w++) {
    c->warp[w].slot = c->slot + (size_t)w * in->slots;
    c->warp[w].active = trf_warp_lanes(c->threads, w);
  }
  return c;
}

void trf_cta_close(struct trf_cta *c) {
  if (!c) return;
  for (uint32_t k = 0; k < c->loaded; k++)
    if (c->view[k]) {
      free(c->view[k]->raw);
      free(c->view[k]);
    }
  for (unsigned w = 0; w < c->wpc; w++) free(c->warp[w].list);
  free(c->view);
  free(c->slot);
  free(c->line);
  free(c);
}

uint64_t trf_cta_hash(const struct trf_cta *c) { return c->hash; }

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor: ldmatrix and cp.async.
 *
 * A copy reads global memory when it is fetched. Its bytes come to shared memory when its warp waits for its group,
 * the last moment that PTX permits: a kernel that lacks the wait reads the old bytes. Groups are per warp, not per
 * lane: a wait completes all copies that its lanes must see, and perhaps more.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { COPIES = 64 }; /* of a warp under way; beyond that the oldest is completed */
struct copies {
  uint32_t first, n, group; /* group: that of the next copy */
  uint64_t landed;          /* that have come to shared memory */
  struct copy {
    uint32_t op, group, lanes, bytes, to[LANES];
    uint8_t data[LANES][16];
  } at[COPIES];
};

/* ---- ldmatrix ---- */

/* Each of the first 8 n lanes gives the address of a row of 16 bytes, eight rows a matrix. Lane l gets
 * elements 2 (l % 4) and the next of row l / 4; transposed: of column l / 4. */
int exec_ldmatrix(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  struct access all, rows;
  unsigned n = d->vec;
  uint32_t give = lanes >> (32 - 8 * n);
  access_addresses(x, w, d, lanes, &all);
  access_narrow(&all, give, &rows);
  if (d->space == SP_GENERIC && !access_shared_only(x, w, d, give, &rows)) return STREAM_ERROR;
  if (!access_check(x, w, d, SP_SHARED, give, &rows)) return STREAM_ERROR;
  if (x->races) races_bytes(x, w, (uint32_t)(d - x->dec), SP_SHARED, false, rows.a, give, d->total);
  const uint8_t *base = access_base(x, w, SP_SHARED);
  for (unsigned k = 0; k < n; k++) {
    uint16_t m[8][8];
    for (unsigned r = 0; r < 8; r++) memcpy(m[r], base + rows.a[8 * k + r], 16);
    uint32_t *to = w->rows + d->dst[k];
    for (unsigned l = 0; l < LANES; l++) {
      unsigned r = l / 4, c = 2 * (l % 4);
      to[l] = d->insn->mods & M_TRANS ? m[c][r] | (uint32_t)m[c + 1][r] << 16 : m[r][c] | (uint32_t)m[r][c + 1] << 16;
    }
  }
  access_report(x, w, SP_SHARED, &rows, out);
  w->hash = hash_mix(w->hash, rows.hash);
  return STREAM_GIVEN;
}

/* ---- cp.async ---- */

/* A lane that reads only some of its bytes; false: a fault was reported. */
static bool copy_check_part(struct exec *x, struct warp *w, const struct dinsn *d, const struct access *c,
                            unsigned lane, uint32_t bytes) {
  uint32_t op = (uint32_t)(d - x->dec), a = c->a[lane];
  unsigned long long whole = (unsigned long long)c->h[lane] << 32 | a;
  if (a & (d->total - 1u)) {
    exec_fault(x, w, FAULT_ALIGN, op, (int)lane,
               "copy from %u bytes at global address 0x%llx is misaligned: expected a multiple of %u", bytes, whole,
               d->total);
    return false;
  }
  const struct region *r = c->h[lane] ? NULL : region_reads(&x->launch->mem->global, a);
  if (r && (uint64_t)r->base + r->size + r->pad - a >= bytes) return true;
  return access_lenient(x, w, d, lane, whole, bytes) || access_outside(x, w, d, SP_GLOBAL, lane, whole, bytes);
}

static void land_oldest(struct exec *x, struct warp *w) {
  struct copies *q = w->copies;
  const struct copy *c = &q->at[q->first];
  uint8_t *shared = access_base(x, w, SP_SHARED);
  if (x->races) races_bytes(x, w, c->op, SP_SHARED, true, c->to, c->lanes, c->bytes);
  for (uint32_t rest = c->lanes; rest; rest &= rest - 1) {
    unsigned l = (unsigned)bit_low32(rest);
    memcpy(shared + c->to[l], c->data[l], c->bytes);
  }
  q->first = (q->first + 1) % COPIES;
  q->n--;
  q->landed++;
  x->changes++;
}

uint64_t exec_cp_count(const struct warp *w) { return w->copies ? w->copies->landed + w->copies->n : 0; }

void exec_cp_land(struct exec *x, struct warp *w, uint64_t upto) {
  while (w->copies && w->copies->n && w->copies->landed < upto) land_oldest(x, w);
}

void exec_cp_group(struct exec *x, struct warp *w, const struct dinsn *d) {
  struct copies *q = w->copies;
  unsigned sub = d->insn->sub;
  if (!q) return;
  if (sub != ASYNC_WAIT) q->group++; /* wait_all is a commit and a wait for all groups */
  if (sub == ASYNC_COMMIT) return;
  uint64_t may = sub == ASYNC_WAIT ? d->insn->src[0].imm : 0;
  while (q->n && q->at[q->first].group + may < q->group) land_oldest(x, w);
}

void exec_cp_forget(struct warp *w) {
  if (w->copies) w->copies->n = w->copies->group = 0, w->copies->landed = 0;
}

static struct copy *new_copy(struct exec *x, struct warp *w) {
  if (!w->copies) w->copies = xcalloc(1, sizeof *w->copies);
  struct copies *q = w->copies;
  if (q->n == COPIES) land_oldest(x, w);
  struct copy *c = &q->at[(q->first + q->n++) % COPIES];
  c->group = q->group;
  return c;
}

/* The ring gets two rows, the shared addresses and behind them (inst.mem) the global ones of the lanes that
 * read; the shared ones only if none reads. */
int exec_cp_async(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  const struct insn *i = d->insn;
  struct access to, from;
  uint32_t bytes[LANES], whole = 0, part = 0;
  if (w->red) return STREAM_WAIT;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned l = (unsigned)bit_low32(rest);
    bytes[l] = d->nsrc == 3 ? exec_row(x, w, d, 2)[l] : d->total;
    if (bytes[l] > d->total)
      return exec_fault(x, w, FAULT_OTHER, (uint32_t)(d - x->dec), (int)l,
                        "cp.async of %u bytes reads %u, expected no more", d->total, bytes[l]);
    if (bytes[l] == d->total) whole |= 1u << l;
    else if (bytes[l]) part |= 1u << l;
  }
  access_from_rows(exec_row(x, w, d, 0), d->awords, (uint64_t)i->offset2, lanes, &to);
  if (!access_check(x, w, d, SP_SHARED, lanes, &to)) return STREAM_ERROR;
  access_report(x, w, SP_SHARED, &to, out);
  w->hash = hash_mix(w->hash, to.hash);
  if (whole | part) {
    access_from_rows(exec_row(x, w, d, 1), access_words(&i->src[1]), (uint64_t)i->offset, whole | part, &from);
    if (whole && !access_check(x, w, d, SP_GLOBAL, whole, &from)) return STREAM_ERROR;
    for (uint32_t rest = part; rest; rest &= rest - 1) {
      unsigned l = (unsigned)bit_low32(rest);
      if (!copy_check_part(x, w, d, &from, l, bytes[l])) return STREAM_ERROR;
    }
    for (uint32_t rest = x->races ? whole | part : 0; rest; rest &= rest - 1)
      races_bytes(x, w, (uint32_t)(d - x->dec), SP_GLOBAL, false, from.a, rest & -rest, bytes[bit_low32(rest)]);
    out->flags &= (uint8_t)~W_SPACE;
    access_report(x, w, SP_GLOBAL, &from, out);
    w->hash = hash_mix(w->hash, from.hash);
  }
  struct copy *c = new_copy(x, w);
  c->op = (uint32_t)(d - x->dec);
  c->lanes = lanes;
  c->bytes = d->total;
  memcpy(c->to, to.a, sizeof c->to);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned l = (unsigned)bit_low32(rest);
    memset(c->data[l], 0, 16);
    if (bytes[l]) exec_global(x, from.a[l], c->data[l], bytes[l]);
  }
  return STREAM_GIVEN;
}

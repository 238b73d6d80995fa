/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode: converts each static instruction once for the hot path: the function, operands as offsets of rows (in the
 * warp or in a pool of constant rows), predicate slots. All errors of an instruction are reported here, with its
 * line, so that the hot path checks addresses only.
 */
#include <stdlib.h>

#include "exec/warp.h"

static bool decode_refuse(const struct exec *x, const struct insn *i, struct err *e, const char *what) {
  return err_at(e, x->code->file, (int)i->line, (int)i->col, "kernel '%.200s', PC 0x%x: %s%s%s: %s", x->code->name,
                8 * (unsigned)(i - x->code->insn), opcode_name(i->op), i->type ? "." : "", dtype_name(i->type), what);
}

/* ---- pool of constant rows: first the lane-dependent special registers, then values found by hash ---- */

enum { LANE_SREGS = 6, LANE_ROWS = 2 * LANE_SREGS };

/* Two fresh rows; returns the offset in words of the first. */
static uint32_t pool_grow(struct exec *x) {
  if (x->pool_rows + 2 > x->pool_cap) {
    uint32_t cap = x->pool_cap ? x->pool_cap * 2 : 64;
    uint32_t *p = xcalloc_lines(cap, ROW_BYTES);
    if (x->pool) memcpy(p, x->pool, (size_t)x->pool_rows * ROW_BYTES);
    free(x->pool);
    x->pool = p;
    x->pool_cap = cap;
  }
  uint32_t r = x->pool_rows;
  x->pool_rows += 2;
  return r * LANES;
}

/* A pair of rows that hold v in every lane: low words, high words. */
static uint32_t pool_value(struct exec *x, uint64_t v) {
  const uint64_t there = hashtab_find(&x->pool_index, v);
  if (there != HASHTAB_NONE) return (uint32_t)there;
  const uint32_t off = pool_grow(x);
  hashtab_put(&x->pool_index, v, off);
  row_fill(x->pool + off, (uint32_t)v);
  row_fill(x->pool + off + LANES, (uint32_t)(v >> 32));
  return off;
}

/* ---- special registers ---- */

/* A value that is the same in all lanes and warps of the launch. */
static bool sreg_launch(const struct exec *x, enum sreg s, uint64_t *v) {
  const struct launch *l = x->launch;
  switch (s) {
    case SR_NTID_X:
    case SR_NTID_Y:
    case SR_NTID_Z: *v = l->block[s - SR_NTID_X]; return true;
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z: *v = l->grid[s - SR_NCTAID_X]; return true;
    case SR_NWARPID: *v = x->s.warps_per_cta; return true;
    case SR_SMID: *v = x->lim.sm; return true;
    case SR_GRIDID:
    case SR_RESERVED_SMEM:
    case SR_ENVREG: *v = 0; return true;
    case SR_ENVREG2: *v = l->workspace; return true;
    case SR_NSMID: *v = x->lim.sms ? x->lim.sms : 1; return true;
    case SR_DYN_SMEM: *v = l->shared_dyn; return true;
    case SR_TOTAL_SMEM: *v = x->s.shared_bytes - x->code->shared_reserved; return true;
    default: return false;
  }
}

static uint32_t lane_value(enum sreg s, unsigned lane) {
  switch (s) {
    case SR_LANEMASK_EQ: return 1u << lane;
    case SR_LANEMASK_LE: return (2u << lane) - 1;
    case SR_LANEMASK_LT: return (1u << lane) - 1;
    case SR_LANEMASK_GE: return ~((1u << lane) - 1);
    case SR_LANEMASK_GT: return ~((2u << lane) - 1);
    default: return lane; /* SR_LANEID */
  }
}

static const enum sreg lane_sreg[LANE_SREGS] = {SR_LANEID,      SR_LANEMASK_EQ, SR_LANEMASK_LE,
                                                SR_LANEMASK_LT, SR_LANEMASK_GE, SR_LANEMASK_GT};

static void pool_lanes(struct exec *x) {
  for (unsigned k = 0; k < LANE_SREGS; k++) {
    uint32_t off = pool_grow(x);
    for (unsigned i = 0; i < LANES; i++) x->pool[off + i] = lane_value(lane_sreg[k], i);
  }
}

/* Row pair of a lane-dependent special register, -1: it is not one. */
static int lane_row(enum sreg s) {
  for (int k = 0; k < LANE_SREGS; k++)
    if (lane_sreg[k] == s) return 2 * k;
  return -1;
}

/* Rows in the warp: filled by cta_begin, the clocks when read. A pair for each, the second row zero. */
static uint32_t warp_sreg(struct exec *x, enum sreg s) {
  if (s == SR_CLOCK64 || s == SR_GLOBALTIMER || s == SR_CLOCK_HI) {
    uint32_t row = warp_sreg(x, SR_CLOCK);
    return s == SR_CLOCK_HI ? row + 1 : row;
  }
  if (x->sreg_row[s] < 0) {
    x->sreg_row[s] = (int32_t)x->row_count;
    x->row_count += s == SR_CLOCK ? 3 : 2; /* the clock: low, high, zero */
  }
  return (uint32_t)x->sreg_row[s];
}

/* ---- operands ---- */

static bool decode_source(struct exec *x, struct dinsn *d, unsigned k, const struct opnd *o, struct err *e) {
  const struct insn *i = d->insn;
  d->psrc[k] = PRED_FALSE;
  d->sel[k] = 1;
  d->src[k] = 0; /* any row: the operand is not read as one */
  switch (o->kind) {
    case O_NONE: return true;
    case O_REG:
      if (!o->words || o->words > 2 || (uint64_t)o->reg + o->words > x->code->nreg)
        return decode_refuse(x, i, e, "a source register is beyond the kernel's allocated ones");
      d->sel[k] = 0;
      d->src[k] = o->reg * LANES;
      return true;
    case O_PRED:
      if (o->reg >= x->code->npred || o->reg >= PRED_FALSE)
        return decode_refuse(x, i, e, "a source predicate is beyond the kernel's allocated ones");
      d->psrc[k] = (uint8_t)o->reg;
      d->haspred = 1;
      if (o->neg) d->pinv |= (uint8_t)(1u << k);
      return true;
    case O_IMM:
      if (!o->words) {
        d->psrc[k] = (o->imm & 1) ^ (o->neg != 0) ? PRED_TRUE : PRED_FALSE;
        d->haspred = 1;
      }
      d->src[k] = pool_value(x, o->words == 1 ? (uint32_t)o->imm : o->imm);
      return true;
    case O_CBANK: {
      uint64_t v = 0, n = o->words == 2 ? 8 : 4;
      if (o->reg >= x->code->param_bytes)
        return decode_refuse(x, i, e, "a parameter operand lies beyond the parameters");
      if (n > x->code->param_bytes - o->reg) n = x->code->param_bytes - o->reg;
      memcpy(&v, x->param + o->reg, n);
      d->src[k] = pool_value(x, v);
      return true;
    }
    case O_SREG: {
      uint64_t v;
      enum sreg s = (enum sreg)o->reg;
      if (o->reg >= SR_COUNT) return decode_refuse(x, i, e, "unknown special register");
      if (sreg_launch(x, s, &v)) {
        d->src[k] = pool_value(x, v);
      } else if (lane_row(s) >= 0) {
        d->src[k] = (uint32_t)lane_row(s) * LANES;
      } else {
        d->sel[k] = 0;
        d->src[k] = warp_sreg(x, s) * LANES;
        if (s >= SR_CLOCK && s <= SR_GLOBALTIMER) d->clock = 1;
      }
      return true;
    }
    default: return decode_refuse(x, i, e, "unknown operand kind");
  }
}

static bool decode_destination(struct exec *x, struct dinsn *d, unsigned k, const struct opnd *o, struct err *e) {
  const struct insn *i = d->insn;
  d->dst[k] = NO_ROW;
  d->pdst[k] = NO_PRED;
  d->dwords[k] = o->words == 2 ? 2 : 1;
  if (o->kind == O_NONE) return true;
  if (o->kind == O_PRED) {
    if (o->reg >= x->code->npred || o->reg >= PRED_FALSE)
      return decode_refuse(x, i, e, "a destination predicate is beyond the kernel's allocated ones");
    d->pdst[k] = (uint8_t)o->reg;
    return true;
  }
  if (o->kind != O_REG || !o->words || o->words > 2 || (uint64_t)o->reg + o->words > x->code->nreg)
    return decode_refuse(x, i, e, "a destination register is beyond the kernel's allocated ones");
  d->dst[k] = o->reg * LANES;
  d->nval = (uint8_t)(d->nval + o->words);
  return true;
}

/* ---- instructions ---- */

static bool memory_insn(struct exec *x, struct dinsn *d, struct err *e) {
  const struct insn *i = d->insn;
  unsigned size = dtype_bytes(i->type), vec = i->vec ? i->vec : 1;
  if (i->space > SP_PARAM) return decode_refuse(x, i, e, "unknown state space");
  if (i->nsrc < 1 || i->src[0].kind == O_PRED || i->src[0].kind == O_NONE)
    return decode_refuse(x, i, e, "found no address operand");
  if (size != 1 && size != 2 && size != 4 && size != 8) return decode_refuse(x, i, e, "no memory access has this type");
  if (i->op == OP_ATOM) {
    if (vec != 1) return decode_refuse(x, i, e, "atomics on vectors are not supported");
    if (i->nsrc < (i->sub == ATOM_CAS ? 3u : 2u)) return decode_refuse(x, i, e, "found too few operands");
  } else if (vec > INSN_DST || size * vec > 16 || (vec & (vec - 1))) {
    return decode_refuse(x, i, e, "found a vector of more than 16 bytes, or of 3 elements");
  }
  if (i->op == OP_LD && i->ndst != vec)
    return decode_refuse(x, i, e, "found a number of destinations unlike the vector");
  if (i->op == OP_ST && i->nsrc != vec + 1) return decode_refuse(x, i, e, "found a number of values unlike the vector");
  for (unsigned k = 0; k < i->ndst; k++)
    if (i->dst[k].kind == O_PRED || (i->dst[k].kind == O_REG && size == 8 && i->dst[k].words != 2))
      return decode_refuse(x, i, e, "the destination is too narrow");
  for (unsigned k = 1; k < i->nsrc; k++)
    if (i->src[k].kind == O_PRED || i->src[k].kind == O_NONE || (size == 8 && i->src[k].words == 1))
      return decode_refuse(x, i, e, "the value is too narrow");
  d->size = (uint8_t)size;
  d->vec = (uint8_t)vec;
  d->total = (uint8_t)(size * vec);
  d->space = i->space;
  d->sext = dtype_signed(i->type);
  d->awords = access_words(&i->src[0]);
  return true;
}

static bool is_value(const struct opnd *o) { return o->kind != O_PRED && o->kind != O_NONE; }

static bool tensor_insn(struct exec *x, struct dinsn *d, struct err *e) {
  const struct insn *i = d->insn;
  if (i->op == OP_MMA || i->op == OP_MOVMATRIX) {
    d->fn = alu_pick(i);
    d->kind = DK_MMA;
    return d->fn ? true : decode_refuse(x, i, e, "this shape, type and number of registers are not supported");
  }
  d->space = i->space;
  d->awords = i->nsrc ? access_words(&i->src[0]) : 1;
  if (i->op == OP_LDMATRIX) {
    d->kind = DK_LDM;
    d->size = 4;
    d->vec = i->ndst;
    d->total = 16;
    if (i->nsrc != 1 || !is_value(&i->src[0])) return decode_refuse(x, i, e, "found no address operand");
    if (i->space != SP_GENERIC && i->space != SP_SHARED) return decode_refuse(x, i, e, "it reads shared memory only");
    if (i->ndst != 1 && i->ndst != 2 && i->ndst != 4) return decode_refuse(x, i, e, "found a wrong number of matrices");
    for (unsigned k = 0; k < i->ndst; k++)
      if (i->dst[k].kind != O_REG || i->dst[k].words != 1) return decode_refuse(x, i, e, "found a wrong destination");
    return true;
  }
  d->kind = i->sub == ASYNC_COPY ? DK_CP : DK_CPGROUP;
  d->size = d->total = i->vec;
  if (i->sub > ASYNC_WAIT_ALL || i->ndst) return decode_refuse(x, i, e, "found an unknown form");
  if (i->sub == ASYNC_WAIT && (i->nsrc != 1 || i->src[0].kind != O_IMM))
    return decode_refuse(x, i, e, "found no number of groups");
  if (i->sub != ASYNC_COPY) return true;
  if (i->nsrc < 2 || i->nsrc > 3 || !is_value(&i->src[0]) || !is_value(&i->src[1]) ||
      (i->nsrc == 3 && (!is_value(&i->src[2]) || i->src[2].words == 2)))
    return decode_refuse(x, i, e, "found a wrong operand");
  if (i->vec != 4 && i->vec != 8 && i->vec != 16) return decode_refuse(x, i, e, "found a wrong number of bytes");
  return true;
}

static bool mbarrier_insn(struct exec *x, struct dinsn *d, struct err *e) {
  const struct insn *i = d->insn;
  const bool tests = i->sub == MBAR_TEST, arrives = i->sub == MBAR_ARRIVE || i->sub == MBAR_DROP;
  const unsigned nsrc = i->sub == MBAR_INVAL || i->sub == MBAR_COPIES ? 1 : 2;
  if (i->sub > MBAR_COPIES || i->nsrc != nsrc || i->ndst > (tests || arrives))
    return decode_refuse(x, i, e, "found an unknown form");
  for (unsigned k = 0; k < nsrc; k++)
    if (!is_value(&i->src[k])) return decode_refuse(x, i, e, "found a wrong operand");
  if (tests && !(i->cmp & MB_PARITY) && i->src[1].words == 1) return decode_refuse(x, i, e, "the state is too narrow");
  if (i->ndst && i->dst[0].kind != O_NONE && (i->dst[0].kind != O_PRED) == tests)
    return decode_refuse(x, i, e, "found a wrong destination");
  if (i->ndst && i->dst[0].kind == O_REG && i->dst[0].words != 2)
    return decode_refuse(x, i, e, "the destination is too narrow");
  if (i->space != SP_GENERIC && i->space != SP_SHARED) return decode_refuse(x, i, e, "it works on shared memory only");
  d->kind = DK_MBAR;
  d->space = i->space;
  d->awords = access_words(&i->src[0]);
  d->size = d->total = 8;
  d->vec = 1;
  return true;
}

static bool decode_kind(struct exec *x, struct dinsn *d, struct err *e) {
  const struct insn *i = d->insn;
  bool red = false;
  switch ((enum opcode)i->op) {
    case OP_NOP:
    case OP_MEMBAR:
    case OP_PREFETCH: d->kind = DK_NOP; return true;
    case OP_EXIT: d->kind = DK_EXIT; return true;
    case OP_TRAP: d->kind = DK_TRAP; return true;
    case OP_LD: d->kind = DK_LD; return memory_insn(x, d, e);
    case OP_ST: d->kind = DK_ST; return memory_insn(x, d, e);
    case OP_ATOM: d->kind = DK_ATOM; return memory_insn(x, d, e);
    case OP_MMA:
    case OP_MOVMATRIX:
    case OP_LDMATRIX:
    case OP_CPASYNC: return tensor_insn(x, d, e);
    case OP_MBARRIER: return mbarrier_insn(x, d, e);
    case OP_TEX:
    case OP_TLD4:
    case OP_TXQ:
    case OP_SULD:
    case OP_SUST: {
      const char *why = texture_decode(x, d);
      return why ? decode_refuse(x, i, e, why) : true;
    }
    case OP_PRINT:
      d->kind = DK_PRINT;
      if (i->sub == PRINT_ASSERT && i->nsrc == 4 && !i->ndst) return true;
      if (i->sub == PRINT_VPRINTF && i->nsrc == 2 && i->ndst == 1 && is_value(&i->src[0]) && is_value(&i->src[1]))
        return true;
      return decode_refuse(x, i, e, "found wrong operands");
    case OP_BRA:
      d->kind = DK_BRA;
      if (i->target >= x->code->n) return decode_refuse(x, i, e, "the target is not an instruction");
      if (x->code->reconv[i - x->code->insn] > x->code->n)
        return decode_refuse(x, i, e, "the point of reconvergence is not an instruction");
      return true;
    case OP_BAR:
      d->kind = i->sub == BAR_WARP ? DK_NOP : DK_BAR;
      if (d->kind == DK_NOP) return true;
      red = i->sub >= BAR_RED_POPC && i->sub <= BAR_RED_OR;
      if (i->nsrc < 1u + red || i->nsrc > 2u + red) return decode_refuse(x, i, e, "found a wrong number of operands");
      for (unsigned k = 0; k + red < i->nsrc; k++)
        if (i->src[k].kind == O_PRED || i->src[k].kind == O_NONE)
          return decode_refuse(x, i, e, "the barrier's number and thread count are no predicates");
      return true;
    default:
      d->fn = alu_pick(i);
      if (!d->fn) return decode_refuse(x, i, e, "this operation, type and modifiers are not supported");
      d->kind = DK_ALU;
      if (i->ndst == 1 && d->dst[0] != NO_ROW && !d->haspred && !d->clock) d->kind = DK_ALU1;
      return true;
  }
}

static bool decode_one(struct exec *x, uint32_t n, struct err *e) {
  const struct insn *i = &x->code->insn[n];
  struct dinsn *d = &x->dec[n];
  d->insn = i;
  if (i->nsrc > INSN_SRC || i->ndst > INSN_DST) return decode_refuse(x, i, e, "found too many operands");
  d->nsrc = i->nsrc;
  d->ndst = i->ndst;
  d->guard = PRED_TRUE;
  d->win[0] = d->win[1] = NO_WINDOW;
  if (i->guard.kind == O_PRED) {
    if (i->guard.reg >= x->code->npred || i->guard.reg >= PRED_FALSE)
      return decode_refuse(x, i, e, "the guard is beyond the kernel's allocated predicates");
    d->guard = (uint8_t)i->guard.reg;
    d->ginv = i->guard.neg ? FULL : 0;
  }
  for (unsigned k = 0; k < i->nsrc; k++)
    if (!decode_source(x, d, k, &i->src[k], e)) return false;
  for (unsigned k = 0; k < i->ndst; k++)
    if (!decode_destination(x, d, k, &i->dst[k], e)) return false;
  d->rounds = exec_rounds(x->code, n);
  return decode_kind(x, d, e);
}

bool exec_decode(struct exec *x, struct err *e) {
  const struct code *c = x->code;
  for (unsigned s = 0; s < SR_COUNT; s++) x->sreg_row[s] = -1;
  x->row_count = c->nreg;
  x->dec = xcalloc_lines(c->n, sizeof *x->dec);
  pool_lanes(x);
  for (uint32_t n = 0; n < c->n; n++)
    if (!decode_one(x, n, e)) return false;
  const struct insn *last = &c->insn[c->n - 1];
  if (!insn_ends_block(last) || last->guard.kind != O_NONE)
    return decode_refuse(x, last, e, "the kernel's last instruction falls through its end");
  return true;
}

void exec_decode_free(struct exec *x) {
  free(x->dec);
  free(x->pool);
  hashtab_free(&x->pool_index);
}

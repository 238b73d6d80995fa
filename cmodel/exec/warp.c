/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp: execution of one instruction of one warp: fetch the decoded form, compute 32 lanes, update the SIMT stack.
 *
 * Divergence: a branch that splits its lanes leaves an entry at the point of reconvergence (unless the
 * enclosing entry ends there too), one for the taken lanes, and goes on with those that fall through. An
 * entry ends when its pc comes to its rpc.
 */
#include "exec/warp.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 6, 0))) static void exec_place_va(struct exec *x, const struct warp *w, uint32_t op,
                                                                int lane, struct err *e, const char *fmt, va_list ap) {
  const uint32_t *g = x->launch->grid, *b = x->launch->block;
  uint32_t cta = x->cta[w->cta_slot].id, t = w->index * LANES + (lane < 0 ? 0 : (uint32_t)lane);
  char what[512], who[64];
  vsnprintf(what, sizeof what, fmt, ap);
  if (lane < 0) snprintf(who, sizeof who, "warp %u", w->index);
  else snprintf(who, sizeof who, "thread (%u,%u,%u)", t % b[0], t / b[0] % b[1], t / b[0] / b[1]);
  err_at(e, x->code->file, (int)x->code->insn[op].line, (int)x->code->insn[op].col,
         "%s; kernel '%.160s', PC 0x%x, CTA (%u,%u,%u), %s", what, x->code->name, 8 * op, cta % g[0], cta / g[0] % g[1],
         cta / g[0] / g[1], who);
}

void exec_place(struct exec *x, const struct warp *w, uint32_t op, int lane, struct err *e, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  exec_place_va(x, w, op, lane, e, fmt, ap);
  va_end(ap);
}

int exec_fault(struct exec *x, struct warp *w, enum fault fault, uint32_t op, int lane, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  exec_place_va(x, w, op, lane, &x->s.err, fmt, ap);
  va_end(ap);
  x->s.err.fault = fault;
  w->state = WS_ERROR;
  return STREAM_ERROR;
}

/* ---- computing instructions ---- */

/* Inactive lanes, or more than one destination: results go through scratch rows. */
static void warp_compute(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes) {
  struct alu_io *io = &x->io;
  for (unsigned k = 0; k < d->nsrc; k++) io->src[k] = exec_row(x, w, d, k);
  if (d->haspred)
    for (unsigned k = 0; k < d->nsrc; k++) io->psrc[k] = exec_pred(w, d, k);
  for (unsigned k = 0; k < d->ndst; k++)
    io->dst[k] = lanes != FULL || d->dst[k] == NO_ROW ? x->scratch[k] : w->rows + d->dst[k];
  io->lanes = lanes;
  d->fn(d->insn, io);
  for (unsigned k = 0; k < d->ndst; k++) {
    if (d->pdst[k] != NO_PRED) {
      uint32_t *p = &w->pred[d->pdst[k]];
      *p = (*p & ~lanes) | (io->pdst[k] & lanes);
    } else if (lanes != FULL && d->dst[k] != NO_ROW) {
      row_merge(w->rows + d->dst[k], x->scratch[k], lanes);
      if (d->dwords[k] == 2) row_merge(w->rows + d->dst[k] + LANES, x->scratch[k] + LANES, lanes);
    }
  }
}

/* One destination in registers, no predicates: nearly all of a kernel. */
static inline void warp_compute1(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes) {
  struct alu_io *io = &x->io;
  for (unsigned k = 0; k < d->nsrc; k++) io->src[k] = exec_row(x, w, d, k);
  io->lanes = lanes;
  uint32_t *row = w->rows + d->dst[0];
  if (lanes == FULL) {
    io->dst[0] = row;
    d->fn(d->insn, io);
    return;
  }
  io->dst[0] = x->scratch[0];
  d->fn(d->insn, io);
  row_merge(row, x->scratch[0], lanes);
  if (d->dwords[0] == 2) row_merge(row + LANES, x->scratch[0] + LANES, lanes);
}

static void warp_set_clock(struct exec *x, struct warp *w) {
  uint32_t *row = row_at(w->rows, (uint32_t)x->sreg_row[SR_CLOCK]);
  row_fill(row, (uint32_t)w->count);
  row_fill(row + LANES, (uint32_t)(w->count >> 32));
}

/* ---- control ---- */

static void warp_pop(struct warp *w) {
  struct simt *t = &w->stack[--w->depth];
  w->pc = t->pc;
  w->rpc = t->rpc;
  w->active = t->mask;
}

/* The warp goes on at pc; ends the entry if that is where it reconverges. */
static inline void warp_go(struct warp *w, uint32_t pc) {
  w->pc = pc;
  if (pc == w->rpc && w->depth) warp_pop(w);
}

static void warp_branch(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t taken) {
  uint32_t op = (uint32_t)(d - x->dec), target = d->insn->target, fall = op + 1, not = w->active & ~taken;
  if (!taken || target == fall) return warp_go(w, fall);
  if (!not ) return warp_go(w, target);
  uint32_t r = x->code->reconv[op];
  if (r == x->code->n) r = w->rpc; /* they reconverge at the exit only, or where the enclosing entry ends */
  if (r != w->rpc) w->stack[w->depth++] = (struct simt){r, w->rpc, w->active};
  w->rpc = r;
  if (fall == r) {
    w->pc = target;
    w->active = taken;
    return;
  }
  if (target != r) w->stack[w->depth++] = (struct simt){target, r, taken};
  w->pc = fall;
  w->active = not ;
}

/* Lanes exit and are removed from all entries; true: none is left. */
static bool warp_leave(struct warp *w, uint32_t pc, uint32_t lanes) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < w->depth; k++) {
    struct simt t = w->stack[k];
    t.mask &= ~lanes;
    if (t.mask) w->stack[n++] = t;
  }
  w->depth = n;
  w->active &= ~lanes;
  if (w->active) {
    warp_go(w, pc + 1);
    return false;
  }
  if (!n) return true;
  warp_pop(w);
  return false;
}

static void warp_finish(struct exec *x, struct warp *w, uint32_t op, struct warp_inst *out) {
  out->flags |= W_EXIT;
  w->state = WS_DONE;
  w->pc = op;
  x->s.hash += hash_mix(w->hash, w->count);
  exec_barrier_exit(x, w);
}

/* ---- the step ---- */

static int warp_stopped(const struct warp *w) {
  switch (w->state) {
    case WS_ATOMIC:
    case WS_BARRIER: return STREAM_WAIT;
    case WS_ERROR: return STREAM_ERROR;
    default: return STREAM_FINISHED;
  }
}

/* .aligned: undefined in PTX unless all 32 lanes are active. */
static int warp_not_together(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes) {
  return exec_fault(x, w, FAULT_OTHER, (uint32_t)(d - x->dec), ALL,
                    "%s by %d lanes of a warp (0x%08x), expected all 32", opcode_name((enum opcode)d->insn->op),
                    bit_count32(lanes), lanes);
}

static inline void warp_begin_inst(const struct warp *w, uint32_t lanes, struct warp_inst *out) {
  out->op = w->pc;
  out->active = w->active;
  out->lanes = lanes;
  out->seq = (uint32_t)w->count;
  out->mem = 0;
  out->val = out->near = 0;
  out->warp = w->slot;
  out->flags = out->nval = 0;
}

/* Instructions on more than the warp's registers, but loads and stores: the rest of memory, images, barriers, output. */
static int warp_step_outside(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  switch ((enum dkind)d->kind) {
    case DK_ATOM: return exec_atomic(x, w, d, lanes, out);
    case DK_BAR: return exec_barrier(x, w, d, lanes, out);
    case DK_LDM: return lanes == FULL ? exec_ldmatrix(x, w, d, lanes, out) : warp_not_together(x, w, d, lanes);
    case DK_CP: return exec_cp_async(x, w, d, lanes, out);
    case DK_MBAR: return exec_mbarrier(x, w, d, lanes, out);
    case DK_TEX: return exec_texture(x, w, d, lanes, out);
    case DK_TXQ: return exec_texture_query(x, w, d, lanes);
    case DK_SURFACE: return exec_surface(x, w, d, lanes, out);
    case DK_PRINT: return d->insn->sub == PRINT_ASSERT ? exec_assert(x, w, d, lanes) : exec_print(x, w, d, lanes);
    default: /* DK_TRAP */
      return exec_fault(x, w, FAULT_OTHER, (uint32_t)(d - x->dec), bit_low32(lanes), "the kernel executed a trap");
  }
}

int exec_step(struct exec *x, struct warp *w, struct warp_inst *out) {
  if (w->state != WS_RUN) return warp_stopped(w);
  const uint32_t op = w->pc;
  struct dinsn *d = &x->dec[op];
  const uint32_t lanes = w->active & (w->pred[d->guard] ^ d->ginv);
  int r = STREAM_GIVEN;
  warp_begin_inst(w, lanes, out);
  if (w->count >= w->watch && exec_watch(x, w) == STREAM_ERROR) return STREAM_ERROR;
  const uint64_t hash = w->hash;
  w->hash = hash_mix(hash, (uint64_t)lanes << 32 | op);
  switch ((enum dkind)d->kind) {
    case DK_ALU1:
      if (lanes) warp_compute1(x, w, d, lanes);
      break;
    case DK_ALU:
      if (d->clock) warp_set_clock(x, w);
      if (lanes) warp_compute(x, w, d, lanes);
      break;
    case DK_MMA:
      if (!lanes) break;
      if (lanes != FULL) return warp_not_together(x, w, d, lanes);
      warp_compute(x, w, d, lanes);
      break;
    case DK_NOP:
      if (x->races && lanes && d->insn->op == OP_MEMBAR) races_fence(x, w);
      break;
    case DK_CPGROUP:
      if (lanes) exec_cp_group(x, w, d);
      break;
    case DK_BRA:
      out->flags = W_BRANCH;
      warp_branch(x, w, d, lanes);
      goto moved;
    case DK_EXIT:
      if (!lanes) break;
      if (warp_leave(w, op, lanes)) warp_finish(x, w, op, out);
      goto moved;
    case DK_LD:
      if (lanes) r = exec_load(x, w, d, lanes, out);
      break;
    case DK_ST:
      if (lanes) r = exec_store(x, w, d, lanes, out);
      break;
    default:
      if (!lanes) break;
      r = warp_step_outside(x, w, d, lanes, out);
      /* These two round and keep their values themselves. */
      if (r == STREAM_GIVEN && (d->kind == DK_ATOM || d->kind == DK_BAR)) goto given;
  }
  if (r == STREAM_WAIT) w->hash = hash; /* it did not happen yet */
  if (r != STREAM_GIVEN) return r;
  if (d->rounds && lanes) exec_round(x, w, d, lanes);
  if (x->lim.values && d->nval) {
    out->val = exec_values(w, d->nval);
    out->nval = d->nval;
    exec_keep(x, w, d, out->val);
  }
given:
  warp_go(w, op + 1);
moved:
  w->count++;
  out->next = w->pc;
  return STREAM_GIVEN;
}

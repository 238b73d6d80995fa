/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices storage (Angerd et al., ICPP 2020; docs/blocks/slice/): a register lives in some of the eight 4-bit slices of one or two
 * physical rows, and an indirection table says where. The data path is the golden twins themselves: SIT, one SCU per collector
 * unit, one value extractor per bank, VC, and DIT and VT on the way back. Today's table is the identity (all eight slices of
 * the register's own row), so every value goes through every block and comes out as it was.
 *
 * Times: issue t, SIT t+1, response t+2, bank t+3, dispatch t+4: two cycles more than flat. An instruction with more than three
 * source registers passes its unit twice. Write-back: DIT, VT, register file, and the scoreboard is released the cycle after:
 * three cycles more than flat. The tables are loaded in the first 256 cycles of a launch; no warp issues before.
 */
#include <stdlib.h>
#include <string.h>

#include "blocks/slice/dit.h"
#include "blocks/slice/scu.h"
#include "blocks/slice/sit.h"
#include "blocks/slice/vc.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/wve.h"
#include "sm/state.h"

enum { UNITS = 16, BANKS = 64, LANES = 3, PAYLOAD = 1063, ROWS = 256, ENTRY_ALL = 0xff };

struct lane { uint32_t flight; uint8_t k; bool full; };     /* whose result it carries */

struct slices {
  struct sit sit;
  struct dit dit;
  struct vc vc;
  struct vt vt;
  struct scu scu[UNITS];
  struct sit_in sit_in;
  struct sit_out sit_out;
  struct dit_in dit_in;
  struct dit_out dit_out;
  struct vc_in vc_in;
  struct vc_out vc_out;
  struct vt_in vt_in;
  struct vt_out vt_out;
  struct scu_in scu_in[UNITS];
  struct scu_out scu_out[UNITS];
  struct { struct wve_in in; struct wve_out out; } wve[BANKS];
  uint64_t wve_used;                   /* banks that extracted in this cycle */

  uint64_t busy, todo;                 /* units with an instruction; with a (next) pass to be allocated */
  uint64_t ready;                      /* their last pass is complete: the instruction may be dispatched */
  uint64_t gone;                       /* dispatched in this cycle */
  uint8_t pass[UNITS], passes[UNITS];
  struct unit *unit[UNITS];
  uint32_t operand[UNITS][6][32];      /* merged values, by source */

  struct lane in[LANES], mid[LANES], out[LANES];   /* offered to DIT; in DIT's output register; in VT's */
  struct lane done[2 * LANES];         /* written in this cycle: released at its end */
  unsigned ndone, dispatched;
  unsigned load;                       /* table entries still to be loaded */
  uint32_t rows;
  uint32_t *row;                       /* [rows][32]: the register file, in slices */
};

static struct slices *slices(const struct sm *S) { return S->choice[SLOT_STORAGE]; }

/* An evaluation whose outputs the SM uses in this cycle. */
#define EVAL(S, block, instance, state, in, out)                                                       \
  do {                                                                                                 \
    block##_eval(state, in, out);                                                                      \
    if ((S)->observer && (S)->observer->outputs)                                                       \
      (S)->observer->outputs((S)->observer->ctx, "slice/" #block, instance, in, out);                  \
  } while (0)

static bool init(struct sm *S, struct err *e) {
  (void)e;
  S->choice[SLOT_STORAGE] = xcalloc_lines(1, sizeof(struct slices));
  return true;
}

static void done(struct sm *S) {
  if (slices(S)) free(slices(S)->row);
  free(slices(S));
}

static void observe_reset(const struct sm *S, const char *block, unsigned instance) {
  if (S->observer) S->observer->reset(S->observer->ctx, block, instance);
}

static bool plan(struct sm *S, const struct launch *l, struct err *e) {
  struct slices *s = slices(S);
  if (!storage_flat.plan(S, l, e)) return false;
  uint32_t *row = s->row;
  memset(s, 0, sizeof *s);
  uint32_t most = (uint32_t)(S->cfg->rf_bytes / 128);
  free(row);
  s->row = xcalloc_lines(most, 128);
  s->rows = most;
  s->load = ROWS;
  sit_reset(&s->sit);
  dit_reset(&s->dit);
  vc_reset(&s->vc);
  vt_reset(&s->vt);
  observe_reset(S, "slice/sit", 0);
  observe_reset(S, "slice/dit", 0);
  observe_reset(S, "slice/vc", 0);
  observe_reset(S, "slice/vt", 0);
  for (unsigned u = 0; u < UNITS; u++) {
    scu_reset(&s->scu[u]);
    observe_reset(S, "slice/scu", u);
  }
  return true;
}

static enum move warp(struct sm *S, unsigned w, int where) {
  struct slices *s = slices(S);
  if (where == WARP_IN) {
    memset(s->row + (size_t)S->warp[w].row * 32, 0, (size_t)S->warp_regs * 128);
    if (s->load) gate_close(S, SLOT_STORAGE, w);
  }
  return MOVE_DONE;
}

/* ---- ISSUE ---- */

static unsigned sources_of_pass(const struct op *op, unsigned pass) {
  unsigned left = op->nsrc - 3 * pass;
  return left < 3 ? left : 3;
}

static void allocate(struct sm *S, struct slices *s, unsigned k) {
  const struct op *op = S->flight[s->unit[k]->flight].op;
  struct scu_in *in = &s->scu_in[k];
  unsigned n = sources_of_pass(op, s->pass[k]);
  in->al_v_i = 1;
  in->al_sv_i = (1u << n) - 1;
  in->al_a_i = 0;
  for (unsigned i = 0; i < n; i++) in->al_a_i |= (uint64_t)op->src[3 * s->pass[k] + i] << 8 * i;
  in->al_sgn_i = 0;
  in->al_cvt_i = op->cls == CLS_SP ? in->al_sv_i : 0;    /* floats; with eight nibbles the converter passes them on */
  in->al_meta_i = s->unit[k]->flight;
  s->todo &= ~(1ull << k);
}

static void locate(struct sm *S, struct unit *u) {
  struct slices *s = slices(S);
  const struct op *op = S->flight[u->flight].op;
  unsigned k = u->index;
  s->unit[k] = u;
  s->pass[k] = 0;
  s->passes[k] = (uint8_t)(op->nsrc > 3 ? 2 : 1);
  s->busy |= 1ull << k;
  u->hold = 1;
  allocate(S, s, k);
}

/* ---- ENGINE: look-ups; what they find is asked of the banks from the next cycle on ---- */

static void look(struct sm *S) {
  struct slices *s = slices(S);
  if (s->load) {
    unsigned a = ROWS - s->load;
    s->sit_in.ld_v_i = s->dit_in.ld_v_i = 1;
    s->sit_in.ld_a_i = s->dit_in.ld_a_i = a;
    s->sit_in.ld_e_i = s->dit_in.ld_e_i = ENTRY_ALL << 8 | a;   /* m1 = r1 = 0, m0 = all, r0 = a */
  }
  if (!s->busy) return;
  for (uint64_t m = s->todo; m; m &= m - 1) allocate(S, s, (unsigned)bit_low64(m));
  uint64_t asking = 0;
  for (uint64_t m = s->busy; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    EVAL(S, scu, k, &s->scu[k], &s->scu_in[k], &s->scu_out[k]);
    asking |= s->scu_out[k].rq_v_o << 3 * k;
    if (s->scu_out[k].rq_v_o) words_set(s->sit_in.rq_a_i, 24 * k, 24, s->scu_out[k].rq_a_o);
  }
  s->sit_in.rq_v_i = asking;
  EVAL(S, sit, 0, &s->sit, &s->sit_in, &s->sit_out);
  for (uint64_t m = s->busy; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    s->scu_in[k].gn_i = s->sit_out.gn_o >> 3 * k & 7;
  }
  uint64_t answered = 0;
  for (uint64_t m = s->sit_out.rs_v_o; m; m &= m - 1) {
    unsigned b = (unsigned)bit_low64(m), q = (unsigned)words_get(s->sit_out.rs_q_o, 6 * b, 6), k = q / 3;
    s->scu_in[k].rs_v_i |= 1ull << q % 3;
    s->scu_in[k].rs_e_i[q % 3] = s->sit_out.rs_e_o[b];
    answered |= 1ull << k;
  }
  for (uint64_t m = answered; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    struct unit *u = s->unit[k];
    EVAL(S, scu, k, &s->scu[k], &s->scu_in[k], &s->scu_out[k]);
    for (uint64_t v = s->scu_out[k].rf_v_o; v; v &= v - 1) {
      unsigned i = (unsigned)bit_low64(v), r = s->scu_out[k].rf_r_o >> 8 * i & 0xff;
      u->bank[i] = (uint8_t)rf_bank(S, r, S->warp[u->warp].place);
      u->row[i] = S->warp[u->warp].row + r;
    }
    unit_want(&S->group[0], u);
  }
}

/* COLLECT: bank b has given row[i] of a unit: its extractor takes out the slices, the SCU merges them. */
static void read(struct sm *S, struct unit *u, unsigned i) {
  struct slices *s = slices(S);
  unsigned k = u->index, b = u->bank[i], operand = i >> 1;
  struct wve_in *in = &s->wve[b].in;
  const struct scu *scu = &s->scu[k];
  memcpy(in->d_i, s->row + (size_t)u->row[i] * 32, 128);
  in->e_i = (uint32_t)scu->r.info_q[operand];
  in->part_i = i & 1;
  in->sgn_i = scu->r.sgn_q >> operand & 1;
  EVAL(S, wve, b, NULL, in, &s->wve[b].out);
  s->wve_used |= 1ull << b;
  s->scu_in[k].d_v_i = 1;
  s->scu_in[k].d_op_i = operand;
  memcpy(s->scu_in[k].d_d_i, s->wve[b].out.y_o, 128);
}

/* ---- DISPATCH ---- */

static int convert(struct sm *S, struct unit *u) {
  struct slices *s = slices(S);
  unsigned k = u->index, n = S->flight[u->flight].op->nsrc;
  const struct scu_out *o = &s->scu_out[k];
  if (o->dp_vc_o && s->dispatched == 2) return -1;       /* six converters: two instructions a cycle */
  if (s->dispatched < 2) {
    for (unsigned i = 0; i < 3; i++) {
      unsigned v = 3 * s->dispatched + i;
      if (3 * s->pass[k] + i >= n) continue;
      s->vc_in.i_v_i |= 1ull << v;
      s->vc_in.i_n_i |= 8ull << 4 * v;
      memcpy(s->vc_in.i_d_i + 32 * v, o->dp_d_o + 32 * i, 128);
    }
    s->dispatched++;
  }
  s->scu_in[k].dp_take_i = 1;
  s->gone |= 1ull << k;
  s->ready &= ~(1ull << k);
  if (S->check)
    for (unsigned i = 0; i < n; i++) check_latch(S, u, i, s->operand[k][i]);
  return o->dp_vc_o ? 1 : 0;
}

/* ---- WRITE ---- */

/* A result asks for a lane; from here on DIT, VT and the register file take their time. */
static enum place result(struct sm *S, struct flight *f, unsigned k, uint32_t *bank, uint32_t *row) {
  (void)bank, (void)row;
  struct slices *s = slices(S);
  unsigned l = 0;
  while (l < LANES && s->in[l].full) l++;
  if (l == LANES) return PLACE_BUSY;
  s->in[l] = (struct lane){.flight = (uint32_t)(f - S->flight), .k = (uint8_t)k, .full = true};
  s->dit_in.w_v_i |= 1ull << l;
  s->dit_in.w_a_i = (s->dit_in.w_a_i & ~(0xffull << 8 * l)) | (uint64_t)f->op->dst[k] << 8 * l;
  unsigned at = PAYLOAD * l;
  words_copy(s->dit_in.w_pl_i, at, wi_val(S->stream, &f->wi, k), 0, 1024);
  words_set(s->dit_in.w_pl_i, at + 1024, 32, ~0u);       /* rows hold all lanes: those that were off keep what they had */
  words_set(s->dit_in.w_pl_i, at + 1056, 6, f->wi.warp & 63);
  words_set(s->dit_in.w_pl_i, at + 1062, 1, f->op->cls == CLS_SP);
  return PLACE_TAKEN;
}

/* The masked nibbles of the active lanes. */
static void write_row(uint32_t *row, const uint32_t *data, unsigned mask, uint32_t lanes) {
  uint32_t bits = 0;
  for (unsigned j = 0; j < 8; j++)
    if (mask >> j & 1) bits |= 0xfu << 4 * j;
  for (unsigned l = 0; l < 32; l++) {
    uint32_t m = lanes >> l & 1 ? bits : 0;
    row[l] = (row[l] & ~m) | (data[l] & m);
  }
}

/* VT's outputs go to the banks, lowest lane first, part 0 before 1. */
static void write_back(struct sm *S, struct slices *s) {
  struct vt_out *o = &s->vt_out;
  s->vt_in.o_rdy0_i = s->vt_in.o_rdy1_i = 0;
  EVAL(S, vt, 0, &s->vt, &s->vt_in, o);
  for (unsigned l = 0; l < LANES; l++)
    for (unsigned part = 0; part < 2; part++) {
      if (!((part ? o->o_v1_o : o->o_v0_o) >> l & 1)) continue;
      unsigned w = S->flight[s->out[l].flight].wi.warp;
      unsigned r = (part ? o->o_r1_o : o->o_r0_o) >> 8 * l & 0xff;
      unsigned mask = (part ? o->o_m1_o : o->o_m0_o) >> 8 * l & 0xff;
      if (!rf_claim(S, &S->group[0], rf_bank(S, r, S->warp[w].place), RF_WRITE)) {
        S->st.rf_write_conflicts++;
        continue;
      }
      write_row(s->row + (size_t)(S->warp[w].row + r) * 32, (part ? o->o_d1_o : o->o_d0_o) + 32 * l, mask, o->o_lane_o[l]);
      S->st.rf_writes++;
      if (part) s->vt_in.o_rdy1_i |= 1ull << l; else s->vt_in.o_rdy0_i |= 1ull << l;
    }
  uint64_t left = (o->o_v0_o & ~s->vt_in.o_rdy0_i) | (o->o_v1_o & ~s->vt_in.o_rdy1_i);
  for (unsigned l = 0; l < LANES; l++)
    if (s->out[l].full && !(left >> l & 1)) {
      s->done[s->ndone++] = s->out[l];
      s->out[l].full = false;
    }
  EVAL(S, vt, 0, &s->vt, &s->vt_in, o);
  s->dit_in.o_rdy_i = o->i_rdy_o;
  EVAL(S, dit, 0, &s->dit, &s->dit_in, &s->dit_out);
  s->vt_in.i_v_i = s->dit_out.o_v_o;
  memcpy(s->vt_in.i_e_i, s->dit_out.o_e_o, sizeof s->vt_in.i_e_i);
  memcpy(s->vt_in.i_pl_i, s->dit_out.o_pl_o, sizeof s->vt_in.i_pl_i);
}

/* ---- COMMIT: the blocks that are awake; the others would not change (every block's idle) ---- */

static bool pipe_busy(const struct slices *s) {
  for (unsigned l = 0; l < LANES; l++)
    if (s->in[l].full || s->mid[l].full || s->out[l].full) return true;
  return s->ndone != 0;
}

static void seen(struct sm *S, const char *block, unsigned instance, const void *state, const void *in, const void *out) {
  if (S->observer && !S->failed && !S->observer->cycle(S->observer->ctx, block, instance, S->now, state, in, out))
    sm_fail(S, "%s %u: the Verilog differs from the C twin", block, instance);
}

static void commit_write_back(struct sm *S, struct slices *s) {
  /* released a cycle after the write: the writes of the cycle before are in done[] already */
  for (unsigned i = 0; i < s->ndone; i++) {
    struct flight *f = &S->flight[s->done[i].flight];
    f->written |= (uint8_t)(1u << s->done[i].k);
  }
  s->ndone = 0;
  dit_eval(&s->dit, &s->dit_in, &s->dit_out);
  vt_eval(&s->vt, &s->vt_in, &s->vt_out);
  seen(S, "slice/dit", 0, &s->dit, &s->dit_in, &s->dit_out);
  seen(S, "slice/vt", 0, &s->vt, &s->vt_in, &s->vt_out);
  for (unsigned l = 0; l < LANES; l++) {
    if (s->mid[l].full && (s->vt_in.i_v_i & s->vt_out.i_rdy_o) >> l & 1) {
      s->out[l] = s->mid[l];
      s->mid[l].full = false;
    }
    if (s->in[l].full && (s->dit_in.w_v_i & s->dit_out.w_rdy_o) >> l & 1) {
      s->mid[l] = s->in[l];
      s->in[l].full = false;
    }
  }
  dit_tick(&s->dit, &s->dit_in);
  vt_tick(&s->vt, &s->vt_in);
  for (unsigned l = 0; l < LANES; l++)
    if (!s->in[l].full) s->dit_in.w_v_i &= ~(1ull << l);
  s->dit_in.ld_v_i = 0;
  s->dit_in.o_rdy_i = 7;
  s->vt_in.i_v_i = 0;
}

static void commit_units(struct sm *S, struct slices *s) {
  sit_eval(&s->sit, &s->sit_in, &s->sit_out);
  seen(S, "slice/sit", 0, &s->sit, &s->sit_in, &s->sit_out);
  sit_tick(&s->sit, &s->sit_in);
  s->sit_in.ld_v_i = s->sit_in.rq_v_i = 0;
  if (s->vc_in.i_v_i || !vc_idle(&s->vc)) {
    vc_eval(&s->vc, &s->vc_in, &s->vc_out);
    seen(S, "slice/vc", 0, &s->vc, &s->vc_in, &s->vc_out);
    vc_tick(&s->vc, &s->vc_in);
    s->vc_in.i_v_i = s->vc_in.i_n_i = 0;
  }
  s->dispatched = 0;
  for (uint64_t m = s->wve_used; m; m &= m - 1) {
    unsigned b = (unsigned)bit_low64(m);
    seen(S, "slice/wve", b, NULL, &s->wve[b].in, &s->wve[b].out);
  }
  s->wve_used = 0;
  for (uint64_t m = s->busy; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    struct scu_in *in = &s->scu_in[k];
    scu_eval(&s->scu[k], in, &s->scu_out[k]);
    seen(S, "slice/scu", k, &s->scu[k], in, &s->scu_out[k]);
    scu_tick(&s->scu[k], in);
    bool taken = in->dp_take_i;
    in->al_v_i = in->gn_i = in->rs_v_i = in->d_v_i = in->dp_take_i = 0;
    struct unit *u = s->unit[k];
    struct group *g = &S->group[0];
    if (s->gone >> k & 1) {
      s->busy &= ~(1ull << k);
      u->hold = 0;
      g->free |= 1ull << k;
      continue;
    }
    if (taken) {                       /* the first three operands are safe: the rest now */
      s->pass[k]++;
      s->todo |= 1ull << k;
      continue;
    }
    scu_eval(&s->scu[k], in, &s->scu_out[k]);
    if (!s->scu_out[k].dp_v_o || s->ready >> k & 1) continue;
    unsigned n = sources_of_pass(S->flight[u->flight].op, s->pass[k]);
    for (unsigned i = 0; i < n; i++) memcpy(s->operand[k][3 * s->pass[k] + i], s->scu_out[k].dp_d_o + 32 * i, 128);
    if (s->pass[k] + 1 < s->passes[k]) {
      in->dp_take_i = 1;
    } else {
      s->ready |= 1ull << k;
      g->full |= 1ull << k;
    }
  }
  s->gone = 0;
}

static void commit(struct sm *S) {
  struct slices *s = slices(S);
  if (s->load || pipe_busy(s)) commit_write_back(S, s);
  if (s->load || s->busy || !vc_idle(&s->vc)) commit_units(S, s);
  if (s->load && !--s->load)
    for (unsigned w = 0; w < S->nwarp; w++) gate_open(S, SLOT_STORAGE, w);
}

static uint64_t idle(struct sm *S) {
  const struct slices *s = slices(S);
  return s->load || s->busy || pipe_busy(s) || !vc_idle(&s->vc) ? 0 : NEVER;
}

/* Before WRITE looks at results: what VT has is written, lanes get free. */
static void arrive(struct sm *S) {
  struct slices *s = slices(S);
  if (pipe_busy(s)) write_back(S, s);
}

const struct storage_ops storage_slices = {.name = "slices", .init = init, .idle = idle, .done = done, .plan = plan, .locate = locate,
                                           .engine = look, .read = read, .convert = convert, .arrive = arrive, .result = result,
                                           .warp = warp, .commit = commit};

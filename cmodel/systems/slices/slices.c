/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices storage (Angerd et al., ICPP 2020; docs/blocks/slice/): a register lives in some of the eight 4-bit slices
 * of one or two physical rows, and an indirection table says where: that of packed code (ir/code.h), or the identity
 * (all eight slices of the register's own row), which changes nothing. The data path is the golden twins themselves:
 * SIT, one SCU per collector unit, one value extractor per bank, VC, and DIT and VT on the way back.
 *
 * Times: issue t, SIT t+1, response t+2, bank t+3 (two banks if the operand is split, one part a cycle), dispatch
 * t+4: two cycles more than flat. A narrow float spends one cycle more in VC between dispatch and its unit. An
 * instruction with more than three source registers passes its unit twice. Write-back: DIT, VT, register file, and
 * the scoreboard is released the cycle after: three cycles more than flat; or, with slices.wb_delay, as flat and so
 * many cycles. The tables are loaded in the first 256 cycles of a launch; no warp issues before.
 *
 * Times come from the golden models alone, which sm/twin.c runs; wires.def ties them. None depends on a value: without
 * sim.check or an observer the models move none.
 *
 * A destination register may share slices with registers that are dead in the program, but still to be read or
 * written by instructions in flight: the scoreboard waits for these, too (S->overlap; op.need).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/slice/dit.h"
#include "blocks/slice/scu.h"
#include "blocks/slice/sit.h"
#include "blocks/slice/vc.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/vtl.h"
#include "blocks/slice/wve.h"
#include "sm/ledger.h"
#include "sm/state.h"

#define NET slices
#define NET_DEF "systems/slices/wires.def"
#define NET_TABLE
#include "sm/wires.h"

enum { UNITS = 16, LANES = 3, PAYLOAD = 1063, ROWS = 256, ALL_SLICES = 0xff, CONVERTERS = 2 };

struct lane {
  uint32_t inflight;
  uint8_t k;
}; /* whose result it carries */

struct conversion {       /* what three units of VC have of a collector unit's pass */
  bool full, last;        /* last: the instruction has left with it */
  uint8_t unit, first, n; /* operands first .. first + n - 1 */
  struct warp_inst inst;  /* last, sim.check: the instruction, and what its operands must be */
  const struct op *op;
  uint32_t want[6][32];
};

struct slices {
  struct slices_net net;
  const struct packing *packing; /* NULL: the identity */
  uint32_t entry[ROWS];          /* 0: not used */

  uint64_t busy, todo; /* units with an instruction; with a (next) pass to be allocated */
  uint64_t given; /* SCUs (bit 3 k) that were given an instruction or a part: they may be complete in the next cycle */
  uint64_t half;  /* their first pass is complete and waits for converters */
  uint64_t ready; /* their last pass is complete: the instruction may be dispatched */
  uint64_t taken; /* a pass leaves at the end of this cycle */
  uint64_t gone;  /* of these, dispatched: the last pass */
  uint8_t pass[UNITS], passes[UNITS];
  uint8_t narrow[UNITS]; /* operands of the pass that VC widens: mask */
  struct collector_unit *unit[UNITS];
  uint32_t operand[UNITS][6][32]; /* merged values, by source */

  struct lane in[LANES], mid[LANES], out[LANES];         /* offered to DIT; in DIT's output register; in VT's */
  struct lane done[2 * LANES];                           /* written in this cycle: released at its end */
  uint64_t waiting;                                      /* of in[], those in use */
  unsigned ndone, lanes;                                 /* lanes: those that carry something, at whatever stage */
  struct conversion now[CONVERTERS], before[CONVERTERS]; /* VC's inputs in this cycle; in the one before: its outputs */
  unsigned converting;                                   /* of now[], those in use */
  unsigned load;                                         /* table entries still to be loaded */
  uint32_t *row; /* [rf.bytes / 128][32]: the register file, in slices; NULL: values are not modelled */
};

static struct slices *slices(const struct sm *S) { return S->choice[SLOT_STORAGE]; }

/* One message names every key that has to change. */
static bool fits(const struct config *cfg, const struct slots *slots, struct err *e) {
  (void)slots;
  bool units = cfg->collector_units > 16, arrivals = cfg->collector_arrivals > 1;
  if (!cfg->sm_subcores && !units && !arrivals) return true;
  return err_at(
      e, NULL, 0, 0,
      "slot.storage slices with %lld collector units%s, each taking %lld operands a cycle, expected at most 16 of "
      "the whole SM (the source indirection table has 48 ports) and one operand part a cycle: set%s%s%s",
      (long long)cfg->collector_units, cfg->sm_subcores ? " in sub-cores" : "", (long long)cfg->collector_arrivals,
      cfg->sm_subcores ? " sm.subcores=false" : "", units ? " collector.units=16" : "",
      arrivals ? " collector.arrivals=1" : "");
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  S->choice[SLOT_STORAGE] = xcalloc_lines(1, sizeof(struct slices));
  return true;
}

static void done(struct sm *S) {
  if (slices(S)) free(slices(S)->row);
  free(slices(S));
}

/* Fills the tables; every entry used by packed code must be legal for the blocks. */
static void fill_table(struct slices *s, const struct code *c) {
  for (unsigned r = 0; r < ROWS; r++) {
    if (!c->packing) s->entry[r] = entry_make(r, ALL_SLICES, 0, 0);
    else s->entry[r] = c->packing->entry[r];
    uint32_t e = s->entry[r];
    if (!c->packing || !e) continue;
    if (!entry_legal(e) || entry_r(e, false) >= c->packing->rows ||
        (entry_m(e, true) && entry_r(e, true) >= c->packing->rows))
      die("kernel '%s': entry 0x%08x of R%u is none for %u rows", c->name, e, r, c->packing->rows);
  }
}

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  struct slices *s = slices(S);
  const struct code *c = kernel->code;
  if (!storage_flat.plan(S, kernel, e)) return false;
  free(s->row);
  memset(s, 0, sizeof *s);
  twins_start(&s->net.t, &slices_twins, S, 0);
  if (s->net.t.values) s->row = xcalloc_lines((size_t)(S->cfg->rf_bytes / 128), 128);
  s->load = ROWS;
  s->packing = c->packing;
  fill_table(s, c);
  S->overlap = c->packing ? c->packing->overlap : NULL;
  if (c->packing) S->warp_regs = warp_registers(S->cfg, c->packing->rows);
  return true;
}

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct slices *s = slices(S);
  if (what == WARP_BEGIN) {
    if (s->net.t.values) memset(s->row + (size_t)S->warp[w].row * 32, 0, (size_t)S->warp_regs * 128);
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
  const struct op *op = S->inflight[s->unit[k]->inflight].op;
  const uint8_t *src = op->src + 3 * s->pass[k];
  const unsigned n = sources_of_pass(op, s->pass[k]), all = (1u << n) - 1;
  const struct narrow *w = s->packing ? &s->packing->insn[op - S->op] : NULL;
  /* of the identity: floats; with eight nibbles the converter has nothing to do */
  const unsigned cvt = w ? w->cvt >> 3 * s->pass[k] & all : op->cls == CLS_SP ? all : 0;
  s->todo &= ~(1ull << k);
  const unsigned at = SCU_OPERANDS * k;
  s->given |= 1ull << at;
  struct scu_bank_in *in = scu_bank_set(&s->net, 0);
  in->al_v_i |= 1ull << at;
  in->al_sv_i |= (uint64_t)all << at;
  in->al_sgn_i |= (uint64_t)(w ? w->sgn >> 3 * s->pass[k] & all : 0) << at;
  in->al_cvt_i |= (uint64_t)cvt << at;
  for (unsigned i = 0; i < n; i++) in->al_a_i[at + i] = src[i];
  in->al_meta_i[k] = s->unit[k]->inflight;
}

static void locate(struct sm *S, struct collector_unit *u) {
  struct slices *s = slices(S);
  const struct op *op = S->inflight[u->inflight].op;
  unsigned k = u->index;
  s->unit[k] = u;
  s->pass[k] = 0;
  s->passes[k] = (uint8_t)(op->nsrc > 3 ? 2 : 1);
  s->busy |= 1ull << k;
  u->hold = 1;
  allocate(S, s, k);
}

/* ---- ENGINE: look-ups; the parts found are requested from the banks in the next cycle ---- */

/* One entry a cycle to both tables; those that are not used stay as they are. */
static void load_tables(struct slices *s) {
  const unsigned a = ROWS - s->load;
  struct sit_in *sit = sit_set(&s->net, 0);
  struct dit_in *dit = dit_set(&s->net, 0);
  sit->ld_v_i = dit->ld_v_i = s->entry[a] != 0;
  sit->ld_a_i = dit->ld_a_i = a;
  sit->ld_e_i = dit->ld_e_i = s->entry[a];
}

/* Requests a part of an operand from its bank. */
static void ask_bank(struct sm *S, struct collector_unit *u, unsigned i, unsigned r) {
  struct group *g = &S->group[0];
  const unsigned b = (unsigned)rf_bank(S, r, S->warp[u->warp].rf_slot);
  u->bank[i] = (uint8_t)b;
  u->row[i] = S->warp[u->warp].row + r;
  g->want[b] |= 1ull << u->index;
  g->banks_wanted |= 1ull << b;
  S->st.slice_splits += i & 1;
}

/* The SIT's responses, to the units that asked. */
static void respond(struct sm *S, struct slices *s, const struct sit_out *o) {
  struct scu_bank_in *in = scu_bank_set(&s->net, 0);
  unsigned __int128 requesters = 0;
  memcpy(&requesters, o->rs_q_o, sizeof o->rs_q_o);
  for (uint64_t m = o->rs_v_o; m; m &= m - 1) {
    const unsigned b = (unsigned)bit_low64(m), q = (unsigned)(requesters >> 6 * b) & 63;
    in->rs_v_i |= 1ull << q;
    in->rs_e_i[q] = o->rs_e_o[b];
  }
  const struct scu_bank_out *u = scu_bank_get(&s->net, 0);
  for (unsigned part = 0; part < 2; part++)
    for (uint64_t m = u->rf_v_o[part]; m; m &= m - 1) {
      const unsigned q = (unsigned)bit_low64(m);
      ask_bank(S, s->unit[q / SCU_OPERANDS], 2 * (q % SCU_OPERANDS) + part, u->rf_r_o[part][q]);
    }
}

static void take_half(struct sm *S, struct slices *s);

static void look(struct sm *S) {
  struct slices *s = slices(S);
  if (s->load) load_tables(s);
  if (s->half) take_half(S, s);
  for (uint64_t m = s->todo; m; m &= m - 1) allocate(S, s, (unsigned)bit_low64(m));
  if (!s->busy) return;
  const struct sit_out *o = sit_get(&s->net, 0);
  if (o->gn_o) {
    S->st.slice_lookups += (unsigned)bit_count64(o->gn_o);
    S->st.slice_lookup_waits += (unsigned)bit_count64(s->net.sit.in[0].rq_v_i & ~o->gn_o);
  }
  if (o->rs_v_o) respond(S, s, o);
}

/* COLLECT: bank b has given row[i] of a unit: its extractor takes out the slices, the SCU merges them. */
static void read(struct sm *S, struct collector_unit *u, unsigned i) {
  struct slices *s = slices(S);
  const unsigned k = u->index, b = u->bank[i], operand = i >> 1;
  const unsigned q = SCU_OPERANDS * k + operand;
  struct scu_bank_in *in = scu_bank_set(&s->net, 0);
  in->d_v_i |= 1ull << q;
  s->given |= 1ull << SCU_OPERANDS * k;
  if (!s->net.t.values) return;
  const struct scu_bank *scu = scu_bank_model(&s->net, 0);
  struct wve_in *row = wve_set(&s->net, b);
  memcpy(row->d_i, s->row + (size_t)u->row[i] * 32, 128);
  row->e_i = scu->info_q[q];
  row->part_i = i & 1;
  row->sgn_i = scu->r.c.sgn_q >> q & 1;
  memcpy(in->d_d_i[k], wve_get(&s->net, b)->y_o, 128);
}

/* ---- DISPATCH ---- */

/* VC's inputs 3 d to 3 d + n - 1. */
static void convert_values(struct slices *s, unsigned k, unsigned d, unsigned n) {
  struct vc_in *vc = vc_set(&s->net, 0);
  for (unsigned i = 0; i < n; i++) {
    const unsigned v = 3 * d + i, q = SCU_OPERANDS * k + i, e = scu_bank_model(&s->net, 0)->info_q[q];
    vc->i_v_i |= 1ull << v;
    vc->i_n_i |= (uint64_t)(s->narrow[k] >> i & 1 ? entry_n(e) : SLICE_NIBBLES) << 4 * v;
    memcpy(vc->i_d_i + 32 * v, scu_bank_get(&s->net, 0)->dp_d_o[q], 128);
  }
}

/* The pass's operands go through three units of VC; those that need no conversion ride along. */
static void to_converter(struct sm *S, struct slices *s, unsigned k, bool last) {
  const unsigned d = s->converting++, n = sources_of_pass(S->inflight[s->unit[k]->inflight].op, s->pass[k]);
  S->st.slice_conversions += (unsigned)bit_count32(s->narrow[k]);
  if (s->net.t.values) convert_values(s, k, d, n);
  s->now[d].full = s->net.t.values;
  s->now[d].last = last;
  s->now[d].unit = (uint8_t)k;
  s->now[d].first = (uint8_t)(3 * s->pass[k]);
  s->now[d].n = (uint8_t)n;
}

/* The pass leaves its unit at the end of this cycle. */
static void leave(struct slices *s, unsigned k) {
  scu_bank_set(&s->net, 0)->dp_take_i |= 1ull << SCU_OPERANDS * k;
  s->taken |= 1ull << k;
}

/* First passes leave for the converter with the capacity that dispatch left. */
static void take_half(struct sm *S, struct slices *s) {
  for (uint64_t m = s->half; m && s->converting < CONVERTERS; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    to_converter(S, s, k, false);
    leave(s, k);
    s->half &= ~(1ull << k);
  }
}

static bool convert(struct sm *S, struct collector_unit *u) {
  struct slices *s = slices(S);
  const struct inflight_inst *f = &S->inflight[u->inflight];
  unsigned k = u->index, n = f->op->nsrc;
  if (u->extra && s->converting == CONVERTERS) return false; /* six converters: two instructions a cycle */
  if (u->extra) {
    struct conversion *c = &s->now[s->converting];
    to_converter(S, s, k, true);
    c->inst = f->inst;
    c->op = f->op;
    for (unsigned i = 0; S->check && i < n; i++) memcpy(c->want[i], check_shadow(S, f->inst.warp, f->op->src[i]), 128);
  } else if (S->check) {
    for (unsigned i = 0; i < n; i++) check_latch(S, u, i, s->operand[k][i]);
  }
  leave(s, k);
  s->gone |= 1ull << k;
  s->ready &= ~(1ull << k);
  return true;
}

/* VC's results of the previous cycle's inputs: the execution unit has them, sim.check compares them. */
static void converted(struct sm *S, struct slices *s) {
  if (!s->net.t.values) {
    s->converting = 0;
    return;
  }
  for (unsigned d = 0; d < CONVERTERS; d++) {
    struct conversion *c = &s->before[d];
    if (!c->full) continue;
    for (unsigned i = 0; i < c->n; i++)
      memcpy(s->operand[c->unit][c->first + i], vc_get(&s->net, 0)->o_d_o + 32 * (3 * d + i), 128);
    for (unsigned i = 0; S->check && c->last && i < c->op->nsrc; i++)
      if (!check_value(S, &c->inst, c->op, i, s->operand[c->unit][i], c->want[i])) break;
    c->full = false;
  }
  for (unsigned d = 0; d < s->converting; d++) {
    if (s->now[d].full) s->before[d] = s->now[d];
    s->now[d].full = false;
  }
  s->converting = 0;
}

/* ---- WRITE ---- */

static bool is_float(const struct slices *s, const struct sm *S, const struct op *op, unsigned k) {
  return s->packing ? s->packing->insn[op - S->op].fp >> k & 1 : op->cls == CLS_SP;
}

/* sim.check: an integer is written to slices that give it back. */
static void check_width(struct sm *S, const struct inflight_inst *f, unsigned k, unsigned n) {
  const uint32_t *val = inst_val(S->stream, &f->inst, k);
  for (uint32_t m = f->inst.lanes; n < SLICE_NIBBLES && m; m &= m - 1) {
    unsigned l = (unsigned)bit_low32(m);
    if (vtl_restores(val[l], n)) continue;
    sm_fail(S,
            "pc 0x%x line %u warp %u instruction %u: result %u (R%u) lane %u is 0x%08x, which %u nibbles do not hold",
            f->op->pc, f->op->line, f->inst.warp, f->inst.seq, k, f->op->dst[k], l, val[l], n);
    return;
  }
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

/* slices.wb_delay: the pipeline's writes are made at once, part by part as the banks allow; the register is released
 * so many cycles later. */
static enum result_answer constant_delay(struct sm *S, struct slices *s, struct inflight_inst *f, unsigned k) {
  const struct warp *W = &S->warp[f->inst.warp];
  const uint32_t e = s->entry[f->op->dst[k]];
  for (unsigned part = 0; part < 2; part++) {
    unsigned r = entry_r(e, part), m = entry_m(e, part);
    if (!m || (!part && f->note >> k & 1)) continue;
    if (!rf_claim(S, &S->group[0], rf_bank(S, r, W->rf_slot), RF_WRITE)) return RESULT_BUSY;
    f->note |= (uint8_t)(1u << k);
    S->st.rf_writes++;
    if (!s->net.t.values) continue;
    uint32_t code[32], data[32];
    vtl_truncate_warp(code, inst_val(S->stream, &f->inst, k), entry_n(e), is_float(s, S, f->op, k));
    vt_scatter_warp(data, code, e, part);
    write_row(s->row + (size_t)(W->row + r) * 32, data, m, f->inst.lanes);
  }
  if (S->cfg->slices_wb_delay)
    event_at(S, S->now + (uint64_t)S->cfg->slices_wb_delay, EV_WRITTEN, (uint32_t)(f - S->inflight) << 2 | k);
  else f->written |= (uint8_t)(1u << k);
  return RESULT_LATER;
}

/* A result requests a lane; from here on DIT, VT and the register file determine its time. */
static enum result_answer result(struct sm *S, struct inflight_inst *f, unsigned k, uint32_t *bank, uint32_t *row) {
  (void)bank, (void)row;
  struct slices *s = slices(S);
  if (S->check && !is_float(s, S, f->op, k)) check_width(S, f, k, entry_n(s->entry[f->op->dst[k]]));
  if (S->cfg->slices_wb_delay >= 0) return constant_delay(S, s, f, k);
  const unsigned l = (unsigned)bit_low64(~s->waiting);
  if (l >= LANES) return RESULT_BUSY;
  s->in[l] = (struct lane){.inflight = (uint32_t)(f - S->inflight), .k = (uint8_t)k};
  s->waiting |= 1ull << l;
  s->lanes++;
  struct dit_in *in = dit_set(&s->net, 0);
  in->w_v_i = s->waiting;
  in->w_a_i = (in->w_a_i & ~(0xffull << 8 * l)) | (uint64_t)f->op->dst[k] << 8 * l;
  if (!s->net.t.values) return RESULT_LATER;
  const unsigned at = PAYLOAD * l;
  words_copy(in->w_pl_i, at, inst_val(S->stream, &f->inst, k), 0, 1024);
  words_set(in->w_pl_i, at + 1024, 32, f->inst.lanes);
  words_set(in->w_pl_i, at + 1056, 6, f->inst.warp & 63);
  words_set(in->w_pl_i, at + 1062, 1, is_float(s, S, f->op, k));
  return RESULT_LATER;
}

/* A part of VT's lane l goes to its bank, if that takes it. */
static bool write_part(struct sm *S, struct slices *s, const struct vt_out *o, unsigned l, unsigned part) {
  const struct warp *W = &S->warp[S->inflight[s->out[l].inflight].inst.warp];
  const unsigned r = (part ? o->o_r1_o : o->o_r0_o) >> 8 * l & 0xff;
  const unsigned mask = (part ? o->o_m1_o : o->o_m0_o) >> 8 * l & 0xff;
  if (!rf_claim(S, &S->group[0], rf_bank(S, r, W->rf_slot), RF_WRITE)) {
    S->st.rf_write_conflicts++;
    return false;
  }
  S->st.rf_writes++;
  if (s->net.t.values)
    write_row(s->row + (size_t)(W->row + r) * 32, (part ? o->o_d1_o : o->o_d0_o) + 32 * l, mask, o->o_lane_o[l]);
  return true;
}

/* VT's results go to the banks, lowest lane first, part 0 before 1. */
static void write_back(struct sm *S, struct slices *s) {
  const struct vt_out *o = vt_get(&s->net, 0);
  uint64_t ready[2] = {0, 0}, left[2] = {o->o_v0_o, o->o_v1_o};
  for (uint64_t m = left[0] | left[1]; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    for (unsigned part = 0; part < 2; part++)
      if (left[part] >> l & 1) ready[part] |= (uint64_t)write_part(S, s, o, l, part) << l;
    if (((left[0] & ~ready[0]) | (left[1] & ~ready[1])) >> l & 1) continue;
    s->done[s->ndone++] = s->out[l];
  }
  if (!(ready[0] | ready[1])) return;
  struct vt_in *in = vt_set(&s->net, 0);
  in->o_rdy0_i = ready[0];
  in->o_rdy1_i = ready[1];
}

/* ---- COMMIT ---- */

/* Released a cycle after the write. */
static void release(struct sm *S, struct slices *s) {
  for (unsigned i = 0; i < s->ndone; i++) S->inflight[s->done[i].inflight].written |= (uint8_t)(1u << s->done[i].k);
  s->lanes -= s->ndone;
  s->ndone = 0;
}

/* Who moves on at this cycle's end: out of DIT into VT, and into DIT. */
static void move_results(struct sm *S, struct slices *s) {
  const struct dit_in *in = &s->net.dit.in[0];
  const uint64_t taken = s->net.vt.in[0].i_v_i & s->net.vt.out[0].i_rdy_o;
  for (uint64_t m = taken; m; m &= m - 1) s->out[bit_low64(m)] = s->mid[bit_low64(m)];
  if (!in->w_v_i) return;
  const uint64_t rdy = dit_get(&s->net, 0)->w_rdy_o;
  for (uint64_t m = in->w_v_i & rdy; m; m &= m - 1) s->mid[bit_low64(m)] = s->in[bit_low64(m)];
  s->waiting &= ~rdy;
  S->st.slice_write_waits += (unsigned)bit_count64(in->w_v_i & ~rdy);
}

/* All operands of a pass are here. */
static void complete(struct sm *S, struct slices *s, unsigned k, const struct scu_bank_out *o) {
  const unsigned at = SCU_OPERANDS * k;
  s->narrow[k] = o->dp_vc_o >> at & 7;
  if (s->net.t.values) {
    const unsigned n = sources_of_pass(S->inflight[s->unit[k]->inflight].op, s->pass[k]);
    memcpy(s->operand[k][3 * s->pass[k]], o->dp_d_o[at], n * sizeof o->dp_d_o[0]);
  }
  if (s->pass[k] + 1 == s->passes[k]) {
    s->ready |= 1ull << k;
    S->group[0].full |= 1ull << k;
    s->unit[k]->extra = s->narrow[k] != 0;
  } else if (s->narrow[k]) {
    s->half |= 1ull << k;
  } else {
    leave(s, k); /* the first three operands are kept: the rest from the next cycle on */
  }
}

/* The pass has left: the unit is free, or takes the next one. */
static void left(struct sm *S, struct slices *s, unsigned k) {
  if (s->gone >> k & 1) {
    s->busy &= ~(1ull << k);
    s->unit[k]->hold = 0;
    S->group[0].free |= 1ull << k;
  } else {
    s->pass[k]++;
    s->todo |= 1ull << k;
  }
}

/* Behind the clock edge: passes that have left, passes that are complete. */
static void units(struct sm *S, struct slices *s) {
  const uint64_t taken = s->taken, given = s->given;
  s->taken = s->given = 0;
  for (uint64_t m = taken; m; m &= m - 1) left(S, s, (unsigned)bit_low64(m));
  s->gone = 0;
  if (!given) return;
  const struct scu_bank_out *o = scu_bank_get(&s->net, 0);
  for (uint64_t m = given & o->dp_v_o; m; m &= m - 1) complete(S, s, (unsigned)bit_low64(m) / SCU_OPERANDS, o);
}

static void commit(struct sm *S) {
  struct slices *s = slices(S);
  release(S, s);
  if (!twins_awake(&s->net.t) && !S->observer) return;
  if (s->lanes) {
    slices_settle(&s->net);
    move_results(S, s);
  }
  converted(S, s);
  slices_commit(&s->net);
  units(S, s);
  if (s->load && !--s->load)
    for (unsigned w = 0; w < S->nwarp; w++) gate_open(S, SLOT_STORAGE, w);
}

static uint64_t idle(struct sm *S) {
  struct slices *s = slices(S);
  return s->load || s->lanes || s->todo || s->half ? 0 : twins_idle(&s->net.t);
}

static void skip(struct sm *S, uint64_t n) { twins_skip(&slices(S)->net.t, n); }

/* Before WRITE handles results: VT's results are written, which frees lanes. */
static void arrive(struct sm *S) {
  struct slices *s = slices(S);
  if (!s->lanes) return;
  if (s->waiting) dit_set(&s->net, 0)->w_v_i = s->waiting;
  write_back(S, s);
}

const struct storage_ops storage_slices = {.name = "slices",
                                           .fits = fits,
                                           .init = init,
                                           .idle = idle,
                                           .skip = skip,
                                           .done = done,
                                           .plan = plan,
                                           .locate = locate,
                                           .engine = look,
                                           .read = read,
                                           .convert = convert,
                                           .arrive = arrive,
                                           .result = result,
                                           .warp = warp,
                                           .commit = commit};

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
 * Timing does not depend on values. So without sim.check or an observer, payloads are not modelled, and `struct
 * quick` makes the blocks' decisions: grants of table banks, completion of passes, progress of write-back lanes. Both
 * ways give the same statistics: tests compare them on every kernel, regtwin-cosim in each of its runs.
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

enum {
  UNITS = 16,
  BANKS = 64,
  TABLE_BANKS = 16,
  LANES = 3,
  PAYLOAD = 1063,
  ROWS = 256,
  ALL_SLICES = 0xff,
  CONVERTERS = 2
};

struct lane {
  uint32_t inflight;
  uint8_t k;
  bool full;
}; /* whose result it carries */

struct conversion {       /* what three units of VC have of a collector unit's pass */
  bool full, last;        /* last: the instruction has left with it */
  uint8_t unit, first, n; /* operands first .. first + n - 1 */
  struct warp_inst inst;  /* last, sim.check: the instruction, and what its operands must be */
  const struct op *op;
  uint32_t want[6][32];
};

struct quick {                /* in place of SIT, SCUs, DIT and VT */
  uint64_t asks[TABLE_BANKS]; /* look-ups that wait, by 3 x unit + operand */
  uint32_t banks;             /* those where some do */
  uint8_t sit_ptr[TABLE_BANKS], dit_ptr[TABLE_BANKS];
  uint8_t answer[TABLE_BANKS]; /* granted in the cycle before */
  unsigned answers;
  uint8_t parts[UNITS];     /* of a unit's pass, still to be read */
  uint64_t complete, taken; /* units whose pass is complete since this cycle; whose first pass leaves with it */
  uint8_t unwritten[LANES]; /* parts of the result in out[]: mask */
};

struct slices {
  struct quick quick;
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
  struct {
    struct wve_in in;
    struct wve_out out;
  } wve[BANKS];
  uint64_t wve_used; /* banks that extracted in this cycle */

  const struct packing *packing; /* NULL: the identity */
  uint32_t entry[ROWS];          /* 0: not used */
  bool values;                   /* payloads are modelled */

  uint64_t busy, todo; /* units with an instruction; with a (next) pass to be allocated */
  uint64_t asking;     /* units with look-ups that have not been granted */
  uint64_t awake;      /* units whose SCU has an input in this cycle */
  uint64_t half;       /* their first pass is complete and waits for converters */
  uint64_t ready;      /* their last pass is complete: the instruction may be dispatched */
  uint64_t gone;       /* dispatched in this cycle */
  uint8_t pass[UNITS], passes[UNITS];
  uint8_t narrow[UNITS]; /* operands of the pass that VC widens: mask */
  struct collector_unit *unit[UNITS];
  uint32_t operand[UNITS][6][32]; /* merged values, by source */

  struct lane in[LANES], mid[LANES], out[LANES];         /* offered to DIT; in DIT's output register; in VT's */
  struct lane done[2 * LANES];                           /* written in this cycle: released at its end */
  unsigned ndone, lanes;                                 /* lanes: those that carry something, at whatever stage */
  struct conversion now[CONVERTERS], before[CONVERTERS]; /* VC's inputs in this cycle; in the one before: its outputs */
  unsigned converting;                                   /* of now[], those in use */
  unsigned load;                                         /* table entries still to be loaded */
  uint32_t rows;
  uint32_t *row; /* [rows][32]: the register file, in slices */
};

static struct slices *slices(const struct sm *S) { return S->choice[SLOT_STORAGE]; }

/* An evaluation whose outputs the SM uses in this cycle. */
#define EVAL(S, block, instance, state, in, out)                                      \
  do {                                                                                \
    block##_eval(state, in, out);                                                     \
    if ((S)->observer && (S)->observer->outputs)                                      \
      (S)->observer->outputs((S)->observer->ctx, "slice/" #block, instance, in, out); \
  } while (0)

/* Sets all inputs. */
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

static void observe_reset(const struct sm *S, const char *block, unsigned instance) {
  if (S->observer) S->observer->reset(S->observer->ctx, block, instance);
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

static void reset_blocks(struct sm *S, struct slices *s) {
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
}

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  struct slices *s = slices(S);
  const struct code *c = kernel->code;
  if (!storage_flat.plan(S, kernel, e)) return false;
  free(s->row);
  memset(s, 0, sizeof *s);
  s->values = S->check || S->observer;
  if (s->values) s->row = xcalloc_lines((size_t)(S->cfg->rf_bytes / 128), 128);
  s->load = ROWS;
  s->packing = c->packing;
  fill_table(s, c);
  S->overlap = c->packing ? c->packing->overlap : NULL;
  if (c->packing) S->warp_regs = warp_registers(S->cfg, c->packing->rows);
  reset_blocks(S, s);
  return true;
}

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct slices *s = slices(S);
  if (what == WARP_BEGIN) {
    if (s->values) memset(s->row + (size_t)S->warp[w].row * 32, 0, (size_t)S->warp_regs * 128);
    if (s->load) gate_close(S, SLOT_STORAGE, w);
  }
  return MOVE_DONE;
}

/* ---- ISSUE ---- */

static unsigned sources_of_pass(const struct op *op, unsigned pass) {
  unsigned left = op->nsrc - 3 * pass;
  return left < 3 ? left : 3;
}

static void quick_allocate(struct quick *q, const uint32_t *entry, const uint8_t *src, unsigned n, unsigned k) {
  q->parts[k] = 0;
  for (unsigned i = 0; i < n; i++) {
    const unsigned b = src[i] % TABLE_BANKS;
    q->parts[k] = (uint8_t)(q->parts[k] + 1 + (entry_m(entry[src[i]], true) != 0));
    q->asks[b] |= 1ull << (3 * k + i);
    q->banks |= 1u << b;
  }
  if (!n) q->complete |= 1ull << k;
}

static void allocate(struct sm *S, struct slices *s, unsigned k) {
  const struct op *op = S->inflight[s->unit[k]->inflight].op;
  const uint8_t *src = op->src + 3 * s->pass[k];
  const unsigned n = sources_of_pass(op, s->pass[k]), all = (1u << n) - 1;
  const struct narrow *w = s->packing ? &s->packing->insn[op - S->op] : NULL;
  /* of the identity: floats; with eight nibbles the converter has nothing to do */
  const unsigned cvt = w ? w->cvt >> 3 * s->pass[k] & all : op->cls == CLS_SP ? all : 0;
  s->narrow[k] = 0;
  for (unsigned i = 0; i < n; i++)
    s->narrow[k] |= (uint8_t)((cvt >> i & 1 && entry_n(s->entry[src[i]]) < SLICE_NIBBLES) << i);
  s->todo &= ~(1ull << k);
  if (!s->values) {
    quick_allocate(&s->quick, s->entry, src, n, k);
    return;
  }
  struct scu_in *in = &s->scu_in[k];
  in->al_v_i = 1;
  in->al_sv_i = all;
  in->al_a_i = 0;
  for (unsigned i = 0; i < n; i++) in->al_a_i |= (uint64_t)src[i] << 8 * i;
  in->al_sgn_i = w ? w->sgn >> 3 * s->pass[k] & all : 0;
  in->al_cvt_i = cvt;
  in->al_meta_i = s->unit[k]->inflight;
  s->awake |= 1ull << k;
  if (n) s->asking |= 1ull << k;
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
  unsigned a = ROWS - s->load;
  s->sit_in.ld_v_i = s->dit_in.ld_v_i = s->entry[a] != 0;
  s->sit_in.ld_a_i = s->dit_in.ld_a_i = a;
  s->sit_in.ld_e_i = s->dit_in.ld_e_i = s->entry[a];
}

/* Requests a part of an operand from its bank. */
static void ask_bank(struct sm *S, struct collector_unit *u, unsigned i, unsigned r) {
  u->bank[i] = (uint8_t)rf_bank(S, r, S->warp[u->warp].rf_slot);
  u->row[i] = S->warp[u->warp].row + r;
  S->st.slice_splits += i & 1;
}

/* The SIT's answers. */
static void answer(struct sm *S, struct slices *s) {
  uint64_t answered = 0;
  for (uint64_t m = s->sit_out.rs_v_o; m; m &= m - 1) {
    unsigned b = (unsigned)bit_low64(m), q = (unsigned)words_get(s->sit_out.rs_q_o, 6 * b, 6), k = q / 3;
    s->scu_in[k].rs_v_i |= 1ull << q % 3;
    s->scu_in[k].rs_e_i[q % 3] = s->sit_out.rs_e_o[b];
    answered |= 1ull << k;
  }
  s->awake |= answered;
  for (uint64_t m = answered; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    EVAL(S, scu, k, &s->scu[k], &s->scu_in[k], &s->scu_out[k]);
    for (uint64_t v = s->scu_out[k].rf_v_o; v; v &= v - 1) {
      unsigned i = (unsigned)bit_low64(v);
      ask_bank(S, s->unit[k], i, s->scu_out[k].rf_r_o >> 8 * i & 0xff);
    }
    collector_want(&S->group[0], s->unit[k]);
  }
}

static void quick_look(struct sm *S, struct slices *s) {
  struct quick *q = &s->quick;
  for (unsigned i = 0; i < q->answers; i++) {
    const unsigned k = q->answer[i] / 3, operand = q->answer[i] % 3;
    struct collector_unit *u = s->unit[k];
    const uint32_t e = s->entry[S->inflight[u->inflight].op->src[3 * s->pass[k] + operand]];
    ask_bank(S, u, 2 * operand, entry_r(e, false));
    if (entry_m(e, true)) ask_bank(S, u, 2 * operand + 1, entry_r(e, true));
    collector_want(&S->group[0], u);
  }
  q->answers = 0;
  for (uint32_t m = q->banks; m; m &= m - 1) {
    const unsigned b = (unsigned)bit_low32(m), win = (unsigned)bit_from64(q->asks[b], q->sit_ptr[b]);
    q->asks[b] &= ~(1ull << win);
    if (!q->asks[b]) q->banks &= ~(1u << b);
    q->sit_ptr[b] = (uint8_t)(win + 1 == SIT_REQUESTERS ? 0 : win + 1);
    q->answer[q->answers++] = (uint8_t)win;
    S->st.slice_lookups++;
    S->st.slice_lookup_waits += (unsigned)bit_count64(q->asks[b]);
  }
}

static void take_half(struct sm *S, struct slices *s);

static void look(struct sm *S) {
  struct slices *s = slices(S);
  if (s->load && s->values) load_tables(s);
  if (!s->busy) return;
  if (s->half) take_half(S, s);
  if (!s->values) quick_look(S, s); /* units allocated now request from the next cycle on */
  for (uint64_t m = s->todo; m; m &= m - 1) allocate(S, s, (unsigned)bit_low64(m));
  if (!s->values || (!s->asking && !s->sit.rs_v_q)) return;
  uint64_t wants = 0;
  for (uint64_t m = s->asking; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    EVAL(S, scu, k, &s->scu[k], &s->scu_in[k], &s->scu_out[k]);
    wants |= s->scu_out[k].rq_v_o << 3 * k;
    if (s->scu_out[k].rq_v_o) words_set(s->sit_in.rq_a_i, 24 * k, 24, s->scu_out[k].rq_a_o);
  }
  s->sit_in.rq_v_i = wants;
  EVAL(S, sit, 0, &s->sit, &s->sit_in, &s->sit_out);
  S->st.slice_lookups += (unsigned)bit_count64(s->sit_out.gn_o);
  S->st.slice_lookup_waits += (unsigned)bit_count64(wants & ~s->sit_out.gn_o);
  for (uint64_t m = s->asking; m; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    s->scu_in[k].gn_i = s->sit_out.gn_o >> 3 * k & 7;
    if (s->scu_in[k].gn_i) s->awake |= 1ull << k;
    /* a unit that has just been allocated requests from the next cycle on */
    if (s->scu_in[k].gn_i == s->scu_out[k].rq_v_o && !s->scu_in[k].al_v_i) s->asking &= ~(1ull << k);
  }
  answer(S, s);
}

/* COLLECT: bank b has given row[i] of a unit: its extractor takes out the slices, the SCU merges them. */
static void read(struct sm *S, struct collector_unit *u, unsigned i) {
  struct slices *s = slices(S);
  unsigned k = u->index, b = u->bank[i], operand = i >> 1;
  if (!s->values) {
    if (!--s->quick.parts[k]) s->quick.complete |= 1ull << k;
    return;
  }
  struct wve_in *in = &s->wve[b].in;
  const struct scu *scu = &s->scu[k];
  s->scu_in[k].d_v_i = 1;
  s->scu_in[k].d_op_i = operand;
  s->awake |= 1ull << k;
  memcpy(in->d_i, s->row + (size_t)u->row[i] * 32, 128);
  in->e_i = (uint32_t)scu->r.info_q[operand];
  in->part_i = i & 1;
  in->sgn_i = scu->r.sgn_q >> operand & 1;
  EVAL(S, wve, b, NULL, in, &s->wve[b].out);
  s->wve_used |= 1ull << b;
  memcpy(s->scu_in[k].d_d_i, s->wve[b].out.y_o, 128);
}

/* ---- DISPATCH ---- */

/* The pass's operands go through three units of VC; those that need no conversion ride along. */
static void to_converter(struct sm *S, struct slices *s, unsigned k, bool last) {
  const unsigned d = s->converting++, n = sources_of_pass(S->inflight[s->unit[k]->inflight].op, s->pass[k]);
  S->st.slice_conversions += (unsigned)bit_count32(s->narrow[k]);
  for (unsigned i = 0; s->values && i < n; i++) {
    unsigned v = 3 * d + i;
    s->vc_in.i_v_i |= 1ull << v;
    s->vc_in.i_n_i |= (uint64_t)(s->narrow[k] >> i & 1 ? entry_n((uint32_t)s->scu[k].r.info_q[i]) : SLICE_NIBBLES)
                      << 4 * v;
    memcpy(s->vc_in.i_d_i + 32 * v, s->scu_out[k].dp_d_o + 32 * i, 128);
  }
  s->now[d].full = s->values;
  s->now[d].last = last;
  s->now[d].unit = (uint8_t)k;
  s->now[d].first = (uint8_t)(3 * s->pass[k]);
  s->now[d].n = (uint8_t)n;
}

/* The pass leaves its unit at the end of this cycle. */
static void leave(struct slices *s, unsigned k) {
  if (!s->values) {
    s->quick.taken |= 1ull << k;
    return;
  }
  s->scu_in[k].dp_take_i = 1;
  s->awake |= 1ull << k;
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
  for (unsigned d = 0; d < CONVERTERS; d++) {
    struct conversion *c = &s->before[d];
    if (!c->full) continue;
    for (unsigned i = 0; i < c->n; i++)
      memcpy(s->operand[c->unit][c->first + i], s->vc_out.o_d_o + 32 * (3 * d + i), 128);
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
    if (!s->values) continue;
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
  unsigned l = 0;
  while (l < LANES && s->in[l].full) l++;
  if (l == LANES) return RESULT_BUSY;
  s->in[l] = (struct lane){.inflight = (uint32_t)(f - S->inflight), .k = (uint8_t)k, .full = true};
  s->lanes++;
  if (!s->values) return RESULT_LATER;
  s->dit_in.w_v_i |= 1ull << l;
  s->dit_in.w_a_i = (s->dit_in.w_a_i & ~(0xffull << 8 * l)) | (uint64_t)f->op->dst[k] << 8 * l;
  unsigned at = PAYLOAD * l;
  words_copy(s->dit_in.w_pl_i, at, inst_val(S->stream, &f->inst, k), 0, 1024);
  words_set(s->dit_in.w_pl_i, at + 1024, 32, f->inst.lanes);
  words_set(s->dit_in.w_pl_i, at + 1056, 6, f->inst.warp & 63);
  words_set(s->dit_in.w_pl_i, at + 1062, 1, is_float(s, S, f->op, k));
  return RESULT_LATER;
}

/* VT's results go to the banks, lowest lane first, part 0 before 1. */
static void quick_write_back(struct sm *S, struct slices *s) {
  for (unsigned l = 0; l < LANES; l++) {
    if (!s->out[l].full) continue;
    const struct inflight_inst *f = &S->inflight[s->out[l].inflight];
    const uint32_t e = s->entry[f->op->dst[s->out[l].k]];
    for (unsigned part = 0; part < 2; part++) {
      if (!(s->quick.unwritten[l] >> part & 1)) continue;
      if (!rf_claim(S, &S->group[0], rf_bank(S, entry_r(e, part), S->warp[f->inst.warp].rf_slot), RF_WRITE)) {
        S->st.rf_write_conflicts++;
        continue;
      }
      S->st.rf_writes++;
      s->quick.unwritten[l] &= (uint8_t) ~(1u << part);
    }
    if (s->quick.unwritten[l]) continue;
    s->done[s->ndone++] = s->out[l];
    s->out[l].full = false;
  }
}

/* The same with the blocks. */
static void write_back(struct sm *S, struct slices *s) {
  struct vt_out *o = &s->vt_out;
  s->vt_in.o_rdy0_i = s->vt_in.o_rdy1_i = 0;
  EVAL(S, vt, 0, &s->vt, &s->vt_in, o);
  for (unsigned l = 0; l < LANES; l++)
    for (unsigned part = 0; part < 2; part++) {
      if (!((part ? o->o_v1_o : o->o_v0_o) >> l & 1)) continue;
      unsigned w = S->inflight[s->out[l].inflight].inst.warp;
      unsigned r = (part ? o->o_r1_o : o->o_r0_o) >> 8 * l & 0xff;
      unsigned mask = (part ? o->o_m1_o : o->o_m0_o) >> 8 * l & 0xff;
      if (!rf_claim(S, &S->group[0], rf_bank(S, r, S->warp[w].rf_slot), RF_WRITE)) {
        S->st.rf_write_conflicts++;
        continue;
      }
      write_row(s->row + (size_t)(S->warp[w].row + r) * 32, (part ? o->o_d1_o : o->o_d0_o) + 32 * l, mask,
                o->o_lane_o[l]);
      S->st.rf_writes++;
      if (part) s->vt_in.o_rdy1_i |= 1ull << l;
      else s->vt_in.o_rdy0_i |= 1ull << l;
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

/* ---- COMMIT ---- */

static void seen(struct sm *S, const char *block, unsigned instance, const void *state, const void *in,
                 const void *out) {
  if (S->observer && !S->failed && !S->observer->cycle(S->observer->ctx, block, instance, S->now, state, in, out))
    sm_fail(S, "%s %u: the Verilog differs from the C twin", block, instance);
}

/* Released a cycle after the write. */
static void release(struct sm *S, struct slices *s) {
  for (unsigned i = 0; i < s->ndone; i++) S->inflight[s->done[i].inflight].written |= (uint8_t)(1u << s->done[i].k);
  s->lanes -= s->ndone;
  s->ndone = 0;
}

/* Results that reach the table, one for each of its banks: the first lane from the bank's pointer on. */
static unsigned quick_granted(const struct sm *S, struct slices *s, unsigned asking) {
  uint8_t bank[LANES], from[LANES];
  unsigned won = asking;
  for (unsigned l = 0; l < LANES; l++) {
    if (!(asking >> l & 1)) continue;
    bank[l] = S->inflight[s->in[l].inflight].op->dst[s->in[l].k] % TABLE_BANKS;
    from[l] = (uint8_t)((l + LANES - s->quick.dit_ptr[bank[l]]) % LANES);
    for (unsigned k = 0; k < l; k++)
      if (asking >> k & 1 && bank[k] == bank[l]) won &= ~(1u << (from[k] < from[l] ? l : k));
  }
  for (unsigned l = 0; l < LANES; l++)
    if (won >> l & 1) s->quick.dit_ptr[bank[l]] = (uint8_t)((l + 1) % LANES);
  return won;
}

static void quick_commit_write_back(struct sm *S, struct slices *s) {
  unsigned asking = 0, waiting = 0;
  for (unsigned l = 0; l < LANES; l++) {
    waiting |= (unsigned)s->in[l].full << l;
    if (s->in[l].full && (!s->mid[l].full || !s->out[l].full)) asking |= 1u << l;
    if (!s->mid[l].full || s->out[l].full) continue;
    s->out[l] = s->mid[l];
    s->mid[l].full = false;
    s->quick.unwritten[l] = entry_m(s->entry[S->inflight[s->out[l].inflight].op->dst[s->out[l].k]], true) ? 3 : 1;
  }
  const unsigned won = quick_granted(S, s, asking);
  for (unsigned l = 0; l < LANES; l++)
    if (won >> l & 1) {
      s->mid[l] = s->in[l];
      s->in[l].full = false;
    }
  S->st.slice_write_waits += (unsigned)bit_count32(waiting & ~won);
}

static void commit_write_back(struct sm *S, struct slices *s) {
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
  S->st.slice_write_waits += (unsigned)bit_count64(s->dit_in.w_v_i & ~s->dit_out.w_rdy_o);
  dit_tick(&s->dit, &s->dit_in);
  vt_tick(&s->vt, &s->vt_in);
  for (unsigned l = 0; l < LANES; l++)
    if (!s->in[l].full) s->dit_in.w_v_i &= ~(1ull << l);
  s->dit_in.ld_v_i = 0;
  s->dit_in.o_rdy_i = 7;
  s->vt_in.i_v_i = 0;
}

static void commit_converter(struct sm *S, struct slices *s) {
  if (s->vc_in.i_v_i || !vc_idle(&s->vc)) {
    vc_eval(&s->vc, &s->vc_in, &s->vc_out);
    seen(S, "slice/vc", 0, &s->vc, &s->vc_in, &s->vc_out);
    vc_tick(&s->vc, &s->vc_in);
    s->vc_in.i_v_i = s->vc_in.i_n_i = 0;
  }
  converted(S, s);
}

/* All operands of a pass are here. */
static void complete(struct sm *S, struct slices *s, unsigned k) {
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

static void quick_commit_units(struct sm *S, struct slices *s) {
  const uint64_t taken = s->quick.taken, here = s->quick.complete;
  s->converting = 0;
  s->quick.taken = s->quick.complete = 0;
  for (uint64_t m = taken; m; m &= m - 1) left(S, s, (unsigned)bit_low64(m));
  s->gone = 0;
  for (uint64_t m = here; m; m &= m - 1) complete(S, s, (unsigned)bit_low64(m));
}

static void commit_unit(struct sm *S, struct slices *s, unsigned k) {
  struct scu_in *in = &s->scu_in[k];
  const struct op *op = S->inflight[s->unit[k]->inflight].op;
  scu_eval(&s->scu[k], in, &s->scu_out[k]);
  seen(S, "slice/scu", k, &s->scu[k], in, &s->scu_out[k]);
  scu_tick(&s->scu[k], in);
  bool taken = in->dp_take_i, arrived = in->d_v_i || in->al_v_i;
  in->al_v_i = in->gn_i = in->rs_v_i = in->d_v_i = in->dp_take_i = 0;
  if (taken) left(S, s, k);
  if (taken || !arrived) return;
  scu_eval(&s->scu[k], in, &s->scu_out[k]);
  if (!s->scu_out[k].dp_v_o) return;
  assert(s->scu_out[k].dp_vc_o == (s->narrow[k] != 0));
  for (unsigned i = 0, n = sources_of_pass(op, s->pass[k]); i < n; i++)
    memcpy(s->operand[k][3 * s->pass[k] + i], s->scu_out[k].dp_d_o + 32 * i, 128);
  complete(S, s, k);
}

static void commit_units(struct sm *S, struct slices *s) {
  sit_eval(&s->sit, &s->sit_in, &s->sit_out);
  seen(S, "slice/sit", 0, &s->sit, &s->sit_in, &s->sit_out);
  sit_tick(&s->sit, &s->sit_in);
  s->sit_in.ld_v_i = s->sit_in.rq_v_i = 0;
  commit_converter(S, s);
  for (uint64_t m = s->wve_used; m; m &= m - 1) {
    unsigned b = (unsigned)bit_low64(m);
    seen(S, "slice/wve", b, NULL, &s->wve[b].in, &s->wve[b].out);
  }
  s->wve_used = 0;
  uint64_t awake = S->observer ? s->busy : s->awake; /* without an input an SCU only waits */
  s->awake = 0;
  for (uint64_t m = awake; m; m &= m - 1) commit_unit(S, s, (unsigned)bit_low64(m));
  s->gone = 0;
}

/* Units that only wait for their execution unit do nothing. */
static bool units_busy(const struct slices *s) {
  return (s->busy & ~s->ready) | s->gone || s->converting || (s->values && !vc_idle(&s->vc));
}

/* The blocks that are awake; the others would not change (every block's idle). */
static void commit(struct sm *S) {
  struct slices *s = slices(S);
  const bool units = units_busy(s), results = s->lanes != 0;
  release(S, s);
  if (!s->values) {
    if (results) quick_commit_write_back(S, s);
    if (units) quick_commit_units(S, s);
  } else {
    if (s->load || results) commit_write_back(S, s);
    if (s->load || units || (S->observer && s->busy)) commit_units(S, s);
  }
  if (s->load && !--s->load)
    for (unsigned w = 0; w < S->nwarp; w++) gate_open(S, SLOT_STORAGE, w);
}

static uint64_t idle(struct sm *S) {
  const struct slices *s = slices(S);
  return s->load || s->lanes || units_busy(s) ? 0 : NEVER;
}

/* Before WRITE handles results: VT's results are written, which frees lanes. */
static void arrive(struct sm *S) {
  struct slices *s = slices(S);
  if (!s->lanes) return;
  if (s->values) write_back(S, s);
  else quick_write_back(S, s);
}

const struct storage_ops storage_slices = {.name = "slices",
                                           .fits = fits,
                                           .init = init,
                                           .idle = idle,
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

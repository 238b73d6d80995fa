/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices storage (Angerd et al., ICPP 2020; docs/blocks/slice/): a register lives in some of the eight 4-bit slices
 * of one or two physical rows, and an indirection table says where: that of packed code (compiler/ir/code.h), or the identity
 * (all eight slices of the register's own row), which changes nothing. The data path is the golden twins themselves:
 * SIT, one SCU per collector unit, one value extractor per bank, VC, and DIT and VT on the way back.
 *
 * Times: issue t, SIT t+1, response t+2, bank t+3 (two banks if the operand is split, one part a cycle), dispatch
 * t+4: two cycles more than flat. A narrow float spends one cycle more in VC between dispatch and its unit. An
 * instruction with more than three source registers passes its unit twice. Write-back: DIT, VT, register file, and
 * the scoreboard is released the cycle after: three cycles more than flat; or, with slices.wb_delay, as flat and so
 * many cycles. The tables are loaded in the first 256 cycles of a launch; no warp issues before.
 *
 * Times come from the golden models alone, which sm/twin.c runs; system.def ties them. None depends on a value: without
 * sim.check or an observer the models move none.
 *
 * A destination register may share slices with registers that are dead in the program, but still to be read or
 * written by instructions in flight: the scoreboard waits for these, too (plan_overlap; op.need).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NET_TABLE
#define NET_LAWS slices_laws
#include "systems/slices/slices.h"

/* One message names every key that has to change. */
static bool fits(const struct config *cfg, const struct slots *slots, struct err *e) {
  if (!slot_needs(e, "slot.storage slices", "collector", slots->collector->name, "ocu",
                  "its path begins with a unit of ocu for each instruction, and ends with two rows for an operand"))
    return false;
  const bool units = cfg->collector_units > 16, arrivals = cfg->collector_arrivals > 1;
  if (!cfg->sm_subcores && !units && !arrivals) return true;
  return err_at(
      e, NULL, 0, 0,
      "slot.storage slices with sm.subcores %s, collector.units %lld and collector.arrivals %lld, expected%s%s%s: the "
      "source indirection table has 48 ports for the whole SM, and a unit takes one operand part a cycle",
      cfg->sm_subcores ? "true" : "false", (long long)cfg->collector_units, (long long)cfg->collector_arrivals,
      cfg->sm_subcores ? " sm.subcores=false" : "", units ? " collector.units=16" : "",
      arrivals ? " collector.arrivals=1" : "");
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_STORAGE, xcalloc_lines(1, sizeof(struct slices)));
  return true;
}

static void done(struct sm *S) {
  if (slices_of(S)) free(slices_of(S)->row);
  free(slices_of(S));
}

/* Fills the tables; every entry used by packed code must be legal for the blocks. */
static void slices_fill_table(struct slices *s, const struct code *c) {
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
  struct slices *s = slices_of(S);
  const struct code *c = kernel->code;
  if (!storage_flat.plan(S, kernel, e)) return false;
  free(s->row);
  memset(s, 0, sizeof *s);
  twins_start(&s->net.t, &slices_twins, S, 0);
  if (s->net.t.values) s->row = xcalloc_lines((size_t)(sm_view(S)->cfg->rf_bytes / 128), 128);
  s->load = ROWS;
  s->packing = c->packing;
  slices_fill_table(s, c);
  plan_overlap(S, c->packing ? c->packing->overlap : NULL);
  if (c->packing) plan_registers(S, warp_registers(sm_view(S)->cfg, c->packing->rows));
  return true;
}

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct slices *s = slices_of(S);
  if (what == WARP_BEGIN) {
    if (s->net.t.values) memset(s->row + (size_t)warp_view(S, w)->row * 32, 0, (size_t)sm_view(S)->warp_regs * 128);
    if (s->load) gate_close(S, SLOT_STORAGE, w);
  }
  return MOVE_DONE;
}

/* ---- ISSUE ---- */

static void slices_allocate(struct sm *S, struct slices *s, unsigned k) {
  const struct op *op = s->unit[k]->op;
  const uint8_t *src = op->src + 3 * s->pass[k];
  const unsigned n = sources_of_pass(op, s->pass[k]), all = (1u << n) - 1;
  const struct narrow *w = s->packing ? &s->packing->insn[op - sm_view(S)->op] : NULL;
  /* of the identity: floats; with eight nibbles the converter has nothing to do */
  const unsigned cvt = w ? w->cvt >> 3 * s->pass[k] & all : op->cls == CLS_SP ? all : 0;
  s->todo &= ~(1ull << k);
  const unsigned at = SCU_OPERANDS * k;
  s->given |= 1ull << at;
  struct scu_bank_in *in = scu_bank_set(&s->net, 0);
  in->allocate_valid_i |= 1ull << at;
  in->allocate_source_i |= (uint64_t)all << at;
  const uint64_t sgn = w ? w->sgn >> 3 * s->pass[k] & all : 0;
  in->allocate_signed_i |= sgn << at;
  s->sgn = (s->sgn & ~((uint64_t)SCU_ALL << at)) | sgn << at;
  in->allocate_convert_i |= (uint64_t)cvt << at;
  for (unsigned i = 0; i < n; i++) in->allocate_addr_i[at + i] = src[i];
  in->allocate_meta_i[k] = s->unit[k]->inflight;
}

static void locate(struct sm *S, const struct collector_unit *u) {
  struct slices *s = slices_of(S);
  const struct op *op = u->op;
  unsigned k = u->index;
  s->unit[k] = u;
  s->pass[k] = 0;
  s->passes[k] = (uint8_t)(op->nsrc > 3 ? 2 : 1);
  s->busy |= 1ull << k;
  unit_hold(S, u);
  slices_allocate(S, s, k);
}

/* ---- ENGINE: look-ups; the parts found are requested from the banks in the next cycle ---- */

/* One entry a cycle to both tables; those that are not used stay as they are. */
static void slices_load_tables(struct slices *s) {
  const unsigned a = ROWS - s->load;
  struct sit_in *sit = sit_set(&s->net, 0);
  struct dit_in *dit = dit_set(&s->net, 0);
  sit->load_valid_i = dit->load_valid_i = s->entry[a] != 0;
  sit->load_addr_i = dit->load_addr_i = a;
  sit->load_entry_i = dit->load_entry_i = s->entry[a];
}

/* Requests a part of an operand from its bank. */
static void ask_bank(struct sm *S, const struct collector_unit *u, unsigned i, unsigned r) {
  const struct warp_view *W = warp_view(S, u->warp);
  const unsigned b = rf_bank(S, r, W->rf_slot);
  unit_set_place(S, u, i, b, W->row + r);
  unit_want(S, u, b);
  sm_counters(S)->slice_splits += i & 1;
}

/* The SIT's responses, to the units that asked. */
static void slices_respond(struct sm *S, struct slices *s, const struct sit_out *o) {
  struct scu_bank_in *in = scu_bank_set(&s->net, 0);
  for (uint64_t m = o->response_valid_o; m; m &= m - 1) {
    const unsigned b = (unsigned)bit_low64(m), q = o->response_requester_o[b];
    in->response_valid_i |= 1ull << q;
    in->response_entry_i[q] = o->response_entry_o[b];
  }
  const struct scu_bank_out *u = scu_bank_get(&s->net, 0);
  for (unsigned part = 0; part < 2; part++)
    for (uint64_t m = u->fetch_valid_o[part]; m; m &= m - 1) {
      const unsigned q = (unsigned)bit_low64(m);
      ask_bank(S, s->unit[q / SCU_OPERANDS], 2 * (q % SCU_OPERANDS) + part, u->fetch_register_o[part][q]);
    }
}

static void take_half(struct sm *S, struct slices *s);

static void look(struct sm *S) {
  struct slices *s = slices_of(S);
  if (s->load) slices_load_tables(s);
  if (s->half) take_half(S, s);
  for (uint64_t m = s->todo; m; m &= m - 1) slices_allocate(S, s, (unsigned)bit_low64(m));
  if (!s->busy) return;
  const struct sit_out *o = sit_get(&s->net, 0);
  if (o->grant_o) {
    sm_counters(S)->slice_lookups += (unsigned)bit_count64(o->grant_o);
    sm_counters(S)->slice_lookup_waits += (unsigned)bit_count64(s->net.sit.in[0].request_valid_i & ~o->grant_o);
  }
  if (o->response_valid_o) slices_respond(S, s, o);
}

/* COLLECT: a bank has given row[i] of a unit: its extractor takes out the slices, the SCU merges them. */
static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  struct slices *s = slices_of(S);
  const unsigned at = SCU_OPERANDS * u->index;
  scu_bank_set(&s->net, 0)->part_valid_i |= 1ull << (at + (i >> 1));
  s->given |= 1ull << at;
  if (s->net.t.values) values_read(s, u, i);
}

/* ---- DISPATCH ---- */

/* The pass's operands go through three units of VC; those that need no conversion ride along. */
static void to_converter(struct sm *S, struct slices *s, unsigned k, bool last) {
  const unsigned d = s->converting++;
  sm_counters(S)->slice_conversions += (unsigned)bit_count32(s->narrow[k]);
  s->now[d].full = s->net.t.values;
  s->now[d].last = last;
  s->now[d].unit = (uint8_t)k;
  s->now[d].first = (uint8_t)(3 * s->pass[k]);
  s->now[d].n = (uint8_t)sources_of_pass(s->unit[k]->op, s->pass[k]);
  sm_counters(S)->slice_converter += s->now[d].n;
  if (s->net.t.values) values_convert(s, d);
}

/* The pass leaves its unit at the end of this cycle. */
static void slices_pass_leave(struct slices *s, unsigned k) {
  scu_bank_set(&s->net, 0)->dispatch_take_i |= 1ull << SCU_OPERANDS * k;
  s->taken |= 1ull << k;
}

/* First passes leave for the converter with the capacity that dispatch left. */
static void take_half(struct sm *S, struct slices *s) {
  for (uint64_t m = s->half; m && s->converting < CONVERTERS; m &= m - 1) {
    unsigned k = (unsigned)bit_low64(m);
    to_converter(S, s, k, false);
    slices_pass_leave(s, k);
    s->half &= ~(1ull << k);
  }
}

static bool convert(struct sm *S, const struct collector_unit *u) {
  struct slices *s = slices_of(S);
  const struct inflight_view *f = inflight_view(S, u->inflight);
  unsigned k = u->index;
  if (u->extra && s->converting == CONVERTERS) return false; /* six converters: two instructions a cycle */
  if (u->extra) {
    struct conversion *c = &s->now[s->converting];
    to_converter(S, s, k, true);
    if (sm_view(S)->check) values_expect(S, c, f);
  } else if (sm_view(S)->check) {
    values_check(S, s, u, f->op->nsrc);
  }
  slices_pass_leave(s, k);
  s->gone |= 1ull << k;
  s->ready &= ~(1ull << k);
  return true;
}

/* ---- WRITE ---- */

static bool is_float(const struct slices *s, const struct sm *S, const struct op *op, unsigned k) {
  return s->packing ? s->packing->insn[op - sm_view(S)->op].fp >> k & 1 : op->cls == CLS_SP;
}

/* slices.wb_delay: the pipeline's writes are made at once, part by part as the banks allow; the register is released
 * so many cycles later. */
static enum result_answer constant_delay(struct sm *S, struct slices *s, const struct inflight_view *f, unsigned k) {
  const struct warp_view *W = warp_view(S, f->inst.warp);
  const uint32_t e = s->entry[f->op->dst[k]];
  for (unsigned part = 0; part < 2; part++) {
    unsigned r = entry_r(e, part), m = entry_m(e, part);
    if (!m || (!part && f->note >> k & 1)) continue;
    if (!rf_claim(S, 0, rf_bank(S, r, W->rf_slot), RF_WRITE)) return RESULT_BUSY;
    inflight_set_note(S, f, f->note | 1u << k);
    sm_counters(S)->rf_writes++;
    if (sm_view(S)->laws) law_access(S, 0, RF_WRITE, W->row + r);
    if (s->net.t.values) values_write_now(S, s, f, k, part, is_float(s, S, f->op, k));
  }
  sm_counters(S)->slice_results++;
  if (sm_view(S)->cfg->slices_wb_delay)
    result_complete_at(S, f, k, sm_view(S)->now + (uint64_t)sm_view(S)->cfg->slices_wb_delay);
  else result_complete_now(S, f, k);
  return RESULT_ACCEPTED;
}

/* A result requests a lane; from here on DIT, VT and the register file determine its time. */
static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  (void)bank, (void)row;
  struct slices *s = slices_of(S);
  if (sm_view(S)->check && !is_float(s, S, f->op, k)) values_check_width(S, f, k, entry_n(s->entry[f->op->dst[k]]));
  if (sm_view(S)->cfg->slices_wb_delay >= 0) return constant_delay(S, s, f, k);
  const unsigned l = (unsigned)bit_low64(~s->waiting);
  if (l >= LANES) return RESULT_BUSY;
  s->in[l] = (struct lane){.inflight = inflight_number(S, f), .k = (uint8_t)k};
  s->waiting |= 1ull << l;
  s->lanes++;
  sm_counters(S)->slice_results++;
  struct dit_in *in = dit_set(&s->net, 0);
  in->write_valid_i = s->waiting;
  in->write_addr_i[l] = f->op->dst[k];
  if (s->net.t.values) values_offer(S, s, f, k, l, is_float(s, S, f->op, k));
  return RESULT_ACCEPTED;
}

/* A part of VT's lane l goes to its bank, if that takes it. */
static bool slices_write_part(struct sm *S, struct slices *s, const struct vt_out *o, unsigned l, unsigned part) {
  const struct warp_view *W = warp_view(S, inflight_view(S, s->out[l].inflight)->inst.warp);
  const unsigned r = (part ? o->part1_register_o : o->part0_register_o)[l];
  if (!rf_claim(S, 0, rf_bank(S, r, W->rf_slot), RF_WRITE)) {
    sm_counters(S)->rf_write_conflicts++;
    return false;
  }
  sm_counters(S)->rf_writes++;
  if (sm_view(S)->laws) law_access(S, 0, RF_WRITE, W->row + r);
  if (s->net.t.values) values_write(s, o, l, part, W->row + r, (part ? o->part1_mask_o : o->part0_mask_o)[l]);
  return true;
}

/* VT's results go to the banks, lowest lane first, part 0 before 1. */
static void slices_write_back(struct sm *S, struct slices *s) {
  const struct vt_out *o = vt_get(&s->net, 0);
  uint64_t ready[2] = {0, 0}, left[2] = {o->part0_valid_o, o->part1_valid_o};
  for (uint64_t m = left[0] | left[1]; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    for (unsigned part = 0; part < 2; part++)
      if (left[part] >> l & 1) ready[part] |= (uint64_t)slices_write_part(S, s, o, l, part) << l;
    if (((left[0] & ~ready[0]) | (left[1] & ~ready[1])) >> l & 1) continue;
    s->done[s->ndone++] = s->out[l];
  }
  if (!(ready[0] | ready[1])) return;
  struct vt_in *in = vt_set(&s->net, 0);
  in->part0_ready_i = ready[0];
  in->part1_ready_i = ready[1];
}

/* ---- COMMIT ---- */

/* Released a cycle after the write. */
static void slices_release(struct sm *S, struct slices *s) {
  for (unsigned i = 0; i < s->ndone; i++) result_complete_accepted(S, s->done[i].inflight, s->done[i].k);
  s->lanes -= s->ndone;
  s->ndone = 0;
}

/* Who moves on at this cycle's end: out of DIT into VT, and into DIT. */
static void move_results(struct sm *S, struct slices *s) {
  const struct dit_in *in = &s->net.dit.in[0];
  const uint64_t taken = s->net.vt.in[0].result_valid_i & s->net.vt.out[0].result_ready_o;
  for (uint64_t m = taken; m; m &= m - 1) s->out[bit_low64(m)] = s->mid[bit_low64(m)];
  if (!in->write_valid_i) return;
  const uint64_t rdy = dit_get(&s->net, 0)->write_ready_o;
  for (uint64_t m = in->write_valid_i & rdy; m; m &= m - 1) s->mid[bit_low64(m)] = s->in[bit_low64(m)];
  s->waiting &= ~rdy;
  sm_counters(S)->slice_write_waits += (unsigned)bit_count64(in->write_valid_i & ~rdy);
}

/* All operands of a pass are here. */
static void slices_pass_complete(struct sm *S, struct slices *s, unsigned k, const struct scu_bank_out *o) {
  const unsigned at = SCU_OPERANDS * k;
  s->narrow[k] = o->dispatch_convert_o >> at & SCU_ALL;
  if (s->net.t.values) values_keep(s, k, o);
  if (s->pass[k] + 1 == s->passes[k]) {
    s->ready |= 1ull << k;
    unit_set_full(S, s->unit[k]);
    unit_delay(S, s->unit[k], s->narrow[k] != 0);
  } else if (s->narrow[k]) {
    s->half |= 1ull << k;
  } else {
    slices_pass_leave(s, k); /* the first three operands are kept: the rest from the next cycle on */
  }
}

/* The pass has left: the unit is free, or takes the next one. */
static void slices_pass_left(struct sm *S, struct slices *s, unsigned k) {
  if (s->gone >> k & 1) {
    s->busy &= ~(1ull << k);
    unit_release(S, s->unit[k]);
    unit_set_free(S, 0, k, true);
  } else {
    s->pass[k]++;
    s->todo |= 1ull << k;
  }
}

/* Behind the clock edge: passes that have left, passes that are complete. */
static void slices_end_passes(struct sm *S, struct slices *s) {
  const uint64_t taken = s->taken, given = s->given;
  s->taken = s->given = 0;
  for (uint64_t m = taken; m; m &= m - 1) slices_pass_left(S, s, (unsigned)bit_low64(m));
  s->gone = 0;
  if (!given) return;
  const struct scu_bank_out *o = scu_bank_get(&s->net, 0);
  for (uint64_t m = given & o->dispatch_valid_o; m; m &= m - 1)
    slices_pass_complete(S, s, (unsigned)bit_low64(m) / SCU_OPERANDS, o);
}

static void commit(struct sm *S) {
  struct slices *s = slices_of(S);
  slices_release(S, s);
  if (!twins_awake(&s->net.t) && !s->net.t.observed) {
    twins_asleep(&s->net.t);
    return;
  }
  if (s->lanes) {
    twins_settle(&s->net.t, &slices_twins);
    move_results(S, s);
  }
  if (s->net.t.values) values_converted(S, s);
  s->converting = 0;
  twins_commit(&s->net.t, &slices_twins);
  slices_end_passes(S, s);
  if (s->load && !--s->load)
    for (unsigned w = 0; w < sm_view(S)->nwarp; w++) gate_open(S, SLOT_STORAGE, w);
}

static uint64_t idle(struct sm *S) {
  struct slices *s = slices_of(S);
  return s->load || s->lanes || s->todo || s->half ? 0 : twins_idle(&s->net.t, &slices_twins);
}

static void skip(struct sm *S, uint64_t n) { twins_skip(&slices_of(S)->net.t, &slices_twins, n); }

/* Before WRITE handles results: VT's results are written, which frees lanes. */
static void arrive(struct sm *S) {
  struct slices *s = slices_of(S);
  if (!s->lanes) return;
  if (s->waiting) dit_set(&s->net, 0)->write_valid_i = s->waiting;
  slices_write_back(S, s);
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

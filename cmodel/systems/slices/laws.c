/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of SCUs, extractors and tables say, compared with instruction and packing (sm/laws.h, docs/reference/laws.md). */
#include <string.h>

#include "systems/slices/slices.h"

struct slices_book {
  unsigned loaded; /* entries of the tables */
  struct {
    bool used;
    uint32_t seq, inflight;
    uint16_t warp;
    uint8_t pass;
  } unit[UNITS]; /* the pass that was allocated last */
};

static uint32_t slices_entry_of(const struct packing *p, unsigned r) {
  return p ? p->entry[r] : entry_make(r, ALL_SLICES, 0, 0);
}

/* One entry a cycle in the launch's first cycles. */
static void check_tables(struct sm *S, struct slices_book *b, const struct packing *p, const struct sit_in *sit,
                         const struct dit_in *dit) {
  const bool loads = b->loaded < ROWS;
  const uint32_t e = loads ? slices_entry_of(p, b->loaded) : 0;
  law_same(S, "SIT: load_valid_i = the table has such an entry", sit->load_valid_i, e != 0);
  law_same(S, "DIT: load_valid_i = the table has such an entry", dit->load_valid_i, e != 0);
  if (e) {
    law_same(S, "SIT: load_addr_i = register of the entry", sit->load_addr_i, b->loaded);
    law_same(S, "DIT: load_addr_i = register of the entry", dit->load_addr_i, b->loaded);
    law_same(S, "SIT: load_entry_i = the entry", sit->load_entry_i, e);
    law_same(S, "DIT: load_entry_i = the entry", dit->load_entry_i, e);
  }
  b->loaded += loads;
}

static const struct inflight_view *instruction_of(const struct sm *S, unsigned k) {
  return inflight_view(S, unit_view(S, 0, k)->inflight);
}

/* Sources that no pass of unit k's instruction has had. */
static unsigned left_of(const struct slices_book *b, unsigned k, const struct op *op) {
  const unsigned had = 3u * (b->unit[k].pass + 1u);
  return op->nsrc > had ? op->nsrc - had : 0;
}

/* A pass of an instruction's operands enters unit k. */
static bool begin_pass(struct sm *S, struct slices_book *b, unsigned k) {
  if (!law_same(S, "SCU: allocate_valid_i of a unit that has an instruction: it is free",
                group_view(S, 0)->free >> k & 1, 0))
    return false;
  const uint32_t fi = unit_view(S, 0, k)->inflight;
  const struct inflight_view *f = instruction_of(S, k);
  /* The same record, warp and number of another CTA's warp are another instruction: nothing of the one before is left. */
  const bool again = b->unit[k].used && b->unit[k].inflight == fi && b->unit[k].seq == f->inst.seq &&
                     b->unit[k].warp == f->inst.warp && left_of(b, k, f->op);
  b->unit[k].used = true, b->unit[k].inflight = fi, b->unit[k].seq = f->inst.seq, b->unit[k].warp = f->inst.warp;
  b->unit[k].pass = (uint8_t)(again ? b->unit[k].pass + 1u : 0);
  return true;
}

/* First passes are those of the instructions that units take in this cycle; an instruction leaves after its last one. */
static bool check_passes(struct sm *S, struct slices_book *b, const struct scu_bank_in *in) {
  unsigned taken = 0, begun = 0;
  const struct law_event *e;
  for (unsigned n = 0; (e = law_nth(S, LAW_DISPATCHED, n)); n++)
    law_same(S, "SCU: allocate_valid_i for each pass of an instruction that is dispatched: sources left",
             left_of(b, e->id, instruction_of(S, e->id)->op), 0);
  for (unsigned n = 0; (e = law_nth(S, LAW_ISSUE, n)); n++) taken += sm_view(S)->op[e->op].cls != CLS_CTRL;
  for (uint64_t m = in->allocate_valid_i; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m) / SCU_OPERANDS;
    if (!begin_pass(S, b, k)) return false;
    begun += !b->unit[k].pass;
  }
  return law_same(S, "SCU: allocate_valid_i = instructions that the units have taken", begun, taken);
}

/* What the ports say of the pass that enters unit k. */
static void check_pass(struct sm *S, const struct slices_book *b, const struct packing *p, const struct scu_bank_in *in,
                       unsigned k) {
  const struct inflight_view *f = instruction_of(S, k);
  const struct op *op = f->op;
  const unsigned from = 3 * b->unit[k].pass, at = SCU_OPERANDS * k;
  if (!law_same(S, "SCU: allocate_meta_i = the unit's instruction", in->allocate_meta_i[k], b->unit[k].inflight))
    return;
  const unsigned n = op->nsrc - from < 3 ? op->nsrc - from : 3, all = (1u << n) - 1;
  const struct narrow *w = p ? &p->insn[f->inst.op] : NULL;
  law_same(S, "SCU: allocate_source_i = sources of the pass", in->allocate_source_i >> at & SCU_ALL, all);
  law_same(S, "SCU: allocate_signed_i = sources that are sign-extended", in->allocate_signed_i >> at & SCU_ALL,
           w ? w->sgn >> from & all : 0);
  law_same(S, "SCU: allocate_convert_i = sources that are converted", in->allocate_convert_i >> at & SCU_ALL,
           w                   ? w->cvt >> from & all
           : op->cls == CLS_SP ? all
                               : 0);
  for (unsigned i = 0; i < n; i++)
    law_same(S, "SCU: allocate_addr_i = register of the source", in->allocate_addr_i[at + i], op->src[from + i]);
}

static void check_responses(struct sm *S, const struct slices_book *b, const struct packing *p,
                            const struct sit_out *sit, const struct scu_bank_in *in) {
  uint64_t answered = 0;
  for (uint64_t m = sit->response_valid_o; m; m &= m - 1) {
    const unsigned bank = (unsigned)bit_low64(m), q = sit->response_requester_o[bank], k = q / SCU_OPERANDS;
    const struct op *op = inflight_view(S, unit_view(S, 0, k)->inflight)->op;
    answered |= 1ull << q;
    law_same(S, "SCU: response_entry_i = entry of the source", in->response_entry_i[q],
             slices_entry_of(p, op->src[3 * b->unit[k].pass + q % SCU_OPERANDS]));
  }
  law_same(S, "SCU: response_valid_i = look-ups that the SIT answers", in->response_valid_i, answered);
}

/* A bank has given a part of an operand: it goes through the bank's extractor to its unit. */
static void slices_check_part(struct sm *S, const struct slices_book *b, struct slices *s, const struct law_event *e) {
  const struct packing *p = law_code(S)->packing;
  const unsigned k = e->id, source = 3 * b->unit[k].pass + (e->op >> 1);
  const struct collector_unit *u = unit_view(S, 0, k);
  const struct inflight_view *f = inflight_view(S, u->inflight);
  const struct wve_in *x = &s->net.wve.in[e->line];
  law_same(S, "SCU: part_valid_i = the operand that a bank gives",
           s->net.scu_bank.in[0].part_valid_i >> (SCU_OPERANDS * k + (e->op >> 1)) & 1, 1);
  law_same(S, "extractor: entry_i = entry of the source", x->entry_i, slices_entry_of(p, f->op->src[source]));
  law_same(S, "extractor: part_i = the part that the bank gives", x->part_i, e->op & 1);
  law_same(S, "extractor: signed_i = the source is sign-extended", x->signed_i,
           p ? p->insn[f->inst.op].sgn >> source & 1 : 0);
  law_same_words(S, "extractor: data_i = the bank's row", x->data_i, s->row + (size_t)u->row[e->op] * 32);
  law_same_words(S, "SCU: part_data_i = what the extractor gives", s->net.scu_bank.in[0].part_data_i[k],
                 wve_get(&s->net, e->line)->part_data_o);
}

/* Results that DIT takes in this cycle. */
static void tell_results(struct sm *S, const struct dit_in *in, const struct dit_out *o) {
  for (uint64_t m = in->write_valid_i & o->write_ready_o; m; m &= m - 1) {
    const unsigned l = (unsigned)bit_low64(m);
    const uint32_t *p = in->write_payload_i[l];
    law_told(S, LAW_RESULTS, (uint64_t)payload_lanes(p) << 16 | (uint64_t)in->write_addr_i[l] << 8 | payload_warp(p),
             law_hash(p, 128));
  }
}

/* Parts of results that VT has given away: each is a row that was written in this cycle. */
static void check_parts(struct sm *S, const struct vt_in *in, const struct vt_out *o) {
  law_same(
      S, "VT: parts taken (part0_ready_i, part1_ready_i) = rows written",
      (unsigned)(bit_count64(in->part0_ready_i & o->part0_valid_o) + bit_count64(in->part1_ready_i & o->part1_valid_o)),
      law_rows_written(S, 0));
}

void slices_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct slices *s = (struct slices *)t; /* its first member */
  const struct packing *p = law_code(S)->packing;
  const struct scu_bank_in *in = &s->net.scu_bank.in[0];
  bool first;
  struct slices_book *b = law_memory(S, SLOT_STORAGE, sizeof *b, &first);
  if (first && sm_view(S)->cfg->slices_wb_delay < 0) law_open(S, LAW_RESULTS);
  check_tables(S, b, p, &s->net.sit.in[0], &s->net.dit.in[0]);
  check_responses(S, b, p, sit_get(&s->net, 0), in);
  for (unsigned n = 0; n < law_count(S, LAW_READ); n++) slices_check_part(S, b, s, law_nth(S, LAW_READ, n));
  if (!check_passes(S, b, in)) return;
  for (uint64_t m = in->allocate_valid_i; m; m &= m - 1) check_pass(S, b, p, in, (unsigned)bit_low64(m) / SCU_OPERANDS);
  tell_results(S, &s->net.dit.in[0], dit_get(&s->net, 0));
  if (sm_view(S)->cfg->slices_wb_delay < 0) check_parts(S, &s->net.vt.in[0], vt_get(&s->net, 0));
}

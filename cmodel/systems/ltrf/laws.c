/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws: where the rows of main file and register cache lie, and the main file's times, for the laws of ports; what the ports of pfu say,
 * compared with what the SM counted (sm/laws.h, docs/laws.md).
 */
#include <string.h>

#include "systems/ltrf/ltrf.h"
#include "systems/ltrf/main_file.h"

#define NET ltrf
#define NET_DEF "systems/ltrf/wires.def"
#include "sm/wires.h"

enum { FILLS = 64 /* under way, as in ltrf.c, which has no room for more */ };

struct ltrf_book {
  struct law_fill {
    uint64_t at; /* cycle in which it comes */
    uint8_t slot, warp, reg;
  } fill[FILLS];
  unsigned first, fills;
  uint32_t prefetch[LAW_WARPS_MAX]; /* of each warp's last PREFETCH: the instruction after it */
};

void main_file_laws(struct sm *S, struct main_file *m, uint32_t cache_row, unsigned entries, unsigned slots,
                    bool narrow) {
  if (!S->laws) return;
  m->laws = S;
  const unsigned access = slow_access(S->cfg->rf_latency), through = narrow ? NARROW_CROSSBAR : 0;
  const unsigned busy = slow_busy(access), least = narrow ? NARROW_CROSSBAR + 1 : 1;
  law_rows(S, 0, cache_row, S->warp_regs, true, true);
  law_rows(S, cache_row, entries * slots, entries, false, false);
  law_main_file(S, (unsigned)S->cfg->rf_banks, access + through, busy > least ? busy : least,
                narrow || S->cfg->rf_single_port);
}

/* ---- instructions, look-ups, results ---- */

static void tell_issues(struct sm *S, const struct pfu_in *in, unsigned ports) {
  for (unsigned p = 0; p < ports; p++) {
    if (!(in->is_v_i >> p & 1)) continue;
    uint8_t src[6], dst[4];
    const unsigned w = in->is_w_i >> 6 * p & 63, sv = in->is_sv_i >> 6 * p & 63, dv = in->is_dv_i >> 4 * p & 15;
    const unsigned nsrc = (unsigned)bit_count32(sv), ndst = (unsigned)bit_count32(dv);
    for (unsigned k = 0; k < nsrc; k++) src[k] = (uint8_t)words_get(in->is_s_i, 48 * p + 8 * k, 8);
    for (unsigned k = 0; k < ndst; k++) dst[k] = (uint8_t)words_get(in->is_d_i, 32 * p + 8 * k, 8);
    law_told(S, LAW_ISSUED, law_hash(src, nsrc) ^ w, law_hash(dst, ndst) ^ (in->is_dead_i >> 6 * p & 63));
  }
}

static void tell_lookups(struct sm *S, const struct pfu_in *in, unsigned ports) {
  for (unsigned p = 0; p < ports; p++) {
    if (!(in->lk_v_i >> p & 1)) continue;
    uint8_t src[6];
    const unsigned n = in->lk_n_i >> 3 * p & 7;
    for (unsigned k = 0; k < n && k < 6; k++) src[k] = (uint8_t)words_get(in->lk_r_i, 48 * p + 8 * k, 8);
    law_told(S, LAW_LOOKED_UP, in->lk_w_i >> 6 * p & 63, law_hash(src, n));
  }
}

/* The first results that the storage was given in this cycle are on pfu's ports, in order. */
static void check_results(struct sm *S, const struct pfu_in *in) {
  const unsigned given = law_count(S, LAW_RESULT), n = given < pfu_Nwb ? given : pfu_Nwb;
  law_same(S, "pfu: wb_v_i = results of this cycle", in->wb_v_i, (1ull << n) - 1);
  for (unsigned k = 0; k < n; k++) {
    const struct law_event *e = law_nth(S, LAW_RESULT, k);
    law_same(S, "pfu: wb_w_i = warp of the result", in->wb_w_i >> 6 * k & 63, e->warp);
    law_same(S, "pfu: wb_r_i = register of the result", in->wb_r_i >> 8 * k & 255, e->reg);
  }
}

/* ---- commands ---- */

/* Registers that the instructions of the part of `op` name. */
static void check_prefetch(struct sm *S, const struct pfu_in *in, uint32_t op) {
  const struct subgraphs *g = ltrf_parts(S);
  uint64_t own[4] = {0};
  for (uint32_t i = 0; i < S->stream->nop; i++) {
    if (g->of[i] != g->of[op]) continue;
    for (unsigned k = 0; k < S->op[i].nsrc; k++) set_add(own, S->op[i].src[k]);
    for (unsigned k = 0; k < S->op[i].ndst; k++) set_add(own, S->op[i].dst[k]);
  }
  for (unsigned k = 0; k < 4; k++)
    law_same(S, "pfu: c_vec_i = registers that the interval names", words_get(in->c_vec_i, 64 * k, 64), own[k]);
}

static void check_command(struct sm *S, struct ltrf_book *b, const struct pfu_in *in) {
  for (unsigned k = 0; k < law_count(S, LAW_ISSUE); k++) {
    const struct law_event *e = law_nth(S, LAW_ISSUE, k);
    if (e->answer) b->prefetch[e->id] = e->op + 1;
  }
  if (in->st_v_i) law_told(S, LAW_WARPS, in->st_w_i, 0);
  if (!in->c_v_i) return;
  const unsigned w = (unsigned)in->c_w_i;
  if (in->c_op_i == PFU_ACT) law_told(S, LAW_ACTIVE, w, WARP_IN);
  if (in->c_op_i == PFU_DEACT) law_told(S, LAW_ACTIVE, w, WARP_OUT);
  if (in->c_op_i != PFU_PREF) return;
  if (law_same(S, "pfu: a PREFETCH follows its pseudo instruction", b->prefetch[w] != 0, true))
    check_prefetch(S, in, b->prefetch[w] - 1);
  b->prefetch[w] = 0;
}

/* ---- the main file ---- */

/* Banks of both files that the block sees as free are those without an access under way. */
static void check_ready(struct sm *S, const struct pfu_in *in, const struct pfu_out *o) {
  const struct law_main *m = &S->laws->main;
  for (unsigned b = 0; b < m->banks; b++)
    law_same(S, "pfu: mrf_rdy_i = banks of the main file without an access", in->mrf_rdy_i[b / 32] >> b % 32 & 1,
             m->until[RF_READ][b] <= S->now);
  const struct group *g = &S->group[0];
  uint64_t used = g->rd_used[0] | (S->single_port ? g->wr_used[0] : 0);
  if (o->mw_v_o) used &= ~(1ull << o->rc_bank_o); /* its own */
  law_same(S, "pfu: rfc_rdy_i = banks of the cache without a read", in->rfc_rdy_i, ~used & ((1ull << S->nbank) - 1));
}

static void check_fill(struct sm *S, struct ltrf_book *b, uint32_t cache_row, const struct pfu_in *in,
                       const struct pfu_out *o) {
  const struct law_fill *f = &b->fill[b->first];
  const bool comes = b->fills && f->at == S->now;
  if (!law_same(S, "pfu: fr_v_i = the main file's access time after each read", in->fr_v_i, comes) || !comes) return;
  b->first = (b->first + 1) % FILLS;
  b->fills--;
  law_same(S, "pfu: fr_slot_i = slot of the read", in->fr_slot_i, f->slot);
  law_same(S, "pfu: fr_r_i = register of the read", in->fr_r_i, f->reg);
  const uint32_t row = cache_row + (uint32_t)o->fw_off_o * S->nbank + (uint32_t)o->fw_bank_o;
  law_access(S, 0, RF_WRITE, row);
  law_same_words(S, "the cache's row after a fill = the main file's", check_file(S, row),
                 check_file(S, S->warp[f->warp].row + f->reg));
}

static void tell_moves(struct sm *S, struct ltrf_book *b, uint32_t cache_row, const struct pfu_out *o) {
  if (o->mr_v_o) {
    const struct law_fill f = {.at = S->now + S->laws->main.access,
                               .slot = (uint8_t)o->mr_slot_o,
                               .warp = (uint8_t)o->mr_w_o,
                               .reg = (uint8_t)o->mr_r_o};
    law_access(S, 0, RF_READ, S->warp[f.warp].row + f.reg);
    b->fill[(b->first + b->fills++) % FILLS] = f;
  }
  if (!o->mw_v_o) return;
  const uint32_t from = cache_row + (uint32_t)o->rc_off_o * S->nbank + (uint32_t)o->rc_bank_o,
                 to = S->warp[o->mw_w_o].row + (uint32_t)o->mw_r_o;
  law_access(S, 0, RF_READ, from);
  law_access(S, 0, RF_WRITE, to);
  law_same_words(S, "the main file's row after a write-back = the cache's", check_file(S, to), check_file(S, from));
}

void ltrf_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct ltrf_net *n = (struct ltrf_net *)t;
  const struct pfu *model = pfu_model(n, 0);
  const struct pfu_in *in = &n->pfu.in[0];
  const struct pfu_out *o = pfu_get(n, 0);
  const unsigned ports = (unsigned)model->size.Np;
  const uint32_t cache_row = S->laws->stripe[1].first;
  bool first;
  struct ltrf_book *b = law_memory(S, SLOT_STORAGE, sizeof *b, &first);
  if (first) law_open(S, LAW_ISSUED), law_open(S, LAW_LOOKED_UP), law_open(S, LAW_WARPS), law_open(S, LAW_ACTIVE);
  tell_issues(S, in, ports);
  tell_lookups(S, in, ports);
  check_results(S, in);
  check_command(S, b, in);
  if (model->asks) check_ready(S, in, o);
  check_fill(S, b, cache_row, in, o);
  tell_moves(S, b, cache_row, o);
}

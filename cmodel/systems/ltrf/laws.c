/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws: where the rows of main file and register cache lie, and the main file's times, for the laws of ports; what the ports of pfu say,
 * compared with what the SM counted (sm/laws.h, docs/reference/laws.md).
 */
#include <string.h>

#include "systems/ltrf/ltrf.h"
#include "systems/ltrf/main_file.h"

#define NET ltrf
#define NET_DEF "gen/nets/ltrf.def"
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
  if (!sm_view(S)->laws) return;
  m->laws = S;
  const unsigned access = slow_access(sm_view(S)->cfg->rf_latency), through = narrow ? NARROW_CROSSBAR : 0;
  const unsigned busy = slow_busy(access), least = narrow ? NARROW_CROSSBAR + 1 : 1;
  law_rows(S, 0, cache_row, sm_view(S)->warp_regs, true, true);
  law_rows(S, cache_row, entries * slots, entries, false, false);
  law_main_file(S, (unsigned)sm_view(S)->cfg->rf_banks, access + through, busy > least ? busy : least,
                narrow || sm_view(S)->cfg->rf_single_port);
}

/* ---- instructions, look-ups, results ---- */

static void tell_issues(struct sm *S, const struct pfu_in *in, unsigned ports) {
  for (unsigned p = 0; p < ports; p++) {
    if (!(in->issue_valid_i >> p & 1)) continue;
    const unsigned nsrc = (unsigned)bit_count32(in->issue_source_valid_i[p]);
    const unsigned ndst = (unsigned)bit_count32(in->issue_destination_valid_i[p]);
    law_told(S, LAW_ISSUED, law_hash(in->issue_source_i[p], nsrc) ^ in->issue_warp_i[p],
             law_hash(in->issue_destination_i[p], ndst) ^ in->issue_dead_i[p]);
  }
}

static void tell_lookups(struct sm *S, const struct pfu_in *in, unsigned ports) {
  for (unsigned p = 0; p < ports; p++) {
    if (!(in->lookup_valid_i >> p & 1)) continue;
    const unsigned n = in->lookup_count_i[p];
    law_told(S, LAW_LOOKED_UP, in->lookup_warp_i[p], n <= PFU_SOURCES ? law_hash(in->lookup_source_i[p], n) : 0);
  }
}

/* The first results that the storage was given in this cycle are on pfu's ports, in order. */
static void ltrf_check_results(struct sm *S, const struct pfu_in *in) {
  const unsigned given = law_count(S, LAW_RESULT), n = given < pfu_NumResults ? given : pfu_NumResults;
  law_same(S, "pfu: result_valid_i = results of this cycle", in->result_valid_i, (1ull << n) - 1);
  for (unsigned k = 0; k < n; k++) {
    const struct law_event *e = law_nth(S, LAW_RESULT, k);
    law_same(S, "pfu: result_warp_i = warp of the result", in->result_warp_i[k], e->warp);
    law_same(S, "pfu: result_register_i = register of the result", in->result_register_i[k], e->reg);
  }
}

/* ---- commands ---- */

/* Registers that the instructions of the part of `op` name. */
static void check_prefetch(struct sm *S, const struct pfu_in *in, uint32_t op) {
  const struct subgraphs *g = ltrf_parts(S);
  uint64_t own[4] = {0};
  for (uint32_t i = 0; i < law_code(S)->n; i++) {
    if (g->of[i] != g->of[op]) continue;
    for (unsigned k = 0; k < sm_view(S)->op[i].nsrc; k++) set_add(own, sm_view(S)->op[i].src[k]);
    for (unsigned k = 0; k < sm_view(S)->op[i].ndst; k++) set_add(own, sm_view(S)->op[i].dst[k]);
  }
  for (unsigned k = 0; k < 4; k++)
    law_same(S, "pfu: command_registers_i = registers that the interval names", in->command_registers_i[k], own[k]);
}

static void check_command(struct sm *S, struct ltrf_book *b, const struct pfu_in *in) {
  for (unsigned k = 0; k < law_count(S, LAW_ISSUE); k++) {
    const struct law_event *e = law_nth(S, LAW_ISSUE, k);
    if (e->answer) b->prefetch[e->id] = e->op + 1;
  }
  if (in->start_valid_i) law_told(S, LAW_WARPS, in->start_warp_i, 0);
  if (!in->command_valid_i) return;
  const unsigned w = (unsigned)in->command_warp_i;
  if (in->command_i == PFU_ACTIVATE) law_told(S, LAW_ACTIVE, w, WARP_IN);
  if (in->command_i == PFU_DEACTIVATE) law_told(S, LAW_ACTIVE, w, WARP_OUT);
  if (in->command_i != PFU_PREFETCH) return;
  if (law_same(S, "pfu: a PREFETCH follows its pseudo instruction", b->prefetch[w] != 0, true))
    check_prefetch(S, in, b->prefetch[w] - 1);
  b->prefetch[w] = 0;
}

/* ---- the main file ---- */

/* Banks of both files that the block sees as free are those without an access under way. */
static void check_ready(struct sm *S, const struct pfu_in *in, const struct pfu_out *o) {
  for (unsigned b = 0; b < law_main_banks(S); b++)
    law_same(S, "pfu: main_ready_i = banks of the main file without an access", in->main_ready_i[b / 32] >> b % 32 & 1,
             law_main_is_free(S, b, RF_READ));
  const struct group_view *g = group_view(S, 0);
  uint64_t used = g->rd_used[0] | (sm_view(S)->single_port ? g->wr_used[0] : 0);
  if (o->main_write_valid_o) used &= ~(1ull << o->cache_read_bank_o); /* its own */
  law_same(S, "pfu: cache_ready_i = banks of the cache without a read", in->cache_ready_i,
           ~used & ((1ull << sm_view(S)->nbank) - 1));
}

static void check_fill(struct sm *S, struct ltrf_book *b, uint32_t cache_row, const struct pfu_in *in,
                       const struct pfu_out *o) {
  const struct law_fill *f = &b->fill[b->first];
  const bool comes = b->fills && f->at == sm_view(S)->now;
  if (!law_same(S, "pfu: fill_valid_i = the main file's access time after each read", in->fill_valid_i, comes) ||
      !comes)
    return;
  b->first = (b->first + 1) % FILLS;
  b->fills--;
  law_same(S, "pfu: fill_slot_i = slot of the read", in->fill_slot_i, f->slot);
  law_same(S, "pfu: fill_register_i = register of the read", in->fill_register_i, f->reg);
  const uint32_t row =
      cache_row + (uint32_t)o->cache_write_slot_o * sm_view(S)->nbank + (uint32_t)o->cache_write_bank_o;
  law_access(S, 0, RF_WRITE, row);
  law_same_words(S, "the cache's row after a fill = the main file's", check_file(S, row),
                 check_file(S, warp_view(S, f->warp)->row + f->reg));
}

static void tell_moves(struct sm *S, struct ltrf_book *b, uint32_t cache_row, const struct pfu_out *o) {
  if (o->main_read_valid_o) {
    const struct law_fill f = {.at = sm_view(S)->now + law_main_access(S),
                               .slot = (uint8_t)o->main_read_slot_o,
                               .warp = (uint8_t)o->main_read_warp_o,
                               .reg = (uint8_t)o->main_read_register_o};
    law_access(S, 0, RF_READ, warp_view(S, f.warp)->row + f.reg);
    b->fill[(b->first + b->fills++) % FILLS] = f;
  }
  if (!o->main_write_valid_o) return;
  const uint32_t from = cache_row + (uint32_t)o->cache_read_slot_o * sm_view(S)->nbank + (uint32_t)o->cache_read_bank_o,
                 to = warp_view(S, o->main_write_warp_o)->row + (uint32_t)o->main_write_register_o;
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
  const unsigned ports = (unsigned)model->size.NumPorts;
  const uint32_t cache_row = law_rows_first(S, 1);
  bool first;
  struct ltrf_book *b = law_memory(S, SLOT_STORAGE, sizeof *b, &first);
  if (first) law_open(S, LAW_ISSUED), law_open(S, LAW_LOOKED_UP), law_open(S, LAW_WARPS), law_open(S, LAW_ACTIVE);
  tell_issues(S, in, ports);
  tell_lookups(S, in, ports);
  ltrf_check_results(S, in);
  check_command(S, b, in);
  if (model->asks) check_ready(S, in, o);
  check_fill(S, b, cache_row, in, o);
  tell_moves(S, b, cache_row, o);
}

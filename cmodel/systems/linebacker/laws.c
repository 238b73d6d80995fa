/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of CTL, LM and VTT say, compared with what the SM counted (sm/laws.h, docs/reference/laws.md). */
#include <string.h>

#include "blocks/linebacker/ctl.h"
#include "blocks/linebacker/lm.h"
#include "systems/linebacker/linebacker.h"

#define NET linebacker
#define NET_DEF "gen/nets/linebacker.def"
#include "sm/wires.h"
#define NET victim
#define NET_DEF "gen/nets/victim.def"
#include "sm/wires.h"

enum { SAVED = 1 << 16, LINES = 1 << 23 };

struct ctl_laws {
  uint64_t retired; /* told so far */
  uint64_t halted;  /* CTAs, as CTL said */
  bool reading;     /* a row was read in the last cycle */
  uint32_t row[32]; /* its values */
  bool runs;        /* a CTA came back in the last cycle */
  uint64_t resume_cta, resume_register;
  uint32_t asked[ctl_BufferEntries]; /* address of each entry's read */
  uint64_t saved[SAVED];             /* hash of what was written to each address */
  /* for the laws of LM and VTT */
  uint64_t at; /* cycle */
  bool window_end, waits, hold, selected, off, still;
  uint64_t top; /* the last register that VTT may not use */
};

struct victim_laws {
  uint32_t pc[256]; /* of each MSHR: the load that took it while LM watched */
  bool ticked;
  uint64_t ticked_at; /* alone: the last window's end in this launch */
};

static struct ctl_laws *ctl_book(struct sm *S, bool *fresh) {
  return law_memory(S, SLOT_RESIDENCY, sizeof(struct ctl_laws), fresh);
}

/* No instruction of the CTA is in flight but reductions that wait at a barrier. */
static bool is_quiet(const struct sm *S, unsigned c) {
  for (uint32_t k = 0; k < inflight_records(S); k++) {
    const struct inflight_view *f = inflight_view(S, k);
    if (!f->op || warp_view(S, f->inst.warp)->cta != c || f->op->kind & K_BAR) continue;
    return false;
  }
  return cta_view(S, c)->used && cta_view(S, c)->live;
}

static void check_start(struct sm *S, const struct ctl_in *in, bool first) {
  const uint32_t regs = registers_of_cta(S);
  law_same(S, "CTL: launch_start_i in the launch's first cycle", in->launch_start_i, first);
  if (!first) return;
  law_same(S, "CTL: launch_cta_registers_i = registers of a CTA", in->launch_cta_registers_i, regs);
  law_same(S, "CTL: launch_stack_addr_i = address of saved registers", in->launch_stack_addr_i, saved_base(S));
  law_same(S, "CTL: launch_limit_register_i = last register of the CTAs", in->launch_limit_register_i,
           sm_view(S)->rf_slots * regs - 1);
}

static void check_ctas(struct sm *S, struct ctl_laws *b, const struct ctl *model, const struct ctl_in *in,
                       const struct ctl_out *out) {
  if (in->begin_valid_i) {
    law_told(S, LAW_BEGUN, in->begin_cta_i, sm_view(S)->now);
    law_same(S, "CTL: begin_register_i = first register of the CTA", in->begin_register_i,
             warp_view(S, cta_view(S, in->begin_cta_i)->slot[0])->row);
  }
  if (in->end_valid_i) law_told(S, LAW_ENDED, in->end_cta_i, 0);
  if (model->r.state_q == CTL_QUIESCE)
    law_same(S, "CTL: quiet_i = the halted CTA has nothing in flight", in->quiet_i,
             is_quiet(S, (unsigned)model->moved_cta_q) ? 1ull << model->moved_cta_q : 0);
  if (b->runs)
    law_same(S, "CTL: resume_register_o = first register of the CTA that comes back", b->resume_register,
             warp_view(S, cta_view(S, b->resume_cta)->slot[0])->row);
  if (out->halt_valid_o) b->halted |= 1ull << out->halt_cta_o;
  if (out->resume_valid_o) b->halted &= ~(1ull << out->resume_cta_o);
  b->runs = out->resume_valid_o;
  b->resume_cta = out->resume_cta_o;
  b->resume_register = out->resume_register_o;
  unsigned active = 0;
  for (unsigned c = 0; c < sm_view(S)->cta_limit; c++) {
    if (!cta_view(S, c)->used) b->halted &= ~(1ull << c);
    const bool halted = b->halted >> c & 1;
    active += cta_view(S, c)->used && !halted;
    for (unsigned i = 0; cta_view(S, c)->used && i < sm_view(S)->wpc; i++) {
      const unsigned w = cta_view(S, c)->slot[i];
      law_same(S, "CTL: warps behind the gate are those of halted CTAs",
               scheduler_view(S, w % sm_view(S)->nsched)->gate[SLOT_RESIDENCY] >> w / sm_view(S)->nsched & 1, halted);
    }
  }
  law_same(S, "CTL: active CTAs = CTAs - halted CTAs", sm_view(S)->nactive, active);
}

/* Rows that leave and come back, and their way through memory. */
static void ctl_check_moves(struct sm *S, struct ctl_laws *b, const struct ctl_in *in, const struct ctl_out *out) {
  law_same(S, "CTL: file_response_valid_i in the cycle after each read", in->file_response_valid_i, b->reading);
  if (b->reading)
    law_same_words(S, "CTL: file_response_data_i = the row that was read", in->file_response_data_i, b->row);
  b->reading = out->file_read_valid_o && in->file_read_ready_i;
  if (b->reading) {
    law_access(S, 0, RF_READ, (uint32_t)out->file_read_register_o);
    memcpy(b->row, check_file(S, (uint32_t)out->file_read_register_o), sizeof b->row);
  }
  if (out->file_write_valid_o && in->file_write_ready_i) {
    law_access(S, 0, RF_WRITE, (uint32_t)out->file_write_register_o);
    law_same_words(S, "CTL: file_write_data_o = the row after the write", out->file_write_data_o,
                   check_file(S, (uint32_t)out->file_write_register_o));
  }
  if (out->memory_write_valid_o && in->memory_write_ready_i) {
    law_told(S, LAW_MOVED, out->memory_write_addr_o, MEM_WRITE << 8 | 15);
    b->saved[(out->memory_write_addr_o - saved_base(S)) / 128 % SAVED] = law_hash(out->memory_write_data_o, 128);
  }
  if (out->memory_read_valid_o && in->memory_read_ready_i) {
    law_told(S, LAW_MOVED, out->memory_read_addr_o, MEM_READ << 8 | 15);
    b->asked[out->memory_read_entry_o] = (uint32_t)out->memory_read_addr_o;
  }
  if (!in->memory_response_valid_i) return;
  law_told(S, LAW_REPLIES, in->memory_response_entry_i, 0);
  law_same(S, "CTL: memory_response_data_i = what was written to this address",
           law_hash(in->memory_response_data_i, 128),
           b->saved[(b->asked[in->memory_response_entry_i] - saved_base(S)) / 128 % SAVED]);
}

void linebacker_ctl_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct linebacker_net *n = (struct linebacker_net *)t;
  const struct ctl *model = ctl_model(n, 0);
  const struct ctl_in *in = &n->ctl.in[0];
  const struct ctl_out *out = ctl_get(n, 0);
  bool first;
  struct ctl_laws *b = ctl_book(S, &first);
  if (first) {
    law_open(S, LAW_BEGUN), law_open(S, LAW_ENDED), law_open(S, LAW_MOVED), law_open(S, LAW_REPLIES);
    b->retired = law_retired(S);
  }
  check_start(S, in, first);
  b->retired += in->retired_count_i;
  law_same(S, "CTL: retired_count_i = instructions retired, summed", b->retired, sm_counters(S)->retired);
  check_ctas(S, b, model, in, out);
  ctl_check_moves(S, b, in, out);
  b->at = sm_view(S)->now;
  b->window_end = out->window_end_o;
  b->waits = model->r.policy_q == CTL_WAIT;
  b->hold = out->hold_o;
  b->top = out->highest_register_o;
  b->selected = in->monitor_selected_i;
  b->off = in->monitor_off_i;
  b->still = in->hold_done_i;
}

/* ---- LM and VTT ---- */

static uint32_t line_number(uint32_t line) { return line / 128 % LINES; }

/* A load's code address: instructions lie one after the other from fetch_base on. */
static uint32_t code_address(const struct sm *S, uint32_t op) {
  return sm_view(S)->fetch_base +
         sm_view(S)->insn_bytes * (sm_view(S)->at ? sm_view(S)->at[op] : sm_view(S)->op[op].pc / 8);
}

static void check_windows(struct sm *S, struct victim_laws *b, const struct lm_in *in, const struct ctl_laws *c) {
  if (c) {
    law_same(S, "LM: window_end_i = CTL's window_end_o", in->window_end_i, c->window_end);
    return;
  }
  if (b->ticked)
    law_same(S, "LM: window_end_i each linebacker.period cycles", in->window_end_i,
             sm_counters(S)->cycles - b->ticked_at == (uint64_t)sm_view(S)->cfg->linebacker_period);
  if (in->window_end_i) b->ticked_at = sm_counters(S)->cycles;
  b->ticked |= in->window_end_i;
}

static void check_monitor(struct sm *S, struct victim_laws *b, const struct lm_in *in, const struct lm_out *lm,
                          const struct vtt_in *vtt, const struct vtt_out *o) {
  const bool watches = sm_view(S)->cfg->linebacker_select && lm->mode_o == LM_MONITOR;
  const struct law_event *hit = law_nth(S, LAW_L1_HIT, 0);
  if (law_same(S, "LM: hit_valid_i = hits in the L1 while it watches", in->hit_valid_i,
               watches ? law_count(S, LAW_L1_HIT) : 0) &&
      in->hit_valid_i)
    law_same(S, "LM: hit_pc_i = code address of the load that hits", in->hit_pc_i, code_address(S, hit->op));
  const bool probe = o->response_valid_o && vtt->response_ready_i && o->response_kind_o == VTT_PROBE &&
                     sm_view(S)->cfg->linebacker_select && lm->mode_o == LM_MONITOR;
  if (law_same(S, "LM: miss_valid_i = probes answered while it watches", in->miss_valid_i, probe) && probe) {
    law_same(S, "LM: miss_pc_i = code address of the load that missed", in->miss_pc_i, b->pc[o->response_id_o]);
    law_same(S, "LM: miss_tag_hit_i = the probe's answer", in->miss_tag_hit_i, o->response_hit_o);
  }
}

static void check_lookups(struct sm *S, struct victim_laws *b, const struct vtt_in *in, const struct vtt_out *o) {
  const bool watches = o->effective_mode_o == VTT_MONITOR;
  const enum law_kind kind = watches ? LAW_L1_MISSED : LAW_L1_MISS;
  const unsigned n = o->effective_mode_o == VTT_OFF ? 0 : law_count(S, kind);
  const struct law_event *e = law_nth(S, kind, 0);
  if (law_same(S, "VTT: lookup_valid_i = read misses of the L1", in->lookup_valid_i, n) && n) {
    law_same(S, "VTT: lookup_line_i = number of the line", in->lookup_line_i, line_number(e->line));
    law_same(S, "VTT: lookup_id_i = the MSHR", in->lookup_id_i, e->id);
    if (watches) b->pc[e->id] = code_address(S, e->op);
  }
  law_same(S, "VTT: no miss is held, or leaves at once, against its mode",
           law_count(S, watches || o->effective_mode_o == VTT_OFF ? LAW_L1_MISS : LAW_L1_MISSED), 0);
}

/* Lines that leave the L1: those that VTT is to keep. */
static void check_inserts(struct sm *S, struct victim_net *n, const struct vtt_in *in, const struct vtt_out *o) {
  const bool sel = o->effective_mode_o == VTT_SELECTED, on = o->effective_mode_o != VTT_OFF && o->active_partitions_o;
  const struct law_event *kept = NULL, *last = NULL;
  unsigned count = 0;
  for (unsigned k = 0; on && (last = law_nth(S, LAW_L1_EVICT, k)); k++)
    if (last->answer == (sel ? L1_HELD : L1_GO)) kept = last, count++;
  if (law_same(S, "VTT: insert_valid_i = lines of the L1 that it is to keep", in->insert_valid_i, count) && count)
    law_same(S, "VTT: insert_line_i = number of the line", in->insert_line_i, line_number(kept->line));
  const unsigned asked = on && sel ? law_count(S, LAW_L1_EVICT) : 0;
  if (!asked || !sm_view(S)->cfg->linebacker_select) return;
  last = law_nth(S, LAW_L1_EVICT, asked - 1);
  law_same(S, "LM: query_hash_i = owner of the line", n->lm.in[0].query_hash_i, last->id);
  law_same(S, "LM: query_selected_o = the line is kept", lm_get(n, 0)->query_selected_o, last->answer != L1_GO);
}

static void check_stores(struct sm *S, const struct vtt_in *in, const struct vtt_out *o) {
  const unsigned stores = o->effective_mode_o == VTT_OFF ? 0 : law_count(S, LAW_L1_STORE);
  if (law_same(S, "VTT: invalidate_valid_i = stores and atomics", in->invalidate_valid_i, stores) && stores)
    law_same(S, "VTT: invalidate_line_i = number of the line", in->invalidate_line_i,
             line_number(law_nth(S, LAW_L1_STORE, 0)->line));
}

/* The response that was taken in this cycle went where it says. */
static void check_response(struct sm *S, const struct vtt_in *in, const struct vtt_out *o) {
  const bool taken = o->response_valid_o && in->response_ready_i;
  const bool gone = taken && o->response_kind_o == VTT_LOOKUP && !o->response_hit_o;
  if (law_same(S, "VTT: held reads that leave for L2 = look-ups that miss", law_count(S, LAW_L1_GONE), gone) && gone)
    law_same(S, "VTT: response_id_o = the MSHR that leaves", o->response_id_o, law_nth(S, LAW_L1_GONE, 0)->id);
  if (!taken || gone || o->response_kind_o == VTT_PROBE) return;
  uint32_t row = 0, tag = 0;
  bool write = false;
  if (!law_same(S, "VTT: a response enters the victim port", victim_port_last(S, &row, &tag, &write), true)) return;
  law_same(S, "VTT: response_register_o = row of the access", o->response_register_o, row);
  law_same(S, "VTT: response_kind_o = the access writes", o->response_kind_o == VTT_INSERT, write);
  if (!write) law_same(S, "VTT: response_id_o = the MSHR that waits for the row", o->response_id_o, tag);
}

void linebacker_victim_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct victim_net *n = (struct victim_net *)t;
  const struct lm_in *lm_in = &n->lm.in[0];
  const struct vtt_in *in = &n->vtt.in[0];
  const struct lm_out *lm = lm_get(n, 0);
  const struct vtt_out *o = vtt_get(n, 0);
  bool first, unused;
  struct victim_laws *b = law_memory(S, SLOT_L1, sizeof *b, &first);
  const struct ctl_laws *c = sm_view(S)->cfg->slot_residency == slot_residency_linebacker ? ctl_book(S, &unused) : NULL;
  law_same(S, "VTT: launch_start_i in the launch's first cycle", in->launch_start_i, first);
  check_windows(S, b, lm_in, c);
  check_monitor(S, b, lm_in, lm, in, o);
  check_lookups(S, b, in, o);
  check_inserts(S, n, in, o);
  check_stores(S, in, o);
  check_response(S, in, o);
  law_same(S, "VTT: access_pending_i = accesses in the victim port", in->access_pending_i, victim_port_count(S) != 0);
  if (first) return; /* levels follow from the last cycle's outputs */
  law_same(S, "VTT: mode_i = LM's mode_o", in->mode_i, sm_view(S)->cfg->linebacker_select ? lm->mode_o : VTT_SELECTED);
  if (!c) {
    law_same(S, "VTT: highest_register_i = last register of the CTAs", in->highest_register_i,
             sm_view(S)->cta_limit * registers_of_cta(S) - 1);
    return;
  }
  law_same(S, "VTT: highest_register_i = CTL's highest_register_o", in->highest_register_i, c->top);
  law_same(S, "VTT: hold_i only while CTL's hold_o", in->hold_i & ~(uint64_t)c->hold, 0);
  law_same(S, "CTL: monitor_selected_i = LM's selected_o", c->selected, lm->selected_o);
  law_same(S, "CTL: monitor_off_i = LM has given up", c->off, lm->mode_o == LM_OFF && c->waits);
  law_same(S, "CTL: hold_done_i = VTT's hold_done_o", c->still, c->hold && o->hold_done_o);
}

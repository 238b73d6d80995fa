/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws_ports: the laws of systems/NAME/laws.c (docs/reference/laws.md): a row for each says what is disturbed so that it breaks, in a run in which
 * it holds otherwise. A message without a row fails the test. Those of sm/laws.c: laws_test.c.
 */
#include <glob.h>

#include "laws_asked.h"
#include "laws_messages.h"

#include "blocks/linebacker/ctl.h"
#include "blocks/linebacker/lm.h"
#include "systems/finereg/cta_switch.h"
#include "systems/linebacker/linebacker.h"
#include "systems/ltrf/ltrf.h"
#include "systems/malekeh/malekeh.h"
#include "systems/slices/slices.h"

#define NET linebacker
#define NET_DEF "gen/nets/linebacker.def"
#include "sm/wires.h"
#define NET victim
#define NET_DEF "gen/nets/victim.def"
#include "sm/wires.h"
#define NET ltrf
#define NET_DEF "gen/nets/ltrf.def"
#include "sm/wires.h"
#define NET malekeh
#define NET_DEF "gen/nets/malekeh.def"
#include "sm/wires.h"

/* ---- disturbances that are no bit of a port ---- */

/* Each says whether it can be in this cycle, and is, if `now`. */
static bool happens(struct twins *t, bool now, enum law_kind kind) {
  if (now) law_event(t->sm, &(struct law_event){.kind = (uint8_t)kind});
  return true;
}

static bool quiet_cta(struct twins *t, bool now) {
  struct linebacker_net *n = (struct linebacker_net *)t;
  n->ctl.in[0].quiet_i ^= now;
  return ctl_model(n, 0)->r.state_q == CTL_QUIESCE;
}
/* In the cycle after a CTA came back. */
static bool ctas_elsewhere(struct twins *t, bool now) {
  static uint64_t came;
  struct sm *S = t->sm;
  if (((struct linebacker_net *)t)->ctl.out[0].resume_valid_o) came = S->now;
  for (unsigned c = 0; now && c < S->cta_limit; c++) {
    uint32_t *row = &S->warp[S->cta[c].slot[0]].row;
    put(row, sizeof *row, *row + 1);
  }
  return came && came + 1 == S->now;
}
static bool warp_behind_gate(struct twins *t, bool now) {
  uint64_t *gate = &t->sm->sched[0].gate[SLOT_RESIDENCY];
  if (now) put(gate, sizeof *gate, *gate ^ 1);
  return true;
}
static bool one_cta_more(struct twins *t, bool now) {
  if (now) put(&t->sm->nactive, sizeof t->sm->nactive, t->sm->nactive + 1);
  return true;
}

static bool miss_against_mode(struct twins *t, bool now) {
  const bool held = ((struct victim_net *)t)->vtt.out[0].effective_mode_o == VTT_SELECTED;
  return happens(t, now, held ? LAW_L1_MISSED : LAW_L1_MISS);
}
static bool held_read_leaves(struct twins *t, bool now) { return happens(t, now, LAW_L1_GONE); }
static bool empty_port(struct twins *t, bool now) {
  if (!((struct victim_net *)t)->vtt.in[0].response_ready_i || !t->sm->victim.count) return false;
  if (now) put(&t->sm->victim.count, sizeof t->sm->victim.count, 0);
  return true;
}

/* Unit 0 has an instruction of two passes, which is said to be dispatched. */
static bool leaves_early(struct twins *t, bool now) {
  const struct sm *S = t->sm;
  if (S->group[0].free & 1 || S->inflight[S->group[0].unit[0].inflight].op->nsrc <= 3) return false;
  return happens(t, now, LAW_DISPATCHED);
}

/* A free unit takes the instruction, not the one that was asked. */
static bool another_unit(struct twins *t, bool now) {
  struct malekeh_net *n = (struct malekeh_net *)t;
  const unsigned units = (unsigned)malekeh_size_of(t->sm)->units;
  for (unsigned u = 0; u < units; u++)
    for (unsigned v = 0; v < units; v++) {
      if (!n->ccu.in[u].allocate_valid_i || !(t->sm->group[0].free >> v & 1)) continue;
      if (now) n->ccu.in[u].allocate_valid_i = 0, n->ccu.in[v].allocate_valid_i = 1;
      return true;
    }
  return false;
}

/* ---- Linebacker ---- */
#define C_IN(name) PORT_IN(linebacker, ctl, name)
#define C_OUT(name) PORT_OUT(linebacker, ctl, name)
static const struct row ctl_rows[] = {
    FLIP("CTL: launch_start_i in the launch's first cycle", C_IN(launch_start_i)),
    FLIP_IF("CTL: launch_cta_registers_i = registers of a CTA", C_IN(launch_cta_registers_i), C_IN(launch_start_i)),
    FLIP_IF("CTL: launch_stack_addr_i = address of saved registers", C_IN(launch_stack_addr_i), C_IN(launch_start_i)),
    FLIP_IF("CTL: launch_limit_register_i = last register of the CTAs", C_IN(launch_limit_register_i),
            C_IN(launch_start_i)),
    FLIP("CTL: retired_count_i = instructions retired, summed", C_IN(retired_count_i)),
    FLIP_IF("CTAs begun = CTAs told to the block", C_IN(begin_valid_i), C_IN(begin_valid_i)),
    FLIP_IF("CTL: begin_register_i = first register of the CTA", C_IN(begin_register_i), C_IN(begin_valid_i)),
    FLIP_IF("CTAs ended = CTAs told to the block", C_IN(end_valid_i), C_IN(end_valid_i)),
    FLIP_IF("CTAs ended = CTAs told to the block", C_IN(end_cta_i), C_IN(end_valid_i)),
    {.law = "CTL: quiet_i = the halted CTA has nothing in flight", .by = quiet_cta},
    {.law = "CTL: resume_register_o = first register of the CTA that comes back", .by = ctas_elsewhere},
    FLIP_IF("CTL: warps behind the gate are those of halted CTAs", C_OUT(halt_valid_o), C_OUT(halt_valid_o)),
    FLIP_IF("CTL: warps behind the gate are those of halted CTAs", C_OUT(resume_valid_o), C_OUT(resume_valid_o)),
    {.law = "CTL: warps behind the gate are those of halted CTAs", .by = warp_behind_gate},
    {.law = "CTL: active CTAs = CTAs - halted CTAs", .by = one_cta_more},
    FLIP("CTL: file_response_valid_i in the cycle after each read", C_IN(file_response_valid_i)),
    FLIP_IF("CTL: file_response_data_i = the row that was read", C_IN(file_response_data_i),
            C_IN(file_response_valid_i)),
    FLIP_IF("banks whose read port is taken = banks of the rows read", C_IN(file_read_ready_i),
            C_IN(file_read_ready_i)),
    FLIP_IF("banks whose read port is taken = banks of the rows read", C_OUT(file_read_register_o),
            C_IN(file_read_ready_i)),
    FLIP_IF("banks whose write port is taken = banks of the rows written", C_IN(file_write_ready_i),
            C_IN(file_write_ready_i)),
    FLIP_IF("CTL: file_write_data_o = the row after the write", C_OUT(file_write_data_o), C_IN(file_write_ready_i)),
    FLIP_IF("CTL: file_write_data_o = the row after the write", C_OUT(file_write_register_o), C_IN(file_write_ready_i)),
    FLIP_IF("memory requests of the residency = requests of the block", C_IN(memory_write_ready_i),
            C_IN(memory_write_ready_i)),
    FLIP_IF("memory requests of the residency = requests of the block", C_OUT(memory_write_addr_o),
            C_IN(memory_write_ready_i)),
    FLIP_IF("memory requests of the residency = requests of the block", C_IN(memory_read_ready_i),
            C_IN(memory_read_ready_i)),
    FLIP_IF("memory requests of the residency = requests of the block", C_OUT(memory_read_addr_o),
            C_IN(memory_read_ready_i)),
    FLIP_IF("replies to the residency = replies told to the block", C_IN(memory_response_valid_i),
            C_IN(memory_response_valid_i)),
    FLIP_IF("replies to the residency = replies told to the block", C_IN(memory_response_entry_i),
            C_IN(memory_response_valid_i)),
    FLIP_IF("CTL: memory_response_data_i = what was written to this address", C_IN(memory_response_data_i),
            C_IN(memory_response_valid_i)),
    {.law = "CTL: monitor_off_i = LM has given up",
     .flip = C_IN(monitor_off_i),
     .when = C_IN(retired_count_i),
     .stays = true},
};

#define V_IN(block, name) PORT_IN(victim, block, name)
#define V_OUT(block, name) PORT_OUT(victim, block, name)
static const struct row victim_rows[] = {
    FLIP("LM: window_end_i = CTL's window_end_o", V_IN(lm, window_end_i)),
    FLIP("LM: hit_valid_i = hits in the L1 while it watches", V_IN(lm, hit_valid_i)),
    FLIP_IF("LM: hit_pc_i = code address of the load that hits", V_IN(lm, hit_pc_i), V_IN(lm, hit_valid_i)),
    FLIP("LM: miss_valid_i = probes answered while it watches", V_IN(lm, miss_valid_i)),
    FLIP_IF("LM: miss_pc_i = code address of the load that missed", V_IN(lm, miss_pc_i), V_IN(lm, miss_valid_i)),
    FLIP_IF("LM: miss_tag_hit_i = the probe's answer", V_IN(lm, miss_tag_hit_i), V_IN(lm, miss_valid_i)),
    FLIP_IF("LM: query_hash_i = owner of the line", V_IN(lm, query_hash_i), V_IN(vtt, insert_valid_i)),
    FLIP_IF("LM: query_selected_o = the line is kept", V_OUT(lm, query_selected_o), V_IN(vtt, insert_valid_i)),
    FLIP("VTT: launch_start_i in the launch's first cycle", V_IN(vtt, launch_start_i)),
    FLIP("VTT: lookup_valid_i = read misses of the L1", V_IN(vtt, lookup_valid_i)),
    FLIP_IF("VTT: lookup_line_i = number of the line", V_IN(vtt, lookup_line_i), V_IN(vtt, lookup_valid_i)),
    FLIP_IF("VTT: lookup_id_i = the MSHR", V_IN(vtt, lookup_id_i), V_IN(vtt, lookup_valid_i)),
    {.law = "VTT: no miss is held, or leaves at once, against its mode", .by = miss_against_mode},
    FLIP_IF("VTT: insert_valid_i = lines of the L1 that it is to keep", V_IN(vtt, insert_valid_i),
            V_IN(vtt, insert_valid_i)),
    FLIP_IF("VTT: insert_line_i = number of the line", V_IN(vtt, insert_line_i), V_IN(vtt, insert_valid_i)),
    FLIP_IF("VTT: invalidate_valid_i = stores and atomics", V_IN(vtt, invalidate_valid_i),
            V_IN(vtt, invalidate_valid_i)),
    FLIP_IF("VTT: invalidate_line_i = number of the line", V_IN(vtt, invalidate_line_i), V_IN(vtt, invalidate_valid_i)),
    {.law = "VTT: held reads that leave for L2 = look-ups that miss", .by = held_read_leaves},
    FLIP_IF("VTT: response_id_o = the MSHR that leaves", V_OUT(vtt, response_id_o), V_IN(vtt, response_ready_i)),
    {.law = "VTT: a response enters the victim port", .by = empty_port},
    FLIP_IF("VTT: response_register_o = row of the access", V_OUT(vtt, response_register_o),
            V_IN(vtt, response_ready_i)),
    FLIP_IF("VTT: response_kind_o = the access writes", V_OUT(vtt, response_kind_o), V_IN(vtt, response_ready_i)),
    FLIP_IF("VTT: response_id_o = the MSHR that waits for the row", V_OUT(vtt, response_id_o),
            V_IN(vtt, response_ready_i)),
    FLIP("VTT: access_pending_i = accesses in the victim port", V_IN(vtt, access_pending_i)),
    FLIP("VTT: mode_i = LM's mode_o", V_IN(vtt, mode_i)),
    FLIP("VTT: highest_register_i = CTL's highest_register_o", V_IN(vtt, highest_register_i)),
    FLIP("VTT: hold_i only while CTL's hold_o", V_IN(vtt, hold_i)),
    FLIP("CTL: monitor_selected_i = LM's selected_o", V_OUT(lm, selected_o)),
    FLIP_IF("CTL: hold_done_i = VTT's hold_done_o", V_OUT(vtt, hold_done_o), V_IN(vtt, hold_i)),
};

static void linebacker(void **state) {
  (void)state;
  ask_all(
      &(struct asked){"gtx980",
                      "LB",
                      "MV",
                      "linebacker.period=2000",
                      {WATCHED(linebacker, linebacker, ctl, ctl_rows), WATCHED(victim, linebacker, lm, victim_rows)}});
}

/* Without a residency that counts windows the l1 choice does. */
static const struct row alone_rows[] = {
    FLIP_IF("LM: window_end_i each linebacker.period cycles", V_IN(lm, window_end_i), V_IN(lm, window_end_i)),
    FLIP("VTT: highest_register_i = last register of the CTAs", V_IN(vtt, highest_register_i)),
};
static void windows_alone(void **state) {
  (void)state;
  ask_all(
      &(struct asked){"gtx980", "SVC", "MV", "linebacker.period=2000", {WATCHED(victim, linebacker, lm, alone_rows)}});
}

/* ---- LTRF ---- */
#define P_IN(name) PORT_IN(ltrf, pfu, name)
#define P_OUT(name) PORT_OUT(ltrf, pfu, name)
static const struct row pfu_rows[] = {
    FLIP_IF("warps begun = warps told to the block", P_IN(start_valid_i), P_IN(start_valid_i)),
    FLIP_IF("changes of the active set = commands to the block", P_IN(command_valid_i), P_IN(command_valid_i)),
    FLIP_IF("changes of the active set = commands to the block", P_IN(command_warp_i), P_IN(command_valid_i)),
    FLIP_IF("instructions issued = instructions told to the block", P_IN(issue_valid_i), P_IN(issue_valid_i)),
    FLIP_IF("instructions issued = instructions told to the block", P_IN(issue_warp_i), P_IN(issue_valid_i)),
    FLIP_IF("instructions issued = instructions told to the block", P_IN(issue_source_i), P_IN(issue_valid_i)),
    FLIP_IF("instructions issued = instructions told to the block", P_IN(issue_destination_i), P_IN(issue_valid_i)),
    FLIP_IF("instructions issued = instructions told to the block", P_IN(issue_dead_i), P_IN(issue_valid_i)),
    FLIP_IF("instructions with operands = look-ups in the block", P_IN(lookup_valid_i), P_IN(lookup_valid_i)),
    FLIP_IF("instructions with operands = look-ups in the block", P_IN(lookup_count_i), P_IN(lookup_valid_i)),
    FLIP_IF("instructions with operands = look-ups in the block", P_IN(lookup_source_i), P_IN(lookup_valid_i)),
    FLIP("pfu: result_valid_i = results of this cycle", P_IN(result_valid_i)),
    FLIP_IF("pfu: result_warp_i = warp of the result", P_IN(result_warp_i), P_IN(result_valid_i)),
    FLIP_IF("pfu: result_register_i = register of the result", P_IN(result_register_i), P_IN(result_valid_i)),
    FLIP_IF("pfu: a PREFETCH follows its pseudo instruction", P_IN(command_warp_i), P_IN(command_valid_i)),
    FLIP_IF("pfu: command_registers_i = registers that the interval names", P_IN(command_registers_i),
            P_IN(command_valid_i)),
    FLIP("pfu: main_ready_i = banks of the main file without an access", P_IN(main_ready_i)),
    FLIP("pfu: cache_ready_i = banks of the cache without a read", P_IN(cache_ready_i)),
    FLIP("pfu: fill_valid_i = the main file's access time after each read", P_IN(fill_valid_i)),
    FLIP_IF("pfu: fill_slot_i = slot of the read", P_IN(fill_slot_i), P_IN(fill_valid_i)),
    FLIP_IF("pfu: fill_register_i = register of the read", P_IN(fill_register_i), P_IN(fill_valid_i)),
    FLIP_IF("the cache's row after a fill = the main file's", P_OUT(cache_write_slot_o), P_IN(fill_valid_i)),
    FLIP_IF("banks of the main register file taken = banks of the registers read", P_OUT(main_read_register_o),
            P_OUT(main_read_valid_o)),
    FLIP_IF("banks of the main register file taken = banks of the registers written", P_OUT(main_write_register_o),
            P_OUT(main_write_valid_o)),
    FLIP_IF("the main file's row after a write-back = the cache's", P_OUT(cache_read_slot_o),
            P_OUT(main_write_valid_o)),
};
static void ltrf(void **state) {
  (void)state;
  ask_all(&(struct asked){"gtx980", "LTRF+", "reduction", NULL, {WATCHED(ltrf, ltrf, pfu, pfu_rows)}});
}

/* ---- FineReg ---- */
#define F_IN(block, name) PORT_IN(finereg, block, name)
#define F_OUT(block, name) PORT_OUT(finereg, block, name)
static const struct row finereg_rows[] = {
    FLIP_IF("CTAs begun = CTAs told to the block", F_OUT(csw, launch_valid_o), F_OUT(csw, launch_valid_o)),
    FLIP_IF("CTAs ended = CTAs told to the block", F_IN(csw, finished_valid_i), F_IN(csw, finished_valid_i)),
    FLIP_IF("CTAs ended = CTAs told to the block", F_IN(csw, finished_cta_i), F_IN(csw, finished_valid_i)),
    FLIP_IF("cycles of shared memory's port for contexts = contexts moved x cycles of a context",
            F_OUT(csw, context_move_valid_o), F_OUT(csw, context_move_valid_o)),
    FLIP_IF("memory requests of the residency = requests of the block", F_IN(rmu, memory_request_ready_i),
            F_IN(rmu, memory_request_ready_i)),
    FLIP_IF("live vectors requested = live vectors told to the block", F_IN(rmu, memory_response_valid_i),
            F_IN(rmu, memory_response_valid_i)),
    FLIP_IF("live vectors requested = live vectors told to the block", F_IN(rmu, memory_response_data_i),
            F_IN(rmu, memory_response_valid_i)),
    FLIP_IF("late results taken = late results told to the block", F_IN(rmu, fill_valid_i), F_IN(rmu, fill_valid_i)),
    FLIP_IF("late results taken = late results told to the block", F_IN(rmu, fill_lanes_i), F_IN(rmu, fill_valid_i)),
    FLIP("csm: ready_i = CTAs outside the pipeline that are not stalled", F_IN(csm, ready_i)),
    FLIP("csw: cta_warps_i = warps of a CTA", F_IN(csw, cta_warps_i)),
    FLIP("csw: stalled_i = CTAs in the pipeline that are stalled", F_IN(csw, stalled_i)),
    FLIP("csw: pipeline_slot_free_i = room for an active CTA", F_IN(csw, pipeline_slot_free_i)),
    FLIP("csw: acrf_slot_free_i = room in the register file", F_IN(csw, acrf_slot_free_i)),
    FLIP("csw: new_fits_i = the grid has a CTA, and there is room for it", F_IN(csw, new_fits_i)),
    FLIP("csw: context_move_done_i = the context's use of shared memory's port ends", F_IN(csw, context_move_done_i)),
    FLIP_IF("csw: context_move_done_i = the context's use of shared memory's port ends", F_IN(csw, context_move_done_i),
            F_IN(csw, context_move_done_i)),
    FLIP("RMU: invalidate_i in the launch's first cycle", F_IN(rmu, invalidate_i)),
    FLIP("RMU: vector_base_i = address of the live vectors", F_IN(rmu, vector_base_i)),
    FLIP("RMU: code_base_i = address of the code", F_IN(rmu, code_base_i)),
    FLIP_IF("RMU: pc_live_i = the warp has not ended", F_IN(rmu, pc_live_i), F_IN(rmu, pc_live_i)),
    FLIP_IF("RMU: pc_i = the warp's next instruction", F_IN(rmu, pc_i), F_IN(rmu, pc_live_i)),
    FLIP("RMU: acrf_response_valid_i in the cycle after each read", F_IN(rmu, acrf_response_valid_i)),
    FLIP_IF("RMU: acrf_response_data_i = the register that was read", F_IN(rmu, acrf_response_data_i),
            F_IN(rmu, acrf_response_valid_i)),
    FLIP_IF("banks whose read port is taken = banks of the rows read", F_IN(rmu, acrf_read_ready_i),
            F_IN(rmu, acrf_read_ready_i)),
    FLIP_IF("banks whose write port is taken = banks of the rows written", F_IN(rmu, acrf_write_ready_i),
            F_IN(rmu, acrf_write_ready_i)),
    FLIP_IF("RMU: acrf_write_data_o = the register after the write", F_OUT(rmu, acrf_write_data_o),
            F_IN(rmu, acrf_write_ready_i)),
};
static void finereg(void **state) {
  (void)state;
  ask_all(&(struct asked){"gtx980", "FineReg", "stencil", NULL, {WATCHED(finereg, finereg, csw, finereg_rows)}});
}

/* ---- Malekeh ---- */
#define M_IN(block, name) PORT_IN(malekeh, block, name)
#define M_OUT(block, name) PORT_OUT(malekeh, block, name)
static const struct row malekeh_rows[] = {
    FLIP("rarb: result_valid_i = results that ask for a port", M_IN(rarb, result_valid_i)),
    FLIP_IF("rarb: result_bank_i = bank of the result", M_IN(rarb, result_bank_i), M_IN(rarb, result_valid_i)),
    FLIP("wfil: result_valid_i = results written", M_IN(wfil, result_valid_i)),
    FLIP_IF("wfil: result_warp_i = warp of the result", M_IN(wfil, result_warp_i), M_IN(wfil, result_valid_i)),
    FLIP_IF("wfil: result_near_i = near bit of the result", M_IN(wfil, result_near_i), M_IN(wfil, result_valid_i)),
    FLIP_IF("ccu: snoop_valid_i = results that wfil does not give it", M_IN(ccu, snoop_valid_i),
            M_IN(ccu, snoop_valid_i)),
    FLIP_IF("ccu: snoop_warp_i = warp of the result", M_IN(ccu, snoop_warp_i), M_IN(ccu, snoop_valid_i)),
    FLIP_IF("ccu: snoop_register_i = register of the result", M_IN(ccu, snoop_register_i), M_IN(ccu, snoop_valid_i)),
    FLIP_IF("ccu: cache_valid_i = a result that wfil gives it", M_IN(ccu, cache_valid_i), M_IN(ccu, cache_valid_i)),
    FLIP_IF("ccu: cache_warp_i = warp of the result", M_IN(ccu, cache_warp_i), M_IN(ccu, cache_valid_i)),
    FLIP_IF("ccu: cache_register_i = register of the result", M_IN(ccu, cache_register_i), M_IN(ccu, cache_valid_i)),
    FLIP_IF("ccu: cache_near_i = near bit of the result", M_IN(ccu, cache_near_i), M_IN(ccu, cache_valid_i)),
    FLIP_IF("ccu: cache_lanes_i = lanes of the result", M_IN(ccu, cache_lanes_i), M_IN(ccu, cache_valid_i)),
    FLIP("ccu: operand_valid_i = registers that rarb gives the unit", M_IN(ccu, operand_valid_i)),
    FLIP_IF("ccu: operand_entry_i = the unit's entry", M_IN(ccu, operand_entry_i), M_IN(ccu, operand_valid_i)),
    FLIP_IF("ccu: operand_data_i = the bank's row", M_IN(ccu, operand_data_i), M_IN(ccu, operand_valid_i)),
    FLIP_IF("rarb: the bank that gives an operand is that of its row", M_OUT(rarb, operand_bank_o),
            M_OUT(rarb, operand_valid_o)),
    FLIP_IF("rarb: request_valid_i = requests of the unit", M_IN(rarb, request_valid_i), M_IN(rarb, request_valid_i)),
    FLIP("rarb: request_valid_i = requests of the units", M_IN(rarb, request_valid_i)),
    FLIP_IF("rarb: request_collector_i = the unit", M_IN(rarb, request_collector_i), M_IN(rarb, request_valid_i)),
    FLIP_IF("rarb: request_register_i = register of the request", M_IN(rarb, request_register_i),
            M_IN(rarb, request_valid_i)),
    FLIP_IF("rarb: request_entry_i = entry of the request", M_IN(rarb, request_entry_i), M_IN(rarb, request_valid_i)),
    FLIP_IF("rarb: request_bank_i = bank of the register", M_IN(rarb, request_bank_i), M_IN(rarb, request_valid_i)),
    FLIP("ccu: dispatch_take_i = the unit's instruction has been dispatched", M_IN(ccu, dispatch_take_i)),
    FLIP("ccu: exit_warps_i = warps that have ended", M_IN(ccu, exit_warps_i)),
    FLIP_IF("ccu: allocate_valid_i = instructions that the units have taken", M_IN(ccu, allocate_valid_i),
            M_IN(ccu, allocate_valid_i)),
    {.law = "ccu: allocate_valid_i of a unit that has an instruction: it is free", .by = another_unit},
    FLIP_IF("ccu: allocate_meta_i = the unit's instruction", M_IN(ccu, allocate_meta_i), M_IN(ccu, allocate_valid_i)),
    FLIP_IF("ccu: allocate_warp_i = warp of the instruction", M_IN(ccu, allocate_warp_i), M_IN(ccu, allocate_valid_i)),
    FLIP_IF("ccu: allocate_source_i = sources of the instruction", M_IN(ccu, allocate_source_i),
            M_IN(ccu, allocate_valid_i)),
    FLIP_IF("ccu: allocate_near_i = near bits of the sources", M_IN(ccu, allocate_near_i), M_IN(ccu, allocate_valid_i)),
    FLIP_IF("ccu: allocate_register_i = register of the source", M_IN(ccu, allocate_register_i),
            M_IN(ccu, allocate_valid_i)),
    FLIP_IF("alloc: warp_ready_i = ready warps", M_IN(alloc, warp_ready_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: warp_direct_i = ready warps that need no unit", M_IN(alloc, warp_direct_i),
            M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: age_warp_i = warps in the order in which they began", M_IN(alloc, age_warp_i),
            M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: owner_valid_i = the unit's", M_IN(alloc, owner_valid_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: owner_warp_i = the unit's", M_IN(alloc, owner_warp_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: busy_i = the unit's", M_IN(alloc, busy_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: cached_i = the unit's", M_IN(alloc, cached_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: cached_near_i = the unit's", M_IN(alloc, cached_near_i), M_IN(alloc, warp_ready_i)),
    FLIP_IF("alloc: threshold_i = sthld's threshold_o", M_IN(alloc, threshold_i), M_IN(sthld, tick_i)),
    FLIP_IF("sthld: tick_i each malekeh.interval cycles", M_IN(sthld, tick_i), M_IN(sthld, tick_i)),
    FLIP_IF("sthld: instructions_i = instructions of the interval", M_IN(sthld, instructions_i), M_IN(sthld, tick_i)),
};
static void malekeh(void **state) {
  (void)state;
  ask_all(&(struct asked){
      "rtx2060", "Malekeh", "hotspot", "malekeh.interval=1000", {WATCHED(malekeh, malekeh, rarb, malekeh_rows)}});
}

/* ---- slices ---- */
#define S_IN(block, name) PORT_IN(slices, block, name)
#define S_OUT(block, name) PORT_OUT(slices, block, name)
static const struct row slices_rows[] = {
    FLIP("SIT: load_valid_i = the table has such an entry", S_IN(sit, load_valid_i)),
    FLIP_IF("SIT: load_addr_i = register of the entry", S_IN(sit, load_addr_i), S_IN(sit, load_valid_i)),
    FLIP_IF("SIT: load_entry_i = the entry", S_IN(sit, load_entry_i), S_IN(sit, load_valid_i)),
    FLIP("DIT: load_valid_i = the table has such an entry", S_IN(dit, load_valid_i)),
    FLIP_IF("DIT: load_addr_i = register of the entry", S_IN(dit, load_addr_i), S_IN(dit, load_valid_i)),
    FLIP_IF("DIT: load_entry_i = the entry", S_IN(dit, load_entry_i), S_IN(dit, load_valid_i)),
    FLIP("SCU: allocate_valid_i of a unit that has an instruction: it is free", S_IN(scu_bank, allocate_valid_i)),
    FLIP_IF("SCU: allocate_valid_i = instructions that the units have taken", S_IN(scu_bank, allocate_valid_i),
            S_IN(scu_bank, allocate_valid_i)),
    FLIP("SCU: allocate_valid_i = instructions that the units have taken",
         S_IN(scu_bank, allocate_valid_i)), /* a first pass once more */
    {.law = "SCU: allocate_valid_i for each pass of an instruction that is dispatched: sources left",
     .by = leaves_early},
    FLIP_IF("SCU: allocate_meta_i = the unit's instruction", S_IN(scu_bank, allocate_meta_i),
            S_IN(scu_bank, allocate_valid_i)),
    FLIP_IF("SCU: allocate_source_i = sources of the pass", S_IN(scu_bank, allocate_source_i),
            S_IN(scu_bank, allocate_valid_i)),
    FLIP_IF("SCU: allocate_signed_i = sources that are sign-extended", S_IN(scu_bank, allocate_signed_i),
            S_IN(scu_bank, allocate_source_i)),
    FLIP_IF("SCU: allocate_convert_i = sources that are converted", S_IN(scu_bank, allocate_convert_i),
            S_IN(scu_bank, allocate_source_i)),
    FLIP_IF("SCU: allocate_addr_i = register of the source", S_IN(scu_bank, allocate_addr_i),
            S_IN(scu_bank, allocate_source_i)),
    FLIP("SCU: response_valid_i = look-ups that the SIT answers", S_IN(scu_bank, response_valid_i)),
    FLIP_IF("SCU: response_entry_i = entry of the source", S_IN(scu_bank, response_entry_i),
            S_IN(scu_bank, response_valid_i)),
    FLIP_IF("SCU: part_valid_i = the operand that a bank gives", S_IN(scu_bank, part_valid_i),
            S_IN(scu_bank, part_valid_i)),
    FLIP_IF("SCU: part_data_i = what the extractor gives", S_IN(scu_bank, part_data_i), S_IN(scu_bank, part_valid_i)),
    FLIP_IF("extractor: entry_i = entry of the source", S_IN(wve, entry_i), S_IN(scu_bank, part_valid_i)),
    FLIP_IF("extractor: part_i = the part that the bank gives", S_IN(wve, part_i), S_IN(scu_bank, part_valid_i)),
    FLIP_IF("extractor: signed_i = the source is sign-extended", S_IN(wve, signed_i), S_IN(scu_bank, part_valid_i)),
    FLIP_IF("extractor: data_i = the bank's row", S_IN(wve, data_i), S_IN(scu_bank, part_valid_i)),
    FLIP_IF("results = results told to the block", S_IN(dit, write_valid_i), S_IN(dit, write_valid_i)),
    FLIP_IF("results = results told to the block", S_IN(dit, write_addr_i), S_IN(dit, write_valid_i)),
    FLIP_IF("results = results told to the block", S_IN(dit, write_payload_i), S_IN(dit, write_valid_i)),
    FLIP_IF("VT: parts taken (part0_ready_i, part1_ready_i) = rows written", S_IN(vt, part0_ready_i),
            S_IN(vt, part0_ready_i)),
};
static void slices_identity(void **state) { /* doubles: instructions of two passes */
  (void)state;
  ask_all(
      &(struct asked){"gtx480", "slices-identity", "stencil_f64", NULL, {WATCHED(slices, slice, sit, slices_rows)}});
}

/* ---- no message without a row ---- */
static bool is_in(const struct row *row, size_t n, const char *message) {
  for (size_t k = 0; k < n; k++)
    if (!strcmp(row[k].law, message)) return true;
  return false;
}
#define IS_IN(table) is_in(table, sizeof table / sizeof *table, message)
static bool has(const char *message) {
  return IS_IN(ctl_rows) || IS_IN(victim_rows) || IS_IN(alone_rows) || IS_IN(pfu_rows) || IS_IN(finereg_rows) ||
         IS_IN(malekeh_rows) || IS_IN(slices_rows);
}
static void every_message_has_a_row(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob("cmodel/systems/*/laws.c", 0, NULL, &files), 0);
  for (size_t k = 0; k < files.gl_pathc; k++) each_message(files.gl_pathv[k], has);
  globfree(&files);
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_message_has_a_row),
      cmocka_unit_test(linebacker),
      cmocka_unit_test(windows_alone),
      cmocka_unit_test(ltrf),
      cmocka_unit_test(finereg),
      cmocka_unit_test(malekeh),
      cmocka_unit_test(slices_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linebacker: the residency of Linebacker (ISCA'19, sections 3.4, 4.1, 4.2): CTL watches IPC window by window, and throttles CTAs while
 * it rises: a CTA is halted until nothing of it is under way, its registers go to memory, and its range is lent to the l1 choice. When IPC
 * falls, the CTA that was throttled last comes back.
 *
 * Every CTA's begin and end goes through CTL, which says where the next one's registers lie. Its transfers take the ports that operands
 * and results leave free, and travel through the memory system past the L1. To the l1 choice it speaks by the hooks window, lease and mode.
 */
#include <stdlib.h>
#include <string.h>

#include "blocks/linebacker/ctl.h"
#include "systems/linebacker/linebacker.h"

#define NET linebacker
#define NET_DEF "gen/nets/linebacker.def"
#define NET_TABLE
#define NET_LAWS linebacker_ctl_laws
#include "sm/wires.h"

enum { NOBODY = ctl_NumCtas };

struct linebacker {
  struct linebacker_net net;
  const struct code *last;          /* kernel of the last launch; NULL: none yet */
  bool on, begins;                  /* in this launch; launch_start_i is still to be given */
  bool keep;                        /* with launch_keep_i */
  bool placing;                     /* CTAs of the launch's begin */
  unsigned placed;                  /* of these, so many */
  uint32_t cta_registers, ended;    /* registers of a CTA; CTAs whose end CTL has not been told */
  unsigned halted;                  /* CTA that is to become quiet; NOBODY */
  uint64_t retired;                 /* as of the last cycle */
  uint32_t come[ctl_BufferEntries]; /* entries that memory has answered, in order */
  unsigned ncome;
  uint32_t asked[ctl_BufferEntries]; /* address of each entry's read */
  bool reading;                      /* a register comes in the next cycle */
  uint32_t read[32];
  uint32_t *saved; /* [32 CTAs][cta_registers][32], with sim.check: memory from saved_base on */
};

static struct linebacker *linebacker_of(const struct sm *S) { return choice_of(S, SLOT_RESIDENCY); }

static bool fits(const struct config *c, const struct slots *slots, struct err *e) {
  const char *mine = "slot.residency linebacker";
  if (!slot_needs(e, mine, "storage", slots->storage->name, "flat",
                  "its control reads and writes a CTA's registers in rows of the flat file"))
    return false;
  if (c->sm_subcores)
    return err_at(e, NULL, 0, 0, "%s with sm.subcores true, expected sm.subcores=false: one port moves the registers",
                  mine);
  if (!c->linebacker_select)
    return err_at(e, NULL, 0, 0,
                  "%s with linebacker.select false, expected linebacker.select=true: CTAs are throttled once the load "
                  "monitor has selected loads",
                  mine);
  return c->lsu_lines == 1 ||
         err_at(e, NULL, 0, 0, "%s with lsu.lines %lld, expected lsu.lines=1: the load monitor has one port", mine,
                (long long)c->lsu_lines);
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  choice_set(S, SLOT_RESIDENCY, xcalloc_lines(1, sizeof(struct linebacker)));
  return true;
}

static void done(struct sm *S) {
  struct linebacker *s = linebacker_of(S);
  if (!s) return;
  free(s->saved), free(s);
}

static void linebacker_begin(struct sm *S, struct linebacker *s, const struct code *code) {
  const bool first = !s->last;
  s->keep =
      !first && sm_view(S)->cfg->linebacker_across == linebacker_across_loads && !strcmp(s->last->file, code->file);
  s->last = code;
  if (first) {
    twins_start(&s->net.t, &linebacker_twins, S, 0);
    struct ctl_params size = ctl_defaults();
    size.Period = (uint64_t)sm_view(S)->cfg->linebacker_period;
    ctl_size(ctl_model(&s->net, 0), &size);
  } else {
    twins_resume(&s->net.t, &linebacker_twins);
  }
  s->begins = s->placing = true;
  s->placed = 0;
  s->cta_registers = registers_of_cta(S);
  s->ended = 0;
  s->halted = NOBODY;
  s->retired = sm_counters(S)->retired;
  s->ncome = 0;
  s->reading = false;
  free(s->saved);
  s->saved = sm_view(S)->check ? xcalloc_lines((size_t)sm_view(S)->cta_limit * s->cta_registers, 128) : NULL;
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct linebacker *s = linebacker_of(S);
  if (!ledger_plan(S, k, e) || !saved_fits(S, e)) return false;
  const char *why = linebacker_unfit(S);
  s->on = !why;
  if (why) plan_warn_without(S, SLOT_RESIDENCY, k, "Linebacker", why);
  if (s->on) linebacker_begin(S, s, k->code);
  return true;
}

/* ---- CTAs that begin and end ---- */

/* A CTA that begins at one of the launch's places, as long as there are some and the grid has CTAs. */
static int linebacker_place(struct sm *S, struct linebacker *s, unsigned *rf_slot) {
  if (!grid_has_cta(S) || s->placed == sm_view(S)->cta_limit) {
    s->placing = false;
    return -1;
  }
  *rf_slot = s->placed;
  return (int)s->placed++;
}

/* One that begins where CTL says: its slot has been used, and CTL knows that it is free again. */
static int linebacker_fill(struct sm *S, struct linebacker *s, const struct ctl_out *o, unsigned *rf_slot) {
  if (!grid_has_cta(S)) return -1;
  const uint64_t taken = ctl_model(&s->net, 0)->r.occupied_q;
  unsigned c = 0;
  while (c < sm_view(S)->cta_limit && (cta_view(S, c)->used || bit_is64(taken, c))) c++;
  if (c == sm_view(S)->cta_limit) return -1;
  *rf_slot = (unsigned)o->offer_register_o / s->cta_registers;
  return (int)c;
}

static int launch(struct sm *S, unsigned *rf_slot) {
  struct linebacker *s = linebacker_of(S);
  if (!s->on) return cta_lowest(S, rf_slot);
  if (s->begins) return -1;
  const struct ctl_out *o = ctl_get(&s->net, 0);
  const int c = s->placing         ? linebacker_place(S, s, rf_slot)
                : o->offer_valid_o ? linebacker_fill(S, s, o, rf_slot)
                                   : -1;
  if (c < 0) return c;
  struct ctl_in *in = ctl_set(&s->net, 0);
  in->begin_valid_i = 1;
  in->begin_cta_i = (unsigned)c;
  in->begin_register_i = *rf_slot * s->cta_registers;
  return c;
}

static void linebacker_gate(struct sm *S, unsigned c, bool shut) {
  occupancy_note(S);
  cta_set_active(S, shut ? sm_view(S)->nactive - 1 : sm_view(S)->nactive + 1);
  cta_gate(S, c, shut);
  sm_keep_awake(S);
}

static void cta(struct sm *S, unsigned c, enum cta_event ev) {
  struct linebacker *s = linebacker_of(S);
  if (!s->on || ev != CTA_ENDED) return;
  s->ended |= 1u << c;
  if (s->halted != c) return;
  linebacker_gate(S, c,
                  false); /* its last instructions were under way when it was halted: another one will use its slot */
  s->halted = NOBODY;
}

/* ---- ENGINE: CTL's transfers ---- */
static bool linebacker_claim(struct sm *S, uint64_t row, int what) {
  return rf_claim(S, 0, rf_row_bank(S, (uint32_t)row), what);
}

static uint32_t *linebacker_saved_row(const struct sm *S, struct linebacker *s, uint64_t address) {
  return s->saved + (address - saved_base(S)) / 128 * 32;
}

static void linebacker_save(struct sm *S, struct linebacker *s, const struct ctl_out *o) {
  struct ctl_in *in = ctl_set(&s->net, 0);
  if (s->reading) {
    s->reading = false;
    in->file_response_valid_i = 1;
    if (sm_view(S)->check) memcpy(in->file_response_data_i, s->read, sizeof s->read);
  }
  if (o->file_read_valid_o && linebacker_claim(S, o->file_read_register_o, RF_READ)) {
    in->file_read_ready_i = s->reading = true;
    if (sm_view(S)->check) memcpy(s->read, check_file(S, (uint32_t)o->file_read_register_o), sizeof s->read);
  }
  if (!o->memory_write_valid_o || !memory_takes(S)) return;
  const struct mem_req r = {
      .addr = (uint32_t)o->memory_write_addr_o, .kind = MEM_WRITE, .sectors = 15, .words = ~0u, .bytes = 128};
  sm_post(S, &r);
  if (sm_view(S)->check) memcpy(linebacker_saved_row(S, s, o->memory_write_addr_o), o->memory_write_data_o, 128);
  in->memory_write_ready_i = 1;
  sm_counters(S)->backup_writes++;
}

static void linebacker_restore(struct sm *S, struct linebacker *s, const struct ctl_out *o) {
  struct ctl_in *in = ctl_set(&s->net, 0);
  if (o->file_write_valid_o && linebacker_claim(S, o->file_write_register_o, RF_WRITE)) {
    in->file_write_ready_i = 1;
    if (sm_view(S)->check) memcpy(check_file(S, (uint32_t)o->file_write_register_o), o->file_write_data_o, 128);
  }
  if (!o->memory_read_valid_o || !memory_takes(S)) return;
  const struct mem_req r = {.addr = (uint32_t)o->memory_read_addr_o,
                            .tag = TAG_RESIDENCY | (uint32_t)o->memory_read_entry_o,
                            .kind = MEM_READ,
                            .sectors = 15};
  sm_post(S, &r);
  s->asked[o->memory_read_entry_o] = (uint32_t)o->memory_read_addr_o;
  in->memory_read_ready_i = 1;
  sm_counters(S)->backup_reads++;
}

static void engine(struct sm *S) {
  struct linebacker *s = linebacker_of(S);
  if (!s->on) return;
  const struct ctl_out *o = ctl_get(&s->net, 0);
  if (s->reading || o->file_read_valid_o || o->memory_write_valid_o) linebacker_save(S, s, o);
  if (o->file_write_valid_o || o->memory_read_valid_o) linebacker_restore(S, s, o);
}

static void reply(struct sm *S, const struct mem_reply *r) {
  struct linebacker *s = linebacker_of(S);
  s->come[s->ncome++] = r->tag & ~TAG_RESIDENCY;
  sm_keep_awake(S);
}

/* ---- COMMIT ---- */
static void tell_ctl(struct sm *S, struct linebacker *s, const struct ctl_out *o) {
  const int m = l1_mode(S);
  struct ctl_in *in = ctl_set(&s->net, 0);
  in->retired_count_i = sm_counters(S)->retired - s->retired;
  s->retired = sm_counters(S)->retired;
  in->hold_done_i = o->hold_o && (m & VICTIM_STILL);
  in->monitor_selected_i = (m & VICTIM_SELECTED) != 0;
  in->monitor_off_i = (m & VICTIM_MODE) == VTT_OFF && ctl_model(&s->net, 0)->r.policy_q == CTL_WAIT;
  if (s->ended) {
    in->end_valid_i = 1;
    in->end_cta_i = (unsigned)bit_low32(s->ended);
    s->ended &= s->ended - 1;
  }
  /* a bar.red whose barrier the halted warps will never open does not count (docs/blocks/linebacker/overview.md, L33) */
  in->quiet_i = s->halted != NOBODY && cta_is_quiet(S, s->halted) ? 1ull << s->halted : 0;
  if (s->ncome) {
    in->memory_response_valid_i = 1;
    in->memory_response_entry_i = s->come[0];
    if (sm_view(S)->check) memcpy(in->memory_response_data_i, linebacker_saved_row(S, s, s->asked[s->come[0]]), 128);
    memmove(s->come, s->come + 1, --s->ncome * sizeof *s->come);
  }
  if (!s->begins) return;
  s->begins = false;
  in->launch_start_i = 1;
  in->launch_keep_i = s->keep;
  in->launch_cta_registers_i = s->cta_registers;
  in->launch_stack_addr_i = saved_base(S);
  in->launch_limit_register_i = sm_view(S)->cta_limit * s->cta_registers - 1;
}

static void linebacker_obey(struct sm *S, struct linebacker *s, const struct ctl_out *o) {
  /* The CTA may have ended in this cycle; CTL learns that while it waits for it. */
  if (o->halt_valid_o && cta_view(S, o->halt_cta_o)->used) {
    s->halted = (unsigned)o->halt_cta_o;
    linebacker_gate(S, s->halted, true);
    probe_tell(S, s->halted, PROBE_CONTEXT);
  }
  if (o->resume_valid_o) {
    const unsigned c = (unsigned)o->resume_cta_o;
    cta_rf_slot(S, c, (unsigned)o->resume_register_o / s->cta_registers);
    linebacker_gate(S, c, false);
    probe_tell(S, c, PROBE_COMES), probe_tell(S, c, PROBE_ACTIVE);
    sm_counters(S)->reactivated++;
  }
}

static void commit(struct sm *S) {
  struct linebacker *s = linebacker_of(S);
  if (!s->on) return;
  const struct ctl_out *o = ctl_get(&s->net, 0);
  tell_ctl(S, s, o);
  o = ctl_get(&s->net, 0);
  if (o->window_end_o) l1_window(S);
  linebacker_obey(S, s, o);
  twins_commit(&s->net.t, &linebacker_twins);
  o = ctl_get(&s->net, 0);
  const uint64_t step = ctl_model(&s->net, 0)->r.state_q;
  if (step == CTL_BACKUP_DONE) sm_counters(S)->throttled++;
  if (step == CTL_BACKUP && s->halted != NOBODY)
    probe_tell(S, s->halted, PROBE_LEAVES), probe_tell(S, s->halted, PROBE_PENDING);
  if (step != CTL_QUIESCE && step != CTL_HALT) s->halted = NOBODY;
  l1_lease(S, o->hold_o && !s->placing, (uint32_t)o->highest_register_o + 1);
}

static uint64_t idle(struct sm *S) {
  struct linebacker *s = linebacker_of(S);
  if (!s->on) return NEVER;
  if (s->begins || s->placing || s->ended || s->ncome || s->reading) return 0;
  const int m = l1_mode(S);
  const bool off = (m & VICTIM_MODE) == VTT_OFF && ctl_model(&s->net, 0)->r.policy_q == CTL_WAIT;
  if (off || m & VICTIM_SELECTED || (m & VICTIM_STILL && ctl_get(&s->net, 0)->hold_o)) return 0;
  const struct ctl_out *o = ctl_get(&s->net, 0);
  if (o->file_read_valid_o || o->file_write_valid_o) return 0;
  const uint64_t n = twins_idle(&s->net.t, &linebacker_twins);
  return o->memory_write_valid_o || o->memory_read_valid_o ? u64_min(n, linebacker_post_in(S)) : n;
}

static void skip(struct sm *S, uint64_t n) {
  struct linebacker *s = linebacker_of(S);
  if (s->on) twins_skip(&s->net.t, &linebacker_twins, n);
}

static bool end(struct sm *S, struct err *e) {
  const struct sm_stats *t = sm_counters(S);
  for (uint32_t left = sm_view(S)->laws ? linebacker_of(S)->ended : 0; left; left &= left - 1)
    law_told(S, LAW_ENDED, (unsigned)bit_low32(left), 0);
  for (unsigned k = 0; k < sm_view(S)->nsched; k++)
    if (scheduler_view(S, k)->gate[SLOT_RESIDENCY])
      return err_at(e, NULL, 0, 0,
                    "conservation law broken: found warps halted after the launch; this is a bug of the simulator");
  return (t->backup_reads == t->backup_writes && t->throttled == t->reactivated) ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: throttled CTAs came back (%llu, %llu), with the registers that they saved "
                "(%llu, %llu); this is a bug of the simulator",
                (unsigned long long)t->throttled, (unsigned long long)t->reactivated,
                (unsigned long long)t->backup_writes, (unsigned long long)t->backup_reads);
}

const struct residency_ops residency_linebacker = {.name = "linebacker",
                                                   .fits = fits,
                                                   .init = init,
                                                   .done = done,
                                                   .plan = plan,
                                                   .launch = launch,
                                                   .cta = cta,
                                                   .reply = reply,
                                                   .engine = engine,
                                                   .commit = commit,
                                                   .idle = idle,
                                                   .skip = skip,
                                                   .end = end};

/* SPDX-License-Identifier: Apache-2.0 */
/* ctl: IPC monitor and CTA manager. docs/blocks/linebacker/ctl.md. */
#include "blocks/linebacker/ctl.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = ctl_NumCtas };
enum {
  REG = 0x7ff,
  MEMORY = REG
}; /* the largest register; the first register of a CTA whose registers are in memory */
static const uint64_t WORD = UINT32_MAX;

void ctl_reset(struct ctl *s) {
  memset(s, 0, sizeof *s);
  s->size = ctl_defaults();
}

void ctl_size(struct ctl *s, const struct ctl_params *p) {
  BLOCK_RULE(p->Period && p->Period <= ctl_Period_most);
  s->size = *p;
}

/* ---- CTAs and their ranges ---- */

/* CTAs that hold registers. */
static uint64_t ctl_holders(const struct ctl *s) { return s->r.occupied_q & ~s->r.saved_q; }

/* The last register of the range that begins here. */
static uint64_t ctl_last_register(const struct ctl *s, uint64_t first) { return first + s->r.cta_registers_q - 1; }

/* Bytes of the backup stack that so many CTAs take. */
static uint64_t ctl_stack_bytes(const struct ctl *s, uint64_t ctas) { return 128 * s->r.cta_registers_q * ctas; }

static unsigned highest_range(const struct ctl *s, uint64_t set) {
  unsigned best = NONE;
  for (; set; set &= set - 1) {
    const unsigned cta = (unsigned)bit_low64(set);
    if (best == NONE || s->r.first_register_q[cta] > s->r.first_register_q[best]) best = cta;
  }
  return best;
}

/* The last register of the highest range; 0 if no CTA holds registers. */
static uint64_t highest_register(const struct ctl *s) {
  const unsigned cta = highest_range(s, ctl_holders(s));
  return cta == NONE ? 0 : ctl_last_register(s, s->r.first_register_q[cta]);
}

/* The CTA that was throttled last. */
static unsigned ctl_stack_top(const struct ctl *s) {
  const uint64_t addr = (s->r.stack_addr_q - ctl_stack_bytes(s, 1)) & WORD;
  for (uint64_t set = s->r.occupied_q & s->r.saved_q; set; set &= set - 1) {
    if (s->r.backup_addr_q[bit_low64(set)] == addr) return (unsigned)bit_low64(set);
  }
  return NONE;
}

/* ---- backup and restore: registers between the register file and memory ---- */
/* The entry of the buffer that the k-th register takes. */
static unsigned ctl_entry_of(uint64_t k) { return (unsigned)(k % ctl_BufferEntries); }
/* True if another register is to be requested. */
static bool ctl_asks(const struct ctl *s) {
  return s->requested_q < s->r.cta_registers_q && s->requested_q - s->written_q < ctl_BufferEntries;
}
/* True if the oldest entry has its value, which is to be written. */
static bool ctl_gives(const struct ctl *s) { return s->filled_q >> ctl_entry_of(s->written_q) & 1; }
/* Requests without a response. */
static uint64_t ctl_under_way(const struct ctl *s) {
  return s->requested_q - s->written_q - (uint64_t)bit_count32(s->filled_q);
}

void ctl_eval(const struct ctl *s, const struct ctl_in *in, struct ctl_out *out) {
  (void)in;
  *out = (struct ctl_out){.window_end_o = s->r.window_cycle_q == s->size.Period - 1,
                          .highest_register_o = s->r.highest_register_q};
  switch (s->r.state_q) {
    case CTL_HOLD: out->hold_o = 1; break;
    case CTL_HALT:
      out->halt_valid_o = 1;
      out->halt_cta_o = s->moved_cta_q;
      break;
    case CTL_OFFER:
      out->offer_valid_o = 1;
      out->offer_register_o = s->r.target_register_q;
      break;
    case CTL_BACKUP:
      out->file_read_valid_o = ctl_asks(s);
      if (out->file_read_valid_o) out->file_read_register_o = s->r.first_register_q[s->moved_cta_q] + s->requested_q;
      out->memory_write_valid_o = ctl_gives(s);
      if (!out->memory_write_valid_o) break;
      out->memory_write_addr_o = (s->r.stack_addr_q + 128 * s->written_q) & WORD;
      if (!s->r.control_only)
        memcpy(out->memory_write_data_o, s->buffer_q[ctl_entry_of(s->written_q)], sizeof out->memory_write_data_o);
      break;
    case CTL_RESTORE:
      out->memory_read_valid_o = ctl_asks(s);
      if (out->memory_read_valid_o) {
        out->memory_read_addr_o = (s->r.backup_addr_q[s->moved_cta_q] + 128 * s->requested_q) & WORD;
        out->memory_read_entry_o = ctl_entry_of(s->requested_q);
      }
      out->file_write_valid_o = ctl_gives(s);
      if (!out->file_write_valid_o) break;
      out->file_write_register_o = s->r.target_register_q + s->written_q;
      if (!s->r.control_only)
        memcpy(out->file_write_data_o, s->buffer_q[ctl_entry_of(s->written_q)], sizeof out->file_write_data_o);
      break;
    case CTL_RESTORE_DONE:
      out->resume_valid_o = 1;
      out->resume_cta_o = s->moved_cta_q;
      out->resume_register_o = s->r.target_register_q;
      break;
    default: break;
  }
}

/* ---- the clock edge ---- */
enum trend { STEADY, UP, DOWN };

static enum trend ctl_monitor(struct ctl *s, const struct ctl_in *in) {
  const uint64_t instructions = (s->r.window_instructions_q + in->retired_count_i) & WORD;
  if (s->r.window_cycle_q != s->size.Period - 1) {
    s->r.window_cycle_q++;
    s->r.window_instructions_q = instructions;
    return STEADY;
  }
  s->r.previous_instructions_q = s->r.current_instructions_q;
  s->r.current_instructions_q = instructions;
  s->r.window_cycle_q = s->r.window_instructions_q = 0;
  const uint64_t current = s->r.current_instructions_q, previous = s->r.previous_instructions_q;
  return 10 * current > 11 * previous ? UP : 10 * current < 9 * previous ? DOWN : STEADY;
}

static void decide_policy(struct ctl *s, const struct ctl_in *in) {
  if (s->r.policy_q != CTL_WAIT || !(in->monitor_selected_i || in->monitor_off_i)) return;
  s->r.policy_q = in->monitor_selected_i ? CTL_RUN : CTL_OFF;
  s->r.throttle_pending_q = in->monitor_selected_i;
  s->r.mode_pending_q = 1;
}

static void ctl_synchronize(struct ctl *s, enum ctl_step next) {
  s->r.state_q = CTL_HOLD;
  s->after_hold_q = next;
}

/* The state idle, by the policy and mode_pending_q of the cycle's start. */
static void ctl_decide(struct ctl *s, enum trend trend, uint64_t policy, uint64_t mode_pending) {
  if (mode_pending) {
    s->r.mode_pending_q = 0;
    ctl_synchronize(s, s->r.throttle_pending_q ? CTL_THROTTLE : CTL_IDLE);
  } else if (s->r.end_pending_q) {
    const unsigned cta = (unsigned)bit_low64(s->r.end_pending_q);
    s->r.end_pending_q &= ~(1ull << cta);
    s->r.occupied_q &= ~(1ull << cta);
    s->r.active_q &= ~(1ull << cta);
    s->r.target_register_q = s->r.first_register_q[cta];
    s->r.state_q = ctl_stack_top(s) == NONE ? CTL_OFFER : CTL_RESERVE;
  } else if (policy == CTL_RUN && trend != STEADY) {
    s->r.state_q = trend == UP ? CTL_THROTTLE : CTL_REACTIVATE;
  }
}

static void ctl_throttle(struct ctl *s) {
  const uint64_t active = s->r.occupied_q & s->r.active_q;
  s->r.state_q = CTL_IDLE;
  s->r.throttle_pending_q = 0;
  if (bit_count64(active) < 2) return;
  s->moved_cta_q = highest_range(s, active);
  s->r.active_q &= ~(1ull << s->moved_cta_q);
  s->r.state_q = CTL_HALT;
}

static void begin_moves(struct ctl *s, enum ctl_step step) {
  s->r.state_q = step;
  s->requested_q = s->written_q = 0;
}

static void ctl_quiesce(struct ctl *s, const struct ctl_in *in) {
  if (bit_is64(s->r.end_pending_q, s->moved_cta_q)) s->r.state_q = CTL_IDLE;
  else if (bit_is64(in->quiet_i, s->moved_cta_q)) begin_moves(s, CTL_BACKUP);
}

/* A cycle of backup or restore: `data` has come for entry e, if `came`; ask_ready and give_ready are the two ports'. */
static void ctl_move(struct ctl *s, bool came, uint64_t e, const uint32_t data[32], bool ask_ready, bool give_ready) {
  const bool asked = ctl_asks(s) && ask_ready, given = ctl_gives(s) && give_ready;
  if (came) {
    s->filled_q |= 1u << e;
    if (!s->r.control_only) memcpy(s->buffer_q[e], data, sizeof s->buffer_q[e]);
  }
  s->requested_q += asked;
  if (!given) return;
  s->filled_q &= ~(1u << ctl_entry_of(s->written_q));
  if (++s->written_q == s->r.cta_registers_q)
    s->r.state_q = s->r.state_q == CTL_BACKUP ? CTL_BACKUP_DONE : CTL_RESTORE_DONE;
}

static void backed_up(struct ctl *s) {
  BLOCK_INVARIANT(s->r.active_q & s->r.occupied_q);
  s->r.backup_addr_q[s->moved_cta_q] = (uint32_t)s->r.stack_addr_q;
  s->r.stack_addr_q = (s->r.stack_addr_q + ctl_stack_bytes(s, 1)) & WORD;
  s->r.first_register_q[s->moved_cta_q] = MEMORY;
  s->r.saved_q |= 1ull << s->moved_cta_q;
  s->r.state_q = CTL_RELEASE;
}

/* The state find_range: a throttled CTA comes back above the other ranges, or a new one begins there. */
static void find_range(struct ctl *s) {
  const uint64_t first = ctl_holders(s) ? s->r.highest_register_q + 1 : 0;
  s->r.target_register_q = first & REG; /* 2048: no register is left, and no state uses it */
  BLOCK_RULE(s->r.cta_registers_q);
  if (ctl_stack_top(s) != NONE) {
    BLOCK_INVARIANT(ctl_last_register(s, first) <= s->r.limit_register_q);
    s->r.state_q = CTL_RESERVE;
  } else if (ctl_last_register(s, first) <= s->r.limit_register_q) {
    s->r.highest_register_q = ctl_last_register(s, first);
    ctl_synchronize(s, CTL_OFFER);
  } else {
    s->r.state_q = CTL_IDLE;
  }
}

static void ctl_restore(struct ctl *s) {
  s->moved_cta_q = ctl_stack_top(s);
  BLOCK_INVARIANT(s->moved_cta_q != NONE);
  s->r.highest_register_q = u64_max(s->r.highest_register_q, ctl_last_register(s, s->r.target_register_q));
  s->r.active_q |= 1ull << s->moved_cta_q;
  ctl_synchronize(s, CTL_RESTORE);
}

static void ctl_restored(struct ctl *s) {
  s->r.first_register_q[s->moved_cta_q] = (uint16_t)s->r.target_register_q;
  s->r.saved_q &= ~(1ull << s->moved_cta_q);
  s->r.stack_addr_q = (s->r.stack_addr_q - ctl_stack_bytes(s, 1)) & WORD;
  s->r.state_q = CTL_IDLE;
}

static void ctl_step_engine(struct ctl *s, const struct ctl_in *in, enum trend trend, uint64_t policy,
                            uint64_t mode_pending) {
  switch (s->r.state_q) {
    case CTL_IDLE: ctl_decide(s, trend, policy, mode_pending); break;
    case CTL_HOLD:
      if (!in->hold_done_i) break;
      s->r.state_q = s->after_hold_q;
      if (s->after_hold_q == CTL_RESTORE) begin_moves(s, CTL_RESTORE);
      break;
    case CTL_THROTTLE: ctl_throttle(s); break;
    case CTL_HALT: s->r.state_q = CTL_QUIESCE; break;
    case CTL_QUIESCE: ctl_quiesce(s, in); break;
    case CTL_BACKUP:
      ctl_move(s, in->file_response_valid_i, ctl_entry_of(s->requested_q - ctl_under_way(s)), in->file_response_data_i,
               in->file_read_ready_i, in->memory_write_ready_i);
      break;
    case CTL_BACKUP_DONE: backed_up(s); break;
    case CTL_RELEASE:
      s->r.highest_register_q = highest_register(s);
      ctl_synchronize(s, CTL_IDLE);
      break;
    case CTL_REACTIVATE:
      s->r.highest_register_q = highest_register(s);
      s->r.state_q = CTL_FIND_RANGE;
      break;
    case CTL_FIND_RANGE: find_range(s); break;
    case CTL_OFFER: s->r.state_q = CTL_IDLE; break;
    case CTL_RESERVE: ctl_restore(s); break;
    case CTL_RESTORE:
      ctl_move(s, in->memory_response_valid_i, in->memory_response_entry_i, in->memory_response_data_i,
               in->memory_read_ready_i, in->file_write_ready_i);
      break;
    case CTL_RESTORE_DONE: ctl_restored(s); break;
  }
}

static void ctl_begin_cta(struct ctl *s, uint64_t cta, uint64_t first) {
  const uint64_t bit = 1ull << cta;
  s->r.occupied_q |= bit;
  s->r.active_q |= bit;
  s->r.saved_q &= ~bit;
  s->r.first_register_q[cta] = (uint16_t)first;
  s->r.highest_register_q = u64_max(s->r.highest_register_q, ctl_last_register(s, first));
  s->placed |= bit;
}

static void ctl_launch(struct ctl *s, const struct ctl_in *in) {
  struct ctl_state r = {.cta_registers_q = in->launch_cta_registers_i,
                        .stack_addr_q = in->launch_stack_addr_i,
                        .limit_register_q = in->launch_limit_register_i,
                        .control_only = s->r.control_only};
  if (in->launch_keep_i) {
    r.policy_q = s->r.policy_q;
    r.throttle_pending_q = s->r.throttle_pending_q;
    r.window_cycle_q = s->r.window_cycle_q;
    r.window_instructions_q = s->r.window_instructions_q;
    r.current_instructions_q = s->r.current_instructions_q;
    r.previous_instructions_q = s->r.previous_instructions_q;
    r.mode_pending_q = s->r.policy_q != CTL_WAIT;
  }
  const struct ctl_params size = s->size;
  memset(s, 0, sizeof *s);
  s->r = r;
  s->size = size;
  s->base = in->launch_stack_addr_i;
}

/* ---- rules and invariants ---- */
static void ctl_check_rules(const struct ctl *s, const struct ctl_in *in) {
  const uint64_t step = s->r.state_q, ending = in->end_cta_i;
  /* its registers go to memory, or will from the next cycle on */
  const bool leaves = ending == s->moved_cta_q &&
                      (step == CTL_BACKUP || step == CTL_BACKUP_DONE ||
                       (step == CTL_QUIESCE && bit_is64(in->quiet_i, ending) && !bit_is64(s->r.end_pending_q, ending)));
  (void)leaves;
  BLOCK_RULE(!in->hold_done_i || step == CTL_HOLD);
  BLOCK_RULE(!in->file_response_valid_i || (step == CTL_BACKUP && ctl_under_way(s)));
  BLOCK_RULE(!in->memory_response_valid_i ||
             (step == CTL_RESTORE && in->memory_response_entry_i < ctl_BufferEntries &&
              !(s->filled_q >> in->memory_response_entry_i & 1) &&
              (in->memory_response_entry_i + ctl_BufferEntries - ctl_entry_of(s->written_q)) % ctl_BufferEntries <
                  s->requested_q - s->written_q));
  BLOCK_RULE(!in->launch_start_i || (step != CTL_BACKUP && step != CTL_RESTORE && in->launch_cta_registers_i));
  BLOCK_RULE(!in->end_valid_i || (!bit_is64(s->r.saved_q, ending) && !leaves));
}

/* A CTA may begin there; `step` is the state before this cycle's writes. */
static void rule_begin(const struct ctl *s, const struct ctl_in *in, uint64_t step) {
  (void)in, (void)step;
  BLOCK_RULE(s->r.cta_registers_q && !bit_is64(s->r.occupied_q, in->begin_cta_i));
  BLOCK_RULE(step == CTL_OFFER ? in->begin_register_i == s->r.target_register_q
                               : !bit_is64(s->placed, in->begin_cta_i));
  BLOCK_RULE(in->begin_register_i % s->r.cta_registers_q == 0 &&
             ctl_last_register(s, in->begin_register_i) <= s->r.limit_register_q);
  for (uint64_t set = ctl_holders(s); set; set &= set - 1)
    BLOCK_RULE(s->r.first_register_q[bit_low64(set)] != in->begin_register_i);
}

/* The throttle that follows the selection, the backup stack, and the ranges. */
static void ctl_check(const struct ctl *s) {
  BLOCK_INVARIANT(!(s->r.saved_q & ~s->r.occupied_q) && !(s->r.active_q & ~s->r.occupied_q));
  BLOCK_INVARIANT(!s->r.throttle_pending_q ||
                  (s->r.policy_q == CTL_RUN && (s->r.mode_pending_q || s->r.state_q == CTL_THROTTLE ||
                                                (s->r.state_q == CTL_HOLD && s->after_hold_q == CTL_THROTTLE))));
  BLOCK_INVARIANT(s->r.stack_addr_q == ((s->base + ctl_stack_bytes(s, (uint64_t)bit_count64(s->r.saved_q))) & WORD));
  for (uint64_t set = ctl_holders(s); set; set &= set - 1) {
    const uint64_t first = s->r.first_register_q[bit_low64(set)];
    (void)first;
    BLOCK_INVARIANT(ctl_last_register(s, first) <= s->r.highest_register_q &&
                    ctl_last_register(s, first) <= s->r.limit_register_q);
    for (uint64_t others = set & (set - 1); others; others &= others - 1) {
      BLOCK_INVARIANT(s->r.first_register_q[bit_low64(others)] != first);
    }
  }
}

void ctl_tick(struct ctl *s, const struct ctl_in *in) {
  const uint64_t step = s->r.state_q, policy = s->r.policy_q, mode_pending = s->r.mode_pending_q;
  ctl_check_rules(s, in);
  const enum trend trend = ctl_monitor(s, in);
  decide_policy(s, in);
  ctl_step_engine(s, in, trend, policy, mode_pending);
  if (in->begin_valid_i) {
    rule_begin(s, in, step);
    ctl_begin_cta(s, in->begin_cta_i, in->begin_register_i);
  }
  if (in->end_valid_i) {
    BLOCK_RULE(bit_is64(s->r.occupied_q, in->end_cta_i));
    s->r.end_pending_q |= 1ull << in->end_cta_i;
  }
  if (in->launch_start_i) ctl_launch(s, in);
  s->wakes_q = in->hold_done_i || (s->r.state_q == CTL_QUIESCE && bit_is64(in->quiet_i, s->moved_cta_q));
  if (step != s->r.state_q || in->begin_valid_i) ctl_check(s);
}

/* ---- counting ---- */
/* Cycles before the window's last one. */
static uint64_t ctl_window_rest(const struct ctl *s) {
  return s->r.window_cycle_q + 1 < s->size.Period ? s->size.Period - 2 - s->r.window_cycle_q : 0;
}

uint64_t ctl_idle(const struct ctl *s) {
  if (s->wakes_q) return 0;
  switch (s->r.state_q) {
    case CTL_IDLE: return s->r.mode_pending_q || s->r.end_pending_q ? 0 : ctl_window_rest(s);
    case CTL_HOLD: return ctl_window_rest(s);
    case CTL_QUIESCE: return bit_is64(s->r.end_pending_q, s->moved_cta_q) ? 0 : ctl_window_rest(s);
    case CTL_BACKUP:
    case CTL_RESTORE: return ctl_asks(s) || ctl_gives(s) ? 0 : ctl_window_rest(s);
    default: return 0;
  }
}

uint64_t ctl_hold(const struct ctl *s, const struct ctl_in *in) {
  if (!ctl_quiet(in) || in->hold_done_i || s->wakes_q) return 0;
  switch (s->r.state_q) {
    case CTL_QUIESCE: return bit_is64(in->quiet_i, s->moved_cta_q) ? 0 : ctl_idle(s);
    case CTL_BACKUP:
      return (ctl_asks(s) && in->file_read_ready_i) || (ctl_gives(s) && in->memory_write_ready_i) ? 0
                                                                                                  : ctl_window_rest(s);
    case CTL_RESTORE:
      return (ctl_asks(s) && in->memory_read_ready_i) || (ctl_gives(s) && in->file_write_ready_i) ? 0
                                                                                                  : ctl_window_rest(s);
    default: return ctl_idle(s);
  }
}

void ctl_skip(struct ctl *s, uint64_t n) { s->r.window_cycle_q += n; }

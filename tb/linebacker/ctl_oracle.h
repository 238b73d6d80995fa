/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ctl's bench, included once, after its model of the SM: the bench's prediction of every port and register. It is
 * not a state machine but the page written as a program, which goes through the engine's cycles one after another. The
 * backups are a list of CTAs; addresses and outputs follow from its length.
 */
#ifndef RT_TB_CTL_ORACLE_H
#define RT_TB_CTL_ORACLE_H

#include "ctl_bins.h"
#define EXPECT ctl
#define EXPECT_DEF "blocks/linebacker/ctl.def"
#include "expect.h"

static uint32_t ctl_oracle_stack_address(const struct sim *s, unsigned depth, unsigned n) {
  return s->stack_base + 128 * (depth * s->cta_registers + n);
}

/* ---- a cycle: ctl_oracle_begin_cycle(), what the engine decides, ctl_oracle_step_cycle(), what it writes, ctl_oracle_finish_cycle() ---- */

static void ctl_oracle_begin_cycle(struct sim *s, unsigned state) {
  struct ctl_state *st = &s->st;
  if (s->state != state) s->since = s->now;
  s->state = state;
  s->o = (struct ctl_out){.window_end_o = ctl_sm_window_ends(s), .highest_register_o = s->highest};
  *st = (struct ctl_state){.state_q = state,
                           .policy_q = s->policy,
                           .window_cycle_q = ctl_sm_cycle_of_window(s),
                           .window_instructions_q = s->done,
                           .current_instructions_q = s->current,
                           .previous_instructions_q = s->previous,
                           .cta_registers_q = s->cta_registers,
                           .highest_register_q = s->highest,
                           .stack_addr_q = ctl_oracle_stack_address(s, s->depth, 0),
                           .limit_register_q = s->limit,
                           .target_register_q = s->target_register,
                           .mode_pending_q = s->mode_pending,
                           .throttle_pending_q = s->throttle_pending};
  for (unsigned i = 0; i < CTAS; i++) {
    const struct cta *c = &s->cta[i];
    st->occupied_q |= (uint64_t)c->occupied << i, st->active_q |= (uint64_t)c->active << i;
    st->saved_q |= (uint64_t)c->saved << i, st->end_pending_q |= (uint64_t)c->end_pending << i;
    st->first_register_q[i] = c->first_register, st->backup_addr_q[i] = c->backup_addr;
  }
  ctl_sm_drive_inputs(s);
}

/* Runs the cycle, then what comes before the engine's writes. */
static const struct ctl_out *ctl_oracle_step_cycle(struct sim *s) {
  struct ctl_state is = *(const struct ctl_state *)tb_model(s->t);
  const struct ctl_out *out = tb_step(s->t, &s->in);
  expect_all(s->t, out, &s->o, &is, &s->st);
  ctl_bins_of_cycle(s);
  s->done += s->in.retired_count_i;
  if (ctl_sm_window_ends(s)) {
    ctl_bins_of_window_end(s);
    s->previous = s->current, s->current = s->done, s->done = 0;
  }
  if (s->policy == CTL_WAIT && (s->in.monitor_selected_i || s->in.monitor_off_i)) {
    s->policy = s->in.monitor_selected_i ? CTL_RUN : CTL_OFF;
    s->mode_pending = true, s->throttle_pending = s->policy == CTL_RUN;
  }
  return out;
}

static void ctl_oracle_begin_launch(struct sim *s) {
  bool keep = s->in.launch_keep_i;
  ctl_bins_of_start(s);
  s->cta_registers = (unsigned)s->in.launch_cta_registers_i, s->stack_base = (uint32_t)s->in.launch_stack_addr_i,
  s->limit = (unsigned)s->in.launch_limit_register_i;
  s->highest = s->target_register = s->depth = 0;
  memset(s->cta, 0, sizeof s->cta);
  if (!keep) {
    s->policy = CTL_WAIT, s->throttle_pending = false, s->origin = s->now + 1;
    s->done = s->current = s->previous = 0;
  }
  s->mode_pending = s->policy != CTL_WAIT;
  s->off = s->off && keep;
  s->victim = s->ended = NOBODY;
}

/* What comes after the engine's writes. */
static void ctl_oracle_finish_cycle(struct sim *s) {
  const unsigned state = s->state, id = (unsigned)s->in.begin_cta_i;
  if (s->in.begin_valid_i) {
    struct cta *c = &s->cta[id];
    c->occupied = c->active = true, c->saved = c->throttled = false,
    c->first_register = (unsigned)s->in.begin_register_i;
    if (ctl_sm_last_register(s, c->first_register) > s->highest)
      s->highest = ctl_sm_last_register(s, c->first_register);
  }
  if (s->in.end_valid_i) s->cta[s->in.end_cta_i].end_pending = true;
  if (s->in.launch_start_i) ctl_oracle_begin_launch(s);
  s->now++;
  if (s->now > s->last || state == s->cut) {
    ctl_hit(s, BIN_reset_in_idle + state);
    longjmp(s->end, 1);
  }
  if (s->in.launch_start_i) longjmp(s->again, 1);
}

/* ---- the engine ---- */

static unsigned ctl_oracle_highest_anew(const struct sim *s) {
  unsigned highest = 0;
  for (unsigned i = 0; i < CTAS; i++) {
    if (ctl_sm_holds_registers(s, i) && ctl_sm_last_register(s, s->cta[i].first_register) > highest)
      highest = ctl_sm_last_register(s, s->cta[i].first_register);
  }
  return highest;
}

static void ctl_oracle_hold(struct sim *s, unsigned to) {
  bool done;
  s->from = s->state, s->to = to;
  do {
    ctl_oracle_begin_cycle(s, CTL_HOLD);
    s->o.hold_o = 1;
    done = s->in.hold_done_i;
    ctl_bins_of_hold(s);
    ctl_oracle_step_cycle(s);
    ctl_oracle_finish_cycle(s);
  } while (!done);
}

static void ctl_oracle_back_up(struct sim *s) {
  struct cta *v = &s->cta[s->victim];
  unsigned asked = 0, came = 0, written = 0;
  uint64_t due[ENTRIES];
  memcpy(&s->kept[s->depth * s->cta_registers], &s->reg[v->first_register], s->cta_registers * sizeof s->reg[0]);
  while (written < s->cta_registers) {
    ctl_oracle_begin_cycle(s, CTL_BACKUP);
    struct ctl_out *o = &s->o;
    if (asked < s->cta_registers && asked - written < ENTRIES)
      o->file_read_valid_o = 1, o->file_read_register_o = v->first_register + asked;
    if (came > written) {
      o->memory_write_valid_o = 1, o->memory_write_addr_o = ctl_oracle_stack_address(s, s->depth, written);
      ctl_sm_value_of_seed(s->kept[s->depth * s->cta_registers + written], o->memory_write_data_o);
    }
    if (came < asked && due[came % ENTRIES] <= s->now) {
      s->in.file_response_valid_i = 1;
      ctl_sm_value_of_seed(s->reg[v->first_register + came], s->in.file_response_data_i);
    }
    ctl_bins_of_backup(s, asked, came, written);
    const struct ctl_out *out = ctl_oracle_step_cycle(s);
    if (o->file_read_valid_o && s->in.file_read_ready_i)
      due[asked++ % ENTRIES] = s->now + 1 + tb_below(s->r, s->k->latency);
    if (o->memory_write_valid_o && s->in.memory_write_ready_i) {
      memcpy(s->memory[(uint32_t)(out->memory_write_addr_o - s->stack_base) / 128 % REGS], out->memory_write_data_o,
             sizeof s->memory[0]);
      written++;
    }
    came += (unsigned)s->in.file_response_valid_i;
    ctl_oracle_finish_cycle(s);
  }
  ctl_oracle_begin_cycle(s, CTL_BACKUP_DONE);
  ctl_oracle_step_cycle(s);
  v->backup_addr = ctl_oracle_stack_address(s, s->depth, 0);
  v->was = v->first_register, v->first_register = IN_MEMORY, v->saved = v->throttled = true;
  s->stack[s->depth++] = s->victim;
  ctl_hit_if(s, s->lowered, BIN_saved_over_restored);
  s->lowered = 0;
  ctl_bins_of_depth(s);
  ctl_oracle_finish_cycle(s);
}

static void ctl_oracle_release_range(struct sim *s) {
  ctl_oracle_begin_cycle(s, CTL_RELEASE);
  unsigned highest = ctl_oracle_highest_anew(s);
  ctl_oracle_step_cycle(s);
  ctl_hit_if(s, highest < s->highest, BIN_highest_falls);
  s->highest = highest;
  ctl_oracle_finish_cycle(s);
  ctl_oracle_hold(s, CTL_IDLE);
}

/* False: it has ended. */
static bool ctl_oracle_quiesce(struct sim *s) {
  bool ended, quiet;
  ctl_oracle_begin_cycle(s, CTL_HALT);
  s->o.halt_valid_o = 1, s->o.halt_cta_o = s->victim;
  ctl_oracle_step_cycle(s);
  ctl_oracle_finish_cycle(s);
  do {
    ctl_oracle_begin_cycle(s, CTL_QUIESCE);
    ended = s->cta[s->victim].end_pending, quiet = s->quiet;
    ctl_bins_of_quiesce(s);
    ctl_oracle_step_cycle(s);
    ctl_oracle_finish_cycle(s);
  } while (!ended && !quiet);
  return !ended;
}

static void ctl_oracle_throttle(struct sim *s) {
  unsigned n = ctl_sm_count_active(s), victim = NOBODY;
  ctl_oracle_begin_cycle(s, CTL_THROTTLE);
  for (unsigned i = 0; i < CTAS; i++) {
    const struct cta *c = &s->cta[i];
    if (c->occupied && c->active && (victim == NOBODY || c->first_register > s->cta[victim].first_register)) victim = i;
  }
  ctl_bins_of_throttle(s, n, victim);
  ctl_oracle_step_cycle(s);
  s->throttle_pending = false;
  if (n >= 2) s->cta[victim].active = false, s->victim = victim;
  ctl_oracle_finish_cycle(s);
  if (n >= 2 && ctl_oracle_quiesce(s)) {
    ctl_oracle_back_up(s);
    ctl_oracle_release_range(s);
  }
}

static void ctl_oracle_restore(struct sim *s, bool by_end) {
  unsigned top = s->stack[s->depth - 1], asked = 0, written = 0;
  enum { FREE, ASKED, FILLED } buffer[ENTRIES] = {FREE};
  struct cta *c = &s->cta[top];
  ctl_bins_of_reserve(s, c, by_end);
  ctl_oracle_begin_cycle(s, CTL_RESERVE);
  ctl_oracle_step_cycle(s);
  if (ctl_sm_last_register(s, s->target_register) > s->highest)
    s->highest = ctl_sm_last_register(s, s->target_register);
  c->active = true;
  ctl_oracle_finish_cycle(s);
  ctl_oracle_hold(s, CTL_RESTORE);
  while (written < s->cta_registers) {
    unsigned reply = ENTRIES;
    ctl_oracle_begin_cycle(s, CTL_RESTORE);
    struct ctl_out *o = &s->o;
    if (asked < s->cta_registers && asked - written < ENTRIES) {
      o->memory_read_valid_o = 1, o->memory_read_addr_o = ctl_oracle_stack_address(s, s->depth - 1, asked),
      o->memory_read_entry_o = asked % ENTRIES;
    }
    if (buffer[written % ENTRIES] == FILLED) {
      o->file_write_valid_o = 1, o->file_write_register_o = s->target_register + written;
      ctl_sm_value_of_seed(s->kept[(s->depth - 1) * s->cta_registers + written], o->file_write_data_o);
    }
    bool mixed = tb_chance(s->r, s->k->mixed);
    for (unsigned n = written; n < asked && tb_chance(s->r, s->k->reply); n++) {
      if (buffer[n % ENTRIES] != ASKED || (reply < ENTRIES && (!mixed || tb_chance(s->r, 50)))) continue;
      reply = n % ENTRIES;
    }
    if (reply < ENTRIES) {
      unsigned n = written + (reply + ENTRIES - written % ENTRIES) % ENTRIES;
      s->in.memory_response_valid_i = 1, s->in.memory_response_entry_i = reply;
      memcpy(s->in.memory_response_data_i, s->memory[(s->depth - 1) * s->cta_registers + n],
             sizeof s->in.memory_response_data_i);
    }
    ctl_bins_of_restore(s, asked, written, buffer[written % ENTRIES] == FILLED, reply);
    ctl_oracle_step_cycle(s);
    if (o->memory_read_valid_o && s->in.memory_read_ready_i) buffer[asked++ % ENTRIES] = ASKED;
    if (reply < ENTRIES) buffer[reply] = FILLED;
    if (o->file_write_valid_o && s->in.file_write_ready_i) {
      s->reg[s->target_register + written] = s->kept[(s->depth - 1) * s->cta_registers + written];
      buffer[written++ % ENTRIES] = FREE;
    }
    ctl_oracle_finish_cycle(s);
  }
  ctl_oracle_begin_cycle(s, CTL_RESTORE_DONE);
  s->o.resume_valid_o = 1, s->o.resume_cta_o = top, s->o.resume_register_o = s->target_register;
  ctl_oracle_step_cycle(s);
  c->first_register = s->target_register, c->saved = false;
  s->depth--, s->lowered++;
  ctl_oracle_finish_cycle(s);
}

static void ctl_oracle_offer_range(struct sim *s, bool by_end) {
  ctl_oracle_begin_cycle(s, CTL_OFFER);
  s->o.offer_valid_o = 1, s->o.offer_register_o = s->target_register;
  ctl_bins_of_offer(s, by_end);
  ctl_oracle_step_cycle(s);
  ctl_oracle_finish_cycle(s);
}

static void ctl_oracle_activate(struct sim *s) {
  ctl_oracle_begin_cycle(s, CTL_REACTIVATE);
  unsigned highest = ctl_oracle_highest_anew(s);
  ctl_oracle_step_cycle(s);
  s->highest = highest;
  ctl_oracle_finish_cycle(s);
  ctl_oracle_begin_cycle(s, CTL_FIND_RANGE);
  bool none = true;
  for (unsigned i = 0; i < CTAS; i++) none = none && !ctl_sm_holds_registers(s, i);
  unsigned t = none ? 0 : s->highest + 1;
  bool top = s->depth > 0, fits = ctl_sm_last_register(s, t) <= s->limit;
  ctl_bins_of_find_range(s, none, t, top);
  ctl_oracle_step_cycle(s);
  s->target_register = t % REGS;
  if (!top && fits) s->highest = ctl_sm_last_register(s, t);
  ctl_oracle_finish_cycle(s);
  if (top) {
    ctl_oracle_restore(s, false);
  } else if (fits) {
    ctl_oracle_hold(s, CTL_OFFER);
    ctl_oracle_offer_range(s, false);
  }
}

static void ctl_oracle_idle(struct sim *s) {
  unsigned ended = 0;
  ctl_oracle_begin_cycle(s, CTL_IDLE);
  const bool mode_pending = s->mode_pending, throttles = s->throttle_pending,
             window_end = s->policy == CTL_RUN && ctl_sm_window_ends(s);
  const uint64_t now = s->done + s->in.retired_count_i;
  const bool up = ctl_sm_is_up(s, now), down = ctl_sm_is_down(s, now);
  while (ended < CTAS && !s->cta[ended].end_pending) ended++;
  ctl_bins_of_idle(s, ended, window_end, up, down);
  ctl_oracle_step_cycle(s);
  if (mode_pending) {
    s->mode_pending = false;
  } else if (ended < CTAS) {
    s->cta[ended].occupied = s->cta[ended].active = s->cta[ended].end_pending = false;
    s->target_register = s->cta[ended].first_register;
    s->ended = ended;
  }
  ctl_oracle_finish_cycle(s);
  if (mode_pending) {
    ctl_oracle_hold(s, throttles ? CTL_THROTTLE : CTL_IDLE);
    if (throttles) ctl_oracle_throttle(s);
  } else if (ended < CTAS && s->depth) {
    ctl_oracle_restore(s, true);
  } else if (ended < CTAS) {
    ctl_oracle_offer_range(s, true);
  } else if (window_end && up) {
    ctl_oracle_throttle(s);
  } else if (window_end && down) {
    ctl_oracle_activate(s);
  }
}

/* From the engine's first cycle after a reset or the start of a launch, until the end of the episode. */
static void ctl_oracle_run_engine(struct sim *s) {
  setjmp(s->again);
  for (;;) ctl_oracle_idle(s);
}

#endif

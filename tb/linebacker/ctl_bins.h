/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ctl's bench, included once, by its oracle: which bins the cycle at hand reaches. */
#ifndef RT_TB_CTL_BINS_H
#define RT_TB_CTL_BINS_H

#include "ctl_sm.h"

static uint64_t ctl_cycles_in_state(const struct sim *s) { return s->now - s->since; }

static void ctl_bins_of_policy(struct sim *s) {
  bool sel = s->in.monitor_selected_i, off = s->in.monitor_off_i;
  switch (s->policy) {
    case CTL_WAIT:
      ctl_hit_if(s, sel || off, sel && off ? BIN_selected_beside_off : sel ? BIN_wait_to_run : BIN_wait_to_off);
      break;
    case CTL_RUN: ctl_hit_if(s, sel || off, sel ? BIN_selected_in_run : BIN_off_in_run); break;
    default: ctl_hit_if(s, sel, BIN_selected_in_off); break;
  }
}

static void ctl_bins_of_cycle(struct sim *s) {
  const struct ctl_in *in = &s->in;
  ctl_hit(s, BIN_in_idle + s->state);
  ctl_bins_of_policy(s);
  ctl_hit_if(s, !s->cta_registers && in->retired_count_i, BIN_retires_before_start);
  ctl_hit_if(s, in->retired_count_i == MOST_RETIRED, BIN_retired_127);
  if (in->begin_valid_i) {
    ctl_hit_if(s, s->state == CTL_HOLD, BIN_begin_in_hold);
    ctl_hit_if(s, s->state == CTL_IDLE && s->mode_pending, BIN_begin_beside_mode_pending);
    ctl_hit_if(s, in->begin_register_i + s->cta_registers - 1 < s->highest, BIN_begin_below_highest);
    ctl_hit_if(s, in->begin_cta_i == 0, BIN_begin_0);
    ctl_hit_if(s, in->begin_cta_i == CTAS - 1, BIN_begin_31);
    ctl_hit_if(s, in->begin_register_i + s->cta_registers == REGS, BIN_begin_at_2047);
  }
  if (in->end_valid_i) {
    ctl_hit(s, BIN_end_in_idle + s->state);
    ctl_hit_if(s, ctl_sm_count_active(s) == 1 && s->cta[in->end_cta_i].active, BIN_end_of_last);
    ctl_hit_if(s, s->cta[in->end_cta_i].throttled, BIN_end_of_restored);
    if (in->end_cta_i == s->victim && !s->cta[s->victim].active) {
      ctl_hit_if(s, s->state == CTL_HALT, BIN_end_of_victim_in_halt);
      ctl_hit_if(s, s->state == CTL_QUIESCE, BIN_end_of_victim_in_quiesce);
    }
  }
}

static void ctl_bins_of_window_end(struct sim *s) {
  uint64_t now = s->done; /* with this cycle's */
  unsigned nth =
      s->state - CTL_HOLD -
      2 * (s->state > CTL_FIND_RANGE); /* no window's end follows another one so soon as reactivate and find_range do */
  ctl_hit_if(s, !s->cta_registers, BIN_window_end_before_start);
  ctl_hit_if(s, s->in.retired_count_i == 0 && now, BIN_window_end_retires_none);
  ctl_hit_if(s, s->in.retired_count_i > 0, BIN_window_end_retires);
  if (s->policy == CTL_WAIT) ctl_hit(s, BIN_window_end_in_wait);
  if (s->policy == CTL_OFF) ctl_hit(s, BIN_window_end_in_off);
  if (s->policy == CTL_RUN) ctl_hit_if(s, s->state != CTL_IDLE, BIN_window_end_in_hold + nth);
}

/* What follows a launch that keeps policy run, by the cycle in which it comes. */
static unsigned ctl_bin_after_keep(const struct sim *s) {
  if (s->policy != CTL_RUN || !s->in.launch_keep_i) return BIN_COUNT;
  if (s->st.policy_q == CTL_WAIT) return BIN_throttle_after_keep_beside_selected;
  if (!s->st.throttle_pending_q) return BIN_idle_after_keep;
  return s->state == CTL_IDLE   ? BIN_throttle_after_keep_in_idle
         : s->state == CTL_HOLD ? BIN_throttle_after_keep_in_hold
                                : BIN_idle_after_keep_in_throttle;
}

static void ctl_bins_of_start(struct sim *s) {
  unsigned nth = s->state - (s->state > CTL_BACKUP) - (s->state > CTL_RESTORE);
  ctl_hit(s, (s->in.launch_keep_i ? BIN_keep_in_idle : BIN_start_in_idle) + nth);
  ctl_hit_if(s, s->in.launch_keep_i, BIN_keep_wait + s->policy);
  ctl_hit_if(s, s->policy == CTL_RUN && !s->in.launch_keep_i, BIN_start_ends_run);
  ctl_hit_if(s, ctl_sm_window_ends(s), s->in.launch_keep_i ? BIN_keep_at_window_end : BIN_start_at_window_end);
  ctl_hit_if(s, s->in.end_valid_i, BIN_start_beside_end);
  ctl_hit_if(s, s->in.begin_valid_i, BIN_start_beside_begin);
  ctl_hit_if(s, s->in.monitor_selected_i && s->st.policy_q == CTL_WAIT,
             s->in.launch_keep_i ? BIN_keep_beside_selected : BIN_start_beside_selected);
  ctl_hit_if(s, s->depth, BIN_start_with_backups);
  ctl_hit_if(s, s->st.end_pending_q, BIN_start_with_end_pending);
  s->after_keep = ctl_bin_after_keep(s);
}

static void ctl_bins_of_hold(struct sim *s) {
  ctl_hit_if(s, s->in.hold_done_i,
             s->to == CTL_THROTTLE  ? BIN_hold_to_throttle
             : s->to == CTL_OFFER   ? BIN_hold_to_offer
             : s->to == CTL_RESTORE ? BIN_hold_to_restore
             : s->policy == CTL_OFF ? BIN_hold_to_idle_off
                                    : BIN_hold_to_idle);
  if (s->in.hold_done_i && !s->in.launch_start_i && s->from == CTL_IDLE && s->to == CTL_IDLE) ctl_hit(s, s->after_keep);
  ctl_hit_if(s, s->in.hold_done_i && !ctl_cycles_in_state(s), BIN_hold_done_at_once);
  ctl_hit_if(s, s->in.hold_done_i && ctl_cycles_in_state(s) > 30, BIN_hold_done_late);
}

static void ctl_bins_of_idle(struct sim *s, unsigned ended, bool window_end, bool up, bool down) {
  uint64_t now = s->done + s->in.retired_count_i;
  ctl_hit_if(s, s->mode_pending && ended < CTAS, BIN_mode_pending_before_end);
  ctl_hit_if(s, s->mode_pending && window_end && (up || down), BIN_mode_pending_before_window_end);
  ctl_hit_if(s, !s->mode_pending && ended < CTAS && window_end && (up || down), BIN_end_before_window_end);
  for (unsigned i = ended + 1; i < CTAS; i++) ctl_hit_if(s, s->cta[i].end_pending, BIN_two_ends);
  if (!window_end || s->mode_pending || ended < CTAS) return;
  ctl_hit(s, up ? BIN_up : down ? BIN_down : BIN_steady);
  ctl_hit_if(s, up && s->current && !ctl_sm_is_up(s, now - 1), BIN_up_by_one);
  ctl_hit_if(s, !up && s->current && ctl_sm_is_up(s, now + 1), BIN_not_up_by_one);
  ctl_hit_if(s, 10 * now == 11 * s->current && now, BIN_ten_percent_up);
  ctl_hit_if(s, down && !ctl_sm_is_down(s, now + 1), BIN_down_by_one);
  ctl_hit_if(s, !down && now && ctl_sm_is_down(s, now - 1), BIN_not_down_by_one);
  ctl_hit_if(s, 10 * now == 9 * s->current && now, BIN_ten_percent_down);
  ctl_hit_if(s, !now && s->current, BIN_down_to_0);
  ctl_hit_if(s, now && !s->current, BIN_up_from_0);
  ctl_hit_if(s, !now && !s->current, BIN_stays_0);
  ctl_hit_if(s, up != (10 * (now - s->in.retired_count_i) > 11 * s->current), BIN_up_by_the_last_cycle);
}

static void ctl_bins_of_throttle(struct sim *s, unsigned n, unsigned victim) {
  ctl_hit(s, n == 0   ? BIN_throttle_of_none
             : n == 1 ? BIN_throttle_of_one
             : n == 2 ? BIN_throttle_of_two
                      : BIN_throttle_of_many);
  if (s->throttle_pending) ctl_hit(s, s->after_keep);
  if (n < 2) return;
  unsigned higher = 0;
  for (unsigned i = victim + 1; i < CTAS; i++) higher += s->cta[i].occupied && s->cta[i].active;
  ctl_hit(s, higher ? BIN_victim_with_lower_id : BIN_victim_with_highest_id);
  ctl_hit_if(s, s->cta[victim].end_pending, BIN_victim_has_ended);
  ctl_hit_if(s, s->in.end_valid_i && s->in.end_cta_i == victim, BIN_end_of_victim_in_throttle);
  ctl_hit_if(s, s->cta[victim].throttled, BIN_throttled_again);
  ctl_hit_if(s, ctl_sm_last_register(s, s->cta[victim].first_register) < s->highest, BIN_highest_above_victim);
}

static void ctl_bins_of_quiesce(struct sim *s) {
  bool ended = s->cta[s->victim].end_pending;
  ctl_hit_if(s, !ended && s->quiet, ctl_cycles_in_state(s) ? BIN_quiet_later : BIN_quiet_at_once);
  ctl_hit_if(s, !ended && s->quiet && ctl_cycles_in_state(s) > 20, BIN_quiet_late);
  ctl_hit_if(s, ended, s->quiet ? BIN_ended_and_quiet : BIN_ended_not_quiet);
  ctl_hit_if(s, !ended && !s->quiet && s->in.quiet_i, BIN_others_quiet);
}

static void ctl_bins_of_size(struct sim *s) {
  ctl_hit(s, s->cta_registers <= ENTRIES + 1 ? BIN_registers_1 + s->cta_registers - 1
             : s->cta_registers < 100        ? BIN_registers_8_to_99
                                             : BIN_registers_100);
  ctl_hit_if(s, s->cta_registers > 1000, BIN_registers_over_1000);
  ctl_hit_if(s, s->stack_base + 128 * s->cta_registers * (s->depth + 1) < s->stack_base, BIN_addresses_wrap);
}

/* Registers are asked for, read and written. */
static void ctl_bins_of_backup(struct sim *s, unsigned asked, unsigned came, unsigned written) {
  const struct ctl_in *in = &s->in;
  const struct ctl_out *o = &s->o;
  bool file_read_waits = o->file_read_valid_o && !in->file_read_ready_i,
       memory_write_waits = o->memory_write_valid_o && !in->memory_write_ready_i;
  ctl_hit_if(s, file_read_waits, BIN_file_read_waits);
  ctl_hit_if(s, memory_write_waits, BIN_memory_write_waits);
  ctl_hit_if(s, file_read_waits && memory_write_waits, BIN_file_read_and_memory_write_wait);
  ctl_hit_if(s, came - written == ENTRIES, BIN_backup_full);
  ctl_hit_if(s, asked - came == ENTRIES, BIN_backup_all_under_way);
  ctl_hit_if(s, asked - written == ENTRIES && came != written && came != asked, BIN_backup_full_of_both);
  ctl_hit_if(s, came == written && written && came == asked, BIN_backup_empty_between);
  ctl_hit_if(s, o->memory_write_valid_o && in->memory_write_ready_i && in->file_response_valid_i,
             BIN_backup_in_and_out);
  ctl_hit_if(s, o->memory_write_valid_o && in->memory_write_ready_i && in->file_response_valid_i && came == written + 1,
             BIN_backup_in_and_last_out);
  ctl_hit_if(s, o->memory_write_valid_o && in->memory_write_ready_i && asked - written == ENTRIES,
             BIN_backup_out_of_full);
  if (!asked && !ctl_cycles_in_state(s)) ctl_bins_of_size(s);
}

static void ctl_bins_of_depth(struct sim *s) {
  ctl_hit(s, s->depth == 1 ? BIN_depth_1 : s->depth == 2 ? BIN_depth_2 : s->depth < 5 ? BIN_depth_3 : BIN_depth_5);
}

static void ctl_bins_of_reserve(struct sim *s, const struct cta *top, bool by_end) {
  ctl_hit(s, by_end ? BIN_restore_by_end : BIN_restore_by_down);
  ctl_hit(s, top->was == s->target_register ? BIN_restored_in_place : BIN_restored_elsewhere);
  ctl_hit(s, ctl_sm_last_register(s, s->target_register) > s->highest ? BIN_reserve_raises_highest
                                                                      : BIN_reserve_keeps_highest);
  ctl_hit_if(s, s->depth > 2, BIN_restore_from_over_2);
  ctl_hit_if(s, s->depth == 1, BIN_restore_of_last);
  ctl_hit_if(s, s->victim == s->ended && by_end && s->stack[s->depth - 1] != s->victim, BIN_restore_for_ended_victim);
}

static void ctl_bins_of_restore(struct sim *s, unsigned asked, unsigned written, bool filled, unsigned reply) {
  const struct ctl_in *in = &s->in;
  const struct ctl_out *o = &s->o;
  bool memory_read_waits = o->memory_read_valid_o && !in->memory_read_ready_i,
       file_write_waits = o->file_write_valid_o && !in->file_write_ready_i;
  bool out = o->file_write_valid_o && in->file_write_ready_i;
  ctl_hit_if(s, memory_read_waits, BIN_memory_read_waits);
  ctl_hit_if(s, file_write_waits, BIN_file_write_waits);
  ctl_hit_if(s, memory_read_waits && file_write_waits, BIN_memory_read_and_file_write_wait);
  ctl_hit_if(s, asked - written == ENTRIES, filled ? BIN_restore_full : BIN_restore_full_oldest_open);
  ctl_hit_if(s, asked == written && written, BIN_restore_empty_between);
  ctl_hit_if(s, out && o->memory_read_valid_o && in->memory_read_ready_i, BIN_restore_in_and_out);
  ctl_hit_if(s, out && asked - written == ENTRIES, BIN_restore_out_of_full);
  if (reply == ENTRIES) return;
  unsigned nth = (reply + ENTRIES - written % ENTRIES) % ENTRIES;
  ctl_hit_if(s, nth == 0, BIN_reply_to_oldest);
  ctl_hit_if(s, nth > 0 && !filled, BIN_reply_before_oldest);
  ctl_hit_if(s, asked - written == ENTRIES && nth == ENTRIES - 1 && !filled, BIN_reply_to_newest_of_6);
  ctl_hit_if(s, out, BIN_reply_beside_write);
  ctl_hit(s, BIN_reply_0 + reply);
}

static void ctl_bins_of_offer(struct sim *s, bool by_end) {
  bool begins = s->in.begin_valid_i;
  ctl_hit(s, by_end   ? begins ? BIN_end_answered : BIN_end_not_answered
             : begins ? BIN_down_answered
                      : BIN_down_not_answered);
  ctl_hit_if(s, begins && by_end && s->in.begin_cta_i == s->ended, BIN_answer_same_slot);
  ctl_hit_if(s, begins && by_end && s->in.begin_cta_i != s->ended, BIN_answer_other_slot);
  ctl_hit_if(s, !ctl_sm_count_active(s), BIN_offer_with_none_active);
}

static void ctl_bins_of_find_range(struct sim *s, bool none, unsigned t, bool top) {
  ctl_hit_if(s, none, BIN_find_range_none_holds);
  if (top) {
    ctl_hit(s, BIN_find_range_top);
    return;
  }
  ctl_hit(s, ctl_sm_last_register(s, t) <= s->limit ? BIN_find_range_fits : BIN_find_range_over);
  ctl_hit_if(s, ctl_sm_last_register(s, t) == s->limit, BIN_find_range_fits_exactly);
  ctl_hit_if(s, ctl_sm_last_register(s, t) == s->limit + 1, BIN_find_range_over_by_one);
  ctl_hit_if(s, t == REGS, BIN_find_range_t_2048);
}

#endif

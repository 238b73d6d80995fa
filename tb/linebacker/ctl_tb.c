/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of ctl: coverage bins, phases, cases and rules of the inputs. Its model of the SM is in ctl_sm.h, its
 * prediction of every port and register in ctl_oracle.h. docs/blocks/linebacker/ctl.md
 */
#include "tb.h"

// clang-format off
#define OF_STATES(B, p)                                                                                 \
  B(p##idle) B(p##hold) B(p##throttle) B(p##halt) B(p##quiesce) B(p##backup) B(p##backup_done) B(p##release) B(p##reactivate) B(p##find_range) \
  B(p##offer) B(p##reserve) B(p##restore) B(p##restore_done)
/* In backup and restore a start is illegal. */
#define OF_STATES_OF_START(B, p)                                                                       \
  B(p##idle) B(p##hold) B(p##throttle) B(p##halt) B(p##quiesce) B(p##backup_done) B(p##release) B(p##reactivate) B(p##find_range)          \
  B(p##offer) B(p##reserve) B(p##restore_done)
#define BINS_OF_ALL(B)                                                                                        \
  OF_STATES(B, in_) B(wait_to_run) B(wait_to_off) B(selected_beside_off) B(selected_in_run) B(off_in_run)     \
  B(selected_in_off) B(retires_before_start) B(retired_127) B(begin_in_hold) B(begin_beside_mode_pending)     \
  B(begin_below_highest) B(begin_0) B(begin_31) B(begin_at_2047) B(end_of_last) B(end_of_restored)            \
  B(end_of_victim_in_throttle) B(end_of_victim_in_halt) B(end_of_victim_in_quiesce)                           \
  B(window_end_before_start) B(window_end_retires) B(window_end_in_wait) B(window_end_in_off) B(keep_wait)    \
  B(keep_run) B(keep_off) B(start_ends_run) B(start_beside_end) B(start_beside_begin)                         \
  B(start_beside_selected) B(keep_beside_selected) B(start_with_backups) B(start_with_end_pending)            \
  B(throttle_after_keep_beside_selected) B(throttle_after_keep_in_idle) B(throttle_after_keep_in_hold)        \
  B(idle_after_keep_in_throttle) B(idle_after_keep) B(hold_to_throttle) B(hold_to_idle) B(hold_to_idle_off)   \
  B(hold_to_restore) B(hold_to_offer) B(hold_done_at_once) B(hold_done_late) B(mode_pending_before_end)       \
  B(two_ends) B(up) B(down) B(steady) B(up_by_one) B(ten_percent_up) B(down_by_one) B(ten_percent_down)       \
  B(down_to_0) B(up_from_0) B(throttle_of_none) B(throttle_of_one) B(throttle_of_two) B(throttle_of_many)     \
  B(victim_with_lower_id) B(victim_with_highest_id) B(throttled_again) B(quiet_at_once) B(quiet_later)        \
  B(quiet_late) B(ended_and_quiet) B(ended_not_quiet) B(others_quiet) B(highest_falls) B(file_read_waits)     \
  B(memory_write_waits) B(file_read_and_memory_write_wait) B(backup_full) B(backup_all_under_way)             \
  B(backup_full_of_both) B(backup_empty_between) B(backup_in_and_out) B(backup_in_and_last_out)               \
  B(backup_out_of_full) B(registers_1) B(registers_2) B(registers_3) B(registers_4) B(registers_5)            \
  B(registers_6) B(registers_7) B(registers_8_to_99) B(registers_100) B(registers_over_1000)                  \
  B(addresses_wrap) B(depth_1) B(depth_2) B(depth_3) B(depth_5) B(saved_over_restored) B(restore_by_end)      \
  B(restore_by_down) B(restored_in_place) B(restored_elsewhere) B(reserve_raises_highest)                     \
  B(reserve_keeps_highest) B(restore_from_over_2) B(restore_of_last) B(memory_read_waits)                     \
  B(file_write_waits) B(memory_read_and_file_write_wait) B(restore_full) B(restore_full_oldest_open)          \
  B(restore_empty_between) B(restore_in_and_out) B(restore_out_of_full) B(reply_to_oldest)                    \
  B(reply_before_oldest) B(reply_to_newest_of_6) B(reply_beside_write) TB_6(B, reply_) B(end_answered)        \
  B(end_not_answered) B(down_answered) B(down_not_answered) B(answer_same_slot) B(answer_other_slot)          \
  B(offer_with_none_active) B(offer_no_slot) B(find_range_top) B(find_range_fits) B(find_range_over)          \
  B(find_range_fits_exactly) B(find_range_over_by_one) B(find_range_none_holds) B(find_range_t_2048)          \
  OF_STATES(B, reset_in_)
/* Events in a certain cycle, or in that of a window's end: too rare with long windows. */
#define BINS_OF_SHORT(B)                                                                                      \
  OF_STATES(B, end_in_) OF_STATES_OF_START(B, start_in_) OF_STATES_OF_START(B, keep_in_)                      \
  B(window_end_in_hold) B(window_end_in_throttle) B(window_end_in_halt) B(window_end_in_quiesce)              \
  B(window_end_in_backup) B(window_end_in_backup_done) B(window_end_in_release) B(window_end_in_offer)        \
  B(window_end_in_reserve) B(window_end_in_restore) B(window_end_in_restore_done) B(window_end_retires_none)  \
  B(keep_at_window_end) B(start_at_window_end) B(mode_pending_before_window_end) B(end_before_window_end)     \
  B(victim_has_ended) B(highest_above_victim) B(not_up_by_one) B(not_down_by_one) B(stays_0)                  \
  B(up_by_the_last_cycle) B(restore_for_ended_victim)
#define NOT_COUNTED(name) BIN_##name = BIN_COUNT,
#if TB_PARAM(Period) < 1000
#define BINS(B) BINS_OF_ALL(B) BINS_OF_SHORT(B)
TB_BINS(BINS)
#else
TB_BINS(BINS_OF_ALL)
enum { BINS_OF_SHORT(NOT_COUNTED) };
#endif
// clang-format on

#include "ctl_oracle.h"

static void ctl_sim_begin(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *k) {
  memset(s, 0, offsetof(struct sim, reg));
  for (unsigned i = 0; i < REGS; i++) s->reg[i] = tb_rand(r);
  s->t = t, s->r = r, s->k = k;
  s->last = UINT64_MAX, s->cut = STATES;
  s->victim = s->ended = s->answer_id = NOBODY;
  s->after_keep = BIN_COUNT;
}

static void ctl_sim_run(struct sim *s) {
  if (!setjmp(s->end)) ctl_oracle_run_engine(s);
}

static const char *const phases[] = {"small", "deep", "slow",  "blocked", "ends", "launches",
                                     "near",  "knee", "large", "many",    "off",  NULL};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {.ready = 90,
       .latency = 3,
       .reply = 80,
       .mixed = 30,
       .hold_done = 50,
       .quiet = 50,
       .ends = 30,
       .answer = 80,
       .begins = 70,
       .starts = 5,
       .keep = 50,
       .sel = 100,
       .off = 5,
       .rise = 40,
       .fall = 40,
       .cta_registers = 8,
       .ctas = 6},
      {.ready = 100,
       .latency = 1,
       .reply = 100,
       .hold_done = 90,
       .quiet = 90,
       .ends = 5,
       .answer = 100,
       .begins = 100,
       .starts = 1,
       .keep = 50,
       .sel = 200,
       .rise = 65,
       .fall = 30,
       .cta_registers = 3,
       .ctas = 16},
      {.ready = 30,
       .sticky = 50,
       .latency = 30,
       .reply = 10,
       .mixed = 60,
       .hold_done = 5,
       .quiet = 5,
       .ends = 10,
       .answer = 50,
       .begins = 20,
       .starts = 4,
       .keep = 50,
       .sel = 50,
       .off = 2,
       .rise = 45,
       .fall = 45,
       .cta_registers = 12,
       .ctas = 5},
      {.ready = 40,
       .sticky = 95,
       .latency = 3,
       .reply = 60,
       .mixed = 60,
       .hold_done = 30,
       .quiet = 30,
       .ends = 20,
       .answer = 80,
       .begins = 50,
       .starts = 3,
       .keep = 50,
       .sel = 100,
       .rise = 45,
       .fall = 45,
       .cta_registers = 20,
       .ctas = 5},
      {.ready = 90,
       .latency = 2,
       .reply = 90,
       .mixed = 30,
       .hold_done = 60,
       .quiet = 20,
       .ends = 300,
       .answer = 85,
       .begins = 80,
       .starts = 10,
       .keep = 50,
       .sel = 200,
       .rise = 50,
       .fall = 40,
       .cta_registers = 3,
       .ctas = 12},
      {.ready = 95,
       .latency = 2,
       .reply = 90,
       .mixed = 30,
       .hold_done = 40,
       .quiet = 40,
       .ends = 50,
       .answer = 80,
       .begins = 90,
       .starts = 40,
       .keep = 60,
       .sel = 300,
       .off = 20,
       .rise = 40,
       .fall = 50,
       .cta_registers = 3,
       .ctas = 6},
      {.ready = 100,
       .latency = 1,
       .reply = 100,
       .hold_done = 50,
       .quiet = 50,
       .ends = 150,
       .answer = 80,
       .begins = 90,
       .starts = 5,
       .keep = 60,
       .sel = 300,
       .off = 5,
       .rise = 45,
       .fall = 45,
       .cta_registers = 2,
       .ctas = 8,
       .near = 97},
      {.ready = 90,
       .latency = 4,
       .reply = 80,
       .mixed = 20,
       .hold_done = 50,
       .quiet = 30,
       .ends = 20,
       .answer = 100,
       .begins = 100,
       .starts = 1,
       .keep = 50,
       .sel = 300,
       .knee = 4,
       .cta_registers = 3,
       .ctas = 14},
      {.ready = 97,
       .latency = 2,
       .reply = 95,
       .mixed = 20,
       .hold_done = 50,
       .quiet = 50,
       .ends = 10,
       .answer = 90,
       .begins = 90,
       .starts = 3,
       .keep = 30,
       .sel = 300,
       .rise = 45,
       .fall = 45,
       .cta_registers = 300,
       .ctas = 5},
      {.ready = 95,
       .latency = 2,
       .reply = 95,
       .mixed = 20,
       .hold_done = 50,
       .quiet = 50,
       .ends = 40,
       .answer = 90,
       .begins = 95,
       .starts = 2,
       .keep = 50,
       .sel = 200,
       .rise = 50,
       .fall = 45,
       .cta_registers = 2,
       .ctas = 32},
      {.ready = 90,
       .latency = 2,
       .reply = 90,
       .hold_done = 30,
       .quiet = 50,
       .ends = 40,
       .answer = 70,
       .begins = 40,
       .starts = 20,
       .keep = 60,
       .sel = 20,
       .off = 200,
       .rise = 40,
       .fall = 40,
       .cta_registers = 4,
       .ctas = 8},
  };
  struct sim s;
  ctl_sim_begin(&s, t, r, &bias[phase]);
  const bool few =
      PERIOD > 10000 || (PERIOD > 1000 && tb_chance(r, 80)); /* windows; events are those of launches and ends */
  s.last = few ? 500 + tb_below(r, 4000) : (uint64_t)PERIOD * (3 + tb_below(r, 30));
  ctl_sim_run(&s);
}

/* ---- cases ---- */

static const struct bias at_once = {
    .ready = 100, .latency = 1, .reply = 100, .hold_done = 100, .quiet = 100, .answer = 100, .begins = 100};
static const struct bias with_delays = {
    .ready = 70, .latency = 4, .reply = 50, .mixed = 50, .hold_done = 30, .quiet = 30, .answer = 100, .begins = 80};
static const struct bias empty_buffer = {
    .ready = 15, .latency = 1, .reply = 100, .hold_done = 100, .quiet = 100, .answer = 100, .begins = 100};

static void ctl_run_orders(struct tb_run *t, struct tb_rng *r, const struct bias *k, const struct order *o,
                           unsigned cut) {
  struct sim s;
  ctl_sim_begin(&s, t, r, k);
  s.orders = o, s.cut = cut;
  ctl_sim_run(&s);
  tb_reset(t);
}

/* IPC rises until one CTA is left, falls until all are back, and falls further: CTAs begin that an end has left room for. */
static void ctl_case_up_and_down(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_START, 3, 17},      {O_NEXT, 1, 0},     {O_LAUNCH, 6, 0},        {O_SEL, 0, 0},  /* the first is throttled */
      {O_WINDOW, 100, 0},    {O_NEXT, 1, 0},     {O_WINDOW, 110, 0},      {O_NEXT, 1, 0}, /* up; not */
      {O_WINDOW, 122, 0},    {O_NEXT, 1, 0},     {O_WINDOW, 200, 0},      {O_NEXT, 1, 0},   {O_WINDOW, 300, 0},
      {O_NEXT, 1, 0},                        /* up */
      {O_WINDOW, 400, 0},    {O_NEXT, 1, 0}, /* one is left */
      {O_WINDOW, 360, 0},    {O_NEXT, 1, 0},     {O_WINDOW, 323, 0},      {O_NEXT, 1, 0},   {O_WINDOW, 0, 0},
      {O_NEXT, 1, 0},                                                                     /* not; down */
      {O_WINDOW, 0, 0},      {O_NEXT, 1, 0},     {O_WINDOW, 100, 0},      {O_NEXT, 1, 0}, /* not; up */
      {O_WINDOW, 89, 0},     {O_NEXT, 1, 0},     {O_WINDOW, 40, 0},       {O_NEXT, 1, 0}, /* down */
      {O_WINDOW, 20, 0},     {O_NEXT, 1, 0},     {O_WINDOW, 10, 0},       {O_NEXT, 1, 0}, /* all are back */
      {O_WINDOW, 8, 0},      {O_NEXT, 1, 0},                                              /* no room */
      {O_ANSWER, NOBODY, 0}, {O_CTA_ENDS, 5, 0}, {O_UNTIL, CTL_OFFER, 0}, {O_WINDOW, 4, 0}, {O_UNTIL, CTL_OFFER, 0},
      {O_ANSWER, 31, 0},     {O_WINDOW, 2, 0},   {O_NEXT, 10, 0},         {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, o, STATES);
}

/* Windows of nearly as many instructions as can be, with each bit of the counts: just not up, just not down, down, up. */
static void ctl_case_full_windows(struct tb_run *t, struct tb_rng *r) {
  const unsigned n = MOST_RETIRED * PERIOD / 1100 * 1000, not_up = n + n / 10, not_down = not_up / 10 * 9;
  const unsigned down = (9 * not_down - 1) / 10, up = down * 11 / 10 + 1;
  const struct order o[] = {{O_START, 3, 17},        {O_NEXT, 1, 0},  {O_LAUNCH, 4, 0},      {O_SEL, 0, 0},
                            {O_WINDOW, n, 0},        {O_NEXT, 1, 0},  {O_WINDOW, not_up, 0}, {O_NEXT, 1, 0},
                            {O_WINDOW, not_down, 0}, {O_NEXT, 1, 0},  {O_WINDOW, down, 0},   {O_NEXT, 1, 0},
                            {O_WINDOW, up, 0},       {O_NEXT, 20, 0}, {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, o, STATES);
}

/* All slots are in use; the last register of all is; then nobody holds registers. */
static void ctl_case_at_the_end(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_WINDOW, 500, 0},    {O_NEXT, 1, 0}, /* before the first launch */
      {O_START, 1, 2047},    {O_NEXT, 1, 0},      {O_OFF, 0, 0},       {O_WINDOW, 10, 0},       {O_START, 1, 2047},
      {O_NEXT, 1, 0},        {O_LAUNCH, 32, 0},   {O_WINDOW, 100, 0},  {O_NEXT, 1, 0},          {O_SEL, 0, 0},
      {O_WINDOW, 50, 0},     {O_NEXT, 1, 0},      {O_WINDOW, 20, 0},   {O_UNTIL, CTL_OFFER, 0}, {O_START, 1, 2047},
      {O_NEXT, 1, 0},        {O_WINDOW, 100, 0},  {O_BEGIN, 31, 2047}, {O_NEXT, 1, 0},          {O_SEL, 0, 0},
      {O_WINDOW, 50, 0},     {O_NEXT, 6, 0}, /* down */
      {O_ANSWER, NOBODY, 0}, {O_CTA_ENDS, 31, 0}, {O_WINDOW, 20, 0},   {O_NEXT, 6, 0},          {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, o, STATES);
}

/* A CTA that is about to be throttled ends: in throttle, in halt, in quiesce, in the cycle of the decision. */
static void ctl_case_victim_ends(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_START, 7, 20},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_THROTTLE, 0},
                                   {O_CTA_ENDS, 2, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_QUIET, 0, 0},
                                   {O_START, 7, 20},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_HALT, 0},
                                   {O_CTA_ENDS, 2, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_START, 7, 20},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_QUIESCE, 0},
                                   {O_NEXT, 5, 0},
                                   {O_CTA_ENDS, 2, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_QUIET, 1, 0},
                                   {O_START, 7, 20},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_NEXT, 1, 0},
                                   {O_SEL, 0, 0},
                                   {O_CTA_ENDS, 2, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_QUIET, 0, 0},
                                   {O_START, 7, 20},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_QUIESCE, 0},
                                   {O_CTA_ENDS, 0, 0},
                                   {O_NEXT, 1, 0},
                                   {O_CTA_ENDS, 1, 0},
                                   {O_START, 5, 14},
                                   {O_QUIET, 1, 0}, /* others than the victim, which the next launch forgets */
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_BACKUP, 0},
                                   {O_CTA_ENDS, 1, 0},
                                   {O_NEXT, 1, 0},
                                   {O_CTA_ENDS, 0, 0},
                                   {O_UNTIL, CTL_RESTORE_DONE, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_NEXT, 3, 0},
                                   {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, o, STATES);
  ctl_run_orders(t, r, &with_delays, o, STATES);
  for (unsigned n = 0; n < 4; n++) ctl_run_orders(t, r, &empty_buffer, o, STATES);
}

/*
 * Of two CTAs, for each node of the search and in either order, the one in range 2^k is the victim and not the one in
 * 2^k - 1, for each k. It ends when it is halted; in a second launch it is saved.
 */
static void ctl_case_each_victim(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 0; n < 2 * (CTAS - 1) * 11; n++) {
    const unsigned i = n / 22 + 1, j = i & (i - 1), victim = n % 2 ? i : j, other = n % 2 ? j : i;
    const unsigned high = 1u << n / 2 % 11;
    const struct order o[] = {{O_QUIET, 0, 0},
                              {O_START, 1, 2047},
                              {O_NEXT, 1, 0},
                              {O_BEGIN, victim, high},
                              {O_NEXT, 1, 0},
                              {O_BEGIN, other, high - 1},
                              {O_NEXT, 1, 0},
                              {O_SEL, 0, 0},
                              {O_UNTIL, CTL_QUIESCE, 0},
                              {O_CTA_ENDS, victim, 0},
                              {O_UNTIL, CTL_OFFER, 0},
                              {O_QUIET, 1, 0},
                              {O_START, 1, 2047},
                              {O_NEXT, 1, 0},
                              {O_BEGIN, other, high - 1},
                              {O_NEXT, 1, 0},
                              {O_BEGIN, victim, high},
                              {O_NEXT, 1, 0},
                              {O_SEL, 0, 0},
                              {O_UNTIL, CTL_RELEASE, 0},
                              {O_NEXT, 1, 0},
                              {O_END, 0, 0}};
    ctl_run_orders(t, r, &at_once, o, STATES);
  }
}

/* The policy outlives launches, and nothing is throttled for them; the launch's begin under hold. */
static void ctl_case_launches(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_KEEP, 2, 9},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 5, 0},
                                   {O_NEXT, 5, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_RELEASE, 0},
                                   {O_NEXT, 5, 0},
                                   {O_HOLD_DONE, 0, 0},
                                   {O_KEEP, 3, 8},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 3, 0},
                                   {O_HOLD_DONE, 1, 0},
                                   {O_NEXT, 4, 0},
                                   {O_WINDOW, 50, 0},
                                   {O_NEXT, 1, 0},
                                   {O_WINDOW, 100, 0},
                                   {O_UNTIL, CTL_RELEASE, 0},
                                   {O_NEXT, 4, 0},
                                   {O_HOLD_DONE, 0, 0},
                                   {O_KEEP, 3, 8},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 1, 0},
                                   {O_NEXT, 40, 0},
                                   {O_HOLD_DONE, 1, 0},
                                   {O_NEXT, 8, 0},
                                   {O_KEEP, 3, 8},
                                   {O_NEXT, 8, 0},
                                   {O_WINDOW, 5, 1},
                                   {O_NEXT, 8, 0},
                                   {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, o, STATES);
}

/* Kept launches before the selection's throttle, which comes behind the last of them; none comes behind later ones. */
static void ctl_case_throttled_once(struct tb_run *t, struct tb_rng *r) {
  static const struct order beside_sel[] = {
      {O_START, 4, 15},    {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},    {O_SEL, 0, 0},       {O_KEEP, 4, 15},
      {O_HOLD_DONE, 0, 0}, {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},    {O_HOLD_DONE, 1, 0}, {O_UNTIL, CTL_RELEASE, 0},
      {O_NEXT, 3, 0},      {O_KEEP, 2, 9},   {O_NEXT, 3, 0},      {O_KEEP, 2, 9},      {O_HOLD_DONE, 0, 0},
      {O_NEXT, 1, 0},      {O_LAUNCH, 4, 0}, {O_HOLD_DONE, 1, 0}, {O_NEXT, 6, 0},      {O_END, 0, 0}};
  static const struct order in_idle[] = {
      {O_START, 4, 15},    {O_NEXT, 1, 0}, {O_SEL, 0, 0},    {O_NEXT, 1, 0},      {O_KEEP, 3, 11},
      {O_HOLD_DONE, 0, 0}, {O_NEXT, 1, 0}, {O_LAUNCH, 4, 0}, {O_HOLD_DONE, 1, 0}, {O_UNTIL, CTL_RELEASE, 0},
      {O_NEXT, 6, 0},      {O_END, 0, 0}};
  static const struct order in_syn[] = {{O_START, 4, 15},
                                        {O_NEXT, 1, 0},
                                        {O_SEL, 0, 0},
                                        {O_HOLD_DONE, 0, 0},
                                        {O_UNTIL, CTL_HOLD, 0},
                                        {O_KEEP, 3, 11},
                                        {O_NEXT, 3, 0},
                                        {O_KEEP, 5, 14},
                                        {O_NEXT, 1, 0},
                                        {O_LAUNCH, 3, 0},
                                        {O_QUIET, 0, 0},
                                        {O_HOLD_DONE, 1, 0},
                                        {O_UNTIL, CTL_QUIESCE, 0},
                                        {O_NEXT, 2, 0},
                                        {O_KEEP, 4, 15},
                                        {O_HOLD_DONE, 0, 0},
                                        {O_NEXT, 1, 0},
                                        {O_LAUNCH, 3, 0},
                                        {O_QUIET, 1, 0},
                                        {O_HOLD_DONE, 1, 0},
                                        {O_NEXT, 6, 0},
                                        {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, beside_sel, STATES);
  ctl_run_orders(t, r, &with_delays, beside_sel, STATES);
  ctl_run_orders(t, r, &at_once, in_idle, STATES);
  ctl_run_orders(t, r, &with_delays, in_idle, STATES);
  ctl_run_orders(t, r, &at_once, in_syn, STATES);
  ctl_run_orders(t, r, &with_delays, in_syn, STATES);
}

/* A kept launch in throttle itself, whose throttle then does not come; one that is not kept, in hold; off. */
static void ctl_case_throttled_never(struct tb_run *t, struct tb_rng *r) {
  static const struct order in_thr[] = {
      {O_START, 4, 15}, {O_NEXT, 1, 0},      {O_LAUNCH, 3, 0}, {O_SEL, 0, 0},    {O_UNTIL, CTL_THROTTLE, 0},
      {O_KEEP, 6, 23},  {O_HOLD_DONE, 0, 0}, {O_NEXT, 1, 0},   {O_LAUNCH, 4, 0}, {O_HOLD_DONE, 1, 0},
      {O_NEXT, 6, 0},   {O_KEEP, 6, 23},     {O_NEXT, 6, 0},   {O_END, 0, 0}};
  static const struct order not_kept[] = {
      {O_START, 4, 15}, {O_NEXT, 1, 0},      {O_HOLD_DONE, 0, 0}, {O_SEL, 0, 0},       {O_UNTIL, CTL_HOLD, 0},
      {O_START, 4, 15}, {O_NEXT, 1, 0},      {O_LAUNCH, 3, 0},    {O_HOLD_DONE, 1, 0}, {O_NEXT, 6, 0},
      {O_OFF, 0, 0},    {O_NEXT, 6, 0},      {O_KEEP, 3, 11},     {O_HOLD_DONE, 0, 0}, {O_NEXT, 1, 0},
      {O_LAUNCH, 3, 0}, {O_HOLD_DONE, 1, 0}, {O_NEXT, 6, 0},      {O_END, 0, 0}};
  ctl_run_orders(t, r, &at_once, in_thr, STATES);
  ctl_run_orders(t, r, &with_delays, in_thr, STATES);
  ctl_run_orders(t, r, &at_once, not_kept, STATES);
  ctl_run_orders(t, r, &with_delays, not_kept, STATES);
}

/* Two CTAs share the register file, and a single one has nearly all of it. */
static void ctl_case_largest(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_START, 1024, 2047},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 2, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_RELEASE, 0},
                                   {O_NEXT, 20, 0},
                                   {O_CTA_ENDS, 0, 0},
                                   {O_UNTIL, CTL_RESTORE_DONE, 0},
                                   {O_NEXT, 2, 0},
                                   {O_START, 2047, 2046},
                                   {O_NEXT, 1, 0},
                                   {O_BEGIN, 7, 0},
                                   {O_NEXT, 1, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_THROTTLE, 0},
                                   {O_CTA_ENDS, 7, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_NEXT, 3, 0},
                                   {O_END, 0, 0}};
  ctl_run_orders(t, r, &with_delays, o, STATES);
}

/* Reset in each state: nothing from before it is left, which the next round shows. */
static void ctl_case_reset_in_each_state(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_START, 9, 35},
                                   {O_NEXT, 1, 0},
                                   {O_LAUNCH, 4, 0},
                                   {O_SEL, 0, 0},
                                   {O_UNTIL, CTL_RELEASE, 0},
                                   {O_NEXT, 20, 0},
                                   {O_CTA_ENDS, 0, 0},
                                   {O_UNTIL, CTL_RESTORE_DONE, 0},
                                   {O_NEXT, 1, 0},
                                   {O_CTA_ENDS, 1, 0},
                                   {O_UNTIL, CTL_OFFER, 0},
                                   {O_WINDOW, 100, 0},
                                   {O_NEXT, 1, 0},
                                   {O_WINDOW, 0, 0},
                                   {O_UNTIL, CTL_FIND_RANGE, 0},
                                   {O_NEXT, 1, 0},
                                   {O_END, 0, 0}};
  for (unsigned state = 0; state < STATES; state++) ctl_run_orders(t, r, &at_once, o, state);
  ctl_run_orders(t, r, &at_once, o, CTL_OFFER);
}

/* A window's last cycles with as many instructions as can be, just more or less than 10 percent beside the window before. Windows are counted
 * before the first launch, too, with up to 127 instructions in each cycle; a kept launch goes on with them. */
static void ctl_case_late_in_a_window(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_KEEP, 3, 17}, {O_NEXT, 1, 0},  {O_LAUNCH, 1, 0},
                                   {O_SEL, 0, 0},   {O_NEXT, 60, 0}, {O_END, 0, 0}};
  const unsigned cycles = PERIOD - 40, n = MOST_RETIRED * cycles;
  const unsigned before[] = {10 * n / 11 - 1, 10 * n / 11, 10 * n / 11 + 1,      10 * n / 9,
                             10 * n / 9 + 1,  n,           MOST_RETIRED * PERIOD};
  for (unsigned k = 0; k < sizeof before / sizeof before[0]; k++) {
    struct sim s;
    if (before[k] > MOST_RETIRED * PERIOD) continue;
    ctl_sim_begin(&s, t, r, &at_once);
    s.origin -= cycles, s.done = n, s.current = s.previous = before[k];
    const struct ctl_state state = {.window_cycle_q = cycles,
                                    .window_instructions_q = n,
                                    .current_instructions_q = s.current,
                                    .previous_instructions_q = s.previous};
    tb_state(t, &state);
    s.orders = o;
    ctl_sim_run(&s);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"up_and_down", ctl_case_up_and_down},
                                       {"full_windows", ctl_case_full_windows},
                                       {"at_the_end", ctl_case_at_the_end},
                                       {"victim_ends", ctl_case_victim_ends},
                                       {"each_victim", ctl_case_each_victim},
                                       {"launches", ctl_case_launches},
                                       {"throttled_once", ctl_case_throttled_once},
                                       {"throttled_never", ctl_case_throttled_never},
                                       {"largest", ctl_case_largest},
                                       {"reset_in_each_state", ctl_case_reset_in_each_state},
                                       {"late_in_a_window", ctl_case_late_in_a_window},
                                       {NULL, NULL}};

/* ---- the page's rules, as far as the registers and this cycle's inputs show them ---- */

static const char *ctl_illegal_begin(const struct ctl_state *s, const struct ctl_in *in) {
  if (!in->begin_valid_i) return NULL;
  if (bit_is64(s->occupied_q, in->begin_cta_i)) return "begin_valid_i to a slot that is in use";
  if (s->state_q == CTL_OFFER)
    return in->begin_register_i != s->target_register_q ? "begin_valid_i beside offer_valid_o, of another range" : NULL;
  if (in->begin_register_i % s->cta_registers_q) return "begin_register_i is no multiple of the registers of a CTA";
  if (in->begin_register_i + s->cta_registers_q - 1 > s->limit_register_q)
    return "begin_valid_i of a range that ends above the limit";
  for (unsigned i = 0; i < CTAS; i++) {
    if (bit_is64(s->occupied_q & ~s->saved_q, i) && s->first_register_q[i] == in->begin_register_i)
      return "begin_valid_i of a range that is not free";
  }
  return NULL;
}

static const char *ctl_illegal_end(const struct ctl_state *s, const struct ctl_in *in) {
  const uint64_t id = in->end_cta_i;
  if (!in->end_valid_i) return NULL;
  if (!bit_is64(s->occupied_q, id) || bit_is64(s->saved_q, id)) return "end_valid_i of a CTA that holds no registers";
  if (bit_is64(s->active_q, id)) return NULL; /* it is not the victim */
  if (s->state_q == CTL_BACKUP || s->state_q == CTL_BACKUP_DONE) return "end_valid_i of the CTA that is backed up";
  if (s->state_q == CTL_QUIESCE && bit_is64(in->quiet_i, id)) return "end_valid_i of the victim that is quiet";
  return NULL;
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct ctl_state *s = model;
  const struct ctl_in *in = vin;
  (void)last_in, (void)last_out;
  if (in->hold_done_i && s->state_q != CTL_HOLD) return "hold_done_i outside hold";
  if (in->file_response_valid_i && s->state_q != CTL_BACKUP) return "file_response_valid_i outside backup";
  if (in->memory_response_valid_i && s->state_q != CTL_RESTORE) return "memory_response_valid_i outside restore";
  if (in->memory_response_valid_i && in->memory_response_entry_i >= ENTRIES)
    return "memory_response_entry_i is no entry";
  if (in->launch_start_i && (s->state_q == CTL_BACKUP || s->state_q == CTL_RESTORE))
    return "launch_start_i in backup or restore";
  if (in->launch_start_i && !in->launch_cta_registers_i) return "launch_start_i with no registers";
  if (!s->cta_registers_q && (in->monitor_selected_i || in->monitor_off_i || in->begin_valid_i || in->end_valid_i))
    return "an event before the first launch_start_i";
  const char *why = ctl_illegal_begin(s, in);
  return why ? why : ctl_illegal_end(s, in);
}

const struct tb tb_bench = {.cycles = PERIOD > 10000  ? 2300000
                                      : PERIOD > 1000 ? 1000000
                                                      : 480000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .illegal = illegal};

/* SPDX-License-Identifier: Apache-2.0 */
/* Linebacker's ctl: the golden model against cases worked by hand from docs/blocks/linebacker/ctl.md, and random traffic. */
#include "unit/finereg_kit.h"

#include "blocks/linebacker/ctl.h"

NOW(ctl)
SKIPS(ctl)

enum { NREG = 8, BP = 0x1000, STACK = 128 * NREG, SLOTS = 4, LAST = SLOTS * NREG - 1, PERIOD = 64 };
static struct ctl s;

static void tick(struct ctl_in in) {
  (void)ctl_now(&s, &in);
  ctl_tick(&s, &in);
}
static void ticks(unsigned n) {
  for (; n; n--) tick((struct ctl_in){0});
}
static void is(enum ctl_step step) { assert_int_equal(s.r.state_q, step); }
static uint64_t bit(unsigned cta) { return 1ull << cta; }

static void start_launch(bool keep) {
  tick((struct ctl_in){.launch_start_i = 1,
                       .launch_keep_i = keep,
                       .launch_cta_registers_i = NREG,
                       .launch_stack_addr_i = BP,
                       .launch_limit_register_i = LAST});
}
static void end_cta(unsigned cta) { tick((struct ctl_in){.end_valid_i = 1, .end_cta_i = cta}); }
static void finish_hold(void) {
  for (int i = 0; i < 3; i++) {
    is(CTL_HOLD);
    assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).hold_o, 1);
    tick((struct ctl_in){.hold_done_i = i == 2});
  }
  assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).hold_o, 0);
}

static void first_launch(void) {
  ctl_reset(&s);
  struct ctl_params size = ctl_defaults();
  size.NumCtas = 32;
  size.BufferEntries = 6;
  size.Period = PERIOD;
  ctl_size(&s, &size);
  start_launch(false);
}
/* `n` CTAs begin, of which the k-th lies in the k-th range. */
static const unsigned id[SLOTS] = {5, 31, 2, 7};
static void place(unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    tick((struct ctl_in){.begin_valid_i = 1, .begin_cta_i = id[k], .begin_register_i = NREG * k});
    assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).highest_register_o, NREG * (k + 1) - 1);
  }
}
/* A kernel with `n` CTAs; policy run, the selection's throttle is over. */
static void kernel(unsigned n) {
  first_launch();
  tick((struct ctl_in){.monitor_selected_i = 1});
  assert_true(s.r.policy_q == CTL_RUN && s.r.mode_pending_q && s.r.throttle_pending_q);
  ticks(1);
  assert_true(!s.r.mode_pending_q && s.r.throttle_pending_q);
  finish_hold();
  is(CTL_THROTTLE);
  assert_true(s.r.throttle_pending_q);
  ticks(1);
  is(CTL_IDLE);
  assert_true(!s.r.throttle_pending_q);
  place(n);
}

/* A window ends in this cycle: `prev` and `cur` instructions, five of them now. */
static void window(uint64_t prev, uint64_t cur) {
  s.r.current_instructions_q = prev;
  s.r.window_instructions_q = cur - 5;
  s.r.window_cycle_q = PERIOD - 1;
  assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).window_end_o, 1);
  tick((struct ctl_in){.retired_count_i = 5});
  assert_true(s.r.previous_instructions_q == prev && s.r.current_instructions_q == cur && !s.r.window_instructions_q &&
              !s.r.window_cycle_q);
}
static void up(void) {
  window(1000, 2000);
  is(CTL_THROTTLE);
}
static void down(void) {
  window(2000, 1000);
  is(CTL_REACTIVATE);
}

/* ---- the monitor and the policy ---- */
static void windows(void **state) {
  (void)state;
  static const struct {
    uint64_t prev, cur;
    enum ctl_step step;
  } cases[] = {
      {100, 110, CTL_IDLE},
      {100, 111, CTL_THROTTLE},
      {100, 90, CTL_IDLE},
      {100, 89, CTL_REACTIVATE},
      {0, 5, CTL_THROTTLE},
      {5, 5, CTL_IDLE},
      {109, 120, CTL_THROTTLE},
      {109, 119, CTL_IDLE},
      {109, 99, CTL_IDLE},
      {109, 98, CTL_REACTIVATE},
      {1u << 31, UINT32_MAX, CTL_THROTTLE},
      {UINT32_MAX, UINT32_MAX, CTL_IDLE},
      {UINT32_MAX, 5, CTL_REACTIVATE},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    kernel(0);
    window(cases[k].prev, cases[k].cur);
    is(cases[k].step);
    for (uint64_t policy = CTL_WAIT; policy <= CTL_OFF; policy += CTL_OFF - CTL_WAIT) { /* wait and off do nothing */
      kernel(0);
      s.r.policy_q = policy;
      window(cases[k].prev, cases[k].cur);
      is(CTL_IDLE);
    }
  }
  kernel(0); /* 64 cycles, the last one counts */
  start_launch(false);
  for (unsigned t = 0; t < 2 * PERIOD; t++) {
    const struct ctl_in in = {.retired_count_i = t < PERIOD ? 2 : 100};
    assert_int_equal(ctl_now(&s, &in).window_end_o, t % PERIOD == PERIOD - 1);
    assert_int_equal(ctl_idle(&s), t % PERIOD == PERIOD - 1 ? 0 : PERIOD - 2 - t % PERIOD);
    tick(in);
  }
  assert_true(s.r.previous_instructions_q == 128 && s.r.current_instructions_q == 6400 && !s.r.window_cycle_q);
}

static void policies(void **state) {
  (void)state;
  kernel(0);
  start_launch(false);
  assert_true(s.r.policy_q == CTL_WAIT && !s.r.mode_pending_q);
  tick((struct ctl_in){.monitor_off_i = 1}); /* off: the VTT takes it over, nothing is throttled */
  assert_true(s.r.policy_q == CTL_OFF && s.r.mode_pending_q && !s.r.throttle_pending_q);
  ticks(1);
  finish_hold();
  is(CTL_IDLE);
  tick((struct ctl_in){.monitor_selected_i = 1}); /* off stays */
  assert_true(s.r.policy_q == CTL_OFF && !s.r.mode_pending_q && !s.r.throttle_pending_q);
  start_launch(true); /* and the VTT learns it again */
  assert_true(s.r.policy_q == CTL_OFF && s.r.mode_pending_q && !s.r.throttle_pending_q);
  ticks(1);
  finish_hold();
  is(CTL_IDLE);
  start_launch(false);
  tick((struct ctl_in){.monitor_selected_i = 1, .monitor_off_i = 1});
  assert_true(s.r.policy_q == CTL_RUN && s.r.throttle_pending_q);
  kernel(0);
  tick((struct ctl_in){.monitor_selected_i = 1, .monitor_off_i = 1}); /* run stays, and is no selection again */
  assert_true(s.r.policy_q == CTL_RUN && !s.r.mode_pending_q && !s.r.throttle_pending_q);

  kernel(2); /* a launch that keeps: the window goes on, the VTT learns the mode again */
  s.r.window_cycle_q = 7, s.r.window_instructions_q = 30, s.r.current_instructions_q = 40,
  s.r.previous_instructions_q = 50;
  tick((struct ctl_in){.launch_start_i = 1,
                       .launch_keep_i = 1,
                       .launch_cta_registers_i = 4,
                       .launch_stack_addr_i = 0x2000,
                       .launch_limit_register_i = 15,
                       .retired_count_i = 3});
  assert_true(s.r.window_cycle_q == 8 && s.r.window_instructions_q == 33 && s.r.current_instructions_q == 40 &&
              s.r.previous_instructions_q == 50);
  assert_true(s.r.policy_q == CTL_RUN && s.r.mode_pending_q && !s.r.throttle_pending_q && !s.r.occupied_q &&
              !s.r.active_q && !s.r.highest_register_q && !s.r.first_register_q[31]);
  assert_true(s.r.cta_registers_q == 4 && s.r.stack_addr_q == 0x2000 && s.r.limit_register_q == 15);
  is(CTL_IDLE);
  s.r.window_cycle_q = PERIOD - 1;
  start_launch(true);
  assert_true(!s.r.window_cycle_q && !s.r.window_instructions_q && s.r.current_instructions_q == 33 &&
              s.r.previous_instructions_q == 40 && s.r.mode_pending_q);
  start_launch(false);
  assert_true(!s.r.current_instructions_q && !s.r.previous_instructions_q && !s.r.policy_q && !s.r.mode_pending_q);
  start_launch(true); /* wait: nothing to take over */
  assert_true(!s.r.mode_pending_q && !s.r.throttle_pending_q && s.r.window_cycle_q == 1);
  tick((struct ctl_in){.launch_start_i = 1, .launch_keep_i = 1, .launch_cta_registers_i = 4, .monitor_selected_i = 1});
  assert_true(s.r.mode_pending_q && s.r.throttle_pending_q && s.r.policy_q == CTL_RUN);
}

/* ---- throttling ---- */
static uint32_t value(unsigned rn, unsigned lane) { return 1000 * rn + lane; }
static void fill(uint32_t d[32], unsigned rn) {
  for (unsigned l = 0; l < 32; l++) d[l] = value(rn, l);
}
static void holds(const uint32_t d[32], unsigned rn) {
  for (unsigned l = 0; l < 32; l++) assert_int_equal(d[l], value(rn, l));
}

/* The backup of range k, the n-th on the stack, from throttle on; all are ready, a read takes a cycle: eight reads in the cycles 0 to 7 of backup,
 * their values in 1 to 8, writes in 2 to 9. */
static void backup(unsigned k, unsigned n) {
  is(CTL_THROTTLE);
  ticks(1);
  is(CTL_HALT);
  assert_true(!(s.r.active_q >> id[k] & 1) && s.r.occupied_q >> id[k] & 1);
  struct ctl_out o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.halt_valid_o && o.halt_cta_o == id[k]);
  tick((struct ctl_in){.quiet_i = UINT32_MAX}); /* not asked yet */
  is(CTL_QUIESCE);
  tick((struct ctl_in){.quiet_i = UINT32_MAX & ~bit(id[k])});
  is(CTL_QUIESCE);
  tick((struct ctl_in){.quiet_i = bit(id[k])});
  for (unsigned t = 0; t < NREG + 2; t++) {
    struct ctl_in in = {
        .file_read_ready_i = 1, .memory_write_ready_i = 1, .file_response_valid_i = t >= 1 && t <= NREG};
    is(CTL_BACKUP);
    if (in.file_response_valid_i) fill(in.file_response_data_i, NREG * k + t - 1);
    o = ctl_now(&s, &in);
    assert_int_equal(o.file_read_valid_o, t < NREG);
    assert_int_equal(o.file_read_register_o, t < NREG ? NREG * k + t : 0);
    assert_int_equal(o.memory_write_valid_o, t >= 2);
    assert_int_equal(o.memory_write_addr_o, t >= 2 ? BP + STACK * n + 128 * (t - 2) : 0);
    if (t >= 2) holds(o.memory_write_data_o, NREG * k + t - 2);
    tick(in);
  }
  is(CTL_BACKUP_DONE);
  ticks(1);
  is(CTL_RELEASE);
  assert_true(s.r.backup_addr_q[id[k]] == BP + STACK * n && s.r.stack_addr_q == BP + STACK * (n + 1));
  assert_true(s.r.first_register_q[id[k]] == 0x7ff && s.r.saved_q >> id[k] & 1);
  assert_int_equal(s.r.highest_register_q, NREG * (k + 1) - 1);
  ticks(1);
  assert_int_equal(s.r.highest_register_q, NREG * k - 1);
  finish_hold();
  is(CTL_IDLE);
}

static void throttles(void **state) {
  (void)state;
  kernel(SLOTS);
  for (unsigned n = 0; n < SLOTS - 1; n++) { /* the largest range, whatever the CTA's number */
    up();
    backup(SLOTS - 1 - n, n);
  }
  up(); /* the last one stays */
  ticks(1);
  is(CTL_IDLE);
  assert_int_equal(s.r.active_q, bit(id[0]));

  kernel(2); /* six entries: in the buffer and under way */
  up();
  ticks(2);
  tick((struct ctl_in){.quiet_i = bit(31)});
  struct ctl_out o;
  for (unsigned t = 0; t < 8; t++) {
    const struct ctl_in in = {.file_read_ready_i = 1, .file_response_valid_i = t >= 2 && t < 5};
    o = ctl_now(&s, &in);
    assert_int_equal(o.file_read_valid_o, t < 6);
    assert_int_equal(o.memory_write_valid_o, t >= 3);
    tick(in);
  }
  assert_true(!ctl_idle(&s) && ctl_hold(&s, &(struct ctl_in){.file_read_ready_i = 1}) &&
              !ctl_hold(&s, &(struct ctl_in){.memory_write_ready_i = 1}));
  tick((struct ctl_in){.memory_write_ready_i = 1, .file_read_ready_i = 1});
  o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.file_read_valid_o && o.file_read_register_o == NREG + 6 && o.memory_write_addr_o == BP + 128);
}

/* A kept launch before the selection's throttle, where that is still to come, and after it. */
enum point { BESIDE_SEL, IN_IDLE, IN_HOLD, IN_THROTTLE, IN_HALT, IN_IDLE_LATER, POINTS };
static void select_up_to(enum point at) {
  first_launch();
  place(2);
  if (at == BESIDE_SEL) return;
  tick((struct ctl_in){.monitor_selected_i = 1});
  if (at == IN_IDLE) return;
  ticks(1);
  is(CTL_HOLD);
  if (at == IN_HOLD) return;
  tick((struct ctl_in){.hold_done_i = 1});
  is(CTL_THROTTLE);
  if (at == IN_THROTTLE) return;
  if (at == IN_HALT) ticks(1);
  else backup(1, 0);
}
static void launch_at(enum point at, bool keep) {
  tick((struct ctl_in){.launch_start_i = 1,
                       .launch_keep_i = keep,
                       .launch_cta_registers_i = NREG,
                       .launch_stack_addr_i = BP,
                       .launch_limit_register_i = LAST,
                       .monitor_selected_i = at == BESIDE_SEL});
  is(CTL_IDLE);
  assert_true(!s.r.occupied_q && !s.r.active_q && !s.r.saved_q && s.r.stack_addr_q == BP);
}
/* mode_pending leads to hold and hold_done. */
static void learns_mode(void) {
  assert_true(s.r.policy_q == CTL_RUN && s.r.mode_pending_q);
  ticks(1);
  assert_true(!s.r.mode_pending_q);
  finish_hold();
}
static void throttles_nothing(void) {
  is(CTL_IDLE);
  ticks(PERIOD / 2);
  is(CTL_IDLE);
  assert_true(!s.r.throttle_pending_q && !s.r.saved_q && s.r.active_q == s.r.occupied_q);
}
static void later_launches(void **state) {
  (void)state;
  for (enum point at = BESIDE_SEL; at < POINTS; at++) {
    const bool before = at < IN_THROTTLE; /* throttle itself clears throttle_pending */
    select_up_to(at);
    launch_at(at, true);
    assert_int_equal(s.r.throttle_pending_q, before);
    if (before) { /* a third launch, in hold: it is still to come, and comes once */
      ticks(1);
      is(CTL_HOLD);
      start_launch(true);
      assert_true(s.r.throttle_pending_q && s.r.mode_pending_q);
    }
    s.r.window_cycle_q = 0;
    place(1); /* in idle: hold begins; the second CTA begins under it */
    is(CTL_HOLD);
    tick((struct ctl_in){.begin_valid_i = 1, .begin_cta_i = id[1], .begin_register_i = NREG});
    assert_int_equal(s.r.throttle_pending_q, before);
    finish_hold();
    if (before) {
      backup(1, 0);
      assert_true(!s.r.throttle_pending_q && s.r.saved_q == bit(id[1]));
      ticks(2);
      is(CTL_IDLE);
    } else {
      throttles_nothing();
    }
    for (int n = 0; n < 2; n++) { /* nothing is throttled for these, with two CTAs that could be */
      start_launch(true);
      assert_true(!s.r.throttle_pending_q);
      learns_mode();
      is(CTL_IDLE);
      s.r.window_cycle_q = 0;
      place(2);
      throttles_nothing();
    }
    up(); /* a window with more instructions still throttles */
    backup(1, 0);

    select_up_to(at); /* a launch that is not kept forgets the selection */
    launch_at(at, false);
    assert_true(s.r.policy_q == CTL_WAIT && !s.r.mode_pending_q && !s.r.throttle_pending_q);
    place(2);
    throttles_nothing();
  }
}

/* ---- re-activation ---- */
static void restores(void **state) {
  (void)state;
  static const unsigned order[NREG] = {5, 3, 4, 1, 2, 0, 1, 0}; /* entries, as memory answers */
  kernel(SLOTS);
  up();
  backup(3, 0);
  up();
  backup(2, 1);
  s.r.highest_register_q = 1000; /* it is computed anew */
  down();
  ticks(1);
  is(CTL_FIND_RANGE);
  assert_int_equal(s.r.highest_register_q, 2 * NREG - 1);
  ticks(1);
  is(CTL_RESERVE);
  assert_int_equal(s.r.target_register_q, 2 * NREG);
  ticks(1);
  assert_true(s.r.highest_register_q == 3 * NREG - 1 && s.r.active_q >> id[2] & 1 && s.r.saved_q >> id[2] & 1);
  finish_hold();
  struct ctl_out o;
  for (unsigned t = 0; t < 6; t++) { /* the buffer is full after six */
    is(CTL_RESTORE);
    o = ctl_now(&s, &(struct ctl_in){0});
    assert_true(o.memory_read_valid_o && o.memory_read_addr_o == BP + STACK + 128 * t && o.memory_read_entry_o == t &&
                !o.file_write_valid_o);
    tick((struct ctl_in){.memory_read_ready_i = 1});
  }
  for (unsigned t = 0; t < 6; t++) { /* they come in another order: nothing is written before the oldest is here */
    struct ctl_in in = {.memory_read_ready_i = 1,
                        .file_write_ready_i = 1,
                        .memory_response_valid_i = 1,
                        .memory_response_entry_i = order[t]};
    fill(in.memory_response_data_i, 2 * NREG + order[t]);
    o = ctl_now(&s, &in);
    assert_true(!o.memory_read_valid_o && !o.memory_read_addr_o && !o.memory_read_entry_o && !o.file_write_valid_o &&
                !o.file_write_register_o);
    assert_true(ctl_idle(&s));
    tick(in);
  }
  for (unsigned t = 0; t < NREG; t++) { /* the last two requests, in entries 0 and 1 */
    struct ctl_in in = {.memory_read_ready_i = 1,
                        .file_write_ready_i = 1,
                        .memory_response_valid_i = t == 3 || t == 4,
                        .memory_response_entry_i = t == 3 ? 1 : 0};
    if (in.memory_response_valid_i)
      fill(in.memory_response_data_i, 2 * NREG + 6 + (unsigned)in.memory_response_entry_i);
    o = ctl_now(&s, &in);
    assert_int_equal(o.memory_read_valid_o, t == 1 || t == 2);
    if (o.memory_read_valid_o)
      assert_true(o.memory_read_addr_o == BP + STACK + 128 * (5 + t) && o.memory_read_entry_o == t - 1);
    assert_true(o.file_write_valid_o && o.file_write_register_o == 2 * NREG + t);
    holds(o.file_write_data_o, 2 * NREG + t);
    tick(in);
  }
  is(CTL_RESTORE_DONE);
  o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.resume_valid_o && o.resume_cta_o == id[2] && o.resume_register_o == 2 * NREG);
  ticks(1);
  is(CTL_IDLE);
  assert_true(s.r.first_register_q[id[2]] == 2 * NREG && s.r.saved_q == bit(id[3]) && s.r.stack_addr_q == BP + STACK);
  assert_int_equal(s.r.active_q, bit(id[0]) | bit(id[1]) | bit(id[2]));
}

/* ---- CTAs that end ---- */
static void ends(void **state) {
  (void)state;
  for (int early = 0; early < 2; early++) { /* it ends while it is halted; before halt, or in quiesce */
    kernel(SLOTS);
    up();
    ticks(1);
    if (early) end_cta(id[3]);
    else ticks(1);
    is(CTL_QUIESCE);
    if (!early) end_cta(id[3]);
    is(CTL_QUIESCE);
    tick((struct ctl_in){.quiet_i = UINT32_MAX}); /* the end comes first */
    is(CTL_IDLE);
    assert_true(s.r.end_pending_q == bit(id[3]) && s.r.occupied_q >> id[3] & 1);
    ticks(1);
    is(CTL_OFFER); /* none is throttled: a new one may begin there */
    assert_true(!s.r.end_pending_q && !(s.r.occupied_q >> id[3] & 1) && s.r.target_register_q == 3 * NREG);
    const struct ctl_out o = ctl_now(&s, &(struct ctl_in){0});
    assert_true(o.offer_valid_o && o.offer_register_o == 3 * NREG);
    tick((struct ctl_in){.begin_valid_i = (uint64_t)early, .begin_cta_i = 9, .begin_register_i = 3 * NREG});
    is(CTL_IDLE);
    assert_true((s.r.occupied_q >> 9 & 1) == (uint64_t)early && s.r.highest_register_q == LAST);
  }
  kernel(SLOTS); /* two end during hold: the lowest first, at once the one that was throttled comes to its place */
  up();
  backup(3, 0);
  s.r.mode_pending_q = s.r.throttle_pending_q = 1;
  window(1000, 2000); /* a window's end that meets mode_pending has no effect */
  is(CTL_HOLD);
  end_cta(id[1]);
  end_cta(id[2]);
  tick((struct ctl_in){.hold_done_i = 1});
  is(CTL_THROTTLE); /* the two still count, and the largest range is that of id[2] */
  ticks(1);
  is(CTL_HALT);
  ticks(2);
  is(CTL_IDLE);
  assert_int_equal(s.r.end_pending_q, bit(id[1]) | bit(id[2]));
  ticks(1); /* 2 < 31 */
  is(CTL_RESERVE);
  assert_int_equal(s.r.target_register_q, 2 * NREG);
  assert_int_equal(s.r.end_pending_q, bit(31));
  ticks(1);
  finish_hold();
  for (unsigned t = 0; s.r.state_q == CTL_RESTORE; t++) {
    tick((struct ctl_in){.memory_read_ready_i = 1,
                         .memory_response_valid_i = t % 2,
                         .memory_response_entry_i = t / 2 % 6,
                         .file_write_ready_i = 1});
    assert_true(t < 40);
  }
  ticks(1);
  assert_true(s.r.first_register_q[id[3]] == 2 * NREG && s.r.stack_addr_q == BP && !s.r.saved_q);
  ticks(1);
  is(CTL_OFFER);
  assert_int_equal(s.r.target_register_q, NREG);
}

static void begins(void **state) {
  (void)state;
  kernel(SLOTS); /* no room behind the last one */
  down();
  ticks(2);
  is(CTL_IDLE);
  assert_true(s.r.target_register_q == SLOTS * NREG && s.r.highest_register_q == LAST);
  kernel(SLOTS - 1); /* room for exactly one; the VTT gives the range first */
  down();
  ticks(2);
  assert_true(s.r.target_register_q == 3 * NREG && s.r.highest_register_q == LAST);
  finish_hold();
  is(CTL_OFFER);
  tick((struct ctl_in){.begin_valid_i = 1, .begin_cta_i = 0, .begin_register_i = 3 * NREG});
  assert_true(s.r.occupied_q & s.r.active_q & 1 && s.r.first_register_q[0] == 3 * NREG);
  kernel(SLOTS - 1); /* nobody begins: the next computation takes the range away */
  down();
  ticks(2);
  finish_hold();
  ticks(1);
  assert_int_equal(s.r.highest_register_q, LAST);
  down();
  ticks(1);
  assert_int_equal(s.r.highest_register_q, 3 * NREG - 1);
  kernel(0); /* none holds registers */
  down();
  ticks(1);
  assert_int_equal(s.r.highest_register_q, 0);
  ticks(1);
  assert_true(s.r.target_register_q == 0 && s.r.highest_register_q == NREG - 1);
  finish_hold();
  is(CTL_OFFER);
  kernel(0); /* the whole register file is taken: there is no target */
  tick((struct ctl_in){
      .launch_start_i = 1, .launch_keep_i = 1, .launch_cta_registers_i = 2047, .launch_limit_register_i = 2047});
  ticks(1);
  finish_hold();
  is(CTL_IDLE);
  tick((struct ctl_in){.begin_valid_i = 1, .begin_cta_i = 3});
  down();
  ticks(2);
  is(CTL_IDLE);
  assert_int_equal(s.r.highest_register_q, 2046);
}

/* ---- random traffic ---- */
/* The SM around it: registers, memory, CTAs that end and begin. The value of a CTA's register says whose it is. */
enum { DELAY = 8 };
static struct {
  unsigned cta_registers, slots, patience;
  bool data;
  uint32_t rf[2048][32], mem[32 * 64][32];
  struct {
    bool v;
    unsigned at, e;
  } read[6];
  uint32_t read_d[6][32];
  unsigned reads, restored, saved, ended, begun, wait, selected;
  uint64_t from;        /* the engine's state in the last cycle */
  bool throttled;       /* for the selection */
  uint32_t version[32]; /* of the values in a CTA's registers */
} E;

static uint32_t mark(unsigned cta, unsigned r, unsigned l) { return E.version[cta] << 20 | cta << 15 | r << 5 | l; }
static void registers_begin(unsigned cta, uint64_t frn) {
  E.version[cta]++;
  for (unsigned r = 0; r < E.cta_registers; r++)
    for (unsigned l = 0; l < 32; l++) E.rf[frn + r][l] = mark(cta, r, l);
}
static void registers_are(unsigned cta, uint64_t frn) {
  for (unsigned r = 0; E.data && r < E.cta_registers; r++)
    for (unsigned l = 0; l < 32; l++) assert_int_equal(E.rf[frn + r][l], mark(cta, r, l));
}

/* Invariant 6. Of the throttles only that of the selection comes after hold. */
static void selection(void) {
  const uint64_t q = s.r.state_q;
  if (s.r.throttle_pending_q)
    assert_true(s.r.policy_q == CTL_RUN && (s.r.mode_pending_q || q == CTL_HOLD || q == CTL_THROTTLE));
  if (s.r.policy_q == CTL_WAIT) E.throttled = false;
  if (q == CTL_THROTTLE && E.from == CTL_HOLD) {
    assert_true(s.r.throttle_pending_q && !E.throttled);
    E.throttled = true;
    E.selected++;
  }
  E.from = q;
}

static void cycle(struct ctl_in in) {
  static struct ctl_in last;
  static struct ctl_out was;
  const struct ctl_out o = ctl_now(&s, &in);
  selection();
  in.file_read_ready_i = chance(E.patience), in.memory_write_ready_i = chance(E.patience);
  in.memory_read_ready_i = chance(E.patience), in.file_write_ready_i = chance(E.patience);
  for (unsigned i = 0; i < 32; i++) in.quiet_i |= (uint64_t)chance(20) << i;
  in.retired_count_i =
      chance(50) ? rnd(s.r.policy_q + 1 + (unsigned)(s.r.window_cycle_q + s.r.current_instructions_q) % 60) : 0;
  in.hold_done_i = o.hold_o && chance(30);
  if (last.file_read_ready_i == 0 && was.file_read_valid_o)
    assert_true(o.file_read_valid_o && o.file_read_register_o == was.file_read_register_o); /* a valid stays */
  if (last.memory_write_ready_i == 0 && was.memory_write_valid_o)
    assert_true(o.memory_write_valid_o && o.memory_write_addr_o == was.memory_write_addr_o);
  if (last.memory_read_ready_i == 0 && was.memory_read_valid_o)
    assert_true(o.memory_read_valid_o && o.memory_read_addr_o == was.memory_read_addr_o &&
                o.memory_read_entry_o == was.memory_read_entry_o);
  if (last.file_write_ready_i == 0 && was.file_write_valid_o)
    assert_true(o.file_write_valid_o && o.file_write_register_o == was.file_write_register_o);
  if (was.hold_o && !last.hold_done_i && !last.launch_start_i) assert_true(o.hold_o);
  /* answers: of the registers the oldest read, of memory any */
  const unsigned k = s.r.state_q == CTL_RESTORE && E.reads ? rnd(E.reads) : 0;
  if (E.reads && chance(60)) {
    in.file_response_valid_i = s.r.state_q == CTL_BACKUP;
    in.memory_response_valid_i = !in.file_response_valid_i;
    if (in.memory_response_valid_i) in.memory_response_entry_i = E.read[k].e;
    memcpy(in.file_response_valid_i ? in.file_response_data_i : in.memory_response_data_i, E.read_d[k],
           sizeof in.memory_response_data_i);
    E.reads--;
    for (unsigned i = k; i < E.reads; i++) {
      E.read[i] = E.read[i + 1];
      memcpy(E.read_d[i], E.read_d[i + 1], sizeof E.read_d[i]);
    }
  }
  if ((o.file_read_valid_o && in.file_read_ready_i) || (o.memory_read_valid_o && in.memory_read_ready_i)) {
    assert_true(E.reads < 6);
    E.read[E.reads].e = (unsigned)o.memory_read_entry_o;
    memcpy(E.read_d[E.reads++],
           o.file_read_valid_o ? E.rf[o.file_read_register_o] : E.mem[(o.memory_read_addr_o - BP) / 128],
           sizeof E.read_d[0]);
  }
  if (o.memory_write_valid_o && in.memory_write_ready_i)
    memcpy(E.mem[(o.memory_write_addr_o - BP) / 128], o.memory_write_data_o, sizeof o.memory_write_data_o);
  if (o.file_write_valid_o && in.file_write_ready_i)
    memcpy(E.rf[o.file_write_register_o], o.file_write_data_o, sizeof o.file_write_data_o);
  if (o.offer_valid_o && chance(70)) {
    unsigned cta = rnd(32);
    while (s.r.occupied_q >> cta & 1) cta = (cta + 1) % 32;
    in.begin_valid_i = 1, in.begin_cta_i = cta, in.begin_register_i = o.offer_register_o;
    registers_begin(cta, o.offer_register_o);
    E.begun++;
  }
  if (o.resume_valid_o) {
    registers_are((unsigned)o.resume_cta_o, o.resume_register_o);
    E.restored++;
  }
  E.saved += s.r.state_q == CTL_BACKUP_DONE;
  const unsigned ending = rnd(32);
  const bool busy = ending == s.moved_cta_q && s.r.state_q >= CTL_QUIESCE && s.r.state_q <= CTL_BACKUP_DONE &&
                    !(s.r.state_q == CTL_QUIESCE && !(in.quiet_i >> ending & 1));
  if (chance(3) && s.r.occupied_q & ~s.r.saved_q & ~s.r.end_pending_q & bit(ending) && !busy && !in.launch_start_i) {
    in.end_valid_i = 1, in.end_cta_i = ending;
    E.ended++;
  }
  if (chance(20)) {
    struct ctl_in held = last;
    held.launch_start_i = held.retired_count_i = held.monitor_selected_i = held.monitor_off_i = held.end_valid_i =
        held.begin_valid_i = held.file_response_valid_i = held.memory_response_valid_i = 0;
    ctl_skips(&s, &held);
    const uint64_t n = ctl_hold(&s, &held);
    static struct ctl ticked, skipped;
    memcpy(&ticked, &s, sizeof s);
    memcpy(&skipped, &s, sizeof s);
    for (uint64_t i = 0; i < n; i++) {
      ctl_tick(&ticked, &held);
      const struct ctl_out now = ctl_now(&ticked, &held);
      assert_memory_equal(&now, &o, sizeof o);
    }
    ctl_skip(&skipped, n);
    assert_memory_equal(&ticked, &skipped, sizeof s);
  }
  ctl_tick(&s, &in);
  last = in;
  was = o;
  if (in.launch_start_i) memset(&last, 0, sizeof last), memset(&was, 0, sizeof was);
}

static void random_launch(bool keep) {
  while (s.r.state_q == CTL_BACKUP || s.r.state_q == CTL_RESTORE) cycle((struct ctl_in){0});
  E.reads = 0;
  cycle((struct ctl_in){.launch_start_i = 1,
                        .launch_keep_i = keep,
                        .launch_cta_registers_i = E.cta_registers,
                        .launch_stack_addr_i = BP,
                        .launch_limit_register_i = E.cta_registers * E.slots - 1});
  for (unsigned k = 0; k < E.slots; k++) {
    registers_begin(k * 7 % 32, (uint64_t)E.cta_registers * k);
    tick((struct ctl_in){.begin_valid_i = 1, .begin_cta_i = k * 7 % 32, .begin_register_i = E.cta_registers * k});
  }
}

static void traffic(unsigned cta_registers, unsigned slots, unsigned patience, bool data) {
  ctl_reset(&s);
  struct ctl_params size = ctl_defaults();
  size.NumCtas = 32;
  size.BufferEntries = 6;
  size.Period = PERIOD;
  ctl_size(&s, &size);
  s.r.control_only = !data;
  memset(&E, 0, sizeof E);
  E.cta_registers = cta_registers, E.slots = slots, E.patience = patience, E.data = data;
  for (unsigned round = 0; round < 6; round++) {
    random_launch(round % 2);
    cycle((struct ctl_in){.monitor_selected_i = round % 3 != 1, .monitor_off_i = 1});
    for (unsigned n = rnd(4); n; n--) { /* before the throttle or behind it */
      for (unsigned t = rnd(8); t; t--) cycle((struct ctl_in){0});
      random_launch(true);
    }
    for (unsigned t = 0; t < 5000; t++) cycle((struct ctl_in){0});
  }
  assert_true(E.saved > 20 && E.restored > 20 && E.ended > 20 && E.begun > 20);
  assert_int_equal(E.selected, 2); /* in the rounds 0 and 2; 1, 3 and 5 keep the policy, in 4 it is off */
}
static void random_traffic(void **state) {
  (void)state;
  seed = 11;
  traffic(8, 8, 100, true);
  traffic(13, 5, 40, true);
  traffic(1, 32, 60, true);
  traffic(64, 4, 80, false);
}

/* ---- rules ---- */
static void break_rule(uint32_t rule) {
  kernel(SLOTS);
  struct ctl_in in = {0};
  switch (rule) {
    case 0: in.hold_done_i = 1; break;
    case 1: in.file_response_valid_i = 1; break;
    case 2: in.memory_response_valid_i = 1; break;
    case 3: in.launch_start_i = 1; break;                        /* no registers */
    case 4: in.begin_valid_i = 1, in.begin_cta_i = id[0]; break; /* occupied */
    case 5: in.end_valid_i = 1, in.end_cta_i = 4; break;         /* not there */
    case 6:
      kernel(2), in.begin_valid_i = 1, in.begin_cta_i = 9, in.begin_register_i = 8;
      break; /* on another CTA's range */
    case 7: kernel(2), in.begin_valid_i = 1, in.begin_cta_i = 9, in.begin_register_i = 17; break; /* not a range */
    case 8: kernel(2), in.begin_valid_i = 1, in.begin_cta_i = 9, in.begin_register_i = 32; break; /* above top */
    case 9:
      end_cta(id[3]), ticks(2), in.begin_valid_i = 1, in.begin_cta_i = id[3], in.begin_register_i = 24;
      break; /* after the offer */
    case 10:
      end_cta(id[3]), end_cta(id[2]), in.begin_valid_i = 1, in.begin_cta_i = 9, in.begin_register_i = 16;
      break; /* not the target */
    default: /* in backup */
      up(), ticks(2), in.quiet_i = UINT32_MAX;
      if (rule == 11) in.end_valid_i = 1, in.end_cta_i = id[3];
      if (rule == 11) break;
      tick(in);
      in = (struct ctl_in){0};
      if (rule == 12) in.file_response_valid_i = 1;
      if (rule == 13) in.end_valid_i = 1, in.end_cta_i = id[3];
      if (rule == 14) in.launch_start_i = in.launch_cta_registers_i = 1;
      if (rule == 15) in.end_valid_i = 1, in.end_cta_i = id[2];
  }
  tick(in);
}
static void break_restore(uint32_t rule) { /* ms of entry `rule`; two are waiting, another one has come */
  kernel(2);
  up();
  backup(1, 0);
  down();
  ticks(3);
  finish_hold();
  for (int i = 0; i < 3; i++) tick((struct ctl_in){.memory_read_ready_i = 1});
  tick((struct ctl_in){.memory_response_valid_i = 1, .memory_response_entry_i = 1});
  struct ctl_in in = {.memory_response_valid_i = rule < 8, .memory_response_entry_i = rule};
  if (rule == 8) in.launch_start_i = in.launch_cta_registers_i = 1, in.memory_response_entry_i = 0;
  if (rule == 9) in.end_valid_i = 1, in.end_cta_i = id[1], in.memory_response_entry_i = 0;
  tick(in);
}
static void rules(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 15; rule++) assert_true(asserts(break_rule, rule));
  assert_false(asserts(break_rule, 15));
  for (uint32_t rule = 0; rule < 10; rule++) assert_int_equal(asserts(break_restore, rule), rule != 0 && rule != 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows),        cmocka_unit_test(policies),       cmocka_unit_test(throttles),
      cmocka_unit_test(later_launches), cmocka_unit_test(restores),       cmocka_unit_test(ends),
      cmocka_unit_test(begins),         cmocka_unit_test(random_traffic), cmocka_unit_test(rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static void kstart(bool keep) {
  tick((struct ctl_in){.kstart_i = 1, .k_keep_i = keep, .k_nreg_i = NREG, .k_bp_i = BP, .k_top_i = LAST});
}
static void fin(unsigned cta) { tick((struct ctl_in){.fin_v_i = 1, .fin_id_i = cta}); }
static void hack(void) {
  for (int i = 0; i < 3; i++) {
    is(CTL_SYN);
    assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).hold_o, 1);
    tick((struct ctl_in){.hack_i = i == 2});
  }
  assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).hold_o, 0);
}

static void first_launch(void) {
  ctl_reset(&s);
  ctl_size(&s, &(struct ctl_params){.NumCta = 32, .Ring = 6, .Period = PERIOD});
  kstart(false);
}
/* `n` CTAs begin, of which the k-th lies in the k-th range. */
static const unsigned id[SLOTS] = {5, 31, 2, 7};
static void place(unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    tick((struct ctl_in){.lau_v_i = 1, .lau_id_i = id[k], .lau_frn_i = NREG * k});
    assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).lrn_o, NREG * (k + 1) - 1);
  }
}
/* A kernel with `n` CTAs; policy run, the selection's throttle is over. */
static void kernel(unsigned n) {
  first_launch();
  tick((struct ctl_in){.lm_sel_i = 1});
  assert_true(s.r.policy_q == CTL_RUN && s.r.sreq_q && s.r.first_q);
  ticks(1);
  assert_true(!s.r.sreq_q && s.r.first_q);
  hack();
  is(CTL_THR);
  assert_true(s.r.first_q);
  ticks(1);
  is(CTL_IDLE);
  assert_true(!s.r.first_q);
  place(n);
}

/* A window ends in this cycle: `prev` and `cur` instructions, five of them now. */
static void window(uint64_t prev, uint64_t cur) {
  s.r.cur_q = prev;
  s.r.ins_q = cur - 5;
  s.r.cyc_q = PERIOD - 1;
  assert_int_equal(ctl_now(&s, &(struct ctl_in){0}).tick_o, 1);
  tick((struct ctl_in){.ret_n_i = 5});
  assert_true(s.r.prev_q == prev && s.r.cur_q == cur && !s.r.ins_q && !s.r.cyc_q);
}
static void up(void) {
  window(1000, 2000);
  is(CTL_THR);
}
static void down(void) {
  window(2000, 1000);
  is(CTL_ACT);
}

/* ---- the monitor and the policy ---- */
static void windows(void **state) {
  (void)state;
  static const struct {
    uint64_t prev, cur;
    enum ctl_step step;
  } cases[] = {
      {100, 110, CTL_IDLE},
      {100, 111, CTL_THR},
      {100, 90, CTL_IDLE},
      {100, 89, CTL_ACT},
      {0, 5, CTL_THR},
      {5, 5, CTL_IDLE},
      {109, 120, CTL_THR},
      {109, 119, CTL_IDLE},
      {109, 99, CTL_IDLE},
      {109, 98, CTL_ACT},
      {1u << 31, UINT32_MAX, CTL_THR},
      {UINT32_MAX, UINT32_MAX, CTL_IDLE},
      {UINT32_MAX, 5, CTL_ACT},
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
  kstart(false);
  for (unsigned t = 0; t < 2 * PERIOD; t++) {
    const struct ctl_in in = {.ret_n_i = t < PERIOD ? 2 : 100};
    assert_int_equal(ctl_now(&s, &in).tick_o, t % PERIOD == PERIOD - 1);
    assert_int_equal(ctl_idle(&s), t % PERIOD == PERIOD - 1 ? 0 : PERIOD - 2 - t % PERIOD);
    tick(in);
  }
  assert_true(s.r.prev_q == 128 && s.r.cur_q == 6400 && !s.r.cyc_q);
}

static void policies(void **state) {
  (void)state;
  kernel(0);
  kstart(false);
  assert_true(s.r.policy_q == CTL_WAIT && !s.r.sreq_q);
  tick((struct ctl_in){.lm_off_i = 1}); /* off: the VTT takes it over, nothing is throttled */
  assert_true(s.r.policy_q == CTL_OFF && s.r.sreq_q && !s.r.first_q);
  ticks(1);
  hack();
  is(CTL_IDLE);
  tick((struct ctl_in){.lm_sel_i = 1}); /* off stays */
  assert_true(s.r.policy_q == CTL_OFF && !s.r.sreq_q && !s.r.first_q);
  kstart(true); /* and the VTT learns it again */
  assert_true(s.r.policy_q == CTL_OFF && s.r.sreq_q && !s.r.first_q);
  ticks(1);
  hack();
  is(CTL_IDLE);
  kstart(false);
  tick((struct ctl_in){.lm_sel_i = 1, .lm_off_i = 1});
  assert_true(s.r.policy_q == CTL_RUN && s.r.first_q);
  kernel(0);
  tick((struct ctl_in){.lm_sel_i = 1, .lm_off_i = 1}); /* run stays, and is no selection again */
  assert_true(s.r.policy_q == CTL_RUN && !s.r.sreq_q && !s.r.first_q);

  kernel(2); /* kstart with k_keep: the window goes on, the VTT learns the mode again */
  s.r.cyc_q = 7, s.r.ins_q = 30, s.r.cur_q = 40, s.r.prev_q = 50;
  tick((struct ctl_in){.kstart_i = 1, .k_keep_i = 1, .k_nreg_i = 4, .k_bp_i = 0x2000, .k_top_i = 15, .ret_n_i = 3});
  assert_true(s.r.cyc_q == 8 && s.r.ins_q == 33 && s.r.cur_q == 40 && s.r.prev_q == 50);
  assert_true(s.r.policy_q == CTL_RUN && s.r.sreq_q && !s.r.first_q && !s.r.occ_q && !s.r.act_q && !s.r.lrn_q &&
              !s.r.frn_q[31]);
  assert_true(s.r.nreg_q == 4 && s.r.bp_q == 0x2000 && s.r.top_q == 15);
  is(CTL_IDLE);
  s.r.cyc_q = PERIOD - 1;
  kstart(true);
  assert_true(!s.r.cyc_q && !s.r.ins_q && s.r.cur_q == 33 && s.r.prev_q == 40 && s.r.sreq_q);
  kstart(false);
  assert_true(!s.r.cur_q && !s.r.prev_q && !s.r.policy_q && !s.r.sreq_q);
  kstart(true); /* wait: nothing to take over */
  assert_true(!s.r.sreq_q && !s.r.first_q && s.r.cyc_q == 1);
  tick((struct ctl_in){.kstart_i = 1, .k_keep_i = 1, .k_nreg_i = 4, .lm_sel_i = 1});
  assert_true(s.r.sreq_q && s.r.first_q && s.r.policy_q == CTL_RUN);
}

/* ---- throttling ---- */
static uint32_t value(unsigned rn, unsigned lane) { return 1000 * rn + lane; }
static void fill(uint32_t d[32], unsigned rn) {
  for (unsigned l = 0; l < 32; l++) d[l] = value(rn, l);
}
static void holds(const uint32_t d[32], unsigned rn) {
  for (unsigned l = 0; l < 32; l++) assert_int_equal(d[l], value(rn, l));
}

/* The backup of range k, the n-th on the stack, from thr on; all are ready, a read takes a cycle: eight reads in the cycles 0 to 7 of bck,
 * their values in 1 to 8, writes in 2 to 9. */
static void backup(unsigned k, unsigned n) {
  is(CTL_THR);
  ticks(1);
  is(CTL_HLT);
  assert_true(!(s.r.act_q >> id[k] & 1) && s.r.occ_q >> id[k] & 1);
  struct ctl_out o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.halt_v_o && o.halt_id_o == id[k]);
  tick((struct ctl_in){.quies_i = UINT32_MAX}); /* not asked yet */
  is(CTL_QUI);
  tick((struct ctl_in){.quies_i = UINT32_MAX & ~bit(id[k])});
  is(CTL_QUI);
  tick((struct ctl_in){.quies_i = bit(id[k])});
  for (unsigned t = 0; t < NREG + 2; t++) {
    struct ctl_in in = {.rr_rdy_i = 1, .mw_rdy_i = 1, .rv_v_i = t >= 1 && t <= NREG};
    is(CTL_BCK);
    if (in.rv_v_i) fill(in.rv_d_i, NREG * k + t - 1);
    o = ctl_now(&s, &in);
    assert_int_equal(o.rr_v_o, t < NREG);
    assert_int_equal(o.rr_rn_o, t < NREG ? NREG * k + t : 0);
    assert_int_equal(o.mw_v_o, t >= 2);
    assert_int_equal(o.mw_a_o, t >= 2 ? BP + STACK * n + 128 * (t - 2) : 0);
    if (t >= 2) holds(o.mw_d_o, NREG * k + t - 2);
    tick(in);
  }
  is(CTL_BFIN);
  ticks(1);
  is(CTL_LRN);
  assert_true(s.r.ba_q[id[k]] == BP + STACK * n && s.r.bp_q == BP + STACK * (n + 1));
  assert_true(s.r.frn_q[id[k]] == 0x7ff && s.r.c_q >> id[k] & 1);
  assert_int_equal(s.r.lrn_q, NREG * (k + 1) - 1);
  ticks(1);
  assert_int_equal(s.r.lrn_q, NREG * k - 1);
  hack();
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
  assert_int_equal(s.r.act_q, bit(id[0]));

  kernel(2); /* six entries: in the buffer and under way */
  up();
  ticks(2);
  tick((struct ctl_in){.quies_i = bit(31)});
  struct ctl_out o;
  for (unsigned t = 0; t < 8; t++) {
    const struct ctl_in in = {.rr_rdy_i = 1, .rv_v_i = t >= 2 && t < 5};
    o = ctl_now(&s, &in);
    assert_int_equal(o.rr_v_o, t < 6);
    assert_int_equal(o.mw_v_o, t >= 3);
    tick(in);
  }
  assert_true(!ctl_idle(&s) && ctl_hold(&s, &(struct ctl_in){.rr_rdy_i = 1}) &&
              !ctl_hold(&s, &(struct ctl_in){.mw_rdy_i = 1}));
  tick((struct ctl_in){.mw_rdy_i = 1, .rr_rdy_i = 1});
  o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.rr_v_o && o.rr_rn_o == NREG + 6 && o.mw_a_o == BP + 128);
}

/* A launch with k_keep before the selection's throttle, where that is still to come, and behind it. */
enum point { BESIDE_SEL, IN_IDLE, IN_SYN, IN_THR, IN_HLT, IN_IDLE_LATER, POINTS };
static void select_up_to(enum point at) {
  first_launch();
  place(2);
  if (at == BESIDE_SEL) return;
  tick((struct ctl_in){.lm_sel_i = 1});
  if (at == IN_IDLE) return;
  ticks(1);
  is(CTL_SYN);
  if (at == IN_SYN) return;
  tick((struct ctl_in){.hack_i = 1});
  is(CTL_THR);
  if (at == IN_THR) return;
  if (at == IN_HLT) ticks(1);
  else backup(1, 0);
}
static void launch_at(enum point at, bool keep) {
  tick((struct ctl_in){
      .kstart_i = 1, .k_keep_i = keep, .k_nreg_i = NREG, .k_bp_i = BP, .k_top_i = LAST, .lm_sel_i = at == BESIDE_SEL});
  is(CTL_IDLE);
  assert_true(!s.r.occ_q && !s.r.act_q && !s.r.c_q && s.r.bp_q == BP);
}
/* sreq leads to syn and hack. */
static void learns_mode(void) {
  assert_true(s.r.policy_q == CTL_RUN && s.r.sreq_q);
  ticks(1);
  assert_true(!s.r.sreq_q);
  hack();
}
static void throttles_nothing(void) {
  is(CTL_IDLE);
  ticks(PERIOD / 2);
  is(CTL_IDLE);
  assert_true(!s.r.first_q && !s.r.c_q && s.r.act_q == s.r.occ_q);
}
static void later_launches(void **state) {
  (void)state;
  for (enum point at = BESIDE_SEL; at < POINTS; at++) {
    const bool before = at < IN_THR; /* thr itself clears `first` */
    select_up_to(at);
    launch_at(at, true);
    assert_int_equal(s.r.first_q, before);
    if (before) { /* a third launch, in syn: it is still to come, and comes once */
      ticks(1);
      is(CTL_SYN);
      kstart(true);
      assert_true(s.r.first_q && s.r.sreq_q);
    }
    s.r.cyc_q = 0;
    place(1); /* in idle: syn begins; the second CTA begins under hold */
    is(CTL_SYN);
    tick((struct ctl_in){.lau_v_i = 1, .lau_id_i = id[1], .lau_frn_i = NREG});
    assert_int_equal(s.r.first_q, before);
    hack();
    if (before) {
      backup(1, 0);
      assert_true(!s.r.first_q && s.r.c_q == bit(id[1]));
      ticks(2);
      is(CTL_IDLE);
    } else {
      throttles_nothing();
    }
    for (int n = 0; n < 2; n++) { /* nothing is throttled for these, with two CTAs that could be */
      kstart(true);
      assert_true(!s.r.first_q);
      learns_mode();
      is(CTL_IDLE);
      s.r.cyc_q = 0;
      place(2);
      throttles_nothing();
    }
    up(); /* a window with more instructions still throttles */
    backup(1, 0);

    select_up_to(at); /* a launch without k_keep forgets the selection */
    launch_at(at, false);
    assert_true(s.r.policy_q == CTL_WAIT && !s.r.sreq_q && !s.r.first_q);
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
  s.r.lrn_q = 1000; /* it is computed anew */
  down();
  ticks(1);
  is(CTL_ACT2);
  assert_int_equal(s.r.lrn_q, 2 * NREG - 1);
  ticks(1);
  is(CTL_R1);
  assert_int_equal(s.r.t_q, 2 * NREG);
  ticks(1);
  assert_true(s.r.lrn_q == 3 * NREG - 1 && s.r.act_q >> id[2] & 1 && s.r.c_q >> id[2] & 1);
  hack();
  struct ctl_out o;
  for (unsigned t = 0; t < 6; t++) { /* the buffer is full after six */
    is(CTL_RST);
    o = ctl_now(&s, &(struct ctl_in){0});
    assert_true(o.mq_v_o && o.mq_a_o == BP + STACK + 128 * t && o.mq_e_o == t && !o.rw_v_o);
    tick((struct ctl_in){.mq_rdy_i = 1});
  }
  for (unsigned t = 0; t < 6; t++) { /* they come in another order: nothing is written before the oldest is here */
    struct ctl_in in = {.mq_rdy_i = 1, .rw_rdy_i = 1, .ms_v_i = 1, .ms_e_i = order[t]};
    fill(in.ms_d_i, 2 * NREG + order[t]);
    o = ctl_now(&s, &in);
    assert_true(!o.mq_v_o && !o.mq_a_o && !o.mq_e_o && !o.rw_v_o && !o.rw_rn_o);
    assert_true(ctl_idle(&s));
    tick(in);
  }
  for (unsigned t = 0; t < NREG; t++) { /* the last two requests, in entries 0 and 1 */
    struct ctl_in in = {.mq_rdy_i = 1, .rw_rdy_i = 1, .ms_v_i = t == 3 || t == 4, .ms_e_i = t == 3 ? 1 : 0};
    if (in.ms_v_i) fill(in.ms_d_i, 2 * NREG + 6 + (unsigned)in.ms_e_i);
    o = ctl_now(&s, &in);
    assert_int_equal(o.mq_v_o, t == 1 || t == 2);
    if (o.mq_v_o) assert_true(o.mq_a_o == BP + STACK + 128 * (5 + t) && o.mq_e_o == t - 1);
    assert_true(o.rw_v_o && o.rw_rn_o == 2 * NREG + t);
    holds(o.rw_d_o, 2 * NREG + t);
    tick(in);
  }
  is(CTL_RFIN);
  o = ctl_now(&s, &(struct ctl_in){0});
  assert_true(o.run_v_o && o.run_id_o == id[2] && o.run_frn_o == 2 * NREG);
  ticks(1);
  is(CTL_IDLE);
  assert_true(s.r.frn_q[id[2]] == 2 * NREG && s.r.c_q == bit(id[3]) && s.r.bp_q == BP + STACK);
  assert_int_equal(s.r.act_q, bit(id[0]) | bit(id[1]) | bit(id[2]));
}

/* ---- CTAs that end ---- */
static void ends(void **state) {
  (void)state;
  for (int early = 0; early < 2; early++) { /* it ends while it is halted; before hlt, or in qui */
    kernel(SLOTS);
    up();
    ticks(1);
    if (early) fin(id[3]);
    else ticks(1);
    is(CTL_QUI);
    if (!early) fin(id[3]);
    is(CTL_QUI);
    tick((struct ctl_in){.quies_i = UINT32_MAX}); /* the end comes first */
    is(CTL_IDLE);
    assert_true(s.r.finp_q == bit(id[3]) && s.r.occ_q >> id[3] & 1);
    ticks(1);
    is(CTL_LNEW); /* none is throttled: a new one may begin there */
    assert_true(!s.r.finp_q && !(s.r.occ_q >> id[3] & 1) && s.r.t_q == 3 * NREG);
    const struct ctl_out o = ctl_now(&s, &(struct ctl_in){0});
    assert_true(o.lnew_v_o && o.lnew_frn_o == 3 * NREG);
    tick((struct ctl_in){.lau_v_i = (uint64_t)early, .lau_id_i = 9, .lau_frn_i = 3 * NREG});
    is(CTL_IDLE);
    assert_true((s.r.occ_q >> 9 & 1) == (uint64_t)early && s.r.lrn_q == LAST);
  }
  kernel(SLOTS); /* two end in a syn: the lowest first, at once the one that was throttled comes to its place */
  up();
  backup(3, 0);
  s.r.sreq_q = s.r.first_q = 1;
  window(1000, 2000); /* a tick that meets sreq has no effect */
  is(CTL_SYN);
  fin(id[1]);
  fin(id[2]);
  tick((struct ctl_in){.hack_i = 1});
  is(CTL_THR); /* the two still count, and the largest range is that of id[2] */
  ticks(1);
  is(CTL_HLT);
  ticks(2);
  is(CTL_IDLE);
  assert_int_equal(s.r.finp_q, bit(id[1]) | bit(id[2]));
  ticks(1); /* 2 < 31 */
  is(CTL_R1);
  assert_int_equal(s.r.t_q, 2 * NREG);
  assert_int_equal(s.r.finp_q, bit(31));
  ticks(1);
  hack();
  for (unsigned t = 0; s.r.state_q == CTL_RST; t++) {
    tick((struct ctl_in){.mq_rdy_i = 1, .ms_v_i = t % 2, .ms_e_i = t / 2 % 6, .rw_rdy_i = 1});
    assert_true(t < 40);
  }
  ticks(1);
  assert_true(s.r.frn_q[id[3]] == 2 * NREG && s.r.bp_q == BP && !s.r.c_q);
  ticks(1);
  is(CTL_LNEW);
  assert_int_equal(s.r.t_q, NREG);
}

static void begins(void **state) {
  (void)state;
  kernel(SLOTS); /* no room behind the last one */
  down();
  ticks(2);
  is(CTL_IDLE);
  assert_true(s.r.t_q == SLOTS * NREG && s.r.lrn_q == LAST);
  kernel(SLOTS - 1); /* room for exactly one; the VTT gives the range first */
  down();
  ticks(2);
  assert_true(s.r.t_q == 3 * NREG && s.r.lrn_q == LAST);
  hack();
  is(CTL_LNEW);
  tick((struct ctl_in){.lau_v_i = 1, .lau_id_i = 0, .lau_frn_i = 3 * NREG});
  assert_true(s.r.occ_q & s.r.act_q & 1 && s.r.frn_q[0] == 3 * NREG);
  kernel(SLOTS - 1); /* nobody begins: the next computation takes the range away */
  down();
  ticks(2);
  hack();
  ticks(1);
  assert_int_equal(s.r.lrn_q, LAST);
  down();
  ticks(1);
  assert_int_equal(s.r.lrn_q, 3 * NREG - 1);
  kernel(0); /* none holds registers */
  down();
  ticks(1);
  assert_int_equal(s.r.lrn_q, 0);
  ticks(1);
  assert_true(s.r.t_q == 0 && s.r.lrn_q == NREG - 1);
  hack();
  is(CTL_LNEW);
  kernel(0); /* the whole register file is taken: t has no value */
  tick((struct ctl_in){.kstart_i = 1, .k_keep_i = 1, .k_nreg_i = 2047, .k_top_i = 2047});
  ticks(1);
  hack();
  is(CTL_IDLE);
  tick((struct ctl_in){.lau_v_i = 1, .lau_id_i = 3});
  down();
  ticks(2);
  is(CTL_IDLE);
  assert_int_equal(s.r.lrn_q, 2046);
}

/* ---- random traffic ---- */
/* The SM around it: registers, memory, CTAs that end and begin. The value of a CTA's register says whose it is. */
enum { DELAY = 8 };
static struct {
  unsigned nreg, slots, patience;
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
  for (unsigned r = 0; r < E.nreg; r++)
    for (unsigned l = 0; l < 32; l++) E.rf[frn + r][l] = mark(cta, r, l);
}
static void registers_are(unsigned cta, uint64_t frn) {
  for (unsigned r = 0; E.data && r < E.nreg; r++)
    for (unsigned l = 0; l < 32; l++) assert_int_equal(E.rf[frn + r][l], mark(cta, r, l));
}

/* Invariant 6. Of the throttles only that of the selection comes behind syn. */
static void selection(void) {
  const uint64_t q = s.r.state_q;
  if (s.r.first_q) assert_true(s.r.policy_q == CTL_RUN && (s.r.sreq_q || q == CTL_SYN || q == CTL_THR));
  if (s.r.policy_q == CTL_WAIT) E.throttled = false;
  if (q == CTL_THR && E.from == CTL_SYN) {
    assert_true(s.r.first_q && !E.throttled);
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
  in.rr_rdy_i = chance(E.patience), in.mw_rdy_i = chance(E.patience);
  in.mq_rdy_i = chance(E.patience), in.rw_rdy_i = chance(E.patience);
  for (unsigned i = 0; i < 32; i++) in.quies_i |= (uint64_t)chance(20) << i;
  in.ret_n_i = chance(50) ? rnd(s.r.policy_q + 1 + (unsigned)(s.r.cyc_q + s.r.cur_q) % 60) : 0;
  in.hack_i = o.hold_o && chance(30);
  if (last.rr_rdy_i == 0 && was.rr_v_o) assert_true(o.rr_v_o && o.rr_rn_o == was.rr_rn_o); /* a valid stays */
  if (last.mw_rdy_i == 0 && was.mw_v_o) assert_true(o.mw_v_o && o.mw_a_o == was.mw_a_o);
  if (last.mq_rdy_i == 0 && was.mq_v_o) assert_true(o.mq_v_o && o.mq_a_o == was.mq_a_o && o.mq_e_o == was.mq_e_o);
  if (last.rw_rdy_i == 0 && was.rw_v_o) assert_true(o.rw_v_o && o.rw_rn_o == was.rw_rn_o);
  if (was.hold_o && !last.hack_i && !last.kstart_i) assert_true(o.hold_o);
  /* answers: of the registers the oldest read, of memory any */
  const unsigned k = s.r.state_q == CTL_RST && E.reads ? rnd(E.reads) : 0;
  if (E.reads && chance(60)) {
    in.rv_v_i = s.r.state_q == CTL_BCK;
    in.ms_v_i = !in.rv_v_i;
    if (in.ms_v_i) in.ms_e_i = E.read[k].e;
    memcpy(in.rv_v_i ? in.rv_d_i : in.ms_d_i, E.read_d[k], sizeof in.ms_d_i);
    E.reads--;
    for (unsigned i = k; i < E.reads; i++) {
      E.read[i] = E.read[i + 1];
      memcpy(E.read_d[i], E.read_d[i + 1], sizeof E.read_d[i]);
    }
  }
  if ((o.rr_v_o && in.rr_rdy_i) || (o.mq_v_o && in.mq_rdy_i)) {
    assert_true(E.reads < 6);
    E.read[E.reads].e = (unsigned)o.mq_e_o;
    memcpy(E.read_d[E.reads++], o.rr_v_o ? E.rf[o.rr_rn_o] : E.mem[(o.mq_a_o - BP) / 128], sizeof E.read_d[0]);
  }
  if (o.mw_v_o && in.mw_rdy_i) memcpy(E.mem[(o.mw_a_o - BP) / 128], o.mw_d_o, sizeof o.mw_d_o);
  if (o.rw_v_o && in.rw_rdy_i) memcpy(E.rf[o.rw_rn_o], o.rw_d_o, sizeof o.rw_d_o);
  if (o.lnew_v_o && chance(70)) {
    unsigned cta = rnd(32);
    while (s.r.occ_q >> cta & 1) cta = (cta + 1) % 32;
    in.lau_v_i = 1, in.lau_id_i = cta, in.lau_frn_i = o.lnew_frn_o;
    registers_begin(cta, o.lnew_frn_o);
    E.begun++;
  }
  if (o.run_v_o) {
    registers_are((unsigned)o.run_id_o, o.run_frn_o);
    E.restored++;
  }
  E.saved += s.r.state_q == CTL_BFIN;
  const unsigned ending = rnd(32);
  const bool busy = ending == s.cta_q && s.r.state_q >= CTL_QUI && s.r.state_q <= CTL_BFIN &&
                    !(s.r.state_q == CTL_QUI && !(in.quies_i >> ending & 1));
  if (chance(3) && s.r.occ_q & ~s.r.c_q & ~s.r.finp_q & bit(ending) && !busy && !in.kstart_i) {
    in.fin_v_i = 1, in.fin_id_i = ending;
    E.ended++;
  }
  if (chance(20)) {
    struct ctl_in held = last;
    held.kstart_i = held.ret_n_i = held.lm_sel_i = held.lm_off_i = held.fin_v_i = held.lau_v_i = held.rv_v_i =
        held.ms_v_i = 0;
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
  if (in.kstart_i) memset(&last, 0, sizeof last), memset(&was, 0, sizeof was);
}

static void random_launch(bool keep) {
  while (s.r.state_q == CTL_BCK || s.r.state_q == CTL_RST) cycle((struct ctl_in){0});
  E.reads = 0;
  cycle((struct ctl_in){
      .kstart_i = 1, .k_keep_i = keep, .k_nreg_i = E.nreg, .k_bp_i = BP, .k_top_i = E.nreg * E.slots - 1});
  for (unsigned k = 0; k < E.slots; k++) {
    registers_begin(k * 7 % 32, (uint64_t)E.nreg * k);
    tick((struct ctl_in){.lau_v_i = 1, .lau_id_i = k * 7 % 32, .lau_frn_i = E.nreg * k});
  }
}

static void traffic(unsigned nreg, unsigned slots, unsigned patience, bool data) {
  ctl_reset(&s);
  ctl_size(&s, &(struct ctl_params){.NumCta = 32, .Ring = 6, .Period = PERIOD});
  s.r.control_only = !data;
  memset(&E, 0, sizeof E);
  E.nreg = nreg, E.slots = slots, E.patience = patience, E.data = data;
  for (unsigned round = 0; round < 6; round++) {
    random_launch(round % 2);
    cycle((struct ctl_in){.lm_sel_i = round % 3 != 1, .lm_off_i = 1});
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
    case 0: in.hack_i = 1; break;
    case 1: in.rv_v_i = 1; break;
    case 2: in.ms_v_i = 1; break;
    case 3: in.kstart_i = 1; break;                                               /* no registers */
    case 4: in.lau_v_i = 1, in.lau_id_i = id[0]; break;                           /* occupied */
    case 5: in.fin_v_i = 1, in.fin_id_i = 4; break;                               /* not there */
    case 6: kernel(2), in.lau_v_i = 1, in.lau_id_i = 9, in.lau_frn_i = 8; break;  /* on another CTA's range */
    case 7: kernel(2), in.lau_v_i = 1, in.lau_id_i = 9, in.lau_frn_i = 17; break; /* not a range */
    case 8: kernel(2), in.lau_v_i = 1, in.lau_id_i = 9, in.lau_frn_i = 32; break; /* above top */
    case 9: fin(id[3]), ticks(2), in.lau_v_i = 1, in.lau_id_i = id[3], in.lau_frn_i = 24; break; /* after lnew */
    case 10: fin(id[3]), fin(id[2]), in.lau_v_i = 1, in.lau_id_i = 9, in.lau_frn_i = 16; break;  /* not t */
    default:                                                                                     /* in bck */
      up(), ticks(2), in.quies_i = UINT32_MAX;
      if (rule == 11) in.fin_v_i = 1, in.fin_id_i = id[3];
      if (rule == 11) break;
      tick(in);
      in = (struct ctl_in){0};
      if (rule == 12) in.rv_v_i = 1;
      if (rule == 13) in.fin_v_i = 1, in.fin_id_i = id[3];
      if (rule == 14) in.kstart_i = in.k_nreg_i = 1;
      if (rule == 15) in.fin_v_i = 1, in.fin_id_i = id[2];
  }
  tick(in);
}
static void break_restore(uint32_t rule) { /* ms of entry `rule`; two are waiting, another one has come */
  kernel(2);
  up();
  backup(1, 0);
  down();
  ticks(3);
  hack();
  for (int i = 0; i < 3; i++) tick((struct ctl_in){.mq_rdy_i = 1});
  tick((struct ctl_in){.ms_v_i = 1, .ms_e_i = 1});
  struct ctl_in in = {.ms_v_i = rule < 8, .ms_e_i = rule};
  if (rule == 8) in.kstart_i = in.k_nreg_i = 1, in.ms_e_i = 0;
  if (rule == 9) in.fin_v_i = 1, in.fin_id_i = id[1], in.ms_e_i = 0;
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

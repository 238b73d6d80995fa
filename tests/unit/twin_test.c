/* SPDX-License-Identifier: Apache-2.0 */
/* twin: the runtime of the golden models in the SM (sm/twin.h), on the nets of finereg and slices without their choices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* the order matters to cmocka */
#include <cmocka.h>
#undef skip /* a macro of cmocka; a function of each block here */

#include "blocks/finereg/csm.h"
#include "blocks/finereg/csw.h"
#include "blocks/finereg/rmu.h"
#include "blocks/slice/dit.h"
#include "blocks/slice/entry.h"
#include "blocks/slice/scu.h"
#include "blocks/slice/sit.h"
#include "blocks/slice/vc.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/wve.h"
#include "sm/private.h"

#define NET finereg
#define NET_DEF "gen/nets/finereg.def"
#define NET_TABLE
#include "sm/wires.h"
#define NET slices
#define NET_DEF "gen/nets/slices.def"
#define NET_TABLE
#include "sm/wires.h"

enum { CYCLES = 20000, NO_RMU = 1u << finereg_rmu };

static struct sm *an_sm(const struct observer *o) {
  struct sm *S = calloc(1, sizeof *S);
  assert_non_null(S);
  S->observer = o;
  return S;
}

static uint64_t seed;
static uint64_t draw(uint64_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % n;
}

/* ---- a switch among a few CTAs, with long pauses; the RMU is played here ---- */

struct world {
  struct sm *S;
  struct finereg_net *net;
};

static struct world a_world(const struct observer *o) {
  struct world w = {an_sm(o), calloc(1, sizeof(struct finereg_net))};
  assert_non_null(w.net);
  twins_start(&w.net->t, &finereg_twins, w.S, NO_RMU);
  return w;
}

static void end_world(struct world *w) { free(w->S), free(w->net); }

struct events { /* what happens outside in a cycle */
  bool any;
  uint32_t stalled, ready;
  bool new_ok, slot_ok, pipe_ok, c_rdy, done, x_done;
};

static void drive(struct world *w, const struct events *e) {
  struct finereg_net *n = w->net;
  const struct csw_out *o = csw_get(n, 0);
  const uint64_t step = csw_model(n, 0)->r.state_q;
  const uint32_t active = (uint32_t)csm_model(n, 0)->member_q[CSM_ACTIVE][0], ready = e->ready & ~active;
  uint32_t stalled = e->stalled & active;
  if (step != CSW_IDLE && step != CSW_EXAMINE && o->freeze_valid_o)
    stalled |= 1u << o->freeze_cta_o; /* a rule of csw */
  if (n->csw.in[0].stalled_i[0] != stalled) csw_set(n, 0)->stalled_i[0] = stalled;
  if (n->csm.in[0].ready_i[0] != ready) csm_set(n, 0)->ready_i[0] = ready;
  NET_LEVEL(n, csw, 0, new_fits_i, e->new_ok);
  NET_LEVEL(n, csw, 0, acrf_slot_free_i, e->slot_ok);
  NET_LEVEL(n, csw, 0, pipeline_slot_free_i, e->pipe_ok);
  NET_LEVEL(n, csw, 0, cta_warps_i, 4);
  NET_LEVEL(n, csw, 0, command_ready_i, e->c_rdy);
  NET_LEVEL(n, csw, 0, done_valid_i, e->done && step == CSW_WAIT);
  NET_LEVEL(n, csw, 0, done_success_i, 1);
  if (e->x_done && (step == CSW_MOVE_OUT || step == CSW_MOVE_IN)) csw_set(n, 0)->context_move_done_i = 1;
}

/* Long stretches in which nothing changes, between short ones in which much does. */
static void happen(struct events *e) {
  e->any = draw(40) == 0;
  if (!e->any) return;
  e->stalled = (uint32_t)draw(3) ? (uint32_t)draw(16) : 0;
  e->ready = (uint32_t)draw(2) ? (uint32_t)draw(16) & ~e->stalled : 0;
  e->new_ok = !draw(6), e->slot_ok = !draw(2), e->pipe_ok = !draw(3);
  e->c_rdy = !draw(2), e->done = !draw(2), e->x_done = !draw(2);
}

static bool nothing(void *ctx, const char *block, unsigned instance, uint64_t cycle, const void *state, const void *in,
                    const void *out) {
  (void)block, (void)instance, (void)cycle, (void)state, (void)in, (void)out;
  ++*(uint64_t *)ctx;
  return true;
}
static void reset_too(void *ctx, const char *block, unsigned instance) {
  (void)ctx, (void)instance;
  assert_true(!strcmp(block, "finereg/csm") || !strcmp(block, "finereg/csw"));
}

static void same_models(struct world *a, struct world *b) {
  csw_get(a->net, 0), csw_get(b->net, 0), csm_get(a->net, 0), csm_get(b->net, 0);
  assert_memory_equal(&a->net->csm.state[0], &b->net->csm.state[0], offsetof(struct csm_state, control_only));
  assert_memory_equal(a->net->csm.state[0].member_q, b->net->csm.state[0].member_q,
                      sizeof a->net->csm.state[0].member_q);
  assert_int_equal(a->net->csw.state[0].r.state_q, b->net->csw.state[0].r.state_q);
  assert_memory_equal(&a->net->csw.out[0], &b->net->csw.out[0], sizeof a->net->csw.out[0]);
  assert_memory_equal(&a->net->csm.out[0], &b->net->csm.out[0], sizeof a->net->csm.out[0]);
}

/* With an observer nothing sleeps; without one blocks sleep, and are as if they had not. */
static void sleep_equals_ticks(void **state) {
  (void)state;
  uint64_t shown = 0, slept = 0;
  const struct observer o = {.reset = reset_too, .cycle = nothing, .ctx = &shown};
  struct world all = a_world(&o), sleeping = a_world(NULL);
  struct events e = {0};
  seed = 7;
  for (uint64_t now = 0; now < CYCLES; now++) {
    all.S->now = sleeping.S->now = now;
    happen(&e);
    drive(&all, &e);
    drive(&sleeping, &e);
    twins_commit(&all.net->t, &finereg_twins);
    slept += !sleeping.net->t.awake[finereg_csw];
    twins_commit(&sleeping.net->t, &finereg_twins);
    same_models(&all, &sleeping);
  }
  assert_int_equal(shown, 2 * CYCLES);
  assert_true(slept > CYCLES / 10);
  end_world(&all), end_world(&sleeping);
}

/* As sm/cycle.c does it: a jump of n cycles where nothing changes is n cycles. */
static void jumps(void **state) {
  (void)state;
  uint64_t shown = 0, jumped = 0;
  const struct observer o = {.reset = reset_too, .cycle = nothing, .ctx = &shown};
  struct world all = a_world(&o), jumping = a_world(NULL);
  struct events e = {0};
  seed = 11;
  for (uint64_t now = 0; now < CYCLES; now++) {
    const uint64_t pause = draw(3) ? draw(60) : draw(400);
    do happen(&e);
    while (!e.any);
    jumping.S->now = all.S->now = now;
    drive(&all, &e), drive(&jumping, &e);
    twins_commit(&all.net->t, &finereg_twins), twins_commit(&jumping.net->t, &finereg_twins);
    for (uint64_t left = pause; left;) {
      uint64_t n = twins_idle(&jumping.net->t, &finereg_twins);
      if (n > left) n = left;
      /* a pulse ends with its cycle: what is held is all but x_done */
      e.x_done = e.done = false;
      if (n) twins_skip(&jumping.net->t, &finereg_twins, n);
      for (uint64_t k = 0; k < n; k++) all.S->now = ++now, drive(&all, &e), twins_commit(&all.net->t, &finereg_twins);
      jumping.S->now = now;
      left -= n;
      jumped += n;
      if (!left) break;
      all.S->now = jumping.S->now = ++now;
      drive(&all, &e), drive(&jumping, &e);
      twins_commit(&all.net->t, &finereg_twins), twins_commit(&jumping.net->t, &finereg_twins);
      left--;
    }
    same_models(&all, &jumping);
  }
  assert_true(jumped > CYCLES / 2);
  end_world(&all), end_world(&jumping);
}

/* ---- look-ups of two collector units ---- */

static struct slices_net *loaded(struct sm *S) {
  struct slices_net *n = calloc(1, sizeof *n);
  assert_non_null(n);
  twins_start(&n->t, &slices_twins, S, 0);
  for (unsigned a = 0; a < 256; a++, S->now++) {
    struct sit_in *in = sit_set(n, 0);
    in->load_valid_i = 1;
    in->load_addr_i = a;
    in->load_entry_i = entry_make(a, 0xff, 0, 0);
    twins_commit(&n->t, &slices_twins);
  }
  return n;
}

static void allocate(struct slices_net *n, unsigned k, unsigned reg) {
  struct scu_bank_in *in = scu_bank_set(n, 0);
  in->allocate_valid_i |= 1ull << 3 * k;
  in->allocate_source_i |= 1ull << 3 * k;
  in->allocate_addr_i[3 * k] = (uint8_t)reg;
}

/* Both ask one bank: granted one after the other, each in the cycle after it asks at the earliest, the response one later. */
static void order_of_evaluation(void **state) {
  (void)state;
  struct sm *S = an_sm(NULL);
  struct slices_net *n = loaded(S);
  allocate(n, 3, 0x12), allocate(n, 5, 0x22);
  assert_int_equal(sit_get(n, 0)->grant_o, 0);
  twins_commit(&n->t, &slices_twins), S->now++;
  assert_int_equal(n->sit.in[0].request_valid_i, 1ull << 9 | 1ull << 15);
  assert_int_equal(sit_get(n, 0)->grant_o, 1ull << 9);
  assert_int_equal(n->scu_bank.in[0].grant_i, 1ull << 9);
  twins_commit(&n->t, &slices_twins), S->now++;
  assert_int_equal(scu_bank_model(n, 0)->r.c.located_q, 1ull << 9);
  assert_int_equal(sit_get(n, 0)->response_valid_o, 1u << 2);
  assert_int_equal(sit_get(n, 0)->grant_o, 1ull << 15);
  assert_int_equal(n->scu_bank.in[0].grant_i, 1ull << 15);
  twins_commit(&n->t, &slices_twins), S->now++;
  assert_int_equal(sit_get(n, 0)->grant_o, 0);
  assert_int_equal(sit_get(n, 0)->response_valid_o, 1u << 2);
  assert_int_equal(twins_idle(&n->t, &slices_twins), 0);
  twins_commit(&n->t, &slices_twins), S->now++;
  assert_int_equal(twins_idle(&n->t, &slices_twins), UINT64_MAX); /* the SCUs wait for responses: no input, no work */
  assert_false(twins_awake(&n->t));
  free(n), free(S);
}

/* ---- the observer ---- */

struct watch {
  struct sit sit; /* run by what is shown */
  uint64_t cycles[TWIN_KINDS], evaluated;
  bool refuse;
};

static unsigned kind(const char *block) {
  for (unsigned i = 0; i < slices_twins.kinds; i++)
    if (!strcmp(slices_twins.kind[i].name, block)) return i;
  fail_msg("%s is none of the net's blocks", block);
  return 0;
}
static void watch_reset(void *ctx, const char *block, unsigned instance) {
  struct watch *w = ctx;
  (void)instance;
  if (kind(block) == slices_sit) sit_reset(&w->sit);
}
static bool watch_cycle(void *ctx, const char *block, unsigned instance, uint64_t cycle, const void *state,
                        const void *in, const void *out) {
  struct watch *w = ctx;
  (void)instance, (void)cycle;
  w->cycles[kind(block)]++;
  if (kind(block) != slices_sit) return true;
  struct sit_out o = {0};
  sit_eval(&w->sit, in, &o);
  assert_memory_equal(&w->sit, state, sizeof w->sit);
  if (!w->refuse) assert_memory_equal(&o, out, sizeof o);
  sit_tick(&w->sit, in);
  return true;
}
/* The Verilog of a SIT that grants no request. */
static void watch_outputs(void *ctx, const char *block, unsigned instance, const void *in, void *out) {
  struct watch *w = ctx;
  (void)instance, (void)in;
  w->evaluated++;
  if (w->refuse && kind(block) == slices_sit) ((struct sit_out *)out)->grant_o = 0;
}

static void look_up(struct sm *S, struct slices_net *n) {
  allocate(n, 3, 0x12), allocate(n, 5, 0x22);
  for (unsigned t = 0; t < 10; t++, S->now++) twins_commit(&n->t, &slices_twins);
}

static void observer_sees_each_cycle(void **state) {
  (void)state;
  struct watch w = {0};
  const struct observer o = {.reset = watch_reset, .cycle = watch_cycle, .ctx = &w};
  struct sm *S = an_sm(&o);
  struct slices_net *n = loaded(S);
  look_up(S, n);
  assert_true(n->t.values);
  assert_int_equal(w.cycles[slices_sit], 266);
  assert_int_equal(w.cycles[slices_scu_bank], 16 * 266);
  assert_int_equal(w.cycles[slices_wve], 0); /* no clock, not used */
  wve_set(n, 7)->entry_i = entry_make(1, 0xff, 0, 0);
  twins_commit(&n->t, &slices_twins);
  assert_int_equal(w.cycles[slices_wve], 1);
  free(n), free(S);
}

static void driven_outputs(void **state) {
  (void)state;
  struct watch w = {.refuse = false};
  const struct observer o = {.reset = watch_reset, .cycle = watch_cycle, .outputs = watch_outputs, .ctx = &w};
  struct sm *S = an_sm(&o);
  struct slices_net *n = loaded(S);
  look_up(S, n);
  assert_true(w.evaluated > 266);
  assert_int_equal(scu_bank_model(n, 0)->r.c.located_q, 1ull << 9 | 1ull << 15);
  w.refuse = true;
  allocate(n, 8, 0x15);
  for (unsigned t = 0; t < 10; t++, S->now++) twins_commit(&n->t, &slices_twins);
  assert_int_equal(scu_bank_model(n, 0)->r.c.located_q >> 24 & 7, 0);
  free(n), free(S);
}

/* ---- without values ---- */

static void values_stay_out(void **state) {
  (void)state;
  struct sm *S = an_sm(NULL);
  struct slices_net *n = loaded(S);
  assert_int_equal(n->dit.state[0].r.control_only, 1);
  struct dit_in *load = dit_set(n, 0);
  load->load_valid_i = load->load_addr_i = 1;
  load->load_entry_i = entry_make(1, 0x0f, 2, 0xf0);
  twins_commit(&n->t, &slices_twins), S->now++;
  struct dit_in *in = dit_set(n, 0);
  in->write_valid_i = 1;
  in->write_addr_i[0] = 1;
  memset(in->write_payload_i[0], 0x55, 128);
  twins_settle(&n->t, &slices_twins);
  assert_int_equal(dit_get(n, 0)->write_ready_o & 1, 1);
  twins_commit(&n->t, &slices_twins), S->now++;
  twins_commit(&n->t, &slices_twins), S->now++;
  const struct vt_out *o = vt_get(n, 0);
  assert_int_equal(o->part0_valid_o | o->part1_valid_o << 3, 1 | 1 << 3);
  assert_int_equal(o->part1_mask_o[0], 0xf0);
  assert_int_equal(n->vt.in[0].result_payload_i[0][0] | o->part0_data_o[0][0] | o->part1_data_o[0][0], 0);
  free(n), free(S);
}

/* ---- with sim.check: what a PULSE told is not overwritten in its cycle ---- */

/* Writes an entry in this cycle, in one call. */
static void load_entry(struct slices_net *n, unsigned addr, uint32_t entry) {
  struct sit_in *in = sit_set(n, 0);
  in->load_valid_i = 1;
  in->load_addr_i = addr;
  in->load_entry_i = entry;
}

static void lost_pulses_are_found(void **state) {
  (void)state;
  struct {
    bool checked, twice; /* a second entry comes in the same cycle */
    unsigned addr;       /* to this register */
    bool read;           /* outputs are read between the two */
    const char *text;
  } const t[] = {{true, false, 0, false, NULL},
                 {true, true, 7, false, NULL}, /* the same again loses nothing */
                 {true, true, 8, false, "slice/sit 0: load_valid_i is set, and load_addr_i has changed after it"},
                 {true, true, 8, true, "slice/sit 0: load_valid_i is set, and load_addr_i has changed after it"},
                 {false, true, 8, false, NULL}};
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
    struct sm *S = an_sm(NULL);
    static int any;
    S->check = t[i].checked ? (void *)&any : NULL;
    struct slices_net *n = loaded(S); /* an entry in each of 256 cycles */
    assert_false(S->failed);
    load_entry(n, 7, entry_make(1, 0x0f, 2, 0xf0));
    if (t[i].read) sit_get(n, 0);
    if (t[i].twice) load_entry(n, t[i].addr, entry_make(1, 0x0f, 2, 0xf0));
    twins_commit(&n->t, &slices_twins);
    assert_int_equal(S->failed, t[i].text != NULL);
    if (t[i].text) assert_non_null(strstr(S->err.text, t[i].text));
    free(n), free(S);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleep_equals_ticks),    cmocka_unit_test(jumps),
      cmocka_unit_test(order_of_evaluation),   cmocka_unit_test(observer_sees_each_cycle),
      cmocka_unit_test(driven_outputs),        cmocka_unit_test(values_stay_out),
      cmocka_unit_test(lost_pulses_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

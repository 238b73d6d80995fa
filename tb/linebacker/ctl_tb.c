/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of ctl: coverage bins, phases, cases and rules of the inputs. Its model of the SM is in ctl_sm.h, its
 * prediction of every port and register in ctl_oracle.h. docs/blocks/linebacker/ctl.md
 */
#include "tb.h"

// clang-format off
#define OF_STATES(B, p)                                                                                 \
  B(p##idle) B(p##syn) B(p##thr) B(p##hlt) B(p##qui) B(p##bck) B(p##bfin) B(p##lrn) B(p##act) B(p##act2) \
  B(p##lnew) B(p##r1) B(p##rst) B(p##rfin)
/* In bck and rst a kstart is illegal. */
#define OF_STATES_OF_KSTART(B, p)                                                                       \
  B(p##idle) B(p##syn) B(p##thr) B(p##hlt) B(p##qui) B(p##bfin) B(p##lrn) B(p##act) B(p##act2)          \
  B(p##lnew) B(p##r1) B(p##rfin)
#define BINS_OF_ALL(B)                                                                                  \
  OF_STATES(B, in_)                                                                                     \
  B(wait_to_run) B(wait_to_off) B(sel_beside_off) B(sel_in_run) B(off_in_run) B(sel_in_off)             \
  B(retires_before_kstart) B(ret_127) B(lau_in_syn) B(lau_beside_sreq) B(lau_below_lrn) B(lau_0)        \
  B(lau_31) B(lau_at_2047) B(fin_of_last) B(fin_of_restored) B(fin_of_victim_in_thr)                    \
  B(fin_of_victim_in_hlt) B(fin_of_victim_in_qui)                                                       \
  B(tick_before_kstart) B(tick_retires) B(tick_in_wait) B(tick_in_off)                                  \
  B(keep_wait) B(keep_run) B(keep_off) B(kstart_ends_run) B(kstart_beside_fin) B(kstart_beside_lau)     \
  B(kstart_beside_sel) B(keep_beside_sel) B(kstart_with_backups) B(kstart_with_finp)                    \
  B(thr_after_keep_beside_sel) B(thr_after_keep_in_idle) B(thr_after_keep_in_syn)                       \
  B(idle_after_keep_in_thr) B(idle_after_keep)                                                          \
  B(syn_to_thr) B(syn_to_idle) B(syn_to_idle_off) B(syn_to_rst) B(syn_to_lnew) B(hack_at_once)          \
  B(hack_late) B(sreq_before_end) B(two_ends) B(up) B(down) B(steady)                                   \
  B(up_by_one) B(ten_percent_up) B(down_by_one) B(ten_percent_down) B(down_to_0) B(up_from_0)           \
  B(thr_of_none) B(thr_of_one) B(thr_of_two) B(thr_of_many) B(victim_with_lower_id)                     \
  B(victim_with_highest_id) B(throttled_again) B(quiet_at_once) B(quiet_later) B(quiet_late)            \
  B(ended_and_quiet) B(ended_not_quiet) B(others_quiet) B(lrn_falls)                                    \
  B(rr_waits) B(mw_waits) B(rr_and_mw_wait) B(bck_full) B(bck_all_under_way) B(bck_full_of_both)        \
  B(bck_empty_between) B(bck_in_and_out) B(bck_in_and_last_out) B(bck_out_of_full)                      \
  B(nreg_1) B(nreg_2) B(nreg_3) B(nreg_4) B(nreg_5) B(nreg_6) B(nreg_7) B(nreg_8_to_99) B(nreg_100) B(nreg_over_1000) B(addresses_wrap)                                     \
  B(depth_1) B(depth_2) B(depth_3) B(depth_5) B(saved_over_restored)                                    \
  B(restore_by_end) B(restore_by_down) B(restored_in_place) B(restored_elsewhere) B(r1_raises_lrn)      \
  B(r1_keeps_lrn) B(restore_from_over_2) B(restore_of_last)                                             \
  B(mq_waits) B(rw_waits) B(mq_and_rw_wait) B(rst_full) B(rst_full_oldest_open) B(rst_empty_between)    \
  B(rst_in_and_out) B(rst_out_of_full) B(reply_to_oldest) B(reply_before_oldest)                        \
  B(reply_to_newest_of_6) B(reply_beside_write) TB_6(B, reply_)                                         \
  B(end_answered) B(end_not_answered) B(down_answered) B(down_not_answered) B(answer_same_slot)         \
  B(answer_other_slot) B(lnew_with_none_active) B(lnew_no_slot)                                         \
  B(act2_top) B(act2_fits) B(act2_over) B(act2_fits_exactly) B(act2_over_by_one) B(act2_none_holds)     \
  B(act2_t_2048) OF_STATES(B, reset_in_)
/* Events in a certain cycle, or in that of a tick: too rare with long windows. */
#define BINS_OF_SHORT(B)                                                                                \
  OF_STATES(B, fin_in_) OF_STATES_OF_KSTART(B, kstart_in_) OF_STATES_OF_KSTART(B, keep_in_)             \
  B(tick_in_syn) B(tick_in_thr) B(tick_in_hlt) B(tick_in_qui) B(tick_in_bck) B(tick_in_bfin)            \
  B(tick_in_lrn) B(tick_in_lnew) B(tick_in_r1) B(tick_in_rst) B(tick_in_rfin) B(tick_retires_none)      \
  B(keep_at_tick) B(kstart_at_tick) B(sreq_before_tick) B(end_before_tick) B(victim_has_ended)          \
  B(lrn_above_victim) B(not_up_by_one) B(not_down_by_one) B(stays_0) B(up_by_the_last_cycle)            \
  B(restore_for_ended_victim)
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

static void init(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *k) {
  memset(s, 0, offsetof(struct sim, reg));
  for (unsigned i = 0; i < REGS; i++) s->reg[i] = tb_rand(r);
  s->t = t, s->r = r, s->k = k;
  s->last = UINT64_MAX, s->cut = STATES;
  s->victim = s->ended = s->answer_id = NOBODY;
  s->after_keep = BIN_COUNT;
}

static void run(struct sim *s) {
  if (!setjmp(s->end)) engine(s);
}

static const char *const phases[] = {"small", "deep", "slow",  "blocked", "ends", "launches",
                                     "near",  "knee", "large", "many",    "off",  NULL};

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {.ready = 90,
       .latency = 3,
       .reply = 80,
       .mixed = 30,
       .hack = 50,
       .quies = 50,
       .fin = 30,
       .answer = 80,
       .lau = 70,
       .kstart = 5,
       .keep = 50,
       .sel = 100,
       .off = 5,
       .rise = 40,
       .fall = 40,
       .nreg = 8,
       .ctas = 6},
      {.ready = 100,
       .latency = 1,
       .reply = 100,
       .hack = 90,
       .quies = 90,
       .fin = 5,
       .answer = 100,
       .lau = 100,
       .kstart = 1,
       .keep = 50,
       .sel = 200,
       .rise = 65,
       .fall = 30,
       .nreg = 3,
       .ctas = 16},
      {.ready = 30,
       .sticky = 50,
       .latency = 30,
       .reply = 10,
       .mixed = 60,
       .hack = 5,
       .quies = 5,
       .fin = 10,
       .answer = 50,
       .lau = 20,
       .kstart = 4,
       .keep = 50,
       .sel = 50,
       .off = 2,
       .rise = 45,
       .fall = 45,
       .nreg = 12,
       .ctas = 5},
      {.ready = 40,
       .sticky = 95,
       .latency = 3,
       .reply = 60,
       .mixed = 60,
       .hack = 30,
       .quies = 30,
       .fin = 20,
       .answer = 80,
       .lau = 50,
       .kstart = 3,
       .keep = 50,
       .sel = 100,
       .rise = 45,
       .fall = 45,
       .nreg = 20,
       .ctas = 5},
      {.ready = 90,
       .latency = 2,
       .reply = 90,
       .mixed = 30,
       .hack = 60,
       .quies = 20,
       .fin = 300,
       .answer = 85,
       .lau = 80,
       .kstart = 10,
       .keep = 50,
       .sel = 200,
       .rise = 50,
       .fall = 40,
       .nreg = 3,
       .ctas = 12},
      {.ready = 95,
       .latency = 2,
       .reply = 90,
       .mixed = 30,
       .hack = 40,
       .quies = 40,
       .fin = 50,
       .answer = 80,
       .lau = 90,
       .kstart = 40,
       .keep = 60,
       .sel = 300,
       .off = 20,
       .rise = 40,
       .fall = 50,
       .nreg = 3,
       .ctas = 6},
      {.ready = 100,
       .latency = 1,
       .reply = 100,
       .hack = 50,
       .quies = 50,
       .fin = 150,
       .answer = 80,
       .lau = 90,
       .kstart = 5,
       .keep = 60,
       .sel = 300,
       .off = 5,
       .rise = 45,
       .fall = 45,
       .nreg = 2,
       .ctas = 8,
       .near = 97},
      {.ready = 90,
       .latency = 4,
       .reply = 80,
       .mixed = 20,
       .hack = 50,
       .quies = 30,
       .fin = 20,
       .answer = 100,
       .lau = 100,
       .kstart = 1,
       .keep = 50,
       .sel = 300,
       .knee = 4,
       .nreg = 3,
       .ctas = 14},
      {.ready = 97,
       .latency = 2,
       .reply = 95,
       .mixed = 20,
       .hack = 50,
       .quies = 50,
       .fin = 10,
       .answer = 90,
       .lau = 90,
       .kstart = 3,
       .keep = 30,
       .sel = 300,
       .rise = 45,
       .fall = 45,
       .nreg = 300,
       .ctas = 5},
      {.ready = 95,
       .latency = 2,
       .reply = 95,
       .mixed = 20,
       .hack = 50,
       .quies = 50,
       .fin = 40,
       .answer = 90,
       .lau = 95,
       .kstart = 2,
       .keep = 50,
       .sel = 200,
       .rise = 50,
       .fall = 45,
       .nreg = 2,
       .ctas = 32},
      {.ready = 90,
       .latency = 2,
       .reply = 90,
       .hack = 30,
       .quies = 50,
       .fin = 40,
       .answer = 70,
       .lau = 40,
       .kstart = 20,
       .keep = 60,
       .sel = 20,
       .off = 200,
       .rise = 40,
       .fall = 40,
       .nreg = 4,
       .ctas = 8},
  };
  struct sim s;
  init(&s, t, r, &bias[phase]);
  const bool few =
      PERIOD > 10000 || (PERIOD > 1000 && tb_chance(r, 80)); /* windows; events are those of launches and ends */
  s.last = few ? 500 + below(&s, 4000) : (uint64_t)PERIOD * (3 + below(&s, 30));
  run(&s);
}

/* ---- cases ---- */

static const struct bias at_once = {
    .ready = 100, .latency = 1, .reply = 100, .hack = 100, .quies = 100, .answer = 100, .lau = 100};
static const struct bias with_delays = {
    .ready = 70, .latency = 4, .reply = 50, .mixed = 50, .hack = 30, .quies = 30, .answer = 100, .lau = 80};
static const struct bias empty_buffer = {
    .ready = 15, .latency = 1, .reply = 100, .hack = 100, .quies = 100, .answer = 100, .lau = 100};

static void obeys(struct tb_run *t, struct tb_rng *r, const struct bias *k, const struct order *o, unsigned cut) {
  struct sim s;
  init(&s, t, r, k);
  s.orders = o, s.cut = cut;
  run(&s);
  tb_reset(t);
}

/* IPC rises until one CTA is left, falls until all are back, and falls further: CTAs begin that an end has left room for. */
static void up_and_down(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_START, 3, 17},      {O_NEXT, 1, 0},   {O_LAUNCH, 6, 0},       {O_SEL, 0, 0},  /* the first is throttled */
      {O_WINDOW, 100, 0},    {O_NEXT, 1, 0},   {O_WINDOW, 110, 0},     {O_NEXT, 1, 0}, /* up; not */
      {O_WINDOW, 122, 0},    {O_NEXT, 1, 0},   {O_WINDOW, 200, 0},     {O_NEXT, 1, 0},   {O_WINDOW, 300, 0},
      {O_NEXT, 1, 0},                        /* up */
      {O_WINDOW, 400, 0},    {O_NEXT, 1, 0}, /* one is left */
      {O_WINDOW, 360, 0},    {O_NEXT, 1, 0},   {O_WINDOW, 323, 0},     {O_NEXT, 1, 0},   {O_WINDOW, 0, 0},
      {O_NEXT, 1, 0},                                                                  /* not; down */
      {O_WINDOW, 0, 0},      {O_NEXT, 1, 0},   {O_WINDOW, 100, 0},     {O_NEXT, 1, 0}, /* not; up */
      {O_WINDOW, 89, 0},     {O_NEXT, 1, 0},   {O_WINDOW, 40, 0},      {O_NEXT, 1, 0}, /* down */
      {O_WINDOW, 20, 0},     {O_NEXT, 1, 0},   {O_WINDOW, 10, 0},      {O_NEXT, 1, 0}, /* all are back */
      {O_WINDOW, 8, 0},      {O_NEXT, 1, 0},                                           /* no room */
      {O_ANSWER, NOBODY, 0}, {O_FIN, 5, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_WINDOW, 4, 0}, {O_UNTIL, CTL_LNEW, 0},
      {O_ANSWER, 31, 0},     {O_WINDOW, 2, 0}, {O_NEXT, 10, 0},        {O_END, 0, 0}};
  obeys(t, r, &at_once, o, STATES);
}

/* Windows of nearly as many instructions as can be, with each bit of the counts: just not up, just not down, down, up. */
static void full_windows(struct tb_run *t, struct tb_rng *r) {
  const unsigned n = MOST_RET * PERIOD / 1100 * 1000, not_up = n + n / 10, not_down = not_up / 10 * 9;
  const unsigned down = (9 * not_down - 1) / 10, up = down * 11 / 10 + 1;
  const struct order o[] = {{O_START, 3, 17},        {O_NEXT, 1, 0},  {O_LAUNCH, 4, 0},      {O_SEL, 0, 0},
                            {O_WINDOW, n, 0},        {O_NEXT, 1, 0},  {O_WINDOW, not_up, 0}, {O_NEXT, 1, 0},
                            {O_WINDOW, not_down, 0}, {O_NEXT, 1, 0},  {O_WINDOW, down, 0},   {O_NEXT, 1, 0},
                            {O_WINDOW, up, 0},       {O_NEXT, 20, 0}, {O_END, 0, 0}};
  obeys(t, r, &at_once, o, STATES);
}

/* All slots are in use; the last register of all is; then nobody holds registers. */
static void at_the_end(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_WINDOW, 500, 0},    {O_NEXT, 1, 0}, /* before the first launch */
      {O_START, 1, 2047},    {O_NEXT, 1, 0},     {O_OFF, 0, 0},      {O_WINDOW, 10, 0},      {O_START, 1, 2047},
      {O_NEXT, 1, 0},        {O_LAUNCH, 32, 0},  {O_WINDOW, 100, 0}, {O_NEXT, 1, 0},         {O_SEL, 0, 0},
      {O_WINDOW, 50, 0},     {O_NEXT, 1, 0},     {O_WINDOW, 20, 0},  {O_UNTIL, CTL_LNEW, 0}, {O_START, 1, 2047},
      {O_NEXT, 1, 0},        {O_WINDOW, 100, 0}, {O_LAU, 31, 2047},  {O_NEXT, 1, 0},         {O_SEL, 0, 0},
      {O_WINDOW, 50, 0},     {O_NEXT, 6, 0}, /* down */
      {O_ANSWER, NOBODY, 0}, {O_FIN, 31, 0},     {O_WINDOW, 20, 0},  {O_NEXT, 6, 0},         {O_END, 0, 0}};
  obeys(t, r, &at_once, o, STATES);
}

/* A CTA that is about to be throttled ends: in thr, in hlt, in qui, in the cycle of the decision. */
static void victim_ends(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_START, 7, 20},       {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},       {O_SEL, 0, 0},
      {O_UNTIL, CTL_THR, 0},  {O_FIN, 2, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_QUIES, 0, 0},
      {O_START, 7, 20},       {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},       {O_SEL, 0, 0},
      {O_UNTIL, CTL_HLT, 0},  {O_FIN, 2, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_START, 7, 20},
      {O_NEXT, 1, 0},         {O_LAUNCH, 3, 0}, {O_SEL, 0, 0},          {O_UNTIL, CTL_QUI, 0},
      {O_NEXT, 5, 0},         {O_FIN, 2, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_QUIES, 1, 0},
      {O_START, 7, 20},       {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},       {O_NEXT, 1, 0},
      {O_SEL, 0, 0},          {O_FIN, 2, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_QUIES, 0, 0},
      {O_START, 7, 20},       {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},       {O_SEL, 0, 0},
      {O_UNTIL, CTL_QUI, 0},  {O_FIN, 0, 0},    {O_NEXT, 1, 0},         {O_FIN, 1, 0},
      {O_START, 5, 14},       {O_QUIES, 1, 0}, /* others than the victim, which the next launch forgets */
      {O_NEXT, 1, 0},         {O_LAUNCH, 3, 0}, {O_SEL, 0, 0},          {O_UNTIL, CTL_BCK, 0},
      {O_FIN, 1, 0},          {O_NEXT, 1, 0},   {O_FIN, 0, 0},          {O_UNTIL, CTL_RFIN, 0},
      {O_UNTIL, CTL_LNEW, 0}, {O_NEXT, 3, 0},   {O_END, 0, 0}};
  obeys(t, r, &at_once, o, STATES);
  obeys(t, r, &with_delays, o, STATES);
  for (unsigned n = 0; n < 4; n++) obeys(t, r, &empty_buffer, o, STATES);
}

/*
 * Of two CTAs, for each node of the search and in either order, the one in range 2^k is the victim and not the one in
 * 2^k - 1, for each k. It ends when it is halted; in a second launch it is saved.
 */
static void each_victim(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 0; n < 2 * (CTAS - 1) * 11; n++) {
    const unsigned i = n / 22 + 1, j = i & (i - 1), victim = n % 2 ? i : j, other = n % 2 ? j : i;
    const unsigned high = 1u << n / 2 % 11;
    const struct order o[] = {{O_QUIES, 0, 0},       {O_START, 1, 2047},     {O_NEXT, 1, 0},
                              {O_LAU, victim, high}, {O_NEXT, 1, 0},         {O_LAU, other, high - 1},
                              {O_NEXT, 1, 0},        {O_SEL, 0, 0},          {O_UNTIL, CTL_QUI, 0},
                              {O_FIN, victim, 0},    {O_UNTIL, CTL_LNEW, 0}, {O_QUIES, 1, 0},
                              {O_START, 1, 2047},    {O_NEXT, 1, 0},         {O_LAU, other, high - 1},
                              {O_NEXT, 1, 0},        {O_LAU, victim, high},  {O_NEXT, 1, 0},
                              {O_SEL, 0, 0},         {O_UNTIL, CTL_LRN, 0},  {O_NEXT, 1, 0},
                              {O_END, 0, 0}};
    obeys(t, r, &at_once, o, STATES);
  }
}

/* The policy outlives launches, and nothing is throttled for them; the launch's begin under hold. */
static void launches(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_KEEP, 2, 9},        {O_NEXT, 1, 0},        {O_LAUNCH, 5, 0}, {O_NEXT, 5, 0},    {O_SEL, 0, 0},
      {O_UNTIL, CTL_LRN, 0}, {O_NEXT, 5, 0},        {O_HACK, 0, 0},   {O_KEEP, 3, 8},    {O_NEXT, 1, 0},
      {O_LAUNCH, 3, 0},      {O_HACK, 1, 0},        {O_NEXT, 4, 0},   {O_WINDOW, 50, 0}, {O_NEXT, 1, 0},
      {O_WINDOW, 100, 0},    {O_UNTIL, CTL_LRN, 0}, {O_NEXT, 4, 0},   {O_HACK, 0, 0},    {O_KEEP, 3, 8},
      {O_NEXT, 1, 0},        {O_LAUNCH, 1, 0},      {O_NEXT, 40, 0},  {O_HACK, 1, 0},    {O_NEXT, 8, 0},
      {O_KEEP, 3, 8},        {O_NEXT, 8, 0},        {O_WINDOW, 5, 1}, {O_NEXT, 8, 0},    {O_END, 0, 0}};
  obeys(t, r, &at_once, o, STATES);
}

/* Kept launches before the selection's throttle, which comes behind the last of them; none comes behind later ones. */
static void throttled_once(struct tb_run *t, struct tb_rng *r) {
  static const struct order beside_sel[] = {{O_START, 4, 15}, {O_NEXT, 1, 0},        {O_LAUNCH, 3, 0}, {O_SEL, 0, 0},
                                            {O_KEEP, 4, 15},  {O_HACK, 0, 0},        {O_NEXT, 1, 0},   {O_LAUNCH, 3, 0},
                                            {O_HACK, 1, 0},   {O_UNTIL, CTL_LRN, 0}, {O_NEXT, 3, 0},   {O_KEEP, 2, 9},
                                            {O_NEXT, 3, 0},   {O_KEEP, 2, 9},        {O_HACK, 0, 0},   {O_NEXT, 1, 0},
                                            {O_LAUNCH, 4, 0}, {O_HACK, 1, 0},        {O_NEXT, 6, 0},   {O_END, 0, 0}};
  static const struct order in_idle[] = {{O_START, 4, 15}, {O_NEXT, 1, 0},        {O_SEL, 0, 0},  {O_NEXT, 1, 0},
                                         {O_KEEP, 3, 11},  {O_HACK, 0, 0},        {O_NEXT, 1, 0}, {O_LAUNCH, 4, 0},
                                         {O_HACK, 1, 0},   {O_UNTIL, CTL_LRN, 0}, {O_NEXT, 6, 0}, {O_END, 0, 0}};
  static const struct order in_syn[] = {{O_START, 4, 15},      {O_NEXT, 1, 0},   {O_SEL, 0, 0},   {O_HACK, 0, 0},
                                        {O_UNTIL, CTL_SYN, 0}, {O_KEEP, 3, 11},  {O_NEXT, 3, 0},  {O_KEEP, 5, 14},
                                        {O_NEXT, 1, 0},        {O_LAUNCH, 3, 0}, {O_QUIES, 0, 0}, {O_HACK, 1, 0},
                                        {O_UNTIL, CTL_QUI, 0}, {O_NEXT, 2, 0},   {O_KEEP, 4, 15}, {O_HACK, 0, 0},
                                        {O_NEXT, 1, 0},        {O_LAUNCH, 3, 0}, {O_QUIES, 1, 0}, {O_HACK, 1, 0},
                                        {O_NEXT, 6, 0},        {O_END, 0, 0}};
  obeys(t, r, &at_once, beside_sel, STATES);
  obeys(t, r, &with_delays, beside_sel, STATES);
  obeys(t, r, &at_once, in_idle, STATES);
  obeys(t, r, &with_delays, in_idle, STATES);
  obeys(t, r, &at_once, in_syn, STATES);
  obeys(t, r, &with_delays, in_syn, STATES);
}

/* A kept launch in thr itself, whose throttle then does not come; one that is not kept, in syn; off. */
static void throttled_never(struct tb_run *t, struct tb_rng *r) {
  static const struct order in_thr[] = {{O_START, 4, 15},      {O_NEXT, 1, 0},  {O_LAUNCH, 3, 0}, {O_SEL, 0, 0},
                                        {O_UNTIL, CTL_THR, 0}, {O_KEEP, 6, 23}, {O_HACK, 0, 0},   {O_NEXT, 1, 0},
                                        {O_LAUNCH, 4, 0},      {O_HACK, 1, 0},  {O_NEXT, 6, 0},   {O_KEEP, 6, 23},
                                        {O_NEXT, 6, 0},        {O_END, 0, 0}};
  static const struct order not_kept[] = {{O_START, 4, 15},      {O_NEXT, 1, 0},   {O_HACK, 0, 0}, {O_SEL, 0, 0},
                                          {O_UNTIL, CTL_SYN, 0}, {O_START, 4, 15}, {O_NEXT, 1, 0}, {O_LAUNCH, 3, 0},
                                          {O_HACK, 1, 0},        {O_NEXT, 6, 0},   {O_OFF, 0, 0},  {O_NEXT, 6, 0},
                                          {O_KEEP, 3, 11},       {O_HACK, 0, 0},   {O_NEXT, 1, 0}, {O_LAUNCH, 3, 0},
                                          {O_HACK, 1, 0},        {O_NEXT, 6, 0},   {O_END, 0, 0}};
  obeys(t, r, &at_once, in_thr, STATES);
  obeys(t, r, &with_delays, in_thr, STATES);
  obeys(t, r, &at_once, not_kept, STATES);
  obeys(t, r, &with_delays, not_kept, STATES);
}

/* Two CTAs share the register file, and a single one has nearly all of it. */
static void largest(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_START, 1024, 2047}, {O_NEXT, 1, 0},         {O_LAUNCH, 2, 0},       {O_SEL, 0, 0},  {O_UNTIL, CTL_LRN, 0},
      {O_NEXT, 20, 0},       {O_FIN, 0, 0},          {O_UNTIL, CTL_RFIN, 0}, {O_NEXT, 2, 0}, {O_START, 2047, 2046},
      {O_NEXT, 1, 0},        {O_LAU, 7, 0},          {O_NEXT, 1, 0},         {O_SEL, 0, 0},  {O_UNTIL, CTL_THR, 0},
      {O_FIN, 7, 0},         {O_UNTIL, CTL_LNEW, 0}, {O_NEXT, 3, 0},         {O_END, 0, 0}};
  obeys(t, r, &with_delays, o, STATES);
}

/* Reset in each state: nothing from before it is left, which the next round shows. */
static void reset_in_each_state(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {
      {O_START, 9, 35},       {O_NEXT, 1, 0},     {O_LAUNCH, 4, 0},       {O_SEL, 0, 0},    {O_UNTIL, CTL_LRN, 0},
      {O_NEXT, 20, 0},        {O_FIN, 0, 0},      {O_UNTIL, CTL_RFIN, 0}, {O_NEXT, 1, 0},   {O_FIN, 1, 0},
      {O_UNTIL, CTL_LNEW, 0}, {O_WINDOW, 100, 0}, {O_NEXT, 1, 0},         {O_WINDOW, 0, 0}, {O_UNTIL, CTL_ACT2, 0},
      {O_NEXT, 1, 0},         {O_END, 0, 0}};
  for (unsigned state = 0; state < STATES; state++) obeys(t, r, &at_once, o, state);
  obeys(t, r, &at_once, o, CTL_LNEW);
}

/* A window's last cycles with as many instructions as can be, just more or less than 10 percent beside the window before. Windows are counted
 * before the first launch, too, with up to 127 instructions in each cycle; a kept launch goes on with them. */
static void late_in_a_window(struct tb_run *t, struct tb_rng *r) {
  static const struct order o[] = {{O_KEEP, 3, 17}, {O_NEXT, 1, 0},  {O_LAUNCH, 1, 0},
                                   {O_SEL, 0, 0},   {O_NEXT, 60, 0}, {O_END, 0, 0}};
  const unsigned cycles = PERIOD - 40, n = MOST_RET * cycles;
  const unsigned before[] = {10 * n / 11 - 1, 10 * n / 11, 10 * n / 11 + 1,  10 * n / 9,
                             10 * n / 9 + 1,  n,           MOST_RET * PERIOD};
  for (unsigned k = 0; k < sizeof before / sizeof before[0]; k++) {
    struct sim s;
    if (before[k] > MOST_RET * PERIOD) continue;
    init(&s, t, r, &at_once);
    s.origin -= cycles, s.done = n, s.cur = s.prev = before[k];
    const struct ctl_state state = {.cyc_q = cycles, .ins_q = n, .cur_q = s.cur, .prev_q = s.prev};
    tb_state(t, &state);
    s.orders = o;
    run(&s);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"up_and_down", up_and_down},
                                       {"full_windows", full_windows},
                                       {"at_the_end", at_the_end},
                                       {"victim_ends", victim_ends},
                                       {"each_victim", each_victim},
                                       {"launches", launches},
                                       {"throttled_once", throttled_once},
                                       {"throttled_never", throttled_never},
                                       {"largest", largest},
                                       {"reset_in_each_state", reset_in_each_state},
                                       {"late_in_a_window", late_in_a_window},
                                       {NULL, NULL}};

/* ---- the page's rules, as far as the registers and this cycle's inputs show them ---- */

static bool bit(uint64_t v, uint64_t i) { return v >> i & 1; }

static const char *illegal_lau(const struct ctl_state *s, const struct ctl_in *in) {
  if (!in->lau_v_i) return NULL;
  if (bit(s->occ_q, in->lau_id_i)) return "lau_v_i to a slot that is in use";
  if (s->state_q == CTL_LNEW) return in->lau_frn_i != s->t_q ? "lau_v_i beside lnew_v_o, of another range" : NULL;
  if (in->lau_frn_i % s->nreg_q) return "lau_frn_i is no multiple of nreg";
  if (in->lau_frn_i + s->nreg_q - 1 > s->top_q) return "lau_v_i of a range that ends above top";
  for (unsigned i = 0; i < CTAS; i++) {
    if (bit(s->occ_q & ~s->c_q, i) && s->frn_q[i] == in->lau_frn_i) return "lau_v_i of a range that is not free";
  }
  return NULL;
}

static const char *illegal_fin(const struct ctl_state *s, const struct ctl_in *in) {
  const uint64_t id = in->fin_id_i;
  if (!in->fin_v_i) return NULL;
  if (!bit(s->occ_q, id) || bit(s->c_q, id)) return "fin_v_i of a CTA that holds no registers";
  if (bit(s->act_q, id)) return NULL; /* it is not the victim */
  if (s->state_q == CTL_BCK || s->state_q == CTL_BFIN) return "fin_v_i of the CTA that is backed up";
  if (s->state_q == CTL_QUI && bit(in->quies_i, id)) return "fin_v_i of the victim that is quiet";
  return NULL;
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct ctl_state *s = model;
  const struct ctl_in *in = vin;
  (void)last_in, (void)last_out;
  if (in->hack_i && s->state_q != CTL_SYN) return "hack_i outside syn";
  if (in->rv_v_i && s->state_q != CTL_BCK) return "rv_v_i outside bck";
  if (in->ms_v_i && s->state_q != CTL_RST) return "ms_v_i outside rst";
  if (in->ms_v_i && in->ms_e_i >= RING) return "ms_e_i is no entry";
  if (in->kstart_i && (s->state_q == CTL_BCK || s->state_q == CTL_RST)) return "kstart_i in bck or rst";
  if (in->kstart_i && !in->k_nreg_i) return "kstart_i with no registers";
  if (!s->nreg_q && (in->lm_sel_i || in->lm_off_i || in->lau_v_i || in->fin_v_i))
    return "an event before the first kstart_i";
  const char *why = illegal_lau(s, in);
  return why ? why : illegal_fin(s, in);
}

const struct tb tb_bench = {.cycles = PERIOD > 10000  ? 2300000
                                      : PERIOD > 1000 ? 1000000
                                                      : 480000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .illegal = illegal};

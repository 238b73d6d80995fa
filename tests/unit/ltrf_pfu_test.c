/* SPDX-License-Identifier: Apache-2.0 */
/* pfu: the golden model against cases worked by hand from docs/blocks/ltrf/pfu.md, and random traffic with values. */
#include "unit/finereg_kit.h"

#include "blocks/ltrf/pfu.h"

NOW(pfu)
SKIPS(pfu)

static uint64_t bit(unsigned n) { return 1ull << n; }
static const uint32_t ALL[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* ---- by hand ---- */
enum { NB = 16, LTRF = 0, PLUS = 1 };
static struct pfu s;
static struct pfu_out o; /* of the last cycle */

static void machine(uint64_t plus, uint64_t nr, uint64_t np) {
  pfu_reset(&s);
  pfu_size(&s, &(struct pfu_params){.Nr = nr,
                                    .Nact = 8,
                                    .Np = np,
                                    .Nb = NB,
                                    .Plus = plus,
                                    .Nwb = pfu_Nwb,
                                    .NumReg = pfu_NumReg,
                                    .NumWarp = pfu_NumWarp});
}

/* Under `in`, held: hold promises that nothing changes. */
static void holds_still(const struct pfu *t, const struct pfu_in *in) {
  static struct pfu later;
  if (!pfu_hold(t, in)) return;
  const struct pfu_out now = pfu_now(t, in);
  memcpy(&later, t, sizeof later);
  for (unsigned n = 0; n < 3; n++) {
    pfu_tick(&later, in);
    const struct pfu_out then = pfu_now(&later, in);
    assert_memory_equal(&now, &then, sizeof now);
  }
  assert_memory_equal(t, &later, sizeof later);
}

static struct pfu_in silent(struct pfu_in in) {
  in.lk_v_i = in.is_v_i = in.wb_v_i = in.st_v_i = in.c_v_i = in.fr_v_i = 0;
  return in;
}

/* One cycle. */
static void tick(struct pfu_in in) {
  const struct pfu_in quiet = silent(in);
  o = pfu_now(&s, &in);
  pfu_skips(&s, &quiet);
  holds_still(&s, &in);
  holds_still(&s, &quiet);
  pfu_tick(&s, &in);
}

/* Inputs of a cycle in which every bank is free. */
static struct pfu_in free_banks(void) {
  struct pfu_in in = {.rfc_rdy_i = bit((unsigned)s.size.Nr) - 1};
  memcpy(in.mrf_rdy_i, ALL, (size_t)s.size.Nb / 8);
  return in;
}
static void ticks(unsigned n) {
  for (; n; n--) tick(free_banks());
}

/* Registers, ended by -1. */
#define SET(...) ((const int[]){__VA_ARGS__, -1})
#define EMPTY ((const int[]){-1})
static void set_of(uint64_t v[4], const int *r) {
  memset(v, 0, 32);
  for (; *r >= 0; r++) set_add(v, (uint32_t)*r);
}
static void port_of(uint32_t *port, const int *r) {
  memset(port, 0, 32);
  for (; *r >= 0; r++) port[*r / 32] |= 1u << *r % 32;
}
static void is_set(const uint64_t *of, unsigned slot, const int *r) {
  uint64_t v[4];
  set_of(v, r);
  assert_memory_equal(of + 4 * slot, v, sizeof v);
}
static void is_state(unsigned slot, enum pfu_step step, uint64_t out) {
  assert_int_equal(s.r.state_q[slot], step);
  assert_int_equal(s.r.out_q[slot], out);
}

static struct pfu_in started(unsigned w, const int *live) {
  struct pfu_in in = free_banks();
  in.st_v_i = 1, in.st_w_i = w;
  port_of(in.st_live_i, live);
  return in;
}
static struct pfu_in commanded(enum pfu_op op, unsigned w, const int *r) {
  struct pfu_in in = free_banks();
  in.c_v_i = 1, in.c_op_i = op, in.c_w_i = w;
  port_of(in.c_vec_i, r);
  return in;
}
static void start(unsigned w, const int *live) { tick(started(w, live)); }
static void command(enum pfu_op op, unsigned w, const int *r) {
  tick(commanded(op, w, r));
  assert_int_equal(o.c_rdy_o, 1);
}
static struct pfu_in filled(unsigned slot, unsigned r) {
  struct pfu_in in = free_banks();
  in.fr_v_i = 1, in.fr_slot_i = slot, in.fr_r_i = r;
  return in;
}
static void fill(unsigned slot, unsigned r, unsigned bank) {
  tick(filled(slot, r));
  assert_true(o.fw_bank_o == bank && o.fw_off_o == slot);
}

static void add_result(struct pfu_in *in, unsigned w, unsigned r) {
  const unsigned i = (unsigned)bit_count64(in->wb_v_i);
  in->wb_v_i |= bit(i), in->wb_w_i |= (uint64_t)w << 6 * i, in->wb_r_i |= (uint64_t)r << 8 * i;
}
static struct pfu_in result(unsigned w, unsigned r) {
  struct pfu_in in = free_banks();
  add_result(&in, w, r);
  return in;
}

/* Of the last cycle. */
static void nothing_moved(void) {
  assert_true(!o.mr_v_o && !o.mr_w_o && !o.mr_r_o && !o.mr_slot_o);
  assert_true(!o.mw_v_o && !o.mw_w_o && !o.mw_r_o && !o.rc_bank_o && !o.rc_off_o);
}
static void read_asked(unsigned w, unsigned r, unsigned slot) {
  assert_true(o.mr_v_o && o.mr_w_o == w && o.mr_r_o == r && o.mr_slot_o == slot);
  assert_true(!o.mw_v_o && !o.mw_w_o && !o.mw_r_o && !o.rc_bank_o && !o.rc_off_o);
}
static void written_back(unsigned w, unsigned r, unsigned bank, unsigned slot) {
  assert_true(o.mw_v_o && o.mw_w_o == w && o.mw_r_o == r && o.rc_bank_o == bank && o.rc_off_o == slot);
  assert_true(!o.mr_v_o && !o.mr_w_o && !o.mr_r_o && !o.mr_slot_o);
}
static void not_told(void) { assert_true(!o.d_v_o && !o.d_w_o && !o.d_op_o); }
static void told(unsigned w, enum pfu_op op) { assert_true(o.d_v_o && o.d_w_o == w && o.d_op_o == op); }

/* st and ACT of a warp without a working set: ld, alloc, wait, done. */
static void activate(unsigned w, unsigned slot, const int *live) {
  start(w, live);
  command(PFU_ACT, w, EMPTY);
  assert_true(s.r.act_q >> w & 1 && s.r.w_q[slot] == w && s.r.op_q[slot] == PFU_ACT);
  static const enum pfu_step steps[] = {PFU_LD, PFU_ALLOC, PFU_WAIT, PFU_DONE};
  for (unsigned t = 0; t < 4; t++) {
    is_state(slot, steps[t], 0);
    ticks(1);
    nothing_moved();
  }
  told(w, PFU_ACT);
  is_state(slot, PFU_IDLE, 0);
  is_set(s.r.live_q, slot, live);
}

/* PREF with all fills one cycle behind their read; n reads; ends behind d. */
static void prefetched(unsigned w, unsigned slot, const int *r) {
  command(PFU_PREF, w, r);
  for (unsigned t = 0, asked = 256; s.r.state_q[slot] != PFU_IDLE; t++) {
    assert_true(t < 100);
    tick(asked < 256 ? filled(slot, asked) : free_banks());
    asked = o.mr_v_o ? (unsigned)o.mr_r_o : 256;
  }
  told(w, PFU_PREF);
}

/* What a look-up of warp w on port p shows; banks of those with ok. */
static void looks(unsigned p, unsigned w, unsigned n, const unsigned r[6], uint64_t off, uint64_t ok,
                  const unsigned bank[6]) {
  const unsigned h = (n + 1) / 2, b = (unsigned)bit_low64(s.size.Nr);
  struct pfu_in in = free_banks();
  in.lk_v_i = bit(p), in.lk_w_i = (uint64_t)w << 6 * p, in.lk_n_i = (uint64_t)n << 3 * p;
  for (unsigned i = 0; i < 6; i++) words_set(in.lk_r_i, 48 * p + 8 * i, 8, r[i]);
  tick(in);
  for (unsigned t = 1; t <= h; t++) {
    assert_false(o.lr_v_o);
    assert_int_equal(o.lk_rdy_o >> p & 1, t == 1);
    if (t > 1) assert_int_equal(o.lk_rdy_o | bit(p), bit((unsigned)s.size.Np) - 1);
    assert_int_equal(pfu_idle(&s), 0);
    if (t < h) ticks(1);
  }
  ticks(1);
  assert_int_equal(o.lk_rdy_o, bit((unsigned)s.size.Np) - 1);
  assert_int_equal(o.lr_v_o, bit(p));
  assert_int_equal(o.lr_off_o, off << 3 * p);
  assert_int_equal(o.lr_ok_o, ok << 6 * p);
  for (unsigned i = 0; i < 6 * (unsigned)s.size.Np; i++) {
    const bool mine = i / 6 == p && ok >> i % 6 & 1;
    assert_int_equal(words_get(o.lr_bank_o, b * i, b), mine ? bank[i % 6] : 0);
  }
  ticks(1);
  assert_true(!o.lr_v_o && !o.lr_off_o && !o.lr_ok_o && !o.lr_bank_o[0] && !o.lr_bank_o[1] && !o.lr_bank_o[2]);
}

/* Warp 5 in slot 0, with 3, 7 and 200: the fills come in another order than they are written to the banks. */
static void fetches(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  assert_true(pfu_idle(&s) == UINT64_MAX && !s.r.act_q);
  activate(5, 0, SET(1, 3));
  assert_true(s.r.dptr_q == 1 && pfu_idle(&s) == UINT64_MAX);
  command(PFU_PREF, 5, SET(3, 7, 200));
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.ws_q, 0, SET(3, 7, 200));
  is_set(s.r.todo_q, 0, EMPTY);
  ticks(1);
  is_state(0, PFU_ALLOC, 0);
  is_set(s.r.todo_q, 0, SET(3, 7, 200));
  ticks(1);
  read_asked(5, 3, 0);
  is_state(0, PFU_ALLOC, 1);
  is_set(s.r.todo_q, 0, SET(7, 200));
  is_set(s.r.v_q, 0, EMPTY);
  struct pfu_in in = free_banks();
  in.mrf_rdy_i[0] = ~(1u << 12) & 0xffff; /* (7 + 5) mod 16 */
  assert_true(pfu_hold(&s, &in) == UINT64_MAX && !pfu_idle(&s));
  tick(in);
  nothing_moved();
  in.mrf_rdy_i[0] = 1u << 12;
  in.rfc_rdy_i = 0;
  assert_int_equal(pfu_hold(&s, &in), 0);
  tick(in);
  read_asked(5, 7, 0);
  is_state(0, PFU_ALLOC, 2);
  tick(filled(0, 3)); /* with a grant in the same cycle */
  assert_true(!o.fw_bank_o && !o.fw_off_o);
  read_asked(5, 200, 0);
  is_state(0, PFU_ALLOC, 2);
  is_set(s.r.v_q, 0, SET(3));
  ticks(1);
  is_state(0, PFU_WAIT, 2);
  assert_int_equal(pfu_idle(&s), UINT64_MAX);
  fill(0, 200, 2);
  ticks(3);
  is_state(0, PFU_WAIT, 1);
  assert_int_equal(pfu_idle(&s), UINT64_MAX);
  fill(0, 7, 1);
  is_state(0, PFU_WAIT, 0);
  not_told();
  ticks(1);
  is_state(0, PFU_DONE, 0);
  not_told();
  ticks(1);
  told(5, PFU_PREF);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.v_q, 0, SET(3, 7, 200));
  assert_int_equal(s.banks[0].r.occ_q, 7);
  looks(0, 5, 6, (const unsigned[6]){3, 7, 200, 9, 3, 7}, 0, 0x37, (const unsigned[6]){0, 1, 2, 0, 0, 1});
}

/* A command for each state; c_rdy does not depend on c_v. */
static void commands(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  struct pfu_in in = commanded(PFU_DEACT, 5, EMPTY);
  for (uint64_t op = PFU_ACT; op <= PFU_END; op++) {
    in.c_op_i = op;
    for (in.c_v_i = 0; in.c_v_i < 2; in.c_v_i++) assert_int_equal(pfu_now(&s, &in).c_rdy_o, op == PFU_ACT);
  }
  activate(5, 0, EMPTY);
  command(PFU_PREF, 5, SET(1));
  for (unsigned t = 0; t < 6; t++) { /* evict, alloc, alloc, wait, wait, done */
    for (in.c_op_i = PFU_ACT; in.c_op_i <= PFU_END; in.c_op_i++) assert_int_equal(pfu_now(&s, &in).c_rdy_o, 0);
    tick(t == 3 ? filled(0, 1) : free_banks());
    assert_int_equal(o.d_v_o, t == 5);
  }
  for (in.c_op_i = PFU_ACT; in.c_op_i <= PFU_END; in.c_op_i++)
    assert_int_equal(pfu_now(&s, &in).c_rdy_o, in.c_op_i != PFU_ACT);
  for (unsigned w = 10; w < 17; w++) activate(w, w - 9, EMPTY); /* all eight slots */
  in = started(20, EMPTY);                                      /* legal beside an ACT that is not taken */
  in.c_v_i = 1, in.c_op_i = PFU_ACT, in.c_w_i = 20;
  tick(in);
  assert_true(!o.c_rdy_o && !(s.r.act_q >> 20 & 1));
  command(PFU_END, 12, EMPTY); /* the slot of warp 12, 3, is free again behind d */
  is_state(3, PFU_DONE, 0);
  tick(commanded(PFU_ACT, 20, EMPTY));
  told(12, PFU_END);
  assert_false(o.c_rdy_o);
  command(PFU_ACT, 20, EMPTY);
  assert_int_equal(s.r.w_q[3], 20);
  is_state(3, PFU_LD, 0);
}

static void replaces(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  activate(5, 0, EMPTY);
  prefetched(5, 0, SET(3, 7, 200)); /* banks 0, 1, 2 */
  command(PFU_PREF, 5, SET(7, 8, 200, 201));
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.todo_q, 0, SET(3));
  is_set(s.r.ws_q, 0, SET(7, 8, 200, 201));
  ticks(1);
  written_back(5, 3, 0, 0);
  is_set(s.r.v_q, 0, SET(7, 200));
  is_state(0, PFU_EVICT, 0);
  ticks(1);
  nothing_moved();
  is_state(0, PFU_ALLOC, 0);
  is_set(s.r.todo_q, 0, SET(8, 201));
  ticks(1);
  read_asked(5, 8, 0);
  ticks(1);
  read_asked(5, 201, 0);
  fill(0, 8, 3);
  fill(0, 201, 4);
  ticks(1);
  not_told();
  ticks(1);
  told(5, PFU_PREF);
  is_set(s.r.v_q, 0, SET(7, 8, 200, 201));
  looks(0, 5, 5, (const unsigned[6]){3, 7, 8, 200, 201, 7}, 0, 0x1e, (const unsigned[6]){0, 1, 3, 2, 4, 0});
  command(PFU_PREF, 5, SET(7, 8, 200, 201)); /* the same interval again */
  is_state(0, PFU_DONE, 0);
  ticks(1);
  told(5, PFU_PREF);
  nothing_moved();
  command(PFU_PREF, 5, EMPTY); /* all of them leave */
  for (unsigned k = 0; k < 4; k++) {
    static const unsigned r[] = {7, 8, 200, 201}, bank[] = {1, 3, 2, 4};
    ticks(1);
    written_back(5, r[k], bank[k], 0);
  }
  ticks(4); /* evict, alloc, wait, done */
  told(5, PFU_PREF);
  is_set(s.r.v_q, 0, EMPTY);
  assert_int_equal(s.banks[0].r.cnt_q, 16);

  machine(LTRF, 8, 1); /* all eight banks, given again in the order in which they became free */
  activate(9, 0, EMPTY);
  prefetched(9, 0, SET(10, 11, 12, 13, 14, 15, 16, 17));
  prefetched(9, 0, SET(17, 16, 15, 14, 255, 0, 100, 99)); /* 10 to 13 leave; 0, 99, 100, 255 come */
  looks(0, 9, 6, (const unsigned[6]){255, 0, 99, 100, 14, 17}, 0, 0x3f, (const unsigned[6]){3, 0, 1, 2, 4, 7});
  assert_int_equal(s.banks[0].r.cnt_q, 0);
}

/* A warp leaves, results arriving; it comes back with its working set. */
static void deactivates(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  activate(5, 0, SET(1, 3));
  prefetched(5, 0, SET(3, 7, 200));
  command(PFU_DEACT, 5, EMPTY);
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.todo_q, 0, SET(3, 7, 200));
  struct pfu_in in = result(5, 3);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  tick(in); /* it goes to the cache, and 3 stays until it has */
  nothing_moved();
  assert_true(o.wb_in_o == 1 && !o.wb_bank_o && !o.wb_off_o);
  in = result(5, 7);
  add_result(&in, 6, 3), add_result(&in, 5, 200), add_result(&in, 5, 9);
  tick(in); /* another register, another warp */
  written_back(5, 3, 0, 0);
  assert_true(o.wb_in_o == 5 && o.wb_bank_o == (1 | 2 << 8) && !o.wb_off_o);
  tick(result(5, 3)); /* too late: to the MRF */
  written_back(5, 7, 1, 0);
  assert_true(!o.wb_in_o && !o.wb_bank_o);
  in = free_banks();
  in.rfc_rdy_i &= ~4ull;
  tick(in);
  nothing_moved();
  is_set(s.r.todo_q, 0, SET(200));
  in = free_banks();
  in.mrf_rdy_i[0] = ~(1u << 13) & 0xffff; /* (200 + 5) mod 16 */
  tick(in);
  nothing_moved();
  ticks(1);
  written_back(5, 200, 2, 0);
  is_state(0, PFU_EVICT, 0);
  ticks(1);
  is_state(0, PFU_DONE, 0);
  is_set(s.r.ws_q, 0, SET(3, 7, 200));
  for (unsigned w = 9; w < 12; w++) { /* st writes its row, not d */
    start(w, EMPTY);
    not_told();
    is_state(0, PFU_DONE, 0);
  }
  ticks(1);
  told(5, PFU_DEACT);
  assert_true(!s.r.act_q && s.r.dptr_q == 1);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.ws_q, 0, EMPTY);
  is_set(s.r.live_q, 0, EMPTY);
  tick(result(5, 3));
  assert_false(o.wb_in_o);
  looks(0, 5, 2, (const unsigned[6]){3, 7, 0, 0, 0, 0}, 0, 0, (const unsigned[6]){0});

  command(PFU_ACT, 5, EMPTY); /* slot 1: 0 went to the end of the queue */
  is_state(1, PFU_LD, 0);
  is_set(s.r.ws_q, 1, EMPTY);
  ticks(1);
  is_state(1, PFU_ALLOC, 0);
  is_set(s.r.ws_q, 1, SET(3, 7, 200));
  is_set(s.r.live_q, 1, SET(1, 3));
  is_set(s.r.todo_q, 1, SET(3, 7, 200));
  ticks(1);
  read_asked(5, 3, 1);
  ticks(1);
  read_asked(5, 7, 1);
  ticks(1);
  read_asked(5, 200, 1);
  fill(1, 3, 0);
  fill(1, 7, 1);
  fill(1, 200, 2);
  ticks(1);
  not_told();
  ticks(1);
  told(5, PFU_ACT);
  looks(0, 5, 3, (const unsigned[6]){200, 3, 4, 7, 7, 7}, 1, 3, (const unsigned[6]){2, 0});
}

static void issue(unsigned w, const int *dead, const int *used, const int *dest) {
  struct pfu_in in = free_banks();
  unsigned n = 0;
  in.is_v_i = 1, in.is_w_i = w;
  for (; *dead >= 0; dead++, n++) {
    in.is_sv_i |= bit(n), in.is_dead_i |= bit(n);
    words_set(in.is_s_i, 8 * n, 8, (unsigned)*dead);
  }
  for (; *used >= 0; used++, n++) {
    in.is_sv_i |= bit(n);
    words_set(in.is_s_i, 8 * n, 8, (unsigned)*used);
  }
  for (; n < 6; n++) in.is_dead_i |= bit(n); /* without sv: register 0 is not cleared */
  for (n = 0; *dest >= 0; dest++, n++) {
    in.is_dv_i |= bit(n);
    words_set(in.is_d_i, 8 * n, 8, (unsigned)*dest);
  }
  tick(in);
}

/* LTRF+: dead registers have a place, but are not moved. */
static void dead_registers(void **state) {
  (void)state;
  machine(PLUS, 16, 1);
  activate(5, 0, SET(0, 7));
  command(PFU_PREF, 5, SET(3, 7, 200));
  ticks(1);
  struct pfu_in in = {0}; /* no bank is free */
  assert_int_equal(pfu_hold(&s, &in), 0);
  tick(in);
  nothing_moved();
  is_set(s.r.v_q, 0, SET(3));
  is_state(0, PFU_ALLOC, 0);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  ticks(1);
  read_asked(5, 7, 0);
  is_state(0, PFU_ALLOC, 1);
  tick(in);
  nothing_moved();
  is_set(s.r.v_q, 0, SET(3, 200));
  is_state(0, PFU_ALLOC, 1);
  ticks(1);
  is_state(0, PFU_WAIT, 1);
  fill(0, 7, 1);
  ticks(2);
  told(5, PFU_PREF);
  looks(0, 5, 3, (const unsigned[6]){3, 7, 200, 0, 0, 0}, 0, 7, (const unsigned[6]){0, 1, 2});

  issue(5, SET(7, 3), SET(200), SET(3, 200)); /* 3 dies and is written again */
  is_set(s.r.live_q, 0, SET(0, 3, 200));
  issue(5, SET(200), SET(3), EMPTY);
  is_set(s.r.live_q, 0, SET(0, 3));
  issue(5, EMPTY, EMPTY, SET(200));
  is_set(s.r.live_q, 0, SET(0, 3, 200));

  command(PFU_DEACT, 5, EMPTY);
  ticks(1);
  written_back(5, 3, 0, 0);
  in = result(5, 7);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  tick(in); /* a dead one, too, stays while a result for it comes */
  is_set(s.r.todo_q, 0, SET(7, 200));
  assert_int_equal(o.wb_bank_o, 1);
  tick((struct pfu_in){0});
  nothing_moved();
  is_set(s.r.v_q, 0, SET(200));
  ticks(1);
  written_back(5, 200, 2, 0);
  ticks(2);
  told(5, PFU_DEACT);

  command(PFU_ACT, 5, EMPTY);
  ticks(1);
  is_set(s.r.live_q, 1, SET(0, 3, 200));
  ticks(1);
  read_asked(5, 3, 1);
  ticks(1);
  nothing_moved();
  is_set(s.r.v_q, 1, SET(7));
  ticks(1);
  read_asked(5, 200, 1);
  fill(1, 200, 2);
  fill(1, 3, 0);
  ticks(2);
  told(5, PFU_ACT);

  command(PFU_PREF, 5, SET(200, 9)); /* 3 is written back, 7 is dropped, 9 gets the bank behind the last one given */
  ticks(1);
  written_back(5, 3, 0, 1);
  ticks(1);
  nothing_moved();
  is_set(s.r.v_q, 1, SET(200));
  ticks(2);
  nothing_moved();
  is_set(s.r.v_q, 1, SET(9, 200));
  ticks(3);
  told(5, PFU_PREF);
  looks(0, 5, 2, (const unsigned[6]){9, 200, 0, 0, 0, 0}, 1, 3, (const unsigned[6]){3, 2});
}

static void ends(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  activate(5, 0, EMPTY);
  activate(6, 1, EMPTY);
  prefetched(5, 0, SET(3, 7, 200));
  command(PFU_END, 5, EMPTY);
  is_state(0, PFU_DONE, 0);
  start(30, EMPTY); /* an END does not wait for st */
  told(5, PFU_END);
  nothing_moved();
  assert_true(s.r.act_q == bit(6) && s.r.dptr_q == 1);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.v_q, 0, EMPTY);
  is_set(s.r.ws_q, 0, EMPTY);
  ticks(1);
  not_told();
  start(5, SET(255)); /* a new warp: nothing of the old one's working set */
  command(PFU_ACT, 5, EMPTY);
  assert_true(s.r.state_q[2] == PFU_LD && s.r.w_q[2] == 5);
  ticks(4);
  told(5, PFU_ACT);
  is_set(s.r.ws_q, 2, EMPTY);
  is_set(s.r.live_q, 2, SET(255));
  prefetched(5, 2, SET(4)); /* nor of what a DEACT kept */
  command(PFU_DEACT, 5, EMPTY);
  ticks(3);
  told(5, PFU_DEACT);
  start(5, SET(6)); /* a st of an inactive warp */
  command(PFU_ACT, 5, EMPTY);
  ticks(4);
  told(5, PFU_ACT);
  is_set(s.r.ws_q, 3, EMPTY);
  is_set(s.r.live_q, 3, SET(6));
  for (unsigned w = 40; w < 44; w++) activate(w, w - 36, EMPTY);
  activate(44, 0, EMPTY); /* slot 0 again: its aau is initialised */
  assert_int_equal(s.banks[0].r.cnt_q, 16);
}

/* d goes round; a DEACT that must wait does not stop others. */
static void tells_in_turn(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  for (unsigned w = 0; w < 4; w++) activate(w, w, EMPTY);
  assert_int_equal(s.r.dptr_q, 4);
  command(PFU_DEACT, 3, EMPTY);
  struct pfu_in in = commanded(PFU_DEACT, 1, EMPTY);
  tick(in);
  in = started(50, EMPTY);
  in.c_v_i = 1, in.c_op_i = PFU_PREF, in.c_w_i = 2; /* its vector and ws are empty: done */
  tick(in);
  not_told(); /* warp 3 is held by st */
  in.st_w_i = 51, in.c_op_i = PFU_END, in.c_w_i = 0;
  tick(in);
  told(2, PFU_PREF); /* slots 1, 2 and 3 are done */
  assert_int_equal(s.r.dptr_q, 3);
  ticks(1);
  told(3, PFU_DEACT);
  ticks(1);
  told(0, PFU_END);
  ticks(1);
  told(1, PFU_DEACT);
  assert_true(s.r.act_q == bit(2) && s.r.dptr_q == 2);
  ticks(1);
  not_told();
  start(60, EMPTY); /* slots became free in the order 3, 0, 1, behind 4 to 7 */
  start(61, EMPTY);
  for (unsigned w = 52; w < 56; w++) activate(w, w - 48, EMPTY);
  command(PFU_ACT, 60, EMPTY);
  command(PFU_ACT, 61, EMPTY);
  assert_true(s.r.w_q[3] == 60 && s.r.w_q[0] == 61);
}

/* Two slots share the main register file: one grant a cycle, in turn; dead registers need none. */
static void shares(void **state) {
  (void)state;
  machine(PLUS, 16, 1);
  activate(1, 0, SET(10, 11));
  activate(2, 1, SET(10, 11));
  activate(3, 2, EMPTY);
  command(PFU_PREF, 1, SET(10, 11));
  tick(commanded(PFU_PREF, 2, SET(10, 11)));
  nothing_moved();
  tick(commanded(PFU_PREF, 3, SET(10, 11)));
  read_asked(1, 10, 0);
  ticks(1);
  read_asked(2, 10, 1);
  struct pfu_in in = free_banks();
  in.mrf_rdy_i[0] = ~(1u << 12) & 0xffff; /* warp 1's bank for 11; warp 2's is 13 */
  tick(in);
  read_asked(2, 11, 1);
  is_set(s.r.v_q, 2, SET(10));
  tick(filled(1, 10));
  read_asked(1, 11, 0);
  is_set(s.r.v_q, 2, SET(10, 11));
  is_state(1, PFU_WAIT, 1);
  fill(0, 10, 0);
  fill(0, 11, 1);
  fill(1, 11, 1);
  told(3, PFU_PREF);
  ticks(1);
  told(1, PFU_PREF);
  ticks(1);
  told(2, PFU_PREF);
}

static void looks_up(void **state) {
  (void)state;
  machine(LTRF, 16, 4);
  activate(5, 0, EMPTY);
  activate(6, 1, EMPTY);
  activate(11, 2, EMPTY);
  prefetched(5, 0, SET(3, 7, 200));
  prefetched(6, 1, SET(1, 3));
  prefetched(11, 2, SET(20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35));
  for (unsigned n = 1; n <= 6; n++) {
    const uint64_t used = bit(n) - 1;
    looks(1, 5, n, (const unsigned[6]){200, 3, 1, 7, 255, 3}, 0, 0x2b & used, (const unsigned[6]){2, 0, 0, 1, 0, 0});
    looks(2, 6, n, (const unsigned[6]){3, 1, 3, 1, 7, 3}, 1, 0x2f & used, (const unsigned[6]){1, 0, 1, 0, 0, 1});
    looks(3, 11, n, (const unsigned[6]){35, 20, 34, 21, 33, 36}, 2, 0x1f & used, (const unsigned[6]){15, 0, 14, 1, 13});
    looks(0, 4, n, (const unsigned[6]){3, 7, 200, 3, 7, 200}, 0, 0, (const unsigned[6]){0});
    looks(3, 7, n, (const unsigned[6]){3, 7, 200, 3, 7, 200}, 0, 0, (const unsigned[6]){0});
  }
  /* all ports at once, of 6, 1, 4 and 2 sources; port 1 goes on with one look-up a cycle */
  struct pfu_in in = free_banks();
  in.lk_v_i = 0xf, in.lk_w_i = 4 | 5 << 6 | 6 << 12 | 11 << 18, in.lk_n_i = 6 | 1 << 3 | 4 << 6 | 2 << 9;
  static const unsigned r[4][6] = {{3, 7}, {200}, {3, 9, 1, 9, 1, 1}, {22, 34}};
  for (unsigned i = 0; i < 24; i++) words_set(in.lk_r_i, 8 * i, 8, r[i / 6][i % 6]);
  tick(in);
  in.lk_v_i = 2;
  words_set(in.lk_r_i, 48, 8, 7);
  tick(in);
  assert_true(o.lk_rdy_o == 0xa && o.lr_v_o == 0xa && o.lr_off_o == 2 << 9 && o.lr_ok_o == (1 << 6 | 3 << 18));
  assert_true(words_get(o.lr_bank_o, 24, 24) == 2 && words_get(o.lr_bank_o, 72, 24) == (2 | 14 << 4));
  assert_true(words_get(o.lr_bank_o, 0, 24) == 0 && words_get(o.lr_bank_o, 48, 24) == 0);
  ticks(1);
  assert_true(o.lk_rdy_o == 0xe && o.lr_v_o == 0x6 && o.lr_off_o == 1 << 6 && o.lr_ok_o == (1 << 6 | 5 << 12));
  assert_true(words_get(o.lr_bank_o, 24, 24) == 1 && words_get(o.lr_bank_o, 48, 24) == 1);
  ticks(1);
  assert_true(o.lk_rdy_o == 0xf && o.lr_v_o == 1 && !o.lr_off_o && !o.lr_ok_o);

  /* The table of the cycle in which a pair is read. Warp 9 takes 1, 2 and 3, fetched in this order; 1 is there. */
  activate(9, 3, EMPTY);
  command(PFU_PREF, 9, SET(1, 2, 3));
  ticks(4);
  tick(filled(3, 1));
  in = filled(3, 2);
  in.lk_v_i = 2, in.lk_w_i = 9 << 6, in.lk_n_i = 5 << 3;
  static const unsigned q[] = {1, 2, 2, 3, 3};
  for (unsigned i = 0; i < 5; i++) words_set(in.lk_r_i, 48 + 8 * i, 8, q[i]);
  tick(in);           /* reads 1 and 2: 2 is not there yet */
  tick(filled(3, 3)); /* 2 and 3: 3 is not yet */
  ticks(1);           /* 3 */
  ticks(1);
  assert_true(o.lr_v_o == 2 && o.lr_ok_o == 0x15 << 6 && o.lr_off_o == 3 << 3);
  assert_int_equal(words_get(o.lr_bank_o, 24, 24), 1 << 8 | 2 << 16);

  /* The warp leaves meanwhile: act and slot are those of the last cycle of reading. */
  for (unsigned late = 0; late < 3; late++) {
    machine(LTRF, 16, 4);
    activate(6, 0, EMPTY);
    activate(9, 1, EMPTY);
    prefetched(9, 1, SET(1, 2, 3));
    command(PFU_END, 9, EMPTY);
    in = free_banks(); /* d in the cycle in which the first pair is read */
    in.lk_v_i = 2, in.lk_w_i = 9 << 6, in.lk_n_i = (2 * late + 2) << 3;
    for (unsigned i = 0; i < 6; i++) words_set(in.lk_r_i, 48 + 8 * i, 8, 1 + i % 3);
    tick(in);
    told(9, PFU_END);
    ticks(late + 1);
    assert_int_equal(o.lr_v_o, 2);
    assert_int_equal(o.lr_ok_o, 3 << 6);
    assert_int_equal(o.lr_off_o, late ? 0 : 1 << 3);
    assert_int_equal(words_get(o.lr_bank_o, 24, 24), 1 << 4);
  }
}

/* ---- its rules ---- */
enum { RULES = 24, BROKEN = 20 };
static void break_rule(uint32_t rule) {
  machine(LTRF, 8, 4);
  activate(5, 0, EMPTY);
  prefetched(5, 0, SET(1, 2, 3));
  start(9, EMPTY);
  struct pfu_in in = free_banks();
  in.lk_w_i = 5 << 6, in.lk_n_i = 1 << 3, in.is_w_i = 5 << 6, in.c_w_i = 5, in.wb_w_i = 5 | 5 << 6,
  in.wb_r_i = 1 | 2 << 8;
  switch (rule) {
    case 0: in.lk_v_i = 2, in.lk_w_i = 6 << 6; break;
    case 1: in.lk_v_i = 2, in.lk_n_i = 0; break;
    case 2: in.lk_v_i = 2, in.lk_n_i = 7 << 3; break;
    case 3: in.lk_v_i = 2, in.lk_n_i = 3 << 3, tick(in); break; /* then once more: without lk_rdy */
    case 4: in.is_v_i = 2, in.is_w_i = 6 << 6; break;
    case 5: in.is_v_i = 2, in.is_w_i = 9 << 6; break; /* not active */
    case 6: command(PFU_END, 5, EMPTY), in.is_v_i = 2; break;
    case 7: in.is_v_i = 2, in.c_v_i = 1, in.c_op_i = PFU_PREF; break;
    case 8: in.wb_v_i = 3, in.wb_r_i = 1 | 1 << 8; break;
    case 9: in.st_v_i = 1, in.st_w_i = 5; break;
    case 10: in.st_v_i = 1, in.st_w_i = in.c_w_i = 9, in.c_v_i = 1, in.c_op_i = PFU_ACT; break;
    case 11: in.c_v_i = 1, in.c_op_i = PFU_ACT, in.c_w_i = 10; break; /* no st */
    case 12: command(PFU_END, 5, EMPTY), ticks(1), in.c_v_i = 1, in.c_op_i = PFU_ACT; break;
    case 13: in.c_v_i = 1, in.c_op_i = PFU_PREF, in.c_vec_i[7] = 0x1ff; break;
    case 14: in.wb_v_i = 2, in.c_v_i = 1, in.c_op_i = PFU_END; break;
    case 15: in.fr_v_i = 1, in.fr_r_i = 1; break; /* present */
    case 16: in.fr_v_i = 1, in.fr_r_i = 9; break;
    case 17: in.fr_v_i = 1, in.fr_slot_i = 1, in.fr_r_i = 1; break;
    case 18: command(PFU_PREF, 5, SET(4, 5)), ticks(5), in.fr_v_i = 1, in.fr_r_i = 4; break; /* then once more */
    case 19:
      command(PFU_PREF, 5, SET(4, 5)), ticks(5), in.fr_v_i = 1, in.fr_r_i = 5;
      break; /* granted now */
    /* legal */
    case 20: in.wb_v_i = 3; break;
    case 21: in.lk_v_i = 2, in.is_v_i = 2, in.wb_v_i = 3, in.c_v_i = 1, in.c_op_i = PFU_ACT; break;
    case 22: in.st_v_i = 1, in.st_w_i = 9, in.c_v_i = 1, in.c_op_i = PFU_PREF, in.c_vec_i[7] = 0xff; break;
    default: in.wb_v_i = 2, in.wb_w_i = 9 << 6, in.c_v_i = 1, in.c_op_i = PFU_END;
  }
  pfu_tick(&s, &in);
  if (rule == 18) pfu_tick(&s, &in);
}
static void rules(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < RULES; rule++) assert_int_equal(asserts(break_rule, rule), rule < BROKEN);
}

/* ---- random traffic with values ---- */
/*
 * Schedulers, scoreboard and main register file around the block. Values move as the ports say; truth has what the program wrote. No
 * value is lost: a register that is live (all are, without Plus) has its value where the block says that it is.
 */
enum { WARPS = 20, REGS = 48, LATENCY = 7, RESULTS = 64 };
static struct {
  bool runs[WARPS], closed[WARPS]; /* between st and END; a command is under way */
  uint32_t truth[WARPS][REGS], main[WARPS][REGS], cache[pfu_Nact_most][pfu_Nr_most];
  uint64_t live[WARPS], pending[WARPS]; /* masks of registers */
  unsigned results;
  struct {
    unsigned w, r, wait;
  } result[RESULTS];
  struct {
    bool v;
    unsigned slot, r;
    uint32_t value;
  } read[LATENCY]; /* by cycle */
  unsigned now, moved, commands;
} W;

static void world(const struct pfu_params *p) {
  memset(&W, 0, sizeof W);
  pfu_reset(&s);
  pfu_size(&s, p);
}

static bool taken(unsigned slot) { return s.slots.r.occ_q >> slot & 1; }
static int slot_of(unsigned w) {
  for (unsigned k = 0; k < s.size.Nact; k++)
    if (taken(k) && s.r.w_q[k] == w) return (int)k;
  return -1;
}
static bool open_now(unsigned w) {
  const int k = slot_of(w);
  return k >= 0 && s.r.state_q[k] == PFU_IDLE;
}

/* The value of register r, which the block says to be live, where it is. */
static void has_value(unsigned w, unsigned r) {
  const int k = slot_of(w);
  if (k >= 0 && s.r.v_q[4 * k] >> r & 1) assert_int_equal(W.cache[k][s.bank[k][r]], W.truth[w][r]);
  else assert_int_equal(W.main[w][r], W.truth[w][r]);
}

static void whole(void) {
  for (unsigned k = 0; k < s.size.Nact; k++) { /* different banks; nothing in slots that nobody has */
    uint64_t banks = 0, n = 0;
    const uint64_t state = s.r.state_q[k];
    if (!taken(k)) {
      is_set(s.r.v_q, k, EMPTY), is_set(s.r.ws_q, k, EMPTY), is_set(s.r.live_q, k, EMPTY), is_set(s.r.todo_q, k, EMPTY);
      assert_int_equal(state, PFU_IDLE);
      continue;
    }
    const uint64_t v = s.r.v_q[4 * k], ws = s.r.ws_q[4 * k], todo = s.r.todo_q[4 * k];
    const uint64_t under = state == PFU_ALLOC || state == PFU_WAIT ? ws & ~v & ~todo : 0;
    assert_int_equal(bit_count64(under), s.r.out_q[k]);
    for (uint64_t m = v | under; m; m &= m - 1, n++) banks |= bit(s.bank[k][bit_low64(m)]);
    assert_true(banks == s.banks[k].r.occ_q && (uint64_t)bit_count64(banks) == n);
    if (state == PFU_IDLE) assert_int_equal(s.r.live_q[4 * k], W.live[s.r.w_q[k]]);
  }
  for (unsigned w = 0; w < WARPS; w++) {
    if (!W.runs[w] || W.closed[w]) continue;
    for (uint64_t m = (s.size.Plus ? W.live[w] : bit(REGS) - 1) & ~W.pending[w]; m; m &= m - 1)
      has_value(w, (unsigned)bit_low64(m));
  }
}

static uint64_t draw_set(unsigned most) {
  uint64_t v = 0;
  for (unsigned n = rnd(most + 1); n; n--) v |= bit(rnd(REGS));
  return v;
}

static void draw_command(struct pfu_in *in) {
  const unsigned w = rnd(WARPS), op = rnd(8);
  in->c_w_i = w;
  if (!W.runs[w] || W.closed[w]) return;
  const uint64_t vec = draw_set((unsigned)s.size.Nr);
  const int k = slot_of(w);
  if (k < 0) {
    if (W.pending[w]) return;
    in->c_op_i = PFU_ACT;
  } else {
    in->c_op_i = op == 0 ? PFU_DEACT : op == 1 ? PFU_END : PFU_PREF;
    if (in->c_op_i == PFU_END && W.pending[w]) return;
    if (in->c_op_i == PFU_PREF && ((vec ^ s.r.ws_q[4 * k]) & W.pending[w])) return;
  }
  if (in->c_op_i == PFU_PREF) {
    const uint64_t to = chance(20) ? s.r.ws_q[4 * k] : vec;
    in->c_vec_i[0] = (uint32_t)to, in->c_vec_i[1] = (uint32_t)(to >> 32);
  }
  in->c_v_i = 1;
}

static void draw_issue(struct pfu_in *in, unsigned p) {
  const unsigned np = (unsigned)s.size.Np, w = p + np * rnd(WARPS / np);
  if (!open_now(w) || W.closed[w] || (in->c_v_i && in->c_w_i == w)) return;
  const uint64_t ws = s.r.ws_q[4 * slot_of(w)] & ~W.pending[w];
  if (!ws) return;
  in->is_v_i |= bit(p), in->is_w_i |= (uint64_t)w << 6 * p;
  for (unsigned i = 0; i < 6; i++) {
    const unsigned r = (unsigned)bit_from64(ws, (int)rnd(REGS));
    words_set(in->is_s_i, 48 * p + 8 * i, 8, r);
    if (chance(50)) in->is_sv_i |= bit(6 * p + i);
    if (chance(30)) in->is_dead_i |= bit(6 * p + i);
    if (in->is_sv_i & in->is_dead_i & bit(6 * p + i)) W.live[w] &= ~bit(r);
  }
  for (unsigned i = 0; i < 4; i++) {
    const unsigned r = (unsigned)bit_from64(ws, (int)rnd(REGS));
    words_set(in->is_d_i, 32 * p + 8 * i, 8, r);
    if (!chance(20) || W.results == RESULTS || W.pending[w] >> r & 1) continue;
    in->is_dv_i |= bit(4 * p + i);
    W.live[w] |= bit(r);
    W.pending[w] |= bit(r);
    W.result[W.results].w = w, W.result[W.results].r = r, W.result[W.results++].wait = 1 + rnd(40);
  }
}

/* Results that are due: the first four, each once. */
static void draw_results(struct pfu_in *in) {
  for (unsigned i = 0; i < W.results; i++) {
    if (W.result[i].wait) W.result[i].wait--;
    else if (bit_count64(in->wb_v_i) < 4) add_result(in, W.result[i].w, W.result[i].r);
  }
}

/* A result that is not written in this cycle stays. */
static void write_results(const struct pfu_in *in) {
  for (uint64_t m = in->wb_v_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m), w = in->wb_w_i >> 6 * i & 63, r = in->wb_r_i >> 8 * i & 255;
    const unsigned b = (unsigned)bit_low64(s.size.Nr), off = (unsigned)bit_low64(s.size.Nact);
    if (chance(40)) continue;
    const uint32_t value = rnd(UINT32_MAX);
    const uint64_t bank = o.wb_bank_o >> b * i & (s.size.Nr - 1), slot = o.wb_off_o >> off * i & (s.size.Nact - 1);
    W.truth[w][r] = value;
    W.pending[w] &= ~bit(r);
    if (o.wb_in_o >> i & 1) W.cache[slot][bank] = value;
    else W.main[w][r] = value;
    for (unsigned k = 0; k < W.results; k++)
      if (W.result[k].w == w && W.result[k].r == r) W.result[k] = W.result[--W.results];
  }
}

static void draw_look_ups(struct pfu_in *in) {
  const struct pfu_out now = pfu_now(&s, in);
  for (unsigned p = 0; p < s.size.Np; p++) {
    if (chance(40) || !(now.lk_rdy_o >> p & 1)) continue;
    const unsigned np = (unsigned)s.size.Np;
    in->lk_v_i |= bit(p);
    in->lk_w_i |= (uint64_t)(p + np * rnd(WARPS / np)) << 6 * p, in->lk_n_i |= (uint64_t)(1 + rnd(6)) << 3 * p;
    for (unsigned i = 0; i < 6; i++) words_set(in->lk_r_i, 48 * p + 8 * i, 8, rnd(REGS));
  }
}

static void draw_start(struct pfu_in *in) {
  const unsigned w = rnd(WARPS);
  if (!chance(30) || W.runs[w]) return;
  in->st_v_i = 1, in->st_w_i = w;
  const uint64_t live = draw_set(20);
  in->st_live_i[0] = (uint32_t)live, in->st_live_i[1] = (uint32_t)(live >> 32);
  W.runs[w] = true, W.closed[w] = false;
  W.live[w] = live;
  for (unsigned r = 0; r < REGS; r++) W.truth[w][r] = W.main[w][r] = rnd(UINT32_MAX);
}

/* What the outputs of this cycle move. */
static void move_values(const struct pfu_in *in) {
  const unsigned at = W.now % LATENCY;
  if (in->fr_v_i) W.cache[o.fw_off_o][o.fw_bank_o] = W.read[at].value;
  W.read[at].v = o.mr_v_o;
  if (o.mr_v_o) {
    W.read[at].slot = (unsigned)o.mr_slot_o, W.read[at].r = (unsigned)o.mr_r_o;
    W.read[at].value = W.main[o.mr_w_o][o.mr_r_o];
  }
  if (o.mw_v_o) W.main[o.mw_w_o][o.mw_r_o] = W.cache[o.rc_off_o][o.rc_bank_o];
  W.moved += (unsigned)(o.mr_v_o + o.mw_v_o);
  if (o.d_v_o) {
    W.closed[o.d_w_o] = false;
    if (o.d_op_o == PFU_END) W.runs[o.d_w_o] = false;
  }
  if (in->c_v_i && o.c_rdy_o) W.closed[in->c_w_i] = true, W.commands++;
}

static void run(unsigned cycles, unsigned patience) {
  for (unsigned t = 0; t < cycles; t++, W.now++) {
    struct pfu_in in = {0};
    for (unsigned b = 0; b < 4; b++)
      for (unsigned i = 0; i < 32; i++)
        in.mrf_rdy_i[b] |= (uint32_t)(b < (s.size.Nb + 31) / 32 && 32 * b + i < s.size.Nb && chance(patience)) << i;
    for (unsigned i = 0; i < s.size.Nr; i++) in.rfc_rdy_i |= (uint64_t)chance(patience) << i;
    in.fr_v_i = W.read[W.now % LATENCY].v;
    if (in.fr_v_i) in.fr_slot_i = W.read[W.now % LATENCY].slot, in.fr_r_i = W.read[W.now % LATENCY].r;
    if (chance(60)) draw_command(&in);
    draw_start(&in);
    if (in.st_v_i && in.c_v_i && in.c_w_i == in.st_w_i) in.c_v_i = 0;
    draw_results(&in);
    for (unsigned p = 0; p < s.size.Np; p++)
      if (chance(50)) draw_issue(&in, p);
    draw_look_ups(&in);
    tick(in);
    move_values(&in);
    write_results(&in);
    whole();
  }
}

static void traffic(void **state) {
  (void)state;
  seed = 4;
  for (unsigned k = 0; k < 24; k++) {
    world(&(struct pfu_params){.Nr = 8u << k % 3,
                               .Nact = 4u << (k / 2) % 3,
                               .Np = k & 1 ? 4 : 1,
                               .Nb = k & 4 ? 128 : 16,
                               .Plus = k / 3 & 1,
                               .Nwb = pfu_Nwb,
                               .NumReg = pfu_NumReg,
                               .NumWarp = pfu_NumWarp});
    run(4000, k & 8 ? 90 : 30);
    assert_true(W.moved > 500 && W.commands > 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fetches),       cmocka_unit_test(commands),       cmocka_unit_test(replaces),
      cmocka_unit_test(deactivates),   cmocka_unit_test(dead_registers), cmocka_unit_test(ends),
      cmocka_unit_test(tells_in_turn), cmocka_unit_test(shares),         cmocka_unit_test(looks_up),
      cmocka_unit_test(rules),         cmocka_unit_test(traffic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

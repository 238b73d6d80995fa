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

static void machine(uint64_t live_only, uint64_t cache_banks, uint64_t ports) {
  pfu_reset(&s);
  struct pfu_params size = pfu_defaults();
  size.NumCacheBanks = cache_banks;
  size.NumSlots = 8;
  size.NumPorts = ports;
  size.NumMainBanks = NB;
  size.LiveOnly = live_only;
  pfu_size(&s, &size);
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
  in.lookup_valid_i = in.issue_valid_i = in.result_valid_i = in.start_valid_i = in.command_valid_i = in.fill_valid_i =
      0;
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
  struct pfu_in in = {.cache_ready_i = bit((unsigned)s.size.NumCacheBanks) - 1};
  memcpy(in.main_ready_i, ALL, (size_t)s.size.NumMainBanks / 8);
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
static void is_set(const uint64_t of[pfu_NumSlots_most][4], unsigned slot, const int *r) {
  uint64_t v[4];
  set_of(v, r);
  assert_memory_equal(of[slot], v, sizeof v);
}
static void is_state(unsigned slot, enum pfu_step step, uint64_t out) {
  assert_int_equal(s.r.state_q[slot], step);
  assert_int_equal(s.r.outstanding_q[slot], out);
}

static struct pfu_in started(unsigned w, const int *live) {
  struct pfu_in in = free_banks();
  in.start_valid_i = 1, in.start_warp_i = w;
  set_of(in.start_live_i, live);
  return in;
}
static struct pfu_in commanded(enum pfu_command op, unsigned w, const int *r) {
  struct pfu_in in = free_banks();
  in.command_valid_i = 1, in.command_i = op, in.command_warp_i = w;
  set_of(in.command_registers_i, r);
  return in;
}
static void start(unsigned w, const int *live) { tick(started(w, live)); }
static void command(enum pfu_command op, unsigned w, const int *r) {
  tick(commanded(op, w, r));
  assert_int_equal(o.command_ready_o, 1);
}
static struct pfu_in filled(unsigned slot, unsigned r) {
  struct pfu_in in = free_banks();
  in.fill_valid_i = 1, in.fill_slot_i = slot, in.fill_register_i = r;
  return in;
}
static void fill(unsigned slot, unsigned r, unsigned bank) {
  tick(filled(slot, r));
  assert_true(o.cache_write_bank_o == bank && o.cache_write_slot_o == slot);
}

static void add_result(struct pfu_in *in, unsigned w, unsigned r) {
  const unsigned i = (unsigned)bit_count64(in->result_valid_i);
  in->result_valid_i |= bit(i), in->result_warp_i[i] = (uint8_t)w, in->result_register_i[i] = (uint8_t)r;
}
static struct pfu_in result(unsigned w, unsigned r) {
  struct pfu_in in = free_banks();
  add_result(&in, w, r);
  return in;
}

/* Of the last cycle. */
static void nothing_moved(void) {
  assert_true(!o.main_read_valid_o && !o.main_read_warp_o && !o.main_read_register_o && !o.main_read_slot_o);
  assert_true(!o.main_write_valid_o && !o.main_write_warp_o && !o.main_write_register_o && !o.cache_read_bank_o &&
              !o.cache_read_slot_o);
}
static void read_asked(unsigned w, unsigned r, unsigned slot) {
  assert_true(o.main_read_valid_o && o.main_read_warp_o == w && o.main_read_register_o == r &&
              o.main_read_slot_o == slot);
  assert_true(!o.main_write_valid_o && !o.main_write_warp_o && !o.main_write_register_o && !o.cache_read_bank_o &&
              !o.cache_read_slot_o);
}
static void written_back(unsigned w, unsigned r, unsigned bank, unsigned slot) {
  assert_true(o.main_write_valid_o && o.main_write_warp_o == w && o.main_write_register_o == r &&
              o.cache_read_bank_o == bank && o.cache_read_slot_o == slot);
  assert_true(!o.main_read_valid_o && !o.main_read_warp_o && !o.main_read_register_o && !o.main_read_slot_o);
}
static void not_told(void) { assert_true(!o.done_valid_o && !o.done_warp_o && !o.done_command_o); }
static void told(unsigned w, enum pfu_command op) {
  assert_true(o.done_valid_o && o.done_warp_o == w && o.done_command_o == op);
}

/* Start and ACTIVATE of a warp without a working set: load, allocate, wait, done. */
static void activate(unsigned w, unsigned slot, const int *live) {
  start(w, live);
  command(PFU_ACTIVATE, w, EMPTY);
  assert_true(s.r.active_q >> w & 1 && s.r.warp_q[slot] == w && s.r.command_q[slot] == PFU_ACTIVATE);
  static const enum pfu_step steps[] = {PFU_LOAD, PFU_ALLOCATE, PFU_WAIT, PFU_DONE};
  for (unsigned t = 0; t < 4; t++) {
    is_state(slot, steps[t], 0);
    ticks(1);
    nothing_moved();
  }
  told(w, PFU_ACTIVATE);
  is_state(slot, PFU_IDLE, 0);
  is_set(s.r.live_q, slot, live);
}

/* PREFETCH with each fill one cycle after its read; ends after it is done. */
static void prefetched(unsigned w, unsigned slot, const int *r) {
  command(PFU_PREFETCH, w, r);
  for (unsigned t = 0, asked = 256; s.r.state_q[slot] != PFU_IDLE; t++) {
    assert_true(t < 100);
    tick(asked < 256 ? filled(slot, asked) : free_banks());
    asked = o.main_read_valid_o ? (unsigned)o.main_read_register_o : 256;
  }
  told(w, PFU_PREFETCH);
}

/* The response of port p in the last cycle; banks of those with a hit. */
static void responds(unsigned p, uint64_t slot, uint64_t hit, const unsigned *bank) {
  assert_int_equal(o.response_slot_o[p], slot);
  assert_int_equal(o.response_hit_o[p], hit);
  for (unsigned i = 0; i < 6; i++) assert_int_equal(o.response_bank_o[p][i], hit >> i & 1 ? bank[i] : 0);
}

/* A look-up of warp w on port p. */
static void look(struct pfu_in *in, unsigned p, unsigned w, unsigned n, const unsigned r[6]) {
  in->lookup_valid_i |= bit(p), in->lookup_warp_i[p] = (uint8_t)w, in->lookup_count_i[p] = (uint8_t)n;
  for (unsigned i = 0; i < 6; i++) in->lookup_source_i[p][i] = (uint8_t)r[i];
}

/* What a look-up of warp w on port p shows; banks of those with a hit. */
static void looks(unsigned p, unsigned w, unsigned n, const unsigned r[6], uint64_t slot, uint64_t hit,
                  const unsigned bank[6]) {
  const unsigned h = (n + 1) / 2;
  struct pfu_in in = free_banks();
  look(&in, p, w, n, r);
  tick(in);
  for (unsigned t = 1; t <= h; t++) {
    assert_false(o.response_valid_o);
    assert_int_equal(o.lookup_ready_o >> p & 1, t == 1);
    if (t > 1) assert_int_equal(o.lookup_ready_o | bit(p), bit((unsigned)s.size.NumPorts) - 1);
    assert_int_equal(pfu_idle(&s), 0);
    if (t < h) ticks(1);
  }
  ticks(1);
  assert_int_equal(o.lookup_ready_o, bit((unsigned)s.size.NumPorts) - 1);
  assert_int_equal(o.response_valid_o, bit(p));
  for (unsigned q = 0; q < s.size.NumPorts; q++) {
    responds(q, q == p ? slot : 0, q == p ? hit : 0, bank);
  }
  ticks(1);
  assert_false(o.response_valid_o);
  for (unsigned q = 0; q < s.size.NumPorts; q++) responds(q, 0, 0, bank);
}

/* Warp 5 in slot 0, with 3, 7 and 200: the fills come in another order than they are written to the banks. */
static void fetches(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  assert_true(pfu_idle(&s) == UINT64_MAX && !s.r.active_q);
  activate(5, 0, SET(1, 3));
  assert_true(s.r.done_pointer_q == 1 && pfu_idle(&s) == UINT64_MAX);
  command(PFU_PREFETCH, 5, SET(3, 7, 200));
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.working_set_q, 0, SET(3, 7, 200));
  is_set(s.r.todo_q, 0, EMPTY);
  ticks(1);
  is_state(0, PFU_ALLOCATE, 0);
  is_set(s.r.todo_q, 0, SET(3, 7, 200));
  ticks(1);
  read_asked(5, 3, 0);
  is_state(0, PFU_ALLOCATE, 1);
  is_set(s.r.todo_q, 0, SET(7, 200));
  is_set(s.r.present_q, 0, EMPTY);
  struct pfu_in in = free_banks();
  in.main_ready_i[0] = ~(1u << 12) & 0xffff; /* (7 + 5) mod 16 */
  assert_true(pfu_hold(&s, &in) == UINT64_MAX && !pfu_idle(&s));
  tick(in);
  nothing_moved();
  in.main_ready_i[0] = 1u << 12;
  in.cache_ready_i = 0;
  assert_int_equal(pfu_hold(&s, &in), 0);
  tick(in);
  read_asked(5, 7, 0);
  is_state(0, PFU_ALLOCATE, 2);
  tick(filled(0, 3)); /* with a grant in the same cycle */
  assert_true(!o.cache_write_bank_o && !o.cache_write_slot_o);
  read_asked(5, 200, 0);
  is_state(0, PFU_ALLOCATE, 2);
  is_set(s.r.present_q, 0, SET(3));
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
  told(5, PFU_PREFETCH);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.present_q, 0, SET(3, 7, 200));
  assert_int_equal(s.banks[0].r.occupied_q, 7);
  looks(0, 5, 6, (const unsigned[6]){3, 7, 200, 9, 3, 7}, 0, 0x37, (const unsigned[6]){0, 1, 2, 0, 0, 1});
}

/* A command for each state; command_ready_o does not depend on command_valid_i. */
static void commands(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  struct pfu_in in = commanded(PFU_DEACTIVATE, 5, EMPTY);
  for (uint64_t op = PFU_ACTIVATE; op <= PFU_END; op++) {
    in.command_i = op;
    for (in.command_valid_i = 0; in.command_valid_i < 2; in.command_valid_i++)
      assert_int_equal(pfu_now(&s, &in).command_ready_o, op == PFU_ACTIVATE);
  }
  activate(5, 0, EMPTY);
  command(PFU_PREFETCH, 5, SET(1));
  for (unsigned t = 0; t < 6; t++) { /* evict, allocate, allocate, wait, wait, done */
    for (in.command_i = PFU_ACTIVATE; in.command_i <= PFU_END; in.command_i++)
      assert_int_equal(pfu_now(&s, &in).command_ready_o, 0);
    tick(t == 3 ? filled(0, 1) : free_banks());
    assert_int_equal(o.done_valid_o, t == 5);
  }
  for (in.command_i = PFU_ACTIVATE; in.command_i <= PFU_END; in.command_i++)
    assert_int_equal(pfu_now(&s, &in).command_ready_o, in.command_i != PFU_ACTIVATE);
  for (unsigned w = 10; w < 17; w++) activate(w, w - 9, EMPTY); /* all eight slots */
  in = started(20, EMPTY);                                      /* legal beside an ACTIVATE that is not taken */
  in.command_valid_i = 1, in.command_i = PFU_ACTIVATE, in.command_warp_i = 20;
  tick(in);
  assert_true(!o.command_ready_o && !(s.r.active_q >> 20 & 1));
  command(PFU_END, 12, EMPTY); /* the slot of warp 12, 3, is free again after that */
  is_state(3, PFU_DONE, 0);
  tick(commanded(PFU_ACTIVATE, 20, EMPTY));
  told(12, PFU_END);
  assert_false(o.command_ready_o);
  command(PFU_ACTIVATE, 20, EMPTY);
  assert_int_equal(s.r.warp_q[3], 20);
  is_state(3, PFU_LOAD, 0);
}

static void replaces(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  activate(5, 0, EMPTY);
  prefetched(5, 0, SET(3, 7, 200)); /* banks 0, 1, 2 */
  command(PFU_PREFETCH, 5, SET(7, 8, 200, 201));
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.todo_q, 0, SET(3));
  is_set(s.r.working_set_q, 0, SET(7, 8, 200, 201));
  ticks(1);
  written_back(5, 3, 0, 0);
  is_set(s.r.present_q, 0, SET(7, 200));
  is_state(0, PFU_EVICT, 0);
  ticks(1);
  nothing_moved();
  is_state(0, PFU_ALLOCATE, 0);
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
  told(5, PFU_PREFETCH);
  is_set(s.r.present_q, 0, SET(7, 8, 200, 201));
  looks(0, 5, 5, (const unsigned[6]){3, 7, 8, 200, 201, 7}, 0, 0x1e, (const unsigned[6]){0, 1, 3, 2, 4, 0});
  command(PFU_PREFETCH, 5, SET(7, 8, 200, 201)); /* the same interval again */
  is_state(0, PFU_DONE, 0);
  ticks(1);
  told(5, PFU_PREFETCH);
  nothing_moved();
  command(PFU_PREFETCH, 5, EMPTY); /* all of them leave */
  for (unsigned k = 0; k < 4; k++) {
    static const unsigned r[] = {7, 8, 200, 201}, bank[] = {1, 3, 2, 4};
    ticks(1);
    written_back(5, r[k], bank[k], 0);
  }
  ticks(4); /* evict, allocate, wait, done */
  told(5, PFU_PREFETCH);
  is_set(s.r.present_q, 0, EMPTY);
  assert_int_equal(s.banks[0].r.free_count_q, 16);

  machine(LTRF, 8, 1); /* all eight banks, given again in the order in which they became free */
  activate(9, 0, EMPTY);
  prefetched(9, 0, SET(10, 11, 12, 13, 14, 15, 16, 17));
  prefetched(9, 0, SET(17, 16, 15, 14, 255, 0, 100, 99)); /* 10 to 13 leave; 0, 99, 100, 255 come */
  looks(0, 9, 6, (const unsigned[6]){255, 0, 99, 100, 14, 17}, 0, 0x3f, (const unsigned[6]){3, 0, 1, 2, 4, 7});
  assert_int_equal(s.banks[0].r.free_count_q, 0);
}

/* A warp leaves, results arriving; it comes back with its working set. */
static void deactivates(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  activate(5, 0, SET(1, 3));
  prefetched(5, 0, SET(3, 7, 200));
  command(PFU_DEACTIVATE, 5, EMPTY);
  is_state(0, PFU_EVICT, 0);
  is_set(s.r.todo_q, 0, SET(3, 7, 200));
  struct pfu_in in = result(5, 3);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  tick(in); /* it goes to the cache, and 3 stays until it has */
  nothing_moved();
  assert_true(o.result_hit_o == 1 && !o.result_bank_o[0] && !o.result_slot_o[0]);
  in = result(5, 7);
  add_result(&in, 6, 3), add_result(&in, 5, 200), add_result(&in, 5, 9);
  tick(in); /* another register, another warp */
  written_back(5, 3, 0, 0);
  assert_true(o.result_hit_o == 5 && o.result_bank_o[0] == 1 && !o.result_bank_o[1] && o.result_bank_o[2] == 2 &&
              !o.result_bank_o[3] && !rt_any(o.result_slot_o, sizeof o.result_slot_o));
  tick(result(5, 3)); /* too late: to the MRF */
  written_back(5, 7, 1, 0);
  assert_true(!o.result_hit_o && !rt_any(o.result_bank_o, sizeof o.result_bank_o));
  in = free_banks();
  in.cache_ready_i &= ~4ull;
  tick(in);
  nothing_moved();
  is_set(s.r.todo_q, 0, SET(200));
  in = free_banks();
  in.main_ready_i[0] = ~(1u << 13) & 0xffff; /* (200 + 5) mod 16 */
  tick(in);
  nothing_moved();
  ticks(1);
  written_back(5, 200, 2, 0);
  is_state(0, PFU_EVICT, 0);
  ticks(1);
  is_state(0, PFU_DONE, 0);
  is_set(s.r.working_set_q, 0, SET(3, 7, 200));
  for (unsigned w = 9; w < 12; w++) { /* the start writes its row, so the DEACTIVATE cannot */
    start(w, EMPTY);
    not_told();
    is_state(0, PFU_DONE, 0);
  }
  ticks(1);
  told(5, PFU_DEACTIVATE);
  assert_true(!s.r.active_q && s.r.done_pointer_q == 1);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.working_set_q, 0, EMPTY);
  is_set(s.r.live_q, 0, EMPTY);
  tick(result(5, 3));
  assert_false(o.result_hit_o);
  looks(0, 5, 2, (const unsigned[6]){3, 7, 0, 0, 0, 0}, 0, 0, (const unsigned[6]){0});

  command(PFU_ACTIVATE, 5, EMPTY); /* slot 1: 0 went to the end of the queue */
  is_state(1, PFU_LOAD, 0);
  is_set(s.r.working_set_q, 1, EMPTY);
  ticks(1);
  is_state(1, PFU_ALLOCATE, 0);
  is_set(s.r.working_set_q, 1, SET(3, 7, 200));
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
  told(5, PFU_ACTIVATE);
  looks(0, 5, 3, (const unsigned[6]){200, 3, 4, 7, 7, 7}, 1, 3, (const unsigned[6]){2, 0});
}

static void issue(unsigned w, const int *dead, const int *used, const int *dest) {
  struct pfu_in in = free_banks();
  unsigned n = 0;
  in.issue_valid_i = 1, in.issue_warp_i[0] = (uint8_t)w;
  for (; *dead >= 0; dead++, n++) {
    in.issue_source_valid_i[0] |= (uint8_t)bit(n), in.issue_dead_i[0] |= (uint8_t)bit(n);
    in.issue_source_i[0][n] = (uint8_t)*dead;
  }
  for (; *used >= 0; used++, n++) {
    in.issue_source_valid_i[0] |= (uint8_t)bit(n);
    in.issue_source_i[0][n] = (uint8_t)*used;
  }
  for (; n < 6; n++) in.issue_dead_i[0] |= (uint8_t)bit(n); /* no such source: register 0 is not cleared */
  for (n = 0; *dest >= 0; dest++, n++) {
    in.issue_destination_valid_i[0] |= (uint8_t)bit(n);
    in.issue_destination_i[0][n] = (uint8_t)*dest;
  }
  tick(in);
}

/* LTRF+: dead registers have a place, but are not moved. */
static void dead_registers(void **state) {
  (void)state;
  machine(PLUS, 16, 1);
  activate(5, 0, SET(0, 7));
  command(PFU_PREFETCH, 5, SET(3, 7, 200));
  ticks(1);
  struct pfu_in in = {0}; /* no bank is free */
  assert_int_equal(pfu_hold(&s, &in), 0);
  tick(in);
  nothing_moved();
  is_set(s.r.present_q, 0, SET(3));
  is_state(0, PFU_ALLOCATE, 0);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  ticks(1);
  read_asked(5, 7, 0);
  is_state(0, PFU_ALLOCATE, 1);
  tick(in);
  nothing_moved();
  is_set(s.r.present_q, 0, SET(3, 200));
  is_state(0, PFU_ALLOCATE, 1);
  ticks(1);
  is_state(0, PFU_WAIT, 1);
  fill(0, 7, 1);
  ticks(2);
  told(5, PFU_PREFETCH);
  looks(0, 5, 3, (const unsigned[6]){3, 7, 200, 0, 0, 0}, 0, 7, (const unsigned[6]){0, 1, 2});

  issue(5, SET(7, 3), SET(200), SET(3, 200)); /* 3 dies and is written again */
  is_set(s.r.live_q, 0, SET(0, 3, 200));
  issue(5, SET(200), SET(3), EMPTY);
  is_set(s.r.live_q, 0, SET(0, 3));
  issue(5, EMPTY, EMPTY, SET(200));
  is_set(s.r.live_q, 0, SET(0, 3, 200));

  command(PFU_DEACTIVATE, 5, EMPTY);
  ticks(1);
  written_back(5, 3, 0, 0);
  in = result(5, 7);
  assert_int_equal(pfu_hold(&s, &in), UINT64_MAX);
  tick(in); /* a dead one, too, stays while a result for it comes */
  is_set(s.r.todo_q, 0, SET(7, 200));
  assert_true(o.result_bank_o[0] == 1 && !o.result_bank_o[1]);
  tick((struct pfu_in){0});
  nothing_moved();
  is_set(s.r.present_q, 0, SET(200));
  ticks(1);
  written_back(5, 200, 2, 0);
  ticks(2);
  told(5, PFU_DEACTIVATE);

  command(PFU_ACTIVATE, 5, EMPTY);
  ticks(1);
  is_set(s.r.live_q, 1, SET(0, 3, 200));
  ticks(1);
  read_asked(5, 3, 1);
  ticks(1);
  nothing_moved();
  is_set(s.r.present_q, 1, SET(7));
  ticks(1);
  read_asked(5, 200, 1);
  fill(1, 200, 2);
  fill(1, 3, 0);
  ticks(2);
  told(5, PFU_ACTIVATE);

  command(PFU_PREFETCH, 5, SET(200, 9)); /* 3 is written back, 7 is dropped, 9 gets the bank after the last one given */
  ticks(1);
  written_back(5, 3, 0, 1);
  ticks(1);
  nothing_moved();
  is_set(s.r.present_q, 1, SET(200));
  ticks(2);
  nothing_moved();
  is_set(s.r.present_q, 1, SET(9, 200));
  ticks(3);
  told(5, PFU_PREFETCH);
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
  start(30, EMPTY); /* an END does not wait for a start */
  told(5, PFU_END);
  nothing_moved();
  assert_true(s.r.active_q == bit(6) && s.r.done_pointer_q == 1);
  is_state(0, PFU_IDLE, 0);
  is_set(s.r.present_q, 0, EMPTY);
  is_set(s.r.working_set_q, 0, EMPTY);
  ticks(1);
  not_told();
  start(5, SET(255)); /* a new warp: nothing of the old one's working set */
  command(PFU_ACTIVATE, 5, EMPTY);
  assert_true(s.r.state_q[2] == PFU_LOAD && s.r.warp_q[2] == 5);
  ticks(4);
  told(5, PFU_ACTIVATE);
  is_set(s.r.working_set_q, 2, EMPTY);
  is_set(s.r.live_q, 2, SET(255));
  prefetched(5, 2, SET(4)); /* nor of what a DEACTIVATE kept */
  command(PFU_DEACTIVATE, 5, EMPTY);
  ticks(3);
  told(5, PFU_DEACTIVATE);
  start(5, SET(6)); /* a start of an inactive warp */
  command(PFU_ACTIVATE, 5, EMPTY);
  ticks(4);
  told(5, PFU_ACTIVATE);
  is_set(s.r.working_set_q, 3, EMPTY);
  is_set(s.r.live_q, 3, SET(6));
  for (unsigned w = 40; w < 44; w++) activate(w, w - 36, EMPTY);
  activate(44, 0, EMPTY); /* slot 0 again: its aau is initialised */
  assert_int_equal(s.banks[0].r.free_count_q, 16);
}

/* Done commands are reported in turn; a DEACTIVATE that must wait does not stop others. */
static void tells_in_turn(void **state) {
  (void)state;
  machine(LTRF, 16, 1);
  for (unsigned w = 0; w < 4; w++) activate(w, w, EMPTY);
  assert_int_equal(s.r.done_pointer_q, 4);
  command(PFU_DEACTIVATE, 3, EMPTY);
  struct pfu_in in = commanded(PFU_DEACTIVATE, 1, EMPTY);
  tick(in);
  in = started(50, EMPTY);
  in.command_valid_i = 1, in.command_i = PFU_PREFETCH,
  in.command_warp_i = 2; /* its registers and the working set are none: done */
  tick(in);
  not_told(); /* warp 3 is held by the start */
  in.start_warp_i = 51, in.command_i = PFU_END, in.command_warp_i = 0;
  tick(in);
  told(2, PFU_PREFETCH); /* slots 1, 2 and 3 are done */
  assert_int_equal(s.r.done_pointer_q, 3);
  ticks(1);
  told(3, PFU_DEACTIVATE);
  ticks(1);
  told(0, PFU_END);
  ticks(1);
  told(1, PFU_DEACTIVATE);
  assert_true(s.r.active_q == bit(2) && s.r.done_pointer_q == 2);
  ticks(1);
  not_told();
  start(60, EMPTY); /* slots became free in the order 3, 0, 1, after 4 to 7 */
  start(61, EMPTY);
  for (unsigned w = 52; w < 56; w++) activate(w, w - 48, EMPTY);
  command(PFU_ACTIVATE, 60, EMPTY);
  command(PFU_ACTIVATE, 61, EMPTY);
  assert_true(s.r.warp_q[3] == 60 && s.r.warp_q[0] == 61);
}

/* Two slots share the main register file: one grant a cycle, in turn; dead registers need none. */
static void shares(void **state) {
  (void)state;
  machine(PLUS, 16, 1);
  activate(1, 0, SET(10, 11));
  activate(2, 1, SET(10, 11));
  activate(3, 2, EMPTY);
  command(PFU_PREFETCH, 1, SET(10, 11));
  tick(commanded(PFU_PREFETCH, 2, SET(10, 11)));
  nothing_moved();
  tick(commanded(PFU_PREFETCH, 3, SET(10, 11)));
  read_asked(1, 10, 0);
  ticks(1);
  read_asked(2, 10, 1);
  struct pfu_in in = free_banks();
  in.main_ready_i[0] = ~(1u << 12) & 0xffff; /* warp 1's bank for 11; warp 2's is 13 */
  tick(in);
  read_asked(2, 11, 1);
  is_set(s.r.present_q, 2, SET(10));
  tick(filled(1, 10));
  read_asked(1, 11, 0);
  is_set(s.r.present_q, 2, SET(10, 11));
  is_state(1, PFU_WAIT, 1);
  fill(0, 10, 0);
  fill(0, 11, 1);
  fill(1, 11, 1);
  told(3, PFU_PREFETCH);
  ticks(1);
  told(1, PFU_PREFETCH);
  ticks(1);
  told(2, PFU_PREFETCH);
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
  static const unsigned r[4][6] = {{3, 7}, {200}, {3, 9, 1, 9, 1, 1}, {22, 34}}, warp[] = {4, 5, 6, 11},
                        count[] = {6, 1, 4, 2};
  for (unsigned p = 0; p < 4; p++) look(&in, p, warp[p], count[p], r[p]);
  tick(in);
  in.lookup_valid_i = 2;
  in.lookup_source_i[1][0] = 7;
  tick(in);
  static const unsigned none[6] = {0};
  assert_true(o.lookup_ready_o == 0xa && o.response_valid_o == 0xa);
  responds(0, 0, 0, none);
  responds(1, 0, 1, (const unsigned[6]){2});
  responds(2, 0, 0, none);
  responds(3, 2, 3, (const unsigned[6]){2, 14});
  ticks(1);
  assert_true(o.lookup_ready_o == 0xe && o.response_valid_o == 0x6);
  responds(0, 0, 0, none);
  responds(1, 0, 1, (const unsigned[6]){1});
  responds(2, 1, 5, (const unsigned[6]){1, 0, 0});
  responds(3, 0, 0, none);
  ticks(1);
  assert_true(o.lookup_ready_o == 0xf && o.response_valid_o == 1);
  for (unsigned p = 0; p < 4; p++) responds(p, 0, 0, none);

  /* The table of the cycle in which a pair is read. Warp 9 takes 1, 2 and 3, fetched in this order; 1 is there. */
  activate(9, 3, EMPTY);
  command(PFU_PREFETCH, 9, SET(1, 2, 3));
  ticks(4);
  tick(filled(3, 1));
  in = filled(3, 2);
  look(&in, 1, 9, 5, (const unsigned[6]){1, 2, 2, 3, 3});
  tick(in);           /* reads 1 and 2: 2 is not there yet */
  tick(filled(3, 3)); /* 2 and 3: 3 is not yet */
  ticks(1);           /* 3 */
  ticks(1);
  assert_int_equal(o.response_valid_o, 2);
  responds(1, 3, 0x15, (const unsigned[6]){0, 0, 1, 0, 2});

  /* The warp leaves meanwhile: active_q and slot are those of the last cycle of reading. */
  for (unsigned late = 0; late < 3; late++) {
    machine(LTRF, 16, 4);
    activate(6, 0, EMPTY);
    activate(9, 1, EMPTY);
    prefetched(9, 1, SET(1, 2, 3));
    command(PFU_END, 9, EMPTY);
    in = free_banks(); /* done in the cycle in which the first pair is read */
    look(&in, 1, 9, 2 * late + 2, (const unsigned[6]){1, 2, 3, 1, 2, 3});
    tick(in);
    told(9, PFU_END);
    ticks(late + 1);
    assert_int_equal(o.response_valid_o, 2);
    responds(1, late ? 0 : 1, 3, (const unsigned[6]){0, 1});
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
  in.lookup_warp_i[1] = 5, in.lookup_count_i[1] = 1, in.issue_warp_i[1] = 5, in.command_warp_i = 5;
  in.result_warp_i[0] = in.result_warp_i[1] = 5, in.result_register_i[0] = 1, in.result_register_i[1] = 2;
  switch (rule) {
    case 0: in.lookup_valid_i = 2, in.lookup_warp_i[1] = 6; break;
    case 1: in.lookup_valid_i = 2, in.lookup_count_i[1] = 0; break;
    case 2: in.lookup_valid_i = 2, in.lookup_count_i[1] = 7; break;
    case 3:
      in.lookup_valid_i = 2, in.lookup_count_i[1] = 3, tick(in);
      break; /* then once more: without lookup_ready_o */
    case 4: in.issue_valid_i = 2, in.issue_warp_i[1] = 6; break;
    case 5: in.issue_valid_i = 2, in.issue_warp_i[1] = 9; break; /* not active */
    case 6: command(PFU_END, 5, EMPTY), in.issue_valid_i = 2; break;
    case 7: in.issue_valid_i = 2, in.command_valid_i = 1, in.command_i = PFU_PREFETCH; break;
    case 8: in.result_valid_i = 3, in.result_register_i[1] = 1; break;
    case 9: in.start_valid_i = 1, in.start_warp_i = 5; break;
    case 10:
      in.start_valid_i = 1, in.start_warp_i = in.command_warp_i = 9, in.command_valid_i = 1,
      in.command_i = PFU_ACTIVATE;
      break;
    case 11: in.command_valid_i = 1, in.command_i = PFU_ACTIVATE, in.command_warp_i = 10; break; /* no start */
    case 12: command(PFU_END, 5, EMPTY), ticks(1), in.command_valid_i = 1, in.command_i = PFU_ACTIVATE; break;
    case 13: in.command_valid_i = 1, in.command_i = PFU_PREFETCH, in.command_registers_i[3] = 0x1ffull << 32; break;
    case 14: in.result_valid_i = 2, in.command_valid_i = 1, in.command_i = PFU_END; break;
    case 15: in.fill_valid_i = 1, in.fill_register_i = 1; break; /* present */
    case 16: in.fill_valid_i = 1, in.fill_register_i = 9; break;
    case 17: in.fill_valid_i = 1, in.fill_slot_i = 1, in.fill_register_i = 1; break;
    case 18:
      command(PFU_PREFETCH, 5, SET(4, 5)), ticks(5), in.fill_valid_i = 1, in.fill_register_i = 4;
      break; /* then once more */
    case 19:
      command(PFU_PREFETCH, 5, SET(4, 5)), ticks(5), in.fill_valid_i = 1, in.fill_register_i = 5;
      break; /* granted now */
    /* legal */
    case 20: in.result_valid_i = 3; break;
    case 21:
      in.lookup_valid_i = 2, in.issue_valid_i = 2, in.result_valid_i = 3, in.command_valid_i = 1,
      in.command_i = PFU_ACTIVATE;
      break;
    case 22:
      in.start_valid_i = 1, in.start_warp_i = 9, in.command_valid_i = 1, in.command_i = PFU_PREFETCH,
      in.command_registers_i[3] = 0xffull << 32;
      break;
    default: in.result_valid_i = 2, in.result_warp_i[1] = 9, in.command_valid_i = 1, in.command_i = PFU_END;
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
 * value is lost: a register that is live (all are, without LiveOnly) has its value where the block says that it is.
 */
enum { WARPS = 20, REGS = 48, LATENCY = 7, RESULTS = 64 };
static struct {
  bool runs[WARPS], closed[WARPS]; /* between start and END; a command is under way */
  uint32_t truth[WARPS][REGS], main[WARPS][REGS], cache[pfu_NumSlots_most][pfu_NumCacheBanks_most];
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

static bool taken(unsigned slot) { return s.slots.r.occupied_q >> slot & 1; }
static int slot_of(unsigned w) {
  for (unsigned k = 0; k < s.size.NumSlots; k++)
    if (taken(k) && s.r.warp_q[k] == w) return (int)k;
  return -1;
}
static bool open_now(unsigned w) {
  const int k = slot_of(w);
  return k >= 0 && s.r.state_q[k] == PFU_IDLE;
}

/* The value of register r, which the block says to be live, where it is. */
static void has_value(unsigned w, unsigned r) {
  const int k = slot_of(w);
  if (k >= 0 && s.r.present_q[k][0] >> r & 1) assert_int_equal(W.cache[k][s.bank[k][r]], W.truth[w][r]);
  else assert_int_equal(W.main[w][r], W.truth[w][r]);
}

static void whole(void) {
  for (unsigned k = 0; k < s.size.NumSlots; k++) { /* different banks; nothing in slots that nobody has */
    uint64_t banks = 0, n = 0;
    const uint64_t state = s.r.state_q[k];
    if (!taken(k)) {
      is_set(s.r.present_q, k, EMPTY), is_set(s.r.working_set_q, k, EMPTY), is_set(s.r.live_q, k, EMPTY),
          is_set(s.r.todo_q, k, EMPTY);
      assert_int_equal(state, PFU_IDLE);
      continue;
    }
    const uint64_t v = s.r.present_q[k][0], ws = s.r.working_set_q[k][0], todo = s.r.todo_q[k][0];
    const uint64_t under = state == PFU_ALLOCATE || state == PFU_WAIT ? ws & ~v & ~todo : 0;
    assert_int_equal(bit_count64(under), s.r.outstanding_q[k]);
    for (uint64_t m = v | under; m; m &= m - 1, n++) banks |= bit(s.bank[k][bit_low64(m)]);
    assert_true(banks == s.banks[k].r.occupied_q && (uint64_t)bit_count64(banks) == n);
    if (state == PFU_IDLE) assert_int_equal(s.r.live_q[k][0], W.live[s.r.warp_q[k]]);
  }
  for (unsigned w = 0; w < WARPS; w++) {
    if (!W.runs[w] || W.closed[w]) continue;
    for (uint64_t m = (s.size.LiveOnly ? W.live[w] : bit(REGS) - 1) & ~W.pending[w]; m; m &= m - 1)
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
  in->command_warp_i = w;
  if (!W.runs[w] || W.closed[w]) return;
  const uint64_t vec = draw_set((unsigned)s.size.NumCacheBanks);
  const int k = slot_of(w);
  if (k < 0) {
    if (W.pending[w]) return;
    in->command_i = PFU_ACTIVATE;
  } else {
    in->command_i = op == 0 ? PFU_DEACTIVATE : op == 1 ? PFU_END : PFU_PREFETCH;
    if (in->command_i == PFU_END && W.pending[w]) return;
    if (in->command_i == PFU_PREFETCH && ((vec ^ s.r.working_set_q[k][0]) & W.pending[w])) return;
  }
  if (in->command_i == PFU_PREFETCH) {
    in->command_registers_i[0] = chance(20) ? s.r.working_set_q[k][0] : vec;
  }
  in->command_valid_i = 1;
}

static void draw_issue(struct pfu_in *in, unsigned p) {
  const unsigned np = (unsigned)s.size.NumPorts, w = p + np * rnd(WARPS / np);
  if (!open_now(w) || W.closed[w] || (in->command_valid_i && in->command_warp_i == w)) return;
  const uint64_t ws = s.r.working_set_q[slot_of(w)][0] & ~W.pending[w];
  if (!ws) return;
  in->issue_valid_i |= bit(p), in->issue_warp_i[p] = (uint8_t)w;
  for (unsigned i = 0; i < 6; i++) {
    const unsigned r = (unsigned)bit_from64(ws, (int)rnd(REGS));
    in->issue_source_i[p][i] = (uint8_t)r;
    if (chance(50)) in->issue_source_valid_i[p] |= (uint8_t)bit(i);
    if (chance(30)) in->issue_dead_i[p] |= (uint8_t)bit(i);
    if (in->issue_source_valid_i[p] & in->issue_dead_i[p] & bit(i)) W.live[w] &= ~bit(r);
  }
  for (unsigned i = 0; i < 4; i++) {
    const unsigned r = (unsigned)bit_from64(ws, (int)rnd(REGS));
    in->issue_destination_i[p][i] = (uint8_t)r;
    if (!chance(20) || W.results == RESULTS || W.pending[w] >> r & 1) continue;
    in->issue_destination_valid_i[p] |= (uint8_t)bit(i);
    W.live[w] |= bit(r);
    W.pending[w] |= bit(r);
    W.result[W.results].w = w, W.result[W.results].r = r, W.result[W.results++].wait = 1 + rnd(40);
  }
}

/* Results that are due: the first four, each once. */
static void draw_results(struct pfu_in *in) {
  for (unsigned i = 0; i < W.results; i++) {
    if (W.result[i].wait) W.result[i].wait--;
    else if (bit_count64(in->result_valid_i) < 4) add_result(in, W.result[i].w, W.result[i].r);
  }
}

/* A result that is not written in this cycle stays. */
static void write_results(const struct pfu_in *in) {
  for (uint64_t m = in->result_valid_i; m; m &= m - 1) {
    const unsigned i = (unsigned)bit_low64(m), w = in->result_warp_i[i], r = in->result_register_i[i];
    if (chance(40)) continue;
    const uint32_t value = rnd(UINT32_MAX);
    W.truth[w][r] = value;
    W.pending[w] &= ~bit(r);
    if (o.result_hit_o >> i & 1) W.cache[o.result_slot_o[i]][o.result_bank_o[i]] = value;
    else W.main[w][r] = value;
    for (unsigned k = 0; k < W.results; k++)
      if (W.result[k].w == w && W.result[k].r == r) W.result[k] = W.result[--W.results];
  }
}

static void draw_look_ups(struct pfu_in *in) {
  const struct pfu_out now = pfu_now(&s, in);
  for (unsigned p = 0; p < s.size.NumPorts; p++) {
    if (chance(40) || !(now.lookup_ready_o >> p & 1)) continue;
    const unsigned np = (unsigned)s.size.NumPorts;
    in->lookup_valid_i |= bit(p);
    in->lookup_warp_i[p] = (uint8_t)(p + np * rnd(WARPS / np)), in->lookup_count_i[p] = (uint8_t)(1 + rnd(6));
    for (unsigned i = 0; i < 6; i++) in->lookup_source_i[p][i] = (uint8_t)rnd(REGS);
  }
}

static void draw_start(struct pfu_in *in) {
  const unsigned w = rnd(WARPS);
  if (!chance(30) || W.runs[w]) return;
  in->start_valid_i = 1, in->start_warp_i = w;
  const uint64_t live = draw_set(20);
  in->start_live_i[0] = live;
  W.runs[w] = true, W.closed[w] = false;
  W.live[w] = live;
  for (unsigned r = 0; r < REGS; r++) W.truth[w][r] = W.main[w][r] = rnd(UINT32_MAX);
}

/* What the outputs of this cycle move. */
static void move_values(const struct pfu_in *in) {
  const unsigned at = W.now % LATENCY;
  if (in->fill_valid_i) W.cache[o.cache_write_slot_o][o.cache_write_bank_o] = W.read[at].value;
  W.read[at].v = o.main_read_valid_o;
  if (o.main_read_valid_o) {
    W.read[at].slot = (unsigned)o.main_read_slot_o, W.read[at].r = (unsigned)o.main_read_register_o;
    W.read[at].value = W.main[o.main_read_warp_o][o.main_read_register_o];
  }
  if (o.main_write_valid_o)
    W.main[o.main_write_warp_o][o.main_write_register_o] = W.cache[o.cache_read_slot_o][o.cache_read_bank_o];
  W.moved += (unsigned)(o.main_read_valid_o + o.main_write_valid_o);
  if (o.done_valid_o) {
    W.closed[o.done_warp_o] = false;
    if (o.done_command_o == PFU_END) W.runs[o.done_warp_o] = false;
  }
  if (in->command_valid_i && o.command_ready_o) W.closed[in->command_warp_i] = true, W.commands++;
}

static void run(unsigned cycles, unsigned patience) {
  for (unsigned t = 0; t < cycles; t++, W.now++) {
    struct pfu_in in = {0};
    for (unsigned b = 0; b < 4; b++)
      for (unsigned i = 0; i < 32; i++)
        in.main_ready_i[b] |=
            (uint32_t)(b < (s.size.NumMainBanks + 31) / 32 && 32 * b + i < s.size.NumMainBanks && chance(patience))
            << i;
    for (unsigned i = 0; i < s.size.NumCacheBanks; i++) in.cache_ready_i |= (uint64_t)chance(patience) << i;
    in.fill_valid_i = W.read[W.now % LATENCY].v;
    if (in.fill_valid_i) in.fill_slot_i = W.read[W.now % LATENCY].slot, in.fill_register_i = W.read[W.now % LATENCY].r;
    if (chance(60)) draw_command(&in);
    draw_start(&in);
    if (in.start_valid_i && in.command_valid_i && in.command_warp_i == in.start_warp_i) in.command_valid_i = 0;
    draw_results(&in);
    for (unsigned p = 0; p < s.size.NumPorts; p++)
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
    world(&(struct pfu_params){.NumCacheBanks = 8u << k % 3,
                               .NumSlots = 4u << (k / 2) % 3,
                               .NumPorts = k & 1 ? 4 : 1,
                               .NumMainBanks = k & 4 ? 128 : 16,
                               .LiveOnly = k / 3 & 1,
                               .NumResults = pfu_NumResults,
                               .NumRegisters = pfu_NumRegisters,
                               .NumWarps = pfu_NumWarps});
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

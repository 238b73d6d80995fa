/* SPDX-License-Identifier: Apache-2.0 */
/* aau and farb: the golden models against cases worked by hand from docs/blocks/ltrf. */
#include "unit/finereg_kit.h"

#include "blocks/ltrf/aau.h"
#include "blocks/ltrf/farb.h"

NOW(aau)
NOW(farb)
SKIPS(aau)
SKIPS(farb)

static uint64_t bit(unsigned n) { return 1ull << n; }
static const uint32_t ALL[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* ---- aau ---- */
static struct aau a;
static void queue(uint64_t depth) {
  struct aau_params size = aau_defaults();
  size.Depth = depth;
  aau_reset(&a);
  aau_size(&a, &size);
}

/* Shows `head` (-1: none is free) and these occupied numbers, then takes the edge. */
static void number(int head, uint64_t occupied, struct aau_in in) {
  const struct aau_in quiet = {.push_number_i = in.push_number_i};
  const struct aau_out out = aau_now(&a, &in);
  assert_true(out.head_valid_o == (head >= 0) && out.head_number_o == (uint64_t)(head < 0 ? 0 : head));
  assert_int_equal(a.r.occupied_q, occupied);
  assert_int_equal(a.r.free_count_q, a.size.Depth - (uint64_t)bit_count64(occupied));
  assert_true(aau_idle(&a) == UINT64_MAX && aau_hold(&a, &in) == 0);
  aau_skips(&a, &quiet);
  aau_tick(&a, &in);
}
static const struct aau_in none = {0}, pop = {.pop_valid_i = 1};
static struct aau_in push(uint64_t id) { return (struct aau_in){.push_valid_i = 1, .push_number_i = id}; }
static struct aau_in both(uint64_t id) {
  return (struct aau_in){.pop_valid_i = 1, .push_valid_i = 1, .push_number_i = id};
}

static void numbers(void **state) {
  (void)state;
  queue(4);
  for (unsigned k = 0; k < 4; k++) number((int)k, bit(k) - 1, pop);
  number(-1, 0xf, none);
  number(-1, 0xf, push(2)); /* none is free: the push alone */
  number(2, 0xb, both(0));  /* one is free */
  number(0, 0xe, push(3));
  number(0, 0x6, push(1));
  number(0, 0x4, pop);
  number(3, 0x5, pop);
  number(1, 0xd, pop);
  number(-1, 0xf, push(3));
  /* init goes before both, and neither needs to be legal beside it */
  number(3, 0x7, (struct aau_in){.init_i = 1, .pop_valid_i = 1, .push_valid_i = 1, .push_number_i = 3});
  for (unsigned k = 0; k < 4; k++) number((int)k, bit(k) - 1, pop);
  number(-1, 0xf, (struct aau_in){.init_i = 1, .pop_valid_i = 1});
  number(0, 0, none);
  for (uint64_t depth = 2; depth <= 32;
       depth *= 2) { /* around the ring: the one before goes back while the next is taken */
    queue(depth);
    number(0, 0, pop);
    for (unsigned n = 1; n < 3 * depth; n++) {
      const unsigned k = n % (unsigned)depth, before = (n - 1) % (unsigned)depth;
      number((int)k, bit(before), both(before));
    }
  }
}

/* ---- farb ---- */
static struct farb f;
static void arbiter(uint64_t slots, uint64_t main_banks, uint64_t cache_banks) {
  struct farb_params size = farb_defaults();
  size.NumSlots = slots;
  size.NumMainBanks = main_banks;
  size.NumCacheBanks = cache_banks;
  farb_reset(&f);
  farb_size(&f, &size);
}
/* -1: no grant; then the edge. */
static void grants(struct farb_in in, int slot, uint64_t ptr) {
  struct farb_in quiet = in;
  quiet.request_valid_i = 0;
  assert_int_equal(farb_now(&f, &in).grant_o, slot < 0 ? 0 : bit((unsigned)slot));
  farb_skips(&f, &quiet);
  farb_tick(&f, &in);
  assert_int_equal(f.r.pointer_q, ptr);
}

static void arbitrates(void **state) {
  (void)state;
  arbiter(8, 128, 16);
  struct farb_in in = {.request_valid_i = 0xff, .cache_ready_i = 0xffff};
  memcpy(in.main_ready_i, ALL, sizeof in.main_ready_i);
  for (unsigned k = 0; k < 8; k++)
    in.request_main_bank_i[k] = (uint8_t)(10 * k + 50), in.request_cache_bank_i[k] = (uint8_t)(k + 8);
  for (unsigned k = 0; k < 20; k++) grants(in, (int)(k % 8), (k + 1) % 8); /* in turn; now from 4 on */
  in.request_valid_i = 0;
  grants(in, -1, 4);
  in.request_valid_i = 0x0a;
  grants(in, 1, 2); /* 4 to 7, then 0, 1 */
  grants(in, 3, 4);
  grants(in, 1, 2);
  in.main_ready_i[80 / 32] &= ~(1u << 80 % 32); /* slot 3's MRF bank */
  grants(in, 1, 2);
  in.request_valid_i = 0x08;
  grants(in, -1, 2);
  memcpy(in.main_ready_i, ALL, sizeof in.main_ready_i);
  in.cache_ready_i = ~bit(11) & 0xffff; /* slot 3's cache bank: of no matter for a fetch */
  in.request_valid_i = 0x18;
  grants(in, 3, 4);
  grants(in, 4, 5);
  in.request_write_back_i = 0x08;
  grants(in, 4, 5);
  in.request_valid_i = 0x08;
  grants(in, -1, 5);
  in.cache_ready_i = bit(11);
  grants(in, 3, 4);
  in.request_valid_i = 0x80;
  grants(in, 7, 0); /* round the end */

  arbiter(16, 2, 32); /* elements of 1 and 5 bits */
  in = (struct farb_in){
      .request_valid_i = 0xffff, .request_write_back_i = 0xff00, .main_ready_i = {2}, .cache_ready_i = bit(31)};
  in.request_main_bank_i[6] = in.request_main_bank_i[9] = in.request_main_bank_i[15] = 1;
  in.request_cache_bank_i[9] = 30, in.request_cache_bank_i[15] = 31;
  grants(in, 6, 7);
  grants(in, 15, 0);
  grants(in, 6, 7);
}

/* ---- the rules of aau ---- */
static void break_rule(uint32_t rule) {
  queue(4);
  struct aau_in in = {.pop_valid_i = 1};
  if (rule == 0) in = push(0);
  for (unsigned k = 0; rule == 1 && k < 4; k++) aau_tick(&a, &in);
  if (rule == 2) in = both(0); /* what is popped now was not occupied */
  aau_tick(&a, &in);
}
static void rules(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 4; rule++) assert_int_equal(asserts(break_rule, rule), rule < 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(arbitrates), cmocka_unit_test(rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Malekeh's rarb, wfil, alloc and sthld: the golden models against cases worked by hand from docs/blocks/malekeh, and random
 * traffic against what the pages say word for word. */
#include "unit/finereg_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include "blocks/malekeh/alloc.h"
#include "blocks/malekeh/pick.h"
#include "blocks/malekeh/rarb.h"
#include "blocks/malekeh/sthld.h"
#include "blocks/malekeh/wfil.h"

NOW(rarb)
NOW(wfil)
NOW(alloc)
NOW(sthld)
SKIPS(rarb)
SKIPS(wfil)
SKIPS(alloc)
SKIPS(sthld)

static uint64_t bit(unsigned n) { return 1ull << n; }
static unsigned log_of(uint64_t n) { return (unsigned)bit_low64(n); }

/* ---- rarb ---- */
enum { SLOTS = rarb_NumSlots };
static struct rarb a;

static void arbiter(uint64_t units, uint64_t banks, uint64_t lanes) {
  struct rarb_params size = rarb_defaults();
  size.NumCollectors = units;
  size.NumBanks = banks;
  size.NumResults = lanes;
  rarb_reset(&a);
  rarb_size(&a, &size);
}

/* Requests of a unit: "0:5>1@2" is slot 0, register 5, entry 1, bank 2. */
static struct rarb_in with_rq(struct rarb_in in, unsigned u, const char *slots) {
  unsigned k, r, entry, b;
  int n;
  in.request_collector_i = u;
  for (; sscanf(slots, " %u:%u>%u@%u%n", &k, &r, &entry, &b, &n) == 4; slots += n) {
    in.request_valid_i |= bit(k);
    in.request_register_i[k] = (uint8_t)r, in.request_entry_i[k] = (uint8_t)entry, in.request_bank_i[k] = (uint8_t)b;
  }
  return in;
}
static struct rarb_in rq(unsigned u, const char *slots) { return with_rq((struct rarb_in){0}, u, slots); }

/* The grants of this cycle: bank=unit:register>entry; the ports of banks and of units say the same. */
static const char *granted(const struct rarb_out *out) {
  static char text[200];
  char *t = text;
  uint64_t units = 0;
  *t = 0;
  for (unsigned b = 0; b < a.size.NumBanks; b++) {
    const unsigned u = out->read_collector_o[b], r = out->read_register_o[b];
    if (!(out->read_valid_o >> b & 1)) {
      assert_true(!u && !r);
      continue;
    }
    assert_true(out->operand_bank_o[u] == b && !(units >> u & 1));
    units |= bit(u);
    t += sprintf(t, "%s%u=%u:%u>%u", t == text ? "" : " ", b, u, r, out->operand_entry_o[u]);
  }
  assert_int_equal(out->operand_valid_o, units);
  for (unsigned u = 0; u < a.size.NumCollectors; u++)
    if (!(units >> u & 1)) assert_true(!out->operand_entry_o[u] && !out->operand_bank_o[u]);
  return text;
}

static void grants(struct rarb_in in, const char *want, uint64_t pp, uint64_t pend) {
  const struct rarb_out out = rarb_now(&a, &in);
  assert_string_equal(granted(&out), want);
  rarb_skips(&a, &(struct rarb_in){0});
  rarb_tick(&a, &in);
  assert_int_equal(a.r.preferred_bank_q, pp);
  for (unsigned u = 0; u < a.size.NumCollectors; u++) assert_int_equal(a.r.pending_q[u], pend >> SLOTS * u & 63);
  assert_int_equal(rarb_idle(&a), pend ? 0 : UINT64_MAX);
}

static void arbitrates(void **state) {
  (void)state;
  const struct rarb_in none = {0};
  arbiter(2, 2, 2);
  grants(none, "", 0, 0);
  grants(rq(1, "0:5>1@0 2:6>2@0 5:7>3@0"), "0=1:5>1", 0, 0x24ull << 6); /* one queue: in the order of the slots */
  grants(none, "0=1:6>2", 0, 0x20ull << 6);
  grants(none, "0=1:7>3", 0, 0);
  grants(none, "", 0, 0);
  /* Two queues: the preferred bank wins, and the preference flips. */
  grants(rq(0, "0:10>0@0 1:11>1@1 3:13>3@1 4:14>4@0"), "0=0:10>0", 1, 0x1a);
  grants(none, "1=0:11>1", 0, 0x18);
  grants(none, "0=0:14>4", 1, 0x08);
  grants(none, "1=0:13>3", 1, 0); /* no conflict */
  /* Unit 1 waits behind the head that is not granted. */
  grants(rq(0, "0:1>1@0 1:2>2@1 2:3>3@0"), "1=0:2>2", 0, 0x05);
  grants(rq(1, "0:4>4@1 5:5>5@0"), "0=0:1>1 1=1:4>4", 0, 0x04 | 0x20ull << 6);
  grants(none, "0=0:3>3", 0, 0x20ull << 6);
  grants(none, "0=1:5>5", 0, 0);
  grants(rq(0, "0:1>1@0 1:2>2@1 2:3>3@0"), "0=0:1>1", 1, 0x06);
  grants(rq(1, "0:4>4@0 1:5>5@1"), "1=0:2>2", 0, 0x04 | 0x03ull << 6); /* bank 0 reads nothing */
  grants(none, "0=0:3>3 1=1:5>5", 0, 0x01ull << 6);
  grants(none, "0=1:4>4", 0, 0);
  /* The unit that asks again is the younger one now. */
  grants(rq(1, "0:1>1@1 1:2>2@1"), "1=1:1>1", 0, 0x02ull << 6);
  grants(rq(0, "0:3>3@1 1:4>4@1"), "1=1:2>2", 0, 0x03);
  grants(rq(1, "0:5>5@1"), "1=0:3>3", 0, 0x02 | 0x01ull << 6);
  grants(none, "1=0:4>4", 0, 0x01ull << 6);
  grants(none, "1=1:5>5", 0, 0);
}

static void writes_first(void **state) {
  (void)state;
  arbiter(2, 2, 2);
  static const struct {
    uint8_t v, b, rdy;
  } lanes[] = {{0, 0, 3}, {0, 3, 3}, {1, 0, 1}, {1, 2, 3}, {1, 1, 3},
               {1, 3, 1}, {2, 0, 3}, {2, 3, 3}, {3, 0, 1}, {3, 1, 3}};
  for (unsigned i = 0; i < sizeof lanes / sizeof *lanes; i++) {
    const struct rarb_in in = {.result_valid_i = lanes[i].v, .result_bank_i = {lanes[i].b & 1, lanes[i].b >> 1}};
    assert_int_equal(rarb_now(&a, &in).result_ready_o, lanes[i].rdy);
  }
  /* A bank that is written reads nothing and is no candidate: no conflict, and no unit overtakes. */
  struct rarb_in in = {.result_valid_i = 2};
  grants(with_rq(in, 0, "0:1>1@0 1:2>2@1 2:3>3@0"), "1=0:2>2", 0, 0x05);
  grants(with_rq(in, 1, "0:4>4@0 1:5>5@1"), "1=1:5>5", 0, 0x05 | 0x01ull << 6);
  in.result_valid_i = 3, in.result_bank_i[0] = 0, in.result_bank_i[1] = 1;
  grants(in, "", 0, 0x05 | 0x01ull << 6);
  in.result_valid_i = 0;
  grants(in, "0=0:1>1", 0, 0x04 | 0x01ull << 6);
  grants(in, "0=0:3>3", 0, 0x01ull << 6);
  grants(in, "0=1:4>4", 0, 0);

  arbiter(8, 8, 8); /* the first bank from preferred_bank_q upward */
  in = (struct rarb_in){0};
  grants(rq(5, "0:1>1@7 1:2>2@2 2:3>3@4"), "2=5:2>2", 1, 0x05ull << 30);
  grants(rq(6, "0:4>4@0 1:5>5@1 2:6>6@0 3:7>7@1 4:8>0@0 5:9>1@1"), "1=6:5>5 4=5:3>3", 2, 0x01ull << 30 | 0x3dull << 36);
  grants(in, "0=6:4>4 7=5:1>1", 3, 0x3cull << 36); /* after the last bank the first one */
  grants(in, "0=6:6>6", 4, 0x38ull << 36);
  grants(in, "0=6:8>0", 5, 0x28ull << 36);
  grants(in, "1=6:7>7", 5, 0x20ull << 36);
  in.result_valid_i = 0x90, in.result_bank_i[4] = in.result_bank_i[7] = 1;
  assert_int_equal(rarb_now(&a, &in).result_ready_o, 0x7f);
  grants(in, "", 5, 0x20ull << 36);
}

/* The banks' queues as the page describes them first: each in the order of arrival. */
static struct request { unsigned u, k, reg, entry, waited; } fifo[8][8 * SLOTS];
static unsigned length[8];

static void enqueue(const struct rarb_in *in) {
  for (uint64_t m = in->request_valid_i; m; m &= m - 1) {
    const unsigned k = log_of(m & -m), b = in->request_bank_i[k];
    fifo[b][length[b]++] = (struct request){.u = (unsigned)in->request_collector_i,
                                            .k = k,
                                            .reg = in->request_register_i[k],
                                            .entry = in->request_entry_i[k]};
  }
}

/* The banks that each unit may read; the preferred ones are granted. */
static bool dequeue(uint64_t written, uint64_t pp, char *text) {
  uint64_t granted_banks = 0;
  bool conflict = false;
  for (unsigned u = 0; u < a.size.NumCollectors; u++) {
    bool done = false;
    for (unsigned i = 0; i < a.size.NumBanks; i++) {
      const unsigned b = (unsigned)((pp + i) % a.size.NumBanks);
      if (written >> b & 1 || !length[b] || fifo[b][0].u != u) continue;
      conflict |= done;
      if (!done) granted_banks |= bit(b);
      done = true;
    }
  }
  *text = 0;
  for (unsigned b = 0; b < a.size.NumBanks; b++) {
    for (unsigned i = 0; i < length[b]; i++) /* nothing waits for longer than the page says, but for writes */
      fifo[b][i].waited += !(written >> b & 1);
    if (!(granted_banks >> b & 1)) continue;
    assert_true(fifo[b][0].waited <= SLOTS * a.size.NumCollectors);
    text += sprintf(text, "%s%u=%u:%u>%u", granted_banks & (bit(b) - 1) ? " " : "", b, fifo[b][0].u, fifo[b][0].reg,
                    fifo[b][0].entry);
    memmove(fifo[b], fifo[b] + 1, --length[b] * sizeof **fifo);
  }
  return conflict;
}

static void random_arbitration(uint64_t units, uint64_t banks, uint64_t lanes) {
  arbiter(units, banks, lanes);
  memset(length, 0, sizeof length);
  const unsigned writes = rnd(80), asks = 10 + rnd(90);
  for (unsigned t = 0; t < 300; t++) {
    struct rarb_in in = {.request_collector_i = rnd((uint32_t)units)};
    const uint64_t registers = rng_next(&seed) >> 16, entries = rnd(1 << 18);
    uint64_t written = 0, pend = 0, rdy = 0;
    char want[200];
    for (unsigned k = 0; k < SLOTS; k++) {
      in.request_register_i[k] = (uint8_t)(registers >> 8 * k), in.request_entry_i[k] = entries >> 3 * k & 7;
      in.request_bank_i[k] = (uint8_t)rnd((uint32_t)banks);
    }
    if (chance(asks) && !a.r.pending_q[in.request_collector_i]) in.request_valid_i = rnd(1 << SLOTS);
    for (unsigned l = 0; l < lanes; l++) {
      const uint64_t b = rnd((uint32_t)banks);
      in.result_bank_i[l] = (uint8_t)b;
      rdy |= (~written >> b & 1) << l;
      if (!chance(writes)) continue;
      in.result_valid_i |= bit(l);
      written |= bit((unsigned)b);
    }
    enqueue(&in);
    const uint64_t pp = (a.r.preferred_bank_q + dequeue(written, a.r.preferred_bank_q, want)) % banks;
    assert_int_equal(rarb_now(&a, &in).result_ready_o, rdy);
    for (unsigned b = 0; b < banks; b++)
      for (unsigned i = 0; i < length[b]; i++) pend |= bit(SLOTS * fifo[b][i].u + fifo[b][i].k);
    grants(in, want, pp, pend);
  }
}

static void queues(void **state) {
  (void)state;
  for (unsigned n = 0; n < 200; n++) {
    seed = n;
    random_arbitration(2u << n % 3, 2, 2);
    random_arbitration(8, 8, 8);
  }
}

/* ---- wfil ---- */
static struct wfil f;
static void filter_size(uint64_t units, uint64_t results, uint64_t warps, uint64_t filter) {
  struct wfil_params size = wfil_defaults();
  size.NumCollectors = units;
  size.NumResults = results;
  size.NumWarps = warps;
  size.Filter = filter;
  wfil_size(&f, &size);
}

static void filters(void **state) {
  (void)state;
  wfil_reset(&f);
  /* Unit 0 is warp 3's, unit 1 warp 5's. Warps and near bits of the results; outputs: cached, which one, snooped [unit][result]; without the filter, too. */
  static const struct {
    unsigned valid, warp[2], near, owned, cached, which, snooped, all_cached, all_which, all_snooped;
  } cases[] = {
      {0, {3, 5}, 3, 3, 0, 0, 0, 0, 0, 0}, {3, {3, 5}, 3, 3, 3, 2, 0, 3, 2, 0}, {3, {5, 3}, 3, 3, 3, 1, 0, 3, 1, 0},
      {3, {3, 3}, 3, 3, 1, 0, 2, 1, 0, 2}, {3, {3, 3}, 2, 3, 1, 1, 1, 1, 0, 2}, {3, {3, 3}, 0, 3, 0, 0, 3, 1, 0, 2},
      {3, {5, 5}, 2, 3, 2, 2, 4, 2, 0, 8}, {2, {3, 3}, 1, 3, 0, 0, 2, 1, 1, 0}, {3, {3, 5}, 3, 1, 1, 0, 0, 1, 0, 0},
      {3, {4, 2}, 3, 3, 0, 0, 0, 0, 0, 0}, {3, {3, 5}, 1, 3, 1, 0, 8, 3, 2, 0},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (unsigned all = 0; all < 2; all++) {
      const struct wfil_in in = {.result_valid_i = cases[i].valid,
                                 .result_warp_i = {(uint8_t)cases[i].warp[0], (uint8_t)cases[i].warp[1]},
                                 .result_near_i = cases[i].near,
                                 .owner_valid_i = cases[i].owned,
                                 .owner_warp_i = {3, 5}};
      filter_size(2, 2, 8, !all);
      const struct wfil_out out = wfil_now(&f, &in);
      assert_int_equal(out.cache_valid_o, all ? cases[i].all_cached : cases[i].cached);
      assert_int_equal(out.cache_result_o[0] | out.cache_result_o[1] << 1, all ? cases[i].all_which : cases[i].which);
      assert_int_equal(out.snoop_valid_o[0] | out.snoop_valid_o[1] << 2, all ? cases[i].all_snooped : cases[i].snooped);
      wfil_skips(&f, &(struct wfil_in){0});
    }
  }
  /* 8 units, 8 lanes, 32 warps: units 1 and 6 are warp 30's; results 2, 5, 7 are, of which 5 and 7 are near. */
  filter_size(8, 8, 32, 1);
  struct wfil_in in = {.result_valid_i = 0xa4, .result_near_i = 0xff, .owner_valid_i = 0x42};
  for (unsigned l = 0; l < 8; l++) in.result_warp_i[l] = in.owner_warp_i[l] = 30;
  in.result_near_i = 0xa0;
  const struct wfil_out out = wfil_now(&f, &in);
  assert_int_equal(out.cache_valid_o, 0x42);
  for (unsigned u = 0; u < 8; u++) {
    assert_int_equal(out.cache_result_o[u], u == 1 || u == 6 ? 5 : 0);
    assert_int_equal(out.snoop_valid_o[u], u == 1 || u == 6 ? 0x84 : 0);
  }
}

/* ---- alloc ---- */
static struct alloc s;
static struct alloc_in look; /* what the scheduler is shown */

static void scheduler(uint64_t warps, uint64_t units, uint64_t policy, uint64_t pass) {
  struct alloc_params size = alloc_defaults();
  size.NumWarps = warps;
  size.NumCollectors = units;
  size.Policy = policy;
  size.Pass = pass;
  alloc_reset(&s);
  alloc_size(&s, &size);
  look = (struct alloc_in){.seed_i = 0xACE1};
}
static void by_age(const unsigned *warp) {
  for (unsigned k = 0; k < s.size.NumWarps; k++) look.age_warp_i[k] = (uint8_t)warp[k];
}
/* -1: no owner; flags: b busy, a has data, n near. */
static void unit(unsigned c, int owner, const char *flags) {
  look.owner_valid_i = (look.owner_valid_i & ~bit(c)) | (uint64_t)(owner >= 0) << c;
  look.owner_warp_i[c] = owner >= 0 ? (uint8_t)owner : 0;
  look.busy_i = (look.busy_i & ~bit(c)) | (uint64_t)(strchr(flags, 'b') != NULL) << c;
  look.cached_i = (look.cached_i & ~bit(c)) | (uint64_t)(strchr(flags, 'a') != NULL) << c;
  look.cached_near_i = (look.cached_near_i & ~bit(c)) | (uint64_t)(strchr(flags, 'n') != NULL) << c;
}

static const char *decision(const struct alloc_out *out) {
  static char text[40];
  *text = 0;
  if (out->issue_wait_o) strcpy(text, "wait");
  if (out->issue_valid_o)
    sprintf(text + strlen(text), out->issue_direct_o ? "%u" : "%u>%u", (unsigned)out->issue_warp_o,
            (unsigned)out->issue_collector_o);
  else assert_true(!out->issue_warp_o && !out->issue_collector_o && !out->issue_direct_o);
  return text;
}

/* "4>1": warp 4 issues into unit 1; "4": without a unit; "wait"; "". Then the registers. */
static void issues(uint64_t rdy, uint64_t nc, const char *want, uint64_t last, uint64_t wait, uint64_t lfsr) {
  struct alloc_in in = look, quiet = look;
  in.warp_ready_i = rdy, in.warp_direct_i = nc;
  const struct alloc_out out = alloc_now(&s, &in);
  assert_string_equal(decision(&out), want);
  assert_int_equal(alloc_hold(&s, &in), want[0] ? 0 : UINT64_MAX);
  memset(quiet.owner_warp_i, 0, sizeof quiet.owner_warp_i); /* mean nothing */
  quiet.owner_valid_i = bit((unsigned)s.size.NumCollectors) - 1;
  alloc_skips(&s, &quiet);
  alloc_tick(&s, &in);
  assert_true(s.r.last_warp_q == last && s.r.waited_q == wait && s.r.random_q == lfsr);
}

static const unsigned AGE[8] = {4, 2, 0, 1, 3, 5, 6, 7};
static uint64_t w(unsigned n) { return bit(n); }

static void allocates(void **state) {
  (void)state;
  scheduler(8, 2, 1, 1);
  by_age(AGE);
  issues(0, 0xff, "", 0, 0, 0);
  issues(w(2) | w(4), 0, "4>1", 4, 0, 0xE270); /* the oldest; pick(2) of 0xACE1 is 1 */
  unit(1, 4, "ban");
  issues(w(2) | w(4), 0, "2>0", 2, 0, 0x7138); /* 4's unit is busy; pick(1) */
  unit(0, 2, "b");
  issues(w(2) | w(4), 0, "", 2, 0, 0x7138);
  issues(w(0) | w(2) | w(4), 0, "", 2, 0, 0x7138);            /* no unit for 0 */
  issues(w(0) | w(2) | w(3), w(0) | w(3), "0", 0, 0, 0x7138); /* the older one of those that need none */
  issues(w(1) | w(2), w(1) | w(2), "2", 2, 0, 0x7138);        /* 2 has a busy unit: before 1 */
  unit(1, 4, "an");
  issues(w(1) | w(4), 0, "4>1", 4, 0, 0x7138); /* its own: no pick */
  unit(1, 4, "a");
  unit(0, 2, "");
  issues(w(0) | w(2), 0, "2>0", 2, 0, 0x7138); /* by age, and its own, though empty */
  unit(0, 0, "");
  issues(w(0) | w(1) | w(4), 0, "4>1", 4, 0, 0x7138);
  /* 2 is older than 0, whose unit is empty; pick(2) of 0x7138 is 0, which flushes 0's. */
  issues(w(0) | w(2), 0, "2>0", 2, 0, 0x389C);
  unit(0, 2, "an");
  issues(w(0) | w(2), 0, "2>0", 2, 0, 0x389C); /* the last one first */
  unit(0, 2, "ban");
  unit(1, 4, "an");
  look.threshold_i = 2;
  issues(w(0) | w(2), 0, "wait", 2, 1, 0x389C);
  issues(0, 0, "", 2, 1, 0x389C);
  issues(w(0) | w(2), 0, "wait", 2, 2, 0x389C);
  issues(w(4), 0, "4>1", 4, 2, 0x389C); /* the owner waits for nobody */
  unit(0, -1, "");
  issues(w(7), 0, "7>0", 7, 2, 0x1C4E); /* nor anybody for a unit without near registers */
  unit(0, 7, "ban");
  issues(w(5), w(5), "5", 5, 2, 0x1C4E);
  issues(w(0), 0, "0>1", 0, 0, 0x0E27); /* forced */
  unit(1, 0, "an");
  unit(0, 7, "an");
  issues(w(3), 0, "wait", 0, 1, 0x0E27);
  look.threshold_i = 0;
  issues(w(3), 0, "3>0", 3, 0, 0xB313); /* pick(2) of 0x0E27 */
  look.threshold_i = 63;
  for (unsigned n = 1; n <= 63; n++) issues(w(6), 0, "wait", 3, n, 0xB313);
  issues(w(6), 0, "6>1", 6, 0, 0xED89); /* pick(2) of 0xB313 is 1 */

  scheduler(8, 2, 1, 0); /* a busy unit ends the search */
  by_age(AGE);
  unit(0, 5, "b");
  issues(w(5) | w(4), 0, "", 0, 0, 0);
  issues(w(5) | w(4), w(5), "5", 5, 0, 0);
  issues(w(5) | w(4), 0, "", 5, 0, 0);
  issues(w(4), 0, "4>1", 4, 0, 0xE270);
}

static void other_policies(void **state) {
  (void)state;
  scheduler(8, 8, 2, 1); /* a unit for each warp, whatever R says of owners */
  by_age(AGE);
  unit(3, 4, "a"), unit(6, 6, "b"), unit(1, -1, "ba");
  issues(w(0), 0, "0>0", 0, 0, 0);
  issues(w(2) | w(4), 0, "4>4", 4, 0, 0);
  issues(w(1) | w(2) | w(3) | w(6), 0, "3>3", 3, 0, 0); /* 1 and 6 have busy ones, 3 has data */
  issues(w(1) | w(6), 0, "", 3, 0, 0);
  issues(w(1) | w(2) | w(6), w(6), "6", 6, 0, 0);

  scheduler(8, 4, 3, 1); /* a random free one */
  by_age(AGE);
  unit(0, 1, "an"), unit(1, 1, "b"), unit(2, 4, "an"), unit(3, 4, "an");
  look.threshold_i = 9;
  issues(w(1) | w(4), 0, "4>3", 4, 0, 0xE270); /* pick(3) is 2: of 0, 2, 3 */
  unit(3, 4, "b");
  issues(w(1) | w(4), 0, "4>2", 4, 0, 0x7138); /* again; pick(2) of 0xE270 is 1 */
  unit(0, 1, "b"), unit(2, 4, "b");
  issues(w(1) | w(4), 0, "", 4, 0, 0x7138);
  issues(w(1) | w(4), w(1), "", 4, 0, 0x7138); /* the first warp decides */
  issues(w(1), w(1), "1", 1, 0, 0x7138);
}

/* The page, try by try. */
static struct alloc_out by_the_page(const struct alloc_in *in, struct alloc_state *next) {
  unsigned order[3 * 32], n = 0;
  const unsigned nw = (unsigned)s.size.NumWarps, nc = (unsigned)s.size.NumCollectors, policy = (unsigned)s.size.Policy;
  int own[32];
  for (unsigned v = 0; v < nw; v++) {
    own[v] = policy == 2 ? (int)v : -1;
    for (unsigned c = 0; c < nc && policy == 1; c++)
      if (in->owner_valid_i >> c & 1 && in->owner_warp_i[c] == v) own[v] = (int)c;
  }
  order[n++] = (unsigned)s.r.last_warp_q;
  for (unsigned group = 0; group < 2; group++)
    for (unsigned k = 0; k < nw; k++) {
      const unsigned v = in->age_warp_i[k];
      const bool data = own[v] >= 0 && (in->cached_i | in->busy_i) >> own[v] & 1;
      if (data == !group) order[n++] = v;
    }
  *next = s.r;
  for (unsigned i = 0; i < n; i++) {
    const unsigned v = order[i];
    struct alloc_out out = {.issue_valid_o = 1, .issue_warp_o = v};
    unsigned list[8], m = 0;
    if (!(in->warp_ready_i >> v & 1) || (i && v == order[0])) continue;
    next->last_warp_q = v;
    if (in->warp_direct_i >> v & 1) {
      out.issue_direct_o = 1;
      return out;
    }
    if (own[v] >= 0) {
      out.issue_collector_o = (uint64_t)own[v];
      if (!(in->busy_i >> own[v] & 1)) return out;
      next->last_warp_q = s.r.last_warp_q;
      if (s.size.Pass) continue;
      return (struct alloc_out){0};
    }
    for (unsigned c = 0; c < nc; c++)
      if (!(in->busy_i >> c & 1) && policy == 1 && !(in->cached_near_i >> c & 1)) list[m++] = c;
    const bool far = m > 0;
    for (unsigned c = 0; c < nc && !far; c++)
      if (!(in->busy_i >> c & 1)) list[m++] = c;
    if (!m || (policy == 1 && !far && s.r.waited_q < in->threshold_i)) {
      next->last_warp_q = s.r.last_warp_q;
      next->waited_q += m > 0;
      return (struct alloc_out){.issue_wait_o = m > 0};
    }
    out.issue_collector_o = list[pick_below(s.r.random_q, in->seed_i, m)];
    next->random_q = pick_next(s.r.random_q, in->seed_i);
    if (policy == 1 && !far) next->waited_q = 0;
    return out;
  }
  return (struct alloc_out){0};
}

static void shuffle(unsigned *v, unsigned n) {
  for (unsigned i = 0; i < n; i++) v[i] = i;
  for (unsigned i = n; i > 1; i--) {
    const unsigned j = rnd(i), t = v[i - 1];
    v[i - 1] = v[j], v[j] = t;
  }
}

static void random_issue(uint64_t warps, uint64_t units, uint64_t policy, uint64_t pass) {
  unsigned age[32], owner[32];
  scheduler(warps, units, policy, pass);
  look.seed_i = rnd(1 << 16);
  const unsigned busy = rnd(100), ready = rnd(100), most = rnd(64);
  for (unsigned t = 0; t < 300; t++) {
    if (!t || chance(5)) shuffle(age, (unsigned)warps), by_age(age);
    shuffle(owner, (unsigned)warps);
    for (unsigned c = 0; c < units; c++) {
      const char *flags[] = {"", "a", "an"};
      char text[8];
      sprintf(text, "%s%s", chance(busy) ? "b" : "", flags[rnd(3)]);
      unit(c, chance(70) ? (int)owner[c] : -1, text);
    }
    look.threshold_i = most ? rnd(most) : 0;
    look.warp_ready_i = look.warp_direct_i = 0;
    for (unsigned v = 0; v < warps; v++)
      look.warp_ready_i |= (uint64_t)chance(ready) << v, look.warp_direct_i |= (uint64_t)chance(20) << v;
    struct alloc_state next;
    const struct alloc_out want = by_the_page(&look, &next), out = alloc_now(&s, &look);
    assert_memory_equal(&out, &want, sizeof out);
    alloc_tick(&s, &look);
    assert_memory_equal(&s.r, &next, sizeof next);
  }
}

static void issues_by_the_page(void **state) {
  (void)state;
  for (unsigned n = 0; n < 300; n++) {
    seed = n;
    for (unsigned pass = 0; pass < 2; pass++) {
      random_issue(8, 2u << n % 3, 1, pass);
      random_issue(8, 8, 2, pass);
    }
    random_issue(8, 2u << n % 3, 3, 1);
    random_issue(32, 8, 1 + 2 * (n & 1), 1);
  }
}

/* ---- sthld ---- */
static struct sthld h;

static void controller(uint64_t moved) {
  struct sthld_params size = sthld_defaults();
  size.Moved = moved;
  sthld_reset(&h);
  sthld_size(&h, &size);
  assert_true(h.r.state_q == STHLD_START && !h.r.threshold_q);
}
static void at(uint64_t st, uint64_t sth, bool moved) {
  assert_int_equal(sthld_now(&h, &(struct sthld_in){0}).threshold_o, sth);
  assert_true(h.r.state_q == st && h.r.threshold_q == sth && h.r.moved_q == moved);
}
static struct sthld_in port; /* its table */
static void interval(uint64_t instructions) {
  struct sthld_in in = port;
  sthld_tick(&h, &in); /* no tick */
  in.tick_i = 1, in.instructions_i = instructions;
  sthld_skips(&h, &port);
  sthld_tick(&h, &in);
  assert_int_equal(h.r.last_instructions_q, instructions);
}

/* The built-in table, as the page lists its bits. */
static const unsigned ROWS[STHLD_ROWS] = {0x241, 0x241, 0x641, 0x361, 0x241, 0x48f,
                                          0x5b1, 0x48f, 0x6c0, 0x6c0, 0x6c0, 0x361};
static void on_port(const unsigned *rows) {
  port = (struct sthld_in){.table_valid_i = rows != NULL};
  for (unsigned r = 0; rows && r < STHLD_ROWS; r++) port.table_i[r] = (uint16_t)rows[r];
}

/* Instructions of an interval at threshold t: flat up to k, 5 % less for each step behind it. */
static uint64_t curve(uint64_t t, uint64_t k) {
  uint64_t ipc = 1000000;
  for (; t > k; t--) ipc = ipc * 95 / 100;
  return ipc;
}

/* Where 200 intervals end; before: the thresholds that it takes. */
static uint64_t settles(uint64_t moved, uint64_t k, uint64_t taken[200]) {
  controller(moved);
  for (unsigned n = 0; n < 200; n++) interval(curve(taken[n] = h.r.threshold_q, k));
  assert_int_equal(h.r.state_q, STHLD_HOLD);
  return h.r.threshold_q;
}

static void settles_at_the_knee(void **state) {
  (void)state;
  uint64_t taken[200];
  for (unsigned on = 0; on < 2; on++) { /* the built-in table, and the same on the port */
    on_port(on ? ROWS : NULL);
    for (unsigned k = 0; k < 62; k++) {
      assert_int_equal(settles(1, k, taken), k);
      for (unsigned n = 0; n <= k; n++) assert_int_equal(taken[n], n);
      const uint64_t walk[] = {k + 1, k + 2, k + 1, k, k ? k - 1 : 0, k};
      for (unsigned n = 0; n < 6; n++) assert_int_equal(taken[k + 1 + n], walk[n]);
      assert_int_equal(settles(0, k, taken), k ? k : 1); /* without `mv` it stays at 1 */
    }
    assert_int_equal(settles(1, 63, taken), 63);
    assert_int_equal(settles(0, 63, taken), 63);
  }
  on_port(NULL);
}

static void steps(void **state) {
  (void)state;
  controller(1);
  interval(1000);
  at(STHLD_FLAT, 1, true);
  interval(1020); /* 0.02 is small */
  at(STHLD_FLAT, 2, true);
  interval(1041); /* 50 * 21 > 1020 */
  at(STHLD_GUESS, 3, true);
  interval(1041);
  at(STHLD_FLAT, 4, true); /* it was right */
  interval(1019);          /* 50 * 22 > 1041 */
  at(STHLD_GUESS, 5, true);
  interval(900);
  at(STHLD_STEEP, 4, true);
  interval(918);
  at(STHLD_SETTLE, 5, true); /* 18 of 900 */
  interval(0);
  at(STHLD_HOLD, 5, false);
  interval(0); /* 0 of 0 is small */
  at(STHLD_HOLD, 5, false);
  interval(UINT32_MAX); /* 38 bits */
  at(STHLD_GUESS, 6, true);
  interval(UINT32_MAX - 85899345); /* 50 * 85899345 = 4294967250, less than 2^32 - 1 */
  at(STHLD_FLAT, 7, true);
  interval(0);
  at(STHLD_GUESS, 8, true);
  interval(5);
  at(STHLD_STEEP, 7, true);
  for (unsigned n = 7; n; n--) interval(n % 2 ? 1 : 9), at(STHLD_STEEP, n - 1, true);
  interval(9);
  at(STHLD_STEEP, 0, false); /* at the end */
  interval(9);
  at(STHLD_SETTLE, 0, false); /* not moved: no step */

  controller(0);
  h.r.state_q = STHLD_STEEP;
  interval(0);
  at(STHLD_SETTLE, 1, true);

  for (unsigned large = 0; large < 2; large++) { /* from 63: `top` */
    controller(1);
    for (unsigned n = 0; n < 63; n++) interval(1000);
    at(STHLD_FLAT, 63, true);
    interval(large ? 2000 : 1000);
    at(large ? STHLD_GUESS : STHLD_HOLD, 63, false);
  }
}

static void other_tables(void **state) {
  (void)state;
  unsigned rows[STHLD_ROWS];
  for (unsigned r = 0; r < STHLD_ROWS; r++) rows[r] = 7 | 1 << 5 | 6 << 8; /* +7, state 1; from 63 hold */
  rows[0] = rows[1] = 7 | 3 << 5 | 5 << 8;
  rows[4] = 7 | 1 << 5 | 5 << 8;
  rows[9] = 8 | 2 << 5 | 1 << 8;          /* settle, L: -8 to flat */
  rows[2] = 8 | 2 << 5 | 1 << 8;          /* flat, S: -8 */
  rows[3] = 8 | 1 << 4 | 6 << 5 | 1 << 8; /* flat, L: -8 if moved, to hold */
  on_port(rows);
  controller(1);
  interval(1000);
  at(STHLD_GUESS, 7, true);
  for (unsigned n = 2; n <= 9; n++) interval(1000), at(n % 2 ? STHLD_GUESS : STHLD_START, n < 9 ? 7 * n : 63, true);
  interval(1000); /* from 63: row 4's top */
  at(STHLD_SETTLE, 63, false);
  interval(2000); /* from 63 again */
  at(STHLD_START, 55, true);
  on_port(NULL); /* the port counts in a tick only: the built-in table */
  interval(2000);
  at(STHLD_FLAT, 56, true);
  on_port(rows);
  for (unsigned n = 56; n; n -= 8) interval(2000), at(STHLD_FLAT, n - 8, true);
  interval(2000);
  at(STHLD_FLAT, 0, false);
  interval(1000);
  at(STHLD_HOLD, 0, false);
  on_port(NULL);
}

/* ---- the rules: even ones are broken ---- */
static void rule(uint32_t n) {
  unsigned rows[STHLD_ROWS];
  memcpy(rows, ROWS, sizeof rows);
  arbiter(2, 2, 2);
  scheduler(8, 2, n == 5 ? 3 : 1, 1);
  by_age(AGE);
  controller(1);
  struct rarb_in in = rq(1, "0:1>1@0 1:2>2@0");
  switch (n) {
    case 0:
    case 1:
      rarb_tick(&a, &in);
      in.request_collector_i = n ? 0 : 1;
      rarb_tick(&a, &in);
      break;
    case 2:
    case 3:
      look.age_warp_i[7] = 4; /* 4 twice, no 7 */
      look.warp_ready_i = n == 2 ? 1 : 0;
      alloc_tick(&s, &look);
      break;
    case 4:
    case 5:
      unit(0, 6, ""), unit(1, 6, "");
      look.warp_ready_i = 1;
      alloc_tick(&s, &look);
      break;
    case 6:
    case 7:
      rows[11] = n == 6 ? 7 << 5 | 1 << 8 : 6 << 5 | 1 << 8;
      on_port(rows);
      interval(1);
      break;
    case 8:
    default:
      rows[5] = n == 8 ? 1 << 5 : 1 << 5 | 1 << 8;
      on_port(rows);
      interval(1);
  }
}
static void rules(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 10; n++) assert_int_equal(asserts(rule, n), n % 2 == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arbitrates),
                                     cmocka_unit_test(writes_first),
                                     cmocka_unit_test(queues),
                                     cmocka_unit_test(filters),
                                     cmocka_unit_test(allocates),
                                     cmocka_unit_test(other_policies),
                                     cmocka_unit_test(issues_by_the_page),
                                     cmocka_unit_test(settles_at_the_knee),
                                     cmocka_unit_test(steps),
                                     cmocka_unit_test(other_tables),
                                     cmocka_unit_test(rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

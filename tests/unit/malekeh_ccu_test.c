/* SPDX-License-Identifier: Apache-2.0 */
/* Malekeh's ccu: the golden model against cases worked by hand from docs/blocks/malekeh/ccu.md, and random traffic with banks. */
#include "unit/finereg_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include "blocks/malekeh/ccu.h"

NOW(ccu)
SKIPS(ccu)

enum { ALL_LANES = -1, SEED = 0xACE1, SLOTS = ccu_NumSlots };
static const struct ccu_params NEAR = {
    .NumEntries = 8, .NumWarps = 8, .NumResults = 2, .Cache = 1, .Near = 1, .Filter = 1, .NumSlots = SLOTS};
static struct ccu c;
static uint64_t bit(unsigned n) { return 1ull << n; }

static void unit(struct ccu_params p) {
  ccu_reset(&c);
  ccu_size(&c, &p);
}

/* ---- state as text ---- */

/* The cache table: of each entry its register, near or far, * for locked. */
static const char *table(void) {
  static char text[100];
  char *t = text;
  for (unsigned e = 0; e < c.size.NumEntries; e++) {
    if (e) *t++ = ' ';
    if (!(c.r.valid_q >> e & 1)) *t++ = '-';
    else t += sprintf(t, "%u%c%s", c.r.tag_q[e], c.r.near_q >> e & 1 ? 'n' : 'f', c.r.locked_q >> e & 1 ? "*" : "");
  }
  *t = 0;
  return text;
}

/* The operand slots: of each its entry, ? while its value is not here. */
static const char *slots(void) {
  static char text[40];
  char *t = text;
  for (unsigned k = 0; k < SLOTS; k++) {
    if (k) *t++ = ' ';
    if (!(c.r.source_q >> k & 1)) *t++ = '.';
    else t += sprintf(t, "%u%s", c.r.slot_entry_q[k], c.r.ready_q >> k & 1 ? "" : "?");
  }
  *t = 0;
  return text;
}

/* The entries, the newest first. */
static const char *order(void) {
  static char text[20];
  const unsigned n = (unsigned)c.size.NumEntries;
  unsigned rank[8] = {0};
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i + 1; j < n; j++) rank[c.r.newer_q >> (i * (2 * n - i - 1) / 2 + j - i - 1) & 1 ? j : i]++;
  memset(text, 0, sizeof text);
  for (unsigned e = 0; e < n; e++) text[rank[e]] = (char)('0' + e);
  return text;
}

static void is(const char *entries, const char *operands, const char *uses, uint64_t lfsr) {
  assert_string_equal(table(), entries);
  assert_string_equal(slots(), operands);
  assert_string_equal(order(), uses);
  assert_int_equal(c.r.random_q, lfsr);
}

/* ---- cycles ---- */
static uint64_t seed_port = SEED;

static void cycle(struct ccu_in in) {
  const struct ccu_in quiet = {0};
  in.seed_i = seed_port;
  (void)ccu_now(&c, &in);
  ccu_skips(&c, &quiet);
  ccu_tick(&c, &in);
}
static struct ccu_out shown(void) { return ccu_now(&c, &(struct ccu_in){0}); }

/* The sources of an instruction, slot by slot: "5n . 6f" are register 5, near, in slot 0 and register 6, far, in slot 2. */
static struct ccu_in with_al(struct ccu_in in, unsigned w, unsigned meta, const char *sources) {
  in.allocate_valid_i = 1, in.allocate_warp_i = w, in.allocate_meta_i = meta;
  for (unsigned k = 0; *sources; k++) {
    char *end = NULL;
    const unsigned long r = strtoul(sources, &end, 10);
    if (end != sources) {
      in.allocate_source_i |= bit(k);
      in.allocate_register_i[k] = (uint8_t)r;
      in.allocate_near_i |= (uint64_t)(*end == 'n') << k;
    }
    for (sources = end + 1; *sources == ' ';) sources++;
  }
  return in;
}
static void al(unsigned w, unsigned meta, const char *sources) { cycle(with_al((struct ccu_in){0}, w, meta, sources)); }

static uint32_t word(unsigned value, unsigned lane) { return value << 8 | lane; }
static void fill(uint32_t d[32], unsigned value) {
  for (unsigned l = 0; l < 32; l++) d[l] = word(value, l);
}
static void holds(const uint32_t *d, unsigned value) {
  for (unsigned l = 0; l < 32; l++) assert_int_equal(d[l], value ? word(value, l) : 0);
}

static void s(unsigned entry, unsigned value) {
  struct ccu_in in = {.operand_valid_i = 1, .operand_entry_i = entry};
  fill(in.operand_data_i, value);
  cycle(in);
}
static struct ccu_in result(unsigned w, unsigned r, bool near, uint32_t lanes, unsigned value) {
  struct ccu_in in = {
      .cache_valid_i = 1, .cache_warp_i = w, .cache_register_i = r, .cache_near_i = near, .cache_lanes_i = lanes};
  fill(in.cache_data_i, value);
  return in;
}
static void d(unsigned w, unsigned r, bool near, uint32_t lanes, unsigned value) {
  cycle(result(w, r, near, lanes, value));
}
static struct ccu_in with_sn(struct ccu_in in, unsigned lane, unsigned w, unsigned r) {
  in.snoop_valid_i |= bit(lane);
  in.snoop_warp_i[lane] = (uint8_t)w;
  in.snoop_register_i[lane] = (uint8_t)r;
  return in;
}
static void take(void) { cycle((struct ccu_in){.dispatch_take_i = 1}); }

/* The requests shown: slot:register>entry. */
static void requests(const char *want) {
  const struct ccu_out out = shown();
  char text[100] = "", *t = text;
  for (unsigned k = 0; k < SLOTS; k++) {
    const unsigned r = out.request_register_o[k], entry = out.request_entry_o[k];
    if (out.request_valid_o >> k & 1) t += sprintf(t, "%s%u:%u>%u", t == text ? "" : " ", k, r, entry);
    else assert_true(!r && !entry);
  }
  assert_string_equal(text, want);
  assert_int_equal(ccu_idle(&c), want[0] ? 0 : UINT64_MAX);
}

/* Dispatch offers this instruction with these values, by slot; 0: no operand. */
static void offers(unsigned meta, const unsigned value[SLOTS]) {
  const struct ccu_out out = shown();
  assert_true(out.dispatch_valid_o && out.dispatch_meta_o == meta);
  for (unsigned k = 0; k < SLOTS; k++) holds(out.dispatch_data_o[k], value[k]);
}
static void offers_none(void) {
  const struct ccu_out out = shown();
  assert_true(!out.dispatch_valid_o && !out.dispatch_meta_o);
  for (unsigned k = 0; k < SLOTS; k++) holds(out.dispatch_data_o[k], 0);
}
static void unit_is(bool owned, unsigned owner, bool busy, bool any, bool near) {
  const struct ccu_out out = shown();
  assert_true(out.owner_valid_o == owned && out.owner_warp_o == owner && out.busy_o == busy);
  assert_true(out.cached_o == any && out.cached_near_o == near);
}

/* What the banks have still to bring; then dispatch. */
static void finish(void) {
  for (unsigned e = 0; e < 8; e++) {
    bool waits = false;
    for (unsigned k = 0; k < SLOTS; k++) waits |= (c.r.source_q & ~c.r.ready_q) >> k & 1 && c.r.slot_entry_q[k] == e;
    if (waits) s(e, 100 + e);
  }
  take();
}

/* ---- cases by hand ---- */

static void gathers(void **state) {
  (void)state;
  unit(NEAR);
  is("- - - - - - - -", ". . . . . .", "01234567", 0);
  unit_is(false, 0, false, false, false);
  al(3, 0xbeef, "5n 6f 5f . 7n");
  is("5f* 6f* 7n* - - - - -", "0? 1? 0? . 2? .", "20134567", 0); /* of 5 the second slot decides */
  requests("0:5>0 1:6>1 4:7>2");
  unit_is(true, 3, true, true, true);
  s(0, 50); /* in the cycle of the request */
  is("5f* 6f* 7n* - - - - -", "0 1? 0 . 2? .", "20134567", 0);
  requests("");
  s(2, 70);
  offers_none();
  s(1, 60);
  for (int n = 0; n < 3; n++) {
    offers(0xbeef, (const unsigned[]){50, 60, 50, 0, 70, 0});
    cycle((struct ccu_in){0});
  }
  take();
  is("5f 6f 7n - - - - -", ". . . . . .", "20134567", 0);
  assert_memory_equal(c.r.slot_entry_q, ((uint8_t[SLOTS]){0, 1, 0, 0, 2}), SLOTS); /* stays */
  unit_is(true, 3, false, true, true);
  offers_none();

  al(3, 1, "6n 9f 9n 5f . 8n"); /* two hits, two misses, one of them of two slots */
  is("5f* 6n* 7n 9n* 8n* - - -", "1 3? 3? 0 . 4?", "40312567", 0);
  requests("1:9>3 5:8>4");
  s(3, 90);
  s(4, 80);
  offers(1, (const unsigned[]){60, 90, 90, 50, 0, 80});
  take();
  al(3, 2, ""); /* no source */
  is("5f 6n 7n 9n 8n - - -", ". . . . . .", "40312567", 0);
  requests("");
  offers(2, (const unsigned[SLOTS]){0});
  take();
  al(5, 3, "8f 5f"); /* another warp: the same registers miss */
  is("8f* 5f* - - - - - -", "0? 1? . . . .", "10432567", 0);
  unit_is(true, 5, true, true, false);
  assert_int_equal(c.r.near_q, 0);
}

static void takes_results(void **state) {
  (void)state;
  unit(NEAR);
  d(0, 1, true, ALL_LANES, 1); /* no owner; its number is 0 */
  cycle(with_sn((struct ccu_in){0}, 0, 0, 0));
  is("- - - - - - - -", ". . . . . .", "01234567", 0);
  al(3, 0, "5f 6n 7n 9n 8n");
  finish();
  is("5f 6n 7n 9n 8n - - -", ". . . . . .", "43210567", 0);
  d(2, 5, true, ALL_LANES, 9); /* another warp's */
  d(3, 10, false, ALL_LANES, 9);
  d(3, 10, true, 0x7fffffff, 9); /* a miss of some lanes */
  cycle(with_sn(with_sn((struct ccu_in){0}, 0, 2, 6), 1, 3, 200));
  cycle((struct ccu_in){.exit_warps_i = 0xf7});
  is("5f 6n 7n 9n 8n - - -", ". . . . . .", "43210567", 0);
  d(3, 5, true, 0xffff, 9); /* a hit: some lanes */
  is("5n 6n 7n 9n 8n - - -", ". . . . . .", "04321567", 0);
  for (unsigned l = 0; l < 32; l++) assert_int_equal(c.data[0][l], word(l < 16 ? 9 : 100, l));
  d(3, 10, true, ALL_LANES, 11);
  is("5n 6n 7n 9n 8n 10n - -", ". . . . . .", "50432167", 0);
  holds(c.data[5], 11);
  d(3, 5, false, ALL_LANES, 12); /* a hit of a far one is taken, too */
  is("5f 6n 7n 9n 8n 10n - -", ". . . . . .", "05432167", 0);
  holds(c.data[0], 12);
  d(3, 7, false, 0, 13); /* no lane: a use */
  is("5f 6n 7f 9n 8n 10n - -", ". . . . . .", "20543167", 0);
  holds(c.data[2], 102);
  cycle(with_sn(with_sn((struct ccu_in){0}, 1, 3, 9), 0, 2, 6));
  is("5f 6n 7f - 8n 10n - -", ". . . . . .", "20543167", 0);
  assert_int_equal(c.r.near_q >> 3 & 1, 1);                                      /* stays */
  cycle(with_sn(with_sn(result(3, 11, true, ALL_LANES, 14), 0, 3, 8), 1, 3, 6)); /* D first, into entry 3 */
  is("5f - 7f 11n - 10n - -", ". . . . . .", "32054167", 0);

  /* D, then the allocation: it hits. */
  cycle(with_al(result(3, 12, true, ALL_LANES, 15), 3, 4, "12f 13n"));
  is("5f 12f* 7f 11n 13n* 10n - -", "1 4? . . . .", "41320567", 0);
  requests("1:13>4");
  s(4, 16);
  offers(4, (const unsigned[]){15, 16, 0, 0, 0, 0});
  /* A snoop, dispatch and the end of the CTA. */
  struct ccu_in in = {.dispatch_take_i = 1, .exit_warps_i = 8};
  cycle(with_sn(in, 0, 3, 5));
  is("- - - - - - - -", ". . . . . .", "41320567", 0);
  assert_int_equal(c.r.near_q, 0);
  assert_memory_equal(c.r.tag_q, ((uint8_t[8]){5, 12, 7, 11, 13, 10}), 8);
  unit_is(false, 0, false, false, false);
  d(3, 5, true, ALL_LANES, 17); /* nobody's */
  al(3, 5, "12n");              /* the number of the warp is used again */
  is("12n* - - - - - - -", "0? . . . . .", "04132567", 0);
  finish();
  in = (struct ccu_in){.exit_warps_i = 8}; /* the end, and the next one's first instruction */
  cycle(with_al(in, 3, 6, "12f 1n"));
  is("12f* 1n* - - - - - -", "0? 1? . . . .", "10432567", 0);
}

static void full(const char *six, const char *two) {
  al(1, 0, six);
  finish();
  al(1, 0, two);
  finish();
}

static void replaces(void **state) {
  (void)state;
  unit(NEAR);
  full("1n 2f 3n 4f 5f 6n", "7f 8f");
  is("1n 2f 3n 4f 5f 6n 7f 8f", ". . . . . .", "76543210", 0);
  /* Far are entries 1, 3, 4, 6, 7: pick(5) of 0xACE1 is 3. Entry 0, far from now on, is locked. */
  al(1, 1, "9n 1f 10n 11n");
  is("1f* 11n* 3n 4f 5f 6n 9n* 10n*", "6? 0 7? 1? . .", "17065432", 0xE270);
  requests("0:9>6 2:10>7 3:11>1");
  finish();
  /* Far are 0, 3, 4: pick(3) of 0xE270 is 2; then the near ones, least recently used first. */
  al(1, 2, "20n 21n 22n 23n 24f 25n");
  is("21n* 11n 23n* 22n* 20n* 24f* 25n* 10n", "4? 0? 3? 2? 5? 6?", "65230417", 0x7138);
  d(1, 30, true, ALL_LANES, 9); /* the far one is locked: no pick */
  is("21n* 11n 23n* 22n* 20n* 24f* 25n* 30n", "4? 0? 3? 2? 5? 6?", "76523041", 0x7138);
  d(1, 31, true, ALL_LANES, 9);
  d(1, 31, false, ALL_LANES, 9);
  is("21n* 31f 23n* 22n* 20n* 24f* 25n* 30n", "4? 0? 3? 2? 5? 6?", "17652304", 0x7138);
  d(1, 32, true, ALL_LANES, 9); /* one to choose from: a pick */
  is("21n* 32n 23n* 22n* 20n* 24f* 25n* 30n", "4? 0? 3? 2? 5? 6?", "17652304", 0x389C);
  finish();
  cycle(with_sn((struct ccu_in){0}, 0, 1, 20));
  al(1, 3, "40f"); /* an empty entry is enough: no pick, although 5 is far */
  is("21n 32n 23n 22n 40f* 24f 25n 30n", "4? . . . . .", "41765230", 0x389C);
  finish();
  al(1, 4, "41f 24n"); /* 5 is locked; pick(1) */
  is("21n 32n 23n 22n 41f* 24n* 25n 30n", "4? 5 . . . .", "54176230", 0x1C4E);
  finish();
  cycle(with_sn((struct ccu_in){0}, 1, 1, 32));
  al(1, 5, "50f 51f 52f"); /* empty, far, near */
  is("52f* 50f* 23n 22n 51f* 24n 25n 30n", "1? 4? 0? . . .", "04157623", 0x0E27);

  /* Other seeds: 0xBFB6 picks 5 of 8, too; 0 is 0xACE1. The filter is off: a far result enters. */
  struct ccu_params p = NEAR;
  p.Filter = 0;
  for (unsigned i = 0; i < 2; i++) {
    seed_port = i ? 0 : 0xBFB6;
    unit(p);
    full("1f 2f 3f 4f 5f 6f", "7f 8f");
    d(1, 60, false, ALL_LANES, 9);
    is("1f 2f 3f 4f 5f 60f 7f 8f", ". . . . . .", "57643210", i ? 0xE270 : 0x5FDB);
  }
  seed_port = SEED;
}

static void least_recently_used(void **state) {
  (void)state;
  struct ccu_params p = NEAR;
  p.Near = p.Filter = 0;
  unit(p);
  full("1n 2f 3n 4f 5f 6n", "7f 8f");
  al(1, 1, "2n 9f");
  is("9f* 2n* 3n 4f 5f 6n 7f 8f", "1 0? . . . .", "01765432", 0);
  d(1, 10, false, ALL_LANES, 9);
  is("9f* 2n* 10f 4f 5f 6n 7f 8f", "1 0? . . . .", "20176543", 0);
  d(1, 11, true, 1, 9); /* some lanes: no */
  d(1, 10, true, 1, 9);
  is("9f* 2n* 10n 4f 5f 6n 7f 8f", "1 0? . . . .", "20176543", 0);

  p.Filter = p.Near = 1;
  p.NumEntries = 6;
  unit(p);
  al(1, 1, "1f 2f 3f 4f 5f 6f");
  is("1f* 2f* 3f* 4f* 5f* 6f*", "0? 1? 2? 3? 4? 5?", "543210", 0);
  d(1, 7, true, ALL_LANES, 9); /* all are locked: no victim, no pick */
  is("1f* 2f* 3f* 4f* 5f* 6f*", "0? 1? 2? 3? 4? 5?", "543210", 0);
}

static void plain(void **state) {
  (void)state;
  unit((struct ccu_params){.NumEntries = 6, .NumWarps = 8, .NumResults = 2, .NumSlots = SLOTS});
  for (unsigned n = 0; n < 2; n++) { /* nothing stays behind */
    al(3, 7 + n, "5n 6f 5f . 7n");
    is("- - - - - -", "0? 1? 2? . 4? .", "012345", 0);
    requests("0:5>0 1:6>1 2:5>2 4:7>4");
    unit_is(true, 3, true, false, false);
    s(2, 52);
    d(3, 5, true, ALL_LANES, 9);
    cycle(with_sn((struct ccu_in){0}, 0, 3, 6));
    s(0, 50);
    s(4, 70);
    offers_none();
    s(1, 60);
    is("- - - - - -", "0 1 2 . 4 .", "012345", 0);
    offers(7 + n, (const unsigned[]){50, 60, 52, 0, 70, 0});
    take();
  }
  al(3, 9, ". 8n");
  is("- - - - - -", ". 1? . . . .", "012345", 0);
  s(1, 80);
  cycle((struct ccu_in){.dispatch_take_i = 1, .exit_warps_i = 8});
  unit_is(false, 0, false, false, false);
  assert_true(!c.r.valid_q && !c.r.near_q && !c.r.locked_q);
}

/* ---- the rules: even ones are broken, each followed by what is just allowed ---- */
static void rule(uint32_t n) {
  struct ccu_in in = {0};
  unit(NEAR);
  al(3, 0, "5n 6n");
  s(0, 1);
  if (n >= 4) s(1, 1);
  switch (n) {
    case 0: al(3, 0, ""); break;
    case 1: s(1, 1); break;
    case 2: s(0, 1); break; /* its value is here */
    case 3: d(3, 7, true, ALL_LANES, 1); break;
    case 4: d(3, 5, true, ALL_LANES, 1); break; /* locked */
    case 5: d(2, 5, true, ALL_LANES, 1); break;
    case 6: /* locked until the end of this cycle */
      in.dispatch_take_i = 1;
      cycle(with_sn(in, 1, 3, 6));
      break;
    case 7:
      take();
      cycle(with_sn(in, 1, 3, 6));
      break;
    case 8: cycle((struct ccu_in){.exit_warps_i = 8}); break;
    case 9: cycle((struct ccu_in){.exit_warps_i = 8, .dispatch_take_i = 1}); break;
    case 10: cycle(with_sn(with_sn(in, 0, 2, 9), 1, 2, 9)); break; /* twice, another warp's */
    case 11: cycle(with_sn(with_sn(in, 0, 2, 9), 1, 1, 9)); break;
    case 12: cycle(with_sn(result(3, 9, true, ALL_LANES, 1), 1, 3, 9)); break;
    case 13: cycle(with_sn(result(3, 9, true, ALL_LANES, 1), 1, 3, 8)); break;
    case 14: take(), take(); break;
    case 15: take(), al(4, 0, "1f"); break;
    default: cycle((struct ccu_in){.operand_valid_i = 1, .operand_entry_i = 5}); /* nobody's entry */
  }
}
static void rules(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 17; n++) assert_int_equal(asserts(rule, n), n % 2 == 0);
}

/* ---- no stale value ---- */

enum { REGISTERS = 12, WARPS = 32 };
static uint32_t bank[WARPS][REGISTERS][32];
static struct ccu ghost; /* without values */
static unsigned compared, hits, merges;

static uint32_t rnd32(void) { return (uint32_t)(rng_next(&seed) >> 32); }
static void anything(uint32_t v[32]) {
  for (unsigned l = 0; l < 32; l++) v[l] = rnd32();
}

/* The driver's own view of the instruction: its registers, which of its entries wait, what S brought. */
static struct {
  uint64_t registers;
  unsigned waiting, entry[SLOTS], slot[SLOTS], r[SLOTS];
  uint32_t came[SLOTS][32];
} now;

static void add_operand(struct ccu_in *in, const struct ccu_out *out) {
  for (uint64_t m = out->request_valid_o; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m), i = now.waiting++;
    now.slot[i] = k, now.entry[i] = out->request_entry_o[k], now.r[i] = out->request_register_o[k];
  }
  if (!now.waiting || chance(40)) return;
  const unsigned i = rnd(now.waiting), last = --now.waiting;
  in->operand_valid_i = 1, in->operand_entry_i = now.entry[i];
  memcpy(in->operand_data_i, bank[c.owner][now.r[i]], sizeof in->operand_data_i);
  memcpy(now.came[now.slot[i]], in->operand_data_i, sizeof in->operand_data_i);
  now.slot[i] = now.slot[last], now.entry[i] = now.entry[last], now.r[i] = now.r[last];
}

/* Results are written to the banks. Those of the owner come as D or as snoops; of others it does not matter. */
static void add_results(struct ccu_in *in, const struct ccu_out *out) {
  uint64_t written[WARPS] = {0};
  for (unsigned l = 0; l < c.size.NumResults; l++) {
    const unsigned w = chance(60) ? (unsigned)c.owner : rnd((uint32_t)c.size.NumWarps), r = rnd(REGISTERS);
    const bool owned = out->owner_valid_o && w == out->owner_warp_o,
               locked = owned && out->busy_o && now.registers >> r & 1;
    if (chance(60) || written[w] >> r & 1 || (locked && c.size.Cache)) continue;
    written[w] |= bit(r);
    const uint32_t lanes = chance(60) ? UINT32_MAX : rnd32() & rnd32();
    uint32_t value[32];
    anything(value);
    for (unsigned i = 0; i < 32; i++)
      if (lanes >> i & 1) bank[w][r][i] = value[i];
    if (!in->cache_valid_i && chance(50)) {
      in->cache_valid_i = 1, in->cache_warp_i = w, in->cache_register_i = r, in->cache_near_i = chance(60),
      in->cache_lanes_i = lanes;
      memcpy(in->cache_data_i, value, sizeof value);
      merges += owned && lanes != UINT32_MAX;
    } else if (owned || chance(50)) {
      in->snoop_valid_i |= bit(l);
      in->snoop_warp_i[l] = (uint8_t)w;
      in->snoop_register_i[l] = (uint8_t)r;
    }
  }
}

static void add_exits(struct ccu_in *in, const struct ccu_out *out) {
  if (!chance(5)) return;
  const unsigned w = chance(50) ? (unsigned)c.owner : rnd((uint32_t)c.size.NumWarps);
  if (out->owner_valid_o && out->owner_warp_o == w && out->busy_o && !in->dispatch_take_i) return;
  in->exit_warps_i = bit(w);
  for (unsigned r = 0; r < REGISTERS; r++) anything(bank[w][r]); /* another CTA's */
}

static void add_allocation(struct ccu_in *in, const struct ccu_out *out) {
  if (out->busy_o || chance(40)) return;
  now.registers = 0;
  in->allocate_valid_i = 1;
  in->allocate_warp_i = chance(80) ? c.owner : rnd((uint32_t)c.size.NumWarps);
  in->allocate_meta_i = rnd(1 << 16);
  in->allocate_source_i = rnd(1 << SLOTS) & (chance(50) ? 0x7 : 0x3f);
  in->allocate_near_i = rnd(1 << SLOTS);
  for (unsigned k = 0; k < SLOTS; k++) {
    const unsigned r = rnd(REGISTERS);
    in->allocate_register_i[k] = (uint8_t)r;
    if (in->allocate_source_i >> k & 1) now.registers |= bit(r);
  }
}

static void operands_are_right(const struct ccu_out *out) {
  for (unsigned k = 0; k < SLOTS; k++) {
    const uint32_t none[32] = {0}, *right = !(c.r.source_q >> k & 1) ? none : now.came[k];
    if (right != none && c.size.Cache) right = bank[c.owner][c.r.tag_q[c.r.slot_entry_q[k]]];
    assert_memory_equal(out->dispatch_data_o[k], right, 128);
  }
}

/* Every valid entry whose value is here is its bank's register. */
static void entries_are_right(void) {
  uint64_t waiting = 0;
  for (unsigned k = 0; k < SLOTS; k++)
    if ((c.r.source_q & ~c.r.ready_q) >> k & 1) waiting |= bit(c.r.slot_entry_q[k]);
  for (uint64_t m = c.r.valid_q & ~waiting; m; m &= m - 1) {
    const unsigned e = (unsigned)bit_low64(m);
    assert_memory_equal(c.data[e], bank[c.owner][c.r.tag_q[e]], 128);
    compared++;
  }
}

static void random_cycle(void) {
  static struct ccu_out out, ghost_out;
  struct ccu_in in = {.seed_i = seed_port};
  out = ccu_now(&c, &in);
  if (out.dispatch_valid_o) operands_are_right(&out);
  in.dispatch_take_i = out.dispatch_valid_o && chance(60);
  add_operand(&in, &out);
  add_results(&in, &out);
  add_exits(&in, &out);
  add_allocation(&in, &out);
  ccu_eval(&ghost, &in, &ghost_out);
  assert_memory_equal(&ghost_out, &out, offsetof(struct ccu_out, dispatch_data_o));
  ccu_skips(&c, &(struct ccu_in){0});
  ccu_tick(&c, &in);
  memset(in.operand_data_i, 0x5a, sizeof in.operand_data_i);
  memset(in.cache_data_i, 0x5a, sizeof in.cache_data_i);
  ccu_tick(&ghost, &in);
  assert_memory_equal(&ghost.r, &c.r, offsetof(struct ccu_state, control_only));
  if (in.allocate_valid_i) hits += c.r.ready_q != 0;
  entries_are_right();
}

static void no_stale_value(void **state) {
  (void)state;
  const struct ccu_params sets[] = {NEAR,
                                    {8, 8, 2, 1, 0, 1, SLOTS, 0},
                                    {8, 8, 2, 1, 1, 0, SLOTS, 0},
                                    {8, 8, 2, 1, 0, 0, SLOTS, 0},
                                    {6, 8, 2, 1, 1, 1, SLOTS, 0},
                                    {6, 8, 2, 0, 1, 1, SLOTS, 0},
                                    {6, 32, 8, 0, 1, 1, SLOTS, 0},
                                    {8, 32, 8, 1, 1, 1, SLOTS, 0}};
  for (unsigned n = 0; n < sizeof sets / sizeof *sets; n++) {
    compared = hits = merges = 0;
    for (unsigned episode = 0; episode < 40; episode++) {
      seed = 1000 * n + episode;
      seed_port = rnd(1 << 16);
      unit(sets[n]);
      ccu_reset(&ghost);
      ccu_size(&ghost, &sets[n]);
      ghost.r.control_only = 1;
      memset(&now, 0, sizeof now);
      for (unsigned t = 0; t < 500; t++) random_cycle();
    }
    assert_true(sets[n].Cache ? compared > 10000 && hits > 1000 && merges > 500 : !compared && !hits);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gathers),       cmocka_unit_test(takes_results),
                                     cmocka_unit_test(replaces),      cmocka_unit_test(least_recently_used),
                                     cmocka_unit_test(plain),         cmocka_unit_test(rules),
                                     cmocka_unit_test(no_stale_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ccu's bench, included once, after cycle(): the directed cases. */
#ifndef RT_TB_CCU_CASES_H
#define RT_TB_CCU_CASES_H

enum { ALL_SLOTS = (1 << SLOTS) - 1 };

/* ---- orders ---- */

static void begin_case(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  static const struct bias any = {.warps = WARPS, .regs = MOST_POOL};
  begin(s, t, r, &any);
}

static void restart(struct sim *s, unsigned seed) {
  tb_reset(s->t);
  oracle_reset(&s->o);
  memset(&s->before, 0, sizeof s->before);
  s->waits = 0, s->s_before = false;
  s->in.seed_i = seed;
}

/* A cycle with what has been put into s->in; the payloads stay there. */
static void turn(struct sim *s) {
  cycle(s);
  no_valids(s);
}

static void put_al(struct sim *s, unsigned w, unsigned sv, const unsigned *r, unsigned near) {
  s->in.allocate_valid_i = 1, s->in.allocate_warp_i = w, s->in.allocate_meta_i = tb_bits(s->r, 16),
  s->in.allocate_source_i = sv, s->in.allocate_near_i = near;
  for (unsigned k = 0; k < SLOTS; k++) s->in.allocate_register_i[k] = (uint8_t)(r[k] % REGS);
}

static void put_end(struct sim *s, unsigned w) { s->in.exit_warps_i |= UINT64_C(1) << w; }

/* Values come for all slots that wait, in the order of their entries from `first` on. */
static void serve(struct sim *s, unsigned first) {
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned e = (first + i) % ENTRIES;
    if (!is_awaited(&s->o, e)) continue;
    put_value(s, e);
    turn(s);
  }
}

static void finish(struct sim *s) {
  serve(s, below(s, ENTRIES));
  s->in.dispatch_take_i = 1;
  turn(s);
}

static void run(struct sim *s, unsigned w, unsigned sv, const unsigned *r, unsigned near) {
  put_al(s, w, sv, r, near);
  turn(s);
  finish(s);
}

static void span(unsigned *r, unsigned from, unsigned step) {
  for (unsigned k = 0; k < SLOTS; k++) r[k] = (from + k * step) % REGS;
}

/* A register of which there is no copy. */
static unsigned fresh(struct sim *s) {
  unsigned r = below(s, REGS);
  while (find(&s->o, r) != NO_ENTRY) r = below(s, REGS);
  return r;
}

static void result(struct sim *s, unsigned r, bool near, uint32_t lanes) {
  put_d(s, s->o.owner, r, near, lanes);
  turn(s);
}

/* The warp's registers fill the table, used in a random order; these entries are near. */
static void fill(struct sim *s, unsigned w, unsigned near) {
  unsigned r[SLOTS], order[ENTRIES];
  span(r, below(s, REGS), 1 + 2 * below(s, 20));
  run(s, (w + 1) % WARPS, 0, r, 0); /* nothing is kept */
  run(s, w, ALL_SLOTS, r, 0);
  if (!CACHE) return;
  while (ENTRIES > SLOTS && find(&s->o, r[0]) != NO_ENTRY) r[0]++, r[0] %= REGS;
  r[1] = (r[0] + 128) % REGS;
  while (find(&s->o, r[1]) != NO_ENTRY) r[1]++, r[1] %= REGS;
  run(s, w, 3, r, 0);
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned k = below(s, i + 1);
    order[i] = order[k], order[k] = i;
  }
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned e = order[i];
    result(s, s->o.entry[e].r, near >> e & 1, (uint32_t)tb_bits(s->r, 32));
  }
}

/* ---- registers, slots, lanes ---- */

/* Every register in every slot, missed, then in another slot, found; as D and as snoop. */
static void each_register(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < REGS; i++) {
    const unsigned w = i % WARPS;
    span(r, i, 1);
    run(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    put_d(&s, w, i, i % 2, (uint32_t)tb_bits(rng, 32));
    put_snoop(&s, i % LANES, w, (i + 1) % REGS, true);
    turn(&s);
    result(&s, (i + 9) % REGS, true, UINT32_MAX);
    span(r, i + 10, REGS - 2);
    run(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* Registers and warps that differ in one bit from those of the table. */
static void each_difference(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned bit = 0; bit < 8; bit++) {
    const unsigned w = below(&s, WARPS);
    fill(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned e = 0; e < ENTRIES; e++) {
      put_snoop(&s, e % LANES, w, s.o.entry[e].r ^ 1u << bit, true);
      turn(&s);
      result(&s, s.o.entry[e].r ^ 1u << bit, true, 1u << e);
    }
    for (unsigned i = 0; i < ENTRIES; i++) { /* as source of each slot */
      for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[(i + k) % ENTRIES].r ^ 1u << bit;
      run(&s, w, ALL_SLOTS >> i / 2, r, (unsigned)tb_bits(rng, SLOTS));
    }
  }
  for (unsigned bit = 0; bit < WARP_BITS; bit++) {
    const unsigned w = below(&s, WARPS), x = w ^ 1u << bit;
    fill(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned e = 0; e < ENTRIES; e++) {
      put_d(&s, x, s.o.entry[e].r, e % 2, UINT32_MAX);
      for (unsigned l = 0; l < LANES; l++) put_snoop(&s, l, x, s.o.entry[(e + 1 + l) % ENTRIES].r, l < ENTRIES - 1);
      put_end(&s, x);
      turn(&s);
    }
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[k].r;
    run(&s, w, ALL_SLOTS, r, 0);
    run(&s, x, ALL_SLOTS, r, 0);
  }
}

/* Which slots have the same register: all 203 patterns; and all 64 sets of slots. */
static void patterns(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned group[SLOTS] = {0}, r[SLOTS], of[SLOTS];
  begin_case(&s, t, rng);
  for (bool more = true; more;) {
    const bool again = chance(&s, 70);
    for (unsigned k = 0; k < SLOTS; k++) of[k] = again && chance(&s, 50) ? s.o.entry[below(&s, ENTRIES)].r : fresh(&s);
    for (unsigned k = 0; k < SLOTS; k++) r[k] = of[group[k]];
    run(&s, again ? s.o.owner : below(&s, WARPS), ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    more = false;
    for (unsigned k = SLOTS - 1; k && !more; k--) {
      unsigned most = 0;
      for (unsigned i = 0; i < k; i++) most = group[i] > most ? group[i] : most;
      more = group[k] <= most;
      group[k] = more ? group[k] + 1 : 0;
    }
  }
  for (unsigned sv = 0; sv <= ALL_SLOTS; sv++) {
    span(r, sv, 1);
    run(&s, sv / 4 % WARPS, sv, r, (unsigned)tb_bits(rng, SLOTS));
  }
  for (unsigned i = 0; i < 4; i++) { /* six of one: missed, found */
    span(r, 7 * (i / 2), 0);
    run(&s, i / 2, ALL_SLOTS, r, 9u << i & ALL_SLOTS);
  }
}

/* D writes each lane alone, and all but this one, of each entry; an instruction reads it. */
static void each_lane(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  fill(&s, 1, 0x5a);
  for (unsigned i = 0; i < 2 * WORDS; i++) {
    const unsigned e = i / 2 % ENTRIES;
    result(&s, s.o.entry[e].r, i % 3, i % 2 ? ~(1u << i / 2) : 1u << i / 2);
    if (i == WORDS) result(&s, s.o.entry[e].r, true, 0);
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[(e + k) % ENTRIES].r;
    run(&s, 1, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* Values in each order: the entry that comes first, with pauses, or beside the request; long waits for dispatch. */
static void arrivals(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < 4 * ENTRIES; i++) {
    fill(&s, 3, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = i % 2 && k % 2 ? s.o.entry[k].r : fresh(&s);
    put_al(&s, 3, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    turn(&s);
    for (unsigned e = 0; e < i % 3; e++) turn(&s);
    serve(&s, i);
    for (unsigned k = 0; k < i; k++) {
      const unsigned x = fresh(&s);
      if (k % 2) put_d(&s, 3, x, true, UINT32_MAX);
      put_snoop(&s, k % LANES, 3, (x + 1) % REGS, !is_refused(&s, 3, (x + 1) % REGS));
      turn(&s);
    }
    finish(&s);
  }
}

/* ---- snoops and exits ---- */

/* Each lane drops each entry while the other lanes name it for another warp; then all lanes drop one each. */
static void snoops(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  begin_case(&s, t, rng);
  for (unsigned l = 0; l < LANES; l++) {
    fill(&s, 2, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned i = 0; i < 2 * ENTRIES; i++) {
      const unsigned e = i % ENTRIES, r = s.o.entry[e].r;
      put_snoop(&s, l, 2, r, true);
      for (unsigned x = 0; x < LANES; x++) {
        if (x != l && i < ENTRIES) put_snoop(&s, x, (2 + WARPS - 1 - x % (WARPS - 1)) % WARPS, s.o.entry[0].r, x < 3);
      }
      turn(&s);
      if (i < ENTRIES) result(&s, r, true, UINT32_MAX); /* it enters again */
    }
    fill(&s, 2, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned x = 0; x < LANES; x++) {
      if (x < ENTRIES) put_snoop(&s, x, 2, s.o.entry[(x + l) % ENTRIES].r, true);
    }
    turn(&s);
    result(&s, fresh(&s), true, UINT32_MAX);
  }
}

/* The CTA of each warp ends: while it owns the free unit, as its last instruction leaves, while another one owns it. */
static void exits(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned w = 0; w < WARPS; w++) {
    for (unsigned kind = 0; kind < 4; kind++) {
      fill(&s, w, (unsigned)tb_bits(rng, ENTRIES));
      for (unsigned k = 0; k < SLOTS; k++) r[k] = k % 2 ? s.o.entry[k].r : fresh(&s);
      put_al(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      turn(&s);
      for (unsigned other = 0; other < WARPS; other++) {
        if (other != w) put_end(&s, other);
      }
      const unsigned x = fresh(&s);
      put_d(&s, w, x, true, UINT32_MAX);
      put_snoop(&s, 0, w, (x + 1) % REGS, !is_refused(&s, w, (x + 1) % REGS));
      for (unsigned e = 0; e < ENTRIES && !s.in.operand_valid_i; e++) {
        if (is_awaited(&s.o, e)) put_value(&s, e);
      }
      turn(&s);
      serve(&s, w);
      if (kind % 2) { /* as it leaves */
        put_end(&s, w);
        put_d(&s, w, fresh(&s), true, UINT32_MAX);
        finish(&s);
      } else {
        finish(&s);
        if (kind) {
          for (unsigned other = 0; other < WARPS; other++) put_end(&s, other);
        }
        put_end(&s, w);
        turn(&s);
      }
      put_d(&s, w, r[0], true, UINT32_MAX); /* nobody's */
      put_snoop(&s, LANES - 1, w, r[1], true);
      turn(&s);
      put_end(&s, w);
      turn(&s);
      run(&s, kind < 2 ? w : (w + kind) % WARPS, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    }
  }
}

/* ---- several events in one cycle ---- */

/* The register of the entry that D would take. */
static unsigned next_victim(const struct sim *s) {
  struct oracle o = s->o;
  struct choice c;
  choose(&o, 1, (unsigned)s->in.seed_i, &c);
  return o.entry[c.entry[0]].r;
}

static void put_results(struct sim *s, unsigned w, unsigned of_d, unsigned of_snoop, unsigned *r) {
  unsigned e = below(s, ENTRIES), x = (e + 1 + below(s, ENTRIES - 1)) % ENTRIES;
  if (of_d == 1 && !is_refused(s, w, s->o.entry[e].r)) {
    put_d(s, w, s->o.entry[e].r, chance(s, 50), (uint32_t)tb_bits(s->r, 32));
  } else if (of_d) {
    put_d(s, w, fresh(s), true, UINT32_MAX);
  }
  r[0] = of_d ? (unsigned)s->in.cache_register_i : fresh(s);
  r[1] = of_snoop == 1 ? s->o.entry[x].r : of_snoop == 2 ? next_victim(s) : fresh(s);
  if (of_snoop && !is_refused(s, w, r[1])) put_snoop(s, below(s, LANES), w, r[1], true);
}

/* D of a known register or a new one, snoop of an entry, of the one that D replaces, or of nothing, exit, allocation. */
static void together(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < 2 * 3 * 4 * 2 * 3; i++) {
    const unsigned w = below(&s, WARPS), end = i / 12 % 2, al = i / 24 % 3;
    fill(&s, w, i % 2 ? (1 << ENTRIES) - 1 : (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[k].r;
    put_results(&s, w, i % 3, i / 3 % 4, r);
    if (end) put_end(&s, w);
    if (al < 2) put_al(&s, al ? (w + 1) % WARPS : w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    turn(&s);
    if (al == 2) {
      run(&s, w, ALL_SLOTS, r, 0);
    } else {
      finish(&s);
    }
  }
}

/* The same as an instruction leaves, or while it waits. */
static void together_busy(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < 2 * 3 * 4 * 2 * 3; i++) {
    const unsigned w = below(&s, WARPS), end = i / 12 % 2, how = i / 24 % 3;
    fill(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = k % 3 ? s.o.entry[k].r : fresh(&s);
    put_al(&s, w, (unsigned)tb_bits(rng, SLOTS) | how, r, (unsigned)tb_bits(rng, SLOTS));
    turn(&s);
    if (how < 2) serve(&s, i);
    put_results(&s, w, i % 3, i / 3 % 4, r);
    s.in.dispatch_take_i = is_complete(&s.o);
    if (s.in.dispatch_take_i && end) put_end(&s, w);
    for (unsigned e = 0; e < ENTRIES && !s.in.operand_valid_i; e++) {
      if (is_awaited(&s.o, e)) put_value(&s, e);
    }
    turn(&s);
    if (s.o.busy) finish(&s);
    run(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* ---- victims ---- */

#if TB_PARAM(Cache)
/* Each set of near entries, used in a random order: as many misses and hits as fit; then results enter. */
static void each_set_of_near(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned near = 0; near < 1u << ENTRIES; near++) {
    const unsigned misses = 1 + near % SLOTS, empty = chance(&s, 50) ? below(&s, 4) : 0;
    fill(&s, 0, near);
    for (unsigned i = 0; i < empty; i++) {
      put_snoop(&s, 0, 0, s.o.entry[below(&s, ENTRIES)].r, true);
      turn(&s);
    }
    for (unsigned k = 0; k < SLOTS; k++) r[k] = k < misses ? fresh(&s) : s.o.entry[below(&s, ENTRIES)].r;
    run(&s, 0, ALL_SLOTS >> below(&s, SLOTS - misses + 1), r, (unsigned)tb_bits(rng, SLOTS));
    result(&s, fresh(&s), true, UINT32_MAX);
    result(&s, fresh(&s), false, UINT32_MAX);
    result(&s, fresh(&s), true, UINT32_MAX ^ 1u << near % 32);
  }
}

/* Every position of every number of far entries, by the first and the last value of the LFSR that gives it. */
static void each_pick(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned n = 1; n <= ENTRIES; n++) {
    for (unsigned i = 0; i < 4 * n; i++) {
      const unsigned p = i / 4, first = (p * 65536 + n - 1) / n, last = ((p + 1) * 65536 + n - 1) / n - 1;
      const unsigned seed = i % 2 ? last : first ? first : 1;
      unsigned near = (unsigned)tb_bits(rng, ENTRIES);
      while ((unsigned)__builtin_popcount(near) != ENTRIES - n) near = (unsigned)tb_bits(rng, ENTRIES);
      restart(&s, seed);
      fill(&s, 5, near);
      for (unsigned k = 0; k < SLOTS; k++) r[k] = fresh(&s);
      if (i % 4 < 2) {
        result(&s, r[0], true, UINT32_MAX);
      } else {
        run(&s, 5, ALL_SLOTS >> i % SLOTS, r, 0);
      }
      result(&s, fresh(&s), true, UINT32_MAX);
    }
    restart(&s, 0);
    fill(&s, 5, 0);
    result(&s, fresh(&s), true, UINT32_MAX);
    result(&s, fresh(&s), true, UINT32_MAX);
  }
}

/* The value of the LFSR before this one. */
static unsigned value_before(unsigned value) { return value & 0x8000 ? (value ^ 0xb400) << 1 | 1 : value << 1; }

/* The same behind a first pick, after which as many entries are far again: a result by the first value, an instruction by the last. */
static void each_later_pick(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned n = 1; n <= ENTRIES; n++) {
    for (unsigned i = 0; i < 2 * n; i++) {
      const unsigned p = i / 2, first = (p * 65536 + n - 1) / n, last = ((p + 1) * 65536 + n - 1) / n - 1;
      unsigned near = (unsigned)tb_bits(rng, ENTRIES);
      while ((unsigned)__builtin_popcount(near) != ENTRIES - n) near = (unsigned)tb_bits(rng, ENTRIES);
      restart(&s, value_before(i % 2 ? last : first ? first : 1));
      fill(&s, 5, near);
      for (unsigned k = 0; k < SLOTS; k++) r[k] = fresh(&s);
      result(&s, r[0], true, UINT32_MAX);
      result(&s, r[0], false, UINT32_MAX);
      if (i % 2) {
        run(&s, 5, ALL_SLOTS - 1, r, 0);
      } else {
        result(&s, fresh(&s), true, UINT32_MAX);
        r[0] = s.d.d_replaced; /* the ports show what the result replaced: it misses */
        run(&s, 5, 1, r, 0);
      }
    }
  }
}

/* One bit of seed and LFSR is set. */
static void each_bit_of_lfsr(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  begin_case(&s, t, rng);
  for (unsigned bit = 0; bit <= 16; bit++) { /* 0x8000 comes behind 0x6801 */
    restart(&s, bit < 16 ? 1u << bit : 0x6801);
    fill(&s, bit % WARPS, 0);
    for (unsigned i = 0; i < 3; i++) result(&s, fresh(&s), false, UINT32_MAX), result(&s, fresh(&s), true, UINT32_MAX);
  }
}

/* One entry is valid, one near, or one not near. */
static void each_entry_alone(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < 4 * ENTRIES; i++) {
    const unsigned e = i % ENTRIES, w = i % WARPS, others = ((1u << ENTRIES) - 1) ^ 1u << e;
    const unsigned near[] = {1u << e, others, others | 1u << e, 0};
    fill(&s, w, near[i / ENTRIES]);
    for (unsigned x = 0; x < ENTRIES; x++) {
      if (x == e) continue;
      put_snoop(&s, x % LANES, w, s.o.entry[x].r, true);
      turn(&s);
    }
    result(&s, s.o.entry[(e + 1) % ENTRIES].r, true, INT32_MAX); /* dropped before */
    result(&s, fresh(&s), false, UINT32_MAX);
  }
}

/* Six entries are locked: results go to each pair of the others, whichever of the two was used last. */
static void six_locked(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  begin_case(&s, t, rng);
  for (unsigned i = 0; i < ENTRIES; i++) {
    for (unsigned j = 0; j < ENTRIES; j++) {
      if (i == j) continue;
      fill(&s, 6, (unsigned)tb_bits(rng, ENTRIES));
      for (unsigned e = 0, k = 0; e < ENTRIES; e++) {
        if (e != i && e != j) r[k++] = s.o.entry[e].r;
      }
      put_al(&s, 6, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      turn(&s);
      result(&s, s.o.entry[i].r, i < j, 0xffff0000u >> i);
      result(&s, s.o.entry[j].r, (i ^ j) < 5, 0xff0ff0ffu >> j);
      result(&s, fresh(&s), true, UINT32_MAX);
      result(&s, fresh(&s), i % 2, UINT32_MAX);
      finish(&s);
    }
  }
}
#endif

/* ---- resets ---- */

/* Without an owner, owned and free, with the request, while it waits, with some values, complete: nothing is left of it. */
static void resets(struct tb_run *t, struct tb_rng *rng) {
  static const struct bias bias = {4, 20, 70, 60, 60, 40, 50, 50, 50, 30, 30, 60, 5, 10, 60, 40, 50, 100};
  struct sim s;
  unsigned r[SLOTS];
  for (unsigned i = 0; i < 60; i++) {
    begin(&s, t, rng, &bias);
    some(&s, below(&s, 40));
    while (s.o.busy) some(&s, 1);
    no_valids(&s);
    fill(&s, below(&s, WARPS), (unsigned)tb_bits(rng, ENTRIES));
    if (i % 6 == 0) {
      put_end(&s, s.o.owner);
      turn(&s);
    } else if (i % 6 > 1) {
      for (unsigned k = 0; k < SLOTS; k++) r[k] = fresh(&s);
      put_al(&s, s.o.owner, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      turn(&s);
      if (i % 6 == 3) turn(&s);
      if (i % 6 == 5) serve(&s, i);
      for (unsigned e = 0; e < ENTRIES && i % 6 == 4 && !s.o.slot[0].here; e++) {
        if (is_awaited(&s.o, e)) put_value(&s, e), turn(&s);
      }
    }
    bins_of_reset(&s);
    restart(&s, (unsigned)tb_bits(rng, 16));
    some(&s, 20);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"each_register", each_register},
                                       {"each_difference", each_difference},
                                       {"patterns", patterns},
                                       {"each_lane", each_lane},
                                       {"arrivals", arrivals},
                                       {"snoops", snoops},
                                       {"exits", exits},
                                       {"together", together},
                                       {"together_busy", together_busy},
#if TB_PARAM(Cache)
                                       {"each_set_of_near", each_set_of_near},
                                       {"each_pick", each_pick},
                                       {"each_later_pick", each_later_pick},
                                       {"each_bit_of_lfsr", each_bit_of_lfsr},
                                       {"each_entry_alone", each_entry_alone},
                                       {"six_locked", six_locked},
#endif
                                       {"resets", resets},
                                       {NULL, NULL}};

#endif

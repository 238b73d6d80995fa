/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ccu's bench, included once, after ccu_run_cycle(): the directed cases. */
#ifndef RT_TB_CCU_CASES_H
#define RT_TB_CCU_CASES_H

enum { ALL_SLOTS = (1 << SLOTS) - 1 };

/* ---- orders ---- */

static void ccu_begin_case(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  static const struct bias any = {.warps = WARPS, .regs = MOST_POOL};
  ccu_sim_begin(s, t, r, &any);
}

static void ccu_sim_restart(struct sim *s, unsigned seed) {
  tb_reset(s->t);
  ccu_oracle_reset(&s->o);
  memset(&s->before, 0, sizeof s->before);
  s->waits = 0, s->s_before = false;
  s->in.seed_i = seed;
}

/* A cycle with what has been put into s->in; the payloads stay there. */
static void ccu_run_turn(struct sim *s) {
  ccu_run_cycle(s);
  ccu_user_clear_valids(s);
}

static void ccu_put_allocation(struct sim *s, unsigned w, unsigned sv, const unsigned *r, unsigned near) {
  s->in.allocate_valid_i = 1, s->in.allocate_warp_i = w, s->in.allocate_meta_i = tb_bits(s->r, 16),
  s->in.allocate_source_i = sv, s->in.allocate_near_i = near;
  for (unsigned k = 0; k < SLOTS; k++) s->in.allocate_register_i[k] = (uint8_t)(r[k] % REGS);
}

static void ccu_put_exit(struct sim *s, unsigned w) { s->in.exit_warps_i |= UINT64_C(1) << w; }

/* Values come for all slots that wait, in the order of their entries from `first` on. */
static void ccu_serve_values(struct sim *s, unsigned first) {
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned e = (first + i) % ENTRIES;
    if (!ccu_oracle_is_awaited(&s->o, e)) continue;
    ccu_user_put_value(s, e);
    ccu_run_turn(s);
  }
}

static void ccu_finish_instruction(struct sim *s) {
  ccu_serve_values(s, tb_below(s->r, ENTRIES));
  s->in.dispatch_take_i = 1;
  ccu_run_turn(s);
}

static void ccu_run_instruction(struct sim *s, unsigned w, unsigned sv, const unsigned *r, unsigned near) {
  ccu_put_allocation(s, w, sv, r, near);
  ccu_run_turn(s);
  ccu_finish_instruction(s);
}

static void ccu_span_registers(unsigned *r, unsigned from, unsigned step) {
  for (unsigned k = 0; k < SLOTS; k++) r[k] = (from + k * step) % REGS;
}

/* A register of which there is no copy. */
static unsigned ccu_fresh_register(struct sim *s) {
  unsigned r = tb_below(s->r, REGS);
  while (ccu_oracle_find_register(&s->o, r) != NO_ENTRY) r = tb_below(s->r, REGS);
  return r;
}

static void ccu_run_result(struct sim *s, unsigned r, bool near, uint32_t lanes) {
  ccu_user_put_d(s, s->o.owner, r, near, lanes);
  ccu_run_turn(s);
}

/* The warp's registers fill the table, used in a random order; these entries are near. */
static void ccu_fill_table(struct sim *s, unsigned w, unsigned near) {
  unsigned r[SLOTS], order[ENTRIES];
  ccu_span_registers(r, tb_below(s->r, REGS), 1 + 2 * tb_below(s->r, 20));
  ccu_run_instruction(s, (w + 1) % WARPS, 0, r, 0); /* nothing is kept */
  ccu_run_instruction(s, w, ALL_SLOTS, r, 0);
  if (!CACHE) return;
  while (ENTRIES > SLOTS && ccu_oracle_find_register(&s->o, r[0]) != NO_ENTRY) r[0]++, r[0] %= REGS;
  r[1] = (r[0] + 128) % REGS;
  while (ccu_oracle_find_register(&s->o, r[1]) != NO_ENTRY) r[1]++, r[1] %= REGS;
  ccu_run_instruction(s, w, 3, r, 0);
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned k = tb_below(s->r, i + 1);
    order[i] = order[k], order[k] = i;
  }
  for (unsigned i = 0; i < ENTRIES; i++) {
    const unsigned e = order[i];
    ccu_run_result(s, s->o.entry[e].r, near >> e & 1, (uint32_t)tb_bits(s->r, 32));
  }
}

/* ---- registers, slots, lanes ---- */

/* Every register in every slot, missed, then in another slot, found; as D and as snoop. */
static void ccu_case_each_register(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < REGS; i++) {
    const unsigned w = i % WARPS;
    ccu_span_registers(r, i, 1);
    ccu_run_instruction(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    ccu_user_put_d(&s, w, i, i % 2, (uint32_t)tb_bits(rng, 32));
    ccu_user_put_snoop(&s, i % LANES, w, (i + 1) % REGS, true);
    ccu_run_turn(&s);
    ccu_run_result(&s, (i + 9) % REGS, true, UINT32_MAX);
    ccu_span_registers(r, i + 10, REGS - 2);
    ccu_run_instruction(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* Registers and warps that differ in one bit from those of the table. */
static void ccu_case_each_difference(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned bit = 0; bit < 8; bit++) {
    const unsigned w = tb_below(rng, WARPS);
    ccu_fill_table(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned e = 0; e < ENTRIES; e++) {
      ccu_user_put_snoop(&s, e % LANES, w, s.o.entry[e].r ^ 1u << bit, true);
      ccu_run_turn(&s);
      ccu_run_result(&s, s.o.entry[e].r ^ 1u << bit, true, 1u << e);
    }
    for (unsigned i = 0; i < ENTRIES; i++) { /* as source of each slot */
      for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[(i + k) % ENTRIES].r ^ 1u << bit;
      ccu_run_instruction(&s, w, ALL_SLOTS >> i / 2, r, (unsigned)tb_bits(rng, SLOTS));
    }
  }
  for (unsigned bit = 0; bit < WARP_BITS; bit++) {
    const unsigned w = tb_below(rng, WARPS), x = w ^ 1u << bit;
    ccu_fill_table(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned e = 0; e < ENTRIES; e++) {
      ccu_user_put_d(&s, x, s.o.entry[e].r, e % 2, UINT32_MAX);
      for (unsigned l = 0; l < LANES; l++)
        ccu_user_put_snoop(&s, l, x, s.o.entry[(e + 1 + l) % ENTRIES].r, l < ENTRIES - 1);
      ccu_put_exit(&s, x);
      ccu_run_turn(&s);
    }
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[k].r;
    ccu_run_instruction(&s, w, ALL_SLOTS, r, 0);
    ccu_run_instruction(&s, x, ALL_SLOTS, r, 0);
  }
}

/* Which slots have the same register: all 203 patterns; and all 64 sets of slots. */
static void ccu_case_patterns(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned group[SLOTS] = {0}, r[SLOTS], of[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (bool more = true; more;) {
    const bool again = tb_chance(rng, 70);
    for (unsigned k = 0; k < SLOTS; k++)
      of[k] = again && tb_chance(rng, 50) ? s.o.entry[tb_below(rng, ENTRIES)].r : ccu_fresh_register(&s);
    for (unsigned k = 0; k < SLOTS; k++) r[k] = of[group[k]];
    ccu_run_instruction(&s, again ? s.o.owner : tb_below(rng, WARPS), ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    more = false;
    for (unsigned k = SLOTS - 1; k && !more; k--) {
      unsigned most = 0;
      for (unsigned i = 0; i < k; i++) most = group[i] > most ? group[i] : most;
      more = group[k] <= most;
      group[k] = more ? group[k] + 1 : 0;
    }
  }
  for (unsigned sv = 0; sv <= ALL_SLOTS; sv++) {
    ccu_span_registers(r, sv, 1);
    ccu_run_instruction(&s, sv / 4 % WARPS, sv, r, (unsigned)tb_bits(rng, SLOTS));
  }
  for (unsigned i = 0; i < 4; i++) { /* six of one: missed, found */
    ccu_span_registers(r, 7 * (i / 2), 0);
    ccu_run_instruction(&s, i / 2, ALL_SLOTS, r, 9u << i & ALL_SLOTS);
  }
}

/* D writes each lane alone, and all but this one, of each entry; an instruction reads it. */
static void ccu_case_each_lane(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  ccu_fill_table(&s, 1, 0x5a);
  for (unsigned i = 0; i < 2 * WORDS; i++) {
    const unsigned e = i / 2 % ENTRIES;
    ccu_run_result(&s, s.o.entry[e].r, i % 3, i % 2 ? ~(1u << i / 2) : 1u << i / 2);
    if (i == WORDS) ccu_run_result(&s, s.o.entry[e].r, true, 0);
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[(e + k) % ENTRIES].r;
    ccu_run_instruction(&s, 1, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* Values in each order: the entry that comes first, with pauses, or beside the request; long waits for dispatch. */
static void ccu_case_arrivals(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < 4 * ENTRIES; i++) {
    ccu_fill_table(&s, 3, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = i % 2 && k % 2 ? s.o.entry[k].r : ccu_fresh_register(&s);
    ccu_put_allocation(&s, 3, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    ccu_run_turn(&s);
    for (unsigned e = 0; e < i % 3; e++) ccu_run_turn(&s);
    ccu_serve_values(&s, i);
    for (unsigned k = 0; k < i; k++) {
      const unsigned x = ccu_fresh_register(&s);
      if (k % 2) ccu_user_put_d(&s, 3, x, true, UINT32_MAX);
      ccu_user_put_snoop(&s, k % LANES, 3, (x + 1) % REGS, !ccu_user_is_refused(&s, 3, (x + 1) % REGS));
      ccu_run_turn(&s);
    }
    ccu_finish_instruction(&s);
  }
}

/* ---- snoops and exits ---- */

/* Each lane drops each entry while the other lanes name it for another warp; then all lanes drop one each. */
static void ccu_case_snoops(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  ccu_begin_case(&s, t, rng);
  for (unsigned l = 0; l < LANES; l++) {
    ccu_fill_table(&s, 2, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned i = 0; i < 2 * ENTRIES; i++) {
      const unsigned e = i % ENTRIES, r = s.o.entry[e].r;
      ccu_user_put_snoop(&s, l, 2, r, true);
      for (unsigned x = 0; x < LANES; x++) {
        if (x != l && i < ENTRIES)
          ccu_user_put_snoop(&s, x, (2 + WARPS - 1 - x % (WARPS - 1)) % WARPS, s.o.entry[0].r, x < 3);
      }
      ccu_run_turn(&s);
      if (i < ENTRIES) ccu_run_result(&s, r, true, UINT32_MAX); /* it enters again */
    }
    ccu_fill_table(&s, 2, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned x = 0; x < LANES; x++) {
      if (x < ENTRIES) ccu_user_put_snoop(&s, x, 2, s.o.entry[(x + l) % ENTRIES].r, true);
    }
    ccu_run_turn(&s);
    ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
  }
}

/* The CTA of each warp ends: while it owns the free unit, as its last instruction leaves, while another one owns it. */
static void ccu_case_exits(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned w = 0; w < WARPS; w++) {
    for (unsigned kind = 0; kind < 4; kind++) {
      ccu_fill_table(&s, w, (unsigned)tb_bits(rng, ENTRIES));
      for (unsigned k = 0; k < SLOTS; k++) r[k] = k % 2 ? s.o.entry[k].r : ccu_fresh_register(&s);
      ccu_put_allocation(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      ccu_run_turn(&s);
      for (unsigned other = 0; other < WARPS; other++) {
        if (other != w) ccu_put_exit(&s, other);
      }
      const unsigned x = ccu_fresh_register(&s);
      ccu_user_put_d(&s, w, x, true, UINT32_MAX);
      ccu_user_put_snoop(&s, 0, w, (x + 1) % REGS, !ccu_user_is_refused(&s, w, (x + 1) % REGS));
      for (unsigned e = 0; e < ENTRIES && !s.in.operand_valid_i; e++) {
        if (ccu_oracle_is_awaited(&s.o, e)) ccu_user_put_value(&s, e);
      }
      ccu_run_turn(&s);
      ccu_serve_values(&s, w);
      if (kind % 2) { /* as it leaves */
        ccu_put_exit(&s, w);
        ccu_user_put_d(&s, w, ccu_fresh_register(&s), true, UINT32_MAX);
        ccu_finish_instruction(&s);
      } else {
        ccu_finish_instruction(&s);
        if (kind) {
          for (unsigned other = 0; other < WARPS; other++) ccu_put_exit(&s, other);
        }
        ccu_put_exit(&s, w);
        ccu_run_turn(&s);
      }
      ccu_user_put_d(&s, w, r[0], true, UINT32_MAX); /* nobody's */
      ccu_user_put_snoop(&s, LANES - 1, w, r[1], true);
      ccu_run_turn(&s);
      ccu_put_exit(&s, w);
      ccu_run_turn(&s);
      ccu_run_instruction(&s, kind < 2 ? w : (w + kind) % WARPS, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    }
  }
}

/* ---- several events in one cycle ---- */

/* The register of the entry that D would take. */
static unsigned ccu_oracle_next_victim(const struct sim *s) {
  struct oracle o = s->o;
  struct choice c;
  ccu_oracle_choose(&o, 1, (unsigned)s->in.seed_i, &c);
  return o.entry[c.entry[0]].r;
}

static void ccu_put_results(struct sim *s, unsigned w, unsigned of_d, unsigned of_snoop, unsigned *r) {
  unsigned e = tb_below(s->r, ENTRIES), x = (e + 1 + tb_below(s->r, ENTRIES - 1)) % ENTRIES;
  if (of_d == 1 && !ccu_user_is_refused(s, w, s->o.entry[e].r)) {
    ccu_user_put_d(s, w, s->o.entry[e].r, tb_chance(s->r, 50), (uint32_t)tb_bits(s->r, 32));
  } else if (of_d) {
    ccu_user_put_d(s, w, ccu_fresh_register(s), true, UINT32_MAX);
  }
  r[0] = of_d ? (unsigned)s->in.cache_register_i : ccu_fresh_register(s);
  r[1] = of_snoop == 1 ? s->o.entry[x].r : of_snoop == 2 ? ccu_oracle_next_victim(s) : ccu_fresh_register(s);
  if (of_snoop && !ccu_user_is_refused(s, w, r[1])) ccu_user_put_snoop(s, tb_below(s->r, LANES), w, r[1], true);
}

/* D of a known register or a new one, snoop of an entry, of the one that D replaces, or of nothing, exit, allocation. */
static void ccu_case_together(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < 2 * 3 * 4 * 2 * 3; i++) {
    const unsigned w = tb_below(rng, WARPS), end = i / 12 % 2, al = i / 24 % 3;
    ccu_fill_table(&s, w, i % 2 ? (1 << ENTRIES) - 1 : (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = s.o.entry[k].r;
    ccu_put_results(&s, w, i % 3, i / 3 % 4, r);
    if (end) ccu_put_exit(&s, w);
    if (al < 2) ccu_put_allocation(&s, al ? (w + 1) % WARPS : w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
    ccu_run_turn(&s);
    if (al == 2) {
      ccu_run_instruction(&s, w, ALL_SLOTS, r, 0);
    } else {
      ccu_finish_instruction(&s);
    }
  }
}

/* The same as an instruction leaves, or while it waits. */
static void ccu_case_together_busy(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < 2 * 3 * 4 * 2 * 3; i++) {
    const unsigned w = tb_below(rng, WARPS), end = i / 12 % 2, how = i / 24 % 3;
    ccu_fill_table(&s, w, (unsigned)tb_bits(rng, ENTRIES));
    for (unsigned k = 0; k < SLOTS; k++) r[k] = k % 3 ? s.o.entry[k].r : ccu_fresh_register(&s);
    ccu_put_allocation(&s, w, (unsigned)tb_bits(rng, SLOTS) | how, r, (unsigned)tb_bits(rng, SLOTS));
    ccu_run_turn(&s);
    if (how < 2) ccu_serve_values(&s, i);
    ccu_put_results(&s, w, i % 3, i / 3 % 4, r);
    s.in.dispatch_take_i = ccu_oracle_is_complete(&s.o);
    if (s.in.dispatch_take_i && end) ccu_put_exit(&s, w);
    for (unsigned e = 0; e < ENTRIES && !s.in.operand_valid_i; e++) {
      if (ccu_oracle_is_awaited(&s.o, e)) ccu_user_put_value(&s, e);
    }
    ccu_run_turn(&s);
    if (s.o.busy) ccu_finish_instruction(&s);
    ccu_run_instruction(&s, w, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
  }
}

/* ---- victims ---- */

#if TB_PARAM(Cache)
/* Each set of near entries, used in a random order: as many misses and hits as fit; then results enter. */
static void ccu_case_each_set_of_near(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned near = 0; near < 1u << ENTRIES; near++) {
    const unsigned misses = 1 + near % SLOTS, empty = tb_chance(rng, 50) ? tb_below(rng, 4) : 0;
    ccu_fill_table(&s, 0, near);
    for (unsigned i = 0; i < empty; i++) {
      ccu_user_put_snoop(&s, 0, 0, s.o.entry[tb_below(rng, ENTRIES)].r, true);
      ccu_run_turn(&s);
    }
    for (unsigned k = 0; k < SLOTS; k++)
      r[k] = k < misses ? ccu_fresh_register(&s) : s.o.entry[tb_below(rng, ENTRIES)].r;
    ccu_run_instruction(&s, 0, ALL_SLOTS >> tb_below(rng, SLOTS - misses + 1), r, (unsigned)tb_bits(rng, SLOTS));
    ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
    ccu_run_result(&s, ccu_fresh_register(&s), false, UINT32_MAX);
    ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX ^ 1u << near % 32);
  }
}

/* Every position of every number of far entries, by the first and the last value of the LFSR that gives it. */
static void ccu_case_each_pick(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned n = 1; n <= ENTRIES; n++) {
    for (unsigned i = 0; i < 4 * n; i++) {
      const unsigned p = i / 4, first = (p * 65536 + n - 1) / n, last = ((p + 1) * 65536 + n - 1) / n - 1;
      const unsigned seed = i % 2 ? last : first ? first : 1;
      unsigned near = (unsigned)tb_bits(rng, ENTRIES);
      while ((unsigned)__builtin_popcount(near) != ENTRIES - n) near = (unsigned)tb_bits(rng, ENTRIES);
      ccu_sim_restart(&s, seed);
      ccu_fill_table(&s, 5, near);
      for (unsigned k = 0; k < SLOTS; k++) r[k] = ccu_fresh_register(&s);
      if (i % 4 < 2) {
        ccu_run_result(&s, r[0], true, UINT32_MAX);
      } else {
        ccu_run_instruction(&s, 5, ALL_SLOTS >> i % SLOTS, r, 0);
      }
      ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
    }
    ccu_sim_restart(&s, 0);
    ccu_fill_table(&s, 5, 0);
    ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
    ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
  }
}

/* The value of the LFSR before this one. */
static unsigned ccu_lfsr_before(unsigned value) { return value & 0x8000 ? (value ^ 0xb400) << 1 | 1 : value << 1; }

/* The same behind a first pick, after which as many entries are far again: a result by the first value, an instruction by the last. */
static void ccu_case_each_later_pick(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned n = 1; n <= ENTRIES; n++) {
    for (unsigned i = 0; i < 2 * n; i++) {
      const unsigned p = i / 2, first = (p * 65536 + n - 1) / n, last = ((p + 1) * 65536 + n - 1) / n - 1;
      unsigned near = (unsigned)tb_bits(rng, ENTRIES);
      while ((unsigned)__builtin_popcount(near) != ENTRIES - n) near = (unsigned)tb_bits(rng, ENTRIES);
      ccu_sim_restart(&s, ccu_lfsr_before(i % 2 ? last : first ? first : 1));
      ccu_fill_table(&s, 5, near);
      for (unsigned k = 0; k < SLOTS; k++) r[k] = ccu_fresh_register(&s);
      ccu_run_result(&s, r[0], true, UINT32_MAX);
      ccu_run_result(&s, r[0], false, UINT32_MAX);
      if (i % 2) {
        ccu_run_instruction(&s, 5, ALL_SLOTS - 1, r, 0);
      } else {
        ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
        r[0] = s.d.d_replaced; /* the ports show what the result replaced: it misses */
        ccu_run_instruction(&s, 5, 1, r, 0);
      }
    }
  }
}

/* One bit of seed and LFSR is set. */
static void ccu_case_each_bit_of_lfsr(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  ccu_begin_case(&s, t, rng);
  for (unsigned bit = 0; bit <= 16; bit++) { /* 0x8000 comes behind 0x6801 */
    ccu_sim_restart(&s, bit < 16 ? 1u << bit : 0x6801);
    ccu_fill_table(&s, bit % WARPS, 0);
    for (unsigned i = 0; i < 3; i++)
      ccu_run_result(&s, ccu_fresh_register(&s), false, UINT32_MAX),
          ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
  }
}

/* One entry is valid, one near, or one not near. */
static void ccu_case_each_entry_alone(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < 4 * ENTRIES; i++) {
    const unsigned e = i % ENTRIES, w = i % WARPS, others = ((1u << ENTRIES) - 1) ^ 1u << e;
    const unsigned near[] = {1u << e, others, others | 1u << e, 0};
    ccu_fill_table(&s, w, near[i / ENTRIES]);
    for (unsigned x = 0; x < ENTRIES; x++) {
      if (x == e) continue;
      ccu_user_put_snoop(&s, x % LANES, w, s.o.entry[x].r, true);
      ccu_run_turn(&s);
    }
    ccu_run_result(&s, s.o.entry[(e + 1) % ENTRIES].r, true, INT32_MAX); /* dropped before */
    ccu_run_result(&s, ccu_fresh_register(&s), false, UINT32_MAX);
  }
}

/* Six entries are locked: results go to each pair of the others, whichever of the two was used last. */
static void ccu_case_six_locked(struct tb_run *t, struct tb_rng *rng) {
  struct sim s;
  unsigned r[SLOTS];
  ccu_begin_case(&s, t, rng);
  for (unsigned i = 0; i < ENTRIES; i++) {
    for (unsigned j = 0; j < ENTRIES; j++) {
      if (i == j) continue;
      ccu_fill_table(&s, 6, (unsigned)tb_bits(rng, ENTRIES));
      for (unsigned e = 0, k = 0; e < ENTRIES; e++) {
        if (e != i && e != j) r[k++] = s.o.entry[e].r;
      }
      ccu_put_allocation(&s, 6, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      ccu_run_turn(&s);
      ccu_run_result(&s, s.o.entry[i].r, i < j, 0xffff0000u >> i);
      ccu_run_result(&s, s.o.entry[j].r, (i ^ j) < 5, 0xff0ff0ffu >> j);
      ccu_run_result(&s, ccu_fresh_register(&s), true, UINT32_MAX);
      ccu_run_result(&s, ccu_fresh_register(&s), i % 2, UINT32_MAX);
      ccu_finish_instruction(&s);
    }
  }
}
#endif

/* ---- resets ---- */

/* Without an owner, owned and free, with the request, while it waits, with some values, complete: nothing is left of it. */
static void ccu_case_resets(struct tb_run *t, struct tb_rng *rng) {
  static const struct bias bias = {4, 20, 70, 60, 60, 40, 50, 50, 50, 30, 30, 60, 5, 10, 60, 40, 50, 100};
  struct sim s;
  unsigned r[SLOTS];
  for (unsigned i = 0; i < 60; i++) {
    ccu_sim_begin(&s, t, rng, &bias);
    ccu_run_random(&s, tb_below(rng, 40));
    while (s.o.busy) ccu_run_random(&s, 1);
    ccu_user_clear_valids(&s);
    ccu_fill_table(&s, tb_below(rng, WARPS), (unsigned)tb_bits(rng, ENTRIES));
    if (i % 6 == 0) {
      ccu_put_exit(&s, s.o.owner);
      ccu_run_turn(&s);
    } else if (i % 6 > 1) {
      for (unsigned k = 0; k < SLOTS; k++) r[k] = ccu_fresh_register(&s);
      ccu_put_allocation(&s, s.o.owner, ALL_SLOTS, r, (unsigned)tb_bits(rng, SLOTS));
      ccu_run_turn(&s);
      if (i % 6 == 3) ccu_run_turn(&s);
      if (i % 6 == 5) ccu_serve_values(&s, i);
      for (unsigned e = 0; e < ENTRIES && i % 6 == 4 && !s.o.slot[0].here; e++) {
        if (ccu_oracle_is_awaited(&s.o, e)) ccu_user_put_value(&s, e), ccu_run_turn(&s);
      }
    }
    ccu_bins_of_reset(&s);
    ccu_sim_restart(&s, (unsigned)tb_bits(rng, 16));
    ccu_run_random(&s, 20);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"each_register", ccu_case_each_register},
                                       {"each_difference", ccu_case_each_difference},
                                       {"patterns", ccu_case_patterns},
                                       {"each_lane", ccu_case_each_lane},
                                       {"arrivals", ccu_case_arrivals},
                                       {"snoops", ccu_case_snoops},
                                       {"exits", ccu_case_exits},
                                       {"together", ccu_case_together},
                                       {"together_busy", ccu_case_together_busy},
#if TB_PARAM(Cache)
                                       {"each_set_of_near", ccu_case_each_set_of_near},
                                       {"each_pick", ccu_case_each_pick},
                                       {"each_later_pick", ccu_case_each_later_pick},
                                       {"each_bit_of_lfsr", ccu_case_each_bit_of_lfsr},
                                       {"each_entry_alone", ccu_case_each_entry_alone},
                                       {"six_locked", ccu_case_six_locked},
#endif
                                       {"resets", ccu_case_resets},
                                       {NULL, NULL}};

#endif

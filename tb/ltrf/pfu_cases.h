/* SPDX-License-Identifier: Apache-2.0 */
/* Part of pfu's bench, included once, after cycle(): the directed cases. */
#ifndef RT_TB_PFU_CASES_H
#define RT_TB_PFU_CASES_H

enum { LONGEST = 4000, NONE_LIVE = 0, ALL_LIVE = 1, ODD_LIVE = 2 };

/* ---- orders ---- */

static void begin_case(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  begin(s, t, r, NULL);
  memset(s->mrf, 0xff, sizeof s->mrf);
  s->rfc = UINT32_MAX;
  s->latency = 2;
}

static void banks(struct sim *s, bool mrf, bool rfc) {
  memset(s->mrf, mrf ? 0xff : 0, sizeof s->mrf);
  s->rfc = rfc ? UINT32_MAX : 0;
}

/* A cycle with what has been put into s->in; the memory does the rest. */
static void turn(struct sim *s) {
  words_copy(s->in.main_ready_i, 0, s->mrf, 0, BANKS);
  s->in.cache_ready_i = s->rfc & (uint32_t)((UINT64_C(1) << PLACES) - 1);
  if (!s->no_fr && s->asked && s->reads[0].due <= s->now) answer(s, 0);
  cycle(s);
  memset(&s->in, 0, sizeof s->in);
}
static void turns(struct sim *s, unsigned n) {
  for (; n; n--) turn(s);
}

static void none(struct sim *s) { memset(s->vector, 0, sizeof s->vector); }
static void span(struct sim *s, unsigned from, unsigned n) {
  for (unsigned i = 0; i < n; i++) s->vector[(from + i) % REGS] = true;
}

static void put_start(struct sim *s, unsigned w, unsigned live) {
  s->in.start_valid_i = 1, s->in.start_warp_i = w;
  for (unsigned k = 0; k < PFU_WORDS; k++)
    s->in.start_live_i[k] = live == ALL_LIVE ? UINT64_MAX : live == ODD_LIVE ? UINT64_C(0xaaaaaaaaaaaaaaaa) : 0;
}

/* The command is on the port in this cycle. True: it will be taken. */
static bool put_command(struct sim *s, unsigned op, unsigned w) {
  s->in.command_valid_i = 1, s->in.command_i = op, s->in.command_warp_i = w;
  put_vector(s);
  return is_ready(&s->o, op, w);
}

static void order(struct sim *s, unsigned op, unsigned w) {
  for (unsigned n = 0;; n++) {
    bool taken = put_command(s, op, w);
    turn(s);
    if (taken) return;
    tb_expect(s->t, n < LONGEST, "a command of the case is not taken");
  }
}

static void until(struct sim *s, unsigned w, unsigned step) {
  for (unsigned n = 0; s->o.warp[w].active && s->o.warp[w].step != step; n++) {
    turn(s);
    tb_expect(s->t, n < LONGEST, "a warp of the case does not get so far");
  }
}

static void run(struct sim *s, unsigned op, unsigned w) {
  order(s, op, w);
  until(s, w, PFU_IDLE);
}

static void start(struct sim *s, unsigned w, unsigned live) {
  put_start(s, w, live);
  turn(s);
}

static void bring_up(struct sim *s, unsigned w, unsigned live) {
  if (!s->begun[w]) start(s, w, live);
  run(s, PFU_ACTIVATE, w);
}

static void pref(struct sim *s, unsigned w, unsigned from, unsigned n) {
  none(s);
  span(s, from, n);
  run(s, PFU_PREFETCH, w);
}

static void put_look(struct sim *s, unsigned w, unsigned n, unsigned from, unsigned step) {
  const unsigned p = w % PORTS;
  s->in.lookup_valid_i |= UINT64_C(1) << p;
  s->in.lookup_warp_i[p] = (uint8_t)w;
  s->in.lookup_count_i[p] = (uint8_t)n;
  for (unsigned k = 0; k < SOURCES; k++) s->in.lookup_source_i[p][k] = (uint8_t)((from + k * step) % REGS);
}

/* What a port shows that writes nothing. */
static void put_no_write(struct sim *s, unsigned k, unsigned w, unsigned r) {
  s->in.result_warp_i[k] = (uint8_t)w;
  s->in.result_register_i[k] = (uint8_t)r;
}
static void put_write(struct sim *s, unsigned k, unsigned w, unsigned r) {
  s->in.result_valid_i |= UINT64_C(1) << k;
  put_no_write(s, k, w, r);
}

/* An instruction that reads r for the last time, as source k, or writes it, as destination k. */
static void put_issue(struct sim *s, unsigned w, unsigned r, bool writes, unsigned k) {
  const unsigned p = w % PORTS;
  s->in.issue_valid_i |= UINT64_C(1) << p;
  s->in.issue_warp_i[p] = (uint8_t)w;
  if (writes) {
    s->in.issue_destination_valid_i[p] |= (uint8_t)(1u << k % DESTS);
    s->in.issue_destination_i[p][k % DESTS] = (uint8_t)r;
  } else {
    s->in.issue_source_valid_i[p] |= (uint8_t)(1u << k % SOURCES);
    s->in.issue_dead_i[p] |= (uint8_t)(1u << k % SOURCES);
    s->in.issue_source_i[p][k % SOURCES] = (uint8_t)r;
  }
}

/* ---- registers and vectors ---- */

/* Every register comes, is looked up and written, dies and leaves, of the first warp and of the last one. */
static void each_register(struct tb_run *t, struct tb_rng *r) {
  static const unsigned warps[] = {0, 63};
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned i = 0; i < 2; i++) {
    const unsigned w = warps[i];
    bring_up(&s, w, i ? ODD_LIVE : ALL_LIVE);
    for (unsigned from = 0; from < REGS; from += PLACES) {
      pref(&s, w, from, PLACES);
      for (unsigned k = 0; k < PLACES; k++) {
        if (look_ready(&s.o, w % PORTS)) put_look(&s, w, 1 + k % SOURCES, from + k, 1);
        put_write(&s, k % WRITES, w, from + k);
        put_write(&s, (k + 1) % WRITES, w, (from + k + 1) % REGS);
        if (k % 3 == i) put_issue(&s, w, from + k, false, k);
        if (k % 5 == 4) put_issue(&s, w, from + k, true, k);
        turn(&s);
      }
    }
    run(&s, PFU_DEACTIVATE, w);
  }
}

/* Every warp of the case leaves and comes back. Then its banks become free in another order, by `shift`, than they were given in. */
static void leave_and_return(struct sim *s, unsigned shift) {
  for (unsigned w = 0; w < SLOTS; w++) run(s, PFU_DEACTIVATE, w);
  turns(s, 3);
  for (unsigned w = 0; w < SLOTS; w++) {
    run(s, PFU_ACTIVATE, w);
    pref(s, w, 0, 0);
    pref(s, w, REGS / 2 + PLACES - shift, shift);
    pref(s, w, REGS / 2, PLACES);
  }
}

/* Every register in every slot: it comes and leaves while others stay, is looked up and issued, dies in every second pass, and has
 * another bank in most passes. */
static void each_slot(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned w = 0; w < SLOTS; w++) bring_up(&s, w, ALL_LIVE);
  for (unsigned pass = 0; pass < (SLOTS > 8 ? 2 : 4); pass++) { /* a pass takes as long as there are slots */
    for (unsigned from = 0; from < REGS; from += PLACES / 2) {
      for (unsigned w = 0; w < SLOTS; w++) none(&s), span(&s, from + w * PLACES, PLACES), order(&s, PFU_PREFETCH, w);
      for (unsigned w = 0; w < SLOTS; w++) until(&s, w, PFU_IDLE);
      for (unsigned k = 0; k < PLACES / 2; k++)
        for (unsigned w = 0; w < SLOTS; w++) {
          const unsigned one = from + w * PLACES + k;
          if (k % SOURCES == 0 && look_ready(&s.o, w % PORTS)) put_look(&s, w, SOURCES, one, 1);
          put_issue(&s, w, one % REGS, (k + w + pass) % 2, k + w);
          if (w % PORTS == PORTS - 1) turn(&s);
        }
    }
    leave_and_return(&s, 1 + 5 * pass % (PLACES - 1));
  }
}

/* Vectors that differ in one register; live or dead, it comes and leaves. */
static void each_difference(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 17, ALL_LIVE);
  pref(&s, 17, 5, 1);
  pref(&s, 17, 5, 1);
  for (unsigned i = 0; i < 2 * EDGES; i++) {
    const unsigned one = edges[i % EDGES];
    none(&s), span(&s, 5, 1), span(&s, one, 1);
    run(&s, PFU_PREFETCH, 17);
    run(&s, PFU_PREFETCH, 17);
    put_issue(&s, 17, one, i / EDGES, i);
    turn(&s);
    pref(&s, 17, 5, 1);
    put_issue(&s, 17, one, i / EDGES, i + 1);
    turn(&s);
    none(&s), span(&s, one, 1), span(&s, 5, 1);
    run(&s, PFU_PREFETCH, 17);
    pref(&s, 17, 5, 1);
    put_issue(&s, 17, one, true, i);
    turn(&s);
  }
}

/* Vectors that are full, none, disjoint, side by side, as far as the last register and from the first one. */
static void vectors(struct tb_run *t, struct tb_rng *r) {
  static const unsigned span_of[][2] = {{0, 0},
                                        {0, 0},
                                        {100, PLACES},
                                        {100, PLACES},
                                        {200, PLACES},
                                        {201, PLACES},
                                        {200 + PLACES / 2, 3},
                                        {200 + PLACES / 2, 0},
                                        {0, 0},
                                        {0, 1},
                                        {REGS - PLACES, PLACES},
                                        {0, PLACES},
                                        {0, 3},
                                        {3, 3},
                                        {3, 0}};
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned live = NONE_LIVE; live <= ODD_LIVE; live++) {
    bring_up(&s, 20 + live, live);
    for (unsigned i = 0; i < sizeof span_of / sizeof span_of[0]; i++) pref(&s, 20 + live, span_of[i][0], span_of[i][1]);
  }
}

/* An instruction that has a register both as a source that dies and as a destination; two ports in one cycle. */
static void issues(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) bring_up(&s, p, ODD_LIVE), pref(&s, p, 0, 8);
  for (unsigned k = 0; k < SOURCES; k++) {
    for (unsigned p = 0; p < PORTS; p++) put_issue(&s, p, k, false, k);
    turn(&s);
    for (unsigned p = 0; p < PORTS; p++) put_issue(&s, p, k, true, k), put_issue(&s, p, k, false, k + 1);
    turn(&s);
    for (unsigned p = 0; p < PORTS; p++) put_issue(&s, p, k, false, k);
    turn(&s);
    put_issue(&s, 0, k, true, k); /* the last instruction before a command counts */
    put_issue(&s, 0, (k + 1) % 8, false, k);
    turn(&s);
    pref(&s, 0, 8 * (k % 2), 8);
  }
  for (unsigned p = 0; p < PORTS; p++) {
    s.in.issue_valid_i = UINT64_C(1) << p, s.in.issue_warp_i[p] = (uint8_t)p; /* dead, but no source; no destination */
    s.in.issue_dead_i[p] = (1u << SOURCES) - 1;
    turn(&s);
    run(&s, PFU_DEACTIVATE, p);
    run(&s, PFU_ACTIVATE, p);
  }
}

/* ---- slots ---- */

/* All slots are taken and ask for nothing, all for a read, all for a write; then one more warp wants a slot. */
static void all_slots(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned w = 0; w <= SLOTS; w++) start(&s, w, ALL_LIVE);
  for (unsigned w = 0; w < SLOTS; w++) run(&s, PFU_ACTIVATE, w);
  for (unsigned round = 0; round < 2; round++) {
    put_command(&s, PFU_ACTIVATE, SLOTS);
    turn(&s);
    banks(&s, false, true);
    for (unsigned w = 0; w < SLOTS; w++) none(&s), span(&s, 10 * w + round, 3), order(&s, PFU_PREFETCH, w);
    if (round) banks(&s, true, true), turns(&s, 3 * SLOTS), banks(&s, false, true);
    turns(&s, 5);
    banks(&s, true, false); /* a fetch needs no bank of the cache */
    turns(&s, 7);
    banks(&s, true, true);
    for (unsigned w = 0; w < SLOTS; w++) until(&s, w, PFU_IDLE);
    put_command(&s, PFU_ACTIVATE, SLOTS);
    turn(&s);
    banks(&s, true, false);
    for (unsigned w = 0; w < SLOTS; w++) order(&s, PFU_DEACTIVATE, w);
    banks(&s, false, false), turns(&s, 3);
    banks(&s, false, true), turns(&s, 3);
    banks(&s, true, false), turns(&s, 3);
    banks(&s, true, true);
    order(&s, PFU_ACTIVATE, SLOTS); /* takes the first one that becomes free */
    for (unsigned w = 0; w < SLOTS; w++) until(&s, w, PFU_IDLE);
    run(&s, PFU_DEACTIVATE, SLOTS);
    for (unsigned w = SLOTS; w; w--) order(&s, PFU_ACTIVATE, w - 1);
    for (unsigned w = 0; w < SLOTS; w++) until(&s, w, PFU_IDLE);
  }
}

/* Slots become free in another order than they were taken, one of them beside an ACTIVATE, with 0, 1 and more free. */
static void releases_beside_acts(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned w = 0; w < 2 * SLOTS; w++) start(&s, w, ALL_LIVE);
  for (unsigned w = 0; w < SLOTS; w++) run(&s, PFU_ACTIVATE, w);
  for (unsigned i = 0; i < 8; i++) {
    const unsigned leaves = (3 * i + 2) % SLOTS, free = i % 4;
    unsigned gone[3];
    for (unsigned k = 0; k < free && k < 3; k++) {
      gone[k] = (leaves + 1 + k) % SLOTS;
      run(&s, PFU_DEACTIVATE, gone[k]);
    }
    order(&s, PFU_DEACTIVATE, leaves);
    until(&s, leaves, PFU_DONE); /* told in this cycle */
    order(&s, PFU_ACTIVATE, SLOTS + i % SLOTS);
    until(&s, SLOTS + i % SLOTS, PFU_IDLE);
    run(&s, PFU_DEACTIVATE, SLOTS + i % SLOTS);
    for (unsigned k = 0; k < free; k++) run(&s, PFU_ACTIVATE, gone[k]);
    run(&s, PFU_ACTIVATE, leaves);
  }
}

/* Slots are done together, beginning at each of them: DEACTIVATEs wait for starts, the others do not. */
static void done_together(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned w = 0; w < SLOTS; w++) bring_up(&s, w, ALL_LIVE);
  for (unsigned i = 0; i < 2 * SLOTS; i++) {
    const unsigned a = i % SLOTS, b = (i + 1) % SLOTS, c = (i + 3) % SLOTS, d = (i + 2) % SLOTS;
    none(&s);
    put_command(&s, PFU_DEACTIVATE, a), put_start(&s, 40, i % 3), turn(&s);
    put_command(&s, PFU_DEACTIVATE, b), put_start(&s, 41, i % 3), turn(&s);
    put_command(&s, PFU_DEACTIVATE, c), put_start(&s, 42, i % 3), turn(&s);
    put_start(&s, 40, ODD_LIVE), turn(&s);
    put_command(&s, i % 2 ? PFU_PREFETCH : PFU_END, d), put_start(&s, 43, i % 3), turn(&s);
    for (unsigned k = 0; k < 1 + i % 3; k++) put_start(&s, 44, k), turn(&s); /* d is done, the others wait */
    turns(&s, 5);
    for (unsigned w = 0; w < SLOTS; w++) {
      if (!s.o.warp[w].active) bring_up(&s, w, ALL_LIVE);
    }
  }
  banks(&s, false, true); /* reads of all come back, so that they wait and are done one after another */
  for (unsigned w = 0; w < SLOTS; w++) none(&s), span(&s, 20 * w, 1), order(&s, PFU_PREFETCH, w);
  s.no_fr = true;
  banks(&s, true, true);
  turns(&s, SLOTS + 4);
  s.no_fr = false;
  for (unsigned w = 0; w < SLOTS; w++) until(&s, w, PFU_IDLE);
}

/* What a warp keeps while it has no slot: working set and live registers, in each slot, with none, some and all banks. */
static void comes_back(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned i = 0; i < 2 * SLOTS; i++) {
    const unsigned w = 7, n = i % 3 == 0 ? PLACES : i % 3 == 1 ? 0 : 3, other = 30 + i % 20;
    bring_up(&s, w, ODD_LIVE);
    pref(&s, w, 60 + 5 * i, n);
    for (unsigned k = 0; k < n; k += 2) put_issue(&s, w, 60 + 5 * i + k, i % 2, k), turn(&s);
    run(&s, PFU_DEACTIVATE, w);
    put_write(&s, 1, w, 60 + 5 * i);
    turn(&s);
    if (i % 2) bring_up(&s, other, ALL_LIVE), pref(&s, other, 100, 2);
    run(&s, PFU_ACTIVATE, w);
    turns(&s, 2);
    run(&s, PFU_PREFETCH, w); /* the last vector */
    if (i % 2) run(&s, PFU_END, other);
    run(&s, i % 4 == 3 ? PFU_END : PFU_DEACTIVATE, w);
  }
  for (unsigned i = 0; i < SLOTS; i++) { /* a warp leaves and comes in the next cycle */
    start(&s, 50, ALL_LIVE);
    run(&s, PFU_ACTIVATE, 50);
    pref(&s, 50, 100 + i, 4);
    order(&s, PFU_DEACTIVATE, 50);
    order(&s, PFU_ACTIVATE, 50);
    until(&s, 50, PFU_IDLE);
    run(&s, PFU_DEACTIVATE, 50);
  }
}

/* END with registers, with none and with all banks; what the warp had is not there when it begins anew. */
static void ends(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned i = 0; i < 9; i++) {
    const unsigned n = i % 3 == 0 ? 0 : i % 3 == 1 ? PLACES : 2;
    start(&s, 9, NONE_LIVE);
    if (i % 2) start(&s, 9, i % 4);
    run(&s, PFU_ACTIVATE, 9);
    pref(&s, 9, 120, n);
    if (i > 4) run(&s, PFU_DEACTIVATE, 9), run(&s, PFU_ACTIVATE, 9);
    put_command(&s, PFU_END, 9);
    turn(&s);
    until(&s, 9, PFU_IDLE);
    put_look(&s, 9, 6, 119, 1);
    turn(&s);
  }
}

/* Each command for a warp that is not active, and in each state of its slot. */
static void refusals(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned op = PFU_ACTIVATE; op <= PFU_END; op++) {
    const unsigned w = 11 + op;
    none(&s), span(&s, 50, 4);
    for (unsigned k = PFU_DEACTIVATE; k <= PFU_END; k++) put_command(&s, k, w), turn(&s);
    start(&s, w, ALL_LIVE);
    for (unsigned round = 0; round < 4; round++) {
      static const unsigned does[] = {PFU_ACTIVATE, PFU_PREFETCH, PFU_PREFETCH, PFU_DEACTIVATE};
      banks(&s, false, false);
      none(&s), span(&s, 50 + 3 * round, 4);
      order(&s, does[round], w);
      for (unsigned n = 0; n < 4 * PLACES && s.o.warp[w].active; n++) {
        if (n == 4) banks(&s, true, true);
        if (s.o.warp[w].step == PFU_IDLE) break;
        put_command(&s, op, w);
        turn(&s);
      }
      until(&s, w, PFU_IDLE);
    }
    run(&s, PFU_ACTIVATE, w);
    for (unsigned k = PFU_ACTIVATE; k <= PFU_END; k++) { /* ready without valid */
      s.in.command_i = k, s.in.command_warp_i = w;
      turn(&s);
      s.in.command_i = k, s.in.command_warp_i = w + 1;
      turn(&s);
    }
  }
}

/* ---- main register file ---- */

/* Reads that come back at once, while others are asked for, and when all are under way; of two slots in turn. */
static void latencies(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 1, ALL_LIVE), bring_up(&s, 2, ALL_LIVE);
  for (unsigned i = 0; i < 14; i++) {
    s.latency = i < 5 ? 1 + i : i % 2 ? PLACES + 3 : 3;
    none(&s), span(&s, 40 * i, i % 3 == 2 ? 1 + i / 3 : PLACES);
    order(&s, PFU_PREFETCH, 1);
    if (i > 6) order(&s, PFU_PREFETCH, 2);
    until(&s, 1, PFU_IDLE), until(&s, 2, PFU_IDLE);
  }
}

/* One bank of the MRF, one of the cache, is not ready for a while: that of the request, or another. */
static void one_bank(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 3, ALL_LIVE), bring_up(&s, 62, ALL_LIVE);
  for (unsigned i = 0; i < 24; i++) {
    const unsigned from = 29 * i % REGS, bank = (from + 3 + i % 2) % BANKS, w = i % 3 ? 3 : 62;
    memset(s.mrf, 0xff, sizeof s.mrf);
    if (i % 2) memset(s.mrf, 0, sizeof s.mrf);
    words_set(s.mrf, bank, 1, i % 2);
    none(&s), span(&s, from, 3);
    order(&s, PFU_PREFETCH, w);
    turns(&s, 4);
    banks(&s, true, true);
    until(&s, w, PFU_IDLE);
    const unsigned place = s.o.warp[w].place[from];
    s.rfc = i % 2 ? 1u << place : ~(1u << place);
    order(&s, PFU_DEACTIVATE, w);
    turns(&s, 4);
    banks(&s, true, true);
    until(&s, w, PFU_IDLE);
    run(&s, PFU_ACTIVATE, w);
  }
}

/* ---- writes ---- */

/* A write through each port holds the register that leaves; of another register, of another warp, or without a valid it does not. */
static void writes_hold(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 4, ALL_LIVE), bring_up(&s, 5, ALL_LIVE);
  for (unsigned i = 0; i < 7 * WRITES; i++) {
    const unsigned k = i % WRITES, by = i / WRITES, one = 70 + i;
    pref(&s, 4, one, 3), pref(&s, 5, one, 3);
    if (by == 3) put_issue(&s, 4, one, false, i), turn(&s); /* one that is dead waits, too */
    none(&s);
    order(&s, by == 2 ? PFU_DEACTIVATE : PFU_PREFETCH, 4);
    if (by == 4) order(&s, PFU_PREFETCH, 5); /* leaves meanwhile */
    for (unsigned n = 0; n < 1 + 2 * by; n++) {
      put_write(&s, k, by == 1 || by == 6 ? 5 : 4, by == 0 ? one + 1 : one);
      for (unsigned j = 0; by == 6 && j < WRITES; j++)
        if (j != k) put_no_write(&s, j, 4, one);
      if (by == 5) put_write(&s, (k + 1) % WRITES, 4, one + 1), put_write(&s, (k + 2) % WRITES, 5, one);
      turn(&s);
    }
    until(&s, 4, PFU_IDLE), until(&s, 5, PFU_IDLE);
    if (by == 2) run(&s, PFU_ACTIVATE, 4);
  }
}

/* Writes of a register before it is asked for, while it comes, in the cycle in which it comes, and after that. */
static void writes_of_what_comes(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 6, ALL_LIVE);
  for (unsigned i = 0; i < 2 * WRITES; i++) {
    pref(&s, 6, 0, 0);
    s.latency = 1 + i % 5;
    none(&s), span(&s, 90 + i, 2);
    order(&s, PFU_PREFETCH, 6);
    for (unsigned n = 0; n < 14; n++) put_write(&s, i % WRITES, 6, 90 + i), turn(&s);
  }
  for (unsigned n = 0; n < 8; n++) {
    for (unsigned k = 0; k < WRITES; k++) put_write(&s, k, 6, 95 + k + n % 3);
    turn(&s);
  }
}

/* ---- look-ups ---- */

/* Look-ups of n sources one after another; the register of each source alone is there. */
static void each_source(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) bring_up(&s, 8 + p, ALL_LIVE);
  for (unsigned k = 0; k < SOURCES; k++) {
    for (unsigned p = 0; p < PORTS; p++) pref(&s, 8 + p, 40 + k, 1);
    for (unsigned n = 1; n <= SOURCES; n++) {
      for (unsigned twice = 0; twice < 2; twice++) {
        for (unsigned p = 0; p < PORTS; p++) put_look(&s, 8 + p, n, 40, 1);
        turns(&s, (n + 1) / 2);
      }
    }
    if (k % 2) turn(&s);
  }
}

/* A look-up while its warp's registers come and leave, one cycle later each time. */
static void look_between(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) {
    const unsigned w = 12 + p;
    bring_up(&s, w, p % 2 ? ODD_LIVE : ALL_LIVE);
    for (unsigned i = 0; i < 24; i++) {
      none(&s), span(&s, 30 + 2 * (i & 1), 2);
      order(&s, PFU_PREFETCH, w);
      turns(&s, i / 2);
      put_look(&s, w, 6, 30, 0);
      turns(&s, 3);
      until(&s, w, PFU_IDLE);
    }
  }
}

/* A look-up while its warp leaves its slot, gets one, or gets another one. */
static void look_across(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  begin_case(&s, t, r);
  bring_up(&s, 60, ALL_LIVE);
  for (unsigned i = 0; i < 8 * PORTS; i++) {
    const unsigned w = 16 + i % PORTS, kind = i / PORTS % 4, n = i < 4 * PORTS ? 6 : 4;
    if (!s.o.warp[w].active) bring_up(&s, w, ALL_LIVE);
    pref(&s, w, 30, 4);
    if (kind == 0 || kind == 1) { /* the last cycle of an END; the one before it */
      order(&s, PFU_END, w);
      if (kind == 1) {
        turn(&s);
        start(&s, w, ALL_LIVE);
        put_command(&s, PFU_ACTIVATE, w);
      }
      put_look(&s, w, n, 30, 0);
      turns(&s, 4);
      until(&s, w, PFU_IDLE);
    } else if (kind == 2) { /* as a DEACTIVATE is told, and an ACTIVATE follows it at once */
      order(&s, PFU_DEACTIVATE, w);
      until(&s, w, PFU_DONE);
      put_look(&s, w, n, 30, 0);
      put_command(&s, PFU_ACTIVATE, w), turn(&s);
      put_command(&s, PFU_ACTIVATE, w), turn(&s);
      turns(&s, 3);
      until(&s, w, PFU_IDLE);
    } else { /* in the cycle of the ACTIVATE */
      run(&s, PFU_DEACTIVATE, w);
      put_look(&s, w, n, 30, 1);
      put_command(&s, PFU_ACTIVATE, w), turn(&s);
      turns(&s, 3);
      until(&s, w, PFU_IDLE);
    }
    if (s.o.warp[w].active) run(&s, PFU_END, w);
  }
}

/* ---- resets ---- */

static void resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias bias = {8,  60, 80, 10, 30, 5, 5,  60, 60,   60,   30, 20,
                                   40, 5,  80, 2,  5,  6, 90, 0,  HALF, HALF, 0};
  struct sim s;
  for (unsigned i = 0; i < 36; i++) {
    bool there = false;
    begin(&s, t, r, &bias);
    for (unsigned n = 0; n < 400 && !(there && n > 20); n++) {
      some(&s, 1);
      there = false;
      for (unsigned k = 0; k < SLOTS; k++) there |= holds(&s.o, k) && holds(&s.o, k)->step == i % 6;
    }
    for (unsigned k = 0; k < SLOTS; k++) {
      const struct warp *w = holds(&s.o, k);
      if (w) hit(&s, BIN_reset_in_idle + w->step);
      hit_if(&s, w && w->reads, BIN_reset_with_reads);
    }
    for (unsigned p = 0; p < PORTS; p++) hit_if(&s, s.o.look[p].busy, BIN_reset_in_look);
    hit_if(&s, s.o.teller && s.o.arbiter, BIN_reset_with_dptr);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"each_register", each_register},
                                       {"each_slot", each_slot},
                                       {"each_difference", each_difference},
                                       {"vectors", vectors},
                                       {"issues", issues},
                                       {"all_slots", all_slots},
                                       {"releases_beside_acts", releases_beside_acts},
                                       {"done_together", done_together},
                                       {"comes_back", comes_back},
                                       {"ends", ends},
                                       {"refusals", refusals},
                                       {"latencies", latencies},
                                       {"one_bank", one_bank},
                                       {"writes_hold", writes_hold},
                                       {"writes_of_what_comes", writes_of_what_comes},
                                       {"each_source", each_source},
                                       {"look_between", look_between},
                                       {"look_across", look_across},
                                       {"resets", resets},
                                       {NULL, NULL}};

#endif

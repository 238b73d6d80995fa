/* SPDX-License-Identifier: Apache-2.0 */
/* Part of pfu's bench, included once, after pfu_run_cycle(): the directed cases. */
#ifndef RT_TB_PFU_CASES_H
#define RT_TB_PFU_CASES_H

enum { LONGEST = 4000, NONE_LIVE = 0, ALL_LIVE = 1, ODD_LIVE = 2 };

/* ---- orders ---- */

static void pfu_begin_case(struct sim *s, struct tb_run *t, struct tb_rng *r) {
  pfu_sim_begin(s, t, r, NULL);
  memset(s->mrf, 0xff, sizeof s->mrf);
  s->rfc = UINT32_MAX;
  s->latency = 2;
}

static void pfu_set_banks(struct sim *s, bool mrf, bool rfc) {
  memset(s->mrf, mrf ? 0xff : 0, sizeof s->mrf);
  s->rfc = rfc ? UINT32_MAX : 0;
}

/* A cycle with what has been put into s->in; the memory does the rest. */
static void pfu_run_turn(struct sim *s) {
  words_copy(s->in.main_ready_i, 0, s->mrf, 0, BANKS);
  s->in.cache_ready_i = s->rfc & (uint32_t)((UINT64_C(1) << PLACES) - 1);
  if (!s->no_fr && s->asked && s->reads[0].due <= s->now) pfu_user_answer_read(s, 0);
  pfu_run_cycle(s);
  memset(&s->in, 0, sizeof s->in);
}
static void pfu_run_turns(struct sim *s, unsigned n) {
  for (; n; n--) pfu_run_turn(s);
}

static void pfu_clear_vector(struct sim *s) { memset(s->vector, 0, sizeof s->vector); }
static void pfu_add_span(struct sim *s, unsigned from, unsigned n) {
  for (unsigned i = 0; i < n; i++) s->vector[(from + i) % REGS] = true;
}

static void pfu_put_start(struct sim *s, unsigned w, unsigned live) {
  s->in.start_valid_i = 1, s->in.start_warp_i = w;
  for (unsigned k = 0; k < PFU_WORDS; k++)
    s->in.start_live_i[k] = live == ALL_LIVE ? UINT64_MAX : live == ODD_LIVE ? UINT64_C(0xaaaaaaaaaaaaaaaa) : 0;
}

/* The command is on the port in this cycle. True: it will be taken. */
static bool pfu_put_command(struct sim *s, unsigned op, unsigned w) {
  s->in.command_valid_i = 1, s->in.command_i = op, s->in.command_warp_i = w;
  pfu_user_put_vector(s);
  return pfu_oracle_is_ready(&s->o, op, w);
}

static void pfu_give_command(struct sim *s, unsigned op, unsigned w) {
  for (unsigned n = 0;; n++) {
    bool taken = pfu_put_command(s, op, w);
    pfu_run_turn(s);
    if (taken) return;
    tb_expect(s->t, n < LONGEST, "a command of the case is not taken");
  }
}

static void pfu_run_until(struct sim *s, unsigned w, unsigned step) {
  for (unsigned n = 0; s->o.warp[w].active && s->o.warp[w].step != step; n++) {
    pfu_run_turn(s);
    tb_expect(s->t, n < LONGEST, "a warp of the case does not get so far");
  }
}

static void pfu_run_command(struct sim *s, unsigned op, unsigned w) {
  pfu_give_command(s, op, w);
  pfu_run_until(s, w, PFU_IDLE);
}

static void pfu_run_start(struct sim *s, unsigned w, unsigned live) {
  pfu_put_start(s, w, live);
  pfu_run_turn(s);
}

static void pfu_bring_up(struct sim *s, unsigned w, unsigned live) {
  if (!s->begun[w]) pfu_run_start(s, w, live);
  pfu_run_command(s, PFU_ACTIVATE, w);
}

static void pfu_run_prefetch(struct sim *s, unsigned w, unsigned from, unsigned n) {
  pfu_clear_vector(s);
  pfu_add_span(s, from, n);
  pfu_run_command(s, PFU_PREFETCH, w);
}

static void pfu_put_look_up(struct sim *s, unsigned w, unsigned n, unsigned from, unsigned step) {
  const unsigned p = w % PORTS;
  s->in.lookup_valid_i |= UINT64_C(1) << p;
  s->in.lookup_warp_i[p] = (uint8_t)w;
  s->in.lookup_count_i[p] = (uint8_t)n;
  for (unsigned k = 0; k < SOURCES; k++) s->in.lookup_source_i[p][k] = (uint8_t)((from + k * step) % REGS);
}

/* What a port shows that writes nothing. */
static void pfu_put_no_write(struct sim *s, unsigned k, unsigned w, unsigned r) {
  s->in.result_warp_i[k] = (uint8_t)w;
  s->in.result_register_i[k] = (uint8_t)r;
}
static void pfu_put_write(struct sim *s, unsigned k, unsigned w, unsigned r) {
  s->in.result_valid_i |= UINT64_C(1) << k;
  pfu_put_no_write(s, k, w, r);
}

/* An instruction that reads r for the last time, as source k, or writes it, as destination k. */
static void pfu_put_issue(struct sim *s, unsigned w, unsigned r, bool writes, unsigned k) {
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
static void pfu_case_each_register(struct tb_run *t, struct tb_rng *r) {
  static const unsigned warps[] = {0, 63};
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned i = 0; i < 2; i++) {
    const unsigned w = warps[i];
    pfu_bring_up(&s, w, i ? ODD_LIVE : ALL_LIVE);
    for (unsigned from = 0; from < REGS; from += PLACES) {
      pfu_run_prefetch(&s, w, from, PLACES);
      for (unsigned k = 0; k < PLACES; k++) {
        if (pfu_oracle_look_ready(&s.o, w % PORTS)) pfu_put_look_up(&s, w, 1 + k % SOURCES, from + k, 1);
        pfu_put_write(&s, k % WRITES, w, from + k);
        pfu_put_write(&s, (k + 1) % WRITES, w, (from + k + 1) % REGS);
        if (k % 3 == i) pfu_put_issue(&s, w, from + k, false, k);
        if (k % 5 == 4) pfu_put_issue(&s, w, from + k, true, k);
        pfu_run_turn(&s);
      }
    }
    pfu_run_command(&s, PFU_DEACTIVATE, w);
  }
}

/* Every warp of the case leaves and comes back. Then its banks become free in another order, by `shift`, than they were given in. */
static void pfu_leave_and_return(struct sim *s, unsigned shift) {
  for (unsigned w = 0; w < SLOTS; w++) pfu_run_command(s, PFU_DEACTIVATE, w);
  pfu_run_turns(s, 3);
  for (unsigned w = 0; w < SLOTS; w++) {
    pfu_run_command(s, PFU_ACTIVATE, w);
    pfu_run_prefetch(s, w, 0, 0);
    pfu_run_prefetch(s, w, REGS / 2 + PLACES - shift, shift);
    pfu_run_prefetch(s, w, REGS / 2, PLACES);
  }
}

/* Every register in every slot: it comes and leaves while others stay, is looked up and issued, dies in every second pass, and has
 * another bank in most passes. */
static void pfu_case_each_slot(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned w = 0; w < SLOTS; w++) pfu_bring_up(&s, w, ALL_LIVE);
  for (unsigned pass = 0; pass < (SLOTS > 8 ? 2 : 4); pass++) { /* a pass takes as long as there are slots */
    for (unsigned from = 0; from < REGS; from += PLACES / 2) {
      for (unsigned w = 0; w < SLOTS; w++)
        pfu_clear_vector(&s), pfu_add_span(&s, from + w * PLACES, PLACES), pfu_give_command(&s, PFU_PREFETCH, w);
      for (unsigned w = 0; w < SLOTS; w++) pfu_run_until(&s, w, PFU_IDLE);
      for (unsigned k = 0; k < PLACES / 2; k++)
        for (unsigned w = 0; w < SLOTS; w++) {
          const unsigned one = from + w * PLACES + k;
          if (k % SOURCES == 0 && pfu_oracle_look_ready(&s.o, w % PORTS)) pfu_put_look_up(&s, w, SOURCES, one, 1);
          pfu_put_issue(&s, w, one % REGS, (k + w + pass) % 2, k + w);
          if (w % PORTS == PORTS - 1) pfu_run_turn(&s);
        }
    }
    pfu_leave_and_return(&s, 1 + 5 * pass % (PLACES - 1));
  }
}

/* Vectors that differ in one register; live or dead, it comes and leaves. */
static void pfu_case_each_difference(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 17, ALL_LIVE);
  pfu_run_prefetch(&s, 17, 5, 1);
  pfu_run_prefetch(&s, 17, 5, 1);
  for (unsigned i = 0; i < 2 * EDGES; i++) {
    const unsigned one = edges[i % EDGES];
    pfu_clear_vector(&s), pfu_add_span(&s, 5, 1), pfu_add_span(&s, one, 1);
    pfu_run_command(&s, PFU_PREFETCH, 17);
    pfu_run_command(&s, PFU_PREFETCH, 17);
    pfu_put_issue(&s, 17, one, i / EDGES, i);
    pfu_run_turn(&s);
    pfu_run_prefetch(&s, 17, 5, 1);
    pfu_put_issue(&s, 17, one, i / EDGES, i + 1);
    pfu_run_turn(&s);
    pfu_clear_vector(&s), pfu_add_span(&s, one, 1), pfu_add_span(&s, 5, 1);
    pfu_run_command(&s, PFU_PREFETCH, 17);
    pfu_run_prefetch(&s, 17, 5, 1);
    pfu_put_issue(&s, 17, one, true, i);
    pfu_run_turn(&s);
  }
}

/* Vectors that are full, none, disjoint, side by side, as far as the last register and from the first one. */
static void pfu_case_vectors(struct tb_run *t, struct tb_rng *r) {
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
  pfu_begin_case(&s, t, r);
  for (unsigned live = NONE_LIVE; live <= ODD_LIVE; live++) {
    pfu_bring_up(&s, 20 + live, live);
    for (unsigned i = 0; i < sizeof span_of / sizeof span_of[0]; i++)
      pfu_run_prefetch(&s, 20 + live, span_of[i][0], span_of[i][1]);
  }
}

/* An instruction that has a register both as a source that dies and as a destination; two ports in one cycle. */
static void pfu_case_issues(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) pfu_bring_up(&s, p, ODD_LIVE), pfu_run_prefetch(&s, p, 0, 8);
  for (unsigned k = 0; k < SOURCES; k++) {
    for (unsigned p = 0; p < PORTS; p++) pfu_put_issue(&s, p, k, false, k);
    pfu_run_turn(&s);
    for (unsigned p = 0; p < PORTS; p++) pfu_put_issue(&s, p, k, true, k), pfu_put_issue(&s, p, k, false, k + 1);
    pfu_run_turn(&s);
    for (unsigned p = 0; p < PORTS; p++) pfu_put_issue(&s, p, k, false, k);
    pfu_run_turn(&s);
    pfu_put_issue(&s, 0, k, true, k); /* the last instruction before a command counts */
    pfu_put_issue(&s, 0, (k + 1) % 8, false, k);
    pfu_run_turn(&s);
    pfu_run_prefetch(&s, 0, 8 * (k % 2), 8);
  }
  for (unsigned p = 0; p < PORTS; p++) {
    s.in.issue_valid_i = UINT64_C(1) << p, s.in.issue_warp_i[p] = (uint8_t)p; /* dead, but no source; no destination */
    s.in.issue_dead_i[p] = (1u << SOURCES) - 1;
    pfu_run_turn(&s);
    pfu_run_command(&s, PFU_DEACTIVATE, p);
    pfu_run_command(&s, PFU_ACTIVATE, p);
  }
}

/* ---- slots ---- */

/* All slots are taken and ask for nothing, all for a read, all for a write; then one more warp wants a slot. */
static void pfu_case_all_slots(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned w = 0; w <= SLOTS; w++) pfu_run_start(&s, w, ALL_LIVE);
  for (unsigned w = 0; w < SLOTS; w++) pfu_run_command(&s, PFU_ACTIVATE, w);
  for (unsigned round = 0; round < 2; round++) {
    pfu_put_command(&s, PFU_ACTIVATE, SLOTS);
    pfu_run_turn(&s);
    pfu_set_banks(&s, false, true);
    for (unsigned w = 0; w < SLOTS; w++)
      pfu_clear_vector(&s), pfu_add_span(&s, 10 * w + round, 3), pfu_give_command(&s, PFU_PREFETCH, w);
    if (round) pfu_set_banks(&s, true, true), pfu_run_turns(&s, 3 * SLOTS), pfu_set_banks(&s, false, true);
    pfu_run_turns(&s, 5);
    pfu_set_banks(&s, true, false); /* a fetch needs no bank of the cache */
    pfu_run_turns(&s, 7);
    pfu_set_banks(&s, true, true);
    for (unsigned w = 0; w < SLOTS; w++) pfu_run_until(&s, w, PFU_IDLE);
    pfu_put_command(&s, PFU_ACTIVATE, SLOTS);
    pfu_run_turn(&s);
    pfu_set_banks(&s, true, false);
    for (unsigned w = 0; w < SLOTS; w++) pfu_give_command(&s, PFU_DEACTIVATE, w);
    pfu_set_banks(&s, false, false), pfu_run_turns(&s, 3);
    pfu_set_banks(&s, false, true), pfu_run_turns(&s, 3);
    pfu_set_banks(&s, true, false), pfu_run_turns(&s, 3);
    pfu_set_banks(&s, true, true);
    pfu_give_command(&s, PFU_ACTIVATE, SLOTS); /* takes the first one that becomes free */
    for (unsigned w = 0; w < SLOTS; w++) pfu_run_until(&s, w, PFU_IDLE);
    pfu_run_command(&s, PFU_DEACTIVATE, SLOTS);
    for (unsigned w = SLOTS; w; w--) pfu_give_command(&s, PFU_ACTIVATE, w - 1);
    for (unsigned w = 0; w < SLOTS; w++) pfu_run_until(&s, w, PFU_IDLE);
  }
}

/* Slots become free in another order than they were taken, one of them beside an ACTIVATE, with 0, 1 and more free. */
static void pfu_case_releases_beside_acts(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned w = 0; w < 2 * SLOTS; w++) pfu_run_start(&s, w, ALL_LIVE);
  for (unsigned w = 0; w < SLOTS; w++) pfu_run_command(&s, PFU_ACTIVATE, w);
  for (unsigned i = 0; i < 8; i++) {
    const unsigned leaves = (3 * i + 2) % SLOTS, free = i % 4;
    unsigned gone[3];
    for (unsigned k = 0; k < free && k < 3; k++) {
      gone[k] = (leaves + 1 + k) % SLOTS;
      pfu_run_command(&s, PFU_DEACTIVATE, gone[k]);
    }
    pfu_give_command(&s, PFU_DEACTIVATE, leaves);
    pfu_run_until(&s, leaves, PFU_DONE); /* told in this cycle */
    pfu_give_command(&s, PFU_ACTIVATE, SLOTS + i % SLOTS);
    pfu_run_until(&s, SLOTS + i % SLOTS, PFU_IDLE);
    pfu_run_command(&s, PFU_DEACTIVATE, SLOTS + i % SLOTS);
    for (unsigned k = 0; k < free; k++) pfu_run_command(&s, PFU_ACTIVATE, gone[k]);
    pfu_run_command(&s, PFU_ACTIVATE, leaves);
  }
}

/* Slots are done together, beginning at each of them: DEACTIVATEs wait for starts, the others do not. */
static void pfu_case_done_together(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned w = 0; w < SLOTS; w++) pfu_bring_up(&s, w, ALL_LIVE);
  for (unsigned i = 0; i < 2 * SLOTS; i++) {
    const unsigned a = i % SLOTS, b = (i + 1) % SLOTS, c = (i + 3) % SLOTS, d = (i + 2) % SLOTS;
    pfu_clear_vector(&s);
    pfu_put_command(&s, PFU_DEACTIVATE, a), pfu_put_start(&s, 40, i % 3), pfu_run_turn(&s);
    pfu_put_command(&s, PFU_DEACTIVATE, b), pfu_put_start(&s, 41, i % 3), pfu_run_turn(&s);
    pfu_put_command(&s, PFU_DEACTIVATE, c), pfu_put_start(&s, 42, i % 3), pfu_run_turn(&s);
    pfu_put_start(&s, 40, ODD_LIVE), pfu_run_turn(&s);
    pfu_put_command(&s, i % 2 ? PFU_PREFETCH : PFU_END, d), pfu_put_start(&s, 43, i % 3), pfu_run_turn(&s);
    for (unsigned k = 0; k < 1 + i % 3; k++)
      pfu_put_start(&s, 44, k), pfu_run_turn(&s); /* d is done, the others wait */
    pfu_run_turns(&s, 5);
    for (unsigned w = 0; w < SLOTS; w++) {
      if (!s.o.warp[w].active) pfu_bring_up(&s, w, ALL_LIVE);
    }
  }
  pfu_set_banks(&s, false, true); /* reads of all come back, so that they wait and are done one after another */
  for (unsigned w = 0; w < SLOTS; w++)
    pfu_clear_vector(&s), pfu_add_span(&s, 20 * w, 1), pfu_give_command(&s, PFU_PREFETCH, w);
  s.no_fr = true;
  pfu_set_banks(&s, true, true);
  pfu_run_turns(&s, SLOTS + 4);
  s.no_fr = false;
  for (unsigned w = 0; w < SLOTS; w++) pfu_run_until(&s, w, PFU_IDLE);
}

/* What a warp keeps while it has no slot: working set and live registers, in each slot, with none, some and all banks. */
static void pfu_case_comes_back(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned i = 0; i < 2 * SLOTS; i++) {
    const unsigned w = 7, n = i % 3 == 0 ? PLACES : i % 3 == 1 ? 0 : 3, other = 30 + i % 20;
    pfu_bring_up(&s, w, ODD_LIVE);
    pfu_run_prefetch(&s, w, 60 + 5 * i, n);
    for (unsigned k = 0; k < n; k += 2) pfu_put_issue(&s, w, 60 + 5 * i + k, i % 2, k), pfu_run_turn(&s);
    pfu_run_command(&s, PFU_DEACTIVATE, w);
    pfu_put_write(&s, 1, w, 60 + 5 * i);
    pfu_run_turn(&s);
    if (i % 2) pfu_bring_up(&s, other, ALL_LIVE), pfu_run_prefetch(&s, other, 100, 2);
    pfu_run_command(&s, PFU_ACTIVATE, w);
    pfu_run_turns(&s, 2);
    pfu_run_command(&s, PFU_PREFETCH, w); /* the last vector */
    if (i % 2) pfu_run_command(&s, PFU_END, other);
    pfu_run_command(&s, i % 4 == 3 ? PFU_END : PFU_DEACTIVATE, w);
  }
  for (unsigned i = 0; i < SLOTS; i++) { /* a warp leaves and comes in the next cycle */
    pfu_run_start(&s, 50, ALL_LIVE);
    pfu_run_command(&s, PFU_ACTIVATE, 50);
    pfu_run_prefetch(&s, 50, 100 + i, 4);
    pfu_give_command(&s, PFU_DEACTIVATE, 50);
    pfu_give_command(&s, PFU_ACTIVATE, 50);
    pfu_run_until(&s, 50, PFU_IDLE);
    pfu_run_command(&s, PFU_DEACTIVATE, 50);
  }
}

/* END with registers, with none and with all banks; what the warp had is not there when it begins anew. */
static void pfu_case_ends(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned i = 0; i < 9; i++) {
    const unsigned n = i % 3 == 0 ? 0 : i % 3 == 1 ? PLACES : 2;
    pfu_run_start(&s, 9, NONE_LIVE);
    if (i % 2) pfu_run_start(&s, 9, i % 4);
    pfu_run_command(&s, PFU_ACTIVATE, 9);
    pfu_run_prefetch(&s, 9, 120, n);
    if (i > 4) pfu_run_command(&s, PFU_DEACTIVATE, 9), pfu_run_command(&s, PFU_ACTIVATE, 9);
    pfu_put_command(&s, PFU_END, 9);
    pfu_run_turn(&s);
    pfu_run_until(&s, 9, PFU_IDLE);
    pfu_put_look_up(&s, 9, 6, 119, 1);
    pfu_run_turn(&s);
  }
}

/* Each command for a warp that is not active, and in each state of its slot. */
static void pfu_case_refusals(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned op = PFU_ACTIVATE; op <= PFU_END; op++) {
    const unsigned w = 11 + op;
    pfu_clear_vector(&s), pfu_add_span(&s, 50, 4);
    for (unsigned k = PFU_DEACTIVATE; k <= PFU_END; k++) pfu_put_command(&s, k, w), pfu_run_turn(&s);
    pfu_run_start(&s, w, ALL_LIVE);
    for (unsigned round = 0; round < 4; round++) {
      static const unsigned does[] = {PFU_ACTIVATE, PFU_PREFETCH, PFU_PREFETCH, PFU_DEACTIVATE};
      pfu_set_banks(&s, false, false);
      pfu_clear_vector(&s), pfu_add_span(&s, 50 + 3 * round, 4);
      pfu_give_command(&s, does[round], w);
      for (unsigned n = 0; n < 4 * PLACES && s.o.warp[w].active; n++) {
        if (n == 4) pfu_set_banks(&s, true, true);
        if (s.o.warp[w].step == PFU_IDLE) break;
        pfu_put_command(&s, op, w);
        pfu_run_turn(&s);
      }
      pfu_run_until(&s, w, PFU_IDLE);
    }
    pfu_run_command(&s, PFU_ACTIVATE, w);
    for (unsigned k = PFU_ACTIVATE; k <= PFU_END; k++) { /* ready without valid */
      s.in.command_i = k, s.in.command_warp_i = w;
      pfu_run_turn(&s);
      s.in.command_i = k, s.in.command_warp_i = w + 1;
      pfu_run_turn(&s);
    }
  }
}

/* ---- main register file ---- */

/* Reads that come back at once, while others are asked for, and when all are under way; of two slots in turn. */
static void pfu_case_latencies(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 1, ALL_LIVE), pfu_bring_up(&s, 2, ALL_LIVE);
  for (unsigned i = 0; i < 14; i++) {
    s.latency = i < 5 ? 1 + i : i % 2 ? PLACES + 3 : 3;
    pfu_clear_vector(&s), pfu_add_span(&s, 40 * i, i % 3 == 2 ? 1 + i / 3 : PLACES);
    pfu_give_command(&s, PFU_PREFETCH, 1);
    if (i > 6) pfu_give_command(&s, PFU_PREFETCH, 2);
    pfu_run_until(&s, 1, PFU_IDLE), pfu_run_until(&s, 2, PFU_IDLE);
  }
}

/* One bank of the MRF, one of the cache, is not ready for a while: that of the request, or another. */
static void pfu_case_one_bank(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 3, ALL_LIVE), pfu_bring_up(&s, 62, ALL_LIVE);
  for (unsigned i = 0; i < 24; i++) {
    const unsigned from = 29 * i % REGS, bank = (from + 3 + i % 2) % BANKS, w = i % 3 ? 3 : 62;
    memset(s.mrf, 0xff, sizeof s.mrf);
    if (i % 2) memset(s.mrf, 0, sizeof s.mrf);
    words_set(s.mrf, bank, 1, i % 2);
    pfu_clear_vector(&s), pfu_add_span(&s, from, 3);
    pfu_give_command(&s, PFU_PREFETCH, w);
    pfu_run_turns(&s, 4);
    pfu_set_banks(&s, true, true);
    pfu_run_until(&s, w, PFU_IDLE);
    const unsigned place = s.o.warp[w].place[from];
    s.rfc = i % 2 ? 1u << place : ~(1u << place);
    pfu_give_command(&s, PFU_DEACTIVATE, w);
    pfu_run_turns(&s, 4);
    pfu_set_banks(&s, true, true);
    pfu_run_until(&s, w, PFU_IDLE);
    pfu_run_command(&s, PFU_ACTIVATE, w);
  }
}

/* ---- writes ---- */

/* A write through each port holds the register that leaves; of another register, of another warp, or without a valid it does not. */
static void pfu_case_writes_hold(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 4, ALL_LIVE), pfu_bring_up(&s, 5, ALL_LIVE);
  for (unsigned i = 0; i < 7 * WRITES; i++) {
    const unsigned k = i % WRITES, by = i / WRITES, one = 70 + i;
    pfu_run_prefetch(&s, 4, one, 3), pfu_run_prefetch(&s, 5, one, 3);
    if (by == 3) pfu_put_issue(&s, 4, one, false, i), pfu_run_turn(&s); /* one that is dead waits, too */
    pfu_clear_vector(&s);
    pfu_give_command(&s, by == 2 ? PFU_DEACTIVATE : PFU_PREFETCH, 4);
    if (by == 4) pfu_give_command(&s, PFU_PREFETCH, 5); /* leaves meanwhile */
    for (unsigned n = 0; n < 1 + 2 * by; n++) {
      pfu_put_write(&s, k, by == 1 || by == 6 ? 5 : 4, by == 0 ? one + 1 : one);
      for (unsigned j = 0; by == 6 && j < WRITES; j++)
        if (j != k) pfu_put_no_write(&s, j, 4, one);
      if (by == 5) pfu_put_write(&s, (k + 1) % WRITES, 4, one + 1), pfu_put_write(&s, (k + 2) % WRITES, 5, one);
      pfu_run_turn(&s);
    }
    pfu_run_until(&s, 4, PFU_IDLE), pfu_run_until(&s, 5, PFU_IDLE);
    if (by == 2) pfu_run_command(&s, PFU_ACTIVATE, 4);
  }
}

/* Writes of a register before it is asked for, while it comes, in the cycle in which it comes, and after that. */
static void pfu_case_writes_of_what_comes(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 6, ALL_LIVE);
  for (unsigned i = 0; i < 2 * WRITES; i++) {
    pfu_run_prefetch(&s, 6, 0, 0);
    s.latency = 1 + i % 5;
    pfu_clear_vector(&s), pfu_add_span(&s, 90 + i, 2);
    pfu_give_command(&s, PFU_PREFETCH, 6);
    for (unsigned n = 0; n < 14; n++) pfu_put_write(&s, i % WRITES, 6, 90 + i), pfu_run_turn(&s);
  }
  for (unsigned n = 0; n < 8; n++) {
    for (unsigned k = 0; k < WRITES; k++) pfu_put_write(&s, k, 6, 95 + k + n % 3);
    pfu_run_turn(&s);
  }
}

/* ---- look-ups ---- */

/* Look-ups of n sources one after another; the register of each source alone is there. */
static void pfu_case_each_source(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) pfu_bring_up(&s, 8 + p, ALL_LIVE);
  for (unsigned k = 0; k < SOURCES; k++) {
    for (unsigned p = 0; p < PORTS; p++) pfu_run_prefetch(&s, 8 + p, 40 + k, 1);
    for (unsigned n = 1; n <= SOURCES; n++) {
      for (unsigned twice = 0; twice < 2; twice++) {
        for (unsigned p = 0; p < PORTS; p++) pfu_put_look_up(&s, 8 + p, n, 40, 1);
        pfu_run_turns(&s, (n + 1) / 2);
      }
    }
    if (k % 2) pfu_run_turn(&s);
  }
}

/* A look-up while its warp's registers come and leave, one cycle later each time. */
static void pfu_case_look_between(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  for (unsigned p = 0; p < PORTS; p++) {
    const unsigned w = 12 + p;
    pfu_bring_up(&s, w, p % 2 ? ODD_LIVE : ALL_LIVE);
    for (unsigned i = 0; i < 24; i++) {
      pfu_clear_vector(&s), pfu_add_span(&s, 30 + 2 * (i & 1), 2);
      pfu_give_command(&s, PFU_PREFETCH, w);
      pfu_run_turns(&s, i / 2);
      pfu_put_look_up(&s, w, 6, 30, 0);
      pfu_run_turns(&s, 3);
      pfu_run_until(&s, w, PFU_IDLE);
    }
  }
}

/* A look-up while its warp leaves its slot, gets one, or gets another one. */
static void pfu_case_look_across(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  pfu_begin_case(&s, t, r);
  pfu_bring_up(&s, 60, ALL_LIVE);
  for (unsigned i = 0; i < 8 * PORTS; i++) {
    const unsigned w = 16 + i % PORTS, kind = i / PORTS % 4, n = i < 4 * PORTS ? 6 : 4;
    if (!s.o.warp[w].active) pfu_bring_up(&s, w, ALL_LIVE);
    pfu_run_prefetch(&s, w, 30, 4);
    if (kind == 0 || kind == 1) { /* the last cycle of an END; the one before it */
      pfu_give_command(&s, PFU_END, w);
      if (kind == 1) {
        pfu_run_turn(&s);
        pfu_run_start(&s, w, ALL_LIVE);
        pfu_put_command(&s, PFU_ACTIVATE, w);
      }
      pfu_put_look_up(&s, w, n, 30, 0);
      pfu_run_turns(&s, 4);
      pfu_run_until(&s, w, PFU_IDLE);
    } else if (kind == 2) { /* as a DEACTIVATE is told, and an ACTIVATE follows it at once */
      pfu_give_command(&s, PFU_DEACTIVATE, w);
      pfu_run_until(&s, w, PFU_DONE);
      pfu_put_look_up(&s, w, n, 30, 0);
      pfu_put_command(&s, PFU_ACTIVATE, w), pfu_run_turn(&s);
      pfu_put_command(&s, PFU_ACTIVATE, w), pfu_run_turn(&s);
      pfu_run_turns(&s, 3);
      pfu_run_until(&s, w, PFU_IDLE);
    } else { /* in the cycle of the ACTIVATE */
      pfu_run_command(&s, PFU_DEACTIVATE, w);
      pfu_put_look_up(&s, w, n, 30, 1);
      pfu_put_command(&s, PFU_ACTIVATE, w), pfu_run_turn(&s);
      pfu_run_turns(&s, 3);
      pfu_run_until(&s, w, PFU_IDLE);
    }
    if (s.o.warp[w].active) pfu_run_command(&s, PFU_END, w);
  }
}

/* ---- resets ---- */

static void pfu_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias bias = {8,  60, 80, 10, 30, 5, 5,  60, 60,   60,   30, 20,
                                   40, 5,  80, 2,  5,  6, 90, 0,  HALF, HALF, 0};
  struct sim s;
  for (unsigned i = 0; i < 36; i++) {
    bool there = false;
    pfu_sim_begin(&s, t, r, &bias);
    for (unsigned n = 0; n < 400 && !(there && n > 20); n++) {
      pfu_run_random(&s, 1);
      there = false;
      for (unsigned k = 0; k < SLOTS; k++)
        there |= pfu_oracle_const_holder(&s.o, k) && pfu_oracle_const_holder(&s.o, k)->step == i % 6;
    }
    for (unsigned k = 0; k < SLOTS; k++) {
      const struct warp *w = pfu_oracle_const_holder(&s.o, k);
      if (w) tb_hit(t, BIN_reset_in_idle + w->step);
      tb_hit_if(t, w && w->reads, BIN_reset_with_reads);
    }
    for (unsigned p = 0; p < PORTS; p++) tb_hit_if(t, s.o.look[p].busy, BIN_reset_in_look);
    tb_hit_if(t, s.o.teller && s.o.arbiter, BIN_reset_with_dptr);
    tb_reset(t);
  }
}

static const struct tb_case cases[] = {{"each_register", pfu_case_each_register},
                                       {"each_slot", pfu_case_each_slot},
                                       {"each_difference", pfu_case_each_difference},
                                       {"vectors", pfu_case_vectors},
                                       {"issues", pfu_case_issues},
                                       {"all_slots", pfu_case_all_slots},
                                       {"releases_beside_acts", pfu_case_releases_beside_acts},
                                       {"done_together", pfu_case_done_together},
                                       {"comes_back", pfu_case_comes_back},
                                       {"ends", pfu_case_ends},
                                       {"refusals", pfu_case_refusals},
                                       {"latencies", pfu_case_latencies},
                                       {"one_bank", pfu_case_one_bank},
                                       {"writes_hold", pfu_case_writes_hold},
                                       {"writes_of_what_comes", pfu_case_writes_of_what_comes},
                                       {"each_source", pfu_case_each_source},
                                       {"look_between", pfu_case_look_between},
                                       {"look_across", pfu_case_look_across},
                                       {"resets", pfu_case_resets},
                                       {NULL, NULL}};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Part of rmu's bench, included once: the directed cases of the pipelined engine. The times of the page's table are compared in every
 * command of every case (rmu_pipelined.h); the cases see to it that each row applies. */
#ifndef RT_TB_RMU_PIPELINED_CASES_H
#define RT_TB_RMU_PIPELINED_CASES_H

enum { OTHER = 127, FIRST_PC = SIZED }; /* OTHER: a CTA that takes the entries not wanted */

/* A CTA in this slot whose warps are at one instruction with these live registers; its number is a kernel's PC. */
static void at_vector(struct sim *s, unsigned c, unsigned slot, unsigned nw, unsigned pc, uint64_t vector) {
  active(s, c, slot, nw, 0);
  s->vec[pc] = vector;
  for (unsigned w = 0; w < nw; w++) {
    s->cta[c].at[w] = (uint8_t)pc;
  }
}

static void end_cta(struct sim *s, unsigned c) {
  s->slot[s->cta[c].slot].taken = false;
  s->cta[c].place = GONE;
}

/* The page's example, and the same with no entry free. */
static void example(struct tb_run *t, struct tb_rng *r) {
  enum { CYCLES = 13 };
  static const struct {
    unsigned free, done, state[CYCLES], spare[CYCLES], count[CYCLES], ard[CYCLES], awr[CYCLES];
  } page[] = {{2,
               12,
               {0, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 9},
               {0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 2, 2},
               {0, 2, 2, 2, 2, 2, 2, 3, 3, 3, 2, 2},
               {0, 0, 0, 0, 0, 1, 2, 3},
               {0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1}},
              {0,
               13,
               {0, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 9},
               {0},
               {0},
               {0, 0, 0, 0, 0, 0, 0, 3, 2, 1},
               {0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1}}};
  struct sim s;
  jmp_buf end;
  for (unsigned i = 0; i < 2; i++) {
    tb_reset(t);
    init(&s, t, r, &at_once, &end);
    take_entries(&s, OTHER, ENTRIES - 3 - page[i].free);
    at_vector(&s, 1, 0, 1, FIRST_PC, 14);
    run(&s, RMU_SPILL, 1, 0);
    at_vector(&s, 2, 3, 1, FIRST_PC, 14);
    run(&s, RMU_SWAP, 2, 1);
    unsigned done = (unsigned)(s.now - s.time.t);
    tb_expect(t, done == page[i].done, "the example took %u cycles, expected %u", done, page[i].done);
    for (unsigned c = 1; c < done; c++) {
      tb_expect(t,
                s.time.log[c].state == page[i].state[c] && s.time.log[c].ard == page[i].ard[c] &&
                    s.time.log[c].awr == page[i].awr[c],
                "example: cycle %u: state %u, ard %u, awr %u", c, s.time.log[c].state, s.time.log[c].ard,
                s.time.log[c].awr);
      tb_expect(t, i || (s.time.log[c].spare == page[i].spare[c] && s.time.log[c].free == page[i].count[c]),
                "example: cycle %u: sp %u, free %u", c, s.time.log[c].spare, s.time.log[c].free);
    }
    idle_cycle(&s);
  }
}

/* Swaps of equal, disjoint and overlapping sets, to and fro, with 0, 1, 2 and more entries free; rows of one register and more. */
static void swaps(struct sim *s, unsigned free, unsigned nw, uint64_t va, uint64_t vb) {
  const unsigned n = nw * ones(vb);
  take_entries(s, OTHER, ENTRIES - n - free);
  at_vector(s, 1, 0, nw, FIRST_PC, vb);
  run(s, RMU_SPILL, 1, 0);
  at_vector(s, 2, 3, nw, FIRST_PC + 2, va);
  for (unsigned i = 0; i < 2; i++) {
    run(s, RMU_SWAP, 2, 1);
    run(s, RMU_SWAP, 1, 2);
  }
  idle_cycle(s);
  end_cta(s, 2);
  bring_and_end(s, 1);
  free_entries(s, OTHER);
}

static void sets_by_free(struct tb_run *t, struct tb_rng *r) {
  static const uint64_t vb[] = {1, 3, 0x700f};
  static const unsigned free[] = {0, 1, 2, 40};
  struct bias k = at_once;
  struct sim s;
  jmp_buf end;
  for (unsigned i = 0; i < 4 * 3 * 3; i++) {
    uint64_t b = vb[i % 3], a = i / 3 % 3 == EQUAL - 1      ? b
                                : i / 3 % 3 == DISJOINT - 1 ? b << 20
                                                            : (b << 1 | b) & ~UINT64_C(1);
    tb_reset(t);
    init(&s, t, r, &k, &end);
    swaps(&s, free[i / 9], 3, ones(a) == ones(b) || free[i / 9] > 2 ? a : b << 1, b);
  }
}

/* Reads that take one to three cycles, with look-ups that hit. */
static void latencies(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  for (unsigned late = 1; late <= 3; late++) {
    for (unsigned i = 0; i < 6; i++) {
      struct bias k = at_once;
      k.late = late;
      tb_reset(t);
      init(&s, t, r, &k, &end);
      swaps(&s, i * i, 1 + i, i & 1 ? 0xff0 : 0xff, 0xff);
    }
  }
}

/* Spills and restores of all sizes, twice, so that the second one's look-ups hit; the last warp live or not. */
static void times(struct tb_run *t, struct tb_rng *r) {
  static const unsigned count[] = {0, 1, 2, 3, 4, 5, 6, 8, 13, 63, 64, 200};
  struct sim s;
  jmp_buf end;
  init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  for (unsigned i = 0; i < 2 * sizeof count / sizeof count[0]; i++) {
    unsigned n = count[i / 2], c = 5 * i;
    active(&s, c, 0, 6, n);
    s.cta[c].live &= i & 1 ? ~0u >> 27 : ~0u;
    for (unsigned round = 0; round < 2; round++) {
      run(&s, RMU_SPILL, c, 0);
      run(&s, RMU_RESTORE, c, c);
    }
    end_cta(&s, c);
  }
  idle_cycle(&s);
}

/* Commands that are sure before all vectors are known, with memory's answers as late as they come. */
static void moves_beside_look_ups(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  for (unsigned mem = 5; mem <= 100; mem += 19) {
    struct bias k = at_once;
    k.mem = mem;
    tb_reset(t);
    init(&s, t, r, &k, &end);
    at_vector(&s, 1, 0, 3, FIRST_PC, 0xff);
    run(&s, RMU_SPILL, 1, 0);
    for (unsigned i = 0; i < 6; i++) {
      unsigned a = 2 + i, b = 1 + i;
      at_vector(&s, a, s.cta[b].place == PENDING && i ? s.cta[b - 1].slot : 3, 3, FIRST_PC + 20 + (i & 1),
                i & 1 ? 0xff : 0xf00);
      s.cta[a].at[i % 3] = (uint8_t)(FIRST_PC + 2 + i);
      run(&s, RMU_SWAP, a, b);
      end_cta(&s, b);
    }
    idle_cycle(&s);
  }
}

/* Refused after each of its warps, with and without a look-up that is open, with hits and with misses. */
static void refusals(struct tb_run *t, struct tb_rng *r) {
  enum { NW = 4, ROOM = 5 };
  struct sim s;
  jmp_buf end;
  init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  take_entries(&s, OTHER, ENTRIES - ROOM);
  for (unsigned e = 0; e < NW; e++) {
    for (unsigned dead = 0; dead < 2; dead++) {
      active(&s, 1, 0, NW, 0);
      for (unsigned w = 0; w < NW; w++) {
        s.cta[1].at[w] = w == e ? 3 : SIZED - 1; /* 8 registers, or none */
      }
      s.cta[1].live = dead ? ~(1u << (e + 1)) : UINT32_MAX;
      run(&s, RMU_SPILL, 1, 0);
      run(&s, RMU_SPILL, 1, 0);
    }
  }
  idle_cycle(&s);
}

/* Each pair of kinds back to back, the second on a CTA of the first where that is possible. */
static void back_to_back(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  init(&s, t, r, &at_once, &end);
  for (unsigned c = 0; c < 4; c++) {
    at_vector(&s, c, c, 2, FIRST_PC + 2 * c, 0x1f << c);
  }
  run(&s, RMU_SPILL, 0, 0);
  run(&s, RMU_SPILL, 1, 0);
  run(&s, RMU_RESTORE, 0, 1);
  run(&s, RMU_RESTORE, 0, 0);
  run(&s, RMU_SPILL, 0, 0);
  run(&s, RMU_SWAP, 2, 0);
  run(&s, RMU_SWAP, 0, 2);
  run(&s, RMU_SPILL, 2, 0);
  run(&s, RMU_SWAP, 3, 2);
  run(&s, RMU_RESTORE, 0, 3);
  run(&s, RMU_SWAP, 3, 0);
  run(&s, RMU_RESTORE, 0, 3);
  run(&s, RMU_SPILL, 3, 0);
  idle_cycle(&s);
}

/* Reset with a read under way, BUF and W full. (After an answer there is one read at most.) */
static void reset_when_full(struct tb_run *t, struct tb_rng *r) {
  static const struct bias k = {.ready = 70, .sticky = 60, .ars = 60, .mem = 100, .warps = 32, .regs = 30, .late = 2};
  struct sim s;
  jmp_buf end;
  for (volatile unsigned i = 0; i < 4; i++) {
    tb_reset(t);
    init(&s, t, r, &k, &end);
    if (!setjmp(end)) {
      at_vector(&s, 1, 0, 8, FIRST_PC, 0xff);
      run(&s, RMU_SPILL, 1, 0);
      at_vector(&s, 2, 3, 8, FIRST_PC + 2, 0xfff0);
      s.cut = RMU_MOVE, s.cut_full = true, s.left = 20000;
      for (;;) {
        run(&s, RMU_SWAP, 2, 1);
        run(&s, RMU_SWAP, 1, 2);
      }
    }
  }
  tb_reset(t);
  init(&s, t, r, &at_once, &end);
  active(&s, 3, 1, 5, 100);
  run(&s, RMU_SPILL, 3, 0);
  run(&s, RMU_RESTORE, 0, 3);
  idle_cycle(&s);
}

#define CASES_OF_ENGINE                                                                                           \
  {"example", example}, {"sets_by_free", sets_by_free}, {"latencies", latencies}, {"times", times},               \
      {"moves_beside_look_ups", moves_beside_look_ups}, {"refusals", refusals}, {"back_to_back", back_to_back}, { \
    "reset_when_full", reset_when_full                                                                            \
  }

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Part of rmu's bench, included once: the directed cases of the pipelined engine. The times of the page's table are compared in every
 * command of every case (rmu_pipelined.h); the cases see to it that each row applies. */
#ifndef RT_TB_RMU_PIPELINED_CASES_H
#define RT_TB_RMU_PIPELINED_CASES_H
#if TB_PARAM(Engine) != 1

enum { OTHER = 127, FIRST_PC = SIZED }; /* OTHER: a CTA that takes the entries not wanted */

/* A CTA in this slot whose warps are at one instruction with these live registers; its number is a kernel's PC. */
static void at_vector(struct sim *s, unsigned c, unsigned slot, unsigned nw, unsigned pc, uint64_t vector) {
  rmu_sm_activate(s, c, slot, nw, 0);
  s->vec[pc] = vector;
  for (unsigned w = 0; w < nw; w++) {
    s->cta[c].at[w] = (uint8_t)pc;
  }
}

static void rmu_end_cta(struct sim *s, unsigned c) {
  s->slot[s->cta[c].slot].taken = false;
  s->cta[c].place = GONE;
}

/* The page's example, and the same with no entry free. */
static void rmu_case_example(struct tb_run *t, struct tb_rng *r) {
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
    rmu_sim_init(&s, t, r, &at_once, &end);
    take_entries(&s, OTHER, ENTRIES - 3 - page[i].free);
    at_vector(&s, 1, 0, 1, FIRST_PC, 14);
    rmu_run_command(&s, RMU_SPILL, 1, 0);
    at_vector(&s, 2, 3, 1, FIRST_PC, 14);
    rmu_run_command(&s, RMU_SWAP, 2, 1);
    unsigned done = (unsigned)(s.now - s.time.t);
    tb_expect(t, done == page[i].done, "the example took %u cycles, expected %u", done, page[i].done);
    for (unsigned c = 1; c < done; c++) {
      tb_expect(t,
                s.time.log[c].state == page[i].state[c] && s.time.log[c].ard == page[i].ard[c] &&
                    s.time.log[c].awr == page[i].awr[c],
                "example: cycle %u: state %u, read %u, write %u", c, s.time.log[c].state, s.time.log[c].ard,
                s.time.log[c].awr);
      tb_expect(t, i || (s.time.log[c].spare == page[i].spare[c] && s.time.log[c].free == page[i].count[c]),
                "example: cycle %u: spare %u, free %u", c, s.time.log[c].spare, s.time.log[c].free);
    }
    idle_cycle(&s);
  }
}

/* A new kernel, whose vectors a case may set. */
static void other_kernel(struct sim *s) {
  new_kernel(s);
  memset(s->val, 0, sizeof s->val);
  rmu_begin_cycle(s, RMU_IDLE, 0, 0);
  s->in.invalidate_i = 1;
  rmu_end_cycle(s);
}

enum { ROOM = 80 }; /* entries that OTHER leaves */

/* Swaps to and fro, two times, with so many entries free. */
static void rmu_swap_to_and_fro(struct sim *s, unsigned free, unsigned nw, uint64_t va, uint64_t vb) {
  enum { FILLER = 100 };
  other_kernel(s);
  rmu_sm_activate(s, FILLER, 0, 4, ROOM - nw * rmu_count_ones(vb) - free);
  rmu_run_command(s, RMU_SPILL, FILLER, 0);
  at_vector(s, 1, 0, nw, FIRST_PC, vb);
  rmu_run_command(s, RMU_SPILL, 1, 0);
  at_vector(s, 2, 3, nw, FIRST_PC + 2, va);
  for (unsigned i = 0; i < 2; i++) {
    rmu_run_command(s, RMU_SWAP, 2, 1);
    rmu_run_command(s, RMU_SWAP, 1, 2);
  }
  rmu_end_cta(s, 2);
  bring_and_end(s, 1);
  bring_and_end(s, FILLER);
}

/* Equal, disjoint and overlapping sets in rows of one register and more, with 0, 1, 2 and more entries free. */
static void rmu_case_sets_by_free(struct tb_run *t, struct tb_rng *r) {
  static const uint64_t vb[] = {1, 3, 0x700f};
  static const unsigned free[] = {0, 1, 2, 40};
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  take_entries(&s, OTHER, ENTRIES - ROOM);
  for (unsigned i = 0; i < 3 * 4; i++) {
    uint64_t b = vb[i % 3];
    rmu_swap_to_and_fro(&s, free[i / 3], 3, b, b);
    rmu_swap_to_and_fro(&s, free[i / 3], 3, b << 20, b);
    rmu_swap_to_and_fro(&s, free[i / 3], 3, b << 1, b);
  }
  idle_cycle(&s);
}

/* Reads that take one to three cycles. */
static void rmu_case_latencies(struct tb_run *t, struct tb_rng *r) {
  struct bias k = at_once;
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &k, &end);
  take_entries(&s, OTHER, ENTRIES - ROOM);
  for (k.late = 1; k.late <= 3; k.late++) {
    for (unsigned i = 0; i < 6; i++) {
      rmu_swap_to_and_fro(&s, i * i, 1 + i, i & 1 ? 0xff0 : 0xff, 0xff);
    }
  }
  idle_cycle(&s);
}

/* Spills and restores of all sizes, twice, so that the second one's look-ups hit; the last warp live or not. */
static void rmu_case_times(struct tb_run *t, struct tb_rng *r) {
  static const unsigned count[] = {0, 1, 2, 3, 4, 5, 6, 8, 13, 63, 64, 200};
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  for (unsigned i = 0; i < 2 * sizeof count / sizeof count[0]; i++) {
    unsigned n = count[i / 2], c = 5 * i;
    rmu_sm_activate(&s, c, 0, 6, n);
    s.cta[c].live &= i & 1 ? ~0u >> 27 : ~0u;
    for (unsigned round = 0; round < 2; round++) {
      rmu_run_command(&s, RMU_SPILL, c, 0);
      rmu_run_command(&s, RMU_RESTORE, c, c);
    }
    rmu_end_cta(&s, c);
  }
  idle_cycle(&s);
}

/* Commands that are sure before all vectors are known, with memory's answers as late as they come. */
static void rmu_case_moves_beside_look_ups(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  for (unsigned mem = 5; mem <= 100; mem += 19) {
    struct bias k = at_once;
    k.mem = mem;
    tb_reset(t);
    rmu_sim_init(&s, t, r, &k, &end);
    at_vector(&s, 1, 0, 3, FIRST_PC, 0xff);
    rmu_run_command(&s, RMU_SPILL, 1, 0);
    for (unsigned i = 0; i < 6; i++) {
      unsigned a = 2 + i, b = 1 + i;
      at_vector(&s, a, s.cta[b].place == PENDING && i ? s.cta[b - 1].slot : 3, 3, FIRST_PC + 20 + (i & 1),
                i & 1 ? 0xff : 0xf00);
      s.cta[a].at[i % 3] = (uint8_t)(FIRST_PC + 2 + i);
      rmu_run_command(&s, RMU_SWAP, a, b);
      rmu_end_cta(&s, b);
    }
    idle_cycle(&s);
  }
}

/* Refused after each of its warps, with and without a look-up that is open, with hits and with misses. */
static void rmu_case_refusals(struct tb_run *t, struct tb_rng *r) {
  enum { NW = 4, FREE = 5 };
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  take_entries(&s, OTHER, ENTRIES - FREE);
  for (unsigned e = 0; e < NW; e++) {
    for (unsigned dead = 0; dead < 2; dead++) {
      rmu_sm_activate(&s, 1, 0, NW, 0);
      for (unsigned w = 0; w < NW; w++) {
        s.cta[1].at[w] = w == e ? 3 : SIZED - 1; /* 8 registers, or none */
      }
      s.cta[1].live = dead ? ~(1u << (e + 1)) : UINT32_MAX;
      rmu_run_command(&s, RMU_SPILL, 1, 0);
      rmu_run_command(&s, RMU_SPILL, 1, 0);
    }
  }
  idle_cycle(&s);
}

/* Each pair of kinds back to back, the second on a CTA of the first where that is possible. */
static void rmu_case_back_to_back(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  for (unsigned c = 0; c < 4; c++) {
    at_vector(&s, c, c, 2, FIRST_PC + 2 * c, 0x1f << c);
  }
  rmu_run_command(&s, RMU_SPILL, 0, 0);
  rmu_run_command(&s, RMU_SPILL, 1, 0);
  rmu_run_command(&s, RMU_RESTORE, 0, 1);
  rmu_run_command(&s, RMU_RESTORE, 0, 0);
  rmu_run_command(&s, RMU_SPILL, 0, 0);
  rmu_run_command(&s, RMU_SWAP, 2, 0);
  rmu_run_command(&s, RMU_SWAP, 0, 2);
  rmu_run_command(&s, RMU_SPILL, 2, 0);
  rmu_run_command(&s, RMU_SWAP, 3, 2);
  rmu_run_command(&s, RMU_RESTORE, 0, 3);
  rmu_run_command(&s, RMU_SWAP, 3, 0);
  rmu_run_command(&s, RMU_RESTORE, 0, 3);
  rmu_run_command(&s, RMU_SPILL, 3, 0);
  idle_cycle(&s);
}

/* Each register of each row: exchanged while its row has another one, which is drained later; and exchanged as its row's last. */
static void rmu_case_each_register(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  for (unsigned i = 0; i < REGS; i++) {
    uint64_t both = UINT64_C(1) << (i + 1) % REGS;
    other_kernel(&s);
    at_vector(&s, 1, 0, WARPS, FIRST_PC, both);
    rmu_run_command(&s, RMU_SPILL, 1, 0);
    at_vector(&s, 2, 3, WARPS, FIRST_PC + 2, both | UINT64_C(1) << i);
    rmu_run_command(&s, RMU_SWAP, 2, 1);
    rmu_run_command(&s, RMU_SWAP, 1, 2);
    rmu_end_cta(&s, 2);
    bring_and_end(&s, 1);
  }
  idle_cycle(&s);
}

/* Each row of the cache is filled; a new kernel with the same PCs and other vectors finds none of them. */
static void rmu_case_invalidate_each_row(struct tb_run *t, struct tb_rng *r) {
  enum { NW = ROWS < WARPS ? ROWS : WARPS };
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  s.cbase = 0;
  for (unsigned i = 0; i < PCS; i++) {
    s.pc[i] = 8 * i; /* in row i */
  }
  for (unsigned round = 0; round < 2; round++) {
    memset(s.val, 0, sizeof s.val);
    s.was_moved = round;
    rmu_begin_cycle(&s, RMU_IDLE, 0, 0);
    s.in.invalidate_i = 1;
    rmu_end_cycle(&s);
    rmu_sm_activate(&s, 1, 0, NW, 0);
    for (unsigned w = 0; w < NW; w++) {
      s.cta[1].at[w] = (uint8_t)w, s.vec[w] = UINT64_C(1) << (w + round), s.cta[1].live |= 1u << w;
    }
    rmu_run_command(&s, RMU_SPILL, 1, 0);
    bring_and_end(&s, 1);
  }
  idle_cycle(&s);
}

/* All entries are swapped, and the last pop is accepted only when a's last register has been moved. */
static void rmu_case_pop_after_all(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  s.pop_last = true;
  if (KEPT) {
    rmu_sm_activate(&s, 64, 0, 32, KEPT);
    rmu_run_command(&s, RMU_SPILL, 64, 0);
  }
  rmu_sm_activate(&s, 1, 0, 32, WHOLE);
  rmu_run_command(&s, RMU_SPILL, 1, 0);
  rmu_sm_activate(&s, 2, 3, 32, WHOLE);
  rmu_run_command(&s, RMU_SWAP, 2, 1);
  idle_cycle(&s);
}

/* Reset with a read under way, buffer and window full. (After an answer there is one read at most.) */
static void rmu_case_reset_when_full(struct tb_run *t, struct tb_rng *r) {
  static const struct bias k = {.ready = 70, .sticky = 60, .ars = 60, .mem = 100, .warps = 32, .regs = 30, .late = 2};
  struct sim s;
  jmp_buf end;
  for (volatile unsigned i = 0; i < 4; i++) {
    tb_reset(t);
    rmu_sim_init(&s, t, r, &k, &end);
    if (!setjmp(end)) {
      at_vector(&s, 1, 0, 8, FIRST_PC, 0xff);
      rmu_run_command(&s, RMU_SPILL, 1, 0);
      at_vector(&s, 2, 3, 8, FIRST_PC + 2, 0xfff0);
      s.cut = RMU_MOVE, s.cut_full = true, s.left = 20000;
      for (;;) {
        rmu_run_command(&s, RMU_SWAP, 2, 1);
        rmu_run_command(&s, RMU_SWAP, 1, 2);
      }
    }
  }
  tb_reset(t);
  rmu_sim_init(&s, t, r, &at_once, &end);
  rmu_sm_activate(&s, 3, 1, 5, 100);
  rmu_run_command(&s, RMU_SPILL, 3, 0);
  rmu_run_command(&s, RMU_RESTORE, 0, 3);
  idle_cycle(&s);
}

#define CASES_OF_ENGINE                                                                                         \
  {"moves_beside_look_ups", rmu_case_moves_beside_look_ups}, {"times", rmu_case_times},                         \
      {"back_to_back", rmu_case_back_to_back}, {"example", rmu_case_example}, {"refusals", rmu_case_refusals},  \
      {"latencies", rmu_case_latencies}, {"sets_by_free", rmu_case_sets_by_free},                               \
      {"each_register", rmu_case_each_register}, {"invalidate_empties_each_row", rmu_case_invalidate_each_row}, \
      {"pop_after_all", rmu_case_pop_after_all}, {                                                              \
    "reset_when_full", rmu_case_reset_when_full                                                                 \
  }

#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Part of rmu's bench, included once: the directed cases of the serial engine. */
#ifndef RT_TB_RMU_SERIAL_CASES_H
#define RT_TB_RMU_SERIAL_CASES_H
#if TB_PARAM(Engine) == 1

/* The page's latencies of a spill whose look-ups hit, and of a restore. */
static void rmu_case_serial_times(struct tb_run *t, struct tb_rng *r) {
  static const unsigned count[] = {1, 2, 3, 4, 5, 6, 8, 13, 63, 64, 200};
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  for (unsigned i = 0; i < sizeof count / sizeof count[0]; i++) {
    unsigned n = count[i], c = 11 * i, nw = 6, some = 0;
    rmu_sm_activate(&s, c, 0, nw, n);
    for (unsigned round = 0; round < 2; round++) { /* the second hits */
      uint64_t from = s.now;
      rmu_run_command(&s, RMU_SPILL, c, 0);
      some = 0;
      for (unsigned w = 0; w < nw; w++) {
        some += s.vec[s.cta[c].at[w]] != 0;
      }
      uint64_t took = s.now - from, want = 1 + 2 * nw + 1 + nw + some + 2 * n + 1;
      tb_expect(t, !round || took == want, "a spill of %u registers took %u cycles, expected %u", n, (unsigned)took,
                (unsigned)want);
      idle_cycle(&s);
      from = s.now;
      rmu_run_command(&s, RMU_RESTORE, c, c);
      tb_expect(t, s.now - from == 1 + 6 + 2 * (n - 1), "a restore of %u registers took %u cycles", n,
                (unsigned)(s.now - from));
    }
    s.slot[0].taken = false;
    s.cta[c].place = GONE;
  }
  idle_cycle(&s);
}

#define CASES_OF_ENGINE \
  { "times", rmu_case_serial_times }

#endif
#endif

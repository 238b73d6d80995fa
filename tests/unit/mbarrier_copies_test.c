/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier_copies: cp.async of random sizes and places whose end arrives at an mbarrier, with and without .noinc, against
 * unit/reference/mbarrier.c: a phase does not end before the last arrival; when the wait for it has ended the copied bytes are
 * there and the object is as the reference has it. One to four warps, timed and not.
 */
#include "unit/mbarrier_kit.h"

enum { SEEDS = 60, ROUNDS = 3, BATCHES = 3, COPIES = 2 * BATCHES, SLOT = 16, IMAGE_AT = 512 };
static uint8_t source[INPUT], image[COPIES * THREADS][SLOT], want_image[ROUNDS][COPIES * THREADS][SLOT];

/* One cp.async of each of some threads into its part of a slot of row c; what is not read is zero. */
static void draw_copy(FILE *f, unsigned c) {
  const unsigned shape = draw(4), bytes = shape < 3 ? 4u << shape : 16, reads = draw(3), same = draw(bytes + 1);
  const unsigned of_32 = draw(2) ? 32 : 8;
  for (unsigned t = 0; t < threads; t++) {
    const unsigned slot = c * threads + (7 * t + c) % threads, at = draw(SLOT / bytes) * bytes;
    const unsigned from = draw(INPUT / bytes) * bytes, read = reads == 0 ? bytes : reads == 1 ? draw(bytes + 1) : same;
    if (draw(32) >= of_32) continue;
    cell[steps][t] = (struct cell){IMAGE_AT + slot * SLOT + at, from, 1, read};
    memset(image[slot] + at, 0, bytes);
    memcpy(image[slot] + at, source + from, read);
  }
  const char *space = draw(2) ? "::cta" : "", *prefetch = draw(2) ? ".L2::128B" : "";
  print_cell(f);
  fprintf(f, "cvt.u64.u32 %%w, %%n; add.u64 %%w, %%src, %%w;\n@%%act cp.async.%s.shared%s.global%s [%%a], [%%w], %u",
          shape == 3 ? "cg" : "ca", space, prefetch, bytes);
  if (reads) fprintf(f, reads == 1 ? ", %%x" : ", %u", same);
  fprintf(f, ";\n");
  print_store(f);
}
/* The arrivals of some threads for their copies so far. */
static void draw_copy_arrival(FILE *f) {
  const enum mbref_op op = draw(2) ? MBREF_COPIES : MBREF_COPIES_NOINC;
  const unsigned of_32 = draw(2) ? 32 : 8;
  const char *space, *address = draw_address(&space);
  for (unsigned t = 0; t < threads; t++)
    if (draw(32) < of_32)
      assert_true(do_lane(&(struct step){.op = op}, t, 0, 0) && do_lane(&(struct step){.op = MBREF_COPIED}, t, 0, 0));
  print_cell(f);
  fprintf(f, "@%%act cp.async.mbarrier.arrive%s%s.b64 [%s];\n", op == MBREF_COPIES ? "" : ".noinc", space, address);
  print_store(f);
}
/* Threads arrive with n each. Other arrivals come at any time, so the pending count in the tokens is not compared. */
static void arrive_all(FILE *f, unsigned from, unsigned to, uint32_t n) {
  for (unsigned t = from; t < to; t++) {
    assert_true(do_lane(&(struct step){.op = MBREF_ARRIVE}, t, 0, n));
    want[steps][t].answer = MARK;
  }
  print_cell(f);
  fprintf(f, "@%%act mbarrier.arrive.shared.b64 %%t0, [%%a], %%n;\n");
  print_store(f);
}
/* Copies and the arrivals for them; all threads arrive, the first last, before whose arrival the phase has not ended; all wait. */
static void draw_round(FILE *f, unsigned round) {
  const uint32_t parity = object[0].phase % 2;
  const struct step test = {.op = MBREF_WAIT_PARITY}, wait = {.op = draw(2) ? MBREF_WAIT : MBREF_WAIT_PARITY};
  for (unsigned b = 0; b < BATCHES; b++) {
    for (unsigned c = draw(3); c; c--) draw_copy(f, 2 * b + c - 1);
    draw_copy_arrival(f);
  }
  arrive_all(f, 1, threads, 1);
  assert_true(do_lane(&test, 0, 0, parity));
  if (draw(2)) fprintf(f, "cp.async.wait_all;\nbar.sync 0;\n");
  print_cell(f);
  fprintf(f, "@%%act ");
  print_wait(f, &test);
  fprintf(f, "@%%act selp.b64 %%ans, 1, 0, %%p;\n");
  print_store(f);
  arrive_all(f, 0, 1, object[0].pending);
  for (unsigned t = 0; t < threads; t++) assert_true(do_lane(&wait, t, 0, parity) && want[steps][t].answer);
  print_cell(f);
  fprintf(f, "W%u:\n", steps);
  print_wait(f, &wait);
  fprintf(f, "@!%%p bra W%u;\nselp.b64 %%ans, 1, 0, %%p;\n", steps);
  expect_objects();
  print_store(f);
  for (unsigned c = 0; c < COPIES; c++)
    fprintf(f, "ld.shared.v2.b64 {%%ans, %%obj}, [%%row + %u]; st.global.v2.b64 [%%out + %zu], {%%ans, %%obj};\n",
            c * threads * SLOT, (STEPS + round * COPIES + c) * sizeof(row));
  memcpy(want_image[round], image, sizeof image);
  fprintf(f, "bar.sync 0;\n");
}
static void compare_images(const row *got, unsigned long long seed) {
  for (unsigned r = 0; r < ROUNDS; r++)
    for (unsigned n = 0; n < COPIES * threads; n++, compared++)
      if (memcmp(&got[STEPS + r * COPIES + n / threads][n % threads], want_image[r][n], SLOT))
        fail_msg("seed %llu, round %u: slot %u differs", seed, r, n);
}
static void copies(void **state) {
  (void)state;
  char *text;
  size_t n;
  for (unsigned seed = 2000; seed < 2000 + SEEDS; seed++) {
    rng = seed;
    begin(1 + seed % WARPS);
    for (unsigned b = 0; b < INPUT; b++) source[b] = (uint8_t)draw(256);
    memset(image, 0xff, sizeof image);
    FILE *f = open_memstream(&text, &n);
    print_head(f, IMAGE_AT + sizeof image);
    fprintf(f, ".reg .b32 %%row; mad.lo.u32 %%row, %%id, 16, %%s; add.u32 %%row, %%row, %u; mov.b32 %%c, -1;\n",
            IMAGE_AT);
    for (unsigned c = 0; c < COPIES; c++)
      fprintf(f, "st.shared.v4.u32 [%%row + %u], {%%c, %%c, %%c, %%c};\n", c * threads * SLOT);
    assert_true(do_lane(&(struct step){.op = MBREF_INIT}, 0, 0, (BATCHES + 1) * threads + draw(50)));
    print_cell(f);
    fprintf(f, "@%%act mbarrier.init.shared.b64 [%%a], %%n;\nbar.sync 0;\n");
    print_store(f);
    for (unsigned r = 0; r < ROUNDS; r++) draw_round(f, r);
    fprintf(f, "ret;\n}\n");
    fclose(f);
    for (unsigned timed = 0; timed < 2; timed++) compare_images(run(text, timed, source, seed), seed);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest t[] = {cmocka_unit_test(copies)};
  const int failed = cmocka_run_group_tests(t, open_both, close_both);
  printf("mbarrier_copies: %lu comparisons\n", compared);
  return failed;
}

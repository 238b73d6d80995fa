/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier_reference: random sequences of operations on mbarriers against unit/reference/mbarrier.c, every answer, token and object bit for
 * bit: by lanes of one warp, and by several warps with bar.sync between operations. The reference refuses what the PTX manual
 * leaves undefined, so none of that is drawn.
 */
#include "unit/mbarrier_kit.h"

enum { SEEDS = 600, WARP_SEEDS = 40 };

/* ---- PTX ---- */

static void print_change(FILE *f, const struct step *x) {
  const char *space, *address = draw_address(&space);
  fprintf(f, "mbarrier.%s%s%s.b64 ", form[x->op].name, form[x->op].order[draw(3)], space);
  if (x->sink) fprintf(f, "_, ");
  else if (form[x->op].arrives) fprintf(f, "%%t%u, ", x->token);
  fprintf(f, "[%s]", address);
  if (x->counted) fprintf(f, x->constant ? ", %u" : ", %%n", x->n);
  fprintf(f, ";\n");
}
/* The lanes that are not active step aside by a guard or by a branch. */
static void print_step(FILE *f, const struct step *x) {
  const bool branch = draw(2);
  const char *guard = branch ? "" : "@%act ";
  print_cell(f);
  if (branch) fprintf(f, "@!%%act bra L%u;\n", steps);
  fprintf(f, "%s", guard);
  if (is_wait(x->op)) {
    print_wait(f, x);
    fprintf(f, "%sselp.b64 %%ans, 1, 0, %%p;\n", guard);
  } else if (x->op == MBREF_PENDING_COUNT) {
    fprintf(f, "mbarrier.pending_count.b64 %%c, %%t%u;\n%scvt.u64.u32 %%ans, %%c;\n", x->token, guard);
  } else {
    print_change(f, x);
    if (form[x->op].arrives && !x->sink) fprintf(f, "%smov.b64 %%ans, %%t%u;\n", guard, x->token);
    if (x->op == MBREF_INVAL && draw(2)) fprintf(f, "%sst.shared.b64 [%%a], %%in;\n", guard);
  }
  if (branch) fprintf(f, "L%u:\n", steps);
}

/* ---- random sequences ---- */

static struct step draw_op(void) {
  unsigned all = 0, at;
  for (unsigned op = 0; op < MBREF_OPS; op++) all += form[op].weight;
  enum mbref_op op = 0;
  for (at = draw(all); at >= form[op].weight; op++) at -= form[op].weight;
  struct step x = {.op = op, .token = draw(TOKENS), .n = 1};
  x.counted = form[op].operand == MUST_HAVE || (form[op].operand == MAY_HAVE && draw(2));
  x.constant = x.counted && !draw(3);
  x.sink = form[op].arrives && !draw(4);
  return x;
}
/* Near the ends of the ranges, and what ends a phase, more often than by chance. */
static uint32_t draw_operand(const struct step *x, const struct mbref *o) {
  static const unsigned first[] = {6, 48, 400};
  const uint32_t tx = (uint32_t)o->tx;
  const unsigned kind = draw(6);
  if (!x->counted) return 1;
  switch (x->op) {
    case MBREF_INIT: return kind < 3 ? 1 + draw(first[kind]) : kind < 5 ? 2 + draw(20) : MBREF_MOST - draw(3);
    case MBREF_EXPECT:
    case MBREF_ARRIVE_EXPECT:
    case MBREF_DROP_EXPECT:
      return kind < 3 ? (o->tx < 0 ? -tx : 0) : kind < 5 ? draw(64) * 16 : MBREF_MOST - tx - draw(2);
    case MBREF_COMPLETE: return kind < 4 ? tx : kind < 5 ? draw(256) : MBREF_MOST + tx - draw(2);
    case MBREF_WAIT_PARITY: return draw(2);
    default: return kind < 1 ? 1 : kind < 2 ? 1 + draw(o->pending + 1) : o->pending - (kind < 3) - (kind < 4);
  }
}

static unsigned long seen[MBREF_OPS][2]; /* phases that did not end and that ended; of waits: their answers */

/* Whether a lane took part. If `together`, lanes of several warps, whose order does not matter: a phase ends with the last
 * arrival at its object. */
static bool do_lanes(struct step *x, unsigned objects, bool together) {
  const unsigned share[] = {1, 4, 16, 32}, of_32 = share[draw(4)], only = draw(3) ? draw(objects) : objects;
  const unsigned warp = draw(threads / 32);
  bool closed[OBJECTS] = {false}, any = false;
  for (unsigned t = 0; t < threads; t++) {
    const unsigned o = only < objects ? only : draw(objects);
    if ((!together && t / 32 != warp) || draw(32) >= of_32 || closed[o]) continue;
    if (!any || !x->constant) x->n = draw_operand(x, &object[o]);
    const uint64_t phase = object[o].phase;
    if (!do_lane(x, t, o, x->n)) continue;
    const bool ended = object[o].phase != phase;
    seen[x->op][is_wait(x->op) ? want[steps][t].answer : ended]++;
    any = true, closed[o] = together && ended;
  }
  return any;
}
static void draw_step(FILE *f, unsigned objects) {
  struct step x;
  bool together;
  do {
    x = draw_op();
    const bool harmless = form[x.op].arrives || is_wait(x.op) || x.op == MBREF_PENDING_COUNT;
    together = threads > 32 && harmless && draw(2);
    if (together && form[x.op].arrives) x.sink = true;
  } while (!do_lanes(&x, objects, together));
  print_step(f, &x);
  expect_objects();
  const char *barrier = threads > 32 ? "bar.sync 0;\n" : "";
  fprintf(f, "%s", barrier);
  print_store(f);
  fprintf(f, "%s", barrier);
}
static void sequence(unsigned long long seed, unsigned warps) {
  char *text;
  size_t n;
  rng = seed;
  begin(warps);
  FILE *f = open_memstream(&text, &n);
  print_head(f, place[OBJECTS - 1] + 8);
  for (const unsigned objects = 1 + draw(OBJECTS); steps < STEPS;) draw_step(f, objects);
  fprintf(f, "ret;\n}\n");
  fclose(f);
  for (unsigned timed = 0; timed < (warps > 1 ? 2 : 1); timed++) run(text, timed, NULL, seed);
  free(text);
}
static void one_warp(void **state) {
  (void)state;
  for (unsigned s = 0; s < SEEDS; s++) sequence(s, 1);
  for (unsigned op = 0; op <= MBREF_PENDING_COUNT; op++) {
    const bool can_end = (form[op].arrives && !strstr(form[op].name, "no")) || op == MBREF_COMPLETE || is_wait(op);
    for (unsigned k = 0; k <= can_end; k++)
      if (seen[op][k] < 40) fail_msg("%s: %lu of kind %u", form[op].name, seen[op][k], k);
  }
}
static void several_warps(void **state) {
  (void)state;
  for (unsigned s = 0; s < WARP_SEEDS; s++) sequence(1000 + s, 2 + s % (WARPS - 1));
}

int main(void) {
  const struct CMUnitTest t[] = {cmocka_unit_test(one_warp), cmocka_unit_test(several_warps)};
  const int failed = cmocka_run_group_tests(t, open_both, close_both);
  printf("mbarrier_reference: %lu comparisons\n", compared);
  return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws: accounts, ports of banks and operands (docs/reference/laws.md): each law of sm/laws.c fails when its two sides differ. Hooks of the test
 * count one side alone, or make the SM take a port that nobody uses. The laws of systems: laws_ports_test.c.
 */
#include <string.h>

#include "hooks_kit.h"
#include "laws_messages.h"

static void program(void) {
  ld(2, LINE_A);
  mov(3, 1);
  for (unsigned n = 0; n < 8; n++) use(3, 3);
  use(4, 2);
  put(LINE_B, 4);
}

/* The launch fails, and the error names the law. */
static void breaks(void (*with)(void), const char *law) {
  struct result r;
  struct err e = {0};
  if (simulate(&H.cfg, (struct scale){1, 1, 2, 64}, with, &r, &e)) fail_msg("found no error, expected '%s'", law);
  if (!strstr(e.text, law)) fail_msg("found '%s', expected '%s'", e.text, law);
}
static void law_breaks(void (*with)(void), const char *law) {
  again();
  program();
  breaks(with, law);
}
static void law_holds(void (*with)(void)) {
  again();
  program();
  go(2, 64, with);
}

/* ---- accounts ---- */
static struct {
  enum law_account account;
  unsigned own, told; /* events of the two sides */
  uint64_t key;       /* of the block's side; the SM's is 1 */
} A;

static bool counts_at_end(struct sm *S, struct err *e) {
  (void)e;
  law_open(S, A.account);
  S->laws->account[A.account].n[0] = S->laws->account[A.account].n[1] = 0;
  S->laws->account[A.account].sum[0] = S->laws->account[A.account].sum[1] = 0;
  for (unsigned n = 0; n < A.own; n++) law_own(S, A.account, n, 1);
  for (unsigned n = A.told; n--;) law_told(S, A.account, n, A.key);
  return true;
}
static void with_counts(void) { mine.residency.end = counts_at_end; }

static void every_account_fails(void **state) {
  (void)state;
  static const char *const texts[] = {
#define TEXT(id, text) text,
      LAW_ACCOUNTS_LIST(TEXT)
#undef TEXT
  };
  for (unsigned a = 0; a < LAW_ACCOUNTS; a++) {
    A.account = a, A.key = 1;
    A.own = 3, A.told = 3;
    law_holds(with_counts);
    A.told = 2;
    law_breaks(with_counts, texts[a]);
    A.told = 4;
    law_breaks(with_counts, texts[a]);
    A.told = 3, A.key = 2; /* as many, but others */
    law_breaks(with_counts, texts[a]);
  }
}

/* ---- ports and operands ---- */
static void locate_elsewhere(struct sm *S, const struct collector_unit *u) {
  S->chosen.storage->locate(S, u);
  if (u->bank[0] != BANK_DONE) unit_set_place(S, u, 0, (u->bank[0] + 1) % S->nbank, u->row[0]);
}
static void with_other_bank(void) { mine.storage.locate = locate_elsewhere; }

static enum result_answer result_elsewhere(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                           uint32_t *row) {
  const enum result_answer a = S->chosen.storage->result(S, f, k, bank, row);
  *bank = (*bank + 1) % S->nbank;
  return a;
}
static void with_other_write(void) { mine.storage.result = result_elsewhere; }

static void claims(struct sm *S) { rf_claim(S, 0, 3, (int)T.special); }
static void with_read_claim(void) { mine.residency.engine = claims, T.special = RF_READ; }
static void with_write_claim(void) { mine.residency.engine = claims, T.special = RF_WRITE; }
static void accesses(struct sm *S) { law_access(S, 0, (int)T.special, 3); }
static void with_read_access(void) { mine.residency.engine = accesses, T.special = RF_READ; }
static void with_write_access(void) { mine.residency.engine = accesses, T.special = RF_WRITE; }
static void accesses_twice(struct sm *S) { accesses(S), accesses(S); }
static void with_two_reads(void) { mine.residency.engine = accesses_twice, T.special = RF_READ; }
static void with_two_writes(void) { mine.residency.engine = accesses_twice, T.special = RF_WRITE; }

static void full_early(struct sm *S) {
  S->chosen.collector->collect(S);
  struct group *g = S->group;
  for (uint64_t m = g->all & ~g->free & ~g->full; m; m &= m - 1)
    if (g->unit[bit_low64(m)].banks != ~0ull) g->full |= m & -m;
}
static void with_full_early(void) { mine.collector.collect = full_early; }
static void full_late(struct sm *S) {
  const uint64_t before = S->group->full;
  S->chosen.collector->collect(S);
  S->group->full &= before;
}
static void with_full_late(void) { mine.collector.collect = full_late; }
static void given_twice(struct sm *S, const struct collector_unit *u, unsigned i) {
  check_operand(S, u, i);
  law_operand(S, u, i);
}
static void with_given_twice(void) { mine.storage.read = given_twice; }

static void not_asked(struct sm *S, const struct collector_unit *u, unsigned i) {
  check_operand(S, u, i);
  S->laws->unit[u->group][u->index].left = 0;
}
static void with_not_asked(void) { mine.storage.read = not_asked; }

/* The storage gives the first operand itself: it says so, and no bank is asked; it says so alone; a bank is not asked alone. */
static void gives_first(struct sm *S, const struct collector_unit *u) {
  S->chosen.storage->locate(S, u);
  if (u->op->nsrc) unit_give(S, u, 0, check_row(S, u->warp, u->op->src[0]));
}
static void with_given(void) { mine.storage.locate = gives_first; }
static void says_given(struct sm *S, const struct collector_unit *u) {
  S->chosen.storage->locate(S, u);
  if (u->op->nsrc) law_given(S, u, 0);
}
static void with_said_given(void) { mine.storage.locate = says_given; }
static void leaves_out_first(struct sm *S, const struct collector_unit *u) {
  S->chosen.storage->locate(S, u);
  if (!u->op->nsrc) return;
  check_latch(S, u, 0, check_row(S, u->warp, u->op->src[0]));
  unit_take_operand(S, u, 0);
}
static void with_left_out(void) { mine.storage.locate = leaves_out_first; }

/* A store that no instruction of the LSU made. */
static void posts(struct sm *S) {
  if (T.w) return;
  T.w = 1;
  sm_post(S, &(struct mem_req){.addr = line_of(LINE_C), .kind = MEM_WRITE, .sectors = 15, .words = ~0u, .bytes = 128});
}
static void with_a_post(void) { mine.residency.engine = posts; }

#define READS "banks whose read port is taken = banks of the rows read"
#define WRITES "banks whose write port is taken = banks of the rows written"
#define FULL "a unit is full when its operands have come: full"
static const struct {
  void (*with)(void);
  const char *law;
} with_hooks[] = {
    {with_other_bank, "the bank that gives an operand is that of its row"},
    {with_other_write, WRITES},
    {with_read_claim, READS},
    {with_write_claim, WRITES},
    {with_read_access, READS},
    {with_write_access, WRITES},
    {with_two_reads, "a bank reads one row a cycle"},
    {with_two_writes, "a bank writes one row a cycle"},
    {with_full_early, FULL},
    {with_full_late, FULL},
    {with_given_twice, "a bank reads one row a cycle"},
    {with_not_asked, "operands asked = operands given: operands of the unit still to come"},
    {with_said_given, "operands asked = operands given: operands of the unit still to come"},
    {with_left_out, FULL},
    {with_a_post, "stores and atomics of the LSU = their requests to memory, line by line"},
};
enum { HOOKS = sizeof with_hooks / sizeof *with_hooks };

static void ports_of_banks(void **state) {
  (void)state;
  law_holds(NULL);
  law_holds(with_given);
  for (unsigned k = 0; k < HOOKS; k++) law_breaks(with_hooks[k].with, with_hooks[k].law);
}

/* The main register file, of which the hooks' test has none: its laws by themselves. */
static void main_file_of_a_test(struct sm *S) {
  if (S->now % 8) return;
  if (!S->laws->main.banks) {
    law_main_file(S, 4, 6, 3, false);
    law_rows(S, 1000, 64, 8, true, true);
  }
  switch (T.special) {
    case 1: law_access(S, 0, RF_READ, 1003); break; /* not taken */
    case 2: law_main_taken(S, 3, RF_READ); break;   /* no access */
    case 3:                                         /* another bank */
      law_access(S, 0, RF_WRITE, 1003);
      law_main_taken(S, 2, RF_WRITE);
      break;
    case 4: /* the port is busy */
      law_access(S, 0, RF_READ, 1003);
      law_access(S, 0, RF_READ, 1007 + 8 * 4);
      break;
    case 5: law_main_free(S, 3, RF_READ, false); break;
    default:
      law_access(S, 0, RF_READ, 1003);
      law_main_taken(S, 3, RF_READ);
      law_main_free(S, 3, RF_READ, false);
      law_main_free(S, 3, RF_WRITE, true);
  }
}
static unsigned special;
static void with_main_file(void) { mine.residency.engine = main_file_of_a_test, T.special = special; }

#define MAIN_READS "banks of the main register file taken = banks of the registers read"
#define MAIN_WRITES "banks of the main register file taken = banks of the registers written"
static const char *const of_main_file[] = {NULL,
                                           MAIN_READS,
                                           MAIN_READS,
                                           MAIN_WRITES,
                                           "a port of the main register file is free when it is taken: cycles left",
                                           "a bank of the main register file is free as its last access says"};
enum { MAINS = sizeof of_main_file / sizeof *of_main_file };

static void ports_of_the_main_file(void **state) {
  (void)state;
  special = 0;
  law_holds(with_main_file);
  for (special = 1; special < MAINS; special++) law_breaks(with_main_file, of_main_file[special]);
}

/* ---- no message without a case ---- */
static bool has(const char *message) {
  for (unsigned k = 0; k < HOOKS; k++)
    if (!strcmp(with_hooks[k].law, message)) return true;
  for (unsigned k = 1; k < MAINS; k++)
    if (!strcmp(of_main_file[k], message)) return true;
  return false;
}
static void every_message_has_a_case(void **state) {
  (void)state;
  each_message("cmodel/sm/laws.c", has);
}

/* ---- what laws once took for something else ---- */

/* Unit 63, which is the victim port's where the collector has fewer: here instructions use no other one. */
static void only_unit_63(struct sm *S) {
  struct group *g = S->group;
  if (T.w) return;
  T.w = 1;
  g->all = g->free = 1ull << 63;
}
static void with_unit_63(void) { mine.residency.engine = only_unit_63; }
static void with_unit_63_not_asked(void) { mine.residency.engine = only_unit_63, mine.storage.read = not_asked; }

static void unit_63_of_64(void **state) {
  (void)state;
  program();
  H.cfg.collector_units = UNIT_MAX;
  go(2, 64, with_unit_63);
  again();
  program();
  H.cfg.collector_units = UNIT_MAX;
  breaks(with_unit_63_not_asked, "operands asked = operands given");
}

static void configure(const char *machine, const char *system) {
  struct err e = {0};
  if (!config_load(&H.cfg, machine, system, &e)) fail_msg("%s", e.text);
  H.cfg.sim_check = true;
  H.cfg.sm_ctas = 1;
}

/* A CTA in the place of the last one: its first instruction has the record, the warp and the number that the last one's had. */
static void the_next_cta_of_a_place(void **state) {
  (void)state;
  configure("gtx480", "slices-identity");
  use(3, 3);
  put(LINE_A, 3);
  assert_int_equal(go(4, 32, NULL).s.ctas, 4);
}

/* While an SM has no CTA, because the grid has none for it before the next quantum, its interval does not go on. */
static void intervals_of_an_sm_that_waits(void **state) {
  (void)state;
  configure("rtx2060", "Malekeh");
  H.cfg.malekeh_interval = 100;
  program();
  go_in((struct scale){3, 1, 20, 64}, NULL);
}

/* All CTAs end in the SM's last cycle. CTL accepts one end a cycle, so the launch is over before it hears of the others. */
static void ends_that_ctl_is_not_told(void **state) {
  (void)state;
  configure("gtx980", "LB");
  H.cfg.sm_ctas = 4;
  assert_int_equal(go(4, 32, NULL).s.ctas, 4);
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      HOOK_TEST(every_account_fails),
      HOOK_TEST(ports_of_banks),
      HOOK_TEST(ports_of_the_main_file),
      cmocka_unit_test(every_message_has_a_case),
      HOOK_TEST(unit_63_of_64),
      HOOK_TEST(the_next_cta_of_a_place),
      HOOK_TEST(intervals_of_an_sm_that_waits),
      HOOK_TEST(ends_that_ctl_is_not_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

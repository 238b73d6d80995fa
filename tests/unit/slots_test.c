/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of docs/reference/slots.md are those of sm/slot.def, and a choice without a hook that it must have is refused.
 * `slots_test --page` prints the tables (make slots-page).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sm/slots.h"

struct row { /* left_out NULL: every choice has the hook */
  const char *slot, *name, *type, *left_out, *phase, *parameters, *text;
};
static const struct row rows[] = {
#define SLOT(slot, ID, question) {#slot, NULL, NULL, NULL, NULL, NULL, question},
#define SLOT_END(slot)
#define HOOK(slot, name, type, left_out, phase, parameters, arguments, text) \
  {#slot, #name, #type, #left_out, phase, #parameters, text},
#define MUST(slot, name, type, phase, parameters, arguments, text) \
  {#slot, #name, #type, NULL, phase, #parameters, text},
#define ASK(slot, name, type, left_out, parameters, text) \
  {#slot, #name, #type, #left_out, "before any SM", #parameters, text},
#include "sm/slot.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* A hook that each of the five slots has. */
static bool common(const struct row *r) {
  unsigned n = 0;
  for (unsigned k = 0; k < ROWS; k++)
    n += rows[k].name && !strcmp(rows[k].name, r->name) && !strcmp(rows[k].text, r->text);
  return n == SLOT_COUNT;
}

static void head(FILE *f) { fputs("\n| hook | called in | left out | what it does |\n|---|---|---|---|\n", f); }

static void hook(FILE *f, const struct row *r) {
  const char *left = !r->left_out ? "never" : !strcmp(r->left_out, "NOTHING") ? "nothing" : r->left_out;
  const char *quote = r->left_out && strcmp(left, "nothing") ? "`" : "";
  const char *space = r->type[strlen(r->type) - 1] == '*' ? "" : " ";
  fprintf(f, "| `%s%s%s%s` | %s | %s%s%s | %s |\n", r->type, space, r->name, r->parameters, r->phase, quote, left,
          quote, r->text);
}

static void page(FILE *f) {
  fputs("**Every slot**\n", f);
  head(f);
  for (unsigned k = 0; k < ROWS && !(k && !rows[k].name); k++)
    if (rows[k].name && common(&rows[k])) hook(f, &rows[k]);
  for (unsigned k = 0; k < ROWS; k++) {
    if (rows[k].name && !common(&rows[k])) hook(f, &rows[k]);
    if (rows[k].name) continue;
    fprintf(f, "\n**%s**: %s\n", rows[k].slot, rows[k].text);
    head(f);
  }
}

static char *slurp(FILE *f) {
  char *text = calloc(1, 1 << 17);
  assert_non_null(text);
  size_t n = fread(text, 1, (1 << 17) - 1, f);
  assert_true(n > 0 && n < (1 << 17) - 1);
  fclose(f);
  return text;
}

static void the_page_is_the_list(void **state) {
  (void)state;
  static const char begin[] = "<!-- hooks -->\n", end[] = "<!-- end of hooks -->\n";
  FILE *f = fopen("docs/reference/slots.md", "r"), *want = tmpfile();
  assert_non_null(f);
  assert_non_null(want);
  char *is = slurp(f), *from = strstr(is, begin);
  assert_non_null(from);
  from += strlen(begin);
  char *to = strstr(from, end);
  assert_non_null(to);
  *to = 0;
  page(want);
  rewind(want);
  char *must = slurp(want);
  assert_string_equal(from, must); /* make slots-page writes it again */
  free(is), free(must);
}

static const char *refused(const struct slots *s) {
  static struct err e;
  e = (struct err){0};
  assert_false(slots_complete(s, &e));
  return e.text;
}

static void a_choice_lacks_a_hook(void **state) {
  (void)state;
  struct slots s = {&residency_static, &storage_flat, &collector_ocu, &scheduler_gto, &l1_plain};
  struct err e = {0};
  assert_true(slots_complete(&s, &e));
  assert_true(slots_complete(&slots_null, &e));
  const struct storage_ops half = {.name = "half", .plan = storage_flat.plan, .locate = storage_flat.locate};
  s.storage = &half;
  assert_string_equal(refused(&s),
                      "slot.storage half has no hook 'result', which every choice must have (sm/slot.def)");
  const struct residency_ops none = {.name = "none"};
  s.residency = &none;
  assert_string_equal(refused(&s),
                      "slot.residency none has no hook 'plan', which every choice must have (sm/slot.def)");
}

/* null takes every hook there is. */
static void null_takes_all(void **state) {
  (void)state;
#define SLOT(slot, ID, question)
#define SLOT_END(slot)
#define HOOK(slot, hook, type, left_out, phase, parameters, arguments, text) assert_true(slots_null.slot->hook != NULL);
#define MUST(slot, hook, type, phase, parameters, arguments, text) assert_true(slots_null.slot->hook != NULL);
#include "sm/slot.def"
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "--page")) {
    page(stdout);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_is_the_list), cmocka_unit_test(a_choice_lacks_a_hook),
                                     cmocka_unit_test(null_takes_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

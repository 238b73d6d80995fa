/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused: PTX text that must be accepted; input that must be refused with exactly this message: PTX text, and the cases of a folder of tests/data/bad with
 * their table expect.tsv: a line for each case in their order: file, tab, what follows the file's path and ':' in the message.
 * After cmocka.
 */
#ifndef RT_TESTS_REFUSED_H
#define RT_TESTS_REFUSED_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ptx/ptx.h"

static inline struct module *load(const char *text) {
  struct err e = {0};
  struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
  if (!m) fail_msg("refused: %d:%d: %s in\n%s", e.line, e.col, e.text, text);
  return m;
}

static inline void refuses(const char *text, const char *want) {
  struct err e = {0};
  char got[1200];
  struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
  if (m) fail_msg("accepted, expected: %s", want);
  err_format(&e, got, sizeof got);
  assert_string_equal(got, want);
}

/* Writes the message that a file is refused with; "" if it is taken. */
typedef void refusal_of(const char *path, char *out, size_t size);

static inline int is_case(const struct dirent *d) {
  return d->d_name[0] != '.' && strcmp(d->d_name, "expect.tsv") != 0;
}

static inline int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* One line of the table and the case that stands at its place; adds to `wrong` what is wrong. NULL: there is none. */
static inline void compare_case(const char *dir, const char *name, char *line, refusal_of *refusal, FILE *wrong) {
  char path[600], got[1400], want[2000];
  char *tab = line ? strchr(line, '\t') : NULL;
  if (line && (!tab || !tab[1] || strchr(tab + 1, '\t'))) {
    fprintf(wrong, "%s/expect.tsv: found '%s', expected a name, a tab and a text\n", dir, line);
    return;
  }
  if (tab) *tab = 0;
  if (!name || !line || strcmp(name, line) != 0) {
    fprintf(wrong, "%s/expect.tsv: found %s, expected %s\n", dir, line ? line : "no more lines",
            name ? name : "no more");
    return;
  }
  snprintf(path, sizeof path, "%s/%s", dir, name);
  snprintf(want, sizeof want, "%s:%s", path, tab + 1);
  refusal(path, got, sizeof got);
  if (strcmp(got, want) != 0) fprintf(wrong, "%s\n  found    %s\n  expected %s\n", name, got, want);
}

/* What is wrong with a folder, freed by the caller: "" if each of its files has its line and its message, and each line its
 * file. *n: how many cases it has. */
static inline char *wrong_cases(const char *dir, refusal_of *refusal, unsigned *n) {
  char path[600], line[2000], *out = NULL;
  size_t size;
  struct dirent **name = NULL;
  FILE *wrong = open_memstream(&out, &size);
  snprintf(path, sizeof path, "%s/expect.tsv", dir);
  FILE *table = fopen(path, "r");
  const int cases = scandir(dir, &name, is_case, by_bytes);
  if (!wrong || !table || cases < 0) fail_msg("%s cannot be read", path);
  for (int i = 0;; i++) {
    bool more = fgets(line, sizeof line, table) != NULL;
    if (i >= cases && !more) break;
    line[strcspn(line, "\n")] = 0;
    compare_case(dir, i < cases ? name[i]->d_name : NULL, more ? line : NULL, refusal, wrong);
  }
  fclose(table);
  fclose(wrong);
  for (int i = 0; i < cases; i++) free(name[i]);
  free(name);
  *n = (unsigned)cases;
  return out;
}

static inline void all_refused(const char *dir, refusal_of *refusal, unsigned least) {
  unsigned n;
  char *wrong = wrong_cases(dir, refusal, &n);
  if (wrong[0]) fail_msg("%s", wrong);
  free(wrong);
  assert_true(n >= least);
}

#endif

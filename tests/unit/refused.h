/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused: PTX text that must be accepted; input that must be refused with exactly this message: PTX text, and the cases in the texts of tests/data/bad, whose
 * messages there are what follows the file's path and ':'. After cmocka.
 */
#ifndef RT_TESTS_REFUSED_H
#define RT_TESTS_REFUSED_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bad_cases.h"
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

/* Adds a case that gets another message to `wrong`. */
static inline void compare_case(const char *dir, const struct bad_case *c, refusal_of *refusal, FILE *wrong) {
  char path[600], got[1400], want[2000];
  snprintf(path, sizeof path, "%s/%s", dir, c->name);
  snprintf(want, sizeof want, "%s:%s", path, c->message);
  refusal(path, got, sizeof got);
  if (strcmp(got, want) != 0) fprintf(wrong, "%s\n  found    %s\n  expected %s\n", c->name, got, want);
}

/* Makes the folders that a path names before its last '/'. */
static inline void make_folders(char *path) {
  for (char *p = path + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    if (mkdir(path, 0777) && errno != EEXIST) fail_msg("%s: %s", path, strerror(errno));
    *p = '/';
  }
}

/* Makes a new folder the working directory, with each case as the file DIR/NAME in it and a link to tests/data/ptx, which
 * launch files name. `tree` is the template of its name. */
static inline void enter_tree(char *tree, const char *root, const char *dir, const struct bad_cases *cases) {
  char path[PATH_MAX], target[PATH_MAX];
  if (!mkdtemp(tree)) fail_msg("%s: %s", tree, strerror(errno));
  for (size_t k = 0; k < cases->n; k++) {
    const struct bad_case *c = &cases->at[k];
    snprintf(path, sizeof path, "%s/%s/%s", tree, dir, c->name);
    make_folders(path);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(c->input, 1, c->n, f) != c->n || fclose(f)) fail_msg("%s: %s", path, strerror(errno));
  }
  snprintf(path, sizeof path, "%s/tests/data/ptx", tree);
  snprintf(target, sizeof target, "%s/tests/data/ptx", root);
  make_folders(path);
  if (symlink(target, path) || chdir(tree)) fail_msg("%s: %s", path, strerror(errno));
}

/* Removes a file and each of its folders that is empty then, up to the first `n` characters of its path. */
static inline void remove_upwards(char *path, size_t n) {
  int failed = remove(path);
  for (char *p; !failed && (p = strrchr(path, '/')) && (size_t)(p - path) >= n;) {
    *p = 0;
    failed = rmdir(path);
  }
}

/* Removes the tree; says so if something else is left in it. */
static inline void leave_tree(const char *tree, const char *root, const char *dir, const struct bad_cases *cases,
                              FILE *wrong) {
  char path[PATH_MAX];
  if (chdir(root)) fail_msg("%s: %s", root, strerror(errno));
  snprintf(path, sizeof path, "%s/tests/data/ptx", tree);
  remove_upwards(path, strlen(tree));
  for (size_t k = 0; k < cases->n; k++) {
    snprintf(path, sizeof path, "%s/%s/%s", tree, dir, cases->at[k].name);
    remove_upwards(path, strlen(tree));
  }
  if (!access(tree, F_OK)) fprintf(wrong, "%s: found files that a case has left, expected none\n", tree);
}

/* Returns what is wrong with the cases of the text beside dir, freed by the caller: "" if the form fits and each case gets its message.
 * *n: how many cases there are. */
static inline char *wrong_cases(const char *dir, refusal_of *refusal, size_t *n) {
  char tree[] = "/tmp/refused_XXXXXX", root[PATH_MAX / 2], text[1200], *out = NULL;
  size_t size;
  struct err e = {0};
  struct bad_cases cases;
  FILE *wrong = open_memstream(&out, &size);
  if (!wrong || !getcwd(root, sizeof root)) fail_msg("%s", strerror(errno));
  if (bad_cases_read(dir, &cases, &e)) {
    enter_tree(tree, root, dir, &cases);
    for (size_t k = 0; k < cases.n; k++) compare_case(dir, &cases.at[k], refusal, wrong);
    leave_tree(tree, root, dir, &cases, wrong);
  } else {
    err_format(&e, text, sizeof text);
    fprintf(wrong, "%s\n", text);
  }
  fclose(wrong);
  *n = cases.n;
  bad_cases_free(&cases);
  return out;
}

static inline void all_refused(const char *dir, refusal_of *refusal, size_t least) {
  size_t n;
  char *wrong = wrong_cases(dir, refusal, &n);
  if (wrong[0]) fail_msg("%s", wrong);
  free(wrong);
  assert_true(n >= least);
}

#endif

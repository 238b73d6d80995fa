/* SPDX-License-Identifier: Apache-2.0 */
/* options: see options.h. */
#include "host/opencl/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* ---- words ---- */

static bool options_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of *at into `word` (as large as the text), *at behind it. 1; 0: there is none; -1: a quote that is not closed. */
static int options_next_word(const char **at, char *word) {
  const char *p = *at;
  size_t n = 0;
  while (options_is_blank(*p)) p++;
  if (!*p) return 0;
  for (char quote = 0;; p++) {
    if (!*p) {
      if (quote) return -1;
      break;
    }
    if (!quote && options_is_blank(*p)) break;
    if (*p == '\\' && quote != '\'' && p[1]) word[n++] = *++p;
    else if (*p == quote) quote = 0;
    else if (!quote && (*p == '"' || *p == '\'')) quote = *p;
    else word[n++] = *p;
  }
  word[n] = 0;
  *at = p;
  return 1;
}

/* ---- which options there are ---- */

static const char *const for_build[] = {"-cl-single-precision-constant",
                                        "-cl-denorms-are-zero",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-opt-disable",
                                        "-cl-strict-aliasing",
                                        "-cl-mad-enable",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-w",
                                        "-Werror",
                                        "-cl-std=CL1.0",
                                        "-cl-std=CL1.1",
                                        "-cl-std=CL1.2",
                                        "-cl-kernel-arg-info",
                                        NULL};
/* Versions 1.0 and 1.1 are compiled as 1.2, which contains them: clang would refuse our header, whose functions are static. The other option
 * does nothing since 1.1. */
static const char *const not_for_clang[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-strict-aliasing", NULL};
/* clang optimises the linked program with what each part was compiled for; the rest of these concerns only the driver. */
static const char *const for_link[] = {"-create-library",      "-enable-link-options",  "-cl-denorms-are-zero",
                                       "-cl-no-signed-zeroes", "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations",
                                       "-cl-finite-math-only", "-cl-fast-relaxed-math", NULL};

static bool options_list_has(const char *const *list, const char *word) {
  for (; *list; list++) {
    if (!strcmp(*list, word)) return true;
  }
  return false;
}

static void options_add(struct options *o, const char *prefix, const char *text) {
  size_t a = strlen(prefix), b = strlen(text);
  char *s = xmalloc(a + b + 1);
  memcpy(s, prefix, a);
  memcpy(s + a, text, b);
  s[a + b] = 0;
  if (o->n + 2 > o->cap) o->arg = xrealloc(o->arg, (o->cap = o->cap ? 2 * o->cap : 16) * sizeof *o->arg);
  o->arg[o->n++] = s;
  o->arg[o->n] = NULL;
}

static bool options_wrong(struct options *o, const char *what, const char *word) {
  snprintf(o->wrong, sizeof o->wrong, "%s '%.80s'", what, word);
  return false;
}

static bool options_take(struct options *o, const char **at, char *word, enum options_for what) {
  if (what == OPTIONS_BUILD && word[0] == '-' && (word[1] == 'D' || word[1] == 'I')) {
    char prefix[3] = {'-', word[1], 0};
    if (word[2]) options_add(o, prefix, word + 2);
    else if (options_next_word(at, word) == 1 && word[0]) options_add(o, prefix, word);
    else return options_wrong(o, "found nothing behind", prefix);
    return true;
  }
  if (!strncmp(word, "-cl-nv-", 7)) return true;
  if (!options_list_has(what == OPTIONS_BUILD ? for_build : for_link, word))
    return options_wrong(o, "found the unknown option", word);
  o->rounded |= !strcmp(word, "-cl-fp32-correctly-rounded-divide-sqrt");
  o->library |= !strcmp(word, "-create-library");
  if (what == OPTIONS_BUILD && !options_list_has(not_for_clang, word)) options_add(o, "", word);
  return true;
}

bool options_read(struct options *o, const char *text, enum options_for what) {
  memset(o, 0, sizeof *o);
  options_add(o, "", "-cl-std=CL1.2"); /* a later one wins */
  if (!text) return true;
  char *word = malloc(strlen(text) + 1);
  if (!word) return options_wrong(o, "found no memory for", "the options");
  const char *at = text;
  int got;
  bool good = true;
  while (good && (got = options_next_word(&at, word)) != 0) {
    good = got > 0 ? options_take(o, &at, word, what) : options_wrong(o, "found a quote that is not closed in", text);
  }
  free(word);
  return good;
}

void options_free(struct options *o) {
  for (unsigned i = 0; i < o->n; i++) free(o->arg[i]);
  free(o->arg);
  memset(o, 0, sizeof *o);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tool: see tool.h. */
#include "tool.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/show.h"

enum { MOST_BYTES = 1 << 30 };

const char *tool_program = "mutate";

void textfile_open(struct textfile *t, const char *path) {
  char why[IO_WHY];
  size_t n = 0;
  *t = (struct textfile){.path = path};
  t->next = input_read(path, MOST_BYTES, &n, why);
  if (!t->next) {
    fprintf(stderr, "%s: %s: %s\n", tool_program, SHOWN(path), why);
    exit(2);
  }
  t->end = t->next + n;
  if (memchr(t->next, 0, n)) textfile_refuse(t, "a byte 0", "text");
}

char *textfile_next(struct textfile *t) {
  if (t->next >= t->end) return NULL;
  char *line = t->next, *end = memchr(line, '\n', (size_t)(t->end - line));
  t->next = end ? end + 1 : t->end;
  if (end) *end = 0;
  t->line++;
  return line;
}

void textfile_refuse(const struct textfile *t, const char *found, const char *expected) {
  char line[16] = "";
  if (t->line) snprintf(line, sizeof line, "%u:", t->line);
  fprintf(stderr, "%s: %s:%s found \"%s\", expected %s\n", tool_program, SHOWN(t->path), line, SHOWN(found), expected);
  exit(2);
}

void words_split(struct words *w, char *line, bool tabs) {
  w->n = 0;
  for (char *at = line;;) {
    if (!tabs) at += strspn(at, " \t");
    if (!tabs && !*at) return;
    VEC_PUSH(w->word, w->n, w->room) = at;
    at += strcspn(at, tabs ? "\t" : " \t");
    if (!*at) return;
    *at++ = 0;
  }
}

const char *words_option(const struct words *w, const char *option) {
  const char *value = NULL;
  for (size_t i = 1; i + 1 < w->n; i++)
    if (!strcmp(w->word[i], option)) value = w->word[i + 1];
  return value;
}

const char *words_need_option(const struct words *w, const char *option, const struct textfile *t) {
  char expected[64];
  const char *value = words_option(w, option);
  if (value) return value;
  snprintf(expected, sizeof expected, "a fault of Yosys's mutate with %s", option);
  textfile_refuse(t, w->n ? w->word[0] : "", expected);
}

/* FIT_NEVER: it does not fit, and neither does what begins later in the text. */
enum fit { FIT_NO, FIT_YES, FIT_NEVER };
static enum fit pattern_fit(const char *p, const char *s, enum pattern_kind kind);

/* `rest` is the pattern after "<from-to>", `first` the n characters of "from". */
static enum fit pattern_fit_number(const char *first, size_t n, unsigned long to, const char *rest, const char *s) {
  unsigned long from = strtoul(first, NULL, 10), v = 0;
  for (size_t digits = 1; digits < 18 && s[digits - 1] >= '0' && s[digits - 1] <= '9'; digits++) {
    v = 10 * v + (unsigned long)(s[digits - 1] - '0');
    bool is = digits == n && !memcmp(s, first, n);
    if (!is && (v <= from || v > to || s[0] == '0')) continue;
    enum fit fit = pattern_fit(rest, s + digits, PATTERN_NUMBERS);
    if (fit != FIT_NO) return fit;
  }
  return FIT_NO;
}

static enum fit pattern_fit(const char *p, const char *s, enum pattern_kind kind) {
  for (; *p; p++, s++) {
    if (*p == '*') {
      for (;; s++) {
        enum fit fit = pattern_fit(p + 1, s, kind);
        if (fit != FIT_NO) return fit;
        if (!*s) return FIT_NEVER;
      }
    }
    if (*p == '<' && kind == PATTERN_NUMBERS) {
      static const char digits[] = "0123456789";
      size_t n = strspn(p + 1, digits), m = p[1 + n] == '-' ? strspn(p + n + 2, digits) : 0;
      if (n && m && p[n + m + 2] == '>')
        return pattern_fit_number(p + 1, n, strtoul(p + n + 2, NULL, 10), p + n + m + 3, s);
    }
    if (!*s || (*p != *s && !(*p == '?' && kind == PATTERN_MARKS))) return FIT_NO;
  }
  return *s ? FIT_NO : FIT_YES;
}

bool pattern_fits(const char *pattern, const char *text, enum pattern_kind kind) {
  return pattern_fit(pattern, text, kind) == FIT_YES;
}

struct named {
  const char *name;
  void *value;
};

static int named_compare(const void *a, const void *b) {
  return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

void *dictionary_find(const struct dictionary *d, const char *name) {
  struct named **e = tfind(&(struct named){name, NULL}, &d->root, named_compare);
  return e ? (*e)->value : NULL;
}

void **dictionary_slot(struct dictionary *d, const char *name) {
  struct named wanted = {name, NULL}, **e = tfind(&wanted, &d->root, named_compare);
  if (!e) {
    struct named *new = xmalloc(sizeof *new);
    *new = wanted;
    e = tsearch(new, &d->root, named_compare);
    if (!e) no_memory(1, sizeof *new);
  }
  return &(*e)->value;
}

char *text_copy(const char *s, size_t n) {
  char *copy = xmalloc(n + 1);
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

int tool_run(const struct tool_command *commands, int argc, char **argv, const char *usage) {
  const struct tool_command *c = commands;
  while (c->name && (argc < 2 || strcmp(argv[1], c->name))) c++;
  if (!c->name || argc - 2 < c->least || argc - 2 > c->most) return fprintf(stderr, "usage: %s\n", usage), 2;
  if (c->shown) show_guard();
  int status = c->run(argv + 2);
  if (c->shown || (!ferror(stdout) && !fclose(stdout))) return status;
  fprintf(stderr, "%s: standard output: %s\n", tool_program, strerror(errno));
  return 2;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* equal_legal: reads a block's .legal or .one, and holds the names in it against the netlist. See equal.c. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "equal.h"
#include "rtlil.h"

static void line_join(char **to, const char *line) {
  size_t n = strlen(*to), m = strlen(line);
  char *made = xmalloc(n + m + 2);
  sprintf(made, "%s%s ", *to, line);
  *to = made;
}

void legal_read(struct legal *l, const char *path) {
  struct textfile t;
  *l = (struct legal){.path = path, .rule = "1'b1", .cut = "", .apart = "", .same = ""};
  if (access(path, F_OK)) return;
  l->rule = "";
  textfile_open(&t, path);
  for (char *line; (line = textfile_next(&t));) {
    if (strncmp(line, "//", 2)) line_join(&l->rule, line);
    else if (!strncmp(line, "// cut: ", 8)) line_join(&l->cut, line + 8);
    else if (!strncmp(line, "// apart: ", 10)) line_join(&l->apart, line + 10);
    else if (!strncmp(line, "// while: ", 10)) line_join(&l->same, line + 10);
  }
  if (!l->rule[strspn(l->rule, " \t")]) textfile_refuse(&t, l->rule, "an expression");
}

struct names {
  char **name;
  size_t n, room;
};

/* The identifiers of an expression, with the backslash that begins an escaped one. */
static void names_add_identifiers(struct names *all, const char *s) {
  while (*s) {
    size_t n = 0;
    if (*s == '\\') n = 1 + strcspn(s + 1, " ");
    else if (isalpha((unsigned char)*s) || *s == '_')
      while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    if (n > (*s == '\\')) VEC_PUSH(all->name, all->n, all->room) = text_copy(s, n);
    s += n ? n : 1;
  }
}

static void names_add_words(struct names *all, const char *s) {
  for (; s += strspn(s, " \t"), *s; s += strcspn(s, " \t"))
    VEC_PUSH(all->name, all->n, all->room) = text_copy(s, strcspn(s, " \t"));
}

static int name_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Sorts them; each stays once. */
static void names_sort(struct names *all) {
  size_t n = 0;
  if (all->n) qsort(all->name, all->n, sizeof *all->name, name_compare);
  for (size_t i = 0; i < all->n; i++)
    if (!n || strcmp(all->name[n - 1], all->name[i])) all->name[n++] = all->name[i];
  all->n = n;
}

/* The expression without its numbers, "8'd255". */
static char *rule_without_numbers(const char *rule) {
  char *made = xmalloc(strlen(rule) + 1), *to = made;
  while (*rule) {
    size_t n = strspn(rule, "0123456789");
    if (rule[n] == '\'') {
      n += 1 + strspn(rule + n + 1, "s");
      if (rule[n] && strchr("bodh", rule[n])) {
        rule += n + 1;
        rule += strspn(rule, "0123456789abcdefABCDEF_xzXZ");
        continue;
      }
    }
    *to++ = *rule++;
  }
  *to = 0;
  return made;
}

int legal_check(char **argv) {
  struct legal l;
  struct rtlil r;
  struct names all = {NULL, 0, 0}, wires = {NULL, 0, 0};
  int bad = 0;
  legal_read(&l, argv[0]);
  names_add_words(&all, l.cut);
  names_add_words(&all, l.apart);
  names_add_identifiers(&all, rule_without_numbers(l.rule));
  for (size_t i = 0; i < all.n; i++) all.name[i] += all.name[i][0] == '\\';
  names_sort(&all);
  rtlil_open(&r, argv[1]);
  while (rtlil_next(&r)) {
    char *last = r.words.word[r.words.n - 1];
    if (r.kind == RTLIL_WIRE) VEC_PUSH(wires.name, wires.n, wires.room) = last + (*last == '\\');
  }
  for (size_t i = 0; i < all.n; i++) {
    size_t k = 0;
    while (k < wires.n && !pattern_fits(all.name[i], wires.name[k], PATTERN_MARKS)) k++;
    if (k < wires.n || !*all.name[i]) continue;
    puts(all.name[i]);
    bad = 1;
  }
  return bad;
}

/* Yosys's patterns have sets in brackets; a ? instead is any character. */
int legal_expose(char **argv) {
  struct legal l;
  struct names cut = {NULL, 0, 0}, all = {NULL, 0, 0};
  legal_read(&l, argv[0]);
  names_add_words(&cut, l.cut);
  for (size_t i = 0; i < cut.n; i++) printf("expose -cut -sep __ w:%s; ", cut.name[i]);
  names_add_identifiers(&all, l.rule);
  names_sort(&all);
  for (size_t i = 0; i < all.n; i++) {
    char *name = all.name[i];
    size_t n = strlen(name);
    if (!strstr(name, "_q[") && (n < 2 || strcmp(name + n - 2, "_q"))) continue;
    for (char *at = name; *at; at++)
      if (*at == '[' || *at == ']') *at = '?';
    printf("expose w:%s; ", name + (*name == '\\'));
  }
  return 0;
}

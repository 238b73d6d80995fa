/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal_lanes: finds a cell of a block with many lanes in the same block with one lane. The same cell has the same name,
 * type, parameters, source and connections, except for the index in an array, Yosys's running numbers and the bits of the
 * block's own ports and registers. If several cells are the same and there are as many in the other netlist, their order by
 * Yosys's numbers decides. A cell that Yosys named goes by the net that it leads to.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "equal.h"
#include "rtlil.h"

struct cell {
  const char *name;
  char *text, *key;      /* type, source, parameters and connections; what is equal for the same cell */
  unsigned long running; /* Yosys's number */
  size_t at;             /* in the netlist */
};
struct cells {
  struct cell **cell; /* by key, then running number, then place */
  size_t n, room;
  struct dictionary named, to, used; /* cells; the net that a cell drives; a cell that uses a net */
};

static void text_append(char **text, const char *s, size_t n) {
  size_t m = *text ? strlen(*text) : 0;
  *text = xrealloc(*text, m + n + 1);
  memcpy(*text + m, s, n);
  (*text)[m + n] = 0;
}
static void text_append_word(char **text, const char *s) {
  text_append(text, s, strlen(s));
  text_append(text, " ", 1);
}

static size_t text_digits(const char *s) { return strspn(s, "0123456789"); }

/* Appends the connection without running numbers, "$12" is "$", and without bits, "\data_q [7:0]" is "\data_q". */
static void connection_append(char **text, const char *s) {
  char *made = xmalloc(strlen(s) + 1), *to = made;
  while (*s) {
    const char *end = s + 1;
    if (*s == '\\') {
      while (isalnum((unsigned char)*end) || *end == '_') end++;
    }
    memcpy(to, s, (size_t)(end - s));
    to += end - s;
    if (*s == '$') end += text_digits(end);
    if (*s == '\\' && end > s + 1 && end[0] == ' ' && end[1] == '[' && text_digits(end + 2)) {
      const char *bits = end + 2 + text_digits(end + 2);
      if (*bits == ':' && text_digits(bits + 1)) bits += 1 + text_digits(bits + 1);
      if (*bits == ']') end = bits + 1;
    }
    s = end;
  }
  *to = 0;
  text_append(text, made, (size_t)(to - made));
  free(made);
}

static void cells_read(struct cells *all, const char *path) {
  struct rtlil r;
  const char *source = "";
  struct cell *c = NULL;
  rtlil_open(&r, path);
  while (rtlil_next(&r)) {
    char **word = r.words.word;
    if (r.kind == RTLIL_ATTRIBUTE && !strcmp(word[1], "\\src")) source = r.words.n > 2 ? word[2] : "";
    if (r.kind == RTLIL_WIRE || !strcmp(word[0], "module")) source = "";
    if (!r.cell) continue;
    if (r.kind == RTLIL_CELL) {
      void **slot = dictionary_slot(&all->named, rtlil_listed(r.cell));
      if (*slot) textfile_refuse(&r.file, r.cell, "a cell of another name than those before");
      VEC_PUSH(all->cell, all->n, all->room) = *slot = c = xcalloc(1, sizeof *c);
      *c = (struct cell){.name = r.cell, .at = all->n};
      text_append_word(&c->text, r.type);
      text_append_word(&c->text, source);
      source = "";
    } else if (r.kind == RTLIL_PARAMETER) {
      text_append_word(&c->text, word[1]);
      text_append_word(&c->text, r.words.n > 2 ? word[2] : "");
    } else if (rtlil_is_output(&r)) {
      connection_append(&c->text, r.text);
      *dictionary_slot(&all->to, r.cell) = word[2];
    } else if (r.kind == RTLIL_CONNECT) {
      connection_append(&c->text, r.text);
      for (size_t i = 2; i < r.words.n; i++)
        if (word[i][0] == '$') *dictionary_slot(&all->used, word[i]) = (void *)r.cell;
    }
  }
}

/* The net with a name of the source that the cell leads to. */
static const char *cells_end(const struct cells *all, const char *cell) {
  for (unsigned hops = 0; cell && hops < 40; hops++) {
    const char *net = dictionary_find(&all->to, cell);
    if (!net) break;
    if (*net == '\\') return net;
    cell = dictionary_find(&all->used, net);
  }
  return "?";
}

/* The key begins with the name without Yosys's number, "$procmux$12_CMP0" is "$procmux$_CMP0". */
static void cell_make_key(struct cell *c, const struct cells *all) {
  size_t named = strlen(c->name);
  for (const char *at = c->name; (at = strchr(at, '$')); at++) {
    size_t n = text_digits(at + 1);
    const char *end = at + 1 + n;
    if (n && *end == '_' && end[1])
      for (end++; isupper((unsigned char)*end) || isdigit((unsigned char)*end);) end++;
    if (!n || *end) continue;
    c->running = strtoul(at + 1, NULL, 10);
    named = (size_t)(at - c->name) + 1;
    text_append(&c->key, c->name, named);
    text_append_word(&c->key, at + 1 + n);
    break;
  }
  if (!c->key) text_append_word(&c->key, c->name);
  if (!strncmp(c->key, "$auto", 5)) text_append_word(&c->key, cells_end(all, c->name));
  text_append(&c->key, c->text, strlen(c->text));
}

static int cell_compare(const void *a, const void *b) {
  const struct cell *x = *(struct cell *const *)a, *y = *(struct cell *const *)b;
  int by_key = strcmp(x->key, y->key);
  if (by_key) return by_key;
  if (x->running != y->running) return x->running < y->running ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void cells_sort(struct cells *all) {
  for (size_t i = 0; i < all->n; i++) cell_make_key(all->cell[i], all);
  qsort(all->cell, all->n, sizeof *all->cell, cell_compare);
}

/* How many cells have the key; *first: the place of the first one. */
static size_t cells_count(const struct cells *all, const char *key, size_t *first) {
  size_t from = 0, to = all->n, n = 0;
  while (from < to) {
    size_t middle = (from + to) / 2;
    if (strcmp(all->cell[middle]->key, key) < 0) from = middle + 1;
    else to = middle;
  }
  for (*first = from; from + n < all->n && !strcmp(all->cell[from + n]->key, key);) n++;
  return n;
}

/* The key with index 0 in each array: "gen_lane[2].u_x" is "gen_lane[0].u_x". */
static char *key_in_one(const char *key, const struct words *arrays) {
  char *made = text_copy(key, strlen(key));
  for (size_t k = 0; k < arrays->n; k++) {
    size_t n = strlen(arrays->word[k]);
    for (char *at = made; (at = strstr(at, arrays->word[k])); at += n) {
      size_t m = at[n] == '[' ? text_digits(at + n + 1) : 0;
      if (!m || at[n + 1 + m] != ']') continue;
      at[n + 1] = '0';
      memmove(at + n + 2, at + n + 1 + m, strlen(at + n + 1 + m) + 1);
    }
  }
  return made;
}

/* Prints the fault with another cell and without its wire, which has another name there. */
static void fault_print(const struct textfile *list, const char *line, const char *cell) {
  static const char option[] = " -cell ";
  const char *at = strstr(line, option);
  if (!at) textfile_refuse(list, line, "blanks between the words of a fault");
  at += strlen(option);
  printf("%.*s%s", (int)(at - line), line, cell);
  at += strcspn(at, " ");
  while (*at) {
    size_t n = !strncmp(at, " -wire ", 7) ? 7 : !strncmp(at, " -wirebit ", 10) ? 10 : 0;
    size_t m = n ? strcspn(at + n, " ") : 0;
    if (m) at += n + m;
    else putchar(*at++);
  }
  putchar('\n');
}

void lanes_print(const char *arrays, const char *list, const char *whole, const char *one) {
  struct cells cells[2] = {{.n = 0}, {.n = 0}};
  struct words names = {NULL, 0, 0}, w = {NULL, 0, 0};
  struct textfile t;
  cells_read(&cells[0], whole);
  cells_read(&cells[1], one);
  cells_sort(&cells[0]);
  cells_sort(&cells[1]);
  words_split(&names, text_copy(arrays, strlen(arrays)), false);
  textfile_open(&t, list);
  for (char *line; (line = textfile_next(&t));) {
    size_t first[2], own = 0;
    char *copy = text_copy(line, strlen(line));
    words_split(&w, copy, false);
    const char *name = words_need_option(&w, "-cell", &t);
    const struct cell *c = dictionary_find(&cells[0].named, name);
    if (!c) textfile_refuse(&t, name, "a cell of the netlist");
    char *key = key_in_one(c->key, &names);
    size_t n = cells_count(&cells[0], c->key, &first[0]);
    while (cells[0].cell[first[0] + own] != c) own++;
    if (n == cells_count(&cells[1], key, &first[1]))
      fault_print(&t, line, rtlil_listed(cells[1].cell[first[1] + own]->name));
    else putchar('\n');
    free(key);
    free(copy);
  }
}

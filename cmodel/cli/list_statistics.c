/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_statistics: regtwin list statistics: every number of a run with its unit, its meaning and what it is divided by; from the lists
 * that count and print them. With a configuration also whether that models it: a counter of hardware that it does not have is -.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/text.h"
#include "cli/list.h"
#include "config/keys.h"
#include "lab/campaign/measure.h"
#include "lab/report/grid.h"
#include "lab/run/hardware.h"

/* Arguments as text, their macros written out. */
#define TEXT_OF(...) #__VA_ARGS__
#define WRITTEN_OUT(...) TEXT_OF(__VA_ARGS__)

static const struct counter {
  const char *name, *unit, *text, *list; /* list: the file that has its line */
} counters[] = {
#define STAT(name, unit, text) {#name, unit, text, __FILE__},
#include "gen/systems/stats.def"
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static const struct counter memory[] = {
#define MEM(name, unit, text) {"mem_" #name, unit, text, ""},
#include "lab/run/columns.def"
};
enum { MEMORY = sizeof memory / sizeof *memory };

static const struct {
  const char *section, *title;
} sections[] = {
#define SECTION(section, title, when) {#section, title},
#include "gen/systems/rows.def"
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct row {
  const char *section, *label, *unit, *number, *of; /* unit, number, of: as in C; of NULL: it is not divided */
} rows[] = {
#define COUNT(key, section, label, unit, when, number) {#section, label, #unit, WRITTEN_OUT(number), NULL},
#define RATIO(key, section, label, unit, decimals, when, number, of) \
  {#section, label, #unit, WRITTEN_OUT(number), WRITTEN_OUT(of)},
#include "gen/systems/rows.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
  const char *key, *of;
} divided[] = {
#define MEASURE(key, label, unit, decimals, better, num, den) {#key, WRITTEN_OUT(den)},
#include "gen/systems/measures.def"
};

/* ---- expressions of the lists, as a reader writes them ---- */

struct text {
  char *to;
  size_t n, size;
};
static void text_put(struct text *t, const char *s, size_t n) {
  for (; n && t->n + 1 < t->size; n--) t->to[t->n++] = *s++;
  t->to[t->n] = 0;
}

/* "sm_warps" of the configuration is the key sm.warps, "slot_l1_cerf" the value cerf of slot.l1. False: neither. */
static bool text_put_key(struct text *t, const char *word, size_t n, bool values) {
  for (unsigned i = 0; i < config_nkeys; i++) {
    char whole[128];
    const size_t m = (size_t)snprintf(whole, sizeof whole, "%s_%s", config_keys[i].section, config_keys[i].name);
    if (n < m || strncmp(word, whole, m) != 0 || values != (n > m)) continue;
    if (values && (word[m] != '_' || config_keys[i].type != KEY_ENUM)) continue;
    snprintf(whole, sizeof whole, "%s.%s", config_keys[i].section, config_keys[i].name);
    if (values) text_put(t, word + m + 1, n - m - 1);
    else text_put(t, whole, m);
    return true;
  }
  return false;
}

static size_t name_length(const char *s) {
  size_t n = 0;
  while (char_is_in_name(s[n])) n++;
  return n;
}

/* What stands in the expressions for something else. The first that fits is taken. */
static const struct {
  const char *from, *to;
} instead[] = {{"(uint64_t)", ""},
               {"(double)", ""},
               {"r->sm.", ""},
               {"r->mem.", "mem_"},
               {"r->latency[LATENCY_", "latency_"},
               {"].loads", "_loads"},
               {"r->cycles", "gpu_cycles"},
               {"r->", ""},
               {" * ", " x "},
               {" == ", "="},
               {" != ", " is not "},
               {"&&", "and"},
               {"||", "or"},
               {"!", "not "}};

static void formula_rewrite(const char *c, struct text *t) {
  static const char *const config[] = {"r->cfg.", "c->"};
  while (*c) {
    size_t n = name_length(c);
    if (n && text_put_key(t, c, n, true)) { /* a value of a key */
      c += n;
      continue;
    }
    const char *key = NULL;
    for (unsigned i = 0; i < 2; i++)
      if (!strncmp(c, config[i], strlen(config[i]))) key = c + strlen(config[i]);
    if (key && text_put_key(t, key, name_length(key), false)) {
      c = key + name_length(key);
      continue;
    }
    const char *to = NULL;
    for (unsigned i = 0; i < sizeof instead / sizeof *instead && !to; i++)
      if (!strncmp(c, instead[i].from, strlen(instead[i].from))) to = instead[i].to, n = strlen(instead[i].from);
    if (to) text_put(t, to, strlen(to));
    else text_put(t, c, n ? n : 1);
    c += n ? n : 1;
  }
}

/* The parenthesis that closes the one at s, or NULL. */
static char *formula_close(char *s) {
  unsigned depth = 0;
  for (char *p = s; *p; p++) {
    if (*p == '(') depth++;
    if (*p == ')' && !--depth) return p;
  }
  return NULL;
}

/* "(a)" within an expression is a, where nothing inside is an operator, and where there is no function before it. */
static void formula_drop_parentheses(char *s) {
  for (char *p = s; *p; p++) {
    char *end = *p == '(' && (p == s || !char_is_in_name(p[-1])) ? formula_close(p) : NULL;
    if (!end) continue;
    const bool whole = p == s && !end[1];
    if (!whole && memchr(p, ' ', (size_t)(end - p))) continue;
    memmove(end, end + 1, strlen(end));
    memmove(p, p + 1, strlen(p));
    p = s - 1;
  }
}

/* Of "is it there ? a : not modelled" what it is where it is there. */
static void formula_take_there(char *s) {
  char *yes = strstr(s, " ? "), *no = yes ? strrchr(s, ':') : NULL;
  if (!no || no < yes) return;
  char *end = no[-1] == ' ' ? no - 1 : no;
  if (!strcmp(no, ": 0") || !strcmp(no, ": NOT_MODELLED")) {
    *end = 0;
    memmove(s, yes + 3, strlen(yes + 3) + 1);
  } else if (!strncmp(yes, " ? 0 ", 5)) {
    memmove(s, no + 2, strlen(no + 2) + 1);
  }
}

static const char *formula_text(const char *c, char *buf, size_t size) {
  struct text t = {buf, 0, size};
  buf[0] = 0;
  formula_rewrite(c, &t);
  formula_drop_parentheses(buf);
  formula_take_there(buf);
  formula_drop_parentheses(buf);
  for (char *p = buf; (p = strstr(p, "latency_"));) /* its rows are named by an enum */
    for (p += 8; char_is_in_name(*p); p++)
      if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
  return buf;
}

/* What a number is divided by. "-": nothing; the list has 1 there, or whether there is such a number. */
static const char *denominator_text(const char *c, char *buf, size_t size) {
  formula_text(c, buf, size);
  const bool condition = !strcmp(buf, "compared") || strstr(buf, "> 0") || (strchr(buf, '=') && !strchr(buf, '?'));
  if (!strcmp(buf, "1") || strstr(buf, "(r)") || condition) snprintf(buf, size, "-");
  return buf;
}

/* A unit as in C: a text, or the number of which it is a part. */
static const char *unit_text(const char *c, char *buf, size_t size) {
  static const char part[] = "text_percent_of(buf, ";
  if (!strncmp(c, part, sizeof part - 1)) {
    char of[128];
    snprintf(of, sizeof of, "%.*s", (int)(strlen(c) - sizeof part), c + sizeof part - 1);
    const size_t n = (size_t)snprintf(buf, size, "%% of ");
    formula_text(of, buf + n, size - n);
  } else {
    snprintf(buf, size, "%.*s", (int)(strlen(c) > 1 ? strlen(c) - 2 : 0), c + 1);
  }
  return buf;
}

/* ---- the list ---- */

/* Of a counter: "the core", or the folder of its system. */
static void counter_folder(const struct counter *c, char buf[64]) {
  char path[512];
  snprintf(path, sizeof path, "%s", c->list);
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
  snprintf(buf, 64, "%.63s", strcmp(path_name(path), "sm") ? path_name(path) : "the core");
}

/* `here`: the configuration, or NULL. */
static void counter_row(struct grid *g, const struct counter *c, const struct config *here) {
  grid_row(g);
  grid_cell(g, "  %s", c->name);
  grid_cell(g, "%s", c->unit);
  if (here) grid_cell(g, "%s", hardware_counts(here, c->name) ? "yes" : "-");
  grid_cell(g, "%s", c->text);
}

static void statistics_print_grid(struct grid *g) {
  grid_wrap(g, show_width());
  grid_print(g, stdout);
  grid_free(g);
}

/* The counters first..end of a folder that belong to this hardware, NULL: to every configuration. */
static void counters_print_of(unsigned first, unsigned end, const struct hardware *h, const struct config *here) {
  char when[512], line[600];
  struct grid *g = NULL;
  for (unsigned i = first; i < end; i++) {
    if (hardware_of(counters[i].name) != h) continue;
    if (!g && h) {
      snprintf(line, sizeof line, " only with %s:", formula_text(h->when, when, sizeof when));
      putchar(' ');
      show_wrapped(stdout, line, 1, 3, show_width());
    }
    if (!g) g = grid_new();
    counter_row(g, &counters[i], here);
  }
  if (g) statistics_print_grid(g);
}

static void counters_print(const struct config *here) {
  char folder[64], next[64];
  for (unsigned first = 0, end = 0; first < COUNTERS; first = end) {
    counter_folder(&counters[first], folder);
    for (end = first + 1; end < COUNTERS; end++) {
      counter_folder(&counters[end], next);
      if (strcmp(next, folder) != 0) break;
    }
    printf("%sCounters of %s: name, unit%s, meaning\n", first ? "\n" : "", folder, here ? ", counted here" : "");
    counters_print_of(first, end, NULL, here);
    for (unsigned k = 0; k < nhardware; k++) counters_print_of(first, end, &hardware[k], here);
  }
}

static void memory_print(void) {
  struct grid *g = grid_new();
  printf("\nCounters of the memory: name, unit, meaning\n");
  for (unsigned i = 0; i < MEMORY; i++) {
    grid_row(g);
    grid_cell(g, "  %s", memory[i].name);
    grid_cell(g, "%s", memory[i].unit);
    grid_cell(g, "%s", memory[i].text);
  }
  statistics_print_grid(g);
}

/* "label (unit): number / denominator" */
static void row_print(const struct row *r) {
  char text[1200], unit[128], number[512], of[512];
  unit_text(r->unit, unit, sizeof unit);
  formula_text(r->number, number, sizeof number);
  const bool sum = r->of && strpbrk(number, "+-") && number[0] != '(';
  snprintf(text, sizeof text, "%s%s%s%s: %s%s%s", r->label, unit[0] ? " (" : "", unit, unit[0] ? ")" : "",
           sum ? "(" : "", number, sum ? ")" : "");
  if (r->of) {
    formula_text(r->of, of, sizeof of);
    const bool group = strchr(of, ' ') != NULL;
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, " / %s%s%s", group ? "(" : "", of, group ? ")" : "");
  }
  fputs("  ", stdout);
  show_wrapped(stdout, text, 2, 6, show_width());
}

static void rows_print(void) {
  for (unsigned s = 0; s < SECTIONS; s++) {
    bool any = false;
    for (unsigned i = 0; i < ROWS; i++) {
      if (strcmp(rows[i].section, sections[s].section) != 0) continue;
      if (!any) printf("\nTable of run, %s: label (unit): number / denominator\n", sections[s].title);
      any = true;
      row_print(&rows[i]);
    }
  }
}

static void measures_print(void) {
  struct grid *g = grid_new();
  printf("\nMeasures (compare, experiment, results): name, meaning, unit; denominator\n");
  for (unsigned i = 0; i < nmeasures; i++) {
    char of[512];
    grid_row(g);
    grid_cell(g, "  %s", measures[i].key);
    denominator_text(divided[i].of, of, sizeof of);
    grid_cell(g, "%s%s%s; denominator: %s", measures[i].label, measures[i].unit[0] ? ", " : "", measures[i].unit, of);
  }
  statistics_print_grid(g);
}

int list_statistics(const struct list_args *a) {
  struct config c;
  struct err e = {0};
  const bool given = a->config.machine || a->config.system || a->config.nset;
  if (given && !config_from(&a->config, &c, &e)) return err_complain(&e);
  if (a->names) {
    for (unsigned i = 0; i < COUNTERS; i++)
      if (!given || hardware_counts(&c, counters[i].name)) printf("%s\n", counters[i].name);
    return 0;
  }
  counters_print(given ? &c : NULL);
  memory_print();
  rows_print();
  measures_print();
  putchar('\n');
  show_wrapped(stdout,
               "A counter has no denominator. gpu_cycles are those of the GPU's clock, the JSON's cycles. What the "
               "configuration does not model is - in tables and null in the JSON, never 0; counters stay whole "
               "numbers in the JSON (docs/use/results.md).",
               0, 0, show_width());
  return 0;
}

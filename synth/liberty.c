/* SPDX-License-Identifier: Apache-2.0 */
/* liberty: see liberty.h. The file is read into a tree of groups and attributes, then what is needed is taken. */
#include "liberty.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/io.h"
#include "base/show.h"

void wrong(const char *path, unsigned line, const char *format, ...) {
  char text[1024], shown[1024], name[1024];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  fflush(stdout);
  show_text(name, sizeof name, path);
  show_text(shown, sizeof shown, text);
  if (line) fprintf(stderr, "energy: %s:%u: %s\n", name, line, shown);
  else fprintf(stderr, "energy: %s: %s\n", name, shown);
  exit(2);
}

/* ---- text ---- */
enum { MOST_DEPTH = 32 };
enum token { T_END, T_WORD, T_PUNCT }; /* a word: name, number or quoted string */

struct lexer {
  const char *path;
  char *at;
  unsigned line, token_line;
  enum token kind;
  char punct;
  char *word;
};

static void skip_blanks(struct lexer *x) {
  for (;;) {
    if (*x->at == '\n') x->line++, x->at++;
    else if (isspace((unsigned char)*x->at)) x->at++;
    else if (*x->at == '\\' && (x->at[1] == '\n' || (x->at[1] == '\r' && x->at[2] == '\n'))) x->at++;
    else if (x->at[0] == '/' && x->at[1] == '/') x->at += strcspn(x->at, "\n");
    else if (x->at[0] == '/' && x->at[1] == '*') {
      unsigned from = x->line;
      for (x->at += 2; x->at[0] != '*' || x->at[1] != '/'; x->at++) {
        if (!*x->at) wrong(x->path, from, "found a comment without an end, expected */");
        if (*x->at == '\n') x->line++;
      }
      x->at += 2;
    } else return;
  }
}

static char *copy(const char *from, size_t n) {
  char *to = xcalloc(1, n + 1);
  memcpy(to, from, n);
  return to;
}

/* A quoted string may go on in the next line after a backslash. */
static void string(struct lexer *x) {
  unsigned from = x->line;
  char *to = xcalloc(1, strcspn(x->at + 1, "\"") + 1), *end = to;
  for (x->at++; *x->at != '"'; x->at++) {
    if (!*x->at) wrong(x->path, from, "found a string without an end, expected \"");
    if (*x->at == '\n') x->line++;
    if (*x->at == '\\' && (x->at[1] == '\n' || x->at[1] == '\r')) continue;
    *end++ = *x->at;
  }
  x->at++;
  x->word = to;
}

static void next(struct lexer *x) {
  skip_blanks(x);
  x->token_line = x->line;
  x->word = NULL;
  if (!*x->at) {
    x->kind = T_END;
  } else if (*x->at == '"') {
    x->kind = T_WORD;
    string(x);
  } else if (strchr("(){}:;,", *x->at)) {
    x->kind = T_PUNCT;
    x->punct = *x->at++;
  } else {
    size_t n = strcspn(x->at, "(){}:;,\" \t\r\n\\");
    if (!n) wrong(x->path, x->line, "found character '%c', expected a name", *x->at);
    x->kind = T_WORD;
    x->word = copy(x->at, n);
    x->at += n;
  }
}

static bool is(const struct lexer *x, char punct) { return x->kind == T_PUNCT && x->punct == punct; }

static const char *found(const struct lexer *x, char text[static 80]) {
  if (x->kind == T_END) snprintf(text, 80, "the end of the file");
  else if (x->kind == T_PUNCT) snprintf(text, 80, "%c", x->punct);
  else snprintf(text, 80, "%.60s", x->word);
  return text;
}
#define FOUND(x) found(x, (char[80]){0})

/* ---- the tree ---- */
/* name : value; or name (arg, ...) { ... } */
struct node {
  const char *name, *value; /* value: of a simple attribute */
  unsigned line, args;
  const char **arg;
  bool group;
  struct node *first, *next;
};

static struct node *statements(struct lexer *x, unsigned depth);

static struct node *statement(struct lexer *x, unsigned depth) {
  struct node *n = xcalloc(1, sizeof *n);
  n->name = x->word;
  n->line = x->token_line;
  next(x);
  if (is(x, ':')) {
    next(x);
    if (x->kind != T_WORD) wrong(x->path, x->token_line, "found %s, expected the value of %s", FOUND(x), n->name);
    n->value = x->word;
    next(x);
    /* what is not quoted may be an expression of several words: only its first is kept, none of those is needed */
    while (x->kind == T_WORD && x->token_line == n->line) next(x);
    if (is(x, ';')) next(x);
    else if (x->token_line == n->line && !is(x, '}'))
      wrong(x->path, x->token_line, "found %s, expected ; after %s", FOUND(x), n->name);
    return n;
  }
  if (!is(x, '(')) wrong(x->path, x->token_line, "found %s, expected : or ( after %s", FOUND(x), n->name);
  for (next(x); !is(x, ')'); next(x)) {
    if (is(x, ',')) continue;
    if (x->kind != T_WORD) wrong(x->path, x->token_line, "found %s, expected ) that ends %s", FOUND(x), n->name);
    n->arg = xrealloc(n->arg, (n->args + 1) * sizeof *n->arg);
    n->arg[n->args++] = x->word;
  }
  next(x);
  if (is(x, '{')) {
    n->group = true;
    next(x);
    n->first = statements(x, depth + 1);
    if (!is(x, '}'))
      wrong(x->path, x->token_line, "found %s, expected } that ends %s of line %u", FOUND(x), n->name, n->line);
    next(x);
  }
  if (is(x, ';')) next(x);
  return n;
}

static struct node *statements(struct lexer *x, unsigned depth) {
  struct node *first = NULL, **last = &first;
  if (depth > MOST_DEPTH) wrong(x->path, x->line, "found groups within groups, expected at most %d levels", MOST_DEPTH);
  while (x->kind == T_WORD) {
    *last = statement(x, depth);
    last = &(*last)->next;
  }
  return first;
}

static void free_tree(struct node *n) {
  while (n) {
    struct node *after = n->next;
    free_tree(n->first);
    free(n->arg);
    free(n);
    n = after;
  }
}

static const struct node *child(const struct node *n, const char *name) {
  for (const struct node *c = n->first; c; c = c->next)
    if (!strcmp(c->name, name)) return c;
  return NULL;
}

/* ---- values ---- */
static double number(const char *path, unsigned line, const char *what, const char *text) {
  char *end;
  double v = strtod(text, &end);
  if (end == text || *end || !(v > -1e30 && v < 1e30))
    wrong(path, line, "found %s %s, expected a number", what, *text ? text : "without a value");
  return v;
}

static double attribute(const char *path, const struct node *n, const char *name, double otherwise) {
  const struct node *c = child(n, name);
  if (!c) return otherwise;
  if (!c->value) wrong(path, c->line, "found %s in parentheses, expected %s : number", name, name);
  return number(path, c->line, name, c->value);
}

/* "1nW" in units of `base`, whose letters are `unit`: factor of the prefix times the number */
static double with_prefix(const char *path, unsigned line, const char *what, const char *text, const char *unit) {
  static const struct {
    char letter;
    double is;
  } prefix[] = {{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'k', 1e3}};
  char *end;
  double v = strtod(text, &end);
  if (end != text && v > 0) {
    while (*end == ' ') end++;
    if (!strcasecmp(end, unit)) return v;
    for (unsigned k = 0; k < sizeof prefix / sizeof *prefix; k++)
      if (*end == prefix[k].letter && !strcasecmp(end + 1, unit)) return v * prefix[k].is;
  }
  wrong(path, line, "found %s %s, expected a unit such as 1n%s", what, text, unit);
}

static double unit_of(const char *path, const struct node *lib, const char *name, const char *unit) {
  const struct node *c = child(lib, name);
  if (!c || !c->value) wrong(path, lib->line, "found no %s, expected one in the library", name);
  return with_prefix(path, c->line, name, c->value, unit);
}

/* numbers of "1, 2, 3" appended to *v */
static unsigned numbers(const char *path, const struct node *n, double **v) {
  unsigned count = 0;
  for (unsigned k = 0; k < n->args; k++) {
    char *list = copy(n->arg[k], strlen(n->arg[k])), *state;
    for (char *w = strtok_r(list, ", \t\r\n", &state); w; w = strtok_r(NULL, ", \t\r\n", &state)) {
      *v = xrealloc(*v, (count + 1) * sizeof **v);
      (*v)[count++] = number(path, n->line, n->name, w);
    }
    free(list);
  }
  return count;
}

/* ---- tables ---- */
struct reader {
  const char *path;
  const struct node *library;
  double farad, second, joule, watt; /* units of the file in pF, ns, pJ, nW */
};

static const struct node *template_of(const struct reader *r, const struct node *t) {
  if (t->args != 1) wrong(r->path, t->line, "found %s with %u names, expected one template", t->name, t->args);
  if (!strcmp(t->arg[0], "scalar")) return NULL;
  for (const struct node *c = r->library->first; c; c = c->next)
    if (c->group && c->args == 1 && !strcmp(c->name, "power_lut_template") && !strcmp(c->arg[0], t->arg[0])) return c;
  wrong(r->path, t->line, "found template %s, expected a power_lut_template of the library", t->arg[0]);
}

static struct table table(const struct reader *r, const struct node *t) {
  static const char *const variable[] = {"variable_1", "variable_2"}, *const index[] = {"index_1", "index_2"};
  struct table to = {0};
  const struct node *form = template_of(r, t), *values = child(t, "values");
  unsigned dim[TABLE_DIMS] = {0}, dims = 0, size = 1;
  if (form && child(form, "variable_3"))
    wrong(r->path, t->line, "found a table of three variables, expected at most two");
  for (; form && dims < TABLE_DIMS && child(form, variable[dims]); dims++) {
    const struct node *v = child(form, variable[dims]), *at = child(t, index[dims]);
    if (!at) at = child(form, index[dims]);
    const char *is = v->value ? v->value : "";
    if (!strcmp(is, "total_output_net_capacitance")) dim[dims] = TABLE_LOAD;
    else if (!strcmp(is, "input_transition_time") || !strcmp(is, "input_net_transition")) dim[dims] = TABLE_SLEW;
    else
      wrong(r->path, v->line, "found variable %s, expected total_output_net_capacitance or input_transition_time", is);
    if (dims && dim[0] == dim[1]) wrong(r->path, v->line, "found %s twice, expected two variables", is);
    if (!at) wrong(r->path, t->line, "found no %s, expected one", index[dims]);
    double **points = &to.at[dim[dims]];
    unsigned n = numbers(r->path, at, points);
    if (!n) wrong(r->path, at->line, "found no number in %s, expected some", at->name);
    for (unsigned k = 0; k < n; k++) {
      if (k && (*points)[k] * (dim[dims] == TABLE_LOAD ? r->farad : r->second) <= (*points)[k - 1])
        wrong(r->path, at->line, "found %s that does not increase, expected increasing numbers", at->name);
      (*points)[k] *= dim[dims] == TABLE_LOAD ? r->farad : r->second;
    }
    to.n[dim[dims]] = n;
    size *= n;
  }
  if (!values) wrong(r->path, t->line, "found no values, expected %u", size);
  double *v = NULL;
  unsigned n = numbers(r->path, values, &v);
  if (n != size) wrong(r->path, values->line, "found %u values, expected %u", n, size);
  to.value = xcalloc(size, sizeof *to.value);
  for (unsigned k = 0; k < size; k++) {
    unsigned second = dims == 2 ? to.n[dim[1]] : 1, i = k / second, j = k % second;
    to.value[dims == 2 && dim[0] == TABLE_SLEW ? j * to.n[TABLE_SLEW] + i : k] = v[k] * r->joule;
  }
  free(v);
  return to;
}

/* the point at or below v, and how far v is to the next one */
static unsigned between(const double *at, unsigned n, double v, double *part) {
  *part = 0;
  if (n < 2 || v <= at[0]) return 0;
  if (v >= at[n - 1]) return n - 1;
  unsigned k = 0;
  while (v >= at[k + 1]) k++;
  *part = (v - at[k]) / (at[k + 1] - at[k]);
  return k;
}

double table_at(const struct table *t, double load, double slew) {
  double x, y;
  unsigned i = between(t->at[TABLE_LOAD], t->n[TABLE_LOAD], load, &x);
  unsigned j = between(t->at[TABLE_SLEW], t->n[TABLE_SLEW], slew, &y);
  unsigned row = t->n[TABLE_SLEW] ? t->n[TABLE_SLEW] : 1;
  const double *a = &t->value[i * row + j], *b = x > 0 ? a + row : a;
  double low = y > 0 ? a[0] + y * (a[1] - a[0]) : a[0], high = y > 0 ? b[0] + y * (b[1] - b[0]) : b[0];
  return low + x * (high - low);
}

/* ---- cells ---- */
static void read_power(const struct reader *r, struct pin *p, const struct node *n) {
  struct power w = {0};
  for (const struct node *c = n->first; c; c = c->next) {
    if (!strcmp(c->name, "related_pin") && c->value) w.related = c->value;
    if (!c->group) continue;
    if (!strcmp(c->name, "rise_power")) w.rise = table(r, c);
    if (!strcmp(c->name, "fall_power")) w.fall = table(r, c);
    if (!strcmp(c->name, "power")) w.rise = w.fall = table(r, c);
  }
  p->power = xrealloc(p->power, (p->powers + 1) * sizeof w);
  p->power[p->powers++] = w;
}

static void read_pin(const struct reader *r, struct cell *c, const struct node *n) {
  struct pin p = {.line = n->line};
  if (n->args != 1) wrong(r->path, n->line, "found a pin with %u names, expected one", n->args);
  p.name = n->arg[0];
  for (unsigned k = 0; k < c->pins; k++)
    if (!strcmp(c->pin[k].name, p.name)) wrong(r->path, n->line, "found pin %s twice, expected it once", p.name);
  p.capacitance = attribute(r->path, n, "capacitance", 0) * r->farad;
  if (p.capacitance < 0) wrong(r->path, n->line, "found a capacitance below zero, expected at least zero");
  for (const struct node *a = n->first; a; a = a->next) {
    if (!strcmp(a->name, "direction")) {
      const char *is = a->value ? a->value : "";
      p.has_direction = true;
      p.input = !strcmp(is, "input");
      if (!p.input && strcmp(is, "output")) {
        if (strcmp(is, "inout") && strcmp(is, "internal"))
          wrong(r->path, a->line, "found direction %s, expected input or output", is);
        c->refused = "a pin that is neither input nor output";
      }
    }
    if (!strcmp(a->name, "three_state")) c->refused = "a three-state output";
    if (!strcmp(a->name, "internal_power") && a->group) read_power(r, &p, a);
  }
  if (!p.has_direction) wrong(r->path, n->line, "found pin %s without a direction, expected input or output", p.name);
  if (c->pins == STATE_PIN)
    wrong(r->path, n->line, "found pin %u of %s, expected at most %d", c->pins, c->name, STATE_PIN);
  c->pin = xrealloc(c->pin, (c->pins + 1) * sizeof p);
  c->pin[c->pins++] = p;
}

static struct function function(const struct reader *r, struct cell *c, const struct node *n, const char *name);

static struct cell read_cell(const struct reader *r, const struct node *n) {
  struct cell c = {.line = n->line};
  if (n->args != 1) wrong(r->path, n->line, "found a cell with %u names, expected one", n->args);
  c.name = n->arg[0];
  c.leakage =
      attribute(r->path, n, "cell_leakage_power", attribute(r->path, r->library, "default_cell_leakage_power", 0)) *
      r->watt;
  for (const struct node *a = n->first; a && !c.refused; a = a->next) {
    if (!a->group) continue;
    if (!strcmp(a->name, "pin")) read_pin(r, &c, a);
    if (!strcmp(a->name, "latch") || !strcmp(a->name, "statetable") || !strcmp(a->name, "bus") ||
        !strcmp(a->name, "bundle"))
      c.refused = a->name;
    if (strcmp(a->name, "ff")) continue;
    if (a->args != 2) wrong(r->path, a->line, "found an ff with %u names, expected two", a->args);
    c.ff_line = a->line;
    c.iq = a->arg[0];
    c.iqn = a->arg[1];
    if (!child(a, "next_state") || !child(a, "clocked_on"))
      wrong(r->path, a->line, "found an ff without a next_state and a clocked_on, expected both");
  }
  for (const struct node *a = n->first; a && !c.refused; a = a->next) {
    if (a->group && !strcmp(a->name, "ff")) {
      c.next = function(r, &c, a, "next_state");
      c.clear = function(r, &c, a, "clear");
      c.preset = function(r, &c, a, "preset");
      struct function clock = function(r, &c, a, "clocked_on");
      c.clock = clock.pin[0];
      if (clock.n != 1 || clock.pin[0] == STATE_PIN || !(clock.table & 2))
        c.refused = "a clock that is not the rising edge of a pin";
    }
    if (a->group && !strcmp(a->name, "pin"))
      for (unsigned k = 0; k < c.pins; k++)
        if (!strcmp(c.pin[k].name, a->arg[0])) c.pin[k].function = function(r, &c, a, "function");
  }
  return c;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cell *)a)->name, ((const struct cell *)b)->name);
}

struct liberty *liberty_read(const char *path) {
  char why[IO_WHY];
  size_t size;
  char *text = input_read(path, (size_t)1 << 28, &size, why);
  if (!text) wrong(path, 0, "expected a Liberty file: %s", why);
  struct lexer x = {.path = path, .at = text, .line = 1};
  if (strlen(text) != size) wrong(path, 0, "found a byte of zero, expected text");
  next(&x);
  struct node *tree = statements(&x, 0);
  if (x.kind != T_END) wrong(path, x.token_line, "found %s, expected a name", FOUND(&x));
  if (!tree || strcmp(tree->name, "library") || !tree->group)
    wrong(path, tree ? tree->line : 1, "found %s, expected library (name) { ... }", tree ? tree->name : "nothing");
  struct reader r = {.path = path, .library = tree};
  const struct node *load = child(tree, "capacitive_load_unit");
  if (!load || load->args != 2)
    wrong(path, load ? load->line : tree->line, "found no capacitive_load_unit (number, unit), expected one");
  char one[16];
  snprintf(one, sizeof one, "1%.10s", load->arg[1]);
  double farad =
      number(path, load->line, load->name, load->arg[0]) * with_prefix(path, load->line, load->name, one, "f");
  double volt = unit_of(path, tree, "voltage_unit", "V");
  if (farad <= 0) wrong(path, load->line, "found a unit of %g farad, expected more than zero", farad);
  r.farad = farad * 1e12;
  r.joule = farad * volt * volt * 1e12;
  r.second = unit_of(path, tree, "time_unit", "s") * 1e9;
  r.watt = unit_of(path, tree, "leakage_power_unit", "W") * 1e9;
  struct liberty *l = xcalloc(1, sizeof *l);
  l->path = copy(path, strlen(path));
  l->volts = attribute(path, tree, "nom_voltage", 0) * volt;
  if (l->volts <= 0) wrong(path, tree->line, "found no nom_voltage above zero, expected one");
  for (const struct node *n = tree->first; n; n = n->next) {
    if (!n->group || strcmp(n->name, "cell")) continue;
    l->cell = xrealloc(l->cell, (l->cells + 1) * sizeof *l->cell);
    l->cell[l->cells++] = read_cell(&r, n);
  }
  if (!l->cells) wrong(path, tree->line, "found no cell, expected some");
  qsort(l->cell, l->cells, sizeof *l->cell, by_name);
  for (unsigned k = 1; k < l->cells; k++)
    if (!strcmp(l->cell[k].name, l->cell[k - 1].name))
      wrong(path, l->cell[k].line, "found cell %s twice, expected it once", l->cell[k].name);
  free_tree(tree);
  free(text);
  return l;
}

const struct cell *liberty_cell(const struct liberty *l, const char *name) {
  const struct cell like = {.name = name};
  return bsearch(&like, l->cell, l->cells, sizeof like, by_name);
}

/* ---- functions: ! ' before and after, then & * or nothing, ^, + | ; evaluated over all inputs at once ---- */
struct parser {
  const char *path;
  struct cell *c;
  unsigned line, depth;
  const char *text, *at;
  struct function f;
};

static void refuse(const struct parser *p, const char *expected) {
  wrong(p->path, p->line, "found \"%s\" in the function \"%s\" of %s, expected %s", p->at, p->text, p->c->name,
        expected);
}

static uint64_t variable(struct parser *p, const char *name, size_t n) {
  static const uint64_t column[FUNCTION_INPUTS] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                                   0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  unsigned pin = UINT32_MAX;
  bool negated = p->c->ff_line && strlen(p->c->iqn) == n && !strncmp(p->c->iqn, name, n);
  if (negated || (p->c->ff_line && strlen(p->c->iq) == n && !strncmp(p->c->iq, name, n))) pin = STATE_PIN;
  for (unsigned k = 0; k < p->c->pins && pin == UINT32_MAX; k++)
    if (p->c->pin[k].input && strlen(p->c->pin[k].name) == n && !strncmp(p->c->pin[k].name, name, n)) pin = k;
  if (pin == UINT32_MAX) refuse(p, "an input pin");
  unsigned k = 0;
  while (k < p->f.n && p->f.pin[k] != pin) k++;
  if (k == FUNCTION_INPUTS) {
    p->c->refused = "a function of more than six inputs";
    return 0;
  }
  if (k == p->f.n) p->f.pin[p->f.n++] = (unsigned char)pin;
  return negated ? ~column[k] : column[k];
}

static void blanks(struct parser *p) { p->at += strspn(p->at, " \t\r\n"); }
static uint64_t any_of(struct parser *p);

static uint64_t factor(struct parser *p) {
  uint64_t v;
  blanks(p);
  if (++p->depth > 200) refuse(p, "fewer levels");
  if (*p->at == '!') {
    p->at++;
    v = ~factor(p);
    p->depth--;
    return v;
  }
  if (*p->at == '(') {
    p->at++;
    v = any_of(p);
    if (*p->at != ')') refuse(p, ")");
    p->at++;
  } else {
    size_t n = strspn(p->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (!n) refuse(p, "a pin");
    if (n == 1 && (*p->at == '0' || *p->at == '1')) v = *p->at == '1' ? ~UINT64_C(0) : 0;
    else v = variable(p, p->at, n);
    p->at += n;
  }
  for (blanks(p); *p->at == '\''; blanks(p)) v = ~v, p->at++;
  p->depth--;
  return v;
}

static uint64_t all_of(struct parser *p) {
  uint64_t v = factor(p);
  for (blanks(p); *p->at && !strchr(")+|^", *p->at); blanks(p)) {
    if (*p->at == '&' || *p->at == '*') p->at++;
    v &= factor(p);
  }
  return v;
}

static uint64_t one_of(struct parser *p) {
  uint64_t v = all_of(p);
  while (*p->at == '^') p->at++, v ^= all_of(p);
  return v;
}

static uint64_t any_of(struct parser *p) {
  uint64_t v = one_of(p);
  while (*p->at == '+' || *p->at == '|') p->at++, v |= one_of(p);
  return v;
}

/* of an attribute; none, when there is none */
static struct function function(const struct reader *r, struct cell *c, const struct node *n, const char *name) {
  const struct node *a = child(n, name);
  if (!a) return (struct function){0};
  struct parser p = {.path = r->path, .c = c, .line = a->line, .text = a->value ? a->value : ""};
  p.at = p.text;
  p.f.is = true;
  p.f.table = any_of(&p);
  if (*p.at) refuse(&p, "an operator");
  return p.f;
}

double liberty_energy(const struct pin *p, bool rise, double load, double slew, const char *related) {
  double sum = 0;
  unsigned n = 0;
  for (unsigned k = 0; k < p->powers; k++) {
    const struct power *w = &p->power[k];
    const struct table *t = rise ? &w->rise : &w->fall;
    if (!t->value || (related && (!w->related || strcmp(w->related, related)))) continue;
    sum += table_at(t, load, slew);
    n++;
  }
  return n ? sum / n : 0;
}

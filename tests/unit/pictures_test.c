/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pictures: the rules of docs/develop/pictures.md, on tables made by hand, and on every picture of docs/results, drawn from the tables
 * of its page.
 *
 *   pictures_test --draw DIR [PAGE...]   draws them: DIR/PAGE/E-....png, DIR/together/{pareto,map}.png (make pictures)
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/err.h"
#include "config/keys.h"
#include "cost/cost.h"
#include "lab/campaign/experiment.h"
#include "lab/campaign/together.h"
#include "lab/report/colour.h"
#include "lab/report/figure.h"
#include "lab/report/frame.h"
#include "lab/report/plot.h"
#include "lab/report/points.h"
#include "lab/run/load_latency.h"
#include "lab/run/timeline.h"

static const char *const pages[] = {"finereg", "slices", "linebacker", "ltrf", "malekeh", "cost", "example"};
enum { PAGES = sizeof pages / sizeof *pages, LINE = 4096 };

/* ---- tables of a page ---- */

struct page {
  char *text;
  char **line;
  unsigned n, cap;
};

static void page_open(struct page *p, const char *name) {
  char path[256], why[IO_WHY];
  size_t size;
  memset(p, 0, sizeof *p);
  snprintf(path, sizeof path, "docs/results/%s.md", name);
  p->text = input_read(path, 1 << 22, &size, why);
  if (!p->text) die("%s: %s", path, why);
  for (char *at = p->text; *at;) {
    VEC_PUSH(p->line, p->n, p->cap) = at;
    at += strcspn(at, "\n");
    if (*at) *at++ = 0;
  }
}

static void page_close(struct page *p) { free(p->line), free(p->text); }

static bool begins_with(const char *s, const char *start) { return !strncmp(s, start, strlen(start)); }

/* The next cell of a row "| a | b |", its Markdown undone; NULL: none is left. */
static const char *cell_take(const char **row, char out[LINE]) {
  size_t n = 0;
  const char *s = *row;
  if (*s != '|' || !s[1]) return NULL;
  for (s++; *s && *s != '|'; s++) {
    if (*s == '\\' && s[1]) s++;
    out[n++] = *s;
  }
  *row = s;
  while (n && out[n - 1] == ' ') n--;
  out[n] = 0;
  memmove(out, out + strspn(out, " "), n + 1);
  return out;
}

static unsigned cells_in(const char *row) {
  char text[LINE];
  unsigned n = 0;
  while (cell_take(&row, text)) n++;
  return n;
}

/* "1,234.5~"; "-" is no number. */
static double number_of(const char *text) {
  char digits[64];
  size_t n = 0;
  if (!strcmp(text, "-") || !text[0]) return NAN;
  for (; *text && n + 1 < sizeof digits; text++)
    if (*text != ',' && *text != '~') digits[n++] = *text;
  digits[n] = 0;
  return atof(digits);
}

/* The table whose title stands in this line; false: none does. Decimals are those of its first number. */
static bool sheet_read(const struct page *p, unsigned at, struct sheet *s) {
  char text[LINE], title[LINE];
  if (at + 4 >= p->n || p->line[at + 1][0] || !begins_with(p->line[at + 2], "|  | | ")) return false;
  const char *head = p->line[at + 2];
  snprintf(title, sizeof title, "%.*s", (int)strlen(p->line[at]) - 1, p->line[at]);
  sheet_init(s, cells_in(head) - 2, 0, title);
  cell_take(&head, text), cell_take(&head, text);
  for (unsigned c = 0; c < s->columns; c++) snprintf(s->column[c], sizeof s->column[c], "%s", cell_take(&head, text));
  for (unsigned r = at + 4; r < p->n && p->line[r][0] == '|'; r++) {
    const char *row = p->line[r];
    char name[LINE], alias[LINE];
    cell_take(&row, name), cell_take(&row, alias);
    double *v = sheet_row(s, name, alias);
    for (unsigned c = 0; c < s->columns && cell_take(&row, text); c++) {
      const char *point = strchr(text, '.');
      v[c] = number_of(text);
      if (point && strspn(point + 1, "0123456789") > s->decimals)
        s->decimals = (unsigned)strspn(point + 1, "0123456789");
    }
  }
  return true;
}

/* ---- the findings of an experiment, from its section ---- */

static const struct experiment *experiment_of_line(const char *line) {
  if (!begins_with(line, "## E-")) return NULL;
  for (unsigned i = 0; i < nexperiments; i++) {
    const size_t n = strlen(experiments[i].id);
    if (!strncmp(line + 3, experiments[i].id, n) && line[3 + n] == ':') return &experiments[i];
  }
  return NULL;
}

/* "... One SM of gtx980, size default, 20 runs." */
static void machine_read(const char *line, struct findings *f) {
  const char *size = strstr(line, ", size "), *of = size, *from;
  if (!size || !strstr(size, " runs.")) return;
  while (of > line && strncmp(of, " of ", 4) != 0) of--;
  for (from = of; from > line && strncmp(from - 2, ". ", 2) != 0;) from--;
  snprintf(f->sms, sizeof f->sms, "%c%.*s", tolower((unsigned char)*from), (int)(of - from) - 1, from + 1);
  snprintf(f->machine, sizeof f->machine, "%.*s", (int)(size - of) - 4, of + 4);
  snprintf(f->size, sizeof f->size, "%.*s", (int)strcspn(size + 7, ","), size + 7);
}

/* "64*": the machine's own value. */
static int64_t map_value(const char *text, double *own, unsigned i) {
  if (strchr(text, '*')) *own = i;
  return atoll(text);
}

/* "dram.mbps (MB/s)", as lab/campaign/map_plot.c has it. */
static void map_axis_read(char out[128], const char *name) {
  char section[128];
  const char *point = strchr(name, '.');
  snprintf(section, sizeof section, "%.*s", (int)strcspn(name, "."), name);
  const struct key *k = point ? key_find(section, point + 1) : NULL;
  snprintf(out, 128, "%s%s%s%s", name, k && k->unit[0] ? " (" : "", k ? k->unit : "", k && k->unit[0] ? ")" : "");
}

static bool map_read(const struct sheet *s, struct map_view *v) {
  char system[128], against[128], y[64], x[64];
  if (sscanf(s->title, "IPC of %127s relative to %127[^,], geometric mean; %63s below each other, %63s side by side",
             system, against, y, x) != 4)
    return false;
  *v = (struct map_view){.nx = s->columns, .ny = s->rows, .own_x = NAN, .own_y = NAN, .reach = NAN};
  snprintf(v->title, sizeof v->title, "IPC of %.100s relative to %.100s", system, against);
  map_axis_read(v->x_title, x);
  map_axis_read(v->y_title, y);
  for (unsigned i = 0; i < v->nx; i++) v->x[i] = map_value(s->column[i], &v->own_x, i);
  for (unsigned j = 0; j < v->ny; j++) {
    const struct sheet_row *row = &s->row[v->ny - 1 - j]; /* the largest is on top */
    v->y[j] = map_value(row->name, &v->own_y, j);
    for (unsigned i = 0; i < v->nx; i++) v->gain[j * v->nx + i] = row->v[i];
  }
  return true;
}

/* "- VT: FineReg (MICRO'18), Fig 13 has 1.121 in the mean of its kernels: ..." */
static void reach_read(const char *line, struct findings *f) {
  const char *has = strstr(line, " has "), *in = has ? strstr(has, " in the mean of its kernels") : NULL;
  if (!begins_with(line, "- ") || !in) return;
  for (unsigned k = 0; k < f->nview; k++) {
    char start[256];
    snprintf(start, sizeof start, "IPC of %.*s relative to ", (int)strcspn(line + 2, ":"), line + 2);
    if (begins_with(f->view[k].title, start)) f->view[k].reach = atof(has + 5);
  }
}

/* The system of a column, for its colour: as the experiment's line SYSTEM or its C code has it. */
static void systems_read(const struct experiment *x, struct sheet *s) {
  static const struct {
    const char *id, *name, *label;
  } systems[] = {
#define SYSTEM(id, name, label, base) {id, name, label},
#include "gen/systems/experiments.def"
      {"E-LT5", "RFC:rf.technology=7", "RFC at #7"},
      {"E-LT5", "LTRF:rf.technology=7", "LTRF at #7"},
      {"E-LT5", "LTRF+:rf.technology=7", "LTRF+ at #7"},
      {"E-MK6", "GTO+LRU:with the clock", "GTO+LRU, with the clock"},
      {"E-MK6", "Malekeh:with the clock", "Malekeh, with the clock"},
      {"E-MK6", "Malekeh_PR:with the clock", "Malekeh_PR, with the clock"},
  };
  for (unsigned c = 0; c < s->columns; c++)
    for (unsigned i = 0; i < sizeof systems / sizeof *systems; i++)
      if (!strcmp(systems[i].id, x->id) && !strcmp(systems[i].label, s->column[c]))
        snprintf(s->system[c], sizeof s->system[c], "%s", systems[i].name);
}

/* The section that begins in line `at`; returns the line after it. Without tables there is no picture. */
static unsigned findings_read(const struct page *p, unsigned at, struct findings *f) {
  memset(f, 0, sizeof *f);
  f->experiment = experiment_of_line(p->line[at]);
  for (at++; at < p->n && !begins_with(p->line[at], "## ") && !begins_with(p->line[at], "<!-- end"); at++) {
    struct map_view v;
    if (!f->machine[0]) machine_read(p->line[at], f);
    if (f->nview) reach_read(p->line[at], f);
    if (f->nsheet == MOST_SHEETS || !sheet_read(p, at, &f->sheet[f->nsheet])) continue;
    struct sheet *s = &f->sheet[f->nsheet++];
    systems_read(f->experiment, s);
    if (map_read(s, &v)) VEC_PUSH(f->view, f->nview, f->views_cap) = v;
    if (s->rows && !strcmp(s->row[s->rows - 1].name, "as they are")) f->tornado = s;
  }
  return at;
}

/* Calls `each` for every experiment of a page that has a picture there. */
static void page_pictures(const char *name, void (*each)(const struct findings *f, void *ctx), void *ctx) {
  struct page p;
  page_open(&p, name);
  for (unsigned at = 0; at < p.n;) {
    struct findings f;
    if (!experiment_of_line(p.line[at])) {
      at++;
      continue;
    }
    at = findings_read(&p, at, &f);
    if (f.nsheet) each(&f, ctx);
    findings_free(&f);
  }
  page_close(&p);
}

/* ---- the systems side by side ---- */

struct side_by_side {
  struct sheet means, cost, kernels;
  char about[256];
};

static void together_read(struct side_by_side *t) {
  struct page p;
  unsigned at = 0;
  bool means = false, cost = false, kernels = false;
  page_open(&p, "together");
  while (at < p.n && !begins_with(p.line[at], "## One machine, size default")) at++;
  for (at++; at < p.n && !begins_with(p.line[at], "## "); at++) {
    char machine[64], size[32];
    unsigned systems, n;
    if (sscanf(p.line[at], "%u systems, one SM of %63[^,], %u kernels, size %31[^.].", &systems, machine, &n, size) ==
        4)
      snprintf(t->about, sizeof t->about, "one SM of %s, size %s, geometric means of %u kernels", machine, size, n);
    if (begins_with(p.line[at], "means over ")) means = sheet_read(&p, at, &t->means);
    if (begins_with(p.line[at], "what each has more ")) cost = sheet_read(&p, at, &t->cost);
    if (strstr(p.line[at], "; beside a kernel's name its class:")) kernels = sheet_read(&p, at, &t->kernels);
  }
  if (!means || !cost || !kernels || !t->about[0]) die("docs/results/together.md: a table is missing");
  page_close(&p);
}

static double together_number(const struct sheet *s, const char *row, const char *column) {
  for (unsigned r = 0; r < s->rows; r++)
    for (unsigned c = 0; c < s->columns; c++)
      if (!strcmp(s->row[r].name, row) && !strcmp(s->column[c], column)) return s->row[r].v[c];
  return NAN;
}

static const struct together_row *row_of_label(const char *label) {
  unsigned n;
  const struct together_row *row = together_rows(&n);
  for (unsigned i = 0; i < n; i++)
    if (!strcmp(row[i].label, label)) return &row[i];
  die("docs/results/together.md: found system '%s', expected a line TOGETHER of it", label);
}

/* Of the system on the common machine; false: it has no cost. */
static bool together_cost(const struct together_row *r, struct system_cost *cost) {
  struct config c;
  struct err e = {0};
  const struct settings s = {.machine = TOGETHER_MACHINE};
  struct plan p;
  if (!plan_find(&p, r->system, &s, &e)) return false;
  c = p.cfg;
  return system_cost(&c, COST_NODE, cost, &e);
}

static bool together_plots(const struct side_by_side *t, const char *pareto, const char *map, struct err *e) {
  struct together_view v[TOGETHER_MOST];
  const struct together_row *row[TOGETHER_MOST];
  double mean[TOGETHER_MOST];
  struct system_cost first, cost;
  const unsigned n = t->means.rows;
  if (!together_cost(row_of_label(t->means.row[0].name), &first)) die("the first system has no cost");
  for (unsigned s = 0; s < n; s++) {
    const char *label = t->means.row[s].name;
    row[s] = row_of_label(label);
    mean[s] = together_number(&t->means, label, "IPC");
    v[s] = (struct together_view){
        .label = label,
        .row = row[s],
        .ipc = together_number(&t->means, label, "IPC / base"),
        .energy = together_number(&t->means, label, "SM energy"),
        .area = s ? 1 + together_number(&t->cost, label, "um2, least") / 1e6 / first.total.mm2.low : 1,
        .area_most = s ? 1 + together_number(&t->cost, label, "um2, most") / 1e6 / first.total.mm2.low : 1};
    v[s].partial = together_cost(row[s], &cost) && cost.partial;
  }
  return together_views_pareto(v, n, t->about, pareto, e) &&
         together_sheet_map(&t->kernels, mean, row, t->about, map, e);
}

static void together_close(struct side_by_side *t) {
  sheet_free(&t->means), sheet_free(&t->cost), sheet_free(&t->kernels);
}

/* ---- make pictures ---- */

struct drawing {
  const char *dir, *page;
  struct err e;
};

static void draw_one(const struct findings *f, void *ctx) {
  struct drawing *d = ctx;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s/%s.png", d->dir, d->page, f->experiment->id);
  if (!d->e.set) findings_plot(f, path, &d->e);
}

static int draw_all(const char *dir, char **page, int n) {
  struct drawing d = {.dir = dir};
  for (unsigned i = 0; i < PAGES; i++) {
    bool wanted = !n;
    for (int k = 0; k < n; k++) wanted |= !strcmp(page[k], pages[i]);
    d.page = pages[i];
    if (wanted) page_pictures(pages[i], draw_one, &d);
  }
  bool together = !n;
  for (int k = 0; k < n; k++) together |= !strcmp(page[k], "together");
  if (together && !d.e.set) {
    struct side_by_side t = {0};
    char pareto[4096], map[4096];
    snprintf(pareto, sizeof pareto, "%s/together/pareto.png", dir);
    snprintf(map, sizeof map, "%s/together/map.png", dir);
    together_read(&t);
    together_plots(&t, pareto, map, &d.e);
    together_close(&t);
  }
  if (d.e.set) fprintf(stderr, "%s: %s\n", d.e.file, d.e.text);
  return d.e.set ? 2 : 0;
}

/* ---- the rules, on a picture that is not drawn ---- */

struct seen {
  const char *name; /* of the picture */
  unsigned pictures, width, height;
  unsigned told; /* pictures that say which tables they draw */
  char *script;
};

/* Every rule that holds of any picture. */
static bool keeps_rules(const struct plot *p, const char *script, void *ctx) {
  struct seen *s = ctx;
  char what[512];
  s->pictures++;
  s->width = plot_width(p), s->height = plot_height(p);
  if (s->width > PLOT_WIDE) fail_msg("%s: %u pixels wide", s->name, s->width);
  if (plot_finds_overlap(p, what, sizeof what)) fail_msg("%s: %s", s->name, what);
  free(s->script);
  s->script = strdup(script);
  return false;
}

/* The text of "given(n)" in a script; NULL: there is none. */
static const char *script_text(const char *script, unsigned n, char out[LINE]) {
  const char *at = strstr(script, "$TEXT << END_OF_TEXT\n");
  for (; at && n; n--) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  if (!at || *at != '|') return NULL;
  snprintf(out, LINE, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
  return out;
}

/* The colour of the box before a text of the key; "": no such entry. */
static const char *key_colour(const char *script, const char *name, char out[COLOUR_TEXT]) {
  out[0] = 0;
  for (const char *line = script; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *rgb = strstr(line, "fc rgb '"), *end = strchr(line, '\n');
    char text[LINE];
    unsigned given;
    if (!begins_with(line, "set object") || !rgb || !end || rgb > end) continue;
    if (sscanf(end + 1, "set label %*u given(%u)", &given) != 1) continue;
    if (script_text(script, given, text) && !strcmp(text, name)) snprintf(out, COLOUR_TEXT, "%.7s", rgb + 8);
  }
  return out;
}

static bool script_has_text(const char *script, const char *wanted) {
  char text[LINE];
  for (unsigned n = 1; script_text(script, n, text); n++)
    if (!strcmp(text, wanted)) return true;
  return false;
}

/* The text of the script that begins so; NULL: there is none. */
static const char *script_text_of(const char *script, const char *start, char out[LINE]) {
  for (unsigned n = 1; script_text(script, n, out); n++)
    if (begins_with(out, start)) return out;
  return NULL;
}

/* A picture of several tables says which of them it draws, but one of maps. */
static void watch_one(const struct findings *f, void *ctx) {
  struct seen *s = ctx;
  struct err e = {0};
  char text[LINE];
  s->name = f->experiment->id;
  if (!findings_plot(f, "unused.png", &e)) fail_msg("%s: %s", s->name, e.text);
  unsigned titles = 0;
  for (unsigned k = 0; k < f->nsheet; k++) titles += script_text_of(s->script, f->sheet[k].title, text) != NULL;
  if (f->nview || titles == f->nsheet) return;
  const bool all = !strstr(s->script, "drawn: table");
  if (f->nsheet == 1 && !all) fail_msg("%s: it has one table and says which", s->name);
  if (f->nsheet > 1) s->told += !all;
}

static void pictures_of_pages_keep_the_rules(void **state) {
  (void)state;
  struct seen s = {0};
  plot_watch(keeps_rules, &s);
  for (unsigned i = 0; i < PAGES; i++) {
    const unsigned before = s.pictures;
    page_pictures(pages[i], watch_one, &s);
    if (s.pictures == before) fail_msg("%s: no picture", pages[i]);
  }
  assert_in_range(s.pictures, 60, 1000);
  assert_in_range(s.told, 20, 1000);
  struct side_by_side t = {0};
  struct err e = {0};
  together_read(&t);
  s.name = "together";
  if (!together_plots(&t, "unused.png", "unused.png", &e)) fail_msg("%s", e.text);
  together_close(&t);
  plot_watch(NULL, NULL);
  free(s.script);
}

/* ---- one colour in all pictures ---- */

struct company {
  struct seen seen;
  unsigned found;
};

static void watch_colours(const struct findings *f, void *ctx) {
  static const char *const systems[] = {"VT",        "FineReg",   "Reg+DRAM",  "LB",      "CERF", "SVC",
                                        "LTRF",      "LTRF+",     "SHRF",      "Malekeh", "BOW",  "Malekeh_PR",
                                        "SL-Full-P", "SL-Full-H", "SL-ArtOcc", "Best-SWL"};
  struct company *c = ctx;
  watch_one(f, &c->seen);
  for (unsigned i = 0; i < sizeof systems / sizeof *systems; i++) {
    char rgb[COLOUR_TEXT], own[1][COLOUR_TEXT];
    if (!key_colour(c->seen.script, systems[i], rgb)[0]) continue;
    colours_assign(&systems[i], 1, own);
    if (strcmp(rgb, own[0]) != 0) fail_msg("%s: %s is %s, elsewhere %s", c->seen.name, systems[i], rgb, own[0]);
    c->found++;
  }
}

static void a_system_has_one_colour(void **state) {
  (void)state;
  struct company c = {0};
  plot_watch(keeps_rules, &c.seen);
  for (unsigned i = 0; i < PAGES; i++) page_pictures(pages[i], watch_colours, &c);
  plot_watch(NULL, NULL);
  free(c.seen.script);
  assert_in_range(c.found, 40, 10000);
}

/* ---- tables made by hand ---- */

/* n columns a, b, ... and rows of equal numbers but for the first row's first number. */
static void figure_make(struct sheet *s, struct figure *f, unsigned rows, unsigned columns, double first,
                        double other) {
  sheet_init(s, columns, 1, "by hand");
  memset(f, 0, sizeof *f);
  f->sheet = s;
  snprintf(f->title, sizeof f->title, "E-X1: by hand");
  snprintf(f->about, sizeof f->about, "one SM of gtx980, size small");
  for (unsigned c = 0; c < columns; c++) snprintf(s->column[c], sizeof s->column[c], "column %c", 'a' + (int)c);
  for (unsigned r = 0; r < rows; r++) {
    char name[64];
    snprintf(name, sizeof name, "row %u", r);
    double *v = sheet_row(s, name, "");
    for (unsigned c = 0; c < columns; c++) v[c] = r || c ? other : first;
  }
}

static void figure_see_axes(struct seen *s, struct sheet *sheet, struct figure *f) {
  struct err e = {0};
  s->name = "by hand";
  if (!figure_draw(f, "unused.png", &e)) fail_msg("%s", e.text);
  figure_free(f);
  sheet_free(sheet);
}

static void figure_see(struct seen *s, struct sheet *sheet, struct figure *f, enum figure_kind kind) {
  figure_add_axis(f, kind, 0, "what it is", NULL, 0);
  figure_see_axes(s, sheet, f);
}

static struct seen by_hand(unsigned rows, unsigned columns, double first, double other, enum figure_kind kind) {
  struct seen s = {0};
  struct sheet sheet;
  struct figure f;
  plot_watch(keeps_rules, &s);
  figure_make(&sheet, &f, rows, columns, first, other);
  figure_see(&s, &sheet, &f, kind);
  plot_watch(NULL, NULL);
  return s;
}

static void logarithmic_where_one_hides_the_rest(void **state) {
  (void)state;
  static const struct {
    double first, other;
    enum figure_kind kind;
    bool log;
  } tried[] = {{1000, 10, FIGURE_BARS, true},  {70, 10, FIGURE_BARS, false},  {90, 10, FIGURE_BARS, true},
               {90, 10, FIGURE_PART, false},   {20, 1.1, FIGURE_RATIO, true}, {3, 1.1, FIGURE_RATIO, false},
               {0.9, 0.01, FIGURE_BARS, false}};
  static const struct {
    double first, other;
    const char *without; /* what the title says has no bar; NULL: all have one */
  } left_out[] = {{250000, 8, NULL}, {90, 10, NULL}, {90000000, 8, ", no bar: below 1000"}, {1000, 0, ", no bar: 0"}};
  for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++) {
    struct seen s = by_hand(4, 3, tried[i].first, tried[i].other, tried[i].kind);
    if (!strstr(s.script, "\nset logscale y") != !tried[i].log) fail_msg("%g among %g", tried[i].first, tried[i].other);
    assert_int_equal(strstr(s.script, "logarithmic axis") != NULL, tried[i].log); /* and the title says so */
    free(s.script);
  }
  for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++) {
    struct seen s = {0};
    struct sheet sheet;
    struct figure f;
    plot_watch(keeps_rules, &s);
    figure_make(&sheet, &f, 4, 3, left_out[i].first, 10);
    sheet.row[3].v[2] = left_out[i].other;
    figure_see(&s, &sheet, &f, FIGURE_BARS);
    plot_watch(NULL, NULL);
    if (!strstr(s.script, "\nset logscale y")) fail_msg("%g is not logarithmic", left_out[i].first);
    if (!strstr(s.script, ", no bar") != !left_out[i].without) fail_msg("%g: bars", left_out[i].first);
    if (left_out[i].without && !strstr(s.script, left_out[i].without)) fail_msg("no '%s'", left_out[i].without);
    free(s.script);
  }
}

static void a_map_above_eight(void **state) {
  (void)state;
  for (unsigned columns = 7; columns <= 10; columns++) {
    struct seen s = by_hand(5, columns, 2, 3, FIGURE_BARS);
    assert_int_equal(strstr(s.script, "$cells << EOD") != NULL, columns > FIGURE_SERIES);
    free(s.script);
  }
}

static void no_key_without_a_mark(void **state) {
  (void)state;
  struct sheet sheet;
  struct figure f;
  struct seen s = {0};
  plot_watch(keeps_rules, &s);
  figure_make(&sheet, &f, 3, 3, 1, 1);
  for (unsigned r = 0; r < 3; r++) sheet.row[r].v[1] = NAN, sheet.row[r].v[2] = 1.5;
  figure_see(&s, &sheet, &f, FIGURE_RATIO);
  plot_watch(NULL, NULL);
  assert_false(script_has_text(s.script, "column b"));
  assert_true(script_has_text(s.script, "column c"));
  assert_true(script_has_text(s.script, "1: column a")); /* a line, not bars */
  free(s.script);
}

/* A column that is 1 everywhere is a bar all the same where the picture is told what the others are relative to. */
static void one_by_chance(void **state) {
  (void)state;
  static const unsigned drawn[] = {1, 2};
  struct sheet sheet;
  struct figure f;
  struct seen s = {0};
  for (unsigned told = 0; told < 2; told++) {
    plot_watch(keeps_rules, &s);
    figure_make(&sheet, &f, 1, 3, 1, 1);
    sheet.row[0].v[2] = 1.5;
    struct figure_axis *a = figure_add_axis(&f, FIGURE_RATIO, 0, "what it is", told ? drawn : NULL, 2);
    if (told) a->bases = 1, snprintf(a->base, sizeof a->base, "%s", sheet.column[0]);
    figure_see_axes(&s, &sheet, &f);
    plot_watch(NULL, NULL);
    assert_int_equal(script_has_text(s.script, "column b"), told);
    assert_int_equal(script_has_text(s.script, "1: column a"), told);
    assert_int_equal(script_has_text(s.script, "1: their bases"), !told);
  }
  free(s.script);
}

/* Two settings of one system are two colours, in whichever axes they stand. */
static void one_colour_in_all_axes(void **state) {
  (void)state;
  static const unsigned column[] = {0, 1};
  struct sheet sheet;
  struct figure f;
  struct seen s = {0};
  char plain[COLOUR_TEXT], other[COLOUR_TEXT], own[1][COLOUR_TEXT];
  static const char *const system[] = {"SVC"};
  plot_watch(keeps_rules, &s);
  figure_make(&sheet, &f, 3, 2, 1.2, 1.4);
  for (unsigned c = 0; c < 2; c++) {
    snprintf(sheet.system[c], sizeof sheet.system[c], "SVC%s", c ? ":linebacker.lookup_cycles=1" : "");
    struct figure_axis *a = figure_add_axis(&f, FIGURE_RATIO, 0, "what it is", &column[c], 1);
    a->bases = 1, snprintf(a->base, sizeof a->base, "base %u", c);
  }
  figure_see_axes(&s, &sheet, &f);
  plot_watch(NULL, NULL);
  colours_assign(system, 1, own);
  assert_string_equal(key_colour(s.script, "column a", plain), own[0]);
  assert_string_not_equal(key_colour(s.script, "column b", other), "");
  assert_string_not_equal(plain, other);
  free(s.script);
}

/* Axes of two tables: a system has one colour in both, and the line above the axes says which tables they are. */
static void axes_of_two_tables(void **state) {
  (void)state;
  struct sheet sheet[2];
  struct figure f, second;
  struct seen s = {0};
  char text[LINE];
  unsigned keys = 0;
  plot_watch(keeps_rules, &s);
  figure_make(&sheet[0], &f, 3, 2, 1.2, 1.4);
  figure_make(&sheet[1], &second, 2, 2, 700, 800);
  for (unsigned k = 0; k < 2; k++)
    for (unsigned c = 0; c < 2; c++)
      snprintf(sheet[k].system[c], sizeof sheet[k].system[c], "%s", c ? "LB" : "LB:linebacker.interval=1");
  snprintf(sheet[1].row[0].name, sizeof sheet[1].row[0].name, "only there");
  snprintf(f.drawn, sizeof f.drawn, "drawn: tables 1, 3 of 4");
  figure_add_axis(&f, FIGURE_BARS, 0, "what it is", NULL, 0);
  f.sheet = &sheet[1];
  figure_add_axis(&f, FIGURE_BARS, 0, "what else", NULL, 0);
  figure_see_axes(&s, &sheet[0], &f);
  sheet_free(&sheet[1]);
  plot_watch(NULL, NULL);
  assert_true(script_has_text(s.script, "only there"));
  assert_true(script_has_text(s.script, "row 2"));
  assert_non_null(script_text_of(s.script, "one SM of gtx980, size small; drawn: tables 1, 3 of 4", text));
  for (const char *at = s.script; (at = strstr(at, "fc rgb '#b22222'")); at++) keys++;
  assert_int_equal(keys, 2);
  free(s.script);
}

/* Shades of a system stay apart from colours that other systems have; settings of a line COLOUR have that line's. */
static void shades_stay_apart(void **state) {
  (void)state;
  static const char *const near[] = {"LTRF-strand", "LTRF", "LTRF:ltrf.prefetch=bit"},
                           *const settings[] = {"Malekeh", "Malekeh:malekeh.sthld=0", "Malekeh:malekeh.pass=false"};
  char rgb[3][COLOUR_TEXT], two[2][COLOUR_TEXT];
  colours_assign(near, 3, rgb);
  assert_string_equal(rgb[0], "#8cb8e8");
  assert_string_equal(rgb[1], "#2060b0");
  const long other = strtol(rgb[2] + 1, NULL, 16); /* of the first two shades, the lighter is LTRF-strand's */
  assert_in_range(other & 255, 1, 0xb0 - 1);
  colours_assign(settings, 3, rgb);
  for (unsigned i = 1; i < 3; i++) { /* the same without the others */
    const char *const pair[] = {settings[0], settings[i]};
    colours_assign(pair, 2, two);
    assert_string_equal(two[1], rgb[i]);
  }
}

/* A mean without a number is left out; a kernel without one keeps its place, and a picture of none says so. */
static void rows_without_numbers(void **state) {
  (void)state;
  static const char *const names[] = {"kernel", "failed", "geometric mean, some", "geometric mean"};
  struct sheet sheet;
  struct figure f;
  struct seen s = {0};
  for (unsigned numbers = 0; numbers < 2; numbers++) {
    plot_watch(keeps_rules, &s);
    figure_make(&sheet, &f, 4, 2, 1.2, 1.4);
    for (unsigned r = 0; r < 4; r++) {
      snprintf(sheet.row[r].name, sizeof sheet.row[r].name, "%s", names[r]);
      for (unsigned c = 0; c < 2; c++)
        if (r == 1 || r == 2 || !numbers) sheet.row[r].v[c] = NAN;
    }
    figure_see(&s, &sheet, &f, FIGURE_BARS);
    plot_watch(NULL, NULL);
    assert_int_equal(script_has_text(s.script, "failed"), numbers);
    assert_int_equal(script_has_text(s.script, "mean"), numbers);
    assert_false(script_has_text(s.script, "mean, some"));
    assert_int_equal(script_has_text(s.script, "no run has a number"), !numbers);
  }
  free(s.script);
}

/* Parts of a whole, rounded, may be 100.1 together: their axis ends at 100. */
static void a_stack_ends_at_100(void **state) {
  (void)state;
  for (unsigned whole = 0; whole < 2; whole++) {
    struct seen s = by_hand(3, 5, whole ? 20.1 : 25, 20, FIGURE_STACK);
    assert_int_equal(strstr(s.script, "set yrange [0:100]") != NULL, whole);
    free(s.script);
  }
}

/* Every name stands in the picture, however many points lie on each other. */
static void names_of_points(void **state) {
  (void)state;
  enum { POINTS = 40 };
  struct point point[POINTS];
  char name[POINTS][32];
  struct seen s = {.name = "points"};
  for (unsigned apart = 0; apart < 3; apart++) {
    const struct points g = {.title = "title", .x_title = "x", .y_title = "y", .point = point, .n = POINTS};
    struct err e = {0};
    FILE *f;
    for (unsigned i = 0; i < POINTS; i++) {
      snprintf(name[i], sizeof name[i], "system %u", i);
      point[i] = (struct point){.x = apart * 0.01 * (i % 7),
                                .y = apart * 0.01 * (i % 5),
                                .x_most = i % 3 ? NAN : apart * 0.2,
                                .name = name[i],
                                .rgb = "#0072b2",
                                .type = 7,
                                .front = i < 2};
    }
    point[POINTS - 1].x = point[POINTS - 1].y = 1;
    plot_watch(keeps_rules, &s);
    struct plot *p = plot_open("unused.png", PLOT_WIDE, PLOT_WIDE, &f, &e);
    assert_non_null(p);
    plot_resize(p, PLOT_WIDE, (unsigned)points_draw(p, &g, 10, 400));
    assert_true(plot_close(p, &e));
    plot_watch(NULL, NULL);
    for (unsigned i = 0; i < POINTS; i++)
      if (!script_has_text(s.script, name[i])) fail_msg("%s has no name, apart %u", name[i], apart);
  }
  free(s.script);
}

/* The corners of the staircase, in the order of the script: the lines with a dashed stroke of its width and colour. */
static unsigned stairs_of(const char *script, double corner[][4], unsigned most) {
  unsigned n = 0;
  for (const char *at = script; (at = strstr(at, "set arrow ")) && n < most; at++) {
    double x0, y0, x1, y1, width;
    int dash;
    if (sscanf(at,
               "set arrow %*u from screen %lf/W, screen 1-%lf/H to screen %lf/W, screen 1-%lf/H nohead lw %lf dt %d",
               &x0, &y0, &x1, &y1, &width, &dash) == 6 &&
        dash == 2 && width == 1.5)
      corner[n][0] = x0, corner[n][1] = y0, corner[n][2] = x1, corner[n++][3] = y1;
  }
  return n;
}

/* The front is a staircase with a corner at each of its points, towards the better end of each axis; points without a place are named. */
static void the_front_is_a_staircase(void **state) {
  (void)state;
  struct seen s = {.name = "points"};
  for (unsigned way = 0; way < 4; way++) {
    const bool x_more = way & 1, y_less = way & 2, rises = x_more == y_less;
    struct point point[4] = {{.x = 1, .y = rises ? 1 : 3, .name = "left", .front = true},
                             {.x = 3, .y = rises ? 3 : 1, .name = "right", .front = true},
                             {.x = 2, .y = 2, .name = "middle", .front = true},
                             {.x = NAN, .y = 2, .name = "nowhere"}};
    const struct points g = {.title = "title",
                             .x_title = "x",
                             .y_title = "y",
                             .point = point,
                             .n = 4,
                             .x_more = x_more,
                             .y_less = y_less,
                             .missing = "not drawn"};
    double at[16][4];
    struct err e = {0};
    FILE *f;
    for (unsigned i = 0; i < 4; i++) point[i].x_most = NAN, point[i].rgb = "#0072b2", point[i].type = 7;
    plot_watch(keeps_rules, &s);
    struct plot *p = plot_open("unused.png", PLOT_WIDE, PLOT_WIDE, &f, &e);
    assert_non_null(p);
    plot_resize(p, PLOT_WIDE, (unsigned)points_draw(p, &g, 10, 400) + 4);
    assert_true(plot_close(p, &e));
    plot_watch(NULL, NULL);
    assert_true(script_has_text(s.script, "not drawn: nowhere"));
    unsigned n = stairs_of(s.script, at, 16), seen = 0;
    for (unsigned i = 0; i < n; i++) { /* each part is level or upright, and begins where the one before ends */
      assert_true(at[i][0] == at[i][2] || at[i][1] == at[i][3]);
      if (i) assert_true(at[i][0] == at[i - 1][2] && at[i][1] == at[i - 1][3]);
      seen += at[i][0] != at[i][2] || at[i][1] != at[i][3];
    }
    assert_int_equal(seen, 6); /* to the first of three points, twice from one to the next, to the edge */
    /* its first part comes from the worse end of y, or of x */
    if (x_more) assert_true(at[0][1] == at[0][3] && at[0][0] < at[0][2]);
    else assert_true(at[0][0] == at[0][2] && (at[0][1] < at[0][3]) == y_less);
  }
  free(s.script);
}

static bool not_drawn(const struct plot *p, const char *script, void *ctx) {
  (void)p, (void)script, (void)ctx;
  return false;
}

/* Two names at these places, turned or not; whether they are found to overlap or to leave the picture. */
static bool overlap_of(int degrees, double x0, double y0, double x1, double y1) {
  const struct plot_font font = {PLOT_NORMAL, false, degrees, NULL};
  struct err e = {0};
  char what[256];
  FILE *f;
  struct plot *p = plot_open("unused.png", 400, 300, &f, &e);
  assert_non_null(p);
  plot_put(p, x0, y0, PLOT_LEFT, font, "a name");
  plot_put(p, x1, y1, PLOT_LEFT, font, "another name");
  const bool found = plot_finds_overlap(p, what, sizeof what);
  plot_watch(not_drawn, NULL);
  assert_true(plot_close(p, &e));
  plot_watch(NULL, NULL);
  return found;
}

static void overlaps_are_found(void **state) {
  (void)state;
  assert_false(overlap_of(0, 100, 100, 100, 120));
  assert_true(overlap_of(0, 100, 100, 110, 105));
  assert_false(overlap_of(0, 100, 100, 160, 100));
  assert_false(overlap_of(45, 100, 100, 120, 100)); /* 14 pixels from line to line */
  assert_true(overlap_of(45, 100, 100, 110, 100));
  assert_true(overlap_of(0, 100, 100, 350, 200)); /* beyond the right edge */
  assert_true(overlap_of(90, 100, 100, 200, 40)); /* beyond the upper one */
}

/* Any names and any number of rows: nothing overlaps. */
static void long_names(void **state) {
  (void)state;
  static const char *const names[] = {
      "a", "convolutionSeparable", "a name of many words that goes on, and on, and on, and on for ever and a day more",
      "x_y"};
  for (unsigned rows = 1; rows <= 70; rows += rows < 6 ? 1 : 16)
    for (unsigned columns = 1; columns <= 12; columns += 3)
      for (unsigned kind = FIGURE_BARS; kind <= FIGURE_STACK; kind++) {
        struct sheet sheet;
        struct figure f;
        struct seen s = {0};
        plot_watch(keeps_rules, &s);
        figure_make(&sheet, &f, rows, columns, 123456, 7);
        for (unsigned r = 0; r < rows; r++) snprintf(sheet.row[r].name, sizeof sheet.row[r].name, "%s", names[r % 4]);
        for (unsigned c = 0; c < columns; c++)
          snprintf(sheet.column[c], sizeof sheet.column[c], "%s %u", names[(c + 1) % 4], c);
        figure_see(&s, &sheet, &f, kind);
        plot_watch(NULL, NULL);
        free(s.script);
      }
}

/* A run's pictures: many CTAs in many slots, launches of long names close to each other; loads of all levels. */
static void pictures_of_a_run(void **state) {
  (void)state;
  static struct code code[4];
  static struct latency l;
  static char name[4][40];
  struct run_result r = {.size = "small"};
  struct seen s = {.name = "timeline"};
  struct err e = {0};
  config_defaults(&r.cfg);
  snprintf(r.kernel, sizeof r.kernel, "a_kernel_of_a_long_name");
  for (unsigned slots = 1; slots <= 200; slots += slots < 8 ? 3 : 64) {
    struct timeline *t = timeline_new(0);
    const struct probe *p = timeline_probe(t);
    for (unsigned k = 0; k < 4; k++) {
      snprintf(name[k], sizeof name[k], "launch_%u_of_a_long_name", k);
      code[k].name = name[k];
      p->launch(p->ctx, &code[k], k * 700);
      for (unsigned c = 0; c < slots; c++) {
        const uint16_t warps[1] = {(uint16_t)c};
        p->cta(p->ctx, k * 700 + c, c, PROBE_CTA_BEGIN, warps, 1);
        p->cta(p->ctx, k * 700 + c + 300, c, PROBE_CTA_STALLED, warps, 1);
        p->status(p->ctx, k * 700 + c + 310, c, PROBE_CONTEXT);
        p->cta(p->ctx, k * 700 + c + 400, c, PROBE_CTA_END, warps, 1);
      }
    }
    plot_watch(keeps_rules, &s);
    if (!timeline_draw(t, &r, NULL, 0, "unused.png", &e)) fail_msg("%s", e.text);
    plot_watch(NULL, NULL);
    timeline_free(t);
  }
  s.name = "load latencies";
  for (unsigned i = 0; i < 3; i++) {
    latency_add(&l, i, 30 + 4000 * i * i);
    plot_watch(keeps_rules, &s);
    if (!load_latency_draw(&l, "a kernel, size small on one SM of gtx980", "unused.png", &e)) fail_msg("%s", e.text);
    plot_watch(NULL, NULL);
  }
  assert_true(script_has_text(s.script, "cycles from the look-up in L1 to the last register written"));
  free(s.script);
}

/* The same input gives the same script. */
static void the_same_twice(void **state) {
  (void)state;
  struct seen a = by_hand(30, 5, 90, 10, FIGURE_BARS), b = by_hand(30, 5, 90, 10, FIGURE_BARS);
  assert_string_equal(a.script, b.script);
  free(a.script), free(b.script);
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "--draw")) return draw_all(argv[2], argv + 3, argc - 3);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_of_pages_keep_the_rules),
      cmocka_unit_test(a_system_has_one_colour),
      cmocka_unit_test(logarithmic_where_one_hides_the_rest),
      cmocka_unit_test(a_map_above_eight),
      cmocka_unit_test(no_key_without_a_mark),
      cmocka_unit_test(one_by_chance),
      cmocka_unit_test(one_colour_in_all_axes),
      cmocka_unit_test(axes_of_two_tables),
      cmocka_unit_test(shades_stay_apart),
      cmocka_unit_test(rows_without_numbers),
      cmocka_unit_test(a_stack_ends_at_100),
      cmocka_unit_test(names_of_points),
      cmocka_unit_test(the_front_is_a_staircase),
      cmocka_unit_test(overlaps_are_found),
      cmocka_unit_test(long_names),
      cmocka_unit_test(pictures_of_a_run),
      cmocka_unit_test(the_same_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

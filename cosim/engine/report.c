/* SPDX-License-Identifier: Apache-2.0 */
/* report: the text of a divergence: every port and register, C and RTL, `!` at those that differ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

bool names_have(const char *names, const char *name) {
  size_t n = strlen(name);
  for (const char *p = names; (p = strstr(p, name)); p += n)
    if ((p == names || p[-1] == ' ') && (!p[n] || p[n] == ' ')) return true;
  return false;
}

/* Where the table goes, and how wide its column of names is. */
struct table {
  FILE *to;
  int name;
};

enum { NAMES_LEAST = 12, NAMES_MOST = 32, SHOWN = 8 /* elements of a port, words of an element */ };

/* The name of elements from to last of the last dimension: tag_q[2], tag_q[2..5]. */
static const char *report_run_name(const struct item *i, unsigned from, unsigned last, char name[ITEM_NAME]) {
  item_name(i, from, name);
  const size_t n = strlen(name);
  if (last != from) snprintf(name + n - 1, ITEM_NAME - n + 1, "..%u]", last % i->shape.dim[i->shape.rank - 1]);
  return name;
}

/* A run of two elements: no longer run has a longer name. */
static bool report_may_run(const struct item *i) {
  return i->n && i->shape.rank && i->width <= 64 && i->shape.dim[i->shape.rank - 1] > 1;
}

static struct table report_table_of(const struct block_desc *d, FILE *to) {
  struct table t = {to, NAMES_LEAST};
  char name[ITEM_NAME];
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind != ITEM_IN && i->kind != ITEM_OUT && i->kind != ITEM_STATE) continue;
    const unsigned last = item_count(i) - 1;
    const int n = (int)strlen(report_run_name(i, last - report_may_run(i), last, name));
    if (n > t.name) t.name = n < NAMES_MOST ? n : NAMES_MOST;
  }
  return t;
}

/* An element wider than 64 bits: its words that differ or, if none does, those that are not zero. */
static void report_wide(const struct item *i, unsigned element, const uint32_t *c, const uint32_t *r,
                        const struct table *t) {
  FILE *to = t->to;
  char name[ITEM_NAME];
  item_name(i, element, name);
  if (!c) {
    fprintf(to, "  %-*s [%5u] of the RTL alone:\n", t->name, name, i->width);
    c = r, r = NULL;
  }
  unsigned n = (i->width + 31) / 32, nonzero = 0, differ = 0, shown = 0;
  for (unsigned k = 0; k < n; k++) nonzero += c[k] != 0, differ += r && c[k] != r[k];
  if (differ) {
    fprintf(to, "! %-*s [%5u] %u of %u words differ:\n", t->name, name, i->width, differ, n);
  } else {
    fprintf(to, "  %-*s [%5u] %s%u of %u words are not zero%s\n", t->name, name, i->width, r ? "equal; " : "", nonzero,
            n, nonzero ? ":" : "");
  }
  for (unsigned k = 0; k < n && shown < SHOWN; k++) {
    if (differ ? c[k] == r[k] : !c[k]) continue;
    unsigned top = 32 * k + 31 < i->width ? 32 * k + 31 : i->width - 1;
    char place[32];
    snprintf(place, sizeof place, "[%u:%u]", top, 32 * k);
    fprintf(to, "%c   %-*s %16x", differ ? '!' : ' ', t->name + 6, place, c[k]);
    if (differ) fprintf(to, "  %16x", r[k]);
    fputc('\n', to);
    if (++shown == SHOWN && (differ ? differ : nonzero) > SHOWN) fprintf(to, "    ...\n");
  }
}

const char *enum_name(const struct item *i, uint64_t value, char name[static ENUM_NAME]) {
  const char *p = i->width <= 64 && i[1].kind == ITEM_ENUM ? i[1].name : NULL;
  while (p && *p) {
    char *end;
    bool is = strtoull(p, &end, 0) == value;
    size_t n = *end == '=' ? strcspn(end, " ") - 1 : 0;
    if (is && n) return snprintf(name, ENUM_NAME, "%.*s", (int)n, end + 1), name;
    p = end + strcspn(end, " ");
    p += strspn(p, " ");
  }
  return NULL;
}

/* One element, or a run of equal ones, on both sides or on one; NULL: not known. */
static void report_run(const struct item *i, unsigned element, unsigned last, const void *c, const void *r,
                       const struct table *t) {
  FILE *to = t->to;
  char name[ITEM_NAME], a[24] = "-", b[24] = "";
  if (i->width > 64) {
    report_wide(i, element, c ? item_words(i, c, element) : NULL, r ? item_words(i, r, element) : NULL, t);
    return;
  }
  const uint64_t x = c ? item_number(i, c, element) : 0, y = r ? item_number(i, r, element) : 0;
  if (c) snprintf(a, sizeof a, "%" PRIx64, x);
  if (r) snprintf(b, sizeof b, "%" PRIx64, y);
  fprintf(to, "%c %-*s [%5u] %16s", c && r && x != y ? '!' : ' ', t->name, report_run_name(i, element, last, name),
          i->width, a);
  if (r) fprintf(to, "  %16s", b);
  char cs[ENUM_NAME], rs[ENUM_NAME];
  const char *cn = c ? enum_name(i, x, cs) : NULL, *rn = r ? enum_name(i, y, rs) : NULL;
  if (cn || rn) fprintf(to, "   %s", cn ? cn : "?");
  if (r && (cn || rn) && strcmp(a, b)) fprintf(to, ", %s", rn ? rn : "?");
  fputc('\n', to);
}

static void report_line(const struct item *i, unsigned element, const void *c, const void *r, const struct table *t) {
  report_run(i, element, element, c, r, t);
}

/* Equal elements beside each other in the last dimension, none of them zero; alone: no other run has their value. */
struct run {
  unsigned from, last;
  bool alone, taken;
};

static bool report_equal_elements(const struct item *i, const void *base, unsigned a, unsigned b) {
  return !memcmp(item_at(i, base, a), item_at(i, base, b), i->shape.element);
}

static unsigned report_find_runs(const struct item *i, const void *base, struct run *run) {
  unsigned runs = 0;
  for (unsigned n = 0; n < item_count(i); n++) {
    struct run *last = runs ? &run[runs - 1] : NULL;
    if (item_zero(i, base, n)) continue;
    if (last && last->last + 1 == n && n % i->shape.dim[i->shape.rank - 1] &&
        report_equal_elements(i, base, last->last, n))
      last->last = n;
    else run[runs++] = (struct run){n, n, true, false};
  }
  for (unsigned a = 0; a < runs; a++)
    for (unsigned b = 0; b < runs && run[a].alone; b++)
      run[a].alone = a == b || !report_equal_elements(i, base, run[a].from, run[b].from);
  return runs;
}

/* Elements that are equal on both sides, up to SHOWN runs of them. If there are more, those whose value no other run has come first, for
 * one element unlike the others may be what explains a failure. Returns how many elements are shown. */
static unsigned report_equal_item(const struct item *i, const void *c, const void *r, const struct table *t) {
  struct run *run = memory_checked(calloc(item_count(i), sizeof *run));
  const unsigned runs = report_find_runs(i, c ? c : r, run);
  unsigned alone = 0, taken = 0, elements = 0;
  for (unsigned k = 0; k < runs; k++) alone += run[k].alone;
  for (unsigned k = 0; k < runs && alone <= SHOWN; k++) taken += run[k].taken = run[k].alone;
  for (unsigned k = 0; k < runs && taken < SHOWN; k++)
    if (!run[k].taken) taken += run[k].taken = true;
  for (unsigned k = 0; k < runs; k++) {
    if (!run[k].taken) continue;
    report_run(i, run[k].from, run[k].last, c, r, t);
    elements += run[k].last - run[k].from + 1;
  }
  free(run);
  return elements;
}

/* Elements that differ, up to SHOWN of them, or of a port without elements its value. Returns how many are shown. */
static unsigned report_differing_item(const struct item *i, const void *c, const void *r, bool differ,
                                      const struct table *t) {
  unsigned shown = 0;
  for (unsigned n = 0; n < item_count(i) && shown < SHOWN; n++) {
    if (i->n && (differ ? item_same(i, c, r, n) : item_zero(i, c ? c : r, n))) continue;
    report_line(i, n, c, r, t);
    shown++;
  }
  return shown;
}

/* A port or register; c or r may be NULL. Of several elements those that differ or, if none does, those that are not zero. */
static void report_item(const struct item *i, const void *c, const void *r, const struct table *t) {
  const unsigned count = item_count(i);
  unsigned differ = 0, nonzero = 0;
  for (unsigned n = 0; n < count; n++) {
    differ += c && r && !item_same(i, c, r, n);
    nonzero += !item_zero(i, c ? c : r, n);
  }
  const bool runs = !differ && i->n && i->shape.rank && i->width <= 64;
  const unsigned shown = runs ? report_equal_item(i, c, r, t) : report_differing_item(i, c, r, differ, t);
  const unsigned left = count - shown, interesting = (differ ? differ : nonzero) - (i->n ? shown : 0);
  if (!i->n || !left) return;
  if (!shown) {
    fprintf(t->to, "  %-*s [%5u] all %u elements are zero\n", t->name, i->name, i->width, left);
    return;
  }
  fprintf(t->to, "%c   %u more", differ && interesting ? '!' : ' ', left);
  if (interesting) fprintf(t->to, ", %u of them %s\n", interesting, differ ? "differ" : "not zero");
  else fprintf(t->to, " are %s\n", differ ? "equal" : "zero");
}

/* ---- the cycles before ---- */
static uint64_t part_value(const struct field *p, const void *base) {
  return item_value(p->item, base, p->element, p->word);
}

static const void *frame_side(const struct engine *e, struct frame *f, enum item_kind kind, bool rtl) {
  if (kind == ITEM_IN) return frame_at(f, e->at_in);
  if (kind == ITEM_OUT) return frame_at(f, rtl ? e->at_rout : e->at_out);
  return frame_at(f, rtl ? e->at_rstate : e->at_state);
}

unsigned differing_fields(const struct engine *e, struct frame *f, struct field *p, unsigned room, unsigned *all) {
  unsigned taken = 0;
  *all = 0;
  for (unsigned k = 0; f->sampled && k < e->d->items; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind != ITEM_OUT && (i->kind != ITEM_STATE || e->rtl->ports_only)) continue;
    for (unsigned n = 0, of_one = 0; n < item_count(i); n++) {
      for (unsigned w = 0; w < (i->width > 64 ? (i->width + 31) / 32 : 1); w++) {
        struct field new = {i, n, w, i->width};
        if (i->width > 64) new.width = i->width - 32 * w < 32 ? i->width - 32 * w : 32;
        if (part_value(&new, frame_side(e, f, i->kind, false)) == part_value(&new, frame_side(e, f, i->kind, true)))
          continue;
        ++*all;
        if (taken < room && of_one++ < OF_ONE) p[taken++] = new;
      }
    }
  }
  return taken;
}

enum { HISTORY = 8, COLUMNS = 24, LINE = 150, NARROW = 16 /* bits */ };

/* What an element is in the window: zero throughout, another constant, or changing. */
enum motion { ZERO, CONSTANT, CHANGING };
static enum motion field_motion(const struct engine *e, enum item_kind kind, const struct field *p) {
  uint64_t first = 0;
  bool any = false;
  for (unsigned h = 0; h <= HISTORY && h <= e->bad_cycle; h++) {
    struct frame *f = engine_frame(e, e->bad_cycle - h);
    if (!f) continue;
    const uint64_t value = part_value(p, frame_side(e, f, kind, false));
    if (h && value != first) return CHANGING;
    if (!h) first = value;
    any |= value != 0;
  }
  return any ? CONSTANT : ZERO;
}

/* Groups of elements, the most telling first: one element of each port before further ones of arrays, what changes in the window
 * before what does not, narrow before wide. */
enum { COLUMN_GROUPS = 8 };
static unsigned field_group(const struct field *p, enum motion motion, unsigned of_one) {
  return (of_one ? 4 : 0) + (motion == CHANGING ? 0 : 2) + (p->width > NARROW ? 1 : 0);
}

/* Adds the elements of a group: not zero throughout the window; at most OF_ONE of a port, of which the first is one that changes if
 * there is one; none of an array of registers. */
static unsigned fields_add_group(const struct engine *e, enum item_kind kind, unsigned group, struct field *p,
                                 unsigned n) {
  for (unsigned k = 0; k < e->d->items && n < COLUMNS; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind != kind || i->array || i->width > 64) continue;
    unsigned of_one = 0;
    for (unsigned wanted = CHANGING; wanted > ZERO; wanted--)
      for (unsigned m = 0; m < item_count(i) && of_one < OF_ONE && n < COLUMNS; m++) {
        const struct field new = {i, m, 0, i->width};
        const enum motion motion = field_motion(e, kind, &new);
        if (motion != wanted) continue;
        if (field_group(&new, motion, of_one++) == group) p[n++] = new;
      }
  }
  return n;
}

static unsigned fields_add_moving(const struct engine *e, enum item_kind kind, struct field *p, unsigned n) {
  for (unsigned group = 0; group < COLUMN_GROUPS; group++) n = fields_add_group(e, kind, group, p, n);
  return n;
}

/* Its name into name; how wide its column is. */
static unsigned field_column(const struct field *p, char name[static ITEM_NAME]) {
  const struct item *i = p->item;
  item_name(i, p->element, name);
  const size_t n = strlen(name);
  if (i->width > 64) snprintf(name + n, ITEM_NAME - n, "[%u:%u]", 32 * p->word + p->width - 1, 32 * p->word);
  unsigned digits = (p->width + 3) / 4, letters = (unsigned)strlen(name);
  return digits > letters ? digits : letters;
}

static void report_history_row(const struct engine *e, struct frame *f, bool rtl, const char *note,
                               const struct field *p, unsigned n, FILE *to) {
  char name[ITEM_NAME];
  fprintf(to, "  %9" PRIu64 " %-5s", f->cycle, note);
  for (unsigned k = 0; k < n; k++) {
    const int column = (int)field_column(&p[k], name);
    if (f->ended && p[k].item->kind == ITEM_IN) fprintf(to, "  %*s", column, "-");
    else fprintf(to, "  %*" PRIx64, column, part_value(&p[k], frame_side(e, f, p[k].item->kind, rtl)));
  }
  fputc('\n', to);
}

/* What differs (or, if nothing does, the registers) and the inputs, in the eight cycles before and in the one
   in question: what a register shows comes from the inputs of an earlier cycle. */
static void report_history(struct engine *e, struct frame *bad, FILE *to) {
  struct field p[COLUMNS];
  char name[ITEM_NAME];
  unsigned all, differ = differing_fields(e, bad, p, COLUMNS / 2, &all), n = differ, fit = 0;
  if (!n) n = fields_add_moving(e, ITEM_STATE, p, n);
  n = fields_add_moving(e, ITEM_IN, p, n);
  for (unsigned width = 17; fit < n && width <= LINE; fit++) width += 2 + field_column(&p[fit], name);
  fprintf(to, "      cycle      ");
  for (unsigned k = 0; k < fit; k++) {
    unsigned room = field_column(&p[k], name);
    fprintf(to, "  %*s", (int)room, name);
  }
  fputc('\n', to);
  for (uint64_t h = HISTORY; h; h--) {
    struct frame *f = h <= e->bad_cycle ? engine_frame(e, e->bad_cycle - h) : NULL;
    if (f) report_history_row(e, f, false, f->reset ? "reset" : "", p, fit, to);
  }
  report_history_row(e, bad, false, differ ? "c" : "", p, fit, to);
  if (differ) report_history_row(e, bad, true, "rtl", p, fit, to);
  if (differ > fit) differ = fit;
  if (all > differ) fprintf(to, "  %u more values differ\n", all - differ);
}

void report_failure(struct engine *e, FILE *to) {
  struct frame *f = engine_frame(e, e->bad_cycle);
  if (!f) return;
  const void *in = frame_at(f, e->at_in), *c = frame_at(f, e->at_out), *cs = frame_at(f, e->at_state);
  const void *r = frame_at(f, e->at_rout), *rs = frame_at(f, e->at_rstate);
  const struct table t = report_table_of(e->d, to);
  if (f->ended) fprintf(to, "  after the last edge: no inputs are driven, so no port is shown\n");
  fprintf(to, "  %-*s %-7s %16s  %16s\n", t.name, f->ended ? "" : "port", "width", "c", "rtl");
  for (unsigned k = 0; !f->ended && k < e->d->items; k++) {
    if (e->d->item[k].kind == ITEM_IN) report_item(&e->d->item[k], in, NULL, &t);
  }
  if (!f->sampled) r = c, rs = cs; /* compared, and equal */
  for (unsigned k = 0; !f->ended && k < e->d->items; k++) {
    if (e->d->item[k].kind == ITEM_OUT) report_item(&e->d->item[k], f->unknown ? NULL : c, r, &t);
  }
  bool head = false;
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind != ITEM_STATE) continue;
    if (!head) fprintf(to, "  register\n");
    head = true;
    report_item(&e->d->item[k], cs, rs, &t);
  }
  report_history(e, f, to);
}

/* What is not zero of the registers of a state, of a cycle's inputs. */
static void report_nonzero(const struct block_desc *d, enum item_kind kind, const void *base, FILE *to) {
  const struct table t = report_table_of(d, to);
  for (unsigned k = 0; base && k < d->items; k++) {
    const struct item *i = &d->item[k];
    for (unsigned n = 0; i->kind == kind && n < item_count(i); n++)
      if (!item_zero(i, base, n)) report_line(i, n, base, NULL, &t);
  }
}

void report_stimulus(const struct block_desc *d, const struct stim *s, FILE *to) {
  fprintf(to, "  stimulus (what is not listed is zero):\n");
  for (uint64_t t = 0; t < s->cycles; t++) {
    fprintf(to, "  cycle %" PRIu64 "%s\n", t,
            stim_state(s, d, t) ? ", after reset, from these registers"
            : stim_reset(s, t)  ? ", after reset"
                                : "");
    report_nonzero(d, ITEM_STATE, stim_state(s, d, t), to);
    report_nonzero(d, ITEM_IN, stim_in(s, t), to);
  }
}

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

/* An element wider than 64 bits: its words that differ or, if none does, those that are not zero. */
static void report_wide(const struct item *i, unsigned element, const uint32_t *c, const uint32_t *r, FILE *to) {
  char name[ITEM_NAME];
  item_name(i, element, name);
  if (!c) {
    fprintf(to, "  %-12s [%5u] of the RTL alone:\n", name, i->width);
    c = r, r = NULL;
  }
  unsigned n = (i->width + 31) / 32, nonzero = 0, differ = 0, shown = 0;
  for (unsigned k = 0; k < n; k++) nonzero += c[k] != 0, differ += r && c[k] != r[k];
  if (differ) {
    fprintf(to, "! %-12s [%5u] %u of %u words differ:\n", name, i->width, differ, n);
  } else {
    fprintf(to, "  %-12s [%5u] %s%u of %u words are not zero%s\n", name, i->width, r ? "equal; " : "", nonzero, n,
            nonzero ? ":" : "");
  }
  for (unsigned k = 0; k < n && shown < 8; k++) {
    if (differ ? c[k] == r[k] : !c[k]) continue;
    unsigned top = 32 * k + 31 < i->width ? 32 * k + 31 : i->width - 1;
    char place[32];
    snprintf(place, sizeof place, "[%u:%u]", top, 32 * k);
    fprintf(to, "%c   %-18s %16x", differ ? '!' : ' ', place, c[k]);
    if (differ) fprintf(to, "  %16x", r[k]);
    fputc('\n', to);
    if (++shown == 8 && (differ ? differ : nonzero) > 8) fprintf(to, "    ...\n");
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

/* One element on both sides, or on one; NULL: not known. */
static void line(const struct item *i, unsigned element, const void *c, const void *r, FILE *to) {
  char name[ITEM_NAME], a[24] = "-", b[24] = "";
  if (i->width > 64) {
    report_wide(i, element, c ? item_words(i, c, element) : NULL, r ? item_words(i, r, element) : NULL, to);
    return;
  }
  const uint64_t x = c ? item_number(i, c, element) : 0, y = r ? item_number(i, r, element) : 0;
  if (c) snprintf(a, sizeof a, "%" PRIx64, x);
  if (r) snprintf(b, sizeof b, "%" PRIx64, y);
  fprintf(to, "%c %-12s [%5u] %16s", c && r && x != y ? '!' : ' ', item_name(i, element, name), i->width, a);
  if (r) fprintf(to, "  %16s", b);
  char cs[ENUM_NAME], rs[ENUM_NAME];
  const char *cn = c ? enum_name(i, x, cs) : NULL, *rn = r ? enum_name(i, y, rs) : NULL;
  if (cn || rn) fprintf(to, "   %s", cn ? cn : "?");
  if (r && (cn || rn) && strcmp(a, b)) fprintf(to, ", %s", rn ? rn : "?");
  fputc('\n', to);
}

/* A port or register. Of several elements: all that differ, and of the others those that are not zero, up to 16. c or r may be NULL. */
static void report_item(const struct item *i, const void *c, const void *r, FILE *to) {
  unsigned left = 0, shown = 0;
  for (unsigned n = 0; n < item_count(i); n++) {
    const bool same = !c || !r || item_same(i, c, r, n);
    if (i->n && same && (item_zero(i, c ? c : r, n) || shown >= 16)) {
      left++;
    } else {
      line(i, n, c, r, to);
      shown++;
    }
  }
  const char *how = c && r ? ", equal" : shown < 16 ? " are zero" : "";
  if (left) fprintf(to, "  %-12s         %u more%s\n", i->name, left, how);
}

/* ---- the cycles before ---- */
static uint64_t part_value(const struct field *p, const void *base) {
  return p->item->width > 64 ? item_words(p->item, base, p->element)[p->word] : item_number(p->item, base, p->element);
}

static const void *side(const struct engine *e, struct frame *f, enum item_kind kind, bool rtl) {
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
        if (part_value(&new, side(e, f, i->kind, false)) == part_value(&new, side(e, f, i->kind, true))) continue;
        ++*all;
        if (taken < room && of_one++ < OF_ONE) p[taken++] = new;
      }
    }
  }
  return taken;
}

enum { HISTORY = 8, COLUMNS = 24, LINE = 150 };

/* Adds the elements worth showing: not zero throughout the window; at most OF_ONE of a port, none of an array of registers. */
static unsigned moving(const struct engine *e, enum item_kind kind, struct field *p, unsigned n) {
  for (unsigned k = 0; k < e->d->items && n < COLUMNS; k++) {
    const struct item *i = &e->d->item[k];
    if (i->kind != kind || i->array || i->width > 64) continue;
    for (unsigned m = 0, of_one = 0; m < item_count(i) && of_one < OF_ONE && n < COLUMNS; m++) {
      struct field new = {i, m, 0, i->width};
      bool any = false;
      for (unsigned h = 0; h <= HISTORY && h <= e->bad_cycle; h++) {
        struct frame *f = engine_frame(e, e->bad_cycle - h);
        any = any || (f && part_value(&new, side(e, f, kind, false)));
      }
      if (any) p[n++] = new, of_one++;
    }
  }
  return n;
}

/* Its name into name; how wide its column is. */
static unsigned column(const struct field *p, char name[static ITEM_NAME]) {
  const struct item *i = p->item;
  item_name(i, p->element, name);
  const size_t n = strlen(name);
  if (i->width > 64) snprintf(name + n, ITEM_NAME - n, "[%u:%u]", 32 * p->word + p->width - 1, 32 * p->word);
  unsigned digits = (p->width + 3) / 4, letters = (unsigned)strlen(name);
  return digits > letters ? digits : letters;
}

static void history_row(const struct engine *e, struct frame *f, bool rtl, const char *note, const struct field *p,
                        unsigned n, FILE *to) {
  char name[ITEM_NAME];
  fprintf(to, "  %9" PRIu64 " %-5s", f->cycle, note);
  for (unsigned k = 0; k < n; k++) {
    fprintf(to, "  %*" PRIx64, (int)column(&p[k], name), part_value(&p[k], side(e, f, p[k].item->kind, rtl)));
  }
  fputc('\n', to);
}

/* What differs (or, if nothing does, the registers) and the inputs, in the eight cycles before and in the one
   in question: what a register shows comes from the inputs of an earlier cycle. */
static void history(struct engine *e, struct frame *bad, FILE *to) {
  struct field p[COLUMNS];
  char name[ITEM_NAME];
  unsigned all, differ = differing_fields(e, bad, p, COLUMNS / 2, &all), n = differ, fit = 0;
  if (!n) n = moving(e, ITEM_STATE, p, n);
  n = moving(e, ITEM_IN, p, n);
  for (unsigned width = 17; fit < n && width <= LINE; fit++) width += 2 + column(&p[fit], name);
  fprintf(to, "      cycle      ");
  for (unsigned k = 0; k < fit; k++) {
    unsigned room = column(&p[k], name);
    fprintf(to, "  %*s", (int)room, name);
  }
  fputc('\n', to);
  for (uint64_t h = HISTORY; h; h--) {
    struct frame *f = h <= e->bad_cycle ? engine_frame(e, e->bad_cycle - h) : NULL;
    if (f) history_row(e, f, false, f->reset ? "reset" : "", p, fit, to);
  }
  history_row(e, bad, false, differ ? "c" : "", p, fit, to);
  if (differ) history_row(e, bad, true, "rtl", p, fit, to);
  if (differ > fit) differ = fit;
  if (all > differ) fprintf(to, "  %u more values differ\n", all - differ);
}

void report_failure(struct engine *e, FILE *to) {
  struct frame *f = engine_frame(e, e->bad_cycle);
  if (!f) return;
  const void *in = frame_at(f, e->at_in), *c = frame_at(f, e->at_out), *cs = frame_at(f, e->at_state);
  const void *r = frame_at(f, e->at_rout), *rs = frame_at(f, e->at_rstate);
  fprintf(to, "  %-12s %-7s %16s  %16s\n", "port", "width", "c", "rtl");
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind == ITEM_IN) report_item(&e->d->item[k], in, NULL, to);
  }
  if (!f->sampled) r = c, rs = cs; /* compared, and equal */
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind == ITEM_OUT) report_item(&e->d->item[k], f->unknown ? NULL : c, r, to);
  }
  bool head = false;
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind != ITEM_STATE) continue;
    if (!head) fprintf(to, "  register\n");
    head = true;
    report_item(&e->d->item[k], cs, rs, to);
  }
  history(e, f, to);
}

/* What is not zero of the registers of a state, of a cycle's inputs. */
static void report_nonzero(const struct block_desc *d, enum item_kind kind, const void *base, FILE *to) {
  for (unsigned k = 0; base && k < d->items; k++) {
    const struct item *i = &d->item[k];
    for (unsigned n = 0; i->kind == kind && n < item_count(i); n++)
      if (!item_zero(i, base, n)) line(i, n, base, NULL, to);
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

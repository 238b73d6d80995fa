/* SPDX-License-Identifier: Apache-2.0 */
/* report: the text of a divergence: every port and register, C and RTL, `!` at those that differ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

unsigned elements(const struct item *i) { return i->n ? i->n : 1; }

const uint32_t *item_value(const struct item *i, const void *base, unsigned element) {
  return (const uint32_t *)((const unsigned char *)base + i->offset + 8 * (size_t)element);
}

bool names_have(const char *names, const char *name) {
  size_t n = strlen(name);
  for (const char *p = names; (p = strstr(p, name)); p += n)
    if ((p == names || p[-1] == ' ') && (!p[n] || p[n] == ' ')) return true;
  return false;
}

static uint64_t narrow(const uint32_t *v, unsigned width) { return v[0] | (uint64_t)(width > 32 ? v[1] : 0) << 32; }

static void wide(const struct item *i, const uint32_t *c, const uint32_t *r, FILE *to) {
  if (!c) {
    fprintf(to, "  %-12s [%5u] of the RTL alone:\n", i->name, i->width);
    c = r, r = NULL;
  }
  unsigned n = (i->width + 31) / 32, nonzero = 0, differ = 0, shown = 0;
  for (unsigned k = 0; k < n; k++) nonzero += c[k] != 0, differ += r && c[k] != r[k];
  if (differ) {
    fprintf(to, "! %-12s [%5u] %u of %u words differ:\n", i->name, i->width, differ, n);
  } else {
    fprintf(to, "  %-12s [%5u] %s%u of %u words are not zero%s\n", i->name, i->width, r ? "equal; " : "", nonzero, n,
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

static void line(const struct item *i, unsigned element, const void *c, const void *r, FILE *to) {
  char name[64], a[24], b[24] = "";
  const uint32_t *x = c ? item_value(i, c, element) : NULL, *y = r ? item_value(i, r, element) : NULL;
  if (i->width > 64) {
    wide(i, x, y, to);
    return;
  }
  if (x) snprintf(a, sizeof a, "%" PRIx64, narrow(x, i->width));
  else snprintf(a, sizeof a, "-");
  if (y) snprintf(b, sizeof b, "%" PRIx64, narrow(y, i->width));
  snprintf(name, sizeof name, i->n ? "%s[%u]" : "%s", i->name, element);
  fprintf(to, "%c %-12s [%5u] %16s", x && y && strcmp(a, b) ? '!' : ' ', name, i->width, a);
  if (y) fprintf(to, "  %16s", b);
  char cs[ENUM_NAME], rs[ENUM_NAME];
  const char *cn = x ? enum_name(i, narrow(x, i->width), cs) : NULL,
             *rn = y ? enum_name(i, narrow(y, i->width), rs) : NULL;
  if (cn || rn) fprintf(to, "   %s", cn ? cn : "?");
  if (y && (cn || rn) && strcmp(a, b)) fprintf(to, ", %s", rn ? rn : "?");
  fputc('\n', to);
}

static bool equal(const struct item *i, unsigned element, const void *c, const void *r) {
  return !memcmp(item_value(i, c, element), item_value(i, r, element), i->n ? 8 : i->bytes);
}

/* Arrays of registers: all that differ, and of the others those that are not zero, up to 16. */
static void state_lines(const struct item *i, const void *c, const void *r, FILE *to) {
  unsigned left = 0, shown = 0;
  for (unsigned n = 0; n < elements(i); n++) {
    bool same = equal(i, n, c, r);
    const uint32_t *v = item_value(i, c, n);
    if (i->n && same && ((!v[0] && !v[1]) || shown >= 16)) {
      left++;
    } else {
      line(i, n, c, r, to);
      shown++;
    }
  }
  if (left) fprintf(to, "  %-12s         %u more, equal\n", i->name, left);
}

/* ---- the cycles before ---- */
static uint64_t part_value(const struct field *p, const void *base) {
  const uint32_t *v = item_value(p->item, base, p->element);
  return p->item->width > 64 ? v[p->word] : narrow(v, p->width);
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
    for (unsigned n = 0, of_one = 0; n < elements(i); n++) {
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

/* Ports or registers worth showing: not zero throughout the window. */
static unsigned moving(const struct engine *e, enum item_kind kind, struct field *p, unsigned n) {
  for (unsigned k = 0; k < e->d->items && n < COLUMNS; k++) {
    const struct item *i = &e->d->item[k];
    struct field new = {i, 0, 0, i->width};
    bool any = false;
    if (i->kind != kind || i->n || i->width > 64) continue;
    for (unsigned h = 0; h <= HISTORY && h <= e->bad_cycle; h++) {
      struct frame *f = engine_frame(e, e->bad_cycle - h);
      any = any || (f && part_value(&new, side(e, f, kind, false)));
    }
    if (any) p[n++] = new;
  }
  return n;
}

/* Its name into name; how wide its column is. */
static unsigned column(const struct field *p, char name[static 80]) {
  const struct item *i = p->item;
  if (i->n) snprintf(name, 80, "%s[%u]", i->name, p->element);
  else if (i->width > 64) snprintf(name, 80, "%s[%u:%u]", i->name, 32 * p->word + p->width - 1, 32 * p->word);
  else snprintf(name, 80, "%s", i->name);
  unsigned digits = (p->width + 3) / 4, letters = (unsigned)strlen(name);
  return digits > letters ? digits : letters;
}

static void history_row(const struct engine *e, struct frame *f, bool rtl, const char *note, const struct field *p,
                        unsigned n, FILE *to) {
  char name[80];
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
  char name[80];
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
    if (e->d->item[k].kind == ITEM_IN) line(&e->d->item[k], 0, in, NULL, to);
  }
  if (!f->sampled) r = c, rs = cs; /* compared, and equal */
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind == ITEM_OUT) line(&e->d->item[k], 0, f->unknown ? NULL : c, r, to);
  }
  bool head = false;
  for (unsigned k = 0; k < e->d->items; k++) {
    if (e->d->item[k].kind != ITEM_STATE) continue;
    if (!head) fprintf(to, "  register\n");
    head = true;
    state_lines(&e->d->item[k], cs, rs, to);
  }
  history(e, f, to);
}

/* The registers of a state that are not zero. */
static void report_state(const struct block_desc *d, const void *state, FILE *to) {
  for (unsigned k = 0; state && k < d->items; k++) {
    const struct item *i = &d->item[k];
    for (unsigned n = 0; i->kind == ITEM_STATE && n < elements(i); n++) {
      const uint32_t *v = item_value(i, state, n);
      uint32_t any = 0;
      for (unsigned w = 0; w < (i->width + 31) / 32; w++) any |= v[w];
      if (any) line(i, n, state, NULL, to);
    }
  }
}

void report_stimulus(const struct block_desc *d, const struct stim *s, FILE *to) {
  fprintf(to, "  stimulus (what is not listed is zero):\n");
  for (uint64_t t = 0; t < s->cycles; t++) {
    fprintf(to, "  cycle %" PRIu64 "%s\n", t,
            stim_state(s, d, t) ? ", after reset, from these registers"
            : stim_reset(s, t)  ? ", after reset"
                                : "");
    report_state(d, stim_state(s, d, t), to);
    for (unsigned k = 0; k < d->items; k++) {
      const struct item *i = &d->item[k];
      if (i->kind != ITEM_IN) continue;
      const uint32_t *v = item_value(i, stim_in(s, t), 0);
      uint32_t any = 0;
      for (unsigned w = 0; w < (i->width + 31) / 32; w++) any |= v[w];
      if (any) line(i, 0, stim_in(s, t), NULL, to);
    }
  }
}

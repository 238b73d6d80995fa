/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wave: the cycles around a divergence as one FST file with scopes bench, in, c, rtl and diff, and a GTKWave
 * save file that puts twins side by side and the marker on the divergent cycle. A cycle is 10 units long and
 * shows the values just before its clock edge, which all are compared at; so C and RTL stand in the same
 * column. In a build with traces the Verilated model writes the file, with its internal signals beside ours.
 * What differs stands on top, below it the RTL's inner signals; of a run that passed, these stand last.
 *
 * A port with a shape is there element by element, as name_1_3; whole, as the flat vector of the Verilog, it is `name`.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "asserted.h"
#include "engine.h"
#include "fstapi.h"

/* What a signal shows: an element of an item, one word of it, or the flat vector. */
enum part { PART_ELEMENT, PART_WORD, PART_FLAT };
struct shown {
  const struct item *item; /* NULL: a signal of the bench, whose value the engine sets */
  const unsigned char *const *base;
  enum part part;
  unsigned element, word;
  uint32_t *value;
};

struct wave {
  struct engine *e;
  char *path;
  struct wave_list list;
  struct shown *shown; /* of each signal of the list */
  void *fst;
  fstHandle *handle;
  uint64_t cycle;
  uint32_t clk, rst, differ;
  const unsigned char *in, *c_out, *c_state, *r_out, *r_state; /* of the present cycle */
  bool internals, any;
};

enum { SCOPES = 5, SHOWN = 16 };
static const char *const scopes[SCOPES] = {"bench", "in", "c", "rtl", "diff"};

static void wave_add_signal(struct wave *w, const char *scope, const char *name, unsigned width, const void *value) {
  w->list.s = memory_checked(realloc(w->list.s, (w->list.n + 1) * sizeof *w->list.s));
  w->shown = memory_checked(realloc(w->shown, (w->list.n + 1) * sizeof *w->shown));
  w->shown[w->list.n] = (struct shown){0};
  w->list.s[w->list.n++] = (struct wave_signal){scope, memory_checked(strdup(name)), width, value};
}

/* part.base points to the wave's pointer to a struct; in scope diff to C's, and wave_fill() takes the RTL's too. */
static void wave_add_part(struct wave *w, const char *scope, const char *name, unsigned width, struct shown part) {
  part.value = memory_checked(calloc(RT_WORDS(width) + 1, sizeof *part.value));
  wave_add_signal(w, scope, name, width, part.value);
  w->shown[w->list.n - 1] = part;
}

static void wave_add_item(struct wave *w, const char *scope, const struct item *i, const unsigned char *const *base) {
  char name[ITEM_NAME];
  if (i->n && !i->array) wave_add_part(w, scope, i->name, item_bits(i), (struct shown){i, base, PART_FLAT, 0, 0, NULL});
  for (unsigned n = 0; n < item_count(i); n++)
    wave_add_part(w, scope, item_name_as(i, n, "_%u", name), i->width,
                  (struct shown){i, base, PART_ELEMENT, n, 0, NULL});
}

/* Of a wide port, the words that differ also stand alone: c.out_data_o_w5 is c.out_data_o[191:160]. */
static void part_name(const struct field *p, char name[static ITEM_NAME]) {
  item_name_as(p->item, p->element, "_%u", name);
  const size_t n = strlen(name);
  if (p->item->width > 64) snprintf(name + n, ITEM_NAME - n, "_w%u", p->word);
}

static void wave_add_words(struct wave *w, const char *scope, const unsigned char *const *out,
                           const unsigned char *const *state) {
  for (unsigned k = 0; k < w->e->fields; k++) {
    const struct field *p = &w->e->field[k];
    char name[ITEM_NAME];
    if (p->item->width <= 64) continue;
    part_name(p, name);
    wave_add_part(
        w, scope, name, p->width,
        (struct shown){p->item, p->item->kind == ITEM_OUT ? out : state, PART_WORD, p->element, p->word, NULL});
  }
}

static void wave_add_scope(struct wave *w, const char *scope, const unsigned char *const *out,
                           const unsigned char *const *state) {
  const struct block_desc *d = w->e->d;
  for (unsigned k = 0; k < d->items; k++) {
    if (d->item[k].kind == ITEM_OUT) wave_add_item(w, scope, &d->item[k], out);
  }
  for (unsigned k = 0; k < d->items; k++) {
    if (d->item[k].kind == ITEM_STATE) wave_add_item(w, scope, &d->item[k], state);
  }
  wave_add_words(w, scope, out, state);
}

/* One side's value. */
static void wave_value(const struct shown *p, const unsigned char *base, uint32_t *value) {
  const struct item *i = p->item;
  if (p->part == PART_FLAT) item_pack(i, base, value);
  else if (p->part == PART_WORD) value[0] = item_words(i, base, p->element)[p->word];
  else
    for (unsigned n = 0; n < RT_WORDS(i->width); n++) value[n] = item_word(i, base, p->element, n);
}

/* The values of the present cycle. */
static void wave_fill(struct wave *w) {
  for (unsigned k = 0; k < w->list.n; k++) {
    const struct shown *p = &w->shown[k];
    if (!p->item) continue;
    wave_value(p, *p->base, p->value);
    if (strcmp(w->list.s[k].scope, "diff")) continue;
    const unsigned words = RT_WORDS(w->list.s[k].width);
    uint32_t *rtl = memory_checked(calloc(words, sizeof *rtl));
    wave_value(p, p->item->kind == ITEM_OUT ? w->r_out : w->r_state, rtl);
    for (unsigned n = 0; n < words; n++) p->value[n] ^= rtl[n];
    free(rtl);
  }
}

static bool wave_differs(const struct wave *w, enum item_kind kind, const unsigned char *c, const unsigned char *r) {
  const struct block_desc *d = w->e->d;
  for (unsigned k = 0; k < d->items; k++)
    if (d->item[k].kind == kind && memcmp(c + d->item[k].offset, r + d->item[k].offset, d->item[k].bytes)) return true;
  return false;
}

static void wave_declare(struct wave *w) {
  w->handle = memory_checked(calloc(w->list.n, sizeof *w->handle));
  for (unsigned k = 0; k < SCOPES; k++) {
    fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, scopes[k], NULL);
    for (unsigned i = 0; i < w->list.n; i++) {
      const struct wave_signal *s = &w->list.s[i];
      char name[112];
      if (strcmp(s->scope, scopes[k])) continue;
      snprintf(name, sizeof name, s->width > 1 ? "%s [%u:0]" : "%s", s->name, s->width - 1);
      w->handle[i] = fstWriterCreateVar(w->fst, FST_VT_SV_LOGIC, FST_VD_IMPLICIT, s->width, name, 0);
    }
    fstWriterSetUpscope(w->fst);
  }
}

struct wave *wave_open(struct engine *e, const char *path, bool internals) {
  struct wave *w = memory_checked(calloc(1, sizeof *w));
  const struct block_desc *d = e->d;
  w->e = e;
  w->path = memory_checked(strdup(path));
  w->internals = internals && e->rtl->trace_open;
  wave_add_signal(w, "bench", "clk", 1, &w->clk);
  wave_add_signal(w, "bench", "after_reset", 1, &w->rst);
  wave_add_signal(w, "bench", "differ", 1, &w->differ);
  wave_add_signal(w, "bench", "cycle", 64, &w->cycle);
  for (unsigned k = 0; k < d->items; k++) {
    if (d->item[k].kind == ITEM_IN) wave_add_item(w, "in", &d->item[k], &w->in);
  }
  wave_add_scope(w, "c", &w->c_out, &w->c_state);
  wave_add_scope(w, "rtl", &w->r_out, &w->r_state);
  wave_add_scope(w, "diff", &w->c_out, &w->c_state);
  if (w->internals) {
    e->rtl->trace_open(e->r, path, &w->list);
  } else {
    w->fst = fstWriterCreate(path, 1);
    if (!w->fst) die("%s: cannot be written", path);
    fstWriterSetTimescale(w->fst, -9);
    wave_declare(w);
  }
  return w;
}

static void wave_dump(struct wave *w, uint64_t time) {
  if (w->internals) {
    w->e->rtl->trace_dump(w->e->r, time);
    return;
  }
  fstWriterEmitTimeChange(w->fst, time);
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct wave_signal *s = &w->list.s[i];
    if (s->width <= 32) {
      fstWriterEmitValueChange32(w->fst, w->handle[i], s->width, s->value[0]);
    } else {
      fstWriterEmitValueChangeVec32(w->fst, w->handle[i], s->width, s->value);
    }
  }
}

void wave_cycle(struct wave *w, struct frame *f) {
  struct engine *e = w->e;
  w->in = frame_at(f, e->at_in);
  w->c_out = frame_at(f, e->at_out);
  w->c_state = frame_at(f, e->at_state);
  w->r_out = frame_at(f, f->sampled ? e->at_rout : e->at_out);
  w->r_state = frame_at(f, f->sampled ? e->at_rstate : e->at_state);
  wave_fill(w);
  w->cycle = f->cycle;
  w->rst = f->reset;
  w->differ = wave_differs(w, ITEM_OUT, w->c_out, w->r_out) || wave_differs(w, ITEM_STATE, w->c_state, w->r_state);
  w->clk = 1;
  wave_dump(w, 10 * f->cycle);
  w->clk = 0;
  wave_dump(w, 10 * f->cycle + 5);
}

/* ---- the save file ---- */
/* A row of a signal: shown is its name in the list, which also says the side; differences are red. */
static void save_row(FILE *f, const char *scope, const char *name, const char *shown, unsigned width, unsigned flags,
                     const char *names) {
  if (!strcmp(scope, "diff")) fputs("[color] 1\n", f);
  if (!strcmp(scope, "rtl")) fputs("[color] 3\n", f);
  if (names && strcmp(scope, "diff"))
    fprintf(f, "@%x\n^1 %s\n+{%s  %s} %s.%s", flags | 0x2000, names, shown, scope, scope, name);
  else fprintf(f, "@%x\n+{%s  %s} %s.%s", flags, shown, scope, scope, name);
  if (width > 1) fprintf(f, "[%u:0]", width - 1);
  fputc('\n', f);
}

/* The first elements of an item, in each of the scopes. */
static void wave_item_rows(FILE *f, const struct item *i, const char *const *scope, unsigned scopes,
                           const char *names) {
  for (unsigned n = 0; n < item_count(i) && n < SHOWN; n++) {
    char name[ITEM_NAME], shown[ITEM_NAME];
    item_name_as(i, n, "_%u", name);
    item_name(i, n, shown);
    for (unsigned k = 0; k < scopes; k++)
      save_row(f, scope[k], name, shown, i->width, i->width == 1 ? 0x28 : 0x22, names);
  }
}
static const char *const sides[] = {"c", "rtl", "diff"};

/* GTKWave reads the names of values from a file beside the waveform. NULL: this item's values have none. */
static const char *names_file(const struct wave *w, const struct item *i, char path[static 600]) {
  if (i[1].kind != ITEM_ENUM) return NULL;
  char *full = realpath(w->path, NULL);
  snprintf(path, 600, "%s.%s.names", full ? full : w->path, i->name);
  free(full);
  FILE *f = fopen(path, "w");
  if (!f) die("%s: cannot be written", path);
  for (uint64_t v = 0; v < 256 && (i->width > 8 || v < UINT64_C(1) << i->width); v++) {
    char name[ENUM_NAME];
    if (enum_name(i, v, name)) fprintf(f, "%0*" PRIX64 " %s\n", (int)(i->width + 3) / 4, v, name);
  }
  fclose(f);
  return path;
}

static void save_twins(FILE *f, const struct wave *w, enum item_kind kind) {
  const struct block_desc *d = w->e->d;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if (i->kind != kind) continue;
    char path[600];
    const char *names = names_file(w, i, path);
    wave_item_rows(f, i, sides, 3, names);
  }
}

/* Whatever differs, of any kind and width, each with all its digits. */
static void save_fields(FILE *f, const struct wave *w, uint64_t cycle) {
  if (w->e->fields) fprintf(f, "@200\n-differ in cycle %" PRIu64 ": c, rtl, diff\n", cycle);
  for (unsigned k = 0; k < w->e->fields; k++) {
    const struct field *p = &w->e->field[k];
    unsigned flags = p->width == 1 ? 0x28 : 0x22;
    char name[ITEM_NAME], shown[ITEM_NAME], path[600];
    const char *names = names_file(w, p->item, path);
    part_name(p, name);
    item_name(p->item, p->element, shown);
    for (unsigned s = 0; s < 3; s++)
      save_row(f, sides[s], name, p->item->n && p->item->width <= 64 ? shown : name, p->width, flags, names);
  }
  if (w->e->differ > w->e->fields) fprintf(f, "@200\n-%u more values differ\n", w->e->differ - w->e->fields);
}

static bool wave_is_declared(const struct block_desc *d, const char *name, size_t n) {
  if (n == 5 && !strncmp(name, "clk_i", n)) return true;
  if (n == 6 && !strncmp(name, "rst_ni", n)) return true;
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    if ((i->kind == ITEM_IN || i->kind == ITEM_OUT || i->kind == ITEM_STATE) && !strncmp(i->name, name, n) &&
        !i->name[n])
      return true;
  }
  return false;
}

static size_t name_stem(const char *name, size_t n) { return n > 2 && name[n - 2] == '_' ? n - 2 : n; }
/* The item whose values have names and that the RTL's signal carries: state_d has those of state_q, mode_q those of mode_o. */
static const struct item *item_carried_by(const struct block_desc *d, const char *name, size_t n, unsigned width) {
  for (unsigned k = 0; k + 1 < d->items; k++) {
    const struct item *i = &d->item[k];
    const size_t long_name = strlen(i->name), of_item = name_stem(i->name, long_name);
    if (i[1].kind == ITEM_ENUM && i->width == width && of_item == name_stem(name, n) &&
        !strncmp(i->name, name, of_item))
      return i;
  }
  return NULL;
}

/* ---- the RTL's inner signals ---- */
/* Their groups in the save file, in this order: what a failed assertion names; the module's own; those of its generate blocks and
   instances; parameters. */
enum inner { INNER_ASSERTED, INNER_MODULE, INNER_BELOW, INNER_PARAMETERS, INNER_GROUPS, INNER_NONE };
enum { INNER_MOST = 400 /* rows */, HEADING_MOST = 32 /* letters, if it has a scope whose middle can be left out */ };

struct inner_signals {
  const struct wave *w;
  char module[200];    /* scope of the module in the file */
  char instance[260];  /* scope of the failed assertion, or empty */
  char assertion[400]; /* its text, or empty */
  char heading[300];   /* last one that was written */
  unsigned rows;
};

static struct inner_signals inner_signals_of(const struct engine *e) {
  struct inner_signals s = {0};
  snprintf(s.module, sizeof s.module, "%.90s.%.90s", e->d->name, e->d->name);
  if (e->outcome != RUN_ASSERT) return s;
  snprintf(s.instance, sizeof s.instance, "%.90s.%.160s", e->d->name, e->asserted.scope);
  assertion_text(&e->asserted, s.assertion, sizeof s.assertion);
  return s;
}

/* True if a scope is the other one or lies in it. */
static bool scope_within(const char *scope, const char *outer) {
  const size_t n = strlen(outer);
  return n && !strncmp(scope, outer, n) && (!scope[n] || scope[n] == '.');
}

/* True if an index in a scope is beyond those that are shown. */
static bool index_beyond(const char *name) {
  for (; (name = strchr(name, '[')); name++)
    if (strtoul(name + 1, NULL, 10) >= SHOWN) return true;
  return false;
}

static bool text_names(const char *text, const char *name, size_t n) {
  for (const char *p = text; (p = strstr(p, name)); p++) {
    const char before = p > text ? p[-1] : ' ', after = p[n];
    if (!isalnum((unsigned char)before) && before != '_' && before != '.' && !isalnum((unsigned char)after) &&
        after != '_')
      return true;
  }
  return false;
}

/* The group of a signal; INNER_NONE: it is not shown. What only assertions use begins with f_. */
static enum inner inner_group(const struct inner_signals *s, const struct block_desc *d, const char *in,
                              const struct fstHierVar *v) {
  char stem[200];
  const size_t n = strcspn(v->name, " [");
  const bool own = !strcmp(in, s->module);
  const bool at_assertion = s->instance[0] && (scope_within(in, s->instance) || scope_within(s->instance, in));
  snprintf(stem, sizeof stem, "%.*s", (int)n, v->name);
  if (!scope_within(in, s->module) || n >= sizeof stem) return INNER_NONE;
  if (strstr(in, ".unnamedblk")) return INNER_NONE; /* variables of loops, in a block that Verilator names */
  if (index_beyond(in + strlen(s->module)) || (v->name[n] == '[' && strtoul(v->name + n + 1, NULL, 10) >= SHOWN))
    return INNER_NONE;
  if (own && wave_is_declared(d, v->name, n)) return INNER_NONE;
  if (!strncmp(stem, "unused", 6) || !strcmp(stem, "clk_i") || !strcmp(stem, "rst_ni")) return INNER_NONE;
  if (v->typ == FST_VT_VCD_PARAMETER) return strncmp(stem, "f_", 2) ? INNER_PARAMETERS : INNER_NONE;
  if (at_assertion && text_names(s->assertion, stem, strlen(stem))) return INNER_ASSERTED;
  if (!strncmp(stem, "f_", 2) && !at_assertion) return INNER_NONE;
  return own ? INNER_MODULE : INNER_BELOW;
}

/* Writes a heading of inner signals. Of a long scope the middle is left out: GTKWave makes all names as wide as the longest one, and a
 * wide column of names hides values and waves. */
static void save_heading(FILE *f, const char *heading) {
  const char *dot = strchr(heading, '.'), *tail = heading + strlen(heading);
  if (!dot || tail - heading <= HEADING_MOST) {
    fprintf(f, "@200\n-%s\n", heading);
    return;
  }
  const ptrdiff_t room = HEADING_MOST - 2 - (dot - heading);
  const char *last = strrchr(heading, '.');
  for (const char *p = last; p > dot; p--)
    if (*p == '.' && tail - p <= room) last = p;
  fprintf(f, "@200\n-%.*s..%s\n", (int)(dot - heading), heading, last);
}

static void save_inner_row(FILE *f, struct inner_signals *s, enum inner group, const char *in,
                           const struct fstHierVar *v) {
  char heading[300], names[600];
  if (s->rows == INNER_MOST) return;
  if (group == INNER_BELOW) snprintf(heading, sizeof heading, "in %.250s", in + strlen(s->module) + 1);
  else
    snprintf(heading, sizeof heading, "%s",
             group == INNER_ASSERTED     ? "named by the assertion that failed"
             : group == INNER_PARAMETERS ? "parameters of the RTL"
                                         : "inner signals of the RTL");
  if (strcmp(heading, s->heading)) save_heading(f, heading);
  snprintf(s->heading, sizeof s->heading, "%s", heading);
  const struct item *i = item_carried_by(s->w->e->d, v->name, strcspn(v->name, " ["), v->length);
  const unsigned flags = v->length == 1 ? 0x28 : 0x22;
  if (i) fprintf(f, "@%x\n^1 %s\n%s.", flags | 0x2000, names_file(s->w, i, names), in);
  else fprintf(f, "@%x\n%s.", flags, in);
  for (const char *name = v->name; *name; name++)
    if (*name != ' ') fputc(*name, f);
  fputc('\n', f);
  if (++s->rows == INNER_MOST) fputs("@200\n-more of them are in the file\n", f);
}

/* The scope of the next signal in the file's hierarchy, and the signal; NULL at the end. */
static const struct fstHierVar *inner_next(void *reader, const char **in) {
  for (struct fstHier *h; (h = fstReaderIterateHier(reader));) {
    if (h->htyp == FST_HT_SCOPE) fstReaderPushScope(reader, h->u.scope.name, NULL);
    if (h->htyp == FST_HT_UPSCOPE) fstReaderPopScope(reader);
    if (h->htyp != FST_HT_VAR) continue;
    *in = fstReaderGetCurrentFlatScope(reader);
    return (const struct fstHierVar *)&h->u.var;
  }
  return NULL;
}

static void save_inner_signals(FILE *f, const struct wave *w) {
  struct inner_signals s = inner_signals_of(w->e);
  s.w = w;
  void *r = fstReaderOpen(w->path);
  if (!r) return;
  for (enum inner group = 0; group < INNER_GROUPS; group++) {
    const char *in;
    fstReaderIterateHierRewind(r);
    fstReaderResetScope(r);
    for (const struct fstHierVar *v; (v = inner_next(r, &in));)
      if (inner_group(&s, w->e->d, in, v) == group) save_inner_row(f, &s, group, in, v);
  }
  fstReaderClose(r);
}

/* Bits as the file has them, '0', '1' or another letter, as a hexadecimal number. */
static void bits_text(const char *bits, char value[static 80]) {
  const size_t n = strlen(bits);
  size_t to = 0;
  for (size_t k = 0; k < n && to < 79;) {
    unsigned digit = 0;
    bool known = true;
    do {
      known = known && (bits[k] == '0' || bits[k] == '1');
      digit = 2 * digit + (bits[k] == '1');
    } while ((n - ++k) % 4);
    if (to || digit || !known || k == n) value[to++] = known ? "0123456789abcdef"[digit] : 'x';
  }
  value[to] = 0;
}

void wave_asserted_values(const struct engine *e, const char *path, char *text, size_t room) {
  const struct inner_signals s = inner_signals_of(e);
  text[0] = 0;
  void *r = s.assertion[0] ? fstReaderOpen(path) : NULL;
  if (!r) return;
  const char *in;
  for (const struct fstHierVar *v; (v = inner_next(r, &in));) {
    char bits[300], value[80], number[96];
    const size_t n = strlen(text);
    if (v->length > 256 || inner_group(&s, e->d, in, v) != INNER_ASSERTED) continue;
    if (!fstReaderGetValueFromHandleAtTime(r, 10 * e->bad_cycle, v->handle, bits)) continue;
    bits_text(bits, value);
    if (strchr(value, 'x') || strlen(value) > 8) snprintf(number, sizeof number, "0x%s", value);
    else explain_number(strtoull(value, NULL, 16), number);
    snprintf(text + n, room - n, "%s%.*s = %s", n ? ", " : "", (int)strcspn(v->name, " "), v->name, number);
  }
  fstReaderClose(r);
}

static void save_file(const struct wave *w, uint64_t from, uint64_t to, uint64_t marker, bool marked) {
  size_t n = strlen(w->path);
  char *path = memory_checked(malloc(n + 8)), *full = realpath(w->path, NULL);
  const struct block_desc *d = w->e->d;
  strcpy(path, w->path);
  if (n > 4 && !strcmp(path + n - 4, ".fst")) path[n - 4] = 0;
  strcat(path, ".gtkw");
  FILE *f = fopen(path, "w");
  if (!f) die("%s: cannot be written", path);
  uint64_t start = marked && marker > from + 6 ? marker - 6 : from; /* the marker is in view */
  (void)to;
  fprintf(f, "[*] RegTwin: %s\n[dumpfile] \"%s\"\n[timestart] %" PRIu64 "\n[size] 1600 900\n[pos] -1 -1\n", d->name,
          full ? full : w->path, 10 * start);
  /* a cycle is as wide as the 16 digits of 64 bits */
  fprintf(f, "*-4.000000 %" PRIu64, marked ? 10 * marker : 10 * from);
  for (unsigned k = 0; k < 26; k++) fputs(" -1", f);
  fputs("\n[sst_width] 120\n[signals_width] 380\n[sst_expanded] 0\n", f);
  save_row(f, "bench", "clk", "clk", 1, 0x28, NULL);
  save_row(f, "bench", "cycle", "cycle", 64, 0x24, NULL);
  save_row(f, "bench", "after_reset", "after_reset", 1, 0x28, NULL);
  save_row(f, "bench", "differ", "differ", 1, 0x28, NULL);
  save_fields(f, w, marker);
  if (w->internals && marked) save_inner_signals(f, w);
  fputs("@200\n-outputs: c, rtl, diff\n", f);
  save_twins(f, w, ITEM_OUT);
  fputs("@200\n-registers: c, rtl, diff\n", f);
  save_twins(f, w, ITEM_STATE);
  fputs("@200\n-inputs\n", f);
  for (unsigned k = 0; k < d->items; k++) {
    const struct item *i = &d->item[k];
    char names[600];
    if (i->kind == ITEM_IN) wave_item_rows(f, i, (const char *const[]){"in"}, 1, names_file(w, i, names));
  }
  if (w->internals && !marked) save_inner_signals(f, w);
  fclose(f);
  free(full);
  free(path);
}

void wave_close(struct wave *w, uint64_t from, uint64_t to, uint64_t marker, bool marked) {
  if (w->internals) {
    w->e->rtl->trace_close(w->e->r);
  } else {
    fstWriterEmitTimeChange(w->fst, 10 * (w->cycle + 1));
    fstWriterClose(w->fst);
  }
  save_file(w, from, to, marker, marked);
  for (unsigned i = 0; i < w->list.n; i++) free((char *)w->list.s[i].name), free(w->shown[i].value);
  free(w->list.s);
  free(w->shown);
  free(w->handle);
  free(w->path);
  free(w);
}

void wave_of_ring(struct engine *e, const char *path) {
  uint64_t from = e->bad_cycle > BEFORE ? e->bad_cycle - BEFORE : 0, to = from;
  struct wave *w = wave_open(e, path, false);
  bool any = false;
  for (uint64_t k = from; k <= e->bad_cycle + AFTER; k++) {
    struct frame *f = engine_frame(e, k);
    if (!f) continue;
    if (!any) from = k;
    any = true;
    to = k;
    wave_cycle(w, f);
  }
  wave_close(w, from, to, e->bad_cycle, true);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* opmap: see opmap.h. */
#include "trace/accelsim/opmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/io.h"
#include "compiler/ir/insn.h"
#include "compiler/ir/op.h"

enum { MOST_BYTES = 1 << 20, MOST_NAME = 64 };

static const struct {
  const char *name;
  uint8_t cls, space;
} classes[OC_COUNT] = {
#define OP_CLASS(name, text, cls, space) {text, CLS_##cls, SP_##space},
    OP_CLASSES
#undef OP_CLASS
};

uint8_t op_class_unit(enum op_class c) { return classes[c].cls; }
uint8_t op_class_space(enum op_class c) { return classes[c].space; }

struct entry {
  const char *name;
  uint32_t order; /* of two lines with one name the later one counts */
  uint8_t cls;    /* enum op_class */
};
struct opmap {
  struct entry *entry;
  uint32_t n, room;
  enum op_class unknown;
  struct arena names;
};

/* ---- a file ---- */

struct reader {
  const char *file, *text, *end, *line_start;
  int line;
  struct opmap *m;     /* what it says goes there; NULL: only its versions are looked at */
  bool versions, here; /* it has a line of versions; the one that is looked for is among them */
  unsigned version;
  struct err *e;
};

struct word {
  const char *at;
  size_t n;
};

static bool opmap_wrong(const struct reader *r, struct word w, const char *expected) {
  return err_at(r->e, r->file, r->line, (int)(w.at - r->line_start) + 1, "found '%.*s', expected %s",
                (int)(w.n < 80 ? w.n : 80), w.at, expected);
}

/* The next word of the line; n 0: there is none. */
static struct word opmap_next_word(const char **at, const char *end) {
  while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r')) ++*at;
  struct word w = {.at = *at};
  if (*at < end && **at == '#') *at = end;
  while (*at < end && **at != ' ' && **at != '\t' && **at != '\r' && **at != '#') ++*at;
  w.n = (size_t)(*at - w.at);
  if (w.n && w.at[0] == '#') w.n = 0;
  return w;
}

static bool word_is(struct word w, const char *text) { return w.n == strlen(text) && !memcmp(w.at, text, w.n); }

static bool opmap_class_of(struct word w, enum op_class *c) {
  for (unsigned k = 0; k < OC_COUNT; k++)
    if (word_is(w, classes[k].name)) {
      *c = (enum op_class)k;
      return true;
    }
  return false;
}

static bool opmap_read_versions(struct reader *r, const char *at, const char *end) {
  struct word w;
  r->versions = true;
  for (unsigned k = 0; (w = opmap_next_word(&at, end)).n || !k; k++) {
    unsigned v = 0;
    for (size_t i = 0; i < w.n; i++) {
      if (w.at[i] < '0' || w.at[i] > '9' || w.n > 4) return opmap_wrong(r, w, "a binary version, as 70");
      v = v * 10 + (unsigned)(w.at[i] - '0');
    }
    if (!w.n) return opmap_wrong(r, w, "binary versions, as 70 72");
    if (v == r->version) r->here = true;
  }
  return true;
}

static bool opmap_is_opcode_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool opmap_read_opcodes(struct reader *r, enum op_class c, const char *at, const char *end) {
  struct word w;
  for (unsigned k = 0; (w = opmap_next_word(&at, end)).n || !k; k++) {
    if (!w.n || w.n > MOST_NAME) return opmap_wrong(r, w, "opcodes of at most 64 characters behind the class");
    for (size_t i = 0; i < w.n; i++)
      if (!opmap_is_opcode_char(w.at[i])) return opmap_wrong(r, w, "an opcode of letters, digits, _ and .");
    struct opmap *m = r->m;
    if (m) VEC_PUSH(m->entry, m->n, m->room) = (struct entry){arena_strndup(&m->names, w.at, w.n), m->n, (uint8_t)c};
  }
  return true;
}

static bool opmap_read_line(struct reader *r, const char *end) {
  const char *at = r->line_start;
  const struct word w = opmap_next_word(&at, end);
  enum op_class c;
  if (!w.n) return true;
  if (word_is(w, "versions")) {
    return r->versions ? opmap_wrong(r, w, "one line of versions in a file") : opmap_read_versions(r, at, end);
  }
  if (word_is(w, "default")) {
    const struct word name = opmap_next_word(&at, end), more = opmap_next_word(&at, end);
    if (!opmap_class_of(name, &c) || op_class_memory(c) || op_class_unit(c) == CLS_CTRL)
      return opmap_wrong(r, name, "int, imul, sp, dp, sfu, div, tensor, lsu or nop");
    if (more.n) return opmap_wrong(r, more, "the end of the line");
    if (r->m) r->m->unknown = c;
    return true;
  }
  if (!opmap_class_of(w, &c))
    return opmap_wrong(r, w, "versions, default or a class of docs/use/accel-sim.md, as load-global");
  return opmap_read_opcodes(r, c, at, end);
}

static bool opmap_read_text(struct reader *r) {
  const char *at = r->text;
  for (r->line = 1; at < r->end; r->line++) {
    const char *end = memchr(at, '\n', (size_t)(r->end - at));
    if (!end) end = r->end;
    r->line_start = at;
    if (!opmap_read_line(r, end)) return false;
    at = end + 1;
  }
  return true;
}

/* ---- lookups ---- */

static int opmap_by_name(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  const int k = strcmp(x->name, y->name);
  return k ? k : x->order < y->order ? -1 : 1;
}

static void opmap_sort(struct opmap *m) {
  uint32_t n = 0;
  if (m->n) qsort(m->entry, m->n, sizeof *m->entry, opmap_by_name);
  for (uint32_t k = 0; k < m->n; k++) {
    if (n && !strcmp(m->entry[n - 1].name, m->entry[k].name)) n--;
    m->entry[n++] = m->entry[k];
  }
  m->n = n;
}

static int opmap_compare_name(const void *key, const void *item) {
  return strcmp(key, ((const struct entry *)item)->name);
}

bool opmap_find(const struct opmap *m, const char *opcode, enum op_class *c) {
  char name[MOST_NAME + 1];
  size_t n = strlen(opcode);
  if (n > MOST_NAME) n = MOST_NAME;
  memcpy(name, opcode, n);
  for (name[n] = 0;; *strrchr(name, '.') = 0) {
    const struct entry *e = m->n ? bsearch(name, m->entry, m->n, sizeof *m->entry, opmap_compare_name) : NULL;
    if (e) {
      *c = (enum op_class)e->cls;
      return true;
    }
    if (!strchr(name, '.')) break;
  }
  *c = m->unknown;
  return false;
}

/* ---- maps ---- */

struct opmap *opmap_text(const char *file, const char *text, size_t n, struct err *e) {
  struct reader r = {.file = file, .text = text, .end = text + n, .m = xcalloc(1, sizeof *r.m), .e = e};
  r.m->unknown = OC_INT;
  if (!opmap_read_text(&r)) {
    opmap_free(r.m);
    return NULL;
  }
  opmap_sort(r.m);
  return r.m;
}

/* Adds a file that is for `version`. *found: it was. */
static bool opmap_add_file(struct opmap *m, unsigned version, const char *file, const char *text, size_t n, bool *found,
                           struct err *e) {
  struct reader r = {.file = file, .text = text, .end = text + n, .version = version, .e = e};
  if (!opmap_read_text(&r)) return false;
  if (r.versions && !r.here) return true;
  r.m = m;
  r.versions = false;
  *found = true;
  return opmap_read_text(&r);
}

static void opmap_known_versions(char *buf, size_t size) {
  size_t at = 0;
  for (const struct opmap_file *f = opmap_builtin; f->name; f++) {
    const char *v = strstr(f->text, "\nversions "), *end = v ? strchr(v + 1, '\n') : NULL;
    if (v && at < size)
      at += (size_t)snprintf(buf + at, size - at, "%s%.*s", at ? " " : "", (int)(end - v - 10), v + 10);
  }
}

struct opmap *opmap_open(unsigned version, const char *user, struct err *e) {
  struct opmap *m = xcalloc(1, sizeof *m);
  bool found = false, ok = true;
  m->unknown = OC_INT;
  for (const struct opmap_file *f = opmap_builtin; f->name && ok; f++)
    ok = opmap_add_file(m, version, f->name, f->text, strlen(f->text), &found, e);
  if (ok && user) {
    char why[IO_WHY], *text;
    size_t n;
    if (!(text = input_read(user, MOST_BYTES, &n, why)))
      ok = err_at(e, user, 0, 0, "cannot be read as an opcode map: %s", why);
    else ok = opmap_add_file(m, version, user, text, n, &found, e);
    free(text);
  }
  if (ok && !found) {
    char known[256] = "";
    opmap_known_versions(known, sizeof known);
    ok = err_at(e, NULL, 0, 0, "found binary version %u, expected one of %s, or an opcode map that has it (--opcodes)",
                version, known);
  }
  if (!ok) {
    opmap_free(m);
    return NULL;
  }
  opmap_sort(m);
  return m;
}

const char *opmap_user(void) {
  const char *file = getenv("REGTWIN_OPCODES");
  return file && file[0] ? file : NULL;
}

void opmap_free(struct opmap *m) {
  if (!m) return;
  arena_free(&m->names);
  free(m->entry);
  free(m);
}

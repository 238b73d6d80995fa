/* SPDX-License-Identifier: Apache-2.0 */
/* reuse_file: the file of a profile of reuse distances; see reuse.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "lab/run/reuse.h"
#include "lab/run/trace.h"
#include "lab/run/widths.h"

enum { WORD = 256, DIGITS = 18 };

void reuse_write(const struct reuse_profile *p, FILE *f) {
  fprintf(f, "regtwin-reuse 1 ptx %016" PRIx64 " near %" PRIu32 " entries %" PRIu32 "\n", p->hash, p->near, p->n);
  for (uint32_t i = 0; i < p->n; i++) {
    const struct reuse_entry *x = &p->entry[i];
    fprintf(f, "entry %s instructions %" PRIu32 " code %016" PRIx64 "\n", x->name, x->n, x->code);
    for (uint32_t at = 0; at < x->n; at++) {
      fprintf(f, "%" PRIu32, 8 * at);
      for (unsigned k = 0; k < REUSE_OPERANDS; k++)
        if (x->insn[at].has >> reuse_bit(k) & 1)
          fprintf(f, " %" PRIu64 "/%" PRIu64, x->insn[at].count.near[k], x->insn[at].count.far[k]);
        else fputs(" -", f);
      putc('\n', f);
    }
  }
}

/* ---- reading ---- */
struct reader {
  struct reuse_profile *p;
  struct err *e;
  const char *at, *end, *line_at;
  int line;
  char word[WORD]; /* the last one, and where it stands */
  int col;
};

static bool reuse_bad(const struct reader *r, const char *expected) {
  return err_at(r->e, r->p->file, r->line, r->col, "found '%.40s', expected %s", r->word, expected);
}

/* At the next character: what stands there is not what is expected. */
static bool reuse_unexpected(const struct reader *r, const char *expected) {
  const int col = (int)(r->at - r->line_at) + 1;
  const char *p = r->at;
  if (p == r->end) return err_at(r->e, r->p->file, r->line, col, "found the end of the file, expected %s", expected);
  if (*p == '\n') return err_at(r->e, r->p->file, r->line, col, "found the end of the line, expected %s", expected);
  if (*p == ' ') return err_at(r->e, r->p->file, r->line, col, "found a blank, expected %s", expected);
  return err_at(r->e, r->p->file, r->line, col, "found character 0x%02x, expected %s", (unsigned)(unsigned char)*p,
                expected);
}

static bool reuse_read_word(struct reader *r, const char *expected) {
  size_t n = 0;
  if (r->at != r->line_at) {
    if (r->at == r->end || *r->at != ' ') return reuse_unexpected(r, expected);
    r->at++;
  }
  r->col = (int)(r->at - r->line_at) + 1;
  while (r->at + n < r->end && r->at[n] > ' ' && r->at[n] < 127 && n < WORD - 1) n++;
  memcpy(r->word, r->at, n);
  r->word[n] = 0;
  if (!n) return reuse_unexpected(r, expected);
  r->at += n;
  return true;
}

static bool reuse_expect_word(struct reader *r, const char *which) {
  char expected[64];
  snprintf(expected, sizeof expected, "'%s'", which);
  return reuse_read_word(r, expected) && (!strcmp(r->word, which) || reuse_bad(r, expected));
}

static bool reuse_expect_line_end(struct reader *r) {
  if (r->at == r->end || *r->at != '\n') return reuse_unexpected(r, "the end of the line");
  r->line_at = ++r->at;
  r->line++;
  return true;
}

/* Decimal digits at s, none too many, no zero in front; the first behind them. NULL: there are none. */
static const char *reuse_read_digits(const char *s, uint64_t *out) {
  unsigned n = 0;
  for (*out = 0; s[n] >= '0' && s[n] <= '9'; n++) {
    if (n == DIGITS) return NULL;
    *out = *out * 10 + (uint64_t)(s[n] - '0');
  }
  return n && (n == 1 || s[0] != '0') ? s + n : NULL;
}

static bool reuse_read_number(struct reader *r, const char *expected, uint64_t most, uint64_t *out) {
  if (!reuse_read_word(r, expected)) return false;
  const char *end = reuse_read_digits(r->word, out);
  return (end && !*end && *out <= most) || reuse_bad(r, expected);
}

static bool reuse_read_hash(struct reader *r, uint64_t *out, int *col) {
  static const char expected[] = "a hash of 16 hexadecimal digits";
  if (!reuse_read_word(r, expected)) return false;
  if (strlen(r->word) != 16 || strspn(r->word, "0123456789abcdef") != 16) return reuse_bad(r, expected);
  *out = strtoull(r->word, NULL, 16);
  *col = r->col;
  return true;
}

/* "12/0", or "-": the instruction does not have this operand. */
static bool reuse_read_counts(struct reader *r, struct reuse_insn *i, unsigned operand) {
  static const char expected[] = "counts of near and far reuses as 12/0 (at most 18 digits), or -";
  if (!reuse_read_word(r, expected)) return false;
  if (!strcmp(r->word, "-")) return true;
  const char *s = reuse_read_digits(r->word, &i->count.near[operand]);
  if (s && *s == '/') s = reuse_read_digits(s + 1, &i->count.far[operand]);
  else s = NULL;
  i->has |= (uint16_t)(1u << reuse_bit(operand));
  return (s && !*s) || reuse_bad(r, expected);
}

static bool reuse_read_instruction(struct reader *r, struct reuse_entry *x) {
  uint64_t pc = 0;
  char expected[40];
  struct reuse_insn i = {.has = 0};
  snprintf(expected, sizeof expected, "pc %" PRIu32, 8 * x->n);
  if (!reuse_read_number(r, expected, UINT32_MAX, &pc)) return false;
  if (pc != 8 * x->n) return reuse_bad(r, expected);
  for (unsigned k = 0; k < REUSE_OPERANDS; k++)
    if (!reuse_read_counts(r, &i, k)) return false;
  if (!reuse_expect_line_end(r)) return false;
  VEC_PUSH(x->insn, x->n, x->cap) = i;
  return true;
}

static bool reuse_read_entry(struct reader *r) {
  struct reuse_profile *p = r->p;
  struct reuse_entry *x = &VEC_PUSH(p->entry, p->n, p->cap);
  uint64_t n = 0;
  *x = (struct reuse_entry){.line = r->line};
  if (!reuse_expect_word(r, "entry") || !reuse_read_word(r, "the name of an .entry")) return false;
  x->name = arena_strndup(&p->arena, r->word, strlen(r->word));
  x->name_col = r->col;
  for (uint32_t i = 0; i + 1 < p->n; i++)
    if (!strcmp(p->entry[i].name, x->name)) return reuse_bad(r, "each entry once");
  if (!reuse_expect_word(r, "instructions") ||
      !reuse_read_number(r, "a number of instructions from 1 to 1048576", 1 << 20, &n))
    return false;
  if (!n) return reuse_bad(r, "a number of instructions from 1 to 1048576");
  if (!reuse_expect_word(r, "code") || !reuse_read_hash(r, &x->code, &x->code_col) || !reuse_expect_line_end(r))
    return false;
  while (x->n < n)
    if (!reuse_read_instruction(r, x)) return false;
  return true;
}

static bool reuse_read_head(struct reader *r, uint64_t *entries) {
  struct reuse_profile *p = r->p;
  uint64_t near = 0;
  static const char threshold[] = "a distance from 1 to 63", some[] = "a number of entries from 1 to 65536";
  if (!reuse_expect_word(r, "regtwin-reuse") || !reuse_expect_word(r, "1") || !reuse_expect_word(r, "ptx"))
    return false;
  if (!reuse_read_hash(r, &p->hash, &p->hash_col) || !reuse_expect_word(r, "near") ||
      !reuse_read_number(r, threshold, REUSE_BINS - 1, &near))
    return false;
  if (!near) return reuse_bad(r, threshold);
  p->near = (uint32_t)near;
  p->near_col = r->col;
  if (!reuse_expect_word(r, "entries") || !reuse_read_number(r, some, 65536, entries)) return false;
  return (*entries || reuse_bad(r, some)) && reuse_expect_line_end(r);
}

bool reuse_text(struct reuse_profile *p, const char *file, const char *text, size_t n, struct err *e) {
  uint64_t entries = 0;
  *p = (struct reuse_profile){0};
  p->file = arena_strndup(&p->arena, file, strlen(file));
  struct reader r = {.p = p, .e = e, .at = text, .end = text + n, .line_at = text, .line = 1, .col = 1};
  if (!reuse_read_head(&r, &entries)) return false;
  while (p->n < entries)
    if (!reuse_read_entry(&r)) return false;
  return r.at == r.end || reuse_unexpected(&r, "the end of the file");
}

/* ---- is it of this program? ---- */
static bool reuse_fits_code(const struct reuse_profile *p, const struct reuse_entry *x, const struct code *c,
                            struct err *e) {
  const uint64_t code = reuse_code_hash(c);
  if (x->code != code || x->n != c->n)
    return err_at(e, p->file, x->line, x->code_col,
                  "found the profile of other code of entry '%.100s' (hash %016" PRIx64 "), expected hash %016" PRIx64
                  ": its registers or instructions are others (keys compile.*, regs of the launch file)",
                  x->name, x->code, code);
  for (uint32_t i = 0; i < c->n; i++)
    if (x->insn[i].has != reuse_mask(&c->op[i]))
      return err_at(e, p->file, x->line + 1 + (int)i, 1,
                    "found counts of %d operands, expected those of the %d sources and %d destinations of pc %" PRIu32,
                    bit_count32(x->insn[i].has), c->op[i].nsrc, c->op[i].ndst, 8 * i);
  return true;
}

static const struct reuse_entry *reuse_find_entry(const struct reuse_profile *p, const char *name) {
  for (uint32_t i = 0; i < p->n; i++)
    if (!strcmp(p->entry[i].name, name)) return &p->entry[i];
  return NULL;
}

static bool reuse_fits(const struct reuse_profile *p, const struct workload *w, uint32_t near, struct err *e) {
  uint64_t ptx;
  const char *name;
  if (!widths_hash(w->module, &ptx, e)) return false;
  if (p->hash != ptx)
    return err_at(e, p->file, 1, p->hash_col,
                  "found the profile of another PTX (hash %016" PRIx64 "), expected hash %016" PRIx64
                  ", that of %.200s; 'regtwin analyze KERNEL --reuse --write-profile FILE' makes it",
                  p->hash, ptx, w->module->file);
  if (p->near != near)
    return err_at(e, p->file, 1, p->near_col,
                  "found a profile in which distances up to %" PRIu32 " are near, expected %" PRIu32
                  " as the configuration says",
                  p->near, near);
  for (uint32_t i = 0; i < p->n; i++) {
    const struct code *c = module_kernel(w->module, p->entry[i].name);
    if (!c || !c->op)
      return err_at(e, p->file, p->entry[i].line, p->entry[i].name_col,
                    "found entry '%.100s', expected one that %.200s launches", p->entry[i].name, w->path);
    if (!reuse_fits_code(p, &p->entry[i], c, e)) return false;
  }
  for (unsigned i = 0; (name = workload_kernel(w, i)); i++)
    if (!reuse_find_entry(p, name))
      return err_at(e, p->file, 1, 1, "found no entry '%.100s', expected one: %.200s launches it", name, w->path);
  return true;
}

bool reuse_read(struct reuse_profile *p, const char *path, const struct workload *w, uint32_t near, struct err *e) {
  char why[IO_WHY];
  size_t n;
  *p = (struct reuse_profile){0};
  char *text = input_read(path, REUSE_FILE, &n, why);
  if (!text)
    return err_at(e, path, 0, 0,
                  "cannot read: %s; expected a profile of reuse distances, as 'regtwin analyze --reuse' writes it",
                  why);
  const bool ok = reuse_text(p, path, text, n, e) && reuse_fits(p, w, near, e);
  free(text);
  return ok;
}

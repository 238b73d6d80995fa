/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex: tokens of launch files, their places, and the table of names. The text need not end in 0 and may hold
 * any bytes. One token of look-ahead; `nest` must be changed before the token behind the bracket is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "launch/script.h"

static int script_char_at(const struct parser *p, size_t k) {
  return (size_t)(p->end - p->p) > k ? (unsigned char)p->p[k] : -1;
}

static bool script_is_blank(int c) { return c == ' ' || c == '\t' || c == '\r'; }

static void new_line(struct parser *p) {
  p->p++;
  p->line++;
  p->bol = p->p;
}

/* White space, comments, `\` before a line's end; newlines too inside brackets. */
static bool script_skip_space(struct parser *p) {
  const char *from = p->p;
  for (;;) {
    int c = script_char_at(p, 0);
    if (script_is_blank(c)) p->p++;
    else if (c == '\n' && p->nest > 0) new_line(p);
    else if (c == '#') {
      while (p->p < p->end && *p->p != '\n') p->p++;
    } else if (c == '\\' &&
               (script_char_at(p, 1) == '\n' || (script_char_at(p, 1) == '\r' && script_char_at(p, 2) == '\n'))) {
      while (*p->p != '\n') p->p++;
      new_line(p);
    } else break;
  }
  return p->p != from || p->p == p->text;
}

static bool script_bad_token(struct parser *p, const char *what) {
  p->t.kind = K_BAD;
  return err_at(p->e, p->file, p->t.line, p->t.col, "%s", what);
}

/* The text of a token for a message: printable, cut short. */
static void script_quote(const char *s, size_t n, char *out, size_t room) {
  size_t k = 0;
  bool cut = n > 40;
  if (cut) n = 37;
  for (size_t i = 0; i < n && k + 8 < room; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c >= 32 && c < 127) out[k++] = (char)c;
    else k += (size_t)snprintf(out + k, room - k, "\\x%02x", c);
  }
  snprintf(out + k, room - k, "%s", cut ? "..." : "");
}

static void script_read_number(struct parser *p) {
  const char *s = p->p;
  bool flt = false, hex = script_char_at(p, 0) == '0' && (script_char_at(p, 1) == 'x' || script_char_at(p, 1) == 'X') &&
                          char_hex_value(script_char_at(p, 2)) >= 0;
  if (hex) {
    p->p += 2;
    while (char_hex_value(script_char_at(p, 0)) >= 0) p->p++;
  } else {
    while (char_is_digit(script_char_at(p, 0))) p->p++;
    if (script_char_at(p, 0) == '.') {
      flt = true;
      p->p++;
      while (char_is_digit(script_char_at(p, 0))) p->p++;
    }
    size_t sign = script_char_at(p, 1) == '+' || script_char_at(p, 1) == '-';
    if ((script_char_at(p, 0) == 'e' || script_char_at(p, 0) == 'E') && char_is_digit(script_char_at(p, 1 + sign))) {
      flt = true;
      p->p += 1 + sign;
      while (char_is_digit(script_char_at(p, 0))) p->p++;
    }
  }
  size_t n = (size_t)(p->p - s);
  bool zeros = n > 1 && !hex && s[0] == '0' && char_is_digit(s[1]);
  if (zeros || char_is_in_name(script_char_at(p, 0)) || script_char_at(p, 0) == '.') {
    while (char_is_in_name(script_char_at(p, 0)) || script_char_at(p, 0) == '.') p->p++;
    char q[200];
    script_quote(s, (size_t)(p->p - s), q, sizeof q);
    p->t.kind = K_BAD;
    err_at(p->e, p->file, p->t.line, p->t.col, "found '%s', expected a number%s", q,
           zeros ? " without zeros in front" : "");
    return;
  }
  if (!flt) {
    uint64_t v = 0;
    for (size_t k = hex ? 2 : 0; k < n; k++) {
      unsigned d = (unsigned)char_hex_value((unsigned char)s[k]), base = hex ? 16 : 10;
      if (v > (UINT64_MAX - d) / base) {
        script_bad_token(p, "found an integer that does not fit in 64 bits, expected at most 18446744073709551615");
        return;
      }
      v = v * base + d;
    }
    p->t.kind = K_INT;
    p->t.i = v;
    return;
  }
  char buf[400];
  if (n >= sizeof buf) {
    script_bad_token(p, "found a number of more than 399 characters, expected a shorter one");
    return;
  }
  memcpy(buf, s, n);
  buf[n] = 0;
  p->t.f = strtod(buf, NULL);
  bool zero = p->t.f == 0 && strspn(buf, "0.") < strcspn(buf, "eE");
  if (p->t.f - p->t.f != 0 || zero) {
    script_bad_token(p, zero ? "found a number so small that a double is 0, expected 0 or one from 4.95e-324 on"
                             : "found a number beyond what a double holds, expected one up to 1.79e308, or inf");
    return;
  }
  p->t.kind = K_FLOAT;
}

static void script_read_string(struct parser *p) {
  p->p++;
  const char *s = p->p;
  while (p->p < p->end && *p->p != '"' && *p->p != '\n') p->p++;
  if (script_char_at(p, 0) != '"') {
    script_bad_token(p, "found a string without its end, expected '\"' on the same line");
    return;
  }
  p->t.kind = K_STRING;
  p->t.s = s;
  p->t.n = (size_t)(p->p - s);
  p->p++;
}

static void script_read_punctuation(struct parser *p) {
  static const struct {
    char s[3];
    int kind;
  } two[] = {
      {"<<", K_SHL}, {">>", K_SHR}, {"<=", K_LE}, {">=", K_GE}, {"==", K_EQ}, {"!=", K_NE}, {"&&", K_AND}, {"||", K_OR},
  };
  for (size_t k = 0; k < sizeof two / sizeof *two; k++)
    if (script_char_at(p, 0) == two[k].s[0] && script_char_at(p, 1) == two[k].s[1]) {
      p->p += 2;
      p->t.kind = two[k].kind;
      return;
    }
  int c = script_char_at(p, 0);
  if (c > 0 && strchr("+-*/%&|^~!<>=?:,;()[]{}", c)) {
    p->p++;
    p->t.kind = c;
    return;
  }
  char q[32], one = (char)c;
  script_quote(&one, 1, q, sizeof q);
  p->p++;
  p->t.kind = K_BAD;
  err_at(p->e, p->file, p->t.line, p->t.col, "found the character '%s', expected a statement or an expression", q);
}

void script_next(struct parser *p) {
  bool before = script_skip_space(p);
  p->t = (struct token){.line = p->line, .col = (int)(p->p - p->bol) + 1, .s = p->p, .before = before};
  int c = script_char_at(p, 0);
  if (c < 0) {
    p->t.kind = K_EOF;
    return;
  }
  if (c == '\n') {
    p->t.kind = K_NEWLINE;
    p->t.n = 1;
    new_line(p);
    return;
  }
  if (char_begins_name(c)) {
    while (char_is_in_name(script_char_at(p, 0))) p->p++;
    p->t.kind = K_NAME;
  } else if (char_is_digit(c) || (c == '.' && char_is_digit(script_char_at(p, 1)))) {
    script_read_number(p);
  } else if (c == '"') {
    script_read_string(p);
  } else {
    script_read_punctuation(p);
  }
  if (p->t.kind != K_STRING) p->t.n = (size_t)(p->p - p->t.s);
  int next = script_char_at(p, 0);
  p->t.after = next < 0 || script_is_blank(next) || next == '\n' || next == '#';
}

void script_lex_begin(struct parser *p) {
  p->p = p->text;
  p->line = 1;
  p->bol = p->text;
  if (p->end - p->p >= 3 && !memcmp(p->p, "\xef\xbb\xbf", 3)) p->bol = p->p += 3;
  script_next(p);
}

bool script_is(const struct parser *p, const char *word) {
  return p->t.kind == K_NAME && strlen(word) == p->t.n && !memcmp(word, p->t.s, p->t.n);
}

bool script_found(struct parser *p, const char *expected) {
  char q[200];
  script_quote(p->t.s, p->t.n, q, sizeof q);
  const char *f = p->file;
  int line = p->t.line, col = p->t.col;
  switch (p->t.kind) {
    case K_EOF: return err_at(p->e, f, line, col, "found the end of the file, expected %s", expected);
    case K_NEWLINE: return err_at(p->e, f, line, col, "found the end of the line, expected %s", expected);
    case K_STRING: return err_at(p->e, f, line, col, "found the string \"%s\", expected %s", q, expected);
    default: return err_at(p->e, f, line, col, "found '%s', expected %s", q, expected);
  }
}

bool script_take(struct parser *p, int kind, const char *expected) {
  if (p->t.kind != kind) return script_found(p, expected);
  script_next(p);
  return !p->e->set;
}

bool script_word(struct parser *p, const char *expected, struct token *out) {
  while (script_is_blank(script_char_at(p, 0))) p->p++;
  p->t = (struct token){.line = p->line, .col = (int)(p->p - p->bol) + 1, .s = p->p};
  int c = script_char_at(p, 0);
  if (c < 0 || c == '\n' || c == '#' || c == ';') {
    p->t.kind = c < 0 ? K_EOF : c == '\n' ? K_NEWLINE : c;
    p->t.n = c < 0 ? 0 : 1;
    return script_found(p, expected);
  }
  if (c == '"') {
    script_read_string(p);
  } else {
    while (script_char_at(p, 0) >= 0 && !script_is_blank(script_char_at(p, 0)) &&
           !strchr("\n#;\"", script_char_at(p, 0)))
      p->p++;
    p->t.kind = K_STRING;
    p->t.n = (size_t)(p->p - p->t.s);
  }
  if (p->e->set) return false;
  if (!p->t.n || memchr(p->t.s, 0, p->t.n) || p->t.n > 4000) return script_found(p, expected);
  *out = p->t;
  script_next(p);
  return !p->e->set;
}

/* ---- names ---- */

/* A name that some of these sizes have. */
static struct name *script_find_name(const struct parser *p, const struct token *t, uint32_t sizes) {
  uint64_t h = fnv1a(FNV_START, t->s, t->n);
  for (uint32_t k = p->nname; k-- > 0;) {
    struct name *x = &p->name[k];
    if (!x->gone && x->sizes & sizes && x->hash == h && x->n == t->n && !memcmp(x->s, t->s, t->n)) return x;
  }
  return NULL;
}

struct name *script_known(const struct parser *p, const struct token *t) {
  return script_find_name(p, t, p->sizes);
}

struct name *script_lookup(struct parser *p) {
  struct name *x = p->t.kind == K_NAME ? script_known(p, &p->t) : NULL;
  uint32_t missing = x ? p->sizes & ~x->sizes : 0, k = 0;
  if (!missing) return x;
  while (!(missing >> k & 1)) k++;
  char q[200];
  script_quote(p->t.s, p->t.n, q, sizeof q);
  err_at(
      p->e, p->file, p->t.line, p->t.col,
      "found '%s', which size '%s' does not have (line %d defines it for others), expected a name of every size here",
      q, p->s->size[k].name, x->line);
  return NULL;
}

static bool script_reserved(const char *s, size_t n) {
  static const char *const word[] = {"min", "max",  "abs",    "sqrt", "ceil", "floor", "sum",
                                     "len", "addr", "handle", "inf",  "nan",  "local", "struct"};
  if (script_type(s, n) != T_NONE) return true;
  for (size_t k = 0; k < sizeof word / sizeof *word; k++)
    if (strlen(word[k]) == n && !memcmp(word[k], s, n)) return true;
  return false;
}

struct name *script_define(struct parser *p, const struct token *t, enum name_kind kind, enum dtype type) {
  char q[200];
  script_quote(t->s, t->n, q, sizeof q);
  if (script_reserved(t->s, t->n)) {
    err_at(p->e, p->file, t->line, t->col, "found the reserved word '%s', expected another name", q);
    return NULL;
  }
  if (p->nname >= SCRIPT_NAMES) {
    err_at(p->e, p->file, t->line, t->col, "found name number %d, expected at most %d", SCRIPT_NAMES + 1, SCRIPT_NAMES);
    return NULL;
  }
  uint32_t slot = p->nname;
  struct name *x = &VEC_PUSH(p->name, p->nname, p->capname);
  *x = (struct name){.n = t->n, .slot = slot, .line = t->line, .kind = (uint8_t)kind, .type = (uint8_t)type};
  x->sizes = p->sizes;
  x->s = arena_strndup(&p->s->arena, t->s, t->n);
  x->hash = fnv1a(FNV_START, t->s, t->n);
  return x;
}

/* Inside a loop a name ends with the loop, so there it is another one. */
struct name *script_define_sized(struct parser *p, const struct token *t, enum name_kind kind, enum dtype type) {
  struct name *x = p->blocks ? NULL : script_find_name(p, t, p->every & ~p->sizes);
  if (!x) return script_define(p, t, kind, type);
  if (x->kind == kind && x->type == type) {
    x->sizes |= p->sizes;
    return x;
  }
  char q[200];
  script_quote(t->s, t->n, q, sizeof q);
  err_at(
      p->e, p->file, t->line, t->col,
      "found '%s', which line %d defines for another size as another thing or of another type, expected the same there "
      "and here, or a new name",
      q, x->line);
  return NULL;
}

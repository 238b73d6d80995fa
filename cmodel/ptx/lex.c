/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool alpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool digit(int c) { return c >= '0' && c <= '9'; }
static bool name_start(int c) { return alpha(c) || c == '_' || c == '$'; }
static bool name_more(int c) { return name_start(c) || digit(c); }

static int hex(int c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

void lex_init(struct lexer *l, const char *file, const char *text, size_t n) {
  *l = (struct lexer){file, text, text + n, text, 1};
}

static int peek(const struct lexer *l, size_t k) { return (size_t)(l->end - l->p) > k ? (unsigned char)l->p[k] : -1; }

static int column(const struct lexer *l) {
  ptrdiff_t c = l->p - l->line_start + 1;
  return c > 1000000000 ? 1000000000 : (int)c;
}

static void advance(struct lexer *l) {
  if (*l->p++ == '\n') {
    l->line++;
    l->line_start = l->p;
  }
}

void lex_skip_line(struct lexer *l) {
  while (l->p < l->end && *l->p != '\n') l->p++;
}

static bool skip_space(struct lexer *l, struct err *e) {
  for (;;) {
    int c = peek(l, 0);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      advance(l);
    } else if (c == '/' && peek(l, 1) == '/') {
      lex_skip_line(l);
    } else if (c == '/' && peek(l, 1) == '*') {
      int line = l->line, col = column(l);
      l->p += 2;
      while (!(peek(l, 0) == '*' && peek(l, 1) == '/')) {
        if (l->p == l->end) return err_at(e, l->file, line, col, "found a comment that is not closed, expected '*/'");
        advance(l);
      }
      l->p += 2;
    } else {
      return true;
    }
  }
}

static bool bad_number(struct lexer *l, struct token *t, struct err *e) {
  while (name_more(peek(l, 0))) l->p++;
  int n = (int)(l->p - t->s > 40 ? 40 : l->p - t->s);
  return err_at(e, l->file, t->line, t->col, "found malformed number '%.*s'", n, t->s);
}

/* 1.5, 1e-3: copied out, because the text need not end in 0. */
static bool decimal_float(struct lexer *l, struct token *t, struct err *e) {
  while (digit(peek(l, 0))) l->p++;
  if (peek(l, 0) == '.') {
    l->p++;
    while (digit(peek(l, 0))) l->p++;
  }
  if (peek(l, 0) == 'e' || peek(l, 0) == 'E') {
    l->p++;
    if (peek(l, 0) == '+' || peek(l, 0) == '-') l->p++;
    if (!digit(peek(l, 0))) return bad_number(l, t, e);
    while (digit(peek(l, 0))) l->p++;
  }
  char buf[64];
  size_t n = (size_t)(l->p - t->s);
  if (n >= sizeof buf || name_more(peek(l, 0))) return bad_number(l, t, e);
  memcpy(buf, t->s, n);
  buf[n] = 0;
  double d = strtod(buf, NULL);
  memcpy(&t->value, &d, 8);
  t->kind = TK_F64;
  t->n = n;
  return true;
}

static bool number(struct lexer *l, struct token *t, struct err *e) {
  int base = 10, c1 = peek(l, 1);
  t->kind = TK_INT;
  if (peek(l, 0) == '0' && (c1 == 'f' || c1 == 'F' || c1 == 'd' || c1 == 'D')) {
    int digits = c1 == 'f' || c1 == 'F' ? 8 : 16;
    l->p += 2;
    for (int k = 0; k < digits; k++, l->p++) {
      int h = hex(peek(l, 0));
      if (h > 15) return bad_number(l, t, e);
      t->value = t->value << 4 | (unsigned)h;
    }
    if (name_more(peek(l, 0))) return bad_number(l, t, e);
    t->kind = digits == 8 ? TK_F32 : TK_F64;
    t->n = (size_t)(l->p - t->s);
    return true;
  }
  if (peek(l, 0) == '0' && (c1 == 'x' || c1 == 'X')) base = 16, l->p += 2;
  else if (peek(l, 0) == '0' && (c1 == 'b' || c1 == 'B')) base = 2, l->p += 2;
  else {
    size_t k = 0;
    while (digit(peek(l, k))) k++;
    int c = peek(l, k);
    if ((c == '.' && digit(peek(l, k + 1))) || c == 'e' || c == 'E') return decimal_float(l, t, e);
    if (peek(l, 0) == '0' && digit(c1)) base = 8, l->p++;
  }
  const char *first = l->p;
  for (; hex(peek(l, 0)) < 16; l->p++) {
    unsigned h = (unsigned)hex(peek(l, 0));
    if (h >= (unsigned)base) return bad_number(l, t, e);
    if (t->value > (UINT64_MAX - h) / (unsigned)base) {
      while (name_more(peek(l, 0))) l->p++;
      return err_at(e, l->file, t->line, t->col, "found number '%.*s', which does not fit in 64 bits",
                    (int)(l->p - t->s > 40 ? 40 : l->p - t->s), t->s);
    }
    t->value = t->value * (unsigned)base + h;
  }
  if (l->p == first) return bad_number(l, t, e);
  t->uns = t->value > INT64_MAX;
  if (peek(l, 0) == 'U' || peek(l, 0) == 'u') l->p++, t->uns = true;
  if (name_more(peek(l, 0))) return bad_number(l, t, e);
  t->n = (size_t)(l->p - t->s);
  return true;
}

static bool string(struct lexer *l, struct token *t, struct err *e) {
  t->kind = TK_STR;
  t->s = ++l->p;
  for (; peek(l, 0) != '"'; l->p++) {
    if (peek(l, 0) < 0 || peek(l, 0) == '\n')
      return err_at(e, l->file, t->line, t->col, "found a string that is not closed, expected '\"'");
    if (peek(l, 0) == '\\' && peek(l, 1) >= 0 && peek(l, 1) != '\n') l->p++;
  }
  t->n = (size_t)(l->p - t->s);
  l->p++;
  return true;
}

bool lex_next(struct lexer *l, struct token *t, struct err *e) {
  *t = (struct token){0};
  if (!skip_space(l, e)) return false;
  t->line = l->line;
  t->col = column(l);
  t->s = l->p;
  int c = peek(l, 0), c1 = peek(l, 1);
  if (c < 0) return true;
  if (name_start(c) || (c == '%' && name_start(c1))) {
    t->kind = TK_ID;
    do l->p++;
    while (name_more(peek(l, 0)));
    t->n = (size_t)(l->p - t->s);
    return true;
  }
  if (digit(c)) return number(l, t, e);
  if (c == '"') return string(l, t, e);
  if (c == '.' && name_more(c1)) {
    t->kind = TK_DOT;
    t->s = ++l->p;
    while (name_more(peek(l, 0)) || (peek(l, 0) == ':' && peek(l, 1) == ':' && name_more(peek(l, 2))))
      l->p += peek(l, 0) == ':' ? 2 : 1;
    t->n = (size_t)(l->p - t->s);
    return true;
  }
  static const char twos[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  t->kind = TK_PUNCT;
  for (unsigned k = 0; k < sizeof twos / sizeof twos[0]; k++)
    if (c == twos[k][0] && c1 == twos[k][1]) {
      t->punct = PUNCT2((unsigned char)twos[k][0], (unsigned char)twos[k][1]);
      t->n = 2;
      l->p += 2;
      return true;
    }
  if (c < 128 && strchr("{}[]()<>,;:=+-*/%&|^~!?@.", c) && c) {
    t->punct = (uint16_t)c;
    t->n = 1;
    l->p++;
    return true;
  }
  if (c > 32 && c < 127) return err_at(e, l->file, t->line, t->col, "found unexpected character '%c'", c);
  return err_at(e, l->file, t->line, t->col, "found unexpected byte 0x%02x", (unsigned)c);
}

bool token_is(const struct token *t, const char *word) {
  return (t->kind == TK_ID || t->kind == TK_DOT) && strlen(word) == t->n && !memcmp(word, t->s, t->n);
}

const char *token_show(const struct token *t, char *buf, size_t size) {
  int n = t->n > 60 ? 60 : (int)t->n;
  switch (t->kind) {
    case TK_END: snprintf(buf, size, "end of file"); break;
    case TK_DOT: snprintf(buf, size, "'.%.*s'", n, t->s); break;
    case TK_STR: snprintf(buf, size, "a string"); break;
    case TK_INT:
    case TK_F32:
    case TK_F64: snprintf(buf, size, "number %.*s", n, t->s); break;
    default: snprintf(buf, size, "'%.*s'", n, t->s); break;
  }
  return buf;
}

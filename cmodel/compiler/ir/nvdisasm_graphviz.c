/* SPDX-License-Identifier: Apache-2.0 */
/* nvdisasm_graphviz: tokens of the Graphviz language, as far as nvdisasm uses it: names, quoted strings, ->, and marks. Comments
 * and lines that begin with # are skipped. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compiler/ir/nvdisasm.h"

void dot_begin(struct dot *d, const char *file, const char *text, size_t n, struct err *e) {
  *d = (struct dot){.file = file, .text = text, .n = n, .place_line = 1, .e = e};
}

void dot_place(struct dot *d, size_t at, int *line, int *col) {
  if (at < d->place_at) d->place_at = d->place_start = 0, d->place_line = 1;
  for (const char *p; (p = memchr(d->text + d->place_at, '\n', at - d->place_at)) != NULL; d->place_line++)
    d->place_at = d->place_start = (size_t)(p - d->text) + 1;
  d->place_at = at;
  *line = d->place_line;
  *col = (int)(at - d->place_start) + 1;
}

bool dot_error(struct dot *d, size_t at, const char *fmt, ...) {
  char text[600];
  int line, col;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  dot_place(d, at, &line, &col);
  return err_at(d->e, d->file, line, col, "%s", text);
}

bool dot_unexpected(struct dot *d, const char *expected) {
  const struct dot_token *t = &d->tok;
  if (t->kind == DOT_END) return dot_error(d, d->n, "found the end of the file, expected %s", expected);
  return dot_error(d, t->at, "found '%.*s', expected %s", (int)(t->n < 80 ? t->n : 80), d->text + t->at, expected);
}

bool dot_is(const struct dot *d, char mark) { return d->tok.kind == DOT_MARK && d->text[d->tok.at] == mark; }

bool dot_word(const struct dot *d, const char *word) {
  return d->tok.kind == DOT_NAME && d->tok.n == strlen(word) && !strncasecmp(d->text + d->tok.at, word, d->tok.n);
}

/* ---- tokens ---- */

static bool dot_text_begins(const struct dot *d, size_t at, const char *s) {
  return at + strlen(s) <= d->n && !memcmp(d->text + at, s, strlen(s));
}

static size_t dot_line_end(const struct dot *d, size_t at) {
  const char *p = memchr(d->text + at, '\n', d->n - at);
  return p ? (size_t)(p - d->text) : d->n;
}

/* Blanks and comments; false: a comment has no end. */
static bool dot_skip_blanks(struct dot *d, size_t *at) {
  for (size_t i = *at;; *at = i) {
    while (i < d->n && strchr(" \t\r\n", d->text[i]) && d->text[i]) i++;
    *at = i;
    if (dot_text_begins(d, i, "//") || (dot_text_begins(d, i, "#") && (!i || d->text[i - 1] == '\n')))
      i = dot_line_end(d, i);
    else if (dot_text_begins(d, i, "/*")) {
      for (i += 2; i < d->n && !dot_text_begins(d, i, "*/"); i++) continue;
      if (i == d->n) return dot_error(d, *at, "found a comment without an end, expected */");
      i += 2;
    } else return true;
  }
}

static bool dot_is_name_char(unsigned char c) { return isalnum(c) || c == '_' || c == '.' || c == '$' || c >= 0x80; }

static bool dot_quoted(struct dot *d, size_t at) {
  size_t i = at + 1;
  while (i < d->n && d->text[i] != '"' && d->text[i]) i += d->text[i] == '\\' && i + 1 < d->n ? 2 : 1;
  if (i >= d->n) return dot_error(d, at, "found a string without an end, expected a quote");
  if (!d->text[i]) return dot_error(d, i, "found a NUL in a string, expected text");
  d->tok = (struct dot_token){DOT_QUOTED, at + 1, i - at - 1};
  d->next = i + 1;
  return true;
}

bool dot_next(struct dot *d) {
  size_t at = d->next;
  if (!dot_skip_blanks(d, &at)) return false;
  size_t i = at;
  if (at == d->n) d->tok = (struct dot_token){DOT_END, at, 0};
  else if (d->text[at] == '"') return dot_quoted(d, at);
  else if (dot_text_begins(d, at, "->")) d->tok = (struct dot_token){DOT_ARROW, at, 2};
  else if (dot_is_name_char((unsigned char)d->text[at]) || d->text[at] == '-') {
    for (i++; i < d->n && dot_is_name_char((unsigned char)d->text[i]); i++) continue;
    d->tok = (struct dot_token){DOT_NAME, at, i - at};
  } else if (d->text[at] && strchr("{}[];,=:", d->text[at])) d->tok = (struct dot_token){DOT_MARK, at, 1};
  else
    return dot_error(
        d, at, "found character %d, expected a name, a string, -> or one of {}[];,=:", (unsigned char)d->text[at]);
  d->next = at + d->tok.n;
  return true;
}

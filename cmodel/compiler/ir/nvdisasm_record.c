/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvdisasm_record: a node of nvdisasm -cfg, a record label "{<entry>TEXT|<exit0>TEXT|<exitpost0>TEXT}", as basic blocks.
 *
 * A block ends after each part exitN; unless its last instruction closes it, it goes on in the next part. A call is
 * split off as a block of its own. Lines end with \l; directives, labels and comments are skipped. An instruction may
 * have its offset in front, as a comment or with a colon, and ends with a semicolon or with the brace of a pair.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/nvdisasm_reader.h"

/* ---- blocks ---- */

static void record_add_link(struct reader *r, uint32_t from, uint32_t to) {
  VEC_PUSH(r->link, r->nlink, r->link_room) = (struct link){from, to};
}

static bool record_add_block(struct reader *r, size_t at, bool goes_on) {
  struct cfg *g = &r->s->g;
  if (!reader_room(r, at, g->nblock, "blocks")) return false;
  if (goes_on) record_add_link(r, g->nblock - 1, g->nblock);
  VEC_PUSH(g->block, g->nblock, r->block_room) = (struct cfg_block){.first = g->n, .end = g->n};
  return true;
}

static bool begin_part(struct reader *r, size_t at, const struct dot_token *port) {
  const bool begins = !r->open;
  if (!reader_room(r, at, r->npart, "ports")) return false;
  if (begins) {
    if (!record_add_block(r, at, r->falls)) return false;
    r->open = true;
    r->split = r->closes = false;
    r->first = r->npart;
  }
  if (port->n && !name_add(&r->names, r->d.text, SCOPE_PORTS + (uint64_t)r->nnode - 1, port->at, port->n, r->npart))
    return dot_error(&r->d, port->at, "found a second port '%.*s', expected one", (int)(port->n < 80 ? port->n : 80),
                     r->d.text + port->at);
  VEC_PUSH(r->part, r->npart, r->part_room) = (struct part){.first = r->s->g.nblock - 1, .begins = begins};
  return true;
}

static void end_sequence(struct reader *r) {
  for (uint32_t k = r->first; k < r->npart; k++) r->part[k].last = r->s->g.nblock - 1;
  r->open = false;
  r->falls = !r->closes;
}

/* exit0, exit12 */
static bool is_exit(const struct reader *r, const struct dot_token *port) {
  const char *s = r->d.text + port->at;
  if (port->n < 5 || memcmp(s, "exit", 4) != 0) return false;
  for (size_t k = 4; k < port->n; k++)
    if (!isdigit((unsigned char)s[k])) return false;
  return true;
}

/* ---- instructions ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void make_room(struct reader *r) {
  struct cfg *g = &r->s->g;
  if (g->n <= r->regs_room) return;
  r->regs_room = r->insn_room;
  g->regs = xrealloc(g->regs, r->regs_room * sizeof *g->regs);
  g->far = xrealloc(g->far, r->regs_room * sizeof *g->far);
}

static bool record_add_insn(struct reader *r, const struct sass_insn *i, size_t at, const char *text) {
  struct cfg *g = &r->s->g;
  int line, col;
  if (!reader_room(r, at, g->n, "instructions")) return false;
  const bool empty = g->block[g->nblock - 1].first == g->n;
  if ((r->split || (i->call && !empty)) && !record_add_block(r, at, true)) return false;
  dot_place(&r->d, at, &line, &col);
  VEC_PUSH(g->insn, g->n, r->insn_room) = (struct cfg_insn){r->pc, (uint32_t)line, (uint32_t)col, text};
  make_room(r);
  memcpy(g->regs[g->n - 1], i->regs, sizeof(regset));
  memcpy(g->far[g->n - 1], i->far, sizeof(regset));
  g->block[g->nblock - 1].end = g->n;
  g->block[g->nblock - 1].call = i->call;
  r->split = i->call;
  r->closes = i->closes;
  r->pc += 8;
  return true;
}

/* The line's characters [from, to): an instruction. */
static bool insn_done(struct reader *r, uint32_t from, uint32_t to) {
  struct sass_insn i;
  struct sass_wrong wrong;
  while (to > from && (r->line[to - 1] == ' ' || r->line[to - 1] == '\t')) to--;
  if (!sass_insn_parse(r->line + from, to - from, &i, &wrong)) {
    const uint32_t at = from + (uint32_t)wrong.at;
    uint32_t n = at < to;
    while (at + n < to && n < 40 && !is_blank(r->line[at + n]) && r->line[at + n] != ',') n++;
    return dot_error(&r->d, r->place[at < r->nline ? at : r->nline - 1], "found '%.*s', expected %s", (int)n,
                     r->line + at, wrong.expected);
  }
  char *text = arena_alloc(&r->s->arena, (size_t)(to - from) + 1);
  memcpy(text, r->line + from, to - from);
  return record_add_insn(r, &i, r->place[from], text);
}

/* ---- lines ---- */

/* "0010: ", or in a comment: digits from `at` to a mark; where they end, 0: there are none. */
static uint32_t offset_end(const struct reader *r, uint32_t at, uint32_t *value) {
  uint32_t i = at;
  for (*value = 0; i < r->nline && isxdigit((unsigned char)r->line[i]); i++) {
    const char c = r->line[i];
    *value = 16 * *value + (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  return i - at >= 4 && i - at <= 8 ? i : 0;
}

/* Behind what may stand in front of an instruction: blanks, braces of a pair, comments, offsets. */
static bool skip_front(struct reader *r, uint32_t *at) {
  for (uint32_t i = *at, end, pc;; *at = i) {
    while (i < r->nline && (is_blank(r->line[i]) || r->line[i] == '{' || r->line[i] == '}')) i++;
    *at = i;
    if (i + 1 < r->nline && r->line[i] == '/' && r->line[i + 1] == '*') {
      end = offset_end(r, i + 2, &pc);
      if (end && end < r->nline && r->line[end] == '*') r->pc = pc;
      for (i += 2; i + 1 < r->nline && !(r->line[i] == '*' && r->line[i + 1] == '/'); i++) continue;
      if (i + 1 >= r->nline) return dot_error(&r->d, r->place[*at], "found a comment without an end, expected */");
      i += 2;
    } else {
      end = offset_end(r, i, &pc);
      if (!end || end + 1 >= r->nline || r->line[end] != ':' || !is_blank(r->line[end + 1])) return true;
      r->pc = pc;
      i = end + 1;
    }
  }
}

/* A directive, a label, or a comment to the end of the line. */
static bool is_no_code(const struct reader *r, uint32_t at) {
  uint32_t end = r->nline;
  if (r->line[at] == '.') return true;
  if (at + 1 < end && r->line[at] == '/' && r->line[at + 1] == '/') return true;
  while (end > at && is_blank(r->line[end - 1])) end--;
  for (uint32_t i = at; i < end; i++)
    if (is_blank(r->line[i])) return false;
  return r->line[end - 1] == ':';
}

/* Where the instruction that begins at `at` ends: at a semicolon, or at the brace that ends a pair; nline: nowhere. */
static uint32_t insn_end(const struct reader *r, uint32_t at) {
  uint32_t depth = 0;
  for (uint32_t i = at; i < r->nline; i++) {
    const char c = r->line[i];
    if (c == ';' || (c == '}' && !depth)) return i;
    if (c == '{') depth++;
    if (c == '}') depth--;
  }
  return r->nline;
}

static bool line_done(struct reader *r) {
  uint32_t at = 0;
  for (;;) {
    if (!skip_front(r, &at)) return false;
    if (at == r->nline || is_no_code(r, at)) break;
    const uint32_t end = insn_end(r, at);
    if (end == r->nline)
      return dot_error(&r->d, r->place[at], "found '%.*s' without ; behind it, expected an instruction;",
                       (int)(r->nline - at < 40 ? r->nline - at : 40), r->line + at);
    if (!insn_done(r, at, end)) return false;
    at = end + 1;
  }
  r->nline = 0;
  return true;
}

/* ---- the label ---- */

enum { GLYPH_END = -1, GLYPH_BREAK = -2, GLYPH_OPEN = -3, GLYPH_CLOSE = -4, GLYPH_BAR = -5, GLYPH_LESS = -6 };

/* The next character of the label, or what it stands for. */
static int record_next_glyph(const struct reader *r, size_t *at, size_t end) {
  const char *s = r->d.text;
  while (*at + 1 < end && s[*at] == '\\' && s[*at + 1] == '\n') *at += 2; /* goes on in the next line */
  if (*at == end) return GLYPH_END;
  char c = s[(*at)++];
  switch (c) {
    case '\\':
      if (*at == end) return c;
      c = s[(*at)++];
      return c == 'l' || c == 'n' || c == 'r' ? GLYPH_BREAK : (unsigned char)c;
    case '{': return GLYPH_OPEN;
    case '}': return GLYPH_CLOSE;
    case '|': return GLYPH_BAR;
    case '<': return GLYPH_LESS;
    case '\n':
    case '\r': return ' ';
    default: return (unsigned char)c;
  }
}

static void put_char(struct reader *r, int c, size_t at) {
  uint32_t n = r->nline;
  VEC_PUSH(r->place, n, r->place_room) = (uint32_t)at;
  VEC_PUSH(r->line, r->nline, r->line_room) = (char)c;
}

/* <port>, if there is one. */
static bool read_port(struct reader *r, size_t *at, size_t end, struct dot_token *port) {
  const char *s = r->d.text;
  size_t i = *at;
  *port = (struct dot_token){.at = i};
  while (i < end && is_blank(s[i])) i++;
  if (i == end || s[i] != '<') return true;
  *port = (struct dot_token){DOT_NAME, i + 1, 0};
  for (i++; i < end && (isalnum((unsigned char)s[i]) || s[i] == '_'); i++) port->n++;
  if (i == end || s[i] != '>' || !port->n) return dot_error(&r->d, i, "found no port, expected <NAME>");
  *at = i + 1;
  return true;
}

/* A part, to the | or } behind it, which is returned; 0 and an error. */
static int read_part(struct reader *r, size_t *at, size_t end) {
  struct dot_token port;
  if (!read_port(r, at, end, &port) || !begin_part(r, *at, &port)) return 0;
  for (;;) {
    const size_t from = *at;
    const int c = record_next_glyph(r, at, end);
    if (c == GLYPH_END) return dot_error(&r->d, end, "found the end of the label, expected }");
    if (c == GLYPH_OPEN || c == GLYPH_LESS)
      return dot_error(&r->d, from, "found %c in the text, expected it escaped as \\%c", c == GLYPH_OPEN ? '{' : '<',
                       c == GLYPH_OPEN ? '{' : '<');
    if (c == 0) return dot_error(&r->d, from, "found a NUL in the label, expected text");
    if (c >= 0) put_char(r, c, from);
    else if (!line_done(r)) return 0;
    if (c == GLYPH_BAR || c == GLYPH_CLOSE) {
      if (is_exit(r, &port)) end_sequence(r);
      return c;
    }
  }
}

bool record_read(struct reader *r, const struct dot_token *label) {
  size_t at = label->at, end = at + label->n;
  r->open = r->falls = false;
  r->nline = 0;
  while (at < end && isspace((unsigned char)r->d.text[at])) at++;
  if (record_next_glyph(r, &at, end) != GLYPH_OPEN)
    return dot_error(&r->d, label->at, "found a label that is no record, expected {<entry>...}");
  for (int c = GLYPH_BAR; c != GLYPH_CLOSE;)
    if (!(c = read_part(r, &at, end))) return false;
  if (r->open) end_sequence(r);
  while (at < end && isspace((unsigned char)r->d.text[at])) at++;
  return at == end || dot_error(&r->d, at, "found text behind the record, expected its end");
}

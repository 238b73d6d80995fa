/* SPDX-License-Identifier: Apache-2.0 */
/* mutate: see mutate.h. */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/err.h"

void bytes_splice(struct bytes *b, size_t at, size_t gone, const void *p, size_t n) {
  if (b->n - gone + n > b->room || !b->p) b->p = xrealloc(b->p, b->room = (b->n - gone + n) * 2 + 64);
  memmove(b->p + at + n, b->p + at + gone, b->n - at - gone);
  if (n) memcpy(b->p + at, p, n);
  b->n += n - gone;
}

void bytes_set(struct bytes *b, const void *p, size_t n) { bytes_splice(b, 0, b->n, p, n); }

/* Below n; 0 of 0. */
static size_t below(uint64_t *seed, size_t n) { return n ? (size_t)(rng_next(seed) % n) : 0; }

struct span {
  size_t at, n;
};

static struct span a_line(const struct bytes *b, uint64_t *seed) {
  size_t at = below(seed, b->n), end = at;
  while (at && b->p[at - 1] != '\n') at--;
  while (end < b->n && b->p[end] != '\n') end++;
  return (struct span){at, (end < b->n ? end + 1 : end) - at};
}

static bool of_word(uint8_t c) { return isalnum(c) || strchr("_$.%-", c ? c : ' '); }

/* A word or number, or one other character that is no blank. */
static struct span a_token(const struct bytes *b, uint64_t *seed) {
  size_t at = below(seed, b->n), end;
  while (at < b->n && isspace(b->p[at])) at++;
  if (at == b->n) return (struct span){b->n, 0};
  end = at;
  if (!of_word(b->p[at])) return (struct span){at, 1};
  while (at && of_word(b->p[at - 1])) at--;
  while (end < b->n && of_word(b->p[end])) end++;
  return (struct span){at, end - at};
}

static struct span a_number(const struct bytes *b, uint64_t *seed) {
  size_t at = below(seed, b->n), end;
  for (size_t left = b->n; left && !isdigit(b->p[at]); left--) at = at + 1 < b->n ? at + 1 : 0;
  if (!b->n || !isdigit(b->p[at])) return (struct span){b->n, 0};
  while (at && isdigit(b->p[at - 1])) at--;
  for (end = at; end < b->n && (isxdigit(b->p[end]) || b->p[end] == 'x' || b->p[end] == '.');) end++;
  return (struct span){at, end - at};
}

/* ---- damages of any file ---- */
typedef void damage(struct bytes *b, const struct bytes *other, uint64_t *seed);
#define DAMAGE(name) static void name(struct bytes *b, const struct bytes *other, uint64_t *seed)
#define UNUSED (void)other, (void)seed

DAMAGE(cut) {
  UNUSED;
  b->n = below(seed, b->n);
}
DAMAGE(empty) {
  UNUSED;
  b->n = 0;
}
DAMAGE(bit) {
  UNUSED;
  for (size_t k = below(seed, 8) + 1; k && b->n; k--) b->p[below(seed, b->n)] ^= (uint8_t)(1u << below(seed, 8));
}
DAMAGE(byte) {
  UNUSED;
  for (size_t k = below(seed, 4) + 1; k && b->n; k--) b->p[below(seed, b->n)] = (uint8_t)rng_next(seed);
}
DAMAGE(word) { /* a number of 4 or 8 bytes, as files hold it */
  UNUSED;
  static const uint64_t odd[] = {0,         1,          0x7fffffff, 0x80000000,        0xffffffff,
                                 INT64_MAX, 1ull << 63, UINT64_MAX, 0x7ff8000000000001};
  size_t n = below(seed, 2) ? 4 : 8;
  uint64_t v = odd[below(seed, sizeof odd / sizeof *odd)];
  if (b->n >= n) memcpy(b->p + (below(seed, b->n - n + 1) & ~(size_t)3), &v, n);
}
DAMAGE(drop) {
  UNUSED;
  size_t at = below(seed, b->n), n = below(seed, 64) + 1;
  bytes_splice(b, at, n < b->n - at ? n : b->n - at, NULL, 0);
}
DAMAGE(repeated) {
  UNUSED;
  struct bytes copy = {0};
  bytes_set(&copy, b->p, b->n);
  for (size_t k = below(seed, 4) ? 1 : 40; k && b->n < 1u << 20; k--) bytes_splice(b, b->n, 0, copy.p, copy.n);
  free(copy.p);
}
DAMAGE(spliced) {
  size_t at = below(seed, b->n + 1), from = below(seed, other->n + 1);
  bytes_splice(b, at, b->n - at, other->p + from, other->n - from);
}
DAMAGE(garbage) {
  UNUSED;
  uint8_t junk[256];
  size_t n = below(seed, sizeof junk) + 1;
  for (size_t i = 0; i < n; i++) junk[i] = (uint8_t)rng_next(seed);
  bytes_splice(b, below(seed, 2) ? b->n : below(seed, b->n + 1), 0, junk, n);
}

/* ---- damages of text ---- */
static void insert(struct bytes *b, uint64_t *seed, const void *p, size_t n) {
  bytes_splice(b, below(seed, b->n + 1), 0, p, n);
}
static void insert_text(struct bytes *b, uint64_t *seed, const char *s) { insert(b, seed, s, strlen(s)); }
#define PICK(seed, list) (list)[below(seed, sizeof(list) / sizeof *(list))]

DAMAGE(cut_line) {
  UNUSED;
  struct span l = a_line(b, seed);
  b->n = l.at + (below(seed, 2) ? l.n : 0);
}
DAMAGE(cut_token) {
  UNUSED;
  struct span t = a_token(b, seed);
  b->n = t.at + (below(seed, 2) ? t.n : t.n / 2);
}
DAMAGE(line_gone) {
  UNUSED;
  struct span l = a_line(b, seed);
  bytes_splice(b, l.at, l.n, NULL, 0);
}
static void copy_to(struct bytes *b, const struct bytes *from, struct span s, size_t at, size_t gone) {
  struct bytes copy = {0};
  bytes_set(&copy, from->p + s.at, s.n);
  bytes_splice(b, at, gone, copy.p, copy.n);
  free(copy.p);
}
DAMAGE(line_twice) {
  UNUSED;
  struct span l = a_line(b, seed);
  copy_to(b, b, l, l.at, 0);
}
DAMAGE(line_moved) {
  UNUSED;
  struct span l = a_line(b, seed), to = a_line(b, seed);
  copy_to(b, b, l, to.at, 0);
  bytes_splice(b, l.at + (to.at <= l.at ? l.n : 0), l.n, NULL, 0);
}
DAMAGE(line_of_other) { copy_to(b, other, a_line(other, seed), a_line(b, seed).at, 0); }
DAMAGE(token_gone) {
  UNUSED;
  struct span t = a_token(b, seed);
  bytes_splice(b, t.at, t.n, NULL, 0);
}
DAMAGE(token_twice) {
  UNUSED;
  struct span t = a_token(b, seed);
  copy_to(b, b, t, t.at, 0);
  if (below(seed, 2)) bytes_splice(b, t.at + t.n, 0, " ", 1);
}
DAMAGE(token_replaced) {
  UNUSED;
  struct span t = a_token(b, seed);
  copy_to(b, b, a_token(b, seed), t.at, t.n);
}
DAMAGE(token_of_other) {
  struct span t = a_token(b, seed);
  copy_to(b, other, a_token(other, seed), t.at, t.n);
}
DAMAGE(odd_number) {
  UNUSED;
  static const char *const odd[] = {"0",
                                    "-1",
                                    "1",
                                    "2",
                                    "31",
                                    "33",
                                    "255",
                                    "1025",
                                    "65536",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "99999999999999999999999999999999",
                                    "-9223372036854775809",
                                    "1e400",
                                    "-1e400",
                                    "1e-400",
                                    "nan",
                                    "-inf",
                                    "0x",
                                    "0xg",
                                    "08",
                                    "0f7f800000",
                                    "1.5",
                                    "0.0000001",
                                    "1e9",
                                    "+-1",
                                    "1_000",
                                    "1,5",
                                    "--1",
                                    "0b2",
                                    "1e",
                                    "1.2.3",
                                    "-0",
                                    ".",
                                    "x1.5",
                                    "x0",
                                    "''"};
  struct span t = a_number(b, seed);
  const char *s = PICK(seed, odd);
  bytes_splice(b, t.at, t.n, s, strlen(s));
}
DAMAGE(many_digits) {
  UNUSED;
  char s[5000];
  struct span t = a_number(b, seed);
  size_t n = below(seed, sizeof s - 1) + 1;
  memset(s, '1' + (int)below(seed, 9), n);
  bytes_splice(b, t.at, t.n, s, n);
}
DAMAGE(nul) {
  UNUSED;
  insert(b, seed, "\0\0\0\0", below(seed, 4) + 1);
}
DAMAGE(no_utf8) {
  UNUSED;
  static const char *const bad[] = {"\xff",
                                    "\xfe\xff",
                                    "\xc0\x80",
                                    "\xed\xa0\x80",
                                    "\x80",
                                    "\xf4\x90\x80\x80",
                                    "\xe2\x82",
                                    "\xc2\x9b"
                                    "31m"};
  insert_text(b, seed, PICK(seed, bad));
}
DAMAGE(terminal_codes) { /* in a word, so that it is quoted in a message */
  UNUSED;
  static const char *const codes[] = {"\x1b[31m",
                                      "\x1b]0;title\x07",
                                      "\r",
                                      "\x08\x08",
                                      "\x7f",
                                      "\x1b[2J",
                                      "\x9b"
                                      "2J",
                                      "\x0c",
                                      "\ninput:1:1: error: forged",
                                      "\xe2\x80\xae",
                                      "\x01"};
  struct span t = a_token(b, seed);
  const char *s = PICK(seed, codes);
  bytes_splice(b, t.at + t.n / 2, 0, s, strlen(s));
}
DAMAGE(script_codes) {
  UNUSED;
  static const char *const codes[] = {"`touch written`",
                                      "'; system('touch written'); '",
                                      "$(touch written)",
                                      "\"; touch written; \"",
                                      "%s%n%s",
                                      "@x@",
                                      "\\n",
                                      "{/=40 x}",
                                      "'",
                                      "\"",
                                      "`",
                                      "../",
                                      "/dev/zero",
                                      "|touch written"};
  struct span t = a_token(b, seed);
  const char *s = PICK(seed, codes);
  bytes_splice(b, t.at + t.n / 2, 0, s, strlen(s));
}
DAMAGE(line_ends) {
  UNUSED;
  const char *with = below(seed, 2) ? "\r\n" : "\r";
  for (size_t i = 0; i < b->n; i++)
    if (b->p[i] == '\n') bytes_splice(b, i, 1, with, strlen(with)), i += strlen(with) - 1;
}
DAMAGE(byte_order_mark) {
  UNUSED;
  static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
  const char *s = PICK(seed, marks);
  bytes_splice(b, 0, 0, s, strlen(s));
}
DAMAGE(two_byte_text) {
  UNUSED;
  struct bytes wide = {0};
  bytes_set(&wide, "\xff\xfe", 2);
  for (size_t i = 0; i < b->n; i++) bytes_splice(&wide, wide.n, 0, (const uint8_t[]){b->p[i], 0}, 2);
  bytes_set(b, wide.p, wide.n);
  free(wide.p);
}
DAMAGE(deep) {
  UNUSED;
  static const char *const open[] = {"(", "{", "[",      "- ", "{ .reg .b32 %q; ", "repeat 1 { ", "!",
                                     "-", "~", "? 1 : ", "[{", "while 1 max 1 {"};
  const char *s = PICK(seed, open);
  size_t at = below(seed, 2) ? a_token(b, seed).at : a_line(b, seed).at;
  for (size_t k = (size_t)10 << below(seed, 13); k; k--) bytes_splice(b, at, 0, s, strlen(s));
}
DAMAGE(long_line) {
  UNUSED;
  static const char fill[] = "a1 ,(\t;#\"%";
  size_t n = (size_t)1 << (8 + below(seed, 11));
  char *s = xmalloc(n);
  memset(s, fill[below(seed, sizeof fill - 1)], n);
  insert(b, seed, s, n);
  free(s);
}
DAMAGE(punctuation) {
  UNUSED;
  static const char signs[] = "(){}[];:,=+-*/%&|!~<>?@#\"'\\`$.";
  insert(b, seed, &PICK(seed, signs), 1);
}
DAMAGE(range_swapped) { /* two lines that follow each other */
  UNUSED;
  struct span l = a_line(b, seed), next = {l.at + l.n, 0};
  while (next.at + next.n < b->n && b->p[next.at + next.n++] != '\n') {
  }
  copy_to(b, b, next, l.at, 0);
  bytes_splice(b, l.at + next.n + l.n, next.n, NULL, 0);
}

static const struct {
  const char *name;
  damage *make;
  bool text;
} damages[] = {{"cut at a byte", cut, false},
               {"cut at a line", cut_line, true},
               {"cut at a token", cut_token, true},
               {"empty", empty, false},
               {"bits flipped", bit, false},
               {"bytes changed", byte, false},
               {"a binary number changed", word, false},
               {"bytes gone", drop, false},
               {"repeated", repeated, false},
               {"spliced with another", spliced, false},
               {"garbage", garbage, false},
               {"line gone", line_gone, true},
               {"line twice", line_twice, true},
               {"line moved", line_moved, true},
               {"lines swapped", range_swapped, true},
               {"line of another file", line_of_other, true},
               {"token gone", token_gone, true},
               {"token twice", token_twice, true},
               {"token replaced", token_replaced, true},
               {"token of another file", token_of_other, true},
               {"odd number", odd_number, true},
               {"odd number, again", odd_number, true},
               {"many digits", many_digits, true},
               {"NUL", nul, true},
               {"invalid UTF-8", no_utf8, true},
               {"terminal codes", terminal_codes, true},
               {"script codes", script_codes, true},
               {"line ends", line_ends, true},
               {"byte order mark", byte_order_mark, true},
               {"two-byte text", two_byte_text, true},
               {"deep nesting", deep, true},
               {"long line", long_line, true},
               {"punctuation", punctuation, true}};
enum { DAMAGES = sizeof damages / sizeof *damages };

const char *mutate(struct bytes *b, const struct bytes *other, bool text, uint64_t *seed) {
  unsigned times = below(seed, 4) ? 1 : 2 + (unsigned)below(seed, 5);
  const char *name = "several";
  for (unsigned k = 0; k < times; k++) {
    size_t i = below(seed, DAMAGES);
    while (damages[i].text && !text) i = below(seed, DAMAGES);
    damages[i].make(b, other, seed);
    if (times == 1) name = damages[i].name;
  }
  return name;
}

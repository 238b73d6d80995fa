/* SPDX-License-Identifier: Apache-2.0 */
/* text: kinds of characters, the same in every locale, and parts of names. All char_* are false for -1 and for bytes that are no ASCII. */
#ifndef RT_BASE_TEXT_H
#define RT_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool char_is_digit(int c) { return c >= '0' && c <= '9'; }
static inline bool char_is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/* Names of PTX, of its assembler and of launch files: they begin with one of these, and go on with digits, too. */
static inline bool char_begins_name(int c) { return char_is_letter(c) || c == '_' || c == '$'; }
static inline bool char_is_in_name(int c) { return char_begins_name(c) || char_is_digit(c); }
/* Value of a hexadecimal digit; -1: it is none. */
static inline int char_hex_value(int c) {
  if (char_is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* True if the text is longer than `end` and ends with it. */
static inline bool text_ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}
/* The name of a file without its directory, in the path's memory. */
static inline const char *path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

#endif

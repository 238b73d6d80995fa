/* SPDX-License-Identifier: Apache-2.0 */
/* scan: see scan.h. */
#include "trace/accelsim/scan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

bool scan_wrong(const struct scan *s, const char *at, const char *expected) {
  const size_t n = strcspn(at, " \t");
  if (!*at)
    return err_at(s->e, s->file, s->number, scan_col(s, at), "found the end of the line, expected %s", expected);
  return err_at(s->e, s->file, s->number, scan_col(s, at), "found '%.*s', expected %s", (int)(n < 80 ? n : 80), at,
                expected);
}

bool scan_is(struct scan *s, const char *text) {
  scan_blanks(s);
  const size_t n = strlen(text);
  if (strncmp(s->at, text, n)) return false;
  s->at += n;
  return true;
}

bool scan_text(struct scan *s, const char *text) {
  char expected[64];
  if (scan_is(s, text)) return true;
  snprintf(expected, sizeof expected, "'%s'", text);
  return scan_wrong(s, s->at, expected);
}

/* A number ends the line or is followed by a blank or by punctuation of the head. */
static bool scan_number_ends(char c) { return !c || strchr(" \t,()", c); }

bool scan_int(struct scan *s, int64_t least, int64_t most, const char *what, int64_t *v) {
  char expected[160];
  scan_blanks(s);
  const char *from = s->at, *at = from;
  const bool minus = *at == '-';
  uint64_t n = 0;
  at += minus;
  bool good = *at >= '0' && *at <= '9';
  for (; *at >= '0' && *at <= '9'; at++) {
    good = good && n <= ((uint64_t)INT64_MAX + minus - (uint64_t)(*at - '0')) / 10;
    n = good ? n * 10 + (uint64_t)(*at - '0') : n;
  }
  *v = minus ? (int64_t)-n : (int64_t)n;
  if (good && scan_number_ends(*at) && *v >= least && *v <= most) {
    s->at = at;
    return true;
  }
  snprintf(expected, sizeof expected, "%s, %" PRId64 " to %" PRId64, what, least, most);
  return scan_wrong(s, from, expected);
}

bool scan_u32(struct scan *s, uint32_t least, uint32_t most, const char *what, uint32_t *v) {
  int64_t n = 0;
  const bool good = scan_int(s, least, most, what, &n);
  *v = (uint32_t)n;
  return good;
}

bool scan_hex(struct scan *s, uint64_t most, const char *what, uint64_t *v) {
  char expected[160];
  scan_blanks(s);
  const char *from = s->at, *at = from;
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) at += 2;
  bool good = char_hex_value(*at) >= 0;
  for (*v = 0; char_hex_value(*at) >= 0; at++) {
    good = good && *v <= most >> 4;
    *v = *v << 4 | (uint64_t)char_hex_value(*at);
  }
  if (good && scan_number_ends(*at) && *v <= most) {
    s->at = at;
    return true;
  }
  snprintf(expected, sizeof expected, "%s, hexadecimal, at most %" PRIx64, what, most);
  return scan_wrong(s, from, expected);
}

bool scan_end(struct scan *s) {
  scan_blanks(s);
  return !*s->at || scan_wrong(s, s->at, "the end of the line");
}

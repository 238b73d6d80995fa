/* SPDX-License-Identifier: Apache-2.0 */
/* similar: see similar.h. */
#include "base/similar.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned similar_least(unsigned a, unsigned b) { return a < b ? a : b; }

static char similar_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

unsigned similar_distance(const char *text, const char *name) {
  const size_t n = strlen(text), m = strlen(name);
  if (n >= SIMILAR_NAME || m >= SIMILAR_NAME) return SIMILAR_NAME;
  if (n >= 3 && m > n && !strncasecmp(text, name, n)) return 1;
  unsigned row[3][SIMILAR_NAME]; /* edits from the first i characters of text to the first j of name: i - 2, i - 1, i */
  for (size_t j = 0; j <= m; j++) row[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];
    now[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      const char a = similar_lower(text[i - 1]), b = similar_lower(name[j - 1]);
      now[j] = similar_least(before[j - 1] + (a != b), similar_least(before[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a == similar_lower(name[j - 2]) && similar_lower(text[i - 2]) == b)
        now[j] = similar_least(now[j], before2[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

void similar_begin(struct similar *s, const char *text) {
  const unsigned third = (unsigned)strlen(text) / 3;
  memset(s, 0, sizeof *s);
  snprintf(s->text, sizeof s->text, "%s", text);
  s->best = third ? third : 1;
}

void similar_offer(struct similar *s, const char *name) { similar_offer_at(s, name, similar_distance(s->text, name)); }

void similar_offer_at(struct similar *s, const char *name, unsigned distance) {
  if (distance > s->best || !s->text[0]) return;
  if (distance < s->best) s->n = 0;
  s->best = distance;
  for (unsigned i = 0; i < s->n && i < SIMILAR_MOST; i++)
    if (!strcmp(s->name[i], name)) return;
  if (s->n < SIMILAR_MOST) snprintf(s->name[s->n], SIMILAR_NAME, "%s", name);
  s->n++;
}

char *similar_ask_or(const struct similar *s, const char *otherwise, char *buf, size_t size) {
  if (!s->n || s->n > SIMILAR_MOST) {
    snprintf(buf, size, "%s", otherwise);
    return buf;
  }
  size_t at = (size_t)snprintf(buf, size, "; did you mean ");
  for (unsigned i = 0; i < s->n && at < size; i++)
    at += (size_t)snprintf(buf + at, size - at, "%s'%s'", !i ? "" : i + 1 < s->n ? ", " : " or ", s->name[i]);
  if (at < size) snprintf(buf + at, size - at, "?");
  return buf;
}

char *similar_ask(const struct similar *s, char *buf, size_t size) { return similar_ask_or(s, "", buf, size); }

char *similar_among(const char *text, const char *const *first, size_t stride, unsigned n, const char *otherwise,
                    char *buf, size_t size) {
  struct similar s;
  similar_begin(&s, text);
  for (unsigned i = 0; i < n; i++) similar_offer(&s, *(const char *const *)((const char *)first + i * stride));
  return similar_ask_or(&s, otherwise, buf, size);
}

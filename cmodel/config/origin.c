/* SPDX-License-Identifier: Apache-2.0 */
/* origin: the place where each key got its value, for config --explain. */
#include <ctype.h>
#include <string.h>

#include "config/keys.h"

static struct config_origin *trace;

void config_trace(struct config_origin *o) { trace = o; }

/* Copies the comment of a line, without "# ". */
static void comment_of(const char *text, int line, char *buf, size_t size) {
  for (; line > 1 && *text; text++) line -= *text == '\n';
  size_t n = strcspn(text, "\n");
  const char *hash = memchr(text, '#', n);
  buf[0] = 0;
  if (!hash) return;
  const char *from = hash + 1 + strspn(hash + 1, " ");
  if (from < text + n) snprintf(buf, size, "%.*s", (int)(text + n - from), from);
}

/* The comment lines that a file begins with, as one line. */
static void origin_head_of(const char *text, char *buf, size_t size) {
  size_t at = 0;
  buf[0] = 0;
  while (*text == '#' && at < size) {
    size_t n = strcspn(text, "\n");
    const char *from = text + 1 + strspn(text + 1, " ");
    if (from < text + n) at += (size_t)snprintf(buf + at, size - at, "%.*s ", (int)(text + n - from), from);
    text += n + (text[n] == '\n');
  }
}

/* A full stop with, behind it, the words before the next colon: there the next one begins. */
static bool ends_here(const char *stop) {
  if (strncmp(stop, ". ", 2) != 0) return false;
  const char *colon = strstr(stop, ": "), *next = strstr(stop + 2, ". ");
  return !stop[2] || (colon && (!next || colon < next));
}

/* "Linebacker, ISCA'19, Table 1" out of a head that says "LB: Linebacker, ISCA'19, Table 1. Jia: ...", for "LB". */
static size_t origin_find_meaning(const char *head, const char *word, size_t n, const char **out) {
  for (const char *p = head; (p = strstr(p, ": ")); p += 2) {
    if (p < head + n || strncmp(p - n, word, n) || (p > head + n && p[-1 - (int)n] != ' ')) continue;
    const char *end = p + 2;
    while (*end && !ends_here(end)) end++;
    while (end > p + 2 && end[-1] == ' ') end--;
    *out = p + 2;
    return (size_t)(end - *out);
  }
  return 0;
}

/* The note, then what its abbreviations mean. */
static void origin_add_meanings(const char *head, char *note, size_t size) {
  char said[1024];
  size_t at = strlen(note), before = at;
  snprintf(said, sizeof said, "%.1000s", note);
  for (const char *p = said; *p && at < size;) {
    size_t n = 0;
    while (isalnum((unsigned char)p[n])) n++;
    const char *means;
    size_t m = n > 1 ? origin_find_meaning(head, p, n, &means) : 0;
    if (m)
      at +=
          (size_t)snprintf(note + at, size - at, "%s%.*s = %.*s", at > before ? "; " : " (", (int)n, p, (int)m, means);
    p += n ? n : 1;
  }
  if (at > before && at < size) snprintf(note + at, size - at, ")");
}

void key_origin(const struct key *k, const char *where, const char *text, int line) {
  if (!trace) return;
  struct config_origin *o = &trace[k - config_keys];
  char head[4096];
  memset(o, 0, sizeof *o);
  if (!text) {
    snprintf(o->where, sizeof o->where, "%s", where);
    return;
  }
  snprintf(o->where, sizeof o->where, "%s:%d", where, line);
  comment_of(text, line, o->note, sizeof o->note);
  origin_head_of(text, head, sizeof head);
  origin_add_meanings(head, o->note, sizeof o->note);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* laws_messages: the messages of a file of laws, so that a test has a case for each: its strings in which words follow one another. */
#ifndef RT_UNIT_LAWS_MESSAGES_H
#define RT_UNIT_LAWS_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A format, a part of one, the name of a file or of a choice is none. */
static inline bool is_message(const char *text) { return *text != ',' && strchr(text, ' ') && !strchr(text, '%'); }

/* The next string of a C file, without its quotes; NULL: there is none. *at: behind it. */
static inline char *next_string(char **at) {
  for (char *p = *at; *p; p++) {
    if (!strncmp(p, "/*", 2)) {
      p = strstr(p + 2, "*/");
      if (!p) return NULL;
      p++;
    } else if (*p == '"') {
      char *end = strchr(p + 1, '"'); /* no message has a quote */
      if (!end) return NULL;
      *end = 0;
      *at = end + 1;
      return p + 1;
    }
  }
  return NULL;
}

/* Fails for each message of the file for which has() is false. */
static inline void each_message(const char *path, bool (*has)(const char *message)) {
  enum { MOST = 1 << 17 };
  FILE *f = fopen(path, "r");
  char *text = calloc(1, MOST), *at = text;
  if (!f || !text) fail_msg("%s cannot be read", path);
  const size_t n = fread(text, 1, MOST - 1, f);
  fclose(f);
  unsigned found = 0, missed = 0;
  for (char *s; n < MOST - 1 && (s = next_string(&at));) {
    if (!is_message(s)) continue;
    found++;
    if (has(s)) continue;
    print_error("%s: found no case for '%s'\n", path, s);
    missed++;
  }
  free(text);
  assert_true(found > 0);
  assert_int_equal(missed, 0);
}

#endif

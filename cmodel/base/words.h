/* SPDX-License-Identifier: Apache-2.0 */
/* words: lists of words written as one text, "a|b|c". */
#ifndef RT_BASE_WORDS_H
#define RT_BASE_WORDS_H

#include <string.h>

/* Which of the list the word is, from 0; -1: none of them. */
static inline int words_index(const char *list, const char *word) {
  size_t n = strlen(word);
  int i = 0;
  for (const char *p = list;; i++) {
    size_t m = strcspn(p, "|");
    if (m == n && !strncmp(p, word, n)) return i;
    if (!p[m]) return -1;
    p += m + 1;
  }
}

#endif

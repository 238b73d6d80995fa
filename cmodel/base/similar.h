/* SPDX-License-Identifier: Apache-2.0 */
/*
 * similar: "did you mean", for every name that a user may misspell: systems, machines, kernels, commands, options, keys, measures,
 * relaxations, experiments, papers.
 *
 * The rule. The distance of two words is the number of edits from one to the other: insert, delete or replace a
 * character, or exchange two neighbours. Upper and lower case count as the same character. A text of at least three characters is one edit from
 * a longer name that begins with it. A name is similar if its distance is at most a third of the text's length, or
 * one for shorter texts. A message has the similar names of the least distance, in the order in which they were
 * offered. If there are more than SIMILAR_MOST of these, it has none.
 */
#ifndef RT_BASE_SIMILAR_H
#define RT_BASE_SIMILAR_H

#include <stddef.h>

enum { SIMILAR_MOST = 5, SIMILAR_NAME = 64 };
struct similar {
  char text[SIMILAR_NAME]; /* what was found, cut to this length */
  unsigned best, n;        /* least distance so far, or the largest that counts; names that have it */
  char name[SIMILAR_MOST][SIMILAR_NAME];
};

unsigned similar_distance(const char *text, const char *name);
/* Starts a search for names like `text`. */
void similar_begin(struct similar *s, const char *text);
/* Compares one more name. The second form keeps `name` if `distance` is among the least. */
void similar_offer(struct similar *s, const char *name);
void similar_offer_at(struct similar *s, const char *name, unsigned distance);
/* Writes "; did you mean 'a', 'b' or 'c'?" to buf, or "" if no name is similar. Returns buf. */
char *similar_ask(const struct similar *s, char *buf, size_t size);
/* The same, or `otherwise` if no name is similar. */
char *similar_ask_or(const struct similar *s, const char *otherwise, char *buf, size_t size);
/* The same of the names in an array: `first` is the first one, the next comes `stride` bytes after it. */
char *similar_among(const char *text, const char *const *first, size_t stride, unsigned n, const char *otherwise,
                    char *buf, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* chosen: which launches of a session are timed: "all", "none", or a list of kernels' names and numbers of launches. */
#ifndef RT_SESSION_CHOSEN_H
#define RT_SESSION_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct choice_item {
  char *kernel;      /* NULL: a range of launches */
  uint32_t from, to; /* both included */
  bool met;          /* a launch was one of it */
};
struct chosen {
  bool all;
  struct choice_item *item;
  unsigned n, cap;
  char *text; /* as given; "all" for NULL */
};

/* False and *e: an empty entry, a range that ends before it begins, a number beyond 32 bits. */
bool chosen_read(struct chosen *c, const char *text, struct err *e);
bool chosen_takes(struct chosen *c, uint32_t launch, const char *kernel);
/* The first kernel of the list that was never launched, for a warning; NULL: there is none. */
const char *chosen_unmet(const struct chosen *c);
void chosen_free(struct chosen *c);

#endif

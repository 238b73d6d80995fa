/* SPDX-License-Identifier: Apache-2.0 */
/* rules: the reaction to a broken rule or invariant of a block outside the lockstep engine. */
#include "blocks/rules.h"

#include <stdio.h>
#include <stdlib.h>

void block_broken(enum block_check kind, const char *condition, const char *file, unsigned line) {
  const char *what = kind == BLOCK_CHECK_RULE ? "the block's inputs or parameters break its rule"
                                              : "the block's own invariant fails, a fault of the model";
  fprintf(stderr, "%s:%u: %s: %s\n", file, line, what, condition);
  abort();
}

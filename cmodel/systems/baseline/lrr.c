/* SPDX-License-Identifier: Apache-2.0 */
/* lrr: loose round robin: the first ready warp after the one that issued last. */
#include "sm/slot_api.h"

static struct pick pick(struct sm *S, unsigned s, uint64_t ready) {
  return (struct pick){bit_from64(ready, (scheduler_view(S, s)->last + 1) % 64), ANY_UNIT};
}

const struct scheduler_ops scheduler_lrr = {.name = "lrr", .pick = pick};

/* SPDX-License-Identifier: Apache-2.0 */
/* gto: greedy then oldest: the warp that issued last, as long as it is ready; else the oldest ready one. */
#include "sm/slot_api.h"

static struct pick pick(struct sm *S, unsigned s, uint64_t ready) {
  const struct scheduler_view *sc = scheduler_view(S, s);
  if (ready >> sc->last & 1) return (struct pick){sc->last, ANY_UNIT};
  for (uint64_t m = ready; m; m &= m - 1) {
    int bit = bit_low64(m);
    if (!(sc->older[bit] & ready)) return (struct pick){bit, ANY_UNIT};
  }
  return (struct pick){PICK_NONE, ANY_UNIT};
}

const struct scheduler_ops scheduler_gto = {.name = "gto", .pick = pick};

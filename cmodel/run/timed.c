/* SPDX-License-Identifier: Apache-2.0 */
/* timed: see timed.h. */
#include "run/timed.h"

bool timed_launch(struct gpu *g, const struct launch *l, const struct gpu_progress *p, struct err *e) {
  const struct stream_room room = gpu_room(g);
  const struct exec_limits limits = {.warp_slots = room.warp_slots, .cta_slots = room.cta_slots, .values = room.values};
  struct stream *s = stream_functional(l, &limits, e);
  if (!s) return false;
  const struct kernel k = launch_kernel(l);
  const uint64_t before = gpu_stats(g)->warp_insns;
  const bool ok = gpu_launch(g, s, &k, p, e);
  if (l->ran) *l->ran += gpu_stats(g)->warp_insns - before;
  s->ops->free(s);
  return ok;
}

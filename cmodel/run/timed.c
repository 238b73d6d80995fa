/* SPDX-License-Identifier: Apache-2.0 */
/* timed: see timed.h. */
#include "run/timed.h"

#include <stdlib.h>

#include "base/bits.h"

static struct stream *stream_of(const struct gpu *g, unsigned sm, const struct launch *l, struct all_sms *all, struct err *e) {
  const struct stream_room room = gpu_room(g, sm);
  const struct exec_limits limits = {.warp_slots = room.warp_slots,
                                     .cta_slots = room.cta_slots,
                                     .values = room.values,
                                     .sm = room.sm,
                                     .sms = room.sms,
                                     .all = all,
                                     .stride = room.stride ? room.stride : l->stride};
  return stream_functional(l, &limits, e);
}

bool timed_launch(struct gpu *g, const struct launch *l, const struct gpu_progress *p, struct err *e) {
  const unsigned sms = gpu_sms(g);
  struct stream **s = xcalloc(sms, sizeof *s);
  struct all_sms *all = sms > 1 ? all_sms_new(sms) : NULL;
  bool ok = true;
  for (unsigned i = 0; i < sms && ok; i++) ok = (s[i] = stream_of(g, i, l, all, e)) != NULL;
  if (ok) {
    const struct kernel k = launch_kernel(l);
    const uint64_t before = gpu_insns(g);
    ok = gpu_launch(g, s, &k, p, e);
    if (l->ran) *l->ran += gpu_insns(g) - before;
  }
  for (unsigned i = 0; i < sms; i++)
    if (s[i]) s[i]->ops->free(s[i]);
  free(s);
  all_sms_free(all);
  return ok;
}

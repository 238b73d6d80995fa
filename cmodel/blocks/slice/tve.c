/* SPDX-License-Identifier: Apache-2.0 */
/* tve: thread value extractor. docs/blocks/slice/tve.md; defined for every entry, also those that no table
 * may hold. */
#include "blocks/slice/tve.h"

struct tve_plan tve_plan(uint32_t e, bool part, bool sgn) {
  struct tve_plan p = {.moves = slice_runs(e, part)};
  const unsigned m = entry_m(e, part), n = entry_n(e);
  const bool last = part == (entry_m(e, true) != 0);
  if (m && n < SLICE_NIBBLES && last && sgn) {
    p.fill = ~0u << 4 * n;
    p.sign = 4 * (31 - (unsigned)__builtin_clz(m)) + 3;
  }
  return p;
}

uint32_t tve_extract(uint32_t d, uint32_t e, bool part, bool sgn) {
  const struct tve_plan p = tve_plan(e, part, sgn);
  return tve_apply(&p, d);
}

void tve_eval(const struct tve *s, const struct tve_in *in, struct tve_out *out) {
  (void)s;
  *out = (struct tve_out){.part_data_o =
                              tve_extract((uint32_t)in->data_i, (uint32_t)in->entry_i, in->part_i, in->signed_i)};
}

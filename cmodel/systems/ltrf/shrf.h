/* SPDX-License-Identifier: Apache-2.0 */
/* shrf: the software-managed hierarchy of register files: where the compiler has put each operand. */
#ifndef RT_SYSTEMS_LTRF_SHRF_H
#define RT_SYSTEMS_LTRF_SHRF_H

#include "systems/ltrf/ltrf.h"

enum { NO_ENTRY = 0xff };

struct operand_place {
  uint8_t src[6], dst[4]; /* entries of the small file; NO_ENTRY: the main file */
  uint8_t copy,
      copied; /* sources that are read from the main file and copied into their entry; that may be read from such a copy */
  uint8_t main;                        /* destinations that are written to the main file (as well) */
  uint32_t value_src[6], value_dst[4]; /* names of the values that lie in those entries */
};

/* Per instruction; to be freed by the caller. */
struct operand_place *shrf_place(const struct code *code, const struct subgraphs *strands, unsigned entries);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ltrf: what the choices of this folder share. */
#ifndef RT_SYSTEMS_LTRF_LTRF_H
#define RT_SYSTEMS_LTRF_LTRF_H

#include "sm/state.h"

/* Strands of a kernel (ir/interval.h). */
struct subgraphs {
  uint32_t n;
  uint32_t *of;     /* per instruction: its part; NONE32: it is not reached */
  uint32_t *header; /* per part: its first instruction */
};

/* As ltrf.cut says. */
bool subgraphs_make(struct subgraphs *g, const struct config *c, const struct code *code, struct err *e);
void subgraphs_free(struct subgraphs *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ltrf: what the choices of this folder share. */
#ifndef RT_SYSTEMS_LTRF_LTRF_H
#define RT_SYSTEMS_LTRF_LTRF_H

#include "blocks/ltrf/pfu.h"
#include "sm/slot_api.h"

/* The parts of a kernel in front of which registers are prefetched: register-intervals or strands (compiler/ir/interval.h). */
struct subgraphs {
  uint32_t n;
  uint32_t *of;       /* per instruction: its part; NONE32: it is not reached */
  uint32_t *header;   /* per part: its first instruction */
  uint64_t (*vec)[4]; /* per part: the registers that it names */
  uint32_t *at;       /* code slot of each instruction, behind the PREFETCHes before it */
};

enum { VECTOR_BYTES = 32 }; /* of a PREFETCH: a bit for each of 256 registers */

/* As ltrf.parts and ltrf.interval say. False and *e: an instruction alone names more registers. */
bool subgraphs_make(struct subgraphs *g, const struct config *c, const struct code *code, struct err *e);
void subgraphs_free(struct subgraphs *g);

const struct subgraphs *ltrf_parts(const struct sm *S); /* of the launch's kernel; storage `ltrf` */
void ltrf_laws(struct twins *t);                        /* of its net (laws.c) */

/* The block's parameters in this configuration. */
struct pfu_params ltrf_size(const struct config *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races: the race detector: finds unsynchronised accesses of two threads to the same byte of shared or global memory,
 * at least one of them a write. docs/use/races.md says what orders two accesses, and what is not detected.
 *
 * It observes all accesses, barriers and fences of launches as they are executed, timed or not (struct
 * launch.races), and reports pairs of instructions, each once, with the first two threads.
 */
#ifndef RT_EXEC_RACES_H
#define RT_EXEC_RACES_H

#include <stdbool.h>
#include <stdint.h>

struct races;
struct races *races_new(void);
void races_free(struct races *r);

struct race_side {
  uint32_t line, col; /* in the PTX */
  const char *op;     /* "load", "store", "atomic", "copy" */
  bool write;
  uint32_t cta[3], thread[3], warp, lane; /* warp: of the CTA */
};
struct race {
  char kernel[160], file[512], buffer[80]; /* buffer: "": shared memory of the CTA */
  struct race_side first, second;          /* in the order in which they were executed */
  bool shared;
  bool same_value;          /* in all of them, whichever comes last leaves the same bytes: the store does not change
                      them */
  uint64_t count;           /* of accesses of one warp to one word that met another */
  uint64_t address, offset; /* in its space; in the buffer */
  uint32_t launch;          /* from 0 */
};
/* Pairs in the order in which they were found. */
unsigned races_count(const struct races *r);
const struct race *races_at(const struct races *r, unsigned i);
/* Pairs that were too many to keep. */
uint64_t races_lost(const struct races *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twin: observes the blocks inside the SM. At COMMIT an observer receives each block instance with its final inputs,
 * outputs and the state before the edge: lockstep drives the Verilog with them, the recorder stores them. The SM uses
 * the C twins' outputs, so a run with an observer and one without cannot differ; only --drive rtl puts the Verilog's
 * in their place, and the two must not differ then either. (Without sim.check or an observer, systems/slices/slices.c
 * does not model payloads and replaces its blocks by a timing model; regtwin-cosim and tests/cli/slices.sh compare
 * the statistics of both.)
 */
#ifndef RT_SM_TWIN_H
#define RT_SM_TWIN_H

#include <stdbool.h>
#include <stdint.h>

struct observer {
  /* The block has been reset (a launch begins). */
  void (*reset)(void *ctx, const char *block, unsigned instance);
  /* One cycle: structs BLOCK, BLOCK_in, BLOCK_out of the block's header ("slice/sit"). False stops the run. */
  bool (*cycle)(void *ctx, const char *block, unsigned instance, uint64_t cycle, const void *state, const void *in,
                const void *out);
  /* NULL, or: replaces the outputs that the SM is about to use by the Verilog's for the same inputs (--drive rtl). */
  void (*outputs)(void *ctx, const char *block, unsigned instance, const void *in, void *out);
  void *ctx;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * character: characteristics of a kernel, measured on the SM by a probe (sm/probe.h) over all launches of its file,
 * as in the motivation figures of the papers. docs/use/kernels.md defines each number.
 */
#ifndef RT_KERNELS_CHARACTER_H
#define RT_KERNELS_CHARACTER_H

#include "lab/kernels/histogram.h"
#include "lab/kernels/locality.h"
#include "lab/run/run.h"
#include "lab/run/shape.h"

enum mix {
  MIX_INT,
  MIX_SP,
  MIX_DP,
  MIX_SFU,
  MIX_TENSOR,
  MIX_GLOBAL,
  MIX_SHARED,
  MIX_OTHER_MEM,
  MIX_ATOMIC,
  MIX_CTRL,
  MIX_COUNT
};
extern const char *const mix_names[MIX_COUNT];

enum { REGISTER_WINDOW = 1000 }; /* warp instructions of the SM, or of one CTA */

struct load_info {
  uint32_t line;
  char kernel[64];
}; /* a static load: its place in the PTX */

struct character {
  struct run_result run;
  struct kernel_shape shape; /* of the entry; what fits and what limits it */
  struct cta_fit fit;
  uint64_t mix[MIX_COUNT]; /* warp instructions */
  /* E-MK1: instructions of a warp from a register's last access to its next read */
  struct histogram reuse;
  /* E-FR4: registers accessed / allocated, per window of the SM's and of one CTA's instructions */
  struct fractions used, used_cta;
  struct series used_over, live_over; /* a step is a window of the SM */
  struct fractions live;
  /* E-FR5: cycles from a CTA's first issue to its first complete stall; from its first issue after any stall
   * to the next */
  struct histogram stall; /* values are cycles / STALL_BIN; sums are in stall_cycles */
  uint64_t stall_n, stall_cycles, again_n, again_cycles, ctas_never;
  /* E-LB1: line reads by way of the L1 */
  uint64_t reads, hits, merges, cold, again;
  struct locality locality;
  struct load_info load[LOCALITY_LOADS];
  uint32_t nload; /* static loads met; those past LOCALITY_LOADS - 1 share the last */
};
enum { STALL_BIN = 64 };

/* Of the line reads: those that miss the L1, and those that miss a line that was there before; 0 without reads. */
double character_miss(const struct character *c);
double character_again(const struct character *c);
/* KB in a window of 50,000 cycles: reused by the four top loads, and the part that no other load reads; read by streaming loads. */
double character_reused_kb(const struct character *c);
double character_private(const struct character *c);
double character_stream_kb(const struct character *c);

/* As run_workload, timed; of several SMs the watched one is described (sim.watch_sm). *out is large: keep it on the heap. entry NULL: the file's first kernel. */
bool character_measure(const char *name, const char *size, const char *entry, const struct config *cfg,
                       const struct run_progress *p, struct character *out, struct err *e);

#endif

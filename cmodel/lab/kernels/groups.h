/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups: into which group of a paper a kernel of ours falls by the paper's own rule, on the paper's machine, beside the group that
 * the paper has the program in.
 *
 * scheduler: the first group where warps, threads or CTAs limit the CTAs of an SM, the second where registers or shared memory do
 *   (FineReg, section II)
 * registers: the first where registers limit them (LTRF, Benchmarks: whether the register file limits the achievable TLP)
 * cache: the first where the kernel is more than 30 % faster with 192 KB of L1 than with the machine's (Linebacker, section 2.1)
 * metric: the first, second, third where results are judged by ssim, by deviation, exactly (Static data compression, Table 4)
 */
#ifndef RT_KERNELS_GROUPS_H
#define RT_KERNELS_GROUPS_H

#include "lab/run/run.h"
#include "lab/kernels/suite/about.h"

enum { GROUP_L1_BYTES = 192 * 1024 };
struct group {
  char ours[16]; /* one of the paper's groups */
  char why[128]; /* "8 CTAs by warps"; "1.42 times as fast with 192 KB of L1" */
  bool as_paper; /* it is the paper's */
};
/* The paper must have a rule, and the manifest a group. c: the paper's machine; p: of runs with timing (cache). */
bool group_of_kernel(const char *name, const char *size, const struct about *a, enum paper paper,
                     const struct config *c, const struct run_progress *p, struct group *out, struct err *e);

#endif

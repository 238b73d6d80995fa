/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune: the narrowest formats of a kernel's floats, found by trial. The slices paper, 4.1, takes its
 * widths from the method of Angerd, Sintorn, Stenstrom: A Framework for Automated and Controlled
 * Floating-Point Accuracy Reduction in Graphics Applications on GPUs, ACM TACO 14(4), 2017. Here: the
 * precision of all values together falls, a format at a time, as long as the results of every input keep the
 * required quality; then each half of the set continues separately, and each half of that, down to single values.
 *
 * A trial is an execution of the packed code without timing for each input: exec/ rounds what is written as the
 * truncator and the converter do. Inputs are the launch file of size small, with its own seed and with others, and,
 * if those do not suffice, that of size default: what is found must hold there. A trial that executes more than a
 * sixteenth more warp instructions than the reference fails. The sequence of trials depends on their outcomes only,
 * so the result is the same for any number of jobs, and a journal of outcomes lets an interrupted search continue.
 */
#ifndef RT_CAMPAIGN_TUNE_H
#define RT_CAMPAIGN_TUNE_H

#include "lab/run/quality.h"
#include "lab/run/widths.h"

struct tune_goal {
  enum quality_level level; /* perfect or high, or, if `own` is set, at least (ssim) or at most (deviation): */
  bool own;
  enum quality_metric metric;
  double threshold;
};
/* "perfect", "high", "0.95" (ssim above 0 up to 1), "5%" (deviation from 0 to 100). */
bool tune_goal(const char *text, struct tune_goal *g, struct err *e);

struct tune {
  const char *name; /* a kernel, or the path of a launch file */
  struct tune_goal goal;
  const char *metric; /* NULL: the manifest's */
  unsigned seeds;     /* that are tried beside the file's own */
  unsigned jobs;      /* inputs executed at a time */
  bool small_only;    /* without the inputs of size default */
  const char *output; /* the file to write; NULL: PTX.widths beside the launch file */
  void (*progress)(void *ctx, unsigned settled, unsigned values, unsigned trials); /* or NULL */
  void *ctx;
};
struct tuned { /* plain data */
  char file[1024];
  unsigned values, inputs, trials, reused; /* reused: of the trials, outcomes that the journal knew */
  uint64_t nibbles;                        /* of all values */
  struct quality worst;                    /* of all inputs */
};
bool tune_kernel(const struct tune *how, struct tuned *out, struct err *e);

#endif

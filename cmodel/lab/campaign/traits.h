/* SPDX-License-Identifier: Apache-2.0 */
/* traits: what `characterize` measures of each kernel of an experiment, in plain numbers, in parallel and kept on disk. */
#ifndef RT_CAMPAIGN_TRAITS_H
#define RT_CAMPAIGN_TRAITS_H

#include "lab/campaign/experiment.h"

struct traits {                            /* NaN: none */
  double used_mean, used_least, used_most; /* registers accessed, part of the allocated ones, in windows */
  double stall;                            /* cycles to a CTA's first complete stall */
  double miss, again;                      /* parts of the line reads: misses; misses of lines that were there before */
  double reused_kb, own, stream_kb; /* a window's: reused by the top loads, the part of one load alone; streamed */
};
/* Of each kernel of the matrix on this system, NaN where it failed (a complaint says why). To be freed. */
struct traits *traits_of(const struct setup *setup, const struct matrix *m, const char *system, struct findings *f);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_plan: the file of a campaign, `regtwin sweep PLAN.yaml` (docs/use/campaigns.md): which kernels on which machines and systems, with
 * which values of which keys, how many seeds, and what a run may take. Read only; what comes of it is lab/campaign/sweep.h's.
 */
#ifndef RT_CAMPAIGN_SWEEP_PLAN_H
#define RT_CAMPAIGN_SWEEP_PLAN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/keys.h"

enum {
  SWEEP_RUNS = 100000,  /* most runs of a plan */
  SWEEP_LIST = 1024,    /* most entries of a list */
  SWEEP_SETS = 64,      /* most keys that are set, swept or in a row, together */
  SWEEP_AGAIN = 2,      /* how often a run that was lost is tried again */
  SWEEP_SECONDS = 86400 /* most seconds of a run's limit; megabytes: 1048576 */
};

struct sweep_word { /* of a list, where it stands */
  const char *text;
  int line, col;
};
struct sweep_words {
  struct sweep_word *word;
  unsigned n, cap;
};
struct sweep_axis { /* one key and its values, as --set takes them */
  const struct key *key;
  struct sweep_words value;
  int line, col; /* of the key */
};
struct sweep_axes {
  struct sweep_axis *axis;
  unsigned n, cap;
};
struct
    sweep_rule { /* of exclude: what all must be so; kernel, machine, system, seed: a word of the plan, or key NULL */
  const char *field; /* "kernel", "machine", "system", "seed"; "" for a key */
  const struct key *key;
  struct sweep_word value;
};
struct sweep_rules {
  struct sweep_rule *rule;
  unsigned n, cap;
  int line, col; /* of the first */
};
struct sweep_plan {
  struct arena arena;
  const char *file, *name, *size, *base; /* base: a system of the plan */
  int base_line, base_col;               /* of its key; 0: there is none */
  struct sweep_words kernels, seeds, machines,
      systems;                  /* machines: none is each system's own; seeds: none is each file's own */
  struct sweep_axes set, sweep; /* set: one value each */
  struct sweep_axes zip;        /* value i of each of its keys belongs to row i; all have as many */
  struct sweep_rules *exclude;
  unsigned nexclude, exclude_cap;
  double seconds; /* limits of a run; 0: none */
  uint64_t memory_mb;
  unsigned tries; /* how often again */
};

/* Every key and each value by itself is checked here, with its place; kernels, machines and systems are words. *p may be
 * freed after an error, too. */
bool sweep_plan_text(struct sweep_plan *p, const char *file, const char *text, size_t n, struct err *e);
void sweep_plan_free(struct sweep_plan *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* character_report: the results of characterize as a table, JSON, a page's table, and plots. */
#ifndef RT_KERNELS_CHARACTER_REPORT_H
#define RT_KERNELS_CHARACTER_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "lab/kernels/suite/about.h"
#include "lab/kernels/character.h"

/* Traits that a paper may give numbers for (TRAIT, docs/reference/lists.md). */
enum trait {
  TRAIT_used,         /* registers accessed in 1000 instructions of the SM */
  TRAIT_stall,        /* cycles to the first complete stall of a CTA: a number of each program */
  TRAIT_miss,         /* L1 misses */
  TRAIT_again,        /* those that are not cold */
  TRAIT_large_reuse,  /* programs whose reused set is above 48 KB */
  TRAIT_large_stream, /* programs that stream above 16 KB */
  TRAIT_above3,       /* reuses of registers farther than 3 instructions, and than 10 */
  TRAIT_above10
};
struct paper_trait {
  enum paper paper;
  enum trait trait;
  const char *suite; /* of its programs those of this suite; "": all */
  double number;     /* in %; of stall 0: it is in the list of names */
  const char *where; /* "FineReg, Fig 5" */
};
/* The next one that has this trait, from `from` on (NULL: from the first); NULL: none. */
const struct paper_trait *trait_next(const struct paper_trait *from, enum trait trait);
/* "FineReg, Fig 5": how many characters name the paper. */
int trait_paper(const struct paper_trait *t);

/* Side by side, a column each; about[i] NULL: no manifest. Ours stands above the paper's number where a paper
 * has one, with a * where ours is more than a third off. */
void character_print(const struct character *const *c, const struct about *const *about, unsigned n, FILE *f);
/* The same as a page's tables, a line for each kernel, and means over the papers' programs. other: what the size that
 * was not measured runs ("small" beside "default"), functionally; no launches: it has no other size. */
void character_markdown(const struct character *const *c, const struct run_result *other,
                        const struct about *const *about, unsigned n, FILE *f);
json_t *character_json(const struct character *c, const struct about *about);
/* PNG files in a directory that exists: one of all kernels for each measure, NAME.png for each kernel's
 * courses over time. Needs gnuplot: false and *e without it. */
bool character_plots(const struct character *const *c, unsigned n, const char *dir, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* character_report: the results of characterize as a table, JSON, a page's table, and plots. */
#ifndef RT_CHARACTERIZE_CHARACTER_REPORT_H
#define RT_CHARACTERIZE_CHARACTER_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "suite/about.h"
#include "characterize/character.h"

#define PAPER_USED 55.3 /* % of registers accessed in 1000 instructions, mean: FineReg, Fig 5 */

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

/* SPDX-License-Identifier: Apache-2.0 */
/* cost_notes: what a reader must know of the areas and energies of a matrix, below its tables and in its JSON and picture. */
#ifndef RT_CAMPAIGN_COST_NOTES_H
#define RT_CAMPAIGN_COST_NOTES_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/matrix.h"

/* True if the measure is an area or an energy (measure_has_cost); false if no run has a result. */
bool matrix_has_cost(const struct matrix *m, const struct measure *x);
/* True if collector units are in the cost of some systems and not in that of others: their areas and energies do not compare. */
bool cost_units_differ(const struct matrix *m);
/* Columns of the notes below a table of systems and kernels, and below one of 80 columns. */
enum { NOTE_COLUMNS = 120, NOTE_COLUMNS_BRIEF = 80 };
/* Prints an empty line and each note as lines of at most `columns`; nothing without a note. A note says which systems have blocks
 * without a cost, what of a system is not in its cost, why runs have no area or no energy (a size that is not recorded), or which
 * systems have collector units in their cost that the others have not. */
void cost_notes_print(const struct matrix *m, unsigned columns, FILE *f);
/* Prints, for each system whose ratio of measure x to the first one lies on the other side of 1 at the larger bound of logic, an
 * empty line and those ratios at both bounds; nothing if x is no area and no energy. */
void cost_bounds_print(const struct matrix *m, const struct measure *x, unsigned columns, FILE *f);
/* Returns the notes as an array of texts, owned by the caller. */
json_t *cost_notes_json(const struct matrix *m);

#endif

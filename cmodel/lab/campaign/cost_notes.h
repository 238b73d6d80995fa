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
/* Prints an empty line and each note as a line; nothing without a note. A note says which systems have blocks without a cost,
 * or which ones have collector units in their cost that the others have not. */
void cost_notes_print(const struct matrix *m, FILE *f);
/* Returns the notes as an array of texts, owned by the caller. */
json_t *cost_notes_json(const struct matrix *m);

#endif

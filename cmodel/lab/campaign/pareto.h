/* SPDX-License-Identifier: Apache-2.0 */
/* pareto: the systems of a matrix as points of two measures, e.g. area and IPC, and those of them that no other one beats in both. */
#ifndef RT_CAMPAIGN_PARETO_H
#define RT_CAMPAIGN_PARETO_H

#include <jansson.h>

#include "lab/campaign/matrix.h"

struct pareto_point { /* of a system: geometric means over the kernels of the ratios to the first system; NaN: none */
  double x, y;
  bool x_earlier, y_earlier; /* matrix_earlier */
  bool front;                /* no other system is better in one and as good in the other */
};
/* Sets `front` of n points; one with a NaN is on none. */
void pareto_front(struct pareto_point *p, unsigned n, bool x_less, bool y_less);
void pareto_print(const struct matrix *m, const struct measure *x, const struct measure *y, FILE *f);
json_t *pareto_json(const struct matrix *m, const struct measure *x, const struct measure *y); /* the caller's */
bool pareto_plot(const struct matrix *m, const struct measure *x, const struct measure *y, const char *path,
                 struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* detail: see detail.h. */
#include "lab/run/detail.h"

#include <stdlib.h>

void run_detail_free(struct run_detail *d) {
  free(d->sm);
  free(d->launch);
  *d = (struct run_detail){0};
}

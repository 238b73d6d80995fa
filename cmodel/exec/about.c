/* SPDX-License-Identifier: Apache-2.0 */
/* about: what a parsed launch file says of itself, for reports. */
#include "exec/script.h"

uint64_t script_seed(const struct script *s) { return s->seeded && s->seed ? s->seed : 1; }

const char *script_kernel(const struct script *s, unsigned i) { return i < s->nkernel ? s->kernel[i].name : NULL; }

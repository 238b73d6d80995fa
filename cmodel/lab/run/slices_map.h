/* SPDX-License-Identifier: Apache-2.0 */
/* slices_map: a picture of the values in the slices of packed code's registers, instruction by instruction. */
#ifndef RT_RUN_SLICES_MAP_H
#define RT_RUN_SLICES_MAP_H

#include "compiler/ir/code.h"

/* To a .png or .svg, by gnuplot. */
bool slices_draw(const struct code *c, const char *path, struct err *e);

#endif

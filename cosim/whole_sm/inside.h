/* SPDX-License-Identifier: Apache-2.0 */
/* inside: the parts of a block, with the inputs with which the block drives them. */
#ifndef RT_COSIM_INSIDE_H
#define RT_COSIM_INSIDE_H

#include <stdbool.h>

/* Like the observer's cycle() of sm/twin.h: structs BLOCK, BLOCK_in, BLOCK_out. False: stop. */
typedef bool (*inside_show)(void *ctx, const char *block, const void *state, const void *in, const void *out);

/* Shows the parts of `block` in this cycle of it, if it has some whose wires are known here. False when `show` said so. */
bool inside_show_parts(const char *block, const void *state, const void *in, const void *out, inside_show show,
                       void *ctx);

#endif

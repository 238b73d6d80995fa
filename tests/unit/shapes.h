/* SPDX-License-Identifier: Apache-2.0 */
/* shapes: the structs of shapes.def, for shapes_test.c. */
#ifndef RT_TESTS_SHAPES_H
#define RT_TESTS_SHAPES_H

#define BLOCK shapes
#define BLOCK_DEF "../../tests/unit/shapes.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#include "blocks/declare.h"

struct shapes {
  struct shapes_state r;
};

#endif

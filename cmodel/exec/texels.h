/* SPDX-License-Identifier: Apache-2.0 */
/* texels: the host copies between an image in device memory (exec/texture.h), whatever its layout, and rows of its own. */
#ifndef RT_EXEC_TEXELS_H
#define RT_EXEC_TEXELS_H

#include "exec/texture.h"

struct memory;     /* exec/exec.h */
struct texel_box { /* of one level; z counts slices of a 3-D image and layers of an array (of cubes: faces) */
  uint32_t level, x, y, z, w, h, d;
};
struct texel_rows { /* in the host's memory: bytes from row to row and from slice to slice; 0: packed */
  void *data;
  uint64_t row, slice;
};
uint64_t texels_bytes(const struct texture *t); /* of all levels, packed one behind the other */
/* False and *e, without a place: the box does not lie in the level, the image not in one buffer. Nothing is copied then. */
bool texels_read(const struct texture *t, struct memory *mem, const struct texel_box *b, const struct texel_rows *to,
                 struct err *e);
bool texels_write(const struct texture *t, struct memory *mem, const struct texel_box *b, const struct texel_rows *from,
                  struct err *e);
/* Each texel of the box is `texel`, texture_texel_bytes of it. */
bool texels_fill(const struct texture *t, struct memory *mem, const struct texel_box *b, const void *texel,
                 struct err *e);
/* All levels, packed one behind the other. */
bool texels_read_all(const struct texture *t, struct memory *mem, void *to, struct err *e);
bool texels_write_all(const struct texture *t, struct memory *mem, const void *from, struct err *e);

#endif

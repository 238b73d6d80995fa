/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array: the CUDA arrays of a session, mipmapped ones and their levels included, and the boxes of bytes that copies move to and
 * from them. An array is a block-linear image in device memory (exec/texture.h). With the lock held and the session open.
 */
#ifndef RT_CUDART_ARRAY_H
#define RT_CUDART_ARRAY_H

#include "host/cudart/runtime.h"
#include "host/cudart/texture_types.h"
#include "exec/texels.h"

struct array {
  struct texture image; /* of a level: as if it were an image of its own, in the memory of all */
  cudaChannelFormatDesc desc;
  cudaExtent extent; /* in texels, as the program gave it; 0: no such dimension */
  unsigned flags;
  bool is_level;                 /* of a mipmapped array, which owns it */
  cudaArray_t level[TEX_LEVELS]; /* of a mipmapped array: those that the program has asked for; NULL: not yet */
};
/* NULL: no such array, or it was freed. */
struct array *rt_array(cudaArray_t a);
struct array *rt_mipmapped(cudaMipmappedArray_t a);

/* A level of an image becomes an image of its own, at its address, in the blocks of the whole. */
void rt_image_level(struct texture *t, unsigned level);

/* Type, channels and whether its integers read as normalized values; cudaErrorInvalidChannelDescriptor: there are no such texels;
 * cudaErrorNotSupported: told. */
cudaError_t rt_format(const cudaChannelFormatDesc *d, struct texture *out);

/* ---- copies ---- */

size_t rt_texel_bytes(const struct array *a);
cudaExtent rt_array_texels(const struct array *a); /* width, rows, and slices or layers; none is 0 */
/* Between a box of texels and rows in memory; only in the second, both sides are arrays with texels of one size. */
cudaError_t rt_array_write(const struct array *to, const struct texel_box *b, const struct texel_rows *from);
cudaError_t rt_array_read(const struct array *from, const struct texel_box *b, const struct texel_rows *to);
cudaError_t rt_array_move(const struct array *to, const struct texel_box *b, const struct array *from,
                          const struct texel_box *a);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* texture_image: an image of one level without a place, read at texel centres, clamped: what the tests of textures begin with. */
#ifndef RT_TESTS_TEXTURE_IMAGE_H
#define RT_TESTS_TEXTURE_IMAGE_H

#include "exec/texture.h"

/* `d`: the depth of a 3-D image, else layers. */
static inline struct texture plain_image(unsigned geom, unsigned type, unsigned channels, uint32_t w, uint32_t h,
                                         uint32_t d) {
  const uint8_t order[] = {0, ORDER_R, ORDER_RG, ORDER_RGB, ORDER_RGBA};
  return (struct texture){.type = (uint8_t)type,
                          .channels = (uint8_t)channels,
                          .order = order[channels],
                          .geom = (uint8_t)geom,
                          .levels = 1,
                          .width = w,
                          .height = h,
                          .depth = geom == GEOM_3D ? d : 1,
                          .layers = geom == GEOM_3D ? 1 : d,
                          .sampler = {.address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}, .lod_max = 15}};
}

#endif

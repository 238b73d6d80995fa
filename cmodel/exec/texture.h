/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: images in device memory as textures and surfaces read and write them, and the samplers. Made by launch/ (launch files)
 * and host/session/ (host programs), read by exec/. docs/reference/textures.md is the specification of the values.
 *
 * An image lies in the memory image (exec.h) at `addr`, `bytes` long, all of it in one buffer: pitch-linear rows, or block-linear
 * as arrays lie. The host copies to and from it with exec/texels.h.
 */
#ifndef RT_EXEC_TEXTURE_H
#define RT_EXEC_TEXTURE_H

#include <stdbool.h>

#include "base/err.h"
#include "compiler/ir/texture.h"

enum tex_layout { TEX_PITCH, TEX_BLOCK };
enum { TEX_LEVELS = 16 };
enum tex_order { /* which components the 1 to 4 channels are; those that are missing read 0, alpha 1 */
                 ORDER_R,
                 ORDER_RG,
                 ORDER_RGB,
                 ORDER_RGBA,
                 ORDER_BGRA,
                 ORDER_A,
                 ORDER_LUMINANCE,
                 ORDER_INTENSITY
};

struct tex_sampler {
  uint8_t address[3];  /* enum tex_address, of x, y, z */
  uint8_t filter, mip; /* enum tex_filter, within a level and between levels */
  bool normalized; /* coordinates from 0 to 1; else texels. WRAP and MIRROR need it: else they act as CLAMP (CUDA) */
  uint8_t compare; /* enum cmpop of TEX_COMPARE */
  float border[4]; /* of BORDER, in the type that the texture returns */
  float lod_bias, lod_min, lod_max;
};

struct texture {
  const char *name; /* for messages; NULL: none */
  /* the image */
  uint32_t addr, bytes;    /* global memory; addr 0: it has no memory */
  uint8_t type;            /* of a channel: T_U8 T_U16 T_U32 T_S8 T_S16 T_S32 T_F16 T_F32 */
  uint8_t channels, order; /* 1 to 4; enum tex_order */
  uint8_t layout, geom;    /* enum tex_layout; enum tex_geom of the array: an access of another one is an error */
  uint8_t levels;          /* mip levels, 1 to TEX_LEVELS */
  uint8_t block_height, block_depth; /* TEX_BLOCK: log2 of the GOBs of a block */
  uint32_t width, height, depth;     /* texels of level 0; 1 where the geometry has no such axis */
  uint32_t layers;                   /* 1, or layers of an array; of cubes six each */
  uint32_t pitch;                    /* TEX_PITCH: bytes from row to row; slices and layers are `height` rows apart */
  uint32_t level_at[TEX_LEVELS];     /* byte of each level */
  /* how it is read */
  bool normalized_values; /* 8- and 16-bit integers read as f32 from 0 to 1 or -1 to 1 */
  bool writable;          /* a surface may be written */
  bool linear_1d;         /* of linear memory: 1-D with integer coordinates only, out of range reads 0 (tex1Dfetch) */
  struct tex_sampler sampler;
};

struct textures {                /* what handles of a launch name (compiler/ir/texture.h) */
  const struct texture *texture; /* a number whose `levels` is 0 names nothing */
  const struct tex_sampler *sampler;
  const uint64_t *ref; /* by number of module.texref: HANDLE_TEXTURE, HANDLE_SAMPLER or HANDLE_SURFACE; 0: unbound */
  uint32_t ntexture, nsampler, nref;
};

/* Sizes, format, layout: false and *e (without a place) for what no machine takes; limits: TEX_MAX. Fills level_at and bytes,
 * and for TEX_BLOCK block_height and block_depth; pitch 0 becomes the least. addr is not looked at. */
bool texture_lay_out(struct texture *t, struct err *e);
/* The same with blocks not smaller than those that it has: of a level by itself, which has the blocks of its image. */
bool texture_lay_out_again(struct texture *t, struct err *e);
unsigned texture_texel_bytes(const struct texture *t);
uint32_t texture_level_size(uint32_t size, unsigned level); /* texels along an axis of `size` */
unsigned texture_most_levels(const struct texture *t);      /* down to one texel; pitch-linear: one */
/* Largest sizes, those of the CUDA guide's table of compute capabilities from 5.0 on: 1-D of linear memory, 1-D, 2-D, 3-D,
 * layers, pitch-linear 2-D; bytes are below 2^30 anyway. */
enum { TEX_MAX_LINEAR = 1 << 27, TEX_MAX_1D = 65536, TEX_MAX_2D = 65536, TEX_MAX_3D = 4096, TEX_MAX_LAYERS = 2048 };

#endif

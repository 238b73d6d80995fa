/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: what the instructions on textures and surfaces (compiler/ir/insn.def) and the values that name them mean. The images
 * themselves are exec/texture.h's.
 */
#ifndef RT_IR_TEXTURE_H
#define RT_IR_TEXTURE_H

#include <stdint.h>

/* insn.sub of TEX, TLD4, SULD, SUST: how many coordinates, and of which kind. Operands in the order of PTX, without its
 * padding: layer (u32) first of an array (a1d, a2d, acube), then x, y, z; of a cube the direction x, y, z. */
enum tex_geom { GEOM_1D, GEOM_2D, GEOM_3D, GEOM_A1D, GEOM_A2D, GEOM_CUBE, GEOM_ACUBE, GEOM_COUNT };
/* insn.cmp of TEX. LEVEL: one more source, the level of detail (type of the coordinates). (tex.grad is LEVEL behind instructions
 * that compute the level: compiler/ptx/lower_texture.c.) */
enum tex_lod { TEX_BASE, TEX_LEVEL };
/* insn.tex, bits: operands of TEX and TLD4 that are there, in this order around the coordinates. OFFSET: behind the coordinates
 * (and the level) one u32, the texels added to x, y, z: four bits each, signed, x lowest. COMPARE: last, an f32 that each texel is
 * compared with; every one of the vec results is the result of that. */
enum {
  TEX_SAMPLER = 1, /* src[1] = handle of the sampler; without it the texture's own one */
  TEX_OFFSET = 2,
  TEX_COMPARE = 4
};
/* insn.cmp of SULD, SUST: what an access outside of the surface does. TRAP: ends the launch with an error; CLAMP: goes to the
 * nearest texel; ZERO: reads 0, writes nothing. */
enum su_clamp { SU_TRAP, SU_CLAMP, SU_ZERO };
/* insn.tex of SUST. 0: .b, the bytes as they are; x counts bytes. SU_HALF: of .b, one of two instructions for a vector that is
 * twice as large: alignment, limits and clamping are the whole vector's; this half's bytes lie insn.offset behind its place.
 * SU_FORMATTED: .p, the values are converted to the surface's format, x counts texels; `vec` values for the components from
 * number tex >> 4 on. */
enum { SU_FORMATTED = 1, SU_HALF = 2 };
/* Which source operand k is, and of which type (enum dtype) an instruction on textures or surfaces reads it. */
struct insn;
enum tex_source { TS_HANDLE, TS_LAYER, TS_COORDINATE, TS_LEVEL, TS_OFFSET, TS_COMPARE, TS_VALUE };
enum tex_source tex_source(const struct insn *i, unsigned k);
uint8_t tex_source_type(const struct insn *i, unsigned k);
/* insn.sub of TXQ (txq and suq): src[0] = handle; LEVEL in insn.cmp: src[1] = the level (u32). */
enum tex_query {
  TXQ_WIDTH,
  TXQ_HEIGHT,
  TXQ_DEPTH,
  TXQ_CHANNEL_TYPE, /* the numbers of OpenCL's CL_*, as the PTX manual says */
  TXQ_CHANNEL_ORDER,
  TXQ_NORMALIZED, /* .normalized_coords; of a sampler .force_unnormalized_coords */
  TXQ_FILTER_MODE,
  TXQ_ADDR_0,
  TXQ_ADDR_1,
  TXQ_ADDR_2,
  TXQ_ARRAY_SIZE,
  TXQ_LEVELS,
  TXQ_SAMPLES,
  TXQ_MEMORY_LAYOUT
};

/*
 * Handles: what a kernel has in a 64-bit register, a parameter or as an immediate. The high word is 0, so that an instruction may
 * take the low one alone (compiler/ptx/lower_texture.c does where the operands would need more than six registers).
 * Anything else is an error of the launch with its place.
 */
enum handle_kind {
  HANDLE_NONE,
  HANDLE_TEXTURE,   /* number of textures.texture, read through a texture's sampler */
  HANDLE_SAMPLER,   /* number of textures.sampler */
  HANDLE_SURFACE,   /* number of textures.texture, its memory as a surface */
  HANDLE_REF,       /* number of module.texref: what textures.ref binds to it */
  HANDLE_CL_SAMPLER /* the literal of an OpenCL sampler in the low bits: normalized | addressing << 1 | filter << 4 */
};
enum { HANDLE_SHIFT = 28 };
#define HANDLE_INDEX 0x0fffffffu
static inline uint64_t handle_of(enum handle_kind k, uint32_t index) {
  return (uint64_t)k << HANDLE_SHIFT | (index & HANDLE_INDEX);
}
static inline enum handle_kind handle_kind(uint64_t h) {
  return h >> (HANDLE_SHIFT + 3) ? HANDLE_NONE : (enum handle_kind)(h >> HANDLE_SHIFT);
}
static inline uint32_t handle_index(uint64_t h) { return (uint32_t)h & HANDLE_INDEX; }

/* Coordinates of a geometry that count or lie along an axis: 1 to 3 (of a cube: 3); whether a layer precedes them. */
static inline unsigned geom_axes(enum tex_geom g) {
  static const uint8_t n[GEOM_COUNT] = {1, 2, 3, 1, 2, 3, 3};
  return n[g];
}
static inline int geom_layered(enum tex_geom g) { return g == GEOM_A1D || g == GEOM_A2D || g == GEOM_ACUBE; }

/* A variable .texref, .samplerref or .surfref of a module: it has a number, its place in module.texref, and no memory. */
struct texref {
  const char *name;
  uint8_t kind; /* HANDLE_TEXTURE, HANDLE_SAMPLER, HANDLE_SURFACE */
  /* of an initialiser, bit per property of a sampler that it sets: 1 normalized, 2 filter, 4 << k address k */
  uint8_t given;
  uint8_t normalized, filter, address[3]; /* enum tex_filter, tex_address */
  uint32_t line, col;
};
/* Numbers as the PTX manual and CUDA have them in common. */
enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };
enum tex_filter { TEX_POINT, TEX_LINEAR };

#endif

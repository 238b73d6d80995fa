/* SPDX-License-Identifier: Apache-2.0 */
/* texture_make: images, and a kernel of one CTA whose instructions are put together one by one, for the tests of textures without a
 * reference. */
#ifndef RT_TESTS_TEXTURE_MAKE_H
#define RT_TESTS_TEXTURE_MAKE_H

#include "exec/texture.h"
#include "exec_kern.h"
#include "kit.h"
#include "texel_at.h"
#include "texture_image.h"

/* ---- images ---- */

static inline struct texture blocks(unsigned geom, unsigned type, unsigned channels, uint32_t w, uint32_t h,
                                    uint32_t d) {
  struct texture t = plain_image(geom, type, channels, w, h, d);
  t.layout = TEX_BLOCK;
  return t;
}
static inline void laid_out(struct texture *t) {
  struct err e = {0};
  if (!texture_lay_out(t, &e)) fail_msg("%s", e.text);
}

/* ---- launches ---- */

enum { HANDLES = 8 };
struct tk { /* a kernel with textures */
  struct kern *k;
  struct texture t[HANDLES];
  struct tex_sampler s[HANDLES];
  struct textures all;
  uint64_t ref[2];
  struct texref name[2];
  uint32_t out;
};

static inline struct tk *make(uint32_t threads) {
  struct tk *m = calloc(1, sizeof *m);
  m->k = kern(threads, 1);
  m->all = (struct textures){.texture = m->t, .sampler = m->s, .ref = m->ref, .nref = 2};
  m->name[0] = (struct texref){.name = "tex_a", .kind = HANDLE_TEXTURE};
  m->name[1] = (struct texref){.name = "tex_b", .kind = HANDLE_TEXTURE};
  m->k->l.textures = &m->all;
  m->k->m.texref = m->name;
  m->k->m.ntexref = 2;
  m->out = buffer(m->k, "out", BUF);
  return m;
}
static inline void unmake(struct tk *m) {
  end(m->k);
  free(m);
}

/* Texel number n of channel c holds value(n, c); its handle. */
static inline uint64_t add_image(struct tk *m, struct texture t, uint32_t (*value)(uint32_t n, unsigned c)) {
  laid_out(&t);
  t.addr = buffer(m->k, "image", t.bytes);
  const unsigned size = dtype_bytes(t.type);
  uint32_t n = 0;
  for (uint32_t z = 0; z < t.depth * t.layers; z++)
    for (uint32_t y = 0; y < t.height; y++)
      for (uint32_t x = 0; x < t.width; x++, n++)
        for (unsigned c = 0; c < t.channels; c++) {
          const uint32_t v = value(n, c);
          memcpy(memory_at(m->k->mem, t.addr + texture_texel_at(&t, 0, x, y, z) + c * size, size), &v, size);
        }
  m->t[m->all.ntexture] = t;
  return handle_of(HANDLE_TEXTURE, m->all.ntexture++);
}
static inline uint32_t counted(uint32_t n, unsigned c) { return n + 100 * c; }
static inline uint32_t as_float(uint32_t n, unsigned c) { return f32_bits((float)n + 100.0f * (float)c); }
static inline uint64_t surface(uint64_t texture) { return handle_of(HANDLE_SURFACE, handle_index(texture)); }

static inline struct insn *op(struct kern *k, enum opcode o, unsigned geom, enum dtype type, enum dtype stype,
                              unsigned vec) {
  struct insn *i = put(k, o, type, NONE, NONE, NONE, NONE);
  i->stype = (uint8_t)stype;
  i->sub = (uint8_t)geom;
  i->vec = (uint8_t)vec;
  return i;
}
static inline void src(struct insn *i, struct opnd o) { i->src[i->nsrc++] = o; }
static inline void dst(struct insn *i, struct opnd o) { i->dst[i->ndst++] = o; }

/* R(8)..R(11) = tex of two (or one) coordinates in R(4), R(5). */
static inline struct insn *fetch(struct kern *k, unsigned geom, enum dtype type, enum dtype stype, struct opnd handle) {
  struct insn *i = op(k, OP_TEX, geom, type, stype, 4);
  src(i, handle);
  for (unsigned a = 0; a < geom_axes(geom) + (unsigned)geom_layered(geom); a++) src(i, R(4 + a));
  for (unsigned c = 0; c < 4; c++) dst(i, R(8 + c));
  return i;
}
static inline void keep(struct tk *m, unsigned r) { /* out[thread] */
  where(m->k, 16, m->out, 4);
  st(m->k, SP_GLOBAL, T_U32, D(18), 0, R(r));
}

#endif

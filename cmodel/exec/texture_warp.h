/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_warp: execution of TEX, TLD4, TXQ, SULD and SUST; docs/reference/textures.md has the values. Private to exec/.
 *
 * texture.c finds what the handles name and divides the lanes into groups that read one image through one sampler;
 * texture_sample.c finds a group's texels, texture_texel.c converts them, surface.c has SULD and SUST.
 */
#ifndef RT_EXEC_TEXTURE_WARP_H
#define RT_EXEC_TEXTURE_WARP_H

#include "exec/texture.h"
#include "exec/texture_axes.h"
#include "exec/warp.h"

enum { TAPS = 8, CHANNELS = 4 }; /* texels of one level at most; channels of a texel */
enum { COMP_ZERO = 4, COMP_ONE };

/* A texture of the launch, made ready at its first use by a stream. */
struct image {
  bool known;
  bool floats;            /* it reads as f32 */
  uint8_t type, channel;  /* of a channel; its bytes */
  uint8_t comp[CHANNELS]; /* channel of each component, or COMP_ZERO, COMP_ONE */
  uint8_t of[CHANNELS];   /* component of each channel, for the border colour */
  struct texture t;       /* laid out */
  struct texture_axes level[TEX_LEVELS];
};

struct images { /* of a stream (struct exec) */
  uint32_t n;
  struct image *image; /* by number of launch.textures */
};

/* ---- texture.c ---- */
/* Of one instruction: addresses of the texels that each lane touches, row by row. */
struct touched {
  _Alignas(64) uint32_t a[TAPS][LANES];
  uint32_t on[TAPS]; /* lanes that touch memory in this row */
  unsigned rows, bytes;
  bool filtered;
};
static inline void touched_start(struct touched *t) { /* a[] needs no values: see texture_touch */
  memset(t->on, 0, sizeof t->on);
  t->rows = t->bytes = 0;
  t->filtered = false;
}
/* Tells races and timing of them; `write`: they are written. */
void texture_touch(struct exec *x, struct warp *w, const struct dinsn *d, struct touched *t, bool write,
                   struct warp_inst *out);
/* The image that the handle in operand k of this lane names, as HANDLE_TEXTURE or HANDLE_SURFACE. NULL: a fault was
 * reported. */
const struct image *texture_image(struct exec *x, struct warp *w, const struct dinsn *d, unsigned k, unsigned lane,
                                  enum handle_kind want);
/* Lanes of `lanes` with the same handle in operand k as the lowest of them. */
uint32_t texture_group(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned k, uint32_t lanes);
/* An instruction of this geometry may access it: its own, or one row of a 2-D image as a 1-D one. */
bool texture_is(const struct image *m, unsigned geom);
int texture_fault(struct exec *x, struct warp *w, const struct dinsn *d, int lane, const struct image *m,
                  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* ---- texture_texel.c ---- */
/* The texels' raw words at 32 addresses, as this SM sees them. */
void texel_fetch(const struct exec *x, const uint32_t *a, unsigned bytes, uint32_t (*raw)[LANES]);
/* Channel k of the raw words as it reads: an integer, or the bits of an f32. */
void texel_channel(const struct image *m, const uint32_t (*raw)[LANES], unsigned k, uint32_t *to);
/* The border colour of channel k, likewise. */
uint32_t texel_border(const struct image *m, const struct tex_sampler *s, unsigned k);
/* A value of sust.p as the bytes of a channel, in the low bits. */
uint32_t texel_pack(const struct image *m, uint32_t v);

/* ---- texture_sample.c ---- */
struct sampling { /* of a group of lanes */
  const struct image *m;
  const struct tex_sampler *s;
  const struct insn *i;
  uint32_t lanes;
  const uint32_t *layer, *coord[3], *lod, *offset, *ref; /* rows; NULL: there is none */
  uint8_t want;                                          /* channels that results need, bits */
};
/* value: by channel (TLD4: by texel), bits of f32 or integers; of all 32 lanes, meaningful in the group's. */
void texture_sample(const struct exec *x, const struct sampling *p, struct touched *t, uint32_t (*value)[LANES]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_kit: for the tests of texture values: images of any format with random texels, and kernels in PTX that fetch at the
 * coordinates of a list, a thread each.
 */
#ifndef RT_TESTS_TEXTURE_KIT_H
#define RT_TESTS_TEXTURE_KIT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/texture.h"
#include "compiler/ptx/ptx.h"
#include "unit/reference/texture.h"
#include "compiler/regalloc/regalloc.h"
#include "kit.h"
#include "texel_at.h"

static uint64_t kit_seed = 22;
static inline uint32_t draw(uint32_t n) { return (uint32_t)(rng_next(&kit_seed) >> 33) % n; }

/* ---- formats ---- */
struct format {
  const char *name;
  enum dtype type;
  bool normalized;
};
static const struct format kit_format[] = {
    {"u8", T_U8, false},      {"u16", T_U16, false},      {"u32", T_U32, false},    {"s8", T_S8, false},
    {"s16", T_S16, false},    {"s32", T_S32, false},      {"u8 unorm", T_U8, true}, {"u16 unorm", T_U16, true},
    {"s8 snorm", T_S8, true}, {"s16 snorm", T_S16, true}, {"f16", T_F16, false},    {"f32", T_F32, false},
};
enum { FORMATS = sizeof kit_format / sizeof *kit_format };
static inline bool format_float(const struct format *f) {
  return f->normalized || f->type == T_F16 || f->type == T_F32;
}
static const char *const geom_name[GEOM_COUNT] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

/* ---- an image with its kernel ---- */
enum { KIT_N = 320, KIT_WORDS = 12 }; /* queries of a launch, 32-bit words of each */
struct kit {
  struct module *m;
  struct code *code;
  struct memory *mem;
  struct texture t[1];
  struct tex_sampler sampler[1];
  struct textures set;
  struct tref_image image; /* the host's copy of the image, as bytes */
  uint32_t in, out;
  uint32_t query[KIT_N][KIT_WORDS], result[KIT_N][4];
};

/* The body reads %r0 to %r11, %f0 to %f11 (the query's words, both), %tex, %smp and leaves its results in %o0 to %o3; %h0 to %h7
 * are 16-bit registers. */
static inline struct module *kit_module(const char *target, const char *body) {
  char *text;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  struct err e = {0};
  char why[1200];
  fprintf(f, ".version 7.4\n.target %s\n.address_size 64\n", target);
  fprintf(f,
          ".visible .entry k(.param .u64 p_tex, .param .u64 p_smp, .param .u64 p_in, .param .u64 p_out, .param .u32 "
          "p_n) {\n");
  fprintf(f, ".reg .pred %%p; .reg .b32 %%r<12>, %%o<4>, %%i, %%n; .reg .f32 %%f<12>; .reg .b16 %%h<8>;\n");
  fprintf(f, ".reg .b64 %%tex, %%smp, %%in, %%out, %%at;\n");
  fprintf(f, "ld.param.u64 %%tex, [p_tex];\nld.param.u64 %%smp, [p_smp];\nld.param.u64 %%in, [p_in];\n");
  fprintf(f, "ld.param.u64 %%out, [p_out];\nld.param.u32 %%n, [p_n];\nmov.u32 %%i, %%tid.x;\n");
  fprintf(f, "setp.ge.u32 %%p, %%i, %%n;\n@%%p exit;\n");
  fprintf(f, "mul.wide.u32 %%at, %%i, %d;\nadd.u64 %%in, %%in, %%at;\n", 4 * KIT_WORDS);
  for (int k = 0; k < KIT_WORDS; k += 4)
    fprintf(f, "ld.global.v4.u32 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%in + %d];\n", k, k + 1, k + 2, k + 3, 4 * k);
  for (int k = 0; k < KIT_WORDS; k++) fprintf(f, "mov.b32 %%f%d, %%r%d;\n", k, k);
  for (int k = 0; k < 4; k++) fprintf(f, "mov.u32 %%o%d, 0;\n", k);
  fprintf(f, "%s\n", body);
  fprintf(f, "mul.wide.u32 %%at, %%i, 16;\nadd.u64 %%out, %%out, %%at;\n");
  fprintf(f, "st.global.v4.u32 [%%out], {%%o0, %%o1, %%o2, %%o3};\nret;\n}\n");
  fclose(f);
  struct module *m = ptx_parse("t.ptx", text, n, &e);
  if (!m || !alloc_kernel(m, &m->kernel[0], 0, &e)) {
    err_format(&e, why, sizeof why);
    fail_msg("%s\n%s", why, text);
  }
  free(text);
  return m;
}

/* The image: laid out, its memory filled with random texels that its format has; the reference's own layout agrees with
 * exec's at every texel. */
static inline uint32_t random_channel(enum dtype t) {
  static const uint32_t f32[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                 0x7f812345, 0xffc12345, 1,          0x807fffff, 0x7f7fffff};
  static const uint32_t f16[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 1, 0x83ff, 0x7bff};
  const uint32_t bits = (uint32_t)rng_next(&kit_seed);
  if (t == T_F32) {
    if (!draw(8)) return f32[draw(10)];
    if (!draw(8)) return bits;
    const float v = ((float)(bits & 0xffffff) / 65536.0f - 128.0f);
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
  }
  if (t == T_F16) return !draw(8) ? f16[draw(10)] : !draw(4) ? bits : (bits & 0x83ff) | (10 + draw(10)) << 10;
  return !draw(8) ? 0x80808080 : bits;
}

static inline void kit_image(struct kit *k) {
  struct err e = {0};
  char why[1200];
  struct texture *t = k->t;
  if (t->layout == TEX_PITCH) t->pitch = t->width * tref_texel_bytes(t) + draw(3) * tref_texel_bytes(t);
  if (!texture_lay_out(t, &e)) {
    err_format(&e, why, sizeof why);
    fail_msg("%s", why);
  }
  assert_int_equal(texture_texel_bytes(t), tref_texel_bytes(t));
  if (t->layout == TEX_BLOCK) assert_int_equal(t->bytes, tref_bytes(t));
  k->image.t = t;
  k->image.byte = calloc(1, t->bytes);
  const unsigned channels = t->channels == 3 ? 4 : t->channels, bytes = tref_texel_bytes(t) / channels;
  for (unsigned l = 0; l < t->levels; l++)
    for (uint32_t z = 0; z < (t->geom == GEOM_3D ? tref_size(t, 2, l) : t->layers); z++)
      for (uint32_t y = 0; y < tref_size(t, 1, l); y++)
        for (uint32_t x = 0; x < tref_size(t, 0, l); x++) {
          const uint64_t at = tref_at(t, l, x, y, z);
          if (at + channels * bytes > t->bytes || at != texture_texel_at(t, l, x, y, z))
            fail_msg("texel (%u, %u, %u) of level %u lies at %u of %u, the reference says %u", x, y, z, l,
                     texture_texel_at(t, l, x, y, z), t->bytes, (unsigned)at);
          for (unsigned c = 0; c < channels; c++) {
            const uint32_t v = random_channel(t->type);
            memcpy(k->image.byte + at + c * bytes, &v, bytes);
          }
        }
  t->addr = memory_alloc(k->mem, "image", t->bytes);
  assert_int_not_equal(t->addr, 0);
  memcpy(memory_at(k->mem, t->addr, t->bytes), k->image.byte, t->bytes);
}

static inline struct kit *kit_new(struct module *m) {
  struct kit *k = calloc(1, sizeof *k);
  k->m = m;
  k->code = &m->kernel[0];
  k->mem = memory_new(m);
  k->in = memory_alloc(k->mem, "in", sizeof k->query);
  k->out = memory_alloc(k->mem, "out", sizeof k->result);
  k->set = (struct textures){.texture = k->t, .sampler = k->sampler, .ntexture = 1, .nsampler = 1};
  return k;
}
static inline void kit_free(struct kit *k) {
  memory_free(k->mem);
  free(k->image.byte);
  free(k);
}

static inline bool kit_try(struct kit *k, uint64_t texture, uint64_t sampler, unsigned n, struct err *e) {
  uint8_t param[64] = {0};
  const uint64_t value[5] = {texture, sampler, k->in, k->out, n};
  for (unsigned p = 0; p < 5; p++) memcpy(param + k->code->param[p].offset, &value[p], p == 4 ? 4 : 8);
  memcpy(memory_at(k->mem, k->in, sizeof k->query), k->query, sizeof k->query);
  struct launch l = {.module = k->m,
                     .code = k->code,
                     .mem = k->mem,
                     .grid = {1, 1, 1},
                     .block = {KIT_N, 1, 1},
                     .param = param,
                     .textures = &k->set};
  struct exec_counts counts = {0};
  const bool ok = exec_run(&l, 1, &counts, e);
  memcpy(k->result, memory_at(k->mem, k->out, sizeof k->result), sizeof k->result);
  return ok;
}
static inline void kit_run(struct kit *k, uint64_t texture, uint64_t sampler, unsigned n) {
  struct err e = {0};
  char why[1200];
  if (kit_try(k, texture, sampler, n, &e)) return;
  err_format(&e, why, sizeof why);
  fail_msg("%s", why);
}

/* ---- coordinates: at edges, on halves, near them, far off, and what is no number ---- */
static inline float draw_texels(uint32_t n) {
  static const float odd[] = {0.0f,   -0.0f, NAN,    INFINITY, -INFINITY, 1e-42f,      -1e-42f,       1e10f,
                              -1e10f, 3e38f, -3e38f, 1e-30f,   -1e-30f,   16777216.0f, 2147483648.0f, -0.5f};
  const int range = (int)n * 5 + 8;
  float v = (float)((int)draw((uint32_t)range) - 2 * (int)n - 4);
  switch (draw(10)) {
    case 0: return odd[draw(sizeof odd / sizeof *odd)];
    case 1: break;
    case 2: v += 0.5f; break;
    case 3: v += (float)draw(512) / 512.0f; break; /* ties of the weights */
    case 4: v = nextafterf(v, draw(2) ? INFINITY : -INFINITY); break;
    case 5: v = nextafterf(v + 0.5f, draw(2) ? INFINITY : -INFINITY); break;
    default: v += (float)(rng_next(&kit_seed) >> 40) / 16777216.0f;
  }
  return v;
}
static inline float draw_coordinate(uint32_t n, bool normalized) {
  const float v = draw_texels(n);
  return normalized ? v / (float)n : v;
}
static inline int32_t draw_integer(uint32_t n) {
  static const int32_t odd[] = {INT32_MIN, INT32_MAX, INT32_MIN + 1, INT32_MAX - 8, -1, 0, 65536, -65536};
  return !draw(12) ? odd[draw(8)] : (int32_t)draw(3 * n + 6) - (int32_t)n - 3;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: layouts of images, errors of launches, addresses that timing sees, surfaces. The values of fetches are tested
 * against a reference of their own elsewhere; here only those that are seen at a glance.
 */
#include "exec/races.h"
#include "exec/texture.h"
#include "exec_kern.h"

/* ---- layouts ---- */

static struct texture image(unsigned geom, unsigned type, unsigned channels, uint32_t w, uint32_t h, uint32_t d) {
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
static struct texture blocks(unsigned geom, unsigned type, unsigned channels, uint32_t w, uint32_t h, uint32_t d) {
  struct texture t = image(geom, type, channels, w, h, d);
  t.layout = TEX_BLOCK;
  return t;
}
static void laid_out(struct texture *t) {
  struct err e = {0};
  if (!texture_lay_out(t, &e)) fail_msg("%s", e.text);
}

/* As docs/textures.md says it. */
static uint32_t byte_in_gob(uint32_t x, uint32_t y) {
  return x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}
static uint32_t block_byte(uint32_t x, uint32_t y, uint32_t z, unsigned h, unsigned d, uint32_t wide, uint32_t high) {
  const uint32_t block = ((z >> d) * high + (y >> (3 + h))) * wide + x / 64;
  const uint32_t gob = z % (1u << d) * (1u << h) + y / 8 % (1u << h);
  return (block << (9 + h + d)) + gob * 512 + byte_in_gob(x, y);
}

static void test_blocks(void **state) {
  (void)state;
  static const struct {
    uint32_t geom, w, h, d, bh, bd;
    unsigned type, channels;
  } cases[] = {{GEOM_2D, 100, 70, 1, 4, 0, T_U8, 4},  {GEOM_2D, 1, 1, 1, 0, 0, T_F32, 4},
               {GEOM_2D, 33, 9, 1, 1, 0, T_U16, 1},   {GEOM_2D, 130, 300, 1, 4, 0, T_U8, 1},
               {GEOM_A2D, 20, 20, 3, 2, 0, T_F32, 2}, {GEOM_CUBE, 17, 17, 6, 2, 0, T_F16, 4},
               {GEOM_3D, 19, 13, 11, 1, 3, T_F32, 1}, {GEOM_3D, 5, 70, 2, 2, 1, T_U8, 2},
               {GEOM_ACUBE, 8, 8, 12, 0, 0, T_U8, 1}, {GEOM_3D, 70, 33, 9, 2, 3, T_S16, 4},
               {GEOM_2D, 8, 128, 1, 4, 0, T_U32, 3}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct texture t = blocks(cases[k].geom, cases[k].type, cases[k].channels, cases[k].w, cases[k].h, cases[k].d);
    laid_out(&t);
    assert_int_equal(t.block_height, cases[k].bh);
    assert_int_equal(t.block_depth, cases[k].bd);
    const uint32_t bytes = texture_texel_bytes(&t), wide = (cases[k].w * bytes + 63) / 64;
    const uint32_t rows = 8u << cases[k].bh, high = (cases[k].h + rows - 1) / rows;
    assert_int_equal(bytes, dtype_bytes(cases[k].type) * (cases[k].channels == 3 ? 4 : cases[k].channels));
    uint8_t *seen = calloc(t.bytes, 1);
    for (uint32_t z = 0; z < cases[k].d; z++)
      for (uint32_t y = 0; y < cases[k].h; y++)
        for (uint32_t x = 0; x < cases[k].w; x++) {
          const uint32_t at = texture_texel_at(&t, 0, x, y, z);
          assert_int_equal(at, block_byte(x * bytes, y, z, cases[k].bh, cases[k].bd, wide, high));
          assert_true(at + bytes <= t.bytes);
          for (uint32_t b = 0; b < bytes; b++) assert_int_equal(seen[at + b]++, 0);
        }
    free(seen);
    const uint32_t slices = (cases[k].d + (1u << cases[k].bd) - 1) >> cases[k].bd;
    assert_int_equal(t.bytes, (slices * wide * high) << (9 + cases[k].bh + cases[k].bd));
  }
}

static void test_pitch(void **state) {
  (void)state;
  struct texture t = image(GEOM_2D, T_F32, 1, 10, 5, 1);
  laid_out(&t);
  assert_int_equal(t.pitch, 40);
  assert_int_equal(t.bytes, 200);
  t.pitch = 64;
  laid_out(&t);
  assert_int_equal(t.bytes, 4 * 64 + 40);
  assert_int_equal(texture_texel_at(&t, 0, 3, 2, 0), 2 * 64 + 12);
  t = image(GEOM_3D, T_U8, 4, 6, 5, 4);
  t.pitch = 32;
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 1, 2, 3), (3 * 5 + 2) * 32 + 4);
  t = image(GEOM_A1D, T_U16, 1, 9, 1, 3);
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 4, 0, 2), 2 * 18 + 8);
  assert_int_equal(t.bytes, 54);
  t = blocks(GEOM_A1D, T_U16, 1, 9, 1, 3);
  laid_out(&t);
  assert_int_equal(texture_texel_at(&t, 0, 4, 0, 2), 2 * 64 + 8);
  t = image(GEOM_1D, T_F32, 4, 1 << 20, 1, 1);
  t.linear_1d = true;
  laid_out(&t);
  assert_int_equal(t.bytes, 16 << 20);
}

static void test_levels(void **state) {
  (void)state;
  struct texture t = blocks(GEOM_A2D, T_U8, 4, 40, 24, 2);
  t.levels = 6;
  laid_out(&t);
  uint8_t *seen = calloc(t.bytes, 1);
  for (unsigned l = 0; l < 6; l++) {
    const uint32_t w = 40 >> l ? 40 >> l : 1, h = 24 >> l ? 24 >> l : 1;
    for (uint32_t z = 0; z < 2; z++)
      for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
          const uint32_t at = texture_texel_at(&t, l, x, y, z);
          assert_true(at >= t.level_at[l] && at + 4 <= (l < 5 ? t.level_at[l + 1] : t.bytes));
          for (unsigned b = 0; b < 4; b++) assert_int_equal(seen[at + b]++, 0);
        }
  }
  free(seen);
}

static void refuses(struct texture t, const char *text) {
  struct err e = {0};
  assert_false(texture_lay_out(&t, &e));
  assert_string_equal(e.text, text);
}

static void test_refused(void **state) {
  (void)state;
  struct texture t = image(GEOM_2D, T_F32, 1, 10, 5, 1);
#define WITH(field, value, text) \
  do {                           \
    struct texture u = t;        \
    u.field = value;             \
    refuses(u, text);            \
  } while (0)
  WITH(geom, GEOM_COUNT, "found geometry 7, expected 1d to acube");
  WITH(layout, 2, "found layout 2, expected 0 (pitch) or 1 (block)");
  WITH(type, T_F64, "found channels of type 'f64', expected u8, u16, u32, s8, s16, s32, f16 or f32");
  WITH(channels, 0, "found 0 channels, expected 1 to 4");
  WITH(channels, 5, "found 5 channels, expected 1 to 4");
  WITH(order, ORDER_BGRA, "found 1 channel in the order 'bgra', expected 4");
  WITH(width, 0, "found width 0 of a 2-D image, expected 1 to 65536");
  WITH(width, 65537, "found width 65537 of a 2-D image, expected 1 to 65536");
  WITH(height, 65537, "found height 65537 of a 2-D image, expected 1 to 65536");
  WITH(depth, 2, "found depth 2 of a 2-D image, expected 1");
  WITH(layers, 2, "found number of layers 2 of a 2-D image, expected 1");
  WITH(levels, 0, "found number of levels 0 of a pitch-linear image, expected 1");
  WITH(levels, 2, "found number of levels 2 of a pitch-linear image, expected 1");
  WITH(pitch, 39, "found a pitch of 39 bytes, expected a multiple of 4 that is at least 40");
  WITH(pitch, 42, "found a pitch of 42 bytes, expected a multiple of 4 that is at least 40");
  WITH(linear_1d, true, "found linear memory as a 2d image, expected 1d");
  t.layout = TEX_BLOCK;
  WITH(levels, 5, "found number of levels 5 of a 2-D image, expected 1 to 4");
  t = image(GEOM_2D, T_U32, 1, 10, 5, 1);
  WITH(normalized_values, true, "found normalised values of type u32, expected integers of 8 or 16 bits");
  t = image(GEOM_1D, T_U32, 1, 10, 1, 1);
  WITH(height, 2, "found height 2 of a 1-D image, expected 1");
  t = image(GEOM_3D, T_U32, 1, 10, 10, 10);
  WITH(depth, 4097, "found depth 4097 of a 3-D image, expected 1 to 4096");
  t = image(GEOM_A2D, T_U32, 1, 10, 10, 10);
  WITH(layers, 2049, "found number of layers 2049 of an array of 2-D images, expected 1 to 2048");
  t = image(GEOM_CUBE, T_U32, 1, 10, 10, 6);
  WITH(height, 9, "found a cube of 10 x 9 texels, expected faces that are square");
  WITH(layers, 12, "found a cube of 12 layers, expected six");
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

static struct tk *make(uint32_t threads) {
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
static void unmake(struct tk *m) {
  end(m->k);
  free(m);
}

/* Texel number n of channel c holds value(n, c); its handle. */
static uint64_t add_image(struct tk *m, struct texture t, uint32_t (*value)(uint32_t n, unsigned c)) {
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
static uint32_t counted(uint32_t n, unsigned c) { return n + 100 * c; }
static uint32_t as_float(uint32_t n, unsigned c) {
  const float f = (float)n + 100.0f * (float)c;
  uint32_t v;
  memcpy(&v, &f, 4);
  return v;
}
static uint32_t bits(float f) {
  uint32_t v;
  memcpy(&v, &f, 4);
  return v;
}
static uint64_t surface(uint64_t texture) { return handle_of(HANDLE_SURFACE, handle_index(texture)); }

static struct insn *op(struct kern *k, enum opcode o, unsigned geom, enum dtype type, enum dtype stype, unsigned vec) {
  struct insn *i = put(k, o, type, NONE, NONE, NONE, NONE);
  i->stype = (uint8_t)stype;
  i->sub = (uint8_t)geom;
  i->vec = (uint8_t)vec;
  return i;
}
static void src(struct insn *i, struct opnd o) { i->src[i->nsrc++] = o; }
static void dst(struct insn *i, struct opnd o) { i->dst[i->ndst++] = o; }

/* R(8)..R(11) = tex of two (or one) coordinates in R(4), R(5). */
static struct insn *fetch(struct kern *k, unsigned geom, enum dtype type, enum dtype stype, struct opnd handle) {
  struct insn *i = op(k, OP_TEX, geom, type, stype, 4);
  src(i, handle);
  for (unsigned a = 0; a < geom_axes(geom) + (unsigned)geom_layered(geom); a++) src(i, R(4 + a));
  for (unsigned c = 0; c < 4; c++) dst(i, R(8 + c));
  return i;
}
static void keep(struct tk *m, unsigned r) { /* out[thread] */
  where(m->k, 16, m->out, 4);
  st(m->k, SP_GLOBAL, T_U32, D(18), 0, R(r));
}

static void test_fetch(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = image(GEOM_2D, T_F32, 1, 8, 4, 1);
  const uint64_t h = add_image(m, t, as_float);
  t.layout = TEX_BLOCK;
  t.sampler.filter = TEX_LINEAR;
  const uint64_t linear = add_image(m, t, as_float);
  mov(m->k, R(4), S(SR_LANEID));
  mov(m->k, R(5), I(2));
  fetch(m->k, GEOM_2D, T_F32, T_S32, I64(h)); /* beyond the row: its last texel */
  keep(m, 8);
  mov(m->k, R(4), I(bits(3.25f)));
  mov(m->k, R(5), I(bits(1.5f)));
  fetch(m->k, GEOM_2D, T_F32, T_F32, I64(linear)); /* between 2 and 3, on row 1 */
  where(m->k, 16, m->out + 128, 4);
  st(m->k, SP_GLOBAL, T_U32, D(18), 0, R(8));
  st(m->k, SP_GLOBAL, T_U32, D(18), 128, R(11)); /* alpha */
  leave(m->k);
  run(m->k, 1);
  for (uint32_t l = 0; l < 32; l++) {
    assert_int_equal(word(m->k, m->out + 4 * l), bits((float)(16 + (l < 8 ? l : 7))));
    assert_int_equal(word(m->k, m->out + 128 + 4 * l), bits(8.0f + 2.75f));
    assert_int_equal(word(m->k, m->out + 256 + 4 * l), bits(1.0f));
  }
  unmake(m);
}

/* Lanes read three textures of different formats and layouts through a register. */
static void test_many_handles(void **state) {
  (void)state;
  struct tk *m = make(32);
  uint64_t h[3];
  h[0] = add_image(m, image(GEOM_1D, T_U8, 1, 32, 1, 1), counted);
  h[1] = add_image(m, blocks(GEOM_1D, T_U32, 2, 32, 1, 1), counted);
  h[2] = add_image(m, image(GEOM_1D, T_S16, 4, 32, 1, 1), counted);
  struct kern *k = m->k;
  mov(k, R(4), S(SR_LANEID));
  put(k, OP_REM, T_U32, R(6), R(4), I(3), NONE);
  add(k, R(6), R(6), I(h[0]));
  fetch(k, GEOM_1D, T_U32, T_S32, R(6)); /* the low word alone */
  put(k, OP_MAD, T_U32, R(8), R(9), I(1000), R(8))->mods = M_LO;
  put(k, OP_MAD, T_U32, R(8), R(11), I(1000000), R(8))->mods = M_LO;
  keep(m, 8);
  leave(k);
  run(k, 1);
  for (uint32_t l = 0; l < 32; l++) {
    const uint32_t y = l % 3 ? l + 100 : 0, alpha = l % 3 == 2 ? l + 300 : 1;
    assert_int_equal(word(k, m->out + 4 * l), l + 1000 * y + 1000000 * alpha);
  }
  unmake(m);
}

static void test_queries(void **state) {
  (void)state;
  struct tk *m = make(1);
  struct texture t = blocks(GEOM_A2D, T_U8, 4, 20, 10, 3);
  t.order = ORDER_BGRA;
  t.levels = 3;
  t.normalized_values = true;
  t.sampler =
      (struct tex_sampler){.address = {TEX_MIRROR, TEX_BORDER, TEX_WRAP}, .filter = TEX_LINEAR, .normalized = true};
  const uint64_t h = add_image(m, t, counted);
  const uint64_t cl = handle_of(HANDLE_CL_SAMPLER, 1 | 3 << 1 | 2 << 4);
  static const struct {
    unsigned what, level;
    uint32_t value;
    int on; /* 0: the texture, 1: the surface, 2: a sampler */
  } q[] = {{TXQ_WIDTH, 0, 20, 0},
           {TXQ_HEIGHT, 0, 10, 1},
           {TXQ_DEPTH, 0, 1, 0},
           {TXQ_WIDTH, 2, 5, 0},
           {TXQ_HEIGHT, 2, 2, 0},
           {TXQ_WIDTH, 3, 0, 0},
           {TXQ_CHANNEL_TYPE, 0, 0x10d2, 0},
           {TXQ_CHANNEL_ORDER, 0, 0x10b6, 1},
           {TXQ_NORMALIZED, 0, 1, 0},
           {TXQ_NORMALIZED, 0, 0, 2},
           {TXQ_FILTER_MODE, 0, 1, 0},
           {TXQ_FILTER_MODE, 0, 1, 2},
           {TXQ_ADDR_0, 0, TEX_MIRROR, 0},
           {TXQ_ADDR_1, 0, TEX_BORDER, 0},
           {TXQ_ADDR_2, 0, TEX_WRAP, 2},
           {TXQ_ARRAY_SIZE, 0, 3, 0},
           {TXQ_LEVELS, 0, 3, 0},
           {TXQ_SAMPLES, 0, 1, 0},
           {TXQ_MEMORY_LAYOUT, 0, 0, 1}};
  const unsigned n = sizeof q / sizeof *q;
  for (unsigned k = 0; k < n; k++) {
    struct insn *i = op(m->k, OP_TXQ, q[k].what, T_B32, T_NONE, 1);
    src(i, I64(q[k].on == 2 ? cl : q[k].on ? surface(h) : h));
    if (q[k].level) {
      i->cmp = TEX_LEVEL;
      src(i, I(q[k].level));
    }
    dst(i, R(8));
    st(m->k, SP_GLOBAL, T_U32, I64(m->out + 4 * k), 0, R(8));
  }
  leave(m->k);
  run(m->k, 1);
  for (unsigned k = 0; k < n; k++) assert_int_equal(word(m->k, m->out + 4 * k), q[k].value);
  unmake(m);
}

/* ---- errors ---- */

static void fails_fetch(struct tk *m, unsigned geom, enum dtype type, enum dtype stype, uint64_t h, const char *text) {
  m->k->c.n = 0;
  memset(&m->k->e, 0, sizeof m->k->e);
  fetch(m->k, geom, type, stype, I64(h));
  leave(m->k);
  char whole[600];
  snprintf(whole, sizeof whole, "%s%s", text, WHERE("0", "0"));
  fails(m->k, 100, whole);
  assert_int_equal(m->k->e.fault, FAULT_TEXTURE);
}

static void test_faults(void **state) {
  (void)state;
  struct tk *m = make(32);
  const uint64_t ints = add_image(m, image(GEOM_2D, T_U8, 4, 8, 8, 1), counted);
  m->t[0].name = "photo";
  m->s[0] = (struct tex_sampler){.filter = TEX_LINEAR};
  m->all.nsampler = 1;
  m->ref[1] = ints;
  struct texture t = image(GEOM_1D, T_F32, 1, 8, 1, 1);
  t.linear_1d = true;
  const uint64_t linear = add_image(m, t, as_float);
#define FAILS(geom, type, stype, h, text) fails_fetch(m, geom, type, stype, h, text)
  FAILS(GEOM_2D, T_U32, T_S32, 0, "tex: found the handle 0x0, expected that of a texture");
  FAILS(GEOM_2D, T_U32, T_S32, 0x123456789abcull,
        "tex: found the handle 0x123456789abc of nothing, expected that of a texture");
  FAILS(GEOM_2D, T_U32, T_S32, handle_of(HANDLE_TEXTURE, 7),
        "tex: found the handle 0x10000007 of nothing, expected that of a texture: there is none of this number");
  FAILS(GEOM_2D, T_U32, T_S32, surface(ints),
        "tex: found the handle 0x30000000 of a surface, expected that of a texture");
  FAILS(GEOM_2D, T_U32, T_S32, handle_of(HANDLE_SAMPLER, 0),
        "tex: found the handle 0x20000000 of a sampler, expected that of a texture");
  FAILS(GEOM_2D, T_U32, T_S32, handle_of(HANDLE_REF, 0), "tex: nothing is bound to 'tex_a', expected a texture");
  FAILS(GEOM_2D, T_U32, T_S32, handle_of(HANDLE_REF, 9),
        "tex: found the handle 0x40000009, expected that of a texture: there is no reference number 9");
  FAILS(GEOM_1D, T_U32, T_S32, handle_of(HANDLE_REF, 1), "tex 'photo': found an image of geometry 2d, expected 1d");
  FAILS(GEOM_2D, T_F32, T_S32, ints,
        "tex 'photo': found texels of 4 x u8, expected floats or normalised values for a result of floats");
  FAILS(GEOM_1D, T_U32, T_S32, linear, "tex: found texels of 1 x f32, expected integers for a result of integers");
  FAILS(GEOM_1D, T_F32, T_F32, linear, "tex: found linear memory read by f32 coordinates, expected s32");
  m->t[0].sampler.filter = TEX_LINEAR;
  FAILS(GEOM_2D, T_U32, T_F32, ints,
        "tex 'photo': found linear filtering of u8 channels, expected floats or normalised values");
  m->t[0].addr++;
  FAILS(GEOM_2D, T_U32, T_S32, ints,
        "tex 'photo': found an image at 0x11101, expected a multiple of the texel's 4 bytes");
  m->t[0].addr += 3;
  FAILS(GEOM_2D, T_U32, T_S32, ints,
        "tex 'photo': found an image of 256 bytes at 0x11104, beyond its buffer's 256 bytes at 0x11100");
  m->t[0].addr = 0x11000 + (1 << 20);
  FAILS(GEOM_2D, T_U32, T_S32, ints, "tex 'photo': found an image of 256 bytes at 0x111000, where there is no buffer");
  m->t[0].addr = 0;
  FAILS(GEOM_2D, T_U32, T_S32, ints, "tex 'photo': found an image of 256 bytes without memory");
  m->t[0].width = 70000;
  FAILS(GEOM_2D, T_U32, T_S32, ints, "tex 'photo': found width 70000 of a 2-D image, expected 1 to 65536");
  m->t[0].width = 16;
  m->t[0].pitch = 0;
  FAILS(GEOM_2D, T_U32, T_S32, ints, "tex 'photo': found an image of 512 bytes without memory");
  m->t[0].levels = 0;
  FAILS(GEOM_2D, T_U32, T_S32, ints,
        "tex: found the handle 0x10000000 of nothing, expected that of a texture: there is none of this number");
  m->k->c.n = 0;
  memset(&m->k->e, 0, sizeof m->k->e);
  struct insn *i = op(m->k, OP_TXQ, TXQ_ADDR_0, T_B32, T_NONE, 1);
  src(i, I64(handle_of(HANDLE_CL_SAMPLER, 0x3a)));
  dst(i, R(8));
  leave(m->k);
  fails(m->k, 100, "txq: found 0x3a as an OpenCL sampler, expected CLK_ADDRESS_* and CLK_FILTER_*" WHERE("0", "0"));
  m->k->l.textures = NULL;
  FAILS(GEOM_1D, T_F32, T_S32, linear,
        "tex: found the handle 0x10000001 of nothing, expected that of a texture: there is none of this number");
  FAILS(GEOM_2D, T_U32, T_S32, handle_of(HANDLE_REF, 0), "tex: nothing is bound to 'tex_a', expected a texture");
  unmake(m);
}

/* ---- what the stream reports ---- */

static struct warp_inst step_to_tex(struct stream *s) {
  struct warp_inst inst = {0};
  uint16_t slot[] = {0};
  s->ops->cta_begin(s, 0, 0, slot);
  do assert_int_equal(s->ops->next(s, 0, &inst), STREAM_GIVEN);
  while (W_SPACE_OF(&inst) != SP_TEX);
  return inst;
}
static const uint32_t *row(const struct stream *s, const struct warp_inst *i, unsigned k) {
  return s->addr_ring + ((inst_addr(s, i) - s->addr_ring) / 32 + k) % ADDR_RING * 32;
}
static struct stream *stream(struct tk *m) {
  const struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1};
  struct stream *s = stream_functional(&m->k->l, &lim, &m->k->e);
  if (!s) fail_msg("%s", m->k->e.text);
  return s;
}

static void test_addresses(void **state) {
  (void)state;
  static const struct {
    unsigned geom, filter, mip, rows;
  } cases[] = {{GEOM_2D, TEX_POINT, TEX_POINT, 1},  {GEOM_1D, TEX_LINEAR, TEX_POINT, 2},
               {GEOM_2D, TEX_LINEAR, TEX_POINT, 4}, {GEOM_3D, TEX_LINEAR, TEX_POINT, 8},
               {GEOM_2D, TEX_POINT, TEX_LINEAR, 2}, {GEOM_2D, TEX_LINEAR, TEX_LINEAR, 8},
               {GEOM_3D, TEX_LINEAR, TEX_LINEAR, 8}};
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct tk *m = make(32);
    struct texture t =
        blocks(cases[c].geom, T_F16, 2, 32, cases[c].geom == GEOM_1D ? 1 : 16, cases[c].geom == GEOM_3D ? 8 : 1);
    t.levels = 3;
    t.sampler.filter = (uint8_t)cases[c].filter;
    t.sampler.mip = (uint8_t)cases[c].mip;
    const uint64_t h = add_image(m, t, counted);
    const struct texture *u = &m->t[0];
    put(m->k, OP_CVT, T_F32, R(4), S(SR_LANEID), NONE, NONE)->stype = T_U32;
    m->k->insn[0].rnd = R_RN;
    put(m->k, OP_ADD, T_F32, R(4), R(4), I(bits(0.75f)), NONE);
    mov(m->k, R(5), I(bits(2.75f)));
    mov(m->k, R(6), I(bits(1.75f)));
    mov(m->k, R(7), I(bits(0.5f)));
    struct insn *i = fetch(m->k, cases[c].geom, T_F32, T_F32, I64(h));
    i->cmp = TEX_LEVEL;
    src(i, R(7));
    leave(m->k);
    struct stream *s = stream(m);
    const struct warp_inst inst = step_to_tex(s);
    assert_int_equal(tex_rows(inst.mem), cases[c].rows);
    assert_int_equal(tex_bytes(inst.mem), 4);
    assert_int_equal(tex_filtered(inst.mem), cases[c].filter || cases[c].mip);
    const unsigned axes = geom_axes(cases[c].geom);
    const unsigned level = cases[c].mip == TEX_POINT ? 1 : 0; /* 0.5 goes up */
    for (uint32_t k = 0; k < (cases[c].filter ? 1u << axes : 1); k++)
      for (uint32_t l = 0; l < 32; l++) {
        const uint32_t w = 32 >> level;
        uint32_t x = l + (k & 1), y = axes > 1 ? 2 + (k >> 1 & 1) : 0, z = axes > 2 ? 1 + (k >> 2 & 1) : 0;
        if (x >= w) x = w - 1;
        assert_int_equal(row(s, &inst, k)[l], u->addr + texture_texel_at(u, level, x, y, z));
      }
    if (cases[c].mip == TEX_LINEAR && axes == 2) /* the texels of level 1 follow */
      assert_int_equal(row(s, &inst, cases[c].rows / 2)[3], u->addr + texture_texel_at(u, 1, 3, 2, 0));
    s->ops->free(s);
    unmake(m);
  }
}

/* Lanes outside of a border touch nothing; without any lane there is no access. */
static void test_no_address(void **state) {
  (void)state;
  for (unsigned none = 0; none < 2; none++) {
    struct tk *m = make(32);
    struct texture t = image(GEOM_1D, T_F32, 1, 8, 1, 1);
    t.sampler.address[0] = TEX_BORDER;
    t.sampler.border[0] = 7;
    const uint64_t h = add_image(m, t, as_float);
    mov(m->k, R(4), S(SR_LANEID));
    if (none) add(m->k, R(4), R(4), I(8));
    else add(m->k, R(4), R(4), I((uint32_t)-3));
    fetch(m->k, GEOM_1D, T_F32, T_S32, I64(h));
    keep(m, 8);
    leave(m->k);
    struct stream *s = stream(m);
    const struct warp_inst inst = step_to_tex(s);
    if (none) assert_int_equal(inst.mem, 0);
    else
      for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(row(s, &inst, 0)[l], m->t[0].addr + (l >= 3 && l < 11 ? 4 * (l - 3) : 0));
    s->ops->free(s);
    run(m->k, 1);
    for (uint32_t l = 0; l < 32; l++)
      assert_int_equal(word(m->k, m->out + 4 * l), bits(!none && l >= 3 && l < 11 ? (float)(l - 3) : 7.0f));
    unmake(m);
  }
}

/* ---- surfaces ---- */

static struct insn *access_of(struct kern *k, enum opcode o, unsigned geom, enum dtype type, unsigned vec,
                              unsigned clamp, uint64_t h) {
  struct insn *i = op(k, o, geom, type, T_NONE, vec);
  i->cmp = (uint8_t)clamp;
  src(i, I64(h));
  for (unsigned a = 0; a < geom_axes(geom) + (unsigned)geom_layered(geom); a++) src(i, R(4 + a));
  return i;
}

static void test_surface(void **state) {
  (void)state;
  for (unsigned layout = 0; layout < 2; layout++) {
    struct tk *m = make(32);
    struct texture t = image(GEOM_2D, T_U32, 4, 8, 4, 1);
    t.layout = (uint8_t)layout;
    t.writable = true;
    const uint64_t h = surface(add_image(m, t, counted));
    struct kern *k = m->k;
    /* Texel (lane % 8, lane / 8): read backwards, written in two parts, the second one 8 bytes further. */
    put(k, OP_AND, T_B32, R(4), S(SR_LANEID), I(7), NONE);
    put(k, OP_SHL, T_B32, R(4), R(4), I(4), NONE);
    put(k, OP_SHR, T_U32, R(5), S(SR_LANEID), I(3), NONE);
    put(k, OP_SUB, T_U32, R(7), I(3), R(5), NONE);
    struct insn *i = op(k, OP_SULD, GEOM_2D, T_B32, T_NONE, 4);
    src(i, I64(h));
    src(i, R(4));
    src(i, R(7));
    for (unsigned c = 0; c < 4; c++) dst(i, R(8 + c));
    i = access_of(k, OP_SUST, GEOM_2D, T_B32, 2, SU_TRAP, h);
    src(i, R(11));
    src(i, R(10));
    i = access_of(k, OP_SUST, GEOM_2D, T_B32, 2, SU_TRAP, h);
    i->offset = 8;
    src(i, R(9));
    src(i, R(8));
    leave(k);
    run(k, 1);
    const struct texture *u = &m->t[0];
    for (uint32_t l = 0; l < 32; l++)
      for (unsigned c = 0; c < 4; c++)
        assert_int_equal(word(k, u->addr + texture_texel_at(u, 0, l % 8, l / 8, 0) + 4 * c),
                         (3 - l / 8) * 8 + l % 8 + 100 * (3 - c));
    unmake(m);
  }
}

/* A level by itself has the blocks of its image, which are higher than its own height asks for. */
static void test_level(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = image(GEOM_2D, T_U32, 1, 64, 64, 1);
  t.layout = TEX_BLOCK;
  t.levels = 2;
  add_image(m, t, counted);
  t = m->t[0];
  for (uint32_t y = 0; y < 32; y++)
    for (uint32_t x = 0; x < 32; x++) {
      const uint32_t v = 1000 + 32 * y + x;
      memcpy(memory_at(m->k->mem, t.addr + texture_texel_at(&t, 1, x, y, 0), 4), &v, 4);
    }
  t.addr += t.level_at[1];
  t.bytes -= t.level_at[1];
  t.width = t.height = 32;
  t.levels = 1;
  m->t[m->all.ntexture] = t;
  const uint64_t h = surface(handle_of(HANDLE_TEXTURE, m->all.ntexture++));
  put(m->k, OP_SHL, T_B32, R(4), S(SR_LANEID), I(2), NONE);
  mov(m->k, R(5), I(13));
  dst(access_of(m->k, OP_SULD, GEOM_2D, T_B32, 1, SU_TRAP, h), R(8));
  keep(m, 8);
  leave(m->k);
  run(m->k, 1);
  for (uint32_t x = 0; x < 32; x++) assert_int_equal(word(m->k, m->out + 4 * x), 1000 + 32 * 13 + x);
  unmake(m);
}

/* A lane at x bytes: where it reads, or that it is an error. */
static void test_surface_modes(void **state) {
  (void)state;
  static const struct {
    int32_t x;
    uint32_t clamp, size, zero;
  } cases[] = {{0, 0, 2, 0},        {62, 62, 2, 0}, {64, 60, 2, 1}, {-2, 2, 2, 1}, {-4, 0, 2, 1},
               {1000002, 62, 2, 1}, {56, 56, 8, 0}, {64, 56, 8, 1}, {-8, 0, 8, 1}, {INT32_MIN, 0, 8, 1}};
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
    for (unsigned mode = 0; mode < 3; mode++) {
      struct tk *m = make(1);
      struct texture t = blocks(GEOM_A2D, T_U32, 1, 16, 3, 2);
      t.writable = true;
      const uint64_t h = surface(add_image(m, t, counted));
      const struct texture *u = &m->t[0];
      mov(m->k, R(4), I(1));
      mov(m->k, R(5), I((uint32_t)cases[c].x));
      mov(m->k, R(6), I(2));
      struct insn *i = access_of(m->k, OP_SULD, GEOM_A2D, cases[c].size == 2 ? T_B16 : T_B64, 1, mode, h);
      dst(i, cases[c].size == 2 ? R(8) : D(8));
      keep(m, 8);
      leave(m->k);
      if (mode == SU_TRAP && cases[c].zero) {
        assert_false(exec_run(&m->k->l, 1, &m->k->n, &m->k->e));
        char text[300];
        snprintf(text, sizeof text,
                 "suld: found the byte and row %d, 2, 1 outside of the surface's 16 x 3 x 2 texels of 4 bytes" WHERE(
                     "18", "0"),
                 cases[c].x);
        assert_string_equal(m->k->e.text, text);
        assert_int_equal(m->k->e.fault, FAULT_TEXTURE);
      } else {
        run(m->k, 1);
        const uint32_t x = cases[c].clamp, at = u->addr + texture_texel_at(u, 0, x / 4, 2, 1) + x % 4;
        uint32_t want = word(m->k, at & ~3u) >> 8 * (at & 3);
        if (cases[c].size == 2) want &= 0xffff;
        assert_int_equal(word(m->k, m->out), mode == SU_ZERO && cases[c].zero ? 0 : want);
      }
      unmake(m);
    }
}

static void test_surface_faults(void **state) {
  (void)state;
  struct tk *m = make(1);
  const uint64_t t = add_image(m, image(GEOM_2D, T_U32, 1, 3, 3, 1), counted), h = surface(t);
  struct insn *i = access_of(m->k, OP_SUST, GEOM_2D, T_B32, 1, SU_TRAP, h);
  src(i, R(8));
  leave(m->k);
  fails(m->k, 100, "sust: found a surface that is read only, expected one to write" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  i->src[0] = I64(t);
  fails(m->k, 100, "sust: found the handle 0x10000000 of a texture, expected that of a surface" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  m->t[0].writable = true;
  i->src[0] = I64(h);
  i->src[1] = I(6);
  fails(m->k, 100, "sust of 4 bytes at byte 6 of a row is misaligned: expected a multiple of 4" WHERE("0", "0"));
  assert_int_equal(m->k->e.fault, FAULT_ALIGN);
  memset(&m->k->e, 0, sizeof m->k->e);
  i->src[1] = I(8);
  i->type = T_B64; /* beyond the row of 12 bytes: clamped, to the last place where it fits */
  i->src[3] = I64(0x1111111122222222);
  i->cmp = SU_CLAMP;
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 0x22222222);
  assert_int_equal(word(m->k, m->t[0].addr + 4), 0x11111111);
  assert_int_equal(word(m->k, m->t[0].addr + 8), 2);
  m->t[0].width = 1; /* a row that is shorter than the access: no place to clamp to, nothing to write */
  m->t[0].pitch = 4;
  fails(m->k, 100,
        "sust: found the byte and row 8, 0, 0 outside of the surface's 1 x 3 x 1 texels of 4 bytes" WHERE("0", "0"));
  memset(&m->k->e, 0, sizeof m->k->e);
  i->cmp = SU_ZERO;
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 0x22222222);
  m->t[0].width = 3;
  m->t[0].pitch = 12;
  i->sub = GEOM_1D;
  i->nsrc = 3;
  i->src[2] = i->src[3];
  fails(m->k, 100, "sust: found a surface of geometry 2d, expected 1d" WHERE("0", "0"));
  unmake(m);
}

static void test_formatted(void **state) {
  (void)state;
  static const struct {
    unsigned type, normal;
    uint32_t in, out;
  } cases[] = {{T_U8, 0, 300, 255},
               {T_U8, 0, 0xffffffff, 255},
               {T_S8, 0, (uint32_t)-300, 0x80},
               {T_S8, 0, 200, 127},
               {T_U16, 0, 70000, 65535},
               {T_S16, 0, 0x80000000, 0x8000},
               {T_U32, 0, 0xdeadbeef, 0xdeadbeef},
               {T_F32, 0, 0x7fc12345, 0x7fc12345}};
  static const struct {
    unsigned type;
    float in;
    uint32_t out;
  } floats[] = {{T_U8, 0.5f, 128},
                {T_U8, 0.498f, 127},
                {T_U8, -1, 0},
                {T_U8, 2, 255},
                {T_S8, -2, 0x81},
                {T_S8, 0.5f, 64},
                {T_U16, 0.5f, 32768},
                {T_S16, -1, 0x8001},
                {T_F16, 1, 0x3c00},
                {T_F16, 65520, 0x7c00},
                {T_F16, 1.00048828125f, 0x3c00}};
  const unsigned n = sizeof cases / sizeof *cases, nf = sizeof floats / sizeof *floats;
  for (unsigned c = 0; c < n + nf; c++) {
    struct tk *m = make(1);
    const unsigned type = c < n ? cases[c].type : floats[c - n].type;
    struct texture t = image(GEOM_1D, type, 1, 4, 1, 1);
    t.writable = true;
    t.normalized_values = c >= n && type != T_F16;
    const uint64_t h = surface(add_image(m, t, counted));
    mov(m->k, R(4), I(2));
    struct insn *i = access_of(m->k, OP_SUST, GEOM_1D, T_B32, 4, SU_TRAP, h);
    i->tex = SU_FORMATTED;
    src(i, I(c < n ? cases[c].in : bits(floats[c - n].in)));
    for (unsigned k = 0; k < 3; k++) src(i, I(77)); /* components that the image does not have */
    leave(m->k);
    run(m->k, 1);
    uint32_t v = 0;
    const unsigned size = dtype_bytes(type);
    memcpy(&v, memory_at(m->k->mem, m->t[0].addr + 2 * size, size), size);
    assert_int_equal(v, c < n ? cases[c].out : floats[c - n].out);
    for (unsigned x = 0; x < 4; x++) {
      v = 0;
      memcpy(&v, memory_at(m->k->mem, m->t[0].addr + x * size, size), size);
      if (x != 2) assert_int_equal(v, x);
    }
    unmake(m);
  }
  /* BGRA: green and blue alone, from component 1 on */
  struct tk *m = make(1);
  struct texture t = image(GEOM_1D, T_U8, 4, 1, 1, 1);
  t.order = ORDER_BGRA;
  t.writable = true;
  const uint64_t h = surface(add_image(m, t, counted));
  mov(m->k, R(4), I(0));
  struct insn *i = access_of(m->k, OP_SUST, GEOM_1D, T_B32, 2, SU_TRAP, h);
  i->tex = SU_FORMATTED | 1 << 4;
  src(i, I(7));
  src(i, I(9));
  leave(m->k);
  run(m->k, 1);
  assert_int_equal(word(m->k, m->t[0].addr), 9 | 7 << 8 | 200u << 16 | (300u & 255) << 24);
  unmake(m);
}

/* A write is seen by the SM's own reads at once, by memory at the quantum's end. */
static void test_apart(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = image(GEOM_1D, T_U32, 1, 32, 1, 1);
  t.writable = true;
  const uint64_t tex = add_image(m, t, counted), h = surface(tex);
  struct kern *k = m->k;
  put(k, OP_SHL, T_B32, R(4), S(SR_LANEID), I(2), NONE);
  add(k, R(7), S(SR_LANEID), I(500));
  struct insn *i = access_of(k, OP_SUST, GEOM_1D, T_B32, 1, SU_TRAP, h);
  src(i, R(7));
  i = access_of(k, OP_SULD, GEOM_1D, T_B32, 1, SU_TRAP, h);
  dst(i, R(20));
  mov(k, R(4), S(SR_LANEID));
  fetch(k, GEOM_1D, T_U32, T_S32, I64(tex));
  leave(k);
  const struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1, .values = true, .sms = 2};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  assert_non_null(s);
  uint16_t slot[] = {0};
  struct warp_inst inst;
  s->ops->cta_begin(s, 0, 0, slot);
  while (s->ops->next(s, 0, &inst) == STREAM_GIVEN)
    if (inst.nval && (inst.op == 3 || inst.op == 5))
      for (uint32_t l = 0; l < 32; l++) assert_int_equal(inst_val(s, &inst, 0)[l], 500 + l);
  assert_int_equal(word(k, m->t[0].addr + 4), 1);
  s->ops->quantum(s);
  for (uint32_t l = 0; l < 32; l++) assert_int_equal(word(k, m->t[0].addr + 4 * l), 500 + l);
  s->ops->free(s);
  unmake(m);
}

static void test_races(void **state) {
  (void)state;
  for (unsigned other = 0; other < 2; other++) { /* texel written by one thread, read by its neighbour or by itself */
    struct tk *m = make(64);
    struct texture t = blocks(GEOM_1D, T_U32, 1, 64, 1, 1);
    t.writable = true;
    const uint64_t tex = add_image(m, t, counted), h = surface(tex);
    struct kern *k = m->k;
    put(k, OP_SHL, T_B32, R(4), S(SR_TID_X), I(2), NONE);
    src(access_of(k, OP_SUST, GEOM_1D, T_B32, 1, SU_TRAP, h), R(4));
    mov(k, R(4), S(SR_TID_X));
    if (other) put(k, OP_XOR, T_B32, R(4), R(4), I(32), NONE);
    else mov(k, R(4), R(4));
    fetch(k, GEOM_1D, T_U32, T_S32, I64(tex));
    leave(k);
    struct races *r = races_new();
    k->l.races = r;
    run(k, 1);
    assert_int_equal(races_count(r), other);
    if (other) {
      const struct race *p = races_at(r, 0);
      const struct race_side *write = p->first.write ? &p->first : &p->second;
      assert_int_equal(write->line, 101);
      assert_string_equal(write->op, "store");
      assert_int_equal(p->first.line + p->second.line, 101 + 104);
    }
    races_free(r);
    unmake(m);
  }
}

/* ---- instructions that are refused ---- */

static void test_decode(void **state) {
  (void)state;
  static const char *const text[] = {"found a wrong number of operands",
                                     "found coordinates that are neither s32 nor f32",
                                     "found a result that is none of u32, s32, f32, f16, f16x2",
                                     "found a wrong number of results, expected as many as the vector has",
                                     "found an unknown form",
                                     "cubes take f32 coordinates and no offsets",
                                     "tld4 takes f32 coordinates of 2d, a2d, cube and acube, and a component 0 to 3",
                                     "found a comparison with integers as the result"};
  for (unsigned c = 0; c < sizeof text / sizeof *text; c++) {
    struct tk *m = make(1);
    struct insn *i = fetch(m->k, c == 5 ? GEOM_CUBE : GEOM_2D, T_U32, T_S32, I64(1));
    if (c == 0) i->tex = TEX_OFFSET;
    if (c == 1) i->stype = T_F16;
    if (c == 2) i->type = T_U16;
    if (c == 3) i->vec = 2;
    if (c == 4) i->sub = GEOM_COUNT;
    if (c == 6) i->op = OP_TLD4;
    if (c == 7) i->tex = TEX_COMPARE;
    leave(m->k);
    char whole[300];
    snprintf(whole, sizeof whole, "kernel 'k', PC 0x0: %s.%s: %s", c == 6 ? "tld4" : "tex", c == 2 ? "u16" : "u32",
             text[c]);
    fails(m->k, 100, whole);
    unmake(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),         cmocka_unit_test(test_pitch),     cmocka_unit_test(test_levels),
      cmocka_unit_test(test_refused),        cmocka_unit_test(test_fetch),     cmocka_unit_test(test_many_handles),
      cmocka_unit_test(test_queries),        cmocka_unit_test(test_faults),    cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_no_address),     cmocka_unit_test(test_surface),   cmocka_unit_test(test_surface_modes),
      cmocka_unit_test(test_surface_faults), cmocka_unit_test(test_formatted), cmocka_unit_test(test_apart),
      cmocka_unit_test(test_races),          cmocka_unit_test(test_decode),    cmocka_unit_test(test_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

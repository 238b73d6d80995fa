/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: fetches and queries in launches, their errors, the addresses that timing sees. The values of fetches are tested
 * against a reference of their own elsewhere; here only those that are seen at a glance.
 */
#include "texture_make.h"

static void test_fetch(void **state) {
  (void)state;
  struct tk *m = make(32);
  struct texture t = plain_image(GEOM_2D, T_F32, 1, 8, 4, 1);
  const uint64_t h = add_image(m, t, as_float);
  t.layout = TEX_BLOCK;
  t.sampler.filter = TEX_LINEAR;
  const uint64_t linear = add_image(m, t, as_float);
  mov(m->k, R(4), S(SR_LANEID));
  mov(m->k, R(5), I(2));
  fetch(m->k, GEOM_2D, T_F32, T_S32, I64(h)); /* beyond the row: its last texel */
  keep(m, 8);
  mov(m->k, R(4), I(f32_bits(3.25f)));
  mov(m->k, R(5), I(f32_bits(1.5f)));
  fetch(m->k, GEOM_2D, T_F32, T_F32, I64(linear)); /* between 2 and 3, on row 1 */
  where(m->k, 16, m->out + 128, 4);
  st(m->k, SP_GLOBAL, T_U32, D(18), 0, R(8));
  st(m->k, SP_GLOBAL, T_U32, D(18), 128, R(11)); /* alpha */
  leave(m->k);
  run(m->k, 1);
  for (uint32_t l = 0; l < 32; l++) {
    assert_int_equal(word(m->k, m->out + 4 * l), f32_bits((float)(16 + (l < 8 ? l : 7))));
    assert_int_equal(word(m->k, m->out + 128 + 4 * l), f32_bits(8.0f + 2.75f));
    assert_int_equal(word(m->k, m->out + 256 + 4 * l), f32_bits(1.0f));
  }
  unmake(m);
}

/* Lanes read three textures of different formats and layouts through a register. */
static void test_many_handles(void **state) {
  (void)state;
  struct tk *m = make(32);
  uint64_t h[3];
  h[0] = add_image(m, plain_image(GEOM_1D, T_U8, 1, 32, 1, 1), counted);
  h[1] = add_image(m, blocks(GEOM_1D, T_U32, 2, 32, 1, 1), counted);
  h[2] = add_image(m, plain_image(GEOM_1D, T_S16, 4, 32, 1, 1), counted);
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
  const uint64_t ints = add_image(m, plain_image(GEOM_2D, T_U8, 4, 8, 8, 1), counted);
  m->t[0].name = "photo";
  m->s[0] = (struct tex_sampler){.filter = TEX_LINEAR};
  m->all.nsampler = 1;
  m->ref[1] = ints;
  struct texture t = plain_image(GEOM_1D, T_F32, 1, 8, 1, 1);
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
    put(m->k, OP_ADD, T_F32, R(4), R(4), I(f32_bits(0.75f)), NONE);
    mov(m->k, R(5), I(f32_bits(2.75f)));
    mov(m->k, R(6), I(f32_bits(1.75f)));
    mov(m->k, R(7), I(f32_bits(0.5f)));
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
    struct texture t = plain_image(GEOM_1D, T_F32, 1, 8, 1, 1);
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
      assert_int_equal(word(m->k, m->out + 4 * l), f32_bits(!none && l >= 3 && l < 11 ? (float)(l - 3) : 7.0f));
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
      cmocka_unit_test(test_fetch),  cmocka_unit_test(test_many_handles), cmocka_unit_test(test_queries),
      cmocka_unit_test(test_faults), cmocka_unit_test(test_addresses),    cmocka_unit_test(test_no_address),
      cmocka_unit_test(test_decode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

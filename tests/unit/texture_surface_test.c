/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_surface: suld, sust and the queries against the plain C of unit/reference/texture.h: every geometry, clamp mode and width
 * of access at random places inside and outside; after a store the whole image is compared.
 */
#include "texture_kit.h"

/* An access of `vec` elements of `bytes`. */
static const struct width {
  const char *name;
  unsigned vec, bytes;
} width[] = {{"b8", 1, 1},     {"b16", 1, 2},    {"b32", 1, 4},   {"b64", 1, 8},    {"v2.b8", 2, 1}, {"v2.b16", 2, 2},
             {"v2.b32", 2, 4}, {"v2.b64", 2, 8}, {"v4.b8", 4, 1}, {"v4.b16", 4, 2}, {"v4.b32", 4, 4}};
enum { WIDTHS = sizeof width / sizeof *width, SURFACES = GEOM_CUBE };
static const char *const mode_name[3] = {"trap", "clamp", "zero"};
static const char *const place[SURFACES] = {"{%r1}", "{%r1, %r2}", "{%r1, %r2, %r3, %r3}", "{%r0, %r1}",
                                            "{%r0, %r1, %r2, %r2}"};

/* at_least: bytes of a row. An access may be larger than a texel. */
static void draw_surface(struct texture *t, enum tex_geom g, unsigned at_least) {
  const bool plane = g != GEOM_1D && g != GEOM_A1D;
  do {
    const struct format *f = &kit_format[draw(FORMATS)];
    *t =
        (struct texture){.geom = g, .levels = 1, .type = f->type, .normalized_values = f->normalized, .writable = true};
    t->channels = 1u << draw(3);
    t->order = t->channels == 4 && draw(2) ? ORDER_BGRA : ORDER_R + t->channels - 1;
    t->width = 1 + draw(plane ? 40 : 90);
    t->height = plane ? 1 + draw(40) : 1;
    t->depth = g == GEOM_3D ? 1 + draw(11) : 1;
    t->layers = g == GEOM_A1D || g == GEOM_A2D ? 1 + draw(4) : 1;
    t->layout = g == GEOM_2D && draw(2) ? TEX_PITCH : TEX_BLOCK;
  } while (t->width * tref_texel_bytes(t) < at_least);
}
/* Coordinates of one access; x a multiple of `unit` bytes or texels. */
static void draw_place(const struct texture *t, bool inside, unsigned unit, uint32_t row, uint32_t *layer,
                       int32_t i[3]) {
  const uint32_t n[3] = {row / unit, t->height, t->depth};
  *layer = inside || draw(3) ? draw(t->layers) : draw(8) ? t->layers + draw(2) : ~0u;
  for (unsigned k = 0; k < 3; k++) {
    i[k] = (int32_t)draw(n[k]);
    if (!inside && !draw(3)) i[k] = (int32_t)(draw(3 * n[k]) - n[k]);
    if (!inside && !draw(20)) i[k] = draw(2) ? INT32_MAX / 32 : INT32_MIN / 32;
    if (k == 0) i[k] *= (int32_t)unit;
  }
}
static void put_place(uint32_t *word, uint32_t layer, const int32_t i[3]) {
  word[0] = layer;
  memcpy(word + 1, i, 12);
}

/* Registers of the value: 16-bit ones, words or pairs. */
static const char *registers(const struct width *w, bool load) {
  static char text[80];
  static const char *const of[3] = {"%%h%u", "%%%c%u", "%%d%u"};
  char *p = text;
  if (w->vec > 1) *p++ = '{';
  for (unsigned k = 0; k < w->vec; k++) {
    if (k) p += sprintf(p, ", ");
    if (w->bytes == 4) p += sprintf(p, of[1], load ? 'o' : 'r', load ? k : k + 4);
    else p += sprintf(p, w->bytes < 4 ? of[0] : of[2], k);
  }
  if (w->vec > 1) *p++ = '}';
  *p = 0;
  return text;
}

static struct module *load_module(enum tex_geom g, const struct width *w, enum su_clamp mode) {
  char body[800], *p = body;
  p += sprintf(p, ".reg .b64 %%d<2>;\nsuld.b.%s.%s.%s %s, [%%tex, %s];\n", geom_name[g], w->name, mode_name[mode],
               registers(w, true), place[g]);
  for (unsigned k = 0; k < w->vec; k++) {
    if (w->bytes < 4) p += sprintf(p, "cvt.u32.u16 %%o%u, %%h%u;\n", k, k);
    if (w->bytes == 8) p += sprintf(p, "mov.b64 {%%o%u, %%o%u}, %%d%u;\n", 2 * k, 2 * k + 1, k);
  }
  return kit_module("sm_75", body);
}

static void loads(void **state) {
  (void)state;
  for (unsigned c = 0; c < SURFACES * WIDTHS * 3; c++) {
    const enum tex_geom g = c / 3 / WIDTHS;
    const struct width *w = &width[c / 3 % WIDTHS];
    const enum su_clamp mode = c % 3;
    const unsigned bytes = w->vec * w->bytes;
    struct module *m = load_module(g, w, mode);
    for (unsigned n = 0; n < 3; n++) {
      struct kit *k = kit_new(m);
      int32_t i[KIT_N][3];
      uint32_t layer[KIT_N];
      draw_surface(k->t, g, bytes);
      kit_image(k);
      for (unsigned q = 0; q < KIT_N; q++) {
        draw_place(k->t, mode == SU_TRAP, bytes, k->t->width * tref_texel_bytes(k->t), &layer[q], i[q]);
        put_place(k->query[q], layer[q], i[q]);
      }
      kit_run(k, handle_of(HANDLE_SURFACE, 0), 0, KIT_N);
      for (unsigned q = 0; q < KIT_N; q++) {
        uint8_t raw[16];
        uint32_t want[4] = {0};
        assert_true(tref_suld(&k->image, g, mode, layer[q], i[q], bytes, raw));
        for (unsigned e = 0; e < w->vec; e++)
          memcpy((uint8_t *)want + e * (w->bytes < 4 ? 4 : w->bytes), raw + e * w->bytes, w->bytes);
        if (memcmp(k->result[q], want, 16))
          fail_msg(
              "suld.b.%s.%s.%s of %s x%u %ux%ux%u layers %u at layer %u (%d, %d, %d): found %08x %08x, expected %08x "
              "%08x",
              geom_name[g], w->name, mode_name[mode], dtype_name(k->t->type), k->t->channels, k->t->width, k->t->height,
              k->t->depth, k->t->layers, layer[q], i[q][0], i[q][1], i[q][2], k->result[q][0], k->result[q][1], want[0],
              want[1]);
      }
      kit_free(k);
    }
    module_free(m);
  }
}

static void compare_image(const struct kit *k, const char *what) {
  const uint8_t *found = memory_at(k->mem, k->t->addr, k->t->bytes);
  for (uint32_t b = 0; b < k->t->bytes; b++)
    if (found[b] != k->image.byte[b])
      fail_msg("%s: byte %u is %02x, expected %02x", what, b, found[b], k->image.byte[b]);
}

/* One thread a launch, so that accesses to one place have an order. */
static void stores(void **state) {
  (void)state;
  for (unsigned c = 0; c < SURFACES * WIDTHS * 3; c++) {
    const enum tex_geom g = c / 3 / WIDTHS;
    const struct width *w = &width[c / 3 % WIDTHS];
    const enum su_clamp mode = c % 3;
    const unsigned bytes = w->vec * w->bytes;
    char body[800], *p = body;
    p += sprintf(p, ".reg .b64 %%d<2>;\n");
    for (unsigned e = 0; e < w->vec; e++) {
      if (w->bytes < 4) p += sprintf(p, "cvt.u16.u32 %%h%u, %%r%u;\n", e, 4 + e);
      if (w->bytes == 8) p += sprintf(p, "mov.b64 %%d%u, {%%r%u, %%r%u};\n", e, 4 + 2 * e, 5 + 2 * e);
    }
    sprintf(p, "sust.b.%s.%s.%s [%%tex, %s], %s;\n", geom_name[g], w->name, mode_name[mode], place[g],
            registers(w, false));
    struct module *m = kit_module("sm_75", body);
    struct kit *k = kit_new(m);
    draw_surface(k->t, g, bytes);
    kit_image(k);
    for (unsigned q = 0; q < 60; q++) {
      int32_t i[3];
      uint32_t layer;
      uint8_t raw[16];
      draw_place(k->t, mode == SU_TRAP, bytes, k->t->width * tref_texel_bytes(k->t), &layer, i);
      put_place(k->query[0], layer, i);
      for (unsigned e = 0; e < 4; e++) k->query[0][4 + e] = (uint32_t)rng_next(&kit_seed);
      for (unsigned e = 0; e < w->vec; e++)
        memcpy(raw + e * w->bytes, (uint8_t *)&k->query[0][4] + e * (w->bytes < 4 ? 4 : w->bytes), w->bytes);
      kit_run(k, handle_of(HANDLE_SURFACE, 0), 0, 1);
      assert_true(tref_sust(&k->image, g, mode, layer, i, bytes, raw));
    }
    compare_image(k, body);
    kit_free(k);
    module_free(m);
  }
}

/* sust.p: values in the image's own terms, also of fewer or more components than it has. */
static void formatted(void **state) {
  (void)state;
  static const float odd[] = {0,         -0.0f, 1,     -1,    0.5f,   -0.5f,        2,    -2, NAN, INFINITY,
                              -INFINITY, 1e-8f, 65504, 65520, -1e30f, 0.001953125f, 6e-8f};
  for (unsigned c = 0; c < SURFACES * 9; c++) {
    const enum tex_geom g = c / 9;
    const enum su_clamp mode = c % 3;
    const unsigned vec = 1u << c / 3 % 3;
    char body[300];
    sprintf(body, "sust.p.%s.%sb32.%s [%%tex, %s], %s;", geom_name[g],
            vec == 4   ? "v4."
            : vec == 2 ? "v2."
                       : "",
            mode_name[mode], place[g], registers(&(struct width){"", vec, 4}, false));
    struct module *m = kit_module("sm_75", body);
    for (unsigned n = 0; n < 24; n++) {
      struct kit *k = kit_new(m);
      draw_surface(k->t, g, 0);
      kit_image(k);
      for (unsigned q = 0; q < 30; q++) {
        int32_t i[3];
        uint32_t layer;
        draw_place(k->t, mode == SU_TRAP, 1, k->t->width, &layer, i);
        put_place(k->query[0], layer, i);
        for (unsigned e = 0; e < 4; e++) {
          const float v = draw(2) ? odd[draw(sizeof odd / sizeof *odd)] : (float)((int)draw(4096) - 2048) / 1000;
          k->query[0][4 + e] = k->t->normalized_values || k->t->type == T_F16 || k->t->type == T_F32
                                   ? f32_bits(v)
                                   : (uint32_t)rng_next(&kit_seed) >> draw(32);
          if (!draw(4)) k->query[0][4 + e] = -k->query[0][4 + e];
        }
        kit_run(k, handle_of(HANDLE_SURFACE, 0), 0, 1);
        assert_true(tref_sustp(&k->image, g, mode, layer, i, vec, &k->query[0][4]));
      }
      snprintf(body, sizeof body, "sust.p %s x%u order %u %s vec %u", dtype_name(k->t->type), k->t->channels,
               k->t->order, k->t->normalized_values ? "normalised" : "", vec);
      compare_image(k, body);
      kit_free(k);
    }
    module_free(m);
  }
}

/* A trap ends the launch, and the store does nothing. */
static void traps(void **state) {
  (void)state;
  for (unsigned g = 0; g < SURFACES; g++) {
    struct module *m = load_module(g, &width[0], SU_TRAP);
    for (unsigned axis = 0; axis < geom_axes(g) + (unsigned)geom_layered(g); axis++)
      for (unsigned low = 0; low < 2; low++) {
        struct kit *k = kit_new(m);
        struct err e = {0};
        draw_surface(k->t, g, 1);
        kit_image(k);
        const int32_t beyond[4] = {(int32_t)(k->t->width * tref_texel_bytes(k->t)), (int32_t)k->t->height,
                                   (int32_t)k->t->depth, (int32_t)k->t->layers};
        const unsigned what = axis < geom_axes(g) ? axis : 3;
        k->query[0][what < 3 ? 1 + what : 0] = low ? ~0u : (uint32_t)beyond[what];
        assert_false(kit_try(k, handle_of(HANDLE_SURFACE, 0), 0, 1, &e));
        assert_true(e.set && e.line > 0);
        kit_free(k);
      }
    module_free(m);
  }
}

/* ---- queries ---- */
static void queries(void **state) {
  (void)state;
  struct module *m = kit_module("sm_75",
                                "txq.width.b32 %o0, [%tex]; txq.height.b32 %o1, [%tex]; txq.depth.b32 %o2, [%tex];\n"
                                "txq.channel_order.b32 %o3, [%tex];");
  struct module *types = kit_module("sm_75",
                                    "txq.channel_data_type.b32 %o0, [%tex]; txq.normalized_coords.b32 %o1, [%tex];\n"
                                    "txq.filter_mode.b32 %o2, [%tex]; txq.addr_mode_1.b32 %o3, [%tex];");
  static const uint32_t kind[FORMATS] = {0x10da, 0x10db, 0x10dc, 0x10d7, 0x10d8, 0x10d9,
                                         0x10d2, 0x10d3, 0x10d0, 0x10d1, 0x10dd, 0x10de};
  static const uint32_t order[] = {
      [ORDER_R] = 0x10b0,    [ORDER_RG] = 0x10b2, [ORDER_RGB] = 0x10b4,       [ORDER_RGBA] = 0x10b5,
      [ORDER_BGRA] = 0x10b6, [ORDER_A] = 0x10b1,  [ORDER_LUMINANCE] = 0x10b9, [ORDER_INTENSITY] = 0x10b8};
  for (unsigned n = 0; n < FORMATS * 4; n++) {
    struct kit *k = kit_new(n & 1 ? types : m);
    draw_surface(k->t, n / FORMATS % 3, 0);
    k->t->type = kit_format[n % FORMATS].type;
    k->t->normalized_values = kit_format[n % FORMATS].normalized;
    k->t->sampler =
        (struct tex_sampler){.filter = draw(2), .normalized = draw(2), .address = {draw(4), draw(4), draw(4)}};
    if (!format_float(&kit_format[n % FORMATS])) k->t->sampler.filter = TEX_POINT;
    kit_image(k);
    kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, 1);
    const struct tex_sampler *s = &k->t->sampler;
    const uint32_t want[2][4] = {{k->t->width, k->t->height, k->t->depth, order[k->t->order]},
                                 {kind[n % FORMATS], s->normalized, s->filter, s->address[1]}};
    for (unsigned e = 0; e < 4; e++) assert_int_equal(k->result[0][e], want[n & 1][e]);
    kit_free(k);
  }
  module_free(m);
  module_free(types);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(stores), cmocka_unit_test(formatted),
                                     cmocka_unit_test(traps), cmocka_unit_test(queries)};
  return cmocka_run_group_tests_name("texture_surface", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_values: what tex, tld4, suld and sust give, bit for bit, against the plain C of unit/reference/texture.c: random images and
 * coordinates in every combination of geometry, filter, addressing and format; and answers that were worked out by hand from
 * the formulas of the CUDA programming guide.
 */
#include "texture_kit.h"

/* ---- drawing ---- */

static void draw_shape(struct texture *t, enum tex_geom g) {
  const bool plane = g != GEOM_1D && g != GEOM_A1D;
  t->geom = g;
  t->levels = 1;
  t->width = 1 + draw(plane ? 21 : 70);
  t->height = plane ? 1 + draw(40) : 1;
  t->depth = g == GEOM_3D ? 1 + draw(11) : 1;
  t->layers = g == GEOM_A1D || g == GEOM_A2D ? 1 + draw(4) : 1;
  if (g == GEOM_CUBE || g == GEOM_ACUBE) t->height = t->width, t->layers = 6 * (g == GEOM_ACUBE ? 1 + draw(3) : 1);
  t->layout = g == GEOM_2D && draw(2) ? TEX_PITCH : TEX_BLOCK;
}
static void draw_format(struct texture *t, const struct format *f) {
  static const uint8_t single[4] = {ORDER_R, ORDER_A, ORDER_LUMINANCE, ORDER_INTENSITY};
  t->type = f->type;
  t->normalized_values = f->normalized;
  t->channels = 1 + draw(4);
  t->order = ORDER_R + t->channels - 1;
  if (t->channels == 1) t->order = single[draw(4)];
  if (t->channels == 4 && draw(2)) t->order = ORDER_BGRA;
}
static void draw_sampler(struct tex_sampler *s, enum tex_filter filter, unsigned address, bool normalized) {
  static const float odd[] = {0, 1, -1, 2.5f, -7.9f, 1e10f, -1e10f, NAN, INFINITY, 255.75f};
  *s = (struct tex_sampler){.filter = filter, .normalized = normalized, .compare = C_LE};
  for (unsigned k = 0; k < 3; k++) {
    /* The axis that is asked for, others mixed in two cases of three. */
    s->address[k] = k && draw(3) ? draw(4) : address;
  }
  for (unsigned k = 0; k < 4; k++) s->border[k] = odd[draw(sizeof odd / sizeof *odd)];
}
static struct tref_fetch draw_fetch(const struct texture *t, const struct tex_sampler *s, bool integer,
                                    uint32_t *word) {
  const bool cube = t->geom == GEOM_CUBE || t->geom == GEOM_ACUBE;
  struct tref_fetch f = {
      .geom = t->geom, .integer = integer, .layer = draw(8) ? draw(t->layers + 2) : ~draw(3), .s = s};
  word[0] = f.layer;
  for (unsigned k = 0; k < 3; k++) {
    f.i[k] = draw_integer(tref_size(t, k, 0));
    f.x[k] = cube ? draw_texels(2) : draw_coordinate(tref_size(t, k, 0), s->normalized);
    word[1 + k] = integer ? (uint32_t)f.i[k] : f32_bits(f.x[k]);
  }
  return f;
}
static void draw_fetches(struct kit *k, const struct tex_sampler *s, bool integer, struct tref_fetch f[KIT_N]) {
  for (unsigned i = 0; i < KIT_N; i++) f[i] = draw_fetch(k->t, s, integer, k->query[i]);
}

/* ---- comparing ---- */

static void describe(const struct kit *k, const struct tref_fetch *f, char *text, size_t room) {
  const struct texture *t = k->t;
  const struct tex_sampler *s = f->s ? f->s : &t->sampler;
  snprintf(text, room,
           "%s %s x%u order %u %ux%ux%u layers %u levels %u %s, filter %u mip %u address %u %u %u %s border %g %g %g "
           "%g lod %g %g %g; "
           "layer %u x %d %d %d / %.9g %.9g %.9g (%a) level %d / %.9g offset %d %d %d d %g",
           geom_name[t->geom], dtype_name(t->type), t->channels, t->order, t->width, t->height, t->depth, t->layers,
           t->levels, t->normalized_values ? "normalised" : "", s->filter, s->mip, s->address[0], s->address[1],
           s->address[2], s->normalized ? "0..1" : "texels", (double)s->border[0], (double)s->border[1],
           (double)s->border[2], (double)s->border[3], (double)s->lod_bias, (double)s->lod_min, (double)s->lod_max,
           f->layer, f->i[0], f->i[1], f->i[2], (double)f->x[0], (double)f->x[1], (double)f->x[2], (double)f->x[0],
           f->ilevel, (double)f->level, f->offset[0], f->offset[1], f->offset[2], (double)f->d);
}
static unsigned long points;
static void same(const struct kit *k, unsigned i, const struct tref_fetch *f, const uint32_t want[4]) {
  char text[1200];
  points++;
  if (!memcmp(k->result[i], want, 16)) return;
  describe(k, f, text, sizeof text);
  fail_msg("found %08x %08x %08x %08x, expected %08x %08x %08x %08x: %s", k->result[i][0], k->result[i][1],
           k->result[i][2], k->result[i][3], want[0], want[1], want[2], want[3], text);
}

/* A launch of as many fetches as the kit has queries, each as the reference has it. */
static void run_same(struct kit *k, uint64_t sampler, const struct tref_fetch f[KIT_N]) {
  kit_run(k, handle_of(HANDLE_TEXTURE, 0), sampler, KIT_N);
  for (unsigned i = 0; i < KIT_N; i++) {
    uint32_t want[4];
    tref_tex(&k->image, &f[i], want);
    same(k, i, &f[i], want);
  }
}

/* ---- the kernels ---- */

static const char *coordinates(enum tex_geom g, bool integer) {
  static const char *const text[GEOM_COUNT][2] = {{"{%f1}", "{%r1}"},
                                                  {"{%f1, %f2}", "{%r1, %r2}"},
                                                  {"{%f1, %f2, %f3, %f3}", "{%r1, %r2, %r3, %r3}"},
                                                  {"{%r0, %f1}", "{%r0, %r1}"},
                                                  {"{%r0, %f1, %f2, %f2}", "{%r0, %r1, %r2, %r2}"},
                                                  {"{%f1, %f2, %f3, %f3}", ""},
                                                  {"{%r0, %f1, %f2, %f3}", ""}};
  return text[g][integer];
}
static struct module *fetch_module(const char *target, enum tex_geom g, const char *level, const char *type,
                                   bool integer, const char *handles, const char *behind) {
  char body[400];
  snprintf(body, sizeof body, "tex%s.%s.v4.%s.%s {%%o0, %%o1, %%o2, %%o3}, [%s, %s]%s;", level, geom_name[g], type,
           integer ? "s32" : "f32", handles, coordinates(g, integer), behind);
  return kit_module(target, body);
}

/* ---- every combination ---- */

static void one_image(struct module *m, enum tex_geom g, const struct format *format, enum tex_filter filter,
                      unsigned address, bool normalized, bool integer) {
  struct kit *k = kit_new(m);
  struct tref_fetch f[KIT_N];
  draw_shape(k->t, g);
  draw_format(k->t, format);
  draw_sampler(&k->t->sampler, filter, address, normalized);
  kit_image(k);
  draw_fetches(k, &k->t->sampler, integer, f);
  run_same(k, 0, f);
  kit_free(k);
}

static void combinations(enum tex_geom g) {
  for (int integer = 0; integer < (g < GEOM_CUBE ? 2 : 1); integer++) {
    struct module *type[3];
    static const char *const names[3] = {"f32", "u32", "s32"};
    for (unsigned t = 0; t < 3; t++) type[t] = fetch_module("sm_75", g, "", names[t], integer, "%tex", "");
    for (unsigned n = 0; n < FORMATS; n++) {
      const bool is_float = format_float(&kit_format[n]);
      for (unsigned c = 0; c < 16; c++) { /* filter, address, normalised coordinates */
        if (c & 1 && !is_float) continue;
        one_image(type[is_float ? 0 : 1 + draw(2)], g, &kit_format[n], c & 1, c >> 1 & 3, c >> 3, integer);
      }
    }
    for (unsigned t = 0; t < 3; t++) module_free(type[t]);
  }
}
static void combine_1d(void **state) { (void)state, combinations(GEOM_1D); }
static void combine_2d(void **state) { (void)state, combinations(GEOM_2D); }
static void combine_3d(void **state) { (void)state, combinations(GEOM_3D); }
static void combine_a1d(void **state) { (void)state, combinations(GEOM_A1D); }
static void combine_a2d(void **state) { (void)state, combinations(GEOM_A2D); }
static void combine_cube(void **state) { (void)state, combinations(GEOM_CUBE); }
static void combine_acube(void **state) { (void)state, combinations(GEOM_ACUBE); }

/* ---- linear memory, the way of tex1Dfetch ---- */
static void linear_memory(void **state) {
  (void)state;
  struct module *type[2] = {fetch_module("sm_75", GEOM_1D, "", "f32", true, "%tex", ""),
                            fetch_module("sm_75", GEOM_1D, "", "u32", true, "%tex", "")};
  for (unsigned n = 0; n < FORMATS * 4; n++) {
    const struct format *format = &kit_format[n % FORMATS];
    struct kit *k = kit_new(type[!format_float(format)]);
    struct tref_fetch f[KIT_N];
    draw_shape(k->t, GEOM_1D);
    draw_format(k->t, format);
    draw_sampler(&k->t->sampler, TEX_POINT, draw(4), false);
    k->t->layout = TEX_PITCH;
    k->t->linear_1d = true;
    kit_image(k);
    draw_fetches(k, &k->t->sampler, true, f);
    run_same(k, 0, f);
    kit_free(k);
  }
  for (unsigned t = 0; t < 2; t++) module_free(type[t]);
}

/* ---- levels ---- */
static float draw_level(unsigned levels) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 0.001953125f, 0.998046875f, 1.5f, 1e20f};
  return !draw(6) ? odd[draw(8)] : (float)draw(256 * (levels + 2)) / 256.0f - 1.0f + (draw(2) ? 0.001f : 0);
}
static void of_levels(enum tex_geom g, bool integer) {
  struct module *type[2] = {fetch_module("sm_75", g, ".level", "f32", integer, "%tex", integer ? ", %r4" : ", %f4"),
                            fetch_module("sm_75", g, ".level", "s32", integer, "%tex", integer ? ", %r4" : ", %f4")};
  for (unsigned n = 0; n < FORMATS * 12; n++) {
    const struct format *format = &kit_format[n % FORMATS];
    const bool is_float = format_float(format);
    struct kit *k = kit_new(type[!is_float]);
    struct tex_sampler *s = &k->t->sampler;
    struct tref_fetch f[KIT_N];
    draw_shape(k->t, g);
    draw_format(k->t, format);
    k->t->layout = TEX_BLOCK;
    uint32_t most = k->t->width | k->t->height | k->t->depth;
    while (most >>= 1) k->t->levels += k->t->levels < 5 && draw(5);
    draw_sampler(s, is_float ? draw(2) : TEX_POINT, draw(4), draw(2));
    s->mip = is_float ? draw(2) : TEX_POINT;
    s->lod_max = draw(8) ? (float)draw(6) + (draw(3) ? 0 : 0.3f) : 0;
    s->lod_min = draw(3) ? 0 : (float)draw(1024) / 256;
    s->lod_bias = draw(3) ? 0 : (float)draw(1024) / 256 - 2;
    kit_image(k);
    for (unsigned i = 0; i < KIT_N; i++) {
      f[i] = draw_fetch(k->t, s, integer, k->query[i]);
      f[i].leveled = true;
      f[i].ilevel = (int32_t)draw(8) - 2;
      f[i].level = draw_level(k->t->levels);
      k->query[i][4] = integer ? (uint32_t)f[i].ilevel : f32_bits(f[i].level);
    }
    run_same(k, 0, f);
    kit_free(k);
  }
  for (unsigned t = 0; t < 2; t++) module_free(type[t]);
}
static void levels(void **state) {
  (void)state;
  for (unsigned g = 0; g < GEOM_COUNT; g++)
    for (int integer = 0; integer < (g < GEOM_CUBE ? 2 : 1); integer++) of_levels(g, integer);
}

/* ---- tld4 ---- */
static void gathers(void **state) {
  (void)state;
  static const enum tex_geom geom[4] = {GEOM_2D, GEOM_A2D, GEOM_CUBE, GEOM_ACUBE};
  for (unsigned c = 0; c < 16; c++) {
    const enum tex_geom g = geom[c >> 2];
    struct module *type[2];
    for (unsigned t = 0; t < 2; t++) {
      char body[300];
      snprintf(body, sizeof body, "tld4.%c.%s.v4.%s.f32 {%%o0, %%o1, %%o2, %%o3}, [%%tex, %s];", "rgba"[c & 3],
               geom_name[g], t ? "u32" : "f32", coordinates(g, false));
      type[t] = kit_module("sm_75", body);
    }
    for (unsigned n = 0; n < FORMATS * 4; n++) {
      const struct format *format = &kit_format[n % FORMATS];
      struct kit *k = kit_new(type[!format_float(format)]);
      struct tref_fetch f[KIT_N];
      draw_shape(k->t, g);
      draw_format(k->t, format);
      draw_sampler(&k->t->sampler, format_float(format) ? draw(2) : TEX_POINT, draw(4), draw(2));
      kit_image(k);
      draw_fetches(k, &k->t->sampler, false, f);
      kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, KIT_N);
      for (unsigned i = 0; i < KIT_N; i++) {
        uint32_t want[4];
        tref_gather(&k->image, &f[i], c & 3, want);
        same(k, i, &f[i], want);
      }
      kit_free(k);
    }
    for (unsigned t = 0; t < 2; t++) module_free(type[t]);
  }
}

/* ---- a sampler of its own, offsets, comparisons; halves ---- */
static void samplers(void **state) {
  (void)state;
  for (unsigned g = 0; g < GEOM_COUNT; g++) {
    struct module *m = fetch_module("sm_75, texmode_independent", g, "", "f32", false, "%tex, %smp", "");
    for (unsigned n = 0; n < 40; n++) {
      struct kit *k = kit_new(m);
      struct tref_fetch f[KIT_N];
      draw_shape(k->t, g);
      draw_format(k->t, &kit_format[6 + draw(6)]);
      draw_sampler(&k->t->sampler, draw(2), draw(4), draw(2));
      draw_sampler(k->sampler, draw(2), draw(4), draw(2));
      kit_image(k);
      draw_fetches(k, k->sampler, false, f);
      run_same(k, handle_of(HANDLE_SAMPLER, 0), f);
      kit_free(k);
    }
    module_free(m);
  }
}

static void comparisons(void **state) {
  (void)state;
  static const enum tex_geom geom[] = {GEOM_2D, GEOM_A2D, GEOM_CUBE};
  static const enum cmpop op[6] = {C_EQ, C_NE, C_LT, C_LE, C_GT, C_GE};
  for (unsigned g = 0; g < 3; g++) {
    struct module *m = fetch_module("sm_75", geom[g], "", "f32", false, "%tex", ", %f5");
    for (unsigned n = 0; n < 72; n++) {
      struct kit *k = kit_new(m);
      struct tref_fetch f[KIT_N];
      draw_shape(k->t, geom[g]);
      draw_format(k->t, &kit_format[6 + n % 6]);
      k->t->channels = 1;
      k->t->order = ORDER_R;
      draw_sampler(&k->t->sampler, draw(2), draw(4), draw(2));
      k->t->sampler.compare = op[n / 12];
      kit_image(k);
      for (unsigned i = 0; i < KIT_N; i++) {
        uint32_t texel[4];
        f[i] = draw_fetch(k->t, &k->t->sampler, false, k->query[i]);
        f[i].compare = true;
        tref_texel(&k->image, 0, draw(k->t->width), draw(k->t->height), draw(k->t->layers), texel);
        memcpy(&f[i].d, texel, 4); /* that of some texel, so that equality holds somewhere */
        if (!draw(4)) f[i].d = draw_texels(4);
        k->query[i][5] = f32_bits(f[i].d);
      }
      run_same(k, 0, f);
      kit_free(k);
    }
    module_free(m);
  }
}

static void offsets(void **state) {
  (void)state;
  static const int by[3][3] = {{1, -1, 2}, {-8, 7, -3}, {0, 5, 0}};
  for (unsigned g = 0; g < GEOM_CUBE; g++)
    for (unsigned o = 0; o < 3; o++)
      for (int integer = 0; integer < 2; integer++) {
        char behind[64];
        snprintf(behind, sizeof behind,
                 geom_axes(g) == 1   ? ", {%d}"
                 : geom_axes(g) == 2 ? ", {%d, %d}"
                                     : ", {%d, %d, %d, 0}",
                 by[o][0], by[o][1], by[o][2]);
        struct module *m = fetch_module("sm_75", g, "", "f32", integer, "%tex", behind);
        for (unsigned n = 0; n < 12; n++) {
          struct kit *k = kit_new(m);
          struct tref_fetch f[KIT_N];
          draw_shape(k->t, g);
          draw_format(k->t, &kit_format[6 + draw(6)]);
          draw_sampler(&k->t->sampler, draw(2), draw(4), draw(2));
          kit_image(k);
          for (unsigned i = 0; i < KIT_N; i++) {
            f[i] = draw_fetch(k->t, &k->t->sampler, integer, k->query[i]);
            for (unsigned a = 0; a < geom_axes(g); a++) f[i].offset[a] = by[o][a];
          }
          run_same(k, 0, f);
          kit_free(k);
        }
        module_free(m);
      }
}

static void halves(void **state) {
  (void)state;
  struct module *of[2] = {kit_module("sm_75",
                                     "tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%tex, {%f1, %f2}];\n"
                                     "mov.b32 %o0, {%h0, %h1}; mov.b32 %o1, {%h2, %h3};"),
                          kit_module("sm_75", "tex.2d.v2.f16x2.f32 {%o0, %o1}, [%tex, {%f1, %f2}];")};
  for (unsigned n = 0; n < 96; n++) {
    struct kit *k = kit_new(of[n & 1]);
    struct tref_fetch f[KIT_N];
    draw_shape(k->t, GEOM_2D);
    draw_format(k->t, &kit_format[6 + n / 2 % 6]);
    draw_sampler(&k->t->sampler, draw(2), draw(4), draw(2));
    kit_image(k);
    draw_fetches(k, &k->t->sampler, false, f);
    kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, KIT_N);
    for (unsigned i = 0; i < KIT_N; i++) {
      uint32_t r[4], want[4] = {0};
      tref_tex(&k->image, &f[i], r);
      for (unsigned c = 0; c < 4; c++) want[c / 2] |= (uint32_t)tref_half(r[c]) << 16 * (c % 2);
      same(k, i, &f[i], want);
    }
    kit_free(k);
  }
  for (unsigned t = 0; t < 2; t++) module_free(of[t]);
}

/* ---- tex.grad: the level is log2 of the longer derivative in texels; not asked where it is about to change ---- */
static void derivatives(void **state) {
  (void)state;
  struct module *m[2] = {
      kit_module("sm_75", "tex.grad.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%tex, {%f1, %f2}], {%f4, %f5}, {%f6, %f7};"),
      kit_module("sm_75", "tex.grad.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%tex, {%f1}], {%f4}, {%f6};")};
  unsigned asked = 0;
  for (unsigned n = 0; n < 60; n++) {
    struct kit *k = kit_new(m[n & 1]);
    struct tex_sampler *s = &k->t->sampler;
    struct tref_fetch f[KIT_N];
    bool sure[KIT_N];
    draw_shape(k->t, n & 1 ? GEOM_1D : GEOM_2D);
    draw_format(k->t, &kit_format[6 + draw(6)]);
    k->t->layout = TEX_BLOCK;
    k->t->width += 16;
    k->t->levels = 5;
    draw_sampler(s, draw(2), draw(4), true);
    s->mip = TEX_POINT;
    s->lod_max = 10;
    s->lod_bias = draw(2) ? 0 : 1;
    kit_image(k);
    for (unsigned i = 0; i < KIT_N; i++) {
      double q[2] = {0, 0};
      f[i] = draw_fetch(k->t, s, false, k->query[i]);
      for (unsigned a = 0; a < 4; a++) {
        const unsigned axis = a & 1;
        const float d = draw(8) ? ((float)draw(4096) / 256 - 8) / (float)tref_size(k->t, axis, 0) : 0;
        k->query[i][4 + a] = f32_bits(d);
        if (n & 1 && axis) continue;
        q[a >> 1] += pow((double)d * tref_size(k->t, axis, 0), 2);
      }
      const double lod = log2(q[0] > q[1] ? q[0] : q[1]) / 2;
      f[i].leveled = true;
      f[i].level = (float)lod;
      sure[i] = !isfinite(lod) || fabs(lod - floor(lod) - 0.5) > 0.01;
    }
    kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, KIT_N);
    for (unsigned i = 0; i < KIT_N; i++) {
      uint32_t want[4];
      tref_tex(&k->image, &f[i], want);
      if (sure[i]) same(k, i, &f[i], want);
      asked += sure[i];
    }
    kit_free(k);
  }
  assert_true(asked > 60 * KIT_N * 9 / 10);
  for (unsigned t = 0; t < 2; t++) module_free(m[t]);
}

/* ---- by hand ---- */

/* Four texels at eight positions: the table of the guide's section on linear filtering, for its T[] = 0, 16, 32, 64. */
static void table_by_hand(void **state) {
  (void)state;
  static const float texel[4] = {0, 16, 32, 64};
  static const struct {
    enum tex_filter filter;
    enum tex_address address;
    bool normalized;
    float x[8], want[8];
  } row[] = {
      {TEX_POINT, TEX_CLAMP, false, {-1, 0, 0.999f, 1, 1.5f, 3.99f, 4, 100}, {0, 0, 0, 16, 16, 64, 64, 64}},
      /* 0.5 and 1.5 are the middles of texels 0 and 1; 0.5 + 1/1024 rounds to a weight of 0, + 1/512 to 1/256 */
      {TEX_LINEAR,
       TEX_CLAMP,
       false,
       {0, 0.5f, 1, 1.25f, 1.5f, 3, 3.75f, 0.501953125f},
       {0, 0, 8, 12, 16, 48, 64, 0.0625f}},
      {TEX_LINEAR,
       TEX_CLAMP,
       false,
       {0.5009765625f, 2.75f, 2, 1.498046875f, 9, -9, 3.5f, 2.5f},
       {0, 40, 24, 16, 64, 0, 64, 32}},
      {TEX_LINEAR,
       TEX_BORDER,
       false,
       {0, 0.25f, 4, 4.25f, 3.75f, -0.25f, -0.5f, 4.5f},
       {-4, -2, 28, 10, 46, -6, -8, -8}},
      {TEX_POINT, TEX_WRAP, true, {-0.25f, 0, 0.25f, 1, 1.5f, -1, 7.75f, -0.01f}, {64, 0, 16, 0, 32, 0, 64, 64}},
      {TEX_LINEAR,
       TEX_WRAP,
       true,
       {0, 0.0625f, 0.125f, 0.9375f, 1, 0.5f, -0.875f, 0.96875f},
       {32, 16, 0, 48, 32, 24, 0, 40}},
      {TEX_POINT,
       TEX_MIRROR,
       true,
       {-0.01f, -0.3f, 1.01f, 1.3f, 1.9f, 2.1f, -1.1f, 0.5f},
       {0, 16, 64, 32, 0, 0, 64, 32}},
      {TEX_LINEAR, TEX_MIRROR, true, {0, 1, 1.125f, 1.25f, -0.25f, 0.125f, 2, 0.9375f}, {0, 64, 64, 48, 8, 0, 0, 64}},
  };
  struct module *m = fetch_module("sm_75", GEOM_1D, "", "f32", false, "%tex", "");
  for (unsigned r = 0; r < sizeof row / sizeof *row; r++) {
    struct kit *k = kit_new(m);
    *k->t = (struct texture){.type = T_F32,
                             .channels = 1,
                             .order = ORDER_R,
                             .layout = TEX_BLOCK,
                             .geom = GEOM_1D,
                             .levels = 1,
                             .width = 4,
                             .height = 1,
                             .depth = 1,
                             .layers = 1};
    k->t->sampler = (struct tex_sampler){
        .filter = row[r].filter, .normalized = row[r].normalized, .address = {row[r].address}, .border = {-8}};
    kit_image(k);
    for (unsigned i = 0; i < 4; i++) memcpy(memory_at(k->mem, k->t->addr + 4 * i, 4), &texel[i], 4);
    for (unsigned i = 0; i < 8; i++) k->query[i][1] = f32_bits(row[r].x[i]);
    kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, 8);
    for (unsigned i = 0; i < 8; i++) {
      float found;
      memcpy(&found, k->result[i], 4);
      if (found != row[r].want[i])
        fail_msg("row %u, x %g: found %.9g, expected %.9g", r, (double)row[r].x[i], (double)found,
                 (double)row[r].want[i]);
      assert_int_equal(k->result[i][1], 0);
      assert_int_equal(k->result[i][3], 0x3f800000);
    }
    kit_free(k);
  }
  module_free(m);
}

/* Two by two bytes, normalised: the middle is their mean, its sum rounded once. */
static void plane_by_hand(void **state) {
  (void)state;
  struct module *m = fetch_module("sm_75", GEOM_2D, "", "f32", false, "%tex", "");
  struct kit *k = kit_new(m);
  *k->t = (struct texture){.type = T_U8,
                           .channels = 1,
                           .order = ORDER_R,
                           .layout = TEX_PITCH,
                           .geom = GEOM_2D,
                           .levels = 1,
                           .width = 2,
                           .height = 2,
                           .depth = 1,
                           .layers = 1,
                           .normalized_values = true};
  k->t->sampler = (struct tex_sampler){.filter = TEX_LINEAR, .address = {TEX_CLAMP, TEX_CLAMP}};
  kit_image(k);
  const uint8_t v[2][2] = {{0, 255}, {51, 102}}; /* 0, 1, 0.2, 0.4 */
  for (unsigned y = 0; y < 2; y++) memcpy(memory_at(k->mem, k->t->addr + y * k->t->pitch, 2), v[y], 2);
  static const float x[4][2] = {{1, 1}, {0.5f, 1}, {1.5f, 0.5f}, {1.25f, 1.25f}};
  for (unsigned i = 0; i < 4; i++) k->query[i][1] = f32_bits(x[i][0]), k->query[i][2] = f32_bits(x[i][1]);
  kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, 4);
  const double a = 0, b = 1, c = (double)0.2f, d = (double)0.4f;
  const float want[4] = {(float)((a + b + c + d) / 4), (float)((a + c) / 2), 1,
                         (float)(a / 16 + 3 * b / 16 + 3 * c / 16 + 9 * d / 16)};
  for (unsigned i = 0; i < 4; i++) assert_int_equal(k->result[i][0], f32_bits(want[i]));
  kit_free(k);
  module_free(m);
}

/* The middle of each face of a cube whose faces have their number as value, and corners between. */
static void cube_by_hand(void **state) {
  (void)state;
  static const struct {
    float v[3], want;
  } q[] = {{{1, 0, 0}, 0}, {{-1, 0, 0}, 1},        {{0, 1, 0}, 2},    {{0, -1, 0}, 3},
           {{0, 0, 1}, 4}, {{0, 0, -1}, 5},        {{2, 1, 2}, 4},    {{-3, 3, 1}, 2},
           {{0, 0, 0}, 4}, {{INFINITY, 5, -9}, 0}, {{NAN, -2, 1}, 3}, {{9, -9.5f, -9.25f}, 3}};
  struct module *m = fetch_module("sm_75", GEOM_CUBE, "", "f32", false, "%tex", "");
  struct kit *k = kit_new(m);
  *k->t = (struct texture){.type = T_F32,
                           .channels = 1,
                           .order = ORDER_R,
                           .layout = TEX_BLOCK,
                           .geom = GEOM_CUBE,
                           .levels = 1,
                           .width = 4,
                           .height = 4,
                           .depth = 1,
                           .layers = 6};
  kit_image(k);
  for (unsigned z = 0; z < 6; z++)
    for (unsigned i = 0; i < 16; i++) {
      const float v = (float)z;
      memcpy(memory_at(k->mem, k->t->addr + (uint32_t)tref_at(k->t, 0, i % 4, i / 4, z), 4), &v, 4);
    }
  const unsigned n = sizeof q / sizeof *q;
  for (unsigned i = 0; i < n; i++)
    for (unsigned c = 0; c < 3; c++) k->query[i][1 + c] = f32_bits(q[i].v[c]);
  kit_run(k, handle_of(HANDLE_TEXTURE, 0), 0, n);
  for (unsigned i = 0; i < n; i++) {
    float found;
    memcpy(&found, k->result[i], 4);
    if (found != q[i].want) fail_msg("direction %u: found face %g, expected %g", i, (double)found, (double)q[i].want);
  }
  kit_free(k);
  module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_by_hand), cmocka_unit_test(plane_by_hand), cmocka_unit_test(cube_by_hand),
      cmocka_unit_test(combine_1d),    cmocka_unit_test(combine_2d),    cmocka_unit_test(combine_3d),
      cmocka_unit_test(combine_a1d),   cmocka_unit_test(combine_a2d),   cmocka_unit_test(combine_cube),
      cmocka_unit_test(combine_acube), cmocka_unit_test(linear_memory), cmocka_unit_test(levels),
      cmocka_unit_test(gathers),       cmocka_unit_test(samplers),      cmocka_unit_test(comparisons),
      cmocka_unit_test(offsets),       cmocka_unit_test(halves),        cmocka_unit_test(derivatives),
  };
  const int failed = cmocka_run_group_tests_name("texture_values", tests, NULL, NULL);
  print_message("# %lu fetches compared\n", points);
  return failed;
}

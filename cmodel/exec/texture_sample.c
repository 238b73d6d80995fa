/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_sample: from coordinates to values: the texels that a fetch uses, their weights, the sum (docs/reference/textures.md).
 *
 * All loops run over 32 lanes. Those that are not in the group compute on whatever their registers hold; their texels'
 * addresses are replaced by the image's own before memory is read.
 */
#include <assert.h>

#include "exec/alu_fp.h"
#include "exec/texture_warp.h"

enum { ONE = 256 }; /* a weight of 1 */

/* ---- one axis ---- */

struct axis {
  uint32_t n;   /* texels */
  uint8_t mode; /* enum tex_address; WRAP and MIRROR only where the coordinates are normalised */
  bool normalized;
};
/* Both texels along an axis, or one: place, lanes where it is not in the image, weight of the second. */
struct tap {
  _Alignas(64) int32_t i[2][LANES];
  _Alignas(64) uint32_t weight[LANES];
  uint32_t out[2];
};

#define COORD_MOST 0x1p30

INLINE int32_t floor_of(double x) { /* |x| <= 2^30 */
  const int32_t i = (int32_t)x;
  return i - (x < (double)i);
}
INLINE double coord_without_nan(double x) { return x == x ? x : 0.0; }
INLINE double coord_limit(double x) { return x < -COORD_MOST ? -COORD_MOST : x > COORD_MOST ? COORD_MOST : x; }
INLINE double coord_wrap(double x) {
  const double f = x - __builtin_floor(x);
  return coord_without_nan(f); /* of an infinite x: a NaN */
}
INLINE double coord_mirror(double x) {
  const double k = __builtin_floor(x), f = x - k, h = k * 0.5;
  return coord_without_nan(h == __builtin_floor(h) ? f : 1.0 - f);
}

/* Texel coordinates of a row of f32, or of a row of f64 (faces of cubes, already normalised). */
INLINE void texels_of(const struct axis *g, const uint32_t *row, const double *given, double *u) {
  const double n = g->normalized ? (double)g->n : 1.0;
  switch (g->mode) {
    case TEX_WRAP:
      for (unsigned l = 0; l < LANES; l++)
        u[l] = coord_limit(coord_wrap(coord_without_nan((double)f32_of(row[l]))) * n);
      return;
    case TEX_MIRROR:
      for (unsigned l = 0; l < LANES; l++)
        u[l] = coord_limit(coord_mirror(coord_without_nan((double)f32_of(row[l]))) * n);
      return;
    default:
      if (given)
        for (unsigned l = 0; l < LANES; l++) u[l] = coord_limit(given[l] * n);
      else
        for (unsigned l = 0; l < LANES; l++) u[l] = coord_limit(coord_without_nan((double)f32_of(row[l])) * n);
  }
}

/* The texel of each lane, or both of them and the weight. */
static void tap_place(const double *u, bool two, struct tap *t) {
  if (!two) {
    for (unsigned l = 0; l < LANES; l++) t->i[0][l] = floor_of(u[l]);
    return;
  }
  for (unsigned l = 0; l < LANES; l++) {
    const double b = u[l] - 0.5;
    const int32_t i = floor_of(b);
    t->i[0][l] = i;
    t->i[1][l] = i + 1;
    t->weight[l] = (uint32_t)(int32_t)((b - (double)i) * ONE + 0.5);
  }
}

INLINE int32_t index_modulo(int32_t i, int32_t n) {
  const int32_t r = i % n;
  return r < 0 ? r + n : r;
}

/* Indices that are outside come inside; `out`: those that have the border's colour. */
static void axis_fold(const struct axis *g, int32_t *i, uint32_t *out) {
  const int32_t n = (int32_t)g->n;
  *out = 0;
  switch (g->mode) {
    case TEX_WRAP:
      for (unsigned l = 0; l < LANES; l++)
        if ((uint32_t)i[l] >= g->n) i[l] = index_modulo(i[l], n);
      return;
    case TEX_MIRROR:
      for (unsigned l = 0; l < LANES; l++)
        if ((uint32_t)i[l] >= g->n) {
          const int32_t k = index_modulo(i[l], 2 * n);
          i[l] = k < n ? k : 2 * n - 1 - k;
        }
      return;
    case TEX_BORDER:
      for (unsigned l = 0; l < LANES; l++) *out |= (uint32_t)((uint32_t)i[l] >= g->n) << l; /* fall through */
    default:
      for (unsigned l = 0; l < LANES; l++) i[l] = i[l] < 0 ? 0 : i[l] >= n ? n - 1 : i[l];
  }
}

/* ---- one level ---- */

struct footprint { /* what all axes give */
  struct tap axis[3];
  unsigned axes, taps; /* texels: a power of two */
  uint32_t layer[LANES];
};

static int32_t offset_of(uint32_t packed, unsigned axis) { return (int32_t)(packed << (28 - 4 * axis)) >> 28; }

static void add_offset(const uint32_t *offset, unsigned axis, bool two, struct tap *t) {
  for (unsigned l = 0; l < LANES; l++) {
    const int32_t o = offset_of(offset[l], axis);
    t->i[0][l] += o;
    if (two) t->i[1][l] += o;
  }
}

/* Texel numbers as they are; far outside is brought so near that an offset can be added. */
static void tap_from_integers(const uint32_t *row, struct tap *t) {
  for (unsigned l = 0; l < LANES; l++) {
    const int32_t i = (int32_t)row[l], most = 1 << 30;
    t->i[0][l] = i < -most ? -most : i > most ? most : i;
  }
}

/* Normalised coordinates in the face, and the face, of a direction. */
static void face_of(const uint32_t *const row[3], double (*st)[LANES], uint32_t *face) {
  for (unsigned l = 0; l < LANES; l++) {
    double c[3];
    for (unsigned k = 0; k < 3; k++) {
      const double v = coord_without_nan((double)f32_of(row[k][l])), most = 0x1.fffffep127;
      c[k] = v < -most ? -most : v > most ? most : v;
    }
    const double ax = c[0] < 0 ? -c[0] : c[0], ay = c[1] < 0 ? -c[1] : c[1], az = c[2] < 0 ? -c[2] : c[2];
    const unsigned major = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
    const bool neg = c[major] < 0;
    const double m = neg ? -c[major] : c[major];
    const double s = major == 0 ? (neg ? c[2] : -c[2]) : major == 2 && neg ? -c[0] : c[0];
    const double t = major == 1 ? (neg ? -c[2] : c[2]) : -c[1];
    face[l] = 2 * major + neg;
    st[0][l] = ((m == 0 ? 0.0 : s / m) + 1.0) / 2.0;
    st[1][l] = ((m == 0 ? 0.0 : t / m) + 1.0) / 2.0;
  }
}

static struct axis axis_of(const struct sampling *p, const struct texture_axes *a, unsigned k, bool cube) {
  const uint32_t n = k == 0 ? a->width : k == 1 ? a->height : a->depth;
  if (cube) return (struct axis){n, TEX_CLAMP, true};
  const bool normalized = p->s->normalized && p->i->stype == T_F32;
  const uint8_t mode = p->s->address[k];
  return (struct axis){n, !normalized && mode != TEX_BORDER ? TEX_CLAMP : mode, normalized};
}

static void sample_layers(const struct sampling *p, const uint32_t *face, uint32_t *to) {
  const uint32_t most = p->m->t.layers / (face ? 6 : 1) - 1;
  for (unsigned l = 0; l < LANES; l++) {
    const uint32_t n = p->layer ? (p->layer[l] < most ? p->layer[l] : most) : 0;
    to[l] = face ? 6 * n + face[l] : n;
  }
}

static void footprint_find(const struct sampling *p, const struct texture_axes *a, bool two, struct footprint *f) {
  const bool cube = p->i->sub == GEOM_CUBE || p->i->sub == GEOM_ACUBE;
  double u[LANES], st[2][LANES];
  uint32_t face[LANES];
  f->axes = cube ? 2 : geom_axes((enum tex_geom)p->i->sub);
  assert(f->axes >= 1 && f->axes <= 3);
  two = two && p->i->stype == T_F32;
  f->taps = two ? 1u << f->axes : 1;
  if (cube) face_of(p->coord, st, face);
  for (unsigned k = 0; k < f->axes; k++) {
    const struct axis g = axis_of(p, a, k, cube);
    struct tap *t = &f->axis[k];
    if (p->i->stype != T_F32) {
      tap_from_integers(p->coord[k], t);
    } else {
      texels_of(&g, p->coord[k], cube ? st[k] : NULL, u);
      tap_place(u, two, t);
    }
    if (p->offset) add_offset(p->offset, k, two, t);
    if (p->m->t.linear_1d) { /* what is outside reads as zeros */
      const struct axis zeros = {g.n, TEX_BORDER, false};
      axis_fold(&zeros, t->i[0], &t->out[0]);
      continue;
    }
    for (unsigned j = 0; j <= two; j++) axis_fold(&g, t->i[j], &t->out[j]);
  }
  if (cube || p->layer) sample_layers(p, cube ? face : NULL, f->layer);
}

/* ---- the texels ---- */

struct places { /* terms of addresses: x and y for both texels, z or layer */
  uint32_t at[3][2][LANES];
};

static void sample_address_terms(const struct sampling *p, const struct texture_axes *a, const struct footprint *f,
                                 struct places *q) {
  const unsigned two = f->taps > 1;
  for (unsigned j = 0; j <= two; j++) {
    for (unsigned l = 0; l < LANES; l++) q->at[0][j][l] = texture_x(a, (uint32_t)f->axis[0].i[j][l] * a->texel);
    if (f->axes > 1)
      for (unsigned l = 0; l < LANES; l++) q->at[1][j][l] = texture_y(a, (uint32_t)f->axis[1].i[j][l]);
    if (f->axes > 2)
      for (unsigned l = 0; l < LANES; l++) q->at[2][j][l] = texture_z(a, (uint32_t)f->axis[2].i[j][l]);
  }
  const uint32_t base = p->m->t.addr + a->at;
  for (unsigned j = 0; j <= two; j++)
    for (unsigned l = 0; l < LANES; l++) q->at[0][j][l] += base;
  if (geom_layered((enum tex_geom)p->i->sub) || p->i->sub == GEOM_CUBE)
    for (unsigned j = 0; j <= two; j++)
      for (unsigned l = 0; l < LANES; l++) q->at[0][j][l] += texture_z(a, f->layer[l]);
}

/* Addresses of tap k; returns the lanes that read memory there. */
static uint32_t sample_tap_addresses(const struct sampling *p, const struct footprint *f, const struct places *q,
                                     unsigned k, uint32_t lanes, uint32_t *a) {
  const unsigned x = k & 1, y = k >> 1 & 1, z = k >> 2 & 1;
  uint32_t on = lanes & ~f->axis[0].out[x];
  if (f->axes > 1) on &= ~f->axis[1].out[y];
  if (f->axes > 2) on &= ~f->axis[2].out[z];
  const uint32_t *ax = q->at[0][x], *ay = q->at[1][y], *az = q->at[2][z];
  if (f->axes == 1) memcpy(a, ax, ROW_BYTES);
  else if (f->axes == 2)
    for (unsigned l = 0; l < LANES; l++) a[l] = ax[l] + ay[l];
  else
    for (unsigned l = 0; l < LANES; l++) a[l] = ax[l] + ay[l] + az[l];
  if (on != FULL)
    for (unsigned l = 0; l < LANES; l++) a[l] = on >> l & 1 ? a[l] : p->m->t.addr;
  return on;
}

static bool sample_compare(unsigned op, float a, float b) {
  switch (op) {
    case C_EQ: return a == b;
    case C_NE: return a != b;
    case C_LT: return a < b;
    case C_LE: return a <= b;
    case C_GT: return a > b;
    default: return a >= b;
  }
}

/* Channel k of a tap as it reads, the border's colour and comparisons included. */
static void sample_channel(const struct sampling *p, const uint32_t (*raw)[LANES], unsigned k, uint32_t out,
                           uint32_t *to) {
  texel_channel(p->m, raw, k, to);
  if (out) {
    const uint32_t border = p->m->t.linear_1d ? 0 : texel_border(p->m, p->s, k);
    for (unsigned l = 0; l < LANES; l++) to[l] = out >> l & 1 ? border : to[l];
  }
  if (p->ref)
    for (unsigned l = 0; l < LANES; l++)
      to[l] = sample_compare(p->s->compare, f32_of(p->ref[l]), f32_of(to[l])) ? 0x3f800000u : 0;
}

static void footprint_weights(const struct footprint *f, unsigned k, double *to) {
  for (unsigned l = 0; l < LANES; l++) {
    uint32_t w = 1;
    w *= k & 1 ? f->axis[0].weight[l] : ONE - f->axis[0].weight[l];
    if (f->axes > 1) w *= k & 2 ? f->axis[1].weight[l] : ONE - f->axis[1].weight[l];
    if (f->axes > 2) w *= k & 4 ? f->axis[2].weight[l] : ONE - f->axis[2].weight[l];
    to[l] = (double)(int32_t)w;
  }
}

/* What a level gives: the texel itself, or the sum of several. */
struct level_value {
  _Alignas(64) uint32_t bits[CHANNELS][LANES];
  _Alignas(64) double sum[CHANNELS][LANES];
};

static void sample_level(const struct exec *x, const struct sampling *p, unsigned level, uint32_t lanes, bool two,
                         unsigned row, struct touched *t, struct level_value *v) {
  const struct texture_axes *a = &p->m->level[level];
  struct footprint f;
  struct places q;
  _Alignas(64) uint32_t raw[CHANNELS][LANES], at[LANES], c[LANES];
  double w[LANES];
  footprint_find(p, a, two, &f);
  two = f.taps > 1;
  sample_address_terms(p, a, &f, &q);
  /* A product of the weights is a whole number of 1/256, 1/65536 or 2^-24. */
  const double unit = f.axes == 1 ? 0x1p-8 : f.axes == 2 ? 0x1p-16 : 0x1p-24;
  for (unsigned k = 0; k < f.taps; k++) {
    const uint32_t on = sample_tap_addresses(p, &f, &q, k, lanes, at), out = lanes & ~on;
    if (row + k < TAPS) {
      if (on == FULL) memcpy(t->a[row + k], at, ROW_BYTES);
      else row_merge(t->a[row + k], at, on);
      t->on[row + k] |= on;
    }
    texel_fetch(x, at, a->texel, raw);
    if (two) footprint_weights(&f, k, w);
    for (unsigned ch = 0; ch < p->m->t.channels; ch++) {
      if (!(p->want >> ch & 1)) continue;
      if (!two) {
        sample_channel(p, raw, ch, out, v->bits[ch]);
        continue;
      }
      sample_channel(p, raw, ch, out, c);
      double *s = v->sum[ch];
      if (!k) memset(s, 0, sizeof v->sum[ch]);
      for (unsigned l = 0; l < LANES; l++) {
        const double term = w[l] * unit * (double)f32_of(c[l]);
        s[l] += w[l] == 0.0 ? 0.0 : term;
      }
    }
  }
}

/* ---- levels ---- */

struct levels {
  uint8_t first[LANES];
  uint32_t part[LANES]; /* of the next level, in 1/256 */
  uint32_t both;        /* lanes with a part */
};

static void levels_of(const struct sampling *p, struct levels *v) {
  const int32_t last = p->m->t.levels - 1;
  v->both = 0;
  for (unsigned l = 0; l < LANES; l++) {
    v->part[l] = 0;
    if (p->i->stype != T_F32) {
      const int32_t n = (int32_t)p->lod[l];
      v->first[l] = (uint8_t)(n < 0 ? 0 : n > last ? last : n);
      continue;
    }
    double e = coord_without_nan((double)f32_of(p->lod[l]) + (double)p->s->lod_bias);
    if (e < (double)p->s->lod_min) e = (double)p->s->lod_min;
    if (e > (double)p->s->lod_max) e = (double)p->s->lod_max;
    e = e < 0.0 ? 0.0 : e > (double)last ? (double)last : e;
    if (p->s->mip == TEX_POINT) {
      const int32_t n = floor_of(e + 0.5);
      v->first[l] = (uint8_t)(n > last ? last : n);
      continue;
    }
    const int32_t n = floor_of(e);
    v->first[l] = (uint8_t)n;
    v->part[l] = (uint32_t)(int32_t)((e - (double)n) * ONE + 0.5);
    v->both |= (uint32_t)(v->part[l] != 0) << l;
  }
  v->both &= p->lanes;
}

/* Level first + next of each of these lanes; to: where they are written. */
static void sample_levels(const struct exec *x, const struct sampling *p, const struct levels *v, unsigned next,
                          uint32_t lanes, bool two, unsigned row, struct touched *t, struct level_value *to) {
  struct level_value one;
  for (uint32_t rest = lanes, group; rest; rest &= ~group) {
    const unsigned level = v->first[bit_low32(rest)];
    group = 0;
    for (unsigned l = 0; l < LANES; l++) group |= (uint32_t)(v->first[l] == level) << l;
    group &= lanes;
    struct level_value *at = group == lanes ? to : &one;
    sample_level(x, p, level + next, group, two, row, t, at);
    if (group == lanes) return;
    for (unsigned ch = 0; ch < p->m->t.channels; ch++) {
      if (!(p->want >> ch & 1)) continue;
      for (unsigned l = 0; l < LANES; l++) {
        if (!(group >> l & 1)) continue;
        if (two) to->sum[ch][l] = one.sum[ch][l];
        else to->bits[ch][l] = one.bits[ch][l];
      }
    }
  }
}

static void sample_round_sums(const struct sampling *p, const struct level_value *v, uint32_t (*value)[LANES]) {
  for (unsigned ch = 0; ch < p->m->t.channels; ch++)
    if (p->want >> ch & 1)
      for (unsigned l = 0; l < LANES; l++) value[ch][l] = f32_canonical((float)v->sum[ch][l]);
}

static void sample_copy_texels(const struct sampling *p, const struct level_value *v, uint32_t (*value)[LANES]) {
  for (unsigned ch = 0; ch < p->m->t.channels; ch++)
    if (p->want >> ch & 1) memcpy(value[ch], v->bits[ch], ROW_BYTES);
}

static void sample_between_levels(const struct sampling *p, const struct levels *v, bool two,
                                  const struct level_value *a, const struct level_value *b, uint32_t (*value)[LANES]) {
  for (unsigned ch = 0; ch < p->m->t.channels; ch++) {
    if (!(p->want >> ch & 1)) continue;
    for (uint32_t rest = v->both; rest; rest &= rest - 1) {
      const unsigned l = (unsigned)bit_low32(rest);
      const double part = v->part[l] * 0x1p-8;
      const double s0 = two ? a->sum[ch][l] : (double)f32_of(a->bits[ch][l]);
      const double s1 = two ? b->sum[ch][l] : (double)f32_of(b->bits[ch][l]);
      const double s = part == 1.0 ? s1 : (1.0 - part) * s0 + part * s1;
      value[ch][l] = f32_canonical((float)s);
    }
  }
}

/* ---- tld4 ---- */

static void sample_gather(const struct exec *x, const struct sampling *p, struct touched *t, uint32_t (*value)[LANES]) {
  static const uint8_t order[4] = {3, 2, 0, 1}; /* where the texels (i,j), (i+1,j), (i,j+1), (i+1,j+1) go */
  const struct texture_axes *a = &p->m->level[0];
  const unsigned from = p->ref ? 0 : p->m->comp[p->i->boolop];
  struct footprint f;
  struct places q;
  _Alignas(64) uint32_t raw[CHANNELS][LANES], at[LANES];
  footprint_find(p, a, true, &f);
  sample_address_terms(p, a, &f, &q);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t *to = value[order[k]];
    const uint32_t on = sample_tap_addresses(p, &f, &q, k, p->lanes, at);
    row_merge(t->a[k], at, on);
    t->on[k] |= on;
    if (from >= COMP_ZERO) {
      row_fill(to, from == COMP_ZERO ? 0 : p->m->floats ? 0x3f800000u : 1);
      continue;
    }
    texel_fetch(x, at, a->texel, raw);
    sample_channel(p, raw, from, p->lanes & ~on, to);
  }
}

void texture_sample(const struct exec *x, const struct sampling *p, struct touched *t, uint32_t (*value)[LANES]) {
  if (p->i->op == OP_TLD4) {
    if (t->rows < 4) t->rows = 4;
    sample_gather(x, p, t, value);
    return;
  }
  const bool two = p->s->filter == TEX_LINEAR && p->i->stype == T_F32;
  const unsigned axes = p->i->sub == GEOM_CUBE || p->i->sub == GEOM_ACUBE ? 2 : geom_axes((enum tex_geom)p->i->sub);
  unsigned rows = two ? 1u << axes : 1;
  struct level_value v, next;
  if (!p->lod || p->m->t.levels == 1) {
    sample_level(x, p, 0, p->lanes, two, 0, t, &v);
    (two ? sample_round_sums : sample_copy_texels)(p, &v, value);
  } else {
    struct levels lv;
    levels_of(p, &lv);
    sample_levels(x, p, &lv, 0, p->lanes, two, 0, t, &v);
    (two ? sample_round_sums : sample_copy_texels)(p, &v, value);
    if (lv.both) {
      sample_levels(x, p, &lv, 1, lv.both, two, rows, t, &next);
      sample_between_levels(p, &lv, two, &v, &next, value);
      t->filtered = true;
      if (rows < TAPS) rows *= 2;
    }
  }
  t->filtered |= two;
  if (t->rows < rows) t->rows = rows;
}

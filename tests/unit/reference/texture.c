/* SPDX-License-Identifier: Apache-2.0 */
/* texture: docs/reference/textures.md in plain C, section after section. */
#include "unit/reference/texture.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "compiler/ir/insn.h"

/* ---- the image ---- */

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t units(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit; }

uint32_t tref_size(const struct texture *t, unsigned axis, unsigned level) {
  const uint32_t n[3] = {t->width, t->height, t->depth};
  return most(n[axis] >> level, 1);
}

static unsigned channel_bytes(const struct texture *t) {
  switch (t->type) {
    case T_U8:
    case T_S8: return 1;
    case T_U16:
    case T_S16:
    case T_F16: return 2;
    default: return 4;
  }
}
unsigned tref_texel_bytes(const struct texture *t) { return channel_bytes(t) * (t->channels == 3 ? 4 : t->channels); }

static bool one_dimensional(const struct texture *t) { return t->geom == GEOM_1D || t->geom == GEOM_A1D; }

static unsigned covering(uint32_t n, unsigned unit, unsigned limit) {
  unsigned h = 0;
  while (h < limit && unit << h < n) h++;
  return h;
}
/* log2 of the GOBs of a block, along y and z. */
static unsigned blocks_high(const struct texture *t) { return covering(t->height, 8, t->geom == GEOM_3D ? 2 : 4); }
static unsigned blocks_deep(const struct texture *t) { return t->geom == GEOM_3D ? covering(t->depth, 1, 3) : 0; }

/* Bytes of one layer, or of all slices, of a level. */
static uint64_t layer_bytes(const struct texture *t, unsigned level) {
  const uint64_t across = units(tref_size(t, 0, level) * tref_texel_bytes(t), 64);
  if (one_dimensional(t)) return across * 64;
  const unsigned h = blocks_high(t), d = blocks_deep(t);
  const uint64_t down = units(tref_size(t, 1, level), 8u << h), deep = units(tref_size(t, 2, level), 1u << d);
  return across * down * deep * (512u << (h + d));
}

uint64_t tref_bytes(const struct texture *t) {
  uint64_t n = 0;
  for (unsigned l = 0; l < t->levels; l++) n += layer_bytes(t, l) * t->layers;
  return n;
}

uint64_t tref_at(const struct texture *t, unsigned level, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t b = x * tref_texel_bytes(t);
  if (t->layout == TEX_PITCH) return ((uint64_t)z * t->height + y) * t->pitch + b;
  uint64_t at = 0;
  for (unsigned l = 0; l < level; l++) at += layer_bytes(t, l) * t->layers;
  if (t->geom != GEOM_3D) {
    at += layer_bytes(t, level) * z;
    z = 0;
  }
  if (one_dimensional(t)) return at + b;
  const unsigned h = blocks_high(t), d = blocks_deep(t);
  const uint64_t across = units(tref_size(t, 0, level) * tref_texel_bytes(t), 64);
  const uint64_t down = units(tref_size(t, 1, level), 8u << h);
  const uint64_t block = ((z >> d) * down + y / (8u << h)) * across + b / 64;
  const uint64_t gob = ((z % (1u << d)) << h) + y / 8 % (1u << h);
  const uint32_t in = b % 64 / 32 * 256 + y % 8 / 2 * 64 + b % 32 / 16 * 32 + y % 2 * 16 + b % 16;
  return at + ((block << (h + d)) + gob) * 512 + in;
}

/* ---- a texel ---- */

static float float_of(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}

static uint32_t widened(uint16_t half) {
  const unsigned e = half >> 10 & 31, m = half & 1023;
  if (e == 31 && m) return 0x7fffffff;
  const double v = e == 31 ? INFINITY : e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);
  return bits_of((float)(half >> 15 ? -v : v));
}

uint16_t tref_half(uint32_t bits) {
  const float f = float_of(bits);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (isnan(f)) return 0x7fff;
  const double a = fabs((double)f);
  if (a >= 65520) return (uint16_t)(sign | 0x7c00);
  if (a < ldexp(1, -14)) return (uint16_t)(sign | (unsigned)nearbyint(ldexp(a, 24))); /* 1024: the least normal one */
  int e;
  frexp(a, &e); /* a = 0.5..1 * 2^e */
  const unsigned m = (unsigned)nearbyint(ldexp(a, 11 - e));
  return (uint16_t)(sign | (((unsigned)(e + 13) << 10) + m));
}

/* A channel's bits as the bits of what is read. */
static uint32_t channel(const struct texture *t, const uint8_t *p) {
  uint32_t c = 0;
  memcpy(&c, p, channel_bytes(t)); /* little-endian */
  const uint8_t a = (uint8_t)c;
  const uint16_t b = (uint16_t)c;
  switch (t->type) {
    case T_U8: return t->normalized_values ? bits_of((float)(a / 255.0)) : a;
    case T_U16: return t->normalized_values ? bits_of((float)(b / 65535.0)) : b;
    case T_S8:
      if (!t->normalized_values) return (uint32_t)(int8_t)a;
      return bits_of((int8_t)a == -128 ? -1 : (float)((int8_t)a / 127.0));
    case T_S16:
      if (!t->normalized_values) return (uint32_t)(int16_t)b;
      return bits_of((int16_t)b == -32768 ? -1 : (float)((int16_t)b / 32767.0));
    case T_F16: return widened(b);
    default: return c;
  }
}

static bool floats(const struct texture *t) { return t->normalized_values || t->type == T_F16 || t->type == T_F32; }

static void components(const struct texture *t, const uint32_t c[4], uint32_t out[4]) {
  const uint32_t one = floats(t) ? bits_of(1) : 1;
  uint32_t r[4] = {0, 0, 0, one};
  switch (t->order) {
    case ORDER_BGRA: r[0] = c[2], r[1] = c[1], r[2] = c[0], r[3] = c[3]; break;
    case ORDER_A: r[3] = c[0]; break;
    case ORDER_LUMINANCE: r[0] = r[1] = r[2] = c[0]; break;
    case ORDER_INTENSITY: r[0] = r[1] = r[2] = r[3] = c[0]; break;
    default:
      for (unsigned k = 0; k < t->channels; k++) r[k] = c[k];
  }
  memcpy(out, r, sizeof r);
}

void tref_texel(const struct tref_image *m, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t out[4]) {
  const uint8_t *p = m->byte + tref_at(m->t, level, x, y, z);
  uint32_t c[4] = {0};
  for (unsigned k = 0; k < m->t->channels; k++) c[k] = channel(m->t, p + k * channel_bytes(m->t));
  components(m->t, c, out);
}

static uint32_t border_channel(const struct texture *t, float v) {
  if (floats(t)) return bits_of(v);
  if (isnan(v)) return 0;
  const bool with_sign = t->type == T_S8 || t->type == T_S16 || t->type == T_S32;
  const double low = with_sign ? -2147483648.0 : 0, high = with_sign ? 2147483647.0 : 4294967295.0;
  return (uint32_t)(int64_t)fmin(fmax(trunc((double)v), low), high);
}
static void border(const struct texture *t, const float colour[4], uint32_t out[4]) {
  static const unsigned plain[4] = {0, 1, 2, 3}, bgra[4] = {2, 1, 0, 3}, alpha[4] = {3, 3, 3, 3};
  const unsigned *of = t->order == ORDER_BGRA ? bgra : t->order == ORDER_A ? alpha : plain;
  uint32_t c[4] = {0};
  for (unsigned k = 0; k < t->channels; k++) c[k] = border_channel(t, colour[of[k]]);
  components(t, c, out);
}

/* ---- coordinates ---- */

struct axis { /* of one level */
  uint32_t n; /* texels */
  enum tex_address address;
  int64_t i;        /* first texel that is used */
  double weight[2]; /* of i and i + 1 */
};

/* -1: the border colour. */
static int64_t indexed(const struct axis *a, int64_t i) {
  const int64_t n = a->n;
  if (i >= 0 && i < n) return i;
  switch (a->address) {
    case TEX_WRAP: return ((i % n) + n) % n;
    case TEX_MIRROR: {
      const int64_t k = ((i % (2 * n)) + 2 * n) % (2 * n);
      return k < n ? k : 2 * n - 1 - k;
    }
    case TEX_BORDER: return -1;
    default: return i < 0 ? 0 : n - 1;
  }
}

static double limited(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void place(struct axis *a, double x, bool normalized, bool linear, int offset) {
  if (isnan(x)) x = 0;
  if (normalized) {
    const double whole = floor(x);
    if (isinf(x)) {
      if (a->address == TEX_WRAP || a->address == TEX_MIRROR) x = 0;
    } else if (a->address == TEX_WRAP) {
      x -= whole;
    } else if (a->address == TEX_MIRROR) {
      x = fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
    }
    x *= a->n;
  }
  x = limited(x, -1073741824.0, 1073741824.0);
  const double b = linear ? x - 0.5 : x;
  a->i = (int64_t)floor(b);
  const double alpha = linear ? floor((b - (double)a->i) * 256 + 0.5) / 256 : 0;
  a->weight[0] = 1 - alpha;
  a->weight[1] = alpha;
  a->i += offset;
}

/* Without normalised coordinates there is no period. */
static enum tex_address addressing(const struct tex_sampler *s, unsigned axis, bool texels) {
  const enum tex_address a = s->address[axis];
  return texels && (a == TEX_WRAP || a == TEX_MIRROR) ? TEX_CLAMP : a;
}

/* A direction becomes the face, and x and y from 0 to 1. */
static unsigned face_of(const float direction[3], double st[2]) {
  double v[3];
  for (unsigned k = 0; k < 3; k++) {
    v[k] = isnan(direction[k]) ? 0 : (double)direction[k];
    if (isinf(v[k])) v[k] = v[k] < 0 ? -(double)FLT_MAX : (double)FLT_MAX;
  }
  const double x = v[0], y = v[1], z = v[2], ax = fabs(x), ay = fabs(y), az = fabs(z);
  double m, s, t;
  unsigned face;
  if (az >= ax && az >= ay) {
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  } else if (ay >= ax) {
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  }
  st[0] = ((m == 0 ? 0 : s / m) + 1) / 2;
  st[1] = ((m == 0 ? 0 : t / m) + 1) / 2;
  return face;
}

static const struct tex_sampler *sampler_of(const struct tref_image *m, const struct tref_fetch *f) {
  return f->s ? f->s : &m->t->sampler;
}

struct footprint { /* of a level */
  struct axis axis[3];
  unsigned level;
  uint32_t layer;
  bool layered; /* z is the layer */
};

static struct footprint footprint(const struct tref_image *m, const struct tref_fetch *f, unsigned level, bool linear) {
  const struct tex_sampler *s = sampler_of(m, f);
  const bool cube = f->geom == GEOM_CUBE || f->geom == GEOM_ACUBE;
  struct footprint p = {.level = level, .layered = f->geom != GEOM_3D};
  double st[2];
  if (cube) {
    const unsigned face = face_of(f->x, st);
    const uint32_t cubes = m->t->layers / 6;
    p.layer = (f->geom == GEOM_ACUBE ? (f->layer < cubes ? f->layer : cubes - 1) * 6 : 0) + face;
  } else if (geom_layered(f->geom)) {
    p.layer = f->layer < m->t->layers ? f->layer : m->t->layers - 1;
  }
  for (unsigned k = 0; k < 3; k++) {
    struct axis *a = &p.axis[k];
    *a = (struct axis){.n = 1, .address = TEX_CLAMP, .weight = {1, 0}};
    if (k >= (cube ? 2 : geom_axes(f->geom))) continue;
    a->n = tref_size(m->t, k, level);
    if (!cube) a->address = addressing(s, k, f->integer || !s->normalized);
    if (f->integer) a->i = (int64_t)f->i[k] + f->offset[k];
    else place(a, cube ? st[k] : (double)f->x[k], cube || s->normalized, linear, f->offset[k]);
  }
  return p;
}

static bool holds(enum cmpop op, float d, float v) {
  switch (op) {
    case C_EQ: return d == v;
    case C_NE: return d != v;
    case C_LT: return d < v;
    case C_LE: return d <= v;
    case C_GT: return d > v;
    case C_GE: return d >= v;
    default: die("a depth comparison of number %d", op);
  }
}

/* The texel that is dx, dy, dz (0 or 1) from the first one. */
static void used(const struct tref_image *m, const struct tref_fetch *f, const struct footprint *p, unsigned dx,
                 unsigned dy, unsigned dz, uint32_t out[4]) {
  const struct tex_sampler *s = sampler_of(m, f);
  const unsigned d[3] = {dx, dy, dz};
  int64_t at[3];
  bool outside = false;
  for (unsigned k = 0; k < 3; k++) {
    at[k] = indexed(&p->axis[k], p->axis[k].i + d[k]);
    outside |= at[k] < 0;
  }
  if (p->layered) at[2] = p->layer;
  if (outside) border(m->t, s->border, out);
  else tref_texel(m, p->level, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2], out);
  if (f->compare) {
    const uint32_t held = bits_of(holds(s->compare, f->d, float_of(out[0])) ? 1 : 0);
    for (unsigned k = 0; k < 4; k++) out[k] = held;
  }
}

/* ---- filters ---- */

static uint32_t rounded(double v) { return isnan(v) ? 0x7fffffff : bits_of((float)v); }

static void weighted(const struct tref_image *m, const struct tref_fetch *f, unsigned level, double sum[4]) {
  const struct footprint p = footprint(m, f, level, true);
  for (unsigned c = 0; c < 4; c++) sum[c] = 0;
  for (unsigned k = 0; k < 8; k++) {
    const unsigned dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
    const double w = p.axis[0].weight[dx] * p.axis[1].weight[dy] * p.axis[2].weight[dz];
    if (w == 0) continue;
    uint32_t texel[4];
    used(m, f, &p, dx, dy, dz, texel);
    for (unsigned c = 0; c < 4; c++) sum[c] += w * (double)float_of(texel[c]);
  }
}

static void point(const struct tref_image *m, const struct tref_fetch *f, unsigned level, uint32_t out[4]) {
  const struct footprint p = footprint(m, f, level, false);
  used(m, f, &p, 0, 0, 0, out);
}

static void of_level(const struct tref_image *m, const struct tref_fetch *f, unsigned level, bool linear,
                     uint32_t out[4]) {
  double sum[4];
  if (!linear) {
    point(m, f, level, out);
    return;
  }
  weighted(m, f, level, sum);
  for (unsigned c = 0; c < 4; c++) out[c] = rounded(sum[c]);
}

static void between(const struct tref_image *m, const struct tref_fetch *f, unsigned level, double delta, bool linear,
                    uint32_t out[4]) {
  double value[2][4];
  for (unsigned k = 0; k < 2; k++) {
    uint32_t texel[4];
    if (linear) {
      weighted(m, f, level + k, value[k]);
      continue;
    }
    point(m, f, level + k, texel);
    for (unsigned c = 0; c < 4; c++) value[k][c] = (double)float_of(texel[c]);
  }
  for (unsigned c = 0; c < 4; c++) {
    const double upper = delta * value[1][c];
    out[c] = rounded(delta == 1 ? upper : (1 - delta) * value[0][c] + upper);
  }
}

void tref_tex(const struct tref_image *m, const struct tref_fetch *f, uint32_t out[4]) {
  const struct tex_sampler *s = sampler_of(m, f);
  const bool linear = !f->integer && s->filter == TEX_LINEAR;
  const int last = m->t->levels - 1;
  if (m->t->linear_1d) { /* bytes of 0 outside */
    if (f->i[0] >= 0 && (uint32_t)f->i[0] < m->t->width) {
      tref_texel(m, 0, (uint32_t)f->i[0], 0, 0, out);
    } else {
      const uint32_t c[4] = {0};
      components(m->t, c, out);
    }
  } else if (!f->leveled) {
    of_level(m, f, 0, linear, out);
  } else if (f->integer) {
    of_level(m, f, (unsigned)(f->ilevel < 0 ? 0 : f->ilevel > last ? last : f->ilevel), false, out);
  } else {
    double lod = (double)f->level + (double)s->lod_bias;
    if (isnan(lod)) lod = 0;
    lod = lod < (double)s->lod_min ? (double)s->lod_min : lod;
    lod = lod > (double)s->lod_max ? (double)s->lod_max : lod;
    lod = limited(lod, 0, last);
    if (s->mip == TEX_POINT) {
      const int level = (int)floor(lod + 0.5);
      of_level(m, f, (unsigned)(level > last ? last : level), linear, out);
      return;
    }
    const double delta = floor((lod - floor(lod)) * 256 + 0.5) / 256;
    if (delta == 0) of_level(m, f, (unsigned)floor(lod), linear, out);
    else between(m, f, (unsigned)floor(lod), delta, linear, out);
  }
}

void tref_gather(const struct tref_image *m, const struct tref_fetch *f, unsigned component, uint32_t out[4]) {
  static const unsigned dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
  const struct footprint p = footprint(m, f, 0, true);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t texel[4];
    used(m, f, &p, dx[k], dy[k], 0, texel);
    out[k] = texel[component];
  }
}

/* ---- surfaces ---- */

static int64_t floored(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t nearest(int64_t v, int64_t high) { return v < 0 ? 0 : v > high ? high : v; }

/* Byte of the row that an access at byte x goes to by clamping: in the nearest texel, or the last place where all of it is in
 * the row. */
static int64_t clamped(const struct texture *t, int64_t x, unsigned bytes) {
  const int64_t texel = tref_texel_bytes(t), row = texel * t->width;
  x = nearest(floored(x, texel), (int64_t)t->width - 1) * texel + (x - floored(x, texel) * texel);
  return x + bytes > row ? (row - bytes) / bytes * bytes : x;
}

/* Where an access lies: its byte in the image. 1: inside; 0: outside, nothing is to be done; -1: trap. bytes 0: x counts
 * texels. */
static int surface_at(const struct texture *t, enum tex_geom geom, enum su_clamp clamp, uint32_t layer,
                      const int32_t i[3], unsigned bytes, uint64_t *at) {
  const int64_t texel = tref_texel_bytes(t), row = texel * t->width, need = bytes ? bytes : texel;
  int64_t x = (int64_t)i[0] * (bytes ? 1 : texel), v[3] = {0, 0, 0};
  const int64_t high[3] = {(int64_t)t->height - 1, (int64_t)t->depth - 1, (int64_t)t->layers - 1};
  for (unsigned k = 1; k < geom_axes(geom); k++) v[k - 1] = i[k];
  if (geom_layered(geom)) v[2] = layer;
  bool outside = x < 0 || x + need > row;
  for (unsigned k = 0; k < 3; k++) outside |= v[k] < 0 || v[k] > high[k];
  if (outside && clamp != SU_CLAMP) return clamp == SU_TRAP ? -1 : 0;
  if (need > row) return -1;
  x = clamped(t, x, (unsigned)need);
  for (unsigned k = 0; k < 3; k++) v[k] = nearest(v[k], high[k]);
  *at = tref_at(t, 0, (uint32_t)(x / texel), (uint32_t)v[0], (uint32_t)(geom == GEOM_3D ? v[1] : v[2])) +
        (uint64_t)(x % texel);
  return 1;
}

/* An aligned access of up to 16 bytes lies together: so do 16 bytes of a GOB's row. */
bool tref_suld(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
               unsigned bytes, void *out) {
  uint64_t at;
  const int is = surface_at(m->t, geom, clamp, layer, i, bytes, &at);
  memset(out, 0, bytes);
  if (is > 0) memcpy(out, m->byte + at, bytes);
  return is >= 0;
}

bool tref_sust(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
               unsigned bytes, const void *in) {
  uint64_t at;
  const int is = surface_at(m->t, geom, clamp, layer, i, bytes, &at);
  if (is > 0) memcpy(m->byte + at, in, bytes);
  return is >= 0;
}

static void store_channel(const struct texture *t, uint8_t *p, uint32_t value) {
  const float v = float_of(value);
  const int32_t s = (int32_t)value;
  uint32_t bits = value;
  if (t->normalized_values) {
    const bool with_sign = t->type == T_S8 || t->type == T_S16;
    const double scale = t->type == T_U8 ? 255 : t->type == T_U16 ? 65535 : t->type == T_S8 ? 127 : 32767;
    const double held = isnan(v) ? 0 : limited((double)v, with_sign ? -1 : 0, 1);
    bits = (uint32_t)(int32_t)nearbyint(held * scale);
  } else {
    switch (t->type) {
      case T_U8: bits = value > 255 ? 255 : value; break;
      case T_U16: bits = value > 65535 ? 65535 : value; break;
      case T_S8: bits = (uint32_t)(s < -128 ? -128 : s > 127 ? 127 : s); break;
      case T_S16: bits = (uint32_t)(s < -32768 ? -32768 : s > 32767 ? 32767 : s); break;
      case T_F16: bits = tref_half(value); break;
      default: break;
    }
  }
  memcpy(p, &bits, channel_bytes(t)); /* little-endian */
}

bool tref_sustp(const struct tref_image *m, enum tex_geom geom, enum su_clamp clamp, uint32_t layer, const int32_t i[3],
                unsigned n, const uint32_t *value) {
  static const unsigned bgra[4] = {2, 1, 0, 3};
  uint64_t at;
  const int is = surface_at(m->t, geom, clamp, layer, i, 0, &at);
  if (is <= 0) return is == 0;
  for (unsigned c = 0; c < m->t->channels; c++) {
    const unsigned from = m->t->order == ORDER_BGRA ? bgra[c] : m->t->order == ORDER_A ? 3 : c;
    if (from < n) store_channel(m->t, m->byte + at + c * channel_bytes(m->t), value[from]);
  }
  return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* rodinia: references for nw, cfd, btree, the two particle filters, srad_v2 and lavaMD. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/reference/ref.h"

/* ---- nw ---- */
static int32_t max2(int32_t a, int32_t b) { return a > b ? a : b; }

/* Row after row over the whole table. The number of pairs is the first launch's, one tile of each. */
REF(nw) {
  if (index) return;
  uint64_t n = ref_u32(l, 2), wide = n + 1, pairs = l->grid[1];
  int32_t gap = (int32_t)ref_u32(l, 4);
  const int32_t *match = ref_take(r, l, 0, pairs * n * n, 4);
  int32_t *score = ref_alloc(r, pairs * wide * wide, 4);
  for (uint64_t p = 0; p < pairs; p++) {
    int32_t *s = score + p * wide * wide;
    for (uint64_t x = 0; x <= n; x++) s[x] = s[x * wide] = -gap * (int32_t)x;
    for (uint64_t y = 1; y <= n; y++)
      for (uint64_t x = 1; x <= n; x++)
        s[y * wide + x] = max2(s[(y - 1) * wide + x - 1] + match[p * n * n + (y - 1) * n + x - 1],
                               max2(s[(y - 1) * wide + x] - gap, s[y * wide + x - 1] - gap));
  }
  ref_want(r, "score", T_S32, pairs * wide * wide, score, 0, 0);
}

/* ---- cfd ---- */
struct flow { /* a cell's variables and what follows from them */
  float u[5], v[3], p, fastest;
};

static struct flow flow_of(float rho, float mx, float my, float mz, float e) {
  struct flow f = {.u = {rho, mx, my, mz, e}};
  float r = 1.0f / rho;
  for (int d = 0; d < 3; d++) f.v[d] = f.u[1 + d] * r;
  float v2 = __builtin_fmaf(f.v[2], f.v[2], __builtin_fmaf(f.v[1], f.v[1], f.v[0] * f.v[0]));
  f.p = (1.4f - 1.0f) * __builtin_fmaf(-0.5f * rho, v2, e);
  f.fastest = sqrtf(v2) + sqrtf(1.4f * f.p * r);
  return f;
}

/* Flux number q in direction d: density, three of momentum, energy. */
static float flux(const struct flow *f, int q, int d) {
  if (q == 0) return f->u[1 + d];
  if (q == 4) return (f->u[4] + f->p) * f->v[d];
  int a = q - 1 < d ? q - 1 : d, b = q - 1 < d ? d : q - 1; /* symmetric: rounded as m_a v_b with a <= b */
  return a == b ? __builtin_fmaf(f->u[1 + a], f->v[a], f->p) : f->u[1 + a] * f->v[b];
}

static void cfd_face(float in[5], const struct flow *own, const struct flow *other, const float n[3]) {
  float size = sqrtf(__builtin_fmaf(n[2], n[2], __builtin_fmaf(n[1], n[1], n[0] * n[0])));
  float k = 0.5f * size * (own->fastest > other->fastest ? own->fastest : other->fastest);
  for (int q = 0; q < 5; q++) {
    for (int d = 0; d < 3; d++) in[q] = __builtin_fmaf(-0.5f * n[d], flux(own, q, d) + flux(other, q, d), in[q]);
    in[q] = __builtin_fmaf(k, other->u[q] - own->u[q], in[q]);
  }
}

/* All cells' flows first, then all that flows in, then all new values. */
static void cfd_stage(struct flow *cell, const int32_t *neighbour, const float *normal, float *in, uint64_t n) {
  const struct flow free_stream = flow_of(1.0f, 0.5f, 0.0f, 0.125f, 2.75f);
  for (uint64_t i = 0; i < n; i++) {
    float sum[5] = {0};
    for (uint64_t f = 0; f < 4; f++) {
      int32_t to = neighbour[f * n + i];
      float s[3];
      for (uint64_t d = 0; d < 3; d++) s[d] = normal[(3 * f + d) * n + i];
      if (to == -1)
        for (int d = 0; d < 3; d++) sum[1 + d] = __builtin_fmaf(-cell[i].p, s[d], sum[1 + d]);
      else cfd_face(sum, &cell[i], to < 0 ? &free_stream : &cell[to], s);
    }
    for (uint64_t q = 0; q < 5; q++) in[q * n + i] = sum[q];
  }
}

struct cfd { /* what the first launch knows and the second does not */
  float *u;
  const float *area;
  float cfl;
};

REF(cfd) {
  struct cfd *c = r->keep;
  if (index == 0) {
    r->keep = c = ref_alloc(r, 1, sizeof *c);
    uint64_t cells = ref_u32(l, 5);
    *c = (struct cfd){ref_take(r, l, 0, 5 * cells, 4), ref_take(r, l, 2, cells, 4), ref_f32(l, 4)};
  }
  if (index != 1) return;
  uint64_t n = ref_u32(l, 4);
  float *u = c->u;
  const int32_t *neighbour = ref_take(r, l, 1, 4 * n, 4);
  const float *normal = ref_take(r, l, 2, 12 * n, 4);
  float *in = ref_alloc(r, 5 * n, 4), *before = ref_alloc(r, 5 * n, 4), *factor = ref_alloc(r, n, 4);
  struct flow *cell = ref_alloc(r, n, sizeof *cell);
  memcpy(before, u, 5 * n * sizeof *u);
  for (int stage = 0; stage < 3; stage++) {
    for (uint64_t i = 0; i < n; i++) cell[i] = flow_of(u[i], u[n + i], u[2 * n + i], u[3 * n + i], u[4 * n + i]);
    if (stage == 0)
      for (uint64_t i = 0; i < n; i++) factor[i] = c->cfl / (c->area[i] * cell[i].fastest);
    cfd_stage(cell, neighbour, normal, in, n);
    for (uint64_t i = 0; i < 5 * n; i++)
      u[i] = __builtin_fmaf(1.0f / (float)(3 - stage) * factor[i % n], in[i], before[i]);
  }
  ref_want(r, "u", T_F32, 5 * n, u, 0, 0);
  ref_want(r, "inflow", T_F32, 5 * n, in, 0, 0);
}

/* ---- btree ---- */
/* How many of the keys, taken out of the leaves from left to right into one sorted list, are below `key`. */
static uint32_t below(const int32_t *keys, uint32_t n, int64_t key) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

REF(btree) {
  if (index > 1) return;
  uint64_t fill = r->small ? 20 : 100, leaf = 1 + fill, nodes = leaf + fill * fill, queries = l->grid[0];
  const int32_t *least = ref_take(r, l, 0, nodes * 257, 4);
  uint32_t n = (uint32_t)(fill * fill * fill);
  int32_t *keys = ref_alloc(r, n, 4);
  for (uint64_t k = 0; k < n; k++) keys[k] = least[(leaf + k / fill) * 257 + k % fill];
  for (uint32_t k = 1; k < n; k++)
    if (keys[k - 1] >= keys[k]) snprintf(r->fail, sizeof r->fail, "the tree's keys do not rise at %u", k);
  const int32_t *from = ref_take(r, l, 2, queries, 4);
  int32_t *first = ref_alloc(r, queries, 4), *length = ref_alloc(r, queries, 4);
  if (index == 0) {
    for (uint64_t q = 0; q < queries; q++) {
      uint32_t at = below(keys, n, from[q]);
      first[q] = at < n && keys[at] == from[q] ? (int32_t)at : -1;
    }
    ref_want(r, "found", T_S32, queries, first, 0, 0);
    return;
  }
  const int32_t *to = ref_take(r, l, 3, queries, 4);
  for (uint64_t q = 0; q < queries; q++) {
    first[q] = (int32_t)below(keys, n, from[q]);
    length[q] = (int32_t)below(keys, n, (int64_t)to[q] + 1) - first[q];
  }
  ref_want(r, "first", T_S32, queries, first, 0, 0);
  ref_want(r, "length", T_S32, queries, length, 0, 0);
}

/* ---- particlefilter_float ---- */
enum { CROWD = 512 }; /* particles whose sum is made in one group */

struct filter {
  uint64_t n, frames;
  int points, w, h;
  float *x, *y, *weight, *running, *part, *mean_x, *mean_y;
  uint32_t *seed;
  const int32_t *dx, *dy;
  const uint8_t *film;
};

static float filter_noise(uint32_t *seed) {
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    *seed = *seed * 1664525u + 1013904223u;
    sum += (float)(*seed >> 8) / 16777216.0f - 0.5f;
  }
  return 1.7320508f * sum;
}

/* Rounded as the kernel rounds, but never far from the real exp. */
static float filter_exp(struct ref *r, float a) {
  static const float series[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  float k = floorf(__builtin_fmaf(a, 1.44269504f, 0.5f));
  float x = __builtin_fmaf(k, 2.12194440e-4f, __builtin_fmaf(k, -0.693359375f, a)), p = series[0];
  for (int j = 1; j < 7; j++) p = __builtin_fmaf(p, x, series[j]);
  p = ldexpf(p, (int)k);
  if (fabs((double)p - exp((double)a)) > 4e-7 * exp((double)a))
    snprintf(r->fail, sizeof r->fail, "exp(%g) is not %g", (double)a, (double)p);
  return p;
}

/* Sum of 512 values, far half onto near half. */
static float crowd_sum(const float *in) {
  float s[CROWD];
  memcpy(s, in, sizeof s);
  for (int width = CROWD / 2; width; width /= 2)
    for (int t = 0; t < width; t++) s[t] += s[t + width];
  return s[0];
}

static void filter_move(struct ref *r, struct filter *f, const uint8_t *frame) {
  for (uint64_t i = 0; i < f->n; i++) {
    f->x[i] += __builtin_fmaf(5.0f, filter_noise(&f->seed[i]), 1.0f);
    f->y[i] += __builtin_fmaf(2.0f, filter_noise(&f->seed[i]), -2.0f);
    int cx = (int)floorf(f->x[i] + 0.5f), cy = (int)floorf(f->y[i] + 0.5f);
    int sum = 0;
    for (int k = 0; k < f->points; k++) {
      int px = cx + f->dx[k], py = cy + f->dy[k];
      px = px < 0 ? 0 : px >= f->w ? f->w - 1 : px;
      py = py < 0 ? 0 : py >= f->h ? f->h - 1 : py;
      sum += 256 * frame[py * f->w + px] - (228 * 228 - 100 * 100); /* (v - 100)^2 - (v - 228)^2 */
    }
    f->weight[i] = filter_exp(r, (float)sum / (800.0f * (float)f->points));
  }
}

/* A running sum in which every value is that of all shorter spans of a power of two before it. */
static void crowd_scan(float s[CROWD]) {
  for (int span = 1; span < CROWD; span *= 2)
    for (int t = CROWD - 1; t >= span; t--) s[t] += s[t - span];
}

static void filter_scan(struct filter *f) {
  uint64_t groups = f->n / CROWD;
  float total = 0, before = 0, s[CROWD];
  for (uint64_t g = 0; g < groups; g++) total += f->part[g] = crowd_sum(f->weight + g * CROWD);
  for (uint64_t i = 0; i < f->n; i++) f->weight[i] /= total;
  for (uint64_t g = 0; g < groups; g++) {
    const float *w = f->weight + g * CROWD;
    for (int t = 0; t < CROWD; t++) s[t] = w[t] * f->x[g * CROWD + (uint64_t)t];
    f->mean_x[g] = crowd_sum(s);
    for (int t = 0; t < CROWD; t++) s[t] = w[t] * f->y[g * CROWD + (uint64_t)t];
    f->mean_y[g] = crowd_sum(s);
    memcpy(s, w, sizeof s);
    crowd_scan(s);
    for (uint64_t t = 0; t < CROWD; t++) f->running[g * CROWD + t] = before / total + s[t];
    before += f->part[g];
  }
}

/* By halves as the kernel: running sums made in parallel need not rise everywhere. */
static void filter_resample(struct ref *r, struct filter *f) {
  float *x = ref_alloc(r, f->n, 4), *y = ref_alloc(r, f->n, 4);
  for (uint64_t i = 0; i < f->n; i++) {
    float want = ((float)i + 0.5f) / (float)f->n;
    uint64_t low = 0, high = f->n - 1;
    while (low < high) {
      uint64_t middle = (low + high) / 2;
      if (f->running[middle] >= want) high = middle;
      else low = middle + 1;
    }
    x[i] = f->x[low], y[i] = f->y[low];
  }
  f->x = x, f->y = y;
}

/* The mean of all particles must be where the film has its disc, or it is no filter. */
static void filter_follows(struct ref *r, const struct filter *f, uint64_t frame) {
  double x = 0, y = 0, to_x = 65 + (double)frame, to_y = 62 - 2 * (double)frame;
  for (uint64_t g = 0; g < f->n / CROWD; g++) x += (double)f->mean_x[g], y += (double)f->mean_y[g];
  if (hypot(x - to_x, y - to_y) > 2)
    snprintf(r->fail, sizeof r->fail, "the disc is at %g, %g, the filter at %g, %g", to_x, to_y, x, y);
}

REF(particlefilter_float) {
  if (index) return;
  struct filter f = {.points = (int)ref_u32(l, 9), .w = (int)ref_u32(l, 10), .h = (int)ref_u32(l, 11)};
  uint64_t pixels = (uint64_t)f.w * (uint64_t)f.h, groups = l->grid[0];
  f.n = CROWD * groups, f.frames = r->small ? 1 : 2;
  f.x = ref_take(r, l, 0, f.n, 4), f.y = ref_take(r, l, 1, f.n, 4), f.seed = ref_take(r, l, 2, f.n, 4);
  f.dx = ref_take(r, l, 3, (uint64_t)f.points, 4), f.dy = ref_take(r, l, 4, (uint64_t)f.points, 4);
  f.film = ref_take(r, l, 5, f.frames * pixels, 1);
  f.weight = ref_alloc(r, f.n, 4), f.running = ref_alloc(r, f.n, 4), f.part = ref_alloc(r, groups, 4);
  f.mean_x = ref_alloc(r, groups, 4), f.mean_y = ref_alloc(r, groups, 4);
  for (uint64_t k = 0; k < f.frames; k++) {
    filter_move(r, &f, f.film + k * pixels);
    filter_scan(&f);
    filter_follows(r, &f, k);
    filter_resample(r, &f);
  }
  ref_want(r, "running", T_F32, f.n, f.running, 0, 0);
  ref_want(r, "mean_x", T_F32, groups, f.mean_x, 0, 0);
  ref_want(r, "mean_y", T_F32, groups, f.mean_y, 0, 0);
  ref_want(r, "x", T_F32, f.n, f.x, 0, 0);
  ref_want(r, "y", T_F32, f.n, f.y, 0, 0);
}

/* ---- particlefilter_naive ---- */
/* Marks and sums both rise: one walk along both. */
REF(particlefilter_naive) {
  if (index) return;
  uint64_t n = ref_u32(l, 6), at = 0;
  const double *x = ref_take(r, l, 0, n, 8), *y = ref_take(r, l, 1, n, 8), *running = ref_take(r, l, 2, n, 8),
               *mark = ref_take(r, l, 3, n, 8);
  double *to_x = ref_alloc(r, n, 8), *to_y = ref_alloc(r, n, 8);
  for (uint64_t i = 0; i < n; i++) {
    while (at < n - 1 && running[at] < mark[i]) at++;
    to_x[i] = x[at], to_y[i] = y[at];
  }
  ref_want(r, "to_x", T_F64, n, to_x, 0, 0);
  ref_want(r, "to_y", T_F64, n, to_y, 0, 0);
}

/* ---- srad_v2 ---- */
struct speckle {
  int w, h;
  float *image, *coeff;
};

static float pixel(const float *a, const struct speckle *m, int x, int y) {
  x = x < 0 ? 0 : x >= m->w ? m->w - 1 : x;
  y = y < 0 ? 0 : y >= m->h ? m->h - 1 : y;
  return a[y * m->w + x];
}

/* Differences north, south, west, east. */
static void differences(const struct speckle *m, int x, int y, float d[4]) {
  static const int way[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  for (int k = 0; k < 4; k++) d[k] = pixel(m->image, m, x + way[k][0], y + way[k][1]) - pixel(m->image, m, x, y);
}

static float diffusion(const float d[4], float c, float q0) {
  float square = d[0] * d[0], sum = d[0];
  for (int k = 1; k < 4; k++) square = __builtin_fmaf(d[k], d[k], square), sum += d[k];
  float gradient = square / (c * c), laplace = sum / c, den = (float)(0.25 * (double)laplace + 1.0);
  float num = (float)(0.5 * (double)gradient - 0.0625 * (double)(laplace * laplace));
  float q = num / (den * den), k = (float)(1.0 / (1.0 + (double)((q - q0) / __builtin_fmaf(q0, q0, q0))));
  return k < 0 ? 0 : k > 1 ? 1 : k;
}

/* Whole images; differences are made again for the update instead of being kept. */
REF(srad_v2) {
  if (index) return;
  struct speckle m = {.w = (int)ref_u32(l, 6), .h = (int)ref_u32(l, 7)};
  uint64_t n = (uint64_t)m.w * (uint64_t)m.h;
  m.image = ref_take(r, l, 0, n, 4), m.coeff = ref_alloc(r, n, 4);
  float *next = ref_alloc(r, n, 4), d[4];
  double q0 = 0.08;
  for (int round = 0; round < 3; round++, q0 *= 0.875) {
    for (int i = 0; i < (int)n; i++) {
      differences(&m, i % m.w, i / m.w, d);
      m.coeff[i] = diffusion(d, m.image[i], (float)q0);
    }
    for (int i = 0; i < (int)n; i++) {
      int x = i % m.w, y = i / m.w;
      float own = m.coeff[i], east = pixel(m.coeff, &m, x + 1, y), south = pixel(m.coeff, &m, x, y + 1);
      differences(&m, x, y, d);
      float flow = __builtin_fmaf(own, d[2], east * d[3]);
      flow = __builtin_fmaf(own, d[0], __builtin_fmaf(south, d[1], flow));
      next[i] = (float)__builtin_fma(0.125, (double)flow, (double)m.image[i]);
    }
    float *t = m.image;
    m.image = next, next = t;
  }
  ref_want(r, "image", T_F32, n, m.image, 0, 0);
  ref_want(r, "coeff", T_F32, n, m.coeff, 0, 0);
}

/* ---- lavaMD ---- */
/* All particles with all others; those in boxes that do not touch are left out by their boxes' distance.
 * Doubles, so that only the kernel's own roundings of some thousand terms and of ex2.approx are left. */
REF(lavaMD) {
  if (index) return;
  int size[3] = {(int)l->grid[0], (int)l->grid[1], (int)l->grid[2]}, count = (int)ref_u32(l, 2);
  int n = size[0] * size[1] * size[2] * count;
  double a2 = (double)ref_f32(l, 3);
  const float *p = ref_take(r, l, 0, 4 * (uint64_t)n, 4);
  float *result = ref_alloc(r, 4 * (uint64_t)n, 4);
  for (int i = 0; i < n; i++) {
    double sum[4] = {0};
    for (int j = 0; j < n; j++) {
      int a = i / count, b = j / count, apart = 0;
      for (int d = 0; d < 3; a /= size[d], b /= size[d], d++) apart |= abs(a % size[d] - b % size[d]) > 1;
      if (apart) continue;
      double way[3], r2 = 0;
      for (int d = 0; d < 3; d++) way[d] = (double)p[4 * i + d] - (double)p[4 * j + d], r2 += way[d] * way[d];
      double v = (double)p[4 * j + 3] * exp(-a2 * r2);
      for (int d = 0; d < 3; d++) sum[d] += v * way[d];
      sum[3] += v;
    }
    for (int d = 0; d < 3; d++) result[4 * i + d] = (float)(2 * a2 * (double)p[4 * i + 3] * sum[d]);
    result[4 * i + 3] = (float)sum[3];
  }
  ref_want(r, "result", T_F32, 4 * (uint64_t)n, result, 2e-6, 1e-4);
}

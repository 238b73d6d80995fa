/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear: references for syr2k, syrk, gesummv, mvt, bicg, atax, fdtd2d, conv2d, gaussian, lud, backprop, nn and
 * stencil. Whole arrays, in the order of the definition; products that the PTX contracts are fmaf here.
 */
#include <math.h>
#include <stdio.h>

#include "unit/reference/ref.h"

/* sum += A x, row by row; `sum` comes in with what is there before. */
static void times(const float *a, const float *x, float *sum, uint32_t rows, uint32_t cols, uint32_t pitch) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < cols; j++) sum[i] = __builtin_fmaf(a[(uint64_t)i * pitch + j], x[j], sum[i]);
}

/* sum += A' x */
static void transposed_times(const float *a, const float *x, float *sum, uint32_t rows, uint32_t cols, uint32_t pitch) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < cols; j++) sum[j] = __builtin_fmaf(a[(uint64_t)i * pitch + j], x[i], sum[j]);
}

REF(syr2k) {
  if (index) return;
  uint32_t n = ref_u32(l, 3), m = ref_u32(l, 4), pitch = ref_u32(l, 5);
  float alpha = ref_f32(l, 6), beta = ref_f32(l, 7);
  uint64_t all = (uint64_t)n * pitch;
  const float *a = ref_take(r, l, 0, all, 4), *b = ref_take(r, l, 1, all, 4);
  float *c = ref_take(r, l, 2, all, 4);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      const float *ai = a + i * pitch, *aj = a + j * pitch, *bi = b + i * pitch, *bj = b + j * pitch;
      float sum = beta * c[i * pitch + j];
      for (uint32_t k = 0; k < m; k++)
        sum = __builtin_fmaf(alpha * bi[k], aj[k], __builtin_fmaf(alpha * ai[k], bj[k], sum));
      c[i * pitch + j] = sum;
    }
  ref_want(r, "c", T_F32, all, c, 0, 0);
}

REF(syrk) {
  if (index) return;
  uint32_t n = ref_u32(l, 2), m = ref_u32(l, 3), pitch = ref_u32(l, 4);
  float alpha = ref_f32(l, 5), beta = ref_f32(l, 6);
  uint64_t all = (uint64_t)n * pitch;
  const float *a = ref_take(r, l, 0, all, 4);
  float *c = ref_take(r, l, 1, all, 4);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      float sum = beta * c[i * pitch + j];
      for (uint32_t k = 0; k < m; k++) sum = __builtin_fmaf(alpha * a[i * pitch + k], a[j * pitch + k], sum);
      c[i * pitch + j] = sum;
    }
  ref_want(r, "c", T_F32, all, c, 0, 0);
}

REF(gesummv) {
  if (index) return;
  uint32_t n = ref_u32(l, 5), m = ref_u32(l, 6), pitch = ref_u32(l, 7);
  float alpha = ref_f32(l, 8), beta = ref_f32(l, 9);
  const float *a = ref_take(r, l, 0, (uint64_t)n * pitch, 4), *b = ref_take(r, l, 1, (uint64_t)n * pitch, 4);
  const float *x = ref_take(r, l, 2, m, 4);
  float *ax = ref_alloc(r, n, 4), *bx = ref_alloc(r, n, 4), *y = ref_alloc(r, n, 4);
  times(a, x, ax, n, m, pitch);
  times(b, x, bx, n, m, pitch);
  for (uint32_t i = 0; i < n; i++) y[i] = __builtin_fmaf(alpha, ax[i], beta * bx[i]);
  ref_want(r, "y", T_F32, n, y, 0, 0);
}

/* Each launch of mvt and of bicg has the operands of its own product. */
static void product(struct ref *r, const struct launch *l, bool transposed, const char *name) {
  uint32_t rows = ref_u32(l, 3), cols = ref_u32(l, 4), pitch = ref_u32(l, 5), n = transposed ? cols : rows;
  const float *a = ref_take(r, l, 0, (uint64_t)(rows - 1) * pitch + cols, 4);
  const float *x = ref_take(r, l, 1, transposed ? rows : cols, 4);
  float *sum = ref_take(r, l, 2, n, 4);
  if (transposed) transposed_times(a, x, sum, rows, cols, pitch);
  else times(a, x, sum, rows, cols, pitch);
  ref_want(r, name, T_F32, n, sum, 0, 0);
}

REF(mvt) {
  if (index < 2) product(r, l, index == 1, index ? "x2" : "x1");
}

/* s and q are zero before. */
REF(bicg) {
  if (index < 2) product(r, l, index == 0, index ? "q" : "s");
}

/* y takes t from the first launch, by its own way. */
REF(atax) {
  if (index == 0) {
    uint32_t rows = ref_u32(l, 3), cols = ref_u32(l, 4), pitch = ref_u32(l, 5);
    const float *a = ref_take(r, l, 0, (uint64_t)(rows - 1) * pitch + cols, 4), *x = ref_take(r, l, 1, cols, 4);
    float *t = r->keep = ref_alloc(r, rows, 4);
    times(a, x, t, rows, cols, pitch);
    ref_want(r, "t", T_F32, rows, t, 0, 0);
  } else if (index == 1) {
    uint32_t rows = ref_u32(l, 3), cols = ref_u32(l, 4), pitch = ref_u32(l, 5);
    float *y = ref_alloc(r, cols, 4);
    transposed_times(ref_take(r, l, 0, (uint64_t)(rows - 1) * pitch + cols, 4), r->keep, y, rows, cols, pitch);
    ref_want(r, "y", T_F32, cols, y, 0, 0);
  }
}

struct fields {
  float *ex, *ey, *hz;
};

static void yee_step(const struct fields *f, int w, int h, float source) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int i = y * w + x;
      f->ey[i] = y ? __builtin_fmaf(-0.5f, f->hz[i] - f->hz[i - w], f->ey[i]) : source;
      if (x) f->ex[i] = __builtin_fmaf(-0.5f, f->hz[i] - f->hz[i - 1], f->ex[i]);
    }
  for (int y = 0; y < h - 1; y++)
    for (int x = 0; x < w - 1; x++) {
      int i = y * w + x;
      f->hz[i] = __builtin_fmaf(-0.7f, f->ex[i + 1] - f->ex[i] + f->ey[i + w] - f->ey[i], f->hz[i]);
    }
}

/* ex comes with the second launch, which is the first to change it. The steps are counted here, not by
 * launches. */
REF(fdtd2d) {
  if (index > 1) return;
  int w = (int)ref_u32(l, 2), h = (int)ref_u32(l, 3);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  if (index == 0) {
    struct fields *f = r->keep = ref_alloc(r, 1, sizeof *f);
    f->ey = ref_take(r, l, 0, n, 4);
    f->hz = ref_take(r, l, 1, n, 4);
    return;
  }
  struct fields *f = r->keep;
  f->ex = ref_take(r, l, 0, n, 4);
  for (int step = 0; step < 3; step++) yee_step(f, w, h, (float)step * 0.25f);
  ref_want(r, "ex", T_F32, n, f->ex, 0, 0);
  ref_want(r, "ey", T_F32, n, f->ey, 0, 0);
  ref_want(r, "hz", T_F32, n, f->hz, 0, 0);
}

REF(conv2d) {
  if (index) return;
  static const float tap[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};
  int w = (int)ref_u32(l, 2), h = (int)ref_u32(l, 3);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *in = ref_take(r, l, 0, n, 4);
  float *out = ref_alloc(r, n, 4);
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++)
      for (int v = 0; v < 3; v++)
        for (int u = 0; u < 3; u++)
          out[y * w + x] = __builtin_fmaf(tap[v][u], in[(y + v - 1) * w + x + u - 1], out[y * w + x]);
  ref_want(r, "out", T_F32, n, out, 0, 0);
}

REF(stencil) {
  if (index) return;
  int w = (int)ref_u32(l, 2), h = (int)ref_u32(l, 3), d = (int)ref_u32(l, 4);
  float centre = ref_f32(l, 6), side = ref_f32(l, 7);
  int plane = w * h;
  uint64_t n = (uint64_t)plane * (uint64_t)d;
  float *from = ref_take(r, l, 0, n, 4), *to = ref_take(r, l, 1, n, 4);
  for (int step = 0; step < 2; step++) {
    for (int z = 1; z < d - 1; z++)
      for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
          const float *c = from + (z * h + y) * w + x;
          float sum = c[-plane] + c[plane] + c[-w] + c[w] + c[-1] + c[1];
          to[(z * h + y) * w + x] = __builtin_fmaf(side, sum, centre * *c);
        }
    float *t = from;
    from = to;
    to = t;
  }
  ref_want(r, "from", T_F32, n, from, 0, 0);
}

/* Cells at the edge stay as they are. */
REF(stencil_pipeline) {
  if (index) return;
  const uint32_t w = ref_u32(l, 2), h = ref_u32(l, 3);
  const float centre = ref_f32(l, 5), side = ref_f32(l, 6);
  const uint64_t n = (uint64_t)w * h;
  float *from = ref_take(r, l, 0, n, 4), *to = ref_alloc(r, n, 4);
  for (int step = 0; step < 2; step++) {
    for (uint32_t y = 0; y < h; y++)
      for (uint32_t x = 0; x < w; x++) {
        const float *c = from + (uint64_t)y * w + x;
        const bool edge = !x || !y || x + 1 == w || y + 1 == h;
        to[(uint64_t)y * w + x] =
            edge ? *c : __builtin_fmaf(side, (c[-1] + c[1]) + (c[-(int64_t)w] + c[w]), centre * *c);
      }
    float *t = from;
    from = to;
    to = t;
  }
  ref_want(r, "from", T_F32, n, from, 0, 0);
}

/* Column by column, b along with A; then x from the last row up. b comes with the second launch. The found x
 * must solve the system that was given, too. */
REF(gaussian) {
  if (index > 1) return;
  uint32_t n = ref_u32(l, index == 0 ? 2 : 3);
  if (index == 0) {
    r->keep = ref_take(r, l, 0, (uint64_t)n * n, 4);
    return;
  }
  float *a = r->keep, *b = ref_take(r, l, 1, n, 4), *x = ref_alloc(r, n, 4);
  const float *a0 = ref_take(r, l, 0, (uint64_t)n * n, 4), *b0 = ref_take(r, l, 1, n, 4);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = k + 1; i < n; i++) {
      float f = a[i * n + k] / a[k * n + k];
      for (uint32_t j = k; j < n; j++) a[i * n + j] = __builtin_fmaf(-f, a[k * n + j], a[i * n + j]);
      b[i] = __builtin_fmaf(-f, b[k], b[i]);
    }
  for (uint32_t i = n; i-- > 0;) {
    x[i] = b[i] / a[i * n + i];
    for (uint32_t k = 0; k < i; k++) b[k] = __builtin_fmaf(-a[k * n + i], x[i], b[k]);
  }
  for (uint32_t i = 0; i < n; i++) {
    double left = 0;
    for (uint32_t j = 0; j < n; j++) left += (double)a0[i * n + j] * (double)x[j];
    if (fabs(left - (double)b0[i]) > 1e-5)
      snprintf(r->fail, sizeof r->fail, "reference: row %u of A x is %.9g, b is %.9g", i, left, (double)b0[i]);
  }
  ref_want(r, "a", T_F32, (uint64_t)n * n, a, 0, 0);
  ref_want(r, "b", T_F32, n, b, 0, 0);
  ref_want(r, "x", T_F32, n, x, 0, 0);
}

/* Without blocks; and L times U must be what there was. */
REF(lud) {
  if (index) return;
  uint32_t n = ref_u32(l, 1);
  float *a = ref_take(r, l, 0, (uint64_t)n * n, 4);
  const float *a0 = ref_take(r, l, 0, (uint64_t)n * n, 4);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = k + 1; i < n; i++) {
      float f = a[i * n + k] /= a[k * n + k];
      for (uint32_t j = k + 1; j < n; j++) a[i * n + j] = __builtin_fmaf(-f, a[k * n + j], a[i * n + j]);
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      double product = 0;
      for (uint32_t k = 0; k <= (i < j ? i : j); k++)
        product += (k == i ? 1.0 : (double)a[i * n + k]) * (double)a[k * n + j];
      if (fabs(product - (double)a0[i * n + j]) > 2e-6 * n)
        snprintf(r->fail, sizeof r->fail, "reference: L U is %.9g in row %u, column %u, A is %.9g", product, i, j,
                 (double)a0[i * n + j]);
    }
  ref_want(r, "a", T_F32, (uint64_t)n * n, a, 0, 0);
}

enum { HIDDEN = 16 };

struct net {
  uint32_t n;
  const float *in, *bias;
  float *weight, *change, *part, *hidden, *delta, *out_weight, output;
};

/* 16 values `stride` apart, added pairwise, the far half onto the near half. */
static float sum16(const float *v, uint32_t stride) {
  float s[16];
  for (uint32_t k = 0; k < 16; k++) s[k] = v[k * stride];
  for (uint32_t width = 8; width; width /= 2)
    for (uint32_t k = 0; k < width; k++) s[k] += s[k + width];
  return s[0];
}

static void net_forward(struct net *m) {
  float product[16];
  for (uint32_t g = 0; g < m->n / 16; g++)
    for (uint32_t j = 0; j < HIDDEN; j++) {
      for (uint32_t k = 0; k < 16; k++) {
        uint32_t i = g * 16 + k;
        product[k] = m->weight[i * HIDDEN + j] * m->in[i];
      }
      m->part[g * HIDDEN + j] = sum16(product, 1);
    }
}

static double logistic(double x) { return 1 / (1 + exp(-x)); }

static void net_middle(struct net *m, float target, float rate) {
  double net = (double)m->bias[HIDDEN];
  for (uint32_t j = 0; j < HIDDEN; j++) {
    double sum = (double)m->bias[j];
    for (uint32_t g = 0; g < m->n / 16; g++) sum += (double)m->part[g * HIDDEN + j];
    m->hidden[j] = (float)logistic(sum);
    net += (double)m->out_weight[j] * (double)m->hidden[j];
  }
  double o = logistic(net), error = o * (1 - o) * ((double)target - o);
  m->output = (float)o;
  for (uint32_t j = 0; j < HIDDEN; j++) {
    double h = (double)m->hidden[j], w = (double)m->out_weight[j];
    m->delta[j] = (float)(h * (1 - h) * w * error);
    m->out_weight[j] = (float)(w + (double)rate * error * h);
  }
}

static void net_adjust(struct net *m) {
  const double rate = 0.3, momentum = 0.3;
  for (uint32_t i = 0; i < m->n; i++)
    for (uint32_t j = 0; j < HIDDEN; j++) {
      float *c = &m->change[i * HIDDEN + j], *w = &m->weight[i * HIDDEN + j];
      double change = __builtin_fma(rate * (double)m->delta[j], (double)m->in[i], momentum * (double)*c);
      *c = (float)change;
      *w = (float)((double)*w + change);
    }
}

struct two_nets {
  struct net whole, echo;
};

static struct net net_copy(struct ref *r, const struct net *m) {
  struct net c = *m;
  float **part[] = {&c.weight, &c.change, &c.part, &c.hidden, &c.delta, &c.out_weight};
  uint64_t count[] = {(uint64_t)m->n * HIDDEN, (uint64_t)m->n * HIDDEN, m->n, HIDDEN, HIDDEN, HIDDEN};
  for (unsigned k = 0; k < 6; k++) {
    float *to = ref_alloc(r, count[k], 4);
    for (uint64_t i = 0; i < count[k]; i++) to[i] = (*part[k])[i];
    *part[k] = to;
  }
  return c;
}

/*
 * ex2 is approximate, so the network is computed twice: `whole` in double where the logistic function is
 * near, held to a tolerance; and `echo`, which takes the hidden units' errors from the simulator: with them
 * the sums of every round and the weights at the end are held bit for bit. The rest of the arguments come
 * with the second launch, and with the third the changes, which are 0 at first.
 */
REF(backprop) {
  if (index == 0) {
    uint32_t n = l->grid[0] * 16;
    struct two_nets *k = r->keep = ref_alloc(r, 1, sizeof *k);
    k->whole.n = n;
    k->whole.in = ref_take(r, l, 0, n, 4);
    k->whole.weight = ref_take(r, l, 1, (uint64_t)n * HIDDEN, 4);
    k->whole.change = ref_alloc(r, (uint64_t)n * HIDDEN, 4);
    k->whole.part = ref_alloc(r, n, 4);
    k->whole.hidden = ref_alloc(r, HIDDEN, 4);
    k->whole.delta = ref_alloc(r, HIDDEN, 4);
    return;
  }
  struct two_nets *k = r->keep;
  struct net *m = &k->whole, *e = &k->echo;
  uint64_t links = (uint64_t)m->n * HIDDEN;
  if (index == 1) {
    m->bias = ref_take(r, l, 1, HIDDEN + 1, 4);
    m->out_weight = ref_take(r, l, 4, HIDDEN, 4);
    *e = net_copy(r, m);
    for (int round = 0; round < 2; round++) {
      net_forward(m);
      net_middle(m, ref_f32(l, 7), ref_f32(l, 8));
      net_adjust(m);
    }
    ref_want(r, "hidden", T_F32, HIDDEN, m->hidden, 1e-5, 0);
    ref_want(r, "delta", T_F32, HIDDEN, m->delta, 1e-4, 0);
    ref_want(r, "out_weight", T_F32, HIDDEN, m->out_weight, 1e-5, 1e-6);
    ref_want(r, "output", T_F32, 1, &m->output, 1e-5, 0);
    ref_want(r, "weight", T_F32, links, m->weight, 1e-5, 1e-6);
    r->echo = true;
  }
  if (index % 3 == 1) {
    struct ref_out o = {"part before middle", T_F32, m->n, e->part, 0, 0, true};
    net_forward(e);
    ref_compare(r, &o, ref_take(r, l, 0, m->n, 4), T_F32, m->n);
  } else if (index % 3 == 2) {
    e->delta = ref_take(r, l, 1, HIDDEN, 4);
    net_adjust(e);
    if (index == 5) {
      ref_want(r, "weight", T_F32, links, e->weight, 0, 0);
      ref_want(r, "change", T_F32, links, e->change, 0, 0);
    }
  }
}

/* Sorted by distance as a whole would do; k passes are simpler. */
REF(nn) {
  if (index) return;
  uint32_t n = ref_u32(l, 4), k = 5;
  const float *point = ref_take(r, l, 0, 2 * (uint64_t)n, 4);
  float x = ref_f32(l, 2), y = ref_f32(l, 3), *d = ref_alloc(r, n, 4), *how_far = ref_alloc(r, k, 4);
  uint32_t *nearest = ref_alloc(r, k, 4);
  for (uint32_t i = 0; i < n; i++) {
    float dx = point[2 * i] - x, dy = point[2 * i + 1] - y;
    d[i] = sqrtf(__builtin_fmaf(dx, dx, dy * dy));
  }
  for (uint32_t round = 0; round < k; round++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
      if (d[i] < d[best]) best = i;
    nearest[round] = best;
    how_far[round] = d[best];
    d[best] = 3.0e38f;
  }
  ref_want(r, "nearest", T_U32, k, nearest, 0, 0);
  ref_want(r, "how_far", T_F32, k, how_far, 0, 0);
  ref_want(r, "d", T_F32, n, d, 0, 0);
}

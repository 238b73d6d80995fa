/* SPDX-License-Identifier: Apache-2.0 */
/* parboil: references for lbm, libor, montecarlo, tpacf, spmv and two more searches through a graph. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/reference/ref.h"

/* ---- lbm ---- */
enum { LINKS = 19 };

/* Direction q, and the one opposite: pairs after the rest. */
static const int link_of[LINKS][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                      {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                      {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                      {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

static int opposite(int q) { return q == 0 ? 0 : q % 2 ? q + 1 : q - 1; }

static void relax(const float *f, uint64_t n, uint64_t i, bool solid, float omega, float out[LINKS]) {
  if (solid) {
    for (int q = 0; q < LINKS; q++) out[q] = f[(uint64_t)opposite(q) * n + i];
    return;
  }
  float rho = 0, u[3] = {0};
  for (uint64_t q = 0; q < LINKS; q++) {
    rho += f[q * n + i];
    for (int d = 0; d < 3; d++) u[d] += (float)link_of[q][d] * f[q * n + i];
  }
  float volume = 1.0f / rho;
  for (int d = 0; d < 3; d++) u[d] *= volume;
  float u2 = __builtin_fmaf(u[2], u[2], __builtin_fmaf(u[1], u[1], u[0] * u[0]));
  float rest = __builtin_fmaf(-1.5f, u2, 1.0f);
  for (int q = 0; q < LINKS; q++) {
    const int *c = link_of[q];
    float cu = (float)c[0] * u[0] + (float)c[1] * u[1] + (float)c[2] * u[2];
    float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
    float equilibrium = weight * rho * (q ? __builtin_fmaf(cu, __builtin_fmaf(4.5f, cu, 3.0f), rest) : rest);
    float own = f[(uint64_t)q * n + i];
    out[q] = __builtin_fmaf(omega, equilibrium - own, own);
  }
}

/* Relaxes every cell in place, then moves whole populations. */
REF(lbm) {
  if (index) return;
  uint64_t size[3] = {ref_u32(l, 3), ref_u32(l, 4), ref_u32(l, 5)}, n = size[0] * size[1] * size[2];
  float omega = ref_f32(l, 6);
  float *f = ref_take(r, l, 0, LINKS * n, 4), *after = ref_alloc(r, LINKS * n, 4);
  const uint8_t *solid = ref_take(r, l, 2, n, 1);
  for (int step = 0; step < (r->small ? 3 : 5); step++) {
    for (uint64_t i = 0; i < n; i++) {
      float out[LINKS];
      relax(f, n, i, solid[i], omega, out);
      for (uint64_t q = 0; q < LINKS; q++) after[q * n + i] = out[q];
    }
    for (uint64_t q = 0; q < LINKS; q++)
      for (uint64_t i = 0; i < n; i++) {
        uint64_t at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
        for (int d = 0; d < 3; d++) at[d] = (at[d] + size[d] + (uint64_t)link_of[q][d]) % size[d];
        f[q * n + (at[2] * size[1] + at[1]) * size[0] + at[0]] = after[q * n + i];
      }
  }
  ref_want(r, "f", T_F32, LINKS * n, f, 0, 0);
}

/* ---- libor ---- */
enum { STEPS = 16, RATES = 32, SWAPTIONS = 15 };

/* One path in double precision, every sum written out anew from the model's definition. */
static double libor_path(const float *z, uint64_t paths, const float *vol, const int32_t *maturity, const float *strike,
                         double start) {
  const double delta = 0.25;
  double rate[RATES], value = 0, discount = 1;
  for (int k = 0; k < RATES; k++) rate[k] = start;
  for (int step = 0; step < STEPS; step++) {
    double next[RATES];
    for (int k = step + 1; k < RATES; k++) {
      double drift = 0, v = (double)vol[k - step - 1];
      for (int j = step + 1; j <= k; j++) drift += delta * rate[j] * (double)vol[j - step - 1] / (1 + delta * rate[j]);
      next[k] = rate[k] * exp((v * drift - v * v / 2) * delta + v * sqrt(delta) * (double)z[(uint64_t)step * paths]);
    }
    memcpy(rate + step + 1, next + step + 1, (size_t)(RATES - step - 1) * sizeof *rate);
  }
  for (int s = 0; s < SWAPTIONS; s++) {
    double bond = 1, annuity = 0;
    for (int k = 0; k < maturity[s]; k++) {
      bond /= 1 + delta * rate[STEPS + k];
      annuity += delta * bond;
    }
    double swap = bond + (double)strike[s] * annuity - 1;
    if (swap < 0) value -= 100 * swap;
  }
  for (int k = 0; k < STEPS; k++) discount /= 1 + delta * rate[k];
  return value * discount;
}

/* A swap is a difference of numbers near 1: values of some units, sums of fifteen such, are right to a
 * thousandth. */
REF(libor) {
  if (index) return;
  uint64_t paths = 4 * (uint64_t)ref_u32(l, 6);
  const float *z = ref_take(r, l, 0, STEPS * paths, 4), *vol = ref_take(r, l, 1, RATES, 4);
  const int32_t *maturity = ref_take(r, l, 2, SWAPTIONS, 4);
  const float *strike = ref_take(r, l, 3, SWAPTIONS, 4);
  float *value = ref_alloc(r, paths, 4);
  for (uint64_t p = 0; p < paths; p++)
    value[p] = (float)libor_path(z + p, paths, vol, maturity, strike, (double)ref_f32(l, 5));
  ref_want(r, "value", T_F32, paths, value, 1e-5, 1e-3);
}

/* ---- montecarlo ---- */
REF(montecarlo) {
  if (index) return;
  uint64_t options = l->grid[0], paths = ref_u32(l, 8);
  const float *spot = ref_take(r, l, 0, options, 4), *strike = ref_take(r, l, 1, options, 4);
  const float *years = ref_take(r, l, 2, options, 4), *z = ref_take(r, l, 3, paths, 4);
  float *mean = ref_alloc(r, options, 4), *width = ref_alloc(r, options, 4);
  double rate = (double)ref_f32(l, 6), vol = (double)ref_f32(l, 7);
  for (uint64_t o = 0; o < options; o++) {
    double sum = 0, sum2 = 0, t = (double)years[o];
    for (uint64_t i = 0; i < paths; i++) {
      double end = (double)spot[o] * exp((rate - vol * vol / 2) * t + vol * sqrt(t) * (double)z[i]);
      double payoff = end > (double)strike[o] ? end - (double)strike[o] : 0;
      sum += payoff, sum2 += payoff * payoff;
    }
    double m = sum / (double)paths, variance = sum2 / (double)paths - m * m;
    mean[o] = (float)(exp(-rate * t) * m);
    width[o] = (float)(exp(-rate * t) * 1.96 * sqrt(variance / (double)paths));
  }
  ref_want(r, "mean", T_F32, options, mean, 2e-6, 1e-6);
  ref_want(r, "width", T_F32, options, width, 1e-5, 1e-6);
}

/* ---- tpacf ---- */
enum { BINS = 20 };

/* Bins are found by going through the edges one by one. */
REF(tpacf) {
  if (index) return;
  uint64_t na = ref_u32(l, 7), nb = ref_u32(l, 8);
  const float *a[3], *b[3], *edge = ref_take_const(r, l, "edge", BINS - 1, 4);
  for (unsigned d = 0; d < 3; d++) a[d] = ref_take(r, l, d, na, 4), b[d] = ref_take(r, l, 3 + d, nb, 4);
  uint32_t *histogram = ref_alloc(r, BINS, 4);
  for (uint64_t i = 0; i < na; i++)
    for (uint64_t j = 0; j < nb; j++) {
      float cosine = __builtin_fmaf(a[2][i], b[2][j], __builtin_fmaf(a[1][i], b[1][j], a[0][i] * b[0][j]));
      int k = 0;
      while (k < BINS - 1 && cosine < edge[k]) k++;
      histogram[k]++;
    }
  ref_want(r, "histogram", T_U32, BINS, histogram, 0, 0);
}

/* ---- spmv ---- */
/* Row by row of the matrix, entries in the order of the diagonals. */
REF(spmv) {
  if (index) return;
  uint64_t n = ref_u32(l, 7);
  const uint32_t *length = ref_take(r, l, 3, n, 4), *row = ref_take(r, l, 4, n, 4);
  const uint32_t *diagonal = ref_take(r, l, 2, length[0], 4);
  uint64_t entries = diagonal[length[0] - 1];
  for (uint64_t i = 0; i < n && length[i] == length[0]; i++) entries++;
  const float *value = ref_take(r, l, 0, entries, 4), *x = ref_take(r, l, 5, n, 4);
  const uint32_t *column = ref_take(r, l, 1, entries, 4);
  uint32_t *place = ref_alloc(r, n, 4); /* of the matrix's rows in the falling order */
  float *y = ref_alloc(r, n, 4);
  for (uint32_t i = 0; i < n; i++) place[row[i]] = i;
  for (uint64_t v = 0; v < n; v++)
    for (uint32_t k = 0; k < length[place[v]]; k++) {
      uint64_t at = (uint64_t)diagonal[k] + place[v];
      y[v] = __builtin_fmaf(value[at], x[column[at]], y[v]);
    }
  ref_want(r, "y", T_F32, n, y, 0, 0);
}

/* ---- two more searches through a graph ---- */
/* Distances by relaxing all edges until nothing changes (Bellman and Ford), which knows no levels. */
static int32_t *distances(struct ref *r, const uint32_t *from, const uint32_t *to, uint64_t edges, uint64_t n) {
  int32_t *level = ref_alloc(r, n, 4);
  for (uint64_t v = 1; v < n; v++) level[v] = -1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint64_t e = 0; e < edges; e++) {
      int32_t by = level[from[e]], *at = &level[to[e]];
      if (by < 0 || (*at >= 0 && *at <= by + 1)) continue;
      *at = by + 1;
      changed = true;
    }
  }
  return level;
}

REF(bfs_frontier) {
  if (index) return;
  uint64_t n = r->small ? 3000 : 12000;
  const uint32_t *first = ref_take(r, l, 0, n + 1, 4);
  const uint32_t *to = ref_take(r, l, 1, first[n], 4);
  uint32_t *from = ref_alloc(r, first[n], 4);
  for (uint32_t v = 0; v < n; v++)
    for (uint32_t e = first[v]; e < first[v + 1]; e++) from[e] = v;
  ref_want(r, "level", T_S32, n, distances(r, from, to, first[n], n), 0, 0);
}

REF(bfs_worklist) {
  if (index) return;
  uint64_t edges = ref_u32(l, 5), n = edges / 8;
  const uint32_t *from = ref_take(r, l, 0, edges, 4), *to = ref_take(r, l, 1, edges, 4);
  ref_want(r, "level", T_S32, n, distances(r, from, to, edges, n), 0, 0);
}

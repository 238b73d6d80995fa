/* SPDX-License-Identifier: Apache-2.0 */
/* parboil: references for lbm, libor, montecarlo, tpacf, spmv and two more searches through a graph. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/ref.h"

/* ---- lbm ---- */
enum { LINKS = 19 };

/* Direction q, and the one opposite: pairs after the rest. */
static const int link_of[LINKS][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},
                                      {0, 0, 1},  {0, 0, -1},  {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},
                                      {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
                                      {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

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

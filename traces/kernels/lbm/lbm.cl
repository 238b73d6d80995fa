/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lbm: one time step of a lattice-Boltzmann flow in three dimensions: 19 directions, one relaxation time
 * (Qian, d'Humieres and Lallemand 1992), cells that are solid reflect. A work item is a cell, a group a row
 * of cells; the box is periodic. A cell reads its own 19 populations, relaxes them to equilibrium and stores
 * each in the neighbour that it flies to. Populations are stored direction by direction: reads are coalesced,
 * writes nearly so.
 */
#pragma OPENCL FP_CONTRACT OFF

/* number, direction, number of the opposite direction */
#define LINKS(X)                                                                  \
  X(1, 1, 0, 0, 2) X(2, -1, 0, 0, 1)                                              \
  X(3, 0, 1, 0, 4) X(4, 0, -1, 0, 3)                                              \
  X(5, 0, 0, 1, 6) X(6, 0, 0, -1, 5)                                              \
  X(7, 1, 1, 0, 8) X(8, -1, -1, 0, 7) X(9, 1, -1, 0, 10) X(10, -1, 1, 0, 9)       \
  X(11, 1, 0, 1, 12) X(12, -1, 0, -1, 11) X(13, 1, 0, -1, 14) X(14, -1, 0, 1, 13) \
  X(15, 0, 1, 1, 16) X(16, 0, -1, -1, 15) X(17, 0, 1, -1, 18) X(18, 0, -1, 1, 17)

/* a * s for a sign s that is known when this is compiled; nothing for 0 */
#define PLUS(sum, s, a) ((s) == 0 ? (sum) : (s) > 0 ? (sum) + (a) : (sum) - (a))
#define WEIGHT(x, y, z) ((x) * (x) + (y) * (y) + (z) * (z) == 1 ? 1.0f / 18.0f : 1.0f / 36.0f)

__kernel void lbm(__global const float *restrict f, __global float *restrict to,
                  __global const uchar *restrict solid, int nx, int ny, int nz, float omega) {
  int x = get_local_id(0), y = get_group_id(0), z = get_group_id(1);
  int row = nx * ny, n = row * nz;
  int i = z * row + y * nx + x;
#define READ(q, cx, cy, cz, back) float f##q = f[q * n + i];
  float f0 = f[i];
  LINKS(READ)

  /* where the neighbours are, as far as each axis goes */
  int x0 = x, x1 = x < nx - 1 ? x + 1 : 0, x_1 = x > 0 ? x - 1 : nx - 1;
  int y0 = y * nx, y1 = y < ny - 1 ? y0 + nx : 0, y_1 = y > 0 ? y0 - nx : row - nx;
  int z0 = z * row, z1 = z < nz - 1 ? z0 + row : 0, z_1 = z > 0 ? z0 - row : n - row;
#define AXIS(a, s) ((s) == 0 ? a##0 : (s) > 0 ? a##1 : a##_1)
#define NEIGHBOUR(q, cx, cy, cz) (q * n + AXIS(x, cx) + AXIS(y, cy) + AXIS(z, cz))

  if (solid[i]) {
#define REFLECT(q, cx, cy, cz, back) to[NEIGHBOUR(q, cx, cy, cz)] = f##back;
    to[i] = f0;
    LINKS(REFLECT)
    return;
  }
  float rho = f0, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#define MOMENTS(q, cx, cy, cz, back) \
  rho += f##q;                       \
  ux = PLUS(ux, cx, f##q);           \
  uy = PLUS(uy, cy, f##q);           \
  uz = PLUS(uz, cz, f##q);
  LINKS(MOMENTS)
  float volume = recip_rn(rho);
  ux *= volume;
  uy *= volume;
  uz *= volume;
  float rest = fma(-1.5f, fma(uz, uz, fma(uy, uy, ux * ux)), 1.0f);

  to[i] = fma(omega, 1.0f / 3.0f * rho * rest - f0, f0);
#define RELAX(q, cx, cy, cz, back)                                                     \
  {                                                                                    \
    float cu = PLUS(PLUS(PLUS(0.0f, cx, ux), cy, uy), cz, uz);                         \
    float equilibrium = WEIGHT(cx, cy, cz) * rho * fma(cu, fma(4.5f, cu, 3.0f), rest); \
    to[NEIGHBOUR(q, cx, cy, cz)] = fma(omega, equilibrium - f##q, f##q);               \
  }
  LINKS(RELAX)
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfd: the compressible Euler equations in three dimensions on an unstructured mesh, finite volumes,
 * Rusanov's flux (1961): half the sum of both sides' fluxes, less half the fastest wave's speed times the
 * difference of both sides. A cell has five variables (density, momentum, energy) and four faces, each with a
 * normal as long as the face is large and a neighbour: a cell, WALL or FAR. A work item is a cell; all arrays
 * are stored component by component.
 *   step      the local time step; keeps the variables as they are before the round
 *   flux      what flows in through the four faces
 *   advance   one stage of a Runge-Kutta scheme: variables before the round + factor * what flows in
 */
#define GAMMA 1.4f
#define WALL -1
#define GROUP 192
#define CELL_KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#pragma OPENCL FP_CONTRACT OFF

struct state {
  float rho, mx, my, mz, e;
};

__constant struct state far = {1.0f, 0.5f, 0.0f, 0.125f, 2.75f};

static inline struct state load(__global const float *restrict u, uint n, uint i) {
  struct state s = {u[i], u[n + i], u[2 * n + i], u[3 * n + i], u[4 * n + i]};
  return s;
}

/* velocity, pressure, and the speed of the fastest wave */
struct motion {
  float x, y, z, p, fastest;
};

static inline struct motion motion(struct state s) {
  struct motion v;
  float r = recip_rn(s.rho);
  v.x = s.mx * r;
  v.y = s.my * r;
  v.z = s.mz * r;
  float v2 = fma(v.z, v.z, fma(v.y, v.y, v.x * v.x));
  v.p = (GAMMA - 1.0f) * fma(-0.5f * s.rho, v2, s.e);
  v.fastest = sqrt(v2) + sqrt(GAMMA * v.p * r);
  return v;
}

CELL_KERNEL void cfd_step(__global const float *restrict u, __global float *restrict before,
                          __global const float *restrict area, __global float *restrict factor, float cfl,
                          uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  struct state s = load(u, n, i);
  before[i] = s.rho;
  before[n + i] = s.mx;
  before[2 * n + i] = s.my;
  before[3 * n + i] = s.mz;
  before[4 * n + i] = s.e;
  factor[i] = div_rn(cfl, area[i] * motion(s).fastest);
}

CELL_KERNEL void cfd_flux(__global const float *restrict u, __global const int *restrict neighbour,
                          __global const float *restrict normal, __global float *restrict inflow, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  struct state s = load(u, n, i);
  struct motion v = motion(s);
  /* this side's fluxes, for all four faces: of momentum (symmetric) and of energy */
  float xx = fma(s.mx, v.x, v.p), yy = fma(s.my, v.y, v.p), zz = fma(s.mz, v.z, v.p);
  float xy = s.mx * v.y, xz = s.mx * v.z, yz = s.my * v.z;
  float ex = (s.e + v.p) * v.x, ey = (s.e + v.p) * v.y, ez = (s.e + v.p) * v.z;
  struct state in = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};

#pragma clang loop unroll(disable)
  for (uint f = 0; f < 4; f++) {
    int to = neighbour[f * n + i];
    float nx = normal[(3 * f) * n + i], ny = normal[(3 * f + 1) * n + i], nz = normal[(3 * f + 2) * n + i];
    if (to == WALL) {
      in.mx = fma(-v.p, nx, in.mx);
      in.my = fma(-v.p, ny, in.my);
      in.mz = fma(-v.p, nz, in.mz);
      continue;
    }
    struct state o;
    if (to >= 0) o = load(u, n, to);
    else o = far;
    struct motion w = motion(o);
    float size = sqrt(fma(nz, nz, fma(ny, ny, nx * nx)));
    float k = 0.5f * size * fmax(v.fastest, w.fastest);
    nx *= -0.5f;
    ny *= -0.5f;
    nz *= -0.5f;
    in.rho = fma(nz, s.mz + o.mz, fma(ny, s.my + o.my, fma(nx, s.mx + o.mx, in.rho)));
    in.rho = fma(k, o.rho - s.rho, in.rho);
    float oxy = o.mx * w.y, oxz = o.mx * w.z, oyz = o.my * w.z;
    in.mx = fma(nz, xz + oxz, fma(ny, xy + oxy, fma(nx, xx + fma(o.mx, w.x, w.p), in.mx)));
    in.mx = fma(k, o.mx - s.mx, in.mx);
    in.my = fma(nz, yz + oyz, fma(ny, yy + fma(o.my, w.y, w.p), fma(nx, xy + oxy, in.my)));
    in.my = fma(k, o.my - s.my, in.my);
    in.mz = fma(nz, zz + fma(o.mz, w.z, w.p), fma(ny, yz + oyz, fma(nx, xz + oxz, in.mz)));
    in.mz = fma(k, o.mz - s.mz, in.mz);
    float h = o.e + w.p;
    in.e = fma(nz, ez + h * w.z, fma(ny, ey + h * w.y, fma(nx, ex + h * w.x, in.e)));
    in.e = fma(k, o.e - s.e, in.e);
  }
  inflow[i] = in.rho;
  inflow[n + i] = in.mx;
  inflow[2 * n + i] = in.my;
  inflow[3 * n + i] = in.mz;
  inflow[4 * n + i] = in.e;
}

CELL_KERNEL void cfd_advance(__global float *restrict u, __global const float *restrict before,
                             __global const float *restrict factor, __global const float *restrict inflow,
                             float part, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float k = part * factor[i];
#pragma clang loop unroll(disable)
  for (uint q = 0; q < 5; q++) u[q * n + i] = fma(k, inflow[q * n + i], before[q * n + i]);
}

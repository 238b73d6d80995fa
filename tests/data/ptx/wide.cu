// SPDX-License-Identifier: Apache-2.0
// Source of wide_nvcc.ptx (nvcc -arch=sm_80 -ptx): many operations; must load.
#include <cstdint>
struct P {
  double a[3];
  int n;
  float *out;
  char c;
  short s;
  long long q;
};
__constant__ float tab[16] = {1.5f, 2, 3, 4};
__constant__ int itab[2][3] = {{1, 2, 3}, {-4, 5}};
__device__ int counter = 7;
__device__ int *ptr = &counter;
__device__ const int *cptr[3] = {&counter, 0, &counter + 1};
__shared__ int dummy_sh;
template <typename T>
__device__ __noinline__ T poly(T x, T y) {
  return x * x + y * (T)3;
}
__device__ __noinline__ float takestruct(P p, int k) { return (float)p.a[k % 3] + p.n + p.c + p.s; }
struct R {
  float x, y, z, w;
  int k;
};
__device__ __noinline__ R retstruct(float a, int b) {
  R r = {a, a * 2, a * 3, (float)b, b};
  return r;
}
__device__ __noinline__ bool isodd(unsigned char c, short s, bool b) { return ((c + s) & 1) && b; }
extern "C" __global__ void kstruct(P p) {
  int i = threadIdx.x;
  p.out[i] = takestruct(p, i) + poly(p.out[i], 2.f) + (float)poly(p.a[0], 2.0);
}
extern "C" __global__ void kdyn(P p, int k) { p.out[threadIdx.x] = p.a[k]; }
extern "C" __global__ void kret(float *o, int *q) {
  R r = retstruct(o[threadIdx.x], q[0]);
  o[threadIdx.x] = r.x + r.y + r.z + r.w + r.k;
  if (isodd(q[1], q[2], q[3] > 4)) q[5] = 1;
}
extern "C" __global__ void kswitch(int *o, int n) {
  int i = threadIdx.x;
  int v = o[i];
  switch (v) {
    case 0: v = n * 3; break;
    case 1: v = n ^ 7; break;
    case 2: v = n / 3; break;
    case 3: v += 9; break;
    case 4: v = __popc(n); break;
    case 5: v = __clz(n); break;
    case 6: v = n % 5; break;
    case 7: v = n * n; break;
    case 8: v = n << 3; break;
    case 9: v = -n; break;
    default: v = ~n;
  }
  o[i] = v;
}
extern "C" __global__ void kmath(float *o, double *d) {
  int i = threadIdx.x;
  float x = o[i];
  o[i] = sinf(x) + __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + rsqrtf(x) + sqrtf(x) + tanhf(x) +
         powf(x, 2.3f) + floorf(x) + rintf(x) + truncf(x) + ceilf(x) + fmodf(x, 3.f) + __fdividef(x, 3.1f) +
         x / 7.3f + copysignf(x, -1.f) + ldexpf(x, 3) + erff(x);
  d[i] = sin(d[i]) + exp(d[i]) + sqrt(d[i]) / d[i] + log(d[i]) + fma(d[i], 2.0, 1.0) + __drcp_rn(d[i]) +
         pow(d[i], 1.5);
}
extern "C" __global__ void kwarp(int *o, float *f) {
  int i = threadIdx.x;
  int v = o[i];
  for (int s = 16; s; s /= 2) v += __shfl_xor_sync(0xffffffffu, v, s);
  v += __shfl_down_sync(~0u, v, 2) + __shfl_up_sync(~0u, v, 1) + __shfl_sync(~0u, v, 3, 8);
  v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __all_sync(~0u, v) + __activemask() +
       __match_any_sync(~0u, v);
  int p;
  v += __match_all_sync(~0u, v, &p) + p;
  v += __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v) + __reduce_and_sync(~0u, (unsigned)v);
  __syncwarp();
  o[i] = v;
  f[i] = __shfl_xor_sync(~0u, f[i], 1);
}
extern "C" __global__ void katom(int *o, unsigned *u, float *f, double *d, unsigned long long *q,
                                 long long *sq, unsigned short *us) {
  __shared__ int sh[4];
  atomicAdd(o, 1);
  atomicSub(o, 2);
  atomicMin(o, 3);
  o[2] = atomicMax(o, 4);
  o[1] = atomicCAS(o, 1, 2);
  atomicExch(o, 6);
  atomicInc(u, 7);
  atomicDec(u, 8);
  atomicAnd(o, 9);
  atomicOr(o, 1);
  atomicXor(u, 2);
  atomicAdd(f, 1.f);
  atomicAdd(d, 1.0);
  atomicAdd(q, 5ull);
  atomicMax(q, 6ull);
  atomicMin(sq, 7ll);
  atomicCAS(q, 1ull, 2ull);
  atomicCAS(us, (unsigned short)1, (unsigned short)2);
  atomicAdd(&sh[threadIdx.x & 3], 1);
  atomicAdd_block(o, 2);
  atomicAdd_system(o, 3);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __syncthreads();
  o[5] = sh[0] + __syncthreads_count(o[3]) + __syncthreads_and(o[4]) + __syncthreads_or(o[1]);
}
extern "C" __global__ void __launch_bounds__(128, 2) klocal(int *o, int n) {
  int a[32];
  for (int i = 0; i < 32; i++) a[i] = o[i] * n;
  int s = 0;
  for (int i = 0; i < n; i++) s += a[(i * 7 + n) & 31];
  o[n] = s + itab[n & 1][n % 3] + (int)tab[n & 15] + counter + *ptr + *cptr[n % 3];
}
extern "C" __global__ void kshared(float *o) {
  extern __shared__ float dyn[];
  __shared__ float st[33];
  __shared__ double sd[3];
  st[threadIdx.x] = o[threadIdx.x];
  sd[threadIdx.x % 3] = 1;
  __syncthreads();
  dyn[threadIdx.x] = st[31 - threadIdx.x] + sd[0];
  __syncthreads();
  o[threadIdx.x] = dyn[threadIdx.x ^ 1];
}
extern "C" __global__ void kbits(unsigned *o, unsigned long long *q, unsigned char *c, short *s) {
  unsigned v = o[0];
  o[1] = __brev(v) + __ffs(v) + __byte_perm(v, o[2], 0x1234) + __funnelshift_l(v, o[3], o[4]) +
         __funnelshift_rc(v, o[3], 5) + __umulhi(v, o[2]) + __mul24(v, o[3]) + __umul24(v, 3) +
         __sad(v, o[1], 3u) + __dp4a((int)v, (int)o[2], 3) + __usad(v, 1, 2);
  q[0] = q[1] * q[2] + __umul64hi(q[1], q[2]) + __popcll(q[3]) + __clzll(q[4]) + __brevll(q[5]) +
         (q[1] / q[2]) + (q[3] % q[1]);
  c[0] = c[1] * c[2];
  s[0] = s[1] * s[2] + c[3];
  o[5] = (unsigned)clock() + (unsigned)clock64();
  unsigned __int128 z = (unsigned __int128)q[0] * q[1] + q[2];
  q[7] = (unsigned long long)(z >> 64);
}
extern "C" __global__ void kvec(float4 *a, double2 *d, uchar4 *c, ushort2 *s, const int4 *__restrict__ i4,
                                longlong2 *l) {
  int i = threadIdx.x;
  float4 v = a[i];
  v.x += i4[i].y;
  a[i + 1] = v;
  d[i].x += d[i].y;
  uchar4 k = c[i];
  k.x += k.w;
  c[i + 1] = k;
  s[i] = make_ushort2(s[i + 1].y, 3);
  l[i + 1] = l[i];
  asm volatile(
      "{ .reg .pred p; .reg .u32 t; setp.eq.u32 p, %0, 0; @p bra L1; add.u32 t, %0, 1; L1: }" ::"r"(i));
  a[0].x = __ldg(&a[5].y) + __ldcg(&a[3].x) + __ldcs(&a[4].x);
  __stcs(&a[6].x, 2.f);
  __stwt(&a[7].x, 1.f);
  volatile float *vf = (float *)a;
  vf[9] = vf[8];
}
extern "C" __global__ void kgrid(const __grid_constant__ P p, float *o) {
  const P *q = &p;
  o[threadIdx.x] = q->a[threadIdx.x % 3] + q->n;
}
extern "C" __global__ void kspace(int *o) {
  __shared__ int sh[2];
  int *g = threadIdx.x & 1 ? o : sh;
  *g = 3;
  o[3] = __isGlobal(g) + __isShared(g) + __isLocal(g) + __isConstant(g);
  asm volatile("trap;");
}

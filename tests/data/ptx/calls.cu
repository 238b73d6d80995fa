// SPDX-License-Identifier: Apache-2.0
// Source of calls_*.ptx: calls that must be inlined, structs by value, local arrays, 64 and 128 bit
// arithmetic. The same text compiled for the host (g++ -fwrapv -ffp-contract=fast) gave the hashes in
// tests/unit/ptx_test.c.
#ifdef __CUDACC__
#define DEV __device__ __noinline__
#define KER extern "C" __global__
#define CONSTANT __constant__
#define GLOB __device__
#else
#include <cstdio>
#include <cstring>
#include <cmath>
#define DEV static __attribute__((noinline))
#define KER static
#define CONSTANT static
#define GLOB static
static struct { int x; } threadIdx, blockIdx;
static struct { int x; } blockDim = {64};
#endif
struct P {
  double a[3];
  int n;
  float f;
  signed char c;
  short s;
  long long q;
  unsigned char u;
};
struct R {
  float x, y, z, w;
  int k;
};
CONSTANT int itab[2][3] = {{1, 2, 3}, {-4, 5}};
CONSTANT double dtab[4] = {1.5, -2.25, 3, 0.125};
GLOB int gtab[5] = {10, 20, 30};
GLOB int *gptr = &gtab[1];
DEV float takestruct(P p, int k) { return (float)p.a[k % 3] + p.n + p.c * 2 + p.s + (float)p.q + p.u; }
DEV R retstruct(float a, int b) {
  R r = {a, a * 2, a * 3, (float)b, b * b};
  return r;
}
DEV bool isodd(unsigned char c, short s, bool b) { return ((c + s) & 1) && b; }
DEV int sw(int v, int n) {
  switch (v) {
    case 0: return n * 3;
    case 1: return n ^ 7;
    case 2: return n / 3;
    case 3: return v + 9;
    case 4: return n << 1;
    case 5: return ~n;
    case 6: return n % 5;
    case 7: return n * n;
    case 8: return n << 3;
    case 9: return -n;
    default: return n + 100;
  }
}
DEV int deep3(int x) {
  if (x & 1) return x * 3 + 1;
  return x / 2;
}
DEV int deep2(int x) {
  int r = deep3(x);
  if (r > 50) return deep3(r) - 1;
  return deep3(r + 1);
}
DEV long long big(long long a, unsigned long long b) {
  return a * (long long)b / 7 + (a % 13) - (long long)(b >> 3);
}
DEV void swapp(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
KER void k1(P p, float *o, int *q, long long *l) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = takestruct(p, i);
  R r = retstruct((float)i, i - 5);
  o[i] += r.x + r.y * 2 + r.z * 3 + r.w + r.k;
  int v = sw(i % 12, i) + deep2(i) + itab[i & 1][i % 3] + (int)(dtab[i & 3] * 8) + gtab[i % 5] + *gptr;
  if (isodd((unsigned char)(i * 5), (short)(i - 30), i > 20)) v += 1000;
  int a[8];
  for (int k = 0; k < 8; k++) a[k] = k * i + v;
  swapp(&a[i & 7], &a[(i + 3) & 7]);
  int s = 0;
  for (int k = 0; k < 8; k++) s = s * 3 + a[(k * 5 + i) & 7];
  q[i] = s;
  l[i] = big((long long)i * 1234567891LL - 77777777777LL, (unsigned long long)i * 987654321ULL + 5);
  unsigned __int128 z =
      (unsigned __int128)(unsigned long long)l[i] * 0x123456789abcdefULL + (unsigned long long)i;
  l[i] ^= (long long)(z >> 64) + (long long)z;
  signed char c8 = (signed char)(i * 3);
  unsigned short u16 = (unsigned short)(i * 7001);
  q[i] += c8 + u16 + (short)(u16 * c8);
  p.a[i % 3] += 1.0;
  o[i] += (float)p.a[(i + 1) % 3] + (float)(p.a[i % 3] * 0.5);
}
#ifndef __CUDACC__
int main() {
  P p;
  memset(&p, 0, sizeof p);
  p.a[0] = 1.5;
  p.a[1] = -2;
  p.a[2] = 7;
  p.n = 11;
  p.f = 2;
  p.c = -3;
  p.s = -300;
  p.q = 123456;
  p.u = 200;
  float o[64];
  int q[64];
  long long l[64];
  for (int i = 0; i < 64; i++) {
    threadIdx.x = i;
    blockIdx.x = 0;
    k1(p, o, q, l);
  }
  FILE *f = fopen("o.ref", "wb");
  fwrite(o, 4, 64, f);
  fclose(f);
  f = fopen("q.ref", "wb");
  fwrite(q, 4, 64, f);
  fclose(f);
  f = fopen("l.ref", "wb");
  fwrite(l, 8, 64, f);
  fclose(f);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Texels of every type and number of components, read through textures as they are and as normalized values, and through
// surfaces; halves; the kinds of channels that are normalized by themselves.
#include <cuda_fp16.h>
#include "../cuda/common.h"

enum { N = 32 };

template <class R>
__global__ void read_texture(cudaTextureObject_t t, R *out) {
  out[threadIdx.x] = tex2D<R>(t, (float)threadIdx.x, 0.0f);
}
template <class T>
__global__ void read_surface(cudaSurfaceObject_t s, T *out) {
  out[threadIdx.x] = surf2Dread<T>(s, (int)(threadIdx.x * sizeof(T)), 0);
}

static cudaArray_t array_of(const void *in, size_t bytes, const cudaChannelFormatDesc &d) {
  cudaArray_t a;
  CHECK(cudaMallocArray(&a, &d, N, 3, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in, bytes, bytes, 1, cudaMemcpyHostToDevice));
  return a;
}

// What a kernel reads of the array.
template <class R>
static void fetch(cudaArray_t a, cudaTextureReadMode mode, R *got) {
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  R *out;
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  d.readMode = mode;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  CHECK(cudaMalloc(&out, N * sizeof(R)));
  read_texture<R><<<1, N>>>(t, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, out, N * sizeof(R), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  CHECK(cudaDestroyTextureObject(t));
}

template <class T>
static void through_surface(cudaArray_t a, const T *in) {
  cudaResourceDesc r = {};
  cudaSurfaceObject_t s;
  T *out, got[N];
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  CHECK(cudaMalloc(&out, sizeof got));
  read_surface<T><<<1, N>>>(s, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(!memcmp(in, got, sizeof got));
  CHECK(cudaFree(out));
  CHECK(cudaDestroySurfaceObject(s));
}

static void fill(void *p, size_t n) {
  for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = (unsigned char)random_int();
}

// The texels come back as they were.
template <class T>
static void raw() {
  T in[N], got[N];
  fill(in, sizeof in);
  cudaArray_t a = array_of(in, sizeof in, cudaCreateChannelDesc<T>());
  fetch<T>(a, cudaReadModeElementType, got);
  EXPECT(!memcmp(in, got, sizeof got));
  through_surface(a, in);
  CHECK(cudaFreeArray(a));
}

static float normalized(long v, long most) { return v < -most ? -1.0f : (float)v / (float)most; }

// As floats from -1 or 0 to 1: C values of type S are a texel of T, which reads as F. d: instead of T's own format.
template <class T, class S, class F>
static void scaled(const cudaChannelFormatDesc *d = nullptr) {
  enum { C = sizeof(T) / sizeof(S) };
  const long most = (S)-1 < 0 ? (1l << (8 * sizeof(S) - 1)) - 1 : (1l << (8 * sizeof(S))) - 1;
  S in[N * C];
  float got[N * C];
  fill(in, sizeof in);
  in[0] = (S)most;
  in[1] = (S)(-most - 1);
  cudaArray_t a = array_of(in, sizeof in, d ? *d : cudaCreateChannelDesc<T>());
  fetch<F>(a, d ? cudaReadModeElementType : cudaReadModeNormalizedFloat, (F *)got);
  for (int i = 0; i < N * C; i++) EXPECT(got[i] == normalized((long)in[i], most));
  CHECK(cudaFreeArray(a));
}

static void halves() {
  __half in[N];
  float got[N];
  for (int i = 0; i < N; i++) in[i] = __float2half((random_float() - 0.5f) * 300.0f);
  cudaArray_t a = array_of(in, sizeof in, cudaCreateChannelDescHalf());
  fetch<float>(a, cudaReadModeElementType, got);
  for (int i = 0; i < N; i++) EXPECT(got[i] == __half2float(in[i]));
  CHECK(cudaFreeArray(a));
}

int main() {
  raw<char>(), raw<signed char>(), raw<unsigned char>(), raw<short>(), raw<unsigned short>(), raw<int>();
  raw<unsigned>();
  raw<char2>(), raw<uchar2>(), raw<short2>(), raw<ushort2>(), raw<int2>(), raw<uint2>();
  raw<char4>(), raw<uchar4>(), raw<short4>(), raw<ushort4>(), raw<int4>(), raw<uint4>();
  raw<float>(), raw<float2>(), raw<float4>();  // any bits, NaNs among them
  scaled<signed char, signed char, float>();
  scaled<unsigned char, unsigned char, float>();
  scaled<short, short, float>();
  scaled<unsigned short, unsigned short, float>();
  scaled<char2, signed char, float2>();
  scaled<ushort2, unsigned short, float2>();
  scaled<uchar4, unsigned char, float4>();
  scaled<short4, short, float4>();
  halves();
#if CUDART_VERSION >= 11050
  const cudaChannelFormatDesc bytes = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4},
                              shorts = {16, 16, 0, 0, cudaChannelFormatKindSignedNormalized16X2};
  scaled<uchar4, unsigned char, float4>(&bytes);
  scaled<short2, short, float2>(&shorts);
#endif
  return done("formats");
}

// SPDX-License-Identifier: Apache-2.0
// Surface objects: reads and writes of arrays of two and three dimensions, layers, faces and levels, and what lies outside.
#include "../cuda/common.h"

static cudaSurfaceObject_t surface_of(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}

template <class T>
static cudaArray_t array_of(int w, int h, int n, unsigned flags) {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
  cudaArray_t a;
  CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, n), flags | cudaArraySurfaceLoadStore));
  return a;
}

template <class T>
static void get(T *out, cudaArray_t a, int w, int h, int n) {
  cudaMemcpy3DParms p = {};
  p.srcArray = a;
  p.dstPtr = make_cudaPitchedPtr(out, w * sizeof(T), w, h);
  p.extent = make_cudaExtent(w, h, n);
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
}

// ---- pixels turned upside down, in another array ----

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
  if (x >= w) return;
  uchar4 p = surf2Dread<uchar4>(from, x * (int)sizeof(uchar4), y);
  p.w = (unsigned char)(p.w + 1);
  surf2Dwrite(p, to, x * (int)sizeof(uchar4), h - 1 - y);
}

static void pixels() {
  enum { W = 45, H = 21 };
  static uchar4 in[W * H], out[W * H];
  for (int i = 0; i < W * H; i++) {
    unsigned v = random_int();
    in[i] = make_uchar4(v & 255, v >> 8 & 255, v >> 16 & 255, v >> 4 & 255);
  }
  cudaArray_t a = array_of<uchar4>(W, H, 0, 0), b = array_of<uchar4>(W, H, 0, 0);
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in / H, sizeof in / H, H, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t s = surface_of(a), t = surface_of(b);
  turn<<<dim3((W + 31) / 32, H), 32>>>(s, t, W, H);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2DFromArray(out, sizeof out / H, b, 0, 0, sizeof out / H, H, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < W * H; i++) {
    uchar4 want = in[(H - 1 - i / W) * W + i % W];
    want.w++;
    wrong += memcmp(&want, &out[i], sizeof want) != 0;
  }
  EXPECT(wrong == 0);
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaDestroySurfaceObject(t));
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
}

// ---- outside ----

__global__ void edges(cudaSurfaceObject_t s, float *out) {
  int x = (int)threadIdx.x - 4;
  out[threadIdx.x] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeClamp);
  out[32 + threadIdx.x] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeZero);
  surf2Dwrite(100.0f, s, x * 4, 9, cudaBoundaryModeZero);  // nothing
  if (threadIdx.x == 0) surf2Dwrite(200.0f, s, 400, 77, cudaBoundaryModeClamp);
}

static void outside() {
  enum { W = 20, H = 6 };
  static float in[W * H], out[W * H], got[64];
  float *device;
  for (int i = 0; i < W * H; i++) in[i] = (float)(i + 1);
  cudaArray_t a = array_of<float>(W, H, 0, 0);
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in / H, sizeof in / H, H, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&device, sizeof got));
  cudaSurfaceObject_t s = surface_of(a);
  edges<<<1, 32>>>(s, device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    int x = i - 4, c = x < 0 ? 0 : x >= W ? W - 1 : x;
    EXPECT(got[i] == in[W + c]);
    EXPECT(got[32 + i] == (x == c ? in[W + x] : 0.0f));
  }
  get(out, a, W, H, 1);
  in[W * H - 1] = 200;
  EXPECT(!memcmp(in, out, sizeof in));
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFree(device));
  CHECK(cudaFreeArray(a));
}

// ---- three dimensions, layers, faces ----

enum { SIDE = 10, DEEP = 6 };
template <int KIND>
__global__ void fill(cudaSurfaceObject_t s) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x;
  int2 v = make_int2(x + 100 * y, z);
  if (KIND == 0) surf3Dwrite(v, s, x * 8, y, z);
  if (KIND == 1) surf2DLayeredwrite(v, s, x * 8, y, z);
  if (KIND == 2) surfCubemapwrite(v, s, x * 8, y, z);
}

template <int KIND>
static void volume(unsigned flags) {
  static int2 out[SIDE * SIDE * DEEP];
  cudaArray_t a = array_of<int2>(SIDE, SIDE, DEEP, flags);
  cudaSurfaceObject_t s = surface_of(a);
  fill<KIND><<<DEEP, dim3(SIDE, SIDE)>>>(s);
  CHECK(cudaGetLastError());
  get(out, a, SIDE, SIDE, DEEP);
  int wrong = 0;
  for (int i = 0; i < SIDE * SIDE * DEEP; i++)
    wrong += out[i].x != i % SIDE + 100 * (i / SIDE % SIDE) || out[i].y != i / (SIDE * SIDE);
  EXPECT(wrong == 0);
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(a));
}

// ---- levels that a kernel makes, each from the one before ----

__global__ void reduce(cudaTextureObject_t from, cudaSurfaceObject_t to, int side) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y;
  if (x >= side || y >= side) return;
  float px = (float)(x + 0.5) / (float)side, py = (float)(y + 0.5) / (float)side;
  surf2Dwrite(tex2D<float>(from, px, py), to, x * 4, y);
}

static void levels() {
  // An image of 64 x 64 floats has higher blocks than one of 32 x 32, which is wider than a block: a level is not laid out as
  // an image of its size would be.
  enum { N = 64, LEVELS = 7 };
  static float in[N * N], out[N * N];
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  cudaArray_t a, b;
  for (int i = 0; i < N * N; i++) in[i] = (float)(random_int() % 1024);
  CHECK(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(N, N, 0), LEVELS)); // without the flag for surfaces, as programs do
  CHECK(cudaGetMipmappedArrayLevel(&a, m, 0));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in, N * sizeof(float), N * sizeof(float), N, cudaMemcpyHostToDevice));
  for (int l = 1; l < LEVELS; l++) {
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    int side = N >> l;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, l - 1));
    CHECK(cudaGetMipmappedArrayLevel(&b, m, l));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    for (auto &mode : how.addressMode) mode = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
    cudaSurfaceObject_t s = surface_of(b);
    reduce<<<1, dim3(32, 32)>>>(t, s, side);
    CHECK(cudaGetLastError());
    get(out, b, side, side, 1);
    int wrong = 0;
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++) {
        float *p = &in[2 * y * 2 * side + 2 * x];
        wrong += out[y * side + x] != (p[0] + p[1] + p[2 * side] + p[2 * side + 1]) / 4;
      }
    EXPECT(wrong == 0);
    memcpy(in, out, sizeof(float) * (size_t)(side * side));
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s));
  }
  CHECK(cudaFreeMipmappedArray(m));
}

// ---- an access outside that is an error, last ----

__global__ void trap(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, (int)threadIdx.x * 4, 0); }

static void trapped() {
  cudaArray_t a = array_of<float>(16, 4, 0, 0);
  trap<<<1, 17>>>(surface_of(a));
  cudaError_t e = cudaDeviceSynchronize();
  EXPECT(e == cudaErrorLaunchFailure || e == cudaErrorIllegalAddress);
}

int main() {
  pixels();
  outside();
  volume<0>(0);
  volume<1>(cudaArrayLayered);
  volume<2>(cudaArrayCubemap);
  levels();
  trapped();
  return done("surfaces");
}

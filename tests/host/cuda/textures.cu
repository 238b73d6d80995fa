// SPDX-License-Identifier: Apache-2.0
// An image that is turned through a texture with a linear filter into a surface, darkened through a table in linear memory, and
// its rows summed through a texture over plain rows. What it prints is the same in every run. The instructions are written
// as PTX, since clang-14 has none of CUDA's functions for textures.
#include "common.h"

__device__ static float4 sample(cudaTextureObject_t t, float x, float y) {
  float4 v;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "l"(t), "f"(x), "f"(y));
  return v;
}
__device__ static float entry(cudaTextureObject_t t, int i) {
  float v, unused[3];
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(v), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
      : "l"(t), "r"(i));
  return v;
}
__device__ static unsigned read_pixel(cudaSurfaceObject_t s, int x, int y) {
  unsigned v;
  asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(v) : "l"(s), "r"(x * 4), "r"(y));
  return v;
}
__device__ static void write_pixel(unsigned v, cudaSurfaceObject_t s, int x, int y) {
  asm volatile("sust.b.2d.b32.zero [%0, {%1, %2}], {%3};" ::"l"(s), "r"(x * 4), "r"(y), "r"(v) : "memory");
}
__host__ __device__ static unsigned byte_of(float v) { return (unsigned)(v * 255.0f + 0.5f); }

enum { W = 48, H = 40, BLOCK = 8 };

// By 90 degrees, half a texel aside in x, so that two texels are mixed.
__global__ void turn(cudaTextureObject_t from, cudaSurfaceObject_t to) {
  int x = (int)(blockIdx.x * BLOCK + threadIdx.x), y = (int)(blockIdx.y * BLOCK + threadIdx.y);
  float4 v = sample(from, (float)y + 1.0f, (float)(H - 1 - x) + 0.5f);
  write_pixel(byte_of(v.x) | byte_of(v.y) << 8 | byte_of(v.z) << 16 | byte_of(v.w) << 24, to, x, y);
}

__global__ void darken(cudaSurfaceObject_t image, cudaTextureObject_t table, float *out) {
  int x = (int)(blockIdx.x * BLOCK + threadIdx.x), y = (int)(blockIdx.y * BLOCK + threadIdx.y);
  unsigned v = read_pixel(image, x, y);
  out[y * H + x] = entry(table, (int)(v & 255)) + entry(table, (int)(v >> 8 & 255)) + entry(table, 256);
}

__global__ void sums(cudaTextureObject_t rows, float *out) {
  int y = (int)threadIdx.x;
  float sum = 0;
  if (y >= W) return;
  for (int x = 0; x < H; x++) sum += sample(rows, (float)x + 0.5f, (float)y + 0.5f).x;
  out[y] = sum;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, cudaTextureFilterMode filter,
                                      cudaTextureReadMode read) {
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int a = 0; a < 3; a++) d.addressMode[a] = cudaAddressModeClamp;
  d.filterMode = filter;
  d.readMode = read;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  return t;
}

static unsigned char pixel[H][W][4];
// The mean of two bytes as the texture makes it: floats from 0 to 1, weights of 1/2.
static unsigned mean(const unsigned char *a, const unsigned char *b) {
  double v = 0.5 * (double)((float)*a / 255.0f) + 0.5 * (double)((float)*b / 255.0f);
  return byte_of((float)v);
}

int main() {
  for (auto &row : pixel)
    for (auto &p : row)
      for (auto &c : p) c = (unsigned char)random_int();
  float table[256];
  for (int i = 0; i < 256; i++) table[i] = (float)(i * i) / 512.0f;

  // The image: an array; where it goes: an array with surface access.
  cudaChannelFormatDesc rgba = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc one = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t image, turned;
  CHECK(cudaMallocArray(&image, &rgba, W, H));
  CHECK(cudaMallocArray(&turned, &rgba, H, W, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(image, 0, 0, pixel, sizeof pixel[0], sizeof pixel[0], H, cudaMemcpyHostToDevice));
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = image;
  cudaTextureObject_t from = texture_of(r, cudaFilterModeLinear, cudaReadModeNormalizedFloat);
  r.res.array.array = turned;
  cudaSurfaceObject_t to;
  CHECK(cudaCreateSurfaceObject(&to, &r));
  turn<<<dim3(H / BLOCK, W / BLOCK), dim3(BLOCK, BLOCK)>>>(from, to);
  CHECK(cudaGetLastError());

  static unsigned char found[W][H][4];
  int wrong = 0;
  CHECK(cudaMemcpy2DFromArray(found, sizeof found[0], turned, 0, 0, sizeof found[0], W, cudaMemcpyDeviceToHost));
  for (int y = 0; y < W; y++)
    for (int x = 0; x < H; x++)
      for (int c = 0; c < 4; c++)
        wrong += found[y][x][c] != mean(&pixel[H - 1 - x][y][c], &pixel[H - 1 - x][y + 1 < W ? y + 1 : y][c]);
  EXPECT(wrong == 0);

  // The table: linear memory; beyond its end there are zeros.
  float *linear, *rows, *sum;
  CHECK(cudaMalloc(&linear, sizeof table));
  CHECK(cudaMemcpy(linear, table, sizeof table, cudaMemcpyHostToDevice));
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = linear;
  r.res.linear.desc = one;
  r.res.linear.sizeInBytes = sizeof table;
  cudaTextureObject_t lookup = texture_of(r, cudaFilterModePoint, cudaReadModeElementType);
  CHECK(cudaMalloc(&rows, W * H * sizeof(float)));
  darken<<<dim3(H / BLOCK, W / BLOCK), dim3(BLOCK, BLOCK)>>>(to, lookup, rows);
  CHECK(cudaGetLastError());

  // Its result: plain rows, read as a texture.
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = rows;
  r.res.pitch2D.desc = one;
  r.res.pitch2D.width = H;
  r.res.pitch2D.height = W;
  r.res.pitch2D.pitchInBytes = H * sizeof(float);
  cudaTextureObject_t plain = texture_of(r, cudaFilterModePoint, cudaReadModeElementType);
  CHECK(cudaMalloc(&sum, W * sizeof(float)));
  sums<<<1, 64>>>(plain, sum);
  CHECK(cudaGetLastError());
  float got[W];
  double all = 0;
  CHECK(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
  for (int y = 0; y < W; y++) {
    float want = 0;
    for (int x = 0; x < H; x++) want += table[found[y][x][0]] + table[found[y][x][1]];
    EXPECT(got[y] == want);
    all += (double)want;
  }
  printf("%d x %d pixels turned, the sum of all is %.3f\n", W, H, all);

  // What cannot be, says so and does no harm.
  cudaTextureObject_t none = 0;
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  r.res.pitch2D.pitchInBytes = 4;
  EXPECT_ERROR(cudaCreateTextureObject(&none, &r, &d, nullptr), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDestroyTextureObject(to), cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaDestroyTextureObject(from));
  CHECK(cudaDestroyTextureObject(lookup));
  CHECK(cudaDestroyTextureObject(plain));
  CHECK(cudaDestroySurfaceObject(to));
  CHECK(cudaFreeArray(image));
  CHECK(cudaFreeArray(turned));
  CHECK(cudaFree(linear));
  CHECK(cudaFree(rows));
  CHECK(cudaFree(sum));
  return done("textures");
}

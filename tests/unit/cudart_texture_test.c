/* SPDX-License-Identifier: Apache-2.0 */
/* cudart_texture_test: the CUDA runtime's arrays and their copies, texture objects and surface objects, without kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "unit/cudart_calls.h"

#define IS(code, call) assert_int_equal(cudaError##code, (call))
#define OK(call) assert_int_equal(cudaSuccess, (call))
#define BAD ((void *)0x123456789a0)

static const cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat},
                                   bytes4 = {8, 8, 8, 8, cudaChannelFormatKindUnsigned},
                                   shorts2 = {16, 16, 0, 0, cudaChannelFormatKindSigned};

static void fill(uint8_t *p, size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)((i * 2654435761u + seed * 40503u) >> 7);
}

/* ---- arrays ---- */

static void formats(void **state) {
  (void)state;
  static const struct {
    cudaChannelFormatDesc d;
    cudaError_t e;
  } cases[] = {
      {{8, 0, 0, 0, cudaChannelFormatKindSigned}, cudaSuccess},
      {{16, 16, 0, 0, cudaChannelFormatKindFloat}, cudaSuccess},
      {{32, 32, 32, 32, cudaChannelFormatKindUnsigned}, cudaSuccess},
      {{8, 8, 0, 0, 6}, cudaSuccess}, /* UnsignedNormalized8X2 */
      {{8, 0, 0, 0, cudaChannelFormatKindFloat}, cudaErrorInvalidChannelDescriptor},
      {{8, 8, 8, 0, cudaChannelFormatKindUnsigned}, cudaErrorInvalidChannelDescriptor},
      {{8, 16, 0, 0, cudaChannelFormatKindUnsigned}, cudaErrorInvalidChannelDescriptor},
      {{0, 0, 0, 0, cudaChannelFormatKindUnsigned}, cudaErrorInvalidChannelDescriptor},
      {{64, 0, 0, 0, cudaChannelFormatKindUnsigned}, cudaErrorInvalidChannelDescriptor},
      {{8, 0, 0, 0, cudaChannelFormatKindNone}, cudaErrorInvalidChannelDescriptor},
      {{8, 0, 0, 0, -1}, cudaErrorInvalidChannelDescriptor},
      {{8, 8, 8, 0, cudaChannelFormatKindNV12}, cudaErrorNotSupported},
      {{8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1}, cudaErrorNotSupported},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    cudaArray_t a = NULL;
    assert_int_equal(cases[i].e, cudaMallocArray(&a, &cases[i].d, 5, 3, 0));
    if (cases[i].e) assert_null(a);
    else OK(cudaFreeArray(a));
  }
}

static void shapes(void **state) {
  (void)state;
  static const struct {
    cudaExtent x;
    unsigned flags;
    cudaError_t e;
  } cases[] = {
      {{7, 0, 0}, 0, cudaSuccess},
      {{7, 5, 0}, cudaArrayTextureGather, cudaSuccess},
      {{7, 5, 3}, cudaArraySurfaceLoadStore, cudaSuccess},
      {{7, 0, 9}, cudaArrayLayered, cudaSuccess},
      {{7, 5, 9}, cudaArrayLayered, cudaSuccess},
      {{6, 6, 6}, cudaArrayCubemap, cudaSuccess},
      {{6, 6, 12}, cudaArrayCubemap | cudaArrayLayered, cudaSuccess},
      {{0, 0, 0}, 0, cudaErrorInvalidValue},
      {{7, 0, 3}, 0, cudaErrorInvalidValue},
      {{7, 5, 0}, cudaArrayLayered, cudaErrorInvalidValue},
      {{6, 5, 6}, cudaArrayCubemap, cudaErrorInvalidValue},
      {{6, 6, 12}, cudaArrayCubemap, cudaErrorInvalidValue},
      {{6, 6, 7}, cudaArrayCubemap | cudaArrayLayered, cudaErrorInvalidValue},
      {{7, 5, 3}, cudaArrayTextureGather, cudaErrorInvalidValue},
      {{7, 5, 0}, 0x1000, cudaErrorInvalidValue},
      {{65537, 5, 0}, 0, cudaErrorInvalidValue},
      {{5, 5, 4097}, 0, cudaErrorInvalidValue},
      {{5, 5, 2049}, cudaArrayLayered, cudaErrorInvalidValue},
      {{(size_t)1 << 40, 5, 0}, 0, cudaErrorInvalidValue},
      {{7, 5, 0}, cudaArraySparse, cudaErrorNotSupported},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    cudaArray_t a = NULL;
    assert_int_equal(cases[i].e, cudaMalloc3DArray(&a, &bytes4, cases[i].x, cases[i].flags));
    if (cases[i].e) continue;
    cudaChannelFormatDesc d;
    cudaExtent x;
    unsigned flags;
    OK(cudaArrayGetInfo(&d, &x, &flags, a));
    assert_memory_equal(&bytes4, &d, sizeof d);
    assert_memory_equal(&cases[i].x, &x, sizeof x);
    assert_int_equal(cases[i].flags, flags);
    OK(cudaFreeArray(a));
  }
}

static void lifetime(void **state) {
  (void)state;
  size_t before, now, total;
  cudaArray_t a, b;
  cudaChannelFormatDesc d;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMallocArray(&a, &floats, 100, 100, 0));
  OK(cudaMemGetInfo(&now, &total));
  assert_true(now <= before - 100 * 100 * sizeof(float));
  OK(cudaGetChannelDesc(&d, a));
  assert_memory_equal(&floats, &d, sizeof d);
  OK(cudaFreeArray(a));
  OK(cudaMemGetInfo(&now, &total));
  assert_int_equal(before, now);
  IS(InvalidValue, cudaFreeArray(a));
  IS(InvalidValue, cudaGetChannelDesc(&d, a));
  IS(InvalidValue, cudaArrayGetInfo(&d, NULL, NULL, BAD));
  OK(cudaFreeArray(NULL));
  OK(cudaMallocArray(&b, &floats, 1, 1, 0));
  assert_ptr_not_equal(a, b); /* an old handle stays void */
  OK(cudaFreeArray(b));
  IS(InvalidValue, cudaMallocArray(NULL, &floats, 1, 1, 0));
  IS(InvalidValue, cudaMallocArray(&b, NULL, 1, 1, 0));
  IS(InvalidValue, cudaMallocArray(&b, &floats, 1, 1, cudaArrayLayered));
  IS(MemoryAllocation, cudaMallocArray(&b, &floats, 60000, 4000, 0));
  d = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindSigned);
  assert_memory_equal(&shorts2, &d, sizeof d);
}

/* ---- copies ---- */

enum { W = 37, H = 19, TEXEL = 4, ROW = W * TEXEL };

static void copies_of_rows(void **state) {
  (void)state;
  enum { PITCH = ROW + 12 };
  static uint8_t in[H * PITCH], out[H * PITCH], want[H * ROW], all[H * ROW];
  cudaArray_t a, b;
  uint8_t *device;
  OK(cudaMallocArray(&a, &bytes4, W, H, 0));
  OK(cudaMallocArray(&b, &shorts2, W, H, 0));
  fill(in, sizeof in, 1);
  OK(cudaMemcpy2DToArray(a, 0, 0, in, PITCH, ROW, H, cudaMemcpyHostToDevice));
  for (unsigned y = 0; y < H; y++) memcpy(want + y * ROW, in + y * PITCH, ROW);
  OK(cudaMemcpy2DFromArray(all, ROW, a, 0, 0, ROW, H, cudaMemcpyDeviceToHost));
  assert_memory_equal(want, all, sizeof all);

  /* A part, by way of device memory */
  OK(cudaMalloc((void **)&device, sizeof out));
  OK(cudaMemcpy2DFromArray(device, PITCH, a, 3 * TEXEL, 5, 11 * TEXEL, 7, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy2DToArray(a, 20 * TEXEL, 2, device, PITCH, 11 * TEXEL, 7, cudaMemcpyDefault));
  for (unsigned y = 0; y < 7; y++)
    memcpy(want + (y + 2) * ROW + 20 * TEXEL, in + (y + 5) * PITCH + 3 * TEXEL, 11 * TEXEL);
  OK(cudaMemcpy2DFromArray(all, ROW, a, 0, 0, ROW, H, cudaMemcpyDefault));
  assert_memory_equal(want, all, sizeof all);
  OK(cudaFree(device));

  /* Between arrays whose texels have the same size */
  OK(cudaMemcpy2DArrayToArray(b, TEXEL, 1, a, 0, 0, ROW - TEXEL, H - 1, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy2DFromArray(out, PITCH, b, TEXEL, 1, ROW - TEXEL, H - 1, cudaMemcpyDeviceToHost));
  for (unsigned y = 0; y < H - 1; y++) assert_memory_equal(want + y * ROW, out + y * PITCH, ROW - TEXEL);

  IS(InvalidValue, cudaMemcpy2DToArray(a, TEXEL, 0, in, PITCH, ROW, H, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2DToArray(a, 0, 1, in, PITCH, ROW, H, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2DToArray(a, 2, 0, in, PITCH, TEXEL, H, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2DToArray(a, 0, 0, in, PITCH, TEXEL + 1, H, cudaMemcpyHostToDevice));
  IS(InvalidPitchValue, cudaMemcpy2DToArray(a, 0, 0, in, ROW - 1, ROW, H, cudaMemcpyHostToDevice));
  IS(InvalidMemcpyDirection, cudaMemcpy2DToArray(a, 0, 0, in, PITCH, ROW, H, cudaMemcpyDeviceToHost));
  IS(InvalidMemcpyDirection, cudaMemcpy2DFromArray(out, PITCH, a, 0, 0, ROW, H, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2DToArray(BAD, 0, 0, in, PITCH, ROW, H, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2DToArray(a, 0, 0, BAD, PITCH, ROW, H, cudaMemcpyHostToDevice));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

/* Bytes that go on from row to row. */
static void copies_of_runs(void **state) {
  (void)state;
  static uint8_t in[H * ROW], out[H * ROW], want[H * ROW];
  cudaArray_t a, b;
  OK(cudaMallocArray(&a, &floats, W, H, 0));
  OK(cudaMallocArray(&b, &floats, W - 4, H + 4, 0));
  fill(in, sizeof in, 2);
  OK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromArray(out, a, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
  assert_memory_equal(in, out, sizeof in);
  memcpy(want, in, sizeof in);
  memcpy(want + 3 * ROW + 5 * TEXEL, in, 2 * ROW + 40 * TEXEL);
  OK(cudaMemcpyToArray(a, 5 * TEXEL, 3, in, 2 * ROW + 40 * TEXEL, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromArray(out, a, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
  assert_memory_equal(want, out, sizeof want);
  OK(cudaMemcpyArrayToArray(b, TEXEL, 2, a, 7 * TEXEL, 1, 5 * ROW, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpyFromArray(out, b, TEXEL, 2, 5 * ROW, cudaMemcpyDeviceToHost));
  assert_memory_equal(want + ROW + 7 * TEXEL, out, 5 * ROW);
  IS(InvalidValue, cudaMemcpyToArray(a, TEXEL, 0, in, sizeof in, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpyToArray(a, 0, 0, in, 3, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpyToArray(a, ROW, 0, in, TEXEL, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpyArrayToArray(b, 0, 0, a, 0, 1, H * ROW, cudaMemcpyDeviceToDevice));
  IS(InvalidMemcpyDirection, cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, ROW, cudaMemcpyHostToDevice));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

static cudaMemcpy3DParms to_array(cudaArray_t a, void *p, cudaExtent x, size_t texel) {
  return (cudaMemcpy3DParms){
      .srcPtr = {p, x.width * texel, x.width, x.height}, .dstArray = a, .extent = x, .kind = cudaMemcpyHostToDevice};
}
static cudaMemcpy3DParms from_array(cudaArray_t a, void *p, cudaExtent x, size_t texel) {
  return (cudaMemcpy3DParms){
      .srcArray = a, .dstPtr = {p, x.width * texel, x.width, x.height}, .extent = x, .kind = cudaMemcpyDeviceToHost};
}

static void copies_of_boxes(void **state) {
  (void)state;
  enum { X = 9, Y = 5, Z = 11 };
  static uint8_t in[X * Y * Z * TEXEL], out[X * Y * Z * TEXEL];
  const cudaExtent x = {X, Y, Z};
  for (unsigned flags = 0; flags <= cudaArrayLayered; flags++) {
    cudaArray_t a, b;
    OK(cudaMalloc3DArray(&a, &shorts2, x, flags));
    OK(cudaMalloc3DArray(&b, &bytes4, x, flags));
    fill(in, sizeof in, 3 + flags);
    cudaMemcpy3DParms p = to_array(a, in, x, TEXEL);
    OK(cudaMemcpy3D(&p));
    cudaMemcpy3DParms between = {.srcArray = a, .dstArray = b, .extent = x, .kind = cudaMemcpyDeviceToDevice};
    OK(cudaMemcpy3D(&between));
    p = from_array(b, out, x, TEXEL);
    OK(cudaMemcpy3D(&p));
    assert_memory_equal(in, out, sizeof in);

    /* A part of it: positions in arrays count texels, those in memory bytes. */
    memset(out, 0, sizeof out);
    p.srcPos = (cudaPos){2, 1, 3};
    p.dstPos = (cudaPos){TEXEL, 2, 1};
    p.extent = (cudaExtent){4, 3, 6};
    OK(cudaMemcpy3D(&p));
    for (unsigned k = 0; k < 6; k++)
      for (unsigned j = 0; j < 3; j++)
        assert_memory_equal(in + (((k + 3) * Y + j + 1) * X + 2) * TEXEL, out + (((k + 1) * Y + j + 2) * X + 1) * TEXEL,
                            4 * TEXEL);
    p.srcPos.z = 6;
    IS(InvalidValue, cudaMemcpy3D(&p));
    p.srcPos = (cudaPos){SIZE_MAX, 0, 0};
    IS(InvalidValue, cudaMemcpy3D(&p));
    p = to_array(a, in, x, TEXEL);
    p.kind = cudaMemcpyDeviceToHost;
    IS(InvalidValue, cudaMemcpy3D(&p));
    p = to_array(a, in, x, TEXEL);
    p.dstPtr = p.srcPtr; /* both an array and a pointer */
    IS(InvalidValue, cudaMemcpy3D(&p));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
  }
}

static void levels(void **state) {
  (void)state;
  static float in[8][32 * 20], out[32 * 20];
  cudaMipmappedArray_t m;
  cudaArray_t level[6], again;
  cudaExtent x;
  OK(cudaMallocMipmappedArray(&m, &floats, (cudaExtent){32, 20, 0}, 99, 0));
  for (unsigned i = 0; i < 6; i++) {
    OK(cudaGetMipmappedArrayLevel(&level[i], m, i));
    OK(cudaArrayGetInfo(NULL, &x, NULL, level[i]));
    assert_int_equal(32 >> i, x.width);
    assert_int_equal(20 >> i ? 20 >> i : 1, x.height);
    fill((uint8_t *)in[i], sizeof in[i], i);
    OK(cudaMemcpy2DToArray(level[i], 0, 0, in[i], x.width * 4, x.width * 4, x.height, cudaMemcpyHostToDevice));
  }
  IS(InvalidValue, cudaGetMipmappedArrayLevel(&again, m, 6));
  OK(cudaGetMipmappedArrayLevel(&again, m, 2));
  assert_ptr_equal(level[2], again);
  for (unsigned i = 0; i < 6; i++) { /* none has overwritten another */
    OK(cudaArrayGetInfo(NULL, &x, NULL, level[i]));
    OK(cudaMemcpy2DFromArray(out, x.width * 4, level[i], 0, 0, x.width * 4, x.height, cudaMemcpyDeviceToHost));
    assert_memory_equal(in[i], out, x.width * 4 * x.height);
  }
  IS(InvalidValue, cudaFreeArray(level[1]));
  IS(InvalidValue, cudaFreeArray(m));
  OK(cudaFreeMipmappedArray(m));
  IS(InvalidValue, cudaFreeMipmappedArray(m));
  IS(InvalidValue, cudaArrayGetInfo(NULL, &x, NULL, level[1]));
}

/* ---- objects ---- */

static cudaResourceDesc of_array(cudaArray_t a) {
  return (cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array = a};
}

static void textures_of_arrays(void **state) {
  (void)state;
  cudaTextureObject_t t, u;
  cudaArray_t a, b;
  OK(cudaMallocArray(&a, &floats, 8, 8, 0));
  OK(cudaMallocArray(&b, &bytes4, 8, 8, 0));
  cudaResourceDesc r = of_array(a), found;
  cudaTextureDesc d = {.addressMode = {1, 2, 3}, .filterMode = 1, .normalizedCoords = 1, .borderColor = {1, 2, 3, 4}},
                  e;
  OK(cudaCreateTextureObject(&t, &r, &d, NULL));
  assert_true(t != 0);
  OK(cudaCreateTextureObject(&u, &r, &d, NULL));
  assert_true(t != u);
  OK(cudaGetTextureObjectResourceDesc(&found, t));
  assert_int_equal(cudaResourceTypeArray, found.resType);
  assert_ptr_equal(a, found.res.array);
  OK(cudaGetTextureObjectTextureDesc(&e, t));
  assert_memory_equal(&d, &e, sizeof d);
  IS(InvalidValue, cudaGetTextureObjectResourceViewDesc(&(cudaResourceViewDesc){0}, t));
  IS(InvalidValue, cudaDestroySurfaceObject(t));
  OK(cudaDestroyTextureObject(t));
  IS(InvalidValue, cudaDestroyTextureObject(t));
  IS(InvalidValue, cudaGetTextureObjectTextureDesc(&e, t));
  OK(cudaDestroyTextureObject(0));
  OK(cudaDestroyTextureObject(u));

  d.addressMode[1] = 4;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  d.addressMode[1] = 0;
  r.resType = 7;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r = of_array(BAD);
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r = of_array(b); /* integers are filtered only as normalized values */
  IS(InvalidFilterSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
  d.readMode = cudaReadModeNormalizedFloat;
  OK(cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaDestroyTextureObject(t));
  d.sRGB = 1;
  IS(NotSupported, cudaCreateTextureObject(&t, &r, &d, NULL));
  IS(InvalidValue, cudaCreateTextureObject(NULL, &r, &d, NULL));
  IS(InvalidValue, cudaCreateTextureObject(&t, NULL, &d, NULL));
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, NULL, NULL));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

static void textures_of_memory(void **state) {
  (void)state;
  enum { BYTES = 4096 };
  cudaTextureObject_t t;
  cudaTextureDesc d = {.filterMode = 1};
  uint8_t *p;
  size_t n;
  OK(cudaMalloc((void **)&p, BYTES));
  cudaResourceDesc r = {.resType = cudaResourceTypeLinear, .res.linear = {p, floats, BYTES}};
  OK(cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaDestroyTextureObject(t));
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, &(cudaResourceViewDesc){.width = 8}));
  r.res.linear.sizeInBytes = BYTES + 4;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r.res.linear.sizeInBytes = 3;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r.res.linear = (struct resource_linear){p + 2, floats, 64};
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r.res.linear = (struct resource_linear){NULL, floats, 64};
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));

  r = (cudaResourceDesc){.resType = cudaResourceTypePitch2D, .res.pitch2D = {p, floats, 30, 32, 128}};
  OK(cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaDestroyTextureObject(t));
  r.res.pitch2D.height = 33;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r.res.pitch2D = (struct resource_pitch){p, floats, 33, 8, 128};
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  r.res.pitch2D = (struct resource_pitch){p, floats, 8, 8, 48};
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaDeviceGetTexture1DLinearMaxWidth(&n, &floats, 0));
  assert_int_equal(1 << 27, n);
  IS(InvalidDevice, cudaDeviceGetTexture1DLinearMaxWidth(&n, &floats, 1));
  OK(cudaFree(p));
}

static void views(void **state) {
  (void)state;
  cudaTextureObject_t t;
  cudaMipmappedArray_t m;
  OK(cudaMallocMipmappedArray(&m, &floats, (cudaExtent){32, 16, 0}, 4, 0));
  cudaResourceDesc r = {.resType = cudaResourceTypeMipmappedArray, .res.mipmap = m};
  cudaTextureDesc d = {.normalizedCoords = 1, .maxMipmapLevelClamp = 3};
  cudaResourceViewDesc v = {.format = 0x16, .width = 16, .height = 8, .firstMipmapLevel = 1, .lastMipmapLevel = 3},
                       found;
  OK(cudaCreateTextureObject(&t, &r, &d, &v));
  OK(cudaGetTextureObjectResourceViewDesc(&found, t));
  assert_memory_equal(&v, &found, sizeof v);
  OK(cudaDestroyTextureObject(t));
  v.format = 0x0d; /* one integer of the same size */
  OK(cudaCreateTextureObject(&t, &r, &d, &v));
  OK(cudaDestroyTextureObject(t));
  v.format = 0x17; /* two floats */
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
  v.format = 0x19;
  IS(NotSupported, cudaCreateTextureObject(&t, &r, &d, &v));
  v.format = 0x16;
  v.lastMipmapLevel = 4;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
  v.lastMipmapLevel = 3;
  v.width = 32;
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
  d.normalizedCoords = 0; /* levels need them */
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaFreeMipmappedArray(m));
}

static void surfaces(void **state) {
  (void)state;
  cudaSurfaceObject_t s;
  cudaArray_t a, b;
  OK(cudaMallocArray(&a, &floats, 8, 8, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&b, &floats, 8, 8, 0)); /* the flag is asked of programs, but not needed */
  cudaResourceDesc r = of_array(a), found;
  OK(cudaCreateSurfaceObject(&s, &r));
  OK(cudaGetSurfaceObjectResourceDesc(&found, s));
  assert_ptr_equal(a, found.res.array);
  IS(InvalidValue, cudaDestroyTextureObject(s));
  OK(cudaDestroySurfaceObject(s));
  IS(InvalidValue, cudaDestroySurfaceObject(s));
  r = of_array(b);
  OK(cudaCreateSurfaceObject(&s, &r));
  OK(cudaDestroySurfaceObject(s));
  r = of_array(BAD);
  IS(InvalidValue, cudaCreateSurfaceObject(&s, &r));
  r.resType = cudaResourceTypeLinear;
  IS(InvalidValue, cudaCreateSurfaceObject(&s, &r));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

static void limits(void **state) {
  (void)state;
  cudaDeviceProp p;
  int v;
  OK(cudaGetDeviceProperties(&p, 0));
  assert_int_equal(65536, p.maxTexture2D[1]);
  assert_int_equal(4096, p.maxTexture3D[2]);
  assert_int_equal(2048, p.maxTexture2DLayered[2]);
  assert_int_equal(16384, p.maxTextureCubemap);
  assert_int_equal(2046, p.maxSurfaceCubemapLayered[1]);
  OK(cudaDeviceGetAttribute(&v, 69, 0)); /* MaxTexture1DLinearWidth */
  assert_int_equal(1 << 27, v);
}

/* What a session has made is void in the next. */
static void after_reset(void **state) {
  (void)state;
  cudaArray_t a;
  cudaTextureObject_t t;
  cudaTextureDesc d = {0};
  OK(cudaMallocArray(&a, &floats, 8, 8, 0));
  cudaResourceDesc r = of_array(a);
  OK(cudaCreateTextureObject(&t, &r, &d, NULL));
  OK(cudaDeviceReset());
  IS(InvalidValue, cudaDestroyTextureObject(t));
  IS(InvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
  IS(InvalidValue, cudaFreeArray(a));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats),
      cmocka_unit_test(shapes),
      cmocka_unit_test(lifetime),
      cmocka_unit_test(copies_of_rows),
      cmocka_unit_test(copies_of_runs),
      cmocka_unit_test(copies_of_boxes),
      cmocka_unit_test(levels),
      cmocka_unit_test(textures_of_arrays),
      cmocka_unit_test(textures_of_memory),
      cmocka_unit_test(views),
      cmocka_unit_test(surfaces),
      cmocka_unit_test(limits),
      cmocka_unit_test(after_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

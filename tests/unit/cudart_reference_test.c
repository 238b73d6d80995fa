/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_reference_test: texture and surface references, which the library of CUDA 11 alone has: bound to memory and arrays, changed
 * while they are bound, unbound. Kernels are PTX as nvcc 11 writes it. Linked against libcudart.so.11.0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cudart_calls.h"

#define IS(code, call) assert_int_equal(cudaError##code, (call))
#define OK(call) assert_int_equal(cudaSuccess, (call))

void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm,
                           int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim,
                           int external);
cudaError_t cudaBindTexture(size_t *offset, const textureReference *t, const void *p, const cudaChannelFormatDesc *d,
                            size_t bytes);
cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *t, const void *p, const cudaChannelFormatDesc *d,
                              size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const textureReference *t, cudaArray_t a, const cudaChannelFormatDesc *d);
cudaError_t cudaUnbindTexture(const textureReference *t);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *t);
cudaError_t cudaGetTextureReference(const textureReference **out, const void *symbol);
cudaError_t cudaBindSurfaceToArray(const surfaceReference *s, cudaArray_t a, const cudaChannelFormatDesc *d);
cudaError_t cudaGetSurfaceReference(const surfaceReference **out, const void *symbol);

/* ---- a program ---- */

static const char ptx[] =
    ".version 6.5\n.target sm_52\n.address_size 64\n"
    ".global .texref table;\n.global .texref picture;\n.global .texref bytes;\n.global .surfref canvas;\n"
    /* out[i] = table[i - 2] */
    ".visible .entry look_up(.param .u64 out) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d0, [out]; cvta.to.global.u64 %d1, %d0; mov.u32 %r0, %tid.x; sub.s32 %r1, %r0, 2;\n"
    "  tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [table, {%r1}];\n"
    "  mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2; ret;\n}\n"
/* out[i] = NAME(i / 2, 0.5) */
#define SAMPLE(entry, name)                                                             \
  ".visible .entry " entry                                                              \
  "(.param .u64 out) {\n"                                                               \
  "  .reg .b32 %r<2>; .reg .f32 %f<8>; .reg .b64 %d<4>;\n"                              \
  "  ld.param.u64 %d0, [out]; cvta.to.global.u64 %d1, %d0; mov.u32 %r0, %tid.x;\n"      \
  "  cvt.rn.f32.u32 %f0, %r0; mul.f32 %f0, %f0, 0f3F000000; mov.f32 %f1, 0f3F000000;\n" \
  "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [" name                                    \
  ", {%f0, %f1}];\n"                                                                    \
  "  mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2; st.global.f32 [%d3], %f2; ret;\n}\n"
    SAMPLE("sample", "picture") SAMPLE("sample_bytes", "bytes")
    /* canvas[0][i] = i */
    ".visible .entry paint() {\n"
    "  .reg .b32 %r<4>; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, 0;\n"
    "  sust.b.2d.b32.trap [canvas, {%r1, %r2}], {%r0}; ret;\n}\n";

static struct {
  uint32_t magic;
  uint16_t version, header;
  uint64_t size;
  struct {
    uint16_t kind, version;
    uint32_t header;
    uint64_t payload;
    uint32_t packed, options;
    uint16_t minor, major;
    uint32_t target;
    uint64_t name, flags, zero, bytes;
  } entry;
  char text[(sizeof ptx + 7) / 8 * 8];
} container = {.magic = 0xba55ed50,
               .version = 1,
               .header = 16,
               .size = sizeof container - 16,
               .entry = {.kind = 1, .header = 64, .payload = sizeof container.text, .target = 52}};
static struct {
  uint32_t magic, version;
  const void *data, *linked;
} wrapper = {0x466243b1, 1, &container, NULL};

static char look_up, sample, sample_bytes, paint; /* their addresses are the functions' */
static textureReference table, picture, bytes, nobody;
static surfaceReference canvas;
enum { N = 32 };
static void *out;

static int begin(void **state) {
  (void)state;
  setenv("REGTWIN_TIME", "none", 1); /* values alone */
  memcpy(container.text, ptx, sizeof ptx);
  void **handle = __cudaRegisterFatBinary(&wrapper);
  static const struct {
    const char *host, *name;
  } kernels[] = {{&look_up, "look_up"}, {&sample, "sample"}, {&sample_bytes, "sample_bytes"}, {&paint, "paint"}};
  for (unsigned i = 0; i < 4; i++)
    __cudaRegisterFunction(handle, kernels[i].host, NULL, kernels[i].name, -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterTexture(handle, &table, NULL, "table", 1, 0, 0);
  __cudaRegisterTexture(handle, &picture, NULL, "picture", 2, 0, 0);
  __cudaRegisterTexture(handle, &bytes, NULL, "bytes", 2, 1, 0);
  __cudaRegisterSurface(handle, &canvas, NULL, "canvas", 2, 0);
  __cudaRegisterFatBinaryEnd(handle);
  OK(cudaMalloc(&out, N * 4));
  return 0;
}

static cudaError_t run(const char *kernel) {
  void *args[] = {&out};
  return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){N, 1, 1}, args, 0, NULL);
}
static const void *result(void) {
  static uint32_t host[N];
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  return host;
}

static const cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned},
                                   floats = {32, 0, 0, 0, cudaChannelFormatKindFloat},
                                   chars = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

/* ---- tests ---- */

static void linear_memory(void **state) {
  (void)state;
  enum { M = 20 };
  int32_t in[M];
  void *p;
  size_t offset = 99;
  const textureReference *found;
  for (int i = 0; i < M; i++) in[i] = 1000 - 77 * i;
  OK(cudaMalloc(&p, sizeof in));
  OK(cudaMemcpy(p, in, sizeof in, cudaMemcpyHostToDevice));
  IS(InvalidValue, run(&look_up)); /* nothing is bound: an error of the launch, not of the device */
  IS(InvalidTextureBinding, cudaGetTextureAlignmentOffset(&offset, &table));
  OK(cudaGetTextureReference(&found, &table));
  assert_ptr_equal(&table, found);
  for (unsigned from = 0; from < 2; from++) { /* the second time without a size: to the end of the buffer */
    OK(cudaBindTexture(&offset, &table, (int32_t *)p + from, &ints, from ? UINT_MAX : sizeof in));
    assert_int_equal(0, offset);
    OK(run(&look_up));
    const int32_t *got = result();
    for (int i = 0; i < N; i++) {
      const int k = i - 2 + (int)from;
      assert_int_equal(k >= (int)from && k < M ? in[k] : 0, got[i]);
    }
  }
  OK(cudaGetTextureAlignmentOffset(&offset, &table));
  OK(cudaUnbindTexture(&table));
  OK(cudaUnbindTexture(&table));
  IS(InvalidValue, run(&look_up));
  IS(InvalidTexture, cudaBindTexture(&offset, &nobody, p, &ints, sizeof in));
  IS(InvalidTexture, cudaUnbindTexture(&nobody));
  IS(InvalidTexture, cudaGetTextureReference(&found, &canvas));
  IS(InvalidValue, cudaBindTexture(&offset, &table, p, &ints, sizeof in + 4096));
  IS(InvalidValue, cudaBindTexture(&offset, &table, p, NULL, sizeof in));
  OK(cudaFree(p));
}

/* Of a row of floats: point, linear, and what is changed while it is bound. */
static void changed_while_bound(void **state) {
  (void)state;
  enum { W = 12 };
  float in[W];
  cudaArray_t a;
  for (int i = 0; i < W; i++) in[i] = (float)(i * i);
  OK(cudaMallocArray(&a, &floats, W, 1, 0));
  OK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
  picture.addressMode[0] = picture.addressMode[1] = 1; /* clamp */
  OK(cudaBindTextureToArray(&picture, a, &floats));
  for (int filter = 0; filter < 2; filter++) {
    picture.filterMode = filter;
    OK(run(&sample));
    const float *got = result();
    for (int i = 0; i < N; i++) {
      float want;
      if (!filter) want = in[i / 2 < W ? i / 2 : W - 1];
      else { /* at i / 2 - 1 / 2: a texel, or the middle of two */
        const int k = (i - 1) >> 1, left = k < 0 ? 0 : k < W ? k : W - 1, right = k + 1 < W ? k + 1 : W - 1;
        want = i & 1 ? in[left] : (in[left] + in[right]) / 2;
      }
      assert_true(got[i] == want);
    }
  }
  picture.normalized = 1;
  picture.filterMode = 0;
  picture.addressMode[0] = 0; /* wrap: 0, 1/2, 1, 3/2, ... of the width */
  OK(run(&sample));
  const float *got = result();
  for (int i = 0; i < N; i++) assert_true(got[i] == in[i & 1 ? W / 2 : 0]);
  picture.addressMode[0] = 9;
  IS(InvalidValue, run(&sample));
  picture.addressMode[0] = 0;
  OK(run(&sample));
  OK(cudaFreeArray(a));
}

/* Bytes read as floats, since the texture was registered so. */
static void normalized_rows(void **state) {
  (void)state;
  enum { W = 16, PITCH = 32 };
  uint8_t in[W];
  void *p;
  for (int i = 0; i < W; i++) in[i] = (uint8_t)(17 * i);
  OK(cudaMalloc(&p, 2 * PITCH));
  OK(cudaMemcpy(p, in, sizeof in, cudaMemcpyHostToDevice));
  bytes.addressMode[0] = bytes.addressMode[1] = 1;
  OK(cudaBindTexture2D(NULL, &bytes, p, &chars, W, 1, PITCH));
  OK(run(&sample_bytes));
  const float *got = result();
  for (int i = 0; i < N; i++) assert_true(got[i] == (float)in[i / 2] / 255.0f);
  IS(InvalidValue, cudaBindTexture2D(NULL, &bytes, p, &chars, W, 9, PITCH));
  IS(InvalidValue, cudaBindTexture2D(NULL, &bytes, p, &chars, W, 1, 20));
  OK(cudaFree(p));
}

static void surface(void **state) {
  (void)state;
  cudaArray_t a;
  uint32_t got[N];
  const surfaceReference *found;
  IS(InvalidValue, run(&paint));
  OK(cudaMallocArray(&a, &ints, N, 1, cudaArraySurfaceLoadStore));
  OK(cudaGetSurfaceReference(&found, &canvas));
  assert_ptr_equal(&canvas, found);
  OK(cudaBindSurfaceToArray(&canvas, a, &ints));
  OK(run(&paint));
  OK(cudaMemcpyFromArray(got, a, 0, 0, sizeof got, cudaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < N; i++) assert_int_equal(i, got[i]);
  IS(InvalidValue, cudaBindSurfaceToArray(&canvas, out, &ints));
  IS(InvalidSurface, cudaBindSurfaceToArray((const surfaceReference *)&table, a, &ints));
  OK(cudaFreeArray(a));
}

/* A new session has nothing bound. */
static void after_reset(void **state) {
  (void)state;
  OK(cudaDeviceReset());
  OK(cudaMalloc(&out, N * 4));
  IS(InvalidValue, run(&sample_bytes));
  IS(InvalidValue, run(&paint));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_memory), cmocka_unit_test(changed_while_bound), cmocka_unit_test(normalized_rows),
      cmocka_unit_test(surface),       cmocka_unit_test(after_reset),
  };
  return cmocka_run_group_tests(tests, begin, NULL);
}

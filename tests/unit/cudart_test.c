/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_test: the CUDA runtime library as a program sees it (build/host/libcudart.so.13), without nvcc: memory, copies, symbols, streams,
 * events, properties, errors. Kernels come from a fat binary that is written here, with PTX as it is.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/cudart_calls.h"

#define IS(code, call) assert_int_equal(cudaError##code, (call))
#define OK(call) assert_int_equal(cudaSuccess, (call))
#define BAD ((void *)0x123456789a0)

/* ---- a program's fat binary ---- */

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};\n"
    ".visible .global .align 4 .u32 both = 5;\n"
    /* out[i] = value + table[2] + counter + both */
    ".visible .entry fill(.param .u64 out, .param .u32 value) {\n"
    "  .reg .u64 %p, %q; .reg .u32 %v, %t, %i;\n"
    "  ld.param.u64 %p, [out]; ld.param.u32 %v, [value]; mov.u32 %i, %tid.x;\n"
    "  ld.const.u32 %t, [table+8]; add.u32 %v, %v, %t;\n"
    "  ld.global.u32 %t, [counter]; add.u32 %v, %v, %t;\n"
    "  ld.global.u32 %t, [both]; add.u32 %v, %v, %t;\n"
    "  mul.wide.u32 %q, %i, 4; add.u64 %p, %p, %q; st.global.u32 [%p], %v; ret;\n}\n"
    ".visible .entry fault() {\n  .reg .u64 %p; mov.u64 %p, 0; st.global.u32 [%p], 1; ret;\n}\n";

static struct {
  uint32_t magic;
  uint16_t version, header;
  uint64_t bytes;
  struct {
    uint16_t kind, version;
    uint32_t header;
    uint64_t payload;
    uint32_t packed, name;
    uint16_t minor, major;
    uint32_t target;
    uint32_t unused[2];
    uint64_t flags, zero, bytes;
  } entry;
  char text[sizeof ptx];
} fatbin;
static struct {
  uint32_t magic, version;
  void *data, *unused;
} wrapper = {0x466243b1, 1, &fatbin, NULL};
static char fill, fault, counter, table; /* what the host has of kernels and variables: their addresses */
static void *both;
static void **binary;

static int start(void **state) {
  (void)state;
  memcpy(fatbin.text, ptx, sizeof ptx);
  fatbin.magic = 0xba55ed50, fatbin.version = 1, fatbin.header = 16, fatbin.bytes = sizeof fatbin - 16;
  fatbin.entry.kind = 1, fatbin.entry.version = 0x101, fatbin.entry.header = 64;
  fatbin.entry.payload = sizeof fatbin.text, fatbin.entry.target = 70;
  _Static_assert(sizeof fatbin.entry == 64, "header of an entry");
  fatbin.bytes = 64 + sizeof fatbin.text;
  binary = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(binary, &fill, "fill", "fill", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(binary, &fault, "fault", "fault", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(binary, &counter, "counter", "counter", 0, 4, 0, 0);
  __cudaRegisterVar(binary, &table, "table", "table", 0, 16, 1, 0);
  __cudaRegisterManagedVar(binary, &both, "both", "both", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(binary);
  return 0;
}

static int stop(void **state) {
  (void)state;
  __cudaUnregisterFatBinary(binary);
  return 0;
}

/* Each test has a session of its own. */
static int renew(void **state) {
  (void)state;
  return cudaDeviceReset();
}

static cudaError_t launch(void *out, uint32_t value, unsigned threads) {
  void *args[] = {&out, &value};
  return cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, args, 0, NULL);
}

/* ---- memory ---- */

static void memory(void **state) {
  (void)state;
  void *a, *b;
  size_t before, after, total;
  OK(cudaMemGetInfo(&before, &total));
  assert_true(before <= total && total > 700u << 20);
  OK(cudaMalloc(&a, 1000));
  OK(cudaMalloc(&b, 1));
  assert_true(a && b && a != b && (uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0);
  OK(cudaMemGetInfo(&after, &total));
  assert_true(after < before);
  OK(cudaFree(a));
  IS(InvalidValue, cudaFree(a));
  IS(InvalidValue, cudaFree((char *)b + 1));
  IS(InvalidValue, cudaFree(&a));
  OK(cudaFree(b));
  OK(cudaFree(NULL));
  OK(cudaMemGetInfo(&after, &total));
  assert_int_equal(before, after);
  OK(cudaMalloc(&a, 0));
  assert_null(a);
  IS(InvalidValue, cudaMalloc(NULL, 4));
  IS(InvalidValue, cudaMemGetInfo(NULL, &total));
  IS(MemoryAllocation, cudaMalloc(&a, total + 1));
  assert_null(a);
  IS(MemoryAllocation, cudaMalloc(&a, SIZE_MAX));
  IS(MemoryAllocation, cudaMalloc(&a, (size_t)1 << 32));
  IS(MemoryAllocation, cudaGetLastError());
  OK(cudaGetLastError());
}

static void pitched(void **state) {
  (void)state;
  void *p;
  size_t pitch;
  cudaPitchedPtr box;
  OK(cudaMallocPitch(&p, &pitch, 513, 3));
  assert_int_equal(1024, pitch);
  OK(cudaMemset2D(p, pitch, 1, 513, 3));
  IS(InvalidValue, cudaMemset2D(p, pitch, 1, 513, 4));
  OK(cudaMalloc3D(&box, (cudaExtent){10, 3, 2}));
  assert_true(box.pitch == 512 && box.xsize == 10 && box.ysize == 3);
  OK(cudaMallocPitch(&p, &pitch, 0, 3));
  assert_null(p);
  IS(InvalidValue, cudaMallocPitch(&p, NULL, 1, 1));
  IS(InvalidValue, cudaMalloc3D(NULL, (cudaExtent){1, 1, 1}));
  IS(MemoryAllocation, cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
  IS(MemoryAllocation, cudaMallocPitch(&p, &pitch, 1 << 20, SIZE_MAX / 4));
  IS(MemoryAllocation, cudaMalloc3D(&box, (cudaExtent){1, SIZE_MAX / 2, 3}));
}

static void copies(void **state) {
  (void)state;
  enum { N = 64 };
  uint8_t in[N], out[N];
  uint8_t *a, *b;
  for (unsigned i = 0; i < N; i++) in[i] = (uint8_t)(i + 1);
  OK(cudaMalloc((void **)&a, N));
  OK(cudaMalloc((void **)&b, N));
  OK(cudaMemcpy(a, in, N, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b + 8, a + 4, 16, cudaMemcpyDeviceToDevice)); /* into the middle of a buffer */
  OK(cudaMemcpyAsync(out, b + 8, 16, cudaMemcpyDeviceToHost, NULL));
  assert_memory_equal(in + 4, out, 16);
  OK(cudaMemcpy(a + 1, a, N - 1, cudaMemcpyDeviceToDevice)); /* they overlap */
  OK(cudaMemcpy_ptds(out, a, N, cudaMemcpyDefault));
  assert_memory_equal(in, out + 1, N - 1);
  OK(cudaMemcpy(out, in, N, cudaMemcpyHostToHost));
  assert_memory_equal(in, out, N);
  OK(cudaMemcpyPeer(a, 0, in, 0, N));
  OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
  IS(InvalidDevice, cudaMemcpyPeer(a, 0, in, 1, N));
  IS(InvalidMemcpyDirection, cudaMemcpy(a, in, N, 5));
  IS(InvalidValue, cudaMemcpy(a, in, N + 1, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy(a + 60, in, 8, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy(a, in, SIZE_MAX, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy(NULL, in, N, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy(a, NULL, N, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy(out, BAD, N, cudaMemcpyDeviceToHost));
  IS(InvalidValue, cudaMemcpy(out, BAD, N, cudaMemcpyDefault));
  IS(InvalidValue, cudaMemcpy(in, a, N, cudaMemcpyHostToDevice)); /* the wrong way round */
  void *closed = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  IS(InvalidValue, cudaMemcpy(a, closed, N, cudaMemcpyHostToDevice)); /* there, but without rights */
  munmap(closed, 1 << 16);
  IS(InvalidResourceHandle, cudaMemcpyAsync(a, in, N, cudaMemcpyHostToDevice, BAD));
  OK(cudaMemset(a + 3, 0x1ab, 2)); /* the low byte counts */
  OK(cudaMemcpy(out, a, 6, cudaMemcpyDeviceToHost));
  assert_memory_equal(((uint8_t[]){1, 2, 3, 0xab, 0xab, 6}), out, 6);
  IS(InvalidValue, cudaMemset(a, 0, N + 1));
  IS(InvalidValue, cudaMemset(in, 0, N));
  OK(cudaMemset(NULL, 0, 0));
  IS(InvalidResourceHandle, cudaMemsetAsync(a, 0, 1, BAD));
}

static void copies_of_rows(void **state) {
  (void)state;
  uint8_t in[3][8], out[3][5];
  uint8_t *a;
  size_t pitch;
  for (unsigned i = 0; i < sizeof in; i++) in[i / 8][i % 8] = (uint8_t)i;
  OK(cudaMallocPitch((void **)&a, &pitch, 5, 3));
  OK(cudaMemcpy2D(a, pitch, &in[0][2], 8, 5, 3, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(out, 5, a, pitch, 5, 3, cudaMemcpyDefault));
  for (unsigned y = 0; y < 3; y++) assert_memory_equal(&in[y][2], out[y], 5);
  IS(InvalidPitchValue, cudaMemcpy2D(a, pitch, in, 4, 5, 3, cudaMemcpyHostToDevice));
  IS(InvalidPitchValue, cudaMemset2D(a, 4, 0, 5, 3));
  IS(InvalidValue, cudaMemcpy2D(a, pitch, in, 8, 5, 4, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpy2D(a, SIZE_MAX / 2, in, 8, 5, 4, cudaMemcpyHostToDevice));
  IS(InvalidMemcpyDirection, cudaMemcpy2D(a, pitch, in, 8, 5, 3, 9));
  OK(cudaMemcpy2D(NULL, 0, NULL, 0, 0, 3, cudaMemcpyHostToDevice));
}

static void copies_of_boxes(void **state) {
  (void)state;
  enum { X = 4, Y = 3, Z = 2 };
  uint8_t in[Z][Y][X], out[Z][Y][X] = {0};
  cudaPitchedPtr d;
  for (unsigned i = 0; i < sizeof in; i++) (&in[0][0][0])[i] = (uint8_t)(i + 1);
  OK(cudaMalloc3D(&d, (cudaExtent){X, Y, Z}));
  cudaMemcpy3DParms p = {.srcPtr = {in, X, X, Y}, .dstPtr = d, .extent = {X, Y, Z}, .kind = cudaMemcpyHostToDevice};
  OK(cudaMemcpy3D(&p));
  OK(cudaMemset3D((cudaPitchedPtr){(char *)d.ptr + 1, d.pitch, X, Y}, 0, (cudaExtent){1, 1, Z}));
  cudaMemcpy3DParms q = {.srcPtr = d,
                         .srcPos = {1, 0, 0},
                         .dstPtr = {out, X, X, Y},
                         .dstPos = {1, 0, 0},
                         .extent = {X - 1, Y, Z},
                         .kind = cudaMemcpyDeviceToHost};
  OK(cudaMemcpy3D(&q));
  for (unsigned z = 0; z < Z; z++)
    for (unsigned y = 0; y < Y; y++)
      for (unsigned x = 0; x < X; x++) assert_int_equal(x && (x != 1 || y) ? in[z][y][x] : 0, out[z][y][x]);
  cudaMemcpy3DPeerParms r = {.srcPtr = d, .dstPtr = {out, X, X, Y}, .extent = {X, Y, Z}};
  OK(cudaMemcpy3DPeer(&r));
  r.dstDevice = 1;
  IS(InvalidDevice, cudaMemcpy3DPeer(&r));
  IS(InvalidValue, cudaMemcpy3D(NULL));
  q.extent.width = X;
  IS(InvalidPitchValue, cudaMemcpy3D(&q)); /* goes past the row in `out` */
  q = p;
  q.extent.depth = Z + 1;
  IS(InvalidValue, cudaMemcpy3D(&q));
  q = p;
  q.dstPos.z = SIZE_MAX / 512;
  IS(InvalidValue, cudaMemcpy3D(&q));
  q = p;
  q.srcArray = BAD;
  IS(InvalidValue, cudaMemcpy3D(&q));
}

/* ---- variables ---- */

static void symbols(void **state) {
  (void)state;
  uint32_t v = 40, got[4];
  void *at, *out;
  size_t n;
  OK(cudaMemcpyFromSymbol(got, &counter, 4, 0, cudaMemcpyDeviceToHost));
  assert_int_equal(7, got[0]);
  OK(cudaMemcpyToSymbol(&counter, &v, 4, 0, cudaMemcpyHostToDevice));
  v = 300;
  OK(cudaMemcpyToSymbol(&table, &v, 4, 8, cudaMemcpyDefault));
  OK(cudaMalloc(&out, 16));
  OK(launch(out, 1000, 4));
  OK(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 4; i++) assert_int_equal(1000 + 300 + 40 + 5, got[i]);
  OK(cudaGetSymbolSize(&n, &table));
  assert_int_equal(16, n);
  OK(cudaGetSymbolAddress(&at, &counter));
  OK(cudaMemcpy(got, at, 4, cudaMemcpyDeviceToHost));
  assert_int_equal(40, got[0]);
  OK(cudaGetSymbolAddress(&at, &table)); /* constant memory, too */
  OK(cudaMemcpy(got, at, 16, cudaMemcpyDefault));
  assert_true(got[0] == 1 && got[2] == 300);
  IS(InvalidValue, cudaMemcpy(got, (char *)at + 65536, 4, cudaMemcpyDefault));
  IS(InvalidSymbol, cudaGetSymbolAddress(&at, &v));
  IS(InvalidSymbol, cudaGetSymbolSize(&n, NULL));
  IS(InvalidValue, cudaGetSymbolSize(NULL, &table));
  IS(InvalidValue, cudaMemcpyToSymbol(&counter, got, 8, 0, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpyToSymbol(&counter, got, 4, SIZE_MAX, cudaMemcpyHostToDevice));
  IS(InvalidMemcpyDirection, cudaMemcpyToSymbol(&counter, got, 4, 0, cudaMemcpyDeviceToHost));
  IS(InvalidMemcpyDirection, cudaMemcpyFromSymbol(got, &counter, 4, 0, cudaMemcpyHostToDevice));
  IS(InvalidValue, cudaMemcpyFromSymbol(NULL, &counter, 4, 0, cudaMemcpyDeviceToHost));
}

/* A library that is closed again (dlclose) takes its variables along. */
static void closed_library(void **state) {
  (void)state;
  static char other;
  uint32_t v;
  void *at;
  void **library = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterVar(library, &other, "table", "table", 0, 16, 1, 0);
  __cudaRegisterFatBinaryEnd(library);
  OK(cudaGetSymbolAddress(&at, &other));
  OK(cudaMemcpy(&v, at, 4, cudaMemcpyDeviceToHost));
  assert_int_equal(1, v);
  __cudaUnregisterFatBinary(library);
  IS(InvalidValue, cudaMemcpy(&v, at, 4, cudaMemcpyDeviceToHost));
  IS(InvalidSymbol, cudaGetSymbolAddress(&at, &other));
  OK(cudaGetSymbolAddress(&at, &table)); /* the program's own is there */
}

/* Threads share the session; each has its own last error. */
static void *use(void *ctx) {
  unsigned value = *(unsigned *)ctx;
  for (unsigned i = 0; i < 200; i++) {
    uint32_t in[16], out[16];
    void *p;
    cudaEvent_t e;
    cudaStream_t s;
    for (unsigned j = 0; j < 16; j++) in[j] = value + i + j;
    if (cudaMalloc(&p, sizeof in) || cudaStreamCreate(&s) || cudaEventCreate(&e)) return ctx;
    if (cudaMemcpyAsync(p, in, sizeof in, cudaMemcpyHostToDevice, s) || cudaEventRecord(e, s)) return ctx;
    if (cudaMemcpyAsync(out, p, sizeof in, cudaMemcpyDeviceToHost, s) || memcmp(in, out, sizeof in) != 0) return ctx;
    if (cudaEventDestroy(e) || cudaStreamDestroy(s) || cudaFree(p)) return ctx;
    if (value % 2 && (cudaFree(&value) != cudaErrorInvalidValue || cudaGetLastError() != cudaErrorInvalidValue))
      return ctx;
    if (cudaGetLastError()) return ctx;
  }
  return NULL;
}
static void threads(void **state) {
  (void)state;
  enum { N = 6 };
  pthread_t t[N];
  unsigned value[N];
  size_t before, after, total;
  OK(cudaMemGetInfo(&before, &total));
  for (unsigned i = 0; i < N; i++) {
    value[i] = 1001 * i;
    assert_int_equal(0, pthread_create(&t[i], NULL, use, &value[i]));
  }
  for (unsigned i = 0; i < N; i++) {
    void *failed;
    pthread_join(t[i], &failed);
    assert_null(failed);
  }
  OK(cudaMemGetInfo(&after, &total));
  assert_int_equal(before, after);
}

/* ---- memory that the host shares ---- */

static void managed(void **state) {
  (void)state;
  uint32_t *p;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                  none = {cudaMemLocationTypeDevice, 3};
  int v[2];
  OK(cudaMallocManaged((void **)&p, 64, 1));
  p[15] = 1;
  OK(launch(p, 100, 8));
  assert_true(p[0] == 100 + 3 + 7 + 5 && p[7] == p[0] && p[15] == 1);
  __cudaInitModule(binary);
  assert_int_equal(5, *(uint32_t *)both);
  *(uint32_t *)both = 50;
  OK(launch(p, 0, 1));
  assert_int_equal(3 + 7 + 50, p[0]);
  OK(cudaMemPrefetchAsync(p, 64, here, 0, NULL));
  OK(cudaMemPrefetchAsync(p + 1, 4, host, 0, NULL));
  OK(cudaMemPrefetchAsync(both, 4, here, 0, NULL));
  IS(InvalidValue, cudaMemPrefetchAsync(p, 65, here, 0, NULL));
  IS(InvalidDevice, cudaMemPrefetchAsync(p, 4, none, 0, NULL));
  OK(cudaMemAdvise(p, 64, 1, none)); /* read mostly: without a place */
  OK(cudaMemAdvise(p, 64, 3, host));
  IS(InvalidDevice, cudaMemAdvise(p, 64, 3, none));
  IS(InvalidValue, cudaMemAdvise(p, 64, 7, here));
  OK(cudaMemRangeGetAttribute(v, 4, 1, p, 64));
  assert_int_equal(0, v[0]);
  OK(cudaMemRangeGetAttribute(v, 8, 3, p, 64));
  assert_true(v[0] == -2 && v[1] == -2);
  IS(InvalidValue, cudaMemRangeGetAttribute(v, 8, 1, p, 64));
  IS(InvalidValue, cudaMemRangeGetAttribute(v, 4, 9, p, 64));
  OK(cudaStreamAttachMemAsync(NULL, p, 0, 4));
  IS(InvalidValue, cudaStreamAttachMemAsync(NULL, v, 0, 4));
  OK(cudaMemcpy(v, p, 4, cudaMemcpyHostToHost)); /* any direction will do */
  OK(cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(p, both, 4, cudaMemcpyHostToDevice));
  assert_int_equal(50, p[0]);
  IS(InvalidValue, cudaMemcpy(p, both, 8, cudaMemcpyHostToDevice)); /* past the variable */
  OK(cudaFree(p));
  IS(InvalidValue, cudaFree(p));
  IS(InvalidValue, cudaMallocManaged((void **)&p, 0, 1));
  IS(InvalidValue, cudaMallocManaged((void **)&p, 4, 7));
}

static void host_memory(void **state) {
  (void)state;
  uint32_t *p, *q, own[64];
  unsigned flags;
  OK(cudaHostAlloc((void **)&p, 64, 2));
  OK(cudaHostGetDevicePointer((void **)&q, p, 0));
  assert_ptr_equal(p, q);
  OK(launch(q, 0, 4));
  assert_int_equal(3 + 7 + 5, p[3]);
  OK(cudaHostGetFlags(&flags, p + 1));
  assert_int_equal(2, flags);
  IS(InvalidValue, cudaFree(p));
  OK(cudaFreeHost(p));
  IS(InvalidValue, cudaFreeHost(p));
  OK(cudaMallocHost((void **)&p, 1 << 20));
  memset(p, 1, 1 << 20);
  OK(cudaMalloc((void **)&q, 64));
  OK(cudaMemcpy(q, p, 64, cudaMemcpyHostToDevice));
  OK(cudaFreeHost(p));
  IS(InvalidValue, cudaFreeHost(q));
  OK(cudaFreeHost(NULL));
  IS(InvalidValue, cudaHostAlloc((void **)&p, 64, 64));
  IS(InvalidValue, cudaMallocHost(NULL, 64));
  IS(MemoryAllocation, cudaMallocHost((void **)&p, SIZE_MAX));
  const int real = dup(2), file = memfd_create("messages", 0);
  char said[512] = "";
  dup2(file, 2);
  OK(cudaMallocHost((void **)&p, (size_t)1 << 30)); /* more than the device has: it comes from the host */
  dup2(real, 2);
  assert_true(pread(file, said, sizeof said - 1, 0) > 0);
  close(file);
  close(real);
  assert_non_null(strstr(said, "regtwin: cudaMallocHost: found 1073741824 bytes, of which the device's memory has "));
  assert_non_null(strstr(said, " free: kernels cannot access this host memory\n"));
  p[(1 << 28) - 1] = 1;
  IS(NotSupported, cudaHostGetDevicePointer((void **)&q, p, 0));
  OK(cudaFreeHost(p));

  OK(cudaHostRegister(own, sizeof own, 0));
  IS(HostMemoryAlreadyRegistered, cudaHostRegister(own + 1, 4, 0));
  IS(NotSupported, cudaHostGetDevicePointer((void **)&q, own, 0));
  IS(InvalidValue, cudaHostGetDevicePointer((void **)&q, &p, 0));
  OK(cudaHostUnregister(own));
  IS(HostMemoryNotRegistered, cudaHostUnregister(own));
  IS(InvalidValue, cudaHostRegister(NULL, 4, 0));
  IS(InvalidValue, cudaHostRegister(own, 0, 0));
  IS(InvalidValue, cudaHostRegister(own, SIZE_MAX, 0));
  IS(InvalidValue, cudaHostRegister(BAD, 4, 0));
}

/* Something of the program lies where the device's memory would. */
static void not_mapped(void **state) {
  (void)state;
  void *in_the_way =
      mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  uint32_t *p, v[4];
  int has = 1;
  unsigned flags;
  assert_ptr_equal((void *)0x20000000, in_the_way);
  IS(NotSupported, cudaMallocManaged((void **)&p, 64, 1));
  IS(NotSupported, cudaHostAlloc((void **)&p, 64, 2));
  OK(cudaDeviceGetAttribute(&has, 83, 0));
  assert_int_equal(0, has);
  OK(cudaHostAlloc((void **)&p, 64, 0));
  p[3] = 9;
  OK(cudaHostGetFlags(&flags, p));
  assert_int_equal(0, flags);
  IS(NotSupported, cudaHostGetDevicePointer((void **)v, p, 0));
  OK(cudaMalloc((void **)&p, 64));
  OK(launch(p, 1, 4));
  OK(cudaMemcpy(v, p, 16, cudaMemcpyDefault));
  assert_int_equal(1 + 3 + 7 + 5, v[3]);
  IS(InvalidValue, cudaMemcpy(v, p, 16, cudaMemcpyHostToDevice)); /* p is no memory of the host */
  OK(cudaMemcpy(in_the_way, p, 16, cudaMemcpyDeviceToHost));      /* but this is */
  assert_int_equal(16, ((uint32_t *)in_the_way)[3]);
  munmap(in_the_way, 4096);
}

static void pointers(void **state) {
  (void)state;
  cudaPointerAttributes a;
  void *p;
  int own;
  OK(cudaMalloc(&p, 64));
  OK(cudaPointerGetAttributes(&a, (char *)p + 5));
  assert_true(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == (char *)p + 5 && !a.hostPointer);
  OK(cudaMallocManaged(&p, 64, 1));
  OK(cudaPointerGetAttributes(&a, p));
  assert_true(a.type == cudaMemoryTypeManaged && a.hostPointer == p && a.devicePointer == p);
  OK(cudaMallocHost(&p, 64));
  OK(cudaPointerGetAttributes(&a, p));
  assert_true(a.type == cudaMemoryTypeHost && a.hostPointer == p);
  OK(cudaPointerGetAttributes(&a, &own));
  assert_true(a.type == cudaMemoryTypeUnregistered && a.device == -2 && a.hostPointer == &own && !a.devicePointer);
  OK(cudaHostRegister(&own, sizeof own, 0));
  OK(cudaPointerGetAttributes(&a, &own));
  assert_int_equal(cudaMemoryTypeHost, a.type);
  IS(InvalidValue, cudaPointerGetAttributes(NULL, p));
}

static void pools(void **state) {
  (void)state;
  cudaMemPool_t first, own;
  struct pool_props props = {.allocType = 1, .location = {cudaMemLocationTypeDevice, 0}};
  struct pool_access access = {.location = {cudaMemLocationTypeDevice, 0}, .flags = 3};
  void *p, *q;
  uint64_t v = 0;
  int flags;
  OK(cudaDeviceGetDefaultMemPool(&first, 0));
  OK(cudaMallocAsync(&p, 1000, NULL));
  OK(cudaMemPoolGetAttribute(first, 7, &v));
  assert_int_equal(1000, v);
  OK(cudaFreeAsync(p, NULL));
  IS(InvalidValue, cudaFreeAsync(p, NULL));
  IS(InvalidValue, cudaFreeAsync(NULL, NULL));
  OK(cudaMemPoolGetAttribute(first, 7, &v));
  assert_int_equal(0, v);
  OK(cudaMemPoolGetAttribute(first, 8, &v));
  assert_int_equal(1000, v);
  v = 0;
  OK(cudaMemPoolSetAttribute(first, 8, &v));
  OK(cudaMemPoolGetAttribute(first, 8, &v));
  assert_int_equal(0, v);
  v = 123;
  OK(cudaMemPoolSetAttribute(first, 4, &v));
  OK(cudaMemPoolGetAttribute(first, 4, &v));
  assert_int_equal(123, v);
  IS(InvalidValue, cudaMemPoolSetAttribute(first, 7, &v));
  IS(InvalidValue, cudaMemPoolSetAttribute(first, 99, &v));
  OK(cudaMemPoolGetAttribute(first, 1, &flags));
  assert_int_equal(1, flags);
  OK(cudaMemPoolCreate(&own, &props));
  OK(cudaDeviceSetMemPool(0, own));
  OK(cudaMallocFromPoolAsync(&p, 10, own, NULL));
  OK(cudaMallocAsync(&q, 10, NULL));
  OK(cudaMemPoolGetAttribute(own, 7, &v));
  assert_int_equal(20, v);
  OK(cudaFree(p));
  OK(cudaMemPoolSetAccess(own, &access, 1));
  OK(cudaMemPoolGetAccess(&flags, own, &access.location));
  assert_int_equal(3, flags);
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaMemPoolDestroy(own));
  IS(InvalidValue, cudaMemPoolDestroy(own));
  IS(InvalidValue, cudaMemPoolDestroy(first));
  IS(InvalidValue, cudaMallocFromPoolAsync(&p, 10, own, NULL));
  OK(cudaFreeAsync(q, NULL)); /* its pool is gone */
  OK(cudaDeviceGetMemPool(&own, 0));
  assert_ptr_equal(first, own);
  IS(InvalidDevice, cudaDeviceGetMemPool(&own, 1));
  IS(InvalidValue, cudaDeviceSetMemPool(0, BAD));
  props.allocType = 0;
  IS(InvalidValue, cudaMemPoolCreate(&own, &props));
  props = (struct pool_props){.allocType = 1, .handleTypes = 1};
  IS(NotSupported, cudaMemPoolCreate(&own, &props));
  IS(InvalidResourceHandle, cudaMallocAsync(&p, 4, BAD));
}

/* ---- streams and events ---- */

static void add_one(void *user) {
  ++*(int *)user;
  cudaDeviceSynchronize(); /* the lock is free */
}
static void add_ten(cudaStream_t s, cudaError_t status, void *user) {
  *(int *)user += status == cudaSuccess && s ? 10 : 1000;
}

static void streams(void **state) {
  (void)state;
  cudaStream_t s, t, old;
  unsigned flags;
  int v, sum = 0;
  unsigned long long id, other;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, 1));
  OK(cudaStreamGetFlags(t, &flags));
  assert_int_equal(1, flags);
  OK(cudaStreamGetFlags(NULL, &flags));
  assert_int_equal(0, flags);
  OK(cudaStreamGetId(s, &id));
  OK(cudaStreamGetId(t, &other));
  assert_true(id != other);
  OK(cudaStreamGetDevice(s, &v));
  assert_int_equal(0, v);
  for (uintptr_t i = 0; i < 3; i++) OK(cudaStreamSynchronize((cudaStream_t)i)); /* the default streams */
  OK(cudaStreamQuery(s));
  OK(cudaStreamQuery_ptsz(s));
  OK(cudaLaunchHostFunc(s, add_one, &sum));
  OK(cudaStreamAddCallback(s, add_ten, &sum, 0));
  assert_int_equal(11, sum);
  IS(InvalidValue, cudaStreamAddCallback(s, add_ten, &sum, 1));
  IS(InvalidValue, cudaLaunchHostFunc(s, NULL, NULL));
  old = s;
  OK(cudaStreamDestroy(s));
  OK(cudaStreamCreate(&s)); /* in the same place, with another handle */
  assert_ptr_not_equal(old, s);
  IS(InvalidResourceHandle, cudaStreamSynchronize(old));
  IS(InvalidResourceHandle, cudaStreamDestroy(old));
  IS(InvalidResourceHandle, cudaStreamDestroy(NULL));
  IS(InvalidResourceHandle, cudaStreamQuery(BAD));
  IS(InvalidResourceHandle, cudaStreamQuery((cudaStream_t)&sum));
  IS(InvalidResourceHandle, cudaLaunchHostFunc(BAD, add_one, &sum));
  IS(InvalidValue, cudaStreamCreate(NULL));
  IS(InvalidValue, cudaStreamCreateWithFlags(&t, 2));
  OK(cudaDeviceReset());
  IS(InvalidResourceHandle, cudaStreamQuery(s)); /* of the session before */
}

static void stream_attributes(void **state) {
  (void)state;
  cudaStream_t s, t;
  int v, least, greatest;
  uint8_t window[32] = {1, 2, 3}, got[32];
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  assert_true(least == 0 && greatest < 0);
  OK(cudaStreamCreateWithPriority(&s, 0, -100)); /* the nearest that there is */
  OK(cudaStreamGetPriority(s, &v));
  assert_int_equal(greatest, v);
  OK(cudaStreamCreate(&t));
  OK(cudaStreamSetAttribute(s, 1, window));
  OK(cudaStreamCopyAttributes(t, s));
  OK(cudaStreamGetAttribute(t, 1, got));
  assert_memory_equal(window, got, sizeof got);
  IS(InvalidValue, cudaStreamGetAttribute(t, 0, got));
  IS(InvalidValue, cudaStreamGetAttribute(t, 1000, got));
  IS(InvalidResourceHandle, cudaStreamGetAttribute(BAD, 1, got));
}

static void events(void **state) {
  (void)state;
  cudaEvent_t a, b, never, untimed;
  float ms = -1, back;
  uint32_t *p;
  OK(cudaMalloc((void **)&p, 4096));
  OK(cudaEventCreate(&a));
  OK(cudaEventCreateWithFlags(&b, 1));
  OK(cudaEventCreate(&never));
  OK(cudaEventCreateWithFlags(&untimed, 2));
  OK(cudaEventRecord(a, NULL));
  OK(cudaEventRecord(b, NULL));
  OK(cudaEventElapsedTime(&ms, a, b));
  assert_true(ms == 0); /* nothing was launched in between */
  OK(launch(p, 1, 64));
  OK(cudaEventRecordWithFlags(b, NULL, 0));
  OK(cudaEventRecord(untimed, NULL));
  OK(cudaEventQuery(b));
  OK(cudaEventQuery(never));
  OK(cudaEventSynchronize(b));
  OK(cudaStreamWaitEvent(NULL, b, 0));
  OK(cudaEventElapsedTime(&ms, a, b));
  assert_true(ms > 0 && ms < 1);
  OK(cudaEventElapsedTime(&back, b, a));
  assert_true(back == -ms);
  IS(InvalidResourceHandle, cudaEventElapsedTime(&ms, a, never));
  IS(InvalidResourceHandle, cudaEventElapsedTime(&ms, untimed, b));
  IS(InvalidValue, cudaEventElapsedTime(NULL, a, b));
  IS(InvalidValue, cudaEventCreate(NULL));
  IS(InvalidValue, cudaEventCreateWithFlags(&a, 8));
  IS(NotSupported, cudaEventCreateWithFlags(&a, 6));
  IS(InvalidResourceHandle, cudaEventRecord(BAD, NULL));
  IS(InvalidResourceHandle, cudaEventRecord(NULL, NULL));
  IS(InvalidResourceHandle, cudaEventRecord(a, BAD));
  OK(cudaEventDestroy(a));
  IS(InvalidResourceHandle, cudaEventDestroy(a));
  IS(InvalidResourceHandle, cudaEventQuery(a));
  IS(InvalidResourceHandle, cudaStreamWaitEvent(NULL, a, 0));
}

/* ---- the device ---- */

static void devices(void **state) {
  (void)state;
  int v = 5;
  char name[16];
  size_t n;
  unsigned flags;
  OK(cudaGetDeviceCount(&v));
  assert_int_equal(1, v);
  OK(cudaGetDevice(&v));
  assert_int_equal(0, v);
  OK(cudaSetDevice(0));
  IS(InvalidDevice, cudaSetDevice(1));
  IS(InvalidDevice, cudaSetDevice(-1));
  OK(cudaInitDevice(0, 0, 0));
  OK(cudaSetValidDevices(&v, 1));
  OK(cudaChooseDevice(&v, name));
  OK(cudaRuntimeGetVersion(&v));
  assert_int_equal(13000, v);
  OK(cudaDriverGetVersion(&v));
  assert_int_equal(13000, v);
  OK(cudaDeviceGetPCIBusId(name, sizeof name, 0));
  OK(cudaDeviceGetByPCIBusId(&v, name));
  OK(cudaDeviceGetByPCIBusId(&v, "01:00.0"));
  IS(InvalidDevice, cudaDeviceGetByPCIBusId(&v, "0000:02:00.0"));
  IS(InvalidValue, cudaDeviceGetByPCIBusId(&v, "there"));
  IS(InvalidValue, cudaDeviceGetPCIBusId(name, 3, 0));
  OK(cudaDeviceGetLimit(&n, 2));
  assert_int_equal(8 << 20, n);
  OK(cudaDeviceSetLimit(2, 1000));
  OK(cudaDeviceGetLimit(&n, 2));
  assert_int_equal(1000, n);
  IS(UnsupportedLimit, cudaDeviceSetLimit(7, 1));
  IS(UnsupportedLimit, cudaDeviceGetLimit(&n, (unsigned)-1));
  OK(cudaDeviceSetCacheConfig(2));
  OK(cudaDeviceGetCacheConfig(&v));
  assert_int_equal(2, v);
  IS(InvalidValue, cudaDeviceSetCacheConfig(4));
  OK(cudaDeviceSetSharedMemConfig(1));
  OK(cudaDeviceGetSharedMemConfig(&v));
  assert_int_equal(1, v);
  OK(cudaSetDeviceFlags(4));
  OK(cudaGetDeviceFlags(&flags));
  assert_int_equal(4 | 8, flags);
  IS(InvalidValue, cudaSetDeviceFlags(3));
  OK(cudaDeviceCanAccessPeer(&v, 0, 0));
  assert_int_equal(0, v);
  IS(InvalidDevice, cudaDeviceCanAccessPeer(&v, 0, 1));
  IS(InvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  IS(PeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
  IS(InvalidDevice, cudaDeviceGetP2PAttribute(&v, 1, 0, 1));
}

static void properties(void **state) {
  (void)state;
  cudaDeviceProp p;
  int v;
  memset(&p, 0xff, sizeof p);
  OK(cudaGetDeviceProperties(&p, 0));
  assert_string_equal("RegTwin gtx980, baseline", p.name);
  assert_true(p.major == 7 && p.minor == 0); /* of the PTX above */
  assert_true(p.multiProcessorCount == 1 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
  assert_true(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == INT32_MAX &&
              p.maxGridSize[2] == 65535);
  assert_true(p.sharedMemPerBlock == 49152 && p.sharedMemPerMultiprocessor == 98304 && p.regsPerBlock == 65536);
  assert_true(p.totalGlobalMem > 700u << 20 && p.l2CacheSize == 2 << 20 && p.memoryBusWidth == 384);
  assert_true(p.managedMemory == 1 && p.unifiedAddressing == 1 && p.reserved[55] == 0);
  OK(cudaDeviceGetAttribute(&v, 13, 0));
  assert_int_equal(1126000, v);
  OK(cudaDeviceGetAttribute(&v, 36, 0)); /* times two transfers of 48 bytes: dram.mbps */
  assert_int_equal(352500, (int64_t)v * 96 / 1000);
#define A(number, name, value) OK(cudaDeviceGetAttribute(&v, number, 0));
#include "host/cudart/attributes.def"
#undef A
  IS(InvalidValue, cudaDeviceGetAttribute(&v, 0, 0));
  IS(InvalidValue, cudaDeviceGetAttribute(&v, 1000, 0));
  IS(InvalidValue, cudaDeviceGetAttribute(NULL, 1, 0));
  IS(InvalidDevice, cudaDeviceGetAttribute(&v, 1, 1));
  IS(InvalidDevice, cudaGetDeviceProperties(&p, 1));
  IS(InvalidValue, cudaGetDeviceProperties(NULL, 0));
}

/* ---- errors ---- */

static void errors(void **state) {
  (void)state;
  int n = 1; /* cudaSuccess */
  assert_string_equal("cudaErrorInvalidValue", cudaGetErrorName(cudaErrorInvalidValue));
  assert_string_equal("cudaSuccess", cudaGetErrorName(cudaSuccess));
  for (int i = 1; i < 1000; i++) {
    bool known = strncmp(cudaGetErrorName((cudaError_t)i), "cudaError", 9) == 0;
    assert_int_equal(known, strcmp(cudaGetErrorString((cudaError_t)i), "unrecognized error code") != 0);
    n += known;
  }
  enum {
    CODES = 1
#define ERROR(number, name, text) +1
#include "host/cudart/errors.def"
#undef ERROR
  };
  assert_int_equal(CODES, n);
  assert_string_equal("unrecognized error code", cudaGetErrorName((cudaError_t)-1));
  OK(cudaGetLastError());
  IS(InvalidDevice, cudaSetDevice(9));
  IS(InvalidDevice, cudaPeekAtLastError());
  OK(cudaDeviceSynchronize()); /* keeps it */
  IS(InvalidDevice, cudaGetLastError());
  OK(cudaGetLastError());
  IS(NotSupported, cudaUserObjectCreate(NULL, NULL, NULL, 1, 1));
}

static void fault_is_sticky(void **state) {
  (void)state;
  void *p;
  int v;
  cudaEvent_t e;
  OK(cudaMalloc(&p, 64));
  OK(cudaLaunchKernel(&fault, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
  IS(IllegalAddress, cudaDeviceSynchronize());
  IS(IllegalAddress, cudaGetLastError());
  IS(IllegalAddress, cudaGetLastError()); /* cannot be cleared */
  IS(IllegalAddress, cudaMalloc(&p, 4));
  IS(IllegalAddress, cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
  IS(IllegalAddress, cudaFree(p));
  IS(IllegalAddress, cudaEventCreate(&e));
  IS(IllegalAddress, launch(p, 1, 1));
  OK(cudaDriverGetVersion(&v));
  OK(cudaDeviceReset());
  OK(cudaGetLastError());
  OK(cudaMalloc(&p, 64));
  OK(launch(p, 1, 1)); /* with its variables as at the beginning */
  OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
  assert_int_equal(1 + 3 + 7 + 5, v);
}

/* The session is the parent's. */
static void forked(void **state) {
  (void)state;
  void *p;
  int status;
  OK(cudaMalloc(&p, 64));
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) _exit(cudaMemset(p, 1, 4) == cudaErrorInitializationError && launch(p, 1, 1) != cudaSuccess ? 0 : 1);
  assert_int_equal(child, waitpid(child, &status, 0));
  assert_int_equal(0, status);
  OK(cudaFree(p));
}

/* What the calls print on standard error, once. */
static void bad_calls(void) {
  char *p;
  OK(cudaMalloc((void **)&p, 64));
  for (int i = 0; i < 3; i++) cudaGetDeviceFlags(NULL);
  cudaStreamSetAttribute(BAD, 1, NULL);
  cudaMemcpy(p + 4, &fill, 61, cudaMemcpyHostToDevice);
  cudaMemcpy(&fill, &table, 1, cudaMemcpyDeviceToHost);
  cudaMemcpy(p, p, 1, cudaMemcpyHostToDevice);
  cudaMemset((void *)0x90000, 0, 1);
  cudaMemset(NULL, 0, 1);
  cudaMemcpyToSymbol(&table, BAD, 8, 12, cudaMemcpyHostToDevice);
}
static void lines(void **state) {
  (void)state;
  static char text[4000];
  FILE *f = tmpfile();
  assert_non_null(f);
  int before = dup(2);
  dup2(fileno(f), 2);
  bad_calls();
  dup2(before, 2);
  close(before);
  rewind(f);
  assert_true(fread(text, 1, sizeof text - 1, f) > 0);
  fclose(f);
  assert_string_equal(
      "regtwin: cudaGetDeviceFlags: an argument has a value that it cannot have\n"
      "regtwin: cudaStreamSetAttribute: a handle is not valid\n"
      "regtwin: cudaMemcpy: the destination: found 61 bytes from device address 0x10004, expected up to 60: the buffer "
      "at 0x10000 has 64\n"
      "regtwin: cudaMemcpy: the source: found a host address, expected a device address\n"
      "regtwin: cudaMemcpy: the source: found a device address, expected a host address\n"
      "regtwin: cudaMemset: the destination: found device address 0x90000, where there is no buffer\n"
      "regtwin: cudaMemset: the destination is NULL\n"
      "regtwin: cudaMemcpyToSymbol: found 8 bytes from byte 12 on, expected bytes of the variable table, which has "
      "16\n",
      text);
}

/* A thread that is cancelled within a call, at its message, ends after it. */
static void *call_and_end(void *unused) {
  (void)unused;
  pthread_cancel(pthread_self());
  cudaHostAlloc(NULL, 64, 3);
  pthread_testcancel();
  return NULL;
}
static void cancelled(void **state) {
  (void)state;
  pthread_t thread;
  void *result = NULL, *p;
  assert_int_equal(0, pthread_create(&thread, NULL, call_and_end, NULL));
  assert_int_equal(0, pthread_join(thread, &result));
  assert_ptr_equal(PTHREAD_CANCELED, result);
  alarm(60); /* the lock is free */
  OK(cudaMalloc(&p, 64));
  alarm(0);
  OK(cudaFree(p));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup(f, renew)
  const struct CMUnitTest tests[] = {TEST(lines),           TEST(memory),
                                     TEST(pitched),         TEST(copies),
                                     TEST(copies_of_rows),  TEST(copies_of_boxes),
                                     TEST(symbols),         TEST(managed),
                                     TEST(host_memory),     TEST(not_mapped),
                                     TEST(pointers),        TEST(pools),
                                     TEST(streams),         TEST(stream_attributes),
                                     TEST(events),          TEST(devices),
                                     TEST(properties),      TEST(errors),
                                     TEST(fault_is_sticky), TEST(closed_library),
                                     TEST(threads),         TEST(forked),
                                     TEST(cancelled)};
  return cmocka_run_group_tests(tests, start, stop);
}

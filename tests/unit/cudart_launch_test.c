/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registration and launches of the CUDA runtime, without a compiler: fat binaries of PTX written here, announced as a program's
 * constructors do. Each test has a process of its own, since the session is the process's.
 */
#define _GNU_SOURCE /* feenableexcept, uselocale */
#include "unit/cudart_program.h"
#include "unit/host_env_kit.h"

/* ---- a fat binary ---- */

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
static const char simple[] = HEAD
    ".visible .global .align 4 .u32 counter = 40;\n"
    ".visible .const .align 4 .u32 factor = 3;\n"
    ".visible .entry fill(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[16]) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;\n"
    "  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [s+8];\n"
    "  mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r0; @%p bra done;\n"
    "  ld.const.u32 %r3, [factor]; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "  cvta.to.global.u64 %d1, %d0; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;\n"
    "  atom.global.add.u32 %r5, [counter], 1;\n"
    "done: ret;\n}\n"
    ".visible .entry hold(.param .u64 p) .maxntid 128, 1, 1 {\n"
    "  .reg .b32 %r<4>; .shared .align 4 .b8 t[1024];\n"
    "  mov.u32 %r0, t; mov.u32 %r1, 5; st.shared.u32 [%r0], %r1; bar.sync 0; ret;\n}\n"
    ".visible .entry trap_it() { trap; ret; }\n"
    ".visible .entry odd(.param .u64 p) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p]; ld.global.u32 %r, [%d+2];\n"
    "  st.global.u32 [%d], %r; ret; }\n"
    ".visible .entry refused(.param .u64 p) { call unknown_function; ret; }\n";

static struct container container;
static struct wrapper wrapper = {0x466243b1, 1, &container, NULL};
/* Their addresses are the functions'. */
static char fill, hold, trap_it, odd, refused, absent, own, counter, factor;
static void **handle;

static void add_function(const char *host, const char *name) {
  __cudaRegisterFunction(handle, host, (char *)(uintptr_t)host, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void announce(unsigned kind, const char *text) {
  pack(&container, kind, text);
  handle = __cudaRegisterFatBinary(&wrapper);
  assert_non_null(handle);
  add_function(&fill, "fill");
  add_function(&hold, "hold");
  add_function(&trap_it, "trap_it");
  add_function(&odd, "odd");
  add_function(&refused, "refused");
  add_function(&absent, "absent");
  __cudaRegisterVar(handle, &counter, &counter, "counter", 0, 4, 0, 0);
  __cudaRegisterVar(handle, &factor, &factor, "factor", 0, 4, 1, 0);
  __cudaRegisterFatBinaryEnd(handle);
}

/* ---- tests ---- */

static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};
struct tail {
  uint64_t a;
  uint32_t b, c;
};

static void *buffer(size_t bytes) {
  void *p = NULL;
  IS(cudaMalloc(&p, bytes), cudaSuccess);
  return p;
}

/* Each value of `fill` is 3 tid + b, for tid below n. */
static cudaError_t launch_fill(void *p, uint32_t n, uint32_t b) {
  struct tail s = {7, b, 9};
  void *args[] = {&p, &n, &s};
  return cudaLaunchKernel(&fill, one, warp, args, 0, NULL);
}

TEST(runs) {
  announce(1, simple);
  CHECK(!*lines()); /* nothing is opened, nothing said */
  uint32_t out[32] = {0}, total = 0;
  void *p = buffer(sizeof out);
  IS(launch_fill(p, 20, 5), cudaSuccess);
  IS(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  for (unsigned i = 0; i < 32; i++) CHECK(out[i] == (i < 20 ? 3 * i + 5 : 0));
  IS(cudaMemcpyFromSymbol(&total, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(total == 60);
  IS(cudaMemcpyFromSymbol(&total, &factor, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(total == 3);
  CHECK(!*lines());
}

/* The form of nvcc 13; both handles are the same kernel. */
TEST(by_handle) {
  announce(1, simple);
  cudaKernel_t k = NULL;
  IS(__cudaGetKernel(&k, &hold), cudaSuccess);
  void *p = buffer(4), *args[] = {&p};
  IS(__cudaLaunchKernel(k, one, warp, args, 0, NULL), cudaSuccess);
  IS(cudaLaunchKernel(k, one, warp, args, 0, NULL), cudaSuccess);
  const char *name = NULL;
  IS(cudaFuncGetName(&name, k), cudaSuccess);
  CHECK(!strcmp(name, "hold"));
  IS(__cudaGetKernel(&k, &k), cudaErrorInvalidDeviceFunction);
  IS(__cudaLaunchKernel(NULL, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
  IS(__cudaGetKernel(NULL, &hold), cudaErrorInvalidValue);
  __cudaUnregisterFatBinary(handle);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
  __cudaUnregisterFatBinary(handle);
  CHECK(count("no fat binary has this handle") == 1);
  __cudaRegisterFunction(NULL, &fill, NULL, "fill", -1, NULL, NULL, NULL, NULL, NULL);
  IS(cudaLaunchKernel(&fill, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
}

/* Two binaries with the same function, as instances of a template have: either serves. */
TEST(same_function_twice) {
  announce(1, simple);
  void **first = handle;
  announce(1, simple);
  void *p = buffer(4), *args[] = {&p};
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaSuccess);
  __cudaUnregisterFatBinary(first);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaSuccess);
  __cudaUnregisterFatBinary(handle);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
}

TEST(configurations) {
  dim3 g = {0}, b = {0};
  size_t shared = 0;
  cudaStream_t stream = NULL;
  IS(__cudaPopCallConfiguration(&g, &b, &shared, &stream), cudaErrorMissingConfiguration);
  CHECK(!__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (void *)2));
  CHECK(!__cudaPushCallConfiguration(warp, one, 8, NULL));
  IS(__cudaPopCallConfiguration(&g, &b, &shared, &stream), cudaSuccess);
  CHECK(g.x == 32 && b.x == 1 && shared == 8 && !stream);
  IS(__cudaPopCallConfiguration(&g, &b, &shared, &stream), cudaSuccess);
  CHECK(g.x == 1 && g.y == 2 && g.z == 3 && b.x == 4 && b.y == 5 && b.z == 6 && shared == 7 &&
        stream == cudaStreamPerThread);
  for (unsigned i = 0; i < 1000; i++) __cudaPushCallConfiguration((dim3){i, 1, 1}, one, 0, NULL);
  IS(__cudaPopCallConfiguration(&g, NULL, NULL, NULL), cudaSuccess);
  CHECK(g.x == 999);
}

TEST(wrong_launches) {
  announce(1, simple);
  void *p = buffer(4), *args[] = {&p}, *none[] = {NULL};
  static const dim3 no[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 65536, 1}, {1, 1, 65536}, {0x80000000u, 1, 1}};
  static const dim3 not [] = {{0, 1, 1}, {1025, 1, 1}, {1, 1, 65}, {32, 33, 1}, {65536, 65536, 1}};
  for (unsigned i = 0; i < 6; i++)
    IS(cudaLaunchKernel(&hold, no[i], warp, args, 0, NULL), cudaErrorInvalidConfiguration);
  for (unsigned i = 0; i < 5; i++)
    IS(cudaLaunchKernel(&hold, one, not [i], args, 0, NULL), cudaErrorInvalidConfiguration);
  IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  IS(cudaGetLastError(), cudaSuccess);
  IS(cudaLaunchKernel(&hold, one, (dim3){129, 1, 1}, args, 0, NULL), cudaErrorInvalidValue);
  IS(cudaLaunchKernel(&hold, one, warp, args, 48 << 10, NULL), cudaErrorInvalidValue);
  IS(cudaLaunchKernel(&hold, one, warp, args, SIZE_MAX, NULL), cudaErrorInvalidValue);
  IS(cudaLaunchKernel(&hold, one, warp, NULL, 0, NULL), cudaErrorInvalidValue);
  IS(cudaLaunchKernel(&hold, one, warp, none, 0, NULL), cudaErrorInvalidValue);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, (cudaStream_t)77), cudaErrorInvalidResourceHandle);
  IS(cudaLaunchKernel(NULL, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
  IS(cudaLaunchKernel("text", one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
  IS(cudaLaunchKernel(&absent, one, warp, args, 0, NULL), cudaErrorInvalidDeviceFunction);
  CHECK(count("has no kernel 'absent'") == 1);
  IS(cudaLaunchKernel(&refused, one, warp, args, 0, NULL), cudaErrorNotSupported);
  CHECK(count("unknown_function") == 1);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaSuccess);
}

TEST(config_and_attributes) {
  announce(1, simple);
  void *p = buffer(4), *args[] = {&p};
  cudaLaunchAttribute a[2] = {{.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}}, {.id = 3}};
  cudaLaunchConfig_t c = {one, warp, 0, NULL, a, 2};
  IS(cudaLaunchKernelExC(&c, &hold, args), cudaSuccess);
  c.gridDim.x = 1000;
  IS(cudaLaunchKernelExC(&c, &hold, args), cudaErrorCooperativeLaunchTooLarge);
  IS(cudaLaunchCooperativeKernel(&hold, c.gridDim, warp, args, 0, NULL), cudaErrorCooperativeLaunchTooLarge);
  IS(cudaLaunchCooperativeKernel(&hold, one, warp, args, 0, NULL), cudaSuccess);
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = (dim3){2, 1, 1};
  IS(cudaLaunchKernelExC(&c, &hold, args), cudaErrorNotSupported);
  a[0].val.clusterDim = one;
  IS(cudaLaunchKernelExC(&c, &hold, args), cudaSuccess);
  c.attrs = NULL;
  IS(cudaLaunchKernelExC(&c, &hold, args), cudaErrorInvalidValue);
  IS(cudaLaunchKernelExC(NULL, &hold, args), cudaErrorInvalidValue);
}

TEST(functions) {
  announce(1, simple);
  cudaFuncAttributes a;
  IS(cudaFuncGetAttributes(&a, &hold), cudaSuccess);
  CHECK(a.sharedSizeBytes == 1024 && a.maxThreadsPerBlock == 128 && a.numRegs > 0 && a.ptxVersion == 75);
  CHECK(a.maxDynamicSharedSizeBytes == 47 << 10 && a.constSizeBytes == 4);
  IS(cudaFuncGetAttributes(NULL, &hold), cudaErrorInvalidValue);
  IS(cudaFuncGetAttributes(&a, &absent), cudaErrorInvalidDeviceFunction);
  IS(cudaFuncGetAttributes(&a, NULL), cudaErrorInvalidDeviceFunction);
  IS(cudaFuncGetAttributes(&a, &refused), cudaErrorNotSupported);
  void *p = buffer(4), *args[] = {&p};
  IS(cudaFuncSetAttribute(&hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000), cudaSuccess);
  IS(cudaLaunchKernel(&hold, one, warp, args, 60000, NULL), cudaSuccess);
  IS(cudaLaunchKernel(&hold, one, warp, args, 60001, NULL), cudaErrorInvalidValue);
  IS(cudaFuncSetAttribute(&hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304), cudaErrorInvalidValue);
  IS(cudaFuncSetAttribute(&hold, cudaFuncAttributeMaxDynamicSharedMemorySize, -1), cudaErrorInvalidValue);
  IS(cudaFuncSetAttribute(&hold, cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
  IS(cudaFuncSetAttribute(&hold, cudaFuncAttributePreferredSharedMemoryCarveout, 50), cudaSuccess);
  IS(cudaFuncSetAttribute(&hold, (cudaFuncAttribute)12, 1), cudaErrorNotSupported);
  IS(cudaFuncSetAttribute(&hold, (cudaFuncAttribute)99, 1), cudaErrorInvalidValue);
  IS(cudaFuncSetCacheConfig(&hold, 3), cudaSuccess);
  IS(cudaFuncSetCacheConfig(&hold, 4), cudaErrorInvalidValue);
  IS(cudaFuncSetCacheConfig(&a, 1), cudaErrorInvalidDeviceFunction);
  size_t offset = 0, size = 0;
  IS(cudaFuncGetParamInfo(&fill, 2, &offset, &size), cudaSuccess);
  CHECK(offset == 16 && size == 16);
  IS(cudaFuncGetParamInfo(&fill, 3, &offset, &size), cudaErrorInvalidValue);
}

TEST(occupancy) {
  announce(1, simple);
  int blocks = -1;
  size_t bytes = 0;
  IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &hold, 128, 0), cudaSuccess);
  CHECK(blocks == 16); /* 2048 threads of a gtx980's SM */
  IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &hold, 128, 23 << 10), cudaSuccess);
  CHECK(blocks == 4); /* 96 KB of shared memory */
  IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &hold, 129, 0), cudaSuccess);
  CHECK(blocks == 0);
  IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &hold, 0, 0), cudaErrorInvalidValue);
  IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &hold, 32, 0), cudaErrorInvalidValue);
  IS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &hold, 4, 128), cudaSuccess);
  CHECK(bytes == 23 << 10);
  IS(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &hold, 17, 128), cudaErrorInvalidValue);
}

/* A kernel's fault is no error of its launch, but of every later call, until the device is reset. */
TEST(faults) {
  announce(1, simple);
  void *p = buffer(64), *args[] = {&p};
  IS(launch_fill(NULL, 1, 1), cudaSuccess);
  IS(cudaGetLastError(), cudaErrorIllegalAddress);
  CHECK(count("out of bounds") == 1);
  IS(cudaDeviceReset(), cudaSuccess);
  p = buffer(64);
  IS(cudaLaunchKernel(&odd, one, warp, args, 0, NULL), cudaSuccess);
  IS(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  IS(cudaDeviceReset(), cudaSuccess);
  IS(cudaLaunchKernel(&trap_it, one, warp, NULL, 0, NULL), cudaSuccess);
  IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  IS(launch_fill(p, 1, 1), cudaErrorLaunchFailure);
  IS(cudaMalloc(&p, 4), cudaErrorLaunchFailure);
  IS(cudaGetLastError(), cudaErrorLaunchFailure);
  IS(cudaGetLastError(), cudaErrorLaunchFailure);
  IS(cudaDeviceReset(), cudaSuccess);
  IS(cudaGetLastError(), cudaSuccess);
  p = buffer(256);
  IS(launch_fill(p, 32, 1), cudaSuccess); /* its PTX is loaded again, its variables have their first values */
  uint32_t total = 0;
  IS(cudaMemcpyFromSymbol(&total, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(total == 72);
}

TEST(wrong_binaries) {
  void *p = buffer(4), *args[] = {&p};
  announce(2, "machine code");
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorNoKernelImageForDevice);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorNoKernelImageForDevice);
  CHECK(count("-gencode arch=compute_75,code=compute_75") == 1);
  __cudaUnregisterFatBinary(handle);
  announce(1, simple);
  container.entry.payload = UINT64_MAX;
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorInvalidKernelImage);
  CHECK(count("is damaged") == 1);
  __cudaUnregisterFatBinary(handle);
  announce(1, "this is no PTX");
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorInvalidPtx);
  __cudaUnregisterFatBinary(handle);
  wrapper.magic++;
  announce(1, simple);
  IS(cudaLaunchKernel(&hold, one, warp, args, 0, NULL), cudaErrorInvalidKernelImage);
  handle = __cudaRegisterFatBinary(NULL);
  add_function(&absent, "hold");
  IS(cudaLaunchKernel(&absent, one, warp, args, 0, NULL), cudaErrorInvalidKernelImage); /* of the first binary */
  IS(cudaDeviceSynchronize(), cudaSuccess);                                             /* none of these is sticky */
}

/* nvcc -rdc=true: machine code, and the fat binaries of the objects, here with a function of one that the other calls. A library of them may be
 * without PTX. */
TEST(linked_objects) {
  static struct container machine, objects[3];
  pack(&machine, 2, "machine code");
  pack(&objects[0], 1,
       HEAD
       ".extern .func (.param .b32 r) add(.param .b32 a);\n.extern .global .align 4 .u32 counter;\n"
       ".visible .entry fill(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[16]) {\n"
       "  .reg .b32 %r<4>; ld.global.u32 %r1, [counter];\n"
       "  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), add, (a); ld.param.b32 %r2, [r]; }\n"
       "  st.global.u32 [counter], %r2; ret;\n}\n");
  pack(&objects[1], 1,
       HEAD
       ".visible .global .align 4 .u32 counter = 40;\n.visible .func (.param .b32 r) add(.param .b32 a) {\n"
       "  .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.s32 %r2, %r1, 2; st.param.b32 [r], %r2; ret;\n}\n");
  pack(&objects[2], 2, "machine code");
  const void *linked[] = {&objects[0], &objects[1], &objects[2], NULL};
  wrapper = (struct wrapper){0x466243b1, 2, &machine, linked};
  announce(2, "");
  uint32_t total = 0;
  IS(launch_fill(NULL, 1, 1), cudaSuccess);
  IS(cudaMemcpyFromSymbol(&total, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(total == 42);
  CHECK(rt_ptx_target() == 75);
  CHECK(!*lines());
  objects[0].entry.kind = objects[1].entry.kind = 2;
  announce(2, "");
  __cudaUnregisterFatBinary(handle);
  IS(cudaDeviceReset(), cudaSuccess);
  IS(launch_fill(NULL, 1, 1), cudaErrorNoKernelImageForDevice);
  CHECK(count("-gencode arch=compute_75,code=compute_75") == 1);
}

/* A variable that is not there, and one that is not supported: the message says which, and where. */
TEST(wrong_variables) {
  uint32_t value = 0;
  announce(1, HEAD ".visible .func f() { ret; }\n.visible .global .align 8 .u64 counter[1] = {f};\n");
  IS(cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidSymbol);
  CHECK(count("the variable 'counter' is not supported: ") == 1 && count(".ptx:5:") == 1);
  CHECK(count("indirect calls are not supported") == 1);
  IS(cudaMemcpyFromSymbol(&value, &factor, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidSymbol);
  CHECK(count("its PTX has no variable 'factor'") == 1);
}

/* Managed variables: the host's pointer leads to the device's bytes, or where these are not mapped to some of its own. */
TEST(managed) {
  static void *shared;
  uint32_t total = 0;
  announce(1, simple);
  __cudaRegisterManagedVar(handle, &shared, NULL, "counter", 0, 4, 0, 0);
  __cudaRegisterManagedVar(NULL, &shared, NULL, "counter", 0, 4, 0, 0);
  CHECK(!shared);
  CHECK(__cudaInitModule(handle));
  CHECK(shared && *(uint32_t *)shared == 40);
  void *p = buffer(128);
  IS(launch_fill(p, 5, 1), cudaSuccess);
  if (device_is_mapped(rt_device())) CHECK(*(uint32_t *)shared == 45);
  else CHECK(count("start the program with 'regtwin host'") == 1);
  IS(cudaMemcpyFromSymbol(&total, shared, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(total == 45);
}
TEST(managed_without_device) {
  static void *shared;
  setenv("REGTWIN_SYSTEM", "no such system", 1);
  announce(1, simple);
  __cudaRegisterManagedVar(handle, &shared, NULL, "counter", 0, 4, 0, 0);
  CHECK(__cudaInitModule(handle));
  CHECK(shared && *(uint32_t *)shared == 0);
  IS(cudaGetLastError(), cudaErrorInitializationError);
}

TEST(bad_environment) {
  setenv("REGTWIN_SYSTEM", "no such system", 1);
  announce(1, simple);
  void *p = NULL;
  IS(cudaMalloc(&p, 4), cudaErrorInitializationError);
  IS(launch_fill(p, 1, 1), cudaErrorInitializationError);
  CHECK(count("no such system") == 1);
}

TEST(bad_json) {
  setenv("REGTWIN_JSON", "/no/such/directory/out.json", 1);
  announce(1, simple);
  void *p = NULL;
  IS(cudaMalloc(&p, 4), cudaErrorInitializationError);
  CHECK(count("/no/such/directory/out.json") == 1);
}

TEST(unsupported) {
  IS(cudaUserObjectCreate(NULL, NULL, NULL, 1, 1), cudaErrorNotSupported);
  IS(cudaUserObjectCreate(NULL, NULL, NULL, 1, 1), cudaErrorNotSupported);
  CHECK(count("regtwin: cudaUserObjectCreate: not supported here, gives cudaErrorNotSupported\n") == 1);
  IS(cudaGetLastError(), cudaErrorNotSupported);
  IS(cudaGetLastError(), cudaSuccess);
}

/* ---- settings of the host program ---- */

struct seen {
  const struct settings *mine;
  unsigned calls, other;
};
/* A callback finds its own settings, also after a call of its own, and what it changes stays. */
static void see(void *user) {
  struct seen *s = user;
  void *p = NULL;
  s->other += !settings_are(s->mine);
  s->other += cudaMalloc(&p, 4) != cudaSuccess || cudaFree(p) != cudaSuccess;
  s->other += !settings_are(s->mine);
  if (!s->calls++) fesetround(FE_DOWNWARD);
}
static void see_stream(cudaStream_t stream, cudaError_t status, void *user) {
  (void)stream, (void)status;
  see(user);
}

static const char *host_kernel(uint32_t *out) {
  announce(1, host_env_ptx);
  add_function(&own, "k");
  void *p = buffer(4 * HOST_ENV_WORDS), *args[] = {&p};
  printed_begin();
  IS(cudaLaunchKernel(&own, one, one, args, 0, NULL), cudaSuccess);
  IS(cudaDeviceSynchronize(), cudaSuccess);
  const char *text = printed_end();
  IS(cudaMemcpy(out, p, 4 * HOST_ENV_WORDS, cudaMemcpyDeviceToHost), cudaSuccess);
  __cudaUnregisterFatBinary(handle);
  return text;
}

static void under_settings(const char *locale) {
  uint32_t plain[HOST_ENV_WORDS], other[HOST_ENV_WORDS];
  CHECK(!strcmp(host_kernel(plain), host_env_text));
  host_env_right(plain);
  IS(cudaDeviceReset(), cudaSuccess);
  setenv("REGTWIN_SET", "gpu.clock_mhz=x1.5", 1);
  struct settings mine = settings_foreign(locale);
  struct seen seen = {.mine = &mine};
  CHECK(!strcmp(host_kernel(other), host_env_text));
  CHECK(!memcmp(plain, other, sizeof plain));
  CHECK(settings_are(&mine));
  IS(cudaLaunchHostFunc(NULL, see, &seen), cudaSuccess);
  mine.round = FE_DOWNWARD;
  CHECK(settings_are(&mine));
  IS(cudaStreamAddCallback(NULL, see_stream, &seen, 0), cudaSuccess);
  CHECK(settings_are(&mine) && seen.calls == 2 && !seen.other);
  IS(cudaGetLastError(), cudaSuccess);
  CHECK(settings_are(&mine) && !*lines());
}
TEST(settings_of_the_host) { under_settings("C"); }
TEST(locale_of_the_host) { under_settings("comma"); }

int main(void) {
  comma_locale("cudart_launch");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_of_the_host),
      cmocka_unit_test(locale_of_the_host),
      cmocka_unit_test(runs),
      cmocka_unit_test(by_handle),
      cmocka_unit_test(same_function_twice),
      cmocka_unit_test(configurations),
      cmocka_unit_test(wrong_launches),
      cmocka_unit_test(config_and_attributes),
      cmocka_unit_test(functions),
      cmocka_unit_test(occupancy),
      cmocka_unit_test(faults),
      cmocka_unit_test(wrong_binaries),
      cmocka_unit_test(bad_environment),
      cmocka_unit_test(bad_json),
      cmocka_unit_test(unsupported),
      cmocka_unit_test(linked_objects),
      cmocka_unit_test(wrong_variables),
      cmocka_unit_test(managed),
      cmocka_unit_test(managed_without_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

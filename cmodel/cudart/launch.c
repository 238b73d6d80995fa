/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: kernels are executed when they are launched. What is wrong with a launch itself is the call's error; a fault of
 * the kernel is, as on hardware, the sticky error of every later call.
 */
#include "cudart/launch.h"

#include <stdlib.h>
#include <string.h>

#include "cudart/reference.h"

/* ---- configurations: <<<grid, block, shared, stream>>>, given before the arguments are evaluated ---- */

struct configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
/* Arguments may launch kernels themselves; an exception in one leaves a configuration behind. The oldest is dropped. */
enum { NESTED = 32 };
static _Thread_local struct configuration configuration[NESTED];
static _Thread_local unsigned configurations;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (configurations == NESTED) memmove(configuration, configuration + 1, --configurations * sizeof *configuration);
  configuration[configurations++] = (struct configuration){grid, block, shared, stream};
  return 0;
}

static cudaError_t pop(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!configurations) return cudaErrorMissingConfiguration;
  const struct configuration *c = &configuration[--configurations];
  if (grid) *grid = c->grid;
  if (block) *block = c->block;
  if (shared) *shared = c->shared;
  if (stream) *(cudaStream_t *)stream = c->stream;
  return cudaSuccess;
}
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  return RT_HOST(pop(grid, block, shared, stream));
}

/* ---- checks ---- */

struct launch {
  const void *function; /* the host's address of it, or a cudaKernel_t */
  dim3 grid, block;
  void **args;   /* the address of each parameter's value */
  size_t shared; /* dynamic, bytes */
  cudaStream_t stream;
  bool cooperative;
};

static cudaError_t check_shape(const struct launch *l) {
  const dim3 *g = &l->grid, *b = &l->block;
  uint64_t threads = (uint64_t)b->x * b->y * b->z;
  if (!g->x || !g->y || !g->z || g->x > INT32_MAX || g->y > 65535 || g->z > 65535)
    return rt_error(cudaErrorInvalidConfiguration, rt_call(),
                    "found a grid of %u x %u x %u blocks, expected 1 to 2147483647 x 65535 x 65535", g->x, g->y, g->z);
  if (!b->x || !b->y || !b->z || b->x > 1024 || b->y > 1024 || b->z > 64 || threads > 1024)
    return rt_error(cudaErrorInvalidConfiguration, rt_call(),
                    "found a block of %u x %u x %u threads, expected 1 to 1024 x 1024 x 64, in all up to 1024", b->x,
                    b->y, b->z);
  return cudaSuccess;
}

static cudaError_t check_shared(const struct launch *l, const struct function *f, const struct device_about *about) {
  uint64_t most = rt_max_dynamic(f, about);
  if (l->shared <= most) return cudaSuccess;
  return rt_error(cudaErrorInvalidValue, rt_call(),
                  "%s: found %zu bytes of dynamic shared memory, expected up to %llu "
                  "(cudaFuncAttributeMaxDynamicSharedMemorySize allows more)",
                  about->name, l->shared, (unsigned long long)most);
}

/* Blocks of a cooperative launch wait for each other: all must be on the simulated SMs at once. */
static cudaError_t check_cooperative(const struct launch *l, struct device_kernel *k,
                                     const struct device_about *about) {
  unsigned __int128 blocks = (unsigned __int128)l->grid.x * l->grid.y * l->grid.z;
  uint64_t fit = (uint64_t)device_occupancy(k, l->block.x * l->block.y * l->block.z, (uint32_t)l->shared) *
                 (uint64_t)device_config(rt_device())->sim_sms;
  if (blocks <= fit) return cudaSuccess;
  return rt_error(
      cudaErrorCooperativeLaunchTooLarge, rt_call(),
      "%s: found a cooperative grid of %u x %u x %u blocks, expected up to %llu, which the simulated SMs hold at once",
      about->name, l->grid.x, l->grid.y, l->grid.z, (unsigned long long)fit);
}

/* ---- launches ---- */

/* The parameters, laid out as the kernel's are, into `bytes`. */
static cudaError_t gather(const struct launch *l, const struct device_about *about, uint8_t *bytes) {
  for (unsigned i = 0; i < about->nparam; i++) {
    const struct param *p = &about->param[i];
    if (!l->args || !l->args[i])
      return rt_error(cudaErrorInvalidValue, rt_call(), "%s: found NULL as argument %u of %u", about->name, i + 1,
                      about->nparam);
    memcpy(bytes + p->offset, l->args[i], p->size);
  }
  return cudaSuccess;
}

static cudaError_t run(const struct launch *l, struct device_kernel *k, const struct device_about *about) {
  uint8_t *bytes = xcalloc(1, about->param_bytes + 1);
  cudaError_t e = gather(l, about, bytes);
  if (!e) {
    struct device_launch to = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                               .block = {l->block.x, l->block.y, l->block.z},
                               .shared_dyn = (uint32_t)l->shared,
                               .param = bytes,
                               .param_bytes = about->param_bytes,
                               .cooperative = l->cooperative};
    struct err why = {0};
    enum device_status status = device_launch(rt_device(), k, &to, NULL, &why);
    e = rt_status(status, rt_call(), &why);
    if (rt_sticky()) e = cudaSuccess; /* the kernel's fault, not the launch's error */
  }
  free(bytes);
  return e;
}

static cudaError_t launch(const struct launch *l) {
  struct function *f = rt_function(l->function);
  if (!f)
    return rt_error(cudaErrorInvalidDeviceFunction, rt_call(),
                    "no fat binary has a __global__ function of this address");
  cudaError_t e = rt_stream(l->stream);
  if (!e) e = check_shape(l);
  struct device_kernel *k;
  if (!e) e = rt_kernel(f, &k);
  if (!e) e = rt_refresh_references(f->binary);
  if (e) return e;
  struct device_about about;
  struct err why = {0};
  e = rt_status(device_kernel_about(k, &about, &why), rt_call(), &why);
  if (!e) e = check_shared(l, f, &about);
  if (!e && l->cooperative) e = check_cooperative(l, k, &about);
  return e ? e : run(l, k, &about);
}

#define LAUNCH(function, grid, block, args, shared, stream, cooperative) \
  RT_CALL(launch(&(struct launch){function, grid, block, args, shared, stream, cooperative}))

API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                 cudaStream_t stream) {
  return LAUNCH(function, grid, block, args, shared, stream, false);
}
ALIAS(cudaLaunchKernel, cudaLaunchKernel_ptsz)

API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                            cudaStream_t stream) {
  return LAUNCH(function, grid, block, args, shared, stream, true);
}
ALIAS(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz)

/* Of the attributes, those that change what is executed; the others are hints, or order what is in order here anyway. */
static cudaError_t launch_config(const cudaLaunchConfig_t *c, const void *function, void **args) {
  if (!c || (c->numAttrs && !c->attrs)) return cudaErrorInvalidValue;
  struct launch l = {function, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream, false};
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const cudaLaunchAttribute *a = &c->attrs[i];
    const dim3 *size = &a->val.clusterDim;
    if (a->id == cudaLaunchAttributeCooperative) l.cooperative = a->val.cooperative != 0;
    if (a->id == cudaLaunchAttributeClusterDimension && (size->x > 1 || size->y > 1 || size->z > 1))
      return rt_error(cudaErrorNotSupported, rt_call(),
                      "found a cluster of %u x %u x %u blocks: clusters are not supported", size->x, size->y, size->z);
  }
  return launch(&l);
}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function, void **args) {
  return RT_CALL(launch_config(c, function, args));
}
ALIAS(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz)

/* ---- the form that nvcc 13 compiles <<<>>> to ---- */

static cudaError_t get_kernel(cudaKernel_t *out, const void *host) {
  if (!out) return cudaErrorInvalidValue;
  *out = rt_function(host);
  return *out ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
API cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host) { return RT_HOST(get_kernel(out, host)); }
API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host) { return RT_HOST(get_kernel(out, host)); }
API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host) { return RT_HOST(get_kernel(out, host)); }

API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                   cudaStream_t stream) {
  return LAUNCH(kernel, grid, block, args, shared, stream, false);
}
ALIAS(__cudaLaunchKernel, __cudaLaunchKernel_ptsz)

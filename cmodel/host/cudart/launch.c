/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: kernels are executed when they are launched, unless the stream is captured. What is wrong with a launch itself is the call's
 * error; a fault of the kernel is, as on hardware, the sticky error of every later call.
 */
#include "host/cudart/launch.h"

#include <stdlib.h>
#include <string.h>

#include "host/cudart/capture.h"
#include "host/cudart/reference.h"

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

static cudaError_t configuration_pop(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!configurations) return cudaErrorMissingConfiguration;
  const struct configuration *c = &configuration[--configurations];
  if (grid) *grid = c->grid;
  if (block) *block = c->block;
  if (shared) *shared = c->shared;
  if (stream) *(cudaStream_t *)stream = c->stream;
  return cudaSuccess;
}
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  return RT_HOST(configuration_pop(grid, block, shared, stream));
}

/* ---- checks ---- */

struct launch {         /* an operation's arguments */
  const void *function; /* the host's address of it, or a cudaKernel_t */
  dim3 grid, block;
  size_t shared; /* dynamic, bytes */
  bool cooperative;
  uint32_t param_bytes;
  _Alignas(16) uint8_t param[]; /* laid out as the kernel's parameters are */
};

static cudaError_t launch_check_shape(const struct launch *l) {
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

static cudaError_t launch_check_shared(const struct launch *l, const struct function *f,
                                       const struct device_about *about) {
  uint64_t most = rt_max_dynamic(f, about);
  if (l->shared <= most) return cudaSuccess;
  return rt_error(cudaErrorInvalidValue, rt_call(),
                  "%s: found %zu bytes of dynamic shared memory, expected up to %llu "
                  "(cudaFuncAttributeMaxDynamicSharedMemorySize allows more)",
                  about->name, l->shared, (unsigned long long)most);
}

/* Blocks of a cooperative launch wait for each other: all must be on the simulated SMs at once. */
static cudaError_t launch_check_cooperative(const struct launch *l, struct device_kernel *k,
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

struct launch_kernel {
  struct function *f;
  struct device_kernel *k;
  struct device_about about;
  struct err why;
};

/* Loads the kernel of a launch, whose parameters need not be there yet. *out is zeroed. */
static cudaError_t launch_find(const struct launch *l, struct launch_kernel *out) {
  out->f = rt_function(l->function);
  if (!out->f)
    return rt_error(cudaErrorInvalidDeviceFunction, rt_call(),
                    "no fat binary has a __global__ function of this address");
  cudaError_t e = launch_check_shape(l);
  if (!e) e = rt_kernel(out->f, &out->k);
  return e ? e : rt_status(device_kernel_about(out->k, &out->about, &out->why), rt_call(), &out->why);
}

/* A node of a graph may be older than the program's fat binary. */
static cudaError_t launch_check(const struct launch *l, const struct launch_kernel *x) {
  if (l->param_bytes != x->about.param_bytes)
    return rt_error(cudaErrorInvalidDeviceFunction, rt_call(), "%s: found %u bytes of parameters, expected %u",
                    x->about.name, l->param_bytes, x->about.param_bytes);
  cudaError_t e = rt_refresh_references(x->f->binary);
  if (!e) e = launch_check_shared(l, x->f, &x->about);
  return !e && l->cooperative ? launch_check_cooperative(l, x->k, &x->about) : e;
}

static cudaError_t launch_run(const void *args, bool check) {
  const struct launch *l = args;
  struct launch_kernel x = {0};
  cudaError_t e = launch_find(l, &x);
  if (!e) e = launch_check(l, &x);
  if (e || check) return e;
  struct device_launch to = {.grid = {l->grid.x, l->grid.y, l->grid.z},
                             .block = {l->block.x, l->block.y, l->block.z},
                             .shared_dyn = (uint32_t)l->shared,
                             .param = l->param,
                             .param_bytes = l->param_bytes,
                             .cooperative = l->cooperative};
  e = rt_status(device_launch(rt_device(), x.k, &to, NULL, &x.why), rt_call(), &x.why);
  return rt_sticky() ? cudaSuccess : e; /* the kernel's fault is not the launch's error */
}

/* ---- parameters ---- */

/* The parameters as a program gives them: the address of each one's value, or (kernel nodes only) a list of names and values. */
struct launch_args {
  void **value, **extra;
};

/* Of the list: the buffer of all parameters, laid out as the kernel's are; NULL: there is none of at least n bytes. */
static const void *extra_buffer(void **extra, size_t n) {
  enum { END, BUFFER, BUFFER_SIZE };
  const void *buffer = NULL;
  size_t size = 0;
  for (; (uintptr_t)extra[0] != END; extra += 2) {
    if ((uintptr_t)extra[0] == BUFFER) buffer = extra[1];
    else if ((uintptr_t)extra[0] == BUFFER_SIZE && extra[1]) size = *(const size_t *)extra[1];
    else return NULL;
  }
  return size < n ? NULL : buffer;
}

static cudaError_t launch_gather(const struct launch_args *args, const struct device_about *about, uint8_t *bytes) {
  if (args->extra) {
    const void *buffer = args->value ? NULL : extra_buffer(args->extra, about->param_bytes);
    if (!buffer)
      return rt_error(cudaErrorInvalidValue, rt_call(), "%s: found no buffer of its %u bytes of parameters",
                      about->name, about->param_bytes);
    memcpy(bytes, buffer, about->param_bytes);
    return cudaSuccess;
  }
  for (unsigned i = 0; i < about->nparam; i++) {
    const struct param *p = &about->param[i];
    if (!args->value || !args->value[i])
      return rt_error(cudaErrorInvalidValue, rt_call(), "%s: found NULL as argument %u of %u", about->name, i + 1,
                      about->nparam);
    memcpy(bytes + p->offset, args->value[i], p->size);
  }
  return cudaSuccess;
}

/* A copy of the launch with its parameters, to be freed. */
static cudaError_t launch_copy(const struct launch *l, const struct launch_args *args, struct launch **out) {
  struct launch_kernel x = {0};
  cudaError_t e = launch_find(l, &x);
  if (e) return e;
  struct launch *copy = xcalloc(1, sizeof *copy + x.about.param_bytes);
  *copy = *l;
  copy->param_bytes = x.about.param_bytes;
  e = launch_gather(args, &x.about, copy->param);
  if (e) free(copy);
  else *out = copy;
  return e;
}

static cudaError_t launch_enqueue(const struct launch *l, void **args, cudaStream_t s) {
  struct launch *copy;
  cudaError_t e = launch_copy(l, &(struct launch_args){.value = args}, &copy);
  if (e) return capture_failed(s, e);
  e = rt_enqueue(s, cudaGraphNodeTypeKernel, launch_run, copy, sizeof *copy + copy->param_bytes);
  free(copy);
  return e;
}

cudaError_t rt_add_kernel_node(cudaGraphNode_t *out, cudaGraph_t g, struct node_list after,
                               const cudaKernelNodeParams *p) {
  if (!p || !graph_get(g)) return cudaErrorInvalidValue;
  const struct launch l = {.function = p->func, .grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes};
  struct launch *copy;
  cudaError_t e = launch_copy(&l, &(struct launch_args){p->kernelParams, p->extra}, &copy);
  if (e) return graph_failed(g, e);
  e = graph_add_operation(out, g, after, cudaGraphNodeTypeKernel, launch_run, copy, sizeof *copy + copy->param_bytes);
  free(copy);
  return e;
}
API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                       const cudaKernelNodeParams *p) {
  return RT_CALL(rt_add_kernel_node(out, g, (struct node_list){dep, n}, p));
}

#define LAUNCH(f, g, b, args, bytes, stream, all)                                                                  \
  RT_CALL(launch_enqueue(                                                                                          \
      &(struct launch){.function = (f), .grid = (g), .block = (b), .shared = (bytes), .cooperative = (all)}, args, \
      stream))
#define LAUNCH_PER_THREAD(name)                                                                               \
  PER_THREAD(name, (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s), \
             (function, grid, block, args, shared, OWN_STREAM(s)))

API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                 cudaStream_t stream) {
  return LAUNCH(function, grid, block, args, shared, stream, false);
}
LAUNCH_PER_THREAD(cudaLaunchKernel)

API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                            cudaStream_t stream) {
  return LAUNCH(function, grid, block, args, shared, stream, true);
}
LAUNCH_PER_THREAD(cudaLaunchCooperativeKernel)

/* Of the attributes, those that change what is executed; the others are hints, or order what is in order here anyway. */
static cudaError_t launch_config(const cudaLaunchConfig_t *c, const void *function, void **args) {
  if (!c || (c->numAttrs && !c->attrs)) return cudaErrorInvalidValue;
  struct launch l = {.function = function, .grid = c->gridDim, .block = c->blockDim, .shared = c->dynamicSmemBytes};
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const cudaLaunchAttribute *a = &c->attrs[i];
    const dim3 *size = &a->val.clusterDim;
    if (a->id == cudaLaunchAttributeCooperative) l.cooperative = a->val.cooperative != 0;
    if (a->id == cudaLaunchAttributeClusterDimension && (size->x > 1 || size->y > 1 || size->z > 1))
      return capture_failed(c->stream, rt_error(cudaErrorNotSupported, rt_call(),
                                                "found a cluster of %u x %u x %u blocks: clusters are not supported",
                                                size->x, size->y, size->z));
  }
  return launch_enqueue(&l, args, c->stream);
}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function, void **args) {
  return RT_CALL(launch_config(c, function, args));
}
API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *function, void **args) {
  cudaLaunchConfig_t own = c ? *c : (cudaLaunchConfig_t){0};
  own.stream = OWN_STREAM(own.stream);
  return cudaLaunchKernelExC(c ? &own : NULL, function, args);
}

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
PER_THREAD(__cudaLaunchKernel, (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
           (kernel, grid, block, args, shared, OWN_STREAM(s)))

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrange: launches (OpenCL 1.2, 5.8). A launch keeps the arguments that its kernel had when it was enqueued, and holds their buffers.
 *
 * __local: an offset in shared memory, behind the kernel's own variables, aligned for each type that has room in it (local_align). __constant: the contents of the buffer are copied behind the
 * constants of the module, and the parameter is the offset there; so a kernel sees what the buffer had when the launch began.
 */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/image.h"
#include "host/opencl/program.h"

enum { LEAST_ALIGN = 16, MOST_ALIGN = 128 /* double16 */, AUTO_GROUP = 256, MOST_GROUPS = 65535 /* in y and in z */ };

struct launch {
  cl_kernel kernel;
  struct argument *argument;
  uint8_t *bytes;
  uint32_t grid[3], block[3];
  struct hidden hidden;
};

/* ---- performing it ---- */

static cl_int add_constant(struct device_module *m, struct launch *l, unsigned i, uint32_t *out) {
  const struct argument *a = &l->argument[i];
  struct err e = {0};
  if (a->mem->size > LIMIT_CONSTANT_BYTES || device_constant_add(m, (uint32_t)a->mem->size, out, &e) != DEVICE_OK) {
    return cl_error(CL_OUT_OF_RESOURCES,
                    "kernel '%s': argument %u has %zu bytes; found more than 64 KB of constants in all",
                    l->kernel->signature->name, i, a->mem->size);
  }
  memcpy(device_constant(m, *out, (uint32_t)a->mem->size), mem_bytes(a->mem, 0, a->mem->size), a->mem->size);
  return CL_SUCCESS;
}

/* The argument before i that is the same buffer as __constant; -1: none. */
static int same_constant(const struct launch *l, unsigned i) {
  for (unsigned j = 0; j < i; j++) {
    if (l->argument[j].space == ARG_CONSTANT && l->argument[j].mem == l->argument[i].mem) return (int)j;
  }
  return -1;
}

static uint64_t ndrange_align(uint64_t at, uint64_t align) { return (at + align - 1) / align * align; }

/* An argument's type is not known here, but its size is that of one element at least (6.1.5: the kernel may assume that a pointer is
 * aligned for its type). The same rule as pocl's. */
static uint64_t local_align(size_t bytes) {
  uint64_t align = LEAST_ALIGN;
  while (align < bytes && align < MOST_ALIGN) align *= 2;
  return align;
}

/* Writes what is no value into the parameters; *shared: bytes of dynamic shared memory. */
static cl_int place_arguments(struct launch *l, const struct kernel_code *c, struct device_module *m,
                              uint32_t *shared) {
  const uint64_t start = ndrange_align(c->about.shared_bytes, LEAST_ALIGN); /* of dynamic shared memory */
  uint64_t top = start;
  bool reset = false;
  for (unsigned i = 0; i < c->about.nparam; i++) {
    const struct argument *a = &l->argument[i];
    uint64_t to = 0;
    if (a->space == ARG_VALUE) continue;
    if (a->space == ARG_LOCAL) {
      to = ndrange_align(top, local_align(a->bytes));
      top = to + ndrange_align(a->bytes, LEAST_ALIGN);
      if (a->bytes > limit_local_bytes() || top > limit_local_bytes()) {
        return cl_error(CL_OUT_OF_RESOURCES, "kernel '%s': found more than %llu bytes of local memory",
                        l->kernel->signature->name, (unsigned long long)limit_local_bytes());
      }
    } else if (a->mem && a->space == ARG_GLOBAL) {
      to = a->mem->addr;
    } else if (a->mem && a->space == ARG_IMAGE) {
      cl_int bad = image_handle(a->mem, l->kernel->signature->parameter[i].access == ACCESS_WRITE, &to);
      if (bad) return bad;
    } else if (a->mem) {
      int j = same_constant(l, i);
      uint32_t offset = 0;
      if (!reset) device_constant_reset(m);
      reset = true;
      cl_int bad = j < 0 ? add_constant(m, l, i, &offset) : CL_SUCCESS;
      if (bad) return bad;
      if (j < 0) to = offset;
      else memcpy(&to, l->bytes + c->about.param[j].offset, 8);
    }
    memcpy(l->bytes + c->about.param[i].offset, &to, c->about.param[i].size < 8 ? c->about.param[i].size : 8);
  }
  *shared = (uint32_t)(top - start);
  return CL_SUCCESS;
}

static cl_int ndrange_run(void *args) {
  struct launch *l = args;
  cl_kernel k = l->kernel;
  struct device_module *m = k->program->module;
  struct kernel_code *c = &k->code;
  if (l->hidden.offset[0] || l->hidden.offset[1] || l->hidden.offset[2]) {
    if (!(m = program_offset_module(k->program)))
      return cl_error(CL_OUT_OF_RESOURCES, "kernel '%s' cannot take an offset", k->signature->name);
    c = &k->offset_code;
    if (!c->kernel) kernel_code_read(c, m, k->signature->name);
    if (c->refused || c->about.nparam != k->signature->n) return cl_device_error(DEVICE_REFUSED, &c->why);
  }
  struct device_launch d = {.param = l->bytes, .param_bytes = c->about.param_bytes};
  cl_int bad = place_arguments(l, c, m, &d.shared_dyn);
  if (bad) return bad;
  hidden_set(m, &l->hidden);
  memcpy(d.grid, l->grid, sizeof d.grid);
  memcpy(d.block, l->block, sizeof d.block);
  struct err e = {0};
  enum device_status s = device_launch(session_device(), c->kernel, &d, NULL, &e);
  if (s == DEVICE_OK) return CL_SUCCESS;
  char text[1024];
  err_format(&e, text, sizeof text);
  context_notify(k->program->context, text);
  return cl_device_error(s, &e);
}

static void ndrange_end(void *args) {
  struct launch *l = args;
  for (unsigned i = 0; l->argument && i < l->kernel->signature->n; i++) object_drop(l->argument[i].mem);
  free(l->argument);
  free(l->bytes);
  object_drop(l->kernel);
}

/* ---- checks, in the order of the specification ---- */

static cl_int check_arguments(cl_kernel k) {
  for (unsigned i = 0; i < k->signature->n; i++) {
    const struct argument *a = &k->argument[i];
    if (!a->set)
      return cl_error(CL_INVALID_KERNEL_ARGS, "kernel '%s': argument %u has not been set", k->signature->name, i);
    if (a->mem && !object_is(a->mem, MEM)) {
      return cl_error(CL_INVALID_KERNEL_ARGS, "kernel '%s': the buffer of argument %u has been released",
                      k->signature->name, i);
    }
  }
  return CL_SUCCESS;
}

static cl_int ndrange_check_sizes(cl_kernel k, cl_uint dim, const size_t *offset, const size_t *global) {
  if (dim < 1 || dim > 3) return cl_error(CL_INVALID_WORK_DIMENSION, "found %u dimensions, expected 1 to 3", dim);
  if (!global)
    return cl_error(CL_INVALID_GLOBAL_WORK_SIZE, "kernel '%s': found NULL as global size", k->signature->name);
  for (cl_uint i = 0; i < dim; i++) {
    if (!global[i] || global[i] > UINT32_MAX) {
      return cl_error(CL_INVALID_GLOBAL_WORK_SIZE,
                      "kernel '%s': found the global size %zu in dimension %u, expected 1 to 2^32 - 1",
                      k->signature->name, global[i], i);
    }
    if (offset && offset[i] > SIZE_MAX - global[i]) {
      return cl_error(CL_INVALID_GLOBAL_OFFSET,
                      "kernel '%s': found an offset of %zu in dimension %u, with which ids overflow",
                      k->signature->name, offset[i], i);
    }
  }
  return CL_SUCCESS;
}

static uint32_t most_in(unsigned dim) { return dim < 2 ? 1024 : 64; }

static cl_int check_local(cl_kernel k, cl_uint dim, const size_t *global, const size_t *local) {
  const uint32_t *r = k->signature->required;
  const char *name = k->signature->name;
  uint64_t threads = 1;
  if (r[0] && !local)
    return cl_error(CL_INVALID_WORK_GROUP_SIZE, "kernel '%s': found NULL as group size, expected %u x %u x %u", name,
                    r[0], r[1], r[2]);
  for (unsigned i = 0; local && i < 3; i++) {
    size_t n = i < dim ? local[i] : 1;
    if (r[0] && n != r[i]) {
      return cl_error(CL_INVALID_WORK_GROUP_SIZE, "kernel '%s': found the group size %zu in dimension %u, expected %u",
                      name, n, i, r[i]);
    }
    if (!n || (i < dim && global[i] % n)) {
      return cl_error(CL_INVALID_WORK_GROUP_SIZE,
                      "kernel '%s': found the group size %zu, which does not divide the global size %zu", name, n,
                      i < dim ? global[i] : 1);
    }
    if (n > most_in(i))
      return cl_error(CL_INVALID_WORK_ITEM_SIZE,
                      "kernel '%s': found the group size %zu in dimension %u, expected at most %u", name, n, i,
                      most_in(i));
    threads *= n;
  }
  if (threads > kernel_most_threads(k)) {
    return cl_error(CL_INVALID_WORK_GROUP_SIZE, "kernel '%s': found %llu work items in a group, expected at most %llu",
                    name, (unsigned long long)threads, (unsigned long long)kernel_most_threads(k));
  }
  return CL_SUCCESS;
}

/* ---- a group size for NULL ---- */

/* The greatest divisor of n up to most; of those that are multiples of 32, if there is one. */
static uint32_t ndrange_divisor(size_t n, uint64_t most) {
  for (uint64_t d = most / 32 * 32; d; d -= 32) {
    if (n % d == 0) return (uint32_t)d;
  }
  for (uint64_t d = most; d > 1; d--) {
    if (n % d == 0) return (uint32_t)d;
  }
  return 1;
}

/* Dimension by dimension up to AUTO_GROUP work items; less in the first ones if the others would have more groups than there can be. */
static void choose_local(cl_kernel k, cl_uint dim, const size_t *global, size_t local[3]) {
  uint64_t most = kernel_most_threads(k);
  if (most > AUTO_GROUP) most = AUTO_GROUP;
  for (uint64_t first = most; first; first /= 2) {
    uint64_t room = most;
    bool fits = true;
    for (cl_uint i = 0; i < dim; i++) {
      uint64_t here = i + 1 < dim && room > first ? first : room;
      local[i] = ndrange_divisor(global[i], here < most_in(i) ? here : most_in(i));
      room /= local[i];
      fits &= i == 0 || global[i] / local[i] <= MOST_GROUPS;
    }
    if (fits) return;
  }
}

/* ---- enqueueing ---- */

static cl_int check_kernel(cl_command_queue q, cl_kernel k) {
  cl_int bad = object_check(q, QUEUE);
  if (!bad) bad = object_check(k, KERNEL);
  if (bad) return bad;
  if (q->context != k->program->context)
    return cl_error(CL_INVALID_CONTEXT, "found a kernel of another context than the queue's");
  if (!session_device()) return CL_OUT_OF_RESOURCES;
  if (k->code.refused) return cl_device_error(DEVICE_REFUSED, &k->code.why);
  return check_arguments(k);
}

static struct launch *launch_new(cl_kernel k) {
  unsigned n = k->signature->n;
  struct launch *l = xcalloc(1, sizeof *l);
  l->kernel = object_hold(k);
  l->argument = xcalloc(n + 1, sizeof *l->argument);
  l->bytes = xcalloc(k->code.about.param_bytes + 1, 1);
  memcpy(l->argument, k->argument, n * sizeof *l->argument);
  memcpy(l->bytes, k->bytes, k->code.about.param_bytes);
  for (unsigned i = 0; i < n; i++) object_hold(l->argument[i].mem);
  return l;
}

static cl_int ndrange_enqueue(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dim, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                              cl_event *event) {
  size_t chosen[3] = {1, 1, 1};
  cl_int bad = ndrange_check_sizes(k, dim, offset, global);
  if (!bad) bad = check_local(k, dim, global, local);
  if (bad) return bad;
  if (!local) choose_local(k, dim, global, chosen);
  for (cl_uint i = 1; i < dim; i++) {
    const size_t groups = global[i] / (local ? local[i] : chosen[i]);
    if (groups > MOST_GROUPS) {
      return cl_error(CL_INVALID_GLOBAL_WORK_SIZE, "kernel '%s': found %zu groups in dimension %u, expected at most %d",
                      k->signature->name, groups, i, MOST_GROUPS);
    }
  }
  struct launch *l = launch_new(k);
  l->hidden.dimensions = dim;
  for (unsigned i = 0; i < 3; i++) {
    l->block[i] = i < dim ? (uint32_t)(local ? local[i] : chosen[i]) : 1;
    l->grid[i] = i < dim ? (uint32_t)(global[i] / l->block[i]) : 1;
    l->hidden.offset[i] = i < dim && offset ? offset[i] : 0;
  }
  struct command_plan plan = {.type = type, .run = ndrange_run, .end = ndrange_end, .args = l};
  return command_enqueue(q, &plan, n, wait, event);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *offset,
                                          const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                          cl_event *event) {
  API();
  cl_int bad = check_kernel(q, k);
  return bad ? bad : ndrange_enqueue(q, k, CL_COMMAND_NDRANGE_KERNEL, dim, offset, global, local, n, wait, event);
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  cl_int bad = check_kernel(q, k);
  const size_t one = 1;
  return bad ? bad : ndrange_enqueue(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, n, wait, event);
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *f)(void *), void *args, size_t bytes,
                                         cl_uint nmem, const cl_mem *mem, const void **places, cl_uint n,
                                         const cl_event *wait, cl_event *event) {
  API();
  (void)f, (void)args, (void)bytes, (void)nmem, (void)mem, (void)places, (void)n, (void)wait, (void)event;
  cl_int bad = object_check(q, QUEUE);
  return bad ? bad : cl_error(CL_INVALID_OPERATION, "found a native kernel; the device only runs kernels of programs");
}

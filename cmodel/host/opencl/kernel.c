/* SPDX-License-Identifier: Apache-2.0 */
/* kernel: kernel objects and their arguments (OpenCL 1.2, 5.7). */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/image.h"
#include "host/opencl/program.h"

/* ---- a kernel's life ---- */

void kernel_code_read(struct kernel_code *c, struct device_module *m, const char *name) {
  memset(c, 0, sizeof *c);
  c->kernel = device_find_kernel(m, name);
  if (!c->kernel) err_at(&c->why, NULL, 0, 0, "found no kernel '%s' in the PTX", name);
  c->refused = !c->kernel || device_kernel_about(c->kernel, &c->about, &c->why) != DEVICE_OK;
}

static void kernel_destroy(void *object) {
  cl_kernel k = object;
  free(k->argument);
  free(k->bytes);
  k->program->kernels--;
  object_drop(k->program);
}

static cl_kernel kernel_new(cl_program p, const struct signature *s, cl_int *ret) {
  cl_kernel k = object_new(KERNEL, sizeof *k, kernel_destroy);
  if (!k) return FAIL(ret, CL_OUT_OF_HOST_MEMORY, "no memory for a kernel");
  k->program = object_hold(p);
  p->kernels++;
  k->signature = s;
  kernel_code_read(&k->code, p->module, s->name);
  if (!k->code.refused && k->code.about.nparam != s->n) {
    k->code.refused = true;
    err_at(&k->code.why, NULL, 0, 0, "found %u parameters of '%s' in the PTX, and %u read by the driver",
           k->code.about.nparam, s->name, s->n);
  }
  k->argument = xcalloc(s->n + 1, sizeof *k->argument);
  if (!k->code.refused) k->bytes = xcalloc(k->code.about.param_bytes + 1, 1);
  return k;
}

static cl_int check_executable(cl_program p) {
  cl_int bad = object_check(p, PROGRAM);
  if (bad) return bad;
  if (p->status == CL_BUILD_SUCCESS && p->module) return CL_SUCCESS;
  return cl_error(CL_INVALID_PROGRAM_EXECUTABLE, "found a program that has not been built, or whose build failed");
}

cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char *name, cl_int *ret) {
  API();
  cl_int bad = check_executable(p);
  if (bad) return cl_result(ret, bad), NULL;
  if (!name) return FAIL(ret, CL_INVALID_VALUE, "found NULL as the kernel's name");
  const struct signature *s = signature_find(&p->signatures, name);
  if (!s) return FAIL(ret, CL_INVALID_KERNEL_NAME, "found the kernel '%s', expected one of the program", name);
  cl_kernel k = kernel_new(p, s, ret);
  if (k) cl_result(ret, CL_SUCCESS);
  return k;
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p, cl_uint n, cl_kernel *kernels, cl_uint *n_ret) {
  API();
  cl_int bad = check_executable(p);
  if (bad) return bad;
  if (kernels && n < p->signatures.n) {
    return cl_error(CL_INVALID_VALUE, "found room for %u kernels, expected %u", n, p->signatures.n);
  }
  for (unsigned i = 0; kernels && i < p->signatures.n; i++) {
    kernels[i] = kernel_new(p, &p->signatures.kernel[i], &bad);
    if (kernels[i]) continue;
    while (i--) object_release(kernels[i], KERNEL);
    return bad;
  }
  if (n_ret) *n_ret = p->signatures.n;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clRetainKernel(cl_kernel k) {
  API();
  return object_retain(k, KERNEL);
}
cl_int CL_API_CALL clReleaseKernel(cl_kernel k) {
  API();
  return object_release(k, KERNEL);
}

/* ---- arguments ---- */

static cl_int bad_size(cl_kernel k, cl_uint i, size_t found, size_t expected) {
  return cl_error(CL_INVALID_ARG_SIZE, "kernel '%s': found %zu bytes for argument %u, expected %zu", k->signature->name,
                  found, i, expected);
}

static cl_int set_local(cl_kernel k, cl_uint i, size_t size, const void *value) {
  if (value) {
    return cl_error(CL_INVALID_ARG_VALUE, "kernel '%s': found a value for argument %u, which is __local, expected NULL",
                    k->signature->name, i);
  }
  if (!size)
    return cl_error(CL_INVALID_ARG_SIZE, "kernel '%s': found 0 bytes of local memory for argument %u",
                    k->signature->name, i);
  k->argument[i] = (struct argument){.set = true, .space = ARG_LOCAL, .bytes = size};
  return CL_SUCCESS;
}

static cl_int set_buffer(cl_kernel k, cl_uint i, size_t size, const void *value, enum arg_space space) {
  cl_mem m = NULL;
  if (size != sizeof m) return bad_size(k, i, size, sizeof m);
  if (value) memcpy(&m, value, sizeof m);
  if (m && (!object_is(m, MEM) || m->image || m->context != k->program->context)) {
    return cl_error(CL_INVALID_MEM_OBJECT, "kernel '%s': found no buffer of the kernel's context for argument %u",
                    k->signature->name, i);
  }
  k->argument[i] = (struct argument){.set = true, .space = space, .mem = m};
  return CL_SUCCESS;
}

static cl_int set_value(cl_kernel k, cl_uint i, size_t size, const void *value) {
  const struct param *p = &k->code.about.param[i];
  if (!value)
    return cl_error(CL_INVALID_ARG_VALUE, "kernel '%s': found NULL for argument %u, expected a value",
                    k->signature->name, i);
  if (size != p->size) return bad_size(k, i, size, p->size);
  memcpy(k->bytes + p->offset, value, size);
  k->argument[i] = (struct argument){.set = true, .space = ARG_VALUE};
  return CL_SUCCESS;
}

static const char *image_type(cl_mem_object_type t) {
  return t == CL_MEM_OBJECT_IMAGE1D          ? "image1d_t"
         : t == CL_MEM_OBJECT_IMAGE1D_BUFFER ? "image1d_buffer_t"
         : t == CL_MEM_OBJECT_IMAGE1D_ARRAY  ? "image1d_array_t"
         : t == CL_MEM_OBJECT_IMAGE2D        ? "image2d_t"
         : t == CL_MEM_OBJECT_IMAGE2D_ARRAY  ? "image2d_array_t"
                                             : "image3d_t";
}

static cl_int set_image(cl_kernel k, cl_uint i, const void *value) {
  const struct parameter *p = &k->signature->parameter[i];
  cl_mem m = NULL;
  if (value) memcpy(&m, value, sizeof m);
  if (!m || !object_is(m, MEM) || !m->image || m->context != k->program->context)
    return cl_error(CL_INVALID_MEM_OBJECT, "kernel '%s': found no image of the kernel's context for argument %u",
                    k->signature->name, i);
  if (p->type && strcmp(p->type, image_type(m->image->type)) != 0)
    return cl_error(CL_INVALID_MEM_OBJECT, "kernel '%s': found an %s for argument %u, expected an %s",
                    k->signature->name, image_type(m->image->type), i, p->type);
  if (m->flags & (p->access == ACCESS_WRITE ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY))
    return cl_error(CL_INVALID_ARG_VALUE, "kernel '%s': found an image that kernels may not %s for argument %u",
                    k->signature->name, p->access == ACCESS_WRITE ? "write" : "read", i);
  k->argument[i] = (struct argument){.set = true, .space = ARG_IMAGE, .mem = m};
  return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel k, cl_uint i, const void *value) {
  cl_sampler s = NULL;
  if (value) memcpy(&s, value, sizeof s);
  if (!s || !object_is(s, SAMPLER) || s->context != k->program->context)
    return cl_error(CL_INVALID_SAMPLER, "kernel '%s': found no sampler of the kernel's context for argument %u",
                    k->signature->name, i);
  const uint64_t handle = sampler_handle(s);
  memcpy(k->bytes + k->code.about.param[i].offset, &handle, sizeof handle);
  k->argument[i] = (struct argument){.set = true, .space = ARG_VALUE};
  return CL_SUCCESS;
}

/* 64 bits in PTX of other origin: a buffer's handle, another value, or local memory. */
static cl_int set_any(cl_kernel k, cl_uint i, size_t size, const void *value) {
  cl_mem m = NULL;
  if (!value && size != sizeof m) return set_local(k, i, size, value);
  if (value && size == sizeof m) memcpy(&m, value, sizeof m);
  return value && !object_is(m, MEM) ? set_value(k, i, size, value) : set_buffer(k, i, size, value, ARG_GLOBAL);
}

cl_int check_argument(cl_kernel k, cl_uint i) {
  cl_int bad = object_check(k, KERNEL);
  if (bad || i < k->signature->n) return bad;
  return cl_error(CL_INVALID_ARG_INDEX, "kernel '%s': found argument %u, expected less than %u", k->signature->name, i,
                  k->signature->n);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value) {
  API();
  cl_int bad = check_argument(k, i);
  if (bad) return bad;
  if (k->code.refused) { /* its launch says why */
    k->argument[i].set = true;
    return CL_SUCCESS;
  }
  enum arg_space space = k->signature->parameter[i].space;
  if ((space == ARG_IMAGE || space == ARG_SAMPLER) && size != sizeof(cl_mem))
    return bad_size(k, i, size, sizeof(cl_mem));
  switch (space) {
    case ARG_LOCAL: return set_local(k, i, size, value);
    case ARG_GLOBAL:
    case ARG_CONSTANT: return set_buffer(k, i, size, value, space);
    case ARG_IMAGE: return set_image(k, i, value);
    case ARG_SAMPLER: return set_sampler(k, i, value);
    case ARG_ANY: return set_any(k, i, size, value);
    default: return set_value(k, i, size, value);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_info: what kernels answer (OpenCL 1.2, 5.7.3). */
#include <stdio.h>
#include <string.h>

#include "host/opencl/program.h"

static cl_int info_attributes(const struct signature *s, const struct info *o) {
  char text[160] = "";
  size_t n = 0;
  if (s->required[0]) {
    n = (size_t)snprintf(text, sizeof text, "reqd_work_group_size(%u,%u,%u)", s->required[0], s->required[1],
                         s->required[2]);
  }
  if (s->hint[0]) {
    snprintf(text + n, sizeof text - n, "%swork_group_size_hint(%u,%u,%u)", n ? " " : "", s->hint[0], s->hint[1],
             s->hint[2]);
  }
  return info_string(o, text);
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel k, cl_kernel_info param_name, size_t param_value_size, void *param_value,
                                   size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(k, KERNEL);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME: return info_string(o, k->signature->name);
    case CL_KERNEL_NUM_ARGS: return INFO(o, cl_uint, k->signature->n);
    case CL_KERNEL_REFERENCE_COUNT: return INFO(o, cl_uint, k->o.refs);
    case CL_KERNEL_CONTEXT: return INFO(o, cl_context, k->program->context);
    case CL_KERNEL_PROGRAM: return INFO(o, cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES: return info_attributes(k->signature, o);
    default: return info_unknown(o);
  }
}

static cl_ulong kernel_local_bytes(cl_kernel k) {
  cl_ulong n = k->code.about.shared_bytes;
  for (unsigned i = 0; i < k->signature->n; i++) {
    if (k->argument[i].set && k->argument[i].space == ARG_LOCAL) n += k->argument[i].bytes;
  }
  return n;
}

uint64_t kernel_most_threads(cl_kernel k) {
  uint64_t most = limit_group_threads();
  return !k->code.refused && k->code.about.max_threads < most ? k->code.about.max_threads : most;
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_work_group_info param_name,
                                            size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(k, KERNEL);
  if (!bad && device) bad = object_check(device, DEVICE);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  const uint32_t *r = k->signature->required;
  switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return INFO(o, size_t, kernel_most_threads(k));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return info_bytes(o, (size_t[3]){r[0], r[1], r[2]}, 3 * sizeof(size_t));
    case CL_KERNEL_LOCAL_MEM_SIZE: return INFO(o, cl_ulong, kernel_local_bytes(k));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return INFO(o, size_t, 32);
    case CL_KERNEL_PRIVATE_MEM_SIZE: return INFO(o, cl_ulong, k->code.about.local_bytes);
    default: return info_unknown(o); /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels */
  }
}

static cl_int info_space(const struct parameter *a, const struct info *o) {
  static const cl_kernel_arg_address_qualifier q[ARG_SPACES] = {
      [ARG_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,     [ARG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
      [ARG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT, [ARG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
      [ARG_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,      [ARG_SAMPLER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
      [ARG_ANY] = CL_KERNEL_ARG_ADDRESS_PRIVATE};
  return INFO(o, cl_kernel_arg_address_qualifier, q[a->space]);
}

static cl_int info_access(const struct parameter *a, const struct info *o) {
  static const cl_kernel_arg_access_qualifier q[ACCESSES] = {[ACCESS_NONE] = CL_KERNEL_ARG_ACCESS_NONE,
                                                             [ACCESS_READ] = CL_KERNEL_ARG_ACCESS_READ_ONLY,
                                                             [ACCESS_WRITE] = CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                                                             [ACCESS_BOTH] = CL_KERNEL_ARG_ACCESS_READ_WRITE};
  return INFO(o, cl_kernel_arg_access_qualifier, q[a->access]);
}

static cl_int info_qualifiers(const struct parameter *a, const struct info *o) {
  cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;
  if (a->qualifiers & QUALIFIER_CONST) q |= CL_KERNEL_ARG_TYPE_CONST;
  if (a->qualifiers & QUALIFIER_RESTRICT) q |= CL_KERNEL_ARG_TYPE_RESTRICT;
  if (a->qualifiers & QUALIFIER_VOLATILE) q |= CL_KERNEL_ARG_TYPE_VOLATILE;
  return INFO(o, cl_kernel_arg_type_qualifier, q);
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info param_name, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = check_argument(k, i);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  const struct parameter *a = &k->signature->parameter[i];
  if (param_name < CL_KERNEL_ARG_ADDRESS_QUALIFIER || param_name > CL_KERNEL_ARG_NAME) return info_unknown(o);
  if (!a->type || !a->name) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE; /* PTX of other origin */
  switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return info_space(a, o);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: return info_access(a, o);
    case CL_KERNEL_ARG_TYPE_NAME: return info_string(o, a->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: return info_qualifiers(a, o);
    case CL_KERNEL_ARG_NAME: return info_string(o, a->name);
    default: return info_unknown(o);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* sampler: sampler objects (OpenCL 1.2, 5.5). A kernel gets what the literal of such a sampler in its program would be. */
#include "host/opencl/image.h"

static void sampler_destroy(void *object) { object_drop(((cl_sampler)object)->context); }

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode address,
                                       cl_filter_mode filter, cl_int *ret) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  const bool modes = address >= CL_ADDRESS_NONE && address <= CL_ADDRESS_MIRRORED_REPEAT;
  if (!bad && (normalized > 1 || !modes || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR)))
    bad = cl_error(CL_INVALID_VALUE, "found coordinates %u, addressing 0x%x, filter 0x%x, expected those of OpenCL 1.2",
                   normalized, address, filter);
  if (!bad && !normalized && address >= CL_ADDRESS_REPEAT)
    bad = cl_error(CL_INVALID_VALUE, "found CL_ADDRESS_REPEAT or _MIRRORED_REPEAT without normalised coordinates");
  cl_result(ret, bad);
  if (bad) return NULL;
  cl_sampler s = object_new(SAMPLER, sizeof *s, sampler_destroy);
  if (!s) return FAIL(ret, CL_OUT_OF_HOST_MEMORY, "found no memory for a sampler");
  s->context = object_hold(context);
  s->normalized = normalized;
  s->address = address;
  s->filter = filter;
  return s;
}

uint64_t sampler_handle(cl_sampler s) {
  const uint32_t filter = s->filter == CL_FILTER_LINEAR ? 2 : 1;
  return handle_of(HANDLE_CL_SAMPLER, s->normalized | (s->address - CL_ADDRESS_NONE) << 1 | filter << 4);
}

cl_int CL_API_CALL clRetainSampler(cl_sampler s) {
  API();
  return object_retain(s, SAMPLER);
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler s) {
  API();
  return object_release(s, SAMPLER);
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s, cl_sampler_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(s, SAMPLER);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT: return INFO(o, cl_uint, s->o.refs);
    case CL_SAMPLER_CONTEXT: return INFO(o, cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS: return INFO(o, cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: return INFO(o, cl_addressing_mode, s->address);
    case CL_SAMPLER_FILTER_MODE: return INFO(o, cl_filter_mode, s->filter);
    default: return info_unknown(o);
  }
}

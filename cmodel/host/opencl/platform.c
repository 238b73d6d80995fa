/* SPDX-License-Identifier: Apache-2.0 */
/* platform: the one platform (section 4.1). */
#include "host/opencl/cl.h"

struct _cl_platform_id cl_platform = {.o = {.dispatch = &cl_table, .kind = PLATFORM, .refs = 1}};

cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  API();
  if (platforms && !num_entries) return cl_error(CL_INVALID_VALUE, "found room for 0 platforms, expected 1 or more");
  if (!platforms && !num_platforms) return cl_error(CL_INVALID_VALUE, "found no place for the answer, expected one");
  if (platforms) *platforms = &cl_platform;
  if (num_platforms) *num_platforms = 1;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                                     void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(platform, PLATFORM);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_PLATFORM_PROFILE: return info_string(o, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return info_string(o, "OpenCL 1.2 RegTwin");
    case CL_PLATFORM_NAME: return info_string(o, "RegTwin");
    case CL_PLATFORM_VENDOR: return info_string(o, "RegTwin");
    case CL_PLATFORM_EXTENSIONS: return info_string(o, "cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR: return info_string(o, "RegTwin");
    default: return info_unknown(o);
  }
}

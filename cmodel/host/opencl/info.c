/* SPDX-License-Identifier: Apache-2.0 */
/* info: answers of the clGet*Info functions: a value, its size, and the sizes that are too small. */
#include <string.h>

#include "host/opencl/cl.h"

cl_int info_bytes(const struct info *o, const void *bytes, size_t n) {
  if (o->value && o->size < n)
    return cl_error(CL_INVALID_VALUE, "found room for %zu bytes, expected %zu for parameter 0x%x", o->size, n, o->name);
  if (o->value && n) memcpy(o->value, bytes, n);
  if (o->size_ret) *o->size_ret = n;
  return CL_SUCCESS;
}

cl_int info_string(const struct info *o, const char *text) { return info_bytes(o, text, strlen(text) + 1); }

cl_int info_unknown(const struct info *o) {
  (void)o;
  return CL_INVALID_VALUE;
}

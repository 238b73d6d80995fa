/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsupported: every name of the interface exists. These definitions are weak: those of the other files take their place, and what is left
 * is not supported, says so once, and returns cudaErrorNotSupported. On x86-64 a function may ignore its arguments.
 */
#include "host/cudart/capture.h"

/* What the call would have added to a graph is not there, so that no graph is made of a capture that goes on. */
static cudaError_t call_unsupported(const char *name) {
  cudaError_t status = rt_begin(false);
  if (!status) {
    capture_invalidate_all();
    status = rt_error(cudaErrorNotSupported, name, "not supported here, gives cudaErrorNotSupported");
  }
  return rt_end(status, NULL);
}

#define NAME(name)            \
  API cudaError_t name(void); \
  __attribute__((weak)) cudaError_t name(void) { return call_unsupported(#name); }
#include "host/cudart/exports.def"

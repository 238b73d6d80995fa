/* SPDX-License-Identifier: Apache-2.0 */
/* The error codes' names and texts, and the calls that ask for the last error, which are no errors themselves. */
#include "host/cudart/runtime.h"

static const struct {
  cudaError_t code;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
#define ERROR(number, name, text) {cudaError##name, "cudaError" #name, text},
#include "host/cudart/errors.def"
#undef ERROR
};

static int error_find(cudaError_t e) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == e) return (int)i;
  return -1;
}

const char *rt_error_text(cudaError_t e) {
  int i = error_find(e);
  return i < 0 ? NULL : errors[i].text;
}

/* Both answer for any number; they take no lock and change nothing. */
API const char *cudaGetErrorName(cudaError_t e) {
  int i = error_find(e);
  return i < 0 ? "unrecognized error code" : errors[i].name;
}
API const char *cudaGetErrorString(cudaError_t e) {
  const char *text = rt_error_text(e);
  return text ? text : "unrecognized error code";
}

static cudaError_t error_get_last(bool clear) {
  rt_lock();
  cudaError_t e = rt_last_error(clear);
  rt_unlock();
  return e;
}
API cudaError_t cudaGetLastError(void) { return error_get_last(true); }
API cudaError_t cudaPeekAtLastError(void) { return error_get_last(false); }

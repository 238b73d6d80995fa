/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the OpenCL driver share: they call its functions without a loader. */
#ifndef RT_TESTS_OPENCL_KIT_H
#define RT_TESTS_OPENCL_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/opencl/cl.h"

#define OK(call) assert_int_equal((call), CL_SUCCESS)
#define BAD(code, call) assert_string_equal(cl_error_name(call), cl_error_name(code))
/* A function that returns a handle: NULL, and its last parameter is the code. */
#define BAD_HANDLE(code, call)                                    \
  do {                                                            \
    cl_int err = 12345;                                           \
    assert_null(call);                                            \
    assert_string_equal(cl_error_name(err), cl_error_name(code)); \
  } while (0)

static cl_context context;
static cl_command_queue queue;

static int make_queue(void **s) {
  (void)s;
  cl_int err = 1;
  cl_device_id d;
  OK(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU, 1, &d, NULL));
  context = clCreateContext(NULL, 1, &d, NULL, NULL, &err);
  OK(err);
  queue = clCreateCommandQueue(context, d, CL_QUEUE_PROFILING_ENABLE, &err);
  OK(err);
  return 0;
}

/* A test releases what it creates: nothing is left behind. */
static int drop_queue(void **s) {
  (void)s;
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
  for (enum object_kind k = CONTEXT; k < OBJECT_KINDS; k++)
    if (object_count(k)) fail_msg("found %u objects of kind %d after the test, expected 0", object_count(k), k);
  return 0;
}
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_queue, drop_queue)

/* What is written to standard error between the two calls; static memory. */
static int real_stderr;
static FILE *caught;
static inline void catch_stderr(void) {
  fflush(stderr);
  caught = tmpfile();
  assert_non_null(caught);
  real_stderr = dup(2);
  dup2(fileno(caught), 2);
}
static inline const char *caught_stderr(void) {
  static char text[4096];
  fflush(stderr);
  dup2(real_stderr, 2);
  close(real_stderr);
  rewind(caught);
  text[fread(text, 1, sizeof text - 1, caught)] = 0;
  fclose(caught);
  return text;
}

/* A buffer of n bytes 0, 1, 2 ... 255, 0, ... */
static inline uint8_t *counting(uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)i;
  return bytes;
}

#endif

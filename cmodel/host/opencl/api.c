/* SPDX-License-Identifier: Apache-2.0 */
/* api: the mutex and the settings around every API function, callbacks that are put off until they are released, and errors. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_env.h"
#include "host/opencl/cl.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

struct later {
  void (*f)(void *arg);
  void *arg;
};
static __thread struct { /* of this thread */
  unsigned depth;
  const char *function; /* outermost API function */
  int cancel;           /* the program's state of cancellation */
  bool calling;         /* callbacks are being called */
  struct later *later;
  unsigned nlater, cap;
} self;

/* Callbacks that one API function calls at most, those that they register themselves included. The rest is called by the next one. */
enum { MOST_CALLBACKS = 65536 };

/* A thread that was cancelled (pthread_cancel) would end within a call, with the mutex: it ends after the call. */
const char *api_enter(const char *function) {
  host_env_enter();
  int cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&mutex);
  if (!self.depth++) {
    self.function = function;
    self.cancel = cancel;
  }
  return function;
}

/* Callbacks may register others, which are called after them, not within them. */
static void call_all(void) {
  for (unsigned called = 0; self.nlater && called < MOST_CALLBACKS;) {
    struct later *list = self.later;
    const unsigned n = self.nlater;
    self.later = NULL;
    self.nlater = self.cap = 0;
    for (unsigned i = 0; i < n; i++) list[i].f(list[i].arg);
    free(list);
    called += n;
  }
}

void api_leave(const char **function) {
  (void)function;
  const bool outermost = !--self.depth;
  const int cancel = self.cancel;
  pthread_mutex_unlock(&mutex);
  host_env_leave();
  if (!outermost) return;
  if (!self.calling) {
    self.calling = true;
    call_all();
    self.calling = false;
  }
  pthread_setcancelstate(cancel, NULL);
}

/* Callbacks run first: who waits may wait for what they do. */
void api_sleep(void) {
  if (!self.nlater) {
    pthread_cond_wait(&changed, &mutex);
    return;
  }
  const char *function = self.function;
  const unsigned depth = self.depth;
  const int cancel = self.cancel;
  self.depth = 0;
  for (unsigned i = 0; i < depth; i++) {
    pthread_mutex_unlock(&mutex);
    host_env_leave();
  }
  call_all();
  for (unsigned i = 0; i < depth; i++) {
    host_env_enter();
    pthread_mutex_lock(&mutex);
  }
  self.depth = depth;
  self.function = function;
  self.cancel = cancel;
}

bool api_try(void) {
  if (pthread_mutex_trylock(&mutex)) return false;
  host_env_enter();
  if (!self.depth++) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &self.cancel);
  return true;
}

void api_wake(void) { pthread_cond_broadcast(&changed); }

void api_later(void (*f)(void *arg), void *arg) {
  VEC_PUSH(self.later, self.nlater, self.cap) = (struct later){f, arg};
}

void cl_result(cl_int *errcode_ret, cl_int code) {
  if (errcode_ret) *errcode_ret = code;
}

cl_int cl_error(cl_int code, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  note_once("%s: %s: %s", self.function ? self.function : "OpenCL", cl_error_name(code), text);
  return code;
}

cl_int cl_device_error(enum device_status status, const struct err *e) {
  static const cl_int codes[] = {
      [DEVICE_OK] = CL_SUCCESS,
      [DEVICE_NO_MEMORY] = CL_MEM_OBJECT_ALLOCATION_FAILURE,
      [DEVICE_BAD_VALUE] = CL_INVALID_VALUE,
      [DEVICE_BAD_PTX] = CL_INVALID_BINARY,
      [DEVICE_REFUSED] = CL_OUT_OF_RESOURCES,
      [DEVICE_TOO_LARGE] = CL_OUT_OF_RESOURCES,
      [DEVICE_FAULT] = CL_OUT_OF_RESOURCES,
      [DEVICE_ASSERT] = CL_OUT_OF_RESOURCES,
      [DEVICE_SPENT] = CL_OUT_OF_RESOURCES,
  };
  if (status == DEVICE_OK) return CL_SUCCESS;
  if (status == DEVICE_FAULT || status == DEVICE_ASSERT || status == DEVICE_SPENT) session_spent();
  char text[1024];
  err_format(e, text, sizeof text);
  return cl_error(codes[status], "%s", text);
}

const char *cl_error_name(cl_int code) {
  static const struct {
    cl_int code;
    const char *name;
  } names[] = {
#define NAME(c) {c, #c}
      NAME(CL_SUCCESS),
      NAME(CL_DEVICE_NOT_FOUND),
      NAME(CL_DEVICE_NOT_AVAILABLE),
      NAME(CL_COMPILER_NOT_AVAILABLE),
      NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      NAME(CL_OUT_OF_RESOURCES),
      NAME(CL_OUT_OF_HOST_MEMORY),
      NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
      NAME(CL_MEM_COPY_OVERLAP),
      NAME(CL_IMAGE_FORMAT_MISMATCH),
      NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
      NAME(CL_BUILD_PROGRAM_FAILURE),
      NAME(CL_MAP_FAILURE),
      NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
      NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      NAME(CL_COMPILE_PROGRAM_FAILURE),
      NAME(CL_LINKER_NOT_AVAILABLE),
      NAME(CL_LINK_PROGRAM_FAILURE),
      NAME(CL_DEVICE_PARTITION_FAILED),
      NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
      NAME(CL_INVALID_VALUE),
      NAME(CL_INVALID_DEVICE_TYPE),
      NAME(CL_INVALID_PLATFORM),
      NAME(CL_INVALID_DEVICE),
      NAME(CL_INVALID_CONTEXT),
      NAME(CL_INVALID_QUEUE_PROPERTIES),
      NAME(CL_INVALID_COMMAND_QUEUE),
      NAME(CL_INVALID_HOST_PTR),
      NAME(CL_INVALID_MEM_OBJECT),
      NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
      NAME(CL_INVALID_IMAGE_SIZE),
      NAME(CL_INVALID_SAMPLER),
      NAME(CL_INVALID_BINARY),
      NAME(CL_INVALID_BUILD_OPTIONS),
      NAME(CL_INVALID_PROGRAM),
      NAME(CL_INVALID_PROGRAM_EXECUTABLE),
      NAME(CL_INVALID_KERNEL_NAME),
      NAME(CL_INVALID_KERNEL_DEFINITION),
      NAME(CL_INVALID_KERNEL),
      NAME(CL_INVALID_ARG_INDEX),
      NAME(CL_INVALID_ARG_VALUE),
      NAME(CL_INVALID_ARG_SIZE),
      NAME(CL_INVALID_KERNEL_ARGS),
      NAME(CL_INVALID_WORK_DIMENSION),
      NAME(CL_INVALID_WORK_GROUP_SIZE),
      NAME(CL_INVALID_WORK_ITEM_SIZE),
      NAME(CL_INVALID_GLOBAL_OFFSET),
      NAME(CL_INVALID_EVENT_WAIT_LIST),
      NAME(CL_INVALID_EVENT),
      NAME(CL_INVALID_OPERATION),
      NAME(CL_INVALID_GL_OBJECT),
      NAME(CL_INVALID_BUFFER_SIZE),
      NAME(CL_INVALID_MIP_LEVEL),
      NAME(CL_INVALID_GLOBAL_WORK_SIZE),
      NAME(CL_INVALID_PROPERTY),
      NAME(CL_INVALID_IMAGE_DESCRIPTOR),
      NAME(CL_INVALID_COMPILER_OPTIONS),
      NAME(CL_INVALID_LINKER_OPTIONS),
      NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
#undef NAME
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) return names[i].name;
  return "unknown error";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* state: the process's session, its lock, its errors, and what is written when the process ends. */
#define _GNU_SOURCE /* a recursive mutex without a constructor */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_env.h"
#include "host/cudart/runtime.h"
#include "host/session/results.h"

static struct {
  struct device *device; /* NULL: not open */
  unsigned generation;   /* sessions so far */
  bool failed;           /* it could not be opened: told once, every call fails */
  bool ended;            /* the process ends: every call fails */
  cudaError_t sticky;
  pid_t process; /* that opened it: a child that the program forks cannot use it */
} rt;
static _Thread_local cudaError_t last_error;
static _Thread_local bool told; /* this call has printed its error */
static _Thread_local const char *called;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static _Thread_local unsigned depth; /* of this thread's calls of rt_lock */
static _Thread_local int cancel;     /* the program's state of cancellation */

/* A thread that was cancelled (pthread_cancel) would end within a call, with the lock: it ends after the call. */
static void state_entered(int cancel_before) {
  if (!depth++) cancel = cancel_before;
}

void rt_lock(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  host_env_enter();
  pthread_mutex_lock(&lock);
  state_entered(before);
}

static bool try_lock(void) {
  if (pthread_mutex_trylock(&lock)) return false;
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  host_env_enter();
  state_entered(before);
  return true;
}

void rt_unlock(void) {
  const bool outermost = !--depth;
  const int before = cancel;
  pthread_mutex_unlock(&lock);
  host_env_leave();
  if (outermost) pthread_setcancelstate(before, NULL);
}

struct device *rt_device(void) {
  return rt.device;
}

unsigned rt_generation(void) { return rt.generation; }

/* ---- session ---- */

static bool open_device(struct err *e) {
  struct device_env env = {0};
  if (!device_env_read(&env, e)) return false;
  env.settings.mapped = true;
  rt.device = device_open(&env.settings, e);
  if (rt.device && !results_begin(rt.device, &env, "CUDA", e)) {
    device_close(rt.device);
    rt.device = NULL;
  }
  device_env_free(&env);
  return rt.device;
}

static cudaError_t state_open_session(void) {
  if (rt.device) return cudaSuccess;
  if (rt.failed) return cudaErrorInitializationError;
  struct err e = {0};
  if (open_device(&e)) {
    rt.generation++;
    rt.process = getpid();
    return cudaSuccess;
  }
  rt.failed = true;
  char text[1200];
  err_format(&e, text, sizeof text);
  note("%s", text);
  return cudaErrorInitializationError;
}

static void state_close_session(void) {
  if (!rt.device) return;
  results_end();
  device_close(rt.device);
  rt.device = NULL;
}

void rt_reset(void) {
  state_close_session();
  rt.sticky = last_error = cudaSuccess;
}

/* Runs after all atexit handlers of the program, thus after __cudaUnregisterFatBinary. */
__attribute__((destructor)) static void state_end(void) {
  if (!try_lock()) { /* a thread that main has left behind */
    if (results_wanted())
      warn("another thread is within a call of CUDA: a launch that has not ended is not among the results");
    results_end();
    return;
  }
  rt.ended = true;
  state_close_session();
  rt_unlock();
}

/* ---- calls ---- */

cudaError_t rt_begin(bool session) {
  rt_lock();
  told = false;
  if (rt.ended) return cudaErrorCudartUnloading;
  if (!session) return cudaSuccess;
  if (rt.device && rt.process != getpid())
    return rt_error(cudaErrorInitializationError, "fork",
                    "a forked process cannot use the device that its parent has used");
  return rt.sticky ? rt.sticky : state_open_session();
}

void rt_enter(const char *call) { called = call; }

const char *rt_call(void) { return called; }

cudaError_t rt_end(cudaError_t status, const char *call) {
  if (status) last_error = status;
  if (status && call && !told) rt_error(status, call, "%s", rt_error_text(status));
  rt_unlock();
  return status;
}

/* ---- errors ---- */

cudaError_t rt_error(cudaError_t code, const char *call, const char *fmt, ...) {
  char text[1400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  rt_lock();
  told = true;
  note_once("%s: %s", call, text);
  rt_unlock();
  return code;
}

/* What a kernel did, as exec/ tells it. */
static cudaError_t fault_code(enum fault fault) {
  switch (fault) {
    case FAULT_ASSERT: return cudaErrorAssert;
    case FAULT_BOUNDS: return cudaErrorIllegalAddress;
    case FAULT_ALIGN: return cudaErrorMisalignedAddress;
    case FAULT_SPACE: return cudaErrorInvalidAddressSpace;
    case FAULT_ENDLESS: return cudaErrorLaunchTimeout;
    case FAULT_TEXTURE:
    case FAULT_OTHER: break;
  }
  return cudaErrorLaunchFailure;
}

static cudaError_t state_code_of(enum device_status status, const struct err *e) {
  switch (status) {
    case DEVICE_OK: return cudaSuccess;
    case DEVICE_NO_MEMORY: return cudaErrorMemoryAllocation;
    case DEVICE_BAD_VALUE: return cudaErrorInvalidValue;
    case DEVICE_BAD_PTX: return cudaErrorInvalidPtx;
    case DEVICE_REFUSED: return cudaErrorNotSupported;
    case DEVICE_TOO_LARGE: return cudaErrorLaunchOutOfResources;
    case DEVICE_FAULT: return fault_code(e->fault);
    case DEVICE_ASSERT: return cudaErrorAssert;
    case DEVICE_SPENT: return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

cudaError_t rt_status(enum device_status status, const char *call, const struct err *e) {
  if (status == DEVICE_OK) return cudaSuccess;
  cudaError_t code = state_code_of(status, e);
  if (status == DEVICE_FAULT || status == DEVICE_ASSERT || status == DEVICE_SPENT) rt.sticky = code;
  char text[1200];
  err_format(e, text, sizeof text);
  return rt_error(code, call, "%s", text);
}

cudaError_t rt_last_error(bool clear) {
  cudaError_t e = rt.sticky ? rt.sticky : last_error;
  if (clear) last_error = cudaSuccess;
  return e;
}

void rt_set_last_error(cudaError_t e) { last_error = e; }

cudaError_t rt_sticky(void) { return rt.sticky; }

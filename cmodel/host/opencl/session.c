/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: the one session of the process, from the environment (device_env_read). It is opened by the first call that needs it. Its results
 * are written at the end of the process, also after a fault (host/session/results.h).
 *
 * A fault ends it: every later launch is CL_OUT_OF_RESOURCES. When the program has released its last context and creates another one,
 * the results are written, the session is closed and a new one opened.
 */
#include <stdlib.h>
#include <unistd.h>

#include "host/session/results.h"
#include "host/opencl/cl.h"

static struct {
  struct device *device;
  struct device_env env;
  bool tried, spent;
  pid_t process; /* whose launches the session has */
} the;

static void session_say(const struct err *e) {
  char text[1200];
  err_format(e, text, sizeof text);
  note("%s", text);
}

static bool session_open(struct err *e) {
  if (!device_env_read(&the.env, e)) return false;
  the.env.settings.mapped = false;
  the.device = device_open(&the.env.settings, e);
  if (the.device && !results_begin(the.device, &the.env, "OpenCL", e)) {
    device_close(the.device);
    the.device = NULL;
  }
  return the.device != NULL;
}

/* A child that the program has forked goes on with a copy of the session, and writes the results of its own launches. */
static void in_a_fork(void) {
  device_forget_launches(the.device);
  the.process = getpid();
  results_reset_in_fork();
}

struct device *session_device(void) {
  if (the.device && the.process != getpid()) in_a_fork();
  if (the.tried) return the.device;
  the.tried = true;
  struct err e = {0};
  if (!session_open(&e)) {
    session_say(&e);
    return NULL;
  }
  the.process = getpid();
  return the.device;
}

void session_spent(void) { the.spent = true; }

void session_renew(void) {
  if (!the.spent || object_count(CONTEXT)) return;
  results_end();
  device_close(the.device);
  device_env_free(&the.env);
  the.device = NULL;
  the.tried = the.spent = false;
}

/* The session stays: destructors of the program may come later. */
__attribute__((destructor)) static void at_exit(void) {
  if (!the.device || the.process != getpid()) return;
  if (!api_try()) {
    if (results_wanted())
      warn("another thread is within a call of OpenCL: a launch that has not ended is not among the results");
    results_end();
    return;
  }
  results_end();
  device_warn_unmet(the.device);
  const char *function = NULL;
  api_leave(&function);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: the one session of the process, from the environment (device_env_read). It is opened by the first call that needs it, and at the
 * end of the process its results are written, also after a fault.
 *
 * A fault ends it: every later launch is CL_OUT_OF_RESOURCES. When the program has released its last context and creates another one,
 * the results are written, the session is closed and a new one opened, whose results go to a file of their own (device_json_path).
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "opencl/cl.h"

static struct {
  struct device *device;
  struct device_env env;
  bool tried, spent;
  unsigned count; /* sessions so far */
  pid_t process;  /* a child that the program forks writes no results */
} the;

static void say(const struct err *e) {
  char text[1200];
  err_format(e, text, sizeof text);
  note("%s", text);
}

static bool open_session(struct err *e) {
  if (!device_env_read(&the.env, e)) return false;
  char why[IO_WHY];
  /* The results would be lost at the end. */
  if (the.env.json && !output_possible(the.env.json, why))
    return err_at(e, NULL, 0, 0, "REGTWIN_JSON: %s: %s", the.env.json, why);
  the.env.settings.mapped = false;
  the.device = device_open(&the.env.settings, e);
  return the.device != NULL;
}

struct device *session(void) {
  if (the.tried) return the.device;
  the.tried = true;
  struct err e = {0};
  if (!open_session(&e)) {
    say(&e);
    return NULL;
  }
  the.count++;
  the.process = getpid();
  return the.device;
}

/* A later session that launched nothing has no file. */
static void write_results(void) {
  if (!the.device || !the.env.json || the.process != getpid()) return;
  if (the.count > 1 && !device_launches(the.device)) return;
  struct err e = {0};
  char *path = device_json_path(the.env.json, the.count);
  if (!device_write_json(the.device, path, &e)) say(&e);
  free(path);
}

void session_spent(void) { the.spent = true; }

void session_renew(void) {
  if (!the.spent || object_count(CONTEXT)) return;
  write_results();
  device_close(the.device);
  device_env_free(&the.env);
  the.device = NULL;
  the.tried = the.spent = false;
}

/* The session stays: destructors of the program may come later. */
__attribute__((destructor)) static void at_exit(void) {
  if (!api_try()) {
    if (the.env.json) warn("another thread is within a call of OpenCL: %s is not written", the.env.json);
    return;
  }
  write_results();
  if (the.device && the.process == getpid()) device_warn_unmet(the.device);
  const char *function = NULL;
  api_leave(&function);
}

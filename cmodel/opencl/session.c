/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: the one session of the process, from the environment (device_env_read). It is opened by the first call that needs it, and at the
 * end of the process its results are written, also after a fault.
 *
 * A fault ends it: every later launch is CL_OUT_OF_RESOURCES. When the program has released its last context and creates another one,
 * the session is closed and a new one opened; the results of the first are then written at once, and each later session writes into
 * REGTWIN_JSON with a number before its suffix (out.json, out.2.json).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/cl.h"

static struct {
  struct device *device;
  struct device_env env;
  bool tried, spent;
  unsigned count; /* sessions so far */
  pid_t process;  /* a child that the program forks writes no results */
} the;

struct device *session(void) {
  if (the.tried) return the.device;
  the.tried = true;
  struct err e = {0};
  if (device_env_read(&the.env, &e)) {
    the.env.settings.mapped = false;
    the.device = device_open(&the.env.settings, &e);
  }
  if (the.device) {
    the.count++;
    the.process = getpid();
    return the.device;
  }
  char text[1024];
  err_format(&e, text, sizeof text);
  note("%s", text);
  return NULL;
}

/* out.json, out.2.json, out.3.json; a name without a suffix: out, out.2. */
static char *json_path(void) {
  const char *path = the.env.json;
  size_t n = strlen(path) + 16;
  char *text = xmalloc(n);
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (dot && (dot == path || dot[-1] == '/' || (slash && dot < slash))) dot = NULL;
  int stem = (int)(dot ? dot - path : (long)strlen(path));
  if (the.count == 1 || !strcmp(path, "-")) snprintf(text, n, "%s", path);
  else snprintf(text, n, "%.*s.%u%s", stem, path, the.count, dot ? dot : "");
  return text;
}

static void finish(void) {
  if (!the.device) return;
  if (the.env.json && the.process == getpid()) {
    char *path = json_path();
    struct err e = {0};
    if (!device_write_json(the.device, path, &e)) {
      char text[1024];
      err_format(&e, text, sizeof text);
      note("%s", text);
    }
    free(path);
  }
  device_close(the.device);
  the.device = NULL;
}

void session_spent(void) { the.spent = true; }

void session_renew(void) {
  if (!the.spent || object_count(CONTEXT)) return;
  finish();
  device_env_free(&the.env);
  the.tried = the.spent = false;
}

__attribute__((destructor)) static void at_exit(void) {
  if (!api_try()) return; /* another thread is within a call */
  finish();
  device_env_free(&the.env);
}

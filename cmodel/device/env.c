/* SPDX-License-Identifier: Apache-2.0 */
/* env: settings of a session from the environment. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* An empty variable is as good as none. */
static const char *variable(const char *name) {
  const char *v = getenv(name);
  return v && v[0] ? v : NULL;
}

/* Cuts the copy at its blanks. */
static void split(struct device_env *env) {
  unsigned cap = 0;
  static const char blank[] = " \t\n";
  for (char *s = env->text + strspn(env->text, blank); *s; s += strspn(s, blank)) {
    VEC_PUSH(env->sets, env->settings.sets, cap) = s;
    s += strcspn(s, blank);
    if (*s) *s++ = 0;
  }
  env->settings.set = env->sets;
}

bool device_env_read(struct device_env *env, struct err *e) {
  const char *set = variable("REGTWIN_SET"), *bounds = variable("REGTWIN_BOUNDS");
  *env = (struct device_env){.settings = {.machine = variable("REGTWIN_CONFIG"),
                                          .system = variable("REGTWIN_SYSTEM"),
                                          .time = variable("REGTWIN_TIME"),
                                          .lenient = bounds && !strcmp(bounds, "lenient")},
                             .json = variable("REGTWIN_JSON")};
  if (bounds && !env->settings.lenient && strcmp(bounds, "strict") != 0)
    return err_at(e, NULL, 0, 0, "REGTWIN_BOUNDS: found '%.60s', expected strict or lenient", bounds);
  if (!set) return true;
  env->text = xmalloc(strlen(set) + 1);
  memcpy(env->text, set, strlen(set) + 1);
  split(env);
  return true;
}

void device_env_free(struct device_env *env) {
  free(env->text);
  free(env->sets);
  *env = (struct device_env){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* env: settings of a session from the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/session/chosen.h"
#include "host/session/device.h"
#include "lab/report/json.h"

/* An empty variable is as good as none. */
static const char *env_variable(const char *name) {
  const char *v = getenv(name);
  return v && v[0] ? v : NULL;
}

/* Cuts the copy at its blanks. */
static void env_split_sets(struct device_env *env) {
  unsigned cap = 0;
  static const char blank[] = " \t\n";
  for (char *s = env->text + strspn(env->text, blank); *s; s += strspn(s, blank)) {
    VEC_PUSH(env->sets, env->settings.sets, cap) = s;
    s += strcspn(s, blank);
    if (*s) *s++ = 0;
  }
  env->settings.set = env->sets;
}

/* The error is of this variable; its place, if it has one, is in a configuration's file. Returns false. */
static bool env_error_of(const char *name, struct err *e) {
  const struct err was = *e;
  *e = (struct err){0};
  return err_at(e, was.file, was.line, was.col, "%s: %s", name, was.text);
}

/* Likewise of a setting, which config_set places among the arguments of a command line. */
static bool env_error_of_setting(struct err *e) {
  e->file[0] = 0;
  e->line = e->col = 0;
  return env_error_of("REGTWIN_SET", e);
}

/* device_open would find the same errors, and not say where the value came from. */
static bool env_check_values(const struct device_env *env, struct err *e) {
  const struct device_settings *s = &env->settings;
  struct config c;
  struct chosen chosen;
  config_defaults(&c);
  if (s->machine && !config_machine(&c, s->machine, e)) return env_error_of("REGTWIN_CONFIG", e);
  if (!config_load(&c, s->machine, s->system ? s->system : "baseline", e)) return env_error_of("REGTWIN_SYSTEM", e);
  for (unsigned i = 0; i < s->sets; i++)
    if (!config_set(&c, s->set[i], 0, e)) return env_error_of_setting(e);
  const bool times = chosen_read(&chosen, s->time, e);
  chosen_free(&chosen);
  if (!times) return env_error_of("REGTWIN_TIME", e);
  return !env->json || json_writable(env->json, e) || env_error_of("REGTWIN_JSON", e);
}

bool device_env_read(struct device_env *env, struct err *e) {
  const char *set = env_variable("REGTWIN_SET"), *bounds = env_variable("REGTWIN_BOUNDS");
  *env = (struct device_env){.settings = {.machine = env_variable("REGTWIN_CONFIG"),
                                          .system = env_variable("REGTWIN_SYSTEM"),
                                          .time = env_variable("REGTWIN_TIME"),
                                          .lenient = bounds && !strcmp(bounds, "lenient"),
                                          .launches = env_variable("REGTWIN_JSON") != NULL},
                             .json = env_variable("REGTWIN_JSON")};
  const char *run = env_variable("REGTWIN_RUN");
  if (run) env->run = strtoull(run, NULL, 10);
  if (set) {
    env->text = xmalloc(strlen(set) + 1);
    memcpy(env->text, set, strlen(set) + 1);
    env_split_sets(env);
  }
  if (bounds && !env->settings.lenient && strcmp(bounds, "strict") != 0)
    return err_at(e, NULL, 0, 0, "REGTWIN_BOUNDS: found '%.60s', expected strict or lenient", bounds);
  return env_check_values(env, e);
}

void device_env_free(struct device_env *env) {
  free(env->text);
  free(env->sets);
  *env = (struct device_env){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* plan: see plan.h. */
#include "lab/plan.h"

#include <stdio.h>
#include <string.h>

/* "a.b=1:c.d=2", each as --set takes it. */
static bool own_settings(struct config *c, const char *list, int arg, struct err *e) {
  while (*list) {
    char one[128];
    size_t n = strcspn(list, ":");
    snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), list);
    if (!config_set(c, one, arg, e)) return false;
    list += n + (list[n] == ':');
  }
  return true;
}

bool settings_apply(const struct settings *s, const char *system, const char *own, struct config *c,
                    struct err *e) {
  config_defaults(c);
  if (!config_machine(c, s->machine, e) || !config_system(c, system, e)) return false;
  if (!own_settings(c, own, s->system_arg, e)) return false;
  for (unsigned i = 0; i < s->nset; i++)
    if (!config_set(c, s->set[i], s->set_arg[i], e)) return false;
  return config_check(c, e);
}

bool plan_find(struct plan *p, const char *name, const struct settings *s, struct err *e) {
  char system[1024];
  size_t n = strcspn(name, ":");
  memset(p, 0, sizeof *p);
  snprintf(system, sizeof system, "%.*s", (int)(n < sizeof system ? n : sizeof system - 1), name);
  if (!settings_apply(s, system, name[n] ? name + n + 1 : "", &p->cfg, e)) return false;
  snprintf(p->label, sizeof p->label, "%s%s", p->cfg.system, name + n);
  return true;
}

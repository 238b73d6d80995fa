/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: what a system's name means. A name may carry settings of its own, "NAME:section.key=value:...".
 */
#ifndef RT_LAB_PLAN_H
#define RT_LAB_PLAN_H

#include "lab/run.h"

/* Machine and --set of the command line, as config_machine and config_set take them. */
struct settings {
  const char *machine;
  const char *const *set;
  const int *set_arg; /* number of the argument, for messages */
  unsigned nset;
  int system_arg; /* of the one with the systems' names */
};

/* Machine, system, settings that the system's name carries ("section.key=value:..."; "": none), those of the
 * command line, and the rules between keys. */
bool settings_apply(const struct settings *s, const char *system, const char *own, struct config *c,
                    struct err *e);

struct plan {
  char label[128]; /* as reports call it */
  struct config cfg;
};
/* False and *e: unknown (the message lists what there is), or settings that do not fit. */
bool plan_find(struct plan *p, const char *name, const struct settings *s, struct err *e);

#endif

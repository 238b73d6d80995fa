/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan: the configurations of a system's name. Most names are one configuration (systems/FOLDER/NAME.conf). Some
 * systems of the papers have settings that depend on the kernel (PLAN lines of systems/NAME/paper.def). A name may carry settings,
 * "NAME:section.key=value:...".
 */
#ifndef RT_CAMPAIGN_PLAN_H
#define RT_CAMPAIGN_PLAN_H

#include "lab/run/run.h"
#include "lab/run/shape.h"

/* Machine and --set of the command line, as config_machine and config_set take them. */
struct settings {
  const char *machine; /* NULL: the system's, as config_load takes it */
  const char *const *set;
  const int *set_arg; /* number of the argument, for messages */
  unsigned nset;
  int system_arg;   /* of the one with the systems' names */
  bool all_sms;     /* sim.sms is what gpu.sms is */
  unsigned threads; /* of the host, for each run; 0: as many as are free. No key, since results do not depend on it */
};
/* Machine, system, settings that the system's name carries ("section.key=value:..."; "": none), those of the
 * command line, and the rules between keys. */
bool settings_apply(const struct settings *s, const char *system, const char *own, struct config *c, struct err *e);

/* What a PLAN does with its base; of several configurations a kernel has the one with the best IPC. */
enum plan_kind {
  /* `key` is `first`, `first` + `step`, ... `last`. */
  PLAN_SWEEP,
  /* The same over two keys. `key` is that many percent of the kernel's registers, rounded up, or 0 for 100; then `also` does not matter. */
  PLAN_SHARES,
  /* One memory, as large as the machine's together, holds shared memory, L1 and the registers beyond the first half of the register file (or
   * what the residency's hook `unified` says): for each kernel shared memory first, then registers, the rest L1. */
  PLAN_UNIFIED,
  /* As much of everything as it takes to hold as many CTAs of the entry as `other` had on average. */
  PLAN_MATCH,
  /* A register file that holds as many CTAs as fit on `other`, of the entry's largest launch. */
  PLAN_FIT,
  /* sm.ctas from 1 to as many as fit. */
  PLAN_LIMIT,
  /* An L1 that is larger by the registers that no CTA ever holds. */
  PLAN_EXTEND,
  /* Both: an L1 that is larger by all registers that so many CTAs leave. */
  PLAN_LIMIT_EXTEND
};
struct plan_info { /* a line PLAN(name, base, kind, text, .member = value...) */
  enum plan_kind kind;
  const char *name, *base, *text;
  const char *key; /* SWEEP, SHARES: the key and its values */
  int first, last, step;
  const char *also; /* SHARES: the other key and its values */
  int also_first, also_last, also_step;
  const char *other; /* MATCH, FIT: the system that is followed */
};
extern const struct plan_info plan_infos[];
extern const unsigned plan_ninfos;

struct plan {
  char label[128];              /* as reports call it */
  const struct plan_info *info; /* NULL: one configuration */
  struct config cfg, other;     /* of the base; of the system that MATCH or FIT follows */
};
/* There is such a system and machine, and the name's settings are possible; rules between keys are not asked. */
bool plan_known(const char *name, const char *machine, struct err *e);
/* False and *e: unknown (the message lists what there is), or settings that do not fit. */
bool plan_find(struct plan *p, const char *name, const struct settings *s, struct err *e);
/* MATCH, FIT: their points are known only when the kernel has run as in p->other. */
static inline bool plan_follows(const struct plan *p) {
  return p->info && (p->info->kind == PLAN_MATCH || p->info->kind == PLAN_FIT);
}

enum { PLAN_SHAPES = 32, PLAN_POINTS = 32, PLAN_WHAT = 96 };
struct plan_kernel {                      /* the resources that a kernel of the suite needs on an SM */
  struct kernel_shape shape[PLAN_SHAPES]; /* of each kernel that its file launches; the first one is the entry */
  unsigned n;
};
/* Of a kernel by name or path, in that size, its instructions in the order that cfg says (compile.schedule). */
bool plan_kernel(const char *name, const char *size, const struct config *cfg, struct plan_kernel *k, struct err *e);

struct plan_point { /* a run that stands for the system; of several, the one with the best IPC */
  struct config cfg;
  char what[PLAN_WHAT]; /* what was chosen for the kernel; "" */
};
/* The points of a kernel, at most PLAN_POINTS. `followed`: what the kernel did as in p->other, or NULL. 0 and
 * *e: the kernel does not fit. */
unsigned plan_points(const struct plan *p, const struct plan_kernel *k, const struct run_result *followed,
                     struct plan_point *out, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* load: from a name or a launch file to allocated kernels, ready to run. */
#ifndef RT_RUN_LOAD_H
#define RT_RUN_LOAD_H

#include "config/config.h"
#include "launch/launch.h"
#include "lab/kernels/suite/about.h"

struct workload {
  char name[128];  /* as the user would say it: "sgemm", or the launch file's name without its ending */
  char size[32];   /* that runs: "small"; empty for a file without sizes */
  bool suite;      /* a kernel of the suite, by name; else a launch file by its path */
  char path[1024]; /* of the launch file */
  struct script *script;
  struct module *module;     /* allocated; used up by one run, since a run writes its memory: see run.h */
  struct host_limits limits; /* of its run; from workload_read: the defaults of the schema */
  struct compiled *compiled; /* narrow code (lab/run/compile.h); NULL: registers of 32 bits */
  /* A trace (lab/run/trace.h): path is its file, and there is no script. */
  bool is_trace; /* from workload_find */
  struct imported
      *imported;     /* of Accel-Sim's files: the trace without a name that they became (lab/run/trace.c); NULL */
  struct trf *trace; /* from workload_compile; NULL: a launch file is executed */
  struct err broken; /* where it breaks off, if it is not whole */
  char entry[128];   /* kernel that the manifest of what was recorded names */
  uint64_t seed;     /* of the run that was recorded */
};

/* As its keys sim.max_insns and sim.max_statements say. */
struct host_limits workload_limits(const struct config *c);
/* Where the kernels lie: $REGTWIN_TRACES, ./traces, beside the program (a build tree or an installation), or
 * where the library was installed with them. False: nowhere. */
bool traces_root(char *buf, size_t size);
extern const char traces_installed[]; /* "": not installed (lab/run/place.c) */
/* All kernels there, with their manifests. *s may be freed after an error, too. */
bool suite_open(struct suite *s, struct err *e);
/* The launch file of a kernel by name (its own, or a paper's: lab/kernels/suite/about.h), or a path (one with '/' or that ends in
 * .launch, .trf, .traceg, .traceg.xz or .g) as it is. */
bool workload_find(const char *name, struct workload *w, struct err *e);
/* workload_find, of no trace, then the launch file is read, its size chosen (script_choose) and its PTX parsed. */
bool workload_read(const char *name, const char *size, struct workload *w, struct err *e);
/* Allocates every kernel: as many registers as the launch file says, or, with `need`, as the code needs. */
bool workload_alloc(struct workload *w, bool need, struct err *e);
/* Both. */
bool workload_open(const char *name, const char *size, struct workload *w, struct err *e);
void workload_close(struct workload *w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results: the file with the results of a host program's session (REGTWIN_JSON). It is written when the session ends, when the
 * process ends, and when a signal ends the process. A library has one session at a time.
 *
 * Several sessions of one run want the same file: of programs under one shell, of the ranks of an MPI program, of forks, and of CUDA and
 * OpenCL in one process. Each writes a file of its own (base/claim.h), which says whose results it has.
 */
#ifndef RT_SESSION_RESULTS_H
#define RT_SESSION_RESULTS_H

#include "host/session/device.h"

/* From now on the results of d are written as above, to env->json; nothing without it. `interface`: "CUDA", "OpenCL". False and *e: the file
 * cannot be written. */
bool results_begin(struct device *d, const struct device_env *env, const char *interface, struct err *e);
/* Writes them now, if results_begin was called in this process; call it before device_close. A second call does nothing. */
void results_end(void);
bool results_wanted(void); /* between the two */
/* To be called in a fork of the process that has called results_begin: from now on results are those of the fork. */
void results_reset_in_fork(void);

/* ---- for host/session/ ---- */

/* What the results hold is changed between the two calls: no signal handler looks at it in the meantime. */
struct results_guard {
  bool active;
  unsigned long saved[16]; /* the thread's signal mask */
};
void results_change(struct results_guard *g);
void results_changed(const struct results_guard *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity: what a run's result depends on, as SHA-256 hashes: the program (the sources of the model, not the compiler or what
 * prints results), the configuration (every key, and the contents of files that keys name), the work (the launch file, its PTX
 * and data files, the manifest and the widths beside it, or the trace), and with seed and size the run itself.
 */
#ifndef RT_DATABASE_IDENTITY_H
#define RT_DATABASE_IDENTITY_H

#include "lab/run/task.h"

enum { IDENTITY = 65 }; /* 64 hexadecimal digits and a NUL */
extern const char identity_program[IDENTITY];
bool identity_config(const struct config *c, char id[IDENTITY], struct err *e);
/* Of what workload_find has found. */
bool identity_work(const struct workload *w, char id[IDENTITY], struct err *e);
/* `what`: the name of the struct work. */
void identity_run(const char *what, const char *config, const char *work, const char *size, uint64_t seed,
                  char id[IDENTITY]);

#endif

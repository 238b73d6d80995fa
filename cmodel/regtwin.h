/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regtwin: run a kernel under a configuration and read its statistics, from C or C++. docs/use/library.md has an
 * example; link with `pkg-config --cflags --libs regtwin`.
 *
 * - Errors. What can fail takes an rt_error and returns false or NULL; the error has the place and one
 * sentence. The library prints nothing but warnings ("regtwin: warning: ..." on standard error) and ends the
 * process only when memory is exhausted.
 * - Ownership. What an rt_*_new, rt_open or rt_run returns belongs to the caller and is given back with the
 * function named beside it; NULL may be given back. Strings that are passed in are copied. Strings that are
 * handed out live as long as the object they come from.
 * - Units. Times are cycles of the SM's clock, sizes bytes, ratios fractions of 1, unless a name says
 * otherwise. `regtwin config --explain` has the unit of every key, docs/use/results.md that of every statistic.
 * - The same input, configuration and seed give the same statistics on every host.
 * - Objects share nothing, but the library is not made for several threads; processes may run side by side.
 */
#ifndef REGTWIN_H
#define REGTWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *rt_version(void); /* "0.1.0" */

typedef struct rt_error {
  int line, col;  /* from 1; 0: unknown or not of a file */
  char file[256]; /* as it was given; "": not of a file */
  char text[768]; /* one sentence: what was found, what was expected */
} rt_error;
/* "FILE:LINE:COL: error: TEXT", without the parts that are unknown; at most `size` bytes with the final 0. */
void rt_error_format(const rt_error *e, char *buf, size_t size);

/* ---- configuration: a machine, a system preset, and keys ---- */

typedef struct rt_config rt_config;
/* Names as `regtwin list configs` and `regtwin list systems` have them, or paths of .conf files; NULL:
 * the machine that the system's file names, or gtx980; baseline. */
rt_config *rt_config_new(const char *machine, const char *system, rt_error *e); /* rt_config_free */
void rt_config_free(rt_config *c);
/* One key, "l1.bytes" to "65536"; "x1.5" multiplies what is there. On an error nothing has changed. */
bool rt_config_set(rt_config *c, const char *key, const char *value, rt_error *e);
/* The value in force, as a file would have it; false: there is no such key. */
bool rt_config_get(const rt_config *c, const char *key, char *buf, size_t size);

/* ---- workload: a launch file with its PTX ---- */

typedef struct rt_workload rt_workload;
/* A launch file by path (with a '/', or ending in .launch), or a kernel of the suite by name ("sgemm", "CS")
 * ; `size`: "small", "default" or another one of the file (NULL: default; a file without sizes takes any). Both files
 * are read and checked here. */
rt_workload *rt_open(const char *name, const char *size, rt_error *e); /* rt_close */
void rt_close(rt_workload *w);
const char *rt_workload_path(const rt_workload *w); /* of the launch file */

/* ---- run ---- */

typedef struct rt_options { /* zeroes: timed, the file's own seed */
  uint64_t seed;            /* of random buffers; 0: the file's */
  bool functional;          /* execute only; then there are no cycles */
  /* Called now and then during a timed launch; NULL: not. */
  void (*progress)(void *ctx, uint64_t cycle, uint32_t ctas_done, uint32_t ctas);
  void *ctx;
} rt_options;

typedef struct rt_result rt_result;
/* Runs all launches of the file and checks what it expects; a wrong result is an error. A workload may be run any
 * number of times, each time from its beginning. `o` may be NULL. */
rt_result *rt_run(const rt_workload *w, const rt_config *c, const rt_options *o, rt_error *e); /* rt_result_free */
void rt_result_free(rt_result *r);

/* A statistic by its name, the keys of docs/use/results.md joined by points: "cycles", "ipc",
 * "occupancy.warps_mean", "counters.bank_read_conflicts"; whole numbers, fractions, and true and false as 1
 * and 0. False: there is none of that name, or it is no number in this run. */
bool rt_statistic(const rt_result *r, const char *name, double *value);
/* The same for text ("kernel", "stream_hash"); NULL: there is none. */
const char *rt_text(const rt_result *r, const char *name);
/* The names of all numbers, in the order of the JSON; NULL beyond the last. */
const char *rt_statistic_name(const rt_result *r, size_t i);
/* All of it, as `regtwin run --json` writes it. */
const char *rt_json(const rt_result *r);

#ifdef __cplusplus
}
#endif
#endif

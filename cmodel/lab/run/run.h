/* SPDX-License-Identifier: Apache-2.0 */
/* run: one workload under one configuration, all launches of its file; the results as counters. */
#ifndef RT_RUN_RUN_H
#define RT_RUN_RUN_H

#include "config/config.h"
#include "cost/energy.h"
#include "gpu/gpu.h"
#include "lab/run/compile.h"
#include "lab/run/detail.h"
#include "lab/run/load_latency.h"

struct run_progress { /* NULL members are skipped */
  void (*launch)(void *ctx, const char *kernel, unsigned index, const struct launch *l);
  void (*tick)(void *ctx, uint64_t cycle, uint32_t ctas_done, uint32_t ctas, uint64_t warp_insns);
  void *ctx;
  const char *dumps; /* directory below which dump statements may write; NULL: they write nothing */
  void (*print)(void *ctx, const char *text, size_t n); /* what kernels print, at the end of each launch */
  const char *images;                                   /* directory that image statements write to */
  const struct observer *observer;                      /* of the blocks inside the SM (sm/twin.h); NULL: none */
  const struct probe *probe;                            /* of the kernel (sm/probe.h); NULL: none */
  struct races *races;                                  /* the race detector (exec/races.h); NULL: none */
  struct latency *latency;                              /* gets all load latencies of a run with timing; NULL */
  struct run_detail *detail;                            /* numbers per SM and per launch; NULL */
  struct checkpoint *checkpoint;                        /* written from time to time (lab/run/checkpoint.h); NULL */
  struct recording *record; /* the launches are recorded as a trace (lab/run/record.h); NULL */
  unsigned threads;         /* of the host, that simulate; 0: one. No result depends on it */
};

/* Why a result is not of the whole run: bits of run_result.partial. */
enum { PARTIAL_ROI = 1, PARTIAL_CYCLES = 2, PARTIAL_CTAS = 4, PARTIAL_TRACE = 8 };

struct run_result { /* plain data: it may cross a pipe */
  char kernel[128], size[32], path[1024];
  struct config cfg;
  bool functional; /* no cycles; sm and mem are zero except for the instruction counts */
  uint64_t seed;   /* in use; 0: the launch file's own default */
  /* Over all simulated SMs, whose number is cfg.sim_sms. Each counter is a sum, sm.cycles too: a quotient by it is a mean over
   * the SMs while they have CTAs. Time is `cycles`. Of one SM both are the same. */
  uint64_t cycles; /* of the GPU's clock, summed over launches (gpu_cycles) */
  struct sm_stats sm;
  struct mem_stats mem;
  uint32_t
      partial;    /* PARTIAL_...: the counters are of a part of the run only; such a result is never averaged unseen */
  char part[160]; /* which, in words; "" when it is whole */
  struct load_latency latency[LATENCY_ROWS];
  uint64_t hash; /* of the work done; 0 when functional */
  uint32_t launches, launches_timed;
  uint64_t untimed; /* CTAs of other SMs, executed without time (sm.cta_stride) */
  uint32_t
      unshared; /* the largest stride of the launch file that several SMs, which time all CTAs, left out; 0: none */
  /* of the launch of most warp instructions, of the manifest's entry if there is one: registers per thread
   * that instructions name, and that the file holds for them; threads per CTA; CTAs that fit; warps that fit,
   * however few the grid has */
  uint32_t regs, pressure, block_threads, fit, warps_fit;
  char limiter[32], busiest[128]; /* what limits the CTAs; that launch's kernel */
  bool narrow, floats,
      compared;    /* narrow code; with floats; and its results were compared with the unnarrowed code's */
  char widths[32]; /* of floats: the file; "": none, they keep 32 bits */
  struct quality quality;
  uint64_t results; /* hash of narrow code's results */
  enum quality_level asked;
  uint64_t
      host_ns; /* in launches only, without reading, allocation and checking: processor time; with several threads wall-clock time */
  uint64_t peak_rss_bytes; /* of the process so far */
};

static inline bool run_below(const struct run_result *r) { return r->compared && r->quality.level < r->asked; }
/* Warnings about a successful run: missing float widths, a quality below the required one, a part of the run; a note each, which begins
 * with `name`. */
void run_complaints(const struct run_result *r, const char *name);

/* "one SM", "4 SMs", "all 16 SMs", for titles. */
enum { SMS_TEXT = 40 };
const char *run_sms(const struct config *c, char buf[SMS_TEXT]);
#define RUN_SMS(c) run_sms(c, (char[SMS_TEXT]){0})

/* What all SMs had used, with idle power of all of them over the whole time; as energy_of (cost/energy.h). */
bool run_energy(const struct run_result *r, struct energy *out);
/* The same; *e says why there is none. */
bool run_energy_explained(const struct run_result *r, struct energy *out, struct err *e);

/* The result as the watched SM alone has it (sim.watch_sm): its counters and its time; memory is still of all. d: of that run. */
void run_watched(struct run_result *r, const struct run_detail *d);

/* False and *e: the launch file, the kernel or an expectation failed; with narrow code expectations are not checked.
 * `w` may be run once. */
bool run_workload(struct workload *w, const struct config *cfg, uint64_t seed, bool functional,
                  const struct run_progress *p, struct run_result *out, struct err *e);

/* The same in parts: run_begin, run_go once, run_end. All that a run is lies in memory of base/err.h, so that a checkpoint, written
 * within a launch, holds it: another process may call run_go again on what the image has, with a *p of its own. w and out, which the
 * caller owns, and what *p points to, are to lie there too, then. NULL and *e: what cannot begin. */
struct run_job;
struct run_job *run_begin(struct workload *w, const struct config *cfg, uint64_t seed, bool functional,
                          struct run_result *out, struct err *e);
bool run_go(struct run_job *j, const struct run_progress *p, struct err *e);
void run_end(struct run_job *j); /* NULL is fine */

#endif

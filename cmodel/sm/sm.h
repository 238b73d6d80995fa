/* SPDX-License-Identifier: Apache-2.0 */
/* sm: one streaming multiprocessor, cycle by cycle. Public face for gpu/. */
#ifndef RT_SM_SM_H
#define RT_SM_SM_H

#include "config/config.h"
#include "mem/mem.h"
#include "sm/latency.h"
#include "sm/probe.h"
#include "sm/stats.h"
#include "sm/twin.h"
#include "trace/stream.h"

struct sm;

/* The CTAs that an SM may begin: the caller's (gpu/dispatch.h). */
struct cta_source {
  uint32_t ready; /* that may begin now */
  uint32_t kept;  /* of these, so many that the SM has decided to begin and will: they are not taken back */
  uint32_t (*take)(struct cta_source *s); /* with ready above 0: the index in the grid of the next one, which begins */
};

struct sm *sm_new(const struct config *cfg, struct mem *mem, unsigned id, struct err *e); /* cfg and mem outlive it */
void sm_free(struct sm *S);
void sm_observe(struct sm *S, const struct observer *o); /* called for every block in every cycle; NULL: none */
void sm_probe(struct sm *S, const struct probe *p);      /* called for instructions, reads and CTAs; NULL: none */

struct stream_room sm_room(const struct sm *S); /* what the stream of a launch must have room for */
/* Plans a launch (ledger, slots), resets what a kernel starts with; caches stay. The stream and the source, which the
 * caller owns, and the kernel's code outlive the launch. */
bool sm_begin(struct sm *S, struct stream *stream, struct cta_source *source, const struct kernel *k, uint64_t now,
              struct err *e);
/* At a quantum's end, for the caller: so that it need not look into SMs that other host threads run. */
struct sm_report {
  uint64_t
      asleep; /* before this cycle nothing happens unless a reply comes or a CTA begins: it need not be run and told */
  uint32_t room, held; /* CTAs that fit beside the resident ones; resident ones */
  bool failed;
};
void sm_report(const struct sm *S, struct sm_report *r);
void sm_wake(struct sm *S, uint64_t now); /* before sm_run, when quanta up to `now` were left out */
/* Instead of sm_run, when no more will be run: quanta up to `now` were left out, in whose cycles nothing happens but the passing of time. */
void sm_catch_up(struct sm *S, uint64_t now);
/* Runs cycles up to `end` or the end of the launch. Replies of the quantum are taken from mem first. */
void sm_run(struct sm *S, uint64_t end);
/* After mem_quantum and stream_ops.quantum: atomics are performed, credits are back. too_many: the launch has executed
 * more instructions than it may. */
void sm_quantum(struct sm *S, bool too_many);
bool sm_running(const struct sm *S);            /* CTAs are resident or may begin */
uint32_t sm_cta_room(const struct sm *S);       /* CTAs that fit beside the resident ones */
uint64_t sm_failed_at(const struct sm *S);      /* cycle; UINT64_MAX: it has not failed */
const struct err *sm_error(const struct sm *S); /* why it has */
bool sm_drained(const struct sm *S);            /* stores and atomics of the launch have left */
/* Counts the cycles from the end of the last CTA to `until`, if that is later, with gpu.drain. */
void sm_drain(struct sm *S, uint64_t until);
/* Instead of sm_drain and sm_end: the launch is given up at the end of a quantum. Its counters are those so far; then the SM can only be
 * asked for them and freed. */
void sm_give_up(struct sm *S);
bool sm_end(struct sm *S, struct err *e); /* conservation laws; the stream is free again */

const struct sm_stats *sm_stats(const struct sm *S);
const struct latency *sm_latency(const struct sm *S); /* over all launches */
/* The cycle after the launch's last CTA of this SM, after sm_drain the one after its stores; without a CTA, and before the first
 * one has ended, the launch's first cycle. */
uint64_t sm_ended(const struct sm *S);
uint64_t sm_hash(const struct sm *S);
uint32_t sm_ctas_done(const struct sm *S);
uint64_t sm_reads_posted(
    const struct sm *S); /* read requests to the memory, over launches, as the SM's own counters say */
uint64_t sm_writes_posted(const struct sm *S); /* the same of writes, with l1.write=evict */
uint32_t sm_warps_fit(const struct sm *S);
uint32_t sm_occupancy(const struct sm *S, const char **limiter);

#endif

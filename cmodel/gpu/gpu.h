/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu: the simulated SMs with the memory behind them, advanced quantum by quantum. Caches and memory stay warm
 * between launches.
 *
 * The deterministic rule: an instruction is executed when it is fetched; SMs are synchronised at quantum ends. A
 * quantum is at most the one-way latency between an SM and L2, so neither can observe the other within it. SMs run it
 * independently: each sees global memory as it was at the quantum's beginning, and its own stores. At its end stores
 * are made and atomics performed by SM and fetch order, the first SM being the quantum's number modulo their number,
 * so that none is favoured; CTAs are given out in the same order (gpu/dispatch.h). One SM obeys the same rule.
 */
#ifndef RT_GPU_GPU_H
#define RT_GPU_GPU_H

#include "config/config.h"
#include "mem/mem.h"
#include "sm/sm.h"

struct gpu;

struct gpu_progress { /* called about every 2^16 cycles */
  void (*tick)(void *ctx, uint64_t cycle, uint32_t ctas_done, uint32_t ctas, uint64_t warp_insns);
  void *ctx;
};

enum { GPU_SMS = 128, GPU_THREADS = 128 };
/* Copies cfg. sms: simulated, 1 to GPU_SMS; they have so many of gpu.sms' shares of L2 and DRAM. NULL and *e: choices
 * of slots that exclude each other... */
struct gpu *gpu_new(const struct config *cfg, unsigned sms, struct err *e);
void gpu_free(struct gpu *g);
/* Host threads that simulate from the next launch on, 1 to GPU_THREADS; no more than there are SMs are used. 1 at first.
 * No result depends on it. */
void gpu_threads(struct gpu *g, unsigned threads);
unsigned gpu_sms(const struct gpu *g);
struct sm *gpu_sm(const struct gpu *g, unsigned sm); /* to be observed, probed and asked for its statistics (sm/sm.h) */
struct stream_room gpu_room(const struct gpu *g,
                            unsigned sm); /* what this SM's stream of a launch must have room for */
/* One launch, in parts: gpu_begin; gpu_step, which runs about 2^16 cycles, until it is false; gpu_end. stream[sm], which the caller makes and
 * frees, says what is executed on each SM. Between two parts the gpu is at the end of a quantum, and keeps only pointers to what the caller
 * gave it (stream, and the kernel's code).
 * gpu_begin and gpu_end: false and *e if the kernel failed (place), does not fit the machine, or a conservation law broke; then the gpu can
 * only be asked for its statistics and freed. Of errors in one quantum the one of the lowest cycle is reported, and of those that of the
 * lowest SM. */
bool gpu_begin(struct gpu *g, struct stream *const *stream, const struct kernel *k, struct err *e);
bool gpu_step(struct gpu *g, const struct gpu_progress *p, struct err *e); /* false: it has ended, or failed */
bool gpu_end(struct gpu *g, struct err *e);                                /* also what gpu_step found */

/* sim.stop_cycles and sim.stop_ctas end a run at a quantum's end. gpu_spent: one of them has been reached, so that no launch may begin.
 * gpu_stopped: within the last launch, which gpu_step and gpu_end left there without an error; what was not yet executed never is. */
bool gpu_spent(const struct gpu *g);
bool gpu_stopped(const struct gpu *g);

/* Over launches: */
/* Of the GPU's clock: of each launch from its first cycle to the end of the SM that ends last (sm_ended). Those that an SM
 * counts are fewer when it has no CTA for a time. */
uint64_t gpu_cycles(const struct gpu *g);
uint64_t gpu_ctas(const struct gpu *g);  /* that have ended, of all SMs */
uint64_t gpu_insns(const struct gpu *g); /* warp instructions of all SMs */
uint64_t gpu_hash(const struct gpu *g);  /* of the work done (stream hash), whichever SM did it */
const struct mem_stats *gpu_mem_stats(const struct gpu *g);

#endif

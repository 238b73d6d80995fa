/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu: the simulated SM with its share of the memory behind it, advanced quantum by quantum. Caches and memory stay warm
 * between launches.
 */
#ifndef RT_GPU_GPU_H
#define RT_GPU_GPU_H

#include "config/config.h"
#include "mem/mem.h"
#include "sm/probe.h"
#include "sm/stats.h"
#include "sm/twin.h"
#include "stream/stream.h"

struct gpu;

struct gpu_progress { /* called about every 2^16 cycles */
  void (*tick)(void *ctx, uint64_t cycle, uint32_t ctas_done, uint32_t ctas, uint64_t warp_insns);
  void *ctx;
};

struct gpu *gpu_new(const struct config *cfg,
                    struct err *e); /* copies cfg; NULL and *e: slots that exclude each other... */
void gpu_free(struct gpu *g);
/* Lockstep, recorder (sm/twin.h): sees every block of the SM in every cycle from the next launch on. NULL: nobody. */
void gpu_observe(struct gpu *g, const struct observer *o);
void gpu_probe(struct gpu *g, const struct probe *p); /* sm/probe.h; NULL: nobody */
struct stream_room gpu_room(const struct gpu *g);     /* what a launch's stream must have room for */
/* Runs one launch to its end: the stream, which the caller makes and frees, says what is executed. False and *e: the
 * kernel failed (place), does not fit the machine, or a conservation law broke; then the gpu can only be asked for its
 * statistics and freed. */
bool gpu_launch(struct gpu *g, struct stream *stream, const struct kernel *k, const struct gpu_progress *p,
                struct err *e);

const struct sm_stats *gpu_stats(const struct gpu *g); /* summed over launches */
const struct mem_stats *gpu_mem_stats(const struct gpu *g);
uint64_t gpu_hash(const struct gpu *g); /* of the work done (stream hash), over launches */
/* Of the last launch: CTAs that fit, and the resource that limits them ("registers", "shared memory", "warps", "threads", "CTAs"). */
uint32_t gpu_warps_fit(const struct gpu *g); /* warps of the CTAs that would fit if the grid were large */
uint32_t gpu_occupancy(const struct gpu *g, const char **limiter);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_whole: a launch on the simulated machine from its begin to its end. */
#ifndef RT_TESTS_GPU_WHOLE_H
#define RT_TESTS_GPU_WHOLE_H

#include "gpu/gpu.h"

/* False and *e: as gpu_begin and gpu_end. */
static bool gpu_whole(struct gpu *g, struct stream *const *stream, const struct kernel *k, struct err *e) {
  if (!gpu_begin(g, stream, k, e)) return false;
  while (gpu_step(g, NULL, e)) {
  }
  return gpu_end(g, e);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* launch: one launch, and what a function's attributes allow it. */
#ifndef RT_CUDART_LAUNCH_H
#define RT_CUDART_LAUNCH_H

#include "cudart/runtime.h"

struct rt_launch {
  const char *call;     /* for messages */
  const void *function; /* the host's address of it, or a cudaKernel_t */
  dim3 grid, block;
  void **args;   /* the address of each parameter's value */
  size_t shared; /* dynamic, bytes */
  cudaStream_t stream;
  bool cooperative;
};
/* With the lock held and the session open. */
cudaError_t rt_launch(const struct rt_launch *l);

/* Most bytes of dynamic shared memory of a launch: what the program has set, or what 48 KB leave beside the static ones (function.c). */
uint64_t rt_max_dynamic(const struct function *f, const struct device_about *about);

#endif

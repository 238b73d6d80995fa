/* SPDX-License-Identifier: Apache-2.0 */
/* managed: places of memory, as managed memory and pools name them. Source: "CUDA Runtime API", struct cudaMemLocation. */
#ifndef RT_CUDART_MANAGED_H
#define RT_CUDART_MANAGED_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  cudaMemLocationTypeInvalid,
  cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost,
  cudaMemLocationTypeHostNuma,
  cudaMemLocationTypeHostNumaCurrent
} cudaMemLocationType;
typedef struct {
  cudaMemLocationType type;
  int id; /* the number of a device or of a NUMA node */
} cudaMemLocation;

/* The n bytes from p on, n > 0, lie in managed memory or in a managed variable. */
bool managed_range(const void *p, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* pointer_about: what cudaPointerGetAttributes finds. Source: "CUDA Runtime API", struct cudaPointerAttributes. */
#ifndef RT_CUDART_POINTER_ABOUT_H
#define RT_CUDART_POINTER_ABOUT_H

#include "host/cudart/types.h"

enum { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
typedef struct {
  unsigned type;
  int device;                        /* -2: none */
  void *devicePointer, *hostPointer; /* NULL: it cannot be accessed from there */
#if CUDART_VERSION >= 13000
  long reserved[8];
#endif
} cudaPointerAttributes;

#endif

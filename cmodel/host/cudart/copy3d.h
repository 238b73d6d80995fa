/* SPDX-License-Identifier: Apache-2.0 */
/* copy3d: arguments of copies in three dimensions. Source: "CUDA Runtime API", structures cudaMemcpy3DParms and
 * cudaMemcpy3DPeerParms. */
#ifndef RT_CUDART_COPY3D_H
#define RT_CUDART_COPY3D_H

#include "host/cudart/types.h"

typedef struct {
  void *srcArray;
  cudaPos srcPos; /* x: texels of an array, bytes else */
  cudaPitchedPtr srcPtr;
  void *dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent; /* width: texels if one side is an array, bytes else */
  cudaMemcpyKind kind;
} cudaMemcpy3DParms;

typedef struct {
  void *srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  void *dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
} cudaMemcpy3DPeerParms;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* graph_types: what the interface of graphs passes. Source: "CUDA Runtime API", section "Data types used by CUDA Runtime". */
#ifndef RT_CUDART_GRAPH_TYPES_H
#define RT_CUDART_GRAPH_TYPES_H

#include "host/cudart/copy3d.h"
#include "host/cudart/types.h"

typedef struct rt_graph *cudaGraph_t; /* handles, not pointers */
typedef struct rt_node *cudaGraphNode_t;
typedef struct rt_exec *cudaGraphExec_t;

typedef enum {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
} cudaStreamCaptureMode;

typedef enum {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
} cudaStreamCaptureStatus;

typedef enum { /* those that a graph here can have, and that of a graph within it */
               cudaGraphNodeTypeKernel,
               cudaGraphNodeTypeMemcpy,
               cudaGraphNodeTypeMemset,
               cudaGraphNodeTypeHost,
               cudaGraphNodeTypeGraph,
               cudaGraphNodeTypeEmpty,
               cudaGraphNodeTypeWaitEvent,
               cudaGraphNodeTypeEventRecord
} cudaGraphNodeType;

typedef void host_function(void *user);

typedef struct {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
} cudaKernelNodeParams;

typedef struct {
  void *dst;
  size_t pitch; /* bytes; unused in one row */
  unsigned value, elementSize;
  size_t width, height; /* elements, rows */
} cudaMemsetParams;

typedef struct {
  host_function *fn;
  void *userData;
} cudaHostNodeParams;

typedef struct {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
} cudaMemcpyNodeParams;

typedef struct { /* of cudaGraphAddNode */
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParams memset;
    cudaHostNodeParams host;
    struct {
      cudaEvent_t event;
    } eventWait, eventRecord;
  };
  long long reserved2;
} cudaGraphNodeParams;

typedef struct { /* of an edge; zeroes: the second node begins when the first has ended */
  unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;

typedef struct {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  int result_out; /* 0: success, 1: error, 2: invalid structure, 3: a node is not supported */
} cudaGraphInstantiateParams;

typedef struct {
  int result; /* 0: success, 1: error, 6: not supported */
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

#endif

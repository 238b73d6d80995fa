/* SPDX-License-Identifier: Apache-2.0 */
/* cudart_calls: prototypes of the CUDA runtime's functions that the tests call, of version 13. */
#ifndef RT_TEST_CUDART_CALLS_H
#define RT_TEST_CUDART_CALLS_H

#include "host/cudart/copy3d.h"
#include "host/cudart/graph_types.h"
#include "host/cudart/managed.h"
#include "host/cudart/pointer_about.h"
#include "host/cudart/properties.h"
#include "host/cudart/texture_types.h"

typedef void *cudaMemPool_t;
typedef void host_fn(void *user);
typedef void stream_fn(cudaStream_t s, cudaError_t status, void *user);
struct pool_props {
  int allocType, handleTypes;
  cudaMemLocation location;
  uint8_t rest[72];
};
struct pool_access {
  cudaMemLocation location;
  int flags;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t s);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host);
cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *host, int value);
cudaError_t cudaFuncGetName(const char **out, const void *host);
cudaError_t cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *size);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int threads, size_t shared);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks, int threads);

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e);

cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned flags, unsigned init);
cudaError_t cudaSetValidDevices(int *device, int n);
cudaError_t cudaChooseDevice(int *device, const void *prop);
cudaError_t cudaDeviceGetPCIBusId(char *out, int n, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name);
cudaError_t cudaRuntimeGetVersion(int *v);
cudaError_t cudaDriverGetVersion(int *v);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaSetDeviceFlags(unsigned f);
cudaError_t cudaGetDeviceFlags(unsigned *f);
cudaError_t cudaDeviceSetLimit(unsigned limit, size_t v);
cudaError_t cudaDeviceGetLimit(size_t *v, unsigned limit);
cudaError_t cudaDeviceSetCacheConfig(int v);
cudaError_t cudaDeviceGetCacheConfig(int *v);
cudaError_t cudaDeviceSetSharedMemConfig(int v);
cudaError_t cudaDeviceGetSharedMemConfig(int *v);
cudaError_t cudaDeviceGetAttribute(int *v, int number, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *out, int number, int from, int to);

cudaError_t cudaMalloc(void **out, size_t n);
cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent x);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMallocHost(void **out, size_t n);
cudaError_t cudaHostAlloc(void **out, size_t n, unsigned flags);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostGetFlags(unsigned *flags, void *p);
cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags);
cudaError_t cudaMallocManaged(void **out, size_t n, unsigned flags);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t s);
cudaError_t cudaMemAdvise(const void *p, size_t n, int advice, cudaMemLocation at);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, int attribute, const void *p, size_t n);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned flags);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p);

cudaError_t cudaMallocAsync(void **out, size_t n, cudaStream_t s);
cudaError_t cudaMallocFromPoolAsync(void **out, size_t n, cudaMemPool_t pool, cudaStream_t s);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct pool_props *props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *out);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *in);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct pool_access *list, size_t n);
cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *at);

cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, unsigned kind);
cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t n, unsigned kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, unsigned kind, cudaStream_t s);
cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n);
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         unsigned kind);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemset(void *p, int v, size_t n);
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s);
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t width, size_t height, cudaStream_t s);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              unsigned kind, cudaStream_t s);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t s);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind,
                                    cudaStream_t s);
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind,
                                      cudaStream_t s);
cudaError_t cudaMemset2D(void *p, size_t pitch, int v, size_t width, size_t height);
cudaError_t cudaMemset3D(cudaPitchedPtr p, int v, cudaExtent x);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset, unsigned kind);
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset, unsigned kind);
cudaError_t cudaGetSymbolAddress(void **out, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol);

cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamQuery(cudaStream_t s);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t s);
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority);
cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamSetAttribute(cudaStream_t s, int id, const void *v);
cudaError_t cudaStreamGetAttribute(cudaStream_t s, int id, void *v);
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
cudaError_t cudaLaunchHostFunc(cudaStream_t s, host_fn *fn, void *user);
cudaError_t cudaStreamAddCallback(cudaStream_t s, stream_fn *fn, void *user, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* graphs */
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t s, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *dep,
                                          const cudaGraphEdgeData *data, size_t n, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t s, cudaGraph_t *out);
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *g, const cudaGraphNode_t **dep, const cudaGraphEdgeData **data,
                                     size_t *n);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *dep, const cudaGraphEdgeData *data,
                                                size_t n, unsigned flags);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);
cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t g);
cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t from);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                   const cudaKernelNodeParams *p);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                   const cudaMemcpy3DParms *p);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t deps,
                                     void *dst, const void *src, size_t n, unsigned kind);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t deps,
                                           const void *symbol, const void *src, size_t n, size_t offset, unsigned kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
                                             size_t deps, void *dst, const void *symbol, size_t n, size_t offset,
                                             unsigned kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                   const cudaMemsetParams *p);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                 const cudaHostNodeParams *p);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                        cudaEvent_t e);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                      cudaEvent_t e);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t n, cudaEvent_t *out);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
                             const cudaGraphEdgeData *data, size_t n, cudaGraphNodeParams *p);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n,
                                       cudaGraph_t child);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t n);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, cudaGraphNodeType *type);
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *list, size_t *n);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *list, size_t *n);
cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                              size_t *n);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *data,
                                         size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t n, cudaGraphNode_t *list, cudaGraphEdgeData *data,
                                           size_t *count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *data, size_t n);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *data, size_t n);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n, const cudaKernelNodeParams *p);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags);
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long *flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n, const cudaKernelNodeParams *p);
cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t s);
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x);
cudaError_t cudaUserObjectCreate(void **out, void *p, host_fn *destroy, unsigned count, unsigned flags);

/* arrays, textures, surfaces */
cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x, unsigned flags);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const cudaChannelFormatDesc *desc, cudaExtent x,
                                     unsigned levels, unsigned flags);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_t of, unsigned level);
cudaError_t cudaFreeArray(cudaArray_t a);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t a);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags, cudaArray_t a);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t a);
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, unsigned kind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t n, unsigned kind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                   size_t n, unsigned kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, unsigned kind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                  size_t height, unsigned kind);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                     size_t width, size_t height, unsigned kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *sampling, const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *out, cudaTextureObject_t t);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const cudaChannelFormatDesc *desc, int device);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out, cudaSurfaceObject_t s);

#endif

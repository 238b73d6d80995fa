/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_types: what calls on arrays, textures and surfaces pass. Source: "CUDA Runtime API", structures cudaChannelFormatDesc,
 * cudaResourceDesc, cudaResourceViewDesc, cudaTextureDesc, and of versions up to 11 textureReference, surfaceReference.
 */
#ifndef RT_CUDART_TEXTURE_TYPES_H
#define RT_CUDART_TEXTURE_TYPES_H

#include "host/cudart/types.h"

/* Numbers, not pointers: array.h finds what they name. */
typedef void *cudaArray_t;
typedef void *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone,
  cudaChannelFormatKindNV12,
  cudaChannelFormatKindUnsignedNormalized8X1 = 5, /* ... 8X2, 8X4, 16X1, 16X2, 16X4, and the same with a sign */
  cudaChannelFormatKindSignedNormalized8X1 = 11,
  cudaChannelFormatKindSignedNormalized16X4 = 16,
  cudaChannelFormatKindUnsignedBlockCompressed1 = 17
};
typedef struct {
  int x, y, z, w; /* bits of each component */
  int f;          /* enum cudaChannelFormatKind */
} cudaChannelFormatDesc;

enum {
  cudaArrayLayered = 1,
  cudaArraySurfaceLoadStore = 2,
  cudaArrayCubemap = 4,
  cudaArrayTextureGather = 8,
  cudaArraySparse = 0x40,
  cudaArrayDeferredMapping = 0x80
};

enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
struct resource_linear {
  void *devPtr;
  cudaChannelFormatDesc desc;
  size_t sizeInBytes;
};
struct resource_pitch {
  void *devPtr;
  cudaChannelFormatDesc desc;
  size_t width, height, pitchInBytes; /* texels, rows, bytes */
};
union resource {
  cudaArray_t array;
  cudaMipmappedArray_t mipmap;
  struct resource_linear linear;
  struct resource_pitch pitch2D;
#if CUDART_VERSION >= 13000
  int reserved[32];
#endif
};
typedef struct {
  int resType;
  union resource res;
#if CUDART_VERSION >= 13000
  unsigned flags;
#endif
} cudaResourceDesc;

enum { cudaResViewFormatNone, cudaResViewFormatFloat4 = 0x18 };
typedef struct {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
#if CUDART_VERSION >= 13000
  unsigned reserved[16];
#endif
} cudaResourceViewDesc;

/* Address modes, filters: the numbers of enum tex_address, tex_filter (compiler/ir/texture.h). */
enum { cudaReadModeElementType, cudaReadModeNormalizedFloat };
typedef struct {
  int addressMode[3], filterMode, readMode, sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization; /* no effect */
#if CUDART_VERSION >= 12000
  int seamlessCubemap;
#endif
} cudaTextureDesc;

#if CUDART_VERSION < 12000
struct texture_desc_v2 { /* of the _v2 calls of 11.6 and later */
  cudaTextureDesc desc;
  int seamlessCubemap;
};
/* The host's object behind `texture<T, dim, mode> t;`. */
typedef struct {
  int normalized, filterMode, addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, reserved[14];
} textureReference;
typedef struct {
  cudaChannelFormatDesc channelDesc;
} surfaceReference;
#endif

#endif

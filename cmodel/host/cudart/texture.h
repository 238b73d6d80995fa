/* SPDX-License-Identifier: Apache-2.0 */
/* texture: from the descriptions of textures and surfaces to the images and samplers of exec/texture.h. With the lock held. */
#ifndef RT_CUDART_TEXTURE_H
#define RT_CUDART_TEXTURE_H

#include "host/cudart/array.h"

/* The image that a resource is; of a mipmapped array all levels. Errors are told where CUDA's text would not help. */
cudaError_t rt_resource(const cudaResourceDesc *d, struct texture *out);
/* Sets how *t, an image, is read. cudaErrorInvalidFilterSetting, cudaErrorInvalidValue, ... */
cudaError_t rt_sampling(const cudaTextureDesc *d, bool seamless, struct texture *t);
/* An array as a surface: cubes are layers. Programs do without cudaArraySurfaceLoadStore, since hardware does not look at it. */
cudaError_t rt_surface(cudaArray_t array, struct texture *out);

#endif

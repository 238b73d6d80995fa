/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference: the texture and surface references of CUDA up to 11: variables of the host and of the PTX (.texref, .surfref) that
 * belong together and that an image is bound to. With the lock held.
 */
#ifndef RT_CUDART_REFERENCE_H
#define RT_CUDART_REFERENCE_H

#include "host/cudart/runtime.h"
#include "compiler/ir/texture.h"

/* host: the program's textureReference or surfaceReference; name: in the PTX; kind: HANDLE_TEXTURE or HANDLE_SURFACE; normalized:
 * the texture was declared with cudaReadModeNormalizedFloat. */
void rt_add_reference(struct binary *b, const void *host, const char *name, enum handle_kind kind, bool normalized);
void rt_drop_references(const struct binary *b); /* when it is unregistered */

/* Before a launch of a kernel of b: programs may have changed the filter, the addressing, ... of what is bound. */
cudaError_t rt_refresh_references(struct binary *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* pool: memory pools of stream-ordered allocation. A pool only counts; its memory comes from where cudaMalloc's does. */
#ifndef RT_CUDART_POOL_H
#define RT_CUDART_POOL_H

void pool_freed(void *p); /* device memory that may have come from a pool, which may be gone */

#endif

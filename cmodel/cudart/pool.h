/* SPDX-License-Identifier: Apache-2.0 */
/* pool: memory pools of stream-ordered allocation. A pool only counts; its memory comes from where cudaMalloc's does. */
#ifndef RT_CUDART_POOL_H
#define RT_CUDART_POOL_H

#include <stddef.h>

void pool_freed(void *pool, size_t bytes); /* pool: its handle, which may be void by now */

#endif

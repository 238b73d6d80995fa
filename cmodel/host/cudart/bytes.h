/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes: from the pointers of the program to bytes that can be read and written. Device pointers are device addresses; constant variables
 * have addresses that lie in no host's and no device's memory. With the lock held and the session open.
 */
#ifndef RT_CUDART_BYTES_H
#define RT_CUDART_BYTES_H

#include "host/cudart/runtime.h"

enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY }; /* ANY: as the address says, a device's buffer first */

/* The n bytes from p on, n > 0; NULL: they do not lie in one device buffer or variable, or are no memory of the host. Good until the
 * next allocation or load. */
uint8_t *rt_bytes(const void *p, size_t n, enum side side);

/* After rt_bytes has returned NULL: says why, of the argument `what`. cudaErrorInvalidValue. */
cudaError_t rt_no_bytes(const char *what, const void *p, size_t n, enum side side);

/* A device's buffer or variable lies there. */
bool rt_on_device(const void *p);

/* The address by which the program knows a variable, a constant one included. */
void *rt_address(const struct rt_place *v);

/* The sides of a copy. cudaErrorInvalidMemcpyDirection: no such kind. */
cudaError_t rt_sides(unsigned kind, enum side *dst, enum side *src);
/* The other side of a copy to or from an array or a variable; `wrong` is the direction that the call does not have. */
cudaError_t rt_other_side(unsigned kind, unsigned wrong, enum side *out);

/* Rows of a pitched area from p on; whole: the bytes from the first row's first to the last row's last byte. cudaErrorInvalidPitchValue:
 * the rows overlap; cudaErrorInvalidValue: the area is larger than what can be addressed. width, rows > 0. */
cudaError_t rt_area(size_t pitch, size_t width, size_t rows, size_t *whole);

/* Why there is no memory that both the host and kernels can access. */
#define RT_NOT_MAPPED \
  "there is no room for the device's memory at equal host addresses; start the program with 'regtwin host'"

/* Device memory: zeroed, aligned to 256. cudaErrorMemoryAllocation has been told. bytes > 0. */
cudaError_t rt_allocate(size_t bytes, void **out);
/* What rt_allocate gave, managed memory included; p is not NULL (memory.c). */
cudaError_t rt_free(void *p);

#endif

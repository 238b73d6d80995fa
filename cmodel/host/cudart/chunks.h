/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks: what the program has allocated or registered beside plain device memory, by host address, in ascending order, without
 * overlap. Those of an earlier session are forgotten (and plain host memory freed) at the next call. With the lock held.
 */
#ifndef RT_CUDART_CHUNKS_H
#define RT_CUDART_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chunk_kind {
  CHUNK_MANAGED,    /* in the device's memory, at the same host address */
  CHUNK_MAPPED,     /* likewise: host memory that kernels can access */
  CHUNK_HOST,       /* page-locked host memory: from malloc */
  CHUNK_REGISTERED, /* the program's own (cudaHostRegister) */
  CHUNK_POOL        /* plain device memory that a pool counts, under an address that only pool.c uses */
};
struct chunk {
  uintptr_t at;
  size_t bytes;
  enum chunk_kind kind;
  unsigned flags; /* that it was made with */
  void *pool;     /* of CHUNK_POOL, its handle */
};

bool chunk_add(struct chunk b);              /* false: it overlaps another one */
const struct chunk *chunk_of(const void *p); /* that p lies in; NULL. Good until the next chunk_add, chunk_drop */
const struct chunk *chunk_at(const void *p); /* that begins at p */
void chunk_drop(const struct chunk *b);

#endif

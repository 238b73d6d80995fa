/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin: the container in which nvcc puts a source's device code: PTX and machine code for several targets.
 *
 *   0 magic 0xba55ed50 (4)   4 version 1 (2)   6 size of this header (2)   8 bytes of the entries (8)
 *   entries, each: 0 kind: 1 PTX, 2 machine code (2)   4 size of its header (4)   8 bytes of its payload (8)   16 compressed bytes (4)
 *                  28 target, 75 for sm_75 (4)   40 flags: 0x2000 an LZ4 block, 0x8000 zstd (8)   56 uncompressed bytes (8)
 *
 * Source: what nvcc 13.0 writes with each --compress-mode; jiegec/fatbinary and n-eiling/cuda-fatbin-decompression describe older
 * versions. Every size is checked before it is used; no payload has more than FATBIN_MOST bytes.
 */
#ifndef RT_CUDART_FATBIN_H
#define RT_CUDART_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { FATBIN_MAGIC = 0xba55ed50u, FATBIN_WRAPPER = 0x466243b1u };
#define FATBIN_MOST ((uint64_t)256 << 20)

enum fatbin_status {
  FATBIN_OK,
  FATBIN_NO_PTX,   /* nothing but machine code; *e says for which targets, and how nvcc adds PTX */
  FATBIN_DAMAGED,  /* *e says what */
  FATBIN_NO_MEMORY /* for the text */
};
struct fatbin_ptx {
  char *text; /* n bytes and a NUL; freed by the caller */
  size_t n;
  unsigned target;
};
/* The PTX of the highest target. At `data` are `limit` bytes that can be read, or more. */
enum fatbin_status fatbin_read(const void *data, size_t limit, struct fatbin_ptx *out, struct err *e);
/* The highest target of its PTX; 0: none, or damaged. */
unsigned fatbin_target(const void *data, size_t limit);

#endif

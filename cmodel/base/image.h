/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: memory of the program that can be written to a file and mapped again by a later process of the same program,
 * for checkpoints (docs/use/checkpoints.md). After image_begin all allocations of base/err.h come from one range of
 * addresses, the same in every process; free() returns them there. The program is linked at a fixed address, so that
 * pointers to its functions and constants stay good too. What is in the image must not point to the C stack, to memory of a
 * library (strdup, FILE) or to variables that change: image_foreign finds such words.
 *
 * Without image_begin nothing changes. Only a program that is linked with --wrap=free (Makefile) can begin one.
 */
#ifndef RT_BASE_IMAGE_H
#define RT_BASE_IMAGE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/io.h"

#define IMAGE_BASE UINT64_C(0x200000000000)
#define IMAGE_SIZE (UINT64_C(1) << 38) /* addresses, of which few are ever used */

static inline bool image_holds(const void *p) { return (uintptr_t)p - IMAGE_BASE < IMAGE_SIZE; }

/* Once in a process. False and *e: no such addresses (ulimit -v?), or not linked for it. */
bool image_begin(struct err *e);
bool image_on(void);
/* Everything in it is gone, and allocations come from the C library again. For tests. */
void image_end(void);

/* With an image, for base/alloc.c and from any thread: zeroed, aligned to 64 bytes; NULL: no room. `p` may be NULL. free() returns it. */
void *image_alloc(size_t size);
void *image_realloc(void *p, size_t size);
/* Zeroed pages, of which those that were written count; for memory of simulated programs, which image_foreign leaves out.
 * NULL: no image, or no room. */
void *image_pages(size_t bytes);
void image_pages_free(void *p);

/* The one pointer from which a later process finds everything. */
void image_set_root(void *root);
void *image_root(void);

/* Before image_foreign, early: allocations of the C library get addresses that no count or address of the simulation has. */
void image_foreign_begin(void);
/* Words of allocations that look like pointers into this process alone (stack, libraries, their memory): how many; the
 * first few are described on f. A number may look like a pointer, so that it is a check for tests. */
unsigned image_foreign(FILE *f);

/* ---- files ---- */

enum { IMAGE_VERSION = 1, IMAGE_ABOUT = 1 << 20 };

/* Header, `about` (text of the caller, at most IMAGE_ABOUT bytes), the pages that are not zero, compressed, and a SHA-256 of
 * all of it. False and why: f could not take it. */
bool image_write(FILE *f, const char *about, size_t n, char why[IO_WHY]);

struct image_info {
  uint64_t file_bytes, bytes; /* of the file; of the pages */
  bool program;               /* it is of this very program */
  bool own;                   /* nobody but this process's user could have written it; root could */
  unsigned owner;             /* user's number */
  char *about;                /* freed by the caller */
};
/* Reads the whole file, and maps nothing. False and *e: it is no image, of another version or damaged. */
bool image_inspect(const char *path, struct image_info *out, struct err *e);
/* In a process without an image: that of the file, which image_inspect has found good and of this program. any_owner: also if it is not `own`.
 * False and *e. */
bool image_map(const char *path, bool any_owner, struct err *e);

#endif

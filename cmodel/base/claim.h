/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim: a file that gets its name when it is complete. Of NAME.EXT, NAME.2.EXT, NAME.3.EXT... it takes the first that no process of
 * the same run has taken, so that processes that know nothing of each other keep all their files. A file that is older than the run
 * is replaced.
 *
 * All functions but claim_prepare are async-signal-safe.
 */
#ifndef RT_BASE_CLAIM_H
#define RT_BASE_CLAIM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"

struct claim {
  char first[PATH_MAX]; /* the first name, absolute; "-": standard output */
  bool in_place;        /* standard output, a device or a pipe: written directly, without a name of its own */
  uint64_t since;       /* when the run began, in ns since 1970 */

  /* Set by claim_end. */
  char name[PATH_MAX + 16]; /* the name that the file has taken */
  unsigned number;          /* of that name, from 1 */
  bool replaced;            /* an older file with contents had the name */
  int bad;                  /* errno of the first failure; 0: none */

  char temporary[PATH_MAX + 32];
  int fd;
  size_t n;
  char buf[1 << 16];
};

/* False and why: the path cannot be a file. */
bool claim_prepare(struct claim *c, const char *path, uint64_t since, char why[IO_WHY]);
bool claim_begin(struct claim *c); /* opens a temporary file beside the first name */
void claim_write(struct claim *c, const char *text, size_t n);
/* CLAIM_NONE: `empty`, and another file of the run is there. A file for which is_empty(its first bytes) holds gives up its name to one
 * that is not empty. */
enum claim_result { CLAIM_FAILED, CLAIM_NONE, CLAIM_DONE };
enum claim_result claim_end(struct claim *c, bool ok, bool empty, bool (*is_empty)(const char *text, size_t n));

/* The n-th name of a file, n from 1: out.json, out.2.json. */
void claim_name(char *to, size_t size, const char *first, unsigned n);
uint64_t claim_now(void); /* ns since 1970 */

#endif

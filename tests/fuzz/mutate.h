/* SPDX-License-Identifier: Apache-2.0 */
/* mutate: damages to the bytes of a file; each is a function of the seed alone. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
  uint8_t *p;
  size_t n, room;
};
void bytes_set(struct bytes *b, const void *p, size_t n);
/* Takes `gone` bytes out at `at` and puts n others there; `p` may not lie in b. */
void bytes_splice(struct bytes *b, size_t at, size_t gone, const void *p, size_t n);

/* Damages b: text files by lines and tokens as well, others by bytes only. `other`: a file of the same kind. The damage's
 * name, for the table. */
const char *mutate(struct bytes *b, const struct bytes *other, bool text, uint64_t *seed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache: results of runs on disk, so that an interrupted experiment continues. The key of a result is a hash of this
 * program, of the kernel's files and of the whole configuration: DIR/PROGRAM/WORK.KERNEL.HASH. Nothing else in DIR is
 * touched: results of other builds stay until the user deletes their directories.
 */
#ifndef RT_CAMPAIGN_CACHE_H
#define RT_CAMPAIGN_CACHE_H

#include "campaign/pool.h"

struct cache *cache_open(const char *dir, struct err *e); /* makes the directories; NULL and *e */
void cache_close(struct cache *c);
/* False: there is none (c may be NULL), or it is damaged; then a warning says so and it is deleted. */
bool cache_get(const struct cache *c, const struct work *work, const struct task *t, void *out);
/* A result that cannot be written is not kept; this is not an error. */
void cache_put(const struct cache *c, const struct work *work, const struct task *t, const void *out);

#endif

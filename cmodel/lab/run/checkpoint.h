/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint: files from which a run goes on after its process was killed (docs/use/checkpoints.md): FILE, and FILE.1, the one before
 * it. The memory of the run is an image (base/image.h), begun before anything of the run was allocated.
 */
#ifndef RT_RUN_CHECKPOINT_H
#define RT_RUN_CHECKPOINT_H

#include <limits.h>

#include "base/image.h"
#include "config/config.h"

struct run_result;
struct checkpoint;
/* FILE is written anew whenever so many minutes have passed. check: words that point out of the image are looked for each time
 * (image_foreign), told on stderr, and counted. False and *e: FILE cannot be written, or is there already. */
struct checkpoint *checkpoint_new(const char *file, double minutes, bool check, struct err *e);
/* The same for a run that goes on from FILE, which is there. */
struct checkpoint *checkpoint_again(const char *file, double minutes, bool check);
bool checkpoint_due(const struct checkpoint *c);
/* At a quantum's end, with nothing of the run on the C stack that must survive. A failure is one warning; the run goes on, and
 * the older files stay. */
void checkpoint_write(struct checkpoint *c, const struct run_result *r, const char *kernel, unsigned launch,
                      uint64_t cycle);
unsigned checkpoint_foreign(const struct checkpoint *c); /* words that were found, with `check` */
/* After the run. done: it ended well, and the files are removed. NULL is fine. */
void checkpoint_free(struct checkpoint *c, bool done);

/* Maps the newest good one of FILE and FILE.1, and says on stderr which, and what is wrong with the other. cfg: NULL, or the
 * configuration that it must be of. A file that another user owns or can write is refused unless any_owner: it holds pointers to functions. False and *e. */
bool checkpoint_map(const char *file, bool any_owner, const struct config *cfg, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* box: a directory of its own for one run of a command: filled, looked at before and after, and a child process that runs in
 * it with limits. */
#ifndef FUZZ_BOX_H
#define FUZZ_BOX_H

#include <sys/types.h>

#include "mutate.h"

enum { BOX_PATH = 600 };

/* dir/box is the command's; dir/out and dir/err take what it prints. */
void box_clear(const char *dir);
void box_put(const char *dir, const char *name, const void *p, size_t n);
/* The regular files of a directory of at most 256 KB each, except sources of kernels. */
void box_copy(const char *dir, const char *from, const char *to);

bool file_read(const char *path, struct bytes *b);

/* What is there: names, sizes, contents' hashes, ascending by name. */
struct look {
  struct seen {
    char name[300];
    uint64_t hash;
  } * file;
  size_t n, room;
};
void box_look(const char *dir, struct look *l);
/* The first name, after `*at`, that differs between two looks; NULL: no other. */
const char *look_change(const struct look *before, const struct look *after, size_t *i, size_t *j);

/* Starts argv in dir/box, in a process group of its own: processor time, file size and memory limited. */
pid_t box_run(const char *dir, char *const argv[], unsigned seconds);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* list: what the lists of regtwin list share. */
#ifndef RT_CLI_LIST_H
#define RT_CLI_LIST_H

#include "cli/cli.h"

enum list_thing {
  LIST_KERNELS,
  LIST_SYSTEMS,
  LIST_CONFIGS,
  LIST_STATISTICS,
  LIST_MEASURES,
  LIST_EXPERIMENTS,
  LIST_RESOURCES,
  LIST_RELAXATIONS,
  LIST_BLOCKS, /* from here on --names is refused */
  LIST_LOCKSTEP,
  LIST_PTX,
  LIST_THINGS
};

struct list_args {
  int what; /* enum list_thing; -1: not given */
  bool verbose, limits, names, compare, markdown, json;
  int paper; /* -1: all kernels */
  struct config_args config;
};

/* A list of names, each with a text that goes on under its beginning; or, with --names, of names alone. */
struct grid;
struct listing {
  bool names;
  struct grid *g;
};
struct listing listing_begin(bool names);
void listing_add(struct listing *l, const char *name, const char *text);
void listing_end(struct listing *l);

/* These return the exit status. */
int list_kernels(const struct list_args *a);
int list_statistics(const struct list_args *a);
int list_experiments(bool names); /* all, those that cannot be measured yet included (experiment.c) */
int list_blocks(bool markdown);   /* the twins, and what the papers name (blocks.c); markdown: a row for each paper */
int list_lockstep(void);          /* the recorded runs on the whole SM (blocks.c) */
int list_ptx(bool markdown, bool json); /* what of PTX is read and refused (list_ptx.c) */

/* Returns "finereg/rmu" for that or for "rmu"; NULL: no block is called so (blocks.c). */
const char *block_full_name(const char *name);

#endif

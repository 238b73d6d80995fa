/* SPDX-License-Identifier: Apache-2.0 */
/* cost_table: prints what the SM of a configuration costs (cost/cost.h), for regtwin cost. */
#ifndef RT_CLI_COST_TABLE_H
#define RT_CLI_COST_TABLE_H

#include <stdio.h>

#include "cost/cost.h"

/* A system, and the same machine without it. */
struct priced {
  char label[1100]; /* its name, with the settings that it carries */
  struct config c;
  struct system_cost s, plain;
  char why[512]; /* why the two cannot be compared; "": they can */
};
/* Prints a system in full; if it can be compared with the same machine without it, a line says what it has more. */
void system_cost_print(const struct priced *x, FILE *f);
/* False: the system has something that was not built, and no block that was, so that a sum of its blocks would say nothing. */
bool cost_blocks_known(const struct system_cost *s);

/* Prints a line for each of several systems: what it has more than the same machine without it. All are of one node. */
void systems_cost_print(const struct priced *p, unsigned n, FILE *f);

#endif

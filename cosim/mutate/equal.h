/* SPDX-License-Identifier: Apache-2.0 */
/* equal: what the files of the program share; equal.sh says how a proof works. A damaged input ends the program with status 2. */
#ifndef COSIM_MUTATE_EQUAL_H
#define COSIM_MUTATE_EQUAL_H

#include "tool.h"

/* tb/SYSTEM/BLOCK.legal or .one. Lines of one kind are joined, each with a blank after it; "" if there is none. */
struct legal {
  const char *path;
  bool there;  /* the file exists */
  char *rule;  /* the expression: all lines without //; "1'b1" without a file */
  char *cut;   /* wires that are compared and cut */
  char *apart; /* registers that may differ ... */
  char *same;  /* ... while this holds */
};
void legal_read(struct legal *l, const char *path);
/* The commands `check` and `expose`. */
int legal_check(char **argv);
int legal_expose(char **argv);

/* A port of the block without registers. Numbers of ports are those of their order, from 1. */
struct port {
  bool input;
  const char *range; /* "[7:0]", or "" for one bit */
  const char *name;  /* as in Verilog, with the backslash of an escaped name */
};
struct ports {
  struct port *port; /* that of number 1 is port[0] */
  size_t n, room;
};
/* The ports of that module in a file of Verilog that Yosys wrote. */
void ports_read(struct ports *p, const char *path, const char *module);

/* Prints the module "top", which compares the block without and with fault `number`. `reach`: the outputs that it can
 * reach, one per line, "*" for all. `related`: registers of l->apart may differ while l->same holds. */
void miter_print(const char *number, const char *module, const struct ports *p, const struct legal *l,
                 const char *reach, bool related);

/* Prints the list of faults with the cells of a netlist with one of each array, an empty line where there is no such
 * cell. `arrays`: names of generate blocks, with blanks in between. */
void lanes_print(const char *arrays, const char *list, const char *whole, const char *one);

#endif

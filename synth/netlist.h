/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netlist: a mapped netlist as Yosys writes it: one flat module of cells of a library and of memories. Nets are numbered, one for
 * each bit; NET_0 and NET_1 are the constants. Names that an assign joins are one net. Input that is damaged, or a
 * cell that the library does not have, ends the program with a message and status 2.
 */
#ifndef RT_SYNTH_NETLIST_H
#define RT_SYNTH_NETLIST_H

#include "liberty.h"

enum { NET_0, NET_1, NET_NONE = UINT32_MAX };

struct port {
  const char *name;
  bool input;
  unsigned width;
  uint32_t *net; /* lowest bit first */
};

struct instance {
  const struct cell *cell;
  const char *name;
  unsigned line;
  uint32_t *net; /* of each pin of the cell; NET_NONE: not connected */
};

/* Memories of rtl/common: their contents are simulated, their energy is not part of the logic's. */
enum { RAM_CLOCK, RAM_READ, RAM_WRITE, RAM_ENABLE, RAM_READ_AT, RAM_WRITE_AT, RAM_DATA, RAM_OUT, RAM_PORTS };
struct ram {
  const char *name;
  unsigned line, width[RAM_PORTS];
  uint32_t *net[RAM_PORTS]; /* a memory with one port has RAM_ENABLE and one address, RAM_READ_AT */
};

struct netlist {
  const char *path, *module;
  unsigned nets, ports, instances, rams;
  const char **name; /* of a net: "some[3]" */
  struct port *port;
  struct instance *instance;
  struct ram *ram;
};

struct netlist *netlist_read(const char *path, const struct liberty *l);
const struct port *netlist_port(const struct netlist *n, const char *name); /* NULL: none */

#endif

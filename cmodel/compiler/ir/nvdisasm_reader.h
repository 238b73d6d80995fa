/* SPDX-License-Identifier: Apache-2.0 */
/* nvdisasm_reader: the state of reading a file of nvdisasm -cfg, for nvdisasm_read.c, nvdisasm_record.c and nvdisasm_names.c only. */
#ifndef RT_IR_NVDISASM_READER_H
#define RT_IR_NVDISASM_READER_H

#include "base/hashtab.h"
#include "compiler/ir/nvdisasm.h"

/* ---- names of functions, of nodes, and of the ports of each node (nvdisasm_names.c) ---- */
enum { SCOPE_FUNCS, SCOPE_NODES, SCOPE_PORTS }; /* SCOPE_PORTS + node */
struct name {
  uint64_t scope;
  size_t at, n; /* in the file */
  uint32_t value;
};
struct names { /* zeros: empty */
  struct name *item;
  uint32_t n, room;
  struct hashtab index; /* of items, by hash of scope and name */
};
const struct name *name_find(const struct names *t, const char *text, uint64_t scope, size_t at, size_t n);
bool name_add(struct names *t, const char *text, uint64_t scope, size_t at, size_t n,
              uint32_t value); /* false: twice */
void names_free(struct names *t);

/* ---- what is read ---- */
struct part {           /* a segment of a record, what a port stands for */
  uint32_t first, last; /* blocks: the one that it begins; the last of the sequence that it is part of */
  bool begins;          /* it begins a block */
};
struct port { /* of an edge: NODE:PORT, PORT empty where it has none */
  struct dot_token node, port;
};
struct edge {
  struct port from, to;
};
struct link { /* an edge between blocks */
  uint32_t from, to;
};

struct reader {
  struct dot d;
  struct sass *s;
  struct names names;
  struct part *part;
  struct edge *edge;
  struct link *link;
  uint32_t *node; /* per node: its parts begin here */
  uint32_t npart, nedge, nlink, nnode, nsubgraph;
  uint32_t part_room, edge_room, link_room, node_room, func_room, block_room, insn_room, regs_room;
  bool in_cluster, outside; /* in a subgraph; a node has been outside of all of them */
  uint32_t pc;              /* of the next instruction, if the file does not say it */

  /* the record in work: sequences of parts that end with a part exitN */
  bool open, falls;   /* in a sequence; the one before goes on in the next one */
  uint32_t first;     /* part of the sequence */
  bool split, closes; /* the last instruction is a call; it goes on nowhere */
  char *line;         /* the line in work, and where each of its characters is in the file */
  uint32_t *place;
  uint32_t nline, line_room, place_room;
};

bool reader_room(struct reader *r, size_t at, uint32_t n, const char *what); /* false and an error: n are too many */

/* The record of node r->nnode - 1: its blocks, instructions, links and parts (record.c). */
bool record_read(struct reader *r, const struct dot_token *label);

#endif

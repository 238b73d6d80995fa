/* SPDX-License-Identifier: Apache-2.0 */
/* rtlil: reads a netlist as Yosys's write_rtlil wrote it, after proc: one flat module. */
#ifndef COSIM_MUTATE_RTLIL_H
#define COSIM_MUTATE_RTLIL_H

#include "tool.h"

enum rtlil_kind { RTLIL_OTHER, RTLIL_ATTRIBUTE, RTLIL_WIRE, RTLIL_CELL, RTLIL_PARAMETER, RTLIL_CONNECT, RTLIL_END };

struct rtlil {
  struct textfile file;
  enum rtlil_kind kind; /* of the current line */
  char *text;           /* the current line; as long as it is the current one */
  struct words words;   /* its words; they stay */
  /* The cell that the current line belongs to, from its line "cell" to its line "end"; NULL: none. */
  const char *type, *cell;
  size_t room;
  bool any; /* there was a cell */
};

void rtlil_open(struct rtlil *r, const char *path);
/* Goes to the next line that is not empty. False: there is none. A damaged line, or a file without a cell, is refused. */
bool rtlil_next(struct rtlil *r);
/* The name as Yosys's list of faults has it: "tag_q" of the cell "\tag_q". */
const char *rtlil_listed(const char *cell);
/* True if the line connects an output Y or Q of its cell. */
bool rtlil_is_output(const struct rtlil *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* import: traces of Accel-Sim become a trace of ours (trace/trf/trf.h). Every file is read twice: for its code, then for what
 * its warps did. */
#ifndef RT_ACCELSIM_IMPORT_H
#define RT_ACCELSIM_IMPORT_H

#include <stdint.h>

#include "base/err.h"
#include "trace/accelsim/traceg.h"

enum { IMPORT_NAMES = 200 };
struct import_report {
  uint32_t kernels, copies; /* copies to the GPU that the list has: they are passed over */
  uint32_t others;          /* lines of the list that are neither; the first one's number and beginning */
  int other_line;
  char other[TRACEG_OTHER + 1];
  uint64_t ctas, warp_insns;
  uint32_t unknown;                 /* opcodes in no map */
  uint64_t unknown_insns;           /* executed instructions of them */
  char unknown_names[IMPORT_NAMES]; /* the first of them: "FOO, BAR.X" */
  uint64_t texels;                  /* instructions on textures and surfaces, timed without addresses */
  uint64_t bulk;        /* bulk copies and matrix instructions of four warps, timed as one instruction each */
  uint64_t no_exit;     /* warps whose trace ends without an exit: one was added */
  uint64_t rounded;     /* accesses whose addresses were no multiples of their width: rounded down */
  uint32_t part, parts; /* pages.h; part 0: addresses are those of the trace */
};

/* path: a .traceg file, a .traceg.xz file, or a list, .g. opcodes: a user's opcode map, or NULL. out: the file to write;
 * NULL: one without a name, *fd is the caller's (/proc/self/fd/N). False and *e: nothing was written. */
bool traceg_import(const char *path, const char *opcodes, const char *out, int *fd, struct import_report *report,
                   struct err *e);
/* What a user should know, as notes and one warning; `path` begins each. */
void import_tell(const char *path, const struct import_report *r);

#endif

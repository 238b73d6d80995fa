/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traceg: the traces of Accel-Sim, as text (docs/use/accel-sim.md): the reader of one .traceg file, and of a list of them
 * (kernelslist.g). The reader checks syntax and ranges, and that each CTA holds what its lines announce; it keeps one line
 * in memory.
 */
#ifndef RT_ACCELSIM_TRACEG_H
#define RT_ACCELSIM_TRACEG_H

#include "trace/accelsim/lines.h"

enum {
  TRACEG_REGS = 8,  /* registers that an instruction may list, of destinations and of sources */
  TRACEG_ZERO = 255 /* RZ, which is no register */
};

struct traceg_head {
  char *name; /* of the kernel, mangled; freed by traceg_close */
  uint32_t id, grid[3], block[3];
  uint32_t shared_bytes, regs, binary, version, lineinfo;
  uint64_t stream, shared_base, local_base; /* bases of the windows in generic addresses; 0: not given */
  uint32_t warps, ctas, threads;            /* of a CTA; of the grid; of a CTA */
};

struct traceg_inst {
  uint32_t line, pc, mask; /* line of the source; 0 without line numbers */
  uint8_t ndst, nsrc, dst[TRACEG_REGS], src[TRACEG_REGS];
  bool access, has_imm;
  uint16_t bytes; /* per lane, of an access, as the opcode says */
  int64_t imm;
  const char *opcode; /* valid until the next call */
  uint64_t addr[32];  /* of an access: of lanes in mask, else 0 */
  int opcode_col, addr_col;
};

struct traceg;
/* Reads the head. NULL and *e. */
struct traceg *traceg_open(const char *path, struct err *e);
struct traceg *traceg_read(struct lines *l, struct err *e); /* takes over l */
void traceg_close(struct traceg *t);                        /* NULL is fine */
const struct traceg_head *traceg_head(const struct traceg *t);
const char *traceg_path(const struct traceg *t);
int traceg_line(const struct traceg *t);

enum traceg_event { TRACEG_ERROR = -1, TRACEG_END, TRACEG_CTA, TRACEG_WARP, TRACEG_INST, TRACEG_CTA_END };
/* What comes next: CTA (*at its number in the grid), its warps (*at), each with its instructions (*i), the CTA's end. END:
 * the file ends, and every CTA of the grid was there once. Blank lines and lines of clusters are passed over. */
enum traceg_event traceg_next(struct traceg *t, uint32_t *at, struct traceg_inst *i, struct err *e);

/* The bytes per lane of an access: the first part of the opcode that is a number of bits, perhaps behind U or S; else 4.
 * (Accel-Sim takes no S, and 4 bytes then.) */
unsigned traceg_bytes(const char *opcode);

/* A list: paths of the kernels' files in their order, beside the list; copies and lines that are neither are counted. */
enum { TRACEG_OTHER = 40 };
struct traceg_list {
  char **path;
  uint32_t n, room, copies;
  uint32_t others;              /* lines that are ignored, as Accel-Sim does */
  int other_line;               /* number of the first of them */
  char other[TRACEG_OTHER + 1]; /* its beginning */
};
bool traceg_list(const char *path, struct traceg_list *l, struct err *e);
void traceg_list_free(struct traceg_list *l);
/* By the end of its name: kernelslist.g and other .g (a list), .traceg, .traceg.xz. */
bool traceg_is(const char *path);
bool traceg_is_list(const char *path);

#endif

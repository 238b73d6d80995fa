/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rebuild: a kernel's code from the instructions that its warps executed: the static instructions in the order of their
 * PCs, the control flow among them, and which of them have a guard. Private to trace/accelsim/.
 *
 * The trace says for each executed instruction which lanes did it, those whose guard failed left out. Lanes are followed in
 * groups: those that did the same thing last. A group goes on together, so lanes of a group that an instruction leaves out
 * have passed it with a guard that failed; after a branch the lanes that take it are a group of their own. What a group
 * does next is a successor of what it did last.
 */
#ifndef RT_ACCELSIM_REBUILD_H
#define RT_ACCELSIM_REBUILD_H

#include "compiler/ir/code.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/traceg.h"

struct rebuild;
/* Of one kernel, all of its launches. most: static instructions, those that are added for the control flow not counted. */
struct rebuild *rebuild_new(const struct opmap *map, uint32_t most);
void rebuild_regs(struct rebuild *r, uint32_t regs); /* a launch has so many registers per thread */
void rebuild_free(struct rebuild *r);

enum { REBUILD_NONE = -1 };
/* The number of a static instruction, which is new if `add`; REBUILD_NONE: there are too many, or it is not known. Its
 * class is *c; *unknown: the opcode is in no map. */
int64_t rebuild_find(struct rebuild *r, const struct traceg_inst *i, bool add, enum op_class *c, bool *unknown);

uint32_t rebuild_count(const struct rebuild *r); /* static instructions so far */

struct track { /* of a warp */
  uint32_t group[32], at;
  uint32_t last; /* the instruction before; of the first one meaningless */
  bool ended;    /* all lanes that came to its last instruction have exited there */
};
void track_begin(struct track *t, uint32_t threads);
/* The warp has executed static instruction `id` with these lanes. Returns the lanes that came to it. Until rebuild_finish
 * the control flow is learnt of it; afterwards nothing is. */
uint32_t track_step(struct rebuild *r, struct track *t, uint32_t id, uint32_t lanes);
uint32_t track_alive(const struct track *t); /* lanes that have not exited */
/* The warp's trace ends. False: it does not end with an exit of all lanes there, so that one must be added. */
bool track_end(struct rebuild *r, const struct track *t);

struct rebuilt { /* in the rebuild's arena */
  struct insn *insn;
  const char **text; /* opcodes; of added instructions "BRA" and "EXIT" */
  uint8_t *cls;
  uint32_t n, exit; /* exit: the instruction that ends warps whose trace has none */
  uint32_t added;   /* branches that stand for a further successor of the instruction before */
  uint32_t nreg, npred;
};
/* False and *e: warps begin at different instructions, or there are more than `most` instructions. */
bool rebuild_finish(struct rebuild *r, const char *file, uint32_t most, struct rebuilt *out, struct err *e);
uint32_t rebuild_op(const struct rebuild *r, uint32_t id); /* index in rebuilt.insn */

/* convert.c: an instruction of ours for one of a trace; the guard and a branch's target are the caller's. copies: the
 * kernel has asynchronous copies. */
struct traced { /* a static instruction */
  uint32_t pc, line;
  const char *opcode;
  uint8_t ndst, nsrc, dst[TRACEG_REGS], src[TRACEG_REGS];
  uint16_t bytes;
  uint8_t cls; /* enum op_class */
  bool has_imm;
  int64_t imm;
};
void convert_insn(const struct traced *t, bool copies, struct insn *out, uint8_t *cls);

#endif

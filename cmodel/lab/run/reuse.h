/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reuse: the profile of reuse distances (compiler/ir/reuse.h) of a program: how often each operand's reuse is near, over the warps of
 * the first CTAs of each kernel, executed without time. And its file (docs/reference/reuse-distance.md), which belongs to the PTX that
 * it was made of, by its hash, and to the registers that its kernels were given:
 *
 *   regtwin-reuse 1 ptx 3d33f129a968048e near 12 entries 1
 *   entry vecadd instructions 17 code 5f3759df00c0ffee
 *   0 - - - - - - 64/0 - - -
 *   8 64/0 0/64 - - - - 0/64 - - -
 *
 * Behind an entry a line for each instruction: pc, then near/far of its ten operands, - for those it does not have.
 */
#ifndef RT_RUN_REUSE_H
#define RT_RUN_REUSE_H

#include "compiler/ir/reuse.h"
#include "lab/run/load.h"

enum {
  REUSE_NEAR = 12,     /* instructions: the paper's RTHLD */
  REUSE_CTAS = 2,      /* of each kernel: some 0.01 % of the warps, as the paper says */
  REUSE_BINS = 64,     /* distances 1 to 63, each by itself; bin 0: all above */
  REUSE_FILE = 1 << 26 /* bytes of a file */
};
#define REUSE_ALL UINT32_MAX

struct reuse_insn {
  struct reuse_counts count;
  uint16_t has; /* mask of its operands */
};
struct reuse_entry { /* of a kernel */
  const char *name;
  uint64_t code; /* reuse_code_hash */
  struct reuse_insn *insn;
  uint32_t n, cap;
  int line, name_col, code_col; /* of a file */
  /* not in a file: */
  uint64_t warps, insns, bin[REUSE_BINS], never; /* reuses of registers by distance; accesses without a reuse */
};
struct reuse_profile {
  const char *file; /* "": not of a file */
  uint64_t hash;    /* of the PTX (widths_hash) */
  uint32_t near;    /* largest distance that is near */
  struct reuse_entry *entry;
  uint32_t n, cap;
  int hash_col, near_col; /* on line 1 of the file */
  struct arena arena;     /* of names */
};

/* Executes a workload, which is used up, until the first `ctas` CTAs of each kernel that it launches, over its launches,
 * have ended. An entry for each kernel that its launch file names, in the module's order. *p may be freed after an error. */
bool reuse_run(struct workload *w, uint64_t seed, uint32_t ctas, uint32_t near, struct reuse_profile *p, struct err *e);
/* Of one launch, for what has no workload: executes it as far as that, which changes its memory, and sets op.near of its code.
 * False and *e: it failed before. */
bool reuse_of_launch(const struct launch *l, uint32_t ctas, uint32_t near, struct err *e);
void reuse_free(struct reuse_profile *p);

void reuse_write(const struct reuse_profile *p, FILE *f);
/* Reads a file's text, by itself. *p may be freed after an error, too. */
bool reuse_text(struct reuse_profile *p, const char *file, const char *text, size_t n, struct err *e);
/* Reads a file and holds it against a workload: its PTX, its kernels' code, the kernels that its launch file names, `near`. */
bool reuse_read(struct reuse_profile *p, const char *path, const struct workload *w, uint32_t near, struct err *e);
/* Sets op.near in the kernels of m that p has; of kernels that it does not have all is far. A trace may have several kernels of one
 * name, so the code decides, too. */
void reuse_apply(const struct reuse_profile *p, struct module *m);

#endif

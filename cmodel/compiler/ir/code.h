/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code: a kernel ready for analysis, and a module of kernels. Made by compiler/ptx/lower.c (virtual registers), completed by
 * compiler/regalloc/ or compiler/narrow/ (physical registers, annotations), read by exec/ and sm/.
 *
 * Ownership: a module owns everything below it through its arena; module_free frees all of it.
 */
#ifndef RT_IR_CODE_H
#define RT_IR_CODE_H

#include "base/arena.h"
#include "base/err.h"
#include "compiler/ir/insn.h"
#include "compiler/ir/op.h"
#include "compiler/ir/texture.h"
#include "compiler/ir/traits.h"

struct param {
  const char *name;
  uint32_t offset, size, align; /* bytes in the parameter bank; size of the whole array or struct */
  uint8_t type;                 /* enum dtype of one element */
  bool array;                   /* .param .align 8 .b8 p[56] */
  uint8_t handle;               /* enum handle_kind: .texref, .samplerref, .surfref, 8 bytes; else HANDLE_NONE */
};

struct vreg {
  uint8_t words;    /* 32-bit registers: 1, 2; 0 for a predicate */
  const char *name; /* for messages and `analyze`; "%r1" */
};

struct code {
  const char *name, *file; /* entry name; PTX path, for messages */
  uint32_t line, col;      /* of the .entry's name */
  struct insn *insn;
  uint32_t n; /* instructions; the last can not fall through the end */
  struct vreg *vreg;
  uint32_t nvreg; /* virtual registers, predicates included (one name space) */
  struct param *param;
  uint32_t nparam, param_bytes;
  uint32_t shared_bytes;           /* static shared memory; the launch's dynamic part starts here, aligned to 16 */
  uint32_t shared_reserved;        /* of it, at its start: what %reserved_smem_offset_* name; 0: they are not used */
  uint32_t local_bytes;            /* per thread, the allocator's spill slots included */
  uint32_t reqntid[3], maxntid[3]; /* 0: not given */
  uint32_t minctas, maxnreg;       /* 0: not given */
  bool dyn_shared;                 /* has an .extern .shared array */

  /* filled by compiler/regalloc/, see compiler/regalloc/regalloc.h */
  bool allocated;
  uint32_t nreg, npred;     /* physical 32-bit registers per thread (<= 255), predicates (<= 16) */
  uint32_t spills;          /* loads and stores that the allocator added */
  uint32_t *reconv;         /* per instruction: for BRA, index of the reconvergence point (n: only at exit) */
  uint64_t (*live)[4];      /* per instruction: physical registers live before it, on a thread's own paths */
  uint64_t (*warp_live)[4]; /* the same for a warp: in any lane, lanes waiting for reconvergence included */
  uint32_t maxlive;         /* most physical registers live at once */
  struct op *op;            /* per instruction: the timing view */
  struct packing *packing;  /* registers lie in slices (compiler/narrow/pack.c); NULL: each fills a physical one */
};

/*
 * Narrow operands (the slices paper, section 4). A web is a value of the program: definitions and the reads that they
 * reach, of one 32-bit word. It has the same width everywhere. In packed code, instructions name architectural
 * registers, indices of the indirection table: webs that lie in the same slices share an index.
 */
struct web {
  const char *name;    /* PTX register, with ".2" for its second web in the order of the text, ".3", ... */
  uint8_t words, word; /* of the PTX register: 1, 2; which of them this is: 0 low */
  bool fp;             /* all definitions and reads are f32: it may be rounded */
  uint8_t n, sgn;      /* nibbles 1..8; an integer is sign-extended when read */
  uint8_t reg;         /* architectural register */
};
struct narrow {            /* of an instruction: 32-bit registers in the order of struct op */
  uint8_t sgn, cvt;        /* bit per source: sign-extend; a float of less than eight nibbles */
  uint8_t fp;              /* bit per destination: rounded when written, if n is below 8 */
  uint8_t n[4];            /* nibbles of the destination */
  uint32_t src[6], dst[4]; /* webs */
};
struct packing {          /* in the module's arena */
  uint32_t entry[256];    /* the table: blocks/slice/entry.h; 0: not used */
  uint32_t rows;          /* physical registers per thread */
  uint32_t slices;        /* most that are in use at once: rows are at least an eighth of it */
  struct narrow *insn;    /* [code.n] */
  uint64_t (*overlap)[4]; /* [code.n]: registers that share slices with the destinations, themselves left out */
  struct web *web;
  uint32_t nweb;
};

/* FineReg's live vector of instruction `op`: bit r: some lane of a warp that is about to execute it may still read
 * its register r, so it must be kept. Bit 63 is never set: a kernel of more registers has no vectors. */
enum { LIVE_VECTOR_REGS = 63 };
static inline bool live_vectors(const struct code *c) { return c->nreg <= LIVE_VECTOR_REGS; }
static inline uint64_t live_vector(const struct code *c, uint32_t op) { return c->warp_live[op][0]; }

struct symbol { /* module-scope .global or .const variable */
  const char *name;
  uint8_t space; /* SP_GLOBAL: addr is the global address; SP_CONST: offset in the 64 KB constant bank */
  uint8_t type;
  uint32_t addr, size;
  const uint8_t *init; /* size bytes, or NULL: zero */
};

struct
    refusal { /* a kernel or variable of the file that cannot be used: the error or unsupported feature, with its place */
  struct refusal *next;
  const char *name;
  struct err why;
  const struct param *param; /* a kernel's parameters, as far as they are known */
  uint32_t nparam, param_bytes;
};

/* In which order compiler/regalloc/ and compiler/narrow/ put a kernel's instructions (compiler/regalloc/schedule.c); zeros: as they are written. */
struct schedule {
  bool list;           /* list scheduling of each basic block */
  uint32_t load, regs; /* cycles from a load to its use; registers up to which instructions move up */
  uint32_t unroll;     /* copies of a loop's body, at most, where it is not unrolled completely; 0, 1: loops stay */
};

struct module {
  const char *file;
  struct schedule schedule; /* zeros from ptx_load; who opens it sets it before allocation */
  uint32_t code_before;     /* the same: instructions of other modules whose code lies before this one's */
  struct code *kernel;
  uint32_t nkernel;
  struct refusal *refused;          /* in the order of the file */
  struct refusal *refused_variable; /* module variables that are not supported */
  struct symbol *symbol;
  uint32_t nsymbol;
  struct texref *texref; /* .texref, .samplerref, .surfref (compiler/ir/texture.h) */
  uint32_t ntexref;
  uint32_t global_base; /* of the block of its variables (ptx_place); 0: they lie from GLOBAL_BASE on */
  uint32_t global_end;  /* first free global address after the module's variables */
  uint32_t const_bytes;
  struct arena arena;
};

struct code *module_kernel(struct module *m, const char *name); /* NULL: none of exactly that name */
/* The kernel that a user names: exactly, or by the base name of its mangled name where only one has it (vecadd for
 * _Z6vecaddPKfS0_Pfi). NULL and *e, at the place given or, for a refused one, at its error. */
struct code *module_find(struct module *m, const char *name, const char *file, int line, int col, struct err *e);
/* Adds a refusal; module_drop: of an existing kernel, whose successors move down. */
void module_drop(struct module *m, uint32_t index, const struct err *why);
struct refusal *module_refuse(struct module *m, const char *name, const struct err *why);
/* *e: why this kernel is refused, and which others of the file can be run. Returns false. */
bool module_refused(const struct module *m, const struct refusal *r, struct err *e);
/* The base name inside a mangled C++ name, *n characters; NULL: there is none. No template arguments, no namespaces. */
const char *mangled_base_name(const char *mangled, size_t *n);
void module_free(struct module *m); /* m itself too; NULL is fine */

/* Control-flow graph: basic blocks in order of their first instruction. */
struct block {
  uint32_t first, end;     /* instructions [first, end) */
  uint32_t succ[2], nsucc; /* blocks: fall-through first */
  uint32_t *pred, npred;
  uint8_t leave;
}; /* enum leave: how threads end here */
enum leave { LEAVE_NOT, LEAVE_SOME /* guarded exit or trap: the others fall through */, LEAVE_TRAP, LEAVE_EXIT };
struct graph {
  struct block *block;
  uint32_t n;
  uint32_t *block_of; /* per instruction */
};
void graph_build(const struct code *c, struct graph *g);
void graph_preds(struct graph *g); /* pred and npred (0 before), from succ */
void graph_free(struct graph *g);

/* Registers an instruction reads and writes, in the names it holds now (virtual or physical). Each call
 * appends to out and returns how many; a pair is reported once, as its operand. Guards and predicate
 * operands are included. A guarded write does not kill the old value. */
unsigned insn_reads(const struct insn *i, const struct opnd *out[INSN_SRC + 1]);
unsigned insn_writes(const struct insn *i, const struct opnd *out[INSN_DST]);

uint8_t insn_class(const struct insn *i); /* enum cls: the unit that executes it (compiler/ir/op.c) */

/* Fills c->op (allocated here in the module's arena) from c->insn after allocation. */
void op_build(struct module *m, struct code *c);

/* One instruction as text, PTX-like, with the registers it holds now ("R5", "P0" once allocated). */
void insn_print(const struct code *c, uint32_t index, char *buf, unsigned size);

#endif

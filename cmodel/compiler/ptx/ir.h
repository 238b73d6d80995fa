/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir: parsed PTX with names resolved: variables, functions, statements with operands. parse.c builds it,
 * check.c fills the decoded fields of each statement, inline.c flattens calls, lower.c makes struct code of it.
 *
 * Everything lives in the arena of struct ir, except the growing arrays, which ir_free frees. Names are interned:
 * equal names are equal pointers. Scopes are numbered over the whole file; 0 is the file's.
 */
#ifndef RT_PTX_IR_H
#define RT_PTX_IR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hashtab.h"
#include "compiler/ir/insn.h"
#include "compiler/ir/texture.h"
#include "compiler/ptx/lex.h"

enum { NO_REG = UINT32_MAX };

/* V_REF: .texref, .samplerref, .surfref of the file; addr is its handle. */
enum var_kind { V_SHARED, V_LOCAL, V_GLOBAL, V_CONST, V_KPARAM, V_FPARAM, V_REF };

/* An initialiser that holds an address: patched once all module variables have theirs. */
struct ir_patch {
  struct ir_patch *next;
  struct ir_var *var; /* whose address */
  int64_t add;
  uint64_t mask;      /* 0: all of it; else (address & mask) >> lowest bit of mask */
  uint32_t at, bytes; /* where in the initialiser */
  bool generic;
  int line, col;
};

struct ir_var {
  const char *name;
  uint8_t kind, type; /* type of one element */
  uint8_t handle;     /* V_REF, V_KPARAM: enum handle_kind */
  uint8_t points;     /* V_KPARAM: the same of .u64 .ptr .texref, whose value is the handle */
  bool is_extern, array, unsized;
  bool in_memory;        /* V_FPARAM: its address is taken, or its accesses do not fit together */
  uint32_t align, index; /* index: number within its function (locals and function parameters) */
  uint64_t size;         /* bytes */
  uint32_t addr;         /* global address, offset in the constant or parameter bank; V_SHARED, V_LOCAL: per kernel */
  uint32_t mark;         /* V_SHARED: kernel (from 1) that addr is for */
  const uint8_t *init;   /* module arena, or NULL */
  struct ir_patch *patch;
  struct ir_slots *slots; /* V_FPARAM, per call: lower.c */
  struct texref *ref;     /* V_REF */
  struct err *refused;    /* not supported: so are the kernels that name it; NULL: it is */
  int line, col;
};

struct ir_reg {
  const char *name;
  uint8_t type;
};

enum ir_kind {
  IO_REG,   /* reg; neg: !p */
  IO_IMM,   /* imm */
  IO_FLOAT, /* imm = bits, single: from 0f */
  IO_SREG,  /* reg = enum sreg */
  IO_SYM,   /* address of var, plus imm */
  IO_VEC,   /* elem[n] */
  IO_SINK,  /* _ */
  IO_ADDR,  /* [base + imm]; base: IO_REG (reg), IO_SYM (var) or IO_IMM */
  IO_TEX,   /* [elem[0], ...]: handle, a sampler's if n is 3, coordinates (IO_VEC or one) */
  IO_NAME,  /* a name that is no register or variable: label, table, function */
};

struct ir_opnd {
  uint8_t kind, base, n;
  bool neg, single;
  uint8_t nselect; /* digits of a byte selector after a register, as .b3210; 0: none */
  uint16_t select; /* these, four bits each, the last one lowest */
  uint32_t reg;
  int line, col;
  int64_t imm;
  struct ir_var *var;
  struct ir_opnd *elem; /* IO_VEC, IO_TEX: elements */
  struct ir_opnd *pair; /* the q of p|q; IO_SINK possible */
  const char *name;     /* as written, interned; NULL for literals */
};

struct ir_call {
  const char *name;     /* callee, interned */
  struct ir_func *func; /* found by name at the end of the file */
  struct ir_opnd *ret, *arg;
  uint32_t nret, narg;
};

struct ir_table { /* .branchtargets; target[].reg = label, once a branch uses it */
  struct ir_opnd *target;
  uint32_t n;
};

struct ir_mod { /* one dotted word of an operation */
  const char *s;
  uint32_t n;
  int line, col;
};

struct rule;
struct ir_insn {
  const struct rule *rule;
  const char *text; /* the operation as written: points into the source */
  uint16_t ntext, nopnd;
  int line, col;
  uint32_t guard;          /* register or NO_REG */
  bool guard_neg, in_func; /* in_func: stands in a .func, where ld.param of a register means the stack */
  struct ir_opnd *opnd;
  struct ir_call *call;
  uint32_t label;               /* BRA */
  const struct ir_table *table; /* BRX */
  /* decoded by check.c; the fields of struct insn */
  uint8_t type, stype, space, rnd, cmp, boolop, sub, vec;
  uint8_t btype, ctype;    /* mma: third and fourth type */
  uint8_t fragment;        /* wmma: WMMA_LOAD | WMMA_A, ... (rules.h) */
  uint8_t layouts, layout; /* mma, wmma: how many there are; bit k: the k-th is .col */
  uint8_t tex;             /* textures and surfaces */
  uint32_t mods;
  uint32_t flags; /* IF_* */
};
enum { IF_TO = 1, IF_HINT = 2, IF_RED = 4, IF_PARAM_FUNC = 8, IF_PARAM_ENTRY = 16, IF_NOUNROLL = 32, IF_LLVM = 64 };

struct ir_label {
  const char *name;
  uint32_t at; /* index of the statement that follows */
};

struct ir_func {
  const char *name;
  bool entry, defined, is_extern;
  int line, col;
  struct ir_var **formal, **ret;  /* V_KPARAM of an entry; V_FPARAM of a function; NULL at .reg formals */
  uint32_t *formal_reg, *ret_reg; /* register of a .reg formal, else NO_REG */
  uint32_t nformal, nret;
  struct ir_insn *insn;
  uint32_t ninsn, insn_cap;
  struct ir_reg *reg;
  uint32_t nreg, reg_cap;
  struct ir_var **var; /* V_LOCAL, V_FPARAM, by index */
  uint32_t nvar, var_cap;
  struct ir_label *label;
  uint32_t nlabel, label_cap;
  uint32_t reqntid[3], maxntid[3], minctas, maxnreg;
  struct err *refused; /* what is wrong with it or not supported in it; NULL: nothing */
  bool nounroll;       /* .pragma "nounroll" of its own or of the file */
  bool active;         /* inline.c: on the stack of calls */
};

enum bind_kind { BIND_REG = 1, BIND_RANGE, BIND_VAR, BIND_FUNC, BIND_LABEL, BIND_TABLE };

struct bind {
  const char *name;
  uint32_t scope;
  uint8_t kind, type; /* type: BIND_RANGE */
  uint32_t index;     /* register, label, or size of the range */
  void *ptr;          /* variable, function, table */
  int line, col;
};

struct ir {
  const char *file;
  struct arena arena;  /* ends with the reading */
  struct arena *keep;  /* the module's */
  struct hashtab name; /* interned names */
  struct bind *bind;
  uint32_t nbind, bind_cap;
  struct hashtab bind_index; /* of bind, by name and scope */
  uint32_t *parent;          /* of each scope */
  uint32_t nscope, scope_cap;
  struct ir_func **func;
  uint32_t nfunc, func_cap;
  struct ir_var **var; /* module scope and .shared, in order of declaration */
  uint32_t nvar, var_cap;
  uint64_t init_bytes;   /* initialised so far: bounded */
  bool nounroll;         /* .pragma "nounroll" at file level */
  bool independent;      /* .target texmode_independent */
  bool kernels_optional; /* ptx_parse_at */
};

void ir_free(struct ir *ir);
const char *ir_intern(struct ir *ir, const char *s, size_t n);
uint32_t ir_scope(struct ir *ir, uint32_t parent);
/* The binding of a name in one scope; NULL: none. */
struct bind *ir_find(const struct ir *ir, const char *name, uint32_t scope);
/* Through the enclosing scopes; registers of ranges (%r<9>) come into being in f here. */
struct bind *ir_lookup(struct ir *ir, struct ir_func *f, const char *name, uint32_t scope);
/* false and an error if the name exists in this scope. */
bool ir_declare(struct ir *ir, const struct bind *b, struct err *e);
uint32_t ir_add_reg(struct ir_func *f, const char *name, uint8_t type);
struct ir_func *ir_find_func(const struct ir *ir, const char *name);

/* Types as PTX writes them ("u32", "pred"); T_NONE: no such type. The second one: of matrices, too ("u4"). */
enum dtype type_named(const char *s, size_t n);
enum dtype type_of_matrix(const char *s, size_t n);
unsigned type_bits(enum dtype t); /* 1 for T_PRED, 0 for T_NONE */
enum tclass { TC_BITS, TC_INT, TC_FLOAT, TC_PRED };
enum tclass type_class(enum dtype t);
const char *type_text(enum dtype t);      /* ".u32" */
const char *space_text(uint8_t var_kind); /* ".shared" */
const char *handle_text(uint8_t handle);  /* ".texref" */
/* Bits of an IO_FLOAT constant as f32 (bits 32), else as f64. */
uint64_t float_bits(const struct ir_opnd *o, unsigned bits);
int sreg_named(const char *s, size_t n); /* -1: no such special register; WARP_SZ is not one */
unsigned sreg_bits(int sreg);            /* 32 or 64 */

#endif

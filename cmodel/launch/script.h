/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script: a parsed launch file, private to launch/. lex.c cuts text into tokens, expr.c compiles and evaluates
 * expressions, value.c converts between expression values and memory, parse.c parses statements, fill.c writes
 * initial values, host.c runs the statements. docs/use/launch-files.md is the specification.
 *
 * Invariants: a parsed script never changes; names have numbers (slots) that are never reused, so that a run keeps
 * its state in arrays indexed by slot. Expressions are postfix code whose stack need was bounded by the parser.
 */
#ifndef RT_LAUNCH_SCRIPT_H
#define RT_LAUNCH_SCRIPT_H

#include "base/arena.h"
#include "base/err.h"
#include "exec/texture.h"
#include "launch/launch.h"

enum {
  SCRIPT_BYTES = 16 << 20,    /* largest launch file */
  SCRIPT_NAMES = 1024,        /* variables, buffers and symbols; and kernels */
  SCRIPT_BLOCKS = 32,         /* nesting of repeat and while */
  SCRIPT_NEST = 64,           /* nesting of an expression */
  SCRIPT_STRUCTS = 8,         /* nesting of struct arguments */
  SCRIPT_STACK = 256,         /* operands of an expression waiting at once */
  SCRIPT_SHARED = 256 * 1024, /* most dynamic shared memory a launch may ask for, bytes */
  SCRIPT_THREADS = 1024,      /* most threads in a block */
  SCRIPT_PAD = 16 << 20,      /* largest pad on either side of a buffer, bytes */
  SCRIPT_SIZES = 16,          /* sizes of a file */
  SCRIPT_SIZE_NAME = 31,      /* characters in a size's name */
};

/* ---- values (value.c) ---- */
struct value { /* a 64-bit integer (two's complement, wraps) or a double */
  bool flt;
  union {
    int64_t i;
    double f; /* when flt */
  };
};
static inline struct value value_int(int64_t i) { return (struct value){.i = i}; }
static inline struct value value_float(double f) { return (struct value){.flt = true, .f = f}; }
static inline double value_double(struct value v) { return v.flt ? v.f : (double)v.i; }

/* Element types are T_U8..T_U64, T_S8..T_S64, T_F16, T_F32, T_F64. */
enum dtype script_type(const char *s, size_t n); /* by name or alias; T_NONE: not a type */
struct value script_load(enum dtype t, const void *p);
void script_store(enum dtype t, void *p, struct value v);  /* converts as the documentation says */
struct value script_convert(enum dtype t, struct value v); /* what a store and a load would give */
bool script_whole(struct value v, int64_t *out);           /* an integer, or a float without a fraction in range */
bool script_fits(enum dtype t, int64_t i);                 /* is in the type's range; those of 64 bits take all 64 */
bool script_finite(enum dtype t, struct value v);          /* stays a number in this float type, or is none already */
const char *script_range(enum dtype t, char buf[80]);      /* "from 0 to 255" */
const char *script_print(enum dtype t, struct value v, char buf[40]); /* T_NONE: as an expression's value */

/* ---- tokens (lex.c) ---- */
enum token_kind { /* one-character tokens are their character */
                  K_EOF = 256,
                  K_NEWLINE,
                  K_NAME,
                  K_INT,
                  K_FLOAT,
                  K_STRING,
                  K_BAD,
                  K_SHL,
                  K_SHR,
                  K_LE,
                  K_GE,
                  K_EQ,
                  K_NE,
                  K_AND,
                  K_OR,
};
struct token {
  int kind, line, col;
  const char *s; /* in the text */
  size_t n;
  uint64_t i;
  double f;
  bool before, after; /* white space before; white space or the end after */
};

enum name_kind { NAME_VAR, NAME_COUNTER, NAME_BUFFER, NAME_SYMBOL, NAME_TEXTURE, NAME_SURFACE, NAME_SAMPLER };
struct name {
  const char *s;
  size_t n;
  uint64_t hash;
  uint32_t slot, sizes; /* sizes: one bit for each size that has it */
  int line;             /* line of its definition */
  uint8_t kind, type;
  bool gone;  /* out of scope: its block has ended */
  bool array; /* of a texture or surface: it has an image of its own, whose channels are its elements */
};

struct parser {
  const char *file, *text, *p, *end;
  int line;
  const char *bol; /* beginning of the line that p is in */
  int nest;        /* > 0: a newline is white space */
  struct token t;  /* the next token */
  struct err *e;
  struct script *s;
  struct name *name;
  uint32_t nname, capname;
  int depth;             /* nesting of the expression being parsed */
  int blocks, structs;   /* nesting of loops and of struct arguments */
  uint32_t every, sizes; /* one bit per size: all of them; those of the statement being parsed */
  bool in_size, began;   /* inside a size block; after the first statement */
  bool list;             /* juxtaposed expressions: ` -1` begins the next one */
  struct xinsn *code;    /* code of the expression being compiled */
  uint32_t ncode, capcode, stack, maxstack;
};

void script_lex_begin(struct parser *p);
void script_next(struct parser *p);                        /* p->t = the next token; K_BAD sets *p->e */
bool script_is(const struct parser *p, const char *word);  /* the next token is this name */
bool script_found(struct parser *p, const char *expected); /* "found X, expected ..." at the next token; false */
bool script_take(struct parser *p, int kind, const char *expected);
/* A bare word or a string, for paths and hash values. The current token must be the one before it. */
bool script_word(struct parser *p, const char *expected, struct token *out);
/* The name with t's text that exists in at least one of the present sizes; NULL: none. */
struct name *script_known(const struct parser *p, const struct token *t);
/* The same for the next token, at a use: every present size must have it. NULL; *p->e if only some have it. */
struct name *script_lookup(struct parser *p);
/* Has elements: a buffer, a symbol, an array. */
static inline bool script_memory(const struct name *x) {
  return x && (x->kind == NAME_BUFFER || x->kind == NAME_SYMBOL || x->array);
}
static inline bool script_handle(const struct name *x) { return x && x->kind >= NAME_TEXTURE; }
struct name *script_define(struct parser *p, const struct token *t, enum name_kind kind, enum dtype type);
/* The same; a name that other sizes define is shared if kind and type are equal. */
struct name *script_define_sized(struct parser *p, const struct token *t, enum name_kind kind, enum dtype type);

/* ---- expressions (expr.c) ---- */
struct xinsn {
  uint8_t op, type;
  uint32_t arg; /* slot, or jump target */
  int line, col;
  union {
    int64_t i;
    double f;
  } u;
};
struct expr {
  struct xinsn *code;
  uint32_t n;
  int line, col;
};
struct view { /* the present memory of a buffer or symbol */
  uint8_t *data;
  uint64_t n; /* elements */
  uint32_t addr, bytes;
  uint8_t type;
  bool set, constant; /* exists; lies in constant memory and has no address */
  bool rows;          /* the host's copy of an array (texture.c): no memory of the device */
};
struct env {
  const char *file;
  const struct name *name; /* by slot */
  struct value *var;       /* by slot */
  struct view *view;       /* by slot */
  const uint64_t *handle;  /* by slot: of textures, surfaces, samplers */
  struct err *e;
  bool *steered;                        /* NULL, or: set true when an expression reads elements */
  struct value stack[SCRIPT_STACK + 1]; /* of the expression being evaluated */
};
bool script_expr(struct parser *p, struct expr *out);
bool script_expr_item(struct parser *p, struct expr *out); /* of a list without commas; a comma after it is taken */
/* One expression or `(a, b, c)`, up to three; *n: how many. */
bool script_dim(struct parser *p, struct expr out[3], unsigned *n);
bool script_eval(const struct expr *x, struct env *v, struct value *out);
/* The expression is `NAME[i]`, of the variable in slot `index`: the elements of NAME one by one. NULL: it is not. */
const struct view *script_elements(const struct expr *x, const struct env *v, uint32_t index);
bool script_eval_whole(const struct expr *x, struct env *v, int64_t lo, int64_t hi, const char *what, int64_t *out);

/* ---- statements (file.c) ---- */
enum init_kind { INIT_ZERO, INIT_FILL, INIT_IOTA, INIT_RAND, INIT_EXPR, INIT_FILE, INIT_DATA };
struct init {
  uint8_t kind;
  int line, col;
  struct expr a, b;
  uint32_t index; /* slot of `i` */
  const char *path;
  struct expr *data;
  uint32_t ndata;
};

enum arg_kind { ARG_POINTER, ARG_TYPED, ARG_PLAIN, ARG_LOCAL, ARG_STRUCT, ARG_HANDLE /* type: enum name_kind */ };
struct arg {
  uint8_t kind, type;
  bool offset; /* ARG_POINTER: `a` is a byte offset */
  int line, col;
  uint32_t slot;
  struct expr a;
  struct arg *member; /* ARG_STRUCT */
  uint32_t nmember;
};

struct launch_file { /* a launch statement */
  const char *kernel;
  int line, col; /* of the kernel's name */
  uint32_t id;   /* number of the statement in the file */
  struct expr grid[3], block[3], shared, stride;
  unsigned ngrid, nblock;
  bool has_shared, has_stride;
  uint32_t regs;
  struct arg *arg;
  uint32_t narg;
  int end_line, end_col; /* of the closing parenthesis */
};

struct image_form { /* an image statement; its width and height are the statement's a and b */
  uint8_t channels; /* 1 gray, 3 rgb, 4 rgba */
  bool ranged;
  struct expr lo, hi; /* ranged: the values that are black and white */
};

enum stmt_kind {
  ST_LET,
  ST_BUFFER,
  ST_SYMBOL,
  ST_LAUNCH,
  ST_SWAP,
  ST_COPY,
  ST_FILL,
  ST_SET,
  ST_REPEAT,
  ST_WHILE,
  ST_SIZE,
  ST_EXPECT_FILE,
  ST_EXPECT_FNV,
  ST_EXPECT_AT,
  ST_EXPECT_ALL,
  ST_DUMP,
  ST_IMAGE,
  ST_TEXTURE /* surfaces and samplers, too */
};

/* ---- textures (texture_parse.c, texture.c) ---- */
enum texture_option { /* in the order of the table of texture_parse.c */
                      TO_FORMAT,
                      TO_SIZE,
                      TO_LAYERS,
                      TO_CUBE,
                      TO_LEVELS,
                      TO_ARRAY,
                      TO_PITCH,
                      TO_FILTER, /* those of a sampler from here on */
                      TO_MIP,
                      TO_WRAP,
                      TO_BORDER,
                      TO_COORDS,
                      TO_LOD,
                      TO_BIAS,
                      TO_COMPARE,
                      TO_COUNT
};
struct texture_format {
  uint8_t type, channels, order;
  bool normalized;
};
struct texture_form { /* a texture, surface or sampler statement */
  uint8_t kind;       /* NAME_TEXTURE, NAME_SURFACE, NAME_SAMPLER */
  uint8_t from_kind;  /* of the name in slot `from` */
  uint32_t from;
  const char *png; /* path of the source; NULL: it is a name */
  int from_line, from_col;
  bool has[TO_COUNT];
  struct {
    int line, col;
  } at[TO_COUNT];
  struct texture_format format;
  struct expr size[3], layers, levels, pitch, border[4], lod[2], bias;
  unsigned nsize, nborder;
  struct tex_sampler sampler; /* what the words say; the numbers are evaluated when the statement runs */
};
struct stmt {
  uint8_t kind, type;
  int line, col;
  struct stmt *next, *body;
  uint32_t slot, slot2; /* slots of the names; ST_EXPECT_ALL, slot2: of `i` */
  uint32_t sizes;       /* ST_SIZE: one bit for each size that the statements belong to */
  int name_line, name_col;
  struct expr a, b;
  struct init *init;
  struct launch_file *launch;
  struct image_form *image;
  struct texture_form *texture;
  const char *path;
  uint64_t max, hash;
  double rel, abs;
};

struct kernel_regs {
  const char *name;
  uint32_t regs;
  int line;
};

struct size { /* of the file, as its `sizes` line names it */
  const char *name;
  int line, col;
  bool used; /* the file has a block for it */
};

struct script {
  struct arena arena;
  const char *path; /* of the launch file */
  const char *ptx;  /* path as found */
  int ptx_line, ptx_col, end_line, end_col;
  bool launches; /* written by a person: a file without a launch statement is an error */
  uint64_t seed; /* 0: not given */
  bool seeded;
  struct stmt *first;
  struct name *name; /* by slot */
  uint32_t nname, nlaunch;
  struct kernel_regs *kernel;
  uint32_t nkernel, capkernel;
  struct size size[SCRIPT_SIZES];
  uint32_t nsize, chosen; /* chosen: the size that runs */
  uint32_t launch_sizes;  /* one bit for each size with a launch statement */
};

/* ---- parsing, for the other files that do (parse.c) ---- */
void *script_make(struct parser *p, size_t size);                 /* zeroed, of the script */
const char *script_path(struct parser *p, const struct token *t); /* relative to the launch file */
bool script_ends(const struct parser *p);                         /* the statement ends here */
int script_peek(const struct parser *p);                          /* the next character that is not blank; -1: none */
bool script_texture_statement(struct parser *p, struct stmt *s, enum name_kind kind); /* texture_parse.c */

/* ---- initial values (fill.c) ---- */
/* `count`: how often this name was filled before. `seed`, `name` and `count` select the random sequence. */
bool script_fill(const struct init *in, struct view *w, uint64_t seed, const char *name, uint64_t count, struct env *v);
/* The first `bytes` of a file; `exact`: it must not be longer. Fills *e at the place given. */
uint8_t *script_bytes(const char *path, uint64_t bytes, bool exact, const char *file, int line, int col, struct err *e);
/* Writes `data` as the file `path`, whole or not at all; below the directory `below` (output_open_below), NULL: the
 * current one. */
bool script_write(const char *below, const char *path, const void *data, uint64_t bytes, const char *file, int line,
                  int col, struct err *e);

/* ---- images (image.c) ---- */
/* Checks an image statement against its buffer, reports it through ops->result, and writes the PNG if there is a
 * directory for it. */
bool script_image(const struct stmt *s, const struct view *w, const struct host_ops *ops, struct env *v);

#endif

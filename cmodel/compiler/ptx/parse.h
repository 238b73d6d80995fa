/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: PTX text to struct ir. One look-ahead token (t) and a second on demand (peek_next). parse.c reads
 * the file's level and functions, stmt.c statements and operands, decl.c variables and their initialisers,
 * expr.c constants. All return false with *e filled.
 *
 * Extent of an error: a syntax error refuses the file; any other error inside a kernel or function refuses that
 * function and the kernels that call it (ir_func.refused; parsing continues after the statement); one at file level
 * refuses the file, except for variables of an unsupported kind, which refuse the kernels that name them
 * (ir_var.refused). With ptx_parse_at a syntax error in a body is such an error, too.
 */
#ifndef RT_PTX_PARSE_H
#define RT_PTX_PARSE_H

#include "compiler/ptx/ir.h"

enum bad { BAD_WRONG, BAD_SYNTAX, BAD_UNSUPPORTED };
struct parser {
  struct lexer lx;
  struct token t; /* the next token, not yet taken */
  struct ir *ir;
  struct ir_func *f; /* inside this function's body, or NULL */
  uint32_t scope;
  struct err *e; /* &now */
  struct err now;
  bool nounroll;     /* the next instruction follows .pragma "nounroll" */
  enum bad bad;      /* of what kind the error in now is */
  struct arena *tmp; /* &ir->arena */
};

bool parse_file(struct ir *ir, const char *text, size_t n, struct err *e);

/* Tokens. */
bool p_next(struct parser *p);                      /* takes t */
bool p_peek(struct parser *p, struct token *after); /* the token after t */
bool p_at(const struct parser *p, int punct);
bool p_at_sign(const struct parser *p); /* '+' or '-' */
bool p_at_dot(const struct parser *p, const char *word);
bool p_accept(struct parser *p, int punct, bool *taken);
bool p_expect(struct parser *p, int punct, const char *why); /* why: "after the operand"; for the message */
bool p_found(struct parser *p, const char *expected);        /* of syntax, at t: "found X, expected ..." */
/* Something of PTX that we do not have. */
bool p_unsupported(struct parser *p, const struct token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the error away and gives it to *refused (unless it has one already); false: it is one of syntax. */
bool p_refuse(struct parser *p, struct err **refused);
bool p_name(struct parser *p, const char **name, const char *expected);
bool p_integer(struct parser *p, uint64_t max, uint64_t *v, const char *what); /* one literal */
bool p_attribute(struct parser *p);                                            /* t is .attribute */
bool p_pragma(struct parser *p, bool *nounroll); /* t is .pragma; *nounroll is set if it says so */

/* expr.c: a constant. IO_IMM or IO_FLOAT into *o. */
bool p_at_const(struct parser *p); /* t can begin one */
bool parse_const(struct parser *p, struct ir_opnd *o);
bool parse_const_int(struct parser *p, int64_t *v);

/* decl.c */
bool parse_vars(struct parser *p, enum var_kind kind, bool is_extern);        /* t: what follows the space's name */
bool parse_module_vars(struct parser *p, enum var_kind kind, bool is_extern); /* the same outside of functions */
/* decl_texture.c: t is .texref or the like, or .tex */
bool parse_refs(struct parser *p, enum var_kind kind, bool is_extern);
uint8_t p_handle_type(const struct parser *p); /* enum handle_kind: t is .texref, .samplerref, .surfref */
bool p_check_sampler_mode(struct parser *p, uint8_t handle);
bool p_register_var(struct parser *p, struct ir_var *v);           /* decl.c: into its scope */
bool parse_formals(struct parser *p, struct ir_func *f, bool ret); /* t: '(' */
bool parse_regs(struct parser *p);                                 /* t: what follows .reg */

/* stmt.c: t is '{'; to the matching '}'. */
bool parse_body(struct parser *p);

#endif

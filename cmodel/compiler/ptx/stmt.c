/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of functions: scopes, declarations, labels, statements and their operands. No recursion on nested scopes. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ptx/check.h"
#include "compiler/ptx/parse.h"

enum { MAX_SCOPES = 256, MAX_MODS = 24, MAX_OPNDS = 8, MAX_VEC = 8, MAX_LIST = 65536 };

/* A label used before it may be declared: resolved at the end of the body. */
struct fixup {
  uint32_t insn, scope;
  struct ir_opnd opnd;
};

struct body {
  struct fixup *fix;
  uint32_t nfix, fix_cap;
};

/* ---- operands ---- */

static bool special_register(struct parser *p, struct ir_opnd *o, const struct token *id) {
  char name[40];
  if (id->n > 32) goto unknown;
  memcpy(name, id->s, id->n);
  name[id->n] = 0;
  o->reg = 0;
  bool vector = !strcmp(name, "%tid") || !strcmp(name, "%ntid") || !strcmp(name, "%ctaid") || !strcmp(name, "%nctaid");
  size_t n = id->n;
  if (vector) {
    if (p->t.kind != TK_DOT || p->t.n != 1 || p->t.s[0] < 'x' || p->t.s[0] > 'z')
      return p_unsupported(p, id, "found '%s' as a vector, expected '.x', '.y' or '.z' after it", name);
    name[n++] = '.';
    name[n++] = p->t.s[0];
    name[n] = 0;
    if (!p_next(p)) return false;
  }
  int s = sreg_named(name, n);
  if (s < 0) goto unknown;
  o->kind = IO_SREG;
  o->reg = (uint32_t)s;
  o->name = ir_intern(p->ir, name, n);
  return true;
unknown:
  return err_at(p->e, p->ir->file, id->line, id->col,
                "found '%.*s', which is no declared register and no known special register",
                id->n > 60 ? 60 : (int)id->n, id->s);
}

static bool named_operand(struct parser *p, struct ir_opnd *o) {
  struct token id = p->t;
  if (id.n == 1 && id.s[0] == '_') {
    o->kind = IO_SINK;
    return p_next(p);
  }
  o->name = ir_intern(p->ir, id.s, id.n);
  if (!p_next(p)) return false;
  struct bind *b = ir_lookup(p->ir, p->f, o->name, p->scope);
  if (b && b->kind == BIND_REG) {
    o->kind = IO_REG;
    o->reg = b->index;
  } else if (b && b->kind == BIND_VAR) {
    o->kind = IO_SYM;
    o->var = b->ptr;
  } else if (b || o->name[0] != '%') {
    o->kind = IO_NAME;
  } else {
    return special_register(p, o, &id);
  }
  return true;
}

static bool address_operand(struct parser *p, struct ir_opnd *o) {
  if (!p_next(p)) return false;
  if (p->t.kind == TK_ID && !token_is(&p->t, "WARP_SZ")) {
    struct token at = p->t;
    if (!named_operand(p, o)) return false;
    if (o->kind != IO_REG && o->kind != IO_SYM)
      return err_at(p->e, p->ir->file, at.line, at.col, "found '%.*s' in an address, expected a register or a variable",
                    at.n > 60 ? 60 : (int)at.n, at.s);
    o->base = o->kind;
    if (!p_at(p, ']') && !p_at_sign(p)) return p_found(p, "'+', '-' or ']' in an address");
    if (p_at_sign(p) && !parse_const_int(p, &o->imm)) return false;
  } else {
    if (!p_at_const(p)) return p_found(p, "a register, a variable or a constant in the address");
    o->base = IO_IMM;
    if (!parse_const_int(p, &o->imm)) return false;
  }
  o->kind = IO_ADDR;
  return p_expect(p, ']', "after an address");
}

static bool scalar_operand(struct parser *p, struct ir_opnd *o) {
  *o = (struct ir_opnd){.line = p->t.line, .col = p->t.col};
  if (p_at(p, '!')) {
    struct token after;
    if (!p_peek(p, &after)) return false;
    if (after.kind == TK_ID) {
      if (!p_next(p) || !named_operand(p, o)) return false;
      if (o->kind != IO_REG)
        return err_at(p->e, p->ir->file, o->line, o->col, "found '!', expected a predicate after it");
      o->neg = true;
      return true;
    }
  }
  if (p->t.kind == TK_ID && !token_is(&p->t, "WARP_SZ")) {
    if (!named_operand(p, o)) return false;
    if (o->kind == IO_SYM && p_at_sign(p)) return parse_const_int(p, &o->imm);
    return true;
  }
  if (!p_at_const(p) && !p_at(p, '!')) return p_found(p, "an operand");
  return parse_const(p, o);
}

static bool parse_operand(struct parser *p, struct ir_opnd *o) {
  *o = (struct ir_opnd){.line = p->t.line, .col = p->t.col};
  if (p_at(p, '[')) return address_operand(p, o);
  if (p_at(p, '{')) {
    struct ir_opnd elem[MAX_VEC];
    unsigned n = 0;
    bool comma = true;
    if (!p_next(p)) return false;
    while (comma) {
      if (n == MAX_VEC) return p_found(p, "'}': a vector has at most 8 elements");
      if (!scalar_operand(p, &elem[n++]) || !p_accept(p, ',', &comma)) return false;
    }
    o->kind = IO_VEC;
    o->n = (uint8_t)n;
    o->elem = arena_alloc(p->tmp, n * sizeof *o->elem);
    memcpy(o->elem, elem, n * sizeof *o->elem);
    return p_expect(p, '}', "after the elements of a vector");
  }
  if (!scalar_operand(p, o)) return false;
  if (p_at(p, '|') && (o->kind == IO_REG || o->kind == IO_SINK)) {
    struct ir_opnd q;
    if (!p_next(p) || !scalar_operand(p, &q)) return false;
    o->pair = arena_alloc(p->tmp, sizeof q);
    *o->pair = q;
  }
  return true;
}

/* [a], [a, c] or [a, b, c] of a texture or surface; t is '['. */
static bool texture_operand(struct parser *p, struct ir_opnd *o) {
  struct ir_opnd part[3];
  unsigned n = 0;
  bool comma = true;
  *o = (struct ir_opnd){.kind = IO_TEX, .line = p->t.line, .col = p->t.col};
  if (!p_next(p)) return false;
  while (comma) {
    if (n == 3) return p_found(p, "']': a texture has at most a sampler and coordinates");
    if (!parse_operand(p, &part[n++]) || !p_accept(p, ',', &comma)) return false;
  }
  o->n = (uint8_t)n;
  o->elem = arena_alloc(p->tmp, n * sizeof *o->elem);
  memcpy(o->elem, part, n * sizeof *o->elem);
  return p_expect(p, ']', "after a texture or surface");
}

/* An operand of an instruction on textures. */
static bool operand_of_texture(struct parser *p, struct ir_opnd *o) {
  if (p_at(p, '[')) return texture_operand(p, o);
  if (!parse_operand(p, o)) return false;
  if (!p_at(p, '|')) return true;
  return p_unsupported(p, &p->t, "found '|' after the results, which is not supported; expected ','");
}

/* A register and the bytes of it that a SIMD video instruction takes: %r1.b3210. */
static bool operand_of_video(struct parser *p, struct ir_opnd *o) {
  if (!parse_operand(p, o)) return false;
  if (p->t.kind != TK_DOT || o->kind != IO_REG) return true;
  const struct token *t = &p->t;
  bool ok = t->n >= 2 && t->n <= 5 && t->s[0] == 'b';
  for (size_t k = 1; ok && k < t->n; k++) {
    ok = t->s[k] >= '0' && t->s[k] <= '9';
    o->select = (uint16_t)(o->select << 4 | (t->s[k] & 15));
  }
  if (!ok) return p_found(p, "bytes of a register, as .b3210");
  o->nselect = (uint8_t)(t->n - 1);
  return p_next(p);
}

/* ---- call ---- */

static bool parse_call_list(struct parser *p, struct ir_opnd **out, uint32_t *count) {
  struct ir_opnd *v = NULL;
  uint32_t n = 0, cap = 0;
  bool comma = true, ok = p_next(p);
  if (ok && p_at(p, ')')) comma = false;
  while (ok && comma) {
    struct ir_opnd o;
    ok = scalar_operand(p, &o) && p_accept(p, ',', &comma);
    if (ok) VEC_PUSH(v, n, cap) = o;
  }
  ok = ok && p_expect(p, ')', "after the arguments of a call");
  *out = arena_alloc(p->tmp, (n + 1) * sizeof **out);
  if (n) memcpy(*out, v, n * sizeof **out);
  *count = n;
  free(v);
  return ok;
}

static bool call_operands(struct parser *p, struct ir_insn *i) {
  struct ir_call *c = arena_alloc(p->tmp, sizeof *c);
  i->call = c;
  if (p_at(p, '(') &&
      (!parse_call_list(p, &c->ret, &c->nret) || !p_expect(p, ',', "after the return values of a call")))
    return false;
  struct token at = p->t;
  if (!p_name(p, &c->name, "the name of a function")) return false;
  struct bind *b = ir_lookup(p->ir, p->f, c->name, p->scope);
  if (b && b->kind == BIND_REG)
    return err_at(p->e, p->ir->file, at.line, at.col,
                  "found an indirect call through '%.60s', expected the name of a function: indirect calls are not "
                  "supported",
                  c->name);
  if (!b || b->kind != BIND_FUNC)
    return err_at(p->e, p->ir->file, at.line, at.col, "found '%.60s', expected the name of a declared function",
                  c->name);
  c->func = b->ptr;
  i->line = at.line;
  i->col = at.col;
  if (!p_at(p, ',')) return true;
  if (!p_next(p)) return false;
  if (!p_at(p, '(')) return p_found(p, "'(' before the arguments of a call");
  if (!parse_call_list(p, &c->arg, &c->narg)) return false;
  if (p_at(p, ',')) { /* a prototype of a direct call says nothing new */
    const char *proto;
    return p_next(p) && p_name(p, &proto, "the name of a prototype");
  }
  return true;
}

/* ---- statements ---- */

static bool parse_operation(struct parser *p, struct ir_insn *i) {
  struct ir_mod mod[MAX_MODS];
  unsigned n = 0;
  struct token at = p->t;
  const char *end = at.s + at.n, *refused;
  if (at.kind != TK_ID) return p_found(p, "an operation");
  if (!p_next(p)) return false;
  for (; p->t.kind == TK_DOT; n++) {
    if (n == MAX_MODS) return p_found(p, "at most 24 modifiers");
    mod[n] = (struct ir_mod){p->t.s, (uint32_t)(p->t.n > 60 ? 60 : p->t.n), p->t.line, p->t.col};
    end = p->t.s + p->t.n;
    if (!p_next(p)) return false;
  }
  i->rule = rule_named(at.s, at.n, &refused);
  i->text = at.s;
  i->ntext = (uint16_t)(end - at.s > 80 ? 80 : end - at.s);
  i->line = at.line;
  i->col = at.col;
  for (unsigned k = 0; k < i->ntext; k++)
    if (at.s[k] <= ' ') i->ntext = (uint16_t)k; /* written with spaces: keep messages on one line */
  if (refused)
    return err_at(p->e, p->ir->file, at.line, at.col, "found operation '%.*s': %s are not supported", i->ntext, at.s,
                  refused);
  if (!i->rule) return err_at(p->e, p->ir->file, at.line, at.col, "found unknown operation '%.*s'", i->ntext, at.s);
  const struct rule *longer = n ? rule_longer(i->rule, mod[0].s, mod[0].n) : NULL;
  if (longer) i->rule = longer;
  return check_mods(p->ir, i, mod + !!longer, n - !!longer, p->e);
}

static bool insn_operands(struct parser *p, struct ir_insn *i) {
  struct ir_opnd o[MAX_OPNDS];
  unsigned n = 0;
  bool comma = !p_at(p, ';');
  while (comma) {
    if (n == MAX_OPNDS) return p_found(p, "';': there are too many operands");
    const enum form form = (enum form)i->rule->form;
    if (!(form == FORM_TEX     ? operand_of_texture(p, &o[n])
          : form == FORM_VIDEO ? operand_of_video(p, &o[n])
                               : parse_operand(p, &o[n])))
      return false;
    n++;
    if (!p_accept(p, ',', &comma)) return false;
  }
  i->nopnd = (uint16_t)n;
  i->opnd = arena_alloc(p->tmp, (n + 1) * sizeof *i->opnd);
  memcpy(i->opnd, o, n * sizeof *i->opnd);
  return true;
}

static bool parse_guard(struct parser *p, struct ir_insn *i) {
  if (!p_next(p)) return false;
  if (p_at(p, '!')) {
    i->guard_neg = true;
    if (!p_next(p)) return false;
  }
  struct token at = p->t;
  const char *name;
  if (!p_name(p, &name, "a predicate after '@'")) return false;
  struct bind *b = ir_lookup(p->ir, p->f, name, p->scope);
  if (!b || b->kind != BIND_REG)
    return err_at(p->e, p->ir->file, at.line, at.col, "found undeclared name '%.60s', expected a predicate after '@'",
                  name);
  if (b->type != T_PRED)
    return err_at(p->e, p->ir->file, at.line, at.col, "found %s '%.60s', expected a predicate after '@'",
                  type_text(b->type), name);
  i->guard = b->index;
  return true;
}

static bool parse_instruction(struct parser *p, struct body *b) {
  struct ir_insn i = {.guard = NO_REG, .in_func = !p->f->entry};
  const bool llvm = p->lx.llvm && !p->lx.in_asm;
  if (p_at(p, '@') && !parse_guard(p, &i)) return false;
  if (!parse_operation(p, &i) || !i.rule) return false;
  if (i.rule->form == FORM_CALL) {
    if (!call_operands(p, &i)) return false;
  } else if (!insn_operands(p, &i)) {
    return false;
  }
  if (!p_expect(p, ';', "after an instruction")) return false;
  if (!check_opnds(p->ir, p->f, &i, p->e)) return false;
  if (i.rule->form == FORM_BRA || i.rule->form == FORM_BRX) {
    struct fixup x = {p->f->ninsn, p->scope, i.opnd[i.nopnd - 1]};
    VEC_PUSH(b->fix, b->nfix, b->fix_cap) = x;
  }
  if (p->nounroll || p->f->nounroll || p->ir->nounroll) i.flags |= IF_NOUNROLL;
  if (llvm) i.flags |= IF_LLVM;
  p->nounroll = false;
  VEC_PUSH(p->f->insn, p->f->ninsn, p->f->insn_cap) = i;
  return true;
}

static bool branch_targets(struct parser *p, const char *name, const struct token *at) {
  struct ir_table *t = arena_alloc(p->tmp, sizeof *t);
  struct ir_opnd *v = NULL;
  uint32_t n = 0, cap = 0;
  bool ok = p_next(p), comma = true;
  while (ok && comma) {
    struct ir_opnd o = {.kind = IO_NAME, .line = p->t.line, .col = p->t.col};
    ok = n < MAX_LIST ? p_name(p, &o.name, "a label") : p_found(p, "at most 65536 labels");
    if (ok) VEC_PUSH(v, n, cap) = o;
    ok = ok && p_accept(p, ',', &comma);
  }
  ok = ok && p_expect(p, ';', "after the labels of .branchtargets");
  t->target = arena_alloc(p->tmp, (n + 1) * sizeof *t->target);
  if (n) memcpy(t->target, v, n * sizeof *t->target);
  t->n = n;
  free(v);
  struct bind b = {name, p->scope, BIND_TABLE, T_NONE, 0, t, at->line, at->col};
  return ok && ir_declare(p->ir, &b, p->e);
}

/* t is the name, a ':' follows. */
static bool parse_label(struct parser *p) {
  struct token at = p->t;
  const char *name = ir_intern(p->ir, at.s, at.n);
  if (!p_next(p)) return false; /* the name, then the ':' */
  if (!p_next(p)) return false;
  if (p_at_dot(p, "branchtargets")) return branch_targets(p, name, &at);
  if (p_at_dot(p, "callprototype") || p_at_dot(p, "calltargets")) {
    while (!p_at(p, ';')) {
      if (p->t.kind == TK_END) return p_found(p, "';' after a prototype");
      if (!p_next(p)) return false;
    }
    struct bind b = {name, p->scope, BIND_TABLE, T_NONE, 0, NULL, at.line, at.col};
    return p_next(p) && ir_declare(p->ir, &b, p->e);
  }
  struct bind b = {name, p->scope, BIND_LABEL, T_NONE, p->f->nlabel, NULL, at.line, at.col};
  VEC_PUSH(p->f->label, p->f->nlabel, p->f->label_cap) = (struct ir_label){name, p->f->ninsn};
  return ir_declare(p->ir, &b, p->e);
}

static bool parse_directive(struct parser *p) {
  static const struct {
    const char *name;
    enum var_kind kind;
  } spaces[] = {{"shared", V_SHARED}, {"local", V_LOCAL}, {"param", V_FPARAM}};
  for (unsigned k = 0; k < 3; k++)
    if (p_at_dot(p, spaces[k].name)) return p_next(p) && parse_vars(p, spaces[k].kind, false);
  if (p_at_dot(p, "reg")) return p_next(p) && parse_regs(p);
  if (p_at_dot(p, "loc") || p_at_dot(p, "file")) {
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p_at_dot(p, "pragma")) return p_pragma(p, &p->nounroll);
  if (p_at_dot(p, "global") || p_at_dot(p, "const")) return p_found(p, "this declaration outside of functions");
  struct token at = p->t;
  return p_unsupported(p, &at, "found '.%.*s', expected a declaration or an instruction", (int)at.n, at.s);
}

static struct bind *lookup_as(struct parser *p, const struct ir_opnd *o, uint32_t scope, uint8_t kind,
                              const char *what) {
  struct bind *b = ir_lookup(p->ir, NULL, o->name, scope);
  if (b && b->kind == kind && (kind != BIND_TABLE || b->ptr)) return b;
  err_at(p->e, p->ir->file, o->line, o->col, "found '%.60s', expected %s of this function", o->name, what);
  return NULL;
}

static bool parse_resolve_branch(struct parser *p, const struct fixup *x) {
  struct ir_insn *i = &p->f->insn[x->insn];
  if (i->rule->form == FORM_BRA) {
    struct bind *b = lookup_as(p, &x->opnd, x->scope, BIND_LABEL, "a label");
    if (!b) return false;
    i->label = b->index;
    return true;
  }
  struct bind *b = lookup_as(p, &x->opnd, x->scope, BIND_TABLE, "a table of .branchtargets");
  if (!b) return false;
  const struct ir_table *t = b->ptr;
  uint32_t scope = b->scope;
  if (!b->index) { /* the first use resolves the table's labels; b->index: done */
    b->index = 1;
    for (uint32_t k = 0; k < t->n; k++) {
      struct bind *l = lookup_as(p, &t->target[k], scope, BIND_LABEL, "a label");
      if (!l) return false;
      t->target[k].reg = l->index;
    }
  }
  i->table = t;
  return true;
}

static bool p_at_dwarf(struct parser *p) { /* @@DWARF */
  struct token after;
  if (!p_at(p, '@')) return false;
  return p_peek(p, &after) && after.kind == TK_PUNCT && after.punct == '@';
}

/* Anything but braces. */
static bool parse_statement(struct parser *p, struct body *b) {
  struct token after = {0};
  if (p_at(p, ';')) return p_next(p);
  if (p->t.kind == TK_DOT) return parse_directive(p);
  if (p->t.kind == TK_END) return p_found(p, "'}' to end the body of the function");
  if (p_at_dwarf(p)) {
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p->t.kind == TK_ID && !p_peek(p, &after)) return false;
  return after.kind == TK_PUNCT && after.punct == ':' ? parse_label(p) : parse_instruction(p, b);
}

/* To what follows the statement that begins at t. */
static bool skip_statement(struct parser *p) {
  unsigned depth = 0;
  for (bool first = true; first || depth || !p_at(p, '}'); first = false) {
    if (p->t.kind == TK_END) return p_found(p, "'}' to end the body of the function");
    bool end = !depth && p_at(p, ';');
    if (p_at(p, '{')) depth++;
    if (p_at(p, '}')) depth--;
    if (!p_next(p)) return false;
    if (end) return true;
  }
  return true;
}

bool parse_body(struct parser *p) {
  struct body b = {0};
  uint32_t outer = p->scope, depth = 0;
  bool ok = true;
  do {
    struct lexer lx = p->lx;
    struct token t = p->t;
    if (p_at(p, '{')) {
      ok = depth < MAX_SCOPES ? p_next(p) : p_found(p, "scopes nested less than 256 deep");
      p->scope = ir_scope(p->ir, p->scope);
      depth++;
    } else if (p_at(p, '}')) {
      p->scope = p->ir->parent[p->scope];
      depth--;
      ok = p_next(p);
    } else if (!parse_statement(p, &b)) {
      if (p->ir->kernels_optional) p->bad = BAD_WRONG; /* text of a newer PTX concerns this function alone */
      ok = p_refuse(p, &p->f->refused);
      if (!ok) break;
      p->lx = lx;
      p->t = t;
      ok = skip_statement(p);
    }
  } while (ok && depth);
  for (uint32_t k = 0; ok && !p->f->refused && k < b.nfix; k++)
    ok = parse_resolve_branch(p, &b.fix[k]) || p_refuse(p, &p->f->refused);
  free(b.fix);
  p->scope = outer;
  return ok;
}

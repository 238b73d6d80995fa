/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/inline.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/ptx/check.h"

enum { MAX_CALLS = 128 };
static const uint64_t MAX_LOCAL = 512 * 1024;

struct inliner {
  struct ir *ir;
  struct ir_func *entry;
  struct flat *fl;
  struct flat_budget *budget;
  struct err *e;
};

void flat_free(struct flat *fl) {
  free(fl->insn);
  free(fl->inst);
  free(fl->reg);
  free(fl->label);
  free(fl->param);
}

static bool inline_spend(struct inliner *n, const struct ir_insn *at) {
  if (n->budget->insns == 0)
    return err_at(n->e, n->ir->file, at->line, at->col,
                  "found more than %d instructions after the inlining of calls in kernel '%.60s'", MAX_INSNS,
                  n->entry->name);
  n->budget->insns--;
  return true;
}

static bool inline_push(struct inliner *n, const struct flat_insn *i, const struct ir_insn *at) {
  if (!inline_spend(n, at)) return false;
  VEC_PUSH(n->fl->insn, n->fl->n, n->fl->cap) = *i;
  return true;
}

static bool inline_move(struct inliner *n, uint32_t inst, const struct place *dst, const struct place *src,
                        uint8_t type, const struct ir_insn *at) {
  struct flat_move *m = arena_alloc(&n->ir->arena, sizeof *m);
  *m = (struct flat_move){*dst, *src, type};
  struct flat_insn i = {.kind = FL_MOVE, .inst = inst, .guard = NO_REG, .i = at, .move = m};
  return inline_push(n, &i, at);
}

/* A variable of this instance; only V_FPARAM and V_LOCAL have instances. */
static struct ir_var *instance_of(const struct flat_inst *in, struct ir_var *v) {
  return v->kind == V_FPARAM || v->kind == V_LOCAL ? in->var[v->index] : v;
}

static uint32_t new_label(struct flat *fl) {
  VEC_PUSH(fl->label, fl->nlabel, fl->label_cap) = 0;
  return fl->nlabel - 1;
}

/* Registers, labels and variables of one more instance of f; its number. Locals lie above base: *top is past
 * them. Formals get their variables from the caller. */
static bool inline_add_instance(struct inliner *n, const struct ir_func *f, uint64_t base, uint64_t *top,
                                const struct ir_insn *at, uint32_t *out) {
  struct flat *fl = n->fl;
  uint64_t cost = (uint64_t)f->nreg + f->nlabel + 8 * (uint64_t)f->nvar + 2;
  if (cost > n->budget->names)
    return err_at(n->e, n->ir->file, at ? at->line : f->line, at ? at->col : f->col,
                  "found more than %d registers and labels after the inlining of calls in kernel '%.60s'", MAX_NAMES,
                  n->entry->name);
  n->budget->names -= (uint32_t)cost;
  struct flat_inst in = {f, fl->nreg, fl->nlabel, arena_alloc(&n->ir->arena, (f->nvar + 1) * sizeof *in.var)};
  for (uint32_t k = 0; k < f->nreg; k++) VEC_PUSH(fl->reg, fl->nreg, fl->reg_cap) = &f->reg[k];
  for (uint32_t k = 0; k < f->nlabel; k++) new_label(fl);
  for (uint32_t k = 0; k < f->nvar; k++) {
    struct ir_var *v = arena_alloc(&n->ir->arena, sizeof *v);
    *v = *f->var[k];
    in.var[k] = v;
    if (v->kind == V_FPARAM) {
      VEC_PUSH(fl->param, fl->nparam, fl->param_cap) = v;
      continue;
    }
    base = (base + v->align - 1) & ~(uint64_t)(v->align - 1);
    v->addr = (uint32_t)base;
    base += v->size;
    if (base > MAX_LOCAL)
      return err_at(n->e, n->ir->file, v->line, v->col,
                    "found more than %llu bytes of .local variables in kernel '%.60s'", (unsigned long long)MAX_LOCAL,
                    n->entry->name);
  }
  if (base > fl->local_bytes) fl->local_bytes = base;
  *top = base;
  *out = fl->ninst;
  VEC_PUSH(fl->inst, fl->ninst, fl->inst_cap) = in;
  return true;
}

/* One argument (or return value) of a call against the formal: either they become one variable, or a move is
 * due before (after) the body. */
static bool inline_bind(struct inliner *n, uint32_t caller, uint32_t callee, const struct ir_opnd *actual,
                        struct ir_var *formal, uint32_t formal_reg, bool ret, bool moves, const struct ir_insn *at) {
  struct flat *fl = n->fl;
  const struct flat_inst *out = &fl->inst[caller], *in = &fl->inst[callee];
  bool is_var = actual->kind == IO_SYM && actual->var->kind == V_FPARAM && actual->imm == 0;
  uint8_t type = formal ? formal->type : in->f->reg[formal_reg].type;
  uint64_t bytes = formal ? formal->size : (type_bits(type) + 7) / 8;
  const char *what = ret ? "return value" : "argument";
  if (ret && actual->kind == IO_SINK) return true;
  if (is_var) {
    struct ir_var *v = instance_of(out, actual->var);
    if (v->size != bytes)
      return err_at(n->e, n->ir->file, actual->line, actual->col,
                    "found %s '%.60s' of %llu bytes, expected %llu for '%.60s'", what, v->name,
                    (unsigned long long)v->size, (unsigned long long)bytes, in->f->name);
    if (formal) {
      if (!moves) in->var[formal->index] = v;
      return true;
    }
  } else {
    unsigned bits = actual->kind == IO_REG ? type_bits(out->f->reg[actual->reg].type) : 0;
    bool literal = !ret && (actual->kind == IO_IMM || actual->kind == IO_FLOAT) && type != T_PRED;
    if ((!literal && actual->kind != IO_REG) || actual->neg || actual->pair || (formal && formal->array) ||
        (!literal && bits != type_bits(type)))
      return err_at(n->e, n->ir->file, actual->line, actual->col,
                    "found a wrong %s, expected a .param variable or register of %s for '%.60s'", what, type_text(type),
                    in->f->name);
    if (actual->kind == IO_FLOAT && type_class(type) == TC_INT)
      return err_at(n->e, n->ir->file, actual->line, actual->col, "found a floating-point constant, expected %s",
                    type_text(type));
  }
  if (!moves) return true;
  struct place a = {.kind = PL_OPND, .inst = caller, .opnd = actual}, b = {.kind = PL_REG};
  if (is_var) a = (struct place){.kind = PL_VAR, .var = instance_of(out, actual->var)};
  if (formal) b = (struct place){.kind = PL_VAR, .var = in->var[formal->index]};
  else b.reg = in->reg_base + formal_reg;
  return inline_move(n, caller, ret ? &a : &b, ret ? &b : &a, type, at);
}

static bool inline_body(struct inliner *n, uint32_t inst, uint64_t top, unsigned depth, uint32_t end);

/* The same variable as argument and return value would be overwritten while it is read. */
static bool inline_args_distinct(struct inliner *n, const struct flat_inst *out, const struct ir_call *c) {
  bool ok = true;
  for (int set = 1; set >= 0; set--) {
    for (uint32_t k = 0; k < c->narg; k++)
      if (c->arg[k].kind == IO_SYM && c->arg[k].var->kind == V_FPARAM)
        instance_of(out, c->arg[k].var)->mark = (uint32_t)set;
    for (uint32_t k = 0; set && ok && k < c->nret; k++)
      if (c->ret[k].kind == IO_SYM && c->ret[k].var->kind == V_FPARAM && instance_of(out, c->ret[k].var)->mark)
        ok = err_at(n->e, n->ir->file, c->ret[k].line, c->ret[k].col,
                    "found '%.60s' as argument and return value of one call, expected two variables", c->ret[k].name);
  }
  return ok;
}

/* A function that cannot be called, with its own reason. */
static bool inline_refused(struct inliner *n, const struct ir_func *f) {
  return err_at(n->e, n->ir->file, f->refused->line, f->refused->col,
                "%.500s; it stands in function '%.60s', which kernel '%.60s' calls", f->refused->text, f->name,
                n->entry->name);
}

/* Functions of CUDA's library that have no body in a file: vprintf, and __assertfail, which assert() calls when it does not hold. */
struct library {
  struct rule rule;
  struct ir_reg reg[6];
  uint32_t formal[5], nformal, nret,
      used; /* used: operands of the instruction, from register 0 on; result: register 0 */
  uint8_t sub;
};
static const struct library library[] = {
    {.rule = {.name = "vprintf", .op = OP_PRINT, .form = FORM_ALU, .sig = "Bll"},
     .reg = {{"%vprintf", T_B32}, {"%vprintf.format", T_B64}, {"%vprintf.args", T_B64}},
     .formal = {1, 2},
     .nformal = 2,
     .nret = 1,
     .used = 3,
     .sub = PRINT_VPRINTF},
    {.rule = {.name = "__assertfail", .op = OP_PRINT, .form = FORM_ALU, .sig = "llbl"},
     .reg = {{"%assert.message", T_B64},
             {"%assert.file", T_B64},
             {"%assert.line", T_B32},
             {"%assert.function", T_B64},
             {"%assert.size", T_B64}},
     .formal = {0, 1, 2, 3, 4},
     .nformal = 5,
     .used = 4,
     .sub = PRINT_ASSERT},
};

static const struct library *library_function(const struct ir_func *f) {
  for (unsigned k = 0; !f->defined && k < sizeof library / sizeof *library; k++)
    if (!strcmp(f->name, library[k].rule.name)) return &library[k];
  return NULL;
}

/* Such a function with a body: one instruction, and a trap behind that of __assertfail. Its place is the call's. */
static struct ir_func *with_body(struct inliner *n, const struct library *of, const struct ir_insn *call) {
  const char *unknown;
  struct library *l = arena_alloc(&n->ir->arena, sizeof *l);
  struct ir_insn *i = arena_alloc(&n->ir->arena, 2 * sizeof *i);
  struct ir_func *f = arena_alloc(&n->ir->arena, sizeof *f);
  *l = *of;
  i[0] = (struct ir_insn){.rule = &l->rule, .text = l->rule.name, .guard = NO_REG, .vec = 1, .sub = l->sub};
  i[0].ntext = (uint16_t)strlen(l->rule.name);
  i[0].line = call->line;
  i[0].col = call->col;
  i[0].nopnd = (uint16_t)l->used;
  i[0].opnd = arena_alloc(&n->ir->arena, l->used * sizeof *i->opnd);
  for (uint32_t k = 0; k < l->used; k++) i[0].opnd[k] = (struct ir_opnd){.kind = IO_REG, .reg = k};
  i[1] = i[0];
  i[1].rule = rule_named("trap", 4, &unknown);
  i[1].nopnd = 0;
  *f = (struct ir_func){.name = l->rule.name, .defined = true, .formal_reg = l->formal};
  f->formal = arena_alloc(&n->ir->arena, l->nformal * sizeof *f->formal); /* .reg formals have no variable */
  f->nformal = l->nformal;
  f->ret = arena_alloc(&n->ir->arena, sizeof *f->ret);
  f->ret_reg = arena_alloc(&n->ir->arena, sizeof *f->ret_reg); /* register 0 */
  f->nret = l->nret;
  f->reg = l->reg;
  f->nreg = sizeof l->reg / sizeof *l->reg;
  f->insn = i;
  f->ninsn = l->sub == PRINT_ASSERT ? 2 : 1;
  return f;
}

static bool inline_call(struct inliner *n, uint32_t caller, const struct ir_insn *i, uint64_t top, unsigned depth) {
  const struct ir_call *c = i->call;
  const struct library *known = library_function(c->func);
  struct ir_func *f = known ? with_body(n, known, i) : c->func;
  uint32_t callee = 0, after;
  if (f->entry)
    return err_at(n->e, n->ir->file, i->line, i->col, "found a call of kernel '%.60s', expected a function", f->name);
  if (f->refused) return inline_refused(n, f);
  if (!f->defined)
    return err_at(n->e, n->ir->file, i->line, i->col,
                  "found a call of '%.60s', which has no body in this file: extern functions are not supported",
                  f->name);
  if (f->active)
    return err_at(n->e, n->ir->file, i->line, i->col, "found a recursive call of '%.60s': recursion is not supported",
                  f->name);
  if (depth >= MAX_CALLS)
    return err_at(n->e, n->ir->file, i->line, i->col, "found calls nested deeper than %d", MAX_CALLS);
  if (c->narg != f->nformal || c->nret != f->nret)
    return err_at(n->e, n->ir->file, i->line, i->col,
                  "found a call of '%.60s' with %u arguments and %u return values, expected %u and %u", f->name,
                  c->narg, c->nret, f->nformal, f->nret);
  if (!inline_spend(n, i) || !inline_args_distinct(n, &n->fl->inst[caller], c) ||
      !inline_add_instance(n, f, top, &top, i, &callee))
    return false;
  after = new_label(n->fl);
  if (i->guard != NO_REG) {
    struct flat_insn skip = {.kind = FL_JUMP,
                             .inst = caller,
                             .guard = n->fl->inst[caller].reg_base + i->guard,
                             .guard_neg = !i->guard_neg,
                             .label = after,
                             .i = i};
    if (!inline_push(n, &skip, i)) return false;
  }
  for (int moves = 0; moves < 2; moves++) {
    for (uint32_t k = 0; k < c->narg; k++)
      if (!inline_bind(n, caller, callee, &c->arg[k], f->formal[k], f->formal_reg[k], false, moves, i)) return false;
    for (uint32_t k = 0; !moves && k < c->nret; k++)
      if (!inline_bind(n, caller, callee, &c->ret[k], f->ret[k], f->ret_reg[k], true, false, i)) return false;
  }
  uint32_t done = new_label(n->fl);
  f->active = true;
  bool ok = inline_body(n, callee, top, depth + 1, done);
  f->active = false;
  if (!ok) return false;
  n->fl->label[done] = n->fl->n;
  for (uint32_t k = 0; k < c->nret; k++)
    if (!inline_bind(n, caller, callee, &c->ret[k], f->ret[k], f->ret_reg[k], true, true, i)) return false;
  n->fl->label[after] = n->fl->n;
  return true;
}

/* depth 0: the kernel, whose returns stay; else returns go to label end. */
static bool inline_body(struct inliner *n, uint32_t inst, uint64_t top, unsigned depth, uint32_t end) {
  const struct ir_func *f = n->fl->inst[inst].f;
  uint32_t reg_base = n->fl->inst[inst].reg_base, label_base = n->fl->inst[inst].label_base, l = 0;
  for (uint32_t k = 0; k <= f->ninsn; k++) {
    for (; l < f->nlabel && f->label[l].at == k; l++) n->fl->label[label_base + l] = n->fl->n;
    if (k == f->ninsn) break;
    const struct ir_insn *i = &f->insn[k];
    if (i->rule->form == FORM_CALL) {
      if (!inline_call(n, inst, i, top, depth)) return false;
      continue;
    }
    struct flat_insn x = {.kind = FL_INSN, .inst = inst, .guard = NO_REG, .i = i};
    if (i->rule->op == OP_RET && depth) {
      if (k + 1 == f->ninsn && i->guard == NO_REG) continue; /* falls off its own end */
      x.kind = FL_JUMP;
      x.label = end;
      x.guard_neg = i->guard_neg;
      if (i->guard != NO_REG) x.guard = reg_base + i->guard;
    }
    if (!inline_push(n, &x, i)) return false;
  }
  return true;
}

bool flat_build(struct ir *ir, struct ir_func *entry, struct flat_budget *budget, struct flat *out, struct err *e) {
  struct inliner n = {ir, entry, out, budget, e};
  uint64_t top = 0;
  uint32_t inst = 0;
  *out = (struct flat){0};
  if (!inline_add_instance(&n, entry, 0, &top, NULL, &inst)) return false;
  return inline_body(&n, inst, top, 0, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr: expressions of launch files, compiled to postfix code while they are parsed (precedence climbing, as
 * in C) and evaluated without recursion. Integers wrap: all their arithmetic is unsigned inside.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/script.h"

enum {
  X_INT,
  X_FLOAT,
  X_VAR,
  X_ELEM,
  X_LEN,
  X_ADDR,
  X_HANDLE,
  X_SUM,
  X_SUM_RANGE,
  X_NEG,
  X_NOT,
  X_LNOT,
  X_BOOL,
  X_CAST,
  X_ABS,
  X_SQRT,
  X_CEIL,
  X_FLOOR,
  X_MIN,
  X_MAX,
  X_MUL,
  X_DIV,
  X_REM,
  X_ADD,
  X_SUB,
  X_SHL,
  X_SHR,
  X_LT,
  X_LE,
  X_GT,
  X_GE,
  X_EQ,
  X_NE,
  X_AND,
  X_XOR,
  X_OR,
  X_JUMP,
  X_JUMP_IF_NOT,
  X_LAND,
  X_LOR /* the last two jump with 0 or 1 left on the stack, or pop */
};

/* ---- compiling ---- */

static bool script_parse_ternary(struct parser *p);

static bool script_emit(struct parser *p, int op, uint32_t arg, const struct token *t, int grow) {
  VEC_PUSH(p->code, p->ncode, p->capcode) =
      (struct xinsn){.op = (uint8_t)op, .arg = arg, .line = t->line, .col = t->col};
  p->stack += (uint32_t)grow;
  if (p->stack > p->maxstack) p->maxstack = p->stack;
  if (p->maxstack <= SCRIPT_STACK) return true;
  return err_at(p->e, p->file, t->line, t->col, "found an expression that is nested too deep, expected a simpler one");
}

static bool script_parse_parenthesised(struct parser *p) {
  bool list = p->list;
  p->list = false;
  bool ok = script_parse_ternary(p);
  p->list = list;
  return ok;
}

static bool script_open_bracket(struct parser *p, int kind, const char *what) {
  if (p->t.kind != kind) return script_found(p, what);
  p->nest++;
  script_next(p);
  return !p->e->set;
}

static bool script_close_bracket(struct parser *p, int kind, const char *what) {
  if (p->t.kind != kind) return script_found(p, what);
  p->nest--;
  script_next(p);
  return !p->e->set;
}

/* `(buffer)` or, for sum, `(buffer, first, count)`; returns the operation of the call. */
static bool script_parse_buffer_call(struct parser *p, int op, const struct token *call) {
  if (!script_open_bracket(p, '(', "'(' after the function's name")) return false;
  struct name *x = script_lookup(p);
  if (op == X_HANDLE && !script_handle(x)) return script_found(p, "the name of a texture, surface or sampler");
  if (op != X_HANDLE && !script_memory(x)) return script_found(p, "the name of a buffer, symbol or array");
  if (op == X_ADDR && x->array)
    return script_found(p, "the name of a buffer or symbol: an array has no address for kernels");
  uint32_t slot = x->slot;
  script_next(p);
  if (op == X_SUM && p->t.kind == ',') {
    script_next(p);
    if (!script_parse_parenthesised(p) || !script_take(p, ',', "',' and a number of elements") ||
        !script_parse_parenthesised(p))
      return false;
    return script_close_bracket(p, ')', "')'") && script_emit(p, X_SUM_RANGE, slot, call, -1);
  }
  return script_close_bracket(p, ')', "')'") && script_emit(p, op, slot, call, 1);
}

static bool script_parse_function(struct parser *p, const struct token *call, bool *known) {
  static const struct {
    const char *s;
    int op;
  } table[] = {
      {"abs", X_ABS}, {"sqrt", X_SQRT}, {"ceil", X_CEIL}, {"floor", X_FLOOR}, {"min", X_MIN},
      {"max", X_MAX}, {"sum", X_SUM},   {"len", X_LEN},   {"addr", X_ADDR},   {"handle", X_HANDLE},
  };
  int op = -1;
  enum dtype type = script_type(call->s, call->n);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strlen(table[k].s) == call->n && !memcmp(table[k].s, call->s, call->n)) op = table[k].op;
  if (type != T_NONE) op = X_CAST;
  *known = op >= 0;
  if (!*known) return true;
  script_next(p);
  if (op == X_SUM || op == X_LEN || op == X_ADDR || op == X_HANDLE) return script_parse_buffer_call(p, op, call);
  if (!script_open_bracket(p, '(', "'(' after the function's name") || !script_parse_parenthesised(p)) return false;
  if (op == X_MIN || op == X_MAX) {
    if (p->t.kind != ',') return script_found(p, "',' and another value");
    while (p->t.kind == ',') {
      script_next(p);
      if (!script_parse_parenthesised(p) || !script_emit(p, op, 0, call, -1)) return false;
    }
  } else {
    if (!script_emit(p, op, 0, call, 0)) return false;
    p->code[p->ncode - 1].type = (uint8_t)type;
  }
  return script_close_bracket(p, ')', "')'");
}

static bool script_parse_named(struct parser *p) {
  struct token t = p->t;
  bool known;
  if (!script_parse_function(p, &t, &known)) return false;
  if (known) return true;
  if (script_is(p, "inf") || script_is(p, "nan")) {
    bool inf = script_is(p, "inf");
    script_next(p);
    if (!script_emit(p, X_FLOAT, 0, &t, 1)) return false;
    p->code[p->ncode - 1].u.f = inf ? (double)INFINITY : (double)NAN;
    return true;
  }
  struct name *x = script_lookup(p);
  if (!x) return script_found(p, "a value: no variable, buffer or symbol of this name is defined here");
  if (!script_memory(x) && script_handle(x))
    return script_found(p, "a value: a sampler has no elements, and of a texture over a buffer they are the buffer's");
  uint32_t slot = x->slot;
  bool var = x->kind == NAME_VAR || x->kind == NAME_COUNTER;
  script_next(p);
  if (var) return script_emit(p, X_VAR, slot, &t, 1);
  if (!script_open_bracket(p, '[', "'[' and an index after the name of a buffer")) return false;
  return script_parse_parenthesised(p) && script_close_bracket(p, ']', "']'") && script_emit(p, X_ELEM, slot, &t, 0);
}

static bool script_parse_primary(struct parser *p) {
  struct token t = p->t;
  switch (t.kind) {
    case K_INT:
      script_next(p);
      if (!script_emit(p, X_INT, 0, &t, 1)) return false;
      p->code[p->ncode - 1].u.i = (int64_t)t.i;
      return !p->e->set;
    case K_FLOAT:
      script_next(p);
      if (!script_emit(p, X_FLOAT, 0, &t, 1)) return false;
      p->code[p->ncode - 1].u.f = t.f;
      return !p->e->set;
    case K_NAME: return script_parse_named(p);
    case '(':
      return script_open_bracket(p, '(', "'('") && script_parse_parenthesised(p) &&
             script_close_bracket(p, ')', "an operator or ')'");
    default: return script_found(p, "an expression");
  }
}

static bool script_expr_deeper(struct parser *p) {
  if (p->depth++ < SCRIPT_NEST) return true;
  return err_at(p->e, p->file, p->t.line, p->t.col, "found an expression nested deeper than %d, expected a simpler one",
                SCRIPT_NEST);
}

static bool script_parse_unary(struct parser *p) {
  struct token t = p->t;
  int op = t.kind == '-' ? X_NEG : t.kind == '~' ? X_NOT : t.kind == '!' ? X_LNOT : -1;
  if (op < 0 && t.kind != '+') return script_parse_primary(p);
  bool ok = script_expr_deeper(p);
  if (ok) script_next(p);
  ok = ok && script_parse_unary(p) && (op < 0 || script_emit(p, op, 0, &t, 0));
  p->depth--;
  return ok;
}

static int binary_op(int kind, int *prec) {
  static const struct {
    int kind, prec, op;
  } table[] = {
      {'*', 10, X_MUL},  {'/', 10, X_DIV}, {'%', 10, X_REM}, {'+', 9, X_ADD}, {'-', 9, X_SUB},    {K_SHL, 8, X_SHL},
      {K_SHR, 8, X_SHR}, {'<', 7, X_LT},   {K_LE, 7, X_LE},  {'>', 7, X_GT},  {K_GE, 7, X_GE},    {K_EQ, 6, X_EQ},
      {K_NE, 6, X_NE},   {'&', 5, X_AND},  {'^', 4, X_XOR},  {'|', 3, X_OR},  {K_AND, 2, X_LAND}, {K_OR, 1, X_LOR},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].kind == kind) {
      *prec = table[k].prec;
      return table[k].op;
    }
  return -1;
}

/* What follows an operand whose code is already there. */
static bool script_parse_binary(struct parser *p, int least) {
  for (;;) {
    struct token t = p->t;
    int prec, op = binary_op(t.kind, &prec);
    if (op < 0 || prec < least) return !p->e->set;
    if (p->list && (t.kind == '+' || t.kind == '-') && t.before && !t.after) return true;
    uint32_t jump = p->ncode;
    bool logic = op == X_LAND || op == X_LOR;
    if (logic && !script_emit(p, op, 0, &t, -1)) return false;
    script_next(p);
    if (!script_parse_unary(p) || !script_parse_binary(p, prec + 1)) return false;
    if (!logic) {
      if (!script_emit(p, op, 0, &t, -1)) return false;
    } else {
      if (!script_emit(p, X_BOOL, 0, &t, 0)) return false;
      p->code[jump].arg = p->ncode;
    }
  }
}

static bool script_parse_ternary_rest(struct parser *p) {
  if (p->t.kind != '?') return !p->e->set;
  struct token t = p->t;
  uint32_t to_else = p->ncode;
  if (!script_emit(p, X_JUMP_IF_NOT, 0, &t, -1)) return false;
  script_next(p);
  if (!script_parse_parenthesised(p)) return false;
  uint32_t to_end = p->ncode;
  if (!script_emit(p, X_JUMP, 0, &t, -1)) return false;
  if (!script_take(p, ':', "':' and the other value of '?'")) return false;
  p->code[to_else].arg = p->ncode;
  if (!script_parse_ternary(p)) return false;
  p->code[to_end].arg = p->ncode;
  return true;
}

static bool script_parse_ternary(struct parser *p) {
  bool ok = script_expr_deeper(p) && script_parse_unary(p) && script_parse_binary(p, 1) && script_parse_ternary_rest(p);
  p->depth--;
  return ok;
}

static void script_expr_begin(struct parser *p, bool list) {
  p->ncode = p->stack = p->maxstack = 0;
  p->depth = 0;
  p->list = list;
}

static void script_expr_finish(struct parser *p, const struct token *t, struct expr *out) {
  *out = (struct expr){.n = p->ncode, .line = t->line, .col = t->col};
  out->code = arena_alloc(&p->s->arena, p->ncode * sizeof *p->code);
  if (p->ncode) memcpy(out->code, p->code, p->ncode * sizeof *p->code);
}

bool script_expr(struct parser *p, struct expr *out) {
  struct token t = p->t;
  script_expr_begin(p, false);
  if (!script_parse_ternary(p)) return false;
  script_expr_finish(p, &t, out);
  return true;
}

bool script_expr_item(struct parser *p, struct expr *out) {
  struct token t = p->t;
  script_expr_begin(p, true);
  if (!script_parse_ternary(p)) return false;
  script_expr_finish(p, &t, out);
  if (p->t.kind == ',') script_next(p);
  return !p->e->set;
}

bool script_dim(struct parser *p, struct expr out[3], unsigned *n) {
  *n = 1;
  if (p->t.kind != '(') return script_expr(p, &out[0]);
  struct token first = p->t;
  script_expr_begin(p, false);
  if (!script_open_bracket(p, '(', "'('")) return false;
  struct token t = p->t;
  if (!script_parse_parenthesised(p)) return false;
  if (p->t.kind != ',') { /* only parentheses: what follows goes on with it */
    if (!script_close_bracket(p, ')', "',' or ')'") || !script_parse_binary(p, 1) || !script_parse_ternary_rest(p))
      return false;
    script_expr_finish(p, &first, &out[0]);
    return true;
  }
  script_expr_finish(p, &t, &out[0]);
  while (p->t.kind == ',') {
    if (*n == 3) return script_found(p, "')' after three dimensions");
    script_next(p);
    if (!script_expr(p, &out[(*n)++])) return false;
  }
  return script_close_bracket(p, ')', "',' or ')'");
}

/* ---- evaluating ---- */

static bool value_is_true(struct value v) { return v.flt ? v.f != 0 : v.i != 0; }

static bool script_eval_bad(struct env *v, const struct xinsn *x, const char *text) {
  return err_at(v->e, v->file, x->line, x->col, "%s", text);
}

static void script_note_read(struct env *v) {
  if (v->steered) *v->steered = true;
}

static bool script_eval_element(struct env *v, const struct xinsn *x, struct value *top) {
  const struct view *w = &v->view[x->arg];
  const struct name *name = &v->name[x->arg];
  int64_t i;
  char buf[40];
  if (!script_whole(*top, &i) || i < 0 || (uint64_t)i >= w->n)
    return err_at(v->e, v->file, x->line, x->col, "found index %s of '%s', expected 0 to %" PRIu64,
                  script_print(T_NONE, *top, buf), name->s, w->n - 1);
  script_note_read(v);
  *top = script_load(w->type, w->data + (uint64_t)i * dtype_bytes(w->type));
  return true;
}

static struct value script_eval_sum(const struct view *w, uint64_t first, uint64_t n) {
  unsigned size = dtype_bytes(w->type);
  uint64_t i = 0;
  double f = 0;
  bool flt = dtype_float(w->type);
  for (uint64_t k = first; k < first + n; k++) {
    struct value x = script_load(w->type, w->data + k * size);
    if (flt) f += x.f;
    else i += (uint64_t)x.i;
  }
  return flt ? value_float(f) : value_int((int64_t)i);
}

static bool script_eval_sum_range(struct env *v, const struct xinsn *x, struct value *a, const struct value *b) {
  const struct view *w = &v->view[x->arg];
  int64_t first, n;
  if (!script_whole(*a, &first) || !script_whole(*b, &n) || first < 0 || n < 0 || (uint64_t)first > w->n ||
      (uint64_t)n > w->n - (uint64_t)first) {
    char p[40], q[40];
    return err_at(v->e, v->file, x->line, x->col,
                  "found the sum of %s elements of '%s' from %s, expected some of its %" PRIu64,
                  script_print(T_NONE, *b, p), v->name[x->arg].s, script_print(T_NONE, *a, q), w->n);
  }
  script_note_read(v);
  *a = script_eval_sum(w, (uint64_t)first, (uint64_t)n);
  return true;
}

static bool script_eval_divide(struct env *v, const struct xinsn *x, struct value *a, struct value b) {
  if (b.i == 0) return script_eval_bad(v, x, "found a division by zero, expected an integer other than 0 on the right");
  if (b.i == -1) a->i = x->op == X_DIV ? (int64_t)(0 - (uint64_t)a->i) : 0;
  else a->i = x->op == X_DIV ? a->i / b.i : a->i % b.i;
  return true;
}

static int script_eval_compare(int op, struct value a, struct value b) {
  if (!a.flt && !b.flt) {
    int c = a.i < b.i ? -1 : a.i > b.i;
    return op == X_LT   ? c < 0
           : op == X_LE ? c <= 0
           : op == X_GT ? c > 0
           : op == X_GE ? c >= 0
                        : (c == 0) == (op == X_EQ);
  }
  double p = value_double(a), q = value_double(b);
  switch (op) {
    case X_LT: return p < q;
    case X_LE: return p <= q;
    case X_GT: return p > q;
    case X_GE: return p >= q;
    case X_EQ: return p == q;
    default: return p != q;
  }
}

static struct value least_most(int op, struct value a, struct value b) {
  if (!a.flt && !b.flt) return (op == X_MIN ? b.i < a.i : b.i > a.i) ? b : a;
  double p = value_double(a), q = value_double(b);
  if (p != p) return value_float(q);
  return value_float((op == X_MIN ? q < p : q > p) ? q : p);
}

/* What no operands make an error: '*', '+' and '-'. */
static inline void script_eval_arithmetic(int op, struct value *a, struct value b) {
  if (a->flt || b.flt) {
    double p = value_double(*a), q = value_double(b);
    *a = value_float(op == X_MUL ? p * q : op == X_ADD ? p + q : p - q);
  } else {
    uint64_t p = (uint64_t)a->i, q = (uint64_t)b.i;
    *a = value_int((int64_t)(op == X_MUL ? p * q : op == X_ADD ? p + q : p - q));
  }
}

static bool script_eval_binary(struct env *v, const struct xinsn *x, struct value *a, struct value b) {
  if (x->op >= X_LT && x->op <= X_NE) {
    *a = value_int(script_eval_compare(x->op, *a, b));
    return true;
  }
  bool flt = a->flt || b.flt;
  if (flt && x->op != X_DIV) return script_eval_bad(v, x, "found a float beside this operator, expected two integers");
  if (flt) {
    *a = value_float(value_double(*a) / value_double(b));
    return true;
  }
  uint64_t p = (uint64_t)a->i, q = (uint64_t)b.i;
  switch (x->op) {
    case X_AND: p &= q; break;
    case X_OR: p |= q; break;
    case X_XOR: p ^= q; break;
    case X_SHL:
    case X_SHR:
      if (q > 63) return script_eval_bad(v, x, "found a shift by less than 0 or more than 63, expected 0 to 63");
      if (x->op == X_SHL) p <<= q;
      else p = a->i < 0 ? ~(~p >> q) : p >> q;
      break;
    default: return script_eval_divide(v, x, a, b);
  }
  a->i = (int64_t)p;
  return true;
}

static bool script_eval_unary(struct env *v, const struct xinsn *x, struct value *a) {
  switch (x->op) {
    case X_NEG:
      if (a->flt) a->f = -a->f;
      else a->i = (int64_t)(0 - (uint64_t)a->i);
      return true;
    case X_NOT:
      if (a->flt) return script_eval_bad(v, x, "found a float behind '~', expected an integer");
      a->i = ~a->i;
      return true;
    case X_LNOT: *a = value_int(!value_is_true(*a)); return true;
    case X_BOOL: *a = value_int(value_is_true(*a)); return true;
    case X_CAST: *a = script_convert(x->type, *a); return true;
    case X_ABS:
      if (a->flt) a->f = __builtin_fabs(a->f);
      else if (a->i < 0) a->i = (int64_t)(0 - (uint64_t)a->i);
      return true;
    case X_SQRT: *a = value_float(__builtin_sqrt(value_double(*a))); return true;
    case X_CEIL:
      if (a->flt) a->f = __builtin_ceil(a->f);
      return true;
    default:
      if (a->flt) a->f = __builtin_floor(a->f);
      return true;
  }
}

bool script_eval(const struct expr *x, struct env *v, struct value *out) {
  struct value *top = v->stack; /* one above the last operand */
  for (uint32_t k = 0; k < x->n; k++) {
    const struct xinsn *c = &x->code[k];
    switch (c->op) {
      case X_INT: *top++ = value_int(c->u.i); break;
      case X_FLOAT: *top++ = value_float(c->u.f); break;
      case X_VAR: *top++ = v->var[c->arg]; break;
      case X_LEN: *top++ = value_int((int64_t)v->view[c->arg].n); break;
      case X_SUM:
        script_note_read(v);
        *top++ = script_eval_sum(&v->view[c->arg], 0, v->view[c->arg].n);
        break;
      case X_ADDR:
        if (v->view[c->arg].constant)
          return script_eval_bad(v, c,
                                 "found the address of a symbol in constant memory, expected one in global memory");
        *top++ = value_int(v->view[c->arg].addr);
        break;
      case X_HANDLE: *top++ = value_int((int64_t)v->handle[c->arg]); break;
      case X_ELEM:
        if (!script_eval_element(v, c, top - 1)) return false;
        break;
      case X_SUM_RANGE:
        top--;
        if (!script_eval_sum_range(v, c, top - 1, top)) return false;
        break;
      case X_JUMP: k = c->arg - 1; break;
      case X_JUMP_IF_NOT:
        if (!value_is_true(*--top)) k = c->arg - 1;
        break;
      case X_MUL:
      case X_ADD:
      case X_SUB:
        top--;
        script_eval_arithmetic(c->op, top - 1, *top);
        break;
      case X_LAND:
      case X_LOR:
        if (value_is_true(top[-1]) == (c->op == X_LOR)) {
          top[-1] = value_int(c->op == X_LOR);
          k = c->arg - 1;
        } else {
          top--;
        }
        break;
      case X_MIN:
      case X_MAX:
        top--;
        top[-1] = least_most(c->op, top[-1], *top);
        break;
      default:
        if (c->op < X_MUL) {
          if (!script_eval_unary(v, c, top - 1)) return false;
        } else {
          top--;
          if (!script_eval_binary(v, c, top - 1, *top)) return false;
        }
    }
  }
  *out = top[-1];
  return true;
}

const struct view *script_elements(const struct expr *x, const struct env *v, uint32_t index) {
  bool same = x->n == 2 && x->code[0].op == X_VAR && x->code[0].arg == index && x->code[1].op == X_ELEM;
  return same ? &v->view[x->code[1].arg] : NULL;
}

bool script_eval_whole(const struct expr *x, struct env *v, int64_t lo, int64_t hi, const char *what, int64_t *out) {
  struct value got = value_int(0);
  char buf[40];
  if (!script_eval(x, v, &got)) return false;
  if (script_whole(got, out) && *out >= lo && *out <= hi) return true;
  char most[40] = " on";
  if (hi < INT64_MAX) snprintf(most, sizeof most, " to %" PRId64, hi);
  return err_at(v->e, v->file, x->line, x->col, "found %s for %s, expected a whole number from %" PRId64 "%s",
                script_print(T_NONE, got, buf), what, lo, most);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Constant expressions: 64-bit integers, signed unless an operand is unsigned (PTX ISA, "Constant Expressions"). */
#include <string.h>

#include "compiler/ptx/parse.h"

enum { MAX_NEST = 64 };

struct value {
  uint64_t v;
  bool uns;
};

static bool const_ternary(struct parser *p, struct value *v, int depth);

static bool const_is_unary(int c) { return c == '+' || c == '-' || c == '!' || c == '~'; }

bool p_at_const(struct parser *p) {
  if (p->t.kind == TK_INT || p->t.kind == TK_F32 || p->t.kind == TK_F64) return true;
  if (p->t.kind == TK_PUNCT) return p->t.punct == '(' || p->t.punct == '+' || p->t.punct == '-' || p->t.punct == '~';
  return token_is(&p->t, "WARP_SZ");
}

static bool const_unary(struct parser *p, struct value *v, int depth) {
  if (depth > MAX_NEST)
    return err_at(p->e, p->ir->file, p->t.line, p->t.col, "found a constant expression nested deeper than %d",
                  MAX_NEST);
  if (p->t.kind == TK_PUNCT && const_is_unary(p->t.punct)) {
    int op = p->t.punct;
    if (!p_next(p) || !const_unary(p, v, depth + 1)) return false;
    if (op == '-') v->v = 0 - v->v;
    else if (op == '~') v->v = ~v->v;
    else if (op == '!') v->v = !v->v, v->uns = false;
    return true;
  }
  if (p_at(p, '(')) {
    if (!p_next(p)) return false;
    if (p_at_dot(p, "s64") || p_at_dot(p, "u64")) {
      bool uns = p->t.s[0] == 'u';
      if (!p_next(p) || !p_expect(p, ')', "after the type of a cast") || !const_unary(p, v, depth + 1)) return false;
      v->uns = uns;
      return true;
    }
    return const_ternary(p, v, depth + 1) && p_expect(p, ')', "to close the expression");
  }
  if (token_is(&p->t, "WARP_SZ")) {
    *v = (struct value){32, false};
    return p_next(p);
  }
  if (p->t.kind != TK_INT) return p_found(p, "an integer constant");
  *v = (struct value){p->t.value, p->t.uns};
  return p_next(p);
}

static int const_precedence(const struct parser *p) {
  if (p->t.kind != TK_PUNCT) return 0;
  switch (p->t.punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PUNCT2('<', '<'):
    case PUNCT2('>', '>'): return 8;
    case '<':
    case '>':
    case PUNCT2('<', '='):
    case PUNCT2('>', '='): return 7;
    case PUNCT2('=', '='):
    case PUNCT2('!', '='): return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PUNCT2('&', '&'): return 2;
    case PUNCT2('|', '|'): return 1;
    default: return 0;
  }
}

static bool const_divide(struct parser *p, const struct token *at, struct value *a, const struct value *b, bool uns) {
  if (b->v == 0)
    return err_at(p->e, p->ir->file, at->line, at->col, "found a division by zero in a constant expression");
  bool rem = at->punct == '%';
  if (uns) a->v = rem ? a->v % b->v : a->v / b->v;
  else if (b->v == UINT64_MAX) a->v = rem ? 0 : 0 - a->v;
  else a->v = (uint64_t)(rem ? (int64_t)a->v % (int64_t)b->v : (int64_t)a->v / (int64_t)b->v);
  return true;
}

static uint64_t const_shift(const struct value *a, const struct value *b, bool left) {
  if (left) return b->v > 63 ? 0 : a->v << b->v;
  bool minus = !a->uns && (int64_t)a->v < 0;
  if (b->v > 63) return minus ? UINT64_MAX : 0;
  return a->v >> b->v | (minus && b->v ? ~(UINT64_MAX >> b->v) : 0);
}

static bool const_apply(struct parser *p, const struct token *op, struct value *a, const struct value *b) {
  bool uns = a->uns || b->uns, less, compare = true;
  less = uns ? a->v < b->v : (int64_t)a->v < (int64_t)b->v;
  switch (op->punct) {
    case '<': a->v = less; break;
    case '>': a->v = !less && a->v != b->v; break;
    case PUNCT2('<', '='): a->v = less || a->v == b->v; break;
    case PUNCT2('>', '='): a->v = !less; break;
    case PUNCT2('=', '='): a->v = a->v == b->v; break;
    case PUNCT2('!', '='): a->v = a->v != b->v; break;
    case PUNCT2('&', '&'): a->v = a->v && b->v; break;
    case PUNCT2('|', '|'): a->v = a->v || b->v; break;
    default: compare = false; break;
  }
  if (compare) {
    a->uns = false;
    return true;
  }
  switch (op->punct) {
    case '*': a->v *= b->v; break;
    case '/':
    case '%':
      if (!const_divide(p, op, a, b, uns)) return false;
      break;
    case '+': a->v += b->v; break;
    case '-': a->v -= b->v; break;
    case '&': a->v &= b->v; break;
    case '^': a->v ^= b->v; break;
    case '|': a->v |= b->v; break;
    default: a->v = const_shift(a, b, op->punct == PUNCT2('<', '<')); return true;
  }
  a->uns = uns;
  return true;
}

static bool const_binary(struct parser *p, struct value *v, int least, int depth) {
  if (!const_unary(p, v, depth)) return false;
  int prec;
  while ((prec = const_precedence(p)) >= least && prec) {
    struct token op = p->t;
    struct value right = {0};
    if (!p_next(p) || !const_binary(p, &right, prec + 1, depth + 1) || !const_apply(p, &op, v, &right)) return false;
  }
  return true;
}

static bool const_ternary(struct parser *p, struct value *v, int depth) {
  if (!const_binary(p, v, 1, depth)) return false;
  if (!p_at(p, '?')) return true;
  struct value yes = {0}, no = {0};
  if (!p_next(p) || !const_ternary(p, &yes, depth + 1) || !p_expect(p, ':', "in a conditional expression") ||
      !const_ternary(p, &no, depth + 1))
    return false;
  *v = v->v ? yes : no;
  return true;
}

bool parse_const_int(struct parser *p, int64_t *v) {
  struct value x = {0};
  if (!const_ternary(p, &x, 0)) return false;
  *v = (int64_t)x.v;
  return true;
}

bool parse_const(struct parser *p, struct ir_opnd *o) {
  *o = (struct ir_opnd){.kind = IO_IMM, .line = p->t.line, .col = p->t.col};
  bool minus = false;
  if (p_at(p, '-') || p_at(p, '+')) {
    struct token after;
    if (!p_peek(p, &after)) return false;
    if (after.kind == TK_F32 || after.kind == TK_F64) {
      minus = p_at(p, '-');
      if (!p_next(p)) return false;
    }
  }
  if (p->t.kind != TK_F32 && p->t.kind != TK_F64) return parse_const_int(p, &o->imm);
  o->kind = IO_FLOAT;
  o->single = p->t.kind == TK_F32;
  o->imm = (int64_t)(p->t.value ^ (minus ? o->single ? 0x80000000ull : 1ull << 63 : 0));
  return p_next(p);
}

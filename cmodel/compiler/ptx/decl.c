/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: variables with alignment, arrays and initialisers; registers; parameters of functions. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ptx/check.h"
#include "compiler/ptx/parse.h"

enum { MAX_DIMS = 8, MAX_ALIGN = 65536 };
static const uint64_t MAX_VAR = 1u << 30, MAX_INIT = 64u << 20;

/* What stands before the names: .align 8 .v4 .f32 */
struct head {
  uint64_t align; /* 0: not given */
  uint8_t type, vec;
  uint8_t handle, points; /* enum handle_kind of a parameter: .texref; .u64 .ptr .texref */
};

/* One declarator: name[2][3]; the vector of a .v2 type counts as the innermost dimension. */
struct shape {
  uint64_t dim[MAX_DIMS + 1];
  unsigned ndim;
  bool array, unsized;
};

static bool decl_read_align(struct parser *p, uint64_t *align) {
  struct token at = p->t;
  if (!p_integer(p, UINT32_MAX, align, "alignment")) return false;
  if (*align == 0 || *align > MAX_ALIGN || (*align & (*align - 1)))
    return err_at(p->e, p->ir->file, at.line, at.col, "found alignment %llu, expected a power of two up to %d",
                  (unsigned long long)*align, MAX_ALIGN);
  return true;
}

/* A type of PTX that we do not have. */
static bool missing_type(struct parser *p) {
  if (p_handle_type(p))
    return p_unsupported(
        p, &p->t,
        "found type '.%.*s', expected a type such as '.u32': .texref, .samplerref and .surfref stand at the "
        "file's level and in parameters of kernels",
        (int)p->t.n, p->t.s);
  if (check_packed_type(p->t.s, p->t.n))
    return p_unsupported(p, &p->t, "found type '.%.*s': it is not supported", (int)p->t.n, p->t.s);
  return p_found(p, "a type such as '.u32' or '.b8'");
}

static bool decl_read_head(struct parser *p, struct head *h, bool param) {
  *h = (struct head){0, T_NONE, 1, HANDLE_NONE, HANDLE_NONE};
  while (p->t.kind == TK_DOT) {
    enum dtype t = type_named(p->t.s, p->t.n);
    if (p_at_dot(p, "align")) {
      if (!p_next(p) || !decl_read_align(p, &h->align)) return false;
      continue;
    } else if (p_at_dot(p, "v2") || p_at_dot(p, "v4")) {
      h->vec = p->t.s[1] == '2' ? 2 : 4;
    } else if (p_at_dot(p, "attribute")) {
      if (!p_attribute(p)) return false;
      continue;
    } else if (param && p_at_dot(p, "ptr")) {
      if (!p_next(p)) return false;
      if (p_at_dot(p, "global") || p_at_dot(p, "const") || p_at_dot(p, "shared") || p_at_dot(p, "local") ||
          p_at_dot(p, "generic")) {
        if (!p_next(p)) return false;
      } else if (p_handle_type(p)) {
        h->points = p_handle_type(p);
        if (!p_next(p)) return false;
      }
      if (p_at_dot(p, "align")) { /* of what it points to: checked, not used */
        uint64_t pointed;
        if (!p_next(p) || !decl_read_align(p, &pointed)) return false;
      }
      continue;
    } else if (t != T_NONE && h->type == T_NONE) {
      h->type = (uint8_t)t;
    } else if (param && p->f && p->f->entry && h->type == T_NONE && p_handle_type(p)) {
      h->type = T_U64;
      h->handle = p_handle_type(p);
      if (!p_check_sampler_mode(p, h->handle)) return false;
    } else {
      return missing_type(p);
    }
    if (!p_next(p)) return false;
  }
  return h->type == T_NONE ? p_found(p, "a type such as '.u32' or '.b8'") : true;
}

static bool decl_read_shape(struct parser *p, const struct head *h, struct shape *s) {
  *s = (struct shape){0};
  while (p_at(p, '[')) {
    struct token at = p->t;
    int64_t v = 0;
    if (s->ndim == MAX_DIMS) return p_found(p, "at most 8 dimensions");
    if (!p_next(p)) return false;
    if (p_at(p, ']')) {
      if (s->ndim) return p_found(p, "a size: only the first dimension may be left open");
      s->unsized = true;
    } else {
      if (!parse_const_int(p, &v)) return false;
      if (v < 0 || (uint64_t)v > MAX_VAR)
        return err_at(p->e, p->ir->file, at.line, at.col, "found array size %lld, expected 0 to %llu", (long long)v,
                      (unsigned long long)MAX_VAR);
    }
    if (!p_expect(p, ']', "after an array size")) return false;
    s->array = true;
    s->dim[s->ndim++] = (uint64_t)v;
  }
  if (h->vec > 1) s->dim[s->ndim++] = h->vec;
  return true;
}

/* Elements of everything from dimension d inwards; false: more than MAX_VAR. */
static bool shape_elements(const struct shape *s, unsigned d, uint64_t *n) {
  *n = 1;
  for (; d < s->ndim; d++) {
    *n *= s->dim[d];
    if (*n > MAX_VAR) return false;
  }
  return true;
}

/* ---- initialisers ---- */

struct init {
  uint8_t *data;
  uint64_t size, cap; /* bytes written so far */
  struct ir_patch *patch;
  bool any; /* a byte that is not zero */
};

static bool init_room(struct parser *p, struct init *in, uint64_t end) {
  if (end > MAX_INIT) return p_found(p, "initialised data of at most 64 MB");
  if (end > in->cap) {
    uint64_t cap = in->cap ? in->cap : 64;
    while (cap < end) cap *= 2;
    in->data = xrealloc(in->data, cap);
    memset(in->data + in->cap, 0, cap - in->cap);
    in->cap = cap;
  }
  if (end > in->size) in->size = end;
  return true;
}

static void init_put(struct init *in, uint64_t at, uint64_t bits, unsigned bytes) {
  if (!in->data) return;
  for (unsigned k = 0; k < bytes; k++) {
    in->data[at + k] = (uint8_t)(bits >> 8 * k);
    in->any |= in->data[at + k] != 0;
  }
}

/* generic(sym)+4, sym-8, 0xff00(sym): t is the name, or what follows the '(' */
static bool decl_read_address(struct parser *p, struct init *in, uint64_t at, unsigned bytes, uint64_t mask) {
  struct ir_patch *x = arena_alloc(p->tmp, sizeof *x);
  const char *name;
  bool paren = mask != 0;
  struct token first = p->t;
  *x = (struct ir_patch){.mask = mask, .at = (uint32_t)at, .bytes = bytes, .line = p->t.line, .col = p->t.col};
  if (token_is(&p->t, "generic")) {
    struct token after;
    if (!p_peek(p, &after)) return false;
    if (after.kind == TK_PUNCT && after.punct == '(') {
      if (!p_next(p)) return false; /* the name, then the '(' */
      if (!p_next(p)) return false;
      x->generic = true;
      if (!p_name(p, &name, "the name of a variable")) return false;
      if (!p_expect(p, ')', "after the name of a variable")) return false;
      goto found;
    }
  }
  if (!p_name(p, &name, "the name of a variable")) return false;
found:;
  struct bind *b = ir_lookup(p->ir, NULL, name, 0);
  if (b && b->kind == BIND_FUNC)
    return p_unsupported(p, &first, "found function '%.60s' in an initialiser: indirect calls are not supported", name);
  if (!b || b->kind != BIND_VAR)
    return err_at(p->e, p->ir->file, x->line, x->col,
                  b ? "found '%.60s' in an initialiser, expected a variable in .global or .const"
                    : "found undeclared name '%.60s' in an initialiser",
                  name);
  x->var = b->ptr;
  if (x->var->kind != V_GLOBAL && x->var->kind != V_CONST && x->var->kind != V_REF)
    return err_at(p->e, p->ir->file, x->line, x->col,
                  "found the %s variable '%.60s' in an initialiser, expected one in .global or .const",
                  space_text(x->var->kind), name);
  if (p_at_sign(p) && !parse_const_int(p, &x->add)) return false;
  if (paren && !p_expect(p, ')', "after the masked address")) return false;
  if (!mask && bytes != 8)
    return err_at(p->e, p->ir->file, x->line, x->col,
                  "found the address of '%.60s' in an element of %u bytes, expected one of 8 bytes", name, bytes);
  x->next = in->patch;
  in->patch = x;
  return true;
}

static bool decl_read_element(struct parser *p, const struct head *h, struct init *in, uint64_t at) {
  unsigned bytes = type_bits(h->type) / 8;
  struct ir_opnd o;
  if (!init_room(p, in, at + bytes)) return false;
  if (p->t.kind == TK_ID && !token_is(&p->t, "WARP_SZ")) return decl_read_address(p, in, at, bytes, 0);
  if (!p_at_const(p) && !p_at(p, '!')) return p_found(p, "a constant");
  if (!parse_const(p, &o)) return false;
  if (o.kind == IO_IMM && p_at(p, '(')) {
    if (o.imm == 0) return p_found(p, "a mask that is not zero before '('");
    return p_next(p) && decl_read_address(p, in, at, bytes, (uint64_t)o.imm);
  }
  uint64_t bits = (uint64_t)o.imm;
  enum tclass cls = type_class(h->type);
  if (o.kind == IO_FLOAT && (cls == TC_INT || bytes < 4))
    return err_at(p->e, p->ir->file, o.line, o.col, "found a floating-point constant, expected an integer for %s",
                  type_text(h->type));
  if (o.kind == IO_FLOAT) bits = float_bits(&o, bytes * 8);
  else if (h->type == T_F32 || h->type == T_F64) {
    double d = (double)o.imm;
    struct ir_opnd as = {.kind = IO_FLOAT};
    memcpy(&as.imm, &d, 8);
    bits = float_bits(&as, bytes * 8);
  }
  init_put(in, at, bits, bytes);
  return true;
}

/* t is '{'. count: elements of this part, UINT64_MAX when left open. *used: elements met. */
static bool decl_read_list(struct parser *p, const struct head *h, const struct shape *s, unsigned d, uint64_t base,
                           uint64_t count, struct init *in, uint64_t *used) {
  uint64_t cur = 0, sub = 1, bytes = type_bits(h->type) / 8;
  if (!shape_elements(s, d + 1, &sub)) return p_found(p, "a smaller array");
  if (!p_next(p)) return false;
  while (!p_at(p, '}')) {
    if (cur >= count) return p_found(p, "'}': there are more initialisers than elements");
    if (p_at(p, '{')) {
      uint64_t n = 0;
      if (d + 1 >= s->ndim || cur % sub) return p_found(p, "a constant");
      if (!decl_read_list(p, h, s, d + 1, base + cur, sub, in, &n)) return false;
      cur += sub;
    } else {
      if (!decl_read_element(p, h, in, (base + cur) * bytes)) return false;
      cur++;
    }
    bool comma;
    if (!p_accept(p, ',', &comma)) return false;
    if (!comma && !p_at(p, '}')) return p_found(p, "',' or '}' in an initialiser");
  }
  *used = cur;
  return p_next(p);
}

static bool decl_read_init(struct parser *p, const struct head *h, struct shape *s, struct init *in) {
  uint64_t used = 0, count = 0;
  if (!p_at(p, '{')) {
    if (s->ndim) return p_found(p, "'{' to begin the initialiser of an array");
    return decl_read_element(p, h, in, 0);
  }
  if (!shape_elements(s, s->unsized ? 1 : 0, &count)) return p_found(p, "a smaller array");
  struct shape one = {.dim = {1}, .ndim = 1};
  if (!decl_read_list(p, h, s->ndim ? s : &one, 0, 0, s->unsized ? UINT64_MAX : count, in, &used)) return false;
  if (s->unsized) {
    s->dim[0] = count ? (used + count - 1) / count : 0;
    s->unsized = false;
  }
  return true;
}

/* ---- variables ---- */

bool p_register_var(struct parser *p, struct ir_var *v) {
  struct bind b = {v->name, p->scope, BIND_VAR, T_NONE, 0, v, v->line, v->col};
  struct bind *old = p->f ? NULL : ir_find(p->ir, v->name, 0);
  if (old && old->kind == BIND_VAR) { /* .extern declaration, then the definition, or the other way round */
    struct ir_var *o = old->ptr;
    if ((o->is_extern || v->is_extern) && o->kind == v->kind && o->kind != V_SHARED) {
      if (v->is_extern) return true;
      *o = *v;
      return true;
    }
  }
  if (!ir_declare(p->ir, &b, p->e)) return false;
  if (p->f && (v->kind == V_LOCAL || v->kind == V_FPARAM)) {
    v->index = p->f->nvar;
    VEC_PUSH(p->f->var, p->f->nvar, p->f->var_cap) = v;
  } else if (v->kind != V_KPARAM) {
    VEC_PUSH(p->ir->var, p->ir->nvar, p->ir->var_cap) = v;
  }
  return true;
}

/* Everything of a variable except its index. */
static bool finish_var(struct parser *p, const struct head *h, const struct shape *s, struct ir_var *v) {
  uint64_t n, bytes = type_bits(h->type) / 8;
  if (h->type == T_PRED)
    return err_at(p->e, p->ir->file, v->line, v->col, "found variable '%.60s' of type .pred, expected a type in memory",
                  v->name);
  if (!shape_elements(s, s->unsized ? 1 : 0, &n) || n * bytes > MAX_VAR)
    return err_at(p->e, p->ir->file, v->line, v->col, "found variable '%.60s' of more than %llu bytes", v->name,
                  (unsigned long long)MAX_VAR);
  if (bytes * h->vec > 16)
    return err_at(p->e, p->ir->file, v->line, v->col,
                  "found variable '%.60s' of vectors of %u bytes, expected at most 16", v->name,
                  (unsigned)bytes * h->vec);
  v->type = h->type;
  v->array = s->array || h->vec > 1;
  v->unsized = s->unsized;
  v->size = s->unsized ? 0 : n * bytes;
  v->align = h->align ? (uint32_t)h->align : (uint32_t)(bytes * h->vec);
  return true;
}

static bool keep_init(struct parser *p, struct ir_var *v, struct init *in) {
  if (in->size > v->size) return p_found(p, "initialisers that fit the variable");
  v->patch = in->patch;
  if (!in->data || (!in->any && !in->patch)) return true;
  p->ir->init_bytes += v->size;
  if (p->ir->init_bytes > MAX_INIT)
    return err_at(p->e, p->ir->file, v->line, v->col, "found more than %llu bytes of initialised variables",
                  (unsigned long long)MAX_INIT);
  uint8_t *data = arena_alloc(p->ir->keep, v->size);
  memcpy(data, in->data, in->size);
  v->init = data;
  return true;
}

static bool parse_var(struct parser *p, const struct head *h, enum var_kind kind, bool is_extern) {
  struct ir_var *v = arena_alloc(p->tmp, sizeof *v);
  struct shape s;
  *v = (struct ir_var){.kind = (uint8_t)kind, .is_extern = is_extern, .line = p->t.line, .col = p->t.col};
  if (!p_name(p, &v->name, "the name of a variable") || !decl_read_shape(p, h, &s)) return false;
  struct init in = {0};
  bool ok = true;
  if (p_at(p, '=')) {
    if ((kind != V_GLOBAL && kind != V_CONST) || is_extern)
      return err_at(p->e, p->ir->file, p->t.line, p->t.col,
                    "found an initialiser for the %s%s variable '%.60s', expected ';'", is_extern ? ".extern " : "",
                    space_text(v->kind), v->name);
    ok = p_next(p) && decl_read_init(p, h, &s, &in);
  }
  ok = ok && finish_var(p, h, &s, v) && keep_init(p, v, &in);
  free(in.data);
  if (!ok) return false;
  if (v->unsized && !is_extern)
    return err_at(p->e, p->ir->file, v->line, v->col,
                  "found array '%.60s' without a size, expected a size or an initialiser", v->name);
  return p_register_var(p, v);
}

bool parse_vars(struct parser *p, enum var_kind kind, bool is_extern) {
  struct head h;
  if (!decl_read_head(p, &h, kind == V_FPARAM)) return false;
  bool comma;
  if (kind == V_FPARAM) { /* .param .b32 param<4>; is legal for call blocks */
    struct token after;
    if (!p_peek(p, &after)) return false;
    if (after.kind == TK_PUNCT && after.punct == '<')
      return err_at(p->e, p->ir->file, after.line, after.col,
                    "found a range of .param variables, expected single names");
  }
  do {
    if (!parse_var(p, &h, kind, is_extern) || !p_accept(p, ',', &comma)) return false;
  } while (comma);
  return p_expect(p, ';', "after a declaration");
}

static bool refuse_var(struct parser *p, enum var_kind kind, struct err *why) {
  const char *name = ir_intern(p->ir, p->t.s, p->t.n);
  struct bind *old = ir_find(p->ir, name, 0);
  struct ir_var *v = old && old->kind == BIND_VAR ? old->ptr : arena_alloc(p->tmp, sizeof *v);
  if (!old || old->kind != BIND_VAR) {
    *v = (struct ir_var){.name = name, .kind = (uint8_t)kind, .line = p->t.line, .col = p->t.col};
    if (!p_register_var(p, v)) return false;
  }
  v->refused = why;
  return true;
}

/* The variables of a statement that is not supported, by their names: each the first one at its level. */
static bool refuse_vars(struct parser *p, enum var_kind kind, struct err *why) {
  unsigned depth = 0;
  bool named = false;
  for (; depth || !p_at(p, ';');) {
    if (p->t.kind == TK_END) return p_found(p, "';' after a declaration");
    if (p_at(p, '{') || p_at(p, '[') || p_at(p, '(')) depth++;
    else if (depth && (p_at(p, '}') || p_at(p, ']') || p_at(p, ')'))) depth--;
    else if (!depth && p_at(p, ',')) named = false;
    else if (!depth && !named && p->t.kind == TK_ID) {
      named = true;
      if (!refuse_var(p, kind, why)) return false;
    }
    if (!p_next(p)) return false;
  }
  return p_next(p);
}

bool parse_module_vars(struct parser *p, enum var_kind kind, bool is_extern) {
  struct lexer lx = p->lx;
  struct token t = p->t;
  struct err *why = NULL;
  bool ok = p_at_dot(p, "tex") || p_handle_type(p) ? parse_refs(p, kind, is_extern) : parse_vars(p, kind, is_extern);
  if (ok || p->bad != BAD_UNSUPPORTED) return ok;
  p_refuse(p, &why);
  p->lx = lx;
  p->t = t;
  return refuse_vars(p, kind, why);
}

/* ---- registers ---- */

bool parse_regs(struct parser *p) {
  struct head h;
  if (p_at_dot(p, "v2") || p_at_dot(p, "v4"))
    return p_unsupported(p, &p->t, "found '.%.*s', expected a scalar type: vector registers are not supported",
                         (int)p->t.n, p->t.s);
  if (!decl_read_head(p, &h, false)) return false;
  if (h.vec > 1)
    return p_unsupported(p, &p->t, "found vector registers, which are not supported; expected scalar ones");
  bool comma;
  do {
    struct bind b = {.scope = p->scope, .kind = BIND_REG, .type = h.type, .line = p->t.line, .col = p->t.col};
    if (!p_name(p, &b.name, "the name of a register")) return false;
    if (p_at(p, '<')) {
      uint64_t n = 0;
      if (!p_next(p) || !p_integer(p, UINT32_MAX - 1, &n, "number of registers") ||
          !p_expect(p, '>', "after the number of registers"))
        return false;
      b.kind = BIND_RANGE;
      b.index = (uint32_t)n;
    } else {
      b.index = ir_add_reg(p->f, b.name, b.type);
    }
    if (!ir_declare(p->ir, &b, p->e) || !p_accept(p, ',', &comma)) return false;
  } while (comma);
  return p_expect(p, ';', "after a register declaration");
}

/* ---- parameters ---- */

static bool one_formal(struct parser *p, struct ir_func *f, bool ret, struct ir_var **var, uint32_t *reg) {
  struct head h;
  struct shape s;
  bool is_reg = p_at_dot(p, "reg");
  *var = NULL;
  *reg = NO_REG;
  if (!is_reg && !p_at_dot(p, "param")) return p_found(p, "'.param' or '.reg' for a parameter");
  if (is_reg && f->entry) return p_found(p, "'.param': a kernel has no .reg parameters");
  if (!p_next(p)) return false;
  if (!decl_read_head(p, &h, true)) return false;
  struct ir_var *v = arena_alloc(p->tmp, sizeof *v);
  *v = (struct ir_var){.kind = f->entry ? V_KPARAM : V_FPARAM, .line = p->t.line, .col = p->t.col};
  if (!p_name(p, &v->name, "the name of a parameter")) return false;
  if (is_reg) {
    struct bind b = {v->name, p->scope, BIND_REG, h.type, 0, NULL, v->line, v->col};
    b.index = *reg = ir_add_reg(f, v->name, h.type);
    return ir_declare(p->ir, &b, p->e);
  }
  if (h.handle && (p_at(p, '[') || h.vec > 1))
    return p_unsupported(p, &p->t, "found an array of handles, which is not supported; expected one parameter each");
  if (!decl_read_shape(p, &h, &s) || !finish_var(p, &h, &s, v)) return false;
  v->handle = h.handle;
  v->points = h.points;
  if (s.unsized)
    return err_at(p->e, p->ir->file, v->line, v->col, "found %s '%.60s' without a size, expected a size",
                  ret ? "return value" : "parameter", v->name);
  *var = v;
  return p_register_var(p, v);
}

bool parse_formals(struct parser *p, struct ir_func *f, bool ret) {
  struct ir_var **var = NULL, *v;
  uint32_t *reg = NULL, n = 0, cap = 0, nreg = 0, reg_cap = 0, r;
  bool ok = p_next(p), comma = true;
  if (ok && p_at(p, ')')) comma = false;
  while (ok && comma) {
    ok = one_formal(p, f, ret, &v, &r);
    if (!ok) break;
    VEC_PUSH(var, n, cap) = v;
    VEC_PUSH(reg, nreg, reg_cap) = r;
    ok = p_accept(p, ',', &comma);
  }
  ok = ok && p_expect(p, ')', "after the parameters");
  struct ir_var **kv = arena_alloc(p->tmp, (n + 1) * sizeof *kv);
  uint32_t *kr = arena_alloc(p->tmp, (n + 1) * sizeof *kr);
  if (n) memcpy(kv, var, n * sizeof *kv), memcpy(kr, reg, n * sizeof *kr);
  free(var);
  free(reg);
  if (ret) f->ret = kv, f->ret_reg = kr, f->nret = n;
  else f->formal = kv, f->formal_reg = kr, f->nformal = n;
  return ok;
}

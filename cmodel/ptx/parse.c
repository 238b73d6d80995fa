/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

bool p_next(struct parser *p) { return lex_next(&p->lx, &p->t, p->e); }

bool p_peek(struct parser *p, struct token *after) {
  struct lexer copy = p->lx;
  return lex_next(&copy, after, p->e);
}

bool p_at(const struct parser *p, int punct) { return p->t.kind == TK_PUNCT && p->t.punct == punct; }
bool p_at_sign(const struct parser *p) {
  return p->t.kind == TK_PUNCT && (p->t.punct == '+' || p->t.punct == '-');
}
bool p_at_dot(const struct parser *p, const char *word) {
  return p->t.kind == TK_DOT && token_is(&p->t, word);
}

bool p_accept(struct parser *p, int punct, bool *taken) {
  *taken = p_at(p, punct);
  return *taken ? p_next(p) : true;
}

bool p_found(struct parser *p, const char *expected) {
  char buf[96];
  return err_at(p->e, p->ir->file, p->t.line, p->t.col, "found %s, expected %s",
                token_show(&p->t, buf, sizeof buf), expected);
}

bool p_expect(struct parser *p, int punct, const char *why) {
  if (p_at(p, punct)) return p_next(p);
  char text[96];
  snprintf(text, sizeof text, "'%c' %s", punct, why);
  return p_found(p, text);
}

bool p_name(struct parser *p, const char **name, const char *expected) {
  if (p->t.kind != TK_ID) return p_found(p, expected);
  *name = ir_intern(p->ir, p->t.s, p->t.n);
  return p_next(p);
}

bool p_integer(struct parser *p, uint64_t max, uint64_t *v, const char *what) {
  if (p->t.kind != TK_INT) return p_found(p, what);
  if (p->t.value > max)
    return err_at(p->e, p->ir->file, p->t.line, p->t.col, "found %s %llu, expected at most %llu", what,
                  (unsigned long long)p->t.value, (unsigned long long)max);
  *v = p->t.value;
  return p_next(p);
}

bool p_skip_parens(struct parser *p) {
  unsigned depth = 0;
  do {
    if (p_at(p, '(')) depth++;
    if (p_at(p, ')')) depth--;
    if (p->t.kind == TK_END) return p_found(p, "')'");
    if (!p_next(p)) return false;
  } while (depth);
  return true;
}

/* ---- functions ---- */

static bool dims(struct parser *p, uint32_t out[3]) {
  bool comma = true;
  out[0] = out[1] = out[2] = 1;
  for (int k = 0; comma; k++) {
    uint64_t v = 0;
    if (k == 3) return p_found(p, "at most three dimensions");
    if (!p_integer(p, 1u << 30, &v, "a dimension") || !p_accept(p, ',', &comma)) return false;
    out[k] = (uint32_t)v;
  }
  return true;
}

/* Between the parameters and the body. */
static bool performance(struct parser *p, struct ir_func *f) {
  uint64_t v = 0;
  while (p->t.kind == TK_DOT) {
    if (p_at_dot(p, "maxntid")) {
      if (!p_next(p) || !dims(p, f->maxntid)) return false;
    } else if (p_at_dot(p, "reqntid")) {
      if (!p_next(p) || !dims(p, f->reqntid)) return false;
    } else if (p_at_dot(p, "minnctapersm") || p_at_dot(p, "maxnctapersm")) {
      bool least = p_at_dot(p, "minnctapersm");
      if (!p_next(p) || !p_integer(p, 1u << 20, &v, "a number of CTAs")) return false;
      if (least) f->minctas = (uint32_t)v;
    } else if (p_at_dot(p, "maxnreg")) {
      if (!p_next(p) || !p_integer(p, 1u << 20, &v, "a number of registers")) return false;
      f->maxnreg = (uint32_t)v;
    } else if (p_at_dot(p, "noreturn")) {
      if (!p_next(p)) return false;
    } else if (p_at_dot(p, "pragma")) {
      do {
        if (!p_next(p)) return false;
        if (p->t.kind != TK_STR) return p_found(p, "a string after .pragma");
        if (!p_next(p)) return false;
      } while (p_at(p, ','));
      if (!p_expect(p, ';', "after .pragma")) return false;
    } else {
      return p_found(p, "the body of the function");
    }
  }
  return true;
}

static bool kernel_params(struct parser *p, struct ir_func *f) {
  uint64_t at = 0;
  for (uint32_t k = 0; k < f->nformal; k++) {
    struct ir_var *v = f->formal[k];
    at = (at + v->align - 1) & ~(uint64_t)(v->align - 1);
    v->addr = (uint32_t)at;
    at += v->size;
    if (at > 32764)
      return err_at(p->e, p->ir->file, v->line, v->col,
                    "found parameters of more than 32764 bytes in kernel '%.60s'", f->name);
  }
  return true;
}

/* A function may be declared often and defined once; the first declaration's struct stays. */
static bool add_func(struct parser *p, struct ir_func *f, bool has_body) {
  struct bind *old = ir_find(p->ir, f->name, 0);
  if (old && old->kind == BIND_FUNC) {
    struct ir_func *g = old->ptr;
    if (g->defined && has_body)
      return err_at(p->e, p->ir->file, f->line, f->col,
                    "found a second body of '%.60s', expected one; the first is in line %d", f->name,
                    g->line);
    if (g->entry != f->entry || g->nformal != f->nformal || g->nret != f->nret)
      return err_at(p->e, p->ir->file, f->line, f->col, "found '%.60s' declared differently than in line %d",
                    f->name, g->line);
    if (!has_body) return true;
    struct ir_func swap = *g; /* calls seen so far point to g */
    *g = *f;
    *f = swap;
    p->f = g;
    return true;
  }
  struct bind b = {f->name, 0, BIND_FUNC, T_NONE, 0, f, f->line, f->col};
  if (!ir_declare(p->ir, &b, p->e)) return false;
  return true;
}

static bool function(struct parser *p, bool entry, bool is_extern) {
  struct ir_func *f = arena_alloc(p->tmp, sizeof *f);
  *f = (struct ir_func){.entry = entry, .is_extern = is_extern};
  VEC_PUSH(p->ir->func, p->ir->nfunc, p->ir->func_cap) = f;
  p->f = f;
  p->scope = ir_scope(p->ir, 0);
  if (!p_next(p)) return false;
  if (!entry && p_at(p, '(') && !parse_formals(p, f, true)) return false;
  f->line = p->t.line;
  f->col = p->t.col;
  if (!p_name(p, &f->name, entry ? "the name of a kernel" : "the name of a function")) return false;
  if (p_at(p, '(') && !parse_formals(p, f, false)) return false;
  if (entry && !kernel_params(p, f)) return false;
  if (!performance(p, f)) return false;
  if (!p_at(p, '{') && !p_at(p, ';')) return p_found(p, "'{' or ';' after the head of a function");
  bool has_body = p_at(p, '{');
  if (has_body && is_extern) return p_found(p, "';' after an .extern function");
  if (!add_func(p, f, has_body)) return false;
  p->f->defined = has_body || p->f->defined;
  bool ok = has_body ? parse_body(p) : p_next(p);
  p->f = NULL;
  p->scope = 0;
  return ok;
}

/* ---- the file's level ---- */

struct head {
  bool version, target, size;
};

static bool version(struct parser *p) {
  if (!p_next(p)) return false;
  if ((p->t.kind != TK_F64 && p->t.kind != TK_INT) || p->t.n < 3 || p->t.n > 5 || p->t.s[0] < '1' ||
      p->t.s[0] > '9' || p->t.s[1] != '.')
    return p_found(p, "a PTX version from 1.0 to 9.9");
  return p_next(p);
}

static bool target(struct parser *p) {
  bool comma = true, sm = false;
  while (comma) {
    if (!p_next(p)) return false;
    if (p->t.kind != TK_ID) return p_found(p, "a target such as sm_75");
    if (token_is(&p->t, "map_f64_to_f32")) return p_found(p, "a target with 64-bit floating point");
    sm = sm || (p->t.n > 3 && !memcmp(p->t.s, "sm_", 3)) || (p->t.n > 8 && !memcmp(p->t.s, "compute_", 8));
    if (!sm) return p_found(p, "a target such as sm_75");
    if (!p_next(p)) return false;
    comma = p_at(p, ',');
  }
  return true;
}

static bool skip_section(struct parser *p) {
  while (!p_at(p, '{')) {
    if (p->t.kind == TK_END) return p_found(p, "'{' after .section");
    if (!p_next(p)) return false;
  }
  unsigned depth = 0;
  do {
    if (p_at(p, '{')) depth++;
    if (p_at(p, '}')) depth--;
    if (p->t.kind == TK_END) return p_found(p, "'}' to end the section");
    if (!p_next(p)) return false;
  } while (depth);
  return true;
}

static bool linked(struct parser *p, const struct head *h) {
  static const struct {
    const char *name;
    enum var_kind kind;
  } spaces[] = {{"global", V_GLOBAL}, {"const", V_CONST}, {"shared", V_SHARED}};
  bool is_extern = false;
  while (p_at_dot(p, "extern") || p_at_dot(p, "visible") || p_at_dot(p, "weak") || p_at_dot(p, "common")) {
    is_extern = is_extern || p_at_dot(p, "extern");
    if (!p_next(p)) return false;
  }
  if (!h->target) return p_found(p, "'.version' and '.target' first");
  if (!h->size) return p_found(p, "'.address_size 64' first: only 64-bit addresses are supported");
  for (unsigned k = 0; k < 3; k++)
    if (p_at_dot(p, spaces[k].name)) return p_next(p) && parse_vars(p, spaces[k].kind, is_extern);
  if (p_at_dot(p, "entry")) return function(p, true, is_extern);
  if (p_at_dot(p, "func")) return function(p, false, is_extern);
  if (p_at_dot(p, "tex")) return p_found(p, "another space: textures are not supported");
  return p_found(p, "a declaration such as .entry, .func, .global, .const or .shared");
}

static bool top(struct parser *p, struct head *h) {
  uint64_t v = 0;
  if (p->t.kind == TK_PUNCT && p_at(p, ';')) return p_next(p);
  if (p_at(p, '@')) { /* @@DWARF */
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p_at_dot(p, "version")) {
    h->version = true;
    return version(p);
  }
  if (!h->version) return p_found(p, "'.version' first");
  if (p_at_dot(p, "target")) {
    h->target = true;
    return target(p);
  }
  if (p_at_dot(p, "address_size")) {
    struct token at;
    if (!p_next(p)) return false;
    at = p->t;
    if (!p_integer(p, 1000, &v, "an address size")) return false;
    if (v != 64)
      return err_at(p->e, p->ir->file, at.line, at.col, "found address size %llu, expected 64",
                    (unsigned long long)v);
    h->size = true;
    return true;
  }
  if (p_at_dot(p, "file") || p_at_dot(p, "loc")) {
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p_at_dot(p, "section")) return skip_section(p);
  if (p_at_dot(p, "pragma")) {
    if (!p_next(p)) return false;
    if (p->t.kind != TK_STR) return p_found(p, "a string after .pragma");
    return p_next(p) && p_expect(p, ';', "after .pragma");
  }
  if (p->t.kind != TK_DOT) return p_found(p, "a declaration such as .entry, .func or .global");
  return linked(p, h);
}

bool parse_file(struct ir *ir, const char *text, size_t n, struct err *e) {
  struct parser p = {.ir = ir, .e = e, .tmp = &ir->arena};
  struct head h = {0};
  ir_scope(ir, 0);
  lex_init(&p.lx, ir->file, text, n);
  if (!p_next(&p)) return false;
  while (p.t.kind != TK_END)
    if (!top(&p, &h)) return false;
  for (uint32_t k = 0; k < ir->nfunc; k++)
    if (ir->func[k]->entry && ir->func[k]->defined) return true;
  return p_found(&p, "at least one .entry with a body");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: reads launch files: statements, blocks, sizes, launches. All sizes are read at once. Everything that can be known without the module is
 * checked here; kernels, symbols and parameters are checked by host.c before the first statement runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/io.h"
#include "launch/script.h"

static bool script_parse_block(struct parser *p, struct stmt **first);

static bool script_fail(struct parser *p, const struct token *t, const char *fmt, const char *s, int line) {
  char q[80];
  snprintf(q, sizeof q, "%.*s", t->n > 60 ? 60 : (int)t->n, s);
  /* the formats are our own and take the name and a line */
  char text[400];
  snprintf(text, sizeof text, fmt, q, line);
  return err_at(p->e, p->file, t->line, t->col, "%s", text);
}

void *script_make(struct parser *p, size_t size) { return arena_alloc(&p->s->arena, size); }

/* A path of the file, relative to the file; "-" is no standard input there. */
const char *script_path(struct parser *p, const struct token *t) {
  const char *slash = strrchr(p->file, '/');
  size_t dir = t->s[0] == '/' || !slash ? 0 : (size_t)(slash - p->file) + 1;
  bool dash = !dir && t->n == 1 && t->s[0] == '-';
  char *out = script_make(p, dir + t->n + 3);
  memcpy(out, dash ? "./" : p->file, dash ? 2 : dir);
  memcpy(out + (dash ? 2 : dir), t->s, t->n);
  return out;
}

/* ---- names ---- */

static bool script_parse_new_name(struct parser *p, struct token *t, const char *what) {
  if (p->t.kind != K_NAME) return script_found(p, what);
  *t = p->t;
  struct name *x = script_known(p, t);
  if (x) return script_fail(p, t, "found '%s', which line %d defines, expected a new name", t->s, x->line);
  script_next(p);
  return !p->e->set;
}

static struct name *script_parse_memory_name(struct parser *p, const char *what) {
  struct name *x = script_lookup(p);
  if (!script_memory(x)) {
    script_found(p, what);
    return NULL;
  }
  script_next(p);
  return x;
}

static bool script_parse_type(struct parser *p, uint8_t *out) {
  enum dtype t = p->t.kind == K_NAME ? script_type(p->t.s, p->t.n) : T_NONE;
  if (t == T_NONE) return script_found(p, "a type: u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64");
  *out = (uint8_t)t;
  script_next(p);
  return !p->e->set;
}

/* Ends the names that were defined since `from`: they belonged to a block. */
static void end_names(struct parser *p, uint32_t from) {
  for (uint32_t k = from; k < p->nname; k++)
    if (p->name[k].kind != NAME_SYMBOL) p->name[k].gone = true;
}

static bool script_parse_integer(struct parser *p, uint64_t lo, uint64_t hi, const char *what, uint64_t *out) {
  if (p->t.kind != K_INT) return script_found(p, what);
  if (p->t.i < lo || p->t.i > hi) return script_found(p, what);
  *out = p->t.i;
  script_next(p);
  return !p->e->set;
}

/* ---- initial values ---- */

/* `expr E`, where `i` is the index; *slot: of that i. */
static bool script_parse_indexed(struct parser *p, struct expr *x, uint32_t *slot) {
  struct token i = p->t;
  i.s = "i";
  i.n = 1;
  struct name *n = script_define(p, &i, NAME_COUNTER, T_NONE);
  if (!n) return false;
  *slot = n->slot;
  bool ok = script_expr(p, x);
  p->name[*slot].gone = true;
  return ok;
}

bool script_ends(const struct parser *p) {
  return p->t.kind == K_NEWLINE || p->t.kind == K_EOF || p->t.kind == ';' || p->t.kind == '}';
}

static bool list_ends(const struct parser *p, bool braces) { return braces ? p->t.kind == '}' : script_ends(p); }

static bool script_parse_data(struct parser *p, struct init *in) {
  bool braces = p->t.kind == '{';
  if (braces) {
    p->nest++;
    script_next(p);
  }
  struct expr *v = NULL;
  uint32_t n = 0, cap = 0;
  bool ok = !p->e->set;
  while (ok && !list_ends(p, braces)) {
    struct expr x;
    ok = script_expr_item(p, &x);
    if (ok) VEC_PUSH(v, n, cap) = x;
  }
  if (ok && !n) ok = script_found(p, "at least one value");
  if (ok && braces) {
    p->nest--;
    script_next(p);
    ok = !p->e->set;
  }
  if (ok && v) {
    in->data = script_make(p, n * sizeof *v);
    memcpy(in->data, v, n * sizeof *v);
    in->ndata = n;
  }
  free(v);
  return ok;
}

static bool script_parse_init(struct parser *p, struct init **out) {
  static const char *const word[] = {"zero", "fill", "iota", "rand", "expr", "file", "data"};
  struct init *in = *out = script_make(p, sizeof *in);
  int kind = -1;
  for (int k = INIT_ZERO; k <= INIT_DATA; k++)
    if (script_is(p, word[k])) kind = k;
  if (kind < 0) return script_found(p, "an initial value: zero, fill, iota, rand, expr, file or data");
  in->kind = (uint8_t)kind;
  in->line = p->t.line;
  in->col = p->t.col;
  if (kind == INIT_FILE) {
    struct token t;
    if (!script_word(p, "a path", &t)) return false;
    in->line = t.line;
    in->col = t.col;
    in->path = script_path(p, &t);
    return true;
  }
  script_next(p);
  if (p->e->set) return false;
  switch (kind) {
    case INIT_ZERO: return true;
    case INIT_FILL: return script_expr(p, &in->a);
    case INIT_EXPR: return script_parse_indexed(p, &in->a, &in->index);
    case INIT_DATA: return script_parse_data(p, in);
    default: return script_expr_item(p, &in->a) && script_expr_item(p, &in->b);
  }
}

/* ---- launch ---- */

static bool script_parse_arguments(struct parser *p, struct arg **out, uint32_t *n, struct token *last, int end,
                                   bool in_struct);

static bool script_parse_pointer(struct parser *p, struct name *x, struct arg *a) {
  a->kind = ARG_POINTER;
  a->slot = x->slot;
  a->type = x->type;
  script_next(p);
  if (p->t.kind != '+') return !p->e->set;
  a->offset = true;
  script_next(p);
  return script_expr(p, &a->a);
}

int script_peek(const struct parser *p) {
  const char *s = p->p;
  while (s < p->end && (*s == ' ' || *s == '\t')) s++;
  return s < p->end ? *s : -1;
}

static bool script_parse_handle(struct parser *p, const struct name *x, struct arg *a) {
  a->kind = ARG_HANDLE;
  a->slot = x->slot;
  a->type = x->kind;
  script_next(p);
  return !p->e->set;
}

static bool script_parse_argument(struct parser *p, struct arg *a, bool in_struct) {
  *a = (struct arg){.line = p->t.line, .col = p->t.col};
  if (p->t.kind == K_NAME) {
    if (script_is(p, "local")) {
      if (in_struct) return script_found(p, "a member: buffer, buffer + bytes, TYPE:value or struct {...}");
      a->kind = ARG_LOCAL;
      script_next(p);
      return script_expr(p, &a->a);
    }
    if (script_is(p, "struct")) {
      a->kind = ARG_STRUCT;
      if (p->structs == SCRIPT_STRUCTS) return script_found(p, "at most 8 structs inside each other");
      script_next(p);
      if (p->t.kind != '{') return script_found(p, "'{'");
      struct token end;
      p->structs++;
      p->nest++;
      script_next(p);
      if (!script_parse_arguments(p, &a->member, &a->nmember, &end, '}', true)) return false;
      p->structs--;
      return true;
    }
    if (script_type(p->t.s, p->t.n) != T_NONE && script_peek(p) != '(') {
      a->kind = ARG_TYPED;
      return script_parse_type(p, &a->type) && script_take(p, ':', "':' and a value after the type") &&
             script_expr(p, &a->a);
    }
    struct name *x = script_lookup(p);
    if (x && (x->kind == NAME_BUFFER || x->kind == NAME_SYMBOL) && script_peek(p) != '[')
      return script_parse_pointer(p, x, a);
    if (x && script_handle(x) && script_peek(p) != '[') return script_parse_handle(p, x, a);
  }
  if (in_struct) return script_found(p, "a member: buffer, buffer + bytes, TYPE:value or struct {...}");
  a->kind = ARG_PLAIN;
  return script_expr(p, &a->a);
}

static bool script_parse_arguments(struct parser *p, struct arg **out, uint32_t *n, struct token *last, int end,
                                   bool in_struct) {
  struct arg *v = NULL;
  uint32_t count = 0, cap = 0;
  bool ok = !p->e->set;
  while (ok && p->t.kind != end) {
    struct arg a;
    ok = script_parse_argument(p, &a, in_struct);
    if (!ok) break;
    VEC_PUSH(v, count, cap) = a;
    if (p->t.kind == ',') script_next(p);
    else if (p->t.kind != end)
      ok = script_found(p, end == ')' ? "',' or ')' after an argument" : "',' or '}' after a member");
    ok = ok && !p->e->set;
  }
  if (ok) {
    *last = p->t;
    p->nest--;
    script_next(p);
    *n = count;
    *out = script_make(p, count * sizeof *v);
    if (count) memcpy(*out, v, count * sizeof *v);
  }
  free(v);
  return ok && !p->e->set;
}

static bool keep_regs(struct parser *p, const struct launch_file *l, const struct token *at) {
  struct script *s = p->s;
  for (uint32_t k = 0; k < s->nkernel; k++) {
    if (strcmp(s->kernel[k].name, l->kernel) != 0) continue;
    if (!l->regs || s->kernel[k].regs == l->regs) return true;
    if (s->kernel[k].regs)
      return err_at(p->e, p->file, at->line, at->col, "found regs %u, expected regs %u as in line %d for this kernel",
                    l->regs, s->kernel[k].regs, s->kernel[k].line);
    s->kernel[k].regs = l->regs;
    s->kernel[k].line = at->line;
    return true;
  }
  if (s->nkernel == SCRIPT_NAMES)
    return err_at(p->e, p->file, l->line, l->col, "found kernel number %d, expected at most %d", SCRIPT_NAMES + 1,
                  SCRIPT_NAMES);
  VEC_PUSH(s->kernel, s->nkernel, s->capkernel) = (struct kernel_regs){l->kernel, l->regs, at->line};
  return true;
}

static bool script_parse_launch_body(struct parser *p, struct launch_file *l) {
  struct token end, regs = p->t;
  if (!script_is(p, "grid")) return script_found(p, "'grid'");
  script_next(p);
  if (!script_dim(p, l->grid, &l->ngrid)) return false;
  if (!script_is(p, "block")) return script_found(p, "an operator or 'block' (write several dimensions as (x, y, z))");
  script_next(p);
  if (!script_dim(p, l->block, &l->nblock)) return false;
  if (script_is(p, "shared")) {
    l->has_shared = true;
    script_next(p);
    if (!script_expr(p, &l->shared)) return false;
  }
  if (script_is(p, "regs")) {
    uint64_t n = 0;
    script_next(p);
    regs = p->t;
    if (!script_parse_integer(p, 1, 255, "a number of registers from 1 to 255", &n)) return false;
    l->regs = (uint32_t)n;
  }
  if (!keep_regs(p, l, &regs)) return false;
  if (script_is(p, "stride")) {
    l->has_stride = true;
    script_next(p);
    if (!script_expr(p, &l->stride)) return false;
  }
  if (!script_is(p, "args"))
    return script_found(p, l->has_stride ? "an operator or 'args'"
                           : l->regs     ? "'stride' or 'args'"
                           : l->has_shared
                               ? "an operator, 'regs', 'stride' or 'args'"
                               : "an operator, 'shared', 'regs', 'stride' or 'args' (dimensions: (x, y, z))");
  script_next(p);
  if (p->t.kind != '(') return script_found(p, "'('");
  script_next(p);
  /* the launch itself counts as one bracket, so that newlines inside it are white space */
  if (!script_parse_arguments(p, &l->arg, &l->narg, &end, ')', false)) return false;
  l->end_line = end.line;
  l->end_col = end.col;
  return true;
}

static bool script_parse_launch(struct parser *p, struct stmt *s) {
  struct launch_file *l = s->launch = script_make(p, sizeof *l);
  if (p->t.kind != K_NAME) return script_found(p, "the name of a kernel");
  l->kernel = arena_strndup(&p->s->arena, p->t.s, p->t.n);
  l->line = p->t.line;
  l->col = p->t.col;
  l->id = p->s->nlaunch++;
  p->s->launch_sizes |= p->sizes;
  p->nest++;
  script_next(p);
  return script_parse_launch_body(p, l);
}

/* ---- the other statements ---- */

static bool script_parse_let(struct parser *p, struct stmt *s) {
  struct token t = p->t;
  if (t.kind != K_NAME) return script_found(p, "the name of a variable");
  struct name *x = script_known(p, &t);
  if (x && x->kind != NAME_VAR)
    return script_fail(p, &t,
                       x->kind == NAME_COUNTER ? "found '%s', the counter of line %d, expected a variable"
                                               : "found '%s', which line %d defines, expected a variable",
                       t.s, x->line);
  script_next(p);
  if (!script_take(p, '=', "'='") || !script_expr(p, &s->a)) return false;
  x = script_known(p, &t); /* the table may have moved */
  if (!x || p->sizes & ~x->sizes) x = script_define_sized(p, &t, NAME_VAR, T_NONE);
  if (!x) return false;
  s->slot = x->slot;
  return true;
}

static bool script_parse_buffer(struct parser *p, struct stmt *s) {
  struct token t;
  if (!script_parse_new_name(p, &t, "the name of a new buffer") || !script_parse_type(p, &s->type)) return false;
  if (!script_expr(p, &s->a)) return false;
  if (script_is(p, "pad")) {
    script_next(p);
    if (!script_expr(p, &s->b)) return false;
  }
  if (!script_parse_init(p, &s->init)) return false;
  struct name *x = script_define_sized(p, &t, NAME_BUFFER, s->type);
  if (!x) return false;
  s->slot = x->slot;
  s->name_line = t.line;
  s->name_col = t.col;
  return true;
}

static bool script_parse_symbol(struct parser *p, struct stmt *s) {
  struct token t = p->t;
  if (t.kind != K_NAME) return script_found(p, "the name of a symbol in the PTX");
  struct name *x = script_known(p, &t);
  if (x && x->kind != NAME_SYMBOL)
    return script_fail(p, &t, "found '%s', which line %d defines, expected the name of a symbol", t.s, x->line);
  script_next(p);
  struct token type = p->t;
  if (!script_parse_type(p, &s->type)) return false;
  if (x && x->type != s->type)
    return script_fail(p, &type, "found the type '%s', expected that of line %d for this symbol", type.s, x->line);
  if (!list_ends(p, false) && !script_parse_init(p, &s->init)) return false;
  x = script_known(p, &t);
  if (!x || p->sizes & ~x->sizes) x = script_define_sized(p, &t, NAME_SYMBOL, s->type);
  if (!x) return false;
  s->slot = x->slot;
  s->name_line = t.line;
  s->name_col = t.col;
  return true;
}

/* `fill NAME init`: what a buffer or symbol holds, anew. */
static bool script_parse_fill(struct parser *p, struct stmt *s) {
  struct name *x = script_parse_memory_name(p, "the name of a buffer, symbol or array");
  if (!x) return false;
  s->slot = x->slot;
  s->type = x->type;
  return script_parse_init(p, &s->init);
}

/* `copy FROM TO` */
static bool script_parse_copy(struct parser *p, struct stmt *s) {
  struct name *from = script_parse_memory_name(p, "the name of a buffer, symbol or array");
  struct token t = p->t;
  struct name *to = from ? script_parse_memory_name(p, "the name of the buffer, symbol or array to copy into") : NULL;
  if (!to) return false;
  if (from->type != to->type)
    return err_at(p->e, p->file, t.line, t.col, "found one of %s, expected one of %s like the first",
                  dtype_name(to->type), dtype_name(from->type));
  s->slot = from->slot;
  s->slot2 = to->slot;
  s->name_line = t.line;
  s->name_col = t.col;
  return true;
}

static bool script_parse_swap(struct parser *p, struct stmt *s) {
  struct token t[2];
  struct name *x[2];
  for (int k = 0; k < 2; k++) {
    t[k] = p->t;
    x[k] = script_lookup(p);
    if (!x[k] || (x[k]->kind != NAME_BUFFER && x[k]->kind != NAME_TEXTURE && x[k]->kind != NAME_SURFACE))
      return script_found(p, "the name of a buffer, texture or surface");
    if (k && (x[0]->kind != x[1]->kind || x[0]->array != x[1]->array))
      return script_found(p, "the name of the same kind of thing as the first");
    script_next(p);
  }
  if (x[0]->type != x[1]->type)
    return err_at(p->e, p->file, t[1].line, t[1].col, "found one of %s, expected one of %s like the first",
                  dtype_name(x[1]->type), dtype_name(x[0]->type));
  s->slot = x[0]->slot;
  s->slot2 = x[1]->slot;
  return true;
}

static bool script_parse_index(struct parser *p, struct expr *x) {
  if (p->t.kind != '[') return script_found(p, "'['");
  p->nest++;
  script_next(p);
  if (!script_expr(p, x)) return false;
  if (p->t.kind != ']') return script_found(p, "']'");
  p->nest--;
  script_next(p);
  return !p->e->set;
}

static bool script_parse_set(struct parser *p, struct stmt *s) {
  struct name *x = script_parse_memory_name(p, "the name of a buffer, symbol or array");
  if (!x) return false;
  s->slot = x->slot;
  s->type = x->type;
  return script_parse_index(p, &s->a) && script_take(p, '=', "'='") && script_expr(p, &s->b);
}

static bool script_parse_tolerance(struct parser *p, struct stmt *s) {
  bool seen[2] = {false, false};
  for (;;) {
    int abs = script_is(p, "abs");
    if (!abs && !script_is(p, "rel")) return !p->e->set;
    if (seen[abs]) return script_found(p, "each tolerance once");
    seen[abs] = true;
    script_next(p);
    if (p->t.kind != K_INT && p->t.kind != K_FLOAT) return script_found(p, "a number that is not negative");
    *(abs ? &s->abs : &s->rel) = p->t.kind == K_INT ? (double)p->t.i : p->t.f;
    script_next(p);
  }
}

static bool script_parse_hash(struct parser *p, struct stmt *s) {
  struct token t;
  if (!script_word(p, "an FNV-1a hash in hexadecimal", &t)) return false;
  size_t k = t.n > 2 && t.s[0] == '0' && (t.s[1] == 'x' || t.s[1] == 'X') ? 2 : 0;
  bool ok = t.n > k && t.n - k <= 16;
  for (; ok && k < t.n; k++) {
    const int d = char_hex_value(t.s[k]);
    ok = d >= 0;
    s->hash = s->hash << 4 | (uint64_t)(d & 15);
  }
  return ok || script_fail(p, &t, "found '%s', expected a hash of 1 to 16 hexadecimal digits", t.s, 0);
}

static bool script_parse_expect(struct parser *p, struct stmt *s) {
  struct name *x = script_parse_memory_name(p, "the name of a buffer, symbol or array");
  if (!x) return false;
  s->slot = x->slot;
  s->type = x->type;
  if (p->t.kind == '[') {
    s->kind = ST_EXPECT_AT;
    if (!script_parse_index(p, &s->a)) return false;
    if (p->t.kind == '=' || p->t.kind == K_EQ) return script_found(p, "the value alone, as in: expect out[3] 42");
    return script_expr(p, &s->b) && script_parse_tolerance(p, s);
  }
  if (script_is(p, "file")) {
    s->kind = ST_EXPECT_FILE;
    struct token t;
    if (!script_word(p, "a path", &t)) return false;
    s->path = script_path(p, &t);
    s->name_line = t.line;
    s->name_col = t.col;
    return script_parse_tolerance(p, s);
  }
  if (script_is(p, "expr")) {
    s->kind = ST_EXPECT_ALL;
    script_next(p);
    return script_parse_indexed(p, &s->a, &s->slot2) && script_parse_tolerance(p, s);
  }
  if (!script_is(p, "fnv")) return script_found(p, "'[', 'file', 'fnv' or 'expr'");
  s->kind = ST_EXPECT_FNV;
  return script_parse_hash(p, s);
}

static bool script_parse_dump(struct parser *p, struct stmt *s) {
  struct name *x = script_lookup(p);
  if (!script_memory(x)) return script_found(p, "the name of a buffer, symbol or array");
  s->slot = x->slot;
  struct token t;
  if (!script_word(p, "a path", &t)) return false;
  s->path = script_path(p, &t);
  s->name_line = t.line;
  s->name_col = t.col;
  return true;
}

/* `image NAME W H gray|rgb|rgba FILE [range LO HI]` */
static bool script_parse_image(struct parser *p, struct stmt *s) {
  struct name *x = script_parse_memory_name(p, "the name of a buffer, symbol or array");
  if (!x) return false;
  s->slot = x->slot;
  s->image = script_make(p, sizeof *s->image);
  if (!script_expr_item(p, &s->a) || !script_expr_item(p, &s->b)) return false;
  s->image->channels = script_is(p, "gray") ? 1 : script_is(p, "rgb") ? 3 : script_is(p, "rgba") ? 4 : 0;
  if (!s->image->channels) return script_found(p, "'gray', 'rgb' or 'rgba'");
  struct token t;
  if (!script_word(p, "the name of a file", &t)) return false;
  if (memchr(t.s, '/', t.n))
    return script_fail(p, &t, "found '%s', expected the name of a file without a directory", t.s, 0);
  s->path = arena_strndup(&p->s->arena, t.s, t.n);
  s->name_line = t.line;
  s->name_col = t.col;
  if (!script_is(p, "range")) return true;
  s->image->ranged = true;
  script_next(p);
  return script_expr_item(p, &s->image->lo) && script_expr_item(p, &s->image->hi);
}

/* `{ statements }` behind repeat or while. */
static bool script_parse_body(struct parser *p, struct stmt *s) {
  if (p->t.kind != '{') return script_found(p, "'{' on this line");
  if (p->blocks == SCRIPT_BLOCKS) return script_found(p, "at most 32 blocks inside each other");
  script_next(p);
  p->blocks++;
  if (!script_parse_block(p, &s->body)) return false;
  p->blocks--;
  return script_take(p, '}', "'}'");
}

static bool script_parse_repeat(struct parser *p, struct stmt *s) {
  uint32_t outer = p->nname;
  if (!script_expr(p, &s->a)) return false;
  if (script_is(p, "as")) {
    struct token t;
    script_next(p);
    if (!script_parse_new_name(p, &t, "the name of a counter")) return false;
    struct name *x = script_define(p, &t, NAME_COUNTER, T_NONE);
    if (!x) return false;
    s->slot = x->slot;
    s->slot2 = 1; /* has a counter */
  } else if (p->t.kind != '{') {
    return script_found(p, "an operator, 'as' or '{'");
  }
  if (!script_parse_body(p, s)) return false;
  end_names(p, outer);
  return true;
}

static bool script_parse_while(struct parser *p, struct stmt *s) {
  uint32_t outer = p->nname;
  if (!script_expr(p, &s->a)) return false;
  if (!script_is(p, "max")) return script_found(p, "an operator or 'max' and the most rounds allowed");
  script_next(p);
  if (!script_parse_integer(p, 1, UINT32_MAX, "the most rounds allowed, 1 to 4294967295", &s->max) ||
      !script_parse_body(p, s))
    return false;
  end_names(p, outer);
  return true;
}

/* ---- sizes ---- */

/* A list of the file's sizes for a message. */
static const char *size_list(const struct script *s, char *buf, size_t room) {
  size_t n = 0;
  buf[0] = 0;
  for (uint32_t k = 0; k < s->nsize && n < room; k++)
    n += (size_t)snprintf(buf + n, room - n, "%s%s", k ? ", " : "", s->size[k].name);
  return buf;
}

/* `sizes NAME...` */
static bool script_parse_sizes(struct parser *p) {
  struct script *s = p->s;
  if (s->nsize) return script_found(p, "one 'sizes' line only");
  if (p->began) return script_found(p, "'sizes' above all statements, behind 'ptx' and 'seed' alone");
  script_next(p);
  if (p->t.kind != K_NAME) return script_found(p, "the names of the sizes");
  for (; p->t.kind == K_NAME; script_next(p)) {
    if (s->nsize == SCRIPT_SIZES) return script_found(p, "at most 16 sizes");
    if (p->t.n > SCRIPT_SIZE_NAME) return script_found(p, "a size's name of at most 31 characters");
    for (uint32_t k = 0; k < s->nsize; k++)
      if (script_is(p, s->size[k].name)) return script_found(p, "each size once");
    const char *name = arena_strndup(&s->arena, p->t.s, p->t.n);
    s->size[s->nsize++] = (struct size){.name = name, .line = p->t.line, .col = p->t.col};
  }
  p->sizes = p->every = (1u << s->nsize) - 1;
  return !p->e->set;
}

/* `size NAME... { statements }`: only these sizes have them. */
static bool script_parse_size_block(struct parser *p, struct stmt *s) {
  char known[SCRIPT_SIZES * (SCRIPT_SIZE_NAME + 2) + 40] = "one of the sizes of this file: ";
  size_list(p->s, known + strlen(known), sizeof known - strlen(known));
  if (!p->s->nsize) return script_found(p, "a line 'sizes NAME...' above that names the sizes");
  for (; p->t.kind == K_NAME; script_next(p)) {
    uint32_t k = 0;
    while (k < p->s->nsize && !script_is(p, p->s->size[k].name)) k++;
    if (k == p->s->nsize) return script_found(p, known);
    if (s->sizes >> k & 1) return script_found(p, "each size once");
    s->sizes |= 1u << k;
    p->s->size[k].used = true;
  }
  if (!s->sizes) return script_found(p, known);
  if (p->t.kind != '{') return script_found(p, "a size or '{' on this line");
  p->sizes = s->sizes;
  p->in_size = true;
  script_next(p);
  if (!script_parse_block(p, &s->body)) return false;
  p->sizes = p->every;
  p->in_size = false;
  return script_take(p, '}', "'}'");
}

/* At the end of the file. */
static bool sizes_used(struct parser *p) {
  for (uint32_t k = 0; k < p->s->nsize; k++) {
    const struct size *z = &p->s->size[k];
    if (!z->used)
      return err_at(p->e, p->file, z->line, z->col,
                    "found size '%s' without statements, expected 'size %s { ... }' below", z->name, z->name);
  }
  return true;
}

/* ---- statements ---- */

static bool script_is_outermost(const struct parser *p) { return !p->blocks && !p->in_size; }

/* A statement that may not stand in this block. */
static bool script_misplaced(struct parser *p) {
  return script_found(p, p->blocks ? "a statement that may be repeated: this one belongs outside the block"
                                   : "a statement that sizes can differ in: this one belongs outside the block");
}

/* `ptx`, `seed` and `sizes`, the lines that are not statements. */
static bool script_parse_header(struct parser *p, bool *was) {
  bool ptx = script_is(p, "ptx"), seed = script_is(p, "seed");
  struct token t = p->t;
  *was = ptx || seed || script_is(p, "sizes");
  if (!*was) return true;
  if (!script_is_outermost(p)) return script_misplaced(p);
  if (!ptx && !seed) return script_parse_sizes(p);
  if (ptx) {
    if (p->s->ptx) return script_found(p, "one 'ptx' line only");
    if (!script_word(p, "the path of a PTX file", &t)) return false;
    p->s->ptx = script_path(p, &t);
    p->s->ptx_line = t.line;
    p->s->ptx_col = t.col;
    return true;
  }
  if (p->s->seeded) return script_found(p, "one 'seed' line only");
  p->s->seeded = true;
  script_next(p);
  return script_parse_integer(p, 1, UINT64_MAX, "an integer from 1 on", &p->s->seed);
}

static bool no_statement(struct parser *p) {
  return script_found(
      p,
      script_is_outermost(p)
          ? "a statement: ptx, seed, sizes, size, let, buffer, symbol, fill, copy, texture, surface, sampler, launch, "
            "swap, set, repeat, while, expect, dump or image"
      : p->blocks
          ? "a statement: let, symbol, fill, copy, texture, surface, sampler, launch, swap, set, repeat, while, "
            "expect, dump or image, or '}'"
          : "a statement: let, buffer, symbol, fill, copy, texture, surface, sampler, launch, swap, set, repeat, "
            "while, expect, dump or image, or '}'");
}

static bool script_parse_texture(struct parser *p, struct stmt *s) {
  return script_texture_statement(p, s, NAME_TEXTURE);
}
static bool script_parse_surface(struct parser *p, struct stmt *s) {
  return script_texture_statement(p, s, NAME_SURFACE);
}
static bool script_parse_sampler(struct parser *p, struct stmt *s) {
  return script_texture_statement(p, s, NAME_SAMPLER);
}

static bool script_parse_statement(struct parser *p, struct stmt **out) {
  static const struct {
    const char *word;
    int kind;
    bool (*parse)(struct parser *, struct stmt *);
  } table[] = {
      {"let", ST_LET, script_parse_let},
      {"buffer", ST_BUFFER, script_parse_buffer},
      {"symbol", ST_SYMBOL, script_parse_symbol},
      {"launch", ST_LAUNCH, script_parse_launch},
      {"swap", ST_SWAP, script_parse_swap},
      {"set", ST_SET, script_parse_set},
      {"repeat", ST_REPEAT, script_parse_repeat},
      {"while", ST_WHILE, script_parse_while},
      {"expect", ST_EXPECT_AT, script_parse_expect},
      {"dump", ST_DUMP, script_parse_dump},
      {"image", ST_IMAGE, script_parse_image},
      {"copy", ST_COPY, script_parse_copy},
      {"fill", ST_FILL, script_parse_fill},
      {"size", ST_SIZE, script_parse_size_block},
      {"texture", ST_TEXTURE, script_parse_texture},
      {"surface", ST_TEXTURE, script_parse_surface},
      {"sampler", ST_TEXTURE, script_parse_sampler},
  };
  bool was;
  if (!script_parse_header(p, &was)) return false;
  if (was) return true;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    if (!script_is(p, table[k].word)) continue;
    if (table[k].kind == ST_BUFFER ? p->blocks > 0 : table[k].kind == ST_SIZE && !script_is_outermost(p))
      return script_misplaced(p);
    struct stmt *s = script_make(p, sizeof *s);
    s->kind = (uint8_t)table[k].kind;
    s->line = p->t.line;
    s->col = p->t.col;
    *out = s;
    p->began = true;
    script_next(p);
    return !p->e->set && table[k].parse(p, s);
  }
  return no_statement(p);
}

static bool script_parse_block(struct parser *p, struct stmt **first) {
  struct stmt **link = first;
  const bool top = script_is_outermost(p);
  for (;;) {
    while (p->t.kind == K_NEWLINE || p->t.kind == ';') script_next(p);
    if (p->e->set) return false;
    if (p->t.kind == K_EOF || (p->t.kind == '}' && !top)) return true;
    struct stmt *s = NULL;
    if (!script_parse_statement(p, &s)) return false;
    if (s) {
      *link = s;
      link = &s->next;
    }
    bool end = p->t.kind == K_NEWLINE || p->t.kind == ';' || p->t.kind == K_EOF || (p->t.kind == '}' && !top);
    if (!end) return script_found(p, "the end of the line");
  }
}

struct script *script_parse(const char *path, const char *text, size_t n, struct err *e) {
  if (n > SCRIPT_BYTES) {
    err_at(e, path, 0, 0, "found a launch file of more than %d MB, expected a smaller one", SCRIPT_BYTES >> 20);
    return NULL;
  }
  struct script *s = xcalloc(1, sizeof *s);
  s->path = arena_strndup(&s->arena, path, strlen(path));
  struct err local = {0};
  struct parser p = {.file = s->path, .text = text, .end = text + n, .e = &local, .s = s, .every = 1, .sizes = 1};
  script_lex_begin(&p);
  bool ok = script_parse_block(&p, &s->first) && sizes_used(&p);
  if (ok && !s->ptx) ok = script_found(&p, "a line with 'ptx' and the path of a PTX file");
  s->end_line = p.t.line;
  s->end_col = p.t.col;
  s->name = arena_alloc(&s->arena, (p.nname + 1) * sizeof *s->name);
  if (p.nname) memcpy(s->name, p.name, p.nname * sizeof *s->name);
  s->nname = p.nname;
  free(p.name);
  free(p.code);
  if (ok && script_choose(s, "default", e)) return s;
  script_free(s);
  if (!e->set) *e = local;
  return NULL;
}

struct script *script_read(const char *path, struct err *e) {
  size_t n;
  char why[IO_WHY], *text = input_read(path, SCRIPT_BYTES, &n, why);
  if (!text) err_at(e, path, 0, 0, "cannot read: %s", why);
  struct script *s = text ? script_parse(path, text, n, e) : NULL;
  free(text);
  if (s) s->launches = true;
  return s;
}

const char *script_ptx(const struct script *s) { return s->ptx; }

bool script_ptx_unread(const struct script *s, struct err *e) {
  if (e->line) return false; /* about what is in it, and says where */
  struct err at = {0};
  err_at(&at, s->path, s->ptx_line, s->ptx_col, "'%.200s': %s, expected the PTX file that is named here", s->ptx,
         e->text);
  *e = at;
  return false;
}

const char *script_size_name(const struct script *s, unsigned i) { return i < s->nsize ? s->size[i].name : NULL; }
const char *script_size(const struct script *s) { return s->nsize ? s->size[s->chosen].name : ""; }

bool script_has_size(const struct script *s, const char *size) {
  for (uint32_t k = 0; k < s->nsize; k++)
    if (!strcmp(s->size[k].name, size)) return true;
  return false;
}

bool script_choose(struct script *s, const char *size, struct err *e) {
  char known[SCRIPT_SIZES * (SCRIPT_SIZE_NAME + 2)];
  s->chosen = 0;
  for (uint32_t k = 0; k < s->nsize; k++)
    if (!strcmp(s->size[k].name, size)) return s->chosen = k, true;
  return !s->nsize || !strcmp(size, "default") ||
         err_at(e, s->path, s->size[0].line, s->size[0].col, "found no size '%.60s', expected one of this file's: %s",
                size, size_list(s, known, sizeof known));
}

uint32_t script_regs(const struct script *s, const char *kernel) {
  for (uint32_t k = 0; k < s->nkernel; k++)
    if (!strcmp(s->kernel[k].name, kernel)) return s->kernel[k].regs;
  return 0;
}

void script_free(struct script *s) {
  if (!s) return;
  free(s->kernel);
  arena_free(&s->arena);
  free(s);
}

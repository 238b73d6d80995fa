/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

static bool p_taken(struct parser *p, bool ok) {
  if (!ok) p->bad = BAD_SYNTAX;
  return ok;
}

bool p_next(struct parser *p) { return p_taken(p, lex_next(&p->lx, &p->t, p->e)); }

bool p_peek(struct parser *p, struct token *after) {
  struct lexer copy = p->lx;
  return p_taken(p, lex_next(&copy, after, p->e));
}

bool p_at(const struct parser *p, int punct) { return p->t.kind == TK_PUNCT && p->t.punct == punct; }
bool p_at_sign(const struct parser *p) { return p->t.kind == TK_PUNCT && (p->t.punct == '+' || p->t.punct == '-'); }
bool p_at_dot(const struct parser *p, const char *word) { return p->t.kind == TK_DOT && token_is(&p->t, word); }

bool p_accept(struct parser *p, int punct, bool *taken) {
  *taken = p_at(p, punct);
  return *taken ? p_next(p) : true;
}

bool p_found(struct parser *p, const char *expected) {
  char buf[96];
  p->bad = BAD_SYNTAX;
  return err_at(p->e, p->ir->file, p->t.line, p->t.col, "found %s, expected %s", token_show(&p->t, buf, sizeof buf),
                expected);
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

static bool skip_group(struct parser *p, char open, char close, const char *expected) {
  unsigned depth = 0;
  do {
    if (p_at(p, open)) depth++;
    if (p_at(p, close)) depth--;
    if (p->t.kind == TK_END) return p_found(p, expected);
    if (!p_next(p)) return false;
  } while (depth);
  return true;
}

/* t is '(' or '{'. */
static bool p_skip_parens(struct parser *p) { return skip_group(p, '(', ')', "')'"); }
static bool p_skip_braces(struct parser *p) { return skip_group(p, '{', '}', "'}' to end the body of the function"); }

bool p_unsupported(struct parser *p, const struct token *at, const char *fmt, ...) {
  char text[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  p->bad = BAD_UNSUPPORTED;
  return err_at(p->e, p->ir->file, at->line, at->col, "%s", text);
}

bool p_refuse(struct parser *p, struct err **refused) {
  if (p->bad == BAD_SYNTAX) return false;
  if (!*refused) {
    *refused = arena_alloc(p->tmp, sizeof **refused);
    **refused = p->now;
  }
  p->now = (struct err){0};
  p->bad = BAD_WRONG;
  return true;
}

/* ---- functions ---- */

enum { MOST_THREADS = 1024, MOST_Z = 64 }; /* in a CTA */

static bool p_found_value(struct parser *p, const struct token *at, const char *what, uint64_t v,
                          const char *expected) {
  return err_at(p->e, p->ir->file, at->line, at->col, "found %s of %llu, expected %s", what, (unsigned long long)v,
                expected);
}

/* .maxntid and .reqntid: 1 to 1024 threads. */
static bool parse_dims(struct parser *p, const char *name, uint32_t out[3]) {
  struct token first = p->t, at;
  bool comma = true, exact = !strcmp(name, ".reqntid");
  uint64_t all = 1;
  out[0] = out[1] = out[2] = 1;
  for (int k = 0; comma; k++) {
    uint64_t v = 0;
    at = p->t;
    if (k == 3) return p_found(p, "at most three dimensions");
    if (!p_integer(p, UINT32_MAX, &v, "a dimension")) return false;
    if (v < 1 || v > MOST_THREADS) return p_found_value(p, &at, name, v, "1 to 1024 threads");
    if (exact && k == 2 && v > MOST_Z) return p_found_value(p, &at, name, v, "1 to 64 threads in the third dimension");
    if (!p_accept(p, ',', &comma)) return false;
    out[k] = (uint32_t)v;
    all *= v;
  }
  return all <= MOST_THREADS ? true : p_found_value(p, &first, name, all, "1 to 1024 threads in all");
}

bool p_attribute(struct parser *p) {
  if (!p_next(p) || !p_at(p, '(')) return p_found(p, "'(' after '.attribute'");
  return p_skip_parens(p);
}

bool p_pragma(struct parser *p, bool *nounroll) {
  do {
    if (!p_next(p)) return false;
    if (p->t.kind != TK_STR) return p_found(p, "a string after .pragma");
    if (p->t.n == 8 && !memcmp(p->t.s, "nounroll", 8)) *nounroll = true;
    if (!p_next(p)) return false;
  } while (p_at(p, ','));
  return p_expect(p, ';', "after .pragma");
}

enum tuning { MAXNTID, REQNTID, MINNCTAPERSM, MAXNCTAPERSM, MAXNREG, NORETURN, TUNINGS };
static const char *const tuning_name[TUNINGS] = {
    [MAXNTID] = ".maxntid",           [REQNTID] = ".reqntid", [MINNCTAPERSM] = ".minnctapersm",
    [MAXNCTAPERSM] = ".maxnctapersm", [MAXNREG] = ".maxnreg", [NORETURN] = ".noreturn"};

static bool parse_tuning(struct parser *p, struct ir_func *f, unsigned which, unsigned seen) {
  const char *name = tuning_name[which];
  struct token at = p->t;
  uint64_t v = 0;
  if (seen >> which & 1) return err_at(p->e, p->ir->file, at.line, at.col, "found a second '%s', expected one", name);
  if (f->entry == (which == NORETURN))
    return err_at(p->e, p->ir->file, at.line, at.col, "found '%s' at a %s, expected it at a %s only", name,
                  f->entry ? "kernel" : "function", f->entry ? "function" : "kernel");
  if (!p_next(p)) return false;
  if (which == NORETURN) return true;
  if (which <= REQNTID) return parse_dims(p, name, which == MAXNTID ? f->maxntid : f->reqntid);
  at = p->t;
  if (!p_integer(p, 1u << 20, &v, which == MAXNREG ? "a number of registers" : "a number of CTAs")) return false;
  if (!v) return p_found_value(p, &at, name, v, "at least 1");
  if (which == MINNCTAPERSM) f->minctas = (uint32_t)v;
  if (which == MAXNREG) f->maxnreg = (uint32_t)v;
  return true;
}

static bool cluster_directive(struct parser *p) {
  static const char *const names[] = {"reqnctapercluster", "explicitcluster", "maxclusterrank", "blocksareclusters"};
  for (unsigned k = 0; k < 4; k++)
    if (p_at_dot(p, names[k])) return true;
  return false;
}

/* .abi_preserve N and .abi_preserve_control N: of registers that a call keeps. Calls are inlined here. */
static bool abi_preserve(struct parser *p) {
  uint64_t v;
  return p_next(p) && p_integer(p, 1u << 20, &v, "a number of registers");
}

/* Between the parameters and the body. */
static bool parse_performance(struct parser *p, struct ir_func *f) {
  unsigned seen = 0;
  while (p->t.kind == TK_DOT) {
    unsigned k = 0;
    while (k < TUNINGS && !p_at_dot(p, tuning_name[k] + 1)) k++;
    if (k < TUNINGS) {
      if (!parse_tuning(p, f, k, seen)) return false;
      seen |= 1u << k;
    } else if (p_at_dot(p, "pragma")) {
      if (!p_pragma(p, &f->nounroll)) return false;
    } else if (cluster_directive(p)) {
      return p_unsupported(p, &p->t, "found '.%.*s': clusters are not supported", (int)p->t.n, p->t.s);
    } else if (!f->entry && (p_at_dot(p, "abi_preserve") || p_at_dot(p, "abi_preserve_control"))) {
      if (!abi_preserve(p)) return false;
    } else {
      p_found(p, "the body of the function");
      p->bad = BAD_UNSUPPORTED; /* a directive that may come: it concerns this function alone */
      return false;
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
      return err_at(p->e, p->ir->file, v->line, v->col, "found parameters of more than 32764 bytes in kernel '%.60s'",
                    f->name);
  }
  return true;
}

/* An error of the file, not of the function alone. */
static bool file_error(struct parser *p, const struct ir_func *f, const char *fmt, int line) {
  p->bad = BAD_SYNTAX;
  return err_at(p->e, p->ir->file, f->line, f->col, fmt, f->name, line);
}

/* A function may be declared often and defined once; the first declaration's struct stays. */
static bool add_func(struct parser *p, struct ir_func *f, bool has_body) {
  struct bind *old = ir_find(p->ir, f->name, 0);
  if (!old || old->kind != BIND_FUNC) {
    struct bind b = {f->name, 0, BIND_FUNC, T_NONE, 0, f, f->line, f->col};
    p->bad = BAD_SYNTAX;
    return ir_declare(p->ir, &b, p->e);
  }
  struct ir_func *g = old->ptr;
  if (g->defined && has_body)
    return file_error(p, f, "found a second body of '%.60s', expected one; the first is in line %d", g->line);
  if (!f->refused && !g->refused && (g->entry != f->entry || g->nformal != f->nformal || g->nret != f->nret))
    return file_error(p, f, "found '%.60s' declared differently than in line %d", g->line);
  if (!has_body) return true;
  struct ir_func swap = *g; /* calls seen so far point to g */
  *g = *f;
  *f = swap;
  p->f = g;
  return true;
}

/* To the '{' or ';' that ends the head. t: what follows .entry or .func */
static bool parse_function_head(struct parser *p, struct ir_func *f) {
  if (!f->entry && p_at_dot(p, "attribute") && !p_attribute(p)) return false;
  if (!f->entry && p_at(p, '(') && !parse_formals(p, f, true)) return false;
  f->line = p->t.line;
  f->col = p->t.col;
  if (!p_name(p, &f->name, f->entry ? "the name of a kernel" : "the name of a function")) return false;
  if (p_at(p, '(') && !parse_formals(p, f, false)) return false;
  return (!f->entry || kernel_params(p, f)) && parse_performance(p, f);
}

/* The same of a head that cannot be taken: only its name. */
static bool skip_head(struct parser *p, struct ir_func *f) {
  f->name = NULL;
  f->nformal = f->nret = 0;
  while (!p_at(p, '{') && !p_at(p, ';')) {
    if (p->t.kind == TK_END) return p_found(p, "'{' or ';' after the head of a function");
    if (p->t.kind == TK_ID && !f->name) {
      f->name = ir_intern(p->ir, p->t.s, p->t.n);
      f->line = p->t.line;
      f->col = p->t.col;
    }
    if (p_at(p, '(') ? !p_skip_parens(p) : !p_next(p)) return false;
  }
  return f->name ? true : p_found(p, "the name of a function before it");
}

static bool parse_function(struct parser *p, bool entry, bool is_extern) {
  struct ir_func *f = arena_alloc(p->tmp, sizeof *f);
  *f = (struct ir_func){.entry = entry, .is_extern = is_extern};
  VEC_PUSH(p->ir->func, p->ir->nfunc, p->ir->func_cap) = f;
  p->f = f;
  p->nounroll = false;
  p->scope = ir_scope(p->ir, 0);
  if (!p_next(p)) return false;
  struct lexer lx = p->lx;
  struct token t = p->t;
  if (!parse_function_head(p, f)) {
    if (!p_refuse(p, &f->refused)) return false;
    p->lx = lx;
    p->t = t;
    if (!skip_head(p, f)) return false;
  }
  if (!p_at(p, '{') && !p_at(p, ';')) return p_found(p, "'{' or ';' after the head of a function");
  bool has_body = p_at(p, '{');
  if (has_body && is_extern) return p_found(p, "';' after an .extern function");
  if (!add_func(p, f, has_body)) return false;
  p->bad = BAD_WRONG;
  p->f->defined = has_body || p->f->defined;
  bool ok = !has_body ? p_next(p) : p->f->refused ? p_skip_braces(p) : parse_body(p);
  p->f = NULL;
  p->scope = 0;
  return ok;
}

/* ---- the file's level ---- */

struct seen {
  bool version, target, size;
};

/* The versions of PTX: the last minor one of each major one, as far as they are known. */
static bool version_exists(char major, char minor) {
  static const char last[] = "532305899"; /* of 1, 2, ... 9; of the newest whatever may come */
  return major >= '1' && major <= '9' && minor >= '0' && minor <= last[major - '1'];
}

static bool parse_version(struct parser *p) {
  if (!p_next(p)) return false;
  const char *s = p->t.s;
  if (p->t.kind != TK_F64 || p->t.n != 3 || s[1] != '.' || !version_exists(s[0], s[2]))
    return p_found(p, "a PTX version from 1.0 to 9.9");
  return p_next(p);
}

/* sm_10 to sm_90 as they were made; of three digits whatever may come. From 90 on there is sm_90a, too, from
 * 100 on sm_100f. */
static bool known_target(const char *s, size_t n) {
  static const char two[] = "10 11 12 13 20 21 30 32 35 37 50 52 53 60 61 62 70 72 75 80 86 87 88 89 90 ";
  char number[5] = "   ";
  size_t skip = n > 3 && !memcmp(s, "sm_", 3) ? 3 : n > 8 && !memcmp(s, "compute_", 8) ? 8 : 0, k = 0;
  if (!skip) return false;
  for (; k < 4 && skip + k < n && s[skip + k] >= '0' && s[skip + k] <= '9'; k++) number[k] = s[skip + k];
  size_t rest = n - skip - k;
  char suffix = rest ? s[skip + k] : 0;
  if (k == 2 && (rest == 0 || (rest == 1 && suffix == 'a' && number[0] == '9'))) return strstr(two, number) != NULL;
  return k == 3 && number[0] == '1' && (rest == 0 || (rest == 1 && (suffix == 'a' || suffix == 'f')));
}

static bool parse_target(struct parser *p) {
  static const char *const other[] = {"texmode_unified", "texmode_independent", "debug"};
  bool comma = true, sm = false;
  while (comma) {
    bool known = false;
    if (!p_next(p)) return false;
    if (token_is(&p->t, "map_f64_to_f32")) return p_found(p, "a target with 64-bit floating point");
    for (unsigned k = 0; sm && k < sizeof other / sizeof other[0]; k++) known |= token_is(&p->t, other[k]);
    if (sm && token_is(&p->t, "texmode_independent")) p->ir->independent = true;
    if (!known && (p->t.kind != TK_ID || sm || !known_target(p->t.s, p->t.n)))
      return p_found(p, sm ? "texmode_unified, texmode_independent or debug" : "a target such as sm_75");
    sm = true;
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

/* .alias f, g; is not supported: f stays a function without a body, which stops the kernels that call it. */
static bool parse_alias(struct parser *p) {
  const char *name;
  return p_next(p) && p_name(p, &name, "the name of a function") && p_expect(p, ',', "in .alias") &&
         p_name(p, &name, "the name of a function") && p_expect(p, ';', "after .alias");
}

static bool parse_linked(struct parser *p, const struct seen *h) {
  static const struct {
    const char *name;
    enum var_kind kind;
  } spaces[] = {{"global", V_GLOBAL}, {"const", V_CONST}, {"shared", V_SHARED}};
  bool is_extern = p_at_dot(p, "extern");
  if (is_extern || p_at_dot(p, "visible") || p_at_dot(p, "weak") || p_at_dot(p, "common"))
    if (!p_next(p)) return false;
  if (!h->target) return p_found(p, "'.version' and '.target' first");
  if (!h->size) return p_found(p, "'.address_size 64' first: only 64-bit addresses are supported");
  for (unsigned k = 0; k < 3; k++)
    if (p_at_dot(p, spaces[k].name)) return p_next(p) && parse_module_vars(p, spaces[k].kind, is_extern);
  if (p_at_dot(p, "tex")) return parse_module_vars(p, V_GLOBAL, is_extern);
  if (p_at_dot(p, "entry")) return parse_function(p, true, is_extern);
  if (p_at_dot(p, "func")) return parse_function(p, false, is_extern);
  return p_found(p, "a declaration such as .entry, .func, .global, .const or .shared");
}

static bool parse_top(struct parser *p, struct seen *h) {
  uint64_t v = 0;
  if (p->t.kind == TK_PUNCT && p_at(p, ';')) return p_next(p);
  if (p_at(p, '@')) { /* @@DWARF */
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p_at_dot(p, "version")) {
    h->version = true;
    return parse_version(p);
  }
  if (!h->version) return p_found(p, "'.version' first");
  if (p_at_dot(p, "target")) {
    h->target = true;
    return parse_target(p);
  }
  if (p_at_dot(p, "address_size")) {
    struct token at;
    if (!p_next(p)) return false;
    at = p->t;
    if (!p_integer(p, 1000, &v, "an address size")) return false;
    if (v != 64)
      return err_at(p->e, p->ir->file, at.line, at.col, "found address size %llu, expected 64", (unsigned long long)v);
    h->size = true;
    return true;
  }
  if (p_at_dot(p, "file") || p_at_dot(p, "loc")) {
    lex_skip_line(&p->lx);
    return p_next(p);
  }
  if (p_at_dot(p, "section")) return skip_section(p);
  if (p_at_dot(p, "pragma")) return p_pragma(p, &p->ir->nounroll);
  if (p_at_dot(p, "alias")) return parse_alias(p);
  if (p->t.kind != TK_DOT) return p_found(p, "a declaration such as .entry, .func or .global");
  return parse_linked(p, h);
}

static bool whole_file(struct parser *p) {
  struct seen h = {0};
  if (!p_next(p)) return false;
  while (p->t.kind != TK_END)
    if (!parse_top(p, &h)) return false;
  if (p->ir->kernels_optional) return h.version ? true : p_found(p, "'.version'");
  for (uint32_t k = 0; k < p->ir->nfunc; k++)
    if (p->ir->func[k]->entry && p->ir->func[k]->defined) return true;
  return p_found(p, "at least one .entry with a body");
}

bool parse_file(struct ir *ir, const char *text, size_t n, struct err *e) {
  struct parser p = {.ir = ir, .tmp = &ir->arena};
  p.e = &p.now;
  ir_scope(ir, 0);
  lex_init(&p.lx, ir->file, text, n);
  bool ok = whole_file(&p);
  if (!ok && !e->set) *e = p.now;
  return ok;
}

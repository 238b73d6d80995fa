/* SPDX-License-Identifier: Apache-2.0 */
/* The public face: text or file to struct module. Places module variables and resolves addresses in initialisers. */
#include "compiler/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "compiler/ptx/inline.h"
#include "compiler/ptx/lower.h"
#include "compiler/ptx/parse.h"

enum { CONST_BANK = 64 * 1024 };
static const uint64_t MAX_GLOBALS = 512u << 20; /* the rest of the memory below GLOBAL_END is for buffers */
static const size_t MAX_FILE = 256l << 20;

/* Module variables that have an address and a content. */
static bool is_symbol(const struct ir_var *v) {
  return !v->is_extern && !v->refused && (v->kind == V_GLOBAL || v->kind == V_CONST);
}

/* Global variables are aligned and spaced like buffers, so that an access past one of them meets nothing. Their addresses
 * are relative to that of the block; *align: of the block. */
static bool ptx_lay_out(struct ir *ir, struct module *m, uint32_t *align, struct err *e) {
  uint64_t global = 0, bank = 0;
  for (uint32_t k = 0; k < ir->nvar; k++) {
    struct ir_var *v = ir->var[k];
    if (!is_symbol(v)) continue;
    uint64_t *at = v->kind == V_GLOBAL ? &global : &bank, to = v->align;
    if (v->kind == V_GLOBAL && to < 256) to = 256;
    if (v->kind == V_GLOBAL && to > *align) *align = (uint32_t)to;
    *at = (*at + to - 1) & ~(to - 1);
    v->addr = (uint32_t)*at;
    *at += v->size + (v->kind == V_GLOBAL ? 16 : 0);
    if (v->kind == V_CONST ? bank > CONST_BANK : global > MAX_GLOBALS)
      return err_at(e, ir->file, v->line, v->col, "found more than %llu bytes of %s variables",
                    (unsigned long long)(v->kind == V_CONST ? CONST_BANK : MAX_GLOBALS), space_text(v->kind));
    m->nsymbol++;
  }
  m->global_end = (uint32_t)global;
  m->const_bytes = (uint32_t)bank;
  return true;
}

static bool place_variables(struct ir *ir, struct module *m, const struct ptx_place *place, struct err *e) {
  uint32_t align = 256, base = GLOBAL_BASE;
  if (!ptx_lay_out(ir, m, &align, e)) return false;
  if (place && m->global_end) {
    if (!place->global(place->ctx, m->global_end, align, &base))
      return err_at(e, ir->file, 0, 0, "found %u bytes of .global variables, for which there is no room",
                    m->global_end);
    m->global_base = base;
  }
  for (uint32_t k = 0; k < ir->nvar; k++)
    if (is_symbol(ir->var[k]) && ir->var[k]->kind == V_GLOBAL) ir->var[k]->addr += base;
  m->global_end += base;
  return true;
}

/* An initialiser with the address of a variable that is not there: its own variable is not there either. */
static bool refuse_one(struct ir *ir, struct ir_var *v) {
  if (v->refused) return false;
  for (struct ir_patch *x = v->patch; x; x = x->next) {
    if (!x->var->is_extern && !x->var->refused) continue;
    v->refused = arena_alloc(&ir->arena, sizeof *v->refused);
    err_at(v->refused, ir->file, x->line, x->col,
           x->var->is_extern ? "found extern variable '%.60s', which is not defined in this file"
                             : "found variable '%.60s', which is not supported, in an initialiser",
           x->var->name);
    return true;
  }
  return false;
}

static void refuse_variables(struct ir *ir) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < ir->nvar; k++) more |= refuse_one(ir, ir->var[k]);
  }
}

static void ptx_patch_init(struct ir_var *v) {
  for (struct ir_patch *x = v->patch; x; x = x->next) {
    uint64_t a = x->var->addr + (uint64_t)x->add;
    if (x->generic && x->var->kind == V_CONST) a += CONST_WINDOW;
    if (x->mask) a = (a & x->mask) >> bit_low64(x->mask);
    uint8_t *to = (uint8_t *)v->init + x->at; /* ours until the module is handed out */
    for (uint32_t k = 0; k < x->bytes; k++) to[k] = (uint8_t)(a >> 8 * k);
  }
}

/* Those of a kind stand together (compiler/ptx/lower_texture.c): textures, samplers, surfaces. */
static void number_refs(struct ir *ir, struct module *m) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < ir->nvar; k++) n += ir->var[k]->kind == V_REF && !ir->var[k]->is_extern;
  m->texref = arena_alloc(&m->arena, (n + 1) * sizeof *m->texref);
  for (unsigned kind = HANDLE_TEXTURE; kind <= HANDLE_SURFACE; kind++)
    for (uint32_t k = 0; k < ir->nvar; k++) {
      struct ir_var *v = ir->var[k];
      if (v->kind != V_REF || v->is_extern || v->handle != kind) continue;
      v->addr = (uint32_t)handle_of(HANDLE_REF, m->ntexref);
      m->texref[m->ntexref] = *v->ref;
      m->texref[m->ntexref++].name = arena_strndup(&m->arena, v->name, strlen(v->name));
    }
}

static void keep_refusal(struct module *m, const struct ir_var *v) {
  struct refusal *r = arena_alloc(&m->arena, sizeof *r);
  *r = (struct refusal){.next = m->refused_variable, .name = v->name, .why = *v->refused};
  m->refused_variable = r;
}

static bool ptx_make_symbols(struct ir *ir, struct module *m, const struct ptx_place *place, struct err *e) {
  refuse_variables(ir);
  if (!place_variables(ir, m, place, e)) return false;
  number_refs(ir, m);
  m->symbol = arena_alloc(&m->arena, (m->nsymbol + 1) * sizeof *m->symbol);
  m->nsymbol = 0;
  for (uint32_t k = 0; k < ir->nvar; k++) {
    struct ir_var *v = ir->var[k];
    if (v->refused) keep_refusal(m, v);
    if (!is_symbol(v)) continue;
    ptx_patch_init(v);
    m->symbol[m->nsymbol++] = (struct symbol){
        v->name, v->kind == V_GLOBAL ? SP_GLOBAL : SP_CONST, v->type, v->addr, (uint32_t)v->size, v->init};
  }
  return true;
}

static bool ptx_lower_kernel(struct ir *ir, uint32_t index, struct flat_budget *budget, struct module *m,
                             struct err *e) {
  struct ir_func *f = ir->func[index];
  struct flat fl;
  if (f->refused) return *e = *f->refused, false;
  bool ok = flat_build(ir, f, budget, &fl, e) && lower_kernel(ir, &fl, f, index + 1, m, &m->kernel[m->nkernel], e);
  flat_free(&fl);
  return ok;
}

static void ptx_refuse_kernel(struct ir *ir, uint32_t index, struct module *m, const struct err *why) {
  const struct ir_func *f = ir->func[index];
  struct refusal *r = module_refuse(m, f->name, why);
  r->param = lower_formals(m, f, &r->param_bytes);
  r->nparam = f->nformal;
}

/* Those that can be lowered and, apart, those that cannot. */
static void ptx_lower_kernels(struct ir *ir, struct module *m) {
  struct flat_budget budget = {MAX_INSNS, MAX_NAMES};
  uint32_t n = 0;
  for (uint32_t k = 0; k < ir->nfunc; k++) n += ir->func[k]->entry && ir->func[k]->defined;
  m->kernel = arena_alloc(&m->arena, (n + 1) * sizeof *m->kernel);
  for (uint32_t k = 0; k < ir->nfunc; k++) {
    struct err why = {0};
    if (!ir->func[k]->entry || !ir->func[k]->defined) continue;
    if (ptx_lower_kernel(ir, k, &budget, m, &why)) m->nkernel++;
    else ptx_refuse_kernel(ir, k, m, &why);
  }
}

static struct module *ptx_parse_text(const char *path, const char *text, size_t n, const struct ptx_place *place,
                                     struct err *e) {
  struct module *m = xcalloc(1, sizeof *m);
  struct ir ir = {.keep = &m->arena, .kernels_optional = place};
  m->file = ir.file = arena_strndup(&m->arena, path, strlen(path));
  bool ok = parse_file(&ir, text, n, e) && ptx_make_symbols(&ir, m, place, e);
  if (ok) ptx_lower_kernels(&ir, m);
  ir_free(&ir);
  if (ok) return m;
  module_free(m);
  return NULL;
}

struct module *ptx_parse(const char *path, const char *text, size_t n, struct err *e) {
  struct module *m = ptx_parse_text(path, text, n, NULL, e);
  if (!m || m->nkernel) return m;
  module_refused(m, m->refused, e);
  module_free(m);
  return NULL;
}

struct module *ptx_parse_at(const char *path, const char *text, size_t n, const struct ptx_place *place,
                            struct err *e) {
  return ptx_parse_text(path, text, n, place, e);
}

struct module *ptx_load(const char *path, struct err *e) {
  size_t n;
  char why[IO_WHY], *text = input_read(path, MAX_FILE, &n, why);
  if (!text) err_at(e, path, 0, 0, "cannot read: %s", why);
  struct module *m = text ? ptx_parse(path, text, n, e) : NULL;
  free(text);
  return m;
}

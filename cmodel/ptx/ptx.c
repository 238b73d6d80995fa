/* SPDX-License-Identifier: Apache-2.0 */
/* The public face: text or file to struct module. Places module variables and resolves addresses in
 * initialisers. */
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "ptx/inline.h"
#include "ptx/lower.h"
#include "ptx/parse.h"

enum { CONST_BANK = 64 * 1024 };
static const uint64_t MAX_GLOBALS = 512u << 20; /* the rest of the memory below GLOBAL_END is for buffers */
static const size_t MAX_FILE = 256l << 20;

/* Global variables are aligned and spaced like buffers, so that an access past one of them meets nothing. */
static bool place_variables(struct ir *ir, struct module *m, struct err *e) {
  uint64_t global = GLOBAL_BASE, bank = 0;
  for (uint32_t k = 0; k < ir->nvar; k++) {
    struct ir_var *v = ir->var[k];
    if (v->is_extern || (v->kind != V_GLOBAL && v->kind != V_CONST)) continue;
    uint64_t *at = v->kind == V_GLOBAL ? &global : &bank, align = v->align;
    if (v->kind == V_GLOBAL && align < 256) align = 256;
    *at = (*at + align - 1) & ~(align - 1);
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

static bool patch(struct ir *ir, struct ir_var *v, struct err *e) {
  for (struct ir_patch *x = v->patch; x; x = x->next) {
    if (x->var->is_extern)
      return err_at(e, ir->file, x->line, x->col,
                    "found extern variable '%.60s', which is not defined in this file", x->var->name);
    uint64_t a = x->var->addr + (uint64_t)x->add;
    if (x->generic && x->var->kind == V_CONST) a += CONST_WINDOW;
    if (x->mask) a = (a & x->mask) >> bit_low64(x->mask);
    uint8_t *to = (uint8_t *)v->init + x->at; /* ours until the module is handed out */
    for (uint32_t k = 0; k < x->bytes; k++) to[k] = (uint8_t)(a >> 8 * k);
  }
  return true;
}

static bool symbols(struct ir *ir, struct module *m, struct err *e) {
  if (!place_variables(ir, m, e)) return false;
  m->symbol = arena_alloc(&m->arena, (m->nsymbol + 1) * sizeof *m->symbol);
  m->nsymbol = 0;
  for (uint32_t k = 0; k < ir->nvar; k++) {
    struct ir_var *v = ir->var[k];
    if (v->is_extern || (v->kind != V_GLOBAL && v->kind != V_CONST)) continue;
    if (!patch(ir, v, e)) return false;
    m->symbol[m->nsymbol++] = (struct symbol){
        v->name, v->kind == V_GLOBAL ? SP_GLOBAL : SP_CONST, v->type, v->addr, (uint32_t)v->size, v->init};
  }
  return true;
}

static bool kernels(struct ir *ir, struct module *m, struct err *e) {
  struct flat_budget budget = {MAX_INSNS, MAX_NAMES};
  uint32_t n = 0;
  for (uint32_t k = 0; k < ir->nfunc; k++) n += ir->func[k]->entry && ir->func[k]->defined;
  m->kernel = arena_alloc(&m->arena, (n + 1) * sizeof *m->kernel);
  for (uint32_t k = 0; k < ir->nfunc; k++) {
    struct ir_func *f = ir->func[k];
    if (!f->entry || !f->defined) continue;
    struct flat fl;
    bool ok = flat_build(ir, f, &budget, &fl, e) &&
              lower_kernel(ir, &fl, f, m->nkernel + 1, m, &m->kernel[m->nkernel], e);
    flat_free(&fl);
    if (!ok) return false;
    m->nkernel++;
  }
  return true;
}

struct module *ptx_parse(const char *path, const char *text, size_t n, struct err *e) {
  struct module *m = xcalloc(1, sizeof *m);
  struct ir ir = {.keep = &m->arena};
  m->file = ir.file = arena_strndup(&m->arena, path, strlen(path));
  bool ok = parse_file(&ir, text, n, e) && symbols(&ir, m, e) && kernels(&ir, m, e);
  ir_free(&ir);
  if (ok) return m;
  module_free(m);
  return NULL;
}

struct module *ptx_load(const char *path, struct err *e) {
  size_t n;
  char why[IO_WHY], *text = input_read(path, MAX_FILE, &n, why);
  if (!text) err_at(e, path, 0, 0, "cannot read: %s", why);
  struct module *m = text ? ptx_parse(path, text, n, e) : NULL;
  free(text);
  return m;
}

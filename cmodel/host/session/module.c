/* SPDX-License-Identifier: Apache-2.0 */
/* module: PTX loaded into a session: its variables, its constant bank, its kernels by name. */
#include <stdlib.h>
#include <string.h>

#include "host/session/session.h"
#include "compiler/ptx/ptx.h"
#include "lab/run/compile.h"

/* Kernels and refusals, each in the order of the file, become one list in that order, as far as an error's place shows it. */
static void module_list_kernels(struct device_module *x) {
  const struct refusal *r;
  const struct module *m = x->m;
  unsigned all = m->nkernel;
  for (r = m->refused; r; r = r->next) all++;
  x->kernel = xcalloc(all + 1u, sizeof *x->kernel);
  r = m->refused;
  for (uint32_t k = 0; x->kernels < all;) {
    struct device_kernel *to = &x->kernel[x->kernels++];
    if (!r || (k < m->nkernel && (int64_t)m->kernel[k].line < r->why.line)) {
      *to = (struct device_kernel){.of = x, .name = m->kernel[k].name, .code = &m->kernel[k]};
      k++;
    } else {
      *to = (struct device_kernel){.of = x, .name = r->name, .state = KERNEL_REFUSED, .why = r->why};
      r = r->next;
    }
  }
}

struct room {
  struct device *d;
  bool none; /* there was no room for the variables */
};

static bool module_place(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  struct room *r = ctx;
  *base = memory_block(r->d->mem, bytes, align);
  r->none = !*base;
  return *base != 0;
}

enum device_status device_load(struct device *d, const char *name, const char *ptx, size_t n,
                               struct device_module **out, struct err *e) {
  struct room room = {.d = d};
  const struct ptx_place at = {module_place, &room};
  *out = NULL;
  struct module *m = ptx_parse_at(name, ptx, n, &at, e);
  if (!m) return room.none ? DEVICE_NO_MEMORY : DEVICE_BAD_PTX;
  m->schedule = schedule_of(&d->cfg);
  m->code_before = d->code_end;
  struct device_module *x = xcalloc(1, sizeof *x);
  *x = (struct device_module){.d = d, .next = d->module, .m = m, .bank = bank_new(m)};
  memory_module(d->mem, m);
  refs_begin(x);
  module_list_kernels(x);
  for (uint32_t k = 0; k < m->nkernel; k++) d->code_end += (m->kernel[k].n + 15) & ~15u;
  *out = d->module = x;
  return DEVICE_OK;
}

void device_unload(struct device_module *m) {
  if (!m) return;
  struct device_module **at = &m->d->module;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  for (unsigned i = 0; i < m->kernels; i++) fit_free(&m->kernel[i]);
  free(m->kernel);
  memory_drop_module(m->d->mem, m->m);
  refs_end(m);
  bank_free(m->bank);
  module_free(m->m);
  free(m);
}

bool device_find_variable(const struct device_module *m, const char *name, struct device_variable *out) {
  for (uint32_t i = 0; i < m->m->nsymbol; i++) {
    const struct symbol *s = &m->m->symbol[i];
    if (strcmp(s->name, name) != 0) continue;
    *out = (struct device_variable){s->name, s->space == SP_CONST, s->addr, s->size};
    return true;
  }
  return false;
}

const struct err *device_variable_refused(const struct device_module *m, const char *name) {
  for (const struct refusal *r = m->m->refused_variable; r; r = r->next)
    if (!strcmp(r->name, name)) return &r->why;
  return NULL;
}

uint8_t *device_constant(struct device_module *m, uint32_t offset, uint32_t bytes) {
  return bank_at(m->bank, offset, bytes);
}

enum device_status device_constant_add(struct device_module *m, uint32_t bytes, uint32_t *offset, struct err *e) {
  if (bank_add(m->bank, "constant argument", bytes, 16, offset)) return DEVICE_OK;
  err_at(
      e, m->m->file, 0, 0,
      "found %u bytes of constant memory beside the %u of the module's variables and of other arguments, expected at "
      "most 65536 in all",
      bytes, m->m->const_bytes);
  return DEVICE_NO_MEMORY;
}

void device_constant_reset(struct device_module *m) { bank_reset(m->bank); }

struct device_kernel *device_find_kernel(struct device_module *m, const char *name) {
  for (unsigned i = 0; i < m->kernels; i++)
    if (!strcmp(m->kernel[i].name, name)) return &m->kernel[i];
  return NULL;
}

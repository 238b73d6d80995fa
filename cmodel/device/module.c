/* SPDX-License-Identifier: Apache-2.0 */
/* module: PTX loaded into a session: its variables, its constant bank, its kernels by name. */
#include <stdlib.h>
#include <string.h>

#include "device/session.h"
#include "ptx/ptx.h"
#include "run/compile.h"

enum { BANK_BYTES = 65536 };

/* Kernels and refusals, each in the order of the file, become one list. */
static void list_kernels(struct device_module *x) {
  const struct refusal *r = x->m->refused;
  unsigned refused = 0;
  for (; r; r = r->next) refused++;
  x->kernel = xcalloc(x->m->nkernel + refused + 1u, sizeof *x->kernel);
  for (uint32_t k = 0; k < x->m->nkernel; k++)
    x->kernel[x->kernels++] = (struct device_kernel){.of = x, .name = x->m->kernel[k].name, .code = &x->m->kernel[k]};
  for (r = x->m->refused; r; r = r->next) {
    struct device_kernel *k = &x->kernel[x->kernels++];
    *k = (struct device_kernel){.of = x, .name = r->name, .state = KERNEL_REFUSED, .why = r->why};
  }
}

static void constants(struct device_module *x) {
  x->constant_end = (x->m->const_bytes + 15) & ~15u;
  for (uint32_t i = 0; i < x->m->nsymbol; i++) {
    const struct symbol *s = &x->m->symbol[i];
    if (s->space == SP_CONST && s->init) memcpy(memory_const(x->d->mem) + s->addr, s->init, s->size);
  }
}

enum device_status device_load(struct device *d, const char *name, const char *ptx, size_t n,
                               struct device_module **out, struct err *e) {
  *out = NULL;
  struct module *m = ptx_parse(name, ptx, n, e);
  if (!m) return DEVICE_BAD_PTX;
  m->schedule = schedule_of(&d->cfg);
  struct device_module *x = xcalloc(1, sizeof *x);
  *x = (struct device_module){.d = d, .next = d->module, .m = m, .code_at = d->code_end};
  list_kernels(x);
  constants(x);
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

uint8_t *device_constant(struct device_module *m, uint32_t offset, uint32_t bytes) {
  return offset <= BANK_BYTES && bytes <= BANK_BYTES - offset ? memory_const(m->d->mem) + offset : NULL;
}

enum device_status device_constant_add(struct device_module *m, uint32_t bytes, uint32_t *offset, struct err *e) {
  const uint32_t at = m->constant_end + m->constant_added;
  if (at > BANK_BYTES || bytes > BANK_BYTES - at)
    return err_at(e, m->m->file, 0, 0, "found %u bytes of constant memory beside %u in use, expected at most %d in all",
                  bytes, at, BANK_BYTES),
           DEVICE_NO_MEMORY;
  memset(memory_const(m->d->mem) + at, 0, bytes);
  m->constant_added += (bytes + 15) & ~15u;
  *offset = at;
  return DEVICE_OK;
}

void device_constant_reset(struct device_module *m) { m->constant_added = 0; }

struct device_kernel *device_find_kernel(struct device_module *m, const char *name) {
  for (unsigned i = 0; i < m->kernels; i++)
    if (!strcmp(m->kernel[i].name, name)) return &m->kernel[i];
  return NULL;
}

struct device_kernel *device_kernel_at(struct device_module *m, unsigned i) {
  return i < m->kernels ? &m->kernel[i] : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kernel: a kernel is compiled when it is first asked about or launched; what is known of it then. */
#include <string.h>

#include "host/session/session.h"
#include "compiler/narrow/packing.h"
#include "compiler/regalloc/regalloc.h"

static bool device_kernel_compile(struct device_kernel *k, struct err *e) {
  struct device *d = k->of->d;
  const struct config *c = &d->cfg;
  if (c->compile_narrow == compile_narrow_none) return alloc_kernel(k->of->m, k->code, 0, e);
  note_once(
      "compile.narrow: of a host program nothing is known of launches before they are made, and floats keep 32 bits");
  const struct narrowing how = {.ints = c->compile_narrow != compile_narrow_float, .split = c->compile_split};
  return pack_kernel(k->of->m, k->code, &how, e);
}

bool kernel_ready(struct device_kernel *k, struct err *e) {
  if (k->state == KERNEL_NEW) k->state = device_kernel_compile(k, &k->why) ? KERNEL_READY : KERNEL_REFUSED;
  if (k->state == KERNEL_READY) return true;
  *e = k->why;
  return false;
}

static uint32_t module_constant_bytes(const struct device_module *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->m->nsymbol; i++)
    if (m->m->symbol[i].space == SP_CONST) n += m->m->symbol[i].size;
  return n;
}

/* The largest block, of whole warps, that an SM holds. */
static uint32_t most_threads(struct device_kernel *k) {
  const struct code *c = k->code;
  uint64_t most = THREADS_MAX;
  if (c->reqntid[0]) return c->reqntid[0] * (c->reqntid[1] ? c->reqntid[1] : 1) * (c->reqntid[2] ? c->reqntid[2] : 1);
  if (c->maxntid[0]) {
    uint64_t n = 1;
    for (unsigned i = 0; i < 3; i++) n *= c->maxntid[i] ? c->maxntid[i] : 1;
    if (n < most) most = n;
  }
  struct err none = {0};
  while (most > 32 && !fit_ctas(k, (uint32_t)most, 0, &none)) most = (most - 1) / 32 * 32;
  return (uint32_t)most;
}

enum device_status device_kernel_about(struct device_kernel *k, struct device_about *out, struct err *e) {
  const struct code *c = k->code;
  *out = (struct device_about){.name = k->name};
  if (c) {
    out->param = c->param;
    out->nparam = c->nparam;
    out->param_bytes = c->param_bytes;
  }
  out->refused = !kernel_ready(k, e);
  if (out->refused || !c) return DEVICE_REFUSED;
  out->regs = c->nreg;
  out->shared_bytes = c->shared_bytes;
  out->local_bytes = c->local_bytes;
  out->constant_bytes = module_constant_bytes(k->of);
  memcpy(out->reqntid, c->reqntid, sizeof out->reqntid);
  out->max_threads = most_threads(k);
  return DEVICE_OK;
}

unsigned device_occupancy(struct device_kernel *k, uint32_t threads, uint32_t shared_dyn) {
  struct err none = {0};
  return kernel_ready(k, &none) ? fit_ctas(k, threads, shared_dyn, &none) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* shape: see shape.h. */
#include "lab/shape.h"

#include <stdio.h>
#include <string.h>

bool kernel_shape(const char *name, const char *entry, struct kernel_shape *s, struct err *e) {
  struct workload w;
  struct launch_shape at;
  memset(s, 0, sizeof *s);
  if (!workload_open(name, "default", &w, e)) return false;
  if (!entry) entry = script_kernel(w.script, 0);
  snprintf(s->entry, sizeof s->entry, "%s", entry ? entry : "");
  const struct code *c = module_kernel(w.module, s->entry);
  bool ok = c && script_shape(w.script, w.module, s->entry, &at, e);
  if (ok) {
    uint32_t threads = at.block[0] * at.block[1] * at.block[2];
    memcpy(s->block, at.block, sizeof s->block);
    s->regs = c->nreg;
    s->need.warps = (threads + 31) / 32;
    /* the dynamic part starts at a multiple of 16 */
    s->need.shared = at.shared_dyn ? ((c->shared_bytes + 15) & ~15u) + at.shared_dyn : c->shared_bytes;
  } else {
    err_at(e, w.path, 0, 0, "found no launch of '%.100s', the entry that the manifest names, expected one", s->entry);
  }
  workload_close(&w);
  return ok;
}

bool kernel_fit(const struct kernel_shape *s, const char *machine, struct cta_fit *f, struct err *e) {
  struct config c;
  config_defaults(&c);
  if (!config_machine(&c, machine, e)) return false;
  struct cta_need need = s->need;
  need.warp_regs = warp_registers(&c, s->regs);
  *f = cta_fit(&c, &need);
  return true;
}

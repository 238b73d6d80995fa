/* SPDX-License-Identifier: Apache-2.0 */
/* code: look-up of kernels by name, freeing of a module, and the registers that an instruction reads and writes. */
#include "compiler/ir/code.h"

#include <stdlib.h>
#include <string.h>

struct code *module_kernel(struct module *m, const char *name) {
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (strcmp(m->kernel[i].name, name) == 0) return &m->kernel[i];
  return NULL;
}

void module_free(struct module *m) {
  if (!m) return;
  arena_free(&m->arena);
  free(m);
}

unsigned insn_reads(const struct insn *i, const struct opnd *out[INSN_SRC + 1]) {
  unsigned n = 0;
  if (i->guard.kind == O_PRED) out[n++] = &i->guard;
  for (unsigned k = 0; k < i->nsrc; k++)
    if (opnd_is_register(&i->src[k])) out[n++] = &i->src[k];
  return n;
}

unsigned insn_writes(const struct insn *i, const struct opnd *out[INSN_DST]) {
  unsigned n = 0;
  for (unsigned k = 0; k < i->ndst; k++)
    if (opnd_is_register(&i->dst[k])) out[n++] = &i->dst[k];
  return n;
}

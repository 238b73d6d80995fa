/* SPDX-License-Identifier: Apache-2.0 */
/* about: properties of a parsed launch file, for reports; its kernels by the names that the module has.
 */
#include <string.h>

#include "launch/script.h"

uint64_t script_seed(const struct script *s) { return s->seeded && s->seed ? s->seed : 1; }

const char *script_kernel(const struct script *s, unsigned i) { return i < s->nkernel ? s->kernel[i].name : NULL; }

/* The kernel `old` is another spelling of `k`: one of them stays, with what either says of registers. */
static bool kernel_regs_merge(const struct script *s, struct kernel_regs *old, const struct kernel_regs *k,
                              struct err *e) {
  if (old->regs && k->regs && old->regs != k->regs)
    return err_at(e, s->path, k->line, 0, "found regs %u, expected regs %u as in line %d for this kernel", k->regs,
                  old->regs, old->line);
  if (k->regs) old->regs = k->regs, old->line = k->line;
  return true;
}

bool script_resolve(struct script *s, struct module *m, struct err *e) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->nkernel; k++) {
    struct kernel_regs now = s->kernel[k];
    struct err later = {0}; /* of a name that is none the launch statement says so, with its place */
    const struct code *c = module_find(m, now.name, NULL, 0, 0, &later);
    if (c) now.name = arena_strndup(&s->arena, c->name, strlen(c->name));
    uint32_t j = 0;
    while (j < n && strcmp(s->kernel[j].name, now.name) != 0) j++;
    if (j == n) s->kernel[n++] = now;
    else if (!kernel_regs_merge(s, &s->kernel[j], &now, e)) return false;
  }
  s->nkernel = n;
  return true;
}

static bool files_of(const struct stmt *list, bool (*each)(void *ctx, const char *path), void *ctx) {
  for (const struct stmt *x = list; x; x = x->next) {
    if (x->init && x->init->kind == INIT_FILE && !each(ctx, x->init->path)) return false;
    if (x->texture && x->texture->png && !each(ctx, x->texture->png)) return false;
    if (x->kind == ST_EXPECT_FILE && !each(ctx, x->path)) return false;
    if (!files_of(x->body, each, ctx)) return false; /* at most SCRIPT_BLOCKS deep */
  }
  return true;
}

bool script_files(const struct script *s, bool (*each)(void *ctx, const char *path), void *ctx) {
  return files_of(s->first, each, ctx);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* plan: see plan.h. */
#include "lab/plan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lab/about.h"

/* "a.b=1:c.d=2", each as --set takes it. */
static bool own_settings(struct config *c, const char *list, int arg, struct err *e) {
  while (*list) {
    char one[128];
    size_t n = strcspn(list, ":");
    snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), list);
    if (!config_set(c, one, arg, e)) return false;
    list += n + (list[n] == ':');
  }
  return true;
}

bool settings_apply(const struct settings *s, const char *system, const char *own, struct config *c,
                    struct err *e) {
  config_defaults(c);
  if (!config_machine(c, s->machine, e) || !config_system(c, system, e)) return false;
  if (!own_settings(c, own, s->system_arg, e)) return false;
  for (unsigned i = 0; i < s->nset; i++)
    if (!config_set(c, s->set[i], s->set_arg[i], e)) return false;
  return config_check(c, e);
}

const struct plan_info plan_infos[] = {
#define UNIFIED(name, base, text) {PLAN_UNIFIED, name, base, text},
#include "lab/plan.def"
#undef UNIFIED
};
const unsigned plan_ninfos = sizeof plan_infos / sizeof *plan_infos;

bool plan_find(struct plan *p, const char *name, const struct settings *s, struct err *e) {
  char system[1024];
  const struct plan_info *info = NULL;
  size_t n = strcspn(name, ":");
  memset(p, 0, sizeof *p);
  snprintf(system, sizeof system, "%.*s", (int)(n < sizeof system ? n : sizeof system - 1), name);
  for (unsigned i = 0; i < plan_ninfos; i++)
    if (!strcasecmp(plan_infos[i].name, system)) info = &plan_infos[i];
  if (!settings_apply(s, info ? info->base : system, name[n] ? name + n + 1 : "", &p->cfg, e)) return false;
  p->kind = info ? info->kind : PLAN_ONE;
  if (info) snprintf(p->cfg.system, sizeof p->cfg.system, "%s", info->name);
  snprintf(p->label, sizeof p->label, "%s%s", p->cfg.system, name + n);
  return true;
}

/* ---- what depends on the kernel ---- */

bool plan_kernel(const char *name, const char *size, struct plan_kernel *k, struct err *e) {
  struct workload w;
  struct arena arena = {0};
  struct about about;
  bool there = false;
  memset(k, 0, sizeof *k);
  if (!workload_open(name, size, &w, e)) return false;
  bool ok = about_beside(&about, &arena, w.path, &there, e);
  const char *entry = there ? about.entry : script_kernel(w.script, 0);
  ok = ok && shape_of(&w, entry, &k->shape[k->n++], e);
  const char *other;
  for (unsigned i = 0; ok && (other = script_kernel(w.script, i)); i++) {
    if (!strcmp(other, k->shape[0].entry)) continue;
    if (k->n == PLAN_SHAPES)
      ok = err_at(e, w.path, 0, 0, "found launches of more than %d kernels, expected fewer", PLAN_SHAPES);
    else ok = shape_of(&w, other, &k->shape[k->n++], e);
  }
  arena_free(&arena);
  workload_close(&w);
  return ok;
}

static int64_t up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

struct unified { /* bytes: of shared memory, and of registers in the pool, for as many CTAs as fit */
  int64_t ctas, shared, regs;
};

/* Of one kernel: as many CTAs as the SM's other limits allow and the pool holds. */
static struct unified unify(const struct kernel_shape *s, const struct config *c, int64_t fixed,
                            int64_t pool) {
  struct config room = *c; /* limits that are not memory */
  struct cta_need need = s->need;
  room.rf_bytes = room.shared_bytes = INT64_MAX / 2;
  need.warp_regs = warp_registers(c, s->regs);
  int64_t shared = up(need.shared, c->shared_alloc), regs = (int64_t)need.warps * need.warp_regs * 128;
  struct unified u = {.ctas = cta_fit(&room, &need).ctas};
  for (; u.ctas; u.ctas--) {
    u.shared = u.ctas * shared;
    u.regs = u.ctas * regs > fixed ? up(u.ctas * regs - fixed, c->rf_banks * 128) : 0;
    if (u.shared + u.regs <= pool) break;
  }
  return u;
}

/* The memory is divided once for a file: for what its kernels want most, each by itself, or, if that is more
 * than there is, for the entry, so that one CTA of each other kernel fits. */
static bool unified(const struct plan *p, const struct plan_kernel *k, struct config *c, struct err *e) {
  const int64_t fixed = c->rf_bytes / 2, pool = c->rf_bytes - fixed + c->shared_bytes + c->l1_bytes;
  struct unified most = {0}, entry = unify(&k->shape[0], c, fixed, pool);
  for (unsigned i = 0; i < k->n; i++) {
    struct unified u = unify(&k->shape[i], c, fixed, pool);
    if (!u.ctas)
      return err_at(e, NULL, 0, 0, "kernel '%.100s': one CTA needs more memory than the %lld bytes of %s",
                    k->shape[i].entry, (long long)fixed + pool, p->label);
    if (u.shared > most.shared) most.shared = u.shared;
    if (u.regs > most.regs) most.regs = u.regs;
    if (i && u.shared / u.ctas > entry.shared) entry.shared = u.shared / u.ctas;
  }
  if (most.shared + most.regs > pool) most = entry;
  c->shared_bytes = most.shared;
  c->rf_bytes = fixed + most.regs;
  c->l1_bytes = (pool - most.shared - most.regs) / (c->l1_ways * 128) * (c->l1_ways * 128);
  return config_check(c, e);
}

bool plan_config(const struct plan *p, const struct plan_kernel *k, struct config *out, struct err *e) {
  *out = p->cfg;
  return p->kind == PLAN_ONE || unified(p, k, out, e);
}

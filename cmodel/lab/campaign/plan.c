/* SPDX-License-Identifier: Apache-2.0 */
/* plan: see plan.h. */
#include "lab/campaign/plan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/similar.h"
#include "sm/slots.h"
#include "lab/run/compile.h"
#include "lab/run/trace.h"
#include "lab/kernels/suite/about.h"

/* "a.b=1:c.d=2", each as --set takes it. */
static bool settings_set_own(struct config *c, const char *list, int arg, struct err *e) {
  while (*list) {
    char one[128];
    size_t n = strcspn(list, ":");
    snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), list);
    if (!config_set(c, one, arg, e)) return false;
    list += n + (list[n] == ':');
  }
  return true;
}

const struct plan_info plan_infos[] = {
#define PLAN(plan_name, plan_base, plan_kind, plan_text, ...) \
  {.kind = PLAN_##plan_kind, .name = plan_name, .base = plan_base, .text = plan_text, __VA_ARGS__},
#include "gen/systems/plans.def"
};
const unsigned plan_ninfos = sizeof plan_infos / sizeof *plan_infos;

static const struct plan_info *plan_named(const char *system) {
  const struct plan_info *info = NULL;
  for (unsigned i = 0; i < plan_ninfos; i++)
    if (!strcasecmp(plan_infos[i].name, system)) info = &plan_infos[i];
  return info;
}

static bool settings_load(const struct settings *s, const char *system, const char *own, struct config *c,
                          struct err *e) {
  const struct plan_info *info = plan_named(system);
  if (info)
    return err_at(e, NULL, 0, 0,
                  "found system '%s', whose settings depend on the kernel, expected it with compare or experiment; its "
                  "base is '%s'",
                  info->name, info->base);
  return config_load(c, s->machine, system, e) && settings_set_own(c, own, s->system_arg, e);
}

bool settings_apply(const struct settings *s, const char *system, const char *own, struct config *c, struct err *e) {
  if (!settings_load(s, system, own, c, e)) return false;
  for (unsigned i = 0; i < s->nset; i++)
    if (!config_set(c, s->set[i], s->set_arg[i], e)) return false;
  if (s->all_sms && c->gpu_sms > GPU_SMS)
    return err_at(e, NULL, 0, 0, "--sms all: found gpu.sms %lld, expected at most %d: no more SMs are simulated",
                  (long long)c->gpu_sms, GPU_SMS);
  if (s->all_sms) c->sim_sms = c->gpu_sms;
  return config_check(c, e) || machines_advised(c, e);
}

/* Unknown, and similar to a preset or a PLAN line: says so. config_load reports all others. */
static bool plan_check_name(const char *system, struct err *e) {
  struct similar s;
  char near[400];
  if (config_has_system(system)) return true;
  similar_begin(&s, system);
  for (const struct config_name *n = config_systems(); n->name; n++) similar_offer(&s, n->name);
  for (unsigned i = 0; i < plan_ninfos; i++) similar_offer(&s, plan_infos[i].name);
  similar_ask(&s, near, sizeof near);
  return !near[0] || err_at(e, NULL, 0, 0, "found unknown system '%.60s'%s", system, near);
}

/* A name's parts: the system, what it carries; the PLAN line that it is, or NULL. */
static const struct plan_info *plan_split_name(const char *name, char system[1024], const char **own) {
  const size_t n = strcspn(name, ":");
  *own = name[n] ? name + n + 1 : "";
  snprintf(system, 1024, "%.*s", (int)(n < 1024 ? n : 1023), name);
  return plan_named(system);
}

bool plan_known(const char *name, const char *machine, struct err *e) {
  char system[1024];
  const char *own;
  struct config c;
  const struct settings s = {.machine = machine};
  const struct plan_info *info = plan_split_name(name, system, &own);
  if (!info && !plan_check_name(system, e)) return false;
  return settings_load(&s, info ? info->base : system, own, &c, e);
}

bool plan_find(struct plan *p, const char *name, const struct settings *s, struct err *e) {
  char system[1024];
  const char *own;
  memset(p, 0, sizeof *p);
  const struct plan_info *info = p->info = plan_split_name(name, system, &own);
  if (!info && !plan_check_name(system, e)) return false;
  if (!settings_apply(s, info ? info->base : system, own, &p->cfg, e)) return false;
  if (info && plan_follows(p) && !settings_apply(s, info->other, own, &p->other, e)) return false;
  if (info) snprintf(p->cfg.system, sizeof p->cfg.system, "%s", info->name);
  snprintf(p->label, sizeof p->label, "%s%s", p->cfg.system, name + strlen(system));
  return true;
}

/* ---- settings that depend on the kernel ---- */

bool plan_kernel(const char *name, const char *size, const struct config *cfg, struct plan_kernel *k, struct err *e) {
  struct workload w;
  struct arena arena = {0};
  struct about about;
  bool there = false;
  memset(k, 0, sizeof *k);
  if (!workload_find(name, &w, e)) return false;
  const bool trace = w.is_trace;
  if (trace ? !workload_compile(name, size, cfg, 0, &w, e) : !workload_read(name, size, &w, e)) return false;
  w.module->schedule = schedule_of(cfg);
  bool ok = trace || (workload_alloc(&w, false, e) && about_beside(&about, &arena, w.path, &there, e));
  const char *entry = there ? about.entry : w.entry[0] ? w.entry : workload_kernel(&w, 0);
  ok = ok && shape_of_workload(&w, entry, &k->shape[k->n++], e);
  const char *other;
  for (unsigned i = 0; ok && (other = workload_kernel(&w, i)); i++) {
    if (!strcmp(other, k->shape[0].entry)) continue;
    if (k->n == PLAN_SHAPES)
      ok = err_at(e, w.path, 0, 0, "found launches of more than %d kernels, expected fewer", PLAN_SHAPES);
    else ok = shape_of_workload(&w, other, &k->shape[k->n++], e);
  }
  arena_free(&arena);
  workload_close(&w);
  return ok;
}

static int64_t plan_round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

static bool plan_point_assign(struct plan_point *x, const char *key, int64_t value, struct err *e) {
  char one[96];
  size_t n = strlen(x->what);
  snprintf(one, sizeof one, "%s=%lld", key, (long long)value);
  snprintf(x->what + n, sizeof x->what - n, "%s%s", n ? " " : "", one);
  return config_set(&x->cfg, one, 0, e);
}

static unsigned plan_points_sweep(const struct plan *p, const struct plan_kernel *k, struct plan_point *out,
                                  struct err *e) {
  const struct plan_info *i = p->info;
  unsigned n = 0;
  int64_t before = -1;
  for (int v = i->first; v <= i->last; v += i->step) {
    int64_t value = i->kind == PLAN_SWEEP ? v : v == 100 ? 0 : (k->shape[0].regs * (int64_t)v + 99) / 100;
    if (value == before) continue; /* of few registers two shares are the same number */
    before = value;
    for (int w = i->also_first; w <= i->also_last && n < PLAN_POINTS; w += i->also_step) {
      struct plan_point *x = &out[n++];
      x->cfg = p->cfg;
      if (!plan_point_assign(x, i->key, value, e) || (i->also && !plan_point_assign(x, i->also, w, e)) ||
          !config_check(&x->cfg, e))
        return 0;
      if (!value || !i->also) break;
    }
  }
  return n;
}

struct unified { /* bytes: of shared memory, and of registers in the pool, for as many CTAs as fit */
  int64_t ctas, shared, regs;
};

/* Of one kernel: as many CTAs as the SM's other limits allow and the pool holds. */
static struct unified plan_unify_kernel(const struct kernel_shape *s, struct config *c, int64_t pool) {
  const struct rf_share file = slots_share(c, s->live);
  struct config room = *c; /* limits that are not memory */
  struct cta_need need = s->need;
  room.rf_bytes = room.shared_bytes = INT64_MAX / 2;
  if (slots_most(c, &room.sm_ctas, &room.sm_warps)) room.sm_threads = room.sm_warps * 32;
  need.warp_regs = warp_registers(c, s->regs);
  int64_t shared = plan_round_up(need.shared, c->shared_alloc), regs = (int64_t)need.warps * need.warp_regs * 128;
  struct unified u = {.ctas = cta_fit(&room, &need).ctas};
  for (; u.ctas; u.ctas--) {
    int64_t beyond = u.ctas * regs > file.fixed ? u.ctas * regs - file.fixed : 0;
    u.shared = u.ctas * shared;
    u.regs = plan_round_up((int64_t)((double)beyond * file.part), c->rf_banks * 128);
    if (u.shared + u.regs <= pool) break;
  }
  return u;
}

/* Registers beyond the fixed part are as large as their key may be, where they have one. The L1 gets any number of sets,
 * for which there is no hash. */
static void plan_divide_memory(struct config *c, int64_t pool, const struct unified *u) {
  const struct rf_share file = slots_share(c, 1);
  int64_t regs = u->regs;
  if (file.key) *file.key = regs = regs < file.least ? file.least : regs > file.most ? file.most : regs;
  c->shared_bytes = u->shared;
  c->rf_bytes = file.fixed + regs;
  c->l1_bytes = (pool - u->shared - regs) / (c->l1_ways * 128) * (c->l1_ways * 128);
  if (c->l1_bytes < 0) c->l1_bytes = 0;
  c->l1_hash = l1_hash_none;
}

/* The memory is divided once for a file: by the maximum of its kernels' needs, each by itself, or, if that exceeds
 * the memory, by the entry's needs, so that one CTA of each other kernel fits. */
static unsigned plan_points_unified(const struct plan *p, const struct plan_kernel *k, struct plan_point *out,
                                    struct err *e) {
  struct config *c = &out->cfg;
  *c = p->cfg;
  const int64_t fixed = slots_share(c, 1).fixed;
  const int64_t pool = c->rf_bytes - fixed + c->shared_bytes + c->l1_bytes;
  struct unified most = {0}, entry = plan_unify_kernel(&k->shape[0], c, pool);
  for (unsigned i = 0; i < k->n; i++) {
    struct unified u = plan_unify_kernel(&k->shape[i], c, pool);
    if (!u.ctas)
      return err_at(e, NULL, 0, 0, "kernel '%.100s': one CTA needs more memory than the %lld bytes of %s",
                    k->shape[i].entry, (long long)fixed + pool, p->label);
    if (u.shared > most.shared) most.shared = u.shared;
    if (u.regs > most.regs) most.regs = u.regs;
    if (i && u.shared / u.ctas > entry.shared) entry.shared = u.shared / u.ctas;
  }
  plan_divide_memory(c, pool, most.shared + most.regs > pool ? &entry : &most);
  snprintf(out->what, sizeof out->what, "KB: registers %lld, shared %lld, L1 %lld", (long long)c->rf_bytes / 1024,
           (long long)c->shared_bytes / 1024, (long long)c->l1_bytes / 1024);
  return config_check(c, e);
}

static void at_least(int64_t *x, int64_t least) {
  if (*x < least) *x = least;
}

static unsigned plan_points_match(const struct plan *p, const struct plan_kernel *k, const struct run_result *followed,
                                  struct plan_point *out, struct err *e) {
  struct config *c = &out->cfg;
  if (!followed) {
    *c = p->other;
    return 1;
  }
  *c = p->cfg;
  const struct kernel_shape *s = &k->shape[0];
  const int64_t n = (int64_t)((followed->sm.cta_cycles + followed->sm.cycles - 1) / followed->sm.cycles);
  const int64_t warps = n * s->need.warps, before = c->rf_bytes + c->shared_bytes;
  at_least(&c->sm_ctas, n);
  at_least(&c->sm_warps, plan_round_up(warps, c->sm_schedulers));
  at_least(&c->sm_threads, warps * 32);
  at_least(&c->rf_bytes, plan_round_up(warps * warp_registers(c, s->regs) * 128, c->rf_banks * 128));
  at_least(&c->shared_bytes, n * plan_round_up(s->need.shared, c->shared_alloc));
  snprintf(out->what, sizeof out->what, "%lld CTAs, %lld KB more", (long long)n,
           (long long)(c->rf_bytes + c->shared_bytes - before) / 1024);
  return config_check(c, e);
}

/* Registers only; the kernel is the one that the other's numbers are of. */
static unsigned plan_points_fit(const struct plan *p, const struct plan_kernel *k, const struct run_result *followed,
                                struct plan_point *out, struct err *e) {
  struct config *c = &out->cfg;
  if (!followed) {
    *c = p->other;
    return 1;
  }
  *c = p->cfg;
  const struct kernel_shape *s = &k->shape[0];
  for (unsigned i = 1; i < k->n; i++)
    if (!strcmp(k->shape[i].entry, followed->busiest)) s = &k->shape[i];
  const uint32_t regs = c->compile_regs == compile_regs_need ? s->regs_need : s->regs;
  const int64_t before = c->rf_bytes;
  at_least(&c->rf_bytes,
           plan_round_up((int64_t)followed->fit * s->need.warps * warp_registers(c, regs) * 128, c->rf_banks * 128));
  snprintf(out->what, sizeof out->what, "%u CTAs, %lld KB of registers more", followed->fit,
           (long long)(c->rf_bytes - before) / 1024);
  return config_check(c, e);
}

/* More ways for the L1, as many as the registers hold that so many CTAs leave idle; its sets stay. */
static void plan_extend_l1(struct plan_point *x, const struct kernel_shape *s, int64_t ctas) {
  struct config *c = &x->cfg;
  const int64_t way = c->l1_bytes / c->l1_ways, most = 64 - c->l1_ways;
  int64_t ways = (c->rf_bytes - ctas * s->need.warps * warp_registers(c, s->regs) * 128) / way;
  if (ways > most) ways = most;
  const size_t n = strlen(x->what);
  c->l1_ways += ways;
  c->l1_bytes += ways * way;
  snprintf(x->what + n, sizeof x->what - n, "%sL1 of %lld KB", n ? " " : "", (long long)c->l1_bytes / 1024);
}

/* Each number of CTAs that may be resident, up to those of the entry that fit; and no limit, as other kernels of the file may have more. */
static unsigned plan_points_limit(const struct plan *p, const struct plan_kernel *k, struct plan_point *out,
                                  struct err *e) {
  const struct kernel_shape *s = &k->shape[0];
  unsigned room = shape_fit(s, &p->cfg).ctas, n = 0;
  if (!room) return err_at(e, NULL, 0, 0, "kernel '%.100s': not one CTA fits %s", s->entry, p->label);
  if (room > PLAN_POINTS - 1) room = PLAN_POINTS - 1;
  for (unsigned ctas = p->info->kind == PLAN_EXTEND ? room + 1 : 1; ctas <= room + 1; ctas++) {
    struct plan_point *x = &out[n++];
    x->cfg = p->cfg;
    if (ctas <= room && !plan_point_assign(x, "sm.ctas", ctas, e)) return 0;
    if (ctas > room && p->info->kind == PLAN_LIMIT) snprintf(x->what, sizeof x->what, "no limit");
    if (p->info->kind != PLAN_LIMIT) plan_extend_l1(x, s, ctas <= room ? ctas : room);
    if (!config_check(&x->cfg, e)) return 0;
  }
  return n;
}

unsigned plan_points(const struct plan *p, const struct plan_kernel *k, const struct run_result *followed,
                     struct plan_point *out, struct err *e) {
  memset(out, 0, PLAN_POINTS * sizeof *out);
  if (!p->info) {
    out->cfg = p->cfg;
    return 1;
  }
  switch (p->info->kind) {
    case PLAN_UNIFIED: return plan_points_unified(p, k, out, e);
    case PLAN_MATCH: return plan_points_match(p, k, followed, out, e);
    case PLAN_FIT: return plan_points_fit(p, k, followed, out, e);
    case PLAN_LIMIT:
    case PLAN_EXTEND:
    case PLAN_LIMIT_EXTEND: return plan_points_limit(p, k, out, e);
    default: return plan_points_sweep(p, k, out, e);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_files_test: the launches of launch files, made through a session with buffers at the same addresses, have the results, cycles and
 * counters that `regtwin run` gives them. Each launch file is run with a callback that copies its buffers into the session, launches
 * there, and copies them back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "host/session/device.h"
#include "host/session/session.h"
#include "exec/texture.h"
#include "lab/run/run.h"
#include "lab/kernels/suite/about.h"
#include "sampled.h"

struct through {
  struct device *d;
  struct device_module *m;
  const struct run_detail *expected;
  struct buffer {
    uint32_t base, bytes;
  } buffer[256];
  unsigned buffers;
  uint64_t texture[16]; /* handles in the session, by the launch file's numbers */
  unsigned textures;
  char *ptx;
  size_t n;
};

static bool at_same(struct through *t, struct memory *mem, struct err *e) {
  const uint32_t end = (uint32_t)(LOCAL_BASE - memory_room(mem, 0));
  bool symbol;
  for (uint32_t a = GLOBAL_BASE; a < end;) {
    struct buffer b;
    if (!memory_span(mem, a, &b.base, &b.bytes, &symbol)) {
      a += 256;
      continue;
    }
    a = b.base + b.bytes;
    if (!symbol) a = (a + 255) / 256 * 256;
    uint32_t got;
    if (!symbol && (device_alloc(t->d, b.bytes, 0, &got, e) != DEVICE_OK || got != b.base))
      return err_at(e, NULL, 0, 0, "the buffer at 0x%x lies at 0x%x", b.base, got);
    assert_true(t->buffers < 256);
    t->buffer[t->buffers++] = b;
  }
  return true;
}

/* Textures, surfaces and references of the launch, under the same numbers. */
static bool same_textures(struct through *t, const struct launch *l, struct err *e) {
  const struct textures *all = l->textures;
  for (unsigned k = 0; k < t->textures; k++)
    if (device_handle_free(t->d, t->texture[k], e) != DEVICE_OK) return false;
  t->textures = all ? all->ntexture : 0;
  assert_true(t->textures <= sizeof t->texture / sizeof *t->texture);
  for (unsigned k = 0; k < t->textures; k++) {
    const struct texture *x = &all->texture[k];
    enum device_status (*make)(struct device *, const struct texture *, uint64_t *, struct err *) =
        x->writable ? device_surface : device_texture;
    if (make(t->d, x, &t->texture[k], e) != DEVICE_OK) return false;
    if (handle_index(t->texture[k]) != k) return err_at(e, NULL, 0, 0, "texture %u has another number", k);
  }
  for (unsigned k = 0; all && k < all->nref; k++) {
    uint64_t handle = all->ref[k];
    if (handle_kind(handle) == HANDLE_SAMPLER)
      handle = handle_of(HANDLE_SAMPLER, texture_set_sampler(&t->d->textures, &all->sampler[handle_index(handle)]));
    if (device_bind(t->m, l->module->texref[k].name, handle, e) != DEVICE_OK) return false;
  }
  return true;
}

static bool same_counts(const struct through *t, const struct device_result *r, const struct launch *l, struct err *e) {
  const struct run_launch *x = &t->expected->launch[r->index];
  if (r->cycles != x->cycles)
    return err_at(e, NULL, 0, 0, "launch %u %s: %llu cycles, not %llu", r->index, l->code->name,
                  (unsigned long long)r->cycles, (unsigned long long)x->cycles);
  return (!memcmp(&r->sm, &x->sm, sizeof r->sm) && !memcmp(&r->mem, &x->mem, sizeof r->mem)) ||
         err_at(e, NULL, 0, 0, "launch %u %s: other counters", r->index, l->code->name);
}

static bool launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct through *t = ctx;
  struct device_result r;
  if (!index && (device_load(t->d, l->module->file, t->ptx, t->n, &t->m, e) != DEVICE_OK || !at_same(t, l->mem, e)))
    return false;
  for (unsigned i = 0; i < t->buffers; i++)
    memcpy(device_at(t->d, t->buffer[i].base, t->buffer[i].bytes),
           memory_at(l->mem, t->buffer[i].base, t->buffer[i].bytes), t->buffer[i].bytes);
  if (l->module->const_bytes)
    memcpy(device_constant(t->m, 0, l->module->const_bytes), memory_const(l->mem), l->module->const_bytes);
  if (!same_textures(t, l, e)) return false;
  struct device_launch go = {.shared_dyn = l->shared_dyn, .param = l->param, .param_bytes = l->code->param_bytes};
  memcpy(go.grid, l->grid, sizeof go.grid);
  memcpy(go.block, l->block, sizeof go.block);
  if (device_launch(t->d, device_find_kernel(t->m, l->code->name), &go, &r, e) != DEVICE_OK) return false;
  for (unsigned i = 0; i < t->buffers; i++)
    memcpy(memory_at(l->mem, t->buffer[i].base, t->buffer[i].bytes),
           device_at(t->d, t->buffer[i].base, t->buffer[i].bytes), t->buffer[i].bytes);
  return same_counts(t, &r, l, e);
}

/* sm.cta_stride=1: a session times all CTAs. */
static void compare(const char *kernel, const char *system, const char *const *set, unsigned sets) {
  struct err e = {0};
  struct through t = {0};
  struct run_detail detail = {.by_launch = true};
  struct run_result out;
  struct workload w;
  char why[IO_WHY];
  const char *both[8] = {"compile.regs=need", "sm.cta_stride=1"};
  for (unsigned i = 0; i < sets; i++) both[i + 2] = set[i];
  t.d = device_open(&(struct device_settings){.system = system, .set = both, .sets = sets + 2}, &e);
  if (!t.d) fail_msg("%s", e.text);
  const struct config cfg = *device_config(t.d);
  const struct run_progress p = {.detail = &detail};
  if (!workload_compile(kernel, "small", &cfg, 0, &w, &e) || !run_workload(&w, &cfg, 0, false, &p, &out, &e))
    fail_msg("%s: %s", kernel, e.text);
  workload_close(&w);
  t.expected = &detail;
  if (!workload_compile(kernel, "small", &cfg, 0, &w, &e)) fail_msg("%s: %s", kernel, e.text);
  assert_non_null(t.ptx = input_read(script_ptx(w.script), 1 << 26, &t.n, why));
  const struct host_ops ops = {.launch = launch, .ctx = &t, .trial = true};
  if (!script_run(w.script, w.module, 0, &ops, &e)) fail_msg("%s on %s: %s", kernel, system, e.text);
  assert_int_equal(t.d->history.n, detail.launches);
  workload_close(&w);
  run_detail_free(&detail);
  device_close(t.d);
  free(t.ptx);
}

static void suite_on_baseline(void **state) {
  (void)state;
  struct suite s;
  struct err e = {0};
  assert_true(suite_open(&s, &e));
  assert_true(s.n > 40);
  for (unsigned i = 0; i < s.n; i++)
    if (sampled(i)) compare(s.kernel[i].name, "baseline", NULL, 0);
  suite_free(&s);
}

static void systems_with_blocks(void **state) {
  (void)state;
  static const char *const system[] = {"FineReg", "LB", "LTRF", "Malekeh", "slices-identity", "VT"};
  static const char *const kernel[] = {"sgemm", "bfs", "convolutionSeparable"};
  for (unsigned i = 0; i < sizeof system / sizeof *system; i++)
    for (unsigned k = 0; k < sizeof kernel / sizeof *kernel; k++)
      if (sampled(i + k)) compare(kernel[k], system[i], NULL, 0);
}

static void values_are_checked(void **state) {
  (void)state;
  static const char *const set[] = {"sim.check=true"};
  compare("sgemm", "FineReg", set, 1);
  compare("bfs", "baseline", set, 1);
}

static void several_sms(void **state) {
  (void)state;
  static const char *const set[] = {"sim.sms=4"};
  compare("sgemm", "baseline", set, 1);
  compare("bfs", "FineReg", set, 1);
}

/* Without facts of launches, which a session cannot have. */
static void narrow_code(void **state) {
  (void)state;
  static const char *const set[] = {"compile.facts=false"};
  compare("sgemm", "SL-Int", set, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(suite_on_baseline), cmocka_unit_test(systems_with_blocks),
                                     cmocka_unit_test(values_are_checked), cmocka_unit_test(several_sms),
                                     cmocka_unit_test(narrow_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

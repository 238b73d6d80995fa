/* SPDX-License-Identifier: Apache-2.0 */
/* ref: see ref.h. */
#include "unit/reference/ref.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/regalloc.h"
#include "base/bits.h"
#include "lab/kernels/suite/about.h"
#include "compiler/ptx/ptx.h"

struct ref_kernel *ref_suite;

void ref_enter(struct ref_kernel *k) {
  struct ref_kernel **at = &ref_suite;
  while (*at && strcmp((*at)->name, k->name) < 0) at = &(*at)->next;
  k->next = *at;
  *at = k;
}

static void wrong(struct ref *r, const char *text) {
  if (!r->fail[0]) snprintf(r->fail, sizeof r->fail, "%s", text);
}

void *ref_alloc(struct ref *r, uint64_t n, unsigned bytes) {
  if (r->nmem == REF_MEM) die("reference: more than %d blocks", REF_MEM);
  return r->mem[r->nmem++] = xcalloc(n, bytes);
}

static uint64_t word(const struct launch *l, unsigned param, unsigned bytes) {
  uint64_t v = 0;
  if (param >= l->code->nparam || l->code->param[param].offset + bytes > l->code->param_bytes)
    die("reference: %s has no parameter %u of %u bytes", l->code->name, param, bytes);
  memcpy(&v, l->param + l->code->param[param].offset, bytes);
  return v;
}

uint32_t ref_u32(const struct launch *l, unsigned param) { return (uint32_t)word(l, param, 4); }

float ref_f32(const struct launch *l, unsigned param) {
  uint32_t u = ref_u32(l, param);
  float f;
  memcpy(&f, &u, 4);
  return f;
}

void *ref_take(struct ref *r, const struct launch *l, unsigned param, uint64_t n, unsigned bytes) {
  void *copy = ref_alloc(r, n, bytes);
  uint64_t addr = word(l, param, 8);
  const uint8_t *p = addr < GLOBAL_END ? memory_at(l->mem, (uint32_t)addr, (uint32_t)(n * bytes)) : NULL;
  if (p) memcpy(copy, p, n * bytes);
  else wrong(r, "an argument does not point at as many elements as the reference reads");
  return copy;
}

void *ref_take_const(struct ref *r, const struct launch *l, const char *symbol, uint64_t n, unsigned bytes) {
  void *copy = ref_alloc(r, n, bytes);
  for (uint32_t k = 0; k < l->module->nsymbol; k++) {
    const struct symbol *s = &l->module->symbol[k];
    if (strcmp(s->name, symbol) || s->space != SP_CONST || s->size != n * bytes) continue;
    memcpy(copy, memory_const(l->mem) + s->addr, n * bytes);
    return copy;
  }
  wrong(r, "the module has no constant array of that name and size");
  return copy;
}

void ref_want(struct ref *r, const char *buffer, enum dtype type, uint64_t n, const void *want, double rel,
              double abs) {
  if (r->nout == REF_OUT) die("reference: more than %d outputs", REF_OUT);
  r->out[r->nout++] = (struct ref_out){buffer, type, n, want, rel, abs, r->echo};
}

void ref_end(struct ref *r) {
  for (unsigned k = 0; k < r->nmem; k++) free(r->mem[k]);
  memset(r, 0, sizeof *r);
}

static bool same(const struct ref_out *o, const void *found, uint64_t i) {
  unsigned bytes = dtype_bytes(o->type);
  if (!memcmp((const char *)found + i * bytes, (const char *)o->want + i * bytes, bytes)) return true;
  if (o->type != T_F32 || (o->rel == 0 && o->abs == 0)) return false;
  float f = ((const float *)found)[i], w = ((const float *)o->want)[i];
  return fabs((double)f - (double)w) <= o->abs + o->rel * fabs((double)w);
}

static void show(char *buf, size_t size, enum dtype t, const void *data, uint64_t i) {
  const char *p = (const char *)data + i * dtype_bytes(t);
  if (t == T_F32) {
    float f;
    uint32_t u;
    memcpy(&f, p, 4);
    memcpy(&u, p, 4);
    snprintf(buf, size, "%.9g (0x%08" PRIx32 ")", (double)f, u);
  } else if (t == T_F64) {
    double f;
    memcpy(&f, p, 8);
    snprintf(buf, size, "%.17g", f);
  } else {
    int64_t v = 0;
    memcpy(&v, p, dtype_bytes(t));
    if (t == T_S32) v = (int32_t)v;
    snprintf(buf, size, "%" PRId64, v);
  }
}

bool ref_compare(struct ref *r, const struct ref_out *o, const void *found, enum dtype type, uint64_t n) {
  if (r->fail[0]) return false;
  if (type != o->type || n != o->n) {
    snprintf(r->fail, sizeof r->fail, "%s: %" PRIu64 " elements of %s, expected %" PRIu64 " of %s", o->name, n,
             dtype_name(type), o->n, dtype_name(o->type));
    return false;
  }
  uint64_t differ = 0, first = 0;
  for (uint64_t i = 0; i < n; i++)
    if (!same(o, found, i) && !differ++) first = i;
  if (!differ) return true;
  char f[64], w[64];
  show(f, sizeof f, type, found, first);
  show(w, sizeof w, type, o->want, first);
  snprintf(r->fail, sizeof r->fail,
           "%s[%" PRIu64 "]: found %s, expected %s; %" PRIu64 " of %" PRIu64 " elements differ", o->name, first, f, w,
           differ, n);
  return false;
}

/* ---- running a launch file against its reference ---- */
struct run {
  struct ref ref;
  const struct ref_kernel *kernel;
  struct ref_counts counts;
  unsigned seen; /* bit k: output k came back */
  struct quality_results found;
};

static bool on_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct run *run = ctx;
  struct exec_counts c = {0};
  run->kernel->before(&run->ref, l, index);
  if (run->ref.fail[0])
    return err_at(e, NULL, 0, 0, "before launch %u, of %s: %s", index, l->code->name, run->ref.fail);
  bool ok = exec_run(l, 4, &c, e);
  run->counts.warp_insns += c.warp_insns;
  run->counts.thread_insns += c.thread_insns;
  run->counts.launches++;
  return ok;
}

static void on_buffer(void *ctx, const char *name, enum dtype type, const void *data, uint64_t n) {
  struct run *run = ctx;
  for (unsigned k = 0; k < run->ref.nout; k++) {
    if (strcmp(run->ref.out[k].name, name)) continue;
    run->seen |= 1u << k;
    ref_compare(&run->ref, &run->ref.out[k], data, type, n);
  }
}

static void on_result(void *ctx, const struct host_result *is) { quality_keep(&((struct run *)ctx)->found, is); }

/* The reference's outputs, as results in the form of those that were found. */
static void wanted(const struct run *run, struct quality_results *want) {
  memcpy(want->path, run->found.path, sizeof want->path);
  for (unsigned i = 0; i < run->found.n; i++)
    for (unsigned k = 0; k < run->ref.nout; k++) {
      const struct ref_out *o = &run->ref.out[k];
      struct host_result is = run->found.buffer[i].is;
      if (strcmp(run->found.buffer[i].name, o->name)) continue;
      is.name = o->name;
      is.data = o->want;
      if (is.width) quality_keep(want, &is);
      is.width = 0;
      if (run->found.buffer[i].data) quality_keep(want, &is);
    }
}

static bool measure(struct run *run, struct err *e) {
  struct arena arena = {0};
  struct about about;
  struct quality_results want = {0};
  enum quality_metric metric;
  bool there, ok = about_beside(&about, &arena, run->found.path, &there, e);
  if (ok && !there) ok = err_at(e, run->found.path, 0, 0, "found no about.yaml beside it");
  wanted(run, &want);
  ok = ok && quality_metric(about.metric, &metric) &&
       quality_compare(metric, &want, &run->found, NULL, &run->counts.quality, e);
  arena_free(&arena);
  quality_free(&want);
  bool exact = true;
  for (unsigned k = 0; k < run->ref.nout; k++) exact &= run->ref.out[k].rel == 0 && run->ref.out[k].abs == 0;
  if (ok && exact && run->counts.quality.level != QUALITY_PERFECT)
    wrong(&run->ref, "the quality is not perfect, though every output was met exactly");
  return ok;
}

static bool run_module(struct run *run, const struct script *s, struct module *m, bool unchecked, struct err *e) {
  for (uint32_t k = 0; k < m->nkernel; k++)
    if (!alloc_kernel(m, &m->kernel[k], script_regs(s, m->kernel[k].name), e)) return false;
  struct host_ops ops = {.launch = on_launch, .ctx = run, .result = on_result, .unchecked = unchecked};
  if (!script_run_then(s, m, 0, &ops, on_buffer, run, e)) return false;
  if (!run->ref.nout) wrong(&run->ref, "the reference was never reached");
  if (run->seen != (1u << run->ref.nout) - 1) wrong(&run->ref, "an output buffer is missing");
  return !run->ref.fail[0] && measure(run, e) && !run->ref.fail[0];
}

/* A launch file's lines for an output: a hash, or some elements of one that is not exact. */
static void print_expect(const struct ref_out *o) {
  if (o->echo) return;
  if (o->rel == 0 && o->abs == 0) {
    printf("expect %s fnv %016" PRIx64 "\n", o->name, fnv1a(FNV_START, o->want, o->n * dtype_bytes(o->type)));
    return;
  }
  for (uint64_t k = 0; k < 8; k++) {
    uint64_t i = k * (o->n - 1) / 7;
    printf("expect %s[%" PRIu64 "] %.9g", o->name, i, (double)((const float *)o->want)[i]);
    if (o->rel > 0) printf(" rel %g", o->rel);
    if (o->abs > 0) printf(" abs %g", o->abs);
    printf("\n");
  }
}

static bool attempt(struct run *run, const char *size, bool unchecked, struct err *e) {
  char *path = run->found.path;
  snprintf(path, sizeof run->found.path, "traces/kernels/%s/%s.launch", run->kernel->name, run->kernel->name);
  struct script *s = script_read(path, e);
  struct module *m = s && script_choose(s, size, e) ? ptx_load(script_ptx(s), e) : NULL;
  bool ok = m && run_module(run, s, m, unchecked, e);
  quality_free(&run->found);
  module_free(m);
  script_free(s);
  return ok;
}

/* A run stops at the first expectation that fails. A second one without them shows the difference to the reference, element
 * by element. */
bool ref_run(const struct ref_kernel *k, const char *size, bool hashes, struct ref_counts *counts, char *why,
             size_t room) {
  struct err e = {0}, again = {0};
  const bool small = !strcmp(size, "small");
  struct run run = {.kernel = k, .ref.small = small};
  bool ok = attempt(&run, size, false, &e);
  why[0] = 0;
  if (e.set) {
    err_format(&e, why, room);
    ref_end(&run.ref);
    run = (struct run){.kernel = k, .ref.small = small};
    attempt(&run, size, true, &again);
  }
  size_t n = strlen(why);
  if (run.ref.fail[0]) snprintf(why + n, room - n, "%s%s in size %s: %s", n ? "\n  " : "", k->name, size, run.ref.fail);
  if (hashes)
    for (unsigned i = 0; i < run.ref.nout; i++) print_expect(&run.ref.out[i]);
  if (counts) *counts = run.counts;
  ref_end(&run.ref);
  return ok;
}

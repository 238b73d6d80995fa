/* SPDX-License-Identifier: Apache-2.0 */
/* device_kit: sessions and small kernels for the tests of host/session/. */
#ifndef RT_TESTS_DEVICE_KIT_H
#define RT_TESTS_DEVICE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "host/session/device.h"
#include "host/session/session.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"
/* out[thread] = thread + add, of the whole grid in x */
#define FILL                                                             \
  ".visible .entry fill(.param .u64 out, .param .u32 add) {\n"           \
  " .reg .b32 %r<6>; .reg .b64 %d<4>;\n"                                 \
  " ld.param.u64 %d1, [out]; ld.param.u32 %r1, [add];\n"                 \
  " mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n" \
  " mad.lo.s32 %r2, %r2, %r3, %r4; add.s32 %r3, %r2, %r1;\n"             \
  " mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r3; ret; }\n"

struct fill {
  uint64_t out;
  uint32_t add;
};
enum { FILL_BYTES = 12 };

/* Writes the launches so far, and their totals (docs/use/host.md has the keys), to `path` at once; "-": standard output. False and *e. */
static inline void to_file(void *to, const char *s, size_t n) { fwrite(s, 1, n, to); }
static inline bool write_json(const struct device *d, const char *path, struct err *e) {
  char why[IO_WHY] = "no memory";
  struct output *o = output_open(path, why);
  struct json_parts p = json_parts_of(d, NULL);
  bool ok = o && json_put_all(&(struct json_to){to_file, output_stream(o)}, d, &p, NULL);
  if (o) ok = output_close(o, ok, why) && ok;
  json_parts_free(&p);
  return ok || err_at(e, strcmp(path, "-") ? path : "standard output", 0, 0, "cannot write: %s", why);
}

static inline struct device *open_with(const struct device_settings *s) {
  struct err e = {0};
  struct device *d = device_open(s, &e);
  if (!d) fail_msg("%s", e.text);
  return d;
}
static inline struct device *open_plain(void) { return open_with(&(struct device_settings){0}); }

static inline struct device_module *load(struct device *d, const char *ptx) {
  struct err e = {0};
  struct device_module *m;
  if (device_load(d, "t.ptx", ptx, strlen(ptx), &m, &e) != DEVICE_OK) fail_msg("%d: %s", e.line, e.text);
  return m;
}

static inline struct device_kernel *kernel(struct device_module *m, const char *name) {
  struct device_kernel *k = device_find_kernel(m, name);
  assert_non_null(k);
  return k;
}

static inline uint32_t buffer(struct device *d, uint64_t bytes) {
  struct err e = {0};
  uint32_t a;
  if (device_alloc(d, bytes, 0, &a, &e) != DEVICE_OK) fail_msg("%s", e.text);
  return a;
}

static inline enum device_status go(struct device *d, struct device_kernel *k, uint32_t grid, uint32_t block,
                                    const void *param, uint32_t bytes, struct device_result *r, struct err *e) {
  const struct device_launch l = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .param = param, .param_bytes = bytes};
  memset(e, 0, sizeof *e);
  const enum device_status s = device_launch(d, k, &l, r, e);
  assert_int_equal(s == DEVICE_OK, !e->set);
  return s;
}

/* fill over n words of a buffer; returns the cycles. */
static inline uint64_t fill(struct device *d, struct device_kernel *k, uint32_t at, uint32_t n, uint32_t add) {
  struct err e;
  struct device_result r;
  const struct fill p = {at, add};
  if (go(d, k, n / 64, 64, &p, FILL_BYTES, &r, &e) != DEVICE_OK) fail_msg("%s", e.text);
  const uint32_t *v = (const uint32_t *)(const void *)device_at(d, at, 4ull * n);
  assert_true(n == 0 || v);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(v[i], i + add);
  return r.cycles;
}

#endif

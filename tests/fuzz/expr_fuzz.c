/* SPDX-License-Identifier: Apache-2.0 */
/* Any line as an expression of a launch file: evaluated for each element of a buffer, or refused with a message and a line. Twice,
 * so that it gives the same values again. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "launch/launch.h"
#include "compiler/ptx/ptx.h"

static const char head[] =
    "ptx x.ptx\nlet n = 16\nlet h = 0.5\nbuffer a s32 n iota -3 1\nbuffer u u64 n rand 0 9\nbuffer f f32 n rand -1 "
    "1\nbuffer e f64 n expr ";
static const char module_text[] = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\n";

static void keep(void *ctx, const char *name, enum dtype type, const void *data, uint64_t elements) {
  if (!strcmp(name, "e")) *(uint64_t *)ctx = fnv1a(FNV_START, data, elements * (type == T_F64 ? 8 : 1));
}

static bool run(const struct script *s, uint64_t *hash, struct err *e) {
  struct module *m = ptx_parse("x.ptx", module_text, sizeof module_text - 1, e);
  if (!m) abort();
  const struct host_ops ops = {.trial = true};
  bool ok = script_run_then(s, m, 0, &ops, keep, hash, e);
  module_free(m);
  return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct err e = {0}, again = {0};
  uint64_t hash = 0, other = 0;
  if (n > 4096 || memchr(data, '\n', n) || memchr(data, '\r', n) || memchr(data, ';', n)) return 0;
  char *text = malloc(sizeof head + n + 1);
  if (!text) abort();
  memcpy(text, head, sizeof head - 1);
  memcpy(text + sizeof head - 1, data, n);
  text[sizeof head - 1 + n] = '\n';
  struct script *s = script_parse("fuzz.launch", text, sizeof head + n, &e);
  if ((s != NULL) == e.set || (!s && (!e.text[0] || !e.line))) abort();
  if (s) {
    bool ok = run(s, &hash, &e);
    if (ok == e.set || (!ok && (!e.text[0] || !e.line))) abort();
    if (run(s, &other, &again) != ok || hash != other || strcmp(e.text, again.text)) abort();
    script_free(s);
  }
  free(text);
  return 0;
}

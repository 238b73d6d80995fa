/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test: one block per call (SystemC's kernel is one per process), as TAP lines. With a block and a .stim file
 * of its bench: golden and Verilated module side by side in one simulation, both against the golden functions
 * called directly, every output of every cycle. Without: the API's refusals, a chain of two modules, the VCD.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "rt_sc.h"

enum { ROOM = 512 }; /* words of the widest port, with room to spare */
static int failed;

void die(const char *format, ...) {
  va_list a;
  va_start(a, format);
  vfprintf(stderr, format, a);
  va_end(a);
  fputc('\n', stderr);
  exit(2);
}

static bool sc_test_check(bool is, const char *name) {
  printf("%s - %s\n", is ? "ok" : "not ok", name);
  failed |= !is;
  return is;
}

static const struct block_desc *sc_test_golden_of(const char *name) {
#define SC_BLOCK(block) extern const struct block_desc golden_##block;
#include "sc_blocks.def"
#undef SC_BLOCK
#define SC_BLOCK(block) \
  if (!strcmp(name, #block)) return &golden_##block;
#include "sc_blocks.def"
#undef SC_BLOCK
  die("no block %s", name);
}

/* One output from three sources. */
static bool sc_test_same_output(const struct rt_sc_instance *x, const char *side, const struct item *i, const void *out,
                                uint64_t cycle) {
  uint32_t got[ROOM], want[ROOM];
  item_pack(i, out, want);
  if (!rt_sc_read(x, i->name, got)) return false;
  for (unsigned w = 0; w < RT_SC_WORDS(item_bits(i)); w++) {
    if (got[w] == want[w]) continue;
    printf("# %s cycle %llu word %u: golden %x, SystemC %s %x\n", i->name, (unsigned long long)cycle, w, want[w], side,
           got[w]);
    return false;
  }
  return true;
}

static int sc_test_lockstep(const char *block, const char *path, uint64_t limit) {
  const struct block_desc *d = sc_test_golden_of(block);
  struct stim st = {0};
  stim_read(&st, d, path);
  if (st.states) die("%s: found cycles that start from a state, expected resets alone", path);
  struct rt_sc *s = rt_sc_create();
  struct rt_sc_instance *c = rt_sc_add(s, block, RT_SC_C, "c"), *r = rt_sc_add(s, block, RT_SC_RTL, "rtl");
  if (!c || !r) die("%s", rt_sc_error(s));
  void *model = memory_checked(calloc(1, d->model_bytes)), *out = memory_checked(calloc(1, d->out_bytes));
  uint64_t k = 0, outputs = 0;
  bool ok = true;
  if (d->reset) d->reset(model);
  for (; ok && k < st.cycles && k < limit; k++) {
    const void *in = stim_in(&st, k);
    if (stim_reset(&st, k)) {
      if (d->reset) d->reset(model);
      ok = rt_sc_reset(s);
    }
    for (unsigned i = 0; i < d->items; i++) {
      const struct item *it = &d->item[i];
      if (it->kind != ITEM_IN) continue;
      uint32_t w[ROOM];
      item_pack(it, in, w);
      ok = ok && rt_sc_write(c, it->name, w) && rt_sc_write(r, it->name, w);
    }
    ok = ok && rt_sc_settle(s);
    d->eval(model, in, out);
    for (unsigned i = 0; ok && i < d->items; i++) {
      if (d->item[i].kind != ITEM_OUT) continue;
      ok = sc_test_same_output(c, "C", &d->item[i], out, k) && sc_test_same_output(r, "RTL", &d->item[i], out, k);
      outputs++;
    }
    if (d->tick) d->tick(model, in);
    ok = ok && rt_sc_step(s, 1);
  }
  if (!ok && *rt_sc_error(s)) printf("# %s\n", rt_sc_error(s));
  char name[200];
  const char *file = strrchr(path, '/');
  snprintf(name, sizeof name, "%s on %s: C and RTL as modules give the golden model's %llu outputs in %llu cycles",
           block, file ? file + 1 : path, (unsigned long long)outputs, (unsigned long long)k);
  sc_test_check(ok && k > 0 && outputs > 0, name);
  rt_sc_destroy(s);
  free(model);
  free(out);
  stim_free(&st);
  return failed;
}

static bool sc_test_refused(struct rt_sc *s, bool is, const char *text, const char *name) {
  bool ok = !is && strstr(rt_sc_error(s), text);
  if (!ok) printf("# said: %s\n", rt_sc_error(s));
  return sc_test_check(ok, name);
}

/* tve and vcl, C and RTL mixed: what tve extracts, vcl converts. */
static int sc_test_api(const char *vcd) {
  struct rt_sc *s = rt_sc_create();
  uint32_t w[ROOM] = {0}, d = 0x87654321, e = 0, y;
  sc_test_check(rt_sc_create() == NULL, "a second simulation is refused");
  sc_test_refused(s, rt_sc_add(s, "none", RT_SC_C, "x"), "found block none", "an unknown block is refused");
  struct rt_sc_instance *a = rt_sc_add(s, "tve", RT_SC_RTL, "a"), *b = rt_sc_add(s, "vcl", RT_SC_C, "b");
  struct rt_sc_instance *t = rt_sc_add(s, "tve", RT_SC_C, "t"), *v = rt_sc_add(s, "vcl", RT_SC_RTL, "v");
  if (!a || !b || !t || !v) die("%s", rt_sc_error(s));
  sc_test_refused(s, rt_sc_add(s, "tve", RT_SC_C, "a"), "already", "a name is used once");
  sc_test_refused(s, rt_sc_bind(a, "part_data_o", b, "nibbles_i"), "32 bits", "binding different widths is refused");
  sc_test_refused(s, rt_sc_bind(a, "data_i", b, "code_i"), "expected an output: part_data_o",
                  "an input does not drive");
  sc_test_check(rt_sc_bind(a, "part_data_o", b, "code_i") && rt_sc_bind(t, "part_data_o", v, "code_i"),
                "outputs bound to inputs");
  sc_test_refused(s, rt_sc_bind(t, "part_data_o", b, "code_i"), "bound already", "an input has one source");
  sc_test_refused(s, rt_sc_trace(s, "x.txt"), ".vcd", "a trace's name ends in .vcd");
  sc_test_refused(s, rt_sc_trace(s, "/nowhere/x.vcd"), "No such file", "a trace that cannot be written is an error");
  sc_test_check(rt_sc_trace(s, vcd), "trace");
  sc_test_check(rt_sc_port_of(a, 0)->width == 32 && rt_sc_port_of(a, 0)->input && !rt_sc_port_of(a, 5),
                "ports are listed");
  sc_test_check(rt_sc_write(a, "data_i", &d) && rt_sc_read(a, "data_i", &y) && rt_sc_write(t, "data_i", &d), "write");
  sc_test_refused(s, rt_sc_write(b, "code_i", &d), "drives it", "a bound input cannot be written");
  w[0] = 2;
  sc_test_refused(s, rt_sc_write(a, "part_i", w), "more than 1 bits", "a value wider than its port is refused");
  sc_test_refused(s, rt_sc_add(s, "tve", RT_SC_C, "late"), "runs", "no module after elaboration");
  sc_test_refused(s, rt_sc_read(a, "none", w), "found none", "an unknown port is refused");
  bool ok = true;
  uint32_t four = 4, changes = 0, last = 0;
  for (unsigned k = 0; ok && k < 1000; k++) {
    e = e * 1664525 + 1013904223, d = d * 22695477 + 1;
    ok = rt_sc_write(a, "data_i", &d) && rt_sc_write(t, "data_i", &d) && rt_sc_write(a, "entry_i", &e) &&
         rt_sc_write(t, "entry_i", &e) && rt_sc_write(b, "nibbles_i", &four) && rt_sc_write(v, "nibbles_i", &four) &&
         rt_sc_settle(s);
    uint32_t p, q, through;
    ok = ok && rt_sc_read(b, "value_o", &p) && rt_sc_read(v, "value_o", &q) && rt_sc_read(a, "part_data_o", &y) &&
         rt_sc_read(b, "code_i", &through) && p == q && y == through && rt_sc_step(s, 1);
    changes += p != last;
    last = p;
  }
  if (!ok) printf("# %s\n", rt_sc_error(s));
  sc_test_check(ok && changes > 100, "chains RTL -> C and C -> RTL show the same, 1000 cycles");
  sc_test_check(rt_sc_cycle(s) == 1000, "cycles are counted");
  rt_sc_destroy(s);
  FILE *f = fopen(vcd, "r");
  unsigned vars = 0, times = 0;
  char line[4096];
  while (f && fgets(line, sizeof line, f)) {
    vars += !strncmp(line, "$var", 4);
    times += *line == '#';
  }
  if (f) fclose(f);
  if (!sc_test_check(vars == 2 + 2 * 5 + 2 * 3 && times > 2000, "the VCD has every port and both clock edges"))
    printf("# %u variables, %u times\n", vars, times);
  return failed;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "api")) return sc_test_api(argv[2]);
  if (argc == 4) return sc_test_lockstep(argv[1], argv[2], strtoull(argv[3], NULL, 0));
  die("expected: test api FILE.vcd | test BLOCK FILE.stim CYCLES");
}

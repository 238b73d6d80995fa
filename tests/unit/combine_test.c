/* SPDX-License-Identifier: Apache-2.0 */
/*
 * combine: what its matrix says of each pair is what a run takes or refuses. And the messages of refusals: a user who follows
 * what one says is expected ("sm.subcores=false") gets a configuration that fits, and the machines that it names are those that fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/campaign/combine.h"
#include "sm/slots.h"

static const struct settings anywhere = {0};

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/* Follows a message: sets every key=value behind "expected", of two that "or" parts the first. Returns how many. */
static unsigned follow(const char *text, struct config *c) {
  unsigned n = 0;
  const char *at = strstr(text, ", expected ");
  for (at = at ? at + 11 : ""; *at && strncmp(at, ": ", 2) && !(n && !strncmp(at, " or ", 4));) {
    char one[96];
    struct err e = {0};
    size_t k = 0, dot = 0, eq = 0;
    for (; is_word(at[k]) || (at[k] == '.' && !dot) || (at[k] == '=' && dot && !eq); k++) {
      if (at[k] == '.') dot = k;
      if (at[k] == '=') eq = k;
    }
    snprintf(one, sizeof one, "%.*s", (int)(k < sizeof one ? k : 0), at);
    if (eq && k > eq + 1) {
      if (!config_set(c, one, 0, &e)) fail_msg("'%s' says %s: %s", text, one, e.text);
      n++;
    }
    at += k ? k : 1;
  }
  return n;
}

static void followed_to_the_end(struct config *c, const char *what) {
  for (unsigned round = 0; round < 12; round++) {
    struct err e = {0};
    if (config_fits(c, &e)) return;
    if (!follow(e.text, c)) fail_msg("%s: the message names no key and value: %s", what, e.text);
  }
  fail_msg("%s: what the messages say has been done twelve times, and it does not fit", what);
}

static void each_system_on_each_machine(void **state) {
  (void)state;
  unsigned refused = 0;
  for (const struct config_name *m = config_machines(); m->name; m++)
    for (const struct config_name *s = config_systems(); s->name; s++) {
      struct config c;
      struct err e = {0};
      char what[160];
      snprintf(what, sizeof what, "%s on %s", s->name, m->name);
      if (!config_load(&c, m->name, s->name, &e)) fail_msg("%s", e.text);
      refused += !config_fits(&c, &(struct err){0});
      followed_to_the_end(&c, what);
    }
  assert_true(refused > 30);
}

/* Illegal values of keys, each on a system that has the rule: the message is enough to mend them. */
static void rules_are_mended(void **state) {
  (void)state;
  static const char *const cases[][5] = {{"gtx980", "baseline", "gpu.quantum=65"},
                                         {"gtx980", "baseline", "sm.warps=3"},
                                         {"gtx980", "baseline", "sm.warps=63"},
                                         {"gtx980", "baseline", "sm.warps=4", "sm.active_warps=8"},
                                         {"maxwell", "baseline", "sm.active_warps=1"},
                                         {"rtx2060", "baseline", "rf.banks=6"},
                                         {"rtx2060", "baseline", "collector.units=2"},
                                         {"gtx980", "baseline", "collector.units=20"},
                                         {"gtx980", "baseline", "rf.bytes=5000"},
                                         {"gtx980", "baseline", "l1.sector=64"},
                                         {"gtx980", "baseline", "l1.hash=fermi"},
                                         {"gtx980", "baseline", "l1.bytes=1000"},
                                         {"gtx980", "baseline", "icache.bytes=300"},
                                         {"gtx980", "baseline", "icache.insn_bytes=9"},
                                         {"gtx980", "baseline", "l2.bytes=4096"},
                                         {"gtx980", "baseline", "l2.mask=8"},
                                         {"gtx980", "baseline", "dram.write_high=33"},
                                         {"gtx980", "baseline", "dram.write_low=28"},
                                         {"gtx980", "baseline", "dram.ras_ps=50000"},
                                         {"gtx980", "baseline", "dram.rcd_ps=30000"},
                                         {"gtx980", "FineReg", "finereg.acrf_bytes=5000"},
                                         {"gtx980", "FineReg", "finereg.pcrf_bytes=5000"},
                                         {"gtx980", "FineReg", "finereg.acrf_bytes=262144"},
                                         {"gtx980", "FineReg", "finereg.lrvc_entries=33"},
                                         {"gtx980", "FineReg", "rf.latency=200"},
                                         {"gtx980", "FineReg", "rf.banks=128"},
                                         {"gtx980", "FineReg", "slot.storage=slices"},
                                         {"gtx980", "VT", "finereg.warps=32"},
                                         {"gtx980", "VT", "finereg.ctas=31"},
                                         {"gtx980", "VT", "slot.l1=victim", "finereg.dram_ctas=2"},
                                         {"gtx980", "VT-RegMutex", "rf.latency=200"},
                                         {"gtx980", "VT-RegMutex", "slot.scheduler=two_level"},
                                         {"gtx980", "LB", "linebacker.ways=3"},
                                         {"gtx980", "LB", "linebacker.ways=32", "l1.ways=4"},
                                         {"gtx980", "LB", "linebacker.interval=2"},
                                         {"gtx980", "LB", "linebacker.select=false"},
                                         {"gtx980", "LB", "lsu.lines=2"},
                                         {"gtx980", "LB", "l1.write=back"},
                                         {"gtx980", "LB", "l1.mshrs=1024"},
                                         {"gtx980", "LB", "slot.storage=ltrf"},
                                         {"gtx980", "CERF", "l1.bytes=0"},
                                         {"gtx980", "CERF", "l1.sector=32"},
                                         {"gtx980", "CERF", "slot.residency=finereg"},
                                         {"maxwell", "LTRF", "ltrf.interval=9"},
                                         {"maxwell", "LTRF", "ltrf.ports=2"},
                                         {"maxwell", "LTRF", "sm.promote=turn"},
                                         {"maxwell", "LTRF", "sm.schedulers=2"},
                                         {"maxwell", "LTRF", "sm.active_warps=5"},
                                         {"maxwell", "LTRF", "sm.warps=128"},
                                         {"maxwell", "LTRF", "slot.scheduler=gto"},
                                         {"maxwell", "LTRF", "slot.residency=vt"},
                                         {"maxwell", "LTRF", "slot.l1=victim"},
                                         {"maxwell", "LTRF", "slot.collector=bow"},
                                         {"rtx2060", "Malekeh", "slot.collector=ocu"},
                                         {"rtx2060", "Malekeh", "malekeh.cache=false"},
                                         {"rtx2060", "Malekeh", "rf.results=3"},
                                         {"rtx2060", "Malekeh", "sm.schedulers=8"},
                                         {"rtx2060", "Malekeh", "slot.residency=vt"},
                                         {"rtx2060", "Malekeh", "rf.latency=200"},
                                         {"rtx2060", "GTO+LRU", "malekeh.private=true"},
                                         {"rtx2060", "Malekeh_PR", "collector.units=16"},
                                         {"rtx2060", "BOW", "collector.units=8"},
                                         {"gtx980", "SL-Int", "slot.storage=flat"},
                                         {"gtx980", "SL-Int", "rf.banks=128"},
                                         {"gtx980", "SL-Int", "collector.units=32", "collector.arrivals=6"}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct config c;
    struct err e = {0};
    bool ok = config_load(&c, cases[k][0], cases[k][1], &e);
    for (const char *const *set = &cases[k][2]; ok && *set; set++) ok = config_set(&c, *set, 0, &e);
    if (!ok) fail_msg("%s", e.text);
    if (config_fits(&c, &e)) fail_msg("%s on %s: %s fits, expected a refusal", cases[k][1], cases[k][0], cases[k][2]);
    followed_to_the_end(&c, cases[k][2]);
  }
}

/* Of all machines those are named that fit, and no other. */
static void machines_are_named(void **state) {
  (void)state;
  unsigned named = 0;
  for (const struct config_name *m = config_machines(); m->name; m++)
    for (const struct config_name *s = config_systems(); s->name; s++) {
      struct config c;
      struct err e = {0};
      if (!config_load(&c, m->name, s->name, &e)) fail_msg("%s", e.text);
      if (!config_set(&c, "rf.results=4", 0, &e)) fail_msg("%s", e.text); /* is kept */
      if (config_fits(&c, &e)) continue;
      machines_advised(&c, &e);
      const char *tail = strstr(e.text, "; so configured it fits --config ");
      for (const struct config_name *o = config_machines(); o->name; o++) {
        struct config other;
        struct err none = {0};
        const bool fits = config_load(&other, o->name, s->name, &none) &&
                          config_set(&other, "rf.results=4", 0, &none) && config_fits(&other, &none);
        const bool says = tail && strstr(tail, o->name);
        if (fits != says)
          fail_msg("%s on %s %s, and the message says: %s", s->name, o->name, fits ? "fits" : "does not", e.text);
        named += says;
      }
    }
  assert_true(named > 30);
}

/* The options of a pair, read as a command line is, make its configuration. */
static void the_command_makes_it(const struct combination *x) {
  char text[sizeof x->command], *rest = text;
  const char *set[64], *system = "baseline";
  int arg[64] = {0};
  struct settings s = {.set = set, .set_arg = arg};
  struct config c;
  struct err e = {0};
  snprintf(text, sizeof text, "%s", x->command);
  for (char *option; (option = strsep(&rest, " "));) {
    const char *value = strsep(&rest, " ");
    assert_non_null(value);
    if (!strcmp(option, "--config")) s.machine = value;
    else if (!strcmp(option, "--system")) system = value;
    else if (!strcmp(option, "--set")) set[s.nset++] = value;
    else fail_msg("found '%s' in '%s'", option, x->command);
  }
  if (!settings_apply(&s, system, "", &c, &e) || !config_fits(&c, &e)) fail_msg("%s: %s", x->command, e.text);
  for (unsigned i = 0; i < config_nkeys; i++)
    if (!key_same(&c, &x->cfg, &config_keys[i]))
      fail_msg("%s: another %s.%s", x->command, config_keys[i].section, config_keys[i].name);
}

static int chosen(const struct config *c, const struct combine_choice *x) {
  return *(const int *)(const void *)((const char *)c + x->slot->offset);
}

static void the_matrix(void **state) {
  (void)state;
  static struct combine c;
  struct err e = {0};
  unsigned legal = 0, refused = 0;
  if (!combine_all(&c, &anywhere, &e)) fail_msg("%s", e.text);
  for (unsigned a = 0; a < c.n; a++)
    for (unsigned b = a + 1; b < c.n; b++) {
      const struct combination *x = combine_of(&c, a, b);
      if (!combine_asked(&c, a, b)) continue;
      if (!x->legal) {
        refused++;
        if (!strstr(x->why, ", expected ") || !strchr(x->why, '=')) fail_msg("no reason: %s", x->why);
        continue;
      }
      legal++;
      assert_true(config_fits(&x->cfg, &e));
      assert_int_equal(chosen(&x->cfg, &c.choice[a]), c.choice[a].value);
      assert_int_equal(chosen(&x->cfg, &c.choice[b]), c.choice[b].value);
      the_command_makes_it(x);
    }
  assert_true(legal > 20 && refused > 20);
  combine_free(&c);
}

static void pairs_by_name(void **state) {
  (void)state;
  static struct combination x;
  struct err e = {0};
  assert_true(combine_pair((const char *const[]){"LTRF", "FineReg"}, &anywhere, &x, &e));
  assert_false(x.legal);
  assert_non_null(
      strstr(x.why, "slot.storage ltrf with slot.residency finereg, expected slot.residency=static or pcal: "));
  assert_true(combine_pair((const char *const[]){"malekeh", "pcal"}, &anywhere, &x, &e) && x.legal);
  the_command_makes_it(&x);
  assert_true(combine_pair((const char *const[]){"pcal", "ltrf"}, &anywhere, &x, &e) && x.legal);
  assert_true(combine_pair((const char *const[]){"two_level", "regmutex"}, &anywhere, &x, &e) && !x.legal);
  assert_non_null(strstr(x.why, "expected slot.scheduler=gto or lrr: "));
  assert_false(combine_pair((const char *const[]){"ltrf", "slices"}, &anywhere, &x, &e));
  assert_string_equal(e.text,
                      "slot.storage: found ltrf for 'ltrf' and slices for 'slices', expected one choice for a slot");
  struct err unknown = {0};
  assert_false(combine_pair((const char *const[]){"ltrf", "fineregg"}, &anywhere, &x, &unknown));
  assert_string_equal(unknown.text, "found 'fineregg'; did you mean 'FineReg' or 'finereg'?");
  struct err far = {0};
  assert_false(combine_pair((const char *const[]){"ltrf", "nothing-near"}, &anywhere, &x, &far));
  assert_non_null(strstr(far.text, "found 'nothing-near', expected a system "));
  const struct settings there = {.machine = "rtx2060"};
  assert_true(combine_pair((const char *const[]){"two_level", "victim"}, &there, &x, &e) && !x.legal);
  assert_non_null(strstr(x.why, "slot.l1 victim with sm.subcores true, expected sm.subcores=false: "));
}

/* A setting that no pair may have leaves none. */
static void settings_count(void **state) {
  (void)state;
  static struct combine c;
  struct err e = {0};
  const char *const set[] = {"rf.latency=200"};
  const int arg[] = {3};
  const struct settings s = {.set = set, .set_arg = arg, .nset = 1};
  if (!combine_all(&c, &s, &e)) fail_msg("%s", e.text);
  for (unsigned a = 0; a < c.n; a++)
    for (unsigned b = a + 1; b < c.n; b++)
      if (combine_asked(&c, a, b) && combine_of(&c, a, b)->legal)
        assert_int_equal(combine_of(&c, a, b)->cfg.rf_latency, 200);
  combine_free(&c);
  const struct settings wrong = {.set = (const char *const[]){"rf.latency=1"}, .set_arg = arg, .nset = 1};
  assert_false(combine_all(&c, &wrong, &e));
  assert_string_equal(e.file, "argument 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_system_on_each_machine),
                                     cmocka_unit_test(rules_are_mended),
                                     cmocka_unit_test(machines_are_named),
                                     cmocka_unit_test(the_matrix),
                                     cmocka_unit_test(pairs_by_name),
                                     cmocka_unit_test(settings_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

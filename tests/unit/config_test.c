/* SPDX-License-Identifier: Apache-2.0 */
/* config: machines hold the papers' numbers, every error has its place, and a dump reads back. */
#define _GNU_SOURCE /* mkstemps */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/keys.h"
#include "mem/mem.h"

static struct config machine(const char *name) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  if (!config_machine(&c, name, &e)) fail_msg("%s", e.text);
  if (!config_check(&c, &e)) fail_msg("%s", e.text);
  return c;
}

/* Of GPGPU-Sim's GTX 480 file. */
static void sets(const struct config *c) {
  assert_true(c->collector_sp_units == 6 && c->collector_sfu_units == 8 && c->collector_mem_units == 2);
}

static void gtx980(void **s) {
  (void)s;
  struct config c = machine("gtx980");
  assert_string_equal(c.machine, "gtx980");
  assert_int_equal(c.gpu_sms, 16);
  assert_int_equal(c.gpu_clock_mhz, 1126);
  assert_int_equal(c.sm_warps, 64);
  assert_int_equal(c.sm_threads, 2048);
  assert_int_equal(c.sm_ctas, 32);
  assert_int_equal(c.sm_schedulers, 4);
  assert_int_equal(c.slot_scheduler, slot_scheduler_gto);
  assert_int_equal(c.rf_bytes, 256 << 10);
  assert_int_equal(c.shared_bytes, 96 << 10);
  assert_int_equal(c.l1_bytes, 48 << 10);
  assert_int_equal(c.l1_ways, 8);
  assert_int_equal(c.l1_mshrs, 64);
  assert_int_equal(c.l2_bytes, 2048 << 10);
  assert_int_equal(c.l2_ways, 8);
  assert_int_equal(c.dram_mbps, 352500);
  assert_int_equal(c.dram_rcd_ps, 12000);
  assert_int_equal(c.dram_rp_ps, 12000);
  assert_int_equal(c.dram_rc_ps, 40000);
  assert_int_equal(c.dram_rrd_ps, 5500);
  assert_int_equal(c.dram_cl_ps, 12000);
  assert_int_equal(c.dram_wr_ps, 12000);
  sets(&c);
  assert_int_equal(c.lsu_queue, 2);
  assert_int_equal(c.dram_ras_ps, 28000);
}

static void gtx480(void **s) {
  (void)s;
  struct config c = machine("gtx480");
  assert_int_equal(c.gpu_sms, 15);
  assert_int_equal(c.gpu_clock_mhz, 1400);
  assert_int_equal(c.sm_warps, 48);
  assert_int_equal(c.sm_threads, 1536);
  assert_int_equal(c.sm_schedulers, 2);
  assert_int_equal(c.slot_scheduler, slot_scheduler_gto);
  assert_int_equal(c.rf_bytes, 128 << 10);
  assert_int_equal(c.rf_banks, 16);
  assert_false(c.rf_single_port);
  assert_int_equal(c.rf_results, 3);
  assert_int_equal(c.collector_units, 16);
  sets(&c);
  assert_int_equal(c.lsu_queue, 2);
  assert_int_equal(c.unit_sp_count, 2);
  assert_int_equal(c.unit_sfu_count, 1);
  assert_int_equal(c.shared_bytes, 48 << 10);
  assert_int_equal(c.l1_bytes, 16 << 10);
  assert_int_equal(c.l2_bytes, 768 << 10);
}

static void maxwell(void **s) {
  (void)s;
  struct config c = machine("maxwell");
  assert_int_equal(c.gpu_sms, 24);
  assert_int_equal(c.gpu_clock_mhz, 1137);
  assert_int_equal(c.sm_warps, 64);
  assert_int_equal(c.slot_scheduler, slot_scheduler_two_level);
  assert_int_equal(c.sm_active_warps, 8);
  assert_int_equal(c.rf_bytes, 256 << 10);
  assert_int_equal(c.rf_banks, 16);
  assert_int_equal(c.collector_units, 16);
  sets(&c);
  assert_int_equal(c.lsu_queue, 2);
  assert_int_equal(c.shared_bytes, 64 << 10);
  assert_int_equal(c.l1_bytes, 16 << 10);
  assert_int_equal(c.l1_ways, 4);
  assert_int_equal(c.icache_bytes, 2 << 10);
  assert_int_equal(c.icache_ways, 4);
  assert_int_equal(c.l2_bytes, 2 << 20);
  assert_int_equal(c.l2_ways, 8);
  assert_int_equal(c.dram_channels, 8);
  assert_int_equal(c.dram_mbps, 8 * 8 * 2 * 2700);
  assert_int_equal(c.dram_rrd_ps, 6000);
}

static void rtx2060(void **s) {
  (void)s;
  struct config c = machine("rtx2060");
  assert_int_equal(c.gpu_sms, 10);
  assert_int_equal(c.sm_warps, 32);
  assert_int_equal(c.sm_threads, 1024);
  assert_int_equal(c.sm_schedulers, 4);
  assert_true(c.sm_subcores);
  assert_int_equal(c.slot_scheduler, slot_scheduler_gto);
  assert_int_equal(c.rf_bytes, 256 << 10);
  assert_int_equal(c.rf_banks, 4 * 2);
  assert_true(c.rf_single_port);
  assert_int_equal(c.collector_units, 4 * 2);
  assert_int_equal(c.lsu_queue, 4 * 5);
  assert_int_equal(c.shared_bytes + c.l1_bytes, 64 << 10);
  assert_int_equal(c.l2_bytes, 1 << 20);
  assert_int_equal(c.icache_insn_bytes, 16);
  assert_int_equal(c.l1_mshrs, 256);
  assert_int_equal(c.noc_credits, c.l1_mshrs); /* no limit behind it is below it */
  assert_int_equal(c.l2_mshrs, c.l1_mshrs);
}

/* Load to use past the L1, as the machines' comments state: 3 cycles to the LSU, then the memory's own time. */
static void latencies_sum_to_the_measured_ones(void **s) {
  (void)s;
  static const struct {
    const char *name;
    uint64_t l2, dram;
  } want[] = {
      {"common", 207, 350}, {"gtx980", 207, 350}, {"maxwell", 207, 350}, {"gtx480", 310, 685}, {"rtx2060", 188, 411}};
  for (unsigned i = 0; i < 4; i++) {
    struct config c = machine(want[i].name);
    /* mem counts the reply of a whole line; a pointer chase wants one sector of it */
    uint64_t less = (uint64_t)((8 + 127) / c.noc_reply_bytes - (8 + 31) / c.noc_reply_bytes);
    assert_int_equal(3 + mem_hit_latency(&c) - less, want[i].l2);
    assert_int_equal(3 + mem_dram_latency(&c), want[i].dram);
  }
}

static void systems(void **s) {
  (void)s;
  struct err e = {0};
  struct config c, before = machine("maxwell");
  assert_true(config_load(&c, "maxwell", "baseline", &e));
  snprintf(before.system, sizeof before.system, "baseline");
  assert_memory_equal(&c, &before, sizeof c);
  assert_true(config_load(&c, "maxwell", "null", &e));
  assert_string_equal(c.system, "null");
  assert_true(c.sim_null_hooks);
  c.sim_null_hooks = false; /* it changes nothing else, the machine's two_level scheduler least of all */
  snprintf(c.system, sizeof c.system, "baseline");
  assert_memory_equal(&c, &before, sizeof c);
}

static void every_key_is_explained(void **s) {
  (void)s;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    if (!k->text[0] || !k->cite[0]) fail_msg("%s.%s: no text or no citation", k->section, k->name);
    if (k->type == KEY_INT && !k->unit[0]) fail_msg("%s.%s: no unit", k->section, k->name);
    if (k->type == KEY_INT && (k->def < k->least || k->def > k->most))
      fail_msg("%s.%s: default out of range", k->section, k->name);
  }
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  assert_true(config_check(&c, &e));
  assert_true(config_known("rf"));
  assert_true(config_known("rf.banks"));
  assert_false(config_known("rf.bank"));
}

static void names(void **s) {
  (void)s;
  const char *want[] = {"common", "gtx480", "gtx980", "maxwell", "rtx2060"};
  const struct config_name *m = config_machines();
  for (unsigned i = 0; i < 5; i++, m++) {
    assert_string_equal(m->name, want[i]);
    assert_true(strlen(m->text) > 20);
  }
  assert_null(m->name);
  unsigned found = 0;
  for (const struct config_name *n = config_systems(); n->name; n++)
    found += !strcmp(n->name, "baseline") || !strcmp(n->name, "FR-Base");
  assert_int_equal(found, 2);
}

/* What a dump says is the whole configuration: read over the defaults it gives the same. */
static void dump_reads_back(void **s) {
  (void)s;
  for (const struct config_name *m = config_machines(); m->name; m++) {
    struct config c = machine(m->name), back;
    struct err e = {0};
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    config_dump(&c, f);
    fclose(f);
    config_defaults(&back);
    if (!config_text(&back, "dump", text, n, &e)) fail_msg("%d:%d %s", e.line, e.col, e.text);
    snprintf(back.machine, sizeof back.machine, "%s", c.machine);
    assert_memory_equal(&c, &back, sizeof c);
    free(text);
  }
}

static void refuse(const char *text, int line, int col, const char *message) {
  struct config c;
  struct err e = {0};
  config_defaults(&c);
  assert_false(config_text(&c, "x.conf", text, strlen(text), &e));
  if (!strstr(e.text, message)) fail_msg("found \"%s\", expected \"%s\"", e.text, message);
  assert_string_equal(e.file, "x.conf");
  assert_int_equal(e.line, line);
  assert_int_equal(e.col, col);
}

static void errors_have_places(void **s) {
  (void)s;
  refuse("rf:\n  bankz: 3\n", 2, 3, "unknown key 'bankz' in section 'rf'; did you mean 'rf.banks'?");
  refuse("l1:\n  quantum: 3\n", 2, 3, "did you mean 'gpu.quantum'?");
  refuse("rg:\n  banks: 3\n", 1, 1, "unknown section 'rg'; did you mean 'rf'?");
  refuse("sm:\n  warps: 0\n", 2, 10, "sm.warps: found 0, expected 1 to 256 warps");
  refuse("sm:\n  warps: 99999999999999999999999\n", 2, 10, "expected 1 to 256 warps");
  refuse("sm:\n  warps: many\n", 2, 10, "found 'many', expected a whole number (warps, from 1 to 256)");
  refuse("sm:\n  warps: \"8\"\n", 2, 10, "found quoted text '8'");
  refuse("sm:\n  warps: 1.5\n", 2, 10, "expected a whole number");
  refuse("sm:\n  warps: 8\n  warps: 9\n", 3, 3, "a second time");
  refuse("sm:\n  subcores: maybe\n", 2, 13, "expected true or false");
  refuse("slot:\n  l1: huge\n", 2, 7, "found 'huge', expected one of plain");
  refuse("sm: 3\n", 1, 5, "found a single value, expected a mapping of keys to values for section 'sm'");
  refuse("sm:\n  - warps\n", 2, 3, "found a list");
  refuse("sm:\n  warps: [1]\n", 2, 10, "found a list, expected one value for 'sm.warps'");
  refuse("- sm\n", 1, 1, "found a list, expected a mapping of sections");
  refuse("sm:\n  warps: 8\n---\nsm:\n  warps: 8\n", 3, 1, "second document");
  refuse("sm:\n\twarps: 8\n", 2, 1, "broken YAML");
  refuse("sm: &a\n  warps: *a\n", 2, 10, "found an alias");
  refuse("sm: {warps: 8\n", 2, 1, "broken YAML");
}

static void set_on_the_command_line(void **s) {
  (void)s;
  struct config c;
  config_defaults(&c);
  struct err e = {0};
  assert_true(config_set(&c, "rf.banks=8", 3, &e));
  assert_int_equal(c.rf_banks, 8);
  assert_true(config_set(&c, "slot.scheduler=lrr", 3, &e));
  assert_int_equal(c.slot_scheduler, slot_scheduler_lrr);
  const char *bad[][2] = {{"rf.banks", "expected --set section.key=value"},
                          {"banks=3", "expected --set"},
                          {"rf.=3", "expected --set"},
                          {".banks=3", "expected --set"},
                          {"rf.bank=3", "did you mean 'rf.banks'?"},
                          {"rff.banks=3", "did you mean 'rf'?"},
                          {"rf.banks=129", "expected 1 to 128 banks"},
                          {"rf.banks=", "expected a whole number"}};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct err b = {0};
    assert_false(config_set(&c, bad[i][0], 7, &b));
    assert_string_equal(b.file, "argument 7");
    if (!strstr(b.text, bad[i][1])) fail_msg("%s: %s", bad[i][0], b.text);
  }
  assert_int_equal(c.rf_banks, 8);
}

static void rules_between_keys(void **s) {
  (void)s;
  const char *bad[][2] = {{"gpu.quantum=65", "noc.latency"},
                          {"sm.warps=3", "expected sm.warps=4 or another multiple of sm.schedulers"},
                          {"sm.warps=63", "sm.warps=60 or another multiple of sm.schedulers"},
                          {"rf.bytes=4097", "rf.bytes=4096 or another multiple of rf.banks x 128"},
                          {"l1.sector=64", "l1.sector=0 (whole lines)"},
                          {"l1.bytes=1000", "l1.ways x 128"},
                          {"icache.bytes=300", "icache.ways"},
                          {"l2.bytes=4096", "one SM's share"},
                          {"dram.ras_ps=50000", "dram.rc_ps"},
                          {"dram.rcd_ps=30000", "dram.ras_ps"},
                          {"dram.write_low=28", "dram.write_high"},
                          {"dram.write_high=33", "dram.queue"},
                          {"sm.active_warps=100", "sm.warps"},
                          {"collector.mem_units=16",
                           "expected collector.sp_units=0, collector.sfu_units=0 and collector.mem_units=0, or none 0 "
                           "and their sum the 16 of "}};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct config c;
    struct err e = {0};
    config_defaults(&c);
    assert_true(config_set(&c, bad[i][0], 1, &e));
    assert_false(config_check(&c, &e));
    if (!strstr(e.text, bad[i][1])) fail_msg("%s: %s", bad[i][0], e.text);
  }
}

static void unknown_names_and_files(void **s) {
  (void)s;
  struct config c;
  config_defaults(&c);
  struct err e = {0}, f = {0}, g = {0}, near = {0}, system = {0};
  assert_false(config_machine(&c, "warped", &e));
  assert_non_null(strstr(e.text, "expected common, gtx480, gtx980, maxwell, rtx2060 or the path"));
  assert_false(config_machine(&c, "gtx9800", &near));
  assert_string_equal(near.text, "found unknown machine 'gtx9800'; did you mean 'gtx980'?");
  assert_false(config_load(&c, NULL, "FinReg", &system));
  assert_string_equal(system.text, "found unknown system 'FinReg'; did you mean 'FineReg'?");
  assert_false(config_load(&c, NULL, "warped", &f));
  for (const struct config_name *n = config_systems(); n->name; n++) assert_non_null(strstr(f.text, n->name));
  assert_non_null(strstr(f.text, " or the path of a .conf file"));
  assert_false(config_machine(&c, "/nonexistent/x.conf", &g));
  assert_string_equal(g.file, "/nonexistent/x.conf");
}

/* A system may do no more than name its machine. */
static void system_with_a_machine_alone(void **s) {
  (void)s;
  char path[] = "/tmp/regtwin-config-XXXXXX.conf";
  const int fd = mkstemps(path, 5);
  assert_true(fd >= 0 && write(fd, "machine: rtx2060\n", 17) == 17 && !close(fd));
  struct config c;
  struct err e = {0};
  const bool ok = config_load(&c, NULL, path, &e);
  unlink(path);
  if (!ok) fail_msg("%s", e.text);
  assert_string_equal(c.machine, "rtx2060");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gtx980),
      cmocka_unit_test(gtx480),
      cmocka_unit_test(maxwell),
      cmocka_unit_test(rtx2060),
      cmocka_unit_test(latencies_sum_to_the_measured_ones),
      cmocka_unit_test(systems),
      cmocka_unit_test(every_key_is_explained),
      cmocka_unit_test(names),
      cmocka_unit_test(dump_reads_back),
      cmocka_unit_test(errors_have_places),
      cmocka_unit_test(set_on_the_command_line),
      cmocka_unit_test(rules_between_keys),
      cmocka_unit_test(unknown_names_and_files),
      cmocka_unit_test(system_with_a_machine_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

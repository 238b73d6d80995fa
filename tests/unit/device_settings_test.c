/* SPDX-License-Identifier: Apache-2.0 */
/* device_settings_test: how a session is opened, what it times, and the JSON of its launches. */
#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_kit.h"

#include "base/io.h"

/* Files of this process alone: the plain and the sanitized test run at the same time. */
static char folder[] = "/tmp/device_settings_test_XXXXXX", json[64], caught[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  snprintf(json, sizeof json, "%s/device.json", folder);
  snprintf(caught, sizeof caught, "%s/caught.txt", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(json);
  unlink(caught);
  return rmdir(folder);
}

/* ---- settings ---- */

static void opening_fails(void **state) {
  (void)state;
  static const char *const unknown[] = {"sm.warps=3", "sm.nothing=1", "", "sm.warps", "gpu.sms=x", "sim.roi=1..2"};
  static const char *const exact[] = {"malekeh.near=exact"};
  static const char *const file[] = {"malekeh.profile=x.reuse"};
  static const char *const time[] = {"",    ",",     "fill,",     ",fill",      "3-2",
                                     "3-x", "-3",    "1--2",      "4294967296", "1-4294967296",
                                     "3 4", "all,1", "none,fill", "1x",         "99999999999999999999999999"};
  const struct device_settings bad[] = {{.machine = "gtx1"},
                                        {.machine = "./nothing.conf"},
                                        {.system = "None"},
                                        {.system = "Malekeh", .set = exact, .sets = 1},
                                        {.system = "Malekeh", .set = file, .sets = 1},
                                        {.machine = "gtx980", .system = "Malekeh"}};
  struct err e = {0};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    e = (struct err){0};
    assert_null(device_open(&bad[i], &e));
    assert_true(e.set);
  }
  for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    e = (struct err){0};
    assert_null(device_open(&(struct device_settings){.set = &unknown[i], .sets = 1}, &e));
    assert_true(e.set);
  }
  for (unsigned i = 0; i < sizeof time / sizeof *time; i++) {
    e = (struct err){0};
    assert_null(device_open(&(struct device_settings){.time = time[i]}, &e));
    assert_non_null(strstr(e.text, "expected the launches to be timed"));
  }
}

static void settings_are_copied(void **state) {
  (void)state;
  char machine[] = "rtx2060", system[] = "VT", set[] = "l1.bytes=32768", time[] = "fill";
  const char *sets[] = {set};
  struct device *d =
      open_with(&(struct device_settings){.machine = machine, .system = system, .set = sets, .sets = 1, .time = time});
  memset(machine, 'x', sizeof machine - 1);
  memset(system, 'x', sizeof system - 1);
  memset(set, 'x', sizeof set - 1);
  memset(time, 'x', sizeof time - 1);
  assert_string_equal(device_config(d)->machine, "rtx2060");
  assert_string_equal(device_config(d)->system, "VT");
  assert_int_equal(device_config(d)->l1_bytes, 32768);
  assert_true(fill(d, kernel(load(d, HEAD FILL), "fill"), buffer(d, 4096), 1024, 0) > 0);
  device_close(d);
  d = open_with(&(struct device_settings){.system = "Malekeh"}); /* its own machine */
  assert_string_equal(device_config(d)->machine, "rtx2060");
  device_close(d);
}

static const char *const variables[] = {"REGTWIN_CONFIG", "REGTWIN_SYSTEM", "REGTWIN_SET", "REGTWIN_TIME",
                                        "REGTWIN_BOUNDS", "REGTWIN_JSON",   "REGTWIN_RUN"};

static void no_environment(void) {
  for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
}

static void environment(void **state) {
  (void)state;
  struct device_env env;
  struct err e = {0};
  no_environment();
  assert_true(device_env_read(&env, &e));
  assert_true(!env.settings.machine && !env.settings.system && !env.settings.sets && !env.settings.time && !env.json);
  assert_false(env.settings.lenient);
  device_env_free(&env);
  setenv("REGTWIN_CONFIG", "rtx2060", 1);
  setenv("REGTWIN_SYSTEM", "VT", 1);
  setenv("REGTWIN_SET", "  l1.bytes=32768\tsm.schedulers=2  ", 1);
  setenv("REGTWIN_TIME", "fill,3-", 1);
  setenv("REGTWIN_BOUNDS", "lenient", 1);
  setenv("REGTWIN_JSON", json, 1);
  assert_true(device_env_read(&env, &e));
  assert_true(env.settings.sets == 2 && env.settings.lenient && !strcmp(env.json, json));
  struct device *d = open_with(&env.settings);
  device_env_free(&env);
  assert_int_equal(device_config(d)->l1_bytes, 32768);
  assert_int_equal(device_config(d)->sm_schedulers, 2);
  assert_string_equal(device_config(d)->machine, "rtx2060");
  device_close(d);
  for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) setenv(variables[i], "", 1); /* as if not set */
  assert_true(device_env_read(&env, &e));
  assert_true(!env.settings.machine && !env.settings.sets && !env.json);
  device_env_free(&env);
  no_environment();
}

static void environment_is_wrong(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"REGTWIN_CONFIG", "gtx1"},          {"REGTWIN_SYSTEM", "None"}, {"REGTWIN_SET", "sm.warps=64 x"},
      {"REGTWIN_SET", "sm.warps=1x"},      {"REGTWIN_TIME", "a,,b"},   {"REGTWIN_BOUNDS", "Strict"},
      {"REGTWIN_JSON", "/nowhere/x.json"}, {"REGTWIN_JSON", "/tmp"}};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct device_env env;
    struct err e = {0};
    no_environment();
    setenv(bad[i][0], bad[i][1], 1);
    assert_false(device_env_read(&env, &e));
    if (!strstr(e.text, bad[i][0]) || !strstr(e.text, bad[i][0] + 3)) fail_msg("%s", e.text);
    if (strstr(e.file, "argument")) fail_msg("%s: %s", e.file, e.text); /* a variable is no argument */
    device_env_free(&env);
  }
  no_environment();
}

/* ---- what is timed ---- */

#define TWO ".visible .entry _Z4justv() { ret; }\n"

/* Of six launches: fill, just, fill, just, fill, just. */
static unsigned timed(const char *time) {
  struct device *d = open_with(&(struct device_settings){.time = time});
  struct device_module *m = load(d, HEAD FILL TWO);
  const uint32_t a = buffer(d, 4096);
  struct err e;
  unsigned mask = 0;
  uint64_t ns = 0;
  for (unsigned i = 0; i < 6; i++) {
    const struct fill p = {a, i};
    struct device_result r;
    const bool fills = i % 2 == 0;
    if (go(d, kernel(m, fills ? "fill" : "_Z4justv"), 1, 64, fills ? &p : NULL, fills ? FILL_BYTES : 0, &r, &e))
      fail_msg("%s", e.text);
    assert_int_equal(r.index, i);
    assert_int_equal(r.begin_ns, ns);
    assert_true(r.timed ? r.cycles > 0 && r.sm.cycles == r.cycles : !r.cycles && r.end_ns == ns && !r.sm.fetched);
    assert_true(r.sm.warp_insns >= 2);
    assert_int_equal(((uint32_t *)(void *)device_at(d, a, 256))[63], 63 + i / 2 * 2);
    ns = r.end_ns;
    mask |= (unsigned)r.timed << i;
  }
  assert_int_equal(device_ns(d), ns);
  device_close(d);
  return mask;
}

static void launches_are_chosen(void **state) {
  (void)state;
  assert_int_equal(timed(NULL), 63);
  assert_int_equal(timed("all"), 63);
  assert_int_equal(timed("none"), 0);
  assert_int_equal(timed("fill"), 21);
  assert_int_equal(timed("just"), 42);
  assert_int_equal(timed("_Z4justv"), 42);
  assert_int_equal(timed("jus,4"), 16);
  assert_int_equal(timed("2-3"), 12);
  assert_int_equal(timed("4-"), 48);
  assert_int_equal(timed("0,fill,5-4294967295"), 53);
}

static void stopping(void **state) {
  (void)state;
  static const char *const set[] = {"sim.stop_ctas=20"};
  struct device *d = open_with(&(struct device_settings){.set = set, .sets = 1});
  struct device_module *m = load(d, HEAD FILL);
  struct err e;
  struct device_result r;
  const struct fill p = {buffer(d, 1 << 20), 0};
  assert_int_equal(go(d, kernel(m, "fill"), 4, 64, &p, FILL_BYTES, &r, &e), DEVICE_OK);
  assert_int_equal(go(d, kernel(m, "fill"), 4096, 64, &p, FILL_BYTES, &r, &e), DEVICE_SPENT);
  assert_true(r.sm.ctas < 4096 && r.cycles > 0);
  assert_non_null(strstr(e.text, "sim.stop_ctas"));
  assert_int_equal(go(d, kernel(m, "fill"), 4, 64, &p, FILL_BYTES, &r, &e), DEVICE_SPENT);
  assert_int_equal(d->history.n, 2);
  device_close(d);
}

/* ---- JSON ---- */

static char *text_of(const char *path) {
  char why[IO_WHY];
  size_t n;
  char *text = input_read(path, 1 << 26, &n, why);
  assert_non_null(text);
  return text;
}

static json_t *written(struct device *d) {
  struct err e = {0};
  json_error_t at;
  if (!write_json(d, json, &e)) fail_msg("%s", e.text);
  json_t *j = json_load_file(json, 0, &at);
  if (!j) fail_msg("%d: %s", at.line, at.text);
  return j;
}

static json_int_t number(json_t *o, const char *a, const char *b) {
  json_t *v = json_object_get(o, a);
  if (b) v = json_object_get(v, b);
  assert_true(json_is_integer(v));
  return json_integer_value(v);
}

static struct device *some_launches(const char *system, const char *time) {
  struct device *d = open_with(&(struct device_settings){.system = system, .time = time, .launches = true});
  struct device_module *m = load(d, HEAD FILL TWO);
  const uint32_t a = buffer(d, 1 << 16);
  struct err e;
  for (unsigned i = 0; i < 4; i++) fill(d, kernel(m, "fill"), a, 1u << (10 + i), i);
  assert_int_equal(go(d, kernel(m, "_Z4justv"), 2, 96, NULL, 0, NULL, &e), DEVICE_OK);
  return d;
}

static void json_of_launches(void **state) {
  (void)state;
  struct device *d = some_launches("FineReg", "0-2,just");
  json_t *j = written(d), *all = json_object_get(j, "launches"), *total = json_object_get(j, "totals"), *l;
  json_int_t cycles = 0, insns = 0, reads = 0, ns = 0;
  size_t i;
  assert_string_equal(json_string_value(json_object_get(j, "machine")), "gtx980");
  assert_string_equal(json_string_value(json_object_get(j, "system")), "FineReg");
  assert_string_equal(json_string_value(json_object_get(j, "bounds")), "strict");
  assert_string_equal(json_string_value(json_object_get(j, "time")), "0-2,just");
  assert_true(json_is_object(json_object_get(json_object_get(j, "configuration"), "sm")));
  assert_int_equal(json_array_size(all), 5);
  json_array_foreach(all, i, l) {
    assert_int_equal(number(l, "launch", NULL), i);
    assert_int_equal(json_is_true(json_object_get(l, "timed")), i != 3);
    assert_true(json_is_null(json_object_get(l, "failed")));
    assert_string_equal(json_string_value(json_object_get(l, "kernel")), i == 4 ? "_Z4justv" : "fill");
    insns += number(l, "warp_instructions", NULL);
    assert_int_equal(number(l, "begin_ns", NULL), ns);
    ns = number(l, "end_ns", NULL);
    if (i == 3) {
      assert_true(json_is_null(json_object_get(l, "cycles")) && json_is_null(json_object_get(l, "counters")));
      continue;
    }
    cycles += number(l, "cycles", NULL);
    reads += number(l, "counters", "rf_reads");
    assert_true(number(l, "memory", "mem_req_writes") > 0 || i == 4);
  }
  assert_int_equal(number(total, "launches", NULL), 5);
  assert_int_equal(number(total, "launches_timed", NULL), 4);
  assert_int_equal(number(total, "cycles", NULL), cycles);
  assert_int_equal(number(total, "warp_instructions", NULL), insns);
  assert_int_equal(number(total, "counters", "rf_reads"), reads);
  assert_int_equal(number(total, "ns", NULL), ns);
  assert_int_equal(ns, cycles * 1000 / device_config(d)->gpu_clock_mhz);
  json_decref(j);
  device_close(d);
}

static void json_is_the_same_each_time(void **state) {
  (void)state;
  static const char *const system[] = {"baseline", "FineReg", "LB", "Malekeh"};
  for (unsigned i = 0; i < 4; i++) {
    char *text[2];
    struct device *other = some_launches("VT", "none"); /* beside it */
    for (unsigned k = 0; k < 2; k++) {
      struct device *d = some_launches(system[i], NULL);
      json_decref(written(d));
      text[k] = text_of(json);
      device_close(d);
    }
    device_close(other);
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
  }
}

static void json_without_launches(void **state) {
  (void)state;
  struct device *d = open_plain();
  json_t *j = written(d);
  assert_int_equal(json_array_size(json_object_get(j, "launches")), 0);
  assert_true(json_is_null(json_object_get(json_object_get(j, "totals"), "cycles")));
  json_decref(j);
  device_close(d);
}

/* Bytes of the heap that some launches leave in use. */
static size_t heap_of_launches(const char *time, bool listed, unsigned launches) {
  struct device *d = open_with(&(struct device_settings){.time = time, .launches = listed});
  struct device_module *m = load(d, HEAD FILL TWO);
  const struct fill p = {buffer(d, 4096), 0};
  struct err e;
  go(d, kernel(m, "fill"), 1, 32, &p, FILL_BYTES, NULL, &e);
  const size_t before = mallinfo2().uordblks;
  for (unsigned i = 0; i < launches; i++) go(d, kernel(m, "fill"), 1, 32, &p, FILL_BYTES, NULL, &e);
  const size_t after = mallinfo2().uordblks;
  device_close(d);
  return after > before ? after - before : 0;
}

/* With sanitizers the heap is another, and mallinfo2 finds nothing. */
static void launches_take_little_memory(void **state) {
  (void)state;
  enum { N = 5000 };
  assert_in_range(heap_of_launches("none", false, N), 0, 4 * N);
  assert_in_range(heap_of_launches("all", false, N), 0, 4 * N);
  assert_in_range(heap_of_launches("none", true, N), 0, 50 * N);
  assert_in_range(heap_of_launches("all", true, N), 0, 200 * N);
}

static void json_of_a_failure(void **state) {
  (void)state;
  struct device *d = open_with(&(struct device_settings){.launches = true});
  struct device_module *m = load(d, HEAD FILL ".visible .entry fails() { trap; }\n");
  struct err e;
  fill(d, kernel(m, "fill"), buffer(d, 4096), 1024, 0);
  assert_int_equal(go(d, kernel(m, "fails"), 1, 32, NULL, 0, NULL, &e), DEVICE_FAULT);
  device_unload(m); /* the record has its name */
  json_t *j = written(d), *l = json_array_get(json_object_get(j, "launches"), 1);
  assert_string_equal(json_string_value(json_object_get(l, "kernel")), "fails");
  assert_non_null(strstr(json_string_value(json_object_get(l, "failed")), "t.ptx:10"));
  json_decref(j);
  device_close(d);
}

static void json_cannot_be_written(void **state) {
  (void)state;
  struct device *d = some_launches(NULL, NULL);
  struct stat st;
  static const char *const bad[] = {"/nowhere/x.json", "/tmp", "/dev/full", ""};
  for (unsigned i = 0; i < 4; i++) {
    struct err e = {0};
    assert_false(write_json(d, bad[i], &e));
    assert_true(e.set);
  }
  assert_true(!stat("/dev/full", &st) && S_ISCHR(st.st_mode));
  json_decref(written(d)); /* the file from before is replaced as a whole */
  device_close(d);
}

/* ---- what appears on a standard stream ---- */

static int divert(int fd) {
  const int old = dup(fd), to = open(caught, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  fflush(NULL);
  assert_true(old >= 0 && to >= 0 && dup2(to, fd) == fd);
  close(to);
  return old;
}

static char *end_divert(int fd, int old) {
  fflush(NULL);
  dup2(old, fd);
  close(old);
  return text_of(caught);
}

static void json_on_standard_output(void **state) {
  (void)state;
  struct device *d = some_launches(NULL, NULL);
  struct err e = {0};
  json_decref(written(d));
  const int old = divert(1);
  const bool ok = write_json(d, "-", &e);
  char *shown = end_divert(1, old), *file = text_of(json);
  assert_true(ok);
  assert_string_equal(shown, file);
  free(shown);
  free(file);
  device_close(d);
}

/* A plan that is only asked for warns of nothing; the first launch does, once for all SMs. */
static void a_warning_appears_once(void **state) {
  (void)state;
  static const char *const set[] = {"finereg.acrf_bytes=4096", "sim.sms=2"};
  struct device *d = open_with(&(struct device_settings){.system = "FineReg", .set = set, .sets = 2});
  struct device_module *m = load(d, HEAD FILL);
  const uint32_t a = buffer(d, 1 << 16);
  const int old = divert(2);
  for (uint32_t threads = 128; threads <= 1024; threads += 128) device_occupancy(kernel(m, "fill"), threads, 0);
  struct err e;
  const struct fill p = {a, 0};
  for (unsigned i = 0; i < 3; i++) go(d, kernel(m, "fill"), 4, 512 << (i & 1), &p, FILL_BYTES, NULL, &e);
  char *shown = end_divert(2, old), *first = strstr(shown, "runs without FineReg");
  assert_non_null(first);
  assert_null(strstr(first + 1, "runs without FineReg"));
  free(shown);
  device_close(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening_fails),
      cmocka_unit_test(settings_are_copied),
      cmocka_unit_test(environment),
      cmocka_unit_test(environment_is_wrong),
      cmocka_unit_test(launches_are_chosen),
      cmocka_unit_test(stopping),
      cmocka_unit_test(json_of_launches),
      cmocka_unit_test(json_is_the_same_each_time),
      cmocka_unit_test(json_without_launches),
      cmocka_unit_test(launches_take_little_memory),
      cmocka_unit_test(json_of_a_failure),
      cmocka_unit_test(json_cannot_be_written),
      cmocka_unit_test(json_on_standard_output),
      cmocka_unit_test(a_warning_appears_once),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

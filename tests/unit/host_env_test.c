/* SPDX-License-Identifier: Apache-2.0 */
/* host_env: settings of a host program's thread, and the library under them (regtwin.h). */
#define _GNU_SOURCE /* feenableexcept, uselocale */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/host_env.h"
#include "regtwin.h"
#include "unit/host_env_kit.h"

static volatile float tiny = 1e-40f, zero, one = 1, three = 3;
static volatile long double ten = 10;

static bool usual(void) {
  return settings_are(&(struct settings){FE_TONEAREST, 0, 0, '.', uselocale((locale_t)0)}) && tiny * 0.5f > 0 &&
         one / zero > 1 && one / three == 0x1.555556p-2f && strtod("1.5", NULL) == 1.5;
}

static void enter_and_leave(const char *locale) {
  assert_true(usual());
  const struct settings mine = settings_foreign(locale);
  for (unsigned i = 0; i < 2; i++) { /* also when nothing is to be saved that was not saved before */
    host_env_enter();
    const bool inside = usual();
    host_env_enter();
    const bool nested = usual();
    host_env_leave();
    const bool still = usual();
    host_env_leave();
    const bool restored = settings_are(&mine);
    host_env_enter();
    assert_true(inside && nested && still && restored);
    host_env_leave();
  }
  settings_usual();
}

static void settings_change(void **state) {
  (void)state;
  enter_and_leave("C");
}

static void locale_changes(void **state) {
  (void)state;
  enter_and_leave("comma");
  setlocale(LC_ALL, "comma");
  locale_t own = duplocale(LC_GLOBAL_LOCALE), before = uselocale(own); /* of this thread alone */
  setlocale(LC_ALL, "C");
  char inside[8], after[8];
  host_env_enter();
  snprintf(inside, sizeof inside, "%.1f", 1.5);
  host_env_leave();
  snprintf(after, sizeof after, "%.1f", 1.5);
  assert_true(uselocale(before) == own);
  freelocale(own);
  assert_string_equal(inside, "1.5");
  assert_string_equal(after, "1,5");
}

/* Exceptions of the library are none of the host program's, and its own are kept. A flag does not trap when its trap is restored, nor on
 * the way in. */
static void flags_are_kept(void **state) {
  (void)state;
  for (unsigned mine = 0; mine < 2; mine++) {
    feclearexcept(FE_ALL_EXCEPT);
    if (mine) feraiseexcept(FE_UNDERFLOW | FE_DIVBYZERO);
    const int before = fetestexcept(FE_ALL_EXCEPT);
    host_env_enter();
    const bool none = !mine || !fetestexcept(FE_DIVBYZERO);
    (void)(one / zero);
    (void)(1 / ten); /* by the x87 unit on x86-64 */
    ten = 1 / ten, ten = 10;
    one = one / three, one = 1;
    host_env_leave();
    assert_true(none);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), before);
  }
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INEXACT);
  host_env_enter();
  ten = 1 / ten, ten = 10;
  host_env_leave();
  ten = ten + 1, ten = ten - 1; /* exact: traps if the flag was left */
  const int traps = fegetexcept();
  settings_usual();
  assert_int_equal(traps, FE_INEXACT);
}

/* ---- regtwin.h ---- */

static char folder[] = "/tmp/regtwin-host-env-XXXXXX", path[64];

static void write_file(const char *name, const char *text) {
  char full[128];
  snprintf(full, sizeof full, "%s/%s", folder, name);
  FILE *f = fopen(full, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0 && !fclose(f));
}

static int make_files(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/x.launch", folder);
  write_file("x.ptx", host_env_ptx);
  write_file(
      "x.launch",
      "ptx x.ptx\nlet a = 1.5\nbuffer p u32 10 zero\nbuffer r f32 64 rand -0.5 2.5\nlaunch k grid 1 block 1 args (p)\n"
      "expect p[0] 107043\nexpect p[2] 1068827891\nexpect r expr r[i] * a / 1.5 rel 1e-6\n");
  return 0;
}
static int remove_files(void **state) {
  (void)state;
  char command[80];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

struct seen {
  struct settings *mine;
  unsigned calls, other;
};
static void progress(void *ctx, uint64_t cycle, uint32_t done, uint32_t ctas) {
  (void)cycle, (void)done, (void)ctas;
  struct seen *s = ctx;
  s->calls++;
  s->other += !settings_are(s->mine);
}

/* The JSON of a run, without what it says of the host. */
static char *run(struct settings *mine, struct seen *seen) {
  rt_error e = {0};
  char value[32] = "";
  double ipc = 0;
  *seen = (struct seen){.mine = mine};
  rt_config *c = rt_config_new("gtx980", NULL, &e);
  rt_workload *w = rt_open(path, NULL, &e);
  const bool set =
      c && w && rt_config_set(c, "gpu.clock_mhz", "x1.5", &e) && rt_config_get(c, "gpu.clock_mhz", value, sizeof value);
  rt_result *r = set ? rt_run(w, c, &(rt_options){.progress = progress, .ctx = seen}, &e) : NULL;
  const bool has = r && rt_statistic(r, "ipc", &ipc);
  char *text = has ? strdup(rt_json(r)) : NULL;
  rt_result_free(r), rt_close(w), rt_config_free(c);
  if (!text) fprintf(stderr, "%s:%d: %s\n", e.file, e.line, e.text);
  static const char *const host[] = {"\"host_seconds\"", "\"warp_instructions_per_second\"", "\"cycles_per_second\"",
                                     "\"peak_rss_bytes\""};
  for (unsigned i = 0; text && i < 4; i++) {
    char *at = strstr(text, host[i]), *end = at ? strchr(at, '\n') : NULL;
    if (end) memmove(at, end, strlen(end) + 1);
  }
  if (text && strcmp(value, "1689")) fprintf(stderr, "gpu.clock_mhz is %s\n", value), *text = 0;
  return text;
}

static void library(const char *locale) {
  struct seen seen;
  struct settings mine = settings_now();
  char *plain = run(&mine, &seen);
  assert_non_null(plain);
  assert_true(seen.calls && !seen.other);
  mine = settings_foreign(locale);
  char *other = run(&mine, &seen);
  const bool kept = settings_are(&mine);
  settings_usual();
  assert_true(kept && seen.calls && !seen.other);
  assert_non_null(other);
  assert_string_equal(other, plain);
  free(plain), free(other);
}

static void library_under_settings(void **state) {
  (void)state;
  library("C");
}
static void locale_of_the_library(void **state) {
  (void)state;
  library("comma");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(settings_change), cmocka_unit_test(locale_changes),
                                     cmocka_unit_test(flags_are_kept), cmocka_unit_test(library_under_settings),
                                     cmocka_unit_test(locale_of_the_library)};
  comma_locale("host_env");
  return cmocka_run_group_tests(tests, make_files, remove_files);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_env_kit: settings that a host program may have made before it calls a library, and a kernel whose results and text
 * depend on them if the library does not set its own (base/host_env.h).
 */
#ifndef RT_TESTS_HOST_ENV_KIT_H
#define RT_TESTS_HOST_ENV_KIT_H

#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- settings ---- */

struct settings {
  int round, traps;
  unsigned zeros; /* FTZ and DAZ of MXCSR */
  char decimal;
  locale_t locale; /* of this thread alone */
};

static inline unsigned zeros(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & 0x8040;
#else
  return 0;
#endif
}

static inline bool settings_are(const struct settings *s) {
  return fegetround() == s->round && fegetexcept() == s->traps && zeros() == s->zeros &&
         *localeconv()->decimal_point == s->decimal && uselocale((locale_t)0) == s->locale;
}

static inline struct settings settings_now(void) {
  return (struct settings){fegetround(), fegetexcept(), zeros(), *localeconv()->decimal_point, uselocale((locale_t)0)};
}

/* What -ffast-math, fesetround, feenableexcept and setlocale do. Traps end the process when a kernel divides by zero. */
static inline struct settings settings_foreign(const char *locale) {
  if (!setlocale(LC_ALL, locale)) abort();
  signal(SIGFPE, SIG_DFL); /* cmocka would go on within the call that trapped */
  fesetround(FE_UPWARD);
  feenableexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
  return settings_now();
}

static inline void settings_usual(void) {
  fesetenv(FE_DFL_ENV);
  setlocale(LC_ALL, "C");
}

/* ---- a locale with a decimal comma ---- */

static char comma_folder[] = "/tmp/regtwin-locale-XXXXXX";
static pid_t comma_owner;
static inline void comma_remove(void) {
  char command[80];
  snprintf(command, sizeof command, "rm -rf %s", comma_folder);
  if (getpid() == comma_owner && system(command)) fprintf(stderr, "%s is left\n", comma_folder);
}

/* setlocale knows "comma" from here on. False: this system cannot make one; then tests named locale_... are skipped, and a
 * line of `program` says so. localedef is a part of Debian's libc-bin; nothing of the package locales is needed. */
static inline bool comma_locale(const char *program) {
  char command[600];
  comma_owner = getpid();
  if (!mkdtemp(comma_folder)) return false;
  atexit(comma_remove);
  snprintf(command, sizeof command,
           "cd %s && printf '%%s\\n' '<code_set_name> ASCII' '<escape_char> /' CHARMAP '<U0000>..<U007F> /x00' "
           "'END CHARMAP' >charmap && printf '%%s\\n' 'escape_char /' LC_NUMERIC 'decimal_point \",\"' "
           "'thousands_sep \".\"' 'grouping 3;3' 'END LC_NUMERIC' >source && "
           "localedef -c -f ./charmap -i ./source ./comma >log 2>&1", /* it warns of every category that is not there */
           comma_folder);
  const int status = system(command);
  setenv("LOCPATH", comma_folder, 1);
  const bool is = WIFEXITED(status) && setlocale(LC_ALL, "comma") && *localeconv()->decimal_point == ',';
  setlocale(LC_ALL, "C");
  if (is) return true;
  printf("ok - %s: in a locale with a decimal comma # SKIP localedef cannot make one here\n", program);
  cmocka_set_skip_filter("locale_*");
  return false;
}

/* ---- a kernel ---- */

enum { HOST_ENV_WORDS = 16 };
static const char host_env_text[] = "2.25\n";
/* k(p): 10 words at p; prints host_env_text. One thread. */
static const char host_env_ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 8 .f64 value[1] = {2.25};\n"
    ".global .align 1 .b8 format[6] = {37, 46, 50, 102, 10, 0};\n" /* "%.2f\n" */
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<5>; .reg .f32 %f<5>; .reg .f64 %e<5>; .reg .b32 %r<3>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1;\n"
    "mov.f32 %f1, 0f000116C2; mul.f32 %f2, %f1, 1.5; st.global.f32 [%d1], %f2;\n"   /* of a subnormal number */
    "mov.f32 %f1, 0f00800000; mul.f32 %f2, %f1, 0.5; st.global.f32 [%d1+4], %f2;\n" /* one as result */
    "mov.f32 %f1, 2.0; sqrt.rn.f32 %f2, %f1; st.global.f32 [%d1+8], %f2;\n"         /* rounded down */
    "mov.f32 %f1, 0.3; ex2.approx.f32 %f2, %f1; st.global.f32 [%d1+12], %f2;\n"     /* in steps */
    "mov.f32 %f1, 10.0; rcp.rn.f32 %f2, %f1; st.global.f32 [%d1+16], %f2;\n"        /* inexact */
    "mov.f32 %f1, 0.0; rcp.rn.f32 %f2, %f1; st.global.f32 [%d1+20], %f2;\n"         /* infinite */
    "mov.f32 %f1, 1e38; mul.f32 %f2, %f1, %f1; st.global.f32 [%d1+24], %f2;\n"      /* overflow */
    "mov.f32 %f1, -1.0; sqrt.rn.f32 %f2, %f1; st.global.f32 [%d1+28], %f2;\n"       /* invalid */
    "mov.f64 %e1, 1.0; mov.f64 %e2, 3.0; div.rn.f64 %e3, %e1, %e2; st.global.f64 [%d1+32], %e3;\n"
    "mov.u32 %r1, 0; more: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 9000; @%p bra more;\n" /* above 65536 cycles */
    "mov.u64 %d2, format; cvta.global.u64 %d2, %d2; mov.u64 %d3, value; cvta.global.u64 %d3, %d3;\n"
    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d2; st.param.b64 [a], %d3;\n"
    "call.uni (r), vprintf, (f, a); }\n"
    "ret;\n}\n";

/* Those of its words that the C standard gives us; with the usual settings. */
static inline void host_env_right(const uint32_t *word) {
  static const uint32_t want[] = {0x0001a223, 0x00400000, 0x3fb504f3, 0,          0x3dcccccd,
                                  0x7f800000, 0x7f800000, 0,          0x55555555, 0x3fd55555};
  for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
    if (want[i] && word[i] != want[i]) {
      fprintf(stderr, "word %u: found 0x%08x, expected 0x%08x\n", i, word[i], want[i]);
      abort();
    }
}

/* ---- what is printed ---- */

static int kept_stdout;
static FILE *printed_file;
static inline void printed_begin(void) {
  fflush(stdout);
  printed_file = tmpfile();
  kept_stdout = dup(1);
  if (!printed_file || kept_stdout < 0 || dup2(fileno(printed_file), 1) < 0) abort();
}
static inline const char *printed_end(void) {
  static char text[256];
  fflush(stdout);
  dup2(kept_stdout, 1);
  close(kept_stdout);
  rewind(printed_file);
  text[fread(text, 1, sizeof text - 1, printed_file)] = 0;
  fclose(printed_file);
  return text;
}

#endif

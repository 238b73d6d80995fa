/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_env: see host_env.h. On x86-64 the control words are read and written directly: fegetenv and fesetenv store and load
 * the whole x87 environment, which takes ten times as long.
 */
#define _GNU_SOURCE /* uselocale */
#include "base/host_env.h"

#include <locale.h>
#include <stdint.h>

#include "base/err.h"

#if defined(__x86_64__)
/* The flags of both units are restored, too: SQLite computes with long double, which the x87 unit does. */
enum { MXCSR = 0x1f80, X87_CONTROL = 0x37f, X87_FLAGS = 0xff };

struct floats {
  uint32_t mxcsr;
  uint16_t control, status; /* of the x87 unit */
};

/* As FNSTENV stores it, and FLDENV loads it. */
struct x87 {
  uint16_t control, pad, status, pad2;
  uint32_t rest[5];
};

static uint16_t x87_status(void) {
  uint16_t status;
  __asm__ volatile("fnstsw %0" : "=m"(status)::"memory");
  return status;
}

static void x87_control(uint16_t control) { __asm__ volatile("fldcw %0" ::"m"(control) : "memory"); }

static void floats_set(struct floats *was) {
  was->mxcsr = __builtin_ia32_stmxcsr();
  __asm__ volatile("fnstcw %0" : "=m"(was->control)::"memory");
  was->status = x87_status();
  if (was->status & X87_FLAGS) __asm__ volatile("fnclex" ::: "memory"); /* FLDCW traps on a flag that is unmasked */
  x87_control(X87_CONTROL);
  __builtin_ia32_ldmxcsr(MXCSR);
}

static void floats_restore(const struct floats *was) {
  if ((x87_status() ^ was->status) & X87_FLAGS) {
    struct x87 all;
    __asm__ volatile("fnstenv %0" : "=m"(all)::"memory");
    all.control = was->control;
    all.status = (uint16_t)((all.status & ~X87_FLAGS) | (was->status & X87_FLAGS));
    __asm__ volatile("fldenv %0" ::"m"(all) : "memory");
  } else {
    x87_control(was->control);
  }
  __builtin_ia32_ldmxcsr(was->mxcsr);
}
#else
#include <fenv.h>

struct floats {
  fenv_t all;
};
static void floats_set(struct floats *was) {
  fegetenv(&was->all);
  fesetenv(FE_DFL_ENV);
}
static void floats_restore(const struct floats *was) { fesetenv(&was->all); }
#endif

static _Thread_local struct {
  unsigned depth;
  struct floats floats;
  locale_t locale;
} host;

/* The C library has one object of the locale "C"; it is never freed. */
static locale_t locale_plain(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) die("no memory for the locale \"C\"");
  return c;
}

void host_env_enter(void) {
  if (host.depth++) return;
  floats_set(&host.floats);
  host.locale = uselocale(locale_plain());
}

void host_env_leave(void) {
  if (--host.depth) return;
  uselocale(host.locale);
  floats_restore(&host.floats);
}

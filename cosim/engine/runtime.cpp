// SPDX-License-Identifier: Apache-2.0
// runtime: Verilator's runtime, in which a failing assertion of the RTL is recorded for shim.cpp, not printed, and does not
// end the program.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#define VL_USER_STOP_MAYBE
#define VL_PRINTF verilated_printf
static int verilated_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void vl_stop_maybe(const char *filename, int linenum, const char *hier, bool maybe);
#include "verilated.cpp"

#include "asserted.h"

thread_local asserted rtl_asserted;

// First comes "[0] %Error: sit.sv:160: Assertion failed in sit.sit.gen_f_bank[3]: 'assert' failed."; it has the scope.
static int verilated_printf(const char *format, ...) {
  char text[512];
  va_list a;
  va_start(a, format);
  int n = vsnprintf(text, sizeof text, format, a);
  va_end(a);
  const char *in = strstr(text, "Assertion failed in ");
  if (!in) return fputs(text, stdout);
  if (rtl_asserted.line) return n;
  in += strlen("Assertion failed in ");
  in += strcspn(in, ".") + 1;  // the model's name, then its top module
  snprintf(rtl_asserted.scope, sizeof rtl_asserted.scope, "%.*s", static_cast<int>(strcspn(in, ":")), in);
  return n;
}

void vl_stop_maybe(const char *filename, int linenum, const char *, bool) VL_MT_UNSAFE {
  if (rtl_asserted.line) return;
  snprintf(rtl_asserted.file, sizeof rtl_asserted.file, "%s", filename);
  rtl_asserted.line = linenum;
}

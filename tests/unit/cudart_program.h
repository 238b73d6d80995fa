/* SPDX-License-Identifier: Apache-2.0 */
/* cudart_program: a program's fat binary, written here, and a process for each test, since the session is the process's. */
#ifndef RT_TEST_CUDART_PROGRAM_H
#define RT_TEST_CUDART_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/cudart/runtime.h"
#include "unit/cudart_calls.h"

/* ---- fat binaries ---- */

struct container { /* one entry of PTX, as it is; sm_75 */
  uint32_t magic;
  uint16_t version, header;
  uint64_t size;
  struct {
    uint16_t kind, version;
    uint32_t header;
    uint64_t payload;
    uint32_t packed, options;
    uint16_t minor, major;
    uint32_t target;
    uint64_t name, flags, zero, bytes;
  } entry;
  char text[4000];
};
_Static_assert(offsetof(struct container, text) == 80, "header sizes");
struct wrapper {
  uint32_t magic, version;
  const void *data, *linked;
};

static void pack(struct container *c, unsigned kind, const char *text) {
  *c = (struct container){.magic = 0xba55ed50, .version = 1, .header = 16, .size = sizeof *c - 16};
  c->entry.kind = (uint16_t)kind;
  c->entry.header = 64;
  c->entry.payload = sizeof c->text;
  c->entry.target = 75;
  snprintf(c->text, sizeof c->text, "%s", text);
}

/* ---- a process for each test ---- */

static int stderr_of_child;

/* What the test's process has printed on standard error up to now. */
static const char *lines(void) {
  static char text[1 << 16];
  ssize_t n = pread(2, text, sizeof text - 1, 0);
  text[n < 0 ? 0 : n] = 0;
  return text;
}

static unsigned count(const char *part) {
  unsigned n = 0;
  for (const char *s = lines(); (s = strstr(s, part)); s++) n++;
  return n;
}

#define CHECK(what)                                                                  \
  do {                                                                               \
    if (!(what)) {                                                                   \
      dprintf(stderr_of_child, "%s:%d: %s\n%s", __FILE__, __LINE__, #what, lines()); \
      _exit(1);                                                                      \
    }                                                                                \
  } while (0)
#define IS(call, code)                                                                                      \
  do {                                                                                                      \
    cudaError_t is_ = (call);                                                                               \
    if (is_ != (code)) {                                                                                    \
      dprintf(stderr_of_child, "%s:%d: %s: found %d, expected %d\n%s", __FILE__, __LINE__, #call, (int)is_, \
              (int)(code), lines());                                                                        \
      _exit(1);                                                                                             \
    }                                                                                                       \
  } while (0)

static void in_process(void (*test)(void)) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    char name[] = "/tmp/cudart_launch_XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    stderr_of_child = dup(2);
    if (file < 0 || dup2(file, 2) < 0) _exit(2);
    test();
    exit(0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}
#define TEST(name)                 \
  static void name##_body(void);   \
  static void name(void **state) { \
    (void)state;                   \
    in_process(name##_body);       \
  }                                \
  static void name##_body(void)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* asserts: whether a call ends in a failed assert, tested in a child process. After cmocka. */
#ifndef RT_TESTS_ASSERTS_H
#define RT_TESTS_ASSERTS_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

/* True if f(arg) ends in a failed assert. */
static bool asserts(void (*f)(uint32_t), uint32_t arg) {
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    signal(SIGABRT, SIG_DFL);
    f(arg);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif

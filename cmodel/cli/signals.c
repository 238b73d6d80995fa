/* SPDX-License-Identifier: Apache-2.0 */
/* signals: what the command line wants of them, and what a program that it starts finds. */
#include <signal.h>

#include "cli/cli.h"

/* A file that gets too large for ulimit -f is an error of its writer. The status of a child is lost where SIGCHLD is ignored. */
static const struct {
  int number;
  void (*wanted)(int);
} signals[] = {{SIGXFSZ, SIG_IGN}, {SIGCHLD, SIG_DFL}};
enum { SIGNALS = sizeof signals / sizeof *signals };
static void (*inherited[SIGNALS])(int);

void signals_set(void) {
  for (int i = 0; i < SIGNALS; i++) inherited[i] = signal(signals[i].number, signals[i].wanted);
}

void signals_restore(void) {
  for (int i = 0; i < SIGNALS; i++) signal(signals[i].number, inherited[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* common: errors and numbers of the command line, for every command. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/show.h"
#include "lab/database/db.h"
#include "cli/cli.h"

int err_complain(const struct err *e) {
  char text[1200];
  err_format(e, text, sizeof text);
  fflush(stdout);
  note("%s", text);
  return EXIT_INPUT;
}

char *message_one_line(char *buf, size_t size, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return show_text(buf, size, text);
}

#define DIRECTORY "build/experiments"
#define DB DIRECTORY "/results.db"
const char db_help[] = "database of results: runs that it has are not repeated, new ones are added; default: " DB
                       " if there is a directory build, else none";

const char *db_default(void) {
  struct stat st;
  return !stat("build", &st) && S_ISDIR(st.st_mode) ? DB : NULL;
}

bool db_of(const char *path, struct db **d, struct err *e) {
  if (!path && (path = db_default())) (void)!mkdir(DIRECTORY, 0777);
  *d = path ? db_open(path, DB_WRITE, e) : NULL;
  return !path || *d;
}

const char *size_arg(struct argp_state *state, const char *arg) {
  if (!arg[0] || strlen(arg) >= sizeof((struct workload *)0)->size)
    argp_error(state, "--size: found '%s', expected the name of a size, as small or default", arg);
  return arg;
}

void option_take_once(struct argp_state *state, const char *option, const char **to, const char *arg) {
  if (*to) argp_error(state, "found %s a second time, expected it once", option);
  *to = arg;
}

void kernel_take(struct argp_state *state, const char **kernel, unsigned *n, const char *arg) {
  if (*n == MOST_NAMES) argp_error(state, "found more than %d kernels, expected fewer", MOST_NAMES);
  kernel[(*n)++] = arg;
}

const char *list_take_word(const char *list, char *word, size_t size) {
  const size_t n = strcspn(list, ",");
  snprintf(word, size, "%.*s", (int)(n < size ? n : size - 1), list);
  return list[n] ? list + n + 1 : NULL;
}

unsigned jobs_arg(struct argp_state *state, const char *arg) {
  return (unsigned)number_arg(state, "--jobs", arg, 1, 1024);
}

uint64_t number_arg(struct argp_state *state, const char *option, const char *arg, uint64_t least, uint64_t most) {
  uint64_t v = 0;
  const char *p = arg;
  for (; *p >= '0' && *p <= '9' && v <= (UINT64_MAX - 9) / 10; p++) v = v * 10 + (uint64_t)(*p - '0');
  if (*p || p == arg || v < least || v > most)
    argp_error(state, "%s: found '%s', expected a whole number from %llu to %llu", option, arg,
               (unsigned long long)least, (unsigned long long)most);
  return v;
}

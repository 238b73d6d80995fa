/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashtab.h"
#include "base/show.h"

bool err_at(struct err *e, const char *file, int line, int col, const char *fmt, ...) {
  if (e->set) return false;
  e->set = true;
  e->line = line;
  e->col = col;
  snprintf(e->file, sizeof e->file, "%s", file ? file : "");
  char text[sizeof e->text];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  show_text(e->text, sizeof e->text, text);
  return false;
}

void err_format(const struct err *e, char *buf, size_t size) {
  int n = 0;
  if (e->file[0]) n = snprintf(buf, size, "%s:", SHOWN(e->file));
  if (n >= 0 && (size_t)n < size && e->line > 0)
    n += snprintf(buf + n, size - (size_t)n, e->col > 0 ? "%d:%d:" : "%d:", e->line, e->col);
  if (n >= 0 && (size_t)n < size) snprintf(buf + n, size - (size_t)n, "%serror: %s", n ? " " : "", e->text);
}

static void message_print(const char *kind, const char *fmt, va_list ap) {
  char text[4096], shown[sizeof text];
  vsnprintf(text, sizeof text, fmt, ap);
  fprintf(stderr, "regtwin: %s%s\n", kind, show_text(shown, sizeof shown, text));
}

void note(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  message_print("", fmt, ap);
  va_end(ap);
}

void note_once(const char *fmt, ...) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct hashtab said; /* copies of the texts so far */
  char text[4096];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  pthread_mutex_lock(&lock);
  const size_t n = strlen(text);
  const bool new = !hashtab_find_text(&said, text, n);
  if (new) hashtab_put_text(&said, memcpy(xmalloc(n + 1), text, n + 1));
  pthread_mutex_unlock(&lock);
  if (new) note("%s", text);
}

static bool dropped;

bool warnings_enable(bool on) {
  const bool were = !dropped;
  dropped = !on;
  return were;
}

void warn(const char *fmt, ...) {
  if (dropped) return;
  va_list ap;
  va_start(ap, fmt);
  message_print("warning: ", fmt, ap);
  va_end(ap);
}

void warn_once(struct hashtab *said, uint64_t key, const char *fmt, ...) {
  if (!hashtab_add(said, key, 0) || dropped) return;
  va_list ap;
  va_start(ap, fmt);
  message_print("warning: ", fmt, ap);
  va_end(ap);
}

void die(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  message_print("internal error: ", fmt, ap);
  va_end(ap);
  abort();
}

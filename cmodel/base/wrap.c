/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/show.h"

unsigned wrap_width(void) {
  const char *columns = getenv("COLUMNS");
  struct winsize w;
  unsigned n = 0;
  for (const char *p = columns ? columns : ""; *p >= '0' && *p <= '9' && n < 10000; p++)
    n = 10 * n + (unsigned)(*p - '0');
  if (!n && isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w)) n = w.ws_col;
  if (!n) n = 80;
  return n < WRAP_LEAST ? WRAP_LEAST : n > WRAP_MOST ? WRAP_MOST : n;
}

/* Columns of a text: its characters, each of which begins with a byte that continues no other. */
static unsigned wrap_count(const char *text, size_t n) {
  unsigned columns = 0;
  for (size_t i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
  return columns;
}

void wrap_print(FILE *f, const char *text, unsigned at, unsigned indent, unsigned width) {
  char shown[4096];
  bool begun = false; /* the line has a word */
  show_text(shown, sizeof shown, text);
  for (const char *p = shown + strspn(shown, " "); *p; p += strspn(p, " ")) {
    const size_t n = strcspn(p, " ");
    const unsigned columns = wrap_count(p, n);
    if (begun && at + 1 + columns > width) {
      fprintf(f, "\n%*s", (int)indent, "");
      at = indent;
      begun = false;
    }
    fprintf(f, "%s%.*s", begun ? " " : "", (int)n, p);
    at += columns + begun;
    begun = true;
    p += n;
  }
  fputc('\n', f);
}

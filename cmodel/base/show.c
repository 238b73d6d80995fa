/* SPDX-License-Identifier: Apache-2.0 */
/* show: see show.h. */
#define _GNU_SOURCE /* fopencookie */
#include "base/show.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LONGEST = 8 }; /* "\u2028" and a NUL */

/* Bytes of the UTF-8 character at s, n > 0; 0: there is none; -1: the beginning of one, cut off by the end.
 */
static int utf8_decode(const unsigned char *s, size_t n, uint32_t *c) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int want = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  *c = want > 1 ? s[0] & (0x7fu >> want) : s[0];
  for (int i = 1; i < want; i++) {
    if ((size_t)i == n) return -1;
    if ((s[i] & 0xc0) != 0x80) return 0;
    *c = *c << 6 | (s[i] & 0x3f);
  }
  return want && *c >= least[want] && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff) ? want : 0;
}

static bool utf8_is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* What to print for the character at s, n > 0: its text and length; returns the bytes of s that it stands for. */
static size_t show_step(const char *s, size_t n, bool lines, char out[LONGEST], size_t *len) {
  uint32_t c;
  int bytes = utf8_decode((const unsigned char *)s, n, &c);
  if (bytes > 0 && (!utf8_is_control(c) || (lines && (c == '\n' || c == '\t')))) {
    memcpy(out, s, (size_t)bytes);
    *len = (size_t)bytes;
    return (size_t)bytes;
  }
  const char *named = c && bytes == 1 ? strchr("\nn\tt\rr", (int)c) : NULL;
  if (named && c < 0x20) *len = (size_t)snprintf(out, LONGEST, "\\%c", named[1]);
  else if (bytes > 1) *len = (size_t)snprintf(out, LONGEST, "\\u%04x", c & 0xffff);
  else *len = (size_t)snprintf(out, LONGEST, "\\x%02x", (unsigned char)s[0]);
  return bytes > 0 ? (size_t)bytes : 1;
}

char *show_text(char *buf, size_t size, const char *text) {
  char one[LONGEST];
  size_t n = strlen(text), at = 0;
  for (size_t i = 0, len; i < n; at += len) {
    i += show_step(text + i, n - i, false, one, &len);
    if (at + len >= size) break;
    memcpy(buf + at, one, len);
  }
  if (size) buf[at] = 0;
  return buf;
}

char *show_markdown(char *buf, size_t size, const char *text) {
  size_t at = 0;
  for (const char *s = SHOWN(text); *s && at + 2 < size; s++) {
    if (strchr("\\|<[`", *s)) buf[at++] = '\\';
    buf[at++] = *s;
  }
  if (size) buf[at] = 0;
  return buf;
}

static void show_print(FILE *f, const char *text, size_t n, bool lines) {
  char one[LONGEST];
  for (size_t i = 0, len; i < n;) {
    i += show_step(text + i, n - i, lines, one, &len);
    fwrite(one, 1, len, f);
  }
}

void show_line(FILE *f, const char *text) { show_print(f, text, strlen(text), false); }
void show_lines(FILE *f, const char *text, size_t n) { show_print(f, text, n, true); }

/* ---- width ---- */

unsigned show_width(void) {
  const char *columns = getenv("COLUMNS");
  struct winsize w;
  unsigned n = 0;
  for (const char *p = columns ? columns : ""; *p >= '0' && *p <= '9' && n < 10000; p++)
    n = 10 * n + (unsigned)(*p - '0');
  if (!n && isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w)) n = w.ws_col;
  if (!n) n = 80;
  return n < SHOW_LEAST ? SHOW_LEAST : n > SHOW_MOST ? SHOW_MOST : n;
}

/* Columns of a text: its characters, each of which begins with a byte that continues no other. */
static unsigned show_columns(const char *text, size_t n) {
  unsigned columns = 0;
  for (size_t i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
  return columns;
}

void show_wrapped(FILE *f, const char *text, unsigned at, unsigned indent, unsigned width) {
  char shown[4096];
  bool begun = false; /* the line has a word */
  show_text(shown, sizeof shown, text);
  for (const char *p = shown + strspn(shown, " "); *p; p += strspn(p, " ")) {
    const size_t n = strcspn(p, " ");
    const unsigned columns = show_columns(p, n);
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

/* ---- standard streams ---- */

struct guard {
  int fd;
  size_t kept; /* the first bytes of an incomplete character */
  char keep[4];
};

static bool guard_write_all(int fd, const char *text, size_t n) {
  while (n) {
    ssize_t did = write(fd, text, n);
    if (did < 0 && errno == EINTR) continue;
    if (did < 0) return false;
    text += did;
    n -= (size_t)did;
  }
  return true;
}

/* Shows n bytes, and the last character even when it is cut off. */
static bool guard_show(int fd, const char *text, size_t n) {
  char out[4096];
  size_t at = 0;
  for (size_t i = 0, len; i < n; at += len) {
    if (at + LONGEST > sizeof out) {
      if (!guard_write_all(fd, out, at)) return false;
      at = 0;
    }
    i += show_step(text + i, n - i, true, out + at, &len);
  }
  return guard_write_all(fd, out, at);
}

static size_t cut_off(const char *text, size_t n) {
  uint32_t c;
  for (size_t k = 1; k < 4 && k <= n; k++)
    if (utf8_decode((const unsigned char *)text + n - k, k, &c) < 0) return k;
  return 0;
}

static ssize_t guard_write(void *cookie, const char *text, size_t n) {
  struct guard *g = cookie;
  size_t i = 0, cut;
  bool ok = true;
  for (; g->kept && i < n; g->kept = cut) { /* continues the incomplete character, or ends it */
    g->keep[g->kept++] = text[i++];
    cut = cut_off(g->keep, g->kept);
    ok = guard_show(g->fd, g->keep, g->kept - cut) && ok;
    memmove(g->keep, g->keep + g->kept - cut, cut);
  }
  if (i < n) {
    g->kept = cut_off(text + i, n - i);
    ok = guard_show(g->fd, text + i, n - i - g->kept) && ok;
    memcpy(g->keep, text + n - g->kept, g->kept);
  }
  return ok ? (ssize_t)n : 0; /* 0: an error, says fopencookie */
}

static int guard_close(void *cookie) {
  struct guard *g = cookie;
  bool ok = guard_show(g->fd, g->keep, g->kept);
  return close(g->fd) || !ok ? -1 : 0;
}

static FILE *guard_open(struct guard *g, int mode) {
  FILE *f = fopencookie(g, "w", (cookie_io_functions_t){.write = guard_write, .close = guard_close});
  if (!f) abort();
  setvbuf(f, NULL, mode, BUFSIZ);
  return f;
}

static void close_output(void) {
  bool bad = ferror(stdout);
  if (!fclose(stdout) && !bad) return;
  fprintf(stderr, "%s: cannot write standard output: %s\n", program_invocation_short_name, strerror(errno));
  _exit(1);
}

void show_guard(void) {
  static struct guard out = {.fd = STDOUT_FILENO}, err = {.fd = STDERR_FILENO};
  stdout = guard_open(&out, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
  stderr = guard_open(&err, _IONBF);
  atexit(close_output);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* html: see html.h. */
#include "lab/report/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"

enum { WIDEST = 4 }; /* bytes that show makes of one */

/* Of a character of UTF-8 that is whole. */
static size_t html_char_bytes(const char *s) {
  const unsigned char c = (unsigned char)*s;
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* The last two code points of each plane are no characters, in XML not even written as numbers. */
static int is_none(const char *s, size_t n) {
  const unsigned char *c = (const unsigned char *)s;
  return (n == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe) ||
         (n == 4 && (c[1] & 0xf) == 0xf && c[2] == 0xbf && c[3] >= 0xbe);
}

static void html_put_char(FILE *f, const char *s, size_t n) {
  switch (*s) {
    case '<': fputs("&lt;", f); return;
    case '>': fputs("&gt;", f); return;
    case '&': fputs("&amp;", f); return;
    case '"': fputs("&quot;", f); return;
    default: break;
  }
  if (is_none(s, n)) fputc('?', f);
  else fwrite(s, 1, n, f);
}

static char *html_shown_text(const char *text) {
  const size_t size = WIDEST * strlen(text) + 1;
  return show_text(xmalloc(size), size, text);
}

size_t html_length(const char *text) {
  char *all = html_shown_text(text);
  size_t n = 0;
  for (const char *s = all; *s; s += html_char_bytes(s)) n++;
  free(all);
  return n;
}

size_t html_short(FILE *f, const char *text, size_t most) {
  char *all = html_shown_text(text);
  size_t n = 0, length = 0;
  for (const char *s = all; *s; s += html_char_bytes(s)) length++;
  for (const char *s = all; *s && n < most; s += html_char_bytes(s)) {
    if (++n == most && length > most) fputs("\xe2\x80\xa6", f);
    else html_put_char(f, s, html_char_bytes(s));
  }
  free(all);
  return n;
}

void html_text(FILE *f, const char *text) { html_short(f, text, (size_t)-1); }

void html_print(FILE *f, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  html_text(f, text);
}

void html_data(FILE *f, const char *data, size_t n) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~,:;=+/!*()@$";
  for (size_t i = 0; i < n; i++) {
    if (data[i] && strchr(plain, data[i])) fputc(data[i], f);
    else fprintf(f, "%%%02X", (unsigned char)data[i]);
  }
}

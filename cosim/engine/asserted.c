/* SPDX-License-Identifier: Apache-2.0 */
/* asserted: the text of an assertion that failed; Verilator gives the file and the line alone. */
#include "asserted.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool assertion_text(const struct asserted *a, char *text, size_t room) {
  char line[400];
  size_t n = 0;
  int at = 0;
  FILE *f = fopen(a->file, "r");
  text[0] = 0;
  if (!f) return false;
  while (at < a->line && fgets(line, sizeof line, f)) at += strchr(line, '\n') != NULL;
  for (bool ends = false; at == a->line && !ends && n + 1 < room;) {
    for (const char *p = line; *p && !ends && n + 1 < room; p++) {
      if (p[0] == '/' && p[1] == '/') break;
      const bool space = isspace((unsigned char)*p);
      ends = *p == ';';
      if (ends || (space && (!n || text[n - 1] == ' '))) continue;
      text[n++] = space ? ' ' : *p;
    }
    if (!ends && !fgets(line, sizeof line, f)) break;
  }
  while (n && text[n - 1] == ' ') n--;
  text[n] = 0;
  fclose(f);
  return n != 0;
}

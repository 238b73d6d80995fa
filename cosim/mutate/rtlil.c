/* SPDX-License-Identifier: Apache-2.0 */
/* rtlil: see rtlil.h. */
#include "rtlil.h"

#include <string.h>

#include "base/err.h"
#include "base/words.h"

void rtlil_open(struct rtlil *r, const char *path) {
  *r = (struct rtlil){.any = false};
  textfile_open(&r->file, path);
}

static bool rtlil_end_of_file(const struct rtlil *r) {
  if (r->cell) textfile_refuse(&r->file, "the end of the file", "the end of a cell");
  if (!r->any) textfile_refuse(&r->file, "no cell", "a netlist in RTLIL");
  return false;
}

bool rtlil_next(struct rtlil *r) {
  if (r->kind == RTLIL_END) r->type = r->cell = NULL;
  do {
    char *line = textfile_next(&r->file);
    if (!line) return rtlil_end_of_file(r);
    size_t n = strlen(line) + 1;
    if (n > r->room) r->text = xrealloc(r->text, r->room = 2 * n);
    memcpy(r->text, line, n);
    words_split(&r->words, line, false);
  } while (!r->words.n);
  char **word = r->words.word;
  int kind = words_index("attribute|wire|cell|parameter|connect|end", word[0]);
  r->kind = kind < 0 ? RTLIL_OTHER : (enum rtlil_kind)(kind + 1);
  if (r->cell && r->kind != RTLIL_PARAMETER && r->kind != RTLIL_CONNECT && r->kind != RTLIL_END)
    textfile_refuse(&r->file, r->text, "a parameter, a connection or the end of a cell");
  if (r->words.n < 2 && r->kind != RTLIL_OTHER && r->kind != RTLIL_END)
    textfile_refuse(&r->file, r->text, "a netlist in RTLIL");
  if (r->words.n < 3 && (r->kind == RTLIL_CELL || r->kind == RTLIL_CONNECT))
    textfile_refuse(&r->file, r->text, r->kind == RTLIL_CELL ? "a cell's type and name" : "a port and a signal");
  if (r->kind == RTLIL_CELL) {
    r->type = word[1];
    r->cell = word[2];
    r->any = true;
  }
  return true;
}

const char *rtlil_listed(const char *cell) { return cell + (*cell == '\\'); }

bool rtlil_is_output(const struct rtlil *r) {
  return r->kind == RTLIL_CONNECT && r->cell && (!strcmp(r->words.word[1], "\\Y") || !strcmp(r->words.word[1], "\\Q"));
}

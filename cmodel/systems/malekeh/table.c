/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: the file of a controller's table, a row a line, in any order; docs/blocks/malekeh/sthld.md.
 *
 *   STATE CHANGE DELTA NEXT [top STATE] [moved]
 */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "systems/malekeh/table.h"

enum { MOST = 1 << 16, WORD = 32, STATES = STHLD_ROWS / 2 };

static const char *const states[STATES] = {"start", "flat", "guess", "steep", "settle", "hold"};
static const char *const changes[] = {"small", "large"};
static const char a_state[] = "a state (start, flat, guess, steep, settle or hold)";

struct reader {
  const char *file, *at, *line_at;
  struct err *e;
  int line, col;   /* of the word */
  char word[WORD]; /* "": the line ends here */
};

static bool malekeh_table_wrong(const struct reader *r, const char *expected) {
  return err_at(r->e, r->file, r->line, r->col, "found %s%s%s, expected %s", r->word[0] ? "'" : "",
                r->word[0] ? r->word : "the end of the line", r->word[0] ? "'" : "", expected);
}

static void malekeh_table_next_word(struct reader *r) {
  size_t n = 0;
  while (*r->at == ' ' || *r->at == '\t') r->at++;
  r->col = (int)(r->at - r->line_at) + 1;
  for (; *r->at && !strchr(" \t\n#", *r->at); r->at++)
    if (n < WORD - 1) r->word[n++] = *r->at;
  r->word[n] = 0;
}

static int malekeh_table_word_index(const struct reader *r, const char *const *names, int n) {
  for (int k = 0; k < n; k++)
    if (!strcmp(r->word, names[k])) return k;
  return -1;
}

static bool malekeh_table_read_state(struct reader *r, unsigned *out) {
  malekeh_table_next_word(r);
  const int k = malekeh_table_word_index(r, states, STATES);
  *out = (unsigned)k + 1;
  return k >= 0 || malekeh_table_wrong(r, a_state);
}

static bool malekeh_table_read_delta(struct reader *r, unsigned *out) {
  malekeh_table_next_word(r);
  const char *digit = r->word + (r->word[0] == '+' || r->word[0] == '-');
  const int v = *digit >= '0' && *digit <= '8' && !digit[1] ? (r->word[0] == '-' ? '0' - *digit : *digit - '0') : 8;
  *out = (unsigned)v & 15;
  return v != 8 || malekeh_table_wrong(r, "a step from -8 to +7");
}

/* Reads the words after the state of a row. */
static bool malekeh_table_read_row(struct reader *r, int from, uint16_t rows[STHLD_ROWS], int lines[STHLD_ROWS]) {
  unsigned step, to, top, moved = 0;
  malekeh_table_next_word(r);
  const int change = malekeh_table_word_index(r, changes, 2);
  if (change < 0) return malekeh_table_wrong(r, "small or large");
  const int k = 2 * from + change;
  if (lines[k])
    return err_at(r->e, r->file, r->line, 1, "found a second row '%s %s', expected one: the first one is in line %d",
                  states[from], changes[change], lines[k]);
  lines[k] = r->line;
  if (!malekeh_table_read_delta(r, &step) || !malekeh_table_read_state(r, &to)) return false;
  top = to;
  malekeh_table_next_word(r);
  if (!strcmp(r->word, "top")) {
    if (!malekeh_table_read_state(r, &top)) return false;
    malekeh_table_next_word(r);
  }
  if (!strcmp(r->word, "moved")) {
    moved = 1;
    malekeh_table_next_word(r);
  }
  rows[k] = (uint16_t)(step | moved << 4 | to << 5 | top << 8);
  return !r->word[0] || malekeh_table_wrong(r, "'top STATE', 'moved' or the end of the line");
}

static bool malekeh_table_read_line(struct reader *r, uint16_t rows[STHLD_ROWS], int lines[STHLD_ROWS]) {
  malekeh_table_next_word(r);
  if (r->word[0]) {
    const int from = malekeh_table_word_index(r, states, STATES);
    if (from < 0) return malekeh_table_wrong(r, a_state);
    if (!malekeh_table_read_row(r, from, rows, lines)) return false;
  }
  while (*r->at && *r->at != '\n') r->at++; /* a comment */
  if (*r->at) r->at++;
  r->line_at = r->at;
  r->line++;
  return true;
}

bool malekeh_table(const char *path, uint16_t rows[STHLD_ROWS], struct err *e) {
  char why[IO_WHY];
  size_t n;
  char *text = input_read(path, MOST, &n, why);
  if (!text) return err_at(e, path, 0, 0, "cannot read: %s; expected a table of the threshold controller", why);
  struct reader r = {.file = path, .at = text, .line_at = text, .e = e, .line = 1};
  int lines[STHLD_ROWS] = {0};
  bool ok = strlen(text) == n || err_at(e, path, 0, 0, "found a NUL character, expected text");
  while (ok && *r.at) ok = malekeh_table_read_line(&r, rows, lines);
  for (int k = 0; ok && k < STHLD_ROWS; k++)
    ok = lines[k] ||
         err_at(e, path, r.line, 1, "found the end of the file, expected a row '%s %s'", states[k / 2], changes[k % 2]);
  free(text);
  return ok;
}

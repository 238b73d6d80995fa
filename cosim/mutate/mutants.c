/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutants: what mutate.sh lists and judges.
 *   mutants rtl NETLIST LIST           faults of the RTL: number, place, description, line (mutants.h)
 *   mutants c SOURCE LIST              those of the C model: number, place, description
 *   mutants check SURVIVORS NAMES      fails if a pattern fits no fault of NAMES, the output of the two
 *   mutants judge SURVIVORS TABLE NOTES [NUMBER...]
 *                                      the table with each fault's fate; RTL faults of these numbers are proven equal
 *   mutants count TABLE                RTL faults killed, of; C faults killed, of; equal; explained; killed, of; errors; per cent
 *   mutants report SURVIVORS TABLE NOTES
 *                                      faults that are open or have no result; what NOTES says of the patterns
 * TABLE has the columns side, number, place, description, result, and a sixth one. For `judge` that is the line of the
 * source, for the others the fate: killed, equal, explained, open, stillborn or error.
 * SURVIVORS has lines "PATTERN -- REASON"; # begins a comment. A pattern with a second " @ " is held against the
 * description and the line. NOTES gets three kinds of lines: "bad", a line of SURVIVORS without a reason; "wide", a pattern
 * and the killed fault that it fits; "unused", a pattern that fits no fault.
 * Exit status: 0, or 2 for a pattern that `check` refuses, a damaged file or a wrong call.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"
#include "base/words.h"
#include "mutants.h"
#include "tool.h"

/* ---- patterns of the survivors ---- */

struct survivor {
  const char *pattern;
  bool lined, used; /* lined: held against the line, too */
};
struct survivors {
  struct survivor *s;
  size_t n, room;
};

/* Lines without a reason go to `notes`; NULL: nowhere. */
static void survivors_read(struct survivors *all, const char *path, FILE *notes) {
  struct textfile t;
  *all = (struct survivors){NULL, 0, 0};
  textfile_open(&t, path);
  for (char *line; (line = textfile_next(&t));) {
    char *reason = strstr(line, " -- ");
    if (*line == '#' || !*line) continue;
    if (!reason) {
      if (notes) fprintf(notes, "bad\t%s\n", line);
      continue;
    }
    *reason = 0;
    const char *at = strstr(line, " @ ");
    VEC_PUSH(all->s, all->n, all->room) = (struct survivor){line, at && strstr(at + 3, " @ "), false};
  }
}

static bool survivor_fits(const struct survivor *s, const char *description, const char *line) {
  if (!s->lined) return pattern_fits(s->pattern, description, PATTERN_NUMBERS);
  size_t n = strlen(description), m = strlen(line);
  char *both = xmalloc(n + m + 4);
  sprintf(both, "%s @ %s", description, line);
  bool fits = pattern_fits(s->pattern, both, PATTERN_NUMBERS);
  free(both);
  return fits;
}

/* ---- tables ---- */

enum { SIDE, NUMBER, PLACE, DESCRIPTION, RESULT, LAST, COLUMNS };

/* Reads the next row, which has at least `least` columns, and at least COLUMNS afterwards: those that it does not have are "". */
static bool row_read(struct textfile *t, struct words *row, size_t least, const char *expected) {
  static char none[1];
  char *line = textfile_next(t);
  if (!line) return false;
  words_split(row, line, true);
  if (row->n < least) textfile_refuse(t, line, expected);
  while (row->n < COLUMNS) VEC_PUSH(row->word, row->n, row->room) = none;
  return true;
}

enum fate { FATE_KILLED, FATE_EQUAL, FATE_EXPLAINED, FATE_OPEN, FATE_STILLBORN, FATE_ERROR, FATES };
static const char *const fates[FATES] = {"killed", "equal", "explained", "open", "stillborn", "error"};

static bool row_read_judged(struct textfile *t, struct words *row, enum fate *fate) {
  if (!row_read(t, row, COLUMNS, "side, number, place, description, result and fate of a fault, with tabs in between"))
    return false;
  for (*fate = 0; *fate < FATES; ++*fate)
    if (!strcmp(row->word[LAST], fates[*fate])) return true;
  textfile_refuse(t, row->word[LAST], "killed, equal, explained, open, stillborn or error");
}

/* ---- commands ---- */

/* Yosys's list of all faults is of one mode; the others are at the same places. */
static void survivors_mark(struct survivors *all, char *description, const char *line) {
  static const char *const modes[] = {"inv", "const0", "const1", NULL};
  bool rtl = !strncmp(description, "rtl", 3);
  const char *rest = rtl && description[3] == ' ' ? description + 4 + strcspn(description + 4, " ") : "";
  for (unsigned k = 0; modes[k] && (rtl || !k); k++) {
    char *made = xmalloc(strlen(description) + 16);
    if (*rest) sprintf(made, "rtl %s%s", modes[k], rest);
    for (size_t i = 0; i < all->n; i++)
      if (!all->s[i].used) all->s[i].used = survivor_fits(&all->s[i], *rest ? made : description, line);
    free(made);
  }
}

static int survivors_check(char **argv) {
  struct survivors all;
  struct textfile t;
  struct words w = {NULL, 0, 0};
  int bad = 0;
  survivors_read(&all, argv[0], NULL);
  textfile_open(&t, argv[1]);
  while (row_read(&t, &w, 3, "number, place and description of a fault, with tabs in between"))
    survivors_mark(&all, w.word[2], w.word[3]);
  for (size_t i = 0; i < all.n; i++) {
    if (all.s[i].used) continue;
    fprintf(stderr, "mutate: %s: found \"%s\", expected a pattern that fits a fault of the block\n", SHOWN(argv[0]),
            SHOWN(all.s[i].pattern));
    bad = 2;
  }
  return bad;
}

static enum fate fate_of_result(const char *result) {
  if (!strcmp(result, "stillborn")) return FATE_STILLBORN;
  return *result == '?' ? FATE_ERROR : !strcmp(result, "-") ? FATE_OPEN : FATE_KILLED;
}

static int table_judge(char **argv) {
  struct survivors all;
  struct textfile t;
  struct words w = {NULL, 0, 0};
  FILE *notes = fopen(argv[2], "w");
  if (!notes) return fprintf(stderr, "mutate: %s: %s\n", SHOWN(argv[2]), strerror(errno)), 2;
  survivors_read(&all, argv[0], notes);
  textfile_open(&t, argv[1]);
  while (row_read(&t, &w, RESULT + 1, "side, number, place, description and result of a fault, with tabs in between")) {
    char **row = w.word;
    enum fate fate = fate_of_result(row[RESULT]);
    for (size_t i = 0; i < all.n; i++) {
      struct survivor *s = &all.s[i];
      if (!survivor_fits(s, row[DESCRIPTION], row[LAST])) continue;
      s->used = true;
      if (fate == FATE_OPEN) fate = FATE_EXPLAINED;
      if (fate == FATE_KILLED)
        fprintf(notes, "wide\t%s\t%s\t%s\t%s\n", s->pattern, row[SIDE], row[NUMBER], row[DESCRIPTION]);
    }
    for (char **number = argv + 3; *number && fate == FATE_OPEN && !strcmp(row[SIDE], "rtl"); number++)
      if (!strcmp(*number, row[NUMBER])) fate = FATE_EQUAL;
    for (size_t i = 0; i <= RESULT; i++) printf("%s\t", row[i]);
    puts(fates[fate]);
  }
  for (size_t i = 0; i < all.n; i++)
    if (!all.s[i].used) fprintf(notes, "unused\t%s\n", all.s[i].pattern);
  if (ferror(notes) | fclose(notes)) return fprintf(stderr, "mutate: %s: %s\n", SHOWN(argv[2]), strerror(errno)), 2;
  return 0;
}

static int table_count(char **argv) {
  unsigned n[2][FATES] = {{0}}, sum[FATES];
  struct textfile t;
  struct words w = {NULL, 0, 0};
  enum fate fate;
  textfile_open(&t, argv[0]);
  while (row_read_judged(&t, &w, &fate)) {
    int side = words_index("rtl|c", w.word[SIDE]);
    if (side < 0) textfile_refuse(&t, w.word[SIDE], "rtl or c");
    n[side][fate]++;
  }
  for (int k = 0; k < FATES; k++) sum[k] = n[0][k] + n[1][k];
  unsigned of[2], all = sum[FATE_KILLED] + sum[FATE_OPEN] + sum[FATE_ERROR];
  for (int s = 0; s < 2; s++)
    of[s] = n[s][FATE_KILLED] + n[s][FATE_OPEN] + n[s][FATE_ERROR] + n[s][FATE_EQUAL] + n[s][FATE_EXPLAINED];
  printf("%u %u %u %u %u %u %u %u %u %.1f\n", n[0][FATE_KILLED], of[0], n[1][FATE_KILLED], of[1], sum[FATE_EQUAL],
         sum[FATE_EXPLAINED], sum[FATE_KILLED], all, sum[FATE_ERROR], all ? 100.0 * sum[FATE_KILLED] / all : 0.0);
  return 0;
}

static int table_report(char **argv) {
  struct textfile t;
  struct words w = {NULL, 0, 0};
  enum fate fate;
  textfile_open(&t, argv[1]);
  while (row_read_judged(&t, &w, &fate)) {
    char **row = w.word;
    if (fate == FATE_OPEN) printf("    survivor: %s  %s  %s\n", row[NUMBER], row[PLACE], row[DESCRIPTION]);
    if (fate == FATE_ERROR)
      printf("    no result (%s): %s  %s  %s\n", row[RESULT], row[NUMBER], row[PLACE], row[DESCRIPTION]);
  }
  textfile_open(&t, argv[2]);
  while (row_read(&t, &w, 2, "bad, wide or unused, and a pattern, with a tab in between")) {
    char **note = w.word;
    switch (words_index("bad|wide|unused", note[0])) {
      case 0: printf("    %s: expected \"pattern -- reason\", found \"%s\"\n", argv[0], note[1]); break;
      case 1:
        printf("    %s: \"%s\" is too wide, it fits one that is killed: %s  %s\n", argv[0], note[1], note[3], note[4]);
        break;
      case 2: printf("    %s: \"%s\" fits no fault of this run\n", argv[0], note[1]); break;
      default: textfile_refuse(&t, note[0], "bad, wide or unused");
    }
  }
  return 0;
}

static int names_of_rtl(char **argv) {
  mutants_name_rtl(argv[0], argv[1]);
  return 0;
}
static int names_of_c(char **argv) {
  mutants_name_c(argv[0], argv[1]);
  return 0;
}

int main(int argc, char **argv) {
  static const struct tool_command commands[] = {{"rtl", names_of_rtl, 2, 2, false},
                                                 {"c", names_of_c, 2, 2, false},
                                                 {"check", survivors_check, 2, 2, false},
                                                 {"judge", table_judge, 3, 1 << 20, false},
                                                 {"count", table_count, 1, 1, false},
                                                 {"report", table_report, 3, 3, true},
                                                 {NULL, NULL, 0, 0, false}};
  return tool_run(commands, argc, argv,
                  "mutants rtl NETLIST LIST | c SOURCE LIST | check SURVIVORS NAMES |\n"
                  "  judge SURVIVORS TABLE NOTES [NUMBER...] | count TABLE | report SURVIVORS TABLE NOTES");
}

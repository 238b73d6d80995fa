/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool: what the programs `mutants` and `equal` share: text files line by line, words of a line, patterns, a table by name, commands.
 * Both programs end soon, so they free no memory; what is returned here stays until then.
 */
#ifndef COSIM_MUTATE_TOOL_H
#define COSIM_MUTATE_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Begins each message: "mutate" or "equal", the script that the user has called. Set by main. */
extern const char *tool_program;

struct textfile {
  const char *path;
  char *next, *end;
  unsigned line; /* number of the line that was returned last, from 1; 0: none yet */
};

/* Reads the whole file, "-" is standard input. If that fails it prints why and ends the program with status 2. */
void textfile_open(struct textfile *t, const char *path);
/* Returns the next line without its new line; the caller may change it. NULL: the file has no more. */
char *textfile_next(struct textfile *t);
/* "PROGRAM: PATH:LINE: found \"FOUND\", expected EXPECTED", and status 2. Line 0 is left out. */
void textfile_refuse(const struct textfile *t, const char *found, const char *expected) __attribute__((noreturn));

struct words {
  char **word;
  size_t n, room;
};
/* Splits the line in place: at each tab if `tabs`, else at runs of blanks and tabs. */
void words_split(struct words *w, char *line, bool tabs);

/* The value after an option of a fault in Yosys's list ("-cell"), the last one's if it is there several times. NULL: none. */
const char *words_option(const struct words *w, const char *option);
/* The same; without the option the line is refused. */
const char *words_need_option(const struct words *w, const char *option, const struct textfile *t);

/* True if the pattern fits the whole text. Special are *, any text, and in one of the two ways:
 *   PATTERN_NUMBERS  <0-7>, one of these numbers
 *   PATTERN_MARKS    ?, any character */
enum pattern_kind { PATTERN_NUMBERS, PATTERN_MARKS };
bool pattern_fits(const char *pattern, const char *text, enum pattern_kind kind);

/* A value by name, {NULL} at first. */
struct dictionary {
  void *root;
};
/* Where the value of that name is; NULL is put there if the name is new. The dictionary keeps the pointer to the name. */
void **dictionary_slot(struct dictionary *d, const char *name);
/* The value; NULL: no such name. */
void *dictionary_find(const struct dictionary *d, const char *name);

/* A copy of n bytes and a NUL. */
char *text_copy(const char *s, size_t n);

struct tool_command {
  const char *name;
  int (*run)(char **argv); /* arguments after the name, then NULL; returns the exit status */
  int least, most;         /* how many arguments */
  bool shown;              /* it prints for the user, so that control characters are replaced (base/show.h) */
};
/* Runs the command that argv[1] names and returns its exit status; 2 if its output could not be written. A wrong call, or
 * a table without it (the last entry's name is NULL), prints the usage and returns 2. */
int tool_run(const struct tool_command *commands, int argc, char **argv, const char *usage);

#endif

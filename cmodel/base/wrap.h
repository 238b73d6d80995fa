/* SPDX-License-Identifier: Apache-2.0 */
/* wrap: lists and help texts in lines that fit the terminal. */
#ifndef RT_BASE_WRAP_H
#define RT_BASE_WRAP_H

#include <stdio.h>

/* Columns of a list or a help text: COLUMNS if the environment has that number, else those of standard output if it is a
 * terminal, else 80. At least WRAP_LEAST, at most WRAP_MOST. */
enum { WRAP_LEAST = 60, WRAP_MOST = 120 };
unsigned wrap_width(void);
/* Prints a text as one line, broken at blanks so that no line passes column `width`. The first line begins at column `at`, where the
 * stream is; the others are indented by `indent`. A word that is longer than a line stays whole. Ends with a newline. */
void wrap_print(FILE *f, const char *text, unsigned at, unsigned indent, unsigned width);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: prints foreign text: contents and names of files, arguments, output of kernels. Bytes that control a terminal
 * are replaced:
 *
 *   C0 controls, DEL, bytes that are no UTF-8   \x1b      new line, tab, carriage return   \n \t \r
 *   C1 controls, controls of writing direction, separators of lines                        \u009b
 *
 * All other text is unchanged, a backslash too, so that showing a text twice changes nothing. Two layers, so that no
 * caller can forget it:
 *
 *   - show_guard filters the standard streams of the program; only new lines and tabs pass.
 *   - Functions that make messages and tables (err_at, err_format, note, warn, grid, table) show each text as one
 *     line, so that a new line in a name cannot forge a line of output. Code that prints such a text directly uses
 *     SHOWN(name); output of a kernel is printed by show_lines.
 */
#ifndef RT_BASE_SHOW_H
#define RT_BASE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The text as one line, cut off at `size`, never within a character; returns buf. */
char *show_text(char *buf, size_t size, const char *text);
#define SHOWN(text) show_text((char[1024]){0}, 1024, text)

/* The same as plain text within a paragraph or a cell of Markdown. */
char *show_markdown(char *buf, size_t size, const char *text);
#define MARKDOWN(text) show_markdown((char[1024]){0}, 1024, text)

void show_line(FILE *f, const char *text);            /* the same to a stream, whole */
void show_lines(FILE *f, const char *text, size_t n); /* new lines and tabs pass: a program's output */

/* Columns of a list or a help text: COLUMNS if the environment has that number, else those of standard output if it is a
 * terminal, else 80. At least SHOW_LEAST, at most SHOW_MOST. */
enum { SHOW_LEAST = 60, SHOW_MOST = 120 };
unsigned show_width(void);
/* Prints a text as one line, broken at blanks so that no line passes column `width`. The first line begins at column `at`, where the
 * stream is; the others are indented by `indent`. A word that is longer than a line stays whole. Ends with a newline. */
void show_wrapped(FILE *f, const char *text, unsigned at, unsigned indent, unsigned width);

/* Call once, before anything is printed: stdout and stderr become streams that filter their text. At exit
 * standard output is closed; when it could not be written, a message says so and the exit status is 1. */
void show_guard(void);

#endif

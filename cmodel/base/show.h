/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: the printer of text that is not ours: what stands in a file, the name of a file, an argument, what a
 * kernel prints. A terminal obeys some bytes; none of them reaches it:
 *
 *   C0 controls, DEL, bytes that are no UTF-8   \x1b      new line, tab, carriage return   \n \t \r
 *   C1 controls, controls of writing direction, separators of lines                        \u009b
 *
 * All other text stands as it is, a backslash too, so that text that was shown is not changed by showing it
 * again. Two layers, so that no caller can forget:
 *
 *   - show_guard puts the standard streams of a program behind the printer; only new lines and tabs pass it.
 *   - What makes messages and tables (err_at, err_format, note, warn, grid, table) shows each text as one
 *     line, so that a new line in a name forges none of ours. Who prints such a text by itself writes
 *     SHOWN(name); what a program printed goes out by show_lines.
 */
#ifndef RT_BASE_SHOW_H
#define RT_BASE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The text as one line, cut off at `size`, never within a character; returns buf. */
char *show(char *buf, size_t size, const char *text);
#define SHOWN(text) show((char[1024]){0}, 1024, text)

/* The same as plain text within a paragraph or a cell of Markdown. */
char *show_markdown(char *buf, size_t size, const char *text);
#define MARKDOWN(text) show_markdown((char[1024]){0}, 1024, text)

void show_line(FILE *f, const char *text);            /* the same to a stream, whole */
void show_lines(FILE *f, const char *text, size_t n); /* new lines and tabs pass: a program's output */

/* Once, before anything is printed: stdout and stderr become streams that show what passes them. At exit
 * standard output is closed; when it could not be written, a message says so and the exit status is 1. */
void show_guard(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io: every file of the program is opened here. Inputs are regular files, so that a pipe or a device stops
 * nothing; outputs appear whole or not at all: a new file beside the old one, written, checked and on disk,
 * takes its name. What goes wrong is told as a piece of a sentence in `why`; the caller knows the place.
 */
#ifndef RT_BASE_IO_H
#define RT_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { IO_WHY = 160 };

/* ---- inputs ---- */

FILE *input_open(const char *path, char why[IO_WHY]); /* NULL and why: "No such file or directory" */
/* The whole file and a NUL, freed by the caller; more than `most` bytes are an error. "-" is standard input,
 * which may be anything. */
char *input_read(const char *path, size_t most, size_t *n, char why[IO_WHY]);

/* ---- outputs ---- */

/* "-" is standard output; so is a path that leads to the same file. Devices and pipes are written in place,
 * links are followed. A file that this program has read is refused. */
struct output;
struct output *output_open(const char *path, char why[IO_WHY]);    /* NULL and why */
struct output *output_replace(const char *path, char why[IO_WHY]); /* even a file that this program has read */
/* For a path that stands in a file. It must lead to below the directory `below` ("/": anywhere) by whatever
 * links, and to no link, device or file that this program has read. */
struct output *output_open_below(const char *below, const char *path, char why[IO_WHY]);
FILE *output_stream(struct output *o);
/* Puts it in place if `ok` and all was written; else the old file stays. Frees o. */
bool output_close(struct output *o, bool ok, char why[IO_WHY]);

/* Asked before a long run, so that its result is not lost at the end: can it be opened? */
bool output_possible(const char *path, char why[IO_WHY]);

#endif

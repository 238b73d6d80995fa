/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io: every file of the program is opened here. Inputs are regular files, so that no pipe or device can block;
 * outputs appear completely or not at all: a new file is written beside the old one, checked, synced and renamed.
 * `why` receives the reason of a failure as part of a sentence; the caller adds the file and line.
 */
#ifndef RT_BASE_IO_H
#define RT_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { IO_WHY = 160 };

struct stat;
bool stat_same_file(const struct stat *a, const struct stat *b);

/* ---- inputs ---- */

FILE *input_open(const char *path, char why[IO_WHY]); /* NULL and why: "No such file or directory" */
/* The whole file and a NUL, freed by the caller; more than `most` bytes are an error. "-" is standard input,
 * which may be anything. */
char *input_read(const char *path, size_t most, size_t *n, char why[IO_WHY]);

/* ---- outputs ---- */

/* "-" is standard output; so is a path to the same file. Devices and pipes are written in place,
 * links are followed. A file that this program has read is refused. */
struct output;
struct output *output_open(const char *path, char why[IO_WHY]);    /* NULL and why */
struct output *output_replace(const char *path, char why[IO_WHY]); /* even a file that this program has read */
/* For a path given in a file. After resolving links it must lie below the directory `below` ("/": anywhere), and must
 * not be a link, a device or a file that this program has read. */
struct output *output_open_below(const char *below, const char *path, char why[IO_WHY]);
FILE *output_stream(struct output *o);
/* Renames it into place if `ok` and everything was written; else the old file stays. Frees o. */
bool output_close(struct output *o, bool ok, char why[IO_WHY]);

/* For the start of a long run, so that its result is not lost at the end: can it be opened? */
bool output_possible(const char *path, char why[IO_WHY]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wavetable: the inner signals of a block in the last cycles before its failure, as a table, where no display shows GTKWave.
 * wavetable FILE.fst FILE.gtkw: the rows are those of the save file's groups "named by the assertion that failed", "inner signals" and
 * "in SCOPE"; the last column is the cycle of its marker. A cycle is 10 units of the file's time (cosim/engine/wave.c). Values are hexadecimal.
 * Exit status: 2 if a file cannot be read.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "fstapi.h"

enum { CYCLES = 8, ROWS = 48, BITS_MOST = 64, NAME_MOST = 44, NAME = 400, TIME_OF_CYCLE = 10 };

struct row {
  char name[NAME];
  char value[CYCLES][BITS_MOST / 4 + 1];
};

static void *wavetable_open(const char *path) {
  void *reader = fstReaderOpen(path);
  if (!reader) fprintf(stderr, "wavetable: %s: found no waveform that can be read\n", SHOWN(path)), exit(2);
  return reader;
}

/* The handle and the width of the signal of this name; 0: the file has none. */
static fstHandle wavetable_find(void *reader, const char *wanted, unsigned *width) {
  fstReaderIterateHierRewind(reader);
  fstReaderResetScope(reader);
  for (struct fstHier *h; (h = fstReaderIterateHier(reader));) {
    if (h->htyp == FST_HT_SCOPE) fstReaderPushScope(reader, h->u.scope.name, NULL);
    if (h->htyp == FST_HT_UPSCOPE) fstReaderPopScope(reader);
    if (h->htyp != FST_HT_VAR) continue;
    const char *scope = fstReaderGetCurrentFlatScope(reader), *name = h->u.var.name, *p = wanted;
    const size_t n = strlen(scope);
    if (strncmp(wanted, scope, n) || wanted[n] != '.') continue;
    for (p += n + 1; *name && (*name == ' ' || *name == *p); name++) p += *name != ' ';
    if (*name || *p) continue;
    *width = h->u.var.length;
    return h->u.var.handle;
  }
  return 0;
}

/* Bits as the file has them, at most 64, as a hexadecimal number; x: one of them is neither 0 nor 1. */
static void wavetable_hex(const char *bits, char value[static BITS_MOST / 4 + 1]) {
  char *end;
  const unsigned long long v = strtoull(bits, &end, 2);
  if (*end) strcpy(value, "x");
  else snprintf(value, BITS_MOST / 4 + 1, "%llx", v);
}

/* Fills the row of a signal; false: it is wider than a column, or zero in all cycles, which is counted. */
static bool wavetable_read(void *reader, const char *name, unsigned long long last, unsigned cycles, struct row *row,
                           unsigned *zero, unsigned *wide) {
  unsigned width = 0;
  bool any = false;
  const fstHandle handle = wavetable_find(reader, name, &width);
  if (!handle) return false;
  if (width > BITS_MOST) return ++*wide, false;
  snprintf(row->name, sizeof row->name, "%s", name);
  for (unsigned k = 0; k < cycles; k++) {
    char bits[BITS_MOST + 8] = "";
    const unsigned long long cycle = last - (cycles - 1 - k);
    strcpy(row->value[k], "-");
    if (fstReaderGetValueFromHandleAtTime(reader, TIME_OF_CYCLE * cycle, handle, bits))
      wavetable_hex(bits, row->value[k]);
    any |= strcmp(row->value[k], "0") && strcmp(row->value[k], "-");
  }
  if (!any) ++*zero;
  return any;
}

/* The name without the scopes of the model and its module, which all rows have. */
static const char *wavetable_short(const char *name) {
  const char *dot = strchr(name, '.');
  dot = dot ? strchr(dot + 1, '.') : NULL;
  return dot ? dot + 1 : name;
}

static void wavetable_print(const struct row *row, unsigned rows, unsigned long long last, unsigned cycles) {
  size_t name = 6, digits = 4;
  for (unsigned r = 0; r < rows; r++) {
    const size_t n = strlen(wavetable_short(row[r].name));
    if (n > name) name = n < NAME_MOST ? n : NAME_MOST;
    for (unsigned k = 0; k < cycles; k++)
      if (strlen(row[r].value[k]) > digits) digits = strlen(row[r].value[k]);
  }
  char text[24];
  const size_t n = (size_t)snprintf(text, sizeof text, "%llu", last);
  if (n > digits) digits = n;
  printf("  inner signals of the RTL in cycles %llu to %llu, in hexadecimal; the cycle of the failure stands last\n",
         last - (cycles - 1), last);
  printf("  %-*s", (int)name, "cycle");
  for (unsigned k = 0; k < cycles; k++) printf("  %*llu", (int)digits, last - (cycles - 1 - k));
  putchar('\n');
  for (unsigned r = 0; r < rows; r++) {
    printf("  %-*s", (int)name, wavetable_short(row[r].name));
    for (unsigned k = 0; k < cycles; k++) printf("  %*s", (int)digits, row[r].value[k]);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  if (argc != 3) fprintf(stderr, "wavetable: expected FILE.fst FILE.gtkw\n"), exit(2);
  void *reader = wavetable_open(argv[1]);
  FILE *save = fopen(argv[2], "r");
  if (!save)
    fprintf(stderr, "wavetable: %s: expected a save file, found none that can be read\n", SHOWN(argv[2])), exit(2);
  static struct row row[ROWS];
  char line[NAME];
  unsigned long long marker = 0;
  unsigned rows = 0, zero = 0, wide = 0, more = 0, cycles = 1;
  bool on = false;
  while (fgets(line, sizeof line, save)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "*-%*f %llu", &marker) == 1) {
      marker /= TIME_OF_CYCLE;
      cycles = marker + 1 < CYCLES ? (unsigned)marker + 1 : CYCLES;
    }
    if (line[0] == '-')
      on = !strncmp(line, "-named by", 9) || !strncmp(line, "-inner signals", 14) || !strncmp(line, "-in ", 4);
    if (!on || !line[0] || strchr("-@^+[*", line[0])) continue;
    if (rows == ROWS) more++;
    else rows += wavetable_read(reader, line, marker, cycles, &row[rows], &zero, &wide);
  }
  if (rows) wavetable_print(row, rows, marker, cycles);
  if (zero || wide || more)
    printf("  signals not shown: %u zero in these cycles, %u wider than %d bits, %u more\n", zero, wide, BITS_MOST,
           more);
  fclose(save);
  fstReaderClose(reader);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* colour: see colour.h. */
#include "report/colour.h"

#include <stdbool.h>
#include <string.h>

/*
 * The hues of Okabe and Ito ("Color Universal Design", 2008), each as it is, darker and lighter: neighbours in a
 * picture differ in hue or clearly in lightness.
 */
static const struct {
  const char *rgb, *system; /* NULL: no system's */
} table[] = {
    /* FineReg and those it is compared with */
    {"#555555", "FR-Base"},
    {"#56b4e9", "VT"},
    {"#e69f00", "Reg+DRAM"},
    {"#009e73", "VT+RegMutex"},
    {"#d55e00", "FineReg"},
    {"#cc79a7", "UM"},
    {"#0072b2", "VT+UM"},
    {"#f0e442", "FineReg+UM"},
    {"#000000", "FR-Ideal"},
    {"#7a4a66", "Baseline+Resource"},
    /* a larger machine */
    {"#9fd4f3", "Sched-1.5"},
    {"#2e7fae", "Sched-2"},
    {"#f3cd7a", "Mem-1.5"},
    {"#a06f00", "Mem-2"},
    {"#7fcfb9", "Both-1.5"},
    {"#00382a", "Both-2"},
    /* register slices */
    {"#5f5f5f", "SL-Orig"},
    {"#b4b4b4", "SL-ArtOcc"},
    {"#3a98d6", "SL-Int"},
    {"#f2b84b", "SL-Float-P"},
    {"#b97c00", "SL-Float-H"},
    {"#eb9a66", "SL-Full-P"},
    {"#9c4500", "SL-Full-H"},
    {"#f2d9e8", "SL-WB0"},
    {"#d48fb9", "SL-WB2"},
    {"#a8508a", "SL-WB4"},
    {"#4a1236", "SL-WB8"},
    {"#b5ab17", "slices-identity"},
    /* the machine as it is */
    {"#4a4a4a", "baseline"},
    {"#9a9a9a", "null"},
    /* variants of a sweep, best of which is a system above */
    {"#f7dfae", "RegDRAM"},
    {"#4dbf9f", "VT-RegMutex"},
    /* of no system */
    {"#004c78", NULL},
    {"#7f7700", NULL},
    {"#bfe3f7", NULL},
    {"#5f2a00", NULL},
};
enum { COLOURS = sizeof table / sizeof *table };

/* Colours for names that have none of their own: hues first, and colours of no system before those of systems. */
static unsigned left_over(const bool *used) {
  static const unsigned char first[] = {1, 2, 3, 4, 5, 6, 7, 0, 8, 32, 33, 34, 35};
  for (unsigned i = 0; i < sizeof first; i++)
    if (!used[first[i]]) return first[i];
  for (unsigned i = 0; i < COLOURS; i++)
    if (!used[i]) return i;
  return COLOURS;
}

void colours(const char *const *system, unsigned n, const char **rgb) {
  bool used[COLOURS] = {false};
  for (unsigned s = 0; s < n; s++) {
    rgb[s] = NULL;
    for (unsigned i = 0; i < COLOURS && !rgb[s]; i++)
      if (table[i].system && !used[i] && !strcmp(table[i].system, system[s])) {
        used[i] = true;
        rgb[s] = table[i].rgb;
      }
  }
  for (unsigned s = 0; s < n; s++) {
    unsigned i = rgb[s] ? 0 : left_over(used);
    if (rgb[s]) continue;
    rgb[s] = table[i < COLOURS ? i : s % COLOURS].rgb;
    if (i < COLOURS) used[i] = true;
  }
}

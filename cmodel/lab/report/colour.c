/* SPDX-License-Identifier: Apache-2.0 */
/* colour: see colour.h. */
#include "lab/report/colour.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each system's own, in the order of pictures: COLOUR lines of systems/NAME/paper.def. */
static const struct {
  const char *system, *rgb;
} own[] = {
#define COLOUR(system, rgb) {system, rgb},
#include "gen/systems/colours.def"
};

/*
 * For names that have none of their own: the hues of Okabe and Ito ("Color Universal Design", 2008), then darker and
 * lighter ones that no system has. Neighbours in a picture differ in hue or clearly in lightness.
 */
static const char *const spare[] = {"#56b4e9", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#0072b2", "#f0e442",
                                    "#555555", "#000000", "#004c78", "#7f7700", "#bfe3f7", "#5f2a00"};
enum { OWN = sizeof own / sizeof *own, SPARE = sizeof spare / sizeof *spare };

/* One of the n has it already. */
static bool colour_is_taken(const char (*rgb)[COLOUR_TEXT], unsigned n, const char *colour) {
  for (unsigned s = 0; s < n; s++)
    if (!strcmp(rgb[s], colour)) return true;
  return false;
}

static const char *colour_at(unsigned i) { return i < SPARE ? spare[i] : own[i - SPARE].rgb; }

/* The line of the system with these settings, else that of the system, whatever settings follow its name; OWN: none. */
static unsigned colour_line_of(const char *system) {
  const size_t n = strcspn(system, ":");
  unsigned i = 0;
  while (i < OWN && strcmp(own[i].system, system) != 0) i++;
  if (i < OWN) return i;
  for (i = 0; i < OWN && (strncmp(own[i].system, system, n) != 0 || own[i].system[n]);) i++;
  return i;
}

static unsigned colour_settings_in(const char *system) {
  unsigned n = 0;
  for (; *system; system++) n += *system == ':';
  return n;
}

/* The system has settings that its line has not. */
static bool colour_is_variant(const char *system, unsigned line) {
  return line < OWN && colour_settings_in(system) && strcmp(own[line].system, system) != 0;
}

enum { ALIKE = 70 };

/* Two colours that are hard to tell apart side by side: their weighted distance is small. */
static bool colours_are_alike(const char *a, const char *b) {
  static const int weight[] = {3, 4, 2}; /* blue, green, red */
  const unsigned v = (unsigned)strtoul(a + 1, NULL, 16), w = (unsigned)strtoul(b + 1, NULL, 16);
  int sum = 0;
  for (unsigned i = 0; i < 3; i++) {
    const int d = (int)(v >> 8 * i & 255) - (int)(w >> 8 * i & 255);
    sum += weight[i] * d * d;
  }
  return sum < ALIKE * ALIKE;
}

/* One of the n has a colour like it. */
static bool colour_is_near(const char (*rgb)[COLOUR_TEXT], unsigned n, const char *colour) {
  for (unsigned s = 0; s < n; s++)
    if (rgb[s][0] && colours_are_alike(rgb[s], colour)) return true;
  return false;
}

/* Nearer to white by `percent`, or to black by -percent. */
static void colour_shade(char out[COLOUR_TEXT], const char *rgb, int percent) {
  const unsigned v = (unsigned)strtoul(rgb + 1, NULL, 16);
  unsigned mixed = 0;
  for (unsigned shift = 0; shift < 24; shift += 8) {
    const int c = (int)(v >> shift & 255), to = percent > 0 ? 255 : 0, part = percent > 0 ? percent : -percent;
    mixed |= (unsigned)(c + (to - c) * part / 100) << shift;
  }
  snprintf(out, COLOUR_TEXT, "#%06x", mixed & 0xffffff);
}

static bool colour_is_light(const char *rgb) {
  const unsigned v = (unsigned)strtoul(rgb + 1, NULL, 16);
  return 2 * (v >> 16 & 255) + 5 * (v >> 8 & 255) + (v & 255) > 8 * 170;
}

enum { SHADES = 8 };

/* How far the i-th of n shades is from the system's colour. `plain`: the colour itself is in the picture; then the first shade is
 * lighter, but of a light colour. */
static int colour_shade_of(const char *rgb, unsigned i, unsigned n, bool plain) {
  enum {
    FEW = 5,
    LIGHTEST = 80,
    LIGHTEST_OF_FEW = 62,
    DARKEST = -60
  }; /* no shade is as light as the ground of means */
  static const int around[SHADES] = {48, -42, 70, -65, 28, -22, 84, -80};
  if (n == 1 && !plain) return 0;
  if (plain) return i < SHADES ? around[i ^ colour_is_light(rgb)] : 0;
  const int lightest = n > FEW ? LIGHTEST : LIGHTEST_OF_FEW;
  return lightest + (DARKEST - lightest) * (int)i / (int)(n - 1);
}

/* Of the systems of this line that have no colour yet, the one with the fewest settings; n: there are several, or none. */
static unsigned colour_plainest(const char *const *system, unsigned n, unsigned line, const char (*rgb)[COLOUR_TEXT]) {
  unsigned best = n, least = ~0u;
  for (unsigned s = 0; s < n; s++) {
    const unsigned settings = colour_settings_in(system[s]);
    if (colour_line_of(system[s]) != line || rgb[s][0] || !colour_is_variant(system[s], line) || settings > least)
      continue;
    best = settings < least ? s : n;
    least = settings;
  }
  return best;
}

/* Shades for the variants of the system of line `line`; one whose shade another name has is left for the spare ones. */
static void colour_variants(const char *const *system, unsigned n, unsigned line, char (*rgb)[COLOUR_TEXT]) {
  const char(*const all)[COLOUR_TEXT] = (const char(*)[COLOUR_TEXT])rgb;
  unsigned variants = 0, i = 0;
  bool plain = colour_is_taken(all, n, own[line].rgb);
  const unsigned plainest = plain ? n : colour_plainest(system, n, line, all);
  if (plainest < n) snprintf(rgb[plainest], COLOUR_TEXT, "%s", own[line].rgb), plain = true;
  for (unsigned s = 0; s < n; s++)
    variants += colour_line_of(system[s]) == line && !rgb[s][0] && colour_is_variant(system[s], line);
  for (unsigned s = 0; s < n; s++) {
    char shade[COLOUR_TEXT];
    if (colour_line_of(system[s]) != line || rgb[s][0] || !colour_is_variant(system[s], line)) continue;
    do colour_shade(shade, own[line].rgb, colour_shade_of(own[line].rgb, i++, variants, plain));
    while (plain && i < SHADES && colour_is_near(all, n, shade));
    if (!colour_is_taken(all, n, shade)) snprintf(rgb[s], COLOUR_TEXT, "%s", shade);
  }
}

void colours_assign(const char *const *system, unsigned n, char (*rgb)[COLOUR_TEXT]) {
  const char(*const all)[COLOUR_TEXT] = (const char(*)[COLOUR_TEXT])rgb;
  for (unsigned s = 0; s < n; s++) {
    const unsigned line = colour_line_of(system[s]);
    const bool mine = line < OWN && !colour_is_variant(system[s], line) && !colour_is_taken(all, s, own[line].rgb);
    snprintf(rgb[s], COLOUR_TEXT, "%s", mine ? own[line].rgb : "");
  }
  for (unsigned line = 0; line < OWN; line++) colour_variants(system, n, line, rgb);
  for (unsigned s = 0; s < n; s++) {
    unsigned i = 0;
    if (rgb[s][0]) continue;
    while (i < SPARE + OWN && colour_is_taken(all, n, colour_at(i))) i++;
    snprintf(rgb[s], COLOUR_TEXT, "%s", colour_at(i < SPARE + OWN ? i : s % (SPARE + OWN)));
  }
}

void colours_order(const char *const *system, unsigned n, unsigned *order) {
  unsigned k = 0;
  for (unsigned line = 0; line <= OWN; line++)
    for (unsigned s = 0; s < n; s++)
      if (colour_line_of(system[s]) == line) order[k++] = s;
}

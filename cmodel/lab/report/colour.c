/* SPDX-License-Identifier: Apache-2.0 */
/* colour: see colour.h. */
#include "lab/report/colour.h"

#include <string.h>

/* Each system's own, COLOUR lines of systems/NAME/paper.def. */
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
static int colour_is_taken(const char *const *rgb, unsigned n, const char *colour) {
  for (unsigned s = 0; s < n; s++)
    if (rgb[s] && !strcmp(rgb[s], colour)) return 1;
  return 0;
}

static const char *colour_at(unsigned i) { return i < SPARE ? spare[i] : own[i - SPARE].rgb; }

/* The system's own colour, or NULL. */
static const char *colour_own_of(const char *system) {
  for (unsigned i = 0; i < OWN; i++)
    if (!strcmp(own[i].system, system)) return own[i].rgb;
  return NULL;
}

void colours_assign(const char *const *system, unsigned n, const char **rgb) {
  for (unsigned s = 0; s < n; s++) {
    const char *mine = colour_own_of(system[s]);
    rgb[s] = mine && !colour_is_taken(rgb, s, mine) ? mine : NULL;
  }
  for (unsigned s = 0; s < n; s++) {
    unsigned i = 0;
    if (rgb[s]) continue;
    while (i < SPARE + OWN && colour_is_taken(rgb, n, colour_at(i))) i++;
    rgb[s] = colour_at(i < SPARE + OWN ? i : s % (SPARE + OWN));
  }
}

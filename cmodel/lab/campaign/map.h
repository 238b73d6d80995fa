/* SPDX-License-Identifier: Apache-2.0 */
/* map: the gain of one system over another on a grid of two keys: where would an idea pay? */
#ifndef RT_CAMPAIGN_MAP_H
#define RT_CAMPAIGN_MAP_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/matrix.h"
#include "config/keys.h"

enum { MAP_MOST = 16 }; /* values of a key */
struct map_axis {
  const struct key *key;
  unsigned n;
  int64_t value[MAP_MOST]; /* ascending */
  int64_t own;             /* of the machine as it is */
};
struct map {
  struct matrix
      m; /* its kernels and size; of point (i, j) system 2 x (j x x.n + i) is `against`, the next one `system` */
  struct map_axis x, y;
  struct plan system, against; /* on the machine as it is */
};

/* Axes as "section.key=a,b,c"; `arg`: numbers of the arguments, for messages. Makes the systems of m. False and *e: a key
 * without an order, a value out of its range or not above the one before it, systems that are unknown, a point that breaks a rule
 * between keys. */
struct map_wanted {
  const char *system, *against, *x, *y;
  int x_arg, y_arg;
};
bool map_plan(struct map *map, const struct map_wanted *w, const struct settings *s, struct err *e);
/* Then matrix_run(&map->m, ...). Geometric mean over the kernels that ran everywhere, at a point; NaN: none. */
double map_gain(const struct map *map, unsigned i, unsigned j);
unsigned map_reached(const struct map *map, double least); /* points whose mean is at least that */
/* Where the machine's own value lies on an axis: the index of a value, between two a fraction; NaN: outside. */
double map_own(const struct map_axis *a);
/* What a paper gives as the mean of this gain ("1.328"), where, and the index of the paper (NULL: not wanted); NULL: nothing. */
const char *map_claim(const struct map *map, char *where, size_t size, unsigned *paper);

void map_print(const struct map *map, FILE *f);
json_t *map_json(const struct map *map); /* docs/use/results.md has the keys. Owned by the caller. */
/* To a .png or .svg. */
bool map_plot(const struct map *map, const char *path, struct err *e);

/* What is drawn of a map. */
struct map_view {
  char title[256], x_title[128], y_title[128];
  unsigned nx, ny;
  int64_t x[MAP_MOST], y[MAP_MOST];
  double gain[MAP_MOST * MAP_MOST]; /* [ny][nx]; NaN: none */
  double own_x, own_y;              /* map_own */
  double reach;                     /* what the paper has as the mean; NaN: nothing */
};
void map_view_of(const struct map *map, struct map_view *v);
/* n maps beside or below each other. */
bool map_views_plot(const struct map_view *v, unsigned n, const char *title, const char *about, const char *path,
                    struct err *e);

#endif

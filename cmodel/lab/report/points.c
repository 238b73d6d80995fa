/* SPDX-License-Identifier: Apache-2.0 */
/* points: see points.h. */
#include "lab/report/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "lab/report/chart.h"

enum { NAME_MOST = 180, MARK = 7, LEADER_FROM = 12, RINGS = 12, FAR_RINGS = 60, RING = 13, WAYS = 16 };

/* ---- where the names stand ---- */

struct place { /* pixels */
  double x0, y0, x1, y1;
};

static bool places_meet(const struct place *a, const struct place *b) {
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Some point of the line from (x0, y0) to (x1, y1) lies in the place. */
static bool line_meets_place(double x0, double y0, double x1, double y1, const struct place *b) {
  const unsigned steps = 1 + (unsigned)(fabs(x1 - x0) + fabs(y1 - y0)) / 2;
  for (unsigned i = 0; i <= steps; i++) {
    const double x = x0 + (x1 - x0) * i / steps, y = y0 + (y1 - y0) * i / steps;
    if (x > b->x0 && x < b->x1 && y > b->y0 && y < b->y1) return true;
  }
  return false;
}

/* The nearest place of b to (x, y). */
static void place_nearest(const struct place *b, double x, double y, double *nx, double *ny) {
  *nx = fmin(fmax(x, b->x0), b->x1);
  *ny = fmin(fmax(y, b->y0), b->y1);
}

struct spots {
  const struct points *g;
  const struct frame_area *a;
  double *x, *y, *end;     /* of the points, and where their ranges end; NaN: not drawn */
  struct place *name;      /* of their names */
  unsigned *front, fronts; /* points of the staircase, from left to right */
  double (*step)[2];       /* its corners */
  unsigned steps;
  bool *placed;
};

/* The box of a name of this width, whose nearest side is `far` pixels from the point in this direction. */
static struct place spot_candidate(double x, double y, double wide, double dx, double dy, double far) {
  const double high = plot_text_height(PLOT_SMALL), cx = x + dx * (far + wide / 2), cy = y + dy * (far + high / 2);
  return (struct place){cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2};
}

/* Marks of two points lie on each other. */
static bool spots_touch(const struct spots *s, unsigned i, unsigned k) {
  return fabs(s->x[i] - s->x[k]) < 2 * MARK && fabs(s->y[i] - s->y[k]) < 2 * MARK;
}

/* What a name may lie on: nothing; or its leader may cross marks, where there is no such place; or it may lie on all but names. */
enum spot_care { SPOT_FREE, SPOT_LEADER_CROSSES, SPOT_OFF_NAMES, SPOT_CARES };

/* The name at this place, or its leader to (nx, ny), lies on the mark, the range or the name of point k, or on its leader. */
static bool spot_meets(const struct spots *s, unsigned i, const struct place *at, double nx, double ny, unsigned k,
                       enum spot_care care) {
  const struct place mark = {s->x[k] - MARK, s->y[k] - MARK, s->x[k] + MARK, s->y[k] + MARK},
                     range = {s->x[k], s->y[k] - 2, s->end[k], s->y[k] + 2};
  double kx, ky;
  if (isnan(s->x[k])) return false;
  if (s->placed[k] && places_meet(at, &s->name[k])) return true;
  if (care == SPOT_OFF_NAMES) return false;
  if (places_meet(at, &mark) || (!isnan(s->end[k]) && places_meet(at, &range))) return true;
  if (k == i) return false;
  if (care == SPOT_FREE && !spots_touch(s, i, k) && line_meets_place(s->x[i], s->y[i], nx, ny, &mark)) return true;
  if (!s->placed[k]) return false;
  place_nearest(&s->name[k], s->x[k], s->y[k], &kx, &ky);
  return line_meets_place(s->x[i], s->y[i], nx, ny, &s->name[k]) || line_meets_place(s->x[k], s->y[k], kx, ky, at);
}

/* The place lies within the area, on nothing that this care leaves free. */
static bool spot_is_free(const struct spots *s, unsigned i, const struct place *at, enum spot_care care) {
  double nx, ny;
  if (at->x0 < s->a->x0 + 2 || at->x1 > s->a->x1 || at->y0 < s->a->y0 || at->y1 > s->a->y1 - 2) return false;
  place_nearest(at, s->x[i], s->y[i], &nx, &ny);
  for (unsigned k = 0; k < s->g->n; k++)
    if (spot_meets(s, i, at, nx, ny, k, care)) return false;
  for (unsigned k = 1; care != SPOT_OFF_NAMES && k < s->steps; k++)
    if (line_meets_place(s->step[k - 1][0], s->step[k - 1][1], s->step[k][0], s->step[k][1], at)) return false;
  return true;
}

/* To the right first, then around the point; then farther away. */
static void spot_place_name(struct spots *s, unsigned i, enum spot_care care) {
  static const double way[WAYS][2] = {{1, 0},          {0.924, -0.383},  {0.924, 0.383},  {0.707, -0.707},
                                      {0.707, 0.707},  {0.383, -0.924},  {0.383, 0.924},  {0, -1},
                                      {0, 1},          {-1, 0},          {-0.924, 0.383}, {-0.924, -0.383},
                                      {-0.707, 0.707}, {-0.707, -0.707}, {-0.383, 0.924}, {-0.383, -0.924}};
  char text[256];
  const double wide =
      plot_text_width(plot_shorten(text, sizeof text, s->g->point[i].name, NAME_MOST, PLOT_SMALL), PLOT_SMALL, false);
  for (unsigned ring = 0; ring < (care == SPOT_FREE ? RINGS : FAR_RINGS); ring++)
    for (unsigned w = 0; w < WAYS; w++) {
      const struct place at = spot_candidate(s->x[i], s->y[i], wide + 2, way[w][0], way[w][1], MARK + 2 + ring * RING);
      if (!spot_is_free(s, i, &at, care)) continue;
      s->name[i] = at;
      s->placed[i] = true;
      return;
    }
}

/* ---- drawing ---- */

/* Round ends around the numbers. */
static struct frame_scale points_scale(double least, double most) {
  struct frame_scale s = {0};
  const double room = fmax((most - least) * 0.06, 0.01);
  double at[CHART_TICKS];
  unsigned decimals;
  const unsigned n = chart_place_ticks(least - room, most + room, 10, at, &decimals);
  const double step = n > 1 ? at[1] - at[0] : 2 * room;
  s.least = floor((least - room) / step) * step;
  s.most = ceil((most + room) / step) * step;
  s.tics = chart_place_ticks(s.least, s.most, 10, s.tic, &s.decimals);
  return s;
}

enum { TRIES = 64 };

/* Places the names in this order, each on nothing. The place in the order of the first that has none; n: all have one. */
static unsigned spots_place_in_order(struct spots *s, const unsigned *order, unsigned n) {
  for (unsigned k = 0; k < n; k++) s->placed[order[k]] = false;
  for (unsigned k = 0; k < n; k++) {
    spot_place_name(s, order[k], SPOT_FREE);
    if (!s->placed[order[k]]) return k;
  }
  return n;
}

/* A name for which no place is left is placed first, and all others anew; then with less care. */
static void spots_place_names(struct spots *s) {
  unsigned *order = xcalloc(s->g->n + 1, sizeof *order), n = 0, at = 0;
  for (unsigned i = 0; i < s->g->n; i++)
    if (!isnan(s->x[i])) order[n++] = i;
  for (unsigned try = 0; try < TRIES && (at = spots_place_in_order(s, order, n)) < n; try++) {
    const unsigned first = order[at];
    memmove(order + 1, order, at * sizeof *order);
    order[0] = first;
  }
  for (unsigned care = SPOT_FREE; care < SPOT_CARES; care++)
    for (unsigned k = 0; k < n; k++)
      if (!s->placed[order[k]]) spot_place_name(s, order[k], care);
  free(order);
}

static void points_put_names(struct plot *p, struct spots *s) {
  char text[256];
  spots_place_names(s);
  for (unsigned i = 0; i < s->g->n; i++) {
    double nx, ny;
    if (!s->placed[i]) continue;
    place_nearest(&s->name[i], s->x[i], s->y[i], &nx, &ny);
    if (hypot(nx - s->x[i], ny - s->y[i]) > LEADER_FROM) plot_put_line(p, s->x[i], s->y[i], nx, ny, 0.7, 1, "#999999");
    plot_put(p, (s->name[i].x0 + s->name[i].x1) / 2, (s->name[i].y0 + s->name[i].y1) / 2, PLOT_MIDDLE,
             (struct plot_font){PLOT_SMALL, false, 0, NULL}, "%s",
             plot_shorten(text, sizeof text, s->g->point[i].name, NAME_MOST, PLOT_SMALL));
  }
}

static void points_put_data(struct plot *p, const struct points *g, const struct spots *s) {
  FILE *f = plot_script(p);
  for (unsigned k = 1; k < s->steps; k++)
    plot_put_line(p, s->step[k - 1][0], s->step[k - 1][1], s->step[k][0], s->step[k][1], 1.5, 2, "#777777");
  fprintf(f, "$ranges << EOD\n");
  for (unsigned i = 0; i < g->n; i++)
    if (!isnan(g->point[i].x) && !isnan(g->point[i].x_most) && !isnan(g->point[i].y))
      fprintf(f, "%.6g %.6g %.6g 0 %ld\n", g->point[i].x, g->point[i].y, g->point[i].x_most - g->point[i].x,
              strtol(g->point[i].rgb + 1, NULL, 16));
  fprintf(f, "NaN NaN NaN NaN 0\nEOD\n$points << EOD\n");
  for (unsigned i = 0; i < g->n; i++)
    if (!isnan(g->point[i].x) && !isnan(g->point[i].y))
      fprintf(f, "%.6g %.6g %d %ld\n", g->point[i].x, g->point[i].y, g->point[i].type,
              strtol(g->point[i].rgb + 1, NULL, 16));
  fprintf(f,
          "NaN NaN 7 0\nEOD\nplot $ranges using 1:2:3:4:5 with vectors nohead lw 2.5 lc rgb variable, "
          "$points using 1:2:3:4 with points ps 1.4 lw 1.8 pt variable lc rgb variable\n");
}

static void spots_add_step(struct spots *s, double x, double y) {
  s->step[s->steps][0] = x;
  s->step[s->steps++][1] = y;
}

/* From the edge of the area through each point to the edge: on one side of it lies what some point of it beats in both measures. */
static void spots_find_steps(struct spots *s) {
  const bool x_more = s->g->x_more;
  const double worse_x = x_more ? s->a->x0 : s->a->x1, worse_y = s->g->y_less ? s->a->y0 : s->a->y1;
  if (!s->fronts) return;
  const unsigned first = s->front[0], last = s->front[s->fronts - 1];
  if (x_more) spots_add_step(s, worse_x, s->y[first]);
  else spots_add_step(s, s->x[first], worse_y);
  for (unsigned k = 0; k < s->fronts; k++) {
    const unsigned i = s->front[k], next = s->front[k + 1 < s->fronts ? k + 1 : k];
    spots_add_step(s, s->x[i], s->y[i]);
    if (x_more) spots_add_step(s, s->x[i], s->y[next]);
    else spots_add_step(s, s->x[next], s->y[i]);
  }
  if (x_more) spots_add_step(s, s->x[last], worse_y);
  else spots_add_step(s, worse_x, s->y[last]);
}

/* The points of the staircase, from left to right. */
static void spots_find_front(struct spots *s) {
  for (unsigned i = 0; i < s->g->n; i++) {
    unsigned at = s->fronts;
    if (!s->g->point[i].front || isnan(s->x[i])) continue;
    for (; at && s->x[s->front[at - 1]] > s->x[i]; at--) s->front[at] = s->front[at - 1];
    s->front[at] = i;
    s->fronts++;
  }
}

/* The names of the points that have no place. */
static double points_put_missing(struct plot *p, const struct points *g, double y) {
  char text[1024];
  unsigned n = 0;
  snprintf(text, sizeof text, "%s:", g->missing ? g->missing : "");
  for (unsigned i = 0; i < g->n; i++)
    if (isnan(g->point[i].x) || isnan(g->point[i].y)) {
      const size_t at = strlen(text);
      snprintf(text + at, sizeof text - at, "%s %s", n++ ? "," : "", g->point[i].name);
    }
  if (!g->missing || !n) return y;
  return frame_put_lines(p, FRAME_EDGE, y, plot_width(p) - 2 * FRAME_EDGE, PLOT_LEFT,
                         (struct plot_font){PLOT_SMALL, false, 0, "#444444"}, text);
}

double points_draw(struct plot *p, const struct points *g, double y, double high) {
  double left = INFINITY, right = -INFINITY, low = INFINITY, top = -INFINITY;
  for (unsigned i = 0; i < g->n; i++) {
    const struct point *t = &g->point[i];
    if (isnan(t->x) || isnan(t->y)) continue;
    left = fmin(left, t->x), right = fmax(right, isnan(t->x_most) ? t->x : fmax(t->x, t->x_most));
    low = fmin(low, t->y), top = fmax(top, t->y);
  }
  if (left > right) left = low = 0, right = top = 1;
  const struct frame_scale sx = points_scale(left, right), sy = points_scale(low, top);
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL};
  y = frame_put_lines(p, FRAME_EDGE, y, plot_width(p) - 2 * FRAME_EDGE, PLOT_LEFT,
                      (struct plot_font){PLOT_NORMAL, true, 0, NULL}, g->title);
  const struct frame_area a = {FRAME_EDGE + 20 + frame_numbers_width(&sy), y + 8, plot_width(p) - FRAME_EDGE - 16.0,
                               y + 8 + high};
  struct spots s = {.g = g, .a = &a};
  s.x = xcalloc(g->n + 1, sizeof *s.x), s.y = xcalloc(g->n + 1, sizeof *s.y);
  s.end = xcalloc(g->n + 1, sizeof *s.end);
  s.name = xcalloc(g->n + 1, sizeof *s.name), s.placed = xcalloc(g->n + 1, sizeof *s.placed);
  for (unsigned i = 0; i < g->n; i++) {
    const bool there = !isnan(g->point[i].x) && !isnan(g->point[i].y);
    s.x[i] = there ? a.x0 + frame_place(&sx, g->point[i].x) * (a.x1 - a.x0) : NAN;
    s.end[i] = there && !isnan(g->point[i].x_most) ? a.x0 + frame_place(&sx, g->point[i].x_most) * (a.x1 - a.x0) : NAN;
    s.y[i] = there ? a.y1 - frame_place(&sy, g->point[i].y) * (a.y1 - a.y0) : NAN;
  }
  s.front = xcalloc(g->n + 1, sizeof *s.front);
  spots_find_front(&s);
  s.step = xcalloc(2 * s.fronts + 2, sizeof *s.step);
  spots_find_steps(&s);
  frame_put_axes(p, &a, &sx, 0, 0, &sy);
  plot_put(p, (a.x0 + a.x1) / 2, a.y1 + 29, PLOT_MIDDLE, font, "%s", g->x_title);
  plot_put(p, FRAME_EDGE + 8, (a.y0 + a.y1) / 2, PLOT_MIDDLE, (struct plot_font){PLOT_NORMAL, false, 90, NULL}, "%s",
           g->y_title);
  points_put_names(p, &s);
  points_put_data(p, g, &s);
  plot_clear(p);
  free(s.x), free(s.y), free(s.end), free(s.front), free(s.step), free(s.name), free(s.placed);
  return points_put_missing(p, g, a.y1 + 46);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* map: see map.h. */
#include "lab/campaign/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "lab/campaign/experiment.h"
#include "lab/report/json.h"
#include "lab/report/table.h"

/* ---- the axes ---- */

static int64_t map_key_value(const struct config *c, const struct key *k) {
  int64_t v;
  memcpy(&v, (const char *)c + k->offset, sizeof v);
  return v;
}

static bool map_axis_add_value(struct map_axis *a, const char *option, int64_t v, struct err *e) {
  if (a->n == MAP_MOST) return err_at(e, NULL, 0, 0, "%s: found more than %d values, expected fewer", option, MAP_MOST);
  if (a->n && v <= a->value[a->n - 1])
    return err_at(e, NULL, 0, 0, "%s: found %lld behind %lld, expected values of %s.%s that ascend", option,
                  (long long)v, (long long)a->value[a->n - 1], a->key->section, a->key->name);
  a->value[a->n++] = v;
  return true;
}

/* The key of "section.key=..."; unknown ones are config_set's errors. */
static bool map_axis_find_key(struct map_axis *a, const char *option, const char *text, const char *values,
                              struct err *e) {
  char section[64], name[64], names[256];
  const char *dot = strchr(text, '.');
  if (!values || !dot || dot > values)
    return err_at(e, NULL, 0, 0, "%s: found '%.60s', expected section.key=value,value,...", option, text);
  snprintf(section, sizeof section, "%.*s", (int)(dot - text < 60 ? dot - text : 60), text);
  snprintf(name, sizeof name, "%.*s", (int)(values - dot - 1 < 60 ? values - dot - 1 : 60), dot + 1);
  a->key = key_find(section, name);
  if (!a->key || a->key->type == KEY_INT) return true;
  return err_at(e, NULL, 0, 0,
                "%s: found %s.%s, which is %s, expected a key that is a number: its values have an order", option,
                section, name,
                a->key->type == KEY_BOOL   ? "true or false"
                : a->key->type == KEY_PATH ? "the path of a file"
                : a->key->type == KEY_WORD ? "a text"
                                           : key_names(a->key, names, sizeof names));
}

static bool map_axis_read(struct map_axis *a, const char *option, const char *text, int arg, const struct config *own,
                          struct err *e) {
  const char *values = strchr(text, '=');
  if (!map_axis_find_key(a, option, text, values, e)) return false;
  for (const char *v = values + 1;; v++) {
    char one[192];
    const size_t n = strcspn(v, ",");
    struct config c = *own;
    snprintf(one, sizeof one, "%.*s=%.*s", (int)(values - text < 120 ? values - text : 120), text,
             (int)(n < 60 ? n : 60), v);
    if (!config_set(&c, one, arg, e) || !map_axis_add_value(a, option, map_key_value(&c, a->key), e)) return false;
    v += n;
    if (!*v) break;
  }
  a->own = map_key_value(own, a->key);
  return true;
}

/* ---- the points ---- */

static bool map_add_point(struct map *map, const struct map_wanted *w, const struct settings *s, unsigned i, unsigned j,
                          struct err *e) {
  const char *set[260];
  int arg[260];
  char at[2][192];
  struct settings mine = *s;
  const struct map_axis *const axis[2] = {&map->x, &map->y};
  if (s->nset + 2 > sizeof set / sizeof *set) return err_at(e, NULL, 0, 0, "found too many --set, expected fewer");
  for (unsigned k = 0; k < s->nset; k++) set[k] = s->set[k], arg[k] = s->set_arg[k];
  for (unsigned k = 0; k < 2; k++) {
    snprintf(at[k], sizeof at[k], "%s.%s=%lld", axis[k]->key->section, axis[k]->key->name,
             (long long)axis[k]->value[k ? j : i]);
    set[s->nset + k] = at[k];
    arg[s->nset + k] = k ? w->y_arg : w->x_arg;
  }
  mine.set = set, mine.set_arg = arg, mine.nset = s->nset + 2;
  for (unsigned k = 0; k < 2; k++) {
    struct err why = {0};
    struct plan p;
    if (!plan_find(&p, k ? w->system : w->against, &mine, &why))
      return err_at(e, NULL, 0, 0, "at %s, %s: %.500s", at[0], at[1], why.text);
    snprintf(p.label, sizeof p.label, "%.40s at %.38s, %.38s", k ? map->system.label : map->against.label, at[0],
             at[1]);
    VEC_PUSH(map->m.system, map->m.nsystem, map->m.systems_cap) = p;
  }
  return true;
}

bool map_plan(struct map *map, const struct map_wanted *w, const struct settings *s, struct err *e) {
  if (!plan_find(&map->against, w->against, s, e) || !plan_find(&map->system, w->system, s, e)) return false;
  if (!map_axis_read(&map->x, "--x", w->x, w->x_arg, &map->system.cfg, e)) return false;
  if (!map_axis_read(&map->y, "--y", w->y, w->y_arg, &map->system.cfg, e)) return false;
  if (map->x.key == map->y.key)
    return err_at(e, NULL, 0, 0, "--y: found %s.%s, which is --x too, expected another key", map->y.key->section,
                  map->y.key->name);
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++)
      if (!map_add_point(map, w, s, i, j, e)) return false;
  return true;
}

/* ---- results ---- */

static unsigned map_point_index(const struct map *map, unsigned i, unsigned j) { return 2 * (j * map->x.n + i); }

double map_gain(const struct map *map, unsigned i, unsigned j) {
  const unsigned s = map_point_index(map, i, j);
  const struct mean mean = matrix_mean(&map->m, measure_find("ipc"), s + 1, (int)s);
  double x;
  return mean_geometric(&mean, &x) ? x : NAN;
}

unsigned map_reached(const struct map *map, double least) {
  unsigned n = 0;
  for (unsigned p = 0; p < map->x.n * map->y.n; p++) n += map_gain(map, p % map->x.n, p / map->x.n) >= least;
  return n;
}

double map_own(const struct map_axis *a) {
  for (unsigned i = 0; i < a->n; i++) {
    if (a->value[i] == a->own) return i;
    if (i && a->value[i - 1] < a->own && a->own < a->value[i])
      return i - 1 + (double)(a->own - a->value[i - 1]) / (double)(a->value[i] - a->value[i - 1]);
  }
  return NAN;
}

/* Every key is the same. */
static bool map_configs_equal(const struct config *a, const struct config *b) {
  for (unsigned i = 0; i < config_nkeys; i++) {
    char x[KEY_TEXT], y[KEY_TEXT];
    key_print(a, &config_keys[i], x, sizeof x);
    key_print(b, &config_keys[i], y, sizeof y);
    if (strcmp(x, y) != 0) return false;
  }
  return true;
}

/* A paper may have a name of its own for the same baseline. */
const char *map_claim(const struct map *map, char *where, size_t size, unsigned *paper) {
  for (const struct config_name *n = config_systems(); n->name; n++) {
    const struct settings s = {.machine = map->against.cfg.machine};
    const struct experiment *x;
    struct plan p;
    struct err e = {0};
    const char *text = experiment_mean("ipc", map->system.label, n->name, &x);
    if (!text || strcmp(papers[x->paper].machine, map->against.cfg.machine) != 0) continue;
    if (!plan_find(&p, n->name, &s, &e) || !map_configs_equal(&p.cfg, &map->against.cfg)) continue;
    snprintf(where, size, "%.*s, %s", (int)strcspn(papers[x->paper].source, ","), papers[x->paper].source, x->where);
    if (paper) *paper = (unsigned)x->paper;
    return text;
  }
  return NULL;
}

/* ---- as text ---- */

static bool map_is_own(const struct map *map, unsigned i, unsigned j) {
  return map->x.value[i] == map->x.own && map->y.value[j] == map->y.own;
}

/* The kernels of a point's mean, of the point that has most. */
static unsigned kernels_in(const struct map *map) {
  unsigned most = 0;
  for (unsigned p = 0; p < map->m.nsystem; p += 2) {
    const unsigned n = matrix_mean(&map->m, measure_find("ipc"), p + 1, (int)p).n;
    if (n > most) most = n;
  }
  return most;
}

/* True if the map has all kernels of the paper and no others, at the default size. */
static bool map_has_paper_kernels(const struct map *map, unsigned paper, unsigned *kernels) {
  struct matrix all = {.size = map->m.size};
  struct err e = {0};
  unsigned found = 0;
  if (!matrix_kernels(&all, papers[paper].key, &e)) all.nkernel = 0;
  for (unsigned k = 0; k < map->m.nkernel; k++)
    for (unsigned i = 0; i < all.nkernel; i++) found += !strcmp(all.kernel[i].kernel, map->m.kernel[k].kernel);
  *kernels = all.nkernel;
  matrix_free(&all);
  return found == map->m.nkernel && found == *kernels && !strcmp(map->m.size, "default");
}

static void map_print_claim(const struct map *map, FILE *f) {
  char where[256];
  unsigned paper, kernels;
  const char *text = map_claim(map, where, sizeof where, &paper);
  if (!text) return;
  fprintf(f, "The paper has %s in the mean of its kernels (%s): reached at %u of %u points.\n", text, where,
          map_reached(map, atof(text)), map->x.n * map->y.n);
  if (!map_has_paper_kernels(map, paper, &kernels))
    fprintf(f, "It does not compare: the paper's kernels are %u here, at size default; this map has %u at size %s.\n",
            kernels, map->m.nkernel, map->m.size);
}

void map_print(const struct map *map, FILE *f) {
  const struct map_axis *x = &map->x, *y = &map->y;
  struct table *t = table_new(x->n);
  char text[128];
  for (unsigned i = 0; i < x->n; i++) {
    snprintf(text, sizeof text, "%lld", (long long)x->value[i]);
    table_head(t, i, text);
  }
  snprintf(text, sizeof text, "%s.%s below each other, %s.%s side by side", y->key->section, y->key->name,
           x->key->section, x->key->name);
  table_section(t, text);
  for (unsigned j = y->n; j-- > 0;) { /* the largest on top, as in the picture */
    snprintf(text, sizeof text, "%lld", (long long)y->value[j]);
    table_row(t, text, y->key->unit);
    for (unsigned i = 0; i < x->n; i++) {
      const double v = map_gain(map, i, j);
      if (isnan(v)) snprintf(text, sizeof text, "-");
      else snprintf(text, sizeof text, "%s%.3f", map_is_own(map, i, j) ? "*" : "", v);
      table_cell(t, i, text);
    }
  }
  fprintf(f, "regtwin %s   IPC of %s relative to %s, %s of %s, size %s, geometric mean of %u kernel%s\n\n", RT_VERSION,
          SHOWN(map->system.label), SHOWN(map->against.label), RUN_SMS(&map->system.cfg),
          SHOWN(map->system.cfg.machine), map->m.size, kernels_in(map), kernels_in(map) == 1 ? "" : "s");
  table_print(t, f);
  table_free(t);
  fprintf(f, "\n%s the machine as it is: %s.%s %lld, %s.%s %lld%s\n",
          isnan(map_own(x)) || isnan(map_own(y)) ? "Not in this map:" : "*", x->key->section, x->key->name,
          (long long)x->own, y->key->section, y->key->name, (long long)y->own,
          isnan(map_own(x)) || isnan(map_own(y)) || (map_own(x) == floor(map_own(x)) && map_own(y) == floor(map_own(y)))
              ? ""
              : " (between points)");
  if (kernels_in(map)) map_print_claim(map, f);
  else fprintf(f, "No kernel ran at all points, so there is no mean\n");
}

/* ---- JSON ---- */

static json_t *axis_json(const struct map_axis *a) {
  json_t *o = json_object(), *values = json_array();
  char name[140];
  snprintf(name, sizeof name, "%s.%s", a->key->section, a->key->name);
  for (unsigned i = 0; i < a->n; i++) json_array_append_new(values, json_integer(a->value[i]));
  json_put(o, "key", json_text(name));
  json_put(o, "unit", json_text(a->key->unit));
  json_put(o, "values", values);
  json_put(o, "own", json_integer(a->own));
  return o;
}

static json_t *point_json(const struct map *map, unsigned i, unsigned j) {
  json_t *o = json_object(), *kernels = json_object();
  const unsigned s = map_point_index(map, i, j);
  const double mean = map_gain(map, i, j);
  double v;
  for (unsigned k = 0; k < map->m.nkernel; k++)
    json_put(kernels, map->m.kernel[k].kernel,
             matrix_ratio(&map->m, measure_find("ipc"), k, s + 1, s, &v) ? json_real(v) : json_null());
  json_put(o, "x", json_integer(map->x.value[i]));
  json_put(o, "y", json_integer(map->y.value[j]));
  json_put(o, "own", json_boolean(map_is_own(map, i, j)));
  json_put(o, "geometric_mean", isnan(mean) ? json_null() : json_real(mean));
  json_put(o, "kernels", kernels);
  return o;
}

json_t *map_json(const struct map *map) {
  json_t *all = json_object(), *points = json_array();
  char where[256] = "";
  unsigned paper, kernels;
  const char *text = map_claim(map, where, sizeof where, &paper);
  for (unsigned j = 0; j < map->y.n; j++)
    for (unsigned i = 0; i < map->x.n; i++) json_array_append_new(points, point_json(map, i, j));
  json_put(all, "regtwin", json_text(RT_VERSION));
  json_put(all, "config", json_text(map->system.cfg.machine));
  json_put(all, "system", json_text(map->system.label));
  json_put(all, "against", json_text(map->against.label));
  json_put(all, "size", json_text(map->m.size));
  json_put(all, "x", axis_json(&map->x));
  json_put(all, "y", axis_json(&map->y));
  json_put(all, "kernels", json_whole(kernels_in(map)));
  json_put(all, "paper", text ? json_text(text) : json_null());
  json_put(all, "paper_where", text ? json_text(where) : json_null());
  json_put(all, "paper_kernels", text ? json_boolean(map_has_paper_kernels(map, paper, &kernels)) : json_null());
  json_put(all, "points", points);
  return all;
}

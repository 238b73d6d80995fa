/* SPDX-License-Identifier: Apache-2.0 */
/* view: see view.h. */
#include "lab/database/results/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/experiment.h"
#include "lab/campaign/plan.h"
#include "lab/report/colour.h"

enum { SEEDS = 64 }; /* of one kernel at one point that a mean takes */

/* ---- kernels and systems ---- */

static unsigned view_find_name(const char **name, unsigned n, const char *wanted) {
  unsigned i = 0;
  while (i < n && strcmp(name[i], wanted)) i++;
  return i;
}

static void view_add_name(const char ***name, unsigned *n, unsigned *cap, const char *one) {
  if (view_find_name(*name, *n, one) == *n) VEC_PUSH(*name, *n, *cap) = one;
}

static int view_by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of those that an experiment compares others with, the one that it does with the most. */
static unsigned paper_base(const struct view *v) {
  unsigned best = v->nsystem, most = 0;
  for (unsigned b = 0; b < v->nsystem; b++) {
    unsigned n = 0;
    for (unsigned s = 0; s < v->nsystem; s++) n += s != b && experiment_compares(v->system[s], v->system[b]);
    if (n > most) best = b, most = n;
  }
  return best;
}

/* The order that systems have in every picture; others as they came. */
static void view_order_systems(struct view *v) {
  unsigned *order = xcalloc(v->nsystem + 1, sizeof *order);
  const char **name = xcalloc(v->nsystem + 1, sizeof *name);
  colours_order(v->system, v->nsystem, order);
  for (unsigned s = 0; s < v->nsystem; s++) name[s] = v->system[order[s]];
  for (unsigned s = 0; s < v->nsystem; s++) v->system[s] = name[s];
  free(order), free(name);
}

static void base_first(struct view *v, const char *base) {
  unsigned at = view_find_name(v->system, v->nsystem, base ? base : "baseline");
  if (at == v->nsystem) at = paper_base(v);
  if (at == v->nsystem) return;
  const char *name = v->system[at];
  for (; at; at--) v->system[at] = v->system[at - 1];
  v->system[0] = name;
}

static int seat_by_place(const void *a, const void *b) {
  const struct seat *x = a, *y = b;
  if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
  if (x->system != y->system) return x->system < y->system ? -1 : 1;
  return x->of < y->of ? -1 : x->of > y->of; /* of one array: the set's order */
}

static void view_fill_seats(struct view *v, const struct outcome *const *run, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    struct seat s = {run[i], view_find_name(v->kernel, v->nkernel, run[i]->kernel),
                     view_find_name(v->system, v->nsystem, run[i]->system), NULL};
    VEC_PUSH(v->seat, v->nseat, v->seat_cap) = s;
  }
  if (n) qsort(v->seat, v->nseat, sizeof *v->seat, seat_by_place);
  v->first = xcalloc(v->nkernel * v->nsystem + 1, sizeof *v->first);
  for (unsigned i = 0, p = 0; p <= v->nkernel * v->nsystem; p++) {
    while (i < v->nseat && v->seat[i].kernel * v->nsystem + v->seat[i].system < p) i++;
    v->first[p] = i;
  }
}

/* ---- keys that are swept ---- */

/* A name may carry settings, "NAME:section.key=value". */
static bool of_plan(const char *system, unsigned i) {
  const size_t n = strcspn(system, ":");
  return strlen(plan_infos[i].name) == n && !strncmp(plan_infos[i].name, system, n);
}

/* Keys that a plan chooses for each kernel are not. */
static bool view_plan_chooses(const struct view *v, unsigned s, const struct key *k) {
  char name[128];
  snprintf(name, sizeof name, "%s.%s", k->section, k->name);
  for (unsigned i = 0; v->planned[s] && i < plan_ninfos; i++)
    if (of_plan(v->system[s], i)) return plan_infos[i].kind != PLAN_SWEEP || !strcmp(plan_infos[i].key, name);
  return false;
}

/* Two runs that differ in it, of one kernel, system and seed. */
static bool is_swept(const struct view *v, const struct key *k) {
  for (unsigned i = 1; i < v->nseat; i++) {
    const struct seat *a = &v->seat[i];
    for (unsigned j = v->first[a->kernel * v->nsystem + a->system]; j < i; j++) {
      const struct seat *b = &v->seat[j];
      if (a->of->seed != b->of->seed || !a->of->known || !b->of->known) continue;
      if (!key_same(a->of->cfg, b->of->cfg, k) && !view_plan_chooses(v, a->system, k)) return true;
      break; /* the first one of the same seed is enough: all the others are compared with it */
    }
  }
  return false;
}

static int64_t view_key_number(const struct config *c, const struct key *k) {
  const char *at = (const char *)c + k->offset;
  return k->type == KEY_INT    ? *(const int64_t *)at
         : k->type == KEY_BOOL ? *(const bool *)at
         : k->type == KEY_ENUM ? *(const int *)at
                               : 0;
}

static int swept_value_by_number(const void *a, const void *b) {
  const struct swept_value *x = a, *y = b;
  return x->number < y->number ? -1 : x->number > y->number ? 1 : strcmp(x->text, y->text);
}

static void value_text(const struct config *c, const struct key *k, struct swept_value *out) {
  char text[KEY_TEXT];
  key_print(c, k, text, sizeof text);
  snprintf(out->text, sizeof out->text, "%.60s", text);
  out->number = (double)view_key_number(c, k);
}

static unsigned swept_find_value(const struct swept *w, const struct config *c) {
  struct swept_value x;
  unsigned i = 0;
  value_text(c, w->key, &x);
  while (i < w->n && swept_value_by_number(&w->value[i], &x)) i++;
  return i;
}

static void find_swept(struct view *v) {
  for (unsigned i = 0; i < config_nkeys; i++) {
    if (!is_swept(v, &config_keys[i])) continue;
    struct swept *w = &VEC_PUSH(v->swept, v->nswept, v->swept_cap);
    memset(w, 0, sizeof *w);
    w->key = &config_keys[i];
    snprintf(w->name, sizeof w->name, "%s.%s%s%s%s", w->key->section, w->key->name, w->key->unit[0] ? " (" : "",
             w->key->unit, w->key->unit[0] ? ")" : "");
    for (unsigned r = 0; r < v->nseat; r++) {
      if (!v->seat[r].of->known || swept_find_value(w, v->seat[r].of->cfg) < w->n) continue;
      struct swept_value *x = &VEC_PUSH(w->value, w->n, w->cap);
      value_text(v->seat[r].of->cfg, w->key, x);
    }
    qsort(w->value, w->n, sizeof *w->value, swept_value_by_number);
    const bool counts = w->key->type == KEY_INT;
    for (unsigned x = 0; !counts && x < w->n; x++) w->value[x].number = x;
  }
}

/* The values of each run; in a search by number they are as they were, so this comes before they are numbered. */
static void seat_values(struct view *v) {
  for (unsigned r = 0; r < v->nseat; r++) {
    struct seat *s = &v->seat[r];
    s->at = arena_alloc(&v->arena, v->nswept * sizeof *s->at);
    for (unsigned w = 0; w < v->nswept; w++) {
      struct swept_value x;
      value_text(s->of->cfg, v->swept[w].key, &x);
      while (s->at[w] < v->swept[w].n && strcmp(v->swept[w].value[s->at[w]].text, x.text)) s->at[w]++;
      if (s->at[w] == v->swept[w].n) s->at[w] = 0;
    }
  }
}

/* Of a swept key and system: the preset's value if it was run, else the one with the most whole results, then the most runs, the
 * least of equals. */
static unsigned own_value(const struct view *v, unsigned s, unsigned w, const struct plan *preset) {
  const struct swept *k = &v->swept[w];
  unsigned *runs = xcalloc(k->n + 1, sizeof *runs), best = 0;
  for (unsigned r = 0; r < v->nseat; r++)
    if (v->seat[r].system == s) runs[v->seat[r].at[w]] += outcome_whole(v->seat[r].of) ? v->nseat + 1 : 1;
  for (unsigned i = 1; i < k->n; i++)
    if (runs[i] > runs[best]) best = i;
  if (preset) {
    struct swept_value x;
    value_text(&preset->cfg, k->key, &x);
    for (unsigned i = 0; i < k->n; i++)
      if (!strcmp(k->value[i].text, x.text) && runs[i]) best = i;
  }
  free(runs);
  return best;
}

static void view_find_own_points(struct view *v) {
  struct plan *preset = xmalloc(sizeof *preset);
  for (unsigned w = 0; w < v->nswept; w++) v->swept[w].own = arena_alloc(&v->arena, v->nsystem * sizeof(unsigned));
  for (unsigned s = 0; s < v->nsystem; s++) {
    struct err e = {0};
    const struct settings settings = {.machine = v->machine};
    const bool known = plan_find(preset, v->system[s], &settings, &e);
    for (unsigned w = 0; w < v->nswept; w++) v->swept[w].own[s] = own_value(v, s, w, known ? preset : NULL);
  }
  free(preset);
}

/* ---- keys that always change together ---- */

/* Each value of one belongs to one value of the other, in all runs. */
static bool view_keys_together(const struct view *v, unsigned a, unsigned b) {
  const struct swept *x = &v->swept[a], *y = &v->swept[b];
  bool ok = x->n == y->n;
  unsigned *of = xcalloc(x->n + 1, sizeof *of), *from = xcalloc(y->n + 1, sizeof *from);
  for (unsigned r = 0; ok && r < v->nseat; r++) {
    const unsigned i = v->seat[r].at[a], j = v->seat[r].at[b];
    ok = (!of[i] || of[i] == j + 1) && (!from[j] || from[j] == i + 1);
    of[i] = j + 1;
    from[j] = i + 1;
  }
  free(of), free(from);
  return ok;
}

static void view_append_text(char *to, size_t size, const char *text) {
  char both[512];
  snprintf(both, sizeof both, "%s, %s", to, text);
  snprintf(to, size, "%.*s", (int)size - 1, both);
}

/* Key b goes; key a has its name and values too. */
static void view_merge_keys(struct view *v, unsigned a, unsigned b) {
  struct swept *x = &v->swept[a], *y = &v->swept[b];
  x->together = true;
  if (x->nother < SWEPT_OTHERS) x->other[x->nother++] = y->key;
  view_append_text(x->name, sizeof x->name, y->name);
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned r = 0; r < v->nseat; r++)
      if (v->seat[r].at[a] == i) {
        view_append_text(x->value[i].text, sizeof x->value[i].text, y->value[v->seat[r].at[b]].text);
        break;
      }
  for (unsigned r = 0; r < v->nseat; r++)
    memmove(&v->seat[r].at[b], &v->seat[r].at[b + 1], (v->nswept - b - 1) * sizeof *v->seat[r].at);
  free(y->value);
  memmove(y, y + 1, (v->nswept - b - 1) * sizeof *y);
  v->nswept--;
}

static void view_merge_all(struct view *v) {
  for (unsigned a = 0; a < v->nswept; a++)
    for (unsigned b = a + 1; b < v->nswept;) {
      if (view_keys_together(v, a, b)) view_merge_keys(v, a, b);
      else b++;
    }
}

static void find_planned(struct view *v) {
  v->planned = arena_alloc(&v->arena, v->nsystem * sizeof *v->planned);
  for (unsigned s = 0; s < v->nsystem; s++)
    for (unsigned i = 0; i < plan_ninfos; i++) v->planned[s] |= of_plan(v->system[s], i);
}

void view_make(struct view *v, const struct outcome *const *run, unsigned n, const char *base) {
  memset(v, 0, sizeof *v);
  v->machine = n ? run[0]->machine : "";
  v->size = n ? run[0]->size : "";
  for (unsigned i = 0; i < n; i++) {
    view_add_name(&v->kernel, &v->nkernel, &v->kernel_cap, run[i]->kernel);
    view_add_name(&v->system, &v->nsystem, &v->system_cap, run[i]->system);
  }
  if (n) qsort(v->kernel, v->nkernel, sizeof *v->kernel, view_by_name);
  view_order_systems(v);
  base_first(v, base);
  view_fill_seats(v, run, n);
  find_planned(v);
  find_swept(v);
  seat_values(v);
  view_find_own_points(v);
  view_merge_all(v);
}

void view_free(struct view *v) {
  for (unsigned w = 0; w < v->nswept; w++) free(v->swept[w].value);
  free(v->kernel), free(v->system), free(v->seat), free(v->first), free(v->swept);
  arena_free(&v->arena);
  memset(v, 0, sizeof *v);
}

/* ---- numbers ---- */

static bool seat_is_at(const struct view *v, const struct seat *x, struct spot at) {
  for (unsigned w = 0; w < v->nswept; w++)
    if (x->at[w] != ((int)w == at.key ? at.value : v->swept[w].own[x->system])) return false;
  return true;
}

/* Of two runs of one seed: one with a whole result before another, then the one with the higher IPC, then the first. */
static bool outcome_is_better(const struct outcome *a, const struct outcome *b) {
  if (!outcome_whole(a) || !outcome_whole(b)) return outcome_whole(a) && !outcome_whole(b);
  return (double)a->run->sm.warp_insns * (double)b->run->cycles >
         (double)b->run->sm.warp_insns * (double)a->run->cycles;
}

unsigned view_runs(const struct view *v, unsigned k, unsigned s, struct spot at, const struct outcome **out,
                   unsigned most) {
  const unsigned p = k * v->nsystem + s;
  unsigned n = 0;
  for (unsigned i = v->first[p]; i < v->first[p + 1]; i++) {
    const struct seat *x = &v->seat[i];
    unsigned same = 0;
    if (!seat_is_at(v, x, at)) continue;
    while (same < n && out[same]->seed != x->of->seed) same++;
    if (same < n && outcome_is_better(x->of, out[same])) out[same] = x->of;
    if (same == n && n < most) out[n++] = x->of;
  }
  return n;
}

static bool outcome_measure(const struct outcome *o, const struct measure *m, double *x) {
  return outcome_whole(o) && measure_of(m, o->run, x);
}

double view_value(const struct view *v, const struct measure *m, unsigned k, unsigned s, struct spot at) {
  const struct outcome *run[SEEDS];
  const unsigned n = view_runs(v, k, s, at, run, SEEDS);
  struct mean mean = {0};
  for (unsigned i = 0; i < n; i++) {
    double x;
    if (outcome_measure(run[i], m, &x)) mean_add(&mean, x);
  }
  return mean_or_nan(&mean);
}

double view_ratio(const struct view *v, const struct measure *m, unsigned k, unsigned s, struct spot at) {
  const struct outcome *run[SEEDS], *base[SEEDS];
  const unsigned n = view_runs(v, k, s, at, run, SEEDS), nbase = view_runs(v, k, 0, own_spot, base, SEEDS);
  double sum = 0, of = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < nbase; j++) {
      double x, y;
      if (run[i]->seed != base[j]->seed || !outcome_measure(run[i], m, &x) || !outcome_measure(base[j], m, &y))
        continue;
      sum += x;
      of += y;
    }
  return of > 0 ? sum / of : NAN;
}

static double view_ratio_or_value(const struct view *v, const struct measure *m, bool ratio, unsigned k, unsigned s,
                                  struct spot at) {
  return ratio ? view_ratio(v, m, k, s, at) : view_value(v, m, k, s, at);
}

static bool view_has_any(const struct view *v, const struct measure *m, bool ratio, unsigned s) {
  for (unsigned k = 0; k < v->nkernel; k++)
    if (!isnan(view_ratio_or_value(v, m, ratio, k, s, own_spot))) return true;
  return false;
}

bool view_common(const struct view *v, const struct measure *m, bool ratio, unsigned k) {
  bool some = false;
  for (unsigned s = 0; s < v->nsystem; s++) {
    if (!isnan(view_ratio_or_value(v, m, ratio, k, s, own_spot))) some = true;
    else if (view_has_any(v, m, ratio, s)) return false;
  }
  return some;
}

static double view_mean_or_nan(const struct mean *x, bool ratio) {
  double out;
  return (ratio ? mean_geometric(x, &out) : mean_arithmetic(x, &out)) ? out : NAN;
}

double view_mean(const struct view *v, const struct measure *m, bool ratio, unsigned s, unsigned *n) {
  struct mean mean = {0};
  for (unsigned k = 0; k < v->nkernel; k++)
    if (view_common(v, m, ratio, k) && !isnan(view_ratio_or_value(v, m, ratio, k, s, own_spot)))
      mean_add(&mean, view_ratio_or_value(v, m, ratio, k, s, own_spot));
  *n = mean.n;
  return view_mean_or_nan(&mean, ratio);
}

double view_curve(const struct view *v, const struct measure *m, bool ratio, unsigned s, struct spot at, unsigned *n) {
  struct mean mean = {0};
  const unsigned values = v->swept[at.key].n;
  for (unsigned k = 0; k < v->nkernel; k++) {
    bool all = true;
    for (unsigned i = 0; all && i < values; i++) {
      bool any = false;
      const struct spot there = {at.key, i};
      if (!isnan(view_ratio_or_value(v, m, ratio, k, s, there))) continue;
      for (unsigned other = 0; !any && other < v->nkernel; other++)
        any = !isnan(view_ratio_or_value(v, m, ratio, other, s, there));
      all = !any;
    }
    const double x = all ? view_ratio_or_value(v, m, ratio, k, s, at) : NAN;
    if (!isnan(x)) mean_add(&mean, x);
  }
  *n = mean.n;
  return view_mean_or_nan(&mean, ratio);
}

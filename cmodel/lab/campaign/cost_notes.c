/* SPDX-License-Identifier: Apache-2.0 */
/* cost_notes: see cost_notes.h. */
#include "lab/campaign/cost_notes.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "base/wrap.h"
#include "cost/cost.h"
#include "lab/report/json.h"

enum { COST_NOTE = 1600, BOUNDS_SHOWN = 8 };

bool matrix_has_cost(const struct matrix *m, const struct measure *x) {
  for (unsigned i = 0; i < m->nkernel * m->nsystem; i++)
    if (m->cell[i].ok) return measure_has_cost(x, &m->cell[i].run);
  return false;
}

/* Area and energy of the system are known, and collector units are in them (`units`) or not. */
static bool cost_counts_units(const struct matrix *m, unsigned s, bool units) {
  const struct cost_facts f = cost_facts(&m->system[s].cfg);
  return !(f.no_area && f.no_energy) && (f.without != NULL) == units;
}

/* Writes the labels of the systems with or without collector units in their cost to buf: "A, B". Returns how many there are. */
static unsigned cost_list_systems(const struct matrix *m, bool units, char *buf, size_t size) {
  size_t at = 0;
  unsigned n = 0;
  buf[0] = 0;
  for (unsigned s = 0; s < m->nsystem; s++) {
    if (!cost_counts_units(m, s, units)) continue;
    if (at < size) at += (size_t)snprintf(buf + at, size - at, "%s%.100s", n ? ", " : "", m->system[s].label);
    n++;
  }
  return n;
}

bool cost_units_differ(const struct matrix *m) {
  char unused[8];
  return cost_list_systems(m, true, unused, sizeof unused) && cost_list_systems(m, false, unused, sizeof unused);
}

/* The machine with collector units in its cost that each such system is compared with: "MK-Base". */
static const char *cost_units_base(const struct matrix *m) {
  for (unsigned s = 0; s < m->nsystem; s++)
    if (cost_counts_units(m, s, true)) return cost_facts(&m->system[s].cfg).without;
  return "";
}

/* What of a system is not in its area and energy; NULL: nothing that is known, or its blocks have no cost at all. */
static const char *cost_missing_part(const struct matrix *m, unsigned s) {
  const struct cost_facts f = cost_facts(&m->system[s].cfg);
  return f.unpriced ? NULL : f.missing;
}

/* Writes what is missing in the cost of system s to buf, with the labels of all systems that lack the same: "A, B: not in it: wires".
 * False: nothing is missing, or an earlier system has said it. */
static bool cost_missing_text(const struct matrix *m, unsigned s, char *buf, size_t size) {
  const char *missing = cost_missing_part(m, s);
  char labels[800] = "";
  size_t at = 0;
  for (unsigned i = 0; missing && i < m->nsystem; i++) {
    const char *other = cost_missing_part(m, i);
    if (!other || strcmp(other, missing) != 0) continue;
    if (i < s) return false;
    if (at < sizeof labels)
      at += (size_t)snprintf(labels + at, sizeof labels - at, "%s%.100s", at ? ", " : "", m->system[i].label);
  }
  const struct cost_facts f = cost_facts(&m->system[s].cfg);
  const char *in = f.no_area && f.no_energy ? "area and energy not known, not built"
                   : f.no_area              ? "area not known; not in the energy"
                   : f.no_energy            ? "energy not known; not in the area"
                                            : "not in area and energy";
  if (missing) snprintf(buf, size, "%s: %s: %.600s", labels, in, missing);
  return missing;
}

/* True if the COST lines of system s say themselves why it has no area (or energy): cost_missing_text and the note of unpriced blocks show that. */
static bool cost_says_why(const struct matrix *m, unsigned s, bool area) {
  const struct cost_facts f = cost_facts(&m->system[s].cfg);
  return (area ? f.no_area : f.no_energy) && (f.unpriced || f.missing);
}

/* Writes what the area or the energy of the system lacks, with a first run that lacks it, to buf (measure_lack). */
static bool cost_lack_text(const struct matrix *m, const char *measure, unsigned s, char *buf, size_t size) {
  buf[0] = 0;
  for (unsigned k = 0; k < m->nkernel && !cost_says_why(m, s, !strcmp(measure, "area")); k++)
    if (matrix_cell(m, k, s)->ok && measure_lack(measure_find(measure), &matrix_cell(m, k, s)->run, buf, size))
      return true;
  return false;
}

/* Takes a note of a system whose runs have no area or no energy, or an energy with another set's logic. */
static void cost_note_lack(const struct matrix *m, unsigned s, void (*take)(void *ctx, const char *text), void *ctx) {
  char text[COST_NOTE], area[800], energy[800];
  const bool no_area = cost_lack_text(m, "area", s, area, sizeof area);
  const bool of_energy = cost_lack_text(m, "energy", s, energy, sizeof energy);
  const char *why = strchr(area, ':'), *same = strchr(energy, ':');
  const bool both = no_area && of_energy && !strcmp(why, same);
  if (no_area)
    snprintf(text, sizeof text, "%.100s: no area%s%s", m->system[s].label,
             !both                              ? ""
             : !strncmp(energy, "no energy", 9) ? ", no energy"
                                                : "; its energy takes the logic of a block's first set",
             why);
  if (no_area) take(ctx, text);
  if (!of_energy || both) return;
  snprintf(text, sizeof text, "%.100s: %s", m->system[s].label, energy);
  take(ctx, text);
}

static void cost_each_note(const struct matrix *m, void (*take)(void *ctx, const char *text), void *ctx) {
  char text[COST_NOTE], with[600], others[600];
  for (unsigned s = 0; s < m->nsystem; s++) {
    const char *blocks = cost_facts(&m->system[s].cfg).unpriced;
    if (!blocks) continue;
    snprintf(text, sizeof text, "%.100s has no area and no energy: %.300s " UNPRICED_NOTE, m->system[s].label, blocks);
    take(ctx, text);
  }
  for (unsigned s = 0; s < m->nsystem; s++)
    if (cost_missing_text(m, s, text, sizeof text)) take(ctx, text);
  for (unsigned s = 0; s < m->nsystem; s++) cost_note_lack(m, s, take, ctx);
  if (!cost_units_differ(m)) return;
  cost_list_systems(m, true, with, sizeof with);
  cost_list_systems(m, false, others, sizeof others);
  snprintf(text, sizeof text,
           "Area and energy: collector units are counted in %s, but not in %s. Only systems that count them compare "
           "fairly: see %s (docs/use/cost.md)",
           with, others, cost_units_base(m));
  take(ctx, text);
}

struct cost_lines {
  FILE *f;
  unsigned columns;
};
static void cost_note_print(void *ctx, const char *text) {
  const struct cost_lines *l = ctx;
  char shown[COST_NOTE + 400];
  fputc('\n', l->f);
  wrap_print(l->f, show_text(shown, sizeof shown, text), 0, 0, l->columns);
}
void cost_notes_print(const struct matrix *m, unsigned columns, FILE *f) {
  struct cost_lines l = {f, columns};
  cost_each_note(m, cost_note_print, &l);
}

/* A ratio to the first system at both bounds: of kernel k, or, with k the number of kernels, of their geometric mean. */
static bool cost_ratio(const struct matrix *m, const struct measure *x, unsigned s, unsigned k, double ratio[2]) {
  bool there = true;
  for (unsigned larger = 0; larger < 2; larger++) {
    cost_use_larger_bound(larger);
    if (k < m->nkernel) {
      there &= matrix_ratio(m, x, k, s, 0, &ratio[larger]);
    } else {
      const struct mean mean = matrix_mean(m, x, s, 0);
      there &= mean_geometric(&mean, &ratio[larger]);
    }
  }
  cost_use_larger_bound(false);
  return there;
}

/* As they are printed, with three decimals: one below 1, the other one above. */
static bool cost_ratios_cross(const double ratio[2]) {
  const long smaller = lround(ratio[0] * 1000), larger = lround(ratio[1] * 1000);
  return (smaller < 1000 && larger > 1000) || (smaller > 1000 && larger < 1000);
}

/* Writes the ratios of system s that cross 1 to buf: "bfs 0.968 to 1.031, geometric mean ...". Returns how many there are. */
static unsigned cost_list_crossing(const struct matrix *m, const struct measure *x, unsigned s, char *buf,
                                   size_t size) {
  double ratio[2];
  unsigned n = 0;
  size_t at = 0;
  for (unsigned k = 0; k < m->nkernel; k++) {
    if (!cost_ratio(m, x, s, k, ratio) || !cost_ratios_cross(ratio) || ++n > BOUNDS_SHOWN) continue;
    at += (size_t)snprintf(buf + at, size - at, "%s%.100s %.3f to %.3f", n > 1 ? ", " : "", m->kernel[k].kernel,
                           ratio[0], ratio[1]);
  }
  if (n > BOUNDS_SHOWN) at += (size_t)snprintf(buf + at, size - at, ", and %u more kernels", n - BOUNDS_SHOWN);
  if (m->nkernel > 1 && cost_ratio(m, x, s, m->nkernel, ratio) && cost_ratios_cross(ratio))
    snprintf(buf + at, size - at, "%sgeometric mean %.3f to %.3f", n++ ? ", " : "", ratio[0], ratio[1]);
  return n;
}

void cost_bounds_print(const struct matrix *m, const struct measure *x, unsigned columns, FILE *f) {
  if (!matrix_has_cost(m, x)) return;
  for (unsigned s = 1; s < m->nsystem; s++) {
    char crossing[COST_NOTE], text[COST_NOTE + 400];
    if (!cost_list_crossing(m, x, s, crossing, sizeof crossing)) continue;
    snprintf(text, sizeof text,
             "%s, %.100s relative to %.100s, from the smaller to the larger bound of logic: %s. Which system is better "
             "depends on the bound (docs/use/cost.md)",
             x->key, m->system[s].label, m->system[0].label, crossing);
    cost_note_print(&(struct cost_lines){f, columns}, text);
  }
}

static void cost_note_json(void *ctx, const char *text) { json_array_append_new(ctx, json_text(text)); }
json_t *cost_notes_json(const struct matrix *m) {
  json_t *notes = json_array();
  cost_each_note(m, cost_note_json, notes);
  return notes;
}

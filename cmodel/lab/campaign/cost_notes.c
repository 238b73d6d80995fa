/* SPDX-License-Identifier: Apache-2.0 */
/* cost_notes: see cost_notes.h. */
#include "lab/campaign/cost_notes.h"

#include <string.h>

#include "base/show.h"
#include "base/wrap.h"
#include "cost/cost.h"
#include "lab/report/json.h"

enum { COST_NOTE = 1600, NOTE_COLUMNS = 120 };

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

static void cost_each_note(const struct matrix *m, void (*take)(void *ctx, const char *text), void *ctx) {
  char text[COST_NOTE], with[600], others[600];
  for (unsigned s = 0; s < m->nsystem; s++) {
    const char *blocks = cost_facts(&m->system[s].cfg).unpriced;
    if (!blocks) continue;
    snprintf(text, sizeof text, "%.100s has no area and no energy: %.300s " UNPRICED_NOTE, m->system[s].label, blocks);
    take(ctx, text);
  }
  if (!cost_units_differ(m)) return;
  cost_list_systems(m, true, with, sizeof with);
  cost_list_systems(m, false, others, sizeof others);
  snprintf(text, sizeof text,
           "Area and energy: collector units are counted in %s, but not in %s. Only systems that count them compare "
           "fairly: see %s (docs/use/cost.md)",
           with, others, cost_units_base(m));
  take(ctx, text);
}

static void cost_note_print(void *ctx, const char *text) {
  FILE *f = ctx;
  fputc('\n', f);
  wrap_print(f, SHOWN(text), 0, 0, NOTE_COLUMNS);
}
void cost_notes_print(const struct matrix *m, FILE *f) { cost_each_note(m, cost_note_print, f); }

static void cost_note_json(void *ctx, const char *text) { json_array_append_new(ctx, json_text(text)); }
json_t *cost_notes_json(const struct matrix *m) {
  json_t *notes = json_array();
  cost_each_note(m, cost_note_json, notes);
  return notes;
}

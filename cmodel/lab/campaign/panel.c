/* SPDX-License-Identifier: Apache-2.0 */
/* panel: see panel.h. */
#include "lab/campaign/panel.h"

unsigned panels_all(struct timeline_panel out[PANELS]) {
  static const char *const keys[] = {
#define PANEL(key) #key,
#include "gen/systems/panels.def"
  };
  unsigned n = 0;
  for (unsigned i = 0; i < sizeof keys / sizeof *keys && n < PANELS; i++) {
    const struct measure *m = measure_find(keys[i]);
    if (!m) die("paper.def: found '%s', expected a measure", keys[i]);
    out[n++] = (struct timeline_panel){m->label, m->unit, m->num, m->den};
  }
  return n;
}

uint64_t panels_window(const struct config *c) {
  (void)c; /* without a system that has windows */
#define WINDOW(when, cycles) \
  if (when) return (uint64_t)(cycles);
#include "gen/systems/panels.def"
  return 0;
}

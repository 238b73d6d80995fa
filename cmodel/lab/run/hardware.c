/* SPDX-License-Identifier: Apache-2.0 */
/* hardware: see hardware.h. */
#include "lab/run/hardware.h"

#include <string.h>

#define HARDWARE(name, when, ...) \
  static bool there_##name(const struct config *c) { return (void)c, (when); }
#include "gen/systems/hardware.def"

#define TEXT_OF(...) #__VA_ARGS__
const struct hardware hardware[] = {
#define HARDWARE(name, when, ...) {#name, TEXT_OF(when), #__VA_ARGS__, there_##name},
#include "gen/systems/hardware.def"
};
const unsigned nhardware = sizeof hardware / sizeof *hardware;

/* A word of "a, b, c". */
static bool hardware_has(const struct hardware *h, const char *counter) {
  const size_t n = strlen(counter);
  for (const char *p = h->counters; *p; p += strspn(p, ", \n")) {
    const size_t m = strcspn(p, ", \n");
    if (m == n && !strncmp(p, counter, n)) return true;
    p += m;
  }
  return false;
}

const struct hardware *hardware_of(const char *counter) {
  for (unsigned i = 0; i < nhardware; i++)
    if (hardware_has(&hardware[i], counter)) return &hardware[i];
  return NULL;
}

bool hardware_counts(const struct config *c, const char *counter) {
  const struct hardware *h = hardware_of(counter);
  return !h || h->there(c);
}

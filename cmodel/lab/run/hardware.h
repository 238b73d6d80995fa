/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware: which counters a configuration models. A system without an L1 counts no hit of it, but 0 hits would be a statement about an L1. Such a
 * counter is shown as -, and a number that is made of it is -, or null in the JSON. lab/run/hardware.def and the systems' lists say which
 * counters belong to hardware that not every configuration has.
 */
#ifndef RT_RUN_HARDWARE_H
#define RT_RUN_HARDWARE_H

#include "config/config.h"

struct hardware {                     /* a line HARDWARE(name, when, counter, ...) */
  const char *name, *when, *counters; /* `when` as text, its macros written out; "a, b, c" */
  bool (*there)(const struct config *c);
};
extern const struct hardware hardware[];
extern const unsigned nhardware;

/* The line that has this counter of the SM; NULL: every configuration counts it. */
const struct hardware *hardware_of(const char *counter);
/* True if this configuration has what the counter of this name counts. */
bool hardware_counts(const struct config *c, const char *counter);

#endif

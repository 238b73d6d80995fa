/* SPDX-License-Identifier: Apache-2.0 */
/* relax: machines in which one thing costs nothing or has no end (lab/campaign/relax.def, and system.def of systems). */
#ifndef RT_CAMPAIGN_RELAX_H
#define RT_CAMPAIGN_RELAX_H

#include "config/config.h"

struct relaxation {
  const char *key, *label, *text;
};
extern const struct relaxation relaxations[];
enum {
#define RELAX(name, label, text) RELAX_##name,
#include "gen/systems/relax.def"
  RELAXATIONS
};

/* True if `part` is a part of `whole`, or of one of its parts. */
bool relax_has_part(unsigned whole, unsigned part);
int relax_find(const char *key); /* -1: none */
/* Changes the machine, and says how ("l1.bytes 49152 -> 16760832; ..."). False and *e, with *c as it was: this machine does
 * not have it. Of one made of parts, those that the machine cannot have are left out; their keys stand in `without` ("": none). */
enum { RELAX_HOW = 1600, RELAX_WITHOUT = 200 };
bool relax_machine(unsigned r, struct config *c, char how[RELAX_HOW], char without[RELAX_WITHOUT], struct err *e);

#endif

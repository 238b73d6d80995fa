/* SPDX-License-Identifier: Apache-2.0 */
/* relax: machines in which one thing costs nothing or has no end (campaign/relax.def). */
#ifndef RT_CAMPAIGN_RELAX_H
#define RT_CAMPAIGN_RELAX_H

#include "config/config.h"

struct relaxation {
  const char *key, *label, *text;
};
extern const struct relaxation relaxations[];
enum {
#define RELAX(name, label, text) RELAX_##name,
#define MOST(name, section, key)
#define WITH(name, section, key)
#define LEAST(name, section, key)
#define OFF(name, section, key)
#define PART(name, other)
#include "campaign/relax.def"
  RELAXATIONS
};

int relax_find(const char *key); /* -1: none */
/* Changes the machine, and says how ("l1.bytes 49152 -> 16760832; ..."). False and *e, with *c as it was: this machine does
 * not have it. Of one made of parts, those that the machine does not have are left out. */
bool relax(unsigned r, struct config *c, char *how, size_t size, struct err *e);

#endif

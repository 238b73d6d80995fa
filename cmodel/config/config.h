/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config: all parameters of one machine and system. Every key is declared once, in schema.def or a system's system.def;
 * files (YAML: a section per mapping) and --set section.key=value fill it; everything not set has the schema's
 * default.
 */
#ifndef RT_CONFIG_CONFIG_H
#define RT_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "config/values.h"

enum { CONFIG_PATH = 256 }; /* bytes of a PATH's or a WORD's value, its NUL included */

struct config {
  char machine[64], system[64]; /* names of what was loaded, for reports */
  char home[64];                /* the machine that the system's file names, "machine: NAME"; "": none */
  int home_line, home_col;      /* where it does */
#define INT(sec, key, def, lo, hi, unit, cite, text) int64_t sec##_##key;
#define BOOL(sec, key, def, cite, text) bool sec##_##key;
#define ENUM(sec, key, def, list, cite, text) int sec##_##key;
#define PATH(sec, key, cite, text) char sec##_##key[CONFIG_PATH];
#define WORD(sec, key, cite, text) char sec##_##key[CONFIG_PATH];
#define SLOT(slot, def, cite, text) int slot_##slot;
#include "gen/systems/keys.def"
};

/* Values of ENUM keys: section_key_value. */
#define CONFIG_VALUE(prefix, name) prefix##name,
#define ENUM(sec, key, def, list, cite, text) enum { VALUES(CONFIG_VALUE, sec##_##key##_, list) };
#include "gen/systems/keys.def"
#undef CONFIG_VALUE

/* Values of the slots' keys: slot_SLOT_NAME. All choices are numbered together. */
enum choice {
#define CHOICE(slot, name) slot_##slot##_##name,
#include "gen/systems/choices.def"
};

void config_defaults(struct config *c);
/* A machine by name ("gtx980": machines/gtx980.conf built into the program) or by path (a name with '/' or '.conf'). */
bool config_machine(struct config *c, const char *name, struct err *e);
/* The defaults, a machine, and a system preset by name ("baseline") or path on top of it; machine NULL: the one that the system's file
 * names, or gtx980. */
bool config_load(struct config *c, const char *machine, const char *system, struct err *e);
bool config_has_system(const char *name); /* such a system is built in, or the name is a path */
/* "section.key=value"; a value "x1.5" is so many times what is there, in files as well. `arg` is the argument's
 * number on the command line, for the message. */
bool config_set(struct config *c, const char *assignment, int arg, struct err *e);
/* Rules between keys (sizes that must divide, limits that exclude each other); called once, last. */
bool config_check(const struct config *c, struct err *e);
/* sm.cta_stride as it holds for so many simulated SMs: several of them time all CTAs, whatever the launch file says. 0: as it says. */
static inline unsigned config_stride(const struct config *c, unsigned sms) {
  return sms > 1 && !c->sm_cta_stride ? 1 : (unsigned)c->sm_cta_stride;
}

/* Where a key got its value: "machines/gtx980.conf:6" or "--set", and what that line's comment says of it,
 * with the abbreviations of the file's head written out; "": nowhere, it has its default. */
struct config_origin {
  char where[320], note[1024];
};
/* From here on, setting a key writes its origin to o[its number in config_keys]; NULL: off. */
void config_trace(struct config_origin *o);
/* Every key: type, unit, default, range, citation; with a configuration also its value there and the origin.
 */
void config_explain(const char *key_or_null, const struct config *c, const struct config_origin *o, FILE *f);
bool config_known(const char *key_or_section);     /* config_explain knows it */
void config_dump(const struct config *c, FILE *f); /* as a file that config_machine reads back */
char *config_dump_text(const struct config *c);    /* the same as text; the caller frees it */
/* Names built in, NULL-terminated, with a one-line description each: machines ascending; systems folder by folder, as make takes
 * them (baseline, finereg, slices), ascending in each. */
struct config_name {
  const char *name, *text, *folder; /* folder: the one in which its file lies, without the path to it */
};
const struct config_name *config_machines(void);
const struct config_name *config_systems(void);

#endif

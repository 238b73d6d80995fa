/* SPDX-License-Identifier: Apache-2.0 */
/* relax: see relax.h. */
#include "lab/campaign/relax.h"

#include <stdio.h>
#include <string.h>

#include "config/keys.h"
#include "sm/slots.h"

const struct relaxation relaxations[] = {
#define RELAX(name, label, text) {#name, label, text},
#include "gen/systems/relax.def"
};

enum change { TO_MOST, TO_TIMES, TO_LEAST, TO_FALSE, TO_PART, TO_ONLY, TO_ALLOWED };
/* A line of a relaxation; `at`, which the compiler checks: where struct config has such a key. */
static const struct {
  unsigned of;
  enum change change;
  unsigned part; /* TO_PART: which relaxation; TO_ONLY: which choice or named value */
  const char *section, *key;
  size_t at;
} lines[] = {
#define KEY(name, change, section, key) \
  {RELAX_##name, change, 0, #section, #key, offsetof(struct config, section##_##key)},
#define MOST(name, section, key) KEY(name, TO_MOST, section, key)
#define WITH(name, section, key) KEY(name, TO_TIMES, section, key)
#define LEAST(name, section, key) KEY(name, TO_LEAST, section, key)
#define UPTO(name, section, key) KEY(name, TO_ALLOWED, section, key)
#define OFF(name, section, key) KEY(name, TO_FALSE, section, key)
#define PART(name, other) {RELAX_##name, TO_PART, RELAX_##other, NULL, NULL, 0},
#define CASE(name, section, key, value) \
  {RELAX_##name, TO_ONLY, section##_##key##_##value, NULL, NULL, offsetof(struct config, section##_##key)},
#include "gen/systems/relax.def"
#undef KEY
};
enum { LINES = sizeof lines / sizeof *lines };

bool relax_has_part(unsigned whole, unsigned part) {
  for (unsigned i = 0; i < LINES; i++)
    if (lines[i].of == whole && lines[i].change == TO_PART &&
        (lines[i].part == part || relax_has_part(lines[i].part, part)))
      return true;
  return false;
}

int relax_find(const char *key) {
  for (unsigned i = 0; i < RELAXATIONS; i++)
    if (!strcmp(relaxations[i].key, key)) return (int)i;
  return -1;
}

/* Keys and slots agree, and a scheduler's masks have a bit for each warp: nothing that a run would refuse. */
static bool relax_is_possible(const struct config *c, struct err *e) {
  struct slots s;
  if (!config_check(c, e) || !slots_pick(c, &s, e)) return false;
  if (c->sm_warps <= 64 * c->sm_schedulers) return true;
  return err_at(e, NULL, 0, 0, "found sm.warps %lld, expected at most 64 for each of %lld schedulers",
                (long long)c->sm_warps, (long long)c->sm_schedulers);
}

/* `times`: what the last TO_MOST multiplied by. */
static void relax_change_key(struct config *c, const struct key *k, enum change what, int64_t *times) {
  char *at = (char *)c + k->offset;
  if (what == TO_FALSE) {
    memset(at, 0, k->type == KEY_BOOL ? sizeof(bool) : sizeof(int));
    return;
  }
  int64_t v;
  memcpy(&v, at, sizeof v);
  if (v <= 0) return; /* the machine has none of it, or it takes no time */
  if (what == TO_MOST) *times = k->most / v;
  if (what == TO_ALLOWED) {
    struct err e = {0};
    for (int64_t n = k->most / v, most; n > 0; n--) {
      most = v * n;
      memcpy(at, &most, sizeof most);
      if (relax_is_possible(c, &e)) return;
      e = (struct err){0};
    }
  }
  v = what == TO_LEAST ? k->least : what == TO_ALLOWED ? v : v * *times;
  memcpy(at, &v, sizeof v);
}

static void relax_apply_lines(unsigned r, struct config *c, char *without);

/* A part that the machine cannot have is left out; its key is added to `without`. */
static void relax_apply_part(unsigned part, struct config *c, char *without) {
  struct config tried = *c;
  struct err e = {0};
  char inner[RELAX_WITHOUT] = "";
  relax_apply_lines(part, &tried, inner);
  const size_t n = strlen(without);
  if (relax_is_possible(&tried, &e)) *c = tried;
  else snprintf(inner, sizeof inner, "%s", relaxations[part].key);
  if (inner[0]) snprintf(without + n, RELAX_WITHOUT - n, "%s%s", n ? ", " : "", inner);
}

static bool relax_has_choice(const struct config *c, size_t key, unsigned choice) {
  int there;
  memcpy(&there, (const char *)c + key, sizeof there);
  return there == (int)choice;
}

static void relax_apply_lines(unsigned r, struct config *c, char *without) {
  int64_t times = 1;
  bool on = true;
  for (unsigned i = 0; i < LINES; i++) {
    if (lines[i].of != r) continue;
    if (lines[i].change == TO_ONLY) on = relax_has_choice(c, lines[i].at, lines[i].part);
    else if (!on) continue;
    else if (lines[i].change == TO_PART) relax_apply_part(lines[i].part, c, without);
    else relax_change_key(c, key_find(lines[i].section, lines[i].key), lines[i].change, &times);
  }
}

/* "section.key before -> after; ..." of every key that differs. */
static void relax_list_changes(const struct config *a, const struct config *b, char *text, size_t size) {
  size_t n = 0;
  text[0] = 0;
  for (unsigned i = 0; i < config_nkeys && n < size; i++) {
    const struct key *k = &config_keys[i];
    char before[KEY_TEXT], after[KEY_TEXT];
    key_print(a, k, before, sizeof before);
    key_print(b, k, after, sizeof after);
    if (strcmp(before, after) != 0)
      n += (size_t)snprintf(text + n, size - n, "%s%s.%s %s -> %s", n ? "; " : "", k->section, k->name, before, after);
  }
}

bool relax_machine(unsigned r, struct config *c, char how[RELAX_HOW], char without[RELAX_WITHOUT], struct err *e) {
  struct config relaxed = *c;
  without[0] = 0;
  relax_apply_lines(r, &relaxed, without);
  relax_list_changes(c, &relaxed, how, RELAX_HOW);
  if (!how[0])
    return err_at(e, NULL, 0, 0, "%s (%s): machine '%s' has nothing to relax there: its keys are at their end, or 0",
                  relaxations[r].label, relaxations[r].key, c->machine);
  struct err why = {0};
  if (!relax_is_possible(&relaxed, &why))
    return err_at(e, NULL, 0, 0, "%s (%s): machine '%s' cannot be relaxed so: %.400s", relaxations[r].label,
                  relaxations[r].key, c->machine, why.text);
  *c = relaxed;
  return true;
}

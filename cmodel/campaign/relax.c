/* SPDX-License-Identifier: Apache-2.0 */
/* relax: see relax.h. */
#include "campaign/relax.h"

#include <stdio.h>
#include <string.h>

#include "config/keys.h"

const struct relaxation relaxations[] = {
#define RELAX(name, label, text) {#name, label, text},
#define MOST(name, section, key)
#define WITH(name, section, key)
#define LEAST(name, section, key)
#define OFF(name, section, key)
#define PART(name, other)
#include "campaign/relax.def"
};

enum change { TO_MOST, TO_TIMES, TO_LEAST, TO_FALSE, TO_PART };
/* A line of a relaxation; `has`, which the compiler checks: struct config has such a key. */
static const struct {
  unsigned of;
  enum change change;
  unsigned part;
  const char *section, *key;
  size_t has;
} lines[] = {
#define RELAX(name, label, text)
#define KEY(name, change, section, key) \
  {RELAX_##name, change, 0, #section, #key, offsetof(struct config, section##_##key)},
#define MOST(name, section, key) KEY(name, TO_MOST, section, key)
#define WITH(name, section, key) KEY(name, TO_TIMES, section, key)
#define LEAST(name, section, key) KEY(name, TO_LEAST, section, key)
#define OFF(name, section, key) KEY(name, TO_FALSE, section, key)
#define PART(name, other) {RELAX_##name, TO_PART, RELAX_##other, NULL, NULL, 0},
#include "campaign/relax.def"
#undef KEY
};
enum { LINES = sizeof lines / sizeof *lines };

int relax_find(const char *key) {
  for (unsigned i = 0; i < RELAXATIONS; i++)
    if (!strcmp(relaxations[i].key, key)) return (int)i;
  return -1;
}

/* `times`: what the last TO_MOST multiplied by. */
static void change(struct config *c, const struct key *k, enum change what, int64_t *times) {
  char *at = (char *)c + k->offset;
  if (what == TO_FALSE) {
    memset(at, 0, sizeof(bool));
    return;
  }
  int64_t v;
  memcpy(&v, at, sizeof v);
  if (v <= 0) return; /* the machine has none of it, or it takes no time */
  if (what == TO_MOST) *times = k->most / v;
  v = what == TO_LEAST ? k->least : v * *times;
  memcpy(at, &v, sizeof v);
}

static void apply(unsigned r, struct config *c);

static void apply_line(unsigned i, struct config *c, int64_t *times) {
  struct config tried = *c;
  struct err e = {0};
  if (lines[i].change != TO_PART) {
    change(c, key_find(lines[i].section, lines[i].key), lines[i].change, times);
    return;
  }
  apply(lines[i].part, &tried);
  if (config_check(&tried, &e)) *c = tried;
}

static void apply(unsigned r, struct config *c) {
  int64_t times = 1;
  for (unsigned i = 0; i < LINES; i++)
    if (lines[i].of == r) apply_line(i, c, &times);
}

/* "section.key before -> after; ..." of every key that differs. */
static void differences(const struct config *a, const struct config *b, char *text, size_t size) {
  size_t n = 0;
  text[0] = 0;
  for (unsigned i = 0; i < config_nkeys && n < size; i++) {
    const struct key *k = &config_keys[i];
    char before[64], after[64];
    key_print(a, k, before, sizeof before);
    key_print(b, k, after, sizeof after);
    if (strcmp(before, after) != 0)
      n += (size_t)snprintf(text + n, size - n, "%s%s.%s %s -> %s", n ? "; " : "", k->section, k->name, before, after);
  }
}

bool relax(unsigned r, struct config *c, char *how, size_t size, struct err *e) {
  struct config relaxed = *c;
  apply(r, &relaxed);
  differences(c, &relaxed, how, size);
  if (!how[0])
    return err_at(e, NULL, 0, 0, "%s (%s): machine '%s' has nothing to relax there: its keys are at their end, or 0",
                  relaxations[r].label, relaxations[r].key, c->machine);
  struct err why = {0};
  if (!config_check(&relaxed, &why))
    return err_at(e, NULL, 0, 0, "%s (%s): machine '%s' cannot be relaxed so: %.400s", relaxations[r].label,
                  relaxations[r].key, c->machine, why.text);
  *c = relaxed;
  return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: a configuration file. YAML in its plainest form: a mapping of sections, each a mapping of keys to
 * scalars.
 */
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "config/keys.h"

struct reader {
  struct yaml y;
  struct config *c;
  bool *seen, *begun; /* per key of config_keys: it, its section */
  const char *text;
  bool home; /* a machine was named */
};

static bool config_read_pair(struct reader *r, const char *section) { /* current event: the key */
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a key");
  const struct key *k = key_find(section, yaml_text(y));
  if (!k) {
    char near[KEY_NEAR];
    return yaml_bad(y, "found unknown key '%.60s' in section '%s'%s", yaml_text(y), section,
                    key_suggest(section, yaml_text(y), near, sizeof near));
  }
  if (r->seen[k - config_keys])
    return yaml_bad(y, "found key '%s.%s' a second time, expected it once", k->section, k->name);
  r->seen[k - config_keys] = true;
  if (!yaml_next(y)) return false;
  if (!yaml_is_text(y)) {
    char expected[160];
    snprintf(expected, sizeof expected, "one value for '%s.%s'", k->section, k->name);
    return yaml_unexpected(y, expected);
  }
  if ((k->type == KEY_INT || k->type == KEY_BOOL) && y->ev.data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
    return yaml_bad(y, "%s.%s: found quoted text '%.60s', expected %s", k->section, k->name, yaml_text(y),
                    k->type == KEY_INT ? "a whole number" : "true or false");
  struct place p = {y->file, yaml_line(y), yaml_col(y)};
  if (!key_set(r->c, k, yaml_text(y), &p, y->e)) return false;
  key_origin(k, y->file, r->text, p.line);
  return yaml_next(y);
}

static bool config_read_section(struct reader *r) { /* current event: the section's name */
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a section");
  char name[64];
  if (!key_section(yaml_text(y))) {
    char near[KEY_NEAR];
    return yaml_bad(y, "found unknown section '%.60s'%s", yaml_text(y),
                    key_suggest_section(yaml_text(y), near, sizeof near));
  }
  for (unsigned i = 0; i < config_nkeys; i++) {
    if (strcmp(config_keys[i].section, yaml_text(y))) continue;
    if (r->begun[i]) return yaml_bad(y, "found section '%s' a second time, expected it once", yaml_text(y));
    r->begun[i] = true;
  }
  snprintf(name, sizeof name, "%s", yaml_text(y));
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) {
    char expected[160];
    snprintf(expected, sizeof expected, "a mapping of keys to values for section '%s'", name);
    return yaml_unexpected(y, expected);
  }
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!config_read_pair(r, name)) return false;
  return yaml_next(y);
}

/* machine: NAME, of a system: the machine that it runs on if the user names none */
static bool config_read_machine(struct reader *r) { /* current event: the word */
  struct yaml *y = &r->y;
  if (r->home) return yaml_bad(y, "found 'machine' a second time, expected it once");
  if (!yaml_next(y)) return false;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a machine");
  char known[sizeof r->c->home * 8] = "";
  size_t at = 0;
  for (const struct config_name *m = config_machines(); m->name; m++) {
    r->home |= !strcmp(m->name, yaml_text(y));
    if (at < sizeof known) at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", m->name);
  }
  if (!r->home) return yaml_bad(y, "machine: found '%.60s', expected one of %s", yaml_text(y), known);
  snprintf(r->c->home, sizeof r->c->home, "%s", yaml_text(y));
  r->c->home_line = yaml_line(y), r->c->home_col = yaml_col(y);
  return yaml_next(y);
}

static bool config_read_document(struct reader *r) {
  struct yaml *y = &r->y;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping of sections");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (yaml_is_text(y) && !strcmp(yaml_text(y), "machine") ? !config_read_machine(r) : !config_read_section(r))
      return false;
  return yaml_end(y);
}

bool config_file(struct config *c, const char *file, const char *text, size_t n, unsigned *keys, struct err *e) {
  *keys = 0;
  if (n > YAML_MOST) return err_at(e, file, 0, 0, "found %zu bytes, expected a configuration of at most 1 MiB", n);
  struct reader r = {.c = c, .text = text, .seen = xcalloc(config_nkeys, sizeof *r.seen)};
  r.begun = xcalloc(config_nkeys, sizeof *r.begun);
  bool empty; /* only comments: everything stays as it is */
  bool ok = yaml_open(&r.y, file, text, n, "sections of 'key: value' lines", e, &empty) &&
            (empty || config_read_document(&r));
  for (unsigned i = 0; i < config_nkeys; i++) *keys += r.seen[i];
  free(r.seen);
  free(r.begun);
  yaml_close(&r.y);
  return ok;
}

bool config_text(struct config *c, const char *file, const char *text, size_t n, struct err *e) {
  unsigned keys;
  return config_file(c, file, text, n, &keys, e);
}

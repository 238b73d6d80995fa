/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: a configuration file. YAML in its plainest form: a mapping of sections, each a mapping of keys to
 * scalars. Read event by event, so that nesting costs nothing and every error has the place that libyaml
 * marks.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/keys.h"

enum { MOST_BYTES = 1 << 20 }; /* a configuration is a page of text; a larger file is a mistake */

struct reader {
  yaml_parser_t yaml;
  yaml_event_t ev; /* the current event */
  struct config *c;
  const char *file;
  struct err *e;
  bool *seen; /* per key of config_keys */
};

static struct place here(const struct reader *r) {
  return (struct place){r->file, (int)(r->ev.start_mark.line + 1), (int)(r->ev.start_mark.column + 1)};
}

static bool next(struct reader *r) {
  yaml_event_delete(&r->ev);
  if (yaml_parser_parse(&r->yaml, &r->ev)) return true;
  memset(&r->ev, 0, sizeof r->ev); /* nothing in it to delete */
  const yaml_parser_t *y = &r->yaml;
  const char *what = y->problem ? y->problem : "not readable";
  if (y->error == YAML_READER_ERROR)
    return err_at(r->e, r->file, 0, 0,
                  "found bytes that are no text (%s at byte %zu), expected YAML in UTF-8", what,
                  y->problem_offset);
  return err_at(r->e, r->file, (int)(y->problem_mark.line + 1), (int)(y->problem_mark.column + 1),
                "found broken YAML (%s%s%s), expected sections of 'key: value' lines", what,
                y->context ? ", " : "", y->context ? y->context : "");
}

static const char *event_name(yaml_event_type_t t) {
  switch (t) {
    case YAML_SCALAR_EVENT: return "a single value";
    case YAML_SEQUENCE_START_EVENT: return "a list";
    case YAML_MAPPING_START_EVENT: return "a mapping";
    case YAML_ALIAS_EVENT: return "an alias";
    default: return "the end";
  }
}

static bool unexpected(struct reader *r, const char *expected) {
  struct place p = here(r);
  return err_at(r->e, p.file, p.line, p.col, "found %s, expected %s", event_name(r->ev.type), expected);
}

static const char *scalar(const struct reader *r) { return (const char *)r->ev.data.scalar.value; }

/* A scalar whose text has no NUL in it, so that it is a C string. */
static bool is_text(struct reader *r) {
  return r->ev.type == YAML_SCALAR_EVENT && strlen(scalar(r)) == r->ev.data.scalar.length;
}

static bool pair(struct reader *r, const char *section) { /* current event: the key */
  struct place p = here(r);
  if (!is_text(r)) return unexpected(r, "the name of a key");
  const struct key *k = key_find(section, scalar(r));
  if (!k) {
    char near[128];
    key_suggest(section, scalar(r), near, sizeof near);
    return err_at(r->e, p.file, p.line, p.col, "found unknown key '%.60s' in section '%s'%s", scalar(r),
                  section, near[0] ? near : ", expected one that 'regtwin config --explain' lists");
  }
  if (r->seen[k - config_keys])
    return err_at(r->e, p.file, p.line, p.col, "found key '%s.%s' a second time, expected it once",
                  k->section, k->name);
  r->seen[k - config_keys] = true;
  if (!next(r)) return false;
  p = here(r);
  if (!is_text(r)) {
    char expected[160];
    snprintf(expected, sizeof expected, "one value for '%s.%s'", k->section, k->name);
    return unexpected(r, expected);
  }
  if (k->type != KEY_ENUM && r->ev.data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
    return err_at(r->e, p.file, p.line, p.col, "%s.%s: found quoted text '%.60s', expected %s", k->section,
                  k->name, scalar(r), k->type == KEY_INT ? "a whole number" : "true or false");
  return key_set(r->c, k, scalar(r), &p, r->e) && next(r);
}

static bool section(struct reader *r) { /* current event: the section's name */
  struct place p = here(r);
  if (!is_text(r)) return unexpected(r, "the name of a section");
  char name[64];
  if (!key_section(scalar(r))) {
    char near[128];
    key_suggest_section(scalar(r), near, sizeof near);
    return err_at(r->e, p.file, p.line, p.col, "found unknown section '%.60s'%s", scalar(r),
                  near[0] ? near : ", expected one that 'regtwin config --explain' lists");
  }
  snprintf(name, sizeof name, "%s", scalar(r));
  if (!next(r)) return false;
  if (r->ev.type != YAML_MAPPING_START_EVENT) {
    char expected[160];
    snprintf(expected, sizeof expected, "a mapping of keys to values for section '%s'", name);
    return unexpected(r, expected);
  }
  if (!next(r)) return false;
  while (r->ev.type != YAML_MAPPING_END_EVENT)
    if (!pair(r, name)) return false;
  return next(r);
}

static bool document(struct reader *r) {
  if (!next(r)) return false; /* stream start */
  if (!next(r)) return false;
  if (r->ev.type == YAML_STREAM_END_EVENT) return true; /* only comments: everything stays as it is */
  if (!next(r)) return false;                           /* past document start */
  if (r->ev.type != YAML_MAPPING_START_EVENT) return unexpected(r, "a mapping of sections");
  if (!next(r)) return false;
  while (r->ev.type != YAML_MAPPING_END_EVENT)
    if (!section(r)) return false;
  if (!next(r)) return false; /* document end */
  if (!next(r)) return false; /* what follows it */
  if (r->ev.type != YAML_STREAM_END_EVENT) {
    struct place p = here(r);
    return err_at(r->e, p.file, p.line, p.col, "found a second document, expected one in a file");
  }
  return true;
}

bool config_text(struct config *c, const char *file, const char *text, size_t n, struct err *e) {
  struct reader r = {.c = c, .file = file, .e = e};
  if (n > MOST_BYTES)
    return err_at(e, file, 0, 0, "found %zu bytes, expected a configuration of at most 1 MiB", n);
  if (!yaml_parser_initialize(&r.yaml)) die("no memory for a YAML reader");
  yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, n);
  r.seen = xcalloc(config_nkeys, sizeof *r.seen);
  bool ok = document(&r);
  free(r.seen);
  yaml_event_delete(&r.ev);
  yaml_parser_delete(&r.yaml);
  return ok;
}

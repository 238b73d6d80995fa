/* SPDX-License-Identifier: Apache-2.0 */
/* config: machines and systems by name or path, --set, and the rules between keys. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/similar.h"
#include "base/yaml.h"
#include "config/builtin.h"
#include "config/keys.h"

/* A name with a slash or a .conf ending is a path, - standard input; every other one is built in. */
static bool source_is_path(const char *name) {
  size_t n = strlen(name);
  return !strcmp(name, "-") || strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".conf"));
}

/* "gtx980" out of "/tmp/gtx980.conf". */
static void source_base_name(const char *path, char *buf, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(buf, size, "%s", slash ? slash + 1 : path);
  size_t n = strlen(buf);
  if (n > 5 && !strcmp(buf + n - 5, ".conf")) buf[n - 5] = 0;
}

struct source { /* a machine's or a system's file; it is read once, since it may be standard input */
  const char *name;
  char label[64]; /* for reports */
  char file[320]; /* for messages */
  char *own;      /* its text; NULL: built in */
  const char *text;
  size_t n;
};

/* Unknown: names what is similar, or all that there is. */
static bool source_fail(const char *name, const struct builtin *table, const char *kind, struct err *e) {
  char known[512] = "", text[600];
  struct similar near;
  size_t at = 0;
  similar_begin(&near, name);
  for (const struct builtin *k = table; k->name && at < sizeof known; k++) {
    similar_offer(&near, k->name);
    at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", k->name);
  }
  snprintf(text, sizeof text, ", expected %s or the path of a .conf file", known);
  return err_at(e, NULL, 0, 0, "found unknown %s '%.60s'%s", kind, name,
                similar_ask_or(&near, text, (char[600]){0}, 600));
}

static bool source_find(struct source *s, const char *name, const struct builtin *table, const char *kind,
                        struct err *e) {
  *s = (struct source){.name = name};
  if (source_is_path(name)) {
    s->text = s->own = yaml_slurp(name, &s->n, "a configuration", e);
    source_base_name(name, s->label, sizeof s->label);
    snprintf(s->file, sizeof s->file, "%s", name);
    return s->own != NULL;
  }
  const struct builtin *b = table;
  while (b->name && strcasecmp(b->name, name)) b++;
  if (!b->name) return source_fail(name, table, kind, e);
  s->text = b->text;
  s->n = strlen(b->text);
  snprintf(s->label, sizeof s->label, "%s", b->name);
  snprintf(s->file, sizeof s->file, "%ss/%s.conf", kind, b->name);
  return true;
}

bool config_has_system(const char *name) {
  const struct builtin *b = builtin_systems;
  while (b->name && strcasecmp(b->name, name)) b++;
  return b->name || source_is_path(name);
}

static bool load_machine(struct config *c, const struct source *s, struct err *e) {
  struct config tried = *c; /* a file with an error changes nothing */
  unsigned keys;
  tried.home[0] = 0; /* of a system that was loaded before */
  if (!config_file(&tried, s->file, s->text, s->n, &keys, e)) return false;
  if (tried.home[0])
    return err_at(e, s->file, tried.home_line, tried.home_col,
                  "machine '%.60s': found 'machine: %s', expected it in the file of a system only", s->name,
                  tried.home);
  if (!keys) return err_at(e, s->file, 1, 1, "found no key, expected a machine: sections of 'key: value' lines");
  *c = tried;
  memcpy(c->machine, s->label, sizeof c->machine);
  return true;
}

static bool load_system(struct config *c, const struct source *s, struct err *e) {
  struct config tried = *c;
  unsigned keys;
  if (!config_file(&tried, s->file, s->text, s->n, &keys, e)) return false;
  /* A system that changes nothing says so in a comment, as baseline does, or names its machine; a file without any text is a mistake. */
  if (!keys && !tried.home[0] && (!s->text || !memchr(s->text, '#', s->n)))
    return err_at(e, s->file, 1, 1,
                  "found a file without text, expected a system: sections of 'key: value' lines, or a comment");
  *c = tried;
  memcpy(c->system, s->label, sizeof c->system);
  return true;
}

bool config_machine(struct config *c, const char *name, struct err *e) {
  struct source s;
  const bool ok = source_find(&s, name, builtin_machines, "machine", e) && load_machine(c, &s, e);
  free(s.own);
  return ok;
}

static bool load_both(struct config *c, const char *machine, const struct source *system, struct err *e) {
  config_defaults(c);
  return config_machine(c, machine, e) && load_system(c, system, e);
}

bool config_load(struct config *c, const char *machine, const char *system, struct err *e) {
  struct source s;
  char home[sizeof c->home];
  if (machine && !strcmp(machine, "-") && !strcmp(system, "-"))
    return err_at(e, "-", 0, 0, "found standard input as machine and as system, expected it once");
  bool ok = source_find(&s, system, builtin_systems, "system", e) && load_both(c, machine ? machine : "gtx980", &s, e);
  if (ok && !machine && c->home[0]) {
    memcpy(home, c->home, sizeof home);
    ok = load_both(c, home, &s, e);
  }
  free(s.own);
  return ok;
}

bool config_set(struct config *c, const char *assignment, int arg, struct err *e) {
  char where[64], section[64], name[64], near[KEY_NEAR];
  snprintf(where, sizeof where, "argument %d", arg);
  struct place at = {where, 0, 0};
  const char *eq = strchr(assignment, '='), *dot = strchr(assignment, '.');
  if (!eq || !dot || dot > eq || dot == assignment || eq == dot + 1)
    return err_at(e, where, 0, 0, "found --set '%.60s', expected --set section.key=value", assignment);
  snprintf(section, sizeof section, "%.*s", (int)(dot - assignment < 60 ? dot - assignment : 60), assignment);
  snprintf(name, sizeof name, "%.*s", (int)(eq - dot - 1 < 60 ? eq - dot - 1 : 60), dot + 1);
  if (!key_section(section))
    return err_at(e, where, 0, 0, "found unknown section '%s'%s", section,
                  key_suggest_section(section, near, sizeof near));
  const struct key *k = key_find(section, name);
  if (!k)
    return err_at(e, where, 0, 0, "found unknown key '%s' in section '%s'%s", name, section,
                  key_suggest(section, name, near, sizeof near));
  if (!key_set(c, k, eq + 1, &at, e)) return false;
  key_origin(k, "--set", NULL, 0);
  return true;
}

static bool config_rule(bool holds, struct err *e, const char *what) {
  return holds || err_at(e, NULL, 0, 0, "configuration: %s", what);
}

bool config_check(const struct config *c, struct err *e) {
  char t[640];
#define LL(x) ((long long)(x))
#define RULE(holds, ...) &&(snprintf(t, sizeof t, __VA_ARGS__), config_rule(holds, e, t))
  return true
#include "gen/systems/keys.def"
      ;
#undef LL
}

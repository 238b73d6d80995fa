/* SPDX-License-Identifier: Apache-2.0 */
/* explain: the meaning of every key, the values of this configuration, and the built-in ones. */
#include <string.h>

#include "base/show.h"
#include "config/builtin.h"
#include "config/keys.h"

/* Text in lines of at most 100 columns, all indented. */
static void explain_wrap(FILE *f, unsigned indent, const char *text) {
  unsigned col = 0;
  while (*text) {
    unsigned n = (unsigned)strcspn(text, " ");
    if (!col || indent + col + 1 + n > 100) {
      fprintf(f, "%s%*s", col ? "\n" : "", (int)indent, "");
      col = 0;
    } else {
      fputc(' ', f);
      col++;
    }
    fprintf(f, "%.*s", (int)n, text);
    col += n;
    text += n;
    while (*text == ' ') text++;
  }
  fputc('\n', f);
}

/* On one machine: the value, and where it comes from. */
static void in_force(const struct key *k, const struct config *c, const struct config_origin *o, FILE *f) {
  char value[KEY_TEXT], text[1600 + KEY_TEXT], shown[3200 + KEY_TEXT];
  key_print(c, k, value, sizeof value);
  snprintf(text, sizeof text, "here: %s%s%s, %s%s%s", value, k->unit && k->unit[0] ? " " : "", k->unit ? k->unit : "",
           o->where[0] ? o->where : "the default", o->note[0] ? ": " : "", o->note);
  explain_wrap(f, 4, show_text(shown, sizeof shown, text));
}

static void explain_one(const struct key *k, FILE *f) {
  char name[128], names[512];
  snprintf(name, sizeof name, "%s.%s", k->section, k->name);
  if (k->type == KEY_INT)
    fprintf(f, "%-22s whole number, %s; default %lld; from %lld to %lld\n", name, k->unit, (long long)k->def,
            (long long)k->least, (long long)k->most);
  else if (k->type == KEY_BOOL) fprintf(f, "%-22s true or false; default %s\n", name, k->def ? "true" : "false");
  else if (k->type == KEY_PATH) fprintf(f, "%-22s path of a file; default empty: none\n", name);
  else if (k->type == KEY_WORD) fprintf(f, "%-22s a text; default empty: none\n", name);
  else fprintf(f, "%-22s one of %s; default %s\n", name, key_names(k, names, sizeof names), k->enum_def);
  explain_wrap(f, 4, k->text);
  char cite[1024];
  snprintf(cite, sizeof cite, "[%s]", k->cite);
  explain_wrap(f, 4, cite);
}

void config_explain(const char *which, const struct config *c, const struct config_origin *o, FILE *f) {
  if (c) fprintf(f, "# here: %s, system %s\n", SHOWN(c->machine), SHOWN(c->system));
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char name[128];
    snprintf(name, sizeof name, "%s.%s", k->section, k->name);
    if (!which || !strcmp(which, k->section) || !strcmp(which, name)) {
      explain_one(k, f);
      if (c) in_force(k, c, &o[i], f);
    }
  }
}

void config_dump(const struct config *c, FILE *f) {
  const char *section = "";
  fprintf(f, "# %s, system %s: every key\n", SHOWN(c->machine), SHOWN(c->system));
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    if (strcmp(section, k->section)) fprintf(f, "%s:\n", section = k->section);
    char value[KEY_TEXT];
    key_print(c, k, value, sizeof value);
    fprintf(f, "  %s: %s%s%s\n", k->name, value, k->unit[0] ? "   # " : "", k->unit);
  }
}

char *config_dump_text(const struct config *c) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f) no_memory(1, BUFSIZ);
  config_dump(c, f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  return text;
}

const struct config_name *config_machines(void) { return builtin_machine_names; }
const struct config_name *config_systems(void) { return builtin_system_names; }

bool config_known(const char *which) {
  for (unsigned i = 0; i < config_nkeys; i++) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s", config_keys[i].section, config_keys[i].name);
    if (!strcmp(which, config_keys[i].section) || !strcmp(which, name)) return true;
  }
  return false;
}

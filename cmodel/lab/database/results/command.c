/* SPDX-License-Identifier: Apache-2.0 */
/* command: see command.h. */
#include "lab/database/results/command.h"

#include <stdlib.h>
#include <string.h>

#include "config/keys.h"

struct preset {
  const char *machine, *system; /* as the run has them */
  const char *config, *preset;  /* as --config and --system take them */
  struct config cfg;
};

void presets_free(struct presets *p) {
  for (unsigned i = 0; i < p->n; i++) free(p->of[i]);
  free(p->of);
  arena_free(&p->arena);
  memset(p, 0, sizeof *p);
}

/* The system of that name, of a plan the one that it varies; false: it is no longer known, or a file elsewhere. */
static bool preset_load(struct preset *x) {
  struct err e = {0};
  for (unsigned i = 0; i < plan_ninfos; i++)
    if (!strcmp(plan_infos[i].name, x->system)) x->preset = plan_infos[i].base;
  return config_load(&x->cfg, x->config, x->preset, &e);
}

static const struct preset *preset_of(struct presets *p, const struct outcome *o) {
  const char *system = o->cfg->system; /* without settings that the name of the campaign's system may carry */
  for (unsigned i = 0; i < p->n; i++)
    if (!strcmp(p->of[i]->machine, o->machine) && !strcmp(p->of[i]->system, system)) return p->of[i];
  struct preset *x = xcalloc(1, sizeof *x);
  struct err e = {0};
  x->machine = arena_strndup(&p->arena, o->machine, strlen(o->machine));
  x->system = arena_strndup(&p->arena, system, strlen(system));
  x->config = x->machine;
  x->preset = x->system;
  if (!preset_load(x)) { /* every key is then given by itself */
    x->config = "gtx980";
    x->preset = "baseline";
    if (!config_load(&x->cfg, x->config, x->preset, &e)) config_defaults(&x->cfg);
  }
  VEC_PUSH(p->of, p->n, p->cap) = x;
  return x;
}

/* In single quotes where a shell would take a letter for something else. */
static void command_quote_word(const char *text, char *out, size_t size) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=+:,@%";
  size_t n = 0;
  if (text[0] && strspn(text, plain) == strlen(text)) {
    snprintf(out, size, "%s", text);
    return;
  }
  if (size < 8) return;
  out[n++] = '\'';
  for (; *text && n + 6 < size; text++) {
    if (*text == '\'') memcpy(out + n, "'\\''", 4), n += 4;
    else out[n++] = *text;
  }
  out[n++] = '\'';
  out[n] = 0;
}

unsigned command_settings(struct presets *p, const struct outcome *o, const char *before, const char *after,
                          void (*write)(FILE *f, const char *text), FILE *f) {
  const struct preset *x = preset_of(p, o);
  unsigned n = 0;
  for (unsigned i = 0; o->known && i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char value[KEY_TEXT], one[KEY_TEXT + 128], text[2 * sizeof one];
    if (key_same(o->cfg, &x->cfg, k)) continue;
    if (k->type == KEY_PATH) snprintf(value, sizeof value, "%s", (const char *)o->cfg + k->offset);
    else key_print(o->cfg, k, value, sizeof value);
    snprintf(one, sizeof one, "%s.%s=%s", k->section, k->name, value);
    command_quote_word(one, text, sizeof text);
    fputs(before, f);
    write(f, text);
    fputs(after, f);
    n++;
  }
  return n;
}

void command_run(struct presets *p, const struct outcome *o, void (*write)(FILE *f, const char *text), FILE *f) {
  const struct preset *x = preset_of(p, o);
  char text[4096];
  fputs("regtwin run ", f);
  command_quote_word(o->asked, text, sizeof text);
  write(f, text);
  if (o->size[0]) {
    fputs(" --size ", f);
    command_quote_word(o->size, text, sizeof text);
    write(f, text);
  }
  fputs(" --config ", f);
  write(f, x->config);
  fputs(" --system ", f);
  write(f, x->preset);
  if (o->seed) fprintf(f, " --seed %llu", (unsigned long long)o->seed);
  command_settings(p, o, " --set ", "", write, f);
}

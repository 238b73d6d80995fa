/* SPDX-License-Identifier: Apache-2.0 */
/* trace_meta: what a trace says of the run that was recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "gen/program.h"
#include "lab/report/json.h"
#include "lab/run/trace.h"
#include "lab/kernels/suite/about.h"

static json_t *meta_config_json(const struct config *c) {
  json_t *o = json_object();
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    char name[128], value[KEY_TEXT];
    snprintf(name, sizeof name, "%s.%s", k->section, k->name);
    key_print(c, k, value, sizeof value);
    const bool text = k->type == KEY_PATH || k->type == KEY_WORD; /* without the quotes of a file */
    json_put(o, name, json_text(text ? (const char *)c + k->offset : value));
  }
  return o;
}

char *trace_meta(const struct workload *w, const struct config *cfg, uint64_t seed, bool functional) {
  struct arena arena = {0};
  struct about about;
  struct err ignored = {0};
  bool there = false;
  json_t *o = json_object(), *regs = json_object();
  if (!about_beside(&about, &arena, w->path, &there, &ignored)) there = false;
  json_put(o, "program", json_text("regtwin " RT_VERSION));
  json_put(o, "sources", json_text(RT_PROGRAM));
  json_put(o, "machine", json_text(cfg->machine));
  json_put(o, "system", json_text(cfg->system));
  json_put(o, "launch_file", json_text(w->path));
  json_put(o, "kernel", json_text(w->name));
  json_put(o, "size", json_text(w->size));
  json_put(o, "entry", json_text(there ? about.entry : ""));
  json_put(o, "seed", json_whole(seed ? seed : script_seed(w->script)));
  json_put(o, "timed", json_boolean(!functional));
  const char *name;
  for (unsigned i = 0; (name = script_kernel(w->script, i)); i++)
    json_put(regs, name, json_whole(script_regs(w->script, name)));
  json_put(o, "regs", regs);
  json_put(o, "config", meta_config_json(cfg));
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_SORT_KEYS);
  if (!text) no_memory(1, 1 << 16);
  json_decref(o);
  arena_free(&arena);
  return text;
}

static void meta_get_text(const json_t *o, const char *key, char *buf, size_t size) {
  const char *s = json_string_value(json_object_get(o, key));
  snprintf(buf, size, "%s", s ? s : "");
}

/* In the order of the schema: some keys set others, which stand behind them. */
static bool meta_get_config(const json_t *o, struct trace_meta *m) {
  const struct place nowhere = {0};
  config_defaults(&m->cfg);
  m->known = json_object_size(o) == config_nkeys;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    struct err ignored = {0};
    char name[128];
    snprintf(name, sizeof name, "%s.%s", k->section, k->name);
    const json_t *value = json_object_get(o, name);
    if (value && !json_is_string(value)) return false;
    m->known &= value && key_set(&m->cfg, k, json_string_value(value), &nowhere, &ignored);
  }
  return true;
}

bool trace_meta_read(const struct trf *t, struct trace_meta *m, struct err *e) {
  json_error_t why;
  json_t *o = json_loads(trf_meta(t), JSON_REJECT_DUPLICATES, &why);
  *m = (struct trace_meta){.timed = true};
  if (!json_is_object(o)) {
    json_decref(o);
    return err_at(e, trf_path(t), 0, 0, "section META: found no JSON object (%s, line %d), expected one", why.text,
                  why.line);
  }
  meta_get_text(o, "program", m->program, sizeof m->program);
  meta_get_text(o, "machine", m->machine, sizeof m->machine);
  meta_get_text(o, "system", m->system, sizeof m->system);
  meta_get_text(o, "launch_file", m->launch_file, sizeof m->launch_file);
  meta_get_text(o, "kernel", m->kernel, sizeof m->kernel);
  meta_get_text(o, "size", m->size, sizeof m->size);
  meta_get_text(o, "entry", m->entry, sizeof m->entry);
  m->seed = (uint64_t)json_integer_value(json_object_get(o, "seed"));
  m->timed = !(trf_flags(t) & TRF_UNTIMED);
  const json_t *config = json_object_get(o, "config");
  const bool ok = !config || (json_is_object(config) && meta_get_config(config, m));
  json_decref(o);
  return ok ||
         err_at(e, trf_path(t), 0, 0, "section META: found no object of keys and texts, expected one as 'config'");
}

uint32_t trace_regs(const struct trf *t, const char *kernel) {
  json_t *o = json_loads(trf_meta(t), 0, NULL);
  const json_int_t n = json_integer_value(json_object_get(json_object_get(o, "regs"), kernel));
  json_decref(o);
  return n > 0 && n < 256 ? (uint32_t)n : 0;
}

/* Keys that change nothing of what a kernel does, or say of which part of it the result is. */
static bool key_matters(const struct key *k) {
  static const char *const no[] = {"check",       "skip",      "watch_sm",  "partial",       "roi",
                                   "stop_cycles", "stop_ctas", "max_insns", "max_statements"};
  for (unsigned i = 0; i < sizeof no / sizeof *no; i++)
    if (!strcmp(k->section, "sim") && !strcmp(k->name, no[i])) return false;
  return true;
}

const char *trace_differs(const struct trace_meta *m, const struct config *cfg, char *buf, size_t size) {
  unsigned n = 0;
  size_t at = 0;
  buf[0] = 0;
  for (unsigned i = 0; m->known && i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    if (!key_matters(k) || key_same(&m->cfg, cfg, k)) continue;
    if (n++ < 3 && at < size)
      at += (size_t)snprintf(buf + at, size - at, "%s%s.%s", n > 1 ? ", " : "", k->section, k->name);
  }
  if (n > 3 && at < size) snprintf(buf + at, size - at, " and %u more", n - 3);
  if (!m->known) snprintf(buf, size, "its keys are those of another program");
  return buf;
}

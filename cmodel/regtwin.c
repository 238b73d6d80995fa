/* SPDX-License-Identifier: Apache-2.0 */
/* regtwin: see regtwin.h. Functions that do more than return or free what is there have the settings of base/host_env.h. */
#include "regtwin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_env.h"
#include "config/keys.h"
#include "lab/run/load.h"
#include "lab/run/result.h"
#include "lab/run/run.h"
#include "lab/report/json.h"

struct rt_config {
  struct config c;
};
struct rt_workload {
  char name[1024], size[32], path[1024];
};
struct rt_result {
  json_t *all;
  char *json, **name;
  unsigned names, names_cap;
};

const char *rt_version(void) { return RT_VERSION; }

static bool rt_fail(const struct err *from, rt_error *to) {
  if (!to) return false;
  to->line = from->line;
  to->col = from->col;
  snprintf(to->file, sizeof to->file, "%s", from->file);
  snprintf(to->text, sizeof to->text, "%s", from->text);
  return false;
}

void rt_error_format(const rt_error *e, char *buf, size_t size) {
  HOST_ENV_ENTERED();
  struct err full = {.set = true, .line = e->line, .col = e->col};
  snprintf(full.file, sizeof full.file, "%s", e->file);
  snprintf(full.text, sizeof full.text, "%s", e->text);
  err_format(&full, buf, size);
}

/* ---- configuration ---- */

rt_config *rt_config_new(const char *machine, const char *system, rt_error *e) {
  HOST_ENV_ENTERED();
  rt_config *c = xcalloc(1, sizeof *c);
  struct err mine = {0};
  if (config_load(&c->c, machine, system ? system : "baseline", &mine)) return c;
  rt_fail(&mine, e);
  free(c);
  return NULL;
}

void rt_config_free(rt_config *c) { free(c); }

/* "section.key" */
static const struct key *key_named(const char *name) {
  char section[64];
  const char *dot = strchr(name, '.');
  if (!dot || (size_t)snprintf(section, sizeof section, "%.*s", (int)(dot - name), name) >= sizeof section) return NULL;
  return key_find(section, dot + 1);
}

bool rt_config_set(rt_config *c, const char *key, const char *value, rt_error *e) {
  HOST_ENV_ENTERED();
  struct err mine = {0};
  const struct place nowhere = {0};
  const struct key *k = key_named(key);
  struct config tried = c->c;
  char near[KEY_NEAR];
  if (!k) err_at(&mine, NULL, 0, 0, "found unknown key '%.60s'%s", key, key_suggest_any(key, near, sizeof near));
  if (!k || !key_set(&tried, k, value, &nowhere, &mine)) return rt_fail(&mine, e);
  c->c = tried;
  return true;
}

bool rt_config_get(const rt_config *c, const char *key, char *buf, size_t size) {
  HOST_ENV_ENTERED();
  const struct key *k = key_named(key);
  if (k) key_print(&c->c, k, buf, size);
  return k != NULL;
}

/* ---- workload ---- */

rt_workload *rt_open(const char *name, const char *size, rt_error *e) {
  HOST_ENV_ENTERED();
  struct workload w;
  struct err mine = {0};
  if (strlen(name) >= sizeof((rt_workload *)0)->name)
    err_at(&mine, NULL, 0, 0, "found a name of %zu bytes, expected fewer", strlen(name));
  if (size && strlen(size) >= sizeof((rt_workload *)0)->size)
    err_at(&mine, NULL, 0, 0, "found a size's name of %zu bytes, expected fewer", strlen(size));
  if (mine.set || !workload_open(name, size ? size : "default", &w, &mine)) {
    rt_fail(&mine, e);
    return NULL;
  }
  rt_workload *out = xcalloc(1, sizeof *out);
  snprintf(out->name, sizeof out->name, "%s", name);
  snprintf(out->size, sizeof out->size, "%s", size ? size : "default");
  snprintf(out->path, sizeof out->path, "%s", w.path);
  workload_close(&w);
  return out;
}

void rt_close(rt_workload *w) { free(w); }
const char *rt_workload_path(const rt_workload *w) { return w->path; }

/* ---- run ---- */

/* Their names, "" being all of it: "counters.switches". */
static void name_all(rt_result *r, const char *prefix, json_t *o) {
  const char *key;
  json_t *v;
  json_object_foreach(o, key, v) {
    size_t n = strlen(prefix) + strlen(key) + 2;
    char *name = xmalloc(n);
    snprintf(name, n, "%s%s%s", prefix, prefix[0] ? "." : "", key);
    if (json_is_object(v)) name_all(r, name, v);
    if (json_is_number(v) || json_is_boolean(v)) VEC_PUSH(r->name, r->names, r->names_cap) = name;
    else free(name);
  }
}

static void progress_tick(void *ctx, uint64_t cycle, uint32_t done, uint32_t ctas, uint64_t insns) {
  const rt_options *o = ctx;
  (void)insns;
  host_env_leave();
  o->progress(o->ctx, cycle, done, ctas);
  host_env_enter();
}

static bool rt_run_workload(const rt_workload *w, const struct config *c, const rt_options *o, struct run_result *out,
                            struct err *e) {
  struct workload mine;
  rt_options own = *o;
  struct run_progress p = {.tick = o->progress ? progress_tick : NULL, .ctx = &own};
  if (!config_check(c, e) || !workload_compile(w->name, w->size, c, o->seed, &mine, e)) return false;
  bool ok = run_workload(&mine, c, o->seed, o->functional, &p, out, e);
  workload_close(&mine);
  return ok;
}

rt_result *rt_run(const rt_workload *w, const rt_config *c, const rt_options *o, rt_error *e) {
  HOST_ENV_ENTERED();
  static const rt_options none;
  struct err mine = {0};
  struct run_result *out = xcalloc(1, sizeof *out);
  rt_result *r = NULL;
  if (rt_run_workload(w, &c->c, o ? o : &none, out, &mine)) {
    r = xcalloc(1, sizeof *r);
    r->all = result_json(out);
    r->json = json_dumps(r->all, JSON_FORMAT);
    if (!r->json) die("no memory for the JSON of a result");
    name_all(r, "", r->all);
  } else {
    rt_fail(&mine, e);
  }
  free(out);
  return r;
}

void rt_result_free(rt_result *r) {
  if (!r) return;
  for (unsigned i = 0; i < r->names; i++) free(r->name[i]);
  free(r->name), free(r->json);
  json_decref(r->all);
  free(r);
}

static const json_t *rt_result_find(const rt_result *r, const char *name) {
  const json_t *o = r->all;
  while (o && *name) {
    char key[64];
    size_t n = strcspn(name, ".");
    if (n >= sizeof key) return NULL;
    snprintf(key, sizeof key, "%.*s", (int)n, name);
    o = json_object_get(o, key);
    name += n + (name[n] == '.');
  }
  return o;
}

bool rt_statistic(const rt_result *r, const char *name, double *value) {
  HOST_ENV_ENTERED();
  const json_t *v = rt_result_find(r, name);
  if (!json_is_number(v) && !json_is_boolean(v)) return false;
  *value = json_is_boolean(v) ? json_is_true(v) : json_number_value(v);
  return true;
}

const char *rt_text(const rt_result *r, const char *name) {
  HOST_ENV_ENTERED();
  return json_string_value(rt_result_find(r, name));
}
const char *rt_statistic_name(const rt_result *r, size_t i) { return i < r->names ? r->name[i] : NULL; }
const char *rt_json(const rt_result *r) { return r->json; }

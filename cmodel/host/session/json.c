/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: the launches of a session and their totals, in the terms of `regtwin run --json` (lab/run/result.h). The launches are written one
 * after the other: a program may make a hundred thousand of them, and a tree of all their counters would take gigabytes. json_put_all may
 * be called in a signal handler, with an allocator of jansson that may (results.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "host/session/session.h"
#include "lab/report/json.h"
#include "lab/run/result.h"

/* The program's arguments without its name. */
static json_t *json_of_arguments(const struct origin *o) {
  json_t *all = json_array();
  for (const char *a = o->text + strlen(o->text) + 1; a < o->text + o->bytes; a += strlen(a) + 1)
    json_array_append_new(all, json_text(a));
  return all;
}

static json_t *json_of_head(const struct device *d, const char *interface) {
  const struct origin *from = origin_of_process();
  json_t *o = json_object();
  json_put(o, "regtwin", json_text(RT_VERSION));
  json_put(o, "program", json_text(from->program));
  json_put(o, "arguments", json_of_arguments(from));
  json_put(o, "rank", from->rank < 0 ? json_null() : json_whole((uint64_t)from->rank));
  json_put(o, "interface", interface ? json_text(interface) : json_null());
  json_put(o, "machine", json_text(d->cfg.machine));
  json_put(o, "system", json_text(d->cfg.system));
  json_put(o, "bounds", json_text(d->lenient ? "lenient" : "strict"));
  json_put(o, "time", json_text(d->chosen.text));
  json_put(o, "sms", json_whole((uint64_t)d->cfg.sim_sms));
  json_put(o, "clock_mhz", json_whole((uint64_t)d->cfg.gpu_clock_mhz));
  return o;
}

static json_t *launch_json(const struct past *p, uint32_t i) {
  json_t *o = json_object();
  json_put(o, "launch", json_whole(i));
  json_put(o, "kernel", json_text(p->kernel));
  json_put(o, "grid", result_triple(p->grid));
  json_put(o, "block", result_triple(p->block));
  json_put(o, "shared_dynamic", json_whole(p->shared_dyn));
  json_put(o, "timed", json_boolean(p->timed));
  json_put(o, "stopped", json_boolean(p->stopped));
  json_put(o, "failed", p->failed ? json_text(p->failed) : json_null());
  json_put(o, "begin_ns", json_whole(p->begin_ns));
  json_put(o, "end_ns", json_whole(p->end_ns));
  result_put_counts(o, p->timed, p->counts.cycles, &p->counts.sm, &p->counts.mem);
  return o;
}

static json_t *json_of_totals(const struct history *h) {
  json_t *o = json_object();
  char hash[24];
  snprintf(hash, sizeof hash, "%016" PRIx64, h->stream_hash);
  json_put(o, "launches", json_whole(h->n));
  json_put(o, "launches_timed", json_whole(h->timed));
  json_put(o, "untimed_ctas", json_whole(h->untimed));
  json_put(o, "ns", json_whole(h->ns));
  result_put_counts(o, h->timed, h->total.cycles, &h->total.sm, &h->total.mem);
  json_put(o, "stream_hash", h->timed ? json_text(hash) : json_null());
  return o;
}

/* ---- text ---- */

static void json_write_text(const struct json_to *to, const char *text) { to->put(to->to, text, strlen(text)); }

/* The text of a value, which is freed. */
static char *json_dump_text(json_t *v) {
  char *text = json_dumps(v, JSON_FORMAT | JSON_ENCODE_ANY);
  json_decref(v);
  return text;
}

/* The lines of a value, indented by `depth`, without what stands before the first. */
static void json_write_lines(const struct json_to *to, const char *text, int depth) {
  static const char blanks[] = "        ";
  for (const char *s = text; *s;) {
    const size_t n = strcspn(s, "\n");
    to->put(to->to, s, n);
    s += n;
    if (*s) json_write_text(to, "\n"), to->put(to->to, blanks, (size_t)depth), s++;
  }
}

static bool json_write_value(const struct json_to *to, const struct json_parts *p, json_t *v, int depth) {
  json_free_t freed;
  char *text = json_dump_text(v);
  if (text) json_write_lines(to, text, depth);
  json_get_alloc_funcs(NULL, &freed);
  freed(text);
  if (p->reset) p->reset();
  return text != NULL;
}

struct json_parts json_parts_of(const struct device *d, const char *interface) {
  struct json_parts p = {.head = json_dump_text(json_of_head(d, interface)),
                         .configuration = json_dump_text(result_configuration(&d->cfg))};
  char *end = p.head ? strrchr(p.head, '\n') : NULL;
  if (end) *end = 0; /* its members, without the brace after the last */
  return p;
}

void json_parts_free(struct json_parts *p) {
  free(p->head);
  free(p->configuration);
  *p = (struct json_parts){0};
}

bool json_put_all(const struct json_to *to, const struct device *d, const struct json_parts *p, const char *ended_by) {
  const struct history *h = &d->history;
  const char *before = "\n    ";
  struct history_at at = {0};
  struct past past;
  bool ok = p->head && p->configuration;
  if (!ok) return false;
  json_write_text(to, p->head);
  json_write_text(to, ",\n  \"launches\": [");
  while (history_next(h, &at, &past)) {
    json_write_text(to, before);
    ok = json_write_value(to, p, launch_json(&past, at.launch - 1), 4) && ok;
    before = ",\n    ";
  }
  json_write_text(to, at.launch ? "\n  ],\n  \"ended_by\": " : "],\n  \"ended_by\": ");
  json_write_text(to, ended_by ? "\"" : "null");
  if (ended_by) json_write_text(to, ended_by), json_write_text(to, "\"");
  json_write_text(to, ",\n  \"totals\": ");
  ok = json_write_value(to, p, json_of_totals(h), 2) && ok;
  json_write_text(to, ",\n  \"configuration\": ");
  json_write_lines(to, p->configuration, 2);
  json_write_text(to, "\n}\n");
  return ok;
}

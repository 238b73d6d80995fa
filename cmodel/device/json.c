/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: the launches of a session and their totals, in the terms of `regtwin run --json` (run/result.h). The launches are written one
 * after the other: a program may make a hundred thousand of them, and a tree of all their counters would take gigabytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "device/session.h"
#include "report/json.h"
#include "run/result.h"

static json_t *head(const struct device *d) {
  json_t *o = json_object();
  json_put(o, "regtwin", json_text(RT_VERSION));
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

static json_t *totals(const struct device *d) {
  const struct history *h = &d->history;
  json_t *o = json_object();
  char hash[24];
  snprintf(hash, sizeof hash, "%016" PRIx64, d->gpu ? gpu_hash(d->gpu) : 0);
  json_put(o, "launches", json_whole(h->n));
  json_put(o, "launches_timed", json_whole(h->timed));
  json_put(o, "untimed_ctas", json_whole(d->untimed));
  json_put(o, "ns", json_whole(device_ns(d)));
  result_put_counts(o, h->timed, h->total.cycles, &h->total.sm, &h->total.mem);
  json_put(o, "stream_hash", h->timed ? json_text(hash) : json_null());
  return o;
}

/* The value, which is freed, indented by `depth`, without what stands before its first line. */
static bool put_value(FILE *f, json_t *v, int depth) {
  char *text = json_dumps(v, JSON_FORMAT | JSON_ENCODE_ANY);
  json_decref(v);
  for (const char *s = text; s && *s;) {
    const size_t n = strcspn(s, "\n");
    fwrite(s, 1, n, f);
    s += n;
    if (*s) fprintf(f, "\n%*s", depth, ""), s++;
  }
  free(text);
  return text != NULL;
}

static bool put_members(FILE *f, json_t *o) {
  const char *key;
  json_t *v;
  bool ok = true;
  json_object_foreach(o, key, v) {
    fprintf(f, "  \"%s\": ", key);
    ok = put_value(f, json_incref(v), 2) && ok;
    fputs(",\n", f);
  }
  json_decref(o);
  return ok;
}

static bool put_all(FILE *f, const struct device *d) {
  const char *before = "\n    ";
  struct history_at at = {0};
  struct past p;
  fputs("{\n", f);
  bool ok = put_members(f, head(d));
  fputs("  \"launches\": [", f);
  while (history_next(&d->history, &at, &p)) {
    fputs(before, f);
    ok = put_value(f, launch_json(&p, at.launch - 1), 4) && ok;
    before = ",\n    ";
  }
  fputs(at.launch ? "\n  ],\n  \"totals\": " : "],\n  \"totals\": ", f);
  ok = put_value(f, totals(d), 2) && ok;
  fputs(",\n  \"configuration\": ", f);
  ok = put_value(f, result_configuration(&d->cfg), 2) && ok;
  fputs("\n}\n", f);
  return ok;
}

bool device_write_json(const struct device *d, const char *path, struct err *e) {
  char why[IO_WHY] = "no memory";
  struct output *o = output_open(path, why);
  bool ok = o && put_all(output_stream(o), d);
  if (o) ok = output_close(o, ok, why) && ok;
  return ok || err_at(e, strcmp(path, "-") ? path : "standard output", 0, 0, "cannot write: %s", why);
}

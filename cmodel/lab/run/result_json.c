/* SPDX-License-Identifier: Apache-2.0 */
/* result_json: results for machines. The numbers beside the counters are lab/run/rows.def's and the systems'. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "config/keys.h"
#include "cost/energy.h"
#include "lab/report/json.h"
#include "lab/report/table.h"
#include "lab/run/result.h"
#include "lab/run/result_slots.h"

json_t *result_configuration(const struct config *c) {
  json_t *all = json_object();
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    json_t *section = json_object_get(all, k->section);
    if (!section) json_object_set_new(all, k->section, section = json_object());
    char text[KEY_TEXT];
    key_print(c, k, text, sizeof text);
    if (k->type == KEY_INT) json_put(section, k->name, json_integer(*(const int64_t *)((const char *)c + k->offset)));
    else if (k->type == KEY_BOOL)
      json_put(section, k->name, json_boolean(*(const bool *)((const char *)c + k->offset)));
    else if (k->type == KEY_PATH || k->type == KEY_WORD)
      json_put(section, k->name, json_text((const char *)c + k->offset));
    else json_put(section, k->name, json_text(text));
  }
  return all;
}

/* Null of a whole run. */
static json_t *partial_json(const struct run_result *r) {
  if (!r->partial) return json_null();
  json_t *o = json_object();
  json_put(o, "text", json_text(r->part));
  json_put(o, "roi", json_boolean(r->partial & PARTIAL_ROI));
  json_put(o, "max_cycles", json_boolean(r->partial & PARTIAL_CYCLES));
  json_put(o, "max_ctas", json_boolean(r->partial & PARTIAL_CTAS));
  json_put(o, "trace", json_boolean(r->partial & PARTIAL_TRACE));
  json_put(o, "launches_timed", json_whole(r->launches_timed));
  return o;
}

static json_t *stalls_json(const struct run_result *r) {
  json_t *o = json_object();
  struct result_slot s[RESULT_SLOTS];
  result_slots(r, s);
  for (unsigned i = 0; i < RESULT_SLOTS; i++) {
    json_t *one = json_object();
    json_put(one, "slots", json_whole(s[i].slots));
    json_put(one, "percent", json_real((double)s[i].hundredths / 100.0));
    json_put(o, s[i].key, one);
  }
  return o;
}

static json_t *latency_json(const struct load_latency *l, bool modelled) {
  json_t *o = json_object();
  json_put(o, "loads", json_whole(modelled ? l->loads : NOT_MODELLED));
  json_put(o, "mean", json_ratio(l->cycles, l->loads));
  json_put(o, "p50", l->loads ? json_whole(l->p50) : json_null());
  json_put(o, "p95", l->loads ? json_whole(l->p95) : json_null());
  json_put(o, "max", l->loads ? json_whole(l->most) : json_null());
  return o;
}

static json_t *latencies_json(const struct run_result *r) {
  static const char *const name[LATENCY_ROWS] = {
      [LATENCY_ALL] = "all", [LATENCY_L1] = "l1", [LATENCY_L2] = "l2", [LATENCY_DRAM] = "dram"};
  json_t *o = json_object();
  for (unsigned k = 0; k < LATENCY_ROWS; k++)
    json_put(o, name[k], latency_json(&r->latency[k], k != LATENCY_L1 || r->cfg.l1_bytes));
  return o;
}

/* Of narrow code; null of other. */
static json_t *narrow_json(const struct run_result *r) {
  if (!r->narrow) return json_null();
  json_t *o = json_object(), *q = json_object();
  char text[CELL];
  json_put(o, "widths", r->widths[0] ? json_text(r->widths) : json_null());
  snprintf(text, sizeof text, "%016" PRIx64, r->results);
  json_put(o, "results_hash", json_text(text));
  json_put(o, "quality", r->compared ? q : json_null());
  if (r->compared) {
    quality_text(&r->quality, text, sizeof text);
    json_put(q, "text", json_text(text));
    json_put(q, "level", json_text(quality_level_name(r->quality.level)));
    json_put(q, "asked", json_text(quality_level_name(r->asked)));
    json_put(q, "value", isfinite(r->quality.value) ? json_real(r->quality.value) : json_null());
    json_put(q, "differ", json_whole(r->quality.differ));
    json_put(q, "of", json_whole(r->quality.of));
  } else {
    json_decref(q);
  }
  return o;
}

/* Null where there is no figure for this register file's banks. */
static json_t *energy_json(const struct run_result *r) {
  struct energy e;
  if (!run_energy(r, &e)) return json_null();
  json_t *o = json_object();
  for (unsigned i = 0; i < ENERGY_SUMS; i++) json_put(o, energy_component_key[i], json_real(e.sum[i]));
  json_put(o, "total", json_real(e.total));
  json_put(o, "delay_product_uj_us", json_real(e.total / 1e6 * (double)r->cycles / (double)r->cfg.gpu_clock_mhz));
  return o;
}

/* The member that is an object; made when it is not there. */
static json_t *object_of(json_t *o, const char *name) {
  if (!json_object_get(o, name)) json_put(o, name, json_object());
  return json_object_get(o, name);
}

static void result_put_numbers(json_t *o, const struct run_result *r) {
  const struct config *c = &r->cfg;
  (void)c; /* a build without any system (SYSTEM_DIRS) */
#define JSON_COUNT(object, key, number) json_put(object_of(o, #object), #key, json_whole(number));
#define JSON_RATIO(object, key, number, of) json_put(object_of(o, #object), #key, json_ratio(number, of));
#include "gen/systems/rows.def"
  json_put(object_of(o, "occupancy"), "kernel", json_text(r->busiest));
  json_put(object_of(o, "occupancy"), "limiter", json_text(r->limiter));
}

json_t *result_json(const struct run_result *r) {
  json_t *o = json_object();
  char text[64];
  json_put(o, "regtwin", json_text(RT_VERSION));
  json_put(o, "system", r->functional ? json_null() : json_text(r->cfg.system));
  json_put(o, "config", r->functional ? json_null() : json_text(r->cfg.machine));
  json_put(o, "kernel", json_text(r->kernel));
  json_put(o, "size", r->size[0] ? json_text(r->size) : json_null());
  json_put(o, "launch_file", json_text(r->path));
  json_put(o, "seed", json_whole(r->seed));
  json_put(o, "functional", json_boolean(r->functional));
  json_put(o, "launches", json_whole(r->launches));
  json_put(o, "partial", partial_json(r));
  json_put(o, "untimed_ctas", json_whole(r->untimed));
  json_put(o, "narrow", narrow_json(r));
  json_put(o, "warp_instructions", json_whole(r->sm.warp_insns));
  json_put(o, "thread_instructions", json_whole(r->sm.thread_insns));
  if (!r->functional) {
    json_put(o, "sms", json_whole((uint64_t)r->cfg.sim_sms));
    json_put(o, "cycles", json_whole(r->cycles));
    json_put(o, "ipc", json_ratio(r->sm.warp_insns, r->cycles));
    json_put(o, "thread_ipc", json_ratio(r->sm.thread_insns, r->cycles));
    json_put(o, "ipc_per_sm", json_ratio(r->sm.warp_insns, r->cycles * (uint64_t)r->cfg.sim_sms));
    json_put(o, "sms_at_work", json_ratio(r->sm.cycles, r->cycles));
    result_put_numbers(o, r);
    json_put(o, "issue_stalls", stalls_json(r));
    json_put(o, "load_latency", latencies_json(r));
    json_put(o, "energy_pj", energy_json(r));
    json_put(o, "counters", result_counters(&r->sm));
    snprintf(text, sizeof text, "%016" PRIx64, r->hash);
    json_put(o, "stream_hash", json_text(text));
    json_put(o, "configuration", result_configuration(&r->cfg));
  }
  json_put(o, "host_seconds", json_ratio(r->host_ns, 1000000000));
  json_put(o, "warp_instructions_per_second",
           r->host_ns ? json_real((double)r->sm.warp_insns * 1e9 / (double)r->host_ns) : json_null());
  if (!r->functional)
    json_put(o, "cycles_per_second",
             r->host_ns ? json_real((double)r->cycles * 1e9 / (double)r->host_ns) : json_null());
  json_put(o, "peak_rss_bytes", json_whole(r->peak_rss_bytes));
  return o;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* result: see result.h. Counters are integers; ratios are computed from them where they are shown. */
#include "run/result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/show.h"
#include "config/keys.h"
#include "report/json.h"
#include "report/table.h"

/* The use of the schedulers' issue slots: these sum to cycles x schedulers. */
struct slot {
  const char *key, *label;
  size_t offset;
};
static const struct slot slots[] = {
#define SLOT(name, label) \
  { #name, label, offsetof(struct sm_stats, slot_##name) }
    SLOT(issued, "issued"),
    SLOT(alu, "wait: unit result or operands"),
    SLOT(memory, "wait: memory load"),
    SLOT(atomic, "wait: atomic"),
    SLOT(barrier, "wait: barrier"),
    SLOT(fetch, "wait: instructions"),
    SLOT(collector, "no collector unit"),
    SLOT(gate, "gated"),
    SLOT(empty, "no warp"),
#undef SLOT
};
enum { SLOTS = sizeof slots / sizeof slots[0] };

static uint64_t slot_of(const struct run_result *r, unsigned i) {
  return *(const uint64_t *)((const char *)&r->sm + slots[i].offset);
}

static void percents(const struct run_result *r, uint32_t out[SLOTS]) {
  uint64_t part[SLOTS];
  for (unsigned i = 0; i < SLOTS; i++) part[i] = slot_of(r, i);
  shares(part, SLOTS, out);
}

/* ---- the table ---- */

enum shape { COUNT, RATIO, PERCENT };

/* One row: num/den with `decimals`; a COUNT has no den. */
struct line {
  const char *label, *unit;
  enum shape shape;
  unsigned decimals;
  uint64_t (*num)(const struct run_result *), (*den)(const struct run_result *);
};

#define SM(name) \
  static uint64_t get_##name(const struct run_result *r) { return r->sm.name; }
#define MEM(name) \
  static uint64_t get_##name(const struct run_result *r) { return r->mem.name; }
#define ANY(name, expr) \
  static uint64_t get_##name(const struct run_result *r) { return (void)r, expr; }
/* To clang-format these are one long expression. */
/* clang-format off */
SM(cycles) SM(ctas) SM(warps) SM(warp_insns) SM(thread_insns) SM(cta_cycles) SM(warp_cycles)
SM(rf_reads) SM(rf_writes) SM(rf_read_conflicts) SM(rf_write_conflicts) SM(operands_checked)
SM(slice_lookups) SM(slice_lookup_waits) SM(slice_splits) SM(slice_conversions) SM(slice_write_waits)
SM(srp_taken) SM(srp_wait) SM(srp_depleted) SM(srp_regs)
SM(active_cycles) SM(switches) SM(context_cycles) SM(spills) SM(restores) SM(swaps) SM(refused) SM(depleted)
SM(regs_out) SM(regs_in) SM(late_taken) SM(late_dropped) SM(lrvc_lookups) SM(live_vector_bytes)
SM(shared_accesses) SM(shared_conflicts) SM(global_accesses) SM(global_lines) SM(atomics) SM(barriers)
SM(l1_reads) SM(l1_read_hits) SM(l1_read_misses) SM(l1_read_merges) SM(l1_bypass) SM(l1_writes) SM(icache_hits)
MEM(l2_read_hit) MEM(l2_writebacks) MEM(dram_row_hit)
ANY(launches, r->launches)
ANY(regs, r->regs)
ANY(fit, r->fit)
ANY(pressure, r->pressure)
ANY(warps_fit, r->warps_fit)
ANY(most_warps, (uint64_t)r->cfg.sm_warps)
ANY(warp_room, r->sm.cycles * (uint64_t)r->cfg.sm_warps)
ANY(rf_accesses, r->sm.rf_reads + r->sm.rf_writes)
ANY(rf_conflicts, r->sm.rf_read_conflicts + r->sm.rf_write_conflicts)
ANY(rf_cycles, r->sm.cycles * (uint64_t)(r->cfg.rf_bytes / 128))
ANY(lrvc_hits, r->sm.lrvc_lookups - r->sm.lrvc_misses)
ANY(icache, r->sm.icache_hits + r->sm.icache_misses)
ANY(l2_reads, r->mem.l2_read_hit + r->mem.l2_read_miss + r->mem.l2_read_merge)
ANY(l2_writes, r->mem.l2_write_hit + r->mem.l2_write_miss)
ANY(dram_read, r->mem.dram_read_sectors * 32)
ANY(dram_write, r->mem.dram_write_sectors * 32)
ANY(dram_bytes, (r->mem.dram_read_sectors + r->mem.dram_write_sectors) * 32)
ANY(dram_bursts, r->mem.dram_row_hit + r->mem.dram_row_miss + r->mem.dram_row_conflict)
ANY(mem_cycles, r->mem.cycles)
/* DRAM bytes against what the share could have moved, the drain of stores after a launch included: MB/s over MHz are
 * bytes per cycle. */
ANY(dram_used, get_dram_bytes(r) * (uint64_t)r->cfg.gpu_clock_mhz * (uint64_t)r->cfg.gpu_sms)
ANY(dram_could, r->mem.cycles * (uint64_t)r->cfg.dram_mbps)
ANY(clock, (uint64_t)r->cfg.gpu_clock_mhz)
ANY(host_us, r->host_ns / 1000)
ANY(insns_us, r->sm.warp_insns * 1000000)
ANY(cycles_us, r->sm.cycles * 1000000)
ANY(rss, r->peak_rss_bytes)
ANY(million, 1000000)
    /* clang-format on */

    static void lines(struct table *t, const struct run_result *r, unsigned n, const struct line *l, unsigned count) {
  char buf[CELL];
  for (unsigned i = 0; i < count; i++) {
    table_row(t, l[i].label, l[i].unit);
    for (unsigned c = 0; c < n; c++) {
      if (l[i].shape == COUNT) table_cell(t, c, text_count(buf, l[i].num(&r[c])));
      else if (l[i].shape == RATIO) table_cell(t, c, text_ratio(buf, l[i].num(&r[c]), l[i].den(&r[c]), l[i].decimals));
      else table_cell(t, c, text_ratio(buf, l[i].num(&r[c]) * 100, l[i].den(&r[c]), l[i].decimals));
    }
  }
}
#define LINES(t, r, n, ...)                                      \
  do {                                                           \
    static const struct line all[] = {__VA_ARGS__};              \
    lines(t, r, n, all, (unsigned)(sizeof all / sizeof all[0])); \
  } while (0)

static void words(struct table *t, const struct run_result *r, unsigned n, const char *label, const char *unit,
                  const char *(*text)(const struct run_result *, char buf[CELL])) {
  char buf[CELL];
  table_row(t, label, unit);
  for (unsigned c = 0; c < n; c++) table_cell(t, c, text(&r[c], buf));
}

static const char *busiest(const struct run_result *r, char buf[CELL]) { return (void)buf, r->busiest; }
static const char *limiter(const struct run_result *r, char buf[CELL]) { return (void)buf, r->limiter; }
static const char *size_of(const struct run_result *r, char buf[CELL]) { return (void)buf, r->size; }
static const char *hash_of(const struct run_result *r, char buf[CELL]) {
  snprintf(buf, CELL, "%016" PRIx64, r->hash);
  return buf;
}
static const char *seed_of(const struct run_result *r, char buf[CELL]) {
  snprintf(buf, CELL, "%" PRIu64, r->seed);
  return buf;
}

static void work(struct table *t, const struct run_result *r, unsigned n) {
  table_section(t, "Work");
  if (r->size[0]) words(t, r, n, "size", "", size_of);
  LINES(t, r, n, {"launches", "", COUNT, 0, get_launches, NULL});
  if (!r->functional) LINES(t, r, n, {"CTAs", "", COUNT, 0, get_ctas, NULL}, {"warps", "", COUNT, 0, get_warps, NULL});
  LINES(t, r, n, {"warp instructions", "", COUNT, 0, get_warp_insns, NULL},
        {"thread instructions", "", COUNT, 0, get_thread_insns, NULL},
        {"lanes per instruction", "of 32", RATIO, 2, get_thread_insns, get_warp_insns});
}

static void switching(struct table *t, const struct run_result *r, unsigned n) {
  LINES(t, r, n, {"CTAs that may issue", "mean", RATIO, 2, get_active_cycles, get_cycles},
        {"CTAs suspended", "", COUNT, 0, get_switches, NULL},
        {"contexts moved", "cycles", COUNT, 0, get_context_cycles, NULL},
        {"spills, for a new CTA", "", COUNT, 0, get_spills, NULL}, {"restores", "", COUNT, 0, get_restores, NULL},
        {"swaps", "", COUNT, 0, get_swaps, NULL}, {"refused for lack of room", "", COUNT, 0, get_refused, NULL},
        {"depleted", "% of cycles", PERCENT, 2, get_depleted, get_cycles},
        {"registers out", "", COUNT, 0, get_regs_out, NULL}, {"registers in", "", COUNT, 0, get_regs_in, NULL},
        {"late loads merged", "", COUNT, 0, get_late_taken, NULL},
        {"late registers dropped", "", COUNT, 0, get_late_dropped, NULL});
  if (r->cfg.slot_residency == slot_residency_finereg)
    LINES(t, r, n, {"live vectors looked up", "", COUNT, 0, get_lrvc_lookups, NULL},
          {"live vectors, cache hits", "%", PERCENT, 2, get_lrvc_hits, get_lrvc_lookups},
          {"live vectors in memory", "bytes", COUNT, 0, get_live_vector_bytes, NULL});
}

static void timing(struct table *t, const struct run_result *r, unsigned n) {
  char buf[CELL], warps[32];
  snprintf(warps, sizeof warps, "%% of %lld", (long long)r->cfg.sm_warps);
  table_section(t, "Time");
  LINES(t, r, n, {"cycles", "", COUNT, 0, get_cycles, NULL}, {"simulated time", "us", RATIO, 1, get_cycles, get_clock},
        {"warp instructions per cycle", "IPC", RATIO, 3, get_warp_insns, get_cycles},
        {"thread instructions per cycle", "", RATIO, 2, get_thread_insns, get_cycles});
  table_section(t, "Occupancy");
  words(t, r, n, "of the entry's largest launch", "", busiest);
  LINES(t, r, n, {"registers", "per thread", COUNT, 0, get_regs, NULL}, {"CTAs that fit", "", COUNT, 0, get_fit, NULL});
  if (r->narrow) LINES(t, r, n, {"physical registers", "per thread", COUNT, 0, get_pressure, NULL});
  words(t, r, n, "limited by", "", limiter);
  table_row(t, "warps that fit", warps);
  for (unsigned c = 0; c < n; c++)
    table_cell(t, c, text_ratio(buf, get_warps_fit(&r[c]) * 100, get_most_warps(&r[c]), 1));
  LINES(t, r, n, {"CTAs resident", "mean", RATIO, 2, get_cta_cycles, get_cycles},
        {"warps resident", "mean", RATIO, 2, get_warp_cycles, get_cycles});
  table_row(t, "warps resident", warps);
  for (unsigned c = 0; c < n; c++)
    table_cell(t, c, text_ratio(buf, r[c].sm.warp_cycles * 100, get_warp_room(&r[c]), 1));

  if (r->cfg.slot_residency == slot_residency_vt || r->cfg.slot_residency == slot_residency_finereg) switching(t, r, n);
  table_section(t, "Issue slots");
  for (unsigned i = 0; i < SLOTS; i++) {
    table_row(t, slots[i].label, "%");
    for (unsigned c = 0; c < n; c++) {
      uint32_t h[SLOTS];
      percents(&r[c], h);
      table_cell(t, c, text_hundredths(buf, h[i]));
    }
  }
}

static void memory(struct table *t, const struct run_result *r, unsigned n) {
  table_section(t, "Register file");
  LINES(t, r, n, {"reads", "warp registers", COUNT, 0, get_rf_reads, NULL},
        {"writes", "warp registers", COUNT, 0, get_rf_writes, NULL},
        {"bank conflicts, reads", "operand cycles", COUNT, 0, get_rf_read_conflicts, NULL},
        {"bank conflicts, writes", "result cycles", COUNT, 0, get_rf_write_conflicts, NULL},
        {"conflicts per access", "", RATIO, 3, get_rf_conflicts, get_rf_accesses});
  if (r->cfg.slot_storage == slot_storage_regmutex)
    LINES(t, r, n, {"shared register pool", "% of the file", PERCENT, 1, get_srp_regs, get_rf_cycles},
          {"sections taken", "", COUNT, 0, get_srp_taken, NULL},
          {"warps that wait for one", "mean", RATIO, 2, get_srp_wait, get_cycles},
          {"nothing issued, some warp waits for one", "% of cycles", PERCENT, 1, get_srp_depleted, get_cycles});
  if (r->cfg.slot_storage == slot_storage_slices)
    LINES(t, r, n, {"table look-ups", "warp registers", COUNT, 0, get_slice_lookups, NULL},
          {"look-ups waited for a bank", "cycles", COUNT, 0, get_slice_lookup_waits, NULL},
          {"results waited for table", "cycles", COUNT, 0, get_slice_write_waits, NULL},
          {"operands read in two parts", "", COUNT, 0, get_slice_splits, NULL},
          {"operands converted", "", COUNT, 0, get_slice_conversions, NULL});
  if (r->cfg.sim_check) LINES(t, r, n, {"operands checked", "", COUNT, 0, get_operands_checked, NULL});
  table_section(t, "Memory instructions");
  LINES(t, r, n, {"global and local", "", COUNT, 0, get_global_accesses, NULL},
        {"lines per instruction", "128 B", RATIO, 2, get_global_lines, get_global_accesses},
        {"shared", "", COUNT, 0, get_shared_accesses, NULL},
        {"shared bank conflicts", "cycles", COUNT, 0, get_shared_conflicts, NULL},
        {"atomics", "lines", COUNT, 0, get_atomics, NULL}, {"barriers opened", "", COUNT, 0, get_barriers, NULL});
  table_section(t, "Caches");
  LINES(t, r, n, {"instruction cache hits", "%", PERCENT, 2, get_icache_hits, get_icache},
        {"L1 reads", "lines", COUNT, 0, get_l1_reads, NULL},
        {"L1 hits", "%", PERCENT, 2, get_l1_read_hits, get_l1_reads},
        {"L1 merged with a miss", "%", PERCENT, 2, get_l1_read_merges, get_l1_reads},
        {"L1 misses", "lines", COUNT, 0, get_l1_read_misses, NULL},
        {"L1 bypassed", "lines", COUNT, 0, get_l1_bypass, NULL}, {"L1 writes", "lines", COUNT, 0, get_l1_writes, NULL},
        {"L2 reads", "requests", COUNT, 0, get_l2_reads, NULL},
        {"L2 hits", "%", PERCENT, 2, get_l2_read_hit, get_l2_reads},
        {"L2 writes", "requests", COUNT, 0, get_l2_writes, NULL},
        {"L2 write-backs", "lines", COUNT, 0, get_l2_writebacks, NULL});
  table_section(t, "DRAM (this SM's share)");
  LINES(t, r, n, {"read", "bytes", COUNT, 0, get_dram_read, NULL}, {"written", "bytes", COUNT, 0, get_dram_write, NULL},
        {"bandwidth", "bytes/cycle", RATIO, 2, get_dram_bytes, get_mem_cycles},
        {"bandwidth", "% of share", PERCENT, 1, get_dram_used, get_dram_could},
        {"row hits", "%", PERCENT, 1, get_dram_row_hit, get_dram_bursts});
}

static const char *level_of(const struct run_result *r, char buf[CELL]) {
  return (void)buf, r->compared ? quality_level_name(r->quality.level) : "nothing to compare";
}
static const char *metric_of(const struct run_result *r, char buf[CELL]) {
  return r->compared ? quality_text(&r->quality, buf, CELL), buf : "";
}
static const char *widths_of_run(const struct run_result *r, char buf[CELL]) {
  return (void)buf, !r->floats ? "32 bits" : r->widths[0] ? r->widths : "none: 32 bits";
}

static void quality(struct table *t, const struct run_result *r, unsigned n) {
  table_section(t, "Results against those of 32-bit registers");
  words(t, r, n, "quality", "", level_of);
  words(t, r, n, "", "", metric_of);
  words(t, r, n, "widths of floats", "", widths_of_run);
}

static void host(struct table *t, const struct run_result *r, unsigned n) {
  table_section(t, "Host");
  LINES(t, r, n, {"time in launches", "s", RATIO, 3, get_host_us, get_million},
        {"warp instructions", "per s", RATIO, 0, get_insns_us, get_host_us});
  if (!r->functional) LINES(t, r, n, {"simulated cycles", "per s", RATIO, 0, get_cycles_us, get_host_us});
  LINES(t, r, n, {"peak memory", "MB", RATIO, 1, get_rss, get_million});
  if (!r->functional) words(t, r, n, "stream hash", "", hash_of);
  words(t, r, n, "seed", "", seed_of);
}

void result_print(const struct run_result *r, unsigned n, FILE *f) {
  struct table *t = table_new(n);
  for (unsigned c = 0; c < n; c++) table_head(t, c, r[c].kernel);
  work(t, r, n);
  if (!r->functional) {
    timing(t, r, n);
    memory(t, r, n);
  }
  if (r->narrow) quality(t, r, n);
  host(t, r, n);
  if (r->functional) fprintf(f, "regtwin %s   functional, without timing\n\n", RT_VERSION);
  else fprintf(f, "regtwin %s   one SM of %s, system %s\n\n", RT_VERSION, SHOWN(r->cfg.machine), SHOWN(r->cfg.system));
  table_print(t, f);
  table_free(t);
}

/* ---- JSON ---- */

static json_t *configuration(const struct config *c) {
  json_t *all = json_object();
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    json_t *section = json_object_get(all, k->section);
    if (!section) json_object_set_new(all, k->section, section = json_object());
    char text[64];
    key_print(c, k, text, sizeof text);
    if (k->type == KEY_INT) json_put(section, k->name, json_integer(*(const int64_t *)((const char *)c + k->offset)));
    else if (k->type == KEY_BOOL)
      json_put(section, k->name, json_boolean(*(const bool *)((const char *)c + k->offset)));
    else json_put(section, k->name, json_text(text));
  }
  return all;
}

static json_t *sm_counters(const struct sm_stats *s) {
  json_t *o = json_object();
#define STAT(name, unit, text) json_put(o, #name, json_whole(s->name));
#include "gen/systems/stats.def"
  return o;
}

static json_t *stalls(const struct run_result *r) {
  json_t *o = json_object();
  uint32_t h[SLOTS];
  percents(r, h);
  for (unsigned i = 0; i < SLOTS; i++) {
    json_t *one = json_object();
    json_put(one, "slots", json_whole(slot_of(r, i)));
    json_put(one, "percent", json_real((double)h[i] / 100.0));
    json_put(o, slots[i].key, one);
  }
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

static json_t *occupancy(const struct run_result *r) {
  json_t *o = json_object();
  json_put(o, "ctas_mean", json_ratio(r->sm.cta_cycles, r->sm.cycles));
  json_put(o, "ctas_active_mean", json_ratio(r->sm.active_cycles, r->sm.cycles));
  json_put(o, "depleted_fraction", json_ratio(r->sm.depleted, r->sm.cycles));
  json_put(o, "warps_mean", json_ratio(r->sm.warp_cycles, r->sm.cycles));
  json_put(o, "warps_fraction", json_ratio(r->sm.warp_cycles, get_warp_room(r)));
  json_put(o, "kernel", json_text(r->busiest));
  json_put(o, "ctas_fit", json_whole(r->fit));
  json_put(o, "limiter", json_text(r->limiter));
  json_put(o, "registers_per_thread", json_whole(r->regs));
  json_put(o, "physical_registers_per_thread", json_whole(r->pressure));
  json_put(o, "warps_fit", json_whole(get_warps_fit(r)));
  json_put(o, "warps_fit_fraction", json_ratio(get_warps_fit(r), get_most_warps(r)));
  json_put(o, "threads_per_cta", json_whole(r->block_threads));
  return o;
}

static void memory_json(json_t *o, const struct run_result *r) {
  const struct sm_stats *s = &r->sm;
  const struct mem_stats *m = &r->mem;
  json_t *rf = json_object(), *l1 = json_object(), *l2 = json_object(), *d = json_object(), *noc = json_object();
  json_put(rf, "reads", json_whole(s->rf_reads));
  json_put(rf, "writes", json_whole(s->rf_writes));
  json_put(rf, "bank_conflicts", json_whole(get_rf_conflicts(r)));
  json_put(rf, "read_conflicts", json_whole(s->rf_read_conflicts));
  json_put(rf, "write_conflicts", json_whole(s->rf_write_conflicts));
  if (r->cfg.slot_storage == slot_storage_regmutex) {
    json_put(rf, "pool_fraction", json_ratio(s->srp_regs, get_rf_cycles(r)));
    json_put(rf, "pool_waiting_mean", json_ratio(s->srp_wait, s->cycles));
    json_put(rf, "pool_depleted_fraction", json_ratio(s->srp_depleted, s->cycles));
  }
  json_put(o, "register_file", rf);
  json_put(l1, "reads", json_whole(s->l1_reads));
  json_put(l1, "read_hits", json_whole(s->l1_read_hits));
  json_put(l1, "read_misses", json_whole(s->l1_read_misses));
  json_put(l1, "read_merges", json_whole(s->l1_read_merges));
  json_put(l1, "bypass", json_whole(s->l1_bypass));
  json_put(l1, "writes", json_whole(s->l1_writes));
  json_put(l1, "write_hits", json_whole(s->l1_write_hits));
  json_put(l1, "evictions", json_whole(s->l1_evictions));
  json_put(l1, "writebacks", json_whole(s->l1_writebacks));
  json_put(l1, "hit_rate", json_ratio(s->l1_read_hits, s->l1_reads));
  json_put(o, "l1", l1);
  json_put(l2, "read_hits", json_whole(m->l2_read_hit));
  json_put(l2, "read_misses", json_whole(m->l2_read_miss));
  json_put(l2, "read_merges", json_whole(m->l2_read_merge));
  json_put(l2, "write_hits", json_whole(m->l2_write_hit));
  json_put(l2, "write_misses", json_whole(m->l2_write_miss));
  json_put(l2, "atomics", json_whole(m->l2_atomics));
  json_put(l2, "writebacks", json_whole(m->l2_writebacks));
  json_put(l2, "hit_rate", json_ratio(m->l2_read_hit, get_l2_reads(r)));
  json_put(o, "l2", l2);
  json_put(d, "read_bytes", json_whole(get_dram_read(r)));
  json_put(d, "write_bytes", json_whole(get_dram_write(r)));
  json_put(d, "row_hits", json_whole(m->dram_row_hit));
  json_put(d, "row_misses", json_whole(m->dram_row_miss));
  json_put(d, "row_conflicts", json_whole(m->dram_row_conflict));
  json_put(d, "busy_cycles", json_ratio(m->dram_busy, 256));
  json_put(d, "bytes_per_cycle", json_ratio(get_dram_bytes(r), m->cycles));
  json_put(d, "share_used", json_ratio(get_dram_used(r), get_dram_could(r)));
  json_put(o, "dram", d);
  json_put(noc, "read_requests", json_whole(m->req_reads));
  json_put(noc, "write_requests", json_whole(m->req_writes));
  json_put(noc, "atomic_requests", json_whole(m->req_atomics));
  json_put(noc, "request_bytes", json_whole(m->noc_request_bytes));
  json_put(noc, "reply_bytes", json_whole(m->noc_reply_bytes));
  json_put(o, "interconnect", noc);
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
  json_put(o, "narrow", narrow_json(r));
  json_put(o, "warp_instructions", json_whole(r->sm.warp_insns));
  json_put(o, "thread_instructions", json_whole(r->sm.thread_insns));
  if (!r->functional) {
    json_put(o, "cycles", json_whole(r->sm.cycles));
    json_put(o, "ipc", json_ratio(r->sm.warp_insns, r->sm.cycles));
    json_put(o, "thread_ipc", json_ratio(r->sm.thread_insns, r->sm.cycles));
    json_put(o, "occupancy", occupancy(r));
    json_put(o, "issue_stalls", stalls(r));
    memory_json(o, r);
    json_put(o, "counters", sm_counters(&r->sm));
    snprintf(text, sizeof text, "%016" PRIx64, r->hash);
    json_put(o, "stream_hash", json_text(text));
    json_put(o, "configuration", configuration(&r->cfg));
  }
  json_put(o, "host_seconds", json_ratio(r->host_ns, 1000000000));
  json_put(o, "warp_instructions_per_second",
           r->host_ns ? json_real((double)r->sm.warp_insns * 1e9 / (double)r->host_ns) : json_null());
  if (!r->functional)
    json_put(o, "cycles_per_second",
             r->host_ns ? json_real((double)r->sm.cycles * 1e9 / (double)r->host_ns) : json_null());
  json_put(o, "peak_rss_bytes", json_whole(r->peak_rss_bytes));
  return o;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* result_detail: the numbers of a run by SM and by launch, as tables and as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/show.h"
#include "lab/report/json.h"
#include "lab/report/table.h"
#include "lab/run/columns.h"
#include "lab/run/result.h"

enum { CYCLES, CTAS, INSNS, IPC, ISSUED, L1_HITS, L1_MISSES, OF_SM, DRAM = OF_SM, OF_LAUNCH };
static const char *const heads[OF_LAUNCH] = {"cycles",         "CTAs",     "warp insns", "IPC",
                                             "slots issued %", "L1 hit %", "L1 misses",  "DRAM bytes"};

static struct table *new_table(unsigned columns, const char *title) {
  struct table *t = table_new(columns);
  for (unsigned i = 0; i < columns; i++) table_head(t, i, heads[i]);
  table_section(t, title);
  return t;
}

static void table_put_count(struct table *t, unsigned column, uint64_t n) {
  char buf[CELL];
  table_cell(t, column, text_count(buf, n));
}
static void table_put_ratio(struct table *t, unsigned column, uint64_t n, uint64_t of, unsigned decimals) {
  char buf[CELL];
  table_cell(t, column, text_ratio(buf, n, of, decimals));
}

/* cycles: what instructions per cycle refer to. */
static void result_put_cells(struct table *t, const struct config *c, const struct sm_stats *s, uint64_t cycles) {
  table_put_count(t, CYCLES, cycles);
  table_put_count(t, CTAS, s->ctas);
  table_put_count(t, INSNS, s->warp_insns);
  table_put_ratio(t, IPC, s->warp_insns, cycles, 3);
  table_put_ratio(t, ISSUED, s->slot_issued * 100, s->cycles * (uint64_t)c->sm_schedulers, 1);
  table_put_ratio(t, L1_HITS, s->l1_read_hits * 100, s->l1_reads, 1);
  table_put_count(t, L1_MISSES, c->l1_bytes ? s->l1_read_misses : NOT_MODELLED);
}

void result_print_sms(const struct run_result *r, const struct run_detail *d, FILE *f) {
  struct table *t = new_table(OF_SM, "SMs, over all launches; cycles: with a CTA, and until its stores are done");
  for (unsigned i = 0; i < d->sms; i++) {
    char label[24];
    snprintf(label, sizeof label, "SM %u", i);
    table_row(t, label, "");
    result_put_cells(t, &r->cfg, &d->sm[i], d->sm[i].cycles);
  }
  fputc('\n', f);
  table_print(t, f);
  table_free(t);
}

void result_print_launches(const struct run_result *r, const struct run_detail *d, FILE *f) {
  struct table *t =
      new_table(OF_LAUNCH, r->functional ? "launches" : "launches, over all SMs; cycles of the GPU's clock");
  for (unsigned i = 0; i < d->launches; i++) {
    const struct run_launch *l = &d->launch[i];
    char label[200], unit[120];
    snprintf(label, sizeof label, "%u %.40s%s", i, l->kernel, l->cut ? " (stopped)" : "");
    snprintf(unit, sizeof unit, "%u,%u,%u x %u,%u,%u", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
             l->block[2]);
    table_row(t, label, unit);
    if (!l->timed) {
      table_put_count(t, INSNS, l->sm.warp_insns);
      continue;
    }
    result_put_cells(t, &r->cfg, &l->sm, l->cycles);
    table_put_count(t, DRAM, (l->mem.dram_read_sectors + l->mem.dram_write_sectors) * 32);
  }
  fputc('\n', f);
  table_print(t, f);
  table_free(t);
}

/* ---- JSON ---- */

json_t *result_counters(const struct sm_stats *s) {
  json_t *o = json_object();
#define STAT(name, unit, text) json_put(o, #name, json_whole(s->name));
#include "gen/systems/stats.def"
  return o;
}

/* By their names in lab/run/columns.def. */
static json_t *memory_counters(const struct mem_stats *m) {
  const size_t at = offsetof(struct run_result, mem);
  json_t *o = json_object();
  for (unsigned i = 0; i < run_ncolumns; i++) {
    const struct column *c = &run_columns[i];
    uint64_t n;
    if (c->offset < at || c->offset >= at + sizeof *m) continue;
    memcpy(&n, (const char *)m + (c->offset - at), sizeof n);
    json_put(o, c->name, json_whole(n));
  }
  return o;
}

void result_put_counts(json_t *o, bool timed, uint64_t cycles, const struct sm_stats *sm, const struct mem_stats *mem) {
  json_put(o, "warp_instructions", json_whole(sm->warp_insns));
  json_put(o, "thread_instructions", json_whole(sm->thread_insns));
  json_put(o, "cycles", timed ? json_whole(cycles) : json_null());
  json_put(o, "ipc", timed ? json_ratio(sm->warp_insns, cycles) : json_null());
  json_put(o, "counters", timed ? result_counters(sm) : json_null());
  json_put(o, "memory", timed ? memory_counters(mem) : json_null());
}

json_t *result_triple(const uint32_t v[3]) {
  json_t *a = json_array();
  for (unsigned i = 0; i < 3; i++) json_array_append_new(a, json_whole(v[i]));
  return a;
}

json_t *result_sms_json(const struct run_detail *d) {
  json_t *all = json_array();
  for (unsigned i = 0; i < d->sms; i++) {
    json_t *o = json_object();
    json_put(o, "sm", json_whole(i));
    json_put(o, "cycles", json_whole(d->sm[i].cycles));
    json_put(o, "ipc", json_ratio(d->sm[i].warp_insns, d->sm[i].cycles));
    json_put(o, "counters", result_counters(&d->sm[i]));
    json_array_append_new(all, o);
  }
  return all;
}

json_t *result_launches_json(const struct run_detail *d) {
  json_t *all = json_array();
  for (unsigned i = 0; i < d->launches; i++) {
    const struct run_launch *l = &d->launch[i];
    json_t *o = json_object();
    json_put(o, "launch", json_whole(i));
    json_put(o, "kernel", json_text(l->kernel));
    json_put(o, "grid", result_triple(l->grid));
    json_put(o, "block", result_triple(l->block));
    json_put(o, "timed", json_boolean(l->timed));
    json_put(o, "stopped", json_boolean(l->cut));
    result_put_counts(o, l->timed, l->cycles, &l->sm, &l->mem);
    json_array_append_new(all, o);
  }
  return all;
}

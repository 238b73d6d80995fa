/* SPDX-License-Identifier: Apache-2.0 */
/* energy: see energy.h. */
#include "cost/energy.h"

#include <math.h>
#include <string.h>

#include "cost/blocks.h"
#include "cost/node.h"
#include "cost/sram.h"
#include "cost/cost.h"

enum { NODE_NM = 45 };

const char *const energy_component_key[ENERGY_SUMS] = {
#define X(name, label) #name,
    ENERGY_COMPONENTS(X)
#undef X
};
const char *const energy_component_label[ENERGY_SUMS] = {
#define X(name, label) label,
    ENERGY_COMPONENTS(X)
#undef X
};
const struct energy_line energy_lines[] = {
#define ENERGY(key, component, label, events, pj, source) {#key, label, source, ENERGY_##component},
#include "gen/systems/energy.def"
};
const unsigned nenergy_lines = sizeof energy_lines / sizeof *energy_lines;

/* An array of the model; one of more rows than it takes counts as its largest. */
static __attribute__((unused)) struct sram_figures energy_array_of(int64_t rows, uint32_t width) {
  struct sram_figures f = {0};
  struct err e = {0};
  const uint32_t n = rows > SRAM_ROWS_MAX ? SRAM_ROWS_MAX : rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : (uint32_t)rows;
  const struct sram a = {.rows = n, .width = width, .ports = SRAM_1R1W, .node = NODE_NM};
  if (!sram_figures(&a, &f, &e)) die("energy: %s", e.text);
  return f;
}

/* pJ at NODE_NM of a figure of cosim/records/energy.tsv. */
static double energy_scale(double pj) {
  struct node_factors k;
  struct err why = {0};
  if (!node_factors(LIBRARY_NODE, NODE_NM, &k, &why)) die("energy: %s", why.text);
  return pj * (cost_uses_larger_bound() ? k.energy.high : k.energy.low);
}

/* NAN: not recorded. */
static double energy_pick(bool recorded, const struct block_energy *e, bool clock) {
  return recorded ? energy_scale(clock ? e->clock_pj : e->event_pj) : NAN;
}

double energy_of_block(const char *block, bool clock) {
  struct block_energy e;
  return energy_pick(block_energy(block, &e), &e, clock);
}

/* Of a block at the sizes of this configuration, of all its instances: a cycle; of one of them: an event. 0 where it has none. */
static __attribute__((unused)) double energy_at_size(const struct config *c, const char *block, bool clock) {
  double pj = 0;
  struct block_energy e = {0};
  struct err why = {0};
  (void)c, (void)block, (void)clock, (void)e, (void)why; /* a build without any system (SYSTEM_DIRS) */
#define SIZE(name, value) {#name, (value)},
#define COST_BLOCK(system, part, n, ...)                                                                      \
  if (!strcmp(block, #system "/" #part) && (n)) {                                                             \
    const struct block_cost *at = block_cost(block, (const struct block_size[]){__VA_ARGS__{NULL, 0}}, &why); \
    pj = (clock ? (double)(n) : 1) * energy_pick(set_energy(at ? at->name : block, &e), &e, clock);           \
  }
#include "gen/systems/cost.def"
#undef SIZE
  return pj;
}

/* A bank of the register file, and the one that operands and results use: of a cache in front of it, at least the model's smallest. */
static bool banks_of(const struct config *c, struct sram_figures *bank, struct sram_figures *front, struct err *e) {
  struct err why = {0};
  const struct cost_facts facts = cost_facts(c);
  if (facts.unpriced) return err_at(e, NULL, 0, 0, "%.300s " UNPRICED_NOTE, facts.unpriced);
  if (facts.no_energy)
    return err_at(e, NULL, 0, 0, "not known%s%.600s", facts.missing ? "; not built: " : "",
                  facts.missing ? facts.missing : "");
  struct sram a = {.rows = (uint32_t)((c->rf_bytes - facts.file_elsewhere) / 128 / c->rf_banks),
                   .width = 1024,
                   .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W,
                   .node = NODE_NM};
  if (!sram_figures(&a, bank, &why)) return err_at(e, NULL, 0, 0, "a bank of the register file: %s", why.text);
  if (facts.cache_rows) a.rows = facts.cache_rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : (uint32_t)facts.cache_rows;
  return sram_figures(&a, front, e);
}

/* Operations of single lanes: pipes were busy for so many cycles, `interval` for an instruction, whose lanes are active as the mean. */
static double lane_operations(const struct sm_stats *s, uint64_t busy, int64_t interval) {
  return s->warp_insns ? (double)busy / (double)interval * (double)s->thread_insns / (double)s->warp_insns : 0;
}

bool energy_of(const struct config *c, const struct sm_stats *s, const struct mem_stats *m, struct energy *out,
               struct err *e) {
  struct sram_figures bank = {0}, front = {0};
  memset(out, 0, sizeof *out);
  if (!banks_of(c, &bank, &front, e)) return false;
  unsigned i = 0;
#define lanes(busy, interval) lane_operations(s, busy, interval)
#define CLOCK_OF(block) energy_of_block(block, true)
#define EVENT_OF(block) energy_of_block(block, false)
#define CLOCKS_AT_SIZE(block) energy_at_size(c, block, true)
#define EVENT_AT_SIZE(block) energy_at_size(c, block, false)
#define ENERGY(key, component, label, count, pj, source) out->events[i] = (double)(count), out->each[i++] = (pj);
#include "gen/systems/energy.def"
#undef lanes
  _Static_assert(sizeof energy_lines / sizeof *energy_lines <= MOST_ENERGY_LINES, "MOST_ENERGY_LINES is too small");
  for (i = 0; i < nenergy_lines; i++) {
    if (isnan(out->each[i]) && out->events[i] > 0)
      return err_at(e, NULL, 0, 0,
                    "found no energy of a %s, expected one in cosim/records/energy.tsv: make synth-energy-record",
                    energy_lines[i].label);
    if (isnan(out->each[i])) out->each[i] = 0; /* of a block that this SM does not have */
    out->sum[energy_lines[i].of] += out->events[i] * out->each[i];
    out->total += out->events[i] * out->each[i];
  }
  return true;
}

double energy_with(const struct energy *e, unsigned i, double times) {
  return e->total + (times - 1) * e->events[i] * e->each[i];
}

double energy_with_all(const struct energy *e, enum energy_component c, double times) {
  return e->total + (times - 1) * e->sum[c];
}

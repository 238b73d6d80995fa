/* SPDX-License-Identifier: Apache-2.0 */
/* cost: see cost.h. */
#include "cost/cost.h"

#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "sm/slots.h"

static struct part *new_part(struct system_cost *s) {
  if (s->n == COST_PARTS) die("cost: more than %d parts", COST_PARTS);
  struct part *p = &s->part[s->n++];
  *p = (struct part){0};
  return p;
}

static const char *cost_ports_text(enum sram_ports p) { return p == SRAM_1RW ? "1RW" : "1R1W"; }

/* An array that the model of cost/sram.h takes; false: it is too small for it. */
static bool in_the_model(const struct sram *a) { return a->rows >= SRAM_ROWS_MIN && a->width >= SRAM_WIDTH_MIN; }

static bool cost_add_array(struct system_cost *s, enum part_kind kind, uint32_t n, const struct sram *a,
                           const char *name, struct err *e) {
  struct sram_figures f;
  struct sram_count count;
  struct part *p = new_part(s);
  if (!sram_count(a, &count, e) || !sram_figures(a, &f, e)) return false;
  snprintf(p->name, sizeof p->name, "%s", name);
  p->kind = kind, p->n = n;
  p->memory_bits = n * count.bits;
  p->transistors = n * count.transistors;
  p->mm2 = (struct range){n * f.mm2, n * f.mm2};
  p->ns = (struct range){f.access_ns, f.access_ns};
  p->ports = cost_ports_text(a->ports);
  p->read_pj = f.read_pj, p->write_pj = f.write_pj;
  p->leakage_mw = n * f.leakage_mw;
  return true;
}

/* SRAM cells alone: 146 F^2, 294 F^2 with two ports (cost/sram.c). */
static double cells_mm2(const struct sram *a, uint32_t node) {
  const double f_mm = node * 1e-6, cell = (a->ports == SRAM_1R1W ? 15 * 19.6 : 10 * 14.6) * f_mm * f_mm;
  return (double)a->rows * a->width * cell;
}

/* Below: the SRAM cells alone; above: flip-flops of the library. */
static bool cost_add_small(struct system_cost *s, const struct node_factors *k, uint32_t n, const struct sram *a,
                           const char *name, struct err *e) {
  struct block_cost c;
  if (!memory_in_cells(a, &c))
    return err_at(
        e, NULL, 0, 0,
        "found no memory in flip-flops for one of %s, expected some in cosim/records/baseline.tsv (make synth-record)",
        name);
  struct part *p = new_part(s);
  snprintf(p->name, sizeof p->name, "%s", name);
  p->kind = PART_CELLS, p->n = n;
  p->memory_bits = (uint64_t)n * a->rows * a->width;
  p->transistors = n * c.transistors;
  p->mm2 = (struct range){n * cells_mm2(a, s->node), n * (double)c.area_um2 * 1e-6 * k->area.high};
  p->ns = range_times(c.ns, k->delay);
  return true;
}

static bool cost_add_block(struct system_cost *s, const struct node_factors *k, const char *block, int64_t n,
                           const struct block_size *size, struct err *e) {
  if (n <= 0) return true;
  const struct block_cost *c = block_cost(block, size, e);
  struct block_energy energy;
  struct memory m;
  if (!c) return false;
  struct part *p = new_part(s);
  snprintf(p->name, sizeof p->name, "%s", c->name);
  p->kind = PART_LOGIC, p->n = (uint32_t)n, p->block = c;
  p->earlier = c->earlier;
  p->flip_flops = (uint64_t)n * c->flip_flops;
  p->transistors = (uint64_t)n * c->transistors;
  p->mm2 = range_times((double)n * (double)c->area_um2 * 1e-6, k->area);
  p->ns = range_times(c->ns, k->delay);
  if (set_energy(c->name, &energy)) {
    p->event = energy.event;
    p->energy_earlier = energy.earlier;
    p->clock_pj = range_times(energy.clock_pj, k->energy);
    p->event_pj = range_times(energy.event_pj, k->energy);
  }
  for (const char *at = c->memories; memory_next(&at, &m);) {
    char name[64];
    const uint32_t all = m.instances * (uint32_t)n;
    m.array.node = s->node;
    snprintf(name, sizeof name, "%" PRIu32 " x %" PRIu32 " bits, %s", m.array.rows, m.array.width,
             cost_ports_text(m.array.ports));
    if (in_the_model(&m.array)) {
      /* a memory of more words than the model takes is several arrays */
      uint32_t parts = (m.array.rows + SRAM_ROWS_MAX - 1) / SRAM_ROWS_MAX;
      m.array.rows = (m.array.rows + parts - 1) / parts;
      if (!cost_add_array(s, PART_SRAM, all * parts, &m.array, name, e)) return false;
    } else if (!cost_add_small(s, k, all, &m.array, name, e)) {
      return false;
    }
  }
  return true;
}

/* Banks of fewer rows than the model takes: between their SRAM cells alone and its smallest array, whose access time and energies are
 * taken; of its leakage as much as they have of its rows. */
static bool cost_add_short(struct system_cost *s, uint32_t n, const struct sram *a, const char *name, struct err *e) {
  struct sram_count count;
  struct sram smallest = *a;
  smallest.rows = a->rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : a->rows;
  if (!sram_count(a, &count, e) || !cost_add_array(s, PART_SRAM, n, &smallest, name, e)) return false;
  struct part *p = &s->part[s->n - 1];
  p->memory_bits = n * count.bits;
  p->transistors = n * count.transistors;
  p->leakage_mw *= (double)a->rows / smallest.rows;
  if (a->rows < SRAM_ROWS_MIN) p->mm2.low = n * cells_mm2(a, s->node);
  return true;
}

/* Lines of 128 bytes, one port; in as few arrays as the model takes, and at least its smallest. */
static bool cost_add_cache(struct system_cost *s, int64_t bytes, const char *name, struct err *e) {
  if (bytes <= 0) return true;
  const uint32_t lines = (uint32_t)(bytes / 128), arrays = (lines + SRAM_ROWS_MAX - 1) / SRAM_ROWS_MAX;
  const uint32_t rows = arrays ? (lines + arrays - 1) / arrays : 0;
  const struct sram a = {
      .rows = rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : rows, .width = 1024, .ports = SRAM_1RW, .node = s->node};
  return cost_add_array(s, PART_CACHE, arrays ? arrays : 1, &a, name, e);
}

static void part_add(struct part *total, const struct part *p) {
  total->flip_flops += p->flip_flops;
  total->memory_bits += p->memory_bits;
  total->transistors += p->transistors;
  total->mm2 = range_sum(total->mm2, p->mm2);
  total->leakage_mw += p->leakage_mw;
  total->earlier |= p->earlier;
}

/* Its ports are as those of the register file's banks. */
static bool cost_add_register_cache(struct system_cost *s, const struct config *c, int64_t banks, int64_t rows,
                                    struct err *e) {
  if (!banks) return true;
  const struct sram a = {
      .rows = (uint32_t)rows, .width = 1024, .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W, .node = s->node};
  char name[64];
  snprintf(name, sizeof name, "cache, %" PRIu32 " x 1024 bits", a.rows);
  return cost_add_short(s, (uint32_t)banks, &a, name, e);
}

static _Thread_local bool asked;
bool cost_take_asked_flag(void) {
  const bool was = asked;
  asked = false;
  return was;
}

static _Thread_local bool larger_bound;
void cost_use_larger_bound(bool on) { larger_bound = on; }
bool cost_uses_larger_bound(void) { return larger_bound; }

struct cost_facts cost_facts(const struct config *c) {
  struct cost_facts f = {0};
  asked = true;
  (void)c; /* a build without any system (SYSTEM_DIRS) */
#define COST(when, member, value) \
  if (when) f.member = (value);
#include "gen/systems/cost.def"
  f.no_area |= f.unpriced != NULL;
  f.no_energy |= f.unpriced != NULL;
  return f;
}

bool cost_sizes_recorded(const struct config *c, struct err *e) {
  (void)c, (void)e; /* a build without any system (SYSTEM_DIRS) */
#define SIZE(name, value) {#name, (value)},
#define COST_BLOCK(system, block, n, ...) \
  if ((n) > 0 && !block_cost(#system "/" #block, (const struct block_size[]){__VA_ARGS__{NULL, 0}}, e)) return false;
#include "gen/systems/cost.def"
#undef SIZE
  return true;
}

bool system_cost(const struct config *c, uint32_t node, struct system_cost *s, struct err *e) {
  struct node_factors k;
  const struct cost_facts facts = cost_facts(c);
  struct slots slots;
  if (!slots_pick(c, &slots, e)) return machines_advised(c, e);
  memset(s, 0, sizeof *s);
  s->node = node;
  if (node != 45 && node != 40 && node != 32 && node != 28)
    return err_at(e, NULL, 0, 0,
                  "found a node of %" PRIu32 " nm, expected 45, 40, 32 or 28: there are factors and memories", node);
  if (!node_factors(LIBRARY_NODE, node, &k, e)) return false;
#define SIZE(name, value) {#name, (value)},
#define COST_BLOCK(system, block, n, ...)                                                                    \
  if (!cost_add_block(s, &k, #system "/" #block, (n), (const struct block_size[]){__VA_ARGS__{NULL, 0}}, e)) \
    return false;
#include "gen/systems/cost.def"
#undef SIZE
  if (!cost_add_register_cache(s, c, facts.cache_banks, facts.cache_rows, e)) return false;
  s->missing = facts.missing;
  s->unpriced = facts.unpriced;
  s->partial = facts.no_area;
  s->collectors = facts.without != NULL;
  const struct sram bank = {.rows = (uint32_t)((c->rf_bytes - facts.file_elsewhere) / 128 / c->rf_banks),
                            .width = 1024,
                            .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W,
                            .node = node};
  struct err why = {0};
  if (!cost_add_array(s, PART_FILE, (uint32_t)c->rf_banks, &bank, "register file's banks", &why))
    return err_at(e, NULL, 0, 0, "a bank of the register file: %s", why.text);
  if (facts.file_area > 0) s->part[s->n - 1].mm2 = range_times(facts.file_area, s->part[s->n - 1].mm2);
  if (!cost_add_cache(s, c->l1_bytes, "data of the L1", e) || !cost_add_cache(s, c->shared_bytes, "shared memory", e))
    return false;
  for (unsigned i = 0; i < s->n; i++) {
    const enum part_kind kind = s->part[i].kind;
    part_add(kind == PART_FILE ? &s->file : kind == PART_CACHE ? &s->cache : &s->blocks, &s->part[i]);
  }
  part_add(&s->total, &s->blocks);
  part_add(&s->total, &s->file);
  part_add(&s->total, &s->cache);
  return true;
}

const char *system_without(const struct config *c, const char **section) {
  const struct cost_facts f = cost_facts(c);
  *section = f.own_keys;
  return f.without ? f.without : "baseline";
}

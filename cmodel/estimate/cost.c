/* SPDX-License-Identifier: Apache-2.0 */
/* cost: see cost.h. */
#include "estimate/cost.h"

#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "report/table.h"
#include "sm/slots.h"

static struct part *new_part(struct system_cost *s) {
  if (s->n == COST_PARTS) die("cost: more than %d parts", COST_PARTS);
  struct part *p = &s->part[s->n++];
  *p = (struct part){0};
  return p;
}

/* An array that the model of cost/sram.h takes; false: it is too small for it. */
static bool in_the_model(const struct sram *a) { return a->rows >= SRAM_ROWS_MIN && a->width >= SRAM_WIDTH_MIN; }

static bool add_array(struct system_cost *s, enum part_kind kind, uint32_t n, const struct sram *a, const char *name,
                      struct err *e) {
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
static bool add_small(struct system_cost *s, const struct node_factors *k, uint32_t n, const struct sram *a,
                      const char *name, struct err *e) {
  struct block_cost c;
  if (!memory_in_cells(a, &c))
    return err_at(
        e, NULL, 0, 0,
        "found no memory in flip-flops for one of %s, expected some in synth/baseline.tsv (make synth-record)", name);
  struct part *p = new_part(s);
  snprintf(p->name, sizeof p->name, "%s", name);
  p->kind = PART_CELLS, p->n = n;
  p->memory_bits = (uint64_t)n * a->rows * a->width;
  p->transistors = n * c.transistors;
  p->mm2 = (struct range){n * cells_mm2(a, s->node), n * (double)c.area_um2 * 1e-6 * k->area.high};
  p->ns = range_times(c.ns, k->delay);
  return true;
}

static bool add_block(struct system_cost *s, const struct node_factors *k, const char *block, int64_t n,
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
             m.array.ports == SRAM_1RW ? "1RW" : "1R1W");
    if (in_the_model(&m.array)) {
      /* a memory of more words than the model takes is several arrays */
      uint32_t parts = (m.array.rows + SRAM_ROWS_MAX - 1) / SRAM_ROWS_MAX;
      m.array.rows = (m.array.rows + parts - 1) / parts;
      if (!add_array(s, PART_SRAM, all * parts, &m.array, name, e)) return false;
    } else if (!add_small(s, k, all, &m.array, name, e)) {
      return false;
    }
  }
  return true;
}

/* Banks of fewer rows than the model takes: between their SRAM cells alone and its smallest array, whose access time and energies are
 * taken; of its leakage as much as they have of its rows. */
static bool add_short(struct system_cost *s, uint32_t n, const struct sram *a, const char *name, struct err *e) {
  struct sram_count count;
  struct sram smallest = *a;
  smallest.rows = a->rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : a->rows;
  if (!sram_count(a, &count, e) || !add_array(s, PART_SRAM, n, &smallest, name, e)) return false;
  struct part *p = &s->part[s->n - 1];
  p->memory_bits = n * count.bits;
  p->transistors = n * count.transistors;
  p->leakage_mw *= (double)a->rows / smallest.rows;
  if (a->rows < SRAM_ROWS_MIN) p->mm2.low = n * cells_mm2(a, s->node);
  return true;
}

/* Lines of 128 bytes, one port; in as few arrays as the model takes, and at least its smallest. */
static bool add_cache(struct system_cost *s, int64_t bytes, const char *name, struct err *e) {
  if (bytes <= 0) return true;
  const uint32_t lines = (uint32_t)(bytes / 128), arrays = (lines + SRAM_ROWS_MAX - 1) / SRAM_ROWS_MAX;
  const uint32_t rows = arrays ? (lines + arrays - 1) / arrays : 0;
  const struct sram a = {
      .rows = rows < SRAM_ROWS_MIN ? SRAM_ROWS_MIN : rows, .width = 1024, .ports = SRAM_1RW, .node = s->node};
  return add_array(s, PART_CACHE, arrays ? arrays : 1, &a, name, e);
}

static void sum(struct part *total, const struct part *p) {
  total->flip_flops += p->flip_flops;
  total->memory_bits += p->memory_bits;
  total->transistors += p->transistors;
  total->mm2 = range_sum(total->mm2, p->mm2);
  total->leakage_mw += p->leakage_mw;
  total->earlier |= p->earlier;
}

/* Its ports are as those of the register file's banks. */
static bool add_register_cache(struct system_cost *s, const struct config *c, int64_t banks, int64_t rows,
                               struct err *e) {
  if (!banks) return true;
  const struct sram a = {
      .rows = (uint32_t)rows, .width = 1024, .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W, .node = s->node};
  char name[64];
  snprintf(name, sizeof name, "cache, %" PRIu32 " x 1024 bits", a.rows);
  return add_short(s, (uint32_t)banks, &a, name, e);
}

struct cost_facts cost_facts(const struct config *c) {
  struct cost_facts f = {0};
  (void)c; /* a build without any system (SYSTEM_DIRS) */
#define COST(when, member, value) \
  if (when) f.member = (value);
#include "gen/systems/cost.def"
  return f;
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
#define COST_BLOCK(system, block, n, ...) \
  if (!add_block(s, &k, #system "/" #block, (n), (const struct block_size[]){__VA_ARGS__{NULL, 0}}, e)) return false;
#include "gen/systems/cost.def"
#undef SIZE
  if (!add_register_cache(s, c, facts.cache_banks, facts.cache_rows, e)) return false;
  s->missing = facts.missing;
  s->partial = facts.no_area;
  s->collectors = facts.without != NULL;
  const struct sram bank = {.rows = (uint32_t)((c->rf_bytes - facts.file_elsewhere) / 128 / c->rf_banks),
                            .width = 1024,
                            .ports = c->rf_single_port ? SRAM_1RW : SRAM_1R1W,
                            .node = node};
  struct err why = {0};
  if (!add_array(s, PART_FILE, (uint32_t)c->rf_banks, &bank, "register file's banks", &why))
    return err_at(e, NULL, 0, 0, "a bank of the register file: %s", why.text);
  if (facts.file_area > 0) s->part[s->n - 1].mm2 = range_times(facts.file_area, s->part[s->n - 1].mm2);
  if (!add_cache(s, c->l1_bytes, "data of the L1", e) || !add_cache(s, c->shared_bytes, "shared memory", e))
    return false;
  for (unsigned i = 0; i < s->n; i++) {
    const enum part_kind kind = s->part[i].kind;
    sum(kind == PART_FILE ? &s->file : kind == PART_CACHE ? &s->cache : &s->blocks, &s->part[i]);
  }
  sum(&s->total, &s->blocks);
  sum(&s->total, &s->file);
  sum(&s->total, &s->cache);
  return true;
}

const char *system_without(const struct config *c, const char **section) {
  const struct cost_facts f = cost_facts(c);
  *section = f.own_keys;
  return f.without ? f.without : "baseline";
}

/* ---- the table ---- */

enum { N, FF, MEMORY, TRANSISTORS, AREA, PATH, COLUMNS };

static void span(char buf[CELL], struct range r, unsigned decimals) {
  if (r.high - r.low < 1e-9) snprintf(buf, CELL, "%.*f", (int)decimals, r.low);
  else snprintf(buf, CELL, "%.*f to %.*f", (int)decimals, r.low, (int)decimals, r.high);
}

/* A cell with a figure; one of earlier Verilog has a ~. */
static void figure(struct table *t, unsigned column, const char *text, bool earlier) {
  char buf[CELL + 2];
  snprintf(buf, sizeof buf, "%s%s", text, earlier ? "~" : "");
  table_cell(t, column, buf);
}

static void row(struct table *t, const struct part *p, const char *name) {
  char buf[CELL];
  table_row(t, name, "");
  if (p->n) table_cell(t, N, text_count(buf, p->n));
  figure(t, FF, text_count(buf, p->flip_flops), p->earlier);
  table_cell(t, MEMORY, text_count(buf, p->memory_bits));
  figure(t, TRANSISTORS, text_count(buf, p->transistors), p->earlier);
  span(buf, p->mm2, 4);
  figure(t, AREA, buf, p->earlier);
  span(buf, p->ns, 2);
  if (p->ns.high > 0) figure(t, PATH, buf, p->earlier);
}

static bool has_part(const struct system_cost *s, const char *name) {
  for (unsigned i = 0; i < s->n; i++)
    if (!strcmp(s->part[i].name, name)) return true;
  return false;
}

/* A line with what ~ means and the commands that renew such figures, of this system and of `plain` (NULL: none); no line without a ~. */
static void earlier_line(const struct system_cost *s, const struct system_cost *plain, bool energy, FILE *f) {
  const char *before = "~: recorded of earlier Verilog of the block. To renew it: ";
  for (unsigned i = 0; i < s->n + (plain ? plain->n : 0); i++) {
    const struct part *p = i < s->n ? &s->part[i] : &plain->part[i - s->n];
    if (!(energy ? p->energy_earlier : p->earlier) || (i >= s->n && has_part(s, p->name))) continue;
    const int block = (int)strcspn(p->name, "@");
    fprintf(f, "%smake synth-%srecord BLOCK=%.*s%s%s", before, energy ? "energy-" : "", block, p->name,
            p->name[block] ? " SETS=" : "", p->name[block] ? p->name + block + 1 : "");
    before = "; ";
  }
  if (*before == ';') fputc('\n', f);
}

/* Name of a part in the tables; a memory stands below its block. */
static const char *label(const struct part *p, char name[96]) {
  if (p->kind == PART_FILE) snprintf(name, 96, "%" PRIu64 " bits a bank", p->memory_bits / p->n);
  else snprintf(name, 96, "%s%s%s", p->kind == PART_LOGIC ? "" : "  ", p->name, p->kind == PART_CELLS ? " *" : "");
  return name;
}

static void energies(const struct system_cost *s, FILE *f) {
  enum { CLOCK, EVENT, OF, LEAKAGE, ALL };
  static const char *const head[ALL] = {"pJ a cycle", "pJ an event", "event", "leakage, mW"};
  struct table *t = table_new(ALL);
  char name[96], buf[CELL];
  for (unsigned i = 0; i < ALL; i++) table_head(t, i, head[i]);
  table_section(t, "energy of one instance");
  for (unsigned i = 0; i < s->n; i++) {
    const struct part *p = &s->part[i];
    if (p->kind == PART_CELLS) continue;
    table_row(t, label(p, name), "");
    if (p->event && p->clock_pj.high > 0) span(buf, p->clock_pj, 2), figure(t, CLOCK, buf, p->energy_earlier);
    if (p->event) span(buf, p->event_pj, 2), figure(t, EVENT, buf, p->energy_earlier), table_cell(t, OF, p->event);
    if (p->read_pj <= 0) continue;
    snprintf(buf, sizeof buf, "%.1f, %.1f", p->read_pj, p->write_pj);
    table_cell(t, EVENT, buf), table_cell(t, OF, "read, write");
    snprintf(buf, sizeof buf, "%.2f", p->leakage_mw / p->n);
    table_cell(t, LEAKAGE, buf);
  }
  fputc('\n', f);
  table_print(t, f);
  table_free(t);
  fprintf(
      f,
      "\nEnergy of logic: transitions of the mapped netlist of each block's set, or of its first one where that is "
      "not recorded (synth/energy.tsv), scaled;\na cycle in which only clocks move, which are not gated, and what an "
      "event adds.\n");
  earlier_line(s, NULL, true, f);
}

void system_cost_print(const struct system_cost *s, const struct config *c, const struct system_cost *plain, FILE *f) {
  static const char *const head[COLUMNS] = {"instances", "flip-flops", "memory bits", "transistors", "mm2", "path, ns"};
  struct table *t = table_new(COLUMNS);
  char name[96];
  bool small = false;
  fprintf(f, "regtwin %s   %s on %s, one SM, at %" PRIu32 " nm\n\n", RT_VERSION, SHOWN(c->system), SHOWN(c->machine),
          s->node);
  for (unsigned i = 0; i < COLUMNS; i++) table_head(t, i, head[i]);
  table_section(t, "blocks of the system");
  for (unsigned i = 0; i < s->n; i++) {
    const struct part *p = &s->part[i];
    if (p->kind == PART_FILE || p->kind == PART_CACHE) continue;
    small |= p->kind == PART_CELLS;
    row(t, p, label(p, name));
  }
  row(t, &s->blocks, "together");
  table_section(t, "register file");
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_FILE) row(t, &s->part[i], label(&s->part[i], name));
  table_section(t, "L1 and shared memory");
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_CACHE) row(t, &s->part[i], s->part[i].name);
  row(t, &s->total, "all");
  table_print(t, f);
  table_free(t);
  fprintf(f,
          "\nArea and path of logic: OSU's 0.18 um cells, scaled; from the published factor to ideal scaling "
          "(docs/cost.md).\n"
          "Path of a memory: its access time.%s\n",
          small ? " *: too small for the model of memories: from SRAM cells alone to flip-flops." : "");
  earlier_line(s, plain, false, f);
  fprintf(f, "Not in it: schedulers, scoreboards, warps' contexts, %scrossbar, tags of the L1.%s%s%s\n",
          s->collectors ? "" : "collector units, ", s->missing ? " Nor: " : "", s->missing ? s->missing : "",
          s->missing ? "." : "");
  if (!plain) return energies(s, f);
  const struct range more = {s->total.mm2.low - plain->total.mm2.low, s->total.mm2.high - plain->total.mm2.high};
  const char *section, *without = system_without(c, &section);
  const char *mark = s->total.earlier || plain->total.earlier ? "~" : "";
  fprintf(f, "More than the same machine without the system%s%s%s: %+.4f to %+.4f%s mm2", section ? " (" : "",
          section ? without : "", section ? ")" : "", more.low, more.high, mark);
  /* the SM's area is that of a chip of 40 nm */
  if (s->node >= 40)
    fprintf(f, ", %+.2f to %+.2f%s %% of a Fermi's SM of %g mm2", 100 * more.low / SM_MM2, 100 * more.high / SM_MM2,
            mark, SM_MM2);
  fputc('\n', f);
  energies(s, f);
}

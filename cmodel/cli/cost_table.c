/* SPDX-License-Identifier: Apache-2.0 */
/* cost_table: see cost_table.h. */
#include "cli/cost_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/show.h"
#include "cli/cli.h"
#include "lab/report/table.h"

enum { N, FF, MEMORY, TRANSISTORS, AREA, PATH, COLUMNS };

static void range_print(char buf[CELL], struct range r, unsigned decimals) {
  if (r.high - r.low < 1e-9) snprintf(buf, CELL, "%.*f", (int)decimals, r.low);
  else snprintf(buf, CELL, "%.*f to %.*f", (int)decimals, r.low, (int)decimals, r.high);
}

/* A cell with a figure; one of earlier Verilog has a ~. */
static void cost_figure_cell(struct table *t, unsigned column, const char *text, bool earlier) {
  char buf[CELL + 2];
  snprintf(buf, sizeof buf, "%s%s", text, earlier ? "~" : "");
  table_cell(t, column, buf);
}

static void part_row(struct table *t, const struct part *p, const char *name) {
  char buf[CELL];
  table_row(t, name, "");
  if (p->n) table_cell(t, N, text_count(buf, p->n));
  cost_figure_cell(t, FF, text_count(buf, p->flip_flops), p->earlier);
  table_cell(t, MEMORY, text_count(buf, p->memory_bits));
  cost_figure_cell(t, TRANSISTORS, text_count(buf, p->transistors), p->earlier);
  range_print(buf, p->mm2, 4);
  cost_figure_cell(t, AREA, buf, p->earlier);
  range_print(buf, p->ns, 2);
  if (p->ns.high > 0) cost_figure_cell(t, PATH, buf, p->earlier);
}

bool cost_blocks_known(const struct system_cost *s) {
  bool known = !s->partial;
  for (unsigned i = 0; i < s->n; i++) known |= s->part[i].kind != PART_FILE && s->part[i].kind != PART_CACHE;
  return known;
}

static bool cost_has_part(const struct system_cost *s, const char *name) {
  for (unsigned i = 0; i < s->n; i++)
    if (!strcmp(s->part[i].name, name)) return true;
  return false;
}

/* A line with what ~ means and the commands that renew such figures, of this system and of `plain` (NULL: none); no line without a ~. */
static void earlier_line(const struct system_cost *s, const struct system_cost *plain, bool energy, FILE *f) {
  const char *before = "~: recorded of earlier Verilog of the block. To renew it: ";
  for (unsigned i = 0; i < s->n + (plain ? plain->n : 0); i++) {
    const struct part *p = i < s->n ? &s->part[i] : &plain->part[i - s->n];
    if (!(energy ? p->energy_earlier : p->earlier) || (i >= s->n && cost_has_part(s, p->name))) continue;
    const int block = (int)strcspn(p->name, "@");
    fprintf(f, "%smake synth-%srecord BLOCK=%.*s%s%s", before, energy ? "energy-" : "", block, p->name,
            p->name[block] ? " SETS=" : "", p->name[block] ? p->name + block + 1 : "");
    before = "; ";
  }
  if (*before == ';') fputc('\n', f);
}

/* Name of a part in the tables; a memory stands below its block. */
static const char *part_label(const struct part *p, char name[96]) {
  if (p->kind == PART_FILE) snprintf(name, 96, "%" PRIu64 " bits a bank, %s", p->memory_bits / p->n, p->ports);
  else snprintf(name, 96, "%s%s%s", p->kind == PART_LOGIC ? "" : "  ", p->name, p->kind == PART_CELLS ? " *" : "");
  return name;
}

/* A row without figures for each block that has no cost. */
static void cost_add_unpriced(struct table *t, const char *names) {
  for (const char *rest = names; rest;) {
    char name[64];
    rest = list_take_word(rest + strspn(rest, " "), name, sizeof name);
    if (name[0]) table_row(t, name, "");
  }
}

static void cost_print_energies(const struct system_cost *s, FILE *f) {
  enum { CLOCK, EVENT, OF, LEAKAGE, ALL };
  static const char *const head[ALL] = {"pJ a cycle", "pJ an event", "event", "leakage, mW"};
  struct table *t = table_new(ALL);
  char name[96], buf[CELL];
  for (unsigned i = 0; i < ALL; i++) table_head(t, i, head[i]);
  table_section(t, "energy of one instance");
  for (unsigned i = 0; i < s->n; i++) {
    const struct part *p = &s->part[i];
    if (p->kind == PART_CELLS) continue;
    table_row(t, part_label(p, name), "");
    if (p->event && p->clock_pj.high > 0)
      range_print(buf, p->clock_pj, 2), cost_figure_cell(t, CLOCK, buf, p->energy_earlier);
    if (p->event)
      range_print(buf, p->event_pj, 2), cost_figure_cell(t, EVENT, buf, p->energy_earlier), table_cell(t, OF, p->event);
    if (p->read_pj <= 0) continue;
    snprintf(buf, sizeof buf, "%.1f, %.1f", p->read_pj, p->write_pj);
    table_cell(t, EVENT, buf), table_cell(t, OF, "read, write");
    snprintf(buf, sizeof buf, "%.2f", p->leakage_mw / p->n);
    table_cell(t, LEAKAGE, buf);
  }
  fputc('\n', f);
  table_print(t, f);
  table_free(t);
  fprintf(f,
          "\nEnergy of logic: transitions of the mapped netlist of each block's set, or of its first one where that is "
          "not recorded (cosim/records/energy.tsv), scaled;\na cycle in which only clocks move, which are not gated, "
          "and what an "
          "event adds.\n");
  earlier_line(s, NULL, true, f);
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_LOGIC && !s->part[i].event)
      fprintf(f, "No energies of %s are recorded, so a run has no energy: make synth-energy-record BLOCK=%.*s\n",
              s->part[i].name, (int)strcspn(s->part[i].name, "@"), s->part[i].name);
}

void system_cost_print(const struct priced *x, FILE *f) {
  const struct system_cost *s = &x->s, *plain = x->why[0] ? NULL : &x->plain;
  const struct config *c = &x->c;
  static const char *const head[COLUMNS] = {"instances", "flip-flops", "memory bits", "transistors", "mm2", "path, ns"};
  struct table *t = table_new(COLUMNS);
  char name[96];
  bool small = false;
  fprintf(f, "regtwin %s   %s on %s, one SM, at %" PRIu32 " nm\n\n", RT_VERSION, SHOWN(x->label), SHOWN(c->machine),
          s->node);
  for (unsigned i = 0; i < COLUMNS; i++) table_head(t, i, head[i]);
  table_section(t, "blocks of the system");
  for (unsigned i = 0; i < s->n; i++) {
    const struct part *p = &s->part[i];
    if (p->kind == PART_FILE || p->kind == PART_CACHE) continue;
    small |= p->kind == PART_CELLS;
    part_row(t, p, part_label(p, name));
  }
  cost_add_unpriced(t, s->unpriced);
  if (cost_blocks_known(s)) part_row(t, &s->blocks, "together");
  else table_row(t, "together", "");
  table_section(t, "register file");
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_FILE) part_row(t, &s->part[i], part_label(&s->part[i], name));
  table_section(t, "L1 and shared memory");
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_CACHE) part_row(t, &s->part[i], s->part[i].name);
  part_row(t, &s->total, s->partial ? "all, at least" : "all");
  table_print(t, f);
  table_free(t);
  fprintf(f,
          "\nArea and path of logic: OSU's 0.18 um cells, scaled; from the published factor to ideal scaling "
          "(docs/use/cost.md).\n"
          "Path of a memory: its access time.%s\n",
          small ? " *: too small for the model of memories: from SRAM cells alone to flip-flops." : "");
  earlier_line(s, plain, false, f);
  if (s->unpriced) fprintf(f, "%s " UNPRICED_NOTE "\n", s->unpriced);
  fprintf(f, "Not in it: schedulers, scoreboards, warps' contexts, %scrossbar, tags of the L1.%s%s%s\n",
          s->collectors ? "" : "collector units, ", s->missing ? " Nor: " : "", s->missing ? s->missing : "",
          s->missing ? "." : "");
  if (!plain) return cost_print_energies(s, f);
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
  cost_print_energies(s, f);
}

/* ---- several systems */

enum { MORE_BITS, MORE_AREA, MORE_PART, LONGEST, MORE_COLUMNS };

static uint64_t cost_storage_bits(const struct part *p) { return p->flip_flops + p->memory_bits; }

static void difference_print(char buf[CELL], uint64_t a, uint64_t b) {
  char digits[CELL];
  snprintf(buf, CELL, "%s%.30s", a < b ? "-" : "", text_count(digits, a < b ? b - a : a - b));
}

/* Of the system's logic; memories have no path but their access time. */
static struct range cost_longest_path(const struct system_cost *s) {
  struct range most = {0};
  for (unsigned i = 0; i < s->n; i++)
    if (s->part[i].kind == PART_LOGIC && s->part[i].ns.high > most.high) most = s->part[i].ns;
  return most;
}

static void priced_row(struct table *t, const struct priced *p, bool machine) {
  const struct part *all = &p->s.total, *plain = &p->plain.total;
  const struct range more = {all->mm2.low - plain->mm2.low, all->mm2.high - plain->mm2.high};
  const struct range path = cost_longest_path(&p->s);
  const bool earlier = all->earlier || plain->earlier;
  char buf[CELL];
  table_row(t, p->label, machine ? p->c.machine : "");
  if (p->why[0]) return;
  difference_print(buf, cost_storage_bits(all), cost_storage_bits(plain));
  cost_figure_cell(t, MORE_BITS, buf, earlier);
  range_print(buf, more, 4);
  cost_figure_cell(t, MORE_AREA, buf, earlier);
  range_print(buf, range_times(100 / SM_MM2, more), 2);
  if (p->s.node >= 40) cost_figure_cell(t, MORE_PART, buf, earlier); /* the SM's area is that of a chip of 40 nm */
  range_print(buf, path, 2);
  if (path.high > 0) cost_figure_cell(t, LONGEST, buf, all->earlier);
}

/* Prints a text in lines of at most 78 characters, all but the first one indented. */
static void cost_print_wrapped(const char *text, FILE *f) {
  unsigned at = 0;
  for (const char *word = text; *word;) {
    const unsigned n = (unsigned)strcspn(word, " ");
    if (at && at + 1 + n > 78) at = 0, fputs("\n  ", f);
    else if (at) fputc(' ', f);
    fprintf(f, "%.*s", (int)n, word);
    at += n + 1 + (at ? 0 : 2);
    word += n;
    word += strspn(word, " ");
  }
  fputc('\n', f);
}

void systems_cost_print(const struct priced *p, unsigned n, FILE *f) {
  static const char *const head[MORE_COLUMNS] = {"storage bits", "mm2", "% of an SM *", "path, ns"};
  struct table *t = table_new(MORE_COLUMNS);
  bool machines = false, earlier = false;
  for (unsigned i = 1; i < n; i++) machines |= strcmp(p[i].c.machine, p[0].c.machine) != 0;
  for (unsigned i = 0; i < MORE_COLUMNS; i++) table_head(t, i, head[i]);
  table_section(t, "more than the same machine without the system");
  for (unsigned i = 0; i < n; i++) {
    priced_row(t, &p[i], machines);
    earlier |= !p[i].why[0] && (p[i].s.total.earlier || p[i].plain.total.earlier);
  }
  fprintf(f, "regtwin %s   ", RT_VERSION);
  if (n == 1) fputs(SHOWN(p[0].label), f);
  else fprintf(f, "%u systems", n);
  fprintf(f, " on %s, one SM, at %" PRIu32 " nm\n\n", machines ? "their machines" : SHOWN(p[0].c.machine), p[0].s.node);
  table_print(t, f);
  table_free(t);
  fprintf(f, "\n*: of %g mm2, a Fermi's SM. Ranges: from the published factor to ideal scaling.\n", SM_MM2);
  for (unsigned i = 0; i < n; i++) {
    const char *missing = p[i].s.missing;
    char text[1400];
    snprintf(text, sizeof text, "%.100s: not %s%s%s%.500s", p[i].label, p[i].why[0] ? "known: " : "in it", p[i].why,
             missing ? ": " : "", missing ? missing : "");
    if (p[i].why[0] || missing) cost_print_wrapped(SHOWN(text), f);
  }
  if (earlier) cost_print_wrapped("~: " EARLIER_NOTE, f);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* blocks: see blocks.h. */
#include "cost/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct block_cost block_costs[] = {
#define BLOCK(name, ...) {name, __VA_ARGS__},
#include "gen/cost/blocks.def"
#undef BLOCK
};
static const unsigned nblock_costs = sizeof block_costs / sizeof *block_costs;

static _Thread_local bool given_earlier;
bool block_take_earlier_flag(void) {
  const bool was = given_earlier;
  given_earlier = false;
  return was;
}

static bool of_block(const struct block_cost *c, const char *block) {
  const size_t n = strlen(block);
  return !strncmp(c->name, block, n) && (!c->name[n] || c->name[n] == '@');
}

static bool block_has_size(const struct block_cost *c, const struct block_size *size) {
  char want[96], all[512];
  snprintf(all, sizeof all, " %s ", c->parameter);
  for (; size->name; size++) {
    snprintf(want, sizeof want, " %s=%" PRId64 " ", size->name, size->value);
    if (!strstr(all, want)) return false;
  }
  return true;
}

/* The first set before others. */
const struct block_cost *block_cost(const char *block, const struct block_size *size, struct err *e) {
  char found[256] = "";
  bool any = false;
  for (unsigned i = 0; i < nblock_costs; i++) {
    if (!of_block(&block_costs[i], block)) continue;
    if (block_has_size(&block_costs[i], size)) {
      given_earlier |= block_costs[i].earlier;
      return &block_costs[i];
    }
    any = true;
  }
  for (const struct block_size *s = size; s->name; s++)
    snprintf(found + strlen(found), sizeof found - strlen(found), " %s=%" PRId64, s->name, s->value);
  if (!any)
    err_at(e, NULL, 0, 0, "found no cost of %s, expected it in cosim/records/baseline.tsv: make synth-record BLOCK=%s",
           block, block);
  else
    err_at(
        e, NULL, 0, 0,
        "found %s at%s, which nobody has synthesized, expected a set of it in cmodel/blocks/%s.def, SET(name, \"%s\"), "
        "and its cost: make synth-record BLOCK=%s SETS=name",
        block, found, block, found[0] ? found + 1 : "", block);
  return NULL;
}

bool memory_next(const char **at, struct memory *m) {
  char ports[8];
  int n = 0;
  *m = (struct memory){0};
  if (sscanf(*at, " %" SCNu32 "*%4[1rw]:%" SCNu32 "x%" SCNu32 "%n", &m->instances, ports, &m->array.rows,
             &m->array.width, &n) != 4)
    return false;
  m->array.ports = strcmp(ports, "1rw") ? SRAM_1R1W : SRAM_1RW;
  *at += n;
  return true;
}

bool memory_in_cells(const struct sram *a, struct block_cost *out) {
  char name[64];
  const double bits = (double)a->rows * a->width;
  double per_bit = 0;
  snprintf(name, sizeof name, "common/ram_%s@%" PRIu32 "x%" PRIu32, a->ports == SRAM_1RW ? "1rw" : "1r1w", a->rows,
           a->width);
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; i < nblock_costs; i++) {
    const struct block_cost *c = &block_costs[i];
    uint32_t rows, width;
    if (!strcmp(c->name, name)) {
      *out = *c;
      return true;
    }
    if (sscanf(c->name, "common/ram_%*[1rw]@%" SCNu32 "x%" SCNu32, &rows, &width) != 2) continue;
    const double each = (double)c->area_um2 / ((double)rows * width);
    if (each <= per_bit) continue;
    per_bit = each;
    out->area_um2 = (uint64_t)(each * bits + 0.5);
    out->transistors = (uint64_t)((double)c->transistors / ((double)rows * width) * bits + 0.5);
  }
  return per_bit > 0;
}

struct energy_row {
  const char *name;
  bool streams;
  struct block_energy e;
};
static const struct energy_row energy_rows[] = {
#define ENERGY_ROW(name, streams, what, clock, event, earlier) {name, streams, {what, clock, event, earlier}},
#include "gen/cost/energy.def"
#undef ENERGY_ROW
};
enum { ENERGY_ROWS = sizeof energy_rows / sizeof *energy_rows };

bool block_energy(const char *block, struct block_energy *out) {
  bool any = false;
  for (unsigned i = 0; i < ENERGY_ROWS; i++)
    if (!strcmp(energy_rows[i].name, block) && (!any || energy_rows[i].streams)) *out = energy_rows[i].e, any = true;
  given_earlier |= any && out->earlier;
  return any;
}

bool set_energy(const char *name, struct block_energy *out) {
  char first[64];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(name, "@"), name);
  return block_energy(name, out) || block_energy(first, out);
}

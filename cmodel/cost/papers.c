/* SPDX-License-Identifier: Apache-2.0 */
/* papers: see papers.h. */
#include "cost/papers.h"

#include <math.h>

#include "cost/blocks.h"

/* Of a block at its first set; NaN: nothing recorded. A build without a system (SYSTEM_DIRS) does not use all of them. */
static const struct block_cost *block_first_cost(const char *block) {
  static const struct block_size none[] = {{NULL, 0}};
  struct err e = {0};
  return block_cost(block, none, &e);
}
static __attribute__((unused)) double block_flip_flops(const char *block) {
  const struct block_cost *c = block_first_cost(block);
  return c ? (double)c->flip_flops : NAN;
}
static __attribute__((unused)) double block_memory_bits(const char *block) {
  const struct block_cost *c = block_first_cost(block);
  return c ? (double)c->memory_bits : NAN;
}
static __attribute__((unused)) double block_transistors(const char *block) {
  const struct block_cost *c = block_first_cost(block);
  return c ? (double)c->transistors : NAN;
}
/* Of the memories of that many words and bits. */
static __attribute__((unused)) double block_sized_memory_bits(const char *block, uint32_t rows, uint32_t width) {
  const struct block_cost *c = block_first_cost(block);
  double bits = 0;
  struct memory m;
  for (const char *at = c ? c->memories : "-"; memory_next(&at, &m);)
    if (m.array.rows == rows && m.array.width == width) bits += (double)m.instances * rows * width;
  return c ? bits : NAN;
}

const struct cost_item *cost_items(unsigned *n) {
  enum { MOST = 64 };
  static struct cost_item item[MOST];
  unsigned k = 0;
  block_take_earlier_flag();
#define FLIP_FLOPS(block) block_flip_flops(block)
#define MEMORY_BITS(block) block_memory_bits(block)
#define BITS(block) (block_flip_flops(block) + block_memory_bits(block))
#define MEMORY(block, rows, width) block_sized_memory_bits(block, rows, width)
#define TRANSISTORS(block) block_transistors(block)
#define ITEM(system, name, unit, stated, items, built, note)                                     \
  if (k == MOST) die("papers: more than %d items", MOST);                                        \
  item[k] = (struct cost_item){#system, name, unit, stated, (items), round(built), note, false}; \
  item[k++].earlier = block_take_earlier_flag();
#include "gen/systems/cost.def"
  *n = k;
  return item;
}

void papers_cost_tsv(FILE *f) {
  unsigned n;
  const struct cost_item *item = cost_items(&n);
  fprintf(f, "system\titem\tunit\tpaper\titems\tbuilt\tnote\tearlier_verilog\n");
  for (unsigned i = 0; i < n; i++) {
    fprintf(f, "%s\t%s\t%s\t%s\t", item[i].system, item[i].item, item[i].unit, item[i].stated);
    if (item[i].items > 0) fprintf(f, "%.0f", item[i].items);
    else fputc('-', f);
    if (isnan(item[i].built)) fprintf(f, "\t-\t%s\t-\n", item[i].note);
    else fprintf(f, "\t%.0f\t%s\t%s\n", item[i].built, item[i].note, item[i].earlier ? "yes" : "no");
  }
}

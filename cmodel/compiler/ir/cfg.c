/* SPDX-License-Identifier: Apache-2.0 */
/* cfg: see cfg.h. */
#include "compiler/ir/cfg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* ---- of a kernel ---- */

bool insn_far(const struct insn *i) {
  if (i->op == OP_LD) return i->space == SP_GLOBAL || i->space == SP_LOCAL || i->space == SP_GENERIC;
  if (insn_texture(i)) return i->op != OP_SUST;
  return i->op == OP_ATOM && i->space != SP_SHARED;
}

static void cfg_add_insn(struct cfg *g, uint32_t i) {
  const struct insn *in = &g->code->insn[i];
  const struct op *op = &g->code->op[i];
  g->insn[i] = (struct cfg_insn){.pc = op->pc, .line = in->line, .col = in->col};
  memcpy(g->regs[i], op->need, sizeof(regset));
  for (unsigned k = 0; insn_far(in) && k < op->ndst; k++) set_add(g->far[i], op->dst[k]);
}

void cfg_of_code(const struct code *c, struct cfg *g) {
  struct graph from;
  graph_build(c, &from);
  *g = (struct cfg){.file = c->file, .code = c, .nfunc = 1, .nblock = from.n, .n = c->n};
  g->func = xcalloc(1, sizeof *g->func);
  g->block = xcalloc(from.n, sizeof *g->block);
  g->succ = xcalloc(2 * (size_t)from.n, sizeof *g->succ);
  g->insn = xcalloc(c->n, sizeof *g->insn);
  g->regs = xcalloc(c->n, sizeof *g->regs);
  g->far = xcalloc(c->n, sizeof *g->far);
  g->func[0] = (struct cfg_func){.name = c->name, .end = from.n, .insn_bytes = 8};
  for (uint32_t b = 0; b < from.n; b++) {
    const struct block *k = &from.block[b];
    g->block[b] = (struct cfg_block){.first = k->first, .end = k->end, .succ = g->nsucc, .nsucc = k->nsucc};
    for (uint32_t s = 0; s < k->nsucc; s++) g->succ[g->nsucc++] = k->succ[s];
  }
  for (uint32_t i = 0; i < c->n; i++) cfg_add_insn(g, i);
  graph_free(&from);
}

void cfg_free(struct cfg *g) {
  free(g->func);
  free(g->block);
  free(g->succ);
  free(g->insn);
  free(g->regs);
  free(g->far);
  *g = (struct cfg){0};
}

/* ---- look-ups ---- */

void cfg_text(const struct cfg *g, uint32_t insn, char *buf, size_t size) {
  if (g->insn[insn].text) snprintf(buf, size, "%s", g->insn[insn].text);
  else insn_print(g->code, insn, buf, (unsigned)size);
}

void cfg_block_name(const struct cfg *g, uint32_t block, char *buf, size_t size) {
  if (g->block[block].name) snprintf(buf, size, "%s", g->block[block].name);
  else snprintf(buf, size, "B%" PRIu32, block - g->func[cfg_func_of(g, block)].first);
}

uint32_t cfg_func_of(const struct cfg *g, uint32_t block) {
  uint32_t low = 0, high = g->nfunc;
  while (high - low > 1) {
    const uint32_t mid = low + (high - low) / 2;
    if (g->func[mid].first <= block) low = mid;
    else high = mid;
  }
  return low;
}

void cfg_reach(const struct cfg *g, const struct cfg_func *f, uint8_t *reached) {
  uint32_t *stack = xcalloc(f->end - f->first, sizeof *stack), n = 0;
  if (f->first < f->end) {
    reached[f->entry] = 1;
    stack[n++] = f->entry;
  }
  while (n) {
    const struct cfg_block *b = &g->block[stack[--n]];
    for (uint32_t k = 0; k < b->nsucc; k++) {
      const uint32_t to = g->succ[b->succ + k];
      if (reached[to]) continue;
      reached[to] = 1;
      stack[n++] = to;
    }
  }
  free(stack);
}

void regset_print(const regset s, char *buf, size_t size) {
  size_t n = 0;
  buf[0] = 0;
  for (uint32_t r = 0, to; r < 256 && n < size; r = to) {
    for (to = r; to < 256 && set_has(s, to); to++) continue;
    if (to == r) {
      to++;
      continue;
    }
    n += (size_t)snprintf(buf + n, size - n, "%sR%" PRIu32, n ? " " : "", r);
    if (to > r + 1 && n < size) n += (size_t)snprintf(buf + n, size - n, "-R%" PRIu32, to - 1);
  }
}

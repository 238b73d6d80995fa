/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvdisasm_write: allocated kernels in the form of nvdisasm -cfg: a cluster per kernel, a node per basic block, a part exit0 for
 * the branch or exit that ends it. The names of instructions are ours; of loads and stores they say the memory, as
 * those of machine code do: LDG, LDL, LDS, LDC.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "compiler/ir/nvdisasm.h"

struct out {
  FILE *f;
  const struct code *c;
  uint32_t label; /* number of the kernel's first label; block b > 0 has .L_(label + b - 1) */
};

/* Blanks and brackets mean something in a label. */
static void sass_put_escaped(const char *s, FILE *f) {
  for (; *s; s++) {
    if (strchr(" \"\\{}|<>[]", *s)) fputc('\\', f);
    fputc(*s, f);
  }
}

static void sass_put_name(const struct out *o, uint32_t block) {
  if (block) fprintf(o->f, ".L_%" PRIu32, o->label + block - 1);
  else fputs(o->c->name, o->f);
}

/* ---- an instruction ---- */

enum { TEXT = 512 };

static void sass_put(char text[TEXT], size_t *n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void sass_put(char text[TEXT], size_t *n, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const int k = vsnprintf(text + *n, TEXT - *n, fmt, ap);
  va_end(ap);
  *n = k < 0 ? *n : *n + (size_t)k < TEXT ? *n + (size_t)k : TEXT - 1;
}

static void sass_put_upper(char text[TEXT], size_t *n, const char *s) {
  for (; *s; s++) sass_put(text, n, "%c", toupper((unsigned char)*s));
}

static const char *sass_memory_name(uint8_t space, const char *const names[4]) {
  return space == SP_GLOBAL ? names[1] : space == SP_LOCAL ? names[2] : space == SP_SHARED ? names[3] : names[0];
}

static void sass_put_mnemonic(const struct insn *i, char text[TEXT], size_t *n) {
  static const char *const loads[] = {"LD", "LDG", "LDL", "LDS"}, *const stores[] = {"ST", "STG", "STL", "STS"},
                           *const atoms[] = {"ATOM", "ATOMG", "ATOM", "ATOMS"};
  switch (i->op) {
    case OP_LD:
      sass_put(text, n, "%s", i->space == SP_CONST || i->space == SP_PARAM ? "LDC" : sass_memory_name(i->space, loads));
      break;
    case OP_ST: sass_put(text, n, "%s", sass_memory_name(i->space, stores)); break;
    case OP_ATOM: sass_put(text, n, "%s", i->ndst ? sass_memory_name(i->space, atoms) : "RED"); break;
    case OP_TRAP: sass_put(text, n, "EXIT"); break; /* ends the thread as well */
    default: sass_put_upper(text, n, opcode_name((enum opcode)i->op));
  }
  if (i->type == T_NONE) return;
  sass_put(text, n, ".");
  sass_put_upper(text, n, dtype_name((enum dtype)i->type));
}

static void sass_put_operand(const struct opnd *d, char text[TEXT], size_t *n) {
  switch (d->kind) {
    case O_REG:
      sass_put(text, n, "R%" PRIu32, d->reg);
      if (d->words == 2) sass_put(text, n, ", R%" PRIu32, d->reg + 1);
      break;
    case O_PRED: sass_put(text, n, "%sP%" PRIu32, d->neg ? "!" : "", d->reg); break;
    case O_IMM: sass_put(text, n, "0x%" PRIx64, d->imm); break;
    case O_CBANK: sass_put(text, n, "c[0x0][0x%" PRIx32 "]", d->reg); break;
    case O_SREG:
      sass_put(text, n, "SR_");
      sass_put_upper(text, n, sreg_name((enum sreg)d->reg) + 1);
      break;
    default: sass_put(text, n, "RZ");
  }
}

/* [R2+R3+0x10] */
static void sass_put_address(const struct opnd *d, int64_t offset, char text[TEXT], size_t *n) {
  if (d->kind != O_REG) sass_put(text, n, "[0x%" PRIx64, d->kind == O_IMM ? d->imm : d->reg);
  else sass_put(text, n, "[R%" PRIu32, d->reg);
  if (d->kind == O_REG && d->words == 2) sass_put(text, n, "+R%" PRIu32, d->reg + 1);
  if (offset)
    sass_put(text, n, "%c0x%" PRIx64, offset < 0 ? '-' : '+', offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset);
  sass_put(text, n, "]");
}

/* All but the values in brackets, and so the registers of the results are in front of them. */
static void sass_put_texture_source(const struct insn *i, unsigned k, char text[TEXT], size_t *n) {
  const bool value = tex_source(i, k) == TS_VALUE, last = k + 1 == i->nsrc || tex_source(i, k + 1) == TS_VALUE;
  if (!k) sass_put(text, n, "[");
  sass_put_operand(&i->src[k], text, n);
  if (!value && last) sass_put(text, n, "]");
}

static void sass_put_insn(const struct out *o, const struct insn *i, const struct graph *g) {
  char text[TEXT];
  size_t n = 0;
  const char *separator = " ";
  if (i->guard.kind == O_PRED) sass_put(text, &n, "@%sP%" PRIu32 " ", i->guard.neg ? "!" : "", i->guard.reg);
  sass_put_mnemonic(i, text, &n);
  for (unsigned k = 0; k < i->ndst; k++, separator = ", ") {
    sass_put(text, &n, "%s", separator);
    sass_put_operand(&i->dst[k], text, &n);
  }
  for (unsigned k = 0; k < i->nsrc; k++, separator = ", ") {
    sass_put(text, &n, "%s", separator);
    if (insn_texture(i)) sass_put_texture_source(i, k, text, &n);
    else if (k == 0 && insn_is(i, TRAIT_ADDRESS)) sass_put_address(&i->src[k], i->offset, text, &n);
    else sass_put_operand(&i->src[k], text, &n);
  }
  if (i->op == OP_BRA) {
    sass_put(text, &n, " `(");
    if (g->block_of[i->target]) sass_put(text, &n, ".L_%" PRIu32, o->label + g->block_of[i->target] - 1);
    else sass_put(text, &n, "%s", o->c->name);
    sass_put(text, &n, ")");
  }
  sass_put_escaped("  ", o->f);
  sass_put_escaped(text, o->f);
  fputs(";\\l", o->f);
}

/* ---- a kernel ---- */

static void sass_put_node(const struct out *o, const struct graph *g, uint32_t b) {
  const struct block *k = &g->block[b];
  fputs("node [fontname=\"Courier\",fontsize=10,shape=Mrecord];\n\"", o->f);
  sass_put_name(o, b);
  fputs("\"\n[label=\"{<entry>", o->f);
  if (!b) fprintf(o->f, "\t.global\t\t%s\\l\t.type\t\t%s,@function\\l", o->c->name, o->c->name);
  sass_put_name(o, b);
  fputs(":\\l", o->f);
  for (uint32_t x = k->first; x < k->end; x++) {
    if (x == k->end - 1 && insn_ends_block(&o->c->insn[x])) fputs("|<exit0>", o->f);
    sass_put_insn(o, &o->c->insn[x], g);
  }
  fputs("}\"]\n", o->f);
}

static void sass_put_edges(const struct out *o, const struct graph *g, uint32_t b) {
  const struct block *k = &g->block[b];
  const struct insn *last = &o->c->insn[k->end - 1];
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const bool taken = last->op == OP_BRA && g->block_of[last->target] == k->succ[s];
    fputc('"', o->f);
    sass_put_name(o, b);
    fprintf(o->f, "\":%s:%c -> \"", insn_ends_block(last) ? "exit0" : "entry", taken ? 'e' : 's');
    sass_put_name(o, k->succ[s]);
    fputs("\":entry:n [style=solid];\n", o->f);
  }
}

void sass_write(const struct code *const *kernel, uint32_t n, FILE *f) {
  struct out o = {.f = f, .label = 1};
  fputs("digraph f {\n", f);
  for (uint32_t k = 0; k < n; k++) {
    struct graph g;
    o.c = kernel[k];
    graph_build(o.c, &g);
    fprintf(f, "subgraph \"cluster_%s\" {\n", o.c->name);
    for (uint32_t b = 0; b < g.n; b++) {
      sass_put_node(&o, &g, b);
      sass_put_edges(&o, &g, b);
    }
    fputs("}\n", f);
    if (g.n) o.label += g.n - 1;
    graph_free(&g);
  }
  fputs("}\n", f);
}

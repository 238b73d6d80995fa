/* SPDX-License-Identifier: Apache-2.0 */
/* division: see division.h. */
#include "trace/accelsim/division.h"

#include <string.h>

#include "base/bits.h"
#include "compiler/ir/cfg.h"

enum division {
#define DIVISION(name, temporaries, pairs, steps) DIV_##name,
#include "trace/accelsim/division.def"
#undef DIVISION
  DIV_NONE
};

static const struct {
  const char *steps;
  uint8_t temporaries;
  bool pairs;
} divisions[] = {
#define DIVISION(name, temporaries, pairs, steps) {steps, temporaries, pairs},
#include "trace/accelsim/division.def"
#undef DIVISION
};

enum { MOST_TEMPORARIES = 20, MOST_REG = 254 };

/* ---- which one ---- */

static enum division division_of_integers(const struct insn *i) {
  const bool rem = i->op == OP_REM, sign = dtype_signed((enum dtype)i->type);
  switch (dtype_bytes((enum dtype)i->type)) {
    case 8: return rem ? sign ? DIV_S64_REM : DIV_U64_REM : sign ? DIV_S64 : DIV_U64;
    case 4: return rem ? sign ? DIV_S32_REM : DIV_U32_REM : sign ? DIV_S32 : DIV_U32;
    default: return rem ? sign ? DIV_S16_REM : DIV_U16_REM : sign ? DIV_S16 : DIV_U16;
  }
}

static bool rounding_is_directed(const struct insn *i) { return i->rnd == R_RZ || i->rnd == R_RM || i->rnd == R_RP; }

static enum division division_of_doubles(const struct insn *i) {
  switch (i->op) {
    case OP_DIV: return rounding_is_directed(i) ? DIV_F64_DIRECTED : DIV_F64;
    case OP_RCP: return rounding_is_directed(i) ? DIV_F64_RCP_DIRECTED : DIV_F64_RCP;
    case OP_SQRT: return rounding_is_directed(i) ? DIV_F64_SQRT_DIRECTED : DIV_F64_SQRT;
    default: return DIV_F64_RSQRT;
  }
}

/* Approximate reciprocals and roots are one MUFU. */
static enum division division_of_singles(const struct insn *i) {
  const bool ftz = i->mods & M_FTZ;
  switch (i->op) {
    case OP_DIV:
      if (i->mods & M_APPROX) return ftz ? DIV_F32_APPROX_FTZ : DIV_F32_APPROX;
      if (i->mods & M_FULL) return ftz ? DIV_F32_FULL_FTZ : DIV_F32_FULL;
      return rounding_is_directed(i) ? DIV_F32_DIRECTED : DIV_F32;
    case OP_RCP:
      if (i->mods & M_APPROX) return DIV_NONE;
      return rounding_is_directed(i) ? DIV_F32_RCP_DIRECTED : DIV_F32_RCP;
    case OP_SQRT:
      if (i->mods & M_APPROX) return DIV_NONE;
      return rounding_is_directed(i) ? DIV_F32_SQRT_DIRECTED : DIV_F32_SQRT;
    default: return DIV_NONE;
  }
}

static enum division division_of(const struct insn *i) {
  if (i->op != OP_DIV && i->op != OP_REM && i->op != OP_RCP && i->op != OP_SQRT && i->op != OP_RSQRT) return DIV_NONE;
  if (!dtype_float((enum dtype)i->type)) return division_of_integers(i);
  return i->type == T_F64 ? division_of_doubles(i) : division_of_singles(i);
}

/* ---- registers ---- */

/* Registers for temporaries, in pairs or not: those that hold nothing after the instruction, then new ones. */
static void find_temporaries(const struct code *c, const struct live *live, uint32_t k, unsigned n, bool pairs,
                             unsigned char *temporary, uint32_t *regs) {
  const struct insn *i = &c->insn[k];
  const unsigned by = pairs ? 2 : 1;
  uint64_t held[4] = {0};
  if (k + 1 < c->n) memcpy(held, live->in + (size_t)(k + 1) * live->words, sizeof held);
  for (unsigned s = 0; s < i->nsrc; s++) regset_add(held, &i->src[s]);
  for (unsigned d = 0; d < i->ndst; d++) regset_add(held, &i->dst[d]);
  unsigned at = 0;
  for (unsigned t = 0; t < n; t += by) {
    while (at + by <= MOST_REG && (set_has(held, at) || set_has(held, at + by - 1))) at += by;
    if (at + by > MOST_REG) at = MOST_REG - by; /* none is left: the last ones stand for all others */
    for (unsigned w = 0; w < by; w++) temporary[t + w] = (unsigned char)(at + w);
    if (at + by > *regs) *regs = at + by;
    if (at + 2 * by <= MOST_REG) at += by;
  }
}

/* The register that a word of a step names; -1: a constant. */
static int division_register_of(const struct insn *i, const char *word, bool pairs, const unsigned char *temporary) {
  const bool upper = word[0] >= 'A' && word[0] <= 'Z';
  const char which = upper ? (char)(word[0] - 'A' + 'a') : word[0];
  if (which == 't') return temporary[(pairs ? 2u : 1u) * (unsigned)(word[1] - '0') + upper];
  const struct opnd *o = which == 'd' ? &i->dst[0] : &i->src[which - 'a'];
  return o->kind == O_REG && upper < o->words ? (int)o->reg + upper : -1;
}

bool division_lines(const struct code *c, const struct live *live, uint32_t k, struct sass_listing *l, uint32_t *n,
                    uint32_t *room) {
  const struct insn *i = &c->insn[k];
  const enum division which = division_of(i);
  unsigned char temporary[MOST_TEMPORARIES];
  if (which == DIV_NONE) return false;
  const bool pairs = divisions[which].pairs;
  find_temporaries(c, live, k, divisions[which].temporaries, pairs, temporary, &l->regs);
  for (const char *at = divisions[which].steps; *at; at += strspn(at, "; ")) {
    struct sass_line *line = &VEC_PUSH(l->line, *n, *room);
    size_t length = strcspn(at, " ;");
    *line = (struct sass_line){.dst = -1};
    memcpy(line->name, at, length);
    at += length;
    for (unsigned w = 0; *at == ' '; w++, at += length) {
      length = strcspn(++at, " ;");
      const int reg = *at == '-' ? -1 : division_register_of(i, at, pairs, temporary);
      if (!w) line->dst = reg;
      else if (reg >= 0) line->src[line->nsrc++] = (unsigned char)reg;
    }
  }
  return true;
}

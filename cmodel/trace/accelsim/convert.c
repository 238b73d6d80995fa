/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert: the nearest instruction of ours for one of a trace. What counts is what timing and analyses use: unit, kind and
 * space of an access, its width, registers. A trace names the first register of an operand only. Where the opcode says how
 * many there are, the others are added: of loads and stores by their width, of 64-bit addresses (.E), of double precision,
 * of the result and third source of IMAD.WIDE, of matrices (LDSM, HMMA).
 */
#include <stdlib.h>

#include "trace/accelsim/rebuild_work.h"

static bool opcode_has_part(const char *opcode, const char *part) {
  const size_t n = strlen(part);
  for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
    if (!strncmp(p + 1, part, n) && (!p[1 + n] || p[1 + n] == '.')) return true;
  return false;
}

static void convert_add_operand(struct opnd *to, uint8_t *n, unsigned most, uint32_t reg, unsigned words) {
  if (reg == TRACEG_ZERO || *n == most) return;
  if (words == 2 && (reg & 1 || reg + 1 >= TRACEG_ZERO)) words = 1;
  to[(*n)++] = (struct opnd){.kind = O_REG, .words = (uint8_t)words, .reg = reg};
}

static void convert_add_source(struct insn *i, uint32_t reg, unsigned words) {
  convert_add_operand(i->src, &i->nsrc, INSN_SRC, reg, words);
}
static void convert_add_dest(struct insn *i, uint32_t reg, unsigned words) {
  convert_add_operand(i->dst, &i->ndst, INSN_DST, reg, words);
}

/* `count` registers from `reg` on, an operand each. */
static void convert_add_vector(struct opnd *to, uint8_t *n, unsigned most, uint32_t reg, unsigned count) {
  for (unsigned k = 0; k < count && reg + k < TRACEG_ZERO; k++) convert_add_operand(to, n, most, reg + k, 1);
}

static void convert_add_listed(struct insn *i, const struct traced *t, unsigned words) {
  for (unsigned k = 0; k < t->ndst; k++) convert_add_dest(i, t->dst[k], words);
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], words);
}

static void convert_set_width(struct insn *i, unsigned bytes) {
  i->type = bytes == 1 ? T_U8 : bytes == 2 ? T_U16 : T_U32;
  i->vec = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
}

static void cache_hints(struct insn *i, const char *opcode) {
  if (opcode_has_part(opcode, "STRONG") && !opcode_has_part(opcode, "CTA")) i->mods |= M_VOLATILE;
  if (opcode_has_part(opcode, "CONSTANT")) i->mods |= M_NC;
  if (opcode_has_part(opcode, "EF")) i->mods |= M_STREAM;
}

static unsigned address_words(const struct traced *t) { return opcode_has_part(t->opcode, "E") ? 2 : 1; }

static void convert_load(struct insn *i, const struct traced *t) {
  i->op = OP_LD;
  convert_set_width(i, t->bytes);
  cache_hints(i, t->opcode);
  for (unsigned k = 0; k < t->ndst; k++) convert_add_vector(i->dst, &i->ndst, INSN_DST, t->dst[k], i->vec);
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], k ? 1 : address_words(t));
}

static void convert_store(struct insn *i, const struct traced *t) {
  i->op = OP_ST;
  convert_set_width(i, t->bytes);
  cache_hints(i, t->opcode);
  for (unsigned k = 0; k < t->nsrc; k++) {
    if (k == 1) convert_add_vector(i->src, &i->nsrc, INSN_SRC, t->src[k], i->vec);
    else convert_add_source(i, t->src[k], k ? 1 : address_words(t));
  }
}

static void convert_atomic(struct insn *i, const struct traced *t) {
  i->op = OP_ATOM;
  i->sub = ATOM_ADD;
  convert_set_width(i, t->bytes);
  if (i->vec == 2) { /* an atomic has no vectors */
    i->type = T_U64;
    i->vec = 1;
  }
  for (unsigned k = 0; k < t->ndst && t->cls != OC_REDUCTION_GLOBAL; k++)
    convert_add_dest(i, t->dst[k], i->type == T_U64 ? 2 : 1);
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], k ? 1 : address_words(t));
}

/* LDSM.16.M88.4: the last part that is a number says how many matrices. */
static void convert_matrix(struct insn *i, const struct traced *t) {
  const char *dot = strrchr(t->opcode, '.');
  const unsigned n = dot && (!strcmp(dot, ".2") || !strcmp(dot, ".4")) ? (unsigned)(dot[1] - '0') : 1;
  i->op = OP_LDMATRIX;
  i->type = T_B16;
  i->vec = 1;
  if (t->ndst) convert_add_vector(i->dst, &i->ndst, INSN_DST, t->dst[0], n);
  i->ndst = (uint8_t)n; /* those that are no registers are not kept */
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], 1);
}

static void convert_copy(struct insn *i, const struct traced *t) {
  i->op = OP_CPASYNC;
  i->sub = ASYNC_COPY;
  i->vec = (uint8_t)t->bytes;
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], k == 1 ? address_words(t) : 1);
}

static void convert_wait(struct insn *i, const struct traced *t) {
  i->op = OP_CPASYNC;
  i->sub = t->has_imm ? ASYNC_WAIT : ASYNC_WAIT_ALL;
  if (!t->has_imm) return;
  i->nsrc = 1;
  i->src[0] = (struct opnd){.kind = O_IMM, .words = 1, .imm = t->imm < 0 ? 0 : (uint64_t)t->imm};
}

static void convert_wide(struct insn *i, const struct traced *t) {
  i->op = OP_MAD;
  i->type = T_U32;
  i->mods = M_WIDE;
  for (unsigned k = 0; k < t->ndst; k++) convert_add_dest(i, t->dst[k], 2);
  for (unsigned k = 0; k < t->nsrc; k++) convert_add_source(i, t->src[k], k == 2 ? 2 : 1);
}

/* HMMA.SHAPE.TYPE D, A, B, C; shapes 16816 and above take two intervals of the unit, which an instruction of ours with six
 * sources does. With three sources listed they are vectors, of which six registers at most can be named; a trace that was
 * exported lists four, as our instructions have each register for itself: the fourth one stands for the others. */
static uint8_t product_of(const char *opcode) {
  if (!strncmp(opcode, "DMMA", 4)) return T_F64;
  if (!strncmp(opcode, "BMMA", 4)) return T_B1;
  if (!strncmp(opcode, "IGMMA", 5)) return T_S8;
  if (!strncmp(opcode, "IMMA", 4)) return opcode_has_part(opcode, "S4") || opcode_has_part(opcode, "U4") ? T_S4 : T_S8;
  return opcode_has_part(opcode, "BF16") ? T_BF16 : opcode_has_part(opcode, "TF32") ? T_TF32 : T_NONE;
}

static void convert_tensor(struct insn *i, const struct traced *t) {
  i->stype = product_of(t->opcode);
  if (i->stype == T_F64) {
    i->op = OP_MMA;
    i->type = T_F64;
    convert_add_listed(i, t, 2);
    return;
  }
  const char *shape = strchr(t->opcode, '.');
  const bool two = shape && !strncmp(shape, ".168", 4) && shape[4] >= '0' && shape[4] <= '9' &&
                   (i->stype == T_TF32 || strncmp(shape, ".1688.", 6));
  const bool vectors = t->nsrc == 3 && shape && !strncmp(shape, ".168", 4);
  i->op = OP_MMA;
  i->type = T_F32;
  for (unsigned k = 0; k < t->ndst; k++)
    convert_add_vector(i->dst, &i->ndst, INSN_DST, t->dst[k], !vectors ? 1 : opcode_has_part(t->opcode, "F32") ? 4 : 2);
  for (unsigned k = 0; k < t->nsrc; k++)
    convert_add_vector(i->src, &i->nsrc, INSN_SRC, t->src[k], !vectors || (!two && k == 1) ? 1 : 2);
  while (two && i->nsrc >= 4 && i->nsrc < 6) i->src[i->nsrc] = i->src[i->nsrc - 1], i->nsrc++;
}

static void convert_barrier(struct insn *i) {
  i->op = OP_BAR;
  i->sub = BAR_SYNC;
  i->nsrc = 1;
  i->src[0] = (struct opnd){.kind = O_IMM, .words = 1};
}

/* What only computes: an operation of ours that its unit executes. */
static void convert_compute(struct insn *i, const struct traced *t) {
  static const struct {
    uint8_t op, type;
    uint32_t mods;
  } of[] = {[OC_INT] = {OP_ADD, T_U32, 0},        [OC_IMUL] = {OP_MAD, T_U32, M_LO},
            [OC_SP] = {OP_FMA, T_F32, 0},         [OC_DP] = {OP_FMA, T_F64, 0},
            [OC_SFU] = {OP_EX2, T_F32, M_APPROX}, [OC_DIV] = {OP_DIV, T_F32, 0},
            [OC_TENSOR] = {OP_MMA, T_F32, 0},     [OC_LSU] = {OP_SHFL, T_B32, 0},
            [OC_NOP] = {OP_NOP, T_NONE, 0},       [OC_FENCE] = {OP_MEMBAR, T_NONE, 0},
            [OC_TEXTURE] = {OP_TEX, T_F32, 0},    [OC_TEXTURE_QUERY] = {OP_TXQ, T_B32, 0},
            [OC_SURFACE] = {OP_SHFL, T_B32, 0},   [OC_BULK] = {OP_SHFL, T_B32, 0}};
  i->op = of[t->cls].op;
  i->type = of[t->cls].type;
  i->mods = of[t->cls].mods;
  convert_add_listed(i, t, t->cls == OC_DP ? 2 : 1);
}

void convert_insn(const struct traced *t, bool copies, struct insn *out, uint8_t *cls) {
  const enum op_class c = (enum op_class)t->cls;
  *out = (struct insn){.line = t->line ? t->line : 1, .col = 1, .vec = 1};
  out->space = op_class_memory(c) ? op_class_space(c) : SP_GENERIC;
  *cls = op_class_unit(c);
  switch (c) {
    case OC_LOAD_GLOBAL:
    case OC_LOAD_SHARED:
    case OC_LOAD_LOCAL:
    case OC_LOAD_GENERIC: convert_load(out, t); break;
    case OC_LOAD_CONST:
      if (t->bytes) {
        convert_load(out, t);
      } else {
        *cls = CLS_INT;
        out->space = SP_GENERIC;
        out->op = OP_MOV;
        out->type = T_U32;
        convert_add_listed(out, t, 1);
      }
      break;
    case OC_STORE_GLOBAL:
    case OC_STORE_SHARED:
    case OC_STORE_LOCAL:
    case OC_STORE_GENERIC: convert_store(out, t); break;
    case OC_ATOMIC_GLOBAL:
    case OC_ATOMIC_SHARED:
    case OC_ATOMIC_GENERIC:
    case OC_REDUCTION_GLOBAL: convert_atomic(out, t); break;
    case OC_MATRIX: convert_matrix(out, t); break;
    case OC_COPY: convert_copy(out, t); break;
    case OC_COPIES_END:
      out->op = OP_CPASYNC;
      out->sub = ASYNC_COMMIT;
      break;
    case OC_COPIES_WAIT:
      if (copies) convert_wait(out, t);
      else out->op = OP_NOP, *cls = CLS_INT;
      break;
    case OC_BRANCH:
    case OC_JUMP:
      out->op = OP_BRA;
      convert_add_listed(out, t, 1);
      out->ndst = 0;
      break;
    case OC_EXIT: out->op = OP_EXIT; break;
    case OC_WGMMA:
    case OC_TENSOR: convert_tensor(out, t); break;
    case OC_BARRIER: convert_barrier(out); break;
    default:
      if (opcode_has_part(t->opcode, "WIDE") && c == OC_IMUL) convert_wide(out, t);
      else convert_compute(out, t);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/check_tensor.h"

#include <stdio.h>

#include "compiler/ir/mma.h"
#include "compiler/ptx/rules.h"

#define SHOW(i) ((i)->ntext > 80 ? 80 : (int)(i)->ntext), (i)->text
#define AT_INSN(i, ...) err_at(e, ir->file, (i)->line, (i)->col, __VA_ARGS__)

enum { TENSOR_LIST = 128 };

/* What A (and B) may be, what D (and C) are then, and the shapes. */
static const struct {
  uint32_t in, out, shapes;
} forms[] = {
#define SH(x) (1u << MMA_##x)
    {TY(F16), TY(F16) | TY(F32), SH(M8_K4) | SH(K8) | SH(K16)},
    {TY(BF16), TY(F32), SH(K8) | SH(K16)},
    {TY(TF32), TY(F32), SH(K4) | SH(K8)},
    {TY(F64), TY(F64), SH(M8_K4) | SH(K4) | SH(K8) | SH(K16)},
    {TY(U8) | TY(S8), TY(S32), SH(M8_K16) | SH(K16) | SH(K32)},
    {TY(U4) | TY(S4), TY(S32), SH(M8_K32) | SH(K32) | SH(K64)},
    {TY(B1), TY(S32), SH(M8_K128) | SH(K128) | SH(K256)},
#undef SH
};

static unsigned mma_form_of(uint8_t in) {
  unsigned f = 0;
  while (f + 1 < sizeof forms / sizeof *forms && !(forms[f].in >> in & 1)) f++;
  return f;
}

static const char *list_shapes(uint32_t shapes, char *buf, size_t size) {
  size_t n = 0;
  buf[0] = 0;
  for (unsigned k = 0, left = (unsigned)__builtin_popcount(shapes); k < MMA_SHAPES; k++) {
    if (!(shapes >> k & 1)) continue;
    left--;
    const int w = snprintf(buf + n, size - n, "%s.%s", n == 0 ? "" : left ? ", " : " or ", mma_shape(k)->name);
    n += w > 0 && (size_t)w < size - n ? (size_t)w : 0;
  }
  return buf;
}

static bool mma_is_quad(const struct ir_insn *i) { return i->stype == T_F16 && i->sub == MMA_M8_K4; }

static bool check_types(const struct ir *ir, const struct ir_insn *i, struct err *e) {
  const unsigned f = mma_form_of(i->stype);
  char list[TENSOR_LIST];
  if (i->stype != i->btype && !(i->btype < T_COUNT && forms[f].in >> i->btype & 1))
    return AT_INSN(i, "found types %s and %s of A and B in '%.*s', expected the same", type_text(i->stype),
                   type_text(i->btype), SHOW(i));
  if (!(forms[f].out >> i->type & 1))
    return AT_INSN(i, "found type %s of D in '%.*s', expected %s with %s", type_text(i->type), SHOW(i),
                   list_types(forms[f].out, list, sizeof list), type_text(i->stype));
  if (i->type != i->ctype && !(mma_is_quad(i) && i->type == T_F32 && i->ctype == T_F16))
    return AT_INSN(i, "found types %s and %s of D and C in '%.*s', expected the same", type_text(i->type),
                   type_text(i->ctype), SHOW(i));
  return true;
}

/* Modifiers of mma and wmma.mma. */
static bool check_product(const struct ir *ir, const struct ir_insn *i, uint64_t seen, struct err *e) {
  const bool bits = i->stype == T_B1;
  if ((seen & G(SATFINITE)) && (i->type != T_S32 || bits))
    return AT_INSN(i, "found modifier '.satfinite' in '%.*s', expected none with type %s", SHOW(i),
                   type_text(i->stype));
  if ((seen & G(RND)) && (i->type != T_F64 || i->rnd > R_RP))
    return AT_INSN(i, "found a rounding in '%.*s', expected %s", SHOW(i),
                   i->type == T_F64 ? ".rn, .rz, .rm or .rp" : "none");
  if (bits != !!(seen & G(BOOL)) || bits != !!(seen & G(POPC)) || i->boolop == B_OR)
    return AT_INSN(i, "found '%.*s', expected %s", SHOW(i),
                   bits ? "'.xor.popc' or '.and.popc'" : "no operation on bits");
  return true;
}

bool check_mma(const struct ir *ir, const struct ir_insn *i, uint64_t seen, struct err *e) {
  const unsigned f = mma_form_of(i->stype);
  char list[TENSOR_LIST];
  if (i->layouts != 2 || (i->layout != 2 && !mma_is_quad(i)))
    return AT_INSN(i, "found other layouts in '%.*s', expected '.row.col'", SHOW(i));
  if (!check_types(ir, i, e)) return false;
  if (!(forms[f].shapes >> i->sub & 1))
    return AT_INSN(i, "found a shape in '%.*s' that %s does not have, expected %s", SHOW(i), type_text(i->stype),
                   list_shapes(forms[f].shapes, list, sizeof list));
  return check_product(ir, i, seen, e);
}

unsigned check_mma_regs(const struct ir_insn *i, unsigned operand) {
  const struct mma_shape *s = mma_shape(i->sub);
  const uint8_t type = operand == 0 ? i->type : operand == 1 ? i->stype : operand == 2 ? i->btype : i->ctype;
  const unsigned of[] = {(unsigned)s->m * s->n, (unsigned)s->m * s->k, (unsigned)s->k * s->n, (unsigned)s->m * s->n};
  const unsigned elements = of[operand] * (mma_is_quad(i) ? 4 : 1) / 32; /* of a lane */
  return type == T_F64 ? elements : elements * mma_bits((enum dtype)type) / 32;
}

static uint8_t register_type(uint8_t type) {
  switch (type) {
    case T_F16: return T_F16X2;
    case T_BF16: return T_BF16X2;
    case T_U8:
    case T_S8:
    case T_U4:
    case T_S4:
    case T_B1: return T_U32;
    default: return type;
  }
}

uint8_t check_mma_type(const struct ir_insn *i, unsigned operand) {
  return register_type(operand == 0 ? i->type : operand == 1 ? i->stype : operand == 2 ? i->btype : i->ctype);
}

/* ---- wmma ---- */

#define MANY_IN (TY(F16) | TY(BF16) | TY(U8) | TY(S8))
#define MANY_OUT (TY(F16) | TY(F32) | TY(S32))
static const struct wmma_shape wide[WMMA_SHAPES] = {
    [WMMA_16_16] = {"m16n16k16", 16, 16, 16, MANY_IN, MANY_OUT},
    [WMMA_32_8] = {"m32n8k16", 32, 8, 16, MANY_IN, MANY_OUT},
    [WMMA_8_32] = {"m8n32k16", 8, 32, 16, MANY_IN, MANY_OUT},
    [WMMA_K8] = {"m16n16k8", 16, 16, 8, TY(TF32), TY(F32)},
    [WMMA_K4] = {"m8n8k4", 8, 8, 4, TY(F64), TY(F64)},
    [WMMA_K32] = {"m8n8k32", 8, 8, 32, TY(U4) | TY(S4), TY(S32)},
    [WMMA_K128] = {"m8n8k128", 8, 8, 128, TY(B1), TY(S32)},
};

const struct wmma_shape *wmma_shape(unsigned sub) { return &wide[sub]; }

static bool mma_is_narrow(uint8_t type) { return type == T_U4 || type == T_S4 || type == T_B1; }

static bool wmma_access(const struct ir *ir, struct ir_insn *i, unsigned ntypes, uint64_t seen, struct err *e) {
  const bool in = i->fragment & (WMMA_A | WMMA_B);
  const uint32_t types = in ? wide[i->sub].in : wide[i->sub].out;
  char list[TENSOR_LIST];
  if (ntypes != 1) return AT_INSN(i, "found %u types in '%.*s', expected one", ntypes, SHOW(i));
  if (!(types >> i->type & 1))
    return AT_INSN(i, "found type %s in '%.*s', expected one of %s", type_text(i->type), SHOW(i),
                   list_types(types, list, sizeof list));
  if (i->layouts != 1) return AT_INSN(i, "found %u layouts in '%.*s', expected one", i->layouts, SHOW(i));
  if (mma_is_narrow(i->type) && i->layout != (i->fragment & WMMA_B ? 1 : 0))
    return AT_INSN(i, "found another layout in '%.*s', expected %s", SHOW(i), i->fragment & WMMA_B ? ".col" : ".row");
  if (seen & (G(SATFINITE) | G(RND) | G(BOOL) | G(POPC)))
    return AT_INSN(i, "found a modifier of the product in '%.*s', expected none", SHOW(i));
  if (i->space != SP_GENERIC && i->space != SP_GLOBAL && i->space != SP_SHARED)
    return AT_INSN(i, "found an address space in '%.*s' that it does not take, expected generic, .global or .shared",
                   SHOW(i));
  return true;
}

/* Of f16 the types of D and C alone are named. */
static bool wmma_types(const struct ir *ir, struct ir_insn *i, unsigned ntypes, struct err *e) {
  const struct wmma_shape *s = &wide[i->sub];
  char list[TENSOR_LIST];
  if (ntypes == 2) {
    i->ctype = i->stype;
    i->stype = i->btype = T_F16;
  }
  if (ntypes != 2 && ntypes != 4)
    return AT_INSN(i, "found %u types in '%.*s', expected those of D and C, or of D, A, B and C", ntypes, SHOW(i));
  if (!(s->in >> i->stype & 1) || (ntypes == 4 && i->stype == T_F16))
    return AT_INSN(i, "found type %s of A in '%.*s', expected one of %s", type_text(i->stype), SHOW(i),
                   list_types(ntypes == 4 ? s->in & ~TY(F16) : s->in, list, sizeof list));
  if (i->stype != i->btype)
    return AT_INSN(i, "found types %s and %s of A and B in '%.*s', expected the same", type_text(i->stype),
                   type_text(i->btype), SHOW(i));
  const uint32_t out = forms[mma_form_of(i->stype)].out;
  if (!(out >> i->type & 1) || !(out >> i->ctype & 1))
    return AT_INSN(i, "found types %s and %s of D and C in '%.*s', expected %s with %s", type_text(i->type),
                   type_text(i->ctype), SHOW(i), list_types(out, list, sizeof list), type_text(i->stype));
  return true;
}

bool check_wmma(const struct ir *ir, struct ir_insn *i, unsigned ntypes, uint64_t seen, struct err *e) {
  const uint8_t f = i->fragment;
  if (f == (WMMA_LOAD | WMMA_A) || f == (WMMA_LOAD | WMMA_B) || f == (WMMA_LOAD | WMMA_C) || f == (WMMA_STORE | WMMA_D))
    return wmma_access(ir, i, ntypes, seen, e);
  if (f != WMMA_MMA)
    return AT_INSN(i, "found '%.*s', expected wmma.load.a, .load.b, .load.c, .mma or .store.d", SHOW(i));
  if (!wmma_types(ir, i, ntypes, e)) return false;
  if (i->layouts != 2) return AT_INSN(i, "found %u layout in '%.*s', expected two", i->layouts, SHOW(i));
  if (mma_is_narrow(i->stype) && i->layout != 2)
    return AT_INSN(i, "found other layouts in '%.*s', expected '.row.col'", SHOW(i));
  if (seen & G(SPACE)) return AT_INSN(i, "found an address space in '%.*s', expected none", SHOW(i));
  return check_product(ir, i, seen, e);
}

static uint8_t fragment_type(const struct ir_insn *i, unsigned fragment) {
  if (!(i->fragment & WMMA_MMA)) return i->type;
  return fragment & (WMMA_A | WMMA_B) ? i->stype : fragment & WMMA_C ? i->ctype : i->type;
}

unsigned check_wmma_regs(const struct ir_insn *i, unsigned fragment) {
  const struct wmma_shape *s = &wide[i->sub];
  const uint8_t type = fragment_type(i, fragment);
  const unsigned elements = (fragment & WMMA_A   ? (unsigned)s->m * s->k
                             : fragment & WMMA_B ? (unsigned)s->k * s->n
                                                 : (unsigned)s->m * s->n) /
                            32;
  if (fragment & (WMMA_A | WMMA_B) && type == T_F16) return 8;
  return type == T_F64 ? elements : elements * mma_bits((enum dtype)type) / 32;
}

uint8_t check_wmma_type(const struct ir_insn *i, unsigned fragment) {
  return register_type(fragment_type(i, fragment));
}

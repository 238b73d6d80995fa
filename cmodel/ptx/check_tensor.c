/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/check_tensor.h"

#include <stdio.h>

#include "ir/mma.h"
#include "ptx/rules.h"

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

static unsigned form_of(uint8_t in) {
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

static bool quad(const struct ir_insn *i) { return i->stype == T_F16 && i->sub == MMA_M8_K4; }

static bool check_types(const struct ir *ir, const struct ir_insn *i, struct err *e) {
  const unsigned f = form_of(i->stype);
  char list[TENSOR_LIST];
  if (i->stype != i->btype && !(i->btype < T_COUNT && forms[f].in >> i->btype & 1))
    return AT_INSN(i, "found types %s and %s of A and B in '%.*s', expected the same", type_text(i->stype),
                   type_text(i->btype), SHOW(i));
  if (!(forms[f].out >> i->type & 1))
    return AT_INSN(i, "found type %s of D in '%.*s', expected %s with %s", type_text(i->type), SHOW(i),
                   list_types(forms[f].out, list, sizeof list), type_text(i->stype));
  if (i->type != i->ctype && !(quad(i) && i->type == T_F32 && i->ctype == T_F16))
    return AT_INSN(i, "found types %s and %s of D and C in '%.*s', expected the same", type_text(i->type),
                   type_text(i->ctype), SHOW(i));
  return true;
}

bool check_mma(const struct ir *ir, const struct ir_insn *i, uint64_t seen, struct err *e) {
  const unsigned f = form_of(i->stype);
  const bool bits = i->stype == T_B1, integer = i->type == T_S32;
  char list[TENSOR_LIST];
  if (i->layouts != 2 || (i->layout != 2 && !quad(i)))
    return AT_INSN(i, "found other layouts in '%.*s', expected '.row.col'", SHOW(i));
  if (!check_types(ir, i, e)) return false;
  if (!(forms[f].shapes >> i->sub & 1))
    return AT_INSN(i, "found a shape in '%.*s' that %s does not have, expected %s", SHOW(i), type_text(i->stype),
                   list_shapes(forms[f].shapes, list, sizeof list));
  if ((seen & G(SATFINITE)) && (!integer || bits))
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

unsigned check_mma_regs(const struct ir_insn *i, unsigned operand) {
  const struct mma_shape *s = mma_shape(i->sub);
  const uint8_t type = operand == 0 ? i->type : operand == 1 ? i->stype : operand == 2 ? i->btype : i->ctype;
  const unsigned of[] = {(unsigned)s->m * s->n, (unsigned)s->m * s->k, (unsigned)s->k * s->n, (unsigned)s->m * s->n};
  const unsigned elements = of[operand] * (quad(i) ? 4 : 1) / 32; /* of a lane */
  return type == T_F64 ? elements : elements * mma_bits((enum dtype)type) / 32;
}

uint8_t check_mma_type(const struct ir_insn *i, unsigned operand) {
  const uint8_t type = operand == 0 ? i->type : operand == 1 ? i->stype : operand == 2 ? i->btype : i->ctype;
  switch (type) {
    case T_F16: return T_F16X2;
    case T_BF16: return T_BF16X2;
    case T_U8:
    case T_S8:
    case T_U4:
    case T_S4:
    case T_B1: return T_B32;
    default: return type;
  }
}

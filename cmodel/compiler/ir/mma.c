/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ir/mma.h"

#include <stddef.h>

static const struct mma_shape shapes[MMA_SHAPES] = {
    [MMA_K4] = {"m16n8k4", 16, 8, 4},        [MMA_K8] = {"m16n8k8", 16, 8, 8},
    [MMA_K16] = {"m16n8k16", 16, 8, 16},     [MMA_K32] = {"m16n8k32", 16, 8, 32},
    [MMA_K64] = {"m16n8k64", 16, 8, 64},     [MMA_K128] = {"m16n8k128", 16, 8, 128},
    [MMA_K256] = {"m16n8k256", 16, 8, 256},  [MMA_M8_K4] = {"m8n8k4", 8, 8, 4},
    [MMA_M8_K16] = {"m8n8k16", 8, 8, 16},    [MMA_M8_K32] = {"m8n8k32", 8, 8, 32},
    [MMA_M8_K128] = {"m8n8k128", 8, 8, 128},
};

const struct mma_shape *mma_shape(unsigned sub) { return sub < MMA_SHAPES ? &shapes[sub] : NULL; }

unsigned mma_bits(enum dtype t) {
  switch (t) {
    case T_B1: return 1;
    case T_U4:
    case T_S4: return 4;
    case T_U8:
    case T_S8: return 8;
    case T_F16:
    case T_BF16: return 16;
    case T_TF32:
    case T_F32:
    case T_S32: return 32;
    case T_F64: return 64;
    default: return 0;
  }
}

enum mma_rate mma_rate(const struct insn *i) {
  switch (i->stype) {
    case T_BF16: return RATE_BF16;
    case T_TF32: return RATE_TF32;
    case T_U8:
    case T_S8: return RATE_INT8;
    case T_U4:
    case T_S4: return RATE_INT4;
    case T_B1: return RATE_B1;
    case T_F64: return RATE_F64;
    default: return RATE_F16;
  }
}

unsigned mma_intervals(const struct insn *i) {
  const bool four = i->stype == T_F16 && i->sub == MMA_M8_K4;
  switch (mma_rate(i)) {
    case RATE_F64: return 1;
    case RATE_INT8:
    case RATE_INT4:
    case RATE_B1: return i->nsrc == 6 ? 2 : 1;
    default: /* two registers of A into sums of f32 */
      return !four && (i->nsrc == 6 || (i->nsrc == 5 && i->type == T_F32 && i->cmp & MMA_C_OTHER)) ? 2 : 1;
  }
}

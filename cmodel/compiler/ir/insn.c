/* SPDX-License-Identifier: Apache-2.0 */
/* insn: the names and sizes of operations, types and special registers. */
#include "compiler/ir/traits.h"

#include <stddef.h>

static const char *const op_names[OP_COUNT] = {
#define OPCODE(name, ptx, ...) [OP_##name] = ptx,
#include "compiler/ir/insn.def"
#undef OPCODE
};

/* The words of insn.def. */
enum {
  ADDRESS = TRAIT_ADDRESS,
  ACCESS = TRAIT_ACCESS,
  EFFECT = TRAIT_EFFECT,
  LATE = TRAIT_LATE,
  TEXTURE = TRAIT_TEXTURE,
  CONVERGENT = TRAIT_CONVERGENT,
  ENDS = TRAIT_ENDS,
  MOVES = TRAIT_MOVES,
  ALL_TYPES = TRAIT_ALL_TYPES,
  FROM_STYPE = TRAIT_FROM_STYPE,
  SUB_IS_TYPE = TRAIT_SUB_IS_TYPE,
  ELEMENTS = TRAIT_ELEMENTS
};
const struct insn_traits insn_traits[OP_COUNT] = {
#define SPECIAL(name, constants, order, traits) [OP_##name] = {ORDER_##order, traits},
#include "compiler/ir/insn.def"
#undef SPECIAL
};

static const struct {
  const char *name;
  uint8_t bytes;
} types[T_COUNT] = {
    [T_NONE] = {"", 0},     [T_PRED] = {"pred", 0},     [T_U8] = {"u8", 1},     [T_U16] = {"u16", 2},
    [T_U32] = {"u32", 4},   [T_U64] = {"u64", 8},       [T_S8] = {"s8", 1},     [T_S16] = {"s16", 2},
    [T_S32] = {"s32", 4},   [T_S64] = {"s64", 8},       [T_B8] = {"b8", 1},     [T_B16] = {"b16", 2},
    [T_B32] = {"b32", 4},   [T_B64] = {"b64", 8},       [T_F16] = {"f16", 2},   [T_F16X2] = {"f16x2", 4},
    [T_BF16] = {"bf16", 2}, [T_BF16X2] = {"bf16x2", 4}, [T_TF32] = {"tf32", 4}, [T_F32] = {"f32", 4},
    [T_F64] = {"f64", 8},   [T_U4] = {"u4", 0},         [T_S4] = {"s4", 0},     [T_B1] = {"b1", 0},
    [T_U2] = {"u2", 0},     [T_S2] = {"s2", 0},
};

static const char *const sregs[SR_COUNT] = {
    [SR_TID_X] = "%tid.x",
    [SR_TID_Y] = "%tid.y",
    [SR_TID_Z] = "%tid.z",
    [SR_NTID_X] = "%ntid.x",
    [SR_NTID_Y] = "%ntid.y",
    [SR_NTID_Z] = "%ntid.z",
    [SR_CTAID_X] = "%ctaid.x",
    [SR_CTAID_Y] = "%ctaid.y",
    [SR_CTAID_Z] = "%ctaid.z",
    [SR_NCTAID_X] = "%nctaid.x",
    [SR_NCTAID_Y] = "%nctaid.y",
    [SR_NCTAID_Z] = "%nctaid.z",
    [SR_LANEID] = "%laneid",
    [SR_WARPID] = "%warpid",
    [SR_NWARPID] = "%nwarpid",
    [SR_SMID] = "%smid",
    [SR_NSMID] = "%nsmid",
    [SR_GRIDID] = "%gridid",
    [SR_LANEMASK_EQ] = "%lanemask_eq",
    [SR_LANEMASK_LE] = "%lanemask_le",
    [SR_LANEMASK_LT] = "%lanemask_lt",
    [SR_LANEMASK_GE] = "%lanemask_ge",
    [SR_LANEMASK_GT] = "%lanemask_gt",
    [SR_CLOCK] = "%clock",
    [SR_CLOCK_HI] = "%clock_hi",
    [SR_CLOCK64] = "%clock64",
    [SR_GLOBALTIMER] = "%globaltimer",
    [SR_DYN_SMEM] = "%dynamic_smem_size",
    [SR_TOTAL_SMEM] = "%total_smem_size",
    [SR_RESERVED_SMEM] = "%reserved_smem_offset",
    [SR_ENVREG] = "%envreg",
    [SR_ENVREG2] = "%envreg2",
};

const char *opcode_name(enum opcode op) { return (unsigned)op < OP_COUNT ? op_names[op] : "?"; }

const char *dtype_name(enum dtype t) { return (unsigned)t < T_COUNT ? types[t].name : "?"; }

unsigned dtype_bytes(enum dtype t) { return (unsigned)t < T_COUNT ? types[t].bytes : 0; }

bool dtype_signed(enum dtype t) { return t >= T_S8 && t <= T_S64; }

bool dtype_float(enum dtype t) { return t >= T_F16 && t <= T_F64; }

const char *sreg_name(enum sreg s) { return (unsigned)s < SR_COUNT ? sregs[s] : "?"; }

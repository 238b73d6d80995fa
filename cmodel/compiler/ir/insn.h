/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insn: one static instruction of a kernel, the form that compiler/ptx/ lowers to, the analyses work on and exec/ runs.
 * Operands name virtual registers until compiler/regalloc/alloc.c rewrites them to physical 32-bit registers; nothing else
 * about an instruction changes then.
 *
 * Register conventions (what exec/ may rely on):
 * - A value of 8, 16 or 32 bits occupies one 32-bit register, 64 bits an aligned pair (low word in
 *   the even register). Predicates are apart.
 * - A reader of a narrow type looks at the low bits only. A writer of a narrow unsigned, bit or float
 *   type leaves the bits above zero; a signed narrow load or conversion sign-extends to the whole operand.
 */
#ifndef RT_IR_INSN_H
#define RT_IR_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum opcode {
#define OPCODE(name, ...) OP_##name,
#include "compiler/ir/insn.def"
#undef OPCODE
  OP_COUNT
};

enum dtype {
  T_NONE,
  T_PRED,
  T_U8,
  T_U16,
  T_U32,
  T_U64,
  T_S8,
  T_S16,
  T_S32,
  T_S64,
  T_B8,
  T_B16,
  T_B32,
  T_B64,
  T_F16,
  T_F16X2,
  T_BF16,
  T_BF16X2,
  T_TF32,
  T_F32,
  T_F64,
  T_U4, /* T_U4 and the types after it are those of elements, of a matrix or of what CVTPACK packs; no register has them */
  T_S4,
  T_B1,
  T_U2,
  T_S2,
  T_COUNT
};

enum { /* insn.mods */
       M_FTZ = 1 << 0,
       M_SAT = 1 << 1,
       M_LO = 1 << 2,
       M_HI = 1 << 3,
       M_WIDE = 1 << 4,
       M_APPROX = 1 << 5,
       M_FULL = 1 << 6,
       M_CC = 1 << 7,
       M_UNI = 1 << 8,
       M_CLAMP = 1 << 9,
       M_WRAP = 1 << 10,
       M_LEFT = 1 << 11,
       M_RIGHT = 1 << 12,
       M_SHIFTAMT = 1 << 13,
       M_NAN = 1 << 14, /* min/max.NaN */
       M_ABS = 1 << 15, /* min/max.xorsign.abs */
       M_RELU = 1 << 16,
       M_VOLATILE = 1 << 17, /* volatile, relaxed, acquire...: past the L1 */
       M_NC = 1 << 18,       /* ld.global.nc, ldu, tex path */
       M_STREAM = 1 << 19,   /* .cs .lu .cv and evict-first hints */
       M_CG = 1 << 20,       /* cache in L2 only */
       M_SYNC = 1 << 21,
       M_ROWS_0 = 1 << 22,  /* mma: this instruction makes rows 0 to 7 of the result only */
       M_ROWS_8 = 1 << 23,  /* mma: rows 8 to 15 only */
       M_TRANS = 1 << 24,   /* ldmatrix */
       M_ACQUIRE = 1 << 25, /* with M_VOLATILE: orders what comes after it; M_RELEASE: what came before */
       M_RELEASE = 1 << 26,
       M_NOUNROLL = 1 << 27, /* BRA, backwards: .pragma "nounroll" keeps its loop as it is */
       M_ADD = 1 << 28,      /* SIMD video instructions: src2 + the sum of the bytes' results */
};

enum rounding { R_NONE, R_RN, R_RZ, R_RM, R_RP, R_RNI, R_RZI, R_RMI, R_RPI, R_RNA };
enum cmpop {
  C_EQ,
  C_NE,
  C_LT,
  C_LE,
  C_GT,
  C_GE,
  C_LO,
  C_LS,
  C_HI,
  C_HS,
  C_EQU,
  C_NEU,
  C_LTU,
  C_LEU,
  C_GTU,
  C_GEU,
  C_NUM,
  C_NAN
};
enum boolop { B_NONE, B_AND, B_OR, B_XOR };
enum space {
  SP_GENERIC,
  SP_GLOBAL,
  SP_SHARED,
  SP_LOCAL,
  SP_CONST,
  SP_PARAM,
  SP_TEX /* of an access only: trace/stream.h */
};

/* insn.sub, by opcode */
enum { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };
enum { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR, BAR_WARP };
enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum { MATCH_ANY, MATCH_ALL };
enum { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };
enum { /* m16n8k4, ...; m8n8k4, ... (compiler/ir/mma.h) */
       MMA_K4,
       MMA_K8,
       MMA_K16,
       MMA_K32,
       MMA_K64,
       MMA_K128,
       MMA_K256,
       MMA_M8_K4,
       MMA_M8_K16,
       MMA_M8_K32,
       MMA_M8_K128,
       MMA_SHAPES
};
enum { PRINT_VPRINTF, PRINT_ASSERT }; /* the latter: src = message, file, line, function; it ends the launch */
enum { ASYNC_COPY, ASYNC_COMMIT, ASYNC_WAIT, ASYNC_WAIT_ALL };
enum { MBAR_INIT, MBAR_INVAL, MBAR_ARRIVE, MBAR_DROP, MBAR_EXPECT, MBAR_COMPLETE, MBAR_TEST, MBAR_COPIES };
enum {                    /* insn.cmp of MBARRIER. COPIES: cp.async.mbarrier.arrive */
       MB_EXPECT_TX = 1,  /* ARRIVE, DROP of one: src1 is added to the tx-count before */
       MB_NOCOMPLETE = 2, /* ARRIVE, DROP: it must not end the phase */
       MB_PARITY = 4,     /* TEST: src1 = parity of the phase, not a token */
       MB_TRY = 8,        /* TEST: written as try_wait */
       MB_NOINC = 16,     /* COPIES: the pending count is not raised before */
};
#define MBAR_COUNT 0xfffffu /* greatest count of an mbarrier; bits of a token that are the pending count before it */
enum { PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

enum sreg {
  SR_TID_X,
  SR_TID_Y,
  SR_TID_Z,
  SR_NTID_X,
  SR_NTID_Y,
  SR_NTID_Z,
  SR_CTAID_X,
  SR_CTAID_Y,
  SR_CTAID_Z,
  SR_NCTAID_X,
  SR_NCTAID_Y,
  SR_NCTAID_Z,
  SR_LANEID,
  SR_WARPID,
  SR_NWARPID,
  SR_SMID,
  SR_NSMID,
  SR_GRIDID,
  SR_LANEMASK_EQ,
  SR_LANEMASK_LE,
  SR_LANEMASK_LT,
  SR_LANEMASK_GE,
  SR_LANEMASK_GT,
  SR_CLOCK,
  SR_CLOCK_HI,
  SR_CLOCK64,
  SR_GLOBALTIMER, /* the warp's own instruction count */
  SR_DYN_SMEM,
  SR_TOTAL_SMEM,
  SR_RESERVED_SMEM,
  SR_ENVREG,  /* all of %reserved_smem_offset_*, which become immediates; of %envreg<32> but one: 0 */
  SR_ENVREG2, /* the workspace of a cooperative launch (exec/exec.h) */
  SR_COUNT
};

enum opnd_kind { O_NONE, O_REG, O_PRED, O_IMM, O_CBANK, O_SREG };

struct opnd {
  uint8_t kind;  /* enum opnd_kind */
  uint8_t words; /* 32-bit registers: 1 or 2; 0 for a predicate */
  uint8_t neg;   /* predicate source: read inverted */
  uint8_t
      last; /* source register, bit per word: no lane of the warp reads its value again (compiler/regalloc/warp_live.c) */
  uint32_t reg; /* O_REG, O_PRED: register; O_CBANK: byte offset in the parameter bank; O_SREG: enum sreg;
                        a destination that is not kept (PTX `_`) has kind O_NONE */
  uint64_t imm; /* O_IMM: the value's bits, already in the type the operation reads (0 or 1 for a predicate) */
};

static inline bool opnd_is_register(const struct opnd *o) { return o->kind == O_REG || o->kind == O_PRED; }

enum { INSN_SRC = 6, INSN_DST = 4 }; /* operands; in 32-bit registers at most 6 and 4 as well */

struct insn {
  uint8_t op, type, stype, space;
  uint8_t rnd, cmp, boolop, sub;
  uint8_t ndst, nsrc, vec,
      tex; /* vec: elements of a vector access, 1 if scalar; CPASYNC: bytes. tex: compiler/ir/texture.h */
  uint32_t mods;
  int64_t offset;     /* LD ST ATOM LDMATRIX MBARRIER: bytes added to the address; CPASYNC: to the global one; MMA:
                         compiler/ir/mma.h */
  int64_t offset2;    /* CPASYNC: bytes added to the shared address */
  uint32_t target;    /* BRA: instruction index */
  uint32_t line, col; /* place in the PTX file */
  struct opnd guard;  /* O_NONE or O_PRED (neg: @!p) */
  struct opnd dst[INSN_DST], src[INSN_SRC];
};

/* Generic addresses: global memory is the identity (all of it below GLOBAL_END); the windows lie above. */
#define GLOBAL_BASE 0x00010000u /* first module variable; 0 stays unmapped */
#define GLOBAL_END 0x40000000u  /* 2^30: a line's number has 23 bits, as Linebacker's victim tags assume */
#define SHARED_WINDOW 0x100000000ull
#define LOCAL_WINDOW 0x200000000ull
#define CONST_WINDOW 0x300000000ull
#define PARAM_WINDOW 0x400000000ull /* the kernel's parameter bank (cvta.param) */
#define WINDOW_SIZE 0x100000000ull

const char *opcode_name(enum opcode op); /* "add" */
const char *dtype_name(enum dtype t);    /* "u32"; "" for T_NONE */
unsigned dtype_bytes(enum dtype t);      /* 0 for T_NONE, T_PRED */
bool dtype_signed(enum dtype t);         /* s8..s64 */
bool dtype_float(enum dtype t);          /* f16..f64 */
const char *sreg_name(enum sreg s);      /* "%tid.x" */

#endif

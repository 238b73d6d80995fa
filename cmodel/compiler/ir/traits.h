/* SPDX-License-Identifier: Apache-2.0 */
/* traits: properties of an operation that several parts of the program ask for; insn.def has them. */
#ifndef RT_IR_TRAITS_H
#define RT_IR_TRAITS_H

#include "compiler/ir/insn.h"

/* How the scheduler (compiler/regalloc/schedule.c) orders an instruction with accesses to memory. */
enum order {
  ORDER_FREE,
  ORDER_LOADS,     /* after the stores that it may meet */
  ORDER_CONSTANTS, /* reads what no store of the launch changes */
  ORDER_STORES,    /* after all stores, and after the loads that it may meet */
  ORDER_FENCE,     /* in order with every access */
  ORDER_LOAD,      /* ld: by its space and strength */
  ORDER_STORE      /* st: by its strength */
};

enum {
  TRAIT_ADDRESS = 1,        /* src0 is an address, insn.offset is added to it */
  TRAIT_ACCESS = 2,         /* each lane accesses the memory there */
  TRAIT_EFFECT = 4,         /* stays if no one reads its results */
  TRAIT_LATE = 8,           /* its result comes from memory: the scheduler counts a load's latency */
  TRAIT_TEXTURE = 16,       /* of textures and surfaces: compiler/ir/texture.h */
  TRAIT_CONVERGENT = 32,    /* works on the whole warp or CTA: stays in order with others of its kind */
  TRAIT_ENDS = 64,          /* ends a basic block */
  TRAIT_MOVES = 128,        /* its result is one of its sources, unchanged */
  TRAIT_ALL_TYPES = 256,    /* the range rule holds for all types, not for integers only */
  TRAIT_FROM_STYPE = 512,   /* its sources have insn.stype */
  TRAIT_SUB_IS_TYPE = 1024, /* insn.sub is a third type */
  TRAIT_ELEMENTS = 2048     /* insn.type may be a type that no register has, as u4 */
};

struct insn_traits {
  uint8_t order; /* enum order */
  uint16_t traits;
};
extern const struct insn_traits insn_traits[OP_COUNT];

/* True if exec/ has a function for the instruction, or executes it without one. exec/alu.c defines it; compiler/ptx/lower.c refuses what it
 * denies, with a place, before anything runs. */
bool insn_executable(const struct insn *i);

static inline bool insn_is(const struct insn *i, unsigned trait) { return insn_traits[i->op].traits & trait; }
static inline bool insn_texture(const struct insn *i) { return insn_is(i, TRAIT_TEXTURE); }
static inline bool insn_ends_block(const struct insn *i) { return insn_is(i, TRAIT_ENDS); }

#endif

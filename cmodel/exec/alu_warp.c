/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_warp: operations across lanes: shfl, vote, match, redux, activemask.
 *
 * A member mask may differ from lane to lane (two groups of one warp at one instruction), so each lane considers the
 * active lanes in its own mask. Without a mask (the forms before .sync): all active lanes. Where PTX leaves a value
 * undefined: shfl from an inactive lane gives 0, which reductions in common programs rely on (docs/reference/ptx.md, shfl); the
 * predicate only says whether the source was in range.
 */
#include "exec/alu_fp.h"

INLINE uint32_t lanes_members(const struct insn *i, const struct alu_io *io, unsigned at, unsigned l) {
  return at < i->nsrc ? io->src[at][l] & io->lanes : io->lanes;
}

INLINE void lanes_shuffle(int sub, struct alu_io *io) {
  const uint32_t *pb = io->src[1], *pc = io->src[2], lanes = io->lanes;
  uint32_t a[32], from[32], keep[32], in_range = 0;
  EACH_LANE(l) {
    const uint32_t b = pb[l] & 31, c = pc[l] & 31, seg = pc[l] >> 8 & 31;
    const uint32_t min = l & seg, max = min | (c & ~seg);
    const uint32_t moved = sub == SHFL_UP ? l - b : sub == SHFL_DOWN ? l + b : l ^ b;
    const uint32_t j = sub == SHFL_IDX ? min | (b & ~seg) : moved;
    const uint32_t ok = sub == SHFL_UP ? (int32_t)j >= (int32_t)max : j <= max;
    from[l] = u32_select(ok, j & 31, l);
    keep[l] = 0u - (1u & (lanes >> (j & 31) | ~ok));
    in_range |= ok << l;
  }
  memcpy(a, io->src[0], sizeof a);
  for (unsigned l = 0; l < 32; l++) io->dst[0][l] = a[from[l]] & keep[l];
  io->pdst[1] = in_range;
}
ALU_FN(shfl_up) {
  (void)i;
  lanes_shuffle(SHFL_UP, io);
}
ALU_FN(shfl_down) {
  (void)i;
  lanes_shuffle(SHFL_DOWN, io);
}
ALU_FN(shfl_bfly) {
  (void)i;
  lanes_shuffle(SHFL_BFLY, io);
}
ALU_FN(shfl_idx) {
  (void)i;
  lanes_shuffle(SHFL_IDX, io);
}

ALU_FN(lanes_vote) {
  const uint32_t p = io->psrc[0];
  uint32_t out[32], yes = 0;
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = lanes_members(i, io, 1, l), t = p & m;
    const bool all = t == m, any = t != 0;
    const bool r = i->sub == VOTE_ALL ? all : i->sub == VOTE_ANY ? any : all || !any;
    yes |= (uint32_t)r << l;
    out[l] = t;
  }
  if (i->sub == VOTE_BALLOT) memcpy(io->dst[0], out, sizeof out);
  else io->pdst[0] = yes;
}

/* any: the members with the lane's value. all: the members if all have the same value, else 0. */
INLINE void lanes_match(const struct insn *i, struct alu_io *io, bool wide) {
  uint64_t a[32];
  uint32_t out[32], all = 0;
  for (unsigned l = 0; l < 32; l++) a[l] = wide ? LD_u64(io->src[0], l) : io->src[0][l];
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = lanes_members(i, io, 1, l);
    uint32_t same = 0;
    for (unsigned k = 0; k < 32; k++) same |= (uint32_t)(a[k] == a[l]) << k;
    same &= m;
    out[l] = i->sub == MATCH_ANY || same == m ? same : 0;
    all |= (uint32_t)(same == m) << l;
  }
  memcpy(io->dst[0], out, sizeof out);
  io->pdst[1] = all;
}
ALU_FN(match_32) { lanes_match(i, io, false); }
ALU_FN(match_64) { lanes_match(i, io, true); }

ALU_FN(lanes_redux) {
  uint32_t out[32], last_mask = 0, last = 0;
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = lanes_members(i, io, 1, l);
    if (l == 0 || m != last_mask) {
      last_mask = m;
      last = m ? io->src[0][__builtin_ctz(m)] : 0;
      for (uint32_t rest = m & (m - 1); rest; rest &= rest - 1)
        last = (uint32_t)alu_atomic(i->sub, i->type, last, io->src[0][__builtin_ctz(rest)], 0);
    }
    out[l] = last;
  }
  memcpy(io->dst[0], out, sizeof out);
}

ALU_FN(lanes_activemask) {
  (void)i;
  for (unsigned l = 0; l < 32; l++) io->dst[0][l] = io->lanes;
}

alu_fn *alu_pick_warp(const struct insn *i) {
  static alu_fn *const shfl[4] = {shfl_up, shfl_down, shfl_bfly, shfl_idx};
  const bool b32 = i->type == T_B32, arith = i->type == T_U32 || i->type == T_S32;
  if (i->rnd != R_NONE || !mods_in(i, M_SYNC)) return NULL;
  switch (i->op) {
    case OP_SHFL: return b32 && i->sub <= SHFL_IDX ? shfl[i->sub] : NULL;
    case OP_VOTE: return i->sub <= VOTE_BALLOT ? lanes_vote : NULL;
    case OP_MATCH: return i->sub > MATCH_ALL ? NULL : b32 ? match_32 : i->type == T_B64 ? match_64 : NULL;
    case OP_REDUX:
      switch (i->sub) {
        case ATOM_ADD:
        case ATOM_MIN:
        case ATOM_MAX: return arith ? lanes_redux : NULL;
        case ATOM_AND:
        case ATOM_OR:
        case ATOM_XOR: return b32 ? lanes_redux : NULL;
        default: return NULL;
      }
    case OP_ACTIVEMASK: return lanes_activemask;
    default: return NULL;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_warp: what looks across lanes: shfl, vote, match, redux, activemask.
 *
 * A member mask may differ from lane to lane (two groups of one warp at one instruction), so each lane looks at the lanes that
 * are on and in its own mask. Without a mask (the forms before .sync): all lanes that are on. Where PTX leaves a value open:
 * shfl from a lane that is off gives the reader its own value; the predicate tells only whether the source was in range.
 */
#include "exec/alu_fp.h"

INLINE uint32_t members(const struct insn *i, const struct alu_io *io, unsigned at, unsigned l) {
  return at < i->nsrc ? io->src[at][l] & io->lanes : io->lanes;
}

ALU_FN(shfl) {
  uint32_t a[32], out[32], in_range = 0;
  const uint32_t *pb = io->src[1], *pc = io->src[2];
  memcpy(a, io->src[0], sizeof a);
  for (unsigned l = 0; l < 32; l++) {
    const unsigned b = pb[l] & 31, c = pc[l] & 31, seg = pc[l] >> 8 & 31;
    const unsigned max = (l & seg) | (c & ~seg), min = l & seg;
    unsigned j;
    bool ok;
    switch (i->sub) {
      case SHFL_UP: j = l - b, ok = (int)j >= (int)max; break;
      case SHFL_DOWN: j = l + b, ok = j <= max; break;
      case SHFL_BFLY: j = l ^ b, ok = j <= max; break;
      default: j = min | (b & ~seg), ok = j <= max; break;
    }
    j &= 31;
    out[l] = a[ok && io->lanes >> j & 1 ? j : l];
    in_range |= (uint32_t)ok << l;
  }
  memcpy(io->dst[0], out, sizeof out);
  io->pdst[1] = in_range;
}

ALU_FN(vote) {
  const uint32_t p = io->psrc[0];
  uint32_t out[32], yes = 0;
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = members(i, io, 1, l), t = p & m;
    const bool all = t == m, any = t != 0;
    const bool r = i->sub == VOTE_ALL ? all : i->sub == VOTE_ANY ? any : all || !any;
    yes |= (uint32_t)r << l;
    out[l] = t;
  }
  if (i->sub == VOTE_BALLOT) memcpy(io->dst[0], out, sizeof out);
  else io->pdst[0] = yes;
}

/* any: the members with the lane's value. all: the members if all have the same value, else 0. */
INLINE void match(const struct insn *i, struct alu_io *io, bool wide) {
  uint64_t a[32];
  uint32_t out[32], all = 0;
  for (unsigned l = 0; l < 32; l++) a[l] = wide ? LD_u64(io->src[0], l) : io->src[0][l];
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = members(i, io, 1, l);
    uint32_t same = 0;
    for (unsigned k = 0; k < 32; k++) same |= (uint32_t)(a[k] == a[l]) << k;
    same &= m;
    out[l] = i->sub == MATCH_ANY || same == m ? same : 0;
    all |= (uint32_t)(same == m) << l;
  }
  memcpy(io->dst[0], out, sizeof out);
  io->pdst[1] = all;
}
ALU_FN(match_32) { match(i, io, false); }
ALU_FN(match_64) { match(i, io, true); }

ALU_FN(redux) {
  uint32_t out[32], last_mask = 0, last = 0;
  for (unsigned l = 0; l < 32; l++) {
    const uint32_t m = members(i, io, 1, l);
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

ALU_FN(activemask) {
  (void)i;
  for (unsigned l = 0; l < 32; l++) io->dst[0][l] = io->lanes;
}

alu_fn *alu_pick_warp(const struct insn *i) {
  const bool b32 = i->type == T_B32, arith = i->type == T_U32 || i->type == T_S32;
  if (i->rnd != R_NONE || !mods_in(i, M_SYNC)) return NULL;
  switch (i->op) {
    case OP_SHFL: return b32 && i->sub <= SHFL_IDX ? shfl : NULL;
    case OP_VOTE: return i->sub <= VOTE_BALLOT ? vote : NULL;
    case OP_MATCH: return i->sub > MATCH_ALL ? NULL : b32 ? match_32 : i->type == T_B64 ? match_64 : NULL;
    case OP_REDUX:
      switch (i->sub) {
        case ATOM_ADD: case ATOM_MIN: case ATOM_MAX: return arith ? redux : NULL;
        case ATOM_AND: case ATOM_OR: case ATOM_XOR: return b32 ? redux : NULL;
        default: return NULL;
      }
    case OP_ACTIVEMASK: return activemask;
    default: return NULL;
  }
}

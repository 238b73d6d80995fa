/* SPDX-License-Identifier: Apache-2.0 */
/* texture_decode: checks of TEX, TLD4, TXQ, SULD and SUST that need no handle, once per launch. */
#include "exec/texture_warp.h"

static bool operand_is_plain(const struct opnd *o, unsigned words) {
  return o->kind == O_REG || o->kind == O_SREG ? o->words == words : o->kind == O_IMM || o->kind == O_CBANK;
}
static bool operand_is_handle(const struct opnd *o) { return operand_is_plain(o, 1) || operand_is_plain(o, 2); }

static const char *decode_fetch(const struct insn *i) {
  const bool cube = i->sub == GEOM_CUBE || i->sub == GEOM_ACUBE, layered = geom_layered((enum tex_geom)i->sub);
  const unsigned given = 1 + (i->tex & TEX_SAMPLER), level = i->op == OP_TEX && i->cmp == TEX_LEVEL;
  const unsigned vec = i->vec ? i->vec : 1;
  if (i->sub >= GEOM_COUNT || i->tex > 7 || i->cmp > TEX_LEVEL) return "found an unknown form";
  if (i->stype != T_F32 && i->stype != T_S32) return "found coordinates that are neither s32 nor f32";
  if (i->type != T_F32 && i->type != T_F16 && i->type != T_F16X2 && i->type != T_U32 && i->type != T_S32)
    return "found a result that is none of u32, s32, f32, f16, f16x2";
  if (i->tex & TEX_COMPARE && (i->type == T_U32 || i->type == T_S32))
    return "found a comparison with integers as the result";
  if (cube && (i->stype == T_S32 || i->tex & TEX_OFFSET)) return "cubes take f32 coordinates and no offsets";
  if (i->op == OP_TLD4 && (i->sub == GEOM_1D || i->sub == GEOM_3D || i->sub == GEOM_A1D || i->stype != T_F32 ||
                           i->boolop > 3 || i->cmp != TEX_BASE))
    return "tld4 takes f32 coordinates of 2d, a2d, cube and acube, and a component 0 to 3";
  if (vec > 4 || vec * (i->type == T_F16X2 ? 2 : 1) > 4 || i->ndst != vec)
    return "found a wrong number of results, expected as many as the vector has";
  if (i->nsrc !=
      given + layered + geom_axes((enum tex_geom)i->sub) + level + !!(i->tex & TEX_OFFSET) + !!(i->tex & TEX_COMPARE))
    return "found a wrong number of operands";
  for (unsigned k = 0; k < i->nsrc; k++)
    if (k < given ? !operand_is_handle(&i->src[k]) : !operand_is_plain(&i->src[k], 1)) return "found a wrong operand";
  for (unsigned k = 0; k < i->ndst; k++)
    if (i->dst[k].kind != O_NONE && (i->dst[k].kind != O_REG || i->dst[k].words != 1))
      return "found a wrong destination";
  return NULL;
}

static const char *decode_query(const struct insn *i) {
  const bool level = i->cmp == TEX_LEVEL;
  if (i->sub > TXQ_MEMORY_LAYOUT || i->cmp > TEX_LEVEL || (level && i->sub > TXQ_DEPTH))
    return "found an unknown query";
  if (i->nsrc != 1u + level || i->ndst != 1) return "found a wrong number of operands";
  if (!operand_is_handle(&i->src[0]) || (level && !operand_is_plain(&i->src[1], 1))) return "found a wrong operand";
  if (i->dst[0].kind != O_NONE && (i->dst[0].kind != O_REG || i->dst[0].words != 1)) return "found a wrong destination";
  return NULL;
}

static const char *decode_surface(struct dinsn *d) {
  const struct insn *i = d->insn;
  const unsigned size = dtype_bytes((enum dtype)i->type), vec = i->vec ? i->vec : 1;
  const bool store = i->op == OP_SUST, formatted = store && i->tex & SU_FORMATTED;
  if (i->sub >= GEOM_CUBE || i->cmp > SU_ZERO || (!store && i->tex)) return "found an unknown form";
  if (vec > 4 || vec == 3 || (formatted ? size != 4 || vec + (i->tex >> 4) > 4 : !size || size > 8 || size * vec > 16))
    return "found an access of more than 16 bytes, or of 3 elements";
  const unsigned before = 1 + geom_layered((enum tex_geom)i->sub) + geom_axes((enum tex_geom)i->sub);
  if (i->nsrc != before + (store ? vec : 0) || i->ndst != (store ? 0 : vec)) return "found a wrong number of operands";
  for (unsigned k = 0; k < i->nsrc; k++) {
    const struct opnd *o = &i->src[k];
    if (k == 0       ? !operand_is_handle(o)
        : k < before ? !operand_is_plain(o, 1)
        : size == 8  ? !operand_is_plain(o, 2)
                     : !operand_is_handle(o))
      return "found a wrong operand";
  }
  for (unsigned k = 0; k < i->ndst; k++)
    if (i->dst[k].kind != O_NONE && (i->dst[k].kind != O_REG || (size == 8 && i->dst[k].words != 2)))
      return "found a wrong destination";
  d->size = (uint8_t)size;
  d->vec = (uint8_t)vec;
  d->total = (uint8_t)(size * vec);
  return NULL;
}

const char *texture_decode(struct exec *x, struct dinsn *d) {
  const struct insn *i = d->insn;
  const struct textures *all = x->launch->textures;
  if (!x->images) {
    x->images = xcalloc(1, sizeof *x->images);
    x->images->n = all ? all->ntexture : 0;
    x->images->image = xcalloc(x->images->n, sizeof *x->images->image);
  }
  switch ((enum opcode)i->op) {
    case OP_TEX:
    case OP_TLD4: d->kind = DK_TEX; return decode_fetch(i);
    case OP_TXQ: d->kind = DK_TXQ; return decode_query(i);
    default: d->kind = DK_SURFACE; return decode_surface(d);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* texture: which operand of an instruction on textures and surfaces is what. */
#include "compiler/ir/texture.h"

#include "compiler/ir/code.h"

static enum tex_source of_surface(const struct insn *i, unsigned k) {
  const enum tex_geom g = (enum tex_geom)i->sub;
  if (geom_layered(g) && k-- == 0) return TS_LAYER;
  return k < geom_axes(g) ? TS_COORDINATE : TS_VALUE;
}

enum tex_source tex_source(const struct insn *i, unsigned k) {
  const enum tex_geom g = (enum tex_geom)i->sub;
  if (k-- == 0) return TS_HANDLE;
  if (i->op == OP_TXQ) return TS_LEVEL;
  if (i->op == OP_SULD || i->op == OP_SUST) return of_surface(i, k);
  if (i->tex & TEX_SAMPLER && k-- == 0) return TS_HANDLE;
  if (geom_layered(g) && k-- == 0) return TS_LAYER;
  if (k < geom_axes(g)) return TS_COORDINATE;
  k -= geom_axes(g);
  if (i->op == OP_TEX && i->cmp == TEX_LEVEL && k-- == 0) return TS_LEVEL;
  return i->tex & TEX_OFFSET && k == 0 ? TS_OFFSET : TS_COMPARE;
}

uint8_t tex_source_type(const struct insn *i, unsigned k) {
  const bool surface = i->op == OP_SULD || i->op == OP_SUST;
  switch (tex_source(i, k)) {
    case TS_HANDLE: return T_B64;
    case TS_COORDINATE: return surface ? T_B32 : i->stype;
    case TS_LEVEL: return i->op == OP_TXQ ? T_U32 : i->stype;
    case TS_COMPARE: return T_F32;
    case TS_VALUE: return i->type;
    default: return T_U32;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on textures and surfaces: tex, tld4, txq, suq, suld, sust, istypep. */
#include <stdio.h>
#include <string.h>

#include "compiler/ptx/check_parts.h"

static bool check_is_surface(const struct ir_insn *i) { return i->rule->op == OP_SULD || i->rule->op == OP_SUST; }

/* ---- modifiers ---- */

static bool check_geometry(struct ctx *c) {
  struct ir_insn *i = c->i;
  const bool cube = i->sub == GEOM_CUBE || i->sub == GEOM_ACUBE;
  if (i->sub == TEX_MULTISAMPLE) return AT_INSN(c, "found '%.*s': multisample textures are not supported", SHOW(i));
  if (cube && check_is_surface(i))
    return AT_INSN(c, "found a cube in '%.*s', expected one of .1d, .2d, .3d, .a1d, .a2d", SHOW(i));
  if (i->rule->op == OP_TLD4 && i->sub != GEOM_2D && i->sub != GEOM_A2D && !cube)
    return AT_INSN(c, "found a geometry in '%.*s' that it does not take, expected one of .2d, .a2d, .cube, .acube",
                   SHOW(i));
  if (cube && i->stype != T_F32)
    return AT_INSN(c, "found coordinates of type %s in '%.*s', expected .f32 for a cube", type_text(i->stype), SHOW(i));
  return true;
}

static bool check_query(struct ctx *c) {
  static const uint32_t of_surface = 1u << TXQ_WIDTH | 1u << TXQ_HEIGHT | 1u << TXQ_DEPTH | 1u << TXQ_CHANNEL_TYPE |
                                     1u << TXQ_CHANNEL_ORDER | 1u << TXQ_ARRAY_SIZE | 1u << TXQ_MEMORY_LAYOUT;
  struct ir_insn *i = c->i;
  if (!strcmp(i->rule->name, "suq") && !(of_surface >> (i->sub & 15) & 1))
    return AT_INSN(c, "found a query in '%.*s' that a surface does not have", SHOW(i));
  if ((c->seen & G(LOD)) && i->cmp != TEX_LEVEL)
    return AT_INSN(c, "found '%.*s', expected '.level' or nothing before the query", SHOW(i));
  if (i->cmp == TEX_LEVEL && i->sub > TXQ_DEPTH)
    return AT_INSN(c, "found '.level' in '%.*s', expected it with .width, .height or .depth only", SHOW(i));
  return true;
}

bool check_texture_mods(struct ctx *c) {
  struct ir_insn *i = c->i;
  const unsigned op = i->rule->op;
  if (op == OP_ISTYPEP) return true;
  if (op == OP_TXQ) return check_query(c);
  if (check_is_surface(i)) {
    if (op == OP_SULD && i->tex) return AT_INSN(c, "found '%.*s', expected 'suld.b'", SHOW(i));
    if (i->vec > 4) return AT_INSN(c, "found '%.*s', expected at most .v4", SHOW(i));
    if (i->tex && i->type != T_B32)
      return AT_INSN(c, "found type %s in '%.*s', expected .b32 with .p", type_text(i->type), SHOW(i));
    if (type_bits(i->type) * i->vec > 128) return AT_INSN(c, "found '%.*s', expected at most 128 bits", SHOW(i));
  } else if (i->vec != (i->type == T_F16X2 ? 2 : 4)) {
    return AT_INSN(c, "found '%.*s', expected %s with type %s", SHOW(i), i->type == T_F16X2 ? ".v2" : ".v4",
                   type_text(i->type));
  }
  return check_geometry(c);
}

/* ---- operands ---- */

static bool check_texture_handle(struct ctx *c, const struct ir_opnd *o, uint8_t kind) {
  char expected[80];
  if (o->kind == IO_SYM && (o->var->refused || (o->var->handle == kind && !o->imm))) return true;
  if (o->kind == IO_REG && !o->neg && type_bits(c->f->reg[o->reg].type) == 64 &&
      type_class(c->f->reg[o->reg].type) != TC_FLOAT)
    return true;
  snprintf(expected, sizeof expected, "a %s variable or a register of .u64", handle_text(kind));
  return check_wrong(c, o, expected);
}

/* `n` elements in { }, or one alone; the first is the layer of an array. */
static bool check_vector(struct ctx *c, const struct ir_opnd *o, unsigned n, uint8_t type, bool layered) {
  const struct ir_opnd *x = o->kind == IO_VEC ? o->elem : o;
  if (!check_length(c, o, n, true, "element")) return false;
  for (unsigned k = 0; k < n; k++) {
    if (x[k].kind == IO_SYM) return check_wrong(c, &x[k], "a register or a constant");
    if (!check_source(c, &x[k], layered && k == 0 ? T_U32 : type, false)) return false;
  }
  return true;
}

/* `tex` takes four elements for every geometry, as PTX before 1.5 had it, and ignores the further ones. */
static bool check_coordinates(struct ctx *c, const struct ir_opnd *o, uint8_t type) {
  static const uint8_t own[GEOM_COUNT] = {1, 2, 4, 2, 4, 4, 4}; /* padding included */
  const bool four = c->i->rule->op == OP_TEX && o->kind == IO_VEC && o->n == 4;
  return check_vector(c, o, four ? 4 : own[c->i->sub], type, geom_layered((enum tex_geom)c->i->sub));
}

/* [a, c] or, with `sampler`, [a, b, c]. */
static bool check_texture_place(struct ctx *c, const struct ir_opnd *o, uint8_t kind, uint8_t type) {
  if (o->kind != IO_TEX) return check_wrong(c, o, "a texture or surface and coordinates in [ ]");
  const bool may = kind == HANDLE_TEXTURE, must = may && c->ir->independent;
  if (o->n < 2) return AT_OPND(c, o, "found no coordinates for '%.*s'", SHOW(c->i));
  if (must && o->n < 3)
    return AT_OPND(c, o, "found no sampler for '%.*s', expected one after the texture: .target has texmode_independent",
                   SHOW(c->i));
  if (!may && o->n > 2) return AT_OPND(c, o, "found three parts in [ ] for '%.*s', expected two", SHOW(c->i));
  if (!check_texture_handle(c, &o->elem[0], kind)) return false;
  if (o->n == 3 && !check_texture_handle(c, &o->elem[1], HANDLE_SAMPLER)) return false;
  return check_coordinates(c, &o->elem[o->n - 1], type);
}

static bool check_texture_results(struct ctx *c, const struct ir_opnd *o) {
  struct ir_insn *i = c->i;
  const bool wider = i->rule->op == OP_SULD;
  const struct ir_opnd *x = o->kind == IO_VEC ? o->elem : o;
  unsigned words = 0;
  if (!check_length(c, o, i->vec, true, "element")) return false;
  for (unsigned k = 0; k < i->vec; k++) {
    if (x[k].kind == IO_SINK) continue;
    if (!check_dest(c, &x[k], i->type, wider)) return false;
    words += type_bits(c->f->reg[x[k].reg].type) == 64 ? 2 : 1;
  }
  if (words > INSN_DST)
    return AT_INSN(c, "found '%.*s' with %u 32-bit registers, expected at most %u", SHOW(i), words, INSN_DST);
  return true;
}

static bool check_offsets(struct ctx *c, const struct ir_opnd *o) {
  const enum tex_geom g = (enum tex_geom)c->i->sub;
  const unsigned n = geom_axes(g);
  if (g == GEOM_CUBE || g == GEOM_ACUBE)
    return AT_OPND(c, o, "found an offset for '%.*s', expected none for a cube", SHOW(c->i));
  if (!check_vector(c, o, n == 3 ? 4 : n, T_S32, false)) return false;
  const struct ir_opnd *x = o->kind == IO_VEC ? o->elem : o;
  for (unsigned k = 0; k < n; k++)
    if (x[k].kind == IO_IMM && (x[k].imm < -8 || x[k].imm > 7))
      return AT_OPND(c, &x[k], "found offset %lld, expected -8 to 7", (long long)x[k].imm);
  return true;
}

/* A scalar behind the coordinates of a 1-D texture: an offset, not what depths are compared with. */
static bool scalar_offset(const struct ctx *c, const struct ir_opnd *o) {
  if (geom_axes((enum tex_geom)c->i->sub) != 1) return false;
  return o->kind == IO_IMM || (o->kind == IO_REG && type_class(c->f->reg[o->reg].type) == TC_INT);
}

static bool check_comparison(struct ctx *c, const struct ir_opnd *o) {
  if (c->i->sub == GEOM_3D)
    return AT_OPND(c, o, "found a value to compare with for '%.*s', expected none for .3d", SHOW(c->i));
  if (c->i->stype != T_F32)
    return AT_OPND(c, o, "found a value to compare with for '%.*s', expected coordinates of .f32 with it", SHOW(c->i));
  if (o->kind == IO_IMM || (o->kind == IO_REG && type_class(c->f->reg[o->reg].type) == TC_INT))
    return check_wrong(c, o, "offsets in { }, or a value of .f32 to compare with");
  return check_source(c, o, T_F32, false);
}

static bool check_sample_opnds(struct ctx *c) {
  static const uint8_t gradient[GEOM_COUNT] = {1, 2, 4, 1, 2, 4, 4};
  struct ir_insn *i = c->i;
  const unsigned more = i->cmp == TEX_LEVEL ? 1 : i->cmp == TEX_GRADIENT ? 2 : 0;
  unsigned k = 2;
  if (!check_count(c, 2 + more, 4 + more)) return false;
  if (!check_texture_results(c, &i->opnd[0]) || !check_texture_place(c, &i->opnd[1], HANDLE_TEXTURE, i->stype))
    return false;
  if (i->cmp == TEX_LEVEL && !check_source(c, &i->opnd[k++], i->stype, false)) return false;
  for (unsigned g = 0; i->cmp == TEX_GRADIENT && g < 2; g++) {
    const struct ir_opnd *o = &i->opnd[k++];
    if (o->kind != IO_VEC) return check_wrong(c, o, "a vector of derivatives in { }");
    if (!check_vector(c, o, gradient[i->sub], T_F32, false)) return false;
  }
  if (k < i->nopnd && (i->opnd[k].kind == IO_VEC || scalar_offset(c, &i->opnd[k]))) {
    i->tex |= TEX_OFFSET;
    if (!check_offsets(c, &i->opnd[k++])) return false;
  }
  if (k < i->nopnd) {
    i->tex |= TEX_COMPARE;
    if (!check_comparison(c, &i->opnd[k++])) return false;
  }
  if (k < i->nopnd) return AT_OPND(c, &i->opnd[k], "found one operand too many for '%.*s'", SHOW(i));
  return true;
}

static bool check_query_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  const unsigned n = i->cmp == TEX_LEVEL ? 3 : 2;
  const bool of_sampler =
      i->sub == TXQ_FORCE_UNNORMALIZED || (c->ir->independent && i->sub >= TXQ_FILTER_MODE && i->sub <= TXQ_ADDR_2);
  const uint8_t kind = !strcmp(i->rule->name, "suq") ? HANDLE_SURFACE : of_sampler ? HANDLE_SAMPLER : HANDLE_TEXTURE;
  if (!check_count(c, n, n) || !check_dest(c, &i->opnd[0], T_B32, false)) return false;
  const struct ir_opnd *o = &i->opnd[1];
  if (o->kind != IO_TEX || o->n != 1) return check_wrong(c, o, "one texture, sampler or surface in [ ]");
  if (!check_texture_handle(c, &o->elem[0], kind)) return false;
  return n < 3 || check_vector(c, &i->opnd[2], 1, T_U32, false);
}

static bool check_surface_values(struct ctx *c, const struct ir_opnd *o) {
  struct ir_insn *i = c->i;
  const struct ir_opnd *x = o->kind == IO_VEC ? o->elem : o;
  if (!check_length(c, o, i->vec, true, "element")) return false;
  for (unsigned k = 0; k < i->vec; k++) {
    if (x[k].kind == IO_SYM) return check_wrong(c, &x[k], "a register or a constant");
    if (!check_source(c, &x[k], i->type, true)) return false;
  }
  return true;
}

static bool check_istypep(struct ctx *c) {
  const struct ir_opnd *o = &c->i->opnd[1];
  if (!check_count(c, 2, 2) || !check_dest(c, &c->i->opnd[0], T_PRED, false)) return false;
  return o->kind == IO_REG ? check_source(c, o, T_U64, false) : check_wrong(c, o, "a register of .u64");
}

bool check_texture_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  switch (i->rule->op) {
    case OP_TXQ: return check_query_opnds(c);
    case OP_SULD:
      return check_count(c, 2, 2) && check_texture_results(c, &i->opnd[0]) &&
             check_texture_place(c, &i->opnd[1], HANDLE_SURFACE, T_B32);
    case OP_SUST:
      return check_count(c, 2, 2) && check_texture_place(c, &i->opnd[0], HANDLE_SURFACE, T_B32) &&
             check_surface_values(c, &i->opnd[1]);
    case OP_ISTYPEP: return check_istypep(c);
    default: return check_sample_opnds(c);
  }
}

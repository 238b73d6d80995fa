/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/check.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ptx/check_parts.h"
#include "compiler/ptx/check_tensor.h"

static bool types_have(uint32_t types, uint8_t t) { return types >> t & 1; }

/* ---- modifiers ---- */

/* Types that may stand at place k. Those of matrices: D, A, B, C. */
static uint32_t types_at(const struct rule *r, unsigned k) {
  const bool matrix = r->op == OP_MMA || r->op == OP_WMMA;
  const uint32_t of[] = {r->t0, r->t1, matrix ? r->t1 : r->t2, matrix ? r->t0 : 0};
  return k < 4 ? of[k] : 0;
}

static bool check_take_type(struct ctx *c, const struct ir_mod *m, uint8_t type, unsigned *ntypes) {
  struct ir_insn *i = c->i;
  const struct rule *r = i->rule;
  uint32_t allowed = types_at(r, *ntypes);
  char list[256];
  if (allowed && !*ntypes && !types_have(allowed, type)) { /* of a later rule of this name? */
    const struct rule *other = rule_of_type(r, type, &allowed);
    if (other) i->rule = other;
  }
  if (!allowed)
    return err_at(c->e, c->ir->file, m->line, m->col, "found type '%s', expected %s for '%s'", type_text(type),
                  *ntypes == 0   ? "no type"
                  : *ntypes == 1 ? "one type only"
                  : *ntypes == 2 ? "two types only"
                  : *ntypes == 3 ? "three types only"
                                 : "four types only",
                  r->name);
  if (!types_have(allowed, type))
    return err_at(c->e, c->ir->file, m->line, m->col,
                  "found type '%s', which '%s' does not take here; expected one of %s", type_text(type), r->name,
                  list_types(allowed, list, sizeof list));
  uint8_t *const to[] = {&i->type, &i->stype, &i->btype, &i->ctype};
  *to[*ntypes] = type;
  ++*ntypes;
  return true;
}

static void check_take_word(struct ir_insn *i, const struct word *w) {
  uint32_t v = w->value;
  switch (w->group) {
    case G_RND: i->rnd = (uint8_t)v; break;
    case G_LOD:
    case G_OUTSIDE:
    case G_CMP: i->cmp = (uint8_t)v; break;
    case G_COMP:
    case G_BOOL: i->boolop = (uint8_t)v; break;
    case G_NUM:
    case G_VEC: i->vec = (uint8_t)v; break;
    case G_SPACE:
      i->space = (uint8_t)v;
      i->flags |= v >> 8;
      break;
    case G_ATOM:
    case G_PRMT:
    case G_TESTP:
    case G_SHFL:
    case G_VOTE:
    case G_MATCH:
    case G_GEOM:
    case G_QUERY:
    case G_REFTYPE:
    case G_MMA:
    case G_WSHAPE:
    case G_GROUPS:
    case G_BAR:
    case G_BARRED: i->sub = (uint8_t)v; break;
    case G_SEM:
      if (v != SEM_WEAK) i->mods |= M_VOLATILE;
      if (v == SEM_ACQUIRE || v == SEM_ACQ_REL) i->mods |= M_ACQUIRE;
      if (v == SEM_RELEASE || v == SEM_ACQ_REL) i->mods |= M_RELEASE;
      break;
    case G_MBAR:
      i->sub = (uint8_t)v;
      i->cmp |= (uint8_t)(v >> 8);
      break;
    case G_MBTX:
    case G_MBMOD:
    case G_CPNOINC: i->cmp |= (uint8_t)v; break;
    case G_SUFORM: i->tex = (uint8_t)v; break;
    case G_TO: i->flags |= IF_TO; break;
    case G_FRAGMENT: i->fragment |= (uint8_t)v; break;
    case G_LAYOUT: i->layout |= (uint8_t)(v << i->layouts++); break;
    case G_SCOPE:
    case G_NOFTZ:
    case G_ALIGNED:
    case G_POPC:
    case G_LEVEL: break;
    case G_EVICT:
      if (v & HINT) i->flags |= IF_HINT;
      i->mods |= v & ~(uint32_t)HINT;
      break;
    case G_CACHE: i->mods |= v & ~(uint32_t)(LD_ONLY | ST_ONLY); break;
    default: i->mods |= v; break;
  }
}

bool check_packed_type(const char *s, size_t n) {
  static const char *const names[] = {"u16x2",  "s16x2",  "b128",    "f32x2",  "u8x4", "s8x4", "e4m3", "e5m2",
                                      "e4m3x2", "e5m2x2", "ue8m0x2", "s2f6x2", "u4",   "s4",   "b1"};
  for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strlen(names[k]) == n && !memcmp(names[k], s, n)) return true;
  return false;
}

static bool check_take_mod(struct ctx *c, const struct ir_mod *m) {
  struct ir_insn *i = c->i;
  int n = m->n > 40 ? 40 : (int)m->n;
  const struct word *w = word_named(m->s, m->n, i->rule->groups);
  if (!w && check_packed_type(m->s, m->n))
    return err_at(c->e, c->ir->file, m->line, m->col, "found type '.%.*s': it is not supported", n, m->s);
  char list[128];
  const bool wide = i->rule->op == OP_WMMA;
  if (!w && (wide || i->rule->op == OP_MMA) && m->n > 1 && m->s[0] == 'm' && m->s[1] >= '0' && m->s[1] <= '9')
    return err_at(c->e, c->ir->file, m->line, m->col, "found shape '.%.*s', expected one of %s", n, m->s,
                  list_words(wide ? G(WSHAPE) : G(MMA), list, sizeof list));
  if (!w && !word_named(m->s, m->n, ~0ull))
    return err_at(c->e, c->ir->file, m->line, m->col, "found unknown modifier '.%.*s' of '%s'", n, m->s, i->rule->name);
  if (!w)
    return err_at(c->e, c->ir->file, m->line, m->col, "found modifier '.%.*s', which '%s' does not take", n, m->s,
                  i->rule->name);
  uint64_t g = 1ull << w->group;
  if ((c->seen & g) && !(g & (G(EVICT) | G(XORSIGN) | G(SCOPE) | G(FRAGMENT))) && !(g == G(LAYOUT) && i->layouts < 2))
    return err_at(c->e, c->ir->file, m->line, m->col, "found a second modifier of its kind, '.%.*s', expected one", n,
                  m->s);
  uint64_t before = g == G(CPTO) ? G(CPFROM) : 0;
  if (c->seen & before)
    return err_at(c->e, c->ir->file, m->line, m->col,
                  "found modifier '.%.*s' in the wrong place, expected '.shared.global'", n, m->s);
  if (g == G(LOD) && c->seen & G(GEOM))
    return err_at(c->e, c->ir->file, m->line, m->col,
                  "found modifier '.%.*s' in the wrong place, expected it before the geometry", n, m->s);
  if (g == G(SCOPE) && w->value)
    return err_at(c->e, c->ir->file, m->line, m->col, "found '.cluster': clusters are not supported");
  if (g == G(CACHE) && (w->value & (i->rule->op == OP_LD || i->rule->op == OP_SULD ? ST_ONLY : LD_ONLY)))
    return err_at(c->e, c->ir->file, m->line, m->col, "found modifier '.%.*s', which '%s' does not take", n, m->s,
                  i->rule->name);
  if (g == G(SEM)) {
    unsigned v = w->value, op = i->rule->op;
    bool ok = op == OP_LD         ? v == SEM_VOLATILE || v == SEM_RELAXED || v == SEM_ACQUIRE || v == SEM_WEAK
              : op == OP_ST       ? v == SEM_VOLATILE || v == SEM_RELAXED || v == SEM_RELEASE || v == SEM_WEAK
              : op == OP_MBARRIER ? v >= SEM_RELAXED && v <= SEM_RELEASE
              : op == OP_MEMBAR   ? v == SEM_SC || v == SEM_ACQ_REL || v == SEM_ACQUIRE || v == SEM_RELEASE
                                  : v == SEM_RELAXED || v == SEM_RELEASE ||
                                      (strcmp(i->rule->name, "red") && v >= SEM_ACQUIRE && v <= SEM_ACQ_REL);
    c->ordered = v >= SEM_RELAXED && v <= SEM_ACQ_REL;
    if (!ok)
      return err_at(c->e, c->ir->file, m->line, m->col, "found modifier '.%.*s', which '%s' does not take", n, m->s,
                    i->rule->name);
  }
  c->seen |= g;
  check_take_word(i, w);
  return true;
}

static bool not_for_type(struct ctx *c, const char *mod) {
  return AT_INSN(c, "found modifier '%s' in '%.*s', expected none with type %s", mod, SHOW(c->i),
                 type_text(c->i->type));
}

/* A needed modifier of these groups is missing. */
static bool check_need(struct ctx *c, uint64_t groups) {
  char list[256];
  return AT_INSN(c, "found '%.*s' without a needed modifier, expected one of %s", SHOW(c->i),
                 list_words(groups, list, sizeof list));
}

/* Roundings and what stands in their place (.approx, .full). */
static bool check_rounding(struct ctx *c) {
  struct ir_insn *i = c->i;
  bool flt = type_class(i->type) == TC_FLOAT;
  uint64_t seen = c->seen;
  if (i->rule->op == OP_CVT) return true;
  if ((seen & G(RND)) && !flt) return not_for_type(c, ".rn or the like");
  if (i->rnd > R_RP) return AT_INSN(c, "found a rounding to integer in '%.*s', expected .rn, .rz, .rm or .rp", SHOW(i));
  if ((seen & (G(APPROX) | G(FULL))) && !flt) return not_for_type(c, seen & G(FULL) ? ".full" : ".approx");
  unsigned ways = !!(seen & G(RND)) + !!(seen & G(APPROX)) + !!(seen & G(FULL));
  if (ways > 1) return AT_INSN(c, "found '%.*s' with two of rounding, .approx and .full, expected one", SHOW(i));
  if ((i->rule->op == OP_DIV || i->rule->op == OP_RCP || i->rule->op == OP_SQRT || i->rule->op == OP_MAD) && flt &&
      !ways)
    return check_need(c, (i->rule->groups & (G(APPROX) | G(FULL))) | G(RND));
  return true;
}

static bool cvt_rounding(struct ctx *c) {
  struct ir_insn *i = c->i;
  bool from = type_class(i->stype) == TC_FLOAT, to = type_class(i->type) == TC_FLOAT;
  bool integer = i->rnd >= R_RNI && i->rnd <= R_RPI, given = i->rnd != R_NONE;
  unsigned sb = type_bits(i->stype), db = type_bits(i->type);
  if (((i->mods & M_SAT) || sb == 8 || db == 8) && (i->type == T_BF16 || i->stype == T_BF16))
    return AT_INSN(c, "found '%.*s', expected no 8-bit type and no .sat with .bf16", SHOW(i));
  bool narrows =
      from && to && (db < sb || (db == sb && i->type != i->stype)) && i->type != T_F16X2 && i->type != T_BF16X2;
  if (i->type == T_TF32)
    return given ? true : AT_INSN(c, "found '%.*s' without a rounding, expected .rna, .rn or .rz", SHOW(i));
  if (i->type == T_F16X2 || i->type == T_BF16X2) {
    if (i->stype != T_F32) return AT_INSN(c, "found '%.*s', expected source type .f32", SHOW(i));
    if (i->mods & (M_SAT | M_FTZ)) return AT_INSN(c, "found '%.*s', expected no .sat and no .ftz", SHOW(i));
    return given && !integer ? true : check_need(c, G(RND));
  }
  if (!from && !to && given) return AT_INSN(c, "found a rounding in '%.*s', expected none between integers", SHOW(i));
  if (from && !to && !integer) return AT_INSN(c, "found '%.*s', expected one of .rni, .rzi, .rmi, .rpi", SHOW(i));
  if (((!from && to) || narrows) && (!given || integer || i->rnd > R_RP))
    return AT_INSN(c, "found '%.*s', expected one of .rn, .rz, .rm, .rp", SHOW(i));
  if (from && to && db > sb && given)
    return AT_INSN(c, "found a rounding in '%.*s', expected none: it is exact", SHOW(i));
  if (from && i->type == i->stype && given && !integer)
    return AT_INSN(c, "found '%.*s', expected one of .rni, .rzi, .rmi, .rpi", SHOW(i));
  return true;
}

static bool check_arith(struct ctx *c) {
  struct ir_insn *i = c->i;
  enum tclass cls = type_class(i->type);
  unsigned op = i->rule->op, bits = type_bits(i->type);
  uint64_t seen = c->seen;
  const uint32_t ftz = TY(F32) | TY(F16) | TY(F16X2) | TY(BF16) | TY(BF16X2);
  if ((seen & G(FTZ)) && !types_have(ftz, i->type) && !types_have(ftz, i->stype) &&
      !(i->type == T_F64 && (op == OP_RCP || op == OP_RSQRT) && (seen & G(APPROX))))
    return not_for_type(c, ".ftz");
  if ((seen & G(SAT)) && op != OP_CVT && !(i->rule->need & G(SAT)) && i->type != T_S32 &&
      !(cls == TC_FLOAT && i->type != T_F64))
    return not_for_type(c, ".sat");
  if ((seen & G(SAT)) && i->type == T_S32 && (op == OP_MUL || ((op == OP_MAD || op == OP_MAD24) && !(i->mods & M_HI))))
    return AT_INSN(c, "found modifier '.sat' in '%.*s', which does not take it", SHOW(i));
  if (op == OP_MUL || op == OP_MAD) {
    bool lhw = seen & (G(LOHI) | G(WIDE));
    if (lhw && cls == TC_FLOAT) return not_for_type(c, ".lo, .hi or .wide");
    if (!lhw && cls != TC_FLOAT) return check_need(c, G(LOHI) | G(WIDE));
    if ((seen & G(LOHI)) && (seen & G(WIDE)))
      return AT_INSN(c, "found '%.*s' with two of .lo, .hi and .wide, expected one", SHOW(i));
    if ((seen & G(WIDE)) && bits == 64) return not_for_type(c, ".wide");
  }
  if ((seen & G(CC)) && (cls != TC_INT || bits == 16 || (seen & (G(WIDE) | G(SAT))))) return not_for_type(c, ".cc");
  if ((seen & (G(NAN) | G(XORSIGN))) && (cls != TC_FLOAT || i->type == T_F64))
    return not_for_type(c, seen & G(NAN) ? ".NaN" : ".xorsign.abs");
  if ((seen & G(RELU)) && op != OP_CVT && !types_have(HALF_TYPES | TY(S32), i->type)) return not_for_type(c, ".relu");
  if ((seen & G(XORSIGN)) && !(i->mods & M_ABS))
    return AT_INSN(c, "found '.xorsign' in '%.*s', expected '.xorsign.abs'", SHOW(i));
  return check_rounding(c);
}

static bool check_compare(struct ctx *c) {
  struct ir_insn *i = c->i;
  uint8_t t = i->rule->op == OP_SET ? i->stype : i->type;
  bool ok = i->cmp <= C_NE;
  switch (type_class(t)) {
    case TC_FLOAT: ok = ok || (i->cmp >= C_LT && i->cmp <= C_GE) || i->cmp >= C_EQU; break;
    case TC_INT: ok = ok || i->cmp <= C_GE || (i->cmp <= C_HS && !(t >= T_S8 && t <= T_S64)); break;
    default: break;
  }
  if (ok) return true;
  return AT_INSN(c, "found a comparison in '%.*s' that type %s does not have", SHOW(i), type_text(t));
}

static bool space_in(uint8_t space, unsigned set) { return set >> space & 1; }

static bool check_memory(struct ctx *c) {
  struct ir_insn *i = c->i;
  unsigned all = 0x3f, set = all;
  const char *expected = "";
  switch (i->rule->op) {
    case OP_ST:
      set = all & ~(1u << SP_CONST);
      expected = "generic, .global, .shared, .local or .param";
      break;
    case OP_ATOM:
      set = 1u << SP_GENERIC | 1u << SP_GLOBAL | 1u << SP_SHARED;
      expected = "generic, .global or .shared";
      break;
    case OP_PREFETCH:
      set = 1u << SP_GENERIC | 1u << SP_GLOBAL | 1u << SP_LOCAL;
      expected = "generic, .global or .local";
      break;
    default: break;
  }
  if (!space_in(i->space, set))
    return AT_INSN(c, "found an address space in '%.*s' that it does not take, expected %s", SHOW(i), expected);
  if (i->rule->op != OP_ATOM && (c->seen & G(SCOPE)) && !(c->ordered))
    return AT_INSN(c, "found a scope in '%.*s', expected .relaxed, .acquire or .release with it", SHOW(i));
  if (i->rule->op != OP_ATOM && c->ordered && !(c->seen & G(SCOPE)))
    return AT_INSN(c, "found '%.*s' without a scope, expected one of .cta, .gpu, .sys", SHOW(i));
  bool ldu = !strcmp(i->rule->name, "ldu");
  if (ldu) i->mods |= M_NC;
  if (((i->mods & M_NC) && i->space != SP_GLOBAL && !(ldu && i->space == SP_GENERIC)))
    return AT_INSN(c, "found '%.*s', expected .global: only global memory is read through .nc and ldu", SHOW(i));
  if ((i->mods & M_NC) && (c->seen & G(SEM)))
    return AT_INSN(c, "found '%.*s', expected no ordering together with .nc", SHOW(i));
  if (i->rule->op == OP_PREFETCH && !(c->seen & (G(LEVEL) | G(EVICT)))) return check_need(c, G(LEVEL));
  return true;
}

static bool check_atom(struct ctx *c) {
  static const uint32_t types[] = {
      [ATOM_ADD] = TY(U32) | TY(S32) | TY(U64) | TY(F32) | TY(F64) | HALF_TYPES,
      [ATOM_MIN] = TY(U32) | TY(S32) | TY(U64) | TY(S64),
      [ATOM_MAX] = TY(U32) | TY(S32) | TY(U64) | TY(S64),
      [ATOM_INC] = TY(U32),
      [ATOM_DEC] = TY(U32),
      [ATOM_AND] = TY(B32) | TY(B64),
      [ATOM_OR] = TY(B32) | TY(B64),
      [ATOM_XOR] = TY(B32) | TY(B64),
      [ATOM_EXCH] = TY(B32) | TY(B64),
      [ATOM_CAS] = TY(B16) | TY(B32) | TY(B64),
  };
  struct ir_insn *i = c->i;
  char list[256];
  bool half = types_have(HALF_TYPES, i->type), red = !strcmp(i->rule->name, "red");
  if (red) i->flags |= IF_RED;
  if (!types_have(types[i->sub], i->type))
    return AT_INSN(c, "found type %s in '%.*s', expected one of %s", type_text(i->type), SHOW(i),
                   list_types(types[i->sub], list, sizeof list));
  if (red && (i->sub == ATOM_EXCH || i->sub == ATOM_CAS))
    return AT_INSN(c, "found '%.*s', expected 'atom': red has no exchange", SHOW(i));
  if (half != !!(c->seen & G(NOFTZ)))
    return AT_INSN(c, half ? "found '%.*s', expected .noftz with this type" : "found '.noftz' in '%.*s', expected none",
                   SHOW(i));
  return true;
}

static bool check_bar(struct ctx *c, unsigned ntypes) {
  struct ir_insn *i = c->i;
  uint64_t seen = c->seen;
  bool red = (seen & G(BAR)) && i->sub >= BAR_RED_POPC && i->sub <= BAR_RED_OR;
  bool warp = (seen & G(BAR)) && i->sub == BAR_WARP;
  if (!(seen & (G(BAR) | G(SYNC)))) return check_need(c, G(BAR) | G(SYNC));
  if ((seen & G(BAR)) && (seen & G(SYNC)) && !warp)
    return AT_INSN(c, "found '%.*s', expected one of .sync, .arrive, .red", SHOW(i));
  if (warp && !(seen & G(SYNC))) return AT_INSN(c, "found '%.*s', expected 'bar.warp.sync'", SHOW(i));
  if (red != !!(seen & G(BARRED)))
    return AT_INSN(c, red ? "found '%.*s', expected .popc, .and or .or" : "found '%.*s', expected .red", SHOW(i));
  if (red ? ntypes != 1 || i->type != (i->sub == BAR_RED_POPC ? T_U32 : T_PRED) : ntypes != 0)
    return AT_INSN(c, "found a wrong type in '%.*s', expected %s", SHOW(i),
                   !red                     ? "none"
                   : i->sub == BAR_RED_POPC ? ".u32"
                                            : ".pred");
  return true;
}

static bool check_cp(struct ctx *c) {
  struct ir_insn *i = c->i;
  const uint64_t copy = G(CPCACHE) | G(CPTO) | G(CPFROM);
  const bool barrier = c->seen & G(GROUPS) && i->sub == ASYNC_MBARRIER;
  if (barrier || c->seen & (G(CPARRIVE) | G(CPNOINC)) || i->type) return mbarrier_async(c->ir, i, c->seen, c->e);
  if (c->seen & G(GROUPS)) {
    if (c->seen & (copy | G(CPL2)))
      return AT_INSN(c, "found '%.*s', expected no cache operator and no space with it", SHOW(i));
    return true;
  }
  for (unsigned g = 0; g < G_COUNT; g++)
    if ((copy >> g & 1) && !(c->seen >> g & 1)) return check_need(c, 1ull << g);
  return true;
}

bool check_mods(const struct ir *ir, struct ir_insn *i, const struct ir_mod *mod, unsigned nmod, struct err *e) {
  struct ctx c = {.ir = ir, .i = i, .e = e};
  const struct rule *r = i->rule;
  unsigned ntypes = 0;
  i->vec = 1;
  for (unsigned k = 0; k < nmod; k++) {
    enum dtype t = ((r->t0 | r->t1) >> T_U4 ? type_of_matrix : type_named)(mod[k].s, mod[k].n);
    if (t != T_NONE ? !check_take_type(&c, &mod[k], (uint8_t)t, &ntypes) : !check_take_mod(&c, &mod[k])) return false;
  }
  r = i->rule; /* the types may have chosen another */
  unsigned want = r->op == OP_MMA ? 4 : r->op == OP_WMMA ? 1 : r->op == OP_CPASYNC ? 0 : !!r->t0 + !!r->t1 + !!r->t2;
  char list[256];
  if (r->op == OP_BAR) return check_bar(&c, ntypes);
  if (ntypes < want)
    return AT_INSN(&c, "found '%.*s' without its %stype, expected one of %s", SHOW(i),
                   ntypes == 0   ? ""
                   : ntypes == 1 ? "second "
                   : ntypes == 2 ? "third "
                                 : "fourth ",
                   list_types(types_at(r, ntypes), list, sizeof list));
  for (unsigned g = 0; g < G_COUNT; g++)
    if ((r->need >> g & 1) && !(c.seen >> g & 1)) return check_need(&c, 1ull << g);
  if (r->form == FORM_VIDEO) return video_mods(&c);
  switch (r->op) {
    case OP_LD:
    case OP_ST:
    case OP_PREFETCH: return check_memory(&c);
    case OP_ATOM: return check_memory(&c) && check_atom(&c);
    case OP_SETP:
    case OP_SET: return check_compare(&c) && check_arith(&c);
    case OP_CVT: return cvt_rounding(&c) && check_arith(&c);
    case OP_REDUX:
      if (i->sub == ATOM_INC || i->sub == ATOM_DEC || i->sub >= ATOM_EXCH || (i->sub >= ATOM_AND) != (i->type == T_B32))
        return AT_INSN(&c, "found '%.*s', expected .add, .min, .max with .u32 or .s32, or .and, .or, .xor with .b32",
                       SHOW(i));
      return true;
    case OP_VOTE:
      if ((i->sub == VOTE_BALLOT) != (i->type == T_B32))
        return AT_INSN(&c, "found type %s in '%.*s', expected %s", type_text(i->type), SHOW(i),
                       i->sub == VOTE_BALLOT ? ".b32" : ".pred");
      return true;
    case OP_BRX:
      if (i->sub != SHFL_IDX) return AT_INSN(&c, "found '%.*s', expected 'brx.idx'", SHOW(i));
      return true;
    case OP_MMA: return check_mma(ir, i, c.seen, e);
    case OP_WMMA: return check_wmma(ir, i, ntypes, c.seen, e);
    case OP_CPASYNC: return check_cp(&c);
    case OP_MBARRIER: return mbarrier_mods(ir, i, c.seen, e);
    case OP_TEX:
    case OP_TLD4:
    case OP_TXQ:
    case OP_SULD:
    case OP_SUST:
    case OP_ISTYPEP: return check_texture_mods(&c);
    case OP_LDMATRIX:
      if (i->space != SP_GENERIC && i->space != SP_SHARED)
        return AT_INSN(&c, "found an address space in '%.*s' that it does not take, expected generic or .shared",
                       SHOW(i));
      return true;
    case OP_CVTA:
    case OP_ISSPACEP: return true;
    default: return check_arith(&c);
  }
}

/* ---- operands ---- */

enum dtype wide_type(const struct ir_insn *i) {
  if (!(i->mods & M_WIDE)) return (enum dtype)i->type;
  switch (i->type) {
    case T_U16: return T_U32;
    case T_S16: return T_S32;
    case T_U32: return T_U64;
    default: return T_S64;
  }
}

const char *check_signature(const struct ir_insn *i) {
  bool sync = i->mods & M_SYNC;
  switch (i->rule->op) {
    case OP_BAR:
      switch (i->sub) {
        case BAR_ARRIVE: return "bb";
        case BAR_WARP: return "b";
        case BAR_RED_POPC: return i->nopnd == 4 ? "Bbbp" : "Bbp";
        case BAR_RED_AND:
        case BAR_RED_OR: return i->nopnd == 4 ? "Pbbp" : "Pbp";
        default: return i->nopnd == 2 ? "bb" : "b";
      }
    case OP_MBARRIER: return mbarrier_signature(i);
    case OP_MATCH: return i->sub == MATCH_ALL ? "Rtb" : "Btb";
    case OP_SHFL: return sync ? "Rbbbb" : "Rbbb";
    case OP_VOTE: return i->sub == VOTE_BALLOT ? sync ? "Bpb" : "Bp" : sync ? "Ppb" : "Pp";
    case OP_SETP: return i->boolop != B_NONE ? "Qttp" : "Qtt";
    case OP_SET: return i->boolop != B_NONE ? "Tssp" : "Tss";
    case OP_CVT: return i->type == T_F16X2 || i->type == T_BF16X2 ? "Xxx" : "Xx";
    default: return i->rule->sig;
  }
}

static const char *opnd_show(const struct ctx *c, const struct ir_opnd *o, char *buf, size_t size) {
  switch (o->kind) {
    case IO_REG: snprintf(buf, size, "%s '%.60s'", type_text(c->f->reg[o->reg].type), c->f->reg[o->reg].name); break;
    case IO_IMM: snprintf(buf, size, "integer %lld", (long long)o->imm); break;
    case IO_FLOAT: snprintf(buf, size, "a floating-point constant"); break;
    case IO_SREG: snprintf(buf, size, "special register '%.60s'", o->name ? o->name : "%"); break;
    case IO_TEX: snprintf(buf, size, "a texture or surface in [ ]"); break;
    case IO_SYM:
      if (o->var->handle) snprintf(buf, size, "%s '%.60s'", handle_text(o->var->handle), o->var->name);
      else snprintf(buf, size, "the address of %s '%.60s'", space_text(o->var->kind), o->var->name);
      break;
    case IO_VEC: snprintf(buf, size, "a vector"); break;
    case IO_SINK: snprintf(buf, size, "'_'"); break;
    case IO_ADDR: snprintf(buf, size, "an address"); break;
    default:
      snprintf(buf, size, o->name && ir_find_func(c->ir, o->name) ? "function '%.60s'" : "undeclared name '%.60s'",
               o->name ? o->name : "");
      break;
  }
  return buf;
}

bool check_wrong(struct ctx *c, const struct ir_opnd *o, const char *expected) {
  char buf[128];
  return AT_OPND(c, o, "found %s, expected %s for '%.*s'", opnd_show(c, o, buf, sizeof buf), expected, SHOW(c->i));
}

bool check_length(struct ctx *c, const struct ir_opnd *o, unsigned n, bool alone, const char *what) {
  char found[32] = "a scalar";
  if (o->kind == IO_VEC ? o->n == n : alone && n == 1) return true;
  if (o->kind == IO_VEC) snprintf(found, sizeof found, "a vector of %u", o->n);
  return AT_OPND(c, o, "found %s, expected a vector of %u %s%s in { } for '%.*s'", found, n, what, n == 1 ? "" : "s",
                 SHOW(c->i));
}

/* Types of 32 bits whose registers are untyped: pairs, and a format that is not .f32's. */
static bool type_is_packed(uint8_t t) { return t == T_TF32 || t == T_F16X2 || t == T_BF16X2; }

static bool wrong_type(struct ctx *c, const struct ir_opnd *o, const char *what, uint8_t type, bool wider) {
  char text[80];
  const char *t = type == T_F16X2 ? ".b32 or .f16x2" : type_is_packed(type) ? ".b32" : type_text((enum dtype)type);
  snprintf(text, sizeof text, "%s of %s%s", what, t, wider ? " or wider" : "");
  return check_wrong(c, o, text);
}

/* May a register of type r hold an operand of type t? */
static bool check_type_fits(uint8_t r, uint8_t t, bool wider) {
  enum tclass a = type_class((enum dtype)r), b = type_class((enum dtype)t);
  unsigned rb = type_bits((enum dtype)r), tb = type_bits((enum dtype)t);
  if ((a == TC_PRED) != (b == TC_PRED)) return false;
  if (rb != tb && !(wider && rb > tb && (b != TC_FLOAT || a == TC_BITS))) return false;
  if (a == TC_BITS || b == TC_BITS) return true;
  if (type_is_packed(t)) return r == t;
  return a == b && (a == TC_INT || r == t);
}

bool check_dest(struct ctx *c, const struct ir_opnd *o, uint8_t type, bool wider) {
  if (o->kind != IO_REG || o->neg || o->pair) return wrong_type(c, o, "a register", type, wider);
  if (!check_type_fits(c->f->reg[o->reg].type, type, wider)) return wrong_type(c, o, "a register", type, wider);
  return true;
}

static bool dest_pair(struct ctx *c, const struct ir_opnd *o, uint8_t type) {
  const struct ir_opnd *q = o->pair;
  struct ir_opnd first = *o;
  first.pair = NULL;
  if (q && q->kind != IO_SINK && (q->kind != IO_REG || c->f->reg[q->reg].type != T_PRED))
    return check_wrong(c, q, "a predicate");
  if (q && q->kind == IO_SINK && o->kind == IO_SINK) return check_wrong(c, o, "a register in at least one of the two");
  return q && o->kind == IO_SINK ? true : check_dest(c, &first, type, false);
}

bool check_source(struct ctx *c, const struct ir_opnd *o, uint8_t type, bool wider) {
  enum tclass cls = type_class((enum dtype)type);
  unsigned bits = type_bits((enum dtype)type);
  if (o->pair || (o->neg && cls != TC_PRED)) return wrong_type(c, o, "an operand", type, wider);
  switch (o->kind) {
    case IO_REG:
      if (check_type_fits(c->f->reg[o->reg].type, type, wider)) return true;
      break;
    case IO_IMM:
      if (cls != TC_FLOAT) return true;
      break;
    case IO_FLOAT:
      if ((cls == TC_FLOAT && (type == T_F32 || type == T_F64)) || (cls == TC_BITS && bits == (o->single ? 32u : 64u)))
        return true;
      break;
    case IO_SREG:
      if (cls == TC_INT || cls == TC_BITS) {
        unsigned s = sreg_bits((int)o->reg);
        if (s == bits || (s == 32 && bits == 16) || (o->reg == SR_GRIDID && bits == 32)) return true;
      }
      break;
    case IO_SYM:
      if (o->var->handle && (o->imm || bits != 64 || (c->i->rule->op != OP_MOV && c->i->rule->op != OP_CVTA))) break;
      if ((cls == TC_INT || cls == TC_BITS) && (bits == 64 || (bits == 32 && o->var->kind != V_GLOBAL))) return true;
      break;
    default: break;
  }
  return wrong_type(c, o, "an operand", type, wider);
}

static bool check_address(struct ctx *c, const struct ir_opnd *o);

static bool one_operand(struct ctx *c, char letter, const struct ir_opnd *o) {
  struct ir_insn *i = c->i;
  switch (letter) {
    case 'T': return check_dest(c, o, i->type, false);
    case 'X': return check_dest(c, o, i->type, true);
    case 'U': return check_dest(c, o, T_U32, true);
    case 'v': return check_source(c, o, T_B32, true);
    case 'W': return check_dest(c, o, (uint8_t)wide_type(i), false);
    case 'B': return check_dest(c, o, T_B32, false);
    case 'P': return check_dest(c, o, T_PRED, false);
    case 'Q': return dest_pair(c, o, T_PRED);
    case 'R': return dest_pair(c, o, T_B32);
    case 't': return check_source(c, o, i->type, false);
    case 's': return check_source(c, o, i->stype, false);
    case 'x': return check_source(c, o, i->stype, true);
    case 'w': return check_source(c, o, (uint8_t)wide_type(i), false);
    case 'b': return check_source(c, o, T_B32, false);
    case 'p': return check_source(c, o, T_PRED, false);
    case 'm': return check_address(c, o);
    case 'D': return o->kind == IO_SINK || check_dest(c, o, i->type, false);
    case 'l':
      if (o->kind == IO_REG && type_bits(c->f->reg[o->reg].type) == 32) return check_source(c, o, T_B32, false);
      return check_source(c, o, T_B64, false);
    default:
      return o->kind == IO_IMM && o->imm >= 0 && o->imm <= 255 ? true : check_wrong(c, o, "an immediate from 0 to 255");
  }
}

bool check_count(struct ctx *c, unsigned least, unsigned most) {
  unsigned n = c->i->nopnd;
  if (n >= least && n <= most) return true;
  char range[32];
  snprintf(range, sizeof range, least == most ? "%u" : "%u to %u", least, most);
  return AT_INSN(c, "found %u operand%s for '%.*s', expected %s", n, n == 1 ? "" : "s", SHOW(c->i), range);
}

static bool check_address(struct ctx *c, const struct ir_opnd *o) {
  static const uint8_t space_of[] = {[V_SHARED] = SP_SHARED, [V_LOCAL] = SP_LOCAL,  [V_GLOBAL] = SP_GLOBAL,
                                     [V_CONST] = SP_CONST,   [V_KPARAM] = SP_PARAM, [V_FPARAM] = SP_PARAM};
  struct ir_insn *i = c->i;
  if (o->kind != IO_ADDR) return check_wrong(c, o, "an address in [ ]");
  if (o->imm < INT32_MIN || o->imm > (int64_t)UINT32_MAX) {
    if (o->base != IO_IMM) return AT_OPND(c, o, "found address offset %lld, expected 32 bits", (long long)o->imm);
  }
  if (o->base == IO_REG) {
    uint8_t t = c->f->reg[o->reg].type;
    if (type_bits(t) < 32 || type_class(t) == TC_FLOAT || type_class(t) == TC_PRED)
      return AT_OPND(c, o, "found %s '%.60s' as an address, expected a register of .b64 or .b32", type_text(t),
                     c->f->reg[o->reg].name);
  }
  if (o->base != IO_SYM) return true;
  if (o->var->handle)
    return AT_OPND(c, o, "found %s '%.60s' in an address, expected a variable in memory", handle_text(o->var->handle),
                   o->var->name);
  uint8_t space = space_of[o->var->kind];
  bool param = space == SP_PARAM;
  if (i->space == SP_GENERIC && !param) i->space = space;
  if (i->space != space)
    return AT_OPND(c, o, "found %s variable '%.60s', expected one in the space of '%.*s'", space_text(o->var->kind),
                   o->var->name, SHOW(i));
  if (!param) return true;
  if (o->var->kind == V_KPARAM && i->rule->op != OP_LD)
    return AT_OPND(c, o, "found kernel parameter '%.60s', which can only be read", o->var->name);
  int64_t bytes = (int64_t)type_bits(i->type) / 8, end = o->imm + bytes * i->vec;
  if (o->imm < 0 || (uint64_t)end > o->var->size)
    return AT_OPND(c, o,
                   "found an access to bytes %lld to %lld of parameter '%.60s', expected less than its %llu bytes",
                   (long long)o->imm, (long long)end - 1, o->var->name, (unsigned long long)o->var->size);
  if (o->imm % bytes)
    return AT_OPND(c, o, "found an access at byte %lld of parameter '%.60s', expected a multiple of %lld",
                   (long long)o->imm, o->var->name, (long long)bytes);
  return true;
}

static unsigned reg_words(const struct ctx *c, const struct ir_opnd *o) {
  if (o->kind != IO_REG) return 0;
  return type_bits(c->f->reg[o->reg].type) == 64 ? 2 : 1;
}

/* The value of a load or store: scalar, or a vector of i->vec elements; *words: its registers. */
static bool check_memory_values(struct ctx *c, const struct ir_opnd *o, bool store, unsigned *words) {
  struct ir_insn *i = c->i;
  *words = 0;
  if (i->vec == 1) {
    *words = reg_words(c, o);
    return store ? check_source(c, o, i->type, true) : check_dest(c, o, i->type, true);
  }
  if (!check_length(c, o, i->vec, false, "element")) return false;
  for (unsigned k = 0; k < o->n; k++) {
    const struct ir_opnd *x = &o->elem[k];
    if (!store && x->kind == IO_SINK) continue;
    if (!(store ? check_source(c, x, i->type, true) : check_dest(c, x, i->type, true))) return false;
    *words += reg_words(c, x);
  }
  return true;
}

static bool check_memory_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  unsigned op = i->rule->op, hint = i->flags & IF_HINT ? 1 : 0, words = 0;
  if (op == OP_ATOM) {
    bool red = i->flags & IF_RED;
    unsigned n = (red ? 1u : 2u) + (i->sub == ATOM_CAS ? 2 : 1) + hint, k = 0;
    if (!check_count(c, n, n)) return false;
    if (!red && i->opnd[k++].kind != IO_SINK && !check_dest(c, &i->opnd[0], i->type, false)) return false;
    if (!check_address(c, &i->opnd[k++])) return false;
    for (; k < n - hint; k++)
      if (!check_source(c, &i->opnd[k], i->type, false)) return false;
  } else {
    if (!check_count(c, 2 + hint, 2 + hint)) return false;
    unsigned at = op == OP_LD ? 1 : 0;
    if (!check_memory_values(c, &i->opnd[1 - at], op == OP_ST, &words) || !check_address(c, &i->opnd[at])) return false;
    if (op == OP_ST && i->opnd[at].base == IO_REG) words += type_bits(c->f->reg[i->opnd[at].reg].type) == 64 ? 2 : 1;
    if (words > (op == OP_LD ? 4u : 6u))
      return AT_INSN(c, "found '%.*s' with %u 32-bit registers, expected at most %u", SHOW(i), words,
                     op == OP_LD ? 4 : 6);
    if (type_bits(i->type) * i->vec > 128) return AT_INSN(c, "found '%.*s', expected at most 128 bits", SHOW(i));
  }
  return !hint || check_source(c, &i->opnd[i->nopnd - 1], T_B64, false);
}

/* `n` registers of a matrix, in { } also of one, as ptxas has it. */
static bool check_matrix(struct ctx *c, const struct ir_opnd *o, unsigned n, uint8_t type) {
  if (!check_length(c, o, n, false, "register")) return false;
  for (unsigned k = 0; k < n; k++)
    if (!check_dest(c, &o->elem[k], type, false)) return false;
  return true;
}

static bool check_mma_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  if (!check_count(c, 4, 4)) return false;
  for (unsigned k = 0; k < 4; k++)
    if (!check_matrix(c, &i->opnd[k], check_mma_regs(i, k), check_mma_type(i, k))) return false;
  return true;
}

/* D, A, B, C; or what is loaded or stored, and where; a stride may follow. */
static bool check_wmma_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  const bool load = i->fragment & WMMA_LOAD;
  if (i->fragment & WMMA_MMA) {
    static const uint8_t of[] = {WMMA_D, WMMA_A, WMMA_B, WMMA_C};
    if (!check_count(c, 4, 4)) return false;
    for (unsigned k = 0; k < 4; k++)
      if (!check_matrix(c, &i->opnd[k], check_wmma_regs(i, of[k]), check_wmma_type(i, of[k]))) return false;
    return true;
  }
  if (!check_count(c, 2, 3)) return false;
  if (!check_matrix(c, &i->opnd[load ? 0 : 1], check_wmma_regs(i, i->fragment), check_wmma_type(i, i->fragment)))
    return false;
  if (!check_address(c, &i->opnd[load ? 1 : 0])) return false;
  if (i->nopnd == 3 && i->opnd[2].kind == IO_IMM && i->opnd[2].imm <= 0)
    return check_wrong(c, &i->opnd[2], "a stride of at least one element");
  return i->nopnd == 2 || check_source(c, &i->opnd[2], T_U32, false);
}

static bool cp_async(struct ctx *c) {
  struct ir_insn *i = c->i;
  const struct ir_opnd *o = i->opnd;
  if (i->sub == ASYNC_COMMIT || i->sub == ASYNC_WAIT_ALL) return check_count(c, 0, 0);
  if (i->sub == ASYNC_MBARRIER) return check_count(c, 1, 1) && check_address(c, &o[0]);
  if (i->sub == ASYNC_WAIT)
    return check_count(c, 1, 1) &&
           (o[0].kind == IO_IMM && o[0].imm >= 0 ? true : check_wrong(c, &o[0], "a number of groups"));
  if (!check_count(c, 3, 4)) return false;
  i->space = SP_SHARED;
  if (!check_address(c, &o[0])) return false;
  i->space = SP_GLOBAL;
  if (!check_address(c, &o[1])) return false;
  if (o[2].kind != IO_IMM || (o[2].imm != 16 && (i->mods & M_CG || (o[2].imm != 4 && o[2].imm != 8))))
    return check_wrong(c, &o[2], i->mods & M_CG ? "16 bytes" : "4, 8 or 16 bytes");
  i->vec = (uint8_t)o[2].imm;
  if (i->nopnd == 3) return true;
  if (o[3].kind == IO_IMM && (o[3].imm < 0 || o[3].imm > o[2].imm))
    return check_wrong(c, &o[3], "at most as many bytes to read as to write");
  return check_source(c, &o[3], T_B32, false);
}

/* mov with a vector on one side: pieces of equal width. */
static bool check_pieces(struct ctx *c, const struct ir_opnd *v, const struct ir_opnd *whole, bool unpack) {
  struct ir_insn *i = c->i;
  unsigned bits = type_bits(i->type), n = v->n;
  if ((n != 2 && n != 4) || bits / n < 8 || i->type == T_PRED)
    return AT_OPND(c, v, "found a vector of %u elements, expected 2 or 4 that fill %s", n, type_text(i->type));
  unsigned each = bits / n;
  uint8_t piece = each == 8 ? T_B8 : each == 16 ? T_B16 : T_B32;
  for (unsigned k = 0; k < n; k++) {
    const struct ir_opnd *x = &v->elem[k];
    if (unpack && x->kind == IO_SINK) continue;
    if (!(unpack ? check_dest(c, x, piece, false) : check_source(c, x, piece, false))) return false;
  }
  return unpack ? check_source(c, whole, i->type, false) : check_dest(c, whole, i->type, false);
}

static bool check_target(struct ctx *c, const struct ir_opnd *o, const char *what) {
  return o->kind == IO_NAME ? true : check_wrong(c, o, what);
}

/* The barrier's number is operand k; a count of threads may follow (the last of a red is its predicate). */
static bool check_barrier(struct ctx *c, unsigned k) {
  const struct ir_opnd *id = &c->i->opnd[k], *threads = id + 1;
  bool counted = c->i->nopnd == k + (k ? 3 : 2);
  if (id->kind == IO_IMM && (id->imm < 0 || id->imm > 15))
    return AT_OPND(c, id, "found barrier %lld, expected 0 to 15", (long long)id->imm);
  if (counted && threads->kind == IO_IMM && (threads->imm < 1 || threads->imm > 1024 || threads->imm % 32))
    return AT_OPND(c, threads, "found a count of %lld threads, expected a multiple of 32 from 32 to 1024",
                   (long long)threads->imm);
  return true;
}

bool check_opnds(const struct ir *ir, const struct ir_func *f, struct ir_insn *i, struct err *e) {
  struct ctx cx = {.ir = ir, .f = f, .i = i, .e = e}, *c = &cx;
  switch (i->rule->form) {
    case FORM_LD:
    case FORM_ST:
    case FORM_ATOM: return check_memory_opnds(c);
    case FORM_MMA: return check_mma_opnds(c);
    case FORM_WMMA: return check_wmma_opnds(c);
    case FORM_CP: return cp_async(c);
    case FORM_TEX: return check_texture_opnds(c);
    case FORM_VIDEO: return video_opnds(c);
    case FORM_LDMATRIX:
      return check_count(c, 2, 2) && check_matrix(c, &i->opnd[0], i->vec, T_B32) && check_address(c, &i->opnd[1]);
    case FORM_PREFETCH: return check_count(c, 1, 1) && check_address(c, &i->opnd[0]);
    case FORM_MOV:
      if (!check_count(c, 2, 2)) return false;
      if (i->opnd[0].kind == IO_VEC) return check_pieces(c, &i->opnd[0], &i->opnd[1], true);
      if (i->opnd[1].kind == IO_VEC) return check_pieces(c, &i->opnd[1], &i->opnd[0], false);
      return check_dest(c, &i->opnd[0], i->type, false) && check_source(c, &i->opnd[1], i->type, false);
    case FORM_BRA: return check_count(c, 1, 1) && check_target(c, &i->opnd[0], "a label");
    case FORM_BRX:
      return check_count(c, 2, 2) && check_source(c, &i->opnd[0], T_B32, false) &&
             check_target(c, &i->opnd[1], "a table of .branchtargets");
    case FORM_CALL: return true;
    default: break;
  }
  const char *sig = check_signature(i);
  unsigned n = (unsigned)strlen(sig);
  if (i->rule->op == OP_BAR && i->sub != BAR_ARRIVE && i->sub != BAR_WARP) {
    bool red = i->sub != BAR_SYNC;
    if (!check_count(c, red ? 3 : 1, red ? 4 : 2)) return false;
  }
  if (!check_count(c, n, n)) return false;
  for (unsigned k = 0; k < n; k++)
    if (!one_operand(c, sig[k], &i->opnd[k])) return false;
  if (i->rule->op == OP_BAR && i->sub != BAR_WARP) return check_barrier(c, sig[0] < 'a' ? 1 : 0);
  if (i->rule->op == OP_NOP && sig[0] == 'i' && i->opnd[0].imm > 15)
    return AT_OPND(c, &i->opnd[0], "found event %lld, expected 0 to 15", (long long)i->opnd[0].imm);
  return true;
}

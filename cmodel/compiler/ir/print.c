/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print: an instruction as text, close to the PTX it came from. Registers are written as they are now:
 * virtual names before allocation, R5, R4:5 (a pair) and P0 after it. c[name+4] is a parameter read as an
 * operand.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "compiler/ir/code.h"
#include "compiler/ir/mma.h"

struct out {
  char *buf;
  unsigned size, n;
};

__attribute__((format(printf, 2, 3))) static void insn_put(struct out *o, const char *fmt, ...) {
  if (o->n + 1 >= o->size) return;
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(o->buf + o->n, o->size - o->n, fmt, ap);
  va_end(ap);
  if (n > 0) o->n += (unsigned)n;
  if (o->n >= o->size) o->n = o->size - 1;
}

static void insn_put_cbank(struct out *o, const struct code *c, uint32_t offset) {
  for (uint32_t k = 0; k < c->nparam; k++) {
    const struct param *p = &c->param[k];
    if (offset < p->offset || offset - p->offset >= p->size) continue;
    insn_put(o, offset == p->offset ? "c[%s]" : "c[%s+%" PRIu32 "]", p->name, offset - p->offset);
    return;
  }
  insn_put(o, "c[0x%" PRIx32 "]", offset);
}

static void insn_put_imm(struct out *o, const struct opnd *d, uint8_t type) {
  if (d->words == 0 && d->kind == O_IMM) insn_put(o, "%u", (unsigned)(d->imm & 1));
  else if (type == T_F64) insn_put(o, "0d%016" PRIX64, d->imm);
  else if (type == T_F32 && d->words <= 1) insn_put(o, "0f%08" PRIX32, (uint32_t)d->imm);
  else if (dtype_signed(type) && d->words == 2) insn_put(o, "%" PRId64, (int64_t)d->imm);
  else if (dtype_signed(type) && dtype_bytes(type) >= 4) insn_put(o, "%" PRId32, (int32_t)(uint32_t)d->imm);
  else if (d->imm > 99999) insn_put(o, "0x%" PRIx64, d->imm);
  else insn_put(o, "%" PRIu64, d->imm);
}

static void insn_put_opnd(struct out *o, const struct code *c, const struct opnd *d, uint8_t type) {
  switch (d->kind) {
    case O_REG:
    case O_PRED:
      if (d->kind == O_PRED && d->neg) insn_put(o, "!");
      if (!c->allocated && d->reg < c->nvreg && c->vreg[d->reg].name) insn_put(o, "%s", c->vreg[d->reg].name);
      else if (d->kind == O_PRED) insn_put(o, "%s%" PRIu32, c->allocated ? "P" : "%vp", d->reg);
      else if (!c->allocated) insn_put(o, "%%v%" PRIu32, d->reg);
      else if (d->words == 2) insn_put(o, "R%" PRIu32 ":%" PRIu32, d->reg, d->reg + 1);
      else insn_put(o, "R%" PRIu32, d->reg);
      break;
    case O_IMM: insn_put_imm(o, d, type); break;
    case O_CBANK: insn_put_cbank(o, c, d->reg); break;
    case O_SREG: insn_put(o, "%s", sreg_name((enum sreg)d->reg)); break;
    default: insn_put(o, "_"); break;
  }
}

static const char *const cmps[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                   "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const bools[] = {"", ".and", ".or", ".xor"};
static const char *const rnds[] = {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rna"};
static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param"};
static const char *const atoms[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
static const char *const bars[] = {"sync", "arrive", "red.popc", "red.and", "red.or", "warp.sync"};
static const char *const shfls[] = {"up", "down", "bfly", "idx"};
static const char *const votes[] = {"all", "any", "uni", "ballot"};
static const char *const testps[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
static const char *const asyncs[] = {"", ".commit_group", ".wait_group", ".wait_all"};
static const char *const mbars[] = {".init",      ".inval",       ".arrive",    ".arrive_drop",
                                    ".expect_tx", ".complete_tx", ".test_wait", ""};
static const char *const prmts[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
#define NAME(table, k) ((unsigned)(k) < sizeof(table) / sizeof *(table) ? (table)[k] : "?")

static void insn_put_mods(struct out *o, const struct insn *i) {
  static const struct {
    uint32_t bit;
    const char *text;
  } mods[] = {
      {M_SYNC, "sync"},
      {M_VOLATILE, "volatile"},
      {M_UNI, "uni"},
      {M_LO, "lo"},
      {M_HI, "hi"},
      {M_WIDE, "wide"},
      {M_APPROX, "approx"},
      {M_FULL, "full"},
      {M_LEFT, "l"},
      {M_RIGHT, "r"},
      {M_CLAMP, "clamp"},
      {M_WRAP, "wrap"},
      {M_SHIFTAMT, "shiftamt"},
      {M_RELU, "relu"},
      {M_FTZ, "ftz"},
      {M_NAN, "nan"},
      {M_ABS, "xorsign.abs"},
      {M_SAT, "sat"},
      {M_ADD, "add"},
      {M_CC, "cc"},
      {M_CG, "cg"},
      {M_STREAM, "cs"},
      {M_NC, "nc"},
      {M_TRANS, "trans"},
      {M_ROWS_0, "rows0_7"},
      {M_ROWS_8, "rows8_15"},
  };
  for (unsigned k = 0; k < sizeof mods / sizeof *mods; k++)
    if (i->mods & mods[k].bit && !(i->op == OP_LD && mods[k].bit == M_NC)) insn_put(o, ".%s", mods[k].text);
}

static void insn_put_mbarrier(struct out *o, const struct insn *i) {
  if (i->sub == MBAR_COPIES) insn_put(o, ".cp.async.arrive%s", i->cmp & MB_NOINC ? ".noinc" : "");
  else insn_put(o, "%s", i->cmp & MB_TRY ? ".try_wait" : NAME(mbars, i->sub));
  insn_put(o, "%s%s%s", i->cmp & MB_EXPECT_TX ? ".expect_tx" : "", i->cmp & MB_NOCOMPLETE ? ".noComplete" : "",
           i->cmp & MB_PARITY ? ".parity" : "");
}

/* Which part, layouts, the operation on bits; behind them the types of D, A and, where they differ, B and C. */
static void insn_put_mma(struct out *o, const struct insn *i) {
  static const char *const other[T_COUNT] = {[T_U8] = "s8", [T_S8] = "u8", [T_U4] = "s4", [T_S4] = "u4"};
  const bool half = i->stype == T_F16 && i->sub == MMA_M8_K4, differ = i->cmp & (MMA_B_OTHER | MMA_C_OTHER);
  if (i->stype == T_F64) insn_put(o, i->offset ? ".odd" : ".even");
  if (half)
    insn_put(o, ".part%d.%s.%s", (int)i->offset, i->cmp & MMA_A_COL ? "col" : "row",
             i->cmp & MMA_B_ROW ? "row" : "col");
  insn_put(o, ".%s.%s", dtype_name((enum dtype)i->type), dtype_name((enum dtype)i->stype));
  if (differ) {
    const char *b = i->cmp & MMA_B_OTHER && i->stype < T_COUNT ? other[i->stype] : dtype_name((enum dtype)i->stype);
    const char *c = i->cmp & MMA_C_OTHER ? i->type == T_F32 ? "f16" : "f32" : dtype_name((enum dtype)i->type);
    insn_put(o, ".%s.%s", b ? b : "?", c);
  }
  if (i->boolop) insn_put(o, "%s.popc", NAME(bools, i->boolop));
}

/* tex.level.2d.offset, tld4.r.2d, txq.width, suld.b.2d */
static void insn_put_texture_name(struct out *o, const struct insn *i) {
  static const char *const geoms[] = {".1d", ".2d", ".3d", ".a1d", ".a2d", ".cube", ".acube"};
  static const char *const queries[] = {".width",         ".height",       ".depth",       ".channel_data_type",
                                        ".channel_order", ".normalized",   ".filter_mode", ".addr_mode_0",
                                        ".addr_mode_1",   ".addr_mode_2",  ".array_size",  ".num_mipmap_levels",
                                        ".num_samples",   ".memory_layout"};
  if ((i->op == OP_TEX || i->op == OP_TXQ) && i->cmp == TEX_LEVEL) insn_put(o, ".level");
  if (i->op == OP_TLD4) insn_put(o, ".%c", "rgba"[i->boolop & 3]);
  if (i->op == OP_TXQ) {
    insn_put(o, "%s", NAME(queries, i->sub));
    return;
  }
  if (i->op == OP_SULD || i->op == OP_SUST) insn_put(o, i->tex & SU_FORMATTED ? ".p" : ".b");
  for (unsigned k = 0; i->op == OP_SUST && i->tex >> 4 && k < i->vec; k++)
    insn_put(o, "%s%c", k ? "" : ".", "rgba"[((i->tex >> 4) + k) & 3]);
  if (i->op == OP_SUST && i->tex & SU_HALF) insn_put(o, i->offset ? ".half1" : ".half0");
  insn_put(o, "%s", NAME(geoms, i->sub));
  if (i->op != OP_SUST && i->tex & TEX_OFFSET) insn_put(o, ".offset");
  if (i->op != OP_SUST && i->tex & TEX_COMPARE) insn_put(o, ".compare");
}

/* {x, y, z}: four bits each, signed. */
static void insn_put_offsets(struct out *o, const struct insn *i, uint64_t packed) {
  for (unsigned k = 0; k < geom_axes((enum tex_geom)i->sub); k++)
    insn_put(o, "%s%d", k ? ", " : "{", (int)((packed >> 4 * k & 15) ^ 8) - 8);
  insn_put(o, "}");
}

static void insn_put_name(struct out *o, const struct insn *i) {
  insn_put(o, "%s", i->op == OP_ATOM && !i->ndst ? "red" : opcode_name((enum opcode)i->op));
  if (insn_texture(i)) insn_put_texture_name(o, i);
  switch (i->op) {
    case OP_PRMT: insn_put(o, "%s", NAME(prmts, i->sub)); break;
    case OP_TESTP: insn_put(o, ".%s", NAME(testps, i->sub)); break;
    case OP_BAR: insn_put(o, ".%s", NAME(bars, i->sub)); break;
    case OP_MMA: insn_put(o, ".%s", mma_shape(i->sub) ? mma_shape(i->sub)->name : "?"); break;
    case OP_CPASYNC: insn_put(o, "%s", NAME(asyncs, i->sub)); break;
    case OP_MBARRIER: insn_put_mbarrier(o, i); break;
    case OP_SETP:
    case OP_SET: insn_put(o, ".%s%s", NAME(cmps, i->cmp), NAME(bools, i->boolop)); break;
    default: break;
  }
  insn_put(o, "%s", NAME(rnds, i->rnd));
  insn_put_mods(o, i);
  if (insn_is(i, TRAIT_ADDRESS)) insn_put(o, "%s", NAME(spaces, i->space));
  switch (i->op) {
    case OP_CPASYNC: insn_put(o, i->sub == ASYNC_COPY ? ".shared.global" : ""); break;
    case OP_SHFL: insn_put(o, ".%s", NAME(shfls, i->sub)); break;
    case OP_VOTE: insn_put(o, ".%s", NAME(votes, i->sub)); break;
    case OP_MATCH: insn_put(o, i->sub == MATCH_ALL ? ".all" : ".any"); break;
    default: break;
  }
  if (i->op == OP_ATOM || i->op == OP_REDUX) insn_put(o, ".%s", NAME(atoms, i->sub));
  if (i->op == OP_LD && i->mods & M_NC) insn_put(o, ".nc");
  if (i->op == OP_LDMATRIX) insn_put(o, ".x%u", i->ndst);
  else if (i->vec > 1 && i->op != OP_CPASYNC) insn_put(o, ".v%u", i->vec);
  if (i->op == OP_MMA) return insn_put_mma(o, i);
  if (i->type != T_NONE) insn_put(o, ".%s", dtype_name((enum dtype)i->type));
  if (i->stype != T_NONE) insn_put(o, ".%s", dtype_name((enum dtype)i->stype));
  if (insn_is(i, TRAIT_SUB_IS_TYPE)) insn_put(o, ".%s", dtype_name((enum dtype)i->sub));
  static const char *const outside[] = {".trap", ".clamp", ".zero"};
  if (i->op == OP_SULD || i->op == OP_SUST) insn_put(o, "%s", NAME(outside, i->cmp));
}

static void insn_put_address(struct out *o, const struct code *c, const struct opnd *a, int64_t offset) {
  insn_put(o, "[");
  insn_put_opnd(o, c, a, T_U64);
  if (offset) insn_put(o, "%+" PRId64, offset);
  insn_put(o, "]");
}

static void insn_put_handle(struct out *o, const struct code *c, const struct opnd *h) {
  static const char *const kinds[] = {"", "texture", "sampler", "surface", "ref"};
  const enum handle_kind k = h->kind == O_IMM ? handle_kind(h->imm) : HANDLE_NONE;
  if (k > HANDLE_NONE && k <= HANDLE_REF) insn_put(o, "%s%" PRIu32, kinds[k], handle_index(h->imm));
  else insn_put_opnd(o, c, h, T_B64);
}

/* [handle, sampler, {layer, x, y}], level, offset, compare; values in { } */
static void insn_put_texture_sources(struct out *o, const struct code *c, const struct insn *i, const char *sep) {
  const unsigned first = i->op != OP_SUST && i->tex & TEX_SAMPLER ? 2 : 1;
  enum { IN_HANDLES, IN_COORDINATES, BEHIND, IN_VALUES } at = IN_HANDLES;
  insn_put(o, "%s[", sep);
  for (unsigned k = 0; k < i->nsrc; k++) {
    const enum tex_source is = tex_source(i, k);
    if (at == IN_COORDINATES && is != TS_COORDINATE && is != TS_LAYER) insn_put(o, "}]"), at = BEHIND;
    if (at == IN_HANDLES && i->op == OP_TXQ && is == TS_LEVEL) insn_put(o, "]"), at = BEHIND;
    if (k) insn_put(o, ", ");
    if (at == IN_HANDLES && k == first && i->op != OP_TXQ) insn_put(o, "{"), at = IN_COORDINATES;
    if (at == BEHIND && is == TS_VALUE) insn_put(o, "{"), at = IN_VALUES;
    if (is == TS_HANDLE) insn_put_handle(o, c, &i->src[k]);
    else if (is == TS_OFFSET && i->src[k].kind == O_IMM) insn_put_offsets(o, i, i->src[k].imm);
    else insn_put_opnd(o, c, &i->src[k], tex_source_type(i, k));
    const unsigned x = first + (geom_layered((enum tex_geom)i->sub) ? 1 : 0);
    if (i->op == OP_SUST && k == x && i->offset) insn_put(o, "%+" PRId64, i->offset);
  }
  insn_put(o, "%s", at == IN_HANDLES ? "]" : at == IN_COORDINATES ? "}]" : at == IN_VALUES ? "}" : "");
}

void insn_print(const struct code *c, uint32_t index, char *buf, unsigned size) {
  struct out o = {buf, size, 0};
  if (!size) return;
  buf[0] = 0;
  const struct insn *i = &c->insn[index];
  if (i->guard.kind == O_PRED) {
    insn_put(&o, "@");
    insn_put_opnd(&o, c, &i->guard, T_PRED);
    insn_put(&o, " ");
  }
  insn_put_name(&o, i);
  const char *sep = " ";
  bool copy = i->op == OP_CPASYNC && i->sub == ASYNC_COPY;
  bool mem = insn_is(i, TRAIT_ADDRESS);
  bool group =
      i->op == OP_UNPACK || (insn_texture(i) && i->vec > 1) || (i->op == OP_LD && i->vec > 1) || i->op == OP_LDMATRIX;
  for (unsigned k = 0; k < i->ndst; k++) {
    insn_put(&o, "%s%s", sep, group && k == 0 ? "{" : "");
    insn_put_opnd(&o, c, &i->dst[k], i->type);
    sep = i->op == OP_SETP && k + 1 < i->ndst ? "|" : ", ";
  }
  if (group && i->ndst) insn_put(&o, "}");
  uint8_t st = insn_is(i, TRAIT_FROM_STYPE) ? i->stype : i->type;
  group = i->op == OP_PACK || (i->op == OP_ST && i->vec > 1);
  unsigned first = i->op == OP_ST ? 1 : 0;
  if (insn_texture(i)) {
    insn_put_texture_sources(&o, c, i, sep);
    return;
  }
  for (unsigned k = 0; k < i->nsrc; k++) {
    insn_put(&o, "%s%s", sep, group && k == first ? "{" : "");
    if (mem && k == 0) insn_put_address(&o, c, &i->src[0], i->offset);
    else if (copy && k < 2) insn_put_address(&o, c, &i->src[k], k ? i->offset : i->offset2);
    else insn_put_opnd(&o, c, &i->src[k], st);
    sep = ", ";
    if (copy && k == 1) insn_put(&o, ", %u", i->vec);
  }
  if (group && i->nsrc > first && i->op != OP_LDMATRIX) insn_put(&o, "}");
  if (i->op == OP_BRA) insn_put(&o, " %" PRIu32, i->target);
}

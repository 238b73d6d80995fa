/* SPDX-License-Identifier: Apache-2.0 */
/* sass: see sass.h. */
#include "trace/accelsim/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/mma.h"
#include "trace/accelsim/division.h"
#include "trace/accelsim/traceg.h"

/* ---- computation ---- */

static bool dtype_is_half(unsigned t) { return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2; }

/* One of four by type. */
static const char *sass_by_type(unsigned type, const char *integer, const char *single, const char *two,
                                const char *wide) {
  return type == T_F64 ? wide : dtype_is_half(type) ? two : dtype_float((enum dtype)type) ? single : integer;
}

/* The rules of insn.def: the name, which may be made in buf. */
typedef const char *name_fn(const struct insn *i, char buf[SASS_NAME]);

/* By shapes of one and two intervals, which convert.c tells apart by their names. */
static const char *sass_product(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  const bool two = i->nsrc == 6;
  switch (mma_rate(i)) {
    case RATE_BF16: return two ? "HMMA.16816.F32.BF16" : "HMMA.1688.F32.BF16";
    case RATE_TF32: return two ? "HMMA.1688.F32.TF32" : "HMMA.1684.F32.TF32";
    case RATE_INT8: return two ? "IMMA.16832.S8.S8" : "IMMA.8816.S8.S8";
    case RATE_INT4: return two ? "IMMA.16864.S4.S4" : "IMMA.8832.S4.S4";
    case RATE_B1: return two ? "BMMA.168256.XOR.POPC" : "BMMA.88128.XOR.POPC";
    case RATE_F64: return "DMMA.884";
    default: return i->sub == MMA_M8_K4 ? "HMMA.884.F32" : two ? "HMMA.16816.F32" : "HMMA.1688.F32";
  }
}

static const char *sass_conversion(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  const bool to = dtype_float((enum dtype)i->type), from = dtype_float((enum dtype)i->stype);
  switch (insn_class(i)) {
    case CLS_DP: return !from ? "I2F.F64" : !to ? "F2I.F64" : i->type == T_F64 ? "F2F.F64" : "F2F.F32.F64";
    case CLS_INT: return "SGXT";
    case CLS_SP: return "FADD";
    default: return !from ? "I2F" : !to ? "F2I" : "F2F";
  }
}

static const char *sass_multiply(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  if (i->mods & M_WIDE) return "IMAD.WIDE";
  return i->op == OP_MUL ? sass_by_type(i->type, "IMUL", "FMUL", "HMUL2", "DMUL")
                         : sass_by_type(i->type, "IMAD", "FFMA", "HFMA2", "DFMA");
}

static const char *sass_set(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  return sass_by_type(i->stype, "ISETP", "FSET", "HSET2", "DSETP");
}

static const char *sass_barrier(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  return i->sub == BAR_WARP     ? "WARPSYNC"
         : i->sub == BAR_ARRIVE ? "BAR.ARV"
         : i->sub == BAR_SYNC   ? "BAR.SYNC"
                                : "BAR.RED.POPC";
}

/* ---- memory ---- */

static const char *sass_by_space(unsigned space, const char *global, const char *shared, const char *local,
                                 const char *generic) {
  return space == SP_GLOBAL ? global : space == SP_SHARED ? shared : space == SP_LOCAL ? local : generic;
}

static const char *sass_base_name_of(const struct insn *i) {
  if (i->op == OP_CPASYNC) return "LDGSTS.E";
  if (i->op == OP_LD && i->space >= SP_CONST) return "LDC";
  if (i->op == OP_LD) return sass_by_space(i->space, "LDG", "LDS", "LDL", "LD");
  if (i->op == OP_ST) return sass_by_space(i->space, "STG", "STS", "STL", "ST");
  return i->ndst && i->dst[0].kind == O_REG ? sass_by_space(i->space, "ATOMG", "ATOMS", "ATOM", "ATOM")
                                            : sass_by_space(i->space, "RED", "ATOMS", "ATOM", "ATOM");
}

static const char *sass_width_part(const struct insn *i) {
  const unsigned n = i->op == OP_CPASYNC ? i->vec : dtype_bytes((enum dtype)i->type) * (i->vec ? i->vec : 1);
  return n == 1 ? ".U8" : n == 2 ? ".U16" : n == 8 ? ".64" : n == 16 ? ".128" : "";
}

static const char *sass_access(const struct insn *i, char buf[SASS_NAME]) {
  static const char *const atomics[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".CAS"};
  const bool wide = i->op != OP_CPASYNC && i->space <= SP_GLOBAL && i->src[0].kind == O_REG && i->src[0].words == 2;
  const char *hint = i->op != OP_LD && i->op != OP_ST              ? ""
                     : i->mods & (M_VOLATILE | M_CG)               ? ".STRONG.GPU"
                     : i->mods & M_NC && i->space == SP_GLOBAL     ? ".CONSTANT"
                     : i->mods & M_STREAM && i->space <= SP_GLOBAL ? ".EF"
                                                                   : "";
  snprintf(buf, SASS_NAME, "%s%s%s%s%s", sass_base_name_of(i), wide ? ".E" : "",
           i->op == OP_ATOM ? atomics[i->sub % 10] : "", sass_width_part(i), hint);
  return buf;
}

static const char *sass_copy(const struct insn *i, char buf[SASS_NAME]) {
  if (i->sub == ASYNC_COPY) return sass_access(i, buf);
  return i->sub == ASYNC_COMMIT ? "LDGDEPBAR" : "DEPBAR.LE";
}

static const char *sass_ldmatrix(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  return i->ndst == 4 ? "LDSM.16.M88.4" : i->ndst == 2 ? "LDSM.16.M88.2" : "LDSM.16.M88";
}

/* Also of MBAR_COPIES: Accel-Sim has no ARRIVES.LDGSTSBAR.64 for compute capability 8.0. */
static const char *sass_mbarrier(const struct insn *i, char buf[SASS_NAME]) {
  (void)buf;
  return i->sub <= MBAR_INVAL ? "STS.64" : i->sub == MBAR_TEST ? "LDS.64" : "ATOMS.ARRIVE.64";
}

/* ---- the names of insn.def ---- */

static const struct export_name {
  const char *integer, *single, *two, *wide;
  name_fn *make;
} names[OP_COUNT] = {
#define ONE(name) \
  { name, name, name, name, NULL }
#define TYPED(integer, single, two, wide) \
  { integer, single, two, wide, NULL }
#define MADE(function) \
  { NULL, NULL, NULL, NULL, function }
#define OPCODE(name, ptx, unit, picker, sources, range, export) [OP_##name] = export,
#include "compiler/ir/insn.def"
#undef OPCODE
};

/* The nearest opcode, of the class that ampere.map has for it, which is that of the instruction. */
static void sass_name(const struct insn *i, char buf[SASS_NAME]) {
  const struct export_name *n = &names[i->op];
  char made[SASS_NAME];
  snprintf(buf, SASS_NAME, "%s",
           n->make ? n->make(i, made) : sass_by_type(i->type, n->integer, n->single, n->two, n->wide));
}

/* ---- registers ---- */

static unsigned operand_words_of(const struct opnd *o) { return o->kind == O_REG ? o->words : 0; }

static bool sass_source_follows(const struct insn *i, unsigned k) {
  return i->src[k].kind == O_REG && i->src[k + 1].kind == O_REG && i->src[k + 1].reg == i->src[k].reg + 1;
}

/* The sources of a matrix instruction that begin a vector, where all of them lie so: of three vectors of two, or of two, one
 * and two. 0: not so. */
static unsigned sass_vector_starts(const struct insn *i) {
  if (i->op != OP_MMA || i->nsrc < 5 || !sass_source_follows(i, 0) || !sass_source_follows(i, i->nsrc - 2)) return 0;
  if (i->nsrc == 6 && !sass_source_follows(i, 2)) return 0;
  return i->nsrc == 6 ? 0x15 : 0xd; /* bits of 0, 2 and 4; of 0, 2 and 3 */
}

static void sass_registers(const struct insn *i, struct sass_line *line) {
  const bool access = insn_is(i, TRAIT_ACCESS);
  const unsigned begin = sass_vector_starts(i);
  unsigned all = 0;
  line->dst = -1;
  line->nsrc = 0;
  for (unsigned k = 0; k < i->ndst; k++) {
    all += operand_words_of(&i->dst[k]);
    if (line->dst < 0 && i->dst[k].kind == O_REG) line->dst = (int)i->dst[k].reg;
  }
  for (unsigned k = 0; k < i->nsrc; k++) {
    const bool reg = i->src[k].kind == O_REG, address = access && !k;
    all += operand_words_of(&i->src[k]);
    if (begin && !(begin >> k & 1)) continue;
    if ((i->op == OP_ST && k > 1) || line->nsrc == SASS_SRC || (!reg && !address)) continue;
    line->src[line->nsrc++] = reg ? (unsigned char)i->src[k].reg : TRACEG_ZERO;
  }
  unsigned listed = line->dst >= 0;
  for (unsigned k = 0; k < line->nsrc; k++) listed += line->src[k] != TRACEG_ZERO;
  line->dropped = all - listed;
}

/* ---- the lines of a kernel ---- */

static void sass_opcode_of(const struct insn *i, const char *text, char buf[SASS_NAME]) {
  if (!text || !text[0]) {
    sass_name(i, buf);
    return;
  }
  snprintf(buf, SASS_NAME, "%s", text);
  for (char *c = buf; *c; c++)
    if (!((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '.')) *c = '_';
}

void sass_zeros_name(const char *copy, char buf[SASS_NAME]) {
  const char *width = strrchr(copy, '.');
  snprintf(buf, SASS_NAME, "STS%s", width && (!strcmp(width, ".128") || !strcmp(width, ".64")) ? width : "");
}

struct sass_listing sass_list(const struct code *c, const char *const *text) {
  struct sass_listing l = {.first = xcalloc(c->n + 1, sizeof *l.first), .regs = c->nreg};
  uint32_t n = 0, room = 0;
  struct live live;
  live_build(c, &live);
  for (uint32_t k = 0; k < c->n; k++) {
    const char *name = text ? text[k] : NULL;
    l.first[k] = n;
    if ((name && name[0]) || !division_lines(c, &live, k, &l, &n, &room)) {
      struct sass_line *line = &VEC_PUSH(l.line, n, room);
      *line = (struct sass_line){0};
      sass_opcode_of(&c->insn[k], name, line->name);
      sass_registers(&c->insn[k], line);
    }
  }
  l.first[c->n] = n;
  live_free(&live);
  return l;
}

void sass_list_free(struct sass_listing *l) {
  free(l->line);
  free(l->first);
  *l = (struct sass_listing){0};
}

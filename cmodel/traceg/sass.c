/* SPDX-License-Identifier: Apache-2.0 */
/* sass: see sass.h. */
#include "traceg/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/mma.h"
#include "traceg/division.h"
#include "traceg/traceg.h"

/* ---- computation ---- */

static bool half(unsigned t) { return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2; }

/* One of four by type. */
static const char *by_type(unsigned type, const char *integer, const char *single, const char *two, const char *wide) {
  return type == T_F64 ? wide : half(type) ? two : dtype_float((enum dtype)type) ? single : integer;
}

/* By shapes of one and two intervals, which convert.c tells apart by their names. */
static const char *product(const struct insn *i) {
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

static const char *conversion(const struct insn *i) {
  const bool to = dtype_float((enum dtype)i->type), from = dtype_float((enum dtype)i->stype);
  switch (insn_class(i)) {
    case CLS_DP: return !from ? "I2F.F64" : !to ? "F2I.F64" : i->type == T_F64 ? "F2F.F64" : "F2F.F32.F64";
    case CLS_INT: return "SGXT";
    case CLS_SP: return "FADD";
    default: return !from ? "I2F" : !to ? "F2I" : "F2F";
  }
}

static const char *multiply(const struct insn *i) {
  if (i->mods & M_WIDE) return "IMAD.WIDE";
  return i->op == OP_MUL ? by_type(i->type, "IMUL", "FMUL", "HMUL2", "DMUL")
                         : by_type(i->type, "IMAD", "FFMA", "HFMA2", "DFMA");
}

/* Operations that one name stands for, whatever the type. */
static const char *const plain[OP_COUNT] = {
    [OP_NOP] = "NOP",
    [OP_MOV] = "MOV",
    [OP_PACK] = "PRMT",
    [OP_UNPACK] = "PRMT",
    [OP_PRMT] = "PRMT",
    [OP_SELP] = "SEL",
    [OP_SLCT] = "SEL",
    [OP_ADDC] = "IADD3.X",
    [OP_SUBC] = "IADD3.X",
    [OP_SAD] = "VABSDIFF",
    [OP_DP4A] = "IDP.4A",
    [OP_DP2A] = "IDP.2A",
    [OP_AND] = "LOP3.LUT",
    [OP_OR] = "LOP3.LUT",
    [OP_XOR] = "LOP3.LUT",
    [OP_NOT] = "LOP3.LUT",
    [OP_CNOT] = "LOP3.LUT",
    [OP_LOP3] = "LOP3.LUT",
    [OP_SHL] = "SHF.L.U32",
    [OP_SHR] = "SHF.R.U32",
    [OP_SHF] = "SHF.L.W.U32",
    [OP_POPC] = "POPC",
    [OP_CLZ] = "FLO",
    [OP_BFIND] = "FLO",
    [OP_FNS] = "FLO",
    [OP_BREV] = "BREV",
    [OP_BFE] = "SGXT",
    [OP_BFI] = "PRMT",
    [OP_SZEXT] = "SGXT",
    [OP_BMSK] = "BMSK",
    [OP_SIN] = "MUFU.SIN",
    [OP_COS] = "MUFU.COS",
    [OP_LG2] = "MUFU.LG2",
    [OP_EX2] = "MUFU.EX2",
    [OP_TANH] = "MUFU.TANH",
    [OP_COPYSIGN] = "FSEL",
    [OP_TESTP] = "FCHK",
    [OP_VOTE] = "VOTE",
    [OP_MATCH] = "MATCH",
    [OP_REDUX] = "REDUX",
    [OP_ACTIVEMASK] = "VOTE",
    [OP_MEMBAR] = "MEMBAR",
    [OP_PREFETCH] = "CCTL.E.PF2",
    [OP_PRINT] = "NOP",
    [OP_BRA] = "BRA",
    [OP_EXIT] = "EXIT",
    [OP_TRAP] = "EXIT",
    [OP_SHFL] = "SHFL.IDX",
    [OP_MOVMATRIX] = "MOVM.16.MT88",
    [OP_TEX] = "TEX",
    [OP_TLD4] = "TLD4",
    [OP_TXQ] = "TXQ",
    [OP_SULD] = "SULD",
    [OP_SUST] = "SUST",
};

static const char *compute(const struct insn *i) {
  switch (i->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_ABS:
    case OP_NEG: return by_type(i->type, "IADD3", "FADD", "HADD2", "DADD");
    case OP_MUL:
    case OP_MAD:
    case OP_MADC:
    case OP_MUL24:
    case OP_MAD24:
    case OP_FMA: return multiply(i);
    case OP_MIN:
    case OP_MAX: return by_type(i->type, "IMNMX", "FMNMX", "HMNMX2", "DADD");
    case OP_SETP: return by_type(i->type, "ISETP", "FSETP", "HSETP2", "DSETP");
    case OP_SET: return by_type(i->stype, "ISETP", "FSET", "HSET2", "DSETP");
    case OP_RCP: return "MUFU.RCP";
    case OP_SQRT: return "MUFU.SQRT";
    case OP_RSQRT: return "MUFU.RSQ";
    case OP_CVT: return conversion(i);
    case OP_MMA: return product(i);
    case OP_BAR:
      return i->sub == BAR_WARP     ? "WARPSYNC"
             : i->sub == BAR_ARRIVE ? "BAR.ARV"
             : i->sub == BAR_SYNC   ? "BAR.SYNC"
                                    : "BAR.RED.POPC";
    default: return plain[i->op] ? plain[i->op] : "NOP";
  }
}

/* ---- memory ---- */

static const char *of_space(unsigned space, const char *global, const char *shared, const char *local,
                            const char *generic) {
  return space == SP_GLOBAL ? global : space == SP_SHARED ? shared : space == SP_LOCAL ? local : generic;
}

static const char *base_name_of(const struct insn *i) {
  if (i->op == OP_CPASYNC) return "LDGSTS.E";
  if (i->op == OP_LD && i->space >= SP_CONST) return "LDC";
  if (i->op == OP_LD) return of_space(i->space, "LDG", "LDS", "LDL", "LD");
  if (i->op == OP_ST) return of_space(i->space, "STG", "STS", "STL", "ST");
  return i->ndst && i->dst[0].kind == O_REG ? of_space(i->space, "ATOMG", "ATOMS", "ATOM", "ATOM")
                                            : of_space(i->space, "RED", "ATOMS", "ATOM", "ATOM");
}

static const char *width_part(const struct insn *i) {
  const unsigned n = i->op == OP_CPASYNC ? i->vec : dtype_bytes((enum dtype)i->type) * (i->vec ? i->vec : 1);
  return n == 1 ? ".U8" : n == 2 ? ".U16" : n == 8 ? ".64" : n == 16 ? ".128" : "";
}

static void memory(const struct insn *i, char buf[SASS_NAME]) {
  static const char *const atomics[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".CAS"};
  const bool wide = i->op != OP_CPASYNC && i->space <= SP_GLOBAL && i->src[0].kind == O_REG && i->src[0].words == 2;
  const char *hint = i->op != OP_LD && i->op != OP_ST              ? ""
                     : i->mods & (M_VOLATILE | M_CG)               ? ".STRONG.GPU"
                     : i->mods & M_NC && i->space == SP_GLOBAL     ? ".CONSTANT"
                     : i->mods & M_STREAM && i->space <= SP_GLOBAL ? ".EF"
                                                                   : "";
  snprintf(buf, SASS_NAME, "%s%s%s%s%s", base_name_of(i), wide ? ".E" : "",
           i->op == OP_ATOM ? atomics[i->sub % 10] : "", width_part(i), hint);
}

/* The nearest opcode, of the class that ampere.map has for it, which is that of the instruction. */
static void sass_name(const struct insn *i, char buf[SASS_NAME]) {
  const char *name = NULL;
  switch (i->op) {
    case OP_LD:
    case OP_ST:
    case OP_ATOM: memory(i, buf); return;
    case OP_MBARRIER:
      /* also of MBAR_COPIES: Accel-Sim has no ARRIVES.LDGSTSBAR.64 for compute capability 8.0 */
      name = i->sub <= MBAR_INVAL ? "STS.64" : i->sub == MBAR_TEST ? "LDS.64" : "ATOMS.ARRIVE.64";
      break;
    case OP_LDMATRIX: name = i->ndst == 4 ? "LDSM.16.M88.4" : i->ndst == 2 ? "LDSM.16.M88.2" : "LDSM.16.M88"; break;
    case OP_CPASYNC:
      if (i->sub == ASYNC_COPY) {
        memory(i, buf);
        return;
      }
      name = i->sub == ASYNC_COMMIT ? "LDGDEPBAR" : "DEPBAR.LE";
      break;
    default: name = compute(i);
  }
  snprintf(buf, SASS_NAME, "%s", name);
}

/* ---- registers ---- */

static unsigned words_of(const struct opnd *o) { return o->kind == O_REG ? o->words : 0; }

static bool follow(const struct insn *i, unsigned k) {
  return i->src[k].kind == O_REG && i->src[k + 1].kind == O_REG && i->src[k + 1].reg == i->src[k].reg + 1;
}

/* The sources of a matrix instruction that begin a vector, where all of them lie so: of three vectors of two, or of two, one
 * and two. 0: not so. */
static unsigned vectors(const struct insn *i) {
  if (i->op != OP_MMA || i->nsrc < 5 || !follow(i, 0) || !follow(i, i->nsrc - 2)) return 0;
  if (i->nsrc == 6 && !follow(i, 2)) return 0;
  return i->nsrc == 6 ? 0x15 : 0xd; /* bits of 0, 2 and 4; of 0, 2 and 3 */
}

static void sass_registers(const struct insn *i, struct sass_line *line) {
  const bool access =
      i->op == OP_LD || i->op == OP_ST || i->op == OP_ATOM || i->op == OP_LDMATRIX || i->op == OP_MBARRIER;
  const unsigned begin = vectors(i);
  unsigned all = 0;
  line->dst = -1;
  line->nsrc = 0;
  for (unsigned k = 0; k < i->ndst; k++) {
    all += words_of(&i->dst[k]);
    if (line->dst < 0 && i->dst[k].kind == O_REG) line->dst = (int)i->dst[k].reg;
  }
  for (unsigned k = 0; k < i->nsrc; k++) {
    const bool reg = i->src[k].kind == O_REG, address = access && !k;
    all += words_of(&i->src[k]);
    if (begin && !(begin >> k & 1)) continue;
    if ((i->op == OP_ST && k > 1) || line->nsrc == SASS_SRC || (!reg && !address)) continue;
    line->src[line->nsrc++] = reg ? (unsigned char)i->src[k].reg : TRACEG_ZERO;
  }
  unsigned listed = line->dst >= 0;
  for (unsigned k = 0; k < line->nsrc; k++) listed += line->src[k] != TRACEG_ZERO;
  line->dropped = all - listed;
}

/* ---- the lines of a kernel ---- */

static void opcode_of(const struct insn *i, const char *text, char buf[SASS_NAME]) {
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
      opcode_of(&c->insn[k], name, line->name);
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

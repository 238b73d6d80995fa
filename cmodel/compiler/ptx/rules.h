/* SPDX-License-Identifier: Apache-2.0 */
/* rules: the modifier words of PTX by group, private to compiler/ptx/. */
#ifndef RT_PTX_RULES_H
#define RT_PTX_RULES_H

#include "compiler/ptx/check.h"

enum group {
  G_RND,
  G_FTZ,
  G_SAT,
  G_SATFINITE,
  G_LOHI,
  G_WIDE,
  G_APPROX,
  G_FULL,
  G_CC,
  G_UNI,
  G_CLAMP,
  G_DIR,
  G_SHIFTAMT,
  G_NAN,
  G_XORSIGN,
  G_RELU,
  G_CMP,
  G_BOOL,
  G_SPACE,
  G_SEM,
  G_SCOPE,
  G_NC,
  G_CACHE,
  G_EVICT,
  G_VEC,
  G_ATOM,
  G_NOFTZ,
  G_PRMT,
  G_TESTP,
  G_SHFL,
  G_VOTE,
  G_MATCH,
  G_BAR,
  G_BARRED,
  G_SYNC,
  G_ALIGNED,
  G_TO,
  G_LEVEL,
  G_MMA,
  G_LAYOUT,
  G_POPC,
  G_FRAGMENT,
  G_WSHAPE,
  G_M8N8,
  G_NUM,
  G_TRANS,
  G_ASYNC,
  G_GROUPS,
  G_CPCACHE,
  G_CPTO,
  G_CPFROM,
  G_CPL2,
  G_MBAR,
  G_MBTX,
  G_MBMOD,
  G_CPARRIVE,
  G_CPNOINC,
  G_GEOM,
  G_LOD,
  G_COMP,
  G_QUERY,
  G_SUFORM,
  G_OUTSIDE,
  G_REFTYPE,
  G_COUNT
};
#define G(x) (1ull << G_##x)
#define TY(x) (1u << T_##x)
#define HALF_TYPES (TY(F16) | TY(F16X2) | TY(BF16) | TY(BF16X2))

enum { SEM_VOLATILE = 1, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_WEAK, SEM_SC };
enum {
  ASYNC_MBARRIER = 16,
  MBAR_PENDING = 17
}; /* ir_insn.sub, beyond ASYNC_* and MBAR_*: compiler/ptx/mbarrier.c ends them */
enum {
  WMMA_LOAD = 1,
  WMMA_MMA = 2,
  WMMA_STORE = 4,
  WMMA_A = 8,
  WMMA_B = 16,
  WMMA_C = 32,
  WMMA_D = 64
};                                                                                             /* ir_insn.fragment */
enum { WMMA_16_16, WMMA_32_8, WMMA_8_32, WMMA_K8, WMMA_K4, WMMA_K32, WMMA_K128, WMMA_SHAPES }; /* ir_insn.sub */
enum { HINT = 1 << 28, LD_ONLY = 1 << 29, ST_ONLY = 1 << 30 }; /* values of CACHE and EVICT words, beside M_* */

struct word {
  const char *text;
  uint8_t group;
  uint32_t value;
};

/* The word in one of these groups; NULL: none. */
const struct word *word_named(const char *s, size_t n, uint64_t groups);
/* The tables, from 0; NULL or false: there are fewer. */
const struct rule *rule_at(unsigned k);
const struct word *word_at(unsigned k);
bool refusal_at(unsigned k, const char **name, const char **what);
/* ".lo, .hi" of the groups, for messages. */
const char *list_words(uint64_t groups, char *buf, size_t size);
const char *list_types(uint32_t types, char *buf, size_t size);

#endif

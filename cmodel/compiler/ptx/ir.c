/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ir_free(struct ir *ir) {
  for (uint32_t k = 0; k < ir->nfunc; k++) {
    struct ir_func *f = ir->func[k];
    free(f->insn);
    free(f->reg);
    free(f->var);
    free(f->label);
  }
  free(ir->func);
  free(ir->var);
  hashtab_free(&ir->name);
  hashtab_free(&ir->bind_index);
  free(ir->bind);
  free(ir->parent);
  arena_free(&ir->arena);
}

/* Ranges have a name space of their own: %r1<2> may stand beside %r<9>, whose %r1 is another register. */
static const uint32_t RANGES = 1u << 31;

/* ---- names ---- */

const char *ir_intern(struct ir *ir, const char *s, size_t n) {
  const char *name = hashtab_find_text(&ir->name, s, n);
  if (name) return name;
  name = arena_strndup(ir->keep, s, n);
  hashtab_put_text(&ir->name, name);
  return name;
}

/* ---- scopes ---- */

uint32_t ir_scope(struct ir *ir, uint32_t parent) {
  VEC_PUSH(ir->parent, ir->nscope, ir->scope_cap) = parent;
  return ir->nscope - 1;
}

/* Two bindings may share a key. */
static uint64_t bind_key(const char *name, uint32_t scope) {
  return (uint64_t)(uintptr_t)name + scope * 0x9e3779b97f4a7c15ull;
}

struct bind *ir_find(const struct ir *ir, const char *name, uint32_t scope) {
  const uint64_t key = bind_key(name, scope);
  for (uint64_t step = 0, k; (k = hashtab_next(&ir->bind_index, key, &step)) != HASHTAB_NONE;)
    if (ir->bind[k].name == name && ir->bind[k].scope == scope) return &ir->bind[k];
  return NULL;
}

static struct bind *add_bind(struct ir *ir, const struct bind *b) {
  hashtab_put(&ir->bind_index, bind_key(b->name, b->scope), ir->nbind);
  VEC_PUSH(ir->bind, ir->nbind, ir->bind_cap) = *b;
  return &ir->bind[ir->nbind - 1];
}

bool ir_declare(struct ir *ir, const struct bind *declared, struct err *e) {
  struct bind copy = *declared, *b = &copy;
  if (b->kind == BIND_RANGE) b->scope |= RANGES;
  struct bind *old = ir_find(ir, b->name, b->scope);
  if (old)
    return err_at(e, ir->file, b->line, b->col,
                  "found a second declaration of '%.60s', expected one only; the first is in line %d", b->name,
                  old->line);
  add_bind(ir, b);
  return true;
}

struct bind *ir_lookup(struct ir *ir, struct ir_func *f, const char *name, uint32_t scope) {
  size_t n = strlen(name), first = n;
  while (first > 1 && name[first - 1] >= '0' && name[first - 1] <= '9') first--;
  /* Ways to read the name as register of a range: base and index, an index has no leading zeros. */
  struct {
    const char *base;
    uint32_t index;
  } way[10];
  unsigned ways = 0;
  uint64_t value = 0, ten = 1;
  for (size_t k = n; k > first && n - k < 10; k--, ten *= 10) {
    value += (uint64_t)(name[k - 1] - '0') * ten;
    if ((name[k - 1] == '0' && k != n) || value >= NO_REG) continue;
    const char *base = hashtab_find_text(&ir->name, name, k - 1);
    if (base) way[ways].base = base, way[ways++].index = (uint32_t)value;
  }
  for (;; scope = ir->parent[scope]) {
    struct bind *b = ir_find(ir, name, scope);
    if (b) return b;
    for (unsigned k = 0; f && k < ways; k++) {
      b = ir_find(ir, way[k].base, scope | RANGES);
      if (!b || way[k].index >= b->index) continue;
      struct bind made = {name, scope, BIND_REG, b->type, 0, NULL, b->line, b->col};
      made.index = ir_add_reg(f, name, b->type);
      return add_bind(ir, &made);
    }
    if (scope == 0) return NULL;
  }
}

uint32_t ir_add_reg(struct ir_func *f, const char *name, uint8_t type) {
  VEC_PUSH(f->reg, f->nreg, f->reg_cap) = (struct ir_reg){name, type};
  return f->nreg - 1;
}

struct ir_func *ir_find_func(const struct ir *ir, const char *name) {
  struct bind *b = ir_find(ir, name, 0);
  return b && b->kind == BIND_FUNC ? b->ptr : NULL;
}

/* ---- types, spaces, special registers ---- */

static const struct {
  const char *name;
  uint8_t bits, cls;
} types[T_COUNT] = {
    [T_PRED] = {".pred", 1, TC_PRED},
    [T_U8] = {".u8", 8, TC_INT},
    [T_U16] = {".u16", 16, TC_INT},
    [T_U32] = {".u32", 32, TC_INT},
    [T_U64] = {".u64", 64, TC_INT},
    [T_S8] = {".s8", 8, TC_INT},
    [T_S16] = {".s16", 16, TC_INT},
    [T_S32] = {".s32", 32, TC_INT},
    [T_S64] = {".s64", 64, TC_INT},
    [T_B8] = {".b8", 8, TC_BITS},
    [T_B16] = {".b16", 16, TC_BITS},
    [T_B32] = {".b32", 32, TC_BITS},
    [T_B64] = {".b64", 64, TC_BITS},
    [T_F16] = {".f16", 16, TC_FLOAT},
    [T_F16X2] = {".f16x2", 32, TC_FLOAT},
    [T_BF16] = {".bf16", 16, TC_FLOAT},
    [T_BF16X2] = {".bf16x2", 32, TC_FLOAT},
    [T_TF32] = {".tf32", 32, TC_FLOAT},
    [T_F32] = {".f32", 32, TC_FLOAT},
    [T_F64] = {".f64", 64, TC_FLOAT},
    [T_U4] = {".u4", 4, TC_INT},
    [T_S4] = {".s4", 4, TC_INT},
    [T_B1] = {".b1", 1, TC_BITS},
    [T_U2] = {".u2", 2, TC_INT},
    [T_S2] = {".s2", 2, TC_INT},
};

static enum dtype type_named_below(const char *s, size_t n, int end) {
  for (int t = T_PRED; t < end; t++)
    if (strlen(types[t].name + 1) == n && !memcmp(types[t].name + 1, s, n)) return (enum dtype)t;
  return T_NONE;
}

enum dtype type_named(const char *s, size_t n) { return type_named_below(s, n, T_U4); }
enum dtype type_of_matrix(const char *s, size_t n) { return type_named_below(s, n, T_COUNT); }

unsigned type_bits(enum dtype t) { return types[t].bits; }
enum tclass type_class(enum dtype t) { return (enum tclass)types[t].cls; }
const char *type_text(enum dtype t) { return types[t].name ? types[t].name : ""; }

const char *space_text(uint8_t var_kind) {
  static const char *const text[] = {".shared", ".local", ".global", ".const", ".param", ".param", "opaque"};
  return text[var_kind];
}

const char *handle_text(uint8_t handle) {
  static const char *const text[] = {"", ".texref", ".samplerref", ".surfref"};
  return text[handle];
}

static const struct {
  const char *name;
  uint8_t bits;
} sregs[SR_COUNT] = {
    [SR_TID_X] = {"%tid.x", 32},
    [SR_TID_Y] = {"%tid.y", 32},
    [SR_TID_Z] = {"%tid.z", 32},
    [SR_NTID_X] = {"%ntid.x", 32},
    [SR_NTID_Y] = {"%ntid.y", 32},
    [SR_NTID_Z] = {"%ntid.z", 32},
    [SR_CTAID_X] = {"%ctaid.x", 32},
    [SR_CTAID_Y] = {"%ctaid.y", 32},
    [SR_CTAID_Z] = {"%ctaid.z", 32},
    [SR_NCTAID_X] = {"%nctaid.x", 32},
    [SR_NCTAID_Y] = {"%nctaid.y", 32},
    [SR_NCTAID_Z] = {"%nctaid.z", 32},
    [SR_LANEID] = {"%laneid", 32},
    [SR_WARPID] = {"%warpid", 32},
    [SR_NWARPID] = {"%nwarpid", 32},
    [SR_SMID] = {"%smid", 32},
    [SR_NSMID] = {"%nsmid", 32},
    [SR_GRIDID] = {"%gridid", 64},
    [SR_LANEMASK_EQ] = {"%lanemask_eq", 32},
    [SR_LANEMASK_LE] = {"%lanemask_le", 32},
    [SR_LANEMASK_LT] = {"%lanemask_lt", 32},
    [SR_LANEMASK_GE] = {"%lanemask_ge", 32},
    [SR_LANEMASK_GT] = {"%lanemask_gt", 32},
    [SR_CLOCK] = {"%clock", 32},
    [SR_CLOCK_HI] = {"%clock_hi", 32},
    [SR_CLOCK64] = {"%clock64", 64},
    [SR_GLOBALTIMER] = {"%globaltimer", 64},
    [SR_DYN_SMEM] = {"%dynamic_smem_size", 32},
    [SR_TOTAL_SMEM] = {"%total_smem_size", 32},
    [SR_RESERVED_SMEM] = {"%reserved_smem_offset_begin", 32},
    [SR_ENVREG] = {"%envreg0", 32},
    [SR_ENVREG2] = {"%envreg2", 32},
};

/* %envreg<32> but %envreg2, and %reserved_smem_offset_{begin, end, cap, 0, 1}: one value for all of them. */
static int sreg_family(const char *s, size_t n) {
  static const char *const of_smem[] = {"end", "cap", "0", "1"};
  char name[40], whole[40];
  if (n >= sizeof name) return -1;
  memcpy(name, s, n);
  name[n] = 0;
  for (unsigned k = 0; k < 32; k++) {
    snprintf(whole, sizeof whole, "%%envreg%u", k);
    if (!strcmp(name, whole)) return SR_ENVREG;
  }
  for (unsigned k = 0; k < 4; k++) {
    snprintf(whole, sizeof whole, "%%reserved_smem_offset_%s", of_smem[k]);
    if (!strcmp(name, whole)) return SR_RESERVED_SMEM;
  }
  return -1;
}

int sreg_named(const char *s, size_t n) {
  for (int k = 0; k < SR_COUNT; k++)
    if (strlen(sregs[k].name) == n && !memcmp(sregs[k].name, s, n)) return k;
  return sreg_family(s, n);
}

unsigned sreg_bits(int sreg) { return sregs[sreg].bits; }

uint64_t float_bits(const struct ir_opnd *o, unsigned bits) {
  uint64_t v = (uint64_t)o->imm;
  if (o->single && bits == 64) {
    uint32_t w = (uint32_t)v;
    float f;
    memcpy(&f, &w, 4);
    double d = f;
    memcpy(&v, &d, 8);
  } else if (!o->single && bits == 32) {
    double d;
    memcpy(&d, &v, 8);
    float f = (float)d;
    uint32_t w;
    memcpy(&w, &f, 4);
    v = w;
  }
  return v;
}

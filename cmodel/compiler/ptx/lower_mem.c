/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores, atomics and .param space.
 *
 * - A kernel parameter of 4 or 8 bytes is a MOV from the constant bank; narrower ones are LD of SP_PARAM.
 * - A function's .param variable becomes registers, one per (offset, width) that is accessed, when all
 * accesses agree on those and its address is not taken; else it is in local memory.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/ptx/check.h"
#include "compiler/ptx/lower.h"

enum { MAX_SLOTS = 64 };

struct ir_slots {
  uint32_t n;
  struct {
    uint32_t offset, bytes, vreg;
    bool stored;
  } slot[MAX_SLOTS];
};

/* ---- which .param variables are registers ---- */

/* One access. A load may be narrower than the slot that begins where it does: it reads the low bits. */
static void param_touch(struct lower *l, struct ir_var *v, uint64_t offset, uint32_t bytes, bool store) {
  if (v->in_memory) return;
  if (!v->slots) v->slots = arena_alloc(&l->ir->arena, sizeof *v->slots);
  struct ir_slots *s = v->slots;
  uint32_t same = s->n;
  for (uint32_t k = 0; k < s->n; k++)
    if (s->slot[k].offset == offset) same = k;
  if (same < s->n) {
    if (store ? s->slot[same].stored && s->slot[same].bytes != bytes
              : s->slot[same].stored && s->slot[same].bytes < bytes)
      v->in_memory = true;
    if (store && s->slot[same].bytes > bytes) v->in_memory = true;
    if (bytes > s->slot[same].bytes) s->slot[same].bytes = bytes;
    s->slot[same].stored |= store;
  } else if (s->n == MAX_SLOTS) {
    v->in_memory = true;
  } else {
    s->slot[s->n].offset = (uint32_t)offset;
    s->slot[s->n].bytes = bytes;
    s->slot[s->n].stored = store;
    s->slot[s->n++].vreg = NO_REG;
  }
  for (uint32_t k = 0; k < s->n; k++)
    if (k != same && offset < (uint64_t)s->slot[k].offset + s->slot[k].bytes && s->slot[k].offset < offset + bytes &&
        s->slot[k].offset != offset)
      v->in_memory = true;
}

static void scan_operand(struct lower *l, const struct flat_insn *f, const struct ir_opnd *o) {
  struct ir_var **map = l->fl->inst[f->inst].var;
  uint32_t bytes = type_bits(f->i->type) / 8;
  if (o->kind == IO_SYM && o->var->kind == V_FPARAM) map[o->var->index]->in_memory = true;
  if (o->kind == IO_ADDR && o->base == IO_SYM && o->var->kind == V_FPARAM)
    for (unsigned k = 0; k < f->i->vec; k++)
      param_touch(l, map[o->var->index], (uint64_t)o->imm + k * bytes, bytes, f->i->rule->op == OP_ST);
  for (unsigned k = 0; o->kind == IO_VEC && k < o->n; k++) scan_operand(l, f, &o->elem[k]);
}

static void scan_place(struct lower *l, const struct place *p, bool store) {
  if (p->kind == PL_VAR) param_touch(l, p->var, 0, (uint32_t)p->var->size, store);
}

bool lower_params(struct lower *l) {
  for (uint32_t k = 0; k < l->fl->n; k++) {
    const struct flat_insn *f = &l->fl->insn[k];
    for (unsigned j = 0; f->kind == FL_INSN && j < f->i->nopnd; j++) scan_operand(l, f, &f->i->opnd[j]);
    if (f->kind == FL_MOVE) {
      scan_place(l, &f->move->dst, true);
      scan_place(l, &f->move->src, false);
    }
  }
  for (uint32_t k = 0; k < l->fl->nparam; k++) {
    struct ir_var *v = l->fl->param[k];
    if (!v->in_memory) continue;
    l->local_bytes = (l->local_bytes + v->align - 1) & ~(uint64_t)(v->align - 1);
    v->addr = (uint32_t)l->local_bytes;
    l->local_bytes += v->size;
    if (l->local_bytes > 512 * 1024)
      return err_at(l->e, l->ir->file, v->line, v->col,
                    "found more than 524288 bytes of .param variables in memory in kernel '%.60s'", l->out->name);
  }
  return true;
}

static struct opnd slot_reg(struct lower *l, struct ir_var *v, uint64_t offset) {
  struct ir_slots *s = v->slots;
  uint32_t k = 0;
  while (s->slot[k].offset != offset) k++;
  unsigned words = s->slot[k].bytes == 8 ? 2 : 1;
  if (s->slot[k].vreg == NO_REG) {
    char name[96];
    int n = snprintf(name, sizeof name, offset ? "%.80s+%u" : "%.80s", v->name, (unsigned)offset);
    s->slot[k].vreg = lower_vreg(l, arena_strndup(&l->m->arena, name, (size_t)n), words);
  }
  return (struct opnd){.kind = O_REG, .words = (uint8_t)words, .reg = s->slot[k].vreg};
}

/* ---- copies that load and store between registers ---- */

static void lower_copy(struct lower *l, uint8_t op, uint8_t type, uint8_t stype, const struct opnd *d,
                       const struct opnd *s) {
  struct insn *i = lower_emit(l, op, type);
  i->stype = stype;
  i->dst[i->ndst++] = *d;
  i->src[i->nsrc++] = *s;
}

/* Value s of a `type` in memory (or its register) to d, as ld would: extended to the whole of d. */
static void read_as(struct lower *l, uint8_t type, const struct opnd *d, const struct opnd *s) {
  unsigned bits = type_bits(type);
  bool sign = type >= T_S8 && type <= T_S64;
  if (d->kind == O_NONE) return;
  if (bits == 64) lower_copy(l, OP_MOV, T_B64, T_NONE, d, s);
  else if (bits == 32 && d->words == 1 && s->words == 2) lower_copy(l, OP_CVT, T_U32, T_U64, d, s);
  else if (bits == 32 && d->words == 1) lower_copy(l, OP_MOV, T_B32, T_NONE, d, s);
  else if (d->words == 2)
    lower_copy(l, OP_CVT, sign ? T_S64 : T_U64,
               bits == 32   ? (sign ? T_S32 : T_U32)
               : bits == 16 ? (sign ? T_S16 : T_U16)
                            : (sign ? T_S8 : T_U8),
               d, s);
  else lower_copy(l, OP_CVT, sign ? T_S32 : T_U32, bits == 16 ? (sign ? T_S16 : T_U16) : (sign ? T_S8 : T_U8), d, s);
}

/* Value s to the register d of a slot, as st would: the low bits, zero above. */
static void write_as(struct lower *l, uint8_t type, const struct opnd *d, const struct opnd *s) {
  unsigned bits = type_bits(type);
  if (bits == 64) lower_copy(l, OP_MOV, T_B64, T_NONE, d, s);
  else if (s->kind == O_IMM || (bits == 32 && s->words == 1)) lower_copy(l, OP_MOV, T_B32, T_NONE, d, s);
  else lower_copy(l, OP_CVT, T_U32, bits == 32 ? T_U64 : bits == 16 ? T_U16 : T_U8, d, s);
}

static const struct ir_opnd *lower_element(const struct ir_insn *s, const struct ir_opnd *v, unsigned k) {
  return s->vec == 1 ? v : &v->elem[k];
}

/* ---- memory ---- */

struct opnd lower_address(struct lower *l, const struct ir_opnd *o, int64_t *offset) {
  uint64_t a = (uint64_t)o->imm;
  *offset = 0;
  if (o->base == IO_REG) {
    *offset = o->imm;
    return lower_reg(l, l->inst->reg_base + o->reg, false);
  }
  if (o->base == IO_SYM) lower_symbol(l, o, &a);
  return lower_imm(a, T_U64);
}

/* ld.param and st.param of a name: true if that was it. */
static bool param_access(struct lower *l, const struct ir_insn *s, const struct ir_opnd *o, const struct ir_opnd *v) {
  uint32_t bytes = type_bits(s->type) / 8;
  if (o->base != IO_SYM) return false;
  if (o->var->kind == V_KPARAM) {
    if (bytes < 4) return false;
    for (unsigned k = 0; k < s->vec; k++) {
      struct opnd d = lower_dst(l, lower_element(s, v, k));
      struct opnd c = {
          .kind = O_CBANK, .words = (uint8_t)(bytes / 4), .reg = o->var->addr + (uint32_t)o->imm + k * bytes};
      if (s->vec == 1 && (d.words * 4u == bytes)) lower_copy(l, OP_MOV, s->type, T_NONE, &d, &c);
      else read_as(l, s->type, &d, &c);
    }
    return true;
  }
  if (o->var->kind != V_FPARAM) return false;
  struct ir_var *var = l->inst->var[o->var->index];
  if (var->in_memory) return false;
  for (unsigned k = 0; k < s->vec; k++) {
    struct opnd slot = slot_reg(l, var, (uint64_t)o->imm + k * bytes);
    const struct ir_opnd *x = lower_element(s, v, k);
    struct opnd r = s->rule->op == OP_LD ? lower_dst(l, x) : lower_src(l, x, s->type);
    if (s->rule->op == OP_LD) read_as(l, s->type, &r, &slot);
    else write_as(l, s->type, &slot, &r);
  }
  return true;
}

/* .param through a register is the kernel's bank in a kernel and the stack in a function, unless the operation says. */
static uint8_t real_space(const struct ir_insn *s, const struct ir_opnd *o) {
  if (s->space != SP_PARAM) return s->space;
  if (o->base == IO_SYM) return o->var->kind == V_KPARAM ? SP_PARAM : SP_LOCAL;
  if (s->rule->op == OP_ST || (s->flags & IF_PARAM_FUNC)) return SP_LOCAL;
  if (s->flags & IF_PARAM_ENTRY) return SP_PARAM;
  return s->in_func ? SP_LOCAL : SP_PARAM;
}

bool lower_memory(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.ndst = 0};
  unsigned op = s->rule->op, n = s->nopnd - (s->flags & IF_HINT ? 1u : 0u), at = 0;
  bool returns = op == OP_LD || (op == OP_ATOM && !(s->flags & IF_RED));
  if (returns) at = 1;
  const struct ir_opnd *o = &s->opnd[at];
  if (s->space == SP_PARAM && param_access(l, s, o, &s->opnd[1 - at])) return true;
  if (returns && op == OP_ATOM && s->opnd[0].kind == IO_SINK) returns = false;
  for (unsigned k = 0; returns && k < s->vec; k++) i.dst[i.ndst++] = lower_dst(l, lower_element(s, &s->opnd[0], k));
  i.src[i.nsrc++] = lower_address(l, o, &i.offset);
  if (op == OP_ST)
    for (unsigned k = 0; k < s->vec; k++) i.src[i.nsrc++] = lower_src(l, lower_element(s, &s->opnd[1], k), s->type);
  for (unsigned k = at + 1; op == OP_ATOM && k < n; k++) i.src[i.nsrc++] = lower_src(l, &s->opnd[k], s->type);
  struct insn *out = lower_emit(l, (uint8_t)op, s->type);
  i.op = out->op;
  i.type = out->type;
  i.line = out->line;
  i.col = out->col;
  i.guard = out->guard;
  i.vec = s->vec;
  i.sub = s->sub;
  i.mods = s->mods;
  i.space = real_space(s, o);
  *out = i;
  return !l->e->set;
}

/* ---- arguments and return values ---- */

static struct opnd lower_place(struct lower *l, const struct place *p, uint8_t type, bool dst) {
  if (p->kind == PL_REG) return lower_reg(l, p->reg, false);
  const struct flat_inst *inst = l->inst;
  l->inst = &l->fl->inst[p->inst];
  struct opnd r = dst ? lower_dst(l, p->opnd) : lower_src(l, p->opnd, type);
  l->inst = inst;
  return r;
}

bool lower_move(struct lower *l, const struct flat_move *m) {
  const struct place *var = m->dst.kind == PL_VAR ? &m->dst : m->src.kind == PL_VAR ? &m->src : NULL;
  if (!var) {
    struct opnd s = lower_place(l, &m->src, m->type, false), d = lower_place(l, &m->dst, m->type, true);
    lower_copy(l, OP_MOV, m->type == T_PRED ? T_PRED : type_bits(m->type) == 64 ? T_B64 : T_B32, T_NONE, &d, &s);
    return true;
  }
  bool store = var == &m->dst;
  struct opnd r = store ? lower_place(l, &m->src, m->type, false) : lower_place(l, &m->dst, m->type, true);
  if (!var->var->in_memory) {
    struct opnd slot = slot_reg(l, var->var, 0);
    if (store) write_as(l, m->type, &slot, &r);
    else read_as(l, m->type, &r, &slot);
    return true;
  }
  struct insn *i = lower_emit(l, store ? OP_ST : OP_LD, m->type);
  i->space = SP_LOCAL;
  i->src[i->nsrc++] = lower_imm(var->var->addr, T_U64);
  if (store) i->src[i->nsrc++] = r;
  else i->dst[i->ndst++] = r;
  return true;
}

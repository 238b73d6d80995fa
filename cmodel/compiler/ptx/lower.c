/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/ptx/lower.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/ir/traits.h"
#include "compiler/ptx/check.h"

/* Of the shared memory that the system reserves, SECOND is where the part begins that compilers of CUDA 12 and later use for
 * cooperative groups larger than a warp (288 bytes); in the order of %reserved_smem_offset_begin, _end, _cap, _0, _1. */
enum { MAX_SHARED = 228 * 1024, RESERVED = 1024, SECOND = 512 };

/* ---- emission ---- */

static bool lower_error(struct lower *l, int line, int col, const char *text, const char *name) {
  return err_at(l->e, l->ir->file, line, col, text, name);
}

uint32_t lower_vreg(struct lower *l, const char *name, unsigned words) {
  VEC_PUSH(l->vreg, l->nvreg, l->vreg_cap) = (struct vreg){(uint8_t)words, name};
  return l->nvreg - 1;
}

struct opnd lower_reg(struct lower *l, uint32_t flat_reg, bool neg) {
  const struct ir_reg *r = l->fl->reg[flat_reg];
  unsigned words = r->type == T_PRED ? 0 : type_bits(r->type) == 64 ? 2 : 1;
  if (l->of[flat_reg] == NO_REG) l->of[flat_reg] = lower_vreg(l, r->name, words);
  return (struct opnd){.kind = words ? O_REG : O_PRED, .words = (uint8_t)words, .neg = neg, .reg = l->of[flat_reg]};
}

struct insn *lower_emit(struct lower *l, uint8_t op, uint8_t type) {
  const struct flat_insn *at = l->at;
  struct opnd guard = {0};
  if (at->kind != FL_INSN && at->guard != NO_REG) guard = lower_reg(l, at->guard, at->guard_neg);
  if (at->kind == FL_INSN && at->i->guard != NO_REG)
    guard = lower_reg(l, l->inst->reg_base + at->i->guard, at->i->guard_neg);
  if (l->n >= MAX_INSNS) {
    l->full = true;
    l->n--;
  }
  struct insn *i = &VEC_PUSH(l->insn, l->n, l->cap);
  *i = (struct insn){
      .op = op, .type = type, .vec = 1, .line = (uint32_t)at->i->line, .col = (uint32_t)at->i->col, .guard = guard};
  return i;
}

static uint64_t mask_to(uint64_t v, unsigned bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }

struct opnd lower_imm(uint64_t bits, uint8_t type) {
  unsigned n = type_bits(type);
  if (type == T_PRED) return (struct opnd){.kind = O_IMM, .imm = bits != 0};
  return (struct opnd){.kind = O_IMM, .words = n == 64 ? 2 : 1, .imm = mask_to(bits, n)};
}

bool lower_symbol(struct lower *l, const struct ir_opnd *o, uint64_t *addr) {
  struct ir_var *v = o->var;
  if (v->refused)
    return err_at(l->e, l->ir->file, o->line, o->col, "found '%.60s', which is not supported: see %d:%d: %.300s",
                  v->name, v->refused->line, v->refused->col, v->refused->text);
  if (v->is_extern && v->kind != V_SHARED)
    return lower_error(l, o->line, o->col, "found extern variable '%.60s', which is not defined in this file", v->name);
  if (v->kind == V_FPARAM || v->kind == V_LOCAL) v = l->inst->var[v->index];
  *addr = v->addr + (uint64_t)o->imm;
  return true;
}

static uint32_t reserved_offset(const char *name) {
  if (!strcmp(name, "%reserved_smem_offset_end") || !strcmp(name, "%reserved_smem_offset_cap")) return RESERVED;
  return !strcmp(name, "%reserved_smem_offset_1") ? SECOND : 0;
}

struct opnd lower_src(struct lower *l, const struct ir_opnd *o, uint8_t type) {
  unsigned bits = type_bits(type);
  uint64_t addr = 0;
  switch (o->kind) {
    case IO_REG: return lower_reg(l, l->inst->reg_base + o->reg, o->neg);
    case IO_FLOAT: return lower_imm(float_bits(o, bits), type);
    case IO_SREG:
      if (o->reg == SR_RESERVED_SMEM) return lower_imm(reserved_offset(o->name), type);
      return (struct opnd){.kind = O_SREG, .words = bits == 64 ? 2 : 1, .reg = o->reg};
    case IO_SYM:
      if (o->var->kind == V_KPARAM && o->var->handle)
        return (struct opnd){.kind = O_CBANK, .words = 2, .reg = o->var->addr};
      lower_symbol(l, o, &addr);
      return lower_imm(addr, type);
    default: return lower_imm((uint64_t)o->imm, type);
  }
}

struct opnd lower_dst(struct lower *l, const struct ir_opnd *o) {
  if (o->kind == IO_SINK) return (struct opnd){0};
  return lower_reg(l, l->inst->reg_base + o->reg, false);
}

static void lower_copy_decoded(struct insn *i, const struct ir_insn *s) {
  i->type = s->type;
  i->stype = s->stype;
  i->rnd = s->rnd;
  i->cmp = s->cmp;
  i->boolop = s->boolop;
  i->sub = s->sub;
  i->mods = s->mods;
}

/* ---- pseudo operations ---- */

static uint64_t window_base(uint8_t space, bool stack) {
  switch (space) {
    case SP_SHARED: return SHARED_WINDOW;
    case SP_LOCAL: return LOCAL_WINDOW;
    case SP_CONST: return CONST_WINDOW;
    case SP_PARAM: return stack ? LOCAL_WINDOW : PARAM_WINDOW;
    default: return 0;
  }
}

/* Is this .param one of a function (on the stack), or of the kernel? */
static bool stack_param(const struct ir_insn *s, const struct ir_opnd *o) {
  if (o->kind == IO_SYM) return o->var->kind == V_FPARAM;
  if (s->flags & (IF_PARAM_ENTRY | IF_PARAM_FUNC)) return s->flags & IF_PARAM_FUNC;
  return s->in_func;
}

static void lower_cvta(struct lower *l, const struct ir_insn *s) {
  const struct ir_opnd *from = &s->opnd[1];
  uint64_t base = window_base(s->space, stack_param(s, from));
  struct opnd a = lower_src(l, from, T_U64), d = lower_dst(l, &s->opnd[0]);
  bool to = s->flags & IF_TO;
  if (a.kind == O_IMM) {
    a.imm = to ? a.imm - base : a.imm + base;
    base = 0;
  }
  struct insn *i = lower_emit(l, base == 0 ? OP_MOV : to ? OP_SUB : OP_ADD, T_U64);
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = a;
  if (base) i->src[i->nsrc++] = lower_imm(base, T_U64);
}

static void lower_isspacep(struct lower *l, const struct ir_insn *s) {
  struct opnd p = lower_dst(l, &s->opnd[0]), a = lower_src(l, &s->opnd[1], T_U64);
  uint64_t base = window_base(s->space, stack_param(s, &s->opnd[1]));
  if (a.kind == O_REG && a.words == 1) {
    uint32_t wide = lower_vreg(l, "%isspacep", 2);
    struct insn *c = lower_emit(l, OP_CVT, T_U64);
    c->stype = T_U32;
    c->dst[c->ndst++] = (struct opnd){.kind = O_REG, .words = 2, .reg = wide};
    c->src[c->nsrc++] = a;
    a = c->dst[0];
  }
  uint32_t low = base ? lower_vreg(l, "%isspacep.p", 0) : 0;
  if (base) {
    struct insn *i = lower_emit(l, OP_SETP, T_U64);
    i->cmp = C_GE;
    i->dst[i->ndst++] = (struct opnd){.kind = O_PRED, .reg = low};
    i->src[i->nsrc++] = a;
    i->src[i->nsrc++] = lower_imm(base, T_U64);
  }
  struct insn *i = lower_emit(l, OP_SETP, T_U64);
  i->cmp = C_LT;
  i->dst[i->ndst++] = p;
  i->src[i->nsrc++] = a;
  i->src[i->nsrc++] = lower_imm(base + WINDOW_SIZE, T_U64);
  if (base) {
    i->boolop = B_AND;
    i->src[i->nsrc++] = (struct opnd){.kind = O_PRED, .reg = low};
  }
}

static struct insn *lower_branch(struct lower *l, uint32_t label) {
  struct insn *i = lower_emit(l, OP_BRA, T_NONE);
  if (l->nfix == l->fix_cap) {
    l->fix_cap = l->fix_cap ? l->fix_cap * 2 : 64;
    l->fix = xrealloc(l->fix, l->fix_cap * sizeof *l->fix);
  }
  l->fix[l->nfix].insn = l->n - 1;
  l->fix[l->nfix++].label = label;
  return i;
}

/* A chain of comparisons; an index past the table is undefined in PTX, so the last entry needs none. */
static void lower_brx(struct lower *l, const struct ir_insn *s) {
  const struct ir_table *t = s->table;
  uint32_t skip = NO_REG, base = l->inst->label_base, p = lower_vreg(l, "%brx", 0);
  struct opnd index = lower_src(l, &s->opnd[0], T_U32);
  struct flat_insn plain = *l->at;
  struct ir_insn unguarded = *s;
  if (s->guard != NO_REG) {
    struct insn *i = lower_emit(l, OP_BRA, T_NONE);
    i->guard.neg = !i->guard.neg;
    skip = l->n - 1;
    unguarded.guard = NO_REG;
    plain.i = &unguarded;
    l->at = &plain;
  }
  for (uint32_t k = 0; k + 1 < t->n && !l->full; k++) {
    if (t->target[k].reg == t->target[t->n - 1].reg) continue;
    struct insn *c = lower_emit(l, OP_SETP, T_U32);
    c->cmp = C_EQ;
    c->dst[c->ndst++] = (struct opnd){.kind = O_PRED, .reg = p};
    c->src[c->nsrc++] = index;
    c->src[c->nsrc++] = lower_imm(k, T_U32);
    struct insn *b = lower_branch(l, base + t->target[k].reg);
    b->guard = (struct opnd){.kind = O_PRED, .reg = p};
    b->mods = s->mods;
  }
  lower_branch(l, base + t->target[t->n - 1].reg)->mods = s->mods;
  if (skip != NO_REG) l->insn[skip].target = l->n;
}

/* ---- computing instructions ---- */

static struct opnd lower_carry(struct lower *l) {
  if (l->cc == NO_REG) l->cc = lower_vreg(l, "%cc", 0);
  return (struct opnd){.kind = O_PRED, .reg = l->cc};
}

static bool lower_is_supported(struct lower *l, const struct insn *i) {
  if (insn_executable(i)) return true;
  const struct ir_insn *s = l->at->i;
  return err_at(l->e, l->ir->file, s->line, s->col, "found '%.*s', which is not supported", s->ntext, s->text);
}

static uint8_t source_type(char letter, const struct ir_insn *s) {
  switch (letter) {
    case 't': return s->type;
    case 's':
    case 'x': return s->stype;
    case 'w': return (uint8_t)wide_type(s);
    case 'p': return T_PRED;
    default: return T_B32;
  }
}

static void lower_compute(struct lower *l, const struct ir_insn *s) {
  const char *sig = check_signature(s);
  struct insn i = {.ndst = 0};
  for (unsigned k = 0; sig[k]; k++) {
    const struct ir_opnd *o = &s->opnd[k];
    if (sig[k] < 'a') {
      i.dst[i.ndst++] = lower_dst(l, o);
      if (o->pair) i.dst[i.ndst++] = lower_dst(l, o->pair);
    } else {
      i.src[i.nsrc++] = lower_src(l, o, source_type(sig[k], s));
    }
  }
  uint8_t op = s->rule->op;
  if (op == OP_MAD && type_class(s->type) == TC_FLOAT) op = OP_FMA;
  if (op == OP_ADDC || op == OP_SUBC || op == OP_MADC) i.src[i.nsrc++] = lower_carry(l);
  if (s->mods & M_CC) i.dst[i.ndst++] = lower_carry(l);
  if ((op == OP_SHFL || op == OP_VOTE) && !(s->mods & M_SYNC)) i.src[i.nsrc++] = lower_imm(UINT32_MAX, T_B32);
  struct insn *out = lower_emit(l, op, s->type);
  i.op = op;
  i.vec = 1;
  i.guard = out->guard;
  i.line = out->line;
  i.col = out->col;
  *out = i;
  lower_copy_decoded(out, s);
}

static void lower_mov(struct lower *l, const struct ir_insn *s) {
  const struct ir_opnd *to = &s->opnd[0], *from = &s->opnd[1];
  const struct ir_opnd *v = to->kind == IO_VEC ? to : from->kind == IO_VEC ? from : NULL;
  struct insn i = {.ndst = 0};
  uint8_t piece = T_NONE;
  if (v) {
    unsigned bits = type_bits(s->type) / v->n;
    piece = bits == 8 ? T_B8 : bits == 16 ? T_B16 : T_B32;
  }
  for (unsigned k = 0; v && k < v->n; k++) {
    if (v == to) i.dst[i.ndst++] = lower_dst(l, &v->elem[k]);
    else i.src[i.nsrc++] = lower_src(l, &v->elem[k], piece);
  }
  if (v != to) i.dst[i.ndst++] = lower_dst(l, to);
  if (!v || v == to) i.src[i.nsrc++] = lower_src(l, from, s->type);
  struct insn *out = lower_emit(l, !v ? OP_MOV : v == to ? OP_UNPACK : OP_PACK, s->type);
  memcpy(out->dst, i.dst, sizeof i.dst);
  memcpy(out->src, i.src, sizeof i.src);
  out->ndst = i.ndst;
  out->nsrc = i.nsrc;
}

/*
 * LLVM's code generator for NVPTX, up to version 14 at least, folds (x >> n) & mask of 64 bits into bfe.u64 x, n, bits of the mask. It
 * leaves the shift alone where bits are shifted in, but counts those that are left, 32 - n, without a sign (tryBFE in
 * NVPTXISelDAGToDAG.cpp): with n above 32 that is huge. For a logical shift the mask is gone by then, since the bits above are
 * known to be 0. So such a bfe that passes bit 63 stands for an arithmetic shift, whose sign is in the field. Version 20
 * counts with a sign and writes no such bfe.
 */
static bool folded_shift(const struct ir_insn *s) {
  const struct ir_opnd *at = &s->opnd[2], *bits = &s->opnd[3];
  return s->flags & IF_LLVM && s->type == T_U64 && at->kind == IO_IMM && bits->kind == IO_IMM && at->imm > 32 &&
         at->imm < 64 && bits->imm > 64 - at->imm && bits->imm < 64;
}

static void shift_and_mask(struct lower *l, const struct ir_insn *s) {
  const struct opnd from = lower_src(l, &s->opnd[1], T_U64), to = lower_dst(l, &s->opnd[0]);
  const struct opnd shifted = {.kind = O_REG, .words = 2, .reg = lower_vreg(l, "%bfe", 2)};
  struct insn *i = lower_emit(l, OP_SHR, T_S64);
  i->dst[i->ndst++] = shifted;
  i->src[i->nsrc++] = from;
  i->src[i->nsrc++] = lower_imm((uint64_t)s->opnd[2].imm, T_B32);
  i = lower_emit(l, OP_AND, T_B64);
  i->dst[i->ndst++] = to;
  i->src[i->nsrc++] = shifted;
  i->src[i->nsrc++] = lower_imm((1ull << s->opnd[3].imm) - 1, T_B64);
}

static bool lower_statement(struct lower *l, const struct ir_insn *s) {
  if (s->rule->form == FORM_VIDEO) {
    lower_video(l);
    return true;
  }
  switch (s->rule->op) {
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_PREFETCH: return lower_memory(l);
    case OP_MMA: lower_mma(l); break;
    case OP_WMMA: lower_wmma(l); break;
    case OP_LDMATRIX: lower_ldmatrix(l); break;
    case OP_CPASYNC: lower_cp_async(l); break;
    case OP_MBARRIER: lower_mbarrier(l); break;
    case OP_TEX:
    case OP_TLD4:
    case OP_TXQ:
    case OP_SULD:
    case OP_SUST:
    case OP_ISTYPEP: return lower_texture(l);
    case OP_BRA: lower_branch(l, l->inst->label_base + s->label)->mods = s->mods; break;
    case OP_BRX: lower_brx(l, s); break;
    case OP_RET:
    case OP_EXIT: lower_emit(l, OP_EXIT, T_NONE); break;
    case OP_TRAP:
    case OP_NOP:
    case OP_MEMBAR: lower_emit(l, s->rule->op, T_NONE); break;
    case OP_CVTA: lower_cvta(l, s); break;
    case OP_ISSPACEP: lower_isspacep(l, s); break;
    case OP_MOV: lower_mov(l, s); break;
    case OP_BFE:
      if (folded_shift(s)) shift_and_mask(l, s);
      else lower_compute(l, s);
      break;
    default: lower_compute(l, s); break;
  }
  return true;
}

/* ---- a kernel ---- */

/* What is reserved, if the kernel names it; the static shared variables that it names, in order of declaration; then the
 * dynamic part. */
static void mark_shared(const struct ir_opnd *o, uint32_t number, struct code *c) {
  if (o->kind == IO_SREG && o->reg == SR_RESERVED_SMEM) c->shared_reserved = RESERVED;
  if ((o->kind == IO_SYM || (o->kind == IO_ADDR && o->base == IO_SYM)) && o->var->kind == V_SHARED) {
    o->var->mark = number;
    c->dyn_shared = c->dyn_shared || o->var->is_extern;
  }
  for (unsigned k = 0; o->kind == IO_VEC && k < o->n; k++) mark_shared(&o->elem[k], number, c);
}

static bool place_shared(struct lower *l, uint32_t number) {
  uint64_t at = 0;
  for (uint32_t k = 0; k < l->fl->n; k++) {
    const struct flat_insn *f = &l->fl->insn[k];
    for (unsigned j = 0; f->kind == FL_INSN && j < f->i->nopnd; j++) mark_shared(&f->i->opnd[j], number, l->out);
  }
  at = l->out->shared_reserved;
  for (int dynamic = 0; dynamic < 2; dynamic++) {
    if (dynamic) at = l->out->dyn_shared ? (at + 15) & ~15ull : at;
    for (uint32_t k = 0; k < l->ir->nvar; k++) {
      struct ir_var *v = l->ir->var[k];
      if (v->kind != V_SHARED || v->mark != number || v->is_extern != !!dynamic) continue;
      if (!dynamic) at = (at + v->align - 1) & ~(uint64_t)(v->align - 1);
      v->addr = (uint32_t)at;
      if (!dynamic) at += v->size;
      if (at > MAX_SHARED)
        return err_at(l->e, l->ir->file, v->line, v->col,
                      "found more than %d bytes of .shared variables in kernel '%.60s'", MAX_SHARED, l->out->name);
    }
  }
  l->out->shared_bytes = (uint32_t)at;
  return true;
}

struct param *lower_formals(struct module *m, const struct ir_func *f, uint32_t *bytes) {
  struct param *p = arena_alloc(&m->arena, (f->nformal + 1) * sizeof *p);
  *bytes = 0;
  for (uint32_t k = 0; k < f->nformal; k++) {
    const struct ir_var *v = f->formal[k];
    p[k] = (struct param){
        v->name, v->addr, (uint32_t)v->size, v->align, v->type, v->array, v->handle ? v->handle : v->points};
    *bytes = v->addr + (uint32_t)v->size;
  }
  return p;
}

/* Whether .pragma "nounroll" stands before this statement. */
static bool keeps_loops(const struct flat *fl, uint32_t k) {
  return k < fl->n && fl->insn[k].kind == FL_INSN && fl->insn[k].i->flags & IF_NOUNROLL;
}

/* Of a register that an instruction names twice for its results, as ptxas takes it, the last value stays. */
static void write_once(struct insn *i) {
  for (unsigned k = 0; k < i->ndst; k++)
    for (unsigned j = k + 1; j < i->ndst && i->dst[k].kind == O_REG; j++)
      if (i->dst[j].kind == O_REG && i->dst[j].reg == i->dst[k].reg) i->dst[k] = (struct opnd){0};
}

static bool lower_body(struct lower *l) {
  const struct flat *fl = l->fl;
  uint32_t *first = xcalloc(fl->n + 1, sizeof *first);
  bool ok = true;
  struct ir_insn end = {.line = (int)l->out->line, .col = (int)l->out->col, .guard = NO_REG};
  struct flat_insn last = {.kind = FL_INSN, .i = &end};
  lower_wmma_lanes(l);
  for (uint32_t k = 0; ok && k < fl->n; k++) {
    const struct flat_insn *f = l->at = &fl->insn[k];
    l->inst = &fl->inst[f->inst];
    first[k] = l->n;
    uint32_t from = l->n;
    if (f->kind == FL_JUMP) lower_branch(l, f->label);
    else ok = f->kind == FL_MOVE ? lower_move(l, f->move) : lower_statement(l, f->i);
    l->at = f;
    if (l->full)
      ok = lower_error(l, f->i->line, f->i->col,
                       "found too many instructions in kernel '%.60s', expected at most a million", l->out->name);
    ok = ok && !l->e->set;
    for (; ok && from < l->n; from++) {
      write_once(&l->insn[from]);
      ok = lower_is_supported(l, &l->insn[from]);
    }
    end.line = f->i->line;
    end.col = f->i->col;
  }
  first[fl->n] = l->n;
  bool falls = l->n == 0 || l->insn[l->n - 1].guard.kind != O_NONE || !insn_ends_block(&l->insn[l->n - 1]);
  for (uint32_t k = 0; ok && k < l->nfix; k++) {
    uint32_t target = first[fl->label[l->fix[k].label]];
    struct insn *from = &l->insn[l->fix[k].insn];
    from->target = target;
    if (target <= l->fix[k].insn && keeps_loops(fl, fl->label[l->fix[k].label])) from->mods |= M_NOUNROLL;
    falls = falls || target == l->n;
  }
  for (uint32_t k = 0; ok && !falls && k < l->n; k++) falls = l->insn[k].op == OP_BRA && l->insn[k].target == l->n;
  l->at = &last;
  if (ok && falls) lower_emit(l, OP_EXIT, T_NONE);
  l->at = NULL;
  free(first);
  return ok;
}

bool lower_kernel(struct ir *ir, const struct flat *fl, const struct ir_func *f, uint32_t number, struct module *m,
                  struct code *out, struct err *e) {
  struct lower l = {.ir = ir, .m = m, .fl = fl, .out = out, .e = e, .cc = NO_REG, .local_bytes = fl->local_bytes};
  *out = (struct code){.name = f->name,
                       .file = m->file,
                       .line = (uint32_t)f->line,
                       .col = (uint32_t)f->col,
                       .minctas = f->minctas,
                       .maxnreg = f->maxnreg};
  memcpy(out->reqntid, f->reqntid, sizeof out->reqntid);
  memcpy(out->maxntid, f->maxntid, sizeof out->maxntid);
  l.of = xmalloc((fl->nreg + 1) * sizeof *l.of);
  memset(l.of, 0xff, (fl->nreg + 1) * sizeof *l.of);
  out->param = lower_formals(m, f, &out->param_bytes);
  out->nparam = f->nformal;
  bool ok = place_shared(&l, number) && lower_params(&l) && lower_body(&l);
  if (ok) {
    out->n = l.n;
    out->insn = arena_alloc(&m->arena, (l.n + 1) * sizeof *out->insn);
    memcpy(out->insn, l.insn, l.n * sizeof *out->insn);
    out->nvreg = l.nvreg;
    out->vreg = arena_alloc(&m->arena, (l.nvreg + 1) * sizeof *out->vreg);
    if (l.nvreg) memcpy(out->vreg, l.vreg, l.nvreg * sizeof *out->vreg);
    out->local_bytes = (uint32_t)((l.local_bytes + 7) & ~7ull);
  }
  free(l.of);
  free(l.insn);
  free(l.vreg);
  free(l.fix);
  return ok;
}

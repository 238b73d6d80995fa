/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack: webs by hand; and all kernels in packed code. Of these, webs that are live at once never share a slice
 * (liveness is computed independently here, over the webs that instructions name), entries are legal, results are
 * right, and a register file in slices, written and read by each lane as the table says, gives every operand's value.
 */
#include <glob.h>
#include <stdio.h>

#include "analysis_make.h"
#include "blocks/slice/entry.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "cta_watch.h"
#include "lab/run/widths.h"
#include "launch/launch.h"
#include "compiler/ptx/ptx.h"
#include "sampled.h"

/* ---- webs by hand ---- */

static const struct narrowing as_they_are = {.split = true}, ints = {.ints = true};

static void pack(struct make *k, const struct narrowing *how) {
  struct err e = {0};
  make_done(k);
  for (uint32_t v = 0; v < k->c->nvreg; v++) {
    char name[16];
    int n = snprintf(name, sizeof name, "%%r%u", v);
    k->c->vreg[v].name = arena_strndup(&k->m->arena, name, (size_t)n);
  }
  if (!pack_kernel(k->m, k->c, how, &e)) fail_msg("%s", e.text);
}

static const struct web *source(const struct code *c, uint32_t insn, unsigned src) {
  return &c->packing->web[c->packing->insn[insn].src[src]];
}

static const struct web *result(const struct code *c, uint32_t insn) {
  return &c->packing->web[c->packing->insn[insn].dst[0]];
}

/* A register that is written anew is another web; a guarded write leaves the old value to some lanes. */
static void writes_part_webs(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), p = reg(&k, 0);
  op2(&k, OP_ADD, T_U32, R(a), C(0, 1), C(4, 1));         /* 0 a */
  setp(&k, C_LT, P(p), R(a), I(7));                       /* 1 */
  st(&k, T_U32, 0, R(a));                                 /* 2 */
  op2(&k, OP_ADD, T_U32, R(a), C(8, 1), I(1));            /* 3 a.2 */
  op2(&k, OP_ADD, T_U32, R(b), C(8, 1), I(3));            /* 4 b */
  op2(&k, OP_ADD, T_U32, R(a), R(b), I(2))->guard = P(p); /* 5 still a.2 */
  st(&k, T_U32, 0, R(a));                                 /* 6 */
  add(&k, OP_EXIT, T_NONE);
  pack(&k, &as_they_are);
  const struct code *c = k.c;
  assert_string_equal(result(c, 0)->name, "%r0");
  assert_ptr_equal(source(c, 1, 0), result(c, 0));
  assert_ptr_equal(source(c, 2, 0), result(c, 0));
  assert_string_equal(result(c, 3)->name, "%r0.2");
  assert_ptr_equal(result(c, 5), result(c, 3));
  assert_ptr_equal(source(c, 6, 0), result(c, 3));
  assert_string_equal(source(c, 5, 0)->name, "%r1");
  assert_int_equal(c->packing->rows, 2);
  assert_int_equal(c->nreg, 2);
  module_free(k.m);
}

/* Two definitions that meet, and the loop's own, are one web; the counter behind the loop is another. */
static void paths_join_webs(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), i = reg(&k, 2), p = reg(&k, 0);
  setp(&k, C_LT, P(p), C(0, 1), I(7));            /* 0 */
  brap(&k, 4, p);                                 /* 1 */
  op2(&k, OP_ADD, T_U32, R(a), C(0, 1), C(4, 1)); /* 2 */
  bra(&k, 5);                                     /* 3 */
  op2(&k, OP_ADD, T_U32, R(a), C(4, 1), C(4, 1)); /* 4 */
  op2(&k, OP_ADD, T_U64, D(i), C(8, 2), I2(1));   /* 5 */
  op2(&k, OP_ADD, T_U64, D(i), D(i), I2(1));      /* 6 loop */
  op2(&k, OP_ADD, T_U32, R(a), R(a), I(1));       /* 7 */
  setp(&k, C_LT, P(p), R(a), I(7));               /* 8 */
  brap(&k, 6, p);                                 /* 9 */
  st(&k, T_U64, 0, D(i));                         /* 10 */
  op2(&k, OP_ADD, T_U64, D(i), C(16, 2), I2(1));  /* 11 */
  st(&k, T_U64, 0, D(i));                         /* 12 */
  add(&k, OP_EXIT, T_NONE);
  pack(&k, &as_they_are);
  const struct code *c = k.c;
  assert_ptr_equal(result(c, 2), result(c, 4));
  assert_ptr_equal(result(c, 2), result(c, 7));
  assert_ptr_equal(source(c, 8, 0), result(c, 4));
  assert_ptr_equal(result(c, 5), result(c, 6));
  assert_string_equal(source(c, 10, 1)->name, "%r1");
  assert_int_equal(source(c, 10, 1)->word, 1);
  assert_int_equal(source(c, 10, 1)->reg, source(c, 10, 0)->reg + 1);
  assert_int_equal(source(c, 10, 0)->reg % 2, 0);
  assert_string_equal(source(c, 12, 0)->name, "%r1.2");
  module_free(k.m);
}

/* Only what is f32 from all writers to all readers may be rounded. */
static void floats_are_known(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), x = reg(&k, 1);
  op2(&k, OP_ADD, T_F32, R(a), C(0, 1), C(4, 1)); /* 0 */
  op2(&k, OP_ADD, T_F32, R(b), R(a), C(4, 1));    /* 1: its bits are stored as an integer */
  st(&k, T_U32, 0, R(b));
  op1(&k, OP_CVT, T_F32, R(x), R(a))->stype = T_F32; /* 3 */
  st(&k, T_F32, 0, R(x));
  op1(&k, OP_CVT, T_U32, R(x), R(a))->stype = T_F32; /* 5 */
  st(&k, T_U32, 0, R(x));
  add(&k, OP_EXIT, T_NONE);
  pack(&k, &as_they_are);
  assert_true(result(k.c, 0)->fp);
  assert_false(result(k.c, 1)->fp);
  assert_true(result(k.c, 3)->fp);
  assert_false(result(k.c, 5)->fp);
  assert_int_equal(k.c->packing->insn[0].fp, 1);
  assert_int_equal(k.c->packing->insn[1].fp, 0);
  module_free(k.m);
}

/* A float that is read in one place besides; is it known as one, all the same? */
static void readers_of_floats(void **state) {
  (void)state;
  static const struct {
    uint8_t op, type, stype, ndst, nsrc, at; /* at: the source that reads it */
    bool fp;
  } reader[] = {
      {OP_ADD, T_F32, 0, 1, 2, 1, true},       {OP_MOV, T_B32, 0, 1, 1, 0, false},
      {OP_CVT, T_U32, T_F32, 1, 1, 0, true},   {OP_CVT, T_F32, T_U32, 1, 1, 0, false},
      {OP_SET, T_U32, T_F32, 1, 2, 1, true},   {OP_SET, T_F32, T_U32, 1, 2, 1, false},
      {OP_SLCT, T_F32, T_S32, 1, 3, 1, true},  {OP_SLCT, T_F32, T_S32, 1, 3, 2, false},
      {OP_SLCT, T_U32, T_F32, 1, 3, 2, true},  {OP_SLCT, T_U32, T_F32, 1, 3, 1, false},
      {OP_LD, T_F32, 0, 1, 1, 0, false},       {OP_PREFETCH, T_F32, 0, 0, 1, 0, false},
      {OP_LDMATRIX, T_F32, 0, 1, 1, 0, false}, {OP_CPASYNC, T_F32, 0, 0, 2, 1, false},
      {OP_ST, T_F32, 0, 0, 2, 0, false},       {OP_ST, T_F32, 0, 0, 2, 1, true},
      {OP_ST, T_B32, 0, 0, 2, 1, false},       {OP_ATOM, T_F32, 0, 1, 2, 0, false},
      {OP_ATOM, T_F32, 0, 1, 2, 1, true},      {OP_ATOM, T_B32, 0, 1, 2, 1, false},
      {OP_MMA, T_F32, T_F16, 2, 5, 0, false},  {OP_MMA, T_F32, T_F16, 2, 5, 2, false},
      {OP_MMA, T_F32, T_F16, 2, 5, 3, true},   {OP_MMA, T_F32, T_F16, 2, 5, 4, true},
      {OP_TEX, T_F32, T_F32, 2, 2, 0, false},  {OP_TEX, T_F32, T_F32, 2, 2, 1, true},
      {OP_TEX, T_U32, T_F32, 2, 2, 1, true},   {OP_TEX, T_F32, T_S32, 2, 2, 1, false},
      {OP_TLD4, T_F32, T_F32, 2, 2, 1, true},  {OP_TXQ, T_B32, 0, 1, 1, 0, false},
      {OP_SULD, T_B32, 0, 1, 2, 1, false},     {OP_SUST, T_B32, 0, 0, 3, 1, false},
      {OP_SUST, T_B32, 0, 0, 3, 2, false},
  };
  for (unsigned n = 0; n < sizeof reader / sizeof *reader; n++) {
    struct make k;
    make_begin(&k);
    uint32_t x = reg(&k, 1), never = reg(&k, 1);
    op2(&k, OP_ADD, T_F32, R(x), C(0, 1), C(4, 1));
    uint32_t other = reg(&k, 1), to = reg(&k, 1);
    reg(&k, 1);
    op2(&k, OP_ADD, T_U32, R(other), C(0, 1), C(4, 1));
    struct insn *i = add(&k, reader[n].op, reader[n].type);
    i->stype = reader[n].stype;
    i->space = SP_SHARED;
    i->ndst = reader[n].ndst;
    i->nsrc = reader[n].nsrc;
    for (unsigned d = 0; d < i->ndst; d++) i->dst[d] = R(to + d);
    for (unsigned s = 0; s < i->nsrc; s++) i->src[s] = R(s == reader[n].at ? x : other);
    for (unsigned d = 0; d < reader[n].ndst; d++) st(&k, T_U32, 0, R(to + d));
    st(&k, T_F32, 0, R(never));
    add(&k, OP_EXIT, T_NONE);
    pack(&k, &as_they_are);
    if (result(k.c, 0)->fp != reader[n].fp)
      fail_msg("%s.%s: source %u: found %s", opcode_name(reader[n].op), dtype_name(reader[n].type), reader[n].at,
               reader[n].fp ? "no float" : "a float");
    assert_false(source(k.c, k.c->n - 2, 0)->fp);
    module_free(k.m);
  }
}

/* A 16-bit move of a number with a sign leaves zeros above, so it stays, even within one place. */
static void moves_that_cut_stay(void **state) {
  (void)state;
  for (unsigned sign = 0; sign < 2; sign++) {
    struct make k;
    make_begin(&k);
    uint32_t a = reg(&k, 1), b = reg(&k, 1);
    struct insn *i = op1(&k, OP_LD, sign ? T_S16 : T_U16, R(a), I2(0)); /* 0 */
    i->space = SP_SHARED;
    op1(&k, OP_MOV, T_B16, R(b), R(a));             /* 1 */
    op2(&k, OP_ADD, T_U32, R(a), C(0, 1), C(4, 1)); /* so a and b are no one register */
    st(&k, T_U32, 0, R(a));
    st(&k, T_U32, 0, R(b));
    add(&k, OP_EXIT, T_NONE);
    pack(&k, &ints);
    assert_int_equal(k.c->n, 5 + sign);
    assert_int_equal(source(k.c, 3 + sign, 0)->reg, result(k.c, 0)->reg);
    assert_int_equal(result(k.c, 0)->sgn, sign);
    module_free(k.m);
  }
}

/* A float that may be rounded says nothing about the register it is moved to, whatever its bits. */
static void rounded_floats_tell_nothing(void **state) {
  (void)state;
  struct make k;
  make_begin(&k);
  uint32_t a = reg(&k, 1), b = reg(&k, 1), c = reg(&k, 1), p = reg(&k, 0);
  setp(&k, C_LT, P(p), C(0, 1), I(7));                                 /* 0 */
  op1(&k, OP_MOV, T_F32, R(a), I(0xfffffffb));                         /* 1: a NaN */
  op1(&k, OP_MOV, T_F32, R(a), I(0xfffffffe))->guard = P(p);           /* 2 */
  struct insn *i = op2(&k, OP_SELP, T_F32, R(b), R(a), I(0xfffffffc)); /* 3 */
  i->src[i->nsrc++] = P(p);
  i = op2(&k, OP_SELP, T_F32, R(c), I(0xfffffffd), I(0xfffffffc)); /* 4 */
  i->src[i->nsrc++] = P(p);
  st(&k, T_F32, 0, R(a));
  st(&k, T_U32, 0, R(b));
  st(&k, T_U32, 0, R(c));
  add(&k, OP_EXIT, T_NONE);
  pack(&k, &ints);
  assert_true(result(k.c, 1)->fp);
  assert_false(result(k.c, 3)->fp);
  assert_int_equal(result(k.c, 3)->n, 8);
  assert_int_equal(result(k.c, 4)->n, 1);
  module_free(k.m);
}

/* More live registers than the table has entries: said, and nothing is changed. */
static void too_many(void **state) {
  (void)state;
  struct make k;
  struct err e = {0};
  make_begin(&k);
  enum { N = 260 };
  uint32_t r[N];
  for (unsigned j = 0; j < N; j++) op2(&k, OP_ADD, T_U32, R(r[j] = reg(&k, 1)), C(0, 1), I(j));
  for (unsigned j = 0; j < N; j++) st(&k, T_U32, 0, R(r[j]));
  add(&k, OP_EXIT, T_NONE);
  make_done(&k);
  assert_false(pack_kernel(k.m, k.c, &as_they_are, &e));
  assert_string_equal(e.file, "k.ptx");
  assert_int_equal(e.line, 3);
  assert_non_null(strstr(e.text, "kernel 'k': found more than 255"));
  assert_false(k.c->allocated);
  assert_null(k.c->packing);
  module_free(k.m);
}

static int by_name(const void *a, const void *b) {
  const struct width *x = a, *y = b;
  int d = strcmp(x->entry, y->entry);
  return d ? d : strcmp(x->web, y->web);
}

/* Values of all widths one after the other, 60 at a time: places of each size would be too many for the table.
 * Integers are given even numbers of slices, or four, and still save registers; floats keep their formats. */
static void widths_are_rounded_up(void **state) {
  (void)state;
  enum { LIVE = 60, FLOATS = 6, SIGNED = 12, PHASES = 20 };
  struct make k;
  struct width_table table = {0};
  const struct widths floats = {.of = &table};
  const struct narrowing how = {.ints = true, .floats = &floats};
  uint64_t seed = 7;
  make_begin(&k);
  for (unsigned phase = 0; phase < PHASES; phase++) {
    uint32_t first = k.c->nvreg;
    for (unsigned j = 0; j < LIVE; j++) {
      unsigned n = 1 + (unsigned)(rng_next(&seed) % 8), off = (unsigned)(rng_next(&seed) % 16);
      uint32_t x = reg(&k, j >= SIGNED && j % 3 == 0 ? 2 : 1);
      if (j < FLOATS) {
        char name[16];
        int size = snprintf(name, sizeof name, "%%r%u", x);
        VEC_PUSH(table.width, table.n, table.cap) = (struct width){
            .entry = "k", .web = arena_strndup(&k.m->arena, name, (size_t)size), .nibbles = (uint8_t)(3 + n % 3 * 2)};
        op2(&k, OP_ADD, T_F32, R(x), C(0, 1), C(4, 1));
      } else if (j < SIGNED) {
        op2(&k, OP_SHR, T_S32, R(x), C(0, 1), I(32 - 4 * n));
      } else if (k.c->vreg[x].words == 2) {
        op2(&k, OP_AND, T_B64, D(x), C(8, 2), I2(~0ull >> 4 * off));
      } else {
        op2(&k, OP_AND, T_B32, R(x), C(0, 1), I(UINT32_MAX >> 4 * (8 - n)));
      }
    }
    for (uint32_t x = first; x < k.c->nvreg; x++)
      if (x - first < FLOATS) st(&k, T_F32, 0, R(x));
      else if (k.c->vreg[x].words == 2) st(&k, T_U64, 0, D(x));
      else st(&k, T_U32, 0, R(x));
  }
  add(&k, OP_EXIT, T_NONE);
  qsort(table.width, table.n, sizeof *table.width, by_name);
  pack(&k, &how);
  const struct packing *p = k.c->packing;
  for (uint32_t x = 0; x < p->nweb; x++) {
    const struct web *w = &p->web[x];
    assert_int_equal(w->n, w->fp ? widths_of(&floats, "k", w->name) : w->n & ~1u);
    assert_false(w->n == 8 && w->sgn);
  }
  print_message("# %u indices, %u rows\n", k.c->nreg, p->rows);
  assert_true(k.c->nreg <= REG_MAX && p->rows < LIVE);
  free(table.width);
  module_free(k.m);
}

/* ---- disjointness, by webs ---- */

struct flow { /* per instruction and web */
  const struct code *c;
  uint8_t *live, *given; /* live before it; written on some path by then */
  uint32_t n;            /* webs */
};

static bool merge(uint8_t *to, const uint8_t *from, uint32_t n) {
  bool more = false;
  for (uint32_t k = 0; k < n; k++) {
    more |= from[k] & ~to[k];
    to[k] |= from[k];
  }
  return more;
}

static unsigned followers(const struct code *c, uint32_t i, uint32_t to[2]) {
  const struct insn *in = &c->insn[i];
  unsigned n = 0;
  bool ends = in->op == OP_BRA || in->op == OP_EXIT || in->op == OP_TRAP;
  if (in->op == OP_BRA) to[n++] = in->target;
  if (!ends || in->guard.kind == O_PRED) to[n++] = i + 1;
  return n;
}

/* Live behind instruction i (or written by it), if some path has written it: what must have slices there. */
static void behind(const struct flow *f, uint32_t i, bool liveness, uint8_t *out) {
  const struct narrow *w = &f->c->packing->insn[i];
  uint32_t to[2];
  memset(out, 0, f->n);
  if (liveness)
    for (unsigned k = followers(f->c, i, to); k-- > 0;) merge(out, f->live + (size_t)to[k] * f->n, f->n);
  else memcpy(out, f->given + (size_t)i * f->n, f->n);
  for (unsigned k = 0; !liveness && k < f->c->op[i].ndst; k++) out[w->dst[k]] = 1;
}

static void flow_build(const struct code *c, struct flow *f) {
  *f = (struct flow){.c = c, .n = c->packing->nweb};
  f->live = xcalloc((size_t)c->n * f->n + 1, 1);
  f->given = xcalloc((size_t)c->n * f->n + 1, 1);
  uint8_t *now = xcalloc((size_t)f->n + 1, 1);
  uint32_t to[2];
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = c->n; i-- > 0;) {
      const struct narrow *w = &c->packing->insn[i];
      behind(f, i, true, now);
      for (unsigned k = 0; k < c->op[i].ndst && c->insn[i].guard.kind != O_PRED; k++) now[w->dst[k]] = 0;
      for (unsigned k = 0; k < c->op[i].nsrc; k++) now[w->src[k]] = 1;
      more |= merge(f->live + (size_t)i * f->n, now, f->n);
    }
    for (uint32_t i = 0; i < c->n; i++) {
      behind(f, i, false, now);
      for (unsigned k = followers(c, i, to); k-- > 0;) more |= merge(f->given + (size_t)to[k] * f->n, now, f->n);
    }
  }
  free(now);
}

static void take(const struct code *c, uint32_t i, uint32_t web, uint32_t owner[256][8]) {
  const struct web *w = &c->packing->web[web];
  uint32_t e = c->packing->entry[w->reg];
  if (entry_n(e) != w->n) fail_msg("%s: %s has %u nibbles in entry %08x", c->name, w->name, w->n, e);
  for (unsigned part = 0; part < 2; part++)
    for (unsigned s = 0; s < 8; s++) {
      if (!(entry_m(e, part) >> s & 1)) continue;
      uint32_t *o = &owner[entry_r(e, part)][s];
      if (*o)
        fail_msg("%s: behind instruction %u, %s and %s share slice %u of row %u", c->name, i, w->name,
                 c->packing->web[*o - 1].name, s, entry_r(e, part));
      *o = web + 1;
    }
}

/* Returns the most slices that are taken at once. */
static uint32_t check_disjoint(const struct code *c) {
  static uint32_t owner[256][8];
  struct flow f;
  uint32_t most = 0;
  flow_build(c, &f);
  uint8_t *live = xcalloc((size_t)f.n + 1, 1), *given = xcalloc((size_t)f.n + 1, 1);
  for (uint32_t i = 0; i < c->n; i++) {
    uint32_t slices = 0;
    behind(&f, i, true, live);
    behind(&f, i, false, given);
    for (unsigned k = 0; k < c->op[i].ndst; k++) live[c->packing->insn[i].dst[k]] = 1;
    memset(owner, 0, sizeof owner);
    for (uint32_t x = 0; x < f.n; x++) {
      if (!live[x] || !given[x]) continue;
      take(c, i, x, owner);
      slices += c->packing->web[x].n;
    }
    if (slices > most) most = slices;
  }
  free(live);
  free(given);
  free(f.live);
  free(f.given);
  return most;
}

static void check_table(const struct code *c) {
  const struct packing *p = c->packing;
  assert_true(c->nreg <= 255);
  for (uint32_t a = 0; a < 256; a++) {
    uint32_t e = p->entry[a];
    if (a < c->nreg ? !entry_legal(e) : e != 0) fail_msg("%s: entry %u is %08x", c->name, a, e);
    if (entry_r(e, false) >= p->rows || entry_r(e, true) >= p->rows)
      fail_msg("%s: entry %u is %08x, there are %u rows", c->name, a, e, p->rows);
  }
  for (uint32_t k = 0; k < p->nweb; k++)
    if (p->web[k].fp && p->web[k].n < 2) fail_msg("%s: %s is a float of 1 nibble", c->name, p->web[k].name);
}

/* ---- a register file in slices, lane by lane ---- */

struct file { /* of one warp */
  uint32_t row[256][LANES];
  uint32_t value[256][LANES]; /* of architectural registers, as exec gave them */
};

struct watch {
  struct file *file;
  uint64_t reads, narrow, split; /* operands; of less than eight nibbles; in two rows */
  uint64_t left;                 /* instructions until it is enough */
};

static uint32_t gather(const struct file *f, uint32_t e, unsigned lane) {
  uint32_t x = 0;
  unsigned at = 0;
  for (unsigned part = 0; part < 2; part++)
    for (unsigned s = 0; s < 8; s++)
      if (entry_m(e, part) >> s & 1) x |= (f->row[entry_r(e, part)][lane] >> 4 * s & 15) << 4 * at++;
  return x;
}

static void scatter(struct file *f, uint32_t e, unsigned lane, uint32_t x) {
  for (unsigned part = 0; part < 2; part++)
    for (unsigned s = 0; s < 8; s++) {
      if (!(entry_m(e, part) >> s & 1)) continue;
      uint32_t *r = &f->row[entry_r(e, part)][lane];
      *r = (*r & ~(15u << 4 * s)) | (x & 15) << 4 * s;
      x >>= 4;
    }
}

static uint32_t extend(uint32_t x, unsigned n, bool sgn, bool cvt) {
  if (cvt) return vcl_convert(x, n);
  return sgn && x >> (4 * n - 1) & 1 ? x | ~vtl_low_bits(n) : x;
}

static bool watch_reads(void *ctx, const struct code *c, const struct warp_inst *inst) {
  struct watch *h = ctx;
  const struct narrow *n = &c->packing->insn[inst->op];
  const struct op *op = &c->op[inst->op];
  const struct file *f = &h->file[inst->warp];
  for (unsigned k = 0; k < op->nsrc; k++) {
    uint32_t a = op->src[k], e = c->packing->entry[a];
    for (uint32_t m = inst->lanes; m; m &= m - 1) {
      unsigned lane = (unsigned)bit_low32(m);
      h->reads++;
      h->narrow += entry_n(e) < 8;
      h->split += entry_m(e, true) != 0;
      uint32_t x = extend(gather(f, e, lane), entry_n(e), n->sgn >> k & 1, n->cvt >> k & 1);
      if (x != f->value[a][lane])
        fail_msg("%s: instruction %u, source %u (%s), lane %u: found %08x in the slices, expected %08x", c->name,
                 inst->op, k, c->packing->web[n->src[k]].name, lane, x, f->value[a][lane]);
    }
  }
  return h->left-- > 0;
}

static void watch_writes(void *ctx, const struct code *c, const struct stream *s, const struct warp_inst *inst) {
  struct watch *h = ctx;
  const struct narrow *n = &c->packing->insn[inst->op];
  const struct op *op = &c->op[inst->op];
  struct file *f = &h->file[inst->warp];
  if (op->ndst && inst->lanes) assert_int_equal(inst->nval, op->ndst);
  for (unsigned k = 0; k < op->ndst && inst->lanes; k++) {
    const uint32_t *val = inst_val(s, inst, k);
    uint32_t a = op->dst[k], e = c->packing->entry[a];
    for (uint32_t m = inst->lanes; m; m &= m - 1) {
      unsigned lane = (unsigned)bit_low32(m);
      f->value[a][lane] = val[lane];
      scatter(f, e, lane, vtl_truncate(val[lane], entry_n(e), n->fp >> k & 1));
    }
  }
}

static void watch_begin(void *ctx, uint32_t warps) {
  struct watch *h = ctx;
  memset(h->file, 0, warps * sizeof *h->file);
}

static bool run_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  static const struct watcher slices = {watch_begin, watch_reads, watch_writes};
  (void)index;
  return watch_launch(&slices, ctx, l, e);
}

/* ---- all kernels ---- */

/* Some width for every float of packed code. */
static void any_widths(struct width_table *w, const struct code *c, uint64_t seed) {
  for (uint32_t k = 0; k < c->packing->nweb; k++)
    if (c->packing->web[k].fp)
      VEC_PUSH(w->width, w->n, w->cap) = (struct width){
          .entry = c->name, .web = c->packing->web[k].name, .nibbles = (uint8_t)(2 + rng_next(&seed) % 7)};
}

struct sums {
  uint32_t kernels, rows, least, regs, most_indices;
};

static bool pack_module(struct module *m, const struct narrowing *how, struct err *e) {
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (!pack_kernel(m, &m->kernel[i], how, e)) return false;
  return true;
}

static void check_kernel(const struct code *c, struct sums *sum) {
  check_table(c);
  uint32_t least = (check_disjoint(c) + 7) / 8;
  if (least > c->packing->rows) fail_msg("%s: %u rows hold what takes %u", c->name, c->packing->rows, least);
  sum->kernels++;
  sum->rows += c->packing->rows;
  sum->least += least;
  if (c->nreg > sum->most_indices) sum->most_indices = c->nreg;
}

/* Once with floats as they are: results must be right. Then with any widths of floats: only operands are, for
 * a while, as then some loops do not end. */
static void run_file(const char *path, struct watch *h, struct sums sum[2], struct err *e) {
  struct script *s = script_read(path, e);
  if (s) script_choose(s, "small", e);
  struct module *m[2] = {s ? ptx_load(script_ptx(s), e) : NULL, s ? ptx_load(script_ptx(s), e) : NULL};
  struct module *plain = s ? ptx_load(script_ptx(s), e) : NULL;
  struct width_table w = {0};
  const struct widths floats = {.of = &w};
  struct narrowing how = {.ints = true, .split = true};
  bool ok = plain && pack_module(m[0], &how, e);
  for (uint32_t i = 0; ok && i < m[0]->nkernel; i++) {
    const struct code *c = &m[0]->kernel[i];
    ok = alloc_kernel(plain, &plain->kernel[i], 0, e);
    if (!ok) break;
    check_kernel(c, &sum[0]);
    if (c->packing->rows > plain->kernel[i].nreg)
      fail_msg("%s: %u rows, more than %u registers", c->name, c->packing->rows, plain->kernel[i].nreg);
    sum[0].regs += plain->kernel[i].nreg;
    any_widths(&w, c, i + 1);
  }
  h->left = UINT64_MAX;
  ok = ok && script_run(s, m[0], 0, &(struct host_ops){.launch = run_launch, .ctx = h}, e);
  if (w.n) qsort(w.width, w.n, sizeof *w.width, by_name);
  how.floats = &floats;
  ok = ok && pack_module(m[1], &how, e);
  for (uint32_t i = 0; ok && i < m[1]->nkernel; i++) {
    check_kernel(&m[1]->kernel[i], &sum[1]);
    sum[1].regs += plain->kernel[i].nreg;
  }
  h->left = 20000;
  if (ok) script_run(s, m[1], 0, &(struct host_ops){.launch = run_launch, .ctx = h}, &(struct err){0});
  free(w.width);
  for (unsigned k = 0; k < 2; k++) module_free(m[k]);
  module_free(plain);
  script_free(s);
}

/* One thread of a random program, before and after: the interpreter keeps whole registers, so this is of
 * webs, and of those that share an index. */
static void random_programs(void **state) {
  (void)state;
  const struct narrowing how = {.ints = true, .split = true};
  for (uint64_t seed = 1; seed <= 150; seed++) {
    struct shape h = {3 + (uint32_t)(seed * 7 % 20),
                      1 + (uint32_t)(seed % 9),
                      1 + (uint32_t)(seed % 31),
                      1 + (uint32_t)(seed % 12),
                      12,
                      seed % 3 > 0};
    struct make a, b;
    struct err e = {0};
    uint32_t na, nb;
    random_program(&a, seed, &h);
    random_program(&b, seed, &h);
    if (!pack_kernel(b.m, b.c, &how, &e)) fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
    check_table(b.c);
    check_disjoint(b.c);
    uint64_t want = interpret(a.c, 1, &na), found = interpret(b.c, 2, &nb);
    if (na != nb || want != found)
      fail_msg("seed %llu: %u stores, %u in packed code", (unsigned long long)seed, na, nb);
    module_free(a.m);
    module_free(b.m);
  }
}

static void kernels_keep_their_values(void **state) {
  (void)state;
  glob_t all;
  struct sums sum[2] = {{0}};
  struct watch h = {.file = xcalloc(WARPS, sizeof *h.file)};
  assert_int_equal(glob("traces/kernels/*/*.launch", 0, NULL, &all), 0);
  assert_true(all.gl_pathc >= 50);
  for (size_t i = 0; i < all.gl_pathc; i++) {
    struct err e = {0};
    if (!sampled(i)) continue;
    run_file(all.gl_pathv[i], &h, sum, &e);
    if (e.set) fail_msg("%s:%d: %s", e.file[0] ? e.file : all.gl_pathv[i], e.line, e.text);
  }
  for (unsigned k = 0; k < 2; k++)
    print_message("# %u entries%s: %u registers, %u rows, at least %u; at most %u indices\n", sum[k].kernels,
                  k ? " with any widths of floats" : "", sum[k].regs, sum[k].rows, sum[k].least, sum[k].most_indices);
  print_message("# %llu operands read, %llu narrow, %llu split\n", (unsigned long long)h.reads,
                (unsigned long long)h.narrow, (unsigned long long)h.split);
  assert_true(h.narrow > h.reads / 5 && h.split > 1000);
  globfree(&all);
  free(h.file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_part_webs),
      cmocka_unit_test(paths_join_webs),
      cmocka_unit_test(floats_are_known),
      cmocka_unit_test(readers_of_floats),
      cmocka_unit_test(moves_that_cut_stay),
      cmocka_unit_test(rounded_floats_tell_nothing),
      cmocka_unit_test(too_many),
      cmocka_unit_test(widths_are_rounded_up),
      cmocka_unit_test(random_programs),
      cmocka_unit_test(kernels_keep_their_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

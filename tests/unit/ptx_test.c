/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx: the code lowered from PTX text (whole kernels, as listings in a form of this test's own), the refusals and
 * their messages (here and in tests/bad/ptx/), and that compiled and hand-written PTX computes what it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regalloc/regalloc.h"
#include "launch/launch.h"
#include "ptx/ptx.h"
#include "refused.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define REGS ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %e<9>;\n"
/* Line 4 is the kernel's head, line 5 the registers, line 6 the first of the body. */
#define KERNEL(body) HEAD ".entry k(.param .u64 a, .param .u32 n) {\n" REGS body "\n}\n"

/* ---- listings ---- */

static void put(char **p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(char **p, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  *p += vsprintf(*p, fmt, ap);
  va_end(ap);
}

static void show_opnd(char **p, const struct code *c, const struct opnd *o) {
  switch (o->kind) {
    case O_NONE: put(p, "_"); break;
    case O_IMM: put(p, "#%llx:%u", (unsigned long long)o->imm, o->words); break;
    case O_CBANK: put(p, "c[%u]:%u", o->reg, o->words); break;
    case O_SREG: put(p, "%s:%u", sreg_name((enum sreg)o->reg), o->words); break;
    default:
      assert_true(o->reg < c->nvreg);
      assert_int_equal(o->words, c->vreg[o->reg].words);
      put(p, "%s%s", o->neg ? "!" : "", c->vreg[o->reg].name);
  }
}

/* op.type.stype[modifier fields that are not zero] destinations = sources */
static void show_insn(char **p, const struct code *c, const struct insn *i) {
  static const char *const spaces[] = {"", " global", " shared", " local", " const", " param"};
  if (i->guard.kind) {
    put(p, "@");
    show_opnd(p, c, &i->guard);
    put(p, " ");
  }
  put(p, "%s", opcode_name((enum opcode)i->op));
  if (i->type) put(p, ".%s", dtype_name((enum dtype)i->type));
  if (i->stype) put(p, ".%s", dtype_name((enum dtype)i->stype));
  if (i->vec > 1) put(p, " v%u", i->vec);
  put(p, "%s", spaces[i->space]);
  if (i->mods) put(p, " m%x", i->mods);
  if (i->rnd) put(p, " rnd%u", i->rnd);
  if (i->op == OP_SETP || i->op == OP_SET) put(p, " cmp%u", i->cmp);
  if (i->boolop) put(p, " bool%u", i->boolop);
  if (i->sub) put(p, " sub%u", i->sub);
  for (unsigned k = 0; k < i->ndst; k++) {
    put(p, k ? "," : " ");
    show_opnd(p, c, &i->dst[k]);
  }
  for (unsigned k = 0; k < i->nsrc; k++) {
    put(p, k ? "," : i->ndst ? " = " : " ");
    show_opnd(p, c, &i->src[k]);
  }
  if (i->offset) put(p, " %+lld", (long long)i->offset);
  if (i->op == OP_BRA) put(p, " ->%u", i->target);
  put(p, "\n");
}

static struct module *load(const char *text) {
  struct err e = {0};
  struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
  if (!m) fail_msg("refused: %d:%d: %s", e.line, e.col, e.text);
  return m;
}

static void lowers(const char *text, const char *want) {
  static char got[65536];
  struct module *m = load(text);
  char *p = got;
  struct code *c = &m->kernel[m->nkernel - 1];
  for (uint32_t k = 0; k < c->n; k++) show_insn(&p, c, &c->insn[k]);
  assert_string_equal(got, want);
  module_free(m);
}

/* ---- what becomes what ---- */

static void arithmetic(void **state) {
  (void)state;
  lowers(KERNEL("add.s32 %r1, %r2, -1; add.rn.ftz.sat.f32 %f1, %f2, 0f3F800000; mul.wide.s32 %d1, %r1, -2;\n"
                "mad.lo.s32 %r1, %r2, %r3, %r4; mad.rn.f64 %e1, %e2, %e3, 0d3FF0000000000000;\n"
                "mul.hi.u64 %d1, %d2, 0xFFFFFFFFFFFFFFFFU; fma.rz.f32 %f1, %f2, 1.5, -0f40000000; shl.b64 %d1, "
                "%d2, 3;\n"
                "lop3.b32 %r1, %r2, %r3, %r4, 0xE8; prmt.b32.rc8 %r1, %r2, %r3, 1; bfind.shiftamt.u64 %r1, %d1;\n"
                "min.NaN.f32 %f1, %f2, %f3; selp.b32 %r1, 1, 0, %p1; slct.u32.s32 %r1, %r2, %r3, %r4; ret;"),
         "add.s32 %r1 = %r2,#ffffffff:1\n"
         "add.f32 m3 rnd1 %f1 = %f2,#3f800000:1\n"
         "mul.s32 m10 %d1 = %r1,#fffffffe:1\n"
         "mad.s32 m4 %r1 = %r2,%r3,%r4\n"
         "fma.f64 rnd1 %e1 = %e2,%e3,#3ff0000000000000:2\n"
         "mul.u64 m8 %d1 = %d2,#ffffffffffffffff:2\n"
         "fma.f32 rnd2 %f1 = %f2,#3fc00000:1,#c0000000:1\n"
         "shl.b64 %d1 = %d2,#3:1\n"
         "lop3.b32 %r1 = %r2,%r3,%r4,#e8:1\n"
         "prmt.b32 sub3 %r1 = %r2,%r3,#1:1\n"
         "bfind.u64 m2000 %r1 = %d1\n"
         "min.f32 m4000 %f1 = %f2,%f3\n"
         "selp.b32 %r1 = #1:1,#0:1,%p1\n"
         "slct.u32.s32 %r1 = %r2,%r3,%r4\n"
         "exit\n");
}

static void constants(void **state) {
  (void)state;
  lowers(KERNEL("mov.u32 %r1, (1<<3)|0b101; mov.u32 %r1, 017 + 0x10U*2; mov.s64 %d1, -(3-5)*4;\n"
                "mov.u32 %r1, 2 > 1 ? WARP_SZ : 7; mov.u16 %h1, -1; mov.b32 %r1, 0fBF800000; mov.f32 %f1, "
                "0d3FF8000000000000;\n"
                "mov.f64 %e1, 0f3FC00000; mov.b64 %d1, 0d4000000000000000; mov.u32 %r1, ~0; mov.u32 %r1, !5;\n"
                "mov.s32 %r1, -7 / 2; mov.s32 %r1, -7 >> 1; mov.pred %p1, -1; mov.u64 %d1, 7 % (.u64) 4; exit;"),
         "mov.u32 %r1 = #d:1\nmov.u32 %r1 = #2f:1\nmov.s64 %d1 = #8:2\nmov.u32 %r1 = #20:1\nmov.u16 %h1 = "
         "#ffff:1\n"
         "mov.b32 %r1 = #bf800000:1\nmov.f32 %f1 = #3fc00000:1\nmov.f64 %e1 = #3ff8000000000000:2\n"
         "mov.b64 %d1 = #4000000000000000:2\nmov.u32 %r1 = #ffffffff:1\nmov.u32 %r1 = #0:1\nmov.s32 %r1 = "
         "#fffffffd:1\n"
         "mov.s32 %r1 = #fffffffc:1\nmov.pred %p1 = #1:0\nmov.u64 %d1 = #3:2\nexit\n");
}

static void predicates(void **state) {
  (void)state;
  lowers(KERNEL("setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3; setp.ne.u32 _|%p2, %r1, 0; @!%p1 bra $L; set.gt.u32.f64 "
                "%r1, %e1, %e2;\n"
                "and.pred %p1, %p2, !%p3; not.pred %p1, %p2; testp.notanumber.f32 %p1, %f1;\n"
                "$L: @%p2 exit; @%p1 add.cc.u32 %r1, %r2, %r3; addc.u32 %r1, %r2, %r3; subc.cc.u64 %d1, %d2, %d3;\n"
                "mad.hi.cc.u32 %r1, %r2, %r3, %r4; madc.lo.u32 %r1, %r2, %r3, %r4;"),
         "setp.f32 cmp2 bool1 %p1,%p2 = %f1,%f2,!%p3\n"
         "setp.u32 cmp1 _,%p2 = %r1,#0:1\n"
         "@!%p1 bra ->7\n"
         "set.u32.f64 cmp4 %r1 = %e1,%e2\n"
         "and.pred %p1 = %p2,!%p3\n"
         "not.pred %p1 = %p2\n"
         "testp.f32 sub3 %p1 = %f1\n"
         "@%p2 exit\n"
         "@%p1 add.u32 m80 %r1,%cc = %r2,%r3\n"
         "addc.u32 %r1 = %r2,%r3,%cc\n"
         "subc.u64 m80 %d1,%cc = %d2,%d3,%cc\n"
         "mad.u32 m88 %r1,%cc = %r2,%r3,%r4\n"
         "madc.u32 m4 %r1 = %r2,%r3,%r4,%cc\n"
         "exit\n");
}

static void memory(void **state) {
  (void)state;
  lowers(KERNEL("ld.global.nc.v2.f32 {%f1, %f2}, [%d1+-8]; st.global.cs.v4.b32 [%d1+16], {%r1, 5, %r3, %r4};\n"
                "ld.volatile.shared.u8 %r1, [%r2]; ld.relaxed.gpu.global.u32 %r1, [%d1]; ldu.global.u32 %r1, "
                "[%d1];\n"
                "ld.global.L1::evict_first.L2::128B.s16 %h1, [%d1-2]; ld.const.u64 %d1, [64]; st.local.u8 [8], "
                "300;\n"
                "atom.global.add.u32 _, [%d1+4], 1; atom.acq_rel.cta.shared.cas.b64 %d1, [%r1], %d2, %d3;\n"
                "red.relaxed.gpu.global.add.noftz.f16x2 [%d1], %r1; prefetch.global.L2 [%d1]; prefetchu.L1 [%d1];\n"
                "ld.global.L2::cache_hint.u32 %r1, [%d1], %d2; membar.gl; fence.sc.gpu; exit;"),
         "ld.f32 v2 global m40000 %f1,%f2 = %d1 -8\n"
         "st.b32 v4 global m80000 %d1,%r1,#5:1,%r3,%r4 +16\n"
         "ld.u8 shared m20000 %r1 = %r2\n"
         "ld.u32 global m20000 %r1 = %d1\n"
         "ld.u32 global m40000 %r1 = %d1\n"
         "ld.s16 global m80000 %h1 = %d1 -2\n"
         "ld.u64 const %d1 = #40:2\n"
         "st.u8 local #8:2,#2c:1\n"
         "atom.u32 global %d1,#1:1 +4\n"
         "atom.b64 shared m6020000 sub9 %d1 = %r1,%d2,%d3\n"
         "atom.f16x2 global m20000 %d1,%r1\n"
         "prefetch global %d1\n"
         "prefetch %d1\n"
         "ld.u32 global %r1 = %d1\n"
         "membar\n"
         "membar\n"
         "exit\n");
}

static void packing(void **state) {
  (void)state;
  lowers(KERNEL("mov.b64 {%r1, _}, %d1; mov.b64 %d1, {%r1, 7}; mov.b32 %r1, {%h1, %h2}; mov.b64 {%h1, %h2, "
                "%h3, %h4}, %d1;\n"
                "mov.b64 %e1, {%f1, %r2}; mov.pred %p1, %p2; mov.u32 %r1, %ctaid.y; mov.u64 %d1, %clock64;\n"
                "cvt.u64.u32 %d1, %tid.x; cvt.rzi.s32.f32 %r1, %f1; cvt.rn.f16x2.f32 %r1, %f1, %f2; "
                "cvt.sat.u8.s32 %h1, %r1;"),
         "mov.unpack.b64 %r1,_ = %d1\nmov.pack.b64 %d1 = %r1,#7:1\nmov.pack.b32 %r1 = %h1,%h2\n"
         "mov.unpack.b64 %h1,%h2,%h3,%h4 = %d1\nmov.pack.b64 %e1 = %f1,%r2\nmov.pred %p1 = %p2\nmov.u32 %r1 = "
         "%ctaid.y:1\n"
         "mov.u64 %d1 = %clock64:2\ncvt.u64.u32 %d1 = %tid.x:1\ncvt.s32.f32 rnd6 %r1 = %f1\n"
         "cvt.f16x2.f32 rnd1 %r1 = %f1,%f2\ncvt.u8.s32 m2 %h1 = %r1\nexit\n");
}

static void warp_and_cta(void **state) {
  (void)state;
  lowers(KERNEL("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1; shfl.up.b32 %f1, %f2, %r1, 0; "
                "vote.sync.ballot.b32 %r1, !%p1, %r2;\n"
                "vote.any.pred %p1, %p2; match.all.sync.b64 %r1|%p1, %d1, -1; redux.sync.max.s32 %r1, %r2, -1; "
                "activemask.b32 %r1;\n"
                "bar.sync 0; barrier.cta.sync.aligned %r1, 64; bar.arrive 1, 32; bar.red.popc.u32 %r1, 0, %p1;\n"
                "bar.red.and.pred %p1, 2, 64, !%p2; bar.warp.sync -1; nanosleep.u32 20; brkpt;"),
         "shfl.b32 m200000 sub2 %r1,%p1 = %r2,#10:1,#1f:1,#ffffffff:1\n"
         "shfl.b32 %f1 = %f2,%r1,#0:1,#ffffffff:1\n"
         "vote.b32 m200000 sub3 %r1 = !%p1,%r2\n"
         "vote.pred sub1 %p1 = %p2,#ffffffff:1\n"
         "match.b64 m200000 sub1 %r1,%p1 = %d1,#ffffffff:1\n"
         "redux.s32 m200000 sub2 %r1 = %r2,#ffffffff:1\n"
         "activemask.b32 %r1\n"
         "bar m200000 #0:1\n"
         "bar m200000 %r1,#40:1\n"
         "bar sub1 #1:1,#20:1\n"
         "bar.u32 sub2 %r1 = #0:1,%p1\n"
         "bar.pred sub3 %p1 = #2:1,#40:1,!%p2\n"
         "bar m200000 sub5 #ffffffff:1\n"
         "nop\n"
         "trap\n");
}

static void kernel_parameters(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .u8 b, .param .align 8 .b8 s[24], .param .f32 "
      "v[2])\n"
      ".maxntid 128, 2 .minnctapersm 3 .maxnreg 40 {\n" REGS
      "ld.param.u64 %d1, [a]; ld.param.u8 %h1, [b]; ld.param.v2.u64 {%d2, %d3}, [s+8]; ld.param.f32 %f1, "
      "[v+4];\n"
      "ld.param.u32 %d4, [s]; ld.param.s32 %d4, [s+4]; @%p1 ld.param.u16 %r1, [s+2]; mov.u64 %d5, s; "
      "cvta.param.u64 %d6, s;\n"
      "ld.param.u32 %r1, [%d5+4]; cvta.to.param.u64 %d5, %d6; ret; }\n";
  lowers(text,
         "mov.u64 %d1 = c[0]:2\nld.u8 param %h1 = #8:2\nmov.b64 %d2 = c[24]:2\nmov.b64 %d3 = c[32]:2\nmov.f32 %f1 = "
         "c[44]:1\n"
         "cvt.u64.u32 %d4 = c[16]:1\ncvt.s64.s32 %d4 = c[20]:1\n@%p1 ld.u16 param %r1 = #12:2\nmov.u64 %d5 = #10:2\n"
         "mov.u64 %d6 = #400000010:2\nld.u32 param %r1 = %d5 +4\nsub.u64 %d5 = %d6,#400000000:2\nexit\n");
  struct module *m = load(text);
  struct code *c = module_kernel(m, "k");
  assert_non_null(c);
  assert_int_equal(c->nparam, 4);
  assert_string_equal(c->param[2].name, "s");
  assert_int_equal(c->param[2].offset, 16);
  assert_int_equal(c->param[2].size, 24);
  assert_true(c->param[2].array && c->param[2].type == T_B8 && c->param[2].align == 8);
  assert_int_equal(c->param[3].offset, 40);
  assert_int_equal(c->param_bytes, 48);
  assert_true(c->maxntid[0] == 128 && c->maxntid[1] == 2 && c->maxntid[2] == 1 && c->reqntid[0] == 0);
  assert_true(c->minctas == 3 && c->maxnreg == 40 && c->line == 4);
  assert_int_equal(c->insn[0].line, 7);
  assert_int_equal(c->insn[11].line, 9);
  module_free(m);
}

static void variables(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".global .align 4 .u32 g[2][3] = {{1, 2}, {-3, 0x40, 5}};\n.const .f32 c1 = 0f3F800000; .const .f64 c2[] = "
      "{1.5, -2.0};\n"
      ".global .u64 p[4] = {g, generic(c2)+8, g+4, 0};\n.global .b8 mask[2] = {0xFF(g), 0xFF00(g)}; .global .u32 "
      "zero;\n"
      ".extern .shared .align 16 .b8 dyn[];\n.shared .u8 unused[64]; .shared .u8 one;\n"
      ".entry k() {\n" REGS
      ".shared .align 8 .f64 sh[3]; .local .align 16 .b8 loc[20]; .local .u32 l2;\n"
      "mov.u32 %r1, sh; mov.u64 %d1, dyn; ld.shared.u8 %r1, [one]; mov.u64 %d1, l2; cvta.local.u64 %d2, loc;\n"
      "cvta.shared.u64 %d3, %d4; cvta.to.shared.u64 %d3, %d4; cvta.to.global.u64 %d3, %d4; mov.u64 %d1, g+8;\n"
      "ld.const.f64 %e1, [c2+8]; ld.f32 %f1, [c1]; cvta.const.u64 %d1, c2; ld.global.u32 %r1, [g+4]; st.shared.u32 "
      "[sh+4], %r1;\n"
      "isspacep.shared %p1, %d1; isspacep.global %p1, %d1; ret; }\n";
  lowers(text,
         "mov.u32 %r1 = #8:1\nmov.u64 %d1 = #20:2\nld.u8 shared %r1 = #0:2\nmov.u64 %d1 = #14:2\nmov.u64 %d2 = "
         "#200000000:2\n"
         "add.u64 %d3 = %d4,#100000000:2\nsub.u64 %d3 = %d4,#100000000:2\nmov.u64 %d3 = %d4\nmov.u64 %d1 = "
         "#10008:2\n"
         "ld.f64 const %e1 = #10:2\nld.f32 const %f1 = #0:2\nmov.u64 %d1 = #300000008:2\nld.u32 global %r1 = "
         "#10004:2\n"
         "st.u32 shared #c:2,%r1\nsetp.u64 cmp5 %isspacep.p = %d1,#100000000:2\n"
         "setp.u64 cmp2 bool1 %p1 = %d1,#200000000:2,%isspacep.p\nsetp.u64 cmp2 %p1 = %d1,#100000000:2\nexit\n");
  struct module *m = load(text);
  assert_int_equal(m->nsymbol, 6);
  static const uint32_t g[6] = {1, 2, 0, -3u, 0x40, 5};
  assert_memory_equal(m->symbol[0].init, g, 24);
  assert_true(m->symbol[0].space == SP_GLOBAL && m->symbol[0].addr == GLOBAL_BASE && m->symbol[0].size == 24);
  static const double c2[2] = {1.5, -2.0};
  assert_true(m->symbol[2].space == SP_CONST && m->symbol[2].addr == 8 && m->symbol[2].size == 16);
  assert_memory_equal(m->symbol[2].init, c2, 16);
  static const uint64_t p[4] = {GLOBAL_BASE, CONST_WINDOW + 16, GLOBAL_BASE + 4, 0};
  assert_memory_equal(m->symbol[3].init, p, 32);
  static const uint8_t mask[2] = {0, 0};
  assert_memory_equal(m->symbol[4].init, mask, 2);
  assert_null(m->symbol[5].init);
  assert_int_equal(m->const_bytes, 24);
  assert_true(m->global_end > m->symbol[5].addr);
  struct code *c = &m->kernel[0];
  assert_true(c->dyn_shared && c->shared_bytes == 32 && c->local_bytes == 24);
  module_free(m);
}

static void names(void **state) {
  (void)state;
  lowers(HEAD
         "// a comment\n/* another\n */ .file 1 \"x.cu\"\n.entry k() { .pragma \"nounroll\"; .reg .b32 %r<3>, "
         "x, %r1<2>;\n"
         ".loc 1 3 5 , function_name $L, inlined_at 2\nmov.u32 %r1, 1;\n"
         "{ .reg .b64 %r<3>; .reg .u16 x; mov.u64 %r1, 2; mov.u16 x, 3; bra L1; L1: }\n"
         "{ L1: bra.uni L1; }\nmov.u32 %r11, 4; mov.u32 x, 5; }\n.section .debug_str { .b8 1,2\n L: .b32 L+4 { "
         "} }\n",
         "mov.u32 %r1 = #1:1\nmov.u64 %r1 = #2:2\nmov.u16 x = #3:1\nbra ->4\nbra m100 ->4\nmov.u32 %r11 = #4:1\n"
         "mov.u32 x = #5:1\nexit\n");
  struct module *m = load(HEAD ".entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, %r0; }\n");
  assert_int_equal(m->kernel[0].nvreg, 2); /* %r0 is %r<...>'s first; only what is named exists */
  assert_string_equal(m->kernel[0].vreg[0].name, "%r3999999999");
  module_free(m);
  refuses(KERNEL("mov.u32 %r01, 1;"),
          "t.ptx:6:9: error: found '%r01', which is no declared register and no known special register");
}

static void branch_tables(void **state) {
  (void)state;
  lowers(KERNEL("T: .branchtargets A, B, A, C;\n@%p1 brx.idx %r1, T;\nA: mov.u32 %r1, 1;\nB: mov.u32 %r1, "
                "2;\nC: exit;"),
         "@!%p1 bra ->8\n"
         "setp.u32 cmp0 %brx = %r1,#0:1\n@%brx bra ->8\n"
         "setp.u32 cmp0 %brx = %r1,#1:1\n@%brx bra ->9\n"
         "setp.u32 cmp0 %brx = %r1,#2:1\n@%brx bra ->8\n"
         "bra ->10\n"
         "mov.u32 %r1 = #1:1\nmov.u32 %r1 = #2:1\nexit\n");
}

/* ---- functions ---- */

static void calls(void **state) {
  (void)state;
  lowers(HEAD
         ".func (.param .b32 ret) twice(.param .b32 x, .param .align 4 .b8 s[8]) { .reg .b32 %r<4>; .reg .pred "
         "%p<2>;\n"
         "ld.param.b32 %r1, [x]; ld.param.b32 %r2, [s+4]; ld.param.s8 %r3, [s]; @%p1 ret; st.param.b32 [ret], %r3; "
         "ret; }\n"
         ".entry k() {\n" REGS
         "{ .param .b32 p; .param .align 4 .b8 q[8]; .param .b32 r;\n"
         "st.param.b32 [p], 7; st.param.b8 [q], %h1; st.param.b32 [q+4], %f1;\n"
         "@!%p2 call.uni (r), twice, (p, q); ld.param.b32 %r1, [r]; }\nret; }\n",
         "mov.b32 p = #7:1\ncvt.u32.u8 q = %h1\nmov.b32 q+4 = %f1\n@%p2 bra ->9\n"
         "mov.b32 %r1 = p\nmov.b32 %r2 = q+4\ncvt.s32.s8 %r3 = q\n@%p1 bra ->9\nmov.b32 r = %r3\n"
         "mov.b32 %r1 = r\nexit\n");
  /* .reg formals, nesting, arguments that are registers and literals, an unused return value */
  lowers(HEAD
         ".func (.reg .b32 o) inner(.reg .b32 i) { add.u32 o, i, 1; ret; }\n.func outer(.param .b64 x);\n"
         ".func outer(.param .b64 x) { .reg .b32 %r<2>; .reg .b64 %d; ld.param.b64 %d, [x];\n"
         "cvt.u32.u64 %r1, %d; call (%r0), inner, (%r1); call (_), inner, (5); }\n"
         ".entry k() {\n" REGS "call outer, (%d1); ret; }\n",
         "mov.b64 x = %d1\nmov.b64 %d = x\ncvt.u32.u64 %r1 = %d\nmov.b32 i = %r1\nadd.u32 o = i,#1:1\nmov.b32 %r0 = "
         "o\n"
         "mov.b32 i = #5:1\nadd.u32 o = i,#1:1\nexit\n");
}

static void stack_parameters(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".func f(.param .align 8 .b8 s[16]) { .reg .b32 %r<2>; .reg .b64 %d<4>; .local .b8 mine[4];\n"
      "mov.b64 %d1, s; ld.param.u32 %r1, [%d1+4]; cvta.local.u64 %d2, %d1; st.local.u32 [mine], %r1; }\n"
      ".entry k() {\n" REGS
      ".local .u32 own; { .param .align 8 .b8 q[16]; st.param.v2.b32 [q+8], {%r1, %r2};\n"
      "call f, (q); } { .param .align 8 .b8 q[16]; call f, (q); } ret; }\n";
  lowers(text,
         "st.b32 v2 local #10:2,%r1,%r2\n"
         "mov.b64 %d1 = #8:2\nld.u32 local %r1 = %d1 +4\nadd.u64 %d2 = %d1,#200000000:2\nst.u32 local #4:2,%r1\n"
         "mov.b64 %d1 = #18:2\nld.u32 local %r1 = %d1 +4\nadd.u64 %d2 = %d1,#200000000:2\nst.u32 local "
         "#4:2,%r1\n"
         "exit\n");
  struct module *m = load(text);
  assert_int_equal(m->kernel[0].local_bytes, 40); /* own, mine (the calls share it), two blocks of 16 */
  module_free(m);
}

/* ---- what is refused ---- */

static void refusals(void **state) {
  (void)state;
  refuses(KERNEL("tensormap.replace.tile.rank.global.b1024.b32 [%d1], 4;"),
          "t.ptx:6:1: error: found operation 'tensormap.replace.tile.rank.global.b1024.b32': asynchronous copies other "
          "than "
          "cp.async are not supported");
  refuses(KERNEL("mov.u32 %r1, %r2;\n  add.ftz.s32 %r1, %r2, %r3;"),
          "t.ptx:7:3: error: found modifier '.ftz' in 'add.ftz.s32', expected none with type .s32");
  refuses(KERNEL("add.u32 %r1, %d2, %r3;"),
          "t.ptx:6:14: error: found .b64 '%d2', expected an operand of .u32 for 'add.u32'");
  refuses(KERNEL("ld.global.v2.u32 {%r1, %r2, %r3}, [%d1];"),
          "t.ptx:6:18: error: found a vector of 3, expected a vector of 2 elements in { } for "
          "'ld.global.v2.u32'");
  refuses(KERNEL("bra nowhere;"), "t.ptx:6:5: error: found 'nowhere', expected a label of this function");
  refuses(HEAD ".func f() { call f; }\n.entry k() { call f; }\n",
          "t.ptx:4:18: error: found a recursive call of 'f': recursion is not supported");
  refuses(HEAD
          ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.entry k() {\n.param .b64 p, q;\ncall (p), "
          "malloc, (q); }\n",
          "t.ptx:7:11: error: found a call of 'malloc', which has no body in this file: extern functions are "
          "not supported");
  refuses(HEAD ".func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry k() {\n.param .b32 p;\ncall (p), f, (p); }\n",
          "t.ptx:7:7: error: found 'p' as argument and return value of one call, expected two variables");
}

/* A small text must not become a huge program, nor deep nesting a deep stack. */
static void bounds(void **state) {
  (void)state;
  static char text[400000];
  char *p = text;
  put(&p, HEAD ".func f0() { .reg .b32 r; mov.b32 r, 0; }\n");
  for (int k = 1; k < 60; k++) put(&p, ".func f%d() { call f%d; call f%d; }\n", k, k - 1, k - 1);
  put(&p, ".entry k() { call f59; }\n");
  struct err e = {0};
  assert_null(ptx_parse("t.ptx", text, (size_t)(p - text), &e));
  assert_non_null(strstr(e.text, "more than 1000000 instructions after the inlining of calls in kernel 'k'"));

  p = text;
  put(&p, HEAD ".func f0() { ret; }\n");
  for (int k = 1; k < 200; k++) put(&p, ".func f%d() { call f%d; }\n", k, k - 1);
  put(&p, ".entry k() { call f199; }\n");
  e = (struct err){0};
  assert_null(ptx_parse("t.ptx", text, (size_t)(p - text), &e));
  assert_string_equal(e.text, "found calls nested deeper than 128");

  static const struct {
    const char *before, *each, *message;
  } deep[] = {
      {HEAD ".entry k() {", "{", "found '{', expected scopes nested less than 256 deep"},
      {HEAD ".global .u32 x = ", "(", "found a constant expression nested deeper than 64"},
      {HEAD ".global .u32 x = ", "-", "found a constant expression nested deeper than 64"},
      {HEAD ".global .u32 x[2] = ", "{", "found '{', expected a constant"},
  };
  for (unsigned k = 0; k < sizeof deep / sizeof deep[0]; k++) {
    p = text;
    put(&p, "%s", deep[k].before);
    for (int j = 0; j < 100000; j++) *p++ = deep[k].each[0];
    e = (struct err){0};
    assert_null(ptx_parse("t.ptx", text, (size_t)(p - text), &e));
    assert_string_equal(e.text, deep[k].message);
  }
}

/* Every prefix of a real file ends in a message or a module, never in anything else; the text does not end in 0. */
static void prefixes(void **state) {
  (void)state;
  FILE *f = fopen("tests/ptx/calls_clang_O0.ptx", "rb");
  assert_non_null(f);
  static char all[1 << 16];
  size_t n = fread(all, 1, sizeof all, f);
  fclose(f);
  for (size_t k = 0; k <= n; k += k < 2000 ? 1 : 211) {
    char *part = malloc(k ? k : 1);
    memcpy(part, all, k);
    struct err e = {0};
    struct module *m = ptx_parse("t.ptx", part, k, &e);
    assert_true((m != NULL) != e.set);
    assert_true(m || e.line > 0);
    module_free(m);
    free(part);
  }
}

static void ptx_refusal(const char *path, char *out, size_t size) {
  struct err e = {0};
  struct module *m = ptx_load(path, &e);
  out[0] = 0;
  if (!m) err_format(&e, out, size);
  module_free(m);
}

static void malformed_files(void **state) {
  (void)state;
  all_refused("tests/bad/ptx", ptx_refusal, 100);
  struct err e = {0};
  assert_null(ptx_load("tests/bad/ptx/there_is_no_such_file", &e));
  assert_string_equal(e.text, "cannot read: No such file or directory");
}

/* ---- what it computes ---- */

static bool run(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  (void)ctx;
  (void)index;
  return exec_run(l, 2, &(struct exec_counts){0}, e);
}

static void runs(const char *ptx, const char *text, size_t n, const char *launch) {
  struct err e = {0};
  char message[1200];
  struct module *m = text ? ptx_parse(ptx, text, n, &e) : ptx_load(ptx, &e);
  struct script *s = m ? script_parse("t.launch", launch, strlen(launch), &e) : NULL;
  bool ok = s;
  for (uint32_t k = 0; ok && k < m->nkernel; k++) ok = alloc_kernel(m, &m->kernel[k], 0, &e);
  struct host_ops ops = {.launch = run};
  ok = ok && script_run(s, m, 0, &ops, &e);
  script_free(s);
  module_free(m);
  err_format(&e, message, sizeof message);
  if (!ok) fail_msg("%s: %s", ptx, message);
}

/* The same source compiled four ways gives what the host compiler's program gave (tests/ptx/calls.cu). */
static void compiled_calls(void **state) {
  (void)state;
  static const char *const files[] = {"tests/ptx/calls_nvcc.ptx", "tests/ptx/calls_nvcc_O0.ptx",
                                      "tests/ptx/calls_nvcc_G.ptx", "tests/ptx/calls_clang_O0.ptx"};
  for (unsigned k = 0; k < 4; k++)
    runs(files[k], NULL, 0,
         "ptx x.ptx\nbuffer o f32 64 zero\nbuffer q s32 64 zero\nbuffer l s64 64 zero\n"
         "launch k1 grid 1 block 64 args (struct { f64:1.5, f64:-2, f64:7, s32:11, f32:2, s8:-3, s16:-300, "
         "s64:123456, u8:200 }, o, q, l)\n"
         "expect o fnv 1450327af0ab954a\nexpect q fnv bf37603540edd1bb\nexpect l fnv b5d268f9d3c8dd55\n");
}

static void compiled_files_load(void **state) {
  (void)state;
  static const char *const files[] = {"tests/ptx/wide_nvcc.ptx", "tests/ptx/wide_clang.ptx", "tests/ptx/wmma_nvcc.ptx"};
  for (unsigned k = 0; k < 3; k++) {
    struct err e = {0};
    struct module *m = ptx_load(files[k], &e);
    if (!m) fail_msg("%s:%d:%d: %s", files[k], e.line, e.col, e.text);
    for (uint32_t j = 0; m && j < m->nkernel; j++)
      if (!alloc_kernel(m, &m->kernel[j], 0, &e)) fail_msg("%s: %s", files[k], e.text);
    module_free(m);
  }
}

/* Hand-written: branch tables, windows of generic addresses, the parameter bank by address, carries, a switch
 * in a function. */
static void by_hand(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".func (.param .b32 r) pick(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p<2>;\n"
      "T: .branchtargets A, B, C; ld.param.b32 %r1, [x]; setp.lt.u32 %p1, %r1, 3; @%p1 brx.idx %r1, T;\n"
      "st.param.b32 [r], 99; ret; A: mov.u32 %r2, 7; bra D; B: mov.u32 %r2, 8; bra D; C: mov.u32 %r2, 9;\n"
      "D: st.param.b32 [r], %r2; ret; }\n"
      ".entry k(.param .u64 out, .param .align 4 .b8 t[16]) {\n" REGS
      ".shared .u32 s[32]; .local .u32 l[2];\n"
      "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
      "{ .param .b32 p; .param .b32 q; and.b32 %r2, %r1, 3; st.param.b32 [p], %r2; call (q), pick, (p); ld.param.b32 "
      "%r3, [q]; }\n"
      "and.b32 %r2, %r1, 3; mul.wide.u32 %d3, %r2, 4; mov.b64 %d4, t; add.u64 %d4, %d4, %d3; ld.param.u32 %r4, "
      "[%d4];\n"
      "add.u32 %r3, %r3, %r4;\n"
      "cvta.shared.u64 %d6, s; add.u64 %d6, %d6, %d2; st.u32 [%d6], %r3; isspacep.shared %p1, %d6; ld.shared.u32 "
      "%r3, [s];\n"
      "cvta.to.shared.u64 %d7, %d6; ld.shared.u32 %r3, [%d7]; @!%p1 add.u32 %r3, %r3, 1000;\n"
      "cvta.local.u64 %d6, l; st.u32 [%d6+4], %r3; ld.local.u32 %r4, [l+4]; isspacep.global %p1, %d6; @%p1 add.u32 "
      "%r4, %r4, 1000;\n"
      "add.cc.u32 %r5, %r4, 0xFFFFFFFF; addc.u32 %r6, %r4, 0; st.global.u32 [%d1], %r6; ret; }\n";
  runs("hand.ptx", text, sizeof text - 1,
       "ptx x.ptx\nbuffer o u32 32 zero\nlaunch k grid 1 block 32 args (o, struct { u32:10, u32:20, u32:30, "
       "u32:40 })\n"
       "expect o expr (i % 4 == 0 ? 7 : i % 4 == 1 ? 8 : i % 4 == 2 ? 9 : 99) + 10 * (i % 4 + 1) + 1\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic),
      cmocka_unit_test(constants),
      cmocka_unit_test(predicates),
      cmocka_unit_test(memory),
      cmocka_unit_test(packing),
      cmocka_unit_test(warp_and_cta),
      cmocka_unit_test(kernel_parameters),
      cmocka_unit_test(variables),
      cmocka_unit_test(names),
      cmocka_unit_test(branch_tables),
      cmocka_unit_test(calls),
      cmocka_unit_test(stack_parameters),
      cmocka_unit_test(refusals),
      cmocka_unit_test(bounds),
      cmocka_unit_test(prefixes),
      cmocka_unit_test(malformed_files),
      cmocka_unit_test(compiled_calls),
      cmocka_unit_test(compiled_files_load),
      cmocka_unit_test(by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

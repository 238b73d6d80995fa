/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_ptx: PTX on textures and surfaces: declarations, every form of the instructions as it is lowered and printed, what is
 * refused and with which message, what nvcc and clang write, and which operands later stages see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "compiler/ir/code.h"
#include "compiler/ptx/ptx.h"
#include "refused.h"
#include "compiler/regalloc/regalloc.h"

#define UNIFIED ".version 8.5\n.target sm_80\n.address_size 64\n"
#define INDEPENDENT ".version 8.5\n.target sm_80, texmode_independent\n.address_size 64\n"
/* Line 4: variables; 5: the kernel's head; 6: registers; 7: the body. */
static void kernel(bool independent, const char *body, char *text, size_t size) {
  snprintf(text, size,
           "%s.global .texref tx; .global .surfref su;%s\n.entry k(.param .u64 a, .param .texref pt, %s.param .surfref "
           "pu) {\n%s\n%s\n}\n",
           independent ? INDEPENDENT : UNIFIED, independent ? " .global .samplerref sm;" : "",
           independent ? ".param .samplerref ps, " : "",
           ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;", body);
}

/* All instructions but the last, which is exit; a line each. */
static void listing(const char *text, char *out, size_t size) {
  struct module *m = load(text);
  size_t n = 0;
  out[0] = 0;
  for (uint32_t k = 0; k + 1 < m->kernel[0].n && n < size; k++) {
    char line[200];
    insn_print(&m->kernel[0], k, line, sizeof line);
    n += (size_t)snprintf(out + n, size - n, "%s%s", k ? "\n" : "", line);
  }
  module_free(m);
}

static void becomes(bool independent, const char *body, const char *want) {
  char text[2000], got[4000], all[1000];
  snprintf(all, sizeof all, "%s ret;", body);
  kernel(independent, all, text, sizeof text);
  listing(text, got, sizeof got);
  if (strcmp(got, want) != 0) fail_msg("%s\nfound\n%s\nexpected\n%s", body, got, want);
}

/* ---- declarations ---- */

static void declarations(void **state) {
  (void)state;
  struct module *m = load(
      INDEPENDENT
      ".global .surfref s1, s2;\n.global .samplerref n = { addr_mode_0 = wrap, addr_mode_2 = mirror, filter_mode = "
      "linear, force_unnormalized_coords = 1 };\n.global .texref t1 = { normalized_coords = 1, width = 7 };\n"
      ".global .samplerref e = { };\n.global .u64 table[2] = { t1, s2 };\n"
      ".entry k(.param .texref a, .param .u32 x, .param .samplerref b, .param .surfref c, .param .u64 .ptr "
      ".texref d, .param .u64 .ptr .global e) { ret; }\n");
  static const struct texref want[] = {
      {"t1", HANDLE_TEXTURE, 0, 0, 0, {0, 0, 0}, 6, 17},
      {"n", HANDLE_SAMPLER, 1 | 2 | 4 | 16, 0, TEX_LINEAR, {TEX_WRAP, 0, TEX_MIRROR}, 5, 21},
      {"e", HANDLE_SAMPLER, 0, 0, 0, {0, 0, 0}, 7, 21},
      {"s1", HANDLE_SURFACE, 0, 0, 0, {0, 0, 0}, 4, 18},
      {"s2", HANDLE_SURFACE, 0, 0, 0, {0, 0, 0}, 4, 22},
  };
  assert_int_equal(m->ntexref, 5);
  for (unsigned k = 0; k < 5; k++) {
    const struct texref *r = &m->texref[k], *w = &want[k];
    assert_string_equal(r->name, w->name);
    if (r->kind != w->kind || r->given != w->given || r->normalized != w->normalized || r->filter != w->filter ||
        memcmp(r->address, w->address, 3) != 0 || r->line != w->line || r->col != w->col)
      fail_msg("%s: kind %u given %u normalized %u filter %u address %u %u %u at %u:%u", r->name, r->kind, r->given,
               r->normalized, r->filter, r->address[0], r->address[1], r->address[2], r->line, r->col);
  }
  static const uint8_t handle[] = {HANDLE_TEXTURE, HANDLE_NONE,    HANDLE_SAMPLER,
                                   HANDLE_SURFACE, HANDLE_TEXTURE, HANDLE_NONE};
  static const uint32_t offset[] = {0, 8, 16, 24, 32, 40};
  for (unsigned k = 0; k < 6; k++) {
    const struct param *p = &m->kernel[0].param[k];
    assert_int_equal(p->handle, handle[k]);
    assert_int_equal(p->offset, offset[k]);
    assert_int_equal(p->size, k == 1 ? 4 : 8);
  }
  uint64_t table[2];
  assert_int_equal(m->nsymbol, 1);
  memcpy(table, m->symbol[0].init, 16);
  assert_true(table[0] == handle_of(HANDLE_REF, 0) && table[1] == handle_of(HANDLE_REF, 4));
  module_free(m);
  m = load(
      UNIFIED
      ".tex .u32 old;\n.extern .global .texref later;\n.global .texref later = { normalized_coords = 1, "
      "addr_mode_1 = clamp_to_border, addr_mode_0 = clamp_to_edge, filter_mode = nearest };\n.entry k() { ret; }\n");
  assert_int_equal(m->ntexref, 2);
  assert_string_equal(m->texref[0].name, "old");
  assert_int_equal(m->texref[0].kind, HANDLE_TEXTURE);
  assert_int_equal(m->texref[1].given, 1 | 2 | 4 | 8);
  assert_true(m->texref[1].normalized && m->texref[1].filter == TEX_POINT);
  assert_true(m->texref[1].address[0] == TEX_CLAMP && m->texref[1].address[1] == TEX_BORDER);
  module_free(m);
}

/* ---- forms ---- */

static void handles(void **state) {
  (void)state;
  becomes(false, "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, %f0];",
          "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%f0}]");
  becomes(false, "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [pt, {%r0}];",
          "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [c[pt], {%r0}]");
  becomes(false, "tex.1d.v4.f32.s32 {%f1,%f2,%f3,_}, [%d1, %d2, {7}];",
          "tex.1d.v4.f32.s32 {%f1, %f2, %f3, _}, [%d1, %d2, {7}]");
  /* PTX before 1.5: four coordinates for every geometry */
  becomes(false, "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [tx, {%r0,%r1,%r2,%r2}];",
          "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [ref0, {%r0}]");
  becomes(false, "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f1,%f0,%f2,%f3}];",
          "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%f1, %f0}]");
  becomes(false, "mov.u64 %d1, tx; mov.b64 %d2, pt; cvta.global.u64 %d3, su;",
          "mov.u64 %d1, 0x40000000\nmov.b64 %d2, c[pt]\nmov.u64 %d3, 0x40000001");
  becomes(true, "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, sm, {%f0,%f1}];",
          "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, ref1, {%f0, %f1}]");
  becomes(true, "tld4.a.2d.v4.s32.f32 {%r1,%r2,%r3,%r4}, [%d1, ps, {%f0,0f3F800000}];",
          "tld4.a.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%d1, c[ps], {%f0, 0f3F800000}]");
  /* seven registers: the low word of the first handle, then of the second */
  becomes(true, "tex.a2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%d1, %d2, {%r0,%f0,%f1,%f1}];",
          "cvt.u32.u64 %handle, %d1\n"
          "tex.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%handle, %d2, {%r0, %f0, %f1}]");
  becomes(true, "tex.level.3d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%d1, %d2, {%f0,%f1,%f2,%f2}], %f3;",
          "cvt.u32.u64 %handle, %d1\ncvt.u32.u64 %handle, %d2\n"
          "tex.level.3d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%handle, %handle, {%f0, %f1, %f2}], %f3");
}

static void textures(void **state) {
  (void)state;
  becomes(false, "tex.2d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [tx, {%f0,%f1}];",
          "tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [ref0, {%f0, %f1}]");
  becomes(false, "tex.base.2d.v2.f16x2.s32 {%r1,%r2}, [tx, {%r3,%r4}];",
          "tex.2d.v2.f16x2.s32 {%r1, %r2}, [ref0, {%r3, %r4}]");
  becomes(false, "tex.3d.v4.s32.f32 {%r1,_,%r3,%r4}, [pt, {%f0,%f1,%f2,%f0}];",
          "tex.3d.v4.s32.f32 {%r1, _, %r3, %r4}, [c[pt], {%f0, %f1, %f2}]");
  becomes(false, "@!%p1 tex.a1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [pt, {%r5,%r6}];",
          "@!%p1 tex.a1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [c[pt], {%r5, %r6}]");
  becomes(false, "tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f0,%f1,%f2,%f0}], %f5;",
          "tex.cube.compare.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%f0, %f1, %f2}], %f5");
  becomes(false, "tex.level.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%f0,%f1,%f2}], %f5;",
          "cvt.u32.u64 %handle, %d1\n"
          "tex.level.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%handle, {%r1, %f0, %f1, %f2}], %f5");
  becomes(false, "tex.level.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [tx, {%r1}], 2;",
          "tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [ref0, {%r1}], 2");
}

static void results_twice(void **state) {
  (void)state;
  becomes(false, "tex.1d.v4.f32.f32 {%f1,%f2,%f1,%f1}, [tx, %f0];",
          "tex.1d.v4.f32.f32 {_, %f2, _, %f1}, [ref0, {%f0}]");
  becomes(false, "suld.b.1d.v2.b64.trap {%d1,%d1}, [su, %r0];", "suld.b.1d.v2.b64.trap {_, %d1}, [ref1, {%r0}]");
  becomes(false, "ld.global.v2.u32 {%r1,%r1}, [%d0];", "ld.global.v2.u32 {_, %r1}, [%d0]");
  becomes(false, "mov.b64 {%r1,%r1}, %d0;", "mov.unpack.b64 {_, %r1}, %d0");
}

static void offsets(void **state) {
  (void)state;
  becomes(false, "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f0,%f1}], {1,-8}, %f5;",
          "tex.2d.offset.compare.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%f0, %f1}], {1, -8}, %f5");
  becomes(false, "tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%r0,%f1}], -1;",
          "tex.a1d.offset.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%r0, %f1}], {-1}");
  becomes(false, "tex.3d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [tx, {%r0,%r1,%r2,%r2}], {%r3,7,%r4,0};",
          "bfi.b32 %offset, %r3, 112, 0, 4\nbfi.b32 %offset, %r4, %offset, 8, 4\n"
          "tex.3d.offset.v4.f32.s32 {%f1, %f2, %f3, %f4}, [ref0, {%r0, %r1, %r2}], %offset");
  becomes(false, "tld4.g.a2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [tx, {%r0,%f0,%f1,%f1}], {-1,0}, 0f3F000000;",
          "tld4.g.a2d.offset.compare.v4.u32.f32 {%r1, %r2, %r3, %r4}, [ref0, {%r0, %f0, %f1}], {-1, 0}, 0f3F000000");
}

static void gradients(void **state) {
  (void)state;
  becomes(false, "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f0,%f1}], {%f2,%f3}, {%f4,0f3F800000};",
          "txq.width.b32 %size, [ref0]\ncvt.rn.f32.u32 %size, %size\n"
          "txq.height.b32 %size, [ref0]\ncvt.rn.f32.u32 %size, %size\n"
          "mul.f32 %gradient, %f2, %size\nmul.f32 %gradient, %gradient, %gradient\n"
          "mul.f32 %gradient, %f3, %size\nfma.rn.f32 %gradient, %gradient, %gradient, %gradient\n"
          "mul.f32 %gradient, %f4, %size\nmul.f32 %gradient, %gradient, %gradient\n"
          "mul.f32 %gradient, 0f3F800000, %size\nfma.rn.f32 %gradient, %gradient, %gradient, %gradient\n"
          "max.f32 %level, %gradient, %gradient\nlg2.approx.f32 %level, %level\nmul.f32 %level, %level, 0f3F000000\n"
          "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [ref0, {%f0, %f1}], %level");
  becomes(false, "tex.grad.a1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [pt, {%r0,%r1}], {%f2}, {%f4}, {2};",
          "txq.width.b32 %size, [c[pt]]\ncvt.rn.f32.u32 %size, %size\n"
          "mul.f32 %gradient, %f2, %size\nmul.f32 %gradient, %gradient, %gradient\n"
          "mul.f32 %gradient, %f4, %size\nmul.f32 %gradient, %gradient, %gradient\n"
          "max.f32 %level, %gradient, %gradient\nlg2.approx.f32 %level, %level\nmul.f32 %level, %level, 0f3F000000\n"
          "cvt.rni.s32.f32 %level, %level\n"
          "tex.level.a1d.offset.v4.f32.s32 {%f1, %f2, %f3, %f4}, [c[pt], {%r0, %r1}], %level, {2}");
}

static void queries(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *printed, *of;
    uint8_t sub;
    bool independent;
  } q[] = {
      {"txq.width", "txq.width", "tx", TXQ_WIDTH, false},
      {"txq.height", "txq.height", "pt", TXQ_HEIGHT, true},
      {"txq.depth", "txq.depth", "%d1", TXQ_DEPTH, false},
      {"txq.channel_data_type", "txq.channel_data_type", "tx", TXQ_CHANNEL_TYPE, false},
      {"txq.channel_order", "txq.channel_order", "tx", TXQ_CHANNEL_ORDER, false},
      {"txq.normalized_coords", "txq.normalized", "tx", TXQ_NORMALIZED, false},
      {"txq.normalized_coords", "txq.normalized", "tx", TXQ_NORMALIZED, true},
      {"txq.force_unnormalized_coords", "txq.normalized", "sm", TXQ_NORMALIZED, true},
      {"txq.filter_mode", "txq.filter_mode", "tx", TXQ_FILTER_MODE, false},
      {"txq.filter_mode", "txq.filter_mode", "ps", TXQ_FILTER_MODE, true},
      {"txq.addr_mode_0", "txq.addr_mode_0", "tx", TXQ_ADDR_0, false},
      {"txq.addr_mode_1", "txq.addr_mode_1", "tx", TXQ_ADDR_1, false},
      {"txq.addr_mode_2", "txq.addr_mode_2", "sm", TXQ_ADDR_2, true},
      {"txq.array_size", "txq.array_size", "tx", TXQ_ARRAY_SIZE, false},
      {"txq.num_mipmap_levels", "txq.num_mipmap_levels", "tx", TXQ_LEVELS, false},
      {"txq.num_samples", "txq.num_samples", "tx", TXQ_SAMPLES, false},
      {"txq.memory_layout", "txq.memory_layout", "tx", TXQ_MEMORY_LAYOUT, false},
      {"suq.width", "txq.width", "su", TXQ_WIDTH, false},
      {"suq.height", "txq.height", "pu", TXQ_HEIGHT, false},
      {"suq.depth", "txq.depth", "%d1", TXQ_DEPTH, false},
      {"suq.channel_data_type", "txq.channel_data_type", "su", TXQ_CHANNEL_TYPE, false},
      {"suq.channel_order", "txq.channel_order", "su", TXQ_CHANNEL_ORDER, true},
      {"suq.array_size", "txq.array_size", "su", TXQ_ARRAY_SIZE, false},
      {"suq.memory_layout", "txq.memory_layout", "su", TXQ_MEMORY_LAYOUT, false},
  };
  for (unsigned k = 0; k < sizeof q / sizeof *q; k++) {
    char body[100], want[100];
    const char *of = q[k].of;
    const char *named = !strcmp(of, "tx")   ? "ref0"
                        : !strcmp(of, "sm") ? "ref1"
                        : !strcmp(of, "su") ? q[k].independent ? "ref2" : "ref1"
                        : !strcmp(of, "pt") ? "c[pt]"
                        : !strcmp(of, "ps") ? "c[ps]"
                        : !strcmp(of, "pu") ? "c[pu]"
                                            : of;
    snprintf(body, sizeof body, "%s.b32 %%r1, [%s];", q[k].ptx, of);
    snprintf(want, sizeof want, "%s.b32 %%r1, [%s]", q[k].printed, named);
    becomes(q[k].independent, body, want);
  }
  becomes(false, "txq.level.width.b32 %r1, [%d1], %r2; txq.level.depth.b32 %r1, [pt], 3;",
          "txq.level.width.b32 %r1, [%d1], %r2\ntxq.level.depth.b32 %r1, [c[pt]], 3");
}

static void surfaces(void **state) {
  (void)state;
  becomes(false, "suld.b.1d.b8.trap %h1, [su, %r1];", "suld.b.1d.b8.trap %h1, [ref1, {%r1}]");
  becomes(false, "suld.b.1d.b16.clamp {%r2}, [su, {%r1}];", "suld.b.1d.b16.clamp %r2, [ref1, {%r1}]");
  becomes(false, "suld.b.2d.cv.v4.b32.zero {%r1,%f2,_,%r4}, [pu, {%r1,-1}];",
          "suld.b.2d.volatile.cs.v4.b32.zero {%r1, %f2, _, %r4}, [c[pu], {%r1, 0xffffffff}]");
  becomes(false, "suld.b.a2d.cg.v2.b64.trap {%d1,%d2}, [%d3, {%r1,%r2,%r3,%r3}];",
          "suld.b.a2d.cg.v2.b64.trap {%d1, %d2}, [%d3, {%r1, %r2, %r3}]");
  becomes(false, "suld.b.3d.v2.b8.trap {%h1,%h2}, [%d3, {%r1,%r2,%r3,0}];",
          "suld.b.3d.v2.b8.trap {%h1, %h2}, [%d3, {%r1, %r2, %r3}]");
  becomes(false, "sust.b.1d.b64.trap [su, %r1], %d1;", "sust.b.1d.b64.trap [ref1, {%r1}], {%d1}");
  becomes(false, "sust.b.a1d.wt.v2.b16.zero [%d1, {%r1,%r2}], {%h1,%h2};",
          "sust.b.a1d.v2.b16.zero [%d1, {%r1, %r2}], {%h1, %h2}");
  becomes(false, "sust.b.2d.b32.clamp [pu, {%r1,%r2}], {0};", "sust.b.2d.b32.clamp [c[pu], {%r1, %r2}], {0}");
  becomes(false, "sust.p.1d.v4.b32.trap [pu, {%r1}], {%r1,%r2,%r3,%r4};",
          "sust.p.1d.v4.b32.trap [c[pu], {%r1}], {%r1, %r2, %r3, %r4}");
}

/* Vectors that do not fit: packed, or in two. */
static void wide_stores(void **state) {
  (void)state;
  becomes(false, "sust.b.1d.v4.b8.trap [%d1, {%r1}], {%h1,%h2,%h3,%h4};",
          "cvt.u32.u64 %handle, %d1\nsust.b.1d.v4.b8.trap [%handle, {%r1}], {%h1, %h2, %h3, %h4}");
  becomes(false, "sust.b.2d.v4.b8.trap [%d1, {%r1,%r2}], {%h1,%h2,%h3,%h4};",
          "mov.pack.b32 %packed, {%h1, %h2, %h3, %h4}\nsust.b.2d.b32.trap [%d1, {%r1, %r2}], {%packed}");
  becomes(false, "sust.b.3d.v4.b16.zero [su, {%r1,%r2,%r3,%r3}], {%h1,%h2,%h3,%h4};",
          "mov.pack.b32 %packed, {%h1, %h2}\nmov.pack.b32 %packed, {%h3, %h4}\n"
          "sust.b.3d.v2.b32.zero [ref1, {%r1, %r2, %r3}], {%packed, %packed}");
  becomes(false, "sust.b.2d.v4.b32.trap [%d1, {%r1,%r2}], {%r1,%r2,%r3,%f4};",
          "cvt.u32.u64 %handle, %d1\nsust.b.half0.2d.v2.b32.trap [%handle, {%r1, %r2}], {%r1, %r2}\n"
          "sust.b.half1.2d.v2.b32.trap [%handle, {%r1+8, %r2}], {%r3, %f4}");
  becomes(false, "@%p1 sust.b.a2d.v2.b64.clamp [su, {%r0,%r1,%r2,%r2}], {%d1,%d2};",
          "@%p1 sust.b.half0.a2d.b64.clamp [ref1, {%r0, %r1, %r2}], {%d1}\n"
          "@%p1 sust.b.half1.a2d.b64.clamp [ref1, {%r0, %r1+8, %r2}], {%d2}");
  becomes(false, "sust.p.3d.v4.b32.zero [%d1, {%r1,%r2,%r3,%r3}], {%r1,%r2,%r3,7};",
          "cvt.u32.u64 %handle, %d1\nsust.p.3d.v2.b32.zero [%handle, {%r1, %r2, %r3}], {%r1, %r2}\n"
          "sust.p.ba.3d.v2.b32.zero [%handle, {%r1, %r2, %r3}], {%r3, 7}");
}

static void kinds(void **state) {
  (void)state;
  becomes(false, "istypep.surfref %p1, %d1;",
          "sub.u64 %istypep, %d1, 0x30000000\nsetp.lt.u64 %p1, %istypep, 0x10000000\n"
          "sub.u64 %istypep, %d1, 0x40000001\nsetp.lt.or.u64 %p1, %istypep, 1, %p1");
  becomes(true, "istypep.samplerref %p1, %d1;",
          "sub.u64 %istypep, %d1, 0x20000000\nsetp.lt.u64 %p1, %istypep, 0x10000000\n"
          "sub.u64 %istypep, %d1, 0x40000001\nsetp.lt.or.u64 %p1, %istypep, 1, %p1\n"
          "sub.u64 %istypep, %d1, 0x50000000\nsetp.lt.or.u64 %p1, %istypep, 0x10000000, %p1");
}

/* Every geometry with every type, level, offset and comparison: which operands there are, in which order and types. */
static void every_sample(void **state) {
  (void)state;
  static const char *const geoms[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  static const char *const types[] = {"v4.f32", "v4.s32", "v4.u32", "v4.f16", "v2.f16x2"};
  static const char *const results[] = {"%f1,%f2,%f3,%f4", "%r1,%r2,%r3,%r4", "%r1,%r2,%r3,%r4", "%h1,%h2,%h3,%h4",
                                        "%r1,%r2"};
  static const char *const coordinates[2][7] = {
      {"%f5", "%f5,%f6", "%f5,%f6,%f7,%f7", "%r5,%f5", "%r5,%f5,%f6,%f6", "%f5,%f6,%f7,%f7", "%r5,%f5,%f6,%f7"},
      {"%r5", "%r5,%r6", "%r5,%r6,%r7,%r7", "%r5,%r5", "%r5,%r5,%r6,%r6", NULL, NULL}};
  static const char *const offset[7] = {"{1}", "{1,2}", "{1,2,3,0}", "{1}", "{1,2}", NULL, NULL};
  unsigned n = 0;
  for (unsigned x = 0; x < 7 * 5 * 2 * 8; x++) {
    const unsigned g = x % 7, t = x / 7 % 5, ints = x / 35 % 2, with = x / 70;
    const bool level = with & 1, moved = with & 2, compared = with & 4, cube = g >= 5,
               layered = g == 3 || g == 4 || g == 6;
    char text[2000], body[1000];
    if ((ints && (cube || compared)) || (moved && !offset[g]) || (compared && g == GEOM_3D)) continue;
    const unsigned axes = g == 0 || g == 3 ? 1 : g == 1 || g == 4 ? 2 : 3;
    const unsigned operands = 1 + layered + axes + level + moved + compared;
    snprintf(body, sizeof body, "tex%s.%s.%s.%s {%s}, [pt, {%s}]%s%s%s%s; ret;", level ? ".level" : "", geoms[g],
             types[t], ints ? "s32" : "f32", results[t], coordinates[ints][g],
             !level ? ""
             : ints ? ", %r0"
                    : ", %f0",
             moved ? ", " : "", moved ? offset[g] : "", compared ? ", %f0" : "");
    kernel(false, body, text, sizeof text);
    if (operands > INSN_SRC) {
      struct err e = {0};
      assert_null(ptx_parse("t.ptx", text, strlen(text), &e));
      assert_non_null(strstr(e.text, "with 7 operands beside its results, expected at most 6"));
      continue;
    }
    struct module *m = load(text);
    const struct insn *i = &m->kernel[0].insn[0];
    assert_int_equal(i->op, OP_TEX);
    assert_int_equal(i->sub, g);
    assert_int_equal(i->cmp, level ? TEX_LEVEL : TEX_BASE);
    assert_int_equal(i->tex, (moved ? TEX_OFFSET : 0) | (compared ? TEX_COMPARE : 0));
    assert_int_equal(i->vec, t == 4 ? 2 : 4);
    assert_int_equal(i->ndst, t == 4 ? 2 : 4);
    assert_int_equal(i->stype, ints ? T_S32 : T_F32);
    assert_int_equal(i->nsrc, operands);
    unsigned k = 0;
    assert_int_equal(tex_source(i, k++), TS_HANDLE);
    if (layered) assert_int_equal(tex_source(i, k++), TS_LAYER);
    for (unsigned a = 0; a < axes; a++, k++) {
      assert_int_equal(tex_source(i, k), TS_COORDINATE);
      assert_int_equal(tex_source_type(i, k), ints ? T_S32 : T_F32);
    }
    if (level) assert_int_equal(tex_source(i, k++), TS_LEVEL);
    if (moved) assert_int_equal(i->src[k].imm, axes == 1 ? 1 : axes == 2 ? 0x21 : 0x321);
    if (moved) assert_int_equal(tex_source(i, k++), TS_OFFSET);
    if (compared) assert_int_equal(tex_source(i, k), TS_COMPARE);
    if (compared) assert_int_equal(tex_source_type(i, k++), T_F32);
    assert_int_equal(k, operands);
    module_free(m);
    n++;
  }
  assert_true(n > 150);
}

/* All geometries, types, vectors and clamps of surfaces: what is stored is all of the vector, once. */
static void every_store(void **state) {
  (void)state;
  static const char *const geoms[] = {"1d", "2d", "3d", "a1d", "a2d"}, *const at[] = {"%r5", "%r5,%r6",
                                                                                      "%r5,%r6,%r7,%r7", "%r5,%r6",
                                                                                      "%r5,%r6,%r7,%r7"};
  static const char *const types[] = {"b8", "b16", "b32", "b64"}, *const clamps[] = {"trap", "clamp", "zero"};
  static const char *const names[] = {"su", "pu", "%d8"};
  static const char regs[] = "hhrd";
  unsigned n = 0;
  for (unsigned x = 0; x < 5 * 4 * 3 * 3 * 3; x++) {
    const unsigned g = x % 5, t = x / 5 % 4, v = 1u << x / 20 % 3, c = x / 60 % 3, h = x / 180, bytes = 1u << t;
    char text[2000], body[1000], value[80] = "";
    if (bytes * v > 16) continue;
    for (unsigned k = 0; k < v; k++)
      snprintf(value + strlen(value), sizeof value - strlen(value), "%s%%%c%u", k ? "," : "", regs[t], k);
    const char *vec = v == 1 ? "" : v == 2 ? ".v2" : ".v4";
    snprintf(body, sizeof body, "sust.b.%s%s.%s.%s [%s, {%s}], {%s}; suld.b.%s%s.%s.%s {%s}, [%s, {%s}]; ret;",
             geoms[g], vec, types[t], clamps[c], names[h], at[g], value, geoms[g], vec, types[t], clamps[c], value,
             names[h], at[g]);
    kernel(false, body, text, sizeof text);
    struct module *m = load(text);
    const struct code *k = &m->kernel[0];
    unsigned stored = 0;
    for (uint32_t i = 0; i < k->n; i++) {
      const struct insn *s = &k->insn[i];
      unsigned words = 0;
      for (unsigned j = 0; j < s->nsrc; j++) words += s->src[j].kind == O_REG ? s->src[j].words : 0;
      assert_true(words <= 6 && s->nsrc <= INSN_SRC);
      if (s->op == OP_SULD) {
        assert_true(s->sub == g && s->cmp == c && s->vec == v && s->ndst == v && s->type == T_B8 + (int)t);
        continue;
      }
      if (s->op != OP_SUST) continue;
      const unsigned size = s->vec * dtype_bytes((enum dtype)s->type);
      assert_true(s->sub == g && s->cmp == c && s->tex == (size < bytes * v ? SU_HALF : 0));
      assert_int_equal(s->offset, stored);
      stored += size;
    }
    assert_int_equal(stored, bytes * v);
    module_free(m);
    n++;
  }
  assert_int_equal(n, 5 * 3 * 3 * 11);
}

/* ---- refusals ---- */

struct wrong {
  bool independent;
  const char *body, *message;
};

static void refusals(void **state) {
  (void)state;
#define F "{%f1,%f2,%f3,%f4}"
  static const struct wrong all[] = {
      {false, "tex.2d.v4.f32.f32 " F ", [su, {%f0,%f1}];",
       "7:39: error: found .surfref 'su', expected a .texref variable or a register of .u64 for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [%r0, {%f0,%f1}];",
       "7:39: error: found .b32 '%r0', expected a .texref variable or a register of .u64 for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx+8, {%f0,%f1}];",
       "7:39: error: found .texref 'tx', expected a .texref variable or a register of .u64 for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [a, {%f0,%f1}];",
       "7:39: error: found the address of .param 'a', expected a .texref variable or a register of .u64 for "
       "'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx];", "7:38: error: found no coordinates for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0}];",
       "7:43: error: found a vector of 1, expected a vector of 2 elements in { } for 'tex.2d.v4.f32.f32'"},
      {false, "tex.3d.v4.f32.f32 " F ", [tx, {%f0,%f1,%f2}];",
       "7:43: error: found a vector of 3, expected a vector of 4 elements in { } for 'tex.3d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, %f0];",
       "7:43: error: found a scalar, expected a vector of 2 elements in { } for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.s32 " F ", [tx, {%f0,%r1}];",
       "7:44: error: found .f32 '%f0', expected an operand of .s32 for 'tex.2d.v4.f32.s32'"},
      {false, "tex.a2d.v4.f32.f32 " F ", [tx, {%f0,%f1,%f2,%f2}];",
       "7:45: error: found .f32 '%f0', expected an operand of .u32 for 'tex.a2d.v4.f32.f32'"},
      {false, "tex.2d.v4.u32.f32 " F ", [tx, {%f0,%f1}];",
       "7:20: error: found .f32 '%f1', expected a register of .u32 for 'tex.2d.v4.u32.f32'"},
      {false, "tex.2d.v4.f32.f32 {%f1,%f2}, [tx, {%f0,%f1}];",
       "7:19: error: found a vector of 2, expected a vector of 4 elements in { } for 'tex.2d.v4.f32.f32'"},
      {false, "tex.2d.v2.f32.f32 {%f1,%f2}, [tx, {%f0,%f1}];",
       "7:1: error: found 'tex.2d.v2.f32.f32', expected .v4 with type .f32"},
      {false, "tex.2d.v4.f16x2.f32 {%r1,%r2}, [tx, {%f0,%f1}];",
       "7:1: error: found 'tex.2d.v4.f16x2.f32', expected .v2 with type .f16x2"},
      {false, "tex.2d.f32.f32 %f1, [tx, {%f0,%f1}];",
       "7:1: error: found 'tex.2d.f32.f32' without a needed modifier, expected one of .v2, .v4, .v8"},
      {false, "tex.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:1: error: found 'tex.v4.f32.f32' without a needed modifier, expected one of .1d, .2d, .3d, .a1d, .a2d, "
       ".cube, "
       ".acube, .2dms, .a2dms"},
      {false, "tex.2d.v4.b32.f32 {%r1,%r2,%r3,%r4}, [tx, {%f0,%f1}];",
       "7:10: error: found type '.b32', which 'tex' does not take here; expected one of .u32, .s32, .f16, .f16x2, "
       ".f32"},
      {false, "tex.2d.v4.f32.f16 " F ", [tx, {%f0,%f1}];",
       "7:14: error: found type '.f16', which 'tex' does not take here; expected one of .s32, .f32"},
      {false, "tex.2d.base.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:7: error: found modifier '.base' in the wrong place, expected it before the geometry"},
      {false, "tex.cube.v4.f32.s32 " F ", [tx, {%r0,%r1,%r2,%r2}];",
       "7:1: error: found coordinates of type .s32 in 'tex.cube.v4.f32.s32', expected .f32 for a cube"},
      {false, "tex.cube.v4.f32.f32 " F ", [tx, " F "], {1,2,3,0};",
       "7:65: error: found an offset for 'tex.cube.v4.f32.f32', expected none for a cube"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}], {0,8};", "7:58: error: found offset 8, expected -8 to 7"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}], {-9,0};", "7:56: error: found offset -9, expected -8 to 7"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}], {1};",
       "7:55: error: found a vector of 1, expected a vector of 2 elements in { } for 'tex.2d.v4.f32.f32'"},
      {false, "tex.1d.v4.f32.f32 " F ", [tx, {%f0}], {1,1};",
       "7:51: error: found a vector of 2, expected a vector of 1 element in { } for 'tex.1d.v4.f32.f32'"},
      {false, "tex.a1d.v4.f32.f32 " F ", [tx, {%r0,%f0}], {0,1};",
       "7:56: error: found a vector of 2, expected a vector of 1 element in { } for 'tex.a1d.v4.f32.f32'"},
      {false, "tex.a2d.v4.f32.f32 " F ", [tx, {%r0,%f0,%f1,%f1}], {0,1,1,0};",
       "7:64: error: found a vector of 4, expected a vector of 2 elements in { } for 'tex.a2d.v4.f32.f32'"},
      {false, "tex.3d.v4.f32.f32 " F ", [tx, " F "], {1,1,1};",
       "7:63: error: found a vector of 3, expected a vector of 4 elements in { } for 'tex.3d.v4.f32.f32'"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}], 1;",
       "7:55: error: found integer 1, expected offsets in { }, or a value of .f32 to compare with for "
       "'tex.2d.v4.f32.f32'"},
      {false, "suld.b.1d.b32.trap %r1, [su, {%r1,%r1,%r1,%r1}];",
       "7:30: error: found a vector of 4, expected a vector of 1 element in { } for 'suld.b.1d.b32.trap'"},
      {false, "tex.3d.v4.f32.f32 " F ", [tx, " F "], %f1;",
       "7:63: error: found a value to compare with for 'tex.3d.v4.f32.f32', expected none for .3d"},
      {false, "tex.2d.v4.f32.s32 " F ", [tx, {%r0,%r1}], %f1;",
       "7:55: error: found a value to compare with for 'tex.2d.v4.f32.s32', expected coordinates of .f32 with it"},
      {false, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}], %f1, %f2;",
       "7:60: error: found one operand too many for 'tex.2d.v4.f32.f32'"},
      {false, "tex.level.2d.v4.f32.s32 " F ", [tx, {%r0,%r1}], %f1;",
       "7:61: error: found .f32 '%f1', expected an operand of .s32 for 'tex.level.2d.v4.f32.s32'"},
      {false, "tex.level.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:1: error: found 2 operands for 'tex.level.2d.v4.f32.f32', expected 3 to 5"},
      {false, "tex.grad.1d.v4.f32.f32 " F ", [tx, %f0], %f1, %f2;",
       "7:54: error: found .f32 '%f1', expected a vector of derivatives in { } for 'tex.grad.1d.v4.f32.f32'"},
      {false, "tex.grad.cube.v4.f32.f32 " F ", [tx, " F "], " F ", " F ";",
       "7:1: error: found 'tex.grad.cube.v4.f32.f32': gradients of cubes are not supported"},
      {false, "tex.2dms.v4.f32.s32 " F ", [tx, {%r0,%r1,%r2,%r2}];",
       "7:1: error: found 'tex.2dms.v4.f32.s32': multisample textures are not supported"},
      {false, "tex.2d.v4.f32.f32 " F "|%p1, [tx, {%f0,%f1}];",
       "7:36: error: found '|' after the results, which is not supported; expected ','"},
      {false, "tex.level.a2d.v4.f32.f32 " F ", [tx, {%r0,%f0,%f1,%f1}], %f0, {1,1};", NULL},
      {false, "tex.level.a2d.v4.f32.f32 " F ", [tx, {%r0,%f0,%f1,%f1}], %f0, {1,1}, %f2;",
       "7:1: error: found 'tex.level.a2d.v4.f32.f32' with 7 operands beside its results, expected at most 6: it is not "
       "supported"},
      {true, "tex.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:38: error: found no sampler for 'tex.2d.v4.f32.f32', expected one after the texture: .target has "
       "texmode_independent"},
      {true, "tex.2d.v4.f32.f32 " F ", [sm, tx, {%f0,%f1}];",
       "7:39: error: found .samplerref 'sm', expected a .texref variable or a register of .u64 for "
       "'tex.2d.v4.f32.f32'"},
      {true, "tex.2d.v4.f32.f32 " F ", [tx, tx, {%f0,%f1}];",
       "7:43: error: found .texref 'tx', expected a .samplerref variable or a register of .u64 for "
       "'tex.2d.v4.f32.f32'"},
      {false, "tld4.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:1: error: found 'tld4.2d.v4.f32.f32' without a needed modifier, expected one of .r, .g, .b, .a"},
      {false, "tld4.r.3d.v4.f32.f32 " F ", [tx, " F "];",
       "7:1: error: found a geometry in 'tld4.r.3d.v4.f32.f32' that it does not take, expected one of .2d, .a2d, "
       ".cube, "
       ".acube"},
      {false, "tld4.r.2d.v4.f32.s32 " F ", [tx, {%r0,%r1}];",
       "7:17: error: found type '.s32', which 'tld4' does not take here; expected one of .f32"},
      {false, "tex.r.2d.v4.f32.f32 " F ", [tx, {%f0,%f1}];",
       "7:4: error: found modifier '.r', which 'tex' does not take"},
      {false, "txq.width.b32 %r1, [su];",
       "7:21: error: found .surfref 'su', expected a .texref variable or a register of .u64 for 'txq.width.b32'"},
      {false, "txq.width.b32 %r1, [tx, %r1];",
       "7:20: error: found a texture or surface in [ ], expected one texture, sampler or surface in [ ] for "
       "'txq.width.b32'"},
      {false, "txq.width.b32 %d1, [tx];",
       "7:15: error: found .b64 '%d1', expected a register of .b32 for 'txq.width.b32'"},
      {false, "txq.b32 %r1, [tx];",
       "7:1: error: found 'txq.b32' without a needed modifier, expected one of .width, .height, .depth, "
       ".channel_data_type, .channel_order, .normalized_coords, .force_unnormalized_coords, .filter_mode, "
       ".addr_mode_0, "
       ".addr_mode_1, .addr_mode_2, .array_size, .num_mipmap_levels, .num_samples, .memory_layout"},
      {false, "txq.level.array_size.b32 %r1, [tx], 1;",
       "7:1: error: found '.level' in 'txq.level.array_size.b32', expected it with .width, .height or .depth only"},
      {false, "txq.base.width.b32 %r1, [tx];",
       "7:1: error: found 'txq.base.width.b32', expected '.level' or nothing before the query"},
      {false, "txq.force_unnormalized_coords.b32 %r1, [tx];",
       "7:41: error: found .texref 'tx', expected a .samplerref variable or a register of .u64 for "
       "'txq.force_unnormalized_coords.b32'"},
      {true, "txq.filter_mode.b32 %r1, [tx];",
       "7:27: error: found .texref 'tx', expected a .samplerref variable or a register of .u64 for "
       "'txq.filter_mode.b32'"},
      {false, "suq.num_samples.b32 %r1, [su];",
       "7:1: error: found a query in 'suq.num_samples.b32' that a surface does not have"},
      {false, "suld.p.2d.b32.trap %r1, [su, {%r1,%r2}];", "7:1: error: found 'suld.p.2d.b32.trap', expected 'suld.b'"},
      {false, "suld.b.2d.b32 %r1, [su, {%r1,%r2}];",
       "7:1: error: found 'suld.b.2d.b32' without a needed modifier, expected one of .trap, .clamp, .zero"},
      {false, "suld.b.2d.u32.trap %r1, [su, {%r1,%r2}];",
       "7:10: error: found type '.u32', which 'suld' does not take here; expected one of .b8, .b16, .b32, .b64"},
      {false, "suld.b.2d.wb.b32.trap %r1, [su, {%r1,%r2}];",
       "7:10: error: found modifier '.wb', which 'suld' does not take"},
      {false, "suld.b.1d.v4.b64.trap {%d1,%d2,%d3,%d4}, [su, {%r1}];",
       "7:1: error: found 'suld.b.1d.v4.b64.trap', expected at most 128 bits"},
      {false, "suld.b.1d.v8.b8.trap {%h1}, [su, {%r1}];",
       "7:1: error: found 'suld.b.1d.v8.b8.trap', expected at most .v4"},
      {false, "suld.b.1d.v4.b32.trap {%d1,%d2,%d3,%d4}, [su, {%r1}];",
       "7:1: error: found 'suld.b.1d.v4.b32.trap' with 8 32-bit registers, expected at most 4"},
      {false, "suld.b.cube.b32.trap %r1, [su, {%r1,%r2,%r3,%r3}];",
       "7:1: error: found a cube in 'suld.b.cube.b32.trap', expected one of .1d, .2d, .3d, .a1d, .a2d"},
      {false, "suld.b.2d.b32.trap %r1, [su, tx, {%r1,%r2}];",
       "7:25: error: found three parts in [ ] for 'suld.b.2d.b32.trap', expected two"},
      {false, "sust.b.2d.ca.b32.trap [su, {%r1,%r2}], %r1;",
       "7:10: error: found modifier '.ca', which 'sust' does not take"},
      {false, "sust.p.2d.b8.trap [su, {%r1,%r2}], %h1;",
       "7:1: error: found type .b8 in 'sust.p.2d.b8.trap', expected .b32 with .p"},
      {false, "sust.b.2d.b32.trap [tx, {%r1,%r2}], %r1;",
       "7:21: error: found .texref 'tx', expected a .surfref variable or a register of .u64 for 'sust.b.2d.b32.trap'"},
      {false, "sust.b.2d.v2.b32.trap [su, {%r1,%r2}], %r1;",
       "7:40: error: found a scalar, expected a vector of 2 elements in { } for 'sust.b.2d.v2.b32.trap'"},
      {false, "sust.b.1d.b32.trap [su, {%r1}], %h1;",
       "7:33: error: found .b16 '%h1', expected an operand of .b32 or wider for 'sust.b.1d.b32.trap'"},
      {false, "sust.b.1d.b32.trap [su, {tx}], %r1;",
       "7:26: error: found .texref 'tx', expected a register or a constant for 'sust.b.1d.b32.trap'"},
      {false, "sured.b.add.1d.u32.trap [su, {%r1}], %r1;",
       "7:1: error: found operation 'sured.b.add.1d.u32.trap': reductions on surfaces are not supported"},
      {false, "istypep.texref %p1, tx;",
       "7:21: error: found .texref 'tx', expected a register of .u64 for 'istypep.texref'"},
      {false, "istypep.texref %r1, %d1;",
       "7:16: error: found .b32 '%r1', expected a register of .pred for 'istypep.texref'"},
      {false, "mov.u32 %r1, tx;", "7:14: error: found .texref 'tx', expected an operand of .u32 for 'mov.u32'"},
      {false, "add.u64 %d1, %d1, tx;", "7:19: error: found .texref 'tx', expected an operand of .u64 for 'add.u64'"},
      {false, "ld.param.u64 %d1, [pt];",
       "7:19: error: found .texref 'pt' in an address, expected a variable in memory"},
      {false, "st.global.u64 [su], %d1;",
       "7:15: error: found .surfref 'su' in an address, expected a variable in memory"},
  };
#undef F
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
    char text[2000], want[1000];
    kernel(all[k].independent, all[k].body, text, sizeof text);
    if (!all[k].message) {
      module_free(load(text));
      continue;
    }
    snprintf(want, sizeof want, "t.ptx:%s", all[k].message);
    struct err e = {0};
    char got[1200] = "accepted";
    struct module *m = ptx_parse("t.ptx", text, strlen(text), &e);
    if (m) module_free(m);
    else err_format(&e, got, sizeof got);
    if (strcmp(got, want) != 0) fail_msg("%s\nfound    %s\nexpected %s", all[k].body, got, want);
  }
}

static void wrong_declarations(void **state) {
  (void)state;
  refuses(UNIFIED ".global .texref t[2];\n.entry k() { .reg .b64 %d; mov.u64 %d, t; ret; }\n",
          "t.ptx:5:40: error: found 't', which is not supported: see 4:18: found an array of .texref, which is not "
          "supported; expected one variable each");
  refuses(UNIFIED ".global .samplerref s;\n.entry k() { .reg .b64 %d; mov.u64 %d, s; ret; }\n",
          "t.ptx:5:40: error: found 's', which is not supported: see 4:9: found type '.samplerref', expected "
          "'texmode_independent' in .target for it");
  refuses(UNIFIED ".extern .global .texref t;\n.entry k() { .reg .b64 %d; mov.u64 %d, t; ret; }\n",
          "t.ptx:5:40: error: found extern variable 't', which is not defined in this file");
  refuses(UNIFIED ".const .texref t;\n.entry k() { ret; }\n",
          "t.ptx:4:8: error: found '.texref', expected a type such as '.u32': .texref, .samplerref and .surfref are "
          ".global");
  refuses(UNIFIED ".tex .f32 t;\n.entry k() { ret; }\n",
          "t.ptx:4:6: error: found '.f32', expected '.u32' or '.u64' after '.tex'");
  refuses(UNIFIED ".global .texref t = { filter = linear };\n.entry k() { ret; }\n",
          "t.ptx:4:23: error: found 'filter', expected a property of a texture: normalized_coords, filter_mode or "
          "addr_mode_0, _1, _2");
  refuses(UNIFIED ".global .texref t = { filter_mode = bilinear };\n.entry k() { ret; }\n",
          "t.ptx:4:37: error: found 'bilinear', expected nearest or linear");
  refuses(UNIFIED ".global .texref t = { addr_mode_0 = repeat };\n.entry k() { ret; }\n",
          "t.ptx:4:37: error: found 'repeat', expected wrap, mirror, clamp_to_edge or clamp_to_border");
  refuses(UNIFIED ".global .texref t = { normalized_coords = 2 };\n.entry k() { ret; }\n",
          "t.ptx:4:43: error: found value 2, expected at most 1");
  refuses(UNIFIED ".global .surfref t = { filter_mode = linear };\n.entry k() { ret; }\n",
          "t.ptx:4:24: error: found 'filter_mode', expected a property of a surface, such as width");
  refuses(UNIFIED ".global .texref t = { filter_mode = linear;\n.entry k() { ret; }\n",
          "t.ptx:4:43: error: found ';', expected '}' after the properties");
  refuses(UNIFIED ".entry k(.param .texref t[2]) { ret; }\n",
          "t.ptx:4:26: error: found an array of handles, which is not supported; expected one parameter each");
  refuses(UNIFIED ".entry k(.param .samplerref t) { ret; }\n",
          "t.ptx:4:17: error: found type '.samplerref', expected 'texmode_independent' in .target for it");
  refuses(UNIFIED ".func f(.param .texref t) { ret; }\n.entry k() { call f; ret; }\n",
          "t.ptx:4:16: error: found type '.texref', expected a type such as '.u32': .texref, .samplerref and .surfref "
          "stand "
          "at the file's level and in parameters of kernels; it stands in function 'f', which kernel 'k' calls");
}

/* ---- what compilers write ---- */

static void compiled(const char *path, const char *const *names, unsigned n) {
  struct err e = {0};
  struct module *m = ptx_load(path, &e);
  if (!m) fail_msg("%s:%d:%d: %s", path, e.line, e.col, e.text);
  for (unsigned k = 0; k < n; k++) {
    struct code *c = module_kernel(m, names[k]);
    assert_non_null(c);
    unsigned found = 0;
    if (!alloc_kernel(m, c, 0, &e)) fail_msg("%s: %s", names[k], e.text);
    for (uint32_t i = 0; i < c->n; i++) found += insn_texture(&c->insn[i]);
    assert_true(found > 0);
  }
  module_free(m);
}

static void of_compilers(void **state) {
  (void)state;
  static const char *const nvcc[] = {"textures", "surfaces"}, *const clang[] = {"k"};
  compiled("tests/data/ptx/host_nvcc.ptx", nvcc, 2);
  compiled("tests/data/ptx/host_nvcc_90.ptx", nvcc, 2);
  compiled("tests/data/ptx/texture_clang.ptx", clang, 1);
  compiled("tests/data/ptx/texture_unified.ptx", clang, 1);
  compiled("tests/data/ptx/texture_independent.ptx", clang, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(declarations),  cmocka_unit_test(handles),
      cmocka_unit_test(results_twice), cmocka_unit_test(textures),
      cmocka_unit_test(offsets),       cmocka_unit_test(gradients),
      cmocka_unit_test(queries),       cmocka_unit_test(surfaces),
      cmocka_unit_test(wide_stores),   cmocka_unit_test(kinds),
      cmocka_unit_test(every_sample),  cmocka_unit_test(every_store),
      cmocka_unit_test(refusals),      cmocka_unit_test(wrong_declarations),
      cmocka_unit_test(of_compilers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

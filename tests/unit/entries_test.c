/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries: the kernels of a file are independent; their names; their output; the place of their run-time errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/regalloc/regalloc.h"
#include "launch/launch.h"
#include "compiler/ptx/ptx.h"
#include "refused.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

/* Good kernels, then refused ones with the places of their reasons: "a b -c 5:2 -d 7:1" */
static void entries(const char *text, const char *want) {
  char got[1024] = "";
  size_t n = 0;
  struct module *m = load(text);
  for (uint32_t k = 0; k < m->nkernel; k++)
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", n ? " " : "", m->kernel[k].name);
  for (const struct refusal *r = m->refused; r; r = r->next)
    n += (size_t)snprintf(got + n, sizeof got - n, " -%s %d:%d", r->name, r->why.line, r->why.col);
  assert_string_equal(got, want);
  module_free(m);
}

/* ---- refused alone ---- */

static void in_bodies(void **state) {
  (void)state;
  entries(HEAD
          ".entry a() { ret; }\n"
          ".entry b() { .reg .b32 %r<2>; { wgmma.x {%r0}, 1; } L: { add.s32 %r1, %q, 1; } ret; }\n"
          ".entry c() { .reg .b128 %q; mov.b128 %q, {1, 2}; ret; }\n"
          ".entry d() { .reg .b32 %r; mov.b32 %r, %cluster_ctarank; @%nope bra M; L: L: bra L; }\n"
          ".entry e() { .reg .v4 .f32 v; ret; }\n"
          ".entry f() { bra nowhere; .strange x; ret; }\n"
          ".entry z() { ret; }\n",
          "a z -b 5:33 -c 6:19 -d 7:40 -e 8:19 -f 9:27");
}

static void in_heads(void **state) {
  (void)state;
  entries(HEAD
          ".entry a(.param .texref t[2]) { { sured.b x; } ret; }\n"
          ".entry b() .maxntid 0 { ret; }\n"
          ".entry c(.param .b128 x[2], .param .u32 y) .maxntid 32 { ld.param.u32 %r, [y]; }\n"
          ".entry d() .reqntid 32 { ret; }\n"
          ".entry e() .explicitcluster .reqntid 32 { ret; }\n",
          "d -a 4:26 -b 5:21 -c 6:17 -e 8:12");
  entries(HEAD
          ".func .attribute(.unified(1, 2)) f() .abi_preserve 8 .abi_preserve_control 2 .noreturn { trap; }\n"
          ".func (.param .b32 r) g(.param .b32 x) .of_tomorrow;\n"
          ".entry a() { call f; ret; }\n"
          ".entry b(.param .b64 p) .of_tomorrow 3, 4 .maxntid 32 { ret; }\n"
          ".entry c() .abi_preserve 8 { ret; }\n"
          ".entry d() { ret; }\n",
          "a d -b 7:25 -c 8:12");
}

/* A refused function makes all entries that reach it refused, at any depth of calls; one that is not called, none. */
static void in_functions(void **state) {
  (void)state;
  entries(HEAD
          ".func bad() { elect.sync _|%p, 1; ret; }\n.func alone(.param .surfref s) { ret; }\n"
          ".func (.param .b128 r) odd(.param .b32 x) { ret; }\n"
          ".func middle() { call bad; ret; }\n"
          ".entry a() { call middle; ret; }\n.entry b() { ret; }\n"
          ".entry c() { .param .b32 p; call (p), odd, (p); ret; }\n"
          ".entry d() { .reg .b64 %f; call %f, (), P; P: .callprototype _ (); ret; }\n"
          ".entry e() { call nobody; ret; }\n",
          "b -a 4:15 -c 6:15 -d 11:33 -e 12:19");
}

/* Variables that are not supported concern those that name them, through others, too. */
static void in_variables(void **state) {
  (void)state;
  entries(HEAD
          ".global .texref t1[2], t2[2];\n.tex .u32 old;\n.global .samplerref s = {addr_mode_0 = 1};\n"
          ".func f() { ret; }\n.global .align 8 .u64 table[2] = {f, f};\n"
          ".global .u64 to[1] = {table};\n.global .u64 further = generic(to)+8;\n"
          ".extern .global .u32 x;\n.global .u64 px[2] = {0, x};\n.global .u32 fine[2] = {1, 2};\n"
          ".alias g, f;\n"
          ".entry a() { .reg .b64 %d; mov.u64 %d, t2; ret; }\n"
          ".entry b() { .reg .b64 %d; ld.global.u64 %d, [table]; ret; }\n"
          ".entry c() { .reg .b64 %d; ld.global.u64 %d, [further]; ret; }\n"
          ".entry d() { .reg .b64 %d; ld.global.u64 %d, [px+8]; ret; }\n"
          ".entry e() { .reg .b32 %r; ld.global.u32 %r, [fine+4]; ret; }\n",
          "e -a 15:40 -b 16:46 -c 17:46 -d 18:46");
  struct module *m = load(HEAD ".global .texref t[2];\n.global .u32 fine[2] = {1, 2};\n.entry a() { ret; }\n");
  assert_int_equal(m->nsymbol, 1);
  assert_string_equal(m->symbol[0].name, "fine");
  assert_int_equal(m->symbol[0].addr, GLOBAL_BASE);
  module_free(m);
}

/* What one refused kernel named of shared memory is none of the next one's. */
static void shared_apart(void **state) {
  (void)state;
  struct module *m = load(HEAD
                          ".shared .b8 big[4096]; .shared .b8 small[16];\n"
                          ".entry a() { .reg .b32 %r; ld.shared.u32 %r, [big]; call nobody; ret; }\n"
                          ".entry b() { .reg .b32 %r; ld.shared.u32 %r, [small]; ret; }\n");
  assert_int_equal(m->nkernel, 1);
  assert_int_equal(m->kernel[0].shared_bytes, 16);
  module_free(m);
}

/* ---- of a session ---- */

static bool at_a_megabyte(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  *(unsigned *)ctx += 1;
  *base = bytes && align <= 1 << 20 ? 1 << 20 : 0;
  return *base;
}

static struct module *load_at(const char *text, struct err *e) {
  unsigned asked = 0;
  const struct ptx_place place = {at_a_megabyte, &asked};
  struct module *m = ptx_parse_at("t.ptx", text, strlen(text), &place, e);
  assert_true(asked <= 1);
  return m;
}

/* A module is one, too, when all of its kernels are refused, or has none. Their parameters are known. */
static void none_is_good(void **state) {
  (void)state;
  struct err e = {0};
  struct module *m = load_at(HEAD
                             ".global .u32 v[2] = {3, 4};\n.global .u64 p = v+4;\n"
                             ".entry a(.param .u32 x, .param .align 8 .b8 s[24]) { sured.b x; ret; }\n"
                             ".entry b(.param .texref t[2]) { ret; }\n",
                             &e);
  assert_true(m && !m->nkernel && m->refused && m->refused->next && !m->refused->next->next);
  const struct refusal *a = m->refused, *b = a->next;
  assert_string_equal(a->name, "a");
  assert_string_equal(a->why.text, "found operation 'sured.b': reductions on surfaces are not supported");
  assert_true(a->why.line == 6 && a->nparam == 2 && a->param_bytes == 32);
  assert_true(a->param[0].offset == 0 && a->param[0].size == 4 && a->param[0].type == T_U32);
  assert_true(a->param[1].offset == 8 && a->param[1].size == 24 && a->param[1].array);
  assert_string_equal(b->name, "b");
  assert_true(!b->nparam && !b->param_bytes);
  assert_int_equal(m->global_base, 1 << 20);
  assert_int_equal(m->symbol[1].addr, (1 << 20) + 256);
  assert_memory_equal(m->symbol[1].init, "\x04\0\x10\0\0\0\0\0", 8);
  module_free(m);
  m = load_at(HEAD ".global .u32 v;", &e);
  assert_true(m && !m->nkernel && !m->refused && m->nsymbol == 1);
  module_free(m);
  assert_null(load_at("", &e));
  assert_string_equal(e.text, "found end of file, expected '.version'");
}

/* Syntax of a PTX to come refuses one kernel; what cannot be read at all the file. */
static void syntax_of_tomorrow(void **state) {
  (void)state;
  struct err e = {0};
  struct module *m =
      load_at(HEAD
              ".entry a(.param .u64 o) { frob.a.b <%r1>, [x, {1, 2, 3, 4, 5, 6, 7, 8, 9}], 1 ? ; ret; }\n"
              ".entry b() { ret; }\n.entry c() { .reg .b32 %r; ld.global.u32 %r, [%r, {%r}]; { mov.b32 } ret; }\n"
              ".entry d() { L: bra.uni L; }\n",
              &e);
  if (!m) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  assert_int_equal(m->nkernel, 2);
  assert_string_equal(m->kernel[0].name, "b");
  assert_string_equal(m->kernel[1].name, "d");
  assert_true(m->refused->why.line == 4 && m->refused->nparam == 1 && m->refused->next->why.line == 6);
  module_free(m);
  assert_null(load_at(HEAD ".entry a() { ret; }\n.entry b() { ret;\n", &e));
  assert_int_equal(e.line, 6);
}

static void of_the_file(void **state) {
  (void)state;
  refuses(HEAD ".entry a() { ret; }\n.entry b() { sured.b x; ret }\n",
          "t.ptx:5:29: error: found '}', expected an operand");
  refuses(HEAD ".entry a() { ret; }\n.entry b() { sured.b x; \n",
          "t.ptx:6:1: error: found end of file, expected '}' to end the body of the function");
  refuses(HEAD ".entry a() { ret; }\n.entry b() { sured.b {x; }\n",
          "t.ptx:6:1: error: found end of file, expected '}' to end the body of the function");
  refuses(HEAD ".entry a() { ret; }\n.global .align 3 .u32 x;\n",
          "t.ptx:5:16: error: found alignment 3, expected a power of two up to 65536");
  refuses(HEAD ".entry a(.param .texref t[2]) { ret; }\n.entry a() { ret; }\n",
          "t.ptx:5:8: error: found a second body of 'a', expected one; the first is in line 4");
  refuses(HEAD ".entry a() { elect x; }\n.entry b() { discard x; }\n",
          "t.ptx:4:14: error: found operation 'elect': elections are not supported; so kernel 'a' is refused, and so "
          "are all others of this file");
}

/* ---- names ---- */

static void based(const char *mangled, const char *want) {
  size_t n = 0;
  const char *s = mangled_base_name(mangled, &n);
  char got[100] = "";
  if (s) snprintf(got, sizeof got, "%.*s", (int)n, s);
  if (strcmp(got, want) != 0) fail_msg("%s: found '%s', expected '%s'", mangled, got, want);
}

static void base_names(void **state) {
  (void)state;
  based("_Z6vecaddPKfS0_Pfi", "vecadd");
  based("_ZL6vecaddPKfS0_Pfi", "vecadd");
  based("_ZN4rodi2ns6kernelEPf", "kernel");
  based("_ZN12_GLOBAL__N_16kernelEPf", "kernel");
  based("_Z6matmulILi16ELb1ELin3EEvPfS0_", "matmul");
  based("_Z3addIfN2ns1TIiEEEvT_", "add");
  based("_ZN3BoxILi3EE3runIdEEvPS_", "run");
  based("_ZN3BoxI3FooIiLj4EEE3runEv", "run");
  based("_ZNK3Box3runEv", "run");
  based("_ZNSt6vectorIiSaIiEE4fillEv", "fill");
  based("_ZN1aIA16_fE1bEv", "b");
  based("_ZN1aIDF16_E1bEv", "b");
  based("_ZN1aIJiPKcEE1bEv", "b");
  based("vecadd", "");
  based("_Z", "");
  based("_Z9short", "");
  based("_Z0x", "");
  based("_Z99999999999999999999x", "");
  based("_ZN3abc", "");
  based("_ZN3abcI", "");
  based("_ZN3abcIL", "");
  based("_ZNIiE3abcE", "");
  based("_ZplRK1aS1_", "");
}

static void found(struct module *m, const char *name, const char *want) {
  struct err e = {0};
  char got[1200];
  const struct code *c = module_find(m, name, "x.launch", 3, 8, &e);
  if (!c) err_format(&e, got, sizeof got);
  assert_string_equal(c ? c->name : got, want);
}

static void by_base_name(void **state) {
  (void)state;
  struct module *m = load(HEAD
                          ".entry _Z3onePf() { ret; }\n.entry _Z3twoPf() { ret; }\n"
                          ".entry _Z3twoPi() { elect x; }\n.entry _Z3badi() { elect x; }\n"
                          ".entry three() { ret; }\n.entry _Z5threev() { ret; }\n");
  found(m, "_Z3onePf", "_Z3onePf");
  found(m, "one", "_Z3onePf");
  found(m, "three", "three");
  found(m, "_Z5threev", "_Z5threev");
  found(m, "two",
        "x.launch:3:8: error: found kernel 'two', which is the base name of several, expected one of: "
        "_Z3twoPf, _Z3twoPi");
  found(m, "bad",
        "t.ptx:7:20: error: found operation 'elect': elections are not supported; so kernel '_Z3badi' is refused, of "
        "this file there are: _Z3onePf, _Z3twoPf, three, _Z5threev");
  found(m, "_Z3twoPi",
        "t.ptx:6:21: error: found operation 'elect': elections are not supported; so kernel '_Z3twoPi' is refused, "
        "of this file there are: _Z3onePf, _Z3twoPf, three, _Z5threev");
  found(m, "on",
        "x.launch:3:8: error: found kernel 'on', expected a kernel of the PTX: _Z3onePf, _Z3twoPf, three, _Z5threev, "
        "_Z3twoPi (refused), _Z3badi (refused)");
  module_free(m);
}

/* ---- runs ---- */

struct printed {
  char text[1 << 21];
  size_t n;
  unsigned times;
};
static struct printed out;

static void take(void *ctx, const char *text, size_t n) {
  (void)ctx;
  assert_true(out.n + n < sizeof out.text);
  memcpy(out.text + out.n, text, n);
  out.n += n;
  out.times++;
}

static unsigned resident = 2;
static bool launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  (void)ctx;
  (void)index;
  return exec_run(l, resident, &(struct exec_counts){0}, e);
}

/* Runs; *e: what went wrong. What was printed is in `out`. */
static bool run(const char *ptx, const char *file, struct err *e) {
  struct module *m = load(ptx);
  struct script *s = script_parse("t.launch", file, strlen(file), e);
  bool ok = s && script_resolve(s, m, e);
  for (uint32_t k = 0; ok && k < m->nkernel; k++)
    ok = alloc_kernel(m, &m->kernel[k], script_regs(s, m->kernel[k].name), e);
  struct host_ops ops = {.launch = launch, .print = take};
  out.n = out.times = 0;
  ok = ok && script_run(s, m, 0, &ops, e);
  out.text[out.n] = 0;
  script_free(s);
  module_free(m);
  return ok;
}

static void prints(const char *ptx, const char *file, const char *want) {
  struct err e = {0};
  if (!run(ptx, file, &e)) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  assert_string_equal(out.text, want);
}

static void fails(const char *ptx, const char *file, const char *want) {
  struct err e = {0};
  char got[1200];
  if (run(ptx, file, &e)) fail_msg("it ran, expected: %s", want);
  err_format(&e, got, sizeof got);
  assert_string_equal(got, want);
}

static void launches_by_base_name(void **state) {
  (void)state;
  static const char ptx[] = HEAD
      ".entry _Z3addPj(.param .u64 a) { .reg .b64 %d<3>; .reg .b32 %r<30>;\n"
      "ld.param.u64 %d1, [a]; st.global.u32 [%d1], 7; ret; }\n"
      ".entry _Z3oddPj(.param .u64 a) { elect x; }\n";
  prints(ptx, "ptx x.ptx\nbuffer o u32 1 zero\nlaunch add grid 1 block 1 args (o)\nexpect o[0] 7\n", "");
  fails(ptx, "ptx x.ptx\nbuffer o u32 1 zero\nlaunch odd grid 1 block 1 args (o)\nexpect o[0] 7\n",
        "t.ptx:6:34: error: found operation 'elect': elections are not supported; so kernel '_Z3oddPj' is "
        "refused, of this file there are: _Z3addPj");
  fails(ptx,
        "ptx x.ptx\nbuffer o u32 1 zero\nlaunch add grid 1 block 1 regs 8 args (o)\n"
        "launch _Z3addPj grid 1 block 1 regs 9 args (o)\nexpect o[0] 7\n",
        "t.launch:4: error: found regs 9, expected regs 8 as in line 3 for this kernel");
  struct err e = {0};
  static const char file[] =
      "ptx x.ptx\nbuffer o u32 1 zero\nlaunch add grid 1 block 1 args (o)\n"
      "launch _Z3addPj grid 1 block 1 regs 9 args (o)\n";
  struct module *m = load(ptx);
  struct script *s = script_parse("t.launch", file, sizeof file - 1, &e);
  assert_true(s && script_resolve(s, m, &e));
  assert_string_equal(script_kernel(s, 0), "_Z3addPj");
  assert_null(script_kernel(s, 1));
  assert_int_equal(script_regs(s, "_Z3addPj"), 9);
  script_free(s);
  module_free(m);
}

/* ---- vprintf ---- */

#define PRINT ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
#define VARS                                                                                          \
  ".local .align 8 .b8 l[64]; .reg .b64 %a<9>; .reg .b32 %n<9>; .reg .pred %p<3>; .reg .f64 %e<3>;\n" \
  "cvta.local.u64 %a1, l; cvta.global.u64 %a2, f; mov.u32 %n1, %tid.x; mov.u32 %n2, %ctaid.x;\n"
#define CALL                                                                                       \
  "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %a2; st.param.b64 [y], %a1;\n" \
  "call (z), vprintf, (x, y); ld.param.b32 %n8, [z]; }\n"

/* A kernel that calls vprintf once with this format (as initialiser of bytes) and these 64 bytes of arguments. */
static void printing(char *ptx, size_t size, const char *format, const char *stores) {
  size_t n = (size_t)snprintf(ptx, size, HEAD PRINT ".global .b8 text[4] = {97, 98, 99, 0};\n.global .b8 f[] = {");
  for (const char *s = format; *s; s++) n += (size_t)snprintf(ptx + n, size - n, "%d, ", (uint8_t)*s);
  snprintf(ptx + n, size - n,
           "0};\n.entry k(.param .u64 o) { .reg .b64 %%o; ld.param.u64 %%o, [o];\n%s%s\n%sst.global.u32 [%%o], %%n8; "
           "ret; }\n",
           VARS, stores, CALL);
}

static void one(const char *format, const char *stores, const char *want, int arguments) {
  char ptx[8192], file[200];
  printing(ptx, sizeof ptx, format, stores);
  snprintf(file, sizeof file, "ptx x.ptx\nbuffer o s32 1 zero\nlaunch k grid 1 block 1 args (o)\nexpect o[0] %d\n",
           arguments);
  prints(ptx, file, want);
}

static void formats(void **state) {
  (void)state;
  one("plain\n", "", "plain\n", 0);
  one("%d|%i|%5d|%-5d|%05d|%+d\n",
      "st.local.s32 [l], -3; st.local.s32 [l+4], 7; st.local.v2.u32 [l+8], {42, 43}; st.local.v2.u32 [l+16], {44, "
      "45};",
      "-3|7|   42|43   |00044|+45\n", 6);
  one("%u %x %X %o %#x %.4u",
      "st.local.v2.u32 [l], {4294967295, 43981}; st.local.v2.u32 [l+8], {43981, 8}; st.local.v2.u32 [l+16], {255, 5};",
      "4294967295 abcd ABCD 10 0xff 0005", 6);
  one("%d %lld %ld %c%c",
      "st.local.u32 [l], 1; st.local.s64 [l+8], -5000000000; st.local.s64 [l+16], 9; st.local.v2.u32 [l+24], {104, "
      "105};",
      "1 -5000000000 9 hi", 5);
  one("%f %.2e %g %10.3f|%-8.1f|",
      "st.local.f64 [l], 0d3FF8000000000000; st.local.f64 [l+8], 0d40C3880000000000; st.local.f64 [l+16], "
      "0d3FE0000000000000; st.local.f64 [l+24], 0dC00A000000000000; st.local.f64 [l+32], 0d4004000000000000;",
      "1.500000 1.00e+04 0.5     -3.250|2.5     |", 5);
  one("%hd %hhu %hx", "st.local.v2.u32 [l], {98304, 511}; st.local.u32 [l+8], 305419896;", "-32768 255 5678", 3);
  one("%*d|%-*d|%.*f",
      "st.local.v2.u32 [l], {4, 1}; st.local.v2.u32 [l+8], {4, 2}; st.local.u32 [l+16], 1; st.local.f64 [l+24], "
      "0d3FF4000000000000;",
      "   1|2   |1.2", 6);
  one("%s|%5s|%-5s|%.2s|%s",
      "cvta.global.u64 %a3, text; st.local.u64 [l], %a3; st.local.u64 [l+8], %a3; st.local.u64 [l+16], %a3; "
      "st.local.u64 [l+24], %a3; st.local.u64 [l+32], 0;",
      "abc|  abc|abc  |ab|(null)", 5);
  one("%p %p", "st.local.u64 [l], 4660; st.local.u64 [l+8], 0;", "0x1234 (nil)", 2);
  one("100%% %y 5%", "", "100% %y 5%", 0);
  one("%n%5q", "", "%n%5q", 0);
  one("%.0d", "st.local.u32 [l], 0;", "", 1);
  one("tab\there \x1b[31m", "", "tab\there \x1b[31m", 0); /* who prints it makes it harmless */
}

/* By CTA, thread and program order, whatever the order of execution; once per launch. */
static void order(void **state) {
  (void)state;
  static const char body[] =
      HEAD PRINT ".global .b8 f[] = {37, 117, 46, 37, 117, 58, 37, 117, 32, 0};\n.entry k() {\n" VARS
                 "st.local.v2.u32 [l], {%n2, %n1}; setp.ge.u32 %p1, %n1, 40; @%p1 bra L;\n"
                 "st.local.u32 [l+8], 0;\n" CALL "L: st.local.u32 [l+8], 1;\n" CALL "ret; }\n";
  char want[8192];
  size_t n = 0;
  for (unsigned t = 0; t < 3 * 70; t++) {
    if (t % 70 < 40) n += (size_t)snprintf(want + n, sizeof want - n, "%u.%u:0 ", t / 70, t % 70);
    n += (size_t)snprintf(want + n, sizeof want - n, "%u.%u:1 ", t / 70, t % 70);
  }
  for (resident = 1; resident < 4; resident++) {
    prints(body, "ptx x.ptx\nlaunch k grid 3 block 70 args ()\n", want);
    assert_int_equal(out.times, 1);
  }
  resident = 2;
  prints(body, "ptx x.ptx\nrepeat 2 {\nlaunch k grid 1 block 1 args ()\n}\n", "0.0:0 0.0:1 0.0:0 0.0:1 ");
  assert_int_equal(out.times, 2);
}

/* A predicate stops single threads, an argument of a register works, a null format gives -1. */
static void calls(void **state) {
  (void)state;
  prints(HEAD PRINT ".global .b8 f[] = {37, 117, 32, 0};\n.entry k(.param .u64 o) { .reg .b64 %o<3>;\n" VARS
                    "ld.param.u64 %o1, [o]; mul.wide.u32 %o2, %n1, 4; add.u64 %o1, %o1, %o2; st.local.u32 [l], %n1;\n"
                    "and.b32 %n3, %n1, 1; setp.eq.u32 %p1, %n3, 1; mov.u32 %n8, 9;\n"
                    "@%p1 call (%n8), vprintf, (%a2, %a1);\nsetp.eq.u32 %p2, %n1, 2; @%p2 mov.u64 %a2, 0;\n"
                    "@%p2 call (%n8), vprintf, (%a2, %a1);\nst.global.u32 [%o1], %n8; ret; }\n",
         "ptx x.ptx\nbuffer o s32 4 zero\nlaunch k grid 1 block 4 args (o)\n"
         "expect o[0] 9\nexpect o[1] 1\nexpect o[2] -1\nexpect o[3] 1\n",
         "1 3 ");
}

/* A loop of `rounds` prints 16 characters a thread each time: more than the bound, and less. */
static void bounded(void **state) {
  (void)state;
  static const char ptx[] =
      HEAD PRINT ".global .b8 f[] = {37, 48, 56, 120, 37, 48, 55, 120, 10, 0};\n.entry k(.param .u32 rounds) {\n" VARS
                 "mov.u32 %n4, %ntid.x; mad.lo.u32 %n3, %n2, %n4, %n1; ld.param.u32 %n5, [rounds]; mov.u32 %n6, 0;\n"
                 "L: st.local.v2.u32 [l], {%n3, %n6};\n" CALL
                 "add.u32 %n6, %n6, 1; setp.lt.u32 %p1, %n6, %n5; @%p1 bra L; ret; }\n";
  enum { FIT = (1 << 20) / 16, ROUNDS = 200, THREADS = 3 * 256 };
  struct err e = {0};
  for (resident = 1; resident < 4; resident += 2) {
    if (!run(ptx, "ptx x.ptx\nlaunch k grid 3 block 256 args (200)\n", &e)) fail_msg("%s", e.text);
    assert_int_equal(out.n, FIT * 16);
    for (unsigned k = 0; k < FIT; k++) {
      char want[20];
      snprintf(want, sizeof want, "%08x%07x\n", k / ROUNDS, k % ROUNDS);
      assert_memory_equal(out.text + (size_t)k * 16, want, 16);
    }
  }
  resident = 2;
  if (!run(ptx, "ptx x.ptx\nlaunch k grid 3 block 256 args (80)\n", &e)) fail_msg("%s", e.text);
  assert_int_equal(out.n, THREADS * 80 * 16);
}

static void bad_pointers(void **state) {
  (void)state;
  char ptx[8192];
  static const char file[] = "ptx x.ptx\nbuffer o s32 1 zero\nlaunch k grid 1 block 1 args (o)\n";
  printing(ptx, sizeof ptx, "%s", "st.local.u64 [l], 8; ");
  fails(ptx, file,
        "t.ptx:12:11: error: vprintf: load of 1 bytes at global address 0x8 is out of bounds: a null pointer; kernel "
        "'k', PC 0x10, CTA (0,0,0), thread (0,0,0)");
  printing(ptx, sizeof ptx, "%s", "mov.u64 %a2, 0x500000000;");
  fails(ptx, file,
        "t.ptx:12:11: error: vprintf: load of 1 bytes at generic address 0x500000000 is out of bounds: 21474770172 "
        "bytes past the end of buffer 'o' (4 bytes at 0x10300); kernel 'k', PC 0x18, CTA (0,0,0), thread (0,0,0)");
  printing(ptx, sizeof ptx, "%d", "add.u64 %a1, %a1, 64;");
  fails(ptx, file,
        "t.ptx:12:11: error: vprintf: load of 4 bytes at local address 0x40 is out of bounds: 0 bytes past the end "
        "of the thread's local memory (64 bytes); kernel 'k', PC 0x18, CTA (0,0,0), thread (0,0,0)");
  printing(ptx, sizeof ptx, "%9999d", "");
  fails(ptx, file,
        "t.ptx:12:11: error: vprintf: found a width or precision above 4095 in the format, expected at most that; "
        "kernel 'k', PC 0x8, CTA (0,0,0), thread (0,0,0)");
  /* the format is the last variable, without its end */
  fails(HEAD PRINT ".global .b8 f[2] = {97, 98};\n.entry k(.param .u64 o) {\n" VARS CALL "ret; }\n", file,
        "t.ptx:10:11: error: vprintf: load of 1 bytes at global address 0x10002 is out of bounds: 0 bytes past the "
        "end of variable 'f' (2 bytes at 0x10000); kernel 'k', PC 0x0, CTA (0,0,0), thread (0,0,0)");
}

/* ---- places ---- */

static void faults(void **state) {
  (void)state;
  fails(HEAD
        ".entry k(.param .u64 o) { .reg .b64 %d; .reg .pred %p;\nld.param.u64 %d, [o];\n"
        "  setp.ne.u64 %p, %d, 0; @%p st.global.u32 [%d+4], 1; ret; }\n",
        "ptx x.ptx\nbuffer o u32 1 zero\nlaunch k grid 1 block 1 args (o)\n",
        "t.ptx:6:30: error: store of 4 bytes at global address 0x10004 is out of bounds: 0 bytes past the end of "
        "buffer 'o' (4 bytes at 0x10000); kernel 'k', PC 0x10, CTA (0,0,0), thread (0,0,0)");
  fails(HEAD ".entry k() { .reg .b32 %r; mov.u32 %r, %tid.x; add.u32 %r, %r, 33;\n  bar.sync 0, %r; ret; }\n",
        "ptx x.ptx\nlaunch k grid 1 block 64 args ()\n",
        "t.ptx:5:3: error: barrier 0: found a count of 33 threads, expected a multiple of 32 from 32 to 64, the "
        "whole warps of the CTA; kernel 'k', PC 0x10, CTA (0,0,0), thread (0,0,0)");
  fails(HEAD ".entry k() { ret; bar.sync 0, 64;\n}\n.entry l() { bar.sync 0, 64; ret; }\n",
        "ptx x.ptx\nlaunch k grid 1 block 32 args ()\nlaunch l grid 1 block 32 args ()\n",
        "t.ptx:6:14: error: barrier 0: found a count of 64 threads, expected a multiple of 32 from 32 to 32, the "
        "whole warps of the CTA; kernel 'l', PC 0x0, CTA (0,0,0), thread (0,0,0)");
  fails(HEAD ".entry k() {\n\ttrap; }\n", "ptx x.ptx\nlaunch k grid 1 block 32 args ()\n",
        "t.ptx:5:2: error: the kernel executed a trap; kernel 'k', PC 0x0, CTA (0,0,0), thread (0,0,0)");
  fails(HEAD ".entry k() .reqntid 64 { ret; }\n", "ptx x.ptx\nlaunch k grid 1 block 32 args ()\n",
        "t.launch:2:23: error: found block (32, 1, 1), expected (64, 1, 1) as the .reqntid of 'k'");
  fails(HEAD ".entry k() .maxntid 8, 4 { ret; }\n", "ptx x.ptx\nlaunch k grid 1 block 33 args ()\n",
        "t.launch:2:23: error: found 33 threads in the block, expected at most 32, the .maxntid of 'k'");
}

/* A machine without clusters and cooperative launches. A kernel that asks for what the system reserves of shared memory has
 * 1 KB of it, before its own, which is none of its %total_smem_size. */
static void registers(void **state) {
  (void)state;
  prints(
      HEAD
      ".shared .u32 own; .extern .shared .u32 dynamic[];\n"
      ".entry k(.param .u64 o) { .reg .b64 %d; .reg .b32 %r<12>; ld.param.u64 %d, [o];\n"
      "mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end;\n"
      "mov.b32 %r3, %reserved_smem_offset_cap; mov.u32 %r4, %reserved_smem_offset_1;\n"
      "mov.b32 %r5, %envreg0; mov.b32 %r6, %envreg2; mov.u32 %r7, %envreg31; mov.u32 %r8, %reserved_smem_offset_0;\n"
      "st.global.v4.u32 [%d], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%d+16], {%r5, %r6, %r7, %r8};\n"
      "st.shared.u32 [%r4+284], %r2; st.shared.u32 [own], 7; ld.shared.u32 %r9, [%r4+284]; mov.u32 %r10, own;\n"
      "mov.u32 %r11, %total_smem_size; mov.u32 %r1, dynamic;\n"
      "st.global.v4.u32 [%d+32], {%r9, %r10, %r11, %r1}; ret; }\n"
      ".entry l(.param .u64 o) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [o]; mov.u32 %r, own;\n"
      "st.global.u32 [%d], %r; ret; }\n",
      "ptx x.ptx\nbuffer o u32 12 fill 5\nbuffer p u32 1 fill 5\nlaunch k grid 1 block 1 shared 64 args (o)\n"
      "launch l grid 1 block 1 args (p)\nexpect p expr 0\n"
      "expect o expr i == 1 || i == 2 || i == 8 || i == 9 ? 1024 : i == 3 ? 512 : i == 10 ? 80 : i == 11 ? 1040 : 0\n",
      "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_bodies),
      cmocka_unit_test(in_heads),
      cmocka_unit_test(in_functions),
      cmocka_unit_test(in_variables),
      cmocka_unit_test(shared_apart),
      cmocka_unit_test(none_is_good),
      cmocka_unit_test(syntax_of_tomorrow),
      cmocka_unit_test(of_the_file),
      cmocka_unit_test(base_names),
      cmocka_unit_test(by_base_name),
      cmocka_unit_test(launches_by_base_name),
      cmocka_unit_test(formats),
      cmocka_unit_test(order),
      cmocka_unit_test(calls),
      cmocka_unit_test(bounded),
      cmocka_unit_test(bad_pointers),
      cmocka_unit_test(faults),
      cmocka_unit_test(registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

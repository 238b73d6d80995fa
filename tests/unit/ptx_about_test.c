/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_about: what `regtwin list ptx` and docs/reference/ptx.md say of the reader holds. Each instruction of its tables is tried with each of
 * its types, by statements that are made from the table, or that are written here for those of a form of their own: one form at
 * least is read, and is executed by a warp; with every other type each form is refused. A new instruction without an
 * example fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/exec.h"
#include "compiler/ptx/about.h"
#include "compiler/ptx/ptx.h"
#include "compiler/ptx/rules.h"
#include "compiler/regalloc/regalloc.h"

enum { TEXT = 1 << 14 };

/* Registers %u32_0 to %u32_7 and so on of every type that a register can have; %b64_7: a buffer; sh: shared memory. */
static const char *head(void) {
  static char text[TEXT];
  if (text[0]) return text;
  char *p = text;
  p += sprintf(
      p,
      ".version 8.0\n.target sm_90\n.address_size 64\n.global .texref tx;\n.global .surfref sf;\n"
      ".func (.param .b32 y) fn(.param .b32 x) { .reg .b32 %%r; ld.param.b32 %%r, [x]; st.param.b32 [y], %%r; ret; }\n"
      ".entry k(.param .u64 buf) {\n.shared .align 16 .b8 sh[8192];\n");
  for (unsigned t = T_PRED; t < T_COUNT; t++)
    if (t == T_PRED || (type_bits((enum dtype)t) >= 16 && t != T_BF16 && t != T_BF16X2 && t != T_TF32))
      p += sprintf(p, ".reg %s %%%s_<16>;\n", type_text((enum dtype)t), type_text((enum dtype)t) + 1);
  sprintf(p, "ld.param.b64 %%b64_7, [buf];\n");
  return text;
}

/* A register for an operand of this type. */
static const char *reg(unsigned type, unsigned number) {
  static char text[8][32];
  static unsigned next;
  char *to = text[next++ % 8];
  const unsigned bits = type_bits((enum dtype)type);
  const char *name = type == T_PRED  ? "pred"
                     : type == T_F32 ? "f32"
                     : type == T_F64 ? "f64"
                     : type == T_F16 ? "f16"
                     : bits == 64    ? "b64"
                     : bits == 16    ? "b16"
                                     : "b32";
  sprintf(to, "%%%s_%u", name, number);
  return to;
}

enum result { REFUSED_IT, READ, RAN };

/* Reads a kernel of this statement, and executes it. */
static enum result try_it(const char *statement, bool run, struct err *why) {
  static char text[2 * TEXT];
  struct err e = {0};
  const int n = snprintf(text, sizeof text, "%s%s\nret;\n}\n", head(), statement);
  struct module *m = ptx_parse("t.ptx", text, (size_t)n, &e);
  if (!m || !m->nkernel || !alloc_kernel(m, &m->kernel[0], 0, &e)) {
    if (why) *why = m && m->refused ? m->refused->why : e;
    module_free(m);
    return REFUSED_IT;
  }
  enum result got = READ;
  if (run) {
    struct memory *mem = memory_new(m);
    const uint64_t param = memory_alloc(mem, "buf", 8192);
    struct launch l = {.module = m, .code = &m->kernel[0], .mem = mem, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    l.param = (const uint8_t *)&param;
    if (exec_run(&l, 1, NULL, &e)) got = RAN;
    else if (why) *why = e;
    memory_free(mem);
  }
  module_free(m);
  return got;
}

/* ---- statements made from the table ---- */

static unsigned wider(unsigned t) { return t == T_U16 ? T_U32 : t == T_S16 ? T_S32 : t == T_U32 ? T_U64 : T_S64; }
static unsigned in_register(unsigned t) { return type_bits((enum dtype)t) == 8 ? T_U32 : t; }

static void operands(char *p, const struct rule *r, unsigned t0, unsigned t1, bool wide) {
  const char *sig = r->sig;
  if (r->op == OP_CVT && (t0 == T_F16X2 || t0 == T_BF16X2)) sig = "Xxx";
  for (unsigned k = 0; sig[k]; k++) {
    p += sprintf(p, "%s", k ? ", " : " ");
    switch (sig[k]) {
      case 'T':
      case 't': p += sprintf(p, "%s", reg(t0, k)); break;
      case 's': p += sprintf(p, "%s", reg(t1, k)); break;
      case 'X': p += sprintf(p, "%s", reg(in_register(t0), k)); break;
      case 'x': p += sprintf(p, "%s", reg(in_register(t1), k)); break;
      case 'W':
      case 'w': p += sprintf(p, "%s", reg(wide ? wider(t0) : t0, k)); break;
      case 'P':
      case 'Q':
      case 'p': p += sprintf(p, "%s", reg(T_PRED, k)); break;
      case 'l': p += sprintf(p, "%s", reg(T_B64, k)); break;
      case 'i': p += sprintf(p, "3"); break;
      default: p += sprintf(p, "%s", reg(T_B32, k)); break;
    }
  }
  sprintf(p, ";");
}

/* Words of the groups that are needed, one of each, and of at most two others: number `form`; false: there are fewer. */
struct words {
  const struct word *word[16];
  unsigned n;
};
static struct words forms[20000];
static unsigned nforms;

static void add_forms(const struct rule *r, unsigned group, struct words f, unsigned optional) {
  if (group == G_COUNT) {
    assert_true(nforms < sizeof forms / sizeof *forms);
    forms[nforms++] = f;
    return;
  }
  const bool there = r->groups >> group & 1, needed = r->need >> group & 1;
  if (!there || !needed) add_forms(r, group + 1, f, optional);
  if (!there || (!needed && !optional)) return;
  const struct word *w;
  for (unsigned k = 0; (w = word_at(k)); k++) {
    if (w->group != group) continue;
    struct words g = f;
    g.word[g.n++] = w;
    add_forms(r, group + 1, g, optional - !needed);
  }
}

static bool made(const struct rule *r, unsigned t0, unsigned t1, bool run, struct err *why) {
  struct err first = {0};
  for (unsigned k = 0; k < nforms; k++) {
    char text[512], *p = text;
    bool wide = false;
    p += sprintf(p, "%s", r->name);
    for (unsigned i = 0; i < forms[k].n; i++) {
      p += sprintf(p, ".%s", forms[k].word[i]->text);
      wide |= !strcmp(forms[k].word[i]->text, "wide");
    }
    if (t0) p += sprintf(p, "%s", type_text((enum dtype)t0));
    if (t1) p += sprintf(p, "%s", type_text((enum dtype)t1));
    for (unsigned t = 1; t < T_COUNT; t++)
      if (r->t2 >> t & 1) p += sprintf(p, "%s", type_text((enum dtype)t));
    operands(p, r, t0, t1, wide);
    const enum result got = try_it(text, run, why);
    if (got == RAN || (got == READ && !run)) return true;
    if (got == READ) fail_msg("%s: %s", text, why->text);
    if (!k) first = *why;
  }
  *why = first;
  return false;
}

/* ---- written here: $ is the type, & a register of it, ~ one of twice two ---- */

static const struct example {
  const char *name;
  const char *text[8];
  bool only_read; /* it ends the launch, or needs what no launch here has */
} examples[] = {
    {"atom",
     {"atom.shared.add$ &0, [sh], &1;", "atom.shared.exch$ &0, [sh], &1;", "atom.shared.add.noftz$ &0, [sh], &1;",
      "atom.shared.min$ &0, [sh], &1;", "atom.shared.cas$ &0, [sh], &1, &2;"},
     false},
    {"red",
     {"red.shared.add$ [sh], &1;", "red.shared.or$ [sh], &1;", "red.shared.add.noftz$ [sh], &1;",
      "red.shared.max$ [sh], &1;"},
     false},
    {"bar", {"bar.red.popc$ %b32_0, 0, %pred_1;", "bar.red.and$ %pred_0, 0, %pred_1;", "bar.sync 0;"}, false},
    {"barrier",
     {"barrier.red.popc$ %b32_0, 0, %pred_1;", "barrier.red.or.aligned$ %pred_0, 0, %pred_1;", "barrier.sync 0;"},
     false},
    {"bra", {"bra L; L:"}, false},
    {"brx", {"t: .branchtargets L; brx.idx %b32_0, t; L:"}, false},
    {"call",
     {".param .b32 a; .param .b32 b; st.param.b32 [a], %b32_0; call (b), fn, (a); ld.param.b32 %b32_1, [b];"},
     false},
    {"cp",
     {"mbarrier.init.shared.b64 [sh], 32; cp.async.mbarrier.arrive.noinc.shared$ [sh];",
      "cp.async.ca.shared.global [sh], [%b64_7], 4;"},
     false},
    {"exit", {"exit;"}, false},
    {"fence", {"fence.acq_rel.gpu;"}, false},
    {"istypep", {"istypep.texref %pred_0, %b64_0;"}, false},
    {"ld", {"ld.shared$ &0, [sh];"}, false},
    {"ldu", {"ldu.global$ &0, [%b64_7];"}, false},
    {"ldmatrix", {"ldmatrix.sync.aligned.m8n8.x1.shared$ {%b32_0}, [sh];"}, false},
    {"match", {"match.any.sync$ %b32_0, &1, -1;"}, false},
    {"mbarrier", {"mbarrier.init.shared$ [sh], 32; mbarrier.arrive.shared$ &0, [sh];"}, false},
    {"membar", {"membar.gl;"}, false},
    {"mma",
     {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%b32_0,%b32_1}, {%b32_2,%b32_3}, {%b32_4}, {%b32_5,%b32_6};",
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f32_0,%f32_1,%f32_2,%f32_3}, {%b32_2,%b32_3}, {%b32_4}, "
      "{%f32_0,%f32_1,%f32_2,%f32_3};",
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f32_0,%f32_1,%f32_2,%f32_3}, {%b32_2,%b32_3}, {%b32_4}, "
      "{%f32_0,%f32_1,%f32_2,%f32_3};",
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f64_0,%f64_1}, {%f64_2}, {%f64_3}, {%f64_4,%f64_5};",
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%b32_0,%b32_1}, {%b32_2}, {%b32_3}, {%b32_4,%b32_5};",
      "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {%b32_0,%b32_1}, {%b32_2}, {%b32_3}, {%b32_4,%b32_5};",
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%b32_0,%b32_1}, {%b32_2}, {%b32_3}, {%b32_4,%b32_5};"},
     false},
    {"mov", {"mov$ &0, &1;"}, false},
    {"prefetch", {"prefetch.global.L2 [%b64_7];"}, false},
    {"prefetchu", {"prefetchu.L1 [%b64_7];"}, false},
    {"ret", {"ret;"}, false},
    {"shfl", {"shfl.sync.idx$ &0, &1, 0, 31, -1;"}, false},
    {"st", {"st.shared$ [sh], &0;"}, false},
    {"suld", {"suld.b.1d$.trap &0, [sf, {%b32_1}];"}, true},
    {"sust", {"sust.b.1d$.trap [sf, {%b32_1}], &0;", "sust.p.1d$.trap [sf, {%b32_1}], &0;"}, true},
    {"suq", {"suq.width$ &0, [sf];"}, true},
    {"tex",
     {"tex.2d.v4$.f32 {&0,&1,&2,&3}, [tx, {%f32_0,%f32_1}];", "tex.1d.v4$.s32 {&0,&1,&2,&3}, [tx, {%b32_9}];",
      "tex.2d.v2$.f32 {&0,&1}, [tx, {%f32_0,%f32_1}];"},
     true},
    {"tld4", {"tld4.r.2d.v4$.f32 {&0,&1,&2,&3}, [tx, {%f32_0,%f32_1}];"}, true},
    {"txq", {"txq.width$ &0, [tx];"}, true},
    {"trap", {"trap;"}, true},
    {"brkpt", {"brkpt;"}, true},
    {"wmma",
     {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%b32_0,%b32_1,%b32_2,%b32_3,%b32_4,%b32_5,%b32_6,%b32_7}, "
      "[sh]; wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 "
      "{%f32_0,%f32_1,%f32_2,%f32_3,%f32_4,%f32_5,%f32_6,%f32_7}, [sh];",
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%b32_0,%b32_1,%b32_2,%b32_3}, [sh]; "
      "wmma.load.a.sync.aligned.row.m16n16k8.shared.tf32 {%b32_0,%b32_1,%b32_2,%b32_3}, [sh];",
      "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%f64_0}, [sh];",
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%b32_0,%b32_1}, [sh]; "
      "wmma.load.b.sync.aligned.col.m16n16k16.shared.u8 {%b32_0,%b32_1}, [sh]; "
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.s32 {%b32_0,%b32_1,%b32_2,%b32_3,%b32_4,%b32_5,%b32_6,%b32_7}, "
      "[sh];",
      "wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%b32_0}, [sh]; wmma.load.b.sync.aligned.col.m8n8k32.shared.u4 "
      "{%b32_0}, [sh];",
      "wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%b32_0}, [sh];",
      "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%f64_0,%f64_1}, {%f64_2}, {%f64_3}, {%f64_4,%f64_5};"},
     false},
    {"vabsdiff4",
     {"vabsdiff4$.u32.s32 %b32_0, %b32_1, %b32_2, %b32_3;",
      "vabsdiff4.u32$.u32.add %b32_0.b20, %b32_1, %b32_2.b0246, %b32_3;"},
     false},
    {"vote", {"vote.sync.any$ &0, &1, -1;", "vote.sync.ballot$ &0, %pred_1, -1;"}, false},
};

static const struct example *example_of(const char *name) {
  for (unsigned k = 0; k < sizeof examples / sizeof *examples; k++)
    if (!strcmp(examples[k].name, name)) return &examples[k];
  return NULL;
}

static void fill(char *to, const char *from, unsigned type) {
  for (; *from; from++) {
    if (*from == '$') to += sprintf(to, "%s", type ? type_text((enum dtype)type) : "");
    else if (*from == '&') to += sprintf(to, "%s", reg(in_register(type), (unsigned)(*++from - '0')));
    else *to++ = *from;
  }
  *to = 0;
}

static bool written(const struct example *x, unsigned type, bool run, struct err *why) {
  struct err first = {0};
  for (unsigned k = 0; k < 8 && x->text[k]; k++) {
    char text[1024];
    if (!strchr(x->text[k], '$') == (type != T_NONE)) continue;
    fill(text, x->text[k], type);
    const enum result got = try_it(text, run, why);
    if (got == RAN || (got == READ && !run)) return true;
    if (got == READ) fail_msg("%s: %s", text, why->text);
    if (!first.set) first = *why;
  }
  *why = first;
  return false;
}

/* Do examples without a place for the type name it, and are they read? */
static bool named(const struct example *x, unsigned type, bool run, struct err *why) {
  for (unsigned k = 0; k < 8 && x->text[k]; k++) {
    char dotted[16];
    const char *name = type_text((enum dtype)type), *at = strstr(x->text[k], name);
    sprintf(dotted, "%s", name);
    if (!at || strchr(x->text[k], '$') || (at[strlen(name)] != '.' && at[strlen(name)] != ' ')) continue;
    const enum result got = try_it(x->text[k], run, why);
    if (got == (run ? RAN : READ)) return true;
    fail_msg("%s: %s", x->text[k], why->text);
  }
  return false;
}

static bool whole_statements(const struct example *x) {
  for (unsigned k = 0; k < 8 && x->text[k]; k++)
    if (strchr(x->text[k], '$')) return false;
  return true;
}

/* ---- the tests ---- */

static void by_example(const struct rule *r) {
  const struct example *x = example_of(r->name);
  struct err why = {0};
  if (!x) fail_msg("found no example of '%s' here, expected one", r->name);
  if (!r->t0) {
    if (!written(x, T_NONE, !x->only_read, &why)) fail_msg("%s: %s", r->name, why.text);
    return;
  }
  for (unsigned k = 0; !whole_statements(x) && k < 8 && x->text[k]; k++)
    if (!strchr(x->text[k], '$') && try_it(x->text[k], !x->only_read, &why) != (x->only_read ? READ : RAN))
      fail_msg("%s: %s", x->text[k], why.text);
  for (unsigned t = 1; t < T_COUNT; t++) {
    const bool in = (r->t0 | r->t1) >> t & 1;
    const bool got = whole_statements(x) ? named(x, t, !x->only_read, &why) : written(x, t, in && !x->only_read, &why);
    if (in && !got && !((r->t1 >> t & 1) && !(r->t0 >> t & 1)))
      fail_msg("%s%s is in the table, but is refused: %s", r->name, type_text((enum dtype)t), why.text);
    if (!(r->t0 >> t & 1) && got && !whole_statements(x))
      fail_msg("%s%s is read, but is not in the table", r->name, type_text((enum dtype)t));
  }
}

static bool some_second(const struct rule *r, unsigned t0, unsigned only, bool run, struct err *why) {
  for (unsigned t = 1; t < T_COUNT; t++)
    if (r->t1 >> t & 1 && (!only || t == only) && made(r, t0, t, run, why)) return true;
  return false;
}

static void by_table(const struct rule *r) {
  struct err why = {0};
  const bool run = r->op != OP_TRAP;
  nforms = 0;
  add_forms(r, 0, (struct words){.n = 0}, 2);
  if (!r->t0 && !made(r, T_NONE, T_NONE, run, &why)) fail_msg("%s: %s", r->name, why.text);
  for (unsigned t = 1; r->t0 && t < T_COUNT; t++) {
    const bool in = r->t0 >> t & 1;
    const bool got = r->t1 ? some_second(r, t, 0, in && run, &why) : made(r, t, T_NONE, in && run, &why);
    if (in && !got) fail_msg("%s%s is in the table, but is refused: %s", r->name, type_text((enum dtype)t), why.text);
    if (!in && got) fail_msg("%s%s is read, but is not in the table", r->name, type_text((enum dtype)t));
  }
  for (unsigned t = 1; r->t1 && t < T_COUNT; t++) {
    bool got = false;
    for (unsigned u = 1; !got && u < T_COUNT; u++) got = r->t0 >> u & 1 && some_second(r, u, t, false, &why);
    if (got != (r->t1 >> t & 1))
      fail_msg("%s: second type %s is %s", r->name, type_text((enum dtype)t), got ? "not in the table" : "refused");
  }
}

static void each(void **state) {
  (void)state;
  const struct rule *r;
  for (unsigned k = 0; (r = rule_at(k)); k++) {
    if (r->sig[0] && r->form == FORM_ALU) by_table(r);
    else by_example(r);
  }
}

static void refused(void **state) {
  (void)state;
  const char *name, *what;
  for (unsigned k = 0; ptx_refusal(k, &name, &what); k++) {
    char text[128];
    struct err why = {0};
    sprintf(text, "%s.b32 %%b32_0, %%b32_1;", name);
    assert_int_equal(try_it(text, false, &why), REFUSED_IT);
    if (!strstr(why.text, what)) fail_msg("%s: found: %s; expected: %s", name, why.text, what);
  }
}

/* The rows have each type of each rule once, and say which unit. */
static void rows(void **state) {
  (void)state;
  struct ptx_row row;
  const struct rule *r;
  unsigned k = 0;
  for (unsigned n = 0; (r = rule_at(n)); n++) {
    char all[512] = "", want[256];
    do {
      assert_true(ptx_row(k++, &row));
      assert_string_equal(row.name, r->name);
      assert_true(row.unit[0]);
      strcat(all, row.types);
      strcat(all, " ");
      struct ptx_row next;
      if (!ptx_row(k, &next) || strcmp(next.name, r->name) || !r->t0) break;
    } while (true);
    uint32_t types = r->t0; /* of all rules of the name */
    for (const struct rule *next; (next = rule_at(n + 1)) && !strcmp(next->name, r->name); n++) types |= next->t0;
    list_types(types, want, sizeof want);
    for (char *t = strtok(want, ", "); t; t = strtok(NULL, ", ")) {
      const char *at = strstr(all, t);
      while (at && at[strlen(t)] != ',' && at[strlen(t)] != ' ') at = strstr(at + 1, t);
      if (!at) fail_msg("%s: no row has %s, found %s", r->name, t, all);
    }
  }
  assert_false(ptx_row(k, &row));
}

/* What the tables of timing say, by name. */
static void units(void **state) {
  (void)state;
  static const char *const of[][3] = {
      {"add", ".f64", "dp"},       {"add", ".u32", "int"},   {"mul", ".f16", "sp"},   {"mad", ".s32", "imul"},
      {"div", ".f32", "sfu, div"}, {"sqrt", ".f64", "div"},  {"sin", ".f32", "sfu"},  {"ld", ".b8", "lsu"},
      {"mbarrier", ".b64", "lsu"}, {"rsqrt", ".f64", "div"}, {"vote", ".b32", "int"}, {"vabsdiff4", ".u32", "int"},
      {"cvt.pack", ".u2", "int"},  {"cvta", ".u64", "int"}};
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
    struct ptx_row row = {.name = ""};
    bool found = false;
    for (unsigned n = 0; !found && ptx_row(n, &row); n++)
      found = !strcmp(row.name, of[k][0]) && strstr(row.types, of[k][1]);
    if (!found || strcmp(row.unit, of[k][2]))
      fail_msg("%s%s: found unit %s, expected %s", of[k][0], of[k][1], row.unit, of[k][2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each), cmocka_unit_test(refused), cmocka_unit_test(rows),
                                     cmocka_unit_test(units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

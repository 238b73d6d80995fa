/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma: load, product and store of every type and shape, with rows and columns, with and without a stride, in global, shared
 * and generic memory, against products of matrices in plain C. Only matrices are compared, which says nothing of where a
 * fragment's elements stand: PTX leaves that open.
 */
#include "sampled.h"
#include "tensor_kit.h"

enum type { F16, BF16, TF32, F32, S32, F64, S8, U8, S4, U4, B1, TYPES };
static const char *const names[TYPES] = {"f16", "bf16", "tf32", "f32", "s32", "f64", "s8", "u8", "s4", "u4", "b1"};
static const unsigned bits[TYPES] = {16, 16, 32, 32, 32, 64, 8, 8, 4, 4, 1};

struct shape {
  const char *name;
  unsigned m, n, k;
};
static const struct shape shapes[] = {
    {"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}, {"m16n16k8", 16, 16, 8},
    {"m8n8k4", 8, 8, 4},       {"m8n8k32", 8, 8, 32},   {"m8n8k128", 8, 8, 128},
};

/* A, B, C begin at these words of the input; D at word 0 of the output. */
enum { AT_A = 0, AT_B = 1024, AT_C = 2048 };

static uint64_t get(const uint32_t *words, enum type t, unsigned i) {
  const uint64_t at = (uint64_t)i * bits[t];
  uint64_t v = words[at / 32] >> at % 32;
  if (t == F64) v |= (uint64_t)words[at / 32 + 1] << 32;
  return t == F64 ? v : v & ((1ull << bits[t]) - 1);
}

static double value(enum type t, uint64_t e) {
  switch (t) {
    case F16: {
      const unsigned x = e >> 10 & 31, m = e & 1023;
      const double v = x == 0 ? ldexp(m, -24) : x == 31 ? (m ? NAN : INFINITY) : ldexp(m + 1024, (int)x - 25);
      return e & 0x8000 ? -v : v;
    }
    case BF16:
    case TF32:
    case F32: {
      const uint32_t b = (uint32_t)(t == BF16 ? e << 16 : t == TF32 ? e & ~0x1fffull : e);
      float x;
      memcpy(&x, &b, 4);
      return x;
    }
    case F64: {
      double x;
      memcpy(&x, &e, 8);
      return x;
    }
    case S32: return (int32_t)e;
    case S8: return (int8_t)e;
    case S4: return e & 8 ? (double)e - 16 : (double)e;
    default: return (double)e;
  }
}

static uint32_t f16_of(float x) {
  const uint32_t sign = signbit(x) ? 0x8000 : 0;
  const double a = fabs((double)x);
  uint32_t lo = 0, hi = 0x7c00;
  while (hi - lo > 1) {
    const uint32_t mid = (lo + hi) / 2;
    if (value(F16, mid) <= a) lo = mid;
    else hi = mid;
  }
  const double below = a - value(F16, lo), above = (hi == 0x7c00 ? 65536.0 : value(F16, hi)) - a;
  return sign | (below < above ? lo : above < below ? hi : lo & 1 ? hi : lo);
}

/* A word of random elements; floats of about 1, so that sums round. */
static uint32_t random_word(enum type t) {
  const uint32_t r = random32();
  switch (t) {
    case F16: return (r & 0x83ff83ff) | (12 + random32() % 6) << 10 | (12 + random32() % 6) << 26;
    case BF16: return (r & 0x807f807f) | (124 + random32() % 6) << 7 | (124 + random32() % 6) << 23;
    case TF32:
    case F32: return (r & 0x807fffff) | (124 + random32() % 6) << 23;
    case S32: return r % 4 == 0 ? (r & 4 ? 0x7fffffff : 0x80000000) : r;
    default: return r;
  }
}

struct form {
  const struct shape *s;
  enum type in, c, d;
  bool a_col, b_col, c_col, d_col;
  const char *space; /* "", ".global", ".shared" */
  unsigned wider;    /* elements that a stride has beyond the matrix; 0: no stride is given */
  bool stride_register;
  const char *mods, *ops; /* of the product: satfinite or a rounding; .xor.popc */
  const char *between;    /* what is done to the fragments of A and B; scales both by 2 */
};

static unsigned stride(const struct form *f, unsigned rows, unsigned cols, bool col) {
  return (col ? rows : cols) + f->wider;
}

static uint64_t at(const uint32_t *words, enum type t, unsigned row, unsigned col, unsigned stride, bool is_col) {
  return get(words, t, is_col ? col * stride + row : row * stride + col);
}

static unsigned registers(const struct form *f, char which) {
  const enum type t = which == 'c' ? f->c : which == 'd' ? f->d : f->in;
  const unsigned n = which == 'a' ? f->s->m * f->s->k : which == 'b' ? f->s->k * f->s->n : f->s->m * f->s->n;
  if (which <= 'b' && t == F16) return 8;
  return t == F64 ? n / 32 : n * bits[t] / 1024;
}

static void vector(char **p, const struct form *f, char which) {
  const unsigned n = registers(f, which);
  text_put(p, "{");
  for (unsigned k = 0; k < n; k++) text_put(p, "%s%%%c%c%u", k ? "," : "", which, f->in == F64 ? 'd' : 'r', k);
  text_put(p, "}");
}

static void access(char **p, const struct form *f, const char *op, char which, bool col, unsigned rows, unsigned cols,
                   unsigned offset) {
  const enum type t = which == 'c' ? f->c : which == 'd' ? f->d : f->in;
  const bool shared = !strcmp(f->space, ".shared"), out = which == 'd';
  const unsigned s = stride(f, rows, cols, col);
  if (f->stride_register) text_put(p, "mov.u32 %%r5, %u; add.u32 %%r5, %%r5, %%r6;\n", s);
  text_put(p, "wmma.%s.%c.sync.aligned.%s.%s%s.%s ", op, which, col ? "col" : "row", f->s->name, f->space, names[t]);
  if (!out) vector(p, f, which), text_put(p, ", ");
  if (shared) text_put(p, out ? "[out_s]" : "[%%r7+%u]", offset);
  else text_put(p, out ? "[%%d5]" : "[%%d4+%u]", offset);
  if (out) text_put(p, ", "), vector(p, f, which);
  if (f->wider) text_put(p, f->stride_register ? ", %%r5" : ", %u", s);
  text_put(p, ";\n");
}

static void kernel(const struct form *f, char *text) {
  const struct shape *s = f->s;
  char *p = text;
  const bool shared = !strcmp(f->space, ".shared");
  text_put(&p, "%s.shared .align 32 .b8 in_s[16384]; .shared .align 32 .b8 out_s[16384];\n", KERNEL);
  text_put(&p, ".reg .b32 %%ar<8>; .reg .b32 %%br<8>; .reg .b32 %%cr<8>; .reg .b32 %%dr<8>;\n");
  text_put(&p, ".reg .f64 %%ad<8>; .reg .f64 %%bd<8>; .reg .f64 %%cd<8>; .reg .f64 %%dd<8>;\n");
  text_put(&p, "ld.param.u64 %%d4, [in]; ld.param.u64 %%d5, [out]; mov.u32 %%r6, %%ctaid.x; mov.u32 %%r7, in_s;\n");
  if (shared) { /* 32 lanes copy all words there */
    text_put(&p, "mov.u32 %%r8, %%r0; shl.b32 %%r9, %%r0, 2; add.u32 %%r9, %%r9, %%r7; mov.b64 %%d6, %%d1;\n");
    text_put(&p, "L: ld.global.b32 %%r10, [%%d6]; st.shared.b32 [%%r9], %%r10; add.u32 %%r9, %%r9, 128;\n");
    text_put(&p, "add.u64 %%d6, %%d6, 128; add.u32 %%r8, %%r8, 32; setp.lt.u32 %%p1, %%r8, 4096; @%%p1 bra L;\n");
  }
  access(&p, f, "load", 'a', f->a_col, s->m, s->k, 4 * AT_A);
  access(&p, f, "load", 'b', f->b_col, s->k, s->n, 4 * AT_B);
  access(&p, f, "load", 'c', f->c_col, s->m, s->n, 4 * AT_C);
  if (f->between)
    for (unsigned k = 0; k < 8; k++) {
      if (k < registers(f, 'a')) text_put(&p, f->between, 'a', k, 'a', k, 'a', k);
      if (k < registers(f, 'b')) text_put(&p, f->between, 'b', k, 'b', k, 'b', k);
    }
  text_put(&p, "wmma.mma%s.sync.aligned.%s.%s.%s%s.%s", f->ops, f->a_col ? "col" : "row", f->b_col ? "col" : "row",
           s->name, f->in == F64 ? f->mods : "", names[f->d]);
  if (f->in != F16) text_put(&p, ".%s.%s", names[f->in], names[f->in]);
  text_put(&p, ".%s%s ", names[f->c], f->in == F64 ? "" : f->mods);
  for (const char *w = "dabc"; *w; w++) vector(&p, f, *w), text_put(&p, *w == 'c' ? ";\n" : ", ");
  access(&p, f, "store", 'd', f->d_col, s->m, s->n, 0);
  if (shared) {
    text_put(&p, "mov.u32 %%r8, %%r0; mov.u32 %%r9, out_s; shl.b32 %%r11, %%r0, 2; add.u32 %%r9, %%r9, %%r11;\n");
    text_put(&p, "M: ld.shared.b32 %%r10, [%%r9]; st.global.b32 [%%d2], %%r10; add.u32 %%r9, %%r9, 128;\n");
    text_put(&p, "add.u64 %%d2, %%d2, 128; add.u32 %%r8, %%r8, 32; setp.lt.u32 %%p1, %%r8, 4096; @%%p1 bra M;\n");
  }
  text_put(&p, "ret; }\n");
}

static uint64_t want(const struct form *f, const struct bench *x, unsigned row, unsigned col) {
  const struct shape *s = f->s;
  const double scale = f->between ? 2 : 1;
  const unsigned sa = stride(f, s->m, s->k, f->a_col), sb = stride(f, s->k, s->n, f->b_col),
                 sc = stride(f, s->m, s->n, f->c_col);
  const double c = value(f->c, at(x->in + AT_C, f->c, row, col, sc, f->c_col));
  double wide = c;
  float single = (float)c;
  for (unsigned k = 0; k < s->k; k++) {
    const double a = scale * value(f->in, at(x->in + AT_A, f->in, row, k, sa, f->a_col));
    const double b = scale * value(f->in, at(x->in + AT_B, f->in, k, col, sb, f->b_col));
    if (f->in == B1) wide += strstr(f->ops, "and") ? a * b : a != b; /* integers: exact in a double */
    else wide = f->in == F64 ? fma(a, b, wide) : wide + a * b;
    single = fmaf((float)a, (float)b, single);
  }
  uint64_t out = 0;
  if (f->d == F64) memcpy(&out, &wide, 8);
  else if (f->d == F32) memcpy(&out, &single, 4);
  else if (f->d == F16) out = f16_of(single);
  else if (strstr(f->mods, "sat"))
    out = (uint32_t)(int32_t)(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
  else out = (uint32_t)(int64_t)wide;
  return out;
}

static void one(const struct form *f, struct bench *x) {
  static char text[16384];
  for (unsigned k = 0; k < IN; k++) x->in[k] = random_word(k < AT_C ? f->in : f->c);
  if (f->in == F64)
    for (unsigned k = 1; k < IN; k += 2) x->in[k] = (x->in[k] & 0x800fffff) | (1020 + random32() % 6) << 20;
  kernel(f, text);
  run(text, x, 32);
  const unsigned sd = stride(f, f->s->m, f->s->n, f->d_col);
  for (unsigned row = 0; row < f->s->m; row++)
    for (unsigned col = 0; col < f->s->n; col++) {
      const uint64_t found = at(x->out, f->d, row, col, sd, f->d_col), expected = want(f, x, row, col);
      if (found != expected)
        fail_msg("row %u column %u: found 0x%llx, expected 0x%llx\n%s", row, col, (unsigned long long)found,
                 (unsigned long long)expected, text);
    }
  /* nothing is written between the rows or columns */
  const unsigned lines = f->d_col ? f->s->n : f->s->m, length = sd - f->wider;
  for (unsigned k = 0; k < lines * sd; k++)
    if (k % sd >= length && get(x->out, f->d, k)) fail_msg("element %u beyond the matrix was written\n%s", k, text);
}

/* Every layout, space and stride of one type and shape. */
static void all_of(struct form f, struct bench *x) {
  static const char *const spaces[] = {"", ".global", ".shared"};
  const bool fixed = f.in == S4 || f.in == U4 || f.in == B1;
  const unsigned pad = f.in == B1 ? 128 : f.in == S4 || f.in == U4 ? 32 : 16;
  for (unsigned k = 0; k < 16; k++) {
    f.a_col = !fixed && k & 1;
    f.b_col = fixed || k & 2;
    f.c_col = k & 4;
    f.d_col = k & 8;
    f.space = spaces[k % 3];
    f.wider = k % 4 == 3 ? 0 : pad;
    f.stride_register = k % 2;
    one(&f, x);
  }
}

static void values(void **state) {
  (void)state;
  struct bench *x = calloc(1, sizeof *x);
  for (unsigned k = 0; k < 3; k++) {
    const struct shape *s = &shapes[k];
    for (unsigned t = 0; t < 4; t++)
      if (sampled(k + t))
        all_of((struct form){.s = s, .in = F16, .c = t & 1 ? F16 : F32, .d = t & 2 ? F16 : F32, .mods = "", .ops = ""},
               x);
    all_of((struct form){.s = s, .in = BF16, .c = F32, .d = F32, .mods = "", .ops = ""}, x);
    all_of((struct form){.s = s, .in = S8, .c = S32, .d = S32, .mods = "", .ops = ""}, x);
    all_of((struct form){.s = s, .in = U8, .c = S32, .d = S32, .mods = ".satfinite", .ops = ""}, x);
  }
  all_of((struct form){.s = &shapes[3], .in = TF32, .c = F32, .d = F32, .mods = "", .ops = ""}, x);
  all_of((struct form){.s = &shapes[4], .in = F64, .c = F64, .d = F64, .mods = "", .ops = ""}, x);
  all_of((struct form){.s = &shapes[4], .in = F64, .c = F64, .d = F64, .mods = ".rn", .ops = ""}, x);
  all_of((struct form){.s = &shapes[5], .in = S4, .c = S32, .d = S32, .mods = ".satfinite", .ops = ""}, x);
  all_of((struct form){.s = &shapes[5], .in = U4, .c = S32, .d = S32, .mods = "", .ops = ""}, x);
  all_of((struct form){.s = &shapes[6], .in = B1, .c = S32, .d = S32, .mods = "", .ops = ".xor.popc"}, x);
  all_of((struct form){.s = &shapes[6], .in = B1, .c = S32, .d = S32, .mods = "", .ops = ".and.popc"}, x);
  free(x);
}

/* What a program does to every register of a fragment it does to every element once, though f16's stand in two. */
static void elements(void **state) {
  (void)state;
  struct bench *x = calloc(1, sizeof *x);
  for (unsigned k = 0; k < 3; k++)
    all_of((struct form){.s = &shapes[k],
                         .in = F16,
                         .c = F32,
                         .d = F32,
                         .mods = "",
                         .ops = "",
                         .between = "add.f16x2 %%%cr%u, %%%cr%u, %%%cr%u;\n"},
           x);
  all_of((struct form){.s = &shapes[3],
                       .in = TF32,
                       .c = F32,
                       .d = F32,
                       .mods = "",
                       .ops = "",
                       .between = "add.f32 %%%cr%u, %%%cr%u, %%%cr%u;\n"},
         x);
  all_of((struct form){.s = &shapes[4],
                       .in = F64,
                       .c = F64,
                       .d = F64,
                       .mods = "",
                       .ops = "",
                       .between = "add.f64 %%%cd%u, %%%cd%u, %%%cd%u;\n"},
         x);
  free(x);
}

/* Loaded over its own address and stride. */
static void over_the_address(void **state) {
  (void)state;
  struct bench *x = calloc(1, sizeof *x);
  for (unsigned k = 0; k < 256; k++) x->in[k] = k;
  run(KERNEL
      "ld.param.u64 %d4, [in]; ld.param.u64 %d5, [out]; cvt.u32.u64 %r1, %d4; mov.u32 %r2, 16; add.u32 %r2, %r2, %r2;\n"
      "cvt.u32.u64 %r1, %d4; mov.u32 %r8, s; mov.u32 %r2, %r8; mov.u32 %r3, 16;\n"
      "shl.b32 %r9, %r0, 2; add.u32 %r9, %r9, %r8;\n"
      "ld.global.b32 %r10, [%d1]; st.shared.b32 [%r9], %r10; ld.global.b32 %r10, [%d1+128]; st.shared.b32 [%r9+128], "
      "%r10;\n"
      "ld.global.b32 %r10, [%d1+256]; st.shared.b32 [%r9+256], %r10; ld.global.b32 %r10, [%d1+384]; st.shared.b32 "
      "[%r9+384], %r10;\n"
      "wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {%r2,%r3,%r4,%r5}, [%r2], %r3;\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%d5], {%r2,%r3,%r4,%r5};\n"
      "ret; }\n",
      x, 32);
  for (unsigned row = 0; row < 16; row++)
    for (unsigned col = 0; col < 16; col++)
      assert_int_equal(get(x->out, F16, row * 16 + col), get(x->in, F16, col * 16 + row));
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),
      cmocka_unit_test(elements),
      cmocka_unit_test(over_the_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

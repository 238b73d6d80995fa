/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma_reference: every form of mma against unit/reference/mma.c, every register of every lane bit for bit: fragments of random matrices
 * are put where the PTX ISA says, multiplied, and compared with the fragments of the plain product. Whole numbers, whose sums
 * are exact in any order, show where elements are; any bits show the rule for sums. No other form is accepted. An order of k that
 * A and B have in common cannot be seen in integers.
 */
#include "unit/mma_kit.h"

enum { TILES = 24, FORMS = 128, WORDS = MREF_REGISTERS * MREF_LANES };

struct launch_param {
  uint64_t in, out;
};
static struct mref_form form[FORMS];
static unsigned forms;
static struct device_module *module;
static uint32_t in_at, out_at;

/* ---- the forms of docs/reference/tensor.md ---- */

static void add(struct mref_form f) {
  assert_true(forms < FORMS);
  form[forms++] = f;
}
static void add_type(unsigned m, unsigned k, enum mref_type a, enum mref_type c) {
  add((struct mref_form){m, 8, k, {a, a, c, c}, .round = FE_TONEAREST});
}
static void add_integers(unsigned m, unsigned k, enum mref_type is_signed) {
  for (unsigned s = 0; s < 8; s++) /* which of A, B is unsigned; .satfinite */
    add((struct mref_form){m, 8, k, {is_signed + (s & 1), is_signed + (s >> 1 & 1), M_S32, M_S32}, .saturate = s >> 2});
}
static void add_all(void) {
  static const unsigned rows[3] = {8, 16, 16}, depth[3] = {1, 1, 2};
  static const int round[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (unsigned k = 8; k <= 16; k += 8) {
    add_type(16, k, M_F16, M_F16);
    add_type(16, k, M_F16, M_F32);
    add_type(16, k, M_BF16, M_F32);
    add_type(16, k / 2, M_TF32, M_F32);
  }
  for (unsigned l = 0; l < 12; l++) /* layouts; types of C and D */
    add((struct mref_form){
        8, 8, 4, {M_F16, M_F16, l < 8 ? M_F16 : M_F32, l < 4 ? M_F16 : M_F32}, .a_col = l & 1, .b_row = l >> 1 & 1});
  for (unsigned s = 0; s < 3; s++) {
    add_integers(rows[s], 16 * depth[s], M_S8);
    add_integers(rows[s], 32 * depth[s], M_S4);
    for (unsigned o = 0; o < 2; o++)
      add((struct mref_form){rows[s], 8, 128 * depth[s], {M_B1, M_B1, M_S32, M_S32}, .and = o});
  }
  for (unsigned r = 0; r < 4; r++) {
    add((struct mref_form){8, 8, 4, {M_F64, M_F64, M_F64, M_F64}, .round = round[r]});
    for (unsigned k = 4; k <= 16; k *= 2)
      add((struct mref_form){16, 8, k, {M_F64, M_F64, M_F64, M_F64}, .round = round[r]});
  }
}

static void print_form(FILE *f, const struct mref_form *x) {
  fprintf(f, "mma.sync.aligned.m%un%uk%u.%s.%s%s%s.%s.%s.%s.%s", x->m, x->n, x->k, x->a_col ? "col" : "row",
          x->b_row ? "row" : "col", x->saturate ? ".satfinite" : "", rounding_name(x), mref_name(x->type[MREF_D]),
          mref_name(x->type[MREF_A]), mref_name(x->type[MREF_B]), mref_name(x->type[MREF_C]));
  if (x->type[MREF_A] == M_B1) fprintf(f, ".%s.popc", x->and ? "and" : "xor");
}

static const char *text_of(const struct mref_form *x) {
  static char text[128];
  FILE *f = fmemopen(text, sizeof text, "w");
  print_form(f, x);
  fclose(f);
  return text;
}

/* ---- the kernels ---- */

static unsigned register_bytes(const struct mref_form *f) { return f->type[MREF_D] == M_F64 ? 8 : 4; }

/* In a CTA's input register r of lane l stands at (r * 32 + l) words: A's, then B's and C's; its output likewise. */
static void print_kernel(FILE *f, unsigned n, unsigned variant) {
  const struct mref_form *x = &form[n];
  const unsigned bytes = register_bytes(x);
  const char d = home_of_d(x, variant);
  unsigned r = 0;
  fprintf(f, ".visible .entry f%u_%u(.param .u64 in, .param .u64 out) {\n", n, variant);
  fprintf(f, ".reg .b64 %%in, %%out, %%at; .reg .b32 %%i, %%l;\n");
  for (unsigned p = MREF_A; p <= MREF_D; p++)
    fprintf(f, ".reg .%s %%%c<%u>;\n", register_type(x->type[p]), 'a' + p, MREF_REGISTERS);
  fprintf(f, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%i, %%ctaid.x; mov.u32 %%l, %%tid.x;\n");
  fprintf(f, "mad.wide.u32 %%in, %%i, %u, %%in; mad.wide.u32 %%in, %%l, %u, %%in;\n", 3 * WORDS * bytes, bytes);
  fprintf(f, "mad.wide.u32 %%out, %%i, %u, %%out; mad.wide.u32 %%out, %%l, %u, %%out;\n", WORDS * bytes, bytes);
  for (unsigned p = MREF_A; p <= MREF_C; p++)
    for (unsigned k = 0; k < mref_registers(x, p); k++)
      fprintf(f, "ld.global.%s %%%c%u, [%%in + %u];\n", register_type(x->type[p]), 'a' + p, k,
              (r++ * MREF_LANES) * bytes);
  print_form(f, x);
  print_operands(f, d,
                 (unsigned[]){mref_registers(x, 0), mref_registers(x, 1), mref_registers(x, 2), mref_registers(x, 3)});
  for (unsigned k = 0; k < mref_registers(x, MREF_D); k++)
    fprintf(f, "st.global.%s [%%out + %u], %%%c%u;\n", register_type(x->type[MREF_D]), k * MREF_LANES * bytes, d, k);
  fprintf(f, "ret;\n}\n");
}

static void print_kernels(FILE *f) {
  for (unsigned x = 0; x < forms; x++)
    for (unsigned v = 0; v < HOMES; v++) print_kernel(f, x, v);
}

static int make_kernels(void **state) {
  add_all();
  module = mma_module(state, print_kernels);
  in_at = buffer(mma_device, TILES * 3 * WORDS * sizeof(uint64_t));
  out_at = buffer(mma_device, TILES * WORDS * sizeof(uint64_t));
  return 0;
}

/* ---- comparing ---- */

static mref_matrix matrix[TILES][MREF_PARTS][MREF_PRODUCTS];

static void put(const struct mref_form *x, unsigned tile) {
  const unsigned bytes = register_bytes(x);
  uint8_t *to = device_at(mma_device, in_at, TILES * 3 * WORDS * 8) + tile * 3 * WORDS * bytes;
  for (unsigned p = MREF_A; p <= MREF_C; p++) {
    mref_fragments r;
    mref_split(x, p, matrix[tile][p], r);
    for (unsigned k = 0; k < mref_registers(x, p); k++)
      for (unsigned l = 0; l < MREF_LANES; l++, to += bytes) memcpy(to, &r[l][k], bytes);
  }
}

static unsigned long compared;
static void compare(unsigned n, unsigned variant, unsigned tile) {
  const struct mref_form *x = &form[n];
  const unsigned bytes = register_bytes(x);
  const uint8_t *from = device_at(mma_device, out_at, TILES * WORDS * 8) + tile * WORDS * bytes;
  mref_fragments want;
  mref_split(x, MREF_D, matrix[tile][MREF_D], want);
  for (unsigned k = 0; k < mref_registers(x, MREF_D); k++)
    for (unsigned l = 0; l < MREF_LANES; l++, from += bytes, compared++) {
      uint64_t got = 0;
      memcpy(&got, from, bytes);
      if (got == want[l][k]) continue;
      fail_msg("%s, D in %%%c, tile %u, lane %u, register %u: found %0*llx, expected %0*llx (seed %d)", text_of(x),
               home_of_d(x, variant), tile, l, k, 2 * bytes, (unsigned long long)got, 2 * bytes,
               (unsigned long long)want[l][k], MMA_SEED);
    }
}

/* Draws the matrices of one form and their product into matrix[tile]. */
typedef void draw_fn(const struct mref_form *x, unsigned tile, unsigned product);

static void run_all(draw_fn *draw_product) {
  char name[32];
  for (unsigned n = 0; n < forms; n++) {
    for (unsigned t = 0; t < TILES; t++) {
      for (unsigned q = 0; q < mref_products(&form[n]); q++) draw_product(&form[n], t, q);
      put(&form[n], t);
    }
    for (unsigned v = 0; v < HOMES; v++) {
      if (v && home_of_d(&form[n], v) == 'd') continue;
      const struct launch_param p = {in_at, out_at};
      snprintf(name, sizeof name, "f%u_%u", n, v);
      mma_launch(module, name, TILES, &p, sizeof p, text_of(&form[n]));
      for (unsigned t = 0; t < TILES; t++) compare(n, v, t);
    }
  }
}

/* ---- the tests ---- */

static void parts_of(unsigned tile, unsigned product, uint64_t *m[MREF_PARTS]) {
  for (unsigned p = MREF_A; p <= MREF_D; p++) m[p] = matrix[tile][p][product];
}
static void draw_wholes(const struct mref_form *x, unsigned tile, unsigned product) {
  uint64_t *m[MREF_PARTS];
  parts_of(tile, product, m);
  draw_whole_product(x, m);
}
/* No sum of f64, whose sign of zero depends on the rounding, is 0 among numbers of this size. */
static void places(void **state) {
  (void)state;
  run_all(draw_wholes);
}

/* What the results of a type have been: all of it must occur. */
enum result { RESULT_NAN, RESULT_INFINITE, RESULT_ZERO, RESULT_SUBNORMAL, RESULT_NORMAL, RESULTS };
static enum result result_of(enum mref_type t, uint64_t bits) {
  const struct float_shape s = float_shape(t);
  const uint64_t fraction = bits & ((1ull << s.fraction) - 1), top = (1ull << s.exponent) - 1,
                 exponent = bits >> s.fraction & top;
  if (exponent == top) return fraction ? RESULT_NAN : RESULT_INFINITE;
  return exponent ? RESULT_NORMAL : fraction ? RESULT_SUBNORMAL : RESULT_ZERO;
}
static unsigned long floats[M_TYPES][RESULTS],
    limits[2]; /* of integers: sums that .satfinite limited, below and above */
static void draw_any(const struct mref_form *x, unsigned tile, unsigned product) {
  const enum mref_type t = x->type[MREF_D];
  uint64_t *m[MREF_PARTS];
  parts_of(tile, product, m);
  draw_any_product(x, tile % MAGNITUDES, m);
  for (unsigned e = 0; e < x->m * x->n; e++) {
    const uint64_t d = m[MREF_D][e];
    if (t != M_S32) floats[t][result_of(t, d)]++;
    if (x->saturate && (d == 0x80000000 || d == 0x7fffffff)) limits[d == 0x7fffffff]++;
  }
}
static void sums(void **state) {
  (void)state;
  static const enum mref_type type[] = {M_F16, M_F32, M_F64};
  run_all(draw_any);
  for (unsigned t = 0; t < 3; t++)
    for (unsigned r = 0; r < RESULTS; r++)
      if (floats[type[t]][r] < 50) fail_msg("%lu results of %s of kind %u", floats[type[t]][r], mref_name(type[t]), r);
  assert_true(limits[0] > 50 && limits[1] > 50);
}

/* ---- which forms there are ---- */

static bool has_form(const struct mref_form *x) {
  for (unsigned n = 0; n < forms; n++) {
    const struct mref_form *f = &form[n];
    if (f->m == x->m && f->k == x->k && !memcmp(f->type, x->type, sizeof f->type) && f->a_col == x->a_col &&
        f->b_row == x->b_row && f->saturate == x->saturate)
      return true;
  }
  return false;
}
static const enum mref_type sum_type[] = {M_F16, M_F32, M_F64, M_S32};
enum { SUMS = sizeof sum_type / sizeof *sum_type };

/* A kernel with as many registers as the form would need. */
static void print_bare(FILE *f, unsigned n, const struct mref_form *x) {
  unsigned count[MREF_PARTS];
  fprintf(f, ".visible .entry k%u() {\n", n);
  for (unsigned p = MREF_A; p <= MREF_D; p++) {
    count[p] = mref_registers(x, p) ? mref_registers(x, p) : 1;
    fprintf(f, ".reg .%s %%%c<%u>;\n", register_type(x->type[p]), 'a' + p, count[p]);
  }
  print_form(f, x);
  print_operands(f, 'd', count);
  fprintf(f, "ret;\n}\n");
}
/* The form with C and D of every type: accepted if it is one of those above, else refused. */
static void every_sum(struct mref_form x) {
  struct mref_form made[SUMS * SUMS];
  char *text, name[32];
  size_t n;
  FILE *f = open_memstream(&text, &n);
  fprintf(f, MMA_HEAD);
  for (unsigned s = 0; s < SUMS * SUMS; s++) {
    x.type[MREF_C] = sum_type[s / SUMS], x.type[MREF_D] = sum_type[s % SUMS];
    made[s] = x;
    print_bare(f, s, &x);
  }
  fclose(f);
  struct device_module *m = load(mma_device, text);
  for (unsigned s = 0; s < SUMS * SUMS; s++) {
    struct device_about about;
    struct err e = {0};
    snprintf(name, sizeof name, "k%u", s);
    const bool accepted = device_kernel_about(kernel(m, name), &about, &e) == DEVICE_OK;
    if (accepted != has_form(&made[s])) fail_msg("%s: %s", text_of(&made[s]), accepted ? "accepted" : e.text);
  }
  device_unload(m);
  free(text);
}
/* Every shape with every pair of types; the other layouts and .satfinite where A and B have one type. */
static void accepted(void **state) {
  (void)state;
  static const enum mref_type factor[] = {M_F16, M_BF16, M_TF32, M_F64, M_S8, M_U8, M_S4, M_U4, M_B1};
  const unsigned factors = sizeof factor / sizeof *factor;
  for (unsigned shape = 0; shape < 14; shape++)
    for (unsigned t = 0; t < factors * factors; t++) {
      const enum mref_type a = factor[t / factors], b = factor[t % factors];
      for (unsigned o = 0; o < (a == b ? 8 : 1); o++)
        every_sum((struct mref_form){8u << shape % 2,
                                     8,
                                     (const unsigned[]){4, 8, 16, 32, 64, 128, 256}[shape / 2],
                                     {a, b},
                                     .a_col = o & 1,
                                     .b_row = o >> 1 & 1,
                                     .saturate = o >> 2,
                                     .round = FE_TONEAREST});
    }
}

int main(void) {
  const struct CMUnitTest t[] = {cmocka_unit_test(places), cmocka_unit_test(sums), cmocka_unit_test(accepted)};
  const int failed = cmocka_run_group_tests(t, make_kernels, mma_close);
  printf("mma_reference: %u forms, %lu registers\n", forms, compared);
  return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma_reference: wmma of every type, shape and layout against the products of unit/reference/mma.c, from memory to memory: loads, product
 * and store of matrices with and without strides, in global and shared memory and through generic addresses. Where a
 * fragment's elements stand is unspecified (PTX ISA 9.2, 9.7.14.4.1). And ldmatrix and movmatrix (9.7.14.5.15 and 17) of random words.
 */
#include "unit/mma_kit.h"

enum { TILES = 8, FORMS = 256, ROOM = 4096, IMAGE = MREF_PARTS * ROOM }; /* bytes for a matrix and its gaps; of a CTA */

/* How a matrix's stride is given: not at all (the matrix is dense), in a register, as a constant. */
enum stride { DENSE, STRIDE_REGISTER, STRIDE_CONSTANT, STRIDES };
enum place { GENERIC, GLOBAL, SHARED, PLACES };
struct wmma_form {
  struct mref_form f;
  bool column[MREF_PARTS]; /* column-major; else row-major */
  unsigned stride[MREF_PARTS];
  enum stride strides;
  enum place place;
  unsigned home; /* of D */
};
static struct wmma_form form[FORMS];
static unsigned forms;
static struct device_module *module;
static uint32_t at;

/* ---- the forms of docs/reference/tensor.md ---- */

static unsigned dense_stride(const struct wmma_form *w, enum mref_part p) {
  return w->column[p] ? mref_rows(&w->f, p) : mref_columns(&w->f, p);
}
/* Layouts of A and B as the bits of `layouts`; those of C and D, spaces and strides change from one form to the next. */
static void add(struct mref_form f, unsigned layouts) {
  assert_true(forms < FORMS);
  struct wmma_form *w = &form[forms];
  *w = (struct wmma_form){.f = f, .column = {layouts & 1, layouts >> 1, draw(2), draw(2)}};
  w->place = forms % PLACES;
  w->strides = forms / PLACES % STRIDES;
  w->home = forms++ / PLACES / STRIDES % HOMES;
  for (unsigned p = MREF_A; p <= MREF_D; p++) {
    const unsigned line = 256 / mref_bits(f.type[p]); /* elements in 32 bytes, the most that alignment asks for */
    w->stride[p] = dense_stride(w, p);
    if (w->strides != DENSE) w->stride[p] = (w->stride[p] + line - 1) / line * line + draw(3) * line;
  }
}
static void add_shapes(enum mref_type a, enum mref_type c, enum mref_type d, bool saturate) {
  static const unsigned rows[3] = {16, 8, 32};
  for (unsigned s = 0; s < 3; s++)
    for (unsigned l = 0; l < 4; l++)
      add((struct mref_form){rows[s], 256 / rows[s], 16, {a, a, c, d}, .saturate = saturate}, l);
}
static void add_all(void) {
  static const int round[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (unsigned t = 0; t < 4; t++) add_shapes(M_F16, t & 1 ? M_F32 : M_F16, t & 2 ? M_F32 : M_F16, false);
  add_shapes(M_BF16, M_F32, M_F32, false);
  for (unsigned s = 0; s < 4; s++) {
    add_shapes(s & 1 ? M_U8 : M_S8, M_S32, M_S32, s >> 1);
    add((struct mref_form){8, 8, 32, {M_S4 + (s & 1), M_S4 + (s & 1), M_S32, M_S32}, .saturate = s >> 1}, 2);
  }
  for (unsigned l = 0; l < 4; l++) {
    add((struct mref_form){16, 16, 8, {M_TF32, M_TF32, M_F32, M_F32}, .round = FE_TONEAREST}, l);
    for (unsigned r = 0; r < 4; r++)
      add((struct mref_form){8, 8, 4, {M_F64, M_F64, M_F64, M_F64}, .round = round[r]}, l);
  }
  for (unsigned o = 0; o < 2; o++) add((struct mref_form){8, 8, 128, {M_B1, M_B1, M_S32, M_S32}, .and = o}, 2);
}

static unsigned registers(const struct mref_form *f, enum mref_part p) {
  return f->type[p] == M_F16 && p <= MREF_B ? 8 : mref_registers(f, p);
}
static const char *layout_name(bool column) { return column ? "col" : "row"; }
static void print_shape(FILE *f, const struct mref_form *x) { fprintf(f, "m%un%uk%u", x->m, x->n, x->k); }

static void print_product(FILE *f, const struct wmma_form *w) {
  const enum mref_type *t = w->f.type;
  fprintf(f, "wmma.mma%s.sync.aligned.%s.%s.",
          t[MREF_A] != M_B1 ? ""
          : w->f.and        ? ".and.popc"
                            : ".xor.popc",
          layout_name(w->column[MREF_A]), layout_name(w->column[MREF_B]));
  print_shape(f, &w->f);
  fprintf(f, "%s.%s", rounding_name(&w->f), mref_name(t[MREF_D]));
  if (t[MREF_A] != M_F16) fprintf(f, ".%s.%s", mref_name(t[MREF_A]), mref_name(t[MREF_B]));
  fprintf(f, ".%s%s", mref_name(t[MREF_C]), w->f.saturate ? ".satfinite" : "");
}

/* ---- the kernels ---- */

/* Copies the CTA's image to shared memory, or D from there. */
static void print_copy(FILE *f, const char *label, bool back) {
  fprintf(f, "mov.u32 %%i, %u;\n%s:\nadd.u32 %%sa, %%s, %%i; cvt.u64.u32 %%ga, %%i; add.u64 %%ga, %%g, %%ga;\n",
          back ? MREF_D * ROOM : 0, label);
  fprintf(f, "mad.lo.u32 %%sa, %%l, 4, %%sa; mad.wide.u32 %%ga, %%l, 4, %%ga;\n");
  fprintf(f, back ? "ld.shared.b32 %%v, [%%sa]; st.global.b32 [%%ga], %%v;\n"
                  : "ld.global.b32 %%v, [%%ga]; st.shared.b32 [%%sa], %%v;\n");
  fprintf(f, "add.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%i, %u;\n@%%p bra %s;\n", IMAGE, label);
}
static void print_stride(FILE *f, const struct wmma_form *w, enum mref_part p) {
  if (w->strides == STRIDE_CONSTANT) fprintf(f, ", %u", w->stride[p]);
  if (w->strides == STRIDE_REGISTER) fprintf(f, ", %%t%u", p);
  fprintf(f, ";\n");
}
/* The load or store of a matrix, from or to registers of that name. */
static void print_access(FILE *f, const struct wmma_form *w, enum mref_part p, char name) {
  static const char *const space[PLACES] = {"", ".global", ".shared"};
  char address[32];
  snprintf(address, sizeof address, "[%s + %u]", w->place == SHARED ? "%s" : "%g", p * ROOM);
  fprintf(f, "wmma.%s.%c.sync.aligned.%s.", p == MREF_D ? "store" : "load", 'a' + p, layout_name(w->column[p]));
  print_shape(f, &w->f);
  fprintf(f, "%s.%s ", space[w->place], mref_name(w->f.type[p]));
  if (p == MREF_D) fprintf(f, "%s, ", address);
  print_registers(f, name, registers(&w->f, p));
  if (p != MREF_D) fprintf(f, ", %s", address);
  print_stride(f, w, p);
}
static void print_kernel(FILE *f, unsigned n) {
  const struct wmma_form *w = &form[n];
  const char d = home_of_d(&w->f, w->home);
  unsigned count[MREF_PARTS];
  fprintf(f, ".visible .entry f%u(.param .u64 at) {\n.shared .align 128 .b8 image[%u];\n", n, IMAGE);
  fprintf(f, ".reg .b64 %%g, %%ga; .reg .b32 %%i, %%l, %%s, %%sa, %%v, %%t<4>; .reg .pred %%p;\n");
  for (unsigned p = MREF_A; p <= MREF_D; p++)
    fprintf(f, ".reg .%s %%%c<8>; mov.u32 %%t%u, %u;\n", register_type(w->f.type[p]), 'a' + p, p, w->stride[p]);
  fprintf(f, "ld.param.u64 %%g, [at]; mov.u32 %%i, %%ctaid.x; mov.u32 %%l, %%tid.x;\n");
  fprintf(f, "mad.wide.u32 %%g, %%i, %u, %%g; mov.u32 %%s, image;\n", IMAGE);
  if (w->place == SHARED) print_copy(f, "in", false);
  fprintf(f, "bar.sync 0;\n");
  for (unsigned p = MREF_A; p <= MREF_C; p++) print_access(f, w, p, (char)('a' + p));
  print_product(f, w);
  for (unsigned p = MREF_A; p <= MREF_D; p++) count[p] = registers(&w->f, p);
  print_operands(f, d, count);
  print_access(f, w, MREF_D, d);
  fprintf(f, "bar.sync 0;\n");
  if (w->place == SHARED) print_copy(f, "out", true);
  fprintf(f, "ret;\n}\n");
}

/* ldmatrix of n matrices and movmatrix: each lane's word of 16 is stored to a table of 16 bytes a lane. */
static void print_moves(FILE *f) {
  static const char *const registers[3] = {"{%r0}", "{%r0, %r1}", "{%r0, %r1, %r2, %r3}"};
  for (unsigned n = 0; n < 12; n++) { /* how many matrices, .trans, generic addresses */
    fprintf(f, ".visible .entry l%u(.param .u64 at) {\n.shared .align 128 .b8 image[2048];\n", n);
    fprintf(f, ".reg .b64 %%g, %%a, %%q; .reg .b32 %%l, %%s, %%o, %%v, %%r<4>;\nld.param.u64 %%g, [at];\n");
    fprintf(f, "mov.u32 %%l, %%tid.x; mad.wide.u32 %%a, %%l, 64, %%g; mad.lo.u32 %%s, %%l, 64, image;\n");
    for (unsigned k = 0; k < 16; k++)
      fprintf(f, "ld.global.b32 %%v, [%%a + %u]; st.shared.b32 [%%s + %u], %%v;\n", 4 * k, 4 * k);
    /* The lane's row: its offset comes behind the image. */
    fprintf(f, "bar.sync 0; mad.wide.u32 %%a, %%l, 4, %%g; ld.global.b32 %%o, [%%a + 2048];\n");
    fprintf(f, "mov.u32 %%s, image; add.u32 %%s, %%s, %%o; cvt.u64.u32 %%q, %%s; cvta.shared.u64 %%q, %%q;\n");
    fprintf(f, "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 %s, [%s];\n", 1 << n % 3, n / 3 % 2 ? ".trans" : "",
            n < 6 ? ".shared" : "", registers[n % 3], n < 6 ? "%s" : "%q");
    fprintf(f, "mad.wide.u32 %%a, %%l, 16, %%g;\n");
    for (unsigned k = 0; k < 1u << n % 3; k++) fprintf(f, "st.global.b32 [%%a + %u], %%r%u;\n", 4096 + 4 * k, k);
    fprintf(f, "ret;\n}\n");
  }
  fprintf(f, ".visible .entry move(.param .u64 at) {\n.reg .b64 %%g; .reg .b32 %%l, %%v, %%r;\n");
  fprintf(f,
          "ld.param.u64 %%g, [at]; mov.u32 %%l, %%tid.x; mad.wide.u32 %%g, %%l, 4, %%g; ld.global.b32 %%v, [%%g];\n");
  fprintf(f, "movmatrix.sync.aligned.m8n8.trans.b16 %%r, %%v;\nst.global.b32 [%%g + 4096], %%r;\nret;\n}\n");
}

static void print_kernels(FILE *f) {
  for (unsigned x = 0; x < forms; x++) print_kernel(f, x);
  print_moves(f);
}

static int make_kernels(void **state) {
  add_all();
  module = mma_module(state, print_kernels);
  at = buffer(mma_device, TILES * IMAGE);
  return 0;
}
static void launch(const char *name, uint32_t grid) {
  const uint64_t p = at;
  mma_launch(module, name, grid, &p, sizeof p, name);
}

/* ---- whole matrices ---- */

/* The matrix's elements in its part of an image, the rest as it is. Elements of less than a byte: the lower bits first. */
static void put(const struct wmma_form *w, enum mref_part p, const uint64_t *m, uint8_t *image) {
  const unsigned bits = mref_bits(w->f.type[p]);
  for (unsigned i = 0; i < mref_rows(&w->f, p); i++)
    for (unsigned j = 0; j < mref_columns(&w->f, p); j++) {
      const unsigned to = (w->column[p] ? j * w->stride[p] + i : i * w->stride[p] + j) * bits;
      const uint64_t v = m[i * mref_columns(&w->f, p) + j];
      assert_true(to + bits <= 8 * ROOM);
      uint8_t *byte = image + p * ROOM + to / 8;
      if (bits >= 8) memcpy(byte, &v, bits / 8);
      else *byte = (uint8_t)((*byte & ~(((1u << bits) - 1) << to % 8)) | v << to % 8);
    }
}
static void draw_image(uint8_t *image) {
  for (unsigned b = 0; b < IMAGE; b += 8) {
    const uint64_t v = draw_bits();
    memcpy(image + b, &v, 8);
  }
}

static unsigned long compared;
static void run_all(bool whole) {
  static uint8_t want[TILES][IMAGE];
  static mref_matrix part[MREF_PARTS];
  uint64_t *const m[MREF_PARTS] = {part[0], part[1], part[2], part[3]};
  char name[32];
  for (unsigned n = 0; n < forms; n++) {
    const struct wmma_form *w = &form[n];
    uint8_t *image = device_at(mma_device, at, TILES * IMAGE);
    for (unsigned t = 0; t < TILES; t++, image += IMAGE) {
      draw_image(want[t]);
      if (whole) draw_whole_product(&w->f, m);
      else draw_any_product(&w->f, t % MAGNITUDES, m);
      for (unsigned p = MREF_A; p <= MREF_C; p++) put(w, p, m[p], want[t]);
      memcpy(image, want[t], IMAGE);
      put(w, MREF_D, m[MREF_D], want[t]);
    }
    snprintf(name, sizeof name, "f%u", n);
    launch(name, TILES);
    image = device_at(mma_device, at, TILES * IMAGE);
    for (unsigned t = 0; t < TILES; t++, image += IMAGE)
      for (unsigned b = 0; b < IMAGE; b++, compared++) {
        if (image[b] == want[t][b]) continue;
        print_product(stderr, w);
        fail_msg(", space %u, stride of D %u, %s: tile %u, part %u, byte %u: found %02x, expected %02x (seed %d)",
                 w->place, w->stride[MREF_D], layout_name(w->column[MREF_D]), t, b / ROOM, b % ROOM, image[b],
                 want[t][b], MMA_SEED);
      }
  }
}
static void wholes(void **state) {
  (void)state;
  run_all(true);
}
static void sums(void **state) {
  (void)state;
  run_all(false);
}

/* ---- ldmatrix, movmatrix ---- */

static uint32_t pair(uint16_t low, uint16_t high) { return low | (uint32_t)high << 16; }
/* A lane's word of an 8 x 8 matrix: two elements of a row that four lanes share, or with .trans of a column. */
static uint32_t word_of(uint16_t m[8][8], unsigned lane, bool trans) {
  const unsigned line = lane / 4, first = 2 * (lane % 4);
  return trans ? pair(m[first][line], m[first + 1][line]) : pair(m[line][first], m[line][first + 1]);
}

static void loads(void **state) {
  (void)state;
  char name[32];
  for (unsigned n = 0; n < 12 * 8; n++) {
    const unsigned matrices = 1u << n % 3;
    uint8_t *image = device_at(mma_device, at, 8192);
    uint32_t offset[32];
    draw_image(image);
    for (unsigned l = 0; l < 32; l++) offset[l] = 16 * draw(128); /* rows that overlap, too */
    memcpy(image + 2048, offset, sizeof offset);
    snprintf(name, sizeof name, "l%u", n % 12);
    launch(name, 1);
    image = device_at(mma_device, at, 8192);
    for (unsigned q = 0; q < matrices; q++) {
      uint16_t m[8][8];
      for (unsigned row = 0; row < 8; row++) memcpy(m[row], image + offset[8 * q + row], 16);
      for (unsigned l = 0; l < 32; l++) {
        uint32_t got;
        memcpy(&got, image + 4096 + 16 * l + 4 * q, 4);
        assert_int_equal(got, word_of(m, l, n / 3 % 2));
      }
    }
  }
}
static void moves(void **state) {
  (void)state;
  uint8_t *image = device_at(mma_device, at, 8192);
  uint16_t m[8][8];
  draw_image(image);
  memcpy(m, image, sizeof m); /* lane after lane is row after row */
  for (unsigned l = 0; l < 32; l++) {
    uint32_t word;
    memcpy(&word, image + 4 * l, 4);
    assert_int_equal(word, word_of(m, l, false));
  }
  launch("move", 1);
  image = device_at(mma_device, at, 8192);
  for (unsigned l = 0; l < 32; l++) {
    uint32_t got;
    memcpy(&got, image + 4096 + 4 * l, 4);
    assert_int_equal(got, word_of(m, l, true));
  }
}

int main(void) {
  const struct CMUnitTest t[] = {cmocka_unit_test(wholes), cmocka_unit_test(sums), cmocka_unit_test(loads),
                                 cmocka_unit_test(moves)};
  const int failed = cmocka_run_group_tests(t, make_kernels, mma_close);
  printf("wmma_reference: %u forms, %lu bytes\n", forms, compared);
  return failed;
}

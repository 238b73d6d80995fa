/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_forms: every form of mma but those of tensor_test.c: integers, single bits, f64, and m8n8k4 of f16. Each is held
 * against a product in plain C; where an element stands in a lane's registers is written from the formulas that the PTX
 * manual gives with each shape ("row = ..., col = ..." by groupID and threadID_in_group), element by element.
 */
#include "tensor_kit.h"

enum type { S8, U8, S4, U4, B1, S32, F16, F32, F64, TYPES };
static const char *const names[TYPES] = {"s8", "u8", "s4", "u4", "b1", "s32", "f16", "f32", "f64"};
static const unsigned bits[TYPES] = {8, 8, 4, 4, 1, 32, 16, 32, 64};

enum { LARGE = 256 };
struct place {
  unsigned row, col, product; /* product: of m8n8k4 of f16, which of the four */
};

struct form {
  const char *shape;
  unsigned m, k;
  enum type a, b, c, d;
  const char *mods; /* between the layouts and the types */
  const char *end;  /* behind the types */
  bool a_col, b_row;
  unsigned parts;
};

static bool quad(const struct form *f) { return f->a == F16; }

/* The manual: group = lane >> 2, in = lane % 4; element i of a fragment. */
static struct place place_a(const struct form *f, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2, in = lane % 4;
  struct place p = {0};
  if (quad(f)) {
    p.product = lane % 16 / 4;
    if (f->a_col) p.row = lane < 16 ? i % 4 : i % 4 + 4, p.col = lane % 4;
    else p.row = lane < 16 ? lane % 4 : lane % 4 + 4, p.col = i;
    return p;
  }
  switch (f->a) {
    case F64:
      p.row = f->m == 8 ? group : i % 2 == 0 ? group : group + 8;
      p.col = f->m == 8 ? in : in + i / 2 * 4;
      break;
    case S8:
    case U8:
      if (f->m == 8) p.row = group, p.col = in * 4 + i;
      else if (f->k == 16) p.row = i < 4 ? group : group + 8, p.col = in * 4 + (i & 3);
      else p.row = i < 4 || (i >= 8 && i < 12) ? group : group + 8, p.col = in * 4 + (i & 3) + (i >= 8 ? 16 : 0);
      break;
    case S4:
    case U4:
      if (f->m == 8) p.row = group, p.col = in * 8 + i;
      else if (f->k == 32) p.row = i < 8 ? group : group + 8, p.col = in * 8 + (i & 7);
      else p.row = i < 8 || (i >= 16 && i < 24) ? group : group + 8, p.col = in * 8 + (i & 7) + (i >= 16 ? 32 : 0);
      break;
    default: /* b1 */
      if (f->m == 8) p.row = group, p.col = in * 32 + i;
      else if (f->k == 128) p.row = i < 32 ? group : group + 8, p.col = in * 32 + (i & 31);
      else p.row = i < 32 || (i >= 64 && i < 96) ? group : group + 8, p.col = in * 32 + (i & 31) + (i < 64 ? 0 : 128);
  }
  return p;
}

static struct place place_b(const struct form *f, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2, in = lane % 4;
  struct place p = {.col = group};
  if (quad(f)) {
    p.product = lane % 16 / 4;
    if (f->b_row) p.row = lane % 4, p.col = lane < 16 ? i : i + 4;
    else p.row = i, p.col = lane < 16 ? lane % 4 : lane % 4 + 4;
    return p;
  }
  switch (f->a) {
    case F64: p.row = in + i * 4; break;
    case S8:
    case U8: p.row = i < 4 ? in * 4 + i : in * 4 + (i & 3) + 16; break;
    case S4:
    case U4: p.row = i < 8 ? in * 8 + i : in * 8 + (i & 7) + 32; break;
    default: p.row = i < 32 ? in * 32 + i : in * 32 + (i & 31) + 128;
  }
  return p;
}

static struct place place_c(const struct form *f, enum type t, unsigned lane, unsigned i) {
  const unsigned group = lane >> 2, in = lane % 4;
  struct place p = {.row = i < 2 ? group : group + 8, .col = in * 2 + (i & 1)};
  if (!quad(f)) return p;
  p.product = lane % 16 / 4;
  if (t == F16) {
    p.row = lane < 16 ? lane % 4 : lane % 4 + 4;
    p.col = i;
  } else {
    const unsigned x = (lane & 1) + (i & 2);
    p.row = lane < 16 ? x : x + 4;
    p.col = (i & 4) + (lane & 2) + (i & 1);
  }
  return p;
}

/* What others published: thread-value layouts of NVIDIA's CUTLASS (mma_traits_sm70.hpp, _sm75, _sm80, _sm90), worked out by
 * hand for some elements. */
static void published(void **state) {
  (void)state;
  static const struct form i8 = {"", 16, 32, S8, S8, S32, S32, "", "", 0, 0, 0}, i8small = {.m = 8, .k = 16, .a = S8},
                           i4 = {.m = 16, .k = 64, .a = U4}, b1 = {.m = 16, .k = 256, .a = B1},
                           d8 = {.m = 16, .k = 8, .a = F64}, d16 = {.m = 16, .k = 16, .a = F64},
                           h_tn = {.m = 8, .k = 4, .a = F16}, h_nt = {.m = 8, .k = 4, .a = F16, .a_col = 1, .b_row = 1};
  const struct {
    const struct form *f;
    char of;
    unsigned lane, i, row, col;
  } list[] = {
      {&i8, 'a', 5, 0, 1, 4},    {&i8, 'a', 5, 6, 9, 6},     {&i8, 'a', 31, 9, 7, 29},    {&i8, 'a', 2, 15, 8, 27},
      {&i8, 'b', 5, 3, 7, 1},    {&i8, 'b', 30, 5, 25, 7},   {&i8small, 'a', 9, 2, 2, 6}, {&i8small, 'b', 9, 2, 6, 2},
      {&i4, 'a', 6, 9, 9, 17},   {&i4, 'a', 6, 20, 1, 52},   {&i4, 'b', 6, 12, 52, 1},    {&b1, 'a', 7, 70, 1, 230},
      {&b1, 'a', 7, 33, 9, 97},  {&b1, 'b', 4, 40, 136, 1},  {&d8, 'a', 6, 1, 9, 2},      {&d8, 'a', 6, 2, 1, 6},
      {&d8, 'b', 6, 1, 6, 1},    {&d16, 'a', 31, 7, 15, 15}, {&d16, 'b', 31, 3, 15, 7},   {&d16, 'c', 6, 2, 9, 4},
      {&h_tn, 'a', 17, 3, 5, 3}, {&h_tn, 'b', 18, 1, 1, 6},  {&h_nt, 'a', 18, 3, 7, 2},   {&h_nt, 'b', 1, 2, 1, 2},
      {&h_tn, 'c', 19, 5, 5, 7}, {&h_tn, 'c', 3, 2, 3, 2},   {&h_tn, 'h', 19, 5, 7, 5},   {&i8, 'c', 13, 3, 11, 3},
  };
  for (unsigned k = 0; k < sizeof list / sizeof *list; k++) {
    const struct place p = list[k].of == 'a' ? place_a(list[k].f, list[k].lane, list[k].i)
                           : list[k].of == 'b'
                               ? place_b(list[k].f, list[k].lane, list[k].i)
                               : place_c(list[k].f, list[k].of == 'h' ? F16 : F32, list[k].lane, list[k].i);
    if (p.row != list[k].row || p.col != list[k].col) fail_msg("%u: found row %u, column %u", k, p.row, p.col);
  }
}

/* ---- values ---- */

static double f16_value(uint32_t h) {
  const unsigned e = h >> 10 & 31, m = h & 1023;
  const double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexp(m + 1024, (int)e - 25);
  return h & 0x8000 ? -v : v;
}

static uint32_t f16_of(float x) { /* nearest, ties to even: by search */
  if (x != x) return 0x7fff;
  const uint32_t sign = signbit(x) ? 0x8000 : 0;
  const double a = fabs((double)x);
  uint32_t lo = 0, hi = 0x7c00;
  while (hi - lo > 1) {
    const uint32_t mid = (lo + hi) / 2;
    if (f16_value(mid) <= a) lo = mid;
    else hi = mid;
  }
  const double below = a - f16_value(lo), above = (hi == 0x7c00 ? 65536.0 : f16_value(hi)) - a;
  return sign | (isinf(x) ? 0x7c00 : below < above ? lo : above < below ? hi : lo & 1 ? hi : lo);
}

/* An element's bits, of which bits[] count. */
static uint64_t random_element(enum type t, bool wild) {
  const uint64_t r = random32() | (uint64_t)random32() << 32;
  switch (t) {
    case F16:
      return wild && r % 17 == 0 ? (uint64_t[]){0x7c00, 0xfc00, 0x7e00, 0x8001}[r >> 20 & 3]
                                 : (r & 0x83ff) | (12 + (r >> 32) % 6) << 10;
    case F32: return (r & 0x807fffff) | (124 + (r >> 40) % 6) << 23;
    case F64:
      if (wild && r % 17 == 0) return (uint64_t[]){0x7ff0ull << 48, 0xfff0ull << 48, 0x7ff8ull << 48, 1}[r >> 20 & 3];
      return (r & 0x800fffffffffffffull) | (1020 + random32() % 6) << 20 << 16 << 16;
    case S32:
      return wild ? (uint32_t[]){0x7fffffff, 0x80000000, 0x7fffff00, (uint32_t)r}[r >> 33 & 3] : (uint32_t)r % 1000;
    default: return r & ((1ull << bits[t]) - 1);
  }
}

static int32_t integer(enum type t, uint64_t e) {
  if (t == S8) return (int8_t)e;
  if (t == S4) return e & 8 ? (int32_t)e - 16 : (int32_t)e;
  return (int32_t)e;
}

/* fma rounded as .rz, .rm or .rp: with the host's directed rounding. */
#include <fenv.h>
static double fma_in(double a, double b, double c, const char *mods) {
  const int was = fegetround();
  fesetround(strstr(mods, "rz")   ? FE_TOWARDZERO
             : strstr(mods, "rm") ? FE_DOWNWARD
             : strstr(mods, "rp") ? FE_UPWARD
                                  : was);
  volatile double x = a, y = b, z = c;
  volatile double r = fma(x, y, z);
  fesetround(was);
  return r;
}

static uint64_t a[4][16][LARGE], b[4][LARGE][8], c[4][16][8];

static uint64_t want(const struct form *f, unsigned q, unsigned row, unsigned col) {
  const uint64_t start = c[q][row][col];
  if (f->a == F64) {
    double s = f64_of(start);
    for (unsigned k = 0; k < f->k; k++) s = fma_in(f64_of(a[q][row][k]), f64_of(b[q][k][col]), s, f->mods);
    uint64_t out;
    memcpy(&out, &s, 8);
    return s != s ? 0x7ff8000000000000ull : out;
  }
  if (f->a == F16) {
    float s = f->c == F16 ? (float)f16_value((uint32_t)start) : f32_of((uint32_t)start);
    for (unsigned k = 0; k < f->k; k++)
      s = fmaf((float)f16_value((uint32_t)a[q][row][k]), (float)f16_value((uint32_t)b[q][k][col]), s);
    uint32_t out;
    memcpy(&out, &s, 4);
    return f->d == F16 ? f16_of(s) : s != s ? 0x7fffffffu : out;
  }
  int64_t s = 0;
  for (unsigned k = 0; k < f->k; k++) {
    const uint64_t x = a[q][row][k], y = b[q][k][col];
    s += f->a != B1              ? (int64_t)integer(f->a, x) * integer(f->b, y)
         : strstr(f->end, "and") ? (int64_t)(x & y)
                                 : (int64_t)(x ^ y);
  }
  s += (int32_t)start;
  if (strstr(f->mods, "satfinite")) s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
  return (uint32_t)s;
}

/* Element i of a fragment that begins at word `reg` of a lane. */
static void set(uint32_t *words, unsigned reg, enum type t, unsigned lane, unsigned i, uint64_t e) {
  const unsigned at = i * bits[t];
  words[(reg + at / 32) * 32 + lane] |= (uint32_t)(e << at % 32);
  if (t == F64) words[(reg + at / 32 + 1) * 32 + lane] |= (uint32_t)(e >> 32);
}

static unsigned elements(const struct form *f, unsigned rows, unsigned cols) {
  return rows * cols * (quad(f) ? 4 : 1) / 32;
}

static void vector(char **p, const char *bank, unsigned first, unsigned n, unsigned turn) {
  text_put(p, "{");
  for (unsigned k = 0; k < n; k++) text_put(p, "%s%%%s%u", k ? "," : "", bank, first + (k + turn) % n);
  text_put(p, "}");
}

/* D apart; over C; over C turned by one; over the first registers of A and B (which later parts still read). */
enum { APART, IN_PLACE, TURNED, OVER, WAYS };

static void one(const struct form *f, int way, bool wild, struct bench *x) {
  const unsigned step = f->a == F64 ? 2 : 1, ea = elements(f, f->m, f->k), eb = elements(f, f->k, 8),
                 ec = elements(f, f->m, 8);
  const unsigned na = ea * bits[f->a] / 32 / step, nb = eb * bits[f->b] / 32 / step, nc = ec * bits[f->c] / 32 / step,
                 nd = ec * bits[f->d] / 32 / step;
  const char *bank = f->a == F64 ? "e" : "r";
  struct place p;
  for (unsigned q = 0; q < 4; q++) {
    for (unsigned y = 0; y < f->m; y++)
      for (unsigned k = 0; k < f->k; k++) a[q][y][k] = random_element(f->a, wild);
    for (unsigned k = 0; k < f->k; k++)
      for (unsigned n = 0; n < 8; n++) b[q][k][n] = random_element(f->b, wild);
    for (unsigned y = 0; y < f->m; y++)
      for (unsigned n = 0; n < 8; n++) c[q][y][n] = random_element(f->c, wild);
  }
  memset(x->in, 0, sizeof x->in);
  for (unsigned lane = 0; lane < 32; lane++) {
    for (unsigned i = 0; i < ea; i++) p = place_a(f, lane, i), set(x->in, 0, f->a, lane, i, a[p.product][p.row][p.col]);
    for (unsigned i = 0; i < eb; i++)
      p = place_b(f, lane, i), set(x->in, na * step, f->b, lane, i, b[p.product][p.row][p.col]);
    for (unsigned i = 0; i < ec; i++)
      p = place_c(f, f->c, lane, i), set(x->in, (na + nb) * step, f->c, lane, i, c[p.product][p.row][p.col]);
  }
  if (way && way < OVER && nc != nd) return;
  if (way == OVER && nd > na + nb) return;
  char text[8192], *t = text;
  text_put(&t, "%s.reg .b64 %%e<60>;\n", KERNEL);
  for (unsigned k = 0; k < na + nb + nc; k++) {
    text_put(&t, "ld.global.b32 %%r%u, [%%d1+%u];\n", step == 2 ? 1 : k + 1, k * step * 128);
    if (step == 2)
      text_put(&t, "ld.global.b32 %%r2, [%%d1+%u]; mov.b64 %%e%u, {%%r1,%%r2};\n", (2 * k + 1) * 128, k + 1);
  }
  text_put(&t, "mma.sync.aligned.%s.%s.%s%s.%s.%s.%s.%s%s ", f->shape, f->a_col ? "col" : "row",
           f->b_row ? "row" : "col", f->mods, names[f->d], names[f->a], names[f->b], names[f->c], f->end);
  const unsigned d = way == APART ? na + nb + nc + 1 : way == OVER ? 1 : na + nb + 1, turn = way == TURNED;
  vector(&t, bank, d, nd, turn);
  text_put(&t, ", ");
  vector(&t, bank, 1, na, 0);
  text_put(&t, ", ");
  vector(&t, bank, 1 + na, nb, 0);
  text_put(&t, ", ");
  vector(&t, bank, 1 + na + nb, nc, 0);
  text_put(&t, ";\n");
  for (unsigned k = 0; k < nd; k++) {
    if (step == 2)
      text_put(&t, "mov.b64 {%%r1,%%r2}, %%e%u; st.global.b32 [%%d2+%u], %%r1; st.global.b32 [%%d2+%u], %%r2;\n",
               d + (k + turn) % nd, 2 * k * 128, (2 * k + 1) * 128);
    else text_put(&t, "st.global.b32 [%%d2+%u], %%r%u;\n", k * 128, d + (k + turn) % nd);
  }
  text_put(&t, "ret; }\n");
  run(text, x, 32);
  assert_int_equal(x->mmas, f->parts);
  static uint32_t expect[OUT];
  memset(expect, 0, sizeof expect);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < ec; i++) {
      p = place_c(f, f->d, lane, i);
      set(expect, 0, f->d, lane, i, want(f, p.product, p.row, p.col));
    }
  for (unsigned k = 0; k < nd * step * 32; k++)
    if (x->out[k] != expect[k])
      fail_msg("%s %s.%s%s%s, way %d: register %u lane %u: found 0x%08x, expected 0x%08x\n%s", f->shape, names[f->a],
               names[f->b], f->mods, f->end, way, k / 32, k % 32, x->out[k], expect[k], text);
}

#define INT(shape, m, k, parts, a, b, mods) \
  { shape, m, k, a, b, S32, S32, mods, "", 0, 0, parts }
#define INTS(shape, m, k, parts, s, u)                                                                               \
  INT(shape, m, k, parts, s, s, ""), INT(shape, m, k, parts, u, s, ".satfinite"), INT(shape, m, k, parts, s, u, ""), \
      INT(shape, m, k, parts, u, u, ".satfinite"), INT(shape, m, k, parts, s, s, ".satfinite")
#define BIT(shape, m, k, parts, end) \
  { shape, m, k, B1, B1, S32, S32, "", end, 0, 0, parts }
#define DBL(shape, m, k, parts, rnd) \
  { shape, m, k, F64, F64, F64, F64, rnd, "", 0, 0, parts }
#define DBLS(shape, m, k, parts)                                                               \
  DBL(shape, m, k, parts, ""), DBL(shape, m, k, parts, ".rz"), DBL(shape, m, k, parts, ".rm"), \
      DBL(shape, m, k, parts, ".rp")
#define QUAD(a_col, b_row)                                             \
  {"m8n8k4", 8, 4, F16, F16, F16, F16, "", "", a_col, b_row, 2},       \
      {"m8n8k4", 8, 4, F16, F16, F32, F32, "", "", a_col, b_row, 4}, { \
    "m8n8k4", 8, 4, F16, F16, F16, F32, "", "", a_col, b_row, 4        \
  }
static const struct form forms[] = {
    INTS("m8n8k16", 8, 16, 1, S8, U8),
    INTS("m16n8k16", 16, 16, 2, S8, U8),
    INTS("m16n8k32", 16, 32, 2, S8, U8),
    INTS("m8n8k32", 8, 32, 1, S4, U4),
    INTS("m16n8k32", 16, 32, 2, S4, U4),
    INTS("m16n8k64", 16, 64, 2, S4, U4),
    BIT("m8n8k128", 8, 128, 1, ".xor.popc"),
    BIT("m8n8k128", 8, 128, 1, ".and.popc"),
    BIT("m16n8k128", 16, 128, 2, ".xor.popc"),
    BIT("m16n8k128", 16, 128, 2, ".and.popc"),
    BIT("m16n8k256", 16, 256, 2, ".xor.popc"),
    BIT("m16n8k256", 16, 256, 2, ".and.popc"),
    DBLS("m8n8k4", 8, 4, 2),
    DBLS("m16n8k4", 16, 4, 4),
    DBLS("m16n8k8", 16, 8, 8),
    DBLS("m16n8k16", 16, 16, 16),
    QUAD(0, 0),
    QUAD(0, 1),
    QUAD(1, 0),
    QUAD(1, 1),
};

static void values(void **state) {
  (void)state;
  struct bench *x = calloc(1, sizeof *x);
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++)
    for (int way = 0; way < WAYS; way++)
      for (int wild = 0; wild < 2; wild++) one(&forms[k], way, wild, x);
  free(x);
}

/* movmatrix: rows become columns; each lane has two elements of a row. */
static void movmatrix(void **state) {
  (void)state;
  struct bench *x = calloc(1, sizeof *x);
  for (unsigned k = 0; k < 32; k++) x->in[k] = random32();
  run(KERNEL
      "ld.global.b32 %r1, [%d1]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1; st.global.b32 [%d2], %r1; ret; }\n",
      x, 32);
  for (unsigned row = 0; row < 8; row++)
    for (unsigned col = 0; col < 8; col++)
      assert_int_equal(x->out[row * 4 + col / 2] >> col % 2 * 16 & 0xffff,
                       x->in[col * 4 + row / 2] >> row % 2 * 16 & 0xffff);
  fails(KERNEL
        "setp.lt.u32 %p1, %r0, 31; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0; st.global.b32 [%d2], %r1; ret; "
        "}\n",
        x, 32, "movmatrix by 31 lanes of a warp");
  free(x);
}

/* As `regtwin analyze` shows them. */
static void listing(void **state) {
  (void)state;
  static const char text[] = KERNEL
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%r9,%r10}, "
      "{%r1,%r2,%r3,%r4};\n"
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1,%r2}, {%r3}, {%r4}, {%r1,%r2};\n"
      "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d4,%d5}, {%d6}, {%d7}, {%d4,%d5};\n"
      "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2}, {%r3,%r4}, "
      "{%r5,%r6,%r7,%r8};\n"
      "ret; }\n";
  static const char *const lines[] = {
      "mma.m16n8k32.sync.sat.rows0_7.s32.s8.u8.s32 %r1, %r2, %r5, %r7, %r9, %r10, %r1, %r2",
      "mma.m16n8k32.sync.sat.rows8_15.s32.s8.u8.s32 %r3, %r4, %r6, %r8, %r9, %r10, %r3, %r4",
      "mma.m8n8k128.sync.s32.b1.xor.popc %r1, %r2, %r3, %r4, %r1, %r2",
      "mma.m8n8k4.rz.sync.even.f64.f64 %d4, %d6, %d7, %d4",
      "mma.m8n8k4.rz.sync.odd.f64.f64 %d5, %d6, %d7, %d5",
      "mma.m8n8k4.sync.part0.col.row.f32.f16.f16.f16 %f1, %f2, %r1, %r2, %r3, %r4, %r5, %r6",
      "mma.m8n8k4.sync.part1.col.row.f32.f16.f16.f16 %f3, %f4, %r1, %r2, %r3, %r4, %r5, %r6",
      "mma.m8n8k4.sync.part2.col.row.f32.f16.f16.f16 %f5, %f6, %r1, %r2, %r3, %r4, %r7, %r8",
      "mma.m8n8k4.sync.part3.col.row.f32.f16.f16.f16 %f7, %f8, %r1, %r2, %r3, %r4, %r7, %r8",
      "exit"};
  enum { LINES = sizeof lines / sizeof *lines };
  struct err e = {0};
  struct module *m = ptx_parse("t.ptx", text, sizeof text - 1, &e);
  if (!m) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  const struct code *k = &m->kernel[0];
  assert_true(k->n >= LINES);
  for (unsigned n = 0; n < LINES; n++) {
    char line[160];
    insn_print(k, k->n - LINES + n, line, sizeof line);
    assert_string_equal(line, lines[n]);
  }
  module_free(m);
}

/* ---- time ---- */

/* Cycles of a loop of `times` rounds of the text. */
static uint64_t cycles(struct bench *x, const char *body, unsigned times) {
  char text[8192], *p = text;
  text_put(&p, "%s.reg .b64 %%e<20>; .reg .b32 %%q<40>;\n", KERNEL);
  for (unsigned k = 0; k < 40; k++) text_put(&p, "mov.u32 %%q%u, %%r0;\n", k);
  for (unsigned k = 0; k < 20; k++) text_put(&p, "mov.b64 %%e%u, %%d1;\n", k);
  text_put(&p, "mov.b64 %%d4, %%d2; add.u64 %%d4, %%d4, %%d3; mov.u32 %%r30, 0;\nL: %s", body);
  text_put(&p, "add.u32 %%r30, %%r30, 1; setp.lt.u32 %%p8, %%r30, %u; @%%p8 bra L;\n", times);
  for (unsigned k = 0; k < 32; k++) text_put(&p, "st.global.b32 [%%d2], %%q%u;\n", k);
  for (unsigned k = 0; k < 16; k++) text_put(&p, "st.global.b64 [%%d4], %%e%u;\n", k);
  text_put(&p, "ret; }\n");
  run(text, x, 32);
  return x->stats.cycles;
}

/* Of one more instruction that depends on none, in a row of four (whose sums are apart), a hundred times. */
static uint64_t each(struct bench *x, const char *four) {
  char often[4096], *q = often;
  text_put(&q, "%s%s%s%s", four, four, four, four);
  const uint64_t few = cycles(x, four, 20), more = cycles(x, four, 120);
  const uint64_t few4 = cycles(x, often, 20), more4 = cycles(x, often, 120);
  return ((more4 - few4) - (more - few)) / 1200;
}

/* In one interval a register of A goes through eight rows; f64: eight rows by four columns at k = 4. */
static void rates(void **state) {
  (void)state;
  struct config c;
  config_defaults(&c);
  struct bench *x = calloc(1, sizeof *x);
#define FOUR(op, types, end, a, b)                                                                                 \
  op types end " {%q0,%q1,%q2,%q3}, {" a "}, {" b "}, {%q0,%q1,%q2,%q3};\n" op types end " {%q4,%q5,%q6,%q7}, {" a \
               "}, {" b "}, {%q4,%q5,%q6,%q7};\n" op types end " {%q8,%q9,%q10,%q11}, {" a "}, {" b                \
               "}, {%q8,%q9,%q10,%q11};\n" op types end " {%q12,%q13,%q14,%q15}, {" a "}, {" b                     \
               "}, {%q12,%q13,%q14,%q15};\n"
#define MMA "mma.sync.aligned."
#define A4 "%q16,%q17,%q18,%q19"
#define A2 "%q16,%q17"
  const struct {
    const char *four;
    int64_t want; /* cycles of the unit */
  } list[] = {
      {FOUR(MMA "m16n8k16.row.col", ".s32.s8.s8.s32", "", A2, "%q20"), 2 * c.unit_tensor_int8_interval},
      {FOUR(MMA "m16n8k32.row.col", ".s32.u8.s8.s32", "", A4, "%q20,%q21"), 4 * c.unit_tensor_int8_interval},
      {FOUR(MMA "m16n8k64.row.col", ".s32.s4.s4.s32", "", A4, "%q20,%q21"), 4 * c.unit_tensor_int4_interval},
      {FOUR(MMA "m16n8k256.row.col", ".s32.b1.b1.s32", ".xor.popc", A4, "%q20,%q21"), 4 * c.unit_tensor_b1_interval},
      {FOUR(MMA "m16n8k16.row.col", ".f32.bf16.bf16.f32", "", A4, "%q20,%q21"), 4 * c.unit_tensor_bf16_interval},
      {FOUR(MMA "m16n8k8.row.col", ".f32.tf32.tf32.f32", "", A4, "%q20,%q21"), 4 * c.unit_tensor_tf32_interval},
      {MMA "m8n8k4.row.col.f64.f64.f64.f64 {%e0,%e1}, {%e16}, {%e17}, {%e0,%e1};\n" MMA
           "m8n8k4.row.col.f64.f64.f64.f64 {%e2,%e3}, {%e16}, {%e17}, {%e2,%e3};\n" MMA
           "m8n8k4.row.col.f64.f64.f64.f64 {%e4,%e5}, {%e16}, {%e17}, {%e4,%e5};\n" MMA
           "m8n8k4.row.col.f64.f64.f64.f64 {%e6,%e7}, {%e16}, {%e17}, {%e6,%e7};\n",
       2 * c.unit_tensor_f64_interval},
  };
  for (unsigned k = 0; k < sizeof list / sizeof *list; k++) {
    const int64_t found = (int64_t)each(x, list[k].four);
    if (found < list[k].want || found > list[k].want + 3)
      fail_msg("%u: found %d cycles, expected %d", k, (int)found, (int)list[k].want);
  }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published), cmocka_unit_test(values),    cmocka_unit_test(listing),
      cmocka_unit_test(rates),     cmocka_unit_test(movmatrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

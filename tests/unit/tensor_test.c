/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor: mma, ldmatrix and cp.async, from PTX text to values, against whole matrices in plain C. Where a
 * value stands in a lane's registers is written here from the tables of the PTX manual, element by element.
 * Every kernel runs functionally and through the timing model, whose check carries the values through its
 * register file.
 */
#include "tensor_kit.h"

/* ---- values ---- */

enum format { F16, BF16, TF32, F32 };
static const char *const format_name[] = {"f16", "bf16", "tf32", "f32"};

static double value(enum format f, uint32_t bits) {
  unsigned mant = f == F16 ? 10 : f == BF16 ? 7 : f == TF32 ? 10 : 23, ebits = f == F16 ? 5 : 8;
  if (f == TF32) bits >>= 13;
  unsigned m = bits & ((1u << mant) - 1), e = bits >> mant & ((1u << ebits) - 1);
  int bias = (1 << (ebits - 1)) - 1;
  double v = e == 0                   ? ldexp(m, 1 - bias - (int)mant)
             : e == (1u << ebits) - 1 ? (m ? NAN : INFINITY)
                                      : ldexp(m + (1u << mant), (int)e - bias - (int)mant);
  return bits >> (mant + ebits) & 1 ? -v : v;
}

static uint32_t bits_of(float x) { return x != x ? 0x7fffffffu : f32_bits(x); }

/* The f16 nearest to x, by trying the neighbours of its truncation. */
static uint32_t f16_bits(float x) {
  if (x != x) return 0x7fff;
  uint32_t sign = signbit(x) ? 0x8000 : 0, lo = 0, hi = 0x7c00;
  double a = fabs((double)x);
  while (hi - lo > 1) { /* value(lo) <= a < value(hi), infinity standing for 65536 */
    uint32_t mid = (lo + hi) / 2;
    if (value(F16, mid) <= a) lo = mid;
    else hi = mid;
  }
  double below = a - value(F16, lo), above = (hi == 0x7c00 ? 65536.0 : value(F16, hi)) - a;
  return sign | (isinf(x) ? 0x7c00 : below < above ? lo : above < below ? hi : lo & 1 ? hi : lo);
}

/* Mostly of one size, so that sums round; now and then anything. */
static uint32_t random_bits(enum format f, bool wild) {
  uint32_t r = random32();
  if (wild && r % 13 == 0) {
    static const uint32_t odd[4][6] = {{0x7c00, 0xfc00, 0x7e01, 0x8000, 1, 0x7bff},
                                       {0x7f80, 0xff80, 0x7fc1, 0x8000, 1, 0x7f7f},
                                       {0x7f800000, 0xff800000, 0x7fc02000, 0x80000000, 0x2000, 0x7f7fffff},
                                       {0x7f800000, 0xff800000, 0x7fc00001, 0x80000000, 1, 0x7f7fffff}};
    return odd[f][random32() % 6];
  }
  switch (f) {
    case F16: return (r & 0x83ff) | (12 + random32() % 6) << 10;
    case BF16: return (r & 0x807f) | (124 + random32() % 6) << 7;
    default: return (r & 0x807fffff) | (124 + random32() % 6) << 23; /* of tf32 13 bits are noise */
  }
}

/* ---- mma ---- */

struct shape {
  const char *name;
  unsigned k;
  enum format in, acc;
  unsigned na, nb, nc, mmas; /* registers; instructions it becomes */
};
static const struct shape shapes[] = {
    {"m16n8k8", 8, F16, F16, 2, 1, 2, 1},  {"m16n8k16", 16, F16, F16, 4, 2, 2, 2},
    {"m16n8k8", 8, F16, F32, 2, 1, 4, 2},  {"m16n8k16", 16, F16, F32, 4, 2, 4, 2},
    {"m16n8k8", 8, BF16, F32, 2, 1, 4, 2}, {"m16n8k16", 16, BF16, F32, 4, 2, 4, 2},
    {"m16n8k4", 4, TF32, F32, 2, 1, 4, 2}, {"m16n8k8", 8, TF32, F32, 4, 2, 4, 2},
};

/* Row and column of element i of a lane's A, B and C, as the manual's tables say. */
static void place_a(const struct shape *s, unsigned lane, unsigned i, unsigned *row, unsigned *col) {
  unsigned group = lane >> 2, in_group = lane % 4;
  if (s->in == TF32) {
    *row = i == 0 || i == 2 ? group : group + 8;
    *col = i == 0 || i == 1 ? in_group : in_group + 4;
  } else if (s->k == 8) {
    *row = i == 0 || i == 1 ? group : group + 8;
    *col = in_group * 2 + (i & 1);
  } else {
    *row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
    *col = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
  }
}
static void place_b(const struct shape *s, unsigned lane, unsigned i, unsigned *row, unsigned *col) {
  unsigned in_group = lane % 4;
  *col = lane >> 2;
  if (s->in == TF32) *row = i == 0 ? in_group : in_group + 4;
  else *row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
}
static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *col) {
  *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
  *col = lane % 4 * 2 + (i & 1);
}

/* Of ldmatrix, element 0 or 1 of a lane's register. */
static void place_ld(bool trans, unsigned lane, unsigned i, unsigned *row, unsigned *col) {
  *row = trans ? lane % 4 * 2 + i : lane / 4;
  *col = trans ? lane / 4 : lane % 4 * 2 + i;
}

/* The rules above hold the model to themselves only; these hold them to what others published. Worked out by
 * hand from the thread-value layouts of NVIDIA's CUTLASS 3 (include/cute/atom/mma_traits_sm80.hpp; of
 * ldmatrix copy_traits_sm75.hpp); A's also from PTX ISA, "Matrix Fragments for mma.m16n8k8" and "m16n8k16".
 */
static void published_places(void **state) {
  (void)state;
  enum { K8_F16, K16_F16, K8_BF16 = 4, K16_BF16, K4_TF32, K8_TF32 }; /* in shapes[] */
  static const struct {
    unsigned shape, lane, i, row, col;
  } a[] = {{K8_F16, 0, 2, 8, 0},   {K8_F16, 1, 0, 0, 2},    {K8_F16, 5, 1, 1, 3},   {K8_F16, 31, 2, 15, 6},
           {K8_BF16, 0, 1, 0, 1},  {K8_BF16, 1, 3, 8, 3},   {K8_BF16, 5, 2, 9, 2},  {K8_BF16, 31, 1, 7, 7},
           {K16_F16, 0, 4, 0, 8},  {K16_F16, 1, 2, 8, 2},   {K16_F16, 5, 7, 9, 11}, {K16_F16, 31, 5, 7, 15},
           {K16_BF16, 0, 6, 8, 8}, {K16_BF16, 1, 4, 0, 10}, {K16_BF16, 5, 3, 9, 3}, {K16_BF16, 31, 6, 15, 14},
           {K4_TF32, 0, 1, 8, 0},  {K4_TF32, 1, 0, 0, 1},   {K4_TF32, 5, 1, 9, 1},  {K4_TF32, 31, 0, 7, 3},
           {K8_TF32, 0, 2, 0, 4},  {K8_TF32, 1, 1, 8, 1},   {K8_TF32, 5, 3, 9, 5},  {K8_TF32, 31, 2, 7, 7}},
    b[] = {{K8_F16, 0, 1, 1, 0},   {K8_F16, 1, 1, 3, 0},   {K8_F16, 5, 0, 2, 1},    {K8_F16, 31, 0, 6, 7},
           {K8_BF16, 0, 1, 1, 0},  {K8_BF16, 1, 0, 2, 0},  {K8_BF16, 5, 1, 3, 1},   {K8_BF16, 31, 1, 7, 7},
           {K16_F16, 0, 2, 8, 0},  {K16_F16, 1, 2, 10, 0}, {K16_F16, 5, 3, 11, 1},  {K16_F16, 31, 1, 7, 7},
           {K16_BF16, 0, 3, 9, 0}, {K16_BF16, 1, 1, 3, 0}, {K16_BF16, 5, 2, 10, 1}, {K16_BF16, 31, 2, 14, 7},
           {K4_TF32, 0, 0, 0, 0},  {K4_TF32, 1, 0, 1, 0},  {K4_TF32, 5, 0, 1, 1},   {K4_TF32, 31, 0, 3, 7},
           {K8_TF32, 0, 1, 4, 0},  {K8_TF32, 1, 1, 5, 0},  {K8_TF32, 5, 0, 1, 1},   {K8_TF32, 31, 1, 7, 7}},
    c[] = {{0, 0, 2, 8, 0}, {0, 1, 1, 0, 3}, {0, 5, 2, 9, 2}, {0, 31, 1, 7, 7}, {0, 31, 2, 15, 6}}, /* all */
      ld[] = {{0, 0, 1, 0, 1}, {0, 1, 1, 0, 3}, {0, 5, 0, 1, 2}, {0, 31, 0, 7, 6},                  /* shape: .trans */
              {1, 0, 1, 1, 0}, {1, 1, 0, 2, 0}, {1, 5, 0, 2, 1}, {1, 31, 0, 6, 7}};
  unsigned row, col;
#define ALL_OF(list, place)                                                                                     \
  for (unsigned k = 0; k < sizeof list / sizeof *list; k++) {                                                   \
    place;                                                                                                      \
    if (row != list[k].row || col != list[k].col) fail_msg(#list "[%u]: found row %u, column %u", k, row, col); \
  }
  ALL_OF(a, place_a(&shapes[a[k].shape], a[k].lane, a[k].i, &row, &col))
  ALL_OF(b, place_b(&shapes[b[k].shape], b[k].lane, b[k].i, &row, &col))
  ALL_OF(c, place_c(c[k].lane, c[k].i, &row, &col))
  ALL_OF(ld, place_ld(ld[k].shape, ld[k].lane, ld[k].i, &row, &col))
}

/* Element i of a lane in registers from `reg` on, 32 words each. */
static void set(uint32_t *words, unsigned reg, enum format f, unsigned lane, unsigned i, uint32_t bits) {
  if (f == F16 || f == BF16) words[(reg + i / 2) * 32 + lane] |= bits << 16 * (i & 1);
  else words[(reg + i) * 32 + lane] = bits;
}

static void registers(char **p, unsigned first, unsigned n) {
  text_put(p, "{");
  for (unsigned k = 0; k < n; k++) text_put(p, "%s%%r%u", k ? "," : "", first + k);
  text_put(p, "}");
}

/* D's registers: apart from all; C's; C's in another order; some of A's and B's. */
enum { APART, IN_PLACE, TURNED, OVER_AB, WAYS };

static void one_mma(const struct shape *s, int way, bool wild, struct bench *b) {
  static uint32_t a[16][16], bb[16][8], c[16][8];
  unsigned ra = 1, rb = ra + s->na, rc = rb + s->nb, n = rc + s->nc - 1, row, col;
  memset(b->in, 0, sizeof b->in);
  for (unsigned y = 0; y < 16; y++)
    for (unsigned k = 0; k < s->k; k++) a[y][k] = random_bits(s->in, wild);
  for (unsigned k = 0; k < s->k; k++)
    for (unsigned x = 0; x < 8; x++) bb[k][x] = random_bits(s->in, wild);
  for (unsigned y = 0; y < 16; y++)
    for (unsigned x = 0; x < 8; x++) c[y][x] = random_bits(s->acc, wild);
  unsigned per = s->in == TF32 ? 1 : 2;
  for (unsigned lane = 0; lane < 32; lane++) {
    for (unsigned i = 0; i < s->na * per; i++) {
      place_a(s, lane, i, &row, &col);
      set(b->in, ra - 1, s->in, lane, i, a[row][col]);
    }
    for (unsigned i = 0; i < s->nb * per; i++) {
      place_b(s, lane, i, &row, &col);
      set(b->in, rb - 1, s->in, lane, i, bb[row][col]);
    }
    for (unsigned i = 0; i < 4; i++) {
      place_c(lane, i, &row, &col);
      set(b->in, rc - 1, s->acc, lane, i, c[row][col]);
    }
  }
  unsigned d[4];
  for (unsigned k = 0; k < s->nc; k++)
    d[k] = way == APART ? n + 1 + k : way == IN_PLACE ? rc + k : way == TURNED ? rc + (k + 1) % s->nc : 0;
  if (way == OVER_AB) { /* what the second half still needs: rows 8 to 15 of A, B */
    d[0] = ra + 1;
    d[1] = rb;
    if (s->nc == 4) d[2] = ra, d[3] = rc + 3;
  }
  char text[4096], *p = text;
  text_put(&p, "%s", KERNEL);
  for (unsigned k = 1; k <= n; k++) text_put(&p, "ld.global.b32 %%r%u, [%%d1+%u];\n", k, (k - 1) * 128);
  text_put(&p, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s {", s->name, format_name[s->acc], format_name[s->in],
           format_name[s->in], format_name[s->acc]);
  for (unsigned k = 0; k < s->nc; k++) text_put(&p, "%s%%r%u", k ? "," : "", d[k]);
  text_put(&p, "}, ");
  registers(&p, ra, s->na);
  text_put(&p, ", ");
  registers(&p, rb, s->nb);
  text_put(&p, ", ");
  registers(&p, rc, s->nc);
  text_put(&p, ";\n");
  for (unsigned k = 0; k < s->nc; k++) text_put(&p, "st.global.b32 [%%d2+%u], %%r%u;\n", k * 128, d[k]);
  text_put(&p, "ret; }\n");
  run(text, b, 32);
  assert_int_equal(b->mmas, s->mmas);

  static uint32_t want[OUT];
  memset(want, 0, sizeof want);
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned i = 0; i < 4; i++) {
      place_c(lane, i, &row, &col);
      float sum = (float)value(s->acc, c[row][col]);
      for (unsigned k = 0; k < s->k; k++)
        sum = fmaf((float)value(s->in, a[row][k]), (float)value(s->in, bb[k][col]), sum);
      set(want, 0, s->acc, lane, i, s->acc == F16 ? f16_bits(sum) : bits_of(sum));
    }
  for (unsigned k = 0; k < s->nc * 32; k++)
    if (b->out[k] != want[k])
      fail_msg("%s %s to %s, way %d: register %u lane %u: found 0x%08x, expected 0x%08x", s->name, format_name[s->in],
               format_name[s->acc], way, k / 32, k % 32, b->out[k], want[k]);
}

static void mma(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  for (unsigned k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
    for (int way = 0; way < WAYS; way++)
      for (int round = 0; round < 6; round++) {
        seed = k * 100 + (unsigned)way * 10 + (unsigned)round;
        one_mma(&shapes[k], way, round >= 2, b);
      }
  free(b);
}

/* 2^24 + 1 - 2^24 is 0 in ascending k, since f32 has no 2^24 + 1; with the 1 last, or summed exactly, it
 * is 1. */
static void order_of_sum(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  /* bf16: a row of A is 2^12, 1, -2^12, 0 ...; a column of B 2^12, 1, 2^12, 0 ... */
  for (unsigned lane = 0; lane < 32; lane++) {
    b->in[lane] = lane % 4 == 0 ? 0x3f804580 : lane % 4 == 1 ? 0xc580 : 0; /* k 0, 1; k 2 */
    b->in[64 + lane] = lane % 4 == 0 ? 0x3f804580 : lane % 4 == 1 ? 0x4580 : 0;
  }
  run(KERNEL
      "ld.global.b32 %r1, [%d1]; ld.global.b32 %r2, [%d1+128]; ld.global.b32 %r3, [%d1+256];\n"
      "mov.f32 %f1, 0f00000000; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, "
      "{%r1,%r2}, {%r3}, {%f1,%f1,%f1,%f1}; st.global.f32 [%d2], %f1; st.global.f32 [%d2+128], %f3; ret; }\n",
      b, 32);
  for (unsigned lane = 0; lane < 64; lane++) assert_int_equal(b->out[lane], 0);
  free(b);
}

/* ---- ldmatrix ---- */

static void ldmatrix(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  seed = 5;
  for (unsigned w = 0; w < IN; w++) b->in[w] = random32();
  const uint16_t *shared = (const uint16_t *)b->in;
  for (unsigned n = 1; n <= 4; n *= 2)
    for (int trans = 0; trans < 2; trans++)
      for (int generic = 0; generic < 2; generic++) {
        /* the shared array is the first 4096 bytes of `in`; lane l names row (l * 5 + 3) % 32, 96 bytes apart
         */
        char text[4096], *p = text;
        text_put(&p, "%s", KERNEL);
        text_put(&p, "mov.u32 %%r1, s; shl.b32 %%r2, %%r0, 2; add.u32 %%r1, %%r1, %%r2;\n");
        for (unsigned k = 0; k < 32; k++)
          text_put(&p, "ld.global.b32 %%r3, [%%d1+%u]; st.shared.b32 [%%r1+%u], %%r3;\n", k * 128, k * 128);
        text_put(&p, "mad.lo.u32 %%r4, %%r0, 5, 3; and.b32 %%r4, %%r4, 31; mul.lo.u32 %%r4, %%r4, 96;\n");
        /* lanes that name no row have an address far away */
        text_put(&p, "setp.ge.u32 %%p1, %%r0, %u; @%%p1 mov.u32 %%r4, 0x1000001;\n", 8 * n);
        if (generic) text_put(&p, "cvt.u64.u32 %%d4, %%r4; cvta.shared.u64 %%d4, %%d4;\n");
        text_put(&p, "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 ", n, trans ? ".trans" : "", generic ? "" : ".shared");
        registers(&p, 10, n);
        text_put(&p, ", [%s+16];\n", generic ? "%d4" : "%r4");
        for (unsigned k = 0; k < n; k++) text_put(&p, "st.global.b32 [%%d2+%u], %%r%u;\n", k * 128, 10 + k);
        text_put(&p, "ret; }\n");
        run(text, b, 32);
        for (unsigned k = 0; k < n; k++)
          for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t want = 0;
            for (unsigned e = 0; e < 2; e++) {
              unsigned row, col;
              place_ld(trans, lane, e, &row, &col);
              unsigned at = ((k * 8 + row) * 5 + 3) % 32 * 96 + 16 + col * 2;
              want |= (uint32_t)shared[at / 2] << 16 * e;
            }
            assert_int_equal(b->out[k * 32 + lane], want);
          }
      }
  free(b);
}

/* ---- cp.async ---- */

static void cp_async(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  seed = 6;
  for (unsigned w = 0; w < IN; w++) b->in[w] = random32();
  for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
    for (int cg = 0; cg <= (bytes == 16); cg++)
      for (int sized = 0; sized < 3; sized++) {
        /* lane l copies from in + 48 (31 - l) to s + 16 l + 16 (over ones), all, l mod (bytes + 1), or no
         * bytes */
        char text[4096], *p = text;
        text_put(&p, "%s", KERNEL);
        text_put(&p,
                 "ld.param.u64 %%d4, [in]; sub.u32 %%r1, 31, %%r0; mul.wide.u32 %%d5, %%r1, 48; add.u64 %%d4, "
                 "%%d4, "
                 "%%d5;\nshl.b32 %%r2, %%r0, 4; mov.u32 %%r3, s; add.u32 %%r3, %%r3, %%r2; mov.u32 %%r4, -1;\n"
                 "st.shared.v4.b32 [%%r3+16], {%%r4,%%r4,%%r4,%%r4}; bar.sync 0; rem.u32 %%r5, %%r0, %u;\n",
                 bytes + 1);
        if (sized == 2) text_put(&p, "mov.u32 %%r5, 0;\n");
        if (sized) text_put(&p, "setp.eq.u32 %%p1, %%r5, 0; @%%p1 mov.b64 %%d4, 12;\n"); /* not read there */
        text_put(&p, "cp.async.%s.shared.global%s [%%r3+16], [%%d4%s], %u%s;\n", cg ? "cg" : "ca",
                 sized == 1 ? ".L2::128B" : "", sized ? "" : "+16", bytes, sized ? ", %r5" : "");
        text_put(&p, sized == 1 ? "cp.async.wait_all;\n" : "cp.async.commit_group;\ncp.async.wait_group 0;\n");
        text_put(&p, "bar.sync 0; ld.shared.v4.b32 {%%r10,%%r11,%%r12,%%r13}, [%%r3+16];\n");
        for (unsigned k = 0; k < 4; k++) text_put(&p, "st.global.b32 [%%d2+%u], %%r%u;\n", k * 128, 10 + k);
        text_put(&p, "ret; }\n");
        run(text, b, 32);
        for (unsigned lane = 0; lane < 32; lane++) {
          uint8_t want[16];
          unsigned n = sized == 0 ? bytes : sized == 1 ? lane % (bytes + 1) : 0;
          memset(want, 0xff, 16);
          memset(want, 0, bytes);
          memcpy(want, (const uint8_t *)b->in + 48 * (31 - lane) + (sized ? 0 : 16), n);
          uint32_t words[4];
          memcpy(words, want, 16);
          for (unsigned k = 0; k < 4; k++) assert_int_equal(b->out[k * 32 + lane], words[k]);
        }
      }
  free(b);
}

/* ---- what goes wrong while it runs ---- */

static void faults(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
#define MMA                                                                                \
  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, " \
  "{%f1,%f2,%f3,%f4};\n"
  fails(KERNEL "setp.lt.u32 %p1, %r0, 5; @%p1 " MMA "st.global.f32 [%d2], %f1; ret; }\n", b, 32,
        "mma by 5 lanes of a warp (0x0000001f), expected all 32");
  fails(KERNEL MMA "st.global.f32 [%d2], %f1; ret; }\n", b, 48, "mma by 16 lanes of a warp");
  fails(KERNEL "setp.lt.u32 %p1, %r0, 31; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s]; ret; }\n", b, 32,
        "ldmatrix by 31 lanes of a warp");
  fails(KERNEL "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s+8]; ret; }\n", b, 32,
        "load of 16 bytes at shared address 0x8 is misaligned: expected a multiple of 16");
  fails(KERNEL "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s+4096]; ret; }\n", b, 32,
        "load of 16 bytes at shared address 0x1000 is out of bounds");
  fails(KERNEL "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d1]; ret; }\n", b, 32, "expected shared memory");
  fails(KERNEL "ld.param.u64 %d4, [in]; cp.async.cg.shared.global [s+8], [%d4], 16; ret; }\n", b, 32,
        "copy to 16 bytes at shared address 0x8 is misaligned");
  fails(KERNEL "cp.async.ca.shared.global [s], [%d1+16381], 4; ret; }\n", b, 32, "copy from 4 bytes at global address");
  fails(KERNEL "cp.async.ca.shared.global [s], [%d1+16384], 4; ret; }\n", b, 32, "is out of bounds");
  fails(KERNEL "add.u64 %d4, %d1, 16380; cp.async.ca.shared.global [s], [%d4], 4, 3; ret; }\n", b, 32,
        "copy from 3 bytes at global address");
  fails(KERNEL "mov.u64 %d4, 0; cp.async.ca.shared.global [s], [%d4], 4; ret; }\n", b, 32,
        "copy from 4 bytes at global address 0x0 is out of bounds: a null pointer");
  fails(KERNEL "mov.u64 %d4, 0; cp.async.ca.shared.global [s], [%d4], 4, 3; ret; }\n", b, 32,
        "copy from 3 bytes at global address 0x0 is out of bounds: a null pointer");
  fails(KERNEL "add.u32 %r1, %r0, 1; cp.async.ca.shared.global [s], [%d1], 4, %r1; ret; }\n", b, 32,
        "cp.async of 4 bytes reads 5, expected no more");
  free(b);
}

/* ---- as `regtwin analyze` shows them ---- */

static void listing(void **state) {
  (void)state;
  static const char text[] = KERNEL MMA
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1,%r2}, [%r3+16]; cp.async.cg.shared.global "
      "[%r1+32], "
      "[%d1+64], 16, 8; cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_all; ret; }\n";
  static const char *const want[] = {"mma.m16n8k8.sync.rows0_7.f32.f16 %f1, %f2, %r1, %r3, %f1, %f2",
                                     "mma.m16n8k8.sync.rows8_15.f32.f16 %f3, %f4, %r2, %r3, %f3, %f4",
                                     "ldmatrix.sync.trans.shared.x2.b16 {%r1, %r2}, [%r3+16]",
                                     "cp.async.cg.shared.global [%r1+32], [%d1+64], 16, 8",
                                     "cp.async.commit_group",
                                     "cp.async.wait_group 2",
                                     "cp.async.wait_all",
                                     "exit"};
  struct err e = {0};
  struct module *m = ptx_parse("t.ptx", text, sizeof text - 1, &e);
  if (!m) fail_msg("%d:%d: %s", e.line, e.col, e.text);
  const struct code *c = &m->kernel[0];
  assert_true(c->n >= 8);
  for (unsigned k = 0; k < 8; k++) {
    char line[128];
    insn_print(c, c->n - 8 + k, line, sizeof line);
    assert_string_equal(line, want[k]);
  }
  module_free(m);
}

/* ---- time ---- */

/* `body`, `times` times in a loop, so that the instruction cache does not count. */
static uint64_t cycles(struct bench *b, const char *head, const char *body, unsigned times) {
  char text[8192], *p = text;
  static const char some[] = "add.u32 %r1, %r0, 2; mul.lo.u32 %r2, %r0, 3; add.u32 %r3, %r0, 1;\n";
  text_put(&p, "%s%s%s mov.u32 %%r30, 0;\nL: %s", KERNEL, some, head, body);
  text_put(&p, "add.u32 %%r30, %%r30, 1; setp.lt.u32 %%p8, %%r30, %u; @%%p8 bra L;\n", times);
  text_put(&p, "%s",
           "st.global.f32 [%d2], %f1; st.global.f32 [%d2], %f5; st.global.f32 [%d2], %f9;\n"
           "st.global.f32 [%d2], %f13; ret; }\n");
  run(text, b, 32);
  return b->stats.cycles;
}

/* Cycles for each of 1200 more of four steps with accumulators of their own. */
static uint64_t step_cycles(struct bench *b, const char *four) {
  char once[1024], often[4096], *p = once, *q = often;
  text_put(&p, "%s", four);
  text_put(&q, "%s%s%s%s", four, four, four, four);
  uint64_t few = cycles(b, "", once, 20), more = cycles(b, "", once, 120);
  uint64_t few4 = cycles(b, "", often, 20), more4 = cycles(b, "", often, 120);
  return ((more4 - few4) - (more - few)) / 1200;
}

/* Steps of one accumulator are a latency apart (and a cycle or two where operands share a bank), those of
 * four take the unit's time: with sums of f32 two intervals at k = 8, four at k = 16, of f16 half as many. */
static void tensor_time(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  struct config c;
  config_defaults(&c);
  uint64_t lat = (uint64_t)c.unit_tensor_latency, gap = (uint64_t)c.unit_tensor_interval;
#define FOUR(x) x x x x
#define STEP(f) "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {" f "}, {%r1,%r2}, {%r3}, {" f "};\n"
  uint64_t few = cycles(b, "", FOUR(MMA), 20), more = cycles(b, "", FOUR(MMA), 120);
  uint64_t few4 = cycles(b, "", FOUR(FOUR(MMA)), 20), more4 = cycles(b, "", FOUR(FOUR(MMA)), 120);
  assert_int_equal(b->stats.tensor_insns, 120 * 32);
  assert_in_range(((more4 - few4) - (more - few)) / 1200, lat, lat + 3); /* twelve steps more, a hundred times */
#define ALL STEP("%f1,%f2,%f3,%f4") STEP("%f5,%f6,%f7,%f8") STEP("%f9,%f10,%f11,%f12") STEP("%f13,%f14,%f15,%f16")
  assert_in_range(step_cycles(b, ALL), 2 * gap, 2 * gap + 3);
#undef STEP
#define STEP(f) "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {" f "}, {%r1,%r2,%r3,%r1}, {%r2,%r3}, {" f "};\n"
  assert_in_range(step_cycles(b, ALL), 4 * gap, 4 * gap + 3);
#undef STEP
#define HALVES(step) step("%r4,%r5") step("%r6,%r7") step("%r8,%r9") step("%r10,%r11")
#define STEP(r) "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {" r "}, {%r1,%r2}, {%r3}, {" r "};\n"
  assert_in_range(step_cycles(b, HALVES(STEP)), gap, gap + 3);
#undef STEP
#define STEP(r) "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {" r "}, {%r1,%r2,%r3,%r1}, {%r2,%r3}, {" r "};\n"
  assert_in_range(step_cycles(b, HALVES(STEP)), 2 * gap, 2 * gap + 3);
  free(b);
}

#define CHAIN "fma.rn.f32 %f1, %f1, %f1, %f1;\n"

/* A chain of arithmetic behind the wait begins when the copies are here; behind wait_group 1 when all but the
 * newest group are. */
static void wait_time(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
#define COPY "cp.async.cg.shared.global [%r9], [%d4], 16;\n"
#define PLACE "shl.b32 %r9, %r0, 4; ld.param.u64 %d4, [in]; mul.wide.u32 %d5, %r0, 16; add.u64 %d4, %d4, %d5;\n"
#define COMMIT "cp.async.commit_group;\n"
  uint64_t none = cycles(b, PLACE COPY COMMIT, CHAIN, 200);
  uint64_t newest = cycles(b, PLACE COPY COMMIT "cp.async.wait_group 1;\n", CHAIN, 200);
  uint64_t all = cycles(b, PLACE COPY COMMIT "cp.async.wait_group 0;\n", CHAIN, 200);
  uint64_t every = cycles(b, PLACE COPY "cp.async.wait_all;\n", CHAIN, 200);
  uint64_t open = cycles(b, PLACE COPY "cp.async.wait_group 0;\n", CHAIN, 200); /* no group has it yet */
  uint64_t older = cycles(b, PLACE COPY COMMIT COMMIT "cp.async.wait_group 1;\n", CHAIN, 200);
  uint64_t fence = cycles(b, PLACE COPY COMMIT "membar.cta;\n", CHAIN, 200); /* does not wait for copies */
  assert_true(newest >= none && newest < none + 40);
  assert_true(open >= none && open < none + 40);
  assert_true(fence >= none && fence < none + 40);
#define LOAD "ld.global.f32 %f5, [%d4];\n"
  uint64_t loads = cycles(b, PLACE LOAD, CHAIN, 200);
  uint64_t fenced = cycles(b, PLACE LOAD "membar.cta;\n", CHAIN, 200); /* waits for a load, however few there are */
  assert_true(fenced > loads + 150);
#undef LOAD
  assert_true(all > none + 150 && every > none + 150 && older > none + 150);
  /* more groups than a warp has counters for */
  cycles(b, PLACE, COPY COMMIT, 40);
  assert_int_equal(b->stats.shared_accesses, 40);
#define SIXTEEN FOUR(FOUR(COMMIT)) "cp.async.wait_group 0;\n"
  uint64_t oldest = cycles(b, PLACE, COPY SIXTEEN, 40);
  uint64_t empty = cycles(b, PLACE, "cp.async.cg.shared.global [%r9], [%d4], 16, 0;\n" SIXTEEN, 40);
  assert_true(oldest > empty + 40 * 100);
  free(b);
}

/* Passes over the banks: eight rows of 16 bytes at a time. The copy's own write counts too. */
static void bank_passes(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
#define LDM(n, regs) "ldmatrix.sync.aligned.m8n8.x" n ".shared.b16 {" regs "}, [%r9];\n"
  cycles(b, "shl.b32 %r9, %r0, 4;\n", LDM("4", "%r1,%r2,%r3,%r4"), 1);
  assert_int_equal(b->stats.shared_conflicts, 3);
  cycles(b, "shl.b32 %r9, %r0, 4;\n", LDM("2", "%r1,%r2"), 1);
  assert_int_equal(b->stats.shared_conflicts, 1);
  cycles(b, "shl.b32 %r9, %r0, 4;\n", LDM("1", "%r1"), 1);
  assert_int_equal(b->stats.shared_conflicts, 0);
  cycles(b, "shl.b32 %r9, %r0, 7; and.b32 %r9, %r9, 0xfff;\n", LDM("4", "%r1,%r2,%r3,%r4"), 1);
  assert_int_equal(b->stats.shared_conflicts, 31);
  cycles(b, "mul.lo.u32 %r9, %r0, 80;\n", LDM("4", "%r1,%r2,%r3,%r4"), 1);
  assert_int_equal(b->stats.shared_conflicts, 3);
  cycles(b, PLACE COPY, "", 1);
  assert_int_equal(b->stats.shared_conflicts, 3);
  assert_int_equal(b->stats.l1_bypass, 4);
  /* a column of shared memory: each write keeps the LSU for 32 passes, not 4; the lines are in the L1 */
#define COLUMN PLACE "shl.b32 %r9, %r0, 7; and.b32 %r9, %r9, 0xfff;\n"
#define CACHED "cp.async.ca.shared.global [%r9], [%d4], 16;\n"
  uint64_t row = cycles(b, PLACE, CACHED CACHED, 100), column = cycles(b, COLUMN, CACHED CACHED, 100);
  assert_int_equal(b->stats.shared_conflicts, 200 * 31);
  assert_in_range(column - row, 200 * 25, 200 * 28);
  /* a line for each lane: the LSU waits for MSHRs while copies land (and no statistic may depend on jumps) */
  cycles(b, COLUMN "mov.b64 %d6, %d4; mul.wide.u32 %d5, %r0, 128; ld.param.u64 %d4, [in]; add.u64 %d4, %d4, %d5;\n",
         "cp.async.ca.shared.global [%r9], [%d6], 16;\n" COPY COPY COPY, 20);
  assert_true(b->stats.lsu_stall_mshr > 100);
  free(b);
}

/* Nothing is in shared memory that was not waited for; the global value is that of the copy's time. */
static void copy_before_wait(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  b->in[0] = 5, b->in[1] = 6, b->in[2] = 7, b->in[3] = 8;
#define ONE(from) "cp.async.ca.shared.global [s+" #from "], [%d4+" #from "], 4;\n"
#define SEE(at) "ld.shared.u32 %r1, [s+" #at "]; st.global.u32 [%d2], %r1; add.u64 %d2, %d2, 128;\n"
  run(KERNEL "ld.param.u64 %d4, [in]; " ONE(0) COMMIT ONE(4) ONE(8) COMMIT ONE(12)
          SEE(0) "st.global.u32 [%d4], 99; cp.async.wait_group 1;\n" SEE(0) SEE(4)
              SEE(8) "cp.async.wait_group 0;\n" SEE(4) SEE(8) SEE(12) "cp.async.wait_all;\n" SEE(12) "ret; }\n",
      b, 32);
  static const uint32_t want[] = {0, 5, 0, 0, 6, 7, 0, 8};
  for (unsigned k = 0; k < 8; k++) assert_int_equal(b->out[32 * k], want[k]);
  free(b);
}

/* What the warp's own red adds is there for its copy. */
static void copy_behind_red(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  b->in[0] = 5;
  run(KERNEL
      "ld.param.u64 %d4, [in]; red.global.add.u32 [%d4], 2; cp.async.ca.shared.global [s], [%d4], 4;\n"
      "cp.async.wait_all; ld.shared.u32 %r1, [s]; st.global.u32 [%d2], %r1; ret; }\n",
      b, 32);
  assert_int_equal(b->out[0], 5 + 2 * 32);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_places), cmocka_unit_test(mma),
      cmocka_unit_test(order_of_sum),     cmocka_unit_test(ldmatrix),
      cmocka_unit_test(cp_async),         cmocka_unit_test(faults),
      cmocka_unit_test(tensor_time),      cmocka_unit_test(wait_time),
      cmocka_unit_test(bank_passes),      cmocka_unit_test(copy_behind_red),
      cmocka_unit_test(copy_before_wait), cmocka_unit_test(listing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integers: every integer function of OpenCL C 1.2 for all types and widths, 16-bit floats in memory with all roundings, atomics, and copies of
 * a group, against the same computed here.
 */
#define _GNU_SOURCE
#include "common.h"

enum { VALUES = 960 }; /* divisible by all widths */

typedef __int128 wide;

/* ---- integer functions ---- */

struct type {
  const char *name;
  unsigned bits;
  bool sign;
};
static const struct type types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
                                    {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};

static wide least(const struct type *t) { return t->sign ? -((wide)1 << (t->bits - 1)) : 0; }
static wide most(const struct type *t) { return ((wide)1 << (t->bits - (t->sign ? 1 : 0))) - 1; }
static wide saturated(const struct type *t, wide x) { return x < least(t) ? least(t) : x > most(t) ? most(t) : x; }
/* The low bits, as the type has them. */
static wide wrapped(const struct type *t, wide x) {
  wide m = x & (((wide)1 << t->bits) - 1);
  return t->sign && m >> (t->bits - 1) ? m - ((wide)1 << t->bits) : m;
}
static wide pattern(const struct type *t, wide x) { return x & (((wide)1 << t->bits) - 1); }
static wide bits_of(const struct type *t, wide x) { return __builtin_popcountll((unsigned long long)pattern(t, x)); }
static wide zeros_of(const struct type *t, wide x) {
  unsigned n = 0;
  while (n < t->bits && !(pattern(t, x) >> (t->bits - 1 - n) & 1)) n++;
  return n;
}
static wide rotated(const struct type *t, wide x, wide y) {
  unsigned n = (unsigned)(pattern(t, y) % t->bits);
  wide p = pattern(t, x);
  return n ? (p << n) | (p >> (t->bits - n)) : p;
}
static wide low24(const struct type *t, wide x) {
  return t->sign ? (x & 0xffffff) - (x & 0x800000 ? 0x1000000 : 0) : x & 0xffffff;
}

/* The product has up to 128 bits. */
static wide high(const struct type *t, wide x, wide y) {
  return t->sign ? (x * y) >> t->bits : (wide)(((unsigned __int128)x * (unsigned __int128)y) >> t->bits);
}

enum function {
  ABS,
  ABS_DIFF,
  ADD_SAT,
  CLAMP,
  CLZ,
  HADD,
  MAD_HI,
  MAD_SAT,
  MAX,
  MIN,
  MUL_HI,
  POPCOUNT,
  RHADD,
  ROTATE,
  SUB_SAT,
  MAD24,
  MUL24,
  FUNCTIONS
};
static const struct {
  const char *call;
  bool unsigned_result, only_32;
} functions[] = {[ABS] = {"abs(x)", true, false},
                 [ABS_DIFF] = {"abs_diff(x, y)", true, false},
                 [ADD_SAT] = {"add_sat(x, y)", false, false},
                 [CLAMP] = {"clamp(x, min(y, z), max(y, z))", false, false},
                 [CLZ] = {"clz(x)", false, false},
                 [HADD] = {"hadd(x, y)", false, false},
                 [MAD_HI] = {"mad_hi(x, y, z)", false, false},
                 [MAD_SAT] = {"mad_sat(x, y, z)", false, false},
                 [MAX] = {"max(x, y)", false, false},
                 [MIN] = {"min(x, y)", false, false},
                 [MUL_HI] = {"mul_hi(x, y)", false, false},
                 [POPCOUNT] = {"popcount(x)", false, false},
                 [RHADD] = {"rhadd(x, y)", false, false},
                 [ROTATE] = {"rotate(x, y)", false, false},
                 [SUB_SAT] = {"sub_sat(x, y)", false, false},
                 [MAD24] = {"mad24(x, y, z)", false, true},
                 [MUL24] = {"mul24(x, y)", false, true}};

static wide expected(const struct type *t, enum function f, wide x, wide y, wide z) {
  switch (f) {
    case ABS: return x < 0 ? -x : x;
    case ABS_DIFF: return x < y ? y - x : x - y;
    case ADD_SAT: return saturated(t, x + y);
    case CLAMP: {
      wide lo = y < z ? y : z, hi = y < z ? z : y;
      return x < lo ? lo : x > hi ? hi : x;
    }
    case CLZ: return zeros_of(t, x);
    case HADD: return (x + y) >> 1;
    case MAD_HI: return high(t, x, y) + z;
    case MAD_SAT: return !t->sign && x && y > most(t) / x ? most(t) : saturated(t, x * y + z);
    case MAX: return x > y ? x : y;
    case MIN: return x < y ? x : y;
    case MUL_HI: return high(t, x, y);
    case POPCOUNT: return bits_of(t, x);
    case RHADD: return (x + y + 1) >> 1;
    case ROTATE: return rotated(t, x, y);
    case SUB_SAT: return saturated(t, x - y);
    case MAD24: return low24(t, x) * low24(t, y) + z;
    case MUL24: return low24(t, x) * low24(t, y);
    default: return 0;
  }
}

static const unsigned widths[] = {1, 2, 3, 4, 8, 16};

static char *source_of(const struct type *t) {
  char *text = NULL;
  size_t n = 0;
  FILE *o = open_memstream(&text, &n);
  for (unsigned w = 0; w < 6; w++) {
    char width[16] = "", load[3][40];
    if (w) snprintf(width, sizeof width, "%u", widths[w]);
    for (unsigned j = 0; j < 3; j++)
      snprintf(load[j], sizeof load[j], w ? "vload%s(i, %s)" : "%s%s[i]", width, &"a\0b\0c"[2 * j]);
    fprintf(o,
            "kernel void w%u(global const %s *a, global const %s *b, global const %s *c, global %s *o) {\n"
            "  size_t i = get_global_id(0), n = get_global_size(0);\n  %s%s x = %s, y = %s, z = %s;\n",
            widths[w], t->name, t->name, t->name, t->name, t->name, width, load[0], load[1], load[2]);
    for (unsigned f = 0; f < FUNCTIONS; f++) {
      if (functions[f].only_32 && t->bits != 32) continue;
      const char *call = functions[f].call;
      if (w) fprintf(o, "  vstore%s(as_%s%s(%s), %u * n + i, o);\n", width, t->name, width, call, f);
      else fprintf(o, "  o[%u * n + i] = as_%s(%s);\n", f, t->name, call);
    }
    fprintf(o, "}\n");
  }
  fclose(o);
  return text;
}

static wide value(const struct type *t, uint32_t *state, unsigned i, unsigned j) {
  static const unsigned step[] = {1, 9, 81};
  const wide special[] = {0, 1, -1, 2, least(t), most(t), most(t) / 2, least(t) + 1, 3};
  if (i < 729) return wrapped(t, special[i / step[j] % 9]);
  return wrapped(t, ((wide)random_below(state, 1 << 24) << 44) ^ ((wide)random_below(state, 1 << 24) << 22) ^
                        random_below(state, 1 << 24));
}

static wide element(const struct type *t, const uint8_t *p, unsigned i) {
  uint64_t x = 0;
  memcpy(&x, p + i * (t->bits / 8), t->bits / 8);
  return wrapped(t, x);
}

static void test_type(const struct gpu *g, const struct type *t) {
  static uint8_t in[3][8 * VALUES], out[FUNCTIONS * 8 * VALUES];
  const unsigned bytes = t->bits / 8;
  uint32_t state = 5;
  cl_mem m[4];
  for (unsigned j = 0; j < 3; j++) {
    for (unsigned i = 0; i < VALUES; i++) {
      uint64_t x = (uint64_t)value(t, &state, i, j);
      memcpy(&in[j][i * bytes], &x, bytes);
    }
    m[j] = buffer_of(g, VALUES * bytes, in[j]);
  }
  m[3] = buffer_of(g, FUNCTIONS * VALUES * bytes, NULL);
  char *text = source_of(t);
  cl_program p = program_of(g, text, NULL);
  free(text);
  bool good[FUNCTIONS];
  for (unsigned f = 0; f < FUNCTIONS; f++) good[f] = true;
  for (unsigned w = 0; w < 6; w++) {
    char name[16];
    snprintf(name, sizeof name, "w%u", widths[w]);
    cl_kernel k = kernel_of(p, name);
    for (unsigned j = 0; j < 4; j++) ARG(k, j, m[j]);
    run_1d(g, k, VALUES / widths[w], 0);
    read_back(g, m[3], out, FUNCTIONS * VALUES * bytes);
    OK(clReleaseKernel(k));
    for (unsigned f = 0; f < FUNCTIONS; f++) {
      for (unsigned i = 0; i < VALUES && good[f] && !(functions[f].only_32 && t->bits != 32); i++) {
        const wide x = element(t, in[0], i), y = element(t, in[1], i), z = element(t, in[2], i);
        const wide want = wrapped(t, expected(t, f, x, y, z)), found = element(t, out, f * VALUES + i);
        good[f] = want == found;
        if (!good[f]) {
          printf("  %s of %s, width %u: %lld %lld %lld: found %lld, expected %lld\n", functions[f].call, t->name,
                 widths[w], (long long)x, (long long)y, (long long)z, (long long)found, (long long)want);
        }
      }
    }
  }
  for (unsigned f = 0; f < FUNCTIONS; f++) {
    if (!functions[f].only_32 || t->bits == 32) check(good[f], "%s of %s", functions[f].call, t->name);
  }
  for (unsigned j = 0; j < 4; j++) OK(clReleaseMemObject(m[j]));
  OK(clReleaseProgram(p));
}

/* ---- 16-bit floats ---- */

static double half_value(uint16_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h & 0x8000 ? -v : v;
}

/* round: 0 to nearest even, 1 to zero, 2 up, 3 down. By search: halves of one sign are in order. */
static uint16_t half_of(double x, int round) {
  if (isnan(x)) return 0x7e00;
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  const double a = fabs(x);
  unsigned lo = 0;
  for (unsigned bit = 0x4000; bit; bit >>= 1) {
    if ((lo | bit) <= 0x7c00 && half_value((uint16_t)(lo | bit)) <= a) lo |= bit;
  }
  if (lo == 0x7c00 || half_value((uint16_t)lo) == a) return (uint16_t)(sign | lo);
  const double below = half_value((uint16_t)lo), above = lo + 1 == 0x7c00 ? 65536 : half_value((uint16_t)(lo + 1));
  const bool away = round == 0   ? a - below > above - a || (a - below == above - a && (lo & 1))
                    : round == 2 ? !sign
                    : round == 3 ? sign != 0
                                 : false;
  return (uint16_t)(sign | (lo + away));
}

static bool same_half(uint16_t a, uint16_t b) { return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00); }

static const char halves_source[] =
    "kernel void load(global const half *h, global float *f, global float *g) {\n"
    "  size_t i = get_global_id(0);\n  f[i] = vload_half(i, h);\n"
    "  if (i % 16 == 0) vstore16(vload_half16(i / 16, h), i / 16, g);\n}\n"
    "kernel void load3(global const half *h, global float *f, global float *a, local half *l, constant half *c, global "
    "float *s) {\n"
    "  size_t i = get_global_id(0);\n  vstore3(vload_half3(i, h), i, f);\n  vstore3(vloada_half3(i, h), i, a);\n"
    "  for (int j = 0; j < 4; j++) vstore_half_rtz(vload_half(4 * i + j, h), 4 * get_local_id(0) + j, l);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  vstore4(vload_half4(get_local_id(0), l) + vload_half4(i, c), i, s);\n}\n"
    "#define STORE(name, t) kernel void name(global const t *v, global half *o, global half *q) {\\\n"
    "  size_t i = get_global_id(0), n = get_global_size(0);\\\n"
    "  vstore_half(v[i], i, o); vstore_half_rte(v[i], n + i, o); vstore_half_rtz(v[i], 2 * n + i, o);\\\n"
    "  vstore_half_rtp(v[i], 3 * n + i, o); vstore_half_rtn(v[i], 4 * n + i, o);\\\n"
    "  if (i % 8 == 0) { t##8 x = vload8(i / 8, v); vstore_half8(x, i / 8, q); vstore_half8_rtp(x, n / 8 + i / 8, q); "
    "} }\n"
    "STORE(store_float, float)\nSTORE(store_double, double)\n";

static void test_load(const struct gpu *g, cl_program p) {
  static uint16_t h[65536];
  static float f[65536], v[65536];
  for (unsigned i = 0; i < 65536; i++) h[i] = (uint16_t)i;
  cl_mem in = buffer_of(g, sizeof h, h), out = buffer_of(g, sizeof f, NULL), vec = buffer_of(g, sizeof f, NULL);
  cl_kernel k = kernel_of(p, "load");
  ARG(k, 0, in);
  ARG(k, 1, out);
  ARG(k, 2, vec);
  run_1d(g, k, 65536, 256);
  read_back(g, out, f, sizeof f);
  read_back(g, vec, v, sizeof v);
  unsigned bad = 0;
  for (unsigned i = 0; i < 65536; i++) {
    const double want = half_value((uint16_t)i);
    bad += !(f[i] == want || (isnan(f[i]) && isnan(want))) || !(v[i] == want || (isnan(v[i]) && isnan(want)));
  }
  check(!bad, "vload_half and vload_half16 of all 65536 values");
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseMemObject(vec));
}

static void test_load3(const struct gpu *g, cl_program p) {
  enum { N = 64 };
  uint16_t h[4 * N];
  float f[3 * N], a[3 * N], s[4 * N];
  for (unsigned i = 0; i < 4 * N; i++) h[i] = (uint16_t)(0x3000 + 7 * i);
  cl_mem in = buffer_of(g, sizeof h, h), mf = buffer_of(g, sizeof f, NULL), ma = buffer_of(g, sizeof a, NULL),
         ms = buffer_of(g, sizeof s, NULL);
  cl_kernel k = kernel_of(p, "load3");
  ARG(k, 0, in);
  ARG(k, 1, mf);
  ARG(k, 2, ma);
  OK(clSetKernelArg(k, 3, 4 * 16 * 2, NULL));
  ARG(k, 4, in);
  ARG(k, 5, ms);
  run_1d(g, k, N, 16);
  read_back(g, mf, f, sizeof f);
  read_back(g, ma, a, sizeof a);
  read_back(g, ms, s, sizeof s);
  bool three = true, aligned = true, spaces = true;
  for (unsigned i = 0; i < N; i++) {
    for (unsigned j = 0; j < 3; j++) {
      three &= f[3 * i + j] == half_value(h[3 * i + j]);
      aligned &= a[3 * i + j] == half_value(h[4 * i + j]);
    }
    for (unsigned j = 0; j < 4; j++) spaces &= s[4 * i + j] == 2 * half_value(h[4 * i + j]);
  }
  check(three, "vload_half3: elements without a gap");
  check(aligned, "vloada_half3: each fourth is left out");
  check(spaces, "in local and constant memory");
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(mf));
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(ms));
}

static void test_store(const struct gpu *g, cl_program p, bool doubles) {
  enum { N = 2048 };
  static float f[N];
  static double d[N];
  static uint16_t o[5 * N], q[2 * N];
  uint32_t state = 3;
  const double special[] = {0,   -0.0,    65504,   65520,     65519.9, -65536,   1e30, INFINITY, -INFINITY,
                            NAN, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-26, -0x1p-14, 2049, 2051};
  for (unsigned i = 0; i < N; i++) {
    double x = i < sizeof special / sizeof *special
                   ? special[i]
                   : ldexp(1 + random_below(&state, 1 << 23) / 0x1p23, (int)random_below(&state, 44) - 27) *
                         (random_below(&state, 2) ? 1 : -1);
    f[i] = (float)x;
    d[i] = doubles ? x : (double)f[i];
  }
  cl_mem in = doubles ? buffer_of(g, sizeof d, d) : buffer_of(g, sizeof f, f), out = buffer_of(g, sizeof o, NULL),
         vec = buffer_of(g, sizeof q, NULL);
  cl_kernel k = kernel_of(p, doubles ? "store_double" : "store_float");
  ARG(k, 0, in);
  ARG(k, 1, out);
  ARG(k, 2, vec);
  run_1d(g, k, N, 256);
  read_back(g, out, o, sizeof o);
  read_back(g, vec, q, sizeof q);
  static const int rounding[] = {0, 0, 1, 2, 3};
  static const char *const names[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  for (unsigned r = 0; r < 5; r++) {
    unsigned bad = 0, at = 0;
    for (unsigned i = 0; i < N; i++) {
      if (!same_half(o[r * N + i], half_of(d[i], rounding[r]))) bad++, at = i;
    }
    check(!bad, "vstore_half%s of %s", names[r], doubles ? "double" : "float");
    if (bad)
      printf("  %u, such as %a: found %04x, expected %04x\n", bad, d[at], o[r * N + at], half_of(d[at], rounding[r]));
  }
  unsigned bad = 0;
  for (unsigned i = 0; i < N; i++) bad += !same_half(q[i], half_of(d[i], 0)) || !same_half(q[N + i], half_of(d[i], 2));
  check(!bad, "vstore_half8, vstore_half8_rtp of %s", doubles ? "double" : "float");
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseMemObject(vec));
}

/* ---- atomics, copies ---- */

static const char group_source[] =
    "#define EACH(p) atomic_add(p, 3); atomic_sub(p + 1, 2); atomic_inc(p + 2); atomic_dec(p + 3); atomic_min(p + 4, "
    "(int)i - 50);\\\n"
    "  atomic_max(p + 5, (int)i); atomic_and(p + 6, ~(1 << (i & 15))); atomic_or(p + 7, 1 << (i & 31)); atomic_xor(p + "
    "8, 1 << (i & 31));\\\n"
    "  atomic_cmpxchg(p + 9, 7, 8); atomic_xchg(p + 10, 9);\n"
    "kernel void atomics(global int *p, global uint *u, global float *f) {\n"
    "  local int l[11]; size_t i = get_global_id(0);\n"
    "  if (get_local_id(0) < 11) l[get_local_id(0)] = get_local_id(0) == 9 ? 7 : get_local_id(0) == 6 ? -1 : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n  EACH(p)\n  EACH(l)\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) == 0 && get_group_id(0) == 0) for (int j = 0; j < 11; j++) p[16 + j] = l[j];\n"
    "  atom_add(u, 5u); atomic_min(u + 1, (uint)i); atomic_max(u + 2, (uint)i);\n"
    "  atomic_xchg(f, 2.5f);\n}\n"
    "kernel void copies(global const float3 *in, global float3 *out, global const short *s, global short *t, local "
    "float3 *l) {\n"
    "  local short m[96]; size_t n = get_local_size(0), g = get_group_id(0);\n"
    "  event_t e[2];\n  prefetch(in, 1);\n"
    "  e[0] = async_work_group_copy(l, in + g * n, n, 0);\n"
    "  e[1] = async_work_group_strided_copy(m, s + g * 192, 96, 2, 0);\n"
    "  wait_group_events(2, e);\n"
    "  l[get_local_id(0)] = l[get_local_id(0)].zyx;\n"
    "  for (size_t j = get_local_id(0); j < 96; j += n) m[j] += 1;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  e[0] = async_work_group_copy(out + g * n, l, n, 0);\n"
    "  e[1] = async_work_group_strided_copy(t + g * 192, m, 96, 2, e[0]);\n"
    "  wait_group_events(2, e);\n}\n"
    /* clang-14 must not take the array for the work item's own across a barrier */
    "kernel void turns(global int *o) {\n"
    "  local int a[64]; int l = get_local_id(0), sum = 0;\n"
    "  for (int j = 0; j < 4; j++) {\n    a[l] = l + j;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    sum += a[(l + 1) & "
    "63];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n    a[63 - l] = 1000 * j;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    sum += "
    "a[l];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  o[get_global_id(0)] = sum;\n}\n";

static void test_atomics(const struct gpu *g, cl_program p) {
  int v[32] = {[6] = -1, [9] = 7};
  unsigned u[3] = {0, 1000, 0};
  float f = 0;
  cl_mem mv = buffer_of(g, sizeof v, v), mu = buffer_of(g, sizeof u, u), mf = buffer_of(g, sizeof f, &f);
  cl_kernel k = kernel_of(p, "atomics");
  ARG(k, 0, mv);
  ARG(k, 1, mu);
  ARG(k, 2, mf);
  run_1d(g, k, 128, 64);
  read_back(g, mv, v, sizeof v);
  read_back(g, mu, u, sizeof u);
  read_back(g, mf, &f, sizeof f);
  const int global[] = {384, -256, 128, -128, -50, 127, (int)0xffff0000, -1, 0, 8, 9},
            local[] = {192, -128, 64, -64, -50, 63, (int)0xffff0000, -1, 0, 8, 9};
  check(!memcmp(v, global, sizeof global), "atomics in global memory");
  check(!memcmp(v + 16, local, sizeof local), "atomics in local memory");
  check(u[0] == 640 && u[1] == 0 && u[2] == 127, "of unsigned numbers");
  check(f == 2.5f, "atomic_xchg of a float");
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(mv));
  OK(clReleaseMemObject(mu));
  OK(clReleaseMemObject(mf));
}

static void test_copies(const struct gpu *g, cl_program p) {
  enum { GROUPS = 3, SIZE = 40 };
  float in[GROUPS * SIZE][4], out[GROUPS * SIZE][4];
  int16_t s[GROUPS * 192], t[GROUPS * 192];
  for (int i = 0; i < GROUPS * SIZE; i++) {
    for (int j = 0; j < 4; j++) in[i][j] = (float)(4 * i + j);
  }
  for (int i = 0; i < GROUPS * 192; i++) s[i] = (int16_t)i;
  cl_mem m[] = {buffer_of(g, sizeof in, in), buffer_of(g, sizeof out, NULL), buffer_of(g, sizeof s, s),
                buffer_of(g, sizeof t, NULL)};
  cl_kernel k = kernel_of(p, "copies");
  for (cl_uint j = 0; j < 4; j++) ARG(k, j, m[j]);
  OK(clSetKernelArg(k, 4, SIZE * 16, NULL));
  run_1d(g, k, GROUPS * SIZE, SIZE);
  read_back(g, m[1], out, sizeof out);
  read_back(g, m[3], t, sizeof t);
  bool vectors = true, strided = true;
  for (int i = 0; i < GROUPS * SIZE; i++)
    vectors &= out[i][0] == in[i][2] && out[i][1] == in[i][1] && out[i][2] == in[i][0];
  for (int i = 0; i < GROUPS * 192; i++) strided &= t[i] == (i % 2 ? 0 : s[i] + 1);
  check(vectors, "async_work_group_copy of float3");
  check(strided, "async_work_group_strided_copy");
  OK(clReleaseKernel(k));
  for (unsigned j = 0; j < 4; j++) OK(clReleaseMemObject(m[j]));
}

static void test_turns(const struct gpu *g, cl_program p) {
  int out[128];
  cl_mem m = buffer_of(g, sizeof out, NULL);
  cl_kernel k = kernel_of(p, "turns");
  ARG(k, 0, m);
  run_1d(g, k, 128, 64);
  read_back(g, m, out, sizeof out);
  bool good = true;
  for (int i = 0; i < 128; i++) good &= out[i] == 4 * ((i + 1) & 63) + 6 + 6000;
  check(good, "a __local array written by other work items between barriers");
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(m));
}

static void test_print(const struct gpu *g) {
  cl_program p = program_of(
      g,
      "kernel void print(char c) {\n"
      "  printf(\"%d %c %.1f %s %5.2v4hlf|%v3d|%v2hhu|%#v2lx %v4hd %v5d %% %d\\n\", c, 'a', 1.5f, \"s\", (float4)(1, "
      "2, 3, 4),\n"
      "    (int3)(-1, 2, 3), (uchar2)(255, 1), (ulong2)(1, 255), (short4)(-1, 0, 1, 2), 7);\n"
      "  printf(\"%v2f %v16x\\n\", (float2)(0.5f, -0.0f), (uint16)(15));\n  printf(\"no arguments\\n\");\n}\n",
      "-Werror -w");
  cl_kernel k = kernel_of(p, "print");
  const cl_char c = -3;
  ARG(k, 0, c);
  fflush(stdout);
  run_1d(g, k, 1, 1);
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

int main(void) {
  struct gpu g = gpu_open(0);
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++) test_type(&g, &types[i]);
  cl_program p = program_of(&g, halves_source, NULL);
  test_load(&g, p);
  test_load3(&g, p);
  test_store(&g, p, false);
  test_store(&g, p, true);
  OK(clReleaseProgram(p));
  p = program_of(&g, group_source, NULL);
  test_atomics(&g, p);
  test_copies(&g, p);
  test_turns(&g, p);
  OK(clReleaseProgram(p));
  test_print(&g);
  gpu_close(&g);
  return finish();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accuracy: every function of floats of OpenCL C 1.2, on values of all kinds, against the C library's long double, within the error that the
 * specification allows (7.4; in units in the last place), and each vector width against the scalar function, bit for bit. native_* and
 * half_* against looser bounds.  accuracy [float|double [FUNCTION]]
 */
#define _GNU_SOURCE
#include "common.h"

#include <float.h>

enum {
  VALUES = 960, /* divisible by all widths */
  TOGETHER = 16 /* functions of a program: most of the time goes into starting the compiler */
};

typedef long double real;
#define PI M_PIl

/* ---- references; x, y, z as the function takes them ---- */

#define R1(name, f) \
  static real name(real x, real y, real z) { return (void)y, (void)z, (f); }
#define R2(name, f) \
  static real name(real x, real y, real z) { return (void)z, (f); }
#define R3(name, f) \
  static real name(real x, real y, real z) { return (f); }

static real sin_of_pi(real x) {
  real r = fmodl(fabsl(x), 2), s = copysignl(1, x);
  if (r >= 1) s = -s, r -= 1;
  return s * (r > 0.5L ? sinl(PI * (1 - r)) : sinl(PI * r));
}
static real cos_of_pi(real x) {
  real r = fmodl(fabsl(x), 2);
  if (r > 1) r = 2 - r;
  return r == 0.5L ? 0 : r > 0.5L ? -cosl(PI * (1 - r)) : cosl(PI * r);
}
static real tan_of_pi(real x) {
  real c = cos_of_pi(x), s = sin_of_pi(x);
  return c == 0 ? copysignl(INFINITY, s) : s / c;
}
static real cube_root_n(real x, real y) {
  if (y == 0 || (x < 0 && fmodl(y, 2) == 0)) return NAN;
  real r = powl(fabsl(x), 1 / y);
  return signbit(x) && fmodl(y, 2) != 0 ? -r : r;
}
static real power_real(real x, real y) {
  if (x < 0 || isnan(x) || isnan(y)) return NAN;
  if ((x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y))) return NAN;
  return powl(fabsl(x), y);
}
R1(r_acos, acosl(x))
R1(r_acosh, acoshl(x))
R1(r_acospi, acosl(x) / PI)
R1(r_asin, asinl(x))
R1(r_asinh, asinhl(x))
R1(r_asinpi, asinl(x) / PI)
R1(r_atan, atanl(x))
R1(r_atanh, atanhl(x))
R1(r_atanpi, atanl(x) / PI)
R1(r_cbrt, cbrtl(x))
R1(r_ceil, ceill(x))
R1(r_cos, cosl(x))
R1(r_cosh, coshl(x))
R1(r_cospi, cos_of_pi(x))
R1(r_erf, erfl(x))
R1(r_erfc, erfcl(x))
R1(r_exp, expl(x))
R1(r_exp2, exp2l(x))
R1(r_exp10, exp10l(x))
R1(r_expm1, expm1l(x))
R1(r_fabs, fabsl(x))
R1(r_floor, floorl(x))
R1(r_log, logl(x))
R1(r_log10, log10l(x))
R1(r_log1p, log1pl(x))
R1(r_log2, log2l(x))
R1(r_logb, logbl(x))
R1(r_rint, rintl(x))
R1(r_round, roundl(x))
R1(r_rsqrt, 1 / sqrtl(x))
R1(r_sin, sinl(x))
R1(r_sinh, sinhl(x))
R1(r_sinpi, sin_of_pi(x))
R1(r_sqrt, sqrtl(x))
R1(r_tan, tanl(x))
R1(r_tanh, tanhl(x))
R1(r_tanpi, tan_of_pi(x))
R1(r_tgamma, tgammal(x))
R1(r_trunc, truncl(x))
R1(r_recip, 1 / x)
R1(r_degrees, x * 180 / PI)
R1(r_radians, x *PI / 180)
R1(r_sign, isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x)
R2(r_atan2, atan2l(x, y))
R2(r_atan2pi, atan2l(x, y) / PI)
R2(r_copysign, copysignl(x, y))
R2(r_fdim, fdiml(x, y))
R2(r_fmax, fmaxl(x, y))
R2(r_fmin, fminl(x, y))
R2(r_fmod, fmodl(x, y))
R2(r_hypot, hypotl(x, y))
R2(r_maxmag, fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y))
R2(r_minmag, fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y))
R2(r_pow, powl(x, y))
R2(r_powr, power_real(x, y))
R2(r_remainder, remainderl(x, y))
R2(r_divide, x / y)
R2(r_plus, x + y)
R2(r_times, x *y)
R2(r_step, y < x ? 0 : 1)
R2(r_ldexp, ldexpl(x, (int)y))
R2(r_rootn, cube_root_n(x, y))
static bool doubles;
static real fraction(real x) {
  real f = x - floorl(x), most = doubles ? 0x1.fffffffffffffp-1L : 0x1.fffffep-1L;
  return isinf(x) ? copysignl(0, x) : isnan(x) ? x : f < most ? f : most;
}
static real modf_of(real x, bool whole) {
  real w, f = modfl(x, &w);
  return whole ? w : f;
}
static real frexp_of(real x) {
  int e;
  return frexpl(x, &e);
}
static real quotient_rest(real x, real y) { return remainderl(x, y); }
R1(r_fract, fraction(x))
R1(r_modf, modf_of(x, false))
R1(r_modf_whole, modf_of(x, true))
R1(r_frexp, frexp_of(x))
R2(r_remquo, quotient_rest(x, y))
R2(r_nextafter, doubles ? nextafter((double)x, (double)y) : nextafterf((float)x, (float)y))
R3(r_fma, fmal(x, y, z))
R3(r_clamp, fminl(fmaxl(x, y), z))

/* ---- what is tested ---- */

/* The arguments, a letter for each: f any float; i an int; + between 2^-20 and 2^20; h above 2; 1 between -1 and 1, away from 0; c
 * bounds of clamp; t up to 2^16; e exponents, of which no power overflows. */
struct function {
  const char *name, *arguments, *call; /* call: NULL, or the expression of x, y, z */
  double ulp32, ulp64;                 /* -1: not of this type; 0: exact */
  real (*reference)(real, real, real);
};
static const struct function functions[] = {
    {"acos", "f", NULL, 4, 4, r_acos},
    {"acosh", "f", NULL, 4, 4, r_acosh},
    {"acospi", "f", NULL, 5, 5, r_acospi},
    {"asin", "f", NULL, 4, 4, r_asin},
    {"asinh", "f", NULL, 4, 4, r_asinh},
    {"asinpi", "f", NULL, 5, 5, r_asinpi},
    {"atan", "f", NULL, 5, 5, r_atan},
    {"atanh", "f", NULL, 5, 5, r_atanh},
    {"atanpi", "f", NULL, 5, 5, r_atanpi},
    {"atan2", "ff", NULL, 6, 6, r_atan2},
    {"atan2pi", "ff", NULL, 6, 6, r_atan2pi},
    {"cbrt", "f", NULL, 2, 2, r_cbrt},
    {"ceil", "f", NULL, 0, 0, r_ceil},
    {"copysign", "ff", NULL, 0, 0, r_copysign},
    {"cos", "f", NULL, 4, 4, r_cos},
    {"cosh", "f", NULL, 4, 4, r_cosh},
    {"cospi", "f", NULL, 4, 4, r_cospi},
    {"erf", "f", NULL, 16, 16, r_erf},
    {"erfc", "f", NULL, 16, 16, r_erfc},
    {"exp", "f", NULL, 3, 3, r_exp},
    {"exp2", "f", NULL, 3, 3, r_exp2},
    {"exp10", "f", NULL, 3, 3, r_exp10},
    {"expm1", "f", NULL, 3, 3, r_expm1},
    {"fabs", "f", NULL, 0, 0, r_fabs},
    {"fdim", "ff", NULL, 0.5, 0.5, r_fdim},
    {"floor", "f", NULL, 0, 0, r_floor},
    {"fma", "fff", NULL, 0.5, 0.5, r_fma},
    {"fmax", "ff", NULL, 0, 0, r_fmax},
    {"fmin", "ff", NULL, 0, 0, r_fmin},
    {"fmod", "ff", NULL, 0, 0, r_fmod},
    {"hypot", "ff", NULL, 4, 4, r_hypot},
    {"ldexp", "fi", NULL, 0.5, 0.5, r_ldexp},
    {"log", "f", NULL, 3, 3, r_log},
    {"log10", "f", NULL, 3, 3, r_log10},
    {"log1p", "f", NULL, 2, 2, r_log1p},
    {"log2", "f", NULL, 3, 3, r_log2},
    {"logb", "f", NULL, 0, 0, r_logb},
    {"maxmag", "ff", NULL, 0, 0, r_maxmag},
    {"minmag", "ff", NULL, 0, 0, r_minmag},
    {"pow", "ff", NULL, 16, 16, r_pow},
    {"pown", "fi", NULL, 16, 16, r_pow},
    {"powr", "ff", NULL, 16, 16, r_powr},
    {"remainder", "ff", NULL, 0, 0, r_remainder},
    {"rint", "f", NULL, 0, 0, r_rint},
    {"rootn", "fi", NULL, 16, 16, r_rootn},
    {"round", "f", NULL, 0, 0, r_round},
    {"rsqrt", "f", NULL, 2, 2, r_rsqrt},
    {"sin", "f", NULL, 4, 4, r_sin},
    {"sinh", "f", NULL, 4, 4, r_sinh},
    {"sinpi", "f", NULL, 4, 4, r_sinpi},
    {"sqrt", "f", NULL, 3, 0.5, r_sqrt},
    {"tan", "f", NULL, 5, 5, r_tan},
    {"tanh", "f", NULL, 5, 5, r_tanh},
    {"tanpi", "f", NULL, 6, 6, r_tanpi},
    {"tgamma", "f", NULL, 16, 2048, r_tgamma}, /* specified: 16, 16 */
    {"trunc", "f", NULL, 0, 0, r_trunc},
    {"fract", "f", "({T p; fract(x, &p);})", 0.5, 0.5, r_fract},
    {"fract_floor", "f", "({T p; fract(x, &p); p;})", 0, 0, r_floor},
    {"modf", "f", "({T p; modf(x, &p);})", 0, 0, r_modf},
    {"modf_whole", "f", "({T p; modf(x, &p); p;})", 0, 0, r_modf_whole},
    {"frexp", "f", "({I p; frexp(x, &p);})", 0, 0, r_frexp},
    {"sincos", "f", "({T p; sincos(x, &p);})", 4, 4, r_sin},
    {"sincos_cos", "f", "({T p; sincos(x, &p); p;})", 4, 4, r_cos},
    {"remquo", "ff", "({I p; remquo(x, y, &p);})", 0, 0, r_remquo},
    {"nextafter", "ff", NULL, 0, 0, r_nextafter},
    {"degrees", "f", NULL, 2, 2, r_degrees},
    {"radians", "f", NULL, 2, 2, r_radians},
    {"sign", "f", NULL, 0, 0, r_sign},
    {"step", "ff", NULL, 0, 0, r_step},
    {"clamp", "ccc", NULL, 0, 0, r_clamp},
    {"divided", "ff", "x / y", 2.5, 0.5, r_divide},
    {"added", "ff", "x + y", 0.5, 0.5, r_plus},
    {"multiplied", "ff", "x * y", 0.5, 0.5, r_times},
    {"half_cos", "t", NULL, 8192, -1, r_cos},
    {"half_divide", "tt", NULL, 8192, -1, r_divide},
    {"half_exp", "e", NULL, 8192, -1, r_exp},
    {"half_exp2", "e", NULL, 8192, -1, r_exp2},
    {"half_exp10", "e", NULL, 8192, -1, r_exp10},
    {"half_log", "+", NULL, 8192, -1, r_log},
    {"half_log2", "+", NULL, 8192, -1, r_log2},
    {"half_log10", "+", NULL, 8192, -1, r_log10},
    {"half_powr", "+1", NULL, 8192, -1, r_powr},
    {"half_recip", "t", NULL, 8192, -1, r_recip},
    {"half_rsqrt", "+", NULL, 8192, -1, r_rsqrt},
    {"half_sin", "t", NULL, 8192, -1, r_sin},
    {"half_sqrt", "+", NULL, 8192, -1, r_sqrt},
    {"half_tan", "t", NULL, 8192, -1, r_tan},
    {"native_cos", "1", NULL, 64, -1, r_cos},
    {"native_sin", "1", NULL, 64, -1, r_sin},
    {"native_tan", "1", NULL, 128, -1, r_tan},
    {"native_log", "h", NULL, 64, -1, r_log},
    {"native_log2", "h", NULL, 64, -1, r_log2},
    {"native_log10", "h", NULL, 64, -1, r_log10},
    {"native_powr", "+1", NULL, 256, -1, r_powr},
    {"native_exp", "e", NULL, 64, -1, r_exp},
    {"native_exp2", "e", NULL, 4, -1, r_exp2},
    {"native_exp10", "e", NULL, 128, -1, r_exp10},
    {"native_divide", "tt", NULL, 4, -1, r_divide},
    {"native_recip", "t", NULL, 4, -1, r_recip},
    {"native_rsqrt", "+", NULL, 4, -1, r_rsqrt},
    {"native_sqrt", "+", NULL, 4, -1, r_sqrt},
};

/* ---- values ---- */

struct values {
  real f[3][VALUES];
  int32_t n[VALUES];
};

static const real special[30] = {0.0L,
                                 -0.0L,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 0.5L,
                                 -0.5L,
                                 3,
                                 1.5L,
                                 2.5L,
                                 -2.5L,
                                 10,
                                 100,
                                 -100,
                                 0x1p-149L,
                                 -0x1p-126L,
                                 0x1.fffffep-127L,
                                 0x1p-126L,
                                 0x1.fffffep127L,
                                 -0x1.fffffep127L,
                                 0x1p24L,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0.785398L,
                                 3.14159274L,
                                 1.57079637L,
                                 0x1.000002p0L,
                                 0x1.fffffep-1L};
static const int32_t special_int[16] = {0, 1, -1, 2, -2, 3, -3, 5, 10, 31, -30, 127, -149, 1000, INT32_MAX, INT32_MIN};

static real uniform(uint32_t *state) { return random_below(state, 1 << 24) / (real)(1 << 24); }

static real any_float(uint32_t *state) {
  switch (random_below(state, 4)) {
    case 0: return 8 * uniform(state) - 4;
    case 1: return 200 * uniform(state) - 100;
    case 2: return ldexpl(1 + uniform(state), (int)random_below(state, 250) - 125) * (random_below(state, 2) ? 1 : -1);
    default: return 1 + (uniform(state) - 0.5L) / 64;
  }
}

static real value_of(char kind, unsigned i, unsigned which, unsigned count, uint32_t *state) {
  static const unsigned step[] = {1, 30, 7};
  switch (kind) {
    case '+': return ldexpl(1 + uniform(state), (int)random_below(state, 40) - 20);
    case 'h': return 2 + 1000 * uniform(state);
    case '1': return (0.1L + 0.9L * uniform(state)) * (random_below(state, 2) ? 1 : -1);
    case 't': return (65536 * uniform(state) + 0.01L) * (random_below(state, 2) ? 1 : -1);
    case 'e': return 60 * uniform(state) - 30;
    case 'c':
      return which == 1 ? -1 - 10 * uniform(state) : which == 2 ? 1 + 10 * uniform(state) : 40 * uniform(state) - 20;
    default:
      return i < (count > 1 ? 900u : 30u) ? special[i /
                                                    step[which == 1 && count > 1 ? 1
                                                         : which == 2            ? 2
                                                                                 : 0] %
                                                    30]
                                          : any_float(state);
  }
}

static void fill(struct values *v, const struct function *f) {
  uint32_t state = 7;
  unsigned count = (unsigned)strlen(f->arguments);
  for (unsigned i = 0; i < VALUES; i++) {
    for (unsigned j = 0; j < 3; j++) {
      real x = j < count && f->arguments[j] != 'i' ? value_of(f->arguments[j], i, j, count, &state) : 0;
      v->f[j][i] = doubles ? (real)(double)x : (real)(float)x;
    }
    v->n[i] = i < 900 ? special_int[i / 30 % 16] : (int32_t)random_below(&state, 100) - 50;
    if (count > 1 && f->arguments[1] == 'i') v->f[1][i] = v->n[i];
  }
}

/* ---- kernels ---- */

static const unsigned widths[] = {1, 2, 3, 4, 8, 16};

/* FUNCTION_wN for each width N. */
static void write_kernels(FILE *o, const struct function *f) {
  const char *t = doubles ? "double" : "float";
  const unsigned count = (unsigned)strlen(f->arguments);
  static const char *const plain[] = {"", "x", "x, y", "x, y, z"};
  for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
    char width[16] = "", load[3][40];
    if (widths[w] > 1) snprintf(width, sizeof width, "%u", widths[w]);
    for (unsigned j = 0; j < 3; j++) {
      const char *from = j == 1 && count > 1 && f->arguments[1] == 'i' ? "n" : j == 0 ? "a" : j == 1 ? "b" : "c";
      snprintf(load[j], sizeof load[j], widths[w] > 1 ? "vload%s(i, %s)" : "%s%s[i]", width, from);
    }
    fprintf(
        o,
        "#undef T\n#undef I\n#define T %s%s\n#define I int%s\n"
        "kernel void %s_w%u(global const %s *a, global const %s *b, global const %s *c, global const int *n, global "
        "%s *o) {\n"
        "  size_t i = get_global_id(0);\n  T x = %s, z = %s;\n  %s y = %s;\n  T r = ",
        t, width, width, f->name, widths[w], t, t, t, t, load[0], load[2],
        count > 1 && f->arguments[1] == 'i' ? "I" : "T", load[1]);
    if (f->call) fprintf(o, "%s", f->call);
    else fprintf(o, "%s(%s)", f->name, plain[count]);
    if (widths[w] > 1) fprintf(o, ";\n  vstore%s(r, i, o);\n}\n", width);
    else fprintf(o, ";\n  o[i] = r;\n}\n");
  }
}

static cl_program build(const struct gpu *g, const struct function *const *f, unsigned n) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *o = open_memstream(&text, &bytes);
  for (unsigned i = 0; i < n; i++) write_kernels(o, f[i]);
  fclose(o);
  cl_program p = program_of(g, text, NULL);
  free(text);
  return p;
}

static cl_mem buffer_of_reals(const struct gpu *g, const real *x) {
  static double d[VALUES];
  static float f[VALUES];
  for (unsigned i = 0; i < VALUES; i++) d[i] = (double)x[i], f[i] = (float)x[i];
  return doubles ? buffer_of(g, sizeof d, d) : buffer_of(g, sizeof f, f);
}

/* ---- comparison ---- */

/* In units of the last place of the expected value. */
static double error_of(real found, real expected) {
  if (isnan(expected)) return isnan(found) ? 0 : INFINITY;
  if (isnan(found)) return INFINITY;
  const int digits = doubles ? DBL_MANT_DIG : FLT_MANT_DIG, least = doubles ? DBL_MIN_EXP : FLT_MIN_EXP;
  const real most = doubles ? DBL_MAX : FLT_MAX, limit = ldexpl(1, doubles ? DBL_MAX_EXP : FLT_MAX_EXP);
  if (isinf(expected)) return found == expected ? 0 : INFINITY;
  int e = 0;
  frexpl(expected, &e);
  if (e < least || expected == 0) e = least;
  if (fabsl(expected) > most && isinf(found)) return signbit(found) == signbit(expected) ? 0 : INFINITY;
  if (isinf(found)) found = copysignl(limit, found);
  return (double)(fabsl(found - expected) / ldexpl(1, e - digits));
}

/* Functions that may take subnormal floats, and return them, as 0: the device does not claim CL_FP_DENORM for them. */
static bool flushes(const struct function *f) {
  static const char *const names[] = {"exp", "erfc", "rootn", "remquo"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (!doubles && !strcmp(names[i], f->name)) return true;
  }
  return false;
}
static real flushed(real x) { return fabsl(x) <= FLT_MIN ? copysignl(0, x) : x; }

static double error_at(const struct function *f, const struct values *v, unsigned i, real found) {
  const real x = v->f[0][i], y = v->f[1][i], z = v->f[2][i], expected = f->reference(x, y, z);
  const double e = error_of(found, expected);
  if (!flushes(f) || e == 0) return e;
  if (found == 0 && flushed(expected) == 0) return 0;
  return fmin(e, error_of(found, f->reference(flushed(x), flushed(y), flushed(z))));
}

static void test(const struct gpu *g, cl_program p, const struct function *f) {
  static struct values v;
  static union {
    float f[VALUES];
    double d[VALUES];
  } got[6];
  fill(&v, f);
  const size_t bytes = doubles ? sizeof got->d : sizeof got->f;
  cl_mem in[3], n = buffer_of(g, sizeof v.n, v.n), out = buffer_of(g, bytes, NULL);
  for (unsigned j = 0; j < 3; j++) in[j] = buffer_of_reals(g, v.f[j]);
  for (unsigned w = 0; w < 6; w++) {
    char name[40];
    snprintf(name, sizeof name, "%s_w%u", f->name, widths[w]);
    cl_kernel k = kernel_of(p, name);
    for (unsigned j = 0; j < 3; j++) ARG(k, j, in[j]);
    ARG(k, 3, n);
    ARG(k, 4, out);
    run_1d(g, k, VALUES / widths[w], 0);
    read_back(g, out, &got[w], bytes);
    OK(clReleaseKernel(k));
  }
  for (unsigned j = 0; j < 3; j++) OK(clReleaseMemObject(in[j]));
  OK(clReleaseMemObject(n));
  OK(clReleaseMemObject(out));

  double worst = 0;
  unsigned at = 0, different = 0, of = 0;
  for (unsigned i = 0; i < VALUES; i++) {
    double e = error_at(f, &v, i, doubles ? (real)got[0].d[i] : (real)got[0].f[i]);
    if (e > worst) worst = e, at = i;
    for (unsigned w = 1; w < 6; w++) {
      bool same = doubles ? !memcmp(&got[w].d[i], &got[0].d[i], 8) || (isnan(got[w].d[i]) && isnan(got[0].d[i]))
                          : !memcmp(&got[w].f[i], &got[0].f[i], 4) || (isnan(got[w].f[i]) && isnan(got[0].f[i]));
      if (!same) different++, of = widths[w];
    }
  }
  double bound = doubles ? f->ulp64 : f->ulp32;
  check(worst <= bound && !different, "%s of %s: error up to %g ulp", f->name, doubles ? "double" : "float", bound);
  if (worst > bound) {
    printf("  %.3g ulp at %La %La %La: found %a, expected %La\n", worst, v.f[0][at], v.f[1][at], v.f[2][at],
           doubles ? got[0].d[at] : (double)got[0].f[at], f->reference(v.f[0][at], v.f[1][at], v.f[2][at]));
  }
  if (different) printf("  %u elements of vectors differ, the last ones of width %u\n", different, of);
}

static void test_all(const struct gpu *g, const struct function *const *f, unsigned n) {
  if (!n) return;
  cl_program p = build(g, f, n);
  for (unsigned i = 0; i < n; i++) test(g, p, f[i]);
  OK(clReleaseProgram(p));
}

int main(int argc, char **argv) {
  struct gpu g = gpu_open(0);
  for (int d = 0; d < 2; d++) {
    const struct function *some[TOGETHER];
    unsigned n = 0;
    if (argc > 1 && strcmp(argv[1], d ? "double" : "float")) continue;
    doubles = d;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
      const struct function *f = &functions[i];
      if ((d ? f->ulp64 : f->ulp32) < 0 || (argc > 2 && strcmp(argv[2], f->name))) continue;
      some[n++] = f;
      if (n == TOGETHER) test_all(&g, some, n), n = 0;
    }
    test_all(&g, some, n);
  }
  gpu_close(&g);
  return finish();
}

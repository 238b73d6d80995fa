/* SPDX-License-Identifier: Apache-2.0 */
/* builtins: functions of OpenCL C against those of the host's C library: mathematics, native_, integers, vectors, halves, conversions, work items. */
#include "common.h"

enum { N = 64 };

/* Of one float: name, expression of x in OpenCL C, expression in C, the error that is allowed (relative, or absolute below 1). */
#define FLOATS(F)                                                                               \
  F("sin", "sin(x)", sin(x), 1e-6)                                                              \
  F("cos", "cos(x)", cos(x), 1e-6)                                                              \
  F("tan", "tan(x)", tan(x), 2e-6)                                                              \
  F("asin", "asin(x / 10)", asin(x / 10), 1e-6)                                                 \
  F("acos", "acos(x / 10)", acos(x / 10), 1e-6)                                                 \
  F("atan", "atan(x)", atan(x), 1e-6)                                                           \
  F("atan2", "atan2(x, 2.0f)", atan2(x, 2), 1e-6)                                               \
  F("sinh", "sinh(x)", sinh(x), 1e-6)                                                           \
  F("tanh", "tanh(x)", tanh(x), 1e-6)                                                           \
  F("exp", "exp(x)", exp(x), 1e-6)                                                              \
  F("exp2", "exp2(x)", exp2(x), 1e-6)                                                           \
  F("exp10", "exp10(x)", pow(10, x), 2e-6)                                                      \
  F("expm1", "expm1(x)", expm1(x), 1e-6)                                                        \
  F("log", "log(x)", log(x), 1e-6)                                                              \
  F("log2", "log2(x)", log2(x), 1e-6)                                                           \
  F("log10", "log10(x)", log10(x), 1e-6)                                                        \
  F("log1p", "log1p(x)", log1p(x), 1e-6)                                                        \
  F("pow", "pow(x, 1.7f)", pow(x, 1.7f), 3e-6)                                                  \
  F("pown", "pown(x, 3)", x *x *x, 3e-6)                                                        \
  F("powr", "powr(x, 0.3f)", pow(x, 0.3f), 3e-6)                                                \
  F("sqrt", "sqrt(x)", sqrt(x), 1e-6)                                                           \
  F("rsqrt", "rsqrt(x)", 1 / sqrt(x), 1e-6)                                                     \
  F("cbrt", "cbrt(x)", cbrt(x), 1e-6)                                                           \
  F("hypot", "hypot(x, 3.0f)", hypot(x, 3), 1e-6)                                               \
  F("fmod", "fmod(x, 0.7f)", fmod(x, 0.7f), 1e-6)                                               \
  F("floor", "floor(x)", floor(x), 0)                                                           \
  F("ceil", "ceil(-x)", ceil(-x), 0)                                                            \
  F("trunc", "trunc(-x)", trunc(-x), 0)                                                         \
  F("round", "round(x)", round(x), 0)                                                           \
  F("rint", "rint(x)", rint(x), 0)                                                              \
  F("fabs", "fabs(-x)", x, 0)                                                                   \
  F("fmin fmax", "fmin(x, 5.0f) + fmax(x, 5.0f)", x + 5, 1e-6)                                  \
  F("fma", "fma(x, x, -1.0f)", (double)x *x - 1, 1e-6)                                          \
  F("mad", "mad(x, 2.0f, 1.0f)", 2 * x + 1, 1e-6)                                               \
  F("clamp", "clamp(x, 2.0f, 7.0f)", fmin(fmax(x, 2), 7), 0)                                    \
  F("mix", "mix(x, 10.0f, 0.25f)", x + (10 - x) * 0.25, 1e-6)                                   \
  F("smoothstep", "smoothstep(0.0f, 10.0f, x)", (x / 10) * (x / 10) * (3 - 2 * (x / 10)), 1e-6) \
  F("sign", "sign(-x)", -1, 0)                                                                  \
  F("ldexp", "ldexp(x, 3)", x * 8, 0)                                                           \
  F("erf", "erf(x / 4)", erf(x / 4), 2e-6)                                                      \
  F("tgamma", "tgamma(x / 2 + 1)", tgamma(x / 2 + 1), 1e-4)                                     \
  F("native_sin", "native_sin(x)", sin(x), 1e-4)                                                \
  F("native_cos", "native_cos(x)", cos(x), 1e-4)                                                \
  F("native_tan", "native_tan(x / 10)", tan(x / 10), 1e-3)                                      \
  F("native_exp", "native_exp(x)", exp(x), 1e-4)                                                \
  F("native_exp2", "native_exp2(x)", exp2(x), 1e-4)                                             \
  F("native_exp10", "native_exp10(x / 4)", pow(10, x / 4), 1e-4)                                \
  F("native_log", "native_log(x)", log(x), 1e-4)                                                \
  F("native_log2", "native_log2(x)", log2(x), 1e-4)                                             \
  F("native_log10", "native_log10(x)", log10(x), 1e-4)                                          \
  F("native_powr", "native_powr(x, 1.3f)", pow(x, 1.3f), 1e-4)                                  \
  F("native_sqrt", "native_sqrt(x)", sqrt(x), 1e-4)                                             \
  F("native_rsqrt", "native_rsqrt(x)", 1 / sqrt(x), 1e-4)                                       \
  F("native_recip", "native_recip(x)", 1 / x, 1e-4)                                             \
  F("native_divide", "native_divide(x, 3.0f)", x / 3, 1e-4)                                     \
  F("half_exp", "half_exp(x / 4)", exp(x / 4), 1e-3)                                            \
  F("double", "(float)sqrt((double)x * 2.0)", sqrt(x * 2.0), 1e-6)                              \
  F("length", "length((float4)(x, 2, 3, 4))", sqrt(x *x + 29), 2e-6)                            \
  F("normalize", "normalize((float3)(x, 1, 2)).x", x / sqrt(x * x + 5), 2e-6)                   \
  F("distance", "distance((float2)(x, 0), (float2)(0, 1))", sqrt(x *x + 1), 2e-6)               \
  F("cross", "cross((float3)(x, 1, 2), (float3)(3, x, 1)).z", x *x - 3, 1e-5)                   \
  F("vector exp", "exp((float4)(0, x, 1, 2)).y", exp(x), 1e-6)

/* Of an int i in 0..N-1 and u = 2654435761 * i: expressions that are exact. */
#define INTS(F)                                                                                                  \
  F("mul_hi", "mul_hi(u, 0x87654321u)", (uint32_t)(((uint64_t)u * 0x87654321u) >> 32))                           \
  F("mad_hi", "mad_hi(u, 0x87654321u, 5u)", (uint32_t)(((uint64_t)u * 0x87654321u) >> 32) + 5)                   \
  F("mad_hi of ints", "(uint)mad_hi((int)u, -77777, 5)", (uint32_t)((((int64_t)(int32_t)u * -77777) >> 32) + 5)) \
  F("mad24", "mad24(i, 1000u, 7u)", i * 1000u + 7)                                                               \
  F("mul24", "mul24(i, 1000u)", i * 1000u)                                                                       \
  F("clz", "clz(u | 1u)", (uint32_t)__builtin_clz(u | 1u))                                                       \
  F("popcount", "popcount(u)", (uint32_t)__builtin_popcount(u))                                                  \
  F("rotate", "rotate(u, 7u)", u << 7 | u >> 25)                                                                 \
  F("abs", "abs((int)u)", (uint32_t)((int32_t)u < 0 ? -u : u))                                                   \
  F("abs_diff", "abs_diff(u, 0x40000000u)", u > 0x40000000u ? u - 0x40000000u : 0x40000000u - u)                 \
  F("hadd", "hadd(u, 0xfffffff1u)", (uint32_t)(((uint64_t)u + 0xfffffff1u) >> 1))                                \
  F("rhadd", "rhadd(u, 0xfffffff1u)", (uint32_t)(((uint64_t)u + 0xfffffff1u + 1) >> 1))                          \
  F("add_sat", "add_sat(u, 0xf0000000u)", u > 0x0fffffffu ? 0xffffffffu : u + 0xf0000000u)                       \
  F("sub_sat", "sub_sat(u, 0x70000000u)", u < 0x70000000u ? 0u : u - 0x70000000u)                                \
  F("min max", "min(u, 77u) + max(u, 77u)", u + 77)                                                              \
  F("select", "select(u, i, i > 5u ? ~0u : 0u)", i > 5 ? i : u)                                                  \
  F("upsample", "upsample((ushort)i, (ushort)7)", i << 16 | 7)                                                   \
  F("convert_uchar_sat", "convert_uchar_sat((int)(i * 9) - 100)",                                                \
    (uint32_t)((int)(i * 9) - 100 < 0     ? 0                                                                    \
               : (int)(i * 9) - 100 > 255 ? 255                                                                  \
                                          : (int)(i * 9) - 100))                                                 \
  F("convert_int_rte", "(uint)convert_int_rte(i * 0.5f)", (uint32_t)nearbyint(i * 0.5))                          \
  F("as_uint", "as_uint(as_float(u))", u)                                                                        \
  F("long", "(uint)(((ulong)u * u) >> 20)", (uint32_t)(((uint64_t)u * u) >> 20))                                 \
  F("arithmetic shift and mask", "(uint)((((long)u << 32 | i) >> 40 & 0x7ffffffffl) % 1009)",                    \
    (uint32_t)(((uint64_t)((int64_t)((uint64_t)u << 32 | i) >> 40) & 0x7ffffffffu) % 1009))                      \
  F("sign and mask", "(uint)((((long)u << 32 | i) >> 63 & 0xffffffff) % 1009)", (u >> 31 ? ~0u : 0u) % 1009)     \
  F("shuffle", "shuffle((uint4)(i, 1, 2, 3), (uint4)(3, 2, 1, 0)).w", i)                                         \
  F("any all", "any((int2)(0, -1)) + 2 * all((int2)(-1, 0))", 1)                                                 \
  F("vector compare", "(uint)((int4)(i) > (int4)(5, 6, 7, 8)).z", i > 7 ? ~0u : 0u)                              \
  F("get_work_dim", "get_work_dim()", 1)                                                                         \
  F("get_global_offset", "(uint)get_global_offset(0)", 0)                                                        \
  F("sizes", "(uint)(get_global_size(0) + get_num_groups(0) * 1000 + get_local_size(0))", N + 2000 + 32)         \
  F("of dimension 7", "(uint)(get_global_id(7) + get_local_size(7) + get_num_groups(5))", 2)

#define ONE(...) +1
#define FLOAT_TEXT(name, cl, c, error) "  out[N * k++ + i] = " cl ";\n"
#define INT_TEXT(name, cl, c) "  out[N * k++ + i] = " cl ";\n"
enum { FS = FLOATS(ONE), IS = INTS(ONE) }; /* how many */

static const char source[] =
    "__kernel void floats(__global float *out) {\n"
    "  int i = get_global_id(0), k = 0;\n"
    "  float x = 0.125f + i * 0.15625f;\n" FLOATS(FLOAT_TEXT) "}\n"
    "__kernel void ints(__global uint *out) {\n"
    "  uint i = get_global_id(0), k = 0, u = 2654435761u * i;\n" INTS(INT_TEXT) "}\n"
    "__kernel void halves(__global const half *in, __global float *out, __global half *back) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = vload_half(i, in) + vload_half4(i / 4, in).w;\n"
    "  vstore_half(out[i], i, back);\n"
    "}\n"
    "__kernel void say(int n) {\n"
    "  if (get_global_id(0) != n) return;\n"
    "  printf(\"%d %5.2f %s %c %x %lu\\n\", n, 2.5f, \"text\", 'c', 255, 1ul << 40);\n"
    "  printf(\"vectors: %v4d %v2hlf\\n\", (int4)(n, n + 1, n * n, 5), (float2)(n, n * 0.5f));\n"
    "  printf(\"define available_externally %s\\n\", \"define available_externally\");\n"
    "}\n";

static void floats(const struct gpu *g, cl_program p) {
  static float out[FS * N];
  const cl_kernel k = kernel_of(p, "floats");
  const cl_mem Out = buffer_of(g, sizeof out, NULL);
  ARG(k, 0, Out);
  run_1d(g, k, N, 32);
  read_back(g, Out, out, sizeof out);
  unsigned f = 0;
#define FLOAT_CHECK(name, cl, c, error)                                                                         \
  {                                                                                                             \
    double worst = 0;                                                                                           \
    for (int i = 0; i < N; i++) {                                                                               \
      const float x = 0.125f + (float)i * 0.15625f;                                                             \
      (void)x;                                                                                                  \
      const double want = (double)(c), d = fabs((double)out[N * f + (unsigned)i] - want) / fmax(1, fabs(want)); \
      if (!(d <= worst)) worst = d;                                                                             \
    }                                                                                                           \
    check(worst <= (error), "%s", name);                                                                        \
    if (!(worst <= (error))) printf("  off by %g\n", worst);                                                    \
    f++;                                                                                                        \
  }
  FLOATS(FLOAT_CHECK)
  OK(clReleaseMemObject(Out)), OK(clReleaseKernel(k));
}

static void ints(const struct gpu *g, cl_program p) {
  static uint32_t out[IS * N];
  const cl_kernel k = kernel_of(p, "ints");
  const cl_mem Out = buffer_of(g, sizeof out, NULL);
  ARG(k, 0, Out);
  run_1d(g, k, N, 32);
  read_back(g, Out, out, sizeof out);
  unsigned f = 0;
#define INT_CHECK(name, cl, c)                                                    \
  {                                                                               \
    int wrong = -1;                                                               \
    for (uint32_t i = 0; i < N; i++) {                                            \
      const uint32_t u = 2654435761u * i;                                         \
      (void)u;                                                                    \
      if (out[N * f + i] != (uint32_t)(c) && wrong < 0) wrong = (int)i;           \
    }                                                                             \
    check(wrong < 0, "%s", name);                                                 \
    if (wrong >= 0) printf("  at %d: %x\n", wrong, out[N * f + (unsigned)wrong]); \
    f++;                                                                          \
  }
  INTS(INT_CHECK)
  OK(clReleaseMemObject(Out)), OK(clReleaseKernel(k));
}

static void halves(const struct gpu *g, cl_program p) {
  uint16_t in[N], back[N];
  float out[N];
  int wrong = 0;
  for (int i = 0; i < N; i++) in[i] = (uint16_t)(0x3c00 + 16 * i); /* 1 + i / 64 */
  const cl_kernel k = kernel_of(p, "halves");
  const cl_mem In = buffer_of(g, sizeof in, in), Out = buffer_of(g, sizeof out, NULL),
               Back = buffer_of(g, sizeof back, NULL);
  ARG(k, 0, In), ARG(k, 1, Out), ARG(k, 2, Back);
  run_1d(g, k, N, 32);
  read_back(g, Out, out, sizeof out);
  read_back(g, Back, back, sizeof back);
  for (int i = 0; i < N; i++) {
    const float want = 2 + (float)(i + i / 4 * 4 + 3) / 64;
    wrong += out[i] != want || back[i] != (want < 4 ? 0x4000 + 8 * (i + i / 4 * 4 + 3) : 0);
  }
  check(!wrong, "vload_half, vload_half4, vstore_half");
  OK(clReleaseMemObject(In)), OK(clReleaseMemObject(Out)), OK(clReleaseMemObject(Back)), OK(clReleaseKernel(k));
}

/* printf with `numbers` of them and a null pointer: 127 arguments with the format. */
static void say_many(const struct gpu *g, unsigned numbers) {
  static char text[8192];
  char *at = text + sprintf(text, "__kernel void many(int n) { printf(\"many:");
  for (unsigned i = 0; i < numbers; i++) at += sprintf(at, " %%d");
  at += sprintf(at, " %%s\\n\"");
  for (unsigned i = 0; i < numbers; i++) at += sprintf(at, ", n + %u", i);
  sprintf(at, ", NULL); }\n");
  const cl_program p = program_of(g, text, "");
  const cl_kernel k = kernel_of(p, "many");
  const cl_int n = 1;
  ARG(k, 0, n);
  run_1d(g, k, 1, 1);
  OK(clFinish(g->queue));
  OK(clReleaseKernel(k)), OK(clReleaseProgram(p));
}

int main(void) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, "-DN=64");
  floats(&g, p);
  ints(&g, p);
  halves(&g, p);
  const cl_kernel say = kernel_of(p, "say");
  const cl_int n = 3;
  ARG(say, 0, n);
  fflush(stdout);
  run_1d(&g, say, N, 32);
  OK(clFinish(g.queue));
  OK(clReleaseKernel(say)), OK(clReleaseProgram(p));
  say_many(&g, 33);
  say_many(&g, 126);
  gpu_close(&g);
  return finish();
}

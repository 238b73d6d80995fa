/* SPDX-License-Identifier: Apache-2.0 */
/* arguments: __constant memory, structures, vectors and small numbers as arguments. */
#include "common.h"

static const char source[] =
    "struct inner { char c; short s[3]; };\n"
    "struct record { uchar tag; float4 v; long l; struct inner in; float f; };\n"
    "__constant float table[4] = {1.0f, 10.0f, 100.0f, 1000.0f};\n"
    "__constant int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};\n"

    "__kernel void weigh(__constant float *w, __constant int *offset, __global float *out) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = w[i % 16] * table[i % 4] + offset[i % 3] + primes[i % 8];\n"
    "}\n"
    "__kernel void unpack(struct record r, __global float *out) {\n"
    "  out[0] = r.tag; out[1] = r.v.x; out[2] = r.v.y; out[3] = r.v.z; out[4] = r.v.w; out[5] = r.l;\n"
    "  out[6] = r.in.c; out[7] = r.in.s[0]; out[8] = r.in.s[1]; out[9] = r.in.s[2]; out[10] = r.f; out[11] = "
    "sizeof(r);\n"
    "}\n"
    "__kernel void vectors(float4 a, float3 b, int2 c, uchar8 d, double2 e, char f, ushort g, __global float *out) {\n"
    "  out[0] = a.x; out[1] = a.w; out[2] = b.x; out[3] = b.y; out[4] = b.z; out[5] = c.x; out[6] = c.y;\n"
    "  out[7] = d.s0; out[8] = d.s7; out[9] = e.x; out[10] = e.y; out[11] = f; out[12] = g;\n"
    "}\n"
    "__kernel void lengths(__global const float4 *p, __global const float *q, __global float *out) {\n"
    "  int i = get_global_id(0);\n"
    "  float3 r = vload3(i, q);\n"
    "  out[i] = dot(p[i], (float4)(1, 2, 3, 4)) + dot(r, r.zyx);\n"
    "}\n";

struct inner {
  cl_char c;
  cl_short s[3];
};
struct record {
  cl_uchar tag;
  cl_float4 v;
  cl_long l;
  struct inner in;
  cl_float f;
};

enum { N = 100 };

static void constants(const struct gpu *g, cl_program p) {
  const cl_kernel k = kernel_of(p, "weigh");
  const float table[] = {1, 10, 100, 1000};
  const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  float w[16], other[16], out[N];
  int offset[3] = {-1, 0, 1}, wrong[3] = {0};
  for (int i = 0; i < 16; i++) w[i] = (float)i, other[i] = (float)(100 - i);
  const cl_mem W = buffer_of(g, sizeof w, w), V = buffer_of(g, sizeof other, other),
               O = buffer_of(g, sizeof offset, offset), Out = buffer_of(g, sizeof out, NULL);
  ARG(k, 0, W), ARG(k, 1, O), ARG(k, 2, Out);
  run_1d(g, k, N, 0);
  read_back(g, Out, out, sizeof out);
  for (int i = 0; i < N; i++) wrong[0] += out[i] != w[i % 16] * table[i % 4] + (float)(offset[i % 3] + primes[i % 8]);
  check(!wrong[0], "two __constant arguments, and __constant variables");
  ARG(k, 0, V);
  run_1d(g, k, N, 0);
  read_back(g, Out, out, sizeof out);
  for (int i = 0; i < N; i++)
    wrong[1] += out[i] != other[i % 16] * table[i % 4] + (float)(offset[i % 3] + primes[i % 8]);
  check(!wrong[1], "another __constant argument");
  w[5] = 77;
  OK(clEnqueueWriteBuffer(g->queue, W, CL_TRUE, 0, sizeof w, w, 0, NULL, NULL));
  ARG(k, 0, W);
  run_1d(g, k, N, 0);
  read_back(g, Out, out, sizeof out);
  for (int i = 0; i < N; i++) wrong[2] += out[i] != w[i % 16] * table[i % 4] + (float)(offset[i % 3] + primes[i % 8]);
  check(!wrong[2], "a __constant argument whose buffer was written again");
  OK(clReleaseMemObject(W)), OK(clReleaseMemObject(V)), OK(clReleaseMemObject(O)), OK(clReleaseMemObject(Out));
  OK(clReleaseKernel(k));
}

static void by_value(const struct gpu *g, cl_program p) {
  const cl_kernel unpack = kernel_of(p, "unpack"), vectors = kernel_of(p, "vectors");
  float out[16];
  const cl_mem Out = buffer_of(g, sizeof out, NULL);
  const struct record r = {7, {{1.5f, 2.5f, 3.5f, 4.5f}}, -123456, {-3, {100, -200, 300}}, 0.25f};
  const float fields[] = {7, 1.5f, 2.5f, 3.5f, 4.5f, -123456, -3, 100, -200, 300, 0.25f, sizeof r};
  ARG(unpack, 0, r), ARG(unpack, 1, Out);
  run_1d(g, unpack, 1, 1);
  read_back(g, Out, out, sizeof out);
  check(!memcmp(out, fields, sizeof fields), "a structure of %zu bytes", sizeof r);

  const cl_float4 a = {{1, 2, 3, 4}};
  const cl_float3 b = {{5, 6, 7}};
  const cl_int2 c = {{-8, 9}};
  const cl_uchar8 d = {{10, 0, 0, 0, 0, 0, 0, 250}};
  const cl_double2 e = {{0.5, -0.25}};
  const cl_char f = -11;
  const cl_ushort h = 65535;
  const float values[] = {1, 4, 5, 6, 7, -8, 9, 10, 250, 0.5f, -0.25f, -11, 65535};
  ARG(vectors, 0, a), ARG(vectors, 1, b), ARG(vectors, 2, c), ARG(vectors, 3, d), ARG(vectors, 4, e),
      ARG(vectors, 5, f), ARG(vectors, 6, h), ARG(vectors, 7, Out);
  run_1d(g, vectors, 1, 1);
  read_back(g, Out, out, sizeof out);
  check(!memcmp(out, values, sizeof values), "vectors, a char and a ushort");
  OK(clReleaseMemObject(Out)), OK(clReleaseKernel(unpack)), OK(clReleaseKernel(vectors));
}

static void vectors_in_memory(const struct gpu *g, cl_program p) {
  const cl_kernel k = kernel_of(p, "lengths");
  cl_float4 four[N];
  float three[3 * N], out[N];
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 4; j++) four[i].s[j] = (float)(i + j);
    for (int j = 0; j < 3; j++) three[3 * i + j] = (float)(i * j + 1);
  }
  const cl_mem P = buffer_of(g, sizeof four, four), Q = buffer_of(g, sizeof three, three),
               Out = buffer_of(g, sizeof out, NULL);
  ARG(k, 0, P), ARG(k, 1, Q), ARG(k, 2, Out);
  run_1d(g, k, N, 0);
  read_back(g, Out, out, sizeof out);
  for (int i = 0; i < N; i++) {
    const float x = three[3 * i], y = three[3 * i + 1], z = three[3 * i + 2];
    wrong += out[i] != four[i].s[0] + 2 * four[i].s[1] + 3 * four[i].s[2] + 4 * four[i].s[3] + 2 * x * z + y * y;
  }
  check(!wrong, "float4 and float3 in buffers");
  OK(clReleaseMemObject(P)), OK(clReleaseMemObject(Q)), OK(clReleaseMemObject(Out)), OK(clReleaseKernel(k));
}

int main(void) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, "");
  constants(&g, p);
  by_value(&g, p);
  vectors_in_memory(&g, p);
  OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}

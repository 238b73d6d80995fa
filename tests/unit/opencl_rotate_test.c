/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_rotate: rotations of 64 bits that a program writes as shifts, with any amount. */
#include "host/opencl/program.h"
#include "unit/opencl_kit.h"

/* Each in a kernel of its own: LLVM keeps the reduction of an amount that is used more than once. */
static const char source[] =
    "kernel void left(global ulong *o, ulong x, uint n) { o[0] = (x << (n & 63)) | (x >> (-n & 63)); }\n"
    "kernel void right(global ulong *o, ulong x, uint n) { o[0] = (x >> (n & 63)) | (x << (-n & 63)); }\n"
    "kernel void both(global ulong *o, ulong x, uint n) {\n"
    "  ulong2 v = (ulong2)(x, ~x), a = (ulong2)(n, n + 1);\n"
    "  v = (v << (a & 63)) | (v >> (-a & 63));\n"
    "  o[0] = v.x ^ v.y;\n"
    "}\n";

static uint64_t left(uint64_t x, unsigned n) { return n % 64 ? x << n % 64 | x >> (64 - n % 64) : x; }

static void check(cl_program p, const char *name, cl_ulong x, cl_uint n, cl_ulong expected) {
  cl_int err = 1;
  cl_ulong out = 0;
  cl_kernel k = clCreateKernel(p, name, &err);
  OK(err);
  cl_mem m = clCreateBuffer(context, 0, sizeof out, NULL, &err);
  OK(err);
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, sizeof x, &x));
  OK(clSetKernelArg(k, 2, sizeof n, &n));
  OK(clEnqueueTask(queue, k, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
  if (out != expected)
    fail_msg("%s by %u: found %llx, expected %llx", name, n, (unsigned long long)out, (unsigned long long)expected);
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
}

static void amounts(void **s) {
  (void)s;
  static const cl_uint amount[] = {0, 1, 31, 32, 33, 63, 64, 65, 100, 127, 128, 0x7fffffff, 0x80000000, 0xfffffffe};
  const char *text = source;
  const cl_ulong x = 0x123456789abcdef1;
  cl_int err = 1;
  cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  OK(err);
  OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  for (unsigned i = 0; i < sizeof amount / sizeof *amount; i++) {
    const cl_uint n = amount[i];
    check(p, "left", x, n, left(x, n));
    check(p, "right", x, n, left(x, -n));
    check(p, "both", x, n, left(x, n) ^ left(~x, n + 1));
  }
  OK(clReleaseProgram(p));
}

/* Text that only resembles it stays as it is. */
static void other_text(void **s) {
  (void)s;
  static const char *const same[] = {
      "",
      "\tsub.u32 \t%amt2, 64, %r1;",
      "\n\n\tsub.u32 \t%amt2, 64, %r1;\n",
      "\n\tshl.b64 \t%lhs, %rd1, %r2;\n\tsub.u32 \t%amt2, 64, %r1;\n",
      "\n\tadd.u64 \t%rd1, %rd2, %r1;\n\tsub.u32 \t%amt2, 64, %r1;\n",
      "\n\tshl.b64 \t%lhs, %rd1, %r1;\n\tsub.u32 \t%amt2, 64, ",
      "\n\tshl.b64 \t%lhs, %rd1, %r1;\n\tsub.u32 \t%amt2, 64, %r1\n\tret;\n",
      "\n\tshl.b64 \t%lhs, %rd1, %r1; ret;\n\tsub.u32 \t%amt2, 64, %r1;\n",
      "\n\tshl.b64 \t%lhs, %rd1, %r1;\n\tret; sub.u32 \t%amt2, 64, %r1;\n",
  };
  for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
    struct blob b = {strdup(same[i]), strlen(same[i])};
    assert_true(rotate_repair(&b));
    assert_string_equal(b.s, same[i]);
    assert_int_equal(b.n, strlen(same[i]));
    free(b.s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(amounts), TEST(other_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

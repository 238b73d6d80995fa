/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_program: programs, kernels, arguments and launches, by clang-14 and libclc-14. */
#define _GNU_SOURCE /* environ, feenableexcept, uselocale */
#include <pthread.h>
#include <signal.h>

#include "host/opencl/options.h"
#include "host/opencl/program.h"
#include "unit/opencl_kit.h"
#include "unit/host_env_kit.h"

/* ---- helpers ---- */

static cl_program program_of(const char *source) {
  cl_int err = 1;
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  OK(err);
  return p;
}
static cl_program built(const char *source, const char *options) {
  cl_program p = program_of(source);
  cl_int code = clBuildProgram(p, 0, NULL, options, NULL, NULL);
  if (code) fail_msg("%s: %s", cl_error_name(code), p->log ? p->log : "no log");
  return p;
}
static cl_kernel kernel_of(cl_program p, const char *name) {
  cl_int err = 1;
  cl_kernel k = clCreateKernel(p, name, &err);
  OK(err);
  return k;
}
static cl_mem buffer_of(size_t n, const void *bytes) {
  cl_int err = 1;
  cl_mem m = clCreateBuffer(context, bytes ? CL_MEM_COPY_HOST_PTR : 0, n, (void *)(uintptr_t)bytes, &err);
  OK(err);
  return m;
}
static void launch(cl_kernel k, size_t global) {
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
}
static const uint32_t *words(cl_mem m, size_t n) {
  static uint32_t out[4096];
  OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4 * n, out, 0, NULL, NULL));
  return out;
}
static char *log_of(cl_program p) {
  static char text[1 << 16];
  OK(clGetProgramBuildInfo(p, &cl_device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
  return text;
}
/* Where builds put their files: nothing is left there. */
static char directory[64];
static void no_files_left(void) {
  char command[128];
  snprintf(command, sizeof command, "test -z \"$(ls -A %s)\"", directory);
  assert_int_equal(system(command), 0);
}

/* ---- options ---- */

static void split(const char *text, enum options_for what, const char *expected) {
  struct options o;
  char all[512] = "";
  bool good = options_read(&o, text, what);
  for (unsigned i = 1; good && i < o.n; i++) sprintf(all + strlen(all), "[%s]", o.arg[i]);
  assert_string_equal(good ? all : o.wrong, expected);
  options_free(&o);
}

static void options_are_split(void **s) {
  (void)s;
  split(NULL, OPTIONS_BUILD, "");
  split(" \t ", OPTIONS_BUILD, "");
  split("-DA -D B=2 -I inc -Iinc2", OPTIONS_BUILD, "[-DA][-DB=2][-Iinc][-Iinc2]");
  split("-D X=\"a b\" -D 'Y=c d'", OPTIONS_BUILD, "[-DX=a b][-DY=c d]");
  split("-DS=\\\"text\\\" -D T='\"'", OPTIONS_BUILD, "[-DS=\"text\"][-DT=\"]");
  split("-I \"my dir\" -w\n-Werror", OPTIONS_BUILD, "[-Imy dir][-w][-Werror]");
  split("-cl-std=CL1.1 -cl-mad-enable -cl-nv-verbose", OPTIONS_BUILD, "[-cl-mad-enable]");
  split("-D", OPTIONS_BUILD, "found nothing behind '-D'");
  split("-D ''", OPTIONS_BUILD, "found nothing behind '-D'");
  split("-DX='a", OPTIONS_BUILD, "found a quote that is not closed in '-DX='a'");
  split("-cl-std=CL2.0", OPTIONS_BUILD, "found the unknown option '-cl-std=CL2.0'");
  split("-Xclang", OPTIONS_BUILD, "found the unknown option '-Xclang'");
  split("-o /tmp/x", OPTIONS_BUILD, "found the unknown option '-o'");
  split("file.cl", OPTIONS_BUILD, "found the unknown option 'file.cl'");
  split("-create-library -enable-link-options", OPTIONS_LINK, "");
  split("-DX", OPTIONS_LINK, "found the unknown option '-DX'");
}

/* ---- creating ---- */

static void sources(void **s) {
  (void)s;
  const char *parts[] = {"kernel void a(global int *p) {\0", " p[0] =\0 1; }xxxx"}, *null[] = {NULL};
  const size_t lengths[] = {31, 13};
  cl_int err = 1;
  BAD_HANDLE(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, parts, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, parts, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, null, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, (cl_device_id[]){&cl_device}, "k", &err));
  cl_program p = clCreateProgramWithSource(context, 2, parts, lengths, &err);
  OK(err);
  char text[128];
  OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  assert_string_equal(text, "kernel void a(global int *p) { p[0] =  1; }");
  BAD(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  BAD_HANDLE(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "a", &err));
  OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
  BAD_HANDLE(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "b", &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateKernel(p, NULL, &err));
  BAD_HANDLE(CL_INVALID_PROGRAM, clCreateKernel(NULL, "a", &err));
  OK(clRetainProgram(p));
  OK(clReleaseProgram(p));
  OK(clReleaseProgram(p));
}

static void source_errors_are_logged(void **s) {
  (void)s;
  cl_program p = program_of("kernel void a(global int *p) {\n  p[0] = wrong; \x1b[31m\n}\n");
  catch_stderr();
  cl_int code = clBuildProgram(p, 0, NULL, "", NULL, NULL);
  const char *line = caught_stderr();
  BAD(CL_BUILD_PROGRAM_FAILURE, code);
  assert_non_null(strstr(line, "regtwin: clBuildProgram: CL_BUILD_PROGRAM_FAILURE: "));
  assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
  assert_non_null(strstr(log_of(p), "<stdin>:2:10: error: use of undeclared identifier 'wrong'"));
  assert_null(strstr(log_of(p), directory));
  cl_build_status status;
  OK(clGetProgramBuildInfo(p, &cl_device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_BUILD_ERROR);
  BAD_HANDLE(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "a", &err));
  BAD(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 0, NULL, "-nonsense", NULL, NULL));
  BAD(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, "", NULL, NULL));
  BAD(CL_INVALID_VALUE, clBuildProgram(p, 0, NULL, "", NULL, p));
  OK(clReleaseProgram(p));
  p = program_of("int other(int); kernel void a(global int *p) { p[0] = other(1); }");
  BAD(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, "", NULL, NULL));
  assert_non_null(strstr(log_of(p), "undefined function 'other'"));
  OK(clReleaseProgram(p));
  no_files_left();
}

static void the_compiler_is_missing(void **s) {
  (void)s;
  cl_program p = program_of("kernel void a(global int *p) { p[0] = 1; }");
  setenv("REGTWIN_CLANG", "/nonexistent/clang", 1);
  catch_stderr();
  cl_int code = clBuildProgram(p, 0, NULL, "", NULL, NULL);
  const char *text = caught_stderr();
  unsetenv("REGTWIN_CLANG");
  BAD(CL_COMPILER_NOT_AVAILABLE, code);
  assert_non_null(strstr(text, "expected the package clang-14"));
  setenv("REGTWIN_CLANG", "/bin/false", 1);
  BAD(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, "", NULL, NULL));
  setenv("REGTWIN_CLANG", "/bin/true", 1);
  BAD(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, "", NULL, NULL));
  unsetenv("REGTWIN_CLANG");
  no_files_left();
  setenv("TMPDIR", "/nonexistent", 1);
  BAD(CL_OUT_OF_HOST_MEMORY, clBuildProgram(p, 0, NULL, "", NULL, NULL));
  setenv("TMPDIR", directory, 1);
  OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  OK(clReleaseProgram(p));
}

static unsigned called;
static void CL_CALLBACK notify(cl_program p, void *user) {
  assert_ptr_equal(p, user);
  called++;
}

static void builds_again(void **s) {
  (void)s;
  cl_program p = program_of("kernel void a(global int *p) { p[0] = N; }");
  for (int i = 1; i < 3; i++) {
    char option[32];
    snprintf(option, sizeof option, "-D N=%d", i);
    called = 0;
    OK(clBuildProgram(p, 1, (cl_device_id[]){&cl_device}, option, notify, p));
    assert_int_equal(called, 1);
    cl_kernel k = kernel_of(p, "a");
    BAD(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, option, NULL, NULL));
    cl_mem m = buffer_of(4, NULL);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    launch(k, 1);
    assert_int_equal(words(m, 1)[0], i);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
  }
  OK(clReleaseProgram(p));
}

/* Each option that there is, and the same results. */
static void all_options(void **s) {
  (void)s;
  static const char many[] =
      "-cl-mad-enable -cl-denorms-are-zero -cl-single-precision-constant -cl-no-signed-zeros "
      "-cl-unsafe-math-optimizations -cl-finite-math-only -cl-kernel-arg-info -w -Werror";
  static const char *const options[] = {"-cl-opt-disable",
                                        "-cl-fast-relaxed-math",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-std=CL1.0",
                                        "-cl-std=CL1.1 -cl-strict-aliasing -Werror",
                                        many};
  static const char source[] =
      "#if __OPENCL_VERSION__ != 120 || !defined cl_khr_fp64 || defined cl_khr_fp16 || !defined "
      "__IMAGE_SUPPORT__\n#error macros\n#endif\n"
      "constant float w[3] = {1, 2, 3};\nfloat square(float x);\nfloat square(float x) { return x * x; }\n"
      "kernel void k(global float *o, int n) {\n  local float l[32];\n  float a[8];\n  int i = get_global_id(0);\n"
      "  for (int j = 0; j < 8; j++) a[j] = o[i] + j;\n  l[get_local_id(0)] = square(a[n & 7]);\n  "
      "barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  o[i] = l[31 - get_local_id(0)] * w[n % 3] + pow(o[i], 2.0f) / 4;\n}\n";
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    float x[32];
    for (unsigned j = 0; j < 32; j++) x[j] = 2;
    cl_program p = built(source, options[i]);
    cl_kernel k = kernel_of(p, "k");
    cl_mem m = buffer_of(sizeof x, x);
    const size_t n = 32;
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, 4, &(int){2}));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    memcpy(x, words(m, 32), sizeof x);
    for (unsigned j = 0; j < 32; j++) assert_float_equal(x[j], 49, 1e-3);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
  }
}

/* ---- compiling and linking ---- */

static void compile_and_link(void **s) {
  (void)s;
  cl_int err = 1;
  cl_program header = program_of("int twice(int);"),
             a = program_of("#include \"inc/h.h\"\nkernel void k(global int *p) { p[0] = twice(p[0]); }"),
             b = program_of("int twice(int x) { return 2 * x; }");
  const char *name = "inc/h.h", *wrong[] = {"/h.h", "../h.h", "a/../h.h", "", "a/", NULL};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    BAD(CL_INVALID_VALUE, clCompileProgram(a, 0, NULL, "", 1, &header, &wrong[i], NULL, NULL));
  }
  BAD(CL_INVALID_VALUE, clCompileProgram(a, 0, NULL, "", 1, NULL, NULL, NULL, NULL));
  BAD(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(a, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  BAD(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(a, 0, NULL, "-x", 0, NULL, NULL, NULL, NULL));
  BAD_HANDLE(CL_INVALID_OPERATION, clLinkProgram(context, 0, NULL, "", 1, &a, NULL, NULL, &err));
  OK(clCompileProgram(a, 0, NULL, "", 1, &header, &name, NULL, NULL));
  OK(clCompileProgram(b, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  BAD_HANDLE(CL_INVALID_LINKER_OPTIONS, clLinkProgram(context, 0, NULL, "-x", 1, &a, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clLinkProgram(context, 0, NULL, "", 0, NULL, NULL, NULL, &err));
  cl_program alone = clLinkProgram(context, 0, NULL, "", 1, &a, NULL, NULL, &err);
  BAD(CL_LINK_PROGRAM_FAILURE, err);
  if (alone) OK(clReleaseProgram(alone));
  cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &b, NULL, NULL, &err);
  OK(err);
  /* The library as a binary, and back. */
  size_t size = 0;
  OK(clGetProgramInfo(library, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *binary = malloc(size);
  OK(clGetProgramInfo(library, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  cl_program again = clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &size,
                                               (const unsigned char **)&binary, NULL, &err);
  OK(err);
  BAD(CL_INVALID_BINARY, clBuildProgram(again, 0, NULL, "", NULL, NULL));
  cl_program both = clLinkProgram(context, 0, NULL, "", 2, (cl_program[]){a, again}, NULL, NULL, &err);
  OK(err);
  BAD(CL_INVALID_OPERATION, clBuildProgram(both, 0, NULL, "", NULL, NULL));
  cl_kernel k = kernel_of(both, "k");
  cl_mem m = buffer_of(4, &(int){21});
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  launch(k, 1);
  assert_int_equal(words(m, 1)[0], 42);
  /* A damaged binary. */
  for (size_t at = 0; at < 20; at++) {
    binary[at] ^= 0x40;
    cl_program damaged = clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &size,
                                                   (const unsigned char **)&binary, NULL, &err);
    assert_null(damaged);
    BAD(CL_INVALID_BINARY, err);
    binary[at] ^= 0x40;
  }
  free(binary);
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
  cl_program all[] = {header, a, b, library, again, both};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) OK(clReleaseProgram(all[i]));
  no_files_left();
}

/* ---- binaries ---- */

static const char offsets_source[] =
    "constant int add = 5;\n"
    "kernel void k(global uint *p, constant uint *c) {\n"
    "  uint at = get_global_id(0) - get_global_offset(0);\n"
    "  p[at] = get_global_id(0) + 1000 * get_global_offset(0) + 100000 * get_work_dim() + add + c[1];\n"
    "}\n";

static void run_offsets(cl_program p) {
  cl_kernel k = kernel_of(p, "k");
  cl_mem m = buffer_of(4 * 8, NULL), c = buffer_of(8, (uint32_t[]){0, 7});
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, sizeof c, &c));
  for (size_t offset = 0; offset < 9; offset += 4) {
    const size_t global = 8, local = 4;
    OK(clEnqueueNDRangeKernel(queue, k, 1, &offset, &global, &local, 0, NULL, NULL));
    for (unsigned i = 0; i < 8; i++) assert_int_equal(words(m, 8)[i], i + offset + 1000 * offset + 100000 + 12);
  }
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(c));
  OK(clReleaseKernel(k));
}

static void offsets_and_binaries(void **s) {
  (void)s;
  cl_int err = 1, status = 1;
  cl_program p = built(offsets_source, "");
  run_offsets(p);
  size_t size = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  char *text = calloc(1, size + 1);
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof text, &text, NULL));
  assert_non_null(strstr(text, ".version"));
  cl_program q = clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &size,
                                           (const unsigned char *[]){(unsigned char *)text}, &status, &err);
  OK(err);
  OK(status);
  OK(clBuildProgram(q, 0, NULL, "", NULL, NULL));
  run_offsets(q);
  OK(clReleaseProgram(q));
  OK(clReleaseProgram(p));
  free(text);
  const unsigned char *nonsense = (const unsigned char *)"nonsense";
  BAD_HANDLE(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &(size_t){8},
                                                          &nonsense, &status, &err));
  BAD(CL_INVALID_BINARY, status);
  BAD_HANDLE(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &(size_t){0},
                                                         &nonsense, &status, &err));
  BAD_HANDLE(CL_INVALID_VALUE,
             clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, NULL, NULL, &status, &err));
}

/* PTX of other origin: buffers, values and local memory are told apart as they are set; .ptr says more. */
static void foreign_ptx(void **s) {
  (void)s;
  static const char ptx[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 value, .param .u64 scratch, .param .u64 .ptr .const .align 4 c) "
      "{\n"
      "  .reg .b64 %r<8>;\n  .reg .b32 %w<4>;\n"
      "  ld.param.u64 %r1, [out];\n  ld.param.u64 %r2, [value];\n  ld.param.u64 %r3, [scratch];\n  ld.param.u64 %r4, "
      "[c];\n"
      "  st.shared.u64 [%r3], %r2;\n  ld.shared.u64 %r5, [%r3];\n  ld.const.u32 %w1, [%r4+4];\n"
      "  st.global.u64 [%r1], %r5;\n  st.global.u32 [%r1+8], %w1;\n  ret;\n}\n";
  cl_int err = 1;
  size_t size = sizeof ptx;
  const unsigned char *text = (const unsigned char *)ptx;
  cl_program p = clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &size, &text, NULL, &err);
  OK(err);
  OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  cl_kernel k = kernel_of(p, "k");
  cl_mem m = buffer_of(16, NULL), c = buffer_of(8, (uint32_t[]){1, 77});
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, 8, &(uint64_t){0x123456789a}));
  OK(clSetKernelArg(k, 2, 64, NULL));
  OK(clSetKernelArg(k, 3, sizeof c, &c));
  BAD(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 4, sizeof c, &c));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 4, &(uint32_t){1}));
  launch(k, 1);
  assert_int_equal(words(m, 3)[0], 0x3456789a);
  assert_int_equal(words(m, 3)[1], 0x12);
  assert_int_equal(words(m, 3)[2], 77);
  const size_t one = 1, offset = 1;
  BAD(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, k, 1, &offset, &one, NULL, 0, NULL, NULL));
  char name[8];
  BAD(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(c));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

/* ---- arguments ---- */

static const char arguments_source[] =
    "typedef struct { int a; float b[3]; } S;\n"
    "kernel void k(global float *g, constant float *c, local float *l, float3 f, S s, char h, global const int2 "
    "*restrict q) {\n"
    "  l[0] = c[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  g[0] = l[0] + f.z + s.b[2] + h + (q ? q[0].y : 100);\n}\n";

/* The device has none, and a wrong size is told all the same. */
static void samplers(void **s) {
  (void)s;
  cl_program p = built("kernel void k(sampler_t a, global int *o) { o[0] = 1; }", "");
  cl_kernel k = kernel_of(p, "k");
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, sizeof(cl_sampler) + 1, NULL));
  BAD(CL_INVALID_SAMPLER, clSetKernelArg(k, 0, sizeof(cl_sampler), NULL));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

static void arguments(void **s) {
  (void)s;
  cl_program p = built(arguments_source, "");
  cl_kernel k = kernel_of(p, "k");
  cl_mem g = buffer_of(16, NULL), c = buffer_of(16, (float[]){0.5f, 0, 0, 0});
  struct {
    int a;
    float b[3];
  } st = {1, {2, 3, 4}};
  cl_float3 f = {{10, 20, 30, 0}};
  const size_t one = 1;
  BAD(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, k, 0, NULL, NULL));
  BAD(CL_INVALID_KERNEL, clSetKernelArg(NULL, 0, 8, &g));
  BAD(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 7, 8, &g));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &g));
  BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, 8, &(void *){&st}));
  BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, 8, &queue));
  BAD(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 2, 16, &g));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 2, 0, NULL));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 3, 12, &f));
  BAD(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 3, 16, NULL));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 4, 12, &st));
  BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 5, 4, &(int){1}));
  OK(clSetKernelArg(k, 0, 8, &g));
  OK(clSetKernelArg(k, 1, 8, &c));
  OK(clSetKernelArg(k, 2, 16, NULL));
  OK(clSetKernelArg(k, 3, 16, &f));
  OK(clSetKernelArg(k, 4, sizeof st, &st));
  OK(clSetKernelArg(k, 5, 1, &(char){-7}));
  BAD(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clSetKernelArg(k, 6, 8, NULL));
  OK(clEnqueueTask(queue, k, 0, NULL, NULL));
  float r;
  memcpy(&r, words(g, 1), 4);
  assert_float_equal(r, 0.5f + 30 + 4 - 7 + 100, 0);
  /* A buffer that was released. */
  OK(clReleaseMemObject(c));
  BAD(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, k, 0, NULL, NULL));
  c = buffer_of(65536, NULL);
  OK(clSetKernelArg(k, 1, 8, &c));
  OK(clEnqueueTask(queue, k, 0, NULL, NULL));
  OK(clReleaseMemObject(c));
  c = buffer_of(65540, NULL);
  OK(clSetKernelArg(k, 1, 8, &c));
  BAD(CL_OUT_OF_RESOURCES, clEnqueueTask(queue, k, 0, NULL, NULL));
  OK(clSetKernelArg(k, 1, 8, NULL));
  OK(clSetKernelArg(k, 2, 1 << 30, NULL));
  BAD(CL_OUT_OF_RESOURCES, clEnqueueTask(queue, k, 0, NULL, NULL));
  OK(clReleaseMemObject(c));
  OK(clReleaseMemObject(g));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

static void info_of_arguments(void **s) {
  (void)s;
  cl_program p = built(arguments_source, "-cl-kernel-arg-info");
  cl_kernel k = kernel_of(p, "k");
  static const struct {
    cl_kernel_arg_address_qualifier space;
    const char *type, *name;
    cl_kernel_arg_type_qualifier qualifiers;
  } expected[] = {{CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*", "g", 0},
                  {CL_KERNEL_ARG_ADDRESS_CONSTANT, "float*", "c", CL_KERNEL_ARG_TYPE_CONST},
                  {CL_KERNEL_ARG_ADDRESS_LOCAL, "float*", "l", 0},
                  {CL_KERNEL_ARG_ADDRESS_PRIVATE, "float3", "f", 0},
                  {CL_KERNEL_ARG_ADDRESS_PRIVATE, "S", "s", 0},
                  {CL_KERNEL_ARG_ADDRESS_PRIVATE, "char", "h", 0},
                  {CL_KERNEL_ARG_ADDRESS_GLOBAL, "int2*", "q", CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT}};
  for (cl_uint i = 0; i < 7; i++) {
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier qualifiers;
    cl_kernel_arg_access_qualifier access;
    char type[32], name[32];
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    assert_int_equal(space, expected[i].space);
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_NONE);
    assert_int_equal(qualifiers, expected[i].qualifiers);
    assert_string_equal(type, expected[i].type);
    assert_string_equal(name, expected[i].name);
  }
  BAD(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 7, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clGetKernelArgInfo(k, 0, 1, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, 2, &(int){0}, NULL));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

/* ---- launches ---- */

static void sizes_of_launches(void **s) {
  (void)s;
  cl_program p = built(
      "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void r(global uint *p) { p[get_global_id(0)] = 1; }\n"
      "kernel void k(global uint *p) { p[(get_global_id(1) * get_global_size(0) + get_global_id(0)) & 4095] ="
      " get_local_size(0) + 1000 * get_local_size(1); }",
      "");
  cl_kernel r = kernel_of(p, "r"), k = kernel_of(p, "k");
  cl_mem m = buffer_of(4 * 4096, NULL);
  OK(clSetKernelArg(r, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 0, sizeof m, &m));
#define RUN(kernel, dim, offset, global, local) \
  clEnqueueNDRangeKernel(queue, kernel, dim, offset, (const size_t[])global, (const size_t[])local, 0, NULL, NULL)
#define SIZE(...) \
  { __VA_ARGS__ }
  const size_t global[] = {64, 2, 1};
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(NULL, k, 1, NULL, global, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(queue, NULL, 1, NULL, global, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, k, 0, NULL, global, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, k, 4, NULL, global, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_GLOBAL_WORK_SIZE, RUN(k, 2, NULL, SIZE(64, 0), SIZE(1, 1)));
  BAD(CL_INVALID_GLOBAL_WORK_SIZE, RUN(k, 1, NULL, SIZE((size_t)1 << 32), SIZE(1)));
  BAD(CL_INVALID_GLOBAL_OFFSET, RUN(k, 1, &(size_t){SIZE_MAX}, SIZE(64), SIZE(1)));
  BAD(CL_INVALID_WORK_GROUP_SIZE, RUN(k, 1, NULL, SIZE(64), SIZE(48)));
  BAD(CL_INVALID_WORK_GROUP_SIZE, RUN(k, 1, NULL, SIZE(64), SIZE(0)));
  BAD(CL_INVALID_WORK_GROUP_SIZE, RUN(k, 2, NULL, SIZE(64, 64), SIZE(64, 64)));
  BAD(CL_INVALID_WORK_ITEM_SIZE, RUN(k, 3, NULL, SIZE(1, 1, 128), SIZE(1, 1, 128)));
  BAD(CL_INVALID_WORK_ITEM_SIZE, RUN(k, 1, NULL, SIZE(4096), SIZE(2048)));
  BAD(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, r, 2, NULL, global, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_WORK_GROUP_SIZE, RUN(r, 2, NULL, SIZE(64, 2), SIZE(16, 1)));
  OK(RUN(r, 2, NULL, SIZE(64, 2), SIZE(8, 2)));
  /* NULL: the greatest divisor up to 256, of multiples of 32 if there is one. */
  static const size_t chosen[][4] = {{1024, 1, 256, 1}, {96, 8, 96, 2}, {7, 5, 7, 5},
                                     {100, 3, 100, 1},  {257, 4, 1, 4}, {64, 6, 64, 3}};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, chosen[i], NULL, 0, NULL, NULL));
    assert_int_equal(words(m, 1)[0], chosen[i][2] + 1000 * chosen[i][3]);
  }
  OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, (const size_t[]){2, 66000}, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_GLOBAL_WORK_SIZE, RUN(k, 2, NULL, SIZE(1, 66000), SIZE(1, 1)));
  BAD(CL_INVALID_OPERATION, clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  size_t three[3];
  OK(clGetKernelWorkGroupInfo(r, &cl_device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof three, three, NULL));
  assert_true(three[0] == 8 && three[1] == 2 && three[2] == 1);
  char text[64];
  OK(clGetKernelInfo(r, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
  assert_string_equal(text, "reqd_work_group_size(8,2,1)");
  BAD(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof three, three, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
  OK(clReleaseKernel(r));
  OK(clReleaseProgram(p));
}

/* OpenCL C lets a kernel call another one. */
static void a_kernel_calls_kernels(void **s) {
  (void)s;
  cl_program p = built(
      "kernel void a(global int *p, int n) { local int l[1]; l[0] = n; p[get_global_id(0)] += l[0]; }\n"
      "kernel void b(global int *p, int n) { a(p, n); a(p, 2 * n); }\n"
      "kernel void c(global int *p, int n) { b(p, n); a(p, 1); }\n",
      "");
  static const char *const names[] = {"a", "b", "c"};
  static const int sums[] = {5, 15, 16};
  for (int i = 0; i < 3; i++) {
    cl_kernel k = kernel_of(p, names[i]);
    cl_mem m = buffer_of(128, NULL);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, 4, &(int){5}));
    launch(k, 32);
    assert_int_equal(words(m, 32)[31], sums[i]);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
  }
  size_t kernels;
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  assert_int_equal(kernels, 3);
  OK(clReleaseProgram(p));
}

/* A launch that waits keeps the arguments that it had. */
static void a_launch_keeps_its_arguments(void **s) {
  (void)s;
  cl_int err = 1;
  cl_program p = built("kernel void k(global uint *p, uint v) { p[0] = v; }", "");
  cl_kernel k = kernel_of(p, "k");
  cl_mem m = buffer_of(4, NULL), n = buffer_of(4, NULL);
  cl_event e = clCreateUserEvent(context, &err);
  const size_t one = 1;
  OK(err);
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, 4, &(uint32_t){11}));
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 1, &e, NULL));
  OK(clSetKernelArg(k, 0, sizeof n, &n));
  OK(clSetKernelArg(k, 1, 4, &(uint32_t){12}));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  OK(clSetUserEventStatus(e, CL_COMPLETE));
  assert_int_equal(words(m, 1)[0], 11);
  assert_int_equal(words(n, 1)[0], 0);
  OK(clReleaseEvent(e));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(n));
}

static void a_kernel_that_is_refused(void **s) {
  (void)s;
  static const char ptx[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n"
      ".visible .entry bad(.param .u64 p) {\n  .reg .b32 %w<4>;\n  tex.1d.v4.s32.s32 {%w0, %w1, %w2, %w3}, [t, "
      "{%w0}];\n  ret;\n}\n"
      ".visible .entry good() {\n  ret;\n}\n";
  cl_int err = 1;
  const unsigned char *text = (const unsigned char *)ptx;
  cl_program p =
      clCreateProgramWithBinary(context, 1, (cl_device_id[]){&cl_device}, &(size_t){sizeof ptx - 1}, &text, NULL, &err);
  OK(err);
  OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  cl_kernel k[2];
  cl_uint n = 0;
  BAD(CL_INVALID_VALUE, clCreateKernelsInProgram(p, 1, k, NULL));
  OK(clCreateKernelsInProgram(p, 2, k, &n));
  assert_int_equal(n, 2);
  OK(clSetKernelArg(k[0], 0, 8, NULL));
  catch_stderr();
  cl_int code = clEnqueueTask(queue, k[0], 0, NULL, NULL);
  const char *line = caught_stderr();
  BAD(CL_OUT_OF_RESOURCES, code);
  assert_non_null(strstr(line, ":6:"));
  OK(clEnqueueTask(queue, k[1], 0, NULL, NULL));
  OK(clReleaseKernel(k[0]));
  OK(clReleaseKernel(k[1]));
  OK(clReleaseProgram(p));
}

/* ---- settings of the host program (base/host_env.h) ---- */

struct seen {
  const struct settings *mine;
  unsigned calls, other;
};
static void see(struct seen *s) {
  cl_uint now = 0;
  s->other += !settings_are(s->mine);
  s->other += clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof now, &now, NULL) != CL_SUCCESS;
  s->other += !settings_are(s->mine);
  s->calls++;
}
static void CL_CALLBACK see_event(cl_event event, cl_int status, void *user) {
  (void)event, (void)status;
  see(user);
}
static void CL_CALLBACK see_build(cl_program p, void *user) {
  (void)p;
  see(user);
}
static void CL_CALLBACK see_end(cl_mem m, void *user) {
  (void)m;
  see(user);
}

/* What the kernel prints. All callbacks have been called. */
static const char *host_kernel(uint32_t *out, struct seen *seen) {
  cl_event event;
  const size_t size = sizeof host_env_ptx - 1, one = 1;
  const unsigned char *text = (const unsigned char *)host_env_ptx;
  const cl_device_id d = &cl_device;
  cl_program p = clCreateProgramWithBinary(context, 1, &d, &size, &text, NULL, NULL);
  OK(clBuildProgram(p, 0, NULL, "", see_build, seen));
  cl_kernel k = kernel_of(p, "k");
  cl_mem m = buffer_of(4 * HOST_ENV_WORDS, NULL);
  cl_event u = clCreateUserEvent(context, NULL);
  OK(clSetMemObjectDestructorCallback(m, see_end, seen));
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 1, &u, &event));
  OK(clSetEventCallback(event, CL_COMPLETE, see_event, seen));
  printed_begin();
  const cl_int set = clSetUserEventStatus(u, CL_COMPLETE);
  const char *printed = printed_end();
  OK(set);
  memcpy(out, words(m, HOST_ENV_WORDS), 4 * HOST_ENV_WORDS);
  OK(clReleaseEvent(u));
  OK(clReleaseEvent(event));
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return printed;
}

static void under_settings(const char *locale) {
  uint32_t plain[HOST_ENV_WORDS], other[HOST_ENV_WORDS];
  struct settings mine = settings_now();
  struct seen seen = {.mine = &mine};
  assert_string_equal(host_kernel(plain, &seen), host_env_text);
  host_env_right(plain);
  mine = settings_foreign(locale);
  const char *text = host_kernel(other, &seen);
  const bool kept = settings_are(&mine);
  settings_usual();
  assert_true(kept && !seen.other);
  assert_int_equal(seen.calls, 6);
  assert_string_equal(text, host_env_text);
  assert_memory_equal(plain, other, sizeof plain);
}
static void settings_of_the_host(void **s) {
  (void)s;
  under_settings("C");
}
static void locale_of_the_host(void **s) {
  (void)s;
  under_settings("comma");
}

/* ---- what clang is given ---- */

static void inline_functions(void **s) {
  (void)s;
  /* clang-19 writes no body of one that is noinline (docs/use/host.md). */
  const bool with_noinline = !system("command -v clang-14 >/dev/null");
  char source[256], first[512], second[512];
  snprintf(source, sizeof source,
           "inline int twice(int x) { return 2 * x; }\n"
           "inline %sint more(int x) { return twice(x) + 1; }\n",
           with_noinline ? "__attribute__((noinline)) " : "");
  snprintf(first, sizeof first, "%skernel void k(global int *p) { p[0] = more(p[0]); }", source);
  snprintf(second, sizeof second, "%skernel void m(global int *p) { p[0] = more(twice(p[0])); }", source);
  static const char *const options[] = {"", "-cl-opt-disable", "-cl-std=CL1.1"};
  for (unsigned i = 0; i < 4; i++) {
    cl_int err = CL_SUCCESS;
    cl_program p = i < 3 ? built(first, options[i]) : NULL, a = NULL, b = NULL;
    if (!p) { /* objects with the same functions */
      a = program_of(first);
      b = program_of(second);
      OK(clCompileProgram(a, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
      OK(clCompileProgram(b, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
      p = clLinkProgram(context, 0, NULL, "", 2, (cl_program[]){a, b}, NULL, NULL, &err);
      OK(err);
    }
    cl_kernel k = kernel_of(p, i < 3 ? "k" : "m");
    cl_mem m = buffer_of(4, &(int){5});
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    launch(k, 1);
    assert_int_equal(words(m, 1)[0], i < 3 ? 11 : 21);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    if (a) OK(clReleaseProgram(a));
    if (b) OK(clReleaseProgram(b));
  }
}

static void local_arguments_are_aligned(void **s) {
  (void)s;
  cl_program p = built(
      "kernel void k(global uint *p, local char *a, local double16 *b, local int *c, local float4 *d) {\n"
      "  local char own[5]; uint i = get_local_id(0);\n"
      "  own[i] = a[i % 3] = i; b[i] = 1.5; c[i] = i; d[i] = 2.5f;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  p[0] = (size_t)b % 128; p[1] = (size_t)c % 4; p[2] = (size_t)d % 16;\n"
      "  p[3] = own[4] + c[4] + (int)b[4].sf + (int)d[4].w;\n}\n",
      "");
  cl_kernel k = kernel_of(p, "k");
  cl_mem m = buffer_of(16, NULL);
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, 3, NULL));
  OK(clSetKernelArg(k, 2, 5 * 128, NULL));
  OK(clSetKernelArg(k, 3, 5 * 4, NULL));
  OK(clSetKernelArg(k, 4, 5 * 16, NULL));
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){5}, &(size_t){5}, 0, NULL, NULL));
  const uint32_t want[4] = {0, 0, 0, 4 + 4 + 1 + 2};
  assert_memory_equal(words(m, 4), want, sizeof want);
  /* All of local memory, of small arguments behind a large one. */
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  p = built(
      "kernel void k(global uint *p, local char *a, local int *b) { b[3] = a[0] = 1; p[0] = b[3] + (a != (local char "
      "*)b); }",
      "");
  k = kernel_of(p, "k");
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, limit_local_bytes() - 16, NULL));
  OK(clSetKernelArg(k, 2, 16, NULL));
  launch(k, 1);
  assert_int_equal(words(m, 1)[0], 2);
  OK(clReleaseMemObject(m));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

/* A program may have no environment, and may let its children end by themselves. */
static void processes(void **s) {
  (void)s;
  char **all = environ;
  cl_program good = program_of("kernel void a(global int *p) { p[0] = 1; }"),
             bad = program_of("kernel void a(global int *p) { p[0] = wrong; }");
  environ = NULL; /* as after clearenv */
  cl_int status = clBuildProgram(good, 0, NULL, "", NULL, NULL);
  environ = all;
  OK(status);
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  OK(clBuildProgram(good, 0, NULL, "", NULL, NULL));
  BAD(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(bad, 0, NULL, "", NULL, NULL));
  assert_non_null(strstr(log_of(bad), "undeclared identifier 'wrong'"));
  signal(SIGCHLD, before);
  OK(clReleaseProgram(good));
  OK(clReleaseProgram(bad));
  no_files_left();
}

/* Long names make suggestions slow, so that there are none. */
static void unknown_names(void **s) {
  (void)s;
  enum { LONG = 100000 };
  char *source = malloc(LONG + 100);
  char *at = source + sprintf(source, "kernel void a(global int *point) { poimt[0] = 1; ");
  memset(at, 'x', LONG);
  strcpy(at + LONG, " = 1; }");
  cl_program p = program_of(source);
  BAD(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, "", NULL, NULL));
  assert_non_null(strstr(p->log, "use of undeclared identifier 'poimt'"));
  assert_null(strstr(p->log, "did you mean"));
  OK(clReleaseProgram(p));
  free(source);
}

/* A thread that is cancelled within a call ends after it. */
static void *build_and_end(void *p) {
  pthread_cancel(pthread_self());
  clBuildProgram(p, 0, NULL, "", NULL, NULL);
  pthread_testcancel();
  return NULL;
}
static void a_cancelled_thread(void **s) {
  (void)s;
  cl_program p = program_of("kernel void a(global int *p) { p[0] = 1; }");
  pthread_t thread;
  void *result = NULL;
  cl_build_status status;
  assert_int_equal(pthread_create(&thread, NULL, build_and_end, p), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_ptr_equal(result, PTHREAD_CANCELED);
  alarm(60); /* the lock is free */
  OK(clGetProgramBuildInfo(p, &cl_device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  alarm(0);
  assert_int_equal(status, CL_BUILD_SUCCESS);
  OK(clReleaseProgram(p));
  no_files_left();
}

int main(void) {
  comma_locale("opencl_program");
  unsetenv("OCL_ICD_VENDORS");
  strcpy(directory, "/tmp/regtwin-test-XXXXXX");
  if (!mkdtemp(directory)) return 1;
  setenv("TMPDIR", directory, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_split),
      TEST(settings_of_the_host),
      TEST(locale_of_the_host),
      TEST(sources),
      TEST(source_errors_are_logged),
      TEST(the_compiler_is_missing),
      TEST(builds_again),
      TEST(all_options),
      TEST(compile_and_link),
      TEST(offsets_and_binaries),
      TEST(foreign_ptx),
      TEST(samplers),
      TEST(arguments),
      TEST(info_of_arguments),
      TEST(sizes_of_launches),
      TEST(a_kernel_calls_kernels),
      TEST(a_launch_keeps_its_arguments),
      TEST(a_kernel_that_is_refused),
      TEST(inline_functions),
      TEST(local_arguments_are_aligned),
      TEST(processes),
      TEST(unknown_names),
      TEST(a_cancelled_thread),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(directory);
  return failed;
}

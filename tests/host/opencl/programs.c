/* SPDX-License-Identifier: Apache-2.0 */
/* programs: several programs with kernels of one name, compile and link, libraries, headers, options, binaries. */
#include "common.h"

static const char doubles[] =
    "__constant int by[2] = {2, 20};\n"
    "__kernel void advance(__global int *x) { x[get_global_id(0)] *= by[get_global_id(0) % 2]; }\n"
    "__kernel void other(__global int *x, int add) { x[get_global_id(0)] += add; }\n";
static const char triples[] =
    "__constant int by[3] = {3, 30, 300};\n"
    "__kernel void advance(__global int *x) { x[get_global_id(0)] *= by[get_global_id(0) % 3]; }\n";

enum { N = 256 };

static void run(const struct gpu *g, cl_kernel k, cl_mem X) {
  ARG(k, 0, X);
  run_1d(g, k, N, 64);
}

/* x holds what is in X. */
static bool holds(const struct gpu *g, cl_mem X, const int x[N]) {
  int found[N];
  read_back(g, X, found, sizeof found);
  return !memcmp(found, x, sizeof found);
}

static cl_mem numbers(const struct gpu *g, int x[N]) {
  for (int i = 0; i < N; i++) x[i] = i + 1;
  return buffer_of(g, N * sizeof *x, x);
}

static void of_one_name(const struct gpu *g) {
  const cl_program two = program_of(g, doubles, NULL), three = program_of(g, triples, NULL);
  const cl_kernel a = kernel_of(two, "advance"), b = kernel_of(three, "advance");
  int x[N];
  const cl_mem X = numbers(g, x);
  OK(clReleaseProgram(two)); /* kernels keep their programs */
  for (int round = 0; round < 3; round++) {
    run(g, a, X), run(g, b, X);
    for (int i = 0; i < N; i++) x[i] = (int)((unsigned)x[i] * (i % 2 ? 20 : 2) * (unsigned[]){3, 30, 300}[i % 3]);
  }
  check(holds(g, X, x), "two programs, each with a kernel 'advance' and a __constant variable 'by'");
  OK(clReleaseProgram(three)), OK(clReleaseKernel(a)), OK(clReleaseKernel(b)), OK(clReleaseMemObject(X));
}

static void compiled_and_linked(const struct gpu *g) {
  static const char header[] = "int scaled(int x);\n#define BIAS 5\n",
                    part[] = "#include \"part.h\"\nint scaled(int x) { return FACTOR * x; }\n",
                    whole[] =
                        "#include <part.h>\n"
                        "__kernel void use(__global int *x) {\n"
                        "  int i = get_global_id(0);\n"
                        "  x[i] = scaled(x[i]) + BIAS;\n"
                        "}\n";
  const char *text[] = {header, part, whole}, *names[] = {"part.h"};
  cl_program p[3], library, linked;
  for (int i = 0; i < 3; i++) MADE(p[i], clCreateProgramWithSource(g->context, 1, &text[i], NULL, &status));
  OK(clCompileProgram(p[1], 1, &g->device, "-DFACTOR=7", 1, p, names, NULL, NULL));
  OK(clCompileProgram(p[2], 1, &g->device, NULL, 1, p, names, NULL, NULL));
  MADE(library, clLinkProgram(g->context, 1, &g->device, "-create-library", 1, &p[1], NULL, NULL, &status));
  const cl_program parts[] = {p[2], library};
  MADE(linked, clLinkProgram(g->context, 1, &g->device, NULL, 2, parts, NULL, NULL, &status));
  cl_program_binary_type type[3] = {0};
  OK(clGetProgramBuildInfo(p[1], g->device, CL_PROGRAM_BINARY_TYPE, sizeof type[0], &type[0], NULL));
  OK(clGetProgramBuildInfo(library, g->device, CL_PROGRAM_BINARY_TYPE, sizeof type[1], &type[1], NULL));
  OK(clGetProgramBuildInfo(linked, g->device, CL_PROGRAM_BINARY_TYPE, sizeof type[2], &type[2], NULL));
  check(type[0] == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && type[1] == CL_PROGRAM_BINARY_TYPE_LIBRARY &&
            type[2] == CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        "a compiled object, a library, an executable");
  const cl_kernel k = kernel_of(linked, "use");
  int x[N];
  const cl_mem X = numbers(g, x);
  run(g, k, X);
  for (int i = 0; i < N; i++) x[i] = 7 * x[i] + 5;
  check(holds(g, X, x), "a function of another compilation, through a library and a header");

  cl_program broken;
  cl_int link = CL_SUCCESS;
  broken = clLinkProgram(g->context, 1, &g->device, NULL, 1, &p[2], NULL, NULL, &link);
  check(link == CL_LINK_PROGRAM_FAILURE, "a function that nobody has: CL_LINK_PROGRAM_FAILURE");
  if (broken) {
    check(strstr(build_log(g, broken), "scaled"), "the log has its name");
    OK(clReleaseProgram(broken));
  } else check(false, "the log has its name");
  for (int i = 0; i < 3; i++) OK(clReleaseProgram(p[i]));
  OK(clReleaseProgram(library)), OK(clReleaseProgram(linked)), OK(clReleaseKernel(k)), OK(clReleaseMemObject(X));
}

static void binaries(const struct gpu *g) {
  const cl_program p = program_of(g, doubles, NULL);
  size_t size = 0;
  unsigned char *binary;
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  check(size > 0, "a built program has a binary");
  binary = malloc(size);
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  OK(clReleaseProgram(p));

  cl_int loaded = -1;
  cl_program q;
  const unsigned char *const text = binary;
  MADE(q, clCreateProgramWithBinary(g->context, 1, &g->device, &size, (const unsigned char **)(uintptr_t)&text, &loaded,
                                    &status));
  check(loaded == CL_SUCCESS, "the binary is taken");
  OK(clBuildProgram(q, 1, &g->device, "", NULL, NULL));
  const cl_kernel k = kernel_of(q, "advance"), other = kernel_of(q, "other");
  int x[N];
  const cl_int add = 11;
  const cl_mem X = numbers(g, x);
  run(g, k, X);
  ARG(other, 1, add);
  run(g, other, X);
  for (int i = 0; i < N; i++) x[i] = x[i] * (i % 2 ? 20 : 2) + 11;
  check(holds(g, X, x), "a program made of a binary");
  OK(clReleaseProgram(q)), OK(clReleaseKernel(k)), OK(clReleaseKernel(other)), OK(clReleaseMemObject(X));

  cl_int why = CL_SUCCESS;
  const unsigned char *const nonsense = (const unsigned char *)"no program at all";
  size = 17;
  q = clCreateProgramWithBinary(g->context, 1, &g->device, &size, (const unsigned char **)(uintptr_t)&nonsense, &loaded,
                                &why);
  check(!q && why == CL_INVALID_BINARY && loaded == CL_INVALID_BINARY, "nonsense is CL_INVALID_BINARY");
  free(binary);
}

static void options(const struct gpu *g) {
  static const char source[] =
      "#ifdef __FAST_RELAXED_MATH__\n#define FAST 1\n#else\n#define FAST 0\n#endif\n"
      "__constant char text[] = TEXT;\n"
      "__kernel void advance(__global int *x) { int i = get_global_id(0); x[i] = text[i % (sizeof(text) - 1)] + VALUE "
      "+ 1000 * FAST; }\n";
  const cl_program p = program_of(g, source, " -cl-fast-relaxed-math  -DVALUE=(3+4) -D TEXT='\"a b\\\"c\"' -w");
  const cl_kernel k = kernel_of(p, "advance");
  char said[200];
  size_t n = 0;
  int x[N];
  const cl_mem X = numbers(g, x);
  run(g, k, X);
  for (int i = 0; i < N; i++) x[i] = "a b\"c"[i % 5] + 7 + 1000;
  check(holds(g, X, x), "options with quotes, and -cl-fast-relaxed-math");
  OK(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_OPTIONS, sizeof said, said, &n));
  check(n == strlen(said) + 1 && strstr(said, "-DVALUE=(3+4)"), "the options are remembered");
  OK(clReleaseProgram(p)), OK(clReleaseKernel(k)), OK(clReleaseMemObject(X));
}

static void what_is_in_it(const struct gpu *g) {
  const cl_program p = program_of(g, doubles, "-cl-kernel-arg-info");
  size_t count = 0, n = 0;
  char names[100], text[100];
  cl_uint made = 0, args = 0;
  cl_kernel k[4];
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
  OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, &n));
  check(count == 2 && (!strcmp(names, "advance;other") || !strcmp(names, "other;advance")), "names of its kernels");
  OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &n));
  check(n == sizeof doubles, "its source");
  OK(clCreateKernelsInProgram(p, 4, k, &made));
  check(made == 2, "all kernels at once");
  for (cl_uint i = 0; i < made; i++) {
    OK(clGetKernelInfo(k[i], CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    OK(clGetKernelInfo(k[i], CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL));
    if (strcmp(text, "other")) continue;
    cl_kernel_arg_address_qualifier space[2] = {0};
    char type[2][40], name[40];
    for (cl_uint j = 0; j < 2; j++) {
      OK(clGetKernelArgInfo(k[i], j, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space[j], &space[j], NULL));
      OK(clGetKernelArgInfo(k[i], j, CL_KERNEL_ARG_TYPE_NAME, sizeof type[j], type[j], NULL));
    }
    OK(clGetKernelArgInfo(k[i], 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    check(args == 2 && space[0] == CL_KERNEL_ARG_ADDRESS_GLOBAL && space[1] == CL_KERNEL_ARG_ADDRESS_PRIVATE &&
              !strcmp(type[0], "int*") && !strcmp(type[1], "int") && !strcmp(name, "add"),
          "address spaces, types and names of arguments");
  }
  for (cl_uint i = 0; i < made; i++) OK(clReleaseKernel(k[i]));
  OK(clReleaseProgram(p));
}

int main(void) {
  const struct gpu g = gpu_open(0);
  of_one_name(&g);
  compiled_and_linked(&g);
  binaries(&g);
  options(&g);
  what_is_in_it(&g);
  gpu_close(&g);
  return finish();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors: what a driver must refuse, with which status, and that it then still works. With an argument: one fault of a kernel instead, after which
 * the program ends as one that checks every call does.
 *   outside: an access outside of all buffers     null: a store to address 0     forever: a loop without end
 *   trap: an instruction that traps
 */
#include "common.h"

static const char source[] =
    "__kernel void fill(__global int *x, int v, float4 w, __local int *l) {\n"
    "  l[get_local_id(0)] = v;\n"
    "  x[get_global_id(0)] = l[get_local_id(0)] + (int)w.x;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void fixed(__global int *x) { x[0] = 1; }\n"
    "__kernel void huge(__global int *x) {\n"
    "  __local int l[1 << 20];\n"
    "  l[get_local_id(0)] = x[0];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  x[get_global_id(0)] = l[get_local_id(0) ^ 1];\n"
    "}\n"
    "__kernel void weigh(__constant int *a, __constant int *b, __global int *x) { x[0] = a[0] + b[0]; }\n"
    "__kernel void outside(__global int *x, int far) { x[far] = x[0] + 1; }\n"
    "__kernel void null(__global int *x) { x[get_global_id(0)] = 1; }\n"
    "__kernel void forever(__global volatile int *x) { while (x[0] == 0) x[1] = 1; }\n"
    "__kernel void trap(__global int *x) { if (x[0] == 0) __builtin_trap(); x[1] = 1; }\n";

enum { N = 64 };

static void of_programs(const struct gpu *g) {
  static const char bad[] = "__kernel void k(__global int *x) {\n  x[0] = no_such_thing;\n}\n",
                    warns[] = "#warning look at this\n__kernel void k(__global int *x) { x[0] = 1; }\n";
  const char *text = bad;
  cl_program p, q;
  cl_build_status built = CL_BUILD_NONE;
  NOT_MADE(CL_INVALID_VALUE, "a program of no text", clCreateProgramWithSource(g->context, 0, NULL, NULL, &status));
  NOT_MADE(CL_INVALID_VALUE, "a program of a NULL text",
           clCreateProgramWithSource(g->context, 1, (const char *[]){NULL}, NULL, &status));
  NOT_MADE(CL_INVALID_CONTEXT, "a program of no context", clCreateProgramWithSource(NULL, 1, &text, NULL, &status));
  MADE(p, clCreateProgramWithSource(g->context, 1, &text, NULL, &status));
  NOT_MADE(CL_INVALID_PROGRAM_EXECUTABLE, "a kernel before the program is built", clCreateKernel(p, "k", &status));
  FAILS(CL_BUILD_PROGRAM_FAILURE, "an unknown name", clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
  const char *log = build_log(g, p);
  check(strstr(log, ":2:") && strstr(log, "no_such_thing"), "the log has the line and the name");
  OK(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL));
  check(built == CL_BUILD_ERROR, "the status of the build");
  NOT_MADE(CL_INVALID_PROGRAM_EXECUTABLE, "a kernel of what was not built", clCreateKernel(p, "k", &status));
  text = warns;
  MADE(q, clCreateProgramWithSource(g->context, 1, &text, NULL, &status));
  OK(clBuildProgram(q, 0, NULL, NULL, NULL, NULL));
  check(strstr(build_log(g, q), "look at this"), "a warning is in the log of a build that succeeds");
  FAILS(CL_INVALID_BUILD_OPTIONS, "an unknown option", clBuildProgram(q, 0, NULL, "-cl-no-such-option", NULL, NULL));
  FAILS(CL_INVALID_VALUE, "devices, but no list", clBuildProgram(q, 1, NULL, NULL, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "data of no callback", clBuildProgram(q, 0, NULL, NULL, NULL, &built));
  FAILS(CL_INVALID_PROGRAM, "building nothing", clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL));
  OK(clReleaseProgram(p)), OK(clReleaseProgram(q));
}

static cl_int launch(const struct gpu *g, cl_kernel k, cl_uint dimensions, size_t x, size_t y, size_t lx, size_t ly) {
  const size_t global[] = {x, y, 1}, local[] = {lx, ly, 1};
  return clEnqueueNDRangeKernel(g->queue, k, dimensions, NULL, global, lx ? local : NULL, 0, NULL, NULL);
}

static void of_kernels(const struct gpu *g, cl_program p) {
  NOT_MADE(CL_INVALID_KERNEL_NAME, "a kernel that is not there", clCreateKernel(p, "nobody", &status));
  NOT_MADE(CL_INVALID_VALUE, "a kernel without a name", clCreateKernel(p, NULL, &status));
  const cl_kernel fill = kernel_of(p, "fill"), fixed = kernel_of(p, "fixed"), huge = kernel_of(p, "huge");
  const cl_mem X = buffer_of(g, N * sizeof(int), NULL);
  const cl_int v = 40;
  const cl_float4 w = {{2, 0, 0, 0}};
  const cl_mem nothing = NULL;
  int x[N], wrong = 0;
  size_t most = 0, sizes[3] = {0};
  cl_ulong local = 0;
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
  OK(clGetDeviceInfo(g->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));

  FAILS(CL_INVALID_ARG_INDEX, "an argument too many", clSetKernelArg(fill, 4, sizeof v, &v));
  FAILS(CL_INVALID_ARG_SIZE, "an int of 8 bytes", clSetKernelArg(fill, 1, 8, &w));
  FAILS(CL_INVALID_ARG_SIZE, "a buffer of 4 bytes", clSetKernelArg(fill, 0, 4, &X));
  FAILS(CL_INVALID_ARG_SIZE, "a float4 of 12 bytes", clSetKernelArg(fill, 2, 12, &w));
  FAILS(CL_INVALID_ARG_SIZE, "__local memory of 0 bytes", clSetKernelArg(fill, 3, 0, NULL));
  FAILS(CL_INVALID_ARG_VALUE, "__local memory with a value", clSetKernelArg(fill, 3, 4, &v));
  FAILS(CL_INVALID_ARG_VALUE, "an int without a value", clSetKernelArg(fill, 1, sizeof v, NULL));
  FAILS(CL_INVALID_KERNEL, "an argument of no kernel", clSetKernelArg(NULL, 1, sizeof v, &v));
  ARG(fill, 0, nothing), ARG(fill, 0, X), ARG(fill, 1, v), ARG(fill, 2, w);
  FAILS(CL_INVALID_KERNEL_ARGS, "an argument was not set", launch(g, fill, 1, N, 1, N, 1));
  OK(clSetKernelArg(fill, 3, N * sizeof(int), NULL));
  FAILS(CL_INVALID_WORK_DIMENSION, "no dimension", launch(g, fill, 0, N, 1, 0, 1));
  FAILS(CL_INVALID_WORK_DIMENSION, "four dimensions", launch(g, fill, 4, N, 1, 0, 1));
  FAILS(CL_INVALID_WORK_GROUP_SIZE, "groups that do not divide the range", launch(g, fill, 1, N, 1, 48, 1));
  const cl_int wide = launch(g, fill, 1, 2 * sizes[0], 1, 2 * sizes[0], 1);
  check(wide == CL_INVALID_WORK_ITEM_SIZE || wide == CL_INVALID_WORK_GROUP_SIZE, "a group wider than the device's");
  FAILS(CL_INVALID_WORK_GROUP_SIZE, "a group of too many", launch(g, fill, 2, most, 2, most, 2));
  FAILS(CL_INVALID_GLOBAL_WORK_SIZE, "a range of nothing", launch(g, fill, 1, 0, 1, 0, 1));
  FAILS(CL_INVALID_GLOBAL_WORK_SIZE, "no range",
        clEnqueueNDRangeKernel(g->queue, fill, 1, NULL, NULL, NULL, 0, NULL, NULL));
  FAILS(CL_INVALID_EVENT_WAIT_LIST, "events, but no list",
        clEnqueueNDRangeKernel(g->queue, fill, 1, NULL, sizes, NULL, 1, NULL, NULL));
  FAILS(CL_INVALID_KERNEL, "no kernel", launch(g, NULL, 1, N, 1, 0, 1));
  FAILS(CL_INVALID_COMMAND_QUEUE, "no queue", clEnqueueNDRangeKernel(NULL, fill, 1, NULL, sizes, NULL, 0, NULL, NULL));
  ARG(fixed, 0, X), ARG(huge, 0, X);
  FAILS(CL_INVALID_WORK_GROUP_SIZE, "another size than the required one", launch(g, fixed, 2, 8, 8, 8, 8));
  FAILS(CL_INVALID_WORK_GROUP_SIZE, "no size where one is required", launch(g, fixed, 2, 8, 8, 0, 0));
  FAILS(CL_OUT_OF_RESOURCES, "4 MB of __local variables", launch(g, huge, 1, N, 1, N, 1));
  OK(clSetKernelArg(fill, 3, local + 16, NULL));
  FAILS(CL_OUT_OF_RESOURCES, "more __local memory than there is", launch(g, fill, 1, N, 1, N, 1));

  OK(clSetKernelArg(fill, 3, N * sizeof(int), NULL));
  OK(launch(g, fill, 1, N, 1, N, 1));
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != 42;
  check(!wrong, "after all of these the kernel runs");
  OK(clReleaseMemObject(X)), OK(clReleaseKernel(fill)), OK(clReleaseKernel(fixed)), OK(clReleaseKernel(huge));
}

static void of_buffers(const struct gpu *g) {
  cl_ulong most = 0, all = 0;
  int x[4] = {0};
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  OK(clGetDeviceInfo(g->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
  NOT_MADE(CL_INVALID_BUFFER_SIZE, "a buffer of nothing", clCreateBuffer(g->context, 0, 0, NULL, &status));
  NOT_MADE(CL_INVALID_BUFFER_SIZE, "a buffer larger than allowed",
           clCreateBuffer(g->context, 0, most + 1, NULL, &status));
  NOT_MADE(CL_INVALID_BUFFER_SIZE, "a buffer of 2^63 bytes",
           clCreateBuffer(g->context, 0, (size_t)1 << 63, NULL, &status));
  NOT_MADE(CL_INVALID_HOST_PTR, "a copy of nothing",
           clCreateBuffer(g->context, CL_MEM_COPY_HOST_PTR, 16, NULL, &status));
  NOT_MADE(CL_INVALID_HOST_PTR, "memory without its flag", clCreateBuffer(g->context, 0, 16, x, &status));
  NOT_MADE(CL_INVALID_VALUE, "flags that exclude each other",
           clCreateBuffer(g->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &status));
  NOT_MADE(CL_INVALID_CONTEXT, "a buffer of no context", clCreateBuffer(NULL, 0, 16, NULL, &status));

  const cl_mem X = buffer_of(g, 16, x);
  FAILS(CL_INVALID_VALUE, "reading past the end", clEnqueueReadBuffer(g->queue, X, CL_TRUE, 8, 9, x, 0, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "an offset and a size that overflow",
        clEnqueueReadBuffer(g->queue, X, CL_TRUE, SIZE_MAX - 3, 8, x, 0, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "writing from NULL", clEnqueueWriteBuffer(g->queue, X, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  FAILS(CL_INVALID_MEM_OBJECT, "reading no buffer",
        clEnqueueReadBuffer(g->queue, NULL, CL_TRUE, 0, 4, x, 0, NULL, NULL));
  FAILS(CL_INVALID_COMMAND_QUEUE, "reading by no queue", clEnqueueReadBuffer(NULL, X, CL_TRUE, 0, 4, x, 0, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "unmapping what is not mapped", clEnqueueUnmapMemObject(g->queue, X, x, 0, NULL, NULL));
  OK(clReleaseMemObject(X));

  /* Until the memory is exhausted; a buffer may be made when it is first used. */
  enum { MOST = 64 };
  cl_mem held[MOST];
  cl_int why = CL_SUCCESS;
  int n = 0;
  const size_t size = most / 4;
  while (n < MOST && !why) {
    held[n] = clCreateBuffer(g->context, 0, size, NULL, &why);
    if (!held[n]) break;
    why = clEnqueueWriteBuffer(g->queue, held[n++], CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
  }
  if (all < 1u << 30) {
    check(why == CL_MEM_OBJECT_ALLOCATION_FAILURE || why == CL_OUT_OF_RESOURCES, "the memory is exhausted");
    check((cl_ulong)n * size > all / 2, "most of it could be used before");
  } else check(true, "the memory is exhausted"), check(true, "most of it could be used before");
  while (n) OK(clReleaseMemObject(held[--n]));
  const cl_mem again = buffer_of(g, most, NULL);
  OK(clEnqueueWriteBuffer(g->queue, again, CL_TRUE, most - sizeof x, sizeof x, x, 0, NULL, NULL));
  check(true, "then it is free again");
  OK(clReleaseMemObject(again));
}

/* Together the constant arguments may not be larger than the constant memory. */
static void of_constants(const struct gpu *g, cl_program p) {
  const cl_kernel k = kernel_of(p, "weigh");
  cl_ulong most = 0;
  int x = 0;
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof most, &most, NULL));
  if (most > 1 << 20) most = 65536; /* not a GPU's */
  int *zeros = calloc(1, most + 4096);
  zeros[0] = 21;
  const cl_mem A = buffer_of(g, most / 2, zeros), B = buffer_of(g, most / 2 + 4096, zeros),
               X = buffer_of(g, sizeof x, NULL);
  ARG(k, 0, A), ARG(k, 1, A), ARG(k, 2, X);
  OK(launch(g, k, 1, 1, 1, 1, 1));
  read_back(g, X, &x, sizeof x);
  check(x == 42, "a __constant argument of %llu bytes, twice", (unsigned long long)most / 2);
  ARG(k, 1, B);
  const cl_int s = launch(g, k, 1, 1, 1, 1, 1);
  check(s != CL_SUCCESS || most >= 1 << 20, "more __constant memory than there is");
  ARG(k, 1, A);
  OK(launch(g, k, 1, 1, 1, 1, 1));
  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)), OK(clReleaseMemObject(X)), OK(clReleaseKernel(k));
  free(zeros);
}

static void of_handles(const struct gpu *g) {
  cl_uint n = 0;
  size_t bytes = 0;
  char small[1];
  cl_device_id none = NULL;
  static char text[1 << 12];
  OK(clGetDeviceInfo(g->device, CL_DEVICE_NAME, sizeof text, text, &bytes));
  check(bytes == strlen(text) + 1 && bytes > 1, "the device has a name");
  FAILS(CL_INVALID_VALUE, "a name that has no room",
        clGetDeviceInfo(g->device, CL_DEVICE_NAME, sizeof small, small, NULL));
  FAILS(CL_INVALID_VALUE, "an unknown question", clGetDeviceInfo(g->device, 0x7777, sizeof text, text, NULL));
  FAILS(CL_INVALID_DEVICE, "a question to no device", clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof text, text, NULL));
  FAILS(CL_INVALID_VALUE, "no devices asked for", clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_ALL, 0, &none, NULL));
  FAILS(CL_INVALID_DEVICE_TYPE, "no type of device", clGetDeviceIDs(g->platform, 0, 1, &none, NULL));
  FAILS(CL_DEVICE_NOT_FOUND, "a custom device", clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_CUSTOM, 1, &none, &n));
  FAILS(CL_INVALID_CONTEXT, "releasing no context", clReleaseContext(NULL));
  FAILS(CL_INVALID_COMMAND_QUEUE, "releasing no queue", clReleaseCommandQueue(NULL));
  FAILS(CL_INVALID_MEM_OBJECT, "releasing no buffer", clReleaseMemObject(NULL));
  FAILS(CL_INVALID_PROGRAM, "releasing no program", clReleaseProgram(NULL));
  FAILS(CL_INVALID_KERNEL, "releasing no kernel", clReleaseKernel(NULL));
  FAILS(CL_INVALID_EVENT, "releasing no event", clReleaseEvent(NULL));
  FAILS(CL_INVALID_VALUE, "waiting for no events", clWaitForEvents(0, NULL));
  NOT_MADE(CL_INVALID_CONTEXT, "a queue of no context", clCreateCommandQueue(NULL, g->device, 0, &status));
  NOT_MADE(CL_INVALID_DEVICE, "a queue of no device", clCreateCommandQueue(g->context, NULL, 0, &status));
  NOT_MADE(CL_INVALID_VALUE, "a queue of unknown properties",
           clCreateCommandQueue(g->context, g->device, (cl_command_queue_properties)1 << 40, &status));
  NOT_MADE(CL_INVALID_VALUE, "a context of no devices", clCreateContext(NULL, 0, NULL, NULL, NULL, &status));
}

/* A fault, as a program meets it that asks for the status of every call. */
static int fault(const struct gpu *g, cl_program p, const char *which) {
  const cl_kernel k = kernel_of(p, which);
  const int far = 1 << 24;
  int x[2] = {0};
  const cl_mem X = buffer_of(g, sizeof x, x), none = NULL;
  const size_t one = 1;
  if (!strcmp(which, "null")) ARG(k, 0, none);
  else ARG(k, 0, X);
  if (!strcmp(which, "outside")) ARG(k, 1, far);
  cl_event e = NULL;
  const cl_int launched = clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &one, NULL, 0, NULL, &e),
               ended = clFinish(g->queue);
  if (launched == CL_SUCCESS && ended == CL_SUCCESS && (!e || event_status(e) == CL_COMPLETE)) {
    printf("no fault\n");
    return 0;
  }
  printf("a fault: the launch is %s, its event is %s\n", launched || ended ? "refused" : "accepted",
         !e                    ? "not there"
         : event_status(e) < 0 ? "an error"
                               : "none");
  const cl_int read = clEnqueueReadBuffer(g->queue, X, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
  const cl_int again = clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL);
  printf("reading afterwards: %s; another launch: %s\n", read ? "an error" : "possible",
         again ? "an error" : "possible");
  fflush(stdout);
  return 3;
}

int main(int argc, char **argv) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, NULL);
  if (argc > 1) return fault(&g, p, argv[1]);
  of_programs(&g);
  of_kernels(&g, p);
  of_buffers(&g);
  of_constants(&g, p);
  of_handles(&g);
  OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}

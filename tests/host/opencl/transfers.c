/* SPDX-License-Identifier: Apache-2.0 */
/* transfers: mapping, sub-buffers, copies of rectangles, filling, memory of the host, buffers that come and go. */
#include "common.h"

static const char source[] = "__kernel void negate(__global int *x) { x[get_global_id(0)] = -x[get_global_id(0)]; }\n";

enum { N = 1024, W = 16, H = 8, D = 4 };

static void mapping(const struct gpu *g, cl_kernel negate) {
  const cl_mem X = buffer_of(g, N * sizeof(int), NULL);
  int *p, x[N], wrong = 0;
  cl_event mapped;
  MADE(p, clEnqueueMapBuffer(g->queue, X, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, N * sizeof *p, 0, NULL, NULL,
                             &status));
  for (int i = 0; i < N; i++) p[i] = i;
  OK(clEnqueueUnmapMemObject(g->queue, X, p, 0, NULL, NULL));
  ARG(negate, 0, X);
  run_1d(g, negate, N, 64);
  MADE(p, clEnqueueMapBuffer(g->queue, X, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 100 * sizeof *p, 50 * sizeof *p, 0,
                             NULL, &mapped, &status));
  OK(clWaitForEvents(1, &mapped));
  for (int i = 0; i < 50; i++) wrong += p[i] != -(100 + i), p[i] = 1000 + i;
  check(!wrong, "a mapped part has what the kernel wrote");
  cl_uint maps = 0;
  OK(clGetMemObjectInfo(X, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  check(maps == 1, "it is mapped once");
  OK(clEnqueueUnmapMemObject(g->queue, X, p, 0, NULL, NULL));
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != (i >= 100 && i < 150 ? 900 + i : -i);
  check(!wrong, "what was written into the mapped part is in the buffer, and nothing else changed");
  OK(clReleaseEvent(mapped)), OK(clReleaseMemObject(X));
}

static void host_memory(const struct gpu *g, cl_kernel negate) {
  static int own[N];
  int *p, wrong = 0;
  cl_mem X;
  for (int i = 0; i < N; i++) own[i] = 3 * i;
  MADE(X, clCreateBuffer(g->context, CL_MEM_USE_HOST_PTR, sizeof own, own, &status));
  ARG(negate, 0, X);
  run_1d(g, negate, N, 64);
  MADE(p, clEnqueueMapBuffer(g->queue, X, CL_TRUE, CL_MAP_READ, 4, sizeof own - 4, 0, NULL, NULL, &status));
  check(p == own + 1, "CL_MEM_USE_HOST_PTR: mapping gives the program's own memory");
  for (int i = 0; i < N; i++) wrong += i && own[i] != -3 * i;
  check(!wrong, "and the result is there");
  OK(clEnqueueUnmapMemObject(g->queue, X, p, 0, NULL, NULL));
  OK(clFinish(g->queue));
  OK(clReleaseMemObject(X));
  MADE(X, clCreateBuffer(g->context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, sizeof own, own, &status));
  ARG(negate, 0, X);
  run_1d(g, negate, N, 64);
  int x[N];
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += i && x[i] != 3 * i;
  check(!wrong, "CL_MEM_ALLOC_HOST_PTR");
  OK(clReleaseMemObject(X));
}

static void parts(const struct gpu *g, cl_kernel negate) {
  int x[N], wrong = 0;
  cl_uint bits = 0;
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
  for (int i = 0; i < N; i++) x[i] = i;
  const cl_mem X = buffer_of(g, sizeof x, x);
  const size_t origin = 512 * sizeof(int);
  cl_buffer_region r = {origin, 128 * sizeof(int)};
  cl_mem part, of = NULL;
  size_t at = 0;
  MADE(part, clCreateSubBuffer(X, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &r, &status));
  OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
  OK(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof at, &at, NULL));
  check(of == X && at == origin, "a part of a buffer knows where it is");
  ARG(negate, 0, part);
  run_1d(g, negate, 128, 64);
  OK(clEnqueueReadBuffer(g->queue, part, CL_TRUE, 4, 8, x, 0, NULL, NULL));
  check(x[0] == -513 && x[1] == -514, "reading from a part");
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != (i >= 512 && i < 640 ? -i : i);
  check(!wrong, "a kernel that has a part as its argument changes the whole buffer there");
  r.origin = bits / 8 / 2;
  NOT_MADE(CL_MISALIGNED_SUB_BUFFER_OFFSET, "a part that begins between alignments",
           clCreateSubBuffer(X, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &status));
  r.origin = origin, r.size = sizeof x;
  NOT_MADE(CL_INVALID_VALUE, "a part that ends behind the buffer",
           clCreateSubBuffer(X, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &status));
  r.size = 0;
  NOT_MADE(CL_INVALID_BUFFER_SIZE, "a part of nothing",
           clCreateSubBuffer(X, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &status));
  OK(clReleaseMemObject(X)); /* the part keeps it */
  OK(clEnqueueReadBuffer(g->queue, part, CL_TRUE, 0, 4, x, 0, NULL, NULL));
  check(x[0] == -512, "a part keeps its buffer");
  OK(clReleaseMemObject(part));
}

/* Boxes of W x H x D numbers; one of 5 x 3 x 2 moves. */
static void rectangles(const struct gpu *g) {
  static int from[D][H][W], to[D][H][W], want[D][H][W];
  for (int i = 0; i < D * H * W; i++) from[i / (W * H)][i / W % H][i % W] = i;
  const cl_mem X = buffer_of(g, sizeof from, from), Y = buffer_of(g, sizeof from, to);
  const size_t s = sizeof(int), row = W * s, slice = W * H * s, box[] = {5 * s, 3, 2};
  const size_t a[] = {2 * s, 1, 1}, b[] = {7 * s, 4, 0}, c[] = {1 * s, 0, 2};
  OK(clEnqueueCopyBufferRect(g->queue, X, Y, a, b, box, row, slice, row, slice, 0, NULL, NULL));
  OK(clEnqueueReadBufferRect(g->queue, Y, CL_TRUE, b, c, box, row, slice, row, slice, to, 0, NULL, NULL));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 5; x++) want[2 + z][y][1 + x] = from[1 + z][1 + y][2 + x];
  check(!memcmp(to, want, sizeof to), "a box copied, and read");
  memset(to, 0, sizeof to), memset(want, 0, sizeof want);
  OK(clEnqueueWriteBufferRect(g->queue, Y, CL_TRUE, a, b, box, row, slice, 0, 0, from, 0, NULL,
                              NULL)); /* host rows of the box's width */
  OK(clEnqueueReadBuffer(g->queue, Y, CL_TRUE, 0, sizeof to, to, 0, NULL, NULL));
  int wrong = 0;
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 5; x++) wrong += to[1 + z][1 + y][2 + x] != 7 + x + (y + 4) * 5 + z * 15;
  check(!wrong, "a box written, rows of the host as long as the box");
  FAILS(CL_INVALID_VALUE, "a box that ends behind the buffer",
        clEnqueueReadBufferRect(g->queue, Y, CL_TRUE, (size_t[]){0, 7, 3}, c, box, row, slice, row, slice, to, 0, NULL,
                                NULL));
  FAILS(
      CL_MEM_COPY_OVERLAP, "a box onto itself",
      clEnqueueCopyBufferRect(g->queue, X, X, a, (size_t[]){3 * s, 2, 1}, box, row, slice, row, slice, 0, NULL, NULL));
  OK(clReleaseMemObject(X)), OK(clReleaseMemObject(Y));
}

static void filling(const struct gpu *g) {
  unsigned char x[N], pattern[128];
  int wrong = 0;
  const cl_mem X = buffer_of(g, sizeof x, NULL);
  for (int i = 0; i < 128; i++) pattern[i] = (unsigned char)(i + 1);
  for (size_t n = 1; n <= 128; n *= 2) {
    OK(clEnqueueFillBuffer(g->queue, X, (unsigned char[]){0}, 1, 0, sizeof x, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(g->queue, X, pattern, n, 2 * n, 3 * n, 0, NULL, NULL));
    read_back(g, X, x, sizeof x);
    for (size_t i = 0; i < sizeof x; i++) wrong += x[i] != (i >= 2 * n && i < 5 * n ? pattern[i % n] : 0);
  }
  check(!wrong, "filled with patterns of 1 to 128 bytes");
  FAILS(CL_INVALID_VALUE, "a pattern of 3 bytes", clEnqueueFillBuffer(g->queue, X, pattern, 3, 0, 6, 0, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "half a pattern", clEnqueueFillBuffer(g->queue, X, pattern, 4, 0, 6, 0, NULL, NULL));
  for (size_t i = 0; i < sizeof x; i++) x[i] = (unsigned char)(i % 251);
  OK(clEnqueueWriteBuffer(g->queue, X, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
  OK(clEnqueueCopyBuffer(g->queue, X, X, 0, 512, 512, 0, NULL, NULL));
  FAILS(CL_MEM_COPY_OVERLAP, "a copy onto itself", clEnqueueCopyBuffer(g->queue, X, X, 0, 511, 512, 0, NULL, NULL));
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < 512; i++) wrong += x[i] != i % 251 || x[512 + i] != i % 251;
  check(!wrong, "a copy within a buffer");
  OK(clEnqueueMigrateMemObjects(g->queue, 1, &X, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  OK(clReleaseMemObject(X));
}

static int destroyed;
static void CL_CALLBACK on_destroy(cl_mem m, void *data) {
  (void)m;
  destroyed = destroyed * 10 + *(const int *)data;
}

/* More bytes in all than the device has, but few at a time. */
static void come_and_go(const struct gpu *g, cl_kernel negate) {
  cl_ulong all = 0, most = 0;
  OK(clGetDeviceInfo(g->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
  OK(clGetDeviceInfo(g->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  check(most >= all / 4 && most <= all, "the largest buffer is a quarter of the memory, or more");
  if (all > 1u << 30) most = 1u << 26, all = 1u << 28; /* another GPU: a little less */
  bool right = true;
  unsigned rounds = 0;
  for (cl_ulong made = 0; made < 3 * all; made += most, rounds++) {
    const cl_mem X = buffer_of(g, most, NULL);
    const int one = 1 + (int)rounds;
    int found = 0;
    OK(clEnqueueWriteBuffer(g->queue, X, CL_TRUE, 0, 4, &one, 0, NULL, NULL));
    ARG(negate, 0, X);
    run_1d(g, negate, 1, 1);
    read_back(g, X, &found, 4);
    right = right && found == -one;
    OK(clReleaseMemObject(X));
  }
  check(right, "buffers that come and go, three times the memory in all");
  const int first = 1, second = 2;
  const cl_mem X = buffer_of(g, 64, NULL);
  OK(clSetMemObjectDestructorCallback(X, on_destroy, (void *)(uintptr_t)&first));
  OK(clSetMemObjectDestructorCallback(X, on_destroy, (void *)(uintptr_t)&second));
  OK(clRetainMemObject(X)), OK(clReleaseMemObject(X));
  check(!destroyed, "a buffer that was retained");
  OK(clReleaseMemObject(X));
  check(destroyed == 21, "what is called when a buffer ends, the last first");
}

int main(void) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, NULL);
  const cl_kernel negate = kernel_of(p, "negate");
  mapping(&g, negate);
  host_memory(&g, negate);
  parts(&g, negate);
  rectangles(&g);
  filling(&g);
  come_and_go(&g, negate);
  OK(clReleaseKernel(negate)), OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_buffer: buffers and sub-buffers; reading, writing, copying, filling, boxes, maps. */
#include "unit/opencl_kit.h"

enum { N = 4096 };
static uint8_t data[N], out[N];

static cl_mem buffer_of(size_t n, const uint8_t *bytes) {
  cl_int err;
  cl_mem m = clCreateBuffer(context, bytes ? CL_MEM_COPY_HOST_PTR : 0, n, (void *)bytes, &err);
  OK(err);
  return m;
}
static const uint8_t *contents(cl_mem m, size_t n) {
  memset(out, 0xee, sizeof out);
  OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, n, out, 0, NULL, NULL));
  return out;
}
/* A second context, to which nothing of the first belongs. */
static cl_mem foreign_buffer(void) {
  cl_device_id d = &cl_device;
  cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
  cl_mem m = clCreateBuffer(c, 0, 64, NULL, NULL);
  OK(clReleaseContext(c));
  return m;
}

/* ---- creation ---- */

static void flags_and_sizes(void **s) {
  (void)s;
  char host[64];
  const cl_mem_flags wrong[] = {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                CL_MEM_READ_ONLY | CL_MEM_READ_WRITE,
                                CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY,
                                CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
                                CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                1 << 10,
                                1ull << 40};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    BAD_HANDLE(CL_INVALID_VALUE, clCreateBuffer(context, wrong[i], 64, host, &err));
  BAD_HANDLE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &err));
  BAD_HANDLE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, (size_t)1 << 40, NULL, &err));
  BAD_HANDLE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, SIZE_MAX, NULL, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, NULL, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, NULL, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 64, host, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 64, host, &err));
  assert_null(clCreateBuffer(context, 0, 0, NULL, NULL));
}

static void memory_is_exhausted_and_freed(void **s) {
  (void)s;
  size_t half = device_memory_total(session_device()) / 2 + 4096;
  for (int i = 0; i < 3; i++) {
    cl_int err;
    cl_mem m = clCreateBuffer(context, 0, half, NULL, &err);
    OK(err);
    BAD_HANDLE(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreateBuffer(context, 0, half, NULL, &err));
    OK(clReleaseMemObject(m));
  }
}

static void new_buffers_are_zero_and_in_order(void **s) {
  (void)s;
  cl_mem a = buffer_of(300, NULL), b = buffer_of(64, NULL);
  assert_true(a->addr % 256 == 0 && b->addr % 256 == 0 && b->addr > a->addr);
  for (int i = 0; i < 64; i++) assert_int_equal(contents(b, 64)[i], 0);
  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(b));
}

static void information(void **s) {
  (void)s;
  char host[512];
  cl_int err;
  cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 512, host, &err);
  cl_buffer_region r = {256, 128};
  cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
  OK(err);
  const struct {
    cl_mem mem;
    cl_uint name;
    size_t bytes;
    uint64_t value;
  } all[] = {
      {m, CL_MEM_TYPE, 4, CL_MEM_OBJECT_BUFFER},
      {m, CL_MEM_FLAGS, 8, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY},
      {m, CL_MEM_SIZE, 8, 512},
      {m, CL_MEM_HOST_PTR, 8, (uintptr_t)host},
      {m, CL_MEM_MAP_COUNT, 4, 0},
      {m, CL_MEM_REFERENCE_COUNT, 4, 1},
      {m, CL_MEM_CONTEXT, 8, (uintptr_t)context},
      {m, CL_MEM_ASSOCIATED_MEMOBJECT, 8, 0},
      {m, CL_MEM_OFFSET, 8, 0},
      {sub, CL_MEM_FLAGS, 8, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY},
      {sub, CL_MEM_SIZE, 8, 128},
      {sub, CL_MEM_HOST_PTR, 8, (uintptr_t)host + 256},
      {sub, CL_MEM_ASSOCIATED_MEMOBJECT, 8, (uintptr_t)m},
      {sub, CL_MEM_OFFSET, 8, 256},
      {sub, CL_MEM_CONTEXT, 8, (uintptr_t)context},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    uint64_t value = 0;
    size_t n = 0;
    OK(clGetMemObjectInfo(all[i].mem, all[i].name, sizeof value, &value, &n));
    assert_int_equal(n, all[i].bytes);
    assert_int_equal(value, all[i].value);
    BAD(CL_INVALID_VALUE, clGetMemObjectInfo(all[i].mem, all[i].name, n - 1, &value, NULL));
  }
  BAD(CL_INVALID_VALUE, clGetMemObjectInfo(m, 0, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NULL, CL_MEM_SIZE, 0, NULL, NULL));
  OK(clReleaseMemObject(m)); /* the sub-buffer keeps it */
  uint64_t value = 0;
  OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, 8, &value, NULL));
  OK(clGetMemObjectInfo((cl_mem)value, CL_MEM_SIZE, 8, &value, NULL));
  OK(clReleaseMemObject(sub));
  BAD(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
}

static char order[8];
static void CL_CALLBACK destroyed(cl_mem m, void *user) {
  (void)m;
  strcat(order, user);
}

static void destructors_are_called_last_first(void **s) {
  (void)s;
  order[0] = 0;
  cl_mem m = buffer_of(64, NULL);
  OK(clSetMemObjectDestructorCallback(m, destroyed, "1"));
  OK(clSetMemObjectDestructorCallback(m, destroyed, "2"));
  OK(clSetMemObjectDestructorCallback(m, destroyed, "3"));
  BAD(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, destroyed, NULL));
  OK(clRetainMemObject(m));
  OK(clReleaseMemObject(m));
  assert_string_equal(order, "");
  OK(clReleaseMemObject(m));
  assert_string_equal(order, "321");
}

static void sub_buffers(void **s) {
  (void)s;
  cl_int err;
  cl_mem m = buffer_of(1024, counting(data, 1024));
  cl_buffer_region r = {128, 200};
  cl_mem sub = clCreateSubBuffer(m, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
  OK(err);
  assert_memory_equal(contents(sub, 200), data + 128, 200);
  OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 10, 2, "ab", 0, NULL, NULL));
  assert_memory_equal(contents(m, 1024) + 138, "ab", 2);
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, sub, CL_TRUE, 100, 101, out, 0, NULL, NULL));
#define SUB(code, of, flags, type, origin, size)                         \
  do {                                                                   \
    cl_buffer_region region = {origin, size};                            \
    BAD_HANDLE(code, clCreateSubBuffer(of, flags, type, &region, &err)); \
  } while (0)
#define REGION CL_BUFFER_CREATE_TYPE_REGION
  SUB(CL_INVALID_MEM_OBJECT, sub, 0, REGION, 0, 16);
  SUB(CL_INVALID_MEM_OBJECT, NULL, 0, REGION, 0, 16);
  SUB(CL_INVALID_VALUE, m, 0, 0, 0, 16);
  SUB(CL_INVALID_VALUE, m, 0, REGION, 1024, 1);
  SUB(CL_INVALID_VALUE, m, 0, REGION, 128, SIZE_MAX);
  SUB(CL_INVALID_VALUE, m, 0, REGION, SIZE_MAX - 127, 128);
  SUB(CL_INVALID_BUFFER_SIZE, m, 0, REGION, 0, 0);
  SUB(CL_MISALIGNED_SUB_BUFFER_OFFSET, m, 0, REGION, 4, 16);
  SUB(CL_INVALID_VALUE, m, CL_MEM_COPY_HOST_PTR, REGION, 0, 16);
  SUB(CL_INVALID_VALUE, m, CL_MEM_USE_HOST_PTR, REGION, 0, 16);
  SUB(CL_INVALID_VALUE, m, CL_MEM_ALLOC_HOST_PTR, REGION, 0, 16);
  BAD_HANDLE(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, REGION, NULL, &err));
  OK(clReleaseMemObject(sub));
  OK(clReleaseMemObject(m));
}

static void sub_buffers_inherit_access(void **s) {
  (void)s;
  static const struct {
    cl_mem_flags of, wrong;
  } pairs[] = {
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},           {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
      {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},           {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
      {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},  {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    cl_mem m = clCreateBuffer(context, pairs[i].of, 256, NULL, NULL);
    cl_buffer_region region = {0, 16};
    BAD_HANDLE(CL_INVALID_VALUE, clCreateSubBuffer(m, pairs[i].wrong, REGION, &region, &err));
    cl_mem sub = clCreateSubBuffer(m, 0, REGION, &region, NULL);
    assert_int_equal(sub->flags, m->flags);
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(m));
  }
}

/* ---- read, write, copy, fill ---- */

static void transfers(void **s) {
  (void)s;
  cl_mem m = buffer_of(N, counting(data, N));
  assert_memory_equal(contents(m, N), data, N);
  OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 100, 50, data, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, m, CL_FALSE, 99, 52, out, 0, NULL, NULL));
  OK(clFinish(queue));
  assert_int_equal(out[0], 99);
  assert_memory_equal(out + 1, data, 50);
  assert_int_equal(out[51], 150);
  OK(clReleaseMemObject(m));
}

static void wrong_transfers(void **s) {
  (void)s;
  cl_mem m = buffer_of(64, NULL), other = foreign_buffer();
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, (cl_mem)context, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_CONTEXT, clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 0, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 65, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, 65, 1, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, SIZE_MAX, 2, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, 2, SIZE_MAX, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, m, CL_TRUE, 62, 4, data, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(queue, NULL, CL_TRUE, 0, 4, data, 0, NULL, NULL));
  BAD(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(queue, m, other, 0, 0, 4, 0, NULL, NULL));
  BAD(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(queue, other, m, 0, 0, 4, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, m, m, 0, 0, 0, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, m, m, 60, 0, 5, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, m, m, 0, 60, 5, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, NULL, m, 0, 0, 4, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, m, NULL, 0, 0, 4, 0, NULL, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(other));
}

static void access_of_the_host(void **s) {
  (void)s;
  cl_mem no = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 64, NULL, NULL);
  cl_mem reads = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 64, NULL, NULL);
  cl_mem writes = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 64, NULL, NULL);
  BAD(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, no, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, writes, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, reads, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  BAD(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, no, CL_TRUE, 0, 4, data, 0, NULL, NULL));
  BAD(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, reads, CL_TRUE, 0, 4, data, 0, NULL, NULL));
  OK(clEnqueueWriteBuffer(queue, writes, CL_TRUE, 0, 4, data, 0, NULL, NULL));
  const size_t at[3] = {0}, box[3] = {4, 1, 1};
  BAD(CL_INVALID_OPERATION, clEnqueueReadBufferRect(queue, no, CL_TRUE, at, at, box, 0, 0, 0, 0, out, 0, NULL, NULL));
  BAD(CL_INVALID_OPERATION,
      clEnqueueWriteBufferRect(queue, reads, CL_TRUE, at, at, box, 0, 0, 0, 0, data, 0, NULL, NULL));
  BAD_HANDLE(CL_INVALID_OPERATION, clEnqueueMapBuffer(queue, writes, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_OPERATION,
             clEnqueueMapBuffer(queue, reads, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_OPERATION,
             clEnqueueMapBuffer(queue, reads, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, &err));
  OK(clEnqueueCopyBuffer(queue, no, reads, 0, 0, 64, 0, NULL, NULL)); /* the device may */
  OK(clReleaseMemObject(no));
  OK(clReleaseMemObject(reads));
  OK(clReleaseMemObject(writes));
}

static void copies(void **s) {
  (void)s;
  cl_mem a = buffer_of(1024, counting(data, 1024)), b = buffer_of(1024, NULL);
  OK(clEnqueueCopyBuffer(queue, a, b, 100, 7, 300, 0, NULL, NULL));
  assert_memory_equal(contents(b, 1024) + 7, data + 100, 300);
  OK(clEnqueueCopyBuffer(queue, a, a, 0, 100, 100, 0, NULL, NULL));
  assert_memory_equal(contents(a, 1024) + 100, data, 100);
  BAD(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, a, a, 0, 99, 100, 0, NULL, NULL));
  BAD(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, a, a, 99, 0, 100, 0, NULL, NULL));
  BAD(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, a, a, 5, 5, 1, 0, NULL, NULL));
  cl_buffer_region r1 = {0, 256}, r2 = {128, 256};
  cl_mem s1 = clCreateSubBuffer(a, 0, REGION, &r1, NULL), s2 = clCreateSubBuffer(a, 0, REGION, &r2, NULL);
  BAD(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, s1, s2, 100, 0, 100, 0, NULL, NULL));
  OK(clEnqueueCopyBuffer(queue, s1, s2, 0, 0, 128, 0, NULL, NULL));
  OK(clReleaseMemObject(s1));
  OK(clReleaseMemObject(s2));
  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(b));
}

static void fills(void **s) {
  (void)s;
  cl_mem m = buffer_of(1024, NULL);
  uint8_t pattern[256];
  counting(pattern, 256);
  for (size_t n = 1; n <= 128; n *= 2) {
    OK(clEnqueueFillBuffer(queue, m, pattern, n, 128, 256, 0, NULL, NULL));
    contents(m, 1024);
    for (int i = 0; i < 1024; i++) assert_int_equal(out[i], i >= 128 && i < 384 ? (size_t)i % n : 0);
  }
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 256, 0, 256, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 3, 0, 3, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 0, 0, 4, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, NULL, 4, 0, 4, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 4, 2, 4, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 4, 0, 6, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 4, 1024, 4, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, m, pattern, 4, 0, 0, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, NULL, pattern, 4, 0, 4, 0, NULL, NULL));
  OK(clReleaseMemObject(m));
}

static void migration(void **s) {
  (void)s;
  cl_mem m = buffer_of(64, NULL), other = foreign_buffer(), none = NULL;
  OK(clEnqueueMigrateMemObjects(queue, 1, &m, 0, 0, NULL, NULL));
  OK(clEnqueueMigrateMemObjects(queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, &m, 1 << 9, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, &m, 0, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(queue, 1, &none, 0, 0, NULL, NULL));
  BAD(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(queue, 1, &other, 0, 0, NULL, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(other));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(flags_and_sizes),
      TEST(memory_is_exhausted_and_freed),
      TEST(new_buffers_are_zero_and_in_order),
      TEST(information),
      TEST(destructors_are_called_last_first),
      TEST(sub_buffers),
      TEST(sub_buffers_inherit_access),
      TEST(transfers),
      TEST(wrong_transfers),
      TEST(access_of_the_host),
      TEST(copies),
      TEST(fills),
      TEST(migration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_map: boxes of buffers, against a plain reference; maps. */
#include "unit/opencl_kit.h"

enum { N = 2048 };
static uint8_t data[N], out[N];

static cl_mem filled(cl_mem_flags flags) {
  cl_int err;
  cl_mem m = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, N, counting(data, N), &err);
  OK(err);
  return m;
}
static const uint8_t *contents(cl_mem m) {
  OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, N, out, 0, NULL, NULL));
  return out;
}

/* ---- boxes ---- */

struct box {
  size_t origin[3], row, slice;
};
/* Byte by byte, with the pitches written out. */
static void plain_copy(uint8_t *to, const struct box *t, const uint8_t *from, const struct box *f, const size_t *n) {
  for (size_t z = 0; z < n[2]; z++)
    for (size_t y = 0; y < n[1]; y++)
      for (size_t x = 0; x < n[0]; x++)
        to[(t->origin[2] + z) * t->slice + (t->origin[1] + y) * t->row + t->origin[0] + x] =
            from[(f->origin[2] + z) * f->slice + (f->origin[1] + y) * f->row + f->origin[0] + x];
}
static const struct box big = {{3, 1, 1}, 20, 100}, small = {{1, 2, 1}, 9, 45}, packed = {{0, 0, 0}, 5, 20};
static const size_t region[3] = {5, 4, 3};

static void boxes(void **s) {
  (void)s;
  static uint8_t expected[N], host[N];
  const struct box *pairs[][2] = {{&big, &small}, {&small, &big}, {&packed, &big}, {&big, &packed}, {&packed, &packed}};
  for (size_t i = 0; i < 5; i++) {
    const struct box *b = pairs[i][0], *h = pairs[i][1];
    cl_mem m = filled(0), c;
    memset(host, 0xaa, N);
    memset(expected, 0xaa, N);
    plain_copy(expected, h, data, b, region);
    OK(clEnqueueReadBufferRect(queue, m, CL_TRUE, b->origin, h->origin, region, b->row, b->slice, h->row, h->slice,
                               host, 0, NULL, NULL));
    assert_memory_equal(host, expected, N);

    for (int j = 0; j < N; j++) host[j] = (uint8_t)(j * 7);
    counting(expected, N);
    plain_copy(expected, b, host, h, region);
    OK(clEnqueueWriteBufferRect(queue, m, CL_FALSE, b->origin, h->origin, region, b->row, b->slice, h->row, h->slice,
                                host, 0, NULL, NULL));
    assert_memory_equal(contents(m), expected, N);
    OK(clReleaseMemObject(m));

    m = filled(0);
    c = filled(0);
    counting(expected, N);
    plain_copy(expected, h, data, b, region);
    OK(clEnqueueCopyBufferRect(queue, m, c, b->origin, h->origin, region, b->row, b->slice, h->row, h->slice, 0, NULL,
                               NULL));
    assert_memory_equal(contents(c), expected, N);
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(c));
  }
}

static void pitches_of_zero_are_packed(void **s) {
  (void)s;
  static uint8_t host[N];
  const size_t zero[3] = {0};
  cl_mem m = filled(0);
  OK(clEnqueueReadBufferRect(queue, m, CL_TRUE, big.origin, zero, region, 20, 100, 0, 0, host, 0, NULL, NULL));
  static uint8_t expected[N];
  plain_copy(expected, &packed, data, &big, region);
  assert_memory_equal(host, expected, 60);
  OK(clReleaseMemObject(m));
}

static void wrong_boxes(void **s) {
  (void)s;
  cl_mem m = filled(0), c = filled(0);
  const size_t zero[3] = {0}, at[3] = {0, 0, 1}, far[3] = {SIZE_MAX - 1, 0, 0}, far_row[3] = {0, SIZE_MAX / 4, 0};
#define READ(code, origin, host_origin, n, row, slice, hrow, hslice, ptr)                                              \
  BAD(code, clEnqueueReadBufferRect(queue, m, CL_TRUE, origin, host_origin, n, row, slice, hrow, hslice, ptr, 0, NULL, \
                                    NULL))
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){0, 1, 1}), 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){1, 0, 1}), 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){1, 1, 0}), 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, region, 4, 0, 0, 0, out); /* row pitch < 5 */
  READ(CL_INVALID_VALUE, zero, zero, region, 0, 0, 4, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, region, 6, 23, 0, 0, out); /* slice pitch < 4 x 6 */
  READ(CL_INVALID_VALUE, zero, zero, region, 6, 25, 0, 0, out); /* no multiple */
  READ(CL_INVALID_VALUE, zero, zero, region, 0, 0, 6, 25, out);
  READ(CL_INVALID_VALUE, zero, zero, region, 0, 0, 0, 0, NULL);
  READ(CL_INVALID_VALUE, NULL, zero, region, 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, NULL, region, 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, NULL, 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, at, zero, ((size_t[]){1, 1, 1}), 64, N, 0, 0, out); /* first byte behind the end */
  READ(CL_INVALID_VALUE, far, zero, region, 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, far_row, zero, region, 8, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, far, region, 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){SIZE_MAX, 2, 2}), 0, 0, 0, 0, out);
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){1, SIZE_MAX, SIZE_MAX}), 0, 0, 0, 0, out);
  OK(clEnqueueReadBufferRect(queue, m, CL_TRUE, zero, zero, (size_t[]){64, 32, 1}, 0, 0, 0, 0, out, 0, NULL, NULL));
  READ(CL_INVALID_VALUE, zero, zero, ((size_t[]){65, 32, 1}), 0, 0, 0, 0, out);
  BAD(CL_INVALID_VALUE,
      clEnqueueWriteBufferRect(queue, m, CL_TRUE, zero, zero, region, 4, 0, 0, 0, data, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE,
      clEnqueueWriteBufferRect(queue, m, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT,
      clEnqueueWriteBufferRect(queue, NULL, CL_TRUE, zero, zero, region, 0, 0, 0, 0, data, 0, NULL, NULL));
  BAD(CL_INVALID_COMMAND_QUEUE,
      clEnqueueWriteBufferRect(NULL, m, CL_TRUE, zero, zero, region, 0, 0, 0, 0, data, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, m, c, far, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, m, c, zero, far, region, 0, 0, 0, 0, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, m, m, zero, at, region, 8, 64, 8, 128, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferRect(queue, m, NULL, zero, at, region, 0, 0, 0, 0, 0, NULL, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(c));
}

/* Every pair of places in a small volume: overlap exactly when some byte is in both boxes. */
static void overlap_of_boxes_is_exact(void **s) {
  (void)s;
  enum { ROW = 5, SLICE = 15, SIZE = 45 };
  cl_mem m = filled(0);
  const size_t n[3] = {2, 2, 2};
  for (size_t a = 0; a < 12; a++)
    for (size_t b = 0; b < SIZE - 1; b++) {
      const size_t from[3] = {a % 4, a / 4 % 2, a / 8}, to[3] = {b % ROW, b / ROW % 3, b / SLICE};
      static uint8_t used[2 * SIZE];
      memset(used, 0, sizeof used);
      bool overlap = false;
      for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < 8; i++) {
          const size_t *o = side ? to : from;
          size_t at = (o[2] + i / 4) * SLICE + (o[1] + i / 2 % 2) * ROW + o[0] + i % 2;
          overlap |= side && used[at];
          if (!side) used[at] = 1;
        }
      cl_int err = clEnqueueCopyBufferRect(queue, m, m, from, to, n, ROW, SLICE, ROW, SLICE, 0, NULL, NULL);
      assert_int_equal(err, overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    }
  OK(clReleaseMemObject(m));
}

/* ---- maps ---- */

static uint8_t *map(cl_mem m, cl_map_flags flags, size_t offset, size_t n) {
  cl_int err;
  uint8_t *p = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, offset, n, 0, NULL, NULL, &err);
  OK(err);
  assert_non_null(p);
  return p;
}
static cl_uint map_count(cl_mem m) {
  cl_uint n = 99;
  OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof n, &n, NULL));
  return n;
}
static void unmap(cl_mem m, void *p) { OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL)); }

static void maps(void **s) {
  (void)s;
  cl_mem m = filled(0);
  uint8_t *p = map(m, CL_MAP_READ, 100, 50);
  assert_memory_equal(p, data + 100, 50);
  p[0] = 1; /* is lost: the map is for reading */
  unmap(m, p);
  assert_memory_equal(contents(m), data, N);

  p = map(m, CL_MAP_WRITE, 100, 50);
  memcpy(p, "hello", 5);
  assert_memory_equal(contents(m), data, N); /* not before it is unmapped */
  unmap(m, p);
  assert_memory_equal(contents(m) + 100, "hello", 5);
  assert_memory_equal(out + 105, data + 105, N - 105);

  p = map(m, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4);
  memcpy(p, "abcd", 4);
  unmap(m, p);
  assert_memory_equal(contents(m), "abcd", 4);
  assert_int_equal(map_count(m), 0);
  OK(clReleaseMemObject(m));
}

static void several_maps(void **s) {
  (void)s;
  cl_mem m = filled(0);
  uint8_t *a = map(m, CL_MAP_WRITE, 0, 64), *b = map(m, CL_MAP_READ, 64, 64), *c = map(m, CL_MAP_READ, 64, 32);
  assert_ptr_equal(a + 64, b); /* one copy of the buffer */
  assert_ptr_equal(b, c);
  assert_int_equal(map_count(m), 3);
  cl_mem more[20]; /* what is mapped stays where it is */
  for (int i = 0; i < 20; i++) more[i] = clCreateBuffer(context, 0, 1 << 20, NULL, NULL);
  a[5] = 77;
  unmap(m, c);
  unmap(m, b);
  assert_int_equal(map_count(m), 1);
  unmap(m, a);
  assert_int_equal(contents(m)[5], 77);
  BAD(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, m, a, 0, NULL, NULL));
  for (int i = 0; i < 20; i++) OK(clReleaseMemObject(more[i]));
  OK(clReleaseMemObject(m));
}

static void memory_of_the_host(void **s) {
  (void)s;
  static uint8_t host[N];
  cl_int err;
  cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N, counting(host, N), &err);
  OK(err);
  OK(clEnqueueWriteBuffer(queue, m, CL_TRUE, 10, 3, "xyz", 0, NULL, NULL));
  assert_int_equal(host[10], 10); /* the device has a copy */
  uint8_t *p = map(m, CL_MAP_READ | CL_MAP_WRITE, 8, 16);
  assert_ptr_equal(p, host + 8);
  assert_memory_equal(host + 10, "xyz", 3);
  host[9] = 99;
  unmap(m, p);
  assert_int_equal(contents(m)[9], 99);
  OK(clReleaseMemObject(m));
  host[0] = 1; /* is the program's, as before */
}

static void maps_of_sub_buffers(void **s) {
  (void)s;
  cl_mem m = filled(0);
  cl_buffer_region r = {256, 128};
  cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, NULL);
  uint8_t *p = map(sub, CL_MAP_WRITE, 4, 8), *q = map(m, CL_MAP_READ, 0, 16);
  assert_int_equal(p[0], (256 + 4) % 256);
  assert_int_equal(map_count(sub), 1);
  assert_int_equal(map_count(m), 1);
  BAD(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL)); /* through what it was mapped */
  p[0] = 200;
  unmap(sub, p);
  assert_int_equal(contents(m)[260], 200);
  map(sub, CL_MAP_READ, 0, 8);
  OK(clReleaseMemObject(sub)); /* its map goes with it */
  unmap(m, q);
  OK(clReleaseMemObject(m));
}

static void wrong_maps(void **s) {
  (void)s;
  cl_mem m = filled(0);
#define MAP(code, q, mem, flags, offset, n) \
  BAD_HANDLE(code, clEnqueueMapBuffer(q, mem, CL_TRUE, flags, offset, n, 0, NULL, NULL, &err))
  MAP(CL_INVALID_COMMAND_QUEUE, NULL, m, CL_MAP_READ, 0, 4);
  MAP(CL_INVALID_MEM_OBJECT, queue, NULL, CL_MAP_READ, 0, 4);
  MAP(CL_INVALID_VALUE, queue, m, 0, 0, 4);
  MAP(CL_INVALID_VALUE, queue, m, 1 << 5, 0, 4);
  MAP(CL_INVALID_VALUE, queue, m, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 4);
  MAP(CL_INVALID_VALUE, queue, m, CL_MAP_READ, 0, 0);
  MAP(CL_INVALID_VALUE, queue, m, CL_MAP_READ, N - 3, 4);
  MAP(CL_INVALID_VALUE, queue, m, CL_MAP_READ, SIZE_MAX, 4);
  cl_event e = (cl_event)context;
  BAD_HANDLE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 4, 1, &e, NULL, &err));
  assert_int_equal(map_count(m), 0);
  BAD(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, m, out, 0, NULL, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, m, NULL, 0, NULL, NULL));
  BAD(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(queue, NULL, out, 0, NULL, NULL));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NULL, m, out, 0, NULL, NULL));
  uint8_t *p = map(m, CL_MAP_READ, 0, 4);
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueUnmapMemObject(queue, m, p, 1, &e, NULL));
  assert_int_equal(map_count(m), 1);
  OK(clReleaseMemObject(m)); /* mapped: its memory is freed */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(boxes),
      TEST(pitches_of_zero_are_packed),
      TEST(wrong_boxes),
      TEST(overlap_of_boxes_is_exact),
      TEST(maps),
      TEST(several_maps),
      TEST(memory_of_the_host),
      TEST(maps_of_sub_buffers),
      TEST(wrong_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

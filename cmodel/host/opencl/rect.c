/* SPDX-License-Identifier: Apache-2.0 */
/* rect: reading, writing and copying a box of a buffer (section 5.2.2), and when two boxes overlap (appendix E). */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/transfer.h"

struct box { /* one side of a transfer */
  size_t origin[3];
  size_t row, slice; /* pitches in bytes */
};

static bool size_times(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static bool size_plus(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

/* First byte, and the one behind the last; false: beyond 2^64. */
static bool box_span(const struct box *b, const size_t *region, size_t *first, size_t *end) {
  size_t y, z, rows, slices;
  return size_times(b->origin[1], b->row, &y) && size_times(b->origin[2], b->slice, &z) &&
         size_plus(b->origin[0], y, &y) && size_plus(y, z, first) && size_times(region[1] - 1, b->row, &rows) &&
         size_times(region[2] - 1, b->slice, &slices) && size_plus(*first, rows, &rows) &&
         size_plus(rows, slices, &slices) && size_plus(slices, region[0], end);
}

/* A pitch of 0 is the smallest one that fits. */
static cl_int box_pitches(struct box *b, const size_t *region, const char *side) {
  size_t plane;
  if (!b->row) b->row = region[0];
  if (b->row < region[0])
    return cl_error(CL_INVALID_VALUE, "found row pitch %zu of the %s, expected 0 or at least the region's %zu bytes",
                    b->row, side, region[0]);
  if (!size_times(region[1], b->row, &plane))
    return cl_error(CL_INVALID_VALUE, "found %zu rows of %zu bytes, expected fewer than 2^64 bytes", region[1], b->row);
  if (!b->slice) b->slice = plane;
  if (b->slice < plane || b->slice % b->row)
    return cl_error(CL_INVALID_VALUE,
                    "found slice pitch %zu of the %s, expected 0, or a multiple of the row pitch %zu and at least %zu",
                    b->slice, side, b->row, plane);
  return CL_SUCCESS;
}

static cl_int box_make(struct box *b, const size_t *origin, size_t row, size_t slice, const size_t *region,
                       const char *side) {
  if (!origin || !region)
    return cl_error(CL_INVALID_VALUE, "found no %s of the %s, expected one", region ? "origin" : "region", side);
  if (!region[0] || !region[1] || !region[2])
    return cl_error(CL_INVALID_VALUE, "found region %zu x %zu x %zu, expected 1 or more each", region[0], region[1],
                    region[2]);
  *b = (struct box){{origin[0], origin[1], origin[2]}, row, slice};
  return box_pitches(b, region, side);
}

static cl_int box_within(const struct box *b, const size_t *region, cl_mem m) {
  size_t first, end;
  if (box_span(b, region, &first, &end) && end <= m->size) return CL_SUCCESS;
  return cl_error(CL_INVALID_VALUE, "found a region that ends beyond the buffer's %zu bytes, expected a part of it",
                  m->size);
}

static void copy_box(uint8_t *to, const struct box *t, const uint8_t *from, const struct box *f, const size_t *region) {
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      memmove(to + z * t->slice + y * t->row, from + z * f->slice + y * f->row, region[0]);
}

/* ---- between host and buffer ---- */

struct transfer_box {
  cl_mem mem;
  struct box device, host;
  size_t region[3];
  uint8_t *to;         /* read */
  const uint8_t *from; /* write */
};

static cl_int rect_run_transfer(void *args) {
  struct transfer_box *t = args;
  size_t first = 0, end = 0, host_first = 0, host_end;
  box_span(&t->device, t->region, &first, &end);
  box_span(&t->host, t->region, &host_first, &host_end);
  uint8_t *device = mem_bytes(t->mem, first, end - first);
  if (t->to) copy_box(t->to + host_first, &t->host, device, &t->device, t->region);
  else copy_box(device, &t->device, t->from + host_first, &t->host, t->region);
  return CL_SUCCESS;
}

static cl_int check_transfer(const struct transfer_box *t) {
  cl_int bad = box_within(&t->device, t->region, t->mem);
  size_t first, end;
  if (!bad && !box_span(&t->host, t->region, &first, &end))
    bad = cl_error(CL_INVALID_VALUE, "found a region of host memory beyond 2^64, expected a smaller one");
  if (!bad && !t->to && !t->from) bad = cl_error(CL_INVALID_VALUE, "found no host memory, expected a pointer");
  return bad ? bad : check_host_access(t->mem, !t->to);
}

static cl_int rect_enqueue_transfer(cl_command_queue q, const struct transfer_box *t, bool blocking, cl_uint n,
                                    const cl_event *wait, cl_event *event) {
  cl_int bad = check_transfer(t);
  if (bad) return bad;
  struct transfer_box *args = xmalloc(sizeof *args);
  *args = *t;
  struct command_plan plan = {.type = t->to ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT,
                              .blocking = blocking,
                              .mem = {t->mem},
                              .run = rect_run_transfer,
                              .args = args};
  return command_enqueue(q, &plan, n, wait, event);
}

/* Queue, buffer, both boxes. */
static cl_int make_transfer(struct transfer_box *t, cl_command_queue q, cl_mem m, const size_t *origin,
                            const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
                            size_t host_slice) {
  cl_int bad = object_check(q, QUEUE);
  if (!bad) bad = check_buffer_of(q, m);
  if (!bad) bad = box_make(&t->device, origin, row, slice, region, "buffer");
  if (!bad) bad = box_make(&t->host, host_origin, host_row, host_slice, region, "host memory");
  if (bad) return bad;
  t->mem = m;
  memcpy(t->region, region, sizeof t->region);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t *origin, const size_t *host_origin, const size_t *region,
                                           size_t row, size_t slice, size_t host_row, size_t host_slice, void *ptr,
                                           cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  struct transfer_box t = {.to = ptr};
  cl_int bad = make_transfer(&t, queue, buffer, origin, host_origin, region, row, slice, host_row, host_slice);
  return bad ? bad : rect_enqueue_transfer(queue, &t, blocking, n, wait, event);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t *origin, const size_t *host_origin, const size_t *region,
                                            size_t row, size_t slice, size_t host_row, size_t host_slice,
                                            const void *ptr, cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  struct transfer_box t = {.from = ptr};
  cl_int bad = make_transfer(&t, queue, buffer, origin, host_origin, region, row, slice, host_row, host_slice);
  return bad ? bad : rect_enqueue_transfer(queue, &t, blocking, n, wait, event);
}

/* ---- between buffers ---- */

struct copy {
  cl_mem from, to;
  struct box from_box, to_box;
  size_t region[3];
};

static cl_int rect_run_copy(void *args) {
  struct copy *c = args;
  size_t from = 0, from_end = 0, to = 0, to_end = 0;
  box_span(&c->from_box, c->region, &from, &from_end);
  box_span(&c->to_box, c->region, &to, &to_end);
  copy_box(mem_bytes(c->to, to, to_end - to), &c->to_box, mem_bytes(c->from, from, from_end - from), &c->from_box,
           c->region);
  return CL_SUCCESS;
}

/* Whether two runs of `bytes`, the second `ahead` bytes behind the first, share a byte when each is repeated n times with a pitch of at
 * least `bytes`: whether ahead + i pitch is within (-bytes, bytes) for an i within (-n, n). */
static bool rows_overlap(int64_t ahead, int64_t bytes, int64_t n, int64_t pitch) {
  int64_t near = -ahead / pitch;
  for (int64_t i = near - 1; i <= near + 1; i++) {
    int64_t at = ahead + i * pitch;
    if (i > -n && i < n && at < bytes && -at < bytes) return true;
  }
  return false;
}

/* Boxes of equal pitches in the same memory, exactly: some row of one touches some row of the other. Row y, z of the one and y', z' of the
 * other are ahead + (y' - y) row + (z' - z) slice apart. */
static bool boxes_overlap(const struct copy *c) {
  size_t from = 0, to = 0, end = 0;
  box_span(&c->from_box, c->region, &from, &end);
  box_span(&c->to_box, c->region, &to, &end);
  int64_t ahead = (int64_t)(c->to->addr + to) - (int64_t)(c->from->addr + from);
  for (int64_t z = -(int64_t)c->region[2] + 1; z < (int64_t)c->region[2]; z++)
    if (rows_overlap(ahead + z * (int64_t)c->to_box.slice, (int64_t)c->region[0], (int64_t)c->region[1],
                     (int64_t)c->to_box.row))
      return true;
  return false;
}

static cl_int check_copy(const struct copy *c) {
  cl_int bad = box_within(&c->from_box, c->region, c->from);
  if (!bad) bad = box_within(&c->to_box, c->region, c->to);
  if (bad) return bad;
  bool same_pitches = c->from_box.row == c->to_box.row && c->from_box.slice == c->to_box.slice;
  if (c->from == c->to && !same_pitches)
    return cl_error(CL_INVALID_VALUE,
                    "found different pitches within one buffer, expected the same for source and destination");
  bool same = mem_root(c->from) == mem_root(c->to);
  size_t from = 0, from_end = 0, to = 0, to_end = 0;
  box_span(&c->from_box, c->region, &from, &from_end);
  box_span(&c->to_box, c->region, &to, &to_end);
  bool spans = same && c->from->addr + from < c->to->addr + to_end && c->to->addr + to < c->from->addr + from_end;
  if (spans && (!same_pitches || boxes_overlap(c)))
    return cl_error(CL_MEM_COPY_OVERLAP, "found a copy whose source and destination overlap");
  return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                           const size_t *to_origin, const size_t *region, size_t from_row,
                                           size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,
                                           const cl_event *wait, cl_event *event) {
  API();
  struct copy c = {.from = from, .to = to};
  cl_int bad = object_check(queue, QUEUE);
  if (!bad) bad = check_buffer_of(queue, from);
  if (!bad) bad = check_buffer_of(queue, to);
  if (!bad) bad = box_make(&c.from_box, from_origin, from_row, from_slice, region, "source");
  if (!bad) bad = box_make(&c.to_box, to_origin, to_row, to_slice, region, "destination");
  if (!bad) memcpy(c.region, region, sizeof c.region);
  if (!bad) bad = check_copy(&c);
  if (bad) return bad;
  struct copy *args = xmalloc(sizeof *args);
  *args = c;
  struct command_plan plan = {
      .type = CL_COMMAND_COPY_BUFFER_RECT, .mem = {from, to}, .run = rect_run_copy, .args = args};
  return command_enqueue(queue, &plan, n, wait, event);
}

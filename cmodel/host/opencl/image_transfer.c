/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_transfer: reading, writing, copying and filling images, copies between images and buffers, maps (OpenCL 1.2, 5.3.3 to 5.3.5). A
 * region counts x, then y (layers of a 1-D array), then z (layers of a 2-D array).
 */
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "host/opencl/image.h"
#include "host/opencl/transfer.h"

static bool rows_are_layers(const struct image *i) { return i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

static struct texel_box box_of(const struct image *i, const size_t *origin, const size_t *region) {
  const bool layers = rows_are_layers(i);
  return (struct texel_box){.x = (uint32_t)origin[0],
                            .y = layers ? 0 : (uint32_t)origin[1],
                            .z = (uint32_t)origin[layers ? 1 : 2],
                            .w = (uint32_t)region[0],
                            .h = layers ? 1 : (uint32_t)region[1],
                            .d = (uint32_t)region[layers ? 1 : 2]};
}

cl_int image_transfer(cl_mem m, const size_t *origin, const size_t *region, void *host, size_t row, size_t slice,
                      bool writes) {
  const struct image *i = m->image;
  if (!row) row = region[0] * i->texel;
  if (!slice) slice = rows_are_layers(i) ? row : row * region[1];
  const struct texel_box b = box_of(i, origin, region);
  const struct texel_rows rows = {.data = host, .row = row, .slice = slice};
  struct err e = {0};
  const enum device_status s = writes ? device_texels_write(session_device(), &i->at, &b, &rows, &e)
                                      : device_texels_read(session_device(), &i->at, &b, &rows, &e);
  return s ? cl_device_error(s, &e) : CL_SUCCESS;
}

/* ---- checks ---- */

static cl_int check_image_of(cl_command_queue q, cl_mem m) {
  cl_int bad = check_memory_of(q, m);
  if (bad || m->image) return bad;
  return cl_error(CL_INVALID_MEM_OBJECT, "found a buffer, expected an image");
}

static cl_int image_check_part(cl_mem m, const size_t *origin, const size_t *region) {
  const struct image *i = m->image;
  const size_t size[3] = {i->at.width, rows_are_layers(i) ? i->at.layers : i->at.height,
                          i->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? i->at.layers : i->at.depth};
  if (!origin || !region) return cl_error(CL_INVALID_VALUE, "found no %s, expected one", region ? "origin" : "region");
  for (unsigned k = 0; k < 3; k++)
    if (!region[k] || origin[k] >= size[k] || region[k] > size[k] - origin[k])
      return cl_error(CL_INVALID_VALUE, "found %zu texels from %zu on in %c, expected some of the image's %zu",
                      region[k], origin[k], "xyz"[k], size[k]);
  return CL_SUCCESS;
}

static cl_int check_pitches(cl_mem m, const size_t *region, size_t row, size_t slice) {
  const size_t least = region[0] * m->image->texel, rows = rows_are_layers(m->image) ? 1 : region[1];
  const size_t used = row ? row : least;
  if (used < least)
    return cl_error(CL_INVALID_VALUE, "found a row pitch of %zu bytes, expected 0 or at least %zu", row, least);
  if (slice &&
      (slice < used * rows || m->image->type == CL_MEM_OBJECT_IMAGE2D || m->image->type == CL_MEM_OBJECT_IMAGE1D))
    return cl_error(CL_INVALID_VALUE,
                    "found a slice pitch of %zu bytes, expected 0, or at least %zu of an image with slices", slice,
                    used * rows);
  return CL_SUCCESS;
}

static cl_int check_whole(cl_command_queue q, cl_mem m, const size_t *origin, const size_t *region) {
  cl_int bad = object_check(q, QUEUE);
  if (!bad) bad = check_image_of(q, m);
  return bad ? bad : image_check_part(m, origin, region);
}

/* ---- read and write, and copies from and to buffers ---- */

struct image_io {
  cl_mem image, buffer; /* buffer: in place of the host's memory */
  size_t origin[3], region[3], row, slice, offset;
  void *host;
  bool writes;
};

static size_t region_bytes(const struct image_io *t) {
  return t->region[0] * t->region[1] * t->region[2] * t->image->image->texel;
}

/* Through memory of the host: an image of a buffer may lie where the buffer does. */
static cl_int image_io_with_buffer(const struct image_io *t) {
  const size_t n = region_bytes(t);
  uint8_t *bytes = malloc(n);
  if (!bytes) return cl_error(CL_OUT_OF_HOST_MEMORY, "found no memory for %zu bytes of a copy", n);
  if (t->writes) memcpy(bytes, mem_bytes(t->buffer, t->offset, n), n);
  const cl_int bad = image_transfer(t->image, t->origin, t->region, bytes, 0, 0, t->writes);
  if (!bad && !t->writes) memcpy(mem_bytes(t->buffer, t->offset, n), bytes, n);
  free(bytes);
  return bad;
}

static cl_int run_io(void *args) {
  const struct image_io *t = args;
  return t->buffer ? image_io_with_buffer(t)
                   : image_transfer(t->image, t->origin, t->region, t->host, t->row, t->slice, t->writes);
}

static cl_int enqueue_io(cl_command_queue q, const struct image_io *t, cl_command_type type, bool blocking, cl_uint n,
                         const cl_event *wait, cl_event *event) {
  struct image_io *args = xmalloc(sizeof *args);
  *args = *t;
  struct command_plan plan = {
      .type = type, .blocking = blocking, .mem = {t->image, t->buffer}, .run = run_io, .args = args};
  return command_enqueue(q, &plan, n, wait, event);
}

static cl_int host_io(cl_command_queue q, struct image_io *t, const size_t *origin, const size_t *region, bool blocking,
                      cl_uint n, const cl_event *wait, cl_event *event) {
  cl_int bad = check_whole(q, t->image, origin, region);
  if (!bad) bad = check_pitches(t->image, region, t->row, t->slice);
  if (!bad && !t->host) bad = cl_error(CL_INVALID_VALUE, "found no host memory, expected a pointer");
  if (!bad) bad = check_host_access(t->image, t->writes);
  if (bad) return bad;
  memcpy(t->origin, origin, sizeof t->origin);
  memcpy(t->region, region, sizeof t->region);
  return enqueue_io(q, t, t->writes ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE, blocking, n, wait, event);
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                      const size_t *region, size_t row, size_t slice, void *p, cl_uint n,
                                      const cl_event *wait, cl_event *event) {
  API();
  struct image_io t = {.image = m, .row = row, .slice = slice, .host = p};
  return host_io(q, &t, origin, region, blocking, n, wait, event);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                       const size_t *region, size_t row, size_t slice, const void *p, cl_uint n,
                                       const cl_event *wait, cl_event *event) {
  API();
  struct image_io t = {.image = m, .row = row, .slice = slice, .host = (void *)p, .writes = true};
  return host_io(q, &t, origin, region, blocking, n, wait, event);
}

static cl_int buffer_io(cl_command_queue q, struct image_io *t, const size_t *origin, const size_t *region, cl_uint n,
                        const cl_event *wait, cl_event *event) {
  cl_int bad = check_whole(q, t->image, origin, region);
  if (!bad) bad = check_buffer_of(q, t->buffer);
  if (bad) return bad;
  memcpy(t->origin, origin, sizeof t->origin);
  memcpy(t->region, region, sizeof t->region);
  bad = check_range(t->buffer, t->offset, region_bytes(t));
  return bad ? bad
             : enqueue_io(q, t, t->writes ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, n,
                          wait, event);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to, const size_t *origin,
                                              const size_t *region, size_t offset, cl_uint n, const cl_event *wait,
                                              cl_event *event) {
  API();
  struct image_io t = {.image = from, .buffer = to, .offset = offset};
  return buffer_io(q, &t, origin, region, n, wait, event);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset,
                                              const size_t *origin, const size_t *region, cl_uint n,
                                              const cl_event *wait, cl_event *event) {
  API();
  struct image_io t = {.image = to, .buffer = from, .offset = offset, .writes = true};
  return buffer_io(q, &t, origin, region, n, wait, event);
}

/* ---- copies between images ---- */

struct image_pair {
  cl_mem from, to;
  size_t from_origin[3], to_origin[3], region[3];
};

static cl_int run_pair(void *args) {
  const struct image_pair *p = args;
  const size_t n = p->region[0] * p->region[1] * p->region[2] * p->from->image->texel;
  uint8_t *bytes = malloc(n);
  if (!bytes) return cl_error(CL_OUT_OF_HOST_MEMORY, "found no memory for %zu bytes of a copy", n);
  cl_int bad = image_transfer(p->from, p->from_origin, p->region, bytes, 0, 0, false);
  if (!bad) bad = image_transfer(p->to, p->to_origin, p->region, bytes, 0, 0, true);
  free(bytes);
  return bad;
}

static bool image_parts_overlap(const struct image_pair *p) {
  bool all = p->from == p->to;
  for (unsigned k = 0; k < 3; k++)
    all =
        all && p->from_origin[k] < p->to_origin[k] + p->region[k] && p->to_origin[k] < p->from_origin[k] + p->region[k];
  return all;
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                      const size_t *to_origin, const size_t *region, cl_uint n, const cl_event *wait,
                                      cl_event *event) {
  API();
  cl_int bad = check_whole(q, from, from_origin, region);
  if (!bad) bad = check_whole(q, to, to_origin, region);
  if (bad) return bad;
  if (memcmp(&from->image->format, &to->image->format, sizeof from->image->format) != 0)
    return cl_error(CL_IMAGE_FORMAT_MISMATCH, "found images of different formats, expected the same");
  struct image_pair p = {.from = from, .to = to};
  memcpy(p.from_origin, from_origin, sizeof p.from_origin);
  memcpy(p.to_origin, to_origin, sizeof p.to_origin);
  memcpy(p.region, region, sizeof p.region);
  if (image_parts_overlap(&p))
    return cl_error(CL_MEM_COPY_OVERLAP, "found a copy whose source and destination overlap");
  struct image_pair *args = xmalloc(sizeof *args);
  *args = p;
  struct command_plan plan = {.type = CL_COMMAND_COPY_IMAGE, .mem = {from, to}, .run = run_pair, .args = args};
  return command_enqueue(q, &plan, n, wait, event);
}

/* ---- fill ---- */

struct image_fill {
  cl_mem image;
  struct texel_box box;
  uint8_t texel[16];
};

static double channel_limit(double v, double lo, double hi) { return !(v > lo) ? lo : v > hi ? hi : v; }

/* One channel from a component of the colour: a float, or the bits of an integer (6.12.14, 8.3). */
static void channel_put(const struct texture *t, const void *component, uint8_t *out) {
  const unsigned bytes = dtype_bytes(t->type);
  float f;
  int32_t s;
  uint32_t u;
  memcpy(&f, component, 4);
  memcpy(&s, component, 4);
  memcpy(&u, component, 4);
  const uint32_t most = bytes == 1 ? 255 : 65535;
  const int32_t high = bytes == 1 ? 127 : 32767;
  if (t->type == T_F32) memcpy(out, &f, 4);
  else if (t->type == T_F16) memcpy(out, &(uint16_t){half_from_double(f)}, 2);
  else if (t->normalized_values && !dtype_signed(t->type))
    memcpy(out, &(uint32_t){(uint32_t)__builtin_rint(channel_limit(f, 0, 1) * most)}, bytes);
  else if (t->normalized_values)
    memcpy(out, &(int32_t){f != f ? 0 : (int32_t)__builtin_rint(channel_limit(f, -1, 1) * high)}, bytes);
  else if (bytes == 4) memcpy(out, &u, 4);
  else if (dtype_signed(t->type)) memcpy(out, &(int32_t){s < -high - 1 ? -high - 1 : s > high ? high : s}, bytes);
  else memcpy(out, &(uint32_t){u > most ? most : u}, bytes);
}

static void texel_of(const struct texture *t, const uint8_t *colour, uint8_t *texel) {
  static const uint8_t bgra[] = {2, 1, 0, 3};
  for (unsigned k = 0; k < t->channels; k++) {
    const unsigned component = t->order == ORDER_BGRA ? bgra[k] : t->order == ORDER_A ? 3 : k;
    channel_put(t, colour + (size_t)component * 4, texel + (size_t)k * dtype_bytes(t->type));
  }
}

static cl_int run_image_fill(void *args) {
  const struct image_fill *f = args;
  struct err e = {0};
  const enum device_status s = device_texels_fill(session_device(), &f->image->image->at, &f->box, f->texel, &e);
  return s ? cl_device_error(s, &e) : CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color, const size_t *origin,
                                      const size_t *region, cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  cl_int bad = check_whole(q, m, origin, region);
  if (bad) return bad;
  if (!color) return cl_error(CL_INVALID_VALUE, "found no colour, expected one");
  struct image_fill *args = xcalloc(1, sizeof *args);
  args->image = m;
  args->box = box_of(m->image, origin, region);
  texel_of(&m->image->at, color, args->texel);
  struct command_plan plan = {.type = CL_COMMAND_FILL_IMAGE, .mem = {m}, .run = run_image_fill, .args = args};
  return command_enqueue(q, &plan, n, wait, event);
}

/* ---- maps ---- */

void *CL_API_CALL clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                                    const size_t *origin, const size_t *region, size_t *row, size_t *slice, cl_uint n,
                                    const cl_event *wait, cl_event *event, cl_int *ret) {
  API();
  cl_int bad = check_whole(q, m, origin, region);
  if (!bad) bad = check_map_flags(m, flags);
  if (!bad && !slice && m->image->desc.image_slice_pitch)
    bad = cl_error(CL_INVALID_VALUE, "found no place for the slice pitch, expected one");
  if (bad) return cl_result(ret, bad), NULL;
  if (!row) return FAIL(ret, CL_INVALID_VALUE, "found no place for the row pitch, expected one");
  cl_result(ret, CL_SUCCESS);
  const struct image *i = m->image;
  const size_t rows = i->desc.image_row_pitch, slices = i->desc.image_slice_pitch;
  const size_t step = rows_are_layers(i) ? slices : rows;
  *row = rows;
  if (slice) *slice = slices;
  struct mem_map map = {
      .offset = origin[0] * i->texel + origin[1] * step + origin[2] * slices, .write = flags != CL_MAP_READ, .mem = m};
  memcpy(map.origin, origin, sizeof map.origin);
  memcpy(map.region, region, sizeof map.region);
  return map_enqueue(q, &map, !(flags & CL_MAP_WRITE_INVALIDATE_REGION), CL_COMMAND_MAP_IMAGE, blocking, n, wait, event,
                     ret);
}

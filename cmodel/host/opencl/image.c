/* SPDX-License-Identifier: Apache-2.0 */
/* image: formats, creation and information of images (OpenCL 1.2, 5.3.1 to 5.3.3 and 5.3.7). */
#include "host/opencl/image.h"

#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

static const struct {
  cl_channel_order cl;
  uint8_t order, channels;
  bool narrow; /* only normalised values and floats */
} orders[] = {{CL_R, ORDER_R, 1, false},
              {CL_A, ORDER_A, 1, false},
              {CL_RG, ORDER_RG, 2, false},
              {CL_RGBA, ORDER_RGBA, 4, false},
              {CL_BGRA, ORDER_BGRA, 4, false},
              {CL_INTENSITY, ORDER_INTENSITY, 1, true},
              {CL_LUMINANCE, ORDER_LUMINANCE, 1, true}};
static const struct {
  cl_channel_type cl;
  uint8_t type;
  bool normalized;
} types[] = {{CL_SNORM_INT8, T_S8, true},       {CL_SNORM_INT16, T_S16, true},   {CL_UNORM_INT8, T_U8, true},
             {CL_UNORM_INT16, T_U16, true},     {CL_SIGNED_INT8, T_S8, false},   {CL_SIGNED_INT16, T_S16, false},
             {CL_SIGNED_INT32, T_S32, false},   {CL_UNSIGNED_INT8, T_U8, false}, {CL_UNSIGNED_INT16, T_U16, false},
             {CL_UNSIGNED_INT32, T_U32, false}, {CL_HALF_FLOAT, T_F16, false},   {CL_FLOAT, T_F32, false}};
enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types };

static bool image_format_exists(unsigned order, unsigned type) {
  if (orders[order].cl == CL_BGRA) return types[type].type == T_U8 || types[type].type == T_S8;
  return !orders[order].narrow || types[type].normalized || dtype_float(types[type].type);
}

static cl_int read_format(const cl_image_format *f, struct texture *t) {
  unsigned o = 0, k = 0;
  if (!f) return cl_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "found no format, expected one");
  while (o < ORDERS && orders[o].cl != f->image_channel_order) o++;
  while (k < TYPES && types[k].cl != f->image_channel_data_type) k++;
  if (o == ORDERS || k == TYPES || !image_format_exists(o, k))
    return cl_error(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                    "found order 0x%x with type 0x%x, expected one of clGetSupportedImageFormats",
                    f->image_channel_order, f->image_channel_data_type);
  t->order = orders[o].order;
  t->channels = orders[o].channels;
  t->type = types[k].type;
  t->normalized_values = types[k].normalized;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint num_entries, cl_image_format *formats, cl_uint *num_formats) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  if (bad) return bad;
  (void)flags;
  if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return cl_error(CL_INVALID_VALUE, "found type 0x%x, expected one of an image", type);
  if (formats && !num_entries) return cl_error(CL_INVALID_VALUE, "found room for 0 formats, expected 1 or more");
  cl_uint n = 0;
  for (unsigned o = 0; o < ORDERS; o++)
    for (unsigned k = 0; k < TYPES; k++) {
      if (!image_format_exists(o, k)) continue;
      if (formats && n < num_entries) formats[n] = (cl_image_format){orders[o].cl, types[k].cl};
      n++;
    }
  if (num_formats) *num_formats = n;
  return CL_SUCCESS;
}

/* ---- descriptions ---- */

static cl_int bad_desc(const char *text) { return cl_error(CL_INVALID_IMAGE_DESCRIPTOR, "%s", text); }

/* Sizes of the texture; sizes that the type does not have become 0 in *d. */
static cl_int read_desc(cl_image_desc *d, struct texture *t) {
  const bool wide = d->image_type == CL_MEM_OBJECT_IMAGE2D || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                    d->image_type == CL_MEM_OBJECT_IMAGE3D,
             layered = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
             solid = d->image_type == CL_MEM_OBJECT_IMAGE3D, of_buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (!wide && !layered && !of_buffer && d->image_type != CL_MEM_OBJECT_IMAGE1D)
    return bad_desc(
        "found a type of image that does not exist, expected CL_MEM_OBJECT_IMAGE1D, _2D, _3D, an array, or _1D_BUFFER");
  if (d->num_mip_levels || d->num_samples) return bad_desc("found mip levels or samples, expected 0");
  if (!of_buffer != !d->buffer)
    return bad_desc("found a buffer, or none, expected one for CL_MEM_OBJECT_IMAGE1D_BUFFER alone");
  if (!wide) d->image_height = 0;
  if (!solid) d->image_depth = 0;
  if (!layered) d->image_array_size = 0;
  const size_t size[] = {d->image_width, wide ? d->image_height : 1, solid ? d->image_depth : 1,
                         layered ? d->image_array_size : 1};
  for (unsigned k = 0; k < 4; k++)
    if (!size[k] || size[k] > TEX_MAX_LINEAR)
      return cl_error(CL_INVALID_IMAGE_SIZE, "found size %zu, expected 1 to CL_DEVICE_IMAGE*_MAX_*", size[k]);
  t->width = (uint32_t)size[0];
  t->height = (uint32_t)size[1];
  t->depth = (uint32_t)size[2];
  t->layers = (uint32_t)size[3];
  t->levels = 1;
  t->linear_1d = of_buffer;
  t->geom = solid ? GEOM_3D : wide ? (layered ? GEOM_A2D : GEOM_2D) : layered ? GEOM_A1D : GEOM_1D;
  return CL_SUCCESS;
}

/* Rows of the host's memory: 0 becomes packed. */
static cl_int read_pitches(cl_image_desc *d, const struct image *i, const void *host) {
  const size_t row = i->at.width * i->texel, rows = i->at.height;
  if (!host && (d->image_row_pitch || d->image_slice_pitch))
    return bad_desc("found a pitch without a host pointer, expected 0");
  if (!d->image_row_pitch) d->image_row_pitch = row;
  if (!row || d->image_row_pitch < row || d->image_row_pitch % i->texel)
    return cl_error(CL_INVALID_IMAGE_DESCRIPTOR,
                    "found a row pitch of %zu bytes, expected a multiple of %zu that is at least %zu",
                    d->image_row_pitch, i->texel, row);
  const bool slices = i->at.depth > 1 || i->desc.image_array_size || i->type == CL_MEM_OBJECT_IMAGE3D;
  if (!slices) return d->image_slice_pitch = 0, CL_SUCCESS;
  if (!d->image_slice_pitch) d->image_slice_pitch = d->image_row_pitch * rows;
  if (d->image_slice_pitch < d->image_row_pitch * rows || d->image_slice_pitch % d->image_row_pitch)
    return cl_error(CL_INVALID_IMAGE_DESCRIPTOR,
                    "found a slice pitch of %zu bytes, expected a multiple of %zu that is at least %zu",
                    d->image_slice_pitch, d->image_row_pitch, d->image_row_pitch * rows);
  return CL_SUCCESS;
}

/* ---- creation ---- */

static cl_int check_host(cl_mem_flags flags, const void *host) {
  const bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  return wants == !!host ? CL_SUCCESS
                         : cl_error(CL_INVALID_HOST_PTR,
                                    "found %s host pointer, expected %s CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
                                    host ? "a" : "no", wants ? "one with" : "none without");
}

static cl_int image_place_over_buffer(cl_context context, struct image *i) {
  cl_mem b = i->desc.buffer;
  cl_int bad = object_check(b, MEM);
  struct err e = {0};
  if (bad) return bad;
  if (b->image || b->context != context)
    return bad_desc("found an image, or a buffer of another context, expected a buffer");
  i->at.layout = TEX_PITCH;
  i->at.addr = b->addr;
  if (!texture_lay_out(&i->at, &e)) return cl_error(CL_INVALID_IMAGE_SIZE, "%s", e.text);
  if (i->at.bytes > b->size)
    return cl_error(CL_INVALID_IMAGE_SIZE, "found a buffer of %zu bytes, expected at least %u for the image", b->size,
                    i->at.bytes);
  return CL_SUCCESS;
}

/* Its place in device memory. */
static cl_int image_place(cl_context context, struct image *i) {
  struct err e = {0};
  if (i->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return image_place_over_buffer(context, i);
  enum device_status s = device_array(session_device(), &i->at, &e);
  if (s == DEVICE_BAD_VALUE) return cl_error(CL_INVALID_IMAGE_SIZE, "%s", e.text);
  return s ? cl_device_error(s, &e) : CL_SUCCESS;
}

/* Everything but the memory. */
static cl_int image_describe(struct image *i, const cl_image_format *format, const cl_image_desc *desc,
                             const void *host) {
  cl_int bad = read_format(format, &i->at);
  if (bad) return bad;
  if (!desc) return bad_desc("found no description, expected one");
  i->format = *format;
  i->desc = *desc;
  i->type = desc->image_type;
  i->texel = texture_texel_bytes(&i->at);
  bad = read_desc(&i->desc, &i->at);
  return bad ? bad : read_pitches(&i->desc, i, host);
}

static cl_mem image_create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                           const cl_image_desc *desc, void *host, cl_int *ret) {
  struct image i = {0};
  cl_int bad = object_check(context, CONTEXT);
  if (!bad) bad = memory_flags(flags);
  if (!bad) bad = image_describe(&i, format, desc, host);
  if (!bad) bad = check_host(flags, host);
  if (!bad) bad = image_place(context, &i);
  cl_result(ret, bad);
  if (bad) return NULL;
  cl_mem m = memory_object(context, flags);
  if (!m) {
    struct err e = {0};
    if (i.type != CL_MEM_OBJECT_IMAGE1D_BUFFER) device_free(session_device(), i.at.addr, &e);
    return FAIL(ret, CL_OUT_OF_HOST_MEMORY, "found no memory for an image");
  }
  m->image = xmalloc(sizeof i);
  *m->image = i;
  m->addr = i.at.addr;
  m->size = (size_t)i.at.width * i.at.height * i.at.depth * i.at.layers * i.texel;
  if (i.desc.buffer) object_hold(i.desc.buffer);
  const size_t origin[3] = {0},
               region[3] = {i.at.width, i.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? i.at.layers : i.at.height,
                            i.at.geom == GEOM_A2D ? i.at.layers : i.at.depth};
  if (host) image_transfer(m, origin, region, host, i.desc.image_row_pitch, i.desc.image_slice_pitch, true);
  if (flags & CL_MEM_USE_HOST_PTR) m->host_ptr = host;
  if (!host || !(flags & CL_MEM_USE_HOST_PTR)) { /* what maps and clGetImageInfo have: packed rows */
    i.desc.image_row_pitch = i.at.width * i.texel;
    if (i.desc.image_slice_pitch) i.desc.image_slice_pitch = i.desc.image_row_pitch * i.at.height;
    m->image->desc = i.desc;
  }
  return m;
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                 const cl_image_desc *desc, void *host, cl_int *ret) {
  API();
  return image_create(context, flags, format, desc, host, ret);
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t w,
                                   size_t h, size_t pitch, void *host, cl_int *ret) {
  API();
  const cl_image_desc d = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h, .image_row_pitch = pitch};
  return image_create(context, flags, format, &d, host, ret);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t w,
                                   size_t h, size_t depth, size_t pitch, size_t slice, void *host, cl_int *ret) {
  API();
  const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                           .image_width = w,
                           .image_height = h,
                           .image_depth = depth,
                           .image_row_pitch = pitch,
                           .image_slice_pitch = slice};
  return image_create(context, flags, format, &d, host, ret);
}

/* ---- what kernels get; the end; information ---- */

cl_int image_handle(cl_mem m, bool writes, uint64_t *handle) {
  struct image *i = m->image;
  uint64_t *h = writes ? &i->surface : &i->texture;
  struct texture t = i->at;
  struct err e = {0};
  t.writable = writes;
  t.sampler = (struct tex_sampler){.address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}};
  enum device_status s = *h       ? DEVICE_OK
                         : writes ? device_surface(session_device(), &t, h, &e)
                                  : device_texture(session_device(), &t, h, &e);
  *handle = *h;
  return s ? cl_device_error(s, &e) : CL_SUCCESS;
}

void image_drop(cl_mem m) {
  struct err e = {0};
  if (m->image->texture && session_device()) device_handle_free(session_device(), m->image->texture, &e);
  if (m->image->surface && session_device()) device_handle_free(session_device(), m->image->surface, &e);
  object_drop(m->image->desc.buffer);
  free(m->image);
}

cl_int CL_API_CALL clGetImageInfo(cl_mem mem, cl_image_info param_name, size_t param_value_size, void *param_value,
                                  size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(mem, MEM);
  if (bad) return bad;
  if (!mem->image) return cl_error(CL_INVALID_MEM_OBJECT, "found a buffer, expected an image");
  const struct info *o = INFO_ARGS;
  const struct image *i = mem->image;
  switch (param_name) {
    case CL_IMAGE_FORMAT: return info_bytes(o, &i->format, sizeof i->format);
    case CL_IMAGE_ELEMENT_SIZE: return INFO(o, size_t, i->texel);
    case CL_IMAGE_ROW_PITCH: return INFO(o, size_t, i->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH: return INFO(o, size_t, i->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH: return INFO(o, size_t, i->desc.image_width);
    case CL_IMAGE_HEIGHT: return INFO(o, size_t, i->desc.image_height);
    case CL_IMAGE_DEPTH: return INFO(o, size_t, i->desc.image_depth);
    case CL_IMAGE_ARRAY_SIZE: return INFO(o, size_t, i->desc.image_array_size);
    case CL_IMAGE_BUFFER: return INFO(o, cl_mem, i->desc.buffer);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return INFO(o, cl_uint, 0);
    default: return info_unknown(o);
  }
}

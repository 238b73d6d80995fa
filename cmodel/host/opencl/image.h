/* SPDX-License-Identifier: Apache-2.0 */
/* image: images of the OpenCL driver (sections 5.3, 6.12.14): memory objects with a struct image. */
#ifndef RT_OPENCL_IMAGE_H
#define RT_OPENCL_IMAGE_H

#include "host/opencl/cl.h"

struct image {
  cl_mem_object_type type;
  cl_image_format format;
  cl_image_desc
      desc; /* sizes that the type has not are 0, as clGetImageInfo answers; buffer: held, 1-D images of a buffer */
  struct texture at;         /* in device memory: block-linear, or linear in the buffer's */
  size_t texel;              /* bytes */
  uint64_t texture, surface; /* handles, made when they are first asked for; 0: not yet */
};
struct _cl_sampler {
  struct object o;
  cl_context context;
  cl_bool normalized;
  cl_addressing_mode address;
  cl_filter_mode filter;
};

/* What a kernel gets of an image that it reads or writes: *handle. */
cl_int image_handle(cl_mem m, bool writes, uint64_t *handle);
void image_drop(cl_mem m); /* its handles, and what it holds */
uint64_t sampler_handle(cl_sampler s);
/* Copies a region between the image and rows in host memory (pitches in bytes, of the whole region). */
cl_int image_transfer(cl_mem m, const size_t *origin, const size_t *region, void *host, size_t row, size_t slice,
                      bool writes);

#endif

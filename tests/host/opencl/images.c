/* SPDX-License-Identifier: Apache-2.0 */
/* images: images of every kind, samplers, the image functions of kernels, transfers; values against loops of our own. */
#include "common.h"

static const char source[] =
    "__constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
    "__constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "__kernel void zoom(read_only image2d_t in, sampler_t s, float step, __global float4 *own, __global float4 *arg) "
    "{\n"
    "  int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;\n"
    "  float2 p = (float2)(x * step - 0.3f, y * step - 0.2f);\n"
    "  own[at] = read_imagef(in, smooth, p);\n"
    "  arg[at] = read_imagef(in, s, p);\n"
    "}\n"
    "__kernel void invert(read_only image2d_t in, write_only image2d_t out) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(out, p, 1.0f - read_imagef(in, p));\n"
    "}\n"
    "__kernel void outside(read_only image2d_t in, __global float4 *o) {\n"
    "  o[0] = read_imagef(in, plain, (int2)(-1, 0));\n"
    "  o[1] = read_imagef(in, plain, (float2)(1.5f, 1.5f));\n"
    "}\n"
    "__kernel void line(read_only image1d_t a, read_only image1d_buffer_t b, write_only image1d_t c, __global uint *o) "
    "{\n"
    "  int x = get_global_id(0);\n"
    "  o[x] = read_imageui(a, plain, x).x * 1000 + read_imageui(b, x).x;\n"
    "  write_imageui(c, x, (uint4)(x * 3, 1, 2, 3));\n"
    "}\n"
    "__kernel void layers(read_only image2d_array_t a, read_only image1d_array_t b, read_only image3d_t c,\n"
    "                     write_only image2d_array_t d, __global int *o) {\n"
    "  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  int at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "  o[3 * at] = read_imagei(a, plain, (int4)(x, y, z, 0)).y + read_imagei(a, plain, (float4)(x, y, z + 0.4f, "
    "0)).x;\n"
    "  o[3 * at + 1] = read_imagei(b, plain, (int2)(x, y)).x;\n"
    "  o[3 * at + 2] = (int)read_imagef(c, plain, (float4)(x, y, z, 0)).x;\n"
    "  write_imagei(d, (int4)(x, y, z, 0), (int4)(at, -at, 0, 0));\n"
    "}\n"
    "__kernel void sizes(read_only image2d_t a, write_only image2d_array_t b, read_only image3d_t c, __global int *o) "
    "{\n"
    "  o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_channel_data_type(a);\n"
    "  o[3] = get_image_channel_order(a); o[4] = get_image_dim(a).y; o[5] = get_image_width(b); o[6] = "
    "get_image_height(b);\n"
    "  o[7] = get_image_array_size(b); o[8] = get_image_depth(c); o[9] = get_image_dim(c).z; o[10] = "
    "get_image_dim(c).w;\n"
    "  o[11] = CLK_UNORM_INT8 == get_image_channel_data_type(a) && CLK_RGBA == get_image_channel_order(a);\n"
    "}\n";

enum { W = 37, H = 21, D = 5, STEPS = 48 };

static cl_mem image_of(const struct gpu *g, cl_mem_object_type type, cl_channel_order order, cl_channel_type channel,
                       size_t w, size_t h, size_t d, cl_mem buffer, void *host) {
  const cl_image_format format = {order, channel};
  const bool layers = type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const cl_image_desc desc = {.image_type = type,
                              .image_width = w,
                              .image_height = h,
                              .image_depth = layers ? 0 : d,
                              .image_array_size = layers ? d : 0,
                              .buffer = buffer};
  cl_mem m;
  MADE(m,
       clCreateImage(g->context, CL_MEM_READ_WRITE | (host ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, host, &status));
  return m;
}

static cl_sampler sampler_of(const struct gpu *g, cl_bool normalized, cl_addressing_mode a, cl_filter_mode f) {
  cl_sampler s;
  MADE(s, clCreateSampler(g->context, normalized, a, f, &status));
  return s;
}

static void run_nd(const struct gpu *g, cl_kernel k, cl_uint dim, size_t x, size_t y, size_t z) {
  const size_t global[3] = {x, y, z};
  OK(clEnqueueNDRangeKernel(g->queue, k, dim, NULL, global, NULL, 0, NULL, NULL));
}

static unsigned char pixel[H][W][4];

static void make_pixels(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) pixel[y][x][c] = (unsigned char)(x * 7 + y * 13 + c * 50 + x * y);
}

/* ---- filtering ---- */

static int wrapped(int i, int n, bool repeat) { return repeat ? ((i % n) + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Linear filtering with weights of 8 bits, coordinates from 0 to 1, of one channel: exact, as docs/reference/textures.md has it. */
static float filtered(float u, float v, int c, bool repeat) {
  double x = u, y = v;
  if (repeat) x -= floor(x), y -= floor(y);
  x = x * W - 0.5;
  y = y * H - 0.5;
  const int i = (int)floor(x), j = (int)floor(y);
  const double a = floor((x - i) * 256 + 0.5) / 256, b = floor((y - j) * 256 + 0.5) / 256;
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    const float texel = (float)pixel[wrapped(j + k / 2, H, repeat)][wrapped(i + k % 2, W, repeat)][c] / 255.0f;
    sum += (k % 2 ? a : 1 - a) * (k / 2 ? b : 1 - b) * texel;
  }
  return (float)sum;
}

static void zooms(const struct gpu *g, cl_program p) {
  static float own[STEPS * STEPS][4], arg[STEPS * STEPS][4];
  const cl_kernel k = kernel_of(p, "zoom");
  const cl_mem in = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNORM_INT8, W, H, 0, NULL, pixel),
               A = buffer_of(g, sizeof own, NULL), B = buffer_of(g, sizeof arg, NULL);
  const cl_sampler s = sampler_of(g, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR);
  const float step = 0.04f;
  ARG(k, 0, in), ARG(k, 1, s), ARG(k, 2, step), ARG(k, 3, A), ARG(k, 4, B);
  run_nd(g, k, 2, STEPS, STEPS, 1);
  read_back(g, A, own, sizeof own);
  read_back(g, B, arg, sizeof arg);
  int wrong[2] = {0};
  for (int at = 0; at < STEPS * STEPS; at++) {
    const float u = fmaf((float)(at % STEPS), step, -0.3f), v = fmaf((float)(at / STEPS), step, -0.2f);
    for (int c = 0; c < 4; c++) {
      wrong[0] += own[at][c] != filtered(u, v, c, true);
      wrong[1] += arg[at][c] != filtered(u, v, c, false);
    }
  }
  check(!wrong[0], "a sampler of the program: linear, repeated");
  check(!wrong[1], "a sampler as an argument: linear, to the edge");
  cl_uint refs;
  cl_filter_mode f;
  OK(clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof refs, &refs, NULL));
  OK(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof f, &f, NULL));
  check(refs == 1 && f == CL_FILTER_LINEAR, "clGetSamplerInfo");
  OK(clReleaseSampler(s)), OK(clReleaseMemObject(in)), OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)),
      OK(clReleaseKernel(k));
}

static void inverts(const struct gpu *g, cl_program p) {
  static unsigned char out[H][W][4];
  const cl_kernel k = kernel_of(p, "invert"), edge = kernel_of(p, "outside");
  const cl_mem in = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNORM_INT8, W, H, 0, NULL, pixel),
               to = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_BGRA, CL_UNORM_INT8, W, H, 0, NULL, NULL);
  ARG(k, 0, in), ARG(k, 1, to);
  run_nd(g, k, 2, W, H, 1);
  const size_t origin[3] = {0}, region[3] = {W, H, 1};
  OK(clEnqueueReadImage(g->queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
  int wrong = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) wrong += out[y][x][c == 3 ? 3 : 2 - c] != 255 - pixel[y][x][c];
  check(!wrong, "read_imagef without a sampler, write_imagef of another order");
  float o[2][4];
  const cl_mem O = buffer_of(g, sizeof o, NULL);
  ARG(edge, 0, in), ARG(edge, 1, O);
  run_1d(g, edge, 1, 1);
  read_back(g, O, o, sizeof o);
  check(o[0][0] == 0 && o[0][3] == 0, "CLK_ADDRESS_CLAMP: the border is 0");
  check(o[1][0] == (float)pixel[1][1][0] / 255.0f && o[1][3] == (float)pixel[1][1][3] / 255.0f, "texels by floats");
  OK(clReleaseMemObject(in)), OK(clReleaseMemObject(to)), OK(clReleaseMemObject(O)), OK(clReleaseKernel(k)),
      OK(clReleaseKernel(edge));
}

/* ---- the other kinds ---- */

static void lines(const struct gpu *g, cl_program p) {
  const cl_kernel k = kernel_of(p, "line");
  unsigned a[W], b[W], o[W];
  unsigned short c[W];
  for (unsigned i = 0; i < W; i++) a[i] = i * i, b[i] = 3 * i + 1;
  const cl_mem B = buffer_of(g, sizeof b, b), O = buffer_of(g, sizeof o, NULL),
               A = image_of(g, CL_MEM_OBJECT_IMAGE1D, CL_R, CL_UNSIGNED_INT32, W, 0, 0, NULL, a),
               I = image_of(g, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_R, CL_UNSIGNED_INT32, W, 0, 0, B, NULL),
               C = image_of(g, CL_MEM_OBJECT_IMAGE1D, CL_R, CL_UNSIGNED_INT16, W, 0, 0, NULL, NULL);
  ARG(k, 0, A), ARG(k, 1, I), ARG(k, 2, C), ARG(k, 3, O);
  run_1d(g, k, W, 1);
  read_back(g, O, o, sizeof o);
  const size_t origin[3] = {0}, region[3] = {W, 1, 1};
  OK(clEnqueueReadImage(g->queue, C, CL_TRUE, origin, region, 0, 0, c, 0, NULL, NULL));
  int wrong = 0;
  for (unsigned i = 0; i < W; i++) wrong += o[i] != a[i] * 1000 + b[i] || c[i] != i * 3;
  check(!wrong, "images of one dimension, and of a buffer");
  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(I)), OK(clReleaseMemObject(C)), OK(clReleaseMemObject(O)),
      OK(clReleaseMemObject(B));
  OK(clReleaseKernel(k));
}

static void layers(const struct gpu *g, cl_program p) {
  static short a[D][H][W][2], d[D][H][W][2];
  static int b[H][W], o[D][H][W][3];
  static float c[D][H][W];
  const cl_kernel k = kernel_of(p, "layers");
  for (int z = 0; z < D; z++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        a[z][y][x][0] = (short)(x - y * z), a[z][y][x][1] = (short)(1000 * z + x + y);
        b[y][x] = y * 100 - x;
        c[z][y][x] = (float)(z * 10000 + y * 100 + x);
      }
  const cl_mem A = image_of(g, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_RG, CL_SIGNED_INT16, W, H, D, NULL, a),
               B = image_of(g, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_R, CL_SIGNED_INT32, W, 0, H, NULL, b),
               C = image_of(g, CL_MEM_OBJECT_IMAGE3D, CL_R, CL_FLOAT, W, H, D, NULL, c),
               E = image_of(g, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_RG, CL_SIGNED_INT16, W, H, D, NULL, NULL),
               O = buffer_of(g, sizeof o, NULL);
  ARG(k, 0, A), ARG(k, 1, B), ARG(k, 2, C), ARG(k, 3, E), ARG(k, 4, O);
  run_nd(g, k, 3, W, H, D);
  read_back(g, O, o, sizeof o);
  const size_t origin[3] = {0}, region[3] = {W, H, D};
  OK(clEnqueueReadImage(g->queue, E, CL_TRUE, origin, region, 0, 0, d, 0, NULL, NULL));
  int wrong[4] = {0};
  for (int z = 0; z < D; z++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        const int at = (z * H + y) * W + x;
        wrong[0] += o[z][y][x][0] != a[z][y][x][1] + a[z][y][x][0];
        wrong[1] += o[z][y][x][1] != b[y][x];
        wrong[2] += o[z][y][x][2] != (int)c[z][y][x];
        wrong[3] += d[z][y][x][0] != at || d[z][y][x][1] != -at;
      }
  check(!wrong[0], "an array of images of two dimensions; the layer is rounded");
  check(!wrong[1], "an array of images of one dimension");
  check(!wrong[2], "an image of three dimensions");
  check(!wrong[3], "write_imagei to an array");
  int n[12];
  const cl_kernel s = kernel_of(p, "sizes");
  const cl_mem in = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNORM_INT8, W, H, 0, NULL, pixel),
               N = buffer_of(g, sizeof n, NULL);
  ARG(s, 0, in), ARG(s, 1, E), ARG(s, 2, C), ARG(s, 3, N);
  run_1d(g, s, 1, 1);
  read_back(g, N, n, sizeof n);
  const int want[12] = {W, H, CL_UNORM_INT8, CL_RGBA, H, W, H, D, D, D, 0, 1};
  check(!memcmp(n, want, sizeof n), "get_image_width and the others");
  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)), OK(clReleaseMemObject(C)), OK(clReleaseMemObject(E)),
      OK(clReleaseMemObject(O));
  OK(clReleaseMemObject(in)), OK(clReleaseMemObject(N)), OK(clReleaseKernel(k)), OK(clReleaseKernel(s));
}

/* ---- transfers ---- */

static void transfers(const struct gpu *g) {
  static unsigned char out[H][W][4], part[4][6][4], rows[4][32];
  const cl_mem a = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNSIGNED_INT8, W, H, 0, NULL, pixel),
               b = image_of(g, CL_MEM_OBJECT_IMAGE2D, CL_RGBA, CL_UNSIGNED_INT8, W, H, 0, NULL, NULL),
               B = buffer_of(g, sizeof part + 8, NULL);
  const size_t zero[3] = {0}, all[3] = {W, H, 1}, at[3] = {5, 3, 0}, to[3] = {30, 15, 0}, region[3] = {6, 4, 1};
  OK(clEnqueueCopyImage(g->queue, a, b, at, to, region, 0, NULL, NULL));
  OK(clEnqueueReadImage(g->queue, b, CL_TRUE, to, region, 32, 0, rows, 0, NULL, NULL));
  int wrong = 0;
  for (int y = 0; y < 4; y++) wrong += memcmp(rows[y], pixel[3 + y][5], 24) != 0;
  check(!wrong, "clEnqueueCopyImage, and a read of a part with a row pitch");
  OK(clEnqueueCopyImageToBuffer(g->queue, a, B, at, region, 8, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(g->queue, B, CL_TRUE, 8, sizeof part, part, 0, NULL, NULL));
  wrong = 0;
  for (int y = 0; y < 4; y++) wrong += memcmp(part[y], pixel[3 + y][5], 24) != 0;
  check(!wrong, "clEnqueueCopyImageToBuffer");
  OK(clEnqueueCopyBufferToImage(g->queue, B, b, 8, zero, region, 0, NULL, NULL));
  const cl_uint colour[4] = {1, 2, 300, 4};
  const size_t one[3] = {1, H, 1}, last[3] = {W - 1, 0, 0};
  OK(clEnqueueFillImage(g->queue, b, colour, last, one, 0, NULL, NULL));
  OK(clEnqueueReadImage(g->queue, b, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  wrong = memcmp(out[3], part[3], 24) != 0;
  for (int y = 0; y < H; y++) wrong += out[y][W - 1][0] != 1 || out[y][W - 1][2] != 255 || out[y][W - 1][3] != 4;
  check(!wrong, "clEnqueueCopyBufferToImage, clEnqueueFillImage");
  size_t pitch = 0;
  unsigned char *map;
  MADE(map, clEnqueueMapImage(g->queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, to, region, &pitch, NULL, 0, NULL, NULL,
                              &status));
  wrong = pitch < 4 * W || memcmp(map + pitch, pixel[4][5], 24) != 0;
  map[2 * pitch + 7] = 99;
  OK(clEnqueueUnmapMemObject(g->queue, b, map, 0, NULL, NULL));
  OK(clEnqueueReadImage(g->queue, b, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  check(!wrong && out[17][31][3] == 99, "clEnqueueMapImage");
  OK(clEnqueueWriteImage(g->queue, b, CL_TRUE, at, region, 32, 0, rows, 0, NULL, NULL));
  OK(clEnqueueReadImage(g->queue, b, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  check(!memcmp(out[6][5], rows[3], 24), "clEnqueueWriteImage with a row pitch");
  size_t w = 0, element = 0;
  cl_mem_object_type type = 0;
  OK(clGetImageInfo(b, CL_IMAGE_WIDTH, sizeof w, &w, NULL));
  OK(clGetImageInfo(b, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
  OK(clGetMemObjectInfo(b, CL_MEM_TYPE, sizeof type, &type, NULL));
  check(w == W && element == 4 && type == CL_MEM_OBJECT_IMAGE2D, "clGetImageInfo, clGetMemObjectInfo");
  FAILS(CL_MEM_COPY_OVERLAP, "a copy onto itself", clEnqueueCopyImage(g->queue, a, a, at, at, region, 0, NULL, NULL));
  FAILS(CL_INVALID_VALUE, "beyond the image",
        clEnqueueReadImage(g->queue, a, CL_TRUE, at, all, 0, 0, out, 0, NULL, NULL));
  FAILS(CL_INVALID_MEM_OBJECT, "an image as a buffer",
        clEnqueueReadBuffer(g->queue, a, CL_TRUE, 0, 4, out, 0, NULL, NULL));
  FAILS(CL_INVALID_MEM_OBJECT, "a buffer as an image",
        clEnqueueReadImage(g->queue, B, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  OK(clReleaseMemObject(a)), OK(clReleaseMemObject(b)), OK(clReleaseMemObject(B));
}

static void refusals(const struct gpu *g, cl_program p) {
  cl_bool images = CL_FALSE;
  OK(clGetDeviceInfo(g->device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
  check(images, "CL_DEVICE_IMAGE_SUPPORT");
  cl_image_format formats[200];
  cl_uint n = 0;
  OK(clGetSupportedImageFormats(g->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 200, formats, &n));
  check(n >= 13 && n <= 200, "clGetSupportedImageFormats");
  cl_image_format f = {CL_RGB, CL_UNORM_INT8};
  cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  NOT_MADE(CL_IMAGE_FORMAT_NOT_SUPPORTED, "a format", clCreateImage(g->context, 0, &f, &d, NULL, &status));
  f.image_channel_order = CL_RGBA;
  d.image_width = 1u << 20;
  NOT_MADE(CL_INVALID_IMAGE_SIZE, "a size", clCreateImage(g->context, 0, &f, &d, NULL, &status));
  d.image_width = 4, d.num_mip_levels = 2;
  NOT_MADE(CL_INVALID_IMAGE_DESCRIPTOR, "levels", clCreateImage(g->context, 0, &f, &d, NULL, &status));
  NOT_MADE(CL_INVALID_VALUE, "a sampler",
           clCreateSampler(g->context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &status));
  const cl_kernel k = kernel_of(p, "invert"), z = kernel_of(p, "zoom");
  const cl_mem B = buffer_of(g, 64, NULL), v = image_of(g, CL_MEM_OBJECT_IMAGE3D, CL_R, CL_FLOAT, 4, 4, 4, NULL, NULL);
  FAILS(CL_INVALID_MEM_OBJECT, "a buffer as an image argument", clSetKernelArg(k, 0, sizeof B, &B));
  FAILS(CL_INVALID_MEM_OBJECT, "an image of another kind", clSetKernelArg(k, 0, sizeof v, &v));
  FAILS(CL_INVALID_SAMPLER, "no sampler", clSetKernelArg(z, 1, sizeof B, &B));
  OK(clReleaseMemObject(B)), OK(clReleaseMemObject(v)), OK(clReleaseKernel(k)), OK(clReleaseKernel(z));
}

int main(void) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, "");
  make_pixels();
  zooms(&g, p);
  inverts(&g, p);
  lines(&g, p);
  layers(&g, p);
  transfers(&g);
  refusals(&g, p);
  OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}

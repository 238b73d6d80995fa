/* SPDX-License-Identifier: Apache-2.0 */
/* png: arrays from PNG files of 8 bits per channel. A file is foreign: its sizes are checked before memory is asked for. */
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "base/io.h"
#include "launch/texture.h"

enum { PNG_BYTES = 256 << 20, PNG_SIDE = 16384, PNG_TEXELS = 1 << 26 };

struct from {
  const char *path, *file;
  int line, col;
  struct err *e;
};

static bool texture_png_bad(const struct from *at, const char *found, const char *expected) {
  return err_at(at->e, at->file, at->line, at->col, "found %s in '%.200s', expected %s", found, at->path, expected);
}

static bool texture_png_check(const png_image *png, struct texture_format *f, const struct from *at) {
  char size[80];
  snprintf(size, sizeof size, "%u x %u pixels", png->width, png->height);
  if (png->width > PNG_SIDE || png->height > PNG_SIDE || (uint64_t)png->width * png->height > PNG_TEXELS)
    return texture_png_bad(at, size, "at most 16384 in a row or column, 67108864 in all");
  if (png->format & PNG_FORMAT_FLAG_LINEAR) return texture_png_bad(at, "16 bits per channel", "8");
  const bool colour = png->format & PNG_FORMAT_FLAG_COLOR, alpha = png->format & PNG_FORMAT_FLAG_ALPHA;
  if (!f->channels) {
    f->channels = colour || alpha ? 4 : 1;
    f->order = f->channels == 4 ? ORDER_RGBA : ORDER_R;
  }
  if (f->channels == 1 && (colour || alpha))
    return texture_png_bad(at, colour ? "colours" : "an alpha channel", "grays for this format");
  return true;
}

/* n levels as the format's channels, in place: room for them is there. */
static void texture_png_convert(uint8_t *texel, uint64_t n, const struct texture_format *f) {
  if (f->type != T_F32) return;
  for (uint64_t k = n; k--;) {
    const float v = (float)texel[k] / 255.0F;
    memcpy(texel + k * sizeof v, &v, sizeof v);
  }
}

static uint8_t *texture_png_decode(png_image *png, struct texture_format *f, const struct from *at) {
  if (!texture_png_check(png, f, at)) return NULL;
  const uint64_t n = (uint64_t)png->width * png->height * f->channels;
  uint8_t *texel = xmalloc(n * dtype_bytes(f->type));
  png->format = f->channels == 1 ? PNG_FORMAT_GRAY : f->order == ORDER_BGRA ? PNG_FORMAT_BGRA : PNG_FORMAT_RGBA;
  if (png_image_finish_read(png, NULL, texel, 0, NULL)) {
    texture_png_convert(texel, n, f);
    return texel;
  }
  free(texel);
  texture_png_bad(at, png->message, "a PNG file");
  return NULL;
}

uint8_t *texture_png_of(const void *bytes, size_t n, const char *path, struct texture_format *f, uint32_t *width,
                        uint32_t *height, const char *file, int line, int col, struct err *e) {
  const struct from at = {path, file, line, col, e};
  png_image png = {.version = PNG_IMAGE_VERSION};
  uint8_t *texel = NULL;
  if (png_image_begin_read_from_memory(&png, bytes, n)) texel = texture_png_decode(&png, f, &at);
  else texture_png_bad(&at, png.message, "a PNG file");
  *width = png.width;
  *height = png.height;
  png_image_free(&png);
  return texel;
}

uint8_t *texture_png(const char *path, struct texture_format *f, uint32_t *width, uint32_t *height, const char *file,
                     int line, int col, struct err *e) {
  char why[IO_WHY];
  size_t n;
  char *bytes = input_read(path, PNG_BYTES, &n, why);
  if (!bytes) {
    err_at(e, file, line, col, "cannot read '%.200s': %s", path, why);
    return NULL;
  }
  uint8_t *texel = texture_png_of(bytes, n, path, f, width, height, file, line, col, e);
  free(bytes);
  return texel;
}

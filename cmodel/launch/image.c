/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: the image statement of launch files. A buffer's elements become 8-bit levels, one (gray), three (red, green, blue) or four
 * (with alpha) side by side for a pixel, rows from the top, and a PNG by way of libpng.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "launch/script.h"

enum { IMAGE_SIDE = 16384 };

/* Black and white: as `range` says, else 0 and 255 for integers, 0 and 1 for floats. */
static bool image_range(const struct stmt *s, const struct view *w, struct env *v, double *lo, double *hi) {
  *lo = 0;
  *hi = dtype_float(w->type) ? 1 : 255;
  if (!s->image->ranged) return true;
  struct value a, b;
  if (!script_eval(&s->image->lo, v, &a) || !script_eval(&s->image->hi, v, &b)) return false;
  *lo = value_double(a);
  *hi = value_double(b);
  if (isfinite(*lo) && isfinite(*hi) && *hi > *lo) return true;
  return err_at(v->e, v->file, s->image->hi.line, s->image->hi.col,
                "found range %.9g %.9g, expected a second number above the first", *lo, *hi);
}

void host_levels(const struct host_result *r, uint8_t *level) {
  for (uint64_t k = 0; k < r->n; k++) {
    double f = (host_number(r->type, r->data, k) - r->black) / (r->white - r->black) * 255;
    level[k] = f >= 255 ? 255 : f > 0 ? (uint8_t)lround(f) : 0; /* nan: black */
  }
}

static bool write_png(const struct stmt *s, const char *dir, png_image *png, const uint8_t *pixel, struct env *v) {
  size_t room = strlen(dir) + strlen(s->path) + 2;
  char *path = xmalloc(room);
  snprintf(path, room, "%s/%s", dir, s->path);
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(*png);
  void *file = xmalloc(bytes);
  bool ok = png_image_write_to_memory(png, file, &bytes, 0, pixel, 0, NULL)
                ? script_write(dir, path, file, bytes, v->file, s->name_line, s->name_col, v->e)
                : err_at(v->e, v->file, s->name_line, s->name_col, "cannot write '%s': %s", path, png->message);
  free(file);
  free(path);
  return ok;
}

static const char *image_form_name(const struct stmt *s) {
  return s->image->channels == 1 ? "gray" : s->image->channels == 3 ? "rgb" : "rgba";
}

bool script_image(const struct stmt *s, const struct view *w, const struct host_ops *ops, struct env *v) {
  int64_t width, height;
  double lo, hi;
  if (!script_eval_whole(&s->a, v, 1, IMAGE_SIDE, "the width", &width) ||
      !script_eval_whole(&s->b, v, 1, IMAGE_SIDE, "the height", &height))
    return false;
  uint64_t n = (uint64_t)width * (uint64_t)height * s->image->channels;
  if (n != w->n)
    return err_at(v->e, v->file, s->line, s->col,
                  "found '%.80s' of %" PRIu64 " elements, expected %" PRIu64 " for %" PRId64 " x %" PRId64 " %s pixels",
                  v->name[s->slot].s, w->n, n, width, height, image_form_name(s));
  if (!image_range(s, w, v, &lo, &hi)) return false;
  const struct host_result r = {.name = v->name[s->slot].s,
                                .type = w->type,
                                .data = w->data,
                                .n = n,
                                .width = (uint32_t)width,
                                .height = (uint32_t)height,
                                .channels = s->image->channels,
                                .black = lo,
                                .white = hi,
                                .line = s->line,
                                .col = s->col};
  if (ops->result) ops->result(ops->ctx, &r);
  if (!ops->images) return true;
  uint8_t *pixel = xmalloc(n);
  host_levels(&r, pixel);
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = r.width,
                   .height = r.height,
                   .format = s->image->channels == 1   ? PNG_FORMAT_GRAY
                             : s->image->channels == 3 ? PNG_FORMAT_RGB
                                                       : PNG_FORMAT_RGBA};
  bool ok = write_png(s, ops->images, &png, pixel, v);
  png_image_free(&png);
  free(pixel);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* image_heap: the first page of an image, private to image.c and image_file.c. */
#ifndef RT_BASE_IMAGE_HEAP_H
#define RT_BASE_IMAGE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { IMAGE_PAGE = 4096, IMAGE_AREAS = 64, IMAGE_CLASSES = 160, IMAGE_USED = 0x55534544 };
#define IMAGE_MAGIC UINT64_C(0x316567616d495452)

struct image_area {   /* of image_pages */
  uint64_t at, bytes; /* bytes 0: there was none yet */
  bool used;
};

struct image_heap {
  uint64_t magic, top; /* top: bytes from the image's beginning that were ever given out */
  void *root;
  void *free[IMAGE_CLASSES];
  struct image_area area[IMAGE_AREAS];
};

struct image_heap *image_heap(void); /* NULL: no image */
bool image_linked(void);             /* with --wrap=free */
void image_use(void);                /* from here on, what is mapped there is the image */
void image_start(void);              /* it is empty */

#endif

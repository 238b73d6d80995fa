/* SPDX-License-Identifier: Apache-2.0 */
/* stream: what stream.c and the tests know of a stream beside its handle. */
#ifndef RT_CUDART_STREAM_H
#define RT_CUDART_STREAM_H

#include <stdint.h>

enum {
  STREAM_PRIORITY = -1,   /* the greatest; 0 is the least, and the default */
  STREAM_ATTRIBUTES = 15, /* their numbers begin with 1 */
};
struct stream_attribute {
  uint8_t bytes[64]; /* sizeof cudaStreamAttrValue */
};

#endif

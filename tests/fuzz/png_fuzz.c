/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the PNG file of an array: texels of the size that it says, or a message and none. The first byte chooses the format. */
#include <stdlib.h>

#include "launch/texture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static const struct texture_format formats[] = {{T_U8, 0, ORDER_RGBA, true},
                                                  {T_U8, 1, ORDER_R, true},
                                                  {T_U8, 4, ORDER_BGRA, false},
                                                  {T_F32, 4, ORDER_RGBA, false}};
  if (!n) return 0;
  struct texture_format f = formats[data[0] & 3];
  struct err e = {0};
  uint32_t w = 0, h = 0;
  uint8_t *texel = texture_png_of(data + 1, n - 1, "fuzz.png", &f, &w, &h, "fuzz.launch", 1, 1, &e);
  if (texel ? e.set || !w || !h || !f.channels : !e.set) abort();
  uint64_t sum = 0; /* all of them are there */
  for (uint64_t k = 0; texel && k < (uint64_t)w * h * f.channels * dtype_bytes(f.type); k++) sum += texel[k];
  free(texel);
  volatile uint64_t seen = sum;
  (void)seen;
  return 0;
}

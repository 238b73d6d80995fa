/* SPDX-License-Identifier: Apache-2.0 */
/* heap: numbers of which the lowest is taken first; an array with room for all of them, which the caller owns. */
#ifndef RT_IR_HEAP_H
#define RT_IR_HEAP_H

#include <stdint.h>

struct heap {
  uint32_t *item, n;
};

static inline void heap_push(struct heap *h, uint32_t x) {
  uint32_t k = h->n++;
  for (; k && h->item[(k - 1) / 2] > x; k = (k - 1) / 2) h->item[k] = h->item[(k - 1) / 2];
  h->item[k] = x;
}

static inline uint32_t heap_pop(struct heap *h) { /* n != 0 */
  const uint32_t lowest = h->item[0], x = h->item[--h->n];
  uint32_t k = 0;
  for (uint32_t down; (down = 2 * k + 1) < h->n; k = down) {
    if (down + 1 < h->n && h->item[down + 1] < h->item[down]) down++;
    if (h->item[down] >= x) break;
    h->item[k] = h->item[down];
  }
  h->item[k] = x;
  return lowest;
}

#endif

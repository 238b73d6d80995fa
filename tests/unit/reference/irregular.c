/* SPDX-License-Identifier: Apache-2.0 */
/* irregular: references for bfs, kmeans, pathfinder and streamcluster. */
#include <string.h>

#include "unit/reference/ref.h"

/* A queue, where the kernels sweep flags. */
REF(bfs) {
  if (index) return;
  uint32_t n = ref_u32(l, 5), head = 0, tail = 0;
  const uint32_t *first = ref_take(r, l, 0, (uint64_t)n + 1, 4);
  const uint32_t *edge = ref_take(r, l, 1, first[n], 4);
  const uint8_t *frontier = ref_take(r, l, 2, n, 1);
  uint32_t *queue = ref_alloc(r, n, 4);
  int32_t *level = ref_alloc(r, n, 4);
  for (uint32_t v = 0; v < n; v++) {
    level[v] = frontier[v] ? 0 : -1;
    if (frontier[v]) queue[tail++] = v;
  }
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t e = first[v]; e < first[v + 1]; e++) {
      if (level[edge[e]] >= 0) continue;
      level[edge[e]] = level[v] + 1;
      queue[tail++] = edge[e];
    }
  }
  ref_want(r, "level", T_S32, n, level, 0, 0);
  ref_want(r, "frontier", T_U8, n, ref_alloc(r, n, 1), 0, 0);
  ref_want(r, "marked", T_U8, n, ref_alloc(r, n, 1), 0, 0);
}

enum { FEATURES = 16, SHARES = 128 };

/* Feature f of point i: fours of features lie together. */
static float feature(const float *point, uint64_t n, uint64_t i, uint64_t f) {
  return point[(f / 4 * n + i) * 4 + f % 4];
}

static uint32_t kmeans_label(const float *point, const float *centre, int32_t *label, uint32_t n, uint32_t k) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < n; i++) {
    int32_t best = 0;
    float least = 3.0e38f;
    for (uint32_t c = 0; c < k; c++) {
      float d2 = 0;
      for (uint32_t f = 0; f < FEATURES; f++) {
        float d = feature(point, n, i, f) - centre[c * FEATURES + f];
        d2 = __builtin_fmaf(d, d, d2);
      }
      if (d2 < least) least = d2, best = (int32_t)c;
    }
    moved += label[i] != best;
    label[i] = best;
  }
  return moved;
}

/* Mean of the members; sums are made in 128 strided shares and these added pairwise, far half onto near half.
 */
static void kmeans_move(const float *point, const int32_t *label, float *centre, uint32_t n, uint32_t k) {
  for (uint32_t c = 0; c < k; c++)
    for (uint32_t f = 0; f < FEATURES; f++) {
      float share[SHARES] = {0};
      uint32_t members = 0;
      for (uint32_t i = 0; i < n; i++)
        if (label[i] == (int32_t)c) share[i % SHARES] += feature(point, n, i, f), members++;
      for (uint32_t width = SHARES / 2; width; width /= 2)
        for (uint32_t t = 0; t < width; t++) share[t] += share[t + width];
      if (members) centre[c * FEATURES + f] = share[0] / (float)members;
    }
}

/* A fixed number of rounds. */
REF(kmeans) {
  if (index) return;
  uint32_t n = ref_u32(l, 4), k = ref_u32(l, 5);
  const float *point = ref_take(r, l, 0, (uint64_t)n * FEATURES, 4);
  float *centre = ref_take(r, l, 1, (uint64_t)k * FEATURES, 4);
  int32_t *label = ref_take(r, l, 2, n, 4);
  uint32_t *moved = ref_alloc(r, 1, 4);
  for (int round = 0; round < (r->small ? 2 : 4); round++) {
    *moved = kmeans_label(point, centre, label, n, k);
    kmeans_move(point, label, centre, n, k);
  }
  ref_want(r, "label", T_S32, n, label, 0, 0);
  ref_want(r, "centre", T_F32, (uint64_t)k * FEATURES, centre, 0, 0);
  ref_want(r, "moved", T_U32, 1, moved, 0, 0);
}

/* Row after row over the whole width. The grid's height is known here, not taken from the launches. */
REF(pathfinder) {
  if (index) return;
  int cols = (int)ref_u32(l, 3), rows = r->small ? 20 : 100;
  const int32_t *wall = ref_take(r, l, 0, (uint64_t)cols * (uint64_t)rows, 4);
  int32_t *from = ref_take(r, l, 1, (uint64_t)cols, 4), *to = ref_alloc(r, (uint64_t)cols, 4);
  for (int y = 0; y < rows; y++) {
    for (int x = 0; x < cols; x++) {
      int32_t least = from[x];
      if (x > 0 && from[x - 1] < least) least = from[x - 1];
      if (x < cols - 1 && from[x + 1] < least) least = from[x + 1];
      to[x] = least + wall[(int64_t)y * cols + x];
    }
    int32_t *t = from;
    from = to;
    to = t;
  }
  ref_want(r, "from", T_S32, (uint64_t)cols, from, 0, 0);
}

/* Each round is a candidate; `work` and `moves` gather over all of them. */
REF(streamcluster) {
  if (index) return;
  uint32_t n = ref_u32(l, 5), dim = ref_u32(l, 6), centres = ref_u32(l, 8), width = centres + 1;
  const uint32_t *point = ref_take(r, l, 0, (uint64_t)n * 8, 4);
  const float *coord = ref_take(r, l, 1, (uint64_t)n * dim, 4);
  float *work = ref_take(r, l, 2, (uint64_t)n * width, 4);
  const int32_t *centre = ref_take(r, l, 3, n, 4);
  uint8_t *moves = ref_alloc(r, n, 1);
  for (uint32_t round = 0; round < 2; round++) {
    uint32_t x = (round * 977 + 13) % n;
    for (uint32_t i = 0; i < n; i++) {
      float weight, here, there = 0;
      memcpy(&weight, &point[8 * i], 4);
      memcpy(&here, &point[8 * i + 6], 4);
      for (uint32_t k = 0; k < dim; k++) {
        float d = coord[(uint64_t)k * n + i] - coord[(uint64_t)k * n + x];
        there = fma32(d, d, there);
      }
      there *= weight;
      if (there < here) moves[i] = 1;
      uint32_t entry = there < here ? centres : (uint32_t)centre[point[8 * i + 4]];
      work[(uint64_t)i * width + entry] += there < here ? there - here : here - there;
    }
  }
  ref_want(r, "work", T_F32, (uint64_t)n * width, work, 0, 0);
  ref_want(r, "moves", T_U8, n, moves, 0, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot: temperature of a chip of w x h cells, an explicit heat stencil with a power source in each cell; outside cells equal those at the
 * edge. A group loads its cells with a ring of neighbours into local memory.
 */

/* Power of each cell: a few round sources. x, y: with the launch's offsets. */
__kernel void sources(__global float *power, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int i = 0; i < 3; i++) {
    float cx = w * (0.5f + 0.3f * cos(2.0f * i)), cy = h * (0.5f + 0.3f * sin(2.0f * i));
    float r = hypot(x - cx, y - cy) / (0.1f * sqrt((float)w * h));
    sum += exp(-r * r) * pow(1.5f, (float)i);
  }
  power[y * w + x] = sum;
}

__kernel void heat(__global const float *power, __global const float *from, __global float *to, int w, int h, float4 k, __local float *tile) {
  int x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
  int pitch = get_local_size(0) + 2, last_x = get_local_size(0), last_y = get_local_size(1);
  int cx = min(x, w - 1), cy = min(y, h - 1);
  tile[ty * pitch + tx] = from[cy * w + cx];
  if (tx == 1) tile[ty * pitch] = from[cy * w + max(cx - 1, 0)];
  if (tx == last_x) tile[ty * pitch + tx + 1] = from[cy * w + min(x + 1, w - 1)];
  if (ty == 1) tile[tx] = from[max(cy - 1, 0) * w + cx];
  if (ty == last_y) tile[(ty + 1) * pitch + tx] = from[min(y + 1, h - 1) * w + cx];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= w || y >= h) return;
  float c = tile[ty * pitch + tx];
  float down = tile[(ty - 1) * pitch + tx] + tile[(ty + 1) * pitch + tx] - 2.0f * c;
  float across = tile[ty * pitch + tx - 1] + tile[ty * pitch + tx + 1] - 2.0f * c;
  to[y * w + x] = c + k.x * power[y * w + x] + k.y * down + k.z * across + k.w * (80.0f - c);
}

/* The hottest cell: its temperature as bits, which are in the order of positive floats. */
__kernel void hottest(__global const float *t, __global volatile uint *most, int n) {
  int i = get_global_id(0);
  if (i < n) atomic_max(most, as_uint(t[i]));
}

__kernel void report(__global const float *t, __global const uint *most, int w, int n) {
  int i = get_global_id(0);
  if (i < n && as_uint(t[i]) == *most) printf("hottest: %.2f at (%d, %d)%s\n", t[i], i % w, i / w, "");
}

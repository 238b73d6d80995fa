// SPDX-License-Identifier: Apache-2.0
// A stencil over many time steps, and a breadth-first search with a launch per level; what the device says of itself.
//   hotspot [side] [steps] [nodes]
#include "common.h"

__global__ void heat(const float *t, const float *power, float *out, int side, float rx, float ry, float rz) {
  int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= side || y >= side) return;
  int i = y * side + x;
  float here = t[i];
  float left = x > 0 ? t[i - 1] : here, right = x < side - 1 ? t[i + 1] : here;
  float up = y > 0 ? t[i - side] : here, down = y < side - 1 ? t[i + side] : here;
  out[i] = here + power[i] + rx * (left + right - 2.0f * here) + ry * (up + down - 2.0f * here) + rz * (80.0f - here);
}

static void heat_host(const float *t, const float *power, float *out, int side, float rx, float ry, float rz) {
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int i = y * side + x;
      float here = t[i];
      float left = x > 0 ? t[i - 1] : here, right = x < side - 1 ? t[i + 1] : here;
      float up = y > 0 ? t[i - side] : here, down = y < side - 1 ? t[i + side] : here;
      out[i] =
          here + power[i] + rx * (left + right - 2.0f * here) + ry * (up + down - 2.0f * here) + rz * (80.0f - here);
    }
}

static void stencil(int side, int steps) {
  size_t cells = (size_t)side * (size_t)side, bytes = cells * sizeof(float);
  float *t = (float *)malloc(bytes), *power = (float *)malloc(bytes), *want = (float *)malloc(bytes), *d[2], *dpower;
  for (size_t i = 0; i < cells; i++) t[i] = 60 + 30 * random_float(), power[i] = random_float() / 8;
  CHECK(cudaMalloc(&d[0], bytes));
  CHECK(cudaMalloc(&d[1], bytes));
  CHECK(cudaMalloc(&dpower, bytes));
  CHECK(cudaMemcpy(d[0], t, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dpower, power, bytes, cudaMemcpyHostToDevice));
  dim3 block(16, 8), grid((unsigned)(side + 15) / 16, (unsigned)(side + 7) / 8);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  for (int s = 0; s < steps; s++) {
    heat<<<grid, block>>>(d[s % 2], dpower, d[1 - s % 2], side, 0.1f, 0.12f, 0.01f);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms, *from = t, *to = want, *got = power;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  for (int s = 0; s < steps; s++) {
    heat_host(from, power, to, side, 0.1f, 0.12f, 0.01f);
    float *swap = from;
    from = to;
    to = swap;
  }
  CHECK(cudaMemcpy(got, d[steps % 2], bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (size_t i = 0; i < cells; i++) wrong += !near(got[i], from[i]);
  EXPECT(wrong == 0);
  printf("stencil: %d x %d, %d steps: %.4f ms\n", side, side, steps, (double)ms);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  for (int k = 0; k < 2; k++) CHECK(cudaFree(d[k]));
  CHECK(cudaFree(dpower));
  free(t);
  free(power);
  free(want);
}

__global__ void expand(const int *first, const int *edge, int *level, int now, int nodes, int *more) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= nodes || level[i] != now) return;
  for (int k = first[i]; k < first[i + 1]; k++)
    if (level[edge[k]] < 0) {
      level[edge[k]] = now + 1;
      *more = 1;
    }
}

enum { DEGREE = 4 };

static int search(const int *first, const int *edge, int *level, int nodes) {
  int *dfirst, *dedge, *dlevel, *dmore, more = 1, now = 0;
  size_t bytes = (size_t)nodes * sizeof(int);
  CHECK(cudaMalloc(&dfirst, bytes + sizeof(int)));
  CHECK(cudaMalloc(&dedge, DEGREE * bytes));
  CHECK(cudaMalloc(&dlevel, bytes));
  CHECK(cudaMalloc(&dmore, sizeof(int)));
  CHECK(cudaMemcpy(dfirst, first, bytes + sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dedge, edge, DEGREE * bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dlevel, 0xff, bytes));
  CHECK(cudaMemset(dlevel, 0, sizeof(int)));
  for (; more; now++) {
    CHECK(cudaMemset(dmore, 0, sizeof(int)));
    expand<<<(unsigned)(nodes + 127) / 128, 128>>>(dfirst, dedge, dlevel, now, nodes, dmore);
    CHECK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(level, dlevel, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dfirst));
  CHECK(cudaFree(dedge));
  CHECK(cudaFree(dlevel));
  CHECK(cudaFree(dmore));
  return now;
}

static void graph(int nodes) {
  size_t n = (size_t)nodes;
  int *first = (int *)malloc((n + 1) * sizeof(int)), *edge = (int *)malloc(DEGREE * n * sizeof(int));
  int *level = (int *)malloc(n * sizeof(int)), *want = (int *)malloc(n * sizeof(int)),
      *queue = (int *)malloc(n * sizeof(int));
  for (int i = 0; i <= nodes; i++) first[i] = DEGREE * i;
  for (int i = 0; i < DEGREE * nodes; i++) edge[i] = (int)(random_int() % (unsigned)nodes);
  int levels = search(first, edge, level, nodes), head = 0, tail = 1;
  for (int i = 0; i < nodes; i++) want[i] = -1;
  want[0] = queue[0] = 0;
  while (head < tail) {
    int at = queue[head++];
    for (int k = first[at]; k < first[at + 1]; k++)
      if (want[edge[k]] < 0) {
        want[edge[k]] = want[at] + 1;
        queue[tail++] = edge[k];
      }
  }
  EXPECT(!memcmp(level, want, n * sizeof(int)));
  printf("search: %d of %d nodes, %d launches\n", tail, nodes, levels);
  free(first);
  free(edge);
  free(level);
  free(want);
  free(queue);
}

static void device() {
  int n = 0, now = -1, version = 0, value = 0;
  CHECK(cudaGetDeviceCount(&n));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&now));
  CHECK(cudaRuntimeGetVersion(&version));
  EXPECT(n == 1 && now == 0 && version / 1000 == CUDART_VERSION / 1000);
  cudaDeviceProp p;
  memset(&p, 0, sizeof p);
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(strlen(p.name) > 0 && p.warpSize == 32 && p.maxThreadsPerBlock >= 512 && p.multiProcessorCount >= 1);
  EXPECT(p.totalConstMem == 65536 && p.sharedMemPerBlock >= 16384 && p.regsPerBlock >= 16384 && p.major >= 2);
  EXPECT(p.maxThreadsDim[0] >= 512 && p.maxThreadsDim[2] >= 64 && p.maxGridSize[1] >= 65535);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  EXPECT(value == 32);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT(value == p.maxThreadsPerBlock);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == p.multiProcessorCount);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT(value == p.major);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
  EXPECT(value > 100000);
  size_t unused, total, less;
  CHECK(cudaMemGetInfo(&unused, &total));
  EXPECT(unused <= total && total == p.totalGlobalMem);
  void *room;
  CHECK(cudaMalloc(&room, 1 << 20));
  CHECK(cudaMemGetInfo(&less, &total));
  EXPECT(less <= unused - (1 << 20));
  CHECK(cudaFree(room));
  CHECK(cudaMemGetInfo(&less, &total));
  EXPECT(less == unused);
}

int main(int argc, char **argv) {
  device();
  stencil(argc > 1 ? atoi(argv[1]) : 50, argc > 2 ? atoi(argv[2]) : 6);
  graph(argc > 3 ? atoi(argv[3]) : 1000);
  return done("hotspot");
}

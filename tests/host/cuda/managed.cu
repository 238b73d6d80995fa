// SPDX-License-Identifier: Apache-2.0
// Memory that host and device use by the same pointers: managed buffers and variables, mapped host memory.
#include "common.h"

typedef int sixteen[16];
MANAGED(int, total);
MANAGED(sixteen, histogram);

struct node {
  int value;
  struct node *next;
};

__global__ void walk(const struct node *list, int *sum, int *length) {
  int s = 0, n = 0;
  for (; list; list = list->next) s += list->value, n++;
  *sum = s;
  *length = n;
}

__global__ void count(const int *data, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  atomicAdd(&histogram[data[i] & 15], 1);
  atomicAdd(&total, data[i]);
}

__global__ void append(struct node *pool, struct node **head, int n) {
  for (int i = 0; i < n; i++) {
    pool[i].value = 10 * i;
    pool[i].next = *head;
    *head = &pool[i];
  }
}

static void lists() {
  struct node *pool, **head;
  int *out;
  CHECK(cudaMallocManaged(&pool, 200 * sizeof *pool));
  CHECK(cudaMallocManaged(&out, 2 * sizeof *out));
  CHECK(cudaMallocManaged(&head, sizeof *head));
  int want = 0;
  *head = nullptr;
  for (int i = 0; i < 100; i++) {  // built on the host, every third node of the pool
    struct node *p = &pool[(i * 3) % 100];
    p->value = (i * 3) % 100;
    p->next = *head;
    *head = p;
    want += p->value;
  }
  walk<<<1, 1>>>(*head, out, out + 1);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == want && out[1] == 100);
  append<<<1, 1>>>(pool + 100, head, 50);  // continued on the device, walked on the host
  CHECK(cudaDeviceSynchronize());
  int sum = 0, n = 0;
  for (const struct node *p = *head; p; p = p->next) sum += p->value, n++;
  EXPECT(n == 150 && sum == want + 10 * (50 * 49 / 2));

  CHECK(cudaMemset(out, 0, 2 * sizeof *out));
  EXPECT(out[0] == 0 && out[1] == 0);
  int seven = 7;
  CHECK(cudaMemcpy(out + 1, &seven, sizeof seven, cudaMemcpyDefault));
  EXPECT(out[1] == 7);
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, &pool[3]));
  EXPECT(a.type == cudaMemoryTypeManaged && a.devicePointer == &pool[3] && a.hostPointer == &pool[3]);
  CHECK(cudaFree(pool));
  CHECK(cudaFree(out));
  CHECK(cudaFree(head));
}

static void variables() {
  enum { N = 500 };
  int *data;
  CHECK(cudaMallocManaged(&data, N * sizeof *data));
  managed(total) = 1000;
  int want[16] = {0}, sum = 1000;
  for (int i = 0; i < 16; i++) managed(histogram)[i] = want[i] = i;
  for (int i = 0; i < N; i++) {
    data[i] = (int)(random_int() % 100);
    want[data[i] & 15]++;
    sum += data[i];
  }
  count<<<(N + 127) / 128, 128>>>(data, N);
  CHECK(cudaDeviceSynchronize());
  EXPECT(managed(total) == sum);
  EXPECT(!memcmp(managed(histogram), want, sizeof want));
  CHECK(cudaFree(data));
}

static void mapped() {
  int *host, *device;
  CHECK(cudaHostAlloc(&host, 64 * sizeof *host, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&device, host, 0));
  for (int i = 0; i < 64; i++) host[i] = i;
  managed(total) = 0;
  count<<<1, 64>>>(device, 64);
  CHECK(cudaDeviceSynchronize());
  EXPECT(managed(total) == 64 * 63 / 2);
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, host));
  EXPECT(a.type == cudaMemoryTypeHost);
  int plain;
  CHECK(cudaPointerGetAttributes(&a, &plain));
  EXPECT(a.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFreeHost(host));
}

int main() {
  MANAGED_BEGIN(total);
  MANAGED_BEGIN(histogram);
  lists();
  variables();
  mapped();
  return done("managed");
}

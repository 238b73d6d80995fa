// SPDX-License-Identifier: Apache-2.0
// Graphs: a sum of squares in two kernels, captured over two streams and built node by node, each launched several times, also as a
// clone; and a program that goes on after an error in a capture.
#include "common.h"

enum { THREADS = 128, BLOCKS = 8, N = 2000, LAUNCHES = 3 };

__global__ void square(const float *in, float *part, int n) {
  __shared__ float sum[THREADS];
  float own = 0;
  for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < n; i += THREADS * BLOCKS) own += in[i] * in[i];
  sum[threadIdx.x] = own;
  __syncthreads();
  for (unsigned k = THREADS / 2; k; k /= 2) {
    if (threadIdx.x < k) sum[threadIdx.x] += sum[threadIdx.x + k];
    __syncthreads();
  }
  if (!threadIdx.x) part[blockIdx.x] = sum[0];
}

__global__ void total(const float *part, const int *scale, float *out) {
  float sum = 0;
  for (int i = 0; i < BLOCKS; i++) sum += part[i];
  *out += sum * (float)*scale;
}

static float *in, *din, *part, *out, result;
static int *scale;
static cudaStream_t stream[2];

struct report {
  int calls;
  float sum;
};
static void CUDART_CB add_result(void *user) {
  struct report *r = (struct report *)user;
  r->calls++;
  r->sum += result;
}

static float expected() {
  float sum = 0;
  for (int i = 0; i < N; i++) sum += in[i] * in[i];
  return 2 * sum;
}

static cudaGraphExec_t instantiate(cudaGraph_t g) {
  cudaGraphExec_t x = nullptr;
#if CUDART_VERSION >= 12000
  CHECK(cudaGraphInstantiate(&x, g, 0));
#else
  CHECK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
#endif
  return x;
}

static void launch(cudaGraph_t g, struct report *r) {
  cudaGraphExec_t x = instantiate(g);
  *r = {0, 0};
  for (int i = 0; i < LAUNCHES; i++) {
    for (int k = 0; k < N; k++) in[k] = random_float();
    CHECK(cudaGraphLaunch(x, stream[i % 2]));
    CHECK(cudaStreamSynchronize(stream[i % 2]));
    EXPECT(near(result, expected()));
  }
  EXPECT(r->calls == LAUNCHES);
  CHECK(cudaGraphExecDestroy(x));
}

// The copy of the input and the kernels on one stream, the fills on another one.
static cudaGraph_t capture(struct report *r) {
  cudaGraph_t g = nullptr;
  cudaEvent_t fork, join;
  cudaStreamCaptureStatus status;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream[0]));
  CHECK(cudaStreamWaitEvent(stream[1], fork, 0));
  CHECK(cudaMemcpyAsync(din, in, N * sizeof(float), cudaMemcpyHostToDevice, stream[0]));
  CHECK(cudaMemsetAsync(out, 0, sizeof(float), stream[1]));
  CHECK(cudaMemsetAsync(scale, 0, sizeof(int), stream[1]));
  CHECK(cudaMemsetAsync(scale, 2, 1, stream[1]));
  CHECK(cudaEventRecord(join, stream[1]));
  square<<<BLOCKS, THREADS, 0, stream[0]>>>(din, part, N);
  CHECK(cudaStreamWaitEvent(stream[0], join, 0));
  total<<<1, 1, 0, stream[0]>>>(part, scale, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(&result, out, sizeof(float), cudaMemcpyDeviceToHost, stream[0]));
  CHECK(cudaLaunchHostFunc(stream[0], add_result, r));
  CHECK(cudaStreamIsCapturing(stream[1], &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamEndCapture(stream[0], &g));
  CHECK(cudaStreamIsCapturing(stream[1], &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT(r->calls == 0);
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  return g;
}

// The same, node by node.
static cudaGraph_t build(struct report *r) {
  cudaGraph_t g;
  cudaGraphNode_t copy, set, set_scale, first, second, copy_out, host;
  CHECK(cudaGraphCreate(&g, 0));
  cudaMemcpy3DParms p = {};
  p.srcPtr = {in, N * sizeof(float), N, 1};
  p.dstPtr = {din, N * sizeof(float), N, 1};
  p.extent = {N * sizeof(float), 1, 1};
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaGraphAddMemcpyNode(&copy, g, nullptr, 0, &p));
  cudaMemsetParams m = {};
  m.dst = out;
  m.elementSize = 4;
  m.width = m.height = 1;
  CHECK(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
  m.dst = scale;
  m.value = 2;
  CHECK(cudaGraphAddMemsetNode(&set_scale, g, nullptr, 0, &m));
  cudaKernelNodeParams k = {};
  int n = N;
  void *args[] = {&din, &part, &n}, *second_args[] = {&part, &scale, &out};
  k.func = (void *)square;
  k.gridDim = dim3(BLOCKS);
  k.blockDim = dim3(THREADS);
  k.kernelParams = args;
  CHECK(cudaGraphAddKernelNode(&first, g, &copy, 1, &k));
  n = 0;  // the node has a copy
  k.func = (void *)total;
  k.gridDim = k.blockDim = dim3(1);
  k.kernelParams = second_args;
  cudaGraphNode_t before[] = {set, set_scale};
  CHECK(cudaGraphAddKernelNode(&second, g, before, 2, &k));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(g, &first, &second, nullptr, 1));
#else
  CHECK(cudaGraphAddDependencies(g, &first, &second, 1));
#endif
  p.srcPtr = {out, sizeof(float), 1, 1};
  p.dstPtr = {&result, sizeof(float), 1, 1};
  p.extent = {sizeof(float), 1, 1};
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&copy_out, g, &second, 1, &p));
  cudaHostNodeParams h = {add_result, r};
  CHECK(cudaGraphAddHostNode(&host, g, &copy_out, 1, &h));
  return g;
}

static void compare(cudaGraph_t g, size_t nodes, size_t roots, size_t edges) {
  size_t found = 0;
  CHECK(cudaGraphGetNodes(g, nullptr, &found));
  EXPECT(found == nodes);
  CHECK(cudaGraphGetRootNodes(g, nullptr, &found));
  EXPECT(found == roots);
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &found));
#else
  CHECK(cudaGraphGetEdges(g, nullptr, nullptr, &found));
#endif
  EXPECT(found == edges);
}

// What is not supported in a capture leaves no graph: the launches that follow do nothing but return errors.
static void careless() {
  cudaGraph_t g;
  cudaGraphExec_t x = nullptr;
  float before = -1, after = -1;
  CHECK(cudaMemset(out, 0, sizeof(float)));
  CHECK(cudaMemcpy(&before, out, sizeof before, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeRelaxed));
  total<<<1, 1, 0, stream[0]>>>(part, scale, out);
  EXPECT_ERROR(cudaStreamSynchronize(stream[0]), cudaErrorStreamCaptureUnsupported);
  total<<<1, 1, 0, stream[0]>>>(part, scale, out);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
  EXPECT_ERROR(cudaStreamEndCapture(stream[0], &g), cudaErrorStreamCaptureInvalidated);
  EXPECT(g == nullptr);
#if CUDART_VERSION >= 12000
  EXPECT_ERROR(cudaGraphInstantiate(&x, g, 0), cudaErrorInvalidValue);
#else
  EXPECT_ERROR(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0), cudaErrorInvalidValue);
#endif
  EXPECT_ERROR(cudaGraphLaunch(x, stream[0]), cudaErrorInvalidValue);
  CHECK(cudaMemcpy(&after, out, sizeof after, cudaMemcpyDeviceToHost));
  EXPECT(after == before);
}

int main() {
  struct report captured = {0, 0}, built = {0, 0};
  CHECK(cudaMallocHost(&in, N * sizeof(float)));
  CHECK(cudaMalloc(&din, N * sizeof(float)));
  CHECK(cudaMalloc(&part, BLOCKS * sizeof(float)));
  CHECK(cudaMalloc(&out, sizeof(float)));
  CHECK(cudaMalloc(&scale, sizeof(int)));
  for (int i = 0; i < 2; i++) CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));

  cudaGraph_t a = capture(&captured), b = build(&built), clone;
  compare(a, 8, 2, 7);
  compare(b, 7, 3, 6);
  launch(a, &captured);
  launch(b, &built);
  printf("%d nodes and %d nodes, sums %.2f and %.2f\n", 8, 7, (double)captured.sum, (double)built.sum);
  CHECK(cudaGraphClone(&clone, a));
  CHECK(cudaGraphDestroy(a));
  launch(clone, &captured);
  CHECK(cudaGraphDestroy(b));
  CHECK(cudaGraphDestroy(clone));
  careless();
  return done("graphs");
}

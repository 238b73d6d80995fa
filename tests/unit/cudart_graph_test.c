/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the CUDA runtime: captured from streams and built node by node, executed, and refused with the right errors. */
#include "unit/cudart_program.h"

#include <pthread.h>

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 0;\n"
    /* *p = *p * mul + add */
    ".visible .entry step(.param .u64 p, .param .u32 mul, .param .u32 add) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [p]; ld.param.u32 %r0, [mul]; ld.param.u32 %r1, [add];\n"
    "  ld.global.u32 %r2, [%d]; mad.lo.u32 %r2, %r2, %r0, %r1; st.global.u32 [%d], %r2; ret;\n}\n"
    ".visible .entry fault() {\n  .reg .u64 %p; mov.u64 %p, 0; st.global.u32 [%p], 1; ret;\n}\n"
    ".visible .entry refused() { call unknown_function; ret; }\n";

static struct container container;
static struct wrapper wrapper = {0x466243b1, 1, &container, NULL};
static char step, fault, refused, counter; /* their addresses are the functions' and the variable's */
static void **handle;

static void add_function(const char *host, const char *name) {
  __cudaRegisterFunction(handle, host, (char *)(uintptr_t)host, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static const dim3 one = {1, 1, 1};
static uint32_t *word; /* in device memory */
static cudaStream_t s, t;

static void begin(void) {
  pack(&container, 1, ptx);
  handle = __cudaRegisterFatBinary(&wrapper);
  add_function(&step, "step");
  add_function(&fault, "fault");
  add_function(&refused, "refused");
  __cudaRegisterVar(handle, &counter, &counter, "counter", 0, 4, 0, 0);
  IS(cudaMalloc((void **)&word, 64), cudaSuccess);
  IS(cudaMemset(word, 0, 64), cudaSuccess);
  IS(cudaStreamCreate(&s), cudaSuccess);
  IS(cudaStreamCreateWithFlags(&t, 1), cudaSuccess);
}

static cudaError_t launch(uint32_t *p, uint32_t mul, uint32_t add, cudaStream_t on) {
  void *args[] = {&p, &mul, &add};
  return cudaLaunchKernel(&step, one, one, args, 0, on);
}

static uint32_t value(const uint32_t *p) {
  uint32_t v;
  IS(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost), cudaSuccess);
  return v;
}

static cudaGraphExec_t instantiate(cudaGraph_t g) {
  cudaGraphExec_t x = NULL;
  IS(cudaGraphInstantiate(&x, g, 0), cudaSuccess);
  return x;
}

static size_t nodes(cudaGraph_t g) {
  size_t n = 77;
  IS(cudaGraphGetNodes(g, NULL, &n), cudaSuccess);
  return n;
}

static size_t edges(cudaGraph_t g) {
  size_t n = 77;
  IS(cudaGraphGetEdges(g, NULL, NULL, NULL, &n), cudaSuccess);
  return n;
}

static int called;
static void call(void *user) { called += *(int *)user; }

/* ---- captures ---- */

/* Nothing is executed before the graph is launched; arguments have the values of the capture. */
TEST(replay) {
  begin();
  cudaGraph_t g;
  cudaGraphExec_t x;
  uint32_t in = 5, out = 99, in_symbol = 70, from_symbol = 0;
  int by = 3;
  IS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
  IS(cudaMemcpyAsync(word, &in, 4, cudaMemcpyHostToDevice, s), cudaSuccess);
  for (uint32_t add = 1; add <= 3; add++) IS(launch(word, 10, add, s), cudaSuccess);
  IS(cudaMemsetAsync(word + 1, 0x11, 4, s), cudaSuccess);
  IS(cudaMemset2DAsync(word + 2, 8, 0x22, 4, 2, s), cudaSuccess);
  IS(cudaMemcpy2DAsync(word + 6, 4, word + 1, 8, 4, 2, cudaMemcpyDeviceToDevice, s), cudaSuccess);
  IS(cudaMemcpyToSymbolAsync(&counter, &in_symbol, 4, 0, cudaMemcpyHostToDevice, s), cudaSuccess);
  IS(cudaMemcpyFromSymbolAsync(&from_symbol, &counter, 4, 0, cudaMemcpyDeviceToHost, s), cudaSuccess);
  IS(cudaMemcpyAsync(&out, word, 4, cudaMemcpyDeviceToHost, s), cudaSuccess);
  IS(cudaLaunchHostFunc(s, call, &by), cudaSuccess);
  IS(cudaFree(NULL), cudaSuccess); /* nothing is freed */
  IS(cudaFreeHost(NULL), cudaSuccess);
  CHECK(out == 99 && from_symbol == 0 && called == 0);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess);
  CHECK(value(word) == 0 && value(word + 1) == 0);
  CHECK(nodes(g) == 11 && edges(g) == 10);
  x = instantiate(g);
  IS(cudaGraphDestroy(g), cudaSuccess);
  IS(cudaGraphUpload(x, s), cudaSuccess);
  CHECK(out == 99 && called == 0);
  for (int launches = 1; launches <= 3; launches++) {
    in = (uint32_t)launches; /* of the host's memory, the launch reads */
    IS(cudaGraphLaunch(x, launches == 3 ? NULL : s), cudaSuccess);
    CHECK(out == (uint32_t)launches * 1000 + 123 && called == 3 * launches && from_symbol == 70);
  }
  CHECK(value(word + 1) == 0x11111111 && value(word + 2) == 0x22222222 && value(word + 4) == 0x22222222);
  CHECK(value(word + 3) == 0 && value(word + 6) == 0x11111111 && value(word + 7) == 0);
  IS(cudaGraphExecDestroy(x), cudaSuccess);
  IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
  IS(launch(word, 0, 4, s), cudaSuccess); /* the stream executes again */
  CHECK(value(word) == 4);
}

/* What follows is in the state of a capture that was invalidated, and its end gives no graph. */
static void is_invalid(cudaStream_t on) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t g = (cudaGraph_t)&status;
  IS(cudaStreamIsCapturing(on, &status), cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusInvalidated);
  IS(launch(word, 0, 50, on), cudaErrorStreamCaptureInvalidated);
  IS(cudaStreamEndCapture(on, &g), cudaErrorStreamCaptureInvalidated);
  CHECK(!g);
  cudaGraphExec_t x;
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorInvalidValue);
  IS(cudaStreamIsCapturing(on, &status), cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  CHECK(value(word) == 0);
}

static void start(cudaStream_t on, cudaStreamCaptureMode mode) { IS(cudaStreamBeginCapture(on, mode), cudaSuccess); }

static void count_stream(cudaStream_t on, cudaError_t e, void *user) { (void)on, (void)e, (void)user, called++; }

/* Calls that cannot be recorded. */
TEST(invalidated) {
  begin();
  cudaEvent_t e, captured;
  void *p = NULL, *managed = NULL;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  IS(cudaEventCreate(&e), cudaSuccess);
  IS(cudaEventCreate(&captured), cudaSuccess);
  IS(cudaMallocManaged(&managed, 64, 1), device_is_mapped(rt_device()) ? cudaSuccess : cudaErrorNotSupported);
#define INVALIDATES(call, code)            \
  do {                                     \
    start(t, cudaStreamCaptureModeGlobal); \
    IS(call, code);                        \
    is_invalid(t);                         \
  } while (0)
  const cudaError_t no = cudaErrorStreamCaptureUnsupported;
  INVALIDATES(cudaStreamSynchronize(t), no);
  INVALIDATES(cudaStreamQuery(t), no);
  INVALIDATES(cudaStreamDestroy(t), no);
  INVALIDATES(cudaDeviceSynchronize(), no);
  INVALIDATES(cudaStreamAddCallback(t, count_stream, NULL, 0), no);
  INVALIDATES(cudaMallocAsync(&p, 4, t), no);
  INVALIDATES(cudaFreeAsync(word, t), no);
  INVALIDATES(cudaStreamAttachMemAsync(t, managed, 64, 1), no);
  INVALIDATES(cudaMalloc(&p, 4), no);
  INVALIDATES(cudaFree(word), no);
  INVALIDATES(cudaMallocHost(&p, 4), no);
  INVALIDATES(cudaMemcpy(&mode, word, 4, cudaMemcpyDeviceToHost), no);
  INVALIDATES(cudaMemset(word, 1, 4), no);
  INVALIDATES(cudaUserObjectCreate(NULL, NULL, NULL, 1, 1), cudaErrorNotSupported);
  INVALIDATES(cudaMemcpyAsync(word, (void *)0x123456789a0, 4, cudaMemcpyDeviceToDevice, t), cudaErrorInvalidValue);
  INVALIDATES(cudaMemset2DAsync(word, 4, 1, 8, 2, t), cudaErrorInvalidPitchValue);
  INVALIDATES(cudaMemcpy3DAsync(NULL, t), cudaErrorInvalidValue);
  INVALIDATES(cudaLaunchHostFunc(t, NULL, NULL), cudaErrorInvalidValue);
  INVALIDATES(cudaLaunchKernel(&refused, one, one, NULL, 0, t), cudaErrorNotSupported);
  INVALIDATES(cudaLaunchKernel(&step, (dim3){0, 1, 1}, one, NULL, 0, t), cudaErrorInvalidConfiguration);
  INVALIDATES(cudaLaunchKernel(NULL, one, one, NULL, 0, t), cudaErrorInvalidDeviceFunction);
  INVALIDATES(cudaStreamWaitEvent(t, e, 0), cudaErrorStreamCaptureIsolation);
  INVALIDATES((cudaEventRecord(captured, t), cudaEventQuery(captured)), cudaErrorCapturedEvent);
  INVALIDATES((cudaEventRecord(captured, t), cudaEventSynchronize(captured)), cudaErrorCapturedEvent);
  IS(cudaEventQuery(captured), cudaErrorCapturedEvent); /* still, after the capture */
  IS(cudaStreamWaitEvent(s, captured, 0), cudaErrorCapturedEvent);
  float ms;
  IS(cudaEventElapsedTime(&ms, captured, captured), cudaErrorCapturedEvent);
  IS(cudaEventRecord(captured, t), cudaSuccess); /* until it is recorded again */
  IS(cudaEventQuery(captured), cudaSuccess);
  IS(cudaStreamWaitEvent(s, captured, 0), cudaSuccess);
  CHECK(called == 0);
  CHECK(count("the capture is invalidated") > 8);
  /* a graph in a graph */
  cudaGraph_t g;
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  cudaGraphExec_t x = instantiate(g);
  INVALIDATES(cudaGraphLaunch(x, t), no);
  INVALIDATES(cudaGraphUpload(x, t), no);
  IS(cudaGraphLaunch(x, t), cudaSuccess);
}

/* The default stream waits for captured streams that are not cudaStreamNonBlocking. */
TEST(default_stream) {
  begin();
  cudaStreamCaptureStatus status;
  cudaGraph_t g;
  IS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  IS(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  IS(cudaStreamEndCapture(NULL, &g), cudaErrorIllegalState);
  start(t, cudaStreamCaptureModeRelaxed);
  IS(launch(word, 0, 1, NULL), cudaSuccess);
  IS(cudaMemsetAsync(word, 0, 4, cudaStreamLegacy), cudaSuccess);
  IS(cudaStreamIsCapturing(NULL, &status), cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  CHECK(value(word) == 0);
  IS(cudaStreamEndCapture(t, &g), cudaSuccess);
  start(s, cudaStreamCaptureModeRelaxed);
  IS(cudaStreamIsCapturing(NULL, &status), cudaErrorStreamCaptureImplicit);
  IS(cudaStreamEndCapture(NULL, &g), cudaErrorStreamCaptureImplicit);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess); /* a question does no harm */
#define IMPLICIT(call)                        \
  do {                                        \
    start(s, cudaStreamCaptureModeRelaxed);   \
    IS(call, cudaErrorStreamCaptureImplicit); \
    is_invalid(s);                            \
  } while (0)
  cudaEvent_t e;
  IS(cudaEventCreate(&e), cudaSuccess);
  IMPLICIT(launch(word, 0, 1, NULL));
  IMPLICIT(cudaMemcpy(&status, word, 4, cudaMemcpyDeviceToHost));
  IMPLICIT(cudaStreamSynchronize(NULL));
  IMPLICIT(cudaEventRecord(e, NULL));
  IMPLICIT((cudaEventRecord(e, s), cudaStreamWaitEvent(NULL, e, 0)));
  /* a stream of its own for each thread */
  IS(cudaStreamBeginCapture_ptsz(NULL, cudaStreamCaptureModeRelaxed), cudaSuccess);
  IS(launch(word, 1, 6, cudaStreamPerThread), cudaSuccess);
  IS(cudaStreamEndCapture_ptsz(NULL, &g), cudaSuccess);
  CHECK(nodes(g) == 1 && value(word) == 0);
  IS(cudaGraphLaunch(instantiate(g), cudaStreamPerThread), cudaSuccess);
  CHECK(value(word) == 6);
  /* which its calls without a stream wait for */
  uint32_t copy = 0;
  start(s, cudaStreamCaptureModeRelaxed);
  IS(cudaMemcpy_ptds(&copy, word, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess);
  CHECK(copy == 6);
  IS(cudaStreamBeginCapture_ptsz(NULL, cudaStreamCaptureModeRelaxed), cudaSuccess);
  IS(cudaMemcpy_ptds(&copy, word, 4, cudaMemcpyDeviceToHost), cudaErrorStreamCaptureUnsupported);
  IS(cudaStreamEndCapture_ptsz(NULL, &g), cudaErrorStreamCaptureInvalidated);
  IS(cudaMemset(word, 0, 4), cudaSuccess);
  IMPLICIT(cudaMemcpy(&copy, word, 4, cudaMemcpyDeviceToHost));
}

/* Other streams join by events, and must be joined again. */
TEST(streams_join) {
  begin();
  cudaEvent_t fork_event, join_event;
  cudaGraph_t g, other;
  cudaStream_t u;
  cudaStreamCaptureStatus status;
  IS(cudaEventCreateWithFlags(&fork_event, 2), cudaSuccess);
  IS(cudaEventCreateWithFlags(&join_event, 2), cudaSuccess);
  IS(cudaStreamCreate(&u), cudaSuccess);
  for (int joined = 0; joined < 2; joined++) {
    start(s, cudaStreamCaptureModeGlobal);
    IS(launch(word, 1, 1, s), cudaSuccess);
    IS(cudaEventRecord(fork_event, s), cudaSuccess);
    IS(cudaStreamWaitEvent(t, fork_event, 0), cudaSuccess);
    IS(cudaStreamIsCapturing(t, &status), cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusActive);
    IS(cudaStreamIsCapturing(u, &status), cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusNone);
    IS(launch(word + 1, 1, 10, s), cudaSuccess);
    IS(launch(word + 2, 1, 100, t), cudaSuccess);
    IS(cudaEventRecord(join_event, t), cudaSuccess);
    if (joined) IS(cudaStreamWaitEvent(s, join_event, 0), cudaSuccess);
    if (joined) IS(launch(word, 1, 1, s), cudaSuccess);
    IS(cudaStreamEndCapture(s, &g), joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    CHECK(!g == !joined);
  }
  CHECK(nodes(g) == 4 && edges(g) == 4);
  cudaGraphNode_t list[6], dep[3] = {0};
  size_t n = 6;
  IS(cudaGraphGetNodes(g, list, &n), cudaSuccess);
  CHECK(n == 4 && !list[4] && !list[5]);
  n = 3;
  IS(cudaGraphNodeGetDependencies(list[3], dep, NULL, &n), cudaSuccess);
  CHECK(n == 2 && dep[0] == list[1] && dep[1] == list[2] && !dep[2]);
  n = 3;
  IS(cudaGraphNodeGetDependentNodes(list[0], dep, NULL, &n), cudaSuccess);
  CHECK(n == 2 && dep[0] == list[1] && dep[1] == list[2]);
  IS(cudaGraphLaunch(instantiate(g), t), cudaSuccess);
  CHECK(value(word) == 2 && value(word + 1) == 10 && value(word + 2) == 100);
  IS(cudaMemset(word, 0, 64), cudaSuccess);
  /* only where it began; joined streams leave with it */
  start(s, cudaStreamCaptureModeGlobal);
  IS(cudaEventRecord(fork_event, s), cudaSuccess);
  IS(cudaStreamWaitEvent(t, fork_event, 0), cudaSuccess);
  IS(cudaStreamEndCapture(t, &g), cudaErrorStreamCaptureUnmatched);
  CHECK(!g);
  is_invalid(s);
  IS(launch(word, 1, 0, t), cudaSuccess);
  /* two captures do not become one */
  start(s, cudaStreamCaptureModeGlobal);
  start(t, cudaStreamCaptureModeGlobal);
  IS(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  IS(cudaEventRecord(fork_event, s), cudaSuccess);
  IS(cudaStreamWaitEvent(t, fork_event, 0), cudaErrorStreamCaptureMerge);
  IS(cudaStreamEndCapture(s, &other), cudaErrorStreamCaptureInvalidated);
  is_invalid(t);
  IS(cudaStreamEndCapture(t, &g), cudaErrorIllegalState);
  IS(cudaStreamEndCapture(t, NULL), cudaErrorInvalidValue);
}

TEST(capture_info) {
  begin();
  cudaStreamCaptureStatus status;
  unsigned long long id = 7, second = 0;
  cudaGraph_t g = NULL, same;
  const cudaGraphNode_t *dep = NULL;
  const cudaGraphEdgeData *data = NULL;
  size_t n = 9;
  IS(cudaStreamGetCaptureInfo(s, &status, &id, &g, &dep, &data, &n), cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone && id == 7 && n == 9 && !g);
  IS(cudaStreamGetCaptureInfo(s, NULL, &id, NULL, NULL, NULL, NULL), cudaErrorInvalidValue);
  IS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 1), cudaErrorIllegalState);
  start(s, cudaStreamCaptureModeGlobal);
  IS(launch(word, 1, 1, s), cudaSuccess);
  IS(cudaStreamGetCaptureInfo(s, &status, &id, &g, &dep, &data, &n), cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive && g && n == 1 && data && !data[0].type);
  CHECK(nodes(g) == 1);
  /* a node of the program's own, between those of the stream */
  cudaGraphNode_t node;
  int by = 1;
  const cudaHostNodeParams host = {call, &by};
  IS(cudaGraphAddHostNode(&node, g, dep, n, &host), cudaSuccess);
  IS(cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, 1), cudaSuccess);
  IS(launch(word, 1, 1, s), cudaSuccess);
  IS(cudaStreamEndCapture(s, &same), cudaSuccess);
  CHECK(same == g && nodes(g) == 3 && edges(g) == 2);
  IS(cudaGraphLaunch(instantiate(g), s), cudaSuccess);
  CHECK(value(word) == 2 && called == 1);
  /* into a graph that is there */
  size_t room = 3;
  cudaGraphNode_t list[3];
  IS(cudaGraphGetNodes(g, list, &room), cudaSuccess);
  IS(cudaStreamBeginCaptureToGraph(s, g, &list[2], NULL, 1, cudaStreamCaptureModeGlobal), cudaSuccess);
  IS(launch(word, 2, 0, s), cudaSuccess);
  IS(cudaStreamGetCaptureInfo(s, &status, &second, NULL, NULL, NULL, NULL), cudaSuccess);
  CHECK(second != id);
  IS(cudaStreamEndCapture(s, &same), cudaSuccess);
  CHECK(same == g && nodes(g) == 4 && edges(g) == 3);
  IS(cudaGraphLaunch(instantiate(g), s), cudaSuccess);
  CHECK(value(word) == 8 && called == 2);
  IS(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, cudaStreamCaptureModeGlobal), cudaSuccess);
  IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
  IS(cudaStreamEndCapture(s, &same), cudaErrorStreamCaptureInvalidated);
  cudaGraphExec_t x;
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorNotSupported);
}

/* ---- modes: unsafe calls, here cudaMalloc, and threads ---- */

static cudaStreamCaptureMode of_thread;
static cudaError_t found, ended;
static void *allocate_in_thread(void *unused) {
  (void)unused;
  void *p;
  cudaGraph_t g;
  cudaStreamCaptureMode mode = of_thread;
  IS(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  CHECK(mode == cudaStreamCaptureModeGlobal);
  found = cudaMalloc(&p, 4);
  ended = cudaStreamEndCapture(s, &g);
  return NULL;
}

TEST(modes) {
  begin();
  const cudaStreamCaptureMode all[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                       cudaStreamCaptureModeRelaxed};
  cudaStreamCaptureMode mode;
  cudaGraph_t g;
  void *p;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      bool own = all[i] != cudaStreamCaptureModeRelaxed && all[k] != cudaStreamCaptureModeRelaxed;
      mode = all[k];
      IS(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
      start(s, all[i]);
      IS(cudaMalloc(&p, 4), own ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
      IS(cudaStreamEndCapture(s, &g), own ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
      IS(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
      CHECK(mode == all[k]);
      bool others = all[i] == cudaStreamCaptureModeGlobal && all[k] == cudaStreamCaptureModeGlobal;
      pthread_t thread;
      of_thread = all[k];
      start(s, all[i]);
      CHECK(!pthread_create(&thread, NULL, allocate_in_thread, NULL));
      CHECK(!pthread_join(thread, NULL));
      CHECK(found == (others ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
      if (all[i] == cudaStreamCaptureModeRelaxed) { /* any thread may end it */
        CHECK(ended == cudaSuccess);
        continue;
      }
      CHECK(ended == cudaErrorStreamCaptureWrongThread);
      IS(cudaStreamEndCapture(s, &g), others ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    }
  mode = 3;
  IS(cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
  IS(cudaThreadExchangeStreamCaptureMode(NULL), cudaErrorInvalidValue);
  IS(cudaStreamBeginCapture(s, 3), cudaErrorInvalidValue);
  IS(cudaStreamBeginCapture((cudaStream_t)&mode, 0), cudaErrorInvalidResourceHandle);
  /* cudaDeviceReset ends captures, and graphs */
  start(s, cudaStreamCaptureModeGlobal);
  IS(cudaDeviceReset(), cudaSuccess);
  IS(cudaDeviceSynchronize(), cudaSuccess);
  IS(cudaGraphDestroy(g), cudaErrorInvalidValue);
}

/* ---- node by node ---- */

static cudaGraphNode_t add_step(cudaGraph_t g, const cudaGraphNode_t *dep, size_t n, uint32_t mul, uint32_t add) {
  void *args[] = {&word, &mul, &add};
  const cudaKernelNodeParams p = {&step, one, one, 0, args, NULL};
  cudaGraphNode_t node = NULL;
  IS(cudaGraphAddKernelNode(&node, g, dep, n, &p), cudaSuccess);
  return node;
}

TEST(built) {
  begin();
  cudaGraph_t g;
  uint32_t in = 2, out = 0, symbol = 0;
  int by = 5;
  cudaGraphNode_t copy_in, set, times, plus, copy_out, host, to, from, nothing;
  cudaGraphNodeType type;
  IS(cudaGraphCreate(&g, 1), cudaErrorInvalidValue);
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  /* in another order than that of the dependencies */
  plus = add_step(g, NULL, 0, 1, 1);
  times = add_step(g, NULL, 0, 10, 0);
  IS(cudaGraphAddMemcpyNode1D(&copy_in, g, NULL, 0, word, &in, 4, cudaMemcpyHostToDevice), cudaSuccess);
  const cudaGraphNode_t before[] = {copy_in, times}, after[] = {times, plus};
  IS(cudaGraphAddDependencies(g, before, after, NULL, 2), cudaSuccess);
  IS(cudaGraphAddDependencies(g, before, after, NULL, 1), cudaErrorInvalidValue); /* there already */
  IS(cudaGraphAddDependencies(g, before, before, NULL, 1), cudaErrorInvalidValue);
  const cudaMemsetParams ones = {word + 1, 0, 0xabcd1234, 2, 3, 1}, words = {word + 4, 8, 0xabcd1234, 4, 1, 2},
                         wrong = {word + 4, 8, 0, 3, 1, 2};
  IS(cudaGraphAddMemsetNode(&set, g, NULL, 0, &ones), cudaSuccess);
  IS(cudaGraphAddMemsetNode(&set, g, &set, 1, &words), cudaSuccess);
  IS(cudaGraphAddMemsetNode(&set, g, NULL, 0, &wrong), cudaErrorInvalidValue);
  const cudaMemcpy3DParms p = {
      .srcPtr = {word, 4, 4, 1}, .dstPtr = {&out, 4, 4, 1}, .extent = {4, 1, 1}, .kind = cudaMemcpyDeviceToHost};
  IS(cudaGraphAddEmptyNode(&nothing, g, &plus, 1), cudaSuccess);
  IS(cudaGraphAddMemcpyNode(&copy_out, g, &nothing, 1, &p), cudaSuccess);
  const cudaHostNodeParams h = {call, &by};
  IS(cudaGraphAddHostNode(&host, g, &copy_out, 1, &h), cudaSuccess);
  IS(cudaGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, &counter, &in, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  IS(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, &symbol, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  IS(cudaGraphNodeGetType(copy_in, &type), cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemcpy);
  IS(cudaGraphNodeGetType(plus, &type), cudaSuccess);
  CHECK(type == cudaGraphNodeTypeKernel);
  IS(cudaGraphNodeGetType(set, &type), cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemset);
  IS(cudaGraphNodeGetType(nothing, &type), cudaSuccess);
  CHECK(type == cudaGraphNodeTypeEmpty);
  size_t n = 0;
  IS(cudaGraphGetRootNodes(g, NULL, &n), cudaSuccess);
  CHECK(n == 3 && nodes(g) == 10 && edges(g) == 7);
  cudaGraphNode_t a[7], b[7];
  cudaGraphEdgeData data[7];
  n = 2;
  IS(cudaGraphGetEdges(g, a, b, data, &n), cudaSuccess);
  CHECK(n == 2 && a[0] == times && b[0] == plus && a[1] == copy_in && b[1] == times && !data[1].type);
  cudaGraph_t clone;
  IS(cudaGraphClone(&clone, g), cudaSuccess);
  IS(cudaGraphNodeFindInClone(&a[0], plus, clone), cudaSuccess);
  CHECK(a[0] != plus);
  IS(cudaGraphNodeFindInClone(&a[0], a[0], clone), cudaErrorInvalidValue);
  cudaGraphExec_t x = instantiate(g);
  IS(cudaGraphLaunch(x, s), cudaSuccess);
  CHECK(out == 21 && called == 5 && symbol == 2);
  CHECK(value(word + 1) == 0x12341234 && value(word + 2) == 0x1234 && value(word + 4) == 0xabcd1234 &&
        value(word + 5) == 0 && value(word + 6) == 0xabcd1234);
  /* a change of the graph concerns neither what was made of it nor its clone */
  IS(cudaGraphRemoveDependencies(g, before, after, NULL, 1), cudaSuccess);
  IS(cudaGraphRemoveDependencies(g, before, after, NULL, 1), cudaErrorInvalidValue);
  IS(cudaGraphDestroyNode(times), cudaSuccess);
  IS(cudaGraphDestroyNode(times), cudaErrorInvalidValue);
  CHECK(nodes(g) == 9 && edges(g) == 5 && nodes(clone) == 10 && edges(clone) == 7);
  IS(cudaGraphLaunch(x, s), cudaSuccess);
  CHECK(out == 21);
  cudaGraphExec_t y = instantiate(clone);
  IS(cudaGraphDestroy(clone), cudaSuccess);
  in = 3;
  IS(cudaGraphLaunch(y, s), cudaSuccess);
  CHECK(out == 31);
  /* circles */
  IS(cudaGraphAddDependencies(g, &host, &plus, NULL, 1), cudaSuccess);
  cudaGraphInstantiateParams with = {.flags = 0};
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorInvalidValue);
  IS(cudaGraphInstantiateWithParams(&x, g, &with), cudaErrorInvalidValue);
  CHECK(with.result_out == 2);
  IS(cudaGraphDestroy(g), cudaSuccess);
  IS(cudaGraphDestroy(g), cudaErrorInvalidValue);
}

TEST(any_node) {
  begin();
  cudaGraph_t g;
  cudaEvent_t e, f, found_event;
  uint32_t mul = 1, add = 4, out = 0;
  int by = 1;
  void *args[] = {&word, &mul, &add};
  struct {
    uint64_t p;
    uint32_t mul, add;
  } packed = {(uintptr_t)word, 3, 0};
  size_t bytes = sizeof packed;
  void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
  cudaGraphNodeParams kernel = {.type = cudaGraphNodeTypeKernel, .kernel = {&step, one, one, 0, args, NULL}},
                      packed_kernel = {.type = cudaGraphNodeTypeKernel, .kernel = {&step, one, one, 0, NULL, extra}},
                      host = {.type = cudaGraphNodeTypeHost, .host = {call, &by}},
                      set = {.type = cudaGraphNodeTypeMemset, .memset = {word, 0, 2, 4, 1, 1}},
                      record = {.type = cudaGraphNodeTypeEventRecord}, wait = {.type = cudaGraphNodeTypeWaitEvent},
                      copy = {.type = cudaGraphNodeTypeMemcpy,
                              .memcpy.copyParams = {.srcPtr = {word, 4, 4, 1},
                                                    .dstPtr = {&out, 4, 4, 1},
                                                    .extent = {4, 1, 1},
                                                    .kind = cudaMemcpyDeviceToHost}},
                      empty = {.type = cudaGraphNodeTypeEmpty}, child = {.type = cudaGraphNodeTypeGraph};
  IS(cudaEventCreate(&e), cudaSuccess);
  IS(cudaEventCreate(&f), cudaSuccess);
  record.eventRecord.event = wait.eventWait.event = e;
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  cudaGraphNodeParams *all[] = {&set, &empty, &kernel, &wait, &packed_kernel, &record, &copy, &host};
  cudaGraphNode_t node[8];
  for (int i = 0; i < 8; i++)
    IS(cudaGraphAddNode(&node[i], g, i ? &node[i - 1] : NULL, NULL, i > 0, all[i]), cudaSuccess);
  IS(cudaGraphEventRecordNodeGetEvent(node[5], &found_event), cudaSuccess);
  CHECK(found_event == e);
  IS(cudaGraphEventRecordNodeGetEvent(node[0], &found_event), cudaErrorInvalidValue);
  IS(cudaGraphAddEventRecordNode(&node[0], g, NULL, 0, f), cudaSuccess);
  IS(cudaGraphAddEventWaitNode(&node[0], g, &node[0], 1, (cudaEvent_t)&f), cudaErrorInvalidResourceHandle);
  add = 100; /* too late */
  cudaGraphExec_t x = instantiate(g);
  float ms;
  IS(cudaEventElapsedTime(&ms, f, e), cudaErrorInvalidResourceHandle);
  IS(cudaGraphLaunch(x, s), cudaSuccess);
  CHECK(out == 18 && called == 1);
  IS(cudaEventElapsedTime(&ms, e, f), cudaSuccess);
  packed.mul = 7;
  bytes = 8; /* fewer than the parameters have */
  IS(cudaGraphAddNode(&node[0], g, NULL, NULL, 0, &packed_kernel), cudaErrorInvalidValue);
  const cudaGraphNode_t twice[] = {node[1], node[1]};
  IS(cudaGraphAddNode(&node[0], g, twice, NULL, 2, &empty), cudaErrorInvalidValue);
  IS(cudaGraphAddNode(&node[0], g, NULL, NULL, 1, &empty), cudaErrorInvalidValue);
  IS(cudaGraphLaunch(instantiate(g), s), cudaSuccess);
  IS(cudaGraphAddNode(&node[0], g, NULL, NULL, 0, &child), cudaErrorNotSupported);
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorNotSupported);
}

/* External events: nodes of a capture. */
TEST(external_events) {
  begin();
  enum { EXTERNAL = 1 };
  cudaEvent_t e;
  cudaGraph_t g;
  IS(cudaEventCreate(&e), cudaSuccess);
  IS(cudaEventRecordWithFlags(e, s, EXTERNAL), cudaErrorInvalidValue);
  IS(cudaStreamWaitEvent(s, e, EXTERNAL), cudaErrorInvalidValue);
  start(s, cudaStreamCaptureModeGlobal);
  IS(cudaStreamWaitEvent(s, e, EXTERNAL), cudaSuccess);
  IS(launch(word, 1, 1, s), cudaSuccess);
  IS(cudaEventRecordWithFlags(e, s, EXTERNAL), cudaSuccess);
  IS(cudaEventQuery(e), cudaSuccess);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess);
  CHECK(nodes(g) == 3 && edges(g) == 2);
  IS(cudaGraphLaunch(instantiate(g), s), cudaSuccess);
  float ms;
  IS(cudaEventElapsedTime(&ms, e, e), cudaSuccess);
}

/* ---- what is refused ---- */

TEST(updates) {
  begin();
  cudaGraph_t g, other;
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  cudaGraphNode_t node = add_step(g, NULL, 0, 1, 1), child;
  cudaGraphExec_t x = instantiate(g), y;
  cudaGraphExecUpdateResultInfo info = {.result = 0};
  IS(cudaGraphExecUpdate(x, NULL, &info), cudaErrorInvalidValue);
  CHECK(info.result == 1);
  IS(cudaGraphLaunch(x, s), cudaSuccess);
  IS(cudaGraphExecUpdate(x, g, &info), cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == 6 && !info.errorNode);
  IS(cudaGraphLaunch(x, s), cudaErrorNotSupported);
  CHECK(value(word) == 1);
  x = instantiate(g);
  IS(cudaGraphExecKernelNodeSetParams(x, node, NULL), cudaErrorNotSupported);
  IS(cudaGraphLaunch(x, s), cudaErrorNotSupported);
  CHECK(count("it cannot be launched any more") == 2);
  IS(cudaGraphClone(&other, g), cudaSuccess);
  IS(cudaGraphAddChildGraphNode(&child, other, NULL, 0, g), cudaErrorNotSupported);
  IS(cudaGraphInstantiateWithFlags(&y, other, 0), cudaErrorNotSupported);
  IS(cudaGraphClone(&other, other), cudaSuccess);
  IS(cudaGraphInstantiate(&y, other, 0), cudaErrorNotSupported);
  IS(cudaGraphInstantiate(&y, g, 4), cudaErrorNotSupported); /* launches from the device */
  IS(cudaGraphInstantiate(&y, g, 16), cudaErrorInvalidValue);
  y = instantiate(g);
  IS(cudaGraphKernelNodeSetParams(node, NULL), cudaErrorNotSupported);
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorNotSupported);
  IS(cudaGraphLaunch(y, s), cudaSuccess); /* it was made before */
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  const cudaKernelNodeParams p = {&refused, one, one, 0, NULL, NULL};
  IS(cudaGraphAddKernelNode(&node, g, NULL, 0, &p), cudaErrorNotSupported);
  IS(cudaGraphInstantiate(&x, g, 0), cudaErrorNotSupported);
  unsigned long long flags;
  IS(cudaGraphExecGetFlags(y, &flags), cudaSuccess);
  CHECK(flags == 0);
}

/* Errors of a launch: what is gone meanwhile, and a kernel's fault. */
TEST(wrong_launches) {
  begin();
  cudaGraph_t g;
  void *p;
  IS(cudaMalloc(&p, 4), cudaSuccess);
  start(s, cudaStreamCaptureModeGlobal);
  IS(cudaMemsetAsync(p, 0, 4, s), cudaSuccess);
  IS(launch(word, 1, 1, s), cudaSuccess);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess);
  cudaGraphExec_t x = instantiate(g);
  IS(cudaGraphLaunch(x, s), cudaSuccess);
  IS(cudaFree(p), cudaSuccess);
  IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
  CHECK(count("cudaGraphLaunch: the destination") == 1);
  CHECK(value(word) == 1);
  IS(cudaGraphLaunch(x, (cudaStream_t)&p), cudaErrorInvalidResourceHandle);
  int by = 1;
  start(s, cudaStreamCaptureModeGlobal);
  IS(cudaLaunchKernel(&fault, one, one, NULL, 0, s), cudaSuccess);
  IS(cudaLaunchHostFunc(s, call, &by), cudaSuccess);
  IS(cudaStreamEndCapture(s, &g), cudaSuccess);
  x = instantiate(g);
  IS(cudaGraphLaunch(x, s), cudaSuccess); /* as with a launch */
  IS(cudaStreamSynchronize(s), cudaErrorIllegalAddress);
  CHECK(called == 0);
  IS(cudaDeviceReset(), cudaSuccess);
  IS(cudaGraphLaunch(x, NULL), cudaErrorInvalidValue);
}

/* A host function may destroy the graph that calls it, or end the session. */
static cudaGraphExec_t running;
static void destroy_running(void *reset) {
  called++;
  if (*(bool *)reset) IS(cudaDeviceReset(), cudaSuccess);
  else IS(cudaGraphExecDestroy(running), cudaSuccess);
}

TEST(destroyed_while_running) {
  begin();
  for (int i = 0; i < 2; i++) {
    bool reset = i == 1;
    cudaGraph_t g;
    int by = 10;
    start(s, cudaStreamCaptureModeGlobal);
    IS(cudaLaunchHostFunc(s, destroy_running, &reset), cudaSuccess);
    IS(cudaLaunchHostFunc(s, call, &by), cudaSuccess);
    IS(cudaStreamEndCapture(s, &g), cudaSuccess);
    running = instantiate(g);
    IS(cudaGraphLaunch(running, s), reset ? cudaErrorInvalidResourceHandle : cudaSuccess);
    CHECK(called == (reset ? 12 : 11));
    IS(cudaGraphLaunch(running, NULL), cudaErrorInvalidValue);
  }
}

/* A chain as long as that would end a recursion. */
TEST(long_chain) {
  begin();
  enum { N = 200000 };
  cudaGraph_t g;
  int by = 1;
  const cudaHostNodeParams h = {call, &by};
  IS(cudaGraphCreate(&g, 0), cudaSuccess);
  static cudaGraphNode_t node[N];
  for (int i = 0; i < N; i++) IS(cudaGraphAddHostNode(&node[i], g, NULL, 0, &h), cudaSuccess);
  IS(cudaGraphAddDependencies(g, node + 1, node, NULL, N - 1), cudaSuccess);
  IS(cudaGraphLaunch(instantiate(g), s), cudaSuccess);
  CHECK(called == N);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replay),       cmocka_unit_test(invalidated),    cmocka_unit_test(default_stream),
      cmocka_unit_test(streams_join), cmocka_unit_test(capture_info),   cmocka_unit_test(modes),
      cmocka_unit_test(built),        cmocka_unit_test(any_node),       cmocka_unit_test(external_events),
      cmocka_unit_test(updates),      cmocka_unit_test(wrong_launches), cmocka_unit_test(destroyed_while_running),
      cmocka_unit_test(long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

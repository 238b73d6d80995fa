/* SPDX-License-Identifier: Apache-2.0 */
/* events: user events, callbacks, markers and barriers, a queue out of order, an order that is waited for, threads. */
#include <pthread.h>

#include "common.h"

static const char source[] =
    "__kernel void times_and_plus(__global int *x, int a, int b) { int i = get_global_id(0); x[i] = x[i] * a + b; }\n";

enum { N = 64, THREADS = 4 };

static cl_event step(const struct gpu *g, cl_kernel k, cl_mem X, int a, int b, cl_uint waits, const cl_event *wait) {
  const size_t global = N;
  cl_event e;
  ARG(k, 0, X), ARG(k, 1, a), ARG(k, 2, b);
  OK(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, waits, waits ? wait : NULL, &e));
  return e;
}

static int called[3]; /* how often for CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or an error */
static cl_int last;
static void CL_CALLBACK on_event(cl_event e, cl_int s, void *data) {
  (void)e;
  called[*(const int *)data]++;
  last = s;
}

static void held_back(const struct gpu *g, cl_kernel k) {
  static const int which[] = {0, 1, 2};
  int x[N], wrong = 0;
  const cl_mem X = buffer_of(g, sizeof x, NULL);
  memset(x, 0, sizeof x);
  OK(clEnqueueWriteBuffer(g->queue, X, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
  cl_event gate;
  MADE(gate, clCreateUserEvent(g->context, &status));
  check(event_status(gate) == CL_SUBMITTED, "a user event is submitted");
  const cl_event first = step(g, k, X, 1, 5, 1, &gate), second = step(g, k, X, 10, 1, 1, &first);
  cl_event read;
  OK(clEnqueueReadBuffer(g->queue, X, CL_FALSE, 0, sizeof x, x, 1, &second, &read));
  OK(clSetEventCallback(second, CL_SUBMITTED, on_event, (void *)(uintptr_t)&which[0]));
  OK(clSetEventCallback(second, CL_RUNNING, on_event, (void *)(uintptr_t)&which[1]));
  OK(clSetEventCallback(second, CL_COMPLETE, on_event, (void *)(uintptr_t)&which[2]));
  OK(clFlush(g->queue));
  check(event_status(first) > CL_COMPLETE && event_status(read) > CL_COMPLETE && !x[0] && !called[2],
        "what waits for a user event has not run");
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clWaitForEvents(1, &read));
  for (int i = 0; i < N; i++) wrong += x[i] != 51;
  check(!wrong && event_status(second) == CL_COMPLETE, "then it runs, one after the other");
  OK(clFinish(g->queue));
  for (int i = 0; i < 1000000 && called[2] < 1; i++) OK(clFlush(g->queue)); /* callbacks may come a little later */
  check(called[0] == 1 && called[1] == 1 && called[2] == 1 && last <= CL_COMPLETE, "each callback was called once");
  FAILS(CL_INVALID_OPERATION, "its status set again", clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clReleaseEvent(gate)), OK(clReleaseEvent(first)), OK(clReleaseEvent(second)), OK(clReleaseEvent(read));
  OK(clReleaseMemObject(X));
}

static void failing(const struct gpu *g, cl_kernel k) {
  int x[N], wrong = 0;
  for (int i = 0; i < N; i++) x[i] = i;
  const cl_mem X = buffer_of(g, sizeof x, x);
  cl_event gate;
  MADE(gate, clCreateUserEvent(g->context, &status));
  const cl_event first = step(g, k, X, 0, 0, 1, &gate), second = step(g, k, X, 0, 0, 1, &first);
  OK(clSetUserEventStatus(gate, -77));
  FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "waiting for what cannot run", clWaitForEvents(1, &second));
  check(event_status(gate) == -77 && event_status(first) < 0 && event_status(second) < 0, "the error passes on");
  read_back(g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != i;
  check(!wrong, "nothing of it ran");
  OK(clReleaseEvent(gate)), OK(clReleaseEvent(first)), OK(clReleaseEvent(second)), OK(clReleaseMemObject(X));
}

/* Everything below waits for the gate, so that the order of the queue is the only one. */
static void markers(const struct gpu *g, cl_kernel k) {
  int x[N], y[N], wrong = 0;
  for (int i = 0; i < N; i++) x[i] = y[i] = 1;
  const cl_mem X = buffer_of(g, sizeof x, x), Y = buffer_of(g, sizeof y, y);
  cl_event marker, barrier, one, two;
  one = step(g, k, X, 3, 0, 0, NULL);
  OK(clEnqueueMarkerWithWaitList(g->queue, 1, &one, &marker));
  OK(clEnqueueBarrierWithWaitList(g->queue, 0, NULL, &barrier)); /* of all before; all behind it wait */
  two = step(g, k, X, 1, 4, 0, NULL);
  OK(clEnqueueBarrierWithWaitList(g->queue, 0, NULL, NULL));
  OK(clEnqueueCopyBuffer(g->queue, X, Y, 0, 0, sizeof x, 0, NULL, NULL));
  OK(clFinish(g->queue));
  read_back(g, Y, y, sizeof y);
  for (int i = 0; i < N; i++) wrong += y[i] != 7;
  check(!wrong, "barriers order a queue out of order");
  check(event_status(marker) == CL_COMPLETE && event_status(barrier) == CL_COMPLETE,
        "a marker and a barrier are complete");
  check(profile(one, CL_PROFILING_COMMAND_END) <= profile(two, CL_PROFILING_COMMAND_START),
        "times in the order of the barrier");
  cl_command_type type[2] = {0};
  OK(clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof type[0], &type[0], NULL));
  OK(clGetEventInfo(barrier, CL_EVENT_COMMAND_TYPE, sizeof type[1], &type[1], NULL));
  check(type[0] == CL_COMMAND_MARKER && type[1] == CL_COMMAND_BARRIER, "their types");
  OK(clReleaseEvent(marker)), OK(clReleaseEvent(barrier)), OK(clReleaseEvent(one)), OK(clReleaseEvent(two));
  OK(clReleaseMemObject(X)), OK(clReleaseMemObject(Y));
}

/* Two queues of one context: the second waits for the first by an event. */
static void two_queues(const struct gpu *g, cl_kernel k) {
  struct gpu other = *g;
  int x[N], wrong = 0;
  for (int i = 0; i < N; i++) x[i] = i;
  const cl_mem X = buffer_of(g, sizeof x, x);
  MADE(other.queue, clCreateCommandQueue(g->context, g->device, 0, &status));
  cl_event gate;
  MADE(gate, clCreateUserEvent(g->context, &status));
  const cl_event a = step(g, k, X, 2, 0, 1, &gate), b = step(&other, k, X, 1, 1, 1, &a);
  OK(clFlush(other.queue));
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clWaitForEvents(1, &b));
  cl_ulong ns = 0;
  FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, "profiling of a queue without it",
        clGetEventProfilingInfo(b, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
  FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, "profiling of a user event",
        clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
  read_back(&other, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != 2 * i + 1;
  check(!wrong, "two queues, ordered by an event");
  OK(clReleaseEvent(gate)), OK(clReleaseEvent(a)), OK(clReleaseEvent(b)), OK(clReleaseMemObject(X));
  OK(clReleaseCommandQueue(other.queue));
}

static const struct gpu *shared;
static void *of_a_thread(void *data) {
  struct gpu g = *shared;
  const int number = *(const int *)data;
  int x[N];
  size_t wrong = 0;
  MADE(g.queue, clCreateCommandQueue(g.context, g.device, 0, &status));
  const cl_program p = program_of(&g, source, NULL);
  const cl_kernel k = kernel_of(p, "times_and_plus");
  for (int i = 0; i < N; i++) x[i] = i;
  const cl_mem X = buffer_of(&g, sizeof x, x);
  for (int i = 0; i < 5; i++) OK(clReleaseEvent(step(&g, k, X, 2, number, 0, NULL)));
  read_back(&g, X, x, sizeof x);
  for (int i = 0; i < N; i++) wrong += x[i] != 32 * i + 31 * number;
  OK(clReleaseMemObject(X)), OK(clReleaseKernel(k)), OK(clReleaseProgram(p)), OK(clReleaseCommandQueue(g.queue));
  return (void *)wrong;
}

/* Which thread's launch comes first is not known, so only with the word "threads". */
static void threads(const struct gpu *g) {
  pthread_t t[THREADS];
  int number[THREADS];
  size_t wrong = 0;
  shared = g;
  for (int i = 0; i < THREADS; i++) number[i] = i + 1, wrong += !!pthread_create(&t[i], NULL, of_a_thread, &number[i]);
  for (int i = 0; i < THREADS; i++) {
    void *w = NULL;
    pthread_join(t[i], &w);
    wrong += (size_t)w;
  }
  check(!wrong, "%d threads, each with its own queue and kernel", THREADS);
}

int main(int argc, char **argv) {
  const struct gpu g = gpu_open(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_program p = program_of(&g, source, NULL);
  const cl_kernel k = kernel_of(p, "times_and_plus");
  held_back(&g, k);
  failing(&g, k);
  markers(&g, k);
  two_queues(&g, k);
  if (argc > 1 && !strcmp(argv[1], "threads")) threads(&g);
  OK(clReleaseKernel(k)), OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}

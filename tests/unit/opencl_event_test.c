/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_event: events, user events, commands that wait, callbacks, profiling, markers and barriers, faults, threads. */
#include <pthread.h>

#include "base/claim.h"
#include "host/session/session.h"
#include "unit/opencl_kit.h"

enum { N = 64 };
static uint8_t data[N], out[N];
static cl_mem buffer;
static cl_command_queue out_of_order;

static int make(void **s) {
  make_queue(s);
  cl_int err;
  buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N, counting(data, N), &err);
  OK(err);
  out_of_order = clCreateCommandQueue(context, &cl_device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
  OK(err);
  memset(out, 0xee, N);
  return 0;
}
static int drop(void **s) {
  OK(clReleaseMemObject(buffer));
  OK(clReleaseCommandQueue(out_of_order));
  return drop_queue(s);
}
#define EVENT_TEST(f) cmocka_unit_test_setup_teardown(f, make, drop)

static cl_int status_of(cl_event e) {
  cl_int status = 12345;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}
static cl_event user_event(void) {
  cl_int err;
  cl_event e = clCreateUserEvent(context, &err);
  OK(err);
  return e;
}
static cl_event read_behind(cl_command_queue q, cl_event wait, uint8_t *to, size_t offset) {
  cl_event e = NULL;
  OK(clEnqueueReadBuffer(q, buffer, CL_FALSE, offset, 4, to, wait ? 1 : 0, wait ? &wait : NULL, &e));
  return e;
}
static void release(cl_event e) { OK(clReleaseEvent(e)); }

/* ---- information ---- */

static void information(void **s) {
  (void)s;
  cl_event e = read_behind(queue, NULL, out, 0);
  const struct {
    cl_uint name;
    size_t bytes;
    uint64_t value;
  } all[] = {{CL_EVENT_COMMAND_QUEUE, 8, (uintptr_t)queue},
             {CL_EVENT_CONTEXT, 8, (uintptr_t)context},
             {CL_EVENT_COMMAND_TYPE, 4, CL_COMMAND_READ_BUFFER},
             {CL_EVENT_COMMAND_EXECUTION_STATUS, 4, CL_COMPLETE},
             {CL_EVENT_REFERENCE_COUNT, 4, 1}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    uint64_t value = 0;
    size_t n;
    OK(clGetEventInfo(e, all[i].name, sizeof value, &value, &n));
    assert_int_equal(n, all[i].bytes);
    assert_int_equal(value, all[i].value);
    BAD(CL_INVALID_VALUE, clGetEventInfo(e, all[i].name, n - 1, &value, NULL));
  }
  BAD(CL_INVALID_VALUE, clGetEventInfo(e, 0, 0, NULL, NULL));
  BAD(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_CONTEXT, 0, NULL, NULL));
  OK(clRetainEvent(e));
  release(e);
  release(e);
  BAD(CL_INVALID_EVENT, clGetEventInfo(e, CL_EVENT_CONTEXT, 0, NULL, NULL));
}

static void every_command_has_its_type(void **s) {
  (void)s;
  const size_t at[3] = {0}, to[3] = {8, 0, 0}, box[3] = {4, 1, 1};
  cl_event e[12];
  void *p = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, &e[0], NULL);
  OK(clEnqueueUnmapMemObject(queue, buffer, p, 0, NULL, &e[1]));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, NULL, &e[2]));
  OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, data, 0, NULL, &e[3]));
  OK(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, at, at, box, 0, 0, 0, 0, out, 0, NULL, &e[4]));
  OK(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, at, at, box, 0, 0, 0, 0, data, 0, NULL, &e[5]));
  OK(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 4, 0, NULL, &e[6]));
  OK(clEnqueueCopyBufferRect(queue, buffer, buffer, at, to, box, 0, 0, 0, 0, 0, NULL, &e[7]));
  OK(clEnqueueFillBuffer(queue, buffer, data, 4, 0, 4, 0, NULL, &e[8]));
  OK(clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, NULL, &e[9]));
  OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &e[10]));
  OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &e[11]));
  const cl_command_type types[] = {
      CL_COMMAND_MAP_BUFFER,       CL_COMMAND_UNMAP_MEM_OBJECT,    CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER,
      CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_WRITE_BUFFER_RECT,   CL_COMMAND_COPY_BUFFER, CL_COMMAND_COPY_BUFFER_RECT,
      CL_COMMAND_FILL_BUFFER,      CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_COMMAND_MARKER,      CL_COMMAND_BARRIER};
  for (int i = 0; i < 12; i++) {
    cl_command_type type = 0;
    OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, types[i]);
    assert_int_equal(status_of(e[i]), CL_COMPLETE);
  }
  OK(clWaitForEvents(12, e));
  for (int i = 0; i < 12; i++) release(e[i]);
}

/* ---- user events ---- */

static void commands_wait_for_user_events(void **s) {
  (void)s;
  cl_event u = user_event(), behind, first = read_behind(queue, u, out, 8);
  assert_int_equal(status_of(u), CL_SUBMITTED);
  OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 12, 4, "wxyz", 0, NULL, NULL)); /* in order: waits, too */
  behind = read_behind(queue, NULL, out + 4, 12);
  assert_int_equal(status_of(first), CL_QUEUED);
  assert_int_equal(status_of(behind), CL_QUEUED);
  assert_int_equal(out[0], 0xee);
  assert_int_equal(out[4], 0xee);
  OK(clFlush(queue));
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_int_equal(status_of(first), CL_COMPLETE);
  assert_memory_equal(out, data + 8, 4);
  assert_memory_equal(out + 4, "wxyz", 4);
  OK(clFinish(queue));
  release(u);
  release(first);
  release(behind);
}

static void order_across_queues(void **s) {
  (void)s;
  cl_event u = user_event(), w, r;
  OK(clEnqueueWriteBuffer(out_of_order, buffer, CL_FALSE, 0, 4, "1234", 1, &u, &w));
  r = read_behind(queue, w, out, 0);
  cl_event free_one = read_behind(out_of_order, NULL, out + 8, 8); /* out of order: does not wait */
  assert_int_equal(status_of(free_one), CL_COMPLETE);
  assert_int_equal(status_of(r), CL_QUEUED);
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_memory_equal(out, "1234", 4);
  release(u);
  release(w);
  release(r);
  release(free_one);
}

static void errors_are_passed_on(void **s) {
  (void)s;
  cl_event u = user_event(), a = read_behind(queue, u, out, 0), b = read_behind(queue, a, out + 4, 0),
           c = read_behind(queue, NULL, out + 8, 8);
  OK(clSetUserEventStatus(u, -77));
  assert_int_equal(status_of(u), -77);
  assert_int_equal(status_of(a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(status_of(b), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(status_of(c), CL_COMPLETE); /* behind it, but it did not wait for it */
  assert_int_equal(out[0], 0xee);
  assert_int_equal(out[4], 0xee);
  assert_memory_equal(out + 8, data + 8, 4);
  BAD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &u));
  BAD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &a));
  cl_event none = (cl_event)1;
  BAD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 1, &a, &none));
  assert_null(none);
  cl_event later = read_behind(queue, a, out, 0); /* not blocking: the event says it */
  assert_int_equal(status_of(later), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  OK(clFinish(queue));
  release(u);
  release(a);
  release(b);
  release(c);
  release(later);
}

static void wrong_user_events(void **s) {
  (void)s;
  cl_event u = user_event(), r = read_behind(queue, NULL, out, 0);
  BAD(CL_INVALID_VALUE, clSetUserEventStatus(u, CL_RUNNING));
  BAD(CL_INVALID_VALUE, clSetUserEventStatus(u, CL_QUEUED));
  BAD(CL_INVALID_EVENT, clSetUserEventStatus(r, CL_COMPLETE));
  BAD(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  BAD(CL_INVALID_OPERATION, clSetUserEventStatus(u, CL_COMPLETE));
  BAD(CL_INVALID_OPERATION, clSetUserEventStatus(u, -1));
  BAD_HANDLE(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, &err));
  cl_command_queue q = queue;
  OK(clGetEventInfo(u, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL));
  assert_null(q);
  release(u);
  release(r);
}

static void what_commands_need_is_held(void **s) {
  (void)s;
  cl_event u = user_event();
  cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N, data, NULL);
  cl_command_queue q = clCreateCommandQueue(context, &cl_device, 0, NULL);
  OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, out, 1, &u, NULL));
  OK(clReleaseMemObject(m));
  OK(clReleaseCommandQueue(q));
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_memory_equal(out, data, 4);
  BAD(CL_INVALID_MEM_OBJECT, clRetainMemObject(m));
  BAD(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(q));
  release(u);
}

static void maps_wait(void **s) {
  (void)s;
  cl_event u = user_event(), e;
  cl_int err;
  OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, "late", 1, &u, NULL));
  char *p = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 4, 0, NULL, &e, &err);
  OK(err);
  assert_int_equal(status_of(e), CL_QUEUED);
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_memory_equal(p, "late", 4);
  OK(clEnqueueUnmapMemObject(queue, buffer, p, 0, NULL, NULL));
  release(u);
  release(e);
}

/* ---- lists of events ---- */

static void wrong_lists(void **s) {
  (void)s;
  cl_device_id d = &cl_device;
  cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
  cl_event u = user_event(), foreign = clCreateUserEvent(c, NULL), both[] = {u, foreign}, holes[] = {u, NULL};
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 1, NULL, NULL));
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, &u, NULL));
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 2, holes, NULL));
  BAD(CL_INVALID_CONTEXT, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 1, &foreign, NULL));
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL));
  BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(queue, 0, &u, NULL));
  BAD(CL_INVALID_VALUE, clWaitForEvents(0, &u));
  BAD(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
  BAD(CL_INVALID_EVENT, clWaitForEvents(2, holes));
  BAD(CL_INVALID_CONTEXT, clWaitForEvents(2, both));
  release(u);
  release(foreign);
  OK(clReleaseContext(c));
}

/* ---- markers and barriers ---- */

static void markers_and_barriers(void **s) {
  (void)s;
  cl_event u = user_event(), r = read_behind(out_of_order, u, out, 0), marker, barrier, behind, other;
  OK(clEnqueueMarkerWithWaitList(out_of_order, 0, NULL, &marker)); /* waits for all before it, holds up nothing */
  other = read_behind(out_of_order, NULL, out + 4, 4);
  assert_int_equal(status_of(marker), CL_QUEUED);
  assert_int_equal(status_of(other), CL_COMPLETE);
  OK(clEnqueueBarrierWithWaitList(out_of_order, 0, NULL, &barrier));
  behind = read_behind(out_of_order, NULL, out + 8, 8);
  assert_int_equal(status_of(barrier), CL_QUEUED);
  assert_int_equal(status_of(behind), CL_QUEUED);
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  cl_event all[] = {r, marker, other, barrier, behind};
  OK(clWaitForEvents(5, all));
  assert_memory_equal(out, data, 12);
  for (int i = 0; i < 5; i++) release(all[i]);
  release(u);
}

static void barriers_with_lists(void **s) {
  (void)s;
  cl_event u = user_event(), v = user_event(), r = read_behind(out_of_order, u, out, 0), barrier, behind, marker;
  OK(clEnqueueBarrierWithWaitList(out_of_order, 1, &v, &barrier)); /* waits for v only */
  behind = read_behind(out_of_order, NULL, out + 4, 4);
  OK(clEnqueueMarkerWithWaitList(queue, 1, &v, &marker));
  assert_int_equal(status_of(behind), CL_QUEUED);
  OK(clSetUserEventStatus(v, CL_COMPLETE));
  assert_int_equal(status_of(behind), CL_COMPLETE);
  assert_int_equal(status_of(marker), CL_COMPLETE);
  assert_int_equal(status_of(r), CL_QUEUED);
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  release(u);
  release(v);
  release(r);
  release(barrier);
  release(behind);
  release(marker);
}

static void functions_of_opencl_1_1(void **s) {
  (void)s;
  cl_event u = user_event(), marker, behind, none = NULL;
  OK(clEnqueueWaitForEvents(out_of_order, 1, &u));
  behind = read_behind(out_of_order, NULL, out, 0);
  OK(clEnqueueMarker(out_of_order, &marker));
  OK(clEnqueueBarrier(out_of_order));
  assert_int_equal(status_of(behind), CL_QUEUED);
  assert_int_equal(status_of(marker), CL_QUEUED);
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_int_equal(status_of(marker), CL_COMPLETE);
  BAD(CL_INVALID_VALUE, clEnqueueMarker(queue, NULL));
  BAD(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 0, &u));
  BAD(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 1, NULL));
  BAD(CL_INVALID_EVENT, clEnqueueWaitForEvents(queue, 1, &none));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(NULL, 1, &u));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NULL, &marker));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(NULL));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
  BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL));
  release(u);
  release(marker);
  release(behind);
}

/* ---- callbacks ---- */

static char calls[256];
static void CL_CALLBACK called(cl_event e, cl_int status, void *user) {
  size_t n = strlen(calls);
  snprintf(calls + n, sizeof calls - n, "%s%d ", (char *)user, status);
  OK(clRetainEvent(e)); /* callbacks may call OpenCL */
  OK(clReleaseEvent(e));
}

static void callbacks(void **s) {
  (void)s;
  calls[0] = 0;
  cl_event u = user_event(), r = read_behind(queue, u, out, 0);
  OK(clSetEventCallback(r, CL_COMPLETE, called, "c"));
  OK(clSetEventCallback(r, CL_RUNNING, called, "r"));
  OK(clSetEventCallback(r, CL_SUBMITTED, called, "s"));
  assert_string_equal(calls, "");
  OK(clSetEventCallback(u, CL_SUBMITTED, called, "u")); /* is so already */
  assert_string_equal(calls, "u2 ");
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_string_equal(calls, "u2 s2 r1 c0 ");
  OK(clSetEventCallback(r, CL_COMPLETE, called, "late"));
  assert_string_equal(calls, "u2 s2 r1 c0 late0 ");
  BAD(CL_INVALID_VALUE, clSetEventCallback(r, CL_COMPLETE, NULL, NULL));
  BAD(CL_INVALID_VALUE, clSetEventCallback(r, CL_QUEUED, called, NULL));
  BAD(CL_INVALID_VALUE, clSetEventCallback(r, -5, called, NULL));
  BAD(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, called, NULL));
  release(u);
  release(r);
}

/* A callback that registers itself for the same event is called again after it, not within it. */
static struct { unsigned calls, most, depth, deepest; } again;
static void CL_CALLBACK call_again(cl_event e, cl_int status, void *user) {
  (void)status;
  if (++again.depth > again.deepest) again.deepest = again.depth;
  if (++again.calls < again.most) OK(clSetEventCallback(e, CL_COMPLETE, call_again, user));
  again.depth--;
}
static void callbacks_that_register_themselves(void **s) {
  (void)s;
  cl_event u = user_event();
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  again.most = 50000;
  OK(clSetEventCallback(u, CL_COMPLETE, call_again, NULL));
  assert_int_equal(again.calls, 50000);
  assert_int_equal(again.deepest, 1);
  again.most = UINT32_MAX; /* without end: the program goes on all the same */
  OK(clSetEventCallback(u, CL_COMPLETE, call_again, NULL));
  const unsigned calls_so_far = again.calls;
  OK(clFlush(queue));
  assert_true(again.calls > calls_so_far);
  again.most = 0;
  OK(clFlush(queue));
  release(u);
}

static void callbacks_of_failures(void **s) {
  (void)s;
  calls[0] = 0;
  cl_event u = user_event(), r = read_behind(queue, u, out, 0);
  OK(clSetEventCallback(u, CL_COMPLETE, called, "u"));
  OK(clSetEventCallback(r, CL_RUNNING, called, "r"));
  OK(clSetUserEventStatus(u, -3));
  assert_string_equal(calls, "u-3 r-14 ");
  release(u);
  release(r);
}

static void CL_CALLBACK sets(cl_event e, cl_int status, void *user) {
  (void)e, (void)status;
  OK(clSetUserEventStatus(user, CL_COMPLETE));
}

static void a_callback_completes_another_event(void **s) {
  (void)s;
  cl_event u = user_event(), v = user_event(), a = read_behind(out_of_order, u, out, 0),
           b = read_behind(queue, v, out + 4, 4);
  OK(clSetEventCallback(a, CL_COMPLETE, sets, v));
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  assert_int_equal(status_of(b), CL_COMPLETE);
  release(u);
  release(v);
  release(a);
  release(b);
}

/* ---- threads ---- */

static void *complete_soon(void *event) {
  usleep(20000);
  OK(clSetUserEventStatus(event, CL_COMPLETE));
  return NULL;
}

static void who_waits_is_woken(void **s) {
  (void)s;
  for (int how = 0; how < 4; how++) {
    cl_event u = user_event(), r = read_behind(queue, u, out, 0);
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, complete_soon, u), 0);
    if (how == 0) OK(clWaitForEvents(1, &u));
    else if (how == 1) OK(clWaitForEvents(1, &r));
    else if (how == 2) OK(clFinish(queue));
    else OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 4, out + 4, 0, NULL, NULL));
    assert_int_equal(status_of(u), CL_COMPLETE);
    pthread_join(t, NULL);
    release(u);
    release(r);
  }
  assert_memory_equal(out, data, 8);
}

static void *busy(void *arg) {
  (void)arg;
  for (int i = 0; i < 300; i++) {
    cl_event u = clCreateUserEvent(context, NULL);
    cl_mem m = clCreateBuffer(context, 0, 4096, NULL, NULL);
    uint8_t to[4];
    OK(clEnqueueReadBuffer(out_of_order, m, CL_FALSE, 0, 4, to, 1, &u, NULL));
    OK(clSetUserEventStatus(u, CL_COMPLETE));
    OK(clReleaseMemObject(m));
    OK(clReleaseEvent(u));
  }
  return NULL;
}

static void threads_share_the_driver(void **s) {
  (void)s;
  pthread_t t[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, busy, NULL), 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

/* ---- commands that take time, and fail ---- */

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry good() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n"
    ".visible .entry wild() { .reg .b32 %r<2>; .reg .b64 %rd<2>; mov.u64 %rd1, 536870912; st.global.u32 [%rd1], 1; "
    "ret; }\n";
static struct device_module *module;

static cl_int launch(const char *name) {
  struct err e = {0};
  if (!module) {
    assert_int_equal(device_load(session_device(), "test", ptx, strlen(ptx), &module, &e), DEVICE_OK);
  }
  struct device_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
  enum device_status status = device_launch(session_device(), device_find_kernel(module, name), &l, NULL, &e);
  return status ? cl_device_error(status, &e) : CL_SUCCESS;
}
static cl_int run_good(void *args) { return (void)args, launch("good"); }
static cl_int run_wild(void *args) { return (void)args, launch("wild"); }

static cl_int enqueue(cl_command_queue q, cl_int (*run)(void *), cl_event wait, cl_event *event) {
  API();
  struct command_plan plan = {.type = CL_COMMAND_NDRANGE_KERNEL, .run = run};
  return command_enqueue(q, &plan, wait ? 1 : 0, wait ? &wait : NULL, event);
}

static void profiling(void **s) {
  (void)s;
  cl_event u = user_event(), waits, kernel, r;
  OK(enqueue(queue, run_good, NULL, &kernel));
  r = read_behind(queue, NULL, out, 0);
  cl_ulong t[4], t_read[4];
  const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  for (int i = 0; i < 4; i++) {
    OK(clGetEventProfilingInfo(kernel, names[i], sizeof t[i], &t[i], NULL));
    OK(clGetEventProfilingInfo(r, names[i], sizeof t[i], &t_read[i], NULL));
    if (i) assert_true(t[i - 1] <= t[i]);
    assert_int_equal(t_read[i], device_ns(session_device())); /* a transfer takes no time */
  }
  assert_true(t[3] > t[2] && t[3] == device_ns(session_device()));
  BAD(CL_INVALID_VALUE, clGetEventProfilingInfo(kernel, names[0], 7, &t[0], NULL));
  BAD(CL_INVALID_VALUE, clGetEventProfilingInfo(kernel, 0, 8, &t[0], NULL));
  BAD(CL_INVALID_EVENT, clGetEventProfilingInfo(NULL, names[0], 8, &t[0], NULL));
  BAD(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(u, names[0], 8, &t[0], NULL));
  waits = read_behind(queue, u, out, 0);
  BAD(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(waits, names[0], 8, &t[0], NULL));
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  OK(clGetEventProfilingInfo(waits, names[0], 8, &t[0], NULL));
  cl_event other = read_behind(out_of_order, NULL, out, 0); /* without CL_QUEUE_PROFILING_ENABLE */
  BAD(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(other, names[0], 8, &t[0], NULL));
  release(u);
  release(waits);
  release(kernel);
  release(r);
  release(other);
}

static void a_fault_ends_the_session(void **s) {
  (void)s;
  cl_event u = user_event(), deferred, none = (cl_event)1;
  OK(enqueue(queue, run_good, u, &deferred));
  catch_stderr();
  cl_int err = enqueue(out_of_order, run_wild, NULL, &none);
  const char *text = caught_stderr();
  BAD(CL_OUT_OF_RESOURCES, err);
  assert_null(none);
  assert_non_null(strstr(text, "CL_OUT_OF_RESOURCES"));
  assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
  OK(clSetUserEventStatus(u, CL_COMPLETE));
  BAD(CL_OUT_OF_RESOURCES, status_of(deferred)); /* launches fail from now on */
  BAD(CL_OUT_OF_RESOURCES, clFinish(queue));
  OK(clFinish(queue));                                                       /* reported once */
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, out, 0, NULL, NULL)); /* memory can be read */
  assert_memory_equal(out, data, 4);
  release(u);
  release(deferred);
  unsetenv("REGTWIN_JSON"); /* the next session is to write none */
}

static char json[] = "/tmp/opencl_event_test.XXXXXX";

static void the_next_context_has_a_new_session(void **s) {
  (void)s;
  module = NULL;
  char text[4096] = "";
  FILE *f = fopen(json, "r"); /* the results of the first */
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  assert_non_null(strstr(text, "\"good\""));
  OK(enqueue(queue, run_good, NULL, NULL));
  assert_int_equal(session_device()->history.n, 1);
}

static void files_of_results(void **s) {
  (void)s;
  static const struct {
    const char *json;
    unsigned n;
    const char *path;
  } all[] = {{"out.json", 1, "out.json"}, {"out.json", 2, "out.2.json"},       {"a.b/out", 3, "a.b/out.3"},
             {"./.out", 2, "./.out.2"},   {"a/b.c.json", 12, "a/b.c.12.json"}, {"-", 2, "-"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char path[64];
    claim_name(path, sizeof path, all[i].json, all[i].n);
    assert_string_equal(path, all[i].path);
  }
}

int main(void) {
  close(mkstemp(json));
  setenv("REGTWIN_JSON", json, 1);
  const struct CMUnitTest tests[] = {
      EVENT_TEST(information),
      EVENT_TEST(every_command_has_its_type),
      EVENT_TEST(commands_wait_for_user_events),
      EVENT_TEST(order_across_queues),
      EVENT_TEST(errors_are_passed_on),
      EVENT_TEST(wrong_user_events),
      EVENT_TEST(what_commands_need_is_held),
      EVENT_TEST(maps_wait),
      EVENT_TEST(wrong_lists),
      EVENT_TEST(markers_and_barriers),
      EVENT_TEST(barriers_with_lists),
      EVENT_TEST(functions_of_opencl_1_1),
      EVENT_TEST(callbacks),
      EVENT_TEST(callbacks_that_register_themselves),
      EVENT_TEST(callbacks_of_failures),
      EVENT_TEST(a_callback_completes_another_event),
      EVENT_TEST(who_waits_is_woken),
      EVENT_TEST(threads_share_the_driver),
      EVENT_TEST(profiling),
      EVENT_TEST(a_fault_ends_the_session),
      EVENT_TEST(the_next_context_has_a_new_session),
      cmocka_unit_test(files_of_results),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(json);
  return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_random: random sequences of calls. With handles of any kind, released ones and garbage among them, nothing crashes and nothing is
 * left; and commands that wait for user events give the contents that they give without waiting.
 */
#include "unit/opencl_kit.h"

static uint64_t state;
static uint32_t draw(uint32_t n) { /* 0 to n - 1 */
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

/* ---- any call with any handle ---- */

enum { HANDLES = 48 };
static void *handle[HANDLES]; /* what was created, or released since */
static char memory[1 << 16];
static long garbage[4];

static void *any(void) {
  static void *odd[] = {NULL, garbage, memory, (void *)1, (void *)~7ul, &cl_device, &cl_platform};
  if (draw(12)) return handle[draw(HANDLES)];
  return odd[draw(sizeof odd / sizeof *odd)];
}
/* Mostly one of this kind. */
static void *one(enum object_kind kind) {
  for (int i = 0; i < 40 && draw(16); i++) {
    void *h = handle[draw(HANDLES)];
    if (object_is(h, kind)) return h;
  }
  return any();
}
static void keep(void *h) {
  if (h) handle[draw(HANDLES)] = h; /* what was there is lost, and found by release_all */
}
/* Mostly small, sometimes close to the ends. */
static size_t any_size(void) {
  static const size_t odd[] = {0, SIZE_MAX, SIZE_MAX - 127, (size_t)1 << 32, (size_t)1 << 40, 1 << 20};
  return draw(10) ? draw(5000) : odd[draw(sizeof odd / sizeof *odd)];
}

static void *every_handle[100000];
static unsigned nevery;
static void *note_handle(void *h) {
  assert_true(nevery < 100000);
  if (h) every_handle[nevery++] = h;
  keep(h);
  return h;
}

static void complete_user_events(void) {
  for (unsigned i = 0; i < nevery; i++) {
    cl_event e = every_handle[i];
    if (object_is(e, EVENT) && !e->queue && !event_over(e)) clSetUserEventStatus(e, draw(4) ? CL_COMPLETE : -5);
  }
}

static void any_command(cl_uint n, const cl_event *wait, cl_event *e) {
  size_t box[4][3];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 3; j++) box[i][j] = draw(20) ? draw(9) : any_size();
  bool blocking = !draw(3);
  if (blocking) complete_user_events();
  size_t bytes = draw(8) ? draw(3000) : 0;
  switch (draw(11)) {
    case 0: clEnqueueReadBuffer(one(QUEUE), one(MEM), blocking, any_size(), bytes, memory, n, wait, e); break;
    case 1: clEnqueueWriteBuffer(one(QUEUE), one(MEM), blocking, any_size(), bytes, memory, n, wait, e); break;
    case 2: clEnqueueCopyBuffer(one(QUEUE), one(MEM), one(MEM), any_size(), any_size(), any_size(), n, wait, e); break;
    case 3: clEnqueueFillBuffer(one(QUEUE), one(MEM), memory, 1u << draw(8), any_size(), any_size(), n, wait, e); break;
    case 4:
      for (int j = 0; j < 3; j++) box[1][j] = draw(9), box[2][j] = draw(9);
      clEnqueueReadBufferRect(one(QUEUE), one(MEM), blocking, box[0], box[1], box[2], draw(40), draw(400), draw(20),
                              draw(200), memory, n, wait, e);
      break;
    case 5:
      clEnqueueCopyBufferRect(one(QUEUE), one(MEM), one(MEM), box[0], box[1], box[2], draw(40), draw(400), draw(40),
                              draw(400), n, wait, e);
      break;
    case 6: {
      void *p = clEnqueueMapBuffer(one(QUEUE), one(MEM), blocking, draw(8), any_size(), any_size(), n, wait, e, NULL);
      if (p && draw(2)) clEnqueueUnmapMemObject(one(QUEUE), one(MEM), p, 0, NULL, NULL);
      break;
    }
    case 7: clEnqueueUnmapMemObject(one(QUEUE), one(MEM), any(), n, wait, e); break;
    case 8: clEnqueueMarkerWithWaitList(one(QUEUE), n, wait, e); break;
    case 9: clEnqueueBarrierWithWaitList(one(QUEUE), n, wait, e); break;
    default: clEnqueueMigrateMemObjects(one(QUEUE), 1, (cl_mem[]){one(MEM)}, draw(3), n, wait, e);
  }
}

static void any_enqueue(void) {
  cl_event wait[3] = {one(EVENT), one(EVENT), one(EVENT)}, e = NULL;
  cl_uint n = draw(4) ? 0 : draw(4);
  bool takes = draw(2);
  any_command(n, n || !draw(20) ? wait : NULL, takes ? &e : NULL);
  note_handle(e);
}

static void any_call(void) {
  char value[256];
  size_t n;
  cl_int err;
  cl_buffer_region region = {draw(4) ? draw(30) * 128 : any_size(), any_size()};
  cl_device_id device = draw(10) ? &cl_device : any();
  switch (draw(22)) {
    case 0: note_handle(clCreateContext(NULL, 1, &device, NULL, NULL, &err)); break;
    case 1: note_handle(clCreateCommandQueue(one(CONTEXT), device, draw(5), &err)); break;
    case 2:
    case 3: note_handle(clCreateBuffer(one(CONTEXT), 1u << draw(3), any_size(), NULL, &err)); break;
    case 4: note_handle(clCreateSubBuffer(one(MEM), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL)); break;
    case 5: note_handle(clCreateUserEvent(one(CONTEXT), &err)); break;
    case 6: clSetUserEventStatus(one(EVENT), draw(3) ? CL_COMPLETE : -(cl_int)draw(9)); break;
    case 7: clReleaseMemObject(one(MEM)); break;
    case 8: clReleaseEvent(one(EVENT)); break;
    case 9:
      if (!draw(3)) clReleaseCommandQueue(one(QUEUE));
      break;
    case 10:
      if (!draw(6)) clReleaseContext(one(CONTEXT));
      break;
    case 11: clRetainEvent(one(EVENT)), clRetainMemObject(one(MEM)), clRetainCommandQueue(one(QUEUE)); break;
    case 12: clGetMemObjectInfo(one(MEM), CL_MEM_TYPE + draw(12), draw(9), value, &n); break;
    case 13: clGetEventInfo(one(EVENT), CL_EVENT_COMMAND_QUEUE + draw(7), draw(9), value, &n); break;
    case 14: clGetCommandQueueInfo(one(QUEUE), CL_QUEUE_CONTEXT + draw(6), draw(9), value, &n); break;
    case 15: clGetContextInfo(one(CONTEXT), CL_CONTEXT_REFERENCE_COUNT + draw(6), draw(9), value, &n); break;
    case 16: clGetEventProfilingInfo(one(EVENT), CL_PROFILING_COMMAND_QUEUED + draw(5), draw(9), value, &n); break;
    case 17:
      complete_user_events();
      clWaitForEvents(1, (cl_event[]){one(EVENT)});
      clFinish(one(QUEUE));
      break;
    default: any_enqueue();
  }
}

static void release_all(void) {
  complete_user_events();
  for (unsigned i = 0; i < nevery; i++) {
    void *h = every_handle[i];
    while (object_is(h, EVENT) && ((struct object *)h)->refs) clReleaseEvent(h);
    while (object_is(h, QUEUE) && ((struct object *)h)->refs) clReleaseCommandQueue(h);
    while (object_is(h, MEM) && ((struct object *)h)->refs) clReleaseMemObject(h);
    while (object_is(h, CONTEXT) && ((struct object *)h)->refs) clReleaseContext(h);
  }
}

static void no_sequence_of_calls_crashes(void **s) {
  (void)s;
  unsigned made = 0;
  for (unsigned round = 0; round < 150; round++) {
    state = round;
    nevery = 0;
    memset(handle, 0, sizeof handle);
    catch_stderr();
    cl_device_id d = &cl_device;
    cl_context c = note_handle(clCreateContext(NULL, 1, &d, NULL, NULL, NULL));
    for (int i = 0; i < 3; i++) {
      handle[i] = c;
      note_handle(handle[3 + i] = clCreateCommandQueue(c, d, (cl_command_queue_properties)i, NULL));
      note_handle(handle[6 + i] = clCreateBuffer(c, 0, 4096, NULL, NULL));
    }
    for (int i = 0; i < 400; i++) any_call();
    made += nevery;
    release_all();
    caught_stderr();
    for (enum object_kind k = CONTEXT; k < OBJECT_KINDS; k++)
      if (object_count(k))
        fail_msg("seed %u: found %u objects of kind %d at the end, expected 0", round, object_count(k), k);
  }
  assert_true(made > 150 * 60); /* most calls are right ones */
}

/* ---- the same contents with and without waiting ---- */

enum { BYTES = 1024, COMMANDS = 60 };

/* One command on the buffer, and on its copy by plain C. */
static void random_change(cl_mem m, uint8_t *plain, uint8_t *host, cl_uint n, const cl_event *wait, cl_event *e) {
  size_t at = draw(BYTES - 64), to = (at + 64 + draw(BYTES - 128)) % (BYTES - 64), bytes = 1 + draw(64);
  switch (draw(3)) {
    case 0:
      for (size_t i = 0; i < bytes; i++) plain[at + i] = host[i] = (uint8_t)draw(256);
      OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, at, bytes, host, n, wait, e));
      break;
    case 1:
      if (at < to + bytes && to < at + bytes) to = at < BYTES / 2 ? at + bytes : at - bytes;
      memmove(plain + to, plain + at, bytes);
      OK(clEnqueueCopyBuffer(queue, m, m, at, to, bytes, n, wait, e));
      break;
    default:
      at = at / 8 * 8, host[0] = (uint8_t)draw(256), host[1] = 7;
      for (size_t i = 0; i < 16; i++) plain[at + i] = host[i % 2];
      OK(clEnqueueFillBuffer(queue, m, host, 2, at, 16, n, wait, e));
  }
}

static void waiting_changes_no_contents(void **s) {
  (void)s;
  static uint8_t plain[BYTES], host[COMMANDS][64], out[BYTES];
  for (unsigned round = 0; round < 100; round++) {
    state = round;
    memset(plain, 0, BYTES);
    cl_mem m = clCreateBuffer(context, 0, BYTES, NULL, NULL);
    cl_event user[COMMANDS], done[COMMANDS];
    unsigned nuser = 0;
    for (int i = 0; i < COMMANDS; i++) {
      cl_event wait[2];
      cl_uint n = 0;
      if (!draw(6)) wait[n++] = user[nuser++] = clCreateUserEvent(context, NULL);
      if (i && draw(2)) wait[n++] = done[draw((uint32_t)i)];
      random_change(m, plain, host[i], n, n ? wait : NULL, &done[i]);
    }
    while (nuser) { /* in any order */
      unsigned i = draw(nuser);
      OK(clSetUserEventStatus(user[i], CL_COMPLETE));
      OK(clReleaseEvent(user[i]));
      user[i] = user[--nuser];
    }
    OK(clWaitForEvents(COMMANDS, done));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, BYTES, out, 0, NULL, NULL));
    assert_memory_equal(out, plain, BYTES);
    for (int i = 0; i < COMMANDS; i++) OK(clReleaseEvent(done[i]));
    OK(clReleaseMemObject(m));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_sequence_of_calls_crashes),
      TEST(waiting_changes_no_contents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

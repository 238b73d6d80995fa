/* SPDX-License-Identifier: Apache-2.0 */
/* event: status, callbacks and profiling of commands; user events (sections 5.9 to 5.12). */
#include <stdlib.h>

#include "host/opencl/cl.h"

static void event_destroy(void *object) {
  cl_event e = object;
  free(e->callbacks);
  object_drop(e->queue);
  object_drop(e->context);
}

cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type) {
  cl_event e = object_new(EVENT, sizeof *e, event_destroy);
  if (!e) return NULL;
  e->context = object_hold(c);
  e->queue = object_hold(q);
  e->type = type;
  e->status = CL_QUEUED;
  e->profiled = q && q->properties & CL_QUEUE_PROFILING_ENABLE;
  return e;
}

/* ---- callbacks ---- */

struct call {
  struct callback callback;
  cl_event event; /* held */
  cl_int status;
};

static void call_now(void *arg) {
  struct call *c = arg;
  c->callback.notify(c->event, c->status, c->callback.user);
  api_enter("clSetEventCallback");
  object_drop(c->event);
  api_leave(NULL);
  free(c);
}

/* The status that was waited for, or the error that ended the command. */
static void call_later(cl_event e, const struct callback *callback) {
  struct call *c = xmalloc(sizeof *c);
  *c = (struct call){*callback, object_hold(e), e->status < 0 ? e->status : callback->type};
  api_later(call_now, c);
}

void event_set(cl_event e, cl_int status) {
  e->status = status;
  unsigned kept = 0;
  for (unsigned i = 0; i < e->ncallbacks; i++) {
    if (status <= e->callbacks[i].type) call_later(e, &e->callbacks[i]);
    else e->callbacks[kept++] = e->callbacks[i];
  }
  e->ncallbacks = kept;
  api_wake();
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type,
                                      void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *user),
                                      void *user) {
  API();
  cl_int bad = object_check(event, EVENT);
  if (bad) return bad;
  if (!notify) return cl_error(CL_INVALID_VALUE, "found no function, expected one");
  if (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE)
    return cl_error(CL_INVALID_VALUE, "found type %d, expected CL_SUBMITTED, CL_RUNNING or CL_COMPLETE", type);
  struct callback c = {type, notify, user};
  if (event->status <= type) call_later(event, &c);
  else VEC_PUSH(event->callbacks, event->ncallbacks, event->cap_callbacks) = c;
  return CL_SUCCESS;
}

/* ---- user events ---- */

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  cl_result(errcode_ret, bad);
  if (bad) return NULL;
  cl_event e = event_new(context, NULL, CL_COMMAND_USER);
  if (!e) return FAIL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "found no memory for an event");
  e->status = CL_SUBMITTED;
  return e;
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
  API();
  cl_int bad = object_check(event, EVENT);
  if (bad) return bad;
  if (event->queue) return cl_error(CL_INVALID_EVENT, "found the event of a command, expected a user event");
  if (status > CL_COMPLETE)
    return cl_error(CL_INVALID_VALUE, "found status %d, expected CL_COMPLETE or a negative number", status);
  if (event_over(event)) return cl_error(CL_INVALID_OPERATION, "found an event whose status was set before");
  event_set(event, status);
  command_resume();
  return CL_SUCCESS;
}

/* ---- waiting, references, information ---- */

cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *list) {
  API();
  if (!n || !list) return cl_error(CL_INVALID_VALUE, "found no events, expected one at least");
  for (cl_uint i = 0; i < n; i++) {
    cl_int bad = object_check(list[i], EVENT);
    if (bad) return bad;
    if (list[i]->context != list[0]->context)
      return cl_error(CL_INVALID_CONTEXT, "found events of two contexts, expected those of one");
  }
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < n; i++) object_hold(list[i]);
  for (cl_uint i = 0; i < n; i++) {
    while (!event_over(list[i])) api_sleep();
    if (list[i]->status < 0) status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  for (cl_uint i = 0; i < n; i++) object_drop(list[i]);
  return status;
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  API();
  return object_retain(event, EVENT);
}

cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  API();
  return object_release(event, EVENT);
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
                                  size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(event, EVENT);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE: return INFO(o, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: return INFO(o, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: return INFO(o, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return INFO(o, cl_int, event->status);
    case CL_EVENT_REFERENCE_COUNT: return INFO(o, cl_uint, event->o.refs);
    default: return info_unknown(o);
  }
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size,
                                           void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(event, EVENT);
  if (bad) return bad;
  if (!event->profiled)
    return cl_error(CL_PROFILING_INFO_NOT_AVAILABLE,
                    "found %s, expected that of a queue with CL_QUEUE_PROFILING_ENABLE",
                    event->queue ? "an event of a queue without profiling" : "a user event");
  if (event->status != CL_COMPLETE)
    return cl_error(CL_PROFILING_INFO_NOT_AVAILABLE, "found a command that has not completed (status %d)",
                    event->status);
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_PROFILING_COMMAND_QUEUED: return INFO(o, cl_ulong, event->queued);
    case CL_PROFILING_COMMAND_SUBMIT: return INFO(o, cl_ulong, event->submit);
    case CL_PROFILING_COMMAND_START: return INFO(o, cl_ulong, event->start);
    case CL_PROFILING_COMMAND_END: return INFO(o, cl_ulong, event->end);
    default: return info_unknown(o);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command: queues perform a command within its clEnqueue* call, or, when it has to wait for a user event, in the call that completes the
 * last event that it waits for. Commands that wait are in one list, in the order in which they were enqueued.
 */
#include <stdlib.h>

#include "host/opencl/cl.h"

struct command {
  struct command_plan plan;
  cl_event event; /* held */
  cl_event *wait; /* held */
  cl_uint nwait;
  struct command *next;
};

static struct command *waiting, **last = &waiting; /* last: where the next one is put */

static cl_int check_wait(cl_command_queue q, cl_uint n, const cl_event *wait) {
  if (!n != !wait)
    return cl_error(CL_INVALID_EVENT_WAIT_LIST, "found %u events and %s, expected a list and its length, or neither", n,
                    wait ? "a list" : "no list");
  for (cl_uint i = 0; i < n; i++) {
    if (!object_is(wait[i], EVENT))
      return cl_error(CL_INVALID_EVENT_WAIT_LIST, "found no event at place %u of the list of events", i);
    if (wait[i]->context != q->context)
      return cl_error(CL_INVALID_CONTEXT, "found an event of another context than the queue's at place %u of the list",
                      i);
  }
  return CL_SUCCESS;
}

static bool command_is_ready(const struct command *c) {
  for (cl_uint i = 0; i < c->nwait; i++)
    if (!event_over(c->wait[i])) return false;
  cl_command_queue q = c->event->queue;
  bool in_order = !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const struct command *b = waiting; b && b != c; b = b->next)
    if (b->event->queue == q && (in_order || b->plan.fence || (c->plan.barrier && !c->nwait))) return false;
  return true;
}

static cl_int status_of_wait(const struct command *c) {
  for (cl_uint i = 0; i < c->nwait; i++)
    if (c->wait[i]->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return CL_SUCCESS;
}

static void end_command(struct command *c) {
  if (c->plan.end) c->plan.end(c->plan.args);
  free(c->plan.args);
  for (int i = 0; i < 2; i++) object_drop(c->plan.mem[i]);
  for (cl_uint i = 0; i < c->nwait; i++) object_drop(c->wait[i]);
  free(c->wait);
  object_drop(c->event);
  free(c);
}

static cl_ulong command_now(void) {
  struct device *d = session_device();
  return d ? device_ns(d) : 0;
}

/* Its status. */
static cl_int command_perform(struct command *c) {
  cl_event e = c->event;
  cl_int status = status_of_wait(c);
  e->submit = e->start = e->end = command_now();
  if (!status) {
    event_set(e, CL_SUBMITTED);
    event_set(e, CL_RUNNING);
    if (c->plan.run) status = c->plan.run(c->plan.args);
    e->end = command_now();
  }
  event_set(e, status ? status : CL_COMPLETE);
  return status;
}

/* Performs what is ready, from the front again after each command, since `run` may make others ready. */
void command_resume(void) {
  static bool busy;
  if (busy) return;
  busy = true;
  for (struct command **at = &waiting; *at;) {
    struct command *c = *at;
    if (!command_is_ready(c)) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    if (last == &c->next) last = at;
    cl_int status = command_perform(c);
    cl_command_queue q = c->event->queue;
    if (status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && !q->failed) q->failed = status;
    end_command(c);
    at = &waiting;
  }
  busy = false;
}

static bool waits_in(cl_command_queue q) {
  for (const struct command *c = waiting; c; c = c->next)
    if (c->event->queue == q) return true;
  return false;
}

void command_finish(cl_command_queue q) {
  while (waits_in(q)) api_sleep();
}

static struct command *command_new(const struct command_plan *plan, cl_event event, cl_uint n, const cl_event *wait) {
  struct command *c = xcalloc(1, sizeof *c);
  *c = (struct command){.plan = *plan, .event = event, .nwait = n, .wait = xmalloc(n * sizeof *wait)};
  for (int i = 0; i < 2; i++) object_hold(plan->mem[i]);
  for (cl_uint i = 0; i < n; i++) c->wait[i] = object_hold(wait[i]);
  return c;
}

static void command_append(struct command *c) {
  *last = c;
  last = &c->next;
}

/* Frees what the command would have freed. */
static cl_int not_enqueued(const struct command_plan *plan, cl_event *event, cl_int code) {
  if (plan->end) plan->end(plan->args);
  free(plan->args);
  if (event) *event = NULL;
  return code;
}

cl_int command_enqueue(cl_command_queue q, const struct command_plan *plan, cl_uint n, const cl_event *wait,
                       cl_event *event) {
  cl_int bad = check_wait(q, n, wait);
  if (bad) return not_enqueued(plan, event, bad);
  cl_event e = event_new(q->context, q, plan->type);
  if (!e) return not_enqueued(plan, event, cl_error(CL_OUT_OF_HOST_MEMORY, "found no memory for an event"));
  e->queued = command_now();
  struct command *c = command_new(plan, object_hold(e), n, wait);
  cl_int status = CL_SUCCESS;
  if (command_is_ready(c)) {
    status = command_perform(c);
    bool waited_for_failure = status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    end_command(c);
    if (waited_for_failure && !plan->blocking) status = CL_SUCCESS; /* the event says it */
  } else {
    command_append(c);
    if (plan->blocking) {
      object_hold(q);
      while (!event_over(e)) api_sleep();
      status = e->status;
      object_drop(q);
    }
  }
  if (event) *event = status ? NULL : e;
  if (!event || status) object_release(e, EVENT);
  return status;
}

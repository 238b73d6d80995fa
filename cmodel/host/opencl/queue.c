/* SPDX-License-Identifier: Apache-2.0 */
/* queue: command queues; markers and barriers (sections 5.1, 5.10, 5.13). */
#include "host/opencl/cl.h"

static const cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

static void queue_destroy(void *object) {
  cl_command_queue q = object;
  object_drop(q->context);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *errcode_ret) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  if (!bad) bad = object_check(device, DEVICE);
  if (!bad && properties & ~known)
    bad = cl_error(CL_INVALID_VALUE, "found properties 0x%llx, expected out-of-order execution, profiling or 0",
                   (unsigned long long)properties);
  cl_result(errcode_ret, bad);
  if (bad) return NULL;
  cl_command_queue q = object_new(QUEUE, sizeof *q, queue_destroy);
  if (!q) return FAIL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "found no memory for a command queue");
  q->context = object_hold(context);
  q->properties = properties;
  return q;
}

/* Of OpenCL 2.0, which programs with newer headers call: a list of names and values that ends with 0. */
cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties *list, cl_int *errcode_ret) {
  API();
  cl_command_queue_properties properties = 0;
  for (const cl_queue_properties *p = list; p && *p; p += 2) {
    if (*p != CL_QUEUE_PROPERTIES)
      return FAIL(errcode_ret, CL_INVALID_VALUE, "found the property 0x%llx, expected CL_QUEUE_PROPERTIES",
                  (unsigned long long)*p);
    properties = p[1];
  }
  if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
    return FAIL(errcode_ret, CL_INVALID_QUEUE_PROPERTIES, "found a queue on the device, expected one of the host");
  return clCreateCommandQueue(context, device, properties, errcode_ret);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  API();
  return object_retain(queue, QUEUE);
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  API();
  return object_release(queue, QUEUE);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
                                         size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_QUEUE_CONTEXT: return INFO(o, cl_context, queue->context);
    case CL_QUEUE_DEVICE: return INFO(o, cl_device_id, &cl_device);
    case CL_QUEUE_REFERENCE_COUNT: return INFO(o, cl_uint, queue->o.refs);
    case CL_QUEUE_PROPERTIES: return INFO(o, cl_command_queue_properties, queue->properties);
    default: return info_unknown(o);
  }
}

/* Of OpenCL 1.0; what waits in an out-of-order queue would be wrong in an in-order one, so that it is waited for. */
cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                             cl_bool enable, cl_command_queue_properties *old) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (bad) return bad;
  if (properties & ~known)
    return cl_error(CL_INVALID_VALUE, "found properties 0x%llx, expected out-of-order execution, profiling or 0",
                    (unsigned long long)properties);
  object_hold(queue);
  command_finish(queue);
  if (old) *old = queue->properties;
  if (enable) queue->properties |= properties;
  else queue->properties &= ~properties;
  object_drop(queue);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  API();
  return object_check(queue, QUEUE);
}

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (bad) return bad;
  object_hold(queue);
  command_finish(queue);
  cl_int failed = queue->failed;
  queue->failed = CL_SUCCESS;
  object_drop(queue);
  return failed;
}

/* ---- markers and barriers ---- */

static const struct command_plan marker = {.type = CL_COMMAND_MARKER, .barrier = true};
static const struct command_plan barrier = {.type = CL_COMMAND_BARRIER, .barrier = true, .fence = true};

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait,
                                               cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  return bad ? bad : command_enqueue(queue, &marker, n, wait, event);
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *wait,
                                                cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  return bad ? bad : command_enqueue(queue, &barrier, n, wait, event);
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (!bad && !event) bad = cl_error(CL_INVALID_VALUE, "found no place for the event, expected one");
  return bad ? bad : command_enqueue(queue, &marker, 0, NULL, event);
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  return bad ? bad : command_enqueue(queue, &barrier, 0, NULL, NULL);
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint n, const cl_event *list) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (bad) return bad;
  if (!n || !list) return cl_error(CL_INVALID_VALUE, "found no events, expected one at least");
  for (cl_uint i = 0; i < n; i++) {
    bad = object_check(list[i], EVENT);
    if (bad) return bad;
  }
  return command_enqueue(queue, &barrier, n, list, NULL);
}

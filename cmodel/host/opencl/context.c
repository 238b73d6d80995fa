/* SPDX-License-Identifier: Apache-2.0 */
/* context: contexts (section 4.4). */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/cl.h"

static void context_destroy(void *object) {
  cl_context c = object;
  free(c->properties);
}

/* ---- what the notify function is told ---- */

struct told {
  void(CL_CALLBACK *notify)(const char *text, const void *info, size_t n, void *user);
  void *user;
  char text[];
};

static void tell_now(void *arg) {
  struct told *t = arg;
  t->notify(t->text, NULL, 0, t->user);
  free(t);
}

void context_notify(cl_context c, const char *text) {
  if (!c->notify) return;
  size_t n = strlen(text) + 1;
  struct told *t = xmalloc(sizeof *t + n);
  t->notify = c->notify;
  t->user = c->user;
  memcpy(t->text, text, n);
  api_later(tell_now, t);
}

/* ---- creation ---- */

static cl_int check_property(cl_context_properties name, cl_context_properties value) {
  if (name == CL_CONTEXT_PLATFORM) return object_check((const void *)value, PLATFORM);
  if (name != CL_CONTEXT_INTEROP_USER_SYNC)
    return cl_error(CL_INVALID_PROPERTY,
                    "found property 0x%lx, expected CL_CONTEXT_PLATFORM or CL_CONTEXT_INTEROP_USER_SYNC", (long)name);
  if (value != CL_TRUE && value != CL_FALSE)
    return cl_error(CL_INVALID_PROPERTY, "found CL_CONTEXT_INTEROP_USER_SYNC %ld, expected CL_TRUE or CL_FALSE",
                    (long)value);
  return CL_SUCCESS;
}

/* Pairs of name and value, and a 0. */
static cl_int check_properties(const cl_context_properties *p) {
  for (size_t i = 0; p && p[i]; i += 2) {
    cl_int bad = check_property(p[i], p[i + 1]);
    for (size_t j = 0; !bad && j < i; j += 2)
      if (p[j] == p[i]) bad = cl_error(CL_INVALID_PROPERTY, "found property 0x%lx twice, expected it once", (long)p[i]);
    if (bad) return bad;
  }
  return CL_SUCCESS;
}

static cl_context context_create(const cl_context_properties *properties,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                                 cl_int *errcode_ret) {
  session_renew();
  if (!session_device()) return FAIL(errcode_ret, CL_DEVICE_NOT_AVAILABLE, "found no session, see above");
  size_t n = 0;
  while (properties && properties[n]) n += 2;
  cl_context c = object_new(CONTEXT, sizeof *c, context_destroy);
  if (!c) return FAIL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "found no memory for a context");
  if (properties) {
    c->nproperties = n + 1;
    c->properties = xmalloc(c->nproperties * sizeof *properties);
    memcpy(c->properties, properties, c->nproperties * sizeof *properties);
  }
  c->notify = notify;
  c->user = user;
  cl_result(errcode_ret, CL_SUCCESS);
  return c;
}

static cl_int check_creation(const cl_context_properties *properties, bool notify, const void *user) {
  cl_int bad = check_properties(properties);
  if (!bad && !notify && user)
    bad = cl_error(CL_INVALID_VALUE, "found data for the notify function and no function, expected both or no data");
  return bad;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *user, cl_int *errcode_ret) {
  API();
  cl_int bad = check_creation(properties, notify, user);
  if (!bad) bad = check_devices(n, devices, false);
  cl_result(errcode_ret, bad);
  return bad ? NULL : context_create(properties, notify, user, errcode_ret);
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                               void *user, cl_int *errcode_ret) {
  API();
  cl_int bad = check_creation(properties, notify, user);
  cl_device_id device;
  if (!bad) bad = clGetDeviceIDs(&cl_platform, type, 1, &device, NULL);
  cl_result(errcode_ret, bad);
  return bad ? NULL : context_create(properties, notify, user, errcode_ret);
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  API();
  return object_retain(context, CONTEXT);
}

cl_int CL_API_CALL clReleaseContext(cl_context context) {
  API();
  return object_release(context, CONTEXT);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT: return INFO(o, cl_uint, context->o.refs);
    case CL_CONTEXT_NUM_DEVICES: return INFO(o, cl_uint, 1);
    case CL_CONTEXT_DEVICES: return INFO(o, cl_device_id, &cl_device);
    case CL_CONTEXT_PROPERTIES:
      return info_bytes(o, context->properties, context->nproperties * sizeof *context->properties);
    default: return info_unknown(o);
  }
}

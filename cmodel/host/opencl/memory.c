/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: buffers and sub-buffers (sections 5.2.1, 5.4). A buffer has its device memory from its creation on. With
 * CL_MEM_USE_HOST_PTR the device memory is the cached copy that the standard allows: it is filled at the creation, and the host's memory
 * is brought up to date by clEnqueueMapBuffer for reading, and read by clEnqueueUnmapMemObject after a map for writing.
 */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/image.h"

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_access = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_memory = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

uint8_t *mem_bytes(cl_mem m, size_t offset, size_t n) {
  return device_at(session_device(), (uint64_t)m->addr + offset, n);
}

/* ---- the end of a memory object ---- */

struct destructor_call {
  struct mem_destructor destructor;
  cl_mem mem; /* a name only */
};

static void destructor_now(void *arg) {
  struct destructor_call *c = arg;
  c->destructor.notify(c->mem, c->destructor.user);
  free(c);
}

/* Maps through a sub-buffer go with it. */
static void drop_maps(cl_mem m) {
  cl_mem root = mem_root(m);
  unsigned kept = 0;
  for (unsigned i = 0; i < root->nmaps; i++)
    if (root->maps[i].mem != m) root->maps[kept++] = root->maps[i];
  root->nmaps = kept;
}

static void mem_destroy(void *object) {
  cl_mem m = object;
  drop_maps(m);
  for (unsigned i = m->ndestructors; i-- > 0;) { /* the last one first */
    struct destructor_call *c = xmalloc(sizeof *c);
    *c = (struct destructor_call){m->destructors[i], m};
    api_later(destructor_now, c);
  }
  free(m->destructors);
  free(m->maps);
  if (m->shadow != m->host_ptr) free(m->shadow);
  struct err e = {0};
  const bool of_buffer = m->parent || (m->image && m->image->desc.buffer);
  if (m->image) image_drop(m);
  if (!of_buffer && session_device()) device_free(session_device(), m->addr, &e);
  object_drop(m->parent);
  object_drop(m->context);
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *notify)(cl_mem mem, void *user),
                                                    void *user) {
  API();
  cl_int bad = object_check(mem, MEM);
  if (bad) return bad;
  if (!notify) return cl_error(CL_INVALID_VALUE, "found no function, expected one");
  VEC_PUSH(mem->destructors, mem->ndestructors, mem->cap_destructors) = (struct mem_destructor){notify, user};
  return CL_SUCCESS;
}

/* ---- buffers ---- */

static bool at_most_one(cl_mem_flags f) { return !(f & (f - 1)); }

cl_int memory_flags(cl_mem_flags flags) {
  if (flags & ~(access_flags | host_access | host_memory))
    return cl_error(CL_INVALID_VALUE, "found flags 0x%llx, expected those of OpenCL 1.2", (unsigned long long)flags);
  if (!at_most_one(flags & access_flags))
    return cl_error(CL_INVALID_VALUE, "found flags 0x%llx, expected one of CL_MEM_READ_WRITE, _WRITE_ONLY, _READ_ONLY",
                    (unsigned long long)flags);
  if (!at_most_one(flags & host_access))
    return cl_error(CL_INVALID_VALUE,
                    "found flags 0x%llx, expected one of CL_MEM_HOST_WRITE_ONLY, _READ_ONLY, _NO_ACCESS",
                    (unsigned long long)flags);
  if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
    return cl_error(CL_INVALID_VALUE,
                    "found flags 0x%llx, expected CL_MEM_USE_HOST_PTR without _ALLOC_HOST_PTR, _COPY_HOST_PTR",
                    (unsigned long long)flags);
  return CL_SUCCESS;
}

static cl_int check_buffer(cl_mem_flags flags, size_t size, const void *host_ptr) {
  cl_int bad = memory_flags(flags);
  if (bad) return bad;
  uint64_t most = device_memory_total(session_device());
  if (!size || size > most)
    return cl_error(CL_INVALID_BUFFER_SIZE, "found %zu bytes, expected 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, %llu", size,
                    (unsigned long long)most);
  bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (wants != !!host_ptr)
    return cl_error(CL_INVALID_HOST_PTR,
                    "found %s host pointer, expected %s CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
                    host_ptr ? "a" : "no", wants ? "one with" : "none without");
  return CL_SUCCESS;
}

cl_mem memory_object(cl_context context, cl_mem_flags flags) {
  cl_mem m = object_new(MEM, sizeof *m, mem_destroy);
  if (!m) return NULL;
  m->context = object_hold(context);
  m->flags = flags & access_flags ? flags : flags | CL_MEM_READ_WRITE;
  return m;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                  cl_int *errcode_ret) {
  API();
  cl_int bad = object_check(context, CONTEXT);
  if (!bad) bad = check_buffer(flags, size, host_ptr);
  cl_result(errcode_ret, bad);
  if (bad) return NULL;
  struct err e = {0};
  uint32_t addr = 0;
  enum device_status status = device_alloc(session_device(), size, 0, &addr, &e);
  if (status) {
    cl_result(errcode_ret, cl_device_error(status, &e));
    return NULL;
  }
  cl_mem m = memory_object(context, flags);
  if (!m) {
    device_free(session_device(), addr, &e);
    return FAIL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "found no memory for a buffer");
  }
  m->size = size;
  m->addr = addr;
  if (flags & CL_MEM_USE_HOST_PTR) m->host_ptr = m->shadow = host_ptr;
  if (host_ptr) memcpy(mem_bytes(m, 0, size), host_ptr, size);
  return m;
}

/* ---- sub-buffers ---- */

/* What a sub-buffer does not say it has from its buffer, and it cannot say more than that. */
static cl_int memory_inherit_flags(cl_mem parent, cl_mem_flags *flags) {
  cl_mem_flags f = *flags, p = parent->flags;
  cl_int bad = memory_flags(f);
  if (bad) return bad;
  if (f & host_memory)
    return cl_error(CL_INVALID_VALUE, "found flags 0x%llx, expected a sub-buffer without CL_MEM_*_HOST_PTR",
                    (unsigned long long)f);
  bool more = (p & CL_MEM_WRITE_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
              (p & CL_MEM_READ_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
              (p & CL_MEM_HOST_WRITE_ONLY && f & CL_MEM_HOST_READ_ONLY) ||
              (p & CL_MEM_HOST_READ_ONLY && f & CL_MEM_HOST_WRITE_ONLY) ||
              (p & CL_MEM_HOST_NO_ACCESS && f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY));
  if (more)
    return cl_error(CL_INVALID_VALUE, "found flags 0x%llx, expected no more than the buffer's, 0x%llx",
                    (unsigned long long)f, (unsigned long long)p);
  if (!(f & access_flags)) f |= p & access_flags;
  if (!(f & host_access)) f |= p & host_access;
  *flags = f | (p & host_memory);
  return CL_SUCCESS;
}

static cl_int check_region(cl_mem parent, cl_buffer_create_type type, const cl_buffer_region *r) {
  if (type != CL_BUFFER_CREATE_TYPE_REGION)
    return cl_error(CL_INVALID_VALUE, "found type 0x%x, expected CL_BUFFER_CREATE_TYPE_REGION", type);
  if (!r) return cl_error(CL_INVALID_VALUE, "found no region, expected one");
  if (!r->size) return cl_error(CL_INVALID_BUFFER_SIZE, "found a region of 0 bytes, expected 1 or more");
  if (r->origin > parent->size || r->size > parent->size - r->origin)
    return cl_error(CL_INVALID_VALUE, "found %zu bytes from %zu on, expected a part of the buffer's %zu", r->size,
                    r->origin, parent->size);
  if (r->origin % MEM_ALIGN)
    return cl_error(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                    "found origin %zu, expected a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, %d bytes", r->origin,
                    MEM_ALIGN);
  return CL_SUCCESS;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                                     cl_int *errcode_ret) {
  API();
  cl_int bad = object_check(buffer, MEM);
  if (!bad && (buffer->parent || buffer->image))
    bad = cl_error(CL_INVALID_MEM_OBJECT, "found %s, expected a buffer", buffer->image ? "an image" : "a sub-buffer");
  if (!bad) bad = memory_inherit_flags(buffer, &flags);
  const cl_buffer_region *region = info;
  if (!bad) bad = check_region(buffer, type, region);
  cl_result(errcode_ret, bad);
  if (bad) return NULL;
  cl_mem m = object_new(MEM, sizeof *m, mem_destroy);
  if (!m) return FAIL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "found no memory for a sub-buffer");
  m->context = object_hold(buffer->context);
  m->parent = object_hold(buffer);
  m->flags = flags;
  m->size = region->size;
  m->origin = region->origin;
  m->addr = buffer->addr + (uint32_t)region->origin;
  return m;
}

/* ---- references, information ---- */

cl_int CL_API_CALL clRetainMemObject(cl_mem mem) {
  API();
  return object_retain(mem, MEM);
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem mem) {
  API();
  return object_release(mem, MEM);
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info param_name, size_t param_value_size, void *param_value,
                                      size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(mem, MEM);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_MEM_TYPE: return INFO(o, cl_mem_object_type, mem->image ? mem->image->type : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: return INFO(o, cl_mem_flags, mem->flags);
    case CL_MEM_SIZE: return INFO(o, size_t, mem->size);
    case CL_MEM_HOST_PTR: {
      uint8_t *host = mem_root(mem)->host_ptr;
      return INFO(o, void *, host ? host + mem->origin : NULL);
    }
    case CL_MEM_MAP_COUNT: return INFO(o, cl_uint, mem->map_count);
    case CL_MEM_REFERENCE_COUNT: return INFO(o, cl_uint, mem->o.refs);
    case CL_MEM_CONTEXT: return INFO(o, cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return INFO(o, cl_mem, mem->image ? mem->image->desc.buffer : mem->parent);
    case CL_MEM_OFFSET: return INFO(o, size_t, mem->origin);
    default: return info_unknown(o);
  }
}

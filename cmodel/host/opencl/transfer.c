/* SPDX-License-Identifier: Apache-2.0 */
/* transfer: reading, writing, copying and filling buffers, and migration (sections 5.2.2, 5.2.4, 5.4.4). Boxes are in rect.c. */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/transfer.h"

/* ---- checks that rect.c and map.c share ---- */

cl_int check_memory_of(cl_command_queue q, cl_mem m) {
  cl_int bad = object_check(m, MEM);
  if (bad) return bad;
  if (m->context != q->context)
    return cl_error(CL_INVALID_CONTEXT, "found a memory object of another context than the queue's");
  return CL_SUCCESS;
}

cl_int check_buffer_of(cl_command_queue q, cl_mem m) {
  cl_int bad = check_memory_of(q, m);
  if (bad || !m->image) return bad;
  return cl_error(CL_INVALID_MEM_OBJECT, "found an image, expected a buffer");
}

cl_int check_range(cl_mem m, size_t offset, size_t bytes) {
  if (!bytes) return cl_error(CL_INVALID_VALUE, "found 0 bytes, expected 1 or more");
  if (offset > m->size || bytes > m->size - offset)
    return cl_error(CL_INVALID_VALUE, "found %zu bytes from %zu on, expected a part of the buffer's %zu", bytes, offset,
                    m->size);
  return CL_SUCCESS;
}

cl_int check_host_access(cl_mem m, bool writes) {
  cl_mem_flags never = CL_MEM_HOST_NO_ACCESS | (writes ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  if (m->flags & never)
    return cl_error(CL_INVALID_OPERATION, "found a buffer with CL_MEM_HOST_%s, expected one that the host may %s",
                    m->flags & CL_MEM_HOST_NO_ACCESS ? "NO_ACCESS"
                    : writes                         ? "READ_ONLY"
                                                     : "WRITE_ONLY",
                    writes ? "write" : "read");
  return CL_SUCCESS;
}

/* ---- read and write ---- */

struct transfer {
  cl_mem mem;
  size_t offset, bytes;
  void *to;         /* host memory: read */
  const void *from; /* write */
};

static cl_int transfer_run(void *args) {
  struct transfer *t = args;
  uint8_t *device = mem_bytes(t->mem, t->offset, t->bytes);
  if (t->to) memmove(t->to, device, t->bytes);
  else memmove(device, t->from, t->bytes);
  return CL_SUCCESS;
}

static cl_int transfer_enqueue(cl_command_queue q, struct transfer t, bool blocking, cl_uint n, const cl_event *wait,
                               cl_event *event) {
  cl_int bad = object_check(q, QUEUE);
  if (!bad) bad = check_buffer_of(q, t.mem);
  if (!bad) bad = check_range(t.mem, t.offset, t.bytes);
  if (!bad && !t.to && !t.from) bad = cl_error(CL_INVALID_VALUE, "found no host memory, expected a pointer");
  if (!bad) bad = check_host_access(t.mem, !t.to);
  if (bad) return bad;
  struct transfer *args = xmalloc(sizeof *args);
  *args = t;
  struct command_plan plan = {.type = t.to ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER,
                              .blocking = blocking,
                              .mem = {t.mem},
                              .run = transfer_run,
                              .args = args};
  return command_enqueue(q, &plan, n, wait, event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t bytes, void *ptr, cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  return transfer_enqueue(queue, (struct transfer){.mem = buffer, .offset = offset, .bytes = bytes, .to = ptr},
                          blocking, n, wait, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                        size_t bytes, const void *ptr, cl_uint n, const cl_event *wait,
                                        cl_event *event) {
  API();
  return transfer_enqueue(queue, (struct transfer){.mem = buffer, .offset = offset, .bytes = bytes, .from = ptr},
                          blocking, n, wait, event);
}

/* ---- copy ---- */

struct copy {
  cl_mem from, to;
  size_t from_offset, to_offset, bytes;
};

static cl_int transfer_run_copy(void *args) {
  struct copy *c = args;
  memcpy(mem_bytes(c->to, c->to_offset, c->bytes), mem_bytes(c->from, c->from_offset, c->bytes), c->bytes);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t bytes, cl_uint n, const cl_event *wait,
                                       cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (!bad) bad = check_buffer_of(queue, from);
  if (!bad) bad = check_buffer_of(queue, to);
  if (!bad) bad = check_range(from, from_offset, bytes);
  if (!bad) bad = check_range(to, to_offset, bytes);
  if (bad) return bad;
  uint64_t a = from->addr + from_offset, b = to->addr + to_offset;
  if (a < b + bytes && b < a + bytes)
    return cl_error(CL_MEM_COPY_OVERLAP, "found a copy of %zu bytes whose source and destination overlap", bytes);
  struct copy *args = xmalloc(sizeof *args);
  *args = (struct copy){from, to, from_offset, to_offset, bytes};
  struct command_plan plan = {
      .type = CL_COMMAND_COPY_BUFFER, .mem = {from, to}, .run = transfer_run_copy, .args = args};
  return command_enqueue(queue, &plan, n, wait, event);
}

/* ---- fill ---- */

struct fill {
  cl_mem mem;
  size_t offset, bytes, pattern_bytes;
  uint8_t pattern[128];
};

static cl_int transfer_run_fill(void *args) {
  struct fill *f = args;
  uint8_t *device = mem_bytes(f->mem, f->offset, f->bytes);
  for (size_t i = 0; i < f->bytes; i += f->pattern_bytes) memcpy(device + i, f->pattern, f->pattern_bytes);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                                       size_t offset, size_t bytes, cl_uint n, const cl_event *wait, cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (!bad) bad = check_buffer_of(queue, buffer);
  if (!bad) bad = check_range(buffer, offset, bytes);
  if (bad) return bad;
  if (!pattern || !pattern_bytes || pattern_bytes > 128 || pattern_bytes & (pattern_bytes - 1))
    return cl_error(CL_INVALID_VALUE, "found %s of %zu bytes, expected a pattern of 1, 2, 4 ... 128 bytes",
                    pattern ? "a pattern" : "no pattern", pattern_bytes);
  if (offset % pattern_bytes || bytes % pattern_bytes)
    return cl_error(CL_INVALID_VALUE, "found %zu bytes from %zu on, expected multiples of the pattern's %zu bytes",
                    bytes, offset, pattern_bytes);
  struct fill *args = xmalloc(sizeof *args);
  *args = (struct fill){.mem = buffer, .offset = offset, .bytes = bytes, .pattern_bytes = pattern_bytes};
  memcpy(args->pattern, pattern, pattern_bytes);
  struct command_plan plan = {.type = CL_COMMAND_FILL_BUFFER, .mem = {buffer}, .run = transfer_run_fill, .args = args};
  return command_enqueue(queue, &plan, n, wait, event);
}

/* ---- migration: there is one device, so that nothing moves ---- */

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint nmem, const cl_mem *mem,
                                              cl_mem_migration_flags flags, cl_uint n, const cl_event *wait,
                                              cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (bad) return bad;
  if (!nmem || !mem) return cl_error(CL_INVALID_VALUE, "found no memory objects, expected one at least");
  if (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
    return cl_error(CL_INVALID_VALUE, "found flags 0x%llx, expected those of OpenCL 1.2", (unsigned long long)flags);
  for (cl_uint i = 0; i < nmem; i++) {
    bad = check_memory_of(queue, mem[i]);
    if (bad) return bad;
  }
  struct command_plan plan = {.type = CL_COMMAND_MIGRATE_MEM_OBJECTS};
  return command_enqueue(queue, &plan, n, wait, event);
}

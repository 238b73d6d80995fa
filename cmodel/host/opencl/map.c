/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map: mapping buffers into host memory (sections 5.2.3, 5.4.2). All maps of a buffer and its sub-buffers point into one copy in host
 * memory, at host_ptr with CL_MEM_USE_HOST_PTR: the device's own memory may move. A map for reading or writing copies its region
 * from the device; unmapping one that was for writing copies it back.
 */
#include <stdlib.h>
#include <string.h>

#include "host/opencl/image.h"
#include "host/opencl/transfer.h"

static const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

struct mapping {
  cl_mem mem;
  struct mem_map map;
  bool copy; /* false: CL_MAP_WRITE_INVALIDATE_REGION */
};

/* Between an image and its rows in the host's memory. */
static cl_int move_image(const struct mem_map *m, bool writes) {
  const cl_image_desc *d = &m->mem->image->desc;
  return image_transfer(m->mem, m->origin, m->region, m->host, d->image_row_pitch, d->image_slice_pitch, writes);
}

static cl_int map_run(void *args) {
  struct mapping *m = args;
  if (m->copy && m->mem->image) return move_image(&m->map, false);
  if (m->copy) memcpy(m->map.host, mem_bytes(mem_root(m->mem), m->map.offset, m->map.bytes), m->map.bytes);
  return CL_SUCCESS;
}

static cl_int map_run_unmap(void *args) {
  struct mapping *m = args;
  if (m->map.write && m->mem->image) return move_image(&m->map, true);
  if (m->map.write) memcpy(mem_bytes(mem_root(m->mem), m->map.offset, m->map.bytes), m->map.host, m->map.bytes);
  return CL_SUCCESS;
}

cl_int check_map_flags(cl_mem m, cl_map_flags flags) {
  cl_int bad = CL_SUCCESS;
  bool all = flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE);
  if (!flags || flags & ~known || all)
    return cl_error(CL_INVALID_VALUE,
                    "found flags 0x%llx, expected CL_MAP_READ, CL_MAP_WRITE, both, or CL_MAP_WRITE_INVALIDATE_REGION",
                    (unsigned long long)flags);
  if (flags & CL_MAP_READ) bad = check_host_access(m, false);
  if (!bad && flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) bad = check_host_access(m, true);
  return bad;
}

static cl_int check_map(cl_command_queue q, cl_mem m, cl_map_flags flags, size_t offset, size_t bytes) {
  cl_int bad = object_check(q, QUEUE);
  if (!bad) bad = check_buffer_of(q, m);
  if (!bad) bad = check_range(m, offset, bytes);
  return bad ? bad : check_map_flags(m, flags);
}

/* Removes the last map that began there, made through this object, and of so many bytes (0: of any number). False: there is none.
 * *out, unless NULL: which. */
static bool remove_map(cl_mem mem, const void *host, size_t bytes, struct mem_map *out) {
  cl_mem root = mem_root(mem);
  for (unsigned i = root->nmaps; i-- > 0;) {
    const struct mem_map *m = &root->maps[i];
    if (m->host != host || m->mem != mem || (bytes && m->bytes != bytes)) continue;
    if (out) *out = *m;
    mem->map_count--;
    root->nmaps--;
    memmove(&root->maps[i], &root->maps[i + 1], (root->nmaps - i) * sizeof *root->maps);
    return true;
  }
  return false;
}

static void add_map(struct mem_map map) {
  cl_mem root = mem_root(map.mem);
  VEC_PUSH(root->maps, root->nmaps, root->cap_maps) = map;
  map.mem->map_count++;
}

void *map_enqueue(cl_command_queue q, struct mem_map *map, bool copy, cl_command_type type, bool blocking, cl_uint n,
                  const cl_event *wait, cl_event *event, cl_int *ret) {
  cl_mem mem = map->mem, root = mem_root(mem);
  const cl_image_desc *d = mem->image ? &mem->image->desc : NULL;
  const size_t size = !d ? root->size
                      : d->image_slice_pitch
                          ? d->image_slice_pitch * (d->image_depth ? d->image_depth : d->image_array_size)
                          : d->image_row_pitch * (d->image_height ? d->image_height : 1);
  if (!root->shadow && root->host_ptr) root->shadow = root->host_ptr;
  if (!root->shadow && !(root->shadow = aligned_alloc(MEM_ALIGN, (size + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN)))
    return FAIL(ret, CL_MAP_FAILURE, "found no host memory for the object's %zu bytes", size);
  map->host = root->shadow + map->offset;
  add_map(*map);
  struct mapping *args = xmalloc(sizeof *args);
  *args = (struct mapping){mem, *map, copy};
  struct command_plan plan = {.type = type, .blocking = blocking, .mem = {mem}, .run = map_run, .args = args};
  object_hold(mem);
  cl_int bad = command_enqueue(q, &plan, n, wait, event);
  if (bad) remove_map(mem, map->host, map->bytes, NULL); /* a blocking call may have let others map meanwhile */
  object_drop(mem);
  cl_result(ret, bad);
  return bad ? NULL : map->host;
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t bytes, cl_uint n, const cl_event *wait, cl_event *event,
                                     cl_int *errcode_ret) {
  API();
  cl_int bad = check_map(queue, buffer, flags, offset, bytes);
  cl_result(errcode_ret, bad);
  if (bad) return NULL;
  struct mem_map map = {
      .offset = offset + buffer->origin, .bytes = bytes, .write = flags != CL_MAP_READ, .mem = buffer};
  return map_enqueue(queue, &map, !(flags & CL_MAP_WRITE_INVALIDATE_REGION), CL_COMMAND_MAP_BUFFER, blocking, n, wait,
                     event, errcode_ret);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *ptr, cl_uint n,
                                           const cl_event *wait, cl_event *event) {
  API();
  cl_int bad = object_check(queue, QUEUE);
  if (!bad) bad = check_memory_of(queue, mem);
  if (bad) return bad;
  struct mem_map map;
  if (!remove_map(mem, ptr, 0, &map))
    return cl_error(CL_INVALID_VALUE,
                    "found a pointer that is no map of this memory object, expected clEnqueueMapBuffer's");
  struct mapping *args = xmalloc(sizeof *args);
  *args = (struct mapping){mem, map, false};
  object_hold(mem);
  struct command_plan plan = {.type = CL_COMMAND_UNMAP_MEM_OBJECT, .mem = {mem}, .run = map_run_unmap, .args = args};
  bad = command_enqueue(queue, &plan, n, wait, event);
  if (bad) add_map(map);
  object_drop(mem);
  return bad;
}

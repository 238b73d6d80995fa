/* SPDX-License-Identifier: Apache-2.0 */
/* transfer: checks of commands that transfer contents of buffers; each returns CL_SUCCESS, or the error, which was written. */
#ifndef RT_OPENCL_TRANSFER_H
#define RT_OPENCL_TRANSFER_H

#include "host/opencl/cl.h"

cl_int check_memory_of(cl_command_queue q, cl_mem m);      /* a buffer or image, of the queue's context */
cl_int check_buffer_of(cl_command_queue q, cl_mem m);      /* a buffer, likewise */
cl_int check_range(cl_mem m, size_t offset, size_t bytes); /* within the buffer, and not empty */
cl_int check_host_access(cl_mem m, bool writes);           /* CL_MEM_HOST_* */
cl_int check_map_flags(cl_mem m, cl_map_flags flags);      /* of a map, with the object's CL_MEM_HOST_* */
/* A map at map->offset of the host's memory of the object (map.c). The host pointer, or NULL and *ret. */
void *map_enqueue(cl_command_queue q, struct mem_map *map, bool copy, cl_command_type type, bool blocking, cl_uint n,
                  const cl_event *wait, cl_event *event, cl_int *ret);

#endif

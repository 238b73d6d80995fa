/* SPDX-License-Identifier: Apache-2.0 */
/* transfer: checks of commands that transfer contents of buffers; each returns CL_SUCCESS, or the error, which was written. */
#ifndef RT_OPENCL_TRANSFER_H
#define RT_OPENCL_TRANSFER_H

#include "opencl/cl.h"

cl_int check_buffer_of(cl_command_queue q, cl_mem m);      /* a buffer, of the queue's context */
cl_int check_range(cl_mem m, size_t offset, size_t bytes); /* within the buffer, and not empty */
cl_int check_host_access(cl_mem m, bool writes);           /* CL_MEM_HOST_* */

#endif

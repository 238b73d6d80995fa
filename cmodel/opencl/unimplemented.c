/* SPDX-License-Identifier: Apache-2.0 */
/* unimplemented: API functions of programs and kernels until their files are there; each goes with its file. */
#include "opencl/cl.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define TEXT "found a function that is not there yet, expected another"
#define STATUS(f, ...)                           \
  cl_int CL_API_CALL f(__VA_ARGS__) {            \
    API();                                       \
    return cl_error(CL_INVALID_OPERATION, TEXT); \
  }
#define HANDLE(type, f, ...)                      \
  type CL_API_CALL f(__VA_ARGS__) {               \
    API();                                        \
    return FAIL(err, CL_INVALID_OPERATION, TEXT); \
  }
#define INFO_PARAMS size_t size, void *value, size_t *size_ret
#define WAIT cl_uint nwait, const cl_event *wait, cl_event *event
#define BUILT void(CL_CALLBACK * notify)(cl_program, void *), void *user

HANDLE(cl_program, clCreateProgramWithSource, cl_context c, cl_uint n, const char **text, const size_t *sizes,
       cl_int *err)
HANDLE(cl_program, clCreateProgramWithBinary, cl_context c, cl_uint n, const cl_device_id *d, const size_t *sizes,
       const unsigned char **text, cl_int *status, cl_int *err)
HANDLE(cl_program, clCreateProgramWithBuiltInKernels, cl_context c, cl_uint n, const cl_device_id *d, const char *names,
       cl_int *err)
STATUS(clRetainProgram, cl_program p)
STATUS(clReleaseProgram, cl_program p)
STATUS(clBuildProgram, cl_program p, cl_uint n, const cl_device_id *d, const char *options, BUILT)
STATUS(clCompileProgram, cl_program p, cl_uint n, const cl_device_id *d, const char *options, cl_uint headers,
       const cl_program *header, const char **names, BUILT)
HANDLE(cl_program, clLinkProgram, cl_context c, cl_uint n, const cl_device_id *d, const char *options, cl_uint inputs,
       const cl_program *input, BUILT, cl_int *err)
STATUS(clUnloadCompiler, void)
STATUS(clUnloadPlatformCompiler, cl_platform_id p)
STATUS(clGetProgramInfo, cl_program p, cl_program_info name, INFO_PARAMS)
STATUS(clGetProgramBuildInfo, cl_program p, cl_device_id d, cl_program_build_info name, INFO_PARAMS)
HANDLE(cl_kernel, clCreateKernel, cl_program p, const char *name, cl_int *err)
STATUS(clCreateKernelsInProgram, cl_program p, cl_uint n, cl_kernel *k, cl_uint *n_ret)
STATUS(clRetainKernel, cl_kernel k)
STATUS(clReleaseKernel, cl_kernel k)
STATUS(clSetKernelArg, cl_kernel k, cl_uint i, size_t size, const void *value)
STATUS(clGetKernelInfo, cl_kernel k, cl_kernel_info name, INFO_PARAMS)
STATUS(clGetKernelWorkGroupInfo, cl_kernel k, cl_device_id d, cl_kernel_work_group_info name, INFO_PARAMS)
STATUS(clGetKernelArgInfo, cl_kernel k, cl_uint i, cl_kernel_arg_info name, INFO_PARAMS)
STATUS(clEnqueueNDRangeKernel, cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *offset, const size_t *global,
       const size_t *local, WAIT)
STATUS(clEnqueueTask, cl_command_queue q, cl_kernel k, WAIT)
STATUS(clEnqueueNativeKernel, cl_command_queue q, void(CL_CALLBACK *f)(void *), void *args, size_t bytes, cl_uint n,
       const cl_mem *mem, const void **places, WAIT)

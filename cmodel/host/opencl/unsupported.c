/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsupported: slots of the loader's table that OpenCL 1.2 without images does not have: images and samplers, sub-devices, sharing with
 * OpenGL and EGL, and what came with OpenCL 2.0 to 3.0. Each returns an error; the prototypes are those of CL/, so that the compiler
 * compares them.
 *
 * Images: CL_INVALID_OPERATION, as section 5.3.1 says for a device without CL_DEVICE_IMAGE_SUPPORT. All else likewise.
 */
#include "host/opencl/cl.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters): they are the prototypes of CL/ */

#define SHARING "found a function that shares objects with another interface, expected OpenCL 1.2 alone"
#define FISSION "found a partition of the device, expected the whole: it has no sub-devices"
#define NEWER "found a function of a later OpenCL, expected 1.2"

#define STATUS(f, text, ...)                     \
  cl_int CL_API_CALL f(__VA_ARGS__) {            \
    API();                                       \
    return cl_error(CL_INVALID_OPERATION, text); \
  }
/* The last parameter is cl_int *err. */
#define HANDLE(type, f, text, ...)                \
  type CL_API_CALL f(__VA_ARGS__) {               \
    API();                                        \
    return FAIL(err, CL_INVALID_OPERATION, text); \
  }
#define WAIT cl_uint n, const cl_event *wait, cl_event *event

/* ---- sub-devices ---- */
STATUS(clCreateSubDevicesEXT, FISSION, cl_device_id d, const cl_device_partition_property_ext *p, cl_uint n,
       cl_device_id *out, cl_uint *n_out)

/* ---- OpenGL, EGL ---- */
HANDLE(cl_mem, clCreateFromGLBuffer, SHARING, cl_context c, cl_mem_flags flags, cl_GLuint object, cl_int *err)
HANDLE(cl_mem, clCreateFromGLTexture, SHARING, cl_context c, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
       cl_GLuint texture, cl_int *err)
HANDLE(cl_mem, clCreateFromGLTexture2D, SHARING, cl_context c, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
       cl_GLuint texture, cl_int *err)
HANDLE(cl_mem, clCreateFromGLTexture3D, SHARING, cl_context c, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
       cl_GLuint texture, cl_int *err)
HANDLE(cl_mem, clCreateFromGLRenderbuffer, SHARING, cl_context c, cl_mem_flags flags, cl_GLuint object, cl_int *err)
STATUS(clGetGLObjectInfo, SHARING, cl_mem m, cl_gl_object_type *type, cl_GLuint *name)
STATUS(clGetGLTextureInfo, SHARING, cl_mem m, cl_gl_texture_info name, size_t size, void *value, size_t *size_ret)
STATUS(clEnqueueAcquireGLObjects, SHARING, cl_command_queue q, cl_uint objects, const cl_mem *object, WAIT)
STATUS(clEnqueueReleaseGLObjects, SHARING, cl_command_queue q, cl_uint objects, const cl_mem *object, WAIT)
STATUS(clGetGLContextInfoKHR, SHARING, const cl_context_properties *p, cl_gl_context_info name, size_t size,
       void *value, size_t *size_ret)
HANDLE(cl_event, clCreateEventFromGLsyncKHR, SHARING, cl_context c, cl_GLsync sync, cl_int *err)
HANDLE(cl_mem, clCreateFromEGLImageKHR, SHARING, cl_context c, CLeglDisplayKHR display, CLeglImageKHR image,
       cl_mem_flags flags, const cl_egl_image_properties_khr *p, cl_int *err)
STATUS(clEnqueueAcquireEGLObjectsKHR, SHARING, cl_command_queue q, cl_uint objects, const cl_mem *object, WAIT)
STATUS(clEnqueueReleaseEGLObjectsKHR, SHARING, cl_command_queue q, cl_uint objects, const cl_mem *object, WAIT)
HANDLE(cl_event, clCreateEventFromEGLSyncKHR, SHARING, cl_context c, CLeglSyncKHR sync, CLeglDisplayKHR display,
       cl_int *err)

/* ---- OpenCL 2.0 ---- */
HANDLE(cl_mem, clCreatePipe, NEWER, cl_context c, cl_mem_flags flags, cl_uint packet, cl_uint packets,
       const cl_pipe_properties *p, cl_int *err)
STATUS(clGetPipeInfo, NEWER, cl_mem m, cl_pipe_info name, size_t size, void *value, size_t *size_ret)
HANDLE(cl_sampler, clCreateSamplerWithProperties, NEWER, cl_context c, const cl_sampler_properties *p, cl_int *err)
STATUS(clEnqueueSVMFree, NEWER, cl_command_queue q, cl_uint pointers, void **p,
       void(CL_CALLBACK *f)(cl_command_queue, cl_uint, void **, void *), void *user, WAIT)
STATUS(clEnqueueSVMMemcpy, NEWER, cl_command_queue q, cl_bool blocking, void *to, const void *from, size_t size, WAIT)
STATUS(clEnqueueSVMMemFill, NEWER, cl_command_queue q, void *p, const void *pattern, size_t bytes, size_t size, WAIT)
STATUS(clEnqueueSVMMap, NEWER, cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *p, size_t size, WAIT)
STATUS(clEnqueueSVMUnmap, NEWER, cl_command_queue q, void *p, WAIT)
STATUS(clSetKernelArgSVMPointer, NEWER, cl_kernel k, cl_uint i, const void *p)
STATUS(clSetKernelExecInfo, NEWER, cl_kernel k, cl_kernel_exec_info name, size_t size, const void *value)
STATUS(clGetKernelSubGroupInfoKHR, NEWER, cl_kernel k, cl_device_id d, cl_kernel_sub_group_info name, size_t in_size,
       const void *in, size_t size, void *value, size_t *size_ret)
void *CL_API_CALL clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint align) {
  API();
  cl_error(CL_INVALID_OPERATION, NEWER);
  return NULL;
}
void CL_API_CALL clSVMFree(cl_context c, void *p) {
  API();
  if (p) cl_error(CL_INVALID_OPERATION, NEWER);
}

/* ---- OpenCL 2.1 to 3.0 ---- */
HANDLE(cl_kernel, clCloneKernel, NEWER, cl_kernel k, cl_int *err)
HANDLE(cl_program, clCreateProgramWithIL, NEWER, cl_context c, const void *il, size_t n, cl_int *err)
STATUS(clEnqueueSVMMigrateMem, NEWER, cl_command_queue q, cl_uint pointers, const void **p, const size_t *sizes,
       cl_mem_migration_flags flags, WAIT)
STATUS(clGetDeviceAndHostTimer, NEWER, cl_device_id d, cl_ulong *device, cl_ulong *host)
STATUS(clGetHostTimer, NEWER, cl_device_id d, cl_ulong *host)
STATUS(clGetKernelSubGroupInfo, NEWER, cl_kernel k, cl_device_id d, cl_kernel_sub_group_info name, size_t in_size,
       const void *in, size_t size, void *value, size_t *size_ret)
STATUS(clSetDefaultDeviceCommandQueue, NEWER, cl_context c, cl_device_id d, cl_command_queue q)
STATUS(clSetProgramReleaseCallback, NEWER, cl_program p, void(CL_CALLBACK *f)(cl_program, void *), void *user)
STATUS(clSetProgramSpecializationConstant, NEWER, cl_program p, cl_uint id, size_t size, const void *value)
HANDLE(cl_mem, clCreateBufferWithProperties, NEWER, cl_context c, const cl_mem_properties *p, cl_mem_flags flags,
       size_t size, void *host, cl_int *err)
HANDLE(cl_mem, clCreateImageWithProperties, NEWER, cl_context c, const cl_mem_properties *p, cl_mem_flags flags,
       const cl_image_format *f, const cl_image_desc *d, void *host, cl_int *err)
STATUS(clSetContextDestructorCallback, NEWER, cl_context c, void(CL_CALLBACK *f)(cl_context, void *), void *user)
/* NOLINTEND(misc-unused-parameters) */

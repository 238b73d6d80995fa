/* SPDX-License-Identifier: Apache-2.0 */
/* icd: the entry points that a loader looks up, and the table through which it calls all others (cl_khr_icd, version 1.0.0). The slots of
 * Windows' interfaces have no prototype on this system; a function that returns an error is there, too. */
#include <string.h>

#include "host/opencl/cl.h"

#define EXPORTED __attribute__((visibility("default")))

/* clEnqueue* and clGet* of Windows' interfaces. */
static cl_int icd_refuse(void) {
  API();
  return cl_error(CL_INVALID_OPERATION, "found a function of Direct3D or DirectX, expected one of OpenCL 1.2");
}

/* clCreateFromD3D* (context, flags, resource, errcode_ret), ... (context, flags, resource, subresource, errcode_ret), and
 * clCreateFromDX9MediaSurfaceKHR (context, flags, type, surface, plane, errcode_ret) */
static cl_mem icd_refuse_4(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret) {
  (void)context, (void)flags, (void)resource;
  cl_result(errcode_ret, icd_refuse());
  return NULL;
}
static cl_mem icd_refuse_5(cl_context context, cl_mem_flags flags, void *resource, cl_uint sub, cl_int *errcode_ret) {
  (void)sub;
  return icd_refuse_4(context, flags, resource, errcode_ret);
}
static cl_mem icd_refuse_6(cl_context context, cl_mem_flags flags, cl_uint type, void *surface, cl_uint plane,
                           cl_int *errcode_ret) {
  (void)type, (void)plane;
  return icd_refuse_4(context, flags, surface, errcode_ret);
}

#define SLOT(f) .f = f,
const cl_icd_dispatch cl_table = {
    SLOT(clGetPlatformIDs) SLOT(clGetPlatformInfo) SLOT(clGetDeviceIDs) SLOT(clGetDeviceInfo) SLOT(clCreateContext)
        SLOT(clCreateContextFromType) SLOT(clRetainContext) SLOT(clReleaseContext) SLOT(clGetContextInfo) SLOT(
            clCreateCommandQueue) SLOT(clRetainCommandQueue) SLOT(clReleaseCommandQueue) SLOT(clGetCommandQueueInfo)
            SLOT(clSetCommandQueueProperty) SLOT(clCreateBuffer) SLOT(clCreateImage2D) SLOT(clCreateImage3D) SLOT(
                clRetainMemObject) SLOT(clReleaseMemObject) SLOT(clGetSupportedImageFormats) SLOT(clGetMemObjectInfo)
                SLOT(clGetImageInfo) SLOT(clCreateSampler) SLOT(clRetainSampler) SLOT(clReleaseSampler)
                    SLOT(clGetSamplerInfo) SLOT(clCreateProgramWithSource) SLOT(clCreateProgramWithBinary) SLOT(
                        clRetainProgram) SLOT(clReleaseProgram) SLOT(clBuildProgram) SLOT(clUnloadCompiler)
                        SLOT(clGetProgramInfo) SLOT(clGetProgramBuildInfo) SLOT(clCreateKernel) SLOT(
                            clCreateKernelsInProgram) SLOT(clRetainKernel) SLOT(clReleaseKernel) SLOT(clSetKernelArg)
                            SLOT(clGetKernelInfo) SLOT(clGetKernelWorkGroupInfo) SLOT(clWaitForEvents) SLOT(
                                clGetEventInfo) SLOT(clRetainEvent) SLOT(clReleaseEvent) SLOT(clGetEventProfilingInfo)
                                SLOT(clFlush) SLOT(clFinish) SLOT(clEnqueueReadBuffer) SLOT(clEnqueueWriteBuffer)
                                    SLOT(clEnqueueCopyBuffer) SLOT(clEnqueueReadImage) SLOT(clEnqueueWriteImage)
                                        SLOT(clEnqueueCopyImage) SLOT(clEnqueueCopyImageToBuffer) SLOT(
                                            clEnqueueCopyBufferToImage) SLOT(clEnqueueMapBuffer) SLOT(clEnqueueMapImage)
                                            SLOT(clEnqueueUnmapMemObject) SLOT(clEnqueueNDRangeKernel)
                                                SLOT(clEnqueueTask) SLOT(clEnqueueNativeKernel) SLOT(clEnqueueMarker)
                                                    SLOT(clEnqueueWaitForEvents) SLOT(clEnqueueBarrier)
                                                        SLOT(clGetExtensionFunctionAddress) SLOT(clCreateFromGLBuffer)
                                                            SLOT(clCreateFromGLTexture2D) SLOT(clCreateFromGLTexture3D)
                                                                SLOT(clCreateFromGLRenderbuffer) SLOT(clGetGLObjectInfo)
                                                                    SLOT(clGetGLTextureInfo)
                                                                        SLOT(clEnqueueAcquireGLObjects)
                                                                            SLOT(clEnqueueReleaseGLObjects)
                                                                                SLOT(clGetGLContextInfoKHR)
                                                                                    .clGetDeviceIDsFromD3D10KHR =
        (void *)icd_refuse,
    .clCreateFromD3D10BufferKHR = (void *)icd_refuse_4,
    .clCreateFromD3D10Texture2DKHR = (void *)icd_refuse_5,
    .clCreateFromD3D10Texture3DKHR = (void *)icd_refuse_5,
    .clEnqueueAcquireD3D10ObjectsKHR = (void *)icd_refuse,
    .clEnqueueReleaseD3D10ObjectsKHR = (void *)icd_refuse,
    SLOT(clSetEventCallback) SLOT(clCreateSubBuffer) SLOT(clSetMemObjectDestructorCallback) SLOT(clCreateUserEvent)
        SLOT(clSetUserEventStatus) SLOT(clEnqueueReadBufferRect) SLOT(clEnqueueWriteBufferRect)
            SLOT(clEnqueueCopyBufferRect) SLOT(clCreateSubDevicesEXT) SLOT(clRetainDeviceEXT) SLOT(clReleaseDeviceEXT)
                SLOT(clCreateEventFromGLsyncKHR) SLOT(clCreateSubDevices) SLOT(clRetainDevice) SLOT(clReleaseDevice)
                    SLOT(clCreateImage) SLOT(clCreateProgramWithBuiltInKernels) SLOT(clCompileProgram)
                        SLOT(clLinkProgram) SLOT(clUnloadPlatformCompiler) SLOT(clGetKernelArgInfo)
                            SLOT(clEnqueueFillBuffer) SLOT(clEnqueueFillImage) SLOT(clEnqueueMigrateMemObjects)
                                SLOT(clEnqueueMarkerWithWaitList) SLOT(clEnqueueBarrierWithWaitList)
                                    SLOT(clGetExtensionFunctionAddressForPlatform) SLOT(clCreateFromGLTexture)
                                        .clGetDeviceIDsFromD3D11KHR = (void *)icd_refuse,
    .clCreateFromD3D11BufferKHR = (void *)icd_refuse_4,
    .clCreateFromD3D11Texture2DKHR = (void *)icd_refuse_5,
    .clCreateFromD3D11Texture3DKHR = (void *)icd_refuse_5,
    .clCreateFromDX9MediaSurfaceKHR = (void *)icd_refuse_6,
    .clEnqueueAcquireD3D11ObjectsKHR = (void *)icd_refuse,
    .clEnqueueReleaseD3D11ObjectsKHR = (void *)icd_refuse,
    .clGetDeviceIDsFromDX9MediaAdapterKHR = (void *)icd_refuse,
    .clEnqueueAcquireDX9MediaSurfacesKHR = (void *)icd_refuse,
    .clEnqueueReleaseDX9MediaSurfacesKHR = (void *)icd_refuse,
    SLOT(clCreateFromEGLImageKHR) SLOT(clEnqueueAcquireEGLObjectsKHR) SLOT(clEnqueueReleaseEGLObjectsKHR)
        SLOT(clCreateEventFromEGLSyncKHR) SLOT(clCreateCommandQueueWithProperties) SLOT(clCreatePipe)
            SLOT(clGetPipeInfo) SLOT(clSVMAlloc) SLOT(clSVMFree) SLOT(clEnqueueSVMFree) SLOT(clEnqueueSVMMemcpy)
                SLOT(clEnqueueSVMMemFill) SLOT(clEnqueueSVMMap) SLOT(clEnqueueSVMUnmap)
                    SLOT(clCreateSamplerWithProperties) SLOT(clSetKernelArgSVMPointer) SLOT(clSetKernelExecInfo)
                        SLOT(clGetKernelSubGroupInfoKHR) SLOT(clCloneKernel) SLOT(clCreateProgramWithIL)
                            SLOT(clEnqueueSVMMigrateMem) SLOT(clGetDeviceAndHostTimer) SLOT(clGetHostTimer)
                                SLOT(clGetKernelSubGroupInfo) SLOT(clSetDefaultDeviceCommandQueue)
                                    SLOT(clSetProgramReleaseCallback) SLOT(clSetProgramSpecializationConstant)
                                        SLOT(clCreateBufferWithProperties) SLOT(clCreateImageWithProperties)
                                            SLOT(clSetContextDestructorCallback)};

EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                   cl_uint *num_platforms) {
  return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORTED void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (!name) return NULL;
  if (!strcmp(name, "clIcdGetPlatformIDsKHR")) return (void *)clIcdGetPlatformIDsKHR;
  if (!strcmp(name, "clGetPlatformInfo")) return (void *)clGetPlatformInfo;
  return NULL;
}

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  API();
  if (object_check(platform, PLATFORM)) return NULL;
  return clGetExtensionFunctionAddress(name);
}

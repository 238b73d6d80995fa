/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: the table of functions, handles, platform, device, contexts, queues; sizes and errors of every clGet*Info. */
#include "unit/opencl_kit.h"

/* ---- the loader's table ---- */

static void no_slot_is_empty(void **s) {
  (void)s;
  void *slot[sizeof cl_table / sizeof(void *)];
  memcpy(slot, &cl_table, sizeof slot);
  assert_int_equal(sizeof slot / sizeof *slot, 149);
  for (size_t i = 0; i < sizeof slot / sizeof *slot; i++) assert_non_null(slot[i]);
}

typedef cl_int any_status(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                          void *, void *, void *);
#define ZEROES 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
typedef void *any_handle(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                         void *, void *);

static void unsupported_functions_say_so(void **s) {
  (void)s;
#define STATUS(f) BAD(CL_INVALID_OPERATION, ((any_status *)(void *)cl_table.f)(ZEROES));
  STATUS(clCreateSubDevicesEXT)
  STATUS(clGetGLObjectInfo)
  STATUS(clGetGLTextureInfo)
  STATUS(clEnqueueAcquireGLObjects)
  STATUS(clEnqueueReleaseGLObjects)
  STATUS(clGetGLContextInfoKHR)
  STATUS(clEnqueueAcquireEGLObjectsKHR)
  STATUS(clEnqueueReleaseEGLObjectsKHR)
  STATUS(clGetDeviceIDsFromD3D10KHR)
  STATUS(clEnqueueAcquireD3D10ObjectsKHR)
  STATUS(clEnqueueReleaseD3D10ObjectsKHR)
  STATUS(clGetDeviceIDsFromD3D11KHR)
  STATUS(clEnqueueAcquireD3D11ObjectsKHR)
  STATUS(clEnqueueReleaseD3D11ObjectsKHR)
  STATUS(clGetDeviceIDsFromDX9MediaAdapterKHR)
  STATUS(clEnqueueAcquireDX9MediaSurfacesKHR)
  STATUS(clEnqueueReleaseDX9MediaSurfacesKHR)
  STATUS(clGetPipeInfo)
  STATUS(clEnqueueSVMFree)
  STATUS(clEnqueueSVMMemcpy)
  STATUS(clEnqueueSVMMemFill)
  STATUS(clEnqueueSVMMap)
  STATUS(clEnqueueSVMUnmap)
  STATUS(clSetKernelArgSVMPointer)
  STATUS(clSetKernelExecInfo)
  STATUS(clGetKernelSubGroupInfoKHR)
  STATUS(clEnqueueSVMMigrateMem)
  STATUS(clGetDeviceAndHostTimer)
  STATUS(clGetHostTimer)
  STATUS(clGetKernelSubGroupInfo)
  STATUS(clSetDefaultDeviceCommandQueue)
  STATUS(clSetProgramReleaseCallback)
  STATUS(clSetProgramSpecializationConstant)
  STATUS(clSetContextDestructorCallback)
#define HANDLE(f) assert_null(((any_handle *)(void *)cl_table.f)(ZEROES));
  HANDLE(clCreateFromGLBuffer)
  HANDLE(clCreateFromGLTexture)
  HANDLE(clCreateFromGLTexture2D)
  HANDLE(clCreateFromGLTexture3D)
  HANDLE(clCreateFromGLRenderbuffer)
  HANDLE(clCreateEventFromGLsyncKHR)
  HANDLE(clCreateFromEGLImageKHR)
  HANDLE(clCreateEventFromEGLSyncKHR)
  HANDLE(clCreateFromD3D10BufferKHR)
  HANDLE(clCreateFromD3D10Texture2DKHR)
  HANDLE(clCreateFromD3D10Texture3DKHR)
  HANDLE(clCreateFromD3D11BufferKHR)
  HANDLE(clCreateFromD3D11Texture2DKHR)
  HANDLE(clCreateFromD3D11Texture3DKHR)
  HANDLE(clCreateFromDX9MediaSurfaceKHR)
  HANDLE(clCreatePipe)
  HANDLE(clCreateSamplerWithProperties)
  HANDLE(clSVMAlloc)
  HANDLE(clCloneKernel)
  HANDLE(clCreateProgramWithIL)
  HANDLE(clCreateBufferWithProperties)
  HANDLE(clCreateImageWithProperties)
  cl_table.clSVMFree(NULL, NULL);
}

static void entry_points(void **s) {
  (void)s;
  cl_platform_id p;
  assert_ptr_equal(clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"), (void *)clIcdGetPlatformIDsKHR);
  assert_ptr_equal(clGetExtensionFunctionAddress("clGetPlatformInfo"), (void *)clGetPlatformInfo);
  assert_null(clGetExtensionFunctionAddress("clNothing"));
  assert_null(clGetExtensionFunctionAddress(NULL));
  OK(clIcdGetPlatformIDsKHR(1, &p, NULL));
  assert_ptr_equal(*(const void **)p, &cl_table);
  assert_non_null(clGetExtensionFunctionAddressForPlatform(p, "clIcdGetPlatformIDsKHR"));
  assert_null(clGetExtensionFunctionAddressForPlatform(NULL, "clIcdGetPlatformIDsKHR"));
}

/* ---- information: size, value, too little room ---- */

typedef cl_int info_function(void *handle, cl_uint name, size_t size, void *value, size_t *size_ret);

static void check_info(info_function *get, void *handle, cl_uint name, size_t bytes /* 0: a string */) {
  char value[512], again[512];
  size_t n = 0;
  memset(value, 0x55, sizeof value);
  OK(get(handle, name, 0, NULL, &n));
  if (bytes) assert_int_equal(n, bytes);
  assert_in_range(n, 1, sizeof value - 1);
  OK(get(handle, name, n, value, NULL));
  assert_int_equal(value[n], 0x55);
  if (!bytes) assert_int_equal(strlen(value), n - 1);
  BAD(CL_INVALID_VALUE, get(handle, name, n - 1, again, &n));
  OK(get(handle, name, sizeof again, again, &n));
  assert_memory_equal(value, again, n);
  OK(get(handle, name, 0, NULL, NULL));
}
static void check_no_info(info_function *get, void *handle, cl_uint name) {
  size_t n = 77;
  char value[64];
  BAD(CL_INVALID_VALUE, get(handle, name, sizeof value, value, &n));
  assert_int_equal(n, 77);
}
#define GET(f) ((info_function *)(void *)(f))

static void platform(void **s) {
  (void)s;
  cl_platform_id p[2] = {0};
  cl_uint n = 0;
  OK(clGetPlatformIDs(2, p, &n));
  assert_int_equal(n, 1);
  assert_null(p[1]);
  OK(clGetPlatformIDs(0, NULL, &n));
  BAD(CL_INVALID_VALUE, clGetPlatformIDs(0, p, NULL));
  BAD(CL_INVALID_VALUE, clGetPlatformIDs(1, NULL, NULL));
  static const cl_uint names[] = {CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION,    CL_PLATFORM_NAME,
                                  CL_PLATFORM_VENDOR,  CL_PLATFORM_EXTENSIONS, CL_PLATFORM_ICD_SUFFIX_KHR};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_info(GET(clGetPlatformInfo), p[0], names[i], 0);
  check_no_info(GET(clGetPlatformInfo), p[0], CL_DEVICE_NAME);
  char version[64];
  OK(clGetPlatformInfo(p[0], CL_PLATFORM_VERSION, sizeof version, version, NULL));
  assert_string_equal(version, "OpenCL 1.2 RegTwin");
  BAD(CL_INVALID_PLATFORM, clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, NULL, NULL));
}

static void device_lists(void **s) {
  (void)s;
  cl_device_id d = NULL;
  cl_uint n = 9;
  OK(clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_ALL, 1, &d, &n));
  assert_ptr_equal(d, &cl_device);
  assert_int_equal(n, 1);
  OK(clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_DEFAULT, 1, &d, NULL));
  OK(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU, 0, NULL, &n));
  OK(clGetDeviceIDs(NULL, (cl_device_type)-1, 0, NULL, &n));
  BAD(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_CPU, 1, &d, &n));
  assert_int_equal(n, 0);
  BAD(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &d, NULL));
  BAD(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(&cl_platform, 0, 1, &d, NULL));
  BAD(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(&cl_platform, 1 << 9, 1, &d, NULL));
  BAD(CL_INVALID_VALUE, clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_GPU, 0, &d, NULL));
  BAD(CL_INVALID_VALUE, clGetDeviceIDs(&cl_platform, CL_DEVICE_TYPE_GPU, 0, NULL, NULL));
  BAD(CL_INVALID_PLATFORM, clGetDeviceIDs((cl_platform_id)&cl_device, CL_DEVICE_TYPE_GPU, 1, &d, NULL));
}

static void device_information(void **s) {
  (void)s;
  static const struct {
    cl_uint name;
    size_t bytes;
  } all[] = {
      {CL_DEVICE_TYPE, 8},
      {CL_DEVICE_VENDOR_ID, 4},
      {CL_DEVICE_MAX_COMPUTE_UNITS, 4},
      {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4},
      {CL_DEVICE_MAX_WORK_ITEM_SIZES, 24},
      {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4},
      {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4},
      {CL_DEVICE_ADDRESS_BITS, 4},
      {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8},
      {CL_DEVICE_IMAGE_SUPPORT, 4},
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4},
      {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4},
      {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8},
      {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8},
      {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8},
      {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8},
      {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8},
      {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8},
      {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8},
      {CL_DEVICE_MAX_SAMPLERS, 4},
      {CL_DEVICE_MAX_PARAMETER_SIZE, 8},
      {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4},
      {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4},
      {CL_DEVICE_SINGLE_FP_CONFIG, 8},
      {CL_DEVICE_DOUBLE_FP_CONFIG, 8},
      {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4},
      {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4},
      {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8},
      {CL_DEVICE_GLOBAL_MEM_SIZE, 8},
      {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8},
      {CL_DEVICE_MAX_CONSTANT_ARGS, 4},
      {CL_DEVICE_LOCAL_MEM_TYPE, 4},
      {CL_DEVICE_LOCAL_MEM_SIZE, 8},
      {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4},
      {CL_DEVICE_HOST_UNIFIED_MEMORY, 4},
      {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8},
      {CL_DEVICE_ENDIAN_LITTLE, 4},
      {CL_DEVICE_AVAILABLE, 4},
      {CL_DEVICE_COMPILER_AVAILABLE, 4},
      {CL_DEVICE_LINKER_AVAILABLE, 4},
      {CL_DEVICE_EXECUTION_CAPABILITIES, 8},
      {CL_DEVICE_QUEUE_PROPERTIES, 8},
      {CL_DEVICE_BUILT_IN_KERNELS, 0},
      {CL_DEVICE_PLATFORM, 8},
      {CL_DEVICE_NAME, 0},
      {CL_DEVICE_VENDOR, 0},
      {CL_DRIVER_VERSION, 0},
      {CL_DEVICE_PROFILE, 0},
      {CL_DEVICE_VERSION, 0},
      {CL_DEVICE_OPENCL_C_VERSION, 0},
      {CL_DEVICE_EXTENSIONS, 0},
      {CL_DEVICE_PRINTF_BUFFER_SIZE, 8},
      {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4},
      {CL_DEVICE_PARENT_DEVICE, 8},
      {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4},
      {CL_DEVICE_PARTITION_PROPERTIES, 8},
      {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8},
      {CL_DEVICE_PARTITION_TYPE, 8},
      {CL_DEVICE_REFERENCE_COUNT, 4},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    check_info(GET(clGetDeviceInfo), &cl_device, all[i].name, all[i].bytes);
  check_no_info(GET(clGetDeviceInfo), &cl_device, CL_DEVICE_SVM_CAPABILITIES);
  check_no_info(GET(clGetDeviceInfo), &cl_device, 0);
  BAD(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_NAME, 0, NULL, NULL));

  cl_ulong memory, most, local;
  size_t group, items[3];
  cl_bool image = CL_FALSE;
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_GLOBAL_MEM_SIZE, 8, &memory, NULL));
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, &most, NULL));
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_LOCAL_MEM_SIZE, 8, &local, NULL));
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, &group, NULL));
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 24, items, NULL));
  OK(clGetDeviceInfo(&cl_device, CL_DEVICE_IMAGE_SUPPORT, 4, &image, NULL));
  assert_int_equal(memory, device_memory_total(session_device()));
  assert_in_range(most, 128 << 20, memory); /* the least that the full profile allows */
  assert_in_range(local, 32 << 10, 1 << 20);
  assert_int_equal(group, 1024);
  assert_int_equal(items[0], group);
  assert_true(image);
}

static void devices_are_not_counted_or_divided(void **s) {
  (void)s;
  cl_uint n = 5;
  OK(clRetainDevice(&cl_device));
  OK(clReleaseDevice(&cl_device));
  OK(clReleaseDevice(&cl_device));
  OK(clRetainDeviceEXT(&cl_device));
  OK(clReleaseDeviceEXT(&cl_device));
  BAD(CL_INVALID_DEVICE, clRetainDevice(NULL));
  BAD(CL_INVALID_DEVICE, clReleaseDevice(NULL));
  cl_device_partition_property p[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  BAD(CL_INVALID_VALUE, clCreateSubDevices(&cl_device, p, 0, NULL, &n));
  assert_int_equal(n, 0);
  BAD(CL_INVALID_DEVICE, clCreateSubDevices(NULL, p, 0, NULL, &n));
}

/* ---- handles ---- */

static void wrong_handles_are_refused(void **s) {
  (void)s;
  long garbage[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  void *wrong[] = {NULL, garbage, (void *)8, (void *)~15ul, (char *)queue + 8, context, &cl_device};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    BAD(CL_INVALID_COMMAND_QUEUE, clFinish(wrong[i]));
    BAD(CL_INVALID_COMMAND_QUEUE, clFlush(wrong[i]));
    BAD(CL_INVALID_MEM_OBJECT, clRetainMemObject(wrong[i]));
    BAD(CL_INVALID_MEM_OBJECT, clReleaseMemObject(wrong[i]));
    BAD(CL_INVALID_EVENT, clRetainEvent(wrong[i]));
    BAD(CL_INVALID_EVENT, clReleaseEvent(wrong[i]));
    BAD(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(wrong[i]));
    BAD(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(wrong[i]));
    if (wrong[i] == context) continue;
    BAD(CL_INVALID_CONTEXT, clReleaseContext(wrong[i]));
    BAD(CL_INVALID_CONTEXT, clRetainContext(wrong[i]));
    BAD_HANDLE(CL_INVALID_CONTEXT, clCreateBuffer(wrong[i], 0, 4, NULL, &err));
    BAD_HANDLE(CL_INVALID_CONTEXT, clCreateUserEvent(wrong[i], &err));
    BAD_HANDLE(CL_INVALID_CONTEXT, clCreateCommandQueue(wrong[i], &cl_device, 0, &err));
  }
  assert_null(clCreateUserEvent(NULL, NULL)); /* no place for the code */
}

static void released_handles_are_refused(void **s) {
  (void)s;
  cl_event e[40];
  for (int i = 0; i < 40; i++) e[i] = clCreateUserEvent(context, NULL);
  for (int i = 0; i < 40; i++) {
    OK(clReleaseEvent(e[i]));
    BAD(CL_INVALID_EVENT, clReleaseEvent(e[i]));
    assert_ptr_equal(*(const void **)e[i], &cl_table); /* a loader can still call the driver */
  }
  cl_event other = clCreateUserEvent(context, NULL); /* does not take the place of the last ones */
  BAD(CL_INVALID_EVENT, clReleaseEvent(e[39]));
  OK(clReleaseEvent(other));
}

static void many_objects(void **s) {
  (void)s;
  enum { N = 5000 };
  static cl_event e[N];
  for (int i = 0; i < N; i++) assert_non_null(e[i] = clCreateUserEvent(context, NULL));
  assert_int_equal(object_count(EVENT), N);
  for (int i = 0; i < N; i++) OK(clReleaseEvent(e[i]));
}

static void one_line_for_an_error(void **s) {
  (void)s;
  catch_stderr();
  cl_context c = (cl_context)queue;
  clReleaseContext(c);
  clReleaseContext(c);
  assert_string_equal(caught_stderr(),
                      "regtwin: clReleaseContext: CL_INVALID_CONTEXT: found the handle of a command queue, expected "
                      "one of a context\n");
}

/* ---- contexts ---- */

static void CL_CALLBACK told(const char *text, const void *info, size_t n, void *user) {
  (void)info, (void)n;
  snprintf(user, 64, "%s", text);
}

static void contexts(void **s) {
  (void)s;
  cl_int err;
  cl_device_id d = &cl_device;
  cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)&cl_platform, 0};
  cl_context c = clCreateContext(p, 1, &d, NULL, NULL, &err);
  OK(err);
  check_info(GET(clGetContextInfo), c, CL_CONTEXT_REFERENCE_COUNT, 4);
  check_info(GET(clGetContextInfo), c, CL_CONTEXT_NUM_DEVICES, 4);
  check_info(GET(clGetContextInfo), c, CL_CONTEXT_DEVICES, 8);
  check_info(GET(clGetContextInfo), c, CL_CONTEXT_PROPERTIES, sizeof p);
  check_no_info(GET(clGetContextInfo), c, 0);
  size_t n = 7;
  OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &n)); /* was made with NULL */
  assert_int_equal(n, 0);
  cl_uint refs = 0;
  OK(clRetainContext(c));
  OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, 4, &refs, NULL));
  assert_int_equal(refs, 2);
  OK(clReleaseContext(c));
  OK(clReleaseContext(c));
  BAD(CL_INVALID_CONTEXT, clGetContextInfo(c, CL_CONTEXT_DEVICES, 0, NULL, NULL));

  c = clCreateContextFromType(p, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
  OK(err);
  OK(clReleaseContext(c));
  BAD_HANDLE(CL_DEVICE_NOT_FOUND, clCreateContextFromType(p, CL_DEVICE_TYPE_CPU, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(p, 0, NULL, NULL, &err));
}

static void contexts_that_cannot_be(void **s) {
  (void)s;
  cl_device_id d = &cl_device, none = NULL;
  int user;
  BAD_HANDLE(CL_INVALID_VALUE, clCreateContext(NULL, 0, &d, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateContext(NULL, 1, &d, NULL, &user, &err));
  BAD_HANDLE(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &none, NULL, NULL, &err));
  cl_context_properties platform0[] = {CL_CONTEXT_PLATFORM, 0, 0};
  BAD_HANDLE(CL_INVALID_PLATFORM, clCreateContext(platform0, 1, &d, NULL, NULL, &err));
  cl_context_properties unknown[] = {0x4711, 1, 0};
  BAD_HANDLE(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &d, NULL, NULL, &err));
  cl_context_properties p = (cl_context_properties)&cl_platform;
  cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, p, CL_CONTEXT_PLATFORM, p, 0};
  BAD_HANDLE(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &d, NULL, NULL, &err));
  cl_context_properties sync[] = {CL_CONTEXT_INTEROP_USER_SYNC, 5, 0};
  BAD_HANDLE(CL_INVALID_PROPERTY, clCreateContext(sync, 1, &d, NULL, NULL, &err));
}

static void a_context_notifies(void **s) {
  (void)s;
  char text[64] = "";
  cl_device_id d = &cl_device;
  cl_context c = clCreateContext(NULL, 1, &d, told, text, NULL);
  {
    API();
    context_notify(c, "something");
    context_notify(context, "nothing is told");
    assert_string_equal(text, ""); /* not while the mutex is held */
  }
  assert_string_equal(text, "something");
  OK(clReleaseContext(c));
}

static void what_is_held_lives_on(void **s) {
  (void)s;
  cl_device_id d = &cl_device;
  cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL), of = NULL;
  cl_command_queue q = clCreateCommandQueue(c, d, 0, NULL);
  OK(clReleaseContext(c));
  BAD(CL_INVALID_CONTEXT, clReleaseContext(c)); /* the queue's reference is not the program's */
  OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
  assert_ptr_equal(of, c);
  OK(clReleaseCommandQueue(q));
  BAD(CL_INVALID_CONTEXT, clRetainContext(c));
}

/* ---- images and samplers: tests/host/opencl/images.c has their values ---- */

static void image_formats(void **s) {
  (void)s;
  cl_uint n = 0;
  cl_image_format f[200];
  OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 200, f, &n));
  assert_in_range(n, 13, 200); /* those that a full profile must have, and more */
  for (cl_uint k = 0; k < n; k++) {
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 2};
    cl_int err;
    const cl_mem m = clCreateImage(context, 0, &f[k], &d, NULL, &err);
    OK(err);
    check_info(GET(clGetImageInfo), m, CL_IMAGE_FORMAT, sizeof f[k]);
    check_info(GET(clGetImageInfo), m, CL_IMAGE_ROW_PITCH, 8);
    check_info(GET(clGetImageInfo), m, CL_IMAGE_BUFFER, 8);
    check_no_info(GET(clGetImageInfo), m, 0);
    OK(clReleaseMemObject(m));
  }
  BAD(CL_INVALID_VALUE, clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, f, &n));
  BAD(CL_INVALID_VALUE, clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 1, f, &n));
  BAD(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, 0, 0, NULL, &n));
}

static void images(void **s) {
  (void)s;
  cl_int err;
  cl_image_format f = {CL_R, CL_FLOAT};
  cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
  float host[64] = {0};
  BAD_HANDLE(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &f, &d, NULL, &err));
  BAD_HANDLE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &d, NULL, &err));
  BAD_HANDLE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &f, NULL, NULL, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateImage(context, 1 << 30, &f, &d, NULL, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateImage(context, 0, &f, &d, host, &err));
  BAD_HANDLE(CL_INVALID_HOST_PTR, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &f, &d, NULL, &err));
  d.image_row_pitch = 31;
  BAD_HANDLE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &f, &d, host, &err));
  d.image_row_pitch = 0;
  d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  BAD_HANDLE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &f, &d, NULL, &err));
  d.buffer = clCreateBuffer(context, 0, 16, NULL, &err);
  BAD_HANDLE(CL_INVALID_IMAGE_SIZE, clCreateImage(context, 0, &f, &d, NULL, &err));
  d.image_width = 4;
  const cl_mem of_buffer = clCreateImage(context, 0, &f, &d, NULL, &err);
  OK(err);
  BAD(CL_INVALID_MEM_OBJECT, clGetImageInfo(d.buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
  BAD_HANDLE(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(of_buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
  OK(clReleaseMemObject(d.buffer)); /* the image holds it */
  OK(clReleaseMemObject(of_buffer));
  f.image_channel_order = CL_DEPTH;
  BAD_HANDLE(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage2D(context, 0, &f, 4, 4, 0, NULL, &err));
  f.image_channel_order = CL_LUMINANCE, f.image_channel_data_type = CL_SIGNED_INT8;
  BAD_HANDLE(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage2D(context, 0, &f, 4, 4, 0, NULL, &err));
  f.image_channel_order = CL_R;
  BAD_HANDLE(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &f, 4, 4, 5000, 0, 0, NULL, &err));
  BAD_HANDLE(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &f, 0, 4, 0, NULL, &err));
}

static void samplers(void **s) {
  (void)s;
  cl_int err;
  const cl_sampler a = clCreateSampler(context, CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, &err);
  OK(err);
  check_info(GET(clGetSamplerInfo), a, CL_SAMPLER_REFERENCE_COUNT, 4);
  check_info(GET(clGetSamplerInfo), a, CL_SAMPLER_CONTEXT, 8);
  check_info(GET(clGetSamplerInfo), a, CL_SAMPLER_NORMALIZED_COORDS, 4);
  check_info(GET(clGetSamplerInfo), a, CL_SAMPLER_ADDRESSING_MODE, 4);
  check_info(GET(clGetSamplerInfo), a, CL_SAMPLER_FILTER_MODE, 4);
  check_no_info(GET(clGetSamplerInfo), a, 0);
  OK(clRetainSampler(a));
  OK(clReleaseSampler(a));
  OK(clReleaseSampler(a));
  BAD(CL_INVALID_SAMPLER, clReleaseSampler(a));
  BAD(CL_INVALID_SAMPLER, clRetainSampler(NULL));
  BAD(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, 0, 0, NULL, NULL));
  BAD_HANDLE(CL_INVALID_CONTEXT, clCreateSampler(NULL, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateSampler(context, 0, 0, CL_FILTER_NEAREST, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateSampler(context, 0, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, &err));
}

/* ---- queues ---- */

static void queues(void **s) {
  (void)s;
  cl_int err;
  const cl_command_queue_properties both = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  cl_command_queue q = clCreateCommandQueue(context, &cl_device, both, &err);
  OK(err);
  check_info(GET(clGetCommandQueueInfo), q, CL_QUEUE_CONTEXT, 8);
  check_info(GET(clGetCommandQueueInfo), q, CL_QUEUE_DEVICE, 8);
  check_info(GET(clGetCommandQueueInfo), q, CL_QUEUE_REFERENCE_COUNT, 4);
  check_info(GET(clGetCommandQueueInfo), q, CL_QUEUE_PROPERTIES, 8);
  check_no_info(GET(clGetCommandQueueInfo), q, CL_QUEUE_SIZE);
  cl_command_queue_properties p = 0;
  OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL));
  assert_int_equal(p, both);
  OK(clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &p));
  assert_int_equal(p, both);
  OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL));
  assert_int_equal(p, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  OK(clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
  BAD(CL_INVALID_VALUE, clSetCommandQueueProperty(q, 1 << 5, CL_TRUE, NULL));
  BAD(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(NULL, 0, CL_TRUE, NULL));
  OK(clRetainCommandQueue(q));
  OK(clReleaseCommandQueue(q));
  OK(clReleaseCommandQueue(q));
  BAD_HANDLE(CL_INVALID_DEVICE, clCreateCommandQueue(context, NULL, 0, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateCommandQueue(context, &cl_device, 1 << 5, &err));
  BAD(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, 0, NULL, NULL));
}

static void queues_with_properties(void **s) {
  (void)s;
  cl_int err = 1;
  cl_command_queue_properties is;
  const cl_queue_properties none[] = {0}, both[] = {CL_QUEUE_PROPERTIES, 3, 0},
                            unknown[] = {CL_QUEUE_PROPERTIES, 0, 0x9999, 1, 0}, size[] = {CL_QUEUE_SIZE, 16, 0},
                            on_device[] = {CL_QUEUE_PROPERTIES, 1 | CL_QUEUE_ON_DEVICE, CL_QUEUE_SIZE, 16, 0},
                            bits[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
  const cl_queue_properties *const good[] = {NULL, none, both};
  for (unsigned i = 0; i < 3; i++) {
    cl_command_queue q = clCreateCommandQueueWithProperties(context, &cl_device, good[i], &err);
    OK(err);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof is, &is, NULL));
    assert_int_equal(is, i == 2 ? 3 : 0);
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
  }
  BAD_HANDLE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, &cl_device, unknown, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, &cl_device, size, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, &cl_device, bits, &err));
  BAD_HANDLE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, &cl_device, on_device, &err));
  BAD_HANDLE(CL_INVALID_QUEUE_PROPERTIES,
             clCreateCommandQueueWithProperties(context, &cl_device, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, 5, 0},
                                                &err));
  BAD_HANDLE(CL_INVALID_CONTEXT, clCreateCommandQueueWithProperties(NULL, &cl_device, none, &err));
  BAD_HANDLE(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, NULL, none, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(no_slot_is_empty),
      TEST(unsupported_functions_say_so),
      TEST(entry_points),
      TEST(platform),
      TEST(device_lists),
      TEST(device_information),
      TEST(devices_are_not_counted_or_divided),
      TEST(wrong_handles_are_refused),
      TEST(released_handles_are_refused),
      TEST(many_objects),
      TEST(one_line_for_an_error),
      TEST(contexts),
      TEST(contexts_that_cannot_be),
      TEST(a_context_notifies),
      TEST(what_is_held_lives_on),
      TEST(image_formats),
      TEST(images),
      TEST(samplers),
      TEST(queues),
      TEST(queues_with_properties),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

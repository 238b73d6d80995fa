/* SPDX-License-Identifier: Apache-2.0 */
/* device: the one device, a GPU with the simulated SMs of the session's configuration (sections 4.2, 4.3). */
#include "config/config.h"
#include "host/opencl/cl.h"

struct _cl_device_id cl_device = {.o = {.dispatch = &cl_table, .kind = DEVICE, .refs = 1}};

/* ---- the list of devices ---- */

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id *devices, cl_uint *num_devices) {
  static const cl_device_type all = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                    CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CUSTOM;
  API();
  cl_int bad = platform ? object_check(platform, PLATFORM) : CL_SUCCESS; /* NULL: the only one */
  if (bad) return bad;
  if ((cl_uint)type != CL_DEVICE_TYPE_ALL && (!type || type & ~all))
    return cl_error(CL_INVALID_DEVICE_TYPE, "found type 0x%llx, expected a set of CL_DEVICE_TYPE_*",
                    (unsigned long long)type);
  if (devices && !num_entries) return cl_error(CL_INVALID_VALUE, "found room for 0 devices, expected 1 or more");
  if (!devices && !num_devices) return cl_error(CL_INVALID_VALUE, "found no place for the answer, expected one");
  if (num_devices) *num_devices = 0;
  if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT))) return CL_DEVICE_NOT_FOUND; /* programs try types */
  if (!session_device()) return CL_DEVICE_NOT_FOUND;
  if (devices) *devices = &cl_device;
  if (num_devices) *num_devices = 1;
  return CL_SUCCESS;
}

cl_int check_devices(cl_uint n, const cl_device_id *devices, bool none_is_all) {
  if (!n && !devices && none_is_all) return CL_SUCCESS;
  if (!n || !devices)
    return cl_error(CL_INVALID_VALUE, "found %u devices and %s, expected a list and its length%s", n,
                    devices ? "a list" : "no list", none_is_all ? ", or neither" : "");
  for (cl_uint i = 0; i < n; i++) {
    cl_int bad = object_check(devices[i], DEVICE);
    if (bad) return bad;
  }
  return CL_SUCCESS;
}

/* Devices that are no sub-devices have no count. */
cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  API();
  return object_check(device, DEVICE);
}
cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  API();
  return object_check(device, DEVICE);
}
cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) { return clRetainDevice(device); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) { return clReleaseDevice(device); }

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                                      cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices) {
  API();
  (void)properties, (void)num_entries, (void)devices;
  cl_int bad = object_check(device, DEVICE);
  if (bad) return bad;
  if (num_devices) *num_devices = 0;
  return cl_error(CL_INVALID_VALUE, "found a partition of the device, expected the whole: it has no sub-devices");
}

/* ---- information ---- */

enum { GROUP_MAX = 1024, LOCAL_MAX = 227 * 1024 }; /* of a launch, on any machine */

static uint64_t limit_least(int64_t a, int64_t b) { return (uint64_t)(a < b ? a : b); }

uint64_t limit_group_threads(void) {
  const struct config *c = device_config(session_device());
  return limit_least(GROUP_MAX, (int64_t)limit_least(c->sm_threads, 32 * c->sm_warps));
}

uint64_t limit_local_bytes(void) { return limit_least(LOCAL_MAX, device_config(session_device())->shared_bytes); }

static const char extensions[] =
    "cl_khr_icd cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_fp64";

static const cl_device_fp_config fp =
    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;

/* What the machine and the system decide; name and version, too. */
static cl_int info_of_machine(const struct info *o) {
  const struct config *c = device_config(session_device());
  switch (o->name) {
    case CL_DEVICE_NAME: {
      char name[160];
      snprintf(name, sizeof name, "RegTwin %s, %s", c->machine, c->system);
      return info_string(o, name);
    }
    case CL_DEVICE_MAX_COMPUTE_UNITS: return INFO(o, cl_uint, (cl_uint)c->sim_sms);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: return INFO(o, cl_uint, (cl_uint)c->gpu_clock_mhz);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return INFO(o, size_t, limit_group_threads());
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      size_t n = limit_group_threads(), sizes[3] = {n, n, n < 64 ? n : 64};
      return info_bytes(o, sizes, sizeof sizes);
    }
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return INFO(o, cl_ulong, (cl_ulong)(c->l2_bytes / c->gpu_sms * c->sim_sms));
    case CL_DEVICE_GLOBAL_MEM_SIZE: return INFO(o, cl_ulong, device_memory_total(session_device()));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return INFO(o, cl_ulong, device_memory_total(session_device()));
    case CL_DEVICE_LOCAL_MEM_SIZE: return INFO(o, cl_ulong, limit_local_bytes());
    /* One tick of a clock of 1126 MHz is less than a ns. */
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return INFO(o, size_t, (size_t)((999 + c->gpu_clock_mhz) / c->gpu_clock_mhz));
    default: return info_unknown(o);
  }
}

static cl_int info_of_types(const struct info *o) {
  switch (o->name) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: return INFO(o, cl_uint, 1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: /* cl_khr_fp16 is absent */
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: return INFO(o, cl_uint, 0);
    /* Some of libclc's functions (exp, erfc, rootn, remquo) take subnormal floats as 0. */
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return INFO(o, cl_device_fp_config,
                  (fp & ~(cl_device_fp_config)CL_FP_DENORM) | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG: return INFO(o, cl_device_fp_config, fp);
    case CL_DEVICE_ENDIAN_LITTLE: return INFO(o, cl_bool, CL_TRUE);
    case CL_DEVICE_ADDRESS_BITS: return INFO(o, cl_uint, 64); /* of a pointer; 32 of them are significant */
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return INFO(o, cl_uint, 8 * MEM_ALIGN);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: return INFO(o, cl_uint, MEM_ALIGN);
    case CL_DEVICE_IMAGE_SUPPORT: return INFO(o, cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: return INFO(o, cl_uint, 128);
    case CL_DEVICE_MAX_SAMPLERS: return INFO(o, cl_uint, 128);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return INFO(o, size_t, TEX_MAX_2D);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: return INFO(o, size_t, TEX_MAX_3D);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return INFO(o, size_t, TEX_MAX_LINEAR);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return INFO(o, size_t, TEX_MAX_LAYERS);
    default: return info_of_machine(o);
  }
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                                   void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(device, DEVICE);
  if (bad) return bad;
  if (!session_device()) return cl_error(CL_OUT_OF_RESOURCES, "found no session, see above");
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_DEVICE_TYPE: return INFO(o, cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID: return INFO(o, cl_uint, 0);
    case CL_DEVICE_VENDOR: return info_string(o, "RegTwin");
    case CL_DRIVER_VERSION: return info_string(o, RT_VERSION);
    case CL_DEVICE_PROFILE: return info_string(o, "FULL_PROFILE");
    case CL_DEVICE_VERSION: return info_string(o, "OpenCL 1.2 RegTwin");
    case CL_DEVICE_OPENCL_C_VERSION: return info_string(o, "OpenCL C 1.2 clang 14");
    case CL_DEVICE_EXTENSIONS: return info_string(o, extensions);
    case CL_DEVICE_BUILT_IN_KERNELS: return info_string(o, "");
    case CL_DEVICE_PLATFORM: return INFO(o, cl_platform_id, &cl_platform);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: return INFO(o, cl_uint, 3);
    case CL_DEVICE_MAX_PARAMETER_SIZE: return INFO(o, size_t, LIMIT_PARAMETER_BYTES);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return INFO(o, cl_ulong, LIMIT_CONSTANT_BYTES);
    case CL_DEVICE_MAX_CONSTANT_ARGS: return INFO(o, cl_uint, 8);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: return INFO(o, cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return INFO(o, cl_uint, 128);
    case CL_DEVICE_LOCAL_MEM_TYPE: return INFO(o, cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT: return INFO(o, cl_bool, CL_FALSE);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return INFO(o, cl_bool, CL_FALSE);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE: return INFO(o, cl_bool, CL_TRUE);
    case CL_DEVICE_EXECUTION_CAPABILITIES: return INFO(o, cl_device_exec_capabilities, CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_PROPERTIES:
      return INFO(o, cl_command_queue_properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_PARENT_DEVICE: return INFO(o, cl_device_id, NULL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return INFO(o, cl_uint, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE: return INFO(o, cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return INFO(o, cl_device_affinity_domain, 0);
    case CL_DEVICE_REFERENCE_COUNT: return INFO(o, cl_uint, 1);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: return INFO(o, cl_bool, CL_TRUE);
    case CL_DEVICE_PRINTF_BUFFER_SIZE: return INFO(o, size_t, 1 << 20);
    default: return info_of_types(o);
  }
}

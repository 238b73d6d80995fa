/* SPDX-License-Identifier: Apache-2.0 */
/* program: program objects, what they answer; building is in build.c. */
#define _GNU_SOURCE
#include "host/opencl/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a program's life ---- */

static void blob_free(struct blob *b) {
  free(b->s);
  *b = (struct blob){0};
}

void program_clear(cl_program p) {
  if (p->offset_module && p->offset_module != p->module) device_unload(p->offset_module);
  if (p->module) device_unload(p->module);
  p->module = p->offset_module = NULL;
  signatures_free(&p->signatures);
  blob_free(&p->object);
  blob_free(&p->ir);
  blob_free(&p->ptx);
  blob_free(&p->offset_ptx);
  free(p->options);
  free(p->log);
  p->options = p->log = NULL;
  p->status = CL_BUILD_NONE;
  p->type = CL_PROGRAM_BINARY_TYPE_NONE;
}

static void program_destroy(void *object) {
  cl_program p = object;
  program_clear(p);
  free(p->source);
  object_drop(p->context);
}

cl_program program_new(cl_context c, enum program_origin origin, cl_int *ret) {
  static unsigned number;
  cl_program p = object_new(PROGRAM, sizeof *p, program_destroy);
  if (!p) return FAIL(ret, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
  p->context = object_hold(c);
  p->origin = origin;
  p->number = ++number;
  p->status = CL_BUILD_NONE;
  return p;
}

cl_int program_load(cl_program p, struct err *e) {
  struct device *d = session_device();
  if (!d) return err_at(e, NULL, 0, 0, "there is no session"), CL_OUT_OF_RESOURCES;
  if (!signatures_of_ptx(&p->signatures, p->ptx.s, p->ptx.n)) {
    return err_at(e, NULL, 0, 0, "no memory for the program's kernels"), CL_OUT_OF_HOST_MEMORY;
  }
  char name[64];
  snprintf(name, sizeof name, "program %u", p->number);
  enum device_status s = device_load(d, name, p->ptx.s, p->ptx.n, &p->module, e);
  return s == DEVICE_OK ? CL_SUCCESS : s == DEVICE_NO_MEMORY ? CL_OUT_OF_RESOURCES : CL_INVALID_BINARY;
}

/* ---- creating ---- */

/* Length of a string of the source. Some programs count the zero at its end. */
static size_t length_of(const char *s, const size_t *length) {
  size_t n = length && *length ? *length : strlen(s);
  while (n && !s[n - 1]) n--;
  return n;
}

/* All strings in one, zeros in them as blanks; NULL: no memory, or the sum of their lengths is none. */
static char *program_join_sources(cl_uint count, const char **strings, const size_t *lengths) {
  size_t total = 0;
  for (cl_uint i = 0; i < count; i++) {
    size_t n = length_of(strings[i], lengths ? &lengths[i] : NULL);
    if (n > SIZE_MAX / 2 - total) return NULL;
    total += n;
  }
  char *all = malloc(total + 1), *p = all;
  if (!all) return NULL;
  for (cl_uint i = 0; i < count; i++) {
    size_t n = length_of(strings[i], lengths ? &lengths[i] : NULL);
    memcpy(p, strings[i], n);
    p += n;
  }
  *p = 0;
  for (p = all; (p = memchr(p, 0, (size_t)(all + total - p)));) *p = ' ';
  return all;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint count, const char **strings,
                                                 const size_t *lengths, cl_int *ret) {
  API();
  cl_int bad = object_check(c, CONTEXT);
  if (bad) return cl_result(ret, bad), NULL;
  if (!count || !strings) return FAIL(ret, CL_INVALID_VALUE, "found no source, expected at least one string");
  for (cl_uint i = 0; i < count; i++) {
    if (!strings[i]) return FAIL(ret, CL_INVALID_VALUE, "found NULL as string %u of the source", i);
  }
  char *source = program_join_sources(count, strings, lengths);
  if (!source) return FAIL(ret, CL_OUT_OF_HOST_MEMORY, "no memory for the source");
  cl_program p = program_new(c, FROM_SOURCE, ret);
  if (!p) return free(source), NULL;
  p->source = source;
  cl_result(ret, CL_SUCCESS);
  return p;
}

/* What clGetProgramInfo gives for a program that is no executable yet: this, a letter, then LLVM bitcode. */
static const char object_head[] = "RegTwin OpenCL ";
enum { OBJECT_HEAD = sizeof object_head - 1, OBJECT_BITCODE = OBJECT_HEAD + 3 };

static bool blob_copy(struct blob *out, const void *bytes, size_t n) {
  if (!(out->s = malloc(n + 1))) return false;
  memcpy(out->s, bytes, n);
  out->s[n] = 0;
  out->n = n;
  return true;
}

/* "RegTwin OpenCL object\n": kind 'o' compiled object or 'l' library, rounding 'r' or '-', new line. */
static cl_int take_object(cl_program p, const char *s, size_t n) {
  bool good = n > OBJECT_BITCODE + 4 && (s[OBJECT_HEAD] == 'o' || s[OBJECT_HEAD] == 'l') &&
              (s[OBJECT_HEAD + 1] == 'r' || s[OBJECT_HEAD + 1] == '-') && s[OBJECT_HEAD + 2] == '\n' &&
              !memcmp(s + OBJECT_BITCODE, "BC\xc0\xde", 4);
  if (!good)
    return cl_error(CL_INVALID_BINARY,
                    "found a damaged binary of a compiled program, expected that of clGetProgramInfo");
  if (!blob_copy(&p->object, s + OBJECT_BITCODE, n - OBJECT_BITCODE)) {
    return cl_error(CL_OUT_OF_HOST_MEMORY, "no memory for the binary");
  }
  p->type = s[OBJECT_HEAD] == 'o' ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT : CL_PROGRAM_BINARY_TYPE_LIBRARY;
  p->rounded = s[OBJECT_HEAD + 1] == 'r';
  return CL_SUCCESS;
}

static cl_int take_ptx(cl_program p, const char *s, size_t n) {
  while (n && !s[n - 1]) n--; /* some programs count the zero behind the text */
  if (!n || memchr(s, 0, n)) return cl_error(CL_INVALID_BINARY, "found a binary that is no text, expected PTX");
  if (!blob_copy(&p->ptx, s, n)) return cl_error(CL_OUT_OF_HOST_MEMORY, "no memory for the binary");
  p->offset_ptx = hidden_split(&p->ptx);
  p->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  struct err e = {0};
  cl_int code = program_load(p, &e);
  if (!code) return code;
  char text[1024];
  err_format(&e, text, sizeof text);
  return cl_error(code, "%s", text);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context c, cl_uint ndevices, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                                 cl_int *ret) {
  API();
  cl_int bad = object_check(c, CONTEXT);
  if (!bad) bad = check_devices(ndevices, devices, false);
  if (bad) return cl_result(ret, bad), NULL;
  if (!lengths || !binaries || !lengths[0] || !binaries[0]) {
    if (status) *status = CL_INVALID_VALUE;
    return FAIL(ret, CL_INVALID_VALUE, "found no binary, expected the text of a PTX file");
  }
  cl_program p = program_new(c, FROM_BINARY, ret);
  if (!p) return NULL;
  const char *s = (const char *)binaries[0];
  bool object = lengths[0] > OBJECT_HEAD && !memcmp(s, object_head, OBJECT_HEAD);
  p->source = calloc(1, 1);
  bad = !p->source ? CL_OUT_OF_HOST_MEMORY : object ? take_object(p, s, lengths[0]) : take_ptx(p, s, lengths[0]);
  if (status) *status = bad;
  cl_result(ret, bad);
  if (!bad) return p;
  object_release(p, PROGRAM);
  return NULL;
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context c, cl_uint ndevices, const cl_device_id *devices,
                                                         const char *names, cl_int *ret) {
  API();
  cl_int bad = object_check(c, CONTEXT);
  if (!bad) bad = check_devices(ndevices, devices, false);
  if (bad) return cl_result(ret, bad), NULL;
  return FAIL(ret, CL_INVALID_VALUE, "found the kernels '%s', expected none: the device has no built-in kernels",
              names ? names : "");
}

cl_int CL_API_CALL clRetainProgram(cl_program p) {
  API();
  return object_retain(p, PROGRAM);
}
cl_int CL_API_CALL clReleaseProgram(cl_program p) {
  API();
  return object_release(p, PROGRAM);
}

/* ---- what it answers ---- */

/* The bytes of CL_PROGRAM_BINARIES, from malloc; .s NULL: there is none. */
static struct blob program_make_binary(cl_program p) {
  struct blob out = {0};
  if (p->status != CL_BUILD_SUCCESS && p->origin != FROM_BINARY) return out;
  if (p->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
    if (p->origin == FROM_BINARY) return blob_copy(&out, p->ptx.s, p->ptx.n) ? out : (struct blob){0};
    if (hidden_has_offsets(&p->ir) && !program_offset_module(p)) return out;
    return hidden_join(&p->ptx, &p->offset_ptx);
  }
  if (!p->object.s || !(out.s = malloc(OBJECT_BITCODE + p->object.n + 1))) return (struct blob){0};
  memcpy(out.s, object_head, OBJECT_HEAD);
  out.s[OBJECT_HEAD] = p->type == CL_PROGRAM_BINARY_TYPE_LIBRARY ? 'l' : 'o';
  out.s[OBJECT_HEAD + 1] = p->rounded ? 'r' : '-';
  out.s[OBJECT_HEAD + 2] = '\n';
  memcpy(out.s + OBJECT_BITCODE, p->object.s, p->object.n);
  out.n = OBJECT_BITCODE + p->object.n;
  return out;
}

static cl_int info_binaries(cl_program p, cl_program_info name, const struct info *o) {
  struct blob b = program_make_binary(p);
  cl_int code;
  if (name == CL_PROGRAM_BINARY_SIZES) {
    code = INFO(o, size_t, b.n);
  } else {
    unsigned char *to = NULL;
    if (o->value && o->size >= sizeof to) memcpy(&to, o->value, sizeof to);
    if (to && b.s) memcpy(to, b.s, b.n);
    code = o->value && o->size < sizeof to ? CL_INVALID_VALUE : CL_SUCCESS;
    if (!code && o->size_ret) *o->size_ret = sizeof to;
  }
  free(b.s);
  return code;
}

static cl_int info_kernels(cl_program p, cl_program_info name, const struct info *o) {
  if (!p->module) return cl_error(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built");
  if (name == CL_PROGRAM_NUM_KERNELS) return INFO(o, size_t, p->signatures.n);
  size_t n = 1;
  for (unsigned k = 0; k < p->signatures.n; k++) n += strlen(p->signatures.kernel[k].name) + 1;
  char *names = xmalloc(n);
  *names = 0;
  for (unsigned k = 0, at = 0; k < p->signatures.n; k++) {
    at += (unsigned)sprintf(names + at, "%s%s", k ? ";" : "", p->signatures.kernel[k].name);
  }
  cl_int code = info_string(o, names);
  free(names);
  return code;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program p, cl_program_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(p, PROGRAM);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT: return INFO(o, cl_uint, p->o.refs);
    case CL_PROGRAM_CONTEXT: return INFO(o, cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES: return INFO(o, cl_uint, 1);
    case CL_PROGRAM_DEVICES: return INFO(o, cl_device_id, &cl_device);
    case CL_PROGRAM_SOURCE: return info_string(o, p->source ? p->source : "");
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES: return info_binaries(p, param_name, o);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES: return info_kernels(p, param_name, o);
    default: return info_unknown(o);
  }
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info param_name,
                                         size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  API();
  cl_int bad = object_check(p, PROGRAM);
  if (!bad) bad = object_check(device, DEVICE);
  if (bad) return bad;
  const struct info *o = INFO_ARGS;
  switch (param_name) {
    case CL_PROGRAM_BUILD_STATUS: return INFO(o, cl_build_status, p->status);
    case CL_PROGRAM_BUILD_OPTIONS: return info_string(o, p->options ? p->options : "");
    case CL_PROGRAM_BUILD_LOG: return info_string(o, p->log ? p->log : "");
    case CL_PROGRAM_BINARY_TYPE: return INFO(o, cl_program_binary_type, p->type);
    default: return info_unknown(o);
  }
}

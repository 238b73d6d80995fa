/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build: clBuildProgram, clCompileProgram and clLinkProgram, by clang-14: source to LLVM IR (for an object: bitcode), linked with libclc
 * but not optimised; the IR, whose hidden functions are known by then, to PTX. Everything is done when the call returns.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/opencl/options.h"
#include "host/opencl/program.h"

extern const char regtwin_cl_text[]; /* regtwin_cl.h (cmodel/make/host.mk) */

#define TARGET "--target=nvptx64-nvidia-cuda", "-march=sm_75"
/* Of clang: no colours, and no line about the triple of libclc, which has another vendor. */
#define QUIET "-fno-color-diagnostics", "-Wno-linker-warnings", "-Wno-override-module", "-Qunused-arguments"

struct arguments {
  const char **arg; /* NULL behind the last */
  unsigned n, cap;
};
static void arguments_push(struct arguments *a, const char *text) {
  VEC_PUSH(a->arg, a->n, a->cap) = text;
  VEC_PUSH(a->arg, a->n, a->cap) = NULL;
  a->n--;
}
static void arguments_push_all(struct arguments *a, const char *const *text) {
  for (; *text; text++) arguments_push(a, *text);
}
#define PUSH(a, ...) arguments_push_all((a), (const char *const[]){__VA_ARGS__, NULL})

/* ---- IR to PTX ---- */

static enum clang_end build_ptx(struct workshop *w, const struct blob *ir, bool rounded, bool offsets,
                                struct blob *ptx) {
  struct blob whole = hidden_define(ir, offsets);
  if (!whole.s || !workshop_put(w, "program.ll", whole.s, whole.n)) return free(whole.s), CLANG_FAILED;
  free(whole.s);
  char *in = workshop_path(w, "program.ll"), *out = workshop_path(w, "program.ptx");
  struct arguments a = {0};
  PUSH(&a, TARGET, QUIET, "-O3", "-S", "-o", out, "-x", "ir", in);
  /* What OpenCL asks for and GPUs do: 2.5 and 3 ulp. */
  if (!rounded) PUSH(&a, "-mllvm", "-nvptx-prec-divf32=1", "-mllvm", "-nvptx-prec-sqrtf32=0");
  enum clang_end end = clang_run(w, a.arg, NULL);
  if (end == CLANG_DONE && !(workshop_get(w, "program.ptx", ptx) && rotate_repair(ptx) && images_target(ptx)))
    end = CLANG_FAILED;
  free(a.arg);
  free(in);
  free(out);
  return end;
}

/* ---- the second module ---- */

struct device_module *program_offset_module(cl_program p) {
  if (p->offset_module) return p->offset_module;
  if (p->offset_ptx.s ? !p->offset_ptx.n : !p->ir.s && hidden_in(p->module)) {
    return p->offset_module = p->module; /* no kernel asks for offsets; PTX that reads them */
  }
  if (!p->offset_ptx.s && p->ir.s) {
    if (!hidden_has_offsets(&p->ir)) return p->offset_module = p->module;
    struct workshop w;
    if (!workshop_open(&w)) return NULL;
    enum clang_end end = build_ptx(&w, &p->ir, p->rounded, true, &p->offset_ptx);
    workshop_close(&w);
    if (end != CLANG_DONE) {
      note("cannot compile program %u for global offsets", p->number);
      return NULL;
    }
  }
  if (!p->offset_ptx.s) {
    note("found a global offset for program %u, whose PTX takes none; expected PTX of clGetProgramInfo, or 0",
         p->number);
    return NULL;
  }
  struct err e = {0};
  char name[64];
  snprintf(name, sizeof name, "program %u with offsets", p->number);
  if (device_load(session_device(), name, p->offset_ptx.s, p->offset_ptx.n, &p->offset_module, &e) == DEVICE_OK)
    return p->offset_module;
  cl_device_error(DEVICE_NO_MEMORY, &e);
  return NULL;
}

/* ---- the whole of an executable ---- */

/* Functions that are declared only are errors, as a linker's. */
static bool build_has_undefined(struct workshop *w, const struct blob *ptx) {
  bool found = false;
  for (const char *p = ptx->s; (p = strstr(p, ".extern .func")); p++) {
    const char *name = p + 13;
    name += strspn(name, " \t");
    if (*name == '(') name += strcspn(name, ")") + 1;
    name += strspn(name, " \t\n");
    int n = (int)strcspn(name, " \t\n(");
    if (n == 7 && !strncmp(name, "vprintf", 7)) continue;
    char text[200];
    snprintf(text, sizeof text, "error: undefined function '%.*s'", n, name);
    workshop_say(w, text);
    found = true;
  }
  return found;
}

/* From p->ir on: PTX, comments, module. */
static cl_int build_finish(cl_program p, struct workshop *w) {
  enum clang_end end = build_ptx(w, &p->ir, p->rounded, false, &p->ptx);
  if (end == CLANG_MISSING) return CL_COMPILER_NOT_AVAILABLE;
  if (end == CLANG_FAILED || build_has_undefined(w, &p->ptx)) return CL_BUILD_PROGRAM_FAILURE;
  struct signatures s;
  char *comments = signatures_of_ir(&s, p->ir.s, p->ir.n) ? signatures_comments(&s) : NULL;
  signatures_free(&s);
  size_t n = comments ? strlen(comments) : 0;
  char *more = comments ? realloc(p->ptx.s, p->ptx.n + n + 1) : NULL;
  if (more) {
    memcpy(more + p->ptx.n, comments, n + 1);
    p->ptx = (struct blob){more, p->ptx.n + n};
  }
  free(comments);
  if (!more) return CL_OUT_OF_HOST_MEMORY;
  struct err e = {0};
  cl_int code = program_load(p, &e);
  if (code) {
    char text[1024];
    err_format(&e, text, sizeof text);
    workshop_say(w, text);
  }
  return code == CL_INVALID_BINARY ? CL_BUILD_PROGRAM_FAILURE : code;
}

/* ---- source to IR ---- */

/* clang's end for the program's source, in `file` of w; object: bitcode without libclc, else IR with it. */
static enum clang_end front_end(cl_program p, struct workshop *w, const struct options *o, bool object,
                                struct blob *out) {
  const char *name = object ? "program.bc" : "source.ll";
  if (!workshop_put(w, "source.cl", p->source, strlen(p->source)) ||
      !workshop_put(w, "regtwin_cl.h", regtwin_cl_text, strlen(regtwin_cl_text))) {
    return CLANG_FAILED;
  }
  char *to = workshop_path(w, name), *header = workshop_path(w, "regtwin_cl.h"), *headers = workshop_path(w, "headers");
  struct arguments a = {0};
  /* Without suggestions for names that it does not know: a name of 100,000 characters would keep it for 20 s. */
  PUSH(&a, "-x", "cl", TARGET, QUIET, "-Xclang", "-finclude-default-header", "-O3", "-Xclang", "-disable-llvm-passes",
       "-fno-spell-checking", "-cl-kernel-arg-info", "-I", headers);
  arguments_push_all(&a, (const char *const *)o->arg);
  PUSH(&a, "-D__IMAGE_SUPPORT__=1", "-include", header);
  if (!object) PUSH(&a, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC);
  PUSH(&a, "-emit-llvm", object ? "-c" : "-S", "-o", to, "-");
  enum clang_end end = clang_run(w, a.arg, "source.cl");
  if (end == CLANG_DONE && !workshop_get(w, name, out)) end = CLANG_FAILED;
  free(a.arg);
  free(to);
  free(header);
  free(headers);
  return end;
}

/* Objects to one IR (or, for a library, bitcode), by clang with an empty source. */
static enum clang_end build_link_objects(struct workshop *w, cl_uint n, const cl_program *input, bool library,
                                         struct blob *out) {
  const char *name = library ? "library.bc" : "linked.ll";
  char *to = workshop_path(w, name);
  char **object = xcalloc(n, sizeof *object);
  struct arguments a = {0};
  bool good = workshop_put(w, "empty.cl", "\n", 1);
  PUSH(&a, "-x", "cl", "-cl-std=CL1.2", TARGET, QUIET, "-O3", "-Xclang", "-disable-llvm-passes");
  for (cl_uint i = 0; good && i < n; i++) {
    char file[32];
    snprintf(file, sizeof file, "input%u.bc", i);
    good = workshop_put(w, file, input[i]->object.s, input[i]->object.n);
    object[i] = workshop_path(w, file);
    PUSH(&a, "-Xclang", "-mlink-bitcode-file", "-Xclang", object[i]);
  }
  if (!library) PUSH(&a, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC);
  PUSH(&a, "-emit-llvm", library ? "-c" : "-S", "-o", to, "-");
  enum clang_end end = good ? clang_run(w, a.arg, "empty.cl") : CLANG_FAILED;
  if (end == CLANG_DONE && !workshop_get(w, name, out)) end = CLANG_FAILED;
  for (cl_uint i = 0; i < n; i++) free(object[i]);
  free(object);
  free(a.arg);
  free(to);
  return end;
}

/* ---- what the three calls share ---- */

struct built { /* put off until the lock is released */
  void(CL_CALLBACK *notify)(cl_program, void *);
  void *user;
  cl_program program;
};
static void call_notify(void *arg) {
  struct built *b = arg;
  b->notify(b->program, b->user);
  free(b);
}
static void build_tell(void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_program p) {
  if (!notify) return;
  struct built *b = xmalloc(sizeof *b);
  *b = (struct built){notify, user, p};
  api_later(call_notify, b);
}

static cl_int check_notify(const void *notify, const void *user) {
  return !notify && user ? cl_error(CL_INVALID_VALUE, "found data for a callback, but no callback") : CL_SUCCESS;
}

/* Forgets the last build and begins another one. */
static void build_begin(cl_program p, const char *options) {
  program_clear(p);
  p->options = strdup(options ? options : "");
  p->status = CL_BUILD_IN_PROGRESS;
}

/* The workshop of a build; false: there can be none, and the build has failed. */
static bool open_build(cl_program p, struct workshop *w) {
  if (workshop_open(w)) return true;
  p->status = CL_BUILD_ERROR;
  return false;
}

/* The end of a build: log and status. */
static cl_int end_build(cl_program p, struct workshop *w, cl_int code, cl_program_binary_type type) {
  p->log = w->log;
  w->log = NULL;
  workshop_close(w);
  p->status = code ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
  p->type = code ? CL_PROGRAM_BINARY_TYPE_NONE : type;
  return code;
}

/* Builds are tried again and again by some programs: the log says what was wrong, standard error only that something was. */
static cl_int build_report(cl_program p, cl_int code) {
  if (!code) return code;
  const char *what = p->log ? strstr(p->log, "error: ") : NULL;
  if (!what) return cl_error(code, "program %u cannot be built", p->number);
  return cl_error(code, "program %u cannot be built: %.*s", p->number, (int)strcspn(what + 7, "\n"), what + 7);
}

static cl_int check_program(cl_program p, cl_uint n, const cl_device_id *devices) {
  cl_int bad = object_check(p, PROGRAM);
  if (!bad) bad = check_devices(n, devices, true);
  if (!bad && p->kernels)
    bad = cl_error(CL_INVALID_OPERATION, "found %u kernels of the program, expected none", p->kernels);
  return bad;
}

static cl_int build_code_of(enum clang_end end, cl_int failure) {
  return end == CLANG_MISSING ? CL_COMPILER_NOT_AVAILABLE : end == CLANG_FAILED ? failure : CL_SUCCESS;
}

/* ---- clBuildProgram ---- */

static cl_int build_source(cl_program p, const struct options *o) {
  struct workshop w;
  if (!open_build(p, &w)) return CL_OUT_OF_HOST_MEMORY;
  p->rounded = o->rounded;
  cl_int code = build_code_of(front_end(p, &w, o, false, &p->ir), CL_BUILD_PROGRAM_FAILURE);
  if (!code) code = build_finish(p, &w);
  return end_build(p, &w, code, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
}

cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint ndevices, const cl_device_id *devices, const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
  API();
  cl_int bad = check_program(p, ndevices, devices);
  if (!bad) bad = check_notify((const void *)(uintptr_t)notify, user);
  if (bad) return bad;
  if (p->origin == FROM_LINK)
    return cl_error(CL_INVALID_OPERATION, "found a linked program, expected one from source or binary");
  struct options o;
  if (!options_read(&o, options, OPTIONS_BUILD)) {
    bad = cl_error(CL_INVALID_BUILD_OPTIONS, "%s", o.wrong);
  } else if (p->origin == FROM_BINARY && !p->module) {
    bad = cl_error(CL_INVALID_BINARY,
                   "found a compiled object or library, expected an executable: clLinkProgram makes one");
  } else if (p->origin == FROM_BINARY) {
    free(p->options);
    p->options = strdup(options ? options : "");
    p->status = CL_BUILD_SUCCESS;
  } else {
    build_begin(p, options);
    bad = build_report(p, build_source(p, &o));
  }
  options_free(&o);
  if (bad != CL_INVALID_BUILD_OPTIONS) build_tell(notify, user, p);
  return bad;
}

/* ---- clCompileProgram ---- */

/* A name as in #include: relative, and within the directory. */
static bool good_name(const char *name) {
  if (!name || !*name || *name == '/' || strlen(name) > 512) return false;
  for (const char *p = name; *p; p += strspn(p, "/")) {
    size_t n = strcspn(p, "/");
    if ((n == 2 && !strncmp(p, "..", 2)) || n > 200 || !p[n + strspn(p + n, "/")] != !p[n]) return false;
    p += n;
  }
  return true;
}

static cl_int check_headers(cl_uint n, const cl_program *headers, const char **names) {
  if (!n != !headers || !n != !names)
    return cl_error(CL_INVALID_VALUE, "found %u headers with a list that is %s", n, n ? "missing" : "there");
  for (cl_uint i = 0; i < n; i++) {
    cl_int bad = object_check(headers[i], PROGRAM);
    if (bad) return bad;
    if (headers[i]->origin != FROM_SOURCE) return cl_error(CL_INVALID_OPERATION, "found header %u without source", i);
    if (!good_name(names[i])) {
      return cl_error(CL_INVALID_VALUE, "found the name '%s' of header %u, expected a relative path without '..'",
                      names[i] ? names[i] : "NULL", i);
    }
  }
  return CL_SUCCESS;
}

static cl_int build_compile(cl_program p, const struct options *o, cl_uint n, const cl_program *headers,
                            const char **names) {
  struct workshop w;
  if (!open_build(p, &w)) return CL_OUT_OF_HOST_MEMORY;
  p->rounded = o->rounded;
  bool good = true;
  for (cl_uint i = 0; good && i < n; i++) {
    size_t length = strlen(names[i]) + 9;
    char *name = xmalloc(length);
    snprintf(name, length, "headers/%s", names[i]);
    good = workshop_put(&w, name, headers[i]->source, strlen(headers[i]->source));
    free(name);
  }
  cl_int code = good ? build_code_of(front_end(p, &w, o, true, &p->object), CL_COMPILE_PROGRAM_FAILURE)
                     : CL_COMPILE_PROGRAM_FAILURE;
  return end_build(p, &w, code, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
}

cl_int CL_API_CALL clCompileProgram(cl_program p, cl_uint ndevices, const cl_device_id *devices, const char *options,
                                    cl_uint nheaders, const cl_program *headers, const char **names,
                                    void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
  API();
  cl_int bad = check_program(p, ndevices, devices);
  if (!bad) bad = check_notify((const void *)(uintptr_t)notify, user);
  if (!bad) bad = check_headers(nheaders, headers, names);
  if (bad) return bad;
  if (p->origin != FROM_SOURCE) return cl_error(CL_INVALID_OPERATION, "found a program without source");
  struct options o;
  if (!options_read(&o, options, OPTIONS_BUILD)) {
    bad = cl_error(CL_INVALID_COMPILER_OPTIONS, "%s", o.wrong);
  } else {
    build_begin(p, options);
    bad = build_report(p, build_compile(p, &o, nheaders, headers, names));
    build_tell(notify, user, p);
  }
  options_free(&o);
  return bad;
}

/* ---- clLinkProgram ---- */

static cl_int build_check_inputs(cl_context c, cl_uint n, const cl_program *input) {
  if (!n || !input) return cl_error(CL_INVALID_VALUE, "found no program to link");
  for (cl_uint i = 0; i < n; i++) {
    cl_int bad = object_check(input[i], PROGRAM);
    if (bad) return bad;
    if (input[i]->context != c) return cl_error(CL_INVALID_CONTEXT, "found program %u of another context", i);
    if (!input[i]->object.s) return cl_error(CL_INVALID_OPERATION, "found program %u without a compiled object", i);
  }
  return CL_SUCCESS;
}

static cl_int link_program(cl_program p, const struct options *o, cl_uint n, const cl_program *input) {
  struct workshop w;
  if (!open_build(p, &w)) return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < n; i++) p->rounded |= input[i]->rounded;
  cl_int code = build_code_of(build_link_objects(&w, n, input, o->library, o->library ? &p->object : &p->ir),
                              CL_LINK_PROGRAM_FAILURE);
  if (!code && !o->library) code = build_finish(p, &w);
  if (code == CL_BUILD_PROGRAM_FAILURE) code = CL_LINK_PROGRAM_FAILURE;
  return end_build(p, &w, code, o->library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
}

cl_program CL_API_CALL clLinkProgram(cl_context c, cl_uint ndevices, const cl_device_id *devices, const char *options,
                                     cl_uint n, const cl_program *input, void(CL_CALLBACK *notify)(cl_program, void *),
                                     void *user, cl_int *ret) {
  API();
  cl_int bad = object_check(c, CONTEXT);
  if (!bad) bad = check_devices(ndevices, devices, true);
  if (!bad) bad = check_notify((const void *)(uintptr_t)notify, user);
  if (!bad) bad = build_check_inputs(c, n, input);
  if (bad) return cl_result(ret, bad), NULL;
  struct options o;
  cl_program p = NULL;
  if (!options_read(&o, options, OPTIONS_LINK)) {
    cl_result(ret, cl_error(CL_INVALID_LINKER_OPTIONS, "%s", o.wrong));
  } else if ((p = program_new(c, FROM_LINK, ret))) {
    p->source = calloc(1, 1);
    build_begin(p, options);
    cl_result(ret, build_report(p, link_program(p, &o, n, input)));
    build_tell(notify, user, p); /* the program is returned also when it cannot be linked: it has the log */
  }
  options_free(&o);
  return p;
}

cl_int CL_API_CALL clUnloadCompiler(void) {
  API();
  return CL_SUCCESS;
}
cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  API();
  return object_check(platform, PLATFORM);
}

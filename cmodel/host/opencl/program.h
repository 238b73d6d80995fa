/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program: programs and kernels of the OpenCL driver (OpenCL 1.2, 5.6 and 5.7).
 *
 * A program is compiled from source to LLVM IR and from that to PTX (build.c). Global offsets and the number of dimensions are
 * hidden: the PTX in which kernels run as a rule knows that all offsets are 0; the first launch with one makes a second
 * module from the same IR, which reads them from a constant variable (hidden.c).
 */
#ifndef RT_OPENCL_PROGRAM_H
#define RT_OPENCL_PROGRAM_H

#include "host/opencl/cl.h"
#include "host/opencl/clang.h"
#include "host/opencl/signature.h"

enum program_origin { FROM_SOURCE, FROM_BINARY, FROM_LINK };

struct _cl_program {
  struct object o;
  cl_context context;
  enum program_origin origin;
  unsigned number; /* of the process, for messages */
  char *source;    /* "" if there is none */

  cl_build_status status;
  cl_program_binary_type type;
  char *options, *log;
  bool rounded; /* division and square root of floats, as the options of the build say */

  struct blob object; /* of a compiled object or library: LLVM bitcode */
  struct blob ir;     /* of an executable that was built here: LLVM IR, text */
  struct blob ptx;    /* of an executable, with the comments of signature.h */
  struct blob offset_ptx;
  struct device_module *module, *offset_module;
  struct signatures signatures;
  unsigned kernels; /* cl_kernel objects that exist: it cannot be built again */
};

/* Frees what a build made. */
void program_clear(cl_program p);
/* Loads ptx into the session and reads its kernels. CL_SUCCESS; else *e says why. */
cl_int program_load(cl_program p, struct err *e);
/* The module for launches with offsets (build.c); NULL: there can be none, and a line says why. */
struct device_module *program_offset_module(cl_program p);

/* Repairs a table of libclc in the text of the IR (libclc.c); false: no memory. */
bool libclc_pad(struct blob *ir);
/* Reduces the amounts of 64-bit rotations in the text of the PTX (rotate.c); false: no memory. */
bool rotate_repair(struct blob *ptx);
/* Defines the image functions that the IR declares; says in the PTX that instructions name samplers (image_code.c); false: no memory. */
bool images_define(struct blob *ir);
bool images_target(struct blob *ptx);
/* Makes bodies of `inline` functions the module's own (inline.c). */
void inline_define(struct blob *ir);
/* Makes functions of kernels that are called (calls.c); false: no memory. */
bool calls_of_kernels(struct blob *ir);
/* Text of a module: `ir` with the hidden functions defined. From malloc; .s NULL: no memory. */
struct blob hidden_define(const struct blob *ir, bool offsets);
bool hidden_has_offsets(const struct blob *ir);
/* PTX with the second module's text as comments behind it, and that text again. .s NULL: no memory; there is none. */
struct blob hidden_join(const struct blob *ptx, const struct blob *offset_ptx);
struct blob hidden_split(const struct blob *joined);
/* The constant variable of a module, if it has it. */
struct hidden {
  uint64_t offset[3], dimensions;
};
void hidden_set(struct device_module *m, const struct hidden *h);
bool hidden_in(const struct device_module *m);

cl_program program_new(cl_context c, enum program_origin origin, cl_int *ret); /* NULL and *ret */

struct argument {
  bool set;
  enum arg_space space; /* as it was set: value, global, constant, local */
  cl_mem mem;           /* NULL is a value, too */
  size_t bytes;         /* of local memory */
};
struct kernel_code { /* in one of the two modules */
  struct device_kernel *kernel;
  struct device_about about;
  bool refused;
  struct err why;
};
struct _cl_kernel {
  struct object o;
  cl_program program;
  const struct signature *signature;
  struct kernel_code code, offset_code; /* the second is filled by the first launch with an offset */
  struct argument *argument;
  uint8_t *bytes; /* parameters as the kernel takes them; values are here; NULL: the kernel is refused */
};
/* CL_SUCCESS; CL_INVALID_KERNEL: no kernel; CL_INVALID_ARG_INDEX: it has no parameter i. */
cl_int check_argument(cl_kernel k, cl_uint i);
/* Most work items in a group of the kernel: CL_KERNEL_WORK_GROUP_SIZE. */
uint64_t kernel_most_threads(cl_kernel k);
/* Asks the session about a kernel. */
void kernel_code_read(struct kernel_code *c, struct device_module *m, const char *name);

#endif

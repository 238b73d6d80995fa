/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: the build options of a program (OpenCL 1.2, 5.6.4 and 5.6.5), split as a shell splits words: blanks separate, '...' and
 * "..." keep them, a backslash takes the next character as it is (within '...' it is itself). Only options of the
 * specification become arguments of clang; -cl-nv-* of other drivers are left out.
 */
#ifndef RT_OPENCL_OPTIONS_H
#define RT_OPENCL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum options_for { OPTIONS_BUILD, OPTIONS_LINK };
struct options {
  char **arg; /* for clang: -DNAME=VALUE, -IDIR, -cl-...; NULL behind the last */
  unsigned n, cap;
  bool rounded;    /* -cl-fp32-correctly-rounded-divide-sqrt */
  bool library;    /* -create-library */
  char wrong[128]; /* why false was returned */
};
/* text may be NULL: none. False: an unknown option, or a quote that is not closed; out->wrong says so. Free it in
 * either case. */
bool options_read(struct options *out, const char *text, enum options_for what);
void options_free(struct options *o);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ptx: reads PTX text and lowers every .entry of it to struct code (virtual registers). The interface of compiler/ptx/. */
#ifndef RT_PTX_PTX_H
#define RT_PTX_PTX_H

#include "compiler/ir/code.h"

struct module *ptx_load(const char *path, struct err *e);                              /* NULL and *e on error */
struct module *ptx_parse(const char *path, const char *text, size_t n, struct err *e); /* text need not end in 0 */

/* For a module that shares global memory with others: who gives its variables their place. */
struct ptx_place {
  /* So many bytes, at a multiple of align (a power of two, at least 256); false: there is no room. Not called for a module
   * without global variables, and nothing fails after it. */
  bool (*global)(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base);
  void *ctx;
};
/* The same of such a module, which may be without a kernel that can be run: module.refused has those that cannot. Syntax
 * errors in a body refuse it alone, if its braces can be counted. */
struct module *ptx_parse_at(const char *path, const char *text, size_t n, const struct ptx_place *place, struct err *e);

#endif

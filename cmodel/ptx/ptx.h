/* SPDX-License-Identifier: Apache-2.0 */
/* ptx: reads PTX text and lowers every .entry of it to struct code (virtual registers). Public face of ptx/. */
#ifndef RT_PTX_PTX_H
#define RT_PTX_PTX_H

#include "ir/code.h"

struct module *ptx_load(const char *path, struct err *e);                              /* NULL and *e on error */
struct module *ptx_parse(const char *path, const char *text, size_t n, struct err *e); /* text need not end in 0 */

#endif

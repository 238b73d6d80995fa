/* SPDX-License-Identifier: Apache-2.0 */
/* sink: an output file, plain or compressed by xz. Private to trace/accelsim/. */
#ifndef RT_ACCELSIM_SINK_H
#define RT_ACCELSIM_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sink;
struct sink *sink_open(const char *path, bool xz, struct err *e);
void sink_put(struct sink *s, const char *text, size_t n); /* errors are told by sink_close */
void sink_print(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* 64 KB at most */
bool sink_failed(const struct sink *s);
/* ok: the file appears under its name; else nothing is left. *bytes: of the file. Frees s. */
bool sink_close(struct sink *s, bool ok, uint64_t *bytes, struct err *e);

#endif

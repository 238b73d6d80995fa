/* SPDX-License-Identifier: Apache-2.0 */
/* json: results for machines, written whole or not at all. */
#ifndef RT_REPORT_JSON_H
#define RT_REPORT_JSON_H

#include <jansson.h>

#include "base/err.h"

/* Can `path` be written ("-" is standard output)? Asked before a long run, so that its result is not lost at
 * the end. */
bool json_writable(const char *path, struct err *e);
/* Writes beside the path and renames; what was there before stays until the whole is on disk. */
bool json_save(const char *path, const json_t *j, struct err *e);

#endif

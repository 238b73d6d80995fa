/* SPDX-License-Identifier: Apache-2.0 */
/* json: results as JSON, written completely or not at all. */
#ifndef RT_REPORT_JSON_H
#define RT_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/show.h"
#include "lab/report/table.h"

enum { JSON_FORMAT = JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII }; /* of all that is written */

/* For building objects: the value becomes the object's. */
static inline void json_put(json_t *o, const char *key, json_t *v) { json_object_set_new(o, key, v); }
/* A name that is no UTF-8 as it is shown: JSON has no other way. */
static inline json_t *json_text(const char *s) {
  json_t *j = json_string(s);
  return j ? j : json_string(SHOWN(s));
}
static inline json_t *json_whole(uint64_t n) { return n == NOT_MODELLED ? json_null() : json_integer((json_int_t)n); }
/* null when den is 0 */
static inline json_t *json_ratio(uint64_t num, uint64_t den) {
  return den ? json_real((double)num / (double)den) : json_null();
}

/* Can `path` be written ("-" is standard output)? For the start of a long run, so that its result is not lost at the
 * end. */
bool json_writable(const char *path, struct err *e);
/* False and *e: `option` names the file of --json, too, and one result would be lost. Either may be NULL. */
bool json_apart(const char *json, const char *other, const char *option, struct err *e);
/* True if the JSON goes to standard output, so that no table does. path: of --json, or NULL. */
bool json_alone(const char *path);
/* Writes beside the path and renames; the old file stays until the new one is on disk. */
bool json_save(const char *path, const json_t *j, struct err *e);
bool json_save_new(const char *path, json_t *j, struct err *e); /* the same, and frees j */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml: a YAML file read event by event, so that nesting costs nothing and every error has the place that libyaml
 * marks. For what config/ and lab/kernels/suite/about.c read: mappings, lists and single values, one document in a file.
 */
#ifndef RT_BASE_YAML_H
#define RT_BASE_YAML_H

#include <yaml.h>

#include "base/err.h"

struct yaml {
  yaml_parser_t parser;
  yaml_event_t ev; /* the current event */
  const char *file, *text;
  const char *expected; /* of broken YAML: "sections of 'key: value' lines" */
  struct err *e;
};

/* text outlives the reader. The current event is the first of the document; *empty: there is none, only comments. */
bool yaml_open(struct yaml *y, const char *file, const char *text, size_t n, const char *expected, struct err *e,
               bool *empty);
/* The event after the document's last; false and *e when something follows. */
bool yaml_end(struct yaml *y);
void yaml_close(struct yaml *y);

bool yaml_next(struct yaml *y);
int yaml_line(const struct yaml *y); /* of the current event, from 1 */
int yaml_col(const struct yaml *y);
bool yaml_is_text(const struct yaml *y); /* a single value without a NUL in it */
const char *yaml_text(const struct yaml *y);
bool yaml_is(const struct yaml *y, yaml_event_type_t t);
/* False, and *e: "found a list, expected X" at the current event. */
bool yaml_unexpected(struct yaml *y, const char *expected);
/* False, and *e at the current event. */
bool yaml_bad(struct yaml *y, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The whole file, at most a megabyte, freed by the caller; NULL and *e ("expected WHAT"). */
enum { YAML_MOST = 1 << 20 };
char *yaml_slurp(const char *path, size_t *n, const char *what, struct err *e);

#endif

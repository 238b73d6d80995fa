/* SPDX-License-Identifier: Apache-2.0 */
/* yaml: see yaml.h. */
#include "base/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"

int yaml_line(const struct yaml *y) { return (int)(y->ev.start_mark.line + 1); }
int yaml_col(const struct yaml *y) { return (int)(y->ev.start_mark.column + 1); }
const char *yaml_text(const struct yaml *y) { return (const char *)y->ev.data.scalar.value; }
bool yaml_is(const struct yaml *y, yaml_event_type_t t) { return y->ev.type == t; }

bool yaml_is_text(const struct yaml *y) {
  return y->ev.type == YAML_SCALAR_EVENT && strlen(yaml_text(y)) == y->ev.data.scalar.length;
}

bool yaml_next(struct yaml *y) {
  yaml_event_delete(&y->ev);
  if (yaml_parser_parse(&y->parser, &y->ev)) return true;
  memset(&y->ev, 0, sizeof y->ev); /* nothing in it to delete */
  const yaml_parser_t *p = &y->parser;
  const char *what = p->problem ? p->problem : "not readable";
  if (p->error == YAML_READER_ERROR) {
    int line = 1, col = 1;
    for (size_t i = 0; i < p->problem_offset; i++) {
      col = y->text[i] == '\n' ? 1 : col + 1;
      line += y->text[i] == '\n';
    }
    return err_at(y->e, y->file, line, col, "found bytes that are no text (%s), expected YAML in UTF-8", what);
  }
  return err_at(y->e, y->file, (int)(p->problem_mark.line + 1), (int)(p->problem_mark.column + 1),
                "found broken YAML (%s%s%s), expected %s", what, p->context ? ", " : "", p->context ? p->context : "",
                y->expected);
}

static const char *event_name(yaml_event_type_t t) {
  switch (t) {
    case YAML_SCALAR_EVENT: return "a single value";
    case YAML_SEQUENCE_START_EVENT: return "a list";
    case YAML_MAPPING_START_EVENT: return "a mapping";
    case YAML_ALIAS_EVENT: return "an alias";
    default: return "the end";
  }
}

bool yaml_unexpected(struct yaml *y, const char *expected) {
  return yaml_bad(y, "found %s, expected %s", event_name(y->ev.type), expected);
}

bool yaml_bad(struct yaml *y, const char *fmt, ...) {
  char text[sizeof y->e->text];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return err_at(y->e, y->file, yaml_line(y), yaml_col(y), "%s", text);
}

bool yaml_open(struct yaml *y, const char *file, const char *text, size_t n, const char *expected, struct err *e,
               bool *empty) {
  *y = (struct yaml){.file = file, .text = text, .expected = expected, .e = e};
  *empty = false;
  if (!yaml_parser_initialize(&y->parser)) no_memory(1, sizeof y->parser);
  yaml_parser_set_input_string(&y->parser, (const unsigned char *)text, n);
  if (!yaml_next(y)) return false; /* stream start */
  if (!yaml_next(y)) return false;
  *empty = y->ev.type == YAML_STREAM_END_EVENT;
  return *empty || yaml_next(y); /* past document start */
}

bool yaml_end(struct yaml *y) {
  if (!yaml_next(y)) return false; /* document end */
  if (!yaml_next(y)) return false; /* what follows it */
  return y->ev.type == YAML_STREAM_END_EVENT || yaml_bad(y, "found a second document, expected one in a file");
}

void yaml_close(struct yaml *y) {
  yaml_event_delete(&y->ev);
  yaml_parser_delete(&y->parser);
}

char *yaml_slurp(const char *path, size_t *n, const char *what, struct err *e) {
  char why[IO_WHY], *text = input_read(path, YAML_MOST, n, why);
  if (!text) err_at(e, path, 0, 0, "found no readable file (%s), expected %s", why, what);
  return text;
}

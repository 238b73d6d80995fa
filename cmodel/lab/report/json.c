/* SPDX-License-Identifier: Apache-2.0 */
/* json: see json.h. */
#include "lab/report/json.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"

bool json_apart(const char *json, const char *other, const char *option, struct err *e) {
  if (!json || !other || strcmp(json, other) != 0) return true;
  return err_at(e, NULL, 0, 0, "%s: found the file of --json, '%.200s', expected another one", option, other);
}

bool json_alone(const char *path) { return path && !strcmp(path, "-"); }

bool json_writable(const char *path, struct err *e) {
  char why[IO_WHY];
  return output_possible(path, why) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

bool json_save(const char *path, const json_t *j, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(path, why);
  errno = 0;
  bool ok = o && json_dumpf(j, output_stream(o), JSON_FORMAT) == 0 && fputc('\n', output_stream(o)) != EOF;
  int bad = ok || !o ? 0 : errno; /* of standard output the reason is known only now */
  if (o) ok = output_close(o, true, why) && ok;
  if (bad) snprintf(why, sizeof why, "%s", strerror(bad));
  return ok || err_at(e, strcmp(path, "-") ? path : "standard output", 0, 0, "cannot write: %s", why);
}

bool json_save_new(const char *path, json_t *j, struct err *e) {
  const bool ok = json_save(path, j, e);
  json_decref(j);
  return ok;
}

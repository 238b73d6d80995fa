/* SPDX-License-Identifier: Apache-2.0 */
/* dir_kit: a directory of the test's own, made before the first test and removed with its files after the last. After cmocka. */
#ifndef RT_TESTS_DIR_KIT_H
#define RT_TESTS_DIR_KIT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char dir[] = "/tmp/regtwin_unit_XXXXXX";

/* Valid until the next call. */
static inline const char *path_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static inline int make_dir(void **state) {
  (void)state;
  return mkdtemp(dir) ? 0 : -1;
}
static inline int drop_file(const char *path, const struct stat *st, int type, struct FTW *w) {
  (void)st, (void)type, (void)w;
  return remove(path);
}
static inline int drop_dir(void **state) {
  (void)state;
  return nftw(dir, drop_file, 8, FTW_DEPTH | FTW_PHYS);
}

#endif

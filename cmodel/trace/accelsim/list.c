/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list: kernelslist.g: a line for each kernel's file, which lies beside it, and for each copy to the GPU. A line that
 * begins neither with "kernel" nor with "Memcpy" is ignored.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "trace/accelsim/scan.h"
#include "trace/accelsim/traceg.h"

enum { MOST_KERNELS = 1 << 20 };

bool traceg_is_list(const char *path) { return text_ends_with(path, ".g"); }
bool traceg_is(const char *path) {
  return traceg_is_list(path) || text_ends_with(path, ".traceg") || text_ends_with(path, ".traceg.xz");
}

static char *list_path_beside(const char *list, const char *name) {
  const char *slash = strrchr(list, '/');
  const size_t dir = slash ? (size_t)(slash - list) + 1 : 0, n = strlen(name);
  char *path = xmalloc(dir + n + 1);
  memcpy(path, list, dir);
  memcpy(path + dir, name, n + 1);
  return path;
}

static bool list_line(const char *list, struct scan *s, struct traceg_list *l) {
  if (!strncmp(s->at, "Memcpy", 6)) {
    l->copies++;
    return true;
  }
  for (size_t n = strlen(s->at); n && (s->at[n - 1] == ' ' || s->at[n - 1] == '\t'); n--) ((char *)s->at)[n - 1] = 0;
  if (strncmp(s->at, "kernel", 6)) {
    if (!l->others++) {
      l->other_line = s->number;
      snprintf(l->other, sizeof l->other, "%s", s->at);
    }
    return true;
  }
  const size_t word = strcspn(s->at, " \t");
  if (s->at[word] && !traceg_is(s->at)) {
    const char *rest = s->at + word;
    return scan_wrong(s, rest + strspn(rest, " \t"), "the end of the line");
  }
  if (traceg_is_list(s->at) || !traceg_is(s->at) || strchr(s->at, '/'))
    return scan_wrong(s, s->at, "a file beside the list, kernel-N.traceg or kernel-N.traceg.xz");
  if (l->n == MOST_KERNELS) return scan_wrong(s, s->at, "at most 1048576 kernels");
  VEC_PUSH(l->path, l->n, l->room) = list_path_beside(list, s->at);
  return true;
}

bool traceg_list(const char *path, struct traceg_list *l, struct err *e) {
  struct lines *in = lines_open(path, e);
  char *text;
  size_t n;
  int k = in ? 0 : -1;
  *l = (struct traceg_list){0};
  while (in && (k = lines_next(in, &text, &n, e)) > 0) {
    struct scan s = {path, text, text, lines_line(in), e};
    scan_blanks(&s);
    if (*s.at && !list_line(path, &s, l)) {
      k = -1;
      break;
    }
  }
  if (!k && !l->n) {
    err_at(e, path, lines_line(in) + 1, 1, "found no kernel, expected the name of a .traceg file");
    k = -1;
  }
  lines_close(in);
  if (k < 0) traceg_list_free(l);
  return !k;
}

void traceg_list_free(struct traceg_list *l) {
  for (uint32_t k = 0; k < l->n; k++) free(l->path[k]);
  free(l->path);
  *l = (struct traceg_list){0};
}

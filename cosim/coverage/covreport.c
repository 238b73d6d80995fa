/* SPDX-License-Identifier: Apache-2.0 */
/*
 * covreport: a readable report of Verilator's coverage file. covreport DATA WAIVERS INFO LIST prints "line% toggle%
 * line-hit line-all toggle-hit toggle-all waived" on one line; writes lcov's INFO, and into LIST every point that is
 * neither covered nor waived. A point in a module counts once, whichever instance covered it.
 *
 * WAIVERS (may be missing), one per line: "line FILE:LINE reason" or "toggle FILE SIGNAL reason"; FILE is the base
 * name, SIGNAL may hold * and ? and names its bit as name[3]. A waiver without a reason, or that matches no uncovered
 * point, is an error: exit status 2.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"

struct point {
  char *file, *what; /* what: the signal, or the kind of line */
  unsigned line;
  bool toggle, waived;
  unsigned long long count;
};
struct waiver {
  char kind[16], file[128], what[256];
  unsigned at;
  bool used;
};

static struct point *points;
static size_t n_points;

static void *covreport_checked(void *p) {
  if (!p) fprintf(stderr, "covreport: out of memory\n"), exit(2);
  return p;
}

static void covreport_file_error(const char *path) {
  fprintf(stderr, "%s: %s\n", SHOWN(path), strerror(errno));
  exit(2);
}

/* The value of key in "\1key\2value\1...". */
static char *covreport_key_value(const char *keys, const char *key) {
  char want[16];
  snprintf(want, sizeof want, "\001%s\002", key);
  const char *at = strstr(keys, want);
  if (!at) return covreport_checked(strdup(""));
  at += strlen(want);
  return covreport_checked(strndup(at, strcspn(at, "\001")));
}

static int point_by_place(const void *a, const void *b) {
  const struct point *p = a, *q = b;
  int c = strcmp(p->file, q->file);
  if (c) return c;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  if (p->toggle != q->toggle) return p->toggle - q->toggle;
  return strcmp(p->what, q->what);
}

static void points_read(const char *path) {
  char *row = NULL;
  size_t room = 0;
  FILE *f = fopen(path, "r");
  if (!f) covreport_file_error(path);
  while (getline(&row, &room, f) > 0) {
    char *end = strrchr(row, '\'');
    if (strncmp(row, "C '", 3) || !end || end == row + 2) continue;
    *end = 0;
    char *page = covreport_key_value(row, "page"), *line = covreport_key_value(row, "l"),
         *column = covreport_key_value(row, "n"), *o = covreport_key_value(row, "o");
    points = covreport_checked(realloc(points, (n_points + 1) * sizeof *points));
    struct point *p = &points[n_points++];
    *p = (struct point){
        .file = covreport_key_value(row, "f"), .line = (unsigned)atoi(line), .count = strtoull(end + 1, NULL, 10)};
    p->toggle = !strncmp(page, "v_toggle", 8);
    if (p->toggle) p->what = covreport_checked(strdup(o));
    else if (asprintf(&p->what, "%s column %s", o, column) < 0) exit(2);
    free(page), free(line), free(column), free(o);
  }
  free(row);
  fclose(f);
  if (!n_points) fprintf(stderr, "%s: no coverage in it\n", SHOWN(path)), exit(2);
  qsort(points, n_points, sizeof *points, point_by_place);
  size_t n = 0;
  for (size_t i = 0; i < n_points; i++) {
    if (n && !point_by_place(&points[n - 1], &points[i])) points[n - 1].count += points[i].count;
    else points[n++] = points[i];
  }
  n_points = n;
}

static const char *covreport_base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

static bool waiver_matches(const struct waiver *w, const struct point *p) {
  if (p->toggle != !strcmp(w->kind, "toggle") || strcmp(w->file, covreport_base_name(p->file))) return false;
  if (!p->toggle) return w->at == p->line;
  /* brackets name a bit, they are no set of characters */
  char pattern[520];
  size_t n = 0;
  for (const char *c = w->what; *c && n < sizeof pattern - 2; c++) {
    if (*c == '[' || *c == ']') pattern[n++] = '\\';
    pattern[n++] = *c;
  }
  pattern[n] = 0;
  return !fnmatch(pattern, p->what, 0);
}

static int waivers_apply(const char *path) {
  char row[1024];
  int bad = 0, number = 0;
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  while (fgets(row, sizeof row, f)) {
    struct waiver w = {.used = false};
    int used = 0;
    number++;
    if (row[0] == '#' || row[strspn(row, " \n")] == 0) continue;
    bool is = sscanf(row, "%15s", w.kind) == 1;
    if (is && !strcmp(w.kind, "line")) is = sscanf(row, "%*s %127[^: ]:%u %n", w.file, &w.at, &used) == 2;
    else if (is && !strcmp(w.kind, "toggle")) is = sscanf(row, "%*s %127s %255s %n", w.file, w.what, &used) == 2;
    else is = false;
    if (!is || !row[used] || row[used] == '\n') {
      fprintf(stderr, "%s:%d: expected \"line FILE:LINE reason\" or \"toggle FILE SIGNAL reason\"\n", SHOWN(path),
              number);
      bad = 1;
      continue;
    }
    for (size_t i = 0; i < n_points; i++) {
      if (!points[i].count && waiver_matches(&w, &points[i])) points[i].waived = w.used = true;
    }
    if (!w.used) {
      fprintf(stderr, "%s:%d: the waiver matches no uncovered point\n", SHOWN(path), number);
      bad = 1;
    }
  }
  fclose(f);
  return bad;
}

static void points_write_info(const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) covreport_file_error(path);
  for (size_t i = 0; i < n_points;) {
    size_t end = i;
    fprintf(f, "TN:rtl\nSF:%s\n", points[i].file);
    for (; end < n_points && !strcmp(points[end].file, points[i].file);) {
      /* a line's count is the least of its line points; a toggle point only shows that the line exists */
      unsigned long long count = 0;
      unsigned line = points[end].line;
      bool any = false;
      for (; end < n_points && !strcmp(points[end].file, points[i].file) && points[end].line == line; end++) {
        const struct point *p = &points[end];
        if (p->toggle) continue;
        if (!any || p->count < count) count = p->count;
        any = true;
      }
      if (any) fprintf(f, "DA:%u,%llu\n", line, count);
    }
    fputs("end_of_record\n", f);
    i = end;
  }
  if (fclose(f)) covreport_file_error(path);
}

int main(int argc, char **argv) {
  show_guard();
  if (argc != 5) return fprintf(stderr, "usage: covreport DATA WAIVERS INFO LIST\n"), 2;
  points_read(argv[1]);
  int bad = waivers_apply(argv[2]);
  points_write_info(argv[3]);
  FILE *list = fopen(argv[4], "w");
  if (!list) covreport_file_error(argv[4]);
  size_t all[2] = {0, 0}, hit[2] = {0, 0}, waived = 0;
  for (size_t i = 0; i < n_points; i++) {
    const struct point *p = &points[i];
    all[p->toggle] += !p->waived;
    hit[p->toggle] += p->count > 0;
    waived += p->waived;
    if (p->count || p->waived) continue;
    if (p->toggle) fprintf(list, "toggle %s %s\n", covreport_base_name(p->file), p->what);
    else fprintf(list, "line %s:%u %s\n", covreport_base_name(p->file), p->line, p->what);
  }
  if (fclose(list)) covreport_file_error(argv[4]);
  for (int k = 0; k < 2; k++) printf("%.1f ", all[k] ? 100.0 * (double)hit[k] / (double)all[k] : 100.0);
  printf("%zu %zu %zu %zu %zu\n", hit[0], all[0], hit[1], all[1], waived);
  return bad ? 2 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad_cases: reads the bad inputs of a kind: the text KIND in tests/data/bad and the files in the folder KIND beside it. The form is described
 * in tests/bad_cases.sh, the same reader for scripts; both refuse the same files with the same words.
 */
#ifndef RT_TESTS_BAD_CASES_H
#define RT_TESTS_BAD_CASES_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"

struct bad_case {
  const char *name, *message;
  const char *input; /* n bytes; no NUL follows them */
  size_t n;
  char *file; /* the bytes of a case that is a file; else NULL */
};
struct bad_cases {
  struct bad_case *at; /* in the order of their names */
  size_t n, room;
  char *text; /* of a kind's text; the cases point into it */
};

static inline void bad_cases_free(struct bad_cases *c) {
  for (size_t k = 0; k < c->n; k++) free(c->at[k].file);
  free(c->at);
  free(c->text);
  *c = (struct bad_cases){0};
}

/* A text or a file of bad inputs is far smaller. */
enum { BAD_MOST = 1 << 24 };

struct bad_reader {
  struct bad_cases *cases;
  const char *folder; /* tests/data/bad/KIND */
  const char *path;   /* the text of the kind */
  int line;
  bool gap; /* the line before was empty */
  struct err *e;
};

/* Takes "=== NAME: MESSAGE" apart and ends the name with a NUL; false if the line has another form. */
static inline bool bad_separator(char *line, struct bad_case *c, bool *is_file) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
  static const char mark[] = " (file)";
  if (strncmp(line, "=== ", 4) != 0) return false;
  char *name = line + 4, *end = name + strspn(name, letters), *p = end;
  *is_file = strncmp(p, mark, strlen(mark)) == 0;
  if (*is_file) p += strlen(mark);
  if (end == name || strncmp(p, ": ", 2) != 0 || !p[2] || p[2] == ' ' || strchr(p, '\t')) return false;
  *end = 0;
  c->name = name;
  c->message = p + 2;
  return true;
}

/* Begins the case of a separator line. `next`: the line after it. */
static inline bool bad_begin(struct bad_reader *r, char *line, const char *next) {
  struct bad_case new = {.input = next};
  const struct bad_case *last = r->cases->n ? &r->cases->at[r->cases->n - 1] : NULL;
  bool is_file;
  if (!bad_separator(line, &new, &is_file))
    return err_at(r->e, r->path, r->line, 0,
                  "found '%.60s', expected '=== NAME: MESSAGE' or '=== NAME (file): MESSAGE'", line);
  if (last && !r->gap)
    return err_at(r->e, r->path, r->line, 0,
                  "found a case directly after the line before it, expected an empty line between them");
  if (last && strcmp(new.name, last->name) <= 0)
    return err_at(r->e, r->path, r->line, 0, "found case '%s' after '%s', expected the names in order, each once",
                  new.name, last->name);
  if (is_file) {
    char path[600], why[IO_WHY];
    snprintf(path, sizeof path, "%s/%s", r->folder, new.name);
    new.input = new.file = input_read(path, BAD_MOST, &new.n, why);
    if (!new.file) return err_at(r->e, r->path, r->line, 0, "found no file '%s', expected the input of the case", path);
  }
  r->gap = false;
  VEC_PUSH(r->cases->at, r->cases->n, r->cases->room) = new;
  return true;
}

/* A line without its newline, which `end` points to; a NUL stands there. */
static inline bool bad_line(struct bad_reader *r, char *line, char *end) {
  struct bad_case *last = r->cases->n ? &r->cases->at[r->cases->n - 1] : NULL;
  const bool empty = line == end;
  if (!empty && strchr("\t ", end[-1]))
    return err_at(r->e, r->path, r->line, 0, "found a blank or a tab at the end of the line, expected none");
  if (strncmp(line, "===", 3) == 0) return bad_begin(r, line, end + 1);
  if (!last && !empty && line[0] != '#')
    return err_at(r->e, r->path, r->line, 0, "found '%.60s', expected a comment or '=== NAME: MESSAGE'", line);
  if (!last) return true;
  if (last->file && (r->gap || !empty))
    return err_at(r->e, r->path, r->line, 0, "found '%.60s', expected no line, since the input is a file", line);
  if (!last->file && r->gap) last->n = (size_t)(line - last->input);
  if (!last->file && !empty) last->n = (size_t)(end + 1 - last->input);
  r->gap = empty;
  return true;
}

/* Checks the text as a whole: its bytes and its last newline. */
static inline bool bad_text(struct bad_reader *r, const char *text, size_t n) {
  int line = 1;
  for (size_t k = 0; k < n; k++) {
    if (text[k] == '\n') line++;
    else if (text[k] != '\t' && (text[k] < ' ' || text[k] > '~'))
      return err_at(r->e, r->path, line, 0,
                    "found a byte that is not printable ASCII, expected such an input as a file, '=== NAME (file): "
                    "MESSAGE'");
  }
  if (n && text[n - 1] != '\n') return err_at(r->e, r->path, line, 0, "found no newline at the end, expected one");
  return true;
}

static inline int bad_visible(const struct dirent *d) {
  return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}
static inline int bad_by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Checks that each file of the folder is the input of a case. */
static inline bool bad_folder(struct bad_reader *r) {
  struct dirent **file = NULL;
  const int n = scandir(r->folder, &file, bad_visible, bad_by_bytes);
  bool right = true;
  for (int i = 0; i < n; i++) {
    bool used = false;
    for (size_t k = 0; k < r->cases->n && !used; k++)
      used = r->cases->at[k].file && !strcmp(r->cases->at[k].name, file[i]->d_name);
    if (!used)
      right = err_at(r->e, r->path, 0, 0, "found file '%s/%s', expected a case '=== %s (file): MESSAGE'", r->folder,
                     file[i]->d_name, file[i]->d_name);
    free(file[i]);
  }
  free(file);
  return right;
}

static inline bool bad_read(struct bad_reader *r) {
  char why[IO_WHY];
  size_t n = 0;
  char *text = r->cases->text = input_read(r->path, BAD_MOST, &n, why);
  if (!text) return err_at(r->e, r->path, 0, 0, "found no such file, expected the cases of a kind");
  if (!bad_text(r, text, n)) return false;
  for (char *line = text, *end; line < text + n; line = end + 1) {
    const bool separator = strncmp(line, "===", 3) == 0;
    end = strchr(line, '\n');
    *end = 0;
    r->line++;
    if (!bad_line(r, line, end)) return false;
    if (!separator) *end = '\n'; /* inputs stay whole; a message ends with the NUL */
  }
  if (!r->cases->n) return err_at(r->e, r->path, r->line + 1, 0, "found no case, expected '=== NAME: MESSAGE'");
  if (r->gap) return err_at(r->e, r->path, r->line, 0, "found an empty line at the end, expected none");
  return bad_folder(r);
}

/* Reads the cases of the text beside a folder; freed by bad_cases_free. False and *e if the form does not fit. */
static inline bool bad_cases_read(const char *folder, struct bad_cases *c, struct err *e) {
  char path[300];
  struct bad_reader r = {.cases = c, .folder = folder, .path = path, .e = e};
  *c = (struct bad_cases){0};
  snprintf(path, sizeof path, "%s.txt", folder);
  if (bad_read(&r)) return true;
  bad_cases_free(c);
  return false;
}

#endif

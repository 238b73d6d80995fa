/* SPDX-License-Identifier: Apache-2.0 */
/* about: see about.h. */
#include "lab/kernels/suite/about.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/similar.h"
#include "base/words.h"
#include "base/yaml.h"
#include "lab/kernels/suite/metric.h"

const struct paper_info papers[PAPERS] = {
#define PAPER(key, source, machine, mean, whole, groups, rule) \
  {#key, source, machine, __FILE__, PAPER_MEAN_##mean, whole, groups, PAPER_RULE_##rule},
#include "gen/systems/papers.def"
};
const struct paper_name paper_names[] = {
#define NAME(paper, names, group, regs, warps, stall) {PAPER_##paper, names, group, regs, warps, stall},
#include "gen/systems/papers.def"
};
static const char keys_of_papers[] =
#define PAPER(key, source, machine, mean, whole, groups, rule) ", " #key
#include "gen/systems/papers.def"
    ;
const char *const paper_keys = keys_of_papers + 2;
const unsigned paper_nnames = sizeof paper_names / sizeof paper_names[0];

int paper_find(const char *key) {
  for (int p = 0; p < PAPERS; p++)
    if (!strcmp(papers[p].key, key)) return p;
  return -1;
}

int paper_of_folder(const char *folder) {
  const size_t n = strlen(folder);
  for (int p = 0; p < PAPERS; p++) {
    const char *end = strrchr(papers[p].list, '/'); /* FOLDER/paper.def */
    if (!end || (size_t)(end - papers[p].list) < n || strncmp(end - n, folder, n) != 0) continue;
    if (end - n == papers[p].list || end[-(ptrdiff_t)n - 1] == '/') return p;
  }
  return -1;
}

const struct paper_name *paper_name(enum paper p, const char *name) {
  for (unsigned i = 0; i < paper_nnames; i++)
    if (paper_names[i].paper == p && words_index(paper_names[i].names, name) >= 0) return &paper_names[i];
  return NULL;
}

/* ---- the file ---- */

static const char keys_of_a_manifest[] = "what, suite, entry, metric, work, papers, ptxas or differs";
static const char keys_of_a_paper[] = "name, group, regs or warps";

struct reader {
  struct yaml y;
  struct about *a;
  struct arena *arena;
};

static const char *about_keep(struct reader *r) {
  return arena_strndup(r->arena, yaml_text(&r->y), strlen(yaml_text(&r->y)));
}

/* The value after a key, as one line of text; `list`: NULL, or what it may be ("": nothing is right). Current
 * event after it: the next key. */
static bool about_read_line(struct reader *r, const char *key, const char *list, const char **out) {
  struct yaml *y = &r->y;
  char expected[96];
  if (*out) return yaml_bad(y, "found key '%s' a second time, expected it once", key);
  if (!yaml_next(y)) return false;
  snprintf(expected, sizeof expected, "one line of text for '%s'", key);
  if (!yaml_is_text(y)) return yaml_unexpected(y, expected);
  if (!yaml_text(y)[0]) return yaml_bad(y, "found nothing, expected %s", expected);
  if (list && words_index(list, yaml_text(y)) < 0)
    return yaml_bad(y, "found %s '%.40s', expected %s%s", key, yaml_text(y), list[0] ? "one of " : "none", list);
  *out = about_keep(r);
  return yaml_next(y);
}

static bool about_read_number(struct reader *r, const char *key, unsigned least, unsigned most, unsigned *out) {
  struct yaml *y = &r->y;
  if (*out) return yaml_bad(y, "found key '%s' a second time, expected it once", key);
  if (!yaml_next(y)) return false;
  char expected[96];
  snprintf(expected, sizeof expected, "a whole number from %u to %u for '%s'", least, most, key);
  if (!yaml_is_text(y)) return yaml_unexpected(y, expected);
  const char *s = yaml_text(y);
  uint64_t v = 0;
  for (; *s >= '0' && *s <= '9' && v <= most; s++) v = v * 10 + (uint64_t)(*s - '0');
  if (*s || s == yaml_text(y) || v < least || v > most)
    return yaml_bad(y, "found '%.40s', expected %s", yaml_text(y), expected);
  *out = (unsigned)v;
  return yaml_next(y);
}

static bool about_add_name(struct reader *r, int paper) { /* current event: the name */
  struct yaml *y = &r->y;
  struct about_paper *p = &r->a->paper[paper];
  if (!yaml_is_text(y)) return yaml_unexpected(y, "a name, or a list of names");
  if (!yaml_text(y)[0] || strcspn(yaml_text(y), " \t\n:|") != strlen(yaml_text(y)))
    return yaml_bad(y, "found '%.60s', expected a name without spaces, ':' or '|'", yaml_text(y));
  if (papers[paper].whole && !paper_name((enum paper)paper, yaml_text(y)))
    return yaml_bad(y, "found '%.60s', expected a name of %s", yaml_text(y), papers[paper].source);
  for (unsigned i = 0; i < p->nname; i++)
    if (!strcmp(p->name[i], yaml_text(y)))
      return yaml_bad(y, "found '%.60s' a second time, expected it once", yaml_text(y));
  if (p->nname == MOST_ALIASES) return yaml_bad(y, "found more than %d names, expected fewer", MOST_ALIASES);
  p->name[p->nname++] = about_keep(r);
  return yaml_next(y);
}

static bool about_read_names(struct reader *r, int paper) {
  struct yaml *y = &r->y;
  if (r->a->paper[paper].nname) return yaml_bad(y, "found key 'name' a second time, expected it once");
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_SEQUENCE_START_EVENT)) return about_add_name(r, paper);
  if (!yaml_next(y)) return false;
  if (yaml_is(y, YAML_SEQUENCE_END_EVENT)) return yaml_bad(y, "found an empty list, expected names");
  while (!yaml_is(y, YAML_SEQUENCE_END_EVENT))
    if (!about_add_name(r, paper)) return false;
  return yaml_next(y);
}

/* A number that the paper prints must be the same here. */
static bool about_agrees(struct reader *r, int paper, int line, int col) {
  const struct about_paper *p = &r->a->paper[paper];
  struct yaml *y = &r->y;
  for (unsigned i = 0; i < p->nname; i++) {
    const struct paper_name *n = paper_name((enum paper)paper, p->name[i]);
    if (!n) continue;
    if (p->group && strcmp(p->group, n->group))
      return err_at(y->e, y->file, line, col, "found group '%s' for %s, expected %s as in %s", p->group, p->name[i],
                    n->group, papers[paper].source);
    if (p->regs && n->regs && p->regs != n->regs)
      return err_at(y->e, y->file, line, col, "found %u registers for %s, expected %u as in %s", p->regs, p->name[i],
                    n->regs, papers[paper].source);
    if (p->warps && n->warps && p->warps != n->warps)
      return err_at(y->e, y->file, line, col, "found %u warps for %s, expected %u as in %s", p->warps, p->name[i],
                    n->warps, papers[paper].source);
  }
  return true;
}

static bool about_read_paper(struct reader *r) { /* current event: the paper's name */
  struct yaml *y = &r->y;
  int paper = yaml_is_text(y) ? paper_find(yaml_text(y)) : -1, line = yaml_line(y), col = yaml_col(y);
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a paper");
  if (paper < 0) return yaml_bad(y, "found unknown paper '%.40s', expected %s", yaml_text(y), paper_keys);
  struct about_paper *p = &r->a->paper[paper];
  if (p->nname) return yaml_bad(y, "found paper '%s' a second time, expected it once", papers[paper].key);
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "{name: ..., ...} for a paper");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a key");
    const char *key = yaml_text(y);
    bool ok = !strcmp(key, "name")    ? about_read_names(r, paper)
              : !strcmp(key, "group") ? about_read_line(r, "group", papers[paper].groups, &p->group)
              : !strcmp(key, "regs")  ? about_read_number(r, "regs", 1, 255, &p->regs)
              : !strcmp(key, "warps") ? about_read_number(r, "warps", 1, 64, &p->warps)
                                      : yaml_bad(y, "found unknown key '%.40s', expected %s", key, keys_of_a_paper);
    if (!ok) return false;
  }
  if (!p->nname)
    return err_at(y->e, y->file, line, col, "found no name in '%s', expected name: ...", papers[paper].key);
  if (!about_agrees(r, paper, line, col)) return false;
  if (!p->group) p->group = "";
  return yaml_next(y);
}

static bool about_read_papers(struct reader *r, bool *seen) {
  struct yaml *y = &r->y;
  if (*seen) return yaml_bad(y, "found key 'papers' a second time, expected it once");
  *seen = true;
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping of papers");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!about_read_paper(r)) return false;
  return yaml_next(y);
}

/* ptxas: {version: '13', target: sm_75, ENTRY: REGISTERS, ...} */
static bool about_read_count(struct reader *r) { /* current event: an entry's name */
  struct yaml *y = &r->y;
  struct about_ptxas *p = &r->a->ptxas;
  const char *entry = about_keep(r);
  for (unsigned i = 0; i < p->n; i++)
    if (!strcmp(p->of[i].entry, entry))
      return yaml_bad(y, "found entry '%.60s' a second time, expected it once", entry);
  if (p->n == MOST_ENTRIES) return yaml_bad(y, "found more than %d entries, expected fewer", MOST_ENTRIES);
  p->of[p->n].entry = entry;
  return about_read_number(r, entry, 1, 255, &p->of[p->n++].regs);
}

static bool about_read_ptxas(struct reader *r) {
  struct yaml *y = &r->y;
  struct about_ptxas *p = &r->a->ptxas;
  const int line = yaml_line(y), col = yaml_col(y);
  if (p->n) return yaml_bad(y, "found key 'ptxas' a second time, expected it once");
  if (!yaml_next(y)) return false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "{version: ..., target: ..., ENTRY: registers}");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT)) {
    if (!yaml_is_text(y)) return yaml_unexpected(y, "version, target or the name of an entry");
    bool ok = !strcmp(yaml_text(y), "version")  ? about_read_line(r, "version", NULL, &p->version)
              : !strcmp(yaml_text(y), "target") ? about_read_line(r, "target", NULL, &p->target)
                                                : about_read_count(r);
    if (!ok) return false;
  }
  if (!p->version || !p->target || !p->n)
    return err_at(y->e, y->file, line, col, "found 'ptxas' without %s, expected version, target and entries",
                  !p->version  ? "version"
                  : !p->target ? "target"
                               : "an entry");
  return yaml_next(y);
}

static bool about_read_key(struct reader *r, bool *seen_papers) {
  struct yaml *y = &r->y;
  if (!yaml_is_text(y)) return yaml_unexpected(y, "the name of a key");
  char key[16];
  struct about *a = r->a;
  snprintf(key, sizeof key, "%.15s", yaml_text(y));
  if (!strcmp(key, "what")) return about_read_line(r, key, NULL, &a->what);
  if (!strcmp(key, "suite")) return about_read_line(r, key, NULL, &a->suite);
  if (!strcmp(key, "entry")) return about_read_line(r, key, NULL, &a->entry);
  if (!strcmp(key, "metric")) return about_read_line(r, key, quality_metrics, &a->metric);
  if (!strcmp(key, "work")) return about_read_line(r, key, "timing", &a->work);
  if (!strcmp(key, "differs")) return about_read_line(r, key, NULL, &a->differs);
  if (!strcmp(key, "papers")) return about_read_papers(r, seen_papers);
  if (!strcmp(key, "ptxas")) return about_read_ptxas(r);
  return yaml_bad(y, "found unknown key '%.40s', expected %s", yaml_text(y), keys_of_a_manifest);
}

static bool about_read_document(struct reader *r) {
  struct yaml *y = &r->y;
  bool seen_papers = false;
  if (!yaml_is(y, YAML_MAPPING_START_EVENT)) return yaml_unexpected(y, "a mapping of keys to values");
  if (!yaml_next(y)) return false;
  while (!yaml_is(y, YAML_MAPPING_END_EVENT))
    if (!about_read_key(r, &seen_papers)) return false;
  const struct about *a = r->a;
  const char *missing = !a->what       ? "what"
                        : !a->suite    ? "suite"
                        : !a->entry    ? "entry"
                        : !a->metric   ? "metric"
                        : !seen_papers ? "papers"
                        : !a->differs  ? "differs"
                                       : NULL;
  if (missing) return yaml_bad(y, "found no '%s', expected %s", missing, keys_of_a_manifest);
  return yaml_end(y);
}

bool about_text(struct about *a, struct arena *arena, const char *file, const char *text, size_t n, struct err *e) {
  struct reader r = {.a = a, .arena = arena};
  bool empty;
  memset(a, 0, sizeof *a);
  if (n > YAML_MOST) return err_at(e, file, 0, 0, "found %zu bytes, expected a manifest of at most 1 MiB", n);
  bool ok = yaml_open(&r.y, file, text, n, "'key: value' lines", e, &empty);
  if (ok && empty) ok = err_at(e, file, 1, 1, "found nothing, expected %s", keys_of_a_manifest);
  ok = ok && about_read_document(&r);
  yaml_close(&r.y);
  return ok;
}

/* ---- all kernels ---- */

static bool path_exists(const char *path) {
  struct stat st;
  return !stat(path, &st);
}

static bool about_read_file(struct about *a, struct arena *arena, const char *path, bool *there, struct err *e) {
  *there = path_exists(path);
  if (!*there) return true;
  size_t n = 0;
  char *text = yaml_slurp(path, &n, "a manifest", e);
  bool ok = text && about_text(a, arena, path, text, n, e);
  free(text);
  return ok;
}

bool about_beside(struct about *a, struct arena *arena, const char *launch_file, bool *there, struct err *e) {
  char path[4096];
  const char *slash = strrchr(launch_file, '/');
  snprintf(path, sizeof path, "%.*sabout.yaml", slash ? (int)(slash + 1 - launch_file) : 0, launch_file);
  return about_read_file(a, arena, path, there, e);
}

static int suite_by_name(const void *a, const void *b) {
  return strcmp(((const struct suite_kernel *)a)->name, ((const struct suite_kernel *)b)->name);
}

bool suite_read(struct suite *s, const char *root, struct err *e) {
  memset(s, 0, sizeof *s);
  DIR *d = opendir(root);
  if (!d) return err_at(e, root, 0, 0, "found no directory (%s), expected the kernels'", strerror(errno));
  for (struct dirent *f; (f = readdir(d));) {
    char path[4096];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/%s/%s.launch", root, f->d_name, f->d_name);
    if (f->d_name[0] == '.' || n >= sizeof path || !path_exists(path)) continue;
    struct suite_kernel k = {.name = arena_strndup(&s->arena, f->d_name, strlen(f->d_name))};
    VEC_PUSH(s->kernel, s->n, s->cap) = k;
  }
  closedir(d);
  if (s->n) qsort(s->kernel, s->n, sizeof *s->kernel, suite_by_name);
  bool ok = true;
  for (unsigned i = 0; ok && i < s->n; i++) {
    struct suite_kernel *k = &s->kernel[i];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/about.yaml", root, k->name);
    ok = about_read_file(&k->about, &s->arena, path, &k->has_about, e);
  }
  return ok;
}

void suite_free(struct suite *s) {
  arena_free(&s->arena);
  free(s->kernel);
  memset(s, 0, sizeof *s);
}

/* Another spelling of a name that the manifest has counts, too. */
static bool about_has_name(const struct about_paper *p, enum paper paper, const char *name) {
  const struct paper_name *listed = paper_name(paper, name);
  for (unsigned i = 0; i < p->nname; i++)
    if (!strcmp(p->name[i], name) || (listed && listed == paper_name(paper, p->name[i]))) return true;
  return false;
}

const struct suite_kernel *suite_alias(const struct suite *s, const char *name, struct err *e) {
  const char *colon = strchr(name, ':');
  char key[32] = "";
  if (colon) snprintf(key, sizeof key, "%.*s", (int)(colon - name < 31 ? colon - name : 31), name);
  int only = colon ? paper_find(key) : -1;
  if (colon && only < 0) return NULL;
  const char *word = colon ? colon + 1 : name;
  const struct suite_kernel *found = NULL;
  bool two = false;
  char list[512] = "";
  for (unsigned i = 0; i < s->n; i++)
    for (int p = 0; p < PAPERS; p++) {
      if ((only >= 0 && p != only) || !about_has_name(&s->kernel[i].about.paper[p], (enum paper)p, word)) continue;
      two |= found && found != &s->kernel[i];
      found = &s->kernel[i];
      size_t n = strlen(list);
      snprintf(list + n, sizeof list - n, "%s%s (%s)", n ? ", " : "", found->name, papers[p].key);
    }
  if (!two) return found;
  err_at(e, NULL, 0, 0, "found '%.60s', which is more than one kernel, expected one of them: %s", name, list);
  return NULL;
}

char *suite_suggest(const struct suite *s, const char *name, const char *otherwise, char *buf, size_t size) {
  struct similar near;
  similar_begin(&near, name);
  for (unsigned i = 0; i < s->n; i++) similar_offer(&near, s->kernel[i].name);
  for (unsigned i = 0; i < s->n; i++)
    for (int p = 0; p < PAPERS; p++)
      for (unsigned k = 0; k < s->kernel[i].about.paper[p].nname; k++)
        similar_offer(&near, s->kernel[i].about.paper[p].name[k]);
  return similar_ask_or(&near, otherwise, buf, size);
}

const struct suite_kernel *suite_covers(const struct suite *s, const struct paper_name *p) {
  for (unsigned i = 0; i < s->n; i++) {
    const struct about_paper *a = &s->kernel[i].about.paper[p->paper];
    for (unsigned k = 0; k < a->nname; k++)
      if (paper_name(p->paper, a->name[k]) == p) return &s->kernel[i];
  }
  return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_kernels: regtwin list kernels. The table of --limits is the manifest (lab/kernels/suite/about.h) beside what is computed from the kernel itself:
 * registers, blocks and what limits the CTAs on each machine.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/show.h"
#include "cli/list.h"
#include "lab/kernels/suite/about.h"
#include "lab/report/grid.h"
#include "lab/run/shape.h"

/* The first line of a launch file, without its "# ". */
static void launch_file_describe(const char *path, char *buf, size_t size) {
  buf[0] = 0;
  char why[IO_WHY];
  FILE *f = input_open(path, why);
  if (!f) return;
  if (fgets(buf, (int)size, f)) {
    buf[strcspn(buf, "\n")] = 0;
    size_t skip = strspn(buf, "# ");
    memmove(buf, buf + skip, strlen(buf + skip) + 1);
  }
  fclose(f);
}

/* "name  what  text", the name only once for each kernel, and the text under itself. */
static void print_description(const char *name, const char *what, const char *text) {
  printf("%-22s %-8s ", SHOWN(name), what);
  show_wrapped(stdout, text, 32, 32, show_width());
}

static void script_print_names(const char *what, const struct script *s,
                               const char *(*name)(const struct script *, unsigned)) {
  char text[2048] = "";
  for (unsigned k = 0, n = 0; name(s, k) && n < sizeof text; k++)
    n += (unsigned)snprintf(text + n, sizeof text - n, "%s%s", k ? " " : "", name(s, k));
  print_description("", what, text);
}

static bool launch_file_print(const char *name, struct err *e) {
  struct workload w;
  char text[200];
  if (!workload_find(name, &w, e)) return false;
  launch_file_describe(w.path, text, sizeof text);
  w.script = script_read(w.path, e);
  if (!w.script) return false;
  print_description(name, "does", text);
  if (script_size_name(w.script, 0)) script_print_names("sizes", w.script, script_size_name);
  script_print_names("launches", w.script, script_kernel);
  script_free(w.script);
  return true;
}

/* What is said of it at length, after the table. */
static bool at_length(const struct suite_kernel *k, struct err *e) {
  if (!launch_file_print(k->name, e)) return false;
  const struct about *a = &k->about;
  if (!k->has_about) return true;
  char entry[512];
  snprintf(entry, sizeof entry, "%s, metric %s, suite %s%s", a->entry, a->metric, a->suite,
           a->work ? "; what it executes depends on timing" : "");
  print_description("", "what", a->what);
  print_description("", "entry", entry);
  print_description("", "differs", a->differs);
  return true;
}

/* "finereg TR,TP type-r; ltrf transpose insensitive" */
static void names_text(const struct suite_kernel *k, char *buf, size_t size) {
  FILE *f = fmemopen(buf, size, "w");
  const char *between = "";
  if (!f) no_memory(1, BUFSIZ);
  for (int p = 0; p < PAPERS; p++) {
    const struct about_paper *a = &k->about.paper[p];
    if (!a->nname) continue;
    fprintf(f, "%s%s ", between, papers[p].key);
    for (unsigned i = 0; i < a->nname; i++) fprintf(f, "%s%s", i ? "," : "", a->name[i]);
    fprintf(f, "%s%s", a->group[0] ? " " : "", a->group);
    between = "; ";
  }
  fputc(0, f);
  fclose(f);
}

/* Ours, and the paper's beside it. */
static void list_put_both(struct grid *g, unsigned ours, unsigned paper) {
  grid_cell(g, "%u", ours);
  if (paper) grid_cell(g, "%u", paper);
  else grid_cell(g, "-");
}

static bool list_put_row(struct grid *g, const struct suite_kernel *k, struct err *e) {
  struct kernel_shape s;
  char names[512];
  unsigned regs = 0, warps = 0;
  if (!kernel_shape(k->name, k->has_about ? k->about.entry : NULL, &s, e)) return false;
  for (int p = 0; p < PAPERS; p++) {
    if (k->about.paper[p].regs) regs = k->about.paper[p].regs;
    if (k->about.paper[p].warps) warps = k->about.paper[p].warps;
  }
  names_text(k, names, sizeof names);
  grid_row(g);
  grid_cell(g, "%s", k->name);
  list_put_both(g, s.regs, regs);
  if (s.block[2] > 1) grid_cell(g, "%ux%ux%u", s.block[0], s.block[1], s.block[2]);
  else if (s.block[1] > 1) grid_cell(g, "%ux%u", s.block[0], s.block[1]);
  else grid_cell(g, "%u", s.block[0]);
  list_put_both(g, s.need.warps, warps);
  grid_cell(g, "%u", s.need.shared);
  for (const struct config_name *m = config_machines(); m->name; m++) {
    struct cta_fit f;
    if (!kernel_fit(&s, m->name, &f, e)) return false;
    grid_cell(g, "%u by %s", f.ctas, !strcmp(f.limiter, "shared memory") ? "shared" : f.limiter);
  }
  grid_cell(g, "%s", k->has_about ? k->about.suite : "-");
  grid_cell(g, "%s", names[0] ? names : "-");
  return true;
}

static struct grid *new_grid(void) {
  static const char *const left[] = {"kernel", "regs", "paper", "block", "warps", "paper", "shared"};
  struct grid *g = grid_new();
  grid_put_heads(g, left, sizeof left / sizeof *left);
  for (const struct config_name *m = config_machines(); m->name; m++) grid_cell(g, "%s", m->name);
  grid_cell(g, "suite");
  grid_cell(g, "papers");
  grid_right(g, 1, 2);
  grid_right(g, 4, 6);
  return g;
}

/* "18 of 18 names of FineReg (MICRO'18), Table II" and those that no kernel stands for; of a paper without a list only if it was named. */
static void paper_print_coverage(const struct suite *s, enum paper p, bool named, unsigned width) {
  char text[2048];
  unsigned all = 0, here = 0;
  for (unsigned i = 0; i < paper_nnames; i++) {
    if (paper_names[i].paper != p) continue;
    all++;
    here += suite_covers(s, &paper_names[i]) != NULL;
  }
  if (!all) {
    if (named) printf("%s: none of its programs is listed\n", papers[p].source);
    return;
  }
  size_t n = (size_t)snprintf(text, sizeof text, "%s: %u of %u names have a kernel%s", papers[p].source, here, all,
                              here < all ? "; missing:" : "");
  for (unsigned i = 0; i < paper_nnames && n < sizeof text; i++)
    if (paper_names[i].paper == p && !suite_covers(s, &paper_names[i]))
      n += (size_t)snprintf(text + n, sizeof text - n, " %s", paper_names[i].names);
  show_wrapped(stdout, text, 0, 2, width);
}

static bool kernel_is_shown(const struct suite_kernel *k, const struct list_args *a) {
  return a->paper < 0 || k->about.paper[a->paper].nname;
}

/* The paper's names for a kernel and its group there: "TR,TP type-r"; of no paper "". */
static void paper_put_names(const struct suite_kernel *k, int paper, char *buf, size_t size) {
  const struct about_paper *p = paper < 0 ? NULL : &k->about.paper[paper];
  size_t n = 0;
  buf[0] = 0;
  for (unsigned i = 0; p && i < p->nname && n < size; i++)
    n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? "," : "", p->name[i]);
  if (p && p->group[0] && n < size) snprintf(buf + n, size - n, " %s", p->group);
}

/* What each kernel does: its manifest's text, or the first line of its launch file. With --paper what the paper calls it. */
static void suite_print_texts(const struct suite *s, const struct list_args *a) {
  struct listing l = listing_begin(a->names);
  for (unsigned i = 0; i < s->n; i++) {
    const struct suite_kernel *k = &s->kernel[i];
    char text[1024], line[200] = "", names[128];
    struct workload w;
    struct err e = {0};
    if (!kernel_is_shown(k, a)) continue;
    if (!k->has_about && workload_find(k->name, &w, &e)) launch_file_describe(w.path, line, sizeof line);
    paper_put_names(k, a->paper, names, sizeof names);
    snprintf(text, sizeof text, "%s%s%s", names, names[0] ? ": " : "", k->has_about ? k->about.what : line);
    listing_add(&l, k->name, text);
  }
  listing_end(&l);
  if (a->paper < 0 || a->names) return;
  putchar('\n');
  paper_print_coverage(s, (enum paper)a->paper, true, show_width());
}

static bool suite_print_table(const struct suite *s, const struct list_args *a, struct err *e) {
  struct grid *g = new_grid();
  bool ok = true;
  for (unsigned i = 0; ok && i < s->n; i++)
    if (kernel_is_shown(&s->kernel[i], a)) ok = list_put_row(g, &s->kernel[i], e);
  if (ok) grid_print(g, stdout);
  grid_free(g);
  if (!ok) return false;
  putchar('\n');
  for (int p = 0; p < PAPERS; p++)
    if (a->paper < 0 || a->paper == p) paper_print_coverage(s, (enum paper)p, a->paper == p, UINT_MAX);
  return true;
}

int list_kernels(const struct list_args *a) {
  struct err e = {0};
  struct suite s;
  bool ok = suite_open(&s, &e);
  if (ok && a->limits) ok = suite_print_table(&s, a, &e);
  else if (ok && !a->verbose) suite_print_texts(&s, a);
  for (unsigned i = 0; ok && a->verbose && i < s.n; i++)
    if (kernel_is_shown(&s.kernel[i], a)) ok = at_length(&s.kernel[i], &e);
  suite_free(&s);
  return ok ? 0 : err_complain(&e);
}

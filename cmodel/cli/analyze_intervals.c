/* SPDX-License-Identifier: Apache-2.0 */
/* analyze --intervals and --strands: prefetch subgraphs of allocated kernels, or of the functions of a file of nvdisasm,
 * as a table, as a graph and as a picture. The table is printed when all of them are formed and all files written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cli/cli.h"
#include "lab/report/picture.h"
#include "compiler/ir/nvdisasm.h"

struct buffer {
  FILE *f;
  char *text;
  size_t n;
};

static void buffer_open(struct buffer *b) {
  if (!(b->f = open_memstream(&b->text, &b->n))) no_memory(1, BUFSIZ);
}

static void buffer_close(struct buffer *b) {
  if (fclose(b->f)) no_memory(1, BUFSIZ);
}

struct view {
  const struct intervals_args *a;
  struct buffer table, graph;
  uint32_t funcs, intervals, unreached;
};

static bool view_add(struct view *v, const struct cfg *g, struct err *e) {
  const struct intervals_args *a = v->a;
  struct intervals i;
  if (!(a->strands ? strands_form(g, a->cut, a->most, &i, e) : intervals_form(g, a->most, &i, e))) return false;
  intervals_text(g, &i, a->strands ? "strand" : "register-interval", a->most, v->table.f);
  if (a->dot || a->picture) intervals_dot(g, &i, v->graph.f);
  v->funcs += g->nfunc;
  v->intervals += i.n;
  v->unreached += i.unreached;
  intervals_clear(&i);
  return true;
}

static bool view_add_all(struct view *v, const struct module *m, struct err *e) {
  bool ok = true;
  if (v->a->cfg) {
    struct sass s;
    ok = sass_read(v->a->cfg, &s, e);
    if (!ok) return false;
    ok = view_add(v, &s.g, e);
    sass_free(&s);
    return ok;
  }
  for (uint32_t k = 0; ok && k < m->nkernel; k++) {
    struct cfg g;
    if (v->a->kernel && strcmp(v->a->kernel, m->kernel[k].name) != 0) continue;
    cfg_of_code(&m->kernel[k], &g);
    ok = view_add(v, &g, e);
    cfg_free(&g);
  }
  return ok;
}

static bool save_graph(const char *path, const struct buffer *b, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(path, why);
  if (o) fwrite(b->text, 1, b->n, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

static bool view_put(const struct view *v, const char *file, struct err *e) {
  const struct intervals_args *a = v->a;
  if (a->dot && !save_graph(a->dot, &v->graph, e)) return false;
  if (a->picture && !picture_digraph(a->picture, v->graph.text, v->graph.n, e)) return false;
  if (v->unreached)
    warn("%s: found %" PRIu32 " block%s that the entry does not reach, in no interval", file, v->unreached,
         v->unreached == 1 ? "" : "s");
  if (a->dot && !strcmp(a->dot, "-")) return true;
  fwrite(v->table.text, 1, v->table.n, stdout);
  if (v->funcs > 1) printf("%" PRIu32 " functions, %" PRIu32 " intervals\n", v->funcs, v->intervals);
  return true;
}

bool analyze_intervals(const struct intervals_args *a, const struct module *m, struct err *e) {
  struct view v = {.a = a};
  buffer_open(&v.table);
  buffer_open(&v.graph);
  bool ok = view_add_all(&v, m, e);
  buffer_close(&v.table);
  buffer_close(&v.graph);
  ok = ok && view_put(&v, a->cfg ? a->cfg : m->file, e);
  free(v.table.text);
  free(v.graph.text);
  return ok;
}

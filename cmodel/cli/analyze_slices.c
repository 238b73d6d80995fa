/* SPDX-License-Identifier: Apache-2.0 */
/* analyze --slices and --map: packed code, as the systems with slices compile it. */
#include <string.h>

#include "compiler/narrow/packing.h"
#include "cli/cli.h"
#include "lab/run/compile.h"
#include "lab/run/slices_map.h"
#include "compiler/ptx/ptx.h"
#include "lab/report/plot.h"

/* Of a PTX file nothing more is known: integers by what the code says. */
static struct module *pack_ptx(const char *path, const struct config *cfg, struct err *e) {
  struct module *m = ptx_load(path, e);
  const struct narrowing how = {.ints = true, .split = true};
  bool ok = m != NULL;
  if (m) m->schedule = schedule_of(cfg);
  for (uint32_t i = 0; ok && i < m->nkernel; i++) ok = pack_kernel(m, &m->kernel[i], &how, e);
  if (ok) return m;
  module_free(m);
  return NULL;
}

static bool slices_show(struct module *m, struct slices_args *a, struct err *e) {
  if (!analyze_entry(m, &a->kernel, e)) return false;
  if (a->map && !a->kernel && m->nkernel > 1)
    return err_at(e, m->file, 0, 0, "found %u entries, expected --kernel with the one to draw for --map",
                  (unsigned)m->nkernel);
  for (uint32_t i = 0; i < m->nkernel; i++) {
    const struct code *c = &m->kernel[i];
    if (a->kernel && strcmp(a->kernel, c->name)) continue;
    if (a->map && !slices_draw(c, a->map, e)) return false;
    analyze_slices(c, stdout);
  }
  return true;
}

bool analyze_packed(struct slices_args *a, struct err *e) {
  if (a->map && !plot_file(a->map, "--map", e)) return false;
  if (analyze_is_ptx(a->what)) {
    struct module *m = pack_ptx(a->what, a->cfg, e);
    bool ok = m && slices_show(m, a, e);
    module_free(m);
    return ok;
  }
  struct config cfg = *a->cfg;
  struct workload w;
  cfg.compile_narrow = strcmp(a->widths, "int") ? compile_narrow_full : compile_narrow_int;
  cfg.compile_quality = strcmp(a->widths, "high") ? compile_quality_perfect : compile_quality_high;
  if (!workload_compile(a->what, a->size, &cfg, 0, &w, e)) return false;
  bool ok = slices_show(w.module, a, e);
  workload_close(&w);
  return ok;
}

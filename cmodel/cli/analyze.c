/* SPDX-License-Identifier: Apache-2.0 */
/* analyze: regtwin analyze NAME|FILE.launch|FILE.ptx: registers, liveness and control flow as text and as
 * Graphviz. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cli/cli.h"
#include "ptx/ptx.h"

struct args {
  const char *what, *dot, *kernel;
  uint32_t regs;
  bool live;
};

enum { OPT_DOT = 256, OPT_KERNEL, OPT_REGS, OPT_LIVE };
static const struct argp_option options[] = {
    {"dot", OPT_DOT, "FILE", 0,
     "write the control-flow graphs for Graphviz; - is standard output, without the text", 0},
    {"kernel", OPT_KERNEL, "ENTRY", 0, "only this .entry; default: all of them", 0},
    {"live", OPT_LIVE, NULL, 0,
     "show at each instruction the registers that its warp must keep (FineReg's live vector)", 0},
    {"regs", OPT_REGS, "N", 0, "force the number of registers per thread, as a launch file's regs", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_DOT: a->dot = arg; return 0;
    case OPT_KERNEL: a->kernel = arg; return 0;
    case OPT_LIVE: a->live = true; return 0;
    case OPT_REGS: a->regs = (uint32_t)number_arg(state, "--regs", arg, 1, 255); return 0;
    case ARGP_KEY_ARG:
      if (a->what) argp_error(state, "found a second argument '%s', expected one kernel", arg);
      a->what = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "found no kernel, expected a name or the path of a .ptx file");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* The module, allocated; for a name or a launch file with the registers that it forces. */
static struct module *open_module(const struct args *a, struct err *e) {
  size_t n = strlen(a->what);
  bool is_ptx = n > 4 && !strcmp(a->what + n - 4, ".ptx");
  struct workload w = {0};
  if (!is_ptx) {
    if (!workload_find(a->what, "default", &w, e)) return NULL;
    w.script = script_read(w.path, e);
    if (!w.script) return NULL;
  }
  struct module *m = ptx_load(is_ptx ? a->what : script_ptx(w.script), e);
  bool ok = m != NULL;
  for (uint32_t i = 0; ok && i < m->nkernel; i++) {
    struct code *c = &m->kernel[i];
    ok = alloc_kernel(m, c, a->regs ? a->regs : w.script ? script_regs(w.script, c->name) : 0, e);
  }
  if (w.script) script_free(w.script);
  if (ok) return m;
  module_free(m);
  return NULL;
}

static void each(const struct args *a, struct module *m, void (*print)(const struct code *, FILE *),
                 FILE *f) {
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (!a->kernel || !strcmp(a->kernel, m->kernel[i].name)) print(&m->kernel[i], f);
}

static bool save_dot(const struct args *a, struct module *m, struct err *e) {
  FILE *f = strcmp(a->dot, "-") ? fopen(a->dot, "w") : stdout;
  if (!f) return err_at(e, a->dot, 0, 0, "cannot write: %s", strerror(errno));
  each(a, m, analyze_dot, f);
  bool bad = fflush(f) || ferror(f);
  int why = errno;
  if (f != stdout && fclose(f)) bad = true;
  return bad ? err_at(e, a->dot, 0, 0, "cannot write: %s", strerror(why)) : true;
}

int cmd_analyze(int argc, char **argv) {
  static const struct argp argp = {
      options,
      parse,
      "NAME|FILE.launch|FILE.ptx",
      "Shows registers, what is live at each instruction, basic blocks and where divergent paths meet.",
      NULL,
      NULL,
      NULL};
  struct args a = {0};
  struct err e = {0};
  if (argp_parse(&argp, argc, argv, 0, NULL, &a)) return EXIT_INPUT;
  struct module *m = open_module(&a, &e);
  if (!m) return complain(&e);
  bool ok = true;
  if (a.kernel && !module_kernel(m, a.kernel))
    ok = err_at(&e, m->file, 0, 0, "found no .entry '%.100s', expected one of this file", a.kernel);
  if (ok && !(a.dot && !strcmp(a.dot, "-"))) each(&a, m, a.live ? analyze_live : analyze_text, stdout);
  if (ok && a.dot) ok = save_dot(&a, m, &e);
  module_free(m);
  return ok ? 0 : complain(&e);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* analyze: regtwin analyze NAME|FILE.launch|FILE.ptx: registers, liveness and control flow as text and as Graphviz. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/narrow/packing.h"
#include "compiler/regalloc/regalloc.h"
#include "base/io.h"
#include "base/words.h"
#include "cli/cli.h"
#include "lab/run/compile.h"
#include "lab/run/reuse.h"
#include "lab/run/widths.h"
#include "compiler/ptx/ptx.h"
#include "lab/report/picture.h"
#include "compiler/ir/nvdisasm.h"

struct args {
  const char *what, *dot, *kernel;
  const char *widths; /* perfect, high or a file */
  const char *size;
  const char *slices, *map;
  const char *cfg, *picture, *write_cfg;
  const char *write_profile, *read_profile;
  uint32_t reuse;      /* CTAs of each kernel; 0: not asked for */
  uint32_t regs, most; /* most: registers of an interval; 0: not given */
  bool live, ranges, launch, registers, intervals, strands;
  enum strand_cut cut;
  struct config_args config;
};

enum {
  OPT_DOT = 256,
  OPT_KERNEL,
  OPT_REGS,
  OPT_LIVE,
  OPT_WIDTHS,
  OPT_RANGES,
  OPT_SIZE,
  OPT_SLICES,
  OPT_MAP,
  OPT_LAUNCH,
  OPT_REGISTERS,
  OPT_INTERVALS,
  OPT_STRANDS,
  OPT_CFG,
  OPT_PICTURE,
  OPT_WRITE_CFG,
  OPT_REUSE,
  OPT_WRITE_PROFILE,
  OPT_READ_PROFILE
};
static const struct argp_option options[] = {
    {"dot", OPT_DOT, "FILE", 0, "write the control-flow graphs for Graphviz; - is standard output, without the text",
     0},
    {"kernel", OPT_KERNEL, "ENTRY", 0,
     "show only this .entry, by its name or the base name of a mangled one; default: all", 0},
    {"live", OPT_LIVE, NULL, 0,
     "show at each instruction the live registers of its warp, as FineReg's live vector and by name", 0},
    {"widths", OPT_WIDTHS, "QUALITY", OPTION_ARG_OPTIONAL,
     "show at each instruction how many bits of a float register slices keep: for quality perfect or high, from the "
     "widths file beside the kernel, or for the path of such a file; default: perfect",
     0},
    {"ranges", OPT_RANGES, NULL, 0,
     "show the value range of the integers that each instruction writes, and its derivation; a name or launch file is "
     "executed first, so that its launches are known",
     0},
    {"size", OPT_SIZE, "NAME", 0,
     "size of the launch file's inputs, one that 'regtwin list kernels -v' shows; default: default", 0},
    {"slices", OPT_SLICES, "QUALITY", OPTION_ARG_OPTIONAL,
     "show narrow code: each operand's kind, width in nibbles and slices, and the table; floats as wide as quality "
     "perfect or high needs, or int: floats keep 32 bits; default: perfect",
     0},
    {"map", OPT_MAP, "FILE", 0,
     "with --slices: draw the slices in use at each instruction, .png or .svg (needs gnuplot)", 0},
    {"launch", OPT_LAUNCH, NULL, 0,
     "with FILE.ptx: print a launch file to complete instead, with every entry and its parameters", 0},
    {"registers", OPT_REGISTERS, NULL, 0,
     "print a table instead: registers per thread of each launched entry, live at once, as written, as scheduled "
     "(compile.schedule=list), as the launch file forces them, and as ptxas gives them; without NAME of all kernels",
     0},
    {"intervals", OPT_INTERVALS, "N", OPTION_ARG_OPTIONAL,
     "show LTRF's register-intervals instead: header, instructions and registers of each, of at most N registers, and "
     "what their PREFETCHes add to the code; default: 16 registers",
     0},
    {"strands", OPT_STRANDS, "CUT", OPTION_ARG_OPTIONAL,
     "show strands instead of intervals; a late result ends one before the first use of its register (use) or right "
     "after its operation (op); default: use",
     0},
    {"cfg", OPT_CFG, "FILE.dot", 0,
     "with --intervals or --strands: take the functions of this file, which nvdisasm -cfg has made, instead of a "
     "kernel",
     0},
    {"picture", OPT_PICTURE, "FILE", 0, "draw what --dot writes, of one entry, .png or .svg (needs Graphviz)", 0},
    {"write-cfg", OPT_WRITE_CFG, "FILE", 0, "write the allocated code in the form of nvdisasm -cfg, which --cfg reads",
     0},
    {"reuse", OPT_REUSE, "CTAS", OPTION_ARG_OPTIONAL,
     "show instead how many instructions lie between two uses of a register, and which operands are near (Malekeh), of "
     "the first CTAS of each kernel, which are executed; all: of every CTA; default: 2",
     0},
    {"write-profile", OPT_WRITE_PROFILE, "FILE", 0,
     "with --reuse: write how often each operand is reused near and far, as key malekeh.profile reads it", 0},
    {"read-profile", OPT_READ_PROFILE, "FILE", 0,
     "with --reuse: show this profile, which must be of the kernel as it is; nothing is executed", 0},
    {"regs", OPT_REGS, "N", 0,
     "force the number of registers per thread, as regs N of a launch file does; default: as compile.regs says", 0},
    {0}};

/* What --intervals, --strands and the options about graphs go with. */
static void check_graph(struct argp_state *state, const struct args *a) {
  const char *other = a->registers ? "registers"
                      : a->launch  ? "launch"
                      : a->widths  ? "widths"
                      : a->ranges  ? "ranges"
                      : a->slices  ? "slices"
                                   : NULL;
  const char *mine = a->intervals   ? "intervals"
                     : a->strands   ? "strands"
                     : a->cfg       ? "cfg"
                     : a->picture   ? "picture"
                     : a->write_cfg ? "write-cfg"
                                    : NULL;
  if (!other && a->live && (a->intervals || a->strands)) other = "live";
  if (mine && other) argp_error(state, "found --%s with --%s, expected one of them", mine, other);
  if (!a->cfg) return;
  if (!a->intervals && !a->strands)
    argp_error(state, "found --cfg without --intervals and --strands, expected one of them");
  if (a->what) argp_error(state, "found --cfg with kernel '%s', expected one of them", a->what);
  if (a->kernel || a->regs || a->write_cfg)
    argp_error(state, "found --cfg with --%s, expected one of them",
               a->kernel ? "kernel"
               : a->regs ? "regs"
                         : "write-cfg");
}

/* What --reuse goes with: a kernel to execute, and none of the other views. */
static void check_reuse(struct argp_state *state, const struct args *a) {
  const char *other = a->registers   ? "registers"
                      : a->launch    ? "launch"
                      : a->widths    ? "widths"
                      : a->ranges    ? "ranges"
                      : a->slices    ? "slices"
                      : a->live      ? "live"
                      : a->regs      ? "regs"
                      : a->dot       ? "dot"
                      : a->intervals ? "intervals"
                      : a->strands   ? "strands"
                      : a->cfg       ? "cfg"
                      : a->picture   ? "picture"
                      : a->write_cfg ? "write-cfg"
                                     : NULL;
  const char *file = a->write_profile ? "write-profile" : a->read_profile ? "read-profile" : NULL;
  if (file && !a->reuse) argp_error(state, "found --%s without --reuse, expected both", file);
  if (a->write_profile && a->read_profile)
    argp_error(state, "found --write-profile with --read-profile, expected one of them");
  if (a->reuse && other) argp_error(state, "found --reuse with --%s, expected one of them", other);
  if (a->reuse && a->what && analyze_is_ptx(a->what))
    argp_error(state, "found --reuse with '%s', expected a name or a launch file: it is executed", a->what);
  if (a->write_profile && a->kernel)
    argp_error(state, "found --write-profile with --kernel, expected one of them: a profile has every kernel");
}

static error_t analyze_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case OPT_DOT: a->dot = arg; return 0;
    case OPT_KERNEL: a->kernel = arg; return 0;
    case OPT_LAUNCH: a->launch = true; return 0;
    case OPT_LIVE: a->live = true; return 0;
    case OPT_REGISTERS: a->registers = true; return 0;
    case OPT_RANGES: a->ranges = true; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_WIDTHS: a->widths = arg ? arg : "perfect"; return 0;
    case OPT_SLICES:
      a->slices = arg ? arg : "perfect";
      if (words_index("perfect|high|int", a->slices) < 0)
        argp_error(state, "--slices: found '%s', expected perfect, high or int", arg);
      return 0;
    case OPT_MAP: a->map = arg; return 0;
    case OPT_INTERVALS:
      a->intervals = true;
      if (arg) a->most = (uint32_t)number_arg(state, "--intervals", arg, 1, 256);
      return 0;
    case OPT_STRANDS:
      a->strands = true;
      a->cut = arg && !strcmp(arg, "op") ? STRAND_OP : STRAND_USE;
      if (arg && words_index("use|op", arg) < 0) argp_error(state, "--strands: found '%s', expected use or op", arg);
      return 0;
    case OPT_CFG: a->cfg = arg; return 0;
    case OPT_PICTURE: a->picture = arg; return 0;
    case OPT_WRITE_CFG: a->write_cfg = arg; return 0;
    case OPT_REUSE:
      a->reuse = !arg                  ? REUSE_CTAS
                 : !strcmp(arg, "all") ? REUSE_ALL
                                       : (uint32_t)number_arg(state, "--reuse", arg, 1, 1000000);
      return 0;
    case OPT_WRITE_PROFILE: a->write_profile = arg; return 0;
    case OPT_READ_PROFILE: a->read_profile = arg; return 0;
    case OPT_REGS: a->regs = (uint32_t)number_arg(state, "--regs", arg, 1, 255); return 0;
    case ARGP_KEY_ARG:
      if ((a->intervals || a->strands) && !a->most && arg[strspn(arg, "0123456789")] == 0) {
        a->most = (uint32_t)number_arg(state, "--intervals", arg, 1, 256); /* --intervals 16 */
        return 0;
      }
      if (a->what) argp_error(state, "found a second argument '%s', expected one kernel", arg);
      a->what = arg;
      return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case ARGP_KEY_END:
      check_graph(state, a);
      check_reuse(state, a);
      if (!a->what && !a->registers && !a->cfg) {
        argp_error(state, "found no kernel, expected a name or the path of a .ptx file");
        return 0;
      }
      if (a->registers) {
        if ((a->what && analyze_is_ptx(a->what)) || a->live || a->ranges || a->regs || a->widths || a->slices ||
            a->dot || a->launch || a->kernel)
          argp_error(state,
                     "found --registers with a PTX file or another view, expected at most a name or a launch "
                     "file");
        return 0;
      }
      if (a->launch &&
          (!analyze_is_ptx(a->what) || a->live || a->ranges || a->regs || a->widths || a->slices || a->dot))
        argp_error(state, "found --launch with '%s' or another view, expected a FILE.ptx and at most --kernel",
                   a->what);
      if (a->widths && (a->live || a->regs))
        argp_error(state, "found --widths with --%s, expected one of them", a->live ? "live" : "regs");
      if (a->ranges && (a->live || a->regs || a->widths || a->dot))
        argp_error(state, "found --ranges with --%s, expected one of them",
                   a->live   ? "live"
                   : a->regs ? "regs"
                   : a->dot  ? "dot"
                             : "widths");
      if (a->map && !a->slices) argp_error(state, "found --map without --slices");
      if (a->slices && (a->widths || a->ranges || a->live || a->regs || a->dot))
        argp_error(state, "found --slices with --%s, expected one of them",
                   a->widths   ? "widths"
                   : a->ranges ? "ranges"
                   : a->live   ? "live"
                   : a->regs   ? "regs"
                               : "dot");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* The file of widths, and every kernel packed by it. */
static bool analyze_pack(const struct args *a, struct module *m, struct widths *w, struct err *e) {
  char path[1100];
  const bool own = strcmp(a->widths, "perfect") && strcmp(a->widths, "high");
  if (own) snprintf(path, sizeof path, "%s", a->widths);
  else widths_path(path, sizeof path, m->file, m->file);
  const struct narrowing how = {.floats = w, .split = true};
  bool ok = widths_read(w, path, m, own ? NULL : a->widths, e);
  if (ok && !w->of)
    ok = err_at(e, path, 0, 0, "found no widths of quality %s, expected some (regtwin tune)", a->widths);
  for (uint32_t i = 0; ok && i < m->nkernel; i++)
    ok = pack_kernel(m, &m->kernel[i], &how, e) && widths_fit(w, &m->kernel[i], e);
  return ok;
}

bool analyze_is_ptx(const char *what) {
  size_t n = strlen(what);
  return !strcmp(what, "-") || (n > 4 && !strcmp(what + n - 4, ".ptx"));
}

/* A kernel whose registers do not suffice is refused like those that cannot be lowered. */
static bool analyze_alloc(const struct args *a, const struct script *s, struct module *m, struct err *e) {
  for (uint32_t i = 0; i < m->nkernel;) {
    struct code *c = &m->kernel[i];
    struct err why = {0};
    if (alloc_kernel(m, c, a->regs ? a->regs : s ? script_regs(s, c->name) : 0, &why)) i++;
    else module_drop(m, i, &why);
  }
  return m->nkernel ? true : module_refused(m, m->refused, e);
}

/* The module, packed or allocated; for a name or a launch file with the registers that it forces. */
static struct module *open_module(const struct args *a, const struct config *cfg, struct widths *w, struct err *e) {
  struct workload l = {0};
  if (!analyze_is_ptx(a->what)) {
    if (!workload_find(a->what, &l, e)) return NULL;
    if (l.is_trace) {
      err_at(e, l.path, 0, 0, "found a trace, expected a launch file, a kernel's name or a PTX file");
      return NULL;
    }
    l.script = script_read(l.path, e);
    if (!l.script || !script_choose(l.script, a->size, e)) {
      script_free(l.script);
      return NULL;
    }
  }
  struct module *m = ptx_load(l.script ? script_ptx(l.script) : a->what, e);
  bool ok = m && (!l.script || script_resolve(l.script, m, e));
  if (m) m->schedule = schedule_of(cfg);
  if (ok) ok = a->widths ? analyze_pack(a, m, w, e) : analyze_alloc(a, l.script, m, e);
  if (l.script) script_free(l.script);
  if (ok) return m;
  module_free(m);
  return NULL;
}

static bool analyze_wants_kernel(const struct args *a, const struct code *c) {
  return !a->kernel || !strcmp(a->kernel, c->name);
}

static void analyze_print_each(const struct args *a, struct module *m, void (*print)(const struct code *, FILE *),
                               FILE *f) {
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (analyze_wants_kernel(a, &m->kernel[i])) print(&m->kernel[i], f);
}

static void analyze_print_widths(const struct args *a, struct module *m, const struct widths *w) {
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (analyze_wants_kernel(a, &m->kernel[i])) widths_print(w, &m->kernel[i], stdout);
}

bool analyze_entry(struct module *m, const char **kernel, struct err *e) {
  if (*kernel) {
    const struct code *c = module_find(m, *kernel, m->file, 0, 0, e);
    if (c) *kernel = c->name;
    return c != NULL;
  }
  for (const struct refusal *r = m->refused; r; r = r->next) {
    char place[1200];
    err_format(&r->why, place, sizeof place);
    note("kernel '%.200s' is refused: %s", r->name, place);
  }
  return true;
}

static bool show_ranges(struct args *a, struct err *e) {
  struct workload l = {0};
  struct launch_facts *f = NULL;
  struct quality_results r = {0};
  bool ok = true;
  if (!analyze_is_ptx(a->what)) {
    if (!workload_open(a->what, a->size, &l, e)) return false;
    f = facts_new(l.module);
    ok = facts_run(&l, 0, false, f, &r, e);
    quality_free(&r);
  }
  struct module *m = ok ? ptx_load(f ? script_ptx(l.script) : a->what, e) : NULL;
  ok = m && analyze_entry(m, &a->kernel, e);
  for (uint32_t i = 0; ok && i < m->nkernel; i++)
    if (analyze_wants_kernel(a, &m->kernel[i])) analyze_ranges(m, &m->kernel[i], f ? &f[i] : NULL, stdout);
  module_free(m);
  if (f) {
    facts_free(f, l.module);
    workload_close(&l);
  }
  return ok;
}

static bool save_dot(const struct args *a, struct module *m, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(a->dot, why);
  if (o) analyze_print_each(a, m, analyze_dot, output_stream(o));
  return (o && output_close(o, true, why)) || err_at(e, a->dot, 0, 0, "cannot write: %s", why);
}

static bool save_cfg(const struct args *a, struct module *m, struct err *e) {
  char why[IO_WHY];
  const struct code **kernel = xcalloc(m->nkernel, sizeof *kernel);
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->nkernel; i++)
    if (analyze_wants_kernel(a, &m->kernel[i])) kernel[n++] = &m->kernel[i];
  struct output *o = output_open(a->write_cfg, why);
  if (o) sass_write(kernel, n, output_stream(o));
  free(kernel);
  return (o && output_close(o, true, why)) || err_at(e, a->write_cfg, 0, 0, "cannot write: %s", why);
}

static bool save_picture(const struct args *a, struct module *m, struct err *e) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f) no_memory(1, BUFSIZ);
  analyze_print_each(a, m, analyze_dot, f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  const bool ok = picture_digraph(a->picture, text, n, e);
  free(text);
  return ok;
}

/* A picture has one graph. */
static bool picture_possible_of(const struct args *a, const struct module *m, struct err *e) {
  if (!a->picture) return true;
  if (m && !a->kernel && m->nkernel > 1)
    return err_at(e, m->file, 0, 0, "found %u entries, expected --kernel with the one to draw for --picture",
                  (unsigned)m->nkernel);
  return picture_digraph_file(a->picture, "--picture", e);
}

static bool show_intervals(const struct args *a, struct module *m, struct err *e) {
  const struct intervals_args i = {.cfg = a->cfg,
                                   .strands = a->strands,
                                   .cut = a->cut,
                                   .most = a->most ? a->most : INTERVAL_REGS,
                                   .kernel = a->kernel,
                                   .dot = a->dot,
                                   .picture = a->picture};
  return analyze_intervals(&i, m, e);
}

/* Registers and liveness, or widths. */
static bool show_code(const struct args *a, struct module *m, const struct widths *w, struct err *e) {
  if (!(a->dot && !strcmp(a->dot, "-"))) {
    if (a->widths) analyze_print_widths(a, m, w);
    else analyze_print_each(a, m, a->live ? analyze_live : analyze_text, stdout);
  }
  return (!a->dot || save_dot(a, m, e)) && (!a->picture || save_picture(a, m, e));
}

static bool show_launch(const struct args *a, struct err *e) {
  struct module *m = ptx_load(a->what, e);
  const char *kernel = a->kernel;
  bool ok = m && analyze_entry(m, &kernel, e) && skeleton_print(m, kernel, a->what, stdout, e);
  module_free(m);
  return ok;
}

int cmd_analyze(int argc, char **argv) {
  static const struct argp_child children[] = {{&plain_argp, 0, "Configuration (section compile):", 1}, {0}};
  static const struct argp argp = {
      options,
      analyze_parse,
      "NAME|FILE.launch|FILE.ptx\n--registers [NAME|FILE.launch]\n--intervals[=N] --cfg FILE.dot\n--reuse[=CTAS] "
      "NAME|FILE.launch",
      "Shows registers, what is live at each instruction, basic blocks and where divergent paths meet.",
      children,
      NULL,
      NULL};
  struct args a = {.size = "default"};
  struct config cfg;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, 0, &a)) return EXIT_INPUT;
  if (!config_from(&a.config, &cfg, &e)) return err_complain(&e);
  if (a.registers) return analyze_registers(a.what, a.size, &cfg, &e) ? 0 : err_complain(&e);
  if (a.launch) return show_launch(&a, &e) ? 0 : err_complain(&e);
  if (a.ranges) return show_ranges(&a, &e) ? 0 : err_complain(&e);
  if (a.slices) {
    struct slices_args s = {a.what, a.size, a.kernel, a.slices, a.map, &cfg};
    return analyze_packed(&s, &e) ? 0 : err_complain(&e);
  }
  if (a.reuse) {
    struct reuse_args r = {a.what, a.size, a.kernel, a.write_profile, a.read_profile, a.reuse, &cfg};
    return analyze_reuse(&r, &e) ? 0 : err_complain(&e);
  }
  if (a.cfg) return picture_possible_of(&a, NULL, &e) && show_intervals(&a, NULL, &e) ? 0 : err_complain(&e);
  struct widths w = {0};
  struct module *m = open_module(&a, &cfg, &w, &e);
  bool ok = m && analyze_entry(m, &a.kernel, &e) && picture_possible_of(&a, m, &e);
  if (ok && a.write_cfg) ok = save_cfg(&a, m, &e);
  if (ok) ok = a.intervals || a.strands ? show_intervals(&a, m, &e) : show_code(&a, m, &w, &e);
  module_free(m);
  widths_free(&w);
  return ok ? 0 : err_complain(&e);
}

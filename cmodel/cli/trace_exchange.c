/* SPDX-License-Identifier: Apache-2.0 */
/* trace_exchange: regtwin trace import|export: traces from Accel-Sim and for it (docs/use/accel-sim.md). */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cli/cli.h"
#include "lab/report/table.h"
#include "lab/run/run.h"
#include "lab/run/trace.h"
#include "trace/accelsim/export.h"
#include "trace/accelsim/import.h"
#include "trace/accelsim/opmap.h"
#include "trace/accelsim/traceg.h"

enum { OPT_OPCODES = 256, OPT_XZ, OPT_VERIFY };

/* ---- import ---- */

struct import_args {
  const char *from, *to, *opcodes;
};
static const struct argp_option import_options[] = {
    {"output", 'o', "FILE.trf", 0, "trace to write", 0},
    {"opcodes", OPT_OPCODES, "FILE", 0,
     "opcode map, whose lines take precedence over the built-in ones; default: $REGTWIN_OPCODES, else none", 0},
    {0}};

static error_t import_parse(int key, char *arg, struct argp_state *state) {
  struct import_args *a = state->input;
  switch (key) {
    case 'o': a->to = arg; return 0;
    case OPT_OPCODES: a->opcodes = arg; return 0;
    case ARGP_KEY_ARG:
      if (a->from) argp_error(state, "found a second file '%.200s', expected one", arg);
      if (!trace_foreign(arg))
        argp_error(state, "found '%.200s', expected kernelslist.g, FILE.traceg or FILE.traceg.xz", arg);
      a->from = arg;
      return 0;
    case ARGP_KEY_END:
      if (!a->from) argp_error(state, "found no file, expected kernelslist.g, FILE.traceg or FILE.traceg.xz");
      if (!a->to) argp_error(state, "found no file, expected -o FILE.trf");
      if (!trace_named(a->to) || trace_foreign(a->to))
        argp_error(state, "-o: found '%.200s', expected a name that ends in .trf", a->to);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cmd_trace_import(int argc, char **argv) {
  static const struct argp argp = {
      import_options,
      import_parse,
      "kernelslist.g|FILE.traceg[.xz] -o FILE.trf",
      "Converts traces of Accel-Sim into a trace of RegTwin: each kernel's code is rebuilt from the instructions that "
      "its warps executed. 'regtwin run' also reads Accel-Sim's files directly.",
      NULL,
      NULL,
      NULL};
  struct import_args a = {.opcodes = opmap_user()};
  struct import_report r;
  struct err e = {0};
  char n[CELL], m[CELL];
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (!traceg_import(a.from, a.opcodes, a.to, NULL, &r, &e)) return err_complain(&e);
  import_tell(a.from, &r);
  printf("%s: %" PRIu32 " launches, %s CTAs, %s warp instructions\n", SHOWN(a.to), r.kernels, text_count(n, r.ctas),
         text_count(m, r.warp_insns));
  return 0;
}

/* ---- export ---- */

struct export_args {
  struct config_args config;
  const char *from, *to;
  bool xz, verify;
};
static const struct argp_option export_options[] = {
    {"output", 'o', "DIR", 0, "directory for kernelslist.g and the kernels' files; it is made if it does not exist", 0},
    {"xz", OPT_XZ, NULL, 0, "compress the kernels' files with xz", 0},
    {"verify", OPT_VERIFY, NULL, 0,
     "import what was written, compare it with the trace instruction by instruction, time both and print the "
     "differences; the configuration is that of the recording by default",
     0},
    {0}};

static error_t export_parse(int key, char *arg, struct argp_state *state) {
  struct export_args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case 'o': a->to = arg; return 0;
    case OPT_XZ: a->xz = true; return 0;
    case OPT_VERIFY: a->verify = true; return 0;
    case ARGP_KEY_ARG:
      if (a->from) argp_error(state, "found a second file '%.200s', expected one", arg);
      a->from = arg;
      return 0;
    case ARGP_KEY_END:
      if (!a->from) argp_error(state, "found no file, expected FILE.trf");
      if (!trace_named(a->from) || trace_foreign(a->from))
        argp_error(state, "found '%.200s', expected a name that ends in .trf", a->from);
      if (!a->to || !a->to[0]) argp_error(state, "found no directory, expected -o DIR");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static void export_print_share(const char *what, uint64_t n, uint64_t all) {
  char a[CELL], b[CELL];
  printf("  %-58s %14s  %6s %%\n", what, text_count(a, n), text_ratio(b, 100 * n, all, 2));
}

static void print_lost(const struct export_report *x) {
  printf("instructions that the lines say in another way, or less of, of %" PRIu64 ":\n", x->warp_insns);
  export_print_share("divisions and roots, as the lines that a compiler writes", x->divisions, x->warp_insns);
  export_print_share("one register of an operand that has several", x->registers, x->warp_insns);
  export_print_share("no predicates: guards, operands, results", x->predicates, x->warp_insns);
  export_print_share("barriers of a number above 0, or with a count", x->barriers, x->warp_insns);
  export_print_share("asynchronous copies, without their shared side", x->copies, x->warp_insns);
  export_print_share("of those: read nothing, written as stores", x->zero_fills, x->warp_insns);
  export_print_share("loads of constants, integer operations to Accel-Sim", x->constants, x->warp_insns);
  export_print_share("textures and surfaces, without their addresses", x->texels, x->warp_insns);
  export_print_share("arrivals for copies: they do not wait for them", x->arrivals, x->warp_insns);
}

static void print_same(const struct same_report *s) {
  printf("export, then import, of %" PRIu64 " instructions of %" PRIu64 " CTAs; those that differ:\n", s->warp_insns,
         s->ctas);
  export_print_share("what it was", s->opcodes, s->warp_insns);
  export_print_share("lanes", s->masks, s->warp_insns);
  export_print_share("addresses", s->addresses, s->warp_insns);
  export_print_share("order: only one of both has it", s->order, s->warp_insns);
  export_print_share("registers that it reads or writes, divisions left out", s->registers, s->warp_insns);
  export_print_share("textures and surfaces, addresses lost as the format is", s->texels, s->warp_insns);
}

/* Cycles of a workload; false and *e: it cannot run. */
static bool workload_cycles_of(const char *name, const struct config *c, uint64_t *cycles, struct err *e) {
  static struct run_result out;
  struct workload w;
  const struct run_progress hooks = {.threads = 1};
  if (!workload_compile(name, "default", c, 0, &w, e)) return false;
  const bool ok = run_workload(&w, c, 0, false, &hooks, &out, e);
  workload_close(&w);
  *cycles = out.sm.cycles;
  return ok;
}

/* The configuration that was asked for; else that of the recording. */
static bool export_config_of(const struct export_args *a, const struct trf *t, struct config *c, struct err *e) {
  struct trace_meta *m = xcalloc(1, sizeof *m);
  bool ok = config_from(&a->config, c, e);
  if (ok && !a->config.machine && !a->config.system && !a->config.nset && trace_meta_read(t, m, e) && m->known) {
    *c = m->cfg;
    snprintf(c->machine, sizeof c->machine, "%s", m->machine);
    snprintf(c->system, sizeof c->system, "%s", m->system);
  }
  free(m);
  c->sim_check = false;
  return ok && !e->set;
}

static bool time_both(const struct export_args *a, const char *list, const struct config *c, struct err *e) {
  uint64_t before = 0, after = 0;
  char x[CELL], y[CELL], z[CELL];
  struct config all = *c;
  all.sm_cta_stride = 1; /* the exported grid has only the CTAs of the stride */
  if (!workload_cycles_of(a->from, c, &before, e) || !workload_cycles_of(list, &all, &after, e)) return false;
  const uint64_t by = after > before ? after - before : before - after;
  printf("cycles on %s, %s: %s; of the exported one %s, %s%s %%\n", SHOWN(c->machine), SHOWN(c->system),
         text_count(x, before), text_count(y, after), after < before ? "-" : "+", text_ratio(z, 100 * by, before, 2));
  return true;
}

static bool export_verify(const struct export_args *a, struct trf *t, const struct config *c, struct err *e) {
  char list[PATH_MAX], path[32];
  struct import_report r;
  struct same_report s;
  int fd = -1;
  snprintf(list, sizeof list, "%.4000s/kernelslist.g", a->to);
  if (!traceg_import(list, NULL, NULL, &fd, &r, e)) return false;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct trf *again = trf_open(path, e);
  bool ok = again && traceg_same(t, again, &s, e);
  trf_free(again);
  close(fd);
  if (ok) print_same(&s);
  ok = ok && time_both(a, list, c, e);
  if (ok && s.opcodes + s.masks + s.addresses + s.order)
    ok = err_at(e, list, 0, 0, "found instructions, lanes or addresses that differ from %.200s, expected the same",
                a->from);
  return ok;
}

int cmd_trace_export(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration, of --verify:", 1}, {0}};
  static const struct argp argp = {
      export_options,
      export_parse,
      "FILE.trf -o DIR",
      "Writes a trace as Accel-Sim's simulator reads it: kernelslist.g and a file for each launch, with the opcodes of "
      "compute capability 8.0.",
      children,
      NULL,
      NULL};
  struct export_args a = {0};
  struct export_report x;
  struct config c;
  struct err e = {0};
  char n[CELL], m[CELL], b[CELL];
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  struct trf *t = trf_open(a.from, &e);
  bool ok = t && export_config_of(&a, t, &c, &e) && traceg_export(t, a.to, a.xz, &x, &e);
  if (ok) {
    printf("%s/kernelslist.g: %" PRIu32 " launches, %s CTAs, ", SHOWN(a.to), x.kernels, text_count(n, x.ctas));
    printf("%s warp instructions, in %s lines, %s bytes\n", text_count(n, x.warp_insns), text_count(m, x.lines),
           text_count(b, x.bytes));
    print_lost(&x);
    if (x.parts)
      note("%s: %" PRIu32 " launches were recorded with a stride of CTAs: each is exported as a grid of only these",
           a.from, x.parts);
  }
  ok = ok && (!a.verify || export_verify(&a, t, &c, &e));
  trf_free(t);
  return ok ? 0 : err_complain(&e);
}

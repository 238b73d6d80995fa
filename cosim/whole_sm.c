/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole_sm: regtwin-cosim, the whole SM with the Verilog of its blocks beside the C twins. A kernel runs once C-only and once
 * with every chosen block in lockstep in every cycle; the work done and all statistics must be the same.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "engine.h"
#include "lab/result.h"
#include "sm/twin.h"

/* BLOCK(system, name): the blocks that the SM can hold, a line each (made by cosim.mk). */
#define BLOCK(system, name) extern const struct block_desc golden_##name; extern const struct rtl_api rtl_##name;
#include "sm_blocks.def"
#undef BLOCK

enum { INSTANCES = 64 };
struct kind {
  const char *name;
  const struct block_desc *golden;
  const struct rtl_api *rtl;
  bool chosen;
  unsigned instances;
  uint64_t cycles;
  struct stim stream;                  /* of instance 0, from the first launch on, when it is recorded */
  bool after_reset;
  void *model[INSTANCES];              /* made when it is first seen */
};
struct lockstep {
  struct kind *kind;
  unsigned n;
  bool differs;
  uint64_t record;                     /* cycles of each block's instance 0 to keep; 0: none */
  void *scratch;                       /* a state that nobody asked for */
};

static struct kind *kind_of(const struct lockstep *l, const char *block) {
  for (unsigned i = 0; i < l->n; i++)
    if (!strcmp(l->kind[i].name, block)) return l->kind[i].chosen ? &l->kind[i] : NULL;
  return NULL;
}

static void *model_of(struct kind *k, unsigned instance) {
  if (instance >= INSTANCES) die("%s: instance %u, at most %d are foreseen", k->name, instance, INSTANCES);
  if (!k->model[instance]) {
    k->model[instance] = k->rtl->create(0);
    k->rtl->hold(k->model[instance], 1);
    k->rtl->hold(k->model[instance], 0);
    k->instances++;
  }
  return k->model[instance];
}

static void reset(void *ctx, const char *block, unsigned instance) {
  struct kind *k = kind_of(ctx, block);
  if (!k) return;
  k->rtl->hold(model_of(k, instance), 1);
  k->rtl->hold(k->model[instance], 0);
  if (!instance) k->after_reset = true;
}

/* ---- the table of a divergence: words that differ are marked ---- */

static void words(const char *name, unsigned width, const uint32_t *c, const uint32_t *r, unsigned n) {
  unsigned differ = 0, shown = 0;
  for (unsigned k = 0; k < n; k++) differ += c[k] != r[k];
  if (n <= 2) {
    printf("%c %-14s [%5u]  %8x%08x  %8x%08x\n", differ ? '!' : ' ', name, width, n > 1 ? c[1] : 0, c[0], n > 1 ? r[1] : 0, r[0]);
    return;
  }
  printf("%c %-14s [%5u]  %u of %u words differ\n", differ ? '!' : ' ', name, width, differ, n);
  for (unsigned k = 0; k < n && shown < 8; k++) {
    if (c[k] == r[k]) continue;
    printf("!   bits %5u up        %16x  %16x\n", 32 * k, c[k], r[k]);
    shown++;
  }
}

static void table(const struct kind *k, const void *in, const void *c_out, const void *c_state, const void *r_out, const void *r_state) {
  static const struct { enum item_kind kind; const char *title; } part[] = {
      {ITEM_IN, "input"}, {ITEM_OUT, "output"}, {ITEM_STATE, "register"}};
  for (unsigned p = 0; p < 3; p++) {
    if (part[p].kind == ITEM_STATE && !c_state) continue;
    printf("  %-14s %7s  %16s  %16s\n", part[p].title, "width", "c", "rtl");
    for (unsigned i = 0; i < k->golden->items; i++) {
      const struct item *t = &k->golden->item[i];
      if (t->kind != part[p].kind) continue;
      const char *c = p == 0 ? in : p == 1 ? c_out : c_state, *r = p == 0 ? in : p == 1 ? r_out : r_state;
      words(t->name, t->width, (const uint32_t *)(const void *)(c + t->offset), (const uint32_t *)(const void *)(r + t->offset),
            (unsigned)t->bytes / 4);
    }
  }
}

static bool cycle(void *ctx, const char *block, unsigned instance, uint64_t now, const void *state, const void *in, const void *out) {
  struct lockstep *l = ctx;
  struct kind *k = kind_of(l, block);
  if (!k) return true;
  void *m = model_of(k, instance);
  k->rtl->eval(m, in);
  k->cycles++;
  if (!instance && k->stream.cycles < l->record) {
    stim_add(&k->stream, k->golden, k->after_reset, in);
    k->after_reset = false;
  }
  if (k->golden->combinational ? k->rtl->same_out(m, out) : k->rtl->same(m, out, state)) {
    if (!k->golden->combinational) k->rtl->tick(m);
    return true;
  }
  void *r_out = xcalloc(1, k->golden->out_bytes), *r_state = xcalloc(1, k->golden->state_bytes + 8);
  k->rtl->sample(m, r_out, r_state);
  printf("DIVERGE %s instance %u, cycle %llu of the SM\n", block, instance, (unsigned long long)now);
  table(k, in, out, k->golden->combinational ? NULL : state, r_out, r_state);
  free(r_out);
  free(r_state);
  l->differs = true;
  return false;
}

static void outputs(void *ctx, const char *block, unsigned instance, const void *in, void *out) {
  struct lockstep *l = ctx;
  struct kind *k = kind_of(l, block);
  if (!k) return;
  void *m = model_of(k, instance);
  k->rtl->eval(m, in);
  k->rtl->sample(m, out, l->scratch);
}

/* ---- the command ---- */

struct args {
  struct config_args config;
  const char *size, *twin, *kernel, *record;
  uint64_t seed, record_cycles;
  bool drive;
};
enum { OPT_SIZE = 256, OPT_TWIN, OPT_SEED, OPT_DRIVE, OPT_RECORD, OPT_RECORD_CYCLES };
static const struct argp_option options[] = {
    {"size", OPT_SIZE, "small|default", 0, "size of a kernel given by name; default: small", 0},
    {"twin", OPT_TWIN, "all|BLOCK,...", 0, "blocks whose Verilog is stepped beside the C twin; default: all", 0},
    {"drive", OPT_DRIVE, "rtl", 0, "the SM uses the Verilog's outputs in place of the C twins'", 0},
    {"record", OPT_RECORD, "DIR", 0, "keep the blocks' inputs (instance 0) as DIR/BLOCK-KERNEL.stim, for make cosim", 0},
    {"record-cycles", OPT_RECORD_CYCLES, "N", 0, "how many cycles of each block; default: 1000", 0},
    {"seed", OPT_SEED, "N", 0, "of random buffers; default: the launch file's own", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE:
      if (strcmp(arg, "small") && strcmp(arg, "default")) argp_error(state, "--size: found '%s', expected small or default", arg);
      a->size = arg;
      return 0;
    case OPT_TWIN: a->twin = arg; return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_RECORD: a->record = arg; return 0;
    case OPT_RECORD_CYCLES: a->record_cycles = number_arg(state, "--record-cycles", arg, 1, 1000000); return 0;
    case OPT_DRIVE:
      if (strcmp(arg, "rtl")) argp_error(state, "--drive: found '%s', expected rtl", arg);
      a->drive = true;
      return 0;
    case ARGP_KEY_ARG:
      if (a->kernel) argp_error(state, "found a second kernel '%s', expected one", arg);
      a->kernel = arg;
      return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "found no kernel, expected a name or the path of a launch file"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool choose(struct lockstep *l, const char *twin, struct err *e) {
  bool all = !strcmp(twin, "all"), ok = true;
  char *list = strdup(twin), *save = NULL, known[256] = "";
  for (unsigned i = 0; i < l->n; i++) {
    l->kind[i].chosen = all;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", l->kind[i].name);
  }
  for (char *name = all ? NULL : strtok_r(list, ",", &save); ok && name; name = strtok_r(NULL, ",", &save)) {
    ok = false;
    for (unsigned i = 0; i < l->n; i++)
      if (!strcmp(l->kind[i].name, name)) ok = l->kind[i].chosen = true;
    if (!ok) err_at(e, NULL, 0, 0, "--twin: found unknown block '%s', expected all, or some of %s", name, known);
  }
  free(list);
  return ok;
}

static bool one(const struct args *a, const struct config *c, const struct run_progress *p, struct run_result *r, struct err *e) {
  struct workload w;
  if (!workload_open(a->kernel, a->size, &w, e)) return false;
  bool ok = run_workload(&w, c, a->seed, false, p, r, e);
  workload_close(&w);
  return ok;
}

static bool same_statistics(const struct run_result *a, const struct run_result *b) {
  bool same = a->hash == b->hash && !memcmp(&a->mem, &b->mem, sizeof a->mem);
  if (!same) printf("! work done, or memory statistics, differ\n");
#define STAT(name, unit, text)                                                                                      \
  if (a->sm.name != b->sm.name) {                                                                                   \
    same = false;                                                                                                   \
    printf("! %-24s C-only %llu, lockstep %llu\n", #name, (unsigned long long)a->sm.name, (unsigned long long)b->sm.name); \
  }
#include "sm/stats.def"
#undef STAT
  return same;
}

/* The streams of the blocks that had cycles. */
static bool write_streams(const struct args *a, const struct lockstep *l, struct err *e) {
  const char *slash = strrchr(a->kernel, '/'), *name = slash ? slash + 1 : a->kernel;
  for (unsigned i = 0; i < l->n; i++) {
    const struct kind *k = &l->kind[i];
    if (!k->stream.cycles) continue;
    char path[600];
    snprintf(path, sizeof path, "%s/%s-%.*s.stim", a->record, k->golden->name, (int)strcspn(name, "."), name);
    const char *why = stim_write(&k->stream, k->golden, path);
    if (why) return err_at(e, path, 0, 0, "%s", why);
    printf("%s: %llu cycles\n", path, (unsigned long long)k->stream.cycles);
  }
  return true;
}

/* 0: all agreed and something was compared. */
static int report(const struct args *a, const struct lockstep *l, const struct run_result r[2]) {
  uint64_t compared = 0;
  printf("%-12s %10s %16s\n", "block", "instances", "cycles compared");
  for (unsigned i = 0; i < l->n; i++) {
    if (!l->kind[i].chosen) continue;
    printf("%-12s %10u %16llu\n", l->kind[i].name, l->kind[i].instances, (unsigned long long)l->kind[i].cycles);
    compared += l->kind[i].cycles;
  }
  bool same = same_statistics(&r[0], &r[1]);
  if (!compared) {
    printf("system %s has none of these blocks: nothing was compared\n", r[0].cfg.system);
    return EXIT_INPUT;
  }
  printf("%s on %s, system %s: %llu cycles, 0 mismatches in %llu cycles of blocks%s\n", a->kernel, r[0].cfg.machine, r[0].cfg.system,
         (unsigned long long)r[1].sm.cycles, (unsigned long long)compared, a->drive ? ", the SM driven by the Verilog" : "");
  printf("statistics %s the C-only run's; C-only %.0f, lockstep %.0f cycles/s\n", same ? "equal" : "DIFFER from",
         (double)r[0].sm.cycles * 1e9 / (double)r[0].host_ns, (double)r[1].sm.cycles * 1e9 / (double)r[1].host_ns);
  return same ? 0 : 1;
}

static int cmd_whole_sm(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {options, parse, "NAME|FILE.launch",
                                   "Runs a kernel on the whole SM, C-only and with Verilog in lockstep, and compares.", children, NULL, NULL};
  static struct kind kinds[] = {
#define BLOCK(system, name) {#system "/" #name, &golden_##name, &rtl_##name, false, 0, 0, {0}, false, {NULL}},
#include "sm_blocks.def"
#undef BLOCK
  };
  struct lockstep l = {.kind = kinds, .n = sizeof kinds / sizeof *kinds, .scratch = xcalloc(1, 1 << 16)};
  struct args a = {.size = "small", .twin = "all", .record_cycles = 1000};
  struct config c;
  struct err e = {0};
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a)) return EXIT_INPUT;
  if (!choose(&l, a.twin, &e) || !config_from(&a.config, &c, &e)) return complain(&e);
  l.record = a.record ? a.record_cycles : 0;
  struct progress *p = progress_new(2);
  struct run_progress hooks = progress_hooks(p);
  struct observer o = {.reset = reset, .cycle = cycle, .outputs = a.drive ? outputs : NULL, .ctx = &l};
  struct run_result *r = xcalloc(2, sizeof *r);
  progress_item(p, "C only");
  bool ok = one(&a, &c, &hooks, &r[0], &e);
  hooks.observer = &o;
  if (ok) progress_item(p, "lockstep");
  ok = ok && one(&a, &c, &hooks, &r[1], &e);
  progress_free(p);
  int status = ok ? report(&a, &l, r) : l.differs ? 1 : complain(&e);
  if (ok && a.record && !write_streams(&a, &l, &e)) status = complain(&e);
  if (l.differs)
    printf("  replay: build/regtwin-cosim run %s --size %s --config %s --system %s --twin %s%s\n", a.kernel, a.size, c.machine, c.system,
           a.twin, a.drive ? " --drive rtl" : "");
  free(r);
  free(l.scratch);
  for (unsigned i = 0; i < l.n; i++) {
    free(kinds[i].stream.at);
    for (unsigned k = 0; k < INSTANCES; k++)
      if (kinds[i].model[k]) kinds[i].rtl->destroy(kinds[i].model[k]);
  }
  return status;
}

int main(int argc, char **argv) {
  argp_err_exit_status = EXIT_INPUT;
  if (argc < 2 || strcmp(argv[1], "run")) {
    fprintf(stderr, "regtwin-cosim: found %s%s%s, expected: regtwin-cosim run NAME|FILE.launch [--system S] [--twin all|BLOCK,...]\n",
            argc < 2 ? "no command" : "'", argc < 2 ? "" : argv[1], argc < 2 ? "" : "'");
    return EXIT_INPUT;
  }
  static char name[] = "regtwin-cosim run";
  argv[1] = name;
  return cmd_whole_sm(argc - 1, argv + 1);
}

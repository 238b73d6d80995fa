/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole_sm: regtwin-cosim, the whole SM with the Verilog of its blocks beside the C twins. A kernel runs once C-only
 * and once with every chosen block in lockstep in every cycle; the work done and all statistics must be the same.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/show.h"
#include "cli/cli.h"
#include "engine.h"
#include "inside.h"
#include "lab/run/result.h"
#include "sm/twin.h"

/* BLOCK(system, name, holder): the blocks that the SM can hold, and the block whose Verilog holds this one, or "";
 * BLOCK_SET(system, name, at): one of them at another parameter set (made by cosim.mk). */
#define BLOCK(system, name, holder)             \
  extern const struct block_desc golden_##name; \
  extern const struct rtl_api rtl_##name;
#define BLOCK_SET(system, name, at) BLOCK(system, at, )
#include "sm_blocks.def"
#undef BLOCK
#undef BLOCK_SET

static const struct linked { /* a block at one of its sets */
  const char *name;
  const struct block_desc *golden;
  const struct rtl_api *rtl;
} linked[] = {
#define BLOCK(system, name, holder) {#system "/" #name, &golden_##name, &rtl_##name},
#define BLOCK_SET(system, name, at) {#system "/" #name, &golden_##at, &rtl_##at},
#include "sm_blocks.def"
#undef BLOCK
#undef BLOCK_SET
};
enum { LINKED = sizeof linked / sizeof *linked };

enum { INSTANCES = 64 };
struct kind {
  const char *name, *holder;
  const struct block_desc *golden;
  const struct rtl_api *rtl;
  bool chosen, sized;       /* sized: golden and rtl are those of the set that the SM has; of a stream, golden alone */
  struct block_desc fitted; /* --streams: golden at the SM's sizes, which need not be those of a set */
  unsigned instances;
  uint64_t cycles;
  struct stim stream; /* its inputs, from the first launch on, when it is recorded; with --streams those that were */
  bool after_reset;
  void *model[INSTANCES]; /* made when it is first seen */
};
struct lockstep {
  struct kind *kind;
  unsigned n;
  uint64_t record;  /* cycles to keep of each block's instance 0, or of `bad`; 0: none */
  struct kind *bad; /* what differed first; it is recorded by a second run */
  unsigned bad_instance;
  uint64_t bad_cycle; /* of the SM */
  bool streams;       /* --streams: find_set needs no Verilog */
  bool sized;         /* find_sets has seen a cycle, this one: */
  uint64_t first;
  bool parts;     /* a block that others hold is among the chosen */
  unsigned left;  /* --streams: blocks whose stream has not come to its end */
  bool replaying; /* the second run: recorded to that cycle, not compared */
  void *scratch;  /* an unused state */
};

static struct kind *lockstep_kind_of(const struct lockstep *l, const char *block) {
  for (unsigned i = 0; i < l->n; i++)
    if (!strcmp(l->kind[i].name, block)) return l->kind[i].chosen ? &l->kind[i] : NULL;
  return NULL;
}

static void *model_of(struct kind *k, unsigned instance) {
  if (instance >= INSTANCES) die("%s: instance %u, at most %d are foreseen", k->name, instance, INSTANCES);
  if (!k->model[instance]) {
    k->model[instance] = k->rtl->create(0);
    for (int step = 0; step < 3; step++) k->rtl->hold(k->model[instance], step == 1); /* the falling edge resets */
    k->instances++;
  }
  return k->model[instance];
}

static void lockstep_reset(void *ctx, const char *block, unsigned instance) {
  const struct lockstep *l = ctx;
  for (unsigned i = 0; i < l->n; i++) {
    struct kind *k = &l->kind[i];
    const bool held = !strcmp(k->holder, block);
    if (!k->chosen || (!held && strcmp(k->name, block))) continue;
    if (!held || k->model[instance]) {
      k->rtl->hold(model_of(k, instance), 1);
      k->rtl->hold(k->model[instance], 0);
    }
    if (instance == l->bad_instance) k->after_reset = true;
  }
}

/* Which ports and registers differ, with the first element or word that does; the block alone, replayed, shows all of them with a
 * waveform. */
static void lockstep_print_differing(const struct kind *k, enum item_kind kind, const char *of_c, const char *c,
                                     const char *of_r, const char *r) {
  for (unsigned i = 0; i < k->golden->items; i++) {
    const struct item *t = &k->golden->item[i];
    if (t->kind != kind || !memcmp(c + t->offset, r + t->offset, t->bytes)) continue;
    unsigned n = 0, w = 0;
    char name[ITEM_NAME], word[24] = "";
    while (n + 1 < item_count(t) && item_same(t, c, r, n)) n++;
    while (t->width > 64 && w + 1 < RT_WORDS(t->width) && item_words(t, c, n)[w] == item_words(t, r, n)[w]) w++;
    if (t->width > 64) snprintf(word, sizeof word, ", word %u", w);
    item_name(t, n, name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", word);
    printf("! %-14s [%5u]  %s %" PRIx64 ", %s %" PRIx64 "\n", name, t->width, of_c, item_value(t, c, n, w), of_r,
           item_value(t, r, n, w));
  }
}

/* False: the second run is where the first one stopped. */
static bool lockstep_record(struct lockstep *l, struct kind *k, unsigned instance, uint64_t now, const void *in) {
  if (instance != l->bad_instance || (l->bad && k != l->bad) || k->stream.cycles >= l->record) return true;
  stim_add(&k->stream, k->golden, k->after_reset, in);
  k->after_reset = false;
  return !l->replaying || now != l->bad_cycle;
}

static void lockstep_stop_at(struct lockstep *l, struct kind *k, unsigned instance, uint64_t now) {
  l->bad = k;
  l->bad_instance = instance;
  l->bad_cycle = now;
}

static bool lockstep_compare(struct lockstep *l, const char *block, unsigned instance, uint64_t now, const void *state,
                             const void *in, const void *out) {
  struct kind *k = lockstep_kind_of(l, block);
  if (!k) return true;
  if (l->replaying) return lockstep_record(l, k, instance, now, in);
  void *m = model_of(k, instance);
  k->rtl->eval(m, in);
  k->cycles++;
  lockstep_record(l, k, instance, now, in);
  if (k->golden->combinational ? k->rtl->same_out(m, out) : k->rtl->same(m, out, state)) {
    if (k->golden->combinational) return true;
    k->rtl->tick(m);
    const struct asserted *a = k->rtl->asserted();
    if (!a) return true;
    char text[400];
    const bool known = assertion_text(a, text, sizeof text);
    printf(
        "ASSERT %s instance %u, cycle %llu of the SM\n  the RTL breaks its own assertion: %s:%d: assertion of %s "
        "failed%s%s\n",
        block, instance, (unsigned long long)now, a->file, a->line, a->scope, known ? ": " : "", text);
    lockstep_stop_at(l, k, instance, now);
    return false;
  }
  void *r_out = xcalloc(1, k->golden->out_bytes), *r_state = xcalloc(1, k->golden->state_bytes + 8);
  k->rtl->sample(m, r_out, r_state);
  printf("DIVERGE %s instance %u, cycle %llu of the SM\n", block, instance, (unsigned long long)now);
  lockstep_print_differing(k, ITEM_OUT, "c", out, "rtl", r_out);
  if (!k->golden->combinational) lockstep_print_differing(k, ITEM_STATE, "c", state, "rtl", r_state);
  free(r_out);
  free(r_state);
  lockstep_stop_at(l, k, instance, now);
  return false;
}

/* ---- parameter sets: which the SM has ---- */

static bool at_set(const struct block_desc *d, const void *state) {
  const uint64_t *size = d->sizes ? d->sizes(state) : NULL;
  for (unsigned i = 0; size && i < d->items; i++)
    if (d->item[i].kind == ITEM_PARAM && *size++ != (uint64_t)d->item[i].value) return false;
  return true;
}

static void __attribute__((noreturn)) no_set(const struct kind *k, const void *state) {
  char found[160] = "", there[160] = "";
  const uint64_t *size = k->golden->sizes(state);
  for (unsigned i = 0; i < k->golden->items; i++) {
    const struct item *t = &k->golden->item[i];
    if (t->kind == ITEM_PARAM)
      snprintf(found + strlen(found), sizeof found - strlen(found), " %s=%" PRIu64, t->name, *size++);
  }
  for (unsigned i = 0; i < LINKED; i++)
    if (!strcmp(linked[i].name, k->name))
      snprintf(there + strlen(there), sizeof there - strlen(there), " %s", linked[i].golden->set);
  fprintf(stderr,
          "%s: found%s, expected a parameter set whose Verilog is here:%s; make cosim-sets lists more, which "
          "make regtwin-cosim SETS=all adds\n",
          k->name, found, there);
  exit(EXIT_INPUT);
}

/* The items of the block at the sizes of this state. */
static void fit_golden(struct kind *k, const void *state) {
  const struct block_desc *d = k->golden;
  if (k->sized || !d->items_at) return;
  struct item *items = xcalloc(d->items + 1, sizeof *items);
  memcpy(items, d->item, (d->items + 1) * sizeof *items);
  d->items_at(d->sizes(state), items);
  k->fitted = *d;
  k->fitted.item = items;
  k->golden = &k->fitted;
  k->sized = true;
}

static bool find_set(void *ctx, const char *block, const void *state, const void *in, const void *out) {
  struct kind *k = lockstep_kind_of(ctx, block);
  (void)in, (void)out;
  if (k && ((const struct lockstep *)ctx)->streams) {
    fit_golden(k, state);
    return true;
  }
  for (unsigned i = 0; k && !k->sized && i < LINKED; i++) {
    if (strcmp(linked[i].name, block) || !at_set(linked[i].golden, state)) continue;
    k->golden = linked[i].golden;
    k->rtl = linked[i].rtl;
    k->sized = true;
  }
  if (k && !k->sized) no_set(k, state);
  return true;
}

/* The observer of a first run, which ends behind its first cycle. */
static bool find_sets(void *ctx, const char *block, unsigned instance, uint64_t now, const void *state, const void *in,
                      const void *out) {
  struct lockstep *l = ctx;
  (void)instance;
  if (l->sized && now != l->first) return false;
  l->sized = true;
  l->first = now;
  find_set(l, block, state, in, out);
  return inside_show_parts(block, state, in, out, find_set, l);
}
static void no_reset(void *ctx, const char *block, unsigned instance) { (void)ctx, (void)block, (void)instance; }

struct part {
  struct lockstep *l;
  unsigned instance;
  uint64_t now;
}; /* of a holder, in this cycle */
static bool lockstep_compare_part(void *ctx, const char *block, const void *state, const void *in, const void *out) {
  const struct part *p = ctx;
  return lockstep_compare(p->l, block, p->instance, p->now, state, in, out);
}

static bool lockstep_cycle(void *ctx, const char *block, unsigned instance, uint64_t now, const void *state,
                           const void *in, const void *out) {
  struct lockstep *l = ctx;
  struct part p = {l, instance, now};
  return lockstep_compare(l, block, instance, now, state, in, out) &&
         (!l->parts || inside_show_parts(block, state, in, out, lockstep_compare_part, &p));
}

static void lockstep_outputs(void *ctx, const char *block, unsigned instance, const void *in, void *out) {
  struct lockstep *l = ctx;
  struct kind *k = lockstep_kind_of(l, block);
  if (!k) return;
  void *m = model_of(k, instance);
  k->rtl->eval(m, in);
  k->rtl->sample(m, out, l->scratch);
}

/* ---- --streams: the blocks' inputs beside recorded ones, no Verilog ---- */

static void note_reset(void *ctx, const char *block, unsigned instance) {
  const struct lockstep *l = ctx;
  for (unsigned i = 0; i < l->n; i++) {
    struct kind *k = &l->kind[i];
    if (!instance && (!strcmp(k->name, block) || !strcmp(k->holder, block))) k->after_reset = true;
  }
}

static bool lockstep_follow(void *ctx, const char *block, const void *state, const void *in, const void *out) {
  const struct part *p = ctx;
  struct kind *k = lockstep_kind_of(p->l, block);
  (void)state, (void)out;
  if (!k || k->cycles == k->stream.cycles) return true;
  const unsigned char *was = stim_in(&k->stream, k->cycles);
  const bool same_reset = stim_reset(&k->stream, k->cycles) == k->after_reset;
  if (same_reset && !memcmp(was, in, k->golden->in_bytes)) {
    k->after_reset = false;
    p->l->left -= ++k->cycles == k->stream.cycles;
    return p->l->left;
  }
  printf("DIFFERS %s, cycle %llu of the SM, %llu of the stream\n", block, (unsigned long long)p->now,
         (unsigned long long)k->cycles);
  if (!same_reset) printf("! reset before it: recorded %d, found %d\n", !k->after_reset, k->after_reset);
  lockstep_print_differing(k, ITEM_IN, "recorded", (const char *)was, "found", in);
  lockstep_stop_at(p->l, k, p->instance, p->now);
  return false;
}

static bool lockstep_follow_cycle(void *ctx, const char *block, unsigned instance, uint64_t now, const void *state,
                                  const void *in, const void *out) {
  struct part p = {ctx, instance, now};
  return instance ||
         (lockstep_follow(&p, block, state, in, out) && inside_show_parts(block, state, in, out, lockstep_follow, &p));
}

static const char *kernel_name(const char *kernel, int *length) {
  const char *slash = strrchr(kernel, '/'), *name = slash ? slash + 1 : kernel;
  *length = (int)strcspn(name, ".");
  return name;
}

/* ---- the command ---- */

struct args {
  struct config_args config;
  const char *size, *twin, *kernel, *record, *streams, *result;
  uint64_t seed, record_cycles;
  bool drive;
};
enum { OPT_SIZE = 256, OPT_TWIN, OPT_SEED, OPT_DRIVE, OPT_RECORD, OPT_RECORD_CYCLES, OPT_STREAMS, OPT_RESULT };
static const struct argp_option options[] = {
    {"size", OPT_SIZE, "NAME", 0, "size of the launch file's inputs; default: small", 0},
    {"twin", OPT_TWIN, "all|BLOCK,...", 0, "blocks whose Verilog is stepped beside the C twin; default: all", 0},
    {"drive", OPT_DRIVE, "rtl", 0, "the SM uses the Verilog's outputs in place of the C twins'", 0},
    {"record", OPT_RECORD, "DIR", 0, "keep the blocks' inputs (instance 0) as DIR/BLOCK-KERNEL.stim, for make cosim",
     0},
    {"record-cycles", OPT_RECORD_CYCLES, "N", 0, "how many cycles of each block; default: 1000", 0},
    {"streams", OPT_STREAMS, "DIR", 0,
     "steps no Verilog: compares the inputs of the blocks that have a DIR/BLOCK-KERNEL.stim (instance 0) with it, to "
     "its end",
     0},
    {"seed", OPT_SEED, "N", 0, "of random buffers; default: the launch file's own", 0},
    {"result", OPT_RESULT, "FILE", 0,
     "write the blocks that were compared as tab-separated values too: for make lockstep-all", 0},
    {0}};

static error_t whole_sm_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_TWIN: a->twin = arg; return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_RECORD: a->record = arg; return 0;
    case OPT_STREAMS: a->streams = arg; return 0;
    case OPT_RESULT: a->result = arg; return 0;
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

static bool lockstep_choose(struct lockstep *l, const char *twin, struct err *e) {
  bool all = !strcmp(twin, "all"), ok = true;
  char *list = strdup(twin), *save = NULL, known[1024] = "";
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
  for (unsigned i = 0; i < l->n; i++) l->parts |= l->kind[i].chosen && *l->kind[i].holder;
  free(list);
  return ok;
}

static bool kernel_run_once(const struct args *a, const struct config *c, const struct run_progress *p,
                            struct run_result *r, struct err *e) {
  struct workload w;
  if (!workload_compile(a->kernel, a->size, c, a->seed, &w, e)) return false;
  bool ok = run_workload(&w, c, a->seed, false, p, r, e);
  workload_close(&w);
  return ok;
}

static bool same_statistics(const struct run_result *a, const struct run_result *b) {
  bool same = a->hash == b->hash && !memcmp(&a->mem, &b->mem, sizeof a->mem);
  if (!same) printf("! work done, or memory statistics, differ\n");
#define STAT(name, unit, text)                                                            \
  if (a->sm.name != b->sm.name) {                                                         \
    same = false;                                                                         \
    printf("! %-24s C-only %llu, lockstep %llu\n", #name, (unsigned long long)a->sm.name, \
           (unsigned long long)b->sm.name);                                               \
  }
#include "gen/systems/stats.def"
  return same;
}

/* The streams of the blocks that have one. */
static bool write_streams(const struct args *a, const struct lockstep *l, const char *directory, struct err *e) {
  int length;
  const char *name = kernel_name(a->kernel, &length);
  for (unsigned i = 0; i < l->n; i++) {
    const struct kind *k = &l->kind[i];
    if (!k->stream.cycles) continue;
    char path[600];
    snprintf(path, sizeof path, "%s/%s-%.*s.stim", directory, k->golden->name, length, name);
    const char *why = stim_write(&k->stream, k->golden, path);
    if (why) return err_at(e, path, 0, 0, "%s", why);
    printf("%s: %llu cycles\n", path, (unsigned long long)k->stream.cycles);
    if (l->bad) printf("  replay: make cosim BLOCK=%s REPLAY=%s WAVES=1\n", k->name, path);
  }
  return true;
}

/* The stimulus of the block that differed, up to there, by a second run: the same block alone shows the same, with a
 * wave. */
static int replay_of(const struct args *a, const struct config *c, struct lockstep *l, struct run_progress *hooks,
                     struct err *e) {
  struct run_result *again = xcalloc(1, sizeof *again);
  struct observer recorder = {.reset = lockstep_reset, .cycle = lockstep_cycle, .ctx = l};
  for (unsigned i = 0; i < l->n; i++) {
    free(l->kind[i].stream.at);
    l->kind[i].stream = (struct stim){0};
  }
  l->replaying = true;
  l->record = UINT64_MAX;
  hooks->observer = &recorder;
  *e = (struct err){0};
  kernel_run_once(a, c, hooks, again, e); /* ends with the error that it was stopped */
  free(again);
  *e = (struct err){0};
  const char *const folder[] = {"build", "build/waves"};
  for (unsigned i = 0; i < 2; i++)
    if (mkdir(folder[i], 0777) && errno != EEXIST)
      return err_at(e, folder[i], 0, 0, "%s", strerror(errno)), err_complain(e);
  return write_streams(a, l, folder[1], e) ? 1 : err_complain(e);
}

/* A row for each block that was compared: machine, system, kernel, size, driven, cycles of the SM, are the statistics the C-only run's; block,
 * instances (or the block that holds it), cycles compared, mismatches. A run that a difference stopped has no cycles of the SM. */
static bool write_result(const struct args *a, const struct lockstep *l, const struct run_result r[2], int status,
                         struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(a->result, why);
  if (!o) return err_at(e, a->result, 0, 0, "%s", why);
  for (unsigned i = 0; i < l->n; i++) {
    const struct kind *k = &l->kind[i];
    if (!k->cycles) continue;
    fprintf(output_stream(o), "%s\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%s\t%s\t", r[0].cfg.machine, r[0].cfg.system, a->kernel,
            r[0].size, a->drive ? "rtl" : "c", l->bad ? 0 : r[1].cycles,
            l->bad   ? "stopped"
            : status ? "differ"
                     : "equal",
            k->name);
    if (*k->holder) fprintf(output_stream(o), "%s", k->holder);
    else fprintf(output_stream(o), "%u", k->instances);
    fprintf(output_stream(o), "\t%" PRIu64 "\t%d\n", k->cycles, k == l->bad);
  }
  return output_close(o, true, why) || err_at(e, a->result, 0, 0, "%s", why);
}

/* A block without a port to the SM is inside the one that holds it, if the SM has that one. */
static void report_kind(const struct lockstep *l, const struct kind *k) {
  char where[40];
  const struct kind *holder = lockstep_kind_of(l, k->holder);
  bool held = *k->holder && (k->instances || (holder && holder->instances));
  snprintf(where, sizeof where, "%u", k->instances);
  if (held) snprintf(where, sizeof where, "inside %s", strchr(k->holder, '/') + 1);
  printf("%-12s %10s %16llu\n", k->name, where, (unsigned long long)k->cycles);
}

/* Chooses the Verilog at the sizes that the SM's blocks have; its run is stopped; that error is not reported. */
static void choose_sets(const struct args *a, const struct config *c, struct lockstep *l, struct run_progress *hooks) {
  struct run_result *r = xcalloc(1, sizeof *r);
  struct observer finder = {.reset = no_reset, .cycle = find_sets, .ctx = l};
  struct err stopped = {0};
  hooks->observer = &finder;
  kernel_run_once(a, c, hooks, r, &stopped);
  free(r);
}

/* 0: all agreed and something was compared. */
static int lockstep_report(const struct args *a, const struct lockstep *l, const struct run_result r[2]) {
  uint64_t compared = 0;
  printf("%-12s %10s %16s\n", "block", "instances", "cycles compared");
  for (unsigned i = 0; i < l->n; i++) {
    if (!l->kind[i].chosen) continue;
    report_kind(l, &l->kind[i]);
    compared += l->kind[i].cycles;
  }
  bool same = same_statistics(&r[0], &r[1]);
  if (!compared) {
    printf("system %s has none of these blocks: nothing was compared\n", r[0].cfg.system);
    return EXIT_INPUT;
  }
  printf("%s, size %s, on %s, system %s: %llu cycles, 0 mismatches in %llu cycles of blocks%s\n", a->kernel, r[0].size,
         r[0].cfg.machine, r[0].cfg.system, (unsigned long long)r[1].cycles, (unsigned long long)compared,
         a->drive ? ", the SM driven by the Verilog" : "");
  printf("statistics %s the C-only run's; C-only %.0f, lockstep %.0f cycles/s\n", same ? "equal" : "DIFFER from",
         (double)r[0].cycles * 1e9 / (double)r[0].host_ns, (double)r[1].cycles * 1e9 / (double)r[1].host_ns);
  return same ? 0 : 1;
}

/* True if an input lies in a stream's file as the block's sizes say. Where none does, a stream can be read whatever they are. */
static bool has_shaped_input(const struct block_desc *d) {
  bool shaped = false;
  for (unsigned i = 0; i < d->items; i++) shaped |= d->item[i].kind == ITEM_IN && d->item[i].n;
  return shaped;
}

/* Runs the kernel once, to the end of the last stream. 0: all inputs are as recorded. */
static int compare_streams(const struct args *a, const struct config *c, struct lockstep *l, struct err *e) {
  int length, status = 0;
  bool shaped = false;
  const char *name = kernel_name(a->kernel, &length);
  if (a->record || a->drive || a->result)
    return err_at(e, NULL, 0, 0, "--streams: found --%s beside it, expected none: no Verilog is stepped",
                  a->record  ? "record"
                  : a->drive ? "drive"
                             : "result"),
           err_complain(e);
  for (unsigned i = 0; i < l->n; i++) {
    struct kind *k = &l->kind[i];
    char path[600];
    snprintf(path, sizeof path, "%s/%s-%.*s.stim", a->streams, k->golden->name, length, name);
    k->chosen = k->chosen && !access(path, F_OK);
    shaped |= k->chosen && has_shaped_input(k->golden);
  }
  struct progress *p = progress_new(shaped ? 2 : 1);
  struct run_progress hooks = progress_hooks(p);
  l->streams = true;
  if (shaped) progress_item(p, "sizes"), choose_sets(a, c, l, &hooks);
  for (unsigned i = 0; i < l->n; i++) {
    struct kind *k = &l->kind[i];
    char path[600];
    if (!k->chosen) continue;
    snprintf(path, sizeof path, "%s/%s-%.*s.stim", a->streams, k->golden->name, length, name);
    const char *why = stim_try(&k->stream, k->golden, !has_shaped_input(k->golden), path);
    if (why) return progress_free(p), err_at(e, path, 0, 0, "%s", why), err_complain(e);
    l->left += k->stream.cycles != 0;
  }
  if (!l->left)
    return progress_free(p),
           err_at(e, a->streams, 0, 0, "found no stream BLOCK-%.*s.stim of these blocks", length, name),
           err_complain(e);
  struct observer o = {.reset = note_reset, .cycle = lockstep_follow_cycle, .ctx = l};
  struct run_result *r = xcalloc(1, sizeof *r);
  hooks.observer = &o;
  progress_item(p, "streams");
  const bool ok = kernel_run_once(a, c, &hooks, r, e);
  progress_free(p);
  free(r);
  if (!ok && l->left && !l->bad) return err_complain(e);
  for (unsigned i = 0; i < l->n; i++) {
    const struct kind *k = &l->kind[i];
    if (!k->chosen || k == l->bad) continue;
    const bool all = k->cycles == k->stream.cycles;
    printf("%-18s %10llu of %10llu cycles as recorded%s\n", k->name, (unsigned long long)k->cycles,
           (unsigned long long)k->stream.cycles, all || l->bad ? "" : ", where the run ends");
    status |= !all;
  }
  if (status || l->bad) printf("make streams records them again, if the change is meant\n");
  return status || l->bad;
}

static int cmd_whole_sm(int argc, char **argv) {
  static const struct argp_child children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
  static const struct argp argp = {options,
                                   whole_sm_parse,
                                   "NAME|FILE.launch",
                                   "Runs a kernel on the whole SM, C-only and with Verilog in lockstep, and compares.",
                                   children,
                                   NULL,
                                   NULL};
  static struct kind kinds[] = {
#define BLOCK(system, block, held_by) \
  {.name = #system "/" #block, .holder = held_by, .golden = &golden_##block, .rtl = &rtl_##block},
#define BLOCK_SET(system, name, at)
#include "sm_blocks.def"
#undef BLOCK
#undef BLOCK_SET
  };
  struct lockstep l = {.kind = kinds, .n = sizeof kinds / sizeof *kinds, .scratch = xcalloc(1, 1 << 16)};
  struct args a = {.size = "small", .twin = "all", .record_cycles = 1000};
  struct config c;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (!lockstep_choose(&l, a.twin, &e) || !config_from(&a.config, &c, &e)) return err_complain(&e);
  l.record = a.record ? a.record_cycles : 0;
  if (c.slot_residency == slot_residency_finereg) c.sim_check = true; /* else the RMU would move zeros */
  if (a.streams) {
    const int status = compare_streams(&a, &c, &l, &e);
    for (unsigned i = 0; i < l.n; i++) {
      free(kinds[i].stream.at);
      free((void *)kinds[i].fitted.item);
    }
    free(l.scratch);
    return status;
  }
  struct progress *p = progress_new(2);
  struct run_progress hooks = progress_hooks(p);
  struct observer o = {
      .reset = lockstep_reset, .cycle = lockstep_cycle, .outputs = a.drive ? lockstep_outputs : NULL, .ctx = &l};
  struct run_result *r = xcalloc(2, sizeof *r);
  progress_item(p, "C only");
  bool ok = kernel_run_once(&a, &c, &hooks, &r[0], &e);
  if (ok) choose_sets(&a, &c, &l, &hooks);
  hooks.observer = &o;
  if (ok) progress_item(p, "lockstep");
  ok = ok && kernel_run_once(&a, &c, &hooks, &r[1], &e);
  const bool compared = ok || l.bad;
  int status = l.bad ? replay_of(&a, &c, &l, &hooks, &e) : ok ? lockstep_report(&a, &l, r) : err_complain(&e);
  progress_free(p);
  if (l.bad) {
    printf("  again: build/%s", argv[0]);
    for (int i = 1; i < argc; i++) printf(" %s", argv[i]);
    putchar('\n');
  }
  if (compared && a.result && !write_result(&a, &l, r, status, &e)) status = err_complain(&e);
  if (ok && a.record && !write_streams(&a, &l, a.record, &e)) status = err_complain(&e);
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
  show_guard();
  argp_err_exit_status = EXIT_INPUT;
  if (argc < 2 || strcmp(argv[1], "run")) {
    fprintf(stderr,
            "regtwin-cosim: found %s%s%s, expected: regtwin-cosim run NAME|FILE.launch [--system S] [--twin "
            "all|BLOCK,...]; regtwin-cosim run --help has more\n",
            argc < 2 ? "no command" : "'", argc < 2 ? "" : argv[1], argc < 2 ? "" : "'");
    return EXIT_INPUT;
  }
  static char name[] = "regtwin-cosim run";
  argv[1] = name;
  return cmd_whole_sm(argc - 1, argv + 1);
}

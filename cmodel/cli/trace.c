/* SPDX-License-Identifier: Apache-2.0 */
/* trace: regtwin trace record|info|dump: traces are recorded, described, and shown as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/similar.h"
#include "cli/cli.h"
#include "lab/report/grid.h"
#include "lab/report/json.h"
#include "lab/report/table.h"
#include "lab/run/record.h"
#include "lab/run/run.h"
#include "lab/run/trace.h"

/* ---- record ---- */

struct record_args {
  struct config_args config;
  const char *name, *to, *size;
  uint64_t seed;
  bool functional, values;
};
enum { OPT_SIZE = 256, OPT_SEED, OPT_FUNCTIONAL, OPT_VALUES, OPT_JSON, OPT_LAUNCH, OPT_CTA, OPT_WARP, OPT_LIMIT };
static const struct argp_option record_options[] = {
    {"output", 'o', "FILE.trf", 0, "trace to write", 0},
    {"size", OPT_SIZE, "NAME", 0,
     "size of the launch file's inputs, one that 'regtwin list kernels -v' shows; default: default", 0},
    {"seed", OPT_SEED, "N", 0, "seed of random buffers; default: the launch file's own", 0},
    {"functional", OPT_FUNCTIONAL, NULL, 0,
     "execute without timing, which is faster; a kernel with data races may execute other instructions than in a timed "
     "run",
     0},
    {"values", OPT_VALUES, NULL, 0, "also record the values of registers, which sim.check and lockstep of blocks need",
     0},
    {0}};

static error_t record_parse(int key, char *arg, struct argp_state *state) {
  struct record_args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case 'o': a->to = arg; return 0;
    case OPT_SIZE: a->size = size_arg(state, arg); return 0;
    case OPT_SEED: a->seed = number_arg(state, "--seed", arg, 1, UINT64_MAX >> 1); return 0;
    case OPT_FUNCTIONAL: a->functional = true; return 0;
    case OPT_VALUES: a->values = true; return 0;
    case ARGP_KEY_ARG:
      if (a->name) argp_error(state, "found a second kernel '%.60s', expected one", arg);
      a->name = arg;
      return 0;
    case ARGP_KEY_END:
      if (!a->name) argp_error(state, "found no kernel, expected a name of 'regtwin list kernels' or a launch file");
      if (!a->to) argp_error(state, "found no file, expected -o FILE.trf");
      if (!trace_named(a->to) || trace_foreign(a->to))
        argp_error(state, "-o: found '%.200s', expected a name that ends in .trf", a->to);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool trace_record(const struct record_args *a, const struct config *c, struct err *e) {
  const struct record_what what = {.name = a->name,
                                   .size = a->size,
                                   .path = a->to,
                                   .cfg = c,
                                   .seed = a->seed,
                                   .functional = a->functional,
                                   .values = a->values};
  struct progress *p = progress_new(1);
  struct run_progress hooks = progress_hooks(p);
  hooks.threads = a->config.threads ? a->config.threads : 1;
  progress_item(p, a->name);
  const bool ok = record_workload(&what, &hooks, e);
  progress_free(p);
  return ok;
}

static int cmd_record(int argc, char **argv) {
  static const struct argp argp = {
      record_options,
      record_parse,
      "NAME|FILE.launch -o FILE.trf",
      "Runs a kernel and records the instruction streams of all its launches. 'regtwin run FILE.trf' "
      "times them again without executing them; under the same configuration the result is the same.",
      config_children,
      NULL,
      NULL};
  struct record_args a = {.size = "default"};
  struct config c;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (!config_from(&a.config, &c, &e)) return err_complain(&e);
  return trace_record(&a, &c, &e) ? 0 : err_complain(&e);
}

/* The one argument of a command. */
static error_t one_file(const char **file, int key, char *arg, struct argp_state *state) {
  switch (key) {
    case ARGP_KEY_ARG:
      if (*file) argp_error(state, "found a second file '%.200s', expected one", arg);
      *file = arg;
      return 0;
    case ARGP_KEY_END:
      if (!*file) argp_error(state, "found no file, expected FILE.trf");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* ---- info ---- */

struct info_args {
  const char *file, *json;
};
static const struct argp_option info_options[] = {
    {"json", OPT_JSON, "FILE", 0, "also write it as JSON; - is standard output, without the table", 0}, {0}};

static error_t info_parse(int key, char *arg, struct argp_state *state) {
  struct info_args *a = state->input;
  switch (key) {
    case OPT_JSON: a->json = arg; return 0;
    default: return one_file(&a->file, key, arg, state);
  }
}

struct totals {
  uint64_t ctas, insns, threads, raw, stored;
};
static struct totals totals_of(const struct trf *t) {
  struct totals n = {0};
  for (uint32_t k = 0; k < trf_launches(t); k++) {
    const struct trf_launch *l = trf_launch(t, k);
    n.ctas += l->ctas, n.insns += l->warp_insns, n.threads += l->thread_insns;
    n.raw += l->raw_bytes, n.stored += l->stored_bytes;
  }
  return n;
}

static const char *dims_text(char buf[CELL], const uint32_t *v) {
  snprintf(buf, CELL, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, v[0], v[1], v[2]);
  return buf;
}

static void print_launches(const struct trf *t) {
  struct grid *g = grid_new();
  static const char *const head[] = {"launch", "kernel",     "grid",       "block",
                                     "CTAs",   "warp insns", "bytes/insn", "raw bytes/insn"};
  char a[CELL], b[CELL];
  grid_put_heads(g, head, sizeof head / sizeof *head);
  for (uint32_t k = 0; k < trf_launches(t); k++) {
    const struct trf_launch *l = trf_launch(t, k);
    grid_row(g);
    grid_cell(g, "%" PRIu32, k);
    grid_cell(g, "%s", trf_code(t, l->code)->code->name);
    grid_cell(g, "%s", dims_text(a, l->grid));
    grid_cell(g, "%s", dims_text(b, l->block));
    grid_cell(g, "%s", text_count(a, l->ctas));
    grid_cell(g, "%s", text_count(a, l->warp_insns));
    grid_cell(g, "%s", text_ratio(a, l->stored_bytes, l->warp_insns, 3));
    grid_cell(g, "%s", text_ratio(b, l->raw_bytes, l->warp_insns, 3));
  }
  grid_right(g, 4, 7);
  grid_print(g, stdout);
  grid_free(g);
}

static bool with_near(const struct trf *t) {
  for (uint32_t k = 0; k < trf_codes(t); k++)
    if (trf_code(t, k)->near) return true;
  return false;
}

static void print_info(const struct trf *t, const struct trace_meta *m, const struct err *why) {
  const struct totals n = totals_of(t);
  char a[CELL], b[CELL];
  const uint32_t flags = trf_flags(t);
  printf("%s: %s%s%s%s%s\n", SHOWN(trf_path(t)), trf_whole(t) ? "whole" : "breaks off",
         flags & TRF_VALUES ? ", with values" : "", with_near(t) ? ", with near bits" : "",
         flags & TRF_UNTIMED ? ", recorded without timing" : "", flags & TRF_IMPORTED ? ", imported" : "");
  if (!trf_whole(t)) printf("  %s\n", SHOWN(why->text));
  if (m->machine[0])
    printf("  %s%s%s, %s, system %s, by %s\n", SHOWN(m->kernel), m->size[0] ? ", size " : "", SHOWN(m->size),
           SHOWN(m->machine), SHOWN(m->system), SHOWN(m->program));
  printf("  %" PRIu32 " kernels, %" PRIu32 " launches, %s CTAs%s, ", trf_codes(t), trf_launches(t),
         text_count(a, n.ctas), trf_whole(t) ? "" : " whole");
  printf("%s warp instructions\n", text_count(a, n.insns));
  printf("  %s bytes: %s a warp instruction\n\n", text_count(a, trf_bytes(t)), text_ratio(b, trf_bytes(t), n.insns, 3));
  print_launches(t);
}

static json_t *dims_json(const uint32_t *v) {
  json_t *a = json_array();
  for (unsigned k = 0; k < 3; k++) json_array_append_new(a, json_whole(v[k]));
  return a;
}

static json_t *info_json(const struct trf *t, const struct err *why) {
  const struct totals n = totals_of(t);
  json_t *o = json_object(), *launches = json_array();
  for (uint32_t k = 0; k < trf_launches(t); k++) {
    const struct trf_launch *l = trf_launch(t, k);
    json_t *one = json_object();
    char hash[17];
    json_put(one, "kernel", json_text(trf_code(t, l->code)->code->name));
    json_put(one, "grid", dims_json(l->grid));
    json_put(one, "block", dims_json(l->block));
    json_put(one, "ctas", json_whole(l->ctas));
    json_put(one, "warp_insns", json_whole(l->warp_insns));
    json_put(one, "thread_insns", json_whole(l->thread_insns));
    snprintf(hash, sizeof hash, "%016" PRIx64, l->hash);
    json_put(one, "stream_hash", json_text(hash));
    json_put(one, "stored_bytes", json_whole(l->stored_bytes));
    json_put(one, "raw_bytes", json_whole(l->raw_bytes));
    json_array_append_new(launches, one);
  }
  json_put(o, "file", json_text(trf_path(t)));
  json_put(o, "whole", json_boolean(trf_whole(t)));
  if (!trf_whole(t)) json_put(o, "breaks_off", json_text(why->text));
  json_put(o, "values", json_boolean(trf_flags(t) & TRF_VALUES));
  json_put(o, "near_bits", json_boolean(with_near(t)));
  json_put(o, "imported", json_boolean(trf_flags(t) & TRF_IMPORTED));
  json_put(o, "timed", json_boolean(!(trf_flags(t) & TRF_UNTIMED)));
  json_put(o, "bytes", json_whole(trf_bytes(t)));
  json_put(o, "warp_insns", json_whole(n.insns));
  json_put(o, "bytes_per_insn", json_ratio(trf_bytes(t), n.insns));
  json_put(o, "ctas", json_whole(n.ctas));
  json_t *meta = json_loads(trf_meta(t), 0, NULL);
  json_put(o, "meta", meta ? meta : json_null());
  json_put(o, "launches", launches);
  return o;
}

static int cmd_info(int argc, char **argv) {
  static const struct argp argp = {
      info_options,
      info_parse,
      "FILE.trf",
      "Shows what a trace holds, launch by launch. For a truncated file it says where the file ends and how many CTAs "
      "are complete; the exit status is then 2.",
      NULL,
      NULL,
      NULL};
  struct info_args a = {0};
  struct err e = {0}, why = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.json && !json_writable(a.json, &e)) return err_complain(&e);
  struct trf *t = trf_open_partial(a.file, &why, &e);
  struct trace_meta *m = xcalloc(1, sizeof *m);
  bool ok = t && trace_meta_read(t, m, &e);
  if (ok && !json_alone(a.json)) print_info(t, m, &why);
  if (ok && a.json) ok = json_save_new(a.json, info_json(t, &why), &e);
  const bool whole = t && trf_whole(t);
  trf_free(t);
  free(m);
  if (!ok) return err_complain(&e);
  return whole ? 0 : err_complain(&why);
}

/* ---- dump ---- */

struct dump_args {
  const char *file;
  int64_t launch, cta, warp; /* -1: all */
  uint64_t limit;            /* lines */
};
static const struct argp_option dump_options[] = {
    {"launch", OPT_LAUNCH, "N", 0, "only this launch; the first is 0", 0},
    {"cta", OPT_CTA, "N", 0, "only this CTA, by its number in the grid, from 0", 0},
    {"warp", OPT_WARP, "N", 0, "only this warp of each CTA, from 0", 0},
    {"limit", OPT_LIMIT, "N", 0, "print at most N instructions", 0},
    {0}};

static error_t dump_parse(int key, char *arg, struct argp_state *state) {
  struct dump_args *a = state->input;
  switch (key) {
    case OPT_LAUNCH: a->launch = (int64_t)number_arg(state, "--launch", arg, 0, UINT32_MAX); return 0;
    case OPT_CTA: a->cta = (int64_t)number_arg(state, "--cta", arg, 0, UINT32_MAX); return 0;
    case OPT_WARP: a->warp = (int64_t)number_arg(state, "--warp", arg, 0, TRF_WARPS - 1); return 0;
    case OPT_LIMIT: a->limit = number_arg(state, "--limit", arg, 1, UINT64_MAX >> 1); return 0;
    default: return one_file(&a->file, key, arg, state);
  }
}

/* "0x1000+4" for lanes a stride apart, else each lane's address. */
static void print_row(const uint32_t *row, uint32_t lanes) {
  const unsigned first = (unsigned)__builtin_ctz(lanes);
  const uint32_t after = lanes & (lanes - 1);
  const unsigned second = after ? (unsigned)__builtin_ctz(after) : first;
  const uint32_t stride = after ? (row[second] - row[first]) / (second - first) : 0;
  bool affine = true;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned l = (unsigned)__builtin_ctz(rest);
    affine &= row[l] == row[first] + stride * (l - first);
  }
  printf(" 0x%" PRIx32, row[first]);
  if (affine && after) printf("%+" PRId32, (int32_t)stride);
  for (uint32_t rest = affine ? 0 : after; rest; rest &= rest - 1) printf(",0x%" PRIx32, row[__builtin_ctz(rest)]);
}

static void print_step(const struct trf_code *code, const struct trf_step *s) {
  static const char *const spaces[] = {"", " global", " shared", " local", " const", " param", " texels"};
  char text[256];
  if (code->text) snprintf(text, sizeof text, "%s", code->text[s->op]);
  else insn_print(code->code, s->op, text, sizeof text);
  printf("  %6" PRIu32 " 0x%04" PRIx32 " %08" PRIx32, s->seq, 8 * s->op, s->active);
  if (s->lanes != s->active) printf(" lanes %08" PRIx32, s->lanes);
  printf("  %s", SHOWN(text));
  if (s->rows) {
    printf(" ;%s", spaces[s->space]);
    print_row(s->addr, s->lanes);
  }
  for (unsigned k = 1; s->tex && k < tex_rows(s->tex); k++) {
    printf(" |");
    print_row(s->texel[k], s->lanes);
  }
  if (s->rows == 2) {
    printf(" to");
    print_row(s->to, s->lanes);
  }
  if (s->barrier >= 0) printf(" ; barrier %d", s->barrier);
  if (s->warps) printf(" of %" PRIu32 " warps", s->warps);
  for (unsigned k = 0; k < s->nval; k++) {
    printf("%s", k ? " |" : " =");
    print_row(s->val[k], s->lanes ? s->lanes : s->active);
  }
  printf("\n");
}

static bool dump_warp(struct trf *t, struct trf_cta *c, const struct trf_launch *l, unsigned warp, uint64_t *left,
                      struct err *e) {
  uint32_t addr[32], to[32], val[4][32], texel[8][32];
  struct trf_step s = {.addr = addr, .to = to, .texel = texel, .val = val};
  int given = STREAM_FINISHED;
  while (*left && (given = trf_next(c, warp, &s, e)) == STREAM_GIVEN) {
    print_step(trf_code(t, l->code), &s);
    --*left;
  }
  return given != STREAM_ERROR;
}

static bool dump_cta(const struct dump_args *a, struct trf *t, uint32_t launch, uint32_t cta, uint64_t *left,
                     struct err *e) {
  const struct trf_launch *l = trf_launch(t, launch);
  const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
  struct trf_cta *c = trf_cta_open(t, launch, cta, e);
  bool ok = c != NULL;
  for (unsigned w = 0; ok && w < warps && *left; w++) {
    if (a->warp >= 0 && a->warp != (int64_t)w) continue;
    printf("launch %" PRIu32 " %s CTA %" PRIu32 " warp %u\n", launch, SHOWN(trf_code(t, l->code)->code->name), cta, w);
    ok = dump_warp(t, c, l, w, left, e);
  }
  trf_cta_close(c);
  return ok;
}

static bool trace_dump_ctas(const struct dump_args *a, struct trf *t, struct err *e) {
  uint64_t left = a->limit;
  bool found = false, ok = true;
  for (uint32_t k = 0; ok && k < trf_launches(t); k++) {
    if (a->launch >= 0 && a->launch != (int64_t)k) continue;
    for (uint32_t c = 0; ok && left && c < trf_launch(t, k)->ctas; c++) {
      const uint32_t cta = trf_cta_at(t, k, c);
      if (a->cta >= 0 && a->cta != (int64_t)cta) continue;
      found = true;
      ok = dump_cta(a, t, k, cta, &left, e);
    }
  }
  return ok && (found || err_at(e, a->file, 0, 0, "found no such launch or CTA, expected one of 'regtwin trace info'"));
}

static int cmd_dump(int argc, char **argv) {
  static const struct argp argp = {
      dump_options,
      dump_parse,
      "FILE.trf",
      "Prints a trace as text: for each warp its instructions, with number, PC, mask of active lanes, mask of those "
      "whose guard holds, and addresses.",
      NULL,
      NULL,
      NULL};
  struct dump_args a = {.launch = -1, .cta = -1, .warp = -1, .limit = UINT64_MAX};
  struct err e = {0}, why = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  struct trf *t = trf_open_partial(a.file, &why, &e);
  const bool ok = t && trace_dump_ctas(&a, t, &e);
  trf_free(t);
  if (!ok) return err_complain(&e);
  return why.set ? err_complain(&why) : 0;
}

/* ---- all ---- */

static const struct part {
  const char *name;
  int (*run)(int, char **);
} parts[] = {{"record", cmd_record},
             {"info", cmd_info},
             {"dump", cmd_dump},
             {"import", cmd_trace_import},
             {"export", cmd_trace_export}};

struct pick {
  const struct part *part;
  int at;
};
static error_t trace_parse(int key, char *arg, struct argp_state *state) {
  struct pick *p = state->input;
  if (key == ARGP_KEY_ARG) {
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
      if (!strcmp(arg, parts[i].name)) p->part = &parts[i];
    char near[400];
    similar_among(arg, &parts[0].name, sizeof *parts, sizeof parts / sizeof *parts,
                  ", expected record, info, dump, import or export", near, sizeof near);
    if (!p->part) argp_error(state, "found '%.60s'%s", arg, near);
    p->at = state->next - 1;
    state->next = state->argc;
    return 0;
  }
  if (key == ARGP_KEY_NO_ARGS) argp_error(state, "found no command, expected record, info, dump, import or export");
  return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

int cmd_trace(int argc, char **argv) {
  static const struct argp argp = {
      .parser = trace_parse,
      .args_doc = "COMMAND [ARGUMENT...]",
      .doc =
          "Records, shows and converts traces: the instruction streams of a run, which can be timed again without "
          "being executed.\v"
          "Commands (each has --help):\n"
          "  record NAME|FILE.launch -o FILE.trf   run a kernel and record it\n"
          "  info FILE.trf                         what a trace holds\n"
          "  dump FILE.trf                         its instructions as text\n"
          "  import kernelslist.g -o FILE.trf      read traces of Accel-Sim\n"
          "  export FILE.trf -o DIR                write traces for Accel-Sim"};
  struct pick p = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER | COMMAND_FIRST, &p)) return EXIT_INPUT;
  char name[64];
  snprintf(name, sizeof name, "regtwin trace %s", p.part->name);
  argv[p.at] = name;
  return p.part->run(argc - p.at, argv + p.at);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: the runner of one block, build/cosim/SYSTEM/BLOCK. Exit status: 0 the twins agree, 1 they do not or a bin is
 * empty, 2 the call or a file is wrong.
 */
#include <argp.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/bits.h"
#include "base/io.h"
#include "base/show.h"
#include "engine.h"

struct options {
  const char *block, *set, *replay, *record, *regress, *streams, *waves_dir, *result, *hash, *coverage, *again;
  uint64_t seed, cycles, mutant, idle_every; /* idle_every 0: by what the run is for */
  unsigned stored, refused;                  /* stored streams that were driven; that could not be read */
  double shrink_seconds;                     /* of processor time */
  bool no_states, narrowed, waves, shrink, quiet, bench, bins, mutants;
};

static const struct argp_option table[] = {
    {"seed", 's', "N", 0, "seed of the random episodes (1)", 0},
    {"cycles", 'c', "N", 0, "how many cycles (the bench says)", 0},
    {"waves", 'w', NULL, 0, "write a waveform, with the RTL's internals where the build has traces", 0},
    {"replay", 'r', "FILE", 0, "drive this stimulus file instead", 0},
    {"record", 'o', "FILE", 0, "keep the inputs as a stimulus file", 0},
    {"shrink", 'k', NULL, 0, "reduce a failing stimulus and store it in the regress directory", 0},
    {"shrink-seconds", 'K', "N", 0, "processor time that --shrink may take (20)", 0},
    {"no-states", 'T', NULL, 0, "leave out what starts from a chosen state", 0},
    {"bins", 'b', NULL, 0, "list the coverage bins with their counts", 0},
    {"idle-every", 'i', "N", 0, "look at every Nth state that idles (1; with --mutants 64)", 0},
    {"quiet", 'q', NULL, 0, "only failures", 0},
    {"bench", 'B', NULL, 0, "speed: bare Verilated model, bare C model, lockstep", 0},
    {"regress", 'R', "DIR", 0, "stimulus files of earlier failures, driven first", 1},
    {"streams", 'S', "DIR", 0, "stimulus files recorded from kernels, driven last", 1},
    {"wave-dir", 'W', "DIR", 0, "where waveforms go (build/waves)", 1},
    {"block", 'n', "NAME", 0, "how make names this block", 1},
    {"set", 'P', "NAME", 0, "the parameter set, if it is not the block's first", 1},
    {"again", 'a', "TEXT", 0, "make variables to repeat in the replay command", 1},
    {"result", 'f', "FILE", 0, "add the result there", 1},
    {"hash", 'h', "HASH", 0, "of the sources, for the result", 1},
    {"coverage", 'C', "FILE", 0, "write Verilator's coverage", 1},
    {"mutant", 'm', "N", 0, "choose this fault of a build with mutants", 1},
    {"mutants", 'M', NULL, 0, "ports only, no report: print cycle of the first divergence or -", 1},
    {0}};

static uint64_t runner_read_number(const char *what, const char *text) {
  char *end;
  errno = 0;
  uint64_t v = strtoull(text, &end, 0);
  if (!*text || *end || errno || strchr(text, '-')) die("%s: found \"%s\", expected a number", what, text);
  return v;
}

static error_t runner_parse(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
    case 's': o->seed = runner_read_number("seed", arg); break;
    case 'c':
      o->cycles = runner_read_number("cycles", arg);
      o->narrowed = true;
      break;
    case 'w': o->waves = true; break;
    case 'r': o->replay = arg; break;
    case 'o': o->record = arg; break;
    case 'k': o->shrink = true; break;
    case 'K': o->shrink_seconds = (double)runner_read_number("shrink-seconds", arg); break;
    case 'T': o->no_states = true; break;
    case 'b': o->bins = true; break;
    case 'i':
      o->idle_every = runner_read_number("idle-every", arg);
      if (!o->idle_every) die("idle-every: found 0, expected at least 1");
      break;
    case 'q': o->quiet = true; break;
    case 'B': o->bench = true; break;
    case 'R': o->regress = arg; break;
    case 'S': o->streams = arg; break;
    case 'W': o->waves_dir = arg; break;
    case 'n': o->block = arg; break;
    case 'P': o->set = *arg ? arg : NULL; break;
    case 'a': o->again = arg; break;
    case 'f': o->result = arg; break;
    case 'h': o->hash = arg; break;
    case 'C': o->coverage = arg; break;
    case 'm': o->mutant = runner_read_number("mutant", arg); break;
    case 'M': o->mutants = true; break;
    case ARGP_KEY_ARG: die("%s: found one argument too many", arg);
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void write_stream(const struct engine *e, const struct stim *s, const char *path) {
  const char *why = stim_write(s, e->d, path);
  if (why) die("%s: %s", path, why);
}

static const char *runner_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void say_what(const struct engine *e) {
  static const struct {
    const char *verb, *says;
  } of[] = {
      [RUN_DIVERGE] = {"DIVERGE", NULL},
      [RUN_EXPECT] = {"ORACLE", "the twins agree in ports and registers, the bench's oracle does not"},
      [RUN_CONTROL] = {"CONTROL", "the golden model without its data decides otherwise"},
      [RUN_IDLE] = {"IDLE", "the golden model breaks the contract of idle, hold and skip"},
      [RUN_ILLEGAL] = {"ILLEGAL", "this stimulus breaks the block's rules"},
      [RUN_INVARIANT] = {"INVARIANT", "a fault of the golden model: its own check fails"},
      [RUN_ASSERT] = {"ASSERT", "the RTL breaks its own assertion"},
  };
  printf("%s %s cycle %" PRIu64 " seed %u", of[e->outcome].verb, e->d->name, e->bad_cycle, e->seed);
  printf("   (cycle %" PRIu64 " after reset, %s)\n", e->bad_cycle - e->bad_first, e->what);
  if (of[e->outcome].says) printf("  %s: %s\n", of[e->outcome].says, e->message);
  if (e->also[0]) printf("  %s\n", e->also);
}

/* A second, identical run writes the RTL's internals: around `end` if that is where it went wrong, else up to there. */
static void wave_with_internals(struct engine *e, const struct stim *s, const char *path, uint64_t end, bool bad) {
  uint64_t bad_cycle = e->bad_cycle;
  uint64_t limit = e->limit;
  const char *what = e->what;
  engine_restart(e);
  e->wave_from = bad ? (end > BEFORE ? end - BEFORE : 0) : 0;
  e->wave_to = bad ? end + AFTER : end < 2000 ? end : 2000;
  e->wave = wave_open(e, path, true);
  if (s) engine_replay(e, s, what);
  else engine_run(e, bad ? limit : e->wave_to + 1);
  wave_close(e->wave, e->wave_from, e->wave_to, bad_cycle, bad);
  e->wave = NULL;
}

/* Starts the path of a file of this block in the directory of waveforms: DIR/BLOCK or, at a set that is not the first, DIR/BLOCK@SET.
 * Returns its length. */
static size_t runner_wave_stem(const struct engine *e, const struct options *o, char *path, size_t room) {
  const int n =
      snprintf(path, room, "%.300s/%.64s%s%.64s", o->waves_dir, e->d->name, o->set ? "@" : "", o->set ? o->set : "");
  return (size_t)n;
}

/* The waveform of a run: named after the stream, if there is one, else after the seed. */
static void runner_wave_path(const struct engine *e, const struct options *o, const char *stream_path, char *path,
                             size_t room) {
  const size_t n = runner_wave_stem(e, o, path, room);
  if (stream_path) snprintf(path + n, room - n, "-%s.fst", runner_base_name(stream_path));
  else snprintf(path + n, room - n, "-%u.fst", e->seed);
}

/* Writes the make variables with which make wave shows the last failure of the block at this set again, one per line. */
static void failure_remember(const struct engine *e, const struct options *o, const char *stream_path) {
  char path[600], why[IO_WHY];
  const size_t n = runner_wave_stem(e, o, path, sizeof path);
  snprintf(path + n, sizeof path - n, ".last");
  struct output *out = output_replace(path, why);
  if (!out) die("%s: %s", path, why);
  if (o->set) fprintf(output_stream(out), "SETS=%s\n", o->set);
  if (stream_path) fprintf(output_stream(out), "REPLAY=%s\n", stream_path);
  else fprintf(output_stream(out), "SEED=%u\nCYCLES=%" PRIu64 "\n", e->seed, e->needs);
  if (!output_close(out, true, why)) die("%s: %s", path, why);
}

/* Prints the failure: its kind, the table, the waveform, and the commands that reproduce it. */
static void failure_present(struct engine *e, const struct options *o, const struct stim *s, const char *stream_path) {
  char wave[600], variables[640];
  const char *name = o->block ? o->block : e->d->name, *extra = o->again ? o->again : "";
  say_what(e);
  report_failure(e, stdout);
  struct frame *f = engine_frame(e, e->bad_cycle);
  e->fields = e->differ = 0;
  if (f) e->fields = differing_fields(e, f, e->field, FIELDS, &e->differ);
  runner_wave_path(e, o, stream_path, wave, sizeof wave);
  if (stream_path) snprintf(variables, sizeof variables, "REPLAY=%s", stream_path);
  else snprintf(variables, sizeof variables, "SEED=%u CYCLES=%" PRIu64, e->seed, e->needs);
  if (o->waves && e->rtl->trace_open && e->outcome != RUN_ILLEGAL) {
    char values[512];
    wave_with_internals(e, s, wave, e->bad_cycle, true);
    wave_asserted_values(e, wave, values, sizeof values);
    if (values[0]) printf("  inner signals of the assertion: %s\n", values);
  } else {
    wave_of_ring(e, wave);
  }
  failure_remember(e, o, stream_path);
  printf("  replay: make cosim BLOCK=%s %s%s      wave: %s (+ .gtkw)\n", name, variables, extra, wave);
  printf("  view: make wave BLOCK=%s %s%s (in GTKWave, with the RTL's inner signals)\n", name, variables, extra);
}

/* The shrunk stream's name is a hash of its contents; the same failure gives the same file. */
static void shrink_and_store(struct engine *e, const struct options *o, const struct stim *from) {
  struct stim s = {0};
  bool early;
  if (from) {
    stim_copy(&s, e->d, from, 0, e->bad_cycle < from->cycles ? e->bad_cycle + 1 : from->cycles);
  } else {
    /* the failing episode alone; if that does not fail alone, the whole run */
    uint64_t start = e->bad_first, needs = e->needs;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
      stim_free(&s);
      engine_restart(e);
      e->record = &s;
      e->record_from = attempt ? 0 : start;
      engine_run(e, needs);
      e->record = NULL;
      struct stim try = {0};
      stim_copy(&try, e->d, &s, 0, s.cycles);
      bool ok = stim_shrink(e, &try, 0, &early);
      stim_free(&try);
      if (ok || !start) break;
    }
  }
  uint64_t before = s.cycles;
  if (!stim_shrink(e, &s, o->shrink_seconds, &early)) {
    printf("  shrink: the recorded stimulus does not fail by itself (an oracle in an episode, not in observe?)\n");
    stim_free(&s);
    return;
  }
  const uint64_t h = fnv1a(FNV_START, s.at, s.cycles * s.step);
  char path[600];
  snprintf(path, sizeof path, "%s/%s-%08x.stim", o->regress ? o->regress : ".", e->d->name, (unsigned)(h >> 32));
  write_stream(e, &s, path);
  printf("\nSHRUNK from %" PRIu64 " to %" PRIu64 " cycles: %s (commit it; make cosim drives it first from now on)\n",
         before, s.cycles, path);
  if (early)
    printf("  stopped early, after %.0f s of processor time: SHRINK_SECONDS=%.0f may find a smaller one\n",
           o->shrink_seconds, 4 * o->shrink_seconds + (o->shrink_seconds < 1));
  report_stimulus(e->d, &s, stdout);
  engine_restart(e);
  engine_replay(e, &s, path);
  failure_present(e, o, &s, path);
  stim_free(&s);
}

static void failure_handle(struct engine *e, const struct options *o, const struct stim *s, const char *stream_path) {
  failure_present(e, o, s, stream_path);
  if (e->outcome == RUN_ILLEGAL) return;
  if (o->shrink) shrink_and_store(e, o, s);
  else printf("  more: the replay command with SHRINK=1 finds the smallest stimulus\n");
}

/* The block, and its set if it is not the first. */
static const char *runner_unit_name(const struct engine *e, const struct options *o, char text[static 128]) {
  snprintf(text, 128, "%s%s%s", o->block ? o->block : e->d->name, o->set ? "@" : "", o->set ? o->set : "");
  return text;
}

/* ---- speed ---- */
static double once_rtl(struct engine *e, const struct stim *s) {
  double t = processor_time();
  for (uint64_t k = 0; k < s->cycles; k++) {
    if (stim_reset(s, k)) e->rtl->hold(e->r, 1), e->rtl->hold(e->r, 0);
    e->rtl->eval(e->r, stim_in(s, k));
    e->rtl->tick(e->r);
  }
  return processor_time() - t;
}

static double once_c(struct engine *e, const struct stim *s) {
  double t = processor_time();
  for (uint64_t k = 0; k < s->cycles; k++) {
    if (stim_reset(s, k) && e->d->reset) e->d->reset(e->c);
    e->d->eval(e->c, stim_in(s, k), e->scratch_out);
    if (e->d->tick) e->d->tick(e->c, stim_in(s, k));
  }
  return processor_time() - t;
}

static double once_both(struct engine *e, const struct stim *s) {
  engine_restart(e);
  double t = processor_time();
  if (engine_replay(e, s, "bench") != RUN_AGREE) die("%s: the twins differ; no speed of that", e->d->name);
  return processor_time() - t;
}

static int runner_bench_speed(struct engine *e, const struct options *o) {
  struct stim s = {0};
  uint64_t n = (UINT64_C(1) << 24) / e->d->in_bytes; /* 16 MiB of inputs at most */
  e->record = &s;
  e->no_states = true;
  if (engine_run(e, n < 20000 ? n : 20000) != RUN_AGREE) die("%s: the twins differ; no speed of that", e->d->name);
  e->record = NULL;
  e->plain = true; /* the bench's own work does not count as lockstep */
  double best[3] = {1e9, 1e9, 1e9}, until = processor_time() + 3;
  for (unsigned round = 0; round < 5 || processor_time() < until; round++) {
    double t[3] = {once_rtl(e, &s), once_c(e, &s), once_both(e, &s)};
    for (unsigned k = 0; k < 3; k++) best[k] = t[k] < best[k] ? t[k] : best[k];
  }
  double k = (double)s.cycles / 1e3;
  char name[128];
  printf("%-14s %10.1f %10.1f %10.1f   %5.2f\n", runner_unit_name(e, o, name), k / best[0], k / best[1], k / best[2],
         best[2] / (best[0] + best[1]));
  stim_free(&s);
  return 0;
}

/* ---- a run ---- */
static void runner_write_result(const struct engine *e, const struct options *o, uint64_t cycles, double seconds,
                                const char *how) {
  if (!o->result) return;
  char why[IO_WHY];
  struct output *out = output_replace(o->result, why);
  if (!out) die("%s: %s", o->result, why);
  char name[128];
  fprintf(output_stream(out), "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%u\t%u\t%s\n", runner_unit_name(e, o, name),
          o->hash ? o->hash : "-", o->seed, cycles, seconds, engine_bins_hit(e), e->bins, how);
  if (!output_close(out, true, why)) die("%s: %s", o->result, why);
}

/* A stored stream that cannot be read, mostly since the block's .def is another one now: the run goes on without it. */
static void runner_refuse(const struct engine *e, struct options *o, const char *path, const char *why) {
  char text[1200], shown[2048];
  const char *name = o->block ? o->block : e->d->name;
  if (o->streams && !strncmp(path, o->streams, strlen(o->streams)))
    snprintf(text, sizeof text, "cosim: %.500s: %.300s: make streams BLOCK=%.64s", path, why, name);
  else
    snprintf(text, sizeof text, "cosim: %.500s: %.300s: delete it, or find the failure anew with SHRINK=1", path, why);
  fflush(stdout);
  fprintf(stderr, "%s\n", show_text(shown, sizeof shown, text));
  o->refused++;
}

/* The block's stimulus files of a directory, which may be NULL. */
static bool runner_replay_stored(struct engine *e, struct options *o, const char *directory) {
  char pattern[600];
  glob_t g;
  bool ok = true;
  snprintf(pattern, sizeof pattern, "%s/%s-*.stim", directory ? directory : "", e->d->name);
  if (!directory || glob(pattern, 0, NULL, &g)) return true;
  for (size_t k = 0; k < g.gl_pathc && ok; k++) {
    struct stim s = {0};
    const char *why = stim_try(&s, e->d, false, g.gl_pathv[k]);
    if (why) {
      runner_refuse(e, o, g.gl_pathv[k], why);
      continue;
    }
    engine_restart(e);
    ok = engine_replay(e, &s, g.gl_pathv[k]) == RUN_AGREE;
    o->stored++;
    if (!ok) failure_handle(e, o, &s, g.gl_pathv[k]);
    stim_free(&s);
  }
  globfree(&g);
  engine_restart(e);
  return ok;
}

static int runner_finish(struct engine *e, const struct options *o, uint64_t cycles, double seconds) {
  unsigned hit = engine_bins_hit(e);
  bool empty = hit < e->bins && !o->narrowed && !o->replay;
  if (o->bins) {
    for (unsigned k = 0; k < e->bins; k++) printf("  %-40s %12" PRIu64 "\n", e->tb->bins[k], e->hits[k]);
  }
  if (!o->quiet || empty) {
    char name[128];
    printf("%-14s %s  %" PRIu64 " cycles, seed %" PRIu64 ", %.0f kcycles/s, bins %u/%u", runner_unit_name(e, o, name),
           empty ? "EMPTY BINS" : "agree", cycles, o->seed, (double)cycles / 1e3 / (seconds > 1e-9 ? seconds : 1e-9),
           hit, e->bins);
    if (e->d->idle) printf(", %" PRIu64 " idle states", (e->idled + e->idle_every - 1) / e->idle_every);
    if (o->stored) printf(", %u stored streams", o->stored);
    if (o->refused) printf(", %u refused", o->refused);
    putchar('\n');
  }
  for (unsigned k = 0; empty && k < e->bins; k++) {
    if (!e->hits[k]) printf("  empty: %s\n", e->tb->bins[k]);
  }
  runner_write_result(e, o, cycles, seconds, o->refused ? "refused" : empty ? "bins" : "agree");
  return o->refused ? 2 : empty ? 1 : 0;
}

/* A model with a fault may hang in a cycle: two seconds of processor time without progress end the run, as an
 * exceeded limit does. */
static const struct engine *watched;
static void check_progress(int signal) {
  static uint64_t last = UINT64_MAX;
  (void)signal;
  if (watched->cycle == last) raise(SIGXCPU);
  last = watched->cycle;
}
static void runner_watch(const struct engine *e) {
  const struct itimerval second = {{1, 0}, {1, 0}};
  watched = e;
  signal(SIGVTALRM, check_progress);
  setitimer(ITIMER_VIRTUAL, &second, NULL);
}

static int one_mutant(struct engine *e, const struct options *o) {
  runner_watch(e);
  e->rtl->choose(e->r, (unsigned)o->mutant);
  if (engine_run(e, o->cycles) == RUN_AGREE) printf("%" PRIu64 "\t-\n", o->mutant);
  else {
    if (!o->quiet && !o->mutant) report_failure(e, stderr), fprintf(stderr, "%s\n", e->message);
    printf("%" PRIu64 "\t%" PRIu64 "\n", o->mutant, e->bad_cycle);
  }
  return 0;
}

int main(int argc, char **argv) {
  struct options o = {.seed = 1, .waves_dir = "build/waves", .shrink_seconds = 20};
  const struct argp argp = {
      table, runner_parse, NULL, "Holds the C and the Verilog model of one block together, cycle by cycle.",
      NULL,  NULL,         NULL};
  show_guard();
  argp_err_exit_status = 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  if (o.seed > UINT32_MAX) die("seed: found %" PRIu64 ", expected at most 4294967295", o.seed);
  if (o.narrowed && !o.cycles) die("cycles: found 0, expected at least 1");
  if (!o.cycles) o.cycles = tb_bench.cycles ? tb_bench.cycles : 200000;
  struct engine *e = engine_new(&block_golden, &block_rtl, &tb_bench, (unsigned)o.seed);
  e->no_states = o.no_states;
  e->idle_every = o.idle_every ? o.idle_every : o.mutants ? 64 : 1;
  if (e->rtl->choose) return one_mutant(e, &o);
  engine_check_itself(e);
  if (o.bench) return runner_bench_speed(e, &o);
  struct stim s = {0}, recorded = {0};
  if (o.replay) stim_read(&s, e->d, o.replay);
  else if (!o.mutants && !runner_replay_stored(e, &o, o.regress)) {
    runner_write_result(e, &o, e->cycle, 0, "regression");
    return 1;
  }
  if (o.mutants) runner_watch(e);
  if (o.record) e->record = &recorded;
  const uint64_t from = clock_wall_ns();
  enum outcome how = o.replay ? engine_replay(e, &s, o.replay) : engine_run(e, o.cycles);
  double seconds = clock_seconds(from, clock_wall_ns());
  int status = 1;
  e->record = NULL;
  if (o.record) write_stream(e, &recorded, o.record);
  if (o.mutants) {
    if (how == RUN_AGREE) puts("-");
    else printf("%" PRIu64 "\n", e->bad_cycle);
    status = 0;
  } else if (how == RUN_AGREE) {
    uint64_t cycles = e->cycle;
    if (o.coverage && e->rtl->coverage) e->rtl->coverage(e->r, o.coverage);
    if (!o.narrowed && !o.replay && !runner_replay_stored(e, &o, o.streams)) {
      runner_write_result(e, &o, e->bad_cycle, seconds, "stream");
      return 1;
    }
    status = runner_finish(e, &o, cycles, seconds);
    if (o.waves) {
      char path[600];
      runner_wave_path(e, &o, o.replay, path, sizeof path);
      if (e->rtl->trace_open) wave_with_internals(e, o.replay ? &s : NULL, path, cycles - 1, false);
      printf("  wave: %s (+ .gtkw)\n", path);
    }
  } else {
    runner_write_result(e, &o, e->bad_cycle, seconds, "diverge");
    failure_handle(e, &o, o.replay ? &s : NULL, o.replay);
  }
  stim_free(&s);
  stim_free(&recorded);
  engine_free(e);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tune: see tune.h. */
#include "lab/campaign/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/campaign/pool.h"
#include "compiler/narrow/packing.h"
#include "base/bits.h"
#include "base/io.h"
#include "lab/run/trace.h"

enum { WIDE = 8, NARROW = 2, MOST_SEEDS = 64, MOST_INPUTS = MOST_SEEDS + 2 };
enum { WORK_SHARE = 16 }; /* a trial may execute that part more than the reference: assumption */

struct value { /* a float: a web of a kernel that is launched */
  uint32_t kernel, web;
};

struct input {
  struct workload *w;
  uint64_t seed;
  bool own;                         /* the launch file's seed: what it expects is right */
  struct quality_results reference; /* with all floats whole */
  uint64_t work;                    /* warp instructions of the reference */
};

struct verdict { /* of a trial with one input; plain data */
  bool reached;
  struct quality quality;
};

struct outcome {
  uint64_t trial; /* hash of the widths and of what they were tried on */
  bool holds;
};

struct tuner {
  const struct tune *how;
  enum quality_metric metric;
  struct workload small, large;
  bool has_large;
  struct input input[MOST_INPUTS]; /* the large one is the last */
  unsigned ninput, lo, hi;         /* trials execute [lo, hi) */
  unsigned first;                  /* where the last trial failed */
  struct value *value;
  unsigned nvalue, cvalue, settled, trials, reused;
  uint8_t *n; /* nibbles of each value */
  struct verdict verdict[MOST_INPUTS];
  struct outcome *outcome; /* of the journal */
  unsigned noutcome, coutcome;
  uint64_t hash; /* of all that trials have in common */
  char journal_path[1100];
  FILE *journal;
};

/* ---- the goal ---- */

bool tune_goal(const char *text, struct tune_goal *g, struct err *e) {
  *g = (struct tune_goal){.level = QUALITY_PERFECT};
  if (!strcmp(text, "perfect")) return true;
  g->level = QUALITY_HIGH;
  if (!strcmp(text, "high")) return true;
  char *end;
  bool digit = text[0] >= '0' && text[0] <= '9';
  double x = digit ? strtod(text, &end) : -1;
  bool percent = digit && !strcmp(end, "%");
  if (!digit || (*end && !percent))
    return err_at(e, NULL, 0, 0, "found quality '%.40s', expected perfect, high, an ssim as 0.95 or a deviation as 5%%",
                  text);
  if (percent ? !(x <= 100) : !(x > 0 && x <= 1))
    return err_at(e, NULL, 0, 0, "found quality '%.40s', expected %s", text,
                  percent ? "a deviation from 0% to 100%" : "an ssim above 0, at most 1");
  *g = (struct tune_goal){.own = true, .metric = percent ? QUALITY_DEVIATION : QUALITY_SSIM, .threshold = x};
  return true;
}

static void goal_text(const struct tune_goal *g, bool as_option, char *buf, size_t size) {
  if (!g->own) snprintf(buf, size, "%s", quality_level_name(g->level));
  else if (g->metric == QUALITY_DEVIATION)
    snprintf(buf, size, as_option ? "%.9g%%" : "deviation %.9g %%", g->threshold);
  else snprintf(buf, size, as_option ? "%.9g" : "ssim %.9g", g->threshold);
}

/* What has no level "high" has to be exact. */
static bool tune_goal_is_reached(const struct tune_goal *g, const struct quality *q) {
  if (!q->differ) return true;
  if (g->own) return g->metric == QUALITY_SSIM ? q->value >= g->threshold : q->value <= g->threshold;
  return q->level >= g->level;
}

/* ---- one execution ---- */

struct run {
  const struct input *in;
  bool reference; /* its work is noted; else: is held to that */
  uint64_t work;
};

/* Rounded values may take a few more iterations. A kernel that gets the same results by much more work is not useful,
 * and its IPC would be that of another program. */
static bool tune_launch(void *ctx, const struct launch *l, struct err *e) {
  struct run *run = ctx;
  const struct input *in = run->in;
  struct exec_counts counts = {0};
  struct launch limited = *l;
  if (!run->reference) limited.most_insns = in->work + in->work / WORK_SHARE - run->work + 1;
  bool ok = exec_run(&limited, 0, &counts, e);
  run->work += counts.warp_insns;
  return ok;
}

static bool tune_execute_input(struct input *in, bool reference, struct quality_results *r, struct err *e) {
  struct run run = {in, reference, 0};
  const struct launcher by = {tune_launch, &run};
  bool ok = quality_run(in->w, in->seed, !(reference && in->own), &by, r, e);
  if (reference) in->work = run.work;
  return ok;
}

/* ---- packed code ---- */

/* No file: every float is there, and whole. */
static bool tune_pack_code(struct workload *w, struct err *e) {
  const struct widths none = {0};
  const struct narrowing how = {.floats = &none, .split = true};
  for (uint32_t i = 0; i < w->module->nkernel; i++)
    if (!pack_kernel(w->module, &w->module->kernel[i], &how, e)) return false;
  return true;
}

static void find_values(struct tuner *t) {
  const struct module *m = t->small.module;
  for (uint32_t k = 0; k < m->nkernel; k++) {
    const struct packing *p = m->kernel[k].packing;
    if (!workload_has_kernel(&t->small, m->kernel[k].name) &&
        !(t->has_large && workload_has_kernel(&t->large, m->kernel[k].name)))
      continue;
    for (uint32_t w = 0; w < p->nweb; w++)
      if (p->web[w].fp) VEC_PUSH(t->value, t->nvalue, t->cvalue) = (struct value){k, w};
  }
  t->n = xmalloc(t->nvalue);
}

/* The widths as they are now, in the code of this workload. */
static void tune_narrow_code(const struct tuner *t, struct module *m) {
  for (unsigned v = 0; v < t->nvalue; v++) m->kernel[t->value[v].kernel].packing->web[t->value[v].web].n = t->n[v];
  for (uint32_t k = 0; k < m->nkernel; k++) {
    const struct code *c = &m->kernel[k];
    for (uint32_t i = 0; i < c->n; i++) {
      struct narrow *x = &c->packing->insn[i];
      for (unsigned d = 0; d < 4; d++)
        if (x->fp >> d & 1) x->n[d] = c->packing->web[x->dst[d]].n;
    }
  }
}

/* ---- trials ---- */

struct trial { /* a task of the pool: the widths as they are now, with one input */
  struct tuner *t;
  unsigned input;
};

/* In a child, whose memory is its own. */
static bool try_input(const void *task, void *out, struct err *e) {
  const struct trial *trial = task;
  const struct tuner *t = trial->t;
  struct input *in = &trial->t->input[trial->input];
  struct verdict *v = out;
  struct quality_results r = {0};
  struct err why = {0}; /* a run that fails does not hold */
  (void)e;
  tune_narrow_code(t, in->w->module);
  v->reached = tune_execute_input(in, false, &r, &why) &&
               quality_compare(t->metric, &in->reference, &r, NULL, &v->quality, &why) &&
               tune_goal_is_reached(&t->how->goal, &v->quality);
  return true;
}
static const struct work work_trial = {"trial", sizeof(struct verdict), sizeof(struct trial), try_input, NULL};

struct judge {
  struct tuner *t;
  struct trial trial[MOST_INPUTS];
  struct verdict out[MOST_INPUTS];
  struct answer answer[MOST_INPUTS];
  bool holds;
  struct err e;
};

/* False: this input does not bear the widths, so the others need not be tried. */
static bool tune_judge_trial(void *ctx, unsigned task, const struct answer *a) {
  struct judge *j = ctx;
  const unsigned i = j->trial[task].input;
  const struct input *in = &j->t->input[i];
  j->t->verdict[i] = j->out[task];
  if (a->ok && j->out[task].reached) return true;
  if (!a->ok) err_at(&j->e, in->w->path, 0, 0, "a trial with seed %" PRIu64 ": %s", in->seed, a->e.text);
  j->holds = false;
  j->t->first = i;
  return false;
}

/* The input that failed last goes first; after a failure no others are begun. */
static bool try_inputs(struct tuner *t, bool *holds, struct err *e) {
  struct judge *j = xcalloc(1, sizeof *j);
  const struct pool pool = {.work = &work_trial, .jobs = t->how->jobs, .done = tune_judge_trial, .ctx = j};
  unsigned n = 0;
  j->t = t;
  j->holds = true;
  if (t->first >= t->lo && t->first < t->hi) j->trial[n++] = (struct trial){t, t->first};
  for (unsigned i = t->lo; i < t->hi; i++)
    if (i != t->first) j->trial[n++] = (struct trial){t, i};
  pool_run(&pool, j->trial, n, j->out, j->answer);
  *holds = j->holds;
  const bool ok = !j->e.set;
  if (!ok) *e = j->e;
  free(j);
  return ok;
}

/* ---- the journal: a line for each trial, "HASH 0" or "HASH 1" ---- */

/* The valid beginnings of a journal: a trial, or an incomplete line left by an interruption. */
static bool is_journal(FILE *f) {
  char line[32];
  uint64_t trial;
  int holds;
  rewind(f);
  if (!fgets(line, sizeof line, f)) return true;
  return strchr(line, '\n') ? sscanf(line, "%16" SCNx64 " %1d", &trial, &holds) == 2
                            : line[0] && strlen(line) == strspn(line, "0123456789abcdef ");
}

static bool read_journal(struct tuner *t, struct err *e) {
  char line[32];
  uint64_t trial;
  int holds;
  long whole = 0; /* bytes; a search that was killed may have left half a line */
  FILE *f = t->journal;
  if (!is_journal(f))
    return err_at(e, t->journal_path, 0, 0,
                  "found something else than the journal of a search, expected that or no such file");
  rewind(f);
  while (fgets(line, sizeof line, f) && strchr(line, '\n') && sscanf(line, "%16" SCNx64 " %1d", &trial, &holds) == 2) {
    VEC_PUSH(t->outcome, t->noutcome, t->coutcome) = (struct outcome){trial, holds != 0};
    whole = ftell(f);
  }
  return !ftruncate(fileno(f), whole) || err_at(e, t->journal_path, 0, 0, "cannot write: %s", strerror(errno));
}

/* It may lie beside a foreign launch file: no link is followed. */
static bool open_journal(struct tuner *t, struct err *e) {
  struct stat st;
  int fd = open(t->journal_path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) {
    const char *why = errno == ELOOP ? "found a link, expected a file" : strerror(errno);
    return err_at(e, t->journal_path, 0, 0, "cannot write: %s", why);
  }
  if (!(t->journal = fdopen(fd, "a+"))) no_memory(1, BUFSIZ);
  if (fstat(fd, &st) || !S_ISREG(st.st_mode))
    return err_at(e, t->journal_path, 0, 0, "cannot write: found a pipe or a device, expected a file");
  return read_journal(t, e);
}

static bool tune_record_trial(struct tuner *t, uint64_t trial, bool holds, struct err *e) {
  fprintf(t->journal, "%016" PRIx64 " %d\n", trial, holds);
  return !fflush(t->journal) || err_at(e, t->journal_path, 0, 0, "cannot write: %s", strerror(errno));
}

/* Recorded outcomes are reused: trials are deterministic. */
static bool tune_find_trial(struct tuner *t, uint64_t trial, bool *holds) {
  for (unsigned i = 0; i < t->noutcome; i++)
    if (t->outcome[i].trial == trial) {
      *holds = t->outcome[i].holds;
      t->reused++;
      return true;
    }
  return false;
}

static bool holds_now(struct tuner *t, bool *holds, struct err *e) {
  uint64_t trial = fnv1a(fnv1a(t->hash, (unsigned[]){t->lo, t->hi}, 2 * sizeof t->lo), t->n, t->nvalue);
  t->trials++;
  if (t->how->progress) t->how->progress(t->how->ctx, t->settled, t->nvalue, t->trials);
  return tune_find_trial(t, trial, holds) || (try_inputs(t, holds, e) && tune_record_trial(t, trial, *holds, e));
}

/* ---- the search ---- */

/* Values [first, first + n) have one width; so many formats below it as all inputs bear. */
static bool tune_descend(struct tuner *t, unsigned first, unsigned n, struct err *e) {
  bool holds = true;
  while (holds && n && t->n[first] > NARROW) {
    uint8_t was = t->n[first];
    memset(t->n + first, was - 1, n);
    if (!holds_now(t, &holds, e)) return false;
    if (!holds) memset(t->n + first, was, n);
  }
  if (holds || n < 2) {
    t->settled += n;
    return true;
  }
  return tune_descend(t, first, n / 2, e) && tune_descend(t, first + n / 2, n - n / 2, e);
}

/* With the inputs [0, hi). */
static bool tune_search(struct tuner *t, unsigned hi, struct err *e) {
  memset(t->n, WIDE, t->nvalue);
  t->settled = t->lo = 0;
  t->hi = hi;
  return tune_descend(t, 0, t->nvalue, e);
}

/* ---- inputs ---- */

static bool add_input(struct tuner *t, struct workload *w, uint64_t seed, bool own, struct err *e) {
  struct input *in = &t->input[t->ninput];
  *in = (struct input){.w = w, .seed = seed, .own = own};
  memset(t->n, WIDE, t->nvalue);
  tune_narrow_code(t, w->module);
  if (!tune_execute_input(in, true, &in->reference, e)) return false;
  t->ninput++;
  for (unsigned i = 0; i < in->reference.n; i++) {
    const struct quality_buffer *b = &in->reference.buffer[i];
    if (b->data) t->hash = fnv1a(t->hash, b->data, b->n * dtype_bytes(b->is.type));
    if (b->picture) t->hash = fnv1a(t->hash, b->picture, b->is.n);
  }
  struct quality q;
  return quality_compare(t->metric, &in->reference, &in->reference, NULL, &q, e);
}

static void drop_input(struct tuner *t) {
  struct input *in = &t->input[--t->ninput];
  quality_free(&in->reference);
}

/* Without random values other seeds give the same results: then they are no further inputs. */
static bool small_inputs(struct tuner *t, struct err *e) {
  uint64_t own = script_seed(t->small.script);
  if (!add_input(t, &t->small, own, true, e)) return false;
  for (uint64_t seed = 1; t->ninput <= t->how->seeds && seed <= t->how->seeds + 1; seed++) {
    struct quality q;
    if (seed == own) continue;
    if (!add_input(t, &t->small, seed, false, e)) return false;
    if (!quality_compare(t->metric, &t->input[0].reference, &t->input[t->ninput - 1].reference, NULL, &q, e))
      return false;
    if (q.differ) continue;
    drop_input(t);
    break;
  }
  return true;
}

/* ---- tune ---- */

/* Widths found with the small inputs may fail on the large one; then it joins the inputs of the search. */
static bool tune_find_widths(struct tuner *t, struct err *e) {
  unsigned small = t->ninput;
  bool holds = true;
  if (!tune_search(t, small, e)) return false;
  if (t->has_large) {
    uint8_t *found = xmalloc(t->nvalue);
    memcpy(found, t->n, t->nvalue);
    bool ok = add_input(t, &t->large, script_seed(t->large.script), true, e);
    memcpy(t->n, found, t->nvalue);
    free(found);
    t->lo = small, t->hi = small + 1;
    if (!ok || !holds_now(t, &holds, e)) return false;
    if (!holds && !tune_search(t, small + 1, e)) return false;
  }
  t->lo = 0, t->hi = t->ninput;
  if (!try_inputs(t, &holds, e)) return false;
  return holds ||
         err_at(e, t->small.path, 0, 0, "the journal %.900s contradicts this search; remove it", t->journal_path);
}

static void command_text(const struct tune *how, char *buf, size_t size) {
  char goal[64];
  goal_text(&how->goal, true, goal, sizeof goal);
  size_t n = (size_t)snprintf(buf, size, "regtwin tune %s --quality %s --seeds %u", how->name, goal, how->seeds);
  if (n < size && how->small_only) n += (size_t)snprintf(buf + n, size - n, " --size small");
  if (n < size && how->metric) snprintf(buf + n, size - n, " --metric %s", how->metric);
}

static void list_widths(const struct tuner *t, struct width_table *w) {
  const struct module *m = t->small.module;
  for (unsigned v = 0; v < t->nvalue; v++) {
    const struct code *c = &m->kernel[t->value[v].kernel];
    if (!v || t->value[v].kernel != t->value[v - 1].kernel)
      VEC_PUSH(w->width, w->n, w->cap) = (struct width){c->name, "", WIDE, 0, 0};
    if (t->n[v] < WIDE)
      VEC_PUSH(w->width, w->n, w->cap) = (struct width){c->name, c->packing->web[t->value[v].web].name, t->n[v], 0, 0};
  }
}

/* The user's own path is any but that of a file that was read; beside the launch file no link is followed. */
static struct output *open_output(const struct tuner *t, const char *path, char why[IO_WHY]) {
  char dir[sizeof t->small.path];
  if (t->how->output) return output_open(path, why);
  snprintf(dir, sizeof dir, "%s", t->small.path);
  char *slash = strrchr(dir, '/');
  if (slash) slash[1] = 0;
  return output_open_below(slash ? dir : ".", path, why);
}

/* Asked before the search, when all its inputs have been read. */
static bool tune_output_writable(const struct tuner *t, const char *path, struct err *e) {
  char why[IO_WHY];
  struct output *o = t->how->output ? NULL : open_output(t, path, why);
  bool ok = o || (t->how->output && output_possible(path, why));
  if (o) output_close(o, false, why);
  return ok || err_at(e, path, 0, 0, "cannot write: %s", why);
}

/* The table of this quality, emptied; the file's other tables stay, if it is there and of this program. */
static struct width_table *own_table(const struct tuner *t, const char *path, const char *quality, struct widths *w) {
  struct err other = {0};
  if (!strcmp(path, "-") || !widths_read(w, path, t->small.module, quality, &other)) {
    widths_free(w);
    w->ptx = widths_ptx(t->small.module);
  }
  uint32_t k = w->of ? (uint32_t)(w->of - w->table) : w->ntable;
  if (k == w->ntable) VEC_PUSH(w->table, w->ntable, w->ctable) = (struct width_table){.quality = quality};
  w->table[k].nreached = w->table[k].n = 0;
  return &w->table[k];
}

static void tune_fill_table(const struct tuner *t, struct width_table *w, struct arena *arena) {
  for (unsigned i = 0; i < t->ninput; i++) {
    char line[200], q[80];
    quality_text(&t->verdict[i].quality, q, sizeof q);
    const struct input *in = &t->input[i];
    snprintf(line, sizeof line, "%.40s seed %" PRIu64 ": %s", in->w->size[0] ? in->w->size : in->w->name, in->seed, q);
    VEC_PUSH(w->reached, w->nreached, w->creached) = arena_strndup(arena, line, strlen(line));
  }
  list_widths(t, w);
}

/* The output is opened before the old file is read: a file that the search has read is refused as an output, this one not. */
static bool tune_save_widths(const struct tuner *t, const char *path, struct err *e) {
  char quality[64], command[1200], why[IO_WHY];
  struct widths all = {0};
  uint64_t hash;
  goal_text(&t->how->goal, false, quality, sizeof quality);
  command_text(t->how, command, sizeof command);
  if (!widths_hash(t->small.module, &hash, e)) return false;
  struct output *o = open_output(t, path, why);
  if (!o) return err_at(e, path, 0, 0, "cannot write: %s", why);
  struct width_table *w = own_table(t, path, quality, &all);
  w->command = command;
  all.hash = hash;
  tune_fill_table(t, w, &all.arena);
  widths_write(&all, output_stream(o));
  widths_free(&all);
  return output_close(o, true, why) || err_at(e, path, 0, 0, "cannot write: %s", why);
}

/* The worst of them, by the metric's value. */
static void tune_summarise(const struct tuner *t, struct tuned *out) {
  out->values = t->nvalue;
  out->inputs = t->ninput;
  out->trials = t->trials;
  out->reused = t->reused;
  for (unsigned v = 0; v < t->nvalue; v++) out->nibbles += t->n[v];
  out->worst = t->verdict[0].quality;
  for (unsigned i = 1; i < t->ninput; i++) {
    const struct quality *q = &t->verdict[i].quality;
    if (t->metric == QUALITY_SSIM ? q->value < out->worst.value : q->value > out->worst.value) out->worst = *q;
  }
}

static bool tune_read_metric(struct tuner *t, struct err *e) {
  const struct tune_goal *g = &t->how->goal;
  if (!quality_metric_of(t->small.path, t->how->metric, &t->metric, e)) return false;
  if (!g->own || g->metric == t->metric) return true;
  char text[64];
  goal_text(g, false, text, sizeof text);
  return err_at(e, t->small.path, 0, 0, "found quality '%s' for a kernel whose metric is %s, expected perfect%s", text,
                quality_metric_name(t->metric),
                t->metric == QUALITY_EXACT  ? ""
                : t->metric == QUALITY_SSIM ? ", high or an ssim"
                                            : ", high or a deviation");
}

static bool tune_open_all(struct tuner *t, struct err *e) {
  const struct tune *how = t->how;
  if (!workload_read(how->name, "small", &t->small, e)) return false;
  if (!tune_read_metric(t, e) || !tune_pack_code(&t->small, e)) return false;
  t->has_large =
      script_has_size(t->small.script, "small") && script_has_size(t->small.script, "default") && !how->small_only;
  if (t->has_large && !(workload_read(how->name, "default", &t->large, e) && tune_pack_code(&t->large, e)))
    return false;
  char goal[64];
  goal_text(&how->goal, false, goal, sizeof goal);
  uint64_t ptx;
  if (!widths_hash(t->small.module, &ptx, e)) return false;
  const unsigned share = WORK_SHARE;
  t->hash = fnv1a(fnv1a(fnv1a(FNV_START, &ptx, sizeof ptx), goal, strlen(goal)), &share, sizeof share);
  find_values(t);
  return true;
}

bool tune_kernel(const struct tune *how, struct tuned *out, struct err *e) {
  struct tuner t = {.how = how};
  memset(out, 0, sizeof *out);
  bool ok = tune_open_all(&t, e);
  if (ok && how->output) snprintf(out->file, sizeof out->file, "%s", how->output);
  else if (ok) widths_path(out->file, sizeof out->file, t.small.path, t.small.module->file);
  snprintf(t.journal_path, sizeof t.journal_path, "%s%s%s.journal", out->file, how->output ? "" : ".",
           how->output ? "" : quality_level_name(how->goal.level));
  ok = ok && small_inputs(&t, e) && tune_output_writable(&t, out->file, e) && open_journal(&t, e) &&
       tune_find_widths(&t, e) && tune_save_widths(&t, out->file, e);
  if (ok) tune_summarise(&t, out);
  if (t.journal) fclose(t.journal);
  if (ok) remove(t.journal_path);
  while (t.ninput) drop_input(&t);
  workload_close(&t.small);
  workload_close(&t.large);
  free(t.value);
  free(t.n);
  free(t.outcome);
  return ok;
}

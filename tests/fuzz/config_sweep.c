/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_sweep: random legal settings of every key of the schema, on every machine and system, and of every pair of choices of two
 * slots that runs (lab/campaign/combine.h), over the small kernels. Each runs four times: with and without sim.check, with and without sim.skip. All four give the same
 * statistics, the results are what the launch file expects, the work done equals that of another configuration, and
 * counters that measure the same thing agree. Settings that the rules between keys, or a kernel that does not fit,
 * refuse are counted by the reason. A key whose every other value is refused has tested nothing, and is a failure of
 * a long campaign.
 */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "config/keys.h"
#include "lab/campaign/combine.h"
#include "lab/campaign/plan.h"
#include "lab/campaign/pool.h"
#include "lab/run/result.h"
#include "sm/slots.h"
#include "tally.h"

static struct {
  uint64_t seed;
  unsigned runs, jobs, seconds, only;
  bool verbose, one;
} opt = {.seed = 1, .runs = 1000};

/* ---- one case: what the child finds ---- */
struct swept {
  bool ran;   /* false: refused, `text` says why */
  bool fault; /* `text`: what is wrong */
  char text[400];
  uint64_t cycles, insns, threads, ctas, hash;
};

static const char *const of_host[] = {"host_seconds", "warp_instructions_per_second", "cycles_per_second",
                                      "peak_rss_bytes"};

/* How often sim.check compared something: 0 without it. */
static const char *const of_check[] = {"operands_checked", "victim_checked", "cerf_checked"};

static json_t *statistics(const struct run_result *r) {
  json_t *j = result_json(r), *sim = json_object_get(json_object_get(j, "configuration"), "sim");
  for (unsigned i = 0; i < sizeof of_host / sizeof *of_host; i++) json_object_del(j, of_host[i]);
  json_object_del(sim, "check");
  json_object_del(sim, "skip");
  for (unsigned i = 0; i < sizeof of_check / sizeof *of_check; i++)
    json_object_del(json_object_get(j, "counters"), of_check[i]);
  return j;
}

/* The first key whose values differ. */
static bool differ(json_t *a, json_t *b, char *path, size_t size) {
  const char *key;
  json_t *value;
  if (json_equal(a, b)) return false;
  if (!json_is_object(a) || !json_is_object(b)) {
    char *x = json_dumps(a, JSON_ENCODE_ANY), *y = json_dumps(b, JSON_ENCODE_ANY);
    size_t n = strlen(path);
    snprintf(path + n, size - n, " %.60s, %.60s", x ? x : "absent", y ? y : "absent");
    free(x), free(y);
    return true;
  }
  json_object_foreach(a, key, value) {
    size_t n = strlen(path);
    snprintf(path + n, size - n, "%s%s", n ? "." : "", key);
    if (differ(value, json_object_get(b, key), path, size)) return true;
    path[n] = 0;
  }
  return true;
}

#define LAW(holds, ...) \
  if (!(holds)) return snprintf(text, size, "law: " __VA_ARGS__), false
static bool laws(const struct run_result *r, char *text, size_t size) {
  const struct sm_stats *s = &r->sm;
  const struct mem_stats *m = &r->mem;
  const struct config *c = &r->cfg;
  const uint64_t slots = s->slot_issued + s->slot_collector + s->slot_inactive + s->slot_gate + s->slot_alu +
                         s->slot_memory + s->slot_barrier + s->slot_atomic + s->slot_fetch + s->slot_empty;
  int64_t ctas, warps;
  slots_most(c, &ctas, &warps);
  LAW(slots == s->cycles * (uint64_t)c->sm_schedulers, "issue slots %" PRIu64 " of %" PRIu64 " cycles", slots,
      s->cycles);
  LAW(s->slot_issued == s->warp_insns + s->pseudo_insns, "issued %" PRIu64, s->slot_issued);
  LAW(s->thread_insns <= 32 * s->warp_insns, "lanes %" PRIu64, s->thread_insns);
  LAW(s->l1_reads == s->l1_read_hits + s->l1_read_misses + s->l1_read_merges + s->l1_held, "L1 reads %" PRIu64,
      s->l1_reads);
  LAW(m->req_reads == m->l2_read_hit + m->l2_read_miss + m->l2_read_merge, "L2 reads %" PRIu64, m->req_reads);
  LAW(m->req_writes == m->l2_write_hit + m->l2_write_miss, "L2 writes %" PRIu64, m->req_writes);
  LAW(m->req_atomics == m->l2_atomics, "L2 atomics %" PRIu64, m->req_atomics);
  LAW(m->replies == m->req_reads + m->req_atomics, "replies %" PRIu64, m->replies);
  LAW(s->warp_cycles <= s->cycles * (uint64_t)warps, "warps %" PRIu64, s->warp_cycles);
  LAW(s->cta_cycles <= s->cycles * (uint64_t)ctas, "CTAs %" PRIu64, s->cta_cycles);
  LAW(s->cycles == 0 || s->warp_insns + s->pseudo_insns <= s->cycles * (uint64_t)c->sm_schedulers, "IPC");
  const uint64_t moved =
      32 * (m->dram_read_sectors + m->dram_write_sectors) * (uint64_t)(c->gpu_clock_mhz * c->gpu_sms);
  LAW(moved <= m->cycles * (uint64_t)c->dram_mbps, "DRAM moved more than its share: %" PRIu64 " in %" PRIu64, moved,
      m->cycles * (uint64_t)c->dram_mbps);
  LAW(!c->sim_check || !s->rf_reads || s->operands_checked, "no operand was checked");
  return true;
}

static bool once(const struct task *t, bool check, bool skip, struct run_result *r, struct err *e) {
  struct config cfg = t->cfg;
  struct workload w;
  cfg.sim_check = check;
  cfg.sim_skip = skip;
  if (!workload_compile(t->name, t->size, &cfg, 0, &w, e)) return false;
  bool ok = run_workload(&w, &cfg, 0, false, NULL, r, e);
  workload_close(&w);
  return ok;
}

static bool sweep_one(const void *task, void *out, struct err *error) {
  const struct task *t = task;
  static struct run_result first, r;
  struct swept *s = out;
  struct err e = {0};
  json_t *want = NULL;
  (void)error;
  if (!freopen("/dev/null", "w", stderr)) return false; /* warnings */
  alarm(300);
  s->ran = once(t, true, true, &first, &e);
  if (!s->ran) snprintf(s->text, sizeof s->text, "%.390s", e.text);
  if (s->ran && !laws(&first, s->text, sizeof s->text)) s->fault = true;
  if (s->ran && run_below(&first))
    s->fault = true, snprintf(s->text, sizeof s->text, "results below the quality asked for");
  if (s->ran) want = statistics(&first);
  s->cycles = first.sm.cycles;
  s->insns = first.sm.warp_insns;
  s->threads = first.sm.thread_insns;
  s->ctas = first.sm.ctas;
  s->hash = first.hash;
  for (unsigned k = 1; k < 4 && !s->fault; k++) {
    struct err other = {0};
    const bool check = !(k & 2), skip = !(k & 1), ok = once(t, check, skip, &r, &other);
    const char *how = check ? "without skip" : skip ? "without check" : "without check and skip";
    char path[300] = "";
    if (ok != s->ran || (!ok && strcmp(e.text, other.text))) {
      s->fault = true;
      snprintf(s->text, sizeof s->text, "%s: found '%.150s', expected '%.150s'", how, ok ? "a result" : other.text,
               s->ran ? "a result" : e.text);
    } else if (ok) {
      json_t *found = statistics(&r);
      if ((s->fault = differ(found, want, path, sizeof path)))
        snprintf(s->text, sizeof s->text, "%s: %.300s", how, path);
      json_decref(found);
    }
  }
  json_decref(want);
  return true;
}
static const struct work work_sweep = {"sweep", sizeof(struct swept), sizeof(struct task), sweep_one, NULL};

/* ---- drawing ---- */
struct drawn {
  struct task task;
  bool legal; /* false: no settings were found that the rules allow */
  char system[64], machine[64];
  const struct combination *pair; /* NULL: a system */
  struct config base;             /* of the machine and the system, or of the pair */
};
static struct tally refused, failures;
static struct combine pairs; /* every second case begins with one of those that run */
static unsigned *drawn_of;   /* how many cases of each pair ran */

/* Values tried of each key, and accepted ones that are not the base's. */
struct values {
  int64_t *tried, *accepted;
  size_t ntried, tried_room, naccepted, accepted_room;
} * values;

static void remember(int64_t **v, size_t *n, size_t *room, int64_t x) {
  for (size_t i = 0; i < *n; i++)
    if ((*v)[i] == x) return;
  VEC_PUSH(*v, *n, *room) = x;
}

static int64_t get(const struct config *c, const struct key *k) {
  const void *at = (const char *)c + k->offset;
  if (k->type >= KEY_PATH) return 0; /* stays as it is: a file is read, or its damage found, by damage.c */
  return k->type == KEY_INT ? *(const int64_t *)at : k->type == KEY_BOOL ? *(const bool *)at : *(const int *)at;
}
static void put(struct config *c, const struct key *k, int64_t v) {
  void *at = (char *)c + k->offset;
  if (k->type >= KEY_PATH) return;
  if (k->type == KEY_INT) *(int64_t *)at = v;
  else if (k->type == KEY_BOOL) *(bool *)at = v;
  else *(int *)at = (int)v;
}

static unsigned choices(const struct key *k) {
  unsigned n = 0;
  char name[64];
  int v;
  while (k->type == KEY_ENUM && key_value(k, n, &v, name, sizeof name)) n++;
  return n ? n : 2;
}

/* Bounds, powers of two (which the rules of multiples like), near the present value, and anything by its logarithm. */
static int64_t draw(const struct key *k, int64_t now, uint64_t *s) {
  if (k->type == KEY_BOOL) return !now;
  if (k->type >= KEY_PATH) return now;
  if (k->type == KEY_ENUM) {
    const unsigned n = choices(k);
    char name[64];
    int v = -1;
    unsigned at = 0;
    while (key_value(k, at, &v, name, sizeof name) && v != now) at++;
    key_value(k, (at + 1 + (unsigned)(rng_next(s) % (n > 1 ? n - 1 : 1))) % n, &v, name, sizeof name);
    return v;
  }
  const uint64_t range = (uint64_t)(k->most - k->least);
  int64_t v;
  switch (rng_next(s) % 8) {
    case 0: return k->least;
    case 1: return k->most;
    case 2: v = now + (int64_t)(rng_next(s) % 5) - 2; break;
    case 3: v = now / 2; break;
    case 4: v = now * 2; break;
    case 5: v = k->least + (int64_t)(rng_next(s) % (range < 64 ? range + 1 : 64)); break;
    case 6: v = (int64_t)1 << rng_next(s) % (unsigned)(64 - __builtin_clzll(range + 1)); break;
    default:
      v = k->least + (int64_t)(rng_next(s) & ((2ull << rng_next(s) % (unsigned)(64 - __builtin_clzll(range + 1))) - 1));
  }
  return v < k->least ? k->least : v > k->most ? k->most : v;
}

static bool of_run(const struct key *k) { return !strcmp(k->section, "sim"); }
static bool in_text(const struct key *k, const char *text) {
  char name[100];
  size_t n = (size_t)snprintf(name, sizeof name, "%s.%s", k->section, k->name);
  for (const char *p = text; (p = strstr(p, name)); p += n)
    if (!(p[n] >= 'a' && p[n] <= 'z') && p[n] != '_') return true;
  return false;
}

/* Settings that the rules refuse are drawn again where the message names keys, then given up, those last that this
 * case is for. */
static bool mend(struct drawn *d, const unsigned *forced, uint64_t *s) {
  for (unsigned round = 0; round < 60; round++) {
    struct err e = {0};
    char why[300];
    struct gpu *g = config_check(&d->task.cfg, &e) ? gpu_new(&d->task.cfg, 1, &e) : NULL;
    if (g) return gpu_free(g), true;
    tally_alike(why, sizeof why, e.text);
    tally_add(&refused, 0, why, 0);
    for (unsigned i = 0; i < config_nkeys; i++) {
      const struct key *k = &config_keys[i];
      const bool mine = i == forced[0] || i == forced[1];
      if (!in_text(k, e.text)) continue;
      if (mine ? round < 40 : round < 20) put(&d->task.cfg, k, draw(k, get(&d->base, k), s));
      else put(&d->task.cfg, k, get(&d->base, k));
    }
  }
  return false;
}

static unsigned count_names(const struct config_name *n) {
  unsigned i = 0;
  while (n[i].name) i++;
  return i;
}

/* How many pairs run, and the number of the n-th of them. */
static unsigned legal_pairs(void) {
  unsigned n = 0;
  for (unsigned k = 0; k < pairs.n * pairs.n; k++) n += pairs.of[k].legal;
  return n;
}
static unsigned legal_pair(unsigned n) {
  unsigned k = 0;
  while (!pairs.of[k].legal || n--) k++;
  return k;
}

static void choose_pair(struct drawn *d, unsigned number) {
  d->pair = &pairs.of[legal_pair(number % legal_pairs())];
  d->base = d->pair->cfg;
  snprintf(d->machine, sizeof d->machine, "%s", d->base.machine);
  snprintf(d->system, sizeof d->system, "%s", d->base.system);
}

static void choose_system(struct drawn *d, uint64_t *s) {
  const struct config_name *machines = config_machines(), *systems = config_systems();
  struct err e = {0};
  snprintf(d->machine, sizeof d->machine, "%s", machines[rng_next(s) % count_names(machines)].name);
  snprintf(d->system, sizeof d->system, "%s", systems[rng_next(s) % count_names(systems)].name);
  const struct settings base = {.machine = d->machine};
  /* If it is not a system of that machine: those of the papers. */
  static const char *const papers[] = {"gtx980", "rtx2060"};
  for (unsigned i = 0; !settings_apply(&base, d->system, "", &d->base, &e); i++) {
    if (i == sizeof papers / sizeof *papers) die("%s on %s: %s", d->system, d->machine, e.text);
    snprintf(d->machine, sizeof d->machine, "%s", papers[i]);
    e = (struct err){0};
  }
}

static void choose(struct drawn *d, unsigned number, const struct task *kernels, unsigned nkernels) {
  uint64_t s = (opt.seed << 32) + number;
  s = rng_next(&s); /* so that cases do not draw the same, one step apart */
  memset(d, 0, sizeof *d);
  d->task = kernels[rng_next(&s) % nkernels];
  if (number % 2) choose_pair(d, number / 2); /* each in turn */
  else choose_system(d, &s);
  d->task.cfg = d->base;
  const unsigned forced[2] = {number % config_nkeys, (number * 7 + number / config_nkeys) % config_nkeys};
  const bool alone = of_run(&config_keys[forced[0]]);
  const unsigned amount = (unsigned)(rng_next(&s) % 4); /* two keys; some; many; all */
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    const bool mine = i == forced[0] || (!alone && !of_run(k) && i == forced[1]);
    const bool other = !alone && !of_run(k) && amount && rng_next(&s) % (amount == 3 ? 1 : amount == 2 ? 4 : 20) == 0;
    if (mine || other) put(&d->task.cfg, k, draw(k, get(&d->base, k), &s));
  }
  if (!alone) d->task.cfg.sim_max_cycles = 1500000;
  struct config *c = &d->task.cfg;
  if (c->slot_storage == slot_storage_regmutex && !c->regmutex_brs)
    c->regmutex_brs = 4 + (int64_t)(rng_next(&s) % 16); /* 0: no sections at all */
  d->legal = mend(d, forced, &s);
}

/* ---- results ---- */
static void command(const struct drawn *d, FILE *f) {
  fprintf(f, "build/regtwin run %s --size small", d->task.name);
  if (d->pair) fprintf(f, " %s", d->pair->command);
  else fprintf(f, " -c %s -s %s", d->machine, d->system);
  for (unsigned i = 0; i < config_nkeys; i++) {
    char text[KEY_TEXT];
    if (get(&d->base, &config_keys[i]) == get(&d->task.cfg, &config_keys[i])) continue;
    key_print(&d->task.cfg, &config_keys[i], text, sizeof text);
    fprintf(f, " --set %s.%s=%s", config_keys[i].section, config_keys[i].name, text);
  }
  fputc('\n', f);
}

struct reference { /* a kernel on the baseline */
  struct run_result run;
  bool timed; /* what it executes depends on timing */
};

struct sum {
  unsigned cases, illegal, ran, refused, failed;
};

static void fail(const struct drawn *d, unsigned number, const char *text, struct sum *n) {
  char sign[300];
  tally_alike(sign, sizeof sign, text);
  n->failed++;
  if (tally_add(&failures, 0, sign, number)->n > 3) return;
  printf("FAILED case %u, seed %" PRIu64 ": %s\n  ", number, opt.seed, text);
  command(d, stdout);
}

static void count(const struct drawn *d, unsigned number, const struct answer *a, const struct swept *s,
                  const struct reference *reference, struct sum *n) {
  char text[400];
  n->cases++;
  for (unsigned i = 0; i < config_nkeys; i++)
    remember(&values[i].tried, &values[i].ntried, &values[i].tried_room, get(&d->task.cfg, &config_keys[i]));
  if (!d->legal) {
    n->illegal++;
    return;
  }
  if (!a->ok) fail(d, number, a->e.text, n);
  else if (s->fault) fail(d, number, s->text, n);
  else if (!s->ran) {
    n->refused++;
    tally_alike(text, 200, s->text);
    tally_add(&refused, 1, text, number);
  } else {
    n->ran++;
    for (unsigned i = 0; i < config_nkeys; i++)
      if (get(&d->task.cfg, &config_keys[i]) != config_keys[i].def || config_keys[i].type == KEY_ENUM)
        remember(&values[i].accepted, &values[i].naccepted, &values[i].accepted_room,
                 get(&d->task.cfg, &config_keys[i]));
    const struct config *c = &d->task.cfg;
    if (d->pair) drawn_of[d->pair - pairs.of]++;
    if (!reference->timed && c->compile_narrow == compile_narrow_none && c->compile_regs == compile_regs_launch &&
        c->compile_schedule == compile_schedule_none && c->sm_cta_stride <= 1 &&
        (s->hash != reference->run.hash || s->insns != reference->run.sm.warp_insns ||
         s->threads != reference->run.sm.thread_insns)) {
      snprintf(text, sizeof text, "other work than on the baseline: %" PRIu64 " warp instructions, %" PRIu64 " there",
               s->insns, reference->run.sm.warp_insns);
      fail(d, number, text, n);
    }
  }
  if (opt.verbose || opt.one) {
    printf("%u %s: %s, %" PRIu64 " cycles\n  ", number,
           !a->ok || s->fault ? "FAILED"
           : s->ran           ? "equal"
                              : "refused",
           a->ok ? s->text : a->e.text, s->cycles);
    command(d, stdout);
  }
}

static unsigned keys_reached(unsigned *least) {
  unsigned never = 0;
  *least = UINT32_MAX;
  for (unsigned i = 0; i < config_nkeys; i++) {
    const struct key *k = &config_keys[i];
    const struct values *v = &values[i];
    if (k->type >= KEY_PATH || (k->type == KEY_ENUM && choices(k) == 1)) continue; /* has but one value here */
    if (k->type == KEY_BOOL && (!strcmp(k->name, "check") || !strcmp(k->name, "skip")))
      continue; /* both in every case */
    const bool other = k->type == KEY_ENUM ? v->naccepted > 1 : v->naccepted > 0;
    never += !other;
    if (v->ntried < *least && k->type == KEY_INT && !of_run(k)) *least = (unsigned)v->ntried;
    if (opt.verbose || !other)
      printf("  %s.%s: %zu values tried, %zu others than the default accepted\n", k->section, k->name, v->ntried,
             v->naccepted);
  }
  return never;
}

/* Pairs of choices that have never run; they are printed. */
static unsigned pairs_left(void) {
  unsigned never = 0;
  for (unsigned k = 0; k < pairs.n * pairs.n; k++) {
    if (!pairs.of[k].legal || drawn_of[k]) continue;
    printf("  %s and %s\n", pairs.choice[pairs.of[k].a].name, pairs.choice[pairs.of[k].b].name);
    never++;
  }
  return never;
}

/* ---- the campaign ---- */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every kernel that is quick, with what it does on the baseline. */
static unsigned references(struct task **kernels, struct reference **out) {
  struct suite s;
  struct err e = {0};
  unsigned n = 0;
  if (!suite_open(&s, &e)) die("%s", e.text);
  struct task *t = xcalloc(s.n, sizeof *t);
  struct run_result *r = xcalloc(s.n, sizeof *r);
  struct reference *of = xcalloc(s.n, sizeof *of);
  struct answer *a = xcalloc(s.n, sizeof *a);
  const struct settings base = {.machine = "gtx980"};
  for (unsigned i = 0; i < s.n; i++) {
    snprintf(t[i].name, sizeof t[i].name, "%s", s.kernel[i].name);
    snprintf(t[i].size, sizeof t[i].size, "small");
    if (!settings_apply(&base, "baseline", "", &t[i].cfg, &e)) die("%s", e.text);
  }
  pool_run(&(struct pool){.work = &work_run, .jobs = opt.jobs}, t, s.n, r, a);
  for (unsigned i = 0; i < s.n; i++) {
    if (!a[i].ok) die("%s: %s", t[i].name, a[i].e.text);
    if (r[i].sm.cycles > 150000) continue;
    t[n] = t[i];
    of[n++] = (struct reference){r[i], s.kernel[i].has_about && s.kernel[i].about.work};
  }
  free(a), free(r);
  suite_free(&s);
  *kernels = t;
  *out = of;
  return n;
}

static void batch(unsigned from, unsigned n, const struct task *kernels, const struct reference *reference,
                  unsigned nkernels, struct sum *sum) {
  struct drawn *d = xcalloc(n, sizeof *d);
  struct task *t = xcalloc(n, sizeof *t);
  struct swept *s = xcalloc(n, sizeof *s), none = {0};
  struct answer *a = xcalloc(n, sizeof *a);
  unsigned legal = 0;
  for (unsigned i = 0; i < n; i++) {
    choose(&d[i], from + i, kernels, nkernels);
    if (d[i].legal) t[legal++] = d[i].task;
  }
  pool_run(&(struct pool){.work = &work_sweep, .jobs = opt.jobs}, t, legal, s, a);
  for (unsigned i = 0, j = 0; i < n; i++) {
    unsigned k = 0;
    while (k < nkernels && strcmp(kernels[k].name, d[i].task.name)) k++;
    count(&d[i], from + i, &a[j], d[i].legal ? &s[j] : &none, &reference[k], sum);
    j += d[i].legal;
  }
  free(d), free(t), free(s), free(a);
}

static const struct argp_option options[] = {{"runs", 'n', "N", 0, "how many settings (1000)", 0},
                                             {"seed", 's', "N", 0, "of all of them (1)", 0},
                                             {"case", 'c', "N", 0, "only this one", 0},
                                             {"jobs", 'j', "N", 0, "at a time (all processors)", 0},
                                             {"seconds", 't', "N", 0, "begin none later", 0},
                                             {"verbose", 'v', NULL, 0, "a line for every one", 0},
                                             {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  (void)state;
  switch (key) {
    case 'n': opt.runs = (unsigned)strtoul(arg, NULL, 10); break;
    case 's': opt.seed = strtoull(arg, NULL, 10); break;
    case 'c': opt.one = true, opt.only = (unsigned)strtoul(arg, NULL, 10); break;
    case 'j': opt.jobs = (unsigned)strtoul(arg, NULL, 10); break;
    case 't': opt.seconds = (unsigned)strtoul(arg, NULL, 10); break;
    case 'v': opt.verbose = true; break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct argp argp = {options, parse, NULL, "Random legal configurations; from the repository's directory.",
                            NULL,    NULL,  NULL};
  struct sum n = {0};
  struct task *kernels;
  struct reference *reference;
  unsigned least;
  double from = now(), told = from;
  argp_parse(&argp, argc, argv, 0, NULL, &opt);
  if (!opt.jobs) opt.jobs = pool_processors();
  values = xcalloc(config_nkeys, sizeof *values);
  const struct settings none = {0};
  struct err e = {0};
  if (!combine_all(&pairs, &none, &e)) die("%s", e.text);
  drawn_of = xcalloc(pairs.n * pairs.n, sizeof *drawn_of);
  unsigned nkernels = references(&kernels, &reference), at = opt.one ? opt.only : 0,
           end = opt.one ? opt.only + 1 : opt.runs;
  for (unsigned step = opt.jobs * 16; at < end && (!opt.seconds || now() - from < opt.seconds); at += step) {
    batch(at, end - at < step ? end - at : step, kernels, reference, nkernels, &n);
    if (now() - told < 20) continue;
    told = now();
    printf("config_sweep: %u of %u settings, %u equal, %u refused, %u failed, %.0f s\n", n.cases, end, n.ran, n.refused,
           n.failed, told - from);
    fflush(stdout);
  }
  tally_sort(&refused);
  printf("\nrefused by the rules between keys and between slots, and drawn again:\n");
  for (size_t i = 0; i < refused.n; i++)
    if (!refused.of[i].kind) printf("%7u %.160s\n", refused.of[i].n, refused.of[i].text);
  printf("refused by the run, alike with and without skip and check:\n");
  for (size_t i = 0; i < refused.n; i++)
    if (refused.of[i].kind) printf("%7u %.160s  (case %u)\n", refused.of[i].n, refused.of[i].text, refused.of[i].first);
  if (failures.n) printf("failures, alike ones together:\n");
  tally_sort(&failures);
  for (size_t i = 0; i < failures.n; i++)
    printf("%7u %.160s  (case %u)\n", failures.of[i].n, failures.of[i].text, failures.of[i].first);
  printf("keys that ran with no other value than the default:\n");
  unsigned never = keys_reached(&least);
  printf("  %u of %u\npairs of choices that never ran:\n", never, config_nkeys);
  const unsigned left = pairs_left();
  printf("  %u of %u\n\n", left, legal_pairs());
  printf("config_sweep: %u settings, seed %" PRIu64
         ", %u kernels, four runs each: %u equal, %u refused by the run, %u found no legal values, %u failed; %u "
         "keys, at least %u values of each number; %u of %u pairs of choices\n",
         n.cases, opt.seed, nkernels, n.ran, n.refused, n.illegal, n.failed, config_nkeys, least, legal_pairs() - left,
         legal_pairs());
  return n.failed || (!opt.one && n.cases >= 500 && never + left) ? 1 : 0;
}

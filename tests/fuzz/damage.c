/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage: every kind of file that the commands read, damaged by a seed, and the real commands run on it, built with
 * ASan and UBSan, each in a directory of its own with limits. A damaged file may be accepted (status 0), refused
 * (status 2, with a message and a place), or give a wrong result (status 1, where that is a valid outcome).
 * Everything else is a failure: a signal, a sanitizer's report, a hang, another status, no message, control
 * characters in the output, files changed although the command refused, an incomplete output, or files left behind.
 * Inputs and commands: damage_corpus.c.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/err.h"
#include "box.h"
#include "damage_corpus.h"
#include "tally.h"

struct verdict {
  enum { ACCEPTED, AT_COLUMN, AT_LINE, ELSEWHERE, WRONG, FAILED, VERDICTS } is;
  const char *how; /* FAILED */
  char text[400];  /* of the message, or what is wrong */
};

static struct {
  const char *program, *blocks, *keep;
  uint64_t seed;
  unsigned inputs, jobs, seconds, only;
  bool verbose, one;
} opt = {.program = "build/asan/regtwin",
         .blocks = "build/cosim",
         .keep = "build/fuzz/failed",
         .seed = 1,
         .inputs = 7300,
         .jobs = 0,
         .only = KINDS};
static char root[PATH_MAX], work[64] = "/tmp/regtwin-damage.XXXXXX";

/* ---- a stimulus damaged inside: its head and its sum are right again (the form: cosim/engine/stim.c) ---- */
enum { STIM_HEAD = 72, STIM_CYCLES = 48, STIM_PACKED = 56, STIM_SUM = 64 };

static bool damage_inside(struct bytes *b, uint64_t *seed) {
  uint64_t cycles, n;
  if (b->n <= STIM_HEAD) return false;
  memcpy(&cycles, b->p + STIM_CYCLES, 8);
  unsigned long long raw = ZSTD_getFrameContentSize(b->p + STIM_HEAD, b->n - STIM_HEAD);
  if (!cycles || raw > 1u << 28) return false;
  uint8_t *at = xmalloc(raw);
  if (ZSTD_decompress(at, raw, b->p + STIM_HEAD, b->n - STIM_HEAD) != raw)
    die("a stimulus of the suite cannot be unpacked");
  const size_t step = raw / cycles;
  for (unsigned k = 1 + (unsigned)(rng_next(seed) % 20); k; k--) {
    size_t i = rng_next(seed) % cycles * step;
    if (rng_next(seed) % 8 == 0) at[i] ^= 1; /* a reset more or less */
    else if (step > 8) {                     /* what the input was in another cycle; seldom bits that it may not have */
      const size_t other = rng_next(seed) % cycles * step, at_byte = 8 + rng_next(seed) % (step - 8);
      at[i + at_byte] = rng_next(seed) % 16 ? at[other + at_byte] : at[i + at_byte] ^ 0x80;
    }
  }
  if (rng_next(seed) % 4 == 0) cycles = 1 + rng_next(seed) % cycles;
  size_t room = ZSTD_compressBound(cycles * step);
  uint8_t *packed = xmalloc(room);
  n = ZSTD_compress(packed, room, at, cycles * step, 1);
  bytes_splice(b, STIM_HEAD, b->n - STIM_HEAD, packed, n);
  const uint64_t sum = fnv1a(0, packed, n);
  memcpy(b->p + STIM_CYCLES, &cycles, 8);
  memcpy(b->p + STIM_PACKED, &n, 8);
  memcpy(b->p + STIM_SUM, &sum, 8);
  free(at), free(packed);
  return true;
}

/* All from the seed and the number. */
static void choose(struct trial *t, unsigned number) {
  uint64_t s = (opt.seed << 32) + number;
  s = rng_next(&s); /* so that cases do not draw the same, one step apart */
  unsigned share = (unsigned)(rng_next(&s) % 100);
  t->number = number;
  for (t->kind = 0; t->kind < KINDS - 1 && share >= kinds[t->kind].share; t->kind++) share -= kinds[t->kind].share;
  if (opt.only < KINDS) t->kind = opt.only;
  if (!corpus_of(t->kind)->n) t->kind = PTX;
  t->input = &corpus_of(t->kind)->input[rng_next(&s) % corpus_of(t->kind)->n];
  do t->command = &commands[rng_next(&s) % ncommands];
  while (t->command->kind != t->kind || !command_takes(t->command, t->input));
  bytes_set(&t->data, t->input->data.p, t->input->data.n);
  const struct bytes *other = &corpus_of(t->kind)->input[rng_next(&s) % corpus_of(t->kind)->n].data;
  t->other = 0;
  if (t->kind == STIM && rng_next(&s) % 2 && damage_inside(&t->data, &s)) t->damage = "inside a stimulus";
  else t->damage = mutate(&t->data, other, kinds[t->kind].text, &s);
  if (rng_next(&s) % 40 || t->kind == NAME || t->kind == DATABASE) return;
  static const struct {
    int is;
    const char *what;
  } others[] = {{'d', "a directory"}, {'p', "a FIFO"},  {'l', "/dev/zero"},
                {'l', "/dev/null"},   {'l', "nowhere"}, {'l', "."}};
  const unsigned k = (unsigned)(rng_next(&s) % 6);
  t->other = others[k].is;
  t->damage = others[k].what;
}

/* ---- outcomes ---- */
static struct verdict failed(const char *how, const char *format, ...) __attribute__((format(printf, 2, 3)));
static struct verdict failed(const char *how, const char *format, ...) {
  struct verdict v = {FAILED, how, ""};
  va_list a;
  va_start(a, format);
  vsnprintf(v.text, sizeof v.text, format, a);
  va_end(a);
  return v;
}

/* The first byte that is no text: a control character, or no UTF-8, or a C1 control; -1: none. */
static long no_text(const struct bytes *b) {
  for (size_t i = 0; i < b->n;) {
    uint8_t c = b->p[i];
    size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
    if ((c < 32 && c != '\n' && c != '\t') || c == 127 || more == 9 || i + more >= b->n + (more == 0)) return (long)i;
    for (size_t k = 1; k <= more; k++)
      if ((b->p[i + k] & 0xc0) != 0x80) return (long)i;
    if (c == 0xc2 && b->p[i + 1] < 0xa0) return (long)i;
    i += more + 1;
  }
  return -1;
}

static bool ends(const struct bytes *b, const char *end) {
  size_t n = strlen(end);
  return b->n >= n && !memcmp(b->p + b->n - n, end, n);
}

static bool whole(const char *name, const struct bytes *b) {
  const char *dot = strrchr(name, '.');
  json_error_t e;
  json_t *j;
  if (!dot) return true;
  if (!strcmp(dot, ".png")) return ends(b, "IEND\xae\x42\x60\x82");
  if (!strcmp(dot, ".svg")) return ends(b, "</svg>\n") || ends(b, "</svg>\n\n");
  if (!strcmp(dot, ".dot")) return ends(b, "}\n");
  if (strcmp(dot, ".json")) return true;
  if ((j = json_loadb((const char *)b->p, b->n, 0, &e))) json_decref(j);
  return j;
}

/* What the command may write. */
static bool wanted(const struct trial *t, const char *name) {
  const char *w = t->command->words, *base = strrchr(name, '/');
  if (t->kind == DATABASE && !strncmp(name, "results.db", 10)) return true;
  if (!strncmp(name, "out/", 4) && strstr(w, name)) return true;
  if (!strncmp(name, "out/", 4) && strstr(w, "@N")) return !strcmp(base, strrchr(t->file, '/'));
  if (!strncmp(name, "out/", 4) && (strstr(w, "--images out") || strstr(w, "--plots out")))
    return strlen(base) > 4 && (!strcmp(base + strlen(base) - 4, ".png") || !strcmp(base, "/characterize.gp"));
  if (t->kind == JOURNAL && !strncmp(name, "out/t.widths.journal", 20)) return true;
  return t->kind == STIM && !strncmp(name, "out/", 4); /* waves of a difference */
}

static bool may_dump(const struct trial *t) { return (t->kind == LAUNCH) && memmem(t->data.p, t->data.n, "dump", 4); }

static struct verdict files(const char *dir, const struct trial *t, int status, const struct look *before,
                            const struct verdict *so_far) {
  static struct look after;
  size_t i = 0, j = 0;
  box_look(dir, &after);
  for (const char *name; (name = look_change(before, &after, &i, &j));) {
    char path[BOX_PATH + 300];
    struct bytes b = {0};
    if (may_dump(t)) continue;
    /* an image statement before the one that failed has written its picture */
    const bool picture = strstr(t->command->words, "--images out") && wanted(t, name);
    const bool refused =
        status == 2 && !(t->command->flags & PARTS) && t->kind != JOURNAL && t->kind != STIM && !picture;
    if (refused || !wanted(t, name)) return failed(refused ? "files changed" : "file left behind", "%s", name);
    snprintf(path, sizeof path, "%s/box/%s", dir, name);
    bool ok = !file_read(path, &b) || whole(name, &b);
    free(b.p);
    if (!ok) return failed("half a file", "%s", name);
  }
  return *so_far;
}

/* "regtwin: FILE:LINE:COL: error: text" of standard error, and nothing before it but warnings. */
static struct verdict refused(const struct bytes *err, bool many) {
  struct verdict v = {ELSEWHERE, "", ""};
  char *text = strndup(err->p ? (const char *)err->p : "", err->n), *at = strstr(text, "error: ");
  if (!at) {
    snprintf(v.text, sizeof v.text, "%.*s", (int)strcspn(text, "\n"), text);
    if (!strstr(text, ": ")) v = failed("no message", "%.200s", text);
    free(text);
    return v;
  }
  unsigned numbers = 0;
  for (char *p = at; numbers < 2 && p - text >= 3 && p[-1] == ' ' && p[-2] == ':';) { /* "...:8:57: " backwards */
    char *q = p - 2;
    while (numbers < 2 && q > text && q[-1] >= '0' && q[-1] <= '9') {
      while (q > text && q[-1] >= '0' && q[-1] <= '9') q--;
      if (q == text || q[-1] != ':') break;
      numbers++, q--;
    }
    break;
  }
  v.is = numbers == 2 ? AT_COLUMN : numbers == 1 ? AT_LINE : ELSEWHERE;
  snprintf(v.text, sizeof v.text, "%.*s", (int)strcspn(at, "\n"), at);
  if (!many && strchr(at, '\n') && strstr(strchr(at, '\n'), "error: "))
    v = failed("a second error line", "%.300s", strchr(at, '\n') + 1);
  free(text);
  return v;
}

static struct verdict judge(const char *dir, const struct trial *t, int status, const struct look *before, bool late) {
  static struct bytes out, err;
  char path[BOX_PATH];
  snprintf(path, sizeof path, "%s/out", dir);
  file_read(path, &out);
  snprintf(path, sizeof path, "%s/err", dir);
  file_read(path, &err);
  const char *report = err.n ? memmem(err.p, err.n, "Sanitizer", 9) : NULL;
  if (!report && err.n) report = memmem(err.p, err.n, "runtime error:", 14);
  if (report) return failed("sanitizer", "%.*s", (int)strcspn(report, "\n"), report);
  if (late || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)))
    return failed("hang", "no end");
  if (WIFSIGNALED(status))
    return failed("signal", "%d: %.*s", WTERMSIG(status), (int)(err.n < 300 ? err.n : 300), (char *)err.p);
  int code = WEXITSTATUS(status);
  if (code > 2) return failed("status", "%d", code);
  bool stim = t->kind == STIM;
  long bad = stim ? -1 : no_text(&out);
  if (bad >= 0) return failed("control character", "byte %ld of the output, %02x", bad, out.p[bad]);
  if ((bad = no_text(&err)) >= 0) return failed("control character", "byte %ld of the message, %02x", bad, err.p[bad]);
  struct verdict v = {code ? WRONG : ACCEPTED, "", ""};
  if (code == 2) v = refused(&err, t->command->flags & PARTS);
  if (code == 2 && out.n && !(t->command->flags & PARTS) && !stim)
    return failed("output beside a refusal", "%zu bytes", out.n);
  if (code == 1 && !(stim || strstr(t->command->words, "SL-") || strstr(t->command->words, "--races")))
    return failed("status", "1: %.*s", (int)(err.n < 200 ? err.n : 200), (char *)err.p);
  const struct bytes *same = corpus_same_output();
  if ((t->command->flags & SAME) && code != 2 && same->n && (out.n != same->n || memcmp(out.p, same->p, out.n)))
    return failed("other result", "status %d", code);
  return v.is == FAILED ? v : files(dir, t, code, before, &v);
}

/* ---- running them, some at a time ---- */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct slot {
  char dir[100];
  struct trial trial;
  struct look before;
  pid_t pid;
  double from;
};
enum { WALL_SECONDS = 240, WAIT_SECONDS = 60, MOST_JOBS = 64 };
static struct slot slots[MOST_JOBS];

static void begin(struct slot *s) {
  trial_fill(s->dir, &s->trial);
  box_look(s->dir, &s->before);
  s->from = now();
  s->pid = box_run(s->dir, s->trial.argv, CPU_SECONDS);
}

static bool ended(struct slot *s, bool wait, struct verdict *v) {
  int status;
  bool late = false;
  for (;;) {
    pid_t got = waitpid(s->pid, &status, WNOHANG);
    if (got < 0 && errno != EINTR) die("waitpid: %s", strerror(errno));
    if (got > 0) break;
    if (now() - s->from > (s->trial.other ? WAIT_SECONDS : WALL_SECONDS)) kill(-s->pid, SIGKILL), late = true;
    else if (!wait) return false;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  kill(-s->pid, SIGKILL); /* what it left running */
  s->pid = 0;
  *v = judge(s->dir, &s->trial, status, &s->before, late);
  return true;
}

static struct verdict again(struct slot *s) {
  struct verdict v;
  begin(s);
  ended(s, true, &v);
  return v;
}

/* ---- the smallest input that fails alike ---- */
static void reduce(struct slot *s, const char *how) {
  struct bytes best = {0};
  double from = now();
  unsigned runs = 0;
  bytes_set(&best, s->trial.data.p, s->trial.data.n);
  for (size_t part = best.n / 2; part; part = part > 1 ? (part + 1) / 2 : 0)
    for (size_t at = 0; at < best.n && runs < 300 && now() - from < 60;) {
      size_t n = part < best.n - at ? part : best.n - at;
      bytes_set(&s->trial.data, best.p, best.n);
      bytes_splice(&s->trial.data, at, n, NULL, 0);
      struct verdict v = again(s);
      runs++;
      if (v.is == FAILED && !strcmp(v.how, how)) bytes_set(&best, s->trial.data.p, s->trial.data.n);
      else at += n;
    }
  bytes_set(&s->trial.data, best.p, best.n);
  free(best.p);
}

/* ---- counts ---- */
static const char *const heads[VERDICTS] = {"accepted", "line:column", "line", "no line", "status 1", "failed"};
static unsigned counts[KINDS][VERDICTS], shrunk;
static struct tally failures, plain, by_damage;

static void report_failure(struct slot *s, const struct verdict *v) {
  char text[400], path[BOX_PATH], command[PATH_MAX + 300];
  char sign[300];
  tally_alike(sign, sizeof sign, v->text);
  snprintf(text, sizeof text, "%s: %.80s", v->how, sign);
  if (tally_add(&failures, s->trial.kind, text, s->trial.number)->n > 1 && !opt.one) return;
  printf("\nFAILED case %u, seed %" PRIu64 ": %s of %s, %s\n  %s: %s\n", s->trial.number, opt.seed,
         kinds[s->trial.kind].name, s->trial.input->path, s->trial.damage, v->how, v->text);
  if (shrunk++ < 30 && s->trial.kind != DATABASE && s->trial.kind != JOURNAL && !s->trial.other &&
      strcmp(v->how, "hang"))
    reduce(s, v->how);
  trial_fill(s->dir, &s->trial);
  snprintf(path, sizeof path, "%s/%" PRIu64 "-%u", opt.keep, opt.seed, s->trial.number);
  snprintf(command, sizeof command, "mkdir -p '%s' && rm -rf '%s' && cp -r '%s/box' '%s'", opt.keep, path, s->dir,
           path);
  if (system(command)) printf("  could not be kept in %s\n", path);
  printf("  %zu bytes in %s/%s; again:\n  cd %s && %s\n", s->trial.data.n, path, s->trial.file, path, s->trial.line);
  fflush(stdout);
}

static void count(struct slot *s, const struct verdict *v) {
  char sign[400];
  counts[s->trial.kind][v->is]++;
  tally_add(&by_damage, 0, s->trial.damage, s->trial.number)->good += v->is == ACCEPTED;
  if (opt.verbose || opt.one)
    printf("%u %s %s: %s\n  %s\n  %s %s\n", s->trial.number, kinds[s->trial.kind].name, s->trial.input->path,
           s->trial.damage, s->trial.line, v->is == FAILED ? v->how : heads[v->is], v->text);
  if (v->is == ELSEWHERE) {
    tally_alike(sign, sizeof sign, v->text);
    tally_add(&plain, s->trial.kind, sign, s->trial.number);
  }
  if (v->is == FAILED) report_failure(s, v);
}

static void lines(struct tally *t, const char *head, size_t most) {
  tally_sort(t);
  if (t->n) printf("\n%s\n", head);
  for (size_t i = 0; i < t->n && i < most; i++)
    printf("%6u %-12s %.150s  (case %u)\n", t->of[i].n, kinds[t->of[i].kind].name, t->of[i].text, t->of[i].first);
}

static unsigned table(void) {
  unsigned sum[VERDICTS] = {0}, total = 0;
  printf("\n%-22s %7s", "damaged", "inputs");
  for (unsigned v = 0; v < VERDICTS; v++) printf(" %11s", heads[v]);
  for (unsigned k = 0; k <= KINDS; k++) {
    unsigned n = 0;
    const unsigned *c = k < KINDS ? counts[k] : sum;
    for (unsigned v = 0; v < VERDICTS; v++) n += c[v];
    printf("\n%-22s %7u", k < KINDS ? kinds[k].name : "all", n);
    for (unsigned v = 0; v < VERDICTS; v++) printf(" %11u", c[v]);
    for (unsigned v = 0; v < VERDICTS && k < KINDS; v++) sum[v] += c[v];
    total = n;
  }
  printf("\n\n%-26s %7s %9s\n", "damage", "inputs", "accepted");
  tally_sort(&by_damage);
  for (size_t i = 0; i < by_damage.n; i++)
    printf("%-26s %7u %9u\n", by_damage.of[i].text, by_damage.of[i].n, by_damage.of[i].good);
  lines(&plain, "refused without a line:", opt.verbose ? SIZE_MAX : 25);
  lines(&failures, "failures, alike ones together:", SIZE_MAX);
  printf("\ndamage: %u inputs, seed %" PRIu64 ": %u accepted, %u refused, %u with status 1, %u failed\n", total,
         opt.seed, sum[ACCEPTED], sum[AT_COLUMN] + sum[AT_LINE] + sum[ELSEWHERE], sum[WRONG], sum[FAILED]);
  return sum[FAILED];
}

/* ---- the campaign ---- */
/* Each command with a file that is as it should be: accepted, or the campaign would prove nothing. */
static unsigned undamaged(void) {
  unsigned bad = 0, n = 0;
  for (unsigned i = 0; i < ncommands; i++) {
    const struct command *c = &commands[i];
    struct slot *s = &slots[0];
    if (!corpus_of(c->kind)->n || (opt.only < KINDS && opt.only != c->kind)) continue;
    const struct input *in = corpus_of(c->kind)->input;
    for (size_t k = 0; k < corpus_of(c->kind)->n; k++)
      if (!strcmp(corpus_of(c->kind)->input[k].folder, "vecadd")) in = &corpus_of(c->kind)->input[k];
    s->trial.kind = c->kind;
    s->trial.input = in;
    s->trial.command = c;
    s->trial.damage = "none";
    s->trial.other = 0;
    bytes_set(&s->trial.data, in->data.p, in->data.n);
    struct verdict v = again(s);
    n++;
    bool right = c->kind == DATA || v.is == ACCEPTED;
    if (!right)
      bad++, printf("undamaged, yet not accepted: %s\n  %s %s\n", s->trial.line, v.is == FAILED ? v.how : "", v.text);
  }
  printf("undamaged: %u of %u commands accept their input\n", n - bad, n);
  return bad;
}

static volatile sig_atomic_t stopped; /* the user has seen enough: what runs ends, the counts are printed */
static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

static void campaign(void) {
  double from = now(), told = from;
  unsigned next = opt.one ? opt.inputs : 0, running = 0, done = 0, end = opt.one ? opt.inputs + 1 : opt.inputs;
  for (;;) {
    for (unsigned i = 0; i < opt.jobs; i++) {
      struct slot *s = &slots[i];
      struct verdict v;
      if (s->pid && ended(s, false, &v)) running--, done++, count(s, &v);
      if (!s->pid && next < end && !stopped && (!opt.seconds || now() - from < opt.seconds)) {
        choose(&s->trial, next++);
        begin(s);
        running++;
      }
    }
    if (!running) break;
    if (now() - told > 20) {
      told = now();
      printf("damage: %u of %u inputs, %.0f s\n", done, end, told - from);
      fflush(stdout);
    }
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
}

static const struct argp_option options[] = {
    {"inputs", 'n', "N", 0, "how many (7300)", 0},
    {"seed", 's', "N", 0, "of all damages (1)", 0},
    {"case", 'c', "N", 0, "only this one, with all that is known of it", 0},
    {"kind", 'k', "NAME", 0, "only this kind", 0},
    {"jobs", 'j', "N", 0, "at a time (all processors)", 0},
    {"seconds", 't', "N", 0, "begin no input later", 0},
    {"program", 'p', "FILE", 0, "build/asan/regtwin", 0},
    {"blocks", 'b', "DIR", 0, "where the runners of blocks are, build/cosim", 0},
    {"keep", 'o', "DIR", 0, "where failing inputs go, build/fuzz/failed", 0},
    {"verbose", 'v', NULL, 0, "a line for every input", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  switch (key) {
    case 'n': opt.inputs = (unsigned)strtoul(arg, NULL, 10); break;
    case 's': opt.seed = strtoull(arg, NULL, 10); break;
    case 'c': opt.one = true, opt.inputs = (unsigned)strtoul(arg, NULL, 10); break;
    case 'k':
      for (opt.only = 0; opt.only < KINDS && strcmp(kinds[opt.only].name, arg);) opt.only++;
      if (opt.only == KINDS) argp_error(state, "no kind '%s'", arg);
      break;
    case 'j': opt.jobs = (unsigned)strtoul(arg, NULL, 10); break;
    case 't': opt.seconds = (unsigned)strtoul(arg, NULL, 10); break;
    case 'p': opt.program = arg; break;
    case 'b': opt.blocks = arg; break;
    case 'o': opt.keep = arg; break;
    case 'v': opt.verbose = true; break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct argp argp = {
      options, parse, NULL, "Runs the commands on damaged inputs; from the repository's directory.", NULL, NULL, NULL};
  char command[200];
  argp_parse(&argp, argc, argv, 0, NULL, &opt);
  if (!opt.jobs || opt.jobs > MOST_JOBS) opt.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  if (!getcwd(root, sizeof root) || !mkdtemp(work)) die("%s: %s", work, strerror(errno));
  for (unsigned i = 0; i < opt.jobs; i++) {
    snprintf(slots[i].dir, sizeof slots[i].dir, "%s/%u", work, i);
    if (mkdir(slots[i].dir, 0777)) die("%s: %s", slots[i].dir, strerror(errno));
  }
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  corpus_gather(&(struct corpus_places){root, opt.program, opt.blocks}, slots[0].dir);
  unsigned bad = opt.one ? 0 : undamaged();
  campaign();
  bad += table();
  snprintf(command, sizeof command, "rm -rf '%s'", work);
  if (system(command)) return 1;
  return bad ? 1 : 0;
}

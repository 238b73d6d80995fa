/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage: every kind of file that the commands read, damaged by a seed, and the real commands run on it, built with
 * ASan and UBSan, each in a directory of its own with limits. A damaged file may be accepted (status 0), refused
 * (status 2, with a message and a place), or give a wrong result (status 1, where that is a valid outcome).
 * Everything else is a failure: a signal, a sanitizer's report, a hang, another status, no message, control
 * characters in the output, files changed although the command refused, an incomplete output, or files left behind.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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

#include "bad_cases.h"
#include "base/bits.h"
#include "base/err.h"
#include "box.h"
#include "tally.h"

/* ---- what is damaged ---- */
enum kind { PTX, LAUNCH, CONF, ABOUT, WIDTHS, DATA, NAME, JOURNAL, DATABASE, STIM, PROFILE, DOT, KINDS };
static const struct {
  const char *name;
  bool text;
  unsigned share;     /* of 100 inputs */
  const char *files;  /* patterns; a kind's text: the cases of bad inputs in it */
  const char *beside; /* kernels that lie in the box as they are; without: the input's own */
} kinds[KINDS] = {
    [PTX] = {"PTX", true, 23,
             "traces/kernels/*/*.ptx tests/data/ptx/*.ptx tests/data/order/*.ptx tests/data/races/*.ptx "
             "tests/data/character/*.ptx "
             "tests/data/bad/ptx.txt"},
    [LAUNCH] =
        {"launch file", true, 23,
         "traces/kernels/*/*.launch tests/data/order/*.launch tests/data/races/*.launch tests/data/character/*.launch "
         "tests/data/bad/launch.txt"},
    [CONF] = {".conf", true, 12, "cmodel/config/*/*.conf tests/data/bad/config.txt", "vecadd nn"},
    [ABOUT] = {"about.yaml", true, 7, "traces/kernels/*/about.yaml tests/data/bad/about.txt"},
    [WIDTHS] = {".widths", true, 7, "traces/kernels/*/*.widths"},
    [DATA] = {"data of fill, expect", false, 4, "@data", "vecadd"},
    [NAME] = {"name of a file", true, 5, "@name", "vecadd"},
    [JOURNAL] = {"journal of tune", true, 2, "@journal", "reduction"},
    [DATABASE] = {"database of --db", false, 3, "@database", "convolutionSeparable"},
    [STIM] = {".stim", false, 8, "traces/streams/*/*.stim tb/*/regress/*.stim"},
    [PROFILE] = {"profile of reuses", true, 2, "@profile", "vecadd"},
    [DOT] = {".dot of nvdisasm", true, 4, "tests/data/sass/*.dot"},
};

struct input {
  char path[200], folder[100]; /* traces/kernels/sgemm/sgemm.ptx, sgemm */
  struct bytes data;
};
static struct {
  struct input *input;
  size_t n, room;
} corpus[KINDS];

/* ---- the commands ----
 * @F the damaged file, @K its kernel's name, @L the launch file beside it, @B the block of a stimulus, @LIMITS. */
enum { SUITE = 1, PARTS = 2, SAME = 4 };
static const char limits[] =
    "--set sim.max_cycles=3000000 --set sim.max_insns=50000000 --set sim.max_statements=1000000";
static const struct command {
  enum kind kind;
  unsigned
      flags; /* SUITE: only of a kernel in traces/; PARTS: what it can do it does, status 2 beside outputs; SAME: as if undamaged, or refused */
  const char *words;
} commands[] = {
    {PTX, 0, "analyze @F"},
    {PTX, 0, "analyze @F --live --dot out/a.dot"},
    {PTX, 0, "analyze @F --regs 16"},
    {PTX, 0, "analyze @F --intervals --write-cfg out/a.dot"},
    {PTX, SUITE, "analyze @L --ranges --size small"},
    {PTX, SUITE, "analyze @L --slices --size small"},
    {PTX, SUITE, "run @L --functional @LIMITS --json out/a.json --size small"},
    {PTX, SUITE | PARTS, "run @L --functional @LIMITS --races --size small"},
    {PTX, SUITE, "run @L @LIMITS --json out/a.json --size small"},
    {PTX, SUITE, "run @L @LIMITS -s FineReg --images out --size small"},
    {PTX, SUITE, "run @L @LIMITS -c gtx480 -s SL-Full-P --json out/a.json --size small"},
    {PTX, SUITE, "quality ref/@K/@K.launch @L --size small"},
    {PTX, SUITE | PARTS, "compare @K --systems baseline,VT --size small --jobs 1 @LIMITS --json out/a.json"},
    {LAUNCH, 0, "run @F --functional @LIMITS --json out/a.json --images out --size small"},
    {LAUNCH, PARTS, "run @F --functional @LIMITS --races --seed 7 --size small"},
    {LAUNCH, 0, "run @F @LIMITS --json out/a.json --size small"},
    {LAUNCH, 0, "run @F @LIMITS -s VT-RegMutex --size small"},
    {LAUNCH, 0, "analyze @F --ranges --size small"},
    {LAUNCH, SUITE, "quality ref/@K/@K.launch @F --size small"},
    {LAUNCH, SUITE, "run @F @LIMITS -c gtx480 -s SL-Int --json out/a.json --size small"},
    {LAUNCH, SUITE | PARTS, "characterize @F @LIMITS --json out/a.json --size small"},
    {CONF, 0, "config --dump --config @F"},
    {CONF, 0, "config --dump --system @F"},
    {CONF, 0, "run vecadd --size small @LIMITS --config @F --json out/a.json"},
    {CONF, 0, "run nn --size small @LIMITS --system @F --json out/a.json"},
    {CONF, PARTS, "compare vecadd --systems baseline,@F --size small --jobs 1 @LIMITS --json out/a.json"},
    {ABOUT, 0, "list kernels --limits"},
    {ABOUT, 0, "list kernels -v --paper finereg"},
    {ABOUT, SUITE, "run @K --size small @LIMITS --json out/a.json"},
    {ABOUT, SUITE, "quality @K @K --size small"},
    {ABOUT, SUITE | PARTS, "characterize @K --size small @LIMITS --json out/a.json"},
    {ABOUT, SUITE | PARTS, "compare @K --systems baseline,null --size small --jobs 1 @LIMITS --json out/a.json"},
    {WIDTHS, 0, "analyze @L --widths=@F"},
    {WIDTHS, 0, "analyze @L --slices --size small"},
    {WIDTHS, 0, "run @L @LIMITS -c gtx480 -s SL-Full-P --json out/a.json --size small"},
    {WIDTHS, PARTS, "compare @K -c gtx480 --systems SL-Orig,SL-Full-H --size small --jobs 1 @LIMITS --json out/a.json"},
    {DATA, 0, "run @L --functional @LIMITS --json out/a.json --size small"},
    {DATA, 0, "run @L @LIMITS --size small"},
    {NAME, 0, "run @F @LIMITS --json out/a.json --size small"},
    {NAME, 0, "run @F @LIMITS --timeline out/a.png --size small"},
    {NAME, 0, "run @F --functional --images out --size small"},
    {NAME, PARTS, "characterize @F @LIMITS --plots out --size small"},
    {NAME, 0, "run vecadd --size small @LIMITS --config @F"},
    {NAME, PARTS, "compare vecadd --systems baseline,@F --size small --jobs 1 @LIMITS --plot out/a.svg"},
    {NAME, 0, "analyze @F"},
    {NAME, 0, "run @F --size small"},
    {NAME, 0, "run vecadd --size small --json out/@N --functional"},
    {JOURNAL, 0, "tune reduction --size small --seeds 1 --jobs 1 -o out/t.widths"},
    {DATABASE, SAME, "experiment E-FR3 --size small --jobs 1 --db results.db"},
    {STIM, 0, "@B --replay @F --quiet --wave-dir out"},
    {STIM, 0, "@B --replay @F --record out/again.stim --wave-dir out"},
    {PROFILE, 0, "analyze vecadd --reuse --size small --read-profile @F"},
    {DOT, 0, "analyze --intervals --cfg @F"},
    {DOT, 0, "analyze --intervals=8 --strands=op --cfg @F --dot out/a.dot"},
};
enum { COMMANDS = sizeof commands / sizeof *commands, WORDS = 40 };

/* ---- one case ---- */
struct trial {
  unsigned number;
  enum kind kind;
  const struct input *input;
  const struct command *command;
  const char *damage;
  int other;         /* what stands in the file's place: 'd' directory, 'p' FIFO, 'l' a link to `damage`; 0: the file */
  struct bytes data; /* damaged */
  char file[400];    /* where it lies in the box */
  char line[2000];   /* the command, as a person would give it in the box */
  char *argv[WORDS];
};

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
static struct bytes same_out; /* of the SAME command with an undamaged database */

static bool has_launch(const struct input *in) { return !strncmp(in->path, "traces/kernels/", 15); }
static bool may(const struct command *c, const struct input *in) { return !(c->flags & SUITE) || has_launch(in); }

/* Where the file lies in the box. */
static void place(struct trial *t) {
  const struct input *in = t->input;
  const char *slash = strrchr(in->path, '/'), *base = slash ? slash + 1 : in->path;
  switch (t->kind) {
    case CONF: snprintf(t->file, sizeof t->file, "in.conf"); break;
    case ABOUT: snprintf(t->file, sizeof t->file, "traces/kernels/%s/about.yaml", in->folder); break;
    case DATA: snprintf(t->file, sizeof t->file, "traces/kernels/data/a.bin"); break;
    case JOURNAL: snprintf(t->file, sizeof t->file, "out/t.widths.journal"); break;
    case DATABASE: snprintf(t->file, sizeof t->file, "results.db"); break;
    case PROFILE: snprintf(t->file, sizeof t->file, "in.reuse"); break;
    case DOT: snprintf(t->file, sizeof t->file, "in.dot"); break;
    default: snprintf(t->file, sizeof t->file, "traces/kernels/%s/%s", in->folder, base);
  }
}

/* The damaged bytes are the name: no '/', no NUL, no longer than a directory takes, with an ending that the command
 * knows. */
static void place_name(struct trial *t) {
  char name[120] = "";
  size_t n = 0;
  bool conf = strstr(t->command->words, "config @F") || strstr(t->command->words, ",@F");
  for (size_t i = 0; i < t->data.n && n < sizeof name - 1; i++)
    if (t->data.p[i] && t->data.p[i] != '/') name[n++] = (char)t->data.p[i];
  name[n] = 0;
  if (!n || !strcmp(name, ".") || !strcmp(name, "..")) strcpy(name, "x");
  snprintf(t->file, sizeof t->file, "%s/%s%s", "traces/kernels/vecadd", name,
           conf                                   ? ".conf"
           : strstr(t->command->words, "analyze") ? ".ptx"
                                                  : ".launch");
}

static void word_of(const struct trial *t, const char *word, char *out, size_t size) {
  size_t n = 0;
  for (const char *p = word; *p && n < size; p++) {
    if (*p != '@') n += (size_t)snprintf(out + n, size - n, "%c", *p);
    else if (*++p == 'F') n += (size_t)snprintf(out + n, size - n, "%s", t->file);
    else if (*p == 'N') n += (size_t)snprintf(out + n, size - n, "%s", strrchr(t->file, '/') + 1);
    else if (*p == 'L')
      n += (size_t)snprintf(out + n, size - n, "traces/kernels/%s/%s.launch", t->input->folder, t->input->folder);
    else n += (size_t)snprintf(out + n, size - n, "%s", t->input->folder);
  }
}

static void quote(char *out, size_t size, const char *word) {
  bool plain =
      word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+")] == 0 && word[0];
  size_t n = strlen(out);
  n += (size_t)snprintf(out + n, size - n, plain ? " " : " $'");
  for (const char *p = word; *p && n < size; p++)
    n += (size_t)snprintf(out + n, size - n,
                          *p == '\'' || *p == '\\'              ? "\\%c"
                          : (unsigned char)*p < 32 || *p & 0x80 ? "\\%03o"
                                                                : "%c",
                          *p & 255);
  if (!plain && n < size) snprintf(out + n, size - n, "'");
}

static void arguments(struct trial *t) {
  char words[600], program[PATH_MAX + 200], *save = NULL;
  unsigned n = 0;
  const char *w = strstr(t->command->words, "@LIMITS");
  if (w) snprintf(words, sizeof words, "%.*s%s%s", (int)(w - t->command->words), t->command->words, limits, w + 7);
  else snprintf(words, sizeof words, "%s", t->command->words);
  for (char **p = t->argv; *p; p++) free(*p);
  snprintf(program, sizeof program, "%s/%s", root, opt.program);
  if (t->kind != STIM) t->argv[n++] = strdup(program);
  for (char *p = strtok_r(words, " ", &save); p && n < WORDS - 1; p = strtok_r(NULL, " ", &save)) {
    char word[PATH_MAX + 300] = "";
    if (!strcmp(p, "@B")) {
      const char *base = strrchr(t->input->path, '/') + 1;
      snprintf(word, sizeof word, "%s/%s/%s/%.*s", root, opt.blocks, t->input->folder, (int)strcspn(base, "-"), base);
    } else word_of(t, p, word, sizeof word);
    t->argv[n++] = strdup(word);
  }
  t->argv[n] = NULL;
  snprintf(t->line, sizeof t->line, "REGTWIN_TRACES=traces/kernels");
  for (unsigned i = 0; i < n; i++) quote(t->line, sizeof t->line, t->argv[i]);
}

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
  if (!corpus[t->kind].n) t->kind = PTX;
  t->input = &corpus[t->kind].input[rng_next(&s) % corpus[t->kind].n];
  do t->command = &commands[rng_next(&s) % COMMANDS];
  while (t->command->kind != t->kind || !may(t->command, t->input));
  bytes_set(&t->data, t->input->data.p, t->input->data.n);
  const struct bytes *other = &corpus[t->kind].input[rng_next(&s) % corpus[t->kind].n].data;
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

static const char data_launch[] =
    "ptx vecadd.ptx\nbuffer a f32 1000 file a.bin\nbuffer b f32 1000 zero\nbuffer c f32 1000 zero\n"
    "launch vecadd grid 4 block 256 args(a, b, c, u32:1000)\nexpect c file a.bin\n";

/* Puts all bad launch files into the folder `home`: some name another one. */
static void put_launch_cases(const char *dir, const char *home) {
  char name[2 * BOX_PATH];
  for (size_t i = 0; i < corpus[LAUNCH].n; i++) {
    const struct input *in = &corpus[LAUNCH].input[i];
    if (strncmp(in->path, "tests/data/bad/launch/", 22) != 0) continue;
    snprintf(name, sizeof name, "%s/%s", home, strrchr(in->path, '/') + 1);
    box_put(dir, name, in->data.p, in->data.n);
  }
}

/* What stands beside the damaged file, as it should be. */
static void surroundings(const char *dir, const struct trial *t) {
  char home[BOX_PATH], from[BOX_PATH], words[100], *save = NULL;
  const struct input *in = t->input;
  box_put(dir, "out/a.json", "old\n", 4); /* what an earlier run left */
  box_put(dir, "out/a.dot", "old\n", 4);
  snprintf(words, sizeof words, "%s", kinds[t->kind].beside ? kinds[t->kind].beside : "");
  for (char *p = strtok_r(words, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
    snprintf(home, sizeof home, "traces/kernels/%s", p);
    box_copy(dir, home, home);
  }
  snprintf(home, sizeof home, "traces/kernels/%s", in->folder);
  snprintf(from, sizeof from, "%.*s", (int)(strrchr(in->path, '/') - in->path), in->path);
  if (!kinds[t->kind].beside && has_launch(in) && t->kind != STIM) box_copy(dir, home, home);
  else if (t->kind == LAUNCH) {
    if (strcmp(from, "tests/data/bad/launch") != 0) box_copy(dir, from, home);
    else put_launch_cases(dir, home);
    box_copy(dir, "tests/data/ptx", "ptx"); /* tests/data/bad/launch.txt names ../../ptx */
  } else if (t->kind == ABOUT) box_copy(dir, "traces/kernels/vecadd", home);
  if (strstr(t->command->words, "ref/")) {
    snprintf(from, sizeof from, "ref/%s", in->folder);
    box_copy(dir, home, from);
  }
  if (t->kind == DATA) {
    box_copy(dir, "traces/kernels/vecadd", "traces/kernels/data");
    box_put(dir, "traces/kernels/data/data.launch", data_launch, sizeof data_launch - 1);
  }
}

/* Of damaged names: a file that is as it should be. */
static void put_named(const char *dir, const struct trial *t) {
  struct bytes b = {0};
  const bool ptx = strstr(t->command->words, "analyze"), conf = strstr(t->file, ".conf");
  const char *path = conf  ? "cmodel/systems/finereg/VT.conf"
                     : ptx ? "traces/kernels/vecadd/vecadd.ptx"
                           : "traces/kernels/vecadd/vecadd.launch";
  if (!file_read(path, &b)) die("%s: %s", path, strerror(errno));
  box_put(dir, t->file, b.p, b.n);
  free(b.p);
}

static void put_other(const char *dir, const struct trial *t) {
  char path[BOX_PATH + sizeof t->file];
  snprintf(path, sizeof path, "%s/box/%s", dir, t->file);
  remove(path);
  if (t->other == 'd' ? mkdir(path, 0777) : t->other == 'p' ? mkfifo(path, 0666) : symlink(t->damage, path))
    die("%s: %s", path, strerror(errno));
}

static void fill(const char *dir, struct trial *t) {
  if (t->kind == NAME) place_name(t);
  else place(t);
  arguments(t);
  box_clear(dir);
  surroundings(dir, t);
  if (t->kind == NAME) put_named(dir, t);
  else box_put(dir, t->file, t->data.p, t->data.n);
  if (t->other) put_other(dir, t);
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
  if ((t->command->flags & SAME) && code != 2 && same_out.n &&
      (out.n != same_out.n || memcmp(out.p, same_out.p, out.n)))
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
enum { CPU_SECONDS = 20, WALL_SECONDS = 240, WAIT_SECONDS = 60, MOST_JOBS = 64 };
static struct slot slots[MOST_JOBS];

static void begin(struct slot *s) {
  fill(s->dir, &s->trial);
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
  fill(s->dir, &s->trial);
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

/* ---- the corpus ---- */
static void add(enum kind k, const char *path, const char *folder, const void *p, size_t n) {
  struct input *in = &VEC_PUSH(corpus[k].input, corpus[k].n, corpus[k].room);
  *in = (struct input){0};
  snprintf(in->path, sizeof in->path, "%s", path);
  snprintf(in->folder, sizeof in->folder, "%s", folder);
  bytes_set(&in->data, p, n);
}

/* Adds the bad inputs of a kind, as if each were the file tests/data/bad/KIND/NAME. `n`: the length of tests/data/bad/KIND. */
static void gather_cases(enum kind k, const char *text, size_t n) {
  char folder[200], path[300], message[1200];
  struct bad_cases cases;
  struct err e = {0};
  snprintf(folder, sizeof folder, "%.*s", (int)n, text);
  if (!bad_cases_read(folder, &cases, &e)) {
    err_format(&e, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    exit(2);
  }
  for (size_t i = 0; i < cases.n; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, cases.at[i].name);
    add(k, path, strrchr(folder, '/') + 1, cases.at[i].input, cases.at[i].n);
  }
  bad_cases_free(&cases);
}

static void gather(enum kind k, const char *pattern) {
  glob_t g;
  struct bytes b = {0};
  const size_t n = strlen(pattern);
  if (n > 4 && !strcmp(pattern + n - 4, ".txt")) {
    gather_cases(k, pattern, n - 4);
    return;
  }
  if (glob(pattern, 0, NULL, &g)) return;
  for (size_t i = 0; i < g.gl_pathc; i++) {
    char folder[200], runner[PATH_MAX];
    const char *path = g.gl_pathv[i], *slash = strrchr(path, '/'), *from = slash;
    while (from > path && from[-1] != '/') from--;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - from), from);
    if (k == STIM) {
      if (!strcmp(folder, "regress")) snprintf(folder, sizeof folder, "%.*s", (int)strcspn(path + 3, "/"), path + 3);
      snprintf(runner, sizeof runner, "%s/%s/%.*s", opt.blocks, folder, (int)strcspn(slash + 1, "-"), slash + 1);
      if (access(runner, X_OK)) continue;
    }
    if (file_read(path, &b) && b.n <= 1 << 18) add(k, path, folder, b.p, b.n);
  }
  globfree(&g);
  free(b.p);
}

/* A database, made by the command itself. */
static void made_by_commands(void) {
  struct slot *s = &slots[0];
  char path[BOX_PATH];
  struct bytes b = {0};
  add(DATABASE, "x", "convolutionSeparable", "", 0);
  s->trial = (struct trial){.kind = DATABASE, .input = &corpus[DATABASE].input[0], .damage = "none"};
  s->trial.command = &commands[0];
  for (unsigned i = 0; i < COMMANDS; i++)
    if (commands[i].kind == DATABASE) s->trial.command = &commands[i];
  fill(s->dir, &s->trial);
  snprintf(path, sizeof path, "%s/box/results.db", s->dir);
  unlink(path);
  corpus[DATABASE].n = 0;
  for (unsigned k = 0; k < 2; k++) { /* the second time nothing is run: its output is the reference */
    s->from = now();
    s->pid = box_run(s->dir, s->trial.argv, CPU_SECONDS);
    int status;
    waitpid(s->pid, &status, 0);
    if (status) die("the experiment that fills a database failed: %s", s->trial.line);
  }
  snprintf(path, sizeof path, "%s/out", s->dir);
  file_read(path, &same_out);
  snprintf(path, sizeof path, "%s/box/results.db", s->dir);
  if (!file_read(path, &b)) die("there is no database: %s", path);
  add(DATABASE, "results.db", "convolutionSeparable", b.p, b.n);
  free(b.p);
}

static void made_journal(void) {
  struct slot *s = &slots[0];
  char path[BOX_PATH], keep[BOX_PATH];
  struct bytes b = {0};
  const struct input in = {.path = "journal/x", .folder = "reduction"};
  s->trial = (struct trial){.kind = JOURNAL, .input = &in, .damage = "none"};
  for (unsigned i = 0; i < COMMANDS; i++)
    if (commands[i].kind == JOURNAL) s->trial.command = &commands[i];
  fill(s->dir, &s->trial);
  snprintf(path, sizeof path, "%s/box/%s", s->dir, s->trial.file);
  snprintf(keep, sizeof keep, "%s/journal", s->dir);
  unlink(keep);
  if (link(path, keep)) die("%s: %s", keep, strerror(errno)); /* the command removes its own name in the end */
  s->pid = box_run(s->dir, s->trial.argv, 60);
  int status;
  waitpid(s->pid, &status, 0);
  if (status || !file_read(keep, &b)) die("no journal: %s", s->trial.line);
  add(JOURNAL, "journal/x", "reduction", b.p, b.n);
  free(b.p);
}

static void made_profile(void) {
  static const struct command make = {PROFILE, 0, "analyze vecadd --reuse --size small --write-profile out/made.reuse"};
  struct slot *s = &slots[0];
  char path[BOX_PATH];
  struct bytes b = {0};
  const struct input in = {.path = "profile/x", .folder = "vecadd"};
  s->trial = (struct trial){.kind = PROFILE, .input = &in, .command = &make, .damage = "none"};
  fill(s->dir, &s->trial);
  s->pid = box_run(s->dir, s->trial.argv, CPU_SECONDS);
  int status;
  waitpid(s->pid, &status, 0);
  snprintf(path, sizeof path, "%s/box/out/made.reuse", s->dir);
  if (status || !file_read(path, &b)) die("no profile: %s", s->trial.line);
  add(PROFILE, in.path, in.folder, b.p, b.n);
  free(b.p);
}

static void gather_all(void) {
  for (enum kind k = 0; k < KINDS; k++) {
    char text[400], *save = NULL;
    snprintf(text, sizeof text, "%s", kinds[k].files);
    for (char *p = strtok_r(text, " ", &save); p && p[0] != '@'; p = strtok_r(NULL, " ", &save)) gather(k, p);
  }
  uint8_t zero[4000] = {0};
  for (unsigned i = 0; i < 1000; i++) memcpy(zero + 4 * i, &(float){(float)i}, 4);
  add(DATA, "traces/kernels/vecadd/a.bin", "data", zero, sizeof zero);
  add(NAME, "traces/kernels/vecadd/vecadd.launch", "vecadd", "my kernel v1.0", 14);
  add(NAME, "traces/kernels/vecadd/vecadd.launch", "vecadd", "d\xc3\xbcnn_{2}^x", 12);
  made_by_commands();
  made_journal();
  made_profile();
  for (enum kind k = 0; k < KINDS; k++) {
    if (!corpus[k].n) printf("no %s is there to be damaged; PTX instead\n", kinds[k].name);
    for (size_t i = 0; i < corpus[k].n; i++)
      if (corpus[k].input[i].path[0] == 0) die("no path");
  }
}

/* ---- the campaign ---- */
/* Each command with a file that is as it should be: accepted, or the campaign would prove nothing. */
static unsigned undamaged(void) {
  unsigned bad = 0, n = 0;
  for (unsigned i = 0; i < COMMANDS; i++) {
    const struct command *c = &commands[i];
    struct slot *s = &slots[0];
    if (!corpus[c->kind].n || (opt.only < KINDS && opt.only != c->kind)) continue;
    const struct input *in = corpus[c->kind].input;
    for (size_t k = 0; k < corpus[c->kind].n; k++)
      if (!strcmp(corpus[c->kind].input[k].folder, "vecadd")) in = &corpus[c->kind].input[k];
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
  gather_all();
  unsigned bad = opt.one ? 0 : undamaged();
  campaign();
  bad += table();
  snprintf(command, sizeof command, "rm -rf '%s'", work);
  if (system(command)) return 1;
  return bad ? 1 : 0;
}

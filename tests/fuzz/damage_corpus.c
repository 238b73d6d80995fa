/* SPDX-License-Identifier: Apache-2.0 */
/* damage_corpus: see damage_corpus.h. */
#include "damage_corpus.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bad_cases.h"
#include "base/err.h"
#include "box.h"

const struct kind_of_file kinds[KINDS] = {
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

static struct inputs corpus[KINDS];
static struct corpus_places places;
static struct bytes same_out; /* of the SAME command with an undamaged database */

/* ---- the commands ----
 * @F the damaged file, @K its kernel's name, @L the launch file beside it, @B the block of a stimulus, @LIMITS. */
static const char limits[] =
    "--set sim.max_cycles=3000000 --set sim.max_insns=50000000 --set sim.max_statements=1000000";
const struct command commands[] = {
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
const unsigned ncommands = sizeof commands / sizeof *commands;

/* ---- the box of a case ---- */
static bool has_launch(const struct input *in) { return !strncmp(in->path, "traces/kernels/", 15); }
bool command_takes(const struct command *c, const struct input *in) { return !(c->flags & SUITE) || has_launch(in); }

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
  snprintf(program, sizeof program, "%s/%s", places.root, places.program);
  if (t->kind != STIM) t->argv[n++] = strdup(program);
  for (char *p = strtok_r(words, " ", &save); p && n < WORDS - 1; p = strtok_r(NULL, " ", &save)) {
    char word[PATH_MAX + 300] = "";
    if (!strcmp(p, "@B")) {
      const char *base = strrchr(t->input->path, '/') + 1;
      snprintf(word, sizeof word, "%s/%s/%s/%.*s", places.root, places.blocks, t->input->folder,
               (int)strcspn(base, "-"), base);
    } else word_of(t, p, word, sizeof word);
    t->argv[n++] = strdup(word);
  }
  t->argv[n] = NULL;
  snprintf(t->line, sizeof t->line, "REGTWIN_TRACES=traces/kernels");
  for (unsigned i = 0; i < n; i++) quote(t->line, sizeof t->line, t->argv[i]);
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
  if (!kinds[t->kind].beside && has_launch(in) && t->kind != STIM) box_copy(dir, home, home);
  else if (t->kind == LAUNCH) {
    snprintf(from, sizeof from, "%.*s", (int)(strrchr(in->path, '/') - in->path), in->path);
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

void trial_fill(const char *dir, struct trial *t) {
  if (t->kind == NAME) place_name(t);
  else place(t);
  arguments(t);
  box_clear(dir);
  surroundings(dir, t);
  if (t->kind == NAME) put_named(dir, t);
  else box_put(dir, t->file, t->data.p, t->data.n);
  if (t->other) put_other(dir, t);
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
      snprintf(runner, sizeof runner, "%s/%s/%.*s", places.blocks, folder, (int)strcspn(slash + 1, "-"), slash + 1);
      if (access(runner, X_OK)) continue;
    }
    if (file_read(path, &b) && b.n <= 1 << 18) add(k, path, folder, b.p, b.n);
  }
  globfree(&g);
  free(b.p);
}

/* The trial by which an input of this kind is made: a command of its kind. */
static struct trial *made(enum kind k, const struct input *in, const struct command *command) {
  static struct trial t;
  for (unsigned i = 0; i < ncommands && !command; i++)
    if (commands[i].kind == k) command = &commands[i];
  t.kind = k;
  t.input = in;
  t.command = command;
  t.damage = "none";
  return &t;
}

/* Runs its command in dir/box as it is; returns the exit status as waitpid has it. */
static int run(const char *dir, const struct trial *t, unsigned seconds) {
  int status;
  waitpid(box_run(dir, t->argv, seconds), &status, 0);
  return status;
}

static void make_database(const char *dir) {
  char path[BOX_PATH];
  struct bytes b = {0};
  const struct input in = {.path = "x", .folder = "convolutionSeparable"};
  struct trial *t = made(DATABASE, &in, NULL);
  trial_fill(dir, t);
  snprintf(path, sizeof path, "%s/box/results.db", dir);
  unlink(path);
  for (unsigned k = 0; k < 2; k++) /* the second time nothing is run: its output is the reference */
    if (run(dir, t, CPU_SECONDS)) die("the experiment that fills a database failed: %s", t->line);
  snprintf(path, sizeof path, "%s/out", dir);
  file_read(path, &same_out);
  snprintf(path, sizeof path, "%s/box/results.db", dir);
  if (!file_read(path, &b)) die("there is no database: %s", path);
  add(DATABASE, "results.db", in.folder, b.p, b.n);
  free(b.p);
}

static void make_journal(const char *dir) {
  char path[BOX_PATH], keep[BOX_PATH];
  struct bytes b = {0};
  const struct input in = {.path = "journal/x", .folder = "reduction"};
  struct trial *t = made(JOURNAL, &in, NULL);
  trial_fill(dir, t);
  snprintf(path, sizeof path, "%s/box/%.*s", dir, (int)sizeof t->file - 1, t->file);
  snprintf(keep, sizeof keep, "%s/journal", dir);
  unlink(keep);
  if (link(path, keep)) die("%s: %s", keep, strerror(errno)); /* the command removes its own name in the end */
  if (run(dir, t, 60) || !file_read(keep, &b)) die("no journal: %s", t->line);
  add(JOURNAL, in.path, in.folder, b.p, b.n);
  free(b.p);
}

static void make_profile(const char *dir) {
  static const struct command make = {PROFILE, 0, "analyze vecadd --reuse --size small --write-profile out/made.reuse"};
  char path[BOX_PATH];
  struct bytes b = {0};
  const struct input in = {.path = "profile/x", .folder = "vecadd"};
  struct trial *t = made(PROFILE, &in, &make);
  trial_fill(dir, t);
  snprintf(path, sizeof path, "%s/box/out/made.reuse", dir);
  if (run(dir, t, CPU_SECONDS) || !file_read(path, &b)) die("no profile: %s", t->line);
  add(PROFILE, in.path, in.folder, b.p, b.n);
  free(b.p);
}

void corpus_gather(const struct corpus_places *from, const char *dir) {
  places = *from;
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
  make_database(dir);
  make_journal(dir);
  make_profile(dir);
  for (enum kind k = 0; k < KINDS; k++) {
    if (!corpus[k].n) printf("no %s is there to be damaged; PTX instead\n", kinds[k].name);
    for (size_t i = 0; i < corpus[k].n; i++)
      if (corpus[k].input[i].path[0] == 0) die("no path");
  }
}

const struct inputs *corpus_of(enum kind k) { return &corpus[k]; }
const struct bytes *corpus_same_output(void) { return &same_out; }

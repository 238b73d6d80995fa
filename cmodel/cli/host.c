/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: regtwin host [OPTION...] [--] PROGRAM ARGUMENT...: becomes a program that uses OpenCL or the CUDA runtime, so that it
 * finds the libraries of build/host (installed: lib/regtwin) instead of a vendor's. The options become the environment variables that
 * these read (host/session/device.h); what is wrong with them is said before the program starts. Exit status: the program's;
 * 2: an option; 126: the program cannot be executed; 127: there is none.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/claim.h"
#include "lab/campaign/plan.h"
#include "cli/cli.h"
#include "host/session/device.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

struct args {
  struct config_args config; /* its system and machine: of the options, else of the environment */
  const char *json, *time, *bounds;
  char **program; /* its name and arguments, up to a NULL */
};

enum { OPT_SMS = 256, OPT_JSON, OPT_TIME, OPT_BOUNDS };
static const struct argp_option options[] = {
    {"config", 'c', "NAME|FILE.conf", 0,
     "machine to simulate, one of 'regtwin list configs'; default: the one that the system names, or gtx980", 0},
    {"system", 's', "NAME|FILE.conf", 0, "architecture, one of 'regtwin list systems'; default: baseline", 0},
    {"set", 'S', "SECTION.KEY=VALUE", 0,
     "give a key of 'regtwin config --explain' a value, after machine and system; may be repeated", 0},
    {"sms", OPT_SMS, "N|all", 0,
     "SMs to simulate, each with its share of L2 and DRAM; all: those of the whole GPU; default: 1", 0},
    {"json", OPT_JSON, "FILE", 0,
     "when the program ends, also by a signal, write a record for each launch and the totals; - is standard output; a "
     "second program, rank or interface writes a file of its own (docs/use/host.md); default: no file",
     0},
    {"time", OPT_TIME, "LIST", 0,
     "launches to time: all, none, or names of kernels and numbers from 0 (3, 3-7, 3-), separated by commas; the "
     "others are executed without timing; default: all",
     0},
    {"bounds", OPT_BOUNDS, "MODE", 0,
     "what an access outside of all buffers is: strict, a fault; lenient, a warning if it is within the device's "
     "memory; default: strict",
     0},
    {0}};

static const char blanks[] = " \t\n\r\f\v"; /* between the settings of REGTWIN_SET */

static void host_add_set(struct config_args *c, const char *set, int arg, struct argp_state *state) {
  config_add_set(c, set, arg, state);
  if (set[strcspn(set, blanks)])
    argp_error(state, "--set: found '%s', expected no blanks: they separate the settings in REGTWIN_SET", set);
}

static void sms_arg(struct config_args *c, const char *arg, struct argp_state *state) {
  c->all_sms = !strcmp(arg, "all");
  if (c->all_sms) return;
  if (c->nmade == MOST_SHORT) argp_error(state, "found more than %d --sms, expected one", MOST_SHORT);
  const uint64_t n = number_arg(state, "--sms", arg, 1, INT32_MAX);
  snprintf(c->made[c->nmade], sizeof c->made[0], "sim.sms=%llu", (unsigned long long)n);
  host_add_set(c, c->made[c->nmade++], number_of_arg(state, arg), state);
}

static error_t host_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case 'c': option_take_once(state, "--config", &a->config.machine, arg); return 0;
    case 's': option_take_once(state, "--system", &a->config.system, arg); return 0;
    case 'S': host_add_set(&a->config, arg, number_of_arg(state, arg), state); return 0;
    case OPT_SMS: sms_arg(&a->config, arg, state); return 0;
    case OPT_JSON: option_take_once(state, "--json", &a->json, arg); return 0;
    case OPT_TIME: option_take_once(state, "--time", &a->time, arg); return 0;
    case OPT_BOUNDS:
      if (strcmp(arg, "strict") && strcmp(arg, "lenient"))
        argp_error(state, "--bounds: found '%s', expected strict or lenient", arg);
      option_take_once(state, "--bounds", &a->bounds, arg);
      return 0;
    case ARGP_KEY_ARG: /* the first word that is no option; the rest is the program's */
      a->program = &state->argv[state->next - 1];
      state->next = state->argc;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "found no program, expected one behind the options: regtwin host [OPTION...] PROGRAM...");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* ---- the environment ---- */

static void environment_put(const char *name, const char *value) {
  if (setenv(name, value, 1)) no_memory(1, strlen(value));
}

static char *text_join(const char *a, const char *between, const char *b) {
  const size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
  char *text = xmalloc(n);
  snprintf(text, n, "%s%s%s", a, between, b);
  return text;
}

/* The program may change its directory before it calls a library. Never freed: it is in use until the program starts. */
static const char *path_absolute(const char *path) {
  char cwd[PATH_MAX];
  return path[0] == '/' || !getcwd(cwd, sizeof cwd) ? path : text_join(cwd, strcmp(cwd, "/") ? "/" : "", path);
}

static bool name_is_path(const char *name) { /* of a machine or a system, as config.h says */
  const size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".conf"));
}

/* A setting whose value is the path of a file, made absolute. */
static const char *absolute_set(const char *set) {
  static const char *const keys[] = {
#define PATH(sec, key, ...) #sec "." #key "=",
#include "gen/systems/keys.def"
      NULL};
  for (const char *const *k = keys; *k; k++) {
    const size_t n = strlen(*k);
    if (!strncmp(set, *k, n) && set[n]) return text_join(*k, "", path_absolute(set + n));
  }
  return set;
}

/* The options with what the environment says where there is none; settings of REGTWIN_SET (cut into words) come first. */
static bool with_environment(const struct config_args *from, char *words, struct config_args *all, struct err *e) {
  const char *machine = getenv("REGTWIN_CONFIG"), *system = getenv("REGTWIN_SYSTEM");
  *all = *from;
  if (!all->machine && machine && machine[0]) all->machine = machine;
  if (!all->system && system && system[0]) all->system = system;
  all->nset = 0;
  for (char *w; (w = strsep(&words, blanks));)
    if (*w && all->nset < MOST_SETS) all->set_arg[all->nset] = 0, all->set[all->nset++] = w;
  if (all->nset + from->nset > MOST_SETS)
    return err_at(e, NULL, 0, 0, "found more than %d settings with those of REGTWIN_SET, expected fewer", MOST_SETS);
  for (unsigned i = 0; i < from->nset; i++)
    all->set_arg[all->nset] = from->set_arg[i], all->set[all->nset++] = from->set[i];
  return true;
}

/* As REGTWIN_SET takes them. NULL and *e: one that it cannot have. */
static char *sets_text(const struct config_args *all, const struct config *c, struct err *e) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  bool ok = f || err_at(e, NULL, 0, 0, "found no memory for the settings");
  for (unsigned i = 0; ok && i < all->nset; i++) {
    const char *set = absolute_set(all->set[i]);
    ok = !set[strcspn(set, blanks)] ||
         err_at(e, NULL, 0, 0, "found '%s', expected no blanks: they separate the settings in REGTWIN_SET", set);
    if (ok) fprintf(f, "%s%s", i ? " " : "", set);
  }
  if (ok && all->all_sms) fprintf(f, "%ssim.sms=%lld", all->nset ? " " : "", (long long)c->sim_sms);
  if (f && fclose(f)) no_memory(1, n);
  if (!ok) free(text), text = NULL;
  return text;
}

/* The libraries tell by it which files of results are of this run (base/claim.h). A program that `regtwin host` has started may start another one
 * by it, whose results are of the same run if they go to the same file. */
static void put_json(const char *json) {
  char now[32];
  if (json) environment_put("REGTWIN_JSON", strcmp(json, "-") ? path_absolute(json) : "-");
  const char *file = getenv("REGTWIN_JSON");
  if (!json && (!file || !file[0] || getenv("REGTWIN_RUN"))) return;
  snprintf(now, sizeof now, "%llu", (unsigned long long)claim_now());
  environment_put("REGTWIN_RUN", now);
}

/* Machine, system and settings are checked here already, for the numbers of their arguments in the message. */
static bool put_settings(const struct args *a, struct err *e) {
  const struct config_args *c = &a->config;
  const char *before = getenv("REGTWIN_SET");
  char *words = text_join(before ? before : "", "", ""), *sets = NULL;
  struct config_args all;
  struct config cfg;
  if (with_environment(c, words, &all, e) && config_from(&all, &cfg, e)) sets = sets_text(&all, &cfg, e);
  free(words);
  if (!sets) return false;
  if (c->machine) environment_put("REGTWIN_CONFIG", name_is_path(c->machine) ? path_absolute(c->machine) : c->machine);
  if (c->system) environment_put("REGTWIN_SYSTEM", name_is_path(c->system) ? path_absolute(c->system) : c->system);
  if (*sets) environment_put("REGTWIN_SET", sets);
  put_json(a->json);
  if (a->time) environment_put("REGTWIN_TIME", a->time);
  if (a->bounds) environment_put("REGTWIN_BOUNDS", a->bounds);
  free(sets);
  return true;
}

/* Opens a session as the libraries will, from the environment alone, so that their message comes now. */
static bool check_settings(struct err *e) {
  struct device_env env;
  struct device *d = device_env_read(&env, e) ? device_open(&env.settings, e) : NULL;
  const bool ok = d;
  device_close(d);
  device_env_free(&env);
  return ok;
}

/* The message names the option where the variable came from one. */
static void say_option(struct err *e, const char *variable, const char *option, const char *given) {
  const size_t n = strlen(variable), m = strlen(option);
  if (!given || strncmp(e->text, variable, n)) return;
  memmove(e->text + m, e->text + n, strlen(e->text + n) + 1); /* the option is shorter */
  memcpy(e->text, option, m);
}

static int complain_of(const struct args *a, struct err *e) {
  say_option(e, "REGTWIN_TIME", "--time", a->time);
  say_option(e, "REGTWIN_JSON", "--json", a->json);
  return err_complain(e);
}

/* ---- the libraries ---- */

/* Beside the program: build/regtwin has build/host, bin/regtwin lib/regtwin with the .icd file below share. */
static bool find_libraries(char *lib, char *icd, size_t size, struct err *e) {
  static const struct {
    unsigned up;
    const char *lib, *icd;
  } places[] = {{1, "host", "host"}, {2, "lib/regtwin", "share/regtwin/opencl"}};
  char exe[PATH_MAX], file[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  exe[n > 0 ? n : 0] = 0;
  unsigned up = 0;
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    for (char *slash; up < places[i].up && (slash = strrchr(exe, '/')); up++) *slash = 0;
    if ((size_t)snprintf(lib, size, "%s/%s", exe, places[i].lib) < size &&
        (size_t)snprintf(icd, size, "%s/%s", exe, places[i].icd) < size &&
        (size_t)snprintf(file, sizeof file, "%s/regtwin.icd", icd) < sizeof file && !access(file, R_OK))
      return !strchr(lib, ':') ||
             err_at(e, lib, 0, 0, "found a ':' in the libraries' path, expected none: LD_LIBRARY_PATH cannot have it");
  }
  return err_at(e, NULL, 0, 0,
                "found no libraries for host programs beside this program, expected host/regtwin.icd (make host) or "
                "../share/regtwin/opencl/regtwin.icd (make install)");
}

static void put_libraries(const char *lib, const char *icd) {
  const char *before = getenv("LD_LIBRARY_PATH");
  char *path = text_join(lib, before && before[0] ? ":" : "", before ? before : "");
  environment_put("LD_LIBRARY_PATH", path);
  environment_put("OCL_ICD_VENDORS", icd); /* a directory: OpenCL loaders take every .icd file in it */
  free(path);
}

/* So that a program has its addresses from run to run, and leaves those of the device free (device_settings.mapped). */
static void fixed_addresses(void) {
  const int now = personality(0xffffffff);
  if (now == -1 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1)
    note(
        "address randomisation stays on (%s): device memory may not be at host addresses, which managed and mapped "
        "memory need",
        strerror(errno));
}

static int program_become(char **program) {
  fflush(NULL);
  signals_restore();
  execvp(program[0], program);
  const int why = errno;
  note("%s: error: found no program that can be executed: %s", program[0], strerror(why));
  return why == ENOENT || why == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int cmd_host(int argc, char **argv) {
  static const struct argp argp = {
      options,
      host_parse,
      "[--] PROGRAM [ARGUMENT...]",
      "Runs a program that uses OpenCL or the CUDA runtime, unchanged: its kernels run on the simulated GPU.\vThe exit "
      "status is the program's. Options become environment variables (REGTWIN_CONFIG, REGTWIN_SYSTEM, REGTWIN_SET, "
      "REGTWIN_JSON, REGTWIN_TIME, REGTWIN_BOUNDS), which hold where no option is given; see docs/use/host.md.",
      NULL,
      NULL,
      NULL};
  struct args a = {0};
  struct err e = {0};
  char lib[PATH_MAX], icd[PATH_MAX];
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER | COMMAND_FIRST, &a)) return EXIT_INPUT;
  if (!put_settings(&a, &e) || !check_settings(&e) || !find_libraries(lib, icd, sizeof lib, &e))
    return complain_of(&a, &e);
  put_libraries(lib, icd);
  fixed_addresses();
  return program_become(a.program);
}

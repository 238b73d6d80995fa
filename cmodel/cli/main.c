/* SPDX-License-Identifier: Apache-2.0 */
/* main: picks the subcommand; each has its own options (regtwin COMMAND --help). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_env.h"
#include "base/show.h"
#include "base/similar.h"
#include "cli/cli.h"

static const struct command {
  const char *name;
  int (*run)(int, char **);
} commands[] = {{"run", cmd_run},
                {"resume", cmd_resume},
                {"host", cmd_host},
                {"list", cmd_list},
                {"config", cmd_config},
                {"analyze", cmd_analyze},
                {"bench", cmd_bench},
                {"characterize", cmd_characterize},
                {"quality", cmd_quality},
                {"tune", cmd_tune},
                {"compare", cmd_compare},
                {"experiment", cmd_experiment},
                {"bottleneck", cmd_bottleneck},
                {"map", cmd_map},
                {"cost", cmd_cost},
                {"combine", cmd_combine},
                {"sweep", cmd_sweep},
                {"results", cmd_results},
                {"trace", cmd_trace}};
static const char names[] =
    ", expected run, resume, host, list, config, analyze, bench, characterize, quality, tune, compare, experiment, "
    "bottleneck, "
    "map, cost, combine, sweep, results or trace";
enum { COMMANDS = sizeof commands / sizeof commands[0] };

struct pick {
  int at;
  const struct command *command;
};

/* One screen of 24 lines and 80 columns (tests/cli/help.sh), by what the program is used for. */
static const char screen[] =
    "Usage: regtwin COMMAND [ARGUMENT...]     (regtwin COMMAND --help: its options)\n"
    "GPU register-file architectures, from PTX to cycles, in C and in Verilog.\n"
    "Simulation of the whole system, in C alone\n"
    "  run, resume       execute and time kernels; continue a run that was killed\n"
    "  host              run a program that uses OpenCL or CUDA, unchanged\n"
    "  compare           kernels on several systems: what each gives and costs\n"
    "  experiment        figures of a paper, measured here, beside its numbers\n"
    "  bottleneck, map   what holds kernels back; where a system would gain\n"
    "  combine           which parts of two systems run together\n"
    "  sweep, results    all runs of a plan; show what a database has of them\n"
    "  characterize, analyze   what kernels are like; their code and registers\n"
    "  quality, tune     how far results differ; the narrowest float formats\n"
    "  trace, bench      record and convert instruction streams; our own speed\n"
    "Estimates of area, time and energy\n"
    "  cost              transistors, area, longest path and energies of a system\n"
    "Lockstep of C models and Verilog (list blocks: what was recorded of each)\n"
    "  make cosim        each block alone, with its test bench\n"
    "  make regtwin-cosim; regtwin-cosim run KERNEL   all blocks, in the whole SM\n"
    "Waveforms of both: make cosim BLOCK=slice/vc WAVES=1; make wave BLOCK=slice/vc\n"
    "Names, keys and words (docs/start/glossary.md explains the words)\n"
    "  list              systems, kernels, machines, statistics: what each is\n"
    "  config            keys of a configuration: unit, default, range, source\n"
    "Options: --help, --usage, --version\n";

enum { OPT_USAGE = 256 };
static const struct argp_option options[] = {
    {"help", '?', NULL, 0, "", 0}, {"usage", OPT_USAGE, NULL, 0, "", 0}, {"version", 'V', NULL, 0, "", 0}, {0}};

static error_t main_parse(int key, char *arg, struct argp_state *state) {
  struct pick *p = state->input;
  char near[400];
  switch (key) {
    case '?': fputs(screen, stdout); exit(0);
    case 'V': printf("regtwin %s\n", RT_VERSION); exit(0);
    case OPT_USAGE: argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK); return 0;
    case ARGP_KEY_ARG:
      for (unsigned i = 0; i < COMMANDS; i++)
        if (!strcmp(arg, commands[i].name)) p->command = &commands[i];
      similar_among(arg, &commands[0].name, sizeof *commands, COMMANDS, names, near, sizeof near);
      if (!p->command) argp_error(state, "found unknown command '%s'%s", arg, near);
      p->at = state->next - 1;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "found no command%s", names); return 0;
    default: return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
  }
}

static void main_print_version(FILE *f, struct argp_state *state) {
  (void)state;
  fprintf(f, "regtwin %s\n", RT_VERSION);
}

int main(int argc, char **argv) {
  static const struct argp top = {.options = options, .parser = main_parse, .args_doc = "COMMAND [ARGUMENT...]"};
  struct pick p = {0};
  host_env_enter(); /* libraries that were built with -ffast-math change the floating-point unit when they are loaded */
  show_guard();
  signals_set();
  json_set_alloc_funcs(xmalloc, free);                    /* exhausted memory ends the program, with a message */
  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) /* getopt's own message would print it as it is */
    if (argv[i][0] == '-' && strcmp(SHOWN(argv[i]), argv[i])) {
      note("found '%s', expected an option without controls", argv[i]);
      return EXIT_INPUT;
    }
  argp_program_version_hook = main_print_version;
  argp_err_exit_status = EXIT_INPUT;
  if (command_parse(&top, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP | COMMAND_FIRST, &p)) return EXIT_INPUT;
  char name[64];
  snprintf(name, sizeof name, "regtwin %s", p.command->name);
  argv[p.at] = name;
  return p.command->run(argc - p.at, argv + p.at);
}

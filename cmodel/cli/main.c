/* SPDX-License-Identifier: Apache-2.0 */
/* main: picks the subcommand; each has its own options (regtwin COMMAND --help). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_env.h"
#include "base/show.h"
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
    "run, resume, host, list, config, analyze, bench, characterize, quality, tune, compare, experiment, bottleneck, "
    "map, cost, combine, sweep, results or trace";
enum { COMMANDS = sizeof commands / sizeof commands[0] };

struct pick {
  int at;
  const struct command *command;
};

static error_t main_parse(int key, char *arg, struct argp_state *state) {
  struct pick *p = state->input;
  if (key == ARGP_KEY_ARG) {
    for (unsigned i = 0; i < COMMANDS; i++)
      if (!strcmp(arg, commands[i].name)) p->command = &commands[i];
    if (!p->command) argp_error(state, "found unknown command '%s', expected %s", arg, names);
    p->at = state->next - 1;
    state->next = state->argc;
    return 0;
  }
  if (key == ARGP_KEY_NO_ARGS) argp_error(state, "found no command, expected %s", names);
  return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static void main_print_version(FILE *f, struct argp_state *state) {
  (void)state;
  fprintf(f, "regtwin %s\n", RT_VERSION);
}

int main(int argc, char **argv) {
  static const struct argp top = {
      .parser = main_parse,
      .args_doc = "COMMAND [ARGUMENT...]",
      .doc =
          "RegTwin: GPU register-file architectures, from PTX to cycles.\vCommands (each has --help):\n"
          "  run NAME|FILE.launch...   execute and time kernels on one SM, several or all\n"
          "  resume FILE               continue a run from its checkpoint\n"
          "  host PROGRAM ARGUMENT...  run a program that uses OpenCL or the CUDA runtime, unchanged\n"
          "  list kernels|systems|configs|measures|experiments   the names that commands take\n"
          "  config                    explain keys, or print a whole configuration\n"
          "  analyze NAME|FILE.ptx     registers, liveness, control-flow graph\n"
          "  bench                     speed and memory of the simulator itself\n"
          "  characterize NAME...|all  measure kernels, beside the papers' numbers\n"
          "  quality REFERENCE OTHER   compare the results of two runs\n"
          "  tune KERNEL...            find the narrowest float formats that keep a quality\n"
          "  compare KERNEL,... --systems A,B,...   kernels on several systems, side by side\n"
          "  experiment ID...|PAPER    figures of a paper, beside its own numbers\n"
          "  bottleneck KERNEL...      how busy each resource is, and what relaxing it would give\n"
          "  map KERNEL... --x KEY=A,B --y KEY=A,B --system S   the gain of a system over a grid of two keys\n"
          "  cost SYSTEM               transistors, area and paths of what an SM has for its registers\n"
          "  combine [A B]             which choices of two slots run together, and with which settings\n"
          "  sweep PLAN.yaml --db FILE   execute all runs of a plan, here or with Slurm, and store the results\n"
          "  results list|show|diff|csv|html   show stored results: lists, comparisons, CSV, a report\n"
          "  trace record|info|dump|import|export   record, show and convert instruction streams, also Accel-Sim's"};
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
  if (argp_parse(&top, argc, argv, ARGP_IN_ORDER, NULL, &p)) return EXIT_INPUT;
  char name[64];
  snprintf(name, sizeof name, "regtwin %s", p.command->name);
  argv[p.at] = name;
  return p.command->run(argc - p.at, argv + p.at);
}

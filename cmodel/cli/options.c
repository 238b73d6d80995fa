/* SPDX-License-Identifier: Apache-2.0 */
/* options: --config, --system and --set, shared by subcommands. */
#include "cli/cli.h"

#include <string.h>

static const struct argp_option options[] = {
    {"config", 'c', "NAME|FILE.conf", 0, "the machine (regtwin list configs); default gtx980", 1},
    {"system", 's', "NAME|FILE.conf", 0,
     "the preset of the five slots (regtwin list systems); default baseline", 1},
    {"set", 'S', "SECTION.KEY=VALUE", 0, "change one key (regtwin config --explain); may be repeated", 1},
    {0}};

/* On the whole command line, which has one word more: argv[0] here is "regtwin COMMAND". Needs ARGP_IN_ORDER. */
static int number_of(const struct argp_state *state, const char *arg) {
  for (int i = 1; i < state->argc; i++)
    if (arg >= state->argv[i] && arg <= state->argv[i] + strlen(state->argv[i])) return i + 1;
  return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  switch (key) {
    case 'c':
      if (a->machine) argp_error(state, "found --config a second time, expected it once");
      a->machine = arg;
      return 0;
    case 's':
      if (a->system) argp_error(state, "found --system a second time, expected it once");
      a->system = arg;
      return 0;
    case 'S':
      if (a->nset == MOST_SETS) argp_error(state, "found more than %d --set, expected fewer", MOST_SETS);
      a->set_arg[a->nset] = number_of(state, arg);
      a->set[a->nset++] = arg;
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

const struct argp config_argp = {.options = options, .parser = parse};

bool config_from(const struct config_args *a, struct config *c, struct err *e) {
  config_defaults(c);
  if (!config_machine(c, a->machine ? a->machine : "gtx980", e)) return false;
  if (!config_system(c, a->system ? a->system : "baseline", e)) return false;
  for (unsigned i = 0; i < a->nset; i++)
    if (!config_set(c, a->set[i], a->set_arg[i], e)) return false;
  return config_check(c, e);
}

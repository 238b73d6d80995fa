/* SPDX-License-Identifier: Apache-2.0 */
/* options: --config, --system and --set, shared by subcommands. */
#include "cli/cli.h"

#include <string.h>

static const struct argp_option of_machine[] = {
    {"config", 'c', "NAME|FILE.conf", 0,
     "the machine (regtwin list configs); default the one that the system's file names, or gtx980", 1},
    {"set", 'S', "SECTION.KEY=VALUE", 0, "change one key (regtwin config --explain); may be repeated", 1},
    {0}};
static const struct argp_option of_system[] = {
    {"system", 's', "NAME|FILE.conf", 0, "the preset of the five slots (regtwin list systems); default baseline", 1},
    {0}};

/* On the whole command line, which has one word more: argv[0] here is "regtwin COMMAND". Needs ARGP_IN_ORDER.
 */
int number_of_arg(const struct argp_state *state, const char *arg) {
  for (int i = 1; i < state->argc; i++)
    if (arg >= state->argv[i] && arg <= state->argv[i] + strlen(state->argv[i])) return i + 1;
  return 0;
}

static error_t parse_machine(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  switch (key) {
    case 'c':
      if (a->machine) argp_error(state, "found --config a second time, expected it once");
      a->machine = arg;
      return 0;
    case 'S':
      if (a->nset == MOST_SETS) argp_error(state, "found more than %d --set, expected fewer", MOST_SETS);
      a->set_arg[a->nset] = number_of_arg(state, arg);
      a->set[a->nset++] = arg;
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_system(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  if (key == ARGP_KEY_INIT) {
    state->child_inputs[0] = a;
    return 0;
  }
  if (key != 's') return ARGP_ERR_UNKNOWN;
  if (a->system) argp_error(state, "found --system a second time, expected it once");
  a->system = arg;
  return 0;
}

const struct argp machine_argp = {.options = of_machine, .parser = parse_machine};
static const struct argp_child machine_child[] = {{&machine_argp, 0, NULL, 1}, {0}};
const struct argp config_argp = {.options = of_system, .parser = parse_system, .children = machine_child};

struct settings config_settings(const struct config_args *a) {
  return (struct settings){.machine = a->machine, .set = a->set, .set_arg = a->set_arg, .nset = a->nset};
}

bool config_from(const struct config_args *a, struct config *c, struct err *e) {
  struct settings s = config_settings(a);
  return settings_apply(&s, a->system ? a->system : "baseline", "", c, e);
}

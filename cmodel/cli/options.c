/* SPDX-License-Identifier: Apache-2.0 */
/* options: --config, --system, --set and what is short for one, shared by subcommands. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "lab/run/run.h"

enum { OPT_SMS = 1000, OPT_WATCH, OPT_THREADS, OPT_ROI, OPT_CYCLES, OPT_CTAS, OPT_PARTIAL };
static const struct argp_option of_machine[] = {
    {"config", 'c', "NAME|FILE.conf", 0,
     "machine to simulate, one of 'regtwin list configs'; default: the one that the system names, or gtx980", 1},
    {"set", 'S', "SECTION.KEY=VALUE", 0,
     "give a key of 'regtwin config --explain' a value, after machine and system; x1.5 multiplies a number by 1.5; may "
     "be repeated",
     1},
    {0}};
static const struct argp_option of_run[] = {
    {"sms", OPT_SMS, "N|all", 0,
     "SMs to simulate, each with its share of L2 and DRAM; all: those of the whole GPU; default: 1 (key sim.sms)", 1},
    {"watch-sm", OPT_WATCH, "N", 0,
     "SM, from 0, that timelines, characterize and lockstep show; default: 0 (key sim.watch_sm)", 1},
    {"threads", OPT_THREADS, "N", 0,
     "host threads for a run of several SMs, which change no result; default: the processors that are free", 1},
    {"roi", OPT_ROI, "FROM..TO", 0,
     "launches to time, by number from 0 or by kernel name; the others are executed without timing, and the result is "
     "marked partial; default: all (key sim.roi)",
     1},
    {"max-cycles", OPT_CYCLES, "N", 0,
     "stop after N cycles of all launches together, and mark the result partial; default: no limit (key "
     "sim.stop_cycles)",
     1},
    {"max-ctas", OPT_CTAS, "N", 0,
     "stop when N CTAs have ended, and mark the result partial; default: no limit (key sim.stop_ctas)", 1},
    {"partial", OPT_PARTIAL, NULL, 0,
     "run the complete CTAs of a trace that breaks off, and mark the result partial; without it such a trace is "
     "refused (key sim.partial)",
     1},
    {0}};
static const struct argp_option of_system[] = {
    {"system", 's', "NAME|FILE.conf", 0, "architecture, one of 'regtwin list systems'; default: baseline", 1}, {0}};

/* On the whole command line, which has one word more: argv[0] here is "regtwin COMMAND". Needs ARGP_IN_ORDER.
 */
int number_of_arg(const struct argp_state *state, const char *arg) {
  for (int i = 1; i < state->argc; i++)
    if (arg >= state->argv[i] && arg <= state->argv[i] + strlen(state->argv[i])) return i + 1;
  return 0;
}

void config_add_set(struct config_args *a, const char *set, int arg, struct argp_state *state) {
  if (a->nset == MOST_SETS) argp_error(state, "found more than %d --set, expected fewer", MOST_SETS);
  a->set_arg[a->nset] = arg;
  a->set[a->nset++] = set;
}

/* An option that is short for a --set. */
static error_t short_for(struct config_args *a, const char *option, const char *key, const char *arg,
                         struct argp_state *state) {
  if (a->nmade == MOST_SHORT) argp_error(state, "found more than %d options as %s, expected fewer", MOST_SHORT, option);
  char *to = a->made[a->nmade++];
  if ((size_t)snprintf(to, sizeof a->made[0], "%s=%s", key, arg) >= sizeof a->made[0])
    argp_error(state, "%s: found a text of %zu bytes, expected fewer", option, strlen(arg));
  config_add_set(a, to, number_of_arg(state, arg), state);
  return 0;
}

static error_t parse_machine(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  switch (key) {
    case 'c': option_take_once(state, "--config", &a->machine, arg); return 0;
    case 'S': config_add_set(a, arg, number_of_arg(state, arg), state); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_run(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  switch (key) {
    case OPT_SMS:
      a->all_sms = !strcmp(arg, "all");
      return a->all_sms ? 0 : short_for(a, "--sms", "sim.sms", arg, state);
    case OPT_WATCH: return short_for(a, "--watch-sm", "sim.watch_sm", arg, state);
    case OPT_THREADS: a->threads = (unsigned)number_arg(state, "--threads", arg, 1, GPU_THREADS); return 0;
    case OPT_ROI: return short_for(a, "--roi", "sim.roi", arg, state);
    case OPT_CYCLES: return short_for(a, "--max-cycles", "sim.stop_cycles", arg, state);
    case OPT_PARTIAL: config_add_set(a, "sim.partial=true", 0, state); return 0;
    case OPT_CTAS: return short_for(a, "--max-ctas", "sim.stop_ctas", arg, state);
    default: return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_system(int key, char *arg, struct argp_state *state) {
  struct config_args *a = state->input;
  if (key != 's') return ARGP_ERR_UNKNOWN;
  option_take_once(state, "--system", &a->system, arg);
  return 0;
}

/* At the beginning each child gets the struct that its parent fills. Else the parent's own parser goes on. */
typedef error_t own_parser(int key, char *arg, struct argp_state *state);
static error_t parse_family(own_parser *own, unsigned children, int key, char *arg, struct argp_state *state) {
  if (key != ARGP_KEY_INIT) return own(key, arg, state);
  for (unsigned i = 0; i < children; i++) state->child_inputs[i] = state->input;
  return 0;
}
static error_t parse_machine_family(int key, char *arg, struct argp_state *state) {
  return parse_family(parse_machine, 1, key, arg, state);
}
static error_t parse_plain_family(int key, char *arg, struct argp_state *state) {
  return parse_family(parse_system, 1, key, arg, state);
}
static error_t parse_config_family(int key, char *arg, struct argp_state *state) {
  return parse_family(parse_system, 2, key, arg, state);
}

static const struct argp of_machine_argp = {.options = of_machine, .parser = parse_machine};
static const struct argp of_run_argp = {.options = of_run, .parser = parse_run};
#define EXTENT \
  { &of_run_argp, 0, "Extent of the run:", 2 }
static const struct argp_child machine_child[] = {EXTENT, {0}};
static const struct argp_child plain_child[] = {{&of_machine_argp, 0, NULL, 1}, {0}};
static const struct argp_child config_child[] = {{&of_machine_argp, 0, NULL, 1}, EXTENT, {0}};
const struct argp machine_argp = {.options = of_machine, .parser = parse_machine_family, .children = machine_child};
const struct argp plain_argp = {.options = of_system, .parser = parse_plain_family, .children = plain_child};
const struct argp config_argp = {.options = of_system, .parser = parse_config_family, .children = config_child};
const struct argp_child config_children[] = {{&config_argp, 0, "Configuration:", 1}, {0}};
const struct argp_child machine_children[] = {{&machine_argp, 0, "Configuration:", 1}, {0}};
const struct argp_child bare_children[] = {{&of_machine_argp, 0, "Configuration:", 1}, {0}};
const struct argp_child plain_children[] = {{&plain_argp, 0, "Configuration:", 1}, {0}};

struct settings config_settings(const struct config_args *a) {
  return (struct settings){.machine = a->machine,
                           .set = a->set,
                           .set_arg = a->set_arg,
                           .nset = a->nset,
                           .all_sms = a->all_sms,
                           .threads = a->threads};
}

bool config_from(const struct config_args *a, struct config *c, struct err *e) {
  struct settings s = config_settings(a);
  return settings_apply(&s, a->system ? a->system : "baseline", "", c, e);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* config: regtwin config --explain [KEY] | --dump [--config NAME] [--system NAME] [--set ...]. */
#include <stdlib.h>

#include "cli/cli.h"
#include "config/keys.h"

struct args {
  struct config_args config;
  bool explain, dump;
  const char *key;
};

enum { OPT_EXPLAIN = 256, OPT_DUMP };
static const struct argp_option options[] = {
    {"explain", OPT_EXPLAIN, NULL, 0,
     "explain KEY, a section or section.key, or all keys: unit, default, range and source; with --config, --system or "
     "--set also its value there and the line that sets it",
     0},
    {"dump", OPT_DUMP, NULL, 0, "print the whole configuration, as a file that --config reads", 0},
    {0}};

static error_t config_parse_option(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_EXPLAIN: a->explain = true; return 0;
    case OPT_DUMP: a->dump = true; return 0;
    case ARGP_KEY_ARG:
      if (a->key) argp_error(state, "found a second key '%s', expected one", arg);
      a->key = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->explain == a->dump) argp_error(state, "expected either --explain or --dump");
      if (a->dump && a->key) argp_error(state, "found '%s', expected no argument with --dump", a->key);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

/* With a machine, a system or --set: also the values there. */
static int keys_explain(const struct args *a) {
  const bool here = a->config.machine || a->config.system || a->config.nset;
  struct config c;
  struct err e = {0};
  struct config_origin *o = here ? xcalloc(config_nkeys, sizeof *o) : NULL;
  config_trace(o);
  bool ok = !here || config_from(&a->config, &c, &e);
  config_trace(NULL);
  if (ok) config_explain(a->key, here ? &c : NULL, o, stdout);
  free(o);
  return ok ? 0 : err_complain(&e);
}

int cmd_config(int argc, char **argv) {
  static const struct argp argp = {
      options, config_parse_option, "[KEY]", "Explains keys, or prints a whole configuration.", plain_children, NULL,
      NULL};
  struct args a = {0};
  struct config c;
  struct err e = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.explain) {
    if (a.key && !config_known(a.key)) {
      char near[KEY_NEAR];
      err_at(&e, NULL, 0, 0, "found unknown key '%.60s'%s", a.key, key_suggest_any(a.key, near, sizeof near));
      return err_complain(&e);
    }
    return keys_explain(&a);
  }
  if (!config_from(&a.config, &c, &e)) return err_complain(&e);
  config_dump(&c, stdout);
  return 0;
}

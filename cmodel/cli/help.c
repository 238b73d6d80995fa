/* SPDX-License-Identifier: Apache-2.0 */
/* help: argp_parse for the commands: help texts as wide as the terminal, and similar options for an unknown one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/similar.h"
#include "base/text.h"
#include "cli/cli.h"

/* Options that argp itself adds to every command. */
static const struct argp_option own_options[] = {{"help", '?', NULL, 0, NULL, 0},
                                                 {"usage", -3, NULL, 0, NULL, 0},
                                                 {"version", 'V', NULL, 0, NULL, 0},
                                                 {"program-name", -2, "NAME", 0, NULL, 0},
                                                 {"HANG", -4, "SECONDS", OPTION_ARG_OPTIONAL, NULL, 0},
                                                 {0}};

/* Calls `take` with each option of a command and of its children until it returns true. */
typedef bool option_take(void *ctx, const struct argp_option *o);
static bool options_each(const struct argp *a, option_take *take, void *ctx) {
  for (const struct argp_option *o = a->options; o && (o->name || o->key || o->doc || o->group); o++)
    if (o->name || o->key)
      if (take(ctx, o)) return true;
  for (const struct argp_child *c = a->children; c && c->argp; c++)
    if (options_each(c->argp, take, ctx)) return true;
  return false;
}
static bool options_all(const struct argp *a, option_take *take, void *ctx) {
  static const struct argp own = {.options = own_options};
  return options_each(a, take, ctx) || options_each(&own, take, ctx);
}

struct wanted { /* an option as it was typed; found: the last one that it can mean */
  const char *name;
  size_t n; /* without =VALUE */
  char key;
  const struct argp_option *found;
  struct similar *near;
};
static bool wanted_take_long(void *ctx, const struct argp_option *o) {
  struct wanted *w = ctx;
  if (!o->name || strncmp(o->name, w->name, w->n) != 0) return false;
  w->found = o;
  return !o->name[w->n];
}
static bool wanted_take_short(void *ctx, const struct argp_option *o) {
  struct wanted *w = ctx;
  if (o->key == w->key) w->found = o;
  return w->found;
}
static bool wanted_compare(void *ctx, const struct argp_option *o) {
  struct wanted *w = ctx;
  char name[SIMILAR_NAME];
  if (!o->name || o->flags & OPTION_HIDDEN || o->key == -2 || o->key == -4) return false;
  snprintf(name, sizeof name, "--%s", o->name);
  similar_offer_at(w->near, name, similar_distance(w->near->text, o->name));
  return false;
}

static bool option_has_arg(const struct argp_option *o) { return o->arg && !(o->flags & OPTION_ARG_OPTIONAL); }

/* Which of the words after argv[i] the option argv[i] takes as its argument: 0 or 1. An unknown long option ends the program. */
static int option_skip(const struct argp *a, char **argv, int i) {
  struct wanted w = {0};
  if (argv[i][1] != '-') { /* -abc, -cVALUE */
    for (const char *p = argv[i] + 1; *p; p++) {
      w = (struct wanted){.key = *p};
      options_all(a, wanted_take_short, &w);
      if (w.found && option_has_arg(w.found)) return !p[1];
    }
    return 0;
  }
  w.name = argv[i] + 2;
  w.n = strcspn(w.name, "=");
  options_all(a, wanted_take_long, &w);
  if (w.found) return !w.name[w.n] && option_has_arg(w.found);
  struct similar near;
  char typed[SIMILAR_NAME], text[400], otherwise[120];
  snprintf(typed, sizeof typed, "%.*s", (int)(w.n < sizeof typed ? w.n : sizeof typed - 1), w.name);
  similar_begin(&near, typed);
  w.near = &near;
  options_all(a, wanted_compare, &w);
  snprintf(otherwise, sizeof otherwise, ", expected one of '%.80s --help'", path_name(argv[0]));
  fprintf(stderr, "%s: found unknown option '--%s'%s\n", path_name(argv[0]), SHOWN(typed),
          similar_ask_or(&near, otherwise, text, sizeof text));
  exit(EXIT_INPUT);
}

error_t command_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input) {
  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
    if (argv[i][0] == '-' && argv[i][1]) i += option_skip(argp, argv, i);
    else if (flags & COMMAND_FIRST) break;
  }
  /* Only argp's environment variable says where help texts begin and end. The user's own goes first. */
  const bool ours = !getenv("ARGP_HELP_FMT");
  char format[80];
  snprintf(format, sizeof format, "rmargin=%u,opt-doc-col=32,no-dup-args-note", show_width() - 1);
  if (ours) setenv("ARGP_HELP_FMT", format, 1);
  const error_t status = argp_parse(argp, argc, argv, flags & ~(unsigned)COMMAND_FIRST, NULL, input);
  if (ours) unsetenv("ARGP_HELP_FMT");
  return status;
}

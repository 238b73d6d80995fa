/* SPDX-License-Identifier: Apache-2.0 */
/* cost: regtwin cost SYSTEM [--config M] [--node N]: what a configuration has for its registers, and what that costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cost_table.h"
#include "cli/list.h"
#include "cost/papers.h"
#include "lab/report/json.h"

enum { MOST_SYSTEMS = 64 };
struct args {
  struct config_args config;               /* its system is not used */
  const char *system[MOST_SYSTEMS], *json; /* "NAME:section.key=value:..." */
  int system_arg[MOST_SYSTEMS];
  unsigned n;
  uint32_t node;
  bool papers, memories, brief;
};
enum { OPT_NODE = 256, OPT_JSON, OPT_PAPERS, OPT_MEMORIES, OPT_BRIEF };
static const struct argp_option options[] = {
    {"node", OPT_NODE, "NM", 0, "technology in nm: 45, 40, 32 or 28; default: 45", 0},
    {"json", OPT_JSON, "FILE", 0, "also write the figures as JSON; - writes them to standard output, without the table",
     0},
    {"brief", OPT_BRIEF, NULL, 0, "print the line that each of several systems has, for one, too", 0},
    {"papers", OPT_PAPERS, NULL, 0,
     "without SYSTEM: the papers' overheads beside what was built, as tab-separated values", 0},
    {"memories", OPT_MEMORIES, NULL, 0,
     "without SYSTEM: how far the model of memories is from the points of CACTI that it was fitted to", 0},
    {0}};

static error_t cost_parse(int key, char *arg, struct argp_state *state) {
  struct args *a = state->input;
  switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->config; return 0;
    case OPT_NODE: a->node = (uint32_t)number_arg(state, "--node", arg, 1, 1000); return 0;
    case OPT_JSON: a->json = arg; return 0;
    case OPT_PAPERS: a->papers = true; return 0;
    case OPT_MEMORIES: a->memories = true; return 0;
    case OPT_BRIEF: a->brief = true; return 0;
    case ARGP_KEY_ARG:
      if (a->n == MOST_SYSTEMS) argp_error(state, "found more than %d systems, expected fewer", MOST_SYSTEMS);
      a->system_arg[a->n] = number_of_arg(state, arg);
      a->system[a->n++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (a->papers + a->memories + (a->n > 0) != 1)
        argp_error(state, "expected one of SYSTEM ('regtwin list systems'), --papers and --memories");
      if ((a->papers || a->memories) && (a->json || a->brief || a->node || a->config.machine || a->config.nset))
        argp_error(state, "found an option beside --papers or --memories, expected none: they have no configuration");
      if (!a->node) a->node = COST_NODE;
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static json_t *range_json(struct range r) {
  json_t *o = json_array();
  json_array_append_new(o, json_real(r.low));
  json_array_append_new(o, json_real(r.high));
  return o;
}
static json_t *part_json(const struct part *p) {
  static const char *const kind[] = {"logic", "sram", "small memory", "register file", "L1 and shared memory"};
  json_t *o = json_object();
  if (p->name[0]) json_put(o, "name", json_text(p->name));
  if (p->name[0]) json_put(o, "kind", json_text(kind[p->kind]));
  if (p->n) json_put(o, "instances", json_whole(p->n));
  json_put(o, "earlier_verilog", json_boolean(p->earlier));
  json_put(o, "flip_flops", json_whole(p->flip_flops));
  json_put(o, "memory_bits", json_whole(p->memory_bits));
  json_put(o, "transistors", json_whole(p->transistors));
  json_put(o, "mm2", range_json(p->mm2));
  if (p->ns.high > 0) json_put(o, "ns", range_json(p->ns));
  if (p->event) {
    json_put(o, "clock_pj", range_json(p->clock_pj));
    json_put(o, "event", json_text(p->event));
    json_put(o, "event_pj", range_json(p->event_pj));
    json_put(o, "energy_earlier_verilog", json_boolean(p->energy_earlier));
  }
  if (p->read_pj > 0) json_put(o, "read_pj", json_real(p->read_pj));
  if (p->write_pj > 0) json_put(o, "write_pj", json_real(p->write_pj));
  if (p->leakage_mw > 0) json_put(o, "leakage_mw", json_real(p->leakage_mw));
  return o;
}
static json_t *cost_json(const struct priced *p) {
  const struct system_cost *s = &p->s;
  const struct config *c = &p->c;
  json_t *o = json_object(), *parts = json_array();
  for (unsigned i = 0; i < s->n; i++) json_array_append_new(parts, part_json(&s->part[i]));
  json_put(o, "regtwin", json_text(RT_VERSION));
  json_put(o, "system", json_text(p->label));
  json_put(o, "config", json_text(c->machine));
  json_put(o, "node_nm", json_whole(s->node));
  json_put(o, "parts", parts);
  json_put(o, "missing", s->missing ? json_text(s->missing) : json_null());
  json_put(o, "unpriced", s->unpriced ? json_text(s->unpriced) : json_null());
  json_put(o, "blocks", cost_blocks_known(s) ? part_json(&s->blocks) : json_null());
  json_put(o, "register_file", part_json(&s->file));
  json_put(o, "total", part_json(&s->total));
  return o;
}

/* The configuration of the same machine without the system; what belongs to the system is not that one's. */
static bool cost_config_without(const struct config_args *with, const struct config *c, struct config *out,
                                struct err *e) {
  const char *section;
  struct config_args bare = *with;
  bare.system = system_without(c, &section);
  bare.nset = 0;
  for (unsigned i = 0; i < with->nset; i++) {
    const char *set = with->set[i];
    if (!strncmp(set, "slot.", 5) || !strncmp(set, "compile.", 8) ||
        (section && !strncmp(set, section, strlen(section))))
      continue;
    bare.set[bare.nset] = set;
    bare.set_arg[bare.nset++] = with->set_arg[i];
  }
  return config_from(&bare, out, e);
}

/* Sets the system of `with`, and before its --set those that the name carries; buf has their texts. */
static bool cost_take_name(const char *name, int arg, struct config_args *with, char buf[1024], struct err *e) {
  unsigned n = 0;
  const char *own[MOST_SETS];
  if ((size_t)snprintf(buf, 1024, "%s", name) >= 1024)
    return err_at(e, NULL, 0, 0, "found a system's name of more than 1023 characters, expected a shorter one");
  for (char *at = strchr(buf, ':'); at; at = strchr(at + 1, ':')) {
    *at = 0;
    if (n + with->nset == MOST_SETS)
      return err_at(e, NULL, 0, 0, "found more than %d settings, expected fewer", MOST_SETS);
    own[n++] = at + 1;
  }
  memmove(with->set + n, with->set, with->nset * sizeof *with->set);
  memmove(with->set_arg + n, with->set_arg, with->nset * sizeof *with->set_arg);
  for (unsigned i = 0; i < n; i++) with->set[i] = own[i], with->set_arg[i] = arg;
  with->nset += n;
  with->system = buf;
  return true;
}

/* False and *e: the name is that of a block and of no system. */
static bool cost_refuse_block(const char *name, struct err *e) {
  const char *block = block_full_name(name);
  struct config c;
  struct err unused = {0};
  if (!block || access(name, F_OK) == 0 || config_load(&c, NULL, name, &unused)) return true;
  return err_at(e, NULL, 0, 0,
                "found '%s', a block, expected a system ('regtwin list systems'): the cost of a block alone is that of "
                "make synth BLOCK=%s, or as recorded of regtwin list blocks",
                name, block);
}

/* False and *e: the system's own cost is not known. */
static bool cost_price(const struct args *a, unsigned i, struct priced *p, struct err *e) {
  struct config_args with = a->config;
  struct config without;
  struct err none = {0};
  char name[1024];
  p->why[0] = 0;
  if (!cost_take_name(a->system[i], a->system_arg[i], &with, name, e) || !cost_refuse_block(name, e)) return false;
  if (!config_from(&with, &p->c, e) || !system_cost(&p->c, a->node, &p->s, e)) return false;
  snprintf(p->label, sizeof p->label, "%s%.1000s", p->c.system, a->system[i] + strlen(name));
  if (p->s.unpriced) snprintf(p->why, sizeof p->why, "%.300s " UNPRICED_NOTE, p->s.unpriced);
  else if (p->s.partial) snprintf(p->why, sizeof p->why, "what it adds is not built");
  else if (!cost_config_without(&with, &p->c, &without, &none) || !system_cost(&without, a->node, &p->plain, &none))
    snprintf(p->why, sizeof p->why, "%.500s", none.text);
  return true;
}

/* Of a system whose cost is not known: its name and why. */
static json_t *cost_failed_json(const char *system, const struct err *e) {
  char text[1200];
  json_t *o = json_object();
  err_format(e, text, sizeof text);
  json_put(o, "regtwin", json_text(RT_VERSION));
  json_put(o, "system", json_text(system));
  json_put(o, "error", json_text(text));
  return o;
}

/* Prints the n systems whose cost is known. */
static void cost_print(const struct args *a, const struct priced *p, unsigned n) {
  if (a->n > 1 || a->brief) {
    if (n) systems_cost_print(p, n, stdout);
    return;
  }
  system_cost_print(p, stdout);
  if (p->s.unpriced) printf("\nNo comparison with the same machine without the system\n");
  else if (p->why[0]) printf("\nNo comparison with the same machine without the system: %s\n", p->why);
}

/* Writes the JSON of all systems: an object, of several an array. */
static bool cost_save(const struct args *a, json_t *all, struct err *e) {
  json_t *one = a->n == 1 ? json_incref(json_array_get(all, 0)) : json_incref(all);
  return json_save_new(a->json, one, e);
}

/* Of several systems those whose cost is known are shown, then why the others have none. */
static int cost_show(const struct args *a) {
  struct priced *p = xcalloc(a->n, sizeof *p);
  struct err *why = xcalloc(a->n, sizeof *why), e = {0};
  json_t *all = json_array();
  unsigned n = 0;
  bool ok = true;
  for (unsigned i = 0; i < a->n; i++) {
    const bool known = cost_price(a, i, &p[n], &why[i]);
    json_array_append_new(all, known ? cost_json(&p[n]) : cost_failed_json(a->system[i], &why[i]));
    n += known;
  }
  if (a->json && (n || a->n > 1)) ok = json_writable(a->json, &e) && cost_save(a, all, &e);
  if (ok && n && !json_alone(a->json)) cost_print(a, p, n);
  for (unsigned i = 0; i < a->n; i++)
    if (why[i].set) err_complain(&why[i]);
  json_decref(all);
  free(p), free(why);
  if (!ok) return err_complain(&e);
  return n < a->n ? EXIT_INPUT : 0;
}

int cmd_cost(int argc, char **argv) {
  static const struct argp argp = {options,
                                   cost_parse,
                                   "SYSTEM... [--config MACHINE] [--node NM]",
                                   "What the SM of a configuration has for its registers (the register file's banks, "
                                   "the blocks of the system at the sizes that a run has): flip-flops, memory bits, "
                                   "transistors, area, longest path, energy of a cycle and an event. Of several "
                                   "systems, a line for each: what it has more than the same machine without it. From "
                                   "recorded results of 'make synth-record' and a "
                                   "model of memories; a size that nobody synthesized is refused.",
                                   bare_children,
                                   NULL,
                                   NULL};
  struct args a = {0};
  if (command_parse(&argp, argc, argv, ARGP_IN_ORDER, &a)) return EXIT_INPUT;
  if (a.memories) sram_deviations(stdout);
  else if (a.papers) papers_cost_tsv(stdout);
  else return cost_show(&a);
  return 0;
}

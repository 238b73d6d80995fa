/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy: energy of a block's mapped logic in its own runs: transitions of each net (netsim) times capacitance and the library's
 * internal energy. docs/use/cost.md has the formula. Linked with a block's bench and C twin, like the programs of make cosim.
 *
 * A row for the bench's random episodes, a row for all recorded streams: name, run, cycles, clock pJ per cycle, event,
 * events, pJ per event, leakage nW, library.
 */
#include <argp.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/show.h"
#include "engine.h"
#include "netsim.h"

struct options {
  const char *liberty, *netlist, *name, *events, *streams, *out;
  uint64_t cycles;
  double slew;
};

static const struct argp_option table[] = {{"liberty", 'l', "FILE", 0, "the library", 0},
                                           {"netlist", 'n', "FILE", 0, "the netlist of make synth", 0},
                                           {"name", 'b', "NAME", 0, "SYSTEM/BLOCK[@SET]", 0},
                                           {"events", 'e', "FILE", 0, "what is an event of each block", 0},
                                           {"streams", 's', "PREFIX", 0, "recorded streams: PREFIX-*.stim", 0},
                                           {"cycles", 'c', "N", 0, "cycles of the bench", 0},
                                           {"slew", 't', "NS", 0, "transition time of all inputs of cells", 0},
                                           {"out", 'o', "FILE", 0, "the rows", 0},
                                           {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  char *end = NULL;
  switch (key) {
    case 'l': o->liberty = arg; break;
    case 'n': o->netlist = arg; break;
    case 'b': o->name = arg; break;
    case 'e': o->events = arg; break;
    case 's': o->streams = arg; break;
    case 'o': o->out = arg; break;
    case 'c':
      o->cycles = strtoull(arg, &end, 10);
      if (*end || !o->cycles || o->cycles > 1000000000 || *arg == '-')
        wrong("cycles", 0, "found %s, expected a number of 1 to 1000000000", arg);
      break;
    case 't':
      o->slew = strtod(arg, &end);
      if (end == arg || *end || !(o->slew > 0 && o->slew < 1000))
        wrong("slew", 0, "found %s, expected a time in ns", arg);
      break;
    case ARGP_KEY_ARG: wrong(arg, 0, "found one argument too many");
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* ---- the event ---- */
enum { TERMS = 8 };
static struct {
  char *name;
  struct term {
    const struct port *valid, *ready; /* ready NULL: none; valid NULL: each cycle */
  } term[TERMS];
  unsigned terms;
  uint64_t count;
} event;

static const struct port *event_port(const char *path, unsigned line, const struct netlist *n, const char *name) {
  const struct port *p = netlist_port(n, name);
  if (!p) wrong(path, line, "found port %s, expected one of %s", name, n->module);
  return p;
}

static void read_term(const char *path, unsigned line, const struct netlist *n, char *text) {
  if (event.terms == TERMS) wrong(path, line, "found more than %d ports, expected fewer", TERMS);
  struct term *t = &event.term[event.terms++];
  char *ready = strchr(text, '&');
  if (ready) *ready++ = 0;
  if (!strcmp(text, "cycle") && !ready) return;
  t->valid = event_port(path, line, n, text);
  if (!ready) return;
  t->ready = event_port(path, line, n, ready);
  if (t->ready->width != t->valid->width && t->ready->width != 1)
    wrong(path, line, "found %s of %u bits and %s of %u, expected as many or one", text, t->valid->width, ready,
          t->ready->width);
}

/* block, event, ports, note */
static void read_event(const char *path, const char *block, const struct netlist *n) {
  char why[IO_WHY];
  size_t size, length = strcspn(block, "@");
  char *text = input_read(path, 1 << 20, &size, why), *rest = text;
  if (!text) wrong(path, 0, "expected the table of events: %s", why);
  for (unsigned line = 1; rest && *rest; line++) {
    char *column[4] = {0}, *row = strsep(&rest, "\n");
    if (!*row || *row == '#') continue;
    for (unsigned k = 0; k < 4; k++)
      if (!(column[k] = strsep(&row, "\t")) || !*column[k])
        wrong(path, line, "found %u columns, expected four: block, event, ports, note", k);
    if (row) wrong(path, line, "found five columns, expected four: block, event, ports, note");
    if (strlen(column[0]) != length || strncmp(column[0], block, length)) continue;
    if (event.name) wrong(path, line, "found %s twice, expected it once", column[0]);
    event.name = column[1];
    for (char *list = column[2], *one; (one = strsep(&list, " "));) read_term(path, line, n, one);
  }
  if (!event.name)
    wrong(path, 0,
          "found no line for %s, expected one: block, event, ports that count it, note, with tabs between them", block);
}

static void count_event(const uint8_t *value) {
  for (unsigned k = 0; k < event.terms; k++) {
    const struct term *t = &event.term[k];
    if (!t->valid) {
      event.count++;
      continue;
    }
    for (unsigned b = 0; b < t->valid->width; b++)
      event.count += value[t->valid->net[b]] && (!t->ready || value[t->ready->net[t->ready->width > 1 ? b : 0]]);
  }
}

/* ---- the energies ---- */
static double *rise_pj, *fall_pj; /* of a transition of each net */
static double clock_pj, leakage_nw;

static bool is_clock(const struct cell *c, unsigned pin) { return c->ff_line && pin == c->clock; }

/* Of an output's transition; of a flip-flop's one at the clock edge. */
static double output_pj(const struct cell *c, unsigned pin, bool rise, double load, double slew) {
  const struct pin *p = &c->pin[pin];
  if (!c->ff_line) return liberty_energy(p, rise, load, slew, NULL);
  const char *clock = c->pin[c->clock].name;
  double own = liberty_energy(p, rise, load, slew, clock);
  /* that edge's energy is in the clock's, too */
  return own - liberty_energy(&c->pin[c->clock], true, 0, slew, NULL);
}

static void find_energies(const struct liberty *l, const struct netlist *n, double slew) {
  double *load = xcalloc(n->nets, sizeof *load), v2 = l->volts * l->volts;
  rise_pj = xcalloc(n->nets, sizeof *rise_pj);
  fall_pj = xcalloc(n->nets, sizeof *fall_pj);
  for (unsigned k = 0; k < n->instances; k++) {
    const struct instance *i = &n->instance[k];
    leakage_nw += i->cell->leakage;
    for (unsigned p = 0; p < i->cell->pins; p++) {
      const struct pin *pin = &i->cell->pin[p];
      if (!pin->input) continue;
      double rise = liberty_energy(pin, true, 0, slew, NULL), fall = liberty_energy(pin, false, 0, slew, NULL);
      if (is_clock(i->cell, p)) {
        clock_pj += pin->capacitance * v2 + rise + fall;
        continue;
      }
      load[i->net[p]] += pin->capacitance;
      rise_pj[i->net[p]] += rise;
      fall_pj[i->net[p]] += fall;
    }
  }
  for (unsigned k = 0; k < n->nets; k++) {
    rise_pj[k] += load[k] * v2 / 2;
    fall_pj[k] += load[k] * v2 / 2;
  }
  for (unsigned k = 0; k < n->instances; k++) {
    const struct instance *i = &n->instance[k];
    for (unsigned p = 0; p < i->cell->pins; p++) {
      if (i->cell->pin[p].input || i->net[p] == NET_NONE) continue;
      rise_pj[i->net[p]] += output_pj(i->cell, p, true, load[i->net[p]], slew);
      fall_pj[i->net[p]] += output_pj(i->cell, p, false, load[i->net[p]], slew);
    }
  }
  free(load);
}

/* ---- runs ---- */
static void four_digits(FILE *to, double v) {
  int before = v > 0 ? (int)floor(log10(v)) : 0;
  fprintf(to, "\t%.*f", before > 3 ? 0 : 3 - before, v);
}

static void row(FILE *to, const struct options *o, const char *run, const struct netlist *n) {
  const struct netsim_counts *c = netsim_end();
  if (!c->cycles) wrong(o->name, 0, "found no cycle in the run %s, expected some", run);
  double pj = 0;
  for (unsigned k = 0; k < n->nets; k++) pj += (double)c->rise[k] * rise_pj[k] + (double)c->fall[k] * fall_pj[k];
  const char *slash = strrchr(o->liberty, '/'), *library = slash ? slash + 1 : o->liberty;
  fprintf(to, "%s\t%s\t%" PRIu64, o->name, run, c->cycles);
  four_digits(to, clock_pj);
  fprintf(to, "\t%s\t%" PRIu64, event.name, event.count);
  if (event.count) four_digits(to, pj / (double)event.count);
  else fprintf(to, "\t-");
  four_digits(to, leakage_nw);
  fprintf(to, "\t%.*s\n", (int)strcspn(library, "."), library);
}

static void agree(struct engine *e, enum outcome how) {
  if (how == RUN_AGREE) return;
  report_failure(e, stderr);
  wrong(e->what, 0, "found a netlist that differs from the C twin in cycle %" PRIu64 ", expected none", e->bad_cycle);
}

int main(int argc, char **argv) {
  struct options o = {.cycles = 20000, .slew = 0.18};
  const struct argp argp = {table, parse, NULL, "Energy of a mapped netlist in the runs of its block.",
                            NULL,  NULL,  NULL};
  char why[IO_WHY];
  show_guard();
  argp_err_exit_status = 2;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  if (!o.liberty || !o.netlist || !o.name || !o.events || !o.out)
    wrong("energy", 0, "expected --liberty, --netlist, --name, --events and --out");
  const struct liberty *l = liberty_read(o.liberty);
  const struct netlist *n = netlist_read(o.netlist, l);
  read_event(o.events, o.name, n);
  find_energies(l, n, o.slew);
  netsim_open(n, &block_golden);
  struct tb bench = tb_bench;
  bench.cases = NULL; /* directed cases are no typical activity */
  struct engine *e = engine_new(&block_golden, &netsim_api, &bench, 1);
  e->plain = true;
  struct output *out = output_replace(o.out, why);
  if (!out) wrong(o.out, 0, "%s", why);
  fprintf(output_stream(out), "#block\trun\tcycles\tclock_pj\tevent\tevents\tpj_per_event\tleakage_nw\tlibrary\n");
  netsim_clear(count_event);
  agree(e, engine_run(e, o.cycles));
  row(output_stream(out), &o, "bench", n);
  glob_t g = {0};
  char pattern[600];
  snprintf(pattern, sizeof pattern, "%s-*.stim", o.streams ? o.streams : "");
  if (o.streams && !glob(pattern, 0, NULL, &g)) {
    netsim_clear(count_event);
    event.count = 0;
    for (size_t k = 0; k < g.gl_pathc; k++) {
      struct stim s = {0};
      stim_read(&s, e->d, g.gl_pathv[k]);
      engine_restart(e);
      netsim_most(s.cycles);
      agree(e, engine_replay(e, &s, g.gl_pathv[k]));
      stim_free(&s);
    }
    row(output_stream(out), &o, "streams", n);
    globfree(&g);
  }
  if (!output_close(out, true, why)) wrong(o.out, 0, "%s", why);
  engine_free(e);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* netsim: see netsim.h. */
#include "netsim.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "engine.h"

/* A function with its nets; the state of a flip-flop has no net. */
struct gate {
  uint64_t table;
  uint32_t in[FUNCTION_INPUTS], out, level;
  uint8_t n;
  bool queued;
};

struct flop {
  struct gate next, clear, preset;
  uint32_t view, views; /* its outputs */
  uint8_t state, soon;
  bool has_clear, has_preset, queued;
};
struct view {
  uint32_t net;
  bool negated;
};

struct contents { /* of a memory */
  uint8_t *bit, *out;
};

static struct {
  const struct netlist *n;
  const struct block_desc *d;
  const struct port **port; /* of each item of the description; NULL: it is no port */
  uint32_t **driven;        /* of each item that is an input: its value */
  uint32_t **flat;          /* of each item that is a port: room for a value */
  uint8_t *value, *driver;  /* of each net; whether something drives it */
  bool *async;              /* a net at a clear or preset */
  struct gate *gate;
  struct flop *flop;
  struct view *view;
  struct contents *contents;
  uint32_t gates, flops, views;
  uint32_t *reader_at, *reader;         /* of each net: gates, then gates + flip-flop */
  uint32_t *level_at, *level_n, *queue; /* gates to evaluate, of each level */
  uint32_t levels, lowest;
  uint32_t *waiting, waits; /* flip-flops whose next state may be another one */
  uint32_t reset;
  bool counting, resetting, edge, async_changed;
  void (*each)(const uint8_t *value);
  uint64_t left; /* cycles that may still be counted */
  struct netsim_counts count;
} s;

static bool output(const struct gate *g, uint8_t state) {
  unsigned k = 0;
  for (unsigned i = 0; i < g->n; i++) k |= (unsigned)(g->in[i] == NET_NONE ? state : s.value[g->in[i]]) << i;
  return g->table >> k & 1;
}

/* ---- making ---- */
static struct gate gate_of(const struct instance *i, const struct function *f) {
  struct gate g = {.table = f->table, .n = f->n, .out = NET_NONE};
  for (unsigned k = 0; k < f->n; k++) g.in[k] = f->pin[k] == STATE_PIN ? NET_NONE : i->net[f->pin[k]];
  return g;
}

static void drive(uint32_t net, unsigned line) {
  if (net <= NET_1) wrong(s.n->path, line, "found an output at a constant, expected it at a net");
  if (s.driver[net]) wrong(s.n->path, line, "found a second driver of %s, expected one", s.n->name[net]);
  s.driver[net] = 1;
}

static void make_flop(const struct instance *i, uint32_t clock) {
  const struct cell *c = i->cell;
  struct flop *f = &s.flop[s.flops++];
  if (i->net[c->clock] != clock)
    wrong(s.n->path, i->line, "found %s at pin %s of %s, expected clk_i", s.n->name[i->net[c->clock]],
          c->pin[c->clock].name, i->name);
  *f = (struct flop){
      .next = gate_of(i, &c->next), .clear = gate_of(i, &c->clear), .preset = gate_of(i, &c->preset), .view = s.views};
  f->has_clear = c->clear.is;
  f->has_preset = c->preset.is;
  for (unsigned k = 0; k < f->clear.n; k++) s.async[f->clear.in[k]] = true;
  for (unsigned k = 0; k < f->preset.n; k++) s.async[f->preset.in[k]] = true;
  for (unsigned k = 0; k < c->pins; k++) {
    const struct function *o = &c->pin[k].function;
    if (c->pin[k].input || i->net[k] == NET_NONE) continue;
    if (o->n != 1 || o->pin[0] != STATE_PIN)
      wrong(s.n->path, i->line, "found output %s of %s, expected the state or its inverse", c->pin[k].name, c->name);
    drive(i->net[k], i->line);
    s.view[s.views++] = (struct view){i->net[k], o->table & 1};
    f->views++;
  }
}

static void make_cells(uint32_t clock) {
  uint32_t outputs = 0;
  for (unsigned k = 0; k < s.n->instances; k++) outputs += s.n->instance[k].cell->pins;
  s.gate = xcalloc(outputs, sizeof *s.gate);
  s.view = xcalloc(outputs, sizeof *s.view);
  s.flop = xcalloc(s.n->instances, sizeof *s.flop);
  for (unsigned k = 0; k < s.n->instances; k++) {
    const struct instance *i = &s.n->instance[k];
    if (i->cell->ff_line) {
      make_flop(i, clock);
      continue;
    }
    for (unsigned p = 0; p < i->cell->pins; p++) {
      if (i->cell->pin[p].input || i->net[p] == NET_NONE) continue;
      if (!i->cell->pin[p].function.is)
        wrong(s.n->path, i->line, "found cell %s, whose output %s has no function, expected one", i->cell->name,
              i->cell->pin[p].name);
      drive(i->net[p], i->line);
      s.gate[s.gates] = gate_of(i, &i->cell->pin[p].function);
      s.gate[s.gates++].out = i->net[p];
    }
  }
}

/* Who reads a net: a pass that counts, one that fills in. */
static void reads(uint32_t net, uint32_t who, bool fill) {
  if (net == NET_NONE) return;
  if (!fill) s.reader_at[net + 1]++;
  else s.reader[s.reader_at[net]++] = who;
}

static void make_readers(void) {
  uint32_t nets = s.n->nets;
  s.reader_at = xcalloc(1, (nets + 2) * sizeof *s.reader_at);
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t k = 0; k < s.gates; k++)
      for (unsigned i = 0; i < s.gate[k].n; i++) reads(s.gate[k].in[i], k, pass);
    for (uint32_t k = 0; k < s.flops; k++)
      for (unsigned i = 0; i < s.flop[k].next.n; i++) reads(s.flop[k].next.in[i], s.gates + k, pass);
    if (!pass) {
      for (uint32_t k = 0; k < nets; k++) s.reader_at[k + 1] += s.reader_at[k];
      s.reader = xcalloc(s.reader_at[nets], sizeof *s.reader);
    }
  }
  memmove(s.reader_at + 1, s.reader_at, nets * sizeof *s.reader_at); /* the second pass moved each to its end */
  s.reader_at[0] = 0;
}

/* The level of a gate is one more than the highest of those that drive it. */
static void make_levels(void) {
  uint32_t *left = xcalloc(s.gates, sizeof *left), *ready = xcalloc(s.gates, sizeof *ready), n = 0;
  uint8_t *from_gate = xcalloc(1, s.n->nets);
  for (uint32_t k = 0; k < s.gates; k++) from_gate[s.gate[k].out] = 1;
  for (uint32_t k = 0; k < s.gates; k++) {
    for (unsigned i = 0; i < s.gate[k].n; i++) left[k] += from_gate[s.gate[k].in[i]];
    if (!left[k]) ready[n++] = k;
  }
  for (uint32_t at = 0; at < n; at++) {
    const struct gate *g = &s.gate[ready[at]];
    if (g->level >= s.levels) s.levels = g->level + 1;
    for (uint32_t r = s.reader_at[g->out]; r < s.reader_at[g->out + 1]; r++) {
      uint32_t to = s.reader[r];
      if (to >= s.gates) continue;
      if (s.gate[to].level <= g->level) s.gate[to].level = g->level + 1;
      if (!--left[to]) ready[n++] = to;
    }
  }
  for (uint32_t k = 0; k < s.gates && n < s.gates; k++)
    if (left[k]) wrong(s.n->path, 0, "found a loop of gates through %s, expected none", s.n->name[s.gate[k].out]);
  s.level_at = xcalloc(1, (s.levels + 1) * sizeof *s.level_at);
  s.level_n = xcalloc(1, (s.levels + 1) * sizeof *s.level_n);
  s.queue = xcalloc(s.gates, sizeof *s.queue);
  for (uint32_t k = 0; k < s.gates; k++) s.level_at[s.gate[k].level + 1]++;
  for (uint32_t k = 0; k < s.levels; k++) s.level_at[k + 1] += s.level_at[k];
  free(left);
  free(ready);
  free(from_gate);
}

static void make_ports(void) {
  s.port = xcalloc(s.d->items, sizeof *s.port);
  s.driven = xcalloc(s.d->items, sizeof *s.driven);
  s.flat = xcalloc(s.d->items, sizeof *s.flat);
  unsigned ports = 0;
  for (unsigned k = 0; k < s.d->items; k++) {
    const struct item *i = &s.d->item[k];
    if (i->kind != ITEM_IN && i->kind != ITEM_OUT) continue;
    const struct port *p = netlist_port(s.n, i->name);
    if (!p || p->width != item_bits(i) || p->input != (i->kind == ITEM_IN))
      wrong(s.n->path, 0, "found %s port %s of %u bits, expected the %s of %u bits that the .def declares",
            p ? p->input ? "input" : "output" : "no", i->name, p ? p->width : 0,
            i->kind == ITEM_IN ? "input" : "output", item_bits(i));
    s.port[k] = p;
    s.flat[k] = xcalloc(RT_WORDS(p->width), 4);
    if (i->kind == ITEM_IN) s.driven[k] = xcalloc(RT_WORDS(p->width), 4);
    ports++;
  }
  ports += !s.d->combinational * 2;
  if (ports != s.n->ports)
    wrong(s.n->path, 0, "found %u ports, expected the %u that the .def declares", s.n->ports, ports);
}

void netsim_open(const struct netlist *n, const struct block_desc *d) {
  s.n = n;
  s.d = d;
  const struct port *clock = netlist_port(n, "clk_i"), *reset = netlist_port(n, "rst_ni");
  if (!d->combinational && (!clock || !reset))
    wrong(n->path, 0, "found no port %s, expected one", clock ? "rst_ni" : "clk_i");
  s.reset = reset ? reset->net[0] : (uint32_t)NET_NONE;
  s.value = xcalloc(1, n->nets);
  s.driver = xcalloc(1, n->nets);
  s.async = xcalloc(n->nets, sizeof *s.async);
  s.count.rise = xcalloc(n->nets, sizeof *s.count.rise);
  s.count.fall = xcalloc(n->nets, sizeof *s.count.fall);
  s.value[NET_1] = s.driver[NET_0] = s.driver[NET_1] = 1;
  for (unsigned k = 0; k < n->ports; k++)
    for (unsigned b = 0; n->port[k].input && b < n->port[k].width; b++) drive(n->port[k].net[b], 0);
  make_ports();
  make_cells(clock ? clock->net[0] : (uint32_t)NET_NONE);
  s.contents = xcalloc(n->rams, sizeof *s.contents);
  for (unsigned k = 0; k < n->rams; k++) {
    const struct ram *m = &n->ram[k];
    for (unsigned b = 0; b < m->width[RAM_OUT]; b++) drive(m->net[RAM_OUT][b], m->line);
    s.contents[k].bit = xcalloc(1, (size_t)m->width[RAM_DATA] << m->width[RAM_READ_AT]);
    s.contents[k].out = xcalloc(1, m->width[RAM_OUT]);
  }
  make_readers();
  for (uint32_t k = 0; k < n->nets; k++)
    if (!s.driver[k] && s.reader_at[k] < s.reader_at[k + 1])
      wrong(n->path, 0, "found no driver of %s, expected one", n->name[k]);
  make_levels();
  s.waiting = xcalloc(s.flops, sizeof *s.waiting);
}

/* ---- a cycle ---- */
static void queue_gate(uint32_t k) {
  struct gate *g = &s.gate[k];
  if (g->queued) return;
  g->queued = true;
  s.queue[s.level_at[g->level] + s.level_n[g->level]++] = k;
  if (g->level < s.lowest) s.lowest = g->level;
}

static void queue_flop(uint32_t k) {
  if (s.flop[k].queued) return;
  s.flop[k].queued = true;
  s.waiting[s.waits++] = k;
}

static void change(uint32_t net) {
  s.value[net] ^= 1;
  if (s.counting) s.value[net] ? s.count.rise[net]++ : s.count.fall[net]++;
  s.async_changed |= s.async[net];
  for (uint32_t r = s.reader_at[net]; r < s.reader_at[net + 1]; r++)
    if (s.reader[r] < s.gates) queue_gate(s.reader[r]);
    else queue_flop(s.reader[r] - s.gates);
}

static void set(uint32_t net, bool value) {
  if (s.value[net] != value) change(net);
}

static void set_flop(uint32_t k, bool value) {
  struct flop *f = &s.flop[k];
  if (f->state == value) return;
  f->state = value;
  queue_flop(k); /* its next state may depend on its own */
  for (uint32_t v = f->view; v < f->view + f->views; v++) set(s.view[v].net, value ^ s.view[v].negated);
}

static void settle_gates(void) {
  for (uint32_t level = s.lowest; level < s.levels; level++) {
    uint32_t *q = &s.queue[s.level_at[level]];
    for (uint32_t k = 0; k < s.level_n[level]; k++) {
      struct gate *g = &s.gate[q[k]];
      g->queued = false;
      set(g->out, output(g, 0));
    }
    s.level_n[level] = 0;
  }
  s.lowest = s.levels;
}

static void settle(void) {
  settle_gates();
  while (s.async_changed) {
    s.async_changed = false;
    for (uint32_t k = 0; k < s.flops; k++) {
      struct flop *f = &s.flop[k];
      if (f->has_clear && output(&f->clear, f->state)) set_flop(k, false);
      else if (f->has_preset && output(&f->preset, f->state)) set_flop(k, true);
    }
    settle_gates();
  }
}

static unsigned bits_of(const struct ram *m, unsigned port) {
  unsigned v = 0;
  for (unsigned b = 0; b < m->width[port]; b++) v |= (unsigned)s.value[m->net[port][b]] << b;
  return v;
}

static void clock_ram(const struct ram *m, struct contents *c) {
  bool one = m->width[RAM_ENABLE], enabled = one ? s.value[m->net[RAM_ENABLE][0]] : 1;
  unsigned width = m->width[RAM_DATA], lanes = m->width[RAM_WRITE], lane = width / lanes;
  uint8_t *to = c->bit + (size_t)bits_of(m, one ? RAM_READ_AT : RAM_WRITE_AT) * width;
  bool read = one ? enabled && !s.value[m->net[RAM_WRITE][0]] : s.value[m->net[RAM_READ][0]];
  if (read) memcpy(c->out, c->bit + (size_t)bits_of(m, RAM_READ_AT) * width, width);
  for (unsigned l = 0; l < lanes && enabled; l++)
    for (unsigned b = l * lane; s.value[m->net[RAM_WRITE][l]] && b < (l + 1) * lane; b++)
      to[b] = s.value[m->net[RAM_DATA][b]];
}

static void count_cycle(void) {
  if (!s.counting || !s.left) return;
  s.left--;
  s.count.cycles++;
  if (s.each) s.each(s.value);
}

/* The registers' new values, found before the edge; they appear with the next inputs. */
static void tick(void *r) {
  (void)r;
  count_cycle(); /* an edge ends it: eval may be asked more than once */
  uint32_t n = s.waits;
  for (uint32_t k = 0; k < n; k++) {
    struct flop *f = &s.flop[s.waiting[k]];
    f->soon = output(&f->next, f->state);
    if ((f->has_clear && output(&f->clear, f->state)) || (f->has_preset && output(&f->preset, f->state)))
      f->soon = f->state;
  }
  for (unsigned k = 0; k < s.n->rams; k++) clock_ram(&s.n->ram[k], &s.contents[k]);
  s.edge = true;
}

static void take_edge(void) {
  if (!s.edge) return;
  s.edge = false;
  uint32_t n = s.waits, *list = memory_checked(malloc(n * sizeof *list + 1));
  memcpy(list, s.waiting, n * sizeof *list);
  s.waits = 0;
  for (uint32_t k = 0; k < n; k++) s.flop[list[k]].queued = false;
  for (uint32_t k = 0; k < n; k++) set_flop(list[k], s.flop[list[k]].soon);
  free(list);
  for (unsigned k = 0; k < s.n->rams; k++)
    for (unsigned b = 0; b < s.n->ram[k].width[RAM_OUT]; b++) set(s.n->ram[k].net[RAM_OUT][b], s.contents[k].out[b]);
}

static void finish_edge(void) {
  s.counting = !s.resetting;
  take_edge();
  settle();
}

static void hold(void *r, int reset) {
  (void)r;
  finish_edge();
  s.counting = false;
  s.resetting = reset;
  set(s.reset, !reset);
  settle();
  for (uint32_t k = 0; k < s.flops; k++) queue_flop(k); /* an edge within the reset has not moved them */
}

static void eval(void *r, const void *from) {
  (void)r;
  s.counting = true;
  take_edge();
  for (unsigned k = 0; k < s.d->items; k++) {
    const struct item *i = &s.d->item[k];
    if (i->kind != ITEM_IN) continue;
    const uint32_t *v = s.flat[k];
    item_pack(i, from, s.flat[k]);
    for (unsigned w = 0; w < RT_WORDS(item_bits(i)); w++) {
      uint32_t differ = v[w] ^ s.driven[k][w];
      s.driven[k][w] = v[w];
      for (; differ; differ &= differ - 1) change(s.port[k]->net[32 * w + (unsigned)__builtin_ctz(differ)]);
    }
  }
  settle();
  if (s.d->combinational) count_cycle(); /* which has no edge */
}

static void *create(unsigned seed) {
  struct tb_rng random = {{seed | 1, 0x9e3779b97f4a7c15u}}; /* registers and memories without a reset */
  memset(s.value, 0, s.n->nets);
  s.value[NET_1] = 1;
  s.counting = s.edge = s.resetting = false;
  s.waits = 0;
  s.lowest = s.levels;
  memset(s.level_n, 0, s.levels * sizeof *s.level_n);
  for (unsigned k = 0; k < s.d->items; k++)
    if (s.driven[k]) memset(s.driven[k], 0, 4 * (size_t)RT_WORDS(s.port[k]->width));
  if (s.reset != NET_NONE) s.value[s.reset] = 1;
  for (uint32_t k = 0; k < s.gates; k++) s.gate[k].queued = false, queue_gate(k);
  for (uint32_t k = 0; k < s.flops; k++) {
    struct flop *f = &s.flop[k];
    f->queued = false;
    queue_flop(k);
    f->state = tb_rand(&random) & 1;
    for (uint32_t v = f->view; v < f->view + f->views; v++) s.value[s.view[v].net] = f->state ^ s.view[v].negated;
  }
  for (unsigned k = 0; k < s.n->rams; k++) {
    const struct ram *m = &s.n->ram[k];
    size_t bits = (size_t)m->width[RAM_DATA] << m->width[RAM_READ_AT];
    for (size_t b = 0; b < bits; b++) s.contents[k].bit[b] = tb_rand(&random) & 1;
    for (unsigned b = 0; b < m->width[RAM_OUT]; b++)
      s.value[m->net[RAM_OUT][b]] = s.contents[k].out[b] = tb_rand(&random) & 1;
  }
  settle();
  return &s;
}

static void destroy(void *r) {
  (void)r;
  finish_edge();
}

static void sample(void *r, void *out, void *state) {
  (void)r;
  memset(out, 0, s.d->out_bytes);
  memset(state, 0, s.d->state_bytes);
  for (unsigned k = 0; k < s.d->items; k++) {
    if (s.d->item[k].kind != ITEM_OUT) continue;
    uint32_t *v = s.flat[k];
    memset(v, 0, 4 * (size_t)RT_WORDS(s.port[k]->width));
    for (unsigned b = 0; b < s.port[k]->width; b++) v[b / 32] |= (uint32_t)s.value[s.port[k]->net[b]] << b % 32;
    item_unpack(&s.d->item[k], v, out);
  }
}

static int same_out(void *r, const void *out) {
  (void)r;
  for (unsigned k = 0; k < s.d->items; k++) {
    if (s.d->item[k].kind != ITEM_OUT) continue;
    const uint32_t *v = s.flat[k], *net = s.port[k]->net;
    item_pack(&s.d->item[k], out, s.flat[k]);
    for (unsigned n = 0; n < item_count(&s.d->item[k]); n++)
      if (!item_fits(&s.d->item[k], out, n)) return 0;
    for (unsigned b = 0; b < s.port[k]->width; b++)
      if ((v[b / 32] >> b % 32 & 1) != s.value[net[b]]) return 0;
  }
  return 1;
}

static int same(void *r, const void *out, const void *state) {
  (void)state;
  return same_out(r, out);
}

static void inputs(void *r, void *in) {
  (void)r;
  memset(in, 0, s.d->in_bytes);
  for (unsigned k = 0; k < s.d->items; k++)
    if (s.driven[k]) item_unpack(&s.d->item[k], s.driven[k], in);
}

static const struct asserted *asserted(void) { return NULL; }

const struct rtl_api netsim_api = {.name = "netlist",
                                   .create = create,
                                   .destroy = destroy,
                                   .hold = hold,
                                   .eval = eval,
                                   .tick = tick,
                                   .asserted = asserted,
                                   .same = same,
                                   .same_out = same_out,
                                   .sample = sample,
                                   .inputs = inputs,
                                   .ports_only = 1};

void netsim_clear(void (*each)(const uint8_t *value)) {
  s.each = each;
  s.count.cycles = 0;
  s.left = UINT64_MAX;
  memset(s.count.rise, 0, s.n->nets * sizeof *s.count.rise);
  memset(s.count.fall, 0, s.n->nets * sizeof *s.count.fall);
}

void netsim_most(uint64_t cycles) { s.left = cycles; }

const struct netsim_counts *netsim_end(void) {
  finish_edge();
  return &s.count;
}
